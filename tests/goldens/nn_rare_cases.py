# ruff: noqa
# %% lgamma
net = nn.LGamma()
x = Tensor(np.array([0.5, 2.5, 7.5, -1.5, 0.0, -2.0, np.inf], np.float32))
show(net(x), net(x[:4].astype(ms.float16)).dtype)
show(gradients(net, x[:3]))
attempt(lambda: net(Tensor([1, 2])))
attempt(lambda: net(x.astype(ms.float64)))
attempt(lambda: net(2.0))

# %% digamma
net = nn.DiGamma()
x = Tensor(np.array([0.5, 2.0, 7.5, -1.5, -2.0], np.float32))
show(net(x), net(x[:4].astype(ms.float16)).dtype)
show(gradients(net, x[:3]))
attempt(lambda: net(Tensor([1, 2])))
attempt(lambda: net(x.astype(ms.float64)))
attempt(lambda: net(2.0))

# %% igamma
net = nn.IGamma()
a, x = Tensor(np.array([2.0, 4.0, 6.0, 8.0], np.float32)), Tensor(np.array([2.0, 3.0, 4.0, 50.0], np.float32))
show(net(a, x), net(a, x[0]))
show(net(Tensor(np.array([1.0, -1.0, 1.0], np.float32)), Tensor(np.array([0.0, 1.0, -1.0], np.float32))))
attempt(lambda: net(a.astype(ms.float16), x.astype(ms.float16)))
attempt(lambda: net(a, x.astype(ms.float64)))
attempt(lambda: net(a, Tensor([1, 2, 3, 4])))
attempt(lambda: net(a, x[:3]))

# %% igamma/gradient
net = nn.IGamma()
a, x = Tensor(np.array([2.0, 4.0], np.float32)), Tensor(np.array([2.0, 3.0], np.float32))
show(gradients(net, a, x, of=(1,)))

# %% lbeta
net = nn.LBeta()
x, y = Tensor(np.array([2.0, 4.0, 6.0], np.float32)), Tensor(np.array([2.0, 3.0, 14.0], np.float32))
show(net(x, y), net(x, y[0]))
show(net(x.astype(ms.float16), y.astype(ms.float16)).dtype)
attempt(lambda: net(x, y.astype(ms.float16)))
attempt(lambda: net(x, Tensor([1, 2, 3])))

# %% matrices
a = Tensor(np.array([[4.0, 12.0, -16.0], [12.0, 37.0, -43.0], [-16.0, -43.0, 98.0]], np.float32))
attempt(lambda: nn.MatDet()(a[0]))
attempt(lambda: nn.MatDet()(a.astype(ms.int32)))
attempt(lambda: nn.MatDet()(a.astype(ms.float64)))

# %% diagonals
x = wave(2, 3)
attempt(lambda: nn.MatrixDiag()(Tensor([1, 2])))
attempt(lambda: nn.MatrixSetDiag()(wave(3), x))

# %% unfold
x = Tensor(np.arange(32).reshape(1, 2, 4, 4).astype(np.float32))
attempt(lambda: nn.Unfold([2, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])(x))
attempt(lambda: nn.Unfold([1, 2, 2], [1, 2, 2, 1], [1, 1, 1, 1])(x))
attempt(lambda: nn.Unfold(2, [1, 2, 2, 1], [1, 1, 1, 1])(x))
attempt(lambda: nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "other")(x))
print(nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1]))

# %% image gradients
net = nn.ImageGradients()
x = wave(1, 2, 3, 3)
attempt(lambda: net(x))
attempt(lambda: net(Tensor(np.array([[[[1, 2], [3, 4]]]]).astype(np.int32))))
attempt(lambda: net(x[0]))

# %% ssim
a, b = wave(1, 2, 16, 16) * 0.5 + 0.5, wave(1, 2, 16, 16) * 0.4 + 0.5
attempt(lambda: nn.SSIM(255.0)(Tensor(np.zeros((1, 1, 16, 16), np.uint8)), Tensor(np.zeros((1, 1, 16, 16), np.uint8))))
attempt(lambda: nn.SSIM(max_val=-1.0))
attempt(lambda: nn.SSIM(filter_size=0))
attempt(lambda: nn.SSIM()(a, b[:, :1]))
attempt(lambda: nn.SSIM()(a[0], b[0]))
attempt(lambda: nn.SSIM()(a, b.astype(ms.float16)))
described(nn.SSIM(filter_size=3))

