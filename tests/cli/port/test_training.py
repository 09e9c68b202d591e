"""Training steps of many kinds: ported programs print what PyTorch 2.13 printed for the originals."""

import contextlib
import io
import re

import numpy as np
import pytest

import msjax as ms
from msjax.cli.port import program, project, report

HEADER = """
import math, os, tempfile
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

def fill(net):
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()).float() * 0.7 + i).reshape(p.shape) * 0.4)
    return net

X = torch.sin(torch.arange(24 * 5).float() * 0.37).reshape(24, 5)
Y = (torch.arange(24) * 7) % 3
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(5, 8)
        self.l2 = nn.Linear(8, 3)
    def forward(self, x):
        return self.l2(torch.tanh(self.l1(x)))
net = fill(Net())
"""
STEPS = """
for i in range(3):
    opt.zero_grad()
    loss = F.cross_entropy(net(X), Y)
    loss.backward()
    opt.step()
    print(loss.item(){more})
"""


def printed(source):
    """The numbers that a ported program prints."""
    source = HEADER + source
    found = program.port_source(source, "mindspore", project.read([source]))
    assert [str(d) for d in found.report.of(report.LEFT)] == []
    out = io.StringIO()
    with ms.install_as("mindspore"), contextlib.redirect_stdout(out):
        exec(compile(found.text, "ported.py", "exec"), {"__name__": "__main__"})
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", out.getvalue())]


