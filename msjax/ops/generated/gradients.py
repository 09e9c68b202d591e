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
from msjax.ops.common.adapters import primitive
from msjax.ops.generated import gradients_by_vjp
from msjax.ops.math import arithmetic, rounding, trigonometric
from msjax.ops.nn import activation_piecewise, activation_smooth, convolution, loss, rms_lrn_norm
from msjax.ops.primitive_impl import nn
from msjax.ops.primitive_impl.nn import need_nchw

_p = functools.partial(primitive, module=__name__)
# fmt: on


def by_input(forward: Callable, static: str = "") -> Callable:
    """The gradient of an operator of one array, as an operator.

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
    """The gradients of an operator of two arrays, as an operator."""

    @op
    def gradients(dout: ArrayLike, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        return jax.vjp(forward.pure, x, y)[1](dout)  # type: ignore[attr-defined]

    return gradients


def of_output(slope: Callable[[Array], Array]) -> Callable:
    """A gradient as an operator, whose slope is a function of the output."""

    @op
    def gradient(dout: ArrayLike, out: ArrayLike) -> Array:
        return dout * slope(out).astype(out.dtype)

    return gradient


_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
_BY_X = ("()", "(x, dout)")
_BY_DY = ("()", "(dy, x)", "dy=dout")
_OUT = ("()", "(out, dout)")

# fmt: off
AbsGrad = _p("AbsGrad", by_input(arithmetic.abs), *_BY_X)
ACosGrad = _p("ACosGrad", by_input(trigonometric.acos), *_BY_X)
AsinGrad = _p("AsinGrad", by_input(trigonometric.asin), *_BY_X)
AtanGrad = _p("AtanGrad", by_input(trigonometric.atan), *_BY_X)
ReluGrad = _p("ReluGrad", by_input(activation_piecewise.relu), "()", "(y_backprop, x)", "y_backprop=dout")
ReLU6Grad = _p("ReLU6Grad", by_input(activation_piecewise.relu6), "()", "(y_backprop, x)", "y_backprop=dout")
HSigmoidGrad = _p("HSigmoidGrad", by_input(activation_piecewise.hardsigmoid), "()", "(grads, input_x)",
                   "grads=dout input_x=x")  # fmt: skip
HSwishGrad = _p("HSwishGrad", by_input(activation_piecewise.hardswish), "()", "(y_grad, x)", "y_grad=dout")
HShrinkGrad = _p("HShrinkGrad", by_input(activation_piecewise.hardshrink, "setting"), "(lambd=0.5)", "(gradients, features)",
                 "gradients=dout features=x lambd=setting")
SoftShrinkGrad = _p("SoftShrinkGrad", by_input(activation_piecewise.softshrink, "setting"), "(lambd=0.5)",
                    "(input_grad, input_x)", "input_grad=dout input_x=x lambd=setting")
FastGeLUGrad = _p("FastGeLUGrad", by_input(activation_smooth.fast_gelu), *_BY_DY)
SiLUGrad = _p("SiLUGrad", by_input(activation_smooth.silu), "()", "(dout, x)")
SoftplusGrad = _p("SoftplusGrad", by_input(activation_smooth.softplus), "()", "(gradients, features)",
                  "gradients=dout features=x")
GeLUGrad = _p("GeLUGrad", by_input(activation_smooth.gelu, "setting"), "()", "(dy, x, y)", "dy=dout",
              "return _target(dy, x, 'tanh')  # not of y")
GluGrad = _p("GluGrad", by_input(activation_smooth.glu, "setting"), "(axis)", "(grads, x)", "grads=dout axis=setting")
LogitGrad = _p("LogitGrad", by_input(activation_smooth.logit, "setting"), "(eps=-1.0)", "(grad, input)",
               "grad=dout input=x", "return _target(grad, input, None if self.eps == -1 else self.eps)")
L2NormalizeGrad = _p("L2NormalizeGrad", by_input(rms_lrn_norm.l2_normalize, "setting"), "(axis=0, epsilon=1e-4)",
                     "(x, out, dout)", fix="if self.epsilon != 1e-4: raise NotImplementedError('`L2NormalizeGrad`: "
                     "epsilon must be 1e-4.')\nreturn _target(dout, x, self.axis)  # not of out")

TanhGrad = _p("TanhGrad", of_output(lambda y: 1 - y * y), "()", "(y, dy)", "y=out dy=dout")
SigmoidGrad = _p("SigmoidGrad", of_output(lambda y: y * (1 - y)), "()", "(y, dy)", "y=out dy=dout")
SqrtGrad = _p("SqrtGrad", of_output(lambda y: 0.5 / y), "()", "(dy, y)", "dy=out y=dout")
RsqrtGrad = _p("RsqrtGrad", of_output(lambda y: -0.5 * y * y * y), "()", "(y_backprop, x)", "y_backprop=out x=dout")
ReciprocalGrad = _p("ReciprocalGrad", of_output(lambda y: -y * y), "()", "(y, dy)", "y=out dy=dout")
InvGrad = _p("InvGrad", of_output(lambda y: -y * y), "()", "(x, grad)", "x=out grad=dout")
AsinhGrad = _p("AsinhGrad", of_output(lambda y: 1 / jnp.cosh(y)), *_OUT)
AcoshGrad = _p("AcoshGrad", of_output(lambda y: 1 / jnp.sinh(y)), *_OUT)
EluGrad = _p("EluGrad", of_output(lambda y: jnp.where(y > 0, 1, y + 1)), "()", "(dout, out)")
SeluGrad = _p("SeluGrad", of_output(lambda y: jnp.where(y > 0, _SELU_SCALE, y + _SELU_SCALE * _SELU_ALPHA)), "()",
              "(gradient, result)", "gradient=dout result=out")

MaximumGrad = _p("MaximumGrad", by_both(rounding.maximum), "(grad_x=True, grad_y=True)", "(x, y, grads)", "grads=dout",
                 "return _target(grads, x, y)  # both, of: self.grad_x self.grad_y")
MinimumGrad = _p("MinimumGrad", by_both(rounding.minimum), "(grad_x=True, grad_y=True)", "(x1, x2, grads)",
                 "x1=x x2=y grads=dout", "return _target(grads, x1, x2)  # both, of: self.grad_x self.grad_y")
PReLUGrad = _p("PReLUGrad", by_both(activation_piecewise.prelu), "()", "(dy, x, weight)", "dy=dout weight=y")
# fmt: on


@op(static="axis")
def log_softmax_gradient(logits: ArrayLike, grad: ArrayLike, axis: int = -1) -> Array:
    """The gradient of log_softmax, of its output (`LogSoftmaxGrad`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.gradients import LogSoftmaxGrad
        >>> print(LogSoftmaxGrad()(ms.Tensor([0.0, -1000.0]), ms.Tensor([1.0, 2.0])))
        [-2.  2.]
    """
    return grad - jnp.exp(logits) * grad.sum(axis, keepdims=True)


@op
def bias_gradient(dout: ArrayLike) -> Array:
    """The gradient of a bias per channel (`BiasAddGrad`).

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
    """The gradient of a pooling by its input (`MaxPoolGrad`, `AvgPoolGrad`).

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
    """The gradient of a convolution by its kernel (`Conv2DBackpropFilter`).

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
    """The gradient of smooth_l1_loss by the prediction (`SmoothL1LossGrad`).

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
    """The gradient of binary_cross_entropy by the probabilities (`BinaryCrossEntropyGrad`).

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


# fmt: off
LogSoftmaxGrad = _p("LogSoftmaxGrad", log_softmax_gradient, "(axis=-1)")
BiasAddGrad = _p("BiasAddGrad", bias_gradient, "(data_format='NCHW')", "(dout)",
                 fix="need_nchw(self.name, self.data_format)", need_nchw=need_nchw)
_POOL = "(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')"
_POOLED = """need_nchw(self.name, self.data_format)
return _target(dout, x, 2, self.kernel_size, self.strides, self.pad_mode, {})  # not of out"""
MaxPoolGrad = _p("MaxPoolGrad", pool_gradient, _POOL, "(x, out, dout)", fix=_POOLED.format(False), need_nchw=need_nchw)
AvgPoolGrad = _p("AvgPoolGrad", pool_gradient, _POOL, "(x, out, dout)", fix=_POOLED.format(True), need_nchw=need_nchw)
Conv2DBackpropFilter = _p("Conv2DBackpropFilter", filter_gradient, "(out_channel, kernel_size, pad_mode='valid', pad=0, "
                          "pad_list=(0, 0, 0, 0), mode=1, stride=(1, 1), dilation=(1, 1, 1, 1), group=1, "
                          "data_format='NCHW')", "(dout, input, filter_size)",
                          fix="need_nchw(self.name, self.data_format)  # filter_size tells: self.out_channel "
                          "self.kernel_size; self.mode self.pad_list\n"
                          "dilation = self.dilation[-2:] if isinstance(self.dilation, tuple) else self.dilation\n"
                          "stride = self.stride[-2:] if isinstance(self.stride, tuple) else self.stride\n"
                          "return _target(dout, input, filter_size, self.pad_mode, self.pad, stride, dilation, self.group)",
                          need_nchw=need_nchw)
SmoothL1LossGrad = _p("SmoothL1LossGrad", smooth_l1_gradient, "(beta=1.0, reduction='none')")
BinaryCrossEntropyGrad = _p("BinaryCrossEntropyGrad", cross_entropy_gradient, "(reduction='mean')",
                            "(input, target, grad_output, weight=None)")
SigmoidCrossEntropyWithLogitsGrad = _p("SigmoidCrossEntropyWithLogitsGrad", sigmoid_cross_entropy_gradient)


def __getattr__(name: str) -> Any:
    return getattr(gradients_by_vjp if name in gradients_by_vjp.names() else ops, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *gradients_by_vjp.names()} - {"Primitive"})
