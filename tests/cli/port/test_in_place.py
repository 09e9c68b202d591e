"""Statements that change Tensors in place, ported to what MindSpore's CPU can do."""

import textwrap

import numpy as np
import pytest

import msjax as ms
from msjax.cli.port import definitions, program, report

HEADER = "import torch\nfrom torch import nn\n"


def rewritten(line, api="mindspore"):
    return program.port_source(HEADER + line + "\n", api).text.splitlines()[-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("t = torch.ones(3)\nt[0].zero_()", "t[0] = 0"),
        ("x[:, 1].fill_(2)", "x[:, 1] = 2"),
        ("x[i, j].copy_(y)", "x[i, j] = y"),
        ("x[1:].add_(y, alpha=-2)", "x[1:] += (-2) * y"),
        ("x[:i].mul_(y + 1)", "x[:i] *= (y + 1)"),
        ("parameters[name].copy_(y)", "parameters[name].copy_(y)"),
        ("x.sqrt_()", "x = x.sqrt()"),
        ("x.clamp_(0, 1)", "x = x.clamp(0, 1)"),
        ("x.masked_fill_(x > 0, 2.0)", "x = x.masked_fill(x > 0, 2.0)"),
        ("x.scatter_(1, index=i, value=1)", "x = x.scatter(1, i, 1.0)"),
        ("x.scatter_(1, i, y, reduce='add')", "x = x.scatter(1, i, y, reduce='add')"),
        ("net.fc.weight.data.clamp_(-1, 1)", "ops.assign(net.fc.weight, net.fc.weight.clamp(-1, 1))"),
        ("p.data.round_()", "ops.assign(p, p.round())"),
        ("m.weight.data.normal_(1, 0.02)", "m.weight.set_data(ops.randn_like(m.weight) * 0.02 + 1)"),
        ("m.bias.data.uniform_(-k, to=k)", "m.bias.set_data(ops.rand_like(m.bias) * (k - (-k)) + (-k))"),
        ("m.weight.data.copy_(w)", "m.weight.copy_(w)"),
        ("y = x.sqrt_()", "y = x.sqrt_()"),
        ("x = x.div_(2.0).sqrt_()", "x = x.div(2.0).sqrt()"),
        ("x = x.requires_grad_()", "x = ms.Parameter(x)"),
        ("a = x.max(dim=-1, keepdim=True).values", "a = x.max(dim=-1, keepdim=True)[0]"),
        ("a = torch.topk(x, 3).indices", "a = ops.topk(x, 3)[1]"),
        ("a = torch.max(x, 1).indices", "a = x.max(1)[1]"),
        ("a = d.values", "a = d.values"),
        ("a = {}.values()", "a = {}.values()"),
    ],
)
def test_statements(before, after):
    assert rewritten(before) == after


LAYERS = (
    HEADER
    + """
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.relu = nn.ReLU(inplace=True)
        self.first = nn.Sequential(nn.ReLU(True), nn.Linear(3, 3))
        self.other = nn.ReLU()
    def forward(self, x):
        h = self.fc(x)
        {line}
        return y + h
"""
)


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("y = self.relu(h)", ["h = self.relu(h)", "y = h"]),
        ("y = self.other(h)", ["y = self.other(h)"]),
        ("y = F.relu(h, inplace=True)", ["h = ops.relu(h)", "y = h"]),
        ("y = F.relu(h)", ["y = ops.relu(h)"]),
        ("h = y = self.relu(h)", ["h = y = self.relu(h)"]),
        ("y = h = self.relu(h)", ["y = h = self.relu(h)"]),
    ],
)
def test_layers_in_place_change_what_is_read_again(line, after):
    lines = [
        each.strip() for each in program.port_source(LAYERS.format(line=line), "mindspore").text.splitlines()
    ]
    start = lines.index("h = self.fc(x)") + 1
    assert lines[start : start + len(after) + 1] == [*after, "return y + h"]


def test_mint_keeps_the_methods_that_it_has():
    assert rewritten("x.clamp_(0, 1)", "mint") == "x.clamp_(0, 1)"
    assert rewritten("x.cos_()", "mint") == "x = x.cos()"


