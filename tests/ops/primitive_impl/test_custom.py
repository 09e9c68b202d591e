"""Operators that users write: in eager and compiled code, with gradients, and hooks."""

import numpy as np
import pytest

import msjax as ms
from msjax import ops


def test_attributes_of_a_class():
    class Scale(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self, by=2, *, twice=False):
            self.made = True

    scale = Scale(3, twice=True)
    assert (scale.by, scale.twice, scale.made, scale.name) == (3, True, True, "Scale")
    assert scale.attrs == {"by": 3, "twice": True}
    assert repr(scale) == "Prim[Scale]<by=3, twice=True>"
    with pytest.raises(NotImplementedError, match="Scale"):
        scale(ms.Tensor(1.0))
    ops.vm_impl_registry.register(Scale, lambda prim: lambda x: x * prim.by)
    assert float(scale(ms.Tensor(2.0))) == 6


def test_arguments_that_are_no_notes():
    class Quiet(ops.PrimitiveWithCheck):
        @ops.prim_arg_register
        def __init__(self, by=2):
            pass

    assert (Quiet().by, Quiet().attrs) == (2, {})
    assert Quiet().check_elim(1) == (False, None)


@pytest.mark.parametrize("run", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_gradients_replaced(run):
    seen = []

    def note(grads):
        seen.append(len(grads))
        return grads[0] * 3

    hook, half = ops.HookBackward(note), ops.InsertGradientOf(lambda g: g / 2)
    square = ops.Morph(lambda x: x * x, None, None, lambda x, out, g: (g * out,))
    x = ms.Tensor([2.0, 3.0])
    assert ms.grad(run(lambda x: hook(x) * 5))(x).tolist() == [15, 15]
    assert seen
    assert ms.grad(run(lambda x: half(x) * 5))(x).tolist() == [2.5, 2.5]
    assert ms.grad(run(lambda x: square(x).sum()))(x).tolist() == [4, 9]
    assert ops.HookBackward(lambda grads: None)(x, x)[1].tolist() == [2, 3]
    both = ops.HookBackward(lambda grads: (grads[0] * 2, grads[1] * 3))
    found = ms.grad(lambda x, y: both(x, y)[0] * both(x, y)[1], (0, 1))(ms.Tensor(2.0), ms.Tensor(3.0))
    assert [g.item() for g in found] == [6.0, 6.0]


@pytest.mark.parametrize("run", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_functions_over_numpy(run):
    x = ms.Tensor(np.array([1.0, 2.0], np.float32))
    first = lambda a, *others: a  # noqa: E731
    add = ops.Custom(lambda a, b: a + b, first, first, "pyfunc")
    assert run(lambda x: add(x, x) * 2)(x).tolist() == [4, 8]
    pair = ops.Custom(lambda a: (a, a[:1]), lambda a: (a, (1,)), lambda a: (a, a), "pyfunc")
    assert [p.tolist() for p in run(pair)(x)] == [[1, 2], [1]]
    found = ops.Custom(lambda a: a.astype(np.int32) + 1, func_type="pyfunc")
    assert str(run(found)(x).dtype) == "Int32"
    scaled = ops.Custom(lambda a: a * 2, first, first, "pyfunc", bprop=lambda x, out, g: (g * 2,))
    assert ms.grad(run(lambda x: scaled(x).sum()))(x).tolist() == [2, 2]
    with pytest.raises(NotImplementedError, match="aot"):
        ops.Custom("add.so:Add", (1,), ms.float32, "aot")


def test_registrations_keep_what_they_are_given():
    kinds = ops.DataType
    made = ops.TBERegOp("Add").input(0, "x", None, "required").attr("axis", "int").dtype_format(kinds.F16_5HD)
    assert made.get_op_info() == {
        "op_name": "Add",
        "input": [(0, "x", None, "required")],
        "attr": [("axis", "int")],
        "dtype_format": [("float16", "5HD")],
    }
    with pytest.raises(AttributeError, match="DataType"):
        kinds.F17_NCHW  # noqa: B018
    with pytest.raises(ValueError, match="op_name"):
        ops.AiCPURegOp("")
