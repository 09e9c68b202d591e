"""Operators of converted code (`ag__`): each runs Python's own statement, or one XLA operation over Tensors.

The names are those that the passes of diastatic-malt write into the code, where this module is called `ag__`.
"""

import contextlib
import functools
import math
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.autograph.conversion import convert_callable
from msjax.core.autograph.conversion import do_not_convert as autograph_artifact
from msjax.core.control import loops
from msjax.core.control.branch_merge import Undefined, UndefinedReturnValue
from msjax.core.control.conditionals import (
    Raised,
    and_,
    guard_stmt,
    if_exp,
    if_stmt,
    is_undecided,
    not_,
    or_,
    raise_deferred,
    tensor_function,
    truth_value,
)
from msjax.core.tensor import scalar_inputs
from msjax.core.tensor.box import peek, users_line
from msjax.core.tensor.tensor import Tensor
from msjax.core.trace import deferred_errors, deferred_text
from msjax.core.trace.deferred_text import (
    call_str_format,
    format_fstring,
    format_percent,
    print_in_order,
    to_str,
)
from msjax.core.trace.frame import begin_control_flow, unread_arguments

__all__ = [
    "FunctionScope",
    "Undefined",
    "UndefinedReturnValue",
    "and_",
    "autograph_artifact",
    "contains",
    "converted_call",
    "for_stmt",
    "format_fstring",
    "format_percent",
    "get_item",
    "guard_stmt",
    "has_key",
    "if_exp",
    "if_stmt",
    "is_same",
    "ld",
    "ldu",
    "not_",
    "or_",
    "raise_deferred",
    "while_stmt",
    "with_function_scope",
]


# ---------------------------------------------------------------------- variables and functions


def ld(value: object) -> object:
    """Return the value of a variable.

    Raises:
        NameError: if it has none.
    """
    return value.read() if type(value) is Undefined else value


def ldu(load: Callable, name: str) -> Any:
    """Return the value of an expression such as `self.x`; `Undefined` if it has none."""
    try:
        return load()
    except (KeyError, AttributeError, NameError):
        return Undefined(name)


