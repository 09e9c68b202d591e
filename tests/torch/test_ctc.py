"""`ctc_loss` with the labels of all sequences in one, and of one sequence alone; numbers of PyTorch 2.13."""

import numpy as np
import pytest

from msjax import torch
from msjax.torch.nn import functional as F

LABELS = [1, 2, 3, 4, 1]
WANTED = {"mean": [2.4990516], "sum": [12.070571], "none": [6.223092, 5.847479]}


def scores():
    drawn = np.random.RandomState(0).standard_normal((6, 2, 5)).astype("float32")
    return torch.tensor(drawn).log_softmax(-1).requires_grad_()


@pytest.mark.parametrize("reduction", WANTED)
@pytest.mark.parametrize("lengths", [((6, 5), (3, 2)), (torch.tensor([6, 5]), torch.tensor([3, 2]))])
def test_labels_in_one(reduction, lengths):
    x = scores()
    loss = F.ctc_loss(x, torch.tensor(LABELS), *lengths, reduction=reduction)
    np.testing.assert_allclose(np.ravel(loss.detach().numpy()), WANTED[reduction], rtol=1e-5)
    (gradient,) = torch.autograd.grad(loss.sum(), x)
    rows = torch.tensor([LABELS[:3], [*LABELS[3:], 0]])
    same = F.ctc_loss(x, rows, *lengths, reduction=reduction)
    (wanted,) = torch.autograd.grad(same.sum(), x)
    torch.testing.assert_close(gradient, wanted)


def test_one_sequence():
    loss = F.ctc_loss(scores()[:, 0], torch.tensor(LABELS[:3]), torch.tensor(6), torch.tensor(3))
    assert loss.shape == ()
    assert loss.item() == pytest.approx(2.074364, rel=1e-5)


def test_labels_that_are_too_few_are_refused():
    with pytest.raises(RuntimeError, match="targets"):
        F.ctc_loss(scores(), torch.tensor(LABELS[:4]), (6, 5), (3, 2))
