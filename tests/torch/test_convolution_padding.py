"""Convolutions that pad with something else than zeros, and what their constructors refuse."""

import math

import numpy as np
import pytest

from msjax import torch
from msjax.torch import nn
from msjax.torch.nn import functional as F


def given(dims):
    shape = (2, 3, *[7, 8, 9][:dims])
    return torch.arange(math.prod(shape), dtype=torch.float32).reshape(shape).sin()


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize(
    ("layer", "size", "dilation", "padding", "margins"),
    [
        ("Conv1d", 3, 1, "same", (1, 1)),
        ("Conv1d", 4, 1, "same", (1, 2)),
        ("Conv1d", 3, 2, "valid", (0, 0)),
        ("Conv2d", 3, 1, "same", (1, 1, 1, 1)),
        ("Conv2d", (2, 3), (1, 2), "same", (2, 2, 0, 1)),
        ("Conv2d", 3, 1, (1, 2), (2, 2, 1, 1)),
        ("Conv3d", 3, 1, "same", (1, 1, 1, 1, 1, 1)),
    ],
)
def test_values_and_gradients_are_those_of_the_padded_input(layer, size, dilation, padding, margins, mode):
    net = getattr(nn, layer)(3, 2, size, dilation=dilation, padding=padding, padding_mode=mode)
    dims = int(layer[4])
    x, y = given(dims).requires_grad_(), given(dims).requires_grad_()
    padded = F.pad(y, margins, mode=mode) if any(margins) else y
    found = net(x)
    wanted = getattr(F, f"conv{dims}d")(padded, net.weight, net.bias, dilation=dilation)
    np.testing.assert_allclose(found.detach().numpy(), wanted.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert found.shape == x.shape or padding != "same" or found.shape[0:2] == (2, 2)
    found.square().sum().backward()
    wanted.square().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"padding": "full"}, "Invalid padding string"),
        ({"padding": "same", "stride": 2}, "strided"),
        ({"groups": 0}, "groups must be a positive integer"),
    ],
)
def test_constructors_refuse(settings, reason):
    with pytest.raises(ValueError, match=reason):
        nn.Conv2d(2, 2, 3, **settings)


def test_output_padding_of_a_list_is_a_tuple():
    assert "output_padding" not in repr(nn.ConvTranspose2d(1, 1, 3, output_padding=[0, 0]))
