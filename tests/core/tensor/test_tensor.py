"""Tensors as Python objects: every expression that was recorded with MindSpore gives the same here.

What is deliberately different is listed with its reason; everything else must give the same repr, its numbers up to
rounding, or an exception of the same type.
"""

# ruff: noqa: F401 - the expressions use the imports
import copy
import json
import operator
import pickle
import re
from pathlib import Path

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, ParameterTuple, Tensor, mint, ops
from msjax.common.initializer import One, initializer
from tests.goldens.snippets import same

GOLDEN = json.loads((Path(__file__).parents[2] / "goldens" / "tensor.json").read_text())

# Expressions that begin like these give something else here, and why.
DIFFERENT = {
    "arrays of text raise TypeError": [r'Tensor\(b"a"\)', r'Tensor\(np.array\(\["a"\]\)\)'],
    "a dtype that elements cannot have is refused": [r"Tensor\(\[1\], dtype=ms.string\)"],
    "an initializer's values are there at once": [
        r"Tensor\(shape=\(2, 3\), dtype=ms.float32, init=",
        r'initializer\("ones", \[2\], ms.float32\)$',
    ],
    "a device that the machine does not have is accepted": [r'Tensor\(\[1\], device="GPU"\)'],
    "takes an index, as before MindSpore 2.3": [r"Tensor\(.*\)\.item\(.+\)"],
    "set_data is assign_value": [r"t\.set_data"],
    "the imperative side is PyTorch's": [
        r"t\.(grad|requires_grad|requires_grad_\(\)|is_leaf|grad_fn|detach\(\)|backward\(\))",
        r"t\.register_hook",
    ],
    "NumPy leaves operators to the Tensor, as to PyTorch's": [
        r"np\.(ones|float32)\(1\) [+=]",
        r"type\(np\.ones\(1\) \*",
    ],
    "lists and NumPy arrays are operands like Tensors": [
        r"[xt] (==|!=) np",
        r"x ([-+*/%@<>]|\*\*|//|<=|>=) (\[|\(|np)",
    ],
    "complex numbers are operands": [r"x \S+ 2j", r"complex\("],
    "works here": [
        r"t\.clone\(\)",
        r"round\(Tensor\(\[1\.64\]\), 1\)",
        r"b (%|\*\*|@) b",
        r"b (%|\*\*) True",
        r"2 [&|^] i",
        r"x @ Tensor\(np\.ones\(\(3, 2\), np\.float64",
        r"x\[(\[\]|np\.)",
    ],
    "the tensor itself where nothing is converted, as in PyTorch": [r"t\.astype\(ms\.int64\) is t"],
    "a view in another dtype has elements of the same size": [r"t\.view\(ms\.float32\)"],
    "bools are not subtracted, as in PyTorch": [r"b - "],
    "undefined": [r"i (//|%) 0"],
    "the error says that shapes do not fit": [r"x [&|^] Tensor", r"[xbi] @ (True|-?[02]$)", r"2(\.0)? @ i"],
    "a RuntimeError, as for matrices": [r"x @ Tensor\(\[1"],
    "an index that is a value is not checked": [r"x\[Tensor\((5|\[0, 5\])\)\]"],
    "IndexError, as for all indices that do not fit": [
        r"x\[Tensor\(\[True, False\]\)\]",
        r"x\[\[1\.0\]\]",
        r"Tensor\(1\.0\)\[0\]",
    ],
}


def _names():
    """A fresh namespace, like that of the recording."""
    return globals() | {
        "t": Tensor([1, 2]),
        "w": Parameter(Tensor([1.0]), name="w"),
        "x": Tensor(np.array([1.0, 2.0, 3.0], np.float32)),
        "i": Tensor([7, -8, 9]),
        "b": Tensor([True, False]),
    }


def _shown(value):
    if callable(value):
        return "<builtin_function_or_method>"
    return f"<{type(value).__name__}>" if " at 0x" in repr(value) else repr(value)


def _plain(text):
    """Without what may differ: blanks, the numbers of unnamed Parameters, whether NumPy finds int64 worth telling."""
    return re.sub(r"\s+|, dtype=int64", "", re.sub(r"Parameter#\d+", "Parameter#", text))


