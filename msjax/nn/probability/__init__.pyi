from msjax.nn.probability import bijector as bijector
from msjax.nn.probability import bnn_layers as bnn_layers
from msjax.nn.probability import distribution as distribution
