"""Before: a multilayer perceptron in PyTorch; a frozen layer, and Adam on accumulated, scaled gradients."""

import torch
from digits import batches, test_set, weights
from torch import nn
from torch.nn import functional as F

SHAPES = {"first.weight": (64, 64), "second.weight": (32, 64), "last.weight": (10, 32)}
MICRO_BATCHES = 4
LOSS_SCALE = 1024.0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.second = nn.Linear(64, 32)
        self.last = nn.Linear(32, 10)

    def forward(self, x):
        x = torch.tanh(self.first(x))
        x = F.gelu(self.second(x))
        return self.last(x)


def begin(net):
    """Give the net the weights that both versions begin with."""
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.zero_() if name.endswith("bias") else parameter.copy_(
                torch.tensor(weights(SHAPES)[name])
            )


def main(epochs=4):
    """Train; return the mean loss of every step, and the share of the test set that is recognised."""
    net = Net()
    begin(net)
    net.first.requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.004)

    losses = []
    for images, labels in batches(size=100, epochs=epochs):
        images, labels = torch.tensor(images).flatten(1), torch.tensor(labels).long()
        optimizer.zero_grad()
        total = 0.0
        for x, y in zip(images.chunk(MICRO_BATCHES), labels.chunk(MICRO_BATCHES), strict=True):
            loss = F.cross_entropy(net(x), y) / MICRO_BATCHES
            (loss * LOSS_SCALE).backward()  # adds to .grad
            total += loss.item()
        for parameter in net.parameters():
            if parameter.grad is not None:
                parameter.grad /= LOSS_SCALE
        optimizer.step()
        losses.append(total)

    images, labels = test_set()
    with torch.no_grad():
        answers = net(torch.tensor(images).flatten(1)).argmax(1)
    return losses, (answers == torch.tensor(labels)).float().mean().item()


if __name__ == "__main__":
    losses, accuracy = main()
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, test accuracy {accuracy:.2%}")
