"""Layout propagation: images channels-last inside compiled programs on CPU, wherever that moves no more data.

XLA's convolutions on CPU take images channels-last. In a program written channels-first, images are transposed before and
after each convolution, and so are their gradients. `channels_last` evaluates a traced function with the results of
convolutions left as they come: elementwise arithmetic, reductions and windows work on them in that order, and other
operations get the written order back.

The idea is layout propagation, as in Liu et al., "Optimizing CNN model inference on CPUs" (2019).
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var

from msjax.core.xla import conv_as_matmul
from msjax.core.xla.jaxpr_queries import ELEMENTWISE, contains

Order = tuple[int, ...]  # the axes of an array in the order in which they are stored

_REDUCTIONS = frozenset("reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or".split())
_WINDOWED = frozenset("reduce_window_max reduce_window_min reduce_window_sum".split())
_CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}


class RelaidArray:
    """An array together with the orders (permutations of its axes) in which it is stored.

    Attributes:
        shape: as written.
        order: the one that costs nothing.
    """

    __slots__ = ("_known", "_make", "order", "shape")

    def __init__(
        self, value: jax.Array, order: Order | None = None, make: Callable[[Order], jax.Array] | None = None
    ) -> None:
        shape = jnp.shape(value)
        self.order = _identity_order(len(shape)) if order is None else order
        sizes = dict(zip(self.order, shape, strict=True))
        self.shape = tuple([sizes[a] for a in range(len(shape))])
        self._known = {self.order: value}
        self._make = make

    def in_order(self, order: Order) -> jax.Array:
        """Return the array with its axes in this order, transposed at most once."""
        # Each order is made once, however many steps ask for it
        # (test_channels_last.test_images_are_turned_no_more_than_once).
        found = self._known.get(order)
        if found is None:
            if self._make is not None:
                found = self._make(order)
            else:
                found = lax.transpose(self._known[self.order], [self.order.index(a) for a in order])
            self._known[order] = found
        return found

    @property
    def moved(self) -> bool:
        """True if the array is stored in another order than the written one."""
        return self.order != _identity_order(len(self.order))

    def as_written(self) -> jax.Array:
        """Return the array as written."""
        return self.in_order(_identity_order(len(self.order)))


def _identity_order(rank: int) -> Order:
    return tuple(range(rank))


def pays_off(closed: ClosedJaxpr) -> bool:
    """Return True if a traced function has convolutions that gain by channels-last order on this backend."""
    return jax.default_backend() == "cpu" and contains(closed.jaxpr, "conv_general_dilated")


def channels_last(closed: ClosedJaxpr) -> Callable[..., list[jax.Array]]:
    """Return the function of a closed jaxpr, evaluated with its images channels-last."""

    def run(*values: jax.Array) -> list[jax.Array]:
        return [out.as_written() for out in _evaluate(closed, [RelaidArray(v) for v in values])]

    return run


def with_channels_last(fn: Callable) -> Callable:
    """Wrap a function of arrays so that it is traced with its images channels-last."""

    @functools.wraps(fn)
    def run(*args: object) -> list[jax.Array]:
        closed, shape = jax.make_jaxpr(fn, return_shape=True)(*args)
        return jax.tree.unflatten(jax.tree.structure(shape), channels_last(closed)(*jax.tree.leaves(args)))

    return run


def _evaluate(closed: ClosedJaxpr, arguments: Sequence[RelaidArray]) -> list[RelaidArray]:
    jaxpr = closed.jaxpr
    known: dict[Var, RelaidArray] = dict(zip(jaxpr.constvars, map(RelaidArray, closed.consts), strict=True))
    known.update(zip(jaxpr.invars, arguments, strict=True))

    def read(thing: Var | Literal) -> RelaidArray:
        return RelaidArray(thing.val) if isinstance(thing, Literal) else known[thing]

    for eqn in jaxpr.eqns:
        inputs = [read(v) for v in eqn.invars]
        known.update(zip(eqn.outvars, _step(jaxpr, eqn, inputs), strict=True))
    return [read(v) for v in jaxpr.outvars]


def _step(jaxpr: Jaxpr, eqn: JaxprEqn, inputs: list[RelaidArray]) -> list[RelaidArray]:
    name = eqn.primitive.name
    inner = eqn.params.get(_CALLS[name]) if name in _CALLS else None
    if inner is not None and not inner.effects:
        # Calls are inlined: an inner function with arrays in another order could not be called as it is.
        return _evaluate(inner, inputs)
    rule = _RULES.get(name)
    # Only what a convolution has moved is worth a rule; everything else is evaluated as written.
    if rule is not None and (name in _ALWAYS or any(i.moved for i in inputs)):
        found = rule(eqn, inputs)
        if found is not None:
            return [found]
    return [RelaidArray(value) for value in _as_it_is(jaxpr, eqn, [i.as_written() for i in inputs])]


def _as_it_is(jaxpr: Jaxpr, eqn: JaxprEqn, values: Sequence[jax.Array]) -> Sequence[jax.Array]:
    """Evaluate a step on arrays as written; bodies of loops and branches in it are made channels-last like the whole."""
    inner = {name: _within_code(value) for name, value in eqn.params.items() if _holds_code(value)}
    if inner:
        eqn = eqn.replace(params=eqn.params | inner)
        given = {v: value for v, value in zip(eqn.invars, values, strict=True) if not hasattr(v, "val")}
        alone = jaxpr.replace(
            constvars=[], invars=list(given), outvars=eqn.outvars, eqns=[eqn], effects=eqn.effects
        )
        return jax.extend.core.jaxpr_as_fun(jax.extend.core.ClosedJaxpr(alone, []))(*given.values())
    out = _bind(eqn, values)
    return out if eqn.primitive.multiple_results else [out]


def _holds_code(parameter: Any) -> bool:
    """Return True if a parameter is a function or a jaxpr, or holds one."""
    if type(parameter) in (tuple, list):
        return any(map(_holds_code, parameter))
    if callable(parameter):
        return not isinstance(parameter, type)
    return hasattr(parameter, "eqns") or hasattr(parameter, "jaxpr")


def _within_code(parameter: Any) -> object:
    """Make every jaxpr with convolutions in a parameter channels-last inside; its inputs and outputs stay as written."""
    if type(parameter) in (tuple, list):
        return type(parameter)(map(_within_code, parameter))
    closed = parameter if hasattr(parameter, "jaxpr") else None
    if hasattr(parameter, "eqns") and closed is None:
        closed = jax.extend.core.ClosedJaxpr(parameter, [])
    if closed is None or not contains(closed.jaxpr, "conv_general_dilated"):
        return parameter
    kinds = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in closed.in_avals]
    new = jax.make_jaxpr(channels_last(closed))(*kinds)
    # Loops demand that types of their state are kept to the last bit, weak types included.
    if new.out_avals != closed.out_avals:
        return parameter
    if closed is parameter:
        return new
    return parameter if new.consts else new.jaxpr


def _bind(eqn: JaxprEqn, values: Sequence[jax.Array], **changes: object) -> Any:
    return eqn.primitive.bind(*values, **(eqn.params | changes))


# ------------------------------------------------------------------------------------------------ what moves with it


def _convolution(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    """Convolve operands in any order, by renumbering dimensions; results are images channels-last."""
    numbers = eqn.params["dimension_numbers"]
    lhs, rhs = inputs
    other = _otherwise(eqn, lhs, rhs)
    if other is not None:
        return other
    rank = len(lhs.shape)
    out = _identity_order(rank)
    image = (0, 1, *range(2, rank))
    if numbers.lhs_spec == image and numbers.out_spec == image and eqn.params["batch_group_count"] == 1:
        # The one choice of this pass: results of convolutions stay in XLA's own order. Everything else follows inputs.
        out = (0, *range(2, rank), 1)
    moved = lax.ConvDimensionNumbers(
        _within(numbers.lhs_spec, lhs.order),
        _within(numbers.rhs_spec, rhs.order),
        _within(numbers.out_spec, out),
    )
    value = _bind(eqn, [lhs.in_order(lhs.order), rhs.in_order(rhs.order)], dimension_numbers=moved)
    return RelaidArray(value, out)


def _otherwise(eqn: JaxprEqn, lhs: RelaidArray, rhs: RelaidArray) -> RelaidArray | None:
    """Return a convolution that `conv_as_matmul` rewrites into products and sums; None for others."""
    numbers = eqn.params["dimension_numbers"]
    at, of = _within(numbers.lhs_spec, lhs.order), _within(numbers.rhs_spec, rhs.order)
    made: Any = eqn.outvars[0].aval
    convolution = conv_as_matmul.Convolution(
        lhs.in_order(lhs.order),
        rhs.in_order(rhs.order),
        conv_as_matmul.Axes(at[0], at[1], at[2:]),
        conv_as_matmul.Axes(of[0], of[1], of[2:]),
        tuple([made.shape[a] for a in numbers.out_spec[2:]]),
        eqn.params,
    )
    found = conv_as_matmul.rewrite_convolution(convolution)
    if found is None:
        return None
    value, names = found
    batch, feature, *space = numbers.out_spec
    axes = {"batch": batch, "feature": feature, **dict(enumerate(space))}
    out = RelaidArray(value, tuple([axes[name] for name in names]))
    return (
        out
        if _identity_order(len(out.order)) == numbers.out_spec == numbers.lhs_spec
        else RelaidArray(out.as_written())
    )


def _within(axes: Sequence[int], order: Order) -> tuple[int, ...]:
    """Return the positions of axes in a storage order."""
    return tuple([order.index(a) for a in axes])


def _elementwise(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    order = _common(inputs)
    return RelaidArray(_bind(eqn, [i.in_order(order) if i.shape else i.as_written() for i in inputs]), order)


def _common(inputs: Sequence[RelaidArray]) -> Order:
    """Return the order of the largest input that is stored in another than the written one: the others are moved to it."""
    return max((i for i in inputs if i.moved), key=lambda i: math.prod(i.shape)).order


def _broadcast(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray | None:
    """Broadcast lazily: the result can be made in any order at the same cost."""
    shape, axes = eqn.params["shape"], eqn.params["broadcast_dimensions"]
    if len(inputs) > 1 or eqn.params.get("sharding") is not None:
        return None
    operand = inputs[0].as_written()

    def make(order: Order) -> jax.Array:
        # XLA's broadcast needs the operand's axes in increasing order of the result: transposed first, while it is small.
        places = _within(axes, order)
        by_place = sorted(range(len(places)), key=places.__getitem__)
        turned = lax.transpose(operand, by_place) if by_place != list(range(len(places))) else operand
        return lax.broadcast_in_dim(turned, [shape[a] for a in order], [places[i] for i in by_place])

    return RelaidArray(make(_identity_order(len(shape))), make=make)


def _reduction(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    return _without(eqn, inputs[0], "axes")


def _squeeze(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    return _without(eqn, inputs[0], "dimensions")


def _without(eqn: JaxprEqn, x: RelaidArray, name: str) -> RelaidArray:
    """Evaluate an operation that removes the axes named by this parameter."""
    axes = [a % len(x.shape) for a in eqn.params[name]]
    left = [a for a in range(len(x.shape)) if a not in axes]
    order = tuple([left.index(a) for a in x.order if a not in axes])
    return RelaidArray(
        _bind(eqn, [x.in_order(x.order)], **{name: tuple(sorted(_within(axes, x.order)))}), order
    )


def _reduce_window(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    order = _common(inputs)
    names = ["window_dimensions", "window_strides", "padding", "base_dilation", "window_dilation"]
    changes = {n: tuple([eqn.params[n][a] for a in order]) for n in names if n in eqn.params}
    return RelaidArray(_bind(eqn, [i.in_order(order) for i in inputs], **changes), order)


def _transpose(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    (x,) = inputs
    permutation = eqn.params["permutation"]
    return RelaidArray(x.in_order(x.order), tuple([permutation.index(a) for a in x.order]))


def _pad(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    x, value = inputs
    config = eqn.params["padding_config"]
    padded = _bind(
        eqn, [x.in_order(x.order), value.as_written()], padding_config=tuple([config[a] for a in x.order])
    )
    return RelaidArray(padded, x.order)


def _slice(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    (x,) = inputs
    changes = {
        n: None if (v := eqn.params[n]) is None else tuple([v[a] for a in x.order])
        for n in ("start_indices", "limit_indices", "strides")
    }
    return RelaidArray(_bind(eqn, [x.in_order(x.order)], **changes), x.order)


def _concatenate(eqn: JaxprEqn, inputs: list[RelaidArray]) -> RelaidArray:
    order = _common(inputs)
    (axis,) = _within([eqn.params["dimension"]], order)
    return RelaidArray(_bind(eqn, [i.in_order(order) for i in inputs], dimension=axis), order)


# These decide on an order even when no input has been moved.
_ALWAYS = frozenset(["conv_general_dilated", "broadcast_in_dim"])
_RULES: dict[str, Callable[[JaxprEqn, list[RelaidArray]], RelaidArray | None]] = {
    "conv_general_dilated": _convolution,
    "broadcast_in_dim": _broadcast,
    "transpose": _transpose,
    "pad": _pad,
    "slice": _slice,
    "concatenate": _concatenate,
    "squeeze": _squeeze,
    "select_and_scatter_add": _reduce_window,
    **dict.fromkeys(ELEMENTWISE, _elementwise),
    **dict.fromkeys(_REDUCTIONS, _reduction),
    **dict.fromkeys(_WINDOWED, _reduce_window),
}
