"""`torch.random`: seeds, and generators that stand for the one there is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msjax.core import random as core
from msjax.torch.functions import manual_seed as manual_seed


class Generator:
    """A source of random numbers. All draw from the one of the process, which `manual_seed` sets."""

    def __init__(self, device: Any = "cpu") -> None:
        self._seed = 0

    def manual_seed(self, seed: int) -> "Generator":
        """Set the seed."""
        self._seed = seed
        core.set_seed(seed)
        return self

    def initial_seed(self) -> int:
        """The seed that was set."""
        return self._seed

    seed = initial_seed


@contextmanager
def fork_rng(*args: Any, **named: Any) -> Iterator[None]:
    """What is drawn inside does not change what is drawn afterwards."""
    kept = core.get_rng_state() if hasattr(core, "get_rng_state") else None
    yield
    if kept is not None:
        core.set_rng_state(kept)  # type: ignore[attr-defined]
