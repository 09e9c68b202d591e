"""Names of `mint.nn.functional` whose signature is not the operator's (see `_tables`)."""

from msjax.mint._tables import attach

__getattr__, __dir__ = attach(
    __name__,
    """
# activations
elu(input: input_x, alpha=1.0, inplace=False) -> ops.nn.activation_smooth.elu
elu_(input: input_x, alpha=1.0) -> ops.nn.activation_smooth.elu
gelu(input, *, approximate='none') -> ops.nn.activation_smooth.gelu
glu(input: x, dim: axis = -1) -> ops.nn.activation_smooth.glu
hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False) -> mint._activations.hardtanh
hardtanh_(input, min_val=-1, max_val=1) -> mint._activations.hardtanh
leaky_relu(input, negative_slope=0.01) -> mint._activations.leaky_relu
log_softmax(input: logits, dim: axis = None, *, dtype=None) -> ops.nn.activation_smooth.log_softmax
    dim = _implicit(input, dim)
    if dtype is not None: input = _astype(input, dtype)
logsigmoid(input: x) -> ops.nn.activation_smooth.logsigmoid
mish(input: x) -> ops.nn.activation_smooth.mish
relu_(input) -> ops.nn.activation_piecewise.relu
relu6(input, inplace=False) -> mint._activations.relu6
selu(input: input_x) -> ops.nn.activation_smooth.selu
    _no_whole('selu', input)
sigmoid_(input) -> ops.nn.activation_smooth.sigmoid
silu(input, inplace=False) -> ops.nn.activation_smooth.silu
softmax(input, dim: axis = None, dtype=None) -> ops.nn.activation_smooth.softmax
    dim = _implicit(input, dim)
threshold(input, threshold, value, inplace=False) -> mint._activations.apply_threshold
threshold_(input, threshold, value) -> mint._activations.apply_threshold

# convolution, pooling
avg_pool1d(input: input_x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) ->
    ops.nn.pooling.avg_pool1d
    stride = _window(kernel_size, stride)
avg_pool2d(input: input_x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None) -> ops.nn.pooling.avg_pool2d
    stride = _window(kernel_size, stride)
    divisor_override = divisor_override or 0
avg_pool3d(input: input_x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None) -> ops.nn.pooling.avg_pool3d
    stride = _window(kernel_size, stride)
    divisor_override = divisor_override or 0
max_pool2d(input: x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False) ->
    ops.nn.pooling.max_pool2d
    stride = _window(kernel_size, stride)
max_unpool2d(input: x, indices, kernel_size, stride=None, padding=0, output_size=None) ->
    ops.nn.adaptive_pooling.max_unpool2d

# normalization, dropout
batch_norm(input: input_x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05) ->
    ops.nn.normalization.batch_norm
dropout(input, p=0.5, training=True, inplace=False) -> ops.nn.dropout.drop_in_training
dropout2d(input, p=0.5, training=True, inplace=False) -> ops.nn.dropout.dropout2d

# losses
binary_cross_entropy(input: logits, target: labels, weight=None, reduction='mean') -> ops.nn.loss.binary_cross_entropy
binary_cross_entropy_with_logits(input, target, weight=None, reduction='mean', pos_weight=None) ->
    ops.nn.loss.binary_cross_entropy_with_logits
nll_loss(input: inputs, target, weight=None, ignore_index=-100, reduction='mean') -> ops.nn.loss.nll_loss
    _no_whole('nll_loss', input)
    weight = None if weight is None else weight.astype(input.dtype)
smooth_l1_loss(input, target, reduction='mean', beta=1.0) -> ops.nn.loss.smooth_l1_loss

# layout
pad(input: input_x, pad: padding, mode='constant', value=None) -> ops.array.padding.pad
    if mode != 'constant' and not value: value = None
""",
)
