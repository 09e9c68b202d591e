"""The beginning of the programs in tensor_rules_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops


def T(values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


NAMES = {
    "ms": ms, "np": np, "nn": nn, "ops": ops, "mint": mint, "Tensor": Tensor, "Parameter": Parameter, "T": T,
}  # fmt: skip
