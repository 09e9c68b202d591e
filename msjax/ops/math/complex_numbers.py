"""Complex numbers, elementwise: real, imag, conj, angle, polar."""

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_array, promote_and_broadcast, to_float


@op
def conj(input: Array) -> Array:
    """Elementwise complex conjugate; real arrays as they are.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.conj(ms.Tensor([1 + 2j])))
        [1.-2.j]
    """
    return jnp.conj(as_array("conj", "input", input))


@op
def real(input: Array) -> Array:
    """Elementwise real part; real arrays as they are.

    Args:
        input (Tensor): of any shape and dtype.

    Returns:
        Tensor of `input`'s shape and a real dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.real(ms.Tensor([1 + 2j])))
        [1.]
    """
    return jnp.real(as_array("real", "input", input))


@op
@documented_by(real)
def imag(input: Array) -> Array:
    """Elementwise imaginary part; zeros for real arrays.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.imag(ms.Tensor([1 + 2j])))
        [2.]
    """
    return jnp.imag(as_array("imag", "input", input))


@op
def angle(input: Array) -> Array:
    """Elementwise angle of a complex number in radians, in (-pi, pi]; 0 or pi for real ones.

    Args:
        input (Tensor): of any shape and dtype; integers become float32.

    Returns:
        Tensor of `input`'s shape and a real dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.angle(ms.Tensor([1j, -1.0])))
        [1.57079633 3.14159265]
    """
    x = to_float(as_array("angle", "input", input))
    return jnp.arctan2(jnp.imag(x), jnp.real(x))


@op(promotes=True)
def complex(real: Array, imag: Array) -> Array:  # noqa: A001
    """Elementwise complex numbers of two parts.

    Args:
        real (Tensor): real parts, float32 or float64.
        imag (Tensor): imaginary parts, of a shape that broadcasts with `real`.

    Returns:
        Tensor of dtype complex64 or complex128.

    Raises:
        TypeError: if a part is of another dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.Complex()(ms.Tensor([1.0]), ms.Tensor([2.0])))
        [1.+2.j]
    """
    x, y = promote_and_broadcast("complex", real=real, imag=imag)
    if x.dtype not in (jnp.float32, jnp.float64):
        checks.fail(
            TypeError, "complex", "real", "be of dtype float32 or float64", f"array of dtype {x.dtype}"
        )
    return lax.complex(*jnp.broadcast_arrays(x, y))


@op(promotes=True)
def polar(abs: Array, angle: Array) -> Array:  # noqa: A002
    """Elementwise complex numbers of modulus and angle.

    Args:
        abs (Tensor): moduli, float32 or float64.
        angle (Tensor): angles in radians, of a shape that broadcasts with `abs`.

    Returns:
        Tensor of dtype complex64 or complex128.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.polar(ms.Tensor([2.0]), ms.Tensor([0.0])))
        [2.+0.j]
    """
    r, a = promote_and_broadcast("polar", abs=abs, angle=angle)
    return complex.pure(r * jnp.cos(a), r * jnp.sin(a))


@op
def modulus(x: Array) -> Array:
    """Elementwise modulus of complex numbers, as real numbers (what `ops.ComplexAbs` computes).

    Args:
        x (Tensor): complex.

    Returns:
        Tensor of `x`'s shape, float32 or float64.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.ComplexAbs()(ms.Tensor([3 + 4j])))
        [5.]
    """
    return jnp.abs(as_array("ComplexAbs", "x", x))


@op
def view_as_real(input: Array) -> Array:
    """Real and imaginary parts of complex numbers, along a last axis.

    Args:
        input (Tensor): complex.

    Returns:
        Tensor of shape (..., 2), float32 or float64.

    Raises:
        TypeError: if `input` is not complex.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.view_as_real(ms.Tensor([1 + 2j])))
        [[1. 2.]]
    """
    x = as_array("view_as_real", "input", input)
    if not jnp.issubdtype(x.dtype, jnp.complexfloating):
        checks.fail(TypeError, "view_as_real", "input", "be complex", f"array of dtype {x.dtype}")
    return jnp.stack([jnp.real(x), jnp.imag(x)], -1)
