"""Base class of bijectors."""

from collections.abc import Callable
from typing import Any, ClassVar

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.probability import given
from msjax.nn.probability.distribution.distribution import Distribution
from msjax.nn.probability.helpers import Helpers, read_only

_METHODS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


def load_transformed() -> Callable[..., Distribution]:
    """Return `TransformedDistribution`, which stands above this file: the folder's `__init__.py` puts a loader here."""
    raise RuntimeError("`Bijector`: the package is not initialized")


class Bijector(Helpers, Cell):
    """The base class of bijectors: differentiable maps that have an inverse.

    A subclass defines `_forward(x)`, `_inverse(y)`, `_forward_log_jacobian(x)` and `_inverse_log_jacobian(y)`, or those
    of them that it needs.

    Args:
        is_constant_jacobian (bool): whether the derivative is the same everywhere. Default: False.
        is_injective (bool): whether no two values are mapped to one. Default: True.
        name (str): for messages.
        dtype (mindspore.dtype): the one floating dtype of values; None for any. Default: None.
        param (dict): what the bijector was made with; `param["param_dict"]` holds its parameters by name.

    Inputs:
        - **name** (str) - of a method; `bijector("forward", x)` is `bijector.forward(x)`. Or a Distribution, which gives
          the `TransformedDistribution` of what the map makes of its draws.
        - **args** - those of the method.

    Raises:
        TypeError: if `name` is not a str, a flag not a bool, `dtype` not floating, or a parameter not floating.

    Examples:
        >>> import msjax as ms
        >>> from msjax.nn.probability.bijector import Bijector
        >>> class Tripled(Bijector):
        ...     def __init__(self):
        ...         super().__init__(is_constant_jacobian=True, name="Tripled", param={})
        ...
        ...     def _forward(self, x):
        ...         return 3 * x
        >>> print(Tripled().forward(ms.Tensor([1.0, 2.0])))
        [3. 6.]
    """

    labels: ClassVar[tuple[str, ...]] = ()  # of the parameters, in print
    rules: ClassVar[dict[str, Callable[[Any, str], None]]] = {}  # parameter: its check

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: str | None = None,
        dtype: DType | None = None,
        param: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(name, str):
            raise TypeError(f"`{type(self).__name__}`: argument `name` must be a str. Received: {name!r}.")
        for flag, value in (("is_constant_jacobian", is_constant_jacobian), ("is_injective", is_injective)):
            if not isinstance(value, bool):
                raise TypeError(f"`{name}`: argument `{flag}` must be a bool. Received: {value!r}.")
        if dtype is not None and dtype not in dtypes.float_type:
            raise TypeError(f"`{name}`: argument `dtype` must be floating. Received: {dtype!r}.")
        param = param or {}
        self._name, self._dtype = name, dtype
        self._is_constant_jacobian, self._is_injective = is_constant_jacobian, is_injective
        self._parameters = {
            k: v for k, v in param.items() if k not in ("self", "param") and not k.startswith("_")
        }
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []
        self.tensors: list[Tensor] = []
        start = param.get("param_dict")
        self._batch_shape = None if start is None else given.batch_shape(start)
        self._is_scalar_batch = start is not None and given.is_scalar_only(start)

    name = read_only("name", "The name, for messages.")
    dtype = read_only("dtype", "The dtype of values, or None for any.")
    parameters = read_only("parameters", "Constructor arguments of the bijector, by name.")
    is_constant_jacobian = read_only("is_constant_jacobian", "True if the derivative is the same everywhere.")
    is_injective = read_only("is_injective", "True if no two values are mapped to the same one.")
    batch_shape = read_only("batch_shape", "Shape that the parameters broadcast to; None if there are none.")
    is_scalar_batch = read_only("is_scalar_batch", "True if all parameters were given as numbers.")

    # ------------------------------------------------------------------ for subclasses

    def _add_parameter(self, value: Any, name: str) -> Tensor:
        """Register the next parameter, which must be floating and of the dtype of those before it."""
        if isinstance(value, bool) or value is None:
            raise TypeError(
                f"`{self.name}`: argument `{name}` must be a number or an array. Received: {value!r}."
            )
        tensor = Tensor(value)
        wanted = self.dtype or (self.tensors[0].dtype if self.tensors else tensor.dtype)
        if tensor.dtype != wanted or wanted not in dtypes.float_type:
            rule = f"of dtype {wanted}" if wanted in dtypes.float_type else "floating"
            raise TypeError(
                f"`{self.name}`: argument `{name}` must be {rule}. Received: dtype={tensor.dtype}."
            )
        self.default_parameters.append(value)
        self.parameter_names.append(name)
        self.tensors.append(tensor)
        setattr(self, f"_{name}", tensor)
        if name in self.rules:
            self.rules[name](tensor, f"`{self.name}`: argument `{name}`")
        return tensor

    def checked(self, value: Any) -> Tensor:
        """Return the value, if it is a floating Tensor, and of the dtype of the bijector if that has one.

        Raises:
            TypeError: if it is not.
        """
        if not isinstance(value, Tensor):
            raise TypeError(f"`{self.name}`: the value must be a Tensor. Received: {value!r}.")
        if self.dtype is None and value.dtype not in dtypes.float_type:
            raise TypeError(f"`{self.name}`: the value must be floating. Received: dtype={value.dtype}.")
        if self.dtype is not None and value.dtype != self.dtype:
            raise TypeError(
                f"`{self.name}`: the value must be of dtype {self.dtype}. Received: {value.dtype}."
            )
        return value

    def _check_value_dtype(self, value: Any) -> Tensor:
        return self.checked(value)

    def cast_param_by_value(self, value: Tensor, para: Tensor) -> Tensor:
        """Return a parameter in the dtype of a value."""
        return para.astype(value.dtype)

    def shape_mapping(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the result for a value of the given shape."""
        return given.broadcast_shape(shape, self.batch_shape or (), names=("value", "parameters"))

    def extend_repr(self) -> str:
        """Return the parameters, or their shape where they are arrays."""
        if not self.labels:
            return ""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        return ", ".join(
            f"{label} = {value}" for label, value in zip(self.labels, self.tensors, strict=False)
        )

    # ------------------------------------------------------------------ what it does

    def forward(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Map `value` forward."""
        return self._forward(value, *args, **kwargs)

    def inverse(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Map `value` back: the inverse of `forward`."""
        return self._inverse(value, *args, **kwargs)

    def forward_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Logarithm of the modulus of the derivative of `forward`."""
        return self._forward_log_jacobian(value, *args, **kwargs)

    def inverse_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Logarithm of the modulus of the derivative of `inverse`."""
        return self._inverse_log_jacobian(value, *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return a method by name, or the distribution of what the map makes of draws."""
        if args and isinstance(args[0], Distribution):
            return load_transformed()(self, args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Tensor:
        """Call the method of that name."""
        if name not in _METHODS:
            raise ValueError(
                f"`{self.name}`: the first input must be one of {', '.join(_METHODS)}. Received: {name!r}."
            )
        return getattr(self, name)(*args, **kwargs)
