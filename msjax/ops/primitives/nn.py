"""Network operators in class form: `ops.Conv2D(8, 3, pad_mode="same")(x, weight)`.

One line makes one class: its name, the function that it calls, the signature of the constructor, that of a call, and
which parameter of the function is meant where names differ. `fix` runs before the call.
"""

# fmt: off
import functools

from msjax.core import dtype as dtypes
from msjax.ops.common.adapters import primitive
from msjax.ops.nn import (
    activation_piecewise,
    activation_smooth,
    adaptive_pooling,
    loss,
    loss_margin,
    normalization,
    pooling,
    rms_lrn_norm,
)
from msjax.ops.nn.conv_input_grad import conv_backprop_input
from msjax.ops.nn.convolution import conv2d, conv3d, conv_transpose
from msjax.ops.nn.dropout import dropout_and_mask
from msjax.ops.nn.embeddings import embedding_lookup
from msjax.ops.nn.linear import bias_add, dense
from msjax.ops.primitive_impl import nn
from msjax.ops.primitive_impl.nn import check_kernel, need_nchw
from msjax.ops.random import distributions, draws

_p = functools.partial(primitive, module=__name__)
_X = ("()", "(x)", "x=input")
_SEEDS = "(seed=0, seed2=0)"


# ---------------------------------------------------------------------- activations

ReLU = _p("ReLU", activation_piecewise.relu, "()", "(input)")
ReLU6 = _p("ReLU6", activation_piecewise.relu6)
PReLU = _p("PReLU", activation_piecewise.prelu)
HSwish = _p("HSwish", activation_piecewise.hardswish)
HSigmoid = _p("HSigmoid", activation_piecewise.hardsigmoid)
HShrink = _p("HShrink", activation_piecewise.hardshrink, "(lambd=0.5)")
SoftShrink = _p("SoftShrink", activation_piecewise.softshrink, "(lambd=0.5)")
Sigmoid = _p("Sigmoid", activation_smooth.sigmoid)
Tanh = _p("Tanh", activation_smooth.tanh)
Elu = _p("Elu", activation_smooth.elu, "(alpha=1.0)")
SeLU = _p("SeLU", activation_smooth.selu)
CeLU = _p("CeLU", activation_smooth.celu, "(alpha=1.0)")
GeLU = Gelu = _p("GeLU", activation_smooth.gelu, "()", "(input)", fix="return _target(input, 'tanh')")
FastGeLU = FastGelu = _p("FastGeLU", activation_smooth.fast_gelu)
Mish = _p("Mish", activation_smooth.mish)
Softplus = _p("Softplus", activation_smooth.softplus, "()", "(x)", "x=input")
Softsign = _p("Softsign", activation_smooth.softsign)
Softmax = _p("Softmax", activation_smooth.softmax, "(axis=-1)", "(input)")
LogSoftmax = _p("LogSoftmax", activation_smooth.log_softmax, "(axis=-1)")
Logit = _p("Logit", activation_smooth.logit, "(eps=-1.0)", "(input)",
           fix="return _target(input, None if self.eps == -1 else self.eps)")
GLU = _p("GLU", activation_smooth.glu, "(axis=-1)")

# ---------------------------------------------------------------------- convolution, dense

_CONV = "(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, data_format='{}')"
_NAMES = "x=input pad=padding group=groups"
_CHECKS = """need_nchw(self.name, self.data_format)
check_kernel(self.name, weight, {}, self.kernel_size, self.mode, {})"""

Conv2D = _p("Conv2D", conv2d, _CONV.format("NCHW"), "(x, weight)", _NAMES, _CHECKS.format("self.out_channel", 0),
            need_nchw=need_nchw, check_kernel=check_kernel)
Conv3D = _p("Conv3D", conv3d, _CONV.format("NCDHW"), "(x, weight)", _NAMES, _CHECKS.format("self.out_channel", 0),
            need_nchw=need_nchw, check_kernel=check_kernel)
_LIKE_CONV2D = """(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, dilation=1,
    group=1, data_format='NCHW')"""
_BACK = (_LIKE_CONV2D, "(dout, weight, input_size)", "pad=padding group=groups",
         """need_nchw(self.name, self.data_format)
check_kernel(self.name, weight, weight.shape[0], tuple(weight.shape[2:]), self.mode)
(self.pad_list, self.out_channel, self.kernel_size)""")
Conv2DBackpropInput = _p("Conv2DBackpropInput", conv_backprop_input, *_BACK,
                         need_nchw=need_nchw, check_kernel=check_kernel)
Conv2DTranspose = _p("Conv2DTranspose", conv_backprop_input, *_BACK, need_nchw=need_nchw, check_kernel=check_kernel)
Conv3DTranspose = _p("Conv3DTranspose", conv_transpose,
                     "(in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, "
                     "group=1, output_padding=0, data_format='NCDHW')", "(dout, weight, bias=None)",
                     "dout=input pad=padding group=groups", _CHECKS.format("self.in_channel", 0)
                     + "\nout_channel = self.out_channel", need_nchw=need_nchw, check_kernel=check_kernel)
