"""dtype.py against what MindSpore said (tests/goldens/dtype.json)."""

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import msjax
from msjax.core import dtype

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "dtype.json").read_text())
NAMES = GOLDEN["names"].split()
ALL = [v for v in vars(dtype).values() if isinstance(v, dtype.DType)]
NP = {name: getattr(dtype, name).np for name in NAMES}
SCALARS = {
    "bool": True, "int": 2, "float": 2.5, "numpy.bool_": np.bool_(True), "numpy.int8": np.int8(2),
    "numpy.int32": np.int32(2), "numpy.float16": np.float16(2), "numpy.float64": np.float64(2.5),
}  # fmt: skip
PYTHON = {
    t.__name__: t
    for t in (bool, int, float, complex, str, list, tuple, type(None), np.int8, np.float32, dict)
}
PYTHON |= {"bool_": np.bool_, "str_": np.str_}


def text_of(function, *args):
    """Return what was recorded: the value as text or the error's type."""
    try:
        return str(function(*args))
    except Exception as error:  # noqa: BLE001  the kind is the answer
        return type(error).__name__


@pytest.mark.parametrize("name", GOLDEN["dtypes"])
def test_describes_itself_as_mindspore_does(name):
    own, expected = getattr(dtype, name), dict(GOLDEN["dtypes"][name])
    assert (str(own), repr(own)) == (expected["str"], expected["repr"])
    for attribute in ("is_complex", "is_signed", "is_floating_point", "itemsize"):
        assert expected[attribute] in (None, getattr(own, attribute)), attribute
    assert text_of(lambda: dtype.dtype_to_pytype(own).__name__) == expected["python"] or own in UNKNOWN_THERE
    numpy_name = text_of(lambda: dtype.dtype_to_nptype(own).__name__)
    assert numpy_name.removesuffix("_") == expected["numpy"].removesuffix("_") or own in UNKNOWN_THERE
    if expected["to_real"] != "AttributeError" and own not in UNKNOWN_THERE:
        assert (text_of(own.to_real), text_of(own.to_complex)) == (
            expected["to_real"],
            expected["to_complex"],
        )
    assert [
        g for g in ("int_", "uint", "float_", "number") if dtype.issubclass_(own, getattr(dtype, g))
    ] == expected["family"]


# MindSpore has no NumPy type for these; we have ml_dtypes'.
UNKNOWN_THERE = (dtype.qint4x2, dtype.float8_e4m3fn, dtype.float8_e5m2, dtype.hifloat8)


@pytest.mark.parametrize("group", GOLDEN["groups"])
def test_groups(group):
    assert [repr(t) for t in getattr(dtype, group)] == GOLDEN["groups"][group]


@pytest.mark.parametrize("name", GOLDEN["pytype_to_dtype"])
def test_pytype_to_dtype(name):
    assert text_of(lambda: repr(dtype.pytype_to_dtype(PYTHON[name]))) == GOLDEN["pytype_to_dtype"][name]


@pytest.mark.parametrize(
    "value", [1, 2.0, True, 1j, "a", [1], (1,), np.float32(1), None, dtype.float32, int, {}]
)
def test_get_py_obj_dtype(value):
    key = "1.0" if type(value) is np.float32 else repr(value)
    assert text_of(lambda: repr(dtype.get_py_obj_dtype(value))) == GOLDEN["get_py_obj_dtype"][key]


@pytest.mark.parametrize("like", GOLDEN["astype"])
def test_as_np_takes_what_astype_takes(like):
    given = {
        "mindspore.float16": dtype.float16, "mindspore.number": dtype.number, "3": 3, "None": None,
        "<class 'int'>": int, "<class 'bool'>": bool, "<class 'complex'>": complex, "<class 'float'>": float,
        "<class 'numpy.float32'>": np.float32,
    }.get(like, like)  # fmt: skip
    expected = "Complex64" if like == "complex64" else GOLDEN["astype"][like]
    assert text_of(lambda: dtype.of(dtype.as_np(given))) == expected


@pytest.mark.parametrize("bad", [[1], "foo", 3, None, object, np.dtype("U3"), dtype.hifloat8])
def test_as_np_names_what_would_do(bad):
    with pytest.raises(TypeError, match=r"must be one of bool, int8.*Received: "):
        dtype.as_np(bad)


@pytest.mark.parametrize("bad", ["U3", "O", "M8[s]", "float128"])
def test_of_refuses_what_tensors_cannot_hold(bad):
    with pytest.raises(TypeError, match="cannot hold"):
        dtype.of(np.dtype(bad))