def test_changes_are_seen_by_those_who_share_the_tensor():
    source = HEADER + textwrap.dedent("""\
        table = torch.ones(3)
        def clear(x):
            x.sqrt_()
            x[:1].zero_()
            table.add_(x, alpha=2)
        def own(x):
            y = x * 1
            y.zero_()
            return y
        x = torch.ones(3) * 4
        clear(x)
        y = own(x)
        """)
    names = {}
    with ms.install_as("mindspore"):
        exec(program.port_source(source).text, names)
    found = [names[n].asnumpy() for n in ("x", "y", "table")]
    np.testing.assert_array_equal(found, [[0, 2, 2], [0, 0, 0], [1, 5, 5]])


def test_gradients_pass_changes_inside_of_forward():
    source = HEADER + textwrap.dedent("""\
        class Net(nn.Module):
            def forward(self, x):
                x = x * 3
                x.relu_()
                x.mul_(x)
                return x.sum()
        """)
    names = {}
    with ms.install_as("mindspore"):
        exec(program.port_source(source).text, names)
        net = names["Net"]()
    value = np.array([-1.0, 2.0], "float32")
    found = ms.grad(net)(ms.Tensor(value))
    np.testing.assert_allclose(found.asnumpy(), 18 * value * (value > 0), rtol=1e-6)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("u = x.svd()", "s, u, v"),
        ("net.resize_(x)", "no counterpart"),
    ],
)
def test_methods_of_the_same_name_but_another_meaning_are_left(line, reason):
    found = program.port_source(HEADER + line + "\n").report.of(report.LEFT)
    assert reason in found[0].note


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("nn.LayerNorm(3, bias=False)(x)", lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)),
        ("nn.LayerNorm(3, elementwise_affine=False)(x)",
         lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)),
        ("nn.RMSNorm(3)(x)", lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True))),
        ("nn.init.calculate_gain('leaky_relu', 0.2) * x", lambda x: x * np.sqrt(2 / 1.04)),
    ],
)  # fmt: skip
def test_definitions_compute_what_pytorch_does(expression, expected):
    x = np.array([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]], "float32")
    names = {"x": ms.Tensor(x)}
    with ms.install_as("mindspore"):
        exec(program.port_source(HEADER + f"found = {expression}\n").text, names)
    np.testing.assert_allclose(names["found"].asnumpy(), expected(x), rtol=1e-4, atol=1e-4)


def test_definitions_do_not_take_names_of_the_program():
    source = (
        HEADER + "def save(x):\n    return 7\ntorch.save({'a': torch.ones(2)}, path)\nb = torch.load(path)\n"
    )
    text = program.port_source(source).text
    assert "ms_save({'a': ops.ones(2)}, path)" in text
    assert "def ms_save(what, path)" in text
    assert "b = load(path)" in text


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("q.mul_(0.9).add_(p, alpha=0.1)", "ops.assign(q, q.mul(0.9).add(p, alpha=0.1))"),
        ("q.sqrt_()", "ops.assign(q, q.sqrt())"),
        ("p.copy_(q)", "p.copy_(q)"),
    ],
)
def test_parameters_are_changed_and_not_only_their_names(line, after):
    """MindSpore's CPU loses `q.mul_(0.9)`, and `q = ...` would change nothing of the net."""
    for end in ("", ", strict=True"):
        pairs = f"zip(ema.parameters(), net.parameters(){end})"
        assert rewritten(f"with torch.no_grad():\n    for q, p in {pairs}:\n        {line}").strip() == after


def test_buffers_are_changed_in_place():
    """MindSpore refuses another Tensor under the name of a buffer."""
    source = HEADER + textwrap.dedent("""\
        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(2))
                self.register_buffer("last", torch.zeros(3))
                self.other = 0
            def forward(self, x):
                self.count += 1
                self.last = self.count.sum() * x
                self.other += 1
                return self.last
        net = Counter()
        found = [net(torch.ones(3)).sum().item() for _ in range(2)]
        """)
    text = program.port_source(source).text
    assert "self.count.copy_(self.count + 1)" in text
    assert "self.other += 1" in text
    names: dict = {}
    with ms.install_as("mindspore"):
        exec(text, names)
    assert names["found"] == [6.0, 12.0]
    assert names["net"].other == 2


def test_fresh_results_are_made_as_they_are_filled():
    assert rewritten("x = torch.empty(2, 3).fill_(7)").startswith("x = ops.full_like(ops.")
    assert rewritten("x = nn.functional.relu(y).sqrt_()") == "x = ops.relu(y).sqrt()"
    assert ".sqrt_()" in rewritten("x = y.view(3).sqrt_()"), "y changes, too"


