"""Optimizers as parts of programs: compiled steps, exceptions, gradients, checkpoints, users' own."""

import copy
import gc
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax as ms
from msjax import nn, ops
from msjax.nn.optim import optimizer as module

sys.path.insert(0, str(Path(__file__).parents[2] / "goldens"))
from samples_optim import GROUPS, Bench

MAKERS: dict[str, Any] = {
    "SGD": lambda p: nn.SGD(p, 0.1, momentum=0.9, weight_decay=0.1),
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1, loss_scale=4.0),
    "Adam": lambda p: nn.Adam(p, 0.1),
    "Adam amsgrad": lambda p: nn.Adam(p, 0.1, use_amsgrad=True),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.1),
    "RMSProp": lambda p: nn.RMSProp(p, 0.1, centered=True),
    "Adagrad": lambda p: nn.Adagrad(p, learning_rate=0.1),
    "AdaMax": lambda p: nn.AdaMax(p, 0.1),
    "Adadelta": lambda p: nn.Adadelta(p),
    "FTRL": lambda p: nn.FTRL(p, learning_rate=0.1, l1=0.01),
    "LazyAdam": lambda p: nn.LazyAdam(p, 0.1),
    "ProximalAdagrad": lambda p: nn.ProximalAdagrad(p, learning_rate=0.1, l2=0.1),
    "Rprop": lambda p: nn.Rprop(p),
    "ASGD": lambda p: nn.ASGD(p, t0=1.0),
    "list": lambda p: nn.Momentum(p, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 0.9),
    "schedule": lambda p: nn.Adam(p, nn.CosineDecayLR(0.01, 0.1, 4)),
    "groups": lambda p: nn.Adam([{"params": p[:1], "lr": 0.2}, {"params": p[1:]}], 0.1),
}


def gradients(step: int) -> tuple:
    return Bench(ms).gradients(step)


def contents(optimizer: Any) -> dict[str, np.ndarray]:
    return {p.name: p.asnumpy() for p in optimizer.get_parameters()}


def same(a: dict, b: dict, rtol: float = 0.0) -> None:
    assert list(a) == list(b)
    for name, value in a.items():
        np.testing.assert_allclose(value, b[name], rtol=rtol, atol=rtol * 0.1, err_msg=name)


# ------------------------------------------------------------------------------------------ compiled


@pytest.mark.parametrize("name", MAKERS)
def test_compiled_step_is_the_eager_step(name: str) -> None:
    eager, compiled = MAKERS[name](Bench(ms).p), MAKERS[name](Bench(ms).p)
    call = ms.jit(lambda *g: compiled(g))
    for step in range(4):
        returned = eager(gradients(step))
        assert call(*gradients(step)) == returned
    same(contents(compiled), contents(eager), 2e-5)
    assert int(compiled.global_step) == 4
    assert call.programs == 1


def test_whole_step_in_one_program() -> None:
    def train(compiled: bool) -> tuple[list[float], Any]:
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
        optimizer = nn.Adam(net.trainable_params(), nn.WarmUpLR(0.1, 3), weight_decay=0.01)
        loss = nn.MSELoss()
        grad = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

        def step(x: Any, y: Any) -> Any:
            value, grads = grad(x, y)
            optimizer(grads)
            return value

        call = ms.jit(step) if compiled else step
        rng = np.random.default_rng(0)
        x, y = (ms.Tensor(rng.random(s, np.float32)) for s in ((8, 3), (8, 1)))
        losses = [float(call(x, y)) for _ in range(6)]
        return losses, call

    eager, _ = train(False)
    compiled, call = train(True)
    assert compiled == pytest.approx(eager, rel=1e-5)
    assert eager[-1] < eager[0]
    assert call.programs == 1


