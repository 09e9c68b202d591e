"""Programs with sharded global arrays on several processes: semi-automatic parallel with one process for each device.

Each process runs the same program, with its part of the batch, and the compiler communicates. State is joint
(`joint_state`): a Parameter that is cut is whole nowhere. Who reads its value gathers it, which all processes must do.
"""

import functools
import zlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding

from msjax.core.jit.joint_state import JointState
from msjax.core.jit.placement import Layout, Placement, is_whole, note_whole, parts_of, strategy_of
from msjax.core.tensor.box import look, read_joint_values_late, write_joint
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, is_tensor, resolve, wrap
from msjax.core.xla import collectives
from msjax.core.xla.collectives import all_gather, local_array, world


def spread_arguments(where: Placement, given: Any) -> Any:
    """Return the arguments of a call, with the parts of the batch that processes have joined to one array of all.

    Args:
        where: its `rows` say which part each process has.
        given: nested Tensors and other things.

    Raises:
        ValueError: if the parts do not fit the devices.
    """
    leaves, tree = jax.tree.flatten(given, is_leaf=is_tensor)
    places = []
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and not isinstance(leaf, Parameter):
            value = resolve(leaf)._value
            if not is_whole(value):
                places.append(i)
            elif is_own(value):
                joint = make_joint(value, where.replicated_sharding(), value.shape)
                note_whole(joint)
                leaves[i] = wrap(joint)
    if places and not isinstance(where.rows, bool) and len(where.rows) != len(places):
        raise ValueError(
            f"`dataset_strategy`: there must be a strategy for each of the {len(places)} inputs of what is called. "
            f"Received: {where.rows}. Compile the whole training step, which gets all of them."
        )
    for n, i in enumerate(places):
        value = resolve(leaves[i])._value
        if is_own(value):
            leaves[i] = wrap(_spread_rows(where, value, n))
    return jax.tree.unflatten(tree, leaves)


def check_arguments(name: str, boxes: Sequence[Any]) -> None:
    """Raise NotImplementedError if a program's arguments are not joint: nobody saw its `AutoParallel` before the call."""
    own = [box for box in boxes if not isinstance(box, Parameter) and is_own(look(box))]
    if world.size > 1 and any(box.shape for box in own):
        raise NotImplementedError(
            f"`{name}`: with several processes, an `AutoParallel` must be what is called, or be inside of a Cell that is. "
            "Give it the whole training step, or give the network to `Model`."
        )


def is_own(value: object) -> bool:
    """Return True for an array of this process alone."""
    return not isinstance(value, jax.Array) or value.is_fully_addressable


def _spread_rows(where: Placement, value: Any, n: int) -> jax.Array:
    shape = value.shape
    if where.rows is False or not shape:
        return make_joint(value, where.replicated_sharding(), shape)
    if where.rows is True:
        whole = (shape[0] * world.size, *shape[1:])
        sharding = where.cut_rows(whole)
        if sharding is None:
            raise ValueError(
                f"`dataset_strategy`: a batch of {whole[0]} rows cannot be cut for {where.devices} devices."
            )
        return make_joint(value, sharding, whole)
    # A strategy is for the whole, of which a process has what lies on its devices.
    whole = tuple(size * parts for size, parts in zip(shape, parts_of(where.rows[n]), strict=True))
    sharding = where.sharding(strategy_of("dataset_strategy", where, where.rows[n], whole))
    return make_joint(value, sharding, whole)


def make_joint(value: Any, sharding: NamedSharding, shape: Sequence[int]) -> jax.Array:
    """Return the joint array of a shape from this process's `value`: the whole, or the part of its devices.

    Raises:
        ValueError: if `value` is neither.
    """
    shape = tuple(shape)
    cuts = {
        device: _bounds(index or (), shape)
        for device, index in sharding.addressable_devices_indices_map(shape).items()
    }
    starts, ends = ([0] * len(shape), shape) if value.shape == shape else _extent(list(cuts.values()))
    held = tuple(end - start for start, end in zip(starts, ends, strict=True))
    if held != value.shape:
        raise ValueError(
            f"`dataset_strategy`: of an array of shape {shape}, this process holds {held}. Received: {value.shape}."
        )
    parts = []
    for device, cut in cuts.items():
        at = tuple(slice(low - start, high - start) for (low, high), start in zip(cut, starts, strict=True))
        whole = all(high - low == size for (low, high), size in zip(cut, value.shape, strict=True))
        parts.append(jax.device_put(value if whole else value[at], device))
    return jax.make_array_from_single_device_arrays(shape, sharding, parts)


