"""Rarer operators in class form: sequence losses, fractional pooling, recurrent layers.

As in `primitives.math`, one line makes one class.
"""

# fmt: off
import functools

from msjax.core import dtype as dtypes
from msjax.ops.common.adapters import primitive
from msjax.ops.nn import (
             activation_smooth,
             attention,
             ctc,
             fractional_pooling,
             pooling,
             recurrent_classes,
             rnnt_loss,
)
from msjax.ops.primitive_impl import nn
from msjax.ops.primitive_impl.nn import need_nchw

_p = functools.partial(primitive, module=__name__)

# ---------------------------------------------------------------------- connectionist temporal classification

CTCLoss = _p("CTCLoss", ctc.ctc_loss_of_logits, "(preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
             "ignore_longer_outputs_than_inputs=False)")
CTCLossV2 = _p("CTCLossV2", ctc.ctc_losses, "(blank=0, reduction='none', zero_infinity=False)")
CTCGreedyDecoder = _p("CTCGreedyDecoder", ctc.ctc_greedy_decoder, "(merge_repeated=True)")

# ---------------------------------------------------------------------- pooling

_TILED = "(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0)"
FractionalMaxPool = _p("FractionalMaxPool", fractional_pooling.tiled_pool, _TILED, "(x)")
FractionalAvgPool = _p("FractionalAvgPool", fractional_pooling.tiled_pool, _TILED, "(x)",
                       fix="return _target(x, self.pooling_ratio, self.pseudo_random, self.overlapping, "
                       "self.deterministic, self.seed, self.seed2, True)")
FractionalMaxPoolWithFixedKsize = _p("FractionalMaxPoolWithFixedKsize", fractional_pooling.fixed_max_pool2d,
                                     "(ksize, output_shape, data_format='NCHW')")
FractionalMaxPool3DWithFixedKsize = _p("FractionalMaxPool3DWithFixedKsize", fractional_pooling.fixed_max_pool3d,
                                       "(ksize, output_shape, data_format='NCDHW')")
MaxPool3DWithArgmax = _p("MaxPool3DWithArgmax", pooling.max_pool3d, "(ksize, strides, pads, dilation=(1, 1, 1), "
                         "ceil_mode=False, data_format='NCDHW', argmax_type=int64)", "(x)",
                         fix="need_nchw(self.name, self.data_format)\n"
                         "y, at = _target(x, self.ksize, self.strides, self.pads, self.dilation, self.ceil_mode, True)\n"
                         "return y, at.astype(self.argmax_type)", int64=dtypes.int64, need_nchw=need_nchw)

# ---------------------------------------------------------------------- attention

# The first three of its outputs serve MindSpore's own backward pass; there is nothing in their places.
FlashAttentionScore = _p("FlashAttentionScore", attention.flash_attention_score, "(head_num, keep_prob=1.0, "
                         "scale_value=1.0, pre_tokens=2147483647, next_tokens=2147483647, inner_precise=0, "
                         "input_layout='BSH', sparse_mode=0)", "(query, key, value, real_shift=None, drop_mask=None, "
                         "padding_mask=None, attn_mask=None, prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None)",
                         fix="return None, None, None, _target(query, key, value, self.head_num, real_shift, drop_mask, "
                         "padding_mask, attn_mask, prefix, actual_seq_qlen, actual_seq_kvlen, self.keep_prob, "
                         "self.scale_value, self.pre_tokens, self.next_tokens, self.inner_precise, self.input_layout, "
                         "self.sparse_mode)")

# ---------------------------------------------------------------------- recurrent layers

LSTM = _p("LSTM", recurrent_classes.lstm_packed, "(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, "
          "proj_size=0)")
DynamicRNN = _p("DynamicRNN", recurrent_classes.dynamic_rnn, "(cell_type='LSTM', direction='UNIDIRECTIONAL', cell_depth=1, "
                "use_peephole=False, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True, activation='tanh', "
                "forget_bias=0.0, is_training=True)")
DynamicGRUV2 = _p("DynamicGRUV2", recurrent_classes.dynamic_gru, "(direction='UNIDIRECTIONAL', cell_depth=1, keep_prob=1.0, "
                  "cell_clip=-1.0, num_proj=0, time_major=True, activation='tanh', gate_order='rzh', reset_after=True, "
                  "is_training=True)")

# ---------------------------------------------------------------------- losses, softmax

MultilabelMarginLoss = _p("MultilabelMarginLoss", nn.multilabel_margin_loss_and_targets, "(reduction='mean')",
                          "(x, target)", "x=input")
RNNTLoss = _p("RNNTLoss", rnnt_loss.rnnt_loss, "(blank_label=0)")
LogSoftmaxExt = _p("LogSoftmaxExt", activation_smooth.log_softmax, "()", "(input, dim=None, dtype=None)",
                   fix="input = input if dtype is None else input.astype(dtype)\n"
                   "return _target(input, (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim)")
