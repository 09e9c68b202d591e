from msjax.mint._functional import log_softmax as log_softmax
from msjax.mint._special import round as round
from msjax.ops.math.elementary import erfc as erfc
from msjax.ops.math.elementary import exp2 as exp2
from msjax.ops.math.elementary import expm1 as expm1
from msjax.ops.math.elementary import log1p as log1p
from msjax.ops.math.trigonometric import sinc as sinc
