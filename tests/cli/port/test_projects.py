"""`msjax port` over several files, and with programs whose names are those of our imports."""

import textwrap

import numpy as np
import pytest
from click.testing import CliRunner

import msjax as ms
from msjax.cli import commands
from msjax.cli.port import files, program, project

NET = """\
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        return x
def small():
    return Net()
"""
TRAINER = """\
import torch
class Trainer:
    def __init__(self, model):
        self.model = model
    def train(self):
        self.model.train()
    def size(self, n):
        return n
"""


def ported(source, *others):
    return program.port_source(
        textwrap.dedent(source), whole=project.read([textwrap.dedent(source), *others])
    )


def test_classes_of_other_files_are_known():
    source = """\
        import torch
        from net import Net, small
        from trainer import Trainer
        net = Net()
        other = small()
        trainer = Trainer(net)
        trainer.train()
        n = trainer.size(0)
        """
    text = ported(source, NET, TRAINER).text
    assert "net = Net()" in text
    assert "trainer.train()" in text, "a method of the program's own"
    assert "trainer.size(0)" in text


def test_modules_from_elsewhere_are_trained():
    """Cells begin in inference mode, wherever their class is defined."""
    text = ported("import torch\nfrom net import Net, small\na = Net()\nb = small()\n", NET).text
    assert "a = Net().set_train()" in text
    assert "b = small().set_train()" in text


def test_a_module_is_evaluated_though_a_trainer_has_the_same_method():
    text = ported(TRAINER + "def main(model):\n    model.eval()\n    Trainer(model).train()\n").text
    assert "model.set_train(False)" in text
    assert "self.model.set_train()" in text
    assert "Trainer(model).train()" in text


def test_a_script_knows_the_files_that_it_imports(tmp_path):
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text("from .net import Net\n")
    (tmp_path / "nets" / "net.py").write_text(NET)
    (tmp_path / "unrelated.py").write_text("(")
    script = tmp_path / "train.py"
    script.write_text("import torch\nfrom nets import Net\nnet = Net()\n")
    assert {path.name for path in project.beside(script)} == {"train.py", "__init__.py", "net.py"}
    shown = []
    files.port(str(script), None, False, "mindspore", False, shown.append, lambda text: None)
    assert "net = Net().set_train()" in shown[0]


def test_names_of_the_programs_own_do_not_hide_imports():
    source = """\
        import torch
        from torch.optim import lr_scheduler as schedules
        def train(model, opt, data, ms):
            dataloader = torch.utils.data.DataLoader(data)
            lr_scheduler = schedules.StepLR(opt, 3)
            for ops in dataloader:
                opt.zero_grad()
                loss = model(torch.relu(ops))
                loss.backward()
                opt.step()
        """
    text = ported(source).text
    assert "import mindspore\n" in text
    assert "ops as ms_ops" in text
    assert "dataloader = ms_dataloader.DataLoader(data)" in text
    assert "lr_scheduler = ms_lr_scheduler.StepLR(opt, 3)" in text
    assert "loss = model(ms_ops.relu(ops))" in text
    assert "mindspore.value_and_grad(" in text


def test_imports_that_are_there_already_are_not_repeated():
    text = ported("import contextlib\nimport torch\nx = torch.autocast('cpu')\n").text
    assert text.count("import contextlib") == 1
    assert "contextlib.nullcontext()" in text


def test_what_is_left_of_pytorch_fails_where_it_is_used():
    """Not at the import: programs with an option that needs it run without the option."""
    source = """\
        import torch
        from torch.utils.tensorboard import SummaryWriter
        from torch import nn
        layer = nn.Linear(2, 3)
        pool = nn.FractionalMaxPool2d(3) if 0 else None
        if 0:
            writer = SummaryWriter()
        """
    text = ported(source).text
    assert "import torch\n" not in text
    assert "layer = ms_nn.Dense(2, 3)" in text, (
        "`nn` is PyTorch's: MindSpore's may have another layer of that name"
    )
    names = {}
    import msjax as ms

    with ms.install_as("mindspore"):
        exec(text, names)
    assert type(names["layer"]).__name__ == "Dense"


@pytest.mark.parametrize(("name", "answer"), [("scaled_dot_product_attention", True), ("no_such", False)])
def test_questions_about_pytorchs_version_are_answered(name, answer):
    text = ported(f"import torch\nfast = hasattr(torch.nn.functional, '{name}')\n").text
    assert text == f"fast = {answer}\n"


