"""`@op`: makes operators over Tensors of pure functions over arrays; the only way between the two.

The decorator takes the arrays out of the boxes, calls the function through a `jax.jit` cached per static arguments,
records the call if an input is on the tape, and boxes the results.
"""

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from msjax.core.bounded_cache import keep
from msjax.core.op import argument_types
from msjax.core.op.argument_types import Accepts, Checked
from msjax.core.op.fast_path import FastPath
from msjax.core.op.scalar_promotion import SCALARS, promote_scalars
from msjax.core.op.static_args import as_entry, split_numbers, static_key, with_numbers
from msjax.core.state import ENABLED, NO_GRAD, state
from msjax.core.tape import nodes, pullbacks
from msjax.core.tape.pullbacks import array_types
from msjax.core.tensor import construction, random_state, scalar_inputs, view_strides
from msjax.core.tensor.box import Lens, NeedsValue, is_copy
from msjax.core.tensor.tensor import Tensor, View, concrete, node_of, resolve, wrap, wrap_eager
from msjax.core.tracebacks import hide_engine
from msjax.core.xla import compiler_options, shapes_only
from msjax.core.xla.shape_templates import LEAST, ShapeTemplates

_trees: dict[tuple, Any] = {}  # structures of arguments


@dataclass(frozen=True, slots=True)
class Record:
    """Description of one operator.

    Attributes:
        name: for messages.
        pure: the function over arrays.
        arrays: names of the parameters that are arrays, in order.
        accepts: what callers may give for each of them.
        static: names of the parameters that decide shape or program.
        flags: those of them that must be bools.
        whole: places of those that are ints, for which a Tensor of shape (1,) will do.
        promotes: True if it brings its arrays to one dtype: in compiled functions, numbers marked `mutable` then take the
            dtype of the Tensors beside them.
        random: True if the first array is a random key that the dispatch function supplies.
        view: (base, new view, *others, **static) -> new base, for operators whose result shares memory with their input.
        copies: True if the result is a copy instead where no strides describe it.
        geometry: (geometry of the base, **static) -> geometry of the view, or of part `output` of them; None: it is read
            off the function's jaxpr.
    """

    name: str
    pure: Callable
    arrays: tuple[str, ...]
    accepts: tuple[Accepts, ...]
    static: tuple[str, ...]
    flags: tuple[str, ...]
    whole: tuple[int, ...]
    promotes: bool
    random: bool
    view: Callable | None
    copies: bool
    geometry: Callable[..., view_strides.Geometry | None] | None = None
    bounds: Callable | None = None


