"""Sparse tensors under the name of MindSpore's module; they are in `msjax.ops.sparse_tensors`."""

from msjax.ops.sparse_tensors import COOTensor as COOTensor
from msjax.ops.sparse_tensors import CSRTensor as CSRTensor
from msjax.ops.sparse_tensors import RowTensor as RowTensor
from msjax.ops.sparse_tensors import SparseTensor as SparseTensor
