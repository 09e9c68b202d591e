"""Views of memory by steps (`as_strided`) and as other dtypes (`Tensor.view`), against NumPy."""

import itertools

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor
from msjax.ops.auto_generate import AsStrided, as_strided, as_strided_op

X = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize(
    ("made", "memory"), [(lambda t: t, X), (lambda t: t[1:], X), (lambda t: t.T, X), (lambda t: t + 1, X + 1)]
)
@pytest.mark.parametrize(
    "way", [((2, 2), (3, 1), 0), ((3, 3), (1, 0), 2), ((), (), 5), ((0, 2), (1, 1), 0), ((2, 3), (6, 2), 1)]
)
def test_as_strided(made, memory, way):
    size, stride, offset = way
    expected = np.lib.stride_tricks.as_strided(memory.reshape(-1)[offset:], size, [4 * s for s in stride])
    found = as_strided(made(Tensor(X)), size, stride, offset)
    np.testing.assert_array_equal(found.asnumpy(), expected)


def test_as_strided_is_a_view():
    x = Tensor(X)
    inner = as_strided(as_strided(x, (2, 2), (3, 1), 1), (2, 1), (2, 1))
    assert (inner.stride(), inner.storage_offset(), inner.is_contiguous()) == ([2, 1], 0, False)
    inner.copy_(Tensor([[-1.0], [-2.0]]))
    np.testing.assert_array_equal(x.asnumpy()[0], [-1, 1, -2, 3])
    x[0, 0] = 7.0
    assert inner.asnumpy().tolist() == [[7], [-2]]


def test_gradients_of_as_strided():
    def shown(x, y):
        z = x * 2
        as_strided(z, (2, 2), (3, 1)).copy_(y)
        return as_strided_op(z, (3, 3), (1, 1), 1) * 3

    for f in (shown, ms.jit(shown)):
        of_x, of_y = ms.grad(f, (0, 1))(Tensor(X[0, :4].repeat(2)), Tensor(X[:2, :2]))
        np.testing.assert_array_equal(of_x.asnumpy(), [0, 0, 12, 0, 0, 6, 0, 0])
        np.testing.assert_array_equal(of_y.asnumpy(), [[0, 3], [9, 6]])


def test_as_strided_refused():
    for way in (((2, 2), (1,)), ((-1,), (1,)), ((9,), (9,)), ((2,), (1,), 11), ((2,), (1,), -1)):
        with pytest.raises(RuntimeError, match="as_strided"):
            as_strided(Tensor(X), *way)
    with pytest.raises(TypeError, match="tuple of ints"):
        AsStrided()(Tensor(X), 2, 1)


def test_views_as_other_dtypes():
    kinds = (ms.bool_, ms.float16, ms.int32, ms.float64, ms.complex64)
    for old, new in itertools.product(kinds, kinds):
        x = (np.arange(32).reshape(2, 16) % 2).astype(old.np)
        found = Tensor(x).view(new)
        assert found.dtype == new
        expected = x.view(new.np)
        if new == ms.bool_:
            expected = x.view(np.uint8) != 0
        assert found.asnumpy().tobytes() == expected.tobytes(), (old, new)


def test_views_as_other_dtypes_refused():
    x = Tensor(np.zeros((4, 6), np.float32))
    for view, kind in ((x.T, ms.int8), (x[:, ::2], ms.int16), (x[:, 1:5], ms.int64), (x[:, :3], ms.int64)):
        with pytest.raises(ValueError, match="view"):
            view.view(kind)
        assert view.view(ms.int32).shape == view.shape
    with pytest.raises(ValueError, match="width"):
        Tensor(1.0).view(ms.int8)


def test_numpy_types_by_the_inner_names():
    from msjax.core import dtype

    assert dtype._dtype_to_nptype(ms.uint16) is np.uint16
    assert dtype._dtype_to_pytype(ms.int8) is int
    assert dtype._pytype_to_dtype(float) == ms.float64


def test_the_gradient_of_an_argument_seen_by_steps():
    def summed(x):
        return as_strided(x, (3, 3), (1, 0)) * as_strided(x[1:], (3, 1), (1, 1))

    for differentiated in (ms.grad(summed), ms.jit(ms.grad(summed))):
        assert differentiated(Tensor([1.0, 2.0, 3.0])).asnumpy().tolist() == [6.0, 12.0, 18.0]


def test_views_show_one_memory():
    x = Tensor(X)
    memories = {view.untyped_storage().data_ptr() for view in (x, x[1:], x.T, x.T[1:])}
    assert len(memories) == 1
    assert x.copy().untyped_storage().data_ptr() not in memories
