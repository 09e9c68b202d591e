"""Collectives of a program in the order in which it was written, in all processes.

Libraries such as gloo and NCCL match what processes send by its order alone. XLA orders collectives that do not need each
other by what is computed around them, so two programs that differ elsewhere would get each other's numbers. Here each
collective waits for the one before: it depends on a bit of its result, where it does not depend on the result anyway.
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
    """An array, and the collectives on whose results it depends: the i-th is bit i."""

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

    def _step(self, jaxpr: Jaxpr, eqn: JaxprEqn, given: list[_Value]) -> list[_Value]:
        name = eqn.primitive.name
        if name in _CALLS and not eqn.effects:
            return self.evaluate(_close_jaxpr(eqn.params[_CALLS[name]]), given)
        if eqn.primitive is not self.primitive and not _communicates(eqn, self.primitive):
            found = _evaluate(jaxpr, eqn, [value.array for value in given])
            # Of several results, each may need other operands.
            needs = (
                functools.reduce(int.__or__, (value.needs for value in given), 0) if len(found) == 1 else 0
            )
            return [_Value(array, needs) for array in found]
        if name in ("checkpoint", "remat2", "remat"):
            return self._recompute(eqn, given)
        return self._evaluate_in_order(jaxpr, eqn, given)

    def _evaluate_in_order(self, jaxpr: Jaxpr, eqn: JaxprEqn, given: list[_Value]) -> list[_Value]:
        """Evaluate a collective, or a loop or branch with collectives, after those before it."""
        last = 1 << self.count >> 1
        needs = functools.reduce(int.__or__, (value.needs for value in given), 0)
        arrays = [value.array for value in given]
        if self.token is not None and not needs & last:
            sizes = [(np.size(array), i) for i, array in enumerate(arrays) if _is_plain(array)]
            if sizes:  # a loop begins when it has all of its inputs
                _, i = min(sizes)
                arrays[i] = order_after(self.token, jnp.asarray(arrays[i]))
                needs |= last
        found = _evaluate(jaxpr, eqn, arrays, self.primitive)
        return self._note(found, needs)

    def _note(self, found: Sequence[Any], needs: int, token: jax.Array | None = None) -> list[_Value]:
        self.token = token_of(found[0]) if token is None else token
        needs |= 1 << self.count
        self.count += 1
        return [_Value(array, needs) for array in found]

    def _recompute(self, eqn: JaxprEqn, given: list[_Value]) -> list[_Value]:
        """Evaluate a checkpointed part: XLA inlines it, so it takes the token and returns a new one."""
        inner = _close_jaxpr(eqn.params["jaxpr"])

        def run(token: jax.Array, *arrays: jax.Array) -> list[jax.Array]:
            chain = _Chain(self.primitive, token)
            outs = chain.evaluate(inner, map(_Value, arrays))
            assert chain.token is not None
            return [chain.token, *(out.array for out in outs)]

        token = jnp.zeros((), np.int32) if self.token is None else self.token
        new = jax.make_jaxpr(run)(token, *_shapes(inner))
        arrays = [value.array for value in given]
        changed = eqn.params | {
            "jaxpr": new.jaxpr.replace(constvars=(), invars=(*new.jaxpr.constvars, *new.jaxpr.invars))
        }
        token, *found = eqn.primitive.bind(*new.consts, token, *arrays, **changed)
        needs = functools.reduce(int.__or__, (value.needs for value in given), 1 << self.count >> 1)
        return self._note(found, needs, token)


def in_written_order(closed: ClosedJaxpr, primitive: Primitive) -> Callable[..., list[Any]]:
    """Return the function of a jaxpr, whose collectives run in their order there.

    Args:
        closed: the jaxpr.
        primitive: that of collectives.
    """

    def run(*arrays: Any) -> list[Any]:
        return [value.array for value in _Chain(primitive).evaluate(closed, map(_Value, arrays))]

    return run


def _is_plain(array: Any) -> bool:
    """Return True for operands that can wait for a token: numbers and bools, not random keys or float0."""
    dtype = np.result_type(array) if np.isscalar(array) else array.dtype
    return jnp.issubdtype(dtype, np.number) or jnp.issubdtype(dtype, np.bool_)


def _evaluate(
    jaxpr: Jaxpr, eqn: JaxprEqn, arrays: Sequence[Any], primitive: Primitive | None = None
) -> Sequence[Any]:
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


def _close_jaxpr(code: Any) -> ClosedJaxpr:
    return code if hasattr(code, "jaxpr") else ClosedJaxpr(code, [])


def _communicates(eqn: JaxprEqn, primitive: Primitive) -> bool:
    return any(_has(inner, primitive) for inner in jaxpr_queries.inner_jaxprs(eqn))


def _has(jaxpr: Jaxpr, primitive: Primitive) -> bool:
    return any(eqn.primitive is primitive for eqn in jaxpr_queries.all_equations(jaxpr))
