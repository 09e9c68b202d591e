"""Outcomes of mixed precision for the networks of amp_nets.py; the framework is imported as `mindspore` before."""

import re
from typing import Any

import amp_nets
import mindspore as ms
import numpy as np
from mindspore import amp
from samples_amp import (
    AUTO_FAILS,
    CUSTOM_FAILS,
    FINITE,
    INPUTS,
    LEVELS,
    MADE,
    OVERFLOWS,
    STEPS,
    TRAIN,
    leaves,
)  # fmt: skip


def attempt(call: Any) -> Any:
    try:
        return call()
    except Exception as error:  # what MindSpore raises is what we want to know
        return {"error": type(error).__name__}


def plain_tree(net: Any) -> str:
    """The printed tree, without addresses and without the names of classes that level O1 makes up."""
    text = re.sub(r"<mindspore[^>]*>", "<...>", str(net))
    return re.sub(r"(\w+?)Opt(_\d+)?\(", r"\1(", text)


def run(make: Any, level: str) -> dict[str, Any]:
    amp_nets.SEEN.clear()
    given = make()
    net = amp.auto_mixed_precision(given, level)
    x = ms.Tensor(np.full((2, 2), amp_nets.ALMOST_ONE, np.float32))
    out = net(ms.Tensor(np.ones((2, 1, 4, 4), np.float32)) if make is amp_nets.Net else x)
    return {
        "tree": plain_tree(net),
        "same": net is given,
        "seen": list(amp_nets.SEEN),
        "out": leaves(out),
        "parameters": [[p.name, str(p.dtype)] for p in net.get_parameters()],
    }


def scalers() -> dict[str, Any]:
    static, odd = amp.StaticLossScaler(1024), amp.StaticLossScaler(1000.0)
    dynamic, largest = amp.DynamicLossScaler(4, 2, 3), amp.DynamicLossScaler(2.0**126, 2, 1)
    adjusted = []
    for finite in STEPS:
        returned = dynamic.adjust(ms.Tensor(finite))
        adjusted.append([returned, float(dynamic.scale_value.asnumpy()), int(dynamic.counter.asnumpy())])
    for _ in range(4):
        largest.adjust(ms.Tensor(True))
    return {
        "scale": {k: attempt(lambda m=make: leaves(static.scale(m(ms)))) for k, make in INPUTS.items()},
        "unscale": {k: attempt(lambda m=make: leaves(static.unscale(m(ms)))) for k, make in INPUTS.items()},
        "unscale by 1000": leaves(odd.unscale(INPUTS["float32"](ms))),
        "static adjust": static.adjust(ms.Tensor(True)),
        "parameters": [str(static.scale_value), str(dynamic.scale_value), str(dynamic.counter)],
        "adjusted": adjusted,
        "largest": float(largest.scale_value.asnumpy()),
        "finite": {k: attempt(lambda m=make: leaves(amp.all_finite(m(ms)))) for k, make in FINITE.items()},
    }


def managers() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for cls, arguments in MADE:
        if not cls.endswith("Manager"):
            continue

        def describe(c: str = cls, a: tuple = arguments) -> dict[str, Any]:
            manager = getattr(amp, c)(*a)
            cell = manager.get_update_cell()
            scales = []
            for overflow in OVERFLOWS:
                manager.update_loss_scale(overflow)
                scales.append(manager.get_loss_scale())
            return {"scales": scales, "drop": manager.get_drop_overflow_update(), "cell": type(cell).__name__}

        found[f"{cls}{arguments!r}"] = attempt(describe)
    cell, scale = ms.nn.DynamicLossScaleUpdateCell(8.0, 2, 3), ms.Parameter(ms.Tensor([8.0]), name="s")
    steps = []
    for overflow in OVERFLOWS:
        cell(scale, ms.Tensor(overflow))
        steps.append(
            [float(scale.asnumpy()[0]), int(cell.cur_iter.asnumpy()), int(cell.last_overflow_iter.asnumpy())]
        )
    return {"managers": found, "cell": steps, "names": [[n, p.name] for n, p in cell.parameters_and_names()]}


def train(name: str) -> dict[str, Any]:
    net = amp_nets.Norms()
    optimizer = ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)
    options = {"network": net, "optimizer": optimizer, "loss_fn": ms.nn.MSELoss(), **TRAIN[name](ms)}
    step = amp.build_train_network(**options)
    x = ms.Tensor(np.float32([[0.1, 0.9], [0.8, 0.3]]))
    loss = [leaves(step(x, x)) for _ in range(2)]
    return {"type": type(step).__name__, "loss": loss, "tree": plain_tree(step)}


def outcomes() -> dict[str, Any]:
    nets = [amp_nets.Net, *amp_nets.SMALL]
    custom = {
        f"{name} {kind}": attempt(
            lambda n=net, k=kind, c=listed: leaves(
                amp.custom_mixed_precision(n(), **{k: c})(
                    ms.Tensor(np.full((2, 2), amp_nets.ALMOST_ONE, np.float32))
                )
            )
        )
        for kind, name, listed, net in (
            ("white_list", "ReLU cell", [ms.nn.ReLU], amp_nets.ReluCell),
            ("white_list", "ReLU operator", [ms.ops.ReLU], amp_nets.ReluCell),
            ("white_list", "MatMul operator", [ms.ops.MatMul], amp_nets.MatmulPrimitive),
            ("white_list", "MatMul elsewhere", [ms.ops.MatMul], amp_nets.ReluPrimitive),
            ("white_list", "nothing", [], amp_nets.MatmulPrimitive),
            ("black_list", "Dense", [ms.nn.Dense], amp_nets.DenseInSequence),
            ("black_list", "subclass", [ms.nn.Dense], amp_nets.DenseSubclass),
            ("black_list", "nothing", [], amp_nets.DenseCell),
        )
    }
    x, h = (ms.Tensor(np.full((2, 2), 1.0, dtype)) for dtype in (np.float32, np.float16))
    auto = amp.auto_mixed_precision(amp_nets.Dtypes(), "auto")(x, h)
    return {
        "levels": {
            level: {net.__name__: attempt(lambda n=net, o=level: run(n, o)) for net in nets}
            for level in LEVELS
        },
        "norms": plain_tree(amp.auto_mixed_precision(amp_nets.Norms(), "O2")),
        "custom": custom,
        "auto": {k: str(v.dtype) for k, v in auto.items()},
        "function": str(amp.auto_mixed_precision(lambda a: ms.ops.matmul(a, a), "auto")(x).dtype),
        "white": [cls.__name__ for cls in amp.get_white_list()],
        "black": [cls.__name__ for cls in amp.get_black_list()],
        "made": {f"{c}{a!r}": attempt(lambda c=c, a=a: type(getattr(amp, c)(*a)).__name__) for c, a in MADE},
        **scalers(),
        **managers(),
        "auto fails": {
            k: attempt(lambda f=f: type(amp.auto_mixed_precision(*f(ms, amp_nets.DenseCell()))).__name__)
            for k, f in AUTO_FAILS.items()
        },
        "custom fails": {
            k: attempt(lambda f=f: _custom(*f(ms, amp_nets.DenseCell()))) for k, f in CUSTOM_FAILS.items()
        },
        "train": {name: attempt(lambda n=name: train(n)) for name in TRAIN},
    }


def _custom(network: Any, options: dict) -> str:
    return type(amp.custom_mixed_precision(network, **options)).__name__