def _bounds(index: Sequence[slice], shape: Sequence[int]) -> list[tuple[int, int]]:
    """Return the bounds, along each axis, of the part that a device holds."""
    return [cut.indices(size)[:2] for cut, size in zip(index, shape, strict=True)]


def _extent(cuts: Sequence[Sequence[tuple[int, int]]]) -> tuple[list[int], list[int]]:
    """Return the bounds, along each axis, of the part that the devices of this process hold together."""
    return (
        [min(low for low, _ in axis) for axis in zip(*cuts, strict=True)],
        [max(high for _, high in axis) for axis in zip(*cuts, strict=True)],
    )


class SpreadState(JointState):
    """A program over all devices of all processes, and how the boxes' content gets into it.

    Args:
        program: of (what it replaces, what it reads, arguments), under `jax.jit`.
        layout: where its inputs and results lie.
        donated: the captured inputs that it replaces, as indices of `layout.inputs`.
        kept: those that it reads.
        outputs: how many of its results are outputs.
        replaced: the boxes of the state that the others replace.
        owners: those of them that it reads too.
        name: for `World.compare`.
    """

    def __init__(
        self,
        program: Any,
        layout: Layout,
        donated: Sequence[int],
        kept: Sequence[int],
        outputs: int,
        replaced: Sequence[Any],
        owners: Sequence[Any],
        name: str,
    ) -> None:
        super().__init__(program, outputs, replaced, owners)
        world.places = True
        self.name = name
        places = [
            shardings[0] if shardings else layout.placement.replicated_sharding()
            for shardings in layout.inputs
        ]
        self._shardings = [[places[i] for i in donated], [places[i] for i in kept]]
        self._replicated = layout.placement.replicated_sharding()

    def __call__(
        self, given: list[jax.Array], rest: list[jax.Array], values: Sequence[jax.Array]
    ) -> list[jax.Array]:
        """Run the program on joint arrays; outputs are what this process holds of them."""
        if world.settle is not None:
            world.settle()
        if world.compare is not None:
            world.compare(tuple(range(world.size)), self.name)
        world.calls.note(f"the compiled function `{self.name}`")
        values = [make_joint(v, self._replicated, v.shape) if is_own(v) else v for v in values]
        results = collectives.run_in_order(self.program, given, rest, values)
        return [*map(own_part, results[: self.outputs]), *results[self.outputs :]]

    def lower(
        self, given: list[jax.Array], rest: list[jax.Array], values: list[jax.Array]
    ) -> jax.stages.Lowered:
        """Lower the program as it would be called."""
        values = [make_joint(v, self._replicated, v.shape) if is_own(v) else v for v in values]
        return self.program.lower(given, rest, values)

    def settle(self, *sides: Sequence[Any]) -> None:
        """Put Parameters where the program wants them: those that it replaces, and those that it reads."""
        for n, boxes in enumerate(sides):
            for i, box in enumerate(boxes):
                if isinstance(box, Parameter) and box._joint is None and box._view is None:
                    write_joint(box, self.enter(box._value, n == 0, i))

    def take_rest(self, boxes: Sequence[Any]) -> list[jax.Array]:
        """Return the joint arrays of the boxes that are only read."""
        self._agree_on_what_was_written(boxes)
        return super().take_rest(boxes)

    def _take_given(self, boxes: Sequence[Any]) -> list[jax.Array]:
        self._agree_on_what_was_written(boxes)
        return super()._take_given(boxes)

    def _agree_on_what_was_written(self, boxes: Sequence[Any]) -> None:
        """Raise where Parameters have values that were given in some processes alone: theirs would be mixed with the old."""
        new = [
            box
            for box in boxes
            if box._joint is None and box._agreed != box._version and isinstance(box, Parameter)
        ]
        if new:
            what = f"the compiled function `{self.name}` with new values of {_names(new)}"
            collectives.meet(what, "all processes must write, or load, a Parameter that lies on all of them")
            agree(new)

    def accepts(self, joint: jax.Array) -> bool:
        """Return True: the compiler takes joint arrays from wherever they lie."""
        return True

    def enter(self, value: Any, donated: bool, i: int) -> jax.Array:
        """Return the joint array of a whole value that each process has."""
        return make_joint(value, self._shardings[not donated][i], value.shape)

    def local(self, results: Sequence[jax.Array]) -> list[jax.Array]:
        """Return the results as whole arrays of this process, for boxes that are to have them alone."""
        self.release()
        return [*results[: self.outputs], *map(collectives.gather_whole, results[self.outputs :])]


