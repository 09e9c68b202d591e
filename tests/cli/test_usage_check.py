"""`msjax check`: what programs use of MindSpore is found, however they import it, and judged."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

from msjax.cli import commands, usage_check
from msjax.dataset.common.placeholders import PARTS

ROOT = Path(usage_check.__file__).parents[2]


def used(source):
    return [(use.line, use.name) for use in usage_check.uses(textwrap.dedent(source))]


def judged(source):
    return {
        f.name: (f.verdict, f.note) for f in map(usage_check.judge, usage_check.uses(textwrap.dedent(source)))
    }


class TestOldSpellings:
    """Names and arguments of earlier versions: that they work, of which version they are, and what they are today."""

    @pytest.mark.parametrize(
        ("source", "name", "note"),
        [
            ("from mindspore import ms_function", "ms_function", "of MindSpore 1.0-2.0; today mindspore.jit"),
            ("from mindspore.common.api import ms_function", "common.api.ms_function", "today mindspore.jit"),
            (
                "import mindspore.dataset.vision.c_transforms as C\nC.RandomRotation(3)",
                "dataset.vision.c_transforms.RandomRotation",
                "of MindSpore 1.0-2.7; today mindspore.dataset.vision.RandomRotation",
            ),
            (
                "from mindspore import ops\nops.logsumexp(x, axis=1, keep_dims=True)",
                "ops.logsumexp",
                "`axis` is of MindSpore 2.0; today `dim`; `keep_dims` is of MindSpore 2.0; today `keepdim`",
            ),
            ("from mindspore import ops\nops.grid_sample(x, g, interpolation_mode='m')", "ops.grid_sample", "`mode`"),
            ("from mindspore import nn\nnn.EmbeddingLookup(3, 4, vocab_cache_size=0)", "nn.EmbeddingLookup", "none today"),
            ("import mindspore.ops.operations as P\nP.TensorAdd()", "ops.operations.TensorAdd", "today mindspore.ops.Add"),
        ],
    )  # fmt: skip
    def test_what_works(self, source, name, note):
        verdict, said = judged(source)[f"mindspore.{name}"]
        assert verdict == usage_check.OLD
        assert note in said

    def test_what_meant_something_else(self):
        found = judged("from mindspore import ops\nops.max(x, keep_dims=True)\nops.sort(x, axs=1)")
        assert found["mindspore.ops.max"][0] == usage_check.ARGUMENT
        assert "write value, index = ops.max" in found["mindspore.ops.max"][1]
        assert found["mindspore.ops.sort"] == (usage_check.ARGUMENT, "no argument `axs`, but `axis`")

    def test_internal_names_that_are_served_are_not_called_missing(self):
        found = judged(
            "from mindspore.nn.layer.conv import _Conv\nfrom mindspore.ops.operations._inner_ops import MatrixDiag"
        )
        assert {verdict for verdict, _ in found.values()} == {usage_check.WORKS}


class TestNotebooks:
    """Notebooks are read cell by cell, without IPython's own commands."""

    CELLS = (
        ("markdown", "import mindspore.nn"),
        ("code", ["%matplotlib inline\n", "!pip install x\n", "import mindspore as ms\n", "f = !ls\n", "ms.nn.Dense?"]),
        ("code", "%%bash\nls (("),
        ("code", "%%time\ndef f(x):\n    %time x\n    return ms.ops.logsumexp(x, axis=1)"),
        ("code", "def ("),
        ("code", "ms.boost.AutoBoost()"),
    )  # fmt: skip

    def test_cells(self, tmp_path):
        cells = [{"cell_type": kind, "source": source} for kind, source in self.CELLS]
        (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
        (tmp_path / ".ipynb_checkpoints").mkdir()
        (tmp_path / ".ipynb_checkpoints" / "a.ipynb").write_text("{")
        found = {
            str(f).removeprefix(f"{tmp_path}/").partition(" (")[0] for f in usage_check.check([tmp_path])
        }
        assert found == {
            "a.ipynb[4]:4: mindspore.ops.logsumexp: old spelling",
            "a.ipynb[5]:1: a.ipynb: unreadable",
            "a.ipynb[6]:1: mindspore.boost.AutoBoost: missing",
        }

    @pytest.mark.parametrize("text", ["{}", "[]", "not JSON", '{"cells": [{}]}'])
    def test_what_is_no_notebook(self, tmp_path, text):
        (tmp_path / "b.ipynb").write_text(text)
        (finding,) = usage_check.check([tmp_path / "b.ipynb"])
        assert finding.verdict == usage_check.UNREADABLE


class TestReading:
    """Each form of import, and what hides a name."""

    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("import mindspore\nmindspore.nn.Dense", [(2, "mindspore.nn.Dense")]),
            ("import mindspore as ms\nms.nn.Dense(3, 4)", [(2, "mindspore.nn.Dense")]),
            ("import mindspore.nn as nn\nnn.Dense", [(1, "mindspore.nn"), (2, "mindspore.nn.Dense")]),
            ("import mindspore.nn\nmindspore.nn.Dense", [(1, "mindspore.nn"), (2, "mindspore.nn.Dense")]),
            ("from mindspore import nn\nnn.Dense", [(1, "mindspore.nn"), (2, "mindspore.nn.Dense")]),
            (
                "from mindspore import nn as layers\nlayers.ReLU",
                [(1, "mindspore.nn"), (2, "mindspore.nn.ReLU")],
            ),
            (
                "from mindspore.nn import Dense as D\nD(1, 2)",
                [(1, "mindspore.nn.Dense"), (2, "mindspore.nn.Dense")],
            ),
            (
                "import mindspore.ops.operations as P\nP.Add()(x, y)",
                [(1, "mindspore.ops.operations"), (2, "mindspore.ops.operations.Add")],
            ),
            (
                "from mindspore.ops import functional as F\nF.add(1, 2)",
                [(1, "mindspore.ops.functional"), (2, "mindspore.ops.functional.add")],
            ),
            ("from mindspore.ops import *\nadd(1, 2)", [(2, "mindspore.ops.add")]),
            (
                "try:\n    import mindspore as ms\nexcept ImportError:\n    ms = None\ndef f():\n    return ms.Tensor",
                [(6, "mindspore.Tensor")],
            ),
            ("def f():\n    import mindspore as ms\n    return ms.Tensor", [(3, "mindspore.Tensor")]),
            ("def f():\n    return ms.Tensor\nimport mindspore as ms", [(2, "mindspore.Tensor")]),
            ("import numpy as np\nnp.add(1, 2)", []),
            ("import mindspore_hub as hub\nhub.load", []),
            ("from .mindspore import nn\nnn.Dense", []),
        ],
    )
    def test_imports(self, source, expected):
        assert used(source) == expected

    def test_names_that_are_bound_again(self):
        source = """
            from mindspore import nn, ops
            def f(nn):
                return nn.Dense
            class Net(nn.Cell):
                def construct(self, x, ops=ops.add):
                    return [ops.x for ops in x]
            relu = nn.ReLU
            relu()
        """
        names = [name for line, name in used(source) if line > 2]
        assert names == ["mindspore.nn.Cell", "mindspore.ops.add", "mindspore.nn.ReLU", "mindspore.nn.ReLU"]

    def test_annotations_decorators_and_defaults(self):
        source = """
            import mindspore as ms
            @ms.jit
            def f(x: ms.Tensor, dtype=ms.float32) -> ms.Tensor:
                return lambda y=ms.int8: {ms.nn: y for y in ms.ops.x}
        """
        names = {name.removeprefix("mindspore.") for _, name in used(source)}
        assert names == {"jit", "Tensor", "float32", "int8", "nn", "ops.x"}


