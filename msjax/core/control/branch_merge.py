"""Merge of two traced branches into one operation: the values that they leave in variables, and their writes to boxes."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeGuard

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core import ordered_trees
from msjax.core.control.control_flow import run_branches
from msjax.core.identity import is_equal
from msjax.core.state import state
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import Case, Choice, View, is_lens_view, owns_leaf, peek, root
from msjax.core.tensor.tensor import Tensor, choice, in_dialect, is_tensor, view_again, wrap
from msjax.core.trace import trace
from msjax.core.trace.deferred_text import Text

NUMBERS = (bool, int, float, complex)


class Undefined:
    """Value of a variable that has none: reading it raises UnboundLocalError."""

    __slots__ = ("symbol_name", "why")

    def __init__(self, symbol_name: str, why: str = "") -> None:
        self.symbol_name = symbol_name
        self.why = why

    def read(self) -> NoReturn:
        """Raise UnboundLocalError.

        Raises:
            UnboundLocalError: always.
        """
        raise UnboundLocalError(
            f"local variable '{self.symbol_name}' is used before it has a value{self.why}"
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.read()

    def __repr__(self) -> str:
        return f"<{self.symbol_name} without a value>"


def mismatch_error(message: str, by_value: bool = False) -> TypeError:
    """Return the error for a variable whose types differ where they must be the same.

    Args:
        message: of the error.
        by_value: True if MindSpore accepts the program; it then runs here, too, if the condition can be known at trace time.
    """
    error: Any = TypeError(message)
    error.mismatch = True  # tells it from errors of the user's code
    error.by_value = by_value
    return error


class UndefinedReturnValue:
    """Value of the return variable before the function has reached a `return`."""


@dataclasses.dataclass(frozen=True)
class Output:
    """Array output of a traced branch, in place of the Tensor in what the branch left."""

    index: int
    aval: Any
    number: bool = False  # True if it stands for a number; see `mutable`
    source: Any = None  # what it was in the branch: see `find_sources`
    dialect: type[Tensor] = Tensor


class Mine(NamedTuple):
    """Source of a Tensor that a branch made; names for the same Tensor have equal ones."""

    box: int


class Chosen(NamedTuple):
    """Source of a Tensor that is a choice within the branch: the selector's number, and (key, source) pairs."""

    selector: int
    cases: tuple[tuple[int, Any], ...]

    def __hash__(self) -> int:
        return self.selector


class Kept(NamedTuple):
    """Source of memory that a branch made, and that only views of it show afterwards: the number of its value."""

    extra: int


@dataclasses.dataclass(frozen=True, eq=False)
class Seen:
    """Source of a view that the branch made: what it is seen from, the view, and the numbers of its lens's arrays."""

    base: Any
    view: View
    extras: tuple[int, ...]


Made = Mine | Chosen | Kept | Seen
Source = Tensor | Made
Key = int | tuple[int, object]  # equal for names of one Tensor


def find_sources(out: object) -> tuple[list[Source], list[Tensor]]:
    """Tell for each Tensor in what a branch leaves which Tensor from outside it is, may be, or shows a part of.

    Returns:
        A list with a Tensor from outside or another source for each, and the extra Tensors that sources refer to by number:
        selectors of choices, indices of views, memory under views.
    """
    leaves = jax.tree.leaves(ordered_trees.sortable(out), is_leaf=is_tensor)
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor | jax.Array)]
    return _Sources(tensors).find_tensors()


