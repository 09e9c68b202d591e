"""MindSpore's dtypes: how they describe themselves, and how they promote."""

import itertools
import operator

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindspore.common import dtype as mstype

NAMES = """
    bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64
    float16 bfloat16 float32 float64 complex64 complex128
""".split()
OPERATORS = "add sub mul truediv floordiv mod pow lt eq and_ iadd".split()
SCALARS = {
    "bool": True,
    "int": 2,
    "float": 2.5,
    "complex": 2j,
    "numpy.bool_": np.bool_(True),
    "numpy.int8": np.int8(2),
    "numpy.int32": np.int32(2),
    "numpy.float16": np.float16(2),
    "numpy.float64": np.float64(2.5),
    "list": [1, 2],
    "numpy.ndarray": np.ones(2, np.float32),
    "str": "a",
    "NoneType": None,
}


def attempt(function, *args):
    """The value as text, or the name of the error's type."""
    try:
        return str(function(*args))
    except Exception as error:  # whatever MindSpore raises is what we want to know
        return type(error).__name__


def result(function, *args):
    """The dtype of the result, or why there is none: the error's type, or `-` for no kernel on CPU."""
    try:
        out = function(*args)
        return f"numpy.{out.dtype}" if isinstance(out, np.ndarray | np.generic) else str(out.dtype)
    except Exception as error:
        text = str(error)
        missing = "Select CPU operator" in text or ("is invalid" in text and "promote" not in text)
        return "-" if missing else type(error).__name__


def described(dtype):
    """Everything a dtype says about itself."""
    return {
        "str": str(dtype),
        "repr": repr(dtype),
        "numpy": attempt(lambda: mstype.dtype_to_nptype(dtype).__name__),
        "python": attempt(lambda: mstype.dtype_to_pytype(dtype).__name__),
        **{
            name: getattr(dtype, name, None)
            for name in ("itemsize", "is_complex", "is_signed", "is_floating_point")
        },
        "to_real": attempt(lambda: dtype.to_real()),
        "to_complex": attempt(lambda: dtype.to_complex()),
        "family": [
            g for g in ("int_", "uint", "float_", "number") if mstype._issubclass_(dtype, getattr(ms, g))
        ],
    }


def outcomes():
    tensors = {name: Tensor(np.ones(2)).astype(getattr(ms, name)) for name in NAMES}
    public = [n for n in mstype.__all__ if isinstance(getattr(mstype, n), mstype.Type)]
    groups = "all_types number_type int_type uint_type float_type complex_type signed_type".split()
    types = [
        bool,
        int,
        float,
        complex,
        str,
        list,
        tuple,
        type(None),
        np.bool_,
        np.int8,
        np.float32,
        np.str_,
        dict,
    ]
    values = [1, 2.0, True, 1j, "a", [1], (1,), np.float32(1), Tensor(1), None, ms.float32, int, slice(1), {}]
    likes = [bool, int, float, complex, np.float32, ms.float16, 3, None, "foo", ms.number]
    names = "float32 Float32 int float bool bool_ double half single byte long Int8 uint16 complex64".split()
    half = tensors["float16"]
    return {
        "dtypes": {name: described(getattr(mstype, name)) for name in public},
        "groups": {group: [repr(t) for t in getattr(mstype, group)] for group in groups},
        "top": {name: repr(getattr(ms, name)) for name in ("bool", "int", "float")},
        "pytype_to_dtype": {t.__name__: attempt(lambda t=t: repr(mstype.pytype_to_dtype(t))) for t in types},
        "get_py_obj_dtype": {repr(v): attempt(lambda v=v: repr(mstype.get_py_obj_dtype(v))) for v in values},
        "astype": {
            (like if isinstance(like, str) else repr(like)): result(half.astype, like)
            for like in [*likes, *names]
        },
        "equal": {
            "numpy type": ms.float32 == np.float32,
            "numpy dtype": ms.float32 == np.dtype("float32"),
            "name": ms.float32 == "float32",
            "python type": bool == ms.bool_,  # noqa: E721
            "itself": ms.float32 == ms.float32,
            "other": ms.float32 == ms.float64,
            "generic": ms.float32 == ms.float_,
        },
        "names": " ".join(NAMES),
        "promotion": {
            op: {
                a: " ".join(result(getattr(operator, op), tensors[a].copy(), tensors[b]) for b in NAMES)
                for a in NAMES
            }
            for op in OPERATORS
        },
        "scalars": {
            op: {
                kind: [
                    " ".join(result(getattr(operator, op), tensors[a], value) for a in NAMES),
                    " ".join(result(getattr(operator, op), value, tensors[a]) for a in NAMES),
                ]
                for kind, value in SCALARS.items()
            }
            for op in ("add", "mul", "truediv", "pow", "lt")
        },
        "wrapping": [
            [name, value, str(Tensor([1], getattr(ms, name)).mul(value))]
            for name, value in itertools.product(("int8", "uint8", "int32"), (300, -300, 2**40 + 7))
        ],
    }
