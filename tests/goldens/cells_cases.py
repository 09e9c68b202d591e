# ruff: noqa
# %% function/gradients
class Weighted(ms._Function):
    @staticmethod
    def forward(ctx, x, y, names):
        ctx.power = 3
        ctx.save_for_backward(x, None)
        return x * y, names, x + y

    @staticmethod
    def backward(ctx, first, second, third):
        print(second, ctx.saved_tensors[1])
        return first * ctx.saved_tensors[0] * ctx.power, third, None

x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
show(ms.grad(Weighted.apply, (0, 1))(x, y, "a name"))

# %% function/number of gradients
def made(forward, backward):
    return type("Made", (ms._Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}).apply

x = Tensor([1.0, 2.0])
attempt(lambda: ms.grad(made(lambda ctx, x, y: x * y, lambda ctx, g: g))(x, x))
attempt(lambda: ms.grad(made(lambda ctx, x, y: x * y, lambda ctx, g: (g, g)))(x, 2.0))
attempt(lambda: ms.grad(made(lambda ctx, x, y: x * y, lambda ctx, g: (g, 4)))(x, x))
attempt(lambda: ms.grad(made(lambda ctx, x: x * 2, lambda ctx, g: (g, None)))(x))
attempt(lambda: ms.grad(made(lambda ctx, x: x * 2, lambda ctx, g: [g]))(x))
attempt(lambda: ms.grad(made(lambda ctx, x: x * 2, lambda ctx, g: ops.ones((3, 2))))(x))
attempt(lambda: ms.grad(made(lambda ctx, x: x * 2, lambda ctx, g: g.sum()))(x))
attempt(lambda: made(lambda ctx, x: x * 2, lambda ctx, g: g)(x=x))
attempt(lambda: ms.grad(made(lambda ctx, x: ctx.save_for_backward(3) or x * 2, lambda ctx, g: g))(x))