def test_graph_mode() -> None:
    eager, graph = MAKERS["Adam"](Bench(ms).p), MAKERS["Adam"](Bench(ms).p)
    eager(gradients(0))
    ms.set_context(mode=ms.GRAPH_MODE)
    graph(gradients(0))
    same(contents(graph), contents(eager), 1e-6)


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_is_compiled_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for another step nor for another learning rate."""
    traces: list[int] = []
    made = module.pure_step.__wrapped__

    def counting(*args: Any) -> Any:
        step = made(*args)

        def counted(*inner: Any) -> Any:
            traces.append(1)
            return step(*inner)

        return counted

    monkeypatch.setattr(module, "pure_step", counting)
    optimizer = MAKERS[name](Bench(ms).p)
    for step in range(4):
        if isinstance(optimizer.learning_rate, ms.Parameter):
            ops.assign(optimizer.learning_rate, ms.Tensor(0.1 * (step + 1)))
        if isinstance(getattr(optimizer, "momentum", None), ms.Parameter):
            ops.assign(optimizer.momentum, ms.Tensor(0.1 * (step + 1)))
        optimizer(gradients(step))
    assert len(traces) == 1


def test_optimizers_of_a_kind_share_their_programs() -> None:
    a, b = nn.Adam(Bench(ms).p, 0.1), nn.Adam(Bench(ms).p, 0.3)
    assert a._step is b._step
    assert nn.Adam(Bench(ms).p, 0.1, beta1=0.8)._step is not a._step


@pytest.mark.parametrize("name", MAKERS)
def test_no_float64_in_the_program(name: str) -> None:
    optimizer = MAKERS[name](Bench(ms).p)
    traced = _program(optimizer, gradients(0))
    assert "f64" not in traced
    assert "float64" not in traced


def _program(optimizer: Any, grads: tuple) -> str:
    from msjax.core.trace import captures, trace

    traced = trace.trace(
        lambda *g: optimizer(g), grads, {}, guess=captures.guess_captures(optimizer.construct)
    )
    return str(traced.closed)


# ------------------------------------------------------------------------------------------ exceptions


def _wrong(kind: str) -> tuple:
    good = gradients(0)
    return {
        "few": good[:2],
        "shape": (*good[:3], ms.Tensor(np.ones(7, np.float32))),
        "dtype": (*good[:3], ms.Tensor(np.ones(2, np.float64))),
        "array": (*good[:3], np.ones(2, np.float32)),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("few", RuntimeError, "one Tensor for each of the 4 Parameters. Received: 2"),
        (
            "shape",
            ValueError,
            r"gradient of Parameter 'bn.gamma' must have its shape \(2,\). Received: \(7,\)",
        ),
        ("dtype", TypeError, "gradient of Parameter 'bn.gamma' must have its dtype Float32.*Float64.*astype"),
        ("array", TypeError, "gradient of Parameter 'bn.gamma' must be a Tensor. Received: ndarray"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_failed_step_changes_nothing(kind: str, error: type, message: str, compiled: bool) -> None:
    optimizer = nn.Adam(Bench(ms).p, 0.1)
    optimizer(gradients(0))
    before = contents(optimizer)
    call = ms.jit(lambda *g: optimizer(g)) if compiled and kind != "array" else (lambda *g: optimizer(g))
    with pytest.raises(error, match=message):
        call(*_wrong(kind))
    same(contents(optimizer), before)
    optimizer(gradients(1))


@pytest.mark.parametrize(
    ("rate", "error"),
    [
        ("0.1", ValueError),
        ([0.1, "a"], ValueError),
        (np.array(0.1), TypeError),
        (None, TypeError),
        (-0.1, ValueError),
    ],
)
def test_a_rate_that_is_no_number_is_refused_by_name(rate: Any, error: type) -> None:
    with pytest.raises(error, match="`SGD`: argument `learning_rate`"):
        nn.SGD(Bench(ms).p, rate)


def test_the_end_of_a_list_of_rates_changes_nothing() -> None:
    optimizer = nn.Momentum(Bench(ms).p, [0.1, 0.2], 0.9)
    for step in range(2):
        optimizer(gradients(step))
    before = contents(optimizer)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="list of learning rates has 2 elements, and 2 steps"):
            optimizer(gradients(2))
    same(contents(optimizer), before)
    optimizer.global_step.set_data(ms.Tensor(np.zeros(1, np.int32)))
    optimizer(gradients(2))
    assert int(optimizer.global_step) == 1


def test_compiled_the_last_rate_goes_on() -> None:
    p = ms.Parameter(ms.Tensor([0.0]), name="p")
    optimizer = nn.SGD([p], [0.5, 0.25])
    call = ms.jit(lambda g: optimizer((g,)))
    for _ in range(4):
        call(ms.Tensor([1.0]))
    assert float(p) == -(0.5 + 0.25 * 3)


def test_an_interrupt_waits_until_all_is_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background processes
    optimizer = nn.Adam(Bench(ms).p, 0.1)
    expected = nn.Adam(Bench(ms).p, 0.1)
    expected(gradients(0))
    assign, calls = ms.Parameter._assign, []

    def interrupted(self: Any, *args: Any) -> Any:
        calls.append(self)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return assign(self, *args)

    monkeypatch.setattr(ms.Parameter, "_assign", interrupted)
    with pytest.raises(KeyboardInterrupt):
        optimizer(gradients(0))
    monkeypatch.undo()
    same(contents(optimizer), contents(expected))


def test_an_exception_in_a_users_schedule_changes_nothing() -> None:
    class Failing(nn.LearningRateSchedule):
        def construct(self, global_step: Any) -> Any:
            raise ArithmeticError("no rate")

    optimizer = nn.Momentum(Bench(ms).p, Failing(), 0.9)
    before = contents(optimizer)
    with pytest.raises(ArithmeticError, match="no rate"):
        optimizer(gradients(0))
    same(contents(optimizer), before)


# ------------------------------------------------------------------------------------------ beside gradients


def test_updates_are_not_recorded() -> None:
    p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
    optimizer = nn.SGD([p], 0.5)

    def f(x: Any) -> Any:
        y = (x * p).sum()
        optimizer((x,))
        return y + p.sum() * 0.0

    x = ms.Tensor([3.0, 4.0])
    value, (dx, dp) = ms.value_and_grad(f, 0, [p])(x)
    assert float(value) == 11.0
    np.testing.assert_allclose(dx.asnumpy(), [1.0, 2.0])
    np.testing.assert_allclose(p.asnumpy(), [-0.5, 0.0])
    assert dp[0].shape == (2,) if isinstance(dp, tuple) else dp.shape == (2,)


def test_enable_grad_and_mixed_precision_around_a_step_do_not_count() -> None:
    from msjax.nn.cell.precision import compute_operators_in

    plain, other = MAKERS["Adam"](Bench(ms).p), MAKERS["Adam"](Bench(ms).p)
    plain(gradients(0))
    with ms.enable_grad(), compute_operators_in(ms.float16):
        other(gradients(0))
    same(contents(other), contents(plain))


def test_frozen_parameters_stay_out() -> None:
    net = nn.Dense(2, 2)
    net.bias.requires_grad = False
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    assert [p.name for p in optimizer.parameters] == ["weight"]


def test_two_threads_with_optimizers_of_their_own() -> None:
    found: dict[int, Any] = {}

    def work(i: int) -> None:
        optimizer = MAKERS["Adam"](Bench(ms).p)
        for step in range(5):
            optimizer(gradients(step))
        found[i] = contents(optimizer)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(found[0], found[1])


# ------------------------------------------------------------------------------------------ checkpoints


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("compiled", [False, True])
def test_training_goes_on_from_a_checkpoint(tmp_path: Path, name: str, compiled: bool) -> None:
    path = str(tmp_path / "a.ckpt")
    first, second = MAKERS[name](Bench(ms).p), MAKERS[name](Bench(ms).p)
    for step in range(3):
        first(gradients(step))
    ms.save_checkpoint(first, path)
    assert ms.load_param_into_net(second, ms.load_checkpoint(path)) == ([], [])
    call = ms.jit(lambda *g: second(g)) if compiled else (lambda *g: second(g))
    for step in range(3, 5):
        first(gradients(step))
        call(*gradients(step))
    same(contents(second), contents(first), 1e-5 if compiled else 0.0)


def test_state_dict_and_copies() -> None:
    optimizer = MAKERS["Adam"](Bench(ms).p)
    optimizer(gradients(0))
    before = contents(optimizer)
    twin = copy.deepcopy(optimizer)
    optimizer(gradients(1))
    same(contents(twin), before)
    twin(gradients(1))
    same(contents(twin), contents(optimizer))


def test_an_optimizer_can_be_collected() -> None:
    import weakref

    optimizer = MAKERS["schedule"](Bench(ms).p)
    optimizer(gradients(0))
    gone = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert gone() is None


# ------------------------------------------------------------------------------------------ users' own


class Own(nn.Optimizer):
    """Momentum as a user writes it, of the base's parts."""

    def __init__(self, params: Any, learning_rate: Any, momentum: float = 0.9, **options: Any) -> None:
        super().__init__(learning_rate, params, **options)
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self.u = momentum

    def construct(self, gradients: Any) -> Any:
        gradients = self.flatten_gradients(gradients)
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        gradients = self.scale_grad(gradients)
        rates = self.get_lr()
        for i, (p, v, g) in enumerate(zip(self.parameters, self.moments, gradients, strict=True)):
            rate = rates[i] if isinstance(rates, tuple) else rates
            ops.assign(v, v * self.u + g)
            ops.assign(p, p - rate * v)
        ops.assign(self.global_step, self.global_step + 1)
        return True


