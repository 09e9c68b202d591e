"""Gradients that other functions than that with `backward` read: adversarial training, helpers, steps elsewhere."""

import torch
import torch.nn.functional as F
from given import classes, weights
from torch import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 4)
        self.out = nn.Linear(4, 3)

    def forward(self, x):
        return self.out(self.words(x).mean(1))


class Adversary:
    """Moves the embeddings along their gradients, and back."""

    def __init__(self, net):
        self.net, self.saved, self.grads = net, {}, {}

    def attack(self, size=0.3):
        for name, p in self.net.named_parameters():
            if "words" in name:
                self.saved[name] = p.data.clone()
                norm = torch.norm(p.grad)
                if norm != 0:
                    p.data.add_(size * p.grad / norm)

    def restore(self):
        for name, p in self.net.named_parameters():
            if "words" in name:
                p.data = self.saved[name]

    def keep(self):
        self.grads = {name: p.grad.clone() for name, p in self.net.named_parameters()}

    def give_back(self):
        for name, p in self.net.named_parameters():
            p.grad = self.grads[name]


def norm_of(net):
    return sum(p.grad.norm().item() ** 2 for p in net.parameters() if p.grad is not None) ** 0.5


def halve(net):
    for p in net.parameters():
        p.grad *= 0.5
        p.grad.data.clamp_(-0.05, 0.05)


class Trainer:
    def __init__(self, net, optimizer):
        self.net, self.opt = net, optimizer

    def backward(self, x, y):
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()
        return loss.item()

    def update(self):
        found = nn.utils.clip_grad_norm_(self.net.parameters(), max_norm=0.2)
        self.opt.step()
        self.opt.zero_grad()
        return float(found)


def batch(number):
    return torch.tensor(classes(number, 9, (5, 6))), torch.tensor(classes(number + 50, 3, 5))


def main():
    losses = []
    net = Net()
    for i, p in enumerate(net.parameters()):
        p.data.copy_(torch.tensor(weights(i, tuple(p.shape), 0.5)))
    optimizer = optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    adversary, trainer = Adversary(net), Trainer(net, optimizer)
    for i in range(4):
        x, y = batch(i)
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        adversary.attack()
        other = F.cross_entropy(net(x), y)
        other.backward()
        adversary.restore()
        losses += [loss.item(), other.item(), norm_of(net)]
        optimizer.step()
        optimizer.zero_grad()
    for i in range(3):
        x, y = batch(10 + i)
        losses += [trainer.backward(x, y), trainer.backward(*batch(20 + i)), trainer.update()]
    for i in range(3):
        loss = F.cross_entropy(net(batch(i)[0]), batch(i)[1])
        loss.backward()
        adversary.keep()
        net.zero_grad()
        adversary.give_back()
        halve(net)
        losses += [loss.item(), norm_of(net)]
        optimizer.step()
        optimizer.zero_grad()
    return losses
