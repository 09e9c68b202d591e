"""Mixed precision against MindSpore's: values, printed trees, dtypes inside of networks, exceptions."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax as ms
from msjax import amp, nn

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import samples_amp as samples  # noqa: E402
from samples_amp import leaves  # noqa: E402

with ms.install_as("mindspore"):
    import amp_nets

GOLDEN = json.loads((GOLDENS / "amp.json").read_text())
ERRORS = {e.__name__: e for e in (TypeError, ValueError)}
NETS = [amp_nets.Net, *amp_nets.SMALL]


def compare(expected: Any, call: Any, rtol: float = 1e-6) -> None:
    """A recorded result, or the type of a recorded exception."""
    if isinstance(expected, dict) and "error" in expected:
        with pytest.raises(ERRORS[expected["error"]]) as caught:
            call()
        assert type(caught.value) is ERRORS[expected["error"]]
        assert "Received" in str(caught.value) or "given" in str(caught.value) or "empty" in str(caught.value)
        return
    close(call(), expected, rtol)


def close(found: Any, expected: Any, rtol: float) -> None:
    if isinstance(expected, float):
        assert found == pytest.approx(expected, rel=rtol, abs=1e-7, nan_ok=True)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            close(f, e, rtol)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, e in expected.items():
            close(found[key], e, rtol)
    else:
        assert found == expected


def plain_tree(net: Any) -> str:
    return re.sub(r"<(ms|mind)[^>]*>", "<...>", str(net))


# ------------------------------------------------------------------------------------------ scalers


@pytest.mark.parametrize("name", samples.INPUTS)
@pytest.mark.parametrize("method", ["scale", "unscale"])
@pytest.mark.parametrize("compiled", [False, True])
def test_static_scaler(name: str, method: str, compiled: bool) -> None:
    scaler, given = amp.StaticLossScaler(1024), samples.INPUTS[name](ms)
    call = getattr(scaler, method)
    compare(GOLDEN[method][name], lambda: leaves((ms.jit(call) if compiled else call)(given)))


def test_unscale_multiplies_by_the_reciprocal() -> None:
    found = leaves(amp.StaticLossScaler(1000.0).unscale(samples.INPUTS["float32"](ms)))
    assert found == GOLDEN["unscale by 1000"]


def test_float16_does_not_overflow_on_the_way() -> None:
    scaler = amp.StaticLossScaler(2.0**17)
    small = ms.Tensor(np.array([0.001, 0.25], np.float16))
    np.testing.assert_allclose(scaler.scale(small).asnumpy(), [131.1, 32768], rtol=1e-3)


@pytest.mark.parametrize("compiled", [False, True])
def test_dynamic_scaler(compiled: bool) -> None:
    scaler = amp.DynamicLossScaler(4, 2, 3)
    assert [str(amp.StaticLossScaler(1024).scale_value), str(scaler.scale_value), str(scaler.counter)] == (
        GOLDEN["parameters"]
    )
    adjust = ms.jit(scaler.adjust) if compiled else scaler.adjust
    for finite, (returned, scale, counter) in zip(samples.STEPS, GOLDEN["adjusted"], strict=True):
        assert adjust(ms.Tensor(finite)) == returned
        assert (float(scaler.scale_value), int(scaler.counter)) == (scale, counter)
    assert (scaler.scale_value.dtype, scaler.counter.dtype) == (ms.float32, ms.int32)


def test_dynamic_scaler_does_not_grow_to_infinity() -> None:
    scaler = amp.DynamicLossScaler(2.0**126, 2, 1)
    for _ in range(4):
        scaler.adjust(ms.Tensor(True))
    assert float(scaler.scale_value) == pytest.approx(GOLDEN["largest"])


@pytest.mark.parametrize("name", samples.FINITE)
def test_all_finite(name: str) -> None:
    compare(GOLDEN["finite"][name], lambda: leaves(amp.all_finite(samples.FINITE[name](ms))))


def test_all_finite_of_bfloat16() -> None:
    inf = ms.Tensor([float("inf")], ms.bfloat16)
    assert not bool(amp.all_finite((inf,)))


@pytest.mark.parametrize(("cls", "arguments"), samples.MADE, ids=lambda v: str(v))
def test_made(cls: str, arguments: tuple) -> None:
    key = f"{cls}{arguments!r}"
    compare(GOLDEN["made"][key], lambda: type(getattr(amp, cls)(*arguments)).__name__)
    if cls.endswith("Manager") and isinstance(GOLDEN["made"][key], str):
        manager, expected = getattr(amp, cls)(*arguments), GOLDEN["managers"][key]
        cell = manager.get_update_cell()
        assert [type(cell).__name__, manager.get_drop_overflow_update()] == [
            expected["cell"],
            expected["drop"],
        ]
        for overflow, scale in zip(samples.OVERFLOWS, expected["scales"], strict=True):
            manager.update_loss_scale(overflow)
            assert manager.get_loss_scale() == pytest.approx(scale)


def test_manager_gives_up() -> None:
    manager = amp.DynamicLossScaleManager(8, 2, 3)
    for _ in range(1000):
        manager.update_loss_scale(True)
    with pytest.raises(RuntimeError, match="1001 steps in a row"):
        manager.update_loss_scale(True)


@pytest.mark.parametrize("base", [amp.LossScaler(), amp.LossScaleManager()], ids=lambda b: type(b).__name__)
def test_bases_define_nothing(base: Any) -> None:
    for name in ("scale", "unscale", "adjust", "update_loss_scale"):
        if hasattr(base, name):
            with pytest.raises(NotImplementedError, match=name):
                getattr(base, name)(None)


@pytest.mark.parametrize("compiled", [False, True])
def test_update_cell(compiled: bool) -> None:
    cell, scale = ms.nn.DynamicLossScaleUpdateCell(8.0, 2, 3), ms.Parameter(ms.Tensor([8.0]), name="s")
    assert [[n, p.name] for n, p in cell.parameters_and_names()] == GOLDEN["names"]
    call = (
        ms.jit(lambda overflow: cell(scale, overflow))
        if compiled
        else (lambda overflow: cell(scale, overflow))
    )
    for overflow, expected in zip(samples.OVERFLOWS, GOLDEN["cell"], strict=True):
        assert bool(call(ms.Tensor(overflow))) == overflow
        assert [float(scale.asnumpy()[0]), int(cell.cur_iter), int(cell.last_overflow_iter)] == expected


# ------------------------------------------------------------------------------------------ networks


@pytest.mark.parametrize("make", NETS, ids=lambda n: n.__name__)
@pytest.mark.parametrize("level", samples.LEVELS)
def test_levels(level: str, make: Any) -> None:
    expected = GOLDEN["levels"][level][make.__name__]
    given = make()
    net = amp.auto_mixed_precision(given, level)
    assert [[p.name, str(p.dtype)] for p in net.get_parameters()] == expected["parameters"]
    assert (net is given) == (expected["same"] or level == "O1")  # MindSpore writes a new class for O1
    assert plain_tree(net) == expected["tree"]
    amp_nets.SEEN.clear()
    small = ms.Tensor(np.full((2, 2), amp_nets.ALMOST_ONE, np.float32))
    out = net(ms.Tensor(np.ones((2, 1, 4, 4), np.float32)) if make is amp_nets.Net else small)
    assert [list(s) for s in amp_nets.SEEN] == expected["seen"]
    if make is amp_nets.Net:
        assert leaves(out)[0] == expected["out"][0]
    else:
        close(leaves(out), expected["out"], rtol=1e-6)


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
@pytest.mark.parametrize("make", NETS, ids=lambda n: n.__name__)
def test_bfloat16(level: str, make: Any) -> None:
    """MindSpore has few bfloat16 kernels on CPU; what differs from float16 is the name of the dtype."""
    net = amp.auto_mixed_precision(make(), level, ms.bfloat16)
    amp_nets.SEEN.clear()
    net(ms.Tensor(np.ones((2, 1, 4, 4), np.float32)) if make is amp_nets.Net else amp_nets.eye())
    expected = GOLDEN["levels"][level][make.__name__]["seen"]
    for (tag, dtype), (_, wanted) in zip(amp_nets.SEEN, expected, strict=True):
        assert dtype == wanted.replace("Float16", "BFloat16"), tag


@pytest.mark.parametrize("level", samples.LEVELS)
def test_levels_compiled_and_with_gradients(level: str) -> None:
    net = amp_nets.Net()
    # Of equal weights a normalization makes zeros, and of its gradients noise.
    net.body[1].weight.set_data(ms.Tensor(np.cos(np.arange(128)).reshape(4, 32), ms.float32))
    net.w.set_data(ms.Tensor(np.sin(np.arange(16)).reshape(4, 4), ms.float32))
    net = amp.auto_mixed_precision(net, level)
    x = ms.Tensor(np.random.default_rng(0).random((2, 1, 4, 4), np.float32) / 10)
    weights = net.trainable_params()

    def gradients(x: Any) -> Any:
        return ms.value_and_grad(lambda x: net(x).sum(), None, weights)(x)

    value, eager = gradients(x)
    _, compiled = ms.jit(gradients)(x)
    assert [g.dtype for g in eager] == [w.dtype for w in weights]
    for a, b in zip(eager, compiled, strict=True):
        scale = float(np.abs(a.asnumpy()).max()) + 1e-3
        np.testing.assert_allclose(a.asnumpy() / scale, b.asnumpy() / scale, atol=2e-3)
    assert np.isfinite(float(value))


def test_norms_are_wrapped_wherever_they_stand() -> None:
    assert plain_tree(amp.auto_mixed_precision(amp_nets.Norms(), "O2")) == GOLDEN["norms"]


@pytest.mark.parametrize("name", GOLDEN["custom"])
def test_custom(name: str) -> None:
    nn, ops = ms.nn, ms.ops
    listed, make = {
        "ReLU cell white_list": ([nn.ReLU], amp_nets.ReluCell),
        "ReLU operator white_list": ([ops.ReLU], amp_nets.ReluCell),
        "MatMul operator white_list": ([ops.MatMul], amp_nets.MatmulPrimitive),
        "MatMul elsewhere white_list": ([ops.MatMul], amp_nets.ReluPrimitive),
        "nothing white_list": ([], amp_nets.MatmulPrimitive),
        "Dense black_list": ([nn.Dense], amp_nets.DenseInSequence),
        "subclass black_list": ([nn.Dense], amp_nets.DenseSubclass),
        "nothing black_list": ([], amp_nets.DenseCell),
    }[name]
    net = amp.custom_mixed_precision(make(), **{name.split()[-1]: listed})
    x = ms.Tensor(np.full((2, 2), amp_nets.ALMOST_ONE, np.float32))
    close(leaves(net(x)), GOLDEN["custom"][name], rtol=1e-6)


def test_auto_chooses_by_operator() -> None:
    x, h = (ms.Tensor(np.full((2, 2), 1.0, dtype)) for dtype in (np.float32, np.float16))
    found = amp.auto_mixed_precision(amp_nets.Dtypes(), "auto")(x, h)
    assert {k: str(v.dtype) for k, v in found.items()} == GOLDEN["auto"]


def test_auto_of_a_function() -> None:
    x = ms.Tensor(np.ones((2, 2), np.float32))
    product = amp.auto_mixed_precision(lambda a: ms.ops.matmul(a, a), "auto")
    assert str(product(x).dtype) == GOLDEN["function"]
    assert ms.ops.matmul(x, x).dtype == ms.float32


def test_auto_knows_only_operators_that_exist() -> None:
    import importlib
    import pkgutil

    from msjax import ops
    from msjax.train import amp as levels

    known = set()
    for found in pkgutil.walk_packages(ops.__path__, "msjax.ops."):
        module = importlib.import_module(found.name)
        known |= {v.record.name for v in vars(module).values() if hasattr(v, "pure") and hasattr(v, "record")}
    assert {*levels._LOWER, *levels._FULL, *levels._WIDEST} - known <= {"einsum", "grid_sample"}


def test_lists() -> None:
    names = [cls.__name__ for cls in amp.get_black_list()]
    assert names == GOLDEN["black"]
    assert {cls.__name__ for cls in amp.get_white_list()} <= set(GOLDEN["white"])
    amp.get_black_list().clear()
    assert len(amp.get_black_list()) == 4


@pytest.mark.parametrize("name", samples.AUTO_FAILS)
def test_auto_fails(name: str) -> None:
    given = samples.AUTO_FAILS[name](ms, amp_nets.DenseCell())
    compare(GOLDEN["auto fails"][name], lambda: amp.auto_mixed_precision(*given))


@pytest.mark.parametrize("name", samples.CUSTOM_FAILS)
def test_custom_fails(name: str) -> None:
    network, options = samples.CUSTOM_FAILS[name](ms, amp_nets.DenseCell())
    compare(GOLDEN["custom fails"][name], lambda: amp.custom_mixed_precision(network, **options))


# ------------------------------------------------------------------------------------------ training


@pytest.mark.parametrize("name", samples.TRAIN)
def test_build_train_network(name: str) -> None:
    expected = GOLDEN["train"][name]
    net = amp_nets.Norms()
    optimizer = ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)
    options = {"network": net, "optimizer": optimizer, "loss_fn": ms.nn.MSELoss(), **samples.TRAIN[name](ms)}
    if "error" in expected:
        with pytest.raises(ERRORS[expected["error"]]):
            amp.build_train_network(**options)
        return
    step = amp.build_train_network(**options)
    assert type(step).__name__ == expected["type"]
    assert plain_tree(step) == expected["tree"]
    x = ms.Tensor(np.float32([[0.1, 0.9], [0.8, 0.3]]))
    for dtype, values in expected["loss"]:
        found, loss = leaves(step(x, x))
        assert found == dtype
        assert loss == pytest.approx(values, rel=5e-3)


def _overflowing(scale: Any) -> tuple[Any, Any]:
    net = ms.nn.Dense(2, 1, weight_init=ms.Tensor(np.ones((1, 2), np.float32)), has_bias=False)
    optimizer = ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = amp.build_train_network(net, optimizer, ms.nn.MSELoss(), loss_scale_manager=scale)
    return net, step


@pytest.mark.parametrize("compiled", [False, True])
def test_overflowed_steps_are_dropped(compiled: bool) -> None:
    net, step = _overflowing(amp.DynamicLossScaleManager(1024.0, 2, 2))
    call = ms.jit(step) if compiled else step
    x, y = ms.ops.ones((4, 2)), ms.ops.zeros((4, 1))
    before = net.weight.asnumpy()
    loss, overflow, scale = call(x * float("inf"), y)
    assert (bool(overflow), float(scale), float(step.scale_sense)) == (True, 1024.0, 512.0)
    np.testing.assert_array_equal(net.weight.asnumpy(), before)
    assert int(step.optimizer.global_step) == 0
    for _ in range(2):
        loss, overflow, scale = call(x, y)
    assert (bool(overflow), float(scale), float(step.scale_sense)) == (False, 512.0, 1024.0)
    assert int(step.optimizer.global_step) == 2
    assert float(loss) < 4.0
    assert (net.weight.asnumpy() < before).all()


def test_scaled_training_is_plain_training() -> None:
    losses = []
    for manager in (None, amp.FixedLossScaleManager(1024.0), amp.DynamicLossScaleManager(2.0**10, 2, 2)):
        _, step = _overflowing(manager)
        x, y = ms.ops.ones((4, 2)), ms.ops.zeros((4, 1))
        found = [step(x, y) for _ in range(4)]
        losses.append([float(f[0] if isinstance(f, tuple) else f) for f in found])
    assert losses[1] == pytest.approx(losses[0], rel=1e-6)
    assert losses[2] == pytest.approx(losses[0], rel=1e-6)


@pytest.mark.parametrize("sense", [ms.Tensor(8.0), ms.Tensor([8.0])], ids=["()", "(1,)"])
def test_sense_can_be_set(sense: Any) -> None:
    net = ms.nn.Dense(2, 1)
    optimizer = ms.nn.SGD(net.trainable_params())
    loss = ms.nn.WithLossCell(net, ms.nn.MSELoss())
    step = ms.nn.TrainOneStepWithLossScaleCell(loss, optimizer, sense)
    step.set_sense_scale(sense * 2)
    _, _, scale = step(ms.ops.ones((4, 2)), ms.ops.zeros((4, 1)))
    assert scale.shape == sense.shape
    assert float(scale) == 16.0
    with pytest.raises(TypeError, match="scale_sense"):
        ms.nn.TrainOneStepWithLossScaleCell(loss, optimizer, 8.0)
    with pytest.raises(ValueError, match="shape"):
        ms.nn.TrainOneStepWithLossScaleCell(loss, optimizer, ms.Tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="set_sense_scale"):
        step.set_sense_scale(3.0)


def test_auto_adds_biases_in_their_precision() -> None:
    one = ms.Tensor(np.ones((1, 1, 2, 2), np.float32))
    for layer, x in (
        (nn.Conv2d(1, 2, 1, has_bias=True), one),
        (nn.Conv1dTranspose(1, 2, 1, has_bias=True), one[:, :, 0]),
        (nn.Conv3d(1, 2, 1, has_bias=True), one[None]),
        (nn.Dense(2, 3), one),
    ):
        expected = layer(x)
        found = amp.auto_mixed_precision(layer, "auto")(x)
        assert found.dtype == ms.float32
        np.testing.assert_allclose(
            found.asnumpy(), expected.asnumpy(), atol=1e-3
        )  # of sums of numbers up to 1
