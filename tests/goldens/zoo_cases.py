"""Training programs of model zoos, from the seed to the losses they print (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% seed/initializers
inits = [
    "normal",
    "uniform",
    "xavier_uniform",
    "he_uniform",
    "he_normal",
    "truncatedNormal",
    "orthogonal",
    "varianceScaling",
]
inits += [
    init.TruncatedNormal(0.02),
    init.TruncatedNormal(1.0, 0.5, 0, 3),
    init.Sparse(0.4, 2.0),
    init.HeNormal(0.1, "fan_out", "leaky_relu"),
]
for one in inits:
    ms.set_seed(3)
    show(Parameter(init.initializer(one, [5, 3], ms.float32)))
    show(np.random.randint(1 << 30))

show(init.initializer("normal", [3], ms.float16))
show(init.initializer("xavier_normal", [2, 2, 3], ms.float64).asnumpy())

# %% seed/many
ms.set_seed(5)
for one in (init.Normal(2.0, 1.0), init.Uniform(0.3), init.TruncatedNormal(1.0)):
    values = init.initializer(one, [70000], ms.float32).asnumpy()
    show(values[[0, 1, 2, 1023, 1024, 65535, 65536, 69999]])

# %% seed/layers
layers = [
    lambda: nn.Dense(3, 2),
    lambda: nn.Conv2d(2, 2, 2, has_bias=True),
    lambda: nn.Conv1dTranspose(2, 2, 2),
    lambda: nn.Embedding(3, 2),
    lambda: nn.LSTM(1, 1, 2, bidirectional=True),
    lambda: nn.GRUCell(2, 1),
    lambda: nn.RNN(2, 1, has_bias=False),
    lambda: nn.MultiheadAttention(2, 1),
    lambda: nn.BiDense(2, 2, 2),
    lambda: nn.SequentialCell(nn.Dense(2, 2), nn.BatchNorm1d(2), nn.Dense(2, 1, weight_init="normal")),
]
for layer in layers:
    ms.set_seed(7)
    for p in layer().get_parameters():
        show(p.name, p.asnumpy())
    show(np.random.randint(1 << 30))

# %% seed/transformer
ms.set_seed(7)
for p in nn.Transformer(2, 1, 2, 1, 2).get_parameters():
    if "norm" not in p.name:
        show(p.name, p.asnumpy())

# %% seed/layers of a stack are new and the same
one = nn.TransformerEncoderLayer(2, 1, 2, dropout=0.25, activation="gelu", norm_first=True)
stack = nn.TransformerEncoder(one, 2)
first, second = stack.layers[0], stack.layers[1]
show((first.dense1.weight == second.dense1.weight).all(), (first.dense1.weight == one.dense1.weight).all())
show(
    one.d_model,
    one.nhead,
    one.dim_feedforward,
    one.dropout_num,
    one.activation1,
    one.layernorm_eps,
    one.batch_first,
    one.norm_first,
    one.dtype,
)

# %% seed/training
ms.set_seed(1)
net = nn.SequentialCell(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Dense(48, 2))
x, y = Tensor(np.random.randn(4, 1, 4, 4), ms.float32), Tensor(np.random.randint(0, 2, 4), ms.int32)
step = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
)
step.set_train()
for _ in range(3):
    show(step(x, y))

# %% optimizer/gradients of few channels are not centralized
w = Parameter(Tensor(np.linspace(-1, 1, 24).reshape(2, 3, 2, 2), ms.float32), name="w")
optimizer = nn.Momentum([{"params": [w], "grad_centralization": True, "weight_decay": 0.1}], 0.1, 0.9)
optimizer((Tensor(np.sin(np.arange(24.0)).reshape(2, 3, 2, 2), ms.float32),))
show(w)

# %% functions/tuple_to_array takes ranges
show(F.tuple_to_array(range(3)), F.tuple_to_array((1, 2.5)), P.TupleToArray()(range(1, 6, 2)), F.tuple_to_array((1.5, 2)))
attempt(lambda: F.tuple_to_array(()))

class Grid(nn.Cell):
    def construct(self, x):
        size = P.Shape()(x)[2:4]
        across = P.Cast()(F.tuple_to_array(range(size[1])), ms.float32)
        down = P.Cast()(F.tuple_to_array(F.make_range(size[0])), ms.float32)
        across = P.Tile()(P.Reshape()(across, (1, 1, -1, 1)), (1, size[0], 1, 1))
        down = P.Tile()(P.Reshape()(down, (1, -1, 1, 1)), (1, 1, size[1], 1))
        return P.Concat(axis=-1)((across, down))

for mode in (1, 0):
    ms.set_context(mode=mode)
    show(Grid()(ops.ones((1, 1, 2, 3))))

ms.set_context(mode=1)

# %% cells/operators that layers keep, for classes derived from them
ms.set_seed(2)

class Standardized(nn.Conv2d):
    def construct(self, x):
        w = self.weight
        w = (w - w.mean((1, 2, 3), keep_dims=True)) * P.Rsqrt()(w.var((1, 2, 3), keepdims=True) + 1e-5)
        return self.bias_add(self.conv2d(x, w), self.bias)

class Split(nn.EmbeddingLookup):
    def construct(self, ids):
        flat = self.reshape_first(ids, (-1,))
        ids, back = self.unique(flat)
        return self.reshape(self.gather_revert(self.embedding_table, self.gather_revert(ids, back, 0), 0), self.shape(flat) + (-1,))

class Padded(nn.Pad):
    def construct(self, x):
        return self.pad(x) * 2

x = Tensor(np.arange(16.0).reshape(1, 1, 4, 4), ms.float32)
show(Standardized(1, 2, 3, has_bias=True, pad_mode="valid")(x))
show(Split(4, 2)(Tensor([[1, 1], [3, 0]])), Padded(((1, 0), (0, 1)))(x[0, 0, :2, :2]))

# %% training/two losses, two optimizers, sens
class WideDeep(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bias = Parameter(init.initializer("zeros", [1]), name="wide_bias")
        self.deep = nn.EmbeddingLookup(6, 2, target="DEVICE", sparse=False)
        self.wide = nn.EmbeddingLookup(6, 1, target="DEVICE", sparse=False)
        self.dense = nn.Dense(4, 1)

    def construct(self, ids):
        wide = P.ReduceSum()(self.wide(ids), 1) + self.bias
        return wide + self.dense(P.Reshape()(self.deep(ids), (-1, 4))), self.deep.embedding_table

class Losses(nn.Cell):
    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss = P.SigmoidCrossEntropyWithLogits()
        self.mean = P.ReduceMean(keep_dims=False)

    def construct(self, ids, label):
        logits, table = self.network(ids)
        loss = self.mean(self.loss(logits, label))
        return loss, loss + 0.01 * P.ReduceSum()(P.Square()(table)) / 2

class One(nn.Cell):
    def __init__(self, network, which):
        super().__init__()
        self.network, self.which = network, which

    def construct(self, ids, label):
        return self.network(ids, label)[self.which]

class Step(nn.Cell):
    def __init__(self, network, sens=1024.0):
        super().__init__()
        self.network = network
        self.network.set_train()
        params = network.trainable_params()
        self.weights_w = ms.ParameterTuple([p for p in params if "wide" in p.name])
        self.weights_d = ms.ParameterTuple([p for p in params if "wide" not in p.name])
        self.optimizer_d = nn.Adam(self.weights_d, learning_rate=0.01, eps=1e-8, loss_scale=sens)
        self.optimizer_w = nn.FTRL(self.weights_w, learning_rate=0.05, l1=1e-8, l2=1e-8, initial_accum=1.0, loss_scale=sens)
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.loss_w, self.loss_d = One(network, 0), One(network, 1)

    def construct(self, ids, label):
        loss_w, loss_d = self.network(ids, label)
        sens_w = P.Fill()(P.DType()(loss_w), P.Shape()(loss_w), self.sens)
        sens_d = P.Fill()(P.DType()(loss_d), P.Shape()(loss_d), self.sens)
        grads_w = self.grad(self.loss_w, self.weights_w)(ids, label, sens_w)
        grads_d = self.grad(self.loss_d, self.weights_d)(ids, label, sens_d)
        return F.depend(loss_w, self.optimizer_w(grads_w)), F.depend(loss_d, self.optimizer_d(grads_d))

ids, label = Tensor([[0, 3], [1, 3], [5, 2]], ms.int32), Tensor([[1.0], [0.0], [1.0]])
ms.set_seed(4)
net = WideDeep()
step = Step(Losses(net))
for _ in range(2):
    show(step(ids, label))
show(net.bias, net.dense.weight, net.wide.embedding_table)

# %% training/clipped and scaled gradients in a derived step
clip_grad = C.MultitypeFuncGraph("clip_grad")

@clip_grad.register("Number", "Number", "Tensor")
def _clip(kind, value, grad):
    if kind not in (0, 1):
        return grad
    dtype = F.dtype(grad)
    if kind == 0:
        return C.clip_by_value(grad, F.cast(F.tuple_to_array((-value,)), dtype), F.cast(F.tuple_to_array((value,)), dtype))
    return nn.ClipByNorm()(grad, F.cast(F.tuple_to_array((value,)), dtype))

class Clipped(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, kind):
        super().__init__(network, optimizer, 1.0)
        self.cast, self.hyper_map, self.kind = P.Cast(), C.HyperMap(), kind
        self.enable_tuple_broaden = True

    @ms.jit
    def clip_grads(self, grads):
        return self.hyper_map(F.partial(clip_grad, self.kind, 0.05), grads)

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad(self.network, self.weights)(x, y, self.cast(F.scalar_to_tensor(self.sens), ms.float32))
        self.optimizer(self.grad_reducer(self.clip_grads(grads)))
        return loss

x, y = Tensor(np.linspace(-1, 1, 6).reshape(3, 2), ms.float32), Tensor([[1.0], [0.0], [2.0]])
for kind in (0, 1):
    ms.set_seed(6)
    net = nn.Dense(2, 1)
    step = Clipped(nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 1.0, 0.9), kind)
    show(step(x, y), step(x, y), net.weight, net.bias)
