"""Mathematical operators against the goldens of `samples_math.py`.

There are many of them, so that all samples of one operator, with their gradients, make one program.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from golden import ERRORS, GOLDEN, as_pure, call_of, compare, is_smooth, leaves
from samples import Sample, is_float
from samples_math import FAMILIES

from msjax.core.tensor import Tensor
from tests.lowered import float64_in

BY_OP: dict[str, list[Sample]] = {}
for sample in [s for family in FAMILIES.values() for s in family]:
    BY_OP.setdefault(sample.op, []).append(sample)
FAMILY_OF = {s.op: name for name, family in FAMILIES.items() for s in family}
NOT_ON_TPU = {"MatrixLogarithm"}  # eigenvalues of matrices that are not symmetric
SINGULAR_VALUES = {"svd", "pinv", "lstsq", "MatrixSolveLs", "matrix_norm", "NuclearNorm", "cond"}
# Their third derivatives take XLA seconds to compile; the Bessel functions' derivatives are those of their neighbours.
SLOW = {"matrix_exp", *[f"bessel_{name}" for name in "i0e i1e j0 k0 k1 k1e y0".split()]}
NOT_TRACED = {
    "bartlett_window",
    "blackman_window",
    "HammingWindow",
}  # a Tensor gives the length of the result


def working(op: str) -> list[Sample]:
    return [s for s in BY_OP[op] if "error" not in GOLDEN[s.id]]


def program(sample: Sample) -> tuple[Callable, list[jax.Array]]:
    """The sample's outputs and, where the oracle has them, its gradients, as a function of its float inputs."""
    call, floats = call_of(sample)
    golden = GOLDEN[sample.id]

    def run(*given: jax.Array) -> tuple[list[jax.Array], list[jax.Array]]:
        def outputs(*given: jax.Array) -> list[jax.Array]:
            return [o.array for o in leaves(call(*map(Tensor.from_array, given))) if o is not None]

        if not golden["grads"]:
            return outputs(*given), []
        out, pull = jax.vjp(outputs, *given)
        sens = [np.asarray(sample.cotangent(np.empty(o.shape, o.dtype))) for o in golden["outputs"]]
        zero = [np.zeros(o.shape, jax.dtypes.float0) for o in out]
        return out, list(pull([s if is_float(s) else n for s, n in zip(sens, zero, strict=True)]))

    return run, [jnp.asarray(a) for a in floats]


def of_all(samples: list[Sample], make: Callable = program) -> tuple[Callable, list[list[jax.Array]]]:
    made = [make(s) for s in samples]
    return lambda inputs: [run(*given) for (run, _), given in zip(made, inputs, strict=True)], [
        i for _, i in made
    ]


