"""Entry: one compiled program of a function, its guard, and the state whose memory it may overwrite (donated buffers)."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.jit import joint_state, placement, spread
from msjax.core.state import generation, state
from msjax.core.tape import nodes as tape_nodes
from msjax.core.tensor.box import look
from msjax.core.tensor.tensor import Tensor, resolve
from msjax.core.trace import side_effects, trace
from msjax.core.xla import channels_last, collectives, compiler_options, jaxpr_queries

_LEAF = jax.tree.structure(0)


class Entry:
    """A compiled program of a function, with the guard that tells when it may be used."""

    def __init__(self, traced: trace.Traced, name: str, arguments: list[Tensor]) -> None:
        self.traced = traced
        self.mode = state.mode, state.cast
        self.linked = traced.describe_aliasing(arguments)
        read = traced.read(arguments)
        values = [look(box) for box in read]
        self.avals = [(value.shape, value.dtype) for value in values]
        self.places, self.inner = self._leaves_among_captures()
        self.placement = placement.of_program(traced.cells)
        self.layout: placement.Layout | None = None
        if self.placement is not None:
            given = [resolve(box)._value for box in arguments]
            self.layout = placement.Layout(self.placement, traced, given, values)
            if state.target is None:
                self.layout.place(traced)
                spread.check_arguments(name, arguments)
                if collectives.world.size > 1:
                    spread.agree(read)
        self.leaves = [slot.box for slot, leaf in zip(traced.captured, self.places, strict=True) if leaf]
        self.gradients = [box._grad is None for box in self.leaves]
        self.flags = self._flags()
        self.generation = generation.count
        self.guards, self.decisions = traced.guards, traced.decisions
        self.program = tape_nodes.Program(traced.fn, name)
        self._split()

    def _split(self) -> None:
        """Compile the program, donating the captured arrays whose new value has the same shape and dtype."""
        slots = self.traced.captured
        places = {slot.key: i for i, slot in enumerate(slots)}
        self.prints = jaxpr_queries.contains(self.traced.closed.jaxpr, "callback")
        # A callback can raise after memory was overwritten.
        donated = [] if self.prints else self._list_donated(places)
        kept = [i for i in range(len(slots)) if i not in set(donated)]
        self.given, self.rest = [slots[i] for i in donated], [slots[i] for i in kept]
        self.donated = {slot.key for slot in self.given}
        self._note_shortcuts()
        self._compile(self._make_run(places, donated, kept), donated, kept)

    def _list_donated(self, places: dict[tuple, int]) -> list[int]:
        """List the captures whose new value has the same shape and dtype."""
        # XLA reuses the memory of a donated input for an output of the same shape and dtype: a step holds its weights once
        # instead of twice (test_memory.test_a_compiled_step_reuses_the_memory_of_its_state).
        out_avals = iter(self.traced.closed.out_avals[self.traced.outputs :])
        donated = []
        for slot, present in self.traced.written:
            aval = next(out_avals) if present else None
            i = places.get(slot.key)
            if aval is not None and i is not None and self.avals[i] == (aval.shape, aval.dtype):
                donated.append(i)
        return donated

    def _note_shortcuts(self) -> None:
        """Decide once for all calls what they may rely on; the fast paths in `execution` and `fast_call` ask."""
        traced = self.traced
        # Where no argument stands for a captured box and no `.grad` is meant, boxes are found without looking.
        written = [slot for slot, _ in traced.written]
        self.direct = all(
            slot.kind == "value" and id(slot.box) not in traced._standins
            for slot in (*traced.captured, *written)
        )
        self.boxes = [slot.box for slot in self.given], [slot.box for slot in self.rest]
        self.replaced = [slot.box for slot in written]
        self.outputs = traced.outputs
        self.has_single_output = traced.out_tree == _LEAF and self.outputs == 1 and not traced.numbers
        self.plain = (
            self.direct
            and not traced.fails
            and not traced.marked
            and all(there for _, there in traced.written)
        )
        self.simple = (
            self.plain
            and type(self) is Entry
            and not (self.prints or traced.takes or self.guards or self.leaves)
        )

    def _make_run(
        self, places: dict[tuple, int], donated: list[int], kept: list[int]
    ) -> Callable[[list[jax.Array], list[jax.Array], list[jax.Array]], list[jax.Array]]:
        """Return the function to compile: of donated captures, the other captures, and arguments."""
        # The program takes donated arrays first, because `donate_argnums` means whole arguments; `order` undoes that.
        order = np.argsort([*donated, *kept]).tolist()
        before = self._replaced_captures(places, donated) if self.traced.fails else []
        # Convolutions want channels-last on CPU; the program is then evaluated once more in that order (`channels_last`).
        call = (
            channels_last.channels_last(self.traced.closed)
            if state.target is None and channels_last.pays_off(self.traced.closed)
            else None
        )
        layout = self.layout

        def run(given: list[jax.Array], rest: list[jax.Array], arguments: list[jax.Array]) -> list[jax.Array]:
            values: Any = *arguments, *([*given, *rest][i] for i in order)
            if layout is not None:
                values = layout.enter(values)
            captured = values[len(arguments) :]
            results = self.traced.fn(*values) if call is None else call(*self.traced.full(values))
            if before:  # memory that is overwritten gets its old content where the program fails
                failed = results[self.traced.outcome] != 0
                for at, i in before:
                    results[at] = jnp.where(failed, captured[i], results[at])
            return results if layout is None else layout.leave(results)

        run.__name__ = self.program.name
        return run

    def _compile(self, run: Callable, donated: list[int], kept: list[int]) -> None:
        """Make the compiled forms of `run`: alone, over several devices, or over several processes."""
        name = self.program.name
        options = compiler_options.of_program(self.traced.closed.jaxpr) if state.target is None else None
        calls = collectives.find_collectives(self.traced.closed.jaxpr) if collectives.world.size > 1 else []
        self.joint: joint_state.JointState | None = None
        if self.layout is not None and collectives.world.size > 1 and state.target is None:
            if calls:
                raise NotImplementedError(
                    f"`{name}`: collectives of processes cannot be called where the compiler spreads arrays over "
                    f"them. Received: {calls[0].kind} in the mode 'semi_auto_parallel' or in `AutoParallel`."
                )
            first = len(self.layout.inputs) - len(self.traced.captured)
            self.joint = spread.SpreadState(
                jax.jit(run, donate_argnums=(0,), compiler_options=options),
                self.layout,
                [first + i for i in donated],
                [first + i for i in kept],
                self.outputs,
                self.replaced,
                self.boxes[0],
                name,
            )
        elif calls:
            program = collectives.JointProgram(run, calls, name, donate=(0,))
            self.joint = joint_state.JointState(program, self.outputs, self.replaced, self.boxes[0])
        self.run = self.joint or jax.jit(run, donate_argnums=(0,), compiler_options=options)
        self.inside = jax.jit(run)  # for calls in what JAX is transforming, where no options may be

    def _replaced_captures(self, places: dict[tuple, int], donated: list[int]) -> list[tuple[int, int]]:
        """List pairs (result, capture) of indices for donated arrays and what replaces them, but for the outcome."""
        present = [slot for slot, there in self.traced.written if there]
        results = {self.traced.outputs + n: places.get(slot.key) for n, slot in enumerate(present)}
        return [(at, i) for at, i in results.items() if i in donated and at != self.traced.outcome]

    def owners(self, arguments: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        """Return the boxes whose arrays are donated to the program, and those whose arrays it only reads."""
        if self.direct:
            given, rest = self.boxes
        else:
            given, rest = (
                [_owner_of(self.traced.owner(slot, arguments), slot.kind) for slot in slots]
                for slots in (self.given, self.rest)
            )
        return [b if b._view is None else resolve(b) for b in given], [
            b if b._view is None else resolve(b) for b in rest
        ]

    def _flags(self) -> list[Any]:
        return [cell._flags() for cell in self.traced.cells]

    def _leaves_among_captures(self) -> tuple[list[bool], bool]:
        """Return one flag per capture, True for leaves with `requires_grad`; and True if any was computed on the tape."""
        nodes = [slot.box._node for slot in self.traced.captured]
        leaves = [node is not None and isinstance(node[0], tape_nodes.Leaf) for node in nodes]
        return leaves, any(node is not None and not leaf for node, leaf in zip(nodes, leaves, strict=True))

    def fits(self, arguments: list[Tensor]) -> bool:
        """Return True if this program is valid for the engine's state and these arguments."""
        # Cheapest comparisons first. Everything that the generation counts (flags, structure, shapes of captured boxes) is
        # looked at only if that has moved: it means walking over all Cells.
        if self.mode != (state.mode, state.cast) or self.traced.describe_aliasing(arguments) != self.linked:
            return False
        if self.leaves and [box._grad is None for box in self.leaves] != self.gradients:
            return False
        if self.guards and not side_effects.contents_match(self.guards):
            return False
        # In a trace a box may have another value, of which nothing is known.
        if self.decisions and (state.frame is not None or not all(d.holds() for d in self.decisions)):
            return False
        if self.generation != generation.count:
            if self._flags() != self.flags or not self._same_avals(arguments):
                return False
            if placement.of_program(self.traced.cells) != self.placement:
                return False
            # Which captured Tensors are leaves decides which gradients the program passes on.
            places, self.inner = self._leaves_among_captures()
            if places != self.places:
                return False
            self.generation = generation.count
        return True

    def _same_avals(self, arguments: list[Tensor]) -> bool:
        try:
            values = [look(box) for box in self.traced.read(arguments)]
        # A captured `.grad` that is gone has no shape.
        except LookupError:
            return False
        return [(value.shape, value.dtype) for value in values] == self.avals


def _owner_of(owner: Tensor, kind: str) -> Any:
    return owner if kind == "value" else owner._grad


class Specialised(Entry):
    """Program specialized for values of some arguments or captured Tensors, which Python needed while it was traced."""

    def fits(self, arguments: list[Tensor]) -> bool:
        """Return True if the values are the same, and this program is valid otherwise."""
        return not self.find_mismatches(arguments) and super().fits(arguments)

    def find_mismatches(self, arguments: list[Tensor]) -> list[tuple[trace.Slot, np.ndarray, np.ndarray]]:
        """List the slots whose value is not the one that the program is specialized for, as (slot, then, now)."""
        found = []
        for slot, value in self.traced.decided:
            now = trace.value_of(trace.Slot(self.traced.owner(slot, arguments), slot.kind))
            # By bytes, so that nan is equal to itself, and 0.0 is not -0.0.
            if now is None or now.shape != value.shape or now.tobytes() != value.tobytes():
                found.append((slot, value, now))
        return found
