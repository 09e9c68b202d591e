"""Networks and what is done to their sources, in MindSpore's names. A module of its own, because its source is read."""

# These statements are there to be read by the program.
# ruff: noqa: F841, RET504
import re

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.rewrite import Node, NodeType, PatternEngine, PatternNode, Replacement, ScopedValue, SymbolTree

X = ScopedValue.create_naming_value("x")


class LeNet(nn.Cell):
    """The documentation's network, small."""

    def __init__(self, include_top=True):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 2, pad_mode="valid", weight_init="ones")
        self.conv2 = nn.Conv2d(2, 1, 2, pad_mode="valid", weight_init="ones")
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=1)
        self.include_top = include_top
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(4, 3, weight_init="ones", bias_init="ones")
        self.fc2 = nn.Dense(3, 2, weight_init="ones", bias_init="ones")

    def construct(self, x):
        """Compute the result."""
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        if not self.include_top:
            return x
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        return self.fc2(x)


class Base(nn.Cell):
    """A base class that others are derived from."""

    def __init__(self, n):
        super().__init__()
        self.d = nn.Dense(n, n, weight_init="ones", bias_init="ones")


class Sub(Base):
    """A part."""

    def construct(self, x):
        a, b = x, 2
        c = [a, b]
        return self.d(a) * 2 + b


def helper(x, k=2):
    y = (x + 1) * k
    return y


class Net(nn.Cell):
    """All kinds of statements."""

    K = 3

    def __init__(self):
        super().__init__()
        self.sub = Sub(2)
        self.sub2 = Sub(2)
        self.seq = nn.SequentialCell(nn.ReLU(), Sub(2))
        self.add = ops.Add()
        self.function = helper

    def method(self, x):
        return x - self.K

    def construct(self, x, y=1):
        x = self.sub(x)
        x = self.sub2(x)
        x = self.seq(x)
        z = self.add(x, x)
        z = helper(z, k=3)
        z = self.method(z)
        z = self.function(z)
        for i in range(3):
            z = z + i
        while False:
            z = z - 1
        else:
            z = z * 1
        a = b = z
        assert True
        t = x.shape[0]
        u = {"a": t}
        v = x if True else z
        w = (t + t) and z
        p, q = x, (a, b)
        p += 1
        x[0].sum()
        z = -z > 3
        return z, a + b


class Branches(nn.Cell):
    """An `if` that the network decides, and one that it does not."""

    def __init__(self, flag):
        super().__init__()
        self.flag = flag
        self.r = nn.ReLU()
        self.blocks = nn.CellList([nn.ReLU(), nn.Sigmoid()])

    def construct(self, x):
        if self.flag:
            x = self.r(x)
        else:
            x = x * 2
            x = x - 1
        for block in self.blocks:
            x = block(x)
        if x.shape[0] > 7:
            x = x + 1
        return x


