"""Overloaded gather and scatter methods of Tensor: arguments decide which operator is called.

See `overloads`, whose continuation this is.
"""

# ruff: noqa: D417 - `self` is the tensor

from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.ops.array import creation, joining, scattering, shapes
from msjax.ops.array.gathering import gather as gather_slices
from msjax.ops.array.gathering import gather_elements, take_along
from msjax.ops.array.gathering import take as take_flat
from msjax.ops.array.indexing import getitem, setitem
from msjax.ops.array.slicing import selected
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.name_table import UNSET, choose_spelling
from msjax.ops.math import arithmetic, casts, comparison
from msjax.ops.math.clipping import clamp


def _order_arguments(method: str, names: tuple[str, ...], args: tuple, kwargs: dict[str, Any]) -> tuple:
    """Return arguments in the order of their names; none may be missing, doubled or unknown."""
    missing, rest = [n for n in names[len(args) :] if n not in kwargs], names[len(args) :]
    if missing or len(args) > len(names) or any(k not in rest for k in kwargs):
        found = [*map(repr, map(type, args)), *kwargs]
        received = ", ".join(found) or "none"
        raise TypeError(
            f"Failed calling {method}. `{method}`: the arguments are {', '.join(names)}. Received: {received}."
        )
    return (*args, *(kwargs[n] for n in rest))


def gather(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`gather(input_indices, axis, batch_dims=0)` for slices, `gather(dim, index)` for elements.

    Args:
        args: as above.
        kwargs: as above.
    """
    by_element = "dim" in kwargs or "index" in kwargs or (args and isinstance(args[0], int))
    return (gather_elements if by_element else gather_slices)(self, *args, **kwargs)


def take(self: Any, indices: Any = UNSET, axis: Any = None, mode: str = "clip", *, index: Any = UNSET) -> Any:
    """Slices at positions along an axis, or elements of the flattened tensor.

    Args:
        indices (Tensor): positions.
        axis (int, None): the axis. Default: the flattened tensor.
        mode (str): "clip", "wrap" or "raise", for positions outside.
        index (Tensor): positions in the flattened tensor.
    """
    if index is not UNSET:
        return take_flat(self, index)
    return take_along(self, indices, axis, mode)


@documented_by(gather)
def select(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`select(dim, index)` for one slice, `select(condition, y)` for `where(condition, self, y)`."""
    if "condition" in kwargs or (args and isinstance(args[0], Tensor)):
        condition, y = (*args, *(kwargs[k] for k in ("condition", "y") if k in kwargs))
        return comparison.where(condition, self, y)
    return selected(self, *args, **kwargs)


def scatter(
    self: Any,
    axis: Any = UNSET,
    index: Any = UNSET,
    src: Any = UNSET,
    *,
    dim: Any = UNSET,
    value: Any = UNSET,
    reduce: Any = None,
) -> Any:
    """Return the tensor with elements replaced: each of `src` goes to its own place, but to `index` along one axis.

    Args:
        axis (int): the axis.
        index (Tensor): positions.
        src (Tensor, number): new elements.
        dim (int): the axis.
        value (number): one new element for all positions.
        reduce (str, None): "add" or "multiply" to combine with what is there.
    """
    kinds = {None: "none", "none": "none", "add": "add", "multiply": "mul"}
    if reduce not in kinds:
        checks.fail(ValueError, "scatter", "reduce", "be 'add', 'multiply' or None", repr(reduce))
    new = choose_spelling(src, value)
    if not isinstance(new, Tensor):
        if reduce in (None, "none"):
            return scattering.scatter(self, choose_spelling(axis, dim), index, new)
        new = creation.full_like(index, new, dtype=self.dtype)
    return scattering.tensor_scatter_elements(self, index, new, choose_spelling(axis, dim), kinds[reduce])


@documented_by(gather)
def scatter_add(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`scatter_add(dim, index, src)` for elements, `scatter_add(indices, updates)` for slices."""
    if len(args) + len(kwargs) == 3:
        names = ("dim", "index", "src")
        dim, index, src = _order_arguments("scatter_add", names, args, kwargs)
        return scattering.scatter_add_elements(self, dim, index, src)
    return scattering.tensor_scatter_add(self, *args, **kwargs)


def index_add(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`index_add(indices, y, axis)` or `index_add(dim, index, source, alpha=1)`: slices with something added.

    Args:
        args: as above.
        kwargs: as above; `use_lock` and `check_index_bound` are accepted, without effect.
    """
    alpha = kwargs.pop("alpha", None)
    kwargs = {k: v for k, v in kwargs.items() if k not in ("use_lock", "check_index_bound")}
    if "dim" in kwargs or "source" in kwargs or (args and isinstance(args[0], int)):
        names = ("dim", "index", "source")
        dim, index, source = _order_arguments("index_add", names, args, kwargs)
        return scattering.indexed(self, index, source, dim, alpha)
    names = ("indices", "y", "axis")
    indices, y, axis = _order_arguments("index_add", names, args[:3], kwargs)
    return scattering.indexed(self, indices, y, axis, alpha)


def choose(self: Any, choices: Any, mode: str = "clip") -> Any:
    """Pick each element from the choice with its number, at the same position.

    Args:
        choices (list, tuple, Tensor): what to choose from, of shapes that broadcast.
        mode (str): what becomes of numbers outside: "clip" or "wrap"; "raise" is "clip" here.
    """
    checks.check_choice("choose", ("clip", "wrap", "raise"), mode=mode)
    listed = [c if isinstance(c, Tensor) else Tensor(c) for c in choices]
    shape = np.broadcast_shapes(tuple(self.shape), *(tuple(c.shape) for c in listed))
    stacked = joining.stack([shapes.broadcast_to(c, shape) for c in listed])
    which = shapes.broadcast_to(self, shape)
    which = arithmetic.remainder(which, len(listed)) if mode == "wrap" else clamp(which, 0, len(listed) - 1)
    return gather_elements(stacked, 0, which[None])[0]


def index_copy(self: Any, dim: int, index: Any, tensor: Any) -> Any:
    """Return the tensor with slices along an axis replaced.

    Args:
        dim (int): the axis.
        index (Tensor): positions.
        tensor (Tensor): new slices.
    """
    return scattering.indexed(self, index, tensor, dim, None, "none")


def index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Return the tensor with what `self[indices]` picks replaced, or added to.

    Args:
        indices (tuple[Tensor]): positions along the first axes.
        values (Tensor): new elements.
        accumulate (bool): add instead of replacing.
    """
    where = tuple(indices)
    if accumulate:
        places = joining.stack([casts.astype(i, dtypes.int64) for i in where], -1)
        picked = getitem(self, where)
        return scattering.tensor_scatter_add(self, places, shapes.broadcast_to(values, picked.shape))
    return setitem(self, where, values)


def put(self: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Return the tensor with elements at positions of the flattened tensor replaced, or added to.

    Args:
        index (Tensor): positions.
        source (Tensor): new elements, as many.
        accumulate (bool): add instead of replacing.
    """
    flat = shapes.reshape(self, (-1,))
    places = shapes.reshape(index, (-1, 1))
    update = scattering.tensor_scatter_add if accumulate else scattering.tensor_scatter_update
    return shapes.reshape(update(flat, places, shapes.reshape(source, (-1,))), self.shape)
