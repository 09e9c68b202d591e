"""Element types: their names, their NumPy counterparts, and MindSpore's rules for mixing them.

The engine computes with NumPy dtypes; a `DType` is what the user sees. The tables are dictionaries because
`of`, `promote` and `scalar` run on every operator call.
"""

import enum
import os
import warnings
from typing import Any

import ml_dtypes
import numpy as np

__all__ = [  # what MindSpore's star import gives
    "Int",
    "QuantDtype",
    "TensorType",
    "Type",
    "bfloat16",
    "bool_",
    "byte",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "double",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "float_",
    "get_py_obj_dtype",
    "half",
    "hifloat8",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "intp",
    "list_",
    "long",
    "number",
    "pytype_to_dtype",
    "qint4x2",
    "short",
    "single",
    "string",
    "tensor_type",
    "tuple_",
    "type_none",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ushort",
]

X64: bool = os.environ.get("MSJAX_X64", "1").lower() not in ("0", "false", "off")


class DType:
    """An element type such as `float32`. There is one object per type, so `is` and `==` agree.

    Args:
        name: the name under which this module holds the object; pickling goes through it.
        text: result of `str`, e.g. `Float32`.
        label: result of `repr` after the package name, e.g. `float32`.
        np_dtype: the NumPy dtype of such elements, None where arrays of them cannot be made.

    Examples:
        >>> from msjax.core import dtype
        >>> print(dtype.float32, repr(dtype.float32), dtype.float32.itemsize)
        Float32 mindspore.float32 4
    """

    __slots__ = ("is_complex", "is_floating_point", "is_signed", "itemsize", "label", "name", "np", "text")

    def __init__(
        self, name: str, text: str, label: str | None = None, np_dtype: Any = None, itemsize: int = 0
    ) -> None:
        self.name = name
        self.text = text
        self.label = name if label is None else label
        self.np: np.dtype | None = None if np_dtype is None else np.dtype(np_dtype)
        self.itemsize: int = itemsize if self.np is None else self.np.itemsize
        self.is_complex = isinstance(self, Complex)
        self.is_floating_point = isinstance(self, Float)
        self.is_signed = isinstance(self, Int | Float | Complex)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"mindspore.{self.label}"

    def __reduce__(self) -> Any:
        # By its class's module, which is "torch" for this class itself while that name is installed.
        return self.name if type(self) is not DType else (_kind_of_this_module, (self.name,))

    def to_real(self) -> "DType":
        """Return the type of the real part."""
        if self.np is None and self is not hifloat8:
            raise TypeError(f"Cannot convert type {self.label} to real type.")
        return float32 if self is complex64 else float64 if self is complex128 else self

    def to_complex(self) -> "DType":
        """Return the complex type whose parts hold this type's values."""
        if self in _COMPLEX_OF:
            return _COMPLEX_OF[self]
        raise TypeError(f"Cannot convert type {self.label} to complex type.")


class Bool(DType):
    """The kind of `bool_`."""

    __slots__ = ()


class Int(DType):
    """The kind of the signed integers."""

    __slots__ = ()


class UInt(DType):
    """The kind of the unsigned integers."""

    __slots__ = ()


class Float(DType):
    """The kind of the real floating-point types."""

    __slots__ = ()


class BFloat(Float):
    """The kind of `bfloat16`, which MindSpore does not count among `float_`."""

    __slots__ = ()


class Complex(DType):
    """The kind of the complex types."""

    __slots__ = ()


class TensorType(DType):
    """The type of tensors, of one element type or (`tensor_type`) of any."""

    __slots__ = ("element",)

    def __init__(self, element: DType | None = None) -> None:
        text, label = ("", "") if element is None else (f"[{element}]", f"[{element.label}]")
        super().__init__("tensor_type", f"Tensor{text}", f"tensor{label}")
        self.element = element

    def element_type(self) -> DType | None:
        """Return the element type, or None."""
        return self.element

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and self.element is other.element

    def __hash__(self) -> int:
        return hash((TensorType, self.element))

    def __reduce__(self) -> Any:
        return TensorType, (self.element,)


def _kind_of_this_module(name: str) -> DType:
    return globals()[name]


