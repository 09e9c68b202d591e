"""Padding layers: constant, zero, reflection, replication."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by

_MODES = {"constant": "constant", "reflect": "reflect", "symmetric": "symmetric", "replicate": "edge"}


@op(static="pads mode value")
def pad_dimensions(
    x: ArrayLike, pads: tuple[tuple[int, int], ...], mode: str = "constant", value: float = 0.0
) -> Array:
    """`x` with (before, after) more elements in each dimension.

    Args:
        x (Tensor): of any shape.
        pads (tuple): a pair of ints for each dimension; negative ones cut elements off.
        mode (str): "constant", or what the new elements are copies of: "reflect" (mirrored, the last element not
            repeated), "symmetric" (mirrored), "replicate" (the last element).
        value (float): of the elements, with "constant".

    Returns:
        Tensor of `x`'s dtype.

    Raises:
        ValueError: if "reflect" or "symmetric" needs more elements than there are.
    """
    kept = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pads, x.shape, strict=True))
    x, more = x[kept], [(max(a, 0), max(b, 0)) for a, b in pads]
    if mode == "constant":
        return jnp.pad(x, more, constant_values=jnp.asarray(value, x.dtype))
    for (a, b), n in zip(more, x.shape, strict=True):
        if mode != "replicate" and max(a, b) > n - (mode == "reflect"):
            raise ValueError(
                f"`Pad`: mode {mode!r} can mirror no more elements than there are. Received: {(a, b)} for {n}."
            )
    return jnp.pad(x, more, mode=_MODES[mode])


class Pad(Cell):
    """Surrounds a Tensor with elements.

    Args:
        paddings (tuple): a pair (before, after) for each dimension of the input.
        mode (str): "CONSTANT" adds zeros; "REFLECT" mirrors at the last element, "SYMMETRIC" behind it.

    Inputs:
        - **x** (Tensor) - with as many dimensions as there are pairs.

    Outputs:
        Tensor of the input's dtype.

    Raises:
        TypeError: if `paddings` is not a tuple.
        ValueError: if it holds other than pairs, or for another `mode`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.Pad(((0, 0), (1, 2)))(ms.Tensor([[5.0]])))
        [[0. 5. 0. 0.]]
    """

    def __init__(self, paddings: tuple, mode: str = "CONSTANT") -> None:
        super().__init__()
        parameter_init.check_numbers("Pad", tuple, paddings=paddings)
        parameter_init.check_choice("Pad", ("CONSTANT", "REFLECT", "SYMMETRIC"), mode=mode)
        for pair in paddings:
            if len(pair) != 2:
                raise ValueError(f"`Pad`: argument `paddings` must hold pairs. Received: {paddings}.")
        self.paddings = tuple(tuple(pair) for pair in paddings)
        self.mode = mode
        self._pairs = self.paddings  # of the operator: `pad.paddings = ...` changes nothing, as in MindSpore

    def construct(self, x: Any) -> Any:
        """Return the input, surrounded."""
        if len(self._pairs) != x.ndim:
            raise ValueError(
                f"`Pad`: the input must have {len(self._pairs)} dimensions. Received: {x.shape}."
            )
        return pad_dimensions(x, self._pairs, self.mode.lower())


def _pairs_of(sides: tuple) -> tuple:
    """Return (left, right, top, bottom, ...) as pairs, those of the last dimension last."""
    return tuple(zip(sides[::2], sides[1::2], strict=True))[::-1]


class _Sides(Cell):
    """Elements at the sides of the last `dims` dimensions.

    Args:
        padding (int, tuple): how many on all sides; or (left, right, top, bottom, front, back), as far as there are
            dimensions, of which negative ones cut off (not where the elements are mirrored).

    Raises:
        TypeError: if `padding` holds other than ints.
        ValueError: if it has another length.
    """

    dims = 2
    mode = "constant"

    value: float = 0.0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        name, n = type(self).__name__, self.dims
        parameter_init.check_numbers(name, int, tuple, padding=padding)
        sides = padding if isinstance(padding, tuple) else (padding,) * (2 * n)
        if len(sides) % 2 or len(sides) > 2 * n or not sides:
            raise ValueError(
                f"`{name}`: argument `padding` must be an int or {2 * n} of them. Received: {padding}."
            )
        parameter_init.check_numbers(name, int, **{f"padding[{i}]": side for i, side in enumerate(sides)})
        if self.mode == "reflect" and min(sides) < 0:
            raise ValueError(f"`{name}`: argument `padding` must not be negative. Received: {padding}.")
        # As MindSpore keeps it: where elements are mirrored in pairs and from the first dimension on.
        self.padding = [list(pair) for pair in _pairs_of(sides)] if self.mode == "reflect" else sides

    def construct(self, x: Any) -> Any:
        """Return the input, surrounded."""
        given: Any = self.padding
        pairs = tuple(map(tuple, given)) if self.mode == "reflect" else _pairs_of(given)
        lead = x.ndim - len(pairs)
        if lead < 0:
            raise ValueError(
                f"`{type(self).__name__}`: the input has too few dimensions. Received: {x.shape}."
            )
        return pad_dimensions(x, (*((0, 0),) * lead, *pairs), self.mode, self.value)


@documented_by(_Sides)
class _Constant(_Sides):
    """A number at the sides.

    Args:
        value (int, float): the number.
    """

    def __init__(self, padding: Any, value: float) -> None:
        if not isinstance(value, int | float):
            raise TypeError(
                f"`{type(self).__name__}`: argument `value` must be a number. Received: {value!r}."
            )
        super().__init__(padding)
        self.value = value


@documented_by(_Constant)
class ConstantPad1d(_Constant):
    """A number at both ends of the last dimension.

    Inputs:
        - **x** (Tensor) - of shape (..., L).

    Outputs:
        Tensor of shape (..., left + L + right).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ConstantPad1d((1, 2), 9.0)(ms.Tensor([5.0])))
        [9. 5. 9. 9.]
    """

    dims = 1


@documented_by(_Constant)
class ConstantPad2d(_Constant):
    """A number around the last two dimensions.

    Inputs:
        - **x** (Tensor) - of shape (..., H, W).

    Outputs:
        Tensor of shape (..., top + H + bottom, left + W + right).

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ConstantPad2d((1, 0, 0, 1), 9.0)(ms.Tensor([[5.0]])))
        [[9. 5.]
         [9. 9.]]
    """


@documented_by(_Constant)
class ConstantPad3d(_Constant):
    """A number around the last three dimensions.

    Inputs:
        - **x** (Tensor) - of shape (..., D, H, W).

    Outputs:
        Tensor, longer in the last three dimensions.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.ConstantPad3d(1, 0.5)(ms.ops.ones((1, 2, 3, 4))).shape
        (1, 4, 5, 6)
    """

    dims = 3


@documented_by(ConstantPad2d)
class ZeroPad2d(_Sides):
    """Zeros around the last two dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ZeroPad2d((1, 0, 0, 1))(ms.Tensor([[5.0]])))
        [[0. 5.]
         [0. 0.]]
    """


@documented_by(ConstantPad1d)
class ReflectionPad1d(_Sides):
    """The last dimension, mirrored at its first and last elements.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ReflectionPad1d(1)(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[2. 1. 2. 3. 2.]]
    """

    dims = 1
    mode = "reflect"


@documented_by(ConstantPad2d)
class ReflectionPad2d(_Sides):
    """The last two dimensions, mirrored at their first and last elements.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ReflectionPad2d((0, 1, 0, 0))(ms.Tensor([[[1.0, 2.0]]])))
        [[[1. 2. 1.]]]
    """

    mode = "reflect"


@documented_by(ConstantPad3d)
class ReflectionPad3d(_Sides):
    """The last three dimensions, mirrored at their first and last elements.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.ReflectionPad3d(1)(ms.ops.ones((1, 2, 3, 4))).shape
        (1, 4, 5, 6)
    """

    dims = 3
    mode = "reflect"


@documented_by(ConstantPad1d)
class ReplicationPad1d(_Sides):
    """The last dimension, its first and last elements repeated.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ReplicationPad1d((1, 2))(ms.Tensor([[1.0, 2.0]])))
        [[1. 1. 2. 2. 2.]]
    """

    dims = 1
    mode = "replicate"


@documented_by(ConstantPad2d)
class ReplicationPad2d(_Sides):
    """The last two dimensions, their first and last elements repeated.

    Examples:
        >>> import msjax as ms
        >>> print(ms.nn.ReplicationPad2d((1, 0, 0, 0))(ms.Tensor([[[1.0, 2.0]]])))
        [[[1. 1. 2.]]]
    """

    mode = "replicate"


@documented_by(ConstantPad3d)
class ReplicationPad3d(_Sides):
    """The last three dimensions, their first and last elements repeated.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.ReplicationPad3d(1)(ms.ops.ones((1, 2, 3, 4))).shape
        (1, 4, 5, 6)
    """

    dims = 3
    mode = "replicate"
