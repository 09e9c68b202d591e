# ruff: noqa
# %% layers
refuse(TypeError, """
nn.Unfold([1, 2, 2, 1], 2, [1, 1, 1, 1])
nn.RNNCell(3, 4, nonlinearity=1)
nn.ClipByNorm(axis=(1.5, 2))
nn.AdaptiveAvgPool2d(None)
nn.MaxPool3d(2, padding="a")
nn.SoftShrink(lambd={})
nn.SmoothL1Loss(beta=Tensor(1.0))
nn.MarginRankingLoss(margin=1)(m, m, m)
nn.BCEWithLogitsLoss(reduction=1)(m, m)
nn.SoftMarginLoss(reduction=1)(m, m)
nn.LazyAdam(weights(), weight_decay=0)
nn.FTRL(weights(), learning_rate=1)
nn.AdaFactor(weights(), weight_decay=0)
""")
refuse(ValueError, """
nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], "a")
nn.MaxPool1d(kernel_size=(1.5, 2))
nn.MaxPool2d(padding="a")
nn.MaxPool2d(dilation=(1, 1))
nn.MaxPool2d(padding=(0, 0))
nn.MaxPool3d(kernel_size=(1,))
nn.AvgPool2d(divisor_override=-0.5)
nn.AdaptiveAvgPool2d(-1)
nn.AdaptiveAvgPool1d(2)(m)
nn.AdaptiveMaxPool1d(4)(wave(1, 2, 6))
nn.ReflectionPad1d(-1)
nn.ConstantPad1d(("a",), 0.5)
nn.Roll((1, 1), 0)
nn.InstanceNorm1d(3, eps=1.5)
nn.BatchNorm2d(3, use_batch_statistics=0)
nn.BatchNorm2d(3, eps=2.0)(wave(1, 3, 2, 2))
nn.Conv2d(1.5, 4, 3)
nn.Conv2dTranspose(2, 4, 3, pad_mode=None)
nn.Dense(3, 4, dtype=None)
nn.EmbeddingLookup(5, 4, max_norm=-0.5)
nn.FocalLoss(weight=Tensor(1.0))
nn.KLDivLoss(reduction=1)(m, m)
nn.MultiheadAttention(1.5, 2)
nn.TransformerEncoderLayer(8, 2, 8, activation=1)
nn.FTRL(weights(), learning_rate=0.0)
""")

# %% later than made
show(type(nn.MarginRankingLoss(margin=1)).__name__, type(nn.KLDivLoss(reduction="a")).__name__)
show(type(nn.BCEWithLogitsLoss(reduction="a")).__name__, type(nn.MaxPool2d(ceil_mode=0 > 1)).__name__)

# %% settings of training
refuse(TypeError, """
train.EarlyStopping(mode=1)
train.EarlyStopping(min_delta="a")
train.ReduceLROnPlateau(mode=None)
train.ReduceLROnPlateau(cooldown=1.5)
train.ReduceLROnPlateau(min_lr=True)
train.MeanSurfaceDistance(symmetric=1)
train.HausdorffDistance(crop=0)
train.RootMeanSquareDistance(distance_metric=1)
train.auc([0.0, 1.0], [0.0, 1.0])
ms.get_context(1)
ms.set_context(mode=1.5)
initializer("ones", {}, ms.float32)
""")
refuse(ValueError, """
train.EarlyStopping(mode="a")
train.ReduceLROnPlateau(cooldown=-1)
train.HausdorffDistance().update(m, m, None)
ms.set_context(mode=2)
initializer("ones", 1.5, ms.float32)
""")
show(train.EarlyStopping(min_delta=-0.5).min_delta, train.ReduceLROnPlateau(min_lr=-1).min_lr)

# %% numpy
refuse(TypeError, """
mnp.sin(1.0)
mnp.matmul([[1.0]], q)
mnp.not_equal([1], [2])
mnp.take(m, [0, 1])
mnp.average([1.0, 2.0])
mnp.sum([[1, 2], [3]])
mnp.add([[1, 2], [3]], m)
mnp.concatenate(3)
mnp.expand_dims([1, 2], 0)
""")
refuse(AttributeError, """
mnp.abs([1.0])
mnp.log2(3)
mnp.trace([[1.0]])
""")
show(mnp.gcd(Tensor([12.0, 12.5]), Tensor([8.0, 8.0])), mnp.lcm(Tensor([12.0]), Tensor([8.0])))
show(mnp.sum(Tensor(2.0), axis=-1), mnp.argmax(Tensor(2.0), axis=0))

# %% scipy
refuse(TypeError, """
msp.linalg.eigh(q, overwrite_a=5.0)
msp.linalg.eigh(q, overwrite_b=None)
msp.linalg.inv(q, overwrite_a=None)
msp.linalg.det(q, check_finite=1)
msp.linalg.lu_factor(q, overwrite_a=1.5)
msp.linalg.cho_solve((q, False), 1.5)
msp.linalg.cholesky(q.astype(ms.complex64))
msp.linalg.solve_triangular(q, v, trans=None)
msp.fft.dct(v, type=None)
msp.fft.dct(v, n=1.5)
""")
refuse(RuntimeError, "msp.linalg.solve_triangular(q, v, trans=3)")
refuse(ValueError, """
msp.linalg.lu_solve((q, Tensor([0, 1], ms.int32)), v, trans="a")
msp.linalg.lu_solve(v[:1], v)
msp.linalg.cho_solve((wave(2, 2, 2), True), v)
""")

