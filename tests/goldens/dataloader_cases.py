"""Programs with data loaders."""

import collections

import numpy as np
from mindspore import Tensor
from mindspore.dataset.dataloader import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
)

Point = collections.namedtuple("Point", "x y")


class Parts(IterableDataset):
    """Ten numbers, of which each worker has its part."""

    def __iter__(self):
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, 10, step))

    def __len__(self):
        return 10


def rng():
    return np.random.default_rng(3)


PAIRS = [(np.float32(i), [i, float(i)], {"name": str(i), "x": np.arange(i, i + 2)}) for i in range(5)]
CASES = {
    "collate numbers": lambda: [default_collate(b) for b in ([1, 2], [1.5, 2], [True, False], [np.int32(1), np.int32(2)])],
    "collate floats": lambda: [default_collate(b) for b in ([np.float64(1), np.float64(2)], [np.bool_(True)], [np.float16(1)])],
    "collate arrays": lambda: [default_collate([np.ones((2,), t), np.zeros((2,), t)]) for t in ("float32", "float64", "int8", "bool")],
    "collate tensors": lambda: default_collate([Tensor([1, 2]), Tensor([3, 4])]),
    "collate nested": lambda: default_collate(PAIRS),
    "collate named": lambda: default_collate([Point(1, 2.0), Point(3, 4.0)]),
    "collate bytes": lambda: default_collate([b"a", b"b"]),
    "collate ordered": lambda: default_collate([collections.OrderedDict(b=1, a=2), collections.OrderedDict(b=3, a=4)]),
    "convert": lambda: [default_convert(d) for d in PAIRS],
    "convert more": lambda: default_convert([1, 2.5, "a", b"b", None, np.float32(1), Point(np.ones(1), 2), np.array(["a"])]),
    "map": lambda: list(DataLoader(PAIRS, batch_size=2)),
    "map alone": lambda: list(DataLoader(PAIRS, batch_size=None)),
    "map drop": lambda: list(DataLoader(range(5), batch_size=2, drop_last=True)),
    "map workers": lambda: list(DataLoader(PAIRS, batch_size=2, num_workers=2)),
    "map shuffled": lambda: list(DataLoader(range(9), 4, True, generator=rng())),
    "map sampler": lambda: list(DataLoader(range(9), 2, sampler=[3, 1, 8])),
    "map batches": lambda: list(DataLoader(range(9), batch_sampler=[[3, 1], [8]])),
    "map collate": lambda: list(DataLoader(range(5), 2, collate_fn=sum)),
    "lengths": lambda: [len(DataLoader(d, b, drop_last=drop)) for d in (range(10), Parts()) for b in (3, 5) for drop in (True, False)],
    "iterable": lambda: list(DataLoader(Parts(), batch_size=4)),
    "iterable alone": lambda: list(DataLoader(Parts(), batch_size=None)),
    "iterable drop": lambda: list(DataLoader(Parts(), batch_size=4, drop_last=True)),
    "iterable workers": lambda: list(DataLoader(Parts(), batch_size=2, num_workers=2)),
    "iterable persistent": lambda: [list(loader) for loader in [DataLoader(Parts(), 3, num_workers=2, persistent_workers=True)] * 2],
    "iterable drop workers": lambda: list(DataLoader(Parts(), batch_size=2, num_workers=2, drop_last=True)),
    "random": lambda: list(RandomSampler(range(10), generator=rng())),
    "random more": lambda: list(RandomSampler(range(4), num_samples=10, generator=rng())),
    "random again": lambda: list(RandomSampler(range(4), True, 70, rng())),
    "random seeded": lambda: (np.random.seed(3), list(RandomSampler(range(10))))[1],
    "distributed": lambda: [list(DistributedSampler(range(7), 3, r, drop_last=drop)) for r in range(3) for drop in (False, True)],
    "distributed few": lambda: [list(DistributedSampler(range(2), 5, r, shuffle=False)) for r in range(5)],
    "tensors": lambda: list(DataLoader(TensorDataset(Tensor([[1, 2], [3, 4], [5, 6]]), Tensor([1.0, 2.0, 3.0])), 2)),
    "no type": lambda: default_collate([object()]),
    "no strings": lambda: default_collate([np.array(["a"])]),
    "ragged": lambda: default_collate([[1], [1, 2]]),
    "ragged arrays": lambda: default_collate([np.ones(1), np.ones(2)]),
    "no dataset": lambda: DataLoader(3),
    "not implemented": lambda: list(DataLoader(IterableDataset())),
    "batch size": lambda: DataLoader([1], 0),
    "batch size type": lambda: DataLoader([1], True),
    "shuffle type": lambda: DataLoader([1], shuffle=1),
    "shuffle and sampler": lambda: DataLoader([1], shuffle=True, sampler=[0]),
    "shuffle iterable": lambda: DataLoader(Parts(), shuffle=True),
    "sampler iterable": lambda: DataLoader(Parts(), sampler=[0]),
    "two batches": lambda: DataLoader([1], 2, batch_sampler=[[0]]),
    "workers": lambda: DataLoader([1], num_workers=-1),
    "prefetch": lambda: DataLoader([1], prefetch_factor=2),
    "persistent": lambda: DataLoader([1], persistent_workers=True),
    "context": lambda: DataLoader([1], multiprocessing_context="fork"),
    "context type": lambda: DataLoader([1], num_workers=1, multiprocessing_context=3),
    "timeout": lambda: DataLoader([1], timeout=-1),
    "timeout type": lambda: DataLoader([1], timeout="1"),
    "generator": lambda: DataLoader([1], generator=3),
    "samples": lambda: RandomSampler([1], num_samples=0),
    "replacement": lambda: RandomSampler([1], 1),
    "batch sampler": lambda: BatchSampler([1], 0, False),
    "rank": lambda: DistributedSampler([1], 2, 2),
    "worker fails": lambda: list(DataLoader([1], sampler=[5], num_workers=1)),
    "fails": lambda: list(DataLoader([1], sampler=[5])),
    "tensors differ": lambda: TensorDataset(Tensor([1]), Tensor([1, 2])),
}


def shown(value):
    """Return what tells results apart: nesting, types, dtypes, values."""
    if isinstance(value, Tensor):
        return ["Tensor", str(value.dtype), value.asnumpy().tolist()]
    if isinstance(value, dict):
        return [type(value).__name__, {key: shown(part) for key, part in value.items()}]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [shown(part) for part in value]]
    return repr(value)


def outcome(case):
    """Return the result of a case, or the type of what it raises."""
    try:
        return shown(CASES[case]())
    except Exception as error:
        return ["raises", type(error).__name__]


def outcomes():
    return {case: outcome(case) for case in sorted(CASES)}
