"""Layers by their names, windows of images, a net in float64, losses in a list, a head of another size."""

import argparse

import torch
import torch.nn as nn
from given import classes, data, weights
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--act", choices=["ReLU", "Tanh"], default="Tanh")
args = parser.parse_args([])


class Options:
    """Not a Tensor, although it has `data`."""


options = Options()
options.data = 3


class Net(nn.Module):
    def __init__(self, kind, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        if kind in ["LSTM", "GRU"]:
            self.rnn = getattr(nn, kind)(12, hidden_size, batch_first=True)
        else:
            self.rnn = nn.RNN(12, hidden_size, batch_first=True)
        self.norm = nn.LayerNorm(self.hidden_size)
        self.act = getattr(nn, args.act)()
        self.pool = getattr(nn, "MaxPool1d")(2)
        self.head = nn.Linear(hidden_size // 2, 10)

    def forward(self, images):
        patches = images.unfold(2, 2, 2).unfold(3, 2, 2)  # (N, C, H / 2, W / 2, 2, 2)
        patches = patches.permute(0, 2, 3, 1, 4, 5).contiguous().view(images.size(0), -1, 12)
        found, _ = self.rnn(patches)
        return self.head(self.pool(self.act(self.norm(found)))[:, -1])


def build(kind):
    net = Net(kind, 6)
    net.head = nn.Linear(net.head.in_features, options.data)
    net.double()
    for i, p in enumerate(net.parameters()):
        p.data.copy_(torch.tensor(weights(i, tuple(p.shape), 0.4)))
    return net


def main():
    found = []
    for kind in ("LSTM", "GRU"):
        net = build(kind)
        opt = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.5)
        for step in range(10):
            losses = []
            for part in range(2):
                x = torch.from_numpy(data(2 * step + part, 4, 3, 4, 4)).double()
                y = torch.from_numpy(classes(2 * step + part, 3, 4))
                losses.append(F.cross_entropy(net(x), y))
            opt.zero_grad()
            loss = torch.stack(losses).mean()
            loss.backward()
            opt.step()
            found.append(loss.item())
    return found


if __name__ == "__main__":
    print(main())
