"""One check for every sample of an operator: value, dtype, shape and gradient, in each way of running it."""

import importlib
import json
import pathlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from samples import DT, Sample, is_float
from samples_array import FAMILIES as ARRAY_FAMILIES
from samples_math import FAMILIES as MATH_FAMILIES
from samples_nn import FAMILIES as NN_FAMILIES

from msjax.core import dtype as dtypes
from msjax.core.grad import GradOperation
from msjax.core.jit import jit
from msjax.core.tensor import Tensor
from tests.lowered import float64_in

FAMILIES = ARRAY_FAMILIES | NN_FAMILIES | MATH_FAMILIES
GOLDENS = pathlib.Path(__file__).parent.parent / "goldens"

MODULES = """
    activation activation_smooth loss loss_margin convolution convolution_input affine pooling adaptive_pooling normalization
    length_norm embeddings attention clipping
    arithmetic fused elementary angles rounding comparison bitwise reduction extrema scan shapes joining
    primitives_nn flipping borders gathering scattering selecting sorting creation
    linalg linalg_sums matrices norms complexes casting
    bands bessel class_only_math decompositions determinants floats signals solving special spectral statistics
    primitives_math
""".split()
ERRORS = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "RuntimeError": RuntimeError,
    "AttributeError": TypeError,
}
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-10, "complex64": 2e-5, "complex128": 1e-10}


def operator(name: str) -> Callable:
    """The operator of that name, from the module of its family."""
    for module in MODULES:
        found = getattr(importlib.import_module(f"msjax.ops.{module}"), name, None)
        if found is not None:
            return found
    raise LookupError(name)


def _goldens() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(GOLDENS.glob("ops_[abc]_*.npz")):
        stored = np.load(path)
        data, at = stored["data"], 0
        for name, entry in json.loads(stored["index"].tobytes()).items():
            for kind in ("outputs", "grads"):
                arrays = []
                for dtype, shape in entry.get(kind, []):
                    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
                    arrays.append(data[at : at + size].view(dtype).reshape(shape))
                    at += size
                entry[kind] = arrays
            found[name] = entry
    return found


GOLDEN = _goldens()


def leaves(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def rebuilt(value: Any, replace: Callable[[Any], Any]) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(rebuilt(v, replace) for v in value)
    if isinstance(value, dict):
        return {k: rebuilt(v, replace) for k, v in value.items()}
    return replace(value)


def call_of(
    sample: Sample, convert: Callable[[np.ndarray], np.ndarray] = np.asarray
) -> tuple[Callable, list[np.ndarray]]:
    """The sample as a function of its float arrays alone, over Tensors, and those arrays."""
    args, kwargs = rebuilt(sample.inputs(), lambda v: convert(v) if is_float(v) else v)
    floats = [a for a in leaves([args, list(kwargs.values())]) if is_float(a)]
    fn = operator(sample.op)

    def call(*tensors: Tensor) -> Any:
        given = iter(tensors)

        def argument(value: Any) -> Any:
            if isinstance(value, DT):
                return getattr(dtypes, value.name)
            if is_float(value):
                return next(given)
            return Tensor(value) if isinstance(value, np.ndarray) else value

        a, k = rebuilt((args, kwargs), argument)
        return (fn if sample.new is None else fn(**sample.new))(*a, **k)

    return call, floats


def compare(sample: Sample, what: str, got: np.ndarray, expected: np.ndarray) -> None:
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}"
    assert got.dtype == expected.dtype, f"{what}: dtype {got.dtype}, expected {expected.dtype}"
    tol = sample.tol or TOLERANCE.get(expected.dtype.name, 0)
    np.testing.assert_allclose(got, expected, rtol=tol, atol=tol, err_msg=what)


def check(sample: Sample, mode: str) -> None:
    """Compare one sample with its golden, eagerly or compiled."""
    golden = GOLDEN[sample.id]
    call, floats = call_of(sample)
    run = jit(call) if mode == "jit" else call
    tensors = [Tensor(a) for a in floats]
    if "error" in golden:
        expected = sample.fails if isinstance(sample.fails, str) else golden["error"]
        with pytest.raises(ERRORS[expected]) as caught:
            run(*tensors)
        assert sample.op.lower() in str(caught.value).lower() or mode == "jit", (
            "the message names the operator"
        )
        assert "Received" in str(caught.value), "the message says what it received"
        return
    outputs = [o.asnumpy() for o in leaves(run(*tensors))]
    assert len(outputs) == len(golden["outputs"])
    for i, (got, expected) in enumerate(zip(outputs, golden["outputs"], strict=True)):
        compare(sample, f"output {i}", got, expected)
    if not golden["grads"]:
        return

    def ends(*given: Tensor) -> Any:
        return tuple(o for o in leaves(run(*given)) if o.dtype.is_floating_point)

    sens = tuple(Tensor(sample.cotangent(o)) for o in outputs if is_float(o))
    one = len(sens) == 1
    pull = GradOperation(get_all=True, sens_param=True)((lambda *given: ends(*given)[0]) if one else ends)
    for i, (got, expected) in enumerate(
        zip(pull(*tensors, sens[0] if one else sens), golden["grads"], strict=True)
    ):
        compare(sample, f"gradient {i}", got.asnumpy(), expected)


