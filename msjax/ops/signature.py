"""`ops.signature`: declaration of a custom Primitive's arguments (`__mindspore_signature__`).

A Primitive's Python code gets its arguments as they are: declared dtypes lead to no promotion.
"""

from enum import Enum
from typing import Any, NamedTuple


class sig_rw(Enum):  # noqa: N801
    """Access of a Primitive to an argument: read, write or reference."""

    RW_READ = 0
    RW_WRITE = 1
    RW_REF = 2
    RW_EMPTY_DEFAULT_VALUE = 3


class sig_kind(Enum):  # noqa: N801
    """Kind of a Primitive's argument: positional, keyword or variadic."""

    KIND_POSITIONAL_KEYWORD = 0
    KIND_VAR_POSITIONAL = 1
    KIND_KEYWORD_ONLY = 2
    KIND_VAR_KEYWARD = 3
    KIND_EMPTY_DEFAULT_VALUE = 4


class sig_dtype(Enum):  # noqa: N801
    """Dtype group of a Primitive's argument: arguments of one group are promoted to one dtype."""

    T = 0
    T1 = 1
    T2 = 2
    T3 = 3
    T4 = 4
    T5 = 5
    T6 = 6
    T7 = 7
    T8 = 8
    T9 = 9
    T_EMPTY_DEFAULT_VALUE = 10


class Signature(NamedTuple):
    """Declaration of one argument of a Primitive."""

    name: str
    rw: sig_rw
    kind: sig_kind
    default_value: Any
    dtype: sig_dtype


def make_sig(
    name: str = "var",
    rw: sig_rw = sig_rw.RW_READ,
    kind: sig_kind = sig_kind.KIND_POSITIONAL_KEYWORD,
    default: Any = sig_kind.KIND_EMPTY_DEFAULT_VALUE,
    dtype: sig_dtype = sig_dtype.T_EMPTY_DEFAULT_VALUE,
) -> Signature:
    """Declare an argument.

    Examples:
        >>> from msjax.ops.signature import make_sig, sig_dtype
        >>> make_sig("x", dtype=sig_dtype.T).dtype.name
        'T'
    """
    return Signature(name, rw, kind, default, dtype)
