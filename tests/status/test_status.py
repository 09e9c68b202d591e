"""The census of MindSpore's and PyTorch's names: what it says is so, and the pages say it."""

import multiprocessing
import subprocess
import sys

import pytest
from click.testing import CliRunner

from msjax.public_api import recorded_api
from msjax.status import entries as status
from msjax.status import mindspore_names, pages, signatures, torch_names
from msjax.status.__main__ import main

TO_DO = "Run `python -m msjax.status --write`, and look at what it changes in docs/api: a signature "
TO_DO += "that drifts shows there."


# Not while tests are collected, which every worker does: it loads every name.
@pytest.fixture(scope="module")
def entries():
    return mindspore_names.survey()


def test_pages_say_what_is_so():
    """Also a drift of a signature ends here: the pages list every known difference."""
    # In a process of its own: tests before this one have loaded modules under other names.
    program = "import sys; from msjax.status import pages; sys.exit(bool(pages.stale()))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0, TO_DO


def test_names_of_a_module_are_looked_up(entries):
    entries = {e.name: e for e in entries if e.module == "mindspore.nn"}
    assert entries["Dense"].status == status.HERE
    assert len(entries) == len(recorded_api.names("mindspore.nn"))


def test_numpy_is_complete(entries):
    assert {
        e.name for e in entries if e.module.startswith("mindspore.numpy") and e.status == status.MISSING
    } == set()


# The modules that are to have 95 of a hundred names that work on MindSpore's CPU.
WANTED = """
    mindspore amp common.initializer mint mint.linalg mint.nn mint.nn.functional mint.optim mint.special nn
    nn.learning_rate_schedule nn.loss nn.optim nn.probability.bijector nn.probability.bnn_layers
    nn.probability.distribution nn.wrap numpy numpy.fft ops ops.composite ops.functional ops.operations scipy.fft
    scipy.linalg scipy.optimize Tensor Parameter COOTensor CSRTensor nn.Cell ops.Primitive
""".split()
# Those that have not yet; the pages say what is missing, and why.
NOT_YET = ("mindspore",)


@pytest.mark.parametrize("module", WANTED)
def test_what_works_on_their_cpu_is_here(module, entries):
    full = module if module == "mindspore" else f"mindspore.{module}"
    entries = [e for e in entries if e.module == full]
    missing = [e.name for e in entries if e.cpu and e.status == status.MISSING]
    found = (
        f"{module}: {status.percentage(entries):.1f} % of what works on MindSpore's CPU; missing: {missing}"
    )
    if module in NOT_YET:
        print(found)
    else:
        assert status.percentage(entries) >= 95, found


def test_reasons_are_given_for_what_is_missing(entries):
    assert not [e.name for e in entries if e.status == status.MISSING and not "".join(e.notes)]


@pytest.mark.parametrize(
    ("theirs", "function", "expected"),
    [
        ("(x, axis=None)", lambda x, axis=None: x, []),
        ("(x, axis=None)", lambda x, axis=None, more=1: x, []),
        ("(x, axis=None)", lambda x: x, ["no `axis`"]),
        ("(x, axis=None)", lambda x, axis: x, ["needs `axis`"]),
        ("(x, axis=None)", lambda x, axis=None, *, more: x, ["needs `more`"]),
        ("(x, y)", lambda y, x: x, ["another order: y, x"]),
        ("(x, axis=0)", lambda x, axis=-1: x, ["`axis=-1` for `axis=0`"]),
        ("(x, axis=0)", lambda x, axis=0.0: x, []),
        (
            "(x, dtype=mindspore.float32)",
            lambda x, dtype=None: x,
            ["`dtype=None` for `dtype=mindspore.float32`"],
        ),
        ("(x, f=...)", lambda x, f=len: x, []),
        ("(x, f=<function f at 0x1>)", lambda x, f=len: x, []),
        ("(*args, **kwargs)", lambda x: x, []),
        ("(x, y=0)", lambda x, *, y=0: x, ["`y` by name only"]),
        ("(x, axis=[])", lambda x, axis=(): x, []),
        ("(x, y)", lambda a, y: a, ["`a` for `x`"]),
        ("(x, *, y)", lambda *args, **kwargs: args, []),
        ("(x, **kwargs)", lambda x: x, []),
    ],
)
def test_differences(theirs, function, expected):
    assert list(signatures.differences(theirs, function)) == expected


