"""Reinforcement learning from recorded actions: clipped ratios, and a Gaussian policy with a critic."""

import torch
from given import classes, data, weights
from torch import nn
from torch.distributions import Bernoulli, Categorical, Normal
from torch.nn import functional as F


def start(model):
    for i, p in enumerate(model.parameters()):
        p.data.copy_(torch.tensor(weights(i, tuple(p.shape))))
    return model


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
        self.actor = nn.Linear(4, 3)
        self.log_std = nn.Parameter(torch.zeros(3))

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)

    def forward(self, x):
        return self.actor(x), self.log_std.exp(), self.critic(x)


def ratios(losses):
    agent = start(Agent())
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-3, eps=1e-5)
    for update in range(1, 5):
        optimizer.param_groups[0]["lr"] = (1.0 - (update - 1.0) / 4) * 2.5e-3
        obs, actions = torch.tensor(data(update, 8, 4)), torch.tensor(classes(update, 3, 8))
        rewards = torch.tensor(data(update + 20, 8))
        with torch.no_grad():
            _, before, _, values = agent.get_action_and_value(obs, actions)
            advantages = rewards - values.flatten()
        for _ in range(2):
            _, after, entropy, value = agent.get_action_and_value(obs, actions.long())
            ratio = (after - before).exp()
            scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            policy_loss = torch.max(-scaled * ratio, -scaled * torch.clamp(ratio, 0.8, 1.2)).mean()
            loss = policy_loss - 0.01 * entropy.mean() + 0.5 * ((value.view(-1) - rewards) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            losses += [loss.item(), entropy.mean().item()]


def gaussian(losses):
    net = start(Agent())
    optimizer = torch.optim.RMSprop(net.parameters(), lr=3e-3)
    for i in range(4):
        obs, act, gain = (torch.as_tensor(data(3 * i + k, 6, n)) for k, n in enumerate((4, 3, 1)))
        mu, std, value = net(obs)
        dist = Normal(mu, std)
        advantage = (gain - value).detach()
        loss = -(dist.log_prob(act).sum(-1, keepdim=True) * advantage).mean() + F.smooth_l1_loss(value, gain)
        loss = loss - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


def values(losses):
    for d in (Categorical(torch.tensor(data(0, 3, 4))), Categorical(probs=torch.tensor([0.0, 0.25, 0.75]))):
        losses += d.entropy().reshape(-1).tolist()
        losses += d.log_prob(torch.tensor([2, 1, 0])).tolist()
    for d in (Bernoulli(torch.tensor([0.0, 0.3, 1.0])), Bernoulli(logits=torch.tensor([-50.0, 0.3, 50.0]))):
        losses += d.entropy().tolist() + d.log_prob(torch.tensor([0.0, 1.0, 1.0])).tolist()
        losses.append(float(d.sample((5,)).shape == (5, 3)))
    d = Normal(torch.tensor([0.0, 1.0]), 2.0)
    losses += d.log_prob(torch.tensor(0.5)).tolist() + d.entropy().tolist()
    losses.append(float(d.sample((4,)).shape == (4, 2)))


def main():
    losses = []
    ratios(losses)
    gaussian(losses)
    values(losses)
    return losses
