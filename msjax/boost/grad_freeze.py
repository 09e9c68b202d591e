"""Gradient freezing: each training step changes only the Parameters of some layers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax import ops
from msjax.boost.base import ParameterProcess, Rebuilt
from msjax.boost.grad_accumulation import GradientAccumulation
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.linear import Identity
from msjax.nn.optim.optimizer import Optimizer

CONTINUOUS_STRATEGY = 0
INTERVAL_STRATEGY = 1


class FreezeOpt(Cell):
    """Parameter freezing: an optimizer as several, one for each group of Parameters that is trained.

    Args:
        opt (Cell): the optimizer that the others are made like.
        train_parameter_groups (Union[tuple, list]): what each of them trains. Default: one, for all.
        train_strategy (Union[tuple[int], list[int], Tensor]): the number of each step's optimizer. Default: in turn.

    Raises:
        TypeError: if `opt` is not an optimizer, or the groups or the strategy are of another type.
        ValueError: if there is a strategy without groups, or it holds anything but int32 numbers.

    Examples:
        >>> from msjax import boost, nn
        >>> weight, bias = nn.Dense(2, 3).trainable_params()
        >>> freeze = boost.FreezeOpt(nn.SGD([weight, bias], 0.1), [[weight, bias], [bias]], [0, 1, 1])
        >>> [len(opt.parameters) for opt in freeze.opts]
        [2, 1]
    """

    def __init__(
        self,
        opt: Any,
        train_parameter_groups: Sequence | None = None,
        train_strategy: Sequence[int] | Tensor | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(opt, Optimizer):
            raise TypeError(
                f"`FreezeOpt`: argument `opt` must be an optimizer. Received: {type(opt).__name__}."
            )
        if train_strategy is not None and train_parameter_groups is None:
            raise ValueError(
                "`FreezeOpt`: with `train_strategy`, `train_parameter_groups` must be given as well."
            )
        rebuilt = Rebuilt(opt)
        self.is_lars, self.single_opt, self.opt_class = rebuilt.is_lars, rebuilt.single_opt, rebuilt.opt_class
        self.opt_init_args, self.learning_rate = rebuilt.opt_init_args, rebuilt.learning_rate
        self.parameters = rebuilt.single_opt.parameters
        groups = (
            [tuple(opt.parameters)] if train_parameter_groups is None else _groups(train_parameter_groups)
        )
        self.groups_num = len(groups)
        self.train_strategy = _strategy(train_strategy)
        rates = self._rates_of_groups()
        self.opts = []
        for index, group in enumerate(groups):
            made = rebuilt.rebuild(group, rates[index] or None)
            _rename_state(made, f"boost_{index}")
            self.opts.append(made)

    def _rates_of_groups(self) -> list[list]:
        """Return a learning rate for each step, as one list for each group: that of the steps in which it is trained."""
        rates: list[list] = [[] for _ in range(self.groups_num)]
        if isinstance(self.learning_rate, list) and isinstance(self.train_strategy, Tensor):
            steps = self.train_strategy.asnumpy()
            if len(self.learning_rate) <= len(steps):
                for rate, group in zip(self.learning_rate, steps, strict=False):
                    rates[group].append(rate)
        return rates


class _TrainFreezeCell(Cell):
    """Training step with one of the optimizers of :class:`FreezeOpt`."""

    def __init__(
        self,
        net: Any,
        sens: Any,
        grad: Any,
        grad_reducer: Any,
        use_grad_accumulation: bool,
        optimizer: Any,
        max_accumulation_step: int = 1,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.net, self.sens, self.grad, self.grad_reducer = net, sens, grad, grad_reducer
        self.opt = optimizer
        self.parameters = optimizer.parameters
        self.use_grad_accumulation = use_grad_accumulation
        self.max_accumulation_step = max_accumulation_step
        if use_grad_accumulation:
            self.grad_accumulation = GradientAccumulation(max_accumulation_step, optimizer)

    def construct(self, *inputs: Any) -> Tensor:
        """Return the loss; the Parameters are changed."""
        loss = self.net(*inputs)
        sens = ops.full_like(loss, self.sens)
        gradients = self.grad_reducer(self.grad(self.net, self.parameters)(*inputs, sens))
        if self.use_grad_accumulation:
            return self.grad_accumulation(loss, gradients)
        self.opt(gradients)
        return loss


class GradientFreeze:
    """Gradient freezing: plans a training in which the first layers are often left as they are.

    Args:
        param_groups (int): how many groups of Parameters to choose from.
        freeze_type (int): 0, in turn after some steps of all; 1, drawn at random, the later groups rarely.
        freeze_p (float): share of the steps in which something is frozen.
        total_steps (int): steps of the training.

    Examples:
        >>> from msjax import boost
        >>> boost.GradientFreeze(3, 0, 0.5, 6).generate_freeze_index_sequence(3, 0, 0.5, 6)
        [0, 0, 1, 2, 0, 0, 1, 2]
    """

    def __init__(self, param_groups: int, freeze_type: int, freeze_p: float, total_steps: int) -> None:
        self._param_groups = param_groups
        self._freeze_type = freeze_type
        self._freeze_p = freeze_p
        self._total_steps = total_steps
        self.grad_reducer = Identity()

    def split_parameters_groups(self, net: Cell, freeze_para_groups_number: int) -> list[list]:
        """Group the trainable Parameters: each group holds those from some layer to the last.

        Args:
            net (Cell): the network.
            freeze_para_groups_number (int): how many groups.
        """
        layers: list[list] = [[]]
        for parameter in net.trainable_params():
            joins = "bn" in parameter.name or "bias" in parameter.name
            if not joins and len(layers[-1]) >= 3:
                layers.append([])
            layers[-1].append(parameter)
        stride = len(layers) // freeze_para_groups_number
        return [
            [p for layer in layers[i * stride :] for p in layer] for i in range(freeze_para_groups_number)
        ]

    def generate_freeze_index_sequence(
        self, parameter_groups_number: int, freeze_strategy: int, freeze_p: float, total_steps: int
    ) -> list[int]:
        """Return the index of the group that each step trains; one step in a hundred more than asked for.

        Args:
            parameter_groups_number (int): how many groups there are.
            freeze_strategy (int): 0 or 1, see :class:`GradientFreeze`.
            freeze_p (float): share of the steps in which something is frozen.
            total_steps (int): steps of the training.

        Raises:
            ValueError: for another strategy.
        """
        number, steps = parameter_groups_number, int(total_steps * 1.01)
        if number <= 1:
            return [0] * steps
        if freeze_strategy == CONTINUOUS_STRATEGY:
            whole = int(freeze_p * (number - 1) // (1 - freeze_p) + 0.5)
            turn = [0] * whole + list(range(1, number))
            return turn * -(-steps // len(turn))
        if freeze_strategy == INTERVAL_STRATEGY:
            return _draw_groups(number, freeze_p, steps)
        raise ValueError(
            f"`GradientFreeze`: argument `freeze_type` must be 0 or 1. Received: {freeze_strategy!r}."
        )

    def freeze_generate(self, network: Cell, optimizer: Any) -> tuple[Cell, FreezeOpt]:
        """Return the network, and the optimizer as a :class:`FreezeOpt`.

        Args:
            network (Cell): gives the loss.
            optimizer (Cell): the optimizer.
        """
        origin = optimizer.init_params["params"]
        groups = [
            ParameterProcess.generate_group_params(group, origin)
            for group in self.split_parameters_groups(network, self._param_groups)
        ]
        strategy = self.generate_freeze_index_sequence(
            self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
        )
        return network, FreezeOpt(optimizer, groups, strategy)


def freeze_cell(
    reducer_flag: bool,
    network: Cell,
    optimizer: FreezeOpt,
    sens: float,
    grad: Any,
    use_grad_accumulation: bool,
    mean: bool | None = None,
    degree: int | None = None,
    max_accumulation_step: int = 1,
) -> tuple[Cell, ...]:
    """Return the training steps of a :class:`FreezeOpt`, one for each of its optimizers.

    Args:
        reducer_flag (bool): join the gradients of several processes; there is one here, so they are taken as they are.
        network (Cell): gives the loss.
        optimizer (FreezeOpt): the optimizers.
        sens (float): what the loss is multiplied by for the backward pass.
        grad (GradOperation): made with `get_by_list=True, sens_param=True`.
        use_grad_accumulation (bool): update once in `max_accumulation_step` steps.
        mean (bool): of the gradients of several processes.
        degree (int): how many processes; 1 or None.
        max_accumulation_step (int): see above.

    Raises:
        NotImplementedError: if gradients of more than one process are to be joined.

    Examples:
        >>> from msjax import Tensor, boost, nn, ops
        >>> net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> freeze = boost.FreezeOpt(nn.SGD(net.trainable_params(), 0.5))
        >>> grad = ops.GradOperation(get_by_list=True, sens_param=True)
        >>> (step,) = boost.freeze_cell(False, net, freeze, 1.0, grad, False)
        >>> print(step(Tensor([[1.0, 2.0]])), net.weight.asnumpy())
        [[3.]] [[0.5 0. ]]
    """
    if reducer_flag and degree not in (None, 1):
        raise NotImplementedError(
            f"`freeze_cell`: msjax runs one process, so `degree` must be 1. Received: {degree}. Use jax.sharding."
        )
    return tuple(
        _TrainFreezeCell(network, sens, grad, Identity(), use_grad_accumulation, opt, max_accumulation_step)
        for opt in optimizer.opts
    )


def _groups(given: Any) -> list:
    if not isinstance(given, tuple | list):
        raise TypeError(
            f"`FreezeOpt`: argument `train_parameter_groups` must be a tuple or list. Received: {type(given).__name__}."
        )
    for group in given:
        if not isinstance(group, tuple | list):
            raise TypeError(
                "`FreezeOpt`: every element of `train_parameter_groups` must be a tuple or list of Parameters. "
                f"Received: {type(group).__name__}."
            )
    return list(given)


def _strategy(given: Any) -> Tensor | None:
    if given is None:
        return None
    if isinstance(given, Tensor):
        if given.ndim != 1 or given.dtype != dtypes.int32:
            raise ValueError(
                "`FreezeOpt`: argument `train_strategy` as a Tensor must have one dimension and dtype int32. "
                f"Received: shape {given.shape}, dtype {given.dtype}."
            )
        return given
    if not isinstance(given, tuple | list):
        raise TypeError(
            "`FreezeOpt`: argument `train_strategy` must be None, a tuple, a list or a Tensor. "
            f"Received: {type(given).__name__}."
        )
    if not all(isinstance(step, int) for step in given):
        raise ValueError(f"`FreezeOpt`: argument `train_strategy` must hold ints. Received: {given!r}.")
    return Tensor(list(given), dtypes.int32)


def _rename_state(optimizer: Any, prefix: str) -> None:
    """Prefix the names of an optimizer's state, so that several optimizers of the same Parameters do not clash."""
    trained = {id(p) for p in optimizer.parameters}
    for parameter in optimizer.get_parameters():
        if id(parameter) not in trained:
            parameter.name = f"{prefix}.{parameter.name}"


def _draw_groups(number: int, freeze_p: float, steps: int) -> list[int]:
    """Groups drawn with NumPy, in proportion to how many layers they leave; 0 as often as the share asks for."""
    choices = list(range(1, number))
    weights = [n / sum(choices) for n in choices]
    drawn, frozen = [0], 0
    while len(drawn) < steps:
        if frozen / len(drawn) < 1 - freeze_p:
            drawn.append(int(np.random.choice(choices[::-1], p=weights)))  # noqa: NPY002 - `numpy.random.seed` steers it
            frozen += 1
        else:
            drawn.append(0)
    return drawn
