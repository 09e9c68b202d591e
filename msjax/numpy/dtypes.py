"""Dtypes, constants and dtype promotion of `mindspore.numpy`."""

import math

from msjax.core.dtype import bool_ as bool_
from msjax.core.dtype import float16 as float16
from msjax.core.dtype import float32 as float32
from msjax.core.dtype import float64 as float64
from msjax.core.dtype import int8 as int8
from msjax.core.dtype import int16 as int16
from msjax.core.dtype import int32 as int32
from msjax.core.dtype import int64 as int64
from msjax.core.dtype import uint8 as uint8
from msjax.core.dtype import uint16 as uint16
from msjax.core.dtype import uint32 as uint32
from msjax.core.dtype import uint64 as uint64

int_ = int32
float_ = float32
uint = uint32
inf = PINF = math.inf
NINF = -math.inf
nan = math.nan
pi = math.pi

numeric_types = """
    int_ int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float_ float16 float32 float64 bool_
""".split()
