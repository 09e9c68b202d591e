"""Keywords of earlier MindSpore versions."""

import importlib
import inspect

import numpy as np
import pytest

from msjax import ops
from msjax.core.tensor.tensor import Tensor

MODULES = """
    nn.activation_piecewise nn.activation_smooth nn.loss nn.convolution nn.pooling nn.adaptive_pooling nn.dropout
    random.draws random.distributions
""".split()
SPELLED = sorted(
    (name, old, today)
    for module in MODULES
    for name, fn in vars(importlib.import_module(f"msjax.ops.{module}")).items()
    for old, today in getattr(fn, "spellings", {}).items()
)


@pytest.mark.parametrize(("name", "old", "today"), SPELLED)
def test_old_keywords_mean_a_parameter_and_hide_none(name: str, old: str, today: str) -> None:
    parameters = inspect.signature(getattr(ops, name)).parameters
    assert today in parameters
    assert old not in parameters


def test_old_and_new_give_the_same() -> None:
    x, y = Tensor(np.ones((1, 2, 4, 4), np.float32)), Tensor(np.ones((2, 1, 3, 3), np.float32))
    new = ops.conv2d(input=x, weight=y, groups=2)
    np.testing.assert_array_equal(new.asnumpy(), ops.conv2d(inputs=x, weight=y, group=2).asnumpy())
    np.testing.assert_array_equal(ops.softmax(x=x, axis=1).asnumpy(), ops.softmax(x, axis=1).asnumpy())
    loss = ops.smooth_l1_loss(logits=x, labels=2 * x, reduction="mean")
    np.testing.assert_array_equal(loss.asnumpy(), 0.5)


def test_both_spellings_at_once() -> None:
    with pytest.raises(TypeError, match="`x` and `input` are the same"):
        ops.relu(Tensor([1.0]), x=Tensor([1.0]), input=Tensor([1.0]))
