"""Sources of networks read, changed and run again, against what MindSpore makes of the same networks."""

import importlib
import json
from pathlib import Path

import pytest

import msjax as ms
from msjax.rewrite import names

GOLDENS = Path(__file__).parents[1] / "goldens"
TOLD = json.loads((GOLDENS / "rewrite.json").read_text())


@pytest.fixture
def nets():
    with ms.install_as("mindspore"), pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(GOLDENS)
        yield importlib.import_module("rewrite_nets")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where `rewritten_network` is written


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    """All stories in the order of the record: names are given out once in a process."""
    with ms.install_as("mindspore"), pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("rewritten"))
        patch.setattr(names, "classes", names.Namer("Opt"))
        patch.setattr(names, "functions", names.Namer())
        patch.syspath_prepend(GOLDENS)
        nets = importlib.import_module("rewrite_nets")
        return {story: json.loads(json.dumps(getattr(nets, story)())) for story in TOLD}


@pytest.mark.parametrize("story", TOLD)
def test_as_in_mindspore(story, stories):
    for key, wanted in TOLD[story].items():
        assert stories[story][key] == wanted, key


def test_table(nets, capsys):
    ms.rewrite.SymbolTree.create(nets.ConvNorm()).print_node_tabulate()
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == "node type name codes arg providers target users".split()
    assert set(lines[3]) == {"-", " "}
    assert lines[5].split(None, 2)[:2] == ["NodeType.CallCell", "conv"]
    assert "x = self.bn(x)" in lines[6]
    assert "[[0, ('conv', 0)]]" in lines[6]


def test_a_rewritten_network_is_compiled(nets):
    tree = ms.rewrite.SymbolTree.create(nets.Branches(True))
    net = tree.get_network()
    x = ms.Tensor([1.0, -1.0])
    compiled = ms.jit(net)
    assert (compiled(x).asnumpy() == net(x).asnumpy()).all()
    with pytest.raises(
        TypeError, match=r"`SymbolTree`: argument `network` must be of type Cell. Received: 1 \(int\)"
    ):
        ms.rewrite.SymbolTree.create(1)


def test_saved(nets, tmp_path):
    tree = ms.rewrite.SymbolTree.create(nets.ConvNorm())
    tree.set_saved_file_name(str(tmp_path / "net"))
    tree.save_network_to_file()
    assert Path(tree.get_saved_file_name()).read_text() == tree.get_code()
