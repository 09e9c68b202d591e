"""Functions, classes and methods over arrays give what MindSpore's gave, but for the departures here."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from snippets import same

import msjax as ms

GOLDENS = Path(__file__).parents[2] / "goldens"
GOLDEN = json.loads((GOLDENS / "forms.json").read_text())
_spec = importlib.util.spec_from_file_location("forms_cases", GOLDENS / "forms_cases.py")
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)

# MindSpore has no kernel for these on the CPU, or its kernel fails: what they give here is tested below.
UNRECORDED = ("RuntimeError", "NotImplementedError", "CrashError")
DIFFERENT = {
    "ops.SpaceToBatch(3, [[0, 0], [0, 0]])(img)": "RuntimeError, as `space_to_batch_nd` raises",
    "B << 1": "shifts are operators too, as in PyTorch",
    "i >> 1": "shifts are operators too, as in PyTorch",
    "x * (1, 2, 3)": "tuples count as arrays, as lists do",
    "B % B": "computed, as NumPy does",
}


def _plain(text):
    return re.sub(r"\s+", "", text.replace("mindspore.", ""))


@pytest.mark.parametrize(
    ("group", "code"), [(group, code) for group in cases.GROUPS for code in cases.expressions(group)]
)
def test_as_mindspore(group, code):
    golden = GOLDEN[group][code]
    error = re.match(r"(\w+Error): ", golden)
    if code in DIFFERENT:
        pytest.skip(DIFFERENT[code])
    if error:
        if error[1] in UNRECORDED:
            pytest.skip("MindSpore has no kernel")
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the type is compared by its name
            eval(code, cases.names(ms))
        assert error[1] in [base.__name__ for base in type(caught.value).__mro__], repr(caught.value)
        return
    found = repr(eval(code, cases.names(ms)))
    assert same(_plain(golden), _plain(found), 2e-4), f"expected {golden}\nfound {found}"
