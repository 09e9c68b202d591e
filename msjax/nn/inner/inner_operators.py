"""Operators that MindSpore's layers keep as attributes, for classes derived from the layers that call them.

msjax's layers call functions and keep no such objects. One is made when a program first asks for it, `self.layer_norm` in
the `construct` of a class derived from LayerNorm say, with the settings that the layer has at that moment. A class's own
attribute of the name comes first. Layers elsewhere have their own `_kept`, of the form of the values of `_MADE`. A layer
that is given another operator under such a name, and would go on without it, raises.
"""

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from msjax.core import dtype as dtypes
from msjax.core.autodiff.grad import GradOperation
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameters
from msjax.ops import operations
from msjax.ops.common import sharding
from msjax.ops.common.primitive_class import Primitive
from msjax.ops.primitive_impl.map_and_multitype import HyperMap
from msjax.public_api.class_names import own_module

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


def _volume(layer: Any) -> Any:
    return P.Conv3D(
        layer.out_channels, layer.kernel_size, 1, layer.pad_mode, layer.padding, layer.stride, layer.dilation, layer.group
    )  # fmt: skip


def _transpose_convolution(name: str) -> Callable[[Any], Any]:
    """The transposed convolution of a layer: its operator takes the channels of the layer's input for its own output."""

    def make(layer: Any) -> Any:
        return getattr(P, name)(
            out_channel=layer.in_channels, kernel_size=layer.kernel_size, mode=1, pad_mode=layer.pad_mode,
            pad=layer.padding, stride=layer.stride, dilation=layer.dilation, group=layer.group,
        )  # fmt: skip

    return make


def _transposed_volume(layer: Any) -> Any:
    return P.Conv3DTranspose(
        layer.in_channels, layer.out_channels, layer.kernel_size, 1, layer.pad_mode, layer.padding, layer.stride,
        layer.dilation, layer.group, layer.output_padding,
    )  # fmt: skip


def _window(name: str, dims: int) -> Callable[[Any], Any]:
    """Return a pooling operator with whole or shared windows; over one dimension it is called with two."""

    def make(layer: Any) -> Any:
        one = dims == 1
        return getattr(P, name)(
            kernel_size=(1, layer.kernel_size) if one else layer.kernel_size,
            strides=(1, layer.stride) if one else layer.stride,
            pad_mode=layer.pad_mode,
        )

    return make


def _of(name: str, *settings: str) -> Callable[[Any], Any]:
    """Return an operator with settings that the layer has under these names."""
    return lambda layer: getattr(P, name)(*(getattr(layer, setting) for setting in settings))


def _with(name: str, *settings: Any) -> Callable[[Any], Any]:
    """Return an operator with these settings."""
    return lambda layer: getattr(P, name)(*settings)


def _is(value: Any) -> Callable[[Any], Any]:
    """Return a setting that is the same for all layers of the class, or follows from others."""
    return value if callable(value) else lambda layer: value


_PAD_MODES = {
    f"is_{mode}": _is(lambda layer, mode=mode: layer.pad_mode == mode) for mode in ("valid", "same", "pad")
}
_LINE = {"squeeze": _with("Squeeze", 2), "expand": _with("ExpandDims"), "shape": _with("Shape")}
_IMAGES = {"format": _is("NCHW"), "use_pad": _is(lambda layer: layer.pad_mode.upper() == "PAD")}
_STATES = _plain(
    sub_mean="Sub", sub_var="Sub", mul_mean="Mul", mul_var="Mul", assign_sub_mean="AssignSub"
) | _plain(assign_sub_var="AssignSub")
_LABELS = {
    "one_hot": _with("OneHot"),
    "on_value": _is(lambda layer: Tensor(1.0, dtypes.float32)),
    "off_value": _is(lambda layer: Tensor(0.0, dtypes.float32)),
}

_OF_LOSSES = _plain("Cast", "Mul", reduce_mean="ReduceMean", reduce_sum="ReduceSum")

