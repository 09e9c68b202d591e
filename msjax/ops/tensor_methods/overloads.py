"""Overloaded methods of Tensor: arguments decide which operator is called.

MindSpore has most of them twice, in its own spelling and in PyTorch's.
"""

# ruff: noqa: D417 - `self` is the tensor

import builtins
import functools
from collections.abc import Callable
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.state import state
from msjax.core.tensor import construction, scalar_inputs
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array import creation, joining, shapes, sorting, triangles_diagonals
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.name_table import UNSET, choose_spelling, make_function, spread_values
from msjax.ops.math import arithmetic, casts, fused_arithmetic
from msjax.ops.reduction import min_max, reduction
from msjax.ops.tensor_methods import operators

# ---------------------------------------------------------------------- arithmetic


def added(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """self + alpha * other.

    Args:
        other (Tensor, number): summand, of a shape that broadcasts.
        alpha (number): its factor.
    """
    plain = builtins.type(alpha) is int and alpha == 1
    return arithmetic.add(self, other) if plain else fused_arithmetic.add_scaled(self, other, alpha)


def subtracted(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """self - alpha * other.

    Args:
        other (Tensor, number): subtrahend, of a shape that broadcasts.
        alpha (number): its factor.
    """
    plain = builtins.type(alpha) is int and alpha == 1
    return arithmetic.sub(self, other) if plain else fused_arithmetic.sub_scaled(self, other, alpha)


def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """self + alpha * other.

    Args:
        other (Tensor, number, list, tuple): summand, of a shape that broadcasts; a list takes the dtype of `self`.
        alpha (number): its factor.
    """
    plain = builtins.type(alpha) is int and alpha == 1
    return operators.plus(self, other) if plain else fused_arithmetic.add_scaled(self, other, alpha)


def sub(self: Any, other: Any = UNSET, *, alpha: Any = 1, y: Any = UNSET) -> Any:
    """self - alpha * other.

    Args:
        other (Tensor, number, list, tuple): subtrahend, of a shape that broadcasts; a list takes the dtype of `self`.
        alpha (number): its factor.
        y (Tensor, number): another spelling of `other`.
    """
    other = choose_spelling(other, y)
    plain = builtins.type(alpha) is int and alpha == 1
    return operators.minus(self, other) if plain else fused_arithmetic.sub_scaled(self, other, alpha)


# ---------------------------------------------------------------------- reductions


def _sum(
    self: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    *,
    dim: Any = UNSET,
    keepdim: Any = UNSET,
) -> Any:
    """Sum over axes.

    `sum(axis, dtype, keepdims, initial)`, or `sum(dim, keepdim, dtype=...)`.

    Args:
        axis (int, tuple[int], None): axes to sum over. Default: all.
        dtype (mindspore.dtype, None): in which to sum.
        keepdims (bool): keep them with size 1.
        initial (number, None): added to the sum.
        dim (int, tuple[int], None): axes to sum over.
        keepdim (bool): keep them with size 1.
    """
    axes = choose_spelling(axis, dim, None, "`sum`: axis, dim")
    total = reduction.sum(self, axes, choose_spelling(keepdims, keepdim, False), dtype=dtype)
    if initial is None:
        return total
    total = arithmetic.add(total, initial)
    return total.astype(dtype) if dtype is dtypes.bool_ else total


@functools.wraps(_sum)
def sum(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A001
    """`_sum`, for both orders of its arguments."""
    if len(args) == 2 and isinstance(args[1], bool):
        args, kwargs = args[:1], {"keepdims": args[1], **kwargs}
    return _sum(self, *args, **kwargs)


def _extreme(both: Callable, value: Callable) -> Callable:
    """Return the extreme value by keywords."""

    def extreme(
        self: Any,
        axis: Any = None,
        keepdims: Any = False,
        *,
        initial: Any = None,
        where: Any = True,
        return_indices: bool = False,
        dim: Any = UNSET,
        keepdim: Any = UNSET,
    ) -> Any:
        # Two methods: the arguments of one have no meaning for the other.
        mine = (
            axis is not None
            or keepdims is not False
            or initial is not None
            or where is not True
            or return_indices
        )
        if dim is not UNSET:
            if dim is None or mine:
                checks.fail(TypeError, both.__name__, "dim", "be an int, beside `keepdim` alone", dim)
            return both(self, dim, False if keepdim is UNSET else keepdim)
        if keepdim is not UNSET:
            checks.fail(
                TypeError,
                both.__name__,
                "keepdim",
                "come with `dim`; beside `axis` it is `keepdims`",
                keepdim,
            )
        settings = {"initial": initial, "where": None if where is True else where}
        if initial is None and where is True:
            settings = {}
        # Of all elements, MindSpore's value has no dimensions; its value and index have them kept.
        keepdims = keepdims and (axis is not None or return_indices)
        return (both if return_indices else value)(self, axis, keepdims, **settings)

    return extreme


def _by_position(name: str, both: Callable, value: Callable) -> Callable:
    """MindSpore tells `x.max(1)`, values and indices, from `x.max(axis=1)`, values alone; in compiled functions by names."""
    by_keyword = _extreme(both, value)

    def extreme(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Tensor) and type(args[0]) not in scalar_inputs.KINDS:
            checks.fail(
                TypeError, name, "axis", "be an int", "a Tensor; `maximum` and `minimum` compare Tensors"
            )
        if (
            args
            and args[0] is not None
            and not isinstance(args[0], tuple | list)
            and not kwargs.keys() - {"keepdim"}
            and (kwargs or not state.graph)
        ):
            return both(self, args[0], *args[1:], **({"keepdims": kwargs["keepdim"]} if kwargs else {}))
        return by_keyword(self, *args, **kwargs)

    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"""The {"largest" if name == "max" else "smallest"} element of all, or along an axis.

    `x.{name}()` gives a Tensor without dimensions. `x.{name}(dim)` and `x.{name}(dim=...)` give values and indices,
    `x.{name}(axis=...)` values alone, or both with `return_indices`. In compiled functions, `x.{name}(1)` and
    `x.{name}(1, True)` give values alone, too, as in MindSpore's.

    Args:
        axis (int, tuple[int], None): axes to look along. Default: all.
        keepdims (bool): keep them with size 1; without effect on the value alone where `axis` is None.
        initial (number, None): bound of the result.
        where (Tensor): which elements count; needs `initial`.
        return_indices (bool): also where they are.
        dim (int): axis to look along.
        keepdim (bool): keep it with size 1.
    """
    return extreme


max = _by_position("max", min_max.max, min_max.amax)  # noqa: A001
min = _by_position("min", min_max.min, min_max.amin)  # noqa: A001


_argmax = make_function(
    "argmax(self: input, axis: dim | dim = None, keepdims: keepdim | keepdim = False)", min_max.argmax
)


@functools.wraps(_argmax)
def argmax(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the index of the largest element: of all; in compiled functions along the last axis, as in MindSpore's."""
    if state.graph and not args and not kwargs.keys() & {"axis", "dim"}:
        kwargs["axis"] = -1
    return _argmax(self, *args, **kwargs)


def ptp(self: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Largest less smallest element along axes.

    Args:
        axis (int, tuple[int], None): axes to look along. Default: all.
        keepdims (bool): keep them with size 1.
    """
    return arithmetic.sub(min_max.amax(self, axis, keepdims), min_max.amin(self, axis, keepdims))


def _deviation(name: str, op: Callable) -> Callable:
    def deviation(
        self: Any,
        axis: Any = None,
        ddof: Any = UNSET,
        keepdims: bool = False,
        *,
        dim: Any = UNSET,
        correction: Any = UNSET,
        keepdim: Any = UNSET,
    ) -> Any:
        if dim is not UNSET or correction is not UNSET:
            if ddof is not UNSET:
                checks.fail(TypeError, name, "ddof", "be `correction` beside `dim`", ddof)
            ddof = 1 if correction is UNSET else correction
        axes = choose_spelling(axis, dim, None, f"`{name}`: axis, dim")
        return op(self, axes, 0 if ddof is UNSET else ddof, choose_spelling(keepdims, keepdim, False))

    deviation.__name__ = deviation.__qualname__ = name
    deviation.__doc__ = f"""The {"standard deviation" if name == "std" else "variance"} over axes.

    Args:
        axis (int, tuple[int], None): axes to take it over. Default: all.
        ddof (int): what is taken off the number of elements.
        keepdims (bool): keep the axes with size 1.
        dim (int, tuple[int], None): the axes in PyTorch's spelling, with which `correction` is 1.
        correction (int): the same as `ddof`.
        keepdim (bool): the same as `keepdims`.
    """
    return deviation


std = _deviation("std", reduction.std)
var = _deviation("var", reduction.var)

# ---------------------------------------------------------------------- shapes


def transpose(self: Any, *axes: Any, dim0: Any = UNSET, dim1: Any = UNSET) -> Any:
    """Axes in another order: reversed, in the order given, or with two of them exchanged.

    Args:
        axes (int, tuple[int]): the new order; nothing for the reversed one; two for `dim0` and `dim1`.
        dim0 (int): one axis.
        dim1 (int): the other one.
    """
    if dim0 is not UNSET:
        return shapes.swapaxes(self, dim0, axes[0] if dim1 is UNSET else dim1)
    if dim1 is not UNSET:
        return shapes.swapaxes(self, axes[0], dim1)
    order = spread_values(axes) if axes else None
    if order is None:
        return shapes.reversed_axes(self)
    if len(axes) == 2:
        return shapes.swapaxes(self, *axes)
    return shapes.transpose(self, order if isinstance(order, tuple | list) else (order,))


def squeeze(self: Any, *axes: Any, axis: Any = UNSET, dim: Any = UNSET) -> Any:
    """Drop axes of size 1.

    Args:
        axes (int, tuple[int]): which. Default: all.
        axis (int, tuple[int]): another spelling.
        dim (int, tuple[int]): another spelling.
    """
    chosen = choose_spelling(axis, dim)
    axes = axes if chosen is UNSET else () if chosen is None else (chosen,)
    return shapes.squeeze(self, spread_values(axes) if axes else None)


def flatten(self: Any, order: Any = "C", *more: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Join neighbouring axes into one, by default all.

    Args:
        order (str): "C" with the last axis fastest, "F" with the first; or `start_dim`.
        more (int): `end_dim`, behind a `start_dim`.
        start_dim (int): first axis to join.
        end_dim (int): last axis to join.
    """
    if isinstance(order, int):
        order, start_dim, end_dim = "C", order, more[0] if more else end_dim
    if order == "C" and (start_dim, end_dim) == (0, -1):
        return shapes.ravel(self)
    return shapes.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


def view(self: Any, *shape_: Any, shape: Any = UNSET, dtype: Any = UNSET) -> Any:
    """Return the same elements in another shape, or the same bytes as another dtype.

    Args:
        shape_ (int, tuple[int], mindspore.dtype): the shape, or the dtype.
        shape (tuple[int]): the shape.
        dtype (mindspore.dtype): the dtype.
    """
    kind = dtype if dtype is not UNSET else shape_[0] if len(shape_) == 1 else None
    if isinstance(kind, dtypes.DType):
        _check_steps(self, kind.itemsize)
        return casts.reinterpreted(self, kind)
    wanted = spread_values(shape_) if shape is UNSET else shape
    return shapes.reshape(self, wanted if isinstance(wanted, tuple | list | Tensor) else (wanted,))


def _check_steps(self: Any, width: int) -> None:
    """Elements of another width can be seen where the last ones stand side by side, and others at multiples of it."""
    if width == self.itemsize or not self.ndim:
        return
    *steps, last = self.stride()
    times = builtins.max(width // self.itemsize, 1)
    if last != 1 or any(step % times for step in [*steps, self.storage_offset()]):
        rule = f"have elements side by side, and groups of {times} of them"
        checks.fail(ValueError, "view", "self", rule, f"a view with the steps {[*steps, last]}")


def repeat(self: Any, *repeats: Any, axis: Any = UNSET) -> Any:
    """Return the whole tensor repeated along its axes; with `axis`, as before MindSpore 2.5, each element along one.

    Args:
        repeats (int, tuple[int]): how often along each axis. Two ints of which the second is no number of times (`n, 0` and
            `n, -1`, which MindSpore 2.10 refuses, and `n, 1` of more than two axes) are a number and `axis`.
        axis (int, None): repeat each element along this axis instead.
    """
    if axis is UNSET and len(repeats) == 2 and _is_number_and_axis(*repeats, self.ndim):
        repeats, axis = repeats[:-1], repeats[-1]
    times = spread_values(repeats)
    if axis is not UNSET:
        return joining.repeat_interleave(self, times, axis)
    times = (times,) if isinstance(times, int) else tuple(times)
    if len(times) < self.ndim:
        rule = f"hold a number for each of the {self.ndim} axes (or write `axis=`, which repeats elements)"
        checks.fail(ValueError, "repeat", "repeats", rule, times)
    return shapes.tile(self, times)


def _is_number_and_axis(number: Any, axis: Any, ndim: int) -> bool:
    """Return True if two arguments of `repeat` are no times of two axes, and so those of MindSpore before 2.5."""
    return isinstance(number, list | tuple) or (isinstance(axis, int) and (axis <= 0 or ndim > 2))


def expand(self: Any, *size: Any) -> Any:
    """Repeat axes of size 1, and new axes in front, to fit a shape.

    Args:
        size (int, tuple[int]): the shape; -1 keeps the size of an axis.
    """
    return shapes.broadcast_to(
        self, spread_values(size) if len(size) != 1 or not isinstance(size[0], int) else size
    )


def _define_split(name: str, axis: int) -> Callable:
    def cut(self: Any, indices_or_sections: Any) -> Any:
        along = 0 if name == "hsplit" and self.ndim == 1 else axis
        return joining.tensor_split(self, indices_or_sections, along)

    cut.__name__ = cut.__qualname__ = name
    cut.__doc__ = f"""Parts along axis {axis} (see `tensor_split`).

    Args:
        indices_or_sections (int, tuple[int]): how many, or where to cut.
    """
    return cut


vsplit, hsplit, dsplit = _define_split("vsplit", 0), _define_split("hsplit", 1), _define_split("dsplit", 2)


def resize(self: Any, *new_shape: Any) -> Any:
    """Return the first elements in another shape, zeros where there are not enough.

    Args:
        new_shape (int, tuple[int]): the shape.
    """
    if not new_shape:
        return self
    wanted = spread_values(new_shape)
    wanted = (wanted,) if isinstance(wanted, int) else tuple(wanted)
    count = 1
    for n in wanted:
        count *= n
    flat = shapes.ravel(self)
    if count > self.size:
        flat = joining.concat((flat, creation.zeros(count - self.size, self.dtype)))
    return shapes.reshape(flat[:count], wanted)


def sum_to_size(self: Any, *size: Any) -> Any:
    """Sums over axes so that a shape remains from which broadcasting leads back to this one.

    Args:
        size (int, tuple[int]): the shape.
    """
    wanted = spread_values(size)
    wanted = (wanted,) if isinstance(wanted, int) else tuple(wanted)
    new = self.ndim - len(wanted)
    if new < 0 or any(
        n not in (1, m) for n, m in zip(wanted, self.shape[builtins.max(new, 0) :], strict=False)
    ):
        rule = f"be one that broadcasts to {tuple(self.shape)}"
        checks.fail(ValueError, "sum_to_size", "size", rule, wanted)
    over = (*range(new), *(i + new for i, n in enumerate(wanted) if n == 1))
    return shapes.reshape(reduction.reduce_sum(self, over, True), wanted) if over else self


# ---------------------------------------------------------------------- dtypes and copies


def to(
    self: Any, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, **options: Any
) -> Any:
    """Return the tensor in another dtype. JAX places arrays; of devices only "meta" has an effect (see :class:`Tensor`).

    Args:
        args: a dtype, a device name, or a Tensor whose dtype is wanted.
        dtype (mindspore.dtype): the dtype.
        device (str): a device of MindSpore's; JAX places arrays.
        other (Tensor): whose dtype is wanted.
        options: `non_blocking` and `copy`, accepted; the result is never written elsewhere.

    Raises:
        ValueError: for another device.
    """
    unknown = set(options) - {"non_blocking", "copy"}
    if unknown:
        raise TypeError(f"`to`: unknown argument {builtins.min(unknown)!r}.")
    for a in args:
        if isinstance(a, Tensor):
            dtype = a.dtype
        elif isinstance(a, str):
            device = a
        elif isinstance(a, int | float) and not isinstance(a, bool):
            raise TypeError(f"`to`: takes a device, a dtype or a Tensor. Received: {a!r}.")
        elif not isinstance(a, bool) and a is not None:
            dtype = a
    dtype = other.dtype if other is not None else dtype
    construction.check_destination("to", device)
    if device == "meta":
        return Tensor(self, dtype=dtype, device="meta")
    return self if dtype is None else casts.astype(self, dtype)


def astype(self: Any, dtype: Any, copy: bool = True) -> Any:
    """Return the tensor in another dtype, named in any way; itself if it has that already.

    Args:
        dtype: a MindSpore dtype, a NumPy dtype, a Python type or a name.
        copy (bool): accepted for MindSpore's signature, without effect.
    """
    return casts.astype(self, dtype)


def type(self: Any, dtype: Any = None) -> Any:  # noqa: A001
    """Return the name of the dtype, or the tensor in another dtype.

    Args:
        dtype (mindspore.dtype, None): the other dtype.
    """
    return str(self.dtype) if dtype is None else casts.astype(self, dtype)


_NARROW = (dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.uint8)


@documented_by(type)
def wide_sum(self: Any, dtype: Any = None) -> Any:
    """Return the tensor as its method `cumsum` takes it: in another dtype, else small integers and bools as int32."""
    if dtype is not None and dtype != self.dtype:
        return casts.astype(self, dtype)
    return casts.astype(self, dtypes.int32) if self.dtype in _NARROW else self


def diag(self: Any, diagonal: int = 0) -> Any:
    """Return an array of twice as many dimensions with this on its diagonal; with another diagonal, that of a matrix.

    Args:
        diagonal (int): 0, as for `ops.diag`. Others, which MindSpore has on Ascend alone, are those of `mint.diag`.
    """
    if diagonal == 0:
        return triangles_diagonals.diag(self)
    if self.ndim == 2:
        return triangles_diagonals.diagonal(self, diagonal)
    checks.check_rank("diag", 1, 2, self=self)
    return triangles_diagonals.diag_embed(self, diagonal)


def trace(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Return the sum of a diagonal of two axes.

    Args:
        offset (int): which diagonal: above the main one if positive.
        axis1 (int): first axis.
        axis2 (int): second axis.
        dtype (mindspore.dtype, None): of the sum. Default: the tensor's; int64 for smaller integers.
    """
    kind = self.dtype if dtype is None else dtype
    if dtype is None and dtypes.as_np(kind).kind in "iu" and kind != dtypes.uint64:
        kind = dtypes.int64
    if (offset, axis1, axis2) == (0, 0, 1) and self.ndim == 2:
        return triangles_diagonals.trace(self if kind == self.dtype else casts.astype(self, kind))
    return reduction.sum(triangles_diagonals.diagonal(self, offset, axis1, axis2), -1, dtype=kind)


def searchsorted(self: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Find the insertion points that keep this sorted sequence sorted; see `ops.searchsorted`.

    Args:
        v (Tensor, int, float, list, tuple): the values.
        side (str): "left" or "right" of equal elements.
        sorter (Tensor, None): positions that sort the sequence, if it is not sorted.

    Returns:
        Tensor of `v`'s shape, int32.

    Examples:
        >>> import msjax as ms
        >>> print(ms.Tensor([1.0, 2.0, 3.0]).searchsorted(ms.Tensor([1.5, 2.0])))
        [1 1]
    """
    v = v if isinstance(v, Tensor) else Tensor(v, self.dtype)
    return sorting.searchsorted(self, v, out_int32=True, side=side, sorter=sorter)


def copy(self: Any) -> Any:
    """Return a new tensor with the same elements, on the tape."""
    return casts.identity(self)


def new_zeros(self: Any, size: Any, dtype: Any = None, *, device: Any = None) -> Any:
    """Zeros of this dtype.

    Args:
        size (int, tuple[int]): the shape.
        dtype (mindspore.dtype, None): another dtype.
        device (str): accepted, without effect.
    """
    return creation.zeros(size, dtype or self.dtype)


@documented_by(new_zeros)
def new_ones(self: Any, size: Any, dtype: Any = None, *, device: Any = None) -> Any:
    """Ones of this dtype."""
    return creation.ones(size, dtype or self.dtype)


def new_full(self: Any, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """One number everywhere, in this dtype.

    Args:
        size (tuple[int]): the shape.
        fill_value (number): the number.
        dtype (mindspore.dtype, None): another dtype.
        device (str): accepted, without effect.
    """
    return creation.full((size,) if isinstance(size, int) else size, fill_value, dtype=dtype or self.dtype)


def fill(self: Any, value: Any) -> Any:
    """Return a tensor like this one with one number everywhere.

    Args:
        value (number, None): the number. None stands for 0.
    """
    return creation.full_like(self, 0 if value is None else value)


def zero(self: Any) -> Any:
    """Zeros like the tensor."""
    return creation.zeros_like(self)


def copied(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Return the elements of another tensor, broadcast to this shape and in this dtype.

    Args:
        src (Tensor): the other tensor.
        non_blocking (bool): accepted, without effect.
    """
    return shapes.broadcast_to(casts.astype(src, self.dtype), builtins.tuple(self.shape))
