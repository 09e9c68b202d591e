"""Which shapes a view may take, and what changes in place, by PyTorch 2.13's rules or the page's."""

import pytest

from msjax import torch

X = torch.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("view", "shape", "strides"),
    [
        (X.transpose(0, 1), (3, 2, 2, 2), (4, 12, 2, 1)),
        (X[:, :, :2], (6, 2), (4, 1)),
        (X[:, :2], (2, 8), (12, 1)),
        (X[:0], (0, 12), (12, 1)),
        (X.unsqueeze(1).expand(2, 5, 3, 4), (2, 5, 12), (12, 0, 1)),
        (X.permute(2, 0, 1), (4, 6), (1, 4)),
        (X[:, :, 0], (6,), (4,)),
        (X[..., ::2], (2, 6), (12, 2)),
        (X.chunk(2, -1)[1], (2, 3, 1, 2), None),
        (X[0].t(), (2, 2, 3), (2, 1, 4)),
    ],
)
def test_shapes_that_a_view_takes(view, shape, strides):
    found = view.view(shape)
    assert found.tolist() == view.reshape(shape).tolist()
    assert strides is None or found.stride() == strides


@pytest.mark.parametrize(
    ("view", "shape"),
    [
        (X[0].t(), (12,)),
        (X[:, :2], (4, 4)),
        (X.transpose(0, 1), (-1, 4)),
        (torch.ones(3, 1).expand(3, 4), (12,)),
    ],
)
def test_shapes_that_it_does_not_take(view, shape):
    with pytest.raises(RuntimeError, match=r"not compatible.*reshape"):
        view.view(shape)
    with pytest.raises(RuntimeError, match="not compatible"):
        view.view_as(view.reshape(shape))


def test_gradients_are_of_the_values_that_were_used():
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    y, product = x.exp(), x * w
    y.add_(1)
    w.zero_()
    (y + product).sum().backward()
    assert torch.allclose(x.grad, x.detach().exp() + torch.tensor([3.0, 4.0]))
    start = torch.tensor([1.0, 2.0], requires_grad=True)
    inner = start * 1
    square = inner * inner
    inner.mul_(2)
    (square.sum() + inner.sum()).backward()
    assert start.grad.tolist() == [4, 6]


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * ctx.saved_tensors[0] * gradient


def test_saved_tensors_keep_their_values():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    inner = x * 1
    y = Square.apply(inner)
    inner.add_(10)
    y.sum().backward()
    assert x.grad.tolist() == [2, 4]


class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, gradient):
        return 10 * gradient


def test_a_dirty_input_is_the_output():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    inner = x * 2
    assert AddOne.apply(inner) is inner
    (inner * inner).sum().backward()
    assert x.grad.tolist() == [120, 200]
    inner, x.grad = x * 2, None
    AddOne.apply(inner[:1])
    (inner * inner).sum().backward()
    assert x.grad.tolist() == [120, 16]


def test_sizes_that_stay():
    x = torch.arange(6)
    with pytest.raises(NotImplementedError, match=r"`resize_`.*clone"):
        x[2:].resize_(2, 2)
    with pytest.raises(RuntimeError, match="require grad"):
        torch.ones(2, requires_grad=True).resize_(3)
    assert torch.arange(4).resize_(2, 3)[0].tolist() == [0, 1, 2]


def test_a_group_of_one_value():
    with pytest.raises(ValueError, match=r"more than 1 value per channel.*\[1, 2\]"):
        torch.nn.GroupNorm(2, 2)(torch.ones(1, 2))
    assert torch.nn.GroupNorm(2, 2)(torch.ones(2, 2)).shape == (2, 2)
    assert torch.nn.functional.group_norm(torch.ones(1, 4), 2).shape == (1, 4)


def test_nextafter_of_two_dtypes():
    found = torch.nextafter(torch.ones(2), torch.full((2,), 2.0, dtype=torch.float64))
    assert found.dtype == torch.float64
    assert (found - 1).tolist() == [2.0**-52] * 2


