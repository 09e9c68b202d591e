"""Formulas in one compiled function, against SciPy; under vmap, in second derivatives, and at the ends."""

import numpy as np
import pytest
from scipy import stats

import msjax as ms
from msjax import Parameter, Tensor, nn
from msjax.nn.probability import bijector, distribution
from msjax.nn.probability.distribution._utils import custom_ops, utils

X = np.array([0.25, 0.5, 2.0, 5.0], np.float32)
KNOWN = {
    "Normal": (distribution.Normal(0.5, 2.0), stats.norm(0.5, 2)),
    "Uniform": (distribution.Uniform(0.0, 3.0), stats.uniform(0, 3)),
    "Exponential": (distribution.Exponential(0.5), stats.expon(0, 2)),
    "Cauchy": (distribution.Cauchy(0.5, 2.0), stats.cauchy(0.5, 2)),
    "Logistic": (distribution.Logistic(0.5, 2.0), stats.logistic(0.5, 2)),
    "Gumbel": (distribution.Gumbel(0.5, 2.0), stats.gumbel_r(0.5, 2)),
    "LogNormal": (distribution.LogNormal(0.5, 2.0), stats.lognorm(2, 0, np.exp(0.5))),
    "Gamma": (distribution.Gamma([3.0], [2.0]), stats.gamma(3, 0, 0.5)),
    "Laplace": (distribution.Laplace(0.5, 2.0), stats.laplace(0.5, 2)),
    "HalfNormal": (distribution.HalfNormal(0.0, 2.0), stats.halfnorm(0, 2)),
    "StudentT": (distribution.StudentT(3.0, 0.5, 2.0), stats.t(3, 0.5, 2)),
    "Poisson": (distribution.Poisson([2.5]), stats.poisson(2.5)),
    "Geometric": (distribution.Geometric(0.25), stats.geom(0.25, -1)),
    "Beta": (distribution.Beta([2.0], [3.5]), stats.beta(2, 3.5)),
}
DISCRETE = ("Poisson", "Geometric")
WITHOUT = ("Laplace", "HalfNormal", "StudentT")  # have a density only


def _value(name):
    """Where a distribution is asked: whole numbers for the discrete, in [0, 1] for beta."""
    return np.round(X) if name in DISCRETE else X / 8 if name == "Beta" else X


def _asked(name, dist, x):
    found = {"log_prob": dist.log_prob(x)}
    if name not in WITHOUT:
        if name != "Beta":
            found["cdf"] = dist.cdf(x)
        if name != "Cauchy":
            found["var"] = dist.var()
    return found


@pytest.fixture(scope="module")
def compiled():
    """Return all that the distributions say, by one compiled function."""

    @ms.jit
    def everything(xs):
        return {name: _asked(name, dist, xs[name]) for name, (dist, _) in KNOWN.items()}

    return everything({name: Tensor(_value(name).astype(np.float32)) for name in KNOWN})


@pytest.mark.parametrize("name", KNOWN)
def test_against_scipy(name, compiled):
    """Distribution functions and densities to rounding of float32."""
    expected, x = KNOWN[name][1], _value(name)
    answers = {
        "log_prob": expected.logpmf if name in DISCRETE else expected.logpdf,
        "cdf": expected.cdf,
    }
    for method, found in compiled[name].items():
        value = answers[method](x) if method in answers else getattr(expected, method)()
        np.testing.assert_allclose(
            found.asnumpy(), np.broadcast_to(value, found.shape), 3e-5, 1e-6, err_msg=method
        )


def test_derivatives_of_beta():
    """By the parameters of the beta distribution; MindSpore gives NaN there, so SciPy's differences are the oracle."""
    a, b, x = np.array([2.0, 0.5]), np.array([3.0, 1.5]), np.array([0.2, 0.6])

    def log_prob(a, b):
        return distribution.Beta().log_prob(Tensor(x, ms.float32), a, b).sum()

    found = ms.grad(log_prob, (0, 1))(Tensor(a, ms.float32), Tensor(b, ms.float32))
    h = 1e-6
    expected = [
        (stats.beta(a + h, b).logpdf(x) - stats.beta(a - h, b).logpdf(x)) / (2 * h),
        (stats.beta(a, b + h).logpdf(x) - stats.beta(a, b - h).logpdf(x)) / (2 * h),
    ]
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(f.asnumpy(), e, rtol=2e-5)


def test_second_derivatives_and_vmap():
    """The curvature of a normal log density is -1 / sd^2; a mapped call is the call of each."""
    dist = distribution.Normal()
    mean, sd = Tensor(0.5), Tensor(2.0)
    curvature = ms.grad(ms.grad(lambda x: dist.log_prob(x, mean, sd)))(Tensor(3.0))
    np.testing.assert_allclose(curvature.asnumpy(), -0.25, rtol=1e-6)
    xs = Tensor([1.0, 2.0, 3.0])
    mapped = ms.vmap(lambda x: dist.log_prob(x, mean, sd))(xs)
    np.testing.assert_allclose(mapped.asnumpy(), dist.log_prob(xs, mean, sd).asnumpy(), rtol=1e-6)