# For the class of a layer, by name: what makes each of its operators, given the layer.
_MADE: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "Dense": _plain("Reshape", shape_op="Shape", bias_add="BiasAdd")
    | {
        "matmul": lambda layer: P.MatMul(False, True),
    },
    "Conv1d": _plain("Squeeze", "Shape", expand_dims="ExpandDims", bias_add="BiasAdd")
    | {"conv2d": _convolution},
    "Conv2d": {
        "conv2d": _convolution,
        "bias_add": lambda layer: P.BiasAdd(data_format=layer.data_format),
    },
    "Conv3d": _plain("Shape", bias_add="BiasAdd") | {"conv3d": _volume, "concat": _with("Concat", 0)},
    "Conv1dTranspose": _plain("Shape", bias_add="BiasAdd", expand_dims="ExpandDims")
    | {"squeeze": _with("Squeeze", 2), "conv2d_transpose": _transpose_convolution("Conv2DBackpropInput")}
    | _PAD_MODES,
    "Conv2dTranspose": _plain("Shape", bias_add="BiasAdd")
    | {"conv2d_transpose": _transpose_convolution("Conv2DTranspose")}
    | _PAD_MODES,
    "Conv3dTranspose": _plain("Shape", bias_add="BiasAdd") | {"conv3d_transpose": _transposed_volume},
    "LayerNorm": {"layer_norm": _layer_norm},
    "BatchNorm": _plain("Shape", "Reshape", "Cast", "Square", "Sqrt", dtype="DType", reduce_mean="ReduceMean")
    | {"bn_train": _batch_norm(True), "bn_infer": _batch_norm(False), "format": _is("NCHW")}
    | {"parallel_mode": _is("stand_alone")}
    | _STATES,
    "_InstanceNorm": _plain("Shape"),
    "Dropout": {"dropout": lambda layer: P.Dropout(keep_prob=1.0 - layer.drop_prob)},
    "Dropout1d": {"prob": _is(lambda layer: layer.p)},
    "Dropout2d": {"dropout2d": lambda layer: P.Dropout2D(1.0 - layer.p)},
    "Dropout3d": {"dropout3d": lambda layer: P.Dropout3D(1.0 - layer.p)},
    "Embedding": _plain("Gather", "Shape", "Reshape", expand="ExpandDims", reshape_flat="Reshape")
    | _plain(array_mul="MatMul", get_shp="Shape")
    | {"concat": _with("Concat"), "shp_flat": _is((-1,))}
    | _LABELS,
    "MaxPool1d": {"max_pool": _window("MaxPool", 1), "reduce_mean": _with("ReduceMean", True)}
    | _LINE
    | _IMAGES,
    "MaxPool2d": {"max_pool": _window("MaxPool", 2)} | _IMAGES,
    "MaxPool3d": {"max_pool": _window("MaxPool3D", 3), "format": _is("NCHW")},
    "AvgPool1d": {"avg_pool": _window("AvgPool", 1), "reduce_mean": _with("ReduceMean", True)}
    | _plain("Slice")
    | _LINE
    | _IMAGES,
    "AvgPool2d": {"avg_pool": _window("AvgPool", 2)} | _IMAGES,
    "AvgPool3d": {"avg_pool": _window("AvgPool3D", 3), "format": _is("NCHW")},
    "AdaptiveAvgPool1d": _LINE,
    "AdaptiveMaxPool1d": _LINE,
    "AdaptiveAvgPool2d": {"adaptive_avgpool2d": _of("AdaptiveAvgPool2D", "output_size")},
    "AdaptiveAvgPool3d": {"adaptive_avg_pool3d": _of("AdaptiveAvgPool3D", "output_size")},
    "Unflatten": _plain("Shape", "Reshape"),
    "Pad": {"pad": lambda layer: P.Pad(layer.paddings)},
    "Norm": _plain("Sqrt", "Squeeze") | {"reduce_sum": _with("ReduceSum", True)},
    "SSIM": {"concat": _with("Concat", 1), "reduce_mean": _with("ReduceMean")},
    "EmbeddingLookup": _plain("Shape", "Unique", gather_revert="Gather", reshape_first="Reshape")
    | _plain("Reshape", embeddinglookup="EmbeddingLookup"),
    "_Recurrent": {"reverse": _with("ReverseV2", (0,)), "reverse_sequence": _with("ReverseSequence", 0, 1)},
    "OneHot": {"onehot": _of("OneHot", "axis")},
    "BiDense": _plain("MatMul", bias_add="BiasAdd"),
    "SmoothL1Loss": {"smooth_l1_loss": _of("SmoothL1Loss", "beta", "reduction")},
    "SoftmaxCrossEntropyWithLogits": _plain(
        softmax_cross_entropy="SoftmaxCrossEntropyWithLogits",
        sparse_softmax_cross_entropy="SparseSoftmaxCrossEntropyWithLogits",
    )
    | {"is_cpugpu": _is(True)}
    | _LABELS,
    "CosineEmbeddingLoss": _plain("Maximum"),
    "PoissonNLLLoss": _plain("Maximum"),
    "DiceLoss": _plain("Reshape"),
    "MAELoss": _plain("Abs"),
    "FocalLoss": _plain("Tile", expand_dims="ExpandDims", gather_d="GatherD")
    | {"squeeze": _with("Squeeze", 1)},
    "LossBase": _OF_LOSSES,
    "Optimizer": _plain(assignadd="AssignAdd"),
    "Momentum": {"opt": lambda layer: P.ApplyMomentum(use_nesterov=layer.use_nesterov)},
    "Adam": {"opt": lambda layer: P.Adam(use_nesterov=layer.use_nesterov)},
    "RMSProp": {"opt": lambda layer: (P.ApplyCenteredRMSProp if layer.centered else P.ApplyRMSProp)()},
    "Adagrad": {"opt": _with("ApplyAdagrad")},
    "FTRL": {"opt": _with("ApplyFtrl")},
    "Adadelta": {"opt": _with("ApplyAdadelta")},
    "AdaMax": {"opt": _with("ApplyAdaMax")},
    "ProximalAdagrad": {"opt": _with("ApplyProximalAdagrad")},
    "TrainOneStepCell": {
        "grad": lambda layer: GradOperation(get_by_list=True, sens_param=True),
        "grad_no_sens": lambda layer: GradOperation(get_by_list=True),
        "hyper_map": lambda layer: HyperMap(),
        "sense_flag": lambda layer: layer.sens != 1.0,
        "parallel_mode": _is("stand_alone"),
        "reducer_flag": lambda layer: False,  # one process does not share gradients
    },
    "TrainOneStepWithLossScaleCell": _plain("Equal", reduce_sum="ReduceSum", less_equal="LessEqual")
    | _plain(logic_not="LogicalNot", allreduce="AllReduce")
    | {"reduce_all": _with("ReduceAll", False), "gpu_target": _is(False)}
    | {"base": lambda layer: Tensor(1, dtypes.float32), "base0": lambda layer: Tensor(0, dtypes.int32)}
    | {"is_distributed": lambda layer: False},
    "ReLU": _plain("ReLU"),
    "ReLU6": _plain("ReLU6"),
    "Sigmoid": _plain("Sigmoid"),
    "Tanh": _plain("Tanh"),
    "PReLU": _plain("PReLU"),
    "FastGelu": {"fast_gelu": _with("FastGeLU")},
    "HSwish": _plain("HSwish"),
    "HSigmoid": _plain("HSigmoid"),
    "ELU": {"elu": _with("Elu")},
    "CELU": {"celu": _of("CeLU", "alpha")},
    "SeLU": _plain("SeLU"),
    "Mish": _plain("Mish"),
    "HShrink": {"hshrink": _of("HShrink", "lambd")},
    "SoftShrink": {"softshrink": _of("SoftShrink", "lambd")},
    "Softsign": _plain("Softsign"),
    "LogSigmoid": _plain("Mul", "Exp", "Add", "Log", rec="Reciprocal"),
    "GLU": _plain("Sigmoid")
    | {"spilt": lambda layer: P.Split(layer.axis, 2), "dim": lambda layer: layer.axis},
    "RReLU": _plain("Sign"),
    "Softmax2d": _plain("Shape") | {"softmax": _with("Softmax", -3)},
    "Softmax": {"softmax": lambda layer: P.Softmax(layer.axis)},
    "LogSoftmax": {"log_softmax": lambda layer: P.LogSoftmax(layer.axis)},
}


