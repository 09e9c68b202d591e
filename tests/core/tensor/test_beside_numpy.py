"""NumPy's arrays beside Tensors: as in MindSpore 2.10, which gave what is expected here, `array + x` is an array."""

import operator
from collections.abc import Callable

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, Tensor, ops

X = np.array([1.0, 2.0, 3.0], np.float32)
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.matmul]  # fmt: skip


@pytest.mark.parametrize("compute", BINARY)
@pytest.mark.parametrize("left", [np.ones(3), np.ones((2, 3), np.float32)], ids=["float64", "float32"])
@pytest.mark.parametrize("kind", [Tensor, Parameter])
def test_an_array_first_gives_an_array(compute: Callable, left: np.ndarray, kind: Callable) -> None:
    got, expected = compute(left, kind(Tensor(X))), compute(left, X)
    assert type(got) is type(expected)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_numpy_functions() -> None:
    x = Tensor(X)
    assert np.all(np.ones(3) == Tensor(np.ones(3)))
    for got, expected in ((np.sin(x), np.sin(X)), (np.maximum(x, np.ones(3)), X), (np.float32(2) * x, 2 * X)):
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, expected)
    assert np.add.reduce(x) == 6
    total = np.ones(3)
    total += x
    np.testing.assert_array_equal(total, X + 1)


def test_where_there_may_be_a_gradient_it_is_a_tensor() -> None:
    def loss(x: Tensor) -> Tensor:
        return (np.float32(3) * x + np.ones(3, np.float32) * x).sum()

    assert ms.grad(loss)(Tensor(X)).tolist() == [4, 4, 4]
    assert ms.jit(ms.grad(loss))(Tensor(X)).tolist() == [4, 4, 4]
    assert float(ms.jit(loss)(Tensor(X))) == 24
    y = np.ones(3, np.float32) * ms.torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    assert isinstance(y, ms.torch.Tensor)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod"])
def test_augmented_operators_by_name(name: str) -> None:
    x = Tensor(X)
    assert getattr(x, f"__i{name}__")(2).tolist() == getattr(operator, name)(x, 2).tolist()
    assert x.tolist() == X.tolist()


@pytest.mark.parametrize("under", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_new_ones_takes_a_dtype_second(under: Callable) -> None:
    ones, zeros = under(lambda x: (x.new_ones((2,), ms.float16), x.new_zeros([1, 2], ms.int32)))(Tensor(X))
    assert (ones.dtype, ones.tolist()) == (ms.float16, [1, 1])
    assert (zeros.dtype, zeros.tolist()) == (ms.int32, [[0, 0]])
    with pytest.raises(TypeError):
        Tensor(X).new_ones(2, 3)


def test_a_tensor_of_one_element_is_an_int() -> None:
    x, two = Tensor(X), Tensor([2])
    assert ops.topk(x, two, 0)[0].tolist() == [3, 2]
    assert ops.expand_dims(x, Tensor([0])).shape == (1, 3)
    assert ops.gather(x, Tensor([0]), Tensor([0])).tolist() == [1]
    assert ops.unsorted_segment_sum(x, Tensor([0, 0, 1]), two).tolist() == [3, 3]
    with pytest.raises(TypeError, match=r"topk.*`k`"):
        ops.topk(x, Tensor([1, 2]), 0)


def test_a_mutable_bool_is_a_bool() -> None:
    flag = ms.mutable(False)
    assert isinstance(flag, bool)
    assert not flag
    assert ms.jit(lambda x, keep: x + 1 if keep else x - 1)(Tensor(X), flag).tolist() == [0, 1, 2]


def test_dense_beside_coordinates() -> None:
    coo = ms.COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3))
    dense = Tensor(np.full((2, 3), 2.0, np.float32))
    assert (dense + coo).tolist() == [[2, 3, 2], [2, 2, 4]]
    assert (dense - coo).tolist() == [[2, 1, 2], [2, 2, 0]]
    assert (dense * coo).to_dense().tolist() == [[0, 2, 0], [0, 0, 4]]
    with pytest.raises(TypeError):
        dense / coo
    assert ops.dtype(coo) is ms.float32