def _outcome(code):
    names = _names()
    if code.startswith("a, b"):
        exec(code, names)
        return _shown((names["a"], names["b"]))
    return _shown(eval(code, names))


def difference(code, golden):
    """How the outcome of an expression differs from the recorded one; empty if it does not."""
    kind = re.match(r"(\w+(Error|Exception)): ", golden)
    try:
        found = _outcome(code)
    except Exception as error:  # noqa: BLE001 - its type is the outcome
        if kind is not None and kind[1] in [base.__name__ for base in type(error).__mro__]:
            return ""
        return f"{code}\nexpected {golden}\nfound    {type(error).__name__}: {error}"
    if kind is None and same(_plain(golden), _plain(found)):
        return ""
    return f"{code}\nexpected {golden}\nfound    {found}"


def _all(*sections):
    return [
        pytest.param(code, golden, id=code)
        for section in sections
        for code, golden in GOLDEN[section].items()
    ]


@pytest.mark.parametrize(("code", "golden"), _all("construction", "protocol", "operators"))
def test_as_mindspore(code, golden):
    found = difference(code, golden)
    if found:
        for reason, patterns in DIFFERENT.items():
            if any(re.match(pattern, code) for pattern in patterns):
                pytest.skip(reason)
        pytest.fail(found, pytrace=False)


# ---------------------------------------------------------------------- construction


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        ([1, 2**63], ms.float32),
        ([2**63], ms.uint64),
        ([np.int8(1)], ms.int8),
        ([np.uint32(1)], ms.uint32),
        ([np.bool_(1)], ms.bool_),
        ([np.complex64(1)], ms.complex64),
        ([np.float16(1), 2.0], ms.float32),
        ([np.array([1], np.int8), np.array([1], np.int8)], ms.int8),
        ([[Tensor(1), 2], [3, 4.0]], ms.float32),
        ([Tensor(1, ms.int32)], ms.int64),
        ([Tensor(1, ms.float64)], ms.float32),
        ([Tensor(1, ms.bfloat16)], ms.bfloat16),
        ((Tensor([1, 2]), [3, 4]), ms.int64),
    ],
)
def test_dtype_of_a_list(data, dtype):
    assert Tensor(data).dtype is dtype