def test_options_in_a_dictionary_stay_where_the_names_are_the_same():
    before = "import torch\nopt = torch.optim.AdamW(groups, lr=0.1, **extra)\n"
    assert "optim.AdamW(groups, lr=0.1, **extra)" in ported(before).text
    left = "import torch\nlayer = torch.nn.Conv2d(3, 4, 3, **extra)\n"
    assert "other names" in ported(left).text


def test_everything_that_is_saved_together_is_loaded_again(tmp_path):
    source = """\
        import torch
        from torch import nn
        def write(net, path):
            torch.save({'net': net.state_dict(), 'epoch': 3, 'rates': [0.1], 'x': (torch.ones(2),)}, path)
        def read(net, path):
            checkpoint = torch.load(path, map_location='cpu')
            net.load_state_dict(checkpoint['net'])
            return checkpoint
        def make():
            return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        """
    import msjax as ms

    names = {}
    with ms.install_as("mindspore"):
        exec(ported(source).text, names)
        first, second = names["make"](), names["make"]()
        names["write"](first, tmp_path / "a.pt")
        found = names["read"](second, tmp_path / "a.pt")
    assert (found["epoch"], found["rates"]) == (3, [0.1])
    assert found["x"][0].asnumpy().tolist() == [1, 1]
    assert (first[0].weight == second[0].weight).all()


def test_a_folder_is_one_project(tmp_path):
    for name, text in {"net.py": NET, "main.py": "import torch\nfrom net import Net\nnet = Net()\n"}.items():
        (tmp_path / name).write_text(text)
    out = tmp_path / "out"
    CliRunner().invoke(commands, ["port", str(tmp_path), "-o", str(out)], standalone_mode=False)
    assert "net = Net().set_train()" in (out / "main.py").read_text()


def test_attributes_that_a_cell_has_itself_get_other_names():
    source = """\
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self, kind):
                super().__init__()
                self.cells = nn.ModuleList([nn.Linear(2, 2, bias=False)])
                self.phase = kind
            def compile(self):
                return self.phase * 2
            def forward(self, x):
                return self.cells[0](x)
        net = Net(3)
        found = net.compile(), net.phase, len(net.cells), net(torch.ones(1, 2)).shape
        """
    import msjax as ms

    names = {}
    with ms.install_as("mindspore"):
        exec(ported(source).text, names)
    assert names["found"] == (6, 3, 1, (1, 2))
    assert (
        "own_cells"
        in ported("from net import Net\nimport torch\nx = Net().cells\n", textwrap.dedent(source)).text
    )


def test_a_cell_may_have_a_type_of_its_own():
    import msjax as ms

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.cell_type = Net

    assert Net().cell_type is Net


MAKING = """\
    import torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm2d(4)
            self.inner = nn.Sequential(Inner(), nn.ReLU())
    class Inner(nn.Module):
        pass
    def small():
        return Net()
    def start(module):
        for p in module.parameters():
            p.requires_grad = False
        for name, p in module.named_parameters():
            print(name)
        return module
    net = start(Net())
    nets = [Net().to("cpu"), nn.Sequential(Net(), nn.ReLU())]
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.norm.requires_grad_(True)
    """


def test_modules_begin_in_training_mode_wherever_they_are_made():
    text = ported(MAKING).text
    assert "net = start(Net().set_train())" in text
    assert "nets = [Net().set_train(), nn.SequentialCell(Net(), nn.ReLU()).set_train()]" in text
    assert "return Net().set_train()" in text
    assert "nn.SequentialCell(Inner(), nn.ReLU())\n" in text, "part of a Cell that says it for all"
    trained = ported(MAKING + "net.train()\n").text
    assert "set_train()" in trained
    assert "net = start(Net())" in trained
    of_its_own = "class Trainer:\n    def train(self):\n        pass\nTrainer().train()\n"
    assert "net = start(Net().set_train())" in ported(textwrap.dedent(MAKING) + of_its_own).text


def test_parameters_are_those_of_pytorch():
    text = ported(MAKING).text
    assert "for p in parameters_of(module):" in text
    assert "for name, p in named_parameters_of(module):" in text
    assert "for parameter in parameters_of(net.norm):" in text
    assert "SGD(net.trainable_params(), lr=0.1)" in text
    defined: dict = {"nn": ms.nn}
    exec(text[text.index("def parameters_of") : text.index("class Net")], defined)
    net = ms.nn.SequentialCell(ms.nn.Conv2d(1, 4, 3, has_bias=True), ms.nn.BatchNorm2d(4))
    assert [p.name for p in defined["parameters_of"](net)] == ["0.weight", "0.bias", "1.gamma", "1.beta"]
    assert [name for name, _ in defined["named_parameters_of"](net[1])] == ["weight", "bias"]


