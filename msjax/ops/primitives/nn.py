"""Network operators in class form: `ops.Conv2D(8, 3, pad_mode="same")(x, weight)`."""

from msjax.core import dtype as dtypes
from msjax.ops.common.name_table import attach_classes

ROWS = """
# activations
nn.activation_piecewise: ReLU6=relu6 PReLU=prelu HSwish=hardswish HSigmoid=hardsigmoid
nn.activation_smooth: Sigmoid=sigmoid Tanh=tanh SeLU=selu FastGeLU=fast_gelu Mish=mish Softsign=softsign
primitives.nn: Gelu=GeLU FastGelu=FastGeLU
ReLU(input) -> nn.activation_piecewise.relu
HShrink(lambd=0.5)(...) -> nn.activation_piecewise.hardshrink
SoftShrink(lambd=0.5)(...) -> nn.activation_piecewise.softshrink
Elu(alpha=1.0)(...) -> nn.activation_smooth.elu
CeLU(alpha=1.0)(...) -> nn.activation_smooth.celu
GeLU(input) -> nn.activation_smooth.gelu
    return _target(input, 'tanh')
Softplus(x: input) -> nn.activation_smooth.softplus
Softmax(axis=-1)(input) -> nn.activation_smooth.softmax
LogSoftmax(axis=-1)(...) -> nn.activation_smooth.log_softmax
Logit(eps=-1.0)(input) -> nn.activation_smooth.logit
    return _target(input, None if self.eps == -1 else self.eps)
GLU(axis=-1)(...) -> nn.activation_smooth.glu

# convolution, dense
nn.linear: Dense=dense
Conv2D(out_channel, kernel_size, mode=1, pad_mode='valid', pad: padding = 0, stride=1, dilation=1, group: groups = 1,
    data_format='NCHW')(x: input, weight) -> nn.convolution.conv2d
    need_nchw(self.name, self.data_format)
    check_kernel(self.name, weight, self.out_channel, self.kernel_size, self.mode, 0)
Conv3D(out_channel, kernel_size, mode=1, pad_mode='valid', pad: padding = 0, stride=1, dilation=1, group: groups = 1,
    data_format='NCDHW')(x: input, weight) -> nn.convolution.conv3d
    need_nchw(self.name, self.data_format)
    check_kernel(self.name, weight, self.out_channel, self.kernel_size, self.mode, 0)
Conv2DBackpropInput(out_channel: _, kernel_size: _, pad_mode='valid', pad: padding = 0, pad_list: _ = None, mode=1,
    stride=1, dilation=1, group: groups = 1, data_format='NCHW')(dout, weight, input_size) ->
    nn.conv_input_grad.conv_backprop_input
    need_nchw(self.name, self.data_format)
    check_kernel(self.name, weight, weight.shape[0], tuple(weight.shape[2:]), self.mode)
Conv2DTranspose(out_channel: _, kernel_size: _, pad_mode='valid', pad: padding = 0, pad_list: _ = None, mode=1, stride=1,
    dilation=1, group: groups = 1, data_format='NCHW')(dout, weight, input_size) -> nn.conv_input_grad.conv_backprop_input
    need_nchw(self.name, self.data_format)
    check_kernel(self.name, weight, weight.shape[0], tuple(weight.shape[2:]), self.mode)
Conv3DTranspose(in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', pad: padding = 0, stride=1, dilation=1,
    group: groups = 1, output_padding=0, data_format='NCDHW')(dout: input, weight, bias=None) ->
    nn.convolution.conv_transpose
    need_nchw(self.name, self.data_format)
    check_kernel(self.name, weight, self.in_channel, self.kernel_size, self.mode, 0)
    out_channel = self.out_channel
BiasAdd(data_format='NCHW')(...) -> nn.linear.bias_add
    need_nchw('BiasAdd', self.data_format)

# pooling
MaxPool(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x) -> primitive_impl.nn.max_pool
    need_nchw(self.name, self.data_format)
    return _target(x, 2, self.kernel_size, self.strides, self.pad_mode)
MaxPool3D(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, data_format='NCDHW')(x) ->
    primitive_impl.nn.max_pool
    need_nchw(self.name, self.data_format)
    return _target(x, 3, self.kernel_size, self.strides, self.pad_mode, self.pad_list, bool(self.ceil_mode))
MaxPoolWithArgmax(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x) -> primitive_impl.nn.max_pool_argmax
    need_nchw(self.name, self.data_format)
MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type: _ = int64)(x) ->
    nn.pooling.max_pool2d
    return _target(x, self.kernel_size, self.strides, self.pads, self.dilation, True, self.ceil_mode)
AvgPool(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x) -> primitive_impl.nn.avg_pool
    need_nchw(self.name, self.data_format)
    return _target(x, 2, self.kernel_size, self.strides, self.pad_mode)
AvgPool3D(kernel_size=1, strides=1, pad_mode='valid', pad: padding = 0, ceil_mode=False, count_include_pad=True,
    divisor_override=0, data_format='NCDHW')(x) -> primitive_impl.nn.avg_pool
    need_nchw(self.name, self.data_format)
    return _target(x, 3, self.kernel_size, self.strides, self.pad_mode, self.pad, self.ceil_mode, self.count_include_pad,
        self.divisor_override)
AdaptiveAvgPool2D(output_size)(x: input) -> nn.adaptive_pooling.adaptive_avg_pool2d
AdaptiveAvgPool3D(output_size)(x: input) -> nn.adaptive_pooling.adaptive_avg_pool3d
AdaptiveMaxPool2D(output_size)(input) -> nn.adaptive_pooling.adaptive_max_pool2d
    return _target(input, self.output_size, True)
AdaptiveMaxPool3D(x: input, output_size) -> nn.adaptive_pooling.adaptive_max_pool3d
    return _target(x, output_size, True)
MaxUnpool3D(ksize: kernel_size, strides: stride = 0, pads: padding = 0, output_shape: output_size = (),
    data_format='NCDHW')(x, argmax: indices) -> nn.adaptive_pooling.max_unpool3d
    need_nchw(self.name, self.data_format)
MaxUnpool2D(ksize: kernel_size, strides: stride = 0, pads: padding = 0, output_shape: output_size = (),
    data_format='NCHW')(x, argmax: indices) -> nn.adaptive_pooling.max_unpool2d
    need_nchw(self.name, self.data_format)

# normalization
BatchNorm(is_training: training = False, epsilon: eps = 1e-05, momentum=0.1, data_format='NCHW')(input_x, scale, bias,
    mean, variance) -> primitive_impl.nn.batch_norm_outputs
    need_nchw(self.name, self.data_format)
LayerNorm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-07)(...) -> nn.normalization.layer_norm_statistics
L2Normalize(axis=0, epsilon=0.0001)(...) -> nn.rms_lrn_norm.l2_normalize
LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')(...) -> nn.rms_lrn_norm.lrn
RmsNorm(epsilon=1e-06)(...) -> nn.rms_lrn_norm.rms_norm

# losses
primitive_impl.nn: SoftmaxCrossEntropyWithLogits=softmax_cross_entropy_and_gradient
    SigmoidCrossEntropyWithLogits=sigmoid_cross_entropy
SparseSoftmaxCrossEntropyWithLogits(is_grad=False)(...) -> primitive_impl.nn.sparse_softmax_cross_entropy
NLLLoss(reduction='mean', ignore_index=-100)(...) -> primitive_impl.nn.nll_loss_and_weight
BinaryCrossEntropy(reduction='mean')(input: logits, target: labels, weight=None) -> nn.loss.binary_cross_entropy
BCEWithLogitsLoss(reduction='mean')(input, target, weight=None, posWeight: pos_weight = None) ->
    nn.loss.binary_cross_entropy_with_logits
KLDivLoss(reduction='mean')(...) -> nn.loss.kl_div
SmoothL1Loss(beta=1.0, reduction='none')(prediction: input, target) -> nn.loss.smooth_l1_loss
SoftMarginLoss(reduction='mean')(...) -> nn.loss_margin.soft_margin_loss
MultiMarginLoss(p=1, margin=1.0, reduction='mean')(x: input, target, weight=None) -> nn.loss_margin.multi_margin_loss
TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean')(x: anchor, positive, negative, margin) ->
    nn.loss_margin.triplet_margin_loss
    margin = float(margin)

# dropout, lookup
Dropout(keep_prob=0.5, Seed0: _ = 0, Seed1: _ = 0)(x) -> nn.dropout.dropout_and_mask
    return _target(x, 1 - self.keep_prob)
Dropout2D(keep_prob=0.5)(...) -> primitive_impl.nn.dropped_channels
Dropout3D(keep_prob=0.5)(...) -> primitive_impl.nn.dropped_channels
EmbeddingLookup(input_params, input_indices, offset) -> nn.embeddings.embedding_lookup

# random numbers
StandardNormal(seed: _ = 0, seed2: _ = 0)(shape) -> random.draws.standard_normal
StandardLaplace(seed: _ = 0, seed2: _ = 0)(shape) -> random.distributions.standard_laplace
UniformReal(seed: _ = 0, seed2: _ = 0)(shape) -> random.draws.uniform_of
UniformInt(seed: _ = 0, seed2: _ = 0)(shape, minval, maxval) -> random.draws.uniform
    return _target(shape, minval, maxval, dtype=int32)
TruncatedNormal(dtype=float32, seed: _ = 0, seed2: _ = 0)(shape) -> random.draws.truncated_normal
Gamma(seed: _ = 0, seed2: _ = 0)(shape, alpha, beta) -> random.distributions.gamma
RandomGamma(seed: _ = 0, seed2: _ = 0)(shape, alpha) -> random.distributions.random_gamma
Poisson(seed: _ = 0, seed2: _ = 0)(shape, mean) -> random.distributions.poisson
RandomPoisson(seed: _ = 0, seed2: _ = 0, dtype=int64)(shape, rate) -> random.distributions.random_poisson
Multinomial(seed: _ = 0, seed2: _ = 0, dtype: _ = int32)(x: input, num_samples) -> random.distributions.multinomial
    return _target(x, num_samples).astype(self.dtype)
RandomCategorical(dtype=int64)(logits, num_sample, seed=0) -> random.distributions.random_categorical
    with self.drawing(seed): return _target(logits, num_sample, seed, self.dtype)
RandomShuffle(seed: _ = 0, seed2: _ = 0)(x) -> random.distributions.shuffle
RandpermV2(seed=0, offset=0, dtype=int64)(...) -> random.distributions.randperm
Bernoulli(seed: _ = -1, offset: _ = 0)(x: input, p) -> random.distributions.bernoulli
    with self.drawing(self.seed, self.offset, fixed=self.seed >= 0):
        return _target(x, p)
"""

__getattr__, __dir__ = attach_classes(
    __name__,
    ROWS,
    need_nchw="primitive_impl.nn.need_nchw",
    check_kernel="primitive_impl.nn.check_kernel",
    int64=dtypes.int64,
    int32=dtypes.int32,
    float32=dtypes.float32,
)
