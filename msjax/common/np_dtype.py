"""`common.np_dtype`: NumPy's dtype of bfloat16 arrays."""

import numpy as np
from ml_dtypes import bfloat16 as _type

bfloat16 = np.dtype(_type)
