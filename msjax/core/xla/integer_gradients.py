"""Integer gradients: differentiate a jaxpr by integers and bools, as MindSpore does and JAX does not.

MindSpore differentiates integer arithmetic as if its numbers were floating ones; where its backward pass goes through a
conversion to floats, gradients lose their fraction. Here every integer that depends on one of those to differentiate by is
carried twice: as itself, so that values, conditions and indices stay exact, and as a float array, its *shadow*, through
which JAX differentiates. `evaluate` goes through a jaxpr, control flow included, and computes both.
"""

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, jaxpr_as_fun
from jax.typing import DTypeLike

from msjax.core.xla.jaxpr_queries import inner_jaxprs
from msjax.core.xla.while_vjp import while_with_vjp


class Shadow:
    """A float array that stands for an integer one.

    Attributes:
        value: the array.
        origins: numbers of the integer inputs whose gradients would have a fraction if the gradient here has one: no
            conversion lies between.
        fractions: the inputs whose gradients may have a fraction whatever comes in (those that an operator divides, say).
    """

    __slots__ = ("fractions", "origins", "value")

    def __init__(self, value: jax.Array, origins: frozenset[int], fractions: set[int]) -> None:
        self.value, self.origins, self.fractions = value, origins, fractions

    def fractional(self) -> jax.Array:
        """Return the array for an operator through which gradients of integers are floating numbers."""
        self.fractions |= self.origins
        return self.value


Shadows = Sequence[Shadow | None]  # one per value: the shadow of an integer that carries a gradient

# Primitives whose formula holds for floating numbers as well, each with the operands that are numbers: all (None), or all
# but the first (()).
_NUMERIC: dict[str, tuple[int, ...] | None] = {
    **dict.fromkeys(
        """
        abs add add_any broadcast_in_dim clamp concatenate conv_general_dilated copy copy_p cummax cummin cumprod cumsum
        dot_general expand_dims integer_pow max min mul neg optimization_barrier pad reduce_max reduce_min reduce_prod
        reduce_sum reduce_window_max reduce_window_min reduce_window_sum rem reshape rev select_and_gather_add sign slice
        sort split square squeeze stack sub tile transpose
        """.split()
    ),
    **dict.fromkeys("dynamic_slice gather top_k".split(), (0,)),
    "dynamic_update_slice": (0, 1),
    "select_n": (),
    **dict.fromkeys("scatter scatter-add scatter-sub scatter_mul scatter_min scatter_max".split(), (0, 2)),
}
# Those whose integer results do not change with small changes of their operands, or mean no number.
_CONSTANT = frozenset(
    """
    and argmax argmin bitcast_convert_type ceil clz debug_callback device_put div eq eq_to floor ge gt iota is_finite le
    le_to lt lt_to ne not or population_count random_bits random_fold_in random_seed random_split random_unwrap
    random_wrap reduce_and reduce_or reduce_xor round shift_left shift_right_arithmetic shift_right_logical stop_gradient
    threefry2x32 xor
    """.split()
)
# Those whose backward pass in MindSpore converts to the dtype of the operands: no fraction comes through.
_CONVERTING = frozenset({"concatenate", "mul", "reduce_max", "reduce_min"})
_CALLS = frozenset({"jit", "pjit"})
_BODIES = {
    **dict.fromkeys(_CALLS, "jaxpr"),
    **dict.fromkeys(("closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"), "call_jaxpr"),
}
_formulas: dict[str, Callable] = {}
_opening: set[str] = set()
_opened = 0


def with_formula(name: str, exact: Callable, formula: Callable, opens: bool = False) -> Callable:
    """Return `exact` as a function that jaxprs show under a name, and that is differentiated by integers with `formula`.

    Args:
        name: unique for the pair; it also stands in compiled programs.
        exact: function of arrays.
        formula: (values, shadows) -> for each result a float array to differentiate instead, or None where it is constant.
        opens: True if integers among the results carry gradients of floating arguments.
    """
    _formulas[name] = formula
    if opens:
        _opening.add(name)

    def call(*values: jax.Array) -> Any:
        return exact(*values)

    call.__name__ = call.__qualname__ = name
    jitted = jax.jit(call)
    if not opens:
        return jitted

    def opening(*values: jax.Array) -> Any:
        note_opening()
        return jitted(*values)

    return opening


def note_opening() -> None:
    """Count that a function was called in which integers carry gradients of floating arguments."""
    global _opened
    _opened += 1


