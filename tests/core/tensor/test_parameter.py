"""Parameters as MindSpore has them, and what they do in gradients."""

import copy
import pickle

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, ParameterTuple, Tensor, ops
from tests.core.tensor.test_tensor import GOLDEN, difference


def parameter(values=(1.0, 2.0), dtype=ms.float32, name="w"):
    return Parameter(Tensor(list(values), dtype), name=name)


@pytest.mark.parametrize("code", GOLDEN["parameters"])
def test_as_mindspore(code):
    found = difference(code, GOLDEN["parameters"][code])
    assert not found, found


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda: Parameter(2), ms.int32),
        (lambda: Parameter(2**40), ms.int32),
        (lambda: Parameter([1, 2]), ms.int64),
        (lambda: Parameter([True]), ms.bool_),
        (lambda: Parameter(Tensor(True)), ms.bool_),
        (lambda: Parameter(np.float64(2.0)), ms.float32),
        (lambda: Parameter(np.array([1, 2])), ms.int64),
        (lambda: Parameter(np.ones(2, np.float16)), ms.float16),
        (lambda: Parameter(parameter(dtype=ms.float64)), ms.float64),
    ],
)
def test_dtype(make, dtype):
    assert make().dtype is dtype


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda: Parameter(True), ValueError, ["`Parameter`", "`default_input`", "bool", "True"]),
        (lambda: Parameter((1, 2)), TypeError, ["`default_input`", "(1, 2)", "tuple"]),
        (lambda: Parameter(np.float32(1)), TypeError, ["`default_input`", "float32"]),
        (lambda: Parameter(1j), TypeError, ["`default_input`", "1j", "complex"]),
        (lambda: Parameter([[1, 2], [3]]), TypeError, ["`input_data`", "[[1, 2], [3]]"]),
        (lambda: Parameter(Tensor(1.0), name=1), ValueError, ["`name`", "1", "int"]),
        (lambda: Parameter(Tensor(1.0), requires_grad=1), TypeError, ["`requires_grad`", "bool", "1"]),
        (
            lambda: Parameter(Tensor(1.0), parallel_optimizer=1),
            TypeError,
            ["`parallel_optimizer`", "bool", "1"],
        ),
        (lambda: parameter().set_data([3.0]), TypeError, ["`set_data`", "`data`", "[3.0]", "list"]),
        (lambda: parameter((1,), ms.int32).set_data(1.5), TypeError, ["`set_data`", "'w'", "Int32", "1.5"]),
        (lambda: parameter().assign_value(3), TypeError, ["`assign_value`", "`value`", "3", "int"]),
        (lambda: ParameterTuple([parameter(), Tensor(1)]), TypeError, ["`ParameterTuple`", "Parameters"]),
        (
            lambda: ParameterTuple([parameter(), parameter()]),
            ValueError,
            ["`ParameterTuple`", "'w'", "unique"],
        ),
    ],
)
def test_refusals(make, error, told):
    with pytest.raises(error) as raised:
        make()
    for part in told:
        assert part in str(raised.value)


def test_unnamed_parameters_have_names_of_their_own():
    first, second = Parameter(1.0), Parameter(1.0, name=" ")
    assert first.name.startswith("Parameter#")
    assert first.name != second.name
    assert ParameterTuple([first, second])[1] is second


def test_values_are_copied():
    source = Tensor([1.0, 2.0])
    p = Parameter(source)
    source[0] = 50.0
    p[1] = 60.0
    assert p.asnumpy().tolist() == [1.0, 60.0]
    assert source.asnumpy().tolist() == [50.0, 2.0]


@pytest.mark.parametrize("share", [lambda p: p.data, Tensor, lambda p: p.detach()])
def test_plain_tensors_that_share_memory(share):
    p = parameter()
    twin = share(p)
    assert type(twin) is Tensor
    twin[0] = 5.0
    p[1] = 6.0
    assert p.asnumpy().tolist() == twin.asnumpy().tolist() == [5.0, 6.0]


@pytest.mark.parametrize("copied", [lambda p: p.clone(), lambda p: p.copy(), copy.copy, copy.deepcopy])
def test_copies_are_parameters(copied):
    p = parameter()
    p.requires_grad = False
    twin = copied(p)
    twin[0] = 5.0
    assert type(twin) is Parameter
    assert (twin.name, twin.requires_grad) == ("w", False)
    assert p.asnumpy().tolist() == [1.0, 2.0]


def test_pickle():
    p = parameter()
    p.register_hook(lambda gradient: gradient)
    p.requires_grad = False
    p.layerwise_parallel = True
    twin = pickle.loads(pickle.dumps(p))
    assert type(twin) is Parameter
    assert repr(twin) == repr(p)
    assert twin.layerwise_parallel
    assert twin.asnumpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("dtype", "given", "kept"), [(ms.bool_, 0.8, True), (ms.bool_, 0.0, False), (ms.uint8, 1.2, 1)]
)
def test_set_data_cuts_floats_off_for_bools_and_uint8(dtype, given, kept):
    p = parameter((), dtype)
    p.set_data(given)
    assert p.dtype == dtype
    assert p.asnumpy() == kept


