"""Arguments of `grad` and its family, where MindSpore 2.10's answers hang on more than numbers."""

import numpy as np
import pytest

import msjax
from msjax import Parameter, ParameterTuple, Tensor, nn, ops


class Weighted(nn.Cell):
    def construct(self, x, y):
        return 3 * x + y


def twice(x):
    return x * x


@pytest.fixture(params=[msjax.PYNATIVE_MODE, msjax.GRAPH_MODE])
def mode(request):
    msjax.set_context(mode=request.param)
    yield request.param
    msjax.set_context(mode=msjax.PYNATIVE_MODE)


def test_one_tensor_twice(mode):
    """In PyNative mode the gradient belongs to the Tensor, in graph mode to the place."""
    t = Tensor([2.0])
    expected = [4, 4] if mode == msjax.PYNATIVE_MODE else [3, 1]
    assert [g.item() for g in ops.GradOperation(get_all=True)(Weighted())(t, t)] == expected
    assert [g.item() for g in msjax.grad(Weighted(), (0, 1))(t, t)] == expected
    assert msjax.grad(Weighted(), 1)(t, t).item() == expected[1]
    assert [g.item() for g in msjax.grad(Weighted(), (0, 1))(t, t + 0)] == [3, 1]


def test_positions_out_of_range(mode):
    with pytest.raises(RuntimeError if mode == msjax.PYNATIVE_MODE else IndexError, match="names input 2"):
        msjax.grad(Weighted(), 2)(Tensor([2.0]), Tensor([2.0]))


class Described(nn.Cell):
    def construct(self, x):
        return x.shape, x * 2, 5, None


class Shape(nn.Cell):
    def construct(self, x):
        return x.shape


def test_gradients_given_for_outputs_that_are_no_tensors(mode):
    x = Tensor([1.0, 2.0, 3.0])
    gradient = ops.GradOperation(get_all=True, sens_param=True)
    assert gradient(Shape())(x, (3,))[0].asnumpy().tolist() == [0, 0, 0]
    assert gradient(Described())(x, ((3,), x, 5, None))[0].asnumpy().tolist() == [2, 4, 6]
    with pytest.raises(ValueError, match="one Tensor for each of the function's 1 outputs"):
        gradient(Described())(x, (x, x))


@pytest.mark.parametrize(
    "given",
    [
        (Tensor([1], msjax.int32),),
        (Tensor([1.0], msjax.float64),),
        (1.0,),
        (),
        ("a",),
        (Tensor([1.0]), Tensor([1.0])),
    ],
    ids=["int32", "float64", "number", "none", "string", "two"],
)
def test_gradients_that_do_not_fit(given):
    _, pull = msjax.vjp(twice, Tensor([2.0]))
    with pytest.raises(TypeError, match="vjp_fn"):
        pull(*given)


@pytest.mark.parametrize(
    "v", [Tensor([1], msjax.int32), 1.0, None, "a"], ids=["int32", "number", "none", "string"]
)
def test_tangents_that_do_not_fit(v):
    with pytest.raises(TypeError, match="jvp"):
        msjax.jvp(twice, Tensor([2.0]), v)


class _Weighted(nn.Cell):
    def __init__(self, shape):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0, 4.0]), name="w")
        self.shape = shape

    def construct(self, x):
        y = x * self.w
        return y if self.shape == (3,) else y.sum().reshape(self.shape)


class _Seeded(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.weights = net, ParameterTuple(net.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, sens):
        return self.grad(self.net, self.weights)(x, sens)[0]


@pytest.mark.parametrize("sens", [2.0, [2.0], [[2.0]]])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (3,)])
def test_one_number_is_the_gradient_of_any_output_in_compiled_functions(shape, sens):
    """MindSpore's numbers: its compiled functions broadcast the number, its eager ones refuse it."""
    x, seed = Tensor([1.0, 2.0, 3.0]), Tensor(sens)
    run = _Seeded(_Weighted(shape))
    compiled = msjax.jit(lambda x, seed: run(x, seed))
    np.testing.assert_array_equal(compiled(x, seed).asnumpy(), [2.0, 4.0, 6.0])
    if shape in ((), seed.shape):
        np.testing.assert_array_equal(run(x, seed).asnumpy(), [2.0, 4.0, 6.0])
    else:
        with pytest.raises((ValueError, RuntimeError), match="must have its shape"):
            run(x, seed)


def test_several_numbers_are_no_gradient_of_another_shape():
    run = msjax.jit(lambda x, seed: _Seeded(_Weighted((1,)))(x, seed))
    with pytest.raises(ValueError, match="must have its shape"):
        run(Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0, 3.0]))


