"""Products and decompositions whose signature only mint has (vdot, conv_tbc, qr), and its `t`."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array import shapes
from msjax.ops.common import checks
from msjax.ops.linalg import decompositions


def t(input: Any) -> Any:
    """Return a matrix transposed, or the first two axes of a Tensor of more dimensions exchanged.

    Args:
        input (Tensor): of any dtype.

    Returns:
        Tensor: a view.

    Examples:
        >>> import msjax as ms
        >>> ms.mint.t(ms.mint.ones((2, 3))).shape, ms.mint.t(ms.mint.ones((2, 3, 4))).shape
        ((3, 2), (3, 2, 4))
    """
    return shapes.swapaxes(input, 0, 1) if getattr(input, "ndim", 0) > 2 else shapes.t(input)


def check_product_shapes(name: str, rank: int, **arrays: Any) -> None:
    """Raise unless arrays have the rank of the product's name, and the sizes that are summed over are one.

    Raises:
        RuntimeError: as MindSpore's operators of mint do; those of ops raise ValueError.
    """
    (first, a), (second, b) = arrays.items()
    if not (hasattr(a, "ndim") and hasattr(b, "ndim")):
        return  # the operator says what is wrong
    of_second = 1 if second == "vec" else rank
    for argument, x, wanted in ((first, a, rank), (second, b, of_second)):
        if x.ndim != wanted:
            checks.fail(RuntimeError, name, argument, f"have {wanted} dimensions", f"shape {tuple(x.shape)}")
    stacks = (a.shape[0], b.shape[0]) if rank == 3 else (0, 0)
    if a.shape[-1] != b.shape[-min(2, of_second)] or stacks[0] != stacks[1]:
        received = f"{tuple(b.shape)}, {first}={tuple(a.shape)}"
        checks.fail(RuntimeError, name, second, f"fit the shape of `{first}`", received)


def check_inexact(name: str, input: Any) -> None:
    """Raise for a matrix of integers or bools.

    Raises:
        ValueError: as MindSpore's `mint.inverse` does; `ops.inverse` raises TypeError.
    """
    if isinstance(input, Tensor) and not (input.dtype.is_floating_point or input.dtype.is_complex):
        checks.fail(ValueError, name, "input", "be of a floating or complex dtype", f"dtype={input.dtype}")


@op
def vdot(input: Array, other: Array) -> Array:
    """Return the inner product of two vectors, the first one conjugated.

    Args:
        input (Tensor): of one dimension.
        other (Tensor): of the same shape and dtype.

    Returns:
        Tensor without dimensions.

    Raises:
        ValueError: for other shapes.
        TypeError: if the dtypes differ.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.vdot(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
        11.0
    """
    checks.check_rank("vdot", 1, input=input, other=other)
    checks.check_same_shape("vdot", input=input, other=other)
    checks.check_same_dtype("vdot", input=input, other=other)
    return jnp.vdot(input, other, precision="highest").astype(input.dtype)


@op(static="pad")
def conv_tbc(input: Array, weight: Array, bias: Array, pad: int = 0) -> Array:
    """Convolution over time, with the batch in the middle and the channels last.

    Args:
        input (Tensor): of shape (T, N, C), floating.
        weight (Tensor): of shape (k, C, O).
        bias (Tensor): of shape (O,).
        pad (int): zeros at both ends of time.

    Returns:
        Tensor of shape (T + 2 * pad - k + 1, N, O).

    Raises:
        ValueError: if the shapes do not match.

    Examples:
        >>> import msjax as ms
        >>> ones = ms.ops.ones
        >>> print(ms.mint.conv_tbc(ones((3, 1, 1)), ones((2, 1, 1)), ones(1)).reshape(-1))
        [3. 3.]
    """
    checks.check_ints("conv_tbc", pad=pad)
    checks.check_rank("conv_tbc", 3, input=input, weight=weight)
    if weight.shape[1] != input.shape[2] or bias.shape != weight.shape[2:]:
        found = f"{weight.shape}, input={input.shape}, bias={bias.shape}"
        checks.fail(
            ValueError, "conv_tbc", "weight", "have shape (k, C, O) for C channels and O biases", found
        )
    dims = ("WNC", "WIO", "WNC")
    return lax.conv_general_dilated(input, weight, (1,), [(pad, pad)], dimension_numbers=dims) + bias


@op(static="mode")
def qr(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    """QR decomposition A = Q R, with orthonormal columns in Q and R upper triangular (Golub and Van Loan, 5.2).

    Args:
        A (Tensor): of shape (..., m, n), floating or complex.
        mode (str): "reduced", with k = min(m, n) columns in Q, "complete" with k = m, or "r" for R alone.

    Returns:
        Q of shape (..., m, k) and R of shape (..., k, n); for "r" R of the reduced form and an empty Tensor for Q.

    Raises:
        TypeError: if `mode` is none of these, or `A` not floating or complex.
        ValueError: if `A` has fewer than two dimensions.

    Examples:
        >>> import msjax as ms
        >>> q, r = ms.mint.linalg.qr(ms.Tensor([[3.0, 0.0], [4.0, 0.0]]), "r")
        >>> print(q.shape, r.abs())
        (0,) [[5. 0.]
         [0. 0.]]
    """
    if mode != "r":
        return decompositions.qr.pure(A, mode)
    return jnp.zeros((0,), A.dtype), decompositions.qr.pure(A)[1]
