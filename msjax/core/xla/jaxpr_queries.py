"""Queries on jaxprs: which primitives they contain, and which outputs depend on which inputs."""

import itertools
from collections.abc import Iterable, Iterator

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var

# Names of elementwise primitives: each element of a result depends on the elements of the operands at its index alone.
ELEMENTWISE = frozenset(
    """
    abs acos acosh add add_any and asin asinh atan atan2 atanh cbrt ceil clamp complex conj convert_element_type copy copy_p
    cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt imag integer_pow is_finite le lgamma log log1p log2
    logistic lt max min mul ne neg nextafter not one_minus_square or pow real reduce_precision rem round rsqrt select_n
    shift_left shift_right_arithmetic shift_right_logical sign sin sinh sqrt square stop_gradient sub tan tanh xor
    """.split()
)


def inner_jaxprs(eqn: JaxprEqn) -> Iterator[Jaxpr]:
    """Yield the jaxprs among an equation's parameters: the body of a loop, the branches of a choice, a called function."""
    for value in eqn.params.values():
        for inner in value if isinstance(value, list | tuple) else (value,):
            inner = getattr(inner, "jaxpr", inner)
            if hasattr(inner, "eqns"):
                yield inner


def all_equations(jaxpr: Jaxpr | ClosedJaxpr) -> Iterator[JaxprEqn]:
    """Yield the equations of a jaxpr in order, each followed by those of its inner jaxprs."""
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in inner_jaxprs(eqn):
            yield from all_equations(inner)


def contains(jaxpr: Jaxpr | ClosedJaxpr, *names: str) -> bool:
    """Return True if a primitive whose name contains one of `names` occurs anywhere in a jaxpr."""
    return any(name in eqn.primitive.name for eqn in all_equations(jaxpr) for name in names)


# Names of primitives that call one inner jaxpr with their operands, and give its outputs.
_CALLS = frozenset({"jit", "pjit", "closed_call", "checkpoint", "remat", "remat2"})


def find_differentiable_outputs(jaxpr: Jaxpr, inputs: Iterable[Var]) -> list[bool]:
    """Return for each output of a jaxpr whether gradients may flow from it to one of these inputs.

    They end at `stop_gradient`. A loop, a choice or a custom derivative passes them from each operand to each result.
    """
    reached = set(inputs)
    for eqn in jaxpr.eqns:
        operands = [type(operand) is not Literal and operand in reached for operand in eqn.invars]
        if not any(operands) or eqn.primitive.name == "stop_gradient":
            continue
        called = next(inner_jaxprs(eqn)) if eqn.primitive.name in _CALLS else None
        found = itertools.repeat(True)
        if called is not None:
            found = find_differentiable_outputs(called, itertools.compress(called.invars, operands))
        reached.update(itertools.compress(eqn.outvars, found))
    return [type(var) is not Literal and var in reached for var in jaxpr.outvars]
