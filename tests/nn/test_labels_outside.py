"""Labels that are no class: `SoftmaxCrossEntropyWithLogits` and the operators behind it, as MindSpore 2.10 has them."""

import numpy as np
import pytest

import msjax as ms

SCORES = ms.Tensor([[1.0, 2.0, 3.0], [0.5, 0.1, -1.0]])
SOFTMAX = np.array([0.09003, 0.24473, 0.66524], np.float32)


def labels(first):
    return ms.Tensor(np.array([first, 1], np.int32))


@pytest.mark.parametrize("first", [-1, 5])
@pytest.mark.parametrize("compiled", [False, True])
def test_without_a_mean_they_count_as_no_class(first, compiled):
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="none")
    run = ms.jit(loss) if compiled else loss
    np.testing.assert_allclose(run(SCORES, labels(first)).asnumpy(), [0, 1.0384], 1e-4, 1e-6)
    gradient = ms.grad(lambda x: loss(x, labels(first)).sum())
    gradient = ms.jit(gradient) if compiled else gradient
    np.testing.assert_allclose(gradient(SCORES).asnumpy()[0], SOFTMAX, 1e-4)
    assert gradient(SCORES).dtype == ms.float32


@pytest.mark.parametrize("first", [-1, 5])
@pytest.mark.parametrize(
    "loss",
    [
        ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        ms.ops.SparseSoftmaxCrossEntropyWithLogits(),
        ms.ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True),
        lambda x, y: ms.ops.NLLLoss("none")(x, y, ms.Tensor([1.0, 1.0, 1.0])),
    ],
    ids=["mean", "operator", "gradient", "NLLLoss"],
)
def test_with_a_mean_they_are_refused(loss, first):
    with pytest.raises(ValueError, match=r"`labels` must hold positions in \[0, 3\)"):
        loss(SCORES, labels(first))


def test_the_ignored_label_is_accepted():
    loss, _ = ms.ops.NLLLoss("none", ignore_index=-1)(SCORES, labels(-1), ms.Tensor([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(loss.asnumpy(), [0, -0.1], 1e-6)
