"""Cells do what MindSpore's do: small programs print what they print there (`goldens/nn_cases.py`)."""

import json
import pathlib
import re

import nn_cases
import pytest

GOLDENS = pathlib.Path(__file__).parent.parent / "goldens"
GOLDEN = json.loads((GOLDENS / "nn_cases.json").read_text())
INITIALIZER = re.compile(r"(\w+)\((?:negative_slope|scale)=[^()]*\)")


@pytest.mark.parametrize("name", GOLDEN)
def test_prints_what_mindspore_prints(name, capsys):
    getattr(nn_cases, name)()
    printed = INITIALIZER.sub(r"<\1>", capsys.readouterr().out)
    assert printed.splitlines() == GOLDEN[name].splitlines()


def test_every_program_is_recorded():
    source = (GOLDENS / "nn_cases.py").read_text()
    assert set(re.findall(r"^def (\w+)\(\):$", source, re.MULTILINE)) == set(GOLDEN)
