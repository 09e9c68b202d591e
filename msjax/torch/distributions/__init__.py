"""`torch.distributions`: probability distributions. Names only."""

import importlib as _importlib
from typing import Any as _Any

from msjax.torch.distributions import constraints as constraints
from msjax.torch.distributions import kl as kl
from msjax.torch.distributions import transforms as transforms
from msjax.torch.distributions.constraint_registry import biject_to as biject_to
from msjax.torch.distributions.constraint_registry import transform_to as transform_to
from msjax.torch.distributions.distribution import Distribution as Distribution
from msjax.torch.distributions.distribution import ExponentialFamily as ExponentialFamily
from msjax.torch.distributions.kl import kl_divergence as kl_divergence
from msjax.torch.distributions.kl import register_kl as register_kl
from msjax.torch.functions import served_from_mint as _wider

_PLACES = {
    "continuous": "Normal Uniform Gamma Chi2 Exponential Laplace Cauchy Gumbel StudentT Dirichlet Beta MultivariateNormal",
    "discrete": "Bernoulli Geometric Binomial Poisson Categorical OneHotCategorical Multinomial",
    "derived": "Independent TransformedDistribution LogNormal HalfNormal HalfCauchy MixtureSameFamily",
    "further": "FisherSnedecor GeneralizedPareto InverseGamma Kumaraswamy LKJCholesky LowRankMultivariateNormal Pareto "
    "VonMises Weibull Wishart",
    "relaxed": "ContinuousBernoulli LogisticNormal NegativeBinomial OneHotCategoricalStraightThrough RelaxedBernoulli "
    "RelaxedOneHotCategorical",
    "vector_transforms": "AbsTransform CatTransform CorrCholeskyTransform CumulativeDistributionTransform "
    "IndependentTransform LowerCholeskyTransform PositiveDefiniteTransform ReshapeTransform StackTransform "
    "StickBreakingTransform identity_transform",
    "transforms": "Transform ComposeTransform AffineTransform ExpTransform PowerTransform SigmoidTransform TanhTransform "
    "SoftplusTransform SoftmaxTransform",
}
for _place, _names in _PLACES.items():
    _module = _importlib.import_module(f"{__name__}.{_place}")
    globals().update({_name: getattr(_module, _name) for _name in _names.split()})


def __getattr__(name: str) -> _Any:
    return _wider.make_placeholder("torch.distributions", name)
