"""Network operators take bfloat16, give it back, and lose no more than its eight bits."""

import pytest
from golden import is_smooth, one_each
from samples_nn import FAMILIES
from together import bfloat16, one_by_one


@pytest.mark.parametrize("family", FAMILIES)
def test_bfloat16(family: str) -> None:
    one_by_one(bfloat16, one_each(family, is_smooth))
