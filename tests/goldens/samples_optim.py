"""Optimizers with every kind of argument: the recorder and the tests both walk these tables.

A sample makes an optimizer from a `Bench`, which holds the implementation under test (`ms`, `nn`) and fresh parameters,
and is then called with the gradients of `gradients(step)` for as many steps as it says.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SHAPES = {"conv.weight": (2, 2, 1, 2), "fc.weight": (3, 2), "fc.bias": (3,), "bn.gamma": (2,)}


class Bench:
    """One implementation (`mindspore` or what stands in for it), and parameters made with it."""

    def __init__(self, ms: Any, dtype: str = "float32") -> None:
        self.ms, self.nn, self.ops = ms, ms.nn, ms.ops
        self.dtype = getattr(ms, dtype)
        rng = np.random.RandomState(7)
        self.p = [
            ms.Parameter(self.tensor(rng.randn(*shape)).astype(self.dtype), name=name)
            for name, shape in SHAPES.items()
        ]

    def tensor(self, values: Any, dtype: str = "float32") -> Any:
        return self.ms.Tensor(np.asarray(values, dtype))

    def gradients(self, step: int, dtype: Any = None, order: Any = SHAPES) -> tuple:
        """One gradient for each parameter named in `order`."""
        rng = np.random.RandomState(100 + step)
        arrays = {name: rng.randn(*shape) for name, shape in SHAPES.items()}
        arrays["fc.bias"][0] = 0.0  # an element whose gradient is always zero
        return tuple(self.tensor(arrays[name]).astype(dtype or self.dtype) for name in order)

    def decay(self) -> Any:
        """A weight decay that depends on the step."""
        ms = self.ms

        class Decay(ms.nn.Cell):
            def construct(self, step: Any) -> Any:
                return 0.1 / (1.0 + ms.ops.cast(step, ms.float32))

        return Decay()

    def schedule(self) -> Any:
        """A user's own learning rate schedule."""
        ms = self.ms

        class Halves(ms.nn.learning_rate_schedule.LearningRateSchedule):
            def construct(self, global_step: Any) -> Any:
                return 0.2 * 0.5 ** ms.ops.cast(global_step, ms.float32)

        return Halves()


@dataclass(frozen=True)
class Sample:
    """One optimizer to run.

    Attributes:
        id: unique.
        make: from a bench to an optimizer.
        steps: how often it is called.
        dtype: of the parameters.
        grad_dtype: of the gradients, if another.
        meanwhile: called with (bench, optimizer, step) before each step.
        loose: to what it agrees, if less than one expects of the dtype.
    """

    id: str
    make: Callable[[Bench], Any]
    steps: int = 6
    dtype: str = "float32"
    grad_dtype: str | None = None
    meanwhile: Callable[[Bench, Any, int], None] | None = None
    loose: float | None = None


SAMPLES: list[Sample] = []


def add(name: str, make: Callable[[Bench], Any], **options: Any) -> None:
    SAMPLES.append(Sample(name, make, **options))


def product(cls: str, required: dict[str, Any], **choices: tuple) -> None:
    """A sample for every combination of arguments; arguments that are None are left out."""
    for values in itertools.product(*choices.values()):
        given = {k: v for k, v in zip(choices, values, strict=True) if v is not None}
        if cls == "SGD" and given.get("nesterov") and (not given.get("momentum") or given.get("dampening")):
            continue
        if given.get("use_amsgrad") and (given.get("use_lazy") or given.get("use_offload")):
            continue
        given = {**required, **given}
        label = ",".join(f"{k}={v}" for k, v in given.items())
        add(f"{cls}({label})", lambda b, c=cls, a=given: getattr(b.nn, c)(b.p, **a))


SCALED = {"weight_decay": (None, 0.1), "loss_scale": (None, 8.0)}

