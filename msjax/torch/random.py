"""`torch.random`: seeds and random generators."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msjax.core.tensor import generator as states
from msjax.core.tensor import random_state as core
from msjax.torch.tensors.creation import device as named_device
from msjax.torch.tensors.tensor import as_torch


class Generator(states.Generator):
    """A separate source of random numbers.

    Args:
        device: a name.

    Examples:
        >>> from msjax import torch
        >>> generator = torch.Generator().manual_seed(1)
        >>> drawn = torch.rand(2, generator=generator)
        >>> torch.equal(drawn, torch.rand(2, generator=generator.manual_seed(1)))
        True
    """

    def __init__(self, device: Any = "cpu") -> None:
        super().__init__()
        self._seed, self.device = 67280421310721, named_device(device)

    @property
    def box(self) -> Any:
        """The state, which functions draw from and advance."""
        if self._source is None:
            self._source = core.wrap(core._data(self._seed % 2**32))
        return self._source

    def get_state(self) -> Any:
        """Return a copy of the state, for `set_state`."""
        return as_torch(super().get_state())


class _OfProcess(Generator):
    _times = -1  # how often the process had been seeded when `manual_seed` was called last

    @property
    def box(self) -> Any:
        """The state of the process."""
        return core.source()

    def manual_seed(self, seed: int) -> "Generator":
        """Set the seed of all random functions."""
        manual_seed(seed)
        return self

    def initial_seed(self) -> int:
        """Return the seed that was set."""
        # The state has 32 bits of it; and `set_seed` of MindSpore's API sets this generator's seed, too.
        return self._seed if self._times == core.times_seeded() else core.get_seed() or 0

    def seed(self) -> int:
        """Set a seed of the operating system, and return it."""
        super().seed()
        return self.initial_seed()


default_generator = _OfProcess()


def manual_seed(seed: int) -> Generator:
    """Set the seed of all random functions; returns the generator they draw from."""
    core.set_seed(seed % 2**32)
    default_generator._seed, default_generator._times = seed % 2**64, core.times_seeded()
    return default_generator


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **names: Any) -> Iterator[None]:
    """Restore the random state at the end of the block: draws inside do not change those afterwards.

    Args:
        devices: accepted, without effect: one state serves all devices.
        enabled: False: leave the state as the block left it.
        names: how PyTorch's messages call these arguments, and the type of device; without effect.
    """
    before = (core.get_rng_state(), default_generator._seed) if enabled else None
    try:
        yield
    finally:
        if before is not None:
            state, default_generator._seed = before
            core.set_rng_state(state)


def get_rng_state() -> Any:
    """Return the state of the random numbers, in bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Go back to a state of the random numbers."""
    default_generator.set_state(new_state)


def initial_seed() -> int:
    """Return the seed that was set."""
    return default_generator.initial_seed()


def seed() -> int:
    """Set a seed that is not known before; returns it."""
    return default_generator.seed()
