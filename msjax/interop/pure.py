"""Cells and functions over Tensors as pure JAX functions, for jax.jit, jax.grad, jax.vmap, optax and sharding."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core.autograph import conversion
from msjax.core.state import override_state, state
from msjax.core.tensor import random_state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, wrap
from msjax.core.trace import captures, cell_attributes, side_effects, trace
from msjax.core.trace.stateful import Stateful


def _parameters(thing: Any) -> dict[str, Tensor]:
    """Return the Parameters and buffers of a Cell, or the Parameters that a function mentions, by name."""
    if isinstance(thing, Stateful):
        return dict(thing.parameters_and_names()) | dict(thing.named_buffers())
    found = {}
    for slot in captures.guess_captures(thing):
        box = slot.box
        if slot.kind != "value" or not isinstance(box, Parameter):
            continue
        if found.setdefault(box.name, box) is not box:
            raise ValueError(
                f"`as_jax`: two Parameters have the name {box.name!r}; give them different names."
            )
    return found


def _array(value: Any) -> jax.Array:
    return value.array if isinstance(value, Tensor) else jnp.asarray(value)


def _arrays_of(tree: Any) -> Any:
    """Return the arrays of the Tensors in a tree, and all else as it is."""
    return jax.tree.map(lambda x: x.array if isinstance(x, Tensor) else x, tree, is_leaf=trace.is_tensor)


def _box_arrays(leaf: Any) -> Any:
    return wrap(jnp.asarray(leaf)) if isinstance(leaf, jax.Array | np.ndarray) else leaf


def functional_call(
    net: Callable,
    params: Mapping[str, Any],
    *args: Any,
    has_state: bool = False,
    rng: Any = None,
    **kwargs: Any,
) -> Any:
    """Call a Cell with these values in place of its Parameters, changing nothing.

    What the call assigns to Parameters, attributes, lists and dicts is undone when it ends. `if`, `while` and `for` over
    Tensors are compiled as under :func:`msjax.jit`.

    Args:
        net: Cell, or function over Tensors.
        params: values by Parameter name: arrays or Tensors. Parameters that are not named keep their own values.
        args: arguments: arrays, or Tensors, or anything else, in any nesting.
        has_state: also return the values of all Parameters after the call, in which say moving averages are updated.
        rng: a JAX PRNG key for random operators, which need one here.
        kwargs: keyword arguments.

    Returns:
        The outputs, as arrays; with `has_state`, (outputs, dict of arrays).

    Raises:
        KeyError: if `params` names what is not a Parameter of `net`.
        ValueError: if a value has another shape than its Parameter.
        RuntimeError: if `net` draws random numbers and there is no `rng`.

    Examples:
        >>> import jax
        >>> import msjax as ms
        >>> from msjax.interop import functional_call
        >>> w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")
        >>> def net(x):
        ...     return (x * w).sum()
        >>> loss = lambda params, x: functional_call(net, params, x)
        >>> print(jax.grad(loss)({"w": jax.numpy.ones(2)}, jax.numpy.arange(2.0)))
        {'w': Array([0., 1.], dtype=float64)}
    """
    boxes = _parameters(net)
    unknown = sorted(set(params) - set(boxes))
    if unknown:
        raise KeyError(
            f"`functional_call`: there is no Parameter {unknown[0]!r}. Known ones: {sorted(boxes)}."
        )
    inputs = {}
    for name, value in params.items():
        box, array = boxes[name], _array(value)
        if array.shape != box.shape:
            raise ValueError(
                f"`functional_call`: Parameter {name!r} has shape {box.shape}. Received: a value of shape {array.shape}."
            )
        inputs[id(box), "value"] = array
    source = random_state.source()
    if rng is not None:
        inputs[id(source), "value"] = random_state.key_data(rng)
    given = _arrays_of((args, kwargs))

    def call() -> Any:
        frame = trace.Frame(state.frame, free=True)
        frame.inputs.update(inputs)
        with override_state(frame=frame, scope=None, watch=None):
            args, kwargs = jax.tree.map(_box_arrays, given)
            containers = side_effects.SideEffects(net, ())
            try:
                out = conversion.convert_callback(net)(*args, **kwargs)
                if rng is None and frame.wrote(source):
                    raise RuntimeError(
                        "`functional_call`: the function draws random numbers; pass rng=jax.random.key(seed)."
                    )
                return _arrays_of((out, _parameters(net)) if has_state else out)
            finally:
                cell_attributes.restore(frame)
                containers.restore()

    return trace.run_by_strategy(net, call)


def as_jax(net: Callable, has_state: bool = False) -> tuple[Callable, dict[str, jax.Array]]:
    """Return a Cell or function over Tensors as a pure function, and the values of its Parameters to call it with.

    Args:
        net: Cell, or function that mentions Parameters or Cells.
        has_state: the function also returns the values of all Parameters after the call.

    Returns:
        (function, params): `function(params, *args, rng=None, **kwargs)` takes and returns arrays, see
        :func:`functional_call`; `params` is a dict from names of Parameters, and of a Cell's buffers, to arrays. Moving
        averages, and whatever else no gradient changes, are among them: an optimizer with weight decay must not get these.
        They are the net's own arrays: copy them before a program donates them (`jax.tree.map(jnp.copy, params)`), if the
        net is called later. Parameters that a call
        leaves out have the net's values, which a program compiled by JAX holds as constants.

    Raises:
        TypeError: if `net` cannot be called.

    Examples:
        >>> import jax
        >>> import msjax as ms
        >>> from msjax.interop import as_jax
        >>> w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")
        >>> apply, params = as_jax(lambda x: (x * w).sum())
        >>> print(jax.jit(apply)(params, jax.numpy.float32(2.0)))
        10.0
    """
    if not callable(net):
        raise TypeError(
            f"`as_jax`: argument `net` must be a Cell or a function. Received: net={net!r} ({type(net).__name__})."
        )
    params = {name: _array(box) for name, box in _parameters(net).items()}

    def apply(params: Mapping[str, Any], *args: Any, rng: Any = None, **kwargs: Any) -> Any:
        return functional_call(net, params, *args, has_state=has_state, rng=rng, **kwargs)

    return apply, params