class FunctionScope:
    """Context manager around the body of a converted function."""

    def __init__(self, *unused: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        pass

    def ret(self, value: object, returned: object) -> object:
        """Return the function's result; None if it reached no `return`."""
        return None if type(value) is UndefinedReturnValue else value


def with_function_scope(thunk: Callable, *unused: object) -> Any:
    """Evaluate the body of a converted lambda."""
    return thunk(FunctionScope())


def converted_call(fn: object, args: tuple, kwargs: dict | None, scope: object = None) -> Any:
    """Call a function: converted, if it is the user's; with Tensor semantics, for some built-in functions."""
    kwargs = kwargs or {}
    if isinstance(fn, types.BuiltinFunctionType | type):
        try:
            special = _BUILTINS.get(fn)
        except TypeError:  # a class whose metaclass has no hash
            special = None
        if special is not None:
            return special(*args, **kwargs)
        if fn.__name__ == "format" and isinstance(getattr(fn, "__self__", None), str):
            return call_str_format(fn.__self__, args, kwargs)  # type: ignore[union-attr]
        return fn(*args, **kwargs)
    return convert_callable(fn)(*args, **kwargs)


def get_item(things: Any, index: Any) -> Any:
    """Evaluate `things[index]`; an unknown index takes an element of a list, tuple or CellList at run time.

    If all elements are functions or Cells, only the chosen one is called; otherwise one of the elements is selected.
    """
    if not is_undecided(index) or isinstance(things, Tensor | np.ndarray) or not _is_sequence(type(things)):
        return things[index]
    items = list(things)
    if not items or not jnp.issubdtype(peek(index).dtype, jnp.integer):
        return things[index]
    # Python's rules for an index: negative ones count from the end, others that are out of range raise, at run time.
    at = _wrapped(_cast(index, jnp.int32), len(items))
    deferred_errors.fail_if(_outside(at, len(items)), IndexError("list index out of range"))

    # A chain of conditionals: XLA runs one branch, and elements may have different shapes inside of their calls.
    def one(call: Callable, k: int = 0) -> Any:
        if k == len(items) - 1:
            return call(items[k])
        return if_exp(_equals(at, k), lambda: call(items[k]), lambda: one(call, k + 1), "index")

    if all(callable(item) for item in items):
        return autograph_artifact(
            lambda *args, **kwargs: one(lambda item: convert_callable(item)(*args, **kwargs))
        )
    return one(lambda item: item)


def contains(things: Any, thing: object) -> Any:
    """Evaluate `thing in things`, as a Tensor if Tensors with unknown values must be compared."""
    if type(things) not in (list, tuple) or not any(map(is_undecided, (thing, *things))):
        return thing in things
    if any(item is thing for item in things) and not isinstance(thing, Tensor):
        return True
    if not isinstance(thing, _COMPARED):
        return False
    found = [_have_equal_elements(item, thing) for item in things if isinstance(item, _COMPARED)]
    return functools.reduce(lambda a, b: or_(lambda: a, lambda: b), found, False)


_COMPARED = (Tensor, bool, int, float)


def _have_equal_elements(a: object, b: object) -> Any:
    """Return True, or a bool Tensor, if two Tensors or numbers have equal elements."""
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        return a == b
    a_shape, b_shape = [peek(x).shape if isinstance(x, Tensor) else () for x in (a, b)]
    if a_shape != b_shape and not (math.prod(a_shape) == math.prod(b_shape) == 1):
        return False
    equal: Any = a == b
    return equal.all() if equal.shape else equal


def is_same(a: object, b: object) -> bool | Tensor:
    """Evaluate `a is b`; of ints and bools that are known only when the program runs, compare kinds and values."""
    if a is b or not (scalar_inputs.Number in (type(a), type(b)) and (is_undecided(a) or is_undecided(b))):
        return a is b
    kinds = [type(scalar_inputs.sample_number(x) if type(x) is scalar_inputs.Number else x) for x in (a, b)]
    if kinds[0] is not kinds[1] or kinds[0] is float:
        return False
    equal: Any = a == b
    return scalar_inputs.mark_as_number(equal)


def has_key(things: Any, key: Any) -> Any:
    """Evaluate `things.has_key(key)`, which dicts have in MindSpore's compiled functions."""
    return key in things if isinstance(things, dict) else things.has_key(key)


def _is_sequence(kind: type) -> bool:
    return hasattr(kind, "__len__") and hasattr(kind, "__getitem__") and not hasattr(kind, "keys")


_wrapped = tensor_function("index", lambda i, n: jnp.where(i < 0, i + jnp.asarray(n, i.dtype), i))
_outside = tensor_function("outside", lambda i, n: (i < 0) | (i >= jnp.asarray(n, i.dtype)))
_equals = tensor_function("equals", lambda i, k: i == jnp.asarray(k, i.dtype))


# ---------------------------------------------------------------------- loops


def while_stmt(
    test: Callable, body: Callable, get_state: Callable, set_state: Callable, names: tuple, options: object
) -> None:
    """Run the `while` statement."""
    # As long as the test is known, iterations are Python's; the rest becomes an XLA loop. A loop that starts with known
    # counters is unrolled up to the first unknown test.
    while True:
        unread = unread_arguments()
        go = test()
        if is_undecided(go):
            begin_control_flow(unread)
            break
        if not go:
            return
        body()
    _run_loop(lambda: truth_value(test()), body, get_state, set_state, names, "while")


def _run_loop(
    test: Callable, body: Callable, get_state: Callable, set_state: Callable, names: tuple, kind: str
) -> None:
    """Run a loop of the program; if its body always raises, the `if` around the one iteration that it may make."""
    try:
        loops.run_while(test, body, get_state, set_state, names, users_line(), kind)
    except Raised:
        if_stmt(test(), body, _do_nothing, get_state, set_state, names, len(names))


def for_stmt(
    items: Any,
    extra_test: Callable | None,
    body: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple,
    options: Any,
) -> None:
    """Run the `for` statement; the loop goes on while `extra_test` holds."""
    if isinstance(items, TensorRange):
        return _for_span(items, extra_test, body, get_state, set_state, names)
    long = isinstance(items, Tensor) and items.ndim > 0 and len(items) > loops.MOST_UNROLLED

    def turn(item: object) -> None:
        go = True if extra_test is None else extra_test()
        _run_iteration(go, functools.partial(body, item), get_state, set_state, names)

    for at, item in enumerate(items):
        go = True if extra_test is None else extra_test()
        if not is_undecided(go) and not go:
            return None
        # The first iteration runs by itself: it gives variables their types, which the scan then carries.
        if at and (long or (is_undecided(go) and _countable(items))):
            with contextlib.suppress(Raised):
                if loops.run_scan(items, at, turn, get_state, set_state, names, users_line()):
                    return None
            long = False
        _run_iteration(go, functools.partial(body, item), get_state, set_state, names)
    return None


def _run_iteration(
    go: object, body: Callable, get_state: Callable, set_state: Callable, names: tuple
) -> None:
    """Run an iteration if the loop goes on."""
    guard_stmt(go, body, _do_nothing, get_state, set_state, names, len(names))


def _countable(items: object) -> bool:
    return isinstance(items, Tensor | range) and len(items) > loops.MOST_UNROLLED


def _do_nothing() -> None:
    pass


class TensorRange:
    """A `range` with Tensors among its ends."""

    def __init__(self, start: int | Tensor, stop: int | Tensor, step: int | Tensor) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self) -> Iterator[int]:
        return iter(range(int(self.start), int(self.stop), int(self.step)))  # raises where it must