PROGRAMS = {
    "an optimizer of one's own, whose state is changed in place": (
        """
class Belief(optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        super(Belief, self).__init__(params, dict(lr=lr, betas=betas, eps=eps))
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                grad = p.grad.data
                state = self.state[p]
                if len(state) == 0:
                    state['step'] = 0
                    state['mean'] = torch.zeros_like(p.data)
                    state['var'] = torch.zeros_like(p.data)
                mean, var = state['mean'], state['var']
                b1, b2 = group['betas']
                state['step'] += 1
                mean.mul_(b1).add_(grad, alpha=1 - b1)
                rest = grad - mean
                var.mul_(b2).addcmul_(rest, rest, value=1 - b2)
                denom = (var.sqrt() / math.sqrt(1 - b2 ** state['step'])).add_(group['eps'])
                p.data.addcdiv_(mean, denom, value=-group['lr'] / (1 - b1 ** state['step']))
opt = Belief(net.parameters(), lr=0.02)
sched = optim.lr_scheduler.StepLR(opt, 2, gamma=0.5)
"""
        + STEPS.format(more=")\n    sched.step("),
        "belief",
    ),
    "a buffer that is bound in two branches": (
        """
class Momentum(optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))
    def step(self):
        for group in self.param_groups:
            for p in group['params']:
                state = self.state[p]
                if 'buf' not in state:
                    buf = state['buf'] = torch.clone(p.grad.data).detach()
                else:
                    buf = state['buf']
                    buf.mul_(0.9).add_(p.grad.data)
                p.data.add_(buf, alpha=-group['lr'])
opt = Momentum([{'params': net.l1.parameters()}, {'params': net.l2.parameters(), 'lr': 0.05}], lr=0.1)
"""
        + STEPS.format(more=""),
        "momentum",
    ),
    "distributions and targets on the way to a loss": (
        """
from torch.distributions import Categorical, kl_divergence
opt = optim.SGD(net.parameters(), lr=0.2)
teacher = fill(nn.Linear(3, 3))
for i in range(3):
    opt.zero_grad()
    out = net(X)
    with torch.no_grad():
        wanted = Categorical(logits=teacher(out) * 2)
    loss = kl_divergence(wanted, Categorical(logits=out)).mean()
    loss = loss + F.kl_div(F.log_softmax(out, 1), F.softmax(teacher(out), 1), reduction="batchmean")
    loss.backward()
    opt.step()
    print(loss.item())
""",
        "targets",
    ),
    "an average of what state_dict() holds": (
        """
import copy
opt = optim.SGD(net.parameters(), lr=0.2)
average = copy.deepcopy(net).eval()
for i in range(2):
    opt.zero_grad()
    loss = F.cross_entropy(net(X), Y)
    loss.backward()
    opt.step()
    with torch.no_grad():
        state = net.state_dict()
        for name, v in average.state_dict().items():
            v *= 0.5
            v += (1 - 0.5) * state[name].detach()
        print(F.cross_entropy(average(X), Y).item())
""",
        "state",
    ),
    "modules that are arguments": (
        """
criterion = nn.CrossEntropyLoss()
def train(encoder, decoder, first, second):
    first.zero_grad()
    second.zero_grad()
    loss = 0
    for i in range(2):
        hidden = torch.tanh(encoder(X))
    for i in range(2):
        loss += criterion(decoder(hidden), Y)
    loss.backward()
    first.step()
    second.step()
    return loss.item()
first, second = optim.SGD(net.l1.parameters(), lr=0.2), optim.SGD(net.l2.parameters(), lr=0.1)
for i in range(3):
    print("{:.6f}".format(train(net.l1, net.l2, first, second)))
""",
        "arguments",
    ),
    "phases, and another optimizer after them": (
        """
opt = optim.SGD(net.parameters(), lr=0.2)
for i in range(2):
    for phase in ["train", "val"]:
        opt.zero_grad()
        with torch.set_grad_enabled(phase == "train"):
            out = net(X)
            _, found = torch.max(out, 1)
            loss = F.cross_entropy(out, Y)
            if phase == "train":
                loss.backward()
                opt.step()
        print("{:.6f} {:.3f}".format(loss, (found == Y).float().mean()))
class Trainer:
    def __init__(self, model):
        self.part = model
        self.history = []
        self.other = optim.SGD(model.parameters(), lr=0.1)
    def cost(self, x):
        return F.cross_entropy(self.part(x), Y)
    def step(self):
        loss = self.cost(X)
        self.other.zero_grad()
        loss.backward()
        self.other.step()
        self.history.append(loss.item())
        with torch.no_grad():
            old = self.part(X)
        loss = F.mse_loss(self.part(X), old * 2)
        self.other.zero_grad()
        loss.backward()
        self.other.step()
        self.history.append(loss.item())
trainer = Trainer(net)
trainer.step()
print(*trainer.history)
""",
        "phases",
    ),
    "gradients set to zero, and enabled, in another function; a buffer that is set anew": (
        """
class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(1, 3))
        self.scale = self.scale * 2
    def forward(self, x):
        return x * self.scale
memory = Memory()
opt = optim.SGD(net.parameters(), lr=0.2)
def cost(optimizer):
    optimizer.zero_grad()
    with torch.enable_grad():
        return F.cross_entropy(memory(net(X)), Y)
for i in range(3):
    loss = cost(opt)
    loss.backward()
    opt.step()
    print(loss.item())
""",
        "zero",
    ),
    "two steps with one optimizer inside of another": (
        """
class Sharp(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups
    @torch.no_grad()
    def first_step(self, zero_grad=False):
        norm = torch.norm(torch.stack([p.grad.norm(p=2) for g in self.param_groups for p in g['params']]), p=2)
        for group in self.param_groups:
            scale = group['rho'] / (norm + 1e-12)
            for p in group['params']:
                self.state[p]['old'] = p.data.clone()
                p.add_(p.grad * scale.to(p))
        if zero_grad: self.zero_grad()
    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group['params']:
                p.data = self.state[p]['old']
        self.base_optimizer.step()
        if zero_grad: self.zero_grad()
    def step(self, closure):
        closure = torch.enable_grad()(closure)
        self.first_step(zero_grad=True)
        closure()
        self.second_step()
opt = Sharp(net.parameters(), optim.SGD, rho=0.5, lr=0.1, momentum=0.9)
for i in range(3):
    loss = F.cross_entropy(net(X), Y)
    loss.backward()
    opt.first_step(zero_grad=True)
    F.cross_entropy(net(X), Y).backward()
    opt.second_step(zero_grad=True)
    print(loss.item())
""",
        "sharp",
    ),
    "a scaler, and gradients that a function reads before they are unscaled": (
        """
def norm_of(net):
    return sum(p.grad.norm().item() for p in net.parameters())
opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler('cpu', init_scale=64.0)
for i in range(3):
    opt.zero_grad(set_to_none=True)
    loss = F.cross_entropy(net(X), Y)
    scaler.scale(loss).backward()
    before = norm_of(net)
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    scaler.step(opt)
    scaler.update()
    print(loss.item(), before, norm_of(net))
""",
        "scaler",
    ),
    "a closure, and gradients that a function reads": (
        """
def norm_of(net):
    return sum(p.grad.norm().item() for p in net.parameters())
opt = optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(net(X), Y)
        loss.backward()
        return loss
    loss = opt.step(closure)
    print(loss.item(), norm_of(net))
""",
        "closure",
    ),
    "clipping in another method": (
        """
class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = optim.SGD(model.parameters(), lr=0.5)
    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.clip()
        self.optimizer.step()
        return loss.item()
    def clip(self):
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 0.2)
trainer = Trainer(net)
print([trainer.step(X, Y) for i in range(3)])
""",
        "clip",
    ),
    "gradients by the names of layers, changed by their parameters": (
        """
opt = optim.SGD(net.parameters(), lr=0.1)
mask = (torch.arange(40).reshape(8, 5) % 2).float()
for i in range(3):
    opt.zero_grad()
    loss = F.cross_entropy(net(X), Y)
    loss.backward()
    net.l1.weight.grad *= mask
    with torch.no_grad():
        for p in net.parameters():
            p.grad += 0.01 * torch.sign(p)
    opt.step()
    print(loss.item(), net.l1.weight.grad[0, 0].item())
""",
        "names",
    ),
    "the gradient that a backward begins with": (
        """
D = fill(nn.Linear(5, 1))
opt = optim.RMSprop(D.parameters(), lr=0.01)
one = torch.tensor(1, dtype=torch.float)
mone = one * -1
for i in range(3):
    D.zero_grad()
    real = D(X).mean()
    real.backward(mone)
    fake = D(X.flip(0) ** 2).mean()
    fake.backward(gradient=one * 0.5)
    opt.step()
    print(real.item(), fake.item())
opt = optim.SGD(net.parameters(), lr=0.01)
for i in range(2):
    opt.zero_grad()
    out = net(X)
    out.backward(torch.ones_like(out) * 0.1)
    opt.step()
    loss = F.cross_entropy(net(X), Y)
    opt.zero_grad()
    torch.autograd.backward(loss)
    opt.step()
    print(out.sum().item(), loss.item())
""",
        "begins",
    ),
    "averages that take the place of parameters, and back": (
        """
shadow = {name: p.data.clone() for name, p in net.named_parameters()}
backup = {}
def apply_shadow():
    for name, param in net.named_parameters():
        backup[name] = param.data
        param.data = shadow[name]
def restore():
    for name, param in net.named_parameters():
        param.data = backup[name]
opt = optim.SGD(net.parameters(), lr=0.5)
for i in range(3):
    loss = F.cross_entropy(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    for name, param in net.named_parameters():
        shadow[name] = 0.7 * shadow[name] + 0.3 * param.data
    apply_shadow()
    with torch.no_grad():
        average = F.cross_entropy(net(X), Y)
    restore()
    print(loss.item(), average.item())
""",
        "average",
    ),
    "a queue that changes after the loss has read it": (
        """
class Queue(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.ones(8, 3))
        self.at = 0
    def enqueue(self, keys):
        self.keys[self.at:self.at + 4] = keys
        self.at = (self.at + 4) % 8
queue = Queue()
opt = optim.SGD(net.parameters(), lr=0.5)
for i in range(3):
    keys = torch.cos(X[i * 4:i * 4 + 4, :3])
    out = net(X[:4])
    logits = out @ queue.keys.clone().detach().t()
    queue.enqueue(keys)
    loss = F.cross_entropy(logits, Y[:4])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
""",
        "queue",
    ),
    "a penalty for gradients between a detached value and the loss": (
        """
D, G = fill(nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))), fill(nn.Linear(2, 5))
opt = optim.SGD(D.parameters(), lr=0.02)
for i in range(3):
    for p in D.parameters():
        p.requires_grad = True
    D.zero_grad()
    fake = G(X[:, :2]).detach()
    mixed = (0.3 * X + 0.7 * fake).requires_grad_()
    out = D(mixed)
    g = torch.autograd.grad(out, mixed, torch.ones_like(out), create_graph=True)[0]
    loss = D(fake).mean() - D(X).mean() + 10 * ((g.norm(2, dim=1) - 1) ** 2).mean()
    loss.backward()
    opt.step()
    print(loss.item())
""",
        "penalty",
    ),
    "parameters that an optimizer gets later": (
        """
for p in net.l1.parameters():
    p.requires_grad = False
opt = optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.2)
for i in range(4):
    if i == 2:
        for p in net.l1.parameters():
            p.requires_grad = True
        opt.add_param_group({'params': net.l1.parameters(), 'lr': 0.05})
    loss = F.cross_entropy(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
""",
        "later",
    ),
    "a checkpoint of an optimizer and a schedule": (
        """
path = os.path.join(tempfile.mkdtemp(), 'ck.pt')
def run(net, opt, sched, n):
    for i in range(n):
        loss = F.cross_entropy(net(X), Y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(loss.item())
opt = optim.Adam(net.parameters(), lr=0.05)
sched = optim.lr_scheduler.StepLR(opt, 2, 0.5)
run(net, opt, sched, 3)
torch.save({'model': net.state_dict(), 'opt': opt.state_dict(), 'sched': sched.state_dict(), 'epoch': 3}, path)
again = Net()
opt2 = optim.Adam(again.parameters(), lr=0.05)
sched2 = optim.lr_scheduler.StepLR(opt2, 2, 0.5)
ck = torch.load(path, weights_only=True)
again.load_state_dict(ck['model'])
opt2.load_state_dict(ck['opt'])
sched2.load_state_dict(ck['sched'])
run(again, opt2, sched2, 3)
""",
        "checkpoint",
    ),
    "Tensors of lists, dictionaries and objects that other names change": (
        """
bufs, d = [torch.zeros(3) for _ in range(2)], {'a': torch.ones(2)}
class Holder:
    def __init__(self):
        self.v = torch.zeros(2, 2)
    def bump(self):
        v = self.v
        v.add_(1)
        return self
def go(bs, dd):
    for i, b in enumerate(bs):
        b.add_(1.5)
        b.mul_(i + 2)
    t = dd['a']
    t.mul_(3).add_(1)
    t.clamp_(max=3.5)
go(bufs, d)
for b in bufs:
    b.sub_(0.5)
a = torch.zeros(2)
for t in (a,):
    t.add_(2)
rows = torch.zeros(2, 2)
rows[range(2), torch.tensor([1, 0])] = 7.0
print([b.tolist() for b in bufs], d['a'].tolist(), Holder().bump().v.tolist(), a.tolist(), rows.tolist())
""",
        "containers",
    ),
    "names that only some branch binds": (
        """
recurrent = X.sum().item() > 1e9
def train():
    if recurrent:
        state = torch.zeros(3)
    opt = optim.SGD(net.parameters(), lr=0.1)
    for i in range(3):
        opt.zero_grad()
        if recurrent:
            state = state.detach()
            out = net(X + state)
        else:
            out = net(X)
        loss = F.cross_entropy(out, Y)
        loss.backward()
        opt.step()
        print(loss.item())
train()
""",
        "branch",
    ),
    "statistics of a layer in a Sequential": (
        """
net = fill(nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 3)))
opt = optim.SGD(net.parameters(), lr=0.1)
"""
        + STEPS.format(more=", net[1].running_mean.sum().item()"),
        "statistics",
    ),
}
EXPECTED = {
    "belief": [1.114897, 1.099432, 1.094963],
    "momentum": [1.114897, 1.11365, 1.11143],
    "sharp": [1.114897, 1.109832, 1.102695],
    "scaler": [1.114897, 16.226, 0.1750811, 1.113476, 15.6306, 0.1750806, 1.110922, 14.49919, 0.175074],
    "closure": [1.114897, 0.2535313, 1.112856, 0.2400579, 1.111026, 0.2273122],
    "clip": [1.114897, 1.105812, 1.100902],
    "names": [1.114897, 0.0, 1.112919, 0.0, 1.111137, 0.0],
    "begins": [
        0.3381803,
        0.8947635,
        0.4380682,
        0.747098,
        0.5088769,
        0.6424207,
        15.56371,
        1.114884,
        11.93179,
        1.114657,
    ],
    "average": [1.114897, 1.111878, 1.105812, 1.107984, 1.100902, 1.104364],
    "queue": [2.079442, 2.115431, 2.002356],
    "penalty": [5.97888, 1.122964, 0.1080816],
    "later": [1.114897, 1.111717, 1.10903, 1.106626],
    "checkpoint": [1.114897, 1.09569, 1.103563, 1.102236, 1.098828, 1.097266],
    "containers": [2.5, 2.5, 2.5, 4.0, 4.0, 4.0, 3.5, 3.5, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 0.0, 7.0, 7.0, 0.0],
    "targets": [0.06120231, 0.04650129, 0.03730795],
    "state": [1.112856, 1.110197],
    "arguments": [2.229795, 2.22031, 2.213137],
    "phases": [1.114897, 0.25, 1.110927, 0.292, 1.110927, 0.292, 1.107755, 0.25, 1.107755, 0.06886307],
    "zero": [1.14696, 1.114766, 1.102932],
    "branch": [1.114897, 1.112856, 1.111026],
    "statistics": [1.112193, 0.0389675, 1.110918, 0.07403728, 1.109734, 0.1055992],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_ported_programs_print_the_numbers_of_the_originals(name):
    source, key = PROGRAMS[name]
    np.testing.assert_allclose(printed(source), EXPECTED[key], rtol=2e-5, atol=2e-6)
