"""`Optax`: wraps any optax transformation as an optimizer. Not in MindSpore."""

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, resolve
from msjax.nn.cell import argument_checks
from msjax.nn.optim import transforms
from msjax.nn.optim.optimizer import Optimizer, Step, match_gradient_dtype
from msjax.ops.common.docstrings import documented_by


@documented_by(Optimizer, rename="params=parameters")
class Optax(Optimizer):
    """Any transformation of the library optax, with MindSpore's parameter groups, schedules and checkpoints.

    The transformation sees parameters and gradients as dicts by the parameters' names, so that masks and labels can go
    by them. Its state becomes slots, named after the fields of the state and the parameters: "mu.fc.weight", "count".
    It is traced with 32-bit numbers only, unless a parameter has a 64-bit dtype.

    An extension of msjax.

    Args:
        transformation: `optax.GradientTransformation`.
        learning_rate: what updates are multiplied with, negatively; for transformations without their own rate
            (`optax.scale_by_adam()`). In any form that MindSpore's optimizers take. Default: None, updates are added.
        weight_decay: as for all optimizers, added to the gradients. Default: 0.0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each parameter.
        - **extra** (Tensor) - keywords for transformations that take extra arguments, such as `value`.

    Raises:
        TypeError: if `transformation` is none, or another argument is of another type.
        ValueError: if a number is out of its range, or a group has a learning rate and there is no other.

    Examples:
        >>> import optax
        >>> import msjax as ms
        >>> from msjax import nn
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = nn.Optax([p], optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.5, momentum=0.9)))
        >>> _ = optimizer((ms.Tensor([0.0, 3.0]),))
        >>> print(p.asnumpy(), [slot.name for slot in optimizer.get_parameters()])
        [1.  1.5] ['global_step', 'p', 'trace.p']
    """

    _narrows = True

    def __init__(
        self,
        params: Any,
        transformation: optax.GradientTransformation,
        learning_rate: Any = None,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        if not isinstance(transformation, optax.GradientTransformation):
            raise TypeError(
                "`Optax`: argument `transformation` must be an optax.GradientTransformation. "
                f"Received: {argument_checks.describe_value(transformation)}."
            )
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        self._rated = learning_rate is not None
        if not self._rated:
            if self.is_group_lr:
                raise ValueError(
                    "`Optax`: a group has a learning rate, so argument `learning_rate` must be given too."
                )
            del self.learning_rate
        decaying = self.decay_flags if self.exec_weight_decay else (False,) * self.param_length
        first = transforms.preprocess_gradients(decaying, self.grad_centralization_flags, self.loss_scale)
        names = tuple(p.name for p in self.parameters)
        state = _State.of(transformation, names, [resolve(p)._value for p in self.parameters])
        slots = []
        for name, value in zip(state.slot_names, state.start, strict=True):
            slot = Parameter(Tensor.from_array(value), name=name)
            self.insert_param_to_cell(name, slot, check_name_contain_dot=False)
            slots.append(slot)
        self._slots = tuple(slots)
        self._step = _optax_step(first, transformation, state.tree, state.keys, names, self._rated)

    def construct(self, gradients: Any, **extra: Any) -> Any:
        """Update all parameters and slots from the gradients."""
        return self._update(gradients, {"given": extra})

    def get_lr(self) -> Any:
        """Return the learning rate of the coming step.

        Raises:
            ValueError: if the transformation has its own.
        """
        if not self._rated:
            raise ValueError(
                "`Optax`: this optimizer was made without `learning_rate`: the transformation has its own."
            )
        return super().get_lr()

    def _rate(self) -> Any:
        return super()._rate() if self._rated else None


class _State(NamedTuple):
    """A transformation's state as flat arrays.

    Attributes:
        tree: its structure.
        start: the arrays to begin with; random keys as their data.
        slot_names: one for each array.
        keys: for each array the kind of random key that it holds the data of, or None.
    """

    tree: Any
    start: list[jax.Array]
    slot_names: list[str]
    keys: tuple[Any, ...]

    @classmethod
    def of(
        cls, transformation: optax.GradientTransformation, names: Sequence[str], values: Sequence[Any]
    ) -> "_State":
        with _narrow(values):
            state = transformation.init(dict(zip(names, values, strict=True)))
            leaves, tree = jax.tree_util.tree_flatten_with_path(state)
            arrays = [jnp.asarray(leaf) for _, leaf in leaves]
            keys = tuple(jax.random.key_impl(a) if _is_key(a) else None for a in arrays)
            start = [
                a if kind is None else jax.random.key_data(a) for a, kind in zip(arrays, keys, strict=True)
            ]
        short = [_name_slot(path, places=False) for path, _ in leaves]
        long = [_name_slot(path, places=True) for path, _ in leaves]
        taken = {*names, "global_step", "learning_rate"}
        slot_names = [
            s if short.count(s) == 1 and s not in taken else n for s, n in zip(short, long, strict=True)
        ]
        return cls(tree, start, slot_names, keys)


def _is_key(array: Any) -> bool:
    return jnp.issubdtype(array.dtype, jax.dtypes.prng_key)


def _name_slot(path: Sequence[Any], places: bool) -> str:
    """The name of a slot from its path in the state: fields and names of parameters; places in sequences if need be."""
    parts = []
    for key in path:
        if isinstance(key, jax.tree_util.SequenceKey):
            parts += [str(key.idx)] if places else []
        elif isinstance(key, jax.tree_util.GetAttrKey):
            parts.append(key.name)
        else:
            parts.append(str(getattr(key, "key", key)))
    return ".".join(parts) or "state"


@contextlib.contextmanager
def _narrow(values: Sequence[Any]) -> Iterator[None]:
    """No 64-bit numbers, if none of the values has them; and JAX's own promotion, which optax counts on."""
    wide = any(value.dtype.itemsize == 8 and value.dtype != jnp.complex64 for value in values)
    with jax.numpy_dtype_promotion("standard"), contextlib.nullcontext() if wide else jax.enable_x64(False):
        yield


@functools.lru_cache(maxsize=128)
def _optax_step(first: Any, transformation: Any, tree: Any, keys: tuple, names: tuple, rated: bool) -> Step:
    """One step as a pure function. Optimizers of the same kind get the same one."""
    extended: Any = optax.with_extra_args_support(transformation)

    def step(params: list, gradients: list, slots: list, count: Any, extra: dict) -> tuple[list, list, Any]:
        gradients = [match_gradient_dtype(g, p, narrows=True) for g, p in zip(gradients, params, strict=True)]
        gradients, _ = first.update(gradients, optax.EmptyState(), params, weight_decay=extra["weight_decay"])
        with _narrow(params):
            held = [_key(s, kind) for s, kind in zip(slots, keys, strict=True)]
            state, old = jax.tree.unflatten(tree, held), dict(zip(names, params, strict=True))
            updates, after = extended.update(
                dict(zip(names, gradients, strict=True)), state, old, **extra["given"]
            )
            found = jax.tree.leaves(after)
            kept = [_like(a, s, kind) for a, s, kind in zip(found, slots, keys, strict=True)]
            rates = (
                transforms.broadcast_setting(extra["learning_rate"], params)
                if rated
                else [None] * len(params)
            )
            new = [
                _move_parameters(p, updates[name], rate)
                for name, p, rate in zip(names, params, rates, strict=True)
            ]
        return new, kept, count + jnp.ones_like(count)

    return step


def _key(slot: Any, kind: Any) -> Any:
    """Return a slot as a leaf of the state: itself, or the random key that it stores the data of."""
    return slot if kind is None else jax.random.wrap_key_data(slot, impl=kind)


def _like(after: Any, before: Any, kind: Any) -> Any:
    """Return a new slot in the shape and dtype of the old one."""
    value = jnp.asarray(after) if kind is None else jax.random.key_data(after)
    return value.astype(before.dtype).reshape(before.shape)


def _move_parameters(parameter: Any, update: Any, rate: Any) -> Any:
    p, u = (
        transforms.to_compute_dtype(parameter),
        transforms.to_compute_dtype(jnp.asarray(update)).astype(transforms.to_compute_dtype(parameter).dtype),
    )
    return (p + u if rate is None else p - rate * u).astype(parameter.dtype)
