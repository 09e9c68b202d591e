"""Strategies of operators and networks: how MindSpore's `shard` divides their arrays among devices.

A strategy says into how many parts each axis of an array is cut. It becomes a sharding (`core/jit/placement.py`) where
several devices are used; on one device it says nothing.
"""

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import Array
from jax.core import Tracer
from jax.sharding import NamedSharding, PartitionSpec

from msjax.core.jit import placement
from msjax.core.jit.placement import Placement
from msjax.core.op.op import op
from msjax.core.state import state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, is_tensor, resolve

_PRODUCTS = frozenset({"MatMul", "BatchMatMul", "matmul", "batch_matmul", "bmm", "mm"})
_LAYERS = frozenset({"Dense", "dense", "linear"})
# Their inputs have one strategy but for axes that are broadcast.
_BROADCASTING = frozenset(
    """Add AddN BiasAdd Sub Mul Div RealDiv FloorDiv Mod FloorMod TruncateDiv TruncateMod Pow Maximum Minimum Atan2 Hypot
    DivNoNan MulNoNan SquaredDifference Xdivy Xlogy Lerp Addcmul Addcdiv Equal NotEqual Greater GreaterEqual Less LessEqual
    ApproximateEqual LogicalAnd LogicalOr LogicalXor BitwiseAnd BitwiseOr BitwiseXor Select MaskedFill Assign AssignAdd
    AssignSub Stack Concat LayerNorm SoftmaxCrossEntropyWithLogits SigmoidCrossEntropyWithLogits BCEWithLogitsLoss
    BinaryCrossEntropy KLDivLoss SmoothL1Loss add sub mul div pow maximum minimum""".split()
)
_CONVOLUTIONS = {"Conv2D": ("out", "in"), "Conv3D": ("out", "in"), "Conv2DTranspose": ("in", "out")}
_OF_CHANNELS = frozenset({"BatchNorm", "PReLU"})
# They make arrays of numbers; their strategy is that of the output.
_MAKERS = frozenset({"FillV2", "Range", "StandardNormal", "StandardLaplace", "UniformReal", "UniformInt"})
_SEGMENTS = frozenset({f"UnsortedSegment{kind}" for kind in ("Sum", "Min", "Max", "Prod")})
_SCATTERS = frozenset({f"Scatter{kind}" for kind in ("Update", "Add", "Sub", "Mul", "Div", "Max", "Min")})


@op(static="sharding")
def constrain(x: Array, sharding: Any) -> Array:
    """`x`, with its parts on these devices."""
    return jax.lax.with_sharding_constraint(x, sharding)


_cuts_inner_axes = False  # of arrays, by a strategy that somebody made


def note_strategy(parts: Sequence[Any]) -> None:
    """Note the numbers of parts of a strategy that was made: space can be cut in this process if an inner axis is."""
    global _cuts_inner_axes
    _cuts_inner_axes = _cuts_inner_axes or any(number != 1 for number in parts[1:])


def keeps_space_whole(convolution: Callable) -> Callable:
    """Decorate a convolution so that devices share batch and channels, never the space of images.

    XLA's partitioner (jax 0.10.2) computes wrong gradients by kernels, and wrong results where channels are cut too, if an
    operand of a convolution is cut in space (eight_devices/semi_auto.py, `test_convolutions_of_images_in_parts`). Where rows
    are all that is cut, nothing is done: `channels_last` turns images around each constraint.
    """

    @functools.wraps(convolution)
    def call(*args: Any, **kwargs: Any) -> Any:
        where = placement.current()
        if where is None or not (_cuts_inner_axes or isinstance(where.rows, tuple)):
            return convolution(*args, **kwargs)
        tensors = filter(is_tensor, jax.tree.leaves((args, kwargs), is_leaf=is_tensor))
        space = max(tensor.ndim for tensor in tensors) - 2  # a kernel has that, whatever its keyword is

        def keep(x: Any) -> Any:
            # A Parameter lies as its layer or operator says (a kernel is not cut in space, and bias has none).
            if not is_tensor(x) or isinstance(x, Parameter) or x.ndim <= space:
                return x
            value = resolve(x)._value
            if not isinstance(value, Tracer) and len(value.sharding.device_set) == 1:
                return x
            free = [PartitionSpec.UNCONSTRAINED] * (x.ndim - space)
            return constrain(x, NamedSharding(where.mesh, PartitionSpec(*free, *[None] * space)))

        args, kwargs = jax.tree.map(keep, (args, kwargs), is_leaf=is_tensor)
        return keep(convolution(*args, **kwargs))

    call.guarded = convolution  # type: ignore[attr-defined]
    return call


