"""Values, gradients and refusals at singular places, as PyTorch 2.13 gives them."""

import json
from pathlib import Path

import numpy as np
import pytest

from msjax import torch
from tests.goldens import singular_cases

NAN, INF = float("nan"), float("inf")

# function, arguments, values, gradients
CASES = [
    (torch.xlogy, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0, 0, -INF], [0, 0, -INF], [NAN, 0, INF]),
    (torch.xlogy, [0.0, 0.0, 0.0, 2.0], [2.0, NAN, -1.0, INF], [0, NAN, 0, INF], [np.log(2), NAN, 0, INF],
     [0, NAN, -0.0, 0]),
    (torch.special.xlog1py, [0.0, 0.0, 1.0, 0.0], [2.0, -1.0, -1.0, -2.0], [0, 0, -INF, 0], [np.log(3), 0, -INF, 0],
     [0, NAN, INF, -0.0]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "x", "y", "values", "by_x", "by_y"), CASES)
def test_products_of_logarithms(function, x, y, values, by_x, by_y):
    a, b = torch.tensor(x, requires_grad=True), torch.tensor(y, requires_grad=True)
    out = function(a, b)
    out.sum().backward()
    for found, expected in ((out.detach(), values), (a.grad, by_x), (b.grad, by_y)):
        np.testing.assert_allclose(found.numpy(), np.array(expected, np.float32), rtol=1e-6)


GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "singular.json").read_text())


@pytest.fixture(scope="module")
def outcomes():
    return singular_cases.outcomes(torch)


@pytest.mark.parametrize("case", GOLDENS)
def test_as_recorded(case, outcomes):
    for found, expected in zip(outcomes[case], GOLDENS[case], strict=True):
        np.testing.assert_allclose(found, expected, rtol=3e-4, atol=1e-5)


def test_forward_derivatives_are_the_same():
    x = torch.tensor([0.0, 1.0])
    _, moved = torch.func.jvp(lambda base: torch.pow(base, torch.tensor([0.0, 2.0])), (x,), (torch.ones(2),))
    assert moved.tolist() == [0, 2]
    twice = torch.func.grad(lambda a: torch.func.grad(lambda b: torch.atan2(b, b * 0 + 2.0))(a))
    assert twice(torch.tensor(1.0)).item() == pytest.approx(-4 / 25)


def test_numbers_and_methods():
    x = torch.tensor([0, 3])
    assert torch.xlogy(x, 2.0).dtype == torch.float32
    np.testing.assert_allclose(torch.xlogy(2, x).numpy(), [-INF, 2 * np.log(3)], rtol=1e-6)
    assert x.float().xlogy(x).shape == (2,)
    assert torch.zeros(2).xlogy_(torch.zeros(2)).tolist() == [0, 0]
    assert not hasattr(torch, "xlog1py")


def test_several_tensors():
    one, two = torch.ones(()), torch.ones(2)
    assert [tuple(t.shape) for t in torch.atleast_2d(one, two)] == [(1, 1), (1, 2)]
    assert [tuple(t.shape) for t in torch.atleast_1d([one, two])] == [(1,), (2,)]
    assert torch.atleast_3d(two).shape == (1, 2, 1)
    assert type(torch.broadcast_tensors(one, two)) is tuple


@pytest.mark.parametrize("train", [True, False])
def test_one_element_has_no_variance(train):
    norm = torch.nn.InstanceNorm1d(2).train(train)
    with pytest.raises(ValueError, match="more than 1 spatial element"):
        norm(torch.ones(1, 2, 1))
    tracked = torch.nn.InstanceNorm2d(2, track_running_stats=True).eval()
    assert tracked(torch.ones(1, 2, 1, 1)).shape == (1, 2, 1, 1)
