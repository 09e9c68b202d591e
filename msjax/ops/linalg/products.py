"""Products of vectors, matrices and batches of matrices: matmul, bmm, dot, outer, tensor_dot ..."""

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_arrays_of_one_dtype, promote


def _fit(
    op_name: str, x: Array, y: Array, inner: tuple[int, int], error: type[Exception] = ValueError
) -> None:
    """The axes that are summed over must be of one size."""
    if inner[0] != inner[1]:
        raise error(
            f"`{op_name}`: the axes that are summed over must be of one size. Received: arrays of shapes {x.shape} and "
            f"{y.shape}, that is sizes {inner[0]} and {inner[1]}."
        )


def _batches(op_name: str, x: Array, y: Array, error: type[Exception] = ValueError) -> None:
    try:
        lax.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        raise error(
            f"`{op_name}`: the axes before the last two must broadcast. Received: arrays of shapes {x.shape} and {y.shape}."
        ) from None


def _product(x: Array, y: Array) -> Array:
    return (
        jnp.matmul(x.astype(jnp.int32), y.astype(jnp.int32)).astype(bool)
        if x.dtype == bool
        else jnp.matmul(x, y)
    )


@op
def matmul(input: Array, other: Array) -> Array:
    """Matrix product: of vectors the dot product, of stacks the product of each pair, broadcast together.

    Args:
        input (Tensor): of shape (..., n, m) or (m,).
        other (Tensor): of shape (..., m, k) or (m,).

    Returns:
        Tensor of shape (..., n, k), without n or k where an argument is a vector, and of the promoted dtype.

    Raises:
        RuntimeError: if the axes that are summed over differ in size (ValueError for two vectors).
        ValueError: if an argument has no dimensions, or the leading axes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.matmul(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 1.0])))
        [3. 7.]
    """
    x, y = as_arrays_of_one_dtype("matmul", input=input, other=other)
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError(
            f"`matmul`: the arguments must have at least one dimension. Received: arrays of shapes {x.shape} and {y.shape}."
        )
    error = ValueError if y.ndim == 1 else RuntimeError
    _fit("matmul", x, y, (x.shape[-1], y.shape[-2] if y.ndim > 1 else y.shape[0]), error)
    if x.ndim > 1 and y.ndim > 1:
        _batches("matmul", x, y, RuntimeError)
    return _product(x, y)