# %% values
show(nn.LPPool1d(1, 2)(m), ms.grad(lambda x: nn.LPPool1d(1, 2)(x).sum())(m), nn.LPPool1d(3, 2)(m))
show(nn.AvgPool3d(2, 2, pad_mode="same")(wave(1, 1, 3, 3, 3)))
show(nn.AvgPool3d(2, 2, pad_mode="same", count_include_pad=False)(wave(1, 1, 3, 3, 3)))
show(nn.MSELoss()(Tensor([1, 5, 9]), Tensor([3, 2, 1])), nn.MSELoss("none")(Tensor([1, 5], ms.int8), Tensor([3, 2], ms.int8)))
show(nn.L1Loss("none")(Tensor([True, False]), Tensor([True, True])), nn.L1Loss()(Tensor([True, False]), Tensor([True, True])))
show(nn.DiceLoss(smooth=1.5)(marks, m), nn.Hardtanh()(Tensor([1, 200], ms.uint8)))
for reduction in ("mean", "sum", "none"):
    show(nn.FocalLoss(reduction=reduction)(m, marks), nn.FocalLoss(reduction=reduction)(m, Tensor([[1], [2]], ms.int32)))
show(nn.FocalLoss(weight=Tensor([1.0, 2.0, 3.0]))(m, marks))

# %% methods and channels
show(Tensor([1.0, 2.0, 3.0]).searchsorted(Tensor([1.5, 2.0])))
refuse(RuntimeError, "nn.Conv2d(3, 4, 3)(wave(2, 4, 5, 5))")
refuse(ValueError, "Tensor([1.0, 2.0]).searchsorted(Tensor([1.5]), side='x')")

# %% a marked dimension in a program
@ms.jit
def extremes(x, dim):
    return ms.mint.max(x, dim), ms.mint.min(x, dim)

for dim in (0, 1):
    show(extremes(m, ms.mutable(dim)))

# %% operators in class form
refuse(TypeError, """
ops.Conv2D("a", 3)
ops.MaxPool("a")
ops.MaxPool(pad_mode=1)
ops.LRN(norm_region=1)
ops.HShrink(lambd="a")
ops.SmoothL1Loss(beta="a")
ops.Softmax(axis=1.5)
ops.SpaceToDepth("a")
ops.NLLLoss(reduction=1)
""")
refuse(ValueError, """
ops.Conv2D(0, 3)
ops.Conv2D(1, 6, pad_mode="same", pad=7)
ops.MaxPool(0)
ops.MaxPool(pad_mode="pad")
ops.MirrorPad(mode=1)
ops.KLDivLoss(reduction="a")
ops.DepthToSpace(1)
ops.LRN(norm_region="a")
""")

# %% messages name the class
for call in (lambda: ops.Softmax(axis=2)(m), lambda: ops.ReLU()(5.0), lambda: ops.ReduceSum()(m, 5)):
    try:
        call()
    except Exception as error:
        print([name in str(error) for name in ("Softmax", "ReLU", "ReduceSum")])

# %% probabilities and managers of scales
refuse(RuntimeError, """
nn.BCELoss()(Tensor([2.0]), Tensor([1.0]))
nn.BCELoss()(Tensor([-0.5]), Tensor([1.0]))
ops.binary_cross_entropy(Tensor([1.5]), Tensor([1.0]))
ms.mint.nn.functional.binary_cross_entropy(Tensor([1.5]), Tensor([1.0]))
ops.BinaryCrossEntropy()(Tensor([1.5]), Tensor([1.0]), Tensor([1.0]))
""")
refuse(ValueError, """
ms.Model(nn.ReLU(), loss_scale_manager=ms.FixedLossScaleManager())
""")

# %% random draws, dropout and initializers
show(ops.random_poisson(Tensor([2]), -v), ops.random_gamma(Tensor([2]), -v), ops.random_gamma(Tensor([2]), v * np.inf))
show(ops.random_gamma(Tensor([2]), v * 0))
refuse(TypeError, """
ops.random_poisson((2,), v)
ops.random_gamma([2], v)
ops.random_gamma(Tensor([2]), 1.0)
ops.dropout(m, 1)
ops.stop_gradient_(2.0)
ms.Model(nn.ReLU(), nn.MSELoss)
ms.set_auto_parallel_context(comm_fusion={"allreduce": 1})
ms.set_auto_parallel_context(comm_fusion={"openstate": 1})
ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "size", "config": "a"}})
ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "index", "config": ["a"]}})
""")
refuse(ValueError, """
ops.random_poisson(Tensor([[2]]), v)
ops.random_gamma(Tensor(2), v)
initializer("zeros", (0,))
initializer("normal", (2, 0))
initializer("HeUniform", (0, 3))
nn.LSTMCell(2, 3, dropout=0.5)
nn.LSTMCell(2, 3, bidirectional=True)
""")
refuse(RuntimeError, """
ops.dropout(m, 1.0)
ops.dropout(m, -0.5)
""")
refuse(AttributeError, """
ms.Model(nn.ReLU(), 1)
ms.Model(nn.ReLU(), ops.mse_loss)
""")
refuse(KeyError, """
ms.set_auto_parallel_context(comm_fusion={"all": 1})
ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "auto"}})
ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "sizes", "config": None}})
ms.set_auto_parallel_context(comm_fusion={"allgather": {"mode": "index", "config": [1]}})
""")

# %% binary cross entropy outside of [0, 1]
p, y = Tensor([0.0, 0.25, 0.5, 1.0, 1e-9]), Tensor([2.0, 2.0, -1.0, 1.0, 0.5])
show(ops.binary_cross_entropy(p, y, reduction="none"), ops.binary_cross_entropy(p, y))
show(ms.grad(ops.binary_cross_entropy, (0, 1))(p, y), ms.grad(nn.BCELoss(reduction="sum"), (0, 1))(p, y))
