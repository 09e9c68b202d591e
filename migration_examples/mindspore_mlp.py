"""After: pytorch_mlp.py in MindSpore's API. `msjax run mindspore_mlp.py` trains it through XLA."""

import mindspore as ms
from digits import batches, test_set, weights
from mindspore import Tensor, amp, nn, ops

SHAPES = {"first.weight": (64, 64), "second.weight": (32, 64), "last.weight": (10, 32)}
MICRO_BATCHES = 4
LOSS_SCALE = 1024


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(64, 64)
        self.second = nn.Dense(64, 32)
        self.last = nn.Dense(32, 10)
        self.gelu = nn.GELU(approximate=False)  # PyTorch's F.gelu; MindSpore's default is the tanh formula

    def construct(self, x):
        x = ops.tanh(self.first(x))
        x = self.gelu(self.second(x))
        return self.last(x)


def begin(net):
    """Give the net the weights that both versions begin with."""
    for name, parameter in net.parameters_and_names():
        value = ops.zeros_like(parameter) if name.endswith("bias") else Tensor(weights(SHAPES)[name])
        parameter.set_data(value)


def main(epochs=4, compiled=True):
    """Train; return the mean loss of every step, and the share of the test set that is recognised."""
    net = Net()
    begin(net)
    for parameter in net.first.get_parameters():
        parameter.requires_grad = False
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.004)
    # Gradients are results: what PyTorch's .grad does by itself, these Parameters do here.
    sums = optimizer.parameters.clone(prefix="sum", init="zeros")
    scaler = amp.StaticLossScaler(LOSS_SCALE)

    def forward(x, y):
        return scaler.scale(ops.cross_entropy(net(x), y) / MICRO_BATCHES)

    loss_and_grads = ms.value_and_grad(forward, None, optimizer.parameters)

    def accumulate(x, y):
        loss, grads = loss_and_grads(x, y)
        for total, grad in zip(sums, scaler.unscale(grads)):  # noqa: B905 - compiled code knows no strict=
            ops.assign_add(total, grad)
        return scaler.unscale(loss)

    def update():
        optimizer(tuple(sums))
        for total in sums:
            ops.assign(total, ops.zeros_like(total))

    if compiled:
        accumulate, update = ms.jit(accumulate), ms.jit(update)

    losses = []
    for images, labels in batches(size=100, epochs=epochs):
        micro_images = Tensor(images).flatten(start_dim=1).chunk(MICRO_BATCHES)
        micro_labels = Tensor(labels).chunk(MICRO_BATCHES)
        losses.append(sum(float(accumulate(x, y)) for x, y in zip(micro_images, micro_labels, strict=True)))
        update()

    images, labels = test_set()
    answers = net(Tensor(images).flatten(start_dim=1)).argmax(axis=1)
    return losses, float((answers == Tensor(labels)).astype(ms.float32).mean())


if __name__ == "__main__":
    losses, accuracy = main()
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, test accuracy {accuracy:.2%}")
