"""Collectives of a program in the order in which it was written, in all processes.

Libraries such as gloo and NCCL match what processes send by its order alone. XLA orders collectives that do not need each
other by what is computed around them, so two programs that differ elsewhere would get each other's numbers. It leaves out
those whose results nobody needs, and other processes wait for them. Here each collective waits for the one before: it
depends on a bit of its result, where it does not depend on the result anyway. A result of the program waits for the last.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Primitive, jaxpr_as_fun

from msjax.core.xla import jaxpr_queries

# Calls, which XLA inlines: what they hold is evaluated like the rest.
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}

# Of these XLA leaves no operand out, if they are of floats: `0 * y` is not 0 if y is nan. A choice between y and something
# else, or a slice of y and something else, may have nothing of y.
_NEEDS_OPERANDS = frozenset(
    """
    abs add add_any broadcast_in_dim concatenate conv_general_dilated convert_element_type copy copy_p cos cumsum div
    dot_general erf exp exp2 expand_dims expm1 log log1p logistic max min mul neg reduce_max reduce_min reduce_sum reshape
    rev rsqrt sin sqrt square squeeze sub tanh transpose
    """.split()
)


def token_of(communicated: jax.Array) -> jax.Array:
    """Return a number, 0 or 1, that is known once an array is; XLA does not know that it is one of these."""
    first = lax.stop_gradient(communicated).reshape(-1)[:1]
    first = first.real if jnp.iscomplexobj(first) else first
    return lax.optimization_barrier(first.astype(np.int32) & 1).sum(dtype=np.int32)


def order_after(token: jax.Array, x: jax.Array) -> jax.Array:
    """Return `x`, which is not known before the token is."""
    # What is never taken must differ from `x`, which may be a constant: XLA drops a choice between equal ones.
    return jnp.where(token > 1, ~x if x.dtype == bool else x + np.ones((), x.dtype), x)


class _Value(NamedTuple):
    """An array, and collectives on whose results it surely depends: the i-th is bit i."""

    array: Any
    needs: int = 0


class _Chain:
    """The collectives of a program that is evaluated, one after the other.

    Args:
        primitive: that of collectives.
        token: of what came before the program.
    """

    def __init__(self, primitive: Primitive, token: jax.Array | None = None) -> None:
        self.primitive, self.token, self.count = primitive, token, 0

    def evaluate(self, closed: ClosedJaxpr, arguments: Iterable[_Value]) -> list[_Value]:
        """Return the results of a jaxpr."""
        jaxpr = closed.jaxpr
        known = dict(zip(jaxpr.constvars, map(_Value, closed.consts), strict=True))
        known.update(zip(jaxpr.invars, arguments, strict=True))

        def read(thing: Any) -> _Value:
            return _Value(thing.val) if isinstance(thing, Literal) else known[thing]

        for eqn in jaxpr.eqns:
            given = [read(v) for v in eqn.invars]
            known.update(zip(eqn.outvars, self._step(jaxpr, eqn, given), strict=True))
        return [read(v) for v in jaxpr.outvars]

    def results(self, closed: ClosedJaxpr, arguments: Iterable[jax.Array]) -> list[jax.Array]:
        """Return a jaxpr's results, at least one of them not known before the last collective is done."""
        values = self.evaluate(closed, map(_Value, arguments))
        found = [value.array for value in values]
        last = 1 << self.count >> 1
        if self.token is not None and not any(value.needs & last for value in values):
            _hold(found, self.token)
        return found

    def _step(self, jaxpr: Jaxpr, eqn: JaxprEqn, given: list[_Value]) -> list[_Value]:
        name = eqn.primitive.name
        if name in _CALLS and not eqn.effects:
            return self.evaluate(_close_jaxpr(eqn.params[_CALLS[name]]), given)
        arrays = [value.array for value in given]
        if eqn.primitive is self.primitive:
            return [self._communicate(jaxpr, eqn, given)]
        if not _communicates(eqn, self.primitive):
            found = _evaluate(jaxpr, eqn, arrays)
            # Of several results, each may need other operands.
            return [_Value(array, _needs(eqn, given) if len(found) == 1 else 0) for array in found]
        if name in _INNER and not (name == "while" and eqn.params["cond_jaxpr"].out_avals[0].shape):
            token = jnp.zeros((), np.int32) if self.token is None else self.token
            self.token, *found = _INNER[name](self.primitive, eqn, token, arrays)
        else:
            if self.token is not None:
                _hold(arrays, self.token)
            found = _evaluate(jaxpr, eqn, arrays, self.primitive)
            tokens = [token_of(array) for array in found if _is_plain(array)]
            self.token = functools.reduce(jnp.bitwise_or, tokens, jnp.zeros((), np.int32))
        self.count += 1
        return [_Value(array) for array in found]

    def _communicate(self, jaxpr: Jaxpr, eqn: JaxprEqn, given: list[_Value]) -> _Value:
        """Evaluate a collective, after those before it."""
        arrays = [value.array for value in given]
        if not np.size(arrays[0]):  # there is nothing to send
            return _Value(_evaluate(jaxpr, eqn, arrays)[0])
        last = 1 << self.count >> 1
        needs = given[0].needs
        if self.token is not None and not needs & last:
            _hold(arrays, self.token)
            needs |= last
        (found,) = _evaluate(jaxpr, eqn, arrays)
        self.token = token_of(found)
        needs |= 1 << self.count
        self.count += 1
        return _Value(found, needs)


