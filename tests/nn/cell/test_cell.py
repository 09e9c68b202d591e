"""Cells beyond what MindSpore prints: messages, pickling, transformations."""

import copy
import pickle

import numpy as np
import pytest

import msjax as ms
from msjax import Parameter, Tensor, nn, ops

X = ms.Tensor(np.array([[1.0, 2.0]], np.float32))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 3)
        self.scale = ms.Parameter(ms.Tensor(2.0), name="scale")
        self.register_buffer("offset", ms.Tensor(1.0))

    def construct(self, x):
        return self.dense(x) * self.scale + self.offset


class NoInit(nn.Cell):
    def __init__(self):
        self.dense = nn.Dense(2, 3)


class Squared(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 3,)


MESSAGES = {
    "no super().__init__": (NoInit, AttributeError, ["NoInit", "super().__init__()", "dense=Dense"]),
    "no attribute": (lambda: Net().nope, AttributeError, ["'Net'", "'nope'"]),
    "no construct": (lambda: nn.Cell()(X), AttributeError, ["Cell", "construct"]),
    "a number for a Parameter": (
        lambda: setattr(Net(), "scale", 3.0),
        TypeError,
        ["'scale'", "Parameter", "3.0"],
    ),
    "a number for a Cell": (lambda: setattr(Net(), "dense", 3), TypeError, ["'dense'", "Sub cell", "int"]),
    "a Parameter for a Cell": (
        lambda: setattr(Net(), "dense", ms.Parameter(ms.Tensor(1.0))),
        KeyError,
        ["insert_param_to_cell", "dense", "another kind"],
    ),
    "a dot": (lambda: Net().insert_child_to_cell("a.b", nn.ReLU()), KeyError, ["child_name", "a.b"]),
    "one name twice": (
        lambda: setattr(nn.Cell(), "p", [ms.Parameter(ms.Tensor(1.0), name="a") for _ in range(2)]),
        ValueError,
        ["'a'", "its own name"],
    ),
    "to_float": (lambda: Net().to_float(ms.int32), ValueError, ["to_float", "dst_type", "int32"]),
    "hook": (lambda: Net().register_forward_hook(3), TypeError, ["register_forward_hook", "hook_fn", "3"]),
    "compiled hook": (
        lambda: Net().register_forward_hook(ms.jit(lambda cell, args, out: out)),
        TypeError,
        ["register_forward_hook", "jit"],
    ),
    "prefix": (lambda: Net().update_parameters_name("a/b"), ValueError, ["prefix", "a/b"]),
    "recompute": (lambda: Net().recompute(more=1), ValueError, ["recompute", "more", "mp_comm_recompute"]),
    "bprop": (
        lambda: ms.grad(
            lambda x: type("Few", (Squared,), {"bprop": lambda *a: (), "cls_name": "Few"})()(x).sum()
        )(X),
        RuntimeError,
        ["Few.bprop", "1 inputs", "Received: 0"],
    ),
    "state": (
        lambda: Net().load_state_dict({"scale": ms.Tensor([1.0]), "more": ms.Tensor(1.0)}),
        RuntimeError,
        [
            "Net",
            "scale: expected shape ()",
            'Unexpected key(s) in state_dict: "more"',
            'Missing key(s) in state_dict: "offset", "dense.weight"',
        ],
    ),
    "index": (lambda: nn.CellList([nn.ReLU()])[1], IndexError, ["CellList", "[-1, 1)", "1"]),
    "saved tensors": (
        lambda: Net().register_saved_tensors_hooks(None, None),
        TypeError,
        ["pack_hook", "NoneType"],
    ),
    "channels": (lambda: nn.Dense(0, 2), ValueError, ["`Dense`", "`in_channels`", "0"]),
    "padding": (
        lambda: nn.Conv2d(1, 1, 3, padding=1),
        ValueError,
        ["`Conv2d`", "`padding`", "pad_mode='same'", "pad_mode='pad'"],
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_messages(case):
    attempt, error, words = MESSAGES[case]
    with pytest.raises(error) as caught:
        attempt()
    for word in words:
        assert word in str(caught.value)


def test_pickling_and_copying_keep_names_and_values():
    net = nn.SequentialCell(Net(), nn.BatchNorm1d(3))
    ms.jit(lambda x: net(x))(X)
    for twin in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
        assert [p.name for p in twin.get_parameters()] == [p.name for p in net.get_parameters()]
        np.testing.assert_array_equal(twin(X).asnumpy(), net(X).asnumpy())
        twin[0].scale.set_data(ms.Tensor(7.0))
        assert float(net[0].scale.asnumpy()) == 2


def test_a_buffer_is_written_and_not_replaced():
    """As in MindSpore 2.10, which takes None or another buffer."""
    net = Net()
    net.offset.copy_(ms.Tensor(5.0))
    assert float(net.get_buffer("offset").asnumpy()) == 5
    with pytest.raises(TypeError, match=r"Buffer 'offset' already exists .*`cell.offset.copy_"):
        net.offset = ms.Tensor(5.0)
    net.offset = net.offset
    net.offset = None
    assert net.get_buffer("offset") is None


def test_attributes_are_listed():
    assert {"dense", "scale", "offset", "construct"} <= set(dir(Net()))


def test_slots_of_a_class_take_parameters_and_cells():
    class Slotted(nn.Cell):
        __slots__ = ("layer", "number", "weight")

        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([2.0]))
            self.layer, self.number = nn.ReLU(), 3.0

        def construct(self, x):
            return self.layer(x * self.weight) + self.number

    net = Slotted()
    assert [p.name for p in net.get_parameters()] == ["weight"]
    assert [*net.name_cells()] == ["layer"]
    assert float(net(Tensor([4.0]))) == 11.0
    with pytest.raises(KeyError, match="number already exists"):
        net.number = Parameter(Tensor([1.0]))


def test_children_that_are_exchanged_in_the_table_are_used():
    net = Net()
    net._cells["dense"] = nn.Identity()
    np.testing.assert_array_equal(net(X).asnumpy(), [[3, 5]])


def test_failing_load_changes_nothing():
    net = Net()
    before = net.scale.asnumpy()
    with pytest.raises(RuntimeError):
        net.load_state_dict({**Net().state_dict(), "scale": ms.Tensor(9.0), "offset": ms.Tensor([1.0])})
    np.testing.assert_array_equal(net.scale.asnumpy(), before)


def test_state_dict_hooks():
    net, seen = Net(), []
    net.register_state_dict_pre_hook(lambda cell, prefix, keep: seen.append("pre"))
    net.register_state_dict_post_hook(lambda cell, state, prefix, meta: state.update(extra=1))
    state = net.state_dict()
    assert seen == ["pre"]
    assert state["extra"] == 1
    other = Net()
    other.register_load_state_dict_pre_hook(lambda cell, state, *rest: state.pop("extra"))
    other.register_load_state_dict_post_hook(lambda cell, keys: seen.append(keys))
    other.load_state_dict(state)
    assert not seen[1].missing_keys
    assert not seen[1].unexpected_keys


WAYS = {
    "grad": lambda f: ms.grad(f)(X),
    "grad(jit)": lambda f: ms.grad(ms.jit(f))(X),
    "jit(grad)": lambda f: ms.jit(ms.grad(f))(X),
    "grad(recompute)": lambda f: ms.grad(lambda x: ms.recompute(f, x))(X),
    "grad(vmap)": lambda f: ms.grad(lambda x: ms.vmap(lambda v: f(v))(x.reshape((2, 1))).sum())(X),
}


@pytest.mark.parametrize("way", WAYS)
def test_bprop_is_used(way):
    net = Squared()
    np.testing.assert_allclose(WAYS[way](lambda x: net(x).sum()).asnumpy(), 3 * X.asnumpy())


@pytest.mark.parametrize("way", WAYS)
def test_backward_hooks_are_used(way):
    net = nn.ReLU()
    net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * 5)
    np.testing.assert_allclose(WAYS[way](lambda x: net(x).sum()).asnumpy(), np.full((1, 2), 5.0))


