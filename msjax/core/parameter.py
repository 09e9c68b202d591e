"""Parameter: a named Tensor that a Cell trains."""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from msjax.core import printing, tape
from msjax.core.state import flags_changed, state
from msjax.core.tensor import Tensor, _fill, from_data, mark_leaf, resolve

PARAMETER_NAME_DEFAULT = "Parameter"


class Parameter(Tensor):
    """A Tensor that belongs to a Cell and that gradients are asked for.

    A Parameter records nothing by itself: `grad` and its family watch those given as `weights`, and under
    :func:`msjax.enable_grad` Parameters with `requires_grad` are leaves as in PyTorch.

    Args:
        default_input: Tensor, NumPy array, number or nested sequence with the initial values.
        name: unique within its Cell; a Cell gives it the name of the attribute if it has none.
        requires_grad: whether optimizers and `trainable_params` take it.
        layerwise_parallel: kept as an attribute; gradients are not treated differently for it.
        parallel_optimizer: kept as an attribute.
        storage_format: kept as an attribute; XLA chooses layouts.
        device: accepted for MindSpore's signature.

    Raises:
        TypeError: if `default_input` is None or cannot be made a Tensor, `name` is no str, or a flag no bool.

    Examples:
        >>> import msjax as ms
        >>> p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        >>> print(p.name, p.requires_grad, p.shape)
        w True (2,)
    """

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: Any = None,
    ) -> None:
        if default_input is None:
            raise TypeError("For Parameter, the argument `default_input` can not be None.")
        for what, flag in (("requires_grad", requires_grad), ("layerwise_parallel", layerwise_parallel)):
            if not isinstance(flag, bool | np.bool_):
                raise TypeError(f"For Parameter, the argument `{what}` must be bool. Received: {flag!r}.")
        _fill(self, from_data(default_input), state.frame)
        self._named(name)
        self._trainable = bool(requires_grad)
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        self.storage_format = storage_format
        self.cast_type = None
        self.is_init = True

    def _named(self, name: str | None) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"For Parameter, the argument `name` must be a str. Received: {name!r}.")
        self._name = PARAMETER_NAME_DEFAULT if name is None or not name.strip() else name

    @property
    def name(self) -> str:
        """The name in checkpoints, prefixed by the Cells around it."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        self._named(value)

    @property
    def param_info(self) -> "Parameter":
        """The Parameter itself: its descriptive attributes are attributes of it."""
        return self

    @property
    def requires_grad(self) -> bool:
        """Whether optimizers and `trainable_params` take it."""
        return self._trainable

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"`Parameter.requires_grad` must be a bool. Received: {value!r} ({type(value).__name__}).")
        self._trainable = bool(value)
        flags_changed()

    @property
    def data(self) -> "Parameter":
        """The Parameter itself."""
        return self

    @data.setter
    def data(self, value: Tensor) -> None:
        self.set_data(value)

    def value(self) -> Tensor:
        """The current values as a new Tensor."""
        return Tensor.from_array(self.array)

    def set_data(self, data: Any, slice_shape: bool = False) -> "Parameter":
        """Take over new values.

        Args:
            data: Tensor of this shape; its dtype is converted to this one if that loses nothing of its kind.
            slice_shape: allow another shape.

        Raises:
            TypeError: if `data` is no Tensor, or a float for an integer Parameter.
            ValueError: if the shape differs and `slice_shape` is False.
        """
        if not isinstance(data, Tensor):
            if not isinstance(data, int | float | np.ndarray | list | tuple):
                raise TypeError(f"`set_data`: argument `data` must be a Tensor. Received: {type(data).__name__}.")
            data = Tensor(data)
        value = data.array
        here = resolve(self)._value
        if value.shape != here.shape and not slice_shape:
            raise ValueError(
                f"`set_data`: the new data of Parameter {self.name!r} must have shape {here.shape}. Received: {value.shape}."
            )
        if value.dtype != here.dtype:
            if tape.inexact(value.dtype) and not tape.inexact(here.dtype):
                raise TypeError(
                    f"`set_data`: Parameter {self.name!r} has dtype {self.dtype}, which cannot hold {data.dtype}."
                )
            value = value.astype(here.dtype)
        self._assign(value)
        return self

    def init_data(self, *args: Any, **kwargs: Any) -> "Parameter":
        """The Parameter itself: values are made when it is."""
        return self

    def clone(self, init: Any = "same") -> "Parameter":
        """A new Parameter like this one.

        Args:
            init: "same" keeps the values; otherwise what `initializer` takes, or a Tensor.
        """
        twin = object.__new__(type(self))
        if isinstance(init, str) and init == "same":
            value: jax.Array = self.array
        elif isinstance(init, Tensor):
            value = init.array
        else:
            value = _initialized(init, self.shape, self.dtype)
        _fill(twin, value, state.frame)
        twin.__dict__.update(self.__dict__)
        return twin

    def _leaf(self) -> tape.Ref:
        """Its place on the tape under `enable_grad` (called on the resolved box)."""
        node = self._node
        return node if node is not None else mark_leaf(self, tape.TrainableLeaf)

    def _mark(self, flag: bool) -> None:
        self.requires_grad = flag

    def __deepcopy__(self, memo: dict) -> "Parameter":
        twin = memo[id(self)] = self.clone()
        return twin

    def __str__(self) -> str:
        return printing.parameter_str(self.name, self.shape, self.dtype, self._trainable)

    __repr__ = __str__


def _initialized(init: Any, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    from msjax.common.initializer import initializer

    return initializer(init, shape, dtype).array


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of Parameters.

    Args:
        iterable: Parameters.

    Raises:
        TypeError: if an element is no Parameter.
        ValueError: if two different Parameters have one name.
    """

    def __new__(cls, iterable: Any) -> "ParameterTuple":
        parameters = list(iterable)
        names: dict[str, Parameter] = {}
        for p in parameters:
            if not isinstance(p, Parameter):
                raise TypeError(f"`ParameterTuple`: every element must be a Parameter. Received: {type(p).__name__}.")
            if names.setdefault(p.name, p) is not p and p.name != PARAMETER_NAME_DEFAULT:
                raise ValueError(f"`ParameterTuple`: two Parameters have the name {p.name!r}; names must be unique.")
        return super().__new__(cls, parameters)

    def clone(self, prefix: str = "", init: Any = "same") -> "ParameterTuple":
        """New Parameters like these, with names that start with `prefix`."""

        def each() -> Iterator[Parameter]:
            for p in self:
                twin = p.clone(init)
                twin.name = f"{prefix}.{p.name}" if prefix else p.name
                yield twin

        return ParameterTuple(each())
