"""Loops of converted functions as one XLA loop: the variables that it carries, and their values before and after."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core import ordered_trees
from msjax.core.control import control_flow
from msjax.core.control.branch_merge import (
    Output,
    Undefined,
    UndefinedReturnValue,
    describe,
    mismatch_error,
    number_fits,
)
from msjax.core.control.loop_aliases import Aliases, RetryWithTypes
from msjax.core.identity import is_equal
from msjax.core.state import override_state, state
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import NeedsValue, peek
from msjax.core.tensor.tensor import Tensor, twin, wrap
from msjax.core.trace import captures, trace

# Longer loops over Tensors become one XLA loop, so that programs do not grow with the data.
MOST_UNROLLED = 32
_MOST_ATTEMPTS = 8

ResultT = TypeVar("ResultT")


def copy_containers(value: object) -> object:
    """Copy lists, dicts and sets, in any nesting; return anything else as it is."""
    if type(value) is list:
        return [copy_containers(item) for item in value]
    if type(value) is dict:
        return {key: copy_containers(item) for key, item in value.items()}
    return set(value) if type(value) is set else value


def restore_containers(old: Any, new: Any) -> Any:
    """Fill the old list, dict or set with the new content, so that other names for it see the change."""
    if type(old) is not type(new) or not isinstance(old, list | dict | set):
        return new
    if isinstance(old, list):
        old[:] = new
    else:
        old.clear()
        old.update(new)
    return old


class _Start(NamedTuple):
    """Initial value to create in the outer trace: the trace that found it necessary cannot make it itself."""

    value: Any
    dtype: np.dtype
    number: bool = False

    def make_tensor(self) -> Tensor:
        box = wrap(jnp.asarray(self.value, self.dtype))
        return scalar_inputs.mark_as_number(box) if self.number else box


class _Shared(NamedTuple):
    """Tensor that an iteration changes in place: it is captured, not carried, so that its views and other names follow."""

    box: Tensor


class Carried:
    """Variables of a loop as a flat list of Tensors, and back.

    Tensors and numbers are carried; a number becomes a Tensor, of the dtype that the loop gives it. Anything else must
    come out of each iteration as it went in. A variable without a value before the loop has none at the beginning of
    each iteration.
    """

    def __init__(self, names: tuple[str, ...], before: tuple, kind: str, line: str) -> None:
        self.names, self.before, self.kind, self.line = names, list(before), kind, line
        self.born = [_numbers_among_leaves(value) for value in before]
        self.carries: Callable[[Any], bool] = _carries
        self.unshared: set[tuple[int, int]] = set()
        # Leaves that come out of an iteration as the very Tensor that went in.
        self.same: set[tuple[int, int]] = set()
        self.aliases = Aliases()

    def tensors(self) -> list[Tensor]:
        """Return the initial state: the values of the leaves, then the selectors of the Tensors that they name."""
        leaves = [leaf for value in self.before for leaf in _leaves(value) if self.carries(leaf)]
        boxes = [twin(leaf) if isinstance(leaf, Tensor) else Tensor(leaf) for leaf in leaves]
        return [*boxes, *self.aliases.start(self._list_names())]

    def _list_names(self) -> dict[tuple[int, int], Tensor]:
        """Return the leaves that are names of Tensors: an in-place change shows under all names of a Tensor."""
        return {
            (i, j): leaf
            for i, value in enumerate(self.before)
            for j, leaf in enumerate(_leaves(value))
            if isinstance(leaf, Tensor) and self.born[i][j] is None and not _is_number(leaf)
        }

    def put(self, tensors: list[Tensor]) -> tuple:
        """Return the variables with these Tensors in them."""
        named = self._list_names()
        selectors = tensors[len(tensors) - self.aliases.count() :]
        places = [
            (i, j)
            for i, value in enumerate(self.before)
            for j, leaf in enumerate(_leaves(value))
            if self.carries(leaf)
        ]
        given = dict(zip(places, tensors, strict=False))
        given |= self.aliases.put({place: given[place] for place in named}, selectors)
        each = iter([given[place] for place in places])

        def filled(leaf: object) -> object:
            if isinstance(leaf, _Shared):
                return leaf.box
            if not self.carries(leaf):
                return leaf
            return scalar_inputs.mark_as_number(next(each)) if _is_number(leaf) else next(each)

        return tuple([_map(filled, value) for value in self.before])

    def take(self, after: tuple, given: list[Tensor]) -> list[Tensor]:
        """Return the Tensors of the variables after an iteration.

        Raises:
            TypeError: if they are not like those before.
            _Adopt: if other initial values may help.
        """
        found: list[Tensor] = []
        ends: dict[tuple[int, int], Tensor] = {}
        wishes: dict[int, Any] = {}
        each = iter(given)
        for i, (name, old, new) in enumerate(zip(self.names, self.before, after, strict=True)):
            if isinstance(old, Undefined):
                continue
            # The function returns within the loop: the return variable needs a value of that type from the start.
            if isinstance(old, UndefinedReturnValue):
                if not isinstance(new, UndefinedReturnValue):
                    wishes[i] = _map(_zeros, new)
                continue
            # A list that grows has no type for XLA; if the loop's test can be known, `trace` traces again with known values.
            if _structure(old) != _structure(new):
                raise self._mismatch(name, old, new, by_value=self.kind == "while")
            for j, (was, leaf) in enumerate(zip(_leaves(old), _leaves(new), strict=True)):
                if isinstance(was, _Shared):
                    if leaf is not was.box:
                        self.unshared.add((i, j))
                        wishes[i] = _replace_leaf(wishes.get(i, old), j, was.box)
                elif _carries(was):
                    self._look(i, j, was, leaf, next(each) if self.carries(was) else None, wishes)
                    found += self._like(i, j, was, leaf, wishes)
                    ends[i, j] = leaf
                elif was is not leaf and not is_equal(was, leaf):
                    raise self._mismatch(name, was, leaf)
        if wishes:
            raise RetryWithTypes(wishes)
        return found + self.aliases.take({place: ends[place] for place in self._list_names()})

    def _look(self, i: int, j: int, was: Any, leaf: object, given: object, wishes: dict[int, object]) -> None:
        """Note if a Tensor is still the one that was given; share it if it was written in place."""
        if not self.aliases.is_unchanged((i, j), leaf):
            self.same.discard((i, j))
            return
        self.same.add((i, j))
        written = state.frame.wrote(given) or not state.frame.is_untouched(was)
        if written and (i, j) not in self.unshared:
            wishes[i] = _replace_leaf(wishes.get(i, self.before[i]), j, _Shared(was))

    def _like(self, i: int, j: int, was: object, leaf: object, wishes: dict[int, object]) -> list[Tensor]:
        """Return a leaf after an iteration as a Tensor like the one before; an empty list if it is not carried."""
        aval = peek(was) if isinstance(was, Tensor) else jax.ShapeDtypeStruct((), dtypes.scalar(was))
        if isinstance(leaf, bool | int | float | complex) and number_fits(leaf, aval):
            return [wrap(jnp.asarray(leaf, aval.dtype))] if self.carries(was) else []
        if (
            isinstance(leaf, Tensor)
            and (peek(leaf).shape, peek(leaf).dtype) == (aval.shape, aval.dtype)
            and (_is_number(leaf) or not _is_number(was))
        ):
            return [leaf] if self.carries(was) else []
        # A number before the loop may take the dtype that the first iteration gives it (`s = 0` before `s = s + x`), once
        # and for the whole loop: the loop then starts again with a Tensor of that dtype.
        number = self.born[i][j]
        if number is None or not (
            isinstance(leaf, float) or (isinstance(leaf, Tensor) and number_fits(number, peek(leaf)))
        ):
            raise self._mismatch(self.names[i], was, leaf)
        dtype = peek(leaf).dtype if isinstance(leaf, Tensor) else dtypes.scalar(leaf)
        wished = _Start(number, dtype, _is_number(leaf))
        wishes[i] = _replace_leaf(wishes.get(i, self.before[i]), j, wished)
        return []

    def _mismatch(self, name: str, old: object, new: object, by_value: bool = False) -> TypeError:
        return mismatch_error(
            f"`{self.kind}`{self.line}: Cannot join the return values of different branches: the number of iterations is "
            f"known only when the program runs, so `{name}` must keep its type, shape and dtype. Received: {_text(old)} "
            f"going in, {_text(new)} coming out. Give it that type before the loop, or use ops.Scan to collect values.",
            by_value,
        )

    def settle(
        self, attempt: Callable[[list[Tensor]], ResultT], turn: Callable[[list[Tensor]], object]
    ) -> ResultT:
        """Call `attempt` with the initial state, again with other initial values while it asks for them.

        Args:
            attempt: (initial Tensors) -> result; may raise `RetryWithTypes`.
            turn: one iteration; it is traced first with plain numbers, because Tensors that meet numbers keep their dtype
                (test_conversion.test_a_loop_keeps_the_dtype_of_tensors_that_meet_numbers).
        """
        if any(
            isinstance(n, int | float | complex) and type(n) is not bool
            for numbers in self.born
            for n in numbers
        ):
            self._learn(turn)
        for _ in range(_MOST_ATTEMPTS):
            try:
                return attempt(self.tensors())
            except RetryWithTypes as wish:
                self._adopt(wish)
        raise TypeError(f"`{self.kind}`{self.line}: its variables change their types in every iteration.")

    def _adopt(self, wish: RetryWithTypes) -> None:
        for variable, value in wish.wishes.items():
            fresh = isinstance(self.before[variable], UndefinedReturnValue)
            self.before[variable] = _map(
                lambda leaf: leaf.make_tensor() if isinstance(leaf, _Start) else leaf, value
            )
            if fresh:  # it had one leaf, and what is returned may have several
                self.born[variable] = _numbers_among_leaves(self.before[variable])

    def _learn(self, turn: Callable[[list[Tensor]], object]) -> None:
        """Trace an iteration with the numbers as they are, to see which types they take."""
        # For this one trace numbers stay Python's: `x * 2` keeps the dtype of x, where a Tensor of 2 could raise it.
        self.carries = lambda leaf: isinstance(leaf, Tensor)
        try:
            for _ in range(_MOST_ATTEMPTS):
                try:
                    trace.trace(lambda: turn(self.tensors()), (), {}, guess=captures.guess_captures(turn))
                    break
                except RetryWithTypes as wish:
                    self._adopt(wish)
        except TypeError as error:  # numbers that Tensors would not be: the loop itself will tell
            if not hasattr(error, "mismatch"):
                raise
        finally:
            self.carries = _carries

    def variables_after(self, original: tuple, tensors: list[Tensor], may_be_empty: bool) -> tuple:
        """Return the variables after the loop, which may have had no iteration."""
        why = f": it is given one only in the `{self.kind}`{self.line}, which may have no iteration. Give it one before."
        found = []
        self.aliases.end(may_be_empty)
        for i, (name, old, new) in enumerate(zip(self.names, original, self.put(tensors), strict=True)):
            if isinstance(old, Undefined):
                found.append(Undefined(name, why))
                continue
            # A Tensor that no iteration replaced is still the caller's own object.
            for j, leaf in enumerate(_leaves(old)):
                if (i, j) in self.same and isinstance(leaf, Tensor):
                    new = _replace_leaf(new, j, leaf)
            found.append(restore_containers(old, new))
        return tuple(found)


def _is_number(leaf: object) -> bool:
    return not isinstance(leaf, Tensor) or type(leaf) is scalar_inputs.Number


def _structure(value: object) -> object:
    return jax.tree.structure(ordered_trees.sortable(value), is_leaf=_is_leaf)


def _carries(leaf: object) -> bool:
    return isinstance(leaf, Tensor | bool | int | float | complex)


def _leaves(value: object) -> list[Any]:
    return jax.tree.leaves(ordered_trees.sortable(value), is_leaf=_is_leaf)


def _map(fn: Callable, value: object) -> object:
    return ordered_trees.map(fn, value, is_leaf=_is_leaf)


def _is_leaf(x: object) -> bool:
    return isinstance(x, Tensor | _Start | _Shared)


def _numbers_among_leaves(value: object) -> list[bool | int | float | complex | None]:
    """Return the leaves of a variable that are numbers before the loop, with None in place of others."""
    return [leaf if isinstance(leaf, bool | int | float | complex) else None for leaf in _leaves(value)]


def _zeros(leaf: object) -> object:
    if isinstance(leaf, Tensor):
        return _Start(np.zeros(leaf.shape), peek(leaf).dtype, _is_number(leaf))
    return type(leaf)() if isinstance(leaf, bool | int | float | complex) else leaf


def _replace_leaf(value: object, j: int, new: object) -> object:
    leaves, tree = jax.tree.flatten(ordered_trees.sortable(value), is_leaf=_is_leaf)
    leaves[j] = new
    return ordered_trees.reorder(jax.tree.unflatten(tree, leaves), ordered_trees.order(value))


def _text(value: object) -> str:
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of {len(value)} elements"
    if isinstance(value, Tensor):
        aval = peek(value)
        value = Output(0, jax.ShapeDtypeStruct(aval.shape, aval.dtype))
    return describe(value)


def run_while(
    test: Callable,
    body: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple,
    line: str,
    kind: str = "while",
) -> None:
    """Run a `while` loop whose test is known only at run time, or a `for` loop over a range of Tensors."""
    original = get_state()
    carried = Carried(names, original, kind, line)

    def turn(given: list[Tensor]) -> list[Tensor]:
        set_state(carried.put(given))
        body()
        return carried.take(get_state(), given)

    def holds(given: list[Tensor]) -> Tensor:
        set_state(carried.put(given))
        return test()

    def attempt(first: list[Tensor]) -> list[Tensor]:
        with override_state(staged=True):
            return control_flow.loop(
                turn, holds, first, "while", captures.guess_captures([body, test, list(original)])
            )

    try:
        # Tracing runs the body, which assigns the variables of the real function: they are put back in any case.
        last = carried.settle(attempt, turn)
    finally:
        set_state(original)
    set_state(carried.variables_after(original, last, may_be_empty=True))


def run_scan(
    items: Tensor | range,
    begin: int,
    body: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple,
    line: str,
) -> bool:
    """Run a `for` loop over rows of a Tensor, or over a range, from `begin` on, as one scan; False if that is impossible."""
    original = get_state()
    carried = Carried(names, original, "for", line)
    in_range = isinstance(items, range)
    items = Tensor(np.asarray(items[begin:], np.int64)) if in_range else control_flow.rows_from(items, begin)

    def turn(given: list[Tensor], row: Tensor) -> tuple:
        set_state(carried.put(given))
        body(row)
        return carried.take(get_state(), given), None

    def attempt(first: list[Tensor]) -> list[Tensor]:
        with override_state(staged=True):
            return control_flow.scan(turn, first, items)[0]

    unmet = state.unmet
    try:
        last = carried.settle(attempt, lambda given: turn(given, items[0]))
    # Then its body needs values or changes its types, and the iterations are traced one by one, as far as they go.
    except (NeedsValue, TypeError, NameError):
        state.unmet = unmet
        set_state(original)
        return False
    except Exception:
        set_state(original)
        raise
    set_state(carried.variables_after(original, last, may_be_empty=False))
    return True
