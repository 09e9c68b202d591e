"""Elements chosen by value; and what every operator says whose result's shape depends on values."""

import numpy as np
import pytest
from golden import FAMILIES, GOLDEN, golden_tests
from together import HELD, SHAPES_OF_VALUES, of_tensors, stacked

import msjax as ms
from msjax import ops
from msjax.core.autodiff.vmap import vmap
from msjax.core.jit.jit import jit
from msjax.core.state import override_state
from msjax.core.tensor.tensor import Tensor

test_golden, *_ = golden_tests("selecting")


@pytest.mark.parametrize("name", SHAPES_OF_VALUES)
def test_shapes_of_values_are_refused_in_compiled_code(name):
    samples = [s for some in FAMILIES.values() for s in some if s.op == name and "error" not in GOLDEN[s.id]]
    run, arrays = of_tensors(samples[0])
    tensors = [Tensor(a) for a in arrays]
    with pytest.raises(RuntimeError, match="needs the value of a Tensor"), override_state(specializes=False):
        jit(run)(*tensors)
    with pytest.raises(RuntimeError, match="needs the value of a Tensor"):
        vmap(run)(*[stacked(t, t) for t in tensors])


@pytest.mark.parametrize("name", HELD)
def test_an_argument_that_must_be_known_is_named(name):
    x, k = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([0, 1])
    more = {"matrix_diag_part": {"padding_value": 0.0}, "matrix_set_diag": {"diagonal": x}}.get(name, {})
    named = pytest.raises(RuntimeError, match=rf"`{name}\(k=\.\.\.\)` needs the value of a Tensor")
    with named, override_state(specializes=False):
        jit(lambda x, k: getattr(ops, name)(x, k=k, **more))(x, k)


def test_each_nan_is_another_element():
    """As in MindSpore 2.10 (`unique`) and PyTorch 2.13 (`Tensor.unique`, `mint.unique`)."""
    nan = float("nan")
    x = ms.Tensor([1.0, nan, nan, 0.0, 1.0])
    found, places = ms.ops.unique(x)
    np.testing.assert_array_equal(found.asnumpy(), [1, nan, nan, 0])
    assert places.asnumpy().tolist() == [0, 1, 2, 3, 0]
    found, places, counts = x.unique(return_inverse=True, return_counts=True)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(found.asnumpy(), [0, 1, nan, nan])
    assert places.asnumpy().tolist() == [1, 2, 3, 0, 1]
    assert counts.asnumpy().tolist() == [1, 2, 1, 1]
