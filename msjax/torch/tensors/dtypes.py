"""PyTorch's dtypes: equal to those of the engine, printed as PyTorch prints them (`torch.float32`)."""

from typing import Any

import numpy as np

from msjax.core import dtype as dtypes

_NAMES = """float16 float32 float64 bfloat16 uint8 uint16 uint32 uint64 int8 int16 int32 int64 bool_ complex64
complex128 float8_e4m3fn float8_e5m2""".split()


class _AsPyTorch:
    """Mixin of the text form: `torch.float32`."""

    __slots__ = ()
    name: str

    def __str__(self) -> str:
        return f"torch.{self.name.removesuffix('_')}"

    __repr__ = __str__

    def __eq__(self, other: object) -> Any:
        return self.name == other.name if isinstance(other, dtypes.DType) else NotImplemented

    def __hash__(self) -> int:
        return hash(getattr(dtypes, self.name))

    def __reduce__(self) -> Any:
        return named, (self.name,)

    def to_real(self) -> Any:
        """Return the dtype of the real part."""
        return of(getattr(dtypes, self.name).to_real())

    def to_complex(self) -> Any:
        """Return the complex dtype whose parts hold this dtype's values."""
        return of(getattr(dtypes, self.name).to_complex())


def _make_dtype(name: str) -> dtypes.DType:
    known = getattr(dtypes, name)
    kind: Any = type("dtype", (_AsPyTorch, type(known)), {"__slots__": (), "__module__": __name__})
    return kind(known.name, known.text, known.label, known.np, known.itemsize)


_OF: dict[dtypes.DType, dtypes.DType] = {getattr(dtypes, name): _make_dtype(name) for name in _NAMES}


def of(kind: dtypes.DType) -> dtypes.DType:
    """PyTorch's dtype that is one of the engine's.

    Examples:
        >>> import msjax as ms
        >>> from msjax.torch.tensors import dtypes
        >>> dtypes.of(ms.float32), dtypes.of(ms.float32) == ms.float32
        (torch.float32, True)
    """
    return _OF.get(kind, kind)


SCALAR_TYPES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "uint8": "Byte",
                 "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool",
                 "complex64": "ComplexFloat", "complex128": "ComplexDouble"}  # fmt: skip


def scalar_type(kind: Any) -> str:
    """Return the name that PyTorch's classes and messages have for a dtype.

    Examples:
        >>> from msjax.torch.tensors import dtypes
        >>> import msjax as ms
        >>> dtypes.scalar_type(ms.int64)
        'Long'
    """
    name = np.dtype(dtypes.as_np(kind)).name
    return SCALAR_TYPES.get(name, name)


def named(name: str) -> dtypes.DType:
    """PyTorch's dtype of the engine's name."""
    return _OF[getattr(dtypes, name)]


_OF_PYTHON = {bool: "bool_", int: "int64", float: "float64", complex: "complex128"}


def as_dtype(function: str, value: Any) -> dtypes.DType:
    """Return a dtype that a function was given; Python's number types stand for the widest of their kind.

    Args:
        function: what it was given to, for the error.
        value: a dtype, or Python's `bool`, `int`, `float` or `complex`.

    Raises:
        TypeError: if it is something else.

    Examples:
        >>> from msjax.torch.tensors import dtypes
        >>> dtypes.as_dtype("to", float)
        torch.float64
    """
    if isinstance(value, dtypes.DType):
        return value
    if isinstance(value, type) and value in _OF_PYTHON:
        return named(_OF_PYTHON[value])
    raise TypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {type(value).__name__}")
