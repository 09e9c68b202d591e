"""Gradient operators in class form, as in MindSpore's `ops.operations._grad_ops`: `ReluGrad()(dout, x)`.

Each is JAX's derivative of the operator, or of its inverse where MindSpore gives the output in place of the input.
They can be differentiated again. Orders of arguments are MindSpore's.
"""

# fmt: off
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from msjax import ops
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.ops.common.name_table import Table, make_class
from msjax.ops.generated import gradients_by_vjp
from msjax.ops.math import arithmetic, rounding, trigonometric
from msjax.ops.nn import activation_piecewise, activation_smooth, convolution, loss, rms_lrn_norm
from msjax.ops.primitive_impl import nn
from msjax.ops.primitive_impl.nn import need_nchw

_p = functools.partial(make_class, module=__name__)
# fmt: on


def by_input(forward: Callable, static: str = "") -> Callable:
    """Return the gradient of an operator of one array, as an operator.

    Args:
        forward: the operator, (x) or (x, setting).
        static: whether it has a setting: "setting".

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import by_input
        >>> print(by_input(ms.ops.square)(ms.Tensor(2.0), ms.Tensor(3.0)))
        12.0
    """
    if static:

        @op(static="setting")
        def gradient_with(dout: ArrayLike, x: ArrayLike, setting: Any) -> Array:
            return jax.vjp(lambda x: forward.pure(x, setting), x)[1](dout.astype(x.dtype))[0]  # type: ignore[attr-defined]

        return gradient_with

    @op
    def gradient(dout: ArrayLike, x: ArrayLike) -> Array:
        return jax.vjp(forward.pure, x)[1](dout.astype(x.dtype))[0]  # type: ignore[attr-defined]

    return gradient


