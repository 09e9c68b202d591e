from collections.abc import Callable

import numpy as np
import pytest
from golden import golden_tests

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.jit.jit import jit
from msjax.core.tensor.tensor import Tensor

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("scan")


@pytest.mark.parametrize("kind", [dtypes.float16, dtypes.bfloat16])
@pytest.mark.parametrize(
    "name", ["sum", "prod", "cumsum", "cumprod", "nansum", "logcumsumexp", "CumSum", "ReduceSum"]
)
@pytest.mark.parametrize("under", [lambda f: f, jit], ids=["eager", "jit"])
def test_16_bits_are_accumulated_in_32(name: str, kind: dtypes.DType, under: Callable) -> None:
    """The last bit of a 16-bit total is right; adding up in 16 bits would be off by some hundreds of them here."""
    x = (Tensor(np.linspace(0.01, 0.03, 500, dtype=np.float32)) + ("prod" in name)).astype(kind)
    exact = x.astype(dtypes.float64).asnumpy()
    total = {"logcumsumexp": lambda v: np.log(np.exp(v).sum())}.get(
        name, np.prod if "prod" in name else np.sum
    )
    fn = getattr(ops, name)
    fn = fn() if name[0].isupper() else fn
    got = under(lambda v: fn(v, 0) if name not in ("sum", "prod", "nansum") else fn(v))(x).reshape(-1)[-1]
    expected = Tensor(np.float64(total(exact))).astype(kind)
    assert got.dtype is kind
    assert abs(float(got) - float(expected)) <= float(
        np.finfo(np.float16).eps if kind is dtypes.float16 else 2**-8
    ) * float(expected)


def test_exclusive_sums_leave_the_element_out_even_if_it_is_infinite() -> None:
    x = Tensor([np.inf, 1.0, 2.0**24])
    assert ops.CumSum(True, True)(x, 0).tolist() == [2.0**24, 2.0**24, 0]
    assert ops.CumSum(True)(Tensor([2.0**24, 1.0, 1.0]), 0).tolist() == [0, 2.0**24, 2.0**24]


@pytest.mark.parametrize("kind", [dtypes.int8, dtypes.uint8])
def test_means_of_small_integers(kind: dtypes.DType) -> None:
    """MindSpore's total wraps around in 8 bits (30000 is 48), and the count of 300 does not."""
    assert int(ops.mean(Tensor(np.full(300, 100)).astype(kind))) == 0