def _needs(eqn: JaxprEqn, given: list[_Value]) -> int:
    """Return the collectives on which the one result of an equation depends, whatever XLA simplifies."""
    dtype = getattr(eqn.outvars[0].aval, "dtype", np.int32)
    if eqn.primitive.name not in _NEEDS_OPERANDS or not jnp.issubdtype(dtype, jnp.inexact):
        return 0
    return functools.reduce(int.__or__, (value.needs for value in given), 0)


def _hold(arrays: list[jax.Array], token: jax.Array) -> None:
    """Let one of the arrays, the smallest, wait for a token, if any can."""
    sizes = [(np.size(array), i) for i, array in enumerate(arrays) if _is_plain(array) and np.size(array)]
    if sizes:
        _, i = min(sizes)
        arrays[i] = order_after(token, jnp.asarray(arrays[i]))


# ---------------------------------------------------------------------- loops and branches: they take a token and give one


def _part(primitive: Primitive, closed: ClosedJaxpr) -> Callable[..., list[jax.Array]]:
    """Return the function (token, *arguments) -> [token, *results] of a jaxpr."""

    def run(token: jax.Array, *arrays: jax.Array) -> list[jax.Array]:
        chain = _Chain(primitive, token)
        outs = chain.evaluate(closed, map(_Value, arrays))
        return [token if chain.token is None else chain.token, *(out.array for out in outs)]

    return run


def _scan(primitive: Primitive, eqn: JaxprEqn, token: jax.Array, arrays: list[jax.Array]) -> list[jax.Array]:
    constants, carried = eqn.params["num_consts"], eqn.params["num_carry"]
    run = _part(primitive, eqn.params["jaxpr"])

    def body(state: list[jax.Array], rows: list[jax.Array]) -> tuple[list[jax.Array], list[jax.Array]]:
        token, *rest = state
        outs = run(token, *arrays[:constants], *rest, *rows)
        return outs[: 1 + carried], outs[1 + carried :]

    first = [token, *arrays[constants : constants + carried]]
    how = {name: eqn.params[name] for name in ("length", "reverse", "unroll")}
    last, rows = lax.scan(body, first, arrays[constants + carried :], **how)
    return [*last, *rows]


def _while(primitive: Primitive, eqn: JaxprEqn, token: jax.Array, arrays: list[jax.Array]) -> list[jax.Array]:
    asked, done = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    run = _part(primitive, eqn.params["body_jaxpr"])

    def goes_on(state: list[jax.Array]) -> jax.Array:
        chain = _Chain(primitive, state[0])
        return chain.results(eqn.params["cond_jaxpr"], [*arrays[:asked], *state[1:]])[0]

    def body(state: list[jax.Array]) -> list[jax.Array]:
        return run(state[0], *arrays[asked : asked + done], *state[1:])

    return lax.while_loop(goes_on, body, [token, *arrays[asked + done :]])