def op(
    fn: Callable | None = None,
    *,
    static: str = "",
    promotes: bool = False,
    random: bool = False,
    view: Callable | None = None,
    copies: bool = False,
    geometry: Callable | None = None,
    bounds: Callable | None = None,
) -> Any:
    """Make an operator over Tensors of a pure function over arrays.

    Args:
        fn: the function. Its parameters are arrays, or lists, tuples and dicts of arrays, or None; Python numbers in
            their place arrive as arrays of the dtype that MindSpore's promotion gives them beside the others. Their
            annotations say which of these callers may give (see `argument_types`): `x: Array` refuses all but Tensors.
        static: names of the parameters, separated by blanks, that decide shape or program instead. They are part of
            the cache's key and must be hashable; lists become tuples, and Tensors outside a trace numbers.
        promotes: the function brings its arrays to one dtype, so numbers that a compiled function was called with take
            the dtype of the Tensors beside them.
        random: the first parameter is a random key; callers do not see it. A static parameter `seed` selects the random
            state that it comes from (`random_state.stream`).
        view: makes the result a view of the first array: `view(base, changed, *others, **static)`, with the other
            arrays, gives the base after the view was changed. Of a tuple, every part is a view; `view` then also takes
            `output`, the index of the part that was changed.
        copies: return a copy instead of a view where the result has no strides in the base's memory.
        geometry: `geometry(base, **static)` gives the strides and offset of the view (see `view_strides`); of a tuple, it
            also takes `output`. Those of others are read off the function, which is traced for each shape. A view that is
            read by a gather needs it, and what programs call at ever new shapes should have it.
        bounds: `bounds(name, *arrays, **static)` looks at positions among the arrays of an eager call and raises if one is
            outside. Programs do not have the check: there, such positions are left out.

    Returns:
        A function with the same parameters over Tensors, with `.pure` and `.record`.

    Examples:
        >>> import jax.numpy as jnp
        >>> import msjax as ms
        >>> from msjax.core.op.op import op
        >>> @op(static="times")
        ... def repeated(x, times):
        ...     return jnp.concatenate([x] * times)
        >>> print(repeated(ms.Tensor([1.0, 2.0]), 2))
        [1. 2. 1. 2.]
    """
    if fn is None:
        return functools.partial(
            op, static=static, promotes=promotes, random=random, view=view, copies=copies, geometry=geometry,
            bounds=bounds,
        )  # fmt: skip
    parameters = list(inspect.signature(fn, eval_str=True).parameters.values())[1 if random else 0 :]
    statics = tuple(static.split())
    arrays = tuple(p.name for p in parameters if p.name not in statics)
    accepts = tuple(argument_types.read_accepts(p.annotation) for p in parameters if p.name not in statics)
    flags = argument_types.find_bools(parameters, statics)
    by_name = {p.name: p.annotation for p in parameters}
    whole = tuple(i for i, name in enumerate(statics) if by_name.get(name) in (int, int | None))
    unknown = set(statics) - {p.name for p in parameters}
    if unknown:
        raise ValueError(f"@op: `{fn.__name__}` has no parameter {sorted(unknown)}")
    record = Record(
        fn.__name__,
        fn,
        arrays,
        accepts,
        statics,
        flags,
        whole,
        promotes,
        random,
        view,
        copies,
        geometry,
        bounds,
    )
    make_dispatch = functools.partial(_make_dispatch, record)
    fast_path = FastPath(make_dispatch, fn.__name__, parameters, arrays, statics, view is not None, bounds)
    call: Any = fast_path.function
    functools.update_wrapper(call, fn)
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.pure = fn  # type: ignore[attr-defined]
    call.record = record  # type: ignore[attr-defined]
    call.fast_path = fast_path  # type: ignore[attr-defined]
    return call