def test_equality_is_identity():
    f = dtype.float32
    expected = GOLDEN["equal"]
    got = [
        f == np.float32,
        f == np.dtype("float32"),
        f == "float32",
        dtype.bool_.__eq__(bool) is True,
        f == f,
        f == dtype.float64,
    ]
    assert got == [
        expected[k] for k in ("numpy type", "numpy dtype", "name", "python type", "itself", "other")
    ]
    assert len({*dtype.all_types}) == 19
    assert dtype.TensorType(f) == dtype.TensorType(f) != dtype.tensor_type
    assert (str(dtype.TensorType(f)), repr(dtype.TensorType(f))) == (
        "Tensor[Float32]",
        "mindspore.tensor[float32]",
    )


@pytest.mark.parametrize("own", ALL, ids=repr)
def test_copies_and_pickles_to_the_same_object(own):
    with msjax.install_as("torch"):  # which gives a class of dtypes PyTorch's name
        pickle.dumps(own)
    for again in (pickle.loads(pickle.dumps(own)), copy.deepcopy(own)):
        assert again == own
        assert again is own or own is dtype.tensor_type


@pytest.mark.parametrize("name", NAMES)
def test_promotion_is_that_of_adding(name):
    for other, expected in zip(NAMES, GOLDEN["promotion"]["add"][name].split(), strict=True):
        assert text_of(lambda b=other: dtype.of(dtype.promote(NP[name], NP[b]))) == expected, other


@pytest.mark.parametrize("op", ["sub", "mul", "floordiv", "mod", "pow", "truediv", "iadd"])
def test_other_operators_promote_alike(op):
    for a in NAMES:
        for b, recorded in zip(NAMES, GOLDEN["promotion"][op][a].split(), strict=True):
            expected = text_of(lambda a=a, b=b: dtype.of(dtype.promote(NP[a], NP[b])))
            whole = expected == "Bool" or "Int" in expected
            assert recorded in ("-", "TypeError", "Float32" if op == "truediv" and whole else expected), (
                a,
                b,
            )


@pytest.mark.parametrize("op", ["add", "mul"])
@pytest.mark.parametrize("kind", SCALARS)
def test_scalars_take_the_tensors_dtype(op, kind):
    left, right = (row.split() for row in GOLDEN["scalars"][op][kind])
    for name, first, second in zip(NAMES, left, right, strict=True):
        value = SCALARS[kind]
        own = text_of(lambda n=name, v=value: dtype.of(dtype.promote(dtype.scalar(v, NP[n]), NP[n])))
        # MindSpore multiplies but does not add an unsigned tensor and an int; we do both.
        assert own == first or (first, own) == ("TypeError", str(getattr(dtype, name))) or first == "-"
        assert kind.startswith("numpy") or second == first


def test_scalars_alone_and_complex():
    assert [dtype.scalar(v) for v in (True, 1, 1.0, 1j)] == ["bool", "int64", "float32", "complex128"]
    assert dtype.scalar(np.float64(1)) == "float64"
    assert dtype.scalar(1j, NP["float16"]) == "complex64"
    assert dtype.scalar(1j, NP["float64"]) == "complex128"
    assert dtype.scalar(2.5, NP["int8"], NP["float16"]) == "float16"
    assert dtype.scalar(2.5, NP["uint16"], NP["int64"]) == "float32"  # elements and places never meet
    with pytest.raises(TypeError, match="Received: str"):
        dtype.scalar("a", NP["float16"])


@pytest.mark.parametrize(("name", "value", "product"), GOLDEN["wrapping"])
def test_literals_wrap(name, value, product):
    assert str(np.ones(1, NP[name]) * dtype.literal(value, NP[name])) == product


def test_promote_names_both_dtypes():
    with pytest.raises(TypeError, match=r"between Tensor\[UInt16\] and Tensor\[Int8\].*astype"):
        dtype.promote(NP["uint16"], NP["int8"])
    assert dtype.promote(NP["int8"], NP["uint8"], NP["float16"], NP["bfloat16"]) == "float32"


def test_without_x64_everything_is_32_bit_with_one_warning():
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from msjax.core import dtype as d\n"
        "print(*map(d.as_np, (d.float64, d.int64, 'uint64', complex)), d.scalar(1), d.scalar(1j))\n"
        "print(d.canonical(d.float64.np))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"MSJAX_X64": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["float32", "int32", "uint32", "complex64", "int32", "complex64", "float32"]
    assert ran.stderr.count("UserWarning") == 1
