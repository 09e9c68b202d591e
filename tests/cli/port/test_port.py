"""`msjax port`: the table agrees with PyTorch, and ported programs have the losses of the originals."""

import json
import re
import sys
import textwrap
import types
from pathlib import Path

import libcst as cst
import numpy as np
import pytest
from click.testing import CliRunner

import msjax as ms
from msjax.cli import commands, usage_check
from msjax.cli.port import definitions, mapping, patterns, program, report
from tests.goldens import port_cases

GOLDENS = Path(port_cases.__file__).parent
RECORDED = json.loads((GOLDENS / "port.json").read_text())
HEADER = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
ELSEWHERE = {"gamma": "weight", "beta": "bias", "embedding_table": "weight", "w": "weight"}


def ported(source, api="mindspore"):
    return program.port_source(textwrap.dedent(source), api)


def left(source, api="mindspore"):
    return [d.note for d in ported(source, api).report.of(report.LEFT)]


def rewritten(line, api="mindspore"):
    """The last line of a program that begins with PyTorch's imports."""
    return ported(HEADER + line, api).text.splitlines()[-1]


# ---------------------------------------------------------------------- the table


def samples(api):
    """All samples, ported at once."""
    texts = list(RECORDED["samples"])
    lines = "".join(f"result_{i} = {text}\n" for i, text in enumerate(texts))
    found = ported(HEADER + lines, api)
    assert [str(d) for d in found.report.of(report.LEFT)] == []
    body = [line for line in found.text.splitlines() if line.startswith("result_")]
    return {text: line.partition(" = ")[2] for text, line in zip(texts, body, strict=True)}


def fill(cell):
    """Give a layer the values that its parameters have in PyTorch."""
    for name, parameter in cell.parameters_and_names() if hasattr(cell, "parameters_and_names") else ():
        if parameter.requires_grad:
            last = name.rpartition(".")[2]
            value = port_cases.weight(ELSEWHERE.get(last, last), parameter.shape)
            parameter.set_data(ms.Tensor(value))
    return cell


def fill_for_training(cell):
    return fill(cell.set_train() if hasattr(cell, "set_train") else cell)


def evaluated(original, text):
    names = {name: ms.Tensor(value) for name, value in port_cases.inputs().items()}
    names |= {"ms": ms, "nn": ms.nn, "ops": ms.ops, "mint": ms.mint, "np": np}
    names |= {"functools": __import__("functools"), "collections": __import__("collections")}
    called = [name for name in definitions.TEXTS if re.search(rf"(?<![.\w]){name}\b", text)]
    needed = {other for name in called for other in (name, *definitions.USES.get(name, ()))}
    for name, definition in definitions.TEXTS.items():
        if name in needed:
            exec(definition, names)
    names["_fill"] = fill if "eval()" in original else fill_for_training
    return port_cases.evaluate(text, names)


def agrees(found, expected):
    if isinstance(found[0], list):
        return len(found) == len(expected) and all(map(agrees, found, expected))
    kinds = {found[0], expected[0]}
    same = len(kinds) == 1 or kinds == {"int32", "int64"}  # MindSpore's indices, which the row says
    return same and found[1] == expected[1] and np.allclose(found[2:], expected[2:], rtol=1e-4, atol=2e-4)


def test_samples_agree_with_pytorch():
    """Each in both APIs; what is the same text is computed once."""
    plain = samples("mindspore")
    wrong = {}
    for api, texts in (("mindspore", plain), ("mint", samples("mint"))):
        for original, text in texts.items():
            if api == "mindspore" or text != plain[original]:
                found = evaluated(original, text)
                if not agrees(found, RECORDED["samples"][original]):
                    wrong[text] = (found, RECORDED["samples"][original])
    assert wrong == {}


def test_every_row_says_what_it_claims():
    """A row without samples says what differs, or gives no numbers."""
    silent = [
        row.name
        for row in mapping.rows().values()
        if not row.samples and not row.differs and row.gives == "tensor" and "data" not in row.name
    ]
    assert silent == []


@pytest.mark.parametrize("api", mapping.APIS)
def test_targets_exist(api):
    """Every name of MindSpore's in the table is there."""
    homes = {name: line for name, line in mapping.imports().items() if "mindspore" in line}
    missing = set()
    for row in mapping.rows().values():
        for target in row.targets[api]:
            if target in mapping.OWN:
                continue
            for name in patterns.dotted_names(target):
                first = name.partition(".")[0]
                if first in homes:
                    words = homes[first].split()
                    full = "mindspore" if words[0] == "import" else f"{words[1]}.{words[3]}"
                    if not usage_check.find(name.replace(first, full, 1))[1]:
                        missing.add(name)
    assert missing == set()


# ---------------------------------------------------------------------- programs