# %% function/changed inputs
class Added(ms._Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(1)
        ctx.mark_dirty(x)
        return x + y, x

    @staticmethod
    def backward(ctx, first, second):
        return first, first * 2

class Hidden(Added):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(1)
        ctx.mark_dirty(x)
        return x + y

y = Tensor([3.0, 4.0])
attempt(lambda: ms.grad(Added.apply, (0, 1))(Tensor([1.0, 2.0]), y))
attempt(lambda: ms.grad(Hidden.apply)(Tensor([1.0, 2.0]), y))
attempt(lambda: ms.grad(lambda x, y: Added.apply(x + 1, y), (0, 1))(Tensor([1.0, 2.0]), y))
attempt(lambda: ms.grad(lambda y: Added.apply(Tensor([1.0, 2.0]), y))(y))

# %% function/context apart
class Scaled(ms._Function):
    @staticmethod
    def forward(x, factor=3):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None

show(Scaled.apply(Tensor([1.0, 2.0])), ms.grad(Scaled.apply)(Tensor([1.0, 2.0])))
show(ms.grad(lambda x: Scaled.apply(x, factor=5))(Tensor([1.0, 2.0])))

# %% bprop/broadcast inputs
class Net(nn.Cell):
    def construct(self, x, y):
        return x + y

    def bprop(self, x, y, out, dout):
        return Tensor([[1, 1, 1], [2, 2, 2]]), dout * 5

show(ms.grad(Net(), (0, 1))(Tensor([3.0, 3.0, 3.0]), ops.ones((2, 3))))
attempt(lambda: ms.grad(Net(), (0, 1))(ops.ones((3, 3)), ops.ones((1, 3))))

# %% bprop/used inputs
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.used_bprop_inputs = [0]

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        print(y, out)
        return x * dout, None

show(ms.grad(Net())(Tensor([3.0, 4.0]), Tensor([5.0, 6.0])))

# %% bprop/what is given back is another Tensor
class Net(nn.Cell):
    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        return Tensor([1.0, 1.0])

x = Tensor([3.0, 4.0])
print(Net().set_grad()(x) is x)
show(ms.grad(Net())(x))

# %% hooks/refused
p = Parameter(Tensor([1.0]), requires_grad=False)
attempt(lambda: p.register_hook(lambda g: g))
attempt(lambda: Tensor([1.0]).register_hook(1.0))
attempt(lambda: nn.ReLU().register_forward_hook("a"))

def tupled(x):
    x.register_hook(lambda g: (g, g))
    return x * x

attempt(lambda: ms.grad(tupled)(Tensor([1.0])))

# %% recompute/options
net = nn.Dense(2, 2, weight_init="ones")
x = Tensor([[1.0, 2.0]])
for options in ({}, {"use_reentrant": False}, {"output_recompute": True}, {"early_stop": False}):
    show(ms.grad(lambda x: ms.recompute(net, x, **options))(x))
for options in ({"use_reentrant": 3}, {"mp_comm_recompute": 1}, {"recompute_slice_activation": "a"}, {"other": True}):
    attempt(lambda: net.recompute(**options))

# %% phase
net = nn.Dense(2, 2)
print(net.phase, net.set_train().phase, net.set_train(False).phase, net.set_train().set_grad().phase)

# %% buffers
from mindspore.common.parameter import _Buffer

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = _Buffer(Tensor([1.0, 2.0]))
        self.passing = _Buffer(Tensor([3.0, 4.0]), persistent=False)
        self.register_buffer("absent", None)
        self.w = Parameter(Tensor([5.0, 6.0]))

    def construct(self, x):
        return (x + self.first) * self.passing + self.w

net = Net()
show(net(Tensor([1.0, 1.0]))); print([n for n, _ in net.named_buffers(prefix="p")])
attempt(lambda: net.register_buffer(2, Tensor([1.0])))
attempt(lambda: net.register_buffer("a.b", Tensor([1.0])))
attempt(lambda: net.register_buffer("w", Tensor([1.0])))
attempt(lambda: net.register_buffer("other", 3))
attempt(lambda: net.get_buffer("nothing"))
attempt(lambda: _Buffer(None))
attempt(lambda: _Buffer(3))

# %% optimizers/what they say of themselves
def weights():
    return [Parameter(Tensor([1.0, 2.0]), name="a"), Parameter(Tensor([3.0]), name="b")]

p = weights()
grouped = nn.Momentum([{"params": [p[1]], "lr": 0.5, "weight_decay": 0.1}, {"params": [p[0]]}, {"order_params": p}], 0.2, 0.9)
print([q.name for q in grouped.group_params], [q.name for q in grouped.group_lr], len(grouped.group_weight_decay))
attempt(lambda: nn.Momentum(weights(), 0.1, 0.9).group_lr)
adam = nn.Adam(weights(), 0.3, beta1=0.8, eps=1e-6)
show(adam.beta1, adam.beta2, adam.eps, adam.init_learning_rate, adam.init_args["beta1"])
print(nn.SGD(weights(), [0.1, 0.2], momentum=0.5).init_args["momentum"], nn.SGD(weights(), [0.1, 0.2]).init_learning_rate)

# %% optimizers/target
adam = nn.Adam([Parameter(Tensor([1.0]), name="a")])
adam.target = "CPU"
print(adam.target)
attempt(lambda: setattr(adam, "target", "TPU"))
attempt(lambda: setattr(adam, "target", 3))
attempt(lambda: setattr(nn.SGD([Parameter(Tensor([1.0]), name="a")]), "target", "CPU"))

# %% optimizers/refused
p = [Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([1.0]), name="b")]
attempt(lambda: nn.Optimizer(0.1, p).construct())
attempt(lambda: nn.Optimizer(0.1, p)((Tensor([1.0]), Tensor([1.0]))))
attempt(lambda: nn.Adam(p)((Tensor([1.0]),)))
attempt(lambda: nn.SGD([{"params": p, "lr": [0.1]}], learning_rate=[0.1, 0.2]))
attempt(lambda: nn.piecewise_constant_lr([1, 1], [0.1, 0.2]))
attempt(lambda: nn.piecewise_constant_lr([2, 1], [0.1, 0.2]))

# %% training/options of checkpoints
from mindspore.train import CheckpointConfig, EarlyStopping, ModelCheckpoint, OnRequestExit