CLIPPING = (
    HEADER
    + """
def train(net, a, b, opt, x):
    opt.zero_grad()
    loss = net(x)
    loss.backward()
    {clip}
    opt.step()
"""
)


def test_clipping_of_some_gradients_is_of_those_that_parameters_keep():
    found = program.port_source(
        CLIPPING.format(clip="nn.utils.clip_grad_value_(net.encoder.parameters(), 1.0)")
    )
    assert not found.report.of(report.LEFT)
    lines = [line.strip() for line in found.text.splitlines()]
    at = lines.index("clip_gradient_values(parameters_of(net.encoder), 1.0)")
    assert lines[at - 1] == "add_gradients(opt.parameters, grads)"
    assert lines[at + 1] == "opt(gradients_of(opt.parameters))"


@pytest.mark.parametrize(
    ("clip", "after"),
    [
        ("n = nn.utils.clip_grad_norm_(net.parameters(), 1.0, norm_type=float('inf'))",
         "grads, n = clip_grad_norm(grads, opt.parameters, net.trainable_params(), 1.0, float('inf'))"),
        ("nn.utils.clip_grad_norm_(net.encoder.parameters(), 1.0)",
         "grads, _ = clip_grad_norm(grads, opt.parameters, net.encoder.trainable_params(), 1.0)"),
        ("nn.utils.clip_grad_norm_(a.parameters(), 1)\n    nn.utils.clip_grad_norm_(b.parameters(), 1)",
         "grads, _ = clip_grad_norm(grads, opt.parameters, b.trainable_params(), 1)"),
    ],
)  # fmt: skip
def test_clipping_of_some_gradients(clip, after):
    found = program.port_source(CLIPPING.format(clip=clip))
    assert found.report.of(report.LEFT) == []
    assert after in found.text


@pytest.mark.parametrize("order", [2.0, 1.0, float("inf")])
def test_norms_of_some_gradients(order):
    names = {"ms": ms, "ops": ms.ops}
    exec(definitions.TEXTS["clip_grad_norm"], names)
    weights = [ms.Parameter(ms.Tensor([1.0]), name=n) for n in "abc"]
    grads = (ms.Tensor([3.0, -4.0]), ms.Tensor([9.0]), ms.Tensor([12.0]))
    found, norm = names["clip_grad_norm"](grads, weights, [weights[0], weights[2]], 2.0, order)
    expected = np.linalg.norm([3.0, -4.0, 12.0], order)
    np.testing.assert_allclose(norm.item(), expected, rtol=1e-6)
    np.testing.assert_allclose(found[0].asnumpy(), np.array([3.0, -4.0]) * 2 / expected, rtol=1e-5)
    np.testing.assert_allclose(found[1].asnumpy(), [9.0])


def test_limits_of_clipping_by_name():
    source = """
def train(net, opt, x):
    opt.zero_grad()
    loss = net(x)
    loss.backward()
    nn.utils.clip_grad_norm_(parameters=net.parameters(), max_norm=0.5, norm_type=2)
    opt.step()
"""
    assert "ops.clip_by_global_norm(grads, 0.5)" in program.port_source(HEADER + source).text


def test_functions_with_gradients_of_their_own():
    source = HEADER + textwrap.dedent("""\
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, scale):
                ctx.save_for_backward(x)
                ctx.scale = scale
                return x * x * scale
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return 2 * x * g * ctx.scale, None
        def f(x):
            return Square.apply(x, 2.0).sum()
        """)
    names = {}
    with ms.install_as("mindspore"):
        exec(program.port_source(source).text, names)
    x = ms.Tensor(np.array([1.0, 3.0], "float32"))
    np.testing.assert_allclose(ms.grad(names["f"])(x).asnumpy(), [4, 12])


def test_parts_of_data_sets():
    source = HEADER + textwrap.dedent("""\
        from torch.utils.data import ConcatDataset, Subset, random_split
        a, b = random_split(data, [0.7, 0.3])
        c = random_split(data, [4, 6])
        d = ConcatDataset([Subset(data, [1, 2]), Subset(data, [5])])
        """)
    names = {"data": [10 * i for i in range(10)]}
    with ms.install_as("mindspore"):
        exec(program.port_source(source).text, names)
    assert sorted([names["a"][i] for i in range(7)] + [names["b"][i] for i in range(3)]) == names["data"]
    assert [len(part) for part in names["c"]] == [4, 6]
    assert [names["d"][i] for i in (0, 1, 2, -1)] == [10, 20, 50, 50]
