"""`msjax explain`, and the sections that uncaught errors lead to."""

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import msjax as ms
from msjax import nn, ops
from msjax.cli import commands, explanations
from msjax.cli.argument_hints import add_argument_hint, add_section_hint
from msjax.communication import get_group_size
from msjax.dataset import GeneratorDataset

ROOT = Path(__file__).parents[2]
PACKAGE = Path(ms.__file__).parent


def fail(row):
    raise ArithmeticError(row)


@ms.jit
def grow(x):
    while x.sum() < 10:
        x = ops.concat((x, x))
    return x


# what a program does -> the section that its error leads to
FAULTS = {
    "a device": (lambda: ms.set_device("NPU"), "limits#devices-and-settings"),
    "an argument": (lambda: nn.Dense(3, 4, bias=True), "limits#arguments-that-are-refused"),
    "a result in place": (lambda: ms.Tensor([1]).add_(0.5), "limits#results-that-do-not-fit"),
    "a loop": (lambda: grow(ms.Tensor([1.0, 2.0])), "control_flow#what-must-be-the-same"),
    "a row": (lambda: list(GeneratorDataset([1], "a").map(fail, "a")), "data#when-a-row-fails"),
    "a group": (lambda: get_group_size("mine"), "scaling#when-processes-do-not-meet"),
    "an operator of Ascend": (
        lambda: ops.Custom("kernel.so:f", func_type="aot"),
        "limits#what-is-not-there",
    ),
}


@pytest.mark.parametrize(("call", "section"), FAULTS.values(), ids=FAULTS)
def test_an_error_leads_to_its_section(call, section):
    with pytest.raises(Exception, match=r".") as raised:
        call()
    add_argument_hint(raised.value)
    add_section_hint(raised.value)
    assert raised.value.__notes__[-1] == f"More about it: msjax explain {section}"


def test_a_published_site_is_named_too(monkeypatch):
    monkeypatch.setattr(explanations, "SITE", "https://docs.example/")
    error = ValueError("x")
    monkeypatch.setattr(explanations, "find_section", lambda error: "limits#devices-and-settings")
    add_section_hint(error)
    command = "msjax explain limits#devices-and-settings"
    assert error.__notes__ == [
        f"More about it: {command}, or https://docs.example/limits.html#devices-and-settings"
    ]


@pytest.mark.parametrize(
    "call",
    [lambda: [].pop(), lambda: ops.relu("x"), lambda: ms.boost.AutoBoost()],
    ids=["program", "check", "missing"],
)
def test_errors_that_say_all_get_no_note(call):
    with pytest.raises(Exception, match=r".") as raised:
        call()
    add_section_hint(raised.value)
    assert not hasattr(raised.value, "__notes__")


def test_every_section_that_an_error_names_exists():
    named = {section for _, _, section in explanations.SECTIONS} | {explanations.REFUSED_ARGUMENT}
    for file in PACKAGE.rglob("*.py"):
        named |= set(re.findall(r"msjax explain ([\w-]+#[\w-]+|pytorch)", file.read_text(encoding="utf-8")))
    assert len(named) > 8
    for section in named:
        assert explanations.explain(section).startswith("#")
    for room, kind, _ in explanations.SECTIONS:
        assert (PACKAGE / room).exists() or (PACKAGE / f"{room}.py").exists()
        assert issubclass(kind, Exception)


def test_the_wheel_has_the_pages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    pages = {f"docs/{name}.md": f"msjax/docs/{name}.md" for name in explanations.NAMES}
    assert {"examples": "msjax/examples", **pages} == included
    assert all((ROOT / page).is_file() for page in pages)


def test_a_section_ends_where_the_next_begins():
    text = explanations.explain("limits#on-purpose")
    assert text.startswith("## On purpose\n")
    assert "](" not in text
    assert text.count("\n## ") == 0
    assert "### Views" in explanations.explain("extend#an-operator")
    assert explanations.explain("limits.md") == explanations.explain("limits")


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("What is not there", "what-is-not-there"), ("`map`, why?", "map-why"), ("A - b_c", "a-b_c")],
)
def test_anchors_are_those_of_the_site(heading, anchor):
    assert explanations.anchor(heading) == anchor


def test_names():
    dense = explanations.explain("mindspore.nn.Dense")
    assert dense == explanations.explain("nn.Dense").replace("\n\nnn.Dense(", "\n\nmindspore.nn.Dense(")
    assert dense.startswith("mindspore.nn.Dense: works\n\n")
    assert "has_bias: bool = True" in dense
    assert "missing (algorithms" in explanations.explain("boost.AutoBoost")
    assert "(input: a Tensor or a number, other: a Tensor or a number)" in explanations.explain("ops.add")
    assert explanations.explain("torch.nn.Linear").startswith("torch.nn.Linear: works\n")


def test_the_command():
    def run(*arguments):
        return CliRunner().invoke(commands, ["explain", *arguments])

    assert [line.split()[0] for line in run().output.splitlines()] == explanations.NAMES
    assert run("data#files").output.startswith("## Files\n")
    for topic, words in {
        "limits#there": "has no section 'there'. It has: on-purpose",
        "nn.Dens": "Did you mean nn.Dense",
    }.items():
        result = run(topic)
        assert result.exit_code == 2
        assert words in result.output


@pytest.mark.parametrize(
    ("name", "first"), [("Dense", "mindspore.nn.Dense: works"), ("relu", "mindspore.ops.relu: works")]
)
def test_a_name_is_found_without_its_module(name, first):
    assert explanations.explain(name).splitlines()[0] == first


def test_the_other_places_of_a_name_are_told():
    assert "mint.nn.functional.relu" in explanations.explain("relu").splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "near"), [("Densee", "nn.Dense"), ("nn.Desne", "nn.Dense"), ("ops.reluu", "ops.relu")]
)
def test_a_misspelt_name_leads_to_the_nearest(name, near):
    with pytest.raises(LookupError, match=rf"Did you mean .*\b{near}\b"):
        explanations.explain(name)
