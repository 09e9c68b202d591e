"""Arguments of open shapes and marked numbers, as MindSpore's own tests of operators give them."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, mint, nn, ops
from msjax import ops as P

X = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3))
CALLS = {
    "reshape": (ops.reshape, ((6, 2),)),
    "sum": (mint.sum, ((0,), True)),
    "slice": (ops.slice, ((0, 1), (2, 2))),
    "narrow": (ops.narrow, (0, 1, 2)),
    "split": (lambda x, n, axis: ops.split(x, n, axis)[0], (2, 0)),
    "ReduceSum": (P.ReduceSum(True), ((0,),)),
}


class Net(nn.Cell):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, *args):
        return self.op(*args)


@pytest.mark.parametrize("name", CALLS)
def test_marked_numbers(name):
    f, args = CALLS[name]
    expected = f(X, *args).asnumpy()
    marked = [ms.mutable(value) if not isinstance(value, bool) else value for value in args]
    np.testing.assert_array_equal(f(X, *marked).asnumpy(), expected)
    np.testing.assert_array_equal(ms.jit(Net(f))(X, *marked).asnumpy(), expected)


@pytest.mark.parametrize("shape", [[None, None], None])
def test_open_shapes_and_ranks(shape):
    net = Net(ops.relu)
    net.set_inputs(Tensor(shape=shape, dtype=ms.float32))
    np.testing.assert_array_equal(net(X).asnumpy(), X.asnumpy())
    np.testing.assert_array_equal(
        net(X[0]).asnumpy() if shape is None else net(X).asnumpy()[0], X[0].asnumpy()
    )


def test_a_tensor_of_open_rank():
    for x in (Tensor(shape=None, dtype=ms.float16), Tensor(None, ms.float16)):
        assert x.shape == (-2,)
        assert x.dtype == ms.float16
    with pytest.raises(TypeError):
        Tensor(None)


def test_tensor_to_tuple_in_a_compiled_function():
    def of(x, shape):
        return ops.reshape(x, ops.TensorToTuple()(shape))

    assert ms.jit(of)(X, Tensor([6, 2])).shape == (6, 2)


def test_compiled_functions_return_numbers_of_marked_numbers():
    f = ms.jit(lambda a, x: (a, (a + 1, 2 * a), [a], {"a": a == 2}, a * x))
    out = f(ms.mutable(2), Tensor(3.0))
    assert repr(out[:4]) == "(2, (3, 4), [2], {'a': True})"
    assert isinstance(out[4], Tensor)
    assert repr(ms.jit(lambda a: -f(a, X)[0])(ms.mutable(2))) == "-2"
    assert repr(ms.jit(lambda a: a)(ms.mutable((1, 2.5)))) == "(1, 2.5)"


@pytest.mark.parametrize("number", [3, 2.5, True])
def test_types_of_marked_numbers(number):
    def kinds(x):
        return (
            isinstance(x, int),
            isinstance(x, Tensor),
            type(x) is type(number),
            hasattr(x, "shape"),
            getattr(x, "shape", 5),
        )

    assert ms.jit(kinds)(ms.mutable(number)) == kinds(number)
    if not isinstance(number, float):
        assert ms.jit(lambda x: (~x, divmod(x, 2), divmod(7, x)))(ms.mutable(number)) == (
            ~int(number),
            divmod(number, 2),
            divmod(7, number),
        )


def test_a_counter_stays_an_int():
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = 0

        def construct(self, x):
            self.n = self.n + 1
            return x * self.n + {3: 10}.get(self.n, 0) if isinstance(self.n, int) else x

    net = Counter()
    call = ms.jit(lambda x: net(x))
    assert [call(Tensor(1)).item() for _ in range(4)] == [1, 2, 13, 4]
    assert ms.jit(lambda x: x in {1, 3})(ms.mutable(3))


def test_gradients_of_marked_numbers_are_numbers():
    class Gradients(nn.Cell):
        def construct(self, *args):
            return ops.GradOperation(get_all=True)(ops.mean)(*args)

    out = ms.jit(Gradients())(X, ms.mutable((0,)), ms.mutable(False))
    assert out[0].shape == X.shape
    assert repr(out[1:]) == "((0,), False)"


def test_gradients_by_integers_beside_floats():
    x, n = Tensor([[1.0, 2.0]]), Tensor(2)
    gradients = ms.grad(lambda x, n: x * n + n, (0, 1))(x, n)
    assert [g.dtype for g in gradients] == [ms.float32, ms.int64]
    assert gradients[1] == 5