def by_both(forward: Callable) -> Callable:
    """Return the gradients of an operator of two arrays, as an operator."""

    @op
    def gradients(dout: ArrayLike, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        return jax.vjp(forward.pure, x, y)[1](dout)  # type: ignore[attr-defined]

    return gradients


def of_output(slope: Callable[[Array], Array]) -> Callable:
    """Return a gradient as an operator, whose slope is a function of the output."""

    @op
    def gradient(dout: ArrayLike, out: ArrayLike) -> Array:
        return dout * slope(out).astype(out.dtype)

    return gradient


_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772

# fmt: off
AbsGrad = _p("AbsGrad(x, dout)", by_input(arithmetic.abs))
ACosGrad = _p("ACosGrad(x, dout)", by_input(trigonometric.acos))
AsinGrad = _p("AsinGrad(x, dout)", by_input(trigonometric.asin))
AtanGrad = _p("AtanGrad(x, dout)", by_input(trigonometric.atan))
ReluGrad = _p("ReluGrad(y_backprop: dout, x)", by_input(activation_piecewise.relu))
ReLU6Grad = _p("ReLU6Grad(y_backprop: dout, x)", by_input(activation_piecewise.relu6))
HSigmoidGrad = _p("HSigmoidGrad(grads: dout, input_x: x)", by_input(activation_piecewise.hardsigmoid))
HSwishGrad = _p("HSwishGrad(y_grad: dout, x)", by_input(activation_piecewise.hardswish))
HShrinkGrad = _p("HShrinkGrad(lambd: setting = 0.5)(gradients: dout, features: x)",
    by_input(activation_piecewise.hardshrink, "setting"))
SoftShrinkGrad = _p("SoftShrinkGrad(lambd: setting = 0.5)(input_grad: dout, input_x: x)",
    by_input(activation_piecewise.softshrink, "setting"))
FastGeLUGrad = _p("FastGeLUGrad(dy: dout, x)", by_input(activation_smooth.fast_gelu))
SiLUGrad = _p("SiLUGrad(dout, x)", by_input(activation_smooth.silu))
SoftplusGrad = _p("SoftplusGrad(gradients: dout, features: x)", by_input(activation_smooth.softplus))
GeLUGrad = _p("""GeLUGrad(dy: dout, x, y: _)
    return _target(dy, x, 'tanh')""", by_input(activation_smooth.gelu, "setting"))
GluGrad = _p("GluGrad(axis: setting)(grads: dout, x)", by_input(activation_smooth.glu, "setting"))
LogitGrad = _p("""LogitGrad(eps=-1.0)(grad: dout, input: x)
    return _target(grad, input, None if self.eps == -1 else self.eps)""", by_input(activation_smooth.logit, "setting"))
L2NormalizeGrad = _p("""L2NormalizeGrad(axis=0, epsilon=0.0001)(x, out: _, dout)
    if self.epsilon != 1e-4: raise NotImplementedError('`L2NormalizeGrad`: epsilon must be 1e-4.')
    return _target(dout, x, self.axis)""", by_input(rms_lrn_norm.l2_normalize, "setting"))

TanhGrad = _p("TanhGrad(y: out, dy: dout)", of_output(lambda y: 1 - y * y))
SigmoidGrad = _p("SigmoidGrad(y: out, dy: dout)", of_output(lambda y: y * (1 - y)))
SqrtGrad = _p("SqrtGrad(dy: out, y: dout)", of_output(lambda y: 0.5 / y))
RsqrtGrad = _p("RsqrtGrad(y_backprop: out, x: dout)", of_output(lambda y: -0.5 * y * y * y))
ReciprocalGrad = _p("ReciprocalGrad(y: out, dy: dout)", of_output(lambda y: -y * y))
InvGrad = _p("InvGrad(x: out, grad: dout)", of_output(lambda y: -y * y))
AsinhGrad = _p("AsinhGrad(out, dout)", of_output(lambda y: 1 / jnp.cosh(y)))
AcoshGrad = _p("AcoshGrad(out, dout)", of_output(lambda y: 1 / jnp.sinh(y)))
EluGrad = _p("EluGrad(dout, out)", of_output(lambda y: jnp.where(y > 0, 1, y + 1)))
SeluGrad = _p("SeluGrad(gradient: dout, result: out)",
    of_output(lambda y: jnp.where(y > 0, _SELU_SCALE, y + _SELU_SCALE * _SELU_ALPHA)))

MaximumGrad = _p("MaximumGrad(grad_x: _ = True, grad_y: _ = True)(x, y, grads: dout)", by_both(rounding.maximum))
MinimumGrad = _p("MinimumGrad(grad_x: _ = True, grad_y: _ = True)(x1: x, x2: y, grads: dout)", by_both(rounding.minimum))
PReLUGrad = _p("PReLUGrad(dy: dout, x, weight: y)", by_both(activation_piecewise.prelu))
# fmt: on


@op(static="axis")
def log_softmax_gradient(logits: ArrayLike, grad: ArrayLike, axis: int = -1) -> Array:
    """Return the gradient of log_softmax, of its output (`LogSoftmaxGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import LogSoftmaxGrad
        >>> print(LogSoftmaxGrad()(ms.Tensor([0.0, -1000.0]), ms.Tensor([1.0, 2.0])))
        [-2.  2.]
    """
    return grad - jnp.exp(logits) * grad.sum(axis, keepdims=True)


@op
def bias_gradient(dout: ArrayLike) -> Array:
    """Return the gradient of a bias per channel (`BiasAddGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import BiasAddGrad
        >>> print(BiasAddGrad()(ms.ops.ones((2, 3, 4))))
        [8. 8. 8.]
    """
    return dout.sum((0, *range(2, dout.ndim)))


@op(static="n kernel_size strides pad_mode mean")
def pool_gradient(
    dout: ArrayLike, x: ArrayLike, n: int, kernel_size: Any, strides: Any, pad_mode: str, mean: BoolLike
) -> Array:
    """Return the gradient of a pooling by its input (`MaxPoolGrad`, `AvgPoolGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import AvgPoolGrad
        >>> print(AvgPoolGrad(2, 2)(ms.ops.zeros((1, 1, 2, 2)), None, ms.ops.ones((1, 1, 1, 1))))
        [[[[0.25 0.25]
           [0.25 0.25]]]]
    """
    pool = nn.avg_pool if mean else nn.max_pool
    return jax.vjp(lambda x: pool.pure(x, n, kernel_size, strides, pad_mode), x)[1](dout)[0]


@op(static="filter_size pad_mode pad stride dilation group")
def filter_gradient(
    dout: ArrayLike,
    input: ArrayLike,
    filter_size: tuple,
    pad_mode: str,
    pad: Any,
    stride: Any,
    dilation: Any,
    group: int,
) -> Array:
    """Return the gradient of a convolution by its kernel (`Conv2DBackpropFilter`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import Conv2DBackpropFilter
        >>> one = ms.ops.ones
        >>> print(Conv2DBackpropFilter(1, 2)(one((1, 1, 2, 2)), one((1, 1, 3, 3)), (1, 1, 2, 2)))
        [[[[4. 4.]
           [4. 4.]]]]
    """

    def convolved(weight: Array) -> Array:
        return convolution.conv2d.pure(input, weight, None, stride, pad_mode, pad, dilation, group)

    return jax.vjp(convolved, jnp.zeros(filter_size, input.dtype))[1](dout)[0]


@op(static="beta reduction")
def smooth_l1_gradient(
    prediction: ArrayLike, target: ArrayLike, dout: ArrayLike, beta: float, reduction: str
) -> Array:
    """Return the gradient of smooth_l1_loss by the prediction (`SmoothL1LossGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import SmoothL1LossGrad
        >>> print(SmoothL1LossGrad()(ms.Tensor([0.5, 3.0]), ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, 1.0])))
        [0.5 1. ]
    """
    return jax.vjp(lambda x: loss.smooth_l1_loss.pure(x, target, beta, reduction), prediction)[1](dout)[0]


@op(static="reduction")
def cross_entropy_gradient(
    input: ArrayLike, target: ArrayLike, grad_output: ArrayLike, weight: Any = None, reduction: str = "mean"
) -> Array:
    """Return the gradient of binary_cross_entropy by the probabilities (`BinaryCrossEntropyGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import BinaryCrossEntropyGrad
        >>> print(BinaryCrossEntropyGrad()(ms.Tensor([0.5]), ms.Tensor([1.0]), ms.Tensor(1.0)))
        [-2.]
    """

    def of(x: Array) -> Array:
        return loss.binary_cross_entropy.pure(x, target, weight, reduction)

    return jax.vjp(of, input)[1](grad_output)[0]


@op
def sigmoid_cross_entropy_gradient(logits: ArrayLike, label: ArrayLike, dout: ArrayLike) -> Array:
    """(sigmoid(x) - y) dout (`SigmoidCrossEntropyWithLogitsGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import SigmoidCrossEntropyWithLogitsGrad
        >>> print(SigmoidCrossEntropyWithLogitsGrad()(ms.Tensor([0.0]), ms.Tensor([1.0]), ms.Tensor([2.0])))
        [-1.]
    """
    return (jax.nn.sigmoid(logits) - label) * dout


TABLE = Table(
    __name__,
    """
here: SigmoidCrossEntropyWithLogitsGrad=sigmoid_cross_entropy_gradient
LogSoftmaxGrad(axis=-1)(...) -> log_softmax_gradient
BiasAddGrad(data_format='NCHW')(dout) -> bias_gradient
    need_nchw(self.name, self.data_format)
MaxPoolGrad(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x, out: _, dout) -> pool_gradient
    need_nchw(self.name, self.data_format)
    return _target(dout, x, 2, self.kernel_size, self.strides, self.pad_mode, False)
AvgPoolGrad(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')(x, out: _, dout) -> pool_gradient
    need_nchw(self.name, self.data_format)
    return _target(dout, x, 2, self.kernel_size, self.strides, self.pad_mode, True)
# filter_size stands for out_channel and kernel_size
Conv2DBackpropFilter(out_channel: _, kernel_size: _, pad_mode='valid', pad=0, pad_list: _ = (0, 0, 0, 0), mode: _ = 1,
    stride=(1, 1), dilation=(1, 1, 1, 1), group=1, data_format='NCHW')(dout, input, filter_size) -> filter_gradient
    need_nchw(self.name, self.data_format)
    dilation = self.dilation[-2:] if isinstance(self.dilation, tuple) else self.dilation
    stride = self.stride[-2:] if isinstance(self.stride, tuple) else self.stride
    return _target(dout, input, filter_size, self.pad_mode, self.pad, stride, dilation, self.group)
SmoothL1LossGrad(beta=1.0, reduction='none')(...) -> smooth_l1_gradient
BinaryCrossEntropyGrad(reduction='mean')(input, target, grad_output, weight=None) -> cross_entropy_gradient
""",
    need_nchw=need_nchw,
)


def _elsewhere(name: str) -> Any:
    return getattr(gradients_by_vjp if name in gradients_by_vjp.TABLE.rows else ops, name)


__getattr__, _ = TABLE.attach(TABLE.make_class, _elsewhere)


def __dir__() -> list[str]:
    return sorted({*globals(), *TABLE.rows, *gradients_by_vjp.TABLE.rows})
