"""Tensor layouts on device meshes, and `shard`, which puts the arrays of a function there."""

import copy
import math
from collections.abc import Callable
from typing import Any

from msjax.ops.common.sharding import note_strategy, shard_function

_INTERLEAVED = "interleaved_parallel"


class Layout:
    """A grid of devices with a name for each axis; called with names, how a tensor lies on it.

    Args:
        device_matrix (tuple[int]): the shape of the grid.
        alias_name (tuple[str]): the names of its axes; "interleaved_parallel" may only be the last.
        rank_list (list[int], None): the devices in the grid's order. Default: 0, 1, 2 ...

    Raises:
        TypeError: if an argument, or an element of it, is of another type.
        ValueError: if their lengths disagree, or a name is empty, "None" or there twice.

    Examples:
        >>> from msjax.parallel import Layout
        >>> layout = Layout((2, 4), ("data", "model"))
        >>> layout("None", ("data", "model")).to_dict()["tensor_map"]
        (-1, (1, 0))
    """

    def __init__(
        self, device_matrix: tuple[int, ...], alias_name: tuple[str, ...], rank_list: list[int] | None = None
    ) -> None:
        _expect_all("device_matrix", device_matrix, tuple, int)
        _expect_all("alias_name", alias_name, tuple, str)
        _check_names(alias_name, len(device_matrix))
        devices = math.prod(device_matrix)
        if rank_list is not None:
            _expect_all("rank_list", rank_list, list, int)
            if len(rank_list) != devices:
                raise ValueError(
                    f"`Layout`: argument `rank_list` must have {devices} elements, as many as there are devices in "
                    f"{device_matrix}. Received: {len(rank_list)}."
                )
        self._device_shape = device_matrix
        self._alias_name = alias_name
        self._tensor_map: tuple | None = None
        self._rank_list = list(range(devices)) if rank_list is None else rank_list

    def __call__(self, *tensor_map: str | tuple[str, ...]) -> "Layout":
        """Return the layout of a tensor.

        Args:
            tensor_map (Union[str, tuple[str]]): for each axis of the tensor, the axes of the grid that divide it, or "None".

        Raises:
            ValueError: if a name is not one of the grid's, or is there twice.
        """
        used: list[str] = []

        def place(name: Any) -> int:
            if name == "None":
                return -1
            if name not in self._alias_name:
                raise ValueError(f"`Layout`: axis {name!r} must be one of {self._alias_name}, or 'None'.")
            if name in used:
                raise ValueError(
                    f"`Layout`: axis {name!r} must divide one axis only. Received: {tensor_map}."
                )
            used.append(name)
            return len(self._alias_name) - 1 - self._alias_name.index(name)

        made = copy.deepcopy(self)
        made._tensor_map = tuple(
            tuple(place(name) for name in names) if isinstance(names, tuple) else place(names)
            for names in tensor_map
        )
        note_strategy([1 if names == "None" else 2 for names in tensor_map])
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the layout as MindSpore writes it down: axes of the grid are counted from its last, -1 is none.

        Raises:
            ValueError: if the layout has not been called with a tensor's axes.
        """
        if self._tensor_map is None:
            raise ValueError("`Layout.to_dict`: call the layout with the names of a tensor's axes first.")
        return {
            "device_matrix": self._device_shape,
            "tensor_map": self._tensor_map,
            "interleaved_parallel": _INTERLEAVED in self._alias_name,
            "alias_name": self._alias_name,
            "rank_list": self._rank_list,
        }


def shard(fn: Callable, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None) -> Callable:
    """Set how the inputs, outputs and Parameters of a network or function are divided among devices.

    Args:
        fn (Union[Cell, Function]): the function.
        in_strategy (tuple): for each input a tuple of ints, the numbers of parts of its axes, or a Layout.
        out_strategy (tuple): the same for its outputs. Default: None, as the compiler decides.
        parameter_plan (dict): tuples of ints or Layouts by names of Parameters.

    Returns:
        A function that in (semi-)automatic parallel mode puts its arrays there. On one device `fn` itself.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a strategy does not fit the shape of its array, or the devices.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 3)
        >>> ms.shard(net, ((1, 1),)) is net
        True
    """
    return shard_function(fn, in_strategy, out_strategy, parameter_plan)


def _expect_all(argument: str, given: Any, outer: type, inner: type) -> None:
    if not isinstance(given, outer):
        raise TypeError(
            f"`Layout`: argument `{argument}` must be a {outer.__name__}. Received: {type(given).__name__}."
        )
    for element in given:
        if not isinstance(element, inner):
            raise TypeError(
                f"`Layout`: argument `{argument}` must hold elements of type {inner.__name__}. "
                f"Received: {element!r} ({type(element).__name__})."
            )


def _check_names(names: tuple[str, ...], axes: int) -> None:
    problem = None
    if len(names) != axes:
        problem = f"have {axes} names, one for each axis of `device_matrix`"
    elif not all(names) or "None" in names:
        problem = "hold no empty name and no 'None'"
    elif len(set(names)) != len(names):
        problem = "hold different names"
    elif _INTERLEAVED in names[:-1]:
        problem = f"have {_INTERLEAVED!r} as the last name only"
    if problem is not None:
        raise ValueError(f"`Layout`: argument `alias_name` must {problem}. Received: {names}.")
