"""Decorators that turn formulas over arrays into methods of distributions.

A distribution states what it knows as pure functions whose parameters say where arguments come from::

    @formula
    @staticmethod
    def _kl_loss(mean_b: Array, sd_b: Array, mean: Array, sd: Array) -> Array: ...

- `value` is what a density or a distribution function is asked for, cast to the dtype of the distribution;
- names that end in `_b` are parameters of a second distribution of the same kind, whose name comes before them;
- the rest are the distribution's own parameters: given at the call, or else when it was made. The formula receives
  them broadcast to one shape. It may ask for the distribution's `dtype` as a keyword.

Conversion, checks, broadcasting and the formula itself are one operator, so one program of XLA.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.nn.probability import given
from msjax.ops.common import checks
from msjax.ops.random.draws import check_shape
from msjax.ops.random.seeding import fold_in_seed


def formula(source: Any, elementwise: bool = True) -> Callable:
    """A hook such as `_log_prob` of a formula; see the head of this file.

    Args:
        source: a staticmethod over arrays.
        elementwise: whether all arrays must broadcast to one shape.

    Returns:
        A method (self, value or name of the second distribution, its parameters, own parameters = None).
    """
    fn = source.__func__
    lead, others, own, named = _sorted(fn)

    def pure(*positional: Array, dtype: Any, kind: Any, **arrays: Array) -> Array:
        arrays.update(zip((*lead, *others, *own), positional, strict=False))
        as_kind = {name: arrays[name].astype(dtypes.as_np(kind)) for name in (*others, *own)}
        mine = jnp.broadcast_arrays(*(as_kind[name] for name in own))
        if elementwise:
            checks.broadcastable(fn.__name__.lstrip("_"), **arrays)
        value = [arrays[name].astype(dtypes.as_np(dtype)) for name in lead]
        wanted = {"dtype": dtypes.as_np(dtype)} if named else {}
        return fn(*value, *(as_kind[name] for name in others), *mine, **wanted)

    call = op(_declared(pure, fn.__name__, (*lead, *others, *own), ("dtype", "kind")), static="dtype kind")

    def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        at_call = () if self.fixed else own
        first = (*(("dist",) if others else ()), *lead, *others)
        found = given.bound(f"{type(self).__name__}.{fn.__name__}", first, at_call, args, kwargs)
        if others:
            same_kind(self, found["dist"])
        tensors = [_tensor(self, found[name], name) for name in (*lead, *others)]
        mine = self.own_parameters([found.get(name) for name in own])
        return call(*tensors, *mine, self.dtype_of_values() if lead else self.dtype, self.parameter_type)

    return _documented(hook, fn)


rowwise = functools.partial(formula, elementwise=False)


def drawing(source: Any) -> Callable:
    """The hook `_sample(self, shape=(), own parameters = None)` of a draw.

    Args:
        source: a staticmethod (key, shape, dtype, *own parameters) -> array of that shape. The shape ends in the one
            that the parameters, which arrive in `dtype`, are broadcast to.
    """
    fn = source.__func__
    own = tuple(inspect.signature(fn).parameters)[3:]

    def pure(
        key: Array, *positional: Array, shape: Any, seed: int | None, dtype: Any, kind: Any, **arrays: Array
    ) -> Array:
        arrays.update(zip(own, positional, strict=False))
        wide = checks.wide(dtypes.as_np(kind))
        mine = jnp.broadcast_arrays(*(arrays[name].astype(dtypes.as_np(kind)).astype(wide) for name in own))
        full = check_shape("sample", shape=shape) + mine[0].shape
        return fn(fold_in_seed("sample", key, seed), full, wide, *mine).astype(dtypes.as_np(dtype))

    statics = ("shape", "seed", "dtype", "kind")
    declared = _declared(pure, fn.__name__, ("key", *own), statics)
    call = op(declared, random=True, static=" ".join(statics))

    def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        at_call = ("shape", *(() if self.fixed else own))
        found = given.bound(f"{type(self).__name__}.{fn.__name__}", (), at_call, args, kwargs)
        shape = given.tuple_at_call(found.get("shape", ()), "shape")
        mine = self.own_parameters([found.get(name) for name in own])
        return call(*mine, shape, self.seed or None, self.dtype, self.parameter_type)

    return _documented(hook, fn)


def mapping(source: Any) -> Callable:
    """A hook of a bijector, such as `_forward(self, x)`, of a formula over x and the parameters, in the dtype of x.

    Args:
        source: a staticmethod (x, *parameters).
    """
    fn = source.__func__
    first, *own = inspect.signature(fn).parameters

    def pure(*positional: Array, **arrays: Array) -> Array:
        arrays.update(zip((first, *own), positional, strict=False))
        x = arrays[first]
        return fn(x, *(arrays[name].astype(x.dtype) for name in own))

    call = op(_declared(pure, fn.__name__, (first, *own), ()))

    def hook(self: Any, x: Any) -> Any:
        return call(self.checked(x), *self.tensors)

    return _documented(hook, fn)


def total(entropy: Callable, kl_loss: Callable) -> Callable:
    """The hook `_cross_entropy`, which is the entropy plus the divergence from the other distribution.

    Args:
        entropy: the hook of that name.
        kl_loss: the hook of that name.
    """
    others = sum(name.endswith("_b") for name in kl_loss.names)  # type: ignore[attr-defined]

    def _cross_entropy(self: Any, dist: str, *args: Any, **kwargs: Any) -> Any:
        """Entropy plus divergence."""
        names = kl_loss.names  # type: ignore[attr-defined]
        found = given.bound(
            f"{type(self).__name__}._cross_entropy", names[:others], names[others:], args, kwargs
        )
        given_b = [found[name] for name in names[:others]]
        mine = [] if self.fixed else [found.get(name) for name in names[others:]]
        return entropy(self, *mine) + kl_loss(self, dist, *given_b, *mine)

    return _cross_entropy


def same_kind(self: Any, dist: Any) -> None:
    """Raise ValueError unless the second distribution is said to be of the kind of the first."""
    if dist != self.kind:
        raise ValueError(
            f"`{self.name}`: argument `dist` must be {self.kind!r}, the kind of this distribution. Received: {dist!r}."
        )


def _sorted(fn: Callable) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]:
    """Names of parameters: (value, those of the other distribution, own), and whether it asks for the dtype."""
    parameters = inspect.signature(fn).parameters
    names = [name for name in parameters if name != "dtype"]
    lead = tuple(name for name in names if name == "value")
    others = tuple(name for name in names if name.endswith("_b"))
    own = tuple(name for name in names if name not in (*lead, *others))
    return lead, others, own, "dtype" in parameters


def _declared(pure: Callable, name: str, arrays: Sequence[str], statics: Sequence[str]) -> Callable:
    """`pure` with parameters that the door can read."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    pure.__name__ = pure.__qualname__ = name.lstrip("_")
    pure.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in (*arrays, *statics)])  # type: ignore[attr-defined]
    return pure


def _documented(hook: Callable, fn: Callable) -> Callable:
    hook.__name__, hook.__qualname__, hook.__doc__ = fn.__name__, fn.__qualname__, fn.__doc__
    hook.names = _sorted(fn)[1] + _sorted(fn)[2]  # type: ignore[attr-defined]
    return hook


def _tensor(self: Any, value: Any, name: str) -> Any:
    if value is None:
        raise TypeError(f"`{name}` must be a Tensor. Received: None.")
    return self._check_value(value, name)