@pytest.mark.parametrize("way", WAYS)
def test_recompute_gives_the_same_gradient(way):
    net = nn.SequentialCell(nn.Tanh(), nn.Sigmoid())
    want = ms.grad(lambda x: net(x).sum())(X).asnumpy()
    net.recompute()
    np.testing.assert_allclose(WAYS[way](lambda x: net(x).sum()).asnumpy(), want, rtol=1e-5)


def test_precision_within_a_program():
    net = nn.SequentialCell(nn.Dense(2, 2, weight_init="ones"), nn.ReLU()).to_float(ms.float16)
    eager = net(X)
    compiled = ms.jit(lambda x: net(x))(X)
    assert eager.dtype == compiled.dtype == ms.float16
    np.testing.assert_array_equal(eager.asnumpy(), compiled.asnumpy())
    outside = ms.jit(lambda x: x * 2)
    assert outside(X).dtype == ms.float32

    class Inside(nn.Cell):
        def construct(self, x):
            return outside(x)

    assert Inside().to_float(ms.float16)(X).dtype == ms.float16
    assert outside(X).dtype == ms.float32


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("flags", "results"),
    [
        ({"fp16": True}, "Float16 Float16"),
        ({"fp32": True}, "Float32 Float32"),
        ({"fp16": True, "fp32": True}, "Float32 Float32"),  # the later one in MindSpore's order
        ({"fp16": False}, "Float32 None"),
    ],
)
def test_precision_by_flags(flags, results, compiled):
    half = X.astype(ms.float16)
    net = nn.Dense(2, 2, weight_init="ones").add_flags_recursive(**flags)
    run = ms.jit(lambda x: net(x)) if compiled else net
    single, of_half = results.split()
    assert str(run(X).dtype) == single
    if of_half == "None":
        with pytest.raises(TypeError, match="one dtype"):
            run(half)
    else:
        assert str(run(half).dtype) == of_half
    gradient = ms.grad(lambda x: net(x).astype(ms.float32).sum())(X)
    assert gradient.dtype == ms.float32