product(
    "SGD",
    {},
    learning_rate=(None, 0.05),
    momentum=(None, 0.9),
    dampening=(None, 0.4),
    nesterov=(None, True),
    **SCALED,
)
product("SGD", {}, momentum=(1,), dampening=(1,), weight_decay=(1,))
product("Momentum", {"learning_rate": 0.1, "momentum": 0.9}, use_nesterov=(None, True), **SCALED)
product("Momentum", {"learning_rate": 0.1}, momentum=(0.0, 1.0))
product("Adam", {}, use_nesterov=(None, True), use_amsgrad=(None, True), **SCALED)
product("Adam", {}, use_lazy=(True,), use_nesterov=(None, True), weight_decay=(None, 0.1))
product("Adam", {}, use_offload=(True,), use_nesterov=(None, True), weight_decay=(None, 0.1))
product(
    "Adam",
    {"beta1": 0.7, "beta2": 0.8, "eps": 0.1, "use_locking": True},
    learning_rate=(0.1,),
    use_amsgrad=(None, True),
)
product("AdamWeightDecay", {}, learning_rate=(None, 0.1), weight_decay=(None, 0.1), eps=(None, 0.1))
product("AdamWeightDecay", {}, beta1=(0.7,), beta2=(0.8,))
product("RMSProp", {}, centered=(None, True), momentum=(None, 0.9), **SCALED)
product(
    "RMSProp",
    {},
    learning_rate=(0.01,),
    decay=(0.5,),
    epsilon=(0.1,),
    use_locking=(True,),
    centered=(None, True),
)
product("Adagrad", {}, accum=(None, 0.5), update_slots=(None, False), **SCALED)
product("AdaMax", {}, learning_rate=(None, 0.1), **SCALED)
product("AdaMax", {"beta1": 0.7, "beta2": 0.8, "eps": 0.1})
product("Adadelta", {}, rho=(None, 0.5), epsilon=(None, 0.1), **SCALED)
product("LazyAdam", {}, use_nesterov=(None, True), **SCALED)
product("AdamOffload", {}, use_nesterov=(None, True), **SCALED)
product("FTRL", {}, l1=(None, 0.1), l2=(None, 0.2), lr_power=(None, -0.3), **SCALED)
product("FTRL", {}, initial_accum=(0.5,), learning_rate=(0.1,))
product("ProximalAdagrad", {}, l1=(None, 0.1), l2=(None, 0.2), **SCALED)
product("ProximalAdagrad", {}, accum=(0.5,), learning_rate=(0.1,))
product("Rprop", {}, etas=(None, (0.6, 1.3)), step_sizes=(None, (0.05, 0.15)), weight_decay=(None, 0.1))
product("ASGD", {}, lambd=(None, 0.01), alpha=(None, 0.5), t0=(None, 2.0), weight_decay=(None, 0.1))

# ------------------------------------------------------------------------------------------ learning rates

RATES: dict[str, Callable[[Bench], Any]] = {
    "int": lambda b: 1,
    "Tensor": lambda b: b.tensor(0.05),
    "float16 Tensor": lambda b: b.tensor(0.05, "float16"),
    "Tensor of one": lambda b: b.tensor([0.05] * 6),
    "list": lambda b: [0.1, 0.2, 0.3, 0.1, 0.2, 0.3],
    "list of ints": lambda b: [1, 2, 3, 1, 2, 3],
    "tuple": lambda b: (0.1, 0.2, 0.3, 0.1, 0.2, 0.3),
    "array": lambda b: np.linspace(0.1, 0.6, 6),
    "generator": lambda b: (0.1 * i for i in range(6)),
    "own schedule": lambda b: b.schedule(),
    "exponential": lambda b: b.nn.ExponentialDecayLR(0.1, 0.9, 4),
    "exponential stairs": lambda b: b.nn.ExponentialDecayLR(0.1, 0.9, 4, True),
    "natural": lambda b: b.nn.NaturalExpDecayLR(0.1, 0.9, 4, True),
    "inverse": lambda b: b.nn.InverseDecayLR(0.1, 0.9, 4, True),
    "cosine": lambda b: b.nn.CosineDecayLR(0.01, 0.1, 4),
    "polynomial": lambda b: b.nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5),
    "warm-up": lambda b: b.nn.WarmUpLR(0.1, 4),
}
for _name, _rate in RATES.items():
    add(f"rate: {_name}", lambda b, rate=_rate: b.nn.Momentum(b.p, rate(b), 0.9))
for _cls in ("SGD", "Adam", "AdamWeightDecay", "RMSProp", "Adagrad"):
    add(
        f"rate: list, {_cls}",
        lambda b, c=_cls: getattr(b.nn, c)(b.p, learning_rate=[0.1, 0.2, 0.3, 0.1, 0.2, 0.3]),
    )