class _Sources:
    """Sources of the Tensors that a branch leaves, found with the branch's frame still open."""

    def __init__(self, tensors: Sequence[Tensor | jax.Array]) -> None:
        self.tensors = tensors
        self.known: dict[int, Source] = {}
        self.extras: list[Tensor] = []
        # How many of the Tensors show a part of memory that the branch made: views that share it with nothing are copies.
        self.left = {id(box) for box in tensors}
        self.viewers = Counter(
            id(root(box)) for box in {id(b): b for b in tensors}.values() if is_view_made_here(box)
        )

    def find_tensors(self) -> tuple[list[Source], list[Tensor]]:
        return [self.source(box) for box in self.tensors], self.extras

    def source(self, box: Tensor | jax.Array) -> Source:
        if id(box) not in self.known:
            self.known[id(box)] = self._make_source(box)
        return self.known[id(box)]

    def _make_source(self, box: Tensor | jax.Array) -> Source:
        if not isinstance(box, Tensor) or type(box) is scalar_inputs.Number:
            return Mine(id(box))
        if box._home is not state.frame:
            return box
        if isinstance(box._view, Choice):
            cases = tuple([(case.key, self.source(case.box)) for case in box._view.cases])
            if all(isinstance(found, Mine) for _, found in cases):
                return Mine(id(box))
            return Chosen(self._extra(box._view.selector), cases)
        if is_view_made_here(box):
            base = self._base(box._view.base)  # type: ignore[union-attr]
            if base is not None:
                return Seen(base, box._view, tuple([self._extra(wrap(a)) for a in box._view.lens.arrays()]))  # type: ignore[union-attr]
        return Mine(id(box))

    def _base(self, box: Tensor) -> Source | None:
        """Return the source of what a view is seen from; None if nothing else shows it."""
        outside = box if box._home is not state.frame else state.frame.original(box)
        if outside is not None:
            return outside
        if box._view is None and id(box) not in self.left:
            if self.viewers[id(box)] < 2:
                return None
            return self.known.setdefault(id(box), Kept(self._extra(box)))
        found = self.source(box)
        # A view of what nothing else shows.
        return None if isinstance(found, Mine) and id(box) not in self.left else found

    def _extra(self, box: Tensor) -> int:
        self.extras.append(box)
        return len(self.extras) - 1


def is_view_made_here(box: object) -> TypeGuard[Tensor]:
    """Return True for a view through a lens that was made in the current frame, and has no place of its own on the tape."""
    if not isinstance(box, Tensor) or box._home is not state.frame or not is_lens_view(box) or owns_leaf(box):
        return False
    return state.frame.original(box) is None and not (box._view.detached and box._node is not None)  # type: ignore[union-attr]


def outputs(traced: trace.Traced, sources: Sequence[object]) -> Any:
    """Return the result structure of a traced function, with an `Output` for every Tensor."""
    avals = iter(enumerate(traced.closed.out_avals))
    each = iter(sources)
    leaves = [
        Output(*next(avals), i in traced.numbers, next(each, None), traced.dialects.get(i, Tensor))
        if static is trace.DYNAMIC
        else static
        for i, static in enumerate(traced.statics)
    ]
    return traced.rebuild(leaves)


CONDITION = object()  # in place of the Tensor that decides


def _choose_text(condition: object, yes: object, no: object) -> str:
    return str(yes if condition else no)


