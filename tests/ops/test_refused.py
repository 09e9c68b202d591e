"""What is no Tensor, where MindSpore takes Tensors alone: refused by the door, as the documentation says."""

import inspect
import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax.core.op.argument_types import OR_BOOLS, taken

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "refused.json").read_text())


def documented(name: str) -> tuple[list[str], set[str]]:
    """The names of an operator's parameters, and those of them that take Tensors alone."""
    fn = getattr(ms.ops, name)
    return list(inspect.signature(fn).parameters), {n for _, n in taken(fn.pure, fn.record.arrays)[0] or ()}


def wrong(kind: str, refuses: bool) -> list[str]:
    """Arguments of the golden table of which our operators' documentation says something else."""
    found = []
    for name, arguments in GOLDEN[kind].items():
        if hasattr(getattr(ms.ops, name), "record"):
            names, strict = documented(name)
            arguments = [a if isinstance(a, str) else names[a] for a in arguments]
            found += [f"{name}: {a}" for a in arguments if a in names and (a in strict) != refuses]
    return found


def test_documentation_says_where_numbers_are_taken():
    found = wrong("numbers", refuses=False)
    assert not set(found) - {f"{op}: {argument}" for op, argument in OR_BOOLS}


def test_documentation_says_where_only_tensors_are_taken():
    # MindSpore refuses numbers on one side of these and takes them on the other; here both take them.
    either = {"fmod", "float_power", "fmin", "bitwise_and", "matrix_diag_part"}
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
    assert (array + x).asnumpy().tolist() == [2.0, 3.0]
    assert (array < x).asnumpy().tolist() == [False, True]


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
    for fn in (ms.ops.eq, ms.ops.less, ms.mint.lt, ms.ops.gcd):
        with pytest.raises(TypeError, match="must be a Tensor"):
            fn(2, x)
    assert (x > 2).asnumpy().tolist() == (x == 2).asnumpy().tolist() == [False, False]
