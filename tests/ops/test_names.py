"""The mechanism of names, and that every name of an operator reaches the same function with the same result."""

import importlib
import inspect
import pickle

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, ops
from msjax.ops import operations
from msjax.ops.common import name_table as names

X = np.arange(6, dtype=np.float32).reshape(2, 3) + 1


def x():
    return Tensor(X)


def close(one, other):
    """Whether two results are the same in structure, dtype and value."""
    if isinstance(one, tuple | list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            close(a, b)
    elif isinstance(one, Tensor):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    else:
        assert one == other


# ---------------------------------------------------------------------- the mechanism


def power(base, exponent=2, *, scale=1):
    """A power."""
    return scale * base**exponent


def test_named_has_the_signature_that_it_was_given():
    made = names.make_function("raised(x: base, *, to: exponent = 3, times: scale = 1)", power)
    assert str(inspect.signature(made)) == "(x, *, to=3, times=1)"
    assert (made.__name__, made.__doc__) == ("raised", "A power.")
    assert made(2) == 8
    assert made(2, to=1, times=5) == 10


def test_named_takes_other_spellings():
    made = names.make_function("raised(x: base, to: exponent | by)", power)
    assert made(2, 3) == made(2, by=3) == made(x=2, to=3) == 8
    with pytest.raises(TypeError, match=r"raised\(\) missing argument 'to'"):
        made(2)


def test_named_spreads_sequences():
    made = names.make_function("total(*values)", lambda values: list(values))
    assert made(1, 2) == made((1, 2)) == made([1, 2]) == [1, 2]


def test_named_refuses_parameters_that_the_function_lacks():
    with pytest.raises(ValueError, match=r"power has no parameter \['colour'\]"):
        names.make_function("raised(base, colour=None)", power)


def test_in_place_gives_the_result_to_the_box():
    changed = names.make_in_place("raise_", power, lambda box, result: (box, result))
    box = Tensor(3)
    assert changed(box, 3)[0] is box
    assert changed(box, 3)[1] == 27
    assert changed.__name__ == "raise_"
    with pytest.raises(TypeError, match="raise_"):
        changed(3, 3)


def test_primitive_keeps_settings_as_attributes():
    made = names.make_class("Raise(exponent=2)(base)", power)
    assert made(exponent=3)(2) == 8
    assert made(3).exponent == 3
    assert repr(made()) == "Prim[Raise]<exponent=2>"
    assert str(inspect.signature(made)) == "(exponent=2)"
    with pytest.raises(ValueError, match="no parameter 'colour'"):
        names.make_class("Raise(colour=1)(...)", power)


TABLE = """
# what is not read: a(b) -> c
math.arithmetic: add Sub=sub
    Mul=mul
here: power
arcsin(x: input) -> math.trigonometric.asin
Raise(exponent=(2, 1), colour: _ = None)(
    x: base | y) ->
    power
    x = x + 1
    return _target(x,
        2)
Cummax(axis)(...) -> reduction.cumulative.cummax
MedianExt(input) -> mint.median(input)
"""


def test_a_table_is_read():
    rows = names.read_table(TABLE)
    assert {name: row.target for name, row in rows.items() if not row.signature and row.settings == "()"} == {
        "add": "math.arithmetic.add",
        "Sub": "math.arithmetic.sub",
        "Mul": "math.arithmetic.mul",
        "power": "power",
    }
    assert rows["arcsin"] == names.Row("arcsin", "math.trigonometric.asin", "()", "(x: input)")
    assert rows["Raise"] == names.Row(
        "Raise",
        "power",
        "(exponent=(2, 1), colour: _ = None)",
        "( x: base | y)",
        "x = x + 1\nreturn _target(x,\n    2)",
    )
    assert (rows["Cummax"].settings, rows["Cummax"].signature) == ("(axis)", "")
    assert rows["MedianExt"].target == "mint.median(input)"


def test_a_signature_is_read():
    read = names.read_signature("(x: base | y, *, to: exponent = two, colour: _ = None)", {"two": 2})
    assert str(inspect.Signature(read.parameters)) == "(x, *, to=2, colour=None)"
    assert read.renames == {"x": "base", "to": "exponent", "colour": "_"}
    assert read.also_accepts == {"y": "x"}


def test_rows_are_made_when_they_are_asked_for():
    table = names.Table(__name__, "here: Power=power\nthrice(x: base) -> power\n    x = three * x", three=3)
    assert table.make_function("Power") is power
    assert table.make_function("thrice")(2) == 36
    assert table.make_class("Power")()(2, 3, scale=1) == 8


def test_primitive_notes():
    add = operations.Add()
    assert add.set_device("GPU") is add
    assert add.primitive_target == "GPU"
    assert add.shard(((1, 1), (1, 1))).recompute().recompute() is add
    assert add.place("MS_WORKER", 0) is None
    for wrong, error in (
        (("MS_SERVER", 0), ValueError),
        (("MS_WORKER", -1), ValueError),
        (("MS_WORKER", "0"), TypeError),
    ):
        with pytest.raises(error, match=r"`Primitive\.place`"):
            add.place(*wrong)
    add.init_prim_io_names(["x"], ["y"])
    assert str(add) == (
        "Prim[Add]<primitive_target=GPU, in_strategy=((1, 1), (1, 1)), recompute=True, ms_role=MS_WORKER, rank_id=0>"
    )
    assert add.add_prim_attr("note", 1).note == 1
    assert not hasattr(add.del_prim_attr("note"), "note")
    add.init_prim_io_names(["a", "b"], ["c"])
    assert add.input_names == ["a", "b"]


@pytest.mark.parametrize("make", [lambda: operations.Concat(1), lambda: operations.ReduceSum(keep_dims=True)])
def test_primitives_pickle(make):
    made = make()
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made)
    assert repr(again) == repr(made)