def _changed(b: Bench, optimizer: Any, step: int) -> None:
    b.ops.assign(optimizer.learning_rate, b.tensor(0.1 * (step + 1)))


add("rate: changed", lambda b: b.nn.Momentum(b.p, 0.1, 0.9), meanwhile=_changed)
add("rate: changed, Adam", lambda b: b.nn.Adam(b.p, 0.1), meanwhile=_changed)

# ------------------------------------------------------------------------------------------ groups

GROUPS: dict[str, Callable[[Bench], list[dict]]] = {
    "lr": lambda b: [{"params": b.p[:2], "lr": 0.05}, {"params": b.p[2:]}],
    "weight_decay": lambda b: [{"params": b.p[:2], "weight_decay": 0.01}, {"params": b.p[2:]}],
    "order": lambda b: [{"params": b.p[:2], "lr": 0.05}, {"params": b.p[2:]}, {"order_params": b.p}],
    "list": lambda b: [{"params": b.p[:2], "lr": [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]}, {"params": b.p[2:]}],
    "schedule": lambda b: [{"params": b.p[:2], "lr": b.nn.WarmUpLR(0.1, 4)}, {"params": b.p[2:], "lr": 0.3}],
    "decay cell": lambda b: [{"params": b.p[:2], "weight_decay": b.decay()}, {"params": b.p[2:]}],
    "all": lambda b: [
        {"params": b.p[1:3], "weight_decay": 0.01, "grad_centralization": True},  # for convolutions alone: no effect
        {"params": [b.p[0], b.p[3]], "lr": 0.02},
        {"order_params": b.p},
    ],
}  # fmt: skip
for _name, _group in GROUPS.items():
    add(
        f"groups: {_name}",
        lambda b, g=_group: b.nn.Momentum(g(b), 0.1, 0.9, weight_decay=0.2, loss_scale=4.0),
    )
for _cls in ("SGD", "Adam", "RMSProp", "Adagrad", "LazyAdam", "AdaMax", "Adadelta"):
    add(
        f"groups: all, {_cls}",
        lambda b, c=_cls: getattr(b.nn, c)(GROUPS["all"](b), learning_rate=0.1, weight_decay=0.2),
    )
add("groups: lr, AdamWeightDecay", lambda b: b.nn.AdamWeightDecay(GROUPS["lr"](b), 0.1, weight_decay=0.2))
add(
    "groups: decay, AdamWeightDecay",
    lambda b: b.nn.AdamWeightDecay(GROUPS["weight_decay"](b), 0.1, weight_decay=0.2),
)
add("groups: list, AdamWeightDecay", lambda b: b.nn.AdamWeightDecay(GROUPS["list"](b), 0.1, weight_decay=0.2))
add("groups: reversed", lambda b: b.nn.Momentum(
    [{"params": b.p[:2], "lr": 0.05}, {"params": b.p[2:]}, {"order_params": b.p[::-1]}], 0.1, 0.9))  # fmt: skip
add("decay cell", lambda b: b.nn.Momentum(b.p, 0.1, 0.9, weight_decay=b.decay()))
add("decay cell, scaled", lambda b: b.nn.Momentum(b.p, 0.1, 0.9, weight_decay=b.decay(), loss_scale=4.0))
add("decay cell, Adam", lambda b: b.nn.Adam(b.p, 0.1, weight_decay=b.decay()))
add("decay cell, AdamWeightDecay", lambda b: b.nn.AdamWeightDecay(b.p, 0.1, weight_decay=b.decay()))

# ------------------------------------------------------------------------------------------ dtypes

for _cls, _more in {"SGD": {"momentum": 0.9}, "Momentum": {"momentum": 0.9}, "Adam": {}, "AdamWeightDecay": {},
                    "RMSProp": {}, "Adagrad": {}}.items():  # fmt: skip
    for _dtype, _grad in (("float16", None), ("bfloat16", None), ("float64", None), ("float32", "float16"),
                          ("float16", "float32"), ("float32", "float64"), ("float32", "int32")):  # fmt: skip
        add(f"dtype: {_cls} {_dtype}{'' if _grad is None else f' with {_grad} gradients'}",
            lambda b, c=_cls, m=_more: getattr(b.nn, c)(b.p, learning_rate=0.1, **m),
            dtype=_dtype, grad_dtype=_grad,
            # MindSpore rounds beta2 to float16 there, and 1 - beta2 becomes 0.000977.
            loose=0.02 if (_cls, _dtype) == ("AdamWeightDecay", "float16") else None)  # fmt: skip