@pytest.mark.parametrize(
    ("data", "dtype", "value"),
    [
        (2**63, ms.int32, 0),
        (-1, ms.uint64, 2**64 - 1),
        ([300, -1], ms.uint8, [44, 255]),
        (1e10, ms.int32, -(2**31)),
        (float("inf"), ms.int64, -(2**63)),
        (1 + 2j, ms.float32, 1.0),
        ([1 + 2j], ms.int32, [1]),
        (True, ms.float16, 1.0),
        (1e6, ms.float16, float("inf")),
        (Tensor(300), ms.int8, 44),
        (0.1, ms.float64, 0.1),
    ],
)
def test_conversion(data, dtype, value):
    found = Tensor(data, dtype)
    assert found.dtype is dtype
    assert found.tolist() == value


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda: Tensor([[1, 2], [3]]), TypeError, ["`Tensor`", "`input_data`", "[[1, 2], [3]]"]),
        (lambda: Tensor([1, None]), TypeError, ["`input_data`", "[1, None]"]),
        (lambda: Tensor([Tensor([1]), Tensor([1, 2])]), TypeError, ["`input_data`", "one length"]),
        (lambda: Tensor({1: 2}), TypeError, ["`input_data`", "{1: 2}", "dict"]),
        (lambda: Tensor(2**64), RuntimeError, ["64 bits", "18446744073709551616"]),
        (lambda: Tensor([2**64]), TypeError, ["`input_data`"]),
        (lambda: Tensor(np.array([1], ">i4")), TypeError, ["`input_data`", "byte order", ">i4"]),
        (lambda: Tensor(np.array(["a"])), TypeError, ["`input_data`", "<U1"]),
        (lambda: Tensor([1], np.float32), TypeError, ["`dtype`", "mindspore.float32", "numpy.float32"]),
        (lambda: Tensor([1], "float32"), TypeError, ["`dtype`", "'float32'", "str"]),
        (lambda: Tensor([1, 2], shape=(2,)), ValueError, ["`shape`", "`input_data`", "(2,)", "reshape"]),
        (lambda: Tensor(shape=(2,)), TypeError, ["`dtype`", "`shape`"]),
        (lambda: Tensor(shape="a", dtype=ms.int8), TypeError, ["`shape`", "'a'", "str"]),
        (lambda: Tensor(shape=(2,), init=One()), ValueError, ["`init`", "`dtype`", "`shape`", "dtype=None"]),
        (lambda: Tensor(1, const_arg=1), TypeError, ["`const_arg`", "bool", "1", "int"]),
        (lambda: Tensor(1, device="cpu"), ValueError, ["`device`", "CPU", "'cpu'"]),
        (lambda: Tensor(1).init_data(), TypeError, ["`init_data`", "init=None"]),
        (lambda: Tensor.from_numpy([1]), TypeError, ["`from_numpy`", "[1]", "list"]),
        (lambda: Tensor(1, requires_grad=True), RuntimeError, ["floating point", "Int64"]),
        (lambda: len(Tensor(1)), TypeError, ["`len`", "0-d"]),
        (lambda: bool(Tensor([1, 2])), ValueError, ["`bool`", "(2,)", "ambiguous"]),
        (lambda: [0][Tensor(0.0)], ValueError, ["`index`", "integer", "Float32"]),
        (lambda: Tensor([1, 2]).item(), ValueError, ["`item`", "(2,)"]),
        (lambda: Tensor([1, 2]).itemset(5, 1), IndexError, ["`itemset`", "[-2, 2)", "5"]),
        (lambda: Tensor([1, 2]).itemset(0, "a"), TypeError, ["`itemset`", "'a'", "str"]),
        (
            lambda: Tensor([1, 2])[0:1].assign_value(Tensor([1, 2])),
            ValueError,
            ["`assign_value`", "view", "(2,)"],
        ),
        (lambda: Tensor([1.0]).retain_grad(), RuntimeError, ["retain_grad"]),
    ],
)
def test_refusals(make, error, told):
    with pytest.raises(error) as raised:
        make()
    for part in told:
        assert part in str(raised.value)


def test_numpy_arrays_are_copied():
    for make in (Tensor, Tensor.from_numpy, ms.from_numpy, ms.tensor):
        n = np.ones(100_000)
        x = make(n)
        n[:] = 5
        assert float(x[0]) == 1.0
        out = x.asnumpy()
        out[:] = 6
        assert float(x[0]) == 1.0


def test_constants_in_a_compiled_function_have_values():
    @ms.jit
    def f(x):
        shape = Tensor([2, 2])
        return x.reshape(shape.tolist()) * int(Tensor(3))

    assert f(Tensor([1, 2, 3, 4])).asnumpy().tolist() == [[3, 6], [9, 12]]


@pytest.mark.parametrize("transformed", [ms.grad, lambda f: ms.grad(ms.jit(f)), lambda f: ms.jit(ms.grad(f))])
def test_a_list_of_tensors_is_a_constant(transformed):
    gradient = transformed(lambda x: (Tensor([x[0], x[1]]) * x[0]).sum())
    assert gradient(Tensor([1.0, 2.0, 3.0])).asnumpy().tolist() == [3.0, 0.0, 0.0]


def test_lists_of_tensors_under_vmap():
    pairs = ms.vmap(lambda x: Tensor([x, x * 2, 1.0]))(Tensor([1.0, 2.0]))
    assert pairs.asnumpy().tolist() == [[1.0, 2.0, 1.0], [2.0, 4.0, 1.0]]


def test_initializers_are_there_at_once():
    x = Tensor(shape=(2,), dtype=ms.float32, init=One())
    assert x.has_init
    assert x.init_data() is x
    assert x.asnumpy().tolist() == [1.0, 1.0]
    assert Tensor(shape=3, dtype=ms.int8, init=2).tolist() == [2, 2, 2]
    assert Tensor(shape=(2, None), dtype=ms.float32).shape == (2, -1)


# ---------------------------------------------------------------------- copies


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_of_a_leaf_are_leaves(copied):
    x = Tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    x.register_hook(lambda gradient: gradient)
    y = copied(x)
    (y * 3.0).sum().backward()
    assert y.is_leaf
    assert x.grad.asnumpy().tolist() == [2.0, 4.0]
    assert y.grad.asnumpy().tolist() in ([5.0, 7.0], [3.0, 3.0])


def test_a_deep_copy_has_the_gradient():
    x = Tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    y = copy.deepcopy(x)
    y.grad[0] = 9.0
    assert y.grad.asnumpy().tolist() == [9.0, 4.0]
    assert x.grad.asnumpy().tolist() == [2.0, 4.0]
    assert not copy.copy(x).requires_grad


def test_text_in_a_trace():
    seen = []
    ms.jit(lambda x: (seen.append(f"{x} {x!r}"), x)[1])(Tensor([1, 2]))
    assert seen == ["[1 2] Tensor(shape=[2], dtype=Int64, value= [1, 2])"]


def test_dlpack():
    x = Tensor([1.0, 2.0])
    assert np.from_dlpack(x).tolist() == [1.0, 2.0]
    assert Tensor.from_dlpack(np.array([3.0])).tolist() == [3.0]
    assert Tensor.from_dlpack(x.to_dlpack()).tolist() == [1.0, 2.0]


def test_set_dtype_converts_in_place():
    x = Tensor([1.5, 2.5])
    assert x.set_dtype(ms.int32) is ms.int32
    assert (x.dtype, x.tolist()) == (ms.int32, [1, 2])


def test_older_forms_of_item():
    x = Tensor([[1, 2], [3, 4]])
    assert (x.item(3), x.item((0, 1)), x.item(1, 0)) == (4, 2, 3)
    with pytest.raises(IndexError):
        x.item(4)


def test_minus_zero_is_not_zero():
    x = ms.Tensor([1.0])
    assert np.signbit((x * 0.0).asnumpy()).tolist() == [False]
    assert np.signbit((x * -0.0).asnumpy()).tolist() == [True]


def test_lists_and_arrays_beside_tensors_after_numbers():
    x = Tensor([1.0, 2.0])
    for _ in range(3):
        assert (x + 0.5).asnumpy().tolist() == [1.5, 2.5]
    others = [1, 2]
    for _ in range(2):
        assert (x + others).asnumpy().tolist() == (others + x).asnumpy().tolist() == [2.0, 4.0]
        assert (np.array([1.0, 2.0]) * x).tolist() == [1.0, 4.0]


@pytest.mark.parametrize("data", [0.1, [0.1], [[0.1, 1]], [1e300], (16777217.0,), [0.1 + 2j]])
def test_numbers_are_read_in_the_wanted_dtype(data):
    dtype = ms.complex128 if np.iscomplexobj(data) else ms.float64
    found = ms.Tensor(data, dtype).asnumpy()
    np.testing.assert_array_equal(found, np.array(data), strict=True)


def test_numbers_in_lists_become_whole_without_a_way_through_float32():
    assert ms.Tensor([16777217.0], ms.int64).asnumpy().tolist() == [16777217]


@pytest.mark.parametrize("device", ["Ascend", "npu", "CPU"])
def test_programs_for_a_card_run_where_there_is_none(device):
    assert ms.Tensor([1.0]).to(device).asnumpy() == 1
    assert ms.nn.Dense(1, 1).to(device)(ms.mint.empty((1, 1), device=device)).shape == (1, 1)


def test_what_numpy_computed_is_like_any_other_tensor():
    made = (ms.Tensor([[1.0, -2.0]]) * 1.25).reshape((2, 1))
    assert (made.device, made.dtype, made.shape, made.itemsize) == ("CPU", ms.float32, (2, 1), 4)
    assert made.asnumpy().flags.writeable
    assert np.from_dlpack(made.to_dlpack()).tolist() == [[1.25], [-2.5]]
    assert isinstance((made + 1.25).array, jax.Array)
    assert pickle.loads(pickle.dumps(made - 0.25)).asnumpy().tolist() == [[1.0], [-2.75]]
    assert copy.deepcopy(made * 3.25).asnumpy().tolist() == [[4.0625], [-8.125]]