@pytest.mark.parametrize("group", [None, *GROUPS])
def test_users_own_momentum(group: str | None) -> None:
    ours, theirs = Bench(ms), Bench(ms)
    options = {"weight_decay": 0.2, "loss_scale": 4.0}
    own = Own(GROUPS[group](ours) if group else ours.p, 0.1, **options)
    given = nn.Momentum(GROUPS[group](theirs) if group else theirs.p, 0.1, 0.9, **options)
    for step in range(3):
        order = [p.name for p in own.parameters]
        own(ours.gradients(step, order=order))
        given(theirs.gradients(step, order=order))
    for a, b in zip(ours.p, theirs.p, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)
    assert [p.name for p in own.moments] == [p.name for p in given.moments]


def test_centralization_where_the_second_axis_is_a_multiple_of_16() -> None:
    shapes = ((2, 16, 1, 2), (2, 32), (2, 3, 2, 2), (16,))
    weights = [ms.Parameter(np.zeros(shape, np.float32), name=str(shape)) for shape in shapes]
    grads = [np.arange(np.prod(shape)).reshape(shape).astype(np.float32) for shape in shapes]
    nn.SGD([{"params": weights, "grad_centralization": True}], 1.0)(tuple(map(ms.Tensor, grads)))
    for weight, grad in zip(weights, grads, strict=True):
        mean = grad.reshape(2, -1).mean(1).reshape(-1, *[1] * (grad.ndim - 1))
        expected = mean - grad if grad.ndim > 1 and grad.shape[1] % 16 == 0 else -grad
        np.testing.assert_allclose(weight.asnumpy(), expected, rtol=1e-6)