Type = DType

bool_ = Bool("bool_", "Bool", "bool", np.bool_)
int8 = Int("int8", "Int8", None, np.int8)
int16 = Int("int16", "Int16", None, np.int16)
int32 = Int("int32", "Int32", None, np.int32)
int64 = Int("int64", "Int64", None, np.int64)
uint8 = UInt("uint8", "UInt8", None, np.uint8)
uint16 = UInt("uint16", "UInt16", None, np.uint16)
uint32 = UInt("uint32", "UInt32", None, np.uint32)
uint64 = UInt("uint64", "UInt64", None, np.uint64)
float16 = Float("float16", "Float16", None, np.float16)
float32 = Float("float32", "Float32", None, np.float32)
float64 = Float("float64", "Float64", None, np.float64)
bfloat16 = BFloat("bfloat16", "BFloat16", None, ml_dtypes.bfloat16)
complex64 = Complex("complex64", "Complex64", None, np.complex64)
complex128 = Complex("complex128", "Complex128", None, np.complex128)
qint4x2 = Int("qint4x2", "Int4", "int4", ml_dtypes.int4)
float8_e4m3fn = Float("float8_e4m3fn", "Float8E4M3FN", None, ml_dtypes.float8_e4m3fn)
float8_e5m2 = Float("float8_e5m2", "Float8E5M2", None, ml_dtypes.float8_e5m2)
hifloat8 = Float("hifloat8", "HiFloat8", itemsize=1)

byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
half, single, double, cfloat, cdouble = float16, float32, float64, complex64, complex128

int_ = Int("int_", "Int", "int", itemsize=1)
uint = UInt("uint", "UInt", itemsize=1)
float_ = Float("float_", "Float", "float", itemsize=1)
number = DType("number", "Number", itemsize=1)
list_ = DType("list_", "List")
tuple_ = DType("tuple_", "Tuple")
string = DType("string", "String", "string_")
type_none = DType("type_none", "None")
type_type = DType("type_type", "TypeType")
_null = DType("_null", "Null", "Null")
tensor_type = TensorType()

# What MindSpore's module holds under names that this one needs itself, and kinds that tables of published code name.
_BY_NAME: dict[str, DType] = {"bool": bool_, "int": int32, "float": float32} | {
    name: DType(name, text, label)
    for name, text, label in (
        ("coo_tensor", "COOTensor", "COOTensor"), ("csr_tensor", "CSRTensor", "CSRTensor"),
        ("index_slices", "RowTensor", "RowTensor"), ("env_type", "EnvType", None), ("function", "Func", None),
        ("symbolic_key", "SymType", None), ("type_refkey", "RefKey", None),
        ("undetermined", "Undetermined", "Undetermined"),
    )
}  # fmt: skip


# `bool`, `int` and `float` as names of this module would hide Python's, which its own code needs.
def __getattr__(name: str) -> DType:
    try:
        return _BY_NAME[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, hifloat8)
complex_type = (complex64, complex128)
signed_type = (*int_type, *float_type[:4], *complex_type, qint4x2, *float_type[4:])
number_type = (*int_type, *uint_type, *float_type[:4], *complex_type, qint4x2, *float_type[4:])
all_types = (bool_, *number_type)

_COMPLEX_OF: dict[DType, DType] = {
    float32: complex64, bfloat16: complex64, float64: complex128, complex64: complex64, complex128: complex128
}  # fmt: skip

_bits = (*range(1, 17),)


class _Quantized(enum.Enum):
    def value(self) -> int:  # type: ignore[override]
        """Return the number of the type: a method, unlike that of Python's enumerations, as in MindSpore."""
        return self._value_


QuantDtype = _Quantized(
    "QuantDtype",
    {f"INT{n}": n - 1 for n in _bits} | {f"UINT{n}": 99 + n for n in _bits},
    module=__name__,
)


def issubclass_(type_: DType, parent: DType) -> bool:
    """Return True if a type is `parent`, or of its kind: int32 is of `int32`, of `int_` and of `number`."""
    if type_ is parent:
        return True
    if parent in (int_, uint, float_):
        return type(type_) is type(parent)
    return parent is number and (type_ in all_types or type_ in (int_, uint, float_))


