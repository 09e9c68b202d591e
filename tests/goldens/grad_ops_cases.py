# ruff: noqa
# %% adaptive pooling
show(G.AdaptiveAvgPool2DGrad()(wave(1, 2, 3, 2), whole([1, 2, 7, 5], np.int64)))
x = wave(1, 2, 3, 4, 4)
y, at = ops.AdaptiveMaxPool3D()(x, whole([2, 3, 3]))
show(G.AdaptiveMaxPool3DGrad()(wave(1, 2, 2, 3, 3), x, at))

# %% adaptive max pool 2d
x = wave(2, 3, 7, 5)
y, at = ops.AdaptiveMaxPool2D((3, 2))(x)
show(G.AdaptiveMaxPool2DGrad()(wave(2, 3, 3, 2), x, at))

# %% affine grid
show(G.AffineGridGrad()(wave(2, 3, 4, 2), (2, 3, 3, 4)))

# %% average pool 3d
show(G.AvgPool3DGrad(kernel_size=2, strides=2, pads=0, pad_mode="valid")((1, 1, 4, 4, 4), wave(1, 1, 2, 2, 2)))

# %% average pool
x = wave(1, 2, 4, 4)
show(G.AvgPoolGrad(2, 2)(x, ops.AvgPool(2, 2)(x), wave(1, 2, 2, 2)))
show(G.MaxPoolGrad(2, 2)(x, ops.MaxPool(2, 2)(x), wave(1, 2, 2, 2)))

# %% batch norm
x, scale, bias = wave(2, 3, 2, 2), wave(3) + 2, wave(3)
y = ops.BatchNorm(is_training=True, epsilon=1e-5)(x, ms.Parameter(scale, name="s"), ms.Parameter(bias, name="b"), ms.Parameter(wave(3) * 0, name="m"), ms.Parameter(wave(3) * 0 + 1, name="v"))
show(*G.BatchNormGrad(True, 1e-5)(wave(2, 3, 2, 2) * 2 + 1, x, scale, y[3], y[4], y[4]))
show(*G.BatchNormGrad(False, 1e-5)(wave(2, 3, 2, 2) * 2 + 1, x, scale, wave(3), wave(3) + 2, y[4]))

# %% pooling by position and resizing
regions = Tensor(np.array([[0, 1, 1, 4, 3], [1, 0, 2, 5, 4]], np.float32).reshape(2, 5, 1))
show(G.PSROIPoolingGrad((6, 7), 1.0, 2, 3)(wave(2, 3, 2, 2), regions))
none = Tensor([], ms.float32)
show(G.ResizeV2Grad("align_corners", "cubic")(wave(1, 1, 3, 8), none, none, whole([1, 1, 4, 5], np.int64)))

# %% concat offset
show(G.ConcatOffset(2, 0)((wave(2, 3), wave(4, 3))))

# %% conv 3d filter
x, w = wave(1, 2, 3, 4, 4), wave(3, 2, 2, 2, 2)
show(G.Conv3DBackpropFilter(3, (2, 2, 2), pad_mode="valid")(x, wave(1, 3, 2, 3, 3), (3, 2, 2, 2, 2)))

# %% conv 2d
x, w = wave(1, 2, 4, 4), wave(3, 2, 2, 2)
show(G.Conv2DBackpropFilter(3, (2, 2), pad_mode="valid", stride=1)(wave(1, 3, 3, 3), x, (3, 2, 2, 2)))
show(ops.Conv2DBackpropInput(3, (2, 2), pad_mode="valid", stride=1)(wave(1, 3, 3, 3), w, (1, 2, 4, 4)))

# %% deformable offsets
show(*G.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(wave(1, 1, 4, 4), wave(1, 1, 3, 3), 0.3 * wave(1, 12, 2, 2)))

# %% dropout
show(G.DropoutGrad(0.5)(wave(2, 3), whole([[1, 0, 1], [0, 1, 1]], np.float32)))

# %% flatten
show(G.FlattenGrad()(wave(2, 12), (2, 3, 4)))

