"""Out of msjax and back: pure JAX functions of Cells."""

from msjax.interop.pure import as_jax as as_jax
from msjax.interop.pure import functional_call as functional_call
