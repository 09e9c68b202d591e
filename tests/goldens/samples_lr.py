"""Learning rate schedules with all their arguments, recorded and tested."""

import itertools
from typing import Any

SCHEDULES: list[tuple[str, tuple]] = [
    *(("ExponentialDecayLR", (0.1, 0.9, 4, stair)) for stair in (False, True)),
    *(("NaturalExpDecayLR", (0.1, 0.9, 4, stair)) for stair in (False, True)),
    *(("InverseDecayLR", (0.1, 0.9, 4, stair)) for stair in (False, True)),
    ("CosineDecayLR", (0.01, 0.1, 4)),
    ("CosineDecayLR", (0.0, 1.0, 7)),
    *(
        ("PolynomialDecayLR", (0.1, 0.01, 4, p, again))
        for p, again in itertools.product((0.5, 2.0), (False, True))
    ),
    ("WarmUpLR", (0.1, 4)),
    ("WarmUpLR", (1.0, 3)),
]

LISTS: list[tuple[str, tuple]] = [
    ("piecewise_constant_lr", ([2, 5, 10], [0.1, 0.05, 0.01])),
    ("piecewise_constant_lr", ((1, 2), (1.0, 0.5))),
    *(
        (name, (0.1, 0.9, 12, 2, 3, stair))
        for name in ("exponential_decay_lr", "natural_exp_decay_lr", "inverse_decay_lr")
        for stair in (False, True)
    ),
    ("cosine_decay_lr", (0.01, 0.1, 12, 2, 3)),
    *(
        ("polynomial_decay_lr", (0.1, 0.01, 14, 2, 2, p, u))
        for p, u in itertools.product((0.5, 2.0), (False, True))
    ),
    ("warmup_lr", (0.1, 12, 2, 3)),
    ("warmup_lr", (0.0, 3, 1, 1)),
]

STEPS = range(12)

FAILS: list[tuple[str, tuple]] = [
    ("ExponentialDecayLR", arguments)
    for arguments in ((0.0, 0.9, 4), (-0.1, 0.9, 4), (1, 0.9, 4), ("a", 0.9, 4), (0.1, 0.0, 4), (0.1, 1, 4), (0.1, 0.9, 0),
                      (0.1, 0.9, 4.0), (0.1, 0.9, 4, 1), (None, 0.9, 4))
] + [
    ("NaturalExpDecayLR", (0.1, -0.9, 4)),
    ("InverseDecayLR", (0.1, 0.9, -4)),
    *(("CosineDecayLR", a) for a in ((0.1, 0.1, 4), (0.2, 0.1, 4), (-0.1, 0.1, 4), (0.0, 0.0, 4), (0, 0.1, 4), (0.01, 0.1, 0),
                                     (0.01, 0.1, 4.0), (0.01, 1, 4))),
    *(("PolynomialDecayLR", a) for a in ((0.1, 0.01, 4, 0.0), (0.1, 0.01, 4, 1), (0.1, 0.01, 4, -1.0), (0.1, 0.1, 4, 0.5), (0.1, -0.1, 4, 0.5),
                                         (0.0, 0.01, 4, 0.5), (0.1, 0.01, 0, 0.5), (0.1, 0.01, 4, 0.5, 1), (1, 0.01, 4, 0.5),
                                         (0.1, 0, 4, 0.5), (0.1, 0.01, 4, "a"))),
    *(("WarmUpLR", a) for a in ((0.0, 4), (-0.1, 4), (1, 4), (0.1, 0), (0.1, 4.0))),
    *(("piecewise_constant_lr", a) for a in ((2, [0.1]), ([2], 0.1), ([2, 5], [0.1]), ([5, 2], [0.1, 0.2]), ([0, 2], [0.1, 0.2]),
                                             ([2.0, 5], [0.1, 0.2]), ([2, 5], [1, 0.2]), ([2, 5], [-0.1, 0.2]), ([], []))),
    *((name, a) for name in ("exponential_decay_lr", "natural_exp_decay_lr", "inverse_decay_lr")
      for a in ((0.0, 0.9, 12, 2, 3), (0.1, 0.0, 12, 2, 3), (0.1, 0.9, 0, 2, 3), (0.1, 0.9, 12, 0, 3), (0.1, 0.9, 12, 2, 0),
                (0.1, 0.9, 12.0, 2, 3), (0.1, 0.9, 12, 2, 3, 1), (1, 0.9, 12, 2, 3))),
    *(("cosine_decay_lr", a) for a in ((0.1, 0.1, 12, 2, 3), (-0.1, 0.1, 12, 2, 3), (0.01, 0.1, 0, 2, 3), (0, 0.1, 12, 2, 3),
                                       (0.01, 0.1, 12, 2, 3.0), (0.0, 0.0, 12, 2, 3))),
    *(("polynomial_decay_lr", a) for a in ((0.1, -0.01, 12, 2, 2, 0.5), (0.1, 0.01, 12, 2, 2, 0.0), (0.1, 0.2, 12, 2, 2, 0.5),
                                           (0.1, 0.01, 12, 2, 2, 0.5, 1), (0.1, 0.01, 12, 2, 2, 1), (0.0, 0.01, 12, 2, 2, 0.5))),
    *(("warmup_lr", a) for a in ((-0.1, 12, 2, 3), (1, 12, 2, 3), (0.1, 0, 2, 3), (0.1, 12, 0, 3), (0.1, 12, 2, 0), (0.1, 12.0, 2, 3))),
]  # fmt: skip


def key(name: str, arguments: tuple) -> str:
    """Return the name of a case in the golden file."""
    return f"{name}{arguments!r}"


def made(ms: Any, name: str, arguments: tuple) -> Any:
    """Call one of the names above in an implementation."""
    return getattr(ms.nn, name)(*arguments)


def outcomes(ms: Any) -> dict[str, Any]:
    """The rates of schedules and lists, and the types of exceptions."""

    def schedule(name: str, arguments: tuple) -> dict[str, Any]:
        cell = made(ms, name, arguments)
        rates = [cell(ms.Tensor(step, ms.int32)) for step in STEPS]
        vector = cell(ms.Tensor([3], ms.int32))
        return {
            "values": [float(r.asnumpy()) for r in rates],
            "dtype": str(rates[0].dtype),
            "shape": list(rates[0].shape),
            "vector": [list(vector.shape), vector.asnumpy().tolist()],
            "str": str(cell),
        }

    def failure(name: str, arguments: tuple) -> str | None:
        try:
            made(ms, name, arguments)
        except Exception as error:  # what MindSpore raises is what we want to know
            return type(error).__name__
        return None

    return {
        "schedules": {key(*case): schedule(*case) for case in SCHEDULES},
        "lists": {key(*case): made(ms, *case) for case in LISTS},
        "fails": {key(*case): failure(*case) for case in FAILS},
    }