def _make_dispatch(record: Record, fast_path: FastPath) -> Callable:
    """Return the dispatch function of an operator: (arrays, statics) -> boxed results."""
    # Everything that is the same for all calls is decided here, once per operator; `call` runs tens of thousands of times
    # a second in eager code (docs/performance.md, Operators: 1.0 to 1.4 times a bare jitted call).
    programs: dict[Any, nodes.Program] = {}
    families: dict[Any, ShapeTemplates] = {}
    has_static, drawn, finish = bool(record.static), record.random, _finisher(record)
    bounds, whole = record.bounds, record.whole
    seed_at = record.static.index("seed") if drawn and "seed" in record.static else None
    only = argument_types.select_checked(
        record.arrays, record.accepts, {Accepts.TENSOR, Accepts.BOOL, Accepts.TENSORS}
    )
    flat = argument_types.select_checked(
        record.arrays, record.accepts, {*Accepts} - {Accepts.ANYTHING, Accepts.TENSORS}
    )

    def call(arrays: tuple, statics: tuple) -> Any:
        # Fast case first: eager code off the tape. `_unbox_plain` gives up at the first argument that needs more.
        values, tree = (
            _unbox_plain(arrays, only, flat, record.name) if not drawn and state.plain else (None, None)
        )
        refs = None
        if values is None:
            if only is not None:
                argument_types.refuse_others(record.name, only, arrays)
            if state.dispatch is not None:
                return state.dispatch(call, record, arrays, statics)
            # Views are not cast: a view in another dtype could not share memory with its base.
            if state.cast is not None and record.view is None:
                arrays = state.cast(arrays, record)
            if record.promotes and state.frame is not None:
                arrays = scalar_inputs.promote_numbers(arrays)
            try:
                values, refs, tree = unbox(arrays)
            except TypeError as error:
                raise _name_argument(error, record, arrays) from None
            if flat is not None and (tree is not None or np.ndarray in map(type, arrays)):
                argument_types.refuse_lists(record.name, flat, arrays)
        if has_static:
            # A NeedsValue here is about "a Tensor"; trying them one by one finds the parameter to name.
            try:
                for i in whole:
                    if isinstance(statics[i], Tensor):
                        statics = (*statics[:i], as_entry(statics[i]), *statics[i + 1 :])
                statics, key = static_key(statics)
            except NeedsValue:
                _say_which(record, statics)
                raise
            if tree is not None:
                key = (key, tree)
        else:
            key = tree
        try:
            program = programs.get(key)
        except TypeError:
            _refuse_unhashable(record, statics)
            raise
        if program is None:
            if record.flags:
                argument_types.refuse_settings(
                    record.name, record.flags, dict(zip(record.static, statics, strict=True))
                )
            program = keep(programs, key, _program(record, statics, tree, families))
        try:
            if shapes_only.among(values):
                return _find_shapes(record, program, arrays, values, statics, finish)
            if bounds is not None and state.frame is None:
                given = values if tree is None else jax.tree.unflatten(tree, values)
                bounds(record.name, *given, **dict(zip(record.static, statics, strict=True)))
            if refs is None and not drawn and state.plain:
                try:
                    # `run_eagerly` carries compiler options, which JAX refuses in a trace of its own (jax.jit around msjax).
                    out = program.run_eagerly(*values)
                except ValueError as error:
                    if not compiler_options.is_inside_trace_error(error):
                        raise
                    out = program.call(*values)
                boxed = wrap_eager if type(out) in array_types else _box_eager
                result = boxed(out)
                if finish is not None:
                    result = finish(result, program, arrays, values, statics)
                    # Views made with several arrays (an index that is a Tensor) differ from call to call.
                    boxed = viewer(result) if len(values) == 1 and program.tries else None
                if program.tries and boxed is not None:
                    fast_path.learn(program, boxed, arrays, statics, values)
                return result
            if drawn:
                named = () if seed_at is None else (statics[seed_at],)
                return _draw(program, values, refs, random_state.stream(record.name, *named))
            return _call(program, arrays, values, refs, statics, finish)
        except Exception as error:
            # Messages of operators have names in backticks; this one says what a function in the middle could not do.
            if isinstance(error, TypeError | ValueError | AttributeError) and "`" not in str(error):
                settings = zip(record.static, statics, strict=True)
                argument_types.refuse_text(record.name, record.pure, settings)
                if only is not None and "NoneType" in str(error):
                    argument_types.refuse_none(record.name, only, arrays)
                _refuse_shapes(error, record, arrays)
            _add_note(error, record, arrays)
            hide_engine(error)
            raise

    return call


def _unbox_plain(
    arrays: Sequence[Any], only: Checked | None, flat: Checked | None, name: str
) -> tuple[list[jax.Array] | None, Any]:
    """Unbox arguments that need nothing special in eager code.

    Those are boxes that are off the tape and no views, arrays, numbers, None, and lists of such boxes.

    Returns:
        The arrays and their tree (see `unbox`); (None, None) if an argument is something else.
    """
    values: list[Any] = []
    numbers = False
    nested: list[tuple] = []
    for a in arrays:
        if isinstance(a, Tensor) and a._node is None and a._view is None and a._home is None:
            values.append(a._raw)
            continue
        kind = type(a)
        if kind is float or kind is int or kind is bool:
            values.append(a)
            numbers = True
        elif a is None:
            nested.append((len(values), None))
        elif kind in array_types and kind is not np.ndarray:  # a user's, which is copied (`unbox`)
            values.append(a)
        elif kind is tuple or kind is list:
            nested.append((len(values), kind, len(a)))
            for b in a:
                if isinstance(b, Tensor) and b._node is None and b._view is None and b._home is None:
                    values.append(b._raw)
                else:
                    return None, None
        else:
            return None, None
    if numbers:
        if only is not None:
            argument_types.refuse_others(name, only, arrays)
        promote_scalars(values)
    if not nested:
        return values, None
    if flat is not None:
        argument_types.refuse_lists(name, flat, arrays)
    shape = (len(arrays), *nested)
    # Structures recur: building one takes longer than the rest of this function.
    return values, _trees.get(shape) or keep(_trees, shape, _tree(arrays))


