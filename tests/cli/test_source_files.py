"""Files that `msjax check` and `msjax port` read: in the encoding that they declare, or with a reason why not."""

import json

import pytest
from click.testing import CliRunner

from msjax.cli import commands

DENSE = "import mindspore as ms\nms.nn.Dense(3, 4)\n"
LINEAR = "import torch.nn as nn\n# 你好\nnet = nn.Linear(3, 4)\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xef\xbb\xbf" + DENSE.encode(), "1 of 1 uses of MindSpore work (100.0 %), of 1 names."),
        ("# coding: gbk\n# 你好\n".encode("gbk") + DENSE.encode(), "1 of 1 uses of MindSpore work (100.0 %)"),
        (b"a, b\n", "No use of MindSpore or PyTorch was found."),
    ],
    ids=["byte order mark", "GBK", "nothing"],
)
def test_check_reads_what_python_reads(tmp_path, content, says):
    (tmp_path / "a.py").write_bytes(content)
    found = CliRunner().invoke(commands, ["check", str(tmp_path / "a.py")])
    assert found.exit_code == 0
    assert says in found.output


NO_PROGRAMS = [
    (b"x = 1\ny = \0", 2, "it holds a null byte"),
    (b"# one\n# two\nx = '\xff'\n", 1, "the byte 0xff at position 17 is not utf-8"),
    (b"# coding: klingon\n", 1, "unknown encoding"),
    (b"\nhello ((\n", 2, "'(' was never closed"),
]


@pytest.mark.parametrize("command", ["check", "port"])
@pytest.mark.parametrize(("content", "line", "says"), NO_PROGRAMS)
def test_what_is_no_program_is_named_with_its_line(tmp_path, command, content, line, says):
    path = tmp_path / "a.py"
    path.write_bytes(content)
    found = CliRunner().invoke(commands, [command, str(path)], standalone_mode=False)
    assert found.return_value.args == (1,)  # of sys.exit
    assert f"{path}:{line}:" in found.output
    assert says in found.output
    assert "not a Python program" in found.output


def test_port_keeps_the_encoding(tmp_path):
    (tmp_path / "a.py").write_bytes(("# coding: gbk\n" + LINEAR).encode("gbk"))
    found = CliRunner().invoke(commands, ["port", str(tmp_path / "a.py"), "-o", str(tmp_path / "b.py")])
    assert found.exit_code == 0
    text = (tmp_path / "b.py").read_bytes().decode("gbk")
    assert text.startswith("# coding: gbk\n")
    assert "# 你好\nnet = nn.Dense(3, 4)\n" in text


CELLS = [
    "# A title",
    "%matplotlib inline\n!pip install torch\nimport torch\nfrom torch import nn",
    "class Net(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n\nnet = Net()",
    "%%bash\nls",
    "import torch.nn.functional as F\ny = F.relu(torch.ones(3))",
    "def broken(:",
    "",
    "# nothing",
    "rest = (7\n% 3)\nprint(torch.ones(rest))",
    "files = !ls\nnet?\nnet(torch.ones(3))",
]
PORTED = [
    "# A title",
    "%matplotlib inline\n!pip install torch\nfrom mindspore import nn, ops",
    "class Net(nn.Cell):\n    def construct(self, x):\n        return ops.relu(x)\n\nnet = Net().set_train()",
    "%%bash\nls",
    "y = ops.relu(ops.ones(3))",
    "def broken(:",
    "",
    "# nothing",
    "rest = (7\n% 3)\nprint(ops.ones(rest))",
    "files = !ls\nnet?\nnet(ops.ones(3))",
]


def write_notebook(path):
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "source": source.splitlines(True),
            "outputs": [{}],
            "execution_count": 1,
        }
        for source in CELLS
    ]
    cells[0] = {"cell_type": "markdown", "metadata": {}, "source": CELLS[0]}
    path.write_text(json.dumps({"cells": cells, "metadata": {"a": 1}, "nbformat": 4, "nbformat_minor": 5}))


def test_port_of_a_notebook(tmp_path):
    source, out = tmp_path / "a.ipynb", tmp_path / "b.ipynb"
    write_notebook(source)
    found = CliRunner().invoke(
        commands, ["port", str(source), "-o", str(out), "--all"], standalone_mode=False
    )
    assert found.return_value.args == (1,)  # a cell is no Python
    content = json.loads(out.read_text())
    for cell, expected in zip(content["cells"], PORTED, strict=True):
        assert "".join(cell["source"]) == expected
        assert not cell.get("outputs")
    assert content["metadata"] == {"a": 1}
    assert f"{source}[3]:1: torch.nn.Module: rewritten" in found.output
    assert f"{source}[6]:1: not a Python program" in found.output


def test_check_says_what_port_makes_of_a_notebook(tmp_path):
    write_notebook(tmp_path / "a.ipynb")
    found = CliRunner().invoke(commands, ["check", "--all", str(tmp_path)], standalone_mode=False)
    assert f"{tmp_path}/a.ipynb[3]:1: torch.nn.Module: ported" in found.output
    assert "uses of PyTorch are rewritten" in found.output
    assert "No use of" not in found.output


def test_a_notebook_in_another_encoding_is_refused_and_stays(tmp_path):
    content = '{"cells": [{"cell_type": "code", "source": "import torch  # \u00fc"}]}'.encode("latin-1")
    (tmp_path / "a.ipynb").write_bytes(content)
    found = CliRunner().invoke(
        commands, ["port", "--in-place", str(tmp_path / "a.ipynb")], standalone_mode=False
    )
    assert "not a notebook" in found.output
    assert (tmp_path / "a.ipynb").read_bytes() == content


def test_a_notebook_is_not_shown(tmp_path):
    write_notebook(tmp_path / "a.ipynb")
    found = CliRunner().invoke(commands, ["port", str(tmp_path / "a.ipynb")])
    assert found.exit_code == 2
    assert "A notebook needs -o NOTEBOOK, or --in-place." in found.output


@pytest.mark.parametrize("arguments", [["check"], ["port", "--in-place"]])
def test_a_folder_without_programs(tmp_path, arguments):
    (tmp_path / "a.txt").write_text("hello")
    found = CliRunner().invoke(commands, [*arguments, str(tmp_path)])
    assert found.exit_code == 2
    assert f"is in {tmp_path}" in found.output
