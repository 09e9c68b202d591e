"""Batches for training loops of one's own."""

import numpy as np
import pytest

import msjax as ms
from msjax import nn


def data(batch=2):
    return ms.dataset.NumpySlicesDataset({"x": np.arange(5.0, dtype=np.float32)}, shuffle=False).batch(batch)


def values(batches):
    return [batch[0].asnumpy().tolist() for batch in batches]


def test_epochs():
    helper = ms.DatasetHelper(data(), dataset_sink_mode=False)
    assert helper.sink_size() == 3
    assert helper.types_shapes()[0] == [ms.float32] or helper.types_shapes()[0] == [np.float32]
    for _ in range(2):
        assert values(helper) == [[0, 1], [2, 3], [4]]


def test_sinks():
    helper = ms.DatasetHelper(data(), sink_size=2)
    assert helper.sink_size() == 2
    assert values(helper) == [[0, 1], [2, 3]]
    assert values(helper) == [[4], [0, 1]]
    helper.stop_send()
    assert values(helper) == [[0, 1], [2, 3]]
    net = nn.ReLU()
    assert ms.connect_network_with_dataset(net, helper) is net


def test_data_sink():
    seen = []
    step = ms.data_sink(lambda x: seen.append(x.asnumpy().tolist()) or x.sum(), data(), 2)
    assert float(step()) == 5
    assert float(step()) == 1
    assert seen == [[0, 1], [2, 3], [4], [0, 1]]
    compiled = ms.data_sink(lambda x: x * 2, data(5), jit_config=ms.JitConfig())
    assert compiled().asnumpy().tolist() == [0, 2, 4, 6, 8]


def test_what_is_wrong():
    for call, error in [
        (lambda: ms.DatasetHelper(1), TypeError),
        (lambda: ms.DatasetHelper(data(), 1), TypeError),
        (lambda: ms.DatasetHelper(data(), True, 1.5), TypeError),
        (lambda: ms.DatasetHelper(data(), True, 0), ValueError),
        (lambda: ms.DatasetHelper(data(), True, -1, 0), ValueError),
        (lambda: ms.data_sink(len, data(), 0), ValueError),
        (lambda: ms.connect_network_with_dataset(nn.ReLU(), 1), TypeError),
        (
            lambda: ms.connect_network_with_dataset(nn.ReLU(), ms.DatasetHelper(data(), False)),
            RuntimeError,
        ),
    ]:
        with pytest.raises(error, match="Received"):
            call()
