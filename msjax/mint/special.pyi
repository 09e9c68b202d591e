from msjax.mint._functional import log_softmax as log_softmax
from msjax.mint._special import round as round
from msjax.ops.angles import sinc as sinc
from msjax.ops.elementary import erfc as erfc
from msjax.ops.elementary import exp2 as exp2
from msjax.ops.elementary import expm1 as expm1
from msjax.ops.elementary import log1p as log1p
