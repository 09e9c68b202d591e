from msjax.nn.probability.helpers import broadcast_to as broadcast_to
from msjax.nn.probability.helpers import exp_generic as exp_generic
from msjax.nn.probability.helpers import log1p_generic as log1p_generic
from msjax.nn.probability.helpers import log_generic as log_generic
