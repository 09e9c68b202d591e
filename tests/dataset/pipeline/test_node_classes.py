"""Rows that wait for `sync_update`, and the classes of steps; what is expected was seen in MindSpore 2.10."""

import numpy as np
import pytest

import msjax.dataset as ds

X = ds.NumpySlicesDataset([1, 2, 3], "x", shuffle=False)


def test_rows_wait():
    seen = []
    data = ds.NumpySlicesDataset(list(range(6)), "x", shuffle=False).sync_wait("step", callback=seen.append)
    steered = data.map(lambda x: x + sum(seen), "x")
    found = []
    for row in steered.create_dict_iterator(1, True):
        found.append(int(row["x"]))
        steered.sync_update("step", data=10)
    assert found == [0, 11, 22, 33, 44, 55]
    assert seen == [10] * 6
    assert steered.is_sync()
    assert not X.is_sync()


def test_several_at_once_and_none():
    data = ds.NumpySlicesDataset(list(range(8)), "x", shuffle=False).batch(2).sync_wait("p", num_batch=2)
    for number, _ in enumerate(data.create_dict_iterator(1, True)):
        if number % 2:
            data.sync_update("p")
    data.disable_sync()
    assert len(list(data.create_dict_iterator(1, True))) == data.get_dataset_size() == 4


def test_batches_are_counted():
    data = ds.GeneratorDataset(lambda: ((i,) for i in range(9)), "x").sync_wait("")
    data = data.batch(3)
    sizes = []
    for row in data.create_dict_iterator(1, True):
        sizes.append(len(row["x"]))
        data.sync_update("")
    assert sizes == [3, 3, 3]


def test_what_must_fail():
    data = X.sync_wait("p")
    for call in (("nope",), ("p", -5), ("p", 0), ("p", 1.5)):
        with pytest.raises(RuntimeError, match="`sync_update`: argument"):
            data.sync_update(*call)
    for call, kind in (
        (("p",), RuntimeError),
        ((1,), TypeError),
        (("q", -1), ValueError),
        (("q", 1, 3), ValueError),
    ):
        with pytest.raises(kind, match="`sync_wait`: argument"):
            data.sync_wait(*call)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("BatchDataset", X.batch(2)),
        ("MapDataset", X.map(lambda x: x, "x")),
        ("RepeatDataset", X.batch(2).repeat(2)),
        ("TakeDataset", X.take(1)),
        ("SyncWaitDataset", X.sync_wait("a")),
        ("ConcatDataset", X + X),
        ("SourceDataset", X),
    ],
)
def test_classes(name, data):
    assert isinstance(data, getattr(ds, name))
    assert isinstance(data, ds.Dataset)
    assert not isinstance(data, ds.ShuffleDataset)
    assert len(data.children) == {"SourceDataset": 0, "ConcatDataset": 2}.get(name, 1)


def test_made_by_their_names():
    assert [row[0].tolist() for row in ds.BatchDataset(X, 2).create_tuple_iterator(output_numpy=True)] == [
        [1, 2],
        [3],
    ]
    assert ds.RepeatDataset(X, 2).get_dataset_size() == 6


def test_buckets_are_padded_to_their_longest_rows() -> None:
    rows = ds.GeneratorDataset([np.arange(n, dtype=np.int32) for n in (2, 1, 3)], "x", shuffle=False)
    batches = rows.bucket_batch_by_length(["x"], [2, 4], [1, 2, 1]).create_tuple_iterator(
        num_epochs=1, output_numpy=True
    )
    assert [one[0].tolist() for one in batches] == [[[0]], [[0, 1, 0], [0, 1, 2]]]