# %% fractional 3d
x, samples = wave(1, 2, 6, 6, 6), Tensor(np.full((1, 2, 3), 0.4, np.float32))
y, at = ops.FractionalMaxPool3DWithFixedKsize(2, (3, 3, 3))(x, samples)
show(G.FractionalMaxPool3DGradWithFixedKsize()(x, wave(1, 2, 3, 3, 3), at)[0, 0, :2])

# %% fractional tiles
x = wave(1, 6, 6, 1)
y, rows, columns = ops.FractionalMaxPool([1.0, 1.5, 1.5, 1.0], deterministic=True, seed=2)(x)
rows, columns = whole([0, 1, 3, 4, 6], np.int64), whole([0, 2, 3, 5, 6], np.int64)
y = wave(1, 4, 4, 1)
show(G.FractionalMaxPoolGrad()(wave(1, 6, 6, 1), y, y, rows, columns))
show(G.FractionalAvgPoolGrad()(whole([1, 6, 6, 1], np.int64), wave(1, 4, 4, 1), rows, columns))

# %% gather
show(G.GatherDGradV2()(wave(2, 3), 1, whole([[0, 1], [2, 2]], np.int64), wave(2, 2)))

# %% grid sampler
x, g = wave(1, 2, 3, 4), 0.8 * wave(1, 2, 2, 2)
show(*G.GridSampler2DGrad()(wave(1, 2, 2, 2), x, g))
show(*G.GridSampler3DGrad()(wave(1, 1, 2, 1, 2), wave(1, 1, 3, 2, 2), 0.7 * wave(1, 2, 1, 2, 3)))

# %% igamma
show(G.IgammaGradA()(Tensor(np.array([0.5, 2.0, 3.0], np.float32)), Tensor(np.array([1.0, 2.0, 0.5], np.float32))))

# %% kl div
show(G.KLDivLossGrad("sum")(Tensor(np.float32(2.0)), wave(2, 3), wave(2, 3) + 2))

# %% lrn
x = wave(1, 4, 2, 2)
show(G.LRNGrad(5, 1.0, 1e-1, 0.5)(wave(1, 4, 2, 2) + 1, x, ops.LRN(5, 1.0, 1e-1, 0.5)(x)))

# %% layer norm
x, gamma, beta = wave(2, 3, 4), wave(3, 4) + 2, wave(3, 4)
y, mean, variance = ops.LayerNorm(1, 1)(x, gamma, beta)
show(*G.LayerNormGrad(1, 1)(x, wave(2, 3, 4), variance, mean, gamma))
show(*G.LayerNormGradGrad(1, 1)(x, wave(2, 3, 4), variance, mean, gamma, wave(2, 3, 4) + 1, wave(3, 4), wave(3, 4) + 1))

# %% masked select
show(G.MaskedSelectGrad()(wave(2, 3), Tensor(np.array([[True, False, True], [False, True, False]])), wave(3)))

# %% max pool 3d
x = wave(1, 2, 4, 4, 4)
y = ops.MaxPool3D(2, 2)(x)
show(G.MaxPool3DGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2))(x, y, wave(1, 2, 2, 2, 2)))
show(G.MaxPool3DGradGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2))(x, y, wave(1, 2, 4, 4, 4)))

# %% max pool 3d with places
x = wave(1, 2, 4, 4, 4)
y, at = ops.MaxPool3DWithArgmax(2, 2, 0)(x)
show(G.MaxPool3DGradWithArgmax(2, 2, 0)(x, wave(1, 2, 2, 2, 2), at))

# %% max pool second
x = wave(1, 2, 4, 4)
y = ops.MaxPool(2, 2)(x)
show(G.MaxPoolGradGrad(2, 2)(x, y, wave(1, 2, 4, 4)))

# %% max pool with places
x = wave(1, 2, 4, 4)
y, at = ops.MaxPoolWithArgmaxV2(2, 2)(x)
show(G.MaxPoolGradWithArgmaxV2(2, 2)(x, wave(1, 2, 2, 2), at))

# %% max pool with old places
x = wave(1, 2, 4, 4)
y, at = ops.MaxPoolWithArgmax(2, 2)(x)
show(G.MaxPoolGradWithArgmax(2, 2)(x, wave(1, 2, 2, 2), at))

