"""Minimization after SciPy: `mindspore.scipy.optimize`. What is found has no gradient."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from optax.assignment import hungarian_algorithm

from msjax.core.autodiff.jvp_vjp_jacobian import transformation
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op, values_and_refs
from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor, tensors_in, wrap
from msjax.core.trace import trace
from msjax.ops.array.joining import stack
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array
from msjax.scipy._lagrange import LagrangeResults, map_to_bounds, search
from msjax.scipy._searches import (
    OptimizeResults,
    Step,
    at_least,
    dense,
    descend,
    first_length,
    limit_memory,
    wolfe,
)

__all__ = ["line_search", "linear_sum_assignment", "minimize"]


class LineSearchResults(NamedTuple):
    """Results of `line_search`.

    Attributes:
        failed: whether no step fulfils both conditions.
        nit: number of steps that were tried to find an interval, and 1 at least.
        nfev: how often the function was computed.
        ngev: how often its gradient was.
        k: number of the step.
        a_k: the step's length.
        f_k: the function's value there.
        g_k: its gradient there.
        status: 0; 1 if no step between two would do, 3 if there were no two.
    """

    failed: Any
    nit: Any
    nfev: Any
    ngev: Any
    k: Any
    a_k: Any
    f_k: Any
    g_k: Any
    status: Any


def _pure(fn: Callable, boxes: list[Tensor], captured: list[Tensor], traced: Any) -> Callable[[Array], Array]:
    """Return the function of its first argument alone, over arrays."""
    values, _ = values_and_refs([*boxes, *captured])
    rest = [lax.stop_gradient(v) for v in values[1:]]
    return lambda x: traced.fn(x, *rest)[0]


def _trace_objective(op_name: str, fn: Callable, args: tuple, size: int = 1) -> tuple[Callable, list[Array]]:
    """`fn`, which gives `size` numbers, as a function of its first argument over arrays, and the arguments' arrays."""
    boxes = tensors_in(args)
    traced = trace.trace(fn, args, {}, differentiable=True)
    if traced.written:
        checks.fail(ValueError, op_name, "func", "write to no Tensor", "a function that does")
    out = traced.closed.out_avals
    if len(out) != 1 or out[0].size != size:
        number = "one number" if size == 1 else "one number, and so each constraint"
        found = [tuple(aval.shape) for aval in out]
        checks.fail(ValueError, op_name, "func", f"give {number}", f"shapes {found}")
    plain = _pure(fn, boxes, traced.read(boxes), traced)
    shape = () if size == 1 else (size,)
    return (lambda x: plain(x).reshape(shape)), [lax.stop_gradient(v) for v in values_and_refs(boxes)[0]]


def _box(found: Any) -> Any:
    return jax.tree.map(wrap, found)


def _numbers(found: Any) -> Any:
    """Numbers of Python in place of Tensors without dimensions, where values are known."""
    if state.frame is not None:
        return found
    return type(found)(*[v.asnumpy().item() if isinstance(v, Tensor) and v.ndim == 0 else v for v in found])


# ---------------------------------------------------------------------- line search


def _line_search(fn: Callable, options: Any, xk: Any, pk: Any, given: Any, jac: Any) -> Any:
    c1, c2, maxiter = options
    old_fval, old_old_fval, gfk = given
    fun, (x,) = _trace_objective("line_search", fn, (xk,))
    p = lax.stop_gradient(values_and_refs([pk])[0][0])
    slope_at = jax.value_and_grad(fun if jac is None else _with_gradient(fun, jac, ()))

    def at(length: Array) -> tuple[Step, Array]:
        value, grad = slope_at(x + length * p)
        return Step(length, value, jnp.vdot(grad, p)), grad

    known = old_fval is not None and gfk is not None
    zero, first = jnp.zeros((), x.dtype), jnp.ones((), x.dtype)
    start, grad = at(zero)
    if known:
        grad = _value(gfk, x)
        start = Step(zero, _value(old_fval, x), jnp.vdot(grad, p))
    if old_old_fval is not None:
        first = first_length(start.value, _value(old_old_fval, x), start.slope)
    found = wolfe(lambda length: at(length)[0], first, c1, c2, maxiter, start)
    last, slope = at(found.trial.length)
    # Without a step that will do MindSpore gives 1 if there was an interval for it, and otherwise 0.
    nothing = Step(found.bracketed.astype(x.dtype), _either(found.bracketed, found.origin, start).value, zero)
    chosen = _either(found.done, last, nothing)
    tried = found.length + found.zooms + (0 if known else 1)
    status = jnp.where(found.done, 0, jnp.where(found.bracketed, 1, 3)).astype(jnp.int32)
    return _box(
        LineSearchResults(
            ~found.done, found.length, tried, tried, found.length + 1, at_least(chosen.length), chosen.value,
            jnp.where(found.done, slope, grad), status,
        )
    )  # fmt: skip