def check_strategy(owner: str, argument: str, strategy: Any) -> bool:
    """Check a strategy as MindSpore does when it is set; return True if it is one of Layouts.

    Raises:
        TypeError: if it is no tuple of tuples of ints, and none of Layouts.
    """
    if not isinstance(strategy, tuple):
        raise TypeError(
            f"`{owner}`: argument `{argument}` must be a tuple. Received: {type(strategy).__name__}."
        )
    layouts = [hasattr(part, "to_dict") for part in strategy]
    for part, is_layout in zip(strategy, layouts, strict=True):
        if not is_layout and not isinstance(part, tuple):
            raise TypeError(
                f"`{owner}`: argument `{argument}` must hold tuples or Layouts. Received: {type(part).__name__}."
            )
        if not is_layout and not all(isinstance(number, int) for number in part):
            raise TypeError(
                f"`{owner}`: argument `{argument}` must hold tuples of ints. Received: {strategy}."
            )
        if not is_layout:
            note_strategy(part)
    if any(layouts) and not all(layouts):
        raise TypeError(
            f"`{owner}`: argument `{argument}` must hold tuples or Layouts, not both. Received: {strategy}."
        )
    return bool(layouts) and layouts[0]


def describe_strategy(strategy: Any) -> Any:
    """Return a strategy with Layouts as what placements read: their `to_dict`."""
    return strategy.to_dict() if hasattr(strategy, "to_dict") else strategy


# ---------------------------------------------------------------------- operators in class form