def _by_grad(fn, x):
    return msjax.grad(fn)(x)


def _by_vjp(fn, x):
    return msjax.vjp(fn, x)[1](Tensor(1.0))[0]


@pytest.mark.parametrize("gradient", [_by_grad, _by_vjp, lambda fn, x: msjax.value_and_grad(fn)(x)[1]])
def test_what_a_function_reads_beside_its_argument_is_differentiated_too(gradient):
    """As MindSpore in PyNative mode: gradients belong to Tensors, wherever the function has them from."""
    x = Tensor([1.0, 3.0])
    before = x * 2
    np.testing.assert_array_equal(gradient(lambda v: (v * x).sum(), x).asnumpy(), [2.0, 6.0])
    np.testing.assert_array_equal(gradient(lambda v: (x * x).sum(), x).asnumpy(), [2.0, 6.0])
    np.testing.assert_array_equal(gradient(lambda v: (v * before).sum(), x).asnumpy(), [2.0, 6.0])
    np.testing.assert_array_equal(
        gradient(lambda v: (v * ops.stop_gradient(x)).sum(), x).asnumpy(), [1.0, 3.0]
    )


@pytest.mark.parametrize("mode", [msjax.PYNATIVE_MODE, msjax.GRAPH_MODE])
def test_a_graph_has_the_gradient_of_a_frozen_weight_that_is_asked_for(mode):
    """MindSpore 2.10's: zeros in PyNative mode alone."""
    msjax.set_context(mode=mode)
    frozen = Parameter(Tensor(2.0), requires_grad=False)
    weights = [frozen, Parameter(Tensor(3.0))]

    def f(x):
        return x * weights[0] * weights[1]

    asked = msjax.grad(f, None, weights)
    eager = 0 if mode == msjax.PYNATIVE_MODE else 12
    assert [float(g) for g in asked(Tensor([4.0]))] == [eager, 8]
    assert [float(g) for g in msjax.jit(asked)(Tensor([4.0]))] == [12, 8]
    assert ops.GradOperation(get_by_list=True)(nn.ReLU())(Tensor([4.0])) == ()


@pytest.mark.parametrize("index", [0, 1])
def test_index_assignment_under_a_transformation_leaves_the_callers_tensor_alone(index):
    """As in MindSpore 2.10, whose `vmap`, `jvp` and Jacobians are graphs."""

    def f(*inputs):
        inputs[index][0] = 7.0
        return inputs[0] + inputs[1]

    def given():
        return Tensor([1.0, 2.0]), Tensor([3.0, 4.0])

    total = [10, 6] if index == 0 else [8, 6]
    for transformed, wanted in (
        (lambda x, y: msjax.jvp(f, (x, y), given())[0], total),
        (lambda x, y: msjax.jacrev(f, (0, 1))(x, y)[index], [[0, 0], [0, 1]]),
        (lambda x, y: msjax.jacfwd(f, (0, 1))(x, y)[index], [[0, 0], [0, 1]]),
        (lambda x, y: msjax.vmap(f)(x[None], y[None])[0], total),
    ):
        for call in (transformed, msjax.jit(transformed)):
            x, y = given()
            assert call(x, y).asnumpy().tolist() == wanted
            assert [x.asnumpy().tolist(), y.asnumpy().tolist()] == [[1, 2], [3, 4]]


def test_lanes_may_assign_to_their_argument():
    def f(x, y):
        x[0] = 5.0
        return x + y

    x, y = Tensor([[0.0, 1.0], [2.0, 3.0]]), Tensor([1.0, 2.0])
    assert msjax.vmap(f, (0, None))(x, y).asnumpy().tolist() == [[6, 3], [6, 5]]
    assert x.asnumpy().tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("rows", [3, 5000])
def test_graph_mode_calls_python_where_a_plain_function_needs_values(rows):
    """As MindSpore does; once such a function is known, it is no more compiled."""
    seen = []

    def loss_of(x):
        loss = (x * x).mean()
        seen.append(float(loss.asnumpy()))
        return loss

    x = msjax.Tensor(np.full((rows, 2), 3.0, np.float32))
    msjax.set_context(mode=msjax.GRAPH_MODE)
    try:
        for _ in range(2):
            loss, gradient = msjax.value_and_grad(loss_of)(x)
    finally:
        msjax.set_context(mode=msjax.PYNATIVE_MODE)
    assert seen == [9.0, 9.0]
    assert loss.asnumpy() == 9.0
    np.testing.assert_allclose(gradient.asnumpy(), np.full((rows, 2), 3.0 / rows), rtol=1e-6)