def _for_span(
    span: TensorRange,
    extra_test: Callable | None,
    body: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple,
) -> None:
    """Run `for` over a range whose ends are known only at run time: a while loop with a counter."""
    at = _counter(span)

    def test() -> Tensor | bool:
        step: Any = span.step
        if is_undecided(span.step):
            go = (step > 0) & (at < span.stop) | (step < 0) & (at > span.stop)
        else:
            go = at < span.stop if span.step > 0 else at > span.stop
        if extra_test is None:
            return truth_value(go)
        return truth_value(and_(extra_test, lambda: go))

    def turn() -> None:
        nonlocal at
        body(at)
        at = scalar_inputs.mark_as_number(_plus(at, span.step))

    def get() -> tuple:
        return (at, *get_state())

    def put(values: tuple) -> None:
        nonlocal at
        at, *rest = values
        set_state(tuple(rest))

    _run_loop(test, turn, get, put, ("the counter", *names), "for")


_plus = tensor_function("add", lambda a, b: a + jnp.asarray(b, a.dtype))


def _counter(span: TensorRange) -> Tensor:
    """Return the first number, as a Tensor of the widest integer type among the ends."""
    kinds = [peek(x).dtype for x in (span.start, span.stop, span.step) if isinstance(x, Tensor)]
    dtype = functools.reduce(jnp.promote_types, kinds)
    if not jnp.issubdtype(dtype, jnp.integer):
        raise TypeError(
            f"`range`: its arguments must be integers. Received: {dtypes.of(dtype)}{users_line()}."
        )
    start = span.start if isinstance(span.start, Tensor) else Tensor(span.start, dtypes.of(dtype))
    return scalar_inputs.mark_as_number(_cast(start, dtype))


@functools.cache
def _cast_operator(dtype: np.dtype) -> Callable[[Tensor], Tensor]:
    return tensor_function("cast", lambda x: jnp.reshape(x, ()).astype(dtype))


def _cast(x: Tensor, dtype: jax.typing.DTypeLike) -> Tensor:
    return _cast_operator(jnp.dtype(dtype))(x)


# ---------------------------------------------------------------------- built-in functions


def _range(*ends: Any) -> range | TensorRange:
    if not any(is_undecided(end) for end in ends):
        return range(*ends)
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    return TensorRange(start, stop, step)


