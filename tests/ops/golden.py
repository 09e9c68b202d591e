"""The samples of operators with their goldens, and the tests of a family of them, in each way of running it."""

import importlib
import pathlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from packing import unpack
from samples import DT, Sample, is_float
from samples_array import FAMILIES as ARRAY_FAMILIES
from samples_math import FAMILIES as MATH_FAMILIES
from samples_nn import FAMILIES as NN_FAMILIES

from msjax.core import dtype as dtypes
from msjax.core.autodiff.grad import GradOperation
from msjax.core.tensor.tensor import Tensor

FAMILIES = ARRAY_FAMILIES | NN_FAMILIES | MATH_FAMILIES
GOLDENS = pathlib.Path(__file__).parent.parent / "goldens"

MODULES = """
    nn.activation_piecewise nn.activation_smooth nn.loss nn.loss_margin nn.convolution nn.conv_input_grad nn.linear
    nn.pooling nn.adaptive_pooling nn.normalization nn.rms_lrn_norm nn.embeddings nn.attention math.clipping
    math.arithmetic math.fused_arithmetic math.elementary math.trigonometric math.rounding math.comparison
    math.bitwise reduction.reduction reduction.min_max reduction.cumulative array.shapes array.joining primitives.nn
    array.flip_roll array.padding array.gathering array.scattering array.nonzero_unique array.sorting array.creation
    linalg.products linalg.addmm array.triangles_diagonals reduction.norms math.complex_numbers math.casts
    array.band_matrices math.bessel primitive_impl.math linalg.decompositions linalg.determinants math.floating_point
    signal.stft_windows linalg.solving math.special signal.fft reduction.statistics primitives.linalg
""".split()
ERRORS = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "RuntimeError": RuntimeError,
    "AttributeError": TypeError,
}
CHUNK = 40  # samples in a program
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
        found |= unpack(path)
    return {name: {"outputs": [], "grads": []} | entry for name, entry in found.items()}


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


def check(sample: Sample) -> None:
    """Compare one sample with its golden, in eager code: values, and gradients of those in :data:`RECORDED`."""
    golden = GOLDEN[sample.id]
    call, floats = call_of(sample)
    tensors = [Tensor(a) for a in floats]
    if "error" in golden:
        expected = sample.fails if isinstance(sample.fails, str) else golden["error"]
        with pytest.raises(ERRORS[expected]) as caught:
            call(*tensors)
        assert sample.op.lower() in str(caught.value).lower(), "the message names the operator"
        assert "Received" in str(caught.value), "the message says what it received"
        return
    outputs = [o.asnumpy() for o in leaves(call(*tensors))]
    assert len(outputs) == len(golden["outputs"])
    for i, (got, expected) in enumerate(zip(outputs, golden["outputs"], strict=True)):
        compare(sample, f"output {i}", got, expected)
    if not golden["grads"] or sample.id not in RECORDED:
        return

    def ends(*given: Tensor) -> Any:
        return tuple(o for o in leaves(call(*given)) if o.dtype.is_floating_point)

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


def one_each(name: str, keep: Callable[[Sample], bool] = lambda sample: True, most: int = 2) -> list[Sample]:
    """The samples that show each operator's program: those with most arguments."""
    by_op: dict[str, list[Sample]] = {}
    for sample in FAMILIES[name]:
        if "error" not in GOLDEN[sample.id] and keep(sample):
            by_op.setdefault(sample.op, []).append(sample)
    return [
        s
        for group in by_op.values()
        for s in sorted(group, key=lambda s: -len(s.args) - len(s.kwargs))[:most]
    ]


# Whose gradients are also computed by the tape, operator by operator; those of all are computed in compiled programs.
RECORDED = {s.id for name in FAMILIES for s in one_each(name)}


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


def golden_tests(name: str) -> tuple[Callable, ...]:
    """The tests of a family, for its test file to take in."""
    import together

    def of(samples: list[Sample], less: Any = ()) -> Callable:
        some = [s for s in samples if s.op not in less]
        parts = [pytest.param(some[at : at + CHUNK], id=str(at)) for at in range(0, len(some), CHUNK)]
        return pytest.mark.parametrize("samples", parts)

    works = [s for s in FAMILIES[name] if "error" not in GOLDEN[s.id]]

    @pytest.mark.parametrize("sample", family(name))
    def test_golden(sample: Sample) -> None:
        with jax.numpy_dtype_promotion("strict"):
            check(sample)

    @of(works, together.SHAPES_OF_VALUES)
    def test_golden_under_jit(samples: list[Sample]) -> None:
        together.one_by_one(together.compiled_and_mapped, samples)

    @of(one_each(name, is_smooth))
    def test_second_order(samples: list[Sample]) -> None:
        together.one_by_one(together.second_order, samples)

    @of(one_each(name), together.SHAPES_OF_VALUES)
    def test_lowers_for_accelerators(samples: list[Sample]) -> None:
        together.one_by_one(together.lowers, samples)

    return test_golden, test_golden_under_jit, test_second_order, test_lowers_for_accelerators
