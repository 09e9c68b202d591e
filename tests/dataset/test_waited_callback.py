"""Callbacks of a `map` that wait for the training: the order of events is MindSpore's."""

from typing import Any

import pytest

import msjax as ms
import msjax.dataset as ds
from msjax import nn


class Waits(ds.WaitedDSCallback):
    def __init__(self, events: list[str], step_size: int = 1) -> None:
        super().__init__(step_size)
        self.events = events

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        self.events.append(f"epoch {ds_run_context.cur_epoch_num} after row {ds_run_context.cur_step_num}")

    def sync_step_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        trained = train_run_context.original_args().cur_step_num
        self.events.append(f"row {ds_run_context.cur_step_num} after step {trained}")


class WaitsForEpochs(Waits):
    sync_step_begin = ds.WaitedDSCallback.sync_step_begin


class Trains(ms.Callback):
    def __init__(self, events: list[str]) -> None:
        self.events = events

    def step_end(self, run_context: Any) -> None:
        self.events.append(f"step {run_context.original_args().cur_step_num}")

    def epoch_end(self, run_context: Any) -> None:
        self.events.append(f"end {run_context.original_args().cur_epoch_num}")


class Net(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x


@pytest.fixture(autouse=True)
def timeout() -> Any:
    yield
    ds.config.set_callback_timeout(60)


WHOLE = "step 1|row 2 after step 1|step 2|end 1|epoch 2 after row 2|row 3 after step 2|step 3|row 4 after step 3|step 4|end 2"  # noqa: E501


@pytest.mark.parametrize(
    ("kind", "size", "wanted"),
    [
        (
            Waits,
            1,
            WHOLE,
        ),
        (WaitsForEpochs, 1, "step 1|step 2|end 1|epoch 2 after row 2|step 3|step 4|end 2"),
        (Waits, 2, "step 1|end 1|epoch 2 after row 2|row 3 after step 1|step 2|end 2"),
    ],
)
def test_the_pipeline_waits_for_the_training(kind: type[Waits], size: int, wanted: str) -> None:
    events: list[str] = []
    waits = kind(events, size)
    data = ds.NumpySlicesDataset(([1.0, 2.0], [3.0, 4.0]), ["x", "y"], shuffle=False)
    data = data.map(lambda x: x, callbacks=waits).batch(size)
    ms.train.Model(Net()).train(2, data, dataset_sink_mode=False, callbacks=[Trains(events), waits])
    assert events == wanted.split("|")


def test_without_a_training_it_ends() -> None:
    ds.config.set_callback_timeout(timeout=1)
    assert ds.config.get_callback_timeout() == 1
    data = ds.NumpySlicesDataset([1.0, 2.0], "x", shuffle=False).map(lambda x: x, callbacks=Waits([]))
    with pytest.raises(RuntimeError, match="`Waits`: the training has not ended its step within 1 s"):
        list(data.create_tuple_iterator(num_epochs=1))


@pytest.mark.parametrize(("size", "error"), [(0, ValueError), ("1", TypeError), (1.5, TypeError)])
def test_step_sizes(size: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="argument `step_size` must be"):
        Waits([], size)
