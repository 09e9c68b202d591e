"""Classes of dtypes: `isinstance(x.dtype, typing.Float)`, and `typing.Float(32)` is `float32`."""

from typing import Any

from msjax.core import dtype as _dtypes
from msjax.core.dtype import DType as Type

__all__ = ["BFloat", "Bool", "Complex", "Float", "Int", "Number", "String", "Type", "UInt"]


class _Kind(type):
    """A class whose objects are the dtypes of one kind; it has no others."""

    members: tuple[Type, ...]

    def __instancecheck__(cls, instance: object) -> bool:
        return any(instance is member for member in cls.members)

    def __call__(cls, bits: int = 0) -> Any:
        for member in cls.members:
            if member.itemsize * 8 == bits or (not bits and (member.np is None or len(cls.members) == 1)):
                return member
        sizes = sorted({member.itemsize * 8 for member in cls.members if member.np is not None})
        raise TypeError(
            f"`typing.{cls.__name__}`: argument `bits` must be one of {sizes}. Received: {bits!r}."
        )


def _kind(name: str, *members: Type) -> Any:
    return _Kind(
        name, (), {"members": members, "__module__": __name__, "__doc__": f"The kind {name} of dtypes."}
    )


Bool = _kind("Bool", _dtypes.bool_)
Int = _kind("Int", *_dtypes.int_type, _dtypes.int_)
UInt = _kind("UInt", *_dtypes.uint_type, _dtypes.uint)
Float = _kind("Float", *(f for f in _dtypes.float_type if f is not _dtypes.bfloat16), _dtypes.float_)
BFloat = _kind("BFloat", _dtypes.bfloat16)
Complex = _kind("Complex", *_dtypes.complex_type)
Number = _kind("Number", _dtypes.number, *_dtypes.all_types, _dtypes.int_, _dtypes.uint, _dtypes.float_)
String = _kind("String", _dtypes.string)


def type_size_in_bytes(dtype: Type) -> int:
    """Return the number of bytes of an element of a dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax._c_expression.typing import type_size_in_bytes
        >>> type_size_in_bytes(ms.float16)
        2
    """
    return dtype.itemsize