class Merge:
    """Plan of a merge: which arrays of either branch, or constants, make the arrays of the result.

    Args:
        kind: the statement, for messages: "if".
        line: where it stands in the user's program, for messages.
        either: (condition, yes, no) -> a callable that stands for one of two functions.
    """

    def __init__(
        self, kind: str, line: str, either: Callable[[object, Callable, Callable], Callable]
    ) -> None:
        self.kind, self.line, self.either = kind, line, either
        self.plan: list[tuple[Any, Any]] = []
        # One flag per branch: True if what follows the `if` is skipped after it, because it ends with a jump.
        self.skips: tuple[bool, ...] = (False, False)

    def variable(self, name: str, a: object, b: object) -> object:
        """Merge the values `a` and `b` of a variable after the two branches, with `Taken` in place of merged arrays."""
        # A variable that only one branch assigns may not be read afterwards, unless the other branch jumps: then what
        # follows does not run after it, and any value of the right type will do.
        if isinstance(a, Undefined) and isinstance(b, Undefined):
            return a
        if isinstance(a, Undefined):
            return self._placeholder(name, b, first=True) if self.skips[0] else self._half(name)
        if isinstance(b, Undefined):
            return self._placeholder(name, a, first=False) if self.skips[1] else self._half(name)
        if isinstance(a, UndefinedReturnValue):
            return self._placeholder(name, b, first=True)
        if isinstance(b, UndefinedReturnValue):
            return self._placeholder(name, a, first=False)
        return self._merge(name, a, b)

    def _half(self, name: str) -> Undefined:
        return Undefined(
            name, f": it is given one in only one branch of the `{self.kind}`{self.line}. Give it one before."
        )

    def _placeholder(self, name: str, value: object, first: bool) -> Any:
        """Return the value of the branch that has one; zeros stand for the other, where it will never be read."""

        def of(leaf: object) -> object:
            if not isinstance(leaf, Output | bool | int | float | complex):
                return leaf
            aval = leaf.aval if isinstance(leaf, Output) else _aval(leaf)
            zero, source = np.zeros(aval.shape, aval.dtype), self._source(leaf, aval)
            number = _is_number(leaf)
            if first:
                return self._take(zero, source, number, (1, leaf), (1, leaf))
            return self._take(source, zero, number, (0, leaf), (0, leaf))

        return _map(of, value)

    def _take(self, a: object, b: object, number: bool, *origins: tuple[int, object]) -> "Taken":
        self.plan.append((a, b))
        sources = tuple([(which, getattr(leaf, "source", None)) for which, leaf in origins])
        aliases = not number and all(source is not None for _, source in sources)
        dialects = {leaf.dialect for _, leaf in origins if isinstance(leaf, Output)} - {Tensor}
        return Taken(
            len(self.plan) - 1, number, sources if aliases else (), dialects.pop() if dialects else Tensor
        )

    def extras(self, yes: Sequence[Output], no: Sequence[Output]) -> list[list["Taken"]]:
        """Add what sources in both branches refer to to the plan; for the branch not taken any value will do."""

        def zero(out: Output) -> np.ndarray:
            return np.zeros(out.aval.shape, out.aval.dtype)

        first = [self._take(out.index, zero(out), False) for out in yes]
        return [first, [self._take(zero(out), out.index, False) for out in no]]

    @staticmethod
    def _source(leaf: object, aval: jax.ShapeDtypeStruct) -> int | np.ndarray:
        return leaf.index if isinstance(leaf, Output) else np.asarray(leaf, aval.dtype)

    def _merge(self, name: str, a: Any, b: Any) -> Any:
        if isinstance(a, Output | bool | int | float | complex) and isinstance(
            b, Output | bool | int | float | complex
        ):
            # Equal numbers stay a Python number, `a != a` being nan: the variable can still be a size or an axis afterwards.
            if not isinstance(a, Output) and type(a) is type(b) and (a == b or (a != a and b != b)):
                return a
            aval = self._common(name, a, b)
            number = _is_number(a) and _is_number(b)
            return self._take(self._source(a, aval), self._source(b, aval), number, (0, a), (1, b))
        if type(a) is type(b) and isinstance(a, list | tuple):
            if len(a) != len(b):
                text = f"{type(a).__name__}s of {len(a)} and of {len(b)} elements"
                raise self._mismatch(name, text, by_value=True)
            parts = [self._merge(f"{name}[{i}]", *pair) for i, pair in enumerate(zip(a, b, strict=True))]
            return type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)
        if isinstance(a, dict) and isinstance(b, dict):
            if set(a) != set(b):
                raise self._mismatch(name, f"dicts with the keys {list(a)} and {list(b)}", by_value=True)
            return type(a)({key: self._merge(f"{name}[{key!r}]", a[key], b[key]) for key in a})
        if a is b or _is_same(a, b):
            return a
        # Texts of Tensors have no value yet: both are kept, with their condition, until they are printed.
        if isinstance(a, str | Text) and isinstance(b, str | Text) and not (type(a) is type(b) is str):
            yes, no = self._placeholder(name, a, first=False), self._placeholder(name, b, first=True)
            return Text(_choose_text, (CONDITION, yes, no))
        # Functions cannot be selected by XLA either; a call of the result traces both.
        if callable(a) and callable(b) and not isinstance(a, type) and not isinstance(b, type):
            yes, no = self._placeholder(name, a, first=False), self._placeholder(name, b, first=True)
            return self.either(CONDITION, yes, no)
        if type(a) is type(b) and (parts := _paired_parts(a, b)):
            tree, pairs = parts
            return jax.tree.unflatten(
                tree, [self._merge(f"{name}.{i}", *pair) for i, pair in enumerate(pairs)]
            )
        numbers = isinstance(a, bool | int | float | complex) or isinstance(b, bool | int | float | complex)
        raise self._mismatch(name, f"{describe(a)} and {describe(b)}", by_value=not numbers)

    def _common(self, name: str, a: Output | complex, b: Output | complex) -> jax.ShapeDtypeStruct:
        """Return the common shape and dtype; a number takes those of a 0-d Tensor, two numbers the wider kind."""
        if isinstance(a, Output) and isinstance(b, Output):
            if (a.aval.shape, a.aval.dtype) != (b.aval.shape, b.aval.dtype):
                same = a.aval.dtype == b.aval.dtype
                raise self._mismatch(name, f"{describe(a)} and {describe(b)}", by_value=same)
            return a.aval
        if isinstance(a, Output) or isinstance(b, Output):
            aval = a.aval if isinstance(a, Output) else b.aval  # type: ignore[union-attr]
            if not all(isinstance(x, Output) or number_fits(x, aval) for x in (a, b)):
                raise self._mismatch(name, f"{describe(a)} and {describe(b)}")
            return aval
        return max(_aval(a), _aval(b), key=lambda aval: "biufc".index(aval.dtype.kind))

    def _mismatch(self, name: str, received: str, by_value: bool = False) -> TypeError:
        return mismatch_error(
            f"`{self.kind}`{self.line}: Cannot join the return values of different branches: its condition is known only "
            f"when the program runs, so `{name}` must come out of both branches with the same type, shape and dtype. "
            f"Received: {received}. Make them alike, or choose between two Tensors with ops.where.",
            by_value,
        )


