"""How a sample of an operator is written down: one line gives inputs, arguments and what to compare with.

Imported by the recorder (under MindSpore or PyTorch) and by the tests (under msjax), so it needs NumPy only.
Inputs are drawn from a generator seeded by the sample's own text: a new line in a table changes no other golden.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class In:
    """An input array: `kind` of values, shape and dtype."""

    kind: str
    shape: tuple[int, ...]
    dtype: str
    data: Any = None

    def __repr__(self) -> str:
        what = self.data if self.kind == "lit" else "x".join(map(str, self.shape)) or "scalar"
        return f"{self.kind}:{self.dtype}:{what}"

    def make(self, rng: np.random.RandomState) -> np.ndarray:
        shape = self.shape
        if self.kind == "lit":
            value = np.array(self.data)
        elif self.kind == "normal":
            value = rng.standard_normal(shape)
        elif self.kind == "unit":
            value = rng.uniform(0.05, 0.95, shape)
        elif self.kind == "sign":
            value = rng.randint(0, 2, shape) * 2 - 1
        elif self.kind == "spread":  # all different, far apart: safe for maxima
            value = (rng.permutation(int(np.prod(shape))) / 8.0 - 3).reshape(shape)
        elif self.kind == "dist":
            value = np.exp(rng.standard_normal(shape))
            value = value / value.sum(1, keepdims=True)
        elif self.kind == "below":
            value = rng.randint(0, self.data, shape)
        else:
            raise ValueError(self.kind)
        return np.asarray(value, self.dtype)


def f(*shape: int) -> In:
    return In("normal", shape, "float32")


def h(*shape: int) -> In:
    return In("normal", shape, "float16")


def d(*shape: int) -> In:
    return In("normal", shape, "float64")


def unit(*shape: int, dtype: str = "float32") -> In:
    return In("unit", shape, dtype)


def sign(*shape: int, dtype: str = "float32") -> In:
    return In("sign", shape, dtype)


def spread(*shape: int, dtype: str = "float32") -> In:
    return In("spread", shape, dtype)


def dist(*shape: int, dtype: str = "float32") -> In:
    return In("dist", shape, dtype)


def below(high: int, *shape: int, dtype: str = "int32") -> In:
    return In("below", shape, dtype, high)


def lit(data: Any, dtype: str = "float32") -> In:
    return In("lit", np.shape(data), dtype, data)


@dataclass(frozen=True)
class DT:
    """A dtype argument, by MindSpore's name."""

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Sample:
    """One call of one operator.

    Attributes:
        fails: the call is to raise; the exception's type is the golden, or the one named here.
        torch: the same call under PyTorch, where MindSpore has no CPU kernel (or a wrong one): `torch(torch, *args)`.
        ms: the same call under MindSpore, where it has no functional form: `ms(mindspore, *args)`.
        tol: relative and absolute tolerance, if not the dtype's own.
        grad: compare gradients too.
        why: why this sample departs from the usual. At "corners", and where something is "held" (has values but no
            gradient), differences say nothing of derivatives.
        new: `op` is the name of a class, made with these settings; `args` are what it is called with.
    """

    op: str
    args: tuple
    kwargs: dict[str, Any] = field(default_factory=dict)
    fails: bool | str = False
    torch: Callable | None = None
    ms: Callable | None = None
    tol: float | None = None
    grad: bool = True
    why: str = ""
    new: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        named = [f"{k}={v!r}" for k, v in self.kwargs.items()]
        made = "" if self.new is None else f"({', '.join(f'{k}={v!r}' for k, v in self.new.items())})"
        return f"{self.op}{made}({', '.join([*map(repr, self.args), *named])})"

    def inputs(self) -> tuple[list, dict[str, Any]]:
        """Arguments with arrays in the place of their descriptions."""
        rng = np.random.RandomState(zlib.crc32(self.id.encode()))

        def made(a: Any) -> Any:
            if isinstance(a, In):
                return a.make(rng)
            return type(a)(made(e) for e in a) if isinstance(a, list | tuple) else a

        return [made(a) for a in self.args], {k: made(v) for k, v in self.kwargs.items()}

    def cotangent(self, output: np.ndarray) -> np.ndarray:
        """Return the cotangents that gradients are pulled back from: small whole numbers, exact in every dtype."""
        rng = np.random.RandomState(zlib.crc32(self.id.encode()) ^ 1)
        whole = rng.randint(1, 4, output.shape) * (rng.randint(0, 2, output.shape) * 2 - 1)
        return np.asarray(whole, output.dtype)


_OPTIONS = ("fails", "torch", "ms", "tol", "grad", "why", "new")


def s(op: str, *args: Any, **kwargs: Any) -> Sample:
    """A sample: keywords that are not the table's own are the operator's."""
    options = {k: kwargs.pop(k) for k in _OPTIONS if k in kwargs}
    return Sample(op, args, kwargs, **options)


def is_float(a: Any) -> bool:
    return isinstance(a, np.ndarray) and a.dtype.kind in "fc"
