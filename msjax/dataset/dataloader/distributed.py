"""Distributed sampler: each process draws its own share of the samples."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from msjax.core.xla.collectives import world
from msjax.dataset.dataloader import checks
from msjax.dataset.dataloader.sampler import Sampler


class DistributedSampler(Sampler):
    """Distributed sampler: every `num_replicas`-th index of one order, for one of several processes.

    Args:
        dataset (Dataset): what is sampled.
        num_replicas (int): number of processes. Default: that of JAX.
        rank (int): which of them this is. Default: what JAX says.
        shuffle (bool): a random order, another one in each epoch (see `set_epoch`). Default: True.
        seed (int): of that order. Default: 0.
        drop_last (bool): leave out the last samples instead of repeating the first ones, if they do not fit. Default: False.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `num_replicas` is not positive, or `rank` is none of them.

    Examples:
        >>> from msjax.dataset.dataloader import DistributedSampler
        >>> [list(DistributedSampler("abcde", 2, rank, shuffle=False)) for rank in (0, 1)]
        [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool | None = True,
        seed: int = 0,
        drop_last: bool | None = False,
    ) -> None:
        super().__init__(dataset)
        owner = "DistributedSampler"
        checks.check_type(owner, int | None, num_replicas=num_replicas)
        checks.check_type(owner, int | None, rank=rank)
        checks.check_type(owner, bool, shuffle=shuffle)
        checks.check_type(owner, int, seed=seed)
        checks.check_type(owner, bool, drop_last=drop_last)
        num_replicas = world.size if num_replicas is None else num_replicas
        rank = world.rank if rank is None else rank
        checks.check_at_least(owner, 1, num_replicas=num_replicas)
        if not 0 <= rank < num_replicas:
            raise ValueError(
                f"`{owner}`: argument `rank` must be in [0, num_replicas - 1] = [0, {num_replicas - 1}]. Received: {rank}."
            )
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        self.epoch = 0
        share = len(dataset) / num_replicas
        self.num_samples = math.floor(share) if drop_last else math.ceil(share)
        self.total_samples = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = np.arange(count)
        if self.shuffle:
            order = np.random.default_rng(self.seed + self.epoch).permutation(count)
        return iter(np.resize(order, self.total_samples)[self.rank :: self.num_replicas].tolist())

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, on which the random order depends.

        Raises:
            TypeError: if `epoch` is not an int.
        """
        checks.check_type("DistributedSampler", int, epoch=epoch)
        self.epoch = epoch