class TestJudging:
    """Return the message about a name."""

    def test_what_works(self):
        found = judged("import mindspore as ms\nms.nn.Dense(3, 4, has_bias=False)\nms.float32\nms.Tensor.abs")
        assert {verdict for verdict, _ in found.values()} == {usage_check.WORKS}

    def test_what_is_missing(self):
        found = judged(
            "import mindspore as ms\nms.boost.AutoBoost\nms.nn.Densee\nms.graph.register_custom_pass"
        )
        assert found["mindspore.boost.AutoBoost"] == (
            usage_check.MISSING,
            "algorithms that trade accuracy for speed on Ascend",
        )
        verdict, note = found["mindspore.nn.Densee"]
        assert verdict == usage_check.MISSING
        assert "not public" in note
        assert "nearest: Dense" in note
        assert found["mindspore.graph.register_custom_pass"][0] == usage_check.MISSING

    def test_what_only_raises(self):
        assert (
            judged("import mindspore as ms\nms.set_dump(1)")["mindspore.set_dump"][0] == usage_check.MISSING
        )
        name = f"mindspore.dataset.{PARTS[0]}"
        assert judged(f"from mindspore.dataset import {PARTS[0]}")[name][0] == usage_check.MISSING

    def test_arguments(self):
        found = judged(
            "from mindspore import nn, ops\nnn.Dense(3, 4, bias=False)\nops.sqrt(1, 2)\nops.add(*a, **b)"
        )
        assert found["mindspore.nn.Dense"] == (usage_check.ARGUMENT, "no argument `bias`")
        assert found["mindspore.ops.sqrt"] == (usage_check.ARGUMENT, "takes 1 arguments by position, not 2")
        assert found["mindspore.ops.add"] == (usage_check.WORKS, "")

    def test_what_has_no_effect(self):
        found = judged(
            "import mindspore as ms\nms.set_context(mode=0, save_graphs=True)\nms.runtime.dispatch_threads_num(3)\n"
            "ms.device_context.ascend.op_tuning.op_compile(True)\nms.hal.Stream(priority=1)"
        )
        assert found["mindspore.set_context"] == (usage_check.NO_EFFECT, "`save_graphs`")
        assert found["mindspore.hal.Stream"] == (usage_check.NO_EFFECT, "`priority`")
        assert found["mindspore.runtime.dispatch_threads_num"][0] == usage_check.NO_EFFECT
        assert found["mindspore.device_context.ascend.op_tuning.op_compile"][0] == usage_check.NO_EFFECT

    def test_attributes_of_objects_are_not_judged(self):
        assert judged("import mindspore as ms\nms.float32.itemsize\nms.nn.Cell.whatever") == {
            "mindspore.float32.itemsize": (usage_check.WORKS, ""),
            "mindspore.nn.Cell.whatever": (usage_check.WORKS, ""),
        }