def count_openings() -> int:
    """Return how often that was: a function that was traced and leaves the count as it is needs no shadows."""
    return _opened


def opens(jaxpr: Jaxpr) -> bool:
    """Return True if integers carry gradients of floating numbers anywhere in a jaxpr."""
    return any(
        (eqn.primitive.name in _CALLS and eqn.params.get("name") in _opening)
        or any(map(opens, inner_jaxprs(eqn)))
        for eqn in jaxpr.eqns
    )


_stop = with_formula("stop_gradient_of_integers", lambda x: x, lambda *_: [None])


def stop_gradient(value: jax.Array) -> jax.Array:
    """Stop gradients as `jax.lax.stop_gradient` does, and those of integers."""
    return _stop(value) if numeric(value.dtype) else jax.lax.stop_gradient(value)


def is_inexact(dtype: DTypeLike) -> bool:
    """Return True for floating and complex dtypes."""
    return jnp.issubdtype(dtype, jnp.inexact)


def numeric(dtype: DTypeLike) -> bool:
    """Return True for bools and integers, False for floating numbers and random keys."""
    return dtype == np.bool_ or jnp.issubdtype(dtype, jnp.integer)


def shadow_dtype() -> np.dtype:
    """Return the dtype of shadows: the widest there is, which holds any int32."""
    return jax.dtypes.canonicalize_dtype(np.float64)


def as_integer(value: jax.Array, dtype: DTypeLike) -> jax.Array:
    """Convert a gradient to integers as C does: without the fraction, and wrapped around where there is no room."""
    return _as_integer(np.dtype(dtype))(value)


@functools.cache
def _as_integer(dtype: np.dtype) -> Callable[[jax.Array], jax.Array]:
    def exact(value: jax.Array) -> jax.Array:
        if dtype == np.bool_:
            return value != 0
        return value.astype(jax.dtypes.canonicalize_dtype(np.int64)).astype(dtype)

    # A derivative of the gradient (the second one of the function) passes.
    def formula(values: Sequence[jax.Array], _: object) -> list[jax.Array]:
        return [values[0].astype(shadow_dtype())]

    return with_formula(f"gradient_as_{dtype}", exact, formula, opens=True)


@jax.custom_jvp
def _link(exact: jax.Array, shadow: jax.Array) -> jax.Array:
    """Return the exact numbers, with the derivative of the shadow."""
    return exact.astype(shadow.dtype)


@_link.defjvp
def _link_jvp(primals: tuple, tangents: tuple) -> tuple:
    return _link(*primals), tangents[1]


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _convert_shadow(shadow: jax.Array, source: np.dtype, target: np.dtype) -> jax.Array:
    """Convert a shadow; gradients become integers of `source` on their way back, as through MindSpore's Cast."""
    return shadow.astype(target)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _truncate_gradient(gradient: jax.Array, source: np.dtype, target: np.dtype) -> jax.Array:
    """Take the fraction off a gradient; derivatives of it pass, for those of higher order."""
    real = gradient.real if jnp.iscomplexobj(gradient) else gradient
    return as_integer(real, source).astype(target)


_convert_shadow.defvjp(
    lambda shadow, source, target: (shadow.astype(target), jnp.zeros((), shadow.dtype)),
    lambda source, target, like, gradient: (_truncate_gradient(gradient, source, like.dtype),),
)
_truncate_gradient.defvjp(
    lambda gradient, source, target: (
        _truncate_gradient(gradient, source, target),
        jnp.zeros((), gradient.dtype),
    ),
    lambda source, target, like, moved: (moved.astype(like.dtype),),
)


def as_floats(value: object) -> jax.Array:
    """Convert integers to the dtype of shadows."""
    return jnp.asarray(value).astype(shadow_dtype())


def to_float(value: jax.Array, shadow: Shadow, dtype: DTypeLike) -> jax.Array:
    """Convert integers to a floating dtype; their gradients are integers."""
    return _link(value.astype(dtype), _convert_shadow(shadow.value, np.dtype(value.dtype), np.dtype(dtype)))


def _shadow(out: jax.Array, value: jax.Array, before: Shadows) -> Shadow | None:
    """Return the shadow of a result that was computed from others."""
    if value is None:
        return None
    given = [s for s in before if s is not None]
    return Shadow(_link(out, value), frozenset().union(*(s.origins for s in given)), given[0].fractions)