@pytest.mark.parametrize("op", [op for op in BY_OP if op not in NOT_TRACED])
def test_compiled(op: str) -> None:
    """Values, dtypes, shapes and gradients of all samples of an operator."""
    samples = working(op)
    run, inputs = of_all(samples)
    with jax.numpy_dtype_promotion("strict"):
        found = jax.jit(run)(inputs)
    for sample, (outputs, grads) in zip(samples, found, strict=True):
        golden = GOLDEN[sample.id]
        for what in ("outputs", "grads"):
            got = outputs if what == "outputs" else grads
            assert len(got) == len(golden[what]), sample.id
            for i, (one, expected) in enumerate(zip(got, golden[what], strict=True)):
                compare(sample, f"{sample.id}: {what} {i}", np.asarray(one), expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_eager(family: str) -> None:
    """The first sample of every operator, called as a user does; and those that are to raise."""
    for op in [op for op in BY_OP if FAMILY_OF[op] == family]:
        for sample in working(op)[: None if op in NOT_TRACED else 1]:
            call, floats = call_of(sample)
            outputs = [o.asnumpy() for o in leaves(call(*map(Tensor, floats))) if o is not None]
            for i, (got, expected) in enumerate(zip(outputs, GOLDEN[sample.id]["outputs"], strict=True)):
                compare(sample, f"{sample.id}: output {i}", got, expected)
        for sample in BY_OP[op]:
            if sample in working(op):
                continue
            call, floats = call_of(sample)
            with pytest.raises(ERRORS[GOLDEN[sample.id]["error"]]) as caught:
                call(*map(Tensor, floats))
            message = str(caught.value)
            assert sample.op.lower() in message.lower(), (
                f"{sample.id}: the message names the operator: {message}"
            )
            assert "Received" in message, f"{sample.id}: the message says what it received: {message}"


def smooth(op: str) -> list[Sample]:
    return [s for s in working(op) if op not in SLOW and GOLDEN[s.id]["grads"] and is_smooth(s)][:1]


@pytest.mark.parametrize("family", FAMILIES)
def test_second_order(family: str) -> None:
    """Hessian-vector products in float64 against differences of gradients, in one program for the family."""
    samples = [s for op in BY_OP if FAMILY_OF[op] == family for s in smooth(op)]
    if not samples:
        pytest.skip("no smooth operator")

    def twice(sample: Sample) -> tuple[Callable, list[jax.Array]]:
        pure, arrays = as_pure(sample, jnp.float64)
        rng = np.random.RandomState(1)
        moving = [bool(np.any(g)) for g in GOLDEN[sample.id]["grads"]]
        along = [rng.standard_normal(a.shape) * m for a, m in zip(arrays, moving, strict=True)]
        weights = [rng.standard_normal(o.shape) for o in GOLDEN[sample.id]["outputs"] if is_float(o)]

        def total(*given: jax.Array) -> jax.Array:
            return sum(jnp.sum(w * o) for w, o in zip(weights, pure(*given), strict=True))

        def slope(*given: jax.Array) -> Any:
            grads = jax.grad(total, tuple(range(len(given))))(*given)
            return sum(jnp.sum(g * v) for g, v in zip(grads, along, strict=True))

        def run(*given: jax.Array) -> list[jax.Array]:
            def difference(fn: Callable) -> jax.Array:
                ends = jax.lax.map(
                    lambda step: fn(*[a + step * v for a, v in zip(given, along, strict=True)]),
                    jnp.asarray([-1e-5, 1e-5]),
                )
                return (ends[1] - ends[0]) / 2e-5

            turned = jax.grad(slope, tuple(range(len(given))))(*given)
            exact = sum(jnp.sum(g * v) for g, v in zip(turned, along, strict=True))
            return [slope(*given), difference(total), exact, difference(slope)]

        return run, arrays

    run, inputs = of_all(samples, twice)
    for sample, (slope, first, exact, second) in zip(samples, jax.jit(run)(inputs), strict=True):
        np.testing.assert_allclose(slope, first, rtol=1e-4, atol=1e-5, err_msg=f"{sample.id}: first order")
        np.testing.assert_allclose(exact, second, rtol=1e-4, atol=1e-5, err_msg=f"{sample.id}: second order")


@pytest.mark.parametrize("family", FAMILIES)
def test_lowers_for_accelerators(family: str) -> None:
    """Forward and backward lower for CUDA and TPU, without a float64 in sight."""
    ops = [op for op in BY_OP if FAMILY_OF[op] == family and op not in NOT_ON_TPU | NOT_TRACED]
    narrow = {
        op: [s for s in working(op) if all(a.dtype.itemsize < 8 for a in _float_arrays(s))][:1] for op in ops
    }
    # XLA's program of singular values for TPU counts in float64 itself.
    for group, strict in (set(ops) - SINGULAR_VALUES, True), (set(ops) & SINGULAR_VALUES, False):
        run, inputs = of_all([s for op in ops if op in group for s in narrow[op]])
        exported = jax.export.export(jax.jit(run), platforms=("cuda", "tpu"))(inputs)
        if strict:
            assert not float64_in(exported.mlir_module()), "float64 in the program of narrower operators"


def _float_arrays(sample: Sample) -> list[np.ndarray]:
    golden = GOLDEN[sample.id]
    given = [a for a in leaves(list(sample.inputs())) if is_float(a)]
    return [a for a in [*given, *golden["outputs"]] if is_float(a)]
