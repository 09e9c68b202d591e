"""`torch.nn`: neural network modules. Names only."""

from typing import Any as _Any

from msjax.torch.functions import served_from_mint as _wider
from msjax.torch.nn import activation as _activation
from msjax.torch.nn import attention as attention
from msjax.torch.nn import bags as _bags
from msjax.torch.nn import borders as _borders
from msjax.torch.nn import functional as functional
from msjax.torch.nn import init as init
from msjax.torch.nn import lazy as _lazy
from msjax.torch.nn import utils as utils
from msjax.torch.nn.activation import AlphaDropout as AlphaDropout
from msjax.torch.nn.activation import Dropout as Dropout
from msjax.torch.nn.activation import Dropout1d as Dropout1d
from msjax.torch.nn.activation import Dropout2d as Dropout2d
from msjax.torch.nn.activation import Dropout3d as Dropout3d
from msjax.torch.nn.activation import FeatureAlphaDropout as FeatureAlphaDropout
from msjax.torch.nn.activation import Hardtanh as Hardtanh
from msjax.torch.nn.activation import Identity as Identity
from msjax.torch.nn.activation import PReLU as PReLU
from msjax.torch.nn.activation import RReLU as RReLU
from msjax.torch.nn.activation import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from msjax.torch.nn.attention import MultiheadAttention as MultiheadAttention
from msjax.torch.nn.attention import Transformer as Transformer
from msjax.torch.nn.attention import TransformerDecoder as TransformerDecoder
from msjax.torch.nn.attention import TransformerDecoderLayer as TransformerDecoderLayer
from msjax.torch.nn.attention import TransformerEncoder as TransformerEncoder
from msjax.torch.nn.attention import TransformerEncoderLayer as TransformerEncoderLayer
from msjax.torch.nn.bags import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from msjax.torch.nn.bags import EmbeddingBag as EmbeddingBag
from msjax.torch.nn.borders import Softmax2d as Softmax2d
from msjax.torch.nn.borders import Upsample as Upsample
from msjax.torch.nn.borders import UpsamplingBilinear2d as UpsamplingBilinear2d
from msjax.torch.nn.borders import UpsamplingNearest2d as UpsamplingNearest2d
from msjax.torch.nn.containers import ModuleDict as ModuleDict
from msjax.torch.nn.containers import ModuleList as ModuleList
from msjax.torch.nn.containers import ParameterDict as ParameterDict
from msjax.torch.nn.containers import ParameterList as ParameterList
from msjax.torch.nn.containers import Sequential as Sequential
from msjax.torch.nn.convolution import Conv1d as Conv1d
from msjax.torch.nn.convolution import Conv2d as Conv2d
from msjax.torch.nn.convolution import Conv3d as Conv3d
from msjax.torch.nn.convolution import ConvTranspose1d as ConvTranspose1d
from msjax.torch.nn.convolution import ConvTranspose2d as ConvTranspose2d
from msjax.torch.nn.convolution import ConvTranspose3d as ConvTranspose3d
from msjax.torch.nn.layers import BatchNorm1d as BatchNorm1d
from msjax.torch.nn.layers import BatchNorm2d as BatchNorm2d
from msjax.torch.nn.layers import BatchNorm3d as BatchNorm3d
from msjax.torch.nn.layers import Bilinear as Bilinear
from msjax.torch.nn.layers import Embedding as Embedding
from msjax.torch.nn.layers import Flatten as Flatten
from msjax.torch.nn.layers import GroupNorm as GroupNorm
from msjax.torch.nn.layers import InstanceNorm1d as InstanceNorm1d
from msjax.torch.nn.layers import InstanceNorm2d as InstanceNorm2d
from msjax.torch.nn.layers import InstanceNorm3d as InstanceNorm3d
from msjax.torch.nn.layers import LayerNorm as LayerNorm
from msjax.torch.nn.layers import Linear as Linear
from msjax.torch.nn.layers import RMSNorm as RMSNorm
from msjax.torch.nn.layers import SyncBatchNorm as SyncBatchNorm
from msjax.torch.nn.layers import Unflatten as Unflatten
from msjax.torch.nn.lazy import UninitializedParameter as UninitializedParameter
from msjax.torch.nn.module import Buffer as Buffer
from msjax.torch.nn.module import Module as Module
from msjax.torch.nn.module import Parameter as Parameter
from msjax.torch.nn.recurrent import GRU as GRU
from msjax.torch.nn.recurrent import LSTM as LSTM
from msjax.torch.nn.recurrent import RNN as RNN
from msjax.torch.nn.recurrent import GRUCell as GRUCell
from msjax.torch.nn.recurrent import LSTMCell as LSTMCell
from msjax.torch.nn.recurrent import RNNBase as RNNBase
from msjax.torch.nn.recurrent import RNNCell as RNNCell
from msjax.torch.nn.recurrent import RNNCellBase as RNNCellBase

globals().update(
    {name: getattr(_activation, name) for name in _activation.NAMES} | _borders.MADE | _lazy.MADE
)
# They are made of layers, which stand above the functions.
functional.__dict__.update(
    embedding_bag=_bags.embedding_bag, multi_head_attention_forward=attention.multi_head_attention_forward
)


def __getattr__(name: str) -> _Any:
    return _wider.make_placeholder("torch.nn", name)