# ---------------------------------------------------------------------- the same under every name

SAME = """
ops.add(x, 2) ; x.add(2) ; x + 2 ; 2 + x ; ops.Add()(x, 2) ; ops.TensorAdd()(x, 2) ; ops.tensor_add(x, 2) ;
  x.copy().add_(2)
ops.sub(x, 2) ; x.sub(2) ; x.subtract(2) ; x - 2 ; ops.Sub()(x, 2) ; ops.subtract(x, 2) ; x.copy().sub_(2) ;
  x.sub(1, alpha=2)
ops.mul(x, 2) ; x.mul(2) ; x.multiply(2) ; x * 2 ; 2 * x ; ops.Mul()(x, 2) ; ops.multiply(x, 2) ;
  x.copy().mul_(2)
ops.div(x, 2) ; x.div(2) ; x / 2 ; ops.Div()(x, 2) ; ops.RealDiv()(x, 2) ; ops.divide(x, 2) ;
  ops.true_divide(x, 2) ; x.copy().div_(2)
ops.pow(x, 2) ; x.pow(2) ; x**2 ; ops.Pow()(x, 2) ; ops.square(x) ; x.square() ; ops.Square()(x)
ops.floor_divide(x, 2) ; x // 2 ; ops.floor_div(x, 2) ; ops.FloorDiv()(x, 2) ; x.floor_divide(2)
ops.remainder(x, 2) ; x % 2 ; ops.floor_mod(x, 2) ; ops.FloorMod()(x, 2) ; x.remainder(2)
ops.neg(x) ; -x ; x.neg() ; x.negative() ; ops.negative(x) ; ops.Neg()(x)
ops.abs(x) ; abs(x) ; x.abs() ; ops.absolute(x) ; x.absolute() ; ops.Abs()(x)
ops.exp(x) ; x.exp() ; ops.Exp()(x) ; x.copy().exp_()
ops.sum(x, 1, True) ; x.sum(1, keepdims=True) ; x.sum(dim=1, keepdim=True) ; ops.ReduceSum(True)(x, 1) ;
  ops.reduce_sum(x, 1, True)
ops.mean(x, 0) ; x.mean(0) ; x.mean(axis=0) ; x.mean(dim=0) ; ops.ReduceMean()(x, 0) ; ops.reduce_mean(x, 0)
ops.prod(x, 0) ; x.prod(0) ; x.prod(dim=0) ; ops.ReduceProd()(x, 0)
ops.amax(x, 1) ; x.amax(1) ; x.amax(dim=1) ; x.max(axis=1) ; ops.ReduceMax()(x, 1) ; ops.max(x, 1)[0] ;
  x.max(1)[0] ; ops.reduce_max(x, 1)
ops.argmax(x, 1) ; x.argmax(1) ; x.argmax(axis=1) ; x.argmax(dim=1) ; ops.max(x, 1)[1] ;
  ops.Argmax(1, ms.int64)(x)
ops.std(x, 0, 1) ; x.std(0, 1) ; x.std(axis=0, ddof=1) ; x.std(dim=0) ; x.std(0, correction=1)
ops.all(x, 1) ; x.all(1) ; x.all(dim=1) ; ops.ReduceAll()(x, 1)
ops.cumsum(x, 1) ; x.cumsum(1) ; x.cumsum(dim=1) ; ops.CumSum()(x, 1)
ops.matmul(x, x.T) ; x.matmul(x.T) ; x @ x.T ; ops.mm(x, x.T) ; x.mm(x.T) ; ops.MatMul()(x, x.T) ;
  ops.MatMul(False, True)(x, x) ; ops.dot(x, x.T)
ops.reshape(x, (3, 2)) ; x.reshape(3, 2) ; x.reshape((3, 2)) ; x.view(3, 2) ; ops.Reshape()(x, (3, 2)) ;
  x.reshape([3, -1])
ops.transpose(x, (1, 0)) ; x.T ; x.transpose() ; x.transpose(1, 0) ; x.transpose((1, 0)) ; x.permute(1, 0) ;
  x.permute((1, 0)) ; ops.permute(x, (1, 0)) ; x.swapaxes(0, 1) ; x.t() ; ops.Transpose()(x, (1, 0)) ; x.mT ;
  x.transpose(dim0=0, dim1=1)
ops.expand_dims(x, 1) ; x.expand_dims(1) ; x.unsqueeze(1) ; ops.unsqueeze(x, 1) ; ops.ExpandDims()(x, 1) ;
  x[:, None] ; x.unsqueeze(axis=1)
ops.squeeze(x[None], 0) ; x[None].squeeze(0) ; x[None].squeeze() ; x[None].squeeze(dim=0) ;
  ops.Squeeze(0)(x[None])
ops.broadcast_to(x, (2, 2, 3)) ; x.broadcast_to((2, 2, 3)) ; x.expand(2, 2, 3) ;
  ops.BroadcastTo((2, 2, 3))(x) ; ops.expand_as(x, ops.zeros((2, 2, 3)))
ops.concat((x, x), 1) ; ops.cat((x, x), 1) ; ops.Concat(1)((x, x)) ; ops.hstack((x, x)) ; x.tile((1, 2)) ;
  ops.Tile()(x, (1, 2)) ; x.tile(1, 2)
ops.stack((x, x)) ; ops.Stack()((x, x)) ; ops.Pack()([x, x])
ops.split(x, 1) ; x.split(1) ; x.chunk(2) ; ops.Split(0, 2)(x) ; x.split(split_size=1, dim=0)
ops.unbind(x, 1) ; x.unbind(1) ; ops.unstack(x, 1) ; ops.Unstack(1)(x) ; tuple(x.T)
ops.gather(x, i, 1) ; x.gather(i, 1) ; ops.Gather()(x, i, 1) ; x.index_select(1, i) ; x.take(i, 1) ; x[:, i]
ops.gather_elements(x, 1, e) ; x.gather_elements(1, e) ; ops.gather_d(x, 1, e) ; ops.GatherD()(x, 1, e) ;
  x.gather(1, e)
ops.where(x > 2, x, 0.0) ; x.where(x > 2, 0.0) ; ops.select(x > 2, x, 0.0) ; ops.Select()(x > 2, x, 0.0) ;
  x.masked_fill(x <= 2, 0.0) ; ops.MaskedFill()(x, x <= 2, 0.0) ; x.copy().masked_fill_(x <= 2, 0.0)
ops.clamp(x, 2, 4) ; x.clamp(2, 4) ; x.clip(2, 4) ; ops.clip(x, 2, 4) ; ops.clip_by_value(x, 2, 4) ;
  x.copy().clamp_(2, 4)
ops.cast(x, ms.int32) ; x.astype(ms.int32) ; x.astype("int32") ; x.to(ms.int32) ; x.int() ; x.type(ms.int32) ;
  ops.Cast()(x, ms.int32)
ops.eq(x, 2) ; x == 2 ; x.eq(2) ; ops.equal(x, 2) ; x.equal(2) ; ops.Equal()(x, 2)
ops.lt(x, 2) ; x < 2 ; x.lt(2) ; ops.less(x, 2) ; x.less(2) ; ops.Less()(x, 2) ; 2 > x
ops.sort(x, 1, True) ; x.sort(1, True) ; x.sort(dim=1, descending=True) ; ops.Sort(1, True)(x) ;
  ops.topk(x, 3)
ops.tensor_scatter_update(x, p, v) ; ops.TensorScatterUpdate()(x, p, v) ;
  ops.scatter_nd_update(x.copy(), p, v) ; ops.ScatterNdUpdate()(x.copy(), p, v)
ops.zeros((2, 3)) ; ops.Zeros()((2, 3), ms.float32) ; ops.zeros_like(x) ; ops.ZerosLike()(x) ;
  x.new_zeros((2, 3)) ; x.copy().zero_() ; ops.full((2, 3), 0, dtype=ms.float32)
"""


