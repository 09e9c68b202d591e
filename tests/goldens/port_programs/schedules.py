"""Every schedule and optimizer, with arguments of its own, on a line of two weights."""

import torch
from given import data, weights
from torch import nn, optim
from torch.optim import lr_scheduler as schedules


def line():
    model = nn.Linear(2, 1)
    model.weight.data.copy_(torch.tensor(weights(0, (1, 2))))
    model.bias.data.copy_(torch.tensor(weights(1, (1,))))
    return model


def train(model, optimizer, schedule, losses, scale=1.0):
    for i in range(5):
        optimizer.zero_grad()
        loss = (model(torch.tensor(data(i, 3, 2))) - 1).pow(2).mean() * scale
        loss.backward()
        optimizer.step()
        losses.append(loss.item() / scale)
        if schedule is not None:
            schedule.step()
            losses.append(optimizer.param_groups[0]["lr"])
            losses.append(schedule.get_last_lr()[0])


SCHEDULES = (
    lambda o: schedules.StepLR(o, 3),
    lambda o: schedules.MultiStepLR(o, milestones=[2, 4]),
    lambda o: schedules.ExponentialLR(o, gamma=0.9),
    lambda o: schedules.CosineAnnealingLR(o, 4, eta_min=0.01),
    lambda o: schedules.LambdaLR(o, lr_lambda=lambda e: 0.95 ** e),
    lambda o: schedules.LinearLR(o, total_iters=4),
    lambda o: schedules.ConstantLR(o, total_iters=2),
    lambda o: schedules.PolynomialLR(o, total_iters=4, power=2.0),
    lambda o: schedules.CosineAnnealingWarmRestarts(o, T_0=2, T_mult=2),
    lambda o: schedules.MultiplicativeLR(o, lambda e: 0.9),
    lambda o: schedules.OneCycleLR(o, max_lr=0.5, total_steps=6),
    lambda o: schedules.OneCycleLR(o, 0.5, epochs=2, steps_per_epoch=3, three_phase=True, anneal_strategy="linear"),
    lambda o: schedules.CyclicLR(o, base_lr=0.1, max_lr=0.3, step_size_up=2, cycle_momentum=False),
)
OPTIMIZERS = (
    lambda p: optim.Adam(p, lr=0.05, eps=1e-3),
    lambda p: optim.Adam(p, 0.05, (0.8, 0.9), 1e-8, 0.1),
    lambda p: optim.Adam(p, lr=0.05, amsgrad=True),
    lambda p: optim.AdamW(p, lr=0.05, eps=1e-3, amsgrad=True),
    lambda p: optim.RMSprop(p, lr=0.05, eps=1e-2, centered=True, momentum=0.5),
    lambda p: optim.Adagrad(p, lr=0.05, lr_decay=0.1, initial_accumulator_value=0.1),
    lambda p: optim.Adadelta(p, lr=0.5, rho=0.8, eps=1e-3),
    lambda p: optim.Adamax(p, lr=0.05, eps=1e-2),
    lambda p: optim.NAdam(p, lr=0.05, weight_decay=0.1),
    lambda p: optim.RAdam(p, lr=0.05, eps=1e-2),
    lambda p: optim.Rprop(p, lr=0.05, etas=(0.4, 1.3)),
    lambda p: optim.ASGD(p, lr=0.05, lambd=1e-2, t0=3),
    lambda p: optim.SGD(p, lr=0.05, momentum=0.9, dampening=0.5, weight_decay=0.1),
)


def main():
    losses = []
    for make in SCHEDULES:
        model = line()
        optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        schedule = make(optimizer)
        train(model, optimizer, schedule, losses)
    for make in OPTIMIZERS:
        model = line()
        optimizer = make(model.parameters())
        train(model, optimizer, None, losses, 1e-3)
    return losses