def _tree(arrays: Sequence[object]) -> Any:
    """Return the pytree structure of arguments that are leaves, None, or lists of leaves."""
    filled = [
        type(a)((0,) * len(a)) if isinstance(a, list | tuple) else None if a is None else 0 for a in arrays
    ]
    return jax.tree.structure(filled)


def _call(
    program: nodes.Program,
    arrays: Sequence[object],
    values: list[jax.Array],
    refs: Any,
    statics: tuple,
    finish: Callable | None,
) -> Any:
    """Call a program in the general way: on the tape, in a trace, or returning a view."""
    refs = [None] * len(values) if refs is None else refs
    result = box(*nodes.execute(program, values, refs))
    return result if finish is None else finish(result, program, arrays, values, statics)


def _find_shapes(
    record: Record,
    program: nodes.Program,
    arrays: Sequence[object],
    values: list[jax.Array],
    statics: tuple,
    finish: Callable | None,
) -> Any:
    """Find the shapes of the results, where an argument is a meta tensor (a shape without elements)."""
    if record.random:
        state_data = resolve(random_state.stream(record.name))._value
        return box(shapes_only.evaluate(program.call, [state_data, *values])[0], None)
    result = box(shapes_only.evaluate(program.call, values), None)
    return result if finish is None else finish(result, program, arrays, values, statics)


def _finisher(record: Record) -> Callable | None:
    """Return the last step of a call, for operators that return views; None for others."""
    if record.view is None:
        return None
    writers: dict[tuple, nodes.Program] = {}
    # Kept per program and output: making one takes time in every call, and equal lenses make equal cache keys.
    lenses: dict[tuple, OpLens] = {}

    def writer(statics: tuple, output: int | None) -> nodes.Program:
        _, key = static_key(statics)
        found = writers.get((key, output))
        if found is None:
            named = dict(zip(record.static, statics, strict=True))
            if output is not None:
                named["output"] = output
            found = nodes.Program(functools.partial(record.view, **named), f"{record.name} (write)", True)  # type: ignore[arg-type]
            writers[key, output] = found
        return found

    def as_view(
        result: Any, program: nodes.Program, arrays: Sequence[object], values: list[jax.Array], statics: tuple
    ) -> Any:
        if not isinstance(arrays[0], Tensor):
            return result
        first = arrays[0]
        base = first if first._view is None and first._home is state.frame else resolve(first)
        others = values[1:]
        # A reshape of a view with gaps between its elements is a copy, as in MindSpore and PyTorch
        # (test_views.test_reshaping_what_has_gaps_copies_in_compiled_functions_too).
        if not isinstance(result, tuple):
            through = lens(program, None, others, statics)
            if not (record.copies and base._view is not None and is_copy(base, through)):
                result._view = View(base, through, base._version)
            return result
        for output, part in enumerate(result):
            part._view = View(base, lens(program, output, others, statics), base._version)
        return result

    def lens(program: nodes.Program, output: int | None, others: list[jax.Array], statics: tuple) -> OpLens:
        # Lenses with arrays are made for each call; keeping them would keep their arrays alive.
        if others:
            return OpLens(record, program, output, others, statics, writer)
        found = lenses.get((program, output))
        if found is None:
            found = lenses[program, output] = OpLens(record, program, output, others, statics, writer)
        return found

    return as_view


