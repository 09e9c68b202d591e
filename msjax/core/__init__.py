"""The engine: boxes, the door to arrays, the tape, lifting and what is made of them. It knows no operator by name."""

import jax

from msjax.core import dtype

jax.config.update("jax_enable_x64", dtype.X64)