@pytest.mark.parametrize(
    "line", SAME.strip().replace(" ;\n", " ; ").splitlines(), ids=lambda line: line.split(";")[0]
)
def test_every_name_gives_the_same(line):
    given = {
        "ms": ms, "ops": ops, "x": x(), "i": Tensor([0, 2]), "e": Tensor([[0], [2]]), "p": Tensor([[0, 1]]),
        "v": Tensor([9.0]),
    }  # fmt: skip
    first, *others = (part.strip() for part in line.split(" ; "))
    expected = eval(first, given)
    for code in others:
        try:
            close(eval(code, given), expected)
        except AssertionError as error:
            pytest.fail(f"{code} is not {first}: {error}", pytrace=False)


def test_methods_that_are_operators_are_the_operators_themselves():
    assert ms.Tensor.exp is ops.exp
    assert ms.Tensor.__neg__ is ops.neg
    assert ms.Tensor.sum is not ops.sum


# ---------------------------------------------------------------------- lists of names


@pytest.mark.parametrize("module", "array image linalg math nn optim rare".split())
def test_every_class_is_exported(module):
    defined = dir(importlib.import_module(f"msjax.ops.primitives.{module}"))
    defined = [name for name in defined if name[0].isupper() and name not in ("Any", "ROWS")]
    assert len(defined) > 10
    assert not [name for name in defined if getattr(ops, name, None) is not getattr(operations, name, None)]
    assert not [name for name in defined if not hasattr(operations, name)]


