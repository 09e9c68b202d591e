"""`requires_grad` of tensors that compiled functions read, and that they change."""

import msjax as ms
from msjax import Tensor


def test_a_captured_tensor_may_come_to_require_grad_after_compilation():
    x = Tensor([1.0])
    double = ms.jit(lambda: x * 2)
    assert not double().requires_grad
    x.requires_grad = True
    double().sum().backward()
    assert x.grad.asnumpy().tolist() == [2]
    x.requires_grad = False
    assert not double().requires_grad
    assert double.programs == 2


def test_a_captured_tensor_may_become_the_result_of_a_recorded_step():
    x, w = Tensor([1.0]), Tensor([3.0], requires_grad=True)
    double = ms.jit(lambda: x * 2)
    double()
    x.mul_(w)
    double().sum().backward()
    assert w.grad.asnumpy().tolist() == [2]


def test_what_a_compiled_function_marks_stays_marked():
    w = Tensor([3.0])

    @ms.jit
    def step(a):
        w.requires_grad_()
        (a * w).sum().backward()

    for total in (2, 4, 6):
        step(Tensor([2.0]))
        assert w.requires_grad
        assert w.grad.asnumpy().tolist() == [total]
    assert step.programs == 2  # the first found a tensor that did not require grad

    @ms.jit
    def release(a):
        a.requires_grad_(False)
        return a * 1

    assert not release(w).requires_grad
    assert not w.requires_grad


def test_an_argument_that_is_marked_inside():
    @ms.jit
    def step(a):
        a.requires_grad_()
        (a * a).sum().backward()

    a = Tensor([2.0])
    step(a)
    assert a.requires_grad
    assert a.grad.asnumpy().tolist() == [4]
    step(a)
    assert a.grad.asnumpy().tolist() == [8]
