"""Sparse tensors (COO, CSR) and operators over them."""

from msjax.ops.sparse import coo as _coo
from msjax.ops.sparse import csr as _csr
from msjax.ops.sparse import tensors as _tensors

_tensors.coo, _tensors.csr = _coo, _csr  # what the methods of the classes call