for options in (
    {"save_checkpoint_steps": 0, "keep_checkpoint_max": 0}, {"save_checkpoint_steps": -1}, {"append_info": ["zz"]},
    {"append_info": [3]}, {"integrated_save": 3}, {"async_save": 3}, {"enc_key": 3}, {"enc_mode": 3}, {"crc_check": 3},
    {"exception_save": 3}, {"keep_checkpoint_max": 0}, {"save_checkpoint_steps": 0},
):
    attempt(lambda: CheckpointConfig(**options).keep_checkpoint_max)
print(sorted(CheckpointConfig().get_checkpoint_policy().items(), key=str))
attempt(lambda: ModelCheckpoint(directory=3))
attempt(lambda: ModelCheckpoint(123))
attempt(lambda: EarlyStopping(restore_best_weights=3))
attempt(lambda: OnRequestExit(save_ckpt=3))
attempt(lambda: OnRequestExit(sig="a"))
attempt(lambda: OnRequestExit(directory=3))

# %% training/go on after an interruption
import os, shutil, tempfile
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import BackupAndRestore, Callback, LossMonitor, Model

class Stop(Callback):
    def on_train_epoch_end(self, run_context):
        run_context.request_stop()

def model():
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.125)), net

def data():
    return NumpySlicesDataset((np.eye(2, dtype=np.float32), np.ones((2, 1), np.float32) * 2), shuffle=False).batch(2)

folder = tempfile.mkdtemp()
trained, net = model()
trained.train(2, data(), callbacks=[BackupAndRestore(folder, delete_checkpoint=False)])
print(os.listdir(folder))
again, other = model()
again.train(1, data(), callbacks=[BackupAndRestore(folder)])
print(os.listdir(folder))
trained.train(1, data())
show(net.weight.value(), other.weight.value())
shutil.rmtree(folder)
for options in ({"save_freq": 0}, {"save_freq": "a"}, {"delete_checkpoint": 3}):
    attempt(lambda: BackupAndRestore(tempfile.gettempdir(), **options))
attempt(lambda: BackupAndRestore(3))

# %% training/refused
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import Model

net = nn.Dense(2, 1)
trained = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.125))
one = NumpySlicesDataset((np.eye(2, dtype=np.float32),), ["x"], shuffle=False).batch(2)
three = NumpySlicesDataset((np.eye(2, dtype=np.float32),) * 3, ["x", "y", "z"], shuffle=False).batch(2)
attempt(lambda: trained.train(1, one))
attempt(lambda: trained.train(1, three))
attempt(lambda: trained.infer_predict_layout(Tensor([[1.0, 2.0]])))
attempt(lambda: trained.build(one, epoch=0))
attempt(lambda: Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.125), boost_level="O9"))
attempt(lambda: Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.125), keep_batchnorm_fp32=3))

# %% training/parts of a batch
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")

    def construct(self, x):
        return self.inner(x).sum()

for make in (lambda: nn.PipelineCell(3, 2), lambda: nn.PipelineCell(Net(), 0), lambda: nn.PipelineCell(Net(), 2.0)):
    attempt(make)
print(nn.PipelineCell(Net(), 2))

# %% containers/in place
cells = nn.CellList([nn.Dense(2, 2)])
cells += [nn.ReLU(), nn.Dense(2, 1)]
print(len(cells), list(cells.parameters_dict()))
attempt(lambda: cells.__iadd__(3))
cells.set_grad()
row = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())
row.set_grad()
print([cell.requires_grad for cell in cells], [cell.requires_grad for cell in row], row.requires_grad)

# %% gradients/a weight that is frozen on the way
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = Parameter(Tensor([2.0]))
        self.b = Parameter(Tensor([3.0]))

    def construct(self, x):
        y = x * self.a * self.b
        self.b.requires_grad = False
        return y

net = Net()
show(ms.grad(net, weights=[net.a, net.b])(Tensor([4.0])))