@op(static="transpose_a transpose_b")
def matrix_product(x: Array, y: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    """Product of two matrices, each taken as it is or transposed (what `ops.MatMul` computes).

    Args:
        x (Tensor): a matrix.
        y (Tensor): a matrix.
        transpose_a (bool): transpose the first.
        transpose_b (bool): transpose the second.

    Returns:
        Tensor of the promoted dtype.

    Raises:
        ValueError: if an argument is not a matrix, or the axes that are summed over differ in size.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0]])
        >>> print(ms.ops.MatMul(transpose_b=True)(x, x))
        [[5.]]
    """
    x, y = as_arrays_of_one_dtype("MatMul", x=x, y=y)
    checks.check_rank("MatMul", 2, x=x, y=y)
    return _transpose_as_asked("MatMul", x, y, transpose_a, transpose_b)


@op(static="transpose_a transpose_b")
def batch_product(x: Array, y: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    """Products of pairs of matrices in two stacks, each taken as it is or transposed (what `ops.BatchMatMul` computes).

    Args:
        x (Tensor): of shape (..., n, m), at least two dimensions.
        y (Tensor): of shape (..., m, k), at least two dimensions.
        transpose_a (bool): transpose the matrices of the first.
        transpose_b (bool): transpose the matrices of the second.

    Returns:
        Tensor of shape (..., n, k) and the promoted dtype.

    Raises:
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.ops.ones((2, 1, 3))
        >>> ms.ops.BatchMatMul(transpose_b=True)(x, x).shape
        (2, 1, 1)
    """
    x, y = as_arrays_of_one_dtype("BatchMatMul", x=x, y=y)
    if x.ndim < 2 or y.ndim < 2:
        checks.fail(
            ValueError,
            "BatchMatMul",
            "x",
            "have at least two dimensions, like `y`",
            f"{x.shape}, y={y.shape}",
        )
    return _transpose_as_asked("BatchMatMul", x, y, transpose_a, transpose_b)


def _transpose_as_asked(op_name: str, x: Array, y: Array, transpose_a: bool, transpose_b: bool) -> Array:
    checks.check_bools(op_name, transpose_a=transpose_a, transpose_b=transpose_b)
    x = jnp.swapaxes(x, -1, -2) if transpose_a else x
    y = jnp.swapaxes(y, -1, -2) if transpose_b else y
    _fit(op_name, x, y, (x.shape[-1], y.shape[-2]))
    _batches(op_name, x, y)
    return _product(x, y)


@op
@documented_by(batch_product)
def bmm(input_x: Array, mat2: Array) -> Array:
    """Products of pairs of matrices in two stacks.

    Args:
        input_x (Tensor): of shape (..., n, m).
        mat2 (Tensor): of shape (..., m, k).

    Examples:
        >>> import msjax as ms
        >>> ms.ops.bmm(ms.ops.ones((2, 3, 4)), ms.ops.ones((2, 4, 5))).shape
        (2, 3, 5)
    """
    x, y = as_arrays_of_one_dtype("bmm", input_x=input_x, mat2=mat2)
    if x.ndim < 2 or y.ndim < 2:
        checks.fail(
            ValueError,
            "bmm",
            "input_x",
            "have at least two dimensions, like `mat2`",
            f"{x.shape}, mat2={y.shape}",
        )
    return _transpose_as_asked("bmm", x, y, False, False)


@op
def mm(input: Array, mat2: Array) -> Array:
    """Product of two matrices.

    Args:
        input (Tensor): of shape (n, m).
        mat2 (Tensor): of shape (m, k).

    Returns:
        Tensor of shape (n, k) and the promoted dtype.

    Raises:
        ValueError: if an argument is not a matrix, or shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.mm(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]
    """
    x, y = as_arrays_of_one_dtype("mm", input=input, mat2=mat2)
    checks.check_rank("mm", 2, input=x, mat2=y)
    return _transpose_as_asked("mm", x, y, False, False)


@op
def mv(mat: Array, vec: Array) -> Array:
    """Product of a matrix and a vector.

    Args:
        mat (Tensor): of shape (n, m).
        vec (Tensor): of shape (m,).

    Returns:
        Tensor of shape (n,) and the promoted dtype.

    Raises:
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.mv(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 1.0])))
        [3. 7.]
    """
    x, y = as_arrays_of_one_dtype("mv", mat=mat, vec=vec)
    checks.check_rank("mv", 2, mat=x)
    y = y.reshape(-1) if y.ndim == 2 and y.shape[1] == 1 else y
    checks.check_rank("mv", 1, vec=y)
    _fit("mv", x, y, (x.shape[1], y.shape[0]))
    return _product(x, y)


@op
def dot(input: Array, other: Array) -> Array:
    """Sum over the last axis of one array and the last but one of the other.

    Args:
        input (Tensor): floating, of at least one dimension.
        other (Tensor): floating, of at least one dimension.

    Returns:
        Tensor with the remaining axes of both. MindSpore demands two dimensions; vectors give their dot product here.

    Raises:
        TypeError: if an argument is not floating.
        ValueError: if shapes do not fit.

    Examples:
        >>> import msjax as ms
        >>> ms.ops.dot(ms.ops.ones((2, 3)), ms.ops.ones((1, 3, 2))).shape
        (2, 1, 2)
    """
    x, y = as_arrays_of_one_dtype("dot", input=input, other=other)
    checks.check_inexact("dot", input=x, other=y)
    if x.ndim == 0 or y.ndim == 0:
        checks.fail(
            ValueError,
            "dot",
            "input",
            "have at least one dimension, like `other`",
            f"{x.shape}, other={y.shape}",
        )
    _fit("dot", x, y, (x.shape[-1], y.shape[-2] if y.ndim > 1 else y.shape[0]))
    return jnp.dot(x, y)


@op
def inner(input: Array, other: Array) -> Array:
    """Sum over the last axes of two arrays; with a single number, the product.

    Args:
        input (Tensor): of shape (..., m).
        other (Tensor): of shape (..., m).

    Returns:
        Tensor with the remaining axes of both.

    Raises:
        ValueError: if the last axes differ in size.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.inner(ms.Tensor([1.0, 2.0]), ms.Tensor([[3.0, 4.0], [5.0, 6.0]])))
        [11. 17.]
    """
    x, y = as_arrays_of_one_dtype("inner", input=input, other=other)
    if x.ndim and y.ndim:
        _fit("inner", x, y, (x.shape[-1], y.shape[-1]))
    return jnp.inner(x, y)


@op(promotes=True)
def outer(input: Array, vec2: Array) -> Array:
    """Products of every element of one vector and every element of another.

    Args:
        input (Tensor): of shape (n,); of any other shape, its n elements one after the other.
        vec2 (Tensor): of shape (m,), or one that broadcasts with (n, 1).

    Returns:
        Tensor of shape (n, m) and the promoted dtype.

    Raises:
        ValueError: if `vec2` does not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.outer(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [[3 4]
         [6 8]]
    """
    x, y = promote("outer", input=input, vec2=vec2)
    if y.ndim > 1 and x.size != 1 and y.shape[-2] not in (1, x.size):
        rule = f"have one dimension, or broadcast with ({x.size}, 1)"
        checks.fail(ValueError, "outer", "vec2", rule, f"array of shape {y.shape}")
    return jnp.multiply(x.reshape(-1, 1), y)


@op
def ger(input: Array, vec2: Array) -> Array:
    """Products of every element of one vector and every element of another.

    Args:
        input (Tensor): of shape (n,).
        vec2 (Tensor): of shape (m,).

    Returns:
        Tensor of shape (n, m) and the promoted dtype.

    Raises:
        ValueError: if an argument has another number of dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ger(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [[3 4]
         [6 8]]
    """
    x, y = as_arrays_of_one_dtype("ger", input=input, vec2=vec2)
    checks.check_rank("ger", 1, input=x, vec2=y)
    return outer.pure(x, y)


@op(static="axes")
def tensor_dot(x1: Array, x2: Array, axes: Any) -> Array:
    """Sum over several axes of two arrays at once.

    Args:
        x1 (Tensor): first array.
        x2 (Tensor): second array.
        axes (int, tuple, list): so many last axes of the first and first axes of the second; or two ints or two sequences
            of ints: the axes of the first, and those of the second.

    Returns:
        Tensor with the remaining axes of both.

    Raises:
        TypeError: if `axes` is neither.
        ValueError: if axes are out of range or differ in size.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.tensor_dot(x, x, ((0, 1), (0, 1))))
        30.0
    """
    x, y = as_arrays_of_one_dtype("tensor_dot", x1=x1, x2=x2)
    left, right = _contract(x, y, axes)
    for i, j in zip(left, right, strict=True):
        _fit("tensor_dot", x, y, (x.shape[i], y.shape[j]))
    return jnp.tensordot(x, y, (left, right))


def _contract(x: Array, y: Array, over: Any) -> tuple[list[int], list[int]]:
    if type(over) is int:
        if not 0 <= over <= min(x.ndim, y.ndim):
            checks.fail(ValueError, "tensor_dot", "axes", f"be in [0, {min(x.ndim, y.ndim)}]", over)
        return list(range(x.ndim - over, x.ndim)), list(range(over))
    if not isinstance(over, tuple | list) or len(over) != 2:
        checks.fail(TypeError, "tensor_dot", "axes", "be an int or two sequences of ints", repr(over))
    pairs = [list(side) if isinstance(side, tuple | list) else [side] for side in over]
    if len(pairs[0]) != len(pairs[1]):
        checks.fail(
            ValueError, "tensor_dot", "axes", "name as many axes of the first array as of the second", over
        )
    return [checks.normalize_axis("tensor_dot", x.ndim, axes=i) for i in pairs[0]], [
        checks.normalize_axis("tensor_dot", y.ndim, axes=i) for i in pairs[1]
    ]


@op(static="equation")
def sum_products(equation: str, operands: Any) -> Array:
    """Einstein's summation over a list of arrays (see `einsum`)."""
    given = promote("einsum", **{f"operands[{i}]": x for i, x in enumerate(operands)})
    try:
        return jnp.einsum(equation, *given)
    except (ValueError, TypeError, IndexError) as error:
        shapes = [x.shape for x in given]
        raise ValueError(
            f"`einsum`: {error}. Received: equation={equation!r}, operands of shapes {shapes}."
        ) from None


def einsum(equation: str, *operands: Any) -> Any:
    """Sums of products of arrays, in Einstein's notation: letters name axes, and those not behind the arrow are summed.

    Args:
        equation (str): as in "ij,jk->ik"; "..." stands for any axes; without an arrow the letters that occur once remain,
            in alphabetic order.
        operands (Tensor): as many as the equation names; or one list or tuple of them.

    Returns:
        Tensor of the promoted dtype.

    Raises:
        TypeError: if `equation` is not a str.
        ValueError: if the equation is malformed or does not fit the operands.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.ops.einsum("ij,j->i", x, ms.Tensor([1.0, 1.0])), ms.ops.einsum("ii", x))
        [3. 7.] 5.0
    """
    if not isinstance(equation, str):
        checks.fail(TypeError, "einsum", "equation", "be a str", f"{equation!r} ({type(equation).__name__})")
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    return sum_products(equation, list(given))


@op(static="axis", promotes=True)
def vecdot(x: Array, y: Array, *, axis: int = -1) -> Array:
    """Dot products of the vectors along an axis; the first is conjugated if complex.

    Args:
        x (Tensor): first vectors.
        y (Tensor): second vectors, of a shape that broadcasts with `x`.
        axis (int): axis that they lie along.

    Returns:
        Tensor without the axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.vecdot(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 1.0])))
        [3. 7.]
    """
    x, y = promote("vecdot", x=x, y=y)
    checks.normalize_axis("vecdot", max(x.ndim, y.ndim, 1), axis=axis)
    return jnp.sum(jnp.conj(x) * y, axis)


@op(promotes=True)
def kron(input: Array, other: Array) -> Array:
    """Kronecker product: every element of the first array times the whole second one.

    Args:
        input (Tensor): of any rank.
        other (Tensor): of any rank.

    Returns:
        Tensor of the promoted dtype, whose sizes are products.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.kron(ms.Tensor([[1, 2]]), ms.Tensor([[1, 10]])))
        [[ 1 10  2 20]]
    """
    x, y = promote("kron", input=input, other=other)
    return jnp.kron(x.astype(int), y).astype(bool) if x.dtype == bool else jnp.kron(x, y)


@op(static="dim", promotes=True)
def cross(input: Array, other: Array, dim: int | None = None) -> Array:
    """Vector products in three dimensions.

    Args:
        input (Tensor): vectors along an axis of size 3.
        other (Tensor): likewise, of a shape that broadcasts with `input`.
        dim (int, None): that axis. Default: the first of size 3.

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        ValueError: if the axis is not of size 3.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.cross(ms.Tensor([1.0, 0.0, 0.0]), ms.Tensor([0.0, 1.0, 0.0])))
        [0. 0. 1.]
    """
    x, y = promote("cross", input=input, other=other)
    checks.check_broadcastable("cross", input=x, other=y)
    x, y = jnp.broadcast_arrays(x, y)
    axis = next((i for i, n in enumerate(x.shape) if n == 3), None) if dim is None else dim
    if axis is None or x.shape[checks.normalize_axis("cross", x.ndim, dim=axis)] != 3:
        checks.fail(ValueError, "cross", "dim", "be an axis of size 3", f"{dim}, input of shape {x.shape}")
    return jnp.cross(x, y, axis=axis)