def evaluate(
    closed: ClosedJaxpr, values: Sequence[jax.Array], shadows: Shadows
) -> tuple[list[jax.Array], list[Shadow | None]]:
    """Evaluate a jaxpr at integers with shadows.

    Args:
        closed: the jaxpr.
        values: its inputs.
        shadows: for each input that is an integer, its shadow, or None for a constant.

    Returns:
        The outputs, exact; and for each the shadow if it is an integer that depends on those of the inputs.
    """
    jaxpr = closed.jaxpr
    known: dict[Any, tuple[Any, Shadow | None]] = {
        var: (value, None) for var, value in zip(jaxpr.constvars, closed.consts, strict=True)
    }
    known.update(zip(jaxpr.invars, zip(values, shadows, strict=True), strict=True))

    def read(thing: Any) -> tuple[jax.Array, Shadow | None]:
        return (thing.val, None) if hasattr(thing, "val") else known[thing]

    for eqn in jaxpr.eqns:
        pairs = [read(v) for v in eqn.invars]
        out = _step(jaxpr, eqn, [value for value, _ in pairs], [shadow for _, shadow in pairs])
        known.update(zip(eqn.outvars, out, strict=True))
    pairs = [read(v) for v in jaxpr.outvars]
    return [value for value, _ in pairs], [shadow for _, shadow in pairs]


class Lifted:
    """A function whose integers carry gradients, as a function of floating numbers that JAX can differentiate.

    Args:
        fn: function of arrays.
        values: its arguments.
        chosen: numbers of those to differentiate by.

    Attributes:
        floats: the chosen arguments, integers as floats.
        fractions: numbers of the integers whose gradients have a fraction, after `moved` was called.
        shadows: those of the outputs, then.
    """

    def __init__(self, fn: Callable, values: Sequence[jax.Array], chosen: Sequence[int]) -> None:
        self.closed, shapes = jax.make_jaxpr(fn, return_shape=True)(*values)
        self.values, self.chosen, self.tree = values, chosen, jax.tree.structure(shapes)
        self.floats = [as_floats(values[i]) if numeric(values[i].dtype) else values[i] for i in chosen]
        self.fractions: set[int] = set()
        self.shadows: list[Shadow | None] = []

    def push_forward(self, *given: jax.Array) -> tuple[list[jax.Array], list[jax.Array]]:
        """Return what stands for the outputs, as floats, without integers that are constant; and the outputs, exact."""
        values, shadows = list(self.values), [None] * len(self.values)
        for i, value in zip(self.chosen, given, strict=True):
            if numeric(values[i].dtype):
                shadows[i] = Shadow(value, frozenset({i}), self.fractions)  # type: ignore[call-overload]
            else:
                values[i] = value
        out, self.shadows = evaluate(self.closed, values, shadows)
        pairs = _pair_shadows(out, self.shadows)
        return [o if s is None else s.value for o, s in pairs if s is not None or is_inexact(o.dtype)], out

    def behind(self, i: int) -> tuple[int, ...]:
        """Return the outputs whose gradient gives that of an input its fraction, if it has one."""
        return tuple([o for o, s in enumerate(self.shadows) if s is not None and i in s.origins])

    def place(self, found: Sequence[jax.Array], out: Sequence[jax.Array]) -> list[jax.Array]:
        """Return tangents of all outputs, in their dtypes, from those of `moved`'s first results."""
        each = iter(found)
        return [
            next(each)
            if is_inexact(o.dtype)
            else jnp.zeros_like(o)
            if s is None
            else as_integer(next(each), o.dtype)
            for o, s in zip(out, self.shadows, strict=True)
        ]


