"""Control flow over Tensor values: Python's own loops and branches eagerly, one XLA operation in a trace; differentiable."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from msjax.core.autograph.conversion import convert_callback
from msjax.core.op.op import stack, values_and_refs
from msjax.core.state import state
from msjax.core.tape import nodes
from msjax.core.tensor.box import NeedsValue, roots, set_value
from msjax.core.tensor.tensor import Tensor, in_dialect, resolve, tensors_in, wrap
from msjax.core.trace import trace
from msjax.core.trace.frame import keep_from_callers
from msjax.core.xla.while_vjp import while_with_vjp


def _box_numbers(tree: object) -> Any:
    """Convert numbers in a loop's state to Tensors, so that every iteration has the same types."""
    return jax.tree.map(
        lambda x: Tensor(x) if isinstance(x, bool | int | float) else x, tree, is_leaf=trace.is_tensor
    )


class _Body:
    """Loop body, traced once: its carried state, the captures that it only reads, and the boxes outside that it writes."""

    def __init__(
        self,
        what: str,
        fn: Callable,
        args: tuple,
        carried: int,
        guess: Sequence[trace.Slot] = (),
        changed: Sequence[Tensor] | None = None,
    ) -> None:
        self.boxes = tensors_in(args)
        self.traced = trace.trace(fn, args, {}, guess=guess)
        self.writes = bool(self.traced.written)
        if changed is None:
            changed = [slot.box for slot, _ in self.traced.written if slot.kind == "value"]
        # A view that the body reads is traced as a constant of the loop; if an iteration changes the view's base, the next
        # one must see that. Such bodies are traced again with the base marked as written, so that views are read through it
        # (test_conversion.test_loops_over_a_view_and_its_base).
        if touched := self._under_views(changed):
            self.traced = trace.trace(_reread_views(fn, touched), args, {}, guess=guess)
        self.check_values(what, {slot.key for slot, _ in self.traced.written})
        places = {slot.place: i for i, slot in enumerate(self.traced.captured)}
        for slot, present in self.traced.written:
            if not present:
                raise RuntimeError(
                    f"`{what}`: the loop's body sets a gradient to None; do that before or after the loop."
                )
            if slot.place not in places:  # written but never read: it is carried all the same
                places[slot.place] = len(self.traced.captured)
                self.traced.captured.append(slot)
        # XLA's loops have a fixed state: what the body writes outside is carried along with the user's state, and everything
        # else that it captures is constant.
        self.state = [places[slot.place] for slot, _ in self.traced.written]
        self.constant = [i for i in range(len(self.traced.captured)) if i not in set(self.state)]
        self.carried = carried
        self.captured = self.traced.read(self.boxes)

    def _under_views(self, changed: Sequence[Tensor]) -> list[Tensor]:
        """Return those of the changed boxes that the body also reads through a view."""
        views = [resolve(slot.box) for slot in self.traced.captured]
        seen = {id(resolve(box)) for view in views if view._view is not None for box in roots(view)}
        return [box for box in changed if id(resolve(box)) in seen]

    def check_values(self, what: str, changed: set[tuple[int, str]]) -> None:
        """Raise NeedsValue if the body was traced for values that iterations change: they hold for the first alone."""
        if any(slot.key in changed for slot, _ in self.traced.decided):
            raise NeedsValue(
                f"`{what}`: the value of a Tensor that the loop's iterations change is needed in Python."
            )

    def check(self, what: str) -> None:
        """Raise TypeError if the body does not return a state of the shapes and dtypes that it is given."""
        before = [resolve(box)._value for box in self.boxes[: self.carried]]
        after = self.traced.closed.out_avals[: self.carried]
        for b, a in zip(before, after, strict=False):
            if (b.shape, b.dtype) != (a.shape, a.dtype):
                raise TypeError(
                    f"`{what}`: the loop's state must keep its shapes and dtypes. Received: {b.dtype}{list(b.shape)} going "
                    f"in, {a.dtype}{list(a.shape)} coming out."
                )

    def call(
        self,
        carry: Sequence[jax.Array],
        extra: Sequence[jax.Array],
        kept: Sequence[jax.Array],
        constants: Sequence[jax.Array],
    ) -> list[jax.Array]:
        """Compute all outputs of the traced body from carry, per-iteration inputs, written state and constants."""
        places = [*self.state, *self.constant]
        captured = dict(zip(places, [*kept, *constants], strict=True))
        return self.traced.fn(*carry, *extra, *[captured[i] for i in range(len(places))])