def run(name, api, monkeypatch):
    found = ported((port_cases.PROGRAMS / f"{name}.py").read_text(), api)
    assert [str(d) for d in found.report.of(report.LEFT)] == []
    assert "torch" not in {
        line.split()[1] for line in found.text.splitlines() if line.startswith(("import", "from"))
    }
    monkeypatch.syspath_prepend(port_cases.PROGRAMS)
    module = types.ModuleType(f"ported_{name}")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look there
    with ms.install_as("mindspore"):
        exec(compile(found.text, f"{name}.py", "exec"), module.__dict__)
        losses = module.main()
    monkeypatch.delitem(sys.modules, "given")
    return losses


@pytest.mark.parametrize("name", port_cases.NAMES)
@pytest.mark.parametrize("api", mapping.APIS)
def test_ported_programs_have_the_losses_of_the_originals(name, api, monkeypatch):
    if api == "mint" and name in (
        "gpt",
        "dcgan",
        "policies",
        "gradients",
        "recorded",
        "by_name",
        "groups",
        "own_layers",
    ):
        pytest.skip("the same code but for names, which the samples cover")
    losses = run(name, api, monkeypatch)
    assert len(losses) >= 20
    np.testing.assert_allclose(losses, RECORDED["programs"][name], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["cnn", "mlp", "smooth"])
def test_the_examples_of_migration_are_ported_as_by_hand(name, monkeypatch):
    folder = GOLDENS.parents[1] / "migration_examples"
    recorded = json.loads((GOLDENS / "migration.json").read_text())[name]
    monkeypatch.syspath_prepend(folder)
    names = {"__name__": "ported"}
    with ms.install_as("mindspore"):
        exec(ported((folder / f"pytorch_{name}.py").read_text()).text, names)
        losses, accuracy = names["main"]()
    monkeypatch.delitem(sys.modules, "digits")
    np.testing.assert_allclose(losses, recorded["losses"], rtol=1e-4, atol=1e-4)
    assert accuracy == pytest.approx(recorded["accuracy"], abs=2 / 297)