def viewer(result: Any) -> Callable | None:
    """Return a function (outputs, base) -> views with the same lenses as in `result`; None if that is a copy."""
    if isinstance(result, Tensor):
        if result._view is None:
            return None
        lens = result._view.lens

        def viewed(out: jax.Array, base: Tensor) -> Tensor:
            box = wrap_eager(out)
            box._view = View(base, lens, base._version)
            return box

        return viewed
    lenses = [part._view.lens for part in result]

    def all_viewed(out: Sequence[jax.Array], base: Tensor) -> tuple[Tensor, ...]:
        parts = tuple([wrap_eager(value) for value in out])
        for part, lens in zip(parts, lenses, strict=True):
            part._view = View(base, lens, base._version)
        return parts

    return all_viewed


class OpLens(Lens):
    """Lens of an operator with `view=`: reads by calling the operator, writes by calling its `view` function."""

    __slots__ = ("others", "output", "program", "record", "statics", "writer")

    def __init__(
        self,
        record: Record,
        program: nodes.Program,
        output: int | None,
        others: list[jax.Array],
        statics: tuple,
        writer: Callable,
    ) -> None:
        self.record = record
        self.program = program
        self.output = output
        self.others = others
        self.statics = statics
        self.writer = writer

    def read(self, base: nodes.Var) -> nodes.Var:
        """Call the operator again on the base."""
        return _run(self.program, base, *[(value, None) for value in self.others])[self.output or 0]

    def write(self, base: nodes.Var, changed: nodes.Var) -> nodes.Var:
        """Call the operator's `view` function."""
        program = self.writer(self.statics, self.output)
        return _run(program, base, changed, *[(value, None) for value in self.others])[0]

    def key(self) -> tuple:
        """Return a key of the operator with its static arguments, and of the other arrays."""
        return id(self.program), self.output, *map(id, self.others)

    def strides_key(self) -> tuple:
        """Return the operator with its static arguments; other arrays move the offset and leave strides as they are."""
        return self.program, self.output

    def arrays(self) -> list[jax.Array]:
        """Return the other arrays."""
        return self.others

    def with_arrays(self, arrays: Sequence[jax.Array]) -> "OpLens":
        """Return the lens with others in place of the other arrays."""
        return OpLens(self.record, self.program, self.output, [*arrays], self.statics, self.writer)

    def geometry(self, base: view_strides.Geometry) -> view_strides.Geometry | None:
        """Read off the program, unless the operator has a rule of its own."""
        if self.record.geometry is not None:
            named = dict(zip(self.record.static, self.statics, strict=True))
            return self.record.geometry(
                base, **named | ({} if self.output is None else {"output": self.output})
            )
        return view_strides.geometry(self.program.call, base, self.others, self.output or 0)


def _run(program: nodes.Program, *variables: nodes.Var) -> list[nodes.Var]:
    values, refs = zip(*variables, strict=True)
    refs = refs if state.mode != NO_GRAD else (None,) * len(values)
    return nodes.variables(*nodes.execute(program, values, refs))


def unbox(arrays: Sequence[object]) -> tuple[list[jax.Array], list[nodes.Ref | None] | None, Any]:
    """Unbox the array arguments of a call.

    Returns:
        The arrays; their references to the tape (None if there is none at all); and their tree, None if they are flat.
    """
    frame = state.frame
    tracked = state.watch is not None or state.mode == ENABLED
    values: list[Any] = []
    scalars = False
    for a in arrays:
        if isinstance(a, Tensor):
            if a._home is not frame or a._view is not None:
                a = resolve(a)
            values.append(a._raw)
            if a._node is not None:
                tracked = True
        elif isinstance(a, SCALARS):
            scalars = True
            values.append(a)
        elif isinstance(a, jax.Array):
            values.append(a)
        elif isinstance(a, np.ndarray):
            values.append(construction.constant(a))  # a copy: the tape may keep it, and the user change his
        else:
            # Lists, dicts and None are left to jax.tree, which takes longer than this loop.
            return _unbox_tree(arrays)
    if scalars:
        promote_scalars(values)
    if not tracked or state.mode == NO_GRAD:
        return values, None, None
    return values, [_tape_reference(resolve(a)) if isinstance(a, Tensor) else None for a in arrays], None


