"""The class form of rarer operators: losses of sequences, fractional pooling, recurrent layers.

As in `primitives`, one line makes one class.
"""

# fmt: off
import functools

from msjax.core import dtype as dtypes
from msjax.ops import ctc, fractional, pooling
from msjax.ops._names import primitive
from msjax.ops.class_only_nn import need_nchw

_p = functools.partial(primitive, module=__name__)

# ---------------------------------------------------------------------- connectionist temporal classification

CTCLoss = _p("CTCLoss", ctc.ctc_loss_of_logits, "(preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
             "ignore_longer_outputs_than_inputs=False)")
CTCLossV2 = _p("CTCLossV2", ctc.ctc_losses, "(blank=0, reduction='none', zero_infinity=False)")
CTCGreedyDecoder = _p("CTCGreedyDecoder", ctc.ctc_greedy_decoder, "(merge_repeated=True)")

# ---------------------------------------------------------------------- pooling

_TILED = "(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0)"
FractionalMaxPool = _p("FractionalMaxPool", fractional.tiled_pool, _TILED, "(x)")
FractionalAvgPool = _p("FractionalAvgPool", fractional.tiled_pool, _TILED, "(x)",
                       fix="return _target(x, self.pooling_ratio, self.pseudo_random, self.overlapping, "
                       "self.deterministic, self.seed, self.seed2, True)")
FractionalMaxPoolWithFixedKsize = _p("FractionalMaxPoolWithFixedKsize", fractional.fixed_max_pool2d,
                                     "(ksize, output_shape, data_format='NCHW')")
FractionalMaxPool3DWithFixedKsize = _p("FractionalMaxPool3DWithFixedKsize", fractional.fixed_max_pool3d,
                                       "(ksize, output_shape, data_format='NCDHW')")
MaxPool3DWithArgmax = _p("MaxPool3DWithArgmax", pooling.max_pool3d, "(ksize, strides, pads, dilation=(1, 1, 1), "
                         "ceil_mode=False, data_format='NCDHW', argmax_type=int64)", "(x)",
                         fix="need_nchw(self.name, self.data_format)\n"
                         "y, at = _target(x, self.ksize, self.strides, self.pads, self.dilation, self.ceil_mode, True)\n"
                         "return y, at.astype(self.argmax_type)", int64=dtypes.int64, need_nchw=need_nchw)