# ---------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("nn.Conv2d(3, 4, 3)", "nn.Conv2d(3, 4, 3, pad_mode='pad', has_bias=True)"),
        ("nn.Conv2d(3, 4, 3, padding=(1, 2), bias=False)",
         "nn.Conv2d(3, 4, 3, pad_mode='pad', padding=(1, 1, 2, 2), has_bias=False)"),
        ("nn.Conv2d(3, 4, 3, padding='same')", "nn.Conv2d(3, 4, 3, pad_mode='same', has_bias=True)"),
        ("nn.BatchNorm2d(8, momentum=0.1)", "nn.BatchNorm2d(8, momentum=0.9)"),
        ("nn.BatchNorm2d(8, momentum=mom)", "nn.BatchNorm2d(8, momentum=1 - mom)"),
        ("nn.LayerNorm(dim)", "nn.LayerNorm((dim,), epsilon=1e-05)"),
        ("nn.LayerNorm(hidden_size)", "LayerNorm(hidden_size, epsilon=1e-05)"),
        ("getattr(nn, 'ReLU')()", "nn.ReLU()"),
        ("layer.in_features", "layer.weight.shape[1]"),
        ("nn.GELU()", "nn.GELU(approximate=False)"),
        ("nn.MaxPool2d(2)", "nn.MaxPool2d(2, stride=2, pad_mode='pad')"),
        ("x.size(-1)", "x.shape[-1]"),
        ("x.is_sparse", "False"),
        ("net.register_full_backward_hook(show)", "net.register_backward_hook(show)"),
        ("x.to(device)", "x"),
        ("x.to(device, dtype=torch.float16)", "x.astype(ms.float16)"),
        ("torch.max(x, y)", "ops.maximum(x, y)"),
        ("torch.max(x, 1)[0]", "x.max(1)[0]"),
        ("torch.zeros(2, 3, device=device)", "ops.zeros((2, 3))"),
        ("torch.tensor(1.0, requires_grad=True)", "ms.Parameter(ms.Tensor(1.0), requires_grad=True)"),
        ("net.load_state_dict(torch.load(path, map_location='cpu'))",
         "ms.load_param_into_net(net, ms.load_checkpoint(path))"),
        ("torch.full((2,), 1.5)", "ops.full((2,), 1.5, dtype=ms.float32)"),
        ("text.split(',')", "text.split(',')"),
        ("args.data", "args.data"),
        ("self.data[0]", "self.data[0]"),
        ("nn.parallel.data_parallel(net, x, range(2))", "net(x)"),
        ("[n.size for n in y]", "[n.size for n in y]"),
        ('f"{torch.sum(x):.3f} {loss:>8.2e} {loss / 2:.0%}"',
         'f"{float(ops.sum(x)):.3f} {float(loss):>8.2e} {float(loss / 2):.0%}"'),
        ('f"{loss} {seconds:.1f} {len(x):3d} {loss!r:>8}"', 'f"{loss} {seconds:.1f} {len(x):3d} {loss!r:>8}"'),
    ],
)  # fmt: skip
def test_expressions(before, after):
    assert rewritten(f"a = {before}") == f"a = {after}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.save(net.state_dict(), path)", "ms.save_checkpoint(net, path)"),
        ("torch.save({'net': net.state_dict()}, path)", "save({'net': net.state_dict()}, path)"),
        ("torch.save(optimizer.state_dict(), path)", "save(state_of_optimizer(optimizer), path)"),
        ("torch.save(model, path)", "save(model, path)"),
        ("net.fc.weight.data.fill_(2)", "ops.assign(net.fc.weight, ops.full_like(net.fc.weight, 2))"),
        ("net.fc.weight.data = x", "ops.assign(net.fc.weight, x)"),
        ("net.fc.weight.data -= 2 * x", "ops.assign(net.fc.weight, net.fc.weight - (2 * x))"),
        ("x.add_(y, alpha=2)", "x = x + 2 * y"),
        ("x.zero_()", "x = ops.zeros_like(x)"),
        ("net.first.bias.requires_grad_(False)", "net.first.bias.requires_grad = False"),
    ],
)
def test_statements(before, after):
    assert rewritten(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.Size((2, 3))", "tuple((2, 3))"),
        ("isinstance(n, torch.Size)", "isinstance(n, tuple)"),
        ("torch.LongTensor(2, 3)", "ops.zeros((2, 3), dtype=ms.int64)"),
        ("torch.BoolTensor(2)", "ops.zeros(2, dtype=ms.bool_)"),
        ("torch.LongTensor([2, 3])", "ms.Tensor([2, 3], dtype=ms.int64)"),
        ("x.new(2, 3)", "ops.zeros((2, 3), dtype=x.dtype)"),
        ("x.new([2.0])", "ms.Tensor([2.0], dtype=x.dtype)"),
        ("nn.GRU(2, 3)", "nn.GRU(2, 3)"),
        ("x.type(torch.cuda.LongTensor)", "x.astype(ms.int64)"),
        ("x.type('torch.FloatTensor')", "x.astype(ms.float32)"),
        ("0\nT = torch.cuda.FloatTensor if cuda else torch.Tensor\na = T(y).type(T)",
         "0\nT = ms.Tensor if cuda else ms.Tensor\na = ms.Tensor(y, dtype=ms.float32).astype(ms.float32)"),
        ("0\nT = torch.FloatTensor\nT = torch.LongTensor\na = T", "0\nT = ms.Tensor\nT = ms.Tensor\na = T"),
    ],
)  # fmt: skip
def test_sizes_and_tensors_of_sizes(before, after):
    assert rewritten(f"a = {before}") == f"a = {after}".splitlines()[-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class Net(nn.Transformer):\n    def forward(self, x):\n        return self.encoder(x, mask=m)",
         "        return self.encoder(x, src_mask=m)"),
        ("class A(nn.Transformer):\n  def forward(self, x):\n    self.encoder = f\n    return self.encoder(x, mask=m)",
         "    return self.encoder(x, mask=m)"),
        ("coder = nn.TransformerDecoder(layer, 2)\na = coder(x, y, tgt_mask=m, tgt_is_causal=True)",
         "a = coder(x, y, tgt_mask=m)"),
        ("attention = nn.MultiheadAttention(4, 2)\na, _ = attention(x, x, x, attn_mask=m, is_causal=True)",
         "a, _ = attention(x, x, x, attn_mask=m)"),
        ("net = nn.Sequential()\nnet.add_module('a', f)", "net.append(f)"),
        ("a = F.dropout(x, p=0)", "a = ops.dropout(x, p=0.0)"),
        ("a = F.dropout(x, rate, training=False)", "a = ops.dropout(x, p=float(rate), training=False)"),
    ],
)  # fmt: skip
def test_arguments_of_calls_of_layers(before, after):
    assert rewritten(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x[0, :, i]", "x[0][:, i]"),
        ("x[i, :, -1]", "x[:, :, -1][i, :]"),
        ("x[:, 1, ..., [0, 2]]", "x[:, 1][:, ..., [0, 2]]"),
        ("x[0, i]", "x[0, i]"),
        ("x[0, :, 1]", "x[0, :, 1]"),
        ("x[..., 0, :, i]", "x[..., 0, :, i]"),
        ("np.ones((2, 3, 4))[0, :, i]", "np.ones((2, 3, 4))[0, :, i]"),
    ],
)
def test_a_number_in_an_index_comes_before_tensors(before, after):
    """`x[0, :, i]` has the axis of `i` last in PyTorch, first in MindSpore and NumPy."""
    head = "import numpy as np, torch\nx, i = torch.ones(2, 3, 4), torch.tensor([0, 2])\n"
    assert ported(f"{head}a = {before}\n").text.splitlines()[-1] == f"a = {after}"


