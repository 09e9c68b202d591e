"""Many samples as one program: what compiles together compiles in a fraction of the time.

Each check here takes a list of samples, makes one program of all of them, and says which of them are wrong.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from golden import FAMILIES, GOLDEN, TOLERANCE, as_pure, leaves, one_each, operator, rebuilt
from samples import DT, Sample, is_float

from msjax.core import dtype as dtypes
from msjax.core.autodiff.grad import GradOperation
from msjax.core.autodiff.vmap import vmap
from msjax.core.jit.jit import jit
from msjax.core.tensor.tensor import Tensor
from tests.lowered import float64_in

Arrays = list[np.ndarray]
Run = Callable[..., tuple[list[Any], list[Any]]]

# The shape of a result depends on the values of a Tensor: such a call cannot be compiled.
SHAPES_OF_VALUES = {
    "nonzero": "one row for each element that is not zero",
    "masked_select": "as many elements as the mask has",
    "unique": "as many elements as differ",
    "unique_consecutive": "as many elements as differ from the one before",
    "bincount": "as many as the greatest element",
    "Bincount": "as many as the second argument says",
    "bartlett_window": "as many as the argument says",
    "blackman_window": "as many as the argument says",
    "HammingWindow": "as many as the argument says",
}
# An argument that may be a Tensor says where things stand in the result: it must be known, the others need not be.
HELD = ("matrix_diag", "matrix_diag_part", "matrix_set_diag")
# What is written to a Tensor must be the same in all lanes.
WRITES = {"batch_norm": "moves the moving statistics that it is given"}
NOT_ON_TPU = {"MatrixLogarithm": "eigenvalues of matrices that are not symmetric"}
# XLA's program for TPU counts in float64 itself.
SINGULAR_VALUES = {"svd", "pinv", "lstsq", "MatrixSolveLs", "matrix_norm", "NuclearNorm", "cond"}


# The sample of each operator that is mapped.
SHOWN = {s.id for name in FAMILIES for s in one_each(name, most=1)}


def of_tensors(sample: Sample) -> tuple[Run, Arrays]:
    """The sample's outputs and its gradients as a function of all its arrays, over Tensors, and those arrays."""
    args, kwargs = sample.inputs()
    held = sample.op in HELD
    arrays = [
        a
        for a in leaves([args, list(kwargs.values())])
        if isinstance(a, np.ndarray) and (is_float(a) or not held)
    ]
    fn = operator(sample.op)

    def call(*tensors: Tensor) -> list[Any]:
        given = iter(tensors)

        def argument(value: Any) -> Any:
            if isinstance(value, DT):
                return getattr(dtypes, value.name)
            if not isinstance(value, np.ndarray):
                return value
            return Tensor(value) if held and not is_float(value) else next(given)

        a, k = rebuilt((args, kwargs), argument)
        return [o for o in leaves((fn if sample.new is None else fn(**sample.new))(*a, **k)) if o is not None]

    def run(*tensors: Tensor) -> tuple[list[Any], list[Any]]:
        outputs = call(*tensors)
        return outputs, _gradients(sample, call, tensors) if GOLDEN[sample.id]["grads"] else []

    return run, arrays


def _gradients(sample: Sample, call: Callable, tensors: Sequence[Tensor]) -> list[Any]:
    """The gradients of the float inputs, of the sample's cotangents."""
    floats = [i for i, t in enumerate(tensors) if _moves(t)]
    sens = tuple(Tensor(sample.cotangent(o)) for o in GOLDEN[sample.id]["outputs"] if is_float(o))

    def ends(*given: Tensor) -> Any:
        of = dict(zip(floats, given, strict=True))
        found = tuple(o for o in call(*[of.get(i, t) for i, t in enumerate(tensors)]) if _moves(o))
        return found[0] if len(found) == 1 else found

    pull = GradOperation(get_all=True, sens_param=True)(ends)
    return list(pull(*[tensors[i] for i in floats], sens[0] if len(sens) == 1 else sens))


def _moves(tensor: Tensor) -> bool:
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def of_all(samples: Sequence[Sample]) -> tuple[Callable, list[list[Tensor]]]:
    """All samples as one function of the lists of their arrays, and those lists."""
    made = [of_tensors(s) for s in samples]

    def run(inputs: list[list[Tensor]]) -> list[Any]:
        return [fn(*given) for (fn, _), given in zip(made, inputs, strict=True)]

    return run, [[Tensor(a) for a in arrays] for _, arrays in made]


