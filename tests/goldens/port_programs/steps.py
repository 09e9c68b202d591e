"""Training steps in several forms: phases, two optimizers, no_grad on the way to the loss, closures."""

import copy

import torch
import torch.nn.functional as F
from given import classes, data, weights
from torch import nn, optim


def start(model):
    for i, p in enumerate(model.parameters()):
        p.data.copy_(torch.tensor(weights(i, tuple(p.shape))))
    return model


def batch(number):
    return torch.tensor(data(number, 4, 5)), torch.tensor(classes(number, 3, 4))


def phases(losses):
    model = start(nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 3)))
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loaders = {"train": [batch(0), batch(1)], "val": [batch(2)]}
    best = copy.deepcopy(model.state_dict())
    for epoch in range(3):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()
            right = 0
            for inputs, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = F.cross_entropy(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                right += torch.sum(preds == labels.data)
            losses.append(loss.item())
            losses.append(right.item())
        if epoch == 1:
            best = copy.deepcopy(model.state_dict())
        for group in optimizer.param_groups:
            group["lr"] *= 0.5
        losses.append(optimizer.param_groups[0]["lr"])
    model.load_state_dict(best)
    model.eval()
    losses.append(model(batch(2)[0]).sum().item())


def two_optimizers(losses):
    encoder, decoder = start(nn.Linear(5, 4)), start(nn.Linear(4, 3))
    first, second = optim.Adam(encoder.parameters(), lr=0.01, eps=1e-4), optim.Adam(decoder.parameters(), lr=0.02)
    for i in range(4):
        x, y = batch(i)
        first.zero_grad()
        second.zero_grad()
        loss = F.cross_entropy(decoder(encoder(x).relu_()), y)
        loss.backward()
        first.step()
        second.step()
        losses.append(loss.item())


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.book = nn.Embedding(6, 5)
        self.register_buffer("usage", torch.zeros(6))

    @torch.no_grad()
    def codes(self, z):
        distances = (z.unsqueeze(1) - self.book.weight.unsqueeze(0)).pow(2).sum(-1)
        return distances.argmin(1), z.mean()

    def forward(self, z):
        index, mean = self.codes(z)
        q = self.book(index)
        with torch.no_grad():
            target = q * 0.5 + z.mean()
            self.usage += F.one_hot(index, 6).float().sum(0)
        return z + (q - z).detach() + mean, (z - target).pow(2).mean() + F.mse_loss(q, z.detach())


def without_gradient(losses):
    encoder, model = start(nn.Linear(5, 5)), start(Quantized())
    teacher = copy.deepcopy(encoder)
    optimizer = optim.SGD(list(encoder.parameters()) + list(model.parameters()), lr=0.1)
    for i in range(4):
        x, y = batch(i)
        with torch.no_grad():
            soft = teacher(x).softmax(1)
        out, extra = model(encoder(x))
        with torch.no_grad():
            weight = out.abs().mean(1, keepdim=True)
        loss = (weight * (out - soft) ** 2).mean() + extra
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 0.05)
        optimizer.step()
        losses.append(loss.item())
    losses.append(model.usage.max().item())


def closures(losses):
    x, y = batch(0)
    model = start(nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3)))
    optimizer = optim.LBFGS(model.parameters(), lr=0.5, max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        losses.append(loss.item())
        loss.backward()
        return loss

    for _ in range(3):
        losses.append(optimizer.step(closure).item())
    plain = optim.SGD(model.parameters(), lr=0.1)

    def again():
        plain.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(2):
        loss = plain.step(again)
        losses.append(loss.item())


def main():
    losses = []
    phases(losses)
    two_optimizers(losses)
    without_gradient(losses)
    closures(losses)
    return losses
