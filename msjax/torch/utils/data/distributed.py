"""`torch.utils.data.distributed`: distributed sampler, one share of the dataset per process."""

import math
from collections.abc import Iterator
from typing import Any

from msjax.core.xla.collectives import world
from msjax.torch.random import Generator
from msjax.torch.utils.data.datasets import shuffled
from msjax.torch.utils.data.samplers import Sampler


class DistributedSampler(Sampler):
    """Every `num_replicas`-th number, from `rank` on.

    Args:
        dataset: with a length.
        num_replicas: the number of processes. Default: those of the world.
        rank: which of them this is. Default: this process's.
        shuffle: whether the order is random, the same in all processes.
        seed: of the order, to which the epoch is added.
        drop_last: whether the last numbers are left out where they do not suffice for all; else the first come again.

    Raises:
        ValueError: if `rank` is no process's.

    Examples:
        >>> from msjax.torch.utils.data.distributed import DistributedSampler
        >>> list(DistributedSampler(range(4), num_replicas=2, rank=1, shuffle=False))
        [1, 3]
    """

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0,
        drop_last: bool = False,
    ) -> None:  # fmt: skip
        self.dataset, self.epoch, self.shuffle, self.seed, self.drop_last = (
            dataset,
            0,
            shuffle,
            seed,
            drop_last,
        )
        self.num_replicas = world.size if num_replicas is None else num_replicas
        self.rank = world.rank if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"Invalid rank {self.rank}, rank should be in the interval [0, {self.num_replicas - 1}]"
            )
        share = len(dataset) / self.num_replicas
        self.num_samples = math.floor(share) if drop_last else math.ceil(share)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        generator = Generator().manual_seed(self.seed + self.epoch)
        order = shuffled(count, generator) if self.shuffle else list(range(count))
        while len(order) < self.total_size:
            order += order[: self.total_size - len(order)]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, on which the random order depends."""
        self.epoch = epoch
