"""Networks for the second-order optimizer THOR."""

from msjax.train.train_thor.convert_utils import ConvertModelUtils as ConvertModelUtils
from msjax.train.train_thor.convert_utils import ConvertNetUtils as ConvertNetUtils