Dense = _p("Dense", dense)
BiasAdd = _p("BiasAdd", bias_add, "(data_format='NCHW')", fix="need_nchw('BiasAdd', self.data_format)",
             need_nchw=need_nchw)

# ---------------------------------------------------------------------- pooling

_FORMAT = "need_nchw(self.name, self.data_format)\n"
MaxPool = _p("MaxPool", nn.max_pool, "(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')",
             "(x)", fix=_FORMAT + "return _target(x, 2, self.kernel_size, self.strides, self.pad_mode)",
             need_nchw=need_nchw)
MaxPool3D = _p("MaxPool3D", nn.max_pool, "(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, "
               "ceil_mode=None, data_format='NCDHW')", "(x)", fix=_FORMAT + "return _target(x, 3, self.kernel_size, "
               "self.strides, self.pad_mode, self.pad_list, bool(self.ceil_mode))", need_nchw=need_nchw)
MaxPoolWithArgmax = _p("MaxPoolWithArgmax", nn.max_pool_argmax,
                       "(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')", "(x)",
                       fix=_FORMAT, need_nchw=need_nchw)
MaxPoolWithArgmaxV2 = _p("MaxPoolWithArgmaxV2", pooling.max_pool2d, "(kernel_size, strides=None, pads=0, "
                         "dilation=(1, 1), ceil_mode=False, argmax_type=int64)", "(x)", fix="return _target(x, "
                         "self.kernel_size, self.strides, self.pads, self.dilation, True, self.ceil_mode)  # int64: "
                         "self.argmax_type", int64=dtypes.int64)
AvgPool = _p("AvgPool", nn.avg_pool, "(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')",
             "(x)", fix=_FORMAT + "return _target(x, 2, self.kernel_size, self.strides, self.pad_mode)",
             need_nchw=need_nchw)
AvgPool3D = _p("AvgPool3D", nn.avg_pool, "(kernel_size=1, strides=1, pad_mode='valid', pad=0, "
               "ceil_mode=False, count_include_pad=True, divisor_override=0, data_format='NCDHW')", "(x)",
               "pad=padding", _FORMAT + "return _target(x, 3, self.kernel_size, self.strides, self.pad_mode, self.pad, "
               "self.ceil_mode, self.count_include_pad, self.divisor_override)", need_nchw=need_nchw)
AdaptiveAvgPool2D = _p("AdaptiveAvgPool2D", adaptive_pooling.adaptive_avg_pool2d, "(output_size)", *_X[1:])
AdaptiveAvgPool3D = _p("AdaptiveAvgPool3D", adaptive_pooling.adaptive_avg_pool3d, "(output_size)", *_X[1:])
AdaptiveMaxPool2D = _p("AdaptiveMaxPool2D", adaptive_pooling.adaptive_max_pool2d, "(output_size)", "(input)",
                       fix="return _target(input, self.output_size, True)")
AdaptiveMaxPool3D = _p("AdaptiveMaxPool3D", adaptive_pooling.adaptive_max_pool3d, "()", "(x, output_size)", "x=input",
                       "return _target(x, output_size, True)")
MaxUnpool3D = _p("MaxUnpool3D", adaptive_pooling.max_unpool3d, "(ksize, strides=0, pads=0, output_shape=(), "
                 "data_format='NCDHW')", "(x, argmax)",
                 "argmax=indices ksize=kernel_size strides=stride pads=padding output_shape=output_size",
                 _FORMAT, need_nchw=need_nchw)
MaxUnpool2D = _p("MaxUnpool2D", adaptive_pooling.max_unpool2d, "(ksize, strides=0, pads=0, output_shape=(), "
                 "data_format='NCHW')", "(x, argmax)",
                 "argmax=indices ksize=kernel_size strides=stride pads=padding output_shape=output_size",
                 _FORMAT, need_nchw=need_nchw)

# ---------------------------------------------------------------------- normalization

BatchNorm = _p("BatchNorm", nn.batch_norm_outputs,
               "(is_training=False, epsilon=1e-5, momentum=0.1, data_format='NCHW')",
               "(input_x, scale, bias, mean, variance)", "is_training=training epsilon=eps",
               _FORMAT, need_nchw=need_nchw)
LayerNorm = _p("LayerNorm", normalization.layer_norm_statistics,
               "(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)")
L2Normalize = _p("L2Normalize", rms_lrn_norm.l2_normalize, "(axis=0, epsilon=1e-4)")
LRN = _p("LRN", rms_lrn_norm.lrn, "(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')")
RmsNorm = _p("RmsNorm", rms_lrn_norm.rms_norm, "(epsilon=1e-6)")

# ---------------------------------------------------------------------- losses

SoftmaxCrossEntropyWithLogits = _p("SoftmaxCrossEntropyWithLogits", nn.softmax_cross_entropy_and_gradient)
SparseSoftmaxCrossEntropyWithLogits = _p("SparseSoftmaxCrossEntropyWithLogits",
                                         nn.sparse_softmax_cross_entropy, "(is_grad=False)")
