"""Residual policy of eager operators (rematerialization): save no array that costs less to recompute.

JAX saves every intermediate array that a derivative uses; normalization saves two of its input's size, `where` saves the
zeros that it chose from. Inside a compiled step that does not matter, because XLA sees both passes. Where the forward pass
is a program of its own, this module goes from the saved arrays back through elementwise arithmetic to the operator's
inputs and outputs and to small arrays, and saves those, if they are smaller in total.

It is the two-sided choice of Chen et al., "Training deep nets with sublinear memory cost" (2016), for one operator. An
eager step of ResNet-20 saves 57 MB so, where JAX's own choice is 107 (docs/performance.md, Memory).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeGuard

import jax
import jax.extend.core
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var

from msjax.core.xla.jaxpr_queries import ELEMENTWISE

Atom = Var | Literal

# Arrays of fewer bytes are always saved; and an array this many times smaller than another is small beside it.
_FEW_BYTES = 1024
_SMALLER = 4  # a mask beside what it is the mask of
# digamma and lgamma are elementwise but series of many terms; broadcasts and reshapes cost XLA nothing within a fusion.
_CHEAP = (ELEMENTWISE - {"digamma", "lgamma"}) | {
    *"bitcast_convert_type broadcast_in_dim expand_dims iota polynomial reshape squeeze".split()
}


class Plan(NamedTuple):
    """Variables to save in place of others.

    Attributes:
        saved: variables whose arrays are saved, each an input, an output or an intermediate one.
        again: the equations that recompute the rest from those, in order.
    """

    saved: list[Var]
    again: list[JaxprEqn]


def plan_residuals(
    jaxpr: Jaxpr, known: Sequence[Var], wanted: Sequence[Var], only_given: bool = False
) -> Plan:
    """Choose residuals from which `wanted` can be recomputed.

    Args:
        jaxpr: the forward pass.
        known: its input and output variables, which need no memory of their own but are not free to keep either.
        wanted: variables that the backward pass uses.
        only_given: True to save inputs and outputs wherever elementwise arithmetic leads from them, whatever they cost.
    """
    makers = {var: eqn for eqn in jaxpr.eqns for var in eqn.outvars}
    given = {var for var in known if _is_var(var)}
    wanted = list(dict.fromkeys(var for var in wanted if _is_var(var)))
    # Three candidates: save as JAX would; decide for each variable, largest first, so that later ones profit from what is
    # saved already; save the borders of all. The optimum would be a minimum cut; operators are too short to need one.
    borders = {var: _border(var, makers, given, only_given) for var in wanted}
    everything = {var for border in borders.values() for var in border}
    one_by_one: set[Var] = {var for var in wanted if var in given}
    for var in sorted(wanted, key=_bytes, reverse=True):
        more = borders[var] - one_by_one
        one_by_one |= more if sum(map(_bytes, more)) < _bytes(var) else {var}
    # Of equal ones, the one with most inputs and outputs, which others may keep anyway.
    chosen = min(
        (everything,) if only_given else (set(wanted), one_by_one, everything),
        key=lambda vars: (sum(map(_bytes, vars)), sum(map(_bytes, vars - given))),
    )
    order = dict.fromkeys(filter(_is_var, [*known, *(v for eqn in jaxpr.eqns for v in eqn.outvars)]))
    saved = [var for var in order if var in chosen]
    return Plan(saved, _needed_equations(jaxpr.eqns, wanted, chosen))


def _border(var: Var, makers: dict[Var, JaxprEqn], given: set[Var], only_given: bool) -> set[Var]:
    """Return the nearest variables from which elementwise arithmetic leads to `var`."""
    border, seen, stack, limit = set(), set(), [var], _bytes(var) // _SMALLER
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        eqn = makers.get(at)
        small = not only_given and _bytes(at) <= max(limit, _FEW_BYTES)
        if at in given or eqn is None or (small and at is not var) or not _is_cheap(eqn):
            border.add(at)
        else:
            stack += [v for v in eqn.invars if _is_var(v)]
    return border


def _needed_equations(eqns: Sequence[JaxprEqn], wanted: Iterable[Var], saved: set[Var]) -> list[JaxprEqn]:
    """Return the equations that lead from what is saved to what is wanted, in order."""
    missing = set(wanted) - saved
    kept = []
    for eqn in reversed(eqns):
        if missing.isdisjoint(eqn.outvars):
            continue
        kept.append(eqn)
        missing -= set(eqn.outvars)
        missing |= {v for v in eqn.invars if _is_var(v)} - saved
    return kept[::-1]


def _inline_calls(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Inline calls of jitted functions, as jnp makes them: their insides are elementwise arithmetic too."""
    jaxpr = closed.jaxpr
    if not any(_is_call(eqn) for eqn in jaxpr.eqns):
        return closed
    now: dict[Var, Atom] = {}  # what stands for an output of a call

    def current(things: Iterable[Atom]) -> list[Atom]:
        return [now.get(thing, thing) if _is_var(thing) else thing for thing in things]

    eqns = []
    for eqn in jaxpr.eqns:
        if not _is_call(eqn):
            eqns.append(eqn.replace(invars=current(eqn.invars)))
            continue
        called = eqn.params["jaxpr"]
        kinds = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in called.in_avals]
        inner = _inline_calls(jax.make_jaxpr(_function(called))(*kinds)).jaxpr  # with variables of its own
        within = dict(zip(inner.invars, current(eqn.invars), strict=True))

        def outside(things: Iterable[Atom], within: dict[Var, Atom] = within) -> list[Atom]:
            return [within.get(thing, thing) if _is_var(thing) else thing for thing in things]

        eqns += [step.replace(invars=outside(step.invars)) for step in inner.eqns]
        now.update(zip(eqn.outvars, outside(inner.outvars), strict=True))
    changed = jaxpr.replace(eqns=eqns, outvars=current(jaxpr.outvars))
    return jax.extend.core.ClosedJaxpr(changed, closed.consts)


