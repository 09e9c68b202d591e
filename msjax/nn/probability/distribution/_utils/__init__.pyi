from msjax.nn.probability.given import CheckTensor as CheckTensor
from msjax.nn.probability.given import CheckTuple as CheckTuple
from msjax.nn.probability.given import as_tensor as cast_to_tensor
from msjax.nn.probability.given import less as check_greater
from msjax.nn.probability.given import not_negative as check_greater_equal_zero
from msjax.nn.probability.given import positive as check_greater_zero
from msjax.nn.probability.given import probability as check_prob
from msjax.nn.probability.given import type_of_parameters as set_param_type
