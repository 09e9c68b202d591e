"""The beginning of the programs in rnn_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

X = Tensor(np.sin(np.arange(30)).reshape(5, 2, 3).astype(np.float32))
LENGTHS = Tensor(np.array([3, 5], np.int32))


def filled(net):
    """The net with known Parameters."""
    for k, p in enumerate(net.get_parameters()):
        p.set_data(Tensor((np.cos(np.arange(p.size) + k) * 0.5).reshape(p.shape).astype(np.float32)))
    return net


def gradients(net, x):
    """By the input and by the Parameters, of a weighted sum of the outputs."""

    def total(x):
        out = net(x)[0]
        return (out * out).sum() + out.sum()

    by_x, by_weights = ms.grad(total, 0, list(net.get_parameters()))(x)
    return [by_x, *by_weights]


NAMES = {
    "nn": nn,
    "np": np,
    "Tensor": Tensor,
    "X": X,
    "LENGTHS": LENGTHS,
    "filled": filled,
    "gradients": gradients,
}