def test_an_index_with_a_number_that_cannot_be_taken_apart_is_left():
    head = "import torch\ni = torch.tensor([0, 2])\nx = torch.ones(2, 3, 4)\n"
    assert len(left(f"{head}x[0, :, i] = 1.0\n")) == 1
    assert len(left(f"{head}y = x[..., 0, :, i]\n")) == 1
    assert left(f"{head}x[0, :, 1] = 1.0\n") == []


def test_layers_that_draw_anew_are_left():
    assert len(left("import torch\nif hasattr(m, 'reset_parameters'):\n    m.reset_parameters()\n")) == 2
    assert left("class Net:\n    def reset_parameters(self): pass\nnet.reset_parameters()\n") == []


def test_a_new_tensor_of_a_name_is_left():
    assert left("import torch\nx = torch.ones(2)\ny = x.new(size)\n") == ["`size` may be a size or data"]


def test_only_pytorch_may_be_missing():
    text = ported("import numpy as np, torch, itertools\na = torch.fft.fft2(np.ones(3))\n").text
    assert "import numpy as np, itertools\ntry:\n    import torch\nexcept ImportError" in text


@pytest.mark.parametrize(
    ("line", "block"),
    [
        ("with torch.no_grad(): print(x.size(0))", ["print(x.shape[0])"]),
        ("with torch.no_grad(): a = x.size(0); print(a)", ["a = x.shape[0]", "print(a)"]),
        ("torch.backends.cudnn.deterministic = True; print(3)", ["print(3)"]),
    ],
)
def test_what_goes_in_one_line(line, block):
    text = ported(f"import torch\n{line}\n").text
    assert text.splitlines() == block


def test_methods_for_scripts_are_methods():
    source = "import torch\nclass Net(torch.nn.Module):\n    @torch.jit.ignore\n    def names(self): return {'a'}\n"
    found = ported(source)
    assert "jit" not in found.text
    assert not found.report.of(report.LEFT)


@pytest.mark.parametrize(
    ("call", "differs"),
    [
        ("nn.GRU(2, 3)", False),
        ("nn.GRU(2, 3, num_layers=1, bidirectional=False)", False),
        ("nn.GRU(2, 3, 2)", True),
        ("nn.LSTM(2, 3, bidirectional=flag)", True),
        ("nn.LSTM(*sizes)", True),
        ("torch.utils.data.DataLoader(data, batch_size=4)", False),
        ("torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)", True),
        ("torchvision.models.resnet18(num_classes=5)", False),
        ("torchvision.models.resnet18(weights='DEFAULT')", True),
    ],
)
def test_a_difference_is_that_of_what_is_given(call, differs):
    decisions = ported(f"{HEADER}import torchvision\na = {call}\n").report.decisions
    assert any(d.verdict != report.DONE for d in decisions) == differs


@pytest.mark.parametrize(
    ("test", "weight"),
    [
        ("isinstance(m, nn.BatchNorm2d)", "m.gamma"),
        ("isinstance(m, (nn.BatchNorm2d, nn.GroupNorm))", "m.gamma"),
        ("isinstance(m, (nn.Linear, nn.Conv2d))", "m.weight"),
        ("isinstance(m, (nn.Linear, nn.Embedding))", 'parameter_of(m, "weight")'),
        ("hasattr(m, 'weight')", 'parameter_of(m, "weight")'),
        ("hasattr(m, 'weight') and m.weight is not None", 'parameter_of(m, "weight")'),
    ],
)
def test_parameters_of_what_may_be_several_layers(test, weight):
    source = f"{HEADER}def init(m):\n    if {test}:\n        print(m.weight)\n"
    assert f"print({weight})" in ported(source).text


def test_parameters_of_several_layers_are_found():
    names = {"ms": ms}
    exec(definitions.TEXTS["parameter_of"], names)
    found = [
        names["parameter_of"](layer, name)
        for layer in (ms.nn.Dense(2, 3, has_bias=False), ms.nn.BatchNorm1d(4), ms.nn.Embedding(5, 6))
        for name in ("weight", "bias")
    ]
    assert [each if each is None else each.shape for each in found] == [
        (3, 2),
        None,
        (4,),
        (4,),
        (5, 6),
        None,
    ]


