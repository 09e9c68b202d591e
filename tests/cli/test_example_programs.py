"""The gallery that `msjax demo` runs."""

import sys

import pytest
from click.testing import CliRunner

from msjax.cli import commands, example_programs

EXAMPLES = example_programs.find_examples()


def run(*arguments):
    return CliRunner().invoke(commands, ["demo", *arguments])


def test_the_list_has_a_line_for_each_program():
    printed = run("--list").output.splitlines()
    assert [line.split()[0] for line in printed] == sorted(EXAMPLES)
    assert all(len(line.split()) > 5 for line in printed)


@pytest.mark.parametrize("path", EXAMPLES.values(), ids=lambda path: path.stem)
def test_programs_are_short(path):
    source = path.read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in source.splitlines()) < 200
    assert "msjax" not in source  # they are MindSpore's programs
    assert "--seed" in source


def test_the_first_example_needs_no_more_than_msjax_does():
    brought = {"PIL", "mindspore", "numpy"}
    assert (
        example_programs.list_packages(EXAMPLES[example_programs.DEFAULT]) - set(sys.stdlib_module_names)
        == brought
    )


def test_an_unknown_name_gives_the_known_ones():
    result = run("digits")
    assert result.exit_code == 2
    assert "train_digits" in result.output


@pytest.mark.parametrize("arguments", [["--epochs", "3"], ["train_digits", "--epochs", "3"]])
def test_options_are_those_of_the_program(arguments, monkeypatch):
    started = []
    monkeypatch.setattr("msjax.cli.run_program.run_path", lambda path, args: started.append((path, args)))
    for name in ("compilation_cache.turn_on", "import_hook.install_as", "run_program.tell_workers"):
        monkeypatch.setattr(f"msjax.cli.{name}", lambda *_: None)
    commands.main(["demo", *arguments], standalone_mode=False)()
    assert started == [(str(EXAMPLES["train_digits"]), ("--epochs", "3"))]


def test_a_missing_package_is_named(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import os\nimport no_such_package.part\nfrom nor_this import x\nimport mindspore\n")
    assert example_programs.list_missing_packages(program) == ["no_such_package", "nor_this"]


def test_an_installation_without_examples_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(example_programs, "_FOLDERS", (tmp_path,))
    with pytest.raises(FileNotFoundError, match="no example programs"):
        example_programs.find_examples()


def test_modules_beside_a_program_are_no_packages(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("from .helper import f\nfrom . import g\nimport not_there\n")
    assert example_programs.list_missing_packages(path) == ["not_there"]


def test_a_misspelt_option_of_the_command_is_told():
    result = run("--lsit")
    assert result.exit_code == 2
    assert "Did you mean '--list'?" in result.output