def _choose(
    primitive: Primitive, eqn: JaxprEqn, token: jax.Array, arrays: list[jax.Array]
) -> list[jax.Array]:
    branches = [_part(primitive, branch) for branch in eqn.params["branches"]]
    return lax.switch(arrays[0], branches, token, *arrays[1:])


def _recompute(
    primitive: Primitive, eqn: JaxprEqn, token: jax.Array, arrays: list[jax.Array]
) -> list[jax.Array]:
    closed = _close_jaxpr(eqn.params["jaxpr"])
    new = jax.make_jaxpr(_part(primitive, closed))(token, *_shapes(closed))
    inner = new.jaxpr.replace(constvars=(), invars=(*new.jaxpr.constvars, *new.jaxpr.invars))
    return eqn.primitive.bind(*new.consts, token, *arrays, **(eqn.params | {"jaxpr": inner}))


_INNER = {"scan": _scan, "while": _while, "cond": _choose} | dict.fromkeys(
    ("checkpoint", "remat2", "remat"), _recompute
)


def in_written_order(closed: ClosedJaxpr, primitive: Primitive) -> Callable[..., list[jax.Array]]:
    """Return the function of a jaxpr, whose collectives all run, in their order there.

    Args:
        closed: the jaxpr.
        primitive: that of collectives.
    """

    def run(*arrays: jax.Array) -> list[jax.Array]:
        return _Chain(primitive).results(closed, arrays)

    return run


def _is_plain(array: jax.Array) -> bool:
    """Return True for operands that can wait for a token: numbers and bools, not random keys or float0."""
    dtype = np.result_type(array) if np.isscalar(array) else array.dtype
    return jnp.issubdtype(dtype, np.number) or jnp.issubdtype(dtype, np.bool_)


def _evaluate(
    jaxpr: Jaxpr, eqn: JaxprEqn, arrays: Sequence[jax.Array], primitive: Primitive | None = None
) -> Sequence[jax.Array]:
    """Evaluate one equation; with `primitive`, collectives in its loops and branches in their order."""
    if primitive is not None:
        eqn = eqn.replace(params={name: _within(value, primitive) for name, value in eqn.params.items()})
    given = {v: array for v, array in zip(eqn.invars, arrays, strict=True) if not isinstance(v, Literal)}
    literals = any(isinstance(v, Literal) and v.val is not a for v, a in zip(eqn.invars, arrays, strict=True))
    if literals:  # a number that waits for a token is none any more
        out = eqn.primitive.bind(*arrays, **eqn.params)
        return out if eqn.primitive.multiple_results else [out]
    alone = jaxpr.replace(
        constvars=[], invars=list(given), outvars=eqn.outvars, eqns=[eqn], effects=eqn.effects
    )
    return jaxpr_as_fun(ClosedJaxpr(alone, []))(*given.values())


def _within(parameter: Any, primitive: Primitive) -> Any:
    if type(parameter) in (tuple, list):
        return type(parameter)([_within(each, primitive) for each in parameter])
    if not (hasattr(parameter, "eqns") or hasattr(parameter, "jaxpr")):
        return parameter
    closed = _close_jaxpr(parameter)
    if not _has(closed.jaxpr, primitive):
        return parameter
    new = jax.make_jaxpr(in_written_order(closed, primitive))(*_shapes(closed))
    return new if closed is parameter else new.jaxpr


def _shapes(closed: ClosedJaxpr) -> list[jax.ShapeDtypeStruct]:
    return [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in closed.in_avals]


def _close_jaxpr(code: Jaxpr | ClosedJaxpr) -> ClosedJaxpr:
    return code if isinstance(code, ClosedJaxpr) else ClosedJaxpr(code, [])


def _communicates(eqn: JaxprEqn, primitive: Primitive) -> bool:
    return any(_has(inner, primitive) for inner in jaxpr_queries.inner_jaxprs(eqn))


def _has(jaxpr: Jaxpr, primitive: Primitive) -> bool:
    return any(eqn.primitive is primitive for eqn in jaxpr_queries.all_equations(jaxpr))
