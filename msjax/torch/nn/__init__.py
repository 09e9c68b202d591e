"""`torch.nn`: modules whose Parameters record. Names only."""

from msjax.torch.nn import functional as functional
from msjax.torch.nn import utils as utils
from msjax.torch.nn.layers import CrossEntropyLoss as CrossEntropyLoss
from msjax.torch.nn.layers import Flatten as Flatten
from msjax.torch.nn.layers import Identity as Identity
from msjax.torch.nn.layers import L1Loss as L1Loss
from msjax.torch.nn.layers import Linear as Linear
from msjax.torch.nn.layers import MSELoss as MSELoss
from msjax.torch.nn.layers import ReLU as ReLU
from msjax.torch.nn.layers import Sequential as Sequential
from msjax.torch.nn.layers import Sigmoid as Sigmoid
from msjax.torch.nn.layers import Tanh as Tanh
from msjax.torch.nn.module import Module as Module
from msjax.torch.nn.module import Parameter as Parameter