PROGRAM = """
import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 4)
        self.boost = ms.boost.AutoBoost()
"""


def test_folders_and_the_rate(tmp_path):
    (tmp_path / "net.py").write_text(PROGRAM)
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "other.py").write_text(PROGRAM)
    findings = usage_check.check([tmp_path])
    assert [(f.line, f.verdict) for f in findings] == [
        (1, "unreadable"),
        (3, "works"),
        (5, "works"),
        (8, "works"),
        (9, "missing"),
    ]
    assert "3 of 4 uses of MindSpore work (75.0 %)" in usage_check.summary(findings)
    assert f"Not read: {tmp_path / 'broken.py'}." in usage_check.summary(findings)
    assert "mindspore.boost.AutoBoost" in usage_check.summary(findings)
    with pytest.raises(FileNotFoundError):
        usage_check.check([tmp_path / "nothing"])


def test_command(tmp_path):
    (tmp_path / "good.py").write_text(
        "raise SystemExit('it was run')\nimport mindspore as ms\nms.Tensor([1])\n"
    )
    (tmp_path / "bad.py").write_text(PROGRAM)

    def run(*args):
        command = [sys.executable, "-m", "msjax", "check", *args]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)

    good, all_good, bad, none = (
        run("good.py"),
        run("--all", "good.py"),
        run("--missing", "."),
        run("nothing.py"),
    )
    assert good.returncode == all_good.returncode == 0
    summary = "1 of 1 uses of MindSpore work (100.0 %), of 1 names.\n"
    assert good.stdout == summary
    assert all_good.stdout == "good.py:3: mindspore.Tensor: works\n" + summary
    assert bad.returncode == 1
    assert bad.stdout.startswith("bad.py:9: mindspore.boost.AutoBoost: missing (algorithms")
    assert len(bad.stdout.splitlines()) == 3
    assert none.returncode == 2


def test_inner_names_that_networks_use():
    found = judged("""
        from mindspore.nn.layer.conv import _Conv
        from mindspore.dataset.text.transforms import Implementation
        from mindspore.ops.auto_generate import GroupedMatmulV4
        from mindspore.nn.layer.conv import _NoSuchLayer
        Implementation.PY
        """)
    assert {name.rpartition(".")[2] for name, (verdict, _) in found.items() if verdict == "works"} == {
        "_Conv",
        "Implementation",
        "PY",
    }
    assert "can be imported" in found["mindspore.ops.auto_generate.GroupedMatmulV4"][1]
    assert "itself raises" in found["mindspore.nn.layer.conv._NoSuchLayer"][1]
    name = "mindspore.common.api._pynative_executor.new_graph"
    assert usage_check.judge(usage_check.Use("a.py", 1, name)).verdict == "missing"


def test_programs_for_pytorch_are_judged_by_the_table_of_port(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\nfrom torch import nn\nnet = nn.Linear(2, 3)\nx = torch.rand(2)\ny = torch.fft.fft2(x)\n"
    )
    result = CliRunner().invoke(commands, ["check", "--all", str(path)], standalone_mode=False)
    assert f"{path}:3: torch.nn.Linear: ported (nn.Dense)" in result.output
    assert "torch.rand: ported with a difference (other random numbers)" in result.output
    assert "torch.fft.fft2: not ported (no counterpart in the table)" in result.output
    assert "uses of PyTorch are rewritten by `msjax port`" in result.output
    assert "uses of MindSpore" not in result.output
