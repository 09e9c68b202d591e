"""`torch.distributed.checkpoint.stateful`: the protocol of objects with `state_dict` and `load_state_dict`."""

from typing import Any, Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """Objects with `state_dict` and `load_state_dict`, such as modules, which a state dict may have as values."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state by names."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the state that :meth:`state_dict` gave."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)
