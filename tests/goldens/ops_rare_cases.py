# ruff: noqa
# %% ctc_loss
x = ops.log_softmax(2 * wave(5, 3, 4))
labels, times, lengths = whole([[1, 2, 2], [3, 1, 3], [2, 2, 1]]), whole([5, 4, 3]), whole([3, 1, 2])
for reduction in ("none", "mean", "sum"):
    show(*ops.ctc_loss(x, labels, times, lengths, 0, reduction))
show(ops.ctc_loss(x, labels, (5, 4, 3), (3, 1, 2), 3, "none")[0])
show(ops.ctc_loss(x, labels, times, whole([3, 0, 2]), reduction="none")[0])
show(ops.ctc_loss(x.astype(ms.float64), labels.astype(ms.int64), times, lengths)[0])

# %% ctc_loss/gradient
x = ops.log_softmax(2 * wave(5, 3, 4))
labels, times, lengths = whole([[1, 2, 2], [3, 1, 3], [2, 2, 1]]), whole([5, 4, 3]), whole([3, 1, 2])
weights = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
show(ms.grad(lambda x: (ops.ctc_loss(x, labels, times, lengths, 0, "none")[0] * weights).sum())(x))
show(ms.grad(lambda x: ops.ctc_loss(x, labels, times, lengths)[0])(x))

# %% ctc_loss/infinite
x = ops.log_softmax(2 * wave(5, 3, 4))
labels, times, lengths = whole([[1, 2, 2], [3, 1, 3], [2, 2, 1]]), whole([3, 4, 3]), whole([3, 1, 2])
show(ops.ctc_loss(x, labels, times, lengths, reduction="none")[0])
show(ms.grad(lambda x: ops.ctc_loss(x, labels, times, lengths, 0, "sum")[0])(x)[:, 0])
show(ms.grad(lambda x: ops.ctc_loss(x, labels, times, lengths, 0, "sum", True)[0])(x))

# %% ctc_loss/bad
x = ops.log_softmax(2 * wave(5, 3, 4))
labels, times, lengths = whole([[1, 2, 2], [3, 1, 3], [2, 2, 1]]), whole([5, 4, 3]), whole([3, 1, 2])
attempt(lambda: ops.ctc_loss(x, labels, whole([6, 4, 3]), lengths))
attempt(lambda: ops.ctc_loss(x, labels, times, whole([3, 1, 4])))
attempt(lambda: ops.ctc_loss(x, labels, times, lengths, 5))
attempt(lambda: ops.ctc_loss(x, labels, times, lengths, 0, "max"))
attempt(lambda: ops.ctc_loss(x, labels, times, lengths, 0, "mean", 1))
attempt(lambda: ops.ctc_loss(x.astype(ms.float16), labels, times, lengths))
attempt(lambda: ops.ctc_loss(x, labels.astype(ms.float32), times, lengths))
attempt(lambda: ops.ctc_loss(x[0], labels, times, lengths))
attempt(lambda: ops.ctc_loss(x, labels[0], times, lengths))
attempt(lambda: ops.ctc_loss(x, labels, times[:2], lengths))
attempt(lambda: ops.CTCLossV2(reduction="mean")(x, labels, times, lengths))
show(*ops.CTCLossV2()(x, labels, times, lengths))

# %% CTCLoss
x = 2 * wave(4, 3, 4)
places, labels = whole([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]], np.int64), whole([0, 1, 2, 1, 1])
times = whole([4, 4, 4])
for settings in ((False, True), (True, False)):
    show(*ops.CTCLoss(*settings)(x, places, labels, times))

weights = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
show(ms.grad(lambda x: (ops.CTCLoss()(x, places, labels, times)[0] * weights).sum())(x))
attempt(lambda: ops.CTCLoss()(x, places, labels, whole([4, 4, 1])))
attempt(lambda: ops.CTCLoss()(x, places.astype(ms.int32), labels, times))
attempt(lambda: ops.CTCLoss(1)(x, places, labels, times))
print(ops.CTCLoss())

# %% ctc_greedy_decoder
best = [[1, 0, 2], [1, 3, 2], [3, 0, 3], [1, 1, 3], [2, 1, 0]]
x = Tensor((np.eye(4)[best] * 2 - 0.5).astype(np.float32))
for merge in (True, False):
    show(*ops.ctc_greedy_decoder(x, whole([5, 4, 3]), merge))
show(*ops.CTCGreedyDecoder()(x.astype(ms.float64), whole([5, 5, 2])))
attempt(lambda: ops.ctc_greedy_decoder(x, whole([5, 4, 3]), 1))
attempt(lambda: ops.ctc_greedy_decoder(x[0], whole([5, 4, 3])))
attempt(lambda: ops.ctc_greedy_decoder(x, whole([5, 4])))
attempt(lambda: ops.ctc_greedy_decoder(x, whole([6, 1, 1])))
attempt(lambda: ops.ctc_greedy_decoder(x, whole([5, 4, 3], np.int64)))
attempt(lambda: ops.ctc_greedy_decoder(x.astype(ms.float16), whole([5, 4, 3])))

# %% fractional_max_pool2d
x = 2 * wave(2, 2, 7, 7)
at = Tensor(np.array([[[0.3, 0.8], [0.5, 0.1]]] * 2, np.float32))
for size in ((3, 3), (2, 4), (1, 1)):
    for kernel in (2, (1, 2)):
        show(*ops.fractional_max_pool2d(x, kernel, size, return_indices=True, _random_samples=at))
show(ops.fractional_max_pool2d(x[0], 3, output_ratio=0.5, _random_samples=at[:1]))
show(ops.fractional_max_pool2d(x, 3, output_ratio=(0.3, 0.5)).shape)
show(ops.fractional_max_pool2d(ops.abs(x * 9).astype(ms.int32), 2, 2, _random_samples=at.astype(ms.float64)))
show(*ops.FractionalMaxPoolWithFixedKsize(2, 3)(x, at))
for bad in ({"kernel_size": 2.0, "output_size": 3}, {"kernel_size": (2, 2, 2), "output_size": 3}, {"kernel_size": 2},
            {"kernel_size": 2, "output_size": 7}, {"kernel_size": 0, "output_size": 3},
            {"kernel_size": 2, "output_size": (0, 3)}, {"kernel_size": 2, "output_ratio": 1.5}):
    attempt(lambda: ops.fractional_max_pool2d(x, _random_samples=at, **bad))
attempt(lambda: ops.fractional_max_pool2d(x, 2, 3, _random_samples=at[0]))
attempt(lambda: ops.fractional_max_pool2d(x[0, 0], 2, 3, _random_samples=at))
attempt(lambda: ops.fractional_max_pool2d(x.astype(ms.int16), 2, 3, _random_samples=at))
attempt(lambda: ops.FractionalMaxPoolWithFixedKsize(2, 3, "NHWC")(x, at))

# %% fractional_max_pool3d
x = 2 * wave(1, 1, 4, 6, 5)
at = Tensor(np.array([[[0.3, 0.8, 0.5]]], np.float32))
for size in ((2, 3, 3), (1, 2, 3)):
    for kernel in (2, (1, 2, 2)):
        show(*ops.fractional_max_pool3d(x, kernel, size, return_indices=True, _random_samples=at))
show(ops.fractional_max_pool3d(x[0], 2, output_ratio=0.5, _random_samples=at))
show(ms.grad(lambda x: ops.fractional_max_pool3d(x, 2, (2, 3, 2), _random_samples=at).sum())(x))
show(*ops.FractionalMaxPool3DWithFixedKsize(2, 2)(x, at))
attempt(lambda: ops.fractional_max_pool3d(x, 2, (3, 3, 3), _random_samples=at))
attempt(lambda: ops.fractional_max_pool3d(x, 2, 2, _random_samples=at.astype(ms.float64)))
attempt(lambda: ops.fractional_max_pool3d(x.astype(ms.int32), 2, 2))

# %% FractionalMaxPool
x = wave(1, 9, 10, 1)
show(*ops.FractionalMaxPool([1.0, 3.0, 2.0, 1.0])(x))
show(*ops.FractionalAvgPool([1.0, 3.0, 2.0, 1.0])(x))
show(*ops.FractionalAvgPool([1.0, 3.0, 2.0, 1.0], overlapping=True)(x))
show(*ops.FractionalMaxPool([1.0, 3.0, 2.0, 1.0], overlapping=True, pseudo_random=True)((9 * x).astype(ms.int32)))
show([y.shape for y in ops.FractionalMaxPool([1.0, 1.5, 1.4, 1.0], deterministic=True, seed=3)(x)])
show(ms.grad(lambda x: ops.FractionalAvgPool([1.0, 3.0, 2.0, 1.0])(x)[0].sum())(x))
for bad in ([1.0, 0.5, 1.4, 1.0], [1.0, 2.5, 1.4], [2.0, 2.5, 1.4, 1.0], (1.0, 2.5, 1.4, 1.0), [1, 2.5, 1.4, 1.0]):
    attempt(lambda: ops.FractionalMaxPool(bad)(x))
attempt(lambda: ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0], seed=1)(x))
attempt(lambda: ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0])(x.astype(ms.float16)))
attempt(lambda: ops.FractionalMaxPool([1.0, 20.0, 2.0, 1.0])(x))

# %% MaxPool3DWithArgmax
x = wave(1, 2, 3, 4, 4)
show(*ops.MaxPool3DWithArgmax(2, 2, 0)(x))
show(*ops.MaxPool3DWithArgmax((1, 2, 2), (1, 2, 1), (0, 1, 1), (1, 1, 2), True, argmax_type=ms.int32)(x))
attempt(lambda: ops.MaxPool3DWithArgmax(2, 2, 0, data_format="NDHWC")(x))

# %% LSTM
x, h, c = wave(2, 2, 3), 0.3 * wave(1, 2, 2), 0.2 * wave(1, 2, 2)
show([y for y in ops.LSTM(3, 2, 1, True, False, 0.0)(x, h, c, wave(56, 1, 1))[:3]])
show([y for y in ops.LSTM(3, 2, 1, False, False, 0.0)(x, h, c, wave(56, 1, 1))[:3]])
show([y for y in ops.LSTM(3, 2, 1, True, True, 0.0)(x, wave(2, 2, 2), wave(2, 2, 2), wave(112, 1, 1))[:3]])
show([y for y in ops.LSTM(3, 2, 1, True, False, 0.0, 1)(x, wave(1, 2, 1), c, wave(56, 1, 1))[:3]])
attempt(lambda: ops.LSTM(3, 2, 1, True, False, 0.0, 2)(x, h, c, wave(56, 1, 1)))
attempt(lambda: ops.LSTM(3, 2, 1, True, False, 1.5)(x, h, c, wave(56, 1, 1)))

# %% aminmax
x = Tensor(np.array([[1.0, np.nan, 3.0], [4.0, 5.0, np.nan]], np.float32))
show(ops.aminmax(x), ops.aminmax(x, axis=1), ops.aminmax(x, axis=1, keepdims=True), ops.aminmax(x, axis=None))
show(ops.aminmax(x, axis=None, keepdims=True), ops.aminmax(whole([[3, 1]]), axis=None), ops.aminmax(Tensor(2.0)))

# %% Svd
show(ops.Svd(True)(Tensor(np.array([[1.0, 2.0], [-4.0, -5.0], [2.0, 1.0]], np.float32)))[0::2])
show(ops.Svd(True, False)(Tensor(np.array([[1.0, 2.0], [-4.0, -5.0], [2.0, 1.0]], np.float32))))

# %% gradients/by input
from mindspore.ops.operations import _grad_ops as G
x, d = 4 * wave(7), wave(7) + 2
half = 0.9 * wave(7)
for name in ("AbsGrad", "ACosGrad", "AsinGrad", "AtanGrad"):
    show(name, getattr(G, name)()(half, d))
for name in ("ReluGrad", "ReLU6Grad", "HSigmoidGrad", "HSwishGrad", "FastGeLUGrad", "SiLUGrad", "SoftplusGrad"):
    show(name, getattr(G, name)()(d, 2 * x))
show(G.HShrinkGrad()(d, x), G.HShrinkGrad(1.5)(d, x), G.SoftShrinkGrad(0.3)(d, x))
show(G.GeLUGrad()(d, x, ops.gelu(x)))
show(G.LogitGrad(1e-5)(d, ops.abs(half)))
show(G.MaximumGrad()(x, d, d * d), G.MinimumGrad()(x, d, d * d))
show(G.PReLUGrad()(wave(2, 2, 3), wave(2, 2, 3) - 0.2, wave(2) + 1))

# %% gradients/by output
from mindspore.ops.operations import _grad_ops as G
y, d = 0.4 * wave(5) + 0.5, wave(5) + 2
for name in ("TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "AsinhGrad", "AcoshGrad"):
    show(name, getattr(G, name)()(y, d))
show(G.EluGrad()(d, wave(5)))
x, d = ops.log_softmax(wave(2, 3)), wave(2, 3) + 1
show(G.LogSoftmaxGrad()(x, d), G.LogSoftmaxGrad(0)(x, d))

# %% gradients/layers
from mindspore.ops.operations import _grad_ops as G
x, d = wave(2, 2, 4, 4), wave(2, 2, 2, 2) + 1
y = ops.MaxPool(2, 2)(x)
show(G.BiasAddGrad()(x), G.MaxPoolGrad(2, 2)(x, y, d), G.AvgPoolGrad(2, 2)(x, y, d))
show(G.Conv2DBackpropFilter(3, 3)(wave(2, 3, 2, 2), x, (3, 2, 3, 3)))
show(G.Conv2DBackpropFilter(3, 3, "pad", 1, (1, 1, 1, 1), stride=(2, 2))(wave(2, 3, 2, 2), x, (3, 2, 3, 3)))
x, d = wave(2, 3), wave(2, 3) + 1
show(G.SmoothL1LossGrad()(2 * x, d, x + 2), G.SigmoidCrossEntropyWithLogitsGrad()(x, d, x + 2))
p, t = 0.4 * x + 0.5, ops.abs(x)
show(G.BinaryCrossEntropyGrad()(p, t, Tensor(2.0), d), G.BinaryCrossEntropyGrad("none")(p, t, d, d))
show(G.L2NormalizeGrad(1)(x, ops.L2Normalize(1)(x), d))

# %% inner/arrays
from mindspore import Parameter
from mindspore.ops.operations.array_ops import ConcatOffsetV1
show(ConcatOffsetV1()(whole(1), (whole([1, 2, 3]), whole([1, 5, 3]), whole([1, 4, 3]))))
p = Parameter(wave(4, 2), name="p")
ops.operations.UpdateCache()(p, whole([[-1, 3, 1, 9]]), wave(4, 2) + 1, 4)
show(p)

# %% inner/images
from mindspore.ops.operations.image_ops import AdjustContrastv2, CropAndResizeGradBoxes, CropAndResizeGradImage
show(AdjustContrastv2()(wave(2, 2, 3, 3), Tensor(2.0)), AdjustContrastv2()(wave(2, 3, 3).astype(ms.float16), Tensor(0.5)))
boxes, at = Tensor([[0.1, 0.2, 0.7, 0.8], [0.3, 0.9, 0.6, 0.1]]), whole([0, 1])
show(CropAndResizeGradBoxes()(wave(2, 2, 2, 1), wave(2, 4, 4, 1), boxes, at))
show(CropAndResizeGradImage(ms.float32)(wave(2, 2, 2, 1), boxes, at, whole([2, 4, 4, 1])))

# %% inner/pooling by position
from mindspore.ops.operations.nn_ops import PSROIPooling, ReLUV3
x = wave(2, 12, 6, 7)
regions = Tensor(np.array([[1, 0, 0, 4, 3], [0, -1.5, 2.5, 5, 9], [0, 3.4, 1.6, 3.4, 1.6], [1, 9, 9, 12, 12]], np.float32).reshape(2, 5, 2))
show(PSROIPooling(1.0, 2, 3)(x, regions), PSROIPooling(0.5, 2, 3)(x, regions), ReLUV3()(wave(4)))
one = Tensor(np.array([[0, 1, 1, 4, 3], [1, 0, 2, 5, 4]], np.float32).reshape(2, 5, 1))
show(PSROIPooling(1.0, 2, 3)(x, one), ms.grad(lambda x: (PSROIPooling(1.0, 2, 3)(x, one) ** 2).sum())(x))
attempt(lambda: PSROIPooling(1.0, 2, 3)(x[:1], one))
for given in ((1, 2, 3), (-1.0, 2, 3), (1.0, 2, 0)):
    attempt(lambda: PSROIPooling(*given)(x, regions))

# %% inner/resizing
from mindspore.ops.operations.image_ops import ResizeV2
none = Tensor([], ms.float32)
for mode, where, old, new in (
    ("nearest", "half_pixel", (1, 2, 1, 4), (1, 2, 1, 9)), ("nearest", "half_pixel", (1, 1, 1, 9), (1, 1, 1, 4)),
    ("linear", "half_pixel", (1, 2, 1, 4), (1, 2, 1, 7)), ("linear", "align_corners", (1, 1, 1, 6), (1, 1, 1, 4)),
    ("cubic", "half_pixel", (1, 1, 4, 5), (1, 1, 7, 3)), ("cubic", "align_corners", (1, 1, 4, 5), (1, 1, 3, 8)),
):
    x = wave(*old)
    show(ResizeV2(where, mode)(x, none, none, Tensor(new)))
    show(ms.grad(lambda x: (ResizeV2(where, mode)(x, none, none, Tensor(new)) ** 2).sum())(x))
attempt(lambda: ResizeV2("x")(x, none, none, Tensor([1, 1, 1, 2])))
attempt(lambda: ResizeV2()(x, none, none, Tensor([1, 1, 2, 2])))
attempt(lambda: ResizeV2(mode="cubic")(x, none, none, Tensor([2, 1, 2, 2])))

# %% inner/parts of a longer array
from mindspore.ops.operations import _embedding_cache_ops
for part in (0, 1):
    show(_embedding_cache_ops.PadAndShift()(whole([9, 13, 4, 7, 1]), whole([0, 3, 5]), part))

# %% inner/linear algebra
from mindspore.ops.operations.linalg_ops import Eigh
a = wave(3, 3)
for lower in (True, False):
    w, v = Eigh(True, lower)(a)
    show(w, ops.abs(v))

# %% inner/convolution whose settings are not those of its kernel
show(ops.Conv2DBackpropInput(4, 1)(wave(1, 1, 2, 2), wave(1, 1, 3, 3), (1, 1, 4, 4)))