# %% losses/numbers
x = Tensor([1.0, 2.0])
for name in (
    "MSELoss", "L1Loss", "MAELoss", "RMSELoss", "SmoothL1Loss", "HuberLoss", "BCELoss", "SoftMarginLoss", "DiceLoss",
    "KLDivLoss", "SoftmaxCrossEntropyWithLogits", "CosineEmbeddingLoss", "BCEWithLogitsLoss", "FocalLoss",
):
    attempt(lambda: getattr(nn, name)()(x, 3.0))
    attempt(lambda: getattr(nn, name)()(3.0, x))
attempt(lambda: nn.LRN(depth_radius=-1))

# %% names/the first call names Parameters by their paths where two have one name
class Pair(nn.Cell):
    def __init__(self, first, second):
        super().__init__(auto_prefix=False)
        self.first, self.second = first, second

    def construct(self, x):
        return (self.first(x) - self.second(x)).sum()


def pair():
    return Pair(nn.Dense(2, 1, "ones"), nn.SequentialCell(nn.Dense(2, 1, "ones")))


def twins():
    return Pair(nn.Dense(2, 1, "ones"), nn.Dense(2, 1, "ones"))


x = ops.ones((1, 2))
for mode in (1, 0):
    ms.set_context(mode=mode)
    for make in (pair, twins):
        net = make()
        show([p.name for p in net.get_parameters()], list(net.parameters_dict()))
        net(x)
        show([p.name for p in net.get_parameters()], list(net.parameters_dict()))
    net = twins()
    step = nn.TrainOneStepCell(net, nn.SGD(net.second.trainable_params(), 0.1, momentum=0.9))
    show([p.name for p in step.get_parameters()])
    step(x)
    show([p.name for p in net.get_parameters()], [p.name for p in step.get_parameters()])
    net.second.weight.name = "weight"
    net.first.weight.name = "weight"
    if mode:
        net(x)
        show([p.name for p in net.get_parameters()])
    net.check_names_and_refresh_name()
    show([p.name for p in net.get_parameters()])

ms.set_context(mode=1)

# %% gradients/the forward pass that a step has run counts once
class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(2, momentum=0.5)
        self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)

    def construct(self, x, scale):
        ops.assign_add(self.count, Tensor(1.0))
        return (self.bn(x) * x * scale).sum()


class Step(nn.Cell):
    def __init__(self, net, how):
        super().__init__(auto_prefix=False)
        self.net, self.how = net, how
        self.weights = ms.ParameterTuple(net.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True)
        self.with_seed = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x):
        loss = self.net(x, 1.0)
        if self.how == "same":
            return loss, self.grad(self.net, self.weights)(x, 1.0)
        if self.how == "seed":
            return loss, self.with_seed(self.net, self.weights)(x, 1.0, ops.ones_like(loss))
        if self.how == "other":
            return loss, self.grad(self.net, self.weights)(x * 2, 1.0)
        if self.how == "more":
            return loss, self.grad(self.net, self.weights)(x, 2.0)
        return loss, ms.grad(self.net, None, self.weights)(x, 1.0)


class Derived(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        gradients = self.grad(self.network, self.weights)(*inputs, sens)
        return ops.depend(loss, self.optimizer(gradients))


def counted(net, call, *args):
    for _ in range(2):
        call(*args)
        show(net.bn.moving_mean.asnumpy(), net.count.asnumpy())


x = Tensor([[1.0, 2.0], [3.0, 5.0]])
for mode in (1, 0):
    ms.set_context(mode=mode)
    for how in ("same", "seed", "other", "more", "function"):
        net = Counting().set_train()
        net.set_grad()
        counted(net, Step(net, how).set_train(), x)
    net = Counting()
    counted(net, Derived(net, nn.SGD(net.trainable_params(), 0.1)).set_train(), x, Tensor(2.0))

ms.set_context(mode=1)
net = Counting().set_train()
counted(net, Step(net, "same"), x)
net.set_grad()
gradient = ops.GradOperation(get_by_list=True)(net, net.trainable_params())
for called in ([x], [x, x], [x, x * 1], [x * 1, x]):
    for one in called:
        net(one, 1.0)
    counted(net, gradient, x, 1.0)
