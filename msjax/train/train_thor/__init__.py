"""Conversion of networks and models for the second-order optimizer THOR."""

from msjax.train.train_thor.convert_utils import ConvertModelUtils as ConvertModelUtils
from msjax.train.train_thor.convert_utils import ConvertNetUtils as ConvertNetUtils
from msjax.train.train_thor.model_thor import ModelThor as ModelThor