def test_functional_and_composite_hold_the_same_objects():
    from msjax.ops import composite, functional

    assert all(getattr(ops, n) is thing for n, thing in vars(functional).items() if not n.startswith("_"))
    for n, thing in vars(composite).items():
        if not n.startswith("_") and n in vars(functional):
            assert thing is getattr(functional, n), n


def test_in_place_methods_keep_shape_and_dtype():
    t = Tensor([1, 2])
    with pytest.raises(TypeError, match="`add_`: a result of dtype Float32 cannot be written"):
        t.add_(1.5)
    with pytest.raises(ValueError, match="`add_`: the result must have the shape"):
        t.add_(Tensor([[1, 2]]))
    h = Tensor([1.0, 2.0], ms.float16)
    assert h.mul_(Tensor(2.0)) is h
    assert h.dtype == ms.float16
    assert t.fill_(7).asnumpy().tolist() == [7, 7]
    assert t.copy_(Tensor(3)).asnumpy().tolist() == [3, 3]


def test_comparing_with_other_things():
    t = x()
    assert (t == None) is False  # noqa: E711
    assert (t != "a") is True
    assert (t == t.copy()).all()


@pytest.mark.parametrize(
    ("strategies", "error"),
    [
        (([(1, 1)],), TypeError),
        ((([1, 1],),), TypeError),
        (((("a", 1),),), TypeError),
        ((((2.0, 4), (4, 1)),), TypeError),
        (((ms.Layout((2,), ("a",))("a"), (1, 1)),), TypeError),
        ((None, ((1, 1),)), ValueError),
        (((ms.Layout((2,), ("a",))("a"),), ((1, 1),)), ValueError),
    ],
)
def test_strategies_that_primitives_refuse(strategies, error):
    with pytest.raises(error, match="strategy"):
        operations.MatMul().shard(*strategies)


def test_layouts_as_notes_of_primitives():
    product = operations.MatMul().shard(
        (ms.Layout((2, 2), ("a", "b"))("a", "b"), ms.Layout((2, 2), ("a", "b"))("b", "None"))
    )
    assert [layout["tensor_map"] for layout in product.in_layout] == [(1, 0), (0, -1)]
    assert "rank_list" not in str(product)


def test_a_constexpr_without_instance_is_a_class():
    @ms.ops.constexpr(get_instance=False)
    def length(x):
        return len(x)

    assert length()((1, 2)) == 2


def test_what_assignments_give_is_no_parameter():
    p = ms.Parameter(ms.Tensor([1.0]), name="p")
    for change in (ms.ops.assign, ms.ops.assign_add, ms.ops.assign_sub, ms.ops.Assign(), ms.ops.AssignAdd()):
        assert type(change(p, ms.Tensor([2.0]))) is ms.Tensor
    assert p.asnumpy() == [4.0]
