"""The transforms under the name that they had in MindSpore 1.x, where these were written in C++."""

from msjax.dataset.transforms.transforms import Compose as Compose
from msjax.dataset.transforms.transforms import Concatenate as Concatenate
from msjax.dataset.transforms.transforms import Duplicate as Duplicate
from msjax.dataset.transforms.transforms import Fill as Fill
from msjax.dataset.transforms.transforms import Mask as Mask
from msjax.dataset.transforms.transforms import OneHot as OneHot
from msjax.dataset.transforms.transforms import PadEnd as PadEnd
from msjax.dataset.transforms.transforms import RandomApply as RandomApply
from msjax.dataset.transforms.transforms import RandomChoice as RandomChoice
from msjax.dataset.transforms.transforms import Relational as Relational
from msjax.dataset.transforms.transforms import Slice as Slice
from msjax.dataset.transforms.transforms import TypeCast as TypeCast
from msjax.dataset.transforms.transforms import Unique as Unique