def as_pure(sample: Sample, dtype: Any = None) -> tuple[Callable, list[jax.Array]]:
    """The sample as a function over JAX arrays (its float inputs), converted to `dtype`."""
    call, floats = call_of(sample)
    arrays = [jnp.asarray(a, dtype or a.dtype) for a in floats]

    def pure(*given: jax.Array) -> list[jax.Array]:
        outputs = leaves(call(*map(Tensor.from_array, given)))
        return [o.array for o in outputs if o.dtype.is_floating_point] or [o.array for o in outputs]

    return pure, arrays


def family(name: str) -> list[Any]:
    return [pytest.param(sample, id=sample.id) for sample in FAMILIES[name]]


def one_each(name: str, keep: Callable[[Sample], bool] = lambda sample: True) -> list[Any]:
    """The samples that show each operator's program once: the two with most arguments."""
    by_op: dict[str, list[Sample]] = {}
    for sample in FAMILIES[name]:
        if not sample.fails and keep(sample):
            by_op.setdefault(sample.op, []).append(sample)
    chosen = [
        s for group in by_op.values() for s in sorted(group, key=lambda s: -len(s.args) - len(s.kwargs))[:2]
    ]
    return [pytest.param(sample, id=sample.id) for sample in chosen]


def is_smooth(sample: Sample) -> bool:
    """Whether finite differences in float64 mean something at this sample."""
    floats = [a for a in leaves(list(sample.inputs())) if is_float(a)]
    golden = GOLDEN[sample.id]
    moving = any(np.any(g) for g in golden.get("grads", []))
    return (
        moving
        and sample.why not in ("corners", "held")
        and all(a.dtype == np.float32 and np.isfinite(a).all() for a in floats)
    )


def check_second_order(sample: Sample) -> None:
    """Reverse-mode derivatives against finite differences, to second order.

    Inputs that the oracle gives no gradient (labels, weights of some losses) are held.
    """
    from jax.test_util import check_grads

    pure, arrays = as_pure(sample, jnp.float64)
    moving = [i for i, g in enumerate(GOLDEN[sample.id]["grads"]) if np.any(g)]

    def of_moving(*given: jax.Array) -> list[jax.Array]:
        return pure(*[given[moving.index(i)] if i in moving else a for i, a in enumerate(arrays)])

    check_grads(of_moving, [arrays[i] for i in moving], order=2, modes=["rev"], atol=1e-4, rtol=1e-4)


def check_lowers(sample: Sample) -> None:
    """Forward and backward lower for CUDA and TPU without a float64 in sight."""
    pure, arrays = as_pure(sample)

    def both(*given: jax.Array) -> Any:
        out, pull = jax.vjp(pure, *given)
        return out, pull([jnp.ones_like(o) for o in out])

    differentiable = bool(GOLDEN[sample.id]["grads"])
    program = jax.export.export(jax.jit(both if differentiable else pure), platforms=("cuda", "tpu"))(*arrays)
    if all(a.dtype != jnp.float64 for a in [*arrays, *GOLDEN[sample.id]["outputs"]]):
        assert not float64_in(program.mlir_module()), "float64 in the program of a narrower operator"


def golden_tests(name: str) -> tuple[Callable, ...]:
    """The tests of a family, for its test file to take in."""

    @pytest.mark.parametrize("sample", family(name))
    def test_golden(sample: Sample) -> None:
        with jax.numpy_dtype_promotion("strict"):
            check(sample, "eager")

    @pytest.mark.parametrize("sample", one_each(name))
    def test_golden_under_jit(sample: Sample) -> None:
        check(sample, "jit")

    @pytest.mark.parametrize("sample", one_each(name, is_smooth))
    def test_second_order(sample: Sample) -> None:
        check_second_order(sample)

    @pytest.mark.parametrize("sample", one_each(name))
    def test_lowers_for_accelerators(sample: Sample) -> None:
        check_lowers(sample)

    return test_golden, test_golden_under_jit, test_second_order, test_lowers_for_accelerators