# %% msssim
a, b = wave(1, 2, 64, 64) * 0.5 + 0.5, wave(1, 2, 64, 64) * 0.4 + 0.5
attempt(lambda: nn.MSSSIM(max_val=-1))
attempt(lambda: nn.MSSSIM(power_factors=1.0))
described(nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=3))

# %% psnr
a, b = wave(2, 2, 4, 4) * 0.5 + 0.5, wave(2, 2, 4, 4) * 0.4 + 0.5
attempt(lambda: nn.PSNR()(a, b.astype(ms.float16)))
attempt(lambda: nn.PSNR(0.0))
attempt(lambda: nn.PSNR()(a, b[0]))

# %% central crop
net = nn.CentralCrop(0.5)
attempt(lambda: net(wave(2, 1, 5, 4)))
attempt(lambda: net(wave(1, 6, 3)))
attempt(lambda: nn.CentralCrop(1.0)(wave(1, 3, 3)))
attempt(lambda: nn.CentralCrop(0.0))
attempt(lambda: nn.CentralCrop(2))
attempt(lambda: nn.CentralCrop(0.5)(wave(3, 3)))
attempt(lambda: nn.CentralCrop(0.5)(Tensor(np.arange(16).reshape(1, 4, 4))))
print(net)

# %% sparse
indices, values = Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0])
attempt(lambda: nn.SparseToDense()(ms.COOTensor(indices, values, (3, 4))))
attempt(lambda: nn.SparseToDense()(values))
attempt(lambda: nn.SparseTensorDenseMatmul()(indices, values, (3, 4), Tensor([[1.0, 1], [2, 2], [3, 3], [4, 4]])))
attempt(lambda: nn.SparseTensorDenseMatmul(adjoint_st=True)(indices, values, (3, 4), Tensor([[1.0, 1], [2, 2], [3, 3]])))
attempt(lambda: nn.SparseTensorDenseMatmul(adjoint_dt=True)(indices, values, (3, 4), Tensor([[1.0, 2, 3, 4]])))
attempt(lambda: nn.SparseTensorDenseMatmul(1))
attempt(lambda: nn.SparseTensorDenseMatmul()(values, values, (3, 4), Tensor([[1.0]])))

# %% combined/convolution
x = wave(2, 3, 5, 5)
for net in (
    nn.Conv2dBnAct(3, 4, 3),
    nn.Conv2dBnAct(3, 4, 3, 2, "pad", 1, has_bias=True, has_bn=True, activation="relu"),
    nn.Conv2dBnAct(3, 6, (1, 2), group=3, pad_mode="valid", has_bn=True, activation="leakyrelu", alpha=0.5),
    nn.Conv2dBnAct(3, 4, 3, activation=nn.Sigmoid()),
):
    described(net)
    filled(net)
    show(net(x))
net.set_train()
show(net(x), *gradients(net, x))
attempt(lambda: nn.Conv2dBnAct(3, 4, 3, activation="other"))
attempt(lambda: nn.Conv2dBnAct(3, 4, 3, activation=1))
attempt(lambda: nn.Conv2dBnAct(3, 4, 3, has_bn=1))
attempt(lambda: nn.Conv2dBnAct(3, 4, 3, after_fake=1))
attempt(lambda: nn.Conv2dBnAct(3, 4, "3"))
attempt(lambda: print(nn.Conv2dBnAct(3, 4, 3, activation=ops.ReLU()).activation is None))

# %% combined/dense
x = wave(4, 3)
for net in (
    nn.DenseBnAct(3, 2),
    nn.DenseBnAct(3, 2, has_bias=False, has_bn=True, activation="relu"),
    nn.DenseBnAct(3, 2, has_bn=True, momentum=0.5, activation="leakyrelu"),
    nn.DenseBnAct(3, 2, "ones", "ones", activation=nn.Tanh()),
):
    described(net)
    filled(net)
    show(net(x))
net = filled(nn.DenseBnAct(3, 2, has_bn=True)).set_train()
show(net(x), *gradients(net, x))
show(list(net.untrainable_params()))
attempt(lambda: nn.DenseBnAct(3, 2, activation="other"))
attempt(lambda: nn.DenseBnAct(3, 2, activation=1))
attempt(lambda: nn.DenseBnAct(3, 2, has_bn=1))
attempt(lambda: nn.DenseBnAct(3.0, 2))

# %% extended/linear
net = nn.Linear(3, 2)
described(net)
attempt(lambda: filled(net)(wave(4, 3)))
described(nn.Linear(3, 2, bias=False, dtype=ms.float16))
print(abs(nn.Linear(100, 50).weight.asnumpy()).max() < 0.1, abs(nn.Linear(100, 50).bias.asnumpy()).max() < 0.1)
attempt(lambda: nn.Linear(3, 2, weight_init=wave(3, 2)))
attempt(lambda: nn.Linear(3, 2, bias_init=wave(3)))
attempt(lambda: nn.Linear(3, 2, bias=1))
attempt(lambda: nn.Linear(3, 0))
attempt(lambda: nn.Linear(3.0, 2))

# %% extended/embedding
net = nn.EmbeddingExt(4, 3)
described(net)
net = nn.EmbeddingExt(4, 3, padding_idx=1, _weight=wave(4, 3), max_norm=0.5)
print(net)
described(nn.EmbeddingExt(4, 3, padding_idx=-1, dtype=ms.float16, _freeze=True))
attempt(lambda: nn.EmbeddingExt(4, 3, sparse=True))
attempt(lambda: nn.EmbeddingExt(4, 3, padding_idx=4))
attempt(lambda: nn.EmbeddingExt(4.0, 3))
attempt(lambda: nn.EmbeddingExt(4, 3, max_norm=1))
attempt(lambda: nn.EmbeddingExt(4, 3, _weight=wave(3, 3)))

# %% extended/norms
net = nn.LayerNormExt((2, 3))
described(net)
described(nn.LayerNormExt(3, bias=False, dtype=ms.float16))
described(nn.LayerNormExt([3], 1e-3, False))
attempt(lambda: nn.LayerNormExt(3.0))
attempt(lambda: nn.LayerNormExt(()))
net = nn.PReLUExt()
described(net)
attempt(lambda: net(wave(2, 3)))
described(nn.PReLUExt(3, 0.5, ms.float16))
net = nn.PReLUExt(3)
attempt(lambda: net(wave(2, 3)))
attempt(lambda: nn.PReLUExt(2)(wave(2, 3)))

# %% extended/others
x = wave(1, 2, 5, 5)
attempt(lambda: nn.L1LossExt("other"))
attempt(lambda: nn.DropoutExt()(x[0, 0]))
attempt(lambda: nn.Dropout2dExt()(x[0, 0]))
attempt(lambda: nn.DropoutExt(2.0))
print(nn.LogSoftmaxExt(1), nn.L1LossExt(), nn.AvgPool2dExt(2), nn.MaxPool2dExt(2), nn.DropoutExt(), nn.Dropout2dExt())

# %% losses/dice
x, y = wave(2, 3, 4), Tensor((np.arange(24) % 3 == 0).reshape(2, 3, 4).astype(np.float32))
for net in (
    nn.MultiClassDiceLoss(),
    nn.MultiClassDiceLoss(weights=wave(3, 1), activation="sigmoid"),
    nn.MultiClassDiceLoss(ignore_indiex=1, activation="tanh"),
    nn.MultiClassDiceLoss(activation=None),
    nn.MultiClassDiceLoss(activation=nn.ReLU()),
):
    described(net)
    show(net(x, y))
show(gradients(nn.MultiClassDiceLoss(), x, y))
attempt(lambda: nn.MultiClassDiceLoss(wave(3, 2))(x, y))
attempt(lambda: nn.MultiClassDiceLoss(weights=[1.0]))
attempt(lambda: nn.MultiClassDiceLoss(weights=wave(3)))
attempt(lambda: nn.MultiClassDiceLoss(weights=wave(2, 1))(x, y))
attempt(lambda: nn.MultiClassDiceLoss(ignore_indiex=1.0))
attempt(lambda: nn.MultiClassDiceLoss(activation="other"))
attempt(lambda: nn.MultiClassDiceLoss(activation=1))
attempt(lambda: nn.MultiClassDiceLoss()(x, y[:1]))
attempt(lambda: nn.MultiClassDiceLoss()(x[0, 0], y[0, 0]))
attempt(lambda: nn.MultiClassDiceLoss()(x, 1.0))

# %% losses/triplet
x, p, n = wave(4, 3), wave(4, 3) * 1.5 + 0.25, wave(4, 3) * -0.5 + 0.125
for net in (
    nn.TripletMarginWithDistanceLoss(),
    nn.TripletMarginWithDistanceLoss(swap=True, reduction="none"),
    nn.TripletMarginWithDistanceLoss(lambda a, b: ops.reduce_max(ops.abs(a - b), 1), margin=2.0, reduction="sum"),
):
    show(net(x, p, n))
