"""Kernel registrations for Ascend, AiCPU, TBE and AKG: accepted and recorded, because XLA makes the kernels here."""

from collections.abc import Callable
from typing import Any

from msjax.ops.common import checks


class _Pairs(type):
    """`DataType.F32_NCHW` is ("float32", "NCHW")."""

    _KINDS = {
        "BOOL": "bool", "I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32",
        "I64": "int64", "U64": "uint64", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16",
        "C64": "complex64", "C128": "complex128", "None": "", "I4": "int4", "STR": "string",
    }  # fmt: skip
    _LAYOUTS = {"Default": "DefaultFormat", "None": "", "Frac": "FRACTAL_NZ", "FracZ": "FRACTAL_Z"}

    def __getattr__(cls, name: str) -> tuple[str, str]:
        kind, _, layout = name.partition("_")
        if kind not in cls._KINDS or not layout:
            raise AttributeError(f"`DataType` has no {name!r}.")
        return cls._KINDS[kind], cls._LAYOUTS.get(layout, layout)


class DataType(metaclass=_Pairs):
    """Pairs of a dtype and a layout, for registrations of kernels.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.DataType.F32_NCHW
        ('float32', 'NCHW')
    """


class RegOp:
    """A registration of a kernel for another device: each method keeps its arguments, `get_op_info` returns all.

    Args:
        op_name (str): of the operator.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.CustomRegOp("Add").input(0, "x").target("Ascend").get_op_info()["target"]
        ['Ascend']
    """

    def __init__(self, op_name: str = "Custom") -> None:
        if not isinstance(op_name, str) or not op_name:
            checks.fail(ValueError, type(self).__name__, "op_name", "be a str that is not empty", op_name)
        self._kept: dict[str, Any] = {"op_name": op_name}

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("_"):
            raise AttributeError(name)

        def keep(*args: Any, **kwargs: Any) -> "RegOp":
            row = (*args, kwargs) if kwargs else args
            self._kept.setdefault(name, []).append(row[0] if len(row) == 1 else row)
            return self

        return keep

    def get_op_info(self) -> dict[str, Any]:
        """All that was given."""
        return dict(self._kept)


class AiCPURegOp(RegOp):
    """A registration for AiCPU."""


class TBERegOp(RegOp):
    """A registration for TBE."""


class CpuRegOp(RegOp):
    """A registration for MindSpore's CPU kernels."""


class AkgAscendRegOp(RegOp):
    """A registration for AKG on Ascend."""


class AkgGpuRegOp(RegOp):
    """A registration for AKG on GPU."""


class CustomRegOp(RegOp):
    """A registration for `Custom`."""


def op_info_register(op_info: Any) -> Callable:
    """Return a decorator that gives the function as it is: XLA makes the kernels.

    Args:
        op_info (str, dict): accepted.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.op_info_register({})(max)(1, 2)
        2
    """
    return lambda fn: fn


def custom_info_register(*reg_info: Any) -> Callable:
    """Return a decorator that gives the function as it is, with the registrations as an attribute.

    Args:
        reg_info (dict): what `CustomRegOp.get_op_info` gave.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.custom_info_register({})(lambda x: x)(2)
        2
    """

    def keep(fn: Any) -> Any:
        fn.reg_info = reg_info
        return fn

    return keep