def _is_call(eqn: JaxprEqn) -> bool:
    return eqn.primitive.name in {"jit", "pjit"} and not eqn.params["jaxpr"].consts


def _is_cheap(eqn: JaxprEqn) -> bool:
    called = eqn.params.get("call_jaxpr") if eqn.primitive.name == "custom_jvp_call" else None
    return eqn.primitive.name in _CHEAP or (called is not None and all(map(_is_cheap, called.jaxpr.eqns)))


def _is_var(thing: Atom) -> TypeGuard[Var]:
    return not isinstance(thing, Literal)


def _bytes(var: Var) -> int:
    aval: Any = var.aval
    return aval.size * getattr(aval.dtype, "itemsize", 8)


def with_minimal_residuals(
    forward: Callable[..., tuple[Any, Any]], values: Sequence[jax.Array], only_given: bool = False
) -> tuple[Any, list[Any], list[tuple[str, int]], Callable[..., list[Any]], Any]:
    """Call a forward pass and choose what to save.

    Args:
        forward: (*values) -> (outputs, residuals). `residuals.leaves` are arrays beside those among inputs and outputs,
            `residuals.pullback.sources` says of each array that the backward pass uses where it comes from.
        values: its inputs.
        only_given: as in `plan_residuals`.

    Returns:
        Outputs; arrays to save; sources of the arrays to keep, as in `Pullback`; the function that recomputes the arrays
        of the old sources from these; and the old pullback.
    """
    told: list[Any] = []

    def flat(*values: jax.Array) -> list[jax.Array]:
        out, residuals = forward(*values)
        told[:] = residuals.pullback, jax.tree.structure(out)
        return [*jax.tree.leaves(out), *residuals.leaves]

    closed = _inline_calls(jax.make_jaxpr(flat)(*values))
    pullback, tree = told
    jaxpr, count = closed.jaxpr, tree.num_leaves
    outputs, leaves = jaxpr.outvars[:count], jaxpr.outvars[count:]
    places = {"in": jaxpr.invars, "out": outputs, "saved": leaves}
    wanted = [places[kind][i] for kind, i in pullback.sources]
    chosen = plan_residuals(jaxpr, [*jaxpr.invars, *outputs], wanted, only_given)

    sources, saved = [], []
    for var in chosen.saved:
        if var in jaxpr.invars:
            sources.append(("in", jaxpr.invars.index(var)))
        elif var in outputs:
            sources.append(("out", outputs.index(var)))
        else:
            sources.append(("saved", len(saved)))
            saved.append(var)
    results = _function(closed, outvars=[*outputs, *saved])(*values)
    expand = _function(closed, invars=chosen.saved, eqns=chosen.again, outvars=wanted)
    return jax.tree.unflatten(tree, results[:count]), results[count:], sources, expand, pullback


def _function(closed: ClosedJaxpr, **changes: object) -> Callable[..., list[jax.Array]]:
    """Return part of a traced function as a function of arrays."""
    return jax.extend.core.jaxpr_as_fun(
        jax.extend.core.ClosedJaxpr(closed.jaxpr.replace(**changes), closed.consts)
    )