def _reread_views(fn: Callable, boxes: Sequence[Tensor]) -> Callable:
    """Wrap a body so that views of these boxes are read anew in each iteration."""

    def touching(*args: object) -> object:
        for box in boxes:
            # A write of the same value: it raises the version in the frame, after which views read through their base.
            set_value(box, resolve(box)._value)
        return convert_callback(fn)(*args)

    return touching


def scan(body: Callable, init: object, xs: object, length: int | None = None) -> tuple[Any, Any]:
    """Carry a state over the first axis of `xs` and stack what each iteration returns (as `lax.scan`).

    Args:
        body: (state, x) -> (state, y).
        init: the first state: Tensors, or numbers, in any nesting.
        xs: Tensors of shape (length, ...), in any nesting; a list of them is taken as one per iteration; or None.
        length: number of iterations, needed if `xs` is None.

    Returns:
        (last state, the ys stacked; None if the body gives None).

    Raises:
        TypeError: if the state changes shape or dtype.
        ValueError: if there is neither `xs` nor `length`, or lengths differ.
    """
    leaves = tensors_in(xs)
    lengths = {leaf.shape[0] for leaf in leaves} | ({length} if length is not None else set())
    if len(lengths) != 1:
        raise ValueError(
            f"`Scan`: `xs` and `length` must agree on the number of iterations. Received: {sorted(lengths)}."
        )
    (turns,) = lengths
    init = _box_numbers(init)
    # No iteration means nothing to trace: even in a trace, the state is returned as it is.
    if turns == 0 or state.frame is None:
        return _scan_eagerly(body, init, xs, turns)
    return _scan_traced(body, init, xs, leaves, turns)


def _scan_eagerly(body: Callable, carry: object, xs: object, turns: int) -> tuple[Any, Any]:
    ys = []
    for i in range(turns):
        carry, y = body(carry, _take_row(xs, i))
        ys.append(_box_numbers(y))
    if not ys or not tensors_in(ys[0]):
        return carry, (None if not ys or ys[0] is None else ys)
    return carry, jax.tree.map(lambda *rows: stack(rows), *ys, is_leaf=trace.is_tensor)


_ROW = nodes.Program(lambda x, i: jax.lax.dynamic_index_in_dim(x, i, keepdims=False), "row")


def _take_row(xs: object, i: int) -> object:
    def row(leaf: object) -> object:
        if not isinstance(leaf, Tensor):
            return leaf
        values, refs = values_and_refs([leaf])
        row = wrap(*nodes.variables(*nodes.execute(_ROW, [*values, jnp.int32(i)], [*refs, None]))[0])
        return in_dialect(row, leaf._dialect)

    return jax.tree.map(row, xs, is_leaf=trace.is_tensor)


def rows_from(x: Tensor, begin: int) -> Tensor:
    """Return the rows of a Tensor from index `begin` on."""
    values, refs = values_and_refs([x])
    program = nodes.Program(lambda x: jax.lax.slice_in_dim(x, begin, None), "rows")
    return in_dialect(wrap(*nodes.variables(*nodes.execute(program, values, refs))[0]), x._dialect)


def _scan_traced(
    body: Callable, init: object, xs: object, leaves: list[Tensor], turns: int
) -> tuple[Any, Any]:
    # Zeros of one row's shape: the body is traced once and must not depend on a row's values.
    first = jax.tree.map(
        lambda x: (
            in_dialect(wrap(jnp.zeros(x.shape[1:], resolve(x)._value.dtype)), x._dialect)
            if isinstance(x, Tensor)
            else x
        ),
        xs,
        is_leaf=trace.is_tensor,
    )
    n = len(tensors_in(init))
    turn = _Body("Scan", body, (init, first), n)
    turn.check("Scan")
    m, k, outputs = len(leaves), len(turn.state), turn.traced.outputs

    def run(*values: jax.Array) -> list[jax.Array]:
        carry, rows = values[:n], values[n : n + m]
        captured = values[n + m :]
        kept, constants = [captured[i] for i in turn.state], [captured[i] for i in turn.constant]

        def step(
            carried: Sequence[jax.Array], row: Sequence[jax.Array]
        ) -> tuple[tuple[jax.Array, ...], list[jax.Array]]:
            out = turn.call(carried[:n], row, carried[n:], constants)
            return (*out[:n], *out[outputs:]), out[n:outputs]

        last, stacked = jax.lax.scan(step, (*carry, *kept), list(rows), length=turns)
        return [*last[:n], *stacked, *last[n : n + k]]

    values, refs = values_and_refs([*turn.boxes[:n], *leaves, *turn.captured])
    out, node = nodes.execute(nodes.Program(run, "Scan"), values, refs)
    return turn.traced.finish(nodes.variables(out, node), turn.boxes)


