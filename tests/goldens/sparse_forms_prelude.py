"""The beginning of the programs in sparse_forms_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, ops
from mindspore.ops.operations import _inner_ops, _sequence_ops, array_ops, math_ops, nn_ops, sparse_ops


def whole(values, dtype=np.int64):
    return Tensor(np.array(values, dtype))


def real(values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


def wave(*shape, dtype=np.float32):
    return Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(dtype))


def coo(*places, shape=(3, 4), dtype=np.float32):
    """A sparse matrix as indices, values 1, 2, ... and shape."""
    return whole(places), real(range(1, len(places) + 1), dtype), whole(shape)


def csr(dtype=np.float32):
    """[[1, 0, 2], [0, 0, 0], [0, 3, 0]] in MindSpore's five parts."""
    parts = (3, 3), (0, 3), (0, 2, 2, 3), (0, 2, 1)
    return *(whole(part, np.int32) for part in parts), real((1, 2, 3), dtype)


NAMES = {
    "ms": ms, "ops": ops, "np": np, "Tensor": Tensor, "Parameter": Parameter, "whole": whole, "real": real,
    "wave": wave, "coo": coo, "csr": csr, "S": sparse_ops, "Q": _sequence_ops, "I": _inner_ops, "A": array_ops,
    "M": math_ops, "N": nn_ops,
}  # fmt: skip