def test_the_first_parameter_of_a_method_has_any_name():
    assert list(signatures.differences("(self, x=0)", lambda input, x=0: x, method=True)) == []
    assert list(signatures.differences("(self)", lambda input, x: x, method=True)) == ["needs `x`"]


def test_what_is_of_the_standard_library_differs_from_python_to_python():
    assert list(signatures.differences("(group=1, nothing={})", multiprocessing.Process)) == []


def test_a_page_lists_what_is_missing_and_why():
    entries = [
        status.Entry("mindspore.nn", "Here", "c", status.HERE),
        status.Entry(
            "mindspore.nn", "Other", "c", status.DIFFERS, ("no `axis`",), "(x, axis=0)", "if x is odd."
        ),
        status.Entry(
            "mindspore.nn",
            "AllGather",
            "c",
            status.MISSING,
            (mindspore_names.reason("mindspore.ops.AllGather"),),
        ),
    ]
    text = pages.page("mindspore.nn", entries)
    assert "3 names here: 2 exist, 1 with another signature; 1 are missing" in text
    assert "jax.sharding" in text
    assert "| `Other` | `(x, axis=0)` | no `axis` |" in text
    assert "`Other` raises NotImplementedError if x is odd." in text


def test_classes_that_only_refuse_are_missing(entries):
    (entry,) = (e for e in entries if (e.module, e.name) == ("mindspore.dataset", "OBSMindDataset"))
    assert entry.status == status.MISSING
    assert "read them with MindDataset" in entry.notes[0]


def test_without_docstrings_there_is_no_report():
    program = "from msjax.cli import usage_check\nfrom msjax.status import mindspore_names\n"
    program += "for call in (mindspore_names.survey, lambda: usage_check.check(['.'])):\n  try: call()"
    program += "\n  except RuntimeError as error: print(error)"
    child = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True)
    told = child.stdout.splitlines()
    assert [line.partition(" reads docstrings")[0] for line in told] == [
        "`msjax.status`",
        "`msjax check`",
    ]


# ---------------------------------------------------------------------- PyTorch


@pytest.fixture(scope="module")
def torch_entries():
    return torch_names.survey()


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("torch.nn", "Linear", status.HERE),
        ("torch.nn.functional", "relu", status.HERE),
        ("torch.Tensor", "add_", status.HERE),
        ("torch.nn.Module", "state_dict", status.HERE),
        ("torch.onnx.symbolic_opset9", "abs", status.MISSING),
    ],
)
def test_names_of_pytorch_are_looked_up(module, name, expected, torch_entries):
    (entry,) = (e for e in torch_entries if (e.module, e.name) == (module, name))
    assert entry.status == expected


def test_a_name_that_is_repeated_counts_once(torch_entries):
    assert not [e for e in torch_entries if (e.module, e.name) == ("torch.nn.modules.linear", "Linear")]


def test_reasons_are_given_for_what_is_missing_of_pytorch(torch_entries):
    assert not [e.name for e in torch_entries if e.status == status.MISSING and not "".join(e.notes)]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["mindspore.numpy"], "`matmul`"),
        (["--torch"], "torch.nn.functional "),
        (["torch.special"], "# torch.special\n\nPyTorch 2.13.0 has "),
        (["mindspore.mint.special"], "# mindspore.mint.special\n\nMindSpore 2.10.0 has "),
    ],
)
def test_the_command(arguments, told):
    assert told in CliRunner().invoke(main, arguments, catch_exceptions=False).stdout


def test_the_command_refuses_unknown_modules():
    result = CliRunner().invoke(main, ["mindspore.mind"])
    assert result.exit_code == 2
    assert "'mindspore.mind'" in result.stderr
