"""Dtypes of functions of two tensors are those of PyTorch 2.13: one without dimensions does not decide beside others."""

import pytest

from msjax import torch

# function, dtypes, numbers of dimensions, dtype of the result
CASES = """
bitwise_and uint8 int8 01 int8
bitwise_and uint8 int8 11 int16
bitwise_and bool int8 10 int8
fmin int8 uint8 01 uint8
fmin float32 float16 01 float16
fmax int64 int8 01 int8
gcd uint8 int32 10 uint8
lcm int8 int32 10 int8
hypot float32 float64 10 float32
xlogy int8 float16 10 float16
xlogy float16 bool 10 float16
xlogy bfloat16 bool 01 bfloat16
xlogy int32 int8 11 float32
logaddexp int8 float16 11 float16
logaddexp float16 float64 10 float16
logaddexp bfloat16 float32 10 bfloat16
atan2 uint8 bfloat16 10 bfloat16
atan2 bfloat16 int64 01 bfloat16
copysign int32 bfloat16 11 bfloat16
copysign float16 float32 01 float32
pow uint8 int8 01 int8
mul uint8 int8 01 int8
mul int64 float16 10 float16
add float64 float32 01 float32
add float32 complex128 10 complex64
clamp_min bool float16 11 float16
maximum int8 uint8 10 int8
eq int8 uint8 10 bool
outer int64 float32 11 float32
outer float16 float32 11 float32
ger int64 float16 11 float16
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_pairs(case):
    name, first, second, dims, expected = case.split()
    a, b = (
        torch.ones((2,) * int(n), dtype=getattr(torch, kind))
        for kind, n in zip((first, second), dims, strict=True)
    )
    assert getattr(torch, name)(a, b).dtype == getattr(torch, expected)


@pytest.mark.parametrize("dims", ["00", "01", "10", "11"])
def test_result_type_is_the_dtype_of_a_sum(dims):
    kinds = [
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int64,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
    ]
    for first in kinds:
        for second in kinds:
            a, b = (
                torch.ones((2,) * int(n), dtype=kind) for kind, n in zip((first, second), dims, strict=True)
            )
            assert torch.result_type(a, b) == (a + b).dtype
            assert (
                torch.promote_types(first, second)
                == (torch.ones(1, dtype=first) + torch.ones(1, dtype=second)).dtype
            )


def test_numbers_decide_least():
    x = torch.ones(2, dtype=torch.int8)
    assert torch.result_type(x, 3) == torch.int8
    assert torch.result_type(x, 3.5) == torch.float32
    assert torch.result_type(torch.ones(2, dtype=torch.float16), 3.5) == torch.float16
    assert torch.result_type(torch.ones((), dtype=torch.int8), 3) == torch.int8
    assert torch.result_type(torch.ones(2, dtype=torch.bool), 3) == torch.int64


@pytest.mark.parametrize("name", ["xlogy", "logaddexp", "atan2", "copysign", "hypot", "fmin"])
def test_values_and_gradients(name):
    a, b = torch.tensor([0.5, -1.5]), torch.tensor(2.0, dtype=torch.float64)
    a.requires_grad_()
    b.requires_grad_()
    getattr(torch, name)(a, b).sum().backward()
    x = torch.tensor([0.5, -1.5], requires_grad=True)
    y = torch.tensor(2.0, requires_grad=True)
    getattr(torch, name)(x, y).sum().backward()
    assert torch.allclose(a.grad, x.grad)
    assert torch.allclose(b.grad, y.grad.double())
    assert (a.grad.dtype, b.grad.dtype) == (torch.float32, torch.float64)
