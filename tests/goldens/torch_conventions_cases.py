"""Questions about what programs written for PyTorch do around the tensors, as small programs (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false


# %% optimizers/written by the program
class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-1, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                    state["calls"] = 0
                state["calls"] += 1
                exp_avg, (beta1, beta2) = state["exp_avg"], group["betas"]
                p.add_(
                    torch.sign(exp_avg.clone().mul_(beta1).add(p.grad, alpha=1 - beta1)), alpha=-group["lr"]
                )
                exp_avg.mul_(beta2).add_(p.grad, alpha=1 - beta2)
        return loss


w = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
o = Lion([w], weight_decay=0.1)
schedule = S.StepLR(o, 1, gamma=0.5)
show(len(o.state), str(isinstance(o, torch.optim.Optimizer)), o.param_groups[0]["lr"])
for _ in range(3):
    loss = o.step(lambda: (o.zero_grad(), (w**2).sum().backward(), (w**2).sum())[-1])
    schedule.step()
    show(loss, w.detach(), o.state[w]["exp_avg"], o.state[w]["calls"], o.param_groups[0]["lr"])
saved = o.state_dict()
show(
    sorted(saved), saved["state"][0]["exp_avg"], saved["state"][0]["calls"], saved["param_groups"][0]["betas"]
)
other = Lion([w])
other.load_state_dict(saved)
show(
    other.state[w]["exp_avg"],
    other.state[w]["calls"],
    other.param_groups[0]["lr"],
    other.param_groups[0]["weight_decay"],
)


# %% optimizers/around another
class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base_optimizer(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups
        self.defaults.update(self.base_optimizer.defaults)

    @torch.no_grad()
    def first_step(self):
        norm = torch.norm(
            torch.stack(
                [p.grad.norm(p=2) for g in self.param_groups for p in g["params"] if p.grad is not None]
            ),
            p=2,
        )
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                self.state[p]["old_p"] = p.data.clone()
                p.add_(p.grad * scale.to(p))
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = self.state[p]["old_p"]
        self.base_optimizer.step()
        self.zero_grad()

    @torch.no_grad()
    def step(self, closure):
        closure = torch.enable_grad()(closure)
        self.first_step()
        closure()
        self.second_step()


net = fill(nn.Linear(2, 1))
x = torch.tensor([[1.0, 2.0], [0.5, -1.0]])
for base, named in ((torch.optim.SGD, dict(lr=0.1, momentum=0.9)), (torch.optim.Adam, dict(lr=0.1))):
    o = SAM(net.parameters(), base, **named)
    for _ in range(2):
        loss = lambda: (net(x) ** 2).mean()
        loss().backward()
        o.step(lambda: loss().backward())
    show(net.weight, net.bias, str(o.base_optimizer.param_groups is o.param_groups))

# %% optimizers/state
w = torch.tensor([1.0, 2.0], requires_grad=True)
for make in (
    torch.optim.Adam,
    torch.optim.AdamW,
    lambda p: torch.optim.SGD(p, 0.1, momentum=0.9),
    torch.optim.RMSprop,
    torch.optim.Adagrad,
):
    o = make([w])
    (w * w).sum().backward()
    o.step()
    show(
        type(o).__name__,
        {k: v for k, v in sorted(o.state[w].items()) if v is not None},
        str(all(type(v) is torch.Tensor for v in o.state[w].values() if v is not None)),
    )
calls = []
h = o.register_step_pre_hook(lambda opt, args, kwargs: calls.append("before"))
o.register_step_post_hook(lambda opt, args, kwargs: calls.append(type(opt).__name__))
o.step()
h.remove()
o.step()
show(calls)
attempt(lambda: torch.optim.Optimizer([w], {}).step())
attempt(lambda: torch.optim.SGD([w], lr=-1))

# %% tensors/of sequences
import collections, array

for data in (
    collections.deque([1, 2]),
    range(3),
    collections.deque([1.5, 2]),
    array.array("d", [1.0, 2.0]),
    [range(2), range(2)],
    (1, 2.5),
    [torch.tensor(1.0), torch.tensor(2.0)],
    [np.float64(1.5)],
    [np.array([1, 2])],
    collections.deque([[1, 2], [3, 4]]),
    [True, 2],
    np.float32(2.0),
    [[]],
    [],
):
    attempt(lambda: torch.tensor(data))


class Row(collections.UserList):
    pass


attempt(lambda: torch.tensor(Row([1, 2])))
attempt(lambda: torch.as_tensor(collections.deque([1, 2])))
attempt(lambda: torch.tensor("ab"))
attempt(lambda: torch.tensor({1: 2}))
attempt(lambda: torch.tensor(None))

# %% devices/text
d = torch.device("cpu")
show(
    str(d),
    repr(d),
    repr([torch.device("cuda", 1), torch.device("cuda:0")]),
    f"{d!r} {d}",
    d.type,
    str(d.index),
    str(d == torch.device("cpu")),
    str(torch.device("cpu") == torch.zeros(1).device),
    torch.device("cuda:1").index,
)
with torch.device("cpu"):
    show(torch.ones(2))
show(str(torch.zeros(1).device), str(isinstance(d, torch.device)))
attempt(lambda: torch.device("nowhere"))
attempt(lambda: torch.device("cpu:x"))

# %% dtypes/text
show(
    str(torch.float32),
    repr(torch.int64),
    f"{torch.bool}",
    str(torch.zeros(1).dtype),
    str(torch.ones(1).double().dtype),
    str(getattr(torch, str(torch.float16).split(".")[1])),
    str(torch.half),
    str(torch.long),
    str(torch.cfloat),
)
show(
    str(torch.float32 == torch.zeros(1).dtype),
    str(torch.zeros(1).dtype is torch.float32),
    {torch.float32: 1}[torch.ones(1).dtype],
    str(isinstance(torch.int8, torch.dtype)),
    str(torch.int8.is_floating_point),
    torch.float64.itemsize,
    str(torch.complex64.is_complex),
    str(torch.int8.is_signed),
)
show(
    str(torch.get_default_dtype()),
    str(torch.promote_types(torch.int8, torch.float16)),
    str(torch.result_type(torch.ones(1), 2)),
    str(torch.finfo(torch.float32).dtype),
    torch.iinfo(torch.int8).max,
    str(torch.float32.to_complex()),
    str(torch.complex128.to_real()),
)
import copy, pickle

show(
    str(pickle.loads(pickle.dumps(torch.int32)) is torch.int32),
    str(copy.deepcopy(torch.int32) is torch.int32),
)
show(torch.zeros(2, dtype=torch.uint16).dtype, torch.tensor([1, 2], dtype=torch.uint32))

# %% tensors/old types
x = torch.ones(2)
for name in "Float Double Half BFloat16 Byte Char Short Int Long Bool".split():
    t = getattr(torch, f"{name}Tensor")
    show(
        name,
        str(isinstance(x, t)),
        str(isinstance(t(2), t)),
        str(t([1, 0]).dtype),
        str(isinstance(t, type)),
        str(t(2, 3).shape == (2, 3)),
    )
show(
    str(isinstance(3, torch.FloatTensor)),
    x.type(),
    x.type(torch.DoubleTensor).type(),
    x.type("torch.LongTensor"),
    str(isinstance(nn.Parameter(x), torch.FloatTensor)),
)

# %% tensors/numpy
x = torch.ones(2, requires_grad=True)
attempt(lambda: x.numpy())
show(
    x.numpy(force=True),
    x.detach().numpy(),
    np.asarray(x.detach()),
    np.array(x.detach()).dtype == np.float32,
    torch.from_numpy(np.arange(3)),
    np.sum(x.detach().numpy()),
)

# %% amp/autocast
net = fill(nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.ReLU(), nn.Linear(4, 2)))
x, y = torch.linspace(-1, 1, 6).reshape(2, 3), torch.tensor([0, 1])
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = net(x)
    loss = F.cross_entropy(out, y)
    show(
        str(out.dtype),
        str(loss.dtype),
        str((x @ x.T).dtype),
        str(torch.mm(x, x.T).dtype),
        str((x + x).dtype),
        str(F.mse_loss(out, out * 0).dtype),
        str(torch.exp(x).dtype),
        str(F.softmax(out, -1).dtype),
        str(F.conv1d(x[None], torch.ones(1, 2, 2)).dtype),
    )
    show(
        str(torch.is_autocast_enabled("cpu")),
        str(torch.get_autocast_dtype("cpu")),
        str(torch.is_autocast_cpu_enabled()),
    )
    with torch.autocast("cpu", enabled=False):
        show(str((x @ x.T).dtype), str(torch.is_autocast_enabled("cpu")))
loss.backward()
show(
    str(net[0].weight.grad.dtype),
    str((x @ x.T).dtype),
    str(torch.is_autocast_enabled("cpu")),
    str(torch.get_autocast_dtype("cpu")),
    str(torch.get_autocast_dtype("cuda")),
)


@torch.autocast("cpu", dtype=torch.bfloat16)
def f(a):
    return a @ a


show(str(f(torch.ones(2, 2)).dtype))
with torch.amp.autocast("cpu"):
    show(str((x @ x.T).dtype))
with torch.autocast("cuda", dtype=torch.float16):
    show(str((x @ x.T).dtype), str(torch.is_autocast_enabled()))
with torch.cuda.amp.autocast():
    show(str((x @ x.T).dtype))
for make in (torch.amp.GradScaler, torch.cuda.amp.GradScaler, torch.GradScaler):
    scaler = make()
    show(str(scaler.is_enabled()), scaler.get_scale(), scaler.scale(torch.ones(1)))
scaler = torch.amp.GradScaler("cpu")
show(str(scaler.is_enabled()), scaler.get_scale())
attempt(lambda: torch.autocast("nowhere"))

# %% package/questions
show(
    str(torch.cuda.is_available()),
    torch.cuda.device_count(),
    str(torch.accelerator.is_available()),
    str(torch.accelerator.current_accelerator()),
    str(hasattr(torch, "xpu") and torch.xpu.is_available()),
    str(torch.backends.mps.is_available()),
    str(torch.mps.is_available()),
    str(torch.backends.cudnn.is_available()),
)
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.deterministic = True
show(
    str(torch.distributed.is_initialized()),
    str(torch.version.cuda),
    torch.__version__.split("+")[0],
    str(torch.jit.is_scripting()),
    str(torch.compiler.is_compiling()),
    str(torch.cuda.is_bf16_supported()),
    torch.cuda.memory_allocated(),
    str(torch.onnx.is_in_onnx_export()),
    str(torch.cuda.is_initialized()),
)
device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
show(str(device), str(next(iter({"xpu": 1} if torch.xpu.is_available() else {"cpu": 2}))))

# %% package/names
import torch.nn.parallel, torch.onnx, torch.distributed as dist, torch.multiprocessing, torch.cuda.amp, torch.hub, torch.jit, torch.fx, torch.utils._pytree, torch.backends.cudnn as cudnn
from torch.nn.modules.conv import Conv2d, _ConvNd
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.utils import _pair, _triple
from torch.utils.data.dataset import Dataset, Subset
from torch.utils.data.dataloader import DataLoader, default_collate
from torch.utils.data.sampler import Sampler
from torch.optim.adamw import AdamW
from torch.optim.lr_scheduler import LRScheduler
from torch.autograd.variable import Variable
from torch.nn.attention import sdpa_kernel, SDPBackend
from torch.nn.parameter import Parameter
from torch.types import Number
from torch.functional import einsum

show(
    str(Conv2d is nn.Conv2d),
    str(isinstance(nn.Conv1d(1, 1, 1), _ConvNd)),
    str(isinstance(nn.BatchNorm1d(1), _BatchNorm)),
    str(isinstance(nn.Linear(1, 1), _BatchNorm)),
    _pair(3),
    _triple((1, 2, 3)),
    str(Dataset is torch.utils.data.Dataset),
    str(AdamW is torch.optim.AdamW),
    str(einsum is torch.einsum),
    str(nn.modules.linear.Linear is nn.Linear),
    str(Parameter is nn.Parameter),
)
net = nn.DataParallel(fill(nn.Linear(2, 1)))
show(net(torch.ones(1, 2)), list(net.state_dict()))
show(torch.jit.script(net.module)(torch.ones(1, 2)), torch.compile(net.module)(torch.ones(1, 2)))

# %% layers/device and dtype by place
for net in (
    nn.Linear(2, 3, True, None, None),
    nn.Linear(2, 3, False, "cpu", torch.float64),
    nn.Conv2d(1, 1, 3, 1, 0, 1, 1, True, "zeros", None, torch.float64),
    nn.LayerNorm(2, 1e-5, True, True, None, torch.float64),
    nn.Embedding(2, 3, None, None, 2.0, False, False, None, None, None, torch.float64),
    nn.BatchNorm1d(2, 1e-5, 0.1, True, True, None, torch.float64),
    nn.GroupNorm(1, 2, 1e-5, True, None, torch.float64),
    nn.LSTM(2, 3, dtype=torch.float64),
    nn.PReLU(1, 0.25, None, torch.float64),
    nn.LSTMCell(2, 3, True, None, torch.float64),
    nn.Bilinear(1, 1, 1, True, None, torch.float64),
    nn.MultiheadAttention(2, 1, dtype=torch.float64),
):
    show(str(net), sorted({str(p.dtype) for p in net.parameters()}))


class Layer(nn.Linear):
    def __init__(self, i, o, bias=True, device=None, dtype=None):
        super().__init__(i, o, bias, device, dtype)


show(str(Layer(2, 3)))

# %% layers/dropout of channels
torch.manual_seed(0)
for shape in ((4, 6), (3, 4, 5), (2, 3, 4, 5)):
    y = F.dropout2d(torch.ones(shape), 0.5, True)
    flat = y.reshape(-1, 1) if len(shape) == 2 else y.reshape(-1, shape[-1] * shape[-2])
    show(
        str(y.shape == shape),
        str(all(len(set(row.tolist())) == 1 for row in flat)),
        str(set(flat.reshape(-1).tolist()) <= {0.0, 2.0}),
    )
    show(str(nn.Dropout2d(0.5).eval()(torch.ones(shape)).sum().item() == torch.ones(shape).sum().item()))


# %% pruning/one method after another
from torch.nn.utils import prune

net = fill(nn.Linear(4, 3))
prune.l1_unstructured(net, "weight", amount=3)
show([n for n, _ in net.named_parameters()], [n for n, _ in net.named_buffers()], net.weight.detach())
prune.ln_structured(net, "weight", amount=1, n=2, dim=0)
show(net.weight_mask, prune.is_pruned(net), len(net._forward_pre_hooks), net.weight.detach())
net(torch.ones(2, 4)).pow(2).sum().backward()
show(net.weight_orig.grad, net.weight_orig.detach())
with torch.no_grad():
    net.weight_orig += 1
show(net(torch.ones(1, 4)).detach(), net.weight.detach())
prune.remove(net, "weight")
show(type(net.weight).__name__, sorted(net.state_dict()), net.weight.detach(), prune.is_pruned(net))

# %% pruning/of several modules as one
from torch.nn.utils import prune

net = fill(nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 3)))
with torch.no_grad():
    net[0].weight += torch.arange(6.0).reshape(2, 3) / 64
    net[2].weight -= torch.arange(6.0).reshape(3, 2) / 100
pairs = [(net[0], "weight"), (net[2], "weight")]
prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.5)
show(net[0].weight_mask, net[2].weight_mask)
prune.custom_from_mask(net[0], "bias", torch.tensor([0.0, 1.0]))
show(net[0].bias.detach(), [type(h).__name__ for h in net[0]._forward_pre_hooks.values()])
prune.identity(net[2], "bias")
show(net[2].bias_mask, prune.L1Unstructured(2).prune(torch.tensor([1.0, -3.0, 0.5, 2.0])))

# %% pruning/refused
from torch.nn.utils import prune

attempt(lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=1.5))
attempt(lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount="all"))
attempt(lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=9))
attempt(lambda: prune.remove(nn.Linear(2, 2), "weight"))
attempt(lambda: prune.ln_structured(nn.Linear(2, 2), "bias", amount=1, n=2, dim=0))
attempt(lambda: prune.random_structured(nn.Linear(2, 2), "weight", amount=1, dim=2))
attempt(lambda: prune.global_unstructured([(nn.Linear(2, 2), "weight")], prune.LnStructured, amount=1, n=2))
attempt(lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=1, importance_scores=torch.ones(3)))
attempt(lambda: torch._check(False, lambda: "three is not two"))

# %% libraries/private names that they build on
from torch.nn.modules.loss import _Loss, _WeightedLoss
from torch.optim.lr_scheduler import _LRScheduler
from torch.utils.dlpack import from_dlpack, to_dlpack


class Dice(_WeightedLoss):
    def forward(self, x, y):
        loss = self.weight * (x - y) ** 2
        return loss.mean() if self.reduction == "mean" else loss


class Halving(_LRScheduler):
    def get_lr(self):
        return [base * 0.5**self.last_epoch for base in self.base_lrs]


x, y = torch.tensor([1.0, 2.0]), torch.tensor([0.0, 4.0])
show(Dice(torch.tensor([1.0, 3.0]))(x, y), Dice(torch.tensor([1.0, 3.0]), reduction="none")(x, y))
show(isinstance(nn.MSELoss(), _Loss), isinstance(nn.MSELoss(), _WeightedLoss))
show(isinstance(nn.CrossEntropyLoss(), _WeightedLoss), isinstance(nn.ReLU(), _Loss))
w = torch.tensor([1.0], requires_grad=True)
o = torch.optim.SGD([w], lr=1.0)
s = Halving(o)
o.step()
s.step()
show(s.get_last_lr(), from_dlpack(to_dlpack(x)), str(torch.strided), str(x.layout))
show(isinstance(torch.strided, torch.layout), isinstance(torch.channels_last, torch.memory_format))
show(isinstance(x.layout, torch.layout), isinstance(3, torch.SymInt), torch._shape_as_tensor(x))
torch._check(True, lambda: "never")

# %% start values/former names
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    w = torch.empty(2, 3)
    nn.init.constant(w, 2.0)
    show(w, nn.init.eye(torch.empty(2, 2)))
    nn.init.xavier_uniform(w)
    show(str(caught[0].message), caught[0].category.__name__, bool((w.abs() <= (6 / 5) ** 0.5).all()))
w = nn.init.sparse_(torch.empty(10, 4), 0.33, std=1.0)
show((w == 0).sum(0))


# %% start values/drawn again
class Constant(nn.Linear):
    def reset_parameters(self):
        nn.init.constant_(self.weight, 0.5)
        nn.init.zeros_(self.bias)


show(Constant(2, 1).weight.detach(), Constant(2, 1)(torch.ones(1, 2)).detach())
layers = [
    nn.Linear(3, 4), nn.Conv2d(2, 3, 3, groups=1), nn.ConvTranspose1d(2, 3, 2), nn.Bilinear(2, 3, 4), nn.LSTM(2, 3, 2),
    nn.GRUCell(2, 3), nn.Embedding(5, 3, padding_idx=1), nn.EmbeddingBag(5, 3), nn.BatchNorm1d(3), nn.LayerNorm(3),
    nn.GroupNorm(1, 3), nn.RMSNorm(3), nn.InstanceNorm1d(3, affine=True), nn.PReLU(2),
]
for layer in layers:
    with torch.no_grad():
        for p in layer.parameters():
            p.fill_(7.0)
    layer.reset_parameters()
    changed = all(bool((p != 7).all()) for p in layer.parameters())
    bound = max(float(p.detach().abs().max()) for p in layer.parameters())
    show(type(layer).__name__, changed, bound < 0.75 or bound in (1.0, 0.25) or "Embedding" in type(layer).__name__)
show(layers[6].weight[1].detach(), layers[8].weight.detach(), layers[9].bias.detach(), layers[13].weight.detach())
norm = nn.BatchNorm1d(2)
norm(torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
norm.reset_running_stats()
show(norm.running_mean, norm.running_var, norm.num_batches_tracked)
attention = nn.MultiheadAttention(4, 2)
attention._reset_parameters()
show(attention.in_proj_bias.detach(), attention.out_proj.bias.detach())
double = nn.Linear(2, 2, dtype=torch.float64)
double.reset_parameters()
show(double.weight.dtype, double.weight.requires_grad)


# %% optimizers/Adafactor, Muon
for make in (
    lambda n: torch.optim.Adafactor(n.parameters(), lr=0.1, weight_decay=0.1),
    lambda n: torch.optim.Adafactor(n.parameters(), beta2_decay=-0.5, eps=(1e-4, 1e-2), d=1.5, maximize=True),
):
    net = fill(nn.Linear(3, 2))
    o = make(net)
    for _ in range(3):
        o.zero_grad()
        net(torch.tensor([[1.0, -2.0, 0.5]])).pow(2).sum().backward()
        o.step()
    show(net.weight, net.bias, sorted(o.state[net.weight]), sorted(o.state[net.bias]))
# It computes in bfloat16, whose sums each library rounds in its own way: a twentieth of the way may differ.
for how in ({}, {"nesterov": False, "adjust_lr_fn": "match_rms_adamw"}):
    net = fill(nn.Linear(3, 2))
    o = torch.optim.Muon([net.weight], lr=0.1, **how)
    for _ in range(2):
        o.zero_grad()
        net(torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.1, -1.0]])).pow(2).sum().backward()
        o.step()
    show(torch.allclose(net.weight, torch.tensor([[-0.4421, -0.3358, -0.1568], [0.1608, 0.1978, 0.468]]) if not how else torch.tensor([[-0.4746, -0.3179, -0.1074], [0.1208, 0.2669, 0.4761]]), atol=4e-3))
attempt(lambda: torch.optim.Muon([torch.ones(2, requires_grad=True)]))
attempt(lambda: torch.optim.Muon([torch.ones(2, 2, requires_grad=True)], adjust_lr_fn="other"))
attempt(lambda: torch.optim.Adafactor([torch.ones(2, requires_grad=True)], d=0.5))

# %% optimizers/LBFGS searches a line, and goes on where it was
def closure():
    o.zero_grad()
    loss = (net(torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.1, -1.0]])).tanh() - 0.5).pow(2).sum()
    loss.backward()
    return loss


for how in (None, "strong_wolfe"):
    net = fill(nn.Linear(3, 2))
    o = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=3, line_search_fn=how)
    show(o.step(closure), o.step(closure))
    saved = o.state_dict()
    o = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=3, line_search_fn=how)
    o.load_state_dict(saved)
    show(o.step(closure), net.weight, sorted(o.state[net.weight]))
attempt(lambda: torch.optim.LBFGS(net.parameters(), line_search_fn="armijo").step(closure))

# %% optimizers/hooks of the state
o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
log = []
o.register_state_dict_pre_hook(lambda o: log.append("before"))
o.register_state_dict_post_hook(lambda o, saved: {**saved, "more": 1})
o.register_state_dict_post_hook(lambda o, saved: log.append(sorted(saved)), prepend=True)
o.register_load_state_dict_pre_hook(lambda o, saved: log.append("load"))
handle = o.register_load_state_dict_post_hook(lambda o: log.append("loaded"))
saved = o.state_dict()
o.load_state_dict(saved)
handle.remove()
o.load_state_dict(saved)
show(sorted(saved), log)


class Wrapper(torch.optim.Optimizer):
    def __init__(self, inner):
        self.inner = inner

    def step(self, closure=None):
        return "stepped"


show(Wrapper(o).step())

# %% schedules/go on where they were
def optimizer():
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.9)


class Halving:
    def __init__(self):
        self.factor = 0.5

    def __call__(self, epoch):
        return self.factor**epoch


other = Halving()
other.factor = 0.25
for make in (
    lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, total_iters=2), S.CosineAnnealingLR(o, 5)], [2]),
    lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.5, 2), S.ExponentialLR(o, 0.9)]),
    lambda o: S.LambdaLR(o, lambda e: 0.5**e),
    lambda o: S.LambdaLR(o, other if o is first else Halving()),
    lambda o: S.MultiplicativeLR(o, lambda e: 0.9),
    lambda o: S.OneCycleLR(o, 2.0, total_steps=9),
    lambda o: S.CyclicLR(o, 0.1, 1.0, 2),
    lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2),
    lambda o: S.PolynomialLR(o, 6, 2),
    lambda o: torch.optim.swa_utils.SWALR(o, 0.05, 4),
):
    first = optimizer()
    s = make(first)
    for _ in range(3):
        first.step()
        s.step()
    o = optimizer()
    again = make(o)
    o.load_state_dict(first.state_dict())
    again.load_state_dict(s.state_dict())
    rates = []
    for _ in range(4):
        o.step()
        again.step()
        rates.append(round(o.param_groups[0]["lr"], 5))
    show(rates, [round(r, 5) for r in s.state_dict()["_last_lr"]])

# %% averages/of buffers that are integers
net = nn.BatchNorm1d(2)
mean = torch.optim.swa_utils.AveragedModel(
    net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.5), use_buffers=True
)
for _ in range(3):
    net(torch.tensor([[1.0, 2.0], [3.0, 5.0]]))
    mean.update_parameters(net)
show(mean.module.running_mean, mean.module.num_batches_tracked)

# %% operators/of what is no tensor
class Other:
    def __radd__(self, left):
        return "radd"

    def __rmatmul__(self, left):
        return "rmatmul"

    def __eq__(self, left):
        return "eq"


x = torch.ones(2)
show(str(x == None), str(x != None), str(None == x), x + Other(), x @ Other(), x == Other())
attempt(lambda: x + None)
attempt(lambda: x < "a")
attempt(lambda: [1, 2] * x)
attempt(lambda: int(x))
attempt(lambda: float(x))

# %% to/copies
x = torch.ones(2)
y = x.to(torch.float32, copy=True)
y += 1
z = x.to("cpu", torch.float32, False, True)
z += 1
show(x, y, z, str(x.to(torch.float32) is x))

# %% parametrizations/orthogonal from a weight without full rank
layer = nn.Linear(4, 4)
with torch.no_grad():
    layer.weight.copy_(torch.arange(16.0).reshape(4, 4))
weight = nn.utils.parametrizations.orthogonal(layer).weight
show(torch.allclose(weight @ weight.T, torch.eye(4), atol=1e-4))

# %% storage/bytes of tensors and files
import tempfile

x = torch.tensor([1.0, 2.0, 3.0])
storage = x.untyped_storage()
show(storage.nbytes(), len(storage), storage[3], storage.tolist()[4:8], str(isinstance(storage, torch.UntypedStorage)))
with tempfile.NamedTemporaryFile() as file:
    file.write(np.arange(4, dtype=np.float32).tobytes())
    file.flush()
    read = torch.UntypedStorage.from_file(file.name, False, 16)
    show(torch.asarray(read[4:12], dtype=torch.uint8).view(torch.float32), read.nbytes())

# %% files/dtypes without a storage of their own
import io

file = io.BytesIO()
torch.save({"a": torch.full((2, 3), 7).to(torch.uint32), "b": torch.ones(2).to(torch.float8_e5m2)}, file)
file.seek(0)
found = torch.load(file)
show(str(found["a"].dtype), found["a"].tolist(), str(found["b"].dtype), found["b"].float())

# %% random/the state is bytes
state = torch.get_rng_state()
first = torch.rand(3)
torch.set_rng_state(state)
show(str(state.dtype), torch.equal(first, torch.rand(3)))

# %% distributions/utils
u = torch.distributions.utils
show(u.broadcast_all(1, torch.zeros(2)), u.broadcast_all(2, 3.0))
show(u.logits_to_probs(torch.tensor([1.0, 2.0])), u.probs_to_logits(torch.tensor([0.25, 0.5]), True))
m = torch.arange(9.0).reshape(3, 3)
show(u.tril_matrix_to_vec(m), u.vec_to_tril_matrix(u.tril_matrix_to_vec(m, -1), -1))
attempt(lambda: u.broadcast_all("a"))


class Lazy:
    count = 0

    @u.lazy_property
    def value(self):
        self.count += 1
        return self.count


lazy = Lazy()
show(lazy.value, lazy.value, lazy.count)

# %% tensors/without names of dimensions
attempt(lambda: torch.zeros(2, names=("a",)))

# %% modules/hooks of all
from torch.nn.modules import module as of_all

log = []
handles = [
    of_all.register_module_forward_pre_hook(lambda m, a: log.append(("before", type(m).__name__))),
    of_all.register_module_forward_hook(lambda m, a, y: y * 2 if isinstance(m, nn.ReLU) else None),
    of_all.register_module_forward_hook(
        lambda m, a, k, y: log.append((type(m).__name__, sorted(k))), with_kwargs=True
    ),
    of_all.register_module_full_backward_pre_hook(lambda m, g: log.append((type(m).__name__, g[0].tolist()))),
    of_all.register_module_full_backward_hook(
        lambda m, inner, outer: tuple(3 * each for each in inner) if isinstance(m, nn.ReLU) else None
    ),
]
line = nn.Linear(2, 2, bias=False)
line.weight.data.copy_(torch.tensor([[1.0, 2.0], [3.0, -4.0]]))
line.register_forward_hook(lambda m, a, y: log.append("its own"))
net, x = nn.Sequential(line, nn.ReLU()), torch.ones(1, 2, requires_grad=True)
y = net(x)
y.sum().backward()
show(y, x.grad, line.weight.grad, log)
for handle in handles:
    handle.remove()
log.clear()
net(x)
show(log)
handles = [
    of_all.register_module_parameter_registration_hook(
        lambda m, n, p: log.append((type(m).__name__, n, list(p.shape)))
    ),
    of_all.register_module_buffer_registration_hook(lambda m, n, b: b + 1),
    of_all.register_module_module_registration_hook(
        lambda m, n, c: nn.Tanh() if isinstance(c, nn.ReLU) else None
    ),
]
net = nn.Module()
net.line, net.relu, net.scale = nn.Linear(2, 1), nn.ReLU(), nn.Parameter(torch.ones(1))
net.register_parameter("none", None)
net.register_buffer("zero", torch.zeros(1))
show(log, net.zero, str(net.relu))
for handle in handles:
    handle.remove()

# %% modules/hooks after errors
log = []


class Fails(nn.Module):
    def forward(self, x):
        raise ValueError("on purpose")


net = Fails()
net.register_forward_hook(lambda m, a, y: log.append(("always", y)), always_call=True)
net.register_forward_hook(lambda m, a, y: log.append("after success"))
attempt(lambda: net(1))
show(log)

# %% loading/as many draws as there will ever be
draws = torch.utils.data.RandomSampler([1, 2, 3], replacement=True, num_samples=10**10)
show(len(draws), all(0 <= place < 3 for place, _ in zip(draws, range(5000))))
show(len(list(torch.utils.data.RandomSampler([1, 2, 3], replacement=True, num_samples=5000))))

# %% tensors/in format strings
x = torch.tensor(4.0, requires_grad=True)
show(f"{x} {x:.2f} {x * 2} {torch.tensor(3)} {torch.tensor(True)} {torch.tensor([1.0])} {torch.tensor(1 + 2j)}")
show("{} {:>6}".format(torch.tensor(1.5, dtype=torch.bfloat16), torch.tensor(7)), "%s" % x.detach(), str(x.detach()))
show(f"{nn.Parameter(torch.tensor(2.0))}")
attempt(lambda: f"{torch.ones(2):.2f}")
attempt(lambda: f"{nn.Parameter(torch.tensor(2.0)):.2f}")

# %% distributions/rarer ones
D, t = torch.distributions, torch.tensor
v, P, one, S = t([0.3, 0.8]), t([0.4, 0.7]), t([1.5, 2.5]), t([[2.0, 0.5], [0.5, 1.0]])


def about(d, x, *wanted):
    show(repr(d), d.batch_shape, d.event_shape, d.has_rsample, str(d.support), d.log_prob(x))
    show(*[getattr(d, name) for name in wanted])


usual = ("mean", "variance")
about(D.FisherSnedecor(t([3.0, 5.0]), t([6.0, 4.5])), v, *usual, "mode")
for tail in (0.3, 0.0, -0.4):
    d = D.GeneralizedPareto(t([0.1, 0.0]), t([1.0, 2.0]), tail)
    show(d.log_prob(v), d.mean, d.variance, d.entropy(), d.cdf(v), d.icdf(v), str(d.support))
for d in (D.InverseGamma(t([1.5, 3.0]), one), D.Pareto(t([0.2, 0.5]), one), D.Weibull(t([1.0, 2.0]), one)):
    about(d, v, *usual, "mode")
    show(d.entropy(), d.cdf(v) if not isinstance(d, D.InverseGamma) else 0, d.expand((3, 2)).sample().shape)
d = D.Kumaraswamy(one, t([2.0, 3.0]))
show(d.log_prob(v), d.mean, d.variance, d.entropy(), d.cdf(v), d.icdf(v))
about(D.VonMises(t([0.1, -2.0]), one), v, *usual)

# %% distributions/of vectors and matrices
D, t = torch.distributions, torch.tensor
v, one, S = t([0.3, 0.8]), t([1.5, 2.5]), t([[2.0, 0.5], [0.5, 1.0]])
d = D.LowRankMultivariateNormal(torch.zeros(3, 2), t([[1.0, 0.5], [2.0, 1.0]]), one)
show(d.log_prob(v), d.entropy(), d.variance, d.covariance_matrix[0], d.precision_matrix[0], d.sample((4,)).shape)
d = D.LKJCholesky(3, t([1.0, 2.5]))
show(repr(d), d.log_prob(t([[1.0, 0, 0], [0.6, 0.8, 0], [0.5, 0.5, 0.5**0.5]])), d.sample((4,)).shape)
for d in (D.Wishart(t(4.0), S), D.Wishart(t([4.0, 5.5]), scale_tril=torch.linalg.cholesky(S))):
    show(d.log_prob(S * 3), d.entropy(), d.mean, d.mode, d.variance, d.sample((4,)).shape, d.expand((3, *d.batch_shape)).batch_shape)
d = D.LogisticNormal(t([0.1, 0.2]), one)
show(d.log_prob(t([0.2, 0.3, 0.5])), d.event_shape, str(d.support), d.rsample((2,)).sum(-1))
attempt(lambda: d.icdf(v))
show(D.Multinomial(3, t([0.4, 0.6])).entropy(), D.HalfNormal(one).expand((3, 2)).sample().shape, D.OneHotCategorical(one).expand((3,)).sample().shape)
mixed = D.MixtureSameFamily(D.Categorical(one), D.Normal(v, one))
show(str(mixed.support), mixed.expand((3,)).log_prob(t(0.5)), mixed.expand((3,)).sample((2,)).shape)

# %% distributions/around discrete ones
D, t = torch.distributions, torch.tensor
v, P = t([0.3, 0.8]), t([0.4, 0.7])
for d in (D.NegativeBinomial(t([3.0, 2.5]), P), D.NegativeBinomial(3, logits=P), D.NegativeBinomial(t([0.0, 2.0]), P)):
    show(d.log_prob(t([0.0, 5.0])), d.mean, d.variance, d.mode, d.sample((4,)).shape)
for d in (D.ContinuousBernoulli(t([0.3, 0.5])), D.ContinuousBernoulli(logits=t([0.3, -1.5]))):
    show(d.log_prob(v), d.mean, d.variance, d.entropy(), d.cdf(v), d.icdf(v))
d = D.RelaxedBernoulli(t(0.5), P)
show(d.log_prob(v), d.probs, d.temperature, d.expand((3, 2)).rsample().shape)
d = D.RelaxedOneHotCategorical(t(0.5), P)
show(d.log_prob(t([0.25, 0.75])), d.probs, d.rsample((4,)).sum(-1))
p = P.clone().requires_grad_()
drawn = D.OneHotCategoricalStraightThrough(p).rsample((3,))
(drawn * t([1.0, 3.0])).sum().backward()
show(drawn.sum(-1), p.grad)

# %% distributions/draws
D, t = torch.distributions, torch.tensor
torch.manual_seed(0)
for d in (
    D.FisherSnedecor(t(5.0), t(20.0)), D.GeneralizedPareto(0.0, 1.0, t(0.1)), D.InverseGamma(t(8.0), t(2.0)),
    D.Kumaraswamy(t(2.0), t(3.0)), D.Pareto(t(1.0), t(8.0)), D.Weibull(t([1.0, 2.0]), t([0.7, 2.5])),
    D.NegativeBinomial(t([3.0, 2.5]), t([0.4, 0.7])), D.ContinuousBernoulli(t([0.3, 0.5])),
    D.Wishart(t(4.0), t([[2.0, 0.5], [0.5, 1.0]])), D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)),
):
    x = d.sample((20000,))
    show(bool((abs(x.mean(0) - d.mean) < 6 * (d.variance / 20000).sqrt()).all()), bool((abs(x.var(0) / d.variance - 1) < 0.3).all()))
d = D.VonMises(t([0.5, -1.0]), t([2.0, 6.0]))
x = d.sample((20000,)) - d.loc
show(bool((abs(x.cos().mean(0) - 1 + d.variance) < 0.02).all()), bool((abs(x.sin().mean(0)) < 0.03).all()))
x = D.LKJCholesky(3, 2.0).sample((20000,))
x = x @ x.mT
show(bool((abs(x.mean(0) - torch.eye(3)) < 0.02).all()), bool(abs(x[:, 0, 1].var() - 1 / 6) < 0.01))

# %% distributions/transforms of constraints
D, C, t = torch.distributions, torch.distributions.constraints, torch.tensor
x = t([[0.1, 0.2, -0.3], [0.3, -0.1, 0.2], [0.2, 0.5, 0.1]])
for c in (C.real, C.real_vector, C.positive, C.nonnegative, C.unit_interval, C.simplex, C.greater_than(2.0), C.less_than(1), C.interval(-1, 3)):
    f = D.biject_to(c)
    y = f(x)
    show(str(c), y, f.inv(y), f.log_abs_det_jacobian(x, y), str(f.codomain), f.forward_shape((3, 3)), f.inv.forward_shape(y.shape))
f = D.biject_to(C.corr_cholesky)
show(f(x), f.inv(f(x)), f.log_abs_det_jacobian(x, f(x)), bool(C.corr_cholesky.check(f(x)).all()))
for c in (C.simplex, C.lower_cholesky, C.positive_definite):
    show(D.transform_to(c)(x), bool(c.check(D.transform_to(c)(x)).all()))
attempt(lambda: D.biject_to(C.boolean))
attempt(lambda: D.biject_to(C.positive_definite))
attempt(lambda: D.biject_to.register(3, int))
v = t([0.3, 0.8])
for f in (D.CatTransform([D.ExpTransform(), D.identity_transform]), D.StackTransform([D.ExpTransform(), D.AffineTransform(1, 2)])):
    show(f(v), f.inv(f(v)), f.log_abs_det_jacobian(v, f(v)), str(f.domain))
show(D.AbsTransform()(-v), D.ReshapeTransform((2,), (1, 2))(v), D.CumulativeDistributionTransform(D.Normal(0.0, 1.0)).inv(v))
f = D.IndependentTransform(D.ExpTransform(), 1)
show(f(v), f.log_abs_det_jacobian(v, f(v)), f.event_dim, str(f.domain))
for c, y in ((C.square, x), (C.symmetric, x), (C.positive_semidefinite, torch.ones(2, 2)), (C.lower_triangular, x), (C.cat([C.positive, C.real]), v), (C.stack([C.positive, C.real]), v), (C.multinomial(2), torch.ones(2))):
    show(str(c), c.check(y), c.event_dim, c.is_discrete)


class Own(D.Distribution):
    arg_constraints = {"scale": C.positive}

    @C.dependent_property(is_discrete=False, event_dim=1)
    def support(self):
        return C.real_vector

    def __init__(self, scale):
        self.scale = scale
        super().__init__(scale.shape)


class Above(C.Constraint):
    def check(self, value):
        return value > 0.5


show(str(Own(v).support), C.is_dependent(Own.support), Own.support.event_dim, Above().check(v), str(C.dependent(event_dim=1)))


# %% distributions/an exponential family of one's own
class Rate(torch.distributions.ExponentialFamily):
    arg_constraints = {}
    _mean_carrier_measure = 0

    def __init__(self, rate):
        self.rate = rate
        super().__init__(rate.shape)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -torch.log(-x)


rate = torch.tensor([1.5, 2.5])
show(Rate(rate).entropy(), torch.distributions.Exponential(rate).entropy())
show(isinstance(torch.distributions.Normal(0.0, 1.0), torch.distributions.ExponentialFamily))

# %% operators/former order of arguments
import warnings

warnings.simplefilter("ignore")
x, y, A, B = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), torch.ones(2, 2), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
show(x.add(2, y), x.clone().add_(2, y), torch.add(x, 2, y), x.sub(2, y), x.clone().sub_(2, y), torch.sub(x, 2, y))
for name in ("addcmul", "addcdiv"):
    show(getattr(x, name)(0.5, y, x), getattr(x.clone(), name + "_")(0.5, y, x), getattr(torch, name)(x, 0.5, y, x))
for name, start, factors in (
    ("addmm", A, (B, B)), ("addmv", x, (B, x)), ("addr", A, (x, y)), ("addbmm", A, (B[None], B[None])),
    ("baddbmm", A[None], (B[None], B[None])),
):
    show(getattr(torch, name)(2, start, 3, *factors), getattr(torch, name)(2, start, *factors))
    show(getattr(start, name)(2, 3, *factors), getattr(start, name)(2, *factors), getattr(start.clone(), name + "_")(2, 3, *factors))
w = torch.tensor([1.0, 2.0], requires_grad=True)
y.clone().add_(2, w).sum().backward()
show(w.grad)
attempt(lambda: x.add(2, 3, y))
attempt(lambda: torch.addcmul(x, 1, 2, y, x))

# %% tensors/new, and of what they are views
x = torch.tensor([1.0, 2.0])
show(x.new(2, 3).zero_(), x.new([1, 2]), x.new(x.size()).zero_(), x.new(), torch.tensor([1]).new(torch.tensor([3])))
show(torch.tensor([1]).new([1, 2]))
attempt(lambda: x.new(torch.tensor([3])))
show(x.data.new(3).fill_(1))
show(x._base is None, x[0]._base is x, x._is_view(), x[0]._is_view(), x.output_nr)

# %% tensors/NumPy without recording
w = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: w.numpy())
with torch.no_grad():
    show(w.numpy().tolist(), nn.Linear(1, 1).weight.numpy().shape)
with torch.inference_mode():
    show(w.numpy().tolist())

# %% tensors/float64 is exact
import collections

for data in (0.1, [0.1, 2], [[0.1], [0.2]], (1.5, True), [16777217.0], [1e300], collections.deque([0.1]), [np.float64(0.1)], [np.int32(3)], [np.ones(2)]):
    found = torch.tensor(data, dtype=torch.float64)
    show(repr(found.tolist()), str(torch.tensor(data).dtype))
show(torch.tensor([16777217.0], dtype=torch.int64), torch.tensor([0.1 + 2j], dtype=torch.complex128).tolist())
double = torch.ones(1, dtype=torch.float64)
show(repr([double.new_tensor([0.1]).item(), double.new_full((1,), 0.1).item(), torch.full((1,), 0.1, dtype=torch.float64).item()]))
show(repr([torch.as_tensor([0.1], dtype=torch.float64).item(), torch.scalar_tensor(0.1, dtype=torch.float64).item()]))
for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.Adagrad):
    w = torch.ones(1, dtype=torch.float64, requires_grad=True)
    o = kind([w], lr=0.1)
    (w * 0.3).sum().backward()
    o.step()
    show(round(w.item(), 12))


# %% modules/lists of parameters hold other things, too
p = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(3)])
p.append(nn.ParameterList([torch.ones(1)]))
p.append("text").append(nn.Linear(1, 2)).append(None)
show(str(p), len(p), [type(each).__name__ for each in p], [name for name, _ in p.named_parameters()])
show(type(p[1:3]).__name__, len(p[:-1]), str(p[3]), p[-1] is None)
p[0] = torch.full((2,), 3.0)
p += [torch.ones(1)]
show(p[0].detach(), sorted(p.state_dict()), [name for name in dir(p) if name.isdigit()])
(p[0].sum() * 2 + p[2][0].sum()).backward()
show(p[0].grad, p[2][0].grad, p[1].grad is None)
for wrong in (lambda: p[9], lambda: p.extend(3), lambda: p.extend(torch.ones(2)), lambda: p(1)):
    try:
        wrong()
    except Exception as error:
        show(type(error).__name__, str(error))

# %% modules/dictionaries of parameters hold other things, too
d = nn.ParameterDict({"a": torch.ones(2), "b": nn.Linear(1, 1), "c": 5})
show(str(d), list(d), d["c"], [name for name, _ in d.named_parameters()], [type(each).__name__ for each in d.values()])
d["e"] = [1]
del d["b"]
show(len(d), list(d.keys()), "e" in d, d.pop("c"), d.get("zz", 4), d.setdefault("q", torch.ones(1)).detach())
show(d.popitem()[0], list(d.copy()), list(d | {"w": torch.ones(1)}), list(reversed(d)), list(d.fromkeys(["x", "y"])))
for wrong in (lambda: d["zz"], lambda: d.__delitem__("zz"), lambda: d(1), lambda: d.__setitem__(3, 1)):
    try:
        wrong()
    except Exception as error:
        show(type(error).__name__)
