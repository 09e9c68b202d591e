"""Gradient operators in class form (`ops.operations._grad_ops`), computed by the VJP of the forward operator.

`MirrorPadGrad(mode)(dy, paddings)` runs the vector-Jacobian product of `MirrorPad(mode)`. Where MindSpore's class is given
the shape of an input in place of the input, the operator is linear in it, and the product is taken at zeros.
`pooling_gradients` has those that move numbers to places which a forward pass has found.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.autodiff.jvp_vjp_jacobian import jvp, vjp
from msjax.core.tensor.tensor import Tensor
from msjax.ops import operations as P
from msjax.ops.array import creation
from msjax.ops.common.name_table import Table
from msjax.ops.image import crops, resize
from msjax.ops.primitive_impl import pooling_gradients
from msjax.ops.primitive_impl.nn import need_nchw


def pulled_back(forward: Callable, inputs: Sequence[Any], dout: Any, by: Sequence[int] = (0,)) -> Any:
    """Return the gradients of `forward(*inputs)` by some of the inputs, given those of its output.

    Args:
        forward: function or class form over Tensors; of a tuple of outputs, those beyond `dout` are left out.
        inputs: its arguments, Tensors at `by`.
        dout: the gradient of the output, or a tuple of them.
        by: positions of inputs.

    Returns:
        A Tensor, or a tuple of them if there are several positions.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients_by_vjp import pulled_back
        >>> print(pulled_back(ms.ops.mul, [ms.Tensor(2.0), ms.Tensor(3.0)], ms.Tensor(10.0)))
        30.0
    """

    def of(*chosen: Any) -> Any:
        full = list(inputs)
        for i, value in zip(by, chosen, strict=True):
            full[i] = value
        out = forward(*full)
        if not isinstance(out, tuple):
            return out
        return out[: len(dout)] if isinstance(dout, tuple) else out[0]

    pull = vjp(of, *(inputs[i] for i in by))[1]
    grads = pull(*dout) if isinstance(dout, tuple) else pull(dout)
    return grads[0] if len(by) == 1 else grads


def pushed(forward: Callable, x: Any, direction: Any) -> Any:
    """Return the derivative of a function of one Tensor in a direction."""
    return jvp(forward, x, direction)[1]


def ints(sizes: Any) -> tuple[int, ...]:
    """Return a shape as numbers; it may be given as a Tensor."""
    return tuple(int(n) for n in (sizes.asnumpy() if isinstance(sizes, Tensor) else sizes))


def nothing(sizes: Any, like: Any) -> Any:
    """Zeros of a shape, and of the dtype of a Tensor."""
    return creation.zeros(ints(sizes), like.dtype)


def space(sizes: Any) -> Any:
    """Return the part of a window's sizes that is about the last three axes; MindSpore gives five."""
    return tuple(sizes[-3:]) if isinstance(sizes, tuple | list) else sizes


def inner(shape: Sequence[int], paddings: Sequence[int], contiguous: bool) -> tuple[int, ...]:
    """Return the shape that was padded to `shape`, by amounts which begin at the last axis, as PadV3 takes them."""
    half = len(paddings) // 2
    before, after = (paddings[::2], paddings[1::2]) if contiguous else (paddings[:half], paddings[half:])
    sizes = list(shape)
    for i, (low, high) in enumerate(zip(before, after, strict=True)):
        sizes[-1 - i] -= low + high
    return tuple(sizes)


def offsets(shapes: Sequence[Sequence[int]], axis: int) -> Tensor:
    """Return the offset of each of several arrays in their concatenation, one row per array."""
    rows = [[0] * len(shapes[0]) for _ in shapes]
    for before, row, shape in zip(rows, rows[1:], shapes, strict=False):
        row[axis] = before[axis] + shape[axis]
    return Tensor(rows, dtypes.int64)


def layered_again(x: Any, dy: Any, gamma: Any, douts: tuple, axis: int, params_axis: int) -> Any:
    """The gradients of `layer_norm_gradient` by x, dy and gamma; the statistics are those of x (`LayerNormGradGrad`)."""
    axes = tuple(range(axis % x.ndim, x.ndim))

    def layered(x: Any, dy: Any, gamma: Any) -> Any:
        mean = x.mean(axes, True)
        variance = ((x - mean) ** 2).mean(axes, True)
        return pooling_gradients.layer_norm_gradient(x, dy, variance, mean, gamma, axis, params_axis)

    return pulled_back(layered, [x, dy, gamma], douts, (0, 1, 2))