@dataclasses.dataclass(frozen=True)
class Taken:
    """Entry of a merge's plan, in place of the Tensor that will be made of it."""

    index: int
    number: bool
    sources: tuple[Any, ...] = ()  # pairs (branch, source) for true and false; none for what has no identity
    dialect: type[Tensor] = Tensor


class Merged:
    """Variables after the branches: where a branch left a Tensor from outside in one, it is that Tensor, not a copy.

    Args:
        condition: that chose between the branches.
        values: with `Taken` in place of Tensors.
        tensors: what the plan gave.
        extras: what the sources in each branch refer to.
    """

    def __init__(
        self,
        condition: Tensor,
        values: object,
        tensors: Sequence[Tensor],
        extras: Sequence[Sequence[Taken]],
    ) -> None:
        self.condition, self.tensors = condition, tensors
        self.extras = [[tensors[taken.index] for taken in each] for each in extras]
        self.boxes: dict[Any, Tensor] = {}
        self.views: dict[Any, Tensor] = {}
        # The variable that has what a branch made, for the views of it.
        self.holders: dict[Any, Taken] = {}
        # What a branch made may have several names, of which the other branch has bound only some to another Tensor.
        self.partners: dict[Any, set[Any]] = {}
        self.values = values
        ordered_trees.map(self._note, values)

    def variables(self) -> object:
        """Return the values with Tensors in them."""
        return ordered_trees.map(self._fill_leaf, self.values)

    def _note(self, leaf: object) -> None:
        if isinstance(leaf, Taken) and leaf.sources:
            for one, other in (leaf.sources, leaf.sources[::-1]):
                self.partners.setdefault(_key(one), set()).add(_key(other))
                self.holders.setdefault(_key(one), leaf)

    def _fill_leaf(self, leaf: object) -> object:
        if leaf is CONDITION:
            return wrap(peek(self.condition))
        if not isinstance(leaf, Taken):
            return leaf
        merged = in_dialect(self.tensors[leaf.index], leaf.dialect)
        if leaf.number:
            return scalar_inputs.mark_as_number(merged)
        if not leaf.sources:
            return merged
        keys = tuple(map(_key, leaf.sources))
        if keys not in self.boxes:
            self.boxes[keys] = self._join_sources(leaf.sources, keys, merged)
        return self.boxes[keys]

    def _join_sources(
        self, sources: Sequence[tuple[int, Source]], keys: Sequence[Key], merged: Tensor
    ) -> Tensor:
        both_made = all(isinstance(source, Mine) for _, source in sources)
        if both_made and all(len(self.partners[key]) == 1 for key in keys):
            self.boxes |= dict.fromkeys(keys, merged)
            return merged
        for key, (_, source) in zip(keys, sources, strict=True):
            if isinstance(source, Mine):
                self.boxes.setdefault(key, merged)
        (one, first), (other, second) = sources
        yes, no = Case(1, self._box(one, first, merged)), Case(0, self._box(other, second, merged))
        return yes.box if yes.box is no.box else choice(merged, self.condition, [yes, no])

    def _box(self, which: int, source: Source, like: Tensor) -> Tensor:
        """Return what a source of one branch is after both; it has its value only where that branch was taken.

        Args:
            which: 0 for the first branch, 1 for the second.
            source: of the branch.
            like: has its shape and type.
        """
        if isinstance(source, Tensor):
            return source
        known = _key((which, source))
        if known not in self.boxes:
            self.boxes[known] = self._make_tensor(which, source, like, known)
        return self.boxes[known]

    def _make_tensor(self, which: int, source: Made, like: Tensor, known: Key) -> Tensor:
        if isinstance(source, Mine):
            # The variable that holds it notes what it is; that of a choice alone is seen from nowhere else.
            if known in self.holders:
                self._fill_leaf(self.holders[known])
            return self.boxes.get(known, like)
        if isinstance(source, Kept):
            return self.extras[which][source.extra]
        if isinstance(source, Chosen):
            cases = [Case(key, self._box(which, one, like)) for key, one in source.cases]
            # Where the other branch was taken, this is any of the cases; a write to it must leave that as it is.
            return choice(like, self.extras[which][source.selector], cases, stale=True)
        return self._view(which, source, like)

    def _view(self, which: int, source: Seen, like: Tensor) -> Tensor:
        base = self._base(which, source.base, source.view.base)
        arrays = [peek(self.extras[which][extra]) for extra in source.extras]
        if arrays:
            return view_again(like, base, source.view, arrays)
        key = id(base), source.view.lens.key(), source.view.detached, source.view.unrecorded
        if key not in self.views:
            self.views[key] = view_again(like, base, source.view)
        return self.views[key]

    def _base(self, which: int, source: Source, before: Tensor) -> Tensor:
        """Return what a view is seen from: as no variable has it, zeros have its shape until it is read."""
        like = before
        if isinstance(source, Chosen | Seen):
            aval = before._value.aval
            like = in_dialect(wrap(jnp.zeros(aval.shape, aval.dtype)), before._dialect)
        return self._box(which, source, like)