@pytest.mark.parametrize("kept", [False, True], ids=["gradients of one function", "kept gradients"])
@pytest.mark.parametrize(("given", "noted"), [("True", True), ("strict", True), ("False", False)])
def test_clipping_that_was_to_raise_is_noted(kept, given, noted):
    clip = f"nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite={given})"
    ends = [clip, "opt.step()", "opt.zero_grad()"]
    source = "import torch\nfrom torch import nn\n"
    if kept:
        source += "def update(net, opt, strict):\n    " + "\n    ".join(ends) + "\n"
    source += "def train(net, opt, x, strict):\n    loss = net(x).sum()\n    loss.backward()\n    "
    source += "update(net, opt, strict)\n" if kept else "\n    ".join(ends) + "\n"
    found = ported(source)
    assert found.report.of(report.LEFT) == []
    assert any("error_if_nonfinite" in d.note for d in found.report.of(report.DIFFERS)) == noted


def test_methods_that_the_programs_own_objects_have_are_noted():
    source = "class Value:\n    def relu(self): return self\nimport torch\ndef f(z): return z.relu() + torch.ones(1)\n"
    differs = [d.note for d in ported(source).report.of(report.DIFFERS)]
    assert differs == ["`z` is taken for an object of the program's own"]


def test_what_is_left_of_a_module_is_not_looked_for_in_mindspore():
    """`nn` stays PyTorch's: MindSpore's MaxPool2d of that name has a stride of 1."""
    text = ported(HEADER + "a = getattr(nn, kind)(2)\nb = nn.Linear(2, 3)").text
    assert "from mindspore import nn as ms_nn" in text
    assert "    from torch import nn" in text
    assert text.endswith("a = getattr(nn, kind)(2)\nb = ms_nn.Dense(2, 3)")


@pytest.mark.parametrize(
    ("before", "values"),
    [
        ("if kind == 'GRU':\n    a = getattr(nn, kind)(3, 4)", ["nn.GRU(3, 4)"]),
        ("for kind in ('RNN', 'GRU'):\n    a = getattr(nn, kind)(3, 4)", ["nn.RNN(3, 4)", "nn.GRU(3, 4)"]),
    ],
)
def test_layers_by_name_are_written_out(before, values):
    line = rewritten(before)
    assert all(value in line for value in values)
    assert "getattr" not in line


@pytest.mark.parametrize(
    "block",
    [
        "for kind in read():\n        a = {}",
        "kind, n = read()\n    a = {}",
        "with read() as kind:\n        a = {}",
        "kind: str = read()\n    a = {}",
        "kind += 'Cell'\n    a = {}",
        "a = (kind := read()) and {}",
        "a = [{} for kind in read()]",
        "def make(kind):\n        return {}",
        "def make():\n        return {}",
    ],
)
def test_layers_by_a_name_that_is_bound_again_are_left(block):
    text = rewritten("if kind in ('RNN', 'GRU'):\n    " + block.format("getattr(nn, kind)(3, 4)"))
    assert "getattr(nn, kind)(3, 4)" in text


def test_named_parameters_have_pytorchs_names():
    """Programs look for "bias" and "norm.weight" in them, and let these out of weight decay."""
    source = """\
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.gamma = nn.Parameter(torch.ones(2))
                self.table = nn.Embedding(3, 4)
                self.body = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.LayerNorm(3), nn.PReLU())
        names = [name for name, _ in Net().named_parameters()]
        """
    found = {}
    with ms.install_as("mindspore"):
        exec(ported(source).text, found)
    of_body = ["0.weight", "0.bias", "1.weight", "1.bias", "2.weight", "2.bias", "3.weight"]
    assert found["names"] == ["gamma", "table.weight", *(f"body.{name}" for name in of_body)]


def test_functions_take_numpys_names_too():
    assert rewritten("a = torch.sum(x, axis=1, keepdims=True)") == rewritten(
        "a = torch.sum(x, dim=1, keepdim=True)"
    )


def test_a_name_that_changes_is_not_known():
    assert left(
        HEADER + "if kind in ('rnn', 'gru'):\n    kind = kind.upper()\n    a = getattr(nn, kind)(3, 4)"
    )


def test_mint_keeps_pytorchs_arguments():
    assert rewritten("a = nn.Conv2d(3, 4, 3, padding=1)", "mint") == "a = mint.nn.Conv2d(3, 4, 3, padding=1)"
    assert rewritten("a = torch.cat([x, y], dim=1)", "mint") == "a = mint.cat([x, y], dim=1)"


def test_formatting_and_comments_stay():
    before = """\
        '''A net.'''
        import os
        import torch.nn as nn  # layers

        net = nn.Sequential(  # in order
            nn.Linear(3, 4),    # first
            nn.Conv2d(3, 4,
                      kernel_size=3, bias=False),
        )
        x   =  [1,2 ]  # as it is
        """
    after = """\
        '''A net.'''
        import os
        from mindspore import nn

        net = nn.SequentialCell(  # in order
            nn.Dense(3, 4),    # first
            nn.Conv2d(3, 4,
                      3, pad_mode='pad', has_bias=False),
        ).set_train()
        x   =  [1,2 ]  # as it is
        """
    assert ported(before).text == textwrap.dedent(after)