def test_optimizers_are_what_their_names_are_assigned():
    source = """\
        import torch
        def train(maker, judge, noise, real):
            first = torch.optim.Adam(maker.parameters())
            second = torch.optim.Adam(judge.parameters())
            for _ in range(5):
                drawn = maker(noise)
                second.zero_grad()
                loss = judge(real).mean() + judge(drawn.detach()).mean()
                loss.backward()
                second.step()
                first.zero_grad()
                fooled = judge(drawn).mean()
                fooled.backward()
                first.step()
        """
    text = ported(source).text
    assert "ms.value_and_grad(forward, None, second.parameters)" in text
    assert "ms.value_and_grad(forward_fooled, None, first.parameters, has_aux=True)" in text
    assert text.index("second(grads)") < text.index("first(grads)")
    assert ".step()" not in text
    unknown = ported(source.replace("torch.optim.Adam(judge", "make(judge"))
    assert any(d.verdict == "left" and "second" in d.note for d in unknown.report.decisions)


def test_statements_that_share_a_line():
    source = """\
        import torch
        def train(net, opt, data):
            for x, y in data: opt.zero_grad(); loss = (net(x) - y).mean(); loss.backward(); opt.step()  # all
            torch.nope(x); y.zero_(); return loss.item()
        """
    found = ported(source)
    assert "loss, grads = grad_fn(x, y)\n        opt(grads)" in found.text
    assert "return loss.item()\n" in found.text.replace("    ", "")
    assert [d.line for d in found.report.of("left")] == [4]
    others = "import os; import sys\nif os: a = 1; b = 2\n"
    assert ported(others).text == others


def test_definitions_stand_above_what_uses_them():
    source = """\
        import os
        import torch
        os.environ["A"] = "1"
        from torch import nn
        def count(net):
            return sum(p.numel() for p in net.parameters())
        print(count(nn.Linear(2, 3)))
        import json
        print(json.dumps(1))
        """
    text = ported(source).text
    assert text.index("from mindspore import nn") < text.index("def parameters_of") < text.index("def count")
    late = ported("def f():\n    pass\nimport torch\nprint(list(torch.nn.Linear(2, 3).parameters()))\n").text
    assert late.index("import nn") < late.index("def parameters_of") < late.index("print")


def test_whole_modules_are_saved_and_read(tmp_path):
    source = """
        import torch
        from torch import nn
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU()).eval()
        torch.save(net, path)
        again = torch.load(path, weights_only=False)
        x = torch.ones(2, 2)
        found, expected = again(x), net(x)
        """
    ported = program.port_source(textwrap.dedent(source))
    names = {"path": str(tmp_path / "net.pth")}
    with ms.install_as("mindspore"):
        exec(ported.text, names)
    np.testing.assert_array_equal(names["found"].asnumpy(), names["expected"].asnumpy())
    assert names["again"] is not names["net"]


def test_files_of_other_frameworks_stay(tmp_path):
    """What PyTorch's Tensors may reach is rewritten: a file that a program of PyTorch's imports, or that imports one."""
    texts = {
        "train.py": "import torch\nfrom metric import first\nprint(first(torch.ones(2, 3)))\n",
        "metric.py": "def first(x):\n    return x.size(0)\n",
        "other.py": "import tensorflow as tf\nx = tf.ones(3)\nx.zero_()\ny = x.size(0)\n",
        "numbers_.py": "import numpy as np\nmodel.eval()\n",
        "broken.py": "x = (\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    out = tmp_path.parent / f"{tmp_path.name}_out"
    result = CliRunner().invoke(commands, ["port", str(tmp_path), "-o", str(out)])
    assert (out / "metric.py").read_text() == "def first(x):\n    return x.shape[0]\n"
    for name in ("other.py", "numbers_.py"):
        assert (out / name).read_text() == texts[name]
        assert f"{name}: no use of PyTorch" in result.output
    assert "broken.py:1" in result.output
    judged = {str(finding).partition(".py")[0].rpartition("/")[2] for finding in files.check([tmp_path])}
    assert judged == {"train", "metric"}