def test_dropout_draws_anew_and_repeats_with_the_seed():
    net = nn.Dropout(p=0.5).set_train()
    ones = ops.ones((100,), ms.float32)
    step = ms.jit(lambda x: net(x))
    for call in (net, step):
        ms.set_seed(3)
        first, second = call(ones).asnumpy(), call(ones).asnumpy()
        assert not np.array_equal(first, second)
        assert set(np.unique(first)) == {0.0, 2.0}
        ms.set_seed(3)
        np.testing.assert_array_equal(call(ones).asnumpy(), first)
    np.testing.assert_array_equal(net.set_train(False)(ones).asnumpy(), ones.asnumpy())


@pytest.mark.parametrize("layer", [nn.Dropout1d, nn.Dropout2d, nn.Dropout3d])
def test_channels_are_dropped_as_a_whole(layer):
    sizes = {nn.Dropout1d: (4,), nn.Dropout2d: (2, 2), nn.Dropout3d: (1, 2, 2)}[layer]
    out = layer(0.5).set_train()(ops.ones((8, 16, *sizes), ms.float32)).asnumpy().reshape(128, 4)
    assert set(np.unique(out)) == {0.0, 2.0}
    assert (out == out[:, :1]).all()


@pytest.mark.parametrize(
    ("layer", "shape"), [("1d", (2, 3, 5)), ("2d", (2, 3, 4, 5)), ("3d", (2, 3, 2, 4, 5))]
)
def test_instance_norm(layer, shape):
    """MindSpore has no kernel for it on a CPU: against the formula."""
    net = getattr(nn, f"InstanceNorm{layer}")(3, gamma_init=2.0, beta_init=1.0)
    x = np.random.RandomState(0).standard_normal(shape).astype(np.float32)
    axes = tuple(range(2, x.ndim))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    np.testing.assert_allclose(
        net(ms.Tensor(x)).asnumpy(), (x - mean) / np.sqrt(var + 1e-5) * 2 + 1, atol=1e-5
    )
    assert (net.moving_mean.asnumpy() == 0).all()
    net.set_train()(ms.Tensor(x))
    np.testing.assert_allclose(net.moving_mean.asnumpy(), 0.1 * mean.mean(0).reshape(-1), atol=1e-6)