# ------------------------------------------------------------------------------------------ what must fail

Fail = Callable[[Bench], Any]


def _momentum(**arguments: Any) -> Fail:
    return lambda b: b.nn.Momentum(**{"params": b.p, "learning_rate": 0.1, "momentum": 0.9, **arguments})


def _with(cls: str, **arguments: Any) -> Fail:
    return lambda b: getattr(b.nn, cls)(b.p, **arguments)


def _of(parameters: Callable[[Bench], Any]) -> Fail:
    return lambda b: b.nn.Momentum(parameters(b), 0.1, 0.9)


def _rate(rate: Callable[[Bench], Any]) -> Fail:
    return lambda b: b.nn.Momentum(b.p, rate(b), 0.9)


def _called(gradients: Callable[[Bench, tuple], Any], **options: Any) -> Fail:
    def run(b: Bench) -> Any:
        return b.nn.Momentum(b.p, 0.1, 0.9, **options)(gradients(b, b.gradients(0)))

    return run


def _late(b: Bench) -> None:
    optimizer = b.nn.Momentum(b.p, [0.1, 0.2], 0.9)
    for step in range(3):
        optimizer(b.gradients(step))


FAILS: dict[str, Fail] = {
    "no parameters": _of(lambda b: []),
    "None": _of(lambda b: None),
    "a parameter": _of(lambda b: b.p[0]),
    "ints": _of(lambda b: [1, 2]),
    "tensors": _of(lambda b: [b.tensor(1.0)]),
    "same parameter twice": _of(lambda b: [b.p[0], b.p[0]]),
    "same name twice": _of(lambda b: [b.p[0], b.p[0].clone()]),
    "mixed": _of(lambda b: [b.p[0], {"params": b.p[1:]}]),
    "dict": _of(lambda b: {"params": b.p}),
    "group without params": _of(lambda b: [{"lr": 0.1}]),
    "group with empty params": _of(lambda b: [{"params": []}]),
    "group with unknown key": _of(lambda b: [{"params": b.p, "foo": 1}]),
    "group of ints": _of(lambda b: [{"params": [1]}]),
    "groups overlap": _of(lambda b: [{"params": b.p[:1]}, {"params": b.p}]),
    "group weight_decay -1": _of(lambda b: [{"params": b.p, "weight_decay": -1.0}]),
    "group weight_decay str": _of(lambda b: [{"params": b.p, "weight_decay": "a"}]),
    "group centralization int": _of(lambda b: [{"params": b.p, "grad_centralization": 1}]),
    "group lr -1": _of(lambda b: [{"params": b.p, "lr": -1.0}]),
    "group lr str": _of(lambda b: [{"params": b.p, "lr": "a"}]),
    "order too short": _of(lambda b: [{"params": b.p}, {"order_params": b.p[:2]}]),
    "order too long": _of(lambda b: [{"params": b.p[:1]}, {"order_params": b.p}]),
    "order alone": _of(lambda b: [{"order_params": b.p}]),
    "order with lr": _of(lambda b: [{"params": b.p}, {"order_params": b.p, "lr": 0.1}]),
    "order int": _of(lambda b: [{"params": b.p}, {"order_params": 1}]),
    "lr None": _rate(lambda b: None),
    "lr -1.0": _rate(lambda b: -1.0),
    "lr -1": _rate(lambda b: -1),
    "lr nan": _rate(lambda b: float("nan")),
    "lr inf": _rate(lambda b: float("inf")),
    "lr str": _rate(lambda b: "a"),
    "lr numpy float": _rate(lambda b: np.float32(0.1)),
    "lr matrix": _rate(lambda b: b.tensor([[0.1]])),
    "lr 0-d array": _rate(lambda b: np.array(0.1)),
    "lr list of str": _rate(lambda b: [0.1, "a"]),
    "lr Cell": _rate(lambda b: b.nn.ReLU()),
    "lr function": _rate(lambda b: lambda step: 0.1),
    "lr list too short": _late,
    "weight_decay -1": _momentum(weight_decay=-1.0),
    "weight_decay None": _momentum(weight_decay=None),
    "weight_decay str": _momentum(weight_decay="a"),
    "weight_decay list": _momentum(weight_decay=[0.1]),
    "weight_decay Tensor": lambda b: _momentum(weight_decay=b.tensor(0.1))(b),
    "loss_scale 0": _momentum(loss_scale=0.0),
    "loss_scale -1": _momentum(loss_scale=-1.0),
    "loss_scale None": _momentum(loss_scale=None),
    "loss_scale str": _momentum(loss_scale="a"),
    "loss_scale Tensor": lambda b: _momentum(loss_scale=b.tensor(2.0))(b),
    "momentum -1": _momentum(momentum=-1.0),
    "momentum str": _momentum(momentum="a"),
    "momentum None": _momentum(momentum=None),
    "use_nesterov int": _momentum(use_nesterov=1),
    "SGD momentum -1": _with("SGD", momentum=-1.0),
    "SGD momentum str": _with("SGD", momentum="a"),
    "SGD dampening -1": _with("SGD", dampening=-1.0),
    "SGD nesterov int": _with("SGD", momentum=0.9, nesterov=1),
    "SGD nesterov without momentum": _with("SGD", nesterov=True),
    "SGD nesterov with dampening": _with("SGD", momentum=0.9, dampening=0.1, nesterov=True),
    "SGD weight_decay Cell": lambda b: b.nn.SGD(b.p, weight_decay=b.decay()),
    "Adam beta1 0": _with("Adam", beta1=0.0),
    "Adam beta1 1": _with("Adam", beta1=1.0),
    "Adam beta1 int": _with("Adam", beta1=1),
    "Adam beta2 2": _with("Adam", beta2=2.0),
    "Adam beta2 str": _with("Adam", beta2="a"),
    "Adam eps 0": _with("Adam", eps=0.0),
    "Adam eps int": _with("Adam", eps=1),
    "Adam use_locking int": _with("Adam", use_locking=1),
    "Adam use_nesterov int": _with("Adam", use_nesterov=1),
    "Adam use_amsgrad int": _with("Adam", use_amsgrad=1),
    "Adam use_lazy int": _with("Adam", use_lazy=1),
    "Adam use_offload int": _with("Adam", use_offload=1),
    "Adam unknown keyword": _with("Adam", foo=True),
    "Adam lazy and offload": _with("Adam", use_lazy=True, use_offload=True),
    "Adam lazy and amsgrad": _with("Adam", use_lazy=True, use_amsgrad=True),
    "Adam offload and amsgrad": _with("Adam", use_offload=True, use_amsgrad=True),
    "AdamWeightDecay beta1 0": _with("AdamWeightDecay", beta1=0.0),
    "AdamWeightDecay eps 0": _with("AdamWeightDecay", eps=0.0),
    "AdamWeightDecay eps int": _with("AdamWeightDecay", eps=1),
    "AdamWeightDecay weight_decay -1": _with("AdamWeightDecay", weight_decay=-1.0),
    "RMSProp decay -1": _with("RMSProp", decay=-1.0),
    "RMSProp decay int": _with("RMSProp", decay=1),
    "RMSProp momentum -1": _with("RMSProp", momentum=-1.0),
    "RMSProp momentum int": _with("RMSProp", momentum=1),
    "RMSProp epsilon 0": _with("RMSProp", epsilon=0.0),
    "RMSProp use_locking int": _with("RMSProp", use_locking=1),
    "RMSProp centered int": _with("RMSProp", centered=1),
    "Adagrad accum -1": _with("Adagrad", accum=-1.0),
    "Adagrad accum int": _with("Adagrad", accum=1),
    "Adagrad update_slots int": _with("Adagrad", update_slots=1),
    "AdaMax beta1 0": _with("AdaMax", beta1=0.0),
    "AdaMax eps 0": _with("AdaMax", eps=0.0),
    "Adadelta rho 2": _with("Adadelta", rho=2.0),
    "Adadelta epsilon -1": _with("Adadelta", epsilon=-1.0),
    "LazyAdam beta2 0": _with("LazyAdam", beta2=0.0),
    "FTRL initial_accum -1": _with("FTRL", initial_accum=-1.0),
    "FTRL lr_power 1": _with("FTRL", lr_power=1.0),
    "FTRL l1 -1": _with("FTRL", l1=-1.0),
    "FTRL lr list": _with("FTRL", learning_rate=[0.1, 0.2]),
    "ProximalAdagrad accum -1": _with("ProximalAdagrad", accum=-1.0),
    "ProximalAdagrad l1 -1": _with("ProximalAdagrad", l1=-1.0),
    "Rprop etas list": _with("Rprop", etas=[0.5, 1.2]),
    "Rprop etas reversed": _with("Rprop", etas=(1.2, 0.5)),
    "Rprop step_sizes reversed": _with("Rprop", step_sizes=(50.0, 1e-6)),
    "ASGD lambd int": _with("ASGD", lambd=1),
    "called with nothing": lambda b: b.nn.Momentum(b.p, 0.1, 0.9)(),
    "called with None": _called(lambda b, g: None),
    "called with a Tensor": _called(lambda b, g: g[0]),
    "too few gradients": _called(lambda b, g: g[:2]),
    "too many gradients": _called(lambda b, g: g + g),
    "too few gradients, decay": _called(lambda b, g: g[:2], weight_decay=0.1),
    "gradient of another shape": _called(lambda b, g: (g[1], g[1], g[2], g[3])),
    "gradient of another shape, decay": _called(lambda b, g: (g[1], g[1], g[2], g[3]), weight_decay=0.1),
    "arrays": _called(lambda b, g: tuple(x.asnumpy() for x in g)),
    "get_lr_parameter int": lambda b: b.nn.Momentum(b.p, 0.1, 0.9).get_lr_parameter(1),
    "get_lr_parameter tuple": lambda b: b.nn.Momentum(b.p, 0.1, 0.9).get_lr_parameter(tuple(b.p)),
    "get_lr_parameter list of ints": lambda b: b.nn.Momentum(b.p, 0.1, 0.9).get_lr_parameter([1]),
    "get_lr_parameter unknown": lambda b: b.nn.Momentum(b.p[:1], 0.1, 0.9).get_lr_parameter(b.p[1]),
    "unique int": lambda b: setattr(b.nn.Momentum(b.p, 0.1, 0.9), "unique", 1),
    "target unknown": lambda b: setattr(b.nn.Momentum(b.p, 0.1, 0.9), "target", "X"),
    "Optimizer called": lambda b: b.nn.Optimizer(0.1, b.p)(b.gradients(0)),
}


