"""Every optimizer against what MindSpore's does, step by step: parameters, slots, names, dtypes, exceptions."""

import builtins
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax as ms

GOLDENS = Path(__file__).parents[2] / "goldens"
sys.path.insert(0, str(GOLDENS))
from packing import unpack  # noqa: E402
from samples_optim import FAILS, SAMPLES, Bench, Sample  # noqa: E402

INDEX = unpack(GOLDENS / "optim.npz")

# Where MindSpore's kernels for the CPU do not compute what its documentation says: they leave `use_nesterov` and
# `update_slots` out of account and take l1 with the wrong sign. test_transforms.py checks these against their formulas.
DEPARTURES = (("Momentum(", "use_nesterov=True"), ("Adagrad(", "update_slots=False"), ("FTRL(", "l1="))
# Its vectorised part, which eight elements reach, adds epsilon after the root instead of before.
EPSILON_OUTSIDE = "RMSProp(learning_rate=0.01,decay=0.5,epsilon=0.1,use_locking=True)"


def _documented(sample: Sample) -> bool:
    return not any(sample.id.startswith(name) and argument in sample.id for name, argument in DEPARTURES)


def _error(sample: Sample) -> str | None:
    return INDEX["samples"][sample.id].get("error")


def _values(parameters: Any) -> list[np.ndarray]:
    return [
        np.asarray(p.asnumpy(), np.float32) if p.dtype == ms.bfloat16 else p.asnumpy() for p in parameters
    ]


def _names(entry: dict) -> list[str]:
    return [name for name, _, _ in entry["parameters"]]


def _tolerance(sample: Sample) -> dict[str, float]:
    if sample.loose:
        return {"rtol": sample.loose, "atol": sample.loose}
    return {"float16": {"rtol": 2e-3, "atol": 2e-3}, "float64": {"rtol": 1e-6, "atol": 1e-7}}.get(
        sample.dtype, {"rtol": 4e-6, "atol": 2e-6}
    )


@pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if _error(s) is None and _documented(s)], ids=lambda s: s.id
)
def test_steps(sample: Sample) -> None:
    entry, expected = INDEX["samples"][sample.id], iter(INDEX["samples"][sample.id]["arrays"])
    bench = Bench(ms, sample.dtype)
    optimizer = sample.make(bench)
    named = list(optimizer.parameters_and_names())
    assert [name for name, _ in named] == entry["names"]
    everything = [p for _, p in named]
    assert [[p.name, list(p.shape), str(p.dtype)] for p in everything] == entry["parameters"]
    assert str(optimizer) == entry["str"]
    tolerance = _tolerance(sample)

    def compare(parameters: list, names: list[str], when: str) -> None:
        for name, value in zip(names, _values(parameters), strict=True):
            wanted = next(expected)
            if sample.id == EPSILON_OUTSIDE and "conv.weight" in name:
                continue
            np.testing.assert_allclose(value, wanted, err_msg=f"{name}, {when}", **tolerance)

    names = _names(entry)
    compare(everything, names, "before the first step")
    for step in range(sample.steps):
        if sample.meanwhile is not None:
            sample.meanwhile(bench, optimizer, step)
        dtype = sample.grad_dtype and getattr(ms, sample.grad_dtype)
        returned = optimizer(bench.gradients(step, dtype, [p.name for p in optimizer.parameters]))
        assert repr(returned) == entry["returns"][step]
        if step in (0, sample.steps - 1):
            compare(everything, names, f"step {step}")
        else:
            compare(bench.p, [p.name for p in bench.p], f"step {step}")
    assert next(expected, None) is None


@pytest.mark.parametrize("name", FAILS)
def test_fails(name: str) -> None:
    kind = INDEX["fails"][name]
    with pytest.raises(getattr(builtins, kind)) as caught:
        FAILS[name](Bench(ms))
    assert type(caught.value).__name__ == kind
    assert len(str(caught.value)) > 20
