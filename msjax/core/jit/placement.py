"""Placement: how the arrays of a compiled program lie on many devices, and the compiler communicates (GSPMD).

A program for several devices is the program for one, with `lax.with_sharding_constraint` around its arguments and state.
Values are those of one device; where nothing was asked for, no program has any of this.
"""

import functools
import logging
import math
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax.extend.core import Jaxpr, Var
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from msjax.config import parallel_context
from msjax.core.state import invalidate_guards, state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import resolve
from msjax.core.trace.trace import Traced
from msjax.core.xla.jaxpr_queries import inner_jaxprs
from msjax.files import strategy_file

_log = logging.getLogger(__name__)

Strategy = tuple[tuple[str, ...], ...]  # for each axis of an array, the axes of the mesh that cut it


@dataclass(frozen=True)
class Placement:
    """Rules of where the arrays of compiled programs lie.

    Attributes:
        count: number of devices; 0 for all.
        rows: what is done with the arguments of a program: True cuts each by its first axis, False leaves them whole, and a
            tuple has what `strategy_of` takes for each.
        shards_parameters: cut Parameters and what optimizers keep for them, and gather the weights where they are used.
        shard_size: into how many parts; -1 for as many as there are devices.
        threshold: bytes from which on a Parameter is cut.
        stages: of a pipeline; operators have the devices of one stage.
        optional: run on one device alone where there is no other, whatever was asked for.
        target: the devices, if they are not those of this host.
        save_file: a strategy file (`files/strategy_file.py`) to write when a program is compiled.
        load_file: one that says how Parameters lie; those that it does not have lie as they would without it.
        saves_all: write Parameters that are not trained too. Those that are cut are written in any case.
    """

    count: int = 0
    rows: bool | tuple[Any, ...] = True
    shards_parameters: bool = False
    shard_size: int = -1
    threshold: int = 0
    stages: int = 1
    optional: bool = False
    target: tuple[Any, ...] | None = None
    save_file: str = ""
    load_file: str = ""
    saves_all: bool = False

    @property
    def mesh(self) -> Mesh:
        """The devices, with an axis for each prime factor of their number.

        Raises:
            ValueError: if there are fewer devices than asked for.
        """
        return _mesh(self.count, self.stages, self.target)

    @property
    def cuts_parameters(self) -> bool:
        """True if Parameters are cut: also among the stages of a pipeline, each with as much as its own would take."""
        return self.shards_parameters or self.stages > 1

    @property
    def devices(self) -> int:
        """Number of devices of one stage."""
        return self.mesh.size // self.stages

    def sharding(self, strategy: Strategy) -> NamedSharding:
        """Return the sharding of an array whose axes are cut by these axes of the mesh."""
        entries: list[Any] = [(axes if axes[1:] else axes[0]) if axes else None for axes in strategy]
        while (
            entries and entries[-1] is None
        ):  # JAX tells P("d0") and P("d0", None) apart, and would compile again
            entries.pop()
        return NamedSharding(self.mesh, PartitionSpec(*entries))

    def replicated_sharding(self) -> NamedSharding:
        """Return the sharding of an array that every device has."""
        return NamedSharding(self.mesh, PartitionSpec())

    def cut_rows(self, shape: Sequence[int]) -> NamedSharding | None:
        """Return the sharding that cuts the first axis into as many equal parts as there can be; None if it has no two."""
        axes = self._find_dividing_axes(shape[0]) if shape else ()
        return self.sharding((axes,)) if axes else None

    def _find_dividing_axes(self, size: int, most: int = 0, taken: Sequence[str] = ()) -> tuple[str, ...]:
        axes, parts = [], 1
        for axis, factor in self.mesh.shape.items():
            more = parts * factor
            if axis not in taken and size and size % more == 0 and (not most or most % more == 0):
                axes.append(axis)
                parts = more
        return tuple(axes)

    def sharded_parameter(self, shape: Sequence[int], itemsize: int, taken: Strategy = ()) -> Strategy:
        """Return the cut of a replicated Parameter for the sharded optimizer: along the first axis that all devices divide.

        Args:
            shape: of the Parameter.
            itemsize: bytes of an element.
            taken: how it is cut already.
        """
        taken = (*taken, *((),) * (len(shape) - len(taken)))
        if math.prod(shape) * itemsize < self.threshold:
            return taken
        size = self.shard_size if self.shards_parameters else self.stages
        used = [axis for axes in taken for axis in axes]
        free = [factor for axis, factor in self.mesh.shape.items() if axis not in used]
        parts = size if size > 0 else math.prod(free)
        for i, length in enumerate(shape):
            own = math.prod(self.mesh.shape[axis] for axis in taken[i])
            axes = self._find_dividing_axes(length // own, parts, used)
            if parts > 1 and math.prod(self.mesh.shape[axis] for axis in axes) == parts:
                return (*taken[:i], (*taken[i], *axes), *taken[i + 1 :])
        return taken


@functools.cache
def _mesh(count: int, stages: int, target: tuple[object, ...] | None) -> Mesh:
    devices: Sequence[Any] = target or jax.devices()
    if count > len(devices):
        raise ValueError(f"{count} devices were asked for, and there are {len(devices)}.")
    devices = devices[: count or None]
    if len(devices) % stages:
        raise ValueError(f"`pipeline_stages`: {stages} stages must divide the {len(devices)} devices.")
    factors = [*_prime_factors(stages), *_prime_factors(len(devices) // stages)]
    return Mesh(np.array(devices).reshape(factors), tuple(f"d{i}" for i in range(len(factors))))


def _prime_factors(number: int) -> list[int]:
    found = []
    for factor in range(2, number + 1):
        while number % factor == 0:
            found.append(factor)
            number //= factor
    return found


# ---------------------------------------------------------------------- which placement counts

_everywhere: Placement | None = None


def place_everywhere(placement: Placement | None) -> None:
    """Set the placement of all programs of this process; None for one device."""
    global _everywhere
    if placement != _everywhere:
        _everywhere = placement
        invalidate_guards()


def current() -> Placement | None:
    """Return the placement of the network that is running (`AutoParallel`), or that of all programs; None for one device.

    None as well outside of compiled functions where there are several processes: each computes with its own arrays there.
    """
    wanted = state.placement or _everywhere
    if state.target is None and (wanted is None or (state.frame is None and jax.process_count() > 1)):
        return None
    return _effective(wanted)


def of_program(cells: Sequence[object]) -> Placement | None:
    """Return the placement of a program that calls these Cells, or None."""
    if state.frame is not None:
        return None  # the program around it decides
    own = (getattr(cell, "_placement", None) for cell in cells)
    return _effective(next((placement for placement in own if placement is not None), _everywhere))


def _effective(placement: Placement | None) -> Placement | None:
    if state.target is not None:
        if len(state.target) == 1:
            return None
        return replace(placement or Placement(), count=0, target=state.target)
    if placement is None:
        return None
    there = jax.device_count()
    if jax.process_count() > 1 and placement.count not in (0, there):
        raise ValueError(
            f"`device_num`: programs of several processes have all of their {there} devices. Received: {placement.count}."
        )
    if there == 1 and (placement.optional or placement.count in (0, 1)):
        for file in {placement.save_file, placement.load_file} - {""}:
            _tell_of_no_file(file)
        return None
    return placement


@functools.cache
def _tell_of_no_file(file: str) -> None:
    _log.warning("the strategy file %r is neither written nor read: on one device, nothing is cut", file)


def _follow_context(settings: dict[str, Any]) -> None:
    """Place programs as `set_auto_parallel_context` says."""
    if settings["parallel_mode"] not in ("semi_auto_parallel", "auto_parallel"):
        if _everywhere is not None and _everywhere.optional:
            place_everywhere(None)
        return
    rows = settings["dataset_strategy"]
    config = settings["parallel_optimizer_config"]
    files = settings["strategy_ckpt_config"]
    size = config.get("optimizer_weight_shard_size", settings["optimizer_weight_shard_size"])
    count = settings["device_num"]
    place_everywhere(
        Placement(
            count=count if count > 1 else 0,
            rows=not (settings["full_batch"] or rows == "full_batch")
            if isinstance(rows, str)
            else hashable_strategy(rows),
            shards_parameters=settings["enable_parallel_optimizer"],
            shard_size=size if size > 0 else -1,
            threshold=config.get("parallel_optimizer_threshold", 64) * 1024,
            stages=settings["pipeline_stages"],
            optional=True,
            save_file=files.get("save_file") or settings["strategy_ckpt_save_file"],
            load_file=files.get("load_file") or settings["strategy_ckpt_load_file"],
            saves_all=not files.get("only_trainable_params", True),
        )
    )


def hashable_strategy(strategy: Sequence[Any]) -> tuple[object, ...]:
    """Return strategies with Layouts as hashable values that `strategy_of` reads."""
    return tuple(Grid(part.to_dict()) if hasattr(part, "to_dict") else part for part in strategy)


class Grid(dict):
    """Dict of a Layout, as `to_dict` gives it; never changed, so that it can be a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self["device_matrix"], self["tensor_map"]))


parallel_context.followers.append(_follow_context)


def of_rows(arrays: Sequence[np.ndarray]) -> list[NamedSharding | None] | None:
    """Return where a batch lies: in parts on all devices if all programs of this process are data parallel, else None.

    None: to the default device.
    """
    placement = current()
    if placement is None or placement.rows is not True:
        return None
    return [placement.cut_rows(array.shape) for array in arrays]


# ---------------------------------------------------------------------- a program on many devices


class Layout:
    """Shardings of one program's inputs and results.

    Args:
        placement: the rules.
        traced: the program.
        arguments: shape and dtype of its arguments.
        captured: shape and dtype of what it captures.
    """

    def __init__(
        self,
        placement: Placement,
        traced: Traced,
        arguments: Sequence[jax.Array],
        captured: Sequence[jax.Array],
    ) -> None:
        self.placement = placement
        count = len(arguments)
        said = _find_wanted_shardings(traced.closed.jaxpr)
        kept = [
            said.get(var) for var, keep in zip(traced.closed.jaxpr.invars, traced._keep, strict=True) if keep
        ]
        self.inputs: list[list[NamedSharding]] = [
            [] if sharding is None else [sharding] for sharding in argument_shardings(placement, arguments)
        ]
        self.boxes = boxes = [slot.box for slot in traced.captured]
        of_weights: dict[str, tuple[Any, NamedSharding]] = {}
        places: dict[Any, NamedSharding] = {}
        names = {box.name for box in boxes if isinstance(box, Parameter)}
        read = strategy_file.read(placement.load_file).layouts if placement.load_file else {}
        for slot, aval, found in zip(traced.captured, captured, kept[count:], strict=True):
            if isinstance(slot.box, Parameter) and _weight_of(slot.box.name, names) is None:
                at = _parameter(placement, slot.box, aval, found, read)
                of_weights[slot.box.name] = aval, at
                places[slot.key] = at
        written = [slot for slot, present in traced.written if present]
        changed = {slot.key for slot in written}
        for slot, aval, found in zip(traced.captured, captured, kept[count:], strict=True):
            whole = []
            if not isinstance(slot.box, Parameter) and slot.key in changed:
                places[slot.key] = placement.replicated_sharding()
            if isinstance(slot.box, Parameter) and slot.key not in places:
                weight = of_weights.get(_weight_of(slot.box.name, names) or "")
                like = weight is not None and weight[0].shape == aval.shape
                places[slot.key] = (
                    weight[1] if like and weight else _parameter(placement, slot.box, aval, found, read)
                )
            # Weights are gathered where they are used; what an optimizer keeps for them stays where it is.
            elif placement.cuts_parameters and isinstance(slot.box, Parameter):
                whole = [placement.replicated_sharding() if found is None else found]
            self.inputs.append([places[slot.key], *whole] if slot.key in places else [])
        self.results: list[NamedSharding | None] = [None] * traced.outputs
        if jax.process_count() > 1 and placement.target is None:
            self.results = _own_rows(placement, traced.closed.out_avals[: traced.outputs], arguments)
        self.results += [places.get(slot.key, placement.replicated_sharding()) for slot in written]
        if placement.save_file and placement.target is None:
            self._save()

    def _parameters(self) -> Iterator[tuple[Parameter, NamedSharding]]:
        first = len(self.inputs) - len(self.boxes)
        for box, shardings in zip(self.boxes, self.inputs[first:], strict=True):
            if isinstance(box, Parameter):
                yield box, shardings[0]

    def _save(self) -> None:
        """Write the strategy file of the Parameters."""
        lying = {
            box.name: (sharding, box.ndim)
            for box, sharding in self._parameters()
            if self.placement.saves_all or box.requires_grad or not sharding.is_fully_replicated
        }
        strategy_file.note(self.placement.save_file, lying)

    def as_lists(self) -> dict[str, list[Any]]:
        """Return how Parameters lie, in MindSpore's lists: [dev_matrix, tensor_map, shape of a part, 0, True, "", shape]."""
        found = {}
        for box, sharding in self._parameters():
            layouts = strategy_file.of_sharding(box.name, sharding, box.ndim)
            part = [n // k for n, k in zip(box.shape, layouts.cuts.parts, strict=True)]
            maps = [list(dims.dim) for dims in layouts.tensor_map]
            grid = list(layouts.dev_matrix[0].dim)
            found[box.name] = [grid, maps[0] if len(maps) == 1 else maps, part, 0, True, "", list(box.shape)]
        return found

    def place(self, traced: Traced) -> None:
        """Move captured values to the program's devices, once. Otherwise JAX would in each call, and compile for both."""
        if jax.process_count() > 1:  # `spread.SpreadState` does that
            return
        slots = traced.captured
        for slot, shardings in zip(slots, self.inputs[len(self.inputs) - len(slots) :], strict=True):
            if slot.kind != "value" or not shardings or traced.argument(slot) is not None:
                continue
            box = resolve(slot.box)
            if box._view is None:
                box._value = jax.device_put(box._value, shardings[0], may_alias=False)

    def enter(self, values: Sequence[jax.Array]) -> list[jax.Array]:
        """Constrain the inputs."""
        return [
            functools.reduce(jax.lax.with_sharding_constraint, shardings, value)
            for value, shardings in zip(values, self.inputs, strict=True)
        ]

    def leave(self, results: Sequence[jax.Array]) -> list[jax.Array]:
        """Constrain the results: state lies after a step where it lay before, so that no step compiles again."""
        return [
            value if sharding is None else jax.lax.with_sharding_constraint(value, sharding)
            for value, sharding in zip(results, self.results, strict=True)
        ]


def _own_rows(
    placement: Placement, outputs: Sequence[Any], arguments: Sequence[jax.Array]
) -> list[NamedSharding | None]:
    """Return where outputs lie: each process has the rows of its part of the batch; other outputs are whole."""
    rows = {aval.shape[0] for aval in arguments if aval.shape} if placement.rows is True else set()
    cut = [
        placement.cut_rows(aval.shape) if aval.shape and aval.shape[0] in rows else None for aval in outputs
    ]
    return [placement.replicated_sharding() if sharding is None else sharding for sharding in cut]


def argument_shardings(
    placement: Placement, avals: Sequence[jax.ShapeDtypeStruct | jax.Array]
) -> list[NamedSharding | None]:
    """Return where the arguments of a program lie."""
    whole = placement.replicated_sharding()
    batch = [aval for aval in avals if not is_whole(aval)]
    if placement.rows is True:
        found = [placement.cut_rows(aval.shape) for aval in batch]
    elif placement.rows is False:
        found = [whole] * len(batch)
    elif len(placement.rows) != len(batch) and batch:
        raise StrategyError(
            f"`dataset_strategy`: there must be a strategy for each of the {len(batch)} inputs. "
            f"Received: {placement.rows}."
        )
    else:
        found = [
            placement.sharding(strategy_of("dataset_strategy", placement, given, aval.shape))
            for given, aval in zip(placement.rows, batch)  # noqa: B905 (nothing is cut where there is no batch)
        ]
    each = iter(found)
    return [whole if is_whole(aval) else next(each) for aval in avals]


_whole: dict[int, weakref.ref] = {}


def note_whole(array: jax.Array) -> None:
    """Note that an array is no batch: each process has all of it."""
    key = id(array)
    _whole[key] = weakref.ref(array, lambda _: _whole.pop(key, None))


def is_whole(array: object) -> bool:
    """Return True for arrays of `note_whole`."""
    known = _whole.get(id(array))
    return known is not None and known() is array


def _weight_of(name: str, names: set[str]) -> str | None:
    """Return the weight that an optimizer's Parameter belongs to, by its name: "moments.fc.weight" to "fc.weight"."""
    while "." in name:
        name = name.partition(".")[2]
        if name in names:
            return name
    return None


def _parameter(
    placement: Placement,
    box: Parameter,
    aval: jax.ShapeDtypeStruct | jax.Array,
    found: NamedSharding | None,
    read: dict[str, strategy_file.ParallelLayouts],
) -> NamedSharding:
    """Return where a Parameter lies: as a strategy file, the user, or else the first operator that reads it says.

    In the latter cases it is cut further if that was asked for.
    """
    if box.name in read:
        return placement.sharding(
            strategy_file.axes_of(box.name, read[box.name], aval.shape, [*placement.mesh.shape.items()])
        )
    given = box.__dict__.get("_strategy")
    strategy: Any = ()
    if callable(given):
        strategy = given(placement)
    elif given is not None:
        strategy = strategy_of(f"Parameter {box.name}", placement, given, aval.shape)
    elif found is not None:
        strategy = tuple(_axes(entry) for entry in found.spec)
    if placement.cuts_parameters:
        strategy = placement.sharded_parameter(aval.shape, aval.dtype.itemsize, strategy)
    return placement.sharding(strategy)


def _axes(entry: Any) -> tuple[str, ...]:
    return () if entry is None else entry if isinstance(entry, tuple) else (entry,)


def _find_wanted_shardings(jaxpr: Jaxpr) -> dict[Var, NamedSharding]:
    """Return the shardings that operators want inputs of a program in, by the variables of the inputs."""
    found: dict[Any, NamedSharding] = {}
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "sharding_constraint":
            found.setdefault(eqn.invars[0], eqn.params["sharding"])
            continue
        for inner in inner_jaxprs(eqn):
            if len(inner.invars) != len(eqn.invars):
                continue
            for there, sharding in _find_wanted_shardings(inner).items():
                here = [v for v, own in zip(eqn.invars, inner.invars, strict=True) if own is there]
                for var in here:
                    if not hasattr(var, "val"):
                        found.setdefault(var, sharding)
    return found


# ---------------------------------------------------------------------- strategies


def strategy_of(owner: str, placement: Placement, given: object, shape: Sequence[int]) -> Strategy:
    """Return the axes of the mesh for a strategy of MindSpore's: numbers of parts, or the `to_dict` of a Layout.

    Args:
        owner: the operator, for messages.
        placement: with the mesh.
        given: (2, 4), or a dict of a Layout.
        shape: of the array.

    Raises:
        ValueError: if the strategy does not fit the shape or the devices.
    """
    return strategies_of(owner, placement, [given], [shape], [range(len(shape))])[0]


def strategies_of(
    owner: str,
    placement: Placement,
    given: Sequence[object],
    shapes: Sequence[Sequence[int]],
    labels: Sequence[Sequence[object]],
) -> list[Strategy]:
    """Return the axes of the mesh for strategies of arrays whose axes belong together, such as the inner ones of a product.

    Args:
        owner: the operator, for messages.
        placement: with the mesh.
        given: a strategy for each array.
        shapes: of the arrays.
        labels: for each array, what its axes are called; axes of one name are cut by the same axes of the mesh.

    Raises:
        ValueError: if a strategy does not fit its array or the devices.
    """
    found = []
    named: dict[Any, tuple[str, ...]] = {}
    wanted: dict[Any, int] = {}
    for strategy, shape, names in zip(given, shapes, labels, strict=True):
        cuts = parts_of(strategy)
        if len(cuts) != len(shape):
            raise _refusal(owner, strategy, shape, f"it must have {len(shape)} numbers, one for each axis")
        for size, parts, name in zip(shape, cuts, names, strict=True):
            if isinstance(parts, bool) or not isinstance(parts, int) or parts < 1:
                raise _refusal(owner, strategy, shape, "it must have positive ints")
            if size % parts:
                raise _refusal(
                    owner, strategy, shape, f"an axis of {size} cannot be cut into {parts} equal parts"
                )
            if not isinstance(strategy, dict) and wanted.setdefault(name, parts) != parts:
                raise _refusal(
                    owner, given, shapes, "axes that belong together must be cut into as many parts"
                )
    parts = math.prod(wanted.values())
    if placement.devices % parts:
        raise _refusal(
            owner, given, shapes, f"it has {parts} parts, and there are {placement.devices} devices for them"
        )
    free = list(placement.mesh.shape.items())[len(_prime_factors(placement.stages)) :]
    for name, number in wanted.items():
        named[name], _ = _take_axes(free, number)
    for strategy, shape, names in zip(given, shapes, labels, strict=True):
        if not isinstance(strategy, dict):
            found.append(tuple(named[n] for n in names))
            continue
        found.append(_of_layout(owner, placement, strategy))
        for name, axes in zip(names, found[-1], strict=True):
            if named.setdefault(name, axes) != axes:
                raise _refusal(owner, strategy, shape, "axes that belong together must be cut alike")
    return found


def _take_axes(free: list[tuple[str, int]], number: int) -> tuple[tuple[str, ...], int]:
    """Take axes of the mesh out of `free` whose sizes make up a number; return them, and the factor that is left."""
    axes = []
    for axis in list(free):
        if number % axis[1] == 0 and number > 1:
            number //= axis[1]
            axes.append(axis[0])
            free.remove(axis)
    return tuple(axes), number


class StrategyError(RuntimeError, ValueError):
    """A strategy that does not fit. MindSpore raises the first when it compiles; other programs expect the second."""


def parts_of(strategy: Any) -> tuple[Any, ...]:
    """Return the number of parts of each axis in a strategy of MindSpore's."""
    if not isinstance(strategy, dict):
        return tuple(strategy)
    grid = _grid_of(strategy)

    def count(places: Any) -> int:
        places = places if isinstance(places, tuple) else (places,)
        return math.prod(grid[len(grid) - 1 - place] for place in places if place >= 0)

    return tuple(map(count, strategy["tensor_map"]))


def _grid_of(layout: dict[str, Any]) -> tuple[int, ...]:
    """Return the grid of devices of a Layout. "interleaved_parallel" cuts what one device computes; here it stays whole."""
    grid = layout["device_matrix"]
    return (*grid[:-1], 1) if layout.get("interleaved_parallel") else grid


def _of_layout(owner: str, placement: Placement, layout: dict[str, Any]) -> Strategy:
    """Return the axes of the mesh for a Layout: those of its grid are runs of those of the mesh."""
    grid = _grid_of(layout)
    if placement.devices % math.prod(grid):
        raise _refusal(owner, grid, (), f"the grid must divide the {placement.devices} devices")
    if (ranks := layout.get("rank_list")) is not None and list(ranks) != list(range(math.prod(grid))):
        raise NotImplementedError(f"`{owner}`: devices lie in their own order. Received: rank_list={ranks}.")
    free = list(placement.mesh.shape.items())[len(_prime_factors(placement.stages)) :]
    runs: list[tuple[str, ...]] = []
    for size in grid:
        axes, left = _take_axes(free, size)
        if left != 1:
            raise _refusal(owner, grid, (), f"the grid must divide the {placement.devices} devices")
        runs.append(axes)

    def axes_of(places: Any) -> tuple[str, ...]:
        places = places if isinstance(places, tuple) else (places,)
        return tuple(axis for place in places if place >= 0 for axis in runs[len(grid) - 1 - place])

    return tuple(map(axes_of, layout["tensor_map"]))


def _refusal(owner: str, strategy: object, shape: object, reason: str) -> StrategyError:
    shown = strategy["tensor_map"] if isinstance(strategy, dict) else strategy
    return StrategyError(f"`{owner}`: strategy {shown} does not fit the shape {shape}: {reason}.")
