"""Sparse tensors under the name of MindSpore's module; they are in `msjax.ops.sparse.tensors`."""

from msjax.ops.sparse.tensors import COOTensor as COOTensor
from msjax.ops.sparse.tensors import CSRTensor as CSRTensor
from msjax.ops.sparse.tensors import RowTensor as RowTensor
from msjax.ops.sparse.tensors import SparseTensor as SparseTensor
