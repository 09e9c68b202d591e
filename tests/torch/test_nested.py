"""Nested tensors, and encoders that leave out padding. Expected values: PyTorch 2.13."""

import pytest

from msjax import torch

F = torch.nn.functional
A, B = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(4, 3) / 10
LAYOUTS = [torch.strided, torch.jagged]


def nested(layout=torch.jagged, **named):
    return torch.nested.nested_tensor([A, B], layout=layout, **named)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_it_is(layout):
    x = nested(layout)
    assert (x.is_nested, x.layout, x.dim(), x.size(0), x.size(-1), x.numel()) == (True, layout, 3, 2, 3, 18)
    assert x.dtype == torch.float32
    assert isinstance(x, torch.Tensor)
    assert all(torch.equal(found, part) for found, part in zip(x.unbind(), (A, B), strict=True))
    assert torch.equal(x[1], B)
    assert torch.equal(x.to_padded_tensor(-1.0)[0, 2:], torch.full((2, 3), -1.0))
    assert torch.nested.to_padded_tensor(x, 0.0, (2, 5, 4)).shape == (2, 5, 4)


def test_prints():
    assert repr(nested(torch.strided)).startswith(
        "nested_tensor([\n  tensor([[0., 1., 2.],\n          [3., 4., 5.]]),\n"
    )
    x = nested(requires_grad=True)
    name = str(x.shape[1])
    assert repr(x) == (
        f"NestedTensor(size=(2, {name}, 3), offsets=tensor([0, 2, 6]), requires_grad=True, contiguous=True)"
    )
    assert str(x.relu().shape) == f"torch.Size([2, {name}, 3])"
    with pytest.raises(RuntimeError, match="Given dimension 1 is irregular and does not have a size"):
        nested(torch.strided).size(1)


@pytest.mark.parametrize(
    ("function", "first"),
    [
        (lambda x: x + x, [0.0, 2.0, 4.0]),
        (lambda x: 2 * x - 1, [-1.0, 1.0, 3.0]),
        (F.gelu, [0.0, 0.8413, 1.9545]),
        (lambda x: F.linear(x, torch.ones(2, 3)), [3.0, 3.0]),
        (lambda x: F.layer_norm(x, (3,)), [-1.2247, 0.0, 1.2247]),
        (lambda x: x.softmax(-1), [0.09, 0.2447, 0.6652]),
        (lambda x: F.softmax(x, 1), [0.0474, 0.0474, 0.0474]),
        (lambda x: x * torch.tensor([1.0, 2.0, 3.0]), [0.0, 2.0, 6.0]),
        (lambda x: x * torch.tensor([1.0, 2.0]).reshape(2, 1, 1), [0.0, 1.0, 2.0]),
        (lambda x: torch.matmul(x, torch.ones(3, 2)), [3.0, 3.0]),
        (lambda x: torch.cat([x, x], -1), [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]),
        (lambda x: x.chunk(3, -1)[1], [1.0]),
        (lambda x: x.unflatten(-1, [3, 1]).flatten(-2), [0.0, 1.0, 2.0]),
        (
            lambda x: x.reshape(2, x.shape[1], 3, 1).transpose(1, 2).transpose(1, 2).flatten(-2),
            [0.0, 1.0, 2.0],
        ),
    ],
)
def test_functions_of_the_parts(function, first):
    assert function(nested()).to_padded_tensor(0.0)[0, 0].tolist() == pytest.approx(first, abs=1e-4)


def test_sums_over_the_ragged_dimension():
    torch.testing.assert_close(nested().sum(1), torch.tensor([[3.0, 5, 7], [1.8, 2.2, 2.6]]))
    torch.testing.assert_close(nested().mean(1), torch.tensor([[1.5, 2.5, 3.5], [0.45, 0.55, 0.65]]))
    assert nested().sum().item() == pytest.approx(21.6)
    assert nested().max().item() == 5.0