def _make_converter(kind: type, name: str) -> Callable:
    def convert(x: Any = 0, *rest: Any) -> Any:
        if not is_undecided(x):
            return kind(x, *rest)
        return scalar_inputs.mark_as_number(
            _stopped(_cast(truth_value(x) if kind is bool else x, dtypes.scalar(kind())))
        )

    return convert


_stopped = tensor_function("number", jax.lax.stop_gradient)  # numbers have no gradients


def _extreme(better: Callable, builtin: Callable) -> Callable:
    def choose(*items: Any, **options: object) -> Any:
        listed = list(items[0]) if len(items) == 1 else list(items)
        if options or not any(map(is_undecided, listed)):
            return builtin(*items, **{name: convert_callable(value) for name, value in options.items()})
        # Both operands of a choice need one type: an int among floats becomes a float, which Python's `max` would not do.
        if any(
            type(x) is scalar_inputs.Number and isinstance(scalar_inputs.sample_number(x), float)
            for x in listed
        ) or any(isinstance(x, float) for x in listed):
            listed = [_BUILTINS[float](x) if type(x) is scalar_inputs.Number else x for x in listed]
        return functools.reduce(
            lambda a, b: if_exp(
                better(b, a), lambda: _expand_to(b, a), lambda: _expand_to(a, b), builtin.__name__
            ),
            listed,
        )

    return choose


def _expand_to(x: object, other: object) -> object:
    """Expand a number to the shape of the other argument, if that is a Tensor with dimensions."""
    if isinstance(other, Tensor) and other.shape and not isinstance(x, Tensor):
        return Tensor(np.full(other.shape, x), dtypes.of(jnp.result_type(peek(other).dtype, type(x))))
    return x


def _any(items: Iterable) -> Tensor | bool:
    found = functools.reduce(lambda a, b: or_(lambda: a, lambda: b), [_as_truth(x) for x in items], False)
    return scalar_inputs.mark_as_number(found) if is_undecided(found) else found


def _all(items: Iterable) -> Tensor | bool:
    found = functools.reduce(lambda a, b: and_(lambda: a, lambda: b), [_as_truth(x) for x in items], True)
    return scalar_inputs.mark_as_number(found) if is_undecided(found) else found


def _as_number(x: object) -> Any:
    """Return a number for a Tensor that stands for one, of its type; others as they are."""
    return scalar_inputs.sample_number(x) if type(x) is scalar_inputs.Number else x


def _isinstance(x: object, kinds: Any) -> bool:
    return isinstance(_as_number(x), kinds)


def _type(x: object, *rest: Any, **options: object) -> Any:
    return type(_as_number(x), *rest, **options)


def _hasattr(x: object, name: str) -> bool:
    return hasattr(_as_number(x), name)


def _getattr(x: object, name: str, *default: object) -> Any:
    found = x if _hasattr(x, name) else _as_number(x)
    return getattr(found, name, *default)


def _as_truth(x: object) -> Tensor | bool:
    return truth_value(x) if is_undecided(x) else bool(x)


def _with_functions(builtin: Callable) -> Callable:
    """Wrap a built-in function whose arguments are functions, so that those are converted."""

    def call(*args: object, **options: object) -> Any:
        return builtin(*map(_callable, args), **{name: _callable(value) for name, value in options.items()})

    return call


def _callable(x: object) -> object:
    return (
        convert_callable(x) if isinstance(x, types.FunctionType | types.MethodType | functools.partial) else x
    )


_BUILTINS: dict[Any, Callable] = {
    range: _range,
    int: _make_converter(int, "int"),
    float: _make_converter(float, "float"),
    bool: _make_converter(bool, "bool"),
    max: _extreme(operator.gt, max),
    min: _extreme(operator.lt, min),
    any: _any,
    all: _all,
    isinstance: _isinstance,
    type: _type,
    hasattr: _hasattr,
    getattr: _getattr,
    str: to_str,
    format: deferred_text.call_format,
    print: print_in_order,
    deferred_text.plain_print: print_in_order,
    map: _with_functions(map),
    filter: _with_functions(filter),
    sorted: _with_functions(sorted),
    functools.reduce: _with_functions(functools.reduce),
}