class Masking(nn.Cell):
    """Its backward function changes what it is given, as published programs do."""

    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        dout[x > 1] = 0
        x[0] = 5
        return (dout * x,)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_bprop_changes_what_it_is_given(mode):
    ms.set_context(mode=mode)
    x, cell = Tensor([1.0, 2.0]), Masking()
    assert ms.grad(lambda x: (cell(x) * x).sum())(x).tolist() == [7.0, 4.0]


class TwoWeights(nn.Cell):
    def __init__(self, answer):
        super().__init__()
        self.w = Parameter(Tensor(4.0), name="w")
        self.v = Parameter(Tensor(2.0), name="v")
        self.internal_params = [self.w, self.v]
        self.answer = answer

    def construct(self, x):
        return x * self.w * self.v

    def bprop(self, x, out, dout):
        return self.answer(self, x, dout)


@pytest.mark.parametrize("wrapped", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_bprop_gives_gradients_of_internal_params_to_any_order(wrapped):
    net = TwoWeights(lambda net, x, dout: ((dout * 100 * x,), {net.w: dout * 1000 * net.w * net.w}))
    by_x, (by_w, by_v) = wrapped(ms.grad(net, 0, [net.w, net.v]))(Tensor(3.0))
    assert (float(by_x), float(by_w), float(by_v)) == (300, 16000, 0)
    second = wrapped(ms.grad(lambda x: ms.grad(net, None, net.w)(x), None, net.w))
    assert float(second(Tensor(3.0))) == 8000


def test_bprop_must_return_something_where_it_is_called():
    net = type("Without", (Squared,), {"bprop": lambda *_: None})()
    x = Tensor([2.0])
    assert ms.jit(net)(x).tolist() == net(x).tolist() == [4.0]
    with pytest.raises(
        TypeError, match=r"`Without.bprop` must return the gradients of the inputs. Received: None"
    ):
        ms.grad(net)(x)


def test_bprop_of_internal_params_must_return_both():
    net = TwoWeights(lambda net, x, dout: (dout,))
    with pytest.raises(TypeError, match=r"`TwoWeights.bprop`: with `internal_params` it must return a tuple"):
        ms.grad(net, 0, net.w)(Tensor(3.0))


def test_what_a_cell_tells_of_itself():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.SequentialCell(nn.ReLU()))
    count = nn.Cell.total_instance_count
    assert nn.ReLU().create_time >= net.create_time
    assert nn.Cell.total_instance_count == count + 1
    assert net.get_scope() is None
    net.generate_scope()
    assert [cell.get_scope() for _, cell in net.cells_and_names()] == [
        None,
        "Default/0-Dense",
        "Default/1-SequentialCell",
        "Default/1-SequentialCell/0-ReLU",
    ]
    assert net.get_mixed_precision_type().name == "NOTSET"
    assert net.to_float(ms.bfloat16).get_mixed_precision_type().name == "BF16"
    assert (net.compiled, net.compile_phase, net.phase_cache, net.bprop_debug) == (False, None, {}, False)
    assert net.compile_cache is net.compile_cache
    net.bprop_debug = True
    assert net.bprop_debug
    with pytest.raises(TypeError, match="bprop_debug"):
        net.bprop_debug = 1
    with pytest.raises(TypeError, match="parameter_layout_dict"):
        net.parameter_layout_dict = 1
    with pytest.raises(AttributeError):
        net.compile_cache = set()
    with pytest.raises(TypeError, match="set_mixed_precision_type"):
        net.set_mixed_precision_type("fp16")


def test_open_sizes():
    net = nn.Conv2d(1, 1, 1)
    x = Tensor(shape=[None, 1, 3, 3], dtype=ms.float32)
    assert x.shape == (-1, 1, 3, 3)
    net.set_inputs(x)
    assert repr(net.get_inputs()) == "(Tensor(shape=[-1, 1, 3, 3], dtype=Float32, value=\n),)"
    assert net(ms.ops.ones((2, 1, 3, 3))).shape == (2, 1, 3, 3)
    net.set_inputs(x=x)
    assert net.get_inputs() == {"x": x}
    with pytest.raises(ValueError, match="by place or by name"):
        net.set_inputs(x, x=x)
    with pytest.raises(ValueError, match="must be among"):
        net.set_inputs(other=x)