def own_part(value: jax.Array) -> jax.Array:
    """Return the part of a joint array that this process holds, as one array of its own."""
    shards = [(_bounds(shard.index, value.shape), shard.data) for shard in value.addressable_shards]
    if len({str(cut) for cut, _ in shards}) == 1:
        return local_array(value)
    starts, ends = _extent([cut for cut, _ in shards])
    out = np.zeros([end - start for start, end in zip(starts, ends, strict=True)], value.dtype)
    for cut, data in shards:
        out[
            tuple(slice(low - start, high - start) for (low, high), start in zip(cut, starts, strict=True))
        ] = data
    return jnp.asarray(out)


def held_part(box: Any) -> np.ndarray:
    """Return a copy of what this process holds of a Parameter after a step that left it in parts; else all of it.

    One that somebody has read since is whole here, until the next step, and its part is cut from that.
    """
    box = resolve(box)
    if box._joint is not None:
        return np.array(own_part(box._joint))
    value, sharding = box._value, _sharding_in_parts(box)
    return np.array(value if sharding is None else value[held_slices(sharding, value.shape)])


def held_slices(sharding: Any, shape: Sequence[int]) -> tuple[slice, ...]:
    """Return the slices of an array of this shape that this process holds."""
    cuts = [
        _bounds(index, shape) for index in sharding.addressable_devices_indices_map(tuple(shape)).values()
    ]
    return tuple(slice(low, high) for low, high in zip(*_extent(cuts), strict=True))


def held_shape(box: Any) -> tuple[int, ...] | None:
    """Return the shape of `held_part`, for a Parameter that a step has left in parts; else None."""
    sharding = _sharding_in_parts(box)
    return (
        None if sharding is None else tuple(cut.stop - cut.start for cut in held_slices(sharding, box.shape))
    )


def place_parts(given: Sequence[tuple[Any, Any]]) -> None:
    """Make Parameters that lie in parts of what each process holds of them. All processes must call it.

    Args:
        given: Parameters, and this process's parts, of `held_shape`.

    Raises:
        RuntimeError: if another process does something else.
    """
    if given:
        what = f"loading parts of {_names([box for box, _ in given])}"
        collectives.meet(what, "each process has other parts, so all of them must load theirs")
    for box, part in given:
        sharding = _sharding_in_parts(box)
        assert sharding is not None
        write_joint(resolve(box), make_joint(part, sharding, box.shape))


def _names(boxes: Sequence[Any]) -> str:
    more = f" and {len(boxes) - 3} others" if len(boxes) > 3 else ""
    return ", ".join(box.name for box in boxes[:3]) + more


def _sharding_in_parts(box: Any) -> Any:
    box = resolve(box)
    joint = box._joint
    if joint is None:
        return getattr(box, "_last_sharding", None)
    return None if joint.is_fully_replicated else joint.sharding


# ---------------------------------------------------------------------- the same state in all processes


@functools.cache
def _gather_numbers() -> collectives.JointProgram:
    call = collectives.everybody("gather", 0)
    return collectives.JointProgram(lambda x: all_gather(x, call.ranks), [call], "the state of a program")


@functools.cache
def _broadcast_first() -> collectives.JointProgram:
    call = collectives.everybody("root", 0)
    return collectives.JointProgram(
        lambda x: collectives.broadcast(x, call.ranks, 0), [call], "the state of a program"
    )


def agree(boxes: Sequence[Any]) -> None:
    """Give all processes the values of the first, where they differ: they drew other numbers, without a common seed.

    A program takes a Parameter for the same everywhere. All processes must call this, with the same boxes.
    """
    read_joint_values_late()
    numbers = [
        0 if box._joint is not None else 1 + zlib.crc32(np.asarray(box._value).tobytes()) for box in boxes
    ]
    if not numbers:
        return
    found = np.asarray(_gather_numbers()(np.array([numbers], np.int64).view(np.int32)))
    table = np.ascontiguousarray(found).view(np.int64).reshape(world.size, len(boxes))
    for box, column in zip(boxes, table.T, strict=True):
        local = np.flatnonzero(column)
        if len(local) < world.size:
            continue  # what some hold as a joint array others have read, or written alone: `_agree_on_what_was_written`
        if len(set(column.tolist())) > 1:
            box._value = _broadcast_first()(box._value)
        box._agreed = box._version