def test_gradients():
    x, y = A.clone().requires_grad_(), B.clone().requires_grad_()
    m = torch.nested.as_nested_tensor([x, y], layout=torch.jagged)
    (m * m).to_padded_tensor(0.0).sum().backward()
    assert torch.equal(x.grad, 2 * A)
    leaf = nested(requires_grad=True)
    (leaf * 2).sum().backward()
    assert torch.equal(leaf.grad.to_padded_tensor(2.0), torch.full((2, 4, 3), 2.0))


def test_attention_and_modules():
    q = torch.nested.nested_tensor([torch.ones(2, 2, 4), torch.ones(3, 2, 4)], layout=torch.jagged).transpose(
        1, 2
    )
    found = F.scaled_dot_product_attention(q, q, q).transpose(1, 2).flatten(-2)
    assert [tuple(part.shape) for part in found] == [(2, 8), (3, 8)]
    words = torch.nested.nested_tensor([torch.tensor([1, 2]), torch.tensor([3])], layout=torch.jagged)
    net = torch.nn.Sequential(torch.nn.Embedding(5, 4), torch.nn.Linear(4, 2), torch.nn.ReLU())
    assert torch.equal(net(words)[0], net(torch.tensor([1, 2])))


def test_other_makers():
    x = torch.nested.nested_tensor_from_jagged(B, torch.tensor([0, 1, 4]))
    assert [tuple(part.shape) for part in x] == [(1, 3), (3, 3)]
    assert torch.equal(x.values(), B)
    assert x.offsets().tolist() == [0, 1, 4]
    rows = torch.nested.narrow(
        torch.arange(8.0).reshape(2, 4), 1, torch.tensor([0, 1]), torch.tensor([2, 3]), torch.jagged
    )
    assert [part.tolist() for part in rows] == [[0.0, 1.0], [5.0, 6.0, 7.0]]
    mask = torch.tensor([[True, False, True], [True, True, True]])
    assert torch.nested.masked_select(A, mask).offsets().tolist() == [0, 2, 5]
    assert torch.nested.as_nested_tensor(torch.ones(2, 3, 4)).size(1) == 3


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: torch.nested.nested_tensor([A, torch.ones(2)]),
            RuntimeError,
            "dimension 1 for Tensor at index 1",
        ),
        (lambda: torch.nested.nested_tensor(A), TypeError, "Only lists"),
        (lambda: nested().cumsum(1), NotImplementedError, "`cumsum`: not there for nested tensors"),
        (lambda: nested().shape[1] + 1, NotImplementedError, "ragged dimension"),
        (lambda: nested().to_padded_tensor(0.0, (2, 3, 3)), RuntimeError, "Truncation is not supported"),
        (lambda: nested().softmax(0), RuntimeError, "dimension 0"),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("norm", [False, True])
def test_encoders_leave_out_padding_without_gradients(norm):
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 1, torch.nn.LayerNorm(4) if norm else None).eval()
    if norm:
        torch.nn.init.constant_(net.norm.bias, 0.5)
    x, padding = torch.randn(2, 3, 4), torch.tensor([[False, False, True], [False, False, False]])
    with torch.no_grad():
        left, right = (net(x, src_key_padding_mask=mask) for mask in (padding, padding.flip(1)))
        numbers = net(x, src_key_padding_mask=torch.zeros(2, 3).masked_fill(padding, -torch.inf))
        whole = net(x, mask=torch.zeros(3, 3), src_key_padding_mask=padding)
    assert left[0, 2].tolist() == numbers[0, 2].tolist() == [0.5 * norm] * 4
    assert right[0, 0].tolist() != [0.5 * norm] * 4  # padding is not at the end
    assert whole[0, 2].tolist() != [0.5 * norm] * 4
    recorded = net(x, src_key_padding_mask=padding)
    assert recorded[0, 2].tolist() != [0.5 * norm] * 4
    torch.testing.assert_close(recorded[0, :2], left[0, :2])
    torch.testing.assert_close(recorded[1], left[1])


def test_linear_is_named_so_in_torch_function():
    seen = []

    class Watched(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    F.linear(torch.ones(2, 3).as_subclass(Watched), torch.ones(1, 3))
    assert seen[0] is F.linear
    assert seen[0].__name__ == "linear"
