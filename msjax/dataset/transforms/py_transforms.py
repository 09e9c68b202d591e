"""The transforms under the name that they had in MindSpore 1.x, where these were written in Python."""

from msjax.dataset.transforms.transforms import Compose as Compose
from msjax.dataset.transforms.transforms import OneHot as OneHotOp
from msjax.dataset.transforms.transforms import RandomApply as RandomApply
from msjax.dataset.transforms.transforms import RandomChoice as RandomChoice
from msjax.dataset.transforms.transforms import RandomOrder as RandomOrder

__all__ = ["Compose", "OneHotOp", "RandomApply", "RandomChoice", "RandomOrder"]
