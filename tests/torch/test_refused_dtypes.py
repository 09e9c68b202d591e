"""Dtypes of results, and the errors for dtypes that PyTorch 2.13 has no kernel for."""

import builtins
import json
from pathlib import Path

import pytest

from msjax import torch
from tests.goldens import refused_dtypes_cases as refused_cases

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "refused_dtypes.json").read_text())


@pytest.fixture(scope="module")
def outcomes():
    return refused_cases.outcomes(torch)


def agree(found: str, expected: str) -> bool:
    """An error of a narrower type than PyTorch's is caught by the same programs."""
    raised, wanted = (getattr(builtins, each, int) for each in (found, expected))
    return found == expected or (wanted is not int and issubclass(raised, wanted))


@pytest.mark.parametrize("case", GOLDENS)
def test_as_recorded(case, outcomes):
    found, expected = outcomes[case], GOLDENS[case]
    assert not {k: (found[k], v) for k, v in expected.items() if not agree(found[k], v)}


def test_errors_say_what_would_do():
    with pytest.raises(NotImplementedError, match=r"`hypot`.*torch.int64.*float32"):
        torch.hypot(torch.tensor([3]), torch.tensor([4]))
    with pytest.raises(TypeError, match=r"`dot`.*2"):
        torch.dot(torch.ones(2), 2)
    with pytest.raises(RuntimeError, match="bool tensor"):
        torch.sub(torch.ones(2), True)


def test_values_keep_their_dtype():
    x = torch.tensor([1, 2], dtype=torch.uint8)
    assert torch.rsub(x, 2.5).tolist() == [1.5, 0.5]
    assert torch.add(x, torch.tensor([True, False]), alpha=2).tolist() == [3, 2]
    assert torch.dot(x, x).item() == 5
    assert torch.ldexp(torch.ones(2, dtype=torch.float16), torch.tensor([1, 2])).dtype == torch.float16
    assert torch.nansum(x).dtype == torch.int64
