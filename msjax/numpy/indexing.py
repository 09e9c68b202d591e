"""Indexing by position or condition (take, choose, select, where), and set functions."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.numpy.array_function import (
    as_tensor,
    define_function,
    element_dtype,
    normalize_axis,
    promote_arrays,
)
from msjax.ops.array import nonzero_unique
from msjax.ops.common import checks


def _mode(fn: str, mode: Any) -> None:
    checks.check_choice(fn, ("raise", "wrap", "clip"), mode=mode)
    if mode == "raise":
        raise NotImplementedError(
            f"`{fn}`: argument `mode` must be 'wrap' or 'clip', as in MindSpore. Received: mode='raise'."
        )


def _within(indices: Array, size: int, mode: str, low: int = 0) -> Array:
    checks.check_integer("take", indices=indices)
    return indices % size if mode == "wrap" else jnp.clip(indices, low, size - 1)


@define_function(static="axis mode")
def take(a: ArrayLike, indices: ArrayLike, axis: int | None = None, mode: str = "clip") -> Array:
    """Elements at given positions.

    Args:
        a (Tensor): of any shape.
        indices (Tensor): positions, of any shape.
        axis (int, None): along which axis. Default: None, in the flattened array.
        mode (str): what positions out of [-n, n) stand for: "clip" the nearest end, "wrap" counted round.

    Returns:
        Tensor: the axis is replaced by those of `indices`.

    Raises:
        TypeError: if the positions are not integers.
        ValueError: if `axis` is out of range.
        NotImplementedError: for the mode "raise".

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.take(ms.Tensor([4, 3, 5]), ms.Tensor([0, 2, 9])))
        [4 5 5]
    """
    _mode("take", mode)
    x = a.ravel() if axis is None else a
    at = 0 if axis is None else normalize_axis("take", a, axis)
    count = x.shape[at]
    return jnp.take(x, _within(indices, count, mode, -count) % count, at)


@define_function(static="axis")
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None) -> Array:
    """Pick elements along an axis, at separate positions for each vector.

    Args:
        arr (Tensor): of any shape.
        indices (Tensor): positions, of as many dimensions; other axes broadcast.
        axis (int, None): along which axis; None for the flattened array.

    Returns:
        Tensor of the shape of `indices`, broadcast.

    Raises:
        TypeError: if the positions are not integers.
        ValueError: if the numbers of dimensions differ, or `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.take_along_axis(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[1], [0]]), 1))
        [[2]
         [3]]
    """
    checks.check_integer("take_along_axis", indices=indices)
    x = arr.ravel() if axis is None else arr
    if x.ndim != indices.ndim:
        checks.fail(
            ValueError, "take_along_axis", "indices", f"have {x.ndim} dimensions", f"shape {indices.shape}"
        )
    return jnp.take_along_axis(x, indices, 0 if axis is None else normalize_axis("take_along_axis", x, axis))


@define_function(plain="choices", static="mode")
def _choose(a: ArrayLike, choices: Any, mode: str) -> Array:
    checks.check_broadcastable("choose", a=a, **{f"choices[{i}]": c for i, c in enumerate(choices)})
    shape = jnp.broadcast_shapes(a.shape, *[c.shape for c in choices])
    stacked = jnp.stack([jnp.broadcast_to(c, shape) for c in promote_arrays("choose", *choices)])
    places = jnp.broadcast_to(_within(a, len(choices), mode), shape)
    return jnp.take_along_axis(stacked, places[None], 0)[0]


def choose(a: Any, choices: Any, mode: str = "clip") -> Tensor:
    """Pick each element from one of several arrays, by its number in `a`.

    Args:
        a (Tensor, int, list, tuple): the number of the array to take each element of.
        choices (tuple, list, Tensor): the arrays, of shapes that broadcast with `a`.
        mode (str): what numbers out of range stand for: "clip" the nearest end, "wrap" counted round.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        TypeError: if `a` is not of an integer dtype.
        ValueError: if the shapes do not broadcast.
        NotImplementedError: for the mode "raise".

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.choose([1, 0, 1], [[1, 2, 3], [10, 20, 30]]))
        [10  2 30]
    """
    _mode("choose", mode)
    given = list(choices) if isinstance(choices, Tensor) and choices.ndim else choices
    return _choose(a, [as_tensor("choose", "choices", c) for c in given], mode)


@define_function
def _where(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> Array:
    checks.check_broadcastable("where", condition=condition, x=x, y=y)
    return jnp.where(condition.astype(bool), *promote_arrays("where", x, y))


def where(condition: Any, x: Any = None, y: Any = None) -> Tensor:
    """Elements of one array where a condition holds, of another one elsewhere.

    Args:
        condition (Tensor, bool, list, tuple): of any shape; what is not 0 is true.
        x (Tensor, number, list, tuple): of a shape that broadcasts.
        y (Tensor, number, list, tuple): of a shape that broadcasts.

    Returns:
        Tensor of the broadcast shape and promoted dtype.

    Raises:
        TypeError: if `x` or `y` is missing: MindSpore has no form without them (see `argwhere`).
        ValueError: if the shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.where(ms.Tensor([True, False]), ms.Tensor([1, 2]), 0))
        [1 0]
    """
    return _where(condition, x, y)


@define_function(plain="condlist choicelist")
def _select(condlist: Any, choicelist: Any, default: ArrayLike) -> Array:
    *choices, default = promote_arrays("select", *choicelist, default)
    checks.check_broadcastable(
        "select", **{f"choicelist[{i}]": c for i, c in enumerate([*condlist, *choices, default])}
    )
    result = default
    for condition, choice in zip(condlist[::-1], choices[::-1], strict=True):
        result = jnp.where(condition.astype(bool), choice, result)
    return result


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Pick each element from the array whose condition is the first that holds.

    Args:
        condlist (list, tuple, Tensor): the conditions.
        choicelist (list, tuple, Tensor): as many arrays.
        default (number, Tensor): where no condition holds.

    Returns:
        Tensor of the broadcast shape and promoted dtype.

    Raises:
        TypeError: if an argument is none of these.
        ValueError: if the numbers differ or shapes do not broadcast.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([1, 2, 3])
        >>> print(ms.numpy.select([x < 2, x > 2], [x, x * 10]))
        [ 1  0 30]
    """
    lists = []
    for name, given in (("condlist", condlist), ("choicelist", choicelist)):
        if not isinstance(given, tuple | list | Tensor):
            checks.fail(TypeError, "select", name, "be a list of arrays", repr(given))
        lists.append([as_tensor("select", name, g) for g in given])
    if len(lists[0]) != len(lists[1]) or not lists[0]:
        checks.fail(
            ValueError, "select", "condlist", f"hold {len(lists[1])} conditions, at least one", len(lists[0])
        )
    return _select(*lists, default)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Tensor:
    """Return a function that is given by pieces.

    Args:
        x (Tensor, number, list, tuple): where.
        condlist (list, tuple): conditions, of the shape of `x`.
        funclist (list, tuple): for each condition a function or a number; one more for where none holds (otherwise 0).
        args (Any): more arguments of the functions.
        kw (Any): more keyword arguments of the functions.

    Returns:
        Tensor of the shape of `x`. Where several conditions hold, the last one counts.

    Raises:
        ValueError: if there are neither as many functions as conditions nor one more.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> print(ms.numpy.piecewise(x, [x < 0, x >= 0], [-1, lambda v: v * v]))
        [-1.  4.]
    """
    x = as_tensor("piecewise", "x", x)
    single = not isinstance(condlist, list | tuple) or (condlist and isinstance(condlist[0], bool | int))
    given = [condlist] if single and not isinstance(condlist, list | tuple) else condlist
    conditions = [as_tensor("piecewise", "condlist", c) for c in given]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        rule = f"hold {len(conditions)} or {len(conditions) + 1} functions"
        checks.fail(ValueError, "piecewise", "funclist", rule, len(funclist))
    values = [f(x, *args, **kw) if callable(f) else f for f in funclist]
    default = values.pop() if len(values) > len(conditions) else 0
    result = default
    for condition, value in zip(conditions, values, strict=True):
        result = where(condition, value, result)
    return result  # type: ignore[return-value]


def argwhere(a: Any) -> Tensor:
    """Positions of all elements that are not 0.

    Args:
        a (Tensor, list, tuple): of at least one dimension.

    Returns:
        Tensor of shape (number of elements found, number of axes), int64.

    Raises:
        ValueError: if `a` has no dimensions.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.argwhere(ms.Tensor([0, 1, 1])))
        [[1]
         [2]]
    """
    return nonzero_unique.argwhere(as_tensor("argwhere", "a", a))


@define_function(static="dims mode order")
def ravel_multi_index(multi_index: ArrayLike, dims: Any, mode: str = "clip", order: str = "C") -> Array:
    """Positions in the flattened array, from positions along each axis.

    Args:
        multi_index (Tensor, list, tuple): for each axis its positions: of shape (number of axes, ...).
        dims (tuple[int], int): the array's shape.
        mode (str): what positions out of range stand for: "clip" the nearest end, "wrap" counted round.
        order (str): "C" with the last axis fastest, "F" with the first one.

    Returns:
        Tensor, float32 as in MindSpore.

    Raises:
        TypeError: if a size is not an int.
        ValueError: if the numbers of axes differ, or `mode` or `order` is none of these.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.ravel_multi_index([[0, 1], [1, 2]], (2, 3)))
        [1. 5.]
    """
    sizes = dims if isinstance(dims, tuple) else (dims,)
    checks.check_ints("ravel_multi_index", **{f"dims[{i}]": n for i, n in enumerate(sizes)})
    for name, value, known in (("mode", mode, ("clip", "wrap")), ("order", order, ("C", "F"))):
        if value not in known:
            checks.fail(ValueError, "ravel_multi_index", name, f"be one of {known}", repr(value))
    if not multi_index.ndim or multi_index.shape[0] != len(sizes):
        checks.fail(
            ValueError,
            "ravel_multi_index",
            "multi_index",
            f"have {len(sizes)} rows",
            f"shape {multi_index.shape}",
        )
    total = jnp.zeros(multi_index.shape[1:], np.int64)
    axes = range(len(sizes)) if order == "C" else range(len(sizes) - 1, -1, -1)
    for i in axes:
        place = multi_index[i].astype(np.int64)
        place = place % sizes[i] if mode == "wrap" else jnp.clip(place, 0, sizes[i] - 1)
        total = total * sizes[i] + place
    return total.astype(np.float32)


@define_function(static="shape order")
def unravel_index(indices: ArrayLike, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """Positions along each axis, from positions in the flattened array.

    Args:
        indices (Tensor, int, list, tuple): positions; those out of range stand for the nearest end.
        shape (tuple[int], int): the array's shape.
        order (str): "C" with the last axis fastest, "F" with the first one.

    Returns:
        Tuple of Tensors, one for each axis, of the dtype of `indices`.

    Raises:
        TypeError: if the positions are not integers.
        ValueError: if `order` is none of these.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.numpy.unravel_index(ms.Tensor([3, 5]), (2, 3)))
        [1 1] [0 2]
    """
    checks.check_integer("unravel_index", indices=indices)
    if order not in ("C", "F"):
        checks.fail(ValueError, "unravel_index", "order", "be 'C' or 'F'", repr(order))
    sizes = shape if isinstance(shape, tuple) else (shape,)
    rest = jnp.clip(indices, -int(np.prod(sizes)), int(np.prod(sizes)) - 1)
    rest = jnp.where(rest < 0, rest + int(np.prod(sizes)), rest)
    found: list[Array] = []
    for size in sizes[::-1] if order == "C" else sizes:
        found.append(rest % size)
        rest = rest // size
    return tuple(found[::-1] if order == "C" else found)


def unique(x: Any, return_inverse: bool = False) -> Any:
    """Return the different elements, in the order in which they first occur, as in MindSpore.

    Args:
        x (Tensor): of any shape.
        return_inverse (bool): also return for each element, flattened, which of them it is.

    Returns:
        Tensor of one dimension, or a tuple of two.

    Raises:
        TypeError: if `x` is not a Tensor.
        RuntimeError: in compiled code, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.unique(ms.Tensor([2, 2, 1])))
        [2 1]
    """
    values, inverse = nonzero_unique.unique(as_tensor("unique", "x", x).ravel())
    return (values, inverse) if return_inverse else values


def _concrete_values(fn: str, name: str, x: Any) -> np.ndarray:
    return np.asarray(concrete(as_tensor(fn, name, x), f"the size of the result of `{fn}`")).ravel()


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Return the elements that two arrays have in common, ascending.

    Args:
        ar1 (Tensor, list, tuple): the first, flattened.
        ar2 (Tensor, list, tuple): the second, flattened.
        assume_unique (bool): whether no element occurs twice in either; saves time.
        return_indices (bool): also return where they first occur in each.

    Returns:
        Tensor of one dimension, or a tuple of three.

    Raises:
        TypeError: if a flag is not a bool.
        RuntimeError: in compiled code, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.intersect1d([1, 3, 4, 3], [3, 1, 2, 1]))
        [1 3]
    """
    checks.check_bools("intersect1d", assume_unique=assume_unique, return_indices=return_indices)
    both = _concrete_values("intersect1d", "ar1", ar1), _concrete_values("intersect1d", "ar2", ar2)
    common, first, second = np.intersect1d(*both, assume_unique, return_indices=True)
    result = Tensor(common.astype(np.result_type(both[0], both[1])))
    places = [Tensor(i.astype(np.int32)) for i in (first, second)]
    return (result, *places) if return_indices else result


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """Return the elements of one array that another does not have, ascending, or in order if they are known to differ.

    Args:
        ar1 (Tensor, list, tuple): the one, flattened.
        ar2 (Tensor, list, tuple): the other, flattened.
        assume_unique (bool): whether no element occurs twice in either.

    Returns:
        Tensor of one dimension.

    Raises:
        TypeError: if `assume_unique` is not a bool.
        RuntimeError: in compiled code, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(ms.numpy.setdiff1d([1, 2, 3, 2, 4, 1], [3, 4, 5, 6]))
        [1 2]
    """
    checks.check_bools("setdiff1d", assume_unique=assume_unique)
    return Tensor(
        np.setdiff1d(
            _concrete_values("setdiff1d", "ar1", ar1),
            _concrete_values("setdiff1d", "ar2", ar2),
            assume_unique,
        )
    )


def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements of an array, or along an axis.

    Args:
        a (Tensor, number, list, tuple): of any shape.
        axis (int, None): Default: None, all.

    Returns:
        int.

    Raises:
        TypeError: if `axis` is not an int.
        ValueError: if `axis` is out of range.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.size([[1, 2], [3, 4]], 0)
        2
    """
    x = as_tensor("size", "a", a)
    return int(x.size) if axis is None else int(x.shape[checks.normalize_axis("size", x.ndim, axis=axis)])


def array_str(a: Tensor) -> str:
    """Return an array as text, as `print` shows it.

    Args:
        a (Tensor): of any shape.

    Returns:
        str.

    Raises:
        TypeError: if `a` is not a Tensor.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.array_str(ms.Tensor([1, 2]))
        '[1 2]'
    """
    if not isinstance(a, Tensor):
        checks.fail(TypeError, "array_str", "a", "be a Tensor", f"{a!r} ({type(a).__name__})")
    return str(a)


def _dtype(fn: str, given: Any) -> np.dtype:
    if isinstance(given, Tensor):
        return dtypes.as_np(given.dtype)
    return np.dtype(np.float32) if given is None else element_dtype(fn, given)  # type: ignore[return-value]


def promote_types(type1: Any, type2: Any) -> Any:
    """Return the smallest dtype that both can be converted to; integers and floats promote to the float.

    Args:
        type1 (mindspore.dtype, str): the one.
        type2 (mindspore.dtype, str): the other.

    Returns:
        mindspore.dtype.

    Raises:
        TypeError: if an argument is not a dtype.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.promote_types(ms.float32, ms.int64)
        mindspore.float32
    """
    one, two = _dtype("promote_types", type1), _dtype("promote_types", type2)
    met = promote_arrays("promote_types", np.zeros((), one), np.zeros((), two))  # type: ignore[arg-type]
    return dtypes.of(met[0].dtype)


def _name_dtype(kind: Any) -> Any:
    """Return a dtype under its whole name; NumPy's short ones ("i2") are understood by `result_type` alone."""
    try:
        return np.dtype(kind).name if isinstance(kind, str) else kind
    except TypeError:
        return kind


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype that arrays and dtypes promote to.

    Args:
        arrays_and_dtypes (Tensor, number, list, mindspore.dtype, str): at least one. Strings may be short, as "i2".

    Returns:
        mindspore.dtype.

    Raises:
        TypeError: if an argument is none of these.

    Examples:
        >>> import msjax as ms
        >>> ms.numpy.result_type(ms.Tensor([1], ms.int8), ms.float16)
        mindspore.float16
    """
    result: Any = None
    for given in arrays_and_dtypes:
        array = isinstance(given, list | tuple | int | float)
        kind = as_tensor("result_type", "arrays_and_dtypes", given).dtype if array else _name_dtype(given)
        found = dtypes.of(_dtype("result_type", kind))
        result = found if result is None else promote_types(result, found)
    return result