# ------------------------------------------------------------------------------------------ to and from NumPy

NAMES: dict[str, DType] = {t.np.name: t for t in all_types if t.np is not None}
_OF: dict[np.dtype, DType] = {t.np: t for t in all_types if t.np is not None}
_NARROW: dict[np.dtype, np.dtype] = {
    np.dtype(wide): np.dtype(narrow)
    for wide, narrow in [
        ("int64", "int32"),
        ("uint64", "uint32"),
        ("float64", "float32"),
        ("complex128", "complex64"),
    ]
}
_GENERIC: dict[DType, np.dtype] = {
    int_: np.dtype(np.int32), uint: np.dtype(np.uint32), float_: np.dtype(np.float32)
}  # fmt: skip
_PYTHON: dict[type, DType] = {
    bool: bool_, int: int64, float: float64, complex: complex128, str: string, list: list_, tuple: tuple_,
    type(None): type_none,
}  # fmt: skip
_SPELLINGS: dict[str, DType] = NAMES | {
    "bool_": bool_, "int": int64, "float": float64, "complex": complex128,
    "byte": byte, "short": short, "intc": intc, "long": long, "intp": intp,
    "ubyte": ubyte, "ushort": ushort, "uintc": uintc, "uintp": uintp,
    "half": half, "single": single, "double": double, "cfloat": cfloat, "cdouble": cdouble,
}  # fmt: skip
# Whatever was once resolved, by object or spelling: `as_np` runs on each call that names a dtype.
_AS_NP: dict[Any, np.dtype] = {}
_warned = False


def of(np_dtype: Any) -> DType:
    """Return the `DType` of a NumPy dtype.

    Raises:
        TypeError: if tensors cannot hold such elements.
    """
    found = _OF.get(np_dtype)
    if found is None:
        try:
            found = _OF.get(np.dtype(np_dtype))
        except TypeError:
            found = None
        if found is None:
            raise TypeError(f"A tensor cannot hold elements of this dtype. Received: {np_dtype!r}.")
    return found


def canonical(np_dtype: np.dtype) -> np.dtype:
    """Return the dtype that arrays really get: the same or, with `MSJAX_X64=0`, 32 bits wide (with one warning)."""
    if X64 or np_dtype not in _NARROW:
        return np_dtype
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"MSJAX_X64=0: {np_dtype.name} becomes {_NARROW[np_dtype].name}, and likewise every other 64-bit "
            "type. This warning is given once.",
            stacklevel=3,
        )
    return _NARROW[np_dtype]


def as_np(dtype_like: object) -> np.dtype:
    """Return the NumPy dtype for anything that names a dtype.

    Args:
        dtype_like: a `DType`, a NumPy dtype or scalar type, Python's `bool`, `int`, `float` or `complex`
            (64-bit, as in MindSpore's `astype`), or a name ("float32", "Float32", "half").

    Raises:
        TypeError: if it names no dtype that arrays can have.

    Examples:
        >>> from msjax.core import dtype
        >>> dtype.as_np(dtype.bfloat16), dtype.as_np("half"), dtype.as_np(int)
        (dtype(bfloat16), dtype('float16'), dtype('int64'))
    """
    try:
        return _AS_NP[dtype_like]
    except KeyError:
        pass
    except TypeError:
        raise _no_dtype(dtype_like) from None
    found = _AS_NP[dtype_like] = canonical(_resolve(dtype_like))
    return found


def _resolve(dtype_like: object) -> np.dtype:
    if isinstance(dtype_like, DType):
        found = _GENERIC.get(dtype_like) if dtype_like.np is None else dtype_like.np
    elif isinstance(dtype_like, str):
        named = _SPELLINGS.get(dtype_like.lower())
        found = None if named is None else named.np
    elif isinstance(dtype_like, np.dtype):
        found = dtype_like if dtype_like in _OF else None
    elif dtype_like in _PYTHON:
        found = _PYTHON[dtype_like].np
    elif isinstance(dtype_like, type) and issubclass(dtype_like, np.generic):
        found = np.dtype(dtype_like)
    else:
        # jnp.float32 and the other scalar types of JAX are neither NumPy types nor dtypes, but carry a dtype.
        carried = getattr(dtype_like, "dtype", None)
        found = carried if isinstance(carried, np.dtype) else None
    if found is None or found not in _OF:
        raise _no_dtype(dtype_like)
    return found


