"""The operators that MindSpore's layers keep as attributes, for classes that are derived from the layers and call them.

msjax's layers call functions and keep no such objects. One is made when a program first asks for it, `self.layer_norm` in
the `construct` of a class derived from LayerNorm say, with the settings that the layer has at that moment. A class's own
attribute of the name comes first.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msjax.class_paths import own_module
from msjax.core import dtype as dtypes
from msjax.core.composite import HyperMap
from msjax.core.grad import GradOperation
from msjax.core.tensor import Tensor
from msjax.ops import operations

P: Any = operations


def _convolution(layer: Any) -> Any:
    return P.Conv2D(
        out_channel=layer.out_channels,
        kernel_size=layer.kernel_size,
        mode=1,
        pad_mode=layer.pad_mode,
        pad=layer.padding,
        stride=layer.stride,
        dilation=layer.dilation,
        group=layer.group,
        data_format=layer.data_format,
    )


def _batch_norm(training: bool) -> Callable[[Any], Any]:
    def make(layer: Any) -> Any:
        return P.BatchNorm(is_training=training, epsilon=layer.eps, momentum=layer.momentum)

    return make


def _layer_norm(layer: Any) -> Any:
    return P.LayerNorm(layer.begin_norm_axis, layer.begin_params_axis, layer.epsilon)


def _plain(*names: str, **renamed: str) -> dict[str, Callable[[Any], Any]]:
    """Operators without settings: attributes that are called as the operator in small letters, and others."""
    attributes = {name.lower(): name for name in names} | renamed
    return {attribute: lambda layer, name=name: getattr(P, name)() for attribute, name in attributes.items()}


_OF_LOSSES = _plain("Cast", "Mul", reduce_mean="ReduceMean", reduce_sum="ReduceSum")

# For the class of a layer, by name: what makes each of its operators, given the layer.
_MADE: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "Dense": _plain("Reshape", shape_op="Shape", bias_add="BiasAdd")
    | {
        "matmul": lambda layer: P.MatMul(False, True),
        "activation_flag": lambda layer: layer.activation is not None,
    },
    "Conv1d": _plain("Squeeze", "Shape", expand_dims="ExpandDims", bias_add="BiasAdd")
    | {"conv2d": _convolution},
    "Conv2d": {
        "conv2d": _convolution,
        "bias_add": lambda layer: P.BiasAdd(data_format=layer.data_format),
    },
    "LayerNorm": {"layer_norm": _layer_norm},
    "BatchNorm": _plain("Shape", "Reshape", "Cast", "Square", "Sqrt", dtype="DType", reduce_mean="ReduceMean")
    | {"bn_train": _batch_norm(True), "bn_infer": _batch_norm(False)},
    "Dropout": {"dropout": lambda layer: P.Dropout(keep_prob=1.0 - layer.drop_prob)},
    "Embedding": _plain("Gather", "Shape", "Reshape", expand="ExpandDims", reshape_flat="Reshape"),
    "LossBase": _OF_LOSSES,
    "Optimizer": _plain(assignadd="AssignAdd"),
    "TrainOneStepCell": {
        "grad": lambda layer: GradOperation(get_by_list=True, sens_param=True),
        "grad_no_sens": lambda layer: GradOperation(get_by_list=True),
        "hyper_map": lambda layer: HyperMap(),
        "reducer_flag": lambda layer: False,  # one process has nobody to share gradients with
    },
    "TrainOneStepWithLossScaleCell": _plain(reduce_sum="ReduceSum", less_equal="LessEqual")
    | {"base": lambda layer: Tensor(1, dtypes.float32), "is_distributed": lambda layer: False},
    "ReLU": _plain("ReLU"),
    "ReLU6": _plain("ReLU6"),
    "Sigmoid": _plain("Sigmoid"),
    "Tanh": _plain("Tanh"),
    "PReLU": _plain("PReLU"),
    "HSwish": _plain("HSwish"),
    "HSigmoid": _plain("HSigmoid"),
    "Softmax": {"softmax": lambda layer: P.Softmax(layer.axis)},
    "LogSoftmax": {"log_softmax": lambda layer: P.LogSoftmax(layer.axis)},
}


def of(layer: Any, name: str) -> Any:
    """An operator of a layer under its attribute's name; None if the layer's classes have none of that name.

    Examples:
        >>> from msjax import nn, ops
        >>> class Shifted(nn.LayerNorm):
        ...     def construct(self, x):
        ...         return self.layer_norm(x, self.gamma, self.beta)[0] + 1
        >>> print(Shifted((2,))(ops.ones((1, 2))))
        [[1. 1.]]
    """
    for cls in type(layer).__mro__:
        if own_module(cls).startswith("msjax.nn") and name in _MADE.get(cls.__name__, ()):
            return _MADE[cls.__name__][name](layer)
    return None
