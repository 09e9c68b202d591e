"""Event files: what is added, what operators note, what a run is made to tell; read back with TensorBoard's format."""

import glob
import logging
import struct

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn, ops
from msjax import dataset as ds
from msjax.ops.state.summaries import notes
from msjax.train import Model, SummaryCollector, SummaryLandscape, SummaryRecord


def events(folder):
    """All values in a folder: {(tag, step): value message}."""
    from tensorboardX.proto.event_pb2 import Event

    found = {}
    for path in glob.glob(f"{folder}/*tfevents*"):
        with open(path, "rb") as file:
            while head := file.read(12):
                event = Event.FromString(file.read(struct.unpack("<Q", head[:8])[0]))
                file.read(4)
                for value in event.summary.value:
                    found[value.tag, event.step] = value
    return found


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "summary")


def test_values_of_each_kind(folder):
    images = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    with SummaryRecord(folder, export_options={"tensor_format": "npy"}) as record:
        record.add_value("scalar", "loss", Tensor(0.5))
        record.add_value("scalar", "one", Tensor([3]))
        record.add_value("tensor", "a/b", Tensor([[1.0, 2.0]]))
        record.add_value("image", "pictures", Tensor(images))
        record.add_value("histogram", "h", Tensor([1.0, 2.0, 2.0, float("nan")]))
        assert record.record(7)
        record.add_value("scalar", "loss", Tensor(0.25))
        record.add_value("tensor", "dropped", Tensor([1.0]))
        assert record.record(8, plugin_filter=lambda plugin: plugin == "scalar")
        record.flush()
        assert events(folder)["loss", 8].simple_value == 0.25
    found = events(folder)
    assert found["loss", 7].simple_value == 0.5
    assert found["one", 7].simple_value == 3
    assert np.frombuffer(found["a/b", 7].tensor.tensor_content, np.float32).tolist() == [1, 2]
    assert (found["pictures", 7].image.height, found["pictures", 7].image.width) == (4, 10)
    assert (found["h", 7].histo.num, found["h", 7].histo.max) == (3, 2)
    assert ("dropped", 8) not in found
    assert [np.load(path).tolist() for path in glob.glob(f"{folder}/export_*/tensor/a%2Fb_7.npy")] == [
        [[1, 2]]
    ]


class Noting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scalar, self.histogram = ops.ScalarSummary(), ops.HistogramSummary()
        self.dense = nn.Dense(2, 1)

    def construct(self, x):
        self.scalar("mean", x.mean())
        self.histogram("x", x)
        return self.dense(x)


def test_operators_note_while_a_record_is_open(folder):
    net, x = Noting(), Tensor(np.ones((3, 2), np.float32))
    compiled = ms.jit(lambda x: net(x))
    step = ms.jit(ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params()))
    compiled(x)
    assert compiled.programs == 1
    with SummaryRecord(folder) as record:
        for n, fn in enumerate([net, compiled, step, ms.vmap(lambda x: net(x))], 1):
            fn(x * n if n < 4 else x[:, None, :] * n)
            record.record(n)
        record.set_mode("eval")
        net(x)
        record.record(9)
    compiled(x)
    assert not notes.take()
    found = events(folder)
    assert [found["mean", n].simple_value for n in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert found["x", 2].histo.num == 6
    assert ("mean", 9) not in found


def test_networks_are_exported_without_notes(folder, tmp_path):
    net, x = Noting(), ops.ones((3, 2))
    with SummaryRecord(folder) as record:
        ms.export(ms.jit(net), x, file_name=str(tmp_path / "net"), file_format="MINDIR")
        nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(x)
        assert not notes.take()
        net(x)
        record.record(1)
    assert events(folder)["mean", 1].simple_value == 1


def test_without_a_record_programs_call_nothing():
    assert not notes.listening
    ms.jit(Noting())(ops.ones((3, 2)))
    assert not notes.take()


@pytest.mark.parametrize(
    ("error", "op", "args"),
    [
        (TypeError, ops.ScalarSummary, (3, Tensor(1.0))),
        (TypeError, ops.ScalarSummary, ("a", 1.0)),
        (ValueError, ops.ScalarSummary, ("", Tensor(1.0))),
        (ValueError, ops.ScalarSummary, ("a", Tensor([[1.0]]))),
        (ValueError, ops.ImageSummary, ("a", Tensor([[1.0]]))),
        (ValueError, ops.TensorSummary, ("a", Tensor(1.0))),
        (ValueError, ops.HistogramSummary, ("a", Tensor(1.0))),
    ],
)
def test_what_operators_refuse(error, op, args, tmp_path):
    op()(*args)  # nobody looks
    with SummaryRecord(str(tmp_path)), pytest.raises(error, match=op.__name__):
        op()(*args)


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (TypeError, {"log_dir": 3}),
        (TypeError, {"file_prefix": 3}),
        (ValueError, {"file_prefix": "a b"}),
        (ValueError, {"file_suffix": "/"}),
        (TypeError, {"max_file_size": "3"}),
        (TypeError, {"raise_exception": 3}),
        (TypeError, {"export_options": 3}),
        (ValueError, {"export_options": {"a": "b"}}),
        (ValueError, {"export_options": {"tensor_format": "b"}}),
    ],
)
def test_what_a_record_refuses(error, options, folder):
    with pytest.raises(error):
        SummaryRecord(**{"log_dir": folder, **options})
    assert SummaryRecord.count == 0