def _step(jaxpr: Jaxpr, eqn: JaxprEqn, values: list[jax.Array], shadows: Shadows) -> list[tuple]:
    """Evaluate one equation: the exact results, each with its shadow."""
    name, lifted = eqn.primitive.name, any(shadow is not None for shadow in shadows)
    if name in _CALLS and eqn.params.get("name") in _formulas:
        return _by_formula(jaxpr, eqn, values, shadows)
    if not lifted and not (_is_transparent(eqn) and any(map(opens, inner_jaxprs(eqn)))):
        return [(out, None) for out in _evaluate_plainly(jaxpr, eqn, values)]
    if name in _RULES:
        return _pair_shadows(*_RULES[name](eqn, values, shadows))
    if name == "custom_vjp_call" and not _is_transparent(eqn):
        raise TypeError(
            f"`grad`: there is no derivative by integers of `{eqn.params.get('name', 'a function')}`, which has a "
            "derivative of its own. Convert them to a floating dtype before it, or use ops.stop_gradient on them."
        )
    if name in _BODIES:
        return _pair_shadows(*evaluate(_close_jaxpr(eqn.params[_BODIES[name]]), values, shadows))
    outs = _evaluate_plainly(jaxpr, eqn, values)
    if name == "convert_element_type":
        return [_conversion(values[0], shadows[0], outs[0])]
    if name in _CONSTANT or not any(numeric(out.dtype) for out in outs):
        return [(out, None) for out in outs]
    if name not in _NUMERIC:
        raise TypeError(
            f"`grad`: there is no derivative by integers of JAX's operation `{name}`. Convert them to a floating dtype "
            "before it, or use ops.stop_gradient on them."
        )
    places = _NUMERIC[name]
    numbers = range(len(values)) if places is None else places or range(1, len(values))
    if all(shadows[i] is None for i in numbers):
        return [(out, None) for out in outs]
    if name in _CONVERTING:
        shadows = [
            None if s is None else _round_shadow(s, np.dtype(v.dtype))
            for v, s in _pair_shadows(values, shadows)
        ]
    moved = _on_floats(
        eqn, [_floats(v, s) if i in numbers else v for i, (v, s) in enumerate(_pair_shadows(values, shadows))]
    )
    return [
        (out, _shadow(out, value, shadows) if is_inexact(value.dtype) else None)
        for out, value in zip(outs, moved, strict=True)
    ]


def _is_transparent(eqn: JaxprEqn) -> bool:
    """Return True if an equation has no derivative of its own; a loop's (`while_with_vjp`) is that of its iterations."""
    name = eqn.primitive.name
    if name == "custom_vjp_call":
        return [inner.primitive.name for inner in _close_jaxpr(eqn.params["call_jaxpr"]).jaxpr.eqns] == [
            "while"
        ]
    return name != "custom_jvp_call"


def _by_formula(jaxpr: Jaxpr, eqn: JaxprEqn, values: list[jax.Array], shadows: Shadows) -> list[tuple]:
    made = _formulas[eqn.params["name"]](values, list(shadows))
    pairs = []
    for out, value in zip(_evaluate_plainly(jaxpr, eqn, values), made, strict=True):
        if is_inexact(out.dtype):
            pairs.append((out if value is None else _link(out, value), None))
        elif any(s is not None for s in shadows):
            pairs.append((out, _shadow(out, value, shadows)))
        else:
            pairs.append((out, None if value is None else Shadow(_link(out, value), frozenset(), set())))
    return pairs


def arithmetic(name: str, exact: Callable, formula: Callable[..., jax.Array]) -> Callable:
    """Return `exact` as a function of integers or bools that is differentiated as `formula` of floats (`with_formula`)."""

    def on_floats(values: Sequence[jax.Array], shadows: Shadows) -> list[jax.Array | None]:
        if all(shadow is None for shadow in shadows):
            return [None]
        return [formula(*map(_floats, values, shadows))]

    return with_formula(name, exact, on_floats)


def _floats(value: jax.Array, shadow: Shadow | None) -> jax.Array:
    if shadow is not None:
        return shadow.value
    return as_floats(value) if numeric(value.dtype) else value


def _pair_shadows(values: Sequence[jax.Array], shadows: Shadows) -> list[tuple]:
    return list(zip(values, shadows, strict=True))


def _close_jaxpr(jaxpr: Any) -> ClosedJaxpr:
    return jaxpr if hasattr(jaxpr, "consts") else ClosedJaxpr(jaxpr, [])


def _evaluate_plainly(jaxpr: Jaxpr, eqn: JaxprEqn, values: Sequence[jax.Array]) -> list[jax.Array]:
    """Evaluate one equation as it stands."""
    if not any(map(_holds_code, eqn.params.values())):
        out = eqn.primitive.bind(*values, **eqn.params)
        return list(out) if eqn.primitive.multiple_results else [out]
    given = {var: value for var, value in zip(eqn.invars, values, strict=True) if not hasattr(var, "val")}
    alone = jaxpr.replace(
        constvars=[],
        invars=list(given),
        outvars=eqn.outvars,
        eqns=[eqn],
        effects=eqn.effects,
    )
    return jaxpr_as_fun(ClosedJaxpr(alone, []))(*given.values())