class TestDataOfParameters:
    """`p.data = y` gives p other memory; who shared the old one keeps it, as in PyTorch."""

    @pytest.mark.parametrize(
        "share", [lambda p: p.data, lambda p: p.detach(), lambda p: p.data.view(-1), lambda p: p.detach()[1:]]
    )
    def test_what_shared_memory_keeps_its_values(self, share):
        p = torch.nn.Parameter(torch.ones(2, 2))
        before = share(p)
        p.data = torch.zeros(2, 2)
        assert before.tolist() == torch.ones_like(before).tolist()
        assert p.tolist() == [[0.0, 0.0], [0.0, 0.0]]
        p.data.add_(5)
        assert before.tolist() == torch.ones_like(before).tolist()

    def test_those_that_shared_memory_still_do(self):
        p = torch.nn.Parameter(torch.ones(2))
        first, second = p.data, p.detach()
        p.data = torch.zeros(2)
        first.mul_(3)
        assert (second.tolist(), p.tolist()) == ([3.0, 3.0], [0.0, 0.0])
        third = p.data
        third.add_(1)
        assert (p.tolist(), first.tolist()) == ([1.0, 1.0], [3.0, 3.0])

    def test_averages_are_applied_and_taken_back(self):
        net = torch.nn.Linear(2, 1)
        names = dict(net.named_parameters())
        before, saved = {n: p.detach().clone() for n, p in names.items()}, net.state_dict()
        backup = {n: p.data for n, p in names.items()}
        for p in names.values():
            p.data = torch.full_like(p, 2.0)
        x = torch.ones(1, 2)
        assert net(x).item() == 6.0
        net(x).sum().backward()
        assert net.weight.grad.tolist() == [[1.0, 1.0]]
        for n, p in names.items():
            p.data = backup[n]
            assert p.tolist() == before[n].tolist() == saved[n].tolist()
        torch.optim.SGD(net.parameters(), lr=1.0).step()
        assert net.weight.tolist() == (before["weight"] - 1).tolist()
        assert backup["weight"].tolist() == before["weight"].tolist()


def test_gradients_that_are_views_are_set_to_zero():
    parameter, whole = torch.nn.Parameter(torch.ones(2)), torch.ones(3, 2)
    parameter.grad = whole[0]
    torch.optim.SGD([parameter], 0.1).zero_grad(set_to_none=False)
    assert whole.tolist() == [[0, 0], [1, 1], [1, 1]]


def test_views_change_their_shape_in_place():
    """Expected values: PyTorch 2.13."""
    whole = torch.arange(12.0).reshape(3, 4)
    view = whole[1:]
    assert view.transpose_(0, 1) is view
    assert (view.shape, view.stride()) == ((4, 2), (1, 4))
    view[0, 0] = 100.0
    whole[2, 3] = -1.0
    assert (whole[1, 0], view[3, 1]) == (100.0, -1.0)
    row = whole[0].unsqueeze_(0)
    row.zero_()
    assert whole[0].tolist() == [0.0] * 4
    assert row.squeeze_(0).shape == (4,)
    other = whole.view(2, 6).t_()
    assert (other.shape, other.is_contiguous()) == ((6, 2), False)
    leaf = torch.ones(2, 3, requires_grad=True)
    part = (leaf * 2)[:, :2]
    (part.transpose_(0, 1) * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert leaf.grad.tolist() == [[2.0, 6.0, 0.0], [4.0, 8.0, 0.0]]


def test_windows_are_a_view():
    x = torch.arange(12.0).reshape(4, 3).requires_grad_()
    whole = x.clone()
    windows = whole.unfold(0, 2, 2)
    assert (windows.shape, windows.stride(), windows._base is whole) == ((2, 3, 2), (6, 1, 3), True)
    windows[0] = torch.tensor([-1.0, -2.0])
    windows[1].mul_(2)
    assert whole.tolist() == [[-1] * 3, [-2] * 3, [12, 14, 16], [18, 20, 22]]
    whole.pow(2).sum().backward()
    assert x.grad.tolist() == [[0] * 3, [0] * 3, [48, 56, 64], [72, 80, 88]]
    with pytest.raises(RuntimeError, match="maximum size for tensor at dimension 1 is 3 but size is 4"):
        whole.unfold(1, 4, 1)
    assert torch.tensor([-0.0, 1.0, -2.0]).signbit().tolist() == [True, False, True]