def values_and_refs(boxes: Sequence[Tensor]) -> tuple[list[jax.Array], list[nodes.Ref | None]]:
    """Return the arrays of boxes and their references to the tape."""
    values, refs, _ = unbox(boxes)
    return values, [None] * len(values) if refs is None else refs


_STACK = nodes.Program(lambda *rows: jax.numpy.stack(rows), "stack")


def stack(rows: Sequence[Tensor]) -> Tensor:
    """Stack Tensors of one shape along a new first axis."""
    values, refs = values_and_refs(rows)
    return wrap(*nodes.variables(*nodes.execute(_STACK, values, refs))[0])


def _unbox_tree(arrays: Sequence[object]) -> tuple[list[jax.Array], list[nodes.Ref | None] | None, Any]:
    leaves, tree = jax.tree.flatten(list(arrays), is_leaf=lambda x: isinstance(x, Tensor))
    for leaf in leaves:
        if not isinstance(leaf, (Tensor, jax.Array, np.ndarray, *SCALARS)):
            raise _NotAnArrayError(
                f"expected Tensors or numbers. Received: {leaf!r} ({type(leaf).__name__})."
            )
    values, refs, _ = unbox(leaves)
    return values, refs, tree


class _NotAnArrayError(TypeError):
    """An argument of an operator is neither a Tensor nor a number, nor a nesting of them."""


def _name_argument(error: TypeError, record: Record, arrays: Sequence[object]) -> TypeError:
    """Return the error of an argument that is no array, with operator and argument named."""
    if type(error) is not _NotAnArrayError:
        return error
    for name, value in zip(record.arrays, arrays, strict=False):
        try:
            unbox([value])
        except _NotAnArrayError:
            received = f"{value!r} ({type(value).__name__})"
            rule = f"`{record.name}`: argument `{name}` must be a Tensor or a number"
            return TypeError(
                f"Failed calling {record.name} with `{name}`. {rule}. Received: {name}={received}."
            )
    return TypeError(str(error))


def _tape_reference(resolved: Tensor) -> nodes.Ref | None:
    resolved._owned = False  # the tape may keep its array
    node = node_of(resolved)
    if node is None and state.mode == ENABLED and getattr(resolved, "_trainable", False):
        node = resolved._leaf()  # type: ignore[attr-defined]
    return node


def _refuse_unhashable(record: Record, statics: tuple) -> None:
    """Raise for a setting that decides about no program, such as a dict, by name."""
    argument_types.refuse_text(record.name, record.pure, zip(record.static, statics, strict=True))
    for name, given in zip(record.static, statics, strict=True):
        try:
            hash(given)
        except TypeError:
            argument_types.refuse(record.name, name, given, "of a type that can be compared", TypeError)


def _say_which(record: Record, statics: tuple) -> None:
    """Raise NeedsValue for the static argument whose value is not known, by name."""
    for name, value in zip(record.static, statics, strict=True):
        for leaf in jax.tree.leaves(value, is_leaf=lambda v: isinstance(v, Tensor)):
            if isinstance(leaf, Tensor):
                concrete(leaf, f"{record.name}({name}=...)")


def _program(
    record: Record, statics: tuple, tree: object, families: dict[Any, ShapeTemplates]
) -> nodes.Program:
    """Return the operator as a program of flat arrays, for given static arguments and argument structure."""
    fn = _function(record, statics, tree)
    if record.random:
        return nodes.Program(_with_next_key(fn), record.name, small=True, at_once=True)
    rest, numbers = split_numbers(statics, LEAST)
    if not numbers:
        return nodes.Program(fn, record.name, small=True, templates=ShapeTemplates(lambda _: fn, True))
    # Programs that differ in lengths alone, as those of `ones` and `arange`, share their traces.
    family_key = static_key(rest)[1], tree

    def make(numbers: tuple[int, ...]) -> Callable:
        return _function(record, with_numbers(rest, numbers), tree)

    family = families.get(family_key) or keep(families, family_key, ShapeTemplates(make, True))
    return nodes.Program(fn, record.name, small=True, templates=family, numbers=numbers)


