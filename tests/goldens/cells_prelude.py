"""The beginning of the programs in cells_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

NAMES = {"ms": ms, "np": np, "Parameter": Parameter, "Tensor": Tensor, "nn": nn, "ops": ops}
