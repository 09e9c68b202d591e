"""Network operators take bfloat16, give it back, and lose no more than its eight bits."""

import ml_dtypes
import numpy as np
import pytest
from golden import as_pure, is_smooth, one_each
from samples import Sample
from samples_nn import FAMILIES

SAMPLES = [param for family in FAMILIES for param in one_each(family, is_smooth)]


@pytest.mark.parametrize("sample", SAMPLES)
def test_bfloat16(sample: Sample) -> None:
    exact, arrays = as_pure(sample)
    rounded = [np.asarray(a).astype(ml_dtypes.bfloat16) for a in arrays]
    expected = exact(*[np.asarray(a, np.float32) for a in rounded])
    rough, _ = as_pure(sample, ml_dtypes.bfloat16)
    for got, wanted in zip(rough(*map(np.asarray, rounded)), expected, strict=True):
        assert got.dtype in (ml_dtypes.bfloat16, np.float32)
        scale = max(np.abs(wanted).max(), 1e-2)
        np.testing.assert_allclose(np.asarray(got, np.float32), wanted, rtol=0.03, atol=0.03 * scale)