def _function(record: Record, statics: tuple, tree: object) -> Callable:
    pure, names, named = record.pure, record.arrays, dict(zip(record.static, statics, strict=True))
    lead = 1 if record.random else 0

    def fn(*values: jax.Array) -> pullbacks.Outputs:
        arrays = values[lead:] if tree is None else jax.tree.unflatten(tree, values[lead:])
        return pure(*values[:lead], **dict(zip(names, arrays, strict=True)), **named)

    # The name is seen in jaxprs, in profiles and in JAX's own messages.
    fn.__name__ = fn.__qualname__ = record.name
    return fn


def _with_next_key(fn: Callable) -> Callable:
    """Turn a function of (key, ...) into one of (random state, ...) that also returns the next state."""

    @functools.wraps(fn)
    def drawing(state_data: jax.Array, *values: jax.Array) -> tuple[pullbacks.Outputs, jax.Array]:
        key, following = random_state.split(state_data)
        return fn(key, *values), following

    return drawing


def _draw(
    program: nodes.Program, values: list[jax.Array], refs: list[nodes.Ref | None] | None, source: Tensor
) -> Any:
    """Call an operator that takes the random state, and advance the state."""
    # Key derivation is part of the operator's program: one call into XLA, and a trace sees the state as any other box.
    generator = resolve(source)
    behind = [None, *(refs or [None] * len(values))]
    (out, following), node = nodes.execute(program, [generator._value, *values], behind)
    assert pullbacks.is_array(following)
    source._assign(following)
    return box(out, node)


def _box_eager(out: pullbacks.Outputs) -> Any:
    """Box the outputs of a program that ran off the tape and returned none or several."""
    if type(out) is tuple and all(type(value) in array_types for value in out):
        return tuple([wrap_eager(value) for value in out])
    return box(out, None)


def box(out: pullbacks.Outputs, node: nodes.OpNode | None) -> Any:
    """Box the outputs of a program; those with a gradient get their reference to the tape."""
    if node is None:
        return wrap(out) if pullbacks.is_array(out) else jax.tree.map(wrap, out)
    if pullbacks.is_array(out):
        return wrap(out, (node, 0) if pullbacks.is_inexact(node.avals[0].dtype) else None)
    tree = jax.tree.structure(out)
    return jax.tree.unflatten(tree, [wrap(*variable) for variable in nodes.variables(out, node)])


def _add_note(error: Exception, record: Record, arrays: Sequence[object]) -> None:
    """Add a note with the arguments to an operator's error, once: at the innermost operator."""
    if getattr(error, "_msjax_explained", False) or isinstance(error, jax.errors.JAXTypeError):
        return
    error._msjax_explained = True  # type: ignore[attr-defined]
    if named := _describe_arguments(record, arrays):
        error.add_note(f"`{record.name}` was called with {named}.")


def _describe_arguments(record: Record, arrays: Sequence[object]) -> str:
    given = zip(record.arrays, arrays, strict=False)
    return ", ".join(f"{name}: {_describe_argument(a)}" for name, a in given if a is not None)


_OF_SHAPES = re.compile(
    "incompatible shapes|dot_general requires|cannot reshape|concatenate|same shape|equal shapes",
    re.IGNORECASE,
)


def _refuse_shapes(error: Exception, record: Record, arrays: Sequence[object]) -> None:
    """Raise ValueError with the operator and its arguments for what JAX says of shapes that do not fit together."""
    if _OF_SHAPES.search(str(error)):
        raise ValueError(
            f"`{record.name}`: the shapes of the arguments do not fit together. "
            f"Received: {_describe_arguments(record, arrays)}."
        ) from None


def _describe_argument(a: object) -> str:
    if isinstance(a, Tensor):
        return f"Tensor(shape={list(a.shape)}, dtype={a.dtype})"
    if isinstance(a, list | tuple):
        return "[" + ", ".join(map(_describe_argument, a)) + "]"
    return f"{a!r} ({type(a).__name__})"