show(gradients(nn.TripletMarginWithDistanceLoss(swap=True), x, p, n, of=(0, 1, 2)))
print(net)
attempt(lambda: nn.TripletMarginWithDistanceLoss(margin=1))
attempt(lambda: nn.TripletMarginWithDistanceLoss(swap=1))
attempt(lambda: nn.TripletMarginWithDistanceLoss(reduction="other"))
attempt(lambda: nn.TripletMarginWithDistanceLoss()(x, p, 1.0))
attempt(lambda: nn.TripletMarginWithDistanceLoss()(x[0, 0], p[0, 0], n[0, 0]))
attempt(lambda: nn.TripletMarginWithDistanceLoss()(x, p, n[:3]))

# %% losses/sampled
weights, biases, x = wave(7, 3), wave(7) * 2, wave(2, 3) + 0.25
drawn = (Tensor([4, 6]), Tensor(np.full((2, 1), 0.25, np.float32)), Tensor(np.full(2, 0.5, np.float32)))
net = nn.SampledSoftmaxLoss(2, 7, 1, drawn)
labels = Tensor([[0], [3]])
show(net(weights, biases, labels, x))
show(gradients(lambda w, b, h: net(w, b, labels, h), weights, biases, x, of=(2,)))
drawn = (Tensor([4, 6]), Tensor(np.array([[0.25, 0.5], [0.75, 0.5]], np.float32)), Tensor(np.full(2, 0.5, np.float32)))
net = nn.SampledSoftmaxLoss(2, 7, 2, drawn)
show(net(weights, biases, Tensor([[0, 1], [3, 5]]), x))
net = nn.SampledSoftmaxLoss(3, 7, seed=1)
print(net(weights, biases, labels, x).shape, net)
attempt(lambda: nn.SampledSoftmaxLoss(8, 7))
attempt(lambda: nn.SampledSoftmaxLoss(2, 7, 0))
attempt(lambda: nn.SampledSoftmaxLoss(2, 7, 8))
attempt(lambda: nn.SampledSoftmaxLoss(2, 7, seed=-1))
attempt(lambda: nn.SampledSoftmaxLoss(2, 7, sampled_values=1))
attempt(lambda: nn.SampledSoftmaxLoss(2, 7, sampled_values=(1, 2)))
attempt(lambda: nn.SampledSoftmaxLoss(2, 7, reduction="other"))
attempt(lambda: net(weights, biases, labels.astype(ms.float32), x))
attempt(lambda: net(1, biases, labels, x))

# %% time distributed
x = wave(4, 2, 3)
net = nn.TimeDistributed(filled(nn.Dense(3, 5)), 1, 0)
print(net)
show(net(x), *gradients(net, x))
show(nn.TimeDistributed(filled(nn.Dense(3, 2)), 1)(x))
show(nn.TimeDistributed(filled(nn.Dense(3, 2)), 0, 1)(x))
show(nn.TimeDistributed(nn.Softmax(0), -1)(x), nn.TimeDistributed(ops.ReLU(), 2, 0)(x))
show(nn.TimeDistributed(filled(nn.Conv2d(2, 3, 2)), 1, 0)(wave(2, 3, 2, 4, 4)).shape)
show(nn.TimeDistributed(nn.Flatten(), 2)(wave(2, 3, 2, 4)).shape)
attempt(lambda: nn.TimeDistributed(lambda x: x, 1))
attempt(lambda: nn.TimeDistributed(nn.ReLU(), 1.0))
attempt(lambda: nn.TimeDistributed(nn.ReLU(), 1, "0"))
attempt(lambda: nn.TimeDistributed(nn.ReLU(), 1)(x[0]))
attempt(lambda: nn.TimeDistributed(nn.ReLU(), 1)(1.0))
attempt(lambda: nn.TimeDistributed(nn.Dense(3, 5), 0, 2)(x))

# %% jacobian products
class Two(nn.Cell):
    def construct(self, x, y):
        return x**3 + y, x * y


class One(nn.Cell):
    def construct(self, x):
        return x**3


x, y, v = wave(2, 2) + 1, wave(2, 2) * 2 + 1, wave(2, 2) + 0.5
show(nn.Jvp(One())(x, v))
show(nn.Jvp(Two())(x, y, (v, v * 2)))
show(nn.Vjp(One())(x, v))
show(nn.Vjp(Two())(x, y, (v, v * 2)))

