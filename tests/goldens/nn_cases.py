"""Cells in small programs whose prints are the goldens.

They run under MindSpore and under msjax, so only names of both are used.
"""

from collections import OrderedDict

import numpy as np

try:
    import msjax as ms
except ImportError:
    import mindspore as ms

nn, ops, Tensor, Parameter = ms.nn, ms.ops, ms.Tensor, ms.Parameter


def tried(fn):
    """The name of the exception that a call raises, or what it returns."""
    try:
        return fn()
    except Exception as error:
        return f"raises {type(error).__name__}"


def param(name=None, value=1.0, size=2):
    return Parameter(Tensor(np.full(size, value, np.float32)), name=name)


def dense(n=1):
    return nn.Dense(n, n)


def names(cell):
    """Paths of the Parameters, and their names where those differ."""
    pairs = [(path, p.name) for path, p in cell.parameters_and_names()]
    return [path if path == name else f"{path} named {name}" for path, name in pairs]


X = np.array([[1.0, 2.0]], np.float32)


class Pair(nn.Cell):
    def __init__(self, a, b):
        super().__init__()
        self.a = a
        self.b = b

    def construct(self, x):
        return x


class Wrap(nn.Cell):
    def __init__(self, c, auto_prefix=True):
        super().__init__(auto_prefix=auto_prefix)
        self.c = c

    def construct(self, x):
        return self.c(x)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = param()
        self.v = param("vv")
        self.d = nn.Dense(2, 3)
        self.k = 5
        self.t = Tensor([1.0, 2.0])

    def construct(self, x):
        return x * self.w


# ---------------------------------------------------------------------- a zoo of nets


class LeNet(nn.Cell):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", weight_init="normal", has_bias=True, bias_init="zeros")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", weight_init="normal")
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84, activation="relu")
        self.fc3 = nn.Dense(84, classes, has_bias=False)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.fc2(self.relu(self.fc1(x))))


class Block(nn.Cell):
    expansion = 2

    def __init__(self, channels, out, down):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, weight_init="zeros")
        self.bn1 = nn.BatchNorm2d(out)
        self.relu = nn.ReLU()
        self.down_sample = None
        if down:
            self.down_sample = nn.SequentialCell(
                [nn.Conv2d(channels, out, 1, weight_init="zeros"), nn.BatchNorm2d(out, affine=False)]
            )

    def construct(self, x):
        y = self.bn1(self.conv1(x))
        return self.relu(y + (x if self.down_sample is None else self.down_sample(x)))


class ResNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.SequentialCell(
            OrderedDict([("conv", nn.Conv2d(3, 4, 3, weight_init="ones")), ("bn", nn.BatchNorm2d(4, momentum=0.8))])
        )
        self.layers = nn.CellList([Block(4, 4, False), Block(4, 8, True)])
        self.head = nn.SequentialCell(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dense(8, 2, activation=nn.Sigmoid()))

    def construct(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Tied(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 4)
        self.norm = nn.LayerNorm((4,))
        self.out = nn.Dense(4, 5)
        self.out.weight = self.embedding.embedding_table
        self.act = nn.PReLU(4)
        self.group = nn.GroupNorm(2, 4)
        self.dropout = nn.Dropout(p=0.25)

    def construct(self, x):
        return self.out(self.norm(self.embedding(x)))


ZOO = {
    "lenet": LeNet,
    "resnet": ResNet,
    "tied": Tied,
    "nested": lambda: nn.SequentialCell(nn.SequentialCell(dense(), nn.ReLU()), nn.SequentialCell([dense(2)])),
    "list": lambda: Wrap(nn.CellList([Pair(param("own"), dense()), nn.Tanh()])),
    "dict": lambda: Wrap(nn.CellDict({"x": dense(), "y": Wrap(dense(2))})),
    "no_prefix": lambda: Pair(Wrap(dense(), auto_prefix=False), Wrap(Wrap(dense(2)), auto_prefix=False)),
    "shared": lambda: (lambda d: nn.SequentialCell(d, nn.ReLU(), d))(dense()),
    "loss": lambda: nn.WithLossCell(dense(), nn.MSELoss()),
}


def zoo_names():
    for key, make in ZOO.items():
        net = make()
        print(key, names(net))
        print(" ", [p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
        print(" ", [name for name, _ in net.cells_and_names()], list(net.state_dict()))


def zoo_trees():
    for make in ZOO.values():
        print(make())


# ---------------------------------------------------------------------- attributes


def attributes_replaced():
    values = {
        "tensor": lambda: Tensor([3.0, 4.0]),
        "half": lambda: Tensor([3.0, 4.0], ms.float16),
        "ints": lambda: Tensor([3, 4]),
        "longer": lambda: Tensor([3.0, 4.0, 5.0]),
        "int": lambda: 7,
        "str": lambda: "s",
        "None": lambda: None,
        "array": lambda: np.ones(2),
        "cell": nn.ReLU,
        "parameter": lambda: param(value=9.0),
        "named": lambda: param("nn", 9.0),
        "cells": lambda: [nn.ReLU()],
        "tuple": lambda: ms.ParameterTuple([param("a")]),
    }
    for attribute in ("w", "d", "k", "t", "new"):
        for label, value in values.items():
            net = Net()

            def assign(net=net, value=value, attribute=attribute):
                setattr(net, attribute, value())
                return type(getattr(net, attribute)).__name__, names(net), list(net.name_cells())

            print(attribute, label, tried(assign))


def attributes_written():
    net = Net()
    before = net.w
    net.w = Tensor([3, 4])
    print(net.w is before, net.w.asnumpy(), net.w.dtype)
    net.w = Tensor([5.0, 6.0, 7.0])
    print(net.w.shape, net.w.name)


def attributes_deleted():
    for name in ("w", "d", "k", "t", "nope"):
        net = Net()

        def delete(net=net, name=name):
            delattr(net, name)
            return names(net), list(net.name_cells()), hasattr(net, name)

        print(name, tried(delete))
    print(tried(lambda: net.nope), tried(lambda: setattr(net, "a.b", nn.ReLU())))
    print(tried(lambda: setattr(net, "a.b", param())), tried(lambda: setattr(net, "3", nn.ReLU())))


def attributes_before_init():
    def make(value):
        class Early(nn.Cell):
            def __init__(self):
                self.early = value
                super().__init__()

        return type(Early().early).__name__

    for value in (dense(), param(), 3, Tensor([1.0])):
        print(tried(lambda value=value: make(value)))

    class Never(nn.Cell):
        def __init__(self):
            pass

        def construct(self, x):
            return x

    print(tried(lambda: Never()(1)))


def attributes_lists():
    class Lists(nn.Cell):
        def __init__(self):
            super().__init__()
            self.ps = [param(), param("n1")]
            self.cells_ = [dense()]
            self.pt = ms.ParameterTuple([param("t"), param("u")])

    net = Lists()
    print(names(net), names(Wrap(net)), list(net.state_dict()), type(net.ps).__name__, type(net.pt).__name__)
    print(tried(lambda: setattr(net, "twice", [param("a"), param("a")])))


def attributes_in_construct():
    class Count(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name="w")
            self.s = Tensor([0.0])

        def construct(self, x):
            self.w = self.w + 1
            self.s = self.s + x.sum()
            return x * self.w

    net = Count()
    print(net(Tensor(X)).asnumpy(), net.w.asnumpy(), net.s.asnumpy(), type(net.w).__name__)
    grads = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor(X))
    print(grads[0].asnumpy(), net.w.asnumpy(), net.s.asnumpy())

    class Lazy(nn.Cell):
        def construct(self, x):
            if not hasattr(self, "w"):
                self.w = Parameter(Tensor([2.0]))
            return x * self.w

    net = Lazy()
    print(net(Tensor(X)).asnumpy(), names(net))


# ---------------------------------------------------------------------- names


def names_nested():
    net = Pair(dense(), nn.ReLU())
    outer = Wrap(net)
    net.c = dense(2)
    net.q = param()
    outer.c.b2 = dense(3)
    print(names(outer), names(net))
    net = Pair(dense(), nn.ReLU())
    old = net.a
    net.a = dense(2)
    print(names(net), names(old))
    net = Wrap(dense())
    net.c.weight = Parameter(Tensor([[1.0]]))
    print(names(net))
    net.c.weight = Parameter(Tensor([[1.0]]), name="zz")
    print(names(net))
    net.c = None
    print(names(net), [n for n, _ in net.cells_and_names()], list(net.name_cells()))
    net.c = dense()
    print(names(net))


def names_given():
    print(names(Pair(param("x"), param("x"))), names(Wrap(Pair(param("x"), param("x")))))
    p = param("x")
    print(names(Pair(p, p)), names(Wrap(Pair(p, p))))
    p = param()
    print(names(Pair(p, p)))
    d = dense()
    print(names(Pair(d, d)), [n for n, _ in Pair(d, d).cells_and_names()])
    net = Pair(dense(), dense())
    net.b.weight = net.a.weight
    print(names(net), names(net.b), list(net.parameters_dict()))


def names_twice():
    net = Pair(dense(), dense())
    net.b.weight.name = "a.weight"
    print(names(net), list(net.parameters_dict()), list(net.state_dict()), tried(net.check_names))
    print(tried(lambda: ms.ParameterTuple([param("a"), param("a")])))


def names_updated():
    net = Pair(dense(), param("own"))
    net.update_parameters_name("pp.")
    print(names(net))
    net.update_parameters_name("q", recurse=False)
    print(names(net))
    for prefix in (3, "", "a b", "a/b", "a-b.", "1"):
        print(prefix, tried(lambda prefix=prefix: net.update_parameters_name(prefix)), names(net))
    net = Wrap(Pair(dense(), dense()))
    print([c.param_prefix for _, c in net.cells_and_names()])
    net.update_cell_prefix()
    print([c.param_prefix for _, c in net.cells_and_names()])


def names_listed():
    net = Pair(Pair(dense(), param("vv")), dense())
    net.a.a.weight.requires_grad = False
    print([n for n, _ in net.parameters_and_names("zz")], [n for n, _ in net.parameters_and_names(expand=False)])
    print([p.name for p in net.get_parameters(expand=False)], [p.name for p in net.a.get_parameters(expand=False)])
    print([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
    print([p.name for p in net.a.trainable_params(False)], list(net.parameters_dict(False)))
    print([(n, type(c).__name__) for n, c in net.cells_and_names()])
    print([(n, type(c).__name__) for n, c in net.cells_and_names(name_prefix="q")])
    print([type(c).__name__ for c in net.cells()], list(net.name_cells()))
    net.apply(lambda c: print(" ", type(c).__name__))


def names_inserted():
    cell = nn.Cell()
    cell.insert_child_to_cell("k", dense())
    cell.insert_param_to_cell("p", param())
    cell.insert_param_to_cell("z", param("own"))
    cell.insert_param_to_cell("a.b", param(), check_name_contain_dot=False)
    print(names(cell))
    for name, child in (("q", 3), (3, nn.ReLU()), ("", nn.ReLU()), ("a.b", nn.ReLU()), ("p", nn.ReLU()), ("k", nn.ReLU())):
        print(name, tried(lambda name=name, child=child: cell.insert_child_to_cell(name, child)))
    for name, p in (("q", Tensor([1.0])), (3, param()), ("", param()), ("a.c", param()), ("k", param()), ("p", param())):
        print(name, tried(lambda name=name, p=p: cell.insert_param_to_cell(name, p)))
    print(tried(lambda: cell.insert_child_to_cell("none", None)), tried(lambda: cell.insert_param_to_cell("pnone", None)))
    print(names(cell), list(cell.name_cells()))


# ---------------------------------------------------------------------- calls and modes


def calls():
    net = Net()
    x = Tensor(X[0])
    print(net(x).asnumpy(), net(x=x).asnumpy(), net(3).asnumpy())
    for fn in (lambda: net(), lambda: net(x, x, 3), lambda: net(y=x), lambda: nn.Cell()(x), lambda: nn.CellList([])(x)):
        print(tried(fn))

    class Free(nn.Cell):
        def construct(self, *args, **kwargs):
            return len(args), sorted(kwargs)

    print(Free()(1, 2, a=3))
    relu = nn.ReLU()
    relu.construct = lambda v: v * 100
    print(relu(x).asnumpy())
    print(bool(nn.ReLU()), nn.ReLU() == nn.ReLU(), relu.cls_name, bool(nn.CellList([])))


def modes():
    net = Pair(Pair(dense(), param()), nn.Dropout(p=0.5))
    print([c.training for _, c in net.cells_and_names()], net.set_train() is net)
    print([c.training for _, c in net.cells_and_names()])
    net.set_train(False)
    net.a.training = True
    print([c.training for _, c in net.cells_and_names()])
    print(net.set_grad() is net, [c.requires_grad for _, c in net.cells_and_names()], net.set_grad(False).requires_grad)
    print(net.add_flags(zz=1, yy=(1, 2)) is net, net.get_flags(), net.a.get_flags(), net.zz)
    net.add_flags_recursive(qq=True)
    print(net.get_flags(), net.a.get_flags(), net.a.qq, nn.Cell(flags={"a": 1}).get_flags())


def settings():
    net = Net()
    for method, args in (
        ("set_comm_fusion", ("a",)),
        ("set_comm_fusion", (-1,)),
        ("set_boost", ("zz",)),
        ("recompute", ()),
    ):
        print(method, tried(lambda method=method, args=args: getattr(net, method)(*args)))
    print(tried(lambda: net.recompute(zz=1)), tried(lambda: net.recompute(mp_comm_recompute=False)))
    print(net.set_comm_fusion(3) is net, net.set_broadcast_flag() is net, net.set_boost("less_bn") is net)
    print(tried(lambda: net.pipeline_stage), tried(lambda: setattr(net, "pipeline_stage", -1)))
    print(tried(lambda: setattr(net, "pipeline_stage", "a")), tried(lambda: setattr(net, "phase", 3)))
    net.set_inputs(Tensor(X))
    print(len(net.get_inputs()), net.phase)
    print([p.name for p in net.init_parameters_data()])


def recomputed():
    net = nn.SequentialCell(nn.Tanh(), nn.Sigmoid())
    plain = ms.grad(lambda x: net(x).sum())(Tensor(X)).asnumpy()
    net.recompute()
    print(np.allclose(ms.grad(lambda x: net(x).sum())(Tensor(X)).asnumpy(), plain, atol=1e-6))


def printed():
    class Extra(nn.Cell):
        def __init__(self):
            super().__init__()
            self.d = nn.ReLU()
            self.q = None

        def extend_repr(self):
            return "abc=1, d=2"

    class More(nn.Cell):
        def __init__(self):
            super().__init__()
            self.q = Extra()
            self.insert_child_to_cell("z", None)
            self.w = param()

    print(nn.Cell(), nn.SequentialCell(), Extra())
    print(More())
    print(nn.SequentialCell(Extra(), More()))


def copies():
    import copy

    net = Wrap(Pair(dense(2), param("own")))
    net.register_buffer("b", Tensor([1.0]))
    twin = copy.deepcopy(net)
    print(names(twin), twin.c.b is net.c.b, twin.c.a is net.c.a, twin.b is net.b)
    twin.c.b = Tensor([7.0, 7.0])
    print(net.c.b.asnumpy(), twin.c.b.asnumpy(), copy.copy(net).c is net.c)
    tied = Tied()
    twin = copy.deepcopy(tied)
    print(twin.out.weight is twin.embedding.embedding_table, twin.out.weight is tied.out.weight)


# ---------------------------------------------------------------------- buffers and state


def buffers():
    cell = Pair(param(), dense())
    for name, value in ((3, Tensor([1.0])), ("a.b", Tensor([1.0])), ("", Tensor([1.0])), ("a", Tensor([1.0])),
                        ("construct", Tensor([1.0])), ("n", 3), ("n", np.ones(2))):  # fmt: skip
        print(name, tried(lambda name=name, value=value: cell.register_buffer(name, value)))
    cell.register_buffer("n", Tensor([1.0]), persistent=False)
    cell.register_buffer("none", None)
    cell.b.register_buffer("m", Tensor([2.0]))
    print(list(cell.state_dict()), [n for n, _ in cell.named_buffers()], len(list(cell.buffers())), names(cell))
    print([n for n, _ in cell.named_buffers("pp", recurse=False)], cell.get_buffer("b.m").asnumpy(), cell.none)
    print(type(cell.get_sub_cell("b")).__name__, cell.get_sub_cell("") is cell)
    for fn in (lambda: cell.get_buffer("zz"), lambda: cell.get_buffer("a"), lambda: cell.get_sub_cell("a"),
               lambda: cell.get_sub_cell("z.z"), lambda: setattr(cell, "n", 3), lambda: setattr(cell, "n", nn.ReLU()),
               lambda: setattr(cell, "n", param())):  # fmt: skip
        print(tried(fn))
    cell.n = None
    print(cell.n)
    del cell.n
    print(hasattr(cell, "n"), cell)


class Stateful(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = param()
        self.d = nn.Dense(2, 2)
        self.register_buffer("buf", Tensor([1.0, 2.0]))


def state_dicts():
    net = Stateful()
    state = net.state_dict()
    print(type(state).__name__, [(k, v.shape) for k, v in state.items()], state["w"] is net.w)
    print(list(net.state_dict(prefix="pp.")), list(net.state_dict(destination={"z": 1})))

    def load(changes, strict=True, without=()):
        other = Stateful()
        given = {k: v for k, v in {**state, **changes}.items() if k not in without}
        return repr(other.load_state_dict(given, strict)), other.w.asnumpy().tolist(), str(other.w.dtype)

    extra = {"zz": Tensor([1.0])}
    for changes, strict, without in (
        ({}, True, ()),
        ({}, True, ("w",)),
        ({}, False, ("w", "d.bias")),
        (extra, True, ()),
        (extra, False, ()),
        ({"w": Tensor([1.0])}, True, ()),
        ({"w": Tensor([1.0])}, False, ()),
        ({"w": Tensor([1.0, 3.0], ms.float16)}, True, ()),
        ({"w": Tensor([1, 3])}, True, ()),
        ({"w": np.ones(2)}, True, ()),
        ({"w": param(None, 7.0)}, True, ()),
    ):
        print(tried(lambda c=changes, s=strict, w=without: load(c, s, w)))
    print(tried(lambda: net.load_state_dict(3)))


# ---------------------------------------------------------------------- containers


def cell_list():
    net = Wrap(nn.CellList([dense(), dense(2), dense(3)]))
    cells = net.c
    steps = {
        "len": lambda: len(cells),
        "first": lambda: cells[0].in_channels,
        "last": lambda: cells[-1].in_channels,
        "append": lambda: cells.append(dense(4)),
        "set": lambda: cells.__setitem__(1, dense(5)),
        "insert": lambda: cells.insert(1, dense(6)),
        "insert -1": lambda: cells.insert(-1, nn.SequentialCell(dense(7))),
        "extend": lambda: cells.extend([dense(8)]) is cells,
        "delete": lambda: cells.__delitem__(0),
        "delete slice": lambda: cells.__delitem__(slice(0, 2)),
        "iterate": lambda: [type(c).__name__ for c in cells],
        "slice": lambda: len(cells[1:]),
        "after slice": lambda: cells.append(nn.ReLU()),
    }
    for label, step in steps.items():
        print(label, tried(step), names(net))
    for fn in (lambda: cells[9], lambda: cells[-9], lambda: cells["0"], lambda: cells[1.0], lambda: cells.append(3),
               lambda: cells.extend(dense()), lambda: cells.extend([3]), lambda: cells.insert(99, dense()),
               lambda: cells.insert(0, 3), lambda: cells.pop(), lambda: cells.__delitem__(77), lambda: cells + cells,
               lambda: cells.__setitem__(99, dense()), lambda: cells.__setitem__("a", dense()), lambda: nn.CellList(3),
               lambda: nn.CellList([3]), lambda: nn.CellList((dense(),))):  # fmt: skip
        print(tried(fn))
    print(len(nn.CellList()), dense() in cells, bool(nn.CellList()))
    flat = nn.CellList([dense()], auto_prefix=False)
    flat.append(dense(2))
    print(names(flat), names(Wrap(flat)))


def cell_list_filled_late():
    class Late(nn.Cell):
        def __init__(self):
            super().__init__()
            self.cells_ = nn.CellList()
            self.row = nn.SequentialCell()
            for i in (1, 2):
                self.cells_.append(dense(i))
                self.row.append(dense(i))

    print(names(Late()), names(Wrap(Late())))


def sequential():
    net = Wrap(nn.SequentialCell(dense(), dense(2), dense(3)))
    cells = net.c
    steps = {
        "len": lambda: len(cells),
        "append": lambda: cells.append(dense(4)),
        "set": lambda: cells.__setitem__(1, dense(5)),
        "delete": lambda: cells.__delitem__(0),
        "iterate": lambda: [c.in_channels for c in cells],
        "slice": lambda: [c.in_channels for c in cells[1:]],
        "names after slice": lambda: names(cells[::2]),
        "delete slice": lambda: cells.__delitem__(slice(0, 1)),
    }
    for label, step in steps.items():
        print(label, tried(step), names(net))
    for fn in (lambda: cells[9], lambda: cells["0"], lambda: cells.append(3), lambda: cells.__setitem__(0, 3),
               lambda: cells.__setitem__(99, dense()), lambda: nn.SequentialCell(3), lambda: nn.SequentialCell([3]),
               lambda: nn.SequentialCell((dense(),)), lambda: nn.SequentialCell({"a": dense()}),
               lambda: nn.SequentialCell(dense(), [dense()]), lambda: nn.SequentialCell()(1, 2)):  # fmt: skip
        print(tried(fn))
    print(nn.SequentialCell()(Tensor(X)).asnumpy(), len(nn.SequentialCell([])))
    named = nn.SequentialCell(OrderedDict(a=nn.ReLU(), b=dense(2)))
    print(named.a, names(named), named(Tensor(X)).shape, nn.SequentialCell(nn.CellList([dense()])))


def cell_dict():
    net = Wrap(nn.CellDict({"a": dense(), "b": dense(2)}))
    cells = net.c
    steps = {
        "len": lambda: (len(cells), "a" in cells, list(cells), list(cells.keys()), cells["a"].in_channels),
        "values": lambda: ([c.in_channels for c in cells.values()], [k for k, _ in cells.items()]),
        "set": lambda: cells.__setitem__("c", dense(3)),
        "replace": lambda: cells.__setitem__("a", dense(4)),
        "update": lambda: cells.update({"q": dense(5)}),
        "update pairs": lambda: cells.update([["r", dense(6)]]),
        "update dict": lambda: cells.update(nn.CellDict({"zz": dense(7)})),
        "delete": lambda: cells.__delitem__("a"),
        "pop": lambda: cells.pop("b").in_channels,
    }
    for label, step in steps.items():
        print(label, tried(step), names(net))
    for fn in (lambda: cells["none"], lambda: cells.pop("none"), lambda: cells.__setitem__("c", 3),
               lambda: cells.__setitem__(1, dense()), lambda: cells.__setitem__("a.b", dense()),
               lambda: cells.__setitem__("", dense()), lambda: cells.__setitem__("keys", dense()),
               lambda: cells.update(3), lambda: cells.update([3]), lambda: cells.update([["r", dense(), 3]]),
               lambda: cells.update({"a": None}), lambda: nn.CellDict(3), lambda: cells(1)):  # fmt: skip
        print(tried(fn))
    cells.clear()
    print(cells, len(cells), bool(cells), nn.CellDict([["a", dense()]]))


# ---------------------------------------------------------------------- hooks, bprop, precision


class Two(nn.Cell):
    def construct(self, x, y):
        return x * y, x + y


def seen(label, change=None):
    """A backward hook that prints the gradients that it gets."""

    def hook(cell, *gradients):
        listed = [[None if g is None else g.asnumpy().tolist() for g in group] for group in gradients]
        print(" ", label, type(cell).__name__, listed)
        return None if change is None else change(*gradients)

    return hook


def forward_hooks():
    def hook(label):
        def called(*args, **kwargs):
            print(" ", label, [type(a).__name__ for a in args], sorted(kwargs))

        return called

    net = Net()
    x = Tensor(X[0])
    handles = [
        net.register_forward_pre_hook(hook("pre")),
        net.register_forward_hook(hook("after")),
        net.register_forward_pre_hook(hook("pre first"), prepend=True, with_kwargs=True),
        net.register_forward_hook(hook("after with kwargs"), with_kwargs=True),
        net.register_forward_hook(hook("after first"), prepend=True),
    ]
    net(x)
    net(x=x)
    for handle in handles:
        handle.remove()
        handle.remove()
    print(net(x).asnumpy())


def forward_hooks_results():
    x = Tensor(X[0])

    def pre(result, named=False):
        net = Net()
        net.register_forward_pre_hook(lambda *a: result, with_kwargs=named)
        return net(x).asnumpy().tolist()

    for result in (None, x * 2, (x * 2,), (x, x), ()):
        print("pre", tried(lambda r=result: pre(r)))
    for result in (None, x * 2, ((x * 2,), {}), ((), {"x": x * 3}), (x * 2, {}), 3):
        print("pre with kwargs", tried(lambda r=result: pre(r, True)))

    def after(result):
        net = Net()
        net.register_forward_hook(lambda *a: result)
        return net(x)

    for result in ((x * 2,), 3, [x]):
        print("after", type(after(result)).__name__)
    print("after", after(x * 2).asnumpy(), after(None).asnumpy())

    class Fails(nn.Cell):
        def construct(self, x):
            raise ValueError("no")

    for always in (True, False):
        net = Fails()
        net.register_forward_hook(lambda *a: print("  called", len(a), a[-1]), always_call=always)
        print("always", always, tried(lambda net=net: net(x)))
    for kind in ("forward_pre", "forward", "backward_pre", "backward"):
        print(kind, tried(lambda kind=kind: getattr(Net(), f"register_{kind}_hook")(3)))


def backward_hooks():
    x, y = Tensor(X), Tensor(X + 4)

    def run(net, args, pre=None, post=None, positions=0):
        if pre:
            net.register_backward_pre_hook(pre)
        if post:
            net.register_backward_hook(post)

        def loss(*args):
            out = net(*args)
            return (out[0] * 3 + out[1]).sum() if isinstance(out, tuple) else (out * 3).sum()

        grads = ms.grad(loss, positions)(*args)
        return [g.asnumpy().tolist() for g in (grads if isinstance(grads, tuple) else (grads,))]

    show = seen("pre"), seen("post")
    print(run(nn.ReLU(), (x,), *show))
    print(run(Two(), (x, y), *show, (0, 1)))
    print(run(Two(), (x, y), *show))
    print(run(Two(), (x, y), seen("pre", lambda g: (g[0] * 2, g[1] * 2)), show[1], (0, 1)))
    print(run(Two(), (x, y), None, seen("post", lambda gi, go: (gi[0] * 2, gi[1] * 10)), (0, 1)))
    print(run(nn.ReLU(), (x,), seen("pre", lambda g: g[0] * 2), seen("post", lambda gi, go: gi[0] * 10)))
    for post in (lambda gi, go: 3, lambda gi, go: (gi[0], gi[0])):
        print(tried(lambda post=post: run(nn.ReLU(), (x,), None, seen("post", post))))
    for pre in (lambda go: 3, lambda go: (go[0], go[0])):
        print(tried(lambda pre=pre: run(nn.ReLU(), (x,), seen("pre", pre))))
    net = nn.ReLU()
    net.register_backward_hook(seen("first", lambda a, b: (a[0] * 2,)))
    net.register_backward_hook(seen("second", lambda a, b: (a[0] + 1,)))
    net.register_backward_pre_hook(seen("pre first", lambda b: (b[0] * 2,)))
    print(run(net, (x,), seen("pre second", lambda b: (b[0] + 1,))))
    net = nn.ReLU()
    net.register_forward_pre_hook(lambda cell, args: (args[0] * 5,))
    net.register_forward_hook(lambda cell, args, out: out * 2)
    print(run(net, (x,), *show))
    net = Net()
    net.register_backward_hook(seen("only weights"))
    grads = ms.grad(lambda: (net(x) * 3).sum(), None, net.trainable_params())()
    print([g.asnumpy().tolist() for g in grads[:1]])
    net(x)


def bprop():
    class Squared(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * 100 + x * 0 + out * 0,)

    x = Tensor(X)
    print(ms.grad(Squared())(x).asnumpy(), Squared()(x).asnumpy(), Squared().has_bprop, nn.ReLU().has_bprop)
    net = Squared()
    net.register_backward_hook(seen("post"))
    net.register_backward_pre_hook(seen("pre"))
    print(ms.grad(lambda x: net(x * 2).sum())(x).asnumpy())

    def with_bprop(construct, fn):
        cell = type("Made", (nn.Cell,), {"construct": construct, "bprop": fn})
        return cell()

    def square(self, x):
        return x * x

    def scaled(self, x, y=2, *, z=3):
        return x * y

    for fn in (lambda self, x, out, dout: dout * 100, lambda self, x, out, dout: (None,),
               lambda self, x, out: dout, lambda self, x, out, dout: (dout * 7, dout)):  # noqa: F821 # fmt: skip
        print(tried(lambda fn=fn: ms.grad(with_bprop(square, fn))(x).asnumpy().tolist()))
    print(tried(lambda: ms.grad(lambda x: with_bprop(scaled, lambda *a: (a[-1],))(x).sum())(x)))
    net = with_bprop(scaled, lambda self, x, y, z, out, dout: (dout * y + z, None, None))
    print(ms.grad(lambda x: net(x).sum())(x).asnumpy(), ms.grad(lambda x: net(x, y=4).sum())(x).asnumpy())
    both = with_bprop(
        lambda self, x, y: (x * y, x + y), lambda self, x, y, out, dout: (dout[0] * 2, dout[1] * 3 + dout[0])
    )
    print([g.asnumpy().tolist() for g in ms.grad(lambda x, y: both(x, y)[0].sum(), (0, 1))(x, x + 1)])

    class Weighted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = param()

        def construct(self, x):
            return x * self.w

        def bprop(self, x, out, dout):
            return (dout * 5,)

    net = Weighted()
    grads = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())(x)
    print(grads[0].asnumpy(), grads[1][0].asnumpy())


class Probe(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = param()
        self.d = nn.Dense(2, 2, weight_init="ones")
        self.ln = nn.LayerNorm((2,))
        self.t = Tensor([1.0, 2.0])

    def construct(self, x):
        y, z, n = x * self.w, self.d(x), self.ln(x)
        seen_ = (x, self.w, y, x * self.t, self.t * self.t, z, n, x.reshape(2), x + 1.0, x.sum(), x > 0)
        print(" ", [str(v.dtype) for v in seen_])
        return y, z, n, self.t


def to_float():
    for dtype in (ms.float16, ms.float32):
        for given in (Tensor(X), Tensor(X, ms.float64), Tensor(X, ms.float16)):
            net = Probe()
            print(net.to_float(dtype) is net)
            print(tried(lambda net=net, given=given: [str(v.dtype) for v in net(given)]))
    for dtype in (ms.int32, ms.float64, 3, None, "float16", np.float16, float):
        print(tried(lambda dtype=dtype: Probe().to_float(dtype)))
    net = Probe()
    net.d.to_float(ms.float16)
    print([str(v.dtype) for v in net(Tensor(X))], net.get_flags(), net.d.get_flags())
    net = Probe().to_float(ms.float16)
    net.ln.to_float(ms.float32)
    print([str(v.dtype) for v in net(Tensor(X))], net.get_flags(), net.ln.get_flags(), net.fp16)
    net.to_float(ms.float16)
    print(net.ln.get_flags())


def to_float_gradients():
    net = nn.Dense(2, 2, weight_init="ones").to_float(ms.float16)
    value, (dx, weights) = ms.value_and_grad(lambda x: net(x).sum(), 0, net.trainable_params())(Tensor(X))
    print(value.dtype, dx.dtype, dx.asnumpy(), [(str(w.dtype), w.asnumpy().tolist()) for w in weights])
    bn = nn.BatchNorm2d(1).to_float(ms.float16).set_train()
    print(bn(Tensor(np.ones((1, 1, 4, 4), np.float32))).dtype, bn.moving_mean.dtype)
    print(nn.Embedding(3, 2).to_float(ms.float16)(Tensor([1, 2])).dtype)
    row = nn.SequentialCell(nn.ReLU(), nn.Tanh()).to_float(ms.float16)
    row[0].register_forward_pre_hook(lambda c, i: print(" ", i[0].dtype, (i[0] * 2).dtype))
    print(row(Tensor(X)).dtype)

    class Fails(nn.Cell):
        def construct(self, x):
            raise ValueError("no")

    print(tried(lambda: nn.SequentialCell(Fails())(Tensor(X))), (Tensor(X) * 2).dtype)


def converted():
    net = Probe()
    print(net.to(ms.float16) is net, net.w.dtype, net.d.weight.dtype, net.t.dtype)


# ---------------------------------------------------------------------- training steps

DATA = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
LABEL = np.array([[1.0], [2.0]], np.float32)


def linear(bias="zeros"):
    return nn.Dense(2, 1, weight_init=Tensor(np.array([[0.5, 0.25]], np.float32)), bias_init=bias)


def shown(tree):
    """Nested results with rounded numbers in the place of Tensors."""
    if isinstance(tree, tuple | list):
        return type(tree)(shown(v) for v in tree)
    if isinstance(tree, dict):
        return {k: shown(v) for k, v in tree.items()}
    return (np.round(tree.asnumpy().astype(np.float64), 4) + 0.0).tolist() if isinstance(tree, Tensor) else tree


def with_loss():
    x, y = Tensor(DATA), Tensor(LABEL)
    net = nn.WithLossCell(linear(), nn.MSELoss())
    print(shown(net(x, y)), net.backbone_network is net._backbone, net)
    print(shown(nn.WithLossCell(linear(), lambda a, b: a.sum())(x, y)))
    print(shown(nn.WithEvalCell(linear(), nn.MSELoss())(x, y)))
    net = nn.WithEvalCell(linear().to_float(ms.float16), nn.L1Loss(), True)
    print([str(v.dtype) for v in net(x, y)], tried(lambda: nn.WithEvalCell(linear(), nn.MSELoss(), 3)))
    print(shown(nn.WithGradCell(linear(), nn.MSELoss())(x, y)))
    print(shown(nn.WithGradCell(linear(), nn.MSELoss(), sens=2.0)(x, y)))
    print(shown(nn.WithGradCell(nn.WithLossCell(linear(), nn.MSELoss()))(x, y)))


def one_step():
    x, y = Tensor(DATA), Tensor(LABEL)

    def step(**options):
        net = linear()
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        return net, nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, **options)

    for options in ({}, {"sens": 2.0}, {"return_grad": True}):
        net, cell = step(**options)
        print(shown(cell(x, y)), shown(net.weight), shown(net.bias), cell.sens, cell.training)
        print(shown(cell(x, y)), shown(cell.set_train()(x, y)))
    net, cell = step()
    print(names(cell), type(cell.weights).__name__, tried(lambda: step(sens=0)))
    print(tried(lambda: nn.TrainOneStepCell(3, cell.optimizer)), tried(lambda: nn.TrainOneStepCell(cell.network, 3)))


def value_and_gradient():
    x, y = Tensor(DATA), Tensor(LABEL)
    net = linear()
    weights = ms.ParameterTuple(net.trainable_params())
    for options in ({}, {"get_all": True}, {"get_by_list": True}, {"get_all": True, "get_by_list": True}):
        print(shown(nn.ForwardValueAndGrad(net, weights=weights, **options)(x)))
    print(shown(nn.ForwardValueAndGrad(net, sens_param=True)(x, y)))
    print(shown(nn.ForwardValueAndGrad(lambda v: v * 2)(x)))
    for fn in (lambda: nn.ForwardValueAndGrad(3), lambda: nn.ForwardValueAndGrad(net, get_all=3),
               lambda: nn.ForwardValueAndGrad(net, weights=3, get_by_list=True)):  # fmt: skip
        print(tried(fn))
    update = nn.ParameterUpdate(net.bias)
    print(shown(update(Tensor([7.0]))), shown(net.bias), tried(lambda: nn.ParameterUpdate(3)))
    print(tried(lambda: update(Tensor([7.0, 8.0]))))


def loss_scales():
    def follow(manager, overflows):
        scale = Parameter(Tensor(manager.get_loss_scale(), ms.float32), name="scale")
        seen_ = []
        for overflow in overflows:
            result = manager(scale, Tensor(bool(overflow)))
            seen_.append((float(scale.asnumpy()), bool(result)))
        return seen_

    for overflows in ([0, 0, 0, 0, 0, 0], [1, 1, 1], [0, 1, 0, 0, 0, 1, 0, 0]):
        manager = nn.DynamicLossScaleUpdateCell(4.0, 2, 2)
        print(follow(manager, overflows), shown(manager.cur_iter), shown(manager.last_overflow_iter))
    print(follow(nn.FixedLossScaleUpdateCell(4.0), [0, 1]), names(nn.DynamicLossScaleUpdateCell(4.0, 2, 2)))

    def step(scale):
        net = linear()
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        return nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, scale)

    for scale in (Tensor([8.0, 2.0]), 3):
        print(tried(lambda scale=scale: step(scale)))
    cell = step(Tensor(8.0))
    cell.set_sense_scale(Tensor(16.0))
    print(shown(cell.scale_sense), tried(lambda: cell.set_sense_scale(3)), names(cell))
    print(names(step(nn.DynamicLossScaleUpdateCell(4.0, 2, 2))))
