"""Methods of distributions and bijectors that are made of closed forms.

`value` of a formula is cast to the dtype of the distribution. Parameters of a second distribution (`mean_b`) are given at
the call, after its kind; the distribution's own at the call, or else when it was made.

Conversion, checks, broadcasting and the formula itself are one operator, so one program of XLA.
"""

import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.nn.probability import given
from msjax.nn.probability.closed_forms import declare_parameters
from msjax.ops.common import checks
from msjax.ops.random.draws import check_shape
from msjax.ops.random.seeding import fold_in_seed


def hook_of_formula(name: str, fn: Callable, elementwise: bool = True) -> Callable:
    """Return a hook such as `_log_prob`.

    Args:
        name: of the method, "log_prob".
        fn: its formula, see `closed_forms`.
        elementwise: whether all arrays must broadcast to one shape.

    Returns:
        A method (self, value or name of the second distribution, its parameters, own parameters = None).
    """
    lead, others, own, named = _sort_names(fn)

    def pure(*positional: Array, dtype: Any, kind: Any, **arrays: Array) -> Array:
        arrays.update(zip((*lead, *others, *own), positional, strict=False))
        as_kind = {each: arrays[each].astype(dtypes.as_np(kind)) for each in (*others, *own)}
        mine = jnp.broadcast_arrays(*(as_kind[each] for each in own))
        if elementwise:
            checks.check_broadcastable(name, **arrays)
        value = [arrays[each].astype(dtypes.as_np(dtype)) for each in lead]
        wanted = {"dtype": dtypes.as_np(dtype)} if named else {}
        return fn(*value, *(as_kind[each] for each in others), *mine, **wanted)

    call = op(declare_parameters(pure, name, (*lead, *others, *own), ("dtype", "kind")), static="dtype kind")

    def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        at_call = () if self.fixed else own
        first = (*(("dist",) if others else ()), *lead, *others)
        found = given.bind_arguments(f"{type(self).__name__}._{name}", first, at_call, args, kwargs)
        if others:
            check_same_kind(self, found["dist"])
        tensors = [_tensor(self, found[each], each) for each in (*lead, *others)]
        mine = self.own_parameters([found.get(each) for each in own])
        return call(*tensors, *mine, self.dtype_of_values() if lead else self.dtype, self.parameter_type)

    hook.__name__, hook.names = f"_{name}", (*others, *own)  # type: ignore[attr-defined]
    return hook


def sample_hook(fn: Callable) -> Callable:
    """Return the hook `_sample(self, shape=(), own parameters = None)` of a draw.

    Args:
        fn: (key, shape, dtype, *own parameters) -> array of that shape. The shape ends in the one
            that the parameters, which arrive in `dtype`, are broadcast to.
    """
    own = tuple(inspect.signature(fn).parameters)[3:]

    def pure(
        key: Array, *positional: Array, shape: Any, seed: int | None, dtype: Any, kind: Any, **arrays: Array
    ) -> Array:
        arrays.update(zip(own, positional, strict=False))
        wide = checks.compute_dtype(dtypes.as_np(kind))
        mine = jnp.broadcast_arrays(*(arrays[name].astype(dtypes.as_np(kind)).astype(wide) for name in own))
        full = check_shape("sample", shape=shape) + mine[0].shape
        return fn(fold_in_seed("sample", key, seed), full, wide, *mine).astype(dtypes.as_np(dtype))

    statics = ("shape", "seed", "dtype", "kind")
    declared = declare_parameters(pure, "sample", ("key", *own), statics)
    call = op(declared, random=True, static=" ".join(statics))

    def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        at_call = ("shape", *(() if self.fixed else own))
        found = given.bind_arguments(f"{type(self).__name__}._sample", (), at_call, args, kwargs)
        shape = given.check_tuple(found.get("shape", ()), "shape")
        mine = self.own_parameters([found.get(name) for name in own])
        return call(*mine, shape, self.seed or None, self.dtype, self.parameter_type)

    return hook


def bijector_hook(name: str, fn: Callable) -> Callable:
    """Return a hook of a bijector, such as `_forward(self, x)`, of a formula over x and the parameters, in the dtype of x.

    Args:
        name: of the method, "forward".
        fn: (x, *parameters) -> array.
    """
    first, *own = inspect.signature(fn).parameters

    def pure(*positional: Array, **arrays: Array) -> Array:
        arrays.update(zip((first, *own), positional, strict=False))
        x = arrays[first]
        return fn(x, *(arrays[each].astype(x.dtype) for each in own))

    call = op(declare_parameters(pure, name, (first, *own), ()))

    def hook(self: Any, x: Any) -> Any:
        return call(self.checked(x), *self.tensors)

    return hook


def cross_entropy_of(entropy: Callable, kl_loss: Callable) -> Callable:
    """Return the hook `_cross_entropy`, which is the entropy plus the divergence from the other distribution.

    Args:
        entropy: the hook of that name.
        kl_loss: the hook of that name.
    """
    others = sum(name.endswith("_b") for name in kl_loss.names)  # type: ignore[attr-defined]

    def _cross_entropy(self: Any, dist: str, *args: Any, **kwargs: Any) -> Any:
        """Entropy plus divergence."""
        names = kl_loss.names  # type: ignore[attr-defined]
        found = given.bind_arguments(
            f"{type(self).__name__}._cross_entropy", names[:others], names[others:], args, kwargs
        )
        given_b = [found[name] for name in names[:others]]
        mine = [] if self.fixed else [found.get(name) for name in names[others:]]
        return entropy(self, *mine) + kl_loss(self, dist, *given_b, *mine)

    return _cross_entropy


def check_same_kind(self: Any, dist: Any) -> None:
    """Raise ValueError unless the second distribution is said to be of the kind of the first."""
    if dist != self.kind:
        raise ValueError(
            f"`{self.name}`: argument `dist` must be {self.kind!r}, the kind of this distribution. Received: {dist!r}."
        )


def _sort_names(fn: Callable) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]:
    """Names of parameters: (value, those of the other distribution, own), and whether it asks for the dtype."""
    parameters = inspect.signature(fn).parameters
    names = [name for name in parameters if name != "dtype"]
    lead = tuple(name for name in names if name == "value")
    others = tuple(name for name in names if name.endswith("_b"))
    own = tuple(name for name in names if name not in (*lead, *others))
    return lead, others, own, "dtype" in parameters


def _tensor(self: Any, value: Any, name: str) -> Any:
    if value is None:
        raise TypeError(f"`{name}` must be a Tensor. Received: None.")
    return self._check_value(value, name)