def pooled_regions(dout: Tensor, rois: Tensor, settings: Any) -> Any:
    """Return the gradient of `PSROIPooling` by the features, one image for each batch of regions."""
    size, cells = settings.input_size, settings.group_size
    height, width = (size, size) if isinstance(size, int) else size
    shape = (rois.shape[0], settings.output_dim * cells * cells, height, width)
    inputs = [creation.zeros(shape, dout.dtype), rois, settings.spatial_scale, cells, settings.output_dim]
    return pulled_back(crops.ps_roi_pooling, inputs, dout)


TABLE = Table(
    __name__,
    """
# pooling
AdaptiveAvgPool2DGrad(input_grad, orig_input_shape) ->
    back(P.AdaptiveAvgPool2D(input_grad.shape[-2:]), [nothing(orig_input_shape, input_grad)], input_grad)
AdaptiveAvgPool3DGrad(y_grad, orig_input_shape) ->
    back(P.AdaptiveAvgPool3D(y_grad.shape[-3:]), [nothing(orig_input_shape, y_grad)], y_grad)
AvgPool3DGrad(kernel_size=1, strides=1, pads=0, ceil_mode=False, count_include_pad=True, divisor_override=0,
    data_format='NCDHW', pad_mode='pad')(origin_input_shape, grads) ->
    back(P.AvgPool3D(self.kernel_size, self.strides, self.pad_mode, self.pads, self.ceil_mode, self.count_include_pad,
        self.divisor_override, self.data_format), [nothing(origin_input_shape, grads)], grads)
MaxPool3DGrad(kernel_size=(1, 1, 1, 1, 1), strides=(1, 1, 1, 1, 1), pad_mode='VALID', pad_list=0,
    data_format='NCDHW')(x_origin, out_origin, grad) ->
    back(P.MaxPool3D(space(self.kernel_size), space(self.strides), self.pad_mode, self.pad_list,
        data_format=self.data_format), [x_origin], grad)
MaxPool3DGradGrad(kernel_size=(1, 1, 1, 1, 1), strides=(1, 1, 1, 1, 1), pad_mode='VALID', data_format='NCDHW')(x_origin,
    out_origin, grad) ->
    pushed(P.MaxPool3D(space(self.kernel_size), space(self.strides), self.pad_mode, data_format=self.data_format),
        x_origin, grad)
MaxPoolGradGrad(kernel_size=1, strides=1, pad_mode='VALID')(x_origin, out_origin, grad) ->
    pushed(P.MaxPool(self.kernel_size, self.strides, self.pad_mode), x_origin, grad)
MaxPoolGradV1(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x_origin, out_origin, grad) ->
    back(P.MaxPool(self.kernel_size, self.strides, self.pad_mode, self.data_format), [x_origin], grad)
AvgPoolGradV1(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(orig_input_shape, input_grad) ->
    back(P.AvgPool(self.kernel_size, self.strides, self.pad_mode, self.data_format), [nothing(orig_input_shape,
        input_grad)], input_grad)
AdaptiveMaxPool2DGrad(y_grad, x, argmax) -> placed(y_grad, x, argmax, 2)
AdaptiveMaxPool3DGrad(input_grad, x, argmax) -> placed(input_grad, x, argmax, 3)
MaxPool3DGradWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format='NCDHW')(x, grads, argmax) ->
    placed(grads, x, argmax, 3)
MaxPoolGradWithArgmax(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x, grad, argmax) ->
    placed(grad, x, argmax, 3)
MaxPoolGradWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=None)(x, grad,
    argmax) ->
    placed(grad, x, argmax, 2)
MaxPoolGradGradWithArgmax(kernel_size=1, strides=1, pad_mode='VALID')(x, grad, argmax) -> taken(grad, argmax, 3)
MaxUnpool2DGrad(ksize, strides=0, pads=0, output_shape=(), data_format='NCHW')(x, grads, argmax) -> taken(grads, argmax, 2)
MaxUnpool3DGrad(ksize, strides=0, pads=0, output_shape=(), data_format='NCDHW')(x, grads, argmax) -> taken(grads, argmax, 3)
FractionalMaxPoolGradWithFixedKsize(data_format='NCHW')(origin_input, out_backprop, argmax) ->
    placed(out_backprop, origin_input, argmax, 2)
FractionalMaxPool3DGradWithFixedKsize(data_format='NCDHW')(origin_input, out_backprop, argmax) ->
    placed(out_backprop, origin_input, argmax, 3)
FractionalAvgPoolGrad(overlapping=False)(orig_input_tensor_shape, out_backprop, row_pooling_sequence,
    col_pooling_sequence) ->
    tiles(out_backprop, nothing(orig_input_tensor_shape, out_backprop), ints(row_pooling_sequence),
        ints(col_pooling_sequence), self.overlapping, True)
FractionalMaxPoolGrad(overlapping=False)(orig_input, orig_output, out_backprop, row_pooling_sequence,
    col_pooling_sequence) ->
    tiles(out_backprop, orig_input, ints(row_pooling_sequence), ints(col_pooling_sequence), self.overlapping, False)
ROIAlignGrad(pooled_height, pooled_width, spatial_scale, sample_num=2)(dy, rois, xdiff_shape) ->
    back(P.ROIAlign(self.pooled_height, self.pooled_width, self.spatial_scale, self.sample_num), [nothing(xdiff_shape,
        dy), rois], dy)
PSROIPoolingGrad(input_size, spatial_scale, group_size, output_dim)(x, rois) ->
    pooled_regions(x, rois, self)
ResizeV2Grad(coordinate_transformation_mode='half_pixel', mode='nearest')(grads, roi, scales, original_size) ->
    back(resize.resize_v2, [nothing(original_size, grads), roi, scales, ints(grads.shape),
        self.coordinate_transformation_mode, self.mode], grads)

# convolutions and sampling
Conv3DBackpropFilter(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=(1, 1, 1, 1, 1), dilation=(1, 1, 1,
    1, 1), group=1, data_format='NCDHW')(x, out_backprop, filter_size) ->
    back(P.Conv3D(self.out_channel, self.kernel_size, self.mode, self.pad_mode, self.pad, space(self.stride),
        space(self.dilation), self.group, self.data_format), [x, nothing(filter_size, x)], out_backprop, (1,))
Conv3DBackpropInput(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1,
    data_format='NCDHW')(weight, out_backprop, input_size) ->
    back(P.Conv3D(self.out_channel, self.kernel_size, self.mode, self.pad_mode, self.pad, space(self.stride),
        space(self.dilation), self.group, self.data_format), [nothing(input_size, weight), weight], out_backprop)
Dilation2DBackpropInput(stride, dilation, pad_mode='SAME', data_format='NCHW')(x, weight, out_backprop) ->
    back(P.Dilation2D(self.stride, self.dilation, self.pad_mode, self.data_format), [x, weight], out_backprop, (0,))
Dilation2DBackpropFilter(stride, dilation, pad_mode='SAME', data_format='NCHW')(x, weight, out_backprop) ->
    back(P.Dilation2D(self.stride, self.dilation, self.pad_mode, self.data_format), [x, weight], out_backprop, (1,))
CTCLossV2Grad(blank, reduction='none', zero_infinity=False)(grad_out, log_probs, targets, input_lengths, target_lengths,
    neg_log_likelihood, log_alpha) ->
    back(P.CTCLossV2(self.blank, self.reduction, self.zero_infinity), [log_probs, targets, input_lengths, target_lengths],
        grad_out)
DeformableOffsetsGrad(strides, pads, kernel_size, dilations=(1, 1, 1, 1), data_format='NCHW', deformable_groups=1,
    modulated=True)(out_backprop, input, offsets) ->
    back(P.DeformableOffsets(self.strides, self.pads, self.kernel_size, self.dilations, self.data_format,
        self.deformable_groups, self.modulated), [input, offsets], out_backprop, (0, 1))
AffineGridGrad(align_corners=False)(y_grad, x_size) ->
    back(P.AffineGrid(self.align_corners), [nothing((x_size[0], n, n + 1), y_grad), x_size], y_grad)
    x_size = ints(x_size)
    n = len(x_size) - 2
GridSampler2DGrad(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False, output_mask=(1, 1))(grad,
    input_x, grid) ->
    back(P.GridSampler2D(self.interpolation_mode, self.padding_mode, self.align_corners), [input_x, grid], grad, (0, 1))
GridSampler3DGrad(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False, output_mask=(1, 1))(grad,
    input_x, grid) ->
    back(P.GridSampler3D(self.interpolation_mode, self.padding_mode, self.align_corners), [input_x, grid], grad, (0, 1))
ResizeBilinearGrad(align_corners=False, half_pixel_centers=False)(grads, image) ->
    back(P.ResizeBilinearV2(self.align_corners, self.half_pixel_centers), [image, grads.shape[2:]], grads)
ResizeBicubicGrad(align_corners=False, half_pixel_centers=False)(grads, image) ->
    back(P.ResizeBicubic(self.align_corners, self.half_pixel_centers), [image, grads.shape[2:]], grads)
ResizeNearestNeighborGrad(align_corners=False, half_pixel_centers=False)(grads, size) ->
    back(P.ResizeNearestNeighborV2(self.align_corners, self.half_pixel_centers), [nothing((*grads.shape[:2], *ints(size)),
        grads), grads.shape[2:]], grads)
ResizeNearestNeighborV2Grad(align_corners=False, half_pixel_centers=False)(grads, size) ->
    back(P.ResizeNearestNeighborV2(self.align_corners, self.half_pixel_centers), [nothing((*grads.shape[:2], *ints(size)),
        grads), grads.shape[2:]], grads)
ResizeLinear1DGrad(coordinate_transformation_mode='align_corners')(grads, x) ->
    back(P.ResizeLinear1D(self.coordinate_transformation_mode), [x, grads.shape[2:]], grads)
ScaleAndTranslateGrad(kernel_type='lanczos3', antialias=True)(grads, original_image, scale, translation) ->
    back(P.ScaleAndTranslate(self.kernel_type, self.antialias), [original_image, grads.shape[1:3], scale, translation],
        grads)
UpsampleNearest3DGrad(dy, input_size, output_size=None, scales=None) ->
    back(P.UpsampleNearest3D(), [nothing(input_size, dy), output_size, scales], dy)
UpsampleTrilinear3DGrad(align_corners=False)(dy, input_size, output_size=None, scales=None) ->
    back(P.UpsampleTrilinear3D(self.align_corners), [nothing(input_size, dy), output_size, scales], dy)

# normalization and recurrent layers
BatchNormGrad(is_training=False, epsilon=1e-05, data_format='NCHW')(dout, x, scale, saved_mean, saved_variance, reserve) ->
    normed(dout, x, scale, saved_mean, saved_variance, self.is_training, self.epsilon, (0, *range(2, x.ndim)))
    nchw(self.name, self.data_format)
InstanceNormV2Grad(is_training=True, epsilon=1e-05)(dy, x, gamma, mean, variance, save_mean, save_variance) ->
    normed(dy, x, gamma, mean, variance, self.is_training, self.epsilon, (2, 3))
LayerNormGrad(begin_norm_axis=1, begin_params_axis=1)(x, dy, variance, mean, gamma) ->
    layered(x, dy, variance, mean, gamma, self.begin_norm_axis, self.begin_params_axis)
LayerNormGradGrad(begin_norm_axis=1, begin_params_axis=1)(x, dy, variance, mean, gamma, d_dx, d_dg, d_db) ->
    layered_again(x, dy, gamma, (d_dx, d_dg, d_db), self.begin_norm_axis, self.begin_params_axis)
LRNGrad(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)(grads, x, y) ->
    back(P.LRN(self.depth_radius, self.bias, self.alpha, self.beta), [x], grads)
RmsNormGrad(dy, x, rstd, gamma) -> back(P.RmsNorm(), [x, gamma], dy, (0, 1))
LSTMGrad(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0)(x, h, c, w, y, hy, cy, dy,
    dhy, dcy, reserve) ->
    back(P.LSTM(self.input_size, self.hidden_size, self.num_layers, self.has_bias, self.bidirectional, self.dropout,
        self.proj_size), [x, h, c, w], (dy, dhy, dcy), (0, 1, 2, 3))
DropoutGrad(keep_prob=0.5)(dy, mask) -> dy * mask.astype(dy.dtype) / self.keep_prob

# losses
KLDivLossGrad(reduction='mean')(grad, x, target) -> back(P.KLDivLoss(self.reduction), [x, target], grad)
NLLLossGrad(reduction='mean', ignore_index=-100)(logits, loss_grad, labels, weight, total_weight) ->
    back(P.NLLLoss(self.reduction, self.ignore_index), [logits, labels, weight], loss_grad)
MultiMarginLossGrad(p=1, margin=1.0, reduction='mean')(y_grad, x, target, weight=None) ->
    back(P.MultiMarginLoss(self.p, self.margin, self.reduction), [x, target, weight], y_grad)
MultilabelMarginLossGrad(reduction='mean')(y_grad, x, target, is_target) ->
    back(P.MultilabelMarginLoss(self.reduction), [x, target], y_grad)
SoftMarginLossGrad(reduction='mean')(predict, label, dout) -> back(P.SoftMarginLoss(self.reduction), [predict, label], dout)

# elements and shapes
CdistGrad(p=2.0)(grad, input_x, input_y, cdist) -> distances(grad, input_x, input_y, cdist, self.p)
PdistGrad(p=2.0)(y_grad, x, y) -> pairs(y_grad, x, y, self.p)
MvlgammaGrad(p)(y_grad, x) -> back(P.Mvlgamma(self.p), [x], y_grad)
IgammaGradA(a, x) -> igamma(a, x)
SoftmaxGrad(y, dy) -> softened(y, dy)
MaximumGradGrad(grad_x=True, grad_y=True)(x, y, dx, dy) -> P.ZerosLike()(x), P.ZerosLike()(y), P.Select()(x >= y, dx, dy)
MinimumGradGrad(x1, x2, grad_y1, grad_y2) -> P.ZerosLike()(x1), P.ZerosLike()(x2), P.Select()(x1 <= x2, grad_y1, grad_y2)
MedianGrad(global_median=False, axis=0, keep_dims=False)(y_grad, x, y, indices) ->
    median(y_grad, x, y, None if self.global_median else indices, self.global_median, self.axis, self.keep_dims)
GatherDGradV2(x, dim, index, dout) -> back(P.GatherD(), [x, dim, index], dout)
MaskedSelectGrad(input, mask, grad) ->
    back(P.BroadcastTo(mask.shape), [input], selected(grad, mask)) if input.shape != mask.shape else selected(grad, mask)
SliceGrad(dy, x, begin, size) -> back(P.Slice(), [x, ints(begin), ints(size)], dy)
StridedSliceGrad(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)(dy, shapex, begin, end,
    strides) ->
    back(P.StridedSlice(self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask),
        [nothing(shapex, dy), ints(begin), ints(end), ints(strides)], dy)
MirrorPadGrad(mode='REFLECT')(dy, paddings) ->
    back(P.MirrorPad(self.mode), [nothing([n - a - b for n, (a, b) in zip(dy.shape, rows)], dy), paddings], dy)
    rows = P.Reshape()(paddings, (-1, 2)).asnumpy().tolist()
PadV3Grad(mode='reflect', paddings_contiguous=True)(x, paddings) ->
    back(P.PadV3(self.mode, self.paddings_contiguous), [nothing(inner(x.shape, ints(paddings), self.paddings_contiguous),
        x), paddings], x)
FlattenGrad(x, shape) -> P.Reshape()(x, ints(shape))
TraceGrad(y_grad, x_shape) -> back(P.Trace(), [nothing(x_shape, y_grad)], y_grad)
ConcatOffset(N=2, axis=0)(input_x) -> offsets([x.shape for x in input_x], self.axis)
UniqueGrad(dy, y) -> P.Gather()(dy[0], y[1], 0)
LuUnpackGrad(L_grad_flag, U_grad_flag)(L_grad, U_grad, LU_data) -> factors(L_grad, U_grad, LU_data)
SparseSliceGrad(backprop_val_grad, indices, start, new_indices) -> sliced(backprop_val_grad, indices, start, new_indices)
SparseFillEmptyRowsGrad(reverse_index_map, grad_values) -> filled(reverse_index_map, grad_values)
SparseSegmentSumGrad(grad, indices, segment_ids, output_dim0) -> segments(grad, indices, segment_ids, int(output_dim0), 0)
SparseSegmentMeanGrad(x, indices, segment_ids, output_dim0) -> segments(x, indices, segment_ids, int(output_dim0), 1)
SparseSegmentSqrtNGrad(x, indices, segment_ids, output_dim0) -> segments(x, indices, segment_ids, int(output_dim0), 0.5)
""",
    public="msjax.ops.generated.gradients",
    P=P,
    back=pulled_back,
    pushed=pushed,
    ints=ints,
    nothing=nothing,
    space=space,
    inner=inner,
    offsets=offsets,
    pooled_regions=pooled_regions,
    resize=resize,
    layered_again=layered_again,
    nchw=need_nchw,
    placed=pooling_gradients.add_at,
    taken=pooling_gradients.take_at,
    tiles=pooling_gradients.tile_gradient,
    normed=pooling_gradients.batch_norm_gradient,
    layered=pooling_gradients.layer_norm_gradient,
    igamma=pooling_gradients.igamma_gradient,
    softened=pooling_gradients.softmax_gradient,
    median=pooling_gradients.median_gradient,
    selected=pooling_gradients.spread_selected,
    sliced=pooling_gradients.sparse_slice_gradient,
    filled=pooling_gradients.empty_rows_gradient,
    segments=pooling_gradients.segment_gradient,
    factors=pooling_gradients.lu_gradient,
    distances=pooling_gradients.cdist_gradient,
    pairs=pooling_gradients.pdist_gradient,
)

__getattr__, __dir__ = TABLE.attach(TABLE.make_class)