def _key(source: tuple[int, object]) -> Key:
    which, one = source
    return id(one) if isinstance(one, Tensor) else (which, one)


def _is_number(leaf: object) -> bool:
    return not isinstance(leaf, Output) or leaf.number


def _map(of: Callable, tree: object) -> object:
    return ordered_trees.map(of, tree, is_leaf=lambda x: isinstance(x, Output))


def _aval(number: object) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((), dtypes.scalar(number))


def number_fits(number: complex, aval: jax.ShapeDtypeStruct | jax.Array) -> bool:
    """Return True if a Python number can become a 0-d array of this shape and dtype."""
    kinds = "biufc"
    kind = kinds.index(aval.dtype.kind) if aval.dtype.kind in kinds else 3  # bfloat16 is "V"
    order = {bool: 0, int: 1, float: 3, complex: 4}[type(number)]
    return aval.shape == () and order <= kind


def _is_same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and type(a) is type(b):
        return a.shape == b.shape and a.dtype == b.dtype and bool((a == b).all())
    return is_equal(a, b)


def _paired_parts(a: object, b: object) -> tuple[object, list[tuple[object, object]]] | None:
    """Return the tree and the pairs of parts of two objects alike that hold Tensors, as a COOTensor does; else None."""
    (first, tree), (second, other) = (
        jax.tree.flatten(x, is_leaf=lambda part, x=x: part is not x) for x in (a, b)
    )
    if tree != other or (len(first) == 1 and first[0] is a):
        return None
    return tree, list(zip(first, second, strict=True))


def describe(x: object) -> str:
    """Describe a value for messages."""
    if isinstance(x, Output):
        return f"a Tensor of shape {list(x.aval.shape)} and dtype {dtypes.of(x.aval.dtype)}"
    if isinstance(x, Tensor):
        return f"a Tensor of shape {list(x.shape)} and dtype {x.dtype}"
    if isinstance(x, Undefined | UndefinedReturnValue):
        return "no value"
    return f"{x!r} ({type(x).__name__})" if x is not None else "None"


def choose(
    condition: Tensor, branches: Sequence[trace.Traced], plan: Sequence[tuple[object, object]]
) -> list[Tensor]:
    """Run one of two traced functions without arguments, as `lax.cond`, and write back what it wrote.

    Args:
        condition: one element.
        branches: for true, for false.
        plan: for each result where either branch has it: the index of an output, or a constant array.

    Returns:
        The Tensors of the plan.
    """

    def pick(which: int, out: Sequence[jax.Array]) -> list[jax.Array]:
        sources = [pair[which] for pair in plan]
        return [out[s] if isinstance(s, int) else jnp.asarray(s) for s in sources]

    return [wrap(*result) for result in run_branches("if", condition, branches, (), pick)]
