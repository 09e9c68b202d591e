"""Training wrappers: network with loss, training step, evaluation, gradients."""

from collections.abc import Callable
from typing import Any

import jax

from msjax.config.parallel_context import ParallelMode, get_auto_parallel_context
from msjax.core import dtype as dtypes
from msjax.core.autodiff.grad import GradOperation, value_and_grad
from msjax.core.tensor.parameter import Parameter, ParameterTuple
from msjax.core.tensor.tensor import Tensor, is_tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.precision import cast_floats
from msjax.nn.layers.linear import Identity
from msjax.nn.wrap.data_wrappers import DistributedGradReducer
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.arithmetic import mul


class WithLossCell(Cell):
    """A network and a loss as one Cell that gives the loss.

    Args:
        backbone (Cell): the network.
        loss_fn (Cell): called with its output and the labels.

    Inputs:
        - **data** (Tensor) - for the network.
        - **label** (Tensor) - for the loss.

    Outputs:
        Tensor, the loss.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Dense(3, 1), ms.nn.MSELoss())
        >>> net(ms.ops.ones((2, 3)), ms.ops.ones((2, 1))).shape
        ()
    """

    def __init__(self, backbone: Any, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        """Return the loss of the network's output."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Any:
        """The network."""
        return self._backbone


@documented_by(WithLossCell)
class WithEvalCell(Cell):
    """A network and a loss as one Cell that gives what metrics need.

    Args:
        network (Cell): the network.
        add_cast_fp32 (bool): convert floating outputs and labels to float32 before the loss.

    Outputs:
        Tuple of the loss, the network's output and the label.

    Raises:
        TypeError: if `add_cast_fp32` is not a bool.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.WithEvalCell(ms.nn.Dense(3, 1), ms.nn.MSELoss())
        >>> [x.shape for x in net(ms.ops.ones((2, 3)), ms.ops.ones((2, 1)))]
        [(), (2, 1), (2, 1)]
    """

    def __init__(self, network: Any, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        parameter_init.check_bools("WithEvalCell", add_cast_fp32=add_cast_fp32)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data: Any, label: Any) -> tuple:
        """Loss, outputs and label."""
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs, label = cast_floats((outputs, label), dtypes.float32)
        return self._loss_fn(outputs, label), outputs, label


def scaled_gradients(network: Callable, weights: Any, sens: Any, inputs: tuple) -> tuple[Any, tuple]:
    """Return the outputs of a network, and the gradients of their sum times `sens` with respect to the weights."""

    def forward(*inputs: Any) -> tuple:
        out = network(*inputs)
        if isinstance(sens, float | int) and sens == 1:
            return out, out
        return jax.tree.map(lambda x: mul(x, sens), out, is_leaf=is_tensor), out

    (_, out), gradients = value_and_grad(forward, None, weights, has_aux=True)(*inputs)
    return out, gradients


class TrainOneStepCell(Cell):
    """One training step: the loss, its gradients, and what the optimizer does with them.

    Under :func:`msjax.jit`, and in graph mode, it is one compiled program.

    Args:
        network (Cell): gives the loss.
        optimizer (Cell): changes the Parameters that it was made with.
        sens (float): what the loss is multiplied by for the backward pass; not 0. Default: 1.
        return_grad (bool): return the gradients, too.

    Inputs:
        - **inputs** (Tensor) - for the network.

    Outputs:
        Tensor, the loss; with `return_grad` a tuple of it and a dict of gradients by Parameter names.

    Raises:
        ValueError: if `sens` is 0.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones")
        >>> optimizer = ms.nn.SGD(net.trainable_params(), learning_rate=0.1)
        >>> step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), optimizer)
        >>> x, y = ms.ops.ones((4, 2)), ms.ops.zeros((4, 1))
        >>> bool(step(x, y) > step(x, y))
        True
    """

    def __init__(self, network: Any, optimizer: Any, sens: Any = None, return_grad: bool = False) -> None:
        super().__init__(auto_prefix=False)
        if isinstance(sens, int | float) and sens == 0:
            raise ValueError(f"`TrainOneStepCell`: argument `sens` must not be 0. Received: {sens}.")
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.sens = 1.0 if sens is None else sens
        self.return_grad = return_grad
        self.use_graceful_exit = False  # classes derived from this one ask for it
        self.grad_reducer = Identity()
        if get_auto_parallel_context("parallel_mode") in (
            ParallelMode.DATA_PARALLEL,
            ParallelMode.HYBRID_PARALLEL,
        ):
            self.grad_reducer = DistributedGradReducer(self.weights)

    def construct(self, *inputs: Any) -> Any:
        """One step."""
        loss, gradients = scaled_gradients(self.network, self.weights, self.sens, inputs)
        gradients = self.grad_reducer(gradients)
        self.optimizer(gradients)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, gradients, strict=True)}
        return loss


class ForwardValueAndGrad(Cell):
    """A network's output and gradients.

    Args:
        network (Union[Cell, function]): the network.
        weights (ParameterTuple): for `get_by_list`.
        get_all (bool): gradients of all inputs instead of the first.
        get_by_list (bool): gradients of `weights`.
        sens_param (bool): the last input is the gradient of the output; otherwise it is ones.

    Inputs:
        - **inputs** (Tensor) - for the network.

    Outputs:
        Tuple of the output and of what :class:`msjax.ops.GradOperation` gives with these settings.

    Raises:
        TypeError: for arguments of another type.

    Examples:
        >>> import msjax as ms
        >>> value, gradient = ms.nn.ForwardValueAndGrad(lambda x: x * x)(ms.Tensor(3.0))
        >>> print(value, gradient)
        9.0 6.0
    """

    def __init__(
        self,
        network: Any,
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise TypeError(
                f"`ForwardValueAndGrad`: argument `network` must be callable. Received: {network!r}."
            )
        parameter_init.check_bools(
            "ForwardValueAndGrad", get_all=get_all, get_by_list=get_by_list, sens_param=sens_param
        )
        if get_by_list and not isinstance(weights, ParameterTuple | tuple | list):
            raise TypeError(
                "`ForwardValueAndGrad`: argument `weights` must be a ParameterTuple with get_by_list=True. "
                f"Received: {type(weights).__name__}."
            )
        self.network = network
        self.weights = weights
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def construct(self, *inputs: Any) -> tuple:
        """Return the output and the gradients."""
        seen: list[Any] = []

        def network(*args: Any) -> Any:
            seen[:] = [self.network(*args)]
            return seen[0]

        gradient = GradOperation(self.get_all, self.get_by_list, self.sens_param)(network, self.weights)
        gradients = gradient(*inputs)
        return seen[0], gradients


class WithGradCell(Cell):
    """A network and a loss as one Cell that gives the gradients of the network's trainable Parameters.

    Args:
        network (Cell): the network, or if `loss_fn` is None, what gives the loss.
        loss_fn (Cell): called with the network's output and the labels.
        sens (Union[None, Tensor, float]): what the loss is multiplied by. Default: 1.

    Inputs:
        - **inputs** (Tensor) - for the network and the loss.

    Outputs:
        Tuple of gradients.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.WithGradCell(ms.nn.Dense(3, 1), ms.nn.MSELoss())
        >>> [g.shape for g in net(ms.ops.ones((2, 3)), ms.ops.ones((2, 1)))]
        [(1, 3), (1,)]
    """

    def __init__(self, network: Any, loss_fn: Any = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.sens = 1.0 if sens is None else sens
        self.network_with_loss.set_train()

    def construct(self, *inputs: Any) -> tuple:
        """Return the gradients."""
        return scaled_gradients(self.network_with_loss, self.weights, self.sens, inputs)[1]


class ParameterUpdate(Cell):
    """Writes a Tensor into a Parameter.

    Args:
        param (Parameter): the Parameter.

    Inputs:
        - **x** (Tensor) - of the Parameter's shape.

    Outputs:
        Tensor, the new value.

    Raises:
        TypeError: if `param` is not a Parameter.
        ValueError: at the call, if the shapes differ.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> print(ms.nn.ParameterUpdate(net.bias)(ms.Tensor([7.0])), net.bias.asnumpy())
        [7.] [7.]
    """

    def __init__(self, param: Parameter) -> None:
        super().__init__()
        if not isinstance(param, Parameter):
            raise TypeError(
                f"`ParameterUpdate`: argument `param` must be a Parameter. Received: {type(param).__name__}."
            )
        self._param = param

    def construct(self, x: Tensor) -> Tensor:
        """Write x."""
        if x.shape != self._param.shape:
            raise ValueError(
                f"`ParameterUpdate`: the input must have shape {self._param.shape}. Received: {x.shape}."
            )
        self._param.set_data(x)
        return x