def _either(condition: Array, one: Step, other: Step) -> Step:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), one, other)


def _value(given: Any, x: Array) -> Array:
    value = values_and_refs([given])[0][0] if isinstance(given, Tensor) else jnp.asarray(given)
    return lax.stop_gradient(value).astype(x.dtype)


_run_line_search = transformation(_line_search)


def line_search(
    f: Callable,
    xk: Tensor,
    pk: Tensor,
    jac: Callable | None = None,
    gfk: Any = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """A step in one direction that fulfils the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, 3.1).

    Args:
        f (Function): of a Tensor of shape (n,), giving one number.
        xk (Tensor): where to start.
        pk (Tensor): direction.
        jac (Function, None): gradient of `f`. Default: derived.
        gfk (Tensor, None): gradient at the start.
        old_fval (Tensor, None): value at the start; used if `gfk` is given too.
        old_old_fval (Tensor, None): value before that, from which the first trial step follows.
        c1 (float): how much of the slope the function must fall by.
        c2 (float): how much of the slope may be left.
        maxiter (int): number of trial steps until one is too long; then ten more are made between.

    Returns:
        LineSearchResults: `failed`, `nit`, `nfev`, `ngev`, `k`, the step's length `a_k`, value `f_k` and gradient `g_k`
        there, and `status`.

    Raises:
        TypeError: if `f` or `jac` cannot be called or a place is not a Tensor.
        ValueError: if `f` gives more than a number.

    Examples:
        >>> import msjax as ms
        >>> found = ms.scipy.optimize.line_search(lambda x: (x * x).sum(), ms.Tensor([1.0]), ms.Tensor([-1.0]))
        >>> found.a_k, found.f_k, found.failed
        (1.0, 0.0, False)
    """
    for name, value in (("f", f), ("jac", jac or f)):
        if not callable(value):
            checks.fail(TypeError, "line_search", name, "be a function", repr(value))
    for name, value in (("xk", xk), ("pk", pk)):
        if not isinstance(value, Tensor):
            checks.fail(TypeError, "line_search", name, "be a Tensor", f"{value!r} ({type(value).__name__})")
    given = (old_fval, old_old_fval, gfk)
    return _numbers(_run_line_search(f, (c1, c2, maxiter), (xk, pk, given, jac), {}))


# ---------------------------------------------------------------------- minimize

_METHODS = ("bfgs", "lbfgs", "lagrange")
_LAGRANGE = {
    "obj_weight": 1.0, "lower": None, "upper": None, "learning_rate": 0.1, "coincide_fun": None, "rounds": 10,
    "steps": 1000, "log_sw": False,
}  # fmt: skip
_OPTIONS = {
    "bfgs": {"maxiter", "norm", "gtol", "line_search_maxiter"},
    "lbfgs": {
        "maxiter",
        "norm",
        "history_size",
        "gtol",
        "line_search_maxiter",
        "maxcor",
        "ftol",
        "maxfun",
        "maxls",
    },
    "lagrange": {"save_tol", *_LAGRANGE},
}


def _minimize(fn: Callable, options: Any, x0: Any, args: tuple, jac: Any) -> Any:
    method, tol, settings = options
    fun, values = _trace_objective("minimize", fn, (x0, *args))
    if jac is not None:
        fun = _with_gradient(fun, jac, args)
    given = dict(settings)
    kind = dense if method == "bfgs" else limit_memory(given.pop("history_size", given.pop("maxcor", 20)))
    given["most_trials"] = given.pop("maxls", given.pop("line_search_maxiter", 10))
    if tol is not None:
        given.setdefault("gtol", tol)
    return _box(descend(fun, values[0], kind, **given))


def _with_gradient(fun: Callable, jac: Callable, args: tuple) -> Callable:
    """Return the function with a gradient of the user's."""
    slope = jax.custom_jvp(fun)

    def gradient(x: Array) -> Array:
        return jac(Tensor.from_array(x), *args).array

    slope.defjvps(lambda change, _, x: jnp.vdot(gradient(x), change))
    return slope


_run_minimize = transformation(_minimize)


def _solve_constrained(fn: Callable, options: Any, x0: Any, bounds: Any, tolerances: Any) -> Any:
    count, settings = options
    values, (x,) = _trace_objective("minimize", fn, (x0,), count + 1)
    lower, upper = (None if bound is None else _value(bound, x) for bound in bounds)
    tols = jnp.ones(count, x.dtype) if tolerances is None else jnp.asarray(tolerances, x.dtype)
    return _box(search(values, x, tols, map_to_bounds(lower, upper), *settings))


_run_constrained = transformation(_solve_constrained)


def _lagrange(func: Callable, x0: Tensor, constraints: Sequence[Callable], tol: Any, options: dict) -> Any:
    """`minimize` with method "LAGRANGE"."""
    given = {"save_tol": tol, **_LAGRANGE, **options}
    common = given["coincide_fun"]
    for name, value in (("constraints", constraints), ("coincide_fun", [common] if common else ())):
        if not isinstance(value, list | tuple) or not all(map(callable, value)):
            checks.fail(TypeError, "minimize", name, "be functions", repr(value))
    tolerances = given["save_tol"]
    if tolerances is not None and len(tolerances) != len(constraints):
        checks.fail(
            ValueError, "minimize", "tol", f"hold {len(constraints)} numbers, one of each constraint", tol
        )

    def together(x: Tensor) -> Tensor:
        args = (x,) if common is None else (x, common(x))
        return stack([f(*args).reshape(()) for f in (func, *constraints)])

    settings = tuple(given[name] for name in ("obj_weight", "learning_rate", "rounds", "steps"))
    bounds = (given["lower"], given["upper"])
    tols = None if tolerances is None else tuple(float(t) for t in tolerances)
    found = _run_constrained(together, (len(constraints), settings), (x0, bounds, tols), {})
    if state.frame is not None:
        return found
    best, value, losses = (v.asnumpy() for v in found[1:])
    return LagrangeResults(bool(found.succeeded), best, value, losses)


def minimize(
    func: Callable,
    x0: Tensor,
    args: tuple = (),
    method: str | None = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Any = None,
    options: dict[str, Any] | None = None,
) -> OptimizeResults:
    """Return a place where a function is least (Nocedal and Wright, Numerical Optimization, 6.1, 7.2 and 17.4).

    Args:
        func (Function): of a Tensor of shape (n,) and of `args`, giving one number; with "LAGRANGE" of the Tensor, and of
            what "coincide_fun" gives, if that is there.
        x0 (Tensor): where to start, floating.
        args (tuple): further arguments of `func`.
        method (str): "BFGS", "LBFGS", or "LAGRANGE": under constraints, by Adam and multipliers.
        jac (Function, None): gradient of `func`. Default: derived.
        hess (None): None only.
        hessp (None): None only.
        bounds (None): None only.
        constraints (tuple, list): with "LAGRANGE", functions like `func` that must be less than `tol`; else empty.
        tol (float, list, None): length of the gradient that counts as 0; with "LAGRANGE" one number of each constraint.
        callback (None): None only.
        options (dict, None): "maxiter", "norm", "gtol" and "line_search_maxiter"; of LBFGS also "history_size"
            (or "maxcor"), "ftol", "maxfun" and "maxls". Of LAGRANGE "save_tol", "obj_weight", "lower", "upper" (bounds,
            Tensors), "learning_rate", "coincide_fun" (what all functions share, their second argument), "rounds", "steps"
            and "log_sw" (nothing is logged).

    Returns:
        OptimizeResults: the place `x`, `success`, `status`, the value `fun`, the gradient `jac`, `hess_inv`, and the
        counts `nfev`, `njev`, `nit`. LagrangeResults: `succeeded`, and of the best place `best_value`, `object_value` and
        `loss_value`, as NumPy's arrays outside of compiled functions.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `method` is none of these, or an argument has another value.

    Examples:
        >>> import msjax as ms
        >>> found = ms.scipy.optimize.minimize(lambda x: ((x - 1) ** 2).sum(), ms.Tensor([0.0, 3.0]), method="BFGS")
        >>> print(found.x.round(3), found.success)
        [1. 1.] True
    """
    if method is None:
        checks.fail(ValueError, "minimize", "method", "be 'BFGS', 'LBFGS' or 'LAGRANGE'", None)
    checks.check_choice("minimize", _METHODS, method=method.lower() if isinstance(method, str) else method)
    if not callable(func):
        checks.fail(TypeError, "minimize", "func", "be a function", repr(func))
    if not isinstance(x0, Tensor) or not x0.dtype.is_floating_point:
        checks.fail(TypeError, "minimize", "x0", "be a floating Tensor", repr(x0))
    if x0.ndim != 1:
        checks.fail(ValueError, "minimize", "x0", "have one dimension", f"Tensor of shape {x0.shape}")
    if not isinstance(args, tuple):
        checks.fail(TypeError, "minimize", "args", "be a tuple", f"{args!r} ({type(args).__name__})")
    for name, value in (("hess", hess), ("hessp", hessp), ("bounds", bounds), ("callback", callback)):
        if value is not None:
            checks.fail(ValueError, "minimize", name, "be None", repr(value))
    lagrange = method.lower() == "lagrange"
    if constraints is not None and len(constraints) and not lagrange:
        checks.fail(
            ValueError, "minimize", "constraints", "be empty without method 'LAGRANGE'", repr(constraints)
        )
    settings = {k: v for k, v in (options or {}).items() if v is not None}
    unknown = set(settings) - _OPTIONS[method.lower()]
    if unknown:
        known = sorted(_OPTIONS[method.lower()])
        checks.fail(TypeError, "minimize", "options", f"hold {known} alone", sorted(unknown))
    if lagrange:
        return _lagrange(func, x0, constraints or (), tol, settings)
    chosen = (method.lower(), tol, tuple(sorted(settings.items())))
    return _numbers(_run_minimize(func, chosen, (x0, args, jac), {}))


# ---------------------------------------------------------------------- assignment


@op(static="maximize limit")
def _assign(cost_matrix: ArrayLike, maximize: BoolLike, limit: int | None) -> tuple[Array, Array]:
    x = as_array("linear_sum_assignment", "cost_matrix", cost_matrix)
    checks.check_rank("linear_sum_assignment", 2, cost_matrix=x)
    pairs = min(x.shape)
    x = x[:, : x.shape[1] if limit is None else limit]
    x = x.astype(jnp.float64 if x.dtype.itemsize == 8 else jnp.float32)
    rows, columns = hungarian_algorithm(-x if maximize else x)
    order = jnp.argsort(rows)
    short = (0, pairs - rows.shape[0])
    first, second = (jnp.pad(i[order].astype(jnp.int64), short, constant_values=-1) for i in (rows, columns))
    return first, second


def linear_sum_assignment(
    cost_matrix: Any, maximize: bool, dimension_limit: Any = 2**63 - 1
) -> tuple[Any, Any]:
    """Return the cheapest assignment of rows to columns, each at most once (Crouse, IEEE Trans. Aerosp. 52(4), 2016).

    Args:
        cost_matrix (Tensor): costs, of shape (m, n), real.
        maximize (bool): look for the dearest instead.
        dimension_limit (int, Tensor): number of columns that count. Default: all.

    Returns:
        Rows in ascending order, and the column of each: two Tensors of shape (min(m, n),), int64; -1 where fewer columns
        count.

    Raises:
        TypeError: if `maximize` is not a bool.
        ValueError: if `cost_matrix` is not a matrix.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.scipy.optimize.linear_sum_assignment(ms.Tensor([[4.0, 1.0], [2.0, 0.0]]), False))
        [0 1] [1 0]
    """
    checks.check_bools("linear_sum_assignment", maximize=maximize)
    limit = int(dimension_limit)
    columns = cost_matrix.shape[1] if len(cost_matrix.shape) == 2 else 0
    return _assign(cost_matrix, maximize, limit if limit < columns else None)