def one_by_one(check: Callable[[list[Sample]], Iterator[str]], samples: list[Sample]) -> None:
    """Check all samples together, or one by one if that fails: so it is known which are at fault."""
    try:
        wrong = list(check(samples))
    except Exception:  # noqa: BLE001
        wrong = []
        for sample in samples:
            try:
                wrong += check([sample])
            except Exception as error:  # noqa: BLE001
                wrong.append(f"{sample.id}: {type(error).__name__}: {error}")
        wrong = wrong or ["all are right, but not together"]
    assert not wrong, "\n".join(wrong)


def differences(sample: Sample, what: str, got: Sequence[Any], expected: Sequence[Any]) -> Iterator[str]:
    """How results differ from what they should be: in number, shape, dtype or value."""
    if len(got) != len(expected):
        yield f"{sample.id}: {what}: {len(got)} for {len(expected)}"
        return
    for i, (one, wanted) in enumerate(zip(map(_array, got), map(_array, expected), strict=True)):
        if (one.dtype, one.shape) != (wanted.dtype, wanted.shape):
            yield f"{sample.id}: {what} {i}: {one.dtype}{one.shape} for {wanted.dtype}{wanted.shape}"
            continue
        tol = sample.tol or TOLERANCE.get(wanted.dtype.name, 0)
        if not np.allclose(one, wanted, tol, tol, equal_nan=True):
            yield f"{sample.id}: {what} {i}: {one.tolist()} for {wanted.tolist()}"


def _array(value: Any) -> np.ndarray:
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


# ---------------------------------------------------------------------- compiled, and mapped


def compiled_and_mapped(samples: list[Sample]) -> Iterator[str]:
    """Results and gradients under `ms.jit` are those of the goldens; lanes of `vmap` are what is computed alone."""
    run, inputs = of_all(samples)
    others = [[_other(t) for t in given] for given in inputs]
    alone = jit(run)
    once, again = alone(inputs), alone(others)
    for sample, found in zip(samples, once, strict=True):
        for what, got in zip(("outputs", "grads"), found, strict=True):
            yield from differences(sample, what, got, GOLDEN[sample.id][what])

    lanes = [i for i, s in enumerate(samples) if s.id in SHOWN and inputs[i] and s.op not in WRITES]
    if not lanes:
        return
    some, _ = of_all([samples[i] for i in lanes])
    both = [[stacked(a, b) for a, b in zip(inputs[i], others[i], strict=True)] for i in lanes]
    for i, found in zip(lanes, vmap(some)(both), strict=True):
        for lane, expected in enumerate((once[i], again[i])):
            for what, got, wanted in zip(("outputs", "grads"), found, expected, strict=True):
                yield from differences(samples[i], f"lane {lane}: {what}", [g[lane] for g in got], wanted)


def _other(tensor: Tensor) -> Tensor:
    """Another input of the same kind: what was sorted, positive, small or definite remains so."""
    return tensor * 0.75 if _moves(tensor) else tensor


def stacked(one: Tensor, other: Tensor) -> Tensor:
    return Tensor(np.stack([one.asnumpy(), other.asnumpy()]))


# ---------------------------------------------------------------------- derivatives


def second_order(samples: list[Sample]) -> Iterator[str]:
    """Slopes and curvatures along random directions, in float64, against differences."""
    made = [_along_a_line(s) for s in samples]

    def run(inputs: list[list[jax.Array]]) -> list[Any]:
        return [fn(*given) for (fn, _), given in zip(made, inputs, strict=True)]

    for sample, found in zip(samples, jax.jit(run)([given for _, given in made]), strict=True):
        slope, first, curvature, second = map(float, found)
        for what, exact, rough in (("first", slope, first), ("second", curvature, second)):
            if not np.isclose(exact, rough, rtol=1e-4, atol=1e-5):
                yield f"{sample.id}: {what} order: {exact} for {rough}"