# %% parts of a batch
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 1)

    def construct(self, x, y):
        return ((self.dense(x) - y) ** 2).mean()


x, y = wave(4, 3), wave(4, 1)
for make in (nn.GradAccumulationCell, nn.MicroBatchInterleaved):
    net = make(filled(Net()), 2)
    described(net)
    show(net(x, y), *gradients(net, x, y))
    attempt(lambda: make(Net(), 0))
    attempt(lambda: make(Net(), 2.0))
attempt(lambda: nn.GradAccumulationCell(lambda x: x, 2))
net = nn.VirtualDatasetCellTriple(nn.TripletMarginWithDistanceLoss())
print(net)
show(net(x, x * 2, x * 3))

# %% fields
rows = Tensor(np.array([[2, 4, 6, 0, 0], [1, 3, 5, 0, 0]], np.int32))
values = Tensor(np.array([[1, 0.5, -1, 0, 0], [1, 1, 2, 0, 0]], np.float32))
fields = Tensor(np.array([[0, 1, 1, 0, 0], [0, 0, 1, 0, 0]], np.int32))
for operator in ("SUM", "MAX", "MEAN"):
    net = filled(nn.MultiFieldEmbeddingLookup(10, 2, 3, operator=operator))
    show(net(rows, values, fields), gradients(net, rows, values, fields, of=(1,))[0])
described(net)
attempt(lambda: net(rows, values.astype(ms.float16), fields))
attempt(lambda: net(values, values, fields))
attempt(lambda: net(rows, values, fields.astype(ms.int64)))
attempt(lambda: net(rows[0], values, fields))
attempt(lambda: nn.MultiFieldEmbeddingLookup(10, 2, 0))
attempt(lambda: nn.MultiFieldEmbeddingLookup(10, 2, 3, operator="sum"))
attempt(lambda: nn.MultiFieldEmbeddingLookup(10, 2, 3, target="other"))
attempt(lambda: nn.MultiFieldEmbeddingLookup(10, 2, 3, sparse=False))

# %% optimizers/lamb
described(nn.Lamb(parameters(), 0.1, weight_decay=0.1))
attempt(lambda: nn.Lamb(parameters()))
attempt(lambda: nn.Lamb(parameters(), 0.1, 1.0))
attempt(lambda: nn.Lamb(parameters(), 0.1, beta2=1))
attempt(lambda: nn.Lamb(parameters(), 0.1, eps=0.0))
attempt(lambda: nn.Lamb(parameters(), 0.1, weight_decay=-1.0))
attempt(lambda: nn.Lamb(parameters(), -0.1))

# %% optimizers/lars
inner = nn.Momentum(parameters(), 0.1, 0.9, weight_decay=0.2, loss_scale=2.0)
optimizer = nn.LARS(inner)
described(optimizer)
print(optimizer.lars_flag, optimizer.need_scale, inner.decay_flags, inner.exec_weight_decay)
attempt(lambda: nn.LARS(inner, 1))
attempt(lambda: nn.LARS(inner, coefficient="1"))
attempt(lambda: nn.LARS(inner, use_clip=1))
groups = [{"params": p, "lr": nn.ExponentialDecayLR(0.1, 0.5, 1)} for p in zip(parameters())]
attempt(lambda: nn.LARS(nn.SGD(groups), use_clip=True))

# %% optimizers/adafactor
for arguments in (
    {},
    {"learning_rate": 0.1, "relative_step": False, "loss_scale": 4.0},
    {"learning_rate": 0.1, "relative_step": False, "scale_parameter": False, "weight_decay": 0.2},
    {"warmup_init": True, "beta1": 0.0, "clip_threshold": 0.5, "decay_rate": 0.5},
    {"learning_rate": nn.ExponentialDecayLR(0.1, 0.5, 1), "relative_step": False, "scale_parameter": False},
    {"learning_rate": [0.1, 0.2, 0.3], "relative_step": False, "scale_parameter": False, "eps": (1e-20, 0.1)},
):
    p = parameters()
    optimizer = nn.AdaFactor(p, **arguments)
    stepped(optimizer, p, 3)