# %% maximum second
x, y = wave(2, 3), wave(3) * 0.5
show(*G.MaximumGrad()(x, y, wave(2, 3) + 1))
show(*G.MaximumGradGrad()(x, x * 0.5, wave(2, 3) + 1, wave(2, 3) + 2))
show(*G.MinimumGradGrad()(x, x * 0.5, wave(2, 3) + 1, wave(2, 3) + 2))

# %% median
x = wave(3, 4)
y, at = ops.Median(False, 1)(x)
show(G.MedianGrad(False, 1)(wave(3), x, y, at))
y, at = ops.Median(True)(x)
show(G.MedianGrad(True)(Tensor(np.float32(2.0)), x, y, at))

# %% mirror pad
show(G.MirrorPadGrad("REFLECT")(wave(4, 6), whole([[1, 1], [2, 1]], np.int64)))

# %% multi margin
x, t = wave(2, 4), whole([1, 3], np.int64)
show(G.MultiMarginLossGrad(1, 1.0, "mean")(Tensor(np.float32(2.0)), x, t, wave(4) + 1))

# %% mvlgamma
show(G.MvlgammaGrad(3)(wave(2, 3), wave(2, 3) + 4))

# %% nll
x, t, w = wave(3, 4), whole([1, 3, 0]), wave(4) + 2
y, total = ops.NLLLoss("mean")(x, t, w)
show(G.NLLLossGrad("mean")(x, Tensor(np.float32(2.0)), t, w, total))

# %% pad v3
show(G.PadV3Grad("reflect")(wave(1, 2, 7), whole([2, 1], np.int64)))
show(G.PadV3Grad("circular")(wave(1, 2, 7), whole([2, 1], np.int64)))

# %% pdist
x = wave(4, 3)
show(G.PdistGrad(2.0)(wave(6), x, ops.Pdist(2.0)(x)))
for p in (0.0, 1.0, 1.5, 3.0, float("inf")):
    show(G.PdistGrad(p)(wave(6), x, wave(6) * 0.25 + 1))

# %% roi align
rois = Tensor(np.array([[0, 1, 1, 6, 5], [0, 0, 0, 3, 7]], np.float32))
show(G.ROIAlignGrad(2, 2, 0.5, 2)(wave(2, 1, 2, 2), rois, (1, 1, 5, 5)))

# %% resize bilinear
show(G.ResizeBilinearGrad()(wave(1, 2, 4, 6), wave(1, 2, 2, 3)))
show(G.ResizeBilinearGrad(half_pixel_centers=True)(wave(1, 2, 4, 6), wave(1, 2, 2, 3)))

# %% resize nearest
show(G.ResizeNearestNeighborGrad()(wave(1, 2, 4, 6), (2, 3)))

# %% resize nearest v2
show(G.ResizeNearestNeighborV2Grad()(wave(1, 2, 4, 6), whole([2, 3])))

# %% resize bicubic
show(G.ResizeBicubicGrad()(wave(1, 2, 4, 6), wave(1, 2, 2, 3)))

# %% resize linear
show(G.ResizeLinear1DGrad()(wave(1, 2, 6), wave(1, 2, 3)))

# %% scale and translate
show(G.ScaleAndTranslateGrad("triangle")(wave(1, 4, 4, 1), wave(1, 3, 3, 1), whole([1.2, 1.5], np.float32), whole([0.2, 0.1], np.float32)))

# %% slice
show(G.SliceGrad()(wave(1, 2), wave(2, 3), (1, 0), (1, 2)))
show(G.StridedSliceGrad()(wave(1, 2), (2, 3), (1, 0), (2, 3), (1, 2)))
show(G.StridedSliceGrad(shrink_axis_mask=1)(wave(2), (2, 3), (1, 0), (2, 3), (1, 2)))

# %% sparse rows
show(*G.SparseFillEmptyRowsGrad()(whole([2, 1], np.int64), wave(4)))

# %% sparse segments
x, at, rows, size = wave(2, 3), whole([0, 2, 1, 0]), whole([0, 0, 1, 1]), whole(4)
show(G.SparseSegmentMeanGrad()(x, at, rows, size))
show(G.SparseSegmentSqrtNGrad()(x, at, rows, size))

