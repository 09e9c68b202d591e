"""`finfo`, `iinfo`, inference mode, print options and other settings of `torch`; JAX decides most of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp

from msjax.core import dtype as dtypes
from msjax.core.autodiff.imperative import no_grad
from msjax.core.state import NO_GRAD, state
from msjax.torch.tensors.printing import PRINTING, PROFILES
from msjax.torch.tensors.tensor import Tensor


class _Limits(NamedTuple):
    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return (
            f"finfo({', '.join(f'{name}={getattr(self, name):.6g}' for name in shown)}, dtype={self.dtype})"
        )


def finfo(type: Any = dtypes.float32) -> Any:
    """Return the limits of a floating dtype."""
    if not type.is_floating_point:
        raise TypeError(
            f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{type}'"
        )
    info = jnp.finfo(dtypes.as_np(type))
    names = ("eps", "max", "min", "tiny", "smallest_normal")
    limits = [float(getattr(info, name)) for name in names]
    return _Limits(info.bits, *limits, resolution=10.0**-info.precision, dtype=type.name.rstrip("_"))


class _Whole(NamedTuple):
    bits: int
    max: int
    min: int
    dtype: str

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def iinfo(type: Any) -> Any:
    """Return the limits of an integer dtype."""
    if type.is_floating_point or type.is_complex:
        raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{type}'")
    info = jnp.iinfo(dtypes.as_np(type))
    return _Whole(info.bits, int(info.max), int(info.min), type.name)


class inference_mode(no_grad):  # noqa: N801
    """Record nothing: a context manager, and a decorator. What it makes may be used for gradients as a constant.

    Examples:
        >>> from msjax import torch
        >>> with torch.inference_mode():
        ...     torch.is_inference_mode_enabled()
        True
    """

    def __new__(cls, mode: Any = True) -> Any:
        """Return the context manager; of False, one that changes nothing; or the decorated function."""
        return super().__new__(cls) if isinstance(mode, bool) else no_grad(mode)

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self.mode = mode

    def __enter__(self) -> Any:
        if self.mode:
            super().__enter__()
        return self

    def __exit__(self, *error: object) -> Any:
        return super().__exit__(*error) if self.mode else None


def is_inference_mode_enabled() -> bool:
    """Return True if gradient recording is off."""
    return state.mode == NO_GRAD


def compile(model: Any = None, **options: Any) -> Any:
    """Return a module or function as it is: operators are compiled one by one; `ms.jit` compiles whole functions."""
    return model if model is not None else (lambda found: found)


def _define_no_op(name: str, result: Any = None) -> Callable:
    def setting(*args: Any, **named: Any) -> Any:
        return result

    setting.__name__ = name
    setting.__doc__ = "Of no effect: it is XLA's business."
    return setting


def typename(obj: Any) -> str:
    """Return the name of an object's type, with its module's."""
    if isinstance(obj, Tensor):
        return obj.type()  # type: ignore[attr-defined]
    kind = obj if isinstance(obj, type) else type(obj)
    place = "" if kind.__module__ == "builtins" else f"{kind.__module__}.".replace("msjax.torch", "torch")
    return f"{place}{kind.__qualname__}"


def is_conj(input: Any) -> bool:
    """False: conjugates are computed."""
    return False


def is_inference(input: Any) -> bool:
    """False: what inference mode makes is as other tensors are."""
    return False


def resolve_conj(input: Any) -> Any:
    """Return the tensor itself."""
    return input


def resolve_neg(input: Any) -> Any:
    """Return the tensor itself."""
    return input


def to_dlpack(tensor: Any) -> Any:
    """Return a capsule of DLPack's, with the values."""
    return tensor.detach().array.__dlpack__()


def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:  # fmt: skip
    """Set the options for printing tensors.

    Args:
        precision: digits after the point.
        threshold: the number of elements above which the middle is left out.
        edgeitems: how many are shown at each end then.
        linewidth: characters in a line.
        profile: "default", "short" (two digits) or "full" (all elements), which others change.
        sci_mode: whether numbers have exponents; None to decide by the numbers.
    """
    if profile is not None:
        PRINTING.update(PROFILES[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    PRINTING.update({name: value for name, value in given.items() if value is not None}, sci_mode=sci_mode)


_SETTINGS = "set_flush_denormal set_warn_always".split()
globals().update({name: _define_no_op(name) for name in _SETTINGS})
NAMES = (
    """finfo iinfo inference_mode is_inference_mode_enabled compile typename is_conj is_inference
resolve_conj resolve_neg to_dlpack set_printoptions""".split()
    + _SETTINGS
)