def test_attributes() -> None:
    bench = Bench(ms)
    optimizer = nn.Momentum(bench.p, 0.1, 0.9, weight_decay=0.5, loss_scale=4.0)
    assert (float(optimizer.get_lr()), optimizer.get_lr() is optimizer.learning_rate) == (
        pytest.approx(0.1),
        True,
    )
    assert float(optimizer.get_weight_decay()) == 2.0
    assert optimizer.decay_flags == (True, True, True, False)
    assert (optimizer.loss_scale, float(optimizer.reciprocal_scale), optimizer.need_scale) == (
        4.0,
        0.25,
        True,
    )
    assert (optimizer.unique, optimizer.target) == (True, ms.get_context("device_target"))
    optimizer.unique = False
    assert optimizer.unique is False
    assert optimizer.get_lr_parameter(bench.p) == [optimizer.learning_rate] * 4
    assert optimizer.broadcast_params(True) is optimizer.parameters
    assert isinstance(optimizer.parameters, ms.ParameterTuple)


def test_parameters_without_names_get_numbers() -> None:
    p = [ms.Parameter(ms.Tensor([1.0])), ms.Parameter(ms.Tensor([2.0]))]
    optimizer = nn.Momentum(p, 0.1, 0.9)
    assert [q.name for q in optimizer.moments] == ["moments.Parameter$1", "moments.Parameter$2"]