def _holds_code(parameter: object) -> bool:
    if callable(parameter) and not isinstance(parameter, type | np.dtype):
        return True
    if isinstance(parameter, list | tuple):
        return any(map(_holds_code, parameter))
    return hasattr(parameter, "eqns") or hasattr(parameter, "jaxpr")


def _on_floats(eqn: JaxprEqn, floating: list[jax.Array]) -> list[jax.Array]:
    """Evaluate a numeric equation on floating numbers."""
    params, name = dict(eqn.params), eqn.primitive.name
    if name.startswith("scatter"):
        # Its parameters hold the sum of two integers as a jaxpr; the public function makes the one of floats.
        scatter = getattr(jax.lax, name.replace("-", "_"))
        kept = {key: params[key] for key in ("indices_are_sorted", "unique_indices", "mode")}
        return [scatter(*floating, params["dimension_numbers"], **kept)]
    if name == "abs":
        return [floating[0] * jnp.sign(floating[0])]  # whose derivative at 0 is 0, as of floating numbers
    if "preferred_element_type" in params:
        params["preferred_element_type"] = None
    out = eqn.primitive.bind(*floating, **params)
    return list(out) if eqn.primitive.multiple_results else [out]


def _conversion(value: jax.Array, shadow: Any, out: jax.Array) -> tuple:
    if is_inexact(out.dtype):
        return to_float(value, shadow, out.dtype), None
    whole = _round_shadow(shadow, np.dtype(value.dtype))
    return out, Shadow(_link(out, whole.value), whole.origins, whole.fractions)


def _round_shadow(shadow: Shadow, dtype: np.dtype) -> Shadow:
    """Return the same shadow, whose gradients become integers of a dtype."""
    return Shadow(_convert_shadow(shadow.value, dtype, shadow.value.dtype), frozenset(), shadow.fractions)


# ------------------------------------------------------------------------------------------------ control flow


def _outputs_with_shadow(closed: ClosedJaxpr, lifted: Sequence[bool]) -> list[bool]:
    """Return which outputs of a jaxpr have a shadow, if these inputs have one."""
    found: list[bool] = []

    def run(values: Sequence[jax.Array]) -> None:
        shadows = [
            Shadow(as_floats(v), frozenset(), set()) if m else None
            for v, m in zip(values, lifted, strict=True)
        ]
        found[:] = [shadow is not None for shadow in evaluate(closed, values, shadows)[1]]

    jax.eval_shape(run, [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in closed.in_avals])
    return found


def _carries_with_shadow(
    closed: ClosedJaxpr, before: Sequence[bool], first: Sequence[bool], after: Sequence[bool]
) -> list[bool]:
    """Return which of a loop's carried values need a shadow."""
    carried = list(first)
    while True:
        out = _outputs_with_shadow(closed, [*before, *carried, *after])[: len(carried)]
        wider = list(map(operator.or_, carried, out))
        if wider == carried:
            return carried
        carried = wider


def _take_shadows(values: Sequence[jax.Array], shadows: Shadows, wanted: Sequence[bool]) -> list[jax.Array]:
    """Return the arrays of the shadows that are wanted, made where there is none."""
    return [_floats(v, s) for v, s, m in zip(values, shadows, wanted, strict=True) if m]


def _give_shadows(
    arrays: Sequence[jax.Array], wanted: Sequence[bool], shadows: Shadows
) -> list[Shadow | None]:
    """Return shadows of these arrays, in the places that are wanted; what is behind `shadows` may be behind each."""
    behind = [s for s in shadows if s is not None]
    fractions = behind[0].fractions if behind else set()
    origins, each = frozenset().union(*(s.origins for s in behind)), iter(arrays)
    return [Shadow(next(each), origins, fractions) if m else None for m in wanted]


def _present(shadows: Shadows) -> list[bool]:
    return [shadow is not None for shadow in shadows]


def _while(eqn: JaxprEqn, values: list[jax.Array], shadows: Shadows) -> tuple[list[jax.Array], Shadows]:
    asked, body = eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]
    n, m = eqn.params["cond_nconsts"], eqn.params["cond_nconsts"] + eqn.params["body_nconsts"]
    first, count = values[m:], len(values) - m
    constant = _present(shadows[n:m])
    carried = _carries_with_shadow(body, constant, _present(shadows[m:]), [])

    def holds(state: tuple, constants: tuple) -> jax.Array:
        return jaxpr_as_fun(asked)(*constants[0], *state[:count])[0]

    def step(state: tuple, constants: tuple) -> tuple:
        _, given, moved = constants
        inside = [*_give_shadows(moved, constant, shadows), *_give_shadows(state[count:], carried, shadows)]
        out, made = evaluate(body, [*given, *state[:count]], inside)
        return (*out, *_take_shadows(out, made, carried))

    constants = (values[:n], values[n:m], _take_shadows(values[n:m], shadows[n:m], constant))
    start = tuple(map(jnp.asarray, (*first, *_take_shadows(first, shadows[m:], carried))))
    last = while_with_vjp(holds, step, start, jax.tree.map(jnp.asarray, constants))
    return list(last[:count]), _give_shadows(last[count:], carried, shadows)


