"""Copies of tensors and Parameters, where views lie in memory, and products of groups, as PyTorch 2.13 has them."""

import copy

import numpy as np
import pytest

from msjax import torch
from msjax.torch import nn
from msjax.torch.nn import functional as F


class Own(nn.Parameter):
    pass


@pytest.mark.parametrize(
    "make", [torch.ones, lambda *n: nn.Parameter(torch.ones(*n)), lambda *n: Own(torch.ones(*n))]
)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_a_copy_is_of_the_same_class(make, how):
    x = make(2)
    twin = how(x)
    assert type(twin) is type(x)
    assert (twin.requires_grad, twin.is_leaf) == (x.requires_grad, True)
    twin.data[0] = 5
    assert x.tolist() == ([5, 1] if how is copy.copy else [1, 1])


def test_a_deep_copy_has_the_gradient_and_what_was_stored():
    x = torch.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    x.tag = [1]
    twin = copy.deepcopy(x)
    assert twin.grad.tolist() == [3, 3]
    assert twin.grad is not x.grad
    assert twin.tag == [1]
    assert twin.tag is not x.tag
    assert copy.deepcopy(nn.Parameter(x)).grad is None


def test_copied_modules_have_parameters():
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2, enable_nested_tensor=False)
    assert all(isinstance(p, nn.Parameter) for p in net.parameters())
    lazy = copy.deepcopy(nn.LazyLinear(3))
    assert lazy(torch.ones(1, 2)).shape == (1, 3)
    tied = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
    tied[1].weight = tied[0].weight
    twin = copy.deepcopy(tied)
    assert twin[0].weight is twin[1].weight


def test_a_view_lies_behind_the_first_element():
    x = torch.arange(12.0).reshape(3, 4)
    assert x[1].data_ptr() - x.data_ptr() == 16
    assert x.view(-1)[-1].data_ptr() - x.data_ptr() == 44
    assert x.detach().data_ptr() == x.data_ptr() == x.untyped_storage().data_ptr()
    assert x.t().data_ptr() == x.data_ptr()


SHAPES = [((5, 4), (3, 4, 2)), ((3, 2, 4), (4, 5)), ((2, 5), (5, 3)), ((3, 2, 4), (3, 4, 5))]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_products_of_groups(left, right):
    a, b = (
        torch.tensor(np.random.default_rng(0).standard_normal(s), requires_grad=True) for s in (left, right)
    )
    ends = None if len(left) == len(right) == 3 else torch.tensor([2, 2, 5], dtype=torch.int32)
    found = F.grouped_mm(a, b, offs=ends)
    groups = [slice(0, 2), slice(2, 2), slice(2, 5)]
    if len(left) == 3 == len(right):
        wanted = a @ b
    elif len(left) == 3:
        wanted = torch.cat([a[i] @ b[:, s] for i, s in enumerate(groups)], 1)
    elif len(right) == 3:
        wanted = torch.cat([a[s] @ b[i] for i, s in enumerate(groups)])
    else:
        wanted = torch.stack([a[:, s] @ b[s] for s in groups])
    torch.testing.assert_close(found, wanted)
    weights = torch.arange(float(found.numel())).reshape(found.shape)
    for mine, theirs in zip(
        *(torch.autograd.grad((y * weights).sum(), [a, b]) for y in (found, wanted)), strict=True
    ):
        torch.testing.assert_close(mine, theirs)


def test_groups_that_do_not_fit_are_refused():
    with pytest.raises(RuntimeError, match="offs"):
        F.grouped_mm(torch.ones(2, 2), torch.ones(2, 2))
    with pytest.raises(RuntimeError, match="as many columns"):
        F.grouped_mm(torch.ones(2, 3), torch.ones(1, 2, 2), offs=torch.tensor([2]))


def test_one_head_of_keys_is_that_of_all_queries():
    q, k, v = (
        torch.tensor(np.random.default_rng(i).standard_normal((2, h, 3, 4)))
        for i, h in ((0, 4), (1, 1), (2, 1))
    )
    found = F.scaled_dot_product_attention(q, k, v)
    scores = F.softmax(q @ k.transpose(-1, -2) / 2, -1)
    torch.testing.assert_close(found, scores @ v)