def _along_a_line(sample: Sample) -> tuple[Callable, list[jax.Array]]:
    """(slope, its difference, curvature, its difference) of a weighted sum of the outputs.

    Inputs that the oracle gives no gradient (labels, weights of some losses) are held.
    """
    pure, arrays = as_pure(sample, jnp.float64)
    rng = np.random.RandomState(1)
    moving = [bool(np.any(g)) for g in GOLDEN[sample.id]["grads"]]
    along = [rng.standard_normal(a.shape) * m for a, m in zip(arrays, moving, strict=True)]
    weights = [rng.standard_normal(o.shape) for o in GOLDEN[sample.id]["outputs"] if is_float(o)]

    def total(*given: jax.Array) -> jax.Array:
        return jnp.stack([(w * o).sum() for w, o in zip(weights, pure(*given), strict=True)]).sum()

    def value_and_slope(fn: Callable, *given: jax.Array) -> tuple[jax.Array, jax.Array]:
        value, gradients = jax.value_and_grad(fn, tuple(range(len(given))))(*given)
        return value, jnp.stack([(g * v).sum() for g, v in zip(gradients, along, strict=True)]).sum()

    def slope(*given: jax.Array) -> jax.Array:
        return value_and_slope(total, *given)[1]

    def run(*given: jax.Array) -> list[jax.Array]:
        # One loop for all three points: its body, most of what XLA has to compile here, is compiled once.
        values, slopes = jax.lax.map(
            lambda step: value_and_slope(total, *[a + step * v for a, v in zip(given, along, strict=True)]),
            jnp.asarray([-1e-5, 0.0, 1e-5]),
        )
        _, curvature = value_and_slope(slope, *given)
        return [slopes[1], (values[2] - values[0]) / 2e-5, curvature, (slopes[2] - slopes[0]) / 2e-5]

    return run, arrays


# ---------------------------------------------------------------------- other devices, other dtypes


def lowers(samples: list[Sample]) -> Iterator[str]:
    """Forward and backward lower for CUDA and TPU, and programs of narrower types without a float64 in sight."""
    for run, arrays, group in _pure_programs(samples):
        text = jax.export.export(jax.jit(run), platforms=("cuda", "tpu"))(arrays).mlir_module()
        if group and float64_in(text):
            yield f"{[s.id for s in group]}: float64 in the program: {float64_in(text)[0]}"


def compiles(samples: list[Sample], device: Any) -> Iterator[str]:
    """Forward and backward compile for a device, and programs of narrower types compute without float64."""
    place = jax.sharding.NamedSharding(jax.sharding.Mesh(np.array([device]), ("d",)), jax.P())
    for run, arrays, group in _pure_programs(samples):
        given = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=place), arrays)
        text = jax.jit(run, out_shardings=place).lower(given).compile().as_text()
        if group and "f64[" in text:
            yield f"{[s.id for s in group]}: float64 in the program"


def _pure_programs(samples: list[Sample]) -> Iterator[tuple[Callable, list[Arrays], list[Sample]]]:
    """Programs of what has no float64 and of the rest, as (function, its arguments, the samples without float64 in it)."""
    for wide in (False, True):
        group = [
            s for s in samples if s.op not in NOT_ON_TPU and wide == (s.op in SINGULAR_VALUES or is_wide(s))
        ]
        made = [of_tensors(s) for s in group]

        def run(inputs: list[list[jax.Array]], made: list = made) -> list[Any]:
            return [
                [[o.array for o in some] for some in fn(*map(Tensor.from_array, given))]
                for (fn, _), given in zip(made, inputs, strict=True)
            ]

        if group:
            yield run, [a for _, a in made], [] if wide else group


def is_wide(sample: Sample) -> bool:
    """Whether a sample has float64 or complex128 in it."""
    arrays = [*leaves(list(sample.inputs())), *GOLDEN[sample.id]["outputs"]]
    return any(a.dtype in (np.float64, np.complex128) for a in arrays if is_float(a))


def bfloat16(samples: list[Sample]) -> Iterator[str]:
    """Bfloat16 is taken and given back, and no more is lost than its eight bits."""
    exact = [as_pure(s) for s in samples]
    rough = [as_pure(s, ml_dtypes.bfloat16) for s in samples]
    given = [[np.asarray(a).astype(ml_dtypes.bfloat16) for a in arrays] for _, arrays in exact]

    @jax.jit
    def run(inputs: list[Arrays]) -> list[Any]:
        return [
            (fn(*some), whole(*[a.astype(jnp.float32) for a in some]))
            for (fn, _), (whole, _), some in zip(rough, exact, inputs, strict=True)
        ]

    for sample, found in zip(samples, run(given), strict=True):
        for got, wanted in zip(*found, strict=True):
            scale = max(np.abs(wanted).max(), 1e-2)
            if got.dtype not in (ml_dtypes.bfloat16, np.float32):
                yield f"{sample.id}: {got.dtype}"
            elif not np.allclose(np.asarray(got, np.float32), wanted, rtol=0.03, atol=0.03 * scale):
                yield f"{sample.id}: {got} for {wanted}"
