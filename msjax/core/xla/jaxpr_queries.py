"""Queries on jaxprs: which primitives they contain."""

from collections.abc import Iterator

from jax.extend.core import ClosedJaxpr, Jaxpr

# Names of elementwise primitives: each element of a result depends on the elements of the operands at its index alone.
ELEMENTWISE = frozenset(
    """
    abs acos acosh add add_any and asin asinh atan atan2 atanh cbrt ceil clamp complex conj convert_element_type copy copy_p
    cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt imag integer_pow is_finite le lgamma log log1p log2
    logistic lt max min mul ne neg nextafter not one_minus_square or pow real reduce_precision rem round rsqrt select_n
    shift_left shift_right_arithmetic shift_right_logical sign sin sinh sqrt square stop_gradient sub tan tanh xor
    """.split()
)


def names(jaxpr: Jaxpr | ClosedJaxpr) -> Iterator[str]:
    """Yield the names of the primitives anywhere in a jaxpr, inner jaxprs included."""
    for eqn in jaxpr.eqns:
        yield eqn.primitive.name
        for value in eqn.params.values():
            for inner in value if isinstance(value, list | tuple) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from names(inner)


def contains(jaxpr: Jaxpr | ClosedJaxpr, name: str) -> bool:
    """Return True if a primitive whose name contains `name` occurs anywhere in a jaxpr."""
    return any(name in other for other in names(jaxpr))