described(optimizer)
attempt(lambda: nn.AdaFactor(parameters(), 0.1))
attempt(lambda: nn.AdaFactor(parameters(), relative_step=False))
attempt(lambda: nn.AdaFactor(parameters(), 0.1, relative_step=False, warmup_init=True))
attempt(lambda: nn.AdaFactor(parameters(), eps=(1e-30,)))
attempt(lambda: nn.AdaFactor(parameters(), eps=1e-30))
attempt(lambda: nn.AdaFactor(parameters(), eps=(1, 1e-3)))
attempt(lambda: nn.AdaFactor(parameters(), clip_threshold=1))
attempt(lambda: nn.AdaFactor(parameters(), decay_rate=1.0))
attempt(lambda: nn.AdaFactor(parameters(), weight_decay=1.0))
attempt(lambda: nn.AdaFactor(parameters(), beta1=-1.0))
attempt(lambda: nn.AdaFactor(parameters(), beta1="0"))
attempt(lambda: nn.AdaFactor(parameters(), scale_parameter=1))
attempt(lambda: nn.AdaFactor(parameters(), compression=1))

# %% optimizers/adafactor, compressed
p = parameters()
optimizer = nn.AdaFactor(p, compression=True)
attempt(lambda: print([(q.name, str(q.dtype)) for q in optimizer.get_parameters()]))
attempt(lambda: stepped(optimizer, p, 2))

# %% optimizers/adasum
net = nn.Dense(2, 2)
attempt(lambda: nn.AdaSumByGradWrapCell(nn.SGD(net.trainable_params())))
attempt(lambda: nn.AdaSumByDeltaWeightWrapCell(nn.SGD(net.trainable_params())))
attempt(lambda: nn.AdaSumByGradWrapCell(net))
attempt(lambda: nn.AdaSumByDeltaWeightWrapCell(1))

# %% occlusion sensitivity
weight, bias = np.array([[0.1, 0.8, 0.1, 0.1], [1, 1, 1, 1]], np.float32), np.array([0.3, 0.6], np.float32)
net = nn.Dense(4, 2, weight_init=Tensor(weight), bias_init=Tensor(bias))
image, label = Tensor(np.array([[0.1, 0.2, 0.3, 0.9]], np.float32)), Tensor(np.array(1, np.int32))
for settings in ({}, {"margin": 1, "pad_val": 0.5, "n_batch": 3}, {"b_box": [1, 2]}, {"b_box": [0, -1]}):
    metric = nn.OcclusionSensitivity(**settings)
    metric.update(net, image, label)
    print(metric.eval().round(4))
attempt(nn.OcclusionSensitivity().eval)
attempt(lambda: metric.update(net, image))
attempt(lambda: metric.update(1, image, label))
attempt(lambda: metric.update(net, ops.ones((2, 4)), label))
attempt(lambda: metric.update(net, image, Tensor([1, 0])))
attempt(lambda: nn.OcclusionSensitivity(pad_val=1))
attempt(lambda: nn.OcclusionSensitivity(margin=1.0))
attempt(lambda: nn.OcclusionSensitivity(b_box=(1, 2)))
attempt(lambda: nn.OcclusionSensitivity(n_batch=1.0))
for box in ([1, 2, 3], [1, 4], [3, 2]):
    attempt(lambda: nn.OcclusionSensitivity(b_box=box).update(net, image, label))

# %% metrics by name
attempt(lambda: nn.get_metrics(None))
attempt(lambda: sorted(nn.get_metrics({"mae", "F1"})))
attempt(lambda: list(nn.get_metrics({"x": nn.MAE()})))
attempt(lambda: nn.get_metrics({"a": 1}))
attempt(lambda: nn.get_metrics(["mae"]))

# %% losses/ctc
x = ops.log_softmax(wave(5, 2, 4), 2)
targets, lengths = Tensor(np.array([[1, 2, 2], [3, 1, 0]], np.int32)), (Tensor([5, 4]), Tensor([3, 2]))
for settings in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"blank": 3, "reduction": "none"}):
    attempt(lambda: nn.CTCLoss(**settings)(x, targets, *lengths))
show(gradients(nn.CTCLoss(), x, targets, *lengths))
for reduction in ("mean", "sum", "none"):
    attempt(lambda: nn.CTCLoss(reduction=reduction)(x[:, 0], targets[0], Tensor([5]), Tensor([3])))
print(nn.CTCLoss())
attempt(lambda: nn.CTCLoss()(x[:, 0], targets, *lengths))
attempt(lambda: nn.CTCLoss(reduction="other")(x, targets, *lengths))
attempt(lambda: nn.CTCLoss()(1.0, targets, *lengths))
attempt(lambda: nn.CTCLoss(blank=4)(x, targets, *lengths))

