"""The inner names of operators (`ops.auto_generate`): classes, objects of them, functions."""

import inspect
import pickle

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops
from msjax.ops import auto_generate as gen
from msjax.ops import operations as P
from msjax.ops.generated import functions


def test_a_class_of_operations_is_that_class():
    assert gen.MatMul is P.MatMul
    assert gen.ReluGrad is P._grad_ops.ReluGrad
    assert isinstance(gen.relu_op, P.ReLU)
    assert isinstance(gen.acos_op, P.ACos)
    assert gen.relu_op is gen.relu_op


def test_classes_of_functions():
    x = Tensor([1.0, 2.0])
    np.testing.assert_allclose(gen.AddExt()(x, x, 2).asnumpy(), [3, 6])
    np.testing.assert_allclose(gen.add_ext_op(x, x, 2).asnumpy(), [3, 6])
    np.testing.assert_allclose(gen.SumExt()(x, 0, True).asnumpy(), [3])
    assert gen.Arange()(0, 4, 1, ms.int32).dtype == ms.int32
    assert list(inspect.signature(gen.Arange().__call__).parameters) == ["start", "end", "step", "dtype"]


def test_classes_in_place():
    x = Tensor([1.0, 2.0])
    assert gen.InplaceAddExt()(x, Tensor([1.0, 1.0])) is x
    gen.inplace_exp_op(x)
    gen.index_put_(x, [Tensor([0])], Tensor([5.0]))
    gen.InplaceIndexFillScalar()(x, 0, Tensor([1]), 7.0)
    np.testing.assert_allclose(x.asnumpy(), [5, 7])


@pytest.mark.parametrize("name", [name for name in functions.TABLE.rows if not name.startswith("Inplace")])
def test_every_class_of_the_tables_is_made(name):
    made = getattr(gen, name)
    assert isinstance(made(), ops.Primitive)
    assert pickle.loads(pickle.dumps(made)) is made


@pytest.mark.parametrize("name", sorted(name for name in functions.TABLE.rows if name.startswith("Inplace")))
def test_every_class_in_place_is_made(name):
    assert isinstance(getattr(gen, name)(), ops.Primitive)


def test_in_a_compiled_function_and_with_gradients():
    f = ms.jit(lambda x: gen.gelu_ext_op(gen.ClampScalar()(x, 0.0, 1.0), "tanh").sum())
    assert ms.grad(f)(Tensor([0.5, 3.0])).asnumpy()[1] == 0


def test_what_is_nothing_raises():
    with pytest.raises(AttributeError, match="no_such_name_op"):
        _ = gen.no_such_name_op
    with pytest.raises(ImportError):
        from msjax.ops.auto_generate import NoSuchOperator  # noqa: F401


def test_classes_whose_names_differ_by_capitals_alone():
    assert gen.GeLU is ops.GeLU
    assert gen.Gelu is ops.Gelu


def test_modules_below():
    with ms.install_as("mindspore"):
        from mindspore.ops.auto_generate.gen_ops_prim import AddExt, relu_op
        from mindspore.ops.operations._inner_ops import DynamicBroadcastTo

        assert AddExt is gen.AddExt
        assert relu_op is gen.relu_op
        assert DynamicBroadcastTo()(Tensor([1.0, 2.0]), (2, 2)).shape == (2, 2)


def test_inner_operators():
    inner = P._inner_ops
    x = Tensor([[3.0, 0.0], [4.0, 0.0]])
    assert inner.ConvertToDynamic(is_dynamic_rank=True)(x) is x
    assert str(inner.ClipByNorm(0)(x, Tensor(1.0))) == str(Tensor([[0.6, 0.0], [0.8, 0.0]]))
    assert np.isfinite(ms.grad(lambda x: inner.ClipByNorm(0)(x, Tensor(1.0)).sum())(x).asnumpy()).all()
    assert [i.asnumpy().tolist() for i in inner.DynamicBroadcastGradientArgs()((2, 1, 3), (4, 1))] == [
        [1],
        [0, 2],
    ]
    assert inner.TensorCopySlices()(x, x[:1] * 9, (1, 0), (2, 2), (1, 1))[1, 0] == 27
    assert inner.IsSubClass()(ms.int32, ms.number)
    assert inner.IsInstance()(3, ms.int_)
    assert inner.Format()("{} a", 3) == "3 a"
    with pytest.raises(ValueError, match="SameTypeShape"):
        inner.SameTypeShape()(x, x[0])
    with pytest.raises(TypeError, match="SameTypeShape"):
        inner.SameTypeShape()(x, x.astype(ms.int32))


def test_settings_that_mindspore_prints_as_numbers():
    assert repr(P.GridSampler2D("nearest", "reflection")).endswith(
        "<interpolation_mode=1, padding_mode=2, align_corners=False>"
    )
    assert repr(P._grad_ops.NLLLossGrad()) == "Prim[NLLLossGrad]<reduction=1, ignore_index=-100>"
    assert repr(P.KLDivLoss("sum")) == "Prim[KLDivLoss]<reduction=sum>"


@pytest.mark.parametrize("name", sorted(functions.classes.TABLE.rows))
def test_every_class_of_one_line_is_made(name):
    made = getattr(gen, name)
    assert pickle.loads(pickle.dumps(made)) is made
    assert f"Prim[{name}]" in repr(made())


def test_classes_of_one_line():
    x = Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
    at = Tensor([[0, 0, 1]])

    def same(out, expected):
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-6)

    same(gen.ScatterValue()(x, 0, at, 9.0), [[9, 9, 3], [4, 5, 9]])
    same(gen.Scatter()(x, 0, at, x[:1], 1), [[2, -4, 3], [4, 5, -3]])
    same(gen.InplaceScatterValueReduce()(x.copy(), 0, at, 2.0, "multiply"), [[2, -4, 3], [4, 5, -12]])
    same(gen.MaxDim()(x, 1)[1], [2, 1])
    same(gen.SliceExt()(x, -1, 0, 3, 2), [[1, 3], [4, -6]])
    same(gen.DivMods()(x, 2, 2), [[0, -1, 1], [2, 2, -3]])
    same(gen.ReflectionPad1D()(x, (1, 0)), [[-2, 1, -2, 3], [5, 4, 5, -6]])
    same(gen.ReflectionPad1DGrad()(Tensor(np.ones((2, 4), np.float32)), x, (1, 0)), [[1, 2, 1]] * 2)
    same(gen.one_hot_ext_op(at, 2, Tensor(5), Tensor(0))[0], [[5, 0], [5, 0], [0, 5]])
    same(gen.muls(x, 2), 2 * x.asnumpy())
    same(ms.jit(gen.SelectV2())(x > 0, x, -x), abs(x.asnumpy()))
    same(gen.reverse_v2(x, (0,)), x.asnumpy()[::-1])
    same(gen.softmax_backward_op(x, x, 1)[0], [1 - 14, (-2 - 14) * -2, (3 - 14) * 3])
    assert list(inspect.signature(gen.SplitTensorView().__call__).parameters) == [
        "input",
        "split_size",
        "dim",
    ]
    with pytest.raises(ValueError, match="reduce"):
        gen.Scatter()(x, 0, at, x[:1], "mean")