@functools.cache
def sharded_class(cls: type) -> type:
    """Return the class of a Primitive that has a strategy: its calls put inputs and outputs where that says."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        where = placement.current()
        if where is None:
            return cls.__call__(self, *args, **kwargs)
        settings = {"transpose_a": False, "transpose_b": False} | self.attrs
        given = self.attrs.get("in_strategy", self.attrs.get("in_layout"))
        outputs = self.attrs.get("out_strategy", self.attrs.get("out_layout"))
        if self.name == "OneHot" and isinstance(given[0], tuple) and len(given[0]) == args[0].ndim + 1:
            # Its strategy is that of the output.
            at = settings["axis"] % len(given[0])
            outputs = outputs or given[:1]
            given = (given[0][:at] + given[0][at + 1 :], *given[1:])
        if self.name == "Tile" and isinstance(given[0], tuple):
            # It may have the axes that the output has before those of the input, which are not cut.
            more = max(len(given[0]) - args[0].ndim, 0)
            if set(given[0][:more]) <= {1}:
                given = (given[0][more:], *given[1:])
        if self.name in _MAKERS:
            given, outputs = (), outputs or given[:1]
        args = constrain_inputs(self.name, where, given, args, settings)
        return constrain_outputs(self.name, where, outputs, cls.__call__(self, *args, **kwargs))

    def __reduce__(self: Any) -> tuple:  # noqa: N807
        return _restore, (cls, dict(self.__dict__))

    made = type(
        cls.__name__,
        (cls,),
        {"__call__": __call__, "__reduce__": __reduce__, "__doc__": cls.__doc__, "_is_sharded": True},
    )
    made.__module__, made.__qualname__ = cls.__module__, cls.__qualname__
    return made


def _restore(cls: type, attributes: dict[str, Any]) -> Any:
    made = object.__new__(sharded_class(cls))
    made.__dict__.update(attributes)
    return made


def spread_rows(x: Tensor) -> Tensor:
    """Return a part of the batch with its rows on all devices, where those of the batch are: they lie on few, one part each.

    XLA would divide what is computed from them in other ways, and gather activations. In compiled functions only.
    """
    where = placement.current() if state.frame is not None else None
    rows = where.cut_rows(x.shape) if where is not None and where.rows is True else None
    return x if rows is None else constrain(x, rows)


def constrain_inputs(
    owner: str, where: Placement, strategy: Sequence[Any] | None, args: tuple, settings: dict[str, Any]
) -> tuple:
    """Return the arguments of an operator with its strategy.

    Raises:
        ValueError: if the strategy does not fit their number, their shapes or the devices.
    """
    if not strategy:
        return args
    leaves, tree = jax.tree.flatten(args, is_leaf=is_tensor)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
    given = [part for part in strategy if part != ()]  # () is that of a number
    if len(given) != len([i for i in places if leaves[i].ndim]) and len(strategy) != len(places):
        raise placement.StrategyError(
            f"`{owner}`: strategy {strategy} must have a part for each of the {len(places)} inputs of shapes "
            f"{[leaves[i].shape for i in places]}."
        )
    if len(strategy) == len(places):
        given = list(strategy)
    else:
        places = [i for i in places if leaves[i].ndim]
    shapes = [leaves[i].shape for i in places]
    found = _cuts(owner, where, given, shapes, settings)
    for i, cut in zip(places, found, strict=True):
        leaves[i] = constrain(leaves[i], where.sharding(cut))
    return jax.tree.unflatten(tree, leaves)


def constrain_outputs(owner: str, where: Placement, strategy: Sequence[Any] | None, out: Any) -> Any:
    """Return the results of an operator with its strategy for them, if there is one."""
    if not strategy:
        return out
    leaves, tree = jax.tree.flatten(out, is_leaf=is_tensor)
    if len(strategy) > len(leaves):
        raise placement.StrategyError(
            f"`{owner}`: out_strategy {strategy} is for {len(strategy)} outputs, and there are {len(leaves)}."
        )
    for i, given in enumerate(strategy):
        cut = placement.strategy_of(owner, where, given, leaves[i].shape)
        leaves[i] = constrain(leaves[i], where.sharding(cut))
    return jax.tree.unflatten(tree, leaves)


def _cuts(
    owner: str,
    where: Placement,
    given: Sequence[Any],
    shapes: Sequence[Any],
    settings: dict[str, Any],
    like: str = "",
) -> list[placement.Strategy]:
    """Return the axes of the mesh for the strategies of an operator's inputs; `like` is one with such axes."""
    labels = _labels(like or owner, shapes, settings)
    if labels is not None:
        return placement.strategies_of(owner, where, given, shapes, labels)
    # Nothing is known of it. Inputs that are cut alike lie together, if there are devices for all their cuts.
    labels = _apart([list(range(-len(shape), 0)) for shape in shapes], shapes)
    seen: dict[Any, Any] = {}
    for i, (names, strategy) in enumerate(zip(labels, given, strict=True)):
        if isinstance(strategy, dict):  # a Layout says by itself on which devices an input lies
            names[:] = [(i, name) for name in names]
        elif len(strategy) == len(names):
            for at, (name, parts) in enumerate(zip(names, strategy, strict=True)):
                names[at] = name if seen.get(name, parts) == parts else (i, name)
                seen[names[at]] = parts
    if all(isinstance(parts, int) for parts in seen.values()) and math.prod(seen.values()) > where.devices:
        return [
            placement.strategy_of(owner, where, part, shape)
            for part, shape in zip(given, shapes, strict=True)
        ]
    return placement.strategies_of(owner, where, given, shapes, labels)


