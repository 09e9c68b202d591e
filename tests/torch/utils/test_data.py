"""torch.utils.data: batches, arguments and worker processes. Expected values are PyTorch 2.13's."""

import collections
import os
from typing import Any, NamedTuple

import numpy as np
import pytest

from msjax import torch
from msjax.torch.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    default_collate,
    default_convert,
    get_worker_info,
)


class Pair(NamedTuple):
    a: Any
    b: Any


def plain(x):
    """Tensors as (dtype, values), containers with their classes."""
    if isinstance(x, torch.Tensor):
        return str(x.dtype), x.tolist()
    if isinstance(x, dict):
        return type(x).__name__, {name: plain(value) for name, value in x.items()}
    if isinstance(x, list | tuple):
        return type(x).__name__, [plain(value) for value in x]
    return x


LONGS = ("torch.int64", [1, 3])


@pytest.mark.parametrize(
    ("batch", "expected"),
    [
        ([np.float32(1), np.float32(2)], ("torch.float32", [1.0, 2.0])),
        ([np.bool_(1), np.bool_(0)], ("torch.bool", [True, False])),
        ([1.5, 2], ("torch.float64", [1.5, 2.0])),
        ([True, False], ("torch.bool", [True, False])),
        (["a", "b"], ("list", ["a", "b"])),
        ([Pair(1, 2.0), Pair(3, 4.0)], ("Pair", [LONGS, ("torch.float64", [2.0, 4.0])])),
        ([(1, "x"), (3, "y")], ("list", [LONGS, ("tuple", ["x", "y"])])),
        ([[1], [3]], ("list", [LONGS])),
        ([collections.OrderedDict(a=1), {"a": 3}], ("OrderedDict", {"a": LONGS})),
        (
            [collections.defaultdict(int, {"a": 1}), collections.defaultdict(int, {"a": 3})],
            ("defaultdict", {"a": LONGS}),
        ),
        ([range(1, 2), range(3, 4)], ("list", [LONGS])),
        ([np.zeros(1, np.float16)] * 2, ("torch.float16", [[0.0], [0.0]])),
    ],
)
def test_collate(batch, expected):
    assert plain(default_collate(batch)) == expected


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        ([None], TypeError, "found <class 'NoneType'>"),
        ([1j], TypeError, "found <class 'complex'>"),
        ([np.array("s")], TypeError, "found <U1"),
        ([(1,), (1, 2)], RuntimeError, "equal size"),
        ([torch.zeros(2), torch.zeros(3)], RuntimeError, "stack"),
    ],
)
def test_collate_refuses(batch, error, text):
    with pytest.raises(error, match=text):
        default_collate(batch)


def test_convert_goes_inside():
    found = default_convert([np.ones(1), {"a": np.float32(1)}, ("x", 2), Pair(np.ones(1), 1)])
    ones = ("torch.float64", [1.0])
    assert plain(found) == (
        "list",
        [ones, ("dict", {"a": ("torch.float32", 1.0)}), ("list", ["x", 2]), ("Pair", [ones, 1])],
    )


class Stream(IterableDataset[int]):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id * 10, info.id * 13 + 3))


@pytest.mark.parametrize(
    ("dataset", "arguments", "text"),
    [
        (range(5), {"num_workers": -1}, "non-negative"),
        (range(5), {"timeout": -1}, "timeout option"),
        (range(5), {"prefetch_factor": 2}, "prefetch_factor option"),
        (range(5), {"persistent_workers": True}, "needs num_workers > 0"),
        (range(5), {"sampler": [1], "shuffle": True}, "mutually exclusive with shuffle"),
        (range(5), {"batch_size": None, "drop_last": True}, "disables auto-batching"),
        (range(5), {"batch_sampler": [[1]], "batch_size": 2}, "mutually exclusive with batch_size"),
        (range(5), {"multiprocessing_context": "spawn"}, "only be used with multi-process"),
        (range(5), {"num_workers": 1, "multiprocessing_context": "x"}, "valid start method"),
        (range(5), {"batch_size": 0}, "positive integer"),
        (range(5), {"batch_size": 2.0}, "positive integer"),
        (Stream(), {"shuffle": True}, "unspecified shuffle option"),
        (Stream(), {"sampler": [1]}, "unspecified sampler option"),
        (Stream(), {"batch_sampler": [[1]]}, "unspecified batch_sampler option"),
    ],
)
def test_arguments(dataset, arguments, text):
    with pytest.raises(ValueError, match=text):
        DataLoader(dataset, **arguments)


