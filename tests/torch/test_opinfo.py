"""PyTorch's own samples of its operators (OpInfo): values, dtypes, shapes, gradients and forms.

Each operator is tested in one of its dtypes, so that all take seconds; `MSJAX_OPINFO=all` tests every dtype.
"""

import os
import warnings
from pathlib import Path

import pytest

from tests.goldens.opinfo_cases import whole
from tests.goldens.packing import unpack
from tests.torch import opinfo_report
from tests.torch.opinfo_exceptions import EXCEPTIONS, NOT_RECORDED, OLD_JAX, reason
from tests.torch.opinfo_replay import differences

RECORDED = unpack(Path(__file__).parents[1] / "goldens" / "opinfo.npz")
ALL = [(name, dtype) for name, by_dtype in RECORDED.items() for dtype in by_dtype]
CHOSEN = [(name, [*by_dtype][i % len(by_dtype)]) for i, (name, by_dtype) in enumerate(RECORDED.items())]


def forms_of(name, dtype):
    recorded = RECORDED[name][dtype]
    return {form: whole(each, form, recorded["function"]) for form, each in recorded.items()}


def found(name, dtype, form, sample):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch's, that something is old
        return [f"{form}: {line}" for line in differences(sample)]


@pytest.mark.parametrize(("name", "dtype"), ALL if os.environ.get("MSJAX_OPINFO") == "all" else CHOSEN)
def test_as_pytorch(name, dtype):
    lines = [
        line
        for form, sample in forms_of(name, dtype).items()
        if reason(name, dtype, form) is None
        for line in found(name, dtype, form, sample)
    ]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("key", EXCEPTIONS)
def test_exceptions_are_needed(key):
    name, _, rest = key.partition(" ")
    dtype, _, form = rest.partition(" ")
    lines = [
        line
        for one in ([dtype] if dtype else RECORDED[name])
        for each, sample in forms_of(name, one).items()
        if form in ("", each)
        for line in found(name, one, each, sample)
    ]
    assert lines, f"{key} is as in PyTorch: take it from the exceptions"


def test_what_is_not_recorded():
    assert not set(NOT_RECORDED) & set(RECORDED)


@pytest.mark.skipif(OLD_JAX, reason="the page counts what later versions of JAX can do")
def test_the_guide_says_what_is_so():
    text = opinfo_report.PAGE.read_text("utf8")
    assert text == opinfo_report.page(text, RECORDED), "run python -m tests.torch.opinfo_report"