class ConvNorm(nn.Cell):
    """A pattern to be found."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.bn = nn.BatchNorm2d(2)
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.conv(x)
        x = self.bn(x)
        return self.relu(x)


class OneConv(Replacement):
    """A convolution in the place of a convolution and a normalization."""

    def build(self, pattern, is_chain_pattern, matched):
        norm = matched.get(pattern.name())
        conv = matched.get(pattern.get_inputs()[0].name())
        made = nn.Conv2d(1, 2, 3, weight_init="ones")
        return [Node.create_call_cell(made, norm.get_targets(), conv.get_args(), name="one")]


def plain(text):
    """Without the numbers that depend on what was read before."""
    return re.sub(r"\b(helper|\w+Opt)_\d+\b", r"\1", text)


def nodes(tree, all_nodes=False):
    return [
        plain(
            f"{n.get_node_type().name} {n.get_name()} {n.get_targets()} {n.get_args()} {n.get_kwargs()}"
            f" < {[i.get_name() for i in n.get_inputs()]} > {[u.get_name() for u in n.get_users()]}"
        )
        for n in tree.nodes(all_nodes)
    ]


def classes(tree):
    """The classes and functions of the code, without imports."""
    code = re.split(r"\n(?=class |def |sys\.|from |import |\w+ = getattr|#)", tree.get_code())
    return plain("\n".join(part for part in code if part[:3] in ("cla", "def"))).split("\n")


def attempt(function):
    try:
        return str(function())
    except Exception as error:
        return type(error).__name__


def floats(tensor):
    return np.round(tensor.asnumpy().astype(np.float64), 4).tolist()


def read():
    tree = SymbolTree.create(LeNet())
    conv = tree.get_node("conv1")
    told = [conv.get_node_type(), conv.get_instance_type().__name__, conv.get_attribute("kernel_size")]
    sub = SymbolTree.create(Net()).get_node("sub")
    return {
        "lenet": nodes(tree),
        "conv1": [str(each) for each in told],
        "net": nodes(SymbolTree.create(Net()), True),
        "branches": nodes(SymbolTree.create(Branches(True)), True),
        "code": classes(SymbolTree.create(LeNet())) + classes(SymbolTree.create(Net())),
        "sub": [str(sub.get_node_type()), *nodes(sub.get_sub_tree())],
        "is": [n.get_handler() is not None for n in (sub, tree)],
        "results": [floats(y) for y in SymbolTree.create(Net()).get_network()(Tensor([[1.0, 2.0]]))],
    }


def changed():
    tree = SymbolTree.create(LeNet())
    conv = tree.get_node("conv1")
    new = Node.create_call_cell(
        nn.Sigmoid(), ["s"], [ScopedValue.create_naming_value("conv1_var")], name="new"
    )
    tree.insert(tree.after(conv), new)
    tree.get_node("relu").set_arg(0, "s")
    users = [[u.get_name() for u in n.get_users()] for n in (conv, new)]
    half = Node.create_call_function(helper, ["x"], [X], {"k": ScopedValue.create_variable_value(0.5)})
    tree.insert(tree.before("conv2"), half)
    tree.erase("flatten")
    tree.insert(tree.before("fc1"), Node.create_call_cell(nn.Flatten(), ["x"], [X], name="flatten"))
    tree.replace(tree.get_node("fc2"), [Node.create_call_cell(ops.Sub(), ["fc2_var"], [X, X], name="fc2")])
    net = tree.get_network()
    found = {"users": users, "nodes": nodes(tree), "code": classes(tree), "net": type(net).__name__[:8]}
    found["result"] = floats(net(ms.ops.ones((1, 1, 4, 4))))
    found["parameters"] = [p.name for p in net.trainable_params()]
    return found


def inside():
    tree = SymbolTree.create(Net())
    inner = tree.get_node("sub").get_sub_tree()
    inner.insert(
        inner.after("d"),
        Node.create_call_cell(nn.ReLU(), ["d_var"], [ScopedValue.create_naming_value("d_var")]),
    )
    made = tree.get_node("seq").get_handler().nodes()[1].symbol_tree
    static = []
    for flag in (True, False):
        branches = SymbolTree.create(Branches(flag))
        branches.flatten_static_if_control_flow()
        static.append(nodes(branches))
        static.append(floats(branches.get_network()(Tensor([1.0, -1.0]))))
    pattern = SymbolTree.create(ConvNorm())
    applied = PatternEngine([nn.Conv2d, nn.BatchNorm2d], OneConv()).apply(pattern)
    return {
        "code": classes(tree),
        "seq": [
            made is not None,
            [len(n.get_handler().nodes()) for n in tree.nodes() if n.get_name().startswith("helper")],
        ],
        "static": static,
        "applied": [
            str(applied),
            *nodes(pattern),
            *map(str, floats(pattern.get_network()(ms.ops.ones((1, 1, 2, 2))))),
        ],
    }


def refused():
    tree = SymbolTree.create(LeNet())
    call = Node.create_call_cell
    placed = call(nn.ReLU(), ["q"], [X])
    tree.insert(tree.after("conv1"), placed)
    conv = tree.get_node("conv1")
    return {
        "name": placed.get_name(),
        "unique": [tree.unique_name(n) for n in ("output", "output", "x", "x", "q_3")],
        "twice": attempt(lambda: tree.insert(tree.after("conv1"), placed)),
        "before an argument": attempt(
            lambda: tree.insert(tree.before("input_x"), call(nn.ReLU(), ["q"], [X]))
        ),
        "elsewhere": attempt(
            lambda: tree.insert(SymbolTree.create(LeNet()).after("conv1"), call(nn.ReLU(), ["q"], [X]))
        ),
        "no node": attempt(lambda: tree.get_node("nope")),
        "erase none": attempt(lambda: tree.erase("nope")),
        "no network": attempt(lambda: SymbolTree.create(1)),
        "nodes of 1": attempt(lambda: list(tree.nodes(1))),
        "index": [attempt(lambda i=i: conv.set_arg(i, "x")) for i in (3, "0", -1)],
        "arg": attempt(lambda: conv.set_arg(0, 1)),
        "by node": attempt(lambda: conv.set_arg_by_node(0, "x")),
        "result": attempt(lambda: conv.set_arg_by_node(0, tree.get_node("fc1"), 3)),
        "argument": attempt(lambda: conv.set_arg_by_node(4, tree.get_node("fc1"))),
        "sub tree": attempt(lambda: conv.get_sub_tree()),
        "unique of 1": attempt(lambda: tree.unique_name(1)),
        "calls": [
            attempt(lambda a=arguments: call(*a).get_name())
            for arguments in (
                (1, ["x"], [X]),
                (nn.ReLU(), "x", [X]),
                (nn.ReLU(), ["x"], ["x"]),
                (nn.ReLU(), ["x"], [X], {"a": 1}),
                (nn.ReLU(), [1], [X]),
                (nn.ReLU(), ["x"], [X, X]),
                (nn.ReLU(), ["x"], [X], None, 3),
            )
        ],
        "function": attempt(lambda: Node.create_call_function(1, ["x"], [X])),
        "position": attempt(lambda: tree.insert(1, placed)),
        "replace": [attempt(lambda a=a: tree.replace(*a)) for a in ((1, [placed]), (conv, placed))],
        "after": [attempt(lambda a=a: tree.after(a)) for a in (1, "nope")],
        "pattern": attempt(lambda: PatternEngine([int], OneConv())),
        "pattern node": attempt(lambda: PatternNode(1)),
        "types": [kind.name for kind in NodeType],
    }


def told():
    """Return the outcomes of all of these."""
    return {story.__name__: story() for story in (read, changed, inside, refused)}