class _Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.CellList([nn.Dense(1, 1, has_bias=False) for _ in range(2)])


@pytest.mark.parametrize("row", [nn.CellList, nn.SequentialCell])
@pytest.mark.parametrize(
    ("start", "names"),
    [
        # As recorded from MindSpore, whose checkpoints have these names: with one child, its guess is another.
        (
            [],
            ["0.blocks.0", "0.blocks.1", "0.blocks.1.blocks.0", "0.blocks.1.blocks.1", "0.blocks.2.blocks.0"],
        ),
        (
            [_Block],
            ["net.0.blocks.0", "net.0.blocks.1", "net.0.blocks.1.blocks.0", "net.0.blocks.1.blocks.1"],
        ),
        ([nn.ReLU], ["1.blocks.0", "1.blocks.1", "2.blocks.0", "2.blocks.1", "3.blocks.0"]),
        (
            [_Block, _Block],
            ["net.0.blocks.0", "net.0.blocks.1", "net.1.blocks.0", "net.1.blocks.1", "net.2.blocks.0"],
        ),
    ],
)
def test_names_of_what_is_appended_to_a_row(row, start, names):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = row([kind() for kind in start])
            for _ in range(3):
                self.net.append(_Block())

    found = [parameter.name.removesuffix(".weight") for parameter in Net().get_parameters()]
    assert found[: len(names)] == names


def test_hooks_see_and_change_buffers():
    seen = []

    def hook(cell, name, buffer):
        seen.append((type(cell).__name__, name))
        return buffer * 2 if name == "doubled" else None

    handle = ms.nn.cell.register_cell_buffer_registration_hook(hook)
    net = nn.Cell()
    net.register_buffer("doubled", Tensor([1.0, 2.0]))
    net.register_buffer("kept", Tensor([1.0]))
    handle.remove()
    net.register_buffer("later", Tensor([3.0]))
    assert seen == [("Cell", "doubled"), ("Cell", "kept")]
    assert [b.asnumpy().tolist() for b in net.buffers()] == [[2, 4], [1], [3]]
    with pytest.raises(TypeError, match="callable"):
        ms.nn.cell.register_cell_buffer_registration_hook(3)


def test_a_dict_of_cells_holds_no_container():
    for container in (nn.CellList([nn.ReLU()]), nn.SequentialCell(nn.ReLU()), nn.CellDict({"a": nn.ReLU()})):
        with pytest.raises(TypeError, match="CellDict, CellList or SequentialCell"):
            nn.CellDict({"inner": container})


class _Steps(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0, ms.int32), name="count")
        self.scale = Parameter(Tensor(1.5, ms.float32), name="scale")
        self.done = Parameter(Tensor(False), name="done")
        self.row = Parameter(Tensor([1.0, 2.0]), name="row")

    def construct(self, x, given=None):
        self.count += 1
        if self.count >= 2:
            self.count = 0
            self.scale = 4
            x = x + 10
        self.done = True
        if given == "row":
            self.row = 3.0
        if given == "float":
            self.count = 2.5
        return x * self.scale + self.count


def test_compiled_cells_write_numbers_into_parameters():
    """Recorded. MindCV counts the steps of accumulated gradients in this way; PyNative mode refuses it."""
    net, x = _Steps(), Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="'done' already exists"):
        net(x)
    net = _Steps()
    step = ms.jit(net.construct)
    assert [step(x).asnumpy().tolist() for _ in range(3)] == [[2.5, 4.0], [44.0, 48.0], [5.0, 9.0]]
    assert (net.count.item(), net.scale.item(), net.done.item()) == (1, 4.0, True)
    assert (net.count.dtype, net.scale.dtype, net.done.dtype) == (ms.int32, ms.float32, ms.bool_)
    with pytest.raises(ValueError, match="'row' takes a Tensor of its shape"):
        step(x, "row")
    with pytest.raises(TypeError, match="'count' of dtype Int32 takes no float"):
        step(x, "float")