def test_arrays_and_layers_of_the_programs_own_are_left_alone():
    source = """\
        import numpy as np
        import torch
        a = np.zeros(3)
        b = a.std(axis=0)
        c = a.repeat(2)
        class Net(torch.nn.Module):
            def forward(self, x):
                return self.norm(x)
        """
    text = ported(source).text
    assert "a.std(axis=0)" in text
    assert "a.repeat(2)" in text
    assert "return self.norm(x)" in text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a = torch.fft.fft2(x)", "no counterpart"),
        ("a = nn.Conv2d(3, 4, 3, padding_mode='reflect')", "`padding_mode`"),
        ("a = getattr(nn, kind)(3)", "which of its names"),
        ("a = torch.sum(*args)", "sequence"),
        ("a = torch.sum(x, **options)", "dictionary"),
        ("a = x.to(other)", "may be a device"),
        ("optimizer = torch.optim.SparseAdam(p)", "no counterpart"),
        ("s = torch.optim.lr_scheduler.CyclicLR(opt, 0.1, 0.2)", "cycle_momentum=False"),
        ("y = F.interpolate(x, scale_factor=1.3, mode='bilinear')", "no whole number"),
    ],
)
def test_what_cannot_be_rewritten_is_marked(line, reason):
    found = ported(HEADER + line)
    assert reason in left(HEADER + line)[0]
    assert found.text.splitlines()[-1] == line
    assert found.text.splitlines()[-2].startswith("# port: ")
    assert f"see {report.PAGE}" in found.text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        # the log-probabilities were computed elsewhere: their gradients would be zero
        ("opt.zero_grad()\nloss = sum(-p * r for p, r in zip(saved, rewards))\nloss.backward()\nopt.step()",
         "not in this block"),
        ("opt.zero_grad()\nloss = model(x)\nloss.backward()\nopt.step(closure)", "closure"),
        ("loss = model(x)\nloss.backward()", "no optimizer"),
        ("opt.zero_grad()\nwith torch.no_grad():\n    loss = model(x)\nloss.backward()\nopt.step()", "not in this block"),
        ("w = torch.zeros(2, requires_grad=True)\nfor _ in x:\n    loss = w.sum()\n    loss.backward()\n    print(w.grad)",
         "add up"),
    ],
)  # fmt: skip
def test_training_steps_that_are_not_understood_are_left(body, reason):
    source = HEADER + "def train(model, opt, opt2, x, saved, rewards):\n" + textwrap.indent(body, "    ")
    found = ported(source)
    assert any(reason in d.note for d in found.report.of(report.LEFT))
    assert ".backward()" in found.text
    assert "# port: training step" in found.text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("t = x * 1\nt[0] *= w\ny = t.sum()\ng = torch.autograd.grad(y, w)[0]", "t is changed in place"),
        ("g = torch.autograd.grad(elsewhere, w)[0]", "not in this block"),
        ("g = torch.autograd.grad(w.sum(), net.parameters())", "variables by name"),
    ],
)
def test_gradients_that_are_not_understood_are_left(body, reason):
    assert reason in left(f"import torch\nw = torch.ones(2, requires_grad=True)\n{body}\n")[0]


def test_gradients_that_one_function_does_not_use_are_kept_by_the_parameters():
    source = """\
        import torch
        def train(model, opt, x):
            loss = model(x)
            loss.backward()
            if len(x):
                opt.step()
                opt.zero_grad()
        """
    lines = [line.strip() for line in ported(source).text.splitlines()]
    at = lines.index("loss, grads = grad_fn()")
    assert lines[at + 1 : at + 5] == [
        "add_gradients(opt.parameters, grads)",
        "if len(x):",
        "opt(gradients_of(opt.parameters))",
        "clear_gradients(opt.parameters)",
    ]


def test_parameters_of_several_layers_are_set():
    source = f"{HEADER}def cut(m):\n    if hasattr(m, 'bias'):\n        m.bias = m.bias[:2]\n"
    line = 'setattr(m, parameter_name_of(m, "bias"), parameter_of(m, "bias")[:2])'
    assert line in ported(source).text


def test_what_has_no_meaning_here_goes_in_a_chain():
    assert rewritten("a = x.pin_memory().to(device, non_blocking=True)") == "a = x"


