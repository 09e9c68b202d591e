"""The beginning of the programs in attention_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


def _wave(*shape):
    return Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32))


X, K, V = _wave(5, 2, 4), _wave(6, 2, 3), _wave(6, 2, 5)
CAUSAL = Tensor(np.triu(np.ones((5, 5)), 1).astype(bool))
PADDING = Tensor(np.array([[False, False, False, False, True], [False, False, False, True, True]]))


def filled(net):
    """The net with known Parameters."""
    for k, p in enumerate(net.get_parameters()):
        p.set_data(Tensor((np.cos(np.arange(p.size) + k) * 0.5).reshape(p.shape).astype(np.float32)))
    return net


def gradients(fn, net, x):
    """By the input and by the Parameters, of a weighted sum of the first output."""

    def total(x):
        out = fn(x)
        out = out[0] if isinstance(out, tuple) else out
        return (out * out * out).sum() + out.sum()

    by_x, by_weights = ms.grad(total, 0, list(net.get_parameters()))(x)
    return [by_x, *by_weights]


NAMES = {
    "nn": nn, "ops": ops, "np": np, "Tensor": Tensor, "X": X, "K": K, "V": V, "CAUSAL": CAUSAL, "PADDING": PADDING,
    "filled": filled, "gradients": gradients,
}  # fmt: skip
