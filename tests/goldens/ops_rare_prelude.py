"""The beginning of the programs in ops_rare_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops


def wave(*shape, dtype=np.float32):
    return Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(dtype))


def whole(values, dtype=np.int32):
    return Tensor(np.array(values, dtype))


NAMES = {"ms": ms, "ops": ops, "np": np, "Tensor": Tensor, "wave": wave, "whole": whole}
