"""Taylor-mode automatic differentiation: `jet` and `derivative`, all orders up to one in a single pass."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.jet import jet as jax_jet

from msjax.core import dtype as dtypes
from msjax.core.autodiff.jvp_vjp_jacobian import transformation
from msjax.core.op.op import values_and_refs
from msjax.core.tape import nodes
from msjax.core.tensor.tensor import Tensor, wrap
from msjax.core.trace import trace
from msjax.core.xla import jaxpr_queries
from msjax.ops.common import checks
from msjax.ops.math.casts import cast


def _along(
    fn: Callable, primals: Sequence[Any], series: Sequence[Any], plain: bool
) -> tuple[list[Any], list[Any]]:
    """Outputs and their derivatives, by `jax.experimental.jet`, or one forward mode in another where that has no rule."""
    if not plain:  # jax's own goes astray in functions whose derivative is given
        return _nest_forward_modes(fn, primals, series)
    try:
        out, found = jax_jet(fn, tuple(primals), tuple(list(s) for s in series))
        return list(out), [
            jnp.stack([jnp.broadcast_to(t, o.shape) for t in s]) for o, s in zip(out, found, strict=True)
        ]
    except (NotImplementedError, KeyError):
        return _nest_forward_modes(fn, primals, series)


def _nest_forward_modes(
    fn: Callable, primals: Sequence[Any], series: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Return the same, as derivatives in t of fn at primals + t s1 + t^2 s2 / 2 + ..."""

    def curve(t: Any) -> list[Any]:
        moved = []
        for x, terms in zip(primals, series, strict=True):
            power = jnp.ones((), x.dtype)
            for k in range(terms.shape[0]):
                power = power * t.astype(x.dtype) / (k + 1)
                x = x + terms[k] * power
            moved.append(x)
        return fn(*moved)

    orders, slope = [], curve
    for _ in range(series[0].shape[0]):
        slope = _slope(slope)
        orders.append(slope(jnp.zeros(())))
    return list(fn(*primals)), [jnp.stack(terms) for terms in zip(*orders, strict=True)]


def _slope(curve: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    return lambda t: jax.jvp(curve, (t,), (jnp.ones_like(t),))[1]


def _jet(fn: Callable, options: Any, primals: Any, series: Any) -> Any:
    boxes, terms = _as_list(primals), _as_list(series)
    traced = trace.trace(fn, tuple(boxes), {}, differentiable=True)
    n = len(boxes)
    captured = traced.read(boxes)
    count = traced.outputs
    plain = not jaxpr_queries.contains(traced.closed.jaxpr, "custom_jvp")

    def both(*values: Any) -> list[Any]:
        rest = values[2 * n :]
        out, found = _along(
            lambda *inputs: traced.fn(*inputs, *rest)[:count], values[:n], values[n : 2 * n], plain
        )
        written = traced.fn(*values[:n], *rest)[count:]
        return [*out, *written, *found]

    values, refs = values_and_refs([*boxes, *terms, *captured])
    results = nodes.variables(*nodes.execute(nodes.Program(both, "jet"), values, refs))
    whole = len(traced.closed.out_avals)
    out = traced.finish(results[:whole], boxes)
    moved = iter([wrap(*result) for result in results[whole:]])
    return out, jax.tree.map(lambda _: next(moved), out, is_leaf=trace.is_tensor)


def _as_list(given: Any) -> list[Tensor]:
    """Return the Tensors of one argument: itself, or those of a tuple or list."""
    return list(given) if isinstance(given, tuple | list) else [given]


_run_jet = transformation(_jet)


def _to_floating(op_name: str, primals: Any) -> Any:
    """Tensors that can be moved: integers become float32."""

    def moved(x: Any) -> Tensor:
        if not isinstance(x, Tensor):
            checks.fail(TypeError, op_name, "primals", "hold Tensors", f"{x!r} ({type(x).__name__})")
        return x if x.dtype.is_floating_point or x.dtype.is_complex else cast(x, dtypes.float32)

    return tuple(map(moved, primals)) if isinstance(primals, tuple | list) else moved(primals)


def jet(fn: Callable, primals: Any, series: Any) -> tuple[Any, Any]:
    """Derivatives of a function along a curve: of orders 1 to n, from those of the curve.

    Args:
        fn (Function, Cell): of Tensors, giving one Tensor or several.
        primals (Tensor, tuple[Tensor]): where the curve is at time 0.
        series (Tensor, tuple[Tensor]): for each of these its derivatives in time of orders 1 to n, along a first axis.

    Returns:
        What `fn` gives at time 0, and its derivatives in time of orders 1 to n, along a first axis.

    Raises:
        TypeError: if an argument is not a Tensor.
        ValueError: if the shapes of `series` do not fit.

    Examples:
        >>> import msjax as ms
        >>> out, orders = ms.ops.jet(lambda x: x**3, ms.Tensor([2.0]), ms.Tensor([[1.0], [0.0], [0.0]]))
        >>> print(out, orders.ravel())
        [8.] [12. 12.  6.]
    """
    primals, series = _to_floating("jet", primals), _to_floating("jet", series)
    points, terms = _as_list(primals), _as_list(series)
    fits = len(points) == len(terms) and all(
        s.shape[1:] == x.shape and s.shape[:1] == terms[0].shape[:1] and s.shape[0] > 0
        for x, s in zip(points, terms, strict=True)
    )
    if not fits:
        checks.fail(
            ValueError, "jet", "series",
            "hold for each of `primals` a Tensor of shape (orders, *shape)",
            f"shapes {[s.shape for s in terms]}, primals of shapes {[x.shape for x in points]}",
        )  # fmt: skip
    return _run_jet(fn, None, (primals, series), {})


def derivative(fn: Callable, primals: Any, order: int) -> tuple[Any, Any]:
    """Derivative of some order of a function in all its inputs at once.

    Args:
        fn (Function, Cell): of Tensors, giving one Tensor or several.
        primals (Tensor, tuple[Tensor]): where.
        order (int): of the derivative, at least 1.

    Returns:
        What `fn` gives there, and its derivative of that order along (1, ..., 1).

    Raises:
        TypeError: if an argument is not a Tensor, or `order` not an int.
        ValueError: if `order` is less than 1.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.derivative(lambda x: x**3, ms.Tensor([2.0]), 2))
        [8.] [12.]
    """
    checks.check_ints("derivative", order=order)
    if order < 1:
        checks.fail(ValueError, "derivative", "order", "be at least 1", order)
    primals = _to_floating("derivative", primals)

    def unit(x: Tensor) -> Tensor:
        start = jnp.zeros((order, *x.shape), x.array.dtype).at[0].set(1)
        return Tensor.from_array(start)

    series = tuple(map(unit, primals)) if isinstance(primals, tuple) else unit(primals)
    out, orders = jet(fn, primals, series)
    last = jax.tree.map(lambda t: t[-1], orders, is_leaf=trace.is_tensor)
    return out, last