def test_hooks_stand_on_the_way_to_the_loss():
    source = """\
        import torch
        def train(model, opt, x):
            opt.zero_grad()
            hidden = model(x)
            hidden.register_hook(lambda g: g * 2)
            loss = hidden.sum()
            loss.backward()
            opt.step()
        """
    text = ported(source).text
    assert text.index("hidden = model(x)") < text.index("hidden.register_hook") < text.index("return loss")


def test_a_name_that_changes_after_its_use_changes_after_the_call():
    source = """\
        import torch
        def train(model, opt, get):
            x = get()
            for _ in range(3):
                opt.zero_grad()
                loss = model(x)
                x = get()
                loss.backward()
                opt.step()
        """
    lines = [line.strip() for line in ported(source).text.splitlines()]
    assert lines.index("loss, grads = grad_fn(x)") < lines.index("x = get()", 4)


def test_penalties_of_parameters_are_on_the_way_to_the_loss():
    source = """\
        import torch
        from torch import nn
        net = nn.Linear(3, 4)
        def train(opt, x):
            opt.zero_grad()
            penalty = sum(p.abs().sum() for p in net.parameters())
            size = net.weight.shape[0]
            loss = net(x).sum() / size + 0.1 * penalty
            loss.backward()
            opt.step()
        """
    text = ported(source).text
    assert (
        text.index("size = ")
        < text.index("def forward")
        < text.index("penalty = ")
        < text.index("return loss")
    )


def test_a_name_with_two_meanings_on_the_way_to_the_loss():
    source = """\
        import torch
        def train(model, norm, vgg, opt, x):
            opt.zero_grad()
            y = model(x)
            x = norm(x)
            loss = (vgg(y) - vgg(x)).sum()
            loss.backward()
            opt.step()
        """
    text = ported(source).text
    assert text.index("y = model(x)") < text.index("x = norm(x)") < text.index("return loss, x")


def test_functions_in_one_line_and_options_of_a_loader():
    source = """\
        import torch
        def twice(x): return x.size(0) * 2
        def train(opt, x): opt.zero_grad(); x.sum().backward()
        loader = torch.utils.data.DataLoader(data, pin_memory=True, **options)
        """
    text = ported(source).text
    assert "def twice(x): return x.shape[0] * 2" in text
    assert "x.sum().backward()" in text
    assert "dataloader.DataLoader(data, **options)" in text


def test_what_constructors_put_into_inference_mode_stays_there():
    """Cells begin in inference mode, PyTorch's modules in training mode."""
    source = """\
        import torch
        from torch import nn
        class Frozen(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
                self.eval()
        class Net(nn.Module):
            def __init__(self, device):
                super().__init__()
                self.first = nn.Dropout(0.5)
                self.frozen = Frozen().to(device)
                self.mask = torch.ones(2).to(device)
                self.head = nn.Sequential(nn.Dropout(0.5))
        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.drop = nn.Dropout(0.5)
        def made():
            net = Plain()
            net.eval()
            return net
        net, frozen, plain, late, other = Net("cpu"), Frozen(), Plain(), made(), Net("cpu").eval()
        """
    found = {}
    with ms.install_as("mindspore"):
        exec(ported(source).text, found)
    net = found["net"]
    assert [part.training for part in (net, net.first, net.head, net.head[0])] == [True] * 4
    assert [part.training for part in (net.frozen, net.frozen.body, net.frozen.body[1])] == [False] * 3
    modes = [found[name].training for name in ("frozen", "plain", "late", "other")]
    assert modes == [False, True, False, False]
    assert not found["other"].head[0].training


def test_classes_derived_from_layers():
    source = HEADER + textwrap.dedent("""\
        class Layer(nn.Linear):
            def __init__(self, n, m, bias=True, device=None, dtype=None):
                super().__init__(n, m, bias, device, dtype)
            def twice(self, x):
                return self.forward(self.forward(x))
        class Square(nn.Conv2d):
            def __init__(self, n):
                super(Square, self).__init__(n, n, 3, padding=1)
        class Odd(nn.Linear):
            def __init__(self, n):
                super().__init__(*n)
        class Plan:
            def forward(self, x):
                return self.forward(x)
        """)
    text = ported(source).text
    assert "super().__init__(n, m, has_bias=bias, dtype=ms.float32 if dtype is None else dtype)" in text
    assert "super(Square, self).__init__(n, n, 3, pad_mode='pad', padding=1, has_bias=True)" in text
    assert "return self.construct(self.construct(x))" in text
    assert text.rstrip().endswith("return self.forward(x)")
    assert left(source) == ["its arguments are in a sequence (*)"]


