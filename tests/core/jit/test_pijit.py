"""Questions that programs can ask about a function that is compiled from its bytecode."""

import pytest

import msjax as ms
from msjax import Tensor, nn
from msjax._c_expression import get_code_extra
from msjax.core.jit.pijit import PIJitCaptureContext


class Net(nn.Cell):
    def construct(self, x):
        return x + 1


def test_how_it_was_compiled():
    def f(x):
        return x * 2

    assert get_code_extra(f) is None
    ms.jit(f)(Tensor(1))
    assert get_code_extra(f) is None
    g = ms.jit(f, capture_mode="bytecode")
    assert get_code_extra(f) is None
    for x in (Tensor(1), Tensor(2), Tensor([3])):
        g(x)
    found = get_code_extra(f)
    assert (found["stat"], found["compile_count_"], found["break_count_"]) == ("GRAPH_CALLABLE", 2, 0)
    assert found["code"]["call_count_"] == 1
    assert found["code"]["phase_"]
    g(x)
    assert get_code_extra(f)["code"]["call_count_"] == 2


def test_methods_and_older_spellings():
    net = Net()
    net.construct = ms.jit(net.construct, capture_mode="bytecode")
    assert net(Tensor(1)) == 2
    assert get_code_extra(Net.construct)["break_count_"] == 0

    def f(x):
        if x > 1:
            raise ValueError(x)
        return x

    assert PIJitCaptureContext(jit_config={"loop_unrolling": True})(f)(1) == 1
    with pytest.raises(ValueError, match="2"):
        ms.jit(f, mode="PIJit")(2)
    assert get_code_extra(f)["break_count_"] == 1


def test_item_assignment_by_name_returns_the_tensor():
    x = Tensor([1, 2])
    assert x.__setitem__(0, 5) is x
    assert x.tolist() == [5, 2]


def test_arguments_that_hold_themselves():
    @ms.jit(capture_mode="bytecode")
    def f(x):
        return x

    things = [1, 2]
    things.append(things)
    assert f(things) is things


def test_the_imperative_side_by_its_inner_names():
    from msjax._c_expression import pyboost_detach, run_backward

    x, y = Tensor([3.0]), Tensor([5.0])
    assert (x._is_leaf, x._requires_grad, x._grad_node, x._output_index) == (True, False, None, 0)
    x._requires_grad = y._requires_grad = True
    z = x * y
    z._retain_grad()
    seen = []
    handle = z._grad_node.register_prehook(lambda gradients: seen.append(gradients))
    z._grad_node.register_prehook(lambda gradients: (gradients[0] * 2,))
    assert (z._is_leaf, z._retains_grad, z._grad_node.name()) == (False, True, "Mul")
    assert [(node.name(), i) for node, i in z._grad_node.next_functions] == [("AccumulateGrad", 0)] * 2
    run_backward((z,), None, True, False, None, allow_unreachable=True, accumulate_grad=True)
    assert (x.grad.item(), y.grad.item(), len(seen)) == (10.0, 6.0, 1)
    handle.remove()
    run_backward(z)
    assert (x.grad.item(), len(seen)) == (20.0, 1)
    with pytest.raises(RuntimeError, match="twice"):
        run_backward(z)
    with pytest.raises(RuntimeError, match="requires grad"):
        run_backward(pyboost_detach(z))
