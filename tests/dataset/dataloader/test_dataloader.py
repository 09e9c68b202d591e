"""`dataset.dataloader` against MindSpore's: batches, orders, errors; and workers."""

import importlib.util
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from msjax.dataset.dataloader import (
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    get_worker_info,
)
from msjax.public_api import import_hook

GOLDENS = Path(__file__).parents[2] / "goldens"
WANTED = json.loads((GOLDENS / "dataloader.json").read_text())


@pytest.fixture(scope="module")
def cases():
    with import_hook.install_as("mindspore"):
        spec = importlib.util.spec_from_file_location("dataloader_cases", GOLDENS / "dataloader_cases.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


@pytest.mark.parametrize("case", sorted(WANTED))
def test_as_mindspore(case, cases):
    assert json.loads(json.dumps(cases.outcome(case))) == WANTED[case]


class Waits(Dataset):
    """Its first sample waits for a file."""

    def __init__(self, file):
        self.file = file

    def __getitem__(self, index):
        while index == 0 and not self.file.exists():
            time.sleep(0.01)
        return index

    def __len__(self):
        return 4


class Marked(IterableDataset):
    """Gives its mark, the process, and random numbers."""

    mark = 0

    def __iter__(self):
        yield self.mark, os.getpid(), np.random.randint(10**6), random.randrange(10**6)  # noqa: NPY002


def test_what_is_ready_comes_first_if_order_does_not_matter(tmp_path):
    file = tmp_path / "file"
    batches = iter(DataLoader(Waits(file), num_workers=2, in_order=False))
    first = int(next(batches))
    file.touch()
    assert (first, sorted(int(x) for x in batches)) == (1, [0, 2, 3])


def test_an_epoch_that_is_left_early():
    loader = DataLoader(range(20), num_workers=2, persistent_workers=True)
    assert int(next(iter(loader))) == 0
    assert [int(x) for x in loader] == list(range(20))


def test_a_worker_that_is_late(tmp_path):
    with pytest.raises(RuntimeError, match=r"worker 0 had no batch after 0\.01 seconds"):
        list(DataLoader(Waits(tmp_path / "never"), num_workers=1, timeout=0.01))


def test_workers_are_processes_with_datasets_and_seeds_of_their_own():
    def start(number):
        info = get_worker_info()
        assert (info.id, info.num_workers) == (number, 2)
        info.dataset.mark += 10 + number

    def unlike(samples):
        return samples

    data = Marked()
    loader = DataLoader(
        data, num_workers=2, worker_init_fn=start, persistent_workers=True, collate_fn=unlike,
        generator=np.random.default_rng(3),
    )  # fmt: skip
    first, second = (sorted(sample for batch in loader for sample in batch) for _ in range(2))
    assert [one[0] for one in first] == [one[0] for one in second] == [10, 11]  # started once
    assert [one[1] for one in first] == [one[1] for one in second]  # the same processes
    assert os.getpid() not in {one[1] for one in first}
    assert [one[2:] for one in first] == SEEDED
    assert data.mark == 0
    assert get_worker_info() is None


SEEDED = [  # what MindSpore's workers draw with this generator
    (456420, 935266),
    (209504, 599894),
]


def test_a_worker_that_fails_names_what_and_where():
    def start(number):
        if number == 0:
            raise KeyError("never")

    with pytest.raises(
        RuntimeError, match=r"worker 0 failed with KeyError: 'never' \(.*test_dataloader"
    ) as caught:
        list(DataLoader([1, 2], num_workers=1, worker_init_fn=start))
    assert "In the worker process" in str(caught.value.__cause__)


class Dies(Dataset):
    def __getitem__(self, index):
        if index == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return index

    def __len__(self):
        return 4


def test_a_worker_that_dies_is_told_with_its_batch():
    loader = DataLoader(Dies(), batch_size=2, num_workers=1, persistent_workers=True)
    batches = iter(loader)
    assert next(batches).tolist() == [0, 1]
    with pytest.raises(
        RuntimeError, match=r"worker 0.*ended \(SIGKILL\) while it worked on the batch of \[2, 3\]"
    ):
        next(batches)
    assert next(iter(loader)).tolist() == [0, 1]  # another process


def test_what_cannot_be_sent_is_read_by_threads():
    data = [(threading.Lock(), i) for i in range(3)]
    with pytest.warns(UserWarning, match="cannot be sent to another process"):
        loader = iter(DataLoader(data, num_workers=1, collate_fn=lambda some: some[0][1]))
    assert list(loader) == [0, 1, 2]


def test_epochs_of_samplers_differ():
    sampler = DistributedSampler(range(20), 2, 0)
    first = list(sampler)
    sampler.set_epoch(1)
    assert list(sampler) != first
    with pytest.raises(TypeError, match="epoch"):
        sampler.set_epoch("1")
    assert len(DistributedSampler(range(4))) == 4
    shuffled = RandomSampler(range(50))
    assert list(shuffled) != list(shuffled)
