"""Gradients that programs take themselves: a penalty, derivatives of a network, weights and images without an optimizer."""

import torch
import torch.nn.functional as F
from given import classes, data, weights
from torch import autograd, nn


def start(model):
    for i, p in enumerate(model.parameters()):
        p.data.copy_(torch.tensor(weights(i, tuple(p.shape))))
    return model


def penalty(judge, real, fake, share):
    mixed = (share * real + (1 - share) * fake).requires_grad_(True)
    score = judge(mixed)
    slope = autograd.grad(outputs=score, inputs=mixed, grad_outputs=torch.ones_like(score), create_graph=True)[0]
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


def with_penalty(losses):
    judge = start(nn.Sequential(nn.Linear(3, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1)))
    optimizer = torch.optim.SGD(judge.parameters(), lr=0.05)
    for i in range(5):
        real, fake, share = (torch.tensor(data(10 * i + k, 4, n)) for k, n in enumerate((3, 3, 1)))
        optimizer.zero_grad()
        loss = judge(fake).mean() - judge(real).mean() + 10 * penalty(judge, real, fake, share)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


def differential_equation(losses):
    net = start(nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1)))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for i in range(5):
        x = torch.tensor(data(i, 6, 1), requires_grad=True)
        u = net(x)
        u_x = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
        u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
        loss = ((u_xx + u) ** 2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


def by_hand(losses):
    w = torch.tensor(weights(0, (4, 2)), requires_grad=True)
    b = torch.zeros(2, requires_grad=True)
    for i in range(6):
        x, y = torch.tensor(data(i, 5, 4)), torch.tensor(data(i + 40, 5, 2))
        loss = (x.mm(w).clamp(min=0) + b - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
            b -= 0.05 * b.grad
            w.grad.zero_()
            b.grad.zero_()
        losses.append(loss.item())


def of_images(losses):
    model = start(nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3)))
    model.eval()
    for i in range(3):
        image, target = torch.tensor(data(i, 2, 6)), torch.tensor(classes(i, 3, 2))
        image.requires_grad = True
        loss = F.cross_entropy(model(image), target)
        model.zero_grad()
        loss.backward()
        changed = torch.clamp(image + 0.1 * image.grad.data.sign(), 0, 1)
        losses += [loss.item(), F.cross_entropy(model(changed), target).item()]


def main():
    losses = []
    with_penalty(losses)
    differential_equation(losses)
    by_hand(losses)
    of_images(losses)
    return losses