def test_the_vector_of_the_padding_does_not_train():
    source = "from torch import nn\nnet = nn.Embedding(4, 3, padding_idx=-2)\n"
    found = {}
    with ms.install_as("mindspore"):
        exec(ported(source).text, found)
    net, words = found["net"], ms.Tensor([[0, 2], [2, 3]])
    assert net.embedding_table.asnumpy()[2].tolist() == [0, 0, 0]
    (grad,) = ms.grad(lambda: (net(words) * 2).sum(), None, net.trainable_params())()
    assert grad.asnumpy().tolist() == [[2.0] * 3, [0.0] * 3, [0.0] * 3, [2.0] * 3]


def test_instance_norm_without_affine_has_no_parameters():
    found = {}
    with ms.install_as("mindspore"):
        exec(ported("from torch import nn\nnet = nn.InstanceNorm2d(4)\n").text, found)
    assert list(found["net"].get_parameters()) == []


def test_a_loss_that_is_an_attribute():
    """The attribute's name is no variable that the function of the loss would have to get."""
    source = """\
        import torch
        class Trainer:
            def run(self, model):
                opt = model.configure_optimizers()
                for x, y in self.loader:
                    logits, self.loss = model(x, y)
                    opt.zero_grad()
                    self.loss.backward()
                    opt.step()
        """
    text = ported(source).text
    assert "def forward(x, y):" in text
    assert "loss, grads = grad_fn(x, y)" in text


def test_definitions_bring_the_imports_that_they_use():
    source = "import torch\ndef show(net):\n    for name, p in net.named_parameters():\n        print(name)\n"
    text = ported(source).text
    assert "from mindspore import nn\n" in text
    assert text.index("from mindspore import nn") < text.index("def named_parameters_of")


def test_a_generator_gives_each_draw_a_seed():
    """MindSpore's `randperm` and `bernoulli` repeat with their seeds."""
    source = """\
        import torch
        def draw():
            g = torch.Generator().manual_seed(3)
            return [torch.randperm(90, generator=g), torch.randperm(90, generator=g), torch.rand(2, generator=g)]
        first, second = draw(), draw()
        """
    found = {}
    with ms.install_as("mindspore"):
        exec(ported(source).text, found)
    first, second = ([each.asnumpy() for each in draws] for draws in (found["first"], found["second"]))
    assert np.array_equal(first[0], second[0])
    assert np.array_equal(first[1], second[1])
    assert not np.array_equal(first[0], first[1])


def test_gradients_that_add_up_over_blocks():
    source = """\
        import torch
        def train(model, opt, loader):
            for i, x in enumerate(loader):
                loss = model(x)
                loss.backward()
                if i % 4 == 3:
                    opt.step()
                    opt.zero_grad()
        """
    text = ported(source).text
    assert "grads = new_grads if grads is None else tuple(map(ops.add, grads, new_grads))" in text
    assert text.count("grads = None") == 2
    assert "opt(grads)" in text


# ---------------------------------------------------------------------- the command


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(HEADER + "net = nn.Linear(3, 4)\n")
    return path


def invoke(*args):
    return CliRunner().invoke(commands, ["port", *map(str, args)], standalone_mode=False)


def test_a_script_goes_to_the_standard_output(script):
    before = script.read_text()
    result = invoke(script)
    assert "net = nn.Dense(3, 4)" in result.stdout
    assert "1 of 1 uses of PyTorch rewritten (100.0 %)" in result.stderr
    assert result.return_value is None
    assert script.read_text() == before


def test_a_folder_needs_a_place(script, tmp_path):
    assert "needs -o FOLDER" in str(invoke(tmp_path).exception)
    assert "is the source itself" in str(invoke(script, "-o", script).exception)
    assert "exclude each other" in str(invoke(script, "-o", "x.py", "--in-place").exception)
    out = tmp_path / "out"
    invoke(script.parent, "-o", out)
    assert "nn.Dense" in (out / "net.py").read_text()
    invoke(script, "--in-place")
    assert "nn.Dense" in script.read_text()


def test_the_exit_status_says_that_something_was_left(script):
    script.write_text("import torch\na = torch.fft.fft2(b)\n")
    result = invoke(script, "--all")
    with pytest.raises(SystemExit) as status:
        result.return_value()
    assert status.value.code == 1
    script.write_text("a = (")
    assert "not a Python program" in invoke(script).stderr


def test_help_has_examples():
    assert "msjax port train.py -o" in CliRunner().invoke(commands, ["port", "--help"]).output


def test_a_program_of_no_interest_stays_as_it_is():
    assert ported("x = 1  # one\n").text == "x = 1  # one\n"
    with pytest.raises(cst.ParserSyntaxError):
        ported("x = (")


def test_states_of_schedulers_are_their_numbers():
    found = ported(
        "import torch\ns = torch.optim.lr_scheduler.StepLR(opt, 3)\na = s.state_dict()\ns.load_state_dict(a)"
    )
    assert found.text.endswith("a = state_of_schedule(s)\nload_schedule(s, a)")
