"""The engine: boxes, operators, tape, tracing, and the transformations on top. It knows no operator by name."""

import jax

from msjax.core import dtype

jax.config.update("jax_enable_x64", dtype.X64)
