"""torch.fx: texts are PyTorch 2.13's."""

import operator

import pytest

from msjax import torch
from msjax.torch.fx import GraphModule, Interpreter, Proxy, Transformer, symbolic_trace


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.p = torch.nn.Parameter(torch.ones(3, 4))
        self.l = torch.nn.Linear(4, 5)
        self.seq = torch.nn.Sequential(torch.nn.ReLU())

    def forward(self, x, scale=2.0):
        y = self.l(x + self.p).clamp(min=0.0)
        a, b = y.chunk(2, dim=1)
        return self.seq(torch.cat([a, b], 1) * scale), y.shape


GRAPH = """graph():
    %x : [num_users=1] = placeholder[target=x]
    %scale : [num_users=1] = placeholder[target=scale](default=2.0)
    %p : [num_users=1] = get_attr[target=p]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %p), kwargs = {})
    %l : [num_users=1] = call_module[target=l](args = (%add,), kwargs = {})
    %clamp : [num_users=2] = call_method[target=clamp](args = (%l,), kwargs = {min: 0.0})
    %chunk : [num_users=2] = call_method[target=chunk](args = (%clamp, 2), kwargs = {dim: 1})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 0), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 1), kwargs = {})
    %cat : [num_users=1] = call_function[target=torch.cat](args = ([%getitem, %getitem_1], 1), kwargs = {})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%cat, %scale), kwargs = {})
    %seq_0 : [num_users=1] = call_module[target=seq.0](args = (%mul,), kwargs = {})
    %getattr_1 : [num_users=1] = call_function[target=builtins.getattr](args = (%clamp, shape), kwargs = {})
    return (seq_0, getattr_1)"""


def test_a_module_is_traced_and_runs():
    net = Net()
    traced = symbolic_trace(net)
    assert str(traced.graph) == GRAPH
    x = torch.rand(3, 4)
    torch.testing.assert_close(traced(x, scale=3.0), net(x, 3.0))
    assert '    seq_0 = getattr(self.seq, "0")(mul);  mul = None\n' in traced.code
    traced(x)[0].sum().backward()
    assert net.l.weight.grad is not None  # the Parameters are the module's own
    assert torch.relu(torch.tensor(-1.0)) == 0  # nothing stays patched


def function(x, y):
    return torch.add(torch.sin(x), y) + 1


def test_nodes_are_replaced():
    traced = symbolic_trace(function)
    for node in traced.graph.nodes:
        if node.target is torch.add:
            with traced.graph.inserting_after(node):
                new = traced.graph.call_function(torch.mul, node.args)
            node.replace_all_uses_with(new)
            traced.graph.erase_node(node)
    traced.graph.lint()
    traced.recompile()
    assert traced.code.strip().splitlines()[2] == "    mul = torch.mul(sin, y);  sin = y = None"
    assert traced(torch.zeros(1), torch.ones(1)).tolist() == [1]
    with pytest.raises(RuntimeError, match="still had 1 users"):
        traced.graph.erase_node(new)


def test_interpreters_and_transformers_say_what_calls_do():
    class Negated(Interpreter):
        def call_function(self, target, args, kwargs):
            return -args[0] if target is torch.sin else super().call_function(target, args, kwargs)

    class Cosine(Transformer):
        def call_function(self, target, args, kwargs):
            return torch.cos(*args) if target is torch.sin else super().call_function(target, args, kwargs)

    traced = symbolic_trace(function)
    assert Negated(traced).run(torch.ones(1), torch.ones(1)).tolist() == [1]
    changed = Cosine(traced).transform()
    assert "cos = torch.cos(x)" in changed.code
    assert changed(torch.zeros(1), torch.ones(1)).tolist() == [3]


def test_a_graph_is_made_by_hand():
    graph = torch.fx.Graph()
    x = Proxy(graph.placeholder("x"))
    graph.output((x * 2 + x.neg()).node)
    assert [n.target for n in graph.nodes][1:4] == [operator.mul, "neg", operator.add]
    assert GraphModule(torch.nn.Module(), graph)(torch.ones(1)).tolist() == [1]


def branching(x):
    return x if x.sum() > 0 else -x


def test_branches_on_values_are_refused():
    with pytest.raises(torch.fx.proxy.TraceError, match="inputs to control flow"):
        symbolic_trace(branching)


def test_graphs_are_printed(capsys):
    traced = symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
    traced.graph.print_tabular()
    assert capsys.readouterr().out.splitlines()[:3] == [
        "opcode       name     target  args        kwargs",
        "-----------  -------  ------  ----------  ------",
        "placeholder  input_1  input   ()          {}    ",
    ]
    text = traced.print_readable()
    assert capsys.readouterr().out == f"{text}\n"
    assert "    def forward(self, input_1):" in text
    assert text == traced.print_readable(print_output=False)
    assert not capsys.readouterr().out


def test_what_is_called_with_proxies_while_nodes_are_inserted_becomes_nodes():
    net = torch.nn.Sequential(torch.nn.ReLU())
    traced = symbolic_trace(net)
    (node,) = traced.graph.find_nodes(op="call_module")
    with traced.graph.inserting_before(node):
        proxy = torch.tanh(net[0](Proxy(node.args[0])))
        proxy = symbolic_trace(torch.nn.LeakyReLU())(torch.cat([proxy, proxy]))
        made = traced.graph.call_function(torch.exp, (proxy.node,))
        node.replace_all_uses_with(made)
    traced.graph.erase_node(node)
    assert [n.name for n in traced.graph.nodes][1:-1] == ["relu", "tanh", "cat", "leaky_relu", "exp"]
    assert traced.graph.find_nodes(op="call_function", target=torch.tanh)  # the function itself, as outside
    assert made.target is torch.exp
    assert torch.tanh(torch.zeros(1)) == 0
    torch.testing.assert_close(traced(torch.ones(1)), torch.exp(torch.tanh(torch.ones(2))))


def test_what_was_traced_is_traced_again():
    first = symbolic_trace(lambda x, y=2.0: torch.relu(x) * y)
    again = symbolic_trace(first)
    assert again.code == first.code
    assert again(torch.tensor([-1.0, 1.0])).tolist() == [0, 2]
    outer = symbolic_trace(torch.nn.Sequential(first, torch.nn.Tanh()))  # a GraphModule is no leaf
    assert outer.graph.find_nodes(op="call_function", target=torch.relu)


def doubled(x):
    return x + x


torch.fx.wrap("doubled")


def uses_doubled(x):
    return doubled(torch.neg(x))


def test_a_tracer_is_told_the_functions_themselves():
    class Inlining(torch.fx.Tracer):
        def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
            found.append(target)
            return super().create_node(kind, target, args, kwargs, name, type_expr)

    found = []
    Inlining().trace(uses_doubled)
    assert found[1:3] == [torch.neg, doubled]
