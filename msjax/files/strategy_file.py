"""Strategy files, as MindSpore writes them: how the Parameters of a program are cut, for checkpoints in parts.

They are protobuf messages (proto2), or JSON if the file's name ends so:

    ParallelStrategyMap   { uint32 current_stage = 1; repeated ParallelStrategyItem = 2; repeated ParallelLayoutItem = 3 }
    ParallelStrategyItem  { string node_name = 1; { uint32 stage = 1; repeated { repeated uint32 dim = 1 } = 2 } = 2 }
    ParallelLayoutItem    { string param_name = 1; ParallelLayouts = 2 }
    ParallelLayouts       { dev_matrix = 1; tensor_map = 2; param_split_shape = 3; indices_offset = 4;  each repeated
                            { repeated dim = 1 }; field = 5; opt_weight_shard_step = 6; opt_weight_shard_size = 7 }

`dev_matrix` is a grid of processes. `tensor_map` has, for each axis of the Parameter, the axis of the grid that cuts it,
counted from the last, or -1; where several cut one, there is a list for each axis of the Parameter. An optimizer's parts
(`opt_weight_shard_size` of them) are cut from the first axis afterwards, among processes that had the same.
"""

import functools
import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from jax.sharding import NamedSharding

from msjax.files import protobuf
from msjax.files.atomic_write import write_file


class Dims(NamedTuple):
    """Numbers, named as in MindSpore's message."""

    dim: tuple[int, ...]


@dataclass(frozen=True)
class ParallelLayouts:
    """Strategy of one Parameter; attributes are those of MindSpore's message of this name."""

    dev_matrix: tuple[Dims, ...]
    tensor_map: tuple[Dims, ...]
    param_split_shape: tuple[Dims, ...] = (Dims(()),)
    indices_offset: tuple[Dims, ...] = (Dims(()),)
    field: int = 0
    opt_weight_shard_step: int = 0
    opt_weight_shard_size: int = 0

    @property
    def devices(self) -> int:
        """Number of processes of the grid."""
        return math.prod(self.dev_matrix[0].dim)

    @functools.cached_property
    def cuts(self) -> "Cuts":
        """The axes of the grid that cut each axis of the Parameter, an optimizer's parts included.

        Raises:
            NotImplementedError: for unequal parts.
            ValueError: if the grid has no processes left for the optimizer's parts.
        """
        if self.field or any(dims.dim for dims in self.param_split_shape):
            raise NotImplementedError(
                "strategy files with unequal parts (`param_split_shape`, `field`) cannot be read."
            )
        grid = [*self.dev_matrix[0].dim]
        lists = [dims.dim for dims in self.tensor_map if dims.dim]
        maps = [(place,) for dims in lists[:1] for place in dims] if len(self.tensor_map) < 2 else lists
        axes = [tuple(len(grid) - 1 - place for place in places if place >= 0) for places in maps]
        if self.opt_weight_shard_size and self.opt_weight_shard_step:
            axes[0] = (*axes[0], *_optimizer_axes(grid, axes, self.opt_weight_shard_size))
        return Cuts(tuple(grid), tuple(axes))


