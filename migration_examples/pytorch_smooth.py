"""Before: a smooth classifier in PyTorch; the gradients with respect to images are penalised, and weights are averaged."""

import copy

import torch
from digits import batches, test_set, weights
from torch import nn
from torch.nn import functional as F

SHAPES = {"hidden.weight": (32, 64), "last.weight": (10, 32)}
PENALTY = 0.2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(64, 32)
        self.last = nn.Linear(32, 10)

    def forward(self, x):
        return self.last(torch.tanh(self.hidden(x)))


def begin(net):
    """Give the net the weights that both versions begin with."""
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.zero_() if name.endswith("bias") else parameter.copy_(
                torch.tensor(weights(SHAPES)[name])
            )


def main(epochs=4):
    """Train; return the loss of every step, and the share of the test set that the averaged net recognises."""
    net = Net()
    begin(net)
    averaged = copy.deepcopy(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

    losses = []
    for step, (images, labels) in enumerate(batches(size=100, epochs=epochs)):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * min(1.0, (step + 1) / 10)
        x, y = torch.tensor(images).flatten(1), torch.tensor(labels).long()
        x.requires_grad_(True)
        loss = F.cross_entropy(net(x), y)
        (slope,) = torch.autograd.grad(loss, x, create_graph=True)
        total = loss + PENALTY * slope.pow(2).sum()
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        with torch.no_grad():
            for mean, parameter in zip(averaged.parameters(), net.parameters(), strict=True):
                mean.mul_(0.9).add_(parameter, alpha=0.1)
        losses.append(total.item())

    images, labels = test_set()
    with torch.no_grad():
        answers = averaged(torch.tensor(images).flatten(1)).argmax(1)
    return losses, (answers == torch.tensor(labels)).float().mean().item()


if __name__ == "__main__":
    losses, accuracy = main()
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, test accuracy {accuracy:.2%}")
