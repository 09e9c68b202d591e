"""Convolutions under PyTorch's signature: `padding` is a number, one for each dimension, or "same" or "valid"."""

from collections.abc import Callable
from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.nn import convolution


def _convolve(
    name: str, op: Callable, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, *more: Any
) -> Any:
    if not isinstance(padding, str):
        return op(x, weight, bias, stride, "pad", padding, *more)
    checks.check_choice(name, ("same", "valid"), padding=padding)
    if padding == "same" and any(n != 1 for n in ([stride] if isinstance(stride, int) else stride)):
        checks.fail(
            ValueError,
            name,
            "padding",
            'be a number with a stride other than 1, not "same"',
            f"'same', stride={stride}",
        )
    return op(x, weight, bias, stride, padding, 0, *more)


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution over one dimension.

    Args:
        input (Tensor): of shape (N, C, L) or (C, L), floating.
        weight (Tensor): of shape (O, C / groups, k).
        bias (Tensor, None): of shape (O,).
        stride (int, tuple[int]): step of the window.
        padding (int, tuple[int], str): zeros on both sides; "valid" none, "same" so many that the size stays.
        dilation (int, tuple[int]): distance of the window's elements.
        groups (int): groups of channels that do not see each other.

    Returns:
        Tensor of shape (N, O, L') or (O, L').

    Raises:
        ValueError: for shapes or settings that do not fit.

    Examples:
        >>> import msjax as ms
        >>> one = ms.ops.ones
        >>> print(ms.mint.nn.functional.conv1d(one((1, 1, 3)), one((1, 1, 2)), padding="same"))
        [[[2. 2. 1.]]]
    """
    return _convolve("conv1d", convolution.conv1d, input, weight, bias, stride, padding, dilation, groups)


@documented_by(conv1d)
def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution over two dimensions.

    Args:
        input (Tensor): of shape (N, C, H, W) or (C, H, W), floating.
        weight (Tensor): of shape (O, C / groups, kh, kw).

    Returns:
        Tensor of shape (N, O, H', W') or (O, H', W').

    Examples:
        >>> import msjax as ms
        >>> one = ms.ops.ones
        >>> print(ms.mint.conv2d(one((1, 1, 2, 2)), one((1, 1, 2, 2))))
        [[[[4.]]]]
    """
    return _convolve("conv2d", convolution.conv2d, input, weight, bias, stride, padding, dilation, groups)


@documented_by(conv1d)
def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution over three dimensions.

    Args:
        input (Tensor): of shape (N, C, D, H, W) or (C, D, H, W), floating.
        weight (Tensor): of shape (O, C / groups, kd, kh, kw).

    Returns:
        Tensor of shape (N, O, D', H', W') or (O, D', H', W').

    Examples:
        >>> import msjax as ms
        >>> one = ms.ops.ones
        >>> ms.mint.nn.functional.conv3d(one((1, 1, 2, 2, 2)), one((3, 1, 2, 2, 2))).shape
        (1, 3, 1, 1, 1)
    """
    return _convolve("conv3d", convolution.conv3d, input, weight, bias, stride, padding, dilation, groups)