def _no_dtype(received: object) -> TypeError:
    return TypeError(
        f"A dtype must be one of {', '.join(NAMES)}. Received: {received!r} ({type(received).__name__})."
    )


def dtype_to_nptype(type_: DType) -> type:
    """Return the NumPy scalar type of a MindSpore type.

    Examples:
        >>> from msjax.core import dtype
        >>> dtype.dtype_to_nptype(dtype.int8)
        <class 'numpy.int8'>
    """
    if type_.np is None:
        raise KeyError(type_)
    return type_.np.type


def dtype_to_pytype(type_: DType) -> type:
    """Return the Python type of a MindSpore type.

    Examples:
        >>> from msjax.core import dtype
        >>> dtype.dtype_to_pytype(dtype.bfloat16)
        <class 'float'>
    """
    for python, own in _PYTHON.items():
        if own is type_:
            return python
    for kind, python in ((Bool, bool), (Float, float), (Complex, complex)):
        if isinstance(type_, kind) and type_ is not hifloat8:
            return python
    if isinstance(type_, Int | UInt) and type_ is not uint:
        return int
    raise KeyError(type_)


def pytype_to_dtype(obj: object) -> DType:
    """Return the MindSpore type of a Python or NumPy type. An `int` is an int64, a `float` a float64.

    Examples:
        >>> from msjax.core import dtype
        >>> dtype.pytype_to_dtype(float)
        mindspore.float64
    """
    if isinstance(obj, DType):
        return obj
    if isinstance(obj, np.dtype):
        return of(obj)
    if not isinstance(obj, type):
        raise TypeError(
            "For 'pytype_to_dtype', the argument 'obj' must be a Python type, such as int, float or str. "
            f"Received: {obj!r} ({type(obj).__name__})."
        )
    if obj in _PYTHON:
        return _PYTHON[obj]
    if issubclass(obj, np.str_):
        return string
    try:
        return of(obj) if issubclass(obj, np.generic) else _PYTHON[obj]
    except (KeyError, TypeError):
        raise NotImplementedError(f"The python type {obj} cannot be converted to MindSpore type.") from None


def get_py_obj_dtype(obj: object) -> DType:
    """Return the MindSpore type of a value: of a Python or NumPy value, a Tensor, a type."""
    if isinstance(obj, DType):
        return type_type
    element = getattr(obj, "dtype", None)
    if isinstance(element, DType):
        return TensorType(element)
    return pytype_to_dtype(obj if isinstance(obj, type) else type(obj))


# The names under which MindSpore's own code and tests have them.
_dtype_to_nptype, _dtype_to_pytype, _pytype_to_dtype = dtype_to_nptype, dtype_to_pytype, pytype_to_dtype
_get_py_obj_dtype, _issubclass_ = get_py_obj_dtype, issubclass_


# -------------------------------------------------------------------------------------------------- promotion

# MindSpore mixes these types with themselves and with bool only.
_UNMIXED = {uint16, uint32, uint64, qint4x2, float8_e4m3fn, float8_e5m2}


def _rank(type_: DType) -> int:
    """Return 0 for bool, 1 for integers, 2 for floats, 3 for complex types."""
    return 0 if type_ is bool_ else 3 if type_.is_complex else 2 if type_.is_floating_point else 1


def _join_types(a: DType, b: DType) -> DType | None:
    """Return the type of `a + b`: the larger of the higher kind, or one that holds both; None if they do not mix."""
    if _rank(a) > _rank(b):
        a, b = b, a
    if a is b or a is bool_:
        return b
    if a in _UNMIXED or b in _UNMIXED:
        return None
    if _rank(b) == 3:
        return complex128 if complex128 in (a, b) or a is float64 else complex64
    if _rank(a) < _rank(b):
        return b
    if a.itemsize == b.itemsize:
        return int16 if _rank(a) == 1 else float32  # int8 with uint8, float16 with bfloat16
    return a if a.itemsize > b.itemsize else b