# %% pooling at random
x, samples = wave(1, 2, 6, 7), Tensor(np.full((1, 2, 2), 0.4, np.float32))
show(*nn.FractionalMaxPool2d(2, (3, 4), return_indices=True, _random_samples=samples)(x))
show(nn.FractionalMaxPool2d((2, 3), output_ratio=(0.5, 0.5), _random_samples=samples)(x))
samples = Tensor(np.full((1, 2, 3), 0.4, np.float32))
show(nn.FractionalMaxPool3d(2, (2, 3, 2), _random_samples=samples)(wave(1, 2, 4, 5, 4)))
print(nn.FractionalMaxPool2d(2, 3), nn.FractionalMaxPool2d(2, 3)(x).shape)
attempt(lambda: nn.FractionalMaxPool2d(2)(x))
attempt(lambda: nn.FractionalMaxPool2d(2, 3, 0.5)(x))
attempt(lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5)(x))
attempt(lambda: nn.FractionalMaxPool2d("2", 3)(x))
attempt(lambda: nn.FractionalMaxPool2d(2, 9)(x))

# %% second-order statistics
net = nn.DenseThor(3, 2)
described(net)
filled(net)
show(net(wave(4, 3)), net.matrix_a, *gradients(net, wave(4, 3)))
show(net.matrix_g)
net.thor = False
show(net(wave(4, 3) * 2), net.matrix_a)
print(nn.DenseThor(3, 2, has_bias=False, activation="relu"))
net = nn.EmbeddingThor(5, 3)
described(net)
filled(net)
ids = Tensor(np.array([[0, 1], [3, 3]], np.int32))
show(net(ids), net.matrix_a)
show(ms.grad(lambda x: (net(x) ** 3).sum(), None, net.trainable_params())(ids), net.matrix_g)
show(filled(nn.EmbeddingThor(5, 3, True))(ids))
net = nn.EmbeddingLookupThor(5, 3)
described(net)
filled(net)
show(net(ids).astype(ms.float32), net.matrix_a)
net = nn.Conv2dThor(2, 3, 3)
described(net)
net = filled(nn.Conv2dThor(2, 3, (2, 3), 2, "pad", 1, has_bias=True))
net.thor = False
show(net(wave(1, 2, 5, 5)))
attempt(lambda: nn.DenseThor(3.0, 2))
attempt(lambda: nn.DenseThor(3, 0))
attempt(lambda: nn.DenseThor(3, 2, has_bias=1))
attempt(lambda: nn.DenseThor(3, 2, activation="other"))
attempt(lambda: nn.DenseThor(3, 2, weight_init=wave(3, 2)))
attempt(lambda: nn.Conv2dThor(2, 3, 0))
attempt(lambda: nn.Conv2dThor(2, 3, "3"))
attempt(lambda: nn.Conv2dThor(2, 3, 3, padding=-1))
attempt(lambda: nn.Conv2dThor(2, 3, 3, padding="1"))
attempt(lambda: nn.Conv2dThor(2, 3, 3, group=2))
attempt(lambda: nn.Conv2dThor(2, 3, 3, stride=0))
attempt(lambda: nn.EmbeddingThor(5.0, 3))
attempt(lambda: nn.EmbeddingThor(5, 3, use_one_hot=1))
attempt(lambda: nn.EmbeddingThor(5, 3, padding_idx=6))
attempt(lambda: nn.EmbeddingThor(5, 3, dtype=1))
attempt(lambda: nn.EmbeddingLookupThor(0, 3))
attempt(lambda: nn.EmbeddingLookupThor(5, 3, target="x"))
attempt(lambda: nn.EmbeddingLookupThor(5, 3, sparse=False))
attempt(lambda: nn.EmbeddingLookupThor(5, 3, max_norm=1))

