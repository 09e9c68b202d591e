"""`torch.linalg` refuses matrices by value, in the words of PyTorch 2.13."""

import numpy as np
import pytest

import msjax as ms
from msjax import torch
from msjax.torch import linalg_errors

ZERO, MINUS, EYE = torch.zeros(2, 2), -torch.eye(2), torch.eye(2)
NOT_POSITIVE = "the input is not positive-definite (the leading minor of order {} is not positive-definite)."
SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
CASES = {
    "cholesky": (lambda: torch.linalg.cholesky(MINUS), NOT_POSITIVE.format(1)),
    "old cholesky": (lambda: torch.cholesky(MINUS), NOT_POSITIVE.format(1)),
    "method": (lambda: MINUS.cholesky(), NOT_POSITIVE.format(1)),
    "second minor": (
        lambda: torch.linalg.cholesky(torch.tensor([[1.0, 2.0], [2.0, 1.0]])),
        NOT_POSITIVE.format(2),
    ),
    "batch": (
        lambda: torch.linalg.cholesky(torch.stack([EYE, MINUS])),
        "linalg.cholesky: (Batch element 1): ",
    ),
    "inv": (lambda: torch.linalg.inv(ZERO), "linalg.inv: " + SINGULAR.format(1)),
    "inverse": (lambda: torch.inverse(torch.diag(torch.tensor([1.0, 0.0]))), SINGULAR.format(2)),
    "method of inverse": (lambda: ZERO.inverse(), SINGULAR.format(1)),
    "batch of inverse": (lambda: torch.linalg.inv(torch.stack([EYE, ZERO])), "(Batch element 1): "),
    "power": (lambda: torch.linalg.matrix_power(ZERO, -1), SINGULAR.format(1)),
    "solve": (
        lambda: torch.linalg.solve(ZERO, torch.ones(2, 1)),
        "torch.linalg.solve: The solver failed because",
    ),
    "svd": (lambda: torch.linalg.svd(ZERO + float("nan")), "contained non-finite values."),
    "svdvals": (lambda: torch.linalg.svdvals(ZERO + float("inf")), "contained non-finite values."),
}


@pytest.mark.parametrize("name", CASES)
def test_what_has_no_result_raises(name):
    call, text = CASES[name]
    with pytest.raises(torch.linalg.LinAlgError) as raised:
        call()
    assert text in str(raised.value)
    assert isinstance(raised.value, RuntimeError)


@pytest.mark.parametrize("function", [torch.linalg.inv, torch.linalg.cholesky, torch.linalg.solve])
def test_matrices_are_square(function):
    given = (torch.zeros(2, 3), *([torch.zeros(2, 1)] if function is torch.linalg.solve else []))
    with pytest.raises(
        RuntimeError, match="A must be batches of square matrices, but they are 2 by 3 matrices"
    ):
        function(*given)


def test_what_is_asked_for_is_told():
    found = torch.linalg.cholesky_ex(torch.stack([EYE, MINUS]))
    assert found.info.tolist() == [0, 1]
    assert found.info.dtype == torch.int32
    assert found.L[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert torch.linalg.inv_ex(torch.diag(torch.tensor([1.0, 0.0]))).info.item() == 2
    assert torch.linalg.solve_ex(ZERO, torch.ones(2, 1)).info.item() == 1
    with pytest.raises(torch.linalg.LinAlgError):
        torch.linalg.inv_ex(ZERO, check_errors=True)


def test_programs_that_add_until_there_is_a_factor():
    matrix, jitter = torch.tensor([[1.0, 2.0], [2.0, 1.0]]), 0.75
    while True:
        try:
            factor = torch.linalg.cholesky(matrix + jitter * EYE)
            break
        except torch.linalg.LinAlgError:
            jitter *= 2
    assert jitter == 1.5
    assert torch.allclose(factor @ factor.T, matrix + 1.5 * EYE)


def test_gradients_and_compiled_functions_are_as_they_were():
    x = torch.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True)
    (torch.linalg.inv(x).sum() + torch.linalg.cholesky(x).sum() + torch.linalg.solve(x, EYE).sum()).backward()
    assert torch.isfinite(x.grad).all()
    compiled = ms.jit(lambda x: torch.linalg.cholesky(x) + torch.linalg.inv(x))
    assert torch.isnan(compiled(MINUS)).any()


@pytest.mark.parametrize(
    "rows", [[[1.0, float("nan")], [float("nan"), 1.0]], [[1.0, 1.0], [1.0, 1.0 - 1e-7]]]
)
def test_what_xla_finds_no_factor_of_raises(rows):
    matrix = torch.stack([torch.eye(2), torch.tensor(rows)])
    with pytest.raises(torch.linalg.LinAlgError, match=r"Batch element 1\): .*leading minor of order 2"):
        torch.linalg.cholesky(matrix)
    assert torch.linalg.cholesky_ex(matrix).info.tolist() == [0, 2]


def test_the_order_of_a_minor_is_found_where_numpy_finds_a_factor(monkeypatch):
    bad = np.array([[np.nan, 0.0], [0.0, np.nan]], np.float32)
    monkeypatch.setattr(linalg_errors, "_peek_value", lambda x: x)
    assert linalg_errors.minors_without_factor(np.eye(2, dtype=np.float32), bad) == 2
