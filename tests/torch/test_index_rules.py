"""Indices and dimensions by PyTorch's rules. What is expected here is what PyTorch 2.13 gave."""

import numpy as np
import pytest

from msjax import torch

BYTES = torch.tensor([1, 0, 1], dtype=torch.uint8)


def numbers():
    return torch.arange(6.0).reshape(3, 2)


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (BYTES, [[0, 1], [4, 5]]),
        (np.array([1, 0, 1], np.uint8), [[0, 1], [4, 5]]),
        ((BYTES, 0), [0, 4]),
        ([BYTES], [[0, 1], [4, 5]]),
        (torch.tensor(1, dtype=torch.uint8), [[[0, 1], [2, 3], [4, 5]]]),
        (torch.tensor([2, 0], dtype=torch.int32), [[4, 5], [0, 1]]),
        (torch.tensor(1, dtype=torch.int8), [2, 3]),
    ],
)
def test_bytes_are_masks(index, expected):
    assert numbers()[index].tolist() == expected


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
def test_writes_through_bytes():
    x = numbers().requires_grad_()
    y = x * 1
    y[BYTES] = torch.zeros(2, 2)
    y.sum().backward()
    assert y.tolist() == [[0, 0], [2, 3], [0, 0]]
    assert x.grad.tolist() == [[0, 0], [1, 1], [0, 0]]
    for accumulate, expected in [(False, [[7, 7], [2, 3], [7, 7]]), (True, [[7, 8], [2, 3], [11, 12]])]:
        got = numbers().index_put_((BYTES,), torch.tensor(7.0), accumulate=accumulate)
        assert got.tolist() == expected


def test_bytes_warn():
    with pytest.warns(UserWarning, match="torch.uint8 is now deprecated"):
        _ = numbers()[BYTES]


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (0.0, IndexError, "only integers"),
        ((0, 0.0), IndexError, "only integers"),
        (torch.tensor([1, 0], dtype=torch.int8), IndexError, "long, int, byte or bool"),
        (torch.tensor([1, 0], dtype=torch.int16), IndexError, "long, int, byte or bool"),
        (torch.tensor([1.0, 0.0]), IndexError, "long, int, byte or bool"),
    ],
)
def test_refused(index, error, text):
    x = numbers()
    with pytest.raises(error, match=text):
        _ = x[index]
    with pytest.raises(error, match=text):
        x[index] = 1


@pytest.mark.parametrize("index", [0, slice(None)])
def test_tensor_without_dimensions(index):
    x = torch.tensor(1.5)
    with pytest.raises(IndexError):
        _ = x[index]
    with pytest.raises(IndexError, match="0-dim"):
        x[index] = 1


def test_true_copies_and_slices_do_not():
    x = numbers()
    x[True][0, 0] = 9
    assert x[0, 0] == 0
    x[:][0, 0] = 9
    assert x[0, 0] == 9


X = torch.arange(6.0).reshape(2, 3)
I = torch.zeros(2, 3, dtype=torch.int64)  # noqa: E741
OF_DIM = {
    "gradient": lambda d: torch.gradient(X, dim=d),
    "index_copy": lambda d: X.index_copy(d, I[0, :2], X),
    "index_reduce": lambda d: X.index_reduce(d, I[0, :2], X, "prod"),
    "masked.sum": lambda d: torch.masked.sum(X, d),
    "mode": lambda d: X.mode(d),
    "nanmedian": lambda d: X.nanmedian(d),
    "quantile": lambda d: X.quantile(0.5, d),
    "renorm": lambda d: X.renorm(2, d, 1.0),
    "slice_copy": lambda d: torch.slice_copy(X, d),
    "slice_scatter": lambda d: X.slice_scatter(X, d),
    "take_along_dim": lambda d: X.take_along_dim(I, d),
    "tensordot": lambda d: torch.tensordot(X, X, dims=([0], [d])),
    "trapezoid": lambda d: torch.trapezoid(X, dim=d),
    "Unflatten": lambda d: torch.nn.Unflatten(d, (1, -1))(X),
    "unflatten": lambda d: X.unflatten(d, (1, -1)),
    "unfold": lambda d: X.unfold(d, 1, 1),
}


@pytest.mark.parametrize("dim", [2, -3])
@pytest.mark.parametrize("name", OF_DIM)
def test_dimension_out_of_range(name, dim):
    with pytest.raises(IndexError, match=rf"expected to be in range of \[-2, 1\], but got {dim}"):
        OF_DIM[name](dim)


@pytest.mark.parametrize(
    "name", ["gradient", "mode", "nanmedian", "quantile", "renorm", "trapezoid", "unfold"]
)
def test_last_dimension_from_both_ends(name):
    first, second = OF_DIM[name](1), OF_DIM[name](-1)
    for a, b in zip(first, second, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(
    ("indices", "text"),
    [
        (I.int(), "dtype of indices should be Long"),
        (I.float(), "dtype of indices should be Long"),
        (I[0], "same number of dimensions"),
    ],
)
def test_take_along_dim_refuses(indices, text):
    with pytest.raises(RuntimeError, match=text):
        torch.take_along_dim(X, indices, 0)


def test_unravel_index_refuses():
    with pytest.raises(TypeError, match="integer dtype"):
        torch.unravel_index(torch.tensor(0.5), (2, 2))
    with pytest.raises(TypeError, match="to be int or sequence"):
        torch.unravel_index(I, I)


def test_strides_of_nothing():
    assert torch.zeros(3, 0).stride() == (1, 1)
    assert torch.zeros(2, 0, 4).stride() == (4, 4, 1)


FOUR = torch.arange(120.0).reshape(2, 3, 4, 5)
CHOSEN, SOME, WHOLE = torch.tensor([1, 2, 0]), torch.tensor([True, False, True]), slice(None)


@pytest.mark.parametrize(
    ("index", "shape", "last"),
    [
        ((0, WHOLE, CHOSEN), (3, 3, 5), 44.0),
        ((WHOLE, CHOSEN, WHOLE, 1), (2, 3, 4), 76.0),
        ((torch.tensor(0), WHOLE, [1, 2]), (3, 2, 5), 54.0),
        ((None, [1, 0], ..., 3), (1, 2, 3, 4), 58.0),
        ((0, SOME, WHOLE, CHOSEN[:2]), (2, 4), 57.0),
        ((WHOLE, SOME, 1), (2, 2, 5), 109.0),
        ((CHOSEN[:1], WHOLE, 0, CHOSEN), (3, 3), 100.0),
        ((0, 1, WHOLE, CHOSEN), (4, 3), 35.0),
    ],
)
def test_numbers_are_taken_before_tensors(index, shape, last):
    found = FOUR[index]
    assert tuple(found.shape) == shape
    assert found.reshape(-1)[-1] == last
    x = FOUR.clone().requires_grad_()
    (gradient,) = torch.autograd.grad((x[index] * found).sum(), x)
    changed = FOUR.clone()
    changed[index] = -found
    assert torch.equal(changed, FOUR - 2 * gradient)