def test_a_loader_shows_its_samplers_and_keeps_them():
    loader = DataLoader(range(5), batch_size=2)
    assert type(loader.sampler).__name__ == "SequentialSampler"
    assert list(loader.batch_sampler) == [[0, 1], [2, 3], [4]]
    assert len(iter(loader)) == len(loader) == 3
    with pytest.raises(ValueError, match="should not be set"):
        loader.batch_size = 3
    assert type(DataLoader(range(5), shuffle=True).sampler).__name__ == "RandomSampler"
    assert [b.tolist() for b in DataLoader(range(3), batch_sampler=[[2, 0], [1]])] == [[2, 0], [1]]


class Numbers(Dataset[torch.Tensor]):
    """Return the facts that a worker knows of itself; sample 6 raises."""

    tag = 0

    def __len__(self):
        return 7

    def __getitem__(self, index):
        if index == 6:
            raise KeyError("no such row")
        info = get_worker_info()
        return Pair(torch.tensor([info.id, info.num_workers, index]), os.getpid())


def test_workers_keep_order_and_stay_and_say_which_sample_failed():
    seen = []

    def begin(number, keep=seen):
        keep.append(number)  # in the worker: nothing of it comes back
        Numbers.__len__ = lambda self: number

    loader = DataLoader(
        Numbers(), 2, sampler=range(6), num_workers=2, persistent_workers=True, worker_init_fn=begin,
        prefetch_factor=3, pin_memory=True, timeout=300,
    )  # fmt: skip
    epochs = [list(loader), list(loader)]
    for epoch in epochs:
        assert all(isinstance(batch, Pair) for batch in epoch)
        assert [batch.a.tolist() for batch in epoch] == [
            [[0, 2, 0], [0, 2, 1]],
            [[1, 2, 2], [1, 2, 3]],
            [[0, 2, 4], [0, 2, 5]],
        ]
    processes = [{int(p) for batch in epoch for p in batch.b} for epoch in epochs]
    assert processes[0] == processes[1]
    assert len(processes[0]) == 2
    assert os.getpid() not in processes[0]
    assert not seen
    assert len(Numbers()) == 7
    object.__setattr__(loader, "sampler", None)
    loader.batch_sampler.sampler = range(5, 7)
    with pytest.raises(
        KeyError, match=r"Caught KeyError in DataLoader worker process 0, for sample 6\."
    ) as found:
        list(loader)
    assert "in __getitem__" in str(found.value)
    assert "no such row" in str(found.value)


def test_iterable_datasets_are_read_by_every_worker():
    loader = DataLoader(Stream(), batch_size=2, num_workers=2)
    assert [b.tolist() for b in loader] == [[0, 1], [10, 11], [2], [12, 13], [14, 15]]


def test_what_cannot_be_sent_is_read_here_with_a_warning():
    class Here(Dataset):
        def __init__(self):
            self.rows = (n for n in range(3))

        def __len__(self):
            return 3

        def __getitem__(self, index):
            return next(self.rows)

    with pytest.warns(UserWarning, match="cannot be sent to another process"):
        assert [int(b) for b in DataLoader(Here(), num_workers=1)] == [0, 1, 2]


def test_random_samplers_say_how_many_samples_they_draw():
    from_ten = torch.utils.data.RandomSampler(range(10), replacement=True, num_samples=4)
    assert from_ten.num_samples == len(list(from_ten)) == 4
    assert torch.utils.data.RandomSampler(range(10)).num_samples == 10
