"""Parameter: a named Tensor that a Cell trains."""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, Self, cast

import jax
import numpy as np
from jax.core import Tracer

from msjax.core.state import ENABLED, invalidate_guards, state
from msjax.core.tape import nodes
from msjax.core.tensor import construction, printing
from msjax.core.tensor.array_protocol import refusal
from msjax.core.tensor.box import fill, look, mark_leaf, node_of, resolve, set_value
from msjax.core.tensor.tensor import Tensor, stop_array_gradient, wrap

__all__ = ["Parameter", "ParameterTuple"]

PARAMETER_NAME_DEFAULT = "Parameter"
UNNAMED = re.compile(rf"{PARAMETER_NAME_DEFAULT}([#$]\d+)?")  # names of Parameters that were given none

# Attributes that are copied when `param_info` is assigned.
_DESCRIPTIVE = ("name", "requires_grad", "layerwise_parallel", "parallel_optimizer", "comm_fusion")

_number = itertools.count().__next__


class Parameter(Tensor):
    """A Tensor that belongs to a Cell, and by which gradients are taken.

    A Parameter records nothing by itself: `grad` and its family watch those given as `weights`, and under
    :func:`msjax.enable_grad` Parameters with `requires_grad` are leaves as in PyTorch.

    Args:
        default_input: Tensor, NumPy array, int, float or list with the initial values, which are copied. An int gives
            an int32, a float a float32.
        name: unique within its Cell. Default: `Parameter#` and a number, which a Cell replaces by the name of the
            attribute.
        requires_grad: True if optimizers and `trainable_params` include it.
        layerwise_parallel: kept as an attribute; gradients are not treated differently for it.
        parallel_optimizer: kept as an attribute.
        storage_format: kept as an attribute; XLA chooses layouts.
        device: accepted for MindSpore's signature.

    Raises:
        TypeError: if `default_input` is none of the above or cannot be made a Tensor, or a flag is no bool.
        ValueError: if `default_input` is a bool, or `name` is no str.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        >>> print(p.name, p.requires_grad, p.shape)
        w True (2,)
    """

    __slots__ = ()

    # Descriptions that MindSpore's distributed training reads; kept, without effect.
    inited_param: "Parameter | None" = None
    init_mode: Any = None
    init_param: bool = True
    is_init: bool = False
    is_in_parallel: bool = False
    sliced: bool = False
    unique: bool = False
    cache_enable: bool = False
    cache_shape: Any = ()
    key: int = -1
    comm_fusion: int = 1
    requires_aggr: bool = True
    parallel_optimizer_comm_recompute: bool = False
    cast_type: Any = None
    layerwise_parallel: bool = False
    sparse_rows: bool = False  # a table of which a step may concern few rows: optimizers may leave the others
    parallel_optimizer: bool = True
    pipeline_stages: tuple[int, ...] = ()

    def __init__(
        self,
        default_input: object,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: object = None,
    ) -> None:
        flags = {
            "requires_grad": requires_grad,
            "layerwise_parallel": layerwise_parallel,
            "parallel_optimizer": parallel_optimizer,
        }
        for what, flag in flags.items():
            if not isinstance(flag, bool | np.bool_):
                raise refusal("Parameter", what, "be a bool", flag)
        fill(self, _initial(default_input), state.frame)
        self._set_name(name)
        self._trainable = bool(requires_grad)
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        self.storage_format = storage_format

    def _set_name(self, name: str | None) -> None:
        if name is not None and not isinstance(name, str):
            raise ValueError(
                f"`Parameter`: argument `name` must be a str or None. Received: {name!r} ({type(name).__name__})."
            )
        self._name = name if name and name.strip() else f"{PARAMETER_NAME_DEFAULT}#{_number()}"

    @property
    def name(self) -> str:
        """The name in checkpoints, prefixed by the Cells around it."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        self._set_name(value)

    @property
    def has_init(self) -> bool:
        """False: values are made when the Parameter is."""
        return False

    @property
    def param_info(self) -> "Parameter":
        """The Parameter itself, which has the descriptive attributes. Assigning an object copies its attributes."""
        return self

    @param_info.setter
    def param_info(self, value: object) -> None:
        for name in _DESCRIPTIVE:
            if hasattr(value, name):
                setattr(self, name, getattr(value, name))

    @property
    def requires_grad(self) -> bool:
        """True if optimizers and `trainable_params` include the Parameter."""
        return self._trainable

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool | np.bool_):
            raise TypeError(
                f"`Parameter.requires_grad` must be a bool. Received: {value!r} ({type(value).__name__})."
            )
        self._trainable = bool(value)
        # Programs depend on it: which captured Parameters are inputs with a gradient (test_requires_grad).
        invalidate_guards()

    def add_pipeline_stage(self, stage: int) -> None:
        """Add a stage of MindSpore's pipelines; kept in `pipeline_stages`, without effect.

        Args:
            stage: at least 0.

        Raises:
            TypeError: if it is no int, or negative.
        """
        if isinstance(stage, bool) or not isinstance(stage, int) or stage < 0:
            raise refusal("add_pipeline_stage", "stage", "be an int of at least 0", stage)
        self.pipeline_stages = (*self.pipeline_stages, stage)

    def value(self) -> Tensor:
        """Return the values that the Parameter has now, as a plain Tensor; gradients flow to the Parameter.

        Examples:
            >>> import msjax as ms
            >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
            >>> before = p.value()
            >>> p = p.set_data(before + 1)
            >>> print(before, p.value())
            [1. 2.] [2. 3.]
        """
        here = resolve(self)
        here._owned = False
        records = state.mode == ENABLED and self.requires_grad
        return wrap(here._value, here._leaf() if records else node_of(here))

    def set_data(self, data: object, slice_shape: bool = False) -> "Parameter":
        """Set new values, in the Parameter's own dtype.

        Args:
            data: Tensor, whose shape becomes the Parameter's, or an int or float for one without dimensions.
            slice_shape: accepted for MindSpore's signature; the shape may change in any case.

        Returns:
            The Parameter.

        Raises:
            TypeError: if `data` is none of these, or a float for a Parameter of signed integers.

        Examples:
            >>> import msjax as ms
            >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
            >>> p.set_data(ms.Tensor([3, 4])).asnumpy().tolist()
            [3.0, 4.0]
        """
        dtype = look(self).dtype
        if isinstance(data, Tensor):
            value = data.array
            value = value if value.dtype == dtype else nodes.cast((value, None), dtype)[0]
            return set_value(self, spread_like(look(self), value))
        if not isinstance(data, int | float):
            raise refusal("set_data", "data", "be a Tensor, an int or a float", data)
        # Bools and unsigned integers take floats, cut off.
        if isinstance(data, float) and np.issubdtype(dtype, np.signedinteger):
            raise TypeError(
                f"`set_data`: Parameter {self.name!r} has dtype {self.dtype}, which does not take a float. "
                f"Received: {data}. Use set_dtype first."
            )
        return set_value(self, construction.constant(np.asarray(data), dtype))

    def assign_value(self, value: Tensor) -> "Parameter":
        """Set the values, shape and dtype of another Tensor.

        Raises:
            TypeError: if `value` is no Tensor.
        """
        if not isinstance(value, Tensor):
            raise refusal("assign_value", "value", "be a Tensor", value)
        return set_value(self, spread_like(look(self), value.array))

    def init_data(self, *args: object, **kwargs: object) -> "Parameter":
        """Return the Parameter itself: its values are made together with it."""
        return self

    def clone(self, init: object = "same") -> "Parameter":
        """Return a new Parameter like this one.

        Args:
            init: "same" keeps the values; otherwise what `initializer` takes, or a Tensor.

        Examples:
            >>> import msjax as ms
            >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
            >>> p.clone().name
            'w'
        """
        if isinstance(init, str) and init == "same":
            value: jax.Array = stop_array_gradient(self.array)
        elif isinstance(init, Tensor):
            value = stop_array_gradient(init.array)
        else:
            value = construction.make_initial_values(init, self.shape, resolve(self)._value.dtype)
        twin = object.__new__(type(self))
        fill(twin, value, state.frame)
        twin.__dict__.update({name: kept for name, kept in self.__dict__.items() if name != "_hooks"})
        return twin

    def copy(self) -> "Parameter":
        """Return a new Parameter like this one."""
        return self.clone()

    def _leaf(self) -> nodes.Ref:
        """Return its leaf on the tape under `enable_grad` (called on the resolved box)."""
        node = self._node
        return node if node is not None else mark_leaf(self, nodes.TrainableLeaf)

    def _mark(self, flag: bool) -> None:
        self.requires_grad = flag

    def __copy__(self) -> "Parameter":
        return self.clone()

    def __deepcopy__(self, memo: dict) -> "Parameter":
        twin = memo[id(self)] = self.clone()
        node = self._node
        if node is not None and type(node[0]) is nodes.Leaf and node[0].owner is not None:
            mark_leaf(twin)
        return twin

    def __str__(self) -> str:
        return printing.parameter_str(self.name, self.shape, self.dtype, self._trainable)

    __repr__ = __str__


def _initial(data: object) -> jax.Array:
    """Make the array for the constructor's `default_input`."""
    if isinstance(data, bool):
        raise ValueError(
            f"`Parameter`: argument `default_input` must not be a bool. Received: {data}. Use a Tensor."
        )
    # As in MindSpore: an int makes an int32 Parameter, though an int64 Tensor.
    if isinstance(data, int):
        return construction.constant(np.asarray(data), np.dtype(np.int32))
    if not isinstance(data, Tensor | np.ndarray | float | list | jax.Array):
        raise refusal(
            "Parameter", "default_input", "be a Tensor, a NumPy array, an int, a float or a list", data
        )
    return stop_array_gradient(construction.array_of(float(data) if isinstance(data, float) else data))


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of Parameters.

    Args:
        iterable: Parameters.

    Raises:
        TypeError: if an element is no Parameter.
        ValueError: if two different Parameters have one name.
    """

    def __new__(cls, iterable: Any) -> Self:
        """Check the Parameters."""
        parameters = list(iterable)
        names: dict[str, Parameter] = {}
        for p in parameters:
            if not isinstance(p, Parameter):
                raise refusal("ParameterTuple", "iterable", "hold Parameters", p)
            if names.setdefault(p.name, p) is not p:
                raise ValueError(
                    f"`ParameterTuple`: two Parameters have the name {p.name!r}; names must be unique."
                )
        return super().__new__(cls, parameters)

    def clone(self, prefix: str = "", init: object = "same") -> "ParameterTuple":
        """Return new Parameters like these, with names that start with `prefix`."""

        def each() -> Iterator[Parameter]:
            for p in self:
                twin = p.clone(init)
                twin.name = f"{prefix}.{p.name}" if prefix else p.name
                yield twin

        return ParameterTuple(each())


# Operators take one where they take a tuple of Tensors; what is made of its elements is a plain tuple.
jax.tree_util.register_pytree_node(
    ParameterTuple,
    lambda parameters: (tuple(parameters), None),
    cast("Any", lambda _, children: tuple(children)),
)


def spread_like(former: jax.Array, value: jax.Array) -> jax.Array:
    """Return an array with its parts on the devices that have those of another one; itself for one device.

    A compiled step for many devices would otherwise be compiled again for a Parameter that has come from one.
    """
    if isinstance(former, Tracer) or isinstance(value, Tracer) or former.shape != value.shape:
        return value
    if not former.is_fully_addressable:  # of several processes, which each have their own
        return value
    return jax.device_put(value, former.sharding) if len(former.sharding.device_set) > 1 else value


def check_unique(parameters: Iterable[Parameter]) -> None:
    """Raise if two different Parameters have one name, unless neither was given one."""
    names: dict[str, Parameter] = {}
    for parameter in parameters:
        if names.setdefault(parameter.name, parameter) is not parameter and not UNNAMED.fullmatch(
            parameter.name
        ):
            raise ValueError(
                f"The value is {parameter}, its name '{parameter.name}' already exists, as that of "
                f"{names[parameter.name]}. Give each Parameter its own name."
            )


def is_buffer(value: object) -> bool:
    """Return True for a Tensor that `_Buffer` marked."""
    return isinstance(value, Tensor) and value.__dict__.get("_is_buffer", False)


# A buffer is a plain Tensor with a mark, by which `isinstance(x, Buffer)` must go.
class _BufferType(type(Tensor)):
    def __instancecheck__(cls, instance: object) -> bool:
        return is_buffer(instance)


class _Buffer(Tensor, metaclass=_BufferType):
    """A Tensor that becomes a buffer of the Cell that it is assigned to, as `Cell.register_buffer` makes one.

    Args:
        data: its values.
        persistent: whether `Cell.state_dict` contains it.

    Returns:
        A Tensor that shares memory with `data`, off the tape.

    Raises:
        TypeError: if `data` is no Tensor.
        ValueError: if it is None.
    """

    __slots__ = ()

    def __new__(cls, data: Tensor, *, persistent: bool = True) -> Tensor:
        """Return the marked Tensor."""
        if data is None:
            raise ValueError("`_Buffer`: argument `data` should not be None.")
        if not isinstance(data, Tensor):
            raise TypeError(
                f"`_Buffer`: argument `data` should be a Tensor. Received: {type(data).__name__}."
            )
        marked = data.detach()
        marked.__dict__.update(_is_buffer=True, persistent=persistent)
        return marked
