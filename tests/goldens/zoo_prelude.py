"""The beginning of the programs in zoo_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import mindspore.common.initializer as init
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

NAMES = {
    "ms": ms,
    "init": init,
    "np": np,
    "Parameter": Parameter,
    "Tensor": Tensor,
    "context": context,
    "nn": nn,
    "ops": ops,
    "C": C,
    "F": F,
    "P": P,
}
