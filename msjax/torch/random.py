"""`torch.random`: seeds, and generators that stand for the one there is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from msjax.core import random as core
from msjax.torch.functions import device as named_device
from msjax.torch.functions import manual_seed as manual_seed
from msjax.torch.tensor import dialect


class Generator:
    """A source of random numbers. All draw from the one of the process, which `manual_seed` sets."""

    def __init__(self, device: Any = "cpu") -> None:
        self._seed, self.device = 0, named_device(device)

    def manual_seed(self, seed: int) -> "Generator":
        """Set the seed."""
        self._seed = seed
        core.set_seed(seed)
        return self

    def initial_seed(self) -> int:
        """The seed that was set."""
        return self._seed

    def seed(self) -> int:
        """Set a seed that is not known before; returns it."""
        self.manual_seed(int(np.random.SeedSequence().generate_state(1)[0]))
        return self._seed

    def get_state(self) -> Any:
        """The state of the random numbers, for `set_state`."""
        return dialect(core.get_rng_state())

    def set_state(self, new_state: Any) -> None:
        """Go back to a state."""
        core.set_rng_state(new_state)


@contextmanager
def fork_rng(*args: Any, **named: Any) -> Iterator[None]:
    """What is drawn inside does not change what is drawn afterwards."""
    kept = core.get_rng_state()
    try:
        yield
    finally:
        core.set_rng_state(kept)