SigmoidCrossEntropyWithLogits = _p("SigmoidCrossEntropyWithLogits", nn.sigmoid_cross_entropy)
NLLLoss = _p("NLLLoss", nn.nll_loss_and_weight, "(reduction='mean', ignore_index=-100)")
BinaryCrossEntropy = _p("BinaryCrossEntropy", loss.binary_cross_entropy, "(reduction='mean')",
                        "(input, target, weight=None)", "input=logits target=labels")
BCEWithLogitsLoss = _p("BCEWithLogitsLoss", loss.binary_cross_entropy_with_logits, "(reduction='mean')",
                       "(input, target, weight=None, posWeight=None)", "posWeight=pos_weight")
KLDivLoss = _p("KLDivLoss", loss.kl_div, "(reduction='mean')")
SmoothL1Loss = _p("SmoothL1Loss", loss.smooth_l1_loss, "(beta=1.0, reduction='none')", "(prediction, target)",
                  "prediction=input")
SoftMarginLoss = _p("SoftMarginLoss", loss_margin.soft_margin_loss, "(reduction='mean')")
MultiMarginLoss = _p("MultiMarginLoss", loss_margin.multi_margin_loss, "(p=1, margin=1.0, reduction='mean')",
                     "(x, target, weight=None)", "x=input")
TripletMarginLoss = _p("TripletMarginLoss", loss_margin.triplet_margin_loss,
                       "(p=2, swap=False, eps=1e-6, reduction='mean')", "(x, positive, negative, margin)", "x=anchor",
                       "margin = float(margin)")

# ---------------------------------------------------------------------- dropout, lookup

Dropout = _p("Dropout", dropout_and_mask, "(keep_prob=0.5, Seed0=0, Seed1=0)", "(x)",
             fix="return _target(x, 1 - self.keep_prob, None, self.Seed0 or self.Seed1 or None)")
Dropout2D = _p("Dropout2D", nn.dropped_channels, "(keep_prob=0.5)")
Dropout3D = _p("Dropout3D", nn.dropped_channels, "(keep_prob=0.5)")
EmbeddingLookup = _p("EmbeddingLookup", embedding_lookup, "()", "(input_params, input_indices, offset)")

# ---------------------------------------------------------------------- random numbers


def _seeded(call: str) -> str:
    """A call of the function with what comes before the seed, and the seed that either setting gives."""
    return f"return _target({call}, seed=self.seed or self.seed2 or None)"


StandardNormal = _p("StandardNormal", draws.standard_normal, _SEEDS, "(shape)", fix=_seeded("shape"))
StandardLaplace = _p("StandardLaplace", distributions.standard_laplace, _SEEDS, "(shape)", fix=_seeded("shape"))
UniformReal = _p("UniformReal", draws.uniform_of, _SEEDS, "(shape)", fix=_seeded("shape"))
UniformInt = _p("UniformInt", draws.uniform, _SEEDS, "(shape, minval, maxval)",
                fix=_seeded("shape, minval, maxval, dtype=int32"), int32=dtypes.int32)
TruncatedNormal = _p("TruncatedNormal", draws.truncated_normal, "(dtype=float32, seed=0, seed2=0)", "(shape)",
                     fix=_seeded("shape, self.dtype"), float32=dtypes.float32)
Gamma = _p("Gamma", distributions.gamma, _SEEDS, "(shape, alpha, beta)", fix=_seeded("shape, alpha, beta"))
RandomGamma = _p("RandomGamma", distributions.random_gamma, _SEEDS, "(shape, alpha)", fix=_seeded("shape, alpha"))
Poisson = _p("Poisson", distributions.poisson, _SEEDS, "(shape, mean)", fix=_seeded("shape, mean"))
RandomPoisson = _p("RandomPoisson", distributions.random_poisson, "(seed=0, seed2=0, dtype=int64)", "(shape, rate)",
                   fix=_seeded("shape, rate, dtype=self.dtype"), int64=dtypes.int64)
Multinomial = _p("Multinomial", distributions.multinomial, "(seed=0, seed2=0, dtype=int32)", "(x, num_samples)",
                 fix=_seeded("x, num_samples") + ".astype(self.dtype)", int32=dtypes.int32)
RandomCategorical = _p("RandomCategorical", distributions.random_categorical, "(dtype=int64)",
                       "(logits, num_sample, seed=0)", int64=dtypes.int64)
RandomShuffle = _p("RandomShuffle", distributions.shuffle, _SEEDS, "(x)", fix=_seeded("x"))
RandpermV2 = _p("RandpermV2", distributions.randperm, "(seed=0, offset=0, dtype=int64)", int64=dtypes.int64)
Bernoulli = _p("Bernoulli", distributions.bernoulli, "(seed=-1, offset=0)", "(x, p)",
               fix="return _target(x, p, None if self.seed < 0 else self.seed + self.offset)")
