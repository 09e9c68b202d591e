"""Values of small arguments that a compiled function needs in Python: a program is made for each value."""

import logging

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn, ops
from msjax.core.jit.compiled import _MANY_VALUES, _MOST_VALUES

X = Tensor(np.arange(6, dtype=np.float32))


def in_python(x, t):
    return x * 2 if t.item() > 3 else x + float(t.asnumpy())


def growing(x, n):
    while x.sum() < 300:
        x = ops.reshape(x, (n, -1)).reshape((-1,)) * 2
    return x


def inplace(x, n):
    n.add_(1)
    return ops.reshape(x, (n, -1))


def branching(x, n):
    if x.sum() > 3:
        return x.view(n, -1).sum(0)[:1]
    return x[:1]


# What runs, and two calls of it: the other arguments, and what comes out.
PROGRAMS = {
    "size": (lambda x, t: ops.zeros(t), ([2, 3], np.zeros((2, 3))), ([1], np.zeros(1))),
    "shape": (ops.reshape, ([2, 3], np.arange(6).reshape(2, 3)), ([3, 2], np.arange(6).reshape(3, 2))),
    "part of a shape": (lambda x, n: x.view(n, -1).sum(0), (2, [3, 5, 7]), (3, [6, 9])),
    "computed": (lambda x, n: ops.reshape(x, (n * 2 - 1, -1)).sum(1), (2, [1, 5, 9]), (1, [15])),
    "int": (lambda x, n: x[: int(n)], (2, [0, 1]), (1, [0])),
    "in Python": (in_python, (2, np.arange(6) + 2), (4, np.arange(6) * 2)),
    "in a branch": (branching, (2, [3]), (3, [6])),
    "in a loop": (growing, (2, np.arange(6) * 32), (3, np.arange(6) * 32)),
    "changed in place": (
        inplace,
        (1, np.arange(6).reshape(2, 3)),
        (2, np.arange(6).reshape(3, 2)),
    ),
    "number of rows": (
        lambda x, t: ops.masked_select(x, t > 0),
        ([0, 1, 0, 0, 0, 1], [1, 5]),
        ([1, 0, 0, 0, 0, 0], [0]),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_for_each_value(name):
    function, *calls = PROGRAMS[name]
    compiled = ms.jit(lambda x, t: function(x, t))
    for _ in range(2):
        for value, expected in calls:
            np.testing.assert_array_equal(compiled(X, Tensor(value)).asnumpy(), expected)
    assert compiled.programs == 2


def test_no_value_is_asked_for_where_none_is_needed():
    compiled = ms.jit(lambda x, n: x * n if n > 2 else x)
    for n in range(5):
        compiled(X, Tensor(n))
    assert compiled.programs == 1


def test_floats_captured_tensors_and_cells():
    n = Tensor(3)
    compiled = ms.jit(lambda x: ops.reshape(ops.nonzero(x), (n, -1)))
    assert compiled(Tensor([0.0, 2.0, 3.0, 1.0])).shape == (3, 1)
    n.set_data(Tensor(1))
    assert compiled(Tensor([0.0, 2.0, 3.0, 1.0])).shape == (1, 3)

    class Net(nn.Cell):
        def construct(self, x, size):
            return x.sum() + ops.ones((size, 2))

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert Net()(X, Tensor(4)).tolist() == [[16.0] * 2] * 4
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_inside_of_other_transformations():
    inner = ms.jit(lambda x, n: (ops.reshape(x, (n + 1, -1)) ** 2).sum())
    outer = ms.jit(lambda x, n: inner(x, n * 2) + 1)
    for n in (1, 0, 1):
        assert outer(X, Tensor(n)) == 56
    assert outer.programs == inner.programs == 2
    assert ms.jit(ms.grad(inner))(X, Tensor(1)).tolist() == [0, 2, 4, 6, 8, 10]
    assert ms.grad(inner)(X, Tensor(1)).tolist() == [0, 2, 4, 6, 8, 10]
    assert ms.vmap(lambda x, n: ops.reshape(x, (n, -1)), (0, None))(ops.ones((4, 6)), Tensor(2)).shape == (
        4,
        2,
        3,
    )
    assert ms.jit(lambda x, n: ms.recompute(inner, x, n))(X, Tensor(1)) == 55


def test_what_branches_leave_may_differ_where_the_condition_can_be_known():
    def f(x):
        y = None
        if x.sum() > 10:
            return x[:1], "large", y
        if x.sum() > 0:
            y = x
        return x, "small", y

    compiled = ms.jit(f)
    for _ in range(2):
        assert [part if isinstance(part, str) else part.shape for part in compiled(X)[:2]] == [(1,), "large"]
        assert compiled(X * 0)[2] is None
        assert compiled(X / 10)[2].shape == (6,)
    assert compiled.programs == 3
    with pytest.raises(TypeError, match="come out of both branches"):
        compiled(ops.ones(2000))


def test_without_source_values_decide():
    namespace = {}
    exec("def f(x):\n    return x if x > 0 else -x", namespace)  # noqa: S102
    compiled = ms.jit(namespace["f"])
    assert [compiled(Tensor(v)).item() for v in (2.0, -3.0, 2.0)] == [2, 3, 2]
    assert compiled.programs == 2


def counting(x, n):
    while x.sum() < 300:
        x = ops.reshape(x, (n, -1)).reshape((-1,)) * 2
        n += 1
    return x


WITHOUT = {
    "too many": (
        lambda x, n: ops.nonzero(x),
        (Tensor(np.ones(2000, np.float32)), n := Tensor(2)),
        "1024 elements at most",
    ),
    "random": (lambda x, n: ops.nonzero(ops.rand(3)), (X, n), "random numbers"),
    "changed by a loop": (counting, (X, n), "what a loop or a mapping changes"),
    "mapped": (
        ms.vmap(ops.reshape),
        (ops.ones((2, 6)), Tensor([[2, 3]] * 2)),
        "what a loop or a mapping changes",
    ),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_what_cannot_be_known_says_why(name):
    function, args, why = WITHOUT[name]
    with pytest.raises(RuntimeError, match=why) as info:
        ms.jit(lambda *args: function(*args))(*args)
    assert "pass it as an argument" in str(info.value)


def test_many_values_are_reported_and_their_programs_bounded(caplog):
    compiled = ms.jit(lambda x, n: ops.zeros(n))
    with caplog.at_level(logging.WARNING, "msjax.jit"):
        for n in range(_MANY_VALUES):
            compiled(X, Tensor(n))
    (record,) = caplog.records
    assert f"{_MANY_VALUES} programs have been made for different values of `n`" in record.getMessage()
    (entries,) = compiled._entries.values()
    entries += entries[-1:] * (_MOST_VALUES - _MANY_VALUES)
    compiled(X, Tensor(99))
    assert compiled.programs == _MOST_VALUES


def test_the_reason_is_in_the_log(caplog):
    ms.set_context(log_compiles=True)
    compiled = ms.jit(lambda x, n: ops.reshape(x, n))
    with caplog.at_level(logging.WARNING, "msjax.jit"):
        compiled(X, Tensor([2, 3]))
        compiled(X, Tensor([3, 2]))
    ms.set_context(log_compiles=False)
    assert "`n`, whose value the program needs, is [3, 2], not [2, 3]" in caplog.records[-1].getMessage()


def test_values_that_are_needed_beside_branches_that_differ():
    @ms.jit
    def f(x, n):
        y = [int(x.asnumpy())]
        if x < n:
            return x, y[0], 1
        return x, y

    assert f(Tensor(1), Tensor(2)) == (1, 1, 1)
    assert f(Tensor(3), Tensor(2)) == (3, [3])
