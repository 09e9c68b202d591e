"""What training programs of model zoos do, from the seed to the losses they print (see snippets.py)."""

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