def test_set_data_reaches_views():
    p = parameter()
    view = p[0]
    p.set_data(Tensor([7, 8]))
    assert float(view) == 7.0
    assert p.dtype is ms.float32


@pytest.mark.parametrize("way", ["grad", "grad_of_jit", "jit_of_grad"])
@pytest.mark.parametrize("write", ["set_data", "assign_value"])
def test_new_data_leave_a_weight_what_it_is(way, write):
    """The gradient is that towards the new values; none passes to what they were computed from (MindSpore's answer)."""
    p = parameter((1.0, 2.0, 3.0))

    def f(x):
        getattr(p, write)(x * 2)
        return (p * x).sum()

    gradient = {
        "grad": lambda: ms.grad(f, 0, weights=p),
        "grad_of_jit": lambda: ms.grad(ms.jit(f), 0, weights=p),
        "jit_of_grad": lambda: ms.jit(lambda x: ms.grad(f, 0, weights=p)(x)),
    }[way]()
    dx, dp = gradient(Tensor([1.0, 2.0, 3.0]))
    assert dx.asnumpy().tolist() == [2.0, 4.0, 6.0]
    assert dp.asnumpy().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("read", "dx", "dp"),
    [
        (lambda p: p.value(), [2.0, 4.0], [1.0, 3.0]),
        (Tensor, [2.0, 4.0], [1.0, 3.0]),
        (lambda p: Tensor(p, ms.float64), [2.0, 4.0], [1.0, 3.0]),
        (lambda p: p.data, [2.0, 4.0], [0.0, 0.0]),
        (lambda p: p.copy(), [2.0, 4.0], [0.0, 0.0]),
        (lambda p: p.clone(), [2.0, 4.0], [0.0, 0.0]),
        (lambda p: p.detach(), [2.0, 4.0], [0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
def test_which_ways_of_reading_pass_the_gradient(read, dx, dp, compiled):
    p = parameter((2.0, 4.0))
    f = lambda x: (read(p) * x).sum()  # noqa: E731
    found = ms.grad(ms.jit(f) if compiled else f, 0, weights=p)(Tensor([1.0, 3.0]))
    assert found[0].asnumpy().tolist() == dx
    assert found[1].asnumpy().tolist() == dp


def test_parameter_tuple_clone():
    pair = ParameterTuple([parameter(name="a"), parameter(name="b")])
    clones = pair.clone("moments", "zeros")
    assert [p.name for p in clones] == ["moments.a", "moments.b"]
    assert clones[0].asnumpy().tolist() == [0.0, 0.0]
    assert pair[0].asnumpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("compiled", [False, True])
def test_operators_take_a_parameter_tuple(compiled):
    """As they take a tuple of Tensors: gradients that were accumulated in Parameters are clipped and stacked."""
    pair = ParameterTuple([parameter((3.0, 0.0), name="a"), parameter((0.0, 4.0), name="b")])
    clip, stack = (lambda: ops.clip_by_global_norm(pair, 1.0)), (lambda: ops.stack(pair))
    for f, wanted in ((clip, [[0.6, 0.0], [0.0, 0.8]]), (stack, [[3.0, 0.0], [0.0, 4.0]])):
        found = (ms.jit(f) if compiled else f)()
        np.testing.assert_allclose([x.asnumpy() for x in found], wanted, rtol=1e-6)
    gradients = ms.grad(lambda: ops.concat(pair).square().sum(), None, pair)()
    assert [g.tolist() for g in gradients] == [[6.0, 0.0], [0.0, 8.0]]


def test_steps_of_a_compiled_function_leave_no_trail():
    """Under `enable_grad`, a Parameter that a compiled step writes is a leaf after it, whatever the step before."""
    p = parameter()

    @ms.jit
    def step(x):
        loss = (p * p * x).sum()
        loss.backward()
        with ms.no_grad():
            p.sub_(p.grad * 0.1)
        p.grad = None
        return loss

    with ms.enable_grad():
        losses = [float(step(Tensor([1.0, 1.0]))) for _ in range(3)]
        assert p.is_leaf
        (p * 3.0).sum().backward()
    np.testing.assert_allclose(losses, [5.0, 3.2, 2.048], rtol=1e-6)
    assert p.grad.asnumpy().tolist() == [3.0, 3.0]


def test_param_info_is_handed_on():
    """As optimizers do that make their state from their Parameters."""
    old = Parameter(Tensor([1.0]), name="w", requires_grad=False, layerwise_parallel=True)
    new = Parameter(Tensor([0.0]))
    new.param_info = old.param_info.clone()
    assert (new.name, new.requires_grad, new.layerwise_parallel) == ("w", False, True)
    assert new.asnumpy().tolist() == [0.0]
