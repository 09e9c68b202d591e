"""Losses: every line of the table of samples, in every way of running it (see `golden.py`)."""

import numpy as np
from golden import golden_tests

import msjax as ms
from msjax import Tensor, nn, ops

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("loss")


def test_cross_entropy_of_labels_that_do_not_sum_to_one_has_mindspores_gradient():
    """softmax - labels, as MindSpore 2.10 gives it for the same numbers."""
    logits, labels = Tensor([[2.0, 2.0], [0.0, 1.0]]), Tensor([[1.0, 1.0], [0.2, 0.3]])
    found = ms.grad(lambda x: ops.SoftmaxCrossEntropyWithLogits()(x, labels)[0].sum())(logits)
    expected = ops.softmax(logits, -1).asnumpy() - labels.asnumpy()
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)
    loss = nn.SoftmaxCrossEntropyWithLogits()
    np.testing.assert_allclose(
        ms.grad(lambda x: loss(x, labels).sum())(logits).asnumpy(), expected, rtol=1e-6
    )
