"""After: pytorch_cnn.py in MindSpore's API. `msjax run mindspore_cnn.py` trains it through XLA."""

import mindspore as ms
from digits import batches, test_set, weights
from mindspore import Tensor, nn, ops

SHAPES = {
    "conv1.weight": (8, 1, 3, 3),
    "conv2.weight": (16, 8, 3, 3),
    "fc.weight": (10, 16 * 4 * 4),
}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        # padding counts only with pad_mode="pad"; has_bias is False unless asked for.
        self.conv1 = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1)
        # MindSpore's momentum is the share that stays, PyTorch's 0.1 the share that is renewed: both are defaults.
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, pad_mode="pad", padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.pool = nn.MaxPool2d(2, stride=2)  # stride is 1 unless asked for
        self.fc = nn.Dense(16 * 4 * 4, 10)

    def construct(self, x):
        x = ops.relu(self.bn1(self.conv1(x)))
        x = self.pool(ops.relu(self.bn2(self.conv2(x))))
        return self.fc(x.flatten(start_dim=1))


def begin(net):
    """Give the net the weights that both versions begin with."""
    parameters = net.parameters_dict()
    for name, value in weights(SHAPES).items():
        parameters[name].set_data(Tensor(value))
    net.fc.bias.set_data(ops.zeros_like(net.fc.bias))


def main(epochs=3, compiled=True):
    """Train; return the loss of every step, and the share of the test set that is recognised."""
    net = Net()
    begin(net)
    loss_fn = nn.CrossEntropyLoss()
    # Given a plain list, MindSpore would spare gamma and beta of the BatchNorms from the weight decay.
    groups = [{"params": net.trainable_params(), "weight_decay": 1e-4}]
    optimizer = nn.Momentum(groups, learning_rate=0.05, momentum=0.9)

    def forward(images, labels):
        return loss_fn(net(images), labels)

    # No zero_grad: gradients are results, not state.
    loss_and_grads = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(images, labels):
        loss, grads = loss_and_grads(images, labels)
        optimizer(ops.clip_by_global_norm(grads, 1.0))
        return loss

    if compiled:
        step = ms.jit(step)

    net.set_train()
    losses = [
        float(step(Tensor(images), Tensor(labels))) for images, labels in batches(size=50, epochs=epochs)
    ]

    net.set_train(False)
    images, labels = test_set()
    answers = net(Tensor(images)).argmax(axis=1)  # nothing is recorded outside of grad, so no no_grad
    return losses, float((answers == Tensor(labels)).astype(ms.float32).mean())


if __name__ == "__main__":
    losses, accuracy = main()
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, test accuracy {accuracy:.2%}")
