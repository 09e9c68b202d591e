"""Generic transforms for any column (`mindspore.dataset.transforms`)."""

from typing import Any

from msjax.dataset.common import placeholders as _absent
from msjax.dataset.transforms import c_transforms as c_transforms
from msjax.dataset.transforms import py_transforms as py_transforms
from msjax.dataset.transforms.transforms import Compose as Compose
from msjax.dataset.transforms.transforms import Concatenate as Concatenate
from msjax.dataset.transforms.transforms import Duplicate as Duplicate
from msjax.dataset.transforms.transforms import Fill as Fill
from msjax.dataset.transforms.transforms import Mask as Mask
from msjax.dataset.transforms.transforms import OneHot as OneHot
from msjax.dataset.transforms.transforms import PadEnd as PadEnd
from msjax.dataset.transforms.transforms import RandomApply as RandomApply
from msjax.dataset.transforms.transforms import RandomChoice as RandomChoice
from msjax.dataset.transforms.transforms import RandomOrder as RandomOrder
from msjax.dataset.transforms.transforms import Relational as Relational
from msjax.dataset.transforms.transforms import Slice as Slice
from msjax.dataset.transforms.transforms import TypeCast as TypeCast
from msjax.dataset.transforms.transforms import Unique as Unique
from msjax.dataset.transforms.transforms import not_random as not_random


def __getattr__(name: str) -> Any:
    return _absent.transform_placeholder(__name__, name, {"Plugin"})