class _FromOutside(nn.Optimizer):
    """An optimizer as published networks write them: with the names that MindSpore's base class has inside."""

    def __init__(self, params: list, learning_rate: object, weight_decay: float = 0.0) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.moments = self._parameters.clone(prefix="moments", init="zeros")

    def get_lr(self) -> ms.Tensor:
        rate = self.learning_rate
        if self.dynamic_lr:
            rate = self.learning_rate(self.global_step).reshape(())
        if self._is_dynamic_lr_or_weight_decay():
            self.assignadd(self.global_step, self.global_step_increase_tensor)
        return rate

    @ms.jit
    def construct(self, gradients: tuple) -> bool:
        gradients = self._grad_sparse_indices_deduplicate(self.flatten_gradients(gradients))
        rate, decay = self.get_lr(), self.get_weight_decay()
        for i, flag in enumerate(self.decay_flags):
            if self.optim_filter[i] and not self.use_parallel:
                moment = 0.5 * self.moments[i] + gradients[i]
                ops.assign(self.moments[i], moment)
                change = moment + decay * self._parameters[i] if flag else moment
                ops.assign(self._parameters[i], self._parameters[i] - rate * change)
        return True


@pytest.mark.parametrize("rates", [0.5, [0.5, 0.25]])
def test_what_optimizers_from_outside_use(rates: object) -> None:
    weight, beta = (ms.Parameter(ms.Tensor([1.0]), name=name) for name in ("weight", "beta"))
    optimizer = _FromOutside([weight, beta], rates, weight_decay=0.5)
    assert optimizer.decay_flags == _FromOutside([weight, beta], rates).decay_flags == (True, False)
    assert optimizer.dynamic_decay_flags is False
    expected = [1.0, 1.0]
    moment = 0.0
    for step in range(2):
        optimizer((ms.Tensor([1.0]), ms.Tensor([1.0])))
        rate = rates[step] if isinstance(rates, list) else rates
        moment = 0.5 * moment + 1.0
        expected = [expected[0] - rate * (moment + 0.5 * expected[0]), expected[1] - rate * moment]
    assert [float(weight), float(beta)] == pytest.approx(expected)
    assert int(optimizer.global_step) == (2 if isinstance(rates, list) else 0)


@pytest.mark.parametrize("compiled", [False, True])
def test_momentum_that_comes_later_and_goes_again(compiled: bool) -> None:
    # Without momentum neither slot is in the program, so the program must see when there is one.
    p, moments = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p"), [0.0, 0.5, 0.25, 0.5, 0.0]
    optimizer = nn.SGD([p], 0.1)
    optimizer.set_train()
    step = ms.jit(optimizer) if compiled else optimizer
    want, accum, started = np.array([1.0, 2.0], np.float32), np.zeros(2, np.float32), False
    for i, u in enumerate(moments):
        for _ in range(2):
            g = np.array([1.0 + i, -0.5], np.float32)
            if u > 0:
                accum, started = (np.float32(u) * accum + g if started else g), True
            want = want - np.float32(0.1) * (accum if u > 0 else g)
            step((ms.Tensor(g),))
            np.testing.assert_allclose(p.asnumpy(), want, rtol=1e-6)
        if i + 1 < len(moments):
            optimizer.momentum.set_data(ms.Tensor(np.float32(moments[i + 1])))
    np.testing.assert_allclose(optimizer.accum[0].asnumpy(), accum, rtol=1e-6)
    if compiled:
        assert step.programs == 2  # one with momentum, one without: not one for each value


