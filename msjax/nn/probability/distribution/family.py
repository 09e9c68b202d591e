"""Base classes of the named distributions: parameters, their checks, printing."""

from collections.abc import Callable
from typing import Any, ClassVar

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.distribution.distribution import Distribution

FLOATS = dtypes.float_type
NUMBERS = (*dtypes.int_type, *dtypes.uint_type, *dtypes.float_type)


def a_dtype(owner: str, dtype: Any, allowed: tuple[DType, ...]) -> None:
    """Raise TypeError unless the dtype is among those allowed."""
    if dtype not in allowed:
        names = ", ".join(d.label for d in allowed)
        raise TypeError(f"`{owner}`: argument `dtype` must be one of {names}. Received: {dtype!r}.")


class Stated(Distribution):
    """A distribution with a table of what its parameters are called and must fulfil."""

    labels: ClassVar[tuple[str, ...]] = ()  # of the parameters, in print
    at_call: ClassVar[tuple[str, ...]] = ()  # names of the parameters in calls, if they differ
    stored = "_{}"  # attributes that hold the parameters
    rules: ClassVar[dict[str, Callable[[Any, str], None]]] = {}  # parameter: its check

    def _own(self, parameters: dict[str, Any]) -> None:
        """Register the parameters, as attributes too, and check them."""
        self._reset_parameters()
        for name, value in parameters.items():
            tensor = self._add_parameter(value, name)
            setattr(self, self.stored.format(name), tensor)
        for name, check in self.rules.items():
            tensor = self.default_parameters[self.parameter_names.index(name)]
            if tensor is not None:
                check(tensor, f"`{self.name}`: argument `{name}`")

    def extend_repr(self) -> str:
        """The parameters, or their shape where they are arrays."""
        if not self.labels:
            return ""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.broadcast_shape}"
        pairs = zip(self.labels, self.default_parameters, strict=False)
        return ", ".join(f"{label} = {value}" for label, value in pairs)

    def _get_dist_type(self) -> str:
        if self.kind is None:
            raise NotImplementedError(f"`get_dist_type` is not implemented for the distribution {self.name}.")
        return self.kind

    def _get_dist_args(self, *args: Any, **kwargs: Any) -> tuple:
        if self.kind is None:
            raise NotImplementedError(f"`get_dist_args` is not implemented for the distribution {self.name}.")
        names = self.at_call or tuple(self.parameter_names)
        found = given.bound(f"{self.kind}._get_dist_args", (), names, args, kwargs)
        tensors = [given.tensor_at_call(found.get(name), name) for name in names]
        return tuple(d if t is None else t for t, d in zip(tensors, self.default_parameters, strict=True))


class Family(Stated):
    """A distribution whose parameters are given when it is made, or at each call.

    Args:
        parameters: by name.
        seed: selects a separate random stream.
        dtype: of samples, one of `allowed`.
        name: for messages.
    """

    allowed: ClassVar[tuple[DType, ...]] = FLOATS

    def __init__(self, parameters: dict[str, Any], seed: int | None, dtype: DType, name: str) -> None:
        a_dtype(type(self).__name__, dtype, self.allowed)
        param = {**parameters, "seed": seed, "dtype": dtype, "name": name, "param_dict": parameters}
        super().__init__(seed, dtype, name, param)
        self._own(parameters)


def no_number(owner: str, kinds: tuple[type, ...], **parameters: Any) -> None:
    """Raise TypeError for parameters given as plain numbers, where MindSpore wants arrays."""
    for name, value in parameters.items():
        if isinstance(value, kinds):
            raise TypeError(
                f"`{owner}`: argument `{name}` must be a Tensor, array or list, not a number. Received: {value!r}."
            )