def _labels(owner: str, shapes: Sequence[Any], settings: dict[str, Any]) -> list[list[Any]] | None:
    """Names for the axes of an operator's inputs; those that belong together, so that they lie together, have one.

    None for operators of which that is not known.
    """
    ranks = [len(shape) for shape in shapes]
    if owner in _PRODUCTS and len(ranks) == 2 and min(ranks) >= 2:
        left, right = ["rows", "inner"], ["inner", "columns"]
        if settings.get("enable_nd_tp"):  # high-dimension tensor parallel
            left, right = ["rows", "left inner"], ["right inner", "columns"]
        left = left[::-1] if settings.get("transpose_a") else left
        right = right[::-1] if settings.get("transpose_b") else right
        pairs = zip(ranks, (left, right), strict=True)
        return _apart([[*range(2 - rank, 0), *names] for rank, names in pairs], shapes)
    if owner in _LAYERS and len(ranks) >= 2 and ranks[1] == 2:
        return [[*range(1 - ranks[0], 0), "inner"], ["columns", "inner"], *[["columns"] for _ in ranks[2:]]]
    if owner in _CONVOLUTIONS and len(ranks) == 2:
        kernel = list(_CONVOLUTIONS[owner])
        if settings.get("group", 1) != 1:  # a kernel has the channels of one group
            kernel = [("kernel", name) for name in kernel]
        space = range(2 - ranks[0], 0)
        return [["rows", "in", *space], [*kernel, *[("kernel", n) for n in space]]]
    if owner in _OF_CHANNELS and ranks[0] >= 2:
        x = ["rows", "channels", *range(2 - ranks[0], 0)]
        if settings.get("data_format") == "NHWC":
            x = [*x[:1], *x[2:], "channels"]
        return _apart([x, *[["channels"] for _ in ranks[1:]]], shapes)
    if owner in _SEGMENTS:
        return [list(range(rank)) for rank in ranks]
    if owner in _SCATTERS and len(ranks) == 3:
        at, rest = [("at", n) for n in range(ranks[1])], list(range(1, ranks[0]))
        return [["first", *rest], at, [*at, *rest]]
    if owner not in _BROADCASTING:
        return None
    labels: list[list[Any]] = [list(range(-rank, 0)) for rank in ranks]
    if owner == "BiasAdd" and len(ranks) == 2 and settings.get("data_format") != "NHWC":
        labels[1] = [1 - ranks[0]]
    return _apart(labels, shapes)


def _apart(labels: list[list[Any]], shapes: Sequence[Any]) -> list[list[Any]]:
    """Give axes of size 1, which are broadcast, names of their own."""
    return [
        [(i, name) if size == 1 else name for name, size in zip(names, shape, strict=True)]
        for i, (names, shape) in enumerate(zip(labels, shapes, strict=True))
    ]


# ---------------------------------------------------------------------- networks and functions


def shard_function(
    fn: Callable, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None
) -> Callable:
    """Divide inputs, outputs and Parameters of a function or Cell among devices; return it as it is on one device.

    Args:
        fn: Cell or function.
        in_strategy: for each input a tuple of ints, or a Layout.
        out_strategy: the same for the outputs; None leaves them to the compiler.
        parameter_plan: tuples of ints or Layouts by names of Parameters.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a strategy of a Parameter does not fit its shape; when it is called, if one does not fit the inputs.
    """
    if jax.device_count() == 1:
        return fn
    name = getattr(fn, "__name__", type(fn).__name__)
    check_strategy(name, "in_strategy", in_strategy)
    if out_strategy is not None:
        check_strategy(name, "out_strategy", out_strategy)
    if parameter_plan is not None:
        _place_parameters(fn, parameter_plan)
    given = tuple(map(describe_strategy, in_strategy))
    outputs = None if out_strategy is None else tuple(map(describe_strategy, out_strategy))

    @functools.wraps(fn, updated=())
    def sharded(*args: Any, **kwargs: Any) -> Any:
        where = placement.current()
        if where is None:
            return fn(*args, **kwargs)
        args = constrain_inputs(name, where, given, args, {})
        return constrain_outputs(name, where, outputs, fn(*args, **kwargs))

    return sharded