def fori_loop(lower: int | Tensor, upper: int | Tensor, body: Callable, init: object) -> Any:
    """Apply `body(i, state) -> state` for i from `lower` to `upper` - 1.

    Args:
        lower: int or int Tensor.
        upper: int or int Tensor.
        body: takes the index, as an int64 Tensor, and the state.
        init: the first state.

    Raises:
        TypeError: if the state changes shape or dtype.
    """
    init = _box_numbers(init)
    if isinstance(lower, int) and isinstance(upper, int):
        if state.frame is None:
            for i in range(lower, upper):
                init = body(Tensor(i), init)
            return init
        # Known bounds make a scan, whose gradient needs no recomputation; unknown ones a while loop.
        indices = wrap(jnp.arange(lower, max(upper, lower)))
        return scan(lambda carry, i: (body(i, carry), None), init, indices)[0]
    start = lower if isinstance(lower, Tensor) else Tensor(lower)
    if state.frame is None:
        return fori_loop(int(start), int(upper), body, init)
    return while_loop(
        lambda carry: _is_less(carry[0], upper),
        lambda carry: (_increment(carry[0]), body(carry[0], carry[1])),
        (start, init),
    )[1]


_LESS = nodes.Program(lambda a, b: a < b, "less")
_NEXT = nodes.Program(lambda a: a + jnp.ones((), a.dtype), "next")


def _is_less(a: Tensor, b: Any) -> Tensor:
    return wrap(_LESS.call(*values_and_refs([a, b])[0]))


def _increment(a: Tensor) -> Tensor:
    return wrap(_NEXT.call(*values_and_refs([a])[0]))


def while_loop(cond: Callable, body: Callable, init: object) -> Any:
    """Apply `body(state) -> state` while `cond(state)` is true.

    It is differentiable for any number of iterations. Inside a trace, where that number is not known, states are not
    kept but recomputed for the backward pass, from a fixed number of checkpoints (see :mod:`msjax.core.xla.while_vjp`).

    Args:
        cond: state -> bool, or bool Tensor of one element.
        body: state -> state.
        init: the first state.

    Raises:
        TypeError: if the state changes shape or dtype.
    """
    init = _box_numbers(init)
    if state.frame is None:
        while bool(cond(init)):
            init = body(init)
        return init
    return loop(body, lambda carry: _box_numbers(cond(carry)), init, "WhileLoop")


def loop(body: Callable, cond: Callable, init: object, what: str, guess: Sequence[trace.Slot] = ()) -> Any:
    """Run a `while_loop` inside a trace; `what` names it in messages, and `guess` is as in `trace.trace`."""
    n = len(tensors_in(init))
    turn = _Body(what, body, (init,), n, guess)
    turn.check(what)
    changed = [slot.box for slot, _ in turn.traced.written if slot.kind == "value"]
    test = _Body(what, cond, (init,), n, guess, changed)
    test.check_values(what, {slot.key for slot, _ in turn.traced.written})
    if test.writes:
        raise RuntimeError(f"`{what}`: the condition must not write Tensors; write them in the body.")
    outputs, k = turn.traced.outputs, len(turn.state)
    split = len(turn.constant)
    # The condition reads some of the same boxes as the body: it must get the carried value of those that the body writes
    # (test_conversion.test_a_condition_sees_what_the_body_writes), and constants for the others.
    moving = {turn.traced.captured[i].place: n + at for at, i in enumerate(turn.state)}
    keys = [slot.place for slot in test.traced.captured]  # of which the body may change some
    read = [i for i, key in enumerate(keys) if key not in moving]

    def step(carried: Sequence[jax.Array], constants: Sequence[jax.Array]) -> tuple:
        out = turn.call(carried[:n], (), carried[n:], constants)
        return (*out[:n], *out[outputs:])

    def holds(carried: Sequence[jax.Array], constants: Sequence[jax.Array]) -> jax.Array:
        named = {keys[i]: value for i, value in zip(read, constants, strict=True)}
        captured = [carried[moving[key]] if key in moving else named[key] for key in keys]
        return jnp.reshape(test.traced.fn(*carried[:n], *captured)[0], ()).astype(bool)

    size = n + k
    program = nodes.Program(_while_with_gradient(step, holds, size, split), what)
    captured = [
        *[turn.captured[i] for i in turn.state],
        *[turn.captured[i] for i in turn.constant],
        *[test.captured[i] for i in read],
    ]
    values, refs = values_and_refs([*turn.boxes, *captured])
    out, node = nodes.execute(program, values, refs)
    keep_from_callers()
    return turn.traced.finish(nodes.variables(out, node), turn.boxes)


