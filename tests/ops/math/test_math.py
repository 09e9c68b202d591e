"""Mathematical operators against the goldens of `samples_math.py`: every line of the table, in every way of running it.

There are many of them, so that they are run in compiled programs of many samples, and eagerly one for each operator.
"""

import jax
import pytest
from golden import CHUNK, ERRORS, GOLDEN, call_of, compare, is_smooth, leaves, one_each
from samples import Sample
from samples_math import FAMILIES
from together import SHAPES_OF_VALUES, compiled_and_mapped, lowers, one_by_one, second_order

from msjax.core.tensor.tensor import Tensor

WORKING = {name: [s for s in family if "error" not in GOLDEN[s.id]] for name, family in FAMILIES.items()}
CHUNKS = [
    pytest.param(some[at : at + CHUNK], id=f"{name} {at}")
    for name, samples in WORKING.items()
    for some in [[s for s in samples if s.op not in SHAPES_OF_VALUES]]
    for at in range(0, len(some), CHUNK)
]
# Third derivatives that take XLA seconds to compile.
SLOW = {"matrix_exp"}
IN_SINGLE = {"trapz"}  # float64 comes back as float32, as in MindSpore: too rough for differences


@pytest.mark.parametrize("samples", CHUNKS)
def test_compiled_and_mapped(samples: list[Sample]) -> None:
    with jax.numpy_dtype_promotion("strict"):
        one_by_one(compiled_and_mapped, samples)


@pytest.mark.parametrize("family", FAMILIES)
def test_eager(family: str) -> None:
    """The first sample of every operator, and those that cannot be compiled, called as a user does."""
    seen = set()
    for sample in WORKING[family]:
        if sample.op in seen and sample.op not in SHAPES_OF_VALUES:
            continue
        seen.add(sample.op)
        call, floats = call_of(sample)
        outputs = [o.asnumpy() for o in leaves(call(*map(Tensor, floats))) if o is not None]
        for i, (got, expected) in enumerate(zip(outputs, GOLDEN[sample.id]["outputs"], strict=True)):
            compare(sample, f"{sample.id}: output {i}", got, expected)


@pytest.mark.parametrize(
    "sample", [pytest.param(s, id=s.id) for f in FAMILIES.values() for s in f if "error" in GOLDEN[s.id]]
)
def test_raises(sample: Sample) -> None:
    call, floats = call_of(sample)
    with pytest.raises(ERRORS[GOLDEN[sample.id]["error"]]) as caught:
        call(*map(Tensor, floats))
    message = str(caught.value)
    assert sample.op.lower() in message.lower(), "the message names the operator"
    assert "Received" in message, "the message says what it received"


@pytest.mark.parametrize("family", FAMILIES)
def test_second_order(family: str) -> None:
    one_by_one(
        second_order, one_each(family, lambda s: is_smooth(s) and s.op not in {*SLOW, *IN_SINGLE}, most=1)
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_lowers_for_accelerators(family: str) -> None:
    one_by_one(lowers, [s for s in one_each(family, most=1) if s.op not in SHAPES_OF_VALUES])
