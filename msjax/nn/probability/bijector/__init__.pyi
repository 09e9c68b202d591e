from msjax.nn.probability.bijector.bijector import Bijector as Bijector
from msjax.nn.probability.bijector.exp import Exp as Exp
from msjax.nn.probability.bijector.gumbel_cdf import GumbelCDF as GumbelCDF
from msjax.nn.probability.bijector.invert import Invert as Invert
from msjax.nn.probability.bijector.power_transform import PowerTransform as PowerTransform
from msjax.nn.probability.bijector.scalar_affine import ScalarAffine as ScalarAffine
from msjax.nn.probability.bijector.softplus import Softplus as Softplus