def test_momentum_that_a_loop_changes() -> None:
    # Within the trace of a loop nothing is known about the value, and the rule is the one for any momentum.
    p = ms.Parameter(ms.Tensor([1.0]), name="p")
    optimizer = nn.SGD([p], 0.5)

    @ms.jit
    def steps(g: ms.Tensor) -> ms.Tensor:
        def turn(i: ms.Tensor, total: ms.Tensor) -> ms.Tensor:
            optimizer((g,))
            ops.assign(optimizer.momentum, ops.ones((), ms.float32))
            return total

        return ops.ForiLoop()(0, 3, turn, g)

    steps(ms.Tensor([1.0]))
    np.testing.assert_allclose(p.asnumpy(), [1.0 - 0.5 * (1 + 1 + 2)])


STILL: dict[str, Any] = {
    "SGD": (lambda p: nn.SGD(p, 0.1), 0),
    "experimental SGD": (lambda p: ms.experimental.optim.SGD(p, 0.1), 0),
    "experimental Adam": (lambda p: ms.experimental.optim.Adam(p, 0.1), 2),
    "mint SGD": (lambda p: ms.mint.optim.SGD(p, 0.1), 0),
}


@pytest.mark.parametrize("name", STILL)
def test_slots_that_a_step_does_not_change_are_no_outputs_of_it(name: str) -> None:
    make, slots = STILL[name]
    bench = Bench(ms)
    optimizer = make(bench.p)
    step = ms.jit(lambda g: optimizer(g))
    step(bench.gradients(0))
    [[entry]] = step._entries.values()
    assert len(entry.traced.written) == len(bench.p) * (1 + slots) + 1


# Recorded from MindSpore in graph mode: rows 0 and 1 are looked up first, then 1 and 2; row 3 never.
TABLE = np.arange(1, 9, dtype=np.float32).reshape(4, 2) / 10
AFTER = {
    "LazyAdam": [[0.2, 0.3], [0.444, 0.5332], [0.4256, 0.5256], [0.7, 0.8]],
    "FTRL": [[0.1806, 0.2587], [0.3402, 0.4119], [0.2529, 0.3496], [0.7, 0.8]],
    "Adam": [[0.267, 0.367], [0.444, 0.5332], [0.4256, 0.5256], [0.7, 0.8]],
}


def trained_table(name, sparse=True, compiled=False, **more):
    lookup = nn.EmbeddingLookup(4, 2, target="CPU" if sparse else "DEVICE", sparse=sparse)
    lookup.embedding_table.set_data(ms.Tensor(TABLE))
    arguments = {"learning_rate": 0.1, **({"l1": 0.01} if name == "FTRL" else {}), **more}
    optimizer = getattr(nn, name)(lookup.trainable_params(), **arguments)
    gradient = ms.grad(lambda i, y: ((lookup(i) - y) ** 2).sum(), None, optimizer.parameters)

    def step(i, y):
        optimizer(gradient(i, y))

    step = ms.jit(step) if compiled else step
    step(ms.Tensor([0, 1, 1]), ops.ones((3, 2)))
    step(ms.Tensor([1, 2]), ops.zeros((2, 2)))
    return lookup.embedding_table.asnumpy(), optimizer


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", AFTER)
def test_rows_of_a_sparse_table(name, compiled):
    np.testing.assert_allclose(trained_table(name, compiled=compiled)[0], AFTER[name], atol=1e-4)


def test_rows_that_stay():
    dense, optimizer = trained_table("LazyAdam", sparse=False)
    np.testing.assert_allclose(dense, AFTER["Adam"], atol=1e-4)
    lazy, optimizer = trained_table("LazyAdam")
    assert (optimizer.moment1[0].asnumpy()[3] == 0).all()
    assert (trained_table("ProximalAdagrad", l1=0.01)[0][3] == TABLE[3]).all()
    assert (trained_table("ProximalAdagrad", sparse=False, l1=0.01)[0][3] < TABLE[3]).all()
    assert (trained_table("AdamOffload")[0] != lazy)[0].all()
    assert (trained_table("LazyAdam", weight_decay=0.1)[0][3] < TABLE[3]).all()


def test_an_optimizer_without_an_argument_is_named():
    with pytest.raises(TypeError, match="`Momentum`: missing a required argument: 'learning_rate'"):
        nn.Momentum(nn.Dense(1, 1).trainable_params())
