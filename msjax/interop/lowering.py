"""The XLA program of a compiled function or training step."""

import types
from collections.abc import Callable, Sequence
from typing import Any

import jax

from msjax.core.jit.compiled import Compiled
from msjax.core.jit.jit import jit
from msjax.core.state import override_state
from msjax.nn.cell.cell import Cell


def lower(
    step: Callable, *args: Any, devices: Sequence[Any] | None = None, **kwargs: Any
) -> jax.stages.Lowered:
    """Return the XLA program that a step would run, without running it.

    The program is that of `ms.jit(step)(*args, **kwargs)`: of a training step, forward and backward pass and the
    optimizer's changes of Parameters. It is traced for shapes and dtypes; no Parameter changes.

    Args:
        step: compiled function, Cell (such as `nn.TrainOneStepCell`), or function over Tensors.
        args: what it would be called with.
        devices: compile for these, which this host need not have: those of `jax.experimental.topologies`, with libtpu or
            JAX's CUDA plugin installed. Several share the step as `msjax run --devices` says, or as its strategies do.
            Default: those that it would run on.
        kwargs: keyword arguments.

    Returns:
        `jax.stages.Lowered`: `as_text()` is StableHLO; `compile()` gives `as_text()` (what XLA made of it, with its
        collectives), `memory_analysis()` and `cost_analysis()`.

    Raises:
        TypeError: if `step` cannot be called.
        ValueError: if `devices` is empty.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(4, 8)
        >>> program = ms.interop.lower(net, ms.ops.ones((2, 4)))
        >>> "stablehlo.dot_general" in program.as_text()
        True
        >>> program.compile().memory_analysis().output_size_in_bytes
        64
    """
    if not callable(step):
        raise TypeError(f"`lower`: argument `step` must be callable. Received: {step!r}.")
    if isinstance(step, types.MethodType) and isinstance(step.__func__, Compiled):
        args, step = (step.__self__, *args), step.__func__
    compiled = step if isinstance(step, Compiled) else step._compiled if isinstance(step, Cell) else jit(step)
    target = None if devices is None else tuple(devices)
    if target == ():
        raise ValueError("`lower`: argument `devices` must have a device. Received: none.")
    with override_state(target=target):
        return compiled.lower(*args, **kwargs)  # type: ignore[union-attr]
