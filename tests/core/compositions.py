"""Ways to make a new function of a function, each over Tensors and, for comparison, over arrays with jax alone.

A function here takes a 0-d Tensor and gives one. `WAYS` names (over Tensors, over arrays): each takes such a function
and gives another. Over arrays, state is a plain Python list, and forward mode is reverse mode applied twice, because a
custom derivative has no other.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from msjax.core.autodiff import custom_vjp, hooks
from msjax.core.autodiff.grad import grad, value_and_grad
from msjax.core.autodiff.imperative import no_grad
from msjax.core.autodiff.jvp_vjp_jacobian import jvp, recompute
from msjax.core.autodiff.vmap import vmap
from msjax.core.control import control_flow
from msjax.core.jit.jit import jit
from msjax.core.op.op import op
from msjax.core.tensor import random_state
from msjax.core.tensor.tensor import Tensor, node_of, resolve, wrap

Fn = Callable[[Any], Any]

add, mul, sin, total = (
    op(lambda a, b: a + b),
    op(lambda a, b: a * b),
    op(lambda a: jnp.sin(a)),
    op(lambda a: a.sum()),
)
pair, less = op(lambda a, b: jnp.stack([a, b])), op(lambda a, b: a < b)
item = op(lambda a, index: a[index], static="index")
part = op(lambda a, index: a[index], static="index", view=lambda base, new, index: base.at[index].set(new))
uniform = op(lambda key, a: jax.random.uniform(key, a.shape, a.dtype), random=True)


def assign(box: Tensor, new: Tensor) -> None:
    """Change a Tensor in place to the result of an operator."""
    resolved = resolve(new)
    box._assign(resolved._value, node_of(resolved))


class State:
    """State that a function may change beyond its result: a Tensor, and for the twin a list of one float."""

    def __init__(self) -> None:
        self.box = Tensor(jnp.float64(0.5))
        self.twin = [jnp.float64(0.5)]
        self.key = random_state.get_rng_state().array


def base(x: Tensor, _: State | None = None) -> Tensor:
    return mul(sin(x), add(mul(x, x), 1.0))


def base_twin(x: Any) -> Any:
    return jnp.sin(x) * (x * x + 1.0)


def jvp_twin(f: Fn, x: Any, t: Any) -> Any:
    out, pull = jax.vjp(f, x)
    return jax.vjp(lambda g: pull(g)[0], jnp.zeros_like(out))[1](t)[0]


@jax.custom_vjp
def _tripled(x: Any) -> Any:
    return x


_tripled.defvjp(lambda x: (_tripled(x), None), lambda _, g: (3.0 * g,))


def _with_bprop(f: Fn) -> Fn:
    def run(x: Tensor) -> Tensor:
        y = f(x)
        return custom_vjp.custom_call(
            "square", lambda v: (mul(v, v), v), lambda v, g: [mul(mul(g[0], v), 6.0)], (y,)
        )

    return run


# The forward rules call the functions themselves, so that a value computed beside a gradient keeps its derivative, as
# it does on a tape.
@jax.custom_vjp
def _square(y: Any) -> Any:
    return y * y


_square.defvjp(lambda y: (_square(y), y), lambda y, g: (6.0 * g * y,))


def _with_hook(f: Fn) -> Fn:
    def run(x: Tensor) -> Tensor:
        y = mul(f(x), 1.0)
        hooks.register_hook(y, lambda g: mul(g, 3.0))
        return mul(y, 2.0)

    return run


def _without_grad(f: Fn) -> Fn:
    def run(x: Tensor) -> Tensor:
        with no_grad():
            a = f(x)
        return mul(a, sin(x))

    return run


def _in_place(f: Fn) -> Fn:
    def run(x: Tensor) -> Tensor:
        y = pair(x, mul(x, 2.0))
        z = part(y, slice(0, 1))
        assign(z, mul(z, f(x)))
        assign(y, mul(y, y))
        return add(total(z), total(y))

    return run


def _in_place_twin(f: Fn) -> Fn:
    def run(x: Any) -> Any:
        y = jnp.stack([x * f(x), x * 2.0]) ** 2
        return y[0] + y.sum()

    return run


def _in_loop(f: Fn) -> Fn:
    return lambda x: control_flow.fori_loop(0, 3, lambda i, s: add(mul(s, 0.5), mul(f(x), sin(s))), x)


def _in_while(f: Fn) -> Fn:
    def run(x: Tensor) -> Tensor:
        start = (wrap(jnp.int64(0)), x)
        body = lambda s: (add(s[0], 1), add(mul(s[1], 0.5), mul(f(x), sin(s[1]))))  # noqa: E731
        return control_flow.while_loop(lambda s: less(s[0], 3), body, start)[1]

    return run


def _in_scan(f: Fn) -> Fn:
    def run(x: Tensor) -> Tensor:
        rows = pair(x, mul(x, 2.0))
        last, ys = control_flow.scan(lambda s, r: (add(mul(s, 0.5), mul(f(r), sin(s))), mul(s, r)), x, rows)
        return add(last, total(ys))

    return run


def _loop_twin(f: Fn) -> Fn:
    def run(x: Any) -> Any:
        s = x
        for _ in range(3):
            s = s * 0.5 + f(x) * jnp.sin(s)
        return s

    return run


def _scan_twin(f: Fn) -> Fn:
    def run(x: Any) -> Any:
        s, ys = x, 0.0
        for r in (x, x * 2.0):
            s, ys = s * 0.5 + f(r) * jnp.sin(s), ys + s * r
        return s + ys

    return run


def ways(state: State) -> dict[str, tuple[Callable[[Fn], Fn], Callable[[Fn], Fn]]]:
    """name -> (over Tensors, over arrays)."""

    def counting(f: Fn) -> Fn:
        def run(x: Tensor) -> Tensor:
            assign(state.box, add(mul(state.box, 0.5), 1.0))
            return mul(f(x), state.box)

        return run

    def counting_twin(f: Fn) -> Fn:
        def run(x: Any) -> Any:
            state.twin[0] = state.twin[0] * 0.5 + 1.0
            return f(x) * state.twin[0]

        return run

    def drawing_twin(f: Fn) -> Fn:
        def run(x: Any) -> Any:
            key, state.key = random_state.split(state.key)
            return f(x) * jax.random.uniform(key, x.shape, x.dtype)

        return run

    def both(f: Fn) -> Fn:
        def run(x: Tensor) -> Tensor:
            value, gradient = value_and_grad(f)(x)
            return add(value, mul(gradient, x))

        return run

    def both_twin(f: Fn) -> Fn:
        def run(x: Any) -> Any:
            value, gradient = jax.value_and_grad(f)(x)
            return value + gradient * x

        return run

    return {
        "grad": (grad, jax.grad),
        "value_and_grad": (both, both_twin),
        "jit": (jit, lambda f: f),
        "vmap": (
            lambda f: lambda x: total(vmap(f)(pair(x, mul(x, 0.5)))),
            lambda f: lambda x: jax.vmap(f)(jnp.stack([x, x * 0.5])).sum(),
        ),
        "jvp": (lambda f: lambda x: jvp(f, x, sin(x))[1], lambda f: lambda x: jvp_twin(f, x, jnp.sin(x))),
        "recompute": (lambda f: lambda x: recompute(f, x), lambda f: f),
        "fori": (_in_loop, _loop_twin),
        "while": (_in_while, _loop_twin),
        "scan": (_in_scan, _scan_twin),
        "bprop": (_with_bprop, lambda f: lambda x: _square(f(x))),
        "hook": (_with_hook, lambda f: lambda x: _tripled(f(x)) * 2.0),
        "no_grad": (_without_grad, lambda f: lambda x: jax.lax.stop_gradient(f(x)) * jnp.sin(x)),
        "in_place": (_in_place, _in_place_twin),
        "state": (counting, counting_twin),
        "random": (lambda f: lambda x: mul(f(x), uniform(x)), drawing_twin),
    }


# Custom derivatives that are not the true ones: no numerical derivative agrees with them.
UNTRUE = frozenset({"bprop", "hook", "no_grad"})
NAMES = tuple(ways(State()))