def _cond(eqn: JaxprEqn, values: list[jax.Array], shadows: Shadows) -> tuple[list[jax.Array], Shadows]:
    branches, inside = eqn.params["branches"], shadows[1:]
    lifted = _present(inside)
    wanted = list(map(any, zip(*[_outputs_with_shadow(branch, lifted) for branch in branches], strict=True)))

    def branch(closed: ClosedJaxpr, given: Sequence[jax.Array], moved: Sequence[jax.Array]) -> tuple:
        out, made = evaluate(closed, given, _give_shadows(moved, lifted, inside))
        return list(map(jnp.asarray, out)), _take_shadows(out, made, wanted)

    arms = [functools.partial(branch, closed) for closed in branches]
    given = list(map(jnp.asarray, values[1:]))
    out, made = jax.lax.switch(values[0], arms, given, _take_shadows(given, inside, lifted))
    return out, _give_shadows(made, wanted, inside)


def scan_counts(params: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many constants and how many carried values come first among the inputs of a `scan` equation."""
    if "ft_in" in params:  # jax 0.12 has the structures of the inputs
        constants, carry, _ = params["ft_in"].unpack()
        return len(constants), len(carry)
    return params["num_consts"], params["num_carry"]


def _scan(eqn: JaxprEqn, values: list[jax.Array], shadows: Shadows) -> tuple[list[jax.Array], Shadows]:
    params, body = eqn.params, eqn.params["jaxpr"]
    n, count = scan_counts(params)
    m, lifted = n + count, _present(shadows)
    carried = _carries_with_shadow(body, lifted[:n], lifted[n:m], lifted[m:])
    stacked = _outputs_with_shadow(body, [*lifted[:n], *carried, *lifted[m:]])[count:]

    def step(state: tuple, row: tuple) -> tuple:
        inside = [
            *shadows[:n],
            *_give_shadows(state[1], carried, shadows),
            *_give_shadows(row[1], lifted[m:], shadows),
        ]
        out, made = evaluate(body, [*values[:n], *state[0], *row[0]], inside)
        out = list(map(jnp.asarray, out))
        after = (out[:count], _take_shadows(out[:count], made[:count], carried))
        return after, (out[count:], _take_shadows(out[count:], made[count:], stacked))

    start = (list(map(jnp.asarray, values[n:m])), _take_shadows(values[n:m], shadows[n:m], carried))
    rows = (values[m:], _take_shadows(values[m:], shadows[m:], lifted[m:]))
    last, found = jax.lax.scan(
        step, start, rows, params["length"], reverse=params["reverse"], unroll=params["unroll"]
    )
    made = [*_give_shadows(last[1], carried, shadows), *_give_shadows(found[1], stacked, shadows)]
    return [*last[0], *found[0]], made


def _checkpoint(eqn: JaxprEqn, values: list[jax.Array], shadows: Shadows) -> tuple[list[jax.Array], Shadows]:
    closed, lifted = _close_jaxpr(eqn.params["jaxpr"]), _present(shadows)
    wanted = _outputs_with_shadow(closed, lifted)

    def run(values: Sequence[jax.Array], moved: Sequence[jax.Array]) -> tuple:
        out, made = evaluate(closed, values, _give_shadows(moved, lifted, shadows))
        return out, _take_shadows(out, made, wanted)

    again = jax.checkpoint(run, prevent_cse=eqn.params["prevent_cse"], policy=eqn.params["policy"])
    out, made = again(values, _take_shadows(values, shadows, lifted))
    return out, _give_shadows(made, wanted, shadows)


_RULES: dict[str, Callable[[JaxprEqn, list[Any], Shadows], tuple[list[Any], Shadows]]] = {
    "while": _while,
    "cond": _cond,
    "scan": _scan,
    **dict.fromkeys(("checkpoint", "remat", "remat2"), _checkpoint),
}