def test_values_that_are_refused(folder):
    with SummaryRecord(folder) as record:
        for error, *args in [
            (ValueError, "other", "a", Tensor(1.0)),
            (NotImplementedError, "graph", "a", b""),
            (ValueError, "scalar", "", Tensor(1.0)),
            (ValueError, "scalar", 3, Tensor(1.0)),
            (TypeError, "scalar", "a", 3.0),
            (ValueError, "scalar", "a", Tensor([1.0, 2.0])),
            (ValueError, "image", "a", Tensor([1.0])),
            (ValueError, "histogram", "a", Tensor(1.0)),
            (ValueError, "tensor", "a", Tensor(1.0)),
        ]:
            with pytest.raises(error):
                record.add_value(*args)
        with pytest.raises(TypeError, match="step"):
            record.record("1")
        with pytest.raises(TypeError, match="train_network"):
            record.record(1, train_network=3)
        with pytest.raises(ValueError, match="mode"):
            record.set_mode("other")
        with pytest.raises(RuntimeError, match="only one"):
            SummaryRecord(folder)
    with pytest.raises(ValueError, match="closed"):
        record.__enter__()
    record.close()
    assert record.record(1) is False
    assert SummaryRecord.count == 0


def test_files_that_may_not_grow(folder, caplog):
    value = Tensor(np.zeros(100, np.float32))
    for raises in (False, True):
        with SummaryRecord(folder, max_file_size=200, raise_exception=raises) as record:
            record.add_value("tensor", "a", value)
            if raises:
                with pytest.raises(RuntimeError, match="max_file_size"):
                    record.record(1)
            else:
                with caplog.at_level(logging.ERROR):
                    assert record.record(1)
                assert "max_file_size" in caplog.text


def test_a_run_with_a_collector(folder):
    columns = {
        "x": np.random.default_rng(0).random((8, 1, 4, 4)).astype(np.float32),
        "y": np.zeros((8, 1), np.float32),
    }
    data = ds.NumpySlicesDataset(columns, shuffle=False).batch(2)
    net = nn.SequentialCell(nn.Flatten(), nn.Dense(16, 1))
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.5))
    collector = SummaryCollector(
        folder, collect_freq=2, collect_specified_data={"histogram_regular": ".*weight"}
    )
    model.train(1, data, callbacks=[collector])
    found = events(folder)
    assert {step for _, step in found} == {1, 2, 4}
    tags = {tag for tag, _ in found}
    assert tags == {"loss/auto", "learning_rate/auto", "input_data/auto", "1.weight/auto"}
    assert found["learning_rate/auto", 2].simple_value == 0.5
    with pytest.raises(RuntimeError, match="only one"):
        model.train(1, data, callbacks=[collector, SummaryCollector(folder)])


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (TypeError, {"summary_dir": 3}),
        (ValueError, {"collect_freq": 0}),
        (TypeError, {"collect_freq": 1.5}),
        (ValueError, {"max_file_size": 0}),
        (ValueError, {"collect_specified_data": {"other": True}}),
        (TypeError, {"collect_specified_data": {"collect_metric": 1}}),
        (NotImplementedError, {"collect_specified_data": {"collect_landscape": {"unit": "step"}}}),
        (TypeError, {"keep_default_action": 1}),
    ],
)
def test_what_a_collector_refuses(error, options, folder):
    with pytest.raises(error):
        SummaryCollector(**{"summary_dir": folder, **options})
    with pytest.raises(NotImplementedError):
        SummaryLandscape(folder)
