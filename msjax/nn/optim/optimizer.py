"""Optimizer: the base class, an optax transformation with MindSpore's interface."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from msjax.config import context, parallel_context
from msjax.core.jit.execution import interrupts_deferred
from msjax.core.op.op import op
from msjax.core.state import NO_GRAD, override_state, state
from msjax.core.tensor.parameter import Parameter, ParameterTuple
from msjax.core.tensor.tensor import Tensor, resolve
from msjax.nn.cell import argument_checks
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.containers import CellList
from msjax.nn.learning_rate_schedule import LearningRateSchedule
from msjax.nn.optim import groups, transforms
from msjax.ops.primitive_impl.map_and_multitype import HyperMap, Map

Step = Callable[..., tuple[list, list, Any]]


def opt_init_args_register(fn: Callable) -> Callable:
    """Decorates the `__init__` of an optimizer: the object then says with what it was made.

    `init_params` is {"params": the parameters}, `init_learning_rate` the learning rate (None for a schedule) and
    `init_args` the other arguments by name. Optimizers outside of the package use it.
    """

    @functools.wraps(fn)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = inspect.signature(fn).bind(self, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"`{type(self).__name__}`: {error}.") from None
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        fn(self, *args, **kwargs)
        if "params" in given:
            self.init_params = {"params": given.pop("params")}
        if "optimizer" in given:
            self.init_params = {"params": given.pop("optimizer").init_params["params"]}
        if "learning_rate" in given:
            rate = given.pop("learning_rate")
            rate = rate.asnumpy().tolist() if isinstance(rate, Tensor) else rate
            self.init_learning_rate = None if isinstance(rate, Cell) else rate
        self.init_args = given

    return init


_NUMBERS = ("beta1", "beta2", "eps", "l1", "l2")


def _keeping_numbers(init: Callable) -> Callable:
    """Decorate `__init__`: the transformation's numbers become attributes of the optimizer, which nothing here reads."""

    @functools.wraps(init)
    def kept(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        for name in _NUMBERS:
            if name in self.init_args and name not in vars(self) and name not in self._params:
                setattr(self, name, Tensor(np.asarray(self.init_args[name], np.float32)))

    return kept


class Optimizer(Cell):
    """Base of all optimizers: parameters and their groups, learning rate, weight decay, loss scale, slots.

    A subclass either hands an optax transformation to `_use`, and is then applied to all parameters as one compiled
    program that takes effect as a whole or not at all; or it defines `construct(gradients)` itself, out of operators
    and :meth:`get_lr`, :meth:`decay_weight`, :meth:`gradients_centralization` and :meth:`scale_grad`.

    Without groups, parameters with "beta" or "gamma" in their names do not decay.

    Args:
        learning_rate: a number; a Tensor of no or one dimension; an iterable of numbers, one for each step; or a
            LearningRateSchedule.
        parameters: Parameters, or dicts with `params` and, for those, `lr`, `weight_decay`, `grad_centralization` (of
            convolutions); a dict with `order_params` alone gives the order of the gradients.
        weight_decay: a number of at least 0, or a Cell that gives it for a step. Default: 0.0.
        loss_scale: what the loss was multiplied with; gradients are divided by it. Default: 1.0.

    Inputs:
        - **gradients** (tuple[Tensor]) - one for each of `parameters`, in their order.

    Outputs:
        tuple[bool], True for each parameter.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is out of its range, or there are no parameters.
        KeyError: if a group lacks its Parameters or has an unknown key.
        RuntimeError: if a parameter is in two groups; when called, if there are fewer or more gradients than
            parameters, or a list of learning rates has come to its end (compiled, the last one goes on).

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn, ops
        >>> class Signed(nn.Optimizer):
        ...     def construct(self, gradients):
        ...         for parameter, gradient in zip(self.parameters, gradients):
        ...             ops.assign(parameter, parameter - self.get_lr() * ops.sign(gradient))
        ...         return True
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        >>> optimizer = Signed(0.5, [p])
        >>> optimizer((ms.Tensor([3.0, -0.1]),))
        True
        >>> print(p.asnumpy())
        [0.5 2.5]
    """

    learning_rate: Any
    weight_decay: Any

    # Names of slots in checkpoints, where they are not the attribute's, a dot, and the parameter's.
    _slot_names: dict[str, str] = {}
    # Attributes that the transformation takes as extra arguments.
    _extra: tuple[str, ...] = ()
    # Whether, without groups, parameters of normalizations decay too.
    _decays_all = False
    # Whether a call returns one True instead of one for each parameter.
    _one_result = False
    # Whether gradients of a wider dtype than the parameter's are taken.
    _narrows = False
    # Whether `target` can be set.
    _takes_target = False
    _leaves_rows = False  # rows of `sparse_rows` Parameters without a gradient stay as they are
    _target: str | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("msjax.nn.optim") and "__init__" in vars(cls):
            cls.__init__ = _keeping_numbers(opt_init_args_register(cls.__init__))  # type: ignore[method-assign]

    def __init__(
        self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        owner = self.cls_name
        setting = parallel_context.get_auto_parallel_context
        if setting("enable_parallel_optimizer") and setting("parallel_mode") == "stand_alone":
            raise RuntimeError(
                f"`{owner}`: `enable_parallel_optimizer` needs a parallel_mode: 'data_parallel', 'semi_auto_parallel' or "
                "'auto_parallel'. Received: 'stand_alone'."
            )
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        own = groups.split_params(owner, parameters)
        if isinstance(loss_scale, int):
            loss_scale = float(loss_scale)
        self.loss_scale = argument_checks.check_number(owner, float, "loss_scale", loss_scale, (">", 0))
        self.is_group, self.is_group_lr, self.is_group_params_ordered = (
            own.grouped,
            own.own_rates,
            own.ordered,
        )
        self._clock = _Clock()
        self._set_rates(own, groups.as_rate(owner, learning_rate, "learning_rate"))
        self.parameters = ParameterTuple(member.parameter for member in own.each)
        self.param_length = len(self.parameters)
        self._set_decays(own, groups.as_weight_decay(owner, weight_decay))
        self.grad_centralization_flags = tuple(member.centralized for member in own.each)
        self.grad_centralization = any(self.grad_centralization_flags)
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(np.float32(1.0 / self.loss_scale))
        self.optim_filter = (True,) * self.param_length
        self.global_step_increase_tensor = Tensor(np.ones(1, np.int32))
        self._unique = True
        self._step: Step | None = None
        self._slots: tuple[Parameter, ...] = ()
        self.hyper_map, self.hyper_map_reverse = HyperMap(), HyperMap(reverse=True)
        self.map_, self.map_reverse = Map(), Map(reverse=True)

    # ------------------------------------------------------------------ what the arguments become

    def _set_rates(self, own: groups.GroupMembers, default: groups.Rate) -> None:
        rates = [default if member.rate is None else member.rate for member in own.each]
        self.dynamic_lr = any(isinstance(rate, LearningRateSchedule) for rate in rates)
        if not own.own_rates:
            self.learning_rate = default
        elif self.dynamic_lr:
            cells = {
                id(r): r if isinstance(r, LearningRateSchedule) else groups._ConvertToCell(r) for r in rates
            }
            self.learning_rate = CellList([cells[id(rate)] for rate in rates], auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(rates)
        self._group_rates: tuple = tuple(rates)
        lengths = [rate.length for rate in rates if isinstance(rate, groups._IteratorLearningRate)]
        if isinstance(default, groups._IteratorLearningRate) and {*lengths} - {default.length}:
            raise ValueError(
                f"`{self.cls_name}`: a list of learning rates of a group must be of the same size as `learning_rate`, "
                f"{default.length}. Received: {lengths}."
            )
        self._last_step = min(lengths, default=None)

    def _set_decays(self, own: groups.GroupMembers, default: float | Cell) -> None:
        decays = [default if member.decay is None else member.decay for member in own.each]
        self.dynamic_weight_decay = any(isinstance(decay, Cell) for decay in decays)
        wrapped = {
            id(d): groups._WrappedWeightDecay(d, self.loss_scale)
            if isinstance(d, Cell)
            else Tensor(np.float32(d * self.loss_scale))
            for d in [default, *decays]
        }
        if own.grouped:
            self.weight_decay = tuple(wrapped[id(decay)] for decay in decays)
            self.decay_flags = tuple(decay != 0 for decay in decays)
        else:
            self.weight_decay = wrapped[id(default)]
            self.decay_flags = tuple(self._decays_all or _decays(p) for p in self.parameters)
        self.dynamic_decay_flags = (
            tuple(isinstance(decay, Cell) for decay in decays) if own.grouped else self.dynamic_weight_decay
        )
        self.exec_weight_decay = any(self.decay_flags) if own.grouped else default != 0

    def _use(self, transformation: optax.GradientTransformation, prepared: bool = True) -> None:
        """Make `construct` apply a transformation, and its state the slots of this optimizer.

        Args:
            transformation: over a list of arrays. Its state is a NamedTuple: the fields are attributes here, each one
                array or a list with one for each parameter.
            prepared: whether weight decay, centralization and loss scale come first.
        """
        sparse = tuple(p.sparse_rows for p in self.parameters)
        if self._leaves_rows and any(sparse):
            transformation = transforms.touched_rows(transformation, sparse)
        values = [resolve(p)._value for p in self.parameters]
        start: Any = transformation.init(values)
        found: list[Parameter] = []
        for field, slots in start._asdict().items():
            pattern = self._slot_names.get(field, f"{field}.{{}}" if isinstance(slots, list) else field)
            if isinstance(slots, list):
                named = zip(slots, self.parameters, strict=True)
                made = ParameterTuple(_slot(value, pattern.format(p.name)) for value, p in named)
                found += made
            else:
                made = _slot(slots, pattern)
                found.append(made)
            setattr(self, field, made)
        self._slots = tuple(found)
        self._applied = transformation, jax.tree.structure(start)
        decaying = prepared and self.exec_weight_decay
        self._prepare(self.decay_flags if decaying else (False,) * self.param_length, self.loss_scale)

    def _prepare(self, decay_flags: tuple[bool, ...], loss_scale: float) -> None:
        """Put the gradient preprocessing (weight decay, centralization, loss scale) before the transformation of `_use`."""
        first = transforms.preprocess_gradients(decay_flags, self.grad_centralization_flags, loss_scale)
        self._step = pure_step(first, *self._applied, self._narrows)

    def _hand_over(self) -> None:
        """Leave weight decay and the loss scale to an optimizer that changes the gradients before this one."""
        self.decay_flags = (False,) * self.param_length
        self.exec_weight_decay = self.need_scale = False
        if self._step is not None:
            self._prepare(self.decay_flags, 1.0)

    # ------------------------------------------------------------------ the update

    def construct(self, gradients: Any = None) -> Any:
        """Update all parameters and slots from the gradients."""
        return self._update(gradients, {})

    # MindSpore's own shows no default; called without gradients, `Optimizer` says first that it has no rule.
    construct.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", "gradients")]
    )

    def _update(self, gradients: Any, more: dict[str, Any]) -> Any:
        """Call the step, with extra arguments beside those that all optimizers have, and commit what it returns."""
        if self._step is None:
            raise NotImplementedError(
                f"`{self.cls_name}`: an optimizer must define `construct` to be called."
            )
        self._check(gradients)
        with override_state(mode=NO_GRAD, cast=None):
            extra = {name: getattr(self, name) for name in self._extra} | more
            extra.update(learning_rate=self._rate(), weight_decay=self.get_weight_decay())
            step, kept = self._current_step()
            before = list(self.parameters), list(gradients), list(kept), self.global_step
            try:
                parameters, slots, count = apply_update(*before, extra, step)
            except (TypeError, ValueError) as error:
                self._explain(gradients, error)
                raise
        self._commit([*self.parameters, *kept, self.global_step], [*parameters, *slots, count])
        return True if self._one_result else (True,) * self.param_length

    def _current_step(self) -> tuple[Step, Sequence[Parameter]]:
        """Return the function of the coming step and the slots that it reads and replaces."""
        assert self._step is not None
        return self._step, self._slots

    def _rate(self) -> Any:
        return _plain(self.get_lr())

    def _commit(self, boxes: Sequence[Parameter], values: Sequence[Tensor]) -> None:
        """Put all new values in place; an interrupt waits until that is done."""
        with interrupts_deferred():
            for box, value in zip(boxes, values, strict=True):
                box._assign(value._value)
            self._clock.advance(self.global_step)

    def _check(self, gradients: Any) -> None:
        if not isinstance(gradients, tuple | list):
            raise TypeError(
                f"`{self.cls_name}`: argument `gradients` must be a tuple of Tensors, one for each Parameter. "
                f"Received: {argument_checks.describe_value(gradients)}."
            )
        if len(gradients) != self.param_length:
            raise RuntimeError(
                f"`{self.cls_name}`: argument `gradients` must have one Tensor for each of the {self.param_length} "
                f"Parameters. Received: {len(gradients)}."
            )
        for gradient, parameter in zip(gradients, self.parameters, strict=True):
            if not isinstance(gradient, Tensor):
                raise TypeError(
                    f"`{self.cls_name}`: the gradient of Parameter {parameter.name!r} must be a Tensor. "
                    f"Received: {type(gradient).__name__}."
                )

    def _explain(self, gradients: Sequence[Tensor], error: Exception) -> None:
        """Raise an error that names the parameter, if a gradient does not fit one."""
        for gradient, parameter in zip(gradients, self.parameters, strict=True):
            what = f"`{self.cls_name}`: the gradient of Parameter {parameter.name!r} must"
            if gradient.shape != parameter.shape:
                raise ValueError(
                    f"{what} have its shape {parameter.shape}. Received: {gradient.shape}."
                ) from error
            given, own = (resolve(box)._value.dtype for box in (gradient, parameter))
            if not self._narrows and jnp.promote_types(given, own) != own:
                raise TypeError(
                    f"{what} have its dtype {parameter.dtype} or one that converts to it without loss. "
                    f"Received: {gradient.dtype}. Convert it with `astype`."
                ) from error

    # ------------------------------------------------------------------ for optimizers that define `construct`

    def decay_weight(self, gradients: Sequence[Tensor]) -> Any:
        """Add weight decay (that of the scaled loss) to the gradients of the parameters that decay.

        Args:
            gradients: one for each parameter.

        Returns:
            A tuple of Tensors; the same gradients if nothing decays.
        """
        if not self.exec_weight_decay:
            return gradients
        none = (False,) * self.param_length
        return self._prepare_gradients(
            gradients, transforms.preprocess_gradients(self.decay_flags, none, 1.0)
        )

    def gradients_centralization(self, gradients: Sequence[Tensor]) -> Any:
        """Subtract the mean from gradients whose group has `grad_centralization` (gradient centralization)."""
        if not self.grad_centralization:
            return gradients
        none = (False,) * self.param_length
        return self._prepare_gradients(
            gradients, transforms.preprocess_gradients(none, self.grad_centralization_flags, 1.0)
        )

    def scale_grad(self, gradients: Sequence[Tensor]) -> Any:
        """Divide gradients by the loss scale."""
        if not self.need_scale:
            return gradients
        none = (False,) * self.param_length
        return self._prepare_gradients(
            gradients, transforms.preprocess_gradients(none, none, self.loss_scale)
        )

    def flatten_gradients(self, gradients: Sequence[Tensor]) -> Sequence[Tensor]:
        """Return the gradients as they are: XLA lays out memory by itself."""
        return gradients

    def _prepare_gradients(self, gradients: Sequence[Tensor], transformation: Any) -> tuple[Tensor, ...]:
        arguments = list(self.parameters), list(gradients), self.get_weight_decay()
        return tuple(preprocess_gradients(*arguments, transformation.update))

    # ------------------------------------------------------------------ learning rate and weight decay

    def get_lr(self) -> Any:
        """Return the learning rate of the next step: a scalar Tensor, or a tuple with one for each parameter.

        Raises:
            RuntimeError: if it comes from a list that has come to its end.
        """
        if not self.dynamic_lr:
            return self.learning_rate
        if self._last_step is not None and state.frame is None:
            step = self._clock.read(self.global_step)
            if step >= self._last_step:
                raise RuntimeError(
                    f"`{self.cls_name}`: the list of learning rates has {self._last_step} elements, and {step} steps "
                    "have been made. Give it one for every step."
                )
        if self.is_group_lr:
            return tuple(groups.scalar_rate(cell(self.global_step)) for cell in self.learning_rate)
        return groups.scalar_rate(self.learning_rate(self.global_step))

    def get_weight_decay(self) -> Any:
        """Return the weight decay of the next step times the loss scale: a Tensor, or a tuple of one for each parameter."""
        decays = self.weight_decay
        if not self.dynamic_weight_decay:
            return decays
        if isinstance(decays, tuple):
            return tuple(decay(self.global_step) if isinstance(decay, Cell) else decay for decay in decays)
        return decays(self.global_step)

    def get_lr_parameter(self, param: Any) -> Any:
        """Return the Parameter or schedule that gives the learning rate of a parameter.

        Args:
            param: Parameter of this optimizer, or a list of them.

        Returns:
            A Parameter with the learning rate, or a LearningRateSchedule; a list of them for a list.

        Raises:
            TypeError: if `param` is neither.
            ValueError: if the optimizer does not have it.

        Examples:
            >>> import msjax as ms
            >>> from msjax import nn
            >>> a, b = (ms.Parameter(ms.Tensor([1.0]), name=name) for name in "ab")
            >>> optimizer = nn.Momentum([{"params": [a], "lr": 0.05}, {"params": [b]}], 0.1, 0.9)
            >>> print(optimizer.get_lr_parameter(a).asnumpy())
            0.05
        """
        if isinstance(param, list):
            return [self._rate_of(p) for p in param]
        return self._rate_of(param)

    def _rate_of(self, parameter: Any) -> Any:
        if not isinstance(parameter, Parameter):
            raise TypeError(
                "`get_lr_parameter`: argument `param` must be a Parameter or a list of Parameters. "
                f"Received: {argument_checks.describe_value(parameter)}."
            )
        for own, rate in zip(self.parameters, self._group_rates, strict=True):
            if own is parameter:
                return rate.learning_rate if isinstance(rate, groups._IteratorLearningRate) else rate
        raise ValueError(
            f"`get_lr_parameter`: argument `param` must be one of this optimizer's. Received: {parameter.name!r}."
        )

    # ------------------------------------------------------------------ MindSpore's other properties

    # Of a run whose optimizer's states are divided among processes: there is none here.
    use_parallel = False
    param_rank = None

    @property
    def _parameters(self) -> ParameterTuple:
        """The parameters, under the name by which optimizers outside of the package know them."""
        return self.parameters

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        """Return True if the hyper-parameters depend on `global_step`, which `construct` then increments."""
        return self.dynamic_lr or self.dynamic_weight_decay

    def _grad_sparse_indices_deduplicate(self, gradients: Any) -> Any:
        """Return the gradients as they are: they are never sparse here."""
        return gradients

    def _set_base_target(self, value: str) -> None:
        self.target = value

    @property
    def target(self) -> str:
        """Device that parameters are updated on."""
        return self._target or str(context.get_context("device_target"))

    @target.setter
    def target(self, value: str) -> None:
        if not self._takes_target:
            raise NotImplementedError(
                f"`{self.cls_name}`: parameters are updated where they are; `target` cannot be set."
            )
        if not isinstance(value, str):
            raise TypeError(f"`{self.cls_name}`: property `target` must be a str. Received: {value!r}.")
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError(
                f"`{self.cls_name}`: property `target` must be 'CPU', 'Ascend' or 'GPU'. Received: {value!r}."
            )
        self._target = value

    @property
    def group_params(self) -> list[Parameter]:
        """The parameters in the order of their groups' settings; only with groups."""
        return self._of_groups("group_params", list(self.parameters))

    @property
    def group_lr(self) -> list[Any]:
        """The learning rate of each parameter; only with groups."""
        return self._of_groups("group_lr", self.learning_rate)

    @property
    def group_weight_decay(self) -> list[Any]:
        """The weight decay of each parameter; only with groups."""
        return self._of_groups("group_weight_decay", self.weight_decay)

    def _of_groups(self, name: str, value: Any) -> list[Any]:
        if not self.is_group:
            raise AttributeError(f"The {self.cls_name!r} object has no attribute {name!r}: it has no groups.")
        return list(value) if isinstance(value, Iterable) else [value] * self.param_length

    @property
    def unique(self) -> bool:
        """Kept for MindSpore's interface; gradients are never sparse here."""
        return self._unique

    @unique.setter
    def unique(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"`Optimizer`: property `unique` must be a bool. Received: {argument_checks.describe_value(value)}."
            )
        self._unique = value

    def broadcast_params(self, optim_result: Any) -> Any:
        """Return the parameters: every device has all of them."""
        return self.parameters


class _Clock:
    """The number of steps made, known to Python without asking the device for it."""

    __slots__ = ("count", "version")

    def __init__(self) -> None:
        self.count = 0
        self.version = -1

    def read(self, global_step: Parameter) -> int:
        """Return the number of steps in `global_step`."""
        if self.version != global_step._version:
            self.count, self.version = int(global_step.asnumpy()[0]), global_step._version
        return self.count

    def advance(self, global_step: Parameter) -> None:
        """Record the incremented `global_step`, if its previous value is known."""
        if state.frame is None and self.version == global_step._version - 1:
            self.count, self.version = self.count + 1, global_step._version


def _decays(parameter: Parameter) -> bool:
    """Return True if weight decay applies to a parameter of an optimizer without groups: not beta or gamma of a norm."""
    return "beta" not in parameter.name and "gamma" not in parameter.name


def _plain(value: Any) -> Any:
    """Parameters in a tuple that JAX knows."""
    return tuple(value) if isinstance(value, tuple) else value


def _slot(value: jax.Array, name: str) -> Parameter:
    return Parameter(Tensor.from_array(value), name=name)


@functools.lru_cache(maxsize=512)
def pure_step(first: Any, transformation: Any, tree: Any, narrows: bool) -> Step:
    """One step as a pure function. Optimizers of the same kind get the same one, and with it its compiled programs."""
    chained: Any = optax.chain(first, transformation)

    def step(params: list, gradients: list, slots: list, count: Any, extra: dict) -> tuple[list, list, Any]:
        gradients = [match_gradient_dtype(g, p, narrows) for g, p in zip(gradients, params, strict=True)]
        states = optax.EmptyState(), jax.tree.unflatten(tree, slots)
        updates, (_, after) = chained.update(gradients, states, params, global_step=count, **extra)
        new = [
            (transforms.to_compute_dtype(p) + u).astype(p.dtype) for p, u in zip(params, updates, strict=True)
        ]
        return new, jax.tree.leaves(after), count + jnp.ones_like(count)

    return step


def match_gradient_dtype(gradient: Any, parameter: Any, narrows: bool) -> Any:
    """Return the gradient in the dtype of its parameter. The message is for those who do not come through an Optimizer."""
    if gradient.shape != parameter.shape:
        raise ValueError(
            f"a gradient of shape {gradient.shape} does not fit a parameter of shape {parameter.shape}."
        )
    if not narrows and jnp.promote_types(gradient.dtype, parameter.dtype) != parameter.dtype:
        raise TypeError(
            f"a gradient of dtype {gradient.dtype} does not fit a parameter of dtype {parameter.dtype}."
        )
    return gradient.astype(parameter.dtype)


@op(static="step")
def apply_update(
    params: list, gradients: list, slots: list, global_step: Any, extra: dict, step: Step
) -> tuple:
    """One step of an optimizer: new parameters, new slots, and the number of steps made."""
    return step(params, gradients, slots, global_step, extra)


@op(static="rule")
def preprocess_gradients(params: list, gradients: list, weight_decay: Any, rule: Callable) -> Iterable:
    """Preprocess gradients as MindSpore does before the update (see :func:`transforms.preprocess_gradients`)."""
    return rule(gradients, optax.EmptyState(), params, weight_decay=weight_decay)[0]
