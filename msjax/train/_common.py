"""Shared helpers of saving and loading checkpoints."""

from typing import Any

from msjax.core.tensor.tensor import Tensor

SUFFIXES = {"ckpt": ".ckpt", "safetensors": ".safetensors"}


def check_types(owner: str, error: type[Exception], **values: tuple[Any, Any]) -> None:
    """Raise `error` for the first of the (value, type) pairs that do not go together."""
    for name, (value, kind) in values.items():
        if not isinstance(value, kind):
            wanted = getattr(kind, "__name__", str(kind))
            raise error(f"`{owner}`: argument `{name}` must be of type {wanted}. Received: {name}={value!r}.")


def as_tuple(inputs: Any) -> Any:
    """Wrap a single Tensor in a tuple; return anything else as it is."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs
