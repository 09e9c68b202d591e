"""Arguments that are no Tensors, where MindSpore takes Tensors alone: refused, as the annotations say."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from jax import Array

import msjax as ms
from msjax.core.op.argument_types import Accepts, ArrayLike, ArrayOrNumber, BoolLike
from msjax.core.op.op import op

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "refused.json").read_text())


def accepts(name: str) -> dict[str, Accepts]:
    """Return what the arrays of an operator may be, by the names of the parameters."""
    record = getattr(ms.ops, name).record
    return dict(zip(record.arrays, record.accepts, strict=True))


def wrong(kind: str, refuses: bool) -> list[str]:
    """Arguments of the golden table of which our operators' annotations say something else."""
    found = []
    for name, arguments in GOLDEN[kind].items():
        if hasattr(getattr(ms.ops, name), "record"):
            names = list(inspect.signature(getattr(ms.ops, name)).parameters)
            strict = {n for n, kind in accepts(name).items() if kind in (Accepts.TENSOR, Accepts.BOOL)}
            arguments = [a if isinstance(a, str) else names[a] for a in arguments]
            found += [f"{name}: {a}" for a in arguments if a in names and (a in strict) != refuses]
    return found


def test_annotations_say_where_numbers_are_taken():
    for found in wrong("numbers", refuses=False):
        name, argument = found.split(": ")
        assert accepts(name)[argument] is Accepts.BOOL


def test_annotations_say_where_only_tensors_are_taken():
    # MindSpore refuses numbers on one side of these and takes them on the other; here both take them. In 1.x `less` and
    # `equal` did too, and published programs call `less(0, labels)`.
    either = {"fmod", "float_power", "fmin", "bitwise_and", "matrix_diag_part", "eq", "lt"}
    assert {entry.split(":")[0] for entry in wrong("tensors", refuses=True)} <= either


@pytest.mark.parametrize(
    "other", [2, 2.5, True, np.float32(2), np.ones(2), [1.0, 2.0], (1, 2), "x"], ids=repr
)
def test_the_argument_is_named(other):
    x = ms.Tensor([1.0, 2.0])
    for fn in (lambda: ms.ops.exp(other), lambda: ms.jit(lambda x: x + ms.ops.exp(other))(x)):
        with pytest.raises(TypeError, match=r"`exp`: argument `input` must be a Tensor\. Received: "):
            fn()
    with pytest.raises(TypeError, match="`lerp`: argument `end` must be a Tensor"):
        ms.ops.lerp(x, other, 0.5)
    with pytest.raises(TypeError, match="`sum`: argument `input` must be a Tensor"):
        ms.grad(lambda x: ms.ops.sum(other) + x.sum())(x)


def test_lists_of_tensors_are_no_tensor():
    x = ms.Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="`softmax`"):
        ms.ops.softmax([x, x])


def test_lists_beside_tensors():
    x = ms.Tensor([1.0, 2.0])
    beside = [1, 2]
    assert (x + beside).asnumpy().tolist() == [2.0, 4.0]
    assert ((1, 2) - x).asnumpy().tolist() == [0.0, 0.0]
    assert (x // (1, 2)).asnumpy().tolist() == [1.0, 1.0]
    for fn in (ms.ops.mul, ms.ops.maximum, ms.ops.eq, ms.ops.atan2):
        with pytest.raises(TypeError, match="argument `other` must be a Tensor or a number"):
            fn(x, [1, 2])
        with pytest.raises(TypeError, match="argument `other` must be a Tensor or a number"):
            ms.grad(lambda x: fn(x, [1, 2]))(x)  # noqa: B023


def test_operators_take_lists_in_the_dtype_of_the_tensor_and_functions_refuse_them():
    x, beside = ms.Tensor([3, 2]), [1.5, 2.5]
    assert [(x + beside).dtype, (beside - x).dtype, x.add(beside).dtype] == [ms.int64] * 3
    assert ([2, 3] ** x).asnumpy().tolist() == [8, 9]

    @ms.jit
    def compiled(x):
        return x * beside, x / beside, x % beside, x // beside

    assert [y.asnumpy().tolist() for y in compiled(x)] == [[3, 4], [3, 1], [0, 0], [3, 1]]
    operators: list = [lambda x, y: x * y, lambda x, y: x % y, lambda x, y: x**y, lambda x, y: x < y]
    for fn in (
        ms.ops.add,
        ms.ops.sub,
        ms.ops.pow,
        ms.mint.add,
        ms.mint.sub,
        ms.mint.floor_divide,
        *operators,
    ):
        with pytest.raises(TypeError, match="must be a Tensor or a number"):
            fn(x, [1, 2])


def test_arrays_of_numpy_are_refused_right_of_a_tensor():
    x, array = ms.Tensor([1.0, 2.0]), np.ones(2, np.float32)
    operators: list = [lambda x, y: x + y, lambda x, y: x / y, lambda x, y: x**y]
    for fn in (ms.ops.add, ms.ops.mul, ms.ops.less, ms.ops.minimum, ms.mint.add, *operators):
        for call in (fn, ms.jit(fn), ms.value_and_grad(fn)):
            with pytest.raises(TypeError, match="must be a Tensor or a number"):
                call(x, array)
    for found, expected in ((array + x, [2.0, 3.0]), (array < x, [False, True])):
        assert type(found) is np.ndarray
        assert found.tolist() == expected


@pytest.mark.parametrize("other", [2, None, [1.0, 2.0]], ids=repr)
def test_functions_of_mint(other):
    mint, at = ms.mint, ms.Tensor([[0]])
    for fn in (
        mint.tanh,
        mint.sigmoid,
        mint.norm,
        mint.diag,
        lambda x: mint.cumsum(x, 0),
        lambda x: mint.cumprod(x, 0),
    ):
        with pytest.raises(TypeError, match="must be a Tensor"):
            fn(other)
    for fn in (
        lambda x: mint.narrow(x, 0, 0, 1),
        lambda x: mint.select(x, 0, 0),
        lambda x: mint.kthvalue(x, 1),
    ):
        with pytest.raises(TypeError, match="must be a Tensor"):
            fn(other)
    with pytest.raises(TypeError, match="argument `index` must be a Tensor"):
        mint.scatter(at, 0, other, at)


def test_none_is_no_tensor():
    with pytest.raises(TypeError, match="`std_mean`: argument `input` must be a Tensor"):
        ms.ops.std_mean(None, 0)


def test_settings_that_are_bools():
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    calls: list = [
        lambda flag: ms.ops.sum(x, 0, keepdim=flag),
        lambda flag: ms.ops.mean(x, 0, flag),
        lambda flag: ms.mint.sum(x, 0, flag),
        lambda flag: ms.mint.sort(x, descending=flag),
        lambda flag: ms.ops.amax(x, 0, keepdims=flag),
        lambda flag: x.nonzero(as_tuple=flag),
        lambda flag: x.unique(return_counts=flag),
        lambda flag: ms.ops.cumsum(x, 0) if flag is True else ms.ops.topk(x, 1, sorted=flag),
    ]
    for call in calls:
        call(True)
        for flag in (1, 0, None, 1.0, "True", []):
            with pytest.raises(TypeError, match="must be a bool"):
                call(flag)


def test_logic_takes_bools_and_no_other_numbers():
    x = ms.Tensor([1.0, 0.0])
    for fn in (ms.ops.logical_and, ms.ops.logical_or, ms.mint.logical_xor):
        assert fn(x, True).dtype == fn(False, x).dtype == ms.bool_
        for other in (2, 2.5, 0, np.float32(1), np.bool_(True)):
            for given in ((x, other), (other, x)):
                with pytest.raises(TypeError, match="must be a Tensor or a bool"):
                    fn(*given)
    with pytest.raises(TypeError, match="must be a Tensor"):
        ms.ops.gcd(2, x)
    assert (x > 2).asnumpy().tolist() == (x == 2).asnumpy().tolist() == [False, False]


def test_annotations_decide():
    @op(static="flag loose")
    def scaled(
        x: Array,
        by: ArrayOrNumber,
        y: ArrayLike,
        at: Array | None = None,
        flag: bool = True,
        loose: BoolLike = True,
    ):
        return x * by

    x = ms.Tensor([1.0])
    assert [kind.name for kind in scaled.record.accepts] == ["TENSOR", "NUMBER", "ANYTHING", "TENSOR"]
    assert (
        scaled(x, 2, [1.0, 2.0]).asnumpy().tolist() == scaled(x, x + x, 1, None, False, 0).asnumpy().tolist()
    )
    for args, rule in (
        ((2, 2, 2), "`x` must be a Tensor\\."),
        ((x, [2], 2), "`by` must be a Tensor or a number\\."),
        ((x, x, x, 3), "`at` must be a Tensor\\."),
        (([x], x, x), "`x` must be a Tensor\\."),
        ((x, x, x, x, 1), "`flag` must be a bool\\."),
    ):
        with pytest.raises(TypeError, match=rule):
            scaled(*args)


def test_annotations_that_are_texts_are_read():
    def scaled(x: "Array", by: "ArrayOrNumber | None" = None): ...

    assert [kind.name for kind in op(scaled).record.accepts] == ["TENSOR", "NUMBER"]


# Prints what operators of every family take, and how some of them refuse.
_TABLE = """
import importlib, inspect, json
import msjax as ms
from msjax.core.op.op import Record

families = "nn.activation_piecewise math.arithmetic math.bitwise math.casts math.comparison nn.convolution nn.loss"
families += " nn.pooling reduction.reduction reduction.statistics linalg.products linalg.solving nn.normalization"
families += " random.draws array.scattering array.nonzero_unique array.shapes signal.stft_windows signal.fft math.special"
modules = [f"msjax.ops.{name}" for name in families.split()]
modules += ["msjax.mint._statistics", "msjax.numpy.reduction", "msjax.scipy.linalg", "msjax.torch.linalg"]
found = {}
for name in modules:
    for key, value in sorted(vars(importlib.import_module(name)).items()):
        record = getattr(value, "record", None) if inspect.isfunction(value) else None
        if isinstance(record, Record):
            kinds = [kind.name for kind in record.accepts]
            found[f"{name}.{key}"] = [record.arrays, kinds, record.flags, record.promotes]

x = ms.Tensor([1.0])
calls = dict(
    relu=lambda: ms.ops.relu(-1.0), add=lambda: ms.ops.add(x, [1.0]), logical_and=lambda: ms.ops.logical_and(x, 2),
    sum=lambda: ms.ops.sum(x, 0, keepdim=1), norm=lambda: ms.mint.norm(None),
)
for name, call in calls.items():
    try:
        found[name] = repr(call())
    except TypeError as error:
        found[name] = str(error)
print(json.dumps(found))
"""


def test_python_without_docstrings_and_assertions_takes_the_same(capsys):
    exec(_TABLE, {})
    told = capsys.readouterr().out
    child = subprocess.run([sys.executable, "-OO", "-c", _TABLE], capture_output=True, text=True, check=True)
    here, there = json.loads(told), json.loads(child.stdout)
    assert here == there
    assert len(here) > 250
    assert all("must be a" in here[name] for name in ("relu", "add", "logical_and", "sum", "norm"))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: ms.ops.clip_by_norm(x, y),
        lambda x, y: ms.ops.clip_by_global_norm((x,), y),
        lambda x, y: ms.mint.nan_to_num(x, y),
    ],
    ids=["clip_by_norm", "clip_by_global_norm", "nan_to_num"],
)
def test_shapes_that_do_not_fit_are_named(call):
    with pytest.raises((TypeError, ValueError), match="`"):
        call(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 2.0]))


def test_none_is_named():
    with pytest.raises(TypeError, match="`relu`: argument `input` must be a Tensor"):
        ms.mint.nn.functional.relu(None)


def test_places_that_are_not_there():
    x = ms.Tensor([1.0, 2.0, 3.0])
    with pytest.raises(RuntimeError, match="`trapz`: argument `x` must have one place for each value"):
        ms.ops.trapz(x, ms.Tensor([1.0, 2.0]))
    for q in (99, -1, 1.5):
        with pytest.raises(ValueError, match=r"`quantile`: argument `q` must be in \[0, 1\]"):
            ms.ops.quantile(x, q)
    assert ms.ops.quantile(x, 1) == 3
    assert ms.ops.trapz(x, ms.Tensor([1.0, 2.0, 4.0])) == 6.5
