"""Losses that one function computes from what another kept: REINFORCE, an agent with a critic, a loss in three methods."""

from collections import deque, namedtuple

import torch
from given import classes, data, weights
from torch import nn
from torch.distributions import Categorical, Normal
from torch.nn import functional as F

Step = namedtuple("Step", "log_prob value")


def start(model):
    for i, p in enumerate(model.parameters()):
        p.data.copy_(torch.tensor(weights(i, tuple(p.shape), 0.4)))
    return model


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 6)
        self.head = nn.Linear(6, 3)
        self.critic = nn.Linear(6, 1)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return F.softmax(self.head(h), dim=-1), self.critic(h)


policy = start(Policy())
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def select_action(number):
    probs, _ = policy(torch.from_numpy(data(number, 4)).unsqueeze(0))
    dist = Categorical(probs)
    action = torch.tensor(classes(number, 3, 1))
    policy.saved_log_probs.append(dist.log_prob(action))
    return action.item()


def finish_episode():
    total, policy_loss, returns = 0, [], deque()
    for r in policy.rewards[::-1]:
        total = r + 0.9 * total
        returns.appendleft(total)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    for log_prob, gain in zip(policy.saved_log_probs, returns):
        policy_loss.append(-log_prob * gain)
    optimizer.zero_grad()
    policy_loss = torch.cat(policy_loss).sum()
    policy_loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]
    return policy_loss.item()


def reinforce(losses):
    for episode in range(7):
        for t in range(4):
            action = select_action(10 * episode + t)
            policy.rewards.append(float(action) + 0.1 * t)
        losses.append(finish_episode())


def act(model, number):
    probs, value = model(torch.from_numpy(data(number, 4)).unsqueeze(0))
    dist = Categorical(probs)
    action = torch.tensor(classes(number, 3, 1))
    return action.item(), dist.log_prob(action), value, dist.entropy()


def update(steps, entropies, rewards, opt):
    loss = 0
    for step, reward in zip(steps, rewards):
        advantage = reward - step.value.item()
        loss = loss - (step.log_prob * advantage).sum() + F.smooth_l1_loss(step.value, torch.tensor([[reward]]))
    loss = loss - 0.01 * torch.cat(entropies).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.8)
    opt.step()
    return loss.item()


net = start(Policy())


def arguments(losses):
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for episode in range(7):
        steps, entropies, rewards = [], [], []
        for t in range(3):
            action, log_prob, value, entropy = act(net, 10 * episode + t)
            steps.append(Step(log_prob, value)); entropies.append(entropy)
            rewards.append(float(action))
        losses.append(update(steps, entropies, rewards, opt))


class Agent:
    def __init__(self):
        self.policy = start(nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2)))
        self.optimizer = torch.optim.RMSprop(self.policy.parameters(), lr=1e-3)
        self.log_probs = []

    def act(self, number):
        out = self.policy(torch.as_tensor(data(number, 3)))
        dist = Normal(out[0], out[1].exp())
        self.log_probs += [dist.log_prob(torch.tensor(0.3))]

    def learn(self, gains):
        loss = -(torch.stack(self.log_probs) * gains).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.log_probs = []
        return loss.item()


def agent(losses):
    player = Agent()
    for episode in range(6):
        for t in range(3):
            player.act(10 * episode + t)
        losses.append(player.learn(torch.tensor(data(episode, 3))))


class Translation:
    def __init__(self):
        self.G, self.D = start(nn.Linear(3, 3)), start(nn.Linear(3, 1))
        self.opt_G = torch.optim.SGD(self.G.parameters(), lr=0.05)
        self.opt_D = torch.optim.SGD(self.D.parameters(), lr=0.05)
        self.criterion = nn.MSELoss()

    def forward(self): self.fake = self.G(self.real)

    def optimize(self, real):
        self.real = real
        self.forward()
        self.opt_D.zero_grad()
        found = self.D(self.fake.detach())
        loss_D = self.criterion(found, torch.zeros_like(found)) + self.criterion(self.D(self.real), torch.ones_like(found))
        loss_D.backward()
        self.opt_D.step()
        self.opt_G.zero_grad()
        found = self.D(self.fake)
        loss_G = self.criterion(found, torch.ones_like(found)) + (self.fake - self.real).abs().mean()
        loss_G.backward()
        self.opt_G.step()
        return [loss_D.item(), loss_G.item()]


def main():
    losses = []
    reinforce(losses)
    arguments(losses)
    agent(losses)
    translation = Translation()
    for i in range(6):
        losses += translation.optimize(torch.tensor(data(i, 5, 3)))
    return losses
