"""Divergences of distributions of different kinds: against their definition, by numerical integration."""

import math

import pytest

from msjax import torch
from msjax.torch import distributions as D


def double(*values):
    return [torch.tensor(value, dtype=torch.float64) for value in values]


KINDS = {
    "Beta": lambda: D.Beta(*double(2.0, 1.5)),
    "ContinuousBernoulli": lambda: D.ContinuousBernoulli(*double(0.3)),
    "Exponential": lambda: D.Exponential(*double(1.3)),
    "Gamma": lambda: D.Gamma(*double(2.0, 1.5)),
    "Gumbel": lambda: D.Gumbel(*double(0.5, 1.2)),
    "Laplace": lambda: D.Laplace(*double(0.2, 0.7)),
    "Normal": lambda: D.Normal(*double(0.4, 1.1)),
    "Pareto": lambda: D.Pareto(*double(0.5, 6.0)),
    "Uniform": lambda: D.Uniform(*double(0.1, 0.8)),
}
FINITE = [
    *[(kind, "Normal") for kind in KINDS if kind != "Normal"],
    *[(kind, "Exponential") for kind in ("Beta", "ContinuousBernoulli", "Gamma", "Pareto", "Uniform")],
    ("Exponential", "Gamma"),
    ("Beta", "ContinuousBernoulli"),
]


@pytest.mark.parametrize(("left", "right"), FINITE)
def test_the_divergence_is_the_mean_of_the_logarithms_difference(left, right):
    p, q = KINDS[left](), KINDS[right]()
    ends = {"Beta": (0, 1), "ContinuousBernoulli": (0, 1), "Uniform": (0.1, 0.8), "Pareto": (0.5, 60)}
    low, high = ends.get(left, (1e-9, 60) if left in ("Exponential", "Gamma") else (-30, 60))
    step = (high - low) / 400000
    x = torch.linspace(low + step / 2, high - step / 2, 400000, dtype=torch.float64)
    density = p.log_prob(x)
    wanted = (density.exp() * (density - q.log_prob(x))).sum() * step
    assert D.kl_divergence(p, q).item() == pytest.approx(wanted.item(), rel=2e-3)


INFINITE = [
    *[
        (kind, other)
        for kind in ("Normal", "Laplace", "Gumbel")
        for other in ("Beta", "Exponential", "Gamma", "Uniform")
    ],
    *[
        (kind, other)
        for kind in ("Exponential", "Gamma")
        for other in ("ContinuousBernoulli", "Pareto", "Uniform")
    ],
    ("Pareto", "Uniform"),
    ("Beta", "Pareto"),
]


@pytest.mark.parametrize(("left", "right"), INFINITE)
def test_where_q_has_no_numbers_it_is_infinite(left, right):
    assert D.kl_divergence(KINDS[left](), KINDS[right]()).item() == math.inf


def test_counts():
    p, q = D.Bernoulli(torch.tensor([0.3, 0.6])), D.Poisson(torch.tensor([1.0, 2.0]))
    assert D.kl_divergence(p, q).tolist() == pytest.approx([0.3891, 0.9111], abs=1e-3)
    assert D.kl_divergence(q, p).tolist() == [math.inf, math.inf]
    below = D.Uniform(torch.tensor([-1.0, 0.0]), torch.tensor([1.0, 1.0]))
    assert D.kl_divergence(below, D.Exponential(torch.ones(2))).tolist() == [math.inf, 0.5]
    same = D.ContinuousBernoulli(torch.tensor([0.3, 0.7]))
    assert D.kl_divergence(same, same).tolist() == pytest.approx([0, 0], abs=1e-6)
