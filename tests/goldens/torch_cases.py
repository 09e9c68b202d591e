"""Questions about PyTorch's modules, functions and optimizers, as small programs (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% layers/convolutions
x = torch.linspace(-1, 1, 2 * 4 * 6 * 6).reshape(2, 4, 6, 6).requires_grad_()
for make in (lambda: nn.Conv2d(4, 6, 3, padding=1), lambda: nn.Conv2d(4, 6, 3, stride=2, groups=2, bias=False),
             lambda: nn.Conv2d(4, 2, (1, 3), padding="same"), lambda: nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"),
             lambda: nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1)):
    net = fill(make())
    y = net(x)
    (y * y).mean().backward()
    show(str(net), y.shape == torch.Size(tuple(y.shape)), y.sum(), net.weight.grad.sum(), x.grad.sum())
    x.grad = None

# %% layers/one dimension
x = torch.linspace(-1, 1, 24).reshape(2, 3, 4).requires_grad_()
for net in (nn.Conv1d(3, 2, 2), nn.ConvTranspose1d(3, 2, 2, stride=2), nn.BatchNorm1d(3), nn.MaxPool1d(2), nn.AvgPool1d(2, 1),
            nn.AdaptiveAvgPool1d(2)):
    y = fill(net)(x)
    (y * y).sum().backward()
    show(str(net), y, x.grad.sum())
    x.grad = None

# %% layers/normalization
x = (torch.arange(48.0).reshape(2, 4, 3, 2) % 7).requires_grad_()
for net in (nn.BatchNorm2d(4), nn.LayerNorm((3, 2)), nn.LayerNorm(2, bias=False), nn.GroupNorm(2, 4), nn.BatchNorm2d(4, affine=False),
            nn.BatchNorm2d(4, momentum=None), nn.BatchNorm2d(4, track_running_stats=False)):
    fill(net)
    y = net(x)
    (y ** 3).sum().backward()
    show(str(net), y.sum(), (y * y).sum(), x.grad[0, 0], dict(net.named_buffers()))
    net.eval()
    show(net(x)[0, 0])
    x.grad = None

# %% layers/batch norm of one value
attempt(lambda: nn.BatchNorm1d(2)(torch.ones(1, 2)))
attempt(lambda: nn.BatchNorm2d(2)(torch.ones(1, 2)))

# %% layers/activations
x = torch.tensor([-3.0, -0.5, 0.0, 0.5, 3.0, 7.0])
for net in (nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.1), nn.ELU(), nn.CELU(), nn.SELU(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Mish(),
            nn.Sigmoid(), nn.Tanh(), nn.LogSigmoid(), nn.Softplus(), nn.Softsign(), nn.Tanhshrink(), nn.Hardtanh(), nn.Hardsigmoid(),
            nn.Hardswish(), nn.Hardshrink(), nn.Softshrink(), nn.Threshold(0.1, 2.0), nn.GLU(), nn.Softmax(dim=0), nn.LogSoftmax(dim=0),
            nn.PReLU()):
    leaf = x.clone().requires_grad_()
    y = net(leaf)
    (y * torch.arange(1.0, len(y) + 1)).sum().backward()
    show(type(net).__name__, y, leaf.grad)

# %% layers/embedding
net = nn.Embedding(5, 2, padding_idx=1)
show(net.weight[1])
fill(net)
net(torch.tensor([[0, 1], [1, 4]])).sum().backward()
show(str(net), net.weight.grad, net.weight.requires_grad)
show(nn.Embedding.from_pretrained(torch.eye(3))(torch.tensor([2])))

# %% layers/dropout
x = torch.ones(1000)
net = nn.Dropout(0.25)
torch.manual_seed(1)
y = net(x)
torch.manual_seed(1)
z = net(x)
show(bool((y == z).all()), sorted(set(y.tolist())), bool(650 < (y != 0).sum() < 850))
net.eval()
show(bool((net(x) == x).all()), str(net))
attempt(lambda: nn.Dropout(1.5))

# %% layers/pooling
x = torch.arange(32.0).reshape(1, 2, 4, 4).requires_grad_()
for net in (nn.MaxPool2d(2), nn.MaxPool2d(3, 1, 1), nn.AvgPool2d(2), nn.AvgPool2d(3, 2, 1, count_include_pad=False), nn.AdaptiveAvgPool2d(1),
            nn.AdaptiveAvgPool2d((2, 3))):
    y = net(x)
    (y * y).sum().backward()
    show(str(net), y, x.grad.sum())
    x.grad = None

# %% losses
x = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.0, -0.5]])
k = torch.tensor([2, 0])
p = torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
for reduction in ("mean", "sum", "none"):
    for loss, y in ((nn.MSELoss, p), (nn.L1Loss, p), (nn.SmoothL1Loss, p), (nn.HuberLoss, p), (nn.BCEWithLogitsLoss, p),
                    (nn.CrossEntropyLoss, k), (nn.CrossEntropyLoss, p), (nn.NLLLoss, k), (nn.KLDivLoss, p)):
        leaf = x.clone().requires_grad_()
        out = loss(reduction=reduction)(leaf, y)
        out.sum().backward()
        show(loss.__name__, reduction, out, leaf.grad)

# %% losses/options
x = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.0, -0.5]], requires_grad=True)
show(nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0]))(x, torch.tensor([2, 0])))
show(nn.CrossEntropyLoss(ignore_index=0, label_smoothing=0.1)(x, torch.tensor([2, 0])))
show(F.cross_entropy(x[0], torch.tensor(1)))
show(F.binary_cross_entropy(torch.sigmoid(x), torch.ones(2, 3)))
show(F.binary_cross_entropy_with_logits(x, torch.ones(2, 3), pos_weight=torch.tensor([1.0, 2.0, 3.0])))
show(F.nll_loss(F.log_softmax(x, dim=1), torch.tensor([0, 2])))
show(F.cosine_similarity(x, x.flip(0)))
show(F.triplet_margin_loss(x, x + 1, x.flip(0)), F.kl_div(x, torch.ones(2, 3) / 3, reduction="batchmean"))

# %% functions/attention
q = torch.linspace(-1, 1, 24).reshape(1, 2, 3, 4).requires_grad_()
show(F.scaled_dot_product_attention(q, q, q), F.scaled_dot_product_attention(q, q, q, is_causal=True))
F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
show(q.grad)

# %% functions/shapes
x = torch.arange(6.0).reshape(2, 3)
show(F.pad(x, (1, 2)), F.pad(x, (0, 0, 1, 0), value=9.0), F.one_hot(torch.tensor([0, 2])), F.one_hot(torch.tensor([1]), 3))
show(F.normalize(x, dim=1), F.softmax(x, dim=-1), F.unfold(x.reshape(1, 1, 2, 3), 2))
show(torch.cat([x, x], 1), torch.stack([x, x]).sum(0), x.chunk(2), torch.split(x, [1, 2], dim=1), torch.where(x > 2, x, -x))
show(torch.gather(x, 1, torch.tensor([[0], [2]])), x.index_select(1, torch.tensor([2, 0])), x.masked_fill(x > 3, 0.0))
show(torch.topk(x, 2), torch.sort(x, descending=True), x.cumsum(1), torch.einsum("ij,kj->ik", x, x), torch.triu(x))
show(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"), torch.nonzero(x), x.repeat_interleave(2, dim=0).shape == (4, 3))
show(x.roll(1, 1), x.flip(0), torch.bincount(torch.tensor([0, 2, 2])), torch.unique(torch.tensor([3, 1, 3])), torch.tril(x), x.median())

# %% functions/dtypes
show(torch.arange(3), torch.arange(3.0), torch.tensor([1, 2]), torch.tensor(2.5), torch.tensor(True), torch.zeros(2), torch.full((2,), 3))
show(torch.arange(4).sum(), torch.tensor([True, True]).sum(), torch.ones(2).argmax(), torch.ones(2, dtype=torch.float64) * 2)
show(torch.tensor([1, 2]) / 2, torch.tensor([1, 2]) * 2.5, torch.tensor([1, 2]) ** 2, torch.tensor([5, -5]) // 2, torch.tensor([5, -5]) % 3)
show(torch.tensor([1.0]).long(), torch.tensor([1]).float(), torch.ones(1, dtype=torch.float16) + torch.ones(1))
show(torch.randn(2).dtype == torch.float32, torch.randint(0, 5, (3,)).dtype == torch.int64, torch.randperm(4).sort()[0])

# %% modules/registration
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 1)])
        self.c = nn.ModuleDict({"x": nn.ReLU()})
        self.d = nn.ParameterList([torch.ones(1), torch.zeros(2)])
        self.scale = nn.Parameter(torch.ones(1))
        self.none = None
        self.register_buffer("steps", torch.tensor(0))
        self.register_buffer("cache", torch.zeros(2), persistent=False)
        self.tied = self.a
net = Net()
show(str(net))
show([n for n, _ in net.named_parameters()], [n for n, _ in net.named_buffers()], [n for n, _ in net.named_modules()])
show(list(net.state_dict()), [n for n, _ in net.named_children()], len(list(net.modules())))
show(net.get_submodule("b.1").out_features, net.get_parameter("a.weight").shape == (2, 2))
del net.scale
show([n for n, _ in net.named_parameters()])
net.double()
show(net.a.weight.dtype == torch.float64, net.steps.dtype == torch.int64)
attempt(lambda: net.missing)
attempt(lambda: setattr(net.a, "weight", torch.ones(2, 2)))
net.eval()
show(net.b[0].training)
seen = []
net.apply(lambda m: seen.append(type(m).__name__))
show(seen)

# %% modules/load_state_dict
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
other = fill(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
weight = net[0].weight
show(str(net.load_state_dict(other.state_dict())), bool((weight == other[0].weight).all()), weight is net[0].weight)
state = other.state_dict()
state.pop("0.bias")
attempt(lambda: net.load_state_dict(state))
show(net.load_state_dict(state, strict=False).missing_keys)
state["0.bias"] = torch.ones(3)
attempt(lambda: net.load_state_dict(state))
attempt(lambda: net.load_state_dict({**other.state_dict(), "x": torch.ones(1)}))
other.state_dict()["0.weight"].zero_()
show(other[0].weight)

# %% modules/before init
class Net(nn.Module):
    def __init__(self):
        self.a = nn.Linear(1, 1)
attempt(Net)

# %% modules/sequential
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
show(len(net), str(net[1]), str(net[1:]), str(net[-1]), [type(m).__name__ for m in net])
attempt(lambda: net[3])
from collections import OrderedDict
show(str(nn.Sequential(OrderedDict([("in", nn.Linear(1, 2)), ("act", nn.Tanh())]))))

# %% optim/each
for name, options in (("SGD", {}), ("SGD", {"momentum": 0.9}), ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
                      ("SGD", {"momentum": 0.9, "dampening": 0.3}), ("SGD", {"maximize": True}), ("Adam", {}), ("Adam", {"weight_decay": 0.1}),
                      ("AdamW", {}), ("AdamW", {"weight_decay": 0.3, "betas": (0.8, 0.9)}), ("RMSprop", {}), ("RMSprop", {"momentum": 0.5}),
                      ("Adagrad", {}), ("Adagrad", {"weight_decay": 0.1, "initial_accumulator_value": 0.5})):
    w = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    idle = torch.tensor([1.0], requires_grad=True)
    optimizer = getattr(torch.optim, name)([w, idle], lr=0.1, **options)
    for i in range(4):
        optimizer.zero_grad()
        (w * w * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
        if i == 2:
            (idle * 3).sum().backward()
        optimizer.step()
    show(name, w, idle)

# %% optim/groups and closure
a, b = torch.tensor([1.0], requires_grad=True), torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1, momentum=0.9)
def closure():
    optimizer.zero_grad()
    loss = (a * b).sum()
    loss.backward()
    return loss
show(optimizer.step(closure), a, b, optimizer.param_groups[1]["lr"], len(optimizer.param_groups))
optimizer.param_groups[0]["lr"] = 0.0
show(optimizer.step(closure), a, b)
attempt(lambda: torch.optim.SGD([], lr=0.1))
attempt(lambda: torch.optim.SGD([a], lr=-1.0))
attempt(lambda: torch.optim.SGD([a * 2], lr=0.1))
attempt(lambda: torch.optim.SGD(a, lr=0.1))
attempt(lambda: torch.optim.Adam([a], betas=(1.0, 0.9)))
attempt(lambda: torch.optim.SGD([a], nesterov=True))

# %% optim/resumed
def run(steps, states=None):
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1)
    if states:
        with torch.no_grad():
            w.copy_(states[0])
        optimizer.load_state_dict(states[1])
    for _ in range(steps):
        optimizer.zero_grad()
        (w ** 4).sum().backward()
        optimizer.step()
    return w.detach().clone(), optimizer.state_dict()
show(run(6)[0], run(3, run(3))[0], sorted(run(1)[1]["state"][0]))

# %% optim/schedules
for make in (lambda o: S.StepLR(o, 2, 0.5), lambda o: S.MultiStepLR(o, [1, 3], 0.1), lambda o: S.ExponentialLR(o, 0.9),
             lambda o: S.CosineAnnealingLR(o, 4), lambda o: S.LambdaLR(o, lambda e: 1 / (e + 1)), lambda o: S.LinearLR(o, total_iters=3),
             lambda o: S.ConstantLR(o, 0.5, 2)):
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.8)
    schedule = make(optimizer)
    rates = []
    for _ in range(5):
        rates.append(round(optimizer.param_groups[0]["lr"], 6))
        optimizer.step()
        schedule.step()
    show(type(schedule).__name__, rates)

# %% utils/clipping
net = fill(nn.Linear(2, 2))
net(torch.ones(1, 2)).pow(2).sum().backward()
show(nn.utils.clip_grad_norm_(net.parameters(), 0.5), net.weight.grad)
nn.utils.clip_grad_value_(net.parameters(), 0.1)
show(net.bias.grad, nn.utils.parameters_to_vector(net.parameters()))

# %% utils/data
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
data = TensorDataset(torch.arange(5), torch.arange(5.0) * 2)
show(len(data), data[1], [x for x in DataLoader(data, batch_size=2)], len(DataLoader(data, 2, drop_last=True)))
class Pairs(Dataset):
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return {"x": np.full(2, i, np.float32), "y": i, "z": 0.5}
show(next(iter(DataLoader(Pairs(), batch_size=3))))
torch.manual_seed(0)
show(sorted(int(i) for x, _ in DataLoader(data, 2, shuffle=True) for i in x), [len(p) for p in random_split(data, [3, 2])])
attempt(lambda: random_split(data, [3, 3]))
attempt(lambda: TensorDataset(torch.ones(2), torch.ones(3)))

# %% init
w = torch.empty(64, 32)
for draw in (lambda: nn.init.xavier_uniform_(w), lambda: nn.init.kaiming_uniform_(w, nonlinearity="relu"), lambda: nn.init.normal_(w, 1.0, 0.5),
             lambda: nn.init.trunc_normal_(w, std=0.02), lambda: nn.init.kaiming_normal_(w, mode="fan_out"), lambda: nn.init.uniform_(w, -1, 1)):
    show(draw() is w, f"{float(w.mean()):.1f} {float(w.std()):.1f}")
show(nn.init.constant_(torch.empty(2), 3.0), nn.init.eye_(torch.empty(2, 2)), nn.init.zeros_(torch.empty(1)))
q = nn.init.orthogonal_(torch.empty(3, 5))
show(bool(torch.allclose(q @ q.T, torch.eye(3), atol=1e-5)), nn.init.calculate_gain("tanh"))
attempt(lambda: nn.init.xavier_uniform_(torch.empty(3)))

# %% files
import io
file = io.BytesIO()
net = fill(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
torch.save({"net": net.state_dict(), "epoch": 3, "t": torch.arange(6).reshape(2, 3).t()}, file)
file.seek(0)
found = torch.load(file)
show(found["epoch"], found["t"], found["net"])

# %% printing
print(torch.arange(3), torch.tensor([1.0, 2.5]), torch.tensor([1e-5, 1.0]), torch.zeros(2, 2, dtype=torch.float64), torch.tensor(3))
print(torch.tensor([[1, -2], [30, 4]]), torch.tensor([True, False]), torch.ones(1, requires_grad=True), torch.tensor([]))
print(torch.tensor([float("nan"), float("inf"), 1.0]), torch.tensor([1 + 2j]), torch.Size([1, 2]), torch.tensor(2.0, dtype=torch.float16))
print(nn.Parameter(torch.ones(2)), torch.tensor([123456.0, 0.5]), torch.tensor([1e10, 1.0]), torch.arange(30))
print([torch.tensor(1.0)], f"{torch.tensor(2.5):.1f}")

# %% errors
attempt(lambda: torch.ones(2, 3) @ torch.ones(2, 3))
attempt(lambda: torch.ones(2) + torch.ones(3))
attempt(lambda: torch.ones(2, requires_grad=True).numpy())
attempt(lambda: torch.ones(2).item())
attempt(lambda: bool(torch.ones(2)))
attempt(lambda: torch.ones(2).reshape(3))
attempt(lambda: torch.cat([torch.ones(1, 2), torch.ones(2, 3)]))
attempt(lambda: nn.Linear(2, 3)(torch.ones(1, 4)))
attempt(lambda: nn.Conv2d(1, 2, 3)(torch.ones(1, 2, 5, 5)))
attempt(lambda: torch.ones(2)[5])
attempt(lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0])))
attempt(lambda: torch.no_such_thing)
attempt(lambda: torch.tensor([1, 2], requires_grad=True))
attempt(lambda: torch.zeros(2).view(3))
attempt(lambda: F.mse_loss(torch.ones(2), torch.ones(2), reduction="most"))

# %% tensors/texts
nan, inf = float("nan"), float("inf")
for values in ([1.0, 2.0], [1e6, 2.0], [1e8, 1.0], [99999999.0], [0.00011, 1.0], [0.00009, 0.01], [1234.5678, 1.5], [1234.5678, 2000.0],
               [nan], [inf, -1.5], [0.0, 0.0], [nan, 1e9], [-0.0, 3.0], [], [True, False], [1, -20, 300], [1j], [1.5j, 2], [1 + 2j, 3.5 - 1j],
               [[1, -20], [300, 4]], [[1e-3, 1e3]], 1.5, 7, True, 2 - 3.25j, inf):
    show(repr(torch.tensor(values)))
for x in (torch.arange(2000.0), torch.arange(1001), torch.arange(10000.0).reshape(10, 10, 100), torch.zeros(3, 0), torch.zeros(2000),
          torch.empty(0, dtype=torch.int64), torch.empty(2, 0, dtype=torch.bool), torch.ones(2, 3, 20) / 3, torch.ones(2, 2, 2, 2),
          torch.ones(2, dtype=torch.float16), torch.zeros(2, 3, dtype=torch.float64), torch.arange(7, dtype=torch.float64) / 3,
          torch.arange(3.0).to(torch.bfloat16) / 3, torch.zeros(1, dtype=torch.complex128), torch.tensor([True, False, True] * 10)):
    show(repr(x))
x = (torch.arange(24.0).reshape(2, 12) / 7).requires_grad_()
show(repr(x), repr(x * 3), repr(x.double() * 2), repr(x.sum()), repr(nn.Parameter(torch.arange(42.0).reshape(3, 14) / 9)))
torch.set_printoptions(precision=2, sci_mode=False, linewidth=40)
show(repr(torch.arange(12.0).reshape(3, 4) / 7), repr(torch.tensor([1e6, 1e-6])))
torch.set_printoptions(edgeitems=1, threshold=5)
show(repr(torch.arange(60).reshape(3, 4, 5)))
torch.set_printoptions(profile="default")
show(repr(torch.finfo(torch.float32)), repr(torch.finfo(torch.bfloat16)), repr(torch.iinfo(torch.int8)), torch.finfo(torch.float64).resolution)

# %% tensors/results of several
x = torch.tensor([[3.0, 1.0], [2.0, 4.0]])
for found in (torch.max(x, 0), x.min(1), x.sort(), torch.topk(x, 1), torch.cummax(x, 0), torch.mode(x, 0), torch.kthvalue(x, 1), x.median(0),
              torch.aminmax(x), torch.frexp(x), torch.slogdet(x), torch.linalg.slogdet(x), torch.linalg.inv_ex(x)):
    show(type(found).__name__, repr(found))
show([type(found).__name__ for found in (torch.qr(x), torch.linalg.qr(x), torch.svd(x), torch.linalg.svd(x), torch.geqrf(x), torch.linalg.lu(x))])
show(isinstance(x.sort(), torch.return_types.sort))

# %% tensors/strides
x = torch.arange(24.0).reshape(2, 3, 4)
for view in (x.transpose(0, 2), x.permute(1, 2, 0), x[:, 1], x[..., ::2], x.expand(5, 2, 3, 4), x[1].t(), x.narrow(1, 1, 2), x.chunk(3, 1)[1],
             x.split((1, 3), 2)[1], x.transpose(0, 2).contiguous(), x.detach().transpose(1, 2), x.data.permute(2, 0, 1)):
    show(view.stride(), view.storage_offset(), view.is_contiguous(), view.stride(0))

# %% tensors/writes to what shares memory
x = torch.arange(3.0).reshape(3, 1)
y = x.expand(2, 3, 4)
y[1, 2, 3] = 7
y[0, 0, 0] = float("nan")
y[0, 1, 1] = 5
show(x, y[1])
x = torch.arange(3.0)
w = torch.tensor(2.0, requires_grad=True)
y = (x * 1).expand(2, 3).clone()
z = x.clone().expand(2, 3)
z[0, 1] = w * 3
(z * y).sum().backward()
show(z, w.grad)

# %% tensors/refused data
for data in ([[1, 2], [3]], [[1, 2], 3], [1, [2]], ["a"], "a", [None], [object()], [[[1]], [[1, 2]]]):
    attempt(lambda: torch.tensor(data))
show(torch.stack([torch.tensor([1]), torch.tensor([1.5])]), torch.stack([torch.tensor(1), torch.tensor(True)]))
attempt(lambda: torch.stack([torch.tensor([1]), torch.tensor([1.5, 2])]))
attempt(lambda: F.dropout(torch.ones(3), 1.5))
attempt(lambda: F.binary_cross_entropy(torch.tensor([1.5]), torch.ones(1)))
attempt(lambda: nn.BCELoss()(torch.tensor([float("nan")]), torch.ones(1)))
attempt(lambda: F.batch_norm(torch.ones(1, 3), torch.zeros(3), torch.ones(3), training=True))

# %% autograd/where slopes jump or are infinite
def slopes(f, *values):
    given = [torch.tensor(v, requires_grad=True) for v in values]
    out = f(*given)
    out.sum().backward()
    show(out, [x.grad for x in given])

zero, inf = [0.0, 0.0], float("inf")
for p in (2, 1, 3, 0.5, -1, inf, -inf):
    slopes(lambda x: x.norm(p), zero)
    slopes(lambda x: x.norm(p, dim=0, keepdim=True), [[3.0, 0.0], [-4.0, 0.0]])
slopes(lambda x, y: torch.dist(x, y), [1.0, 2.0], [1.0, 2.0])
slopes(lambda x: F.normalize(x, dim=0), zero)
slopes(lambda x, y: F.cosine_similarity(x, y, 0), zero, [1.0, 2.0])
slopes(lambda x, y: torch.cosine_similarity(x, y), [[1.0, 2.0]], [[3.0, -1.0]])
slopes(lambda x: torch.std(x), [2.0, 2.0])
slopes(lambda x: torch.std_mean(x, correction=0)[0], [2.0])
slopes(lambda x: x.renorm(2, 0, 1.0), [[0.0, 0.0], [3.0, 4.0]])
slopes(lambda x: x.median(), [2.0, 2.0, 1.0, 1.0])
slopes(lambda x: x.nanmedian(), [2.0, float("nan"), 2.0, 2.0])
slopes(lambda x: x.mode().values, [[2.0, 2.0, 1.0]])
slopes(lambda x, y: F.margin_ranking_loss(x, y, torch.ones(1)), [1.0], [1.0])
slopes(lambda x: F.binary_cross_entropy(x, torch.tensor([0.0, 1.0, 1.0, 0.0])), [0.0, 1.0, 0.0, 1.0])
slopes(lambda x: F.binary_cross_entropy(x, torch.tensor([0.2, 1.0]), weight=torch.tensor([2.0, 1.0]), reduction="sum"), [0.3, 0.9])
slopes(lambda x: torch.linalg.eigvalsh(x), [[2.0, 0.0], [0.0, 2.0]])
mask = torch.tensor([[False, False], [True, False]])
for m in (mask, torch.zeros(2, 2).masked_fill(~mask, -inf)):
    slopes(lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=m), [[[1.0, 2.0], [3.0, 4.0]]])
attempt(lambda: F.binary_cross_entropy(torch.ones(2), torch.ones(1)))
attempt(lambda: F.binary_cross_entropy(torch.ones(2), torch.ones(2, dtype=torch.float64)))

# %% tensors/forms
x = torch.tensor([[3.0, 1.0], [2.0, 4.0]])
show(x.max(dim=1).values, x.min(dim=0).indices, x.new_zeros(2), x.new_tensor([1, 2]), x.new_ones(1, 2), x.stride(), x.add(x, alpha=2))
e = torch.tensor([1.0, 2.0])
e.mul_(0.5).add_(torch.tensor([1.0, 1.0]), alpha=0.1).lerp_(torch.zeros(2), 0.5)
show(e, torch.sub(e, e, alpha=3))
attempt(lambda: torch.tensor([1, 2]).mean())
show(torch.tensor([1, 2]).mean(dtype=torch.float32))

# %% programs/inner step and penalty
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, -1.0])
g, = torch.autograd.grad(((w * x).sum() - 1) ** 2, w, create_graph=True)
(((w - 0.1 * g) * x).sum() ** 2).backward()
show(w.grad)
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
net = fill(nn.Linear(2, 1))
g = torch.autograd.grad(torch.tanh(net(x)).sum(), x, create_graph=True)[0]
((g.norm(2, dim=1) - 1) ** 2).mean().backward()
show(net.weight.grad)

# %% programs/causal attention
qkv = fill(nn.Linear(4, 12))
x = torch.linspace(-1, 1, 24).view(2, 3, 4)
q, k, v = [t.view(2, 3, 2, 2).transpose(1, 2) for t in qkv(x).split(4, dim=2)]
a = (q @ k.transpose(-2, -1)) * 0.5
a = F.softmax(a.masked_fill(torch.tril(torch.ones(3, 3)) == 0, float("-inf")), dim=-1)
y = (a @ v).transpose(1, 2).contiguous().view(2, 3, 4)
y.pow(2).sum().backward()
show(y.sum(), qkv.weight.grad.abs().sum())

# %% recurrent/layers
x = torch.linspace(-1, 1, 12).reshape(2, 2, 3).requires_grad_()
net = fill(nn.LSTM(3, 2, batch_first=True, bidirectional=True))
out, (h, c) = net(x)
(out ** 2).sum().backward()
show(str(net), out, h, c, x.grad, [n for n, _ in net.named_parameters()], net.weight_hh_l0.grad, out.shape == (2, 2, 4))
net = fill(nn.GRU(3, 2))
with torch.no_grad():
    out, h = net(x[0])
show(str(net), out, h, str(nn.RNN(3, 2, 2, nonlinearity="relu", dropout=0.5)))
attempt(lambda: net(torch.ones(2, 2, 4)))
attempt(lambda: net(x, torch.ones(1, 1, 2)))
attempt(lambda: nn.RNN(3, 2, nonlinearity="gelu"))

# %% recurrent/steps
x, h = torch.linspace(-1, 1, 6).view(2, 3), torch.ones(2, 2)
cell = fill(nn.LSTMCell(3, 2))
show(fill(nn.RNNCell(3, 2))(x, h), fill(nn.GRUCell(3, 2))(x, h), cell(x, (h, h)), cell(x), str(cell), str(nn.GRUCell(3, 2, bias=False)))
attempt(lambda: cell(torch.ones(2, 4)))

# %% recurrent/packed
rnn = nn.utils.rnn
padded = rnn.pad_sequence([torch.arange(1.0, 3), torch.arange(3.0, 6)], batch_first=True, padding_value=-1.0)
lengths = torch.tensor([2, 3])
packed = rnn.pack_padded_sequence(padded.unsqueeze(2), lengths, batch_first=True, enforce_sorted=False)
show(padded, packed.data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
with torch.no_grad():
    out, h = fill(nn.RNN(1, 2, bidirectional=True))(packed)
show(rnn.pad_packed_sequence(out, batch_first=True, padding_value=9.0, total_length=4), h)
show(rnn.unpad_sequence(padded, lengths, batch_first=True), rnn.unpack_sequence(rnn.pack_sequence([torch.ones(2), torch.zeros(1)])))
attempt(lambda: rnn.pack_padded_sequence(padded, lengths, batch_first=True))
attempt(lambda: rnn.pad_packed_sequence(out, total_length=2))

# %% func/transformations
from torch.func import functional_call, grad, hessian, jacfwd, jvp, vjp, vmap

x, net = torch.tensor([1.0, 2.0]), fill(nn.Linear(2, 1))
show(grad(grad(lambda x: x ** 3))(torch.tensor(2.0)), grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, 3 * x), grad(lambda x: (x.sum(), x), has_aux=True)(x))
show(jacfwd(lambda x: x ** 2)(x), hessian(lambda x: (x ** 3).sum())(x), jvp(lambda x: x ** 2, (x,), (x,)))
out, pull = vjp(lambda x: x ** 2, x)
show(out, pull(torch.ones(2)))
given = {name: p.detach() for name, p in net.named_parameters()}
loss = lambda p, x: functional_call(net, p, (x,)).sum()
show(grad(loss)(given, torch.ones(1, 2)), [g for g in vmap(grad(loss), in_dims=(None, 0))(given, torch.arange(6.0).view(3, 2)).values()].__len__(), net.weight.requires_grad)
attempt(lambda: grad(lambda x: x)(x))
attempt(lambda: functional_call(net, {"other": x}, (x,), strict=True))

# %% func/integers
from torch.func import grad, jacfwd, jacrev, jvp, vjp

i, f = torch.tensor([1, 2]), lambda x: x * x
attempt(lambda: grad(lambda x: f(x).sum())(i))
attempt(lambda: grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(i.float(), i))
attempt(lambda: vjp(f, i))
attempt(lambda: jvp(f, (i,), (i,)))
attempt(lambda: jacrev(f)(i))
attempt(lambda: jacfwd(f)(i))
attempt(lambda: torch.autograd.functional.jacobian(f, i))
attempt(lambda: i.requires_grad_())
show(grad(lambda x: (x.int().float() * x).sum())(i + 0.5))

# %% func/at a point
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

f, x, v = lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5])
show(hessian(f, x), jacobian(lambda x, y: x * y, (x, v)), vjp(lambda x: x ** 2, x, v), hvp(f, x, v), vhp(f, x, v))
w = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
show(torch.autograd.gradcheck(lambda w: w * w, (w,)), torch.autograd.gradgradcheck(lambda w: w ** 3, (w,)))
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g
attempt(lambda: torch.autograd.gradcheck(Wrong.apply, (w,)))
show(torch.autograd.gradcheck(Wrong.apply, (w,), raise_exception=False), torch.autograd.grad(w * 2, w, torch.eye(2, dtype=torch.float64), is_grads_batched=True))
attempt(lambda: hessian(lambda x: x, x))

# %% tensors/operators
x, b, h = torch.tensor([5, 7]), torch.tensor([True, False]), torch.ones(2, dtype=torch.float16)
show(x & 3, x | 8, x ^ 1, ~x, x << 1, x >> 1, x // 2, x % 3, 10 // x, 10 % x, 3 & x, b & True, ~b, b ^ b)
x |= 8
x <<= 1
x %= 9
show(x)
kinds = [h + torch.tensor(1.0), torch.ones(1) * torch.tensor(2.0, dtype=torch.float64), x + torch.tensor(2.5, dtype=torch.float64), torch.where(b, h, torch.tensor(1.0)), x * torch.tensor(2, dtype=torch.int32)]
show([str(k.dtype).lower().removeprefix("torch.") for k in kinds])
for wrong in (lambda: b - b, lambda: -b, lambda: ~h, lambda: x ** -1, lambda: torch.ones(2) @ torch.ones(2, dtype=torch.float64), lambda: torch.ones(2, 2, 2).t()):
    attempt(wrong)

# %% tensors/in place
x = torch.tensor([0.2, 0.5, 0.9])
for name in "acos_ frac_ rsqrt_ trunc_ logit_".split():
    y = x.clone()
    show(name, getattr(y, name)() is y, y)
for name in "fmod_ eq_ logical_and_ copysign_ true_divide_".split():
    show(name, getattr(x.clone(), name)(torch.tensor([2.0, 0.5, -1.0])))
y = torch.zeros(3, 3)
y.index_fill_(0, torch.tensor([1]), 5.0).index_copy_(0, torch.tensor([0]), torch.full((1, 3), 7.0)).scatter_(1, torch.tensor([[0], [1], [2]]), 9.0)
show(y.clone(), y.masked_scatter_(y < 1, torch.arange(9.0)).clone(), y.fill_diagonal_(4.0).clone(), y.index_put_((torch.tensor([0]), torch.tensor([1])), torch.tensor(3.5)).clone())
show(y.put_(torch.tensor([0]), torch.tensor([1.0])).clone(), y.addcmul_(y, y, value=0.1).clone(), y.scatter_reduce_(0, torch.zeros(1, 3, dtype=torch.long), torch.ones(1, 3), "sum"))
z = torch.ones(2, 3)
show(z.t_().shape == (3, 2), z.unsqueeze_(0).shape == (1, 3, 2), torch.relu_(torch.tensor([-1.0, 1.0])))
z = torch.empty(100)
show(bool(z.uniform_(2, 3).min() >= 2), bool(z.random_(0, 5).max() <= 4), bool(z.exponential_().min() >= 0), bool(z.geometric_(0.5).min() >= 1))

# %% tensors/functions
x, m = torch.tensor([0.3, -1.2, 2.5]), torch.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
show(m.std(0, unbiased=False), m.var(unbiased=False), m.median(), m.median(1).values, m.mode(1), m.sort(1, descending=True), m.topk(2).indices, m.aminmax(), m.nanmean(), m.corrcoef(), torch.trapezoid(m), torch.cumulative_trapezoid(m), torch.gradient(m[0]), m.dist(m * 2))
show(torch.tensordot(m, m, ([0, 1], [0, 1])), torch.isin(m, torch.tensor([1.0, 2.0])), m.take_along_dim(torch.tensor([[0], [1]]), 1), m.unflatten(1, (3, -1)).shape == (2, 3, 1), m.unfold(1, 2, 1), torch.where(m > 4), torch.argwhere(m > 4), m.scatter_reduce(0, torch.zeros(2, 3, dtype=torch.long), m, "mean", include_self=False))
show(torch.rsub(x, 1), torch.clamp_min(x, 0), torch.frexp(x), torch.view_as_complex(torch.ones(1, 2)), torch.pinverse(m), torch.rms_norm(x, (3,)), F.pairwise_distance(m[:1], m[1:]), torch.hann_window(4), torch.logspace(0, 2, 3), torch.broadcast_shapes((2, 1), (3,)) == (2, 3), torch.finfo(torch.float32).eps, torch.iinfo(torch.int8).max, torch.can_cast(torch.float32, torch.int32))
show(torch.FloatTensor([1, 2]), torch.LongTensor(2).shape == (2,), torch.Tensor([1, 2]), m.type(), m.type("torch.LongTensor"), str(m.device), m.device.type, repr(torch.device("cuda", 1)), m.is_cuda)
with torch.inference_mode():
    show(torch.is_inference_mode_enabled(), (torch.ones(1, requires_grad=True) * 2).requires_grad)
attempt(lambda: m.unflatten(1, (2, 2)))
attempt(lambda: torch.finfo(torch.int32))

# %% modules of functions
a = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
L = torch.linalg
show(L.inv(a), L.det(a), L.solve(a, torch.ones(2)), L.solve(a, a, left=False), L.eigvalsh(a), L.svdvals(a), L.slogdet(a), L.matrix_rank(a), L.multi_dot([a, a]), L.lstsq(a, torch.ones(2, 1)).solution, L.solve_triangular(a, a, upper=True), L.qr(a).R.abs(), L.norm(a), L.vector_norm(a, 1), L.lu(a).U)
x = torch.tensor([0.3, 0.7])
show(torch.fft.rfft(x), torch.special.entr(x), torch.special.xlog1py(x, x), torch.special.ndtr(x), torch.special.gammaln(x), torch.special.expit(x))

# %% attention/several heads
net = fill(nn.MultiheadAttention(4, 2, batch_first=True))
x = torch.linspace(-1, 1, 12).view(1, 3, 4).requires_grad_()
out, weights = net(x, x, x)
(out ** 2).sum().backward()
show(out, weights, x.grad, net.in_proj_weight.grad, [n for n, _ in net.named_parameters()], str(net))
with torch.no_grad():
    hidden, later = torch.tensor([[False, False, True]]), torch.triu(torch.ones(3, 3), diagonal=1).bool()
    show(net(x, x, x, key_padding_mask=hidden, attn_mask=later, average_attn_weights=False), net(x[0], x[0], x[0], need_weights=False))
attempt(lambda: net(x, x, x, is_causal=True))
attempt(lambda: nn.MultiheadAttention(5, 2))

# %% attention/transformer
net = fill(nn.Transformer(4, 2, 1, 1, 8, dropout=0.0))
with torch.no_grad():
    s, t = torch.linspace(-1, 1, 12).view(3, 1, 4), torch.linspace(0, 1, 8).view(2, 1, 4)
    show(net(s, t, tgt_mask=nn.Transformer.generate_square_subsequent_mask(2)), [n for n, _ in net.named_parameters()], str(net))
attempt(lambda: net(s, t[:, :, :3]))

# %% optim/more of them
O = torch.optim
for make in (O.Adadelta, O.Adamax, O.NAdam, O.RAdam, O.ASGD, O.Rprop, lambda p: O.RMSprop(p, centered=True, weight_decay=0.1),
             lambda p: O.Adam(p, amsgrad=True), lambda p: O.Adagrad(p, lr_decay=0.1),
             lambda p: O.NAdam(p, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)):
    w = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    o = make([w])
    for i in range(7):
        o.zero_grad()
        ((w - i * 0.3) ** 2).sum().backward()
        o.step()
    show(type(o).__name__, w, sorted({*o.state_dict()["state"][0]} - {"step", "eta"}))
w = torch.tensor([1.0, -2.0], requires_grad=True)
o = O.LBFGS([w], lr=0.5, max_iter=4)
def closure():
    o.zero_grad()
    loss = ((w - 1) ** 4).sum() + (w ** 2).sum()
    loss.backward()
    return loss
show(o.step(closure), o.step(closure), w)
attempt(lambda: O.Adadelta([w], rho=-1))
attempt(lambda: O.Rprop([w], etas=(2, 1)))

# %% optim/sparse tables
for make in (lambda p: torch.optim.SparseAdam(p, lr=0.1), lambda p: torch.optim.SparseAdam(p, maximize=True, betas=(0.5, 0.9), eps=1e-3),
             lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.Adagrad(p, lr=0.1)):
    table, bag = fill(nn.Embedding(5, 2, sparse=True)), fill(nn.EmbeddingBag(4, 2, mode="sum", sparse=True))
    o = make([*table.parameters(), *bag.parameters()])
    for rows in ([0, 1, 1], [1, 3], [3], [0, 3, 3]):
        o.zero_grad()
        (table(torch.tensor(rows)) ** 3).sum().add((bag(torch.tensor([rows])) ** 2).sum()).backward()
        o.step()
    show(type(o).__name__, table.weight, bag.weight, str(table), table.weight.grad.to_dense())
show(sorted(torch.optim.SparseAdam([table.weight]).defaults))
attempt(lambda: torch.optim.SparseAdam([table.weight], lr=0.0))
attempt(lambda: torch.optim.SparseAdam([table.weight], eps=0.0))
attempt(lambda: torch.optim.SparseAdam([table.weight], betas=(1.0, 0.9)))

# %% optim/more schedules
def rates(make, steps=7):
    w = torch.tensor([1.0], requires_grad=True)
    o = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    schedule, found = make(o), []
    for i in range(steps):
        found.append((o.param_groups[0]["lr"], o.param_groups[0]["momentum"]))
        o.zero_grad()
        (w ** 2).sum().backward()
        o.step()
        schedule.step(*[1.0] * isinstance(schedule, S.ReduceLROnPlateau))
    show(type(schedule).__name__, found, w)
rates(lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2))
rates(lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=3, mode="triangular2"))
rates(lambda o: S.PolynomialLR(o, 5, 2.0))
rates(lambda o: S.MultiplicativeLR(o, lambda e: 0.9))
rates(lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], milestones=[3]))
rates(lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]))
rates(lambda o: S.OneCycleLR(o, 0.2, total_steps=8))
rates(lambda o: S.OneCycleLR(o, 0.2, total_steps=8, three_phase=True, anneal_strategy="linear"))
rates(lambda o: S.ReduceLROnPlateau(o, factor=0.5, patience=1, cooldown=1))
rates(lambda o: torch.optim.swa_utils.SWALR(o, 0.01, 3))
attempt(lambda: S.StepLR(torch.ones(1), 1))
attempt(lambda: rates(lambda o: S.OneCycleLR(o, 0.1)))

# %% optim/means of parameters
net = fill(nn.Linear(2, 1))
mean = torch.optim.swa_utils.AveragedModel(net)
mean.update_parameters(net)
with torch.no_grad():
    net.weight.add_(2)
mean.update_parameters(net)
show(mean.module.weight, mean.n_averaged)

# %% layers/more of them
x = torch.linspace(-1, 1, 32).view(2, 4, 2, 2)
with torch.no_grad():
    for net in (nn.InstanceNorm2d(4, affine=True, track_running_stats=True), nn.LocalResponseNorm(2), nn.ChannelShuffle(2),
                nn.PixelUnshuffle(2), nn.Softmax2d(), nn.Softmin(dim=1), nn.RMSNorm(2), nn.RReLU(0.1, 0.3).eval(),
                nn.UpsamplingBilinear2d(scale_factor=2), nn.Upsample(size=3), nn.ReflectionPad2d(1), nn.ConstantPad1d(1, 3.5),
                nn.ZeroPad2d((1, 0, 0, 1)), nn.CircularPad2d(1), nn.AlphaDropout(0.3).eval()):
        show(str(net), net(x), dict(net.named_buffers()))
    y = torch.arange(16.0).view(1, 1, 4, 2, 2) % 5
    for net in (nn.AvgPool3d(2), nn.MaxPool3d((2, 1, 1)), nn.AdaptiveMaxPool3d(1), fill(nn.ConvTranspose3d(1, 1, 2)), nn.BatchNorm3d(1)):
        show(str(net), net(y))

# %% losses/more of them
x, t, y = torch.linspace(-1, 1, 6).view(2, 3), torch.tensor([0, 2]), torch.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])
show(nn.MultiMarginLoss()(x, t), nn.MultiLabelSoftMarginLoss()(x, (y > 0).float()), nn.HingeEmbeddingLoss()(x, y), nn.PoissonNLLLoss(full=True)(x, y.abs() * 3), nn.GaussianNLLLoss()(x, y, torch.ones(2, 3)), nn.TripletMarginWithDistanceLoss(swap=True)(x, y, x * 2), nn.PairwiseDistance()(x, y))
p = torch.linspace(-1, 1, 24).view(4, 2, 3).log_softmax(2).requires_grad_()
loss = nn.CTCLoss()(p, torch.tensor([[1, 2], [2, 1]]), (4, 4), (2, 1))
loss.backward()
show(loss, p.grad.sum())

# %% modules/hooks with names
class Scaled(nn.Module):
    def forward(self, x, scale=1):
        return x * scale
net = Scaled()
net.register_forward_hook(lambda m, a, k, o: o + k["scale"], with_kwargs=True)
net.register_forward_hook(lambda m, a, o: o * 100, prepend=True)
net.register_forward_pre_hook(lambda m, a, k: (a, {"scale": k["scale"] + 1}), with_kwargs=True)
show(net(torch.ones(2), scale=2))

# %% modules/lists changed
net = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
net.insert(1, nn.Tanh())
net.extend([nn.ELU()])
show(str(net), str(net.pop(0)), str(net + nn.Sequential(nn.SELU())), len(net))
del net[0]
many = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
many += [nn.ReLU()]
show(str(net), str(many), str(many.pop(1)), len(many))
named = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
show(str(named.pop("a")), list(named), str(named))
own = nn.ParameterList([torch.ones(1)])
own += [torch.zeros(2)]
own[0] = nn.Parameter(torch.full((3,), 2.0))
layer = nn.Linear(1, 1)
show(own[0], len(own), str(layer.load_state_dict({"weight": torch.full((1, 1), 4.0), "bias": torch.zeros(1)}, assign=True)), layer.weight)

# %% utils/samplers
D = torch.utils.data
ds = D.TensorDataset(torch.arange(10), torch.arange(10) * 2)
batches = D.BatchSampler(D.SequentialSampler(ds), 4, False)
show(list(batches), len(batches), sorted(D.RandomSampler(ds)), len(list(D.RandomSampler(ds, num_samples=13))), len(ds + ds), (ds + ds)[12], sorted(D.SubsetRandomSampler([1, 3])), len(list(D.WeightedRandomSampler([0.1, 0.9], 5))))
show([a.tolist() for a, b in D.DataLoader(ds, batch_sampler=D.BatchSampler(D.SequentialSampler(ds), 4, True))], D.StackDataset(ds, ds)[1])
a, b = D.random_split(ds, [7, 3], generator=torch.Generator().manual_seed(1))
show(len(a), len(b), len(D.DataLoader(ds, sampler=D.SequentialSampler(ds), batch_size=3)))

# %% utils/scaled losses
net = fill(nn.Linear(2, 1))
o, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1)
for bad in (False, True):
    o.zero_grad()
    scaler.scale(net(torch.ones(1, 2)).sum() * (float("inf") if bad else 1.0)).backward()
    scaler.unscale_(o)
    scaler.step(o)
    scaler.update()
    show(net.weight, scaler.get_scale())
x = torch.ones(1, 2, requires_grad=True)
torch.utils.checkpoint.checkpoint(lambda a: net(a).tanh(), x, use_reentrant=False).sum().backward()
show(x.grad)

# %% tensors/odds and ends
g = torch.Generator(device="cpu").manual_seed(12)
state = g.get_state()
g.seed()
g.set_state(state)
x = torch.tensor([[4.0, 4, 9, 1], [2, 1, 3, 6]], requires_grad=True)
show(str(g.device), nn.init.dirac_(torch.empty(2, 2, 3)), torch.norm(x, dim=(0, 1), p="nuc"), nn.ModuleDict({"conv": None})["conv"] is None)
with torch.autograd.set_detect_anomaly(True):
    (x * 2).sum().backward()
show(x.grad)

# %% calls/words of PyTorch's and NumPy's
x = torch.arange(6.0).reshape(2, 3)
show(torch.sum(x, axis=0), x.sum(axis=1, keepdims=True), torch.full((2,), 3.0, device="cpu"), torch.arange(3, device="cpu"),
     torch.empty(2, 3, memory_format=torch.contiguous_format).shape, torch.zeros([]).shape, torch.randn([]).shape)
show(torch.cumsum(x, dim=0, out=torch.empty(0)), torch.max(x, 1, out=(torch.empty(0), torch.empty(0, dtype=torch.long)))[1])
show(x.repeat(2, 2), torch.movedim(input=x, source=0, destination=1), torch.argmin(x), x.scatter(1, torch.tensor([[0], [1]]), 5.0, reduce="add"))
show(x.index_reduce(1, torch.tensor([0, 0, 2]), x + 1, "amax"), torch.slice_scatter(x, torch.zeros(2, 1), 1, 1, 2), torch.max(x, other=x * 2))
show(torch.unravel_index(torch.tensor([1, 5]), (2, 3)), torch.quantile(x, torch.tensor([0.25, 0.5]), dim=0, keepdim=True),
     x.quantile(0.4, interpolation="nearest"), torch.einsum(x, [0, 1], x, [2, 1], [0, 2]), x.view(torch.int32)[0], x.mT)
torch.set_default_dtype(torch.float64)
show(str(torch.ones(1).to(torch.float32).tolist()), torch.tensor(1.0) / 3)
torch.set_default_dtype(torch.float32)

# %% calls/generators
a, b = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
show(torch.equal(torch.rand(3, generator=a), torch.rand(3, generator=b)), a.initial_seed())
state = a.get_state()
first = torch.randperm(9, generator=a)
a.set_state(state)
show(torch.equal(first, torch.randperm(9, generator=a)), torch.equal(torch.zeros(4).normal_(generator=a), torch.zeros(4).normal_(generator=a)))
orders = [list(torch.utils.data.DataLoader(torch.arange(8), 8, True, generator=torch.Generator().manual_seed(5)))[0] for _ in range(2)]
show(torch.equal(*orders), len(torch.utils.data.DataLoader([1, 2, 3], 2, False, None, None, 0, None, False, True)))

# %% calls/losses and activations
x, y = torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]]), torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
show(nn.MSELoss(size_average=False)(x, y), nn.L1Loss(reduce=False)(x, y), F.mse_loss(x, y, weight=y + 1), F.nll_loss(x, torch.tensor([1, 2]), None, None, -100, None, "sum"))
show(F.rrelu(x), nn.ReLU(inplace=True), nn.PReLU(3), nn.NLLLoss(torch.ones(3)).state_dict(), F.softmax(x, -1, dtype=torch.float64))
z = x.clone()
show(nn.ReLU(inplace=True)(z) is z, nn.Hardswish(inplace=True)(z) is z, F.relu(z, True) is z, F.selu_(z) is z, nn.Conv2d(1, 1, 1, device="cpu", dtype=torch.float64).weight.dtype == torch.float64)

# %% signals/stft
x = torch.arange(16.0)
window = torch.hann_window(8)
s = torch.stft(x, 8, 4, window=window, return_complex=True)
show(s.real, torch.istft(s, 8, 4, window=window, length=14), torch.stft(x, 8, 3, 6, center=False, normalized=True, return_complex=False).sum())
attempt(lambda: torch.stft(x, 8))

# %% utils/norms and parametrizations
from torch.nn.utils import parametrizations as Z
from torch.nn.utils import parametrize as P
x = torch.tensor([[1.0, 2.0, -1.0], [0.5, 1.0, 3.0]])
net = nn.utils.weight_norm(fill(nn.Linear(3, 2)))
net(x).sum().backward()
show(list(net.state_dict()), net(x), net.weight_g.grad)
net = Z.weight_norm(fill(nn.Linear(3, 2)))
net(x).sum().backward()
show(str(net), list(net.state_dict()), net.parametrizations.weight.original1.grad, isinstance(net, nn.Linear))
P.remove_parametrizations(net, "weight")
show(type(net).__name__, net.weight)
net = Z.spectral_norm(fill(nn.Linear(3, 2)))
show(list(net.state_dict()), net(x))
w = Z.orthogonal(fill(nn.Linear(3, 2))).weight
show(torch.allclose(w @ w.T, torch.eye(2), atol=1e-5))

# %% layers/bags, lazy modules, unpooling
bag = fill(nn.EmbeddingBag(5, 2, padding_idx=1))
y = bag(torch.tensor([0, 1, 2, 4]), torch.tensor([0, 2, 2]))
y.sum().backward()
show(str(bag), y, bag.weight.grad, F.embedding_bag(torch.tensor([[0, 1], [2, 4]]), torch.arange(10.0).reshape(5, 2), mode="max"))
net = nn.LazyLinear(3)
show(str(net), net(torch.ones(1, 2)).shape, str(net), type(net).__name__)
values, places = nn.MaxPool2d(2, return_indices=True)(torch.arange(16.0).reshape(1, 1, 4, 4))
show(nn.MaxUnpool2d(2)(values, places), fill(nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2], 2.0)).log_prob(torch.ones(1, 4)))

# %% distributions/densities
D = torch.distributions
v, one = torch.tensor([0.2, 0.9]), torch.tensor([1.0, 2.0])
for d in (D.Normal(0.0, one), D.Gamma(one, 2.0), D.Beta(one, 2.0), D.TransformedDistribution(D.Normal(one * 0, 1.0), [D.AffineTransform(0.1, 2.0), D.SigmoidTransform()])):
    show(type(d).__name__, d.log_prob(v), d.sample((3,)).shape)
for d in (D.Bernoulli(v), D.Binomial(3, v), D.Categorical(torch.ones(2, 3))):
    show(repr(d), d.log_prob(torch.tensor([0.0, 1.0])), d.mean, d.sample().dtype == torch.float32)
show(D.kl_divergence(D.Normal(0.0, one), D.Normal(1.0, 2.0)), D.Independent(D.Normal(one, 1.0), 1).log_prob(v),
     D.MultivariateNormal(one, torch.eye(2) + 0.5).log_prob(v), D.Dirichlet(one).mean, D.Categorical(one).entropy())
m = torch.tensor([2.0, 3.0], requires_grad=True)
D.Normal(m, 1.0).rsample().sum().backward()
show(m.grad)
attempt(lambda: D.Normal(0.0, -1.0))
attempt(lambda: D.Bernoulli(0.5).log_prob(torch.tensor(0.3)))
