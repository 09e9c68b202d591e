"""Base classes of the named distributions: parameters, their checks, printing."""

from collections.abc import Callable
from typing import Any, ClassVar

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.nn.probability import given
from msjax.nn.probability.closed_forms import ClosedForms
from msjax.nn.probability.distribution.distribution import Distribution
from msjax.nn.probability.formulas import cross_entropy_of, hook_of_formula, sample_hook

FLOATS = dtypes.float_type
NUMBERS = (*dtypes.int_type, *dtypes.uint_type, *dtypes.float_type)


def check_dtype(owner: str, dtype: Any, allowed: tuple[DType, ...]) -> None:
    """Raise TypeError unless the dtype is among those allowed."""
    if dtype not in allowed:
        names = ", ".join(d.label for d in allowed)
        raise TypeError(f"`{owner}`: argument `dtype` must be one of {names}. Received: {dtype!r}.")


class Stated(Distribution):
    """A distribution with closed forms, and a table of what its parameters are called and must fulfil."""

    labels: ClassVar[tuple[str, ...]] = ()  # of the parameters, in print
    at_call: ClassVar[tuple[str, ...]] = ()  # names of the parameters in calls, if they differ
    stored = "_{}"  # attributes that hold the parameters
    rules: ClassVar[dict[str, Callable[[Any, str], None]]] = {}  # parameter: its check

    def __init_subclass__(cls, forms: ClosedForms | None = None, **kwargs: Any) -> None:
        """Make the hooks of the closed forms: `_log_prob` of log_prob, and so on.

        Args:
            forms: formulas by name.
            **kwargs: those of the class above.
        """
        super().__init_subclass__(**kwargs)
        for name, form in (forms or {}).items():
            if name == "sample":
                cls._sample = sample_hook(form)
            elif name != "icdf":  # which MindSpore's distributions do not have
                setattr(cls, f"_{name}", hook_of_formula(name, form, forms.elementwise))  # type: ignore[union-attr]
        if forms and {"entropy", "kl_loss"} <= {*forms}:
            cls._cross_entropy = cross_entropy_of(cls._entropy, cls._kl_loss)  # type: ignore[attr-defined]

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
        """Return the parameters, or their shape where they are arrays."""
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
        found = given.bind_arguments(f"{self.kind}._get_dist_args", (), names, args, kwargs)
        tensors = [given.check_tensor(found.get(name), name) for name in names]
        return tuple(d if t is None else t for t, d in zip(tensors, self.default_parameters, strict=True))


class Family(Stated):
    """A distribution whose parameters are given when it is made, or at each call.

    Args:
        parameters: by name.
        seed (int): draws come from a state of this seed's own. Default: None.
        dtype (mindspore.dtype): of samples, floating. Default: float32.
        name (str): for messages. Default: the name of the class.
    """

    allowed: ClassVar[tuple[DType, ...]] = FLOATS  # dtypes
    refused: ClassVar[tuple[type, ...]] = ()  # types of parameters, where MindSpore wants arrays

    def __init__(self, parameters: dict[str, Any], seed: int | None, dtype: DType, name: str) -> None:
        owner = type(self).__name__
        for argument, value in parameters.items():
            if isinstance(value, self.refused):
                raise TypeError(
                    f"`{owner}`: argument `{argument}` must be a Tensor, array or list, not a number. Received: {value!r}."
                )
        check_dtype(owner, dtype, self.allowed)
        param = {**parameters, "seed": seed, "dtype": dtype, "name": name, "param_dict": parameters}
        super().__init__(seed, dtype, name, param)
        self._own(parameters)
