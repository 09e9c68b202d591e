"""The short way through an operator: calls like earlier ones, and what only looks like them."""

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import ops
from msjax.core.op.op import op


def tensor(*values, dtype=np.float32):
    return ms.Tensor(np.asarray(values, dtype))


def thrice(call):
    """The result of the third of three calls, the first of which shows the way."""
    return [call() for _ in range(3)][-1]


@pytest.fixture
def dispatch(monkeypatch):
    """An operator whose dispatch function counts its calls."""
    count = []

    @op(static="axis")
    def scaled(x, y=None, axis=0):
        return (x if y is None else x * y).sum(axis)

    original = scaled.__globals__["_dispatch"]
    scaled.__globals__["_dispatch"] = lambda *args: count.append(1) or original(*args)
    return scaled, count


@pytest.mark.parametrize(
    "args",
    [
        (),
        (2.0,),
        (2,),
        (True,),
        (tensor(1.0, 2.0),),
        (None,),
        (0.0,),
        (-0.0,),
        (ms.Parameter(tensor(1.0, 1.0)),),
    ],
    ids=str,
)
def test_calls_like_earlier_ones_are_not_dispatched(dispatch, args):
    scaled, count = dispatch
    x = tensor(1.0, 3.0)
    results = [scaled(x, *args).asnumpy() for _ in range(5)]
    assert len({r.tobytes() for r in results}) == 1
    assert 1 <= len(count) <= 3  # a number is kept on the device from the second call on


def test_others_are(dispatch):
    scaled, count = dispatch
    x = tensor(1.0, 3.0)
    thrice(lambda: scaled(x, 2.0))
    del count[:]
    x.requires_grad = True
    assert scaled(x, 2.0).requires_grad
    scaled(tensor(1.0, 3.0), x)
    ms.grad(lambda v: scaled(v, 2.0))(tensor(1.0, 2.0))
    ms.jit(lambda v: scaled(v, 2.0))(tensor(1.0, 2.0))
    ms.vmap(lambda v: scaled(v, 2.0))(tensor([1.0], [2.0]))
    scaled(tensor(1.0, 3.0)[0:1], 2.0)
    scaled(tensor(1.0, 3.0), np.float32(2.0))
    assert len(count) == 7


def test_equal_arguments_of_other_types_are_others():
    x = tensor(1, 2, dtype=np.int32)
    got = [thrice(lambda y=y: ops.add(x, y)) for y in (1, True, 1.0, 2.5, 1)]
    assert [str(g.dtype) for g in got] == ["Int32", "Int32", "Float32", "Float32", "Int32"]
    y = tensor(2.0, 3.0)
    signs = [np.signbit(thrice(lambda z=z: ops.mul(y, z)).asnumpy()).tolist() for z in (0.0, -0.0, 0.0)]
    assert signs == [[False, False], [True, True], [False, False]]
    half = ms.Tensor([1.0], ms.float16)
    assert thrice(lambda: ops.add(half, 1.5)).dtype == ms.float16
    assert thrice(lambda: ops.add(y, 1.5)).dtype == ms.float32


def test_tuples_of_other_types_are_others():
    x = tensor([1.0, 2.0], [3.0, 4.0])
    assert thrice(lambda: ops.transpose(x, (1, 0))).asnumpy()[0, 1] == 3.0
    with pytest.raises(TypeError):
        ops.transpose(x, (True, False))
    with pytest.raises((TypeError, ValueError)):
        ops.transpose(x, (1.0, 0.0))
    assert ops.transpose(x, (1, 0)).asnumpy()[0, 1] == 3.0


@pytest.mark.parametrize("change", [lambda v: v.add_(10.0), lambda v: v.fill_(7.0)], ids=["add", "fill"])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[1],
        lambda x: x[0:1],
        lambda x: x[-1],
        lambda x: x[::2],
        lambda x: x.transpose(1, 0),
        lambda x: ops.reshape(x, (-1,)),
        lambda x: ops.split(x, 1)[1],
        lambda x: ops.expand_dims(x, 0),
    ],
    ids=range(8),
)
def test_views_made_the_short_way_share_memory(view, change):
    fresh = tensor([1.0, 2.0], [3.0, 4.0])
    change(view(fresh))
    x = tensor([0.0, 0.0], [0.0, 0.0])
    view(x), view(x)
    x = tensor([1.0, 2.0], [3.0, 4.0])
    seen = view(x)
    change(seen)
    np.testing.assert_array_equal(x.asnumpy(), fresh.asnumpy())
    x.mul_(2.0)
    np.testing.assert_array_equal(seen.asnumpy(), view(x).asnumpy())


def test_indices_are_told_apart():
    x = tensor([1.0, 2.0], [3.0, 4.0])
    for _ in range(3):
        assert x[1].shape == (2,)
        assert x[True].shape == (1, 2, 2)
        assert x[1:].shape == (1, 2)
        assert x[None].shape == (1, 2, 2)
        assert tensor(1.0, 2.0, 3.0)[1].asnumpy() == 2.0
        with pytest.raises(IndexError):
            x[2]
    assert ms.grad(lambda v: v[1] * 2)(x).asnumpy().tolist() == [[0.0, 0.0], [2.0, 2.0]]


def test_lists_of_tensors():
    x, y = tensor(1.0), tensor(2.0)
    assert thrice(lambda: ops.concat([x, y])).asnumpy().tolist() == [1.0, 2.0]
    assert thrice(lambda: ops.concat((x, y, x))).asnumpy().tolist() == [1.0, 2.0, 1.0]
    assert thrice(lambda: ops.stack([x, y], 1)).shape == (1, 2)
    whole = tensor(5.0, 6.0)
    view = whole[0:1]
    whole.add_(1.0)
    assert ops.concat([x, view]).asnumpy().tolist() == [1.0, 6.0]
    with pytest.raises(TypeError, match="concat"):
        ops.concat([x, 1.0])


def test_errors_are_the_same_the_second_time():
    x, y = tensor(1.0, 2.0), tensor(1.0, 2.0, 3.0)
    thrice(lambda: ops.add(x, x))
    messages = set()
    for _ in range(2):
        with pytest.raises(ValueError, match="broadcast") as caught:
            ops.add(x, y)
        messages.add((str(caught.value), *caught.value.__notes__))
    assert len(messages) == 1


def test_a_trace_of_jax_alone():
    x = tensor(1.0, 2.0)
    thrice(lambda: ops.add(x, x)[1])
    got = jax.jit(lambda v: (ops.add(ms.Tensor(v), 1.5)[1] * x[0]).array)(x.array)
    assert got == 3.5