def _while_with_gradient(step: Callable, holds: Callable, size: int, split: int) -> Callable:
    """Return the loop as a function of flat arrays: the state, the constants of the body, those of the condition."""

    def loop(*values: jax.Array) -> list[jax.Array]:
        constants = (tuple(values[size : size + split]), tuple(values[size + split :]))
        first = tuple(values[:size])
        return list(while_with_vjp(lambda s, c: holds(s, c[1]), lambda s, c: step(s, c[0]), first, constants))

    return loop


def cond(condition: bool | Tensor, true_fn: Callable, false_fn: Callable, *inputs: object) -> Any:
    """Call one of two functions, by the value of a Tensor (as `lax.cond`).

    Args:
        condition: bool, or bool Tensor of one element.
        true_fn: called with `inputs` if it is true.
        false_fn: called with `inputs` otherwise; must return the same structure, shapes and dtypes.
        inputs: any nesting with Tensors in it.

    Raises:
        TypeError: if the two return different structures, shapes or dtypes.
    """
    if not isinstance(condition, Tensor) or not isinstance(resolve(condition)._value, Tracer):
        return true_fn(*inputs) if bool(condition) else false_fn(*inputs)
    branches = [
        trace.trace(lambda *a, f=f: _box_numbers(f(*a)), inputs, {}, same_values=True)
        for f in (true_fn, false_fn)
    ]
    yes, no = branches
    if yes.out_tree != no.out_tree or _avals(yes) != _avals(no):
        raise TypeError(
            "`cond`: both branches must return the same structure, shapes and dtypes. "
            f"Received: {yes.out_tree} {_avals(yes)}, {no.out_tree} {_avals(no)}."
        )
    each = iter(run_branches("cond", condition, branches, tensors_in(inputs), lambda _, out: out))
    return yes.rebuild([wrap(*next(each)) if static is trace.DYNAMIC else static for static in yes.statics])


def _avals(traced: trace.Traced) -> list[tuple]:
    return [(a.shape, a.dtype) for a in traced.closed.out_avals[: traced.outputs]]


