"""mindspore.experimental.optim and mint.optim against goldens of MindSpore and PyTorch."""

import json
import pathlib

import numpy as np
import pytest
from exp_optim_cases import OPTIMIZERS, SCHEDULERS, case, values

import msjax as ms
from msjax import mint, ops
from msjax.experimental import optim

FOLDER = pathlib.Path(__file__).parent.parent / "goldens"
GOLDEN = {
    name: rows
    for oracle in ("mindspore", "torch")
    for name, rows in json.loads((FOLDER / f"exp_optim_{oracle}.json").read_text()).items()
}


def parameters():
    return [ms.Parameter(ms.Tensor(v), name=f"p{i}") for i, v in enumerate(values()[0])]


@pytest.mark.parametrize(("name", "settings"), OPTIMIZERS, ids=[case(*row) for row in OPTIMIZERS])
def test_steps(name, settings):
    """Six steps; the learning rate changes in between."""
    params, steps = parameters(), values()[1]
    made = getattr(mint.optim, name[5:]) if name.startswith("mint.") else getattr(optim, name)
    optimizer = made(params, **settings)
    for number, gradients in enumerate(steps):
        if number == 3:
            ops.assign(optimizer.param_groups[0]["lr"], ms.Tensor(0.05))
        assert optimizer(tuple(map(ms.Tensor, gradients))) is True
    for p, expected in zip(params, GOLDEN[case(name, settings)], strict=True):
        np.testing.assert_allclose(p.asnumpy(), np.asarray(expected), rtol=3e-5, atol=3e-6)


@pytest.mark.parametrize(("name", "settings"), SCHEDULERS, ids=[case(*row) for row in SCHEDULERS])
def test_schedules(name, settings):
    optimizer = optim.SGD(parameters(), lr=0.1)
    scheduler = getattr(optim.lr_scheduler, name)(optimizer, **settings)
    rates = [float(scheduler.get_last_lr()[0])]
    for _ in range(8):
        scheduler.step()
        rates.append(float(scheduler.get_last_lr()[0]))
    np.testing.assert_allclose(rates, GOLDEN[case(name, settings)], rtol=1e-4, atol=1e-7)


def test_a_compiled_step_does_the_same():
    """Learning rates, also those that a scheduler gives, are no constants of the program."""
    results = []
    for compiled in (False, True):
        params, steps = parameters(), values()[1]
        optimizer = optim.Adam(params, lr=0.1)
        scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)

        def step(*gradients, optimizer=optimizer):
            optimizer(gradients)

        run = ms.jit(step) if compiled else step
        for gradients in steps[:3]:
            run(*map(ms.Tensor, gradients))
            scheduler.step()
        results.append([p.asnumpy() for p in params])
    for eager, of_jit in zip(*results, strict=True):
        np.testing.assert_allclose(eager, of_jit, rtol=1e-6)


def test_groups():
    first, second = parameters()
    optimizer = optim.SGD([{"params": [first], "lr": 0.5}], lr=0.1, momentum=0.9)
    optimizer.add_param_group({"params": second})
    assert [float(g["lr"]) for g in optimizer.param_groups] == [0.5, np.float32(0.1)]
    assert optimizer.group_start_id == [0, 1]
    before = first.asnumpy(), second.asnumpy()
    optimizer((ops.ones_like(first), ops.ones_like(second)))
    np.testing.assert_allclose(before[0] - first.asnumpy(), 0.5, rtol=1e-5)
    np.testing.assert_allclose(before[1] - second.asnumpy(), 0.1, rtol=1e-5)
    assert str(optimizer).splitlines()[:2] == ["SGD (", "Parameter Group 0"]
    assert [p.name for p in optimizer.accum] == ["accum.p0", "accum.p1"]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda p: optim.Adam([]), ValueError, "must not be empty"),
        (lambda p: optim.Adam(3), TypeError, "iterable"),
        (lambda p: optim.Adam([1]), TypeError, "Parameters"),
        (lambda p: optim.Adam([{"param": p}]), KeyError, "params"),
        (lambda p: optim.Adam([*p, *p]), ValueError, "twice"),
        (lambda p: optim.Adam(p, lr=-1.0), ValueError, "lr"),
        (lambda p: optim.Adam(p, lr="a"), TypeError, "lr"),
        (lambda p: optim.Adam(p, betas=(1.0, 2.0)), ValueError, "betas"),
        (lambda p: optim.Adam(p, weight_decay=-1.0), ValueError, "weight_decay"),
        (lambda p: optim.SGD(p, 0.1, nesterov=True), ValueError, "nesterov"),
        (lambda p: optim.Adam(p)((ms.Tensor([1.0]),)), ValueError, "one Tensor for each"),
        (lambda p: optim.lr_scheduler.StepLR(p, 1), TypeError, "optimizer"),
    ],
)
def test_errors(make, error, words):
    with pytest.raises(error, match=words):
        make(parameters())


def test_plateau():
    optimizer = optim.SGD(parameters(), lr=1.0)
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1, cooldown=1)
    rates = []
    for metric in (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5):
        scheduler.step(metric)
        rates.append(float(optimizer.param_groups[0]["lr"]))
    assert rates == [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("kind", [ms.Tensor, float])
def test_a_compiled_function_makes_one_step_of_a_scheduler_in_each_call(kind):
    """However often it is traced; MindSpore 2.10 gives these rates."""
    optimizer = optim.SGD(parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)

    @ms.jit
    def step(metric):
        scheduler.step(metric)
        return optimizer.param_groups[0]["lr"] * 1

    rates = [float(step(kind(metric))) for metric in (1.0, 1.5, 1.8, 0.4, 0.5)]
    np.testing.assert_allclose(rates, [0.1, 0.01, 0.001, 0.001, 0.0001], rtol=1e-6)
    assert scheduler.last_epoch == 5


def test_groups_are_the_callers_own_and_there_is_a_state():
    """As in MindSpore 2.10, which an optimizer inside of another needs."""
    given = [{"params": parameters(), "lr": 0.5}]
    optimizer = optim.SGD(given, lr=1.0, momentum=0.9)
    assert optimizer.param_groups[0] is given[0]
    assert given[0]["momentum"] == 0.9
    assert isinstance(given[0]["lr"], ms.Parameter)
    optimizer.state[optimizer.parameters[0]]["step"] = 1
    assert [optimizer.state[p] for p in optimizer.parameters[:1]] == [{"step": 1}]