_PROMOTED: dict[tuple[np.dtype, np.dtype], np.dtype] = {
    (x, y): joined.np
    for x, a in _OF.items()
    for y, b in _OF.items()
    if (joined := _join_types(a, b)) is not None and joined.np is not None
}
# By the number's type, not its value: one entry per type and combination of dtypes, on the path of every operator call.
_SCALAR: dict[tuple, np.dtype] = {}


def promote(*np_dtypes: np.dtype) -> np.dtype:
    """Return the common dtype of arrays of these dtypes, by MindSpore's table for `a + b`.

    It is PyTorch's table without exceptions for 0-d tensors; uint16, uint32, uint64 and 8-bit floats mix with
    themselves and bool only.

    Raises:
        TypeError: if MindSpore refuses the mixture.

    Examples:
        >>> import numpy as np
        >>> from msjax.core import dtype
        >>> int8, uint8, half = map(np.dtype, ("int8", "uint8", "float16"))
        >>> dtype.promote(int8, uint8), dtype.promote(int8, half)
        (dtype('int16'), dtype('float16'))
    """
    result = np_dtypes[0]
    for other in np_dtypes[1:]:
        if other is not result:
            found = _PROMOTED.get((result, other))
            if found is None:
                raise _refusal(of(result), of(other))
            result = found
    return result


def _refusal(a: DType, b: DType) -> TypeError:
    return TypeError(
        f"Type implicit conversion between Tensor[{a}] and Tensor[{b}] is not supported. "
        "Cast one of them first, with `astype`."
    )


def scalar(value: object, *np_dtypes: np.dtype) -> np.dtype:
    """Return the dtype that a Python or NumPy number takes next to arrays of these dtypes.

    It takes the arrays' dtype, unless it is of a higher kind (bool < int < float < complex), or the arrays have none
    in common: then an int becomes int64, a float float32, a complex number complex64 (complex128 next to float64).
    Alone, a Python number becomes bool, int64, float32 or complex128, as in `Tensor(2j)`, and a NumPy number keeps
    its dtype. `promote` decides later if the number and the arrays may be mixed at all.

    Raises:
        TypeError: if the value is no number.

    Examples:
        >>> import numpy as np
        >>> from msjax.core import dtype
        >>> half, int32 = np.dtype("float16"), np.dtype("int32")
        >>> dtype.scalar(2.5, half), dtype.scalar(2.5, int32), dtype.scalar(2.5)
        (dtype('float16'), dtype('float32'), dtype('float32'))
    """
    key = (type(value), *np_dtypes)
    found = _SCALAR.get(key)
    if found is None:
        found = _SCALAR[key] = _scalar(type(value), np_dtypes)
    return found


def _scalar(kind: type, np_dtypes: tuple) -> np.dtype:
    own: DType | None = None
    if issubclass(kind, np.generic):
        own = of(kind)
        rank = _rank(own)
    else:
        ranks = [r for r, base in enumerate((bool, int, float, complex)) if issubclass(kind, base)]
        if not ranks:
            raise TypeError(
                f"A scalar operand must be a bool, int, float or complex number. Received: {kind.__name__}."
            )
        rank = ranks[0]
    defaults = (bool_, int64, float32, complex64)
    if not np_dtypes:
        chosen = own or (complex128 if rank == 3 else defaults[rank])
    else:
        try:
            arrays = of(promote(*np_dtypes))
        except TypeError:  # as of uint16 elements and int64 indices, which need not be mixed
            arrays = bool_
        chosen = arrays
        if rank > _rank(arrays):
            chosen = complex128 if arrays is float64 else defaults[rank]
    assert chosen.np is not None
    return chosen.np if X64 else _NARROW.get(chosen.np, chosen.np)


def literal(value: object, *np_dtypes: np.dtype) -> np.ndarray:
    """Convert a number to a 0-d array of the dtype from `scalar`; integers that do not fit wrap around."""
    return np.asarray(value).astype(scalar(value, *np_dtypes))
