"""Learning rate schedules against MindSpore's."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import msjax as ms

GOLDENS = Path(__file__).parents[2] / "goldens"
sys.path.insert(0, str(GOLDENS))
import samples_lr as samples  # noqa: E402

GOLDEN = json.loads((GOLDENS / "lr.json").read_text())


def ids(case: tuple) -> str:
    return samples.key(*case)


@pytest.mark.parametrize("case", samples.SCHEDULES, ids=ids)
@pytest.mark.parametrize("compiled", [False, True])
def test_schedules(case: tuple, compiled: bool, strict_promotion: None) -> None:
    expected = GOLDEN["schedules"][samples.key(*case)]
    schedule = samples.made(ms, *case)
    call = ms.jit(schedule) if compiled else schedule
    rates = [call(ms.Tensor(step, ms.int32)) for step in samples.STEPS]
    np.testing.assert_allclose([float(r) for r in rates], expected["values"], rtol=2e-6, atol=1e-8)
    assert [str(rates[0].dtype), list(rates[0].shape)] == [expected["dtype"], expected["shape"]]
    vector = call(ms.Tensor([3], ms.int32))
    assert list(vector.shape) == expected["vector"][0]
    np.testing.assert_allclose(vector.asnumpy(), expected["vector"][1], rtol=2e-6)
    assert str(schedule) == expected["str"]


@pytest.mark.parametrize("case", samples.LISTS, ids=ids)
def test_lists(case: tuple) -> None:
    found = samples.made(ms, *case)
    assert found == pytest.approx(GOLDEN["lists"][samples.key(*case)], rel=1e-12, abs=1e-15)
    assert all(type(rate) is float for rate in found)


@pytest.mark.parametrize("case", samples.FAILS, ids=ids)
def test_fails(case: tuple) -> None:
    expected = GOLDEN["fails"][samples.key(*case)]
    if expected is None:
        samples.made(ms, *case)
        return
    error = {"TypeError": TypeError, "ValueError": ValueError}[expected]
    with pytest.raises(error, match=f"`{case[0]}`.*Received") as caught:
        samples.made(ms, *case)
    assert type(caught.value) is error


def test_base_class_defines_nothing() -> None:
    with pytest.raises(NotImplementedError, match="construct"):
        ms.nn.LearningRateSchedule()(ms.Tensor(0, ms.int32))


@pytest.mark.parametrize("case", samples.SCHEDULES, ids=ids)
def test_an_optimizer_follows_a_schedule(case: tuple) -> None:
    p = ms.Parameter(ms.Tensor([0.0]), name="p")
    optimizer = ms.nn.SGD([p], learning_rate=samples.made(ms, *case))
    for rate in GOLDEN["schedules"][samples.key(*case)]["values"]:
        before = float(p)
        assert float(optimizer.get_lr()) == pytest.approx(rate, rel=1e-5, abs=1e-8)
        optimizer((ms.Tensor([1.0]),))
        assert before - float(p) == pytest.approx(rate, rel=1e-4, abs=1e-6)
