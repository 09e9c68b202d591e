from msjax.nn.probability.bijector.bijector import Bijector as Bijector
from msjax.nn.probability.bijector.maps import Exp as Exp
from msjax.nn.probability.bijector.maps import GumbelCDF as GumbelCDF
from msjax.nn.probability.bijector.maps import Invert as Invert
from msjax.nn.probability.bijector.maps import PowerTransform as PowerTransform
from msjax.nn.probability.bijector.maps import ScalarAffine as ScalarAffine
from msjax.nn.probability.bijector.maps import Softplus as Softplus
