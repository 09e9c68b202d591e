"""mint against PyTorch: values, dtypes, shapes, gradients and exceptions (see tests/goldens/samples_mint.py)."""

import jax
import numpy as np
import pytest
from golden_mint import GOLDEN, TOLERANCE, chunks, differences, failing, forward_and_back, of_floats

from tests.lowered import float64_in

COMPILED = ["elementwise", "reductions", "arrays", "products", "special", "neural", "resizing"]


@pytest.mark.parametrize(
    "samples", [pytest.param(c, id=f"{name}{k}") for name in COMPILED for k, c in enumerate(chunks(name))]
)
def test_compiled(samples):
    """Forward and backward of many samples as one program, in strict promotion."""
    inputs = [of_floats(sample)[1] for sample in samples]

    def all_of(given):
        return [forward_and_back(sample, arrays) for sample, arrays in zip(samples, given, strict=True)]

    with jax.numpy_dtype_promotion("strict"):
        results = jax.jit(all_of)(inputs)
    wrong = [line for sample, got in zip(samples, results, strict=True) for line in differences(sample, got)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", COMPILED)
def test_eager_and_mapped(name):
    """The first sample of every function with float inputs: two lanes of one program are two eager calls."""
    first = {s.op: s for chunk in reversed(chunks(name)) for s in reversed(chunk) if of_floats(s)[1]}
    calls = [of_floats(sample) for sample in first.values()]
    lanes = [[[np.asarray(scale * a, a.dtype) for a in arrays] for _, arrays in calls] for scale in (1, 0.75)]

    def all_of(inputs):
        return [call(*given) for (call, _), given in zip(calls, inputs, strict=True)]

    eager = [all_of(jax.tree.map(jax.numpy.asarray, lane)) for lane in lanes]
    mapped = jax.jit(jax.vmap(all_of))(jax.tree.map(lambda a, b: np.stack([a, b]), *lanes))
    for sample, one, other, both in zip(first.values(), *eager, mapped, strict=True):
        for a, b, found in zip(one, other, both, strict=True):
            assert found.dtype == a.dtype, sample.id
            tol = sample.tol or TOLERANCE.get(a.dtype.name, 0)
            np.testing.assert_allclose(found, np.stack([a, b]), tol, tol, err_msg=sample.id)


def narrow(sample):
    """Whether no float64 is meant to be in the sample's program."""
    arrays = [*of_floats(sample)[1], *GOLDEN[sample.id]["outputs"]]
    return all(a.dtype != np.float64 for a in arrays) and "float64" not in sample.id


@pytest.mark.parametrize("name", COMPILED)
def test_lowers_for_accelerators(name):
    """Forward and backward lower for CUDA and TPU, without a float64 in sight."""
    samples = [sample for chunk in chunks(name) for sample in chunk if narrow(sample)]
    inputs = [of_floats(sample)[1] for sample in samples]

    def all_of(given):
        return [forward_and_back(sample, arrays) for sample, arrays in zip(samples, given, strict=True)]

    program = jax.export.export(jax.jit(all_of), platforms=("cuda", "tpu"))(inputs).mlir_module()
    assert not float64_in(program), "float64 in the program of narrower operators"


@pytest.mark.parametrize("sample", chunks("eager")[0], ids=lambda sample: sample.id)
def test_shapes_that_depend_on_values(sample):
    call, floats = of_floats(sample)
    wrong = list(differences(sample, (call(*floats), [])))
    assert not wrong, wrong[0]


@pytest.mark.parametrize("sample", failing(), ids=lambda sample: sample.id)
def test_wrong_input(sample):
    call, floats = of_floats(sample)
    with pytest.raises((ValueError, TypeError, RuntimeError, IndexError)) as caught:
        call(*floats)
    # Of exceptions of several kinds, the first of Python's.
    kind = next(kind for kind in caught.type.__mro__ if kind.__module__ == "builtins")
    assert kind.__name__ == sample.fails or sample.fails is True
    assert "Received" in str(caught.value)