def run_branches(
    name: str,
    condition: Tensor,
    branches: Sequence[trace.Traced],
    boxes: Sequence[Tensor],
    pick: Callable[[int, Sequence[jax.Array]], Sequence[jax.Array]],
) -> list[nodes.Var]:
    """Run one of two traced functions as one `lax.cond`, and write back what it wrote.

    Args:
        name: of the operation, for messages.
        condition: one element.
        branches: for true, for false.
        boxes: the Tensors among their arguments.
        pick: (0 or 1, outputs of that branch) -> results; both branches must give the same shapes and dtypes.

    Returns:
        The results.
    """

    def owned(branch: trace.Traced, slot: trace.Slot) -> trace.Slot:
        return trace.Slot(branch.owner(slot, boxes), slot.kind)

    if not all(present for branch in branches for _, present in branch.written):
        raise RuntimeError(
            f"`{name}`: a branch sets a gradient to None, which a compiled function cannot do."
        )
    reads = [[owned(branch, slot) for slot in branch.captured] for branch in branches]
    writes = [[owned(branch, slot) for slot, _ in branch.written] for branch in branches]
    # Both arms of `lax.cond` must take and return the same: all captures of either, and all that either writes.
    slots = {slot.place: slot for listed in (*reads, *writes) for slot in listed}
    changed = list({slot.place: None for listed in writes for slot in listed})
    n = len(boxes)

    def arm(which: int) -> Callable[[Sequence[jax.Array]], list[jax.Array]]:
        branch = branches[which]
        taken, left = [slot.place for slot in reads[which]], [slot.place for slot in writes[which]]

        def run(values: Sequence[jax.Array]) -> list[jax.Array]:
            named = dict(zip(slots, values[n:], strict=True))
            out = branch.fn(*values[:n], *[named[key] for key in taken])
            # A branch that does not write a box returns the value that came in.
            named |= dict(zip(left, out[branch.outputs :], strict=True))
            return [*pick(which, out[: branch.outputs]), *[named[key] for key in changed]]

        return run

    yes, no = arm(0), arm(1)

    def choose(test: jax.Array, *values: jax.Array) -> list[jax.Array]:
        return jax.lax.cond(jnp.reshape(test, ()).astype(bool), yes, no, values)

    values, refs = values_and_refs([condition, *boxes, *[slot.read() for slot in slots.values()]])
    results = nodes.variables(*nodes.execute(nodes.Program(choose, name), values, refs))
    count = len(results) - len(changed)
    keep_from_callers([slots[key].box for key in changed if slots[key].kind == "value"])
    for key, result in zip(changed, results[count:], strict=True):
        trace.put_back(slots[key].box, slots[key].kind, result)
    return results[:count]


class WhileLoop:
    """`WhileLoop()(cond_func, loop_func, init_val)`; see :func:`while_loop`."""

    def __call__(self, cond_func: Callable, loop_func: Callable, init_val: object) -> Any:
        """Run the loop."""
        _callables("WhileLoop", cond_func=cond_func, loop_func=loop_func)
        if state.frame is None and isinstance(init_val, int | float):  # a number stays one
            while cond_func(init_val):
                init_val = loop_func(init_val)
            return init_val
        return while_loop(cond_func, loop_func, init_val)


class ForiLoop:
    """`ForiLoop()(lower, upper, loop_func, init_val, unroll=True)`; see :func:`fori_loop`."""

    def __call__(
        self,
        lower: int | Tensor,
        upper: int | Tensor,
        loop_func: Callable,
        init_val: object,
        unroll: bool = True,
    ) -> Any:
        """Run the loop; `unroll` makes no difference to the result."""
        _callables("ForiLoop", loop_func=loop_func)
        for name, bound in (("lower", lower), ("upper", upper)):
            if isinstance(bound, bool) or not isinstance(bound, int | Tensor):
                raise TypeError(
                    f"`ForiLoop`: argument `{name}` must be an int or a Tensor. Received: {bound!r}."
                )
        return fori_loop(lower, upper, loop_func, init_val)


class Scan:
    """`Scan()(loop_func, init, xs, length=None, unroll=True)`; see :func:`scan`."""

    def __call__(
        self, loop_func: Callable, init: object, xs: object, length: int | None = None, unroll: bool = True
    ) -> Any:
        """Run the loop; `unroll` makes no difference to the result."""
        _callables("Scan", loop_func=loop_func)
        if isinstance(xs, list | tuple) and not any(isinstance(x, list | tuple) for x in xs):
            return self._over_list(loop_func, init, list(xs), length)
        return scan(loop_func, init, xs, length)

    def _over_list(
        self, loop_func: Callable, init: object, xs: list[object], length: int | None
    ) -> tuple[Any, Any]:
        """Loop over a list, which MindSpore takes as one element per iteration."""
        if length is not None and length > len(xs):
            raise ValueError(
                f"`Scan`: argument `length` must be at most that of `xs`, {len(xs)}. Received: {length}."
            )
        ys = []
        for x in xs[:length]:
            init, y = loop_func(init, x)
            ys.append(y)
        return init, ys


def _callables(what: str, **functions: object) -> None:
    for name, fn in functions.items():
        if not callable(fn):
            raise TypeError(
                f"`{what}`: argument `{name}` must be callable. Received: {fn!r} ({type(fn).__name__})."
            )
