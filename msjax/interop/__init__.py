"""Interoperability: Cells as pure JAX functions, and back."""

from msjax.interop.lowering import lower as lower
from msjax.interop.partitioning import partition_parameters as partition_parameters
from msjax.interop.pure import as_jax as as_jax
from msjax.interop.pure import functional_call as functional_call
