"""After: pytorch_smooth.py in MindSpore's API. `msjax run mindspore_smooth.py` trains it through XLA."""

import mindspore as ms
from digits import batches, test_set, weights
from mindspore import Tensor, nn, ops
from mindspore.experimental import optim

SHAPES = {"hidden.weight": (32, 64), "last.weight": (10, 32)}
PENALTY = 0.2


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(64, 32)
        self.last = nn.Dense(32, 10)

    def construct(self, x):
        return self.last(ops.tanh(self.hidden(x)))


def begin(net):
    """Give the net the weights that both versions begin with."""
    for name, parameter in net.parameters_and_names():
        value = ops.zeros_like(parameter) if name.endswith("bias") else Tensor(weights(SHAPES)[name])
        parameter.set_data(value)


def main(epochs=4, compiled=True):
    """Train; return the loss of every step, and the share of the test set that the averaged net recognises."""
    net, averaged = Net(), Net()
    begin(net)
    begin(averaged)
    # This optimizer is PyTorch's in its groups: their learning rates may be set from step to step.
    optimizer = optim.SGD(net.trainable_params(), lr=0.1, momentum=0.9)

    def cross_entropy(x, y):
        return ops.cross_entropy(net(x), y)

    # A gradient is a function of the same arguments; it may be differentiated again.
    slope_of = ms.value_and_grad(cross_entropy, 0)

    def forward(x, y):
        loss, slope = slope_of(x, y)
        return loss + PENALTY * slope.pow(2).sum()

    loss_and_grads = ms.value_and_grad(forward, None, optimizer.parameters)
    if compiled:
        loss_and_grads = ms.jit(loss_and_grads)

    losses = []
    for step, (images, labels) in enumerate(batches(size=100, epochs=epochs)):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * min(1.0, (step + 1) / 10)  # a float: MindSpore overlooks a Tensor here
        total, grads = loss_and_grads(Tensor(images).flatten(start_dim=1), Tensor(labels))
        optimizer(grads)
        for mean, parameter in zip(averaged.trainable_params(), net.trainable_params(), strict=True):
            mean.set_data(
                0.9 * mean + 0.1 * parameter
            )  # the Parameter itself: `mean = ...` would bind a name
        losses.append(float(total))

    images, labels = test_set()
    answers = averaged(Tensor(images).flatten(start_dim=1)).argmax(axis=1)
    return losses, float((answers == Tensor(labels)).astype(ms.float32).mean())


if __name__ == "__main__":
    losses, accuracy = main()
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, test accuracy {accuracy:.2%}")
