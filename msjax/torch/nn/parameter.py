"""`torch.nn.parameter`. Names only."""

from typing import Any as _Any

from msjax.torch.functions import served_from_mint as _wider
from msjax.torch.nn.lazy import UninitializedParameter as UninitializedParameter
from msjax.torch.nn.lazy import is_lazy as is_lazy
from msjax.torch.nn.module import Buffer as Buffer
from msjax.torch.nn.module import Parameter as Parameter


def __getattr__(name: str) -> _Any:
    return _wider.make_placeholder("torch.nn.parameter", name)
