"""torch.sparse against PyTorch 2.13's values, texts and gradients."""

import pytest

from msjax import torch


def made():
    values = torch.tensor([3.0, 4, 5, 6, 7], requires_grad=True)
    places = torch.tensor([[0, 1, 1, 2, 0], [2, 0, 2, 1, 2]])
    return torch.sparse_coo_tensor(places, values, (3, 4)), values


DENSE = [[0.0, 0, 10, 0], [4, 0, 5, 0], [0, 6, 0, 0]]
PRODUCT = [[40.0, 50], [20, 29], [12, 18]]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda s, d: torch.sparse.mm(s, d), PRODUCT),
        (lambda s, d: torch.mm(s, d), PRODUCT),
        (lambda s, d: torch.spmm(s, d), PRODUCT),
        (lambda s, d: s @ d, PRODUCT),
        (lambda s, d: s.to_sparse_csr() @ d, PRODUCT),
        (lambda s, d: d.t() @ s.t(), [[40, 20, 12], [50, 29, 18]]),
        (lambda s, d: s.matmul(d[:, 0]), [40, 20, 12]),
        (lambda s, d: torch.sparse.addmm(torch.ones(3, 2), s, d), [[41, 51], [21, 30], [13, 19]]),
        (lambda s, d: torch.ones(3, 4) + s, [[1, 1, 11, 1], [5, 1, 6, 1], [1, 7, 1, 1]]),
        (lambda s, d: (s * s).to_dense(), [[0, 0, 100, 0], [16, 0, 25, 0], [0, 36, 0, 0]]),
        (lambda s, d: (s - 2 * s / 4).to_dense(), [[0, 0, 5, 0], [2, 0, 2.5, 0], [0, 3, 0, 0]]),
        (lambda s, d: torch.sparse.sum(s, 1).to_dense(), [10, 9, 6]),
        (lambda s, d: s.sum(), 25),
        (lambda s, d: s[1].to_dense(), [4, 0, 5, 0]),
        (lambda s, d: torch.cat([s, s], 1).to_dense()[0], [0, 0, 10, 0, 0, 0, 10, 0]),
        (
            lambda s, d: torch.sparse.softmax(s, dim=1).to_dense(),
            [[0, 0, 1, 0], [0.26894143, 0, 0.7310586, 0], [0, 1, 0, 0]],
        ),
    ],
)
def test_values(call, expected):
    d = torch.arange(8.0).reshape(4, 2)
    torch.testing.assert_close(call(made()[0], d), torch.tensor(expected, dtype=torch.float32))


def test_gradients_reach_values_and_the_dense_operand():
    s, values = made()
    d = torch.arange(8.0).reshape(4, 2).requires_grad_()
    (torch.sparse.mm(s.coalesce(), d) * torch.tensor([[1.0, 2.0]])).sum().backward()
    assert values.grad.tolist() == [14, 2, 14, 8, 14]
    assert d.grad.tolist() == [[4, 8], [6, 12], [15, 30], [0, 0]]


def test_texts():
    s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    assert repr(s) == (
        "tensor(indices=tensor([[0, 1, 1],\n                       [2, 0, 2]]),\n       values=tensor([3., 4., 5.]),\n"
        "       size=(2, 3), nnz=3, layout=torch.sparse_coo)"
    )
    assert "crow_indices=tensor([0, 1, 3])" in repr(s.to_sparse_csr())
    c = made()[0].coalesce()
    assert c.indices().tolist() == [[0, 1, 1, 2], [2, 0, 2, 1]]
    assert c.values().tolist() == [10, 4, 5, 6]
    assert torch.tensor(DENSE).to_sparse().values().tolist() == [10, 4, 5, 6]
    assert torch.sparse_csr_tensor([0, 2, 3], [0, 1, 2], [1.0, 2, 3]).to_dense().tolist() == [
        [1, 2, 0],
        [0, 0, 3],
    ]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda s: s.indices(), RuntimeError, "uncoalesced"),
        (lambda s: s + torch.ones(3, 4), RuntimeError, r"add\(sparse, dense\)"),
        (lambda s: torch.mm(s, torch.ones(3, 2)), RuntimeError, "cannot be multiplied"),
        (lambda s: s.numpy(), TypeError, "to_dense"),
        (lambda s: s.reshape(12), NotImplementedError, "to_dense"),
        (lambda s: torch.exp(s), NotImplementedError, "to_dense"),
        (lambda s: s.detach().requires_grad_(), NotImplementedError, "values"),
        (lambda s: torch.sparse_coo_tensor([[3]], [1.0], (2,)), RuntimeError, "inconsistent with indices"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call(made()[0])


def test_functions_of_the_program_take_and_keep_sparse_tensors():
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, matrix, x):
            ctx.save_for_backward(matrix, x)
            return torch.mm(matrix, x)

        @staticmethod
        def backward(ctx, gradient):
            matrix, _ = ctx.saved_tensors
            return None, torch.mm(matrix.t(), gradient)

    matrix = torch.sparse_coo_tensor(
        torch.tensor([[0, 1, 1], [0, 0, 1]]), torch.tensor([1.0, 2.0, 3.0]), (2, 2)
    )
    x = torch.ones(2, 1, requires_grad=True)
    out = Product.apply(matrix, x)
    assert out.grad_fn.name() == "ProductBackward"
    out.sum().backward()
    assert x.grad.tolist() == [[3.0], [3.0]]
