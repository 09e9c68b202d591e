"""Training steps with `boost`'s algorithms."""

from collections.abc import Sequence
from typing import Any

from msjax import ops
from msjax.boost.grad_freeze import FreezeOpt, freeze_cell
from msjax.core import dtype as dtypes
from msjax.core.autodiff.grad import GradOperation
from msjax.core.control.control_flow import cond
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.wrap.cells import TrainOneStepCell
from msjax.nn.wrap.loss_scaling import TrainOneStepWithLossScaleCell


class BoostTrainOneStepCell(TrainOneStepCell):
    """One training step; with a :class:`FreezeOpt`, of the Parameters whose turn it is.

    Args:
        network (Cell): gives the loss.
        optimizer (Cell): an optimizer, or several as :class:`FreezeOpt`.
        sens (float): what the loss is multiplied by for the backward pass; not 0. Default: 1.

    Inputs:
        - **inputs** (Tensor) - for the network.

    Outputs:
        Tensor, the loss.

    Raises:
        ValueError: if `sens` is 0.

    Examples:
        >>> from msjax import Tensor, boost, nn
        >>> net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        >>> weight, bias = net.trainable_params()
        >>> opt = boost.FreezeOpt(nn.SGD([weight, bias], 0.5), [[weight, bias], [bias]], [0, 1])
        >>> train = boost.BoostTrainOneStepCell(net, opt)
        >>> for _ in range(2):
        ...     _ = train(Tensor([[1.0, 2.0]]))
        ...     print(weight.asnumpy(), bias.asnumpy())
        [[0.5 0. ]] [-0.5]
        [[0.5 0. ]] [-1.]
    """

    def __init__(self, network: Any, optimizer: Any, sens: Any = None) -> None:
        super().__init__(network, optimizer, sens)
        self.freeze = isinstance(optimizer, FreezeOpt)
        self.train_strategy = getattr(optimizer, "train_strategy", None)
        self.step = Parameter(Tensor(0, dtypes.int32), name="step", requires_grad=False)
        self.freeze_nets: Sequence[Any] = ()
        if self.freeze:
            grad = GradOperation(get_by_list=True, sens_param=True)
            self.freeze_nets = freeze_cell(False, network, optimizer, self.sens, grad, False)

    def construct(self, *inputs: Any) -> Any:
        """Run one training step."""
        return self.gradient_freeze_process(*inputs) if self.freeze else super().construct(*inputs)

    def gradient_freeze_process(self, *inputs: Any) -> Tensor:
        """Run one step with the next optimizer of the plan; after the last one it starts again."""
        steps = len(self.freeze_nets) if self.train_strategy is None else len(self.train_strategy)
        turn = self.step if self.train_strategy is None else self.train_strategy[self.step]
        loss = self._of_group(turn, 0, inputs)
        ops.assign(self.step, (self.step + 1) % steps)
        return loss

    def _of_group(self, turn: Tensor, index: int, inputs: tuple) -> Tensor:
        step = self.freeze_nets[index]
        if index == len(self.freeze_nets) - 1:
            return step(*inputs)
        return cond(turn == index, lambda: step(*inputs), lambda: self._of_group(turn, index + 1, inputs))


class BoostTrainOneStepWithLossScaleCell(TrainOneStepWithLossScaleCell):
    """One training step with a loss scale, as :class:`msjax.nn.TrainOneStepWithLossScaleCell` does it.

    Args:
        network (Cell): gives the loss.
        optimizer (Cell): an optimizer.
        scale_sense (Union[Tensor, Cell]): the scale, or the Cell that has and changes it.

    Inputs:
        - **inputs** (Tensor) - for the network.

    Outputs:
        Tuple of three Tensors: the loss, whether gradients overflowed, and the scale.

    Raises:
        TypeError: if `scale_sense` is neither.
        ValueError: if it is a Tensor of more than one element.
        NotImplementedError: if `optimizer` is a :class:`FreezeOpt`.

    Examples:
        >>> from msjax import Tensor, boost, nn
        >>> net = nn.Dense(2, 1, weight_init="ones")
        >>> train = boost.BoostTrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.5), Tensor([8.0]))
        >>> print(train(Tensor([[1.0, 2.0]]))[1], net.weight.asnumpy())
        False [[0.5 0. ]]
    """

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        if isinstance(optimizer, FreezeOpt):
            raise NotImplementedError(
                "`BoostTrainOneStepWithLossScaleCell`: argument `optimizer` cannot be a FreezeOpt. "
                "Use BoostTrainOneStepCell, whose `sens` is a fixed scale."
            )
        super().__init__(network, optimizer, scale_sense)
