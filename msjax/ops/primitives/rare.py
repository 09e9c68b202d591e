"""Rarer operators in class form: sequence losses, fractional pooling, recurrent layers."""

from msjax.core import dtype as dtypes
from msjax.ops.common.name_table import attach_classes

ROWS = """
# connectionist temporal classification
CTCLoss(preprocess_collapse_repeated=False, ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False)(...) ->
    nn.ctc.ctc_loss_of_logits
CTCLossV2(blank=0, reduction='none', zero_infinity=False)(...) -> nn.ctc.ctc_losses
CTCGreedyDecoder(merge_repeated=True)(...) -> nn.ctc.ctc_greedy_decoder

# pooling
FractionalMaxPool(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0)(x) ->
    nn.fractional_pooling.tiled_pool
FractionalAvgPool(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0)(x) ->
    nn.fractional_pooling.tiled_pool
    return _target(x, self.pooling_ratio, self.pseudo_random, self.overlapping, self.deterministic, self.seed, self.seed2,
        True)
FractionalMaxPoolWithFixedKsize(ksize, output_shape, data_format='NCHW')(...) -> nn.fractional_pooling.fixed_max_pool2d
FractionalMaxPool3DWithFixedKsize(ksize, output_shape, data_format='NCDHW')(...) -> nn.fractional_pooling.fixed_max_pool3d
MaxPool3DWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format='NCDHW',
    argmax_type=int64)(x) -> nn.pooling.max_pool3d
    need_nchw(self.name, self.data_format)
    y, at = _target(x, self.ksize, self.strides, self.pads, self.dilation, self.ceil_mode, True)
    return y, at.astype(self.argmax_type)

# attention
# The first three of its outputs serve MindSpore's own backward pass; there is nothing in their places.
FlashAttentionScore(head_num, keep_prob=1.0, scale_value=1.0, pre_tokens=2147483647, next_tokens=2147483647,
    inner_precise=0, input_layout='BSH', sparse_mode=0)(query, key, value, real_shift=None, drop_mask=None,
    padding_mask=None, attn_mask=None, prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None) ->
    nn.attention.flash_attention_score
    return None, None, None, _target(query, key, value, self.head_num, real_shift, drop_mask, padding_mask, attn_mask,
        prefix, actual_seq_qlen, actual_seq_kvlen, self.keep_prob, self.scale_value, self.pre_tokens, self.next_tokens,
        self.inner_precise, self.input_layout, self.sparse_mode)

# recurrent layers
LSTM(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0)(...) ->
    nn.recurrent_classes.lstm_packed
DynamicRNN(cell_type='LSTM', direction='UNIDIRECTIONAL', cell_depth=1, use_peephole=False, keep_prob=1.0, cell_clip=-1.0,
    num_proj=0, time_major=True, activation='tanh', forget_bias=0.0, is_training=True)(...) ->
    nn.recurrent_classes.dynamic_rnn
DynamicGRUV2(direction='UNIDIRECTIONAL', cell_depth=1, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True,
    activation='tanh', gate_order='rzh', reset_after=True, is_training=True)(...) -> nn.recurrent_classes.dynamic_gru

# losses, softmax
MultilabelMarginLoss(reduction='mean')(x: input, target) -> primitive_impl.nn.multilabel_margin_loss_and_targets
RNNTLoss(blank_label=0)(...) -> nn.rnnt_loss.rnnt_loss
LogSoftmaxExt(input, dim=None, dtype=None) -> nn.activation_smooth.log_softmax
    input = input if dtype is None else input.astype(dtype)
    return _target(input, (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim)
"""

__getattr__, __dir__ = attach_classes(
    __name__, ROWS, int64=dtypes.int64, need_nchw="primitive_impl.nn.need_nchw"
)