def _optimizer_axes(grid: list[int], axes: list[tuple[int, ...]], size: int) -> list[int]:
    """Return the innermost unused axes of the grid with `size` processes together; one axis may be split in two."""
    used = {axis for each in axes for axis in each}
    free = [axis for axis in range(len(grid)) if axis not in used and grid[axis] > 1]
    left = size if size > 0 else math.prod(grid[axis] for axis in free)
    found: list[int] = []
    for axis in reversed(free):
        if left > 1 and left < grid[axis] and grid[axis] % left == 0:
            grid[axis : axis + 1] = [grid[axis] // left, left]
            axes[:] = [tuple(a + (a > axis) for a in each) for each in axes]
            return [axis + 1, *(a + 1 for a in found)]
        if left == 1 or left % grid[axis]:
            break
        left //= grid[axis]
        found.insert(0, axis)
    if left > 1:
        raise ValueError(f"the grid {tuple(grid)} has no {size} processes for an optimizer's parts.")
    return found


class Cuts(NamedTuple):
    """A grid of processes, and for each axis of an array the axes of the grid that cut it, the outer one first."""

    grid: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]

    @property
    def parts(self) -> tuple[int, ...]:
        """Into how many parts each axis is cut."""
        return tuple(math.prod(self.grid[axis] for axis in axes) for axes in self.axes)

    def coordinates(self, rank: int) -> list[int]:
        """Return where a process stands on the grid; one beyond its end stands where the grid begins again."""
        return [int(i) for i in np.unravel_index(rank % math.prod(self.grid), self.grid)]

    def rank(self, coordinates: Sequence[int]) -> int:
        """Return the process at a place of the grid."""
        return int(np.ravel_multi_index(tuple(coordinates), self.grid)) if self.grid else 0

    def index(self, rank: int) -> tuple[int, ...]:
        """Return which part a process has, along each axis."""
        at = self.coordinates(rank)
        found = []
        for axes in self.axes:
            part = 0
            for axis in axes:
                part = part * self.grid[axis] + at[axis]
            found.append(part)
        return tuple(found)

    def slices(self, rank: int, shape: Sequence[int]) -> tuple[slice, ...]:
        """Return the part of an array that a process has.

        Raises:
            ValueError: if the array has no such parts.
        """
        if len(shape) != len(self.axes) or any(n % k for n, k in zip(shape, self.parts, strict=True)):
            raise ValueError(f"an array of shape {tuple(shape)} cannot be cut into {self.parts} parts.")
        sizes = [n // k for n, k in zip(shape, self.parts, strict=True)]
        return tuple(slice(i * n, i * n + n) for i, n in zip(self.index(rank), sizes, strict=True))

    def whole(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of an array whose parts have this shape.

        Raises:
            ValueError: if it has another number of axes.
        """
        if len(shape) != len(self.axes):
            raise ValueError(f"a part of shape {tuple(shape)} is none of an array of {len(self.axes)} axes.")
        return tuple(n * k for n, k in zip(shape, self.parts, strict=True))


WHOLE = ParallelLayouts((Dims((1,)),), (Dims(()),))  # of a program on one device


@dataclass
class StrategyFile:
    """The content of a strategy file: layouts by names of Parameters; in how many parts, by names of operators."""

    stage: int = 1
    operators: dict[str, tuple[int, tuple[Dims, ...]]] = field(default_factory=dict)
    layouts: dict[str, ParallelLayouts] = field(default_factory=dict)


# ---------------------------------------------------------------------- reading and writing


def read(path: str) -> StrategyFile:
    """Read a file.

    Raises:
        ValueError: if there is none, or it is empty or damaged.
    """
    if not os.path.isfile(path) or not os.path.getsize(path):
        raise ValueError(f"there is no strategy file {path!r}, or it is empty.")
    with open(path, "rb") as file:
        data = file.read()
    try:
        return _of_json(json.loads(data)) if path.endswith(".json") else _of_bytes(memoryview(data))
    except (protobuf.MalformedError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path!r} cannot be read as a strategy file: {error}.") from error


def write(path: str, content: StrategyFile, as_json: bool | None = None) -> None:
    """Write a file, in full or not at all: processes that share a folder write the same.

    Args:
        path: the file.
        content: of it.
        as_json: or as protobuf. Default: as the file's name ends.
    """
    as_json = path.endswith(".json") if as_json is None else as_json
    data = json.dumps(_to_json(content)).encode() if as_json else _to_bytes(content)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    write_file(path, [data], read_only=False)


_LISTS = ("dev_matrix", "tensor_map", "param_split_shape", "indices_offset")
_NUMBERS = ("field", "opt_weight_shard_step", "opt_weight_shard_size")


def _to_bytes(content: StrategyFile) -> bytes:
    message = protobuf.field

    def dims(at: int, given: Sequence[Dims]) -> bytes:
        return b"".join(message(at, b"".join(message(1, n) for n in each.dim)) for each in given)

    out = [message(1, content.stage)]
    for name, (stage, strategies) in content.operators.items():
        out.append(message(2, message(1, name) + message(2, message(1, stage) + dims(2, strategies))))
    for name, layouts in content.layouts.items():
        inner = b"".join(dims(at, getattr(layouts, key)) for at, key in enumerate(_LISTS, 1))
        inner += b"".join(message(at, getattr(layouts, key)) for at, key in enumerate(_NUMBERS, 5))
        out.append(message(3, message(1, name) + message(2, inner)))
    return b"".join(out)


def _of_bytes(data: memoryview) -> StrategyFile:
    found = StrategyFile()
    for at, value in protobuf.fields(data):
        if isinstance(value, int) is not (at == 1):
            raise protobuf.MalformedError(f"its field {at} is of another type than that of strategy files")
        if at == 1:
            found.stage = value
        elif at == 2:
            item = dict(protobuf.fields(value))
            inner = [*protobuf.fields(item[2])]
            stage = next(v for n, v in inner if n == 1)
            found.operators[bytes(item[1]).decode()] = (stage, tuple(_dims(v) for n, v in inner if n == 2))
        elif at == 3:
            item = dict(protobuf.fields(value))
            inner = [*protobuf.fields(item[2])]
            lists: dict[str, Any] = {
                key: tuple(_dims(v) for n, v in inner if n == number) for number, key in enumerate(_LISTS, 1)
            }
            numbers: dict[str, Any] = {
                key: next((protobuf.integers(v)[0] for n, v in inner if n == number), 0)
                for number, key in enumerate(_NUMBERS, 5)
            }
            found.layouts[bytes(item[1]).decode()] = ParallelLayouts(**lists, **numbers)
        else:
            raise protobuf.MalformedError(f"it has a field {at} that strategy files do not have")
    return found


def _dims(message: memoryview) -> Dims:
    return Dims(
        tuple(n for at, value in protobuf.fields(message) if at == 1 for n in protobuf.integers(value))
    )


def _to_json(content: StrategyFile) -> dict[str, Any]:
    def plain(given: Sequence[Dims]) -> Any:
        lists = [list(each.dim) for each in given]
        return lists[0] if len(lists) == 1 else lists

    return {
        "current_stage": content.stage,
        "parallel_strategy_item": {
            name: {"stage": stage, "parallel_strategy": [list(each.dim) for each in strategies]}
            for name, (stage, strategies) in content.operators.items()
        },
        "parallel_layout_item": {
            name: {key: plain(getattr(layouts, key)) for key in _LISTS}
            | {key: getattr(layouts, key) for key in _NUMBERS}
            for name, layouts in content.layouts.items()
        },
    }


def _of_json(content: dict[str, Any]) -> StrategyFile:
    def dims(given: Any) -> tuple[Dims, ...]:
        several = given and isinstance(given[0], list)
        return tuple(Dims(tuple(each)) for each in given) if several else (Dims(tuple(given)),)

    found = StrategyFile(content.get("current_stage", 1))
    for name, item in content.get("parallel_strategy_item", {}).items():
        given = item.get("parallel_strategy", ())
        found.operators[name] = item.get("stage", 0), tuple(Dims(tuple(each)) for each in given)
    for name, item in content.get("parallel_layout_item", {}).items():
        found.layouts[name] = ParallelLayouts(
            **{key: dims(item.get(key, ())) for key in _LISTS},
            **{key: item.get(key, 0) for key in _NUMBERS},
        )
    return found


# ---------------------------------------------------------------------- from and to shardings


def of_sharding(name: str, sharding: NamedSharding, ndim: int) -> ParallelLayouts:
    """Return how a sharding cuts an array.

    Args:
        name: of the array, for messages.
        sharding: over a mesh of all processes.
        ndim: number of axes of the array.

    Raises:
        NotImplementedError: if MindSpore's format has no word for it.
    """
    axes = [*sharding.mesh.shape]
    spec = [entry if isinstance(entry, tuple) else (entry,) * (entry is not None) for entry in sharding.spec]
    spec += [()] * (ndim - len(spec))
    cut_by = {axis: i for i, entry in enumerate(spec) for axis in entry}
    # Axes of the mesh that lie side by side, and cut the same side by side or cut nothing, are one axis of the grid.
    runs: list[list[str]] = []
    for axis in axes:
        before = runs[-1][-1] if runs else None
        i = cut_by.get(axis)
        same = before is not None and cut_by.get(before) == i
        if same and (i is None or spec[i].index(axis) == spec[i].index(before) + 1):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    grid = [math.prod(sharding.mesh.shape[axis] for axis in run) for run in runs] or [1]
    places = [[len(runs) - 1 - n for n, run in enumerate(runs) if run[0] in entry] for entry in spec]
    places = [
        sorted(found, key=lambda place, entry=entry: entry.index(runs[len(runs) - 1 - place][0]))
        for found, entry in zip(places, spec, strict=True)
    ]
    dev_matrix = (Dims(tuple(grid)),)
    if all(len(found) < 2 for found in places):
        return ParallelLayouts(dev_matrix, (Dims(tuple(found[0] if found else -1 for found in places)),))
    if ndim > 1:
        return ParallelLayouts(dev_matrix, tuple(Dims(tuple(found) or (-1,)) for found in places))
    # One axis that two of the grid cut could be read as two axes: the inner one is written as an optimizer's parts.
    outer, inner = places[0][:-1], places[0][-1]
    layouts = ParallelLayouts(
        dev_matrix,
        (Dims(tuple(outer)),),
        opt_weight_shard_step=math.prod(grid[len(grid) - inner :]),
        opt_weight_shard_size=grid[len(grid) - 1 - inner],
    )
    wanted = tuple(len(grid) - 1 - place for place in places[0])
    if len(outer) > 1 or layouts.cuts.axes != (wanted,):
        raise NotImplementedError(
            f"`strategy_ckpt_save_file`: strategy files have no word for how Parameter {name!r} is cut: {sharding.spec}. "
            "Give it another strategy, or save whole checkpoints without a strategy file."
        )
    return layouts


_written: dict[str, StrategyFile] = {}  # by path


def note(path: str, shardings: dict[str, tuple[NamedSharding, int]]) -> None:
    """Write how a program's Parameters are cut, beside those of programs that wrote the same file before.

    Args:
        path: the file.
        shardings: and numbers of axes, by names of Parameters.
    """
    known = _written.setdefault(path, StrategyFile())
    for name, (sharding, ndim) in shardings.items():
        layouts = of_sharding(name, sharding, ndim)
        if known.layouts and next(iter(known.layouts.values())).devices != layouts.devices:
            known.layouts.clear()
            known.operators.clear()
        known.layouts[name] = layouts
        known.operators[name] = 0, (Dims(layouts.cuts.parts),)
    write(path, known)


def axes_of(
    name: str, layouts: ParallelLayouts, shape: Sequence[int], factors: Sequence[tuple[str, int]]
) -> tuple[tuple[str, ...], ...]:
    """Return the axes of a mesh that cut the axes of a Parameter as a strategy file says.

    Args:
        name: of the Parameter, for messages.
        layouts: from the file.
        shape: of the Parameter.
        factors: the axes of the mesh, with their sizes.

    Raises:
        ValueError: if the file is for another number of devices, or another shape.
    """
    cuts = layouts.cuts
    cuts.slices(0, shape)
    devices = math.prod(size for _, size in factors)
    left = [*factors]
    runs: list[tuple[str, ...]] = []
    for size in cuts.grid:
        run = []
        while size > 1 and left and size % left[0][1] == 0:
            axis, factor = left.pop(0)
            run.append(axis)
            size //= factor
        if size > 1:
            break
        runs.append(tuple(run))
    if len(runs) < len(cuts.grid) or left:
        raise ValueError(
            f"`strategy_ckpt_load_file`: Parameter {name!r} lies on a grid {cuts.grid} of processes, and there are "
            f"{devices}."
        )
    return tuple(tuple(axis for place in axes for axis in runs[place]) for axes in cuts.axes)
