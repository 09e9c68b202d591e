"""Distributions against mathematics, where PyTorch's own numbers do not follow it; its others are in test_torch.py."""

import math

import pytest

from msjax import torch
from msjax.torch import distributions as D


def test_correlations_of_lkj_are_alike():
    torch.manual_seed(3)
    root = D.LKJCholesky(3, 2.0).sample((20000,))
    correlations = root @ root.mT
    for i, j in ((0, 1), (0, 2), (1, 2)):  # each is a Beta(2.5, 2.5) number between -1 and 1
        assert correlations[:, i, j].var().item() == pytest.approx(1 / 6, abs=0.01)


@pytest.mark.parametrize(("a", "b"), [(1.5, 2.0), (2.5, 3.0)])
def test_mode_of_kumaraswamy(a, b):
    d = D.Kumaraswamy(a, b)
    at = d.mode.item()
    assert d.log_prob(torch.tensor(at)) > d.log_prob(torch.tensor([at - 0.05, at + 0.05])).max()


def test_narrow_von_mises():
    # I1 / I0 of large numbers is 1 - 1 / (2 k) - 1 / (8 k ** 2)
    k = 700.0
    d = D.VonMises(torch.tensor(0.0), torch.tensor(k))
    assert d.variance.item() == pytest.approx(1 / (2 * k) + 1 / (8 * k * k), rel=1e-3)
    assert d.log_prob(torch.tensor(0.0)).item() == pytest.approx(0.5 * math.log(k / (2 * math.pi)), abs=1e-3)


def test_gradients_through_draws():
    torch.manual_seed(0)
    a = torch.tensor([1.5, 2.5], requires_grad=True)
    b = torch.tensor([0.4, 0.7], requires_grad=True)
    for kind in (D.FisherSnedecor, D.InverseGamma, D.Kumaraswamy, D.Pareto, D.Weibull, D.LogisticNormal):
        slopes = torch.autograd.grad(kind(a, b).rsample((3,)).sum(), [a, b], allow_unused=True)
        unknown = kind is D.LogisticNormal  # shares add up to 1, whatever their parameters
        assert all(slope.isfinite().all() and (unknown or (slope != 0).all()) for slope in slopes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: D.LKJCholesky(1), "dim to be an integer greater than or equal to 2"),
        (lambda: D.Wishart(torch.tensor(1.0), torch.eye(2)), "expected to be greater than ndim - 1 = 1"),
        (lambda: D.Wishart(torch.tensor(4.0)), "Exactly one of"),
        (lambda: D.Weibull(-1.0, 1.0), "to satisfy the constraint"),
        (lambda: D.NegativeBinomial(1.0, 0.5, 0.5), "not both"),
        (lambda: D.ContinuousBernoulli(), "not both"),
        (lambda: D.LowRankMultivariateNormal(torch.ones(3), torch.ones(2, 1), torch.ones(2)), "3 x m"),
        (lambda: D.ReshapeTransform((2,), (3,)), "different numbers of elements"),
        (lambda: D.ReshapeTransform((2,), (1, 2)).forward_shape((3,)), "must end in"),
        (lambda: D.CorrCholeskyTransform().forward_shape((2,)), "lower-diagonal"),
    ],
)  # fmt: skip
def test_refuses(make, message):
    with pytest.raises(ValueError, match=message):
        make()