def _kept_by(cls: type) -> Mapping[str, Callable[[Any], Any]]:
    """Return what makes the operators of a class of layers; empty if it keeps none."""
    return vars(cls).get("_kept") or (
        _MADE.get(cls.__name__, {}) if own_module(cls).startswith("msjax.nn") else {}
    )


def _is_equal(one: Any, other: Any) -> bool:
    """Tell whether two operators do the same: they are of one class, with the same settings."""
    settings = [{**getattr(operator, "__dict__", {}), "_layer": None} for operator in (one, other)]
    return type(one) is type(other) and settings[0] == settings[1]


def check_operator(layer: Any, name: str, operator: Any) -> None:
    """Raise if a layer is given an operator in place of its own and computes without it.

    Raises:
        NotImplementedError: unless a class of the program's defines `construct`, or the operator is the layer's.

    Examples:
        >>> from msjax import nn, ops
        >>> layer = nn.Conv2d(3, 4, 3)
        >>> layer.conv2d = ops.Conv2D(4, 3, stride=2)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        NotImplementedError: `Conv2d.conv2d`: the layer computes without this operator...
    """
    classes = type(layer).__mro__
    if not any(name in _kept_by(cls) for cls in classes):
        return
    definer = next((cls for cls in classes if "construct" in vars(cls)), object)
    module = own_module(definer)
    layers = ("msjax.nn.layers", "msjax.nn.convolution")
    if module.startswith(layers) and not _is_equal(operator, get_inner_operator(layer, name)):
        raise NotImplementedError(
            f"`{type(layer).__name__}.{name}`: the layer computes without this operator, so another one would have no "
            "effect. Derive a class whose `construct` calls it, or make the layer with other arguments."
        )


