"""Many samples of mint in few compiled programs: values, dtypes, shapes and gradients against the goldens."""

import pathlib
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from packing import unpack
from samples import DT, Sample, is_float
from samples_mint import FAMILIES

from msjax import mint
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor

GOLDENS = pathlib.Path(__file__).parent.parent / "goldens"
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-10}


GOLDEN = {
    name: {"outputs": [], "grads": []} | entry for name, entry in unpack(GOLDENS / "mint_torch.npz").items()
}


def leaves(value: Any) -> list[Any]:
    return [leaf for v in value for leaf in leaves(v)] if isinstance(value, list | tuple) else [value]


def rebuilt(value: Any, replace: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(rebuilt(v, replace) for v in value)
    return {k: rebuilt(v, replace) for k, v in value.items()} if isinstance(value, dict) else replace(value)


def function(name: str) -> Any:
    found: Any = mint
    for part in name.split("."):
        found = getattr(found, part)
    return found


def of_floats(sample: Sample) -> tuple[Any, list[np.ndarray]]:
    """The sample as a function of its float arrays, over JAX arrays, and those arrays."""
    args, kwargs = sample.inputs()
    floats = [a for a in leaves([args, list(kwargs.values())]) if is_float(a)]

    def call(*arrays: Any) -> list[Any]:
        given = iter(arrays)

        def argument(value: Any) -> Any:
            if isinstance(value, DT):
                return getattr(dtypes, value.name)
            if is_float(value):
                return Tensor.from_array(next(given))
            return Tensor(value) if isinstance(value, np.ndarray) else value

        a, k = rebuilt((args, kwargs), argument)
        return [o.array if isinstance(o, Tensor) else o for o in leaves(function(sample.op)(*a, **k))]

    return call, floats


def forward_and_back(sample: Sample, arrays: list[Any]) -> tuple[list[Any], list[Any]]:
    """Outputs, and the gradients of the float inputs where the golden has them."""
    call, _ = of_floats(sample)
    golden = GOLDEN[sample.id]
    if not golden["grads"]:
        return call(*arrays), []
    outputs, pull = jax.vjp(call, *arrays)
    cotangents = [
        sample.cotangent(o) if is_float(o) else np.zeros(o.shape, jax.dtypes.float0)
        for o in golden["outputs"]
    ]
    return outputs, list(pull(cotangents))


def differences(sample: Sample, got: tuple[list[Any], list[Any]]) -> Iterator[str]:
    """Describe how a result differs from its golden."""
    golden = GOLDEN[sample.id]
    for kind, values in zip(("outputs", "grads"), got, strict=True):
        if len(values) != len(golden[kind]):
            yield f"{sample.id}: {len(values)} {kind}, expected {len(golden[kind])}"
            continue
        for value, expected in zip(map(np.asarray, values), golden[kind], strict=True):
            if (value.dtype, value.shape) != (expected.dtype, expected.shape):
                yield (
                    f"{sample.id}: {kind} {value.dtype}{value.shape}, expected {expected.dtype}{expected.shape}"
                )
                continue
            tol = sample.tol or TOLERANCE.get(expected.dtype.name, 0)
            if not np.allclose(value, expected, tol, tol, equal_nan=True):
                yield f"{sample.id}: {kind} {value.tolist()}, expected {expected.tolist()}"


def chunks(family: str, size: int = 40) -> list[list[Sample]]:
    rows = [sample for sample in FAMILIES[family] if not sample.fails]
    return [rows[at : at + size] for at in range(0, len(rows), size)]


def failing() -> list[Sample]:
    return [sample for rows in FAMILIES.values() for sample in rows if sample.fails]