def outcomes(ms: Any) -> dict[str, Any]:
    """Take the steps of the optimizers of the table, one by one.

    Per sample: the names, shapes and dtypes of all its parameters in order; the values of the trained ones after every
    step and of all after the first and the last step; or the type of its exception.
    """

    def values(parameters: Any) -> list[np.ndarray]:
        plain = [p.astype(ms.float32) if p.dtype == ms.bfloat16 else p for p in parameters]
        return [p.asnumpy().copy() for p in plain]  # asnumpy shares memory with the Parameter

    def run(sample: Sample) -> dict[str, Any]:
        bench = Bench(ms, sample.dtype)
        optimizer = sample.make(bench)
        everything = [p for _, p in optimizer.parameters_and_names()]
        entry: dict[str, Any] = {
            "names": [n for n, _ in optimizer.parameters_and_names()],
            "parameters": [[p.name, list(p.shape), str(p.dtype)] for p in everything],
            "str": str(optimizer),
            "returns": [],
        }
        arrays = values(everything)
        for step in range(sample.steps):
            if sample.meanwhile is not None:
                sample.meanwhile(bench, optimizer, step)
            dtype = sample.grad_dtype and getattr(ms, sample.grad_dtype)
            gradients = bench.gradients(step, dtype, [p.name for p in optimizer.parameters])
            entry["returns"].append(repr(optimizer(gradients)))
            arrays += values(everything if step in (0, sample.steps - 1) else bench.p)
        return entry | {"arrays": arrays}

    def outcome(sample: Sample) -> dict[str, Any]:
        try:
            return run(sample)
        except Exception as error:  # what MindSpore raises is what we want to know
            return {"error": type(error).__name__}

    def failure(fail: Fail) -> str | None:
        try:
            fail(Bench(ms))
        except Exception as error:
            return type(error).__name__
        return None

    assert len({sample.id for sample in SAMPLES}) == len(SAMPLES), "two samples are the same"
    return {
        "shapes": {k: list(v) for k, v in SHAPES.items()},
        "samples": {sample.id: outcome(sample) for sample in SAMPLES},
        "fails": {name: failure(fail) for name, fail in FAILS.items()},
    }
