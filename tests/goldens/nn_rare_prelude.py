"""The beginning of the programs in nn_rare_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def wave(*shape, dtype=np.float32):
    return Tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype(dtype))


def filled(net):
    """The net with known Parameters."""
    for k, p in enumerate(net.get_parameters()):
        values = np.cos(np.arange(np.prod(p.shape)) + k) * 0.5 + ("variance" in p.name)
        p.set_data(Tensor(values.reshape(p.shape).astype(np.float32)).astype(p.dtype))
    return net


def described(net):
    """Show a net's text and its Parameters."""
    print(net)
    print([(n, p.name, p.shape, str(p.dtype), p.requires_grad) for n, p in net.parameters_and_names()])


def gradients(net, *inputs, of=(0,)):
    """By inputs and by the Parameters, of a weighted sum of the first output."""

    def total(*args):
        out = net(*args)
        out = out[0] if isinstance(out, tuple) else out
        return (out * out * out).sum() + out.sum()

    weights = list(net.trainable_params()) if isinstance(net, nn.Cell) else []
    if not weights:
        return ms.grad(total, of)(*inputs)
    by_x, by_weights = ms.grad(total, of, weights)(*inputs)
    return [*(by_x if isinstance(by_x, tuple) else (by_x,)), *by_weights]


def parameters(dtype=ms.float32):
    """A matrix and a vector for an optimizer."""
    values = wave(3, 2) + 0.25, wave(3) - 0.5
    return [
        Parameter(x.astype(dtype), name=name)
        for x, name in zip(values, ("fc.weight", "fc.bias"), strict=True)
    ]


def stepped(optimizer, trained, steps):
    """Some steps of an optimizer, and where they led."""
    for step in range(steps):
        gradients = tuple((wave(*p.shape) * (step + 1) - 0.5).astype(p.dtype) for p in trained)
        returned = optimizer(gradients)
    print(
        returned, [(p.name, str(p.dtype), p.asnumpy().astype(np.float64).round(5).tolist()) for p in trained]
    )
    slots = [p for p in optimizer.get_parameters() if "." in p.name]
    print([(p.name, str(p.dtype), p.asnumpy().astype(np.float64).round(5).tolist()) for p in slots])


NAMES = {
    "ms": ms, "nn": nn, "ops": ops, "np": np, "Tensor": Tensor, "Parameter": Parameter, "wave": wave,
    "filled": filled, "described": described, "gradients": gradients, "parameters": parameters,
    "stepped": stepped,
}  # fmt: skip