# %% sparse slice
places, start, inside = whole([[0, 1], [1, 2], [2, 0]], np.int64), whole([0, 1], np.int64), whole([[0, 0], [1, 1]], np.int64)
show(G.SparseSliceGrad()(wave(2) + 1, places, start, inside))

# %% trace
show(G.TraceGrad()(Tensor(np.float32(3.0)), whole([2, 3], np.int64)))

# %% upsampling
show(G.UpsampleNearest3DGrad()(wave(1, 1, 4, 4, 2), (1, 1, 2, 2, 2), (4, 4, 2), None))
show(G.UpsampleTrilinear3DGrad()(wave(1, 1, 4, 4, 2), (1, 1, 2, 2, 2), (4, 4, 2), None))

# %% lu
show(*G.LuUnpackGrad(True, True)(wave(3, 3), wave(3, 3) + 1, wave(3, 3)))

# %% cdist
x, y = wave(3, 2), wave(4, 2) + 0.3
show(ops.auto_generate.CdistGrad(2.0)(wave(3, 4), x, y, ops.Cdist(2.0)(x, y)))
for p in (0.0, 1.0, 1.5, 3.0, float("inf")):
    show(ops.auto_generate.CdistGrad(p)(wave(3, 4), x, y, wave(3, 4) * 0.25 + 1))
    show(ops.auto_generate.CdistGrad(p)(wave(3, 4), x, y, ops.Cdist(p)(x, y)))

# %% instance norm
x = wave(2, 3, 2, 2)
show(*G.InstanceNormV2Grad(False)(wave(2, 3, 2, 2, 1), ops.reshape(x, (2, 3, 2, 2, 1)), wave(2, 3, 1, 1, 1), wave(2, 3, 1, 1, 1), wave(2, 3, 1, 1, 1) + 2, wave(2, 3, 1, 1, 1), wave(2, 3, 1, 1, 1) + 2))

# %% lstm
net = ops.LSTM(2, 3, 1, False, False, 0.0)
x, h, c, w = wave(4, 1, 2), wave(1, 1, 3), wave(1, 1, 3), wave(60, 1, 1)
y, hy, cy, reserve, state = net(x, h, c, w)
show(*G.LSTMGrad(2, 3, 1, False, False, 0.0)(x, h, c, w, y, hy, cy, wave(4, 1, 3), wave(1, 1, 3), wave(1, 1, 3), reserve))

# %% max unpool
x, at = wave(1, 1, 2, 2), whole([[[[5, 3], [8, 15]]]], np.int64)
show(G.MaxUnpool2DGrad((1, 1, 2, 2), (1, 1, 2, 2), (0, 0, 0, 0))(x, wave(1, 1, 4, 4), at))
at = whole([[[[[5, 3], [8, 30]]]]], np.int64)
show(G.MaxUnpool3DGrad((1, 1, 2, 2, 2), (1, 1, 2, 2, 2), (0, 0, 0, 0, 0), (1, 1, 2, 4, 4))(wave(1, 1, 1, 2, 2), wave(1, 1, 2, 4, 4), at))
at = whole([[[[0, 3], [9, 11]], [[1, 2], [8, 15]]]])
show(G.MaxPoolGradGradWithArgmax(2, 2)(wave(1, 2, 4, 4), wave(1, 2, 4, 4), at))

# %% convolution in three dimensions, by its input
from mindspore.ops.operations.nn_ops import Conv3DBackpropInput
show(Conv3DBackpropInput(2, 2)(wave(2, 1, 2, 2, 2), wave(1, 2, 2, 2, 2), (1, 1, 3, 3, 3)))

# %% losses of sequences
from mindspore.ops.operations.nn_ops import CTCLossV2Grad
x, labels, times, lengths = ops.log_softmax(wave(4, 2, 3)), whole([[1, 2], [2, 2]]), whole([4, 4]), whole([2, 1])
loss, table = ops.CTCLossV2()(x, labels, times, lengths)
show(CTCLossV2Grad(0)(Tensor([1.0, 2.0]), x, labels, times, lengths, loss, table))