def shard_layer(layer: Any, primitive: Any, parameters: Sequence[Any] | None) -> None:
    """Let a layer's input, Parameters and output lie as the strategy of its operator says.

    Args:
        layer: the Cell.
        primitive: the operator, with the strategy.
        parameters: those of its inputs that are Parameters of the layer; None if others than the first lie as XLA has it.
    """
    if jax.device_count() == 1:
        return
    attributes = primitive.attrs
    given = attributes.get("in_strategy", attributes.get("in_layout"))
    outputs = attributes.get("out_strategy", attributes.get("out_layout"))
    settings = {"transpose_a": False, "transpose_b": False} | attributes
    if parameters is None:
        given, parameters = given[:1], ()
    if len(given) != 1 + len(parameters):
        raise placement.StrategyError(
            f"`{primitive.name}`: strategy {given} must have a part for each of the {1 + len(parameters)} inputs."
        )

    def cuts(where: Placement, shape: Sequence[int]) -> list[Any]:
        # A layer takes inputs of more axes than its operator, which sees rows and columns.
        strategies = list(given)
        if primitive.name == "MatMul" and len(shape) > 2 and isinstance(given[0], tuple):
            strategies[0] = (given[0][0], *(1,) * (len(shape) - 2), given[0][1])
        shapes = [shape, *(parameter.shape for parameter in parameters)]
        name = "Dense" if primitive.name == "MatMul" else primitive.name
        return _cuts(primitive.name, where, strategies, shapes, settings, name)

    for i, parameter in enumerate(parameters, 1):
        rank = len(_parts_of(given[0]))
        parameter.__dict__["_strategy"] = lambda where, i=i, rank=rank: cuts(where, (0,) * rank)[i]

    def place_input(layer: Any, inputs: tuple) -> Any:
        where = placement.current()
        if where is None:
            return None
        return (constrain(inputs[0], where.sharding(cuts(where, inputs[0].shape)[0])), *inputs[1:])

    def place_output(layer: Any, inputs: tuple, output: Any) -> Any:
        where = placement.current()
        return None if where is None else constrain_outputs(primitive.name, where, outputs, output)

    layer.register_forward_pre_hook(place_input)
    if outputs:
        layer.register_forward_hook(place_output)


def _parts_of(strategy: Any) -> tuple[Any, ...]:
    return strategy["tensor_map"] if isinstance(strategy, dict) else strategy


def _place_parameters(fn: Any, plan: Any) -> None:
    if not isinstance(plan, dict):
        raise TypeError(
            f"`shard`: argument `parameter_plan` must be a dict. Received: {type(plan).__name__}."
        )
    if not hasattr(fn, "trainable_params"):
        raise TypeError(f"`shard`: argument `parameter_plan` is for a Cell. Received: {type(fn).__name__}.")
    parameters = {parameter.name: parameter for parameter in fn.trainable_params()}
    for name, strategy in plan.items():
        if not isinstance(name, str) or not (isinstance(strategy, tuple) or hasattr(strategy, "to_dict")):
            raise TypeError(
                "`shard`: argument `parameter_plan` must have tuples or Layouts by names. "
                f"Received: {name!r}: {strategy!r}."
            )
        parameter = parameters.get(name.replace("self.", ""))
        if parameter is None:
            text = f"`shard`: no Parameter has the name {name!r} of `parameter_plan`. There are {sorted(parameters)}."
            warnings.warn(text, stacklevel=4)
        else:
            place_parameter(parameter, strategy)


def place_parameter(parameter: Any, strategy: Any) -> None:
    """Set the strategy by which a Parameter is divided.

    Raises:
        ValueError: if it does not fit its shape.
    """
    if isinstance(strategy, tuple):
        note_strategy(strategy)
        fits = len(strategy) == len(parameter.shape) and all(
            isinstance(parts, int) and parts > 0 and size % parts == 0
            for parts, size in zip(strategy, parameter.shape, strict=True)
        )
        if not fits:
            raise ValueError(
                f"`shard`: the strategy {strategy} does not fit the shape {parameter.shape} of Parameter {parameter.name!r}."
            )
    parameter.__dict__["_strategy"] = describe_strategy(strategy)