# %% arguments of wrong types
for make in (
    lambda: nn.BatchNorm2d(2, eps=1)(ops.ones((1, 2, 2, 2))),
    lambda: nn.InstanceNorm2d(2, eps=1),
    lambda: nn.InstanceNorm1d(2, momentum=0),
    lambda: nn.GroupNorm(1, 2, eps=1),
    lambda: nn.PReLU(1, 1),
    lambda: nn.FocalLoss(gamma=2),
    lambda: nn.MultiMarginLoss(p="1"),
    lambda: nn.MultiMarginLoss(margin=1),
    lambda: nn.HingeEmbeddingLoss(margin="1"),
    lambda: nn.SmoothL1Loss(beta="1"),
    lambda: nn.SoftShrink("1"),
    lambda: nn.ConstantPad2d(1, "0"),
    lambda: nn.Moments("0"),
    lambda: nn.AvgPool2d(2, divisor_override=1.5),
    lambda: nn.LRN(norm_region=1),
    lambda: nn.Conv2d(1, 1, 2, pad_mode=1),
    lambda: nn.Conv1d(1, 1, 2, pad_mode=1),
    lambda: nn.Conv3d(1, 1, 2, pad_mode=1),
    lambda: nn.Conv2d(1, 1, [2, 2]),
    lambda: nn.Conv2d(1, 1, (2,)),
    lambda: nn.Conv2d(1, 1, 2, (1, 1, 1)),
    lambda: nn.Conv3d(1, 1, (2,)),
    lambda: nn.Conv3dTranspose(1, 1, 2, dilation=(1,)),
    lambda: nn.EmbeddingLookup(5, 3, sparse=False),
):
    attempt(lambda: print(make()))

# %% inputs of other dtypes
x, i = wave(2, 4), Tensor(np.array([[1, -2, 3, -4], [0, 5, -6, 7]], np.int32))
show(nn.NLLLoss()(i, Tensor([1, 2], ms.int32)))
show(nn.LPPool1d(1, 2)(Tensor(np.arange(12).reshape(1, 2, 6).astype(np.int32))))
show(nn.LPPool2d(2, 2)(Tensor(np.ones((1, 1, 4, 4), bool))))
net = nn.MultiLabelSoftMarginLoss()
show(net(x, x[:, :1]), net(x.expand_dims(0), x))
show(nn.PoissonNLLLoss(log_input=False, eps=1)(x + 2, x + 2))
show(nn.ClipByNorm()(x.astype(ms.float16), Tensor(1.0, ms.float16)).dtype, nn.L1Regularizer(0.5)(x.astype(ms.float16)).dtype)
output, last = filled(nn.RNN(4, 3))(wave(2, 3, 4).astype(ms.float16))
show(output.dtype, last.dtype)

# %% inputs that do not fit
x, i, h = wave(2, 4), Tensor(np.array([[1, -2, 3, -4], [0, 5, -6, 7]], np.int32)), wave(2, 4).astype(ms.float16)
for call in (
    lambda: nn.KLDivLoss()(x, h),
    lambda: nn.KLDivLoss()(x, x[0]),
    lambda: nn.BCELoss()(x * 0 + 0.5, h * 0 + 0.5),
    lambda: nn.SmoothL1Loss()(x, i),
    lambda: nn.SmoothL1Loss()(x, x[0]),
    lambda: nn.CosineEmbeddingLoss()(x, h, Tensor([1, -1])),
    lambda: nn.MarginRankingLoss()(x, h, x),
    lambda: nn.MarginRankingLoss()(x, x, i),
    lambda: nn.MarginRankingLoss()(x, x, 1.0),
    lambda: nn.TripletMarginLoss()(x, x, h),
    lambda: nn.TripletMarginLoss()(x, 1.0, x),
    lambda: nn.PoissonNLLLoss()(i, i),
    lambda: nn.PoissonNLLLoss()(x, 1.0),
    lambda: nn.MultiLabelSoftMarginLoss()(i, i),
    lambda: nn.RNNCell(4, 4)(h, x),
    lambda: nn.GRUCell(4, 4)(x, h),
    lambda: nn.ReduceLogSumExp(0)(i),
    lambda: nn.Moments(0)(i),
    lambda: nn.Moments(0)(x.astype(ms.float64)),
    lambda: nn.BiDense(4, 4, 3)(h, h),
    lambda: nn.BiDense(4, 4, 3)(x, x[:1]),
    lambda: nn.BiDense(4, 4, 3)(x, x[:, :3]),
    lambda: nn.BiDense(4, 4, 3)(x, [1.0]),
):
    attempt(lambda: print(call()))

# %% inputs of integers
i = Tensor(np.array([[1, -2, 3, -4], [0, 5, -6, 7]], np.int32))
show(nn.HuberLoss()(i, i + 1), nn.CosineEmbeddingLoss()(i, i + 1, Tensor([1, -1])))
show(nn.MarginRankingLoss()(i[0], i[1], i[0]), nn.GaussianNLLLoss()(i, i + 1, i * i + 1))