def test_at_the_ends():
    """Infinite values, and NaN where MindSpore keeps it and where it does not."""
    ends = Tensor([np.nan, np.inf, -np.inf], ms.float32)
    for dist, expected in (
        (distribution.Normal(0.0, 1.0), [np.nan, 1, 0]),
        (distribution.Cauchy(0.0, 1.0), [np.nan, 1, 0]),
        (distribution.Uniform(0.0, 1.0), [1, 1, 0]),
        (distribution.Logistic(0.0, 1.0), [np.nan, 1, 0]),
    ):
        np.testing.assert_allclose(dist.cdf(ends).asnumpy(), expected, atol=1e-7)
    np.testing.assert_array_equal(distribution.Poisson([0.5]).log_prob(ends).asnumpy(), [-np.inf] * 3)
    np.testing.assert_array_equal(distribution.HalfNormal(0.0, 1.0).prob(ends).asnumpy(), [np.nan, 0, 0])
    np.testing.assert_array_equal(
        distribution.Gumbel(0.0, 1.0).log_prob(ends).asnumpy(), [np.nan, -np.inf, -np.inf]
    )
    np.testing.assert_allclose(
        distribution.Cauchy(0.0, 1.0).cdf(Tensor(-1e6)).asnumpy(), 1 / np.pi * 1e-6, rtol=1e-5
    )


def test_the_mode_of_bernoulli():
    """MindSpore has it in compiled functions only."""
    dist = distribution.Bernoulli([0.25, 0.5, 0.75])
    np.testing.assert_array_equal(dist.mode().asnumpy(), [0, 0, 1])
    np.testing.assert_array_equal(ms.jit(dist.mode)().asnumpy(), [0, 0, 1])


def test_refusals_say_what_to_do():
    """Who refuses, which argument, what was given."""
    cases = (
        (lambda: distribution.Normal(0.0, -1.0), ValueError, ["Normal", "sd", "greater than zero", "-1.0"]),
        (lambda: distribution.Normal().mean(), TypeError, ["mean", "not given", "None"]),
        (lambda: distribution.Normal(0.0, 1.0).log_prob(2), TypeError, ["value", "Tensor", "int"]),
        (lambda: distribution.Poisson([1.0]).entropy(), NotImplementedError, ["entropy", "Poisson"]),
        (lambda: distribution.Beta(1.0, [1.0]), TypeError, ["Beta", "concentration1", "1.0"]),
        (lambda: distribution.Uniform(2.0, 1.0), ValueError, ["Uniform", "low", "high", "2.0"]),
        (lambda: distribution.Categorical([0.5, 0.6]), ValueError, ["one", "1.1"]),
        (lambda: bijector.Exp().forward(Tensor([1])), TypeError, ["Exp", "floating", "Int64"]),
        (lambda: bijector.Exp()("back", Tensor([1.0])), ValueError, ["Exp", "inverse", "back"]),
    )
    for call, kind, parts in cases:
        with pytest.raises(kind) as caught:
            call()
        assert all(part in str(caught.value) for part in parts), str(caught.value)


def test_the_checks_under_mindspores_names():
    """The module that MindSpore keeps them in."""
    half = Tensor(0.1, ms.float16)
    assert utils.set_param_type({"a": half, "b": 2.0}, ms.float32) == ms.float16
    assert utils.set_param_type({"a": np.array([1.0])}, ms.float16) == ms.float32
    assert utils.set_param_type({"a": 1.0}, ms.int32) == ms.float32
    with pytest.raises(TypeError):
        utils.set_param_type({"a": half, "b": np.array([1.0])}, ms.float32)
    weight = Parameter(Tensor([1.0]))
    assert utils.cast_to_tensor(weight) is weight
    assert utils.CheckTensor()(weight, "w") is weight
    assert utils.CheckTuple()((1,), "shape") == (1,)
    for wrong in (True, "a", None):
        with pytest.raises(ValueError if wrong is None else TypeError):
            utils.cast_to_tensor(wrong)


def test_functions_for_own_distributions():
    """Integers become float32; log of what is not positive is minus infinity or NaN."""
    found = custom_ops.log_generic(Tensor([1, 0, -1]))
    assert found.dtype == ms.float32
    np.testing.assert_array_equal(found.asnumpy(), [0, -np.inf, np.nan])
    np.testing.assert_array_equal(custom_ops.exp_generic(Tensor([0])).asnumpy(), [1])
    np.testing.assert_array_equal(custom_ops.log1p_generic(Tensor([0])).asnumpy(), [0])
    assert custom_ops.broadcast_to(Tensor([1.0]), Tensor([1.0, 2.0])).shape == (2,)


def test_a_distribution_that_a_cell_holds():
    """Its Parameters are those of the Cell, and are trained."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dist = distribution.Normal(Parameter(Tensor([0.0])), Parameter(Tensor([1.0])))

        def construct(self, x):
            return -self.dist.log_prob(x).sum()

    net = Net()
    assert [p.name for p in net.trainable_params()] == ["dist._mean_value", "dist._sd_value"]
    by_mean, by_sd = ms.grad(net, None, net.trainable_params())(Tensor([1.0, 3.0]))
    np.testing.assert_allclose([*by_mean.asnumpy(), *by_sd.asnumpy()], [-4, -8])
