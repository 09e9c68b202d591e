import pytest
from golden import golden_tests

from msjax.core.jit import jit
from msjax.core.tensor import Tensor
from msjax.ops import selecting

test_golden, *_ = golden_tests("selecting")


@pytest.mark.parametrize("name", ["nonzero", "argwhere", "unique", "unique_consecutive", "bincount"])
def test_refused_under_jit(name):
    with pytest.raises(RuntimeError, match=f"`{name}` needs the value of a Tensor"):
        jit(getattr(selecting, name))(Tensor([1, 0, 1]))
