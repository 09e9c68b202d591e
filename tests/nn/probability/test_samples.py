"""Draws of distributions, against SciPy's distribution functions and moments."""

import numpy as np
import pytest
from scipy import stats

import msjax as ms
from msjax import Tensor, nn
from msjax.nn.probability import bijector, distribution

# What is drawn, and the same in SciPy. Pairs of parameters, so that both columns are tested.
CONTINUOUS = (
    (distribution.Normal([0.0, 3.0], [1.0, 0.5]), stats.norm([0, 3], [1, 0.5])),
    (distribution.Uniform([0.0, -1.0], [1.0, 4.0]), stats.uniform([0, -1], [1, 5])),
    (distribution.Exponential([0.5, 2.0]), stats.expon(0, [2, 0.5])),
    (distribution.Cauchy([0.0, 3.0], [1.0, 0.5]), stats.cauchy([0, 3], [1, 0.5])),
    (distribution.Logistic([0.0, 3.0], [1.0, 0.5]), stats.logistic([0, 3], [1, 0.5])),
    (distribution.Gumbel([0.0, 3.0], [1.0, 0.5]), stats.gumbel_r([0, 3], [1, 0.5])),
    (distribution.LogNormal([0.0, 1.0], [1.0, 0.5]), stats.lognorm([1, 0.5], 0, np.exp([0, 1]))),
    (distribution.Gamma([0.5, 3.0], [1.0, 2.0]), stats.gamma([0.5, 3], 0, [1, 0.5])),
    (distribution.Beta([0.5, 3.0], [1.0, 2.0]), stats.beta([0.5, 3], [1, 2])),
    (bijector.Softplus(2.0)(distribution.Normal([0.0, 1.0], 1.0)), None),
)
DISCRETE = (
    (distribution.Bernoulli([0.25, 0.5]), stats.bernoulli([0.25, 0.5])),
    (distribution.Geometric([0.25, 0.5]), stats.geom([0.25, 0.5], -1)),
    (distribution.Poisson([0.5, 20.0]), stats.poisson([0.5, 20])),
    (distribution.Categorical([[0.25, 0.75], [0.5, 0.5]]), stats.bernoulli([0.75, 0.5])),
)
COUNT = 5000


@pytest.fixture(scope="module")
def draws():
    """All draws at once, by one compiled function; the first of two, which differ."""
    ms.set_seed(7)
    drawn = ms.jit(lambda: tuple(dist.sample((COUNT,)) for dist, _ in CONTINUOUS + DISCRETE))
    first, second = drawn(), drawn()
    for a, b in zip(first, second, strict=True):
        assert not np.array_equal(a.asnumpy(), b.asnumpy())
    return [x.asnumpy() for x in first]


@pytest.mark.parametrize("at", range(len(CONTINUOUS)))
def test_continuous(at, draws):
    """Kolmogorov-Smirnov, column by column; draws of a transformed distribution fit its own `cdf`."""
    dist, expected = CONTINUOUS[at]
    assert draws[at].shape == (COUNT, 2)
    assert draws[at].dtype == np.float32
    known = dist.cdf(Tensor(draws[at])).asnumpy() if expected is None else expected.cdf(draws[at])
    for column in known.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("at", range(len(DISCRETE)))
def test_discrete(at, draws):
    """Mean and variance, within five standard errors."""
    expected, x = DISCRETE[at][1], draws[len(CONTINUOUS) + at].astype(np.float64)
    assert x.shape == (COUNT, 2)
    mean, var, kurtosis = (np.asarray(m) for m in expected.stats("mvk"))
    assert np.all(np.abs(x.mean(0) - mean) < 5 * np.sqrt(var / COUNT))
    error = var * np.sqrt((kurtosis + 2) / COUNT)
    assert np.all(np.abs(x.var(0) - var) < 5 * error + 1e-3)


def test_seeds():
    """A seed repeats a run; draws of one call differ from those of the next; `seed` is a stream of its own."""
    a, b = distribution.Normal(0.0, 1.0), distribution.Normal(0.0, 1.0, seed=3)
    runs = []
    for _ in range(2):
        ms.set_seed(5)
        runs.append([x.sample((4,)).asnumpy() for x in (a, a, b)])
    np.testing.assert_array_equal(*runs)
    assert len({x.tobytes() for x in runs[0]}) == 3
    ms.set_seed(5)
    assert not np.array_equal(b.sample((4,)).asnumpy(), runs[0][0])


def test_derivatives_of_draws():
    """Draws of a normal distribution are mean + sd * noise, for gradients too; those of a discrete one have none."""
    dist = distribution.Normal()

    def drawn(mean, sd):
        return dist.sample((4,), mean, sd)

    mean, sd = Tensor([1.0, 2.0]), Tensor([0.5, 3.0])
    ms.set_seed(1)
    noise = (drawn(mean, sd) - mean) / sd
    ms.set_seed(1)
    by_mean, by_sd = ms.grad(lambda m, s: drawn(m, s).sum(), (0, 1))(mean, sd)
    np.testing.assert_allclose(by_mean.asnumpy(), [4, 4])
    np.testing.assert_allclose(by_sd.asnumpy(), noise.sum(0).asnumpy(), rtol=1e-5)
    chosen = distribution.Categorical(dtype=ms.float32)
    by_probs = ms.grad(lambda p: chosen.sample((4,), p).sum())(Tensor([0.5, 0.5]))
    np.testing.assert_array_equal(by_probs.asnumpy(), [0, 0])


def test_a_net_that_draws():
    """A Cell that is compiled draws anew at each call."""

    class Noisy(nn.Cell):
        def __init__(self):
            super().__init__()
            self.noise = distribution.Normal(0.0, 1.0)

        def construct(self, x):
            return x + self.noise.sample(x.shape)

    net = ms.jit(Noisy())
    x = Tensor([0.0, 0.0, 0.0, 0.0])
    assert not np.array_equal(net(x).asnumpy(), net(x).asnumpy())
