"""Before: a small convolutional network in PyTorch, trained with momentum, weight decay and clipped gradients."""

import torch
from digits import batches, test_set, weights
from torch import nn

SHAPES = {
    "conv1.weight": (8, 1, 3, 3),
    "conv2.weight": (16, 8, 3, 3),
    "fc.weight": (10, 16 * 4 * 4),
}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(16)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(16 * 4 * 4, 10)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = self.pool(torch.relu(self.bn2(self.conv2(x))))
        return self.fc(x.flatten(1))


def begin(net):
    """Give the net the weights that both versions begin with."""
    with torch.no_grad():
        parameters = dict(net.named_parameters())
        for name, value in weights(SHAPES).items():
            parameters[name].copy_(torch.tensor(value))
        net.fc.bias.zero_()


def main(epochs=3):
    """Train; return the loss of every step, and the share of the test set that is recognised."""
    net = Net()
    begin(net)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)

    losses = []
    net.train()
    for images, labels in batches(size=50, epochs=epochs):
        optimizer.zero_grad()
        loss = loss_fn(net(torch.tensor(images)), torch.tensor(labels).long())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())

    net.eval()
    images, labels = test_set()
    with torch.no_grad():
        answers = net(torch.tensor(images)).argmax(1)
    return losses, (answers == torch.tensor(labels)).float().mean().item()


if __name__ == "__main__":
    losses, accuracy = main()
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, test accuracy {accuracy:.2%}")
