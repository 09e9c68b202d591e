"""`nn.wrap.loss_scale`: training steps with loss scaling, and helpers that users' training loops map over gradients."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.wrap.cells import TrainOneStepCell as TrainOneStepCell
from msjax.nn.wrap.loss_scaling import DynamicLossScaleUpdateCell as DynamicLossScaleUpdateCell
from msjax.nn.wrap.loss_scaling import FixedLossScaleUpdateCell as FixedLossScaleUpdateCell
from msjax.nn.wrap.loss_scaling import TrainOneStepWithLossScaleCell as TrainOneStepWithLossScaleCell
from msjax.ops import operations
from msjax.ops.math.arithmetic import mul, reciprocal
from msjax.ops.primitive_impl.map_and_multitype import MultitypeFuncGraph

_grad_scale = MultitypeFuncGraph("grad_scale")
_grad_overflow = MultitypeFuncGraph("_grad_overflow")


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale: Tensor, grad: Tensor) -> Tensor:
    """Return a gradient divided by a loss scale, in its own dtype.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.wrap.loss_scale import _grad_scale
        >>> print(ms.ops.HyperMap()(ms.ops.partial(_grad_scale, ms.Tensor(4.0)), (ms.Tensor([8.0]),))[0])
        [2.]
    """
    return mul(grad, reciprocal(scale).astype(grad.dtype))


@_grad_overflow.register("Tensor")
def _tensor_grad_overflow(grad: Tensor) -> Any:
    operator: Any = operations.FloatStatus
    return operator()(grad)