def get_inner_operator(layer: Any, name: str) -> Any:
    """Return an operator of a layer under its attribute's name; None if the layer's classes have none of that name.

    Examples:
        >>> from msjax import nn, ops
        >>> class Shifted(nn.LayerNorm):
        ...     def construct(self, x):
        ...         return self.layer_norm(x, self.gamma, self.beta)[0] + 1
        >>> print(Shifted((2,))(ops.ones((1, 2))))
        [[1. 1.]]
    """
    for cls in type(layer).__mro__:
        if name in (kept := _kept_by(cls)):
            made = kept[name](layer)
            if isinstance(made, Primitive):
                made.__dict__["_layer"] = _Owner(layer, name)
            return made
    return None


# Operators that a layer's call consists of, by class and attribute: the Parameters that it has beside the input.
_PARAMETERS = {
    ("Dense", "matmul"): ("weight",),
    ("Conv2d", "conv2d"): ("weight",),
    ("LayerNorm", "layer_norm"): ("gamma", "beta"),
    ("BatchNorm", "bn_train"): ("gamma", "beta", "moving_mean", "moving_variance"),
}
# Of these the layer's first input follows the strategy; labels, and what is made of them, lie as XLA has it.
_OF_LABELS = frozenset({"softmax_cross_entropy", "sparse_softmax_cross_entropy"})
_INPUT_ONLY = frozenset(
    {"dropout", "relu", "relu6", "sigmoid", "tanh", "softmax", "log_softmax", "fast_gelu", "elu"}
)


class _Owner:
    """The layer that an operator was asked of: the layer calls a function, so it has to hear of the operator's strategy."""

    def __init__(self, layer: Any, name: str) -> None:
        self.layer, self.name = weakref.ref(layer), name

    def __deepcopy__(self, memo: dict) -> None:
        return None  # the copy of a layer makes operators of its own

    def __reduce__(self) -> tuple:
        return type(None), ()

    def shard(self, primitive: Any) -> None:
        """Let the layer put its input, and its Parameters, where its operator wants them."""
        layer: Any = self.layer()
        if type(layer).__name__ == "SoftmaxCrossEntropyWithLogits":
            if self.name in _OF_LABELS:
                sharding.shard_layer(layer, primitive, None)
            return
        keys = [(cls.__name__, self.name) for cls in type(layer).__mro__]
        names = next((_PARAMETERS[key] for key in keys if key in _PARAMETERS), None)
        if names is None and self.name not in _INPUT_ONLY:
            raise NotImplementedError(
                f"`{type(layer).__name__}.{self.name}.shard`: the layer computes without this operator. Use `shard` of the "
                "layer, with a `parameter_plan` for its Parameters."
            )
        parameters = [getattr(layer, name) for name in names or ()]
        sharding.shard_layer(layer, primitive, parameters)


parameters.inner_operator = get_inner_operator
parameters.check_operator = check_operator
