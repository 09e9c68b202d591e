"""`dataset.dataloader` against MindSpore's: batches, orders, errors; and workers."""

import importlib.util
import json
import time
from pathlib import Path

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


class Slow(Dataset):
    """Its first sample takes a while."""

    def __getitem__(self, index):
        time.sleep(0.2 if index == 0 else 0)
        return index

    def __len__(self):
        return 4


def test_without_order_what_is_ready_comes_first():
    numbers = [int(x) for x in DataLoader(Slow(), num_workers=2, in_order=False)]
    assert sorted(numbers) == [0, 1, 2, 3]
    assert numbers[0] == 1
    assert [int(x) for x in DataLoader(Slow(), num_workers=2)] == [0, 1, 2, 3]


def test_a_worker_that_is_late():
    with pytest.raises(RuntimeError, match=r"worker 0 had no batch after 0\.01 seconds"):
        list(DataLoader(Slow(), num_workers=1, timeout=0.01))


class Marked(IterableDataset):
    mark = 0

    def __iter__(self):
        return iter([self.mark])


def test_workers_have_datasets_of_their_own():
    def start(number):
        info = get_worker_info()
        assert (info.id, info.num_workers) == (number, 2)
        info.dataset.mark += 10 + number

    data = Marked()
    loader = DataLoader(data, num_workers=2, worker_init_fn=start, persistent_workers=True)
    for _ in range(2):  # started once
        assert sorted(int(x) for x in loader) == [10, 11]
    assert data.mark == 0
    assert get_worker_info() is None


def test_a_worker_that_cannot_start():
    with pytest.raises(RuntimeError, match=r"worker 0 failed with ZeroDivisionError"):
        list(DataLoader([1, 2], num_workers=1, worker_init_fn=lambda n: 1 / n))


def test_an_epoch_that_is_left_early():
    loader = DataLoader(range(100), num_workers=2, persistent_workers=True)
    assert int(next(iter(loader))) == 0
    assert [int(x) for x in loader] == list(range(100))


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
