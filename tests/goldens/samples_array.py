"""Samples of the operators on arrays: what to call, and what the oracle is (see `samples.py`)."""

from collections.abc import Callable
from itertools import product

from samples import DT, In, Sample, below, d, f, h, lit, s, spread, unit

NAN, INF = float("nan"), float("inf")
SPECIAL = lit([NAN, INF, -INF, 0.0, -0.0, 1.5, -2.5])
INTS = "int8 int16 int32 int64 uint8".split()
SHAPES: list[tuple[int, ...]] = [(), (3,), (2, 3), (2, 1, 4), (2, 3, 1, 2), (0, 3)]


def i(*shape: int, dtype: str = "int32") -> In:
    return below(7, *shape, dtype=dtype)


def b(*shape: int) -> In:
    return below(2, *shape, dtype="bool")


def small(*shape: int) -> In:
    """In (-1, 1), away from the ends."""
    return In("unit", shape, "float32")


def of(name: str, *, fixed: tuple[int, ...] = ()) -> Callable:
    """PyTorch's function of that name is the oracle; it has no gradient for the arguments `fixed`."""

    def call(torch, *args, **kwargs):  # noqa: ANN001, ANN002, ANN003, ANN202
        args = [a.detach() if k in fixed and hasattr(a, "detach") else a for k, a in enumerate(args)]
        return getattr(torch, name)(*args, **kwargs)

    return call


def unary(
    op: str, kind: Callable = f, torch: str | None = None, ints: bool = True, special: bool = True
) -> list[Sample]:
    """A function of one array: shapes, 16 and 64 bits, special values; integers as PyTorch takes them."""
    rows = [s(op, kind(*shape)) for shape in SHAPES]
    rows += [
        s(op, In(kind(2).kind, (2, 3), t), tol=1e-2 if t == "float16" else None)
        for t in ("float16", "float64")
    ]
    rows += [s(op, SPECIAL, grad=False, torch=of(torch or op))] if special else []
    if ints:
        rows += [
            s(op, lit([0, 1, 2], t), torch=of(torch or op), grad=False, tol=1e-5) for t in ("int32", "uint8")
        ]
        rows.append(s(op, lit([True, False], "bool"), torch=of(torch or op), grad=False, tol=1e-5))
    return rows


PAIRS = [
    (f(2, 3), f(2, 3)),
    (f(2, 3), f(3)),
    (f(2, 1), f(1, 3)),
    (f(), f(2)),
    (f(0, 3), f(1, 3)),
    (f(2, 1, 2, 1), f(3, 1, 2)),
    (h(2, 3), h(3)),
    (d(2), d(2)),
    (f(2, 3), 2),
    (f(2, 3), -1.5),
    (h(3), 2.5),
]


def binary(
    op: str, mixed: bool = True, whole: bool = True, pairs: list | None = None, **options: object
) -> list[Sample]:
    """A function of two arrays: broadcasting, dtypes that meet, numbers on either side."""
    rows = [
        s(op, x, y, tol=4e-3 if "float16" in repr((x, y)) else None, **options) for x, y in pairs or PAIRS
    ]
    rows.append(s(op, f(2, 3), f(2), fails=True))
    if mixed:
        rows += [s(op, i(3), f(3), **options), s(op, f(3), d(3), **options), s(op, h(3), i(3), **options)]
        rows += [s(op, i(3), 2.5, **options), s(op, 3, f(3), **options)]
    if whole:
        rows += [s(op, below(6, 3, dtype=t), lit([1, 2, 3], t), **options) for t in INTS]
        rows += [s(op, i(3, dtype="int8"), lit([1, 2, 3], "int32"), **options), s(op, i(3), 2, **options)]
        rows += [s(op, b(3), lit([1, 2, 3], "int64"), **options)]
    return rows


ARITHMETIC = [
    *binary("add"),
    *binary("sub"),
    *binary("mul"),
    *binary("div"),
    s("add", b(4), b(4), torch=of("add")),
    s("mul", b(4), b(4)),
    s("add", lit([1 + 2j, 3 - 1j], "complex64"), lit([1j, 2], "complex64")),
    s("mul", lit([1 + 2j, 3 - 1j], "complex64"), lit([1j, 2], "complex64")),
    s("div", lit([1 + 2j, 3 - 1j], "complex64"), lit([1j, 2], "complex64")),
    s("add", f(3), None, fails=True),
    *[
        s("div", lit([-5.5, 5.5, 6.0]), lit([2.0, 2.0, -3.0]), rounding_mode=m, grad=False)
        for m in ("floor", "trunc")
    ],
    *[
        s("div", lit([-5, 5, 6], "int32"), lit([2, 2, -3], "int32"), rounding_mode=m)
        for m in ("floor", "trunc")
    ],
    s("div", f(2), 2.0, rounding_mode="round", fails=True),
    *binary(
        "floor_divide", pairs=[(lit([-5.5, 5.5]), lit([2.0, -2.0])), (lit([[5.0], [-7.0]]), 2.0)], grad=False
    ),
    s("floor_divide", lit([-5, 5, -6, 7], "int32"), lit([3, -3, 3, 7], "int32")),
    s("truncate_div", lit([-5.5, 5.5]), lit([2.0, -2.0]), grad=False),
    s("truncate_div", lit([-5, 5, -6, 7], "int32"), lit([3, -3, 3, 7], "int32")),
    *binary("remainder", pairs=[(lit([-5.5, 5.5, 7.0]), lit([2.0, -2.0, 3.0])), (f(2, 3), 2.0)]),
    s("remainder", lit([-5, 5, -6, 7], "int32"), lit([3, -3, 3, 7], "int32")),
    *binary("fmod", pairs=[(lit([-5.5, 5.5, 7.0]), lit([2.0, -2.0, 3.0])), (f(2, 3), 2.0)]),
    s("fmod", lit([-5, 5, -6, 7], "int32"), lit([3, -3, 3, 7], "int32")),
    *[s("pow", f(2, 3), n) for n in (0, 1, 2, 3, -1, -2)],
    *[s("pow", unit(2, 3), n) for n in (0.5, 2.5, -1.5, 20)],
    *[s("pow", h(3), n, tol=1e-2) for n in (2, 3)],
    s("pow", unit(2, 3), f(2, 3)),
    s("pow", unit(2, 1), f(3)),
    s("pow", 2, f(3)),
    s("pow", 2.5, f(3)),
    s("pow", lit([0.0, 0.0, -2.0, -2.0]), lit([0.0, 2.0, 2.0, 3.0]), grad=False),
    s("pow", lit([0.0, 1.0]), 2),
    s("pow", lit([0.0, 1.0]), 1),
    s("pow", i(3), 2),
    s("pow", i(3), lit([0, 1, 3], "int32")),
    s("pow", i(3), 0.5),
    s("pow", 2, i(3)),
    s("pow", lit([1, -1, 2, -3], "int64"), lit([1, 3, 1, 2], "int64")),
    s("float_power", i(3), 2, grad=False),
    s("float_power", unit(3), 0.5, grad=False, why="MindSpore's gradient is float64 there"),
    *[s("neg", x) for x in (f(2, 3), f(), i(3), h(3), lit([1 + 2j], "complex64"))],
    *[s("abs", x) for x in (f(2, 3), f(), i(3), h(3), lit([0.0, -1.0, 2.0]))],
    *[s("sign", x, grad=False) for x in (f(2, 3), SPECIAL, lit([-2, 0, 3], "int32"), h(3))],
    *[s("square", x) for x in (f(2, 3), f(), i(3), h(3), d(2))],
    *unary("reciprocal", ints=False),
    s("reciprocal", lit([1, 2, 4], "int32")),
    s("addcmul", f(2, 3), f(3), f(2, 1), 0.5),
    s("addcmul", f(2), f(2), f(2)),
    s("addcdiv", f(2, 3), f(3), unit(2, 1), 0.5),
    s("lerp", f(2, 3), f(2, 3), 0.3),
    s("lerp", f(2, 3), f(3), unit(2, 3)),
    s("lerp", i(3), i(3), 0.5, fails=True),
    s("addn", [f(2, 3), f(2, 3), f(2, 3)]),
    s("addn", [f(2, 3), f(3)], fails=True),
    s("hypot", f(3), f(2, 3)),
    s("xlogy", unit(2, 3), unit(3)),
]

ELEMENTARY = [
    *unary("exp"),
    *unary("exp2", ints=False),
    *unary("expm1"),
    *unary("log", unit),
    *unary("log2", unit),
    *unary("log10", unit),
    *unary("log1p", unit),
    *unary("sqrt", unit),
    *unary("rsqrt", unit),
    *unary("sin"),
    *unary("cos"),
    *unary("tan", unit),
    *unary("asin", unit),
    *unary("acos", unit),
    *unary("atan"),
    *unary("sinh"),
    *unary("cosh"),
    *unary("asinh"),
    s("acosh", lit([1.5, 2.0, 9.0])),
    s("acosh", lit([0.5, 1.0, INF]), grad=False),
    *unary("atanh", unit),
    *unary("sinc", special=False),
    *unary("erf"),
    *unary("erfc"),
    *unary("erfinv", unit),
    s("erf", lit([1j], "complex64"), fails=True),
    s("atan2", f(2, 3), f(3)),
    s("atan2", lit([0.0, -0.0, 1.0, -1.0]), lit([-1.0, -1.0, 0.0, 0.0]), grad=False),
    s("atan2", i(3), lit([1, 2, 3], "int32"), torch=of("atan2"), tol=1e-5),
    *[s(name, x, tol=1e-6) for name in ("deg2rad", "rad2deg") for x in (f(2, 3), d(2))],
]

ROUNDING = [
    *[s(name, x) for name in ("floor", "ceil", "trunc") for x in (f(2, 3), f(), h(4), d(2))],
    *[s(name, SPECIAL, grad=False) for name in ("floor", "ceil", "trunc")],
    *[s(name, i(3, dtype="uint8"), torch=of(name)) for name in ("floor", "ceil", "trunc")],
    s("ceil", lit([1j], "complex64"), fails=True),
    *[s("round", x) for x in (f(2, 3), lit([0.5, 1.5, 2.5, -0.5, -1.5]), h(4), i(3))],
    s("round", lit([1.25, -3.456, 7.0]), decimals=1, torch=of("round"), grad=False),
    s("round", lit([125.0, -34.0]), decimals=-1, torch=of("round"), grad=False),
    *[s("frac", x) for x in (f(2, 3), lit([1.5, -1.5]))],
    *[s("clamp", f(2, 3), lo, hi) for lo, hi in ((-0.5, 0.5), (None, 0.5), (-0.5, None), (0, 1), (1, 0))],
    s("clamp", lit([-1.0, 0.0, 0.5, 1.0, 2.0]), 0.0, 1.0),
    s("clamp", i(5), 1, 3),
    s("clamp", i(5), 0.5, 2.5),
    s("clamp", f(2, 3), lit([-0.5, 0.0, 0.5]), lit([0.25, 0.5, 1.0])),
    s("clamp", SPECIAL, -1.0, 1.0, grad=False, torch=of("clamp")),
    s("clamp", h(4), -0.5, 0.5),
    s("clamp", f(3), fails=True),
    s("clip_by_value", f(2, 3), -0.5, 0.5),
    s("clip_by_value", f(2, 3), lit(-0.5), lit(0.5)),
    s("clip_by_value", [f(2), f(3)], -0.5, 0.5),
    s("clip_by_value", f(3), fails=True),
    *[
        r
        for name in ("maximum", "minimum")
        for r in binary(name, pairs=[p for p in PAIRS if p[0] != f(0, 3)])
    ],
    *[s(name, lit([1.0, 2.0, 3.0]), lit([1.0, 2.5, 2.5])) for name in ("maximum", "minimum")],
    *[
        s(name, SPECIAL, lit(0.5), grad=False, torch=of(name))
        for name in ("maximum", "minimum", "fmax", "fmin")
    ],
    s("fmax", f(2, 3), f(3)),
    s("fmin", f(2, 3), f(3), torch=of("fmin")),
    s("nan_to_num", SPECIAL, grad=False),
    s("nan_to_num", SPECIAL, 1.0, 2.0, 3.0, grad=False),
]

COMPARISON = [
    *[
        s(name, *p)
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
        for p in ((i(2, 3), i(3)), (f(2), f(2)), (i(3), 3))
    ],
    *[
        s(name, SPECIAL, lit([NAN, INF, INF, -0.0, 0.0, 1.5, 2.5]))
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    ],
    *[s(name, i(3), lit([1.0, 2.5, 3.0])) for name in ("eq", "lt")],
    *[s(name, b(4), b(4)) for name in ("eq", "ne", "lt")],
    s("eq", f(2, 3), f(2), fails=True),
    s("lt", lit([1j], "complex64"), lit([1j], "complex64"), fails=True),
    *[
        s(name, *p)
        for name in ("logical_and", "logical_or", "logical_xor")
        for p in ((b(2, 3), b(3)), (i(3), b(3)))
    ],
    *[s("logical_not", x) for x in (b(2, 3), i(3), f(2))],
    *[s(name, SPECIAL) for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal")],
    *[s(name, i(3), torch=of(name)) for name in ("isnan", "isinf", "isfinite")],
    s("signbit", lit([1, -1, 0], "int32")),
    s("isclose", lit([1.0, 2.0, NAN, INF, INF]), lit([1.000001, 2.1, NAN, INF, -INF])),
    s("isclose", lit([1.0, 2.0, NAN]), lit([1.1, 2.1, NAN]), 0.0, 0.15, True),
    s("isclose", i(3), i(3)),
    s("where", b(2, 3), f(2, 3), f(2, 3)),
    s("where", b(3), f(2, 1), f(3)),
    s("where", b(2, 3), f(2, 3), 0.5),
    s("where", b(2, 3), 1, 2),
    s("where", b(2, 3), 1.5, 2),
    s("where", b(2, 3), i(2, 3), f(2, 3)),
    s("where", b(2, 3), f(2), f(3), fails=True),
    *[
        s(name, *p)
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
        for p in ((i(2, 3), i(3)), (b(3), b(3)), (i(3), 3))
    ],
    *[s("bitwise_and", below(6, 3, dtype=t), lit([1, 2, 3], t)) for t in INTS],
    s("bitwise_and", f(2), f(2), fails=True),
    s("invert", lit([0, 5, -3], "int32")),
    s("invert", lit([0, 5], "uint8")),
    s("bitwise_left_shift", i(3), lit([1, 2, 3], "int32")),
    s("bitwise_right_shift", lit([16, -5, 7], "int32"), lit([1, 1, 2], "int32")),
    s("gcd", lit([12, 9, 0], "int32"), lit([8, 6, 5], "int32")),
    s("lcm", lit([12, 9, 4], "int32"), lit([8, 6, 5], "int32")),
    s("population_count", lit([0, 7, 8], "int32"), ms=lambda ms, x: ms.ops.PopulationCount()(x)),
]

AXES: list = [None, 0, -1, (0, 1), (), 1]


def reducing(op: str, axis: str, keep: str, kinds: list[In], **options: object) -> list[Sample]:
    rows = [
        s(op, f(2, 3, 4), **({axis: a} | ({keep: True} if k else {})), **options)
        for a, k in product(AXES, (0, 1))
    ]
    rows += [s(op, f(), **{axis: None}, **options), s(op, f(3), **{axis: 0}, **options)]
    rows += [
        s(op, kind, **{axis: 0}, **options, tol=4e-3 if kind.dtype == "float16" else None) for kind in kinds
    ]
    rows += [s(op, f(2, 3), **{axis: 2}, fails=True), s(op, f(2, 3), **{axis: -3}, fails=True)]
    rows += [s(op, f(2, 3), **{axis: 1.0}, fails=True), s(op, f(2, 3), **{axis: "a"}, fails=True)]
    return rows


KINDS = [h(3, 2), d(3, 2), *[i(3, 2, dtype=t) for t in INTS], lit([[1 + 2j, 2]], "complex64")]
REAL = [h(3, 2), d(3, 2)]

REDUCTION = [
    *reducing("sum", "dim", "keepdim", [*KINDS, b(3, 2)]),
    s("sum", f(2, 3), dtype=DT("float64"), grad=False),
    s("sum", f(2, 3), dtype=DT("int32")),
    s("sum", f(0, 3), 0),
    s("sum", In("unit", (3000,), "float16"), 0),
    s("sum", f(2, 3), (0, 0), fails=True),
    *reducing("mean", "axis", "keep_dims", KINDS[:-1]),
    s("mean", lit([-5, 2, 1], "int32")),
    s("mean", b(3), fails=True),
    *[
        r
        for r in reducing("prod", "axis", "keep_dims", [*KINDS[:-1], b(3, 2)])
        if r.kwargs["axis"] not in (None, ())
    ],
    *[s("prod", x, grad=x != f(2, 3, 4)) for x in (f(2, 3), f(2, 3, 4), f())],
    s("prod", lit([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0]]), 1),
    *[r for n in ("std", "var") for r in reducing(n, "axis", "keepdims", [h(3, 2)]) if r.args[0] != f()],
    *[s(n, x, grad=False, tol=1e-6) for n in ("std", "var") for x in (f(), d(3, 2))],
    *[s(name, f(3, 4), 0, k) for name in ("std", "var") for k in (1, 2, True)],
    s("std_mean", f(3, 4), 0),
    s("var_mean", f(3, 4), 1, 1, True),
    s("std", f(3), 0, 1.5, fails=True),
    *[
        s(n, x, axis=a, keep_dims=k)
        for n in ("all", "any")
        for x in (b(2, 3), f(2, 3))
        for a in (None, 0, (0, 1))
        for k in (True, False)
    ],
    s("all", f(2, 3), 5, fails=True),
    *[s("count_nonzero", x, axis=a) for x in (i(2, 3), lit([[0.0, 1.0]])) for a in ((), 0, (0, 1))],
    *[s("logsumexp", f(2, 3), a, k) for a in (0, -1, (0, 1)) for k in (True, False)],
    s("logsumexp", lit([100.0, 101.0, -INF]), 0, torch=of("logsumexp")),
    s("logsumexp", f(2), 3, fails=True),
    s("nansum", lit([[1.0, NAN], [2.0, 3.0]]), 0),
    s("nansum", lit([[1.0, NAN], [2.0, 3.0]])),
    s("nanmean", lit([[1.0, NAN], [2.0, 3.0]]), 0, torch=of("nanmean")),
]

EXTREMA = [
    *[s(n, spread(2, 3, 4), a, k) for n in ("max", "min") for a in (None, 0, -1, 1) for k in (True, False)],
    *[
        s(n, In("spread", (3, 2), t), 0)
        for n in ("max", "min", "amax", "amin")
        for t in ("float16", "float64", "int32", "uint8")
    ],
    *[s(n, lit([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]]), 1) for n in ("max", "min", "amax", "amin")],
    s("max", lit([1.0, 3.0, 3.0])),
    s("max", spread(2, 3), 1, initial=0.0),
    s("max", spread(2, 3), 1, initial=-9.0, where=lit([True, False, True], "bool")),
    s("max", lit([NAN, 1.0, 3.0]), 0, grad=False),
    s("max", f(2, 3), (0, 1), fails=True),
    s("max", f(2, 3), 2, fails=True),
    s("max", f(0, 3), 0, fails=True),
    s("min", f(2, 3), -3, fails=True),
    *[
        s(n, spread(2, 3, 4), axis=a, keepdims=k)
        for n in ("amax", "amin")
        for a in AXES
        for k in (True, False)
    ],
    s("amax", spread(2, 3), 1, initial=0.0),
    s("amax", lit([1.0, NAN, 3.0]), grad=False, torch=of("amax")),
    s("amax", f(2, 3), 5, fails=True),
    *[s("argmax", spread(2, 3, 4), dim=a, keepdim=k) for a in (None, 0, -1) for k in (True, False)],
    *[s("argmin", spread(2, 3, 4), axis=a, keepdims=k) for a in (None, 0, -1) for k in (True, False)],
    s("argmax", lit([1.0, 3.0, 3.0])),
    s("argmax", lit([1.0, NAN, 3.0]), torch=of("argmax"), grad=False),
    s("argmax", i(2, 3), 1),
    s("argmax", f(2, 3), 2, fails=True),
    s("aminmax", spread(2, 3), axis=1, keepdims=True),
    s("aminmax", spread(2, 3)),
    *[s("median", spread(2, 5), a, k) for a in (0, 1) for k in (True, False)],
    s("median", spread(4)),
]

SCAN = [
    *[s("cumsum", x, a) for x in (f(2, 3), d(2, 3), i(2, 3), i(2, 3, dtype="int8")) for a in (0, -1)],
    s("cumsum", f(2, 3), 0, DT("float16"), grad=False),
    s("cumsum", h(3, 4), 0, tol=4e-3),
    s("cumsum", f(2, 3), 2, fails=True),
    s("cumsum", b(3), 0, fails=True),
    *[s("cumprod", x, a) for x in (f(2, 3), d(2, 3), i(2, 3)) for a in (0, -1)],
    s("cumprod", lit([2.0, 0.0, 3.0, 0.0]), 0, grad=False),
    *[s(n, spread(2, 4), a) for n in ("cummax", "cummin") for a in (0, -1)],
    s("cummax", lit([1.0, 3.0, 3.0, 2.0]), 0, grad=False),
    s("cummin", lit([1, 3, 0, 0], "int32"), 0),
    *[s("logcumsumexp", f(2, 3), a) for a in (0, -1)],
    *[
        s(n, unit(2, 3), 1, e, r, ms=lambda ms, x, a, e, r, n=k: getattr(ms.ops, n)(e, r)(x, a))
        for n, k in (("running_sum", "CumSum"), ("running_prod", "CumProd"))
        for e in (True, False)
        for r in (True, False)
    ],
]

SHAPE = [
    *[s("reshape", f(2, 3), shape) for shape in ((3, 2), (6,), (-1,), (3, -1), (1, 2, 3, 1), [2, 3])],
    s("reshape", f(0, 3), (3, -1)),
    s("reshape", f(), (1, 1)),
    s("reshape", i(2, 3), (6,)),
    *[s("reshape", f(2, 3), shape, fails=True) for shape in ((4, 2), (-1, -1), (4, -1), "a", 6, (3, 2.0))],
    *[s("transpose", f(2, 3, 4), p) for p in ((2, 0, 1), (0, 1, 2), (-1, 0, 1))],
    s("transpose", i(2, 3), (1, 0)),
    *[s("transpose", f(2, 3), p, fails=True) for p in ((0,), (0, 0), (0, 2))],
    s("swapaxes", f(2, 3, 4), 0, -1),
    s("swapaxes", f(2, 3), 0, 2, fails=True),
    s("movedim", f(2, 3, 4), 0, 2),
    s("movedim", f(2, 3, 4), (0, 1), (2, 0)),
    *[s("squeeze", f(1, 2, 1), a) for a in (None, 0, (0, 2), 1, -1)],
    s("squeeze", f(1, 2), 5, fails=True),
    *[s("expand_dims", f(2, 3), a) for a in (0, 1, 2, -1, -3)],
    *[s("expand_dims", f(2, 3), a, fails=True) for a in (3, -4, 1.0)],
    *[
        s("flatten", f(2, 3, 4), **k)
        for k in ({}, {"start_dim": 0}, {"start_dim": 1, "end_dim": 1}, {"order": "F"}, {"start_dim": -2})
    ],
    s("flatten", f()),
    s("flatten", f(3)),
    s("flatten", f(2), "X", fails=True),
    s("flatten", f(2, 3), start_dim=1, end_dim=0, fails=True),
    s("ravel", f(2, 3)),
    s("t", f(2, 3)),
    s("t", f(3)),
    *[s("broadcast_to", f(2, 1), shape) for shape in ((2, 3), (4, 2, 3), (-1, 3), (2, 1))],
    *[s("broadcast_to", f(2, 3), shape, fails=True) for shape in ((2, 2), (3,), (-1, 2, 3))],
    *[s("pad", f(1, 2, 3, 4), n) for n in ((1, 2), [1, 0, 2, 1], (-1, 1))],
    *[s("pad", f(1, 2, 3, 4), (1, 1, 1, 1), m) for m in ("reflect", "replicate", "circular")],
    s("pad", f(2, 3), (1, 1), "constant", 5.0),
    s("pad", f(2, 3), (1, 1), "constant", 5),
    s("pad", f(2, 3), ()),
    *[
        s("pad", f(2, 3), n, m, fails=True)
        for n, m in (((1,), "constant"), ((1, 1), "foo"), ((9, 9), "reflect"))
    ],
    s("pad", f(2, 3), (1, 1, 1, 1, 1, 1), fails=True),
    s("pad", f(2, 3), (1.0, 1), fails=True),
    s("pad", f(2, 3), (1, 1), "reflect", 1.0, fails=True),
    *[s("tile", f(2, 3), n) for n in ((2, 2), (2,), (2, 1, 1), (0, 1), ())],
    *[s("tile", f(2, 3), n, fails=True) for n in (2, (-1,))],
    *[s("flip", f(2, 3), a) for a in ((0,), (0, 1), (-1,), ())],
    *[s("flip", f(2, 3), a, fails=True) for a in (0, (0, 0), (2,))],
    *[s("roll", f(2, 3), *a, torch=of("roll")) for a in ((1,), (1, 0), ((1, 2), (0, 1)), (-1, 1))],
    *[s("rot90", f(2, 3), k, (0, 1)) for k in (1, 2, 3)],
    s("rot90", f(2, 3, 4), 1, (2, 0)),
]

JOINING = [
    *[s("concat", (f(2, 3), f(2, 3)), a) for a in (0, 1, -1)],
    s("concat", (f(2, 3), f(1, 3))),
    s("concat", [i(2, 3), i(2, 3)]),
    s("concat", (f(2, 3),)),
    s("concat", (f(2, 3), d(2, 3)), torch=of("concat")),
    s("concat", (f(2, 3), f(2, 3)), 2, fails=True),
    s("concat", (f(2, 3), f(2, 2)), fails=True),
    s("concat", (f(2, 3), f(2, 3, 1)), fails=True),
    s("concat", (), fails=True),
    s("concat", f(2, 3), fails=True),
    *[s("stack", (f(2, 3), f(2, 3)), a) for a in (0, 1, 2, -1)],
    s("stack", (f(), f())),
    s("stack", (f(2), i(2)), fails=True),
    s("stack", (f(2), f(3)), fails=True),
    s("stack", (f(2), f(2)), 2, fails=True),
    s("stack", (), fails=True),
    s("hstack", (f(2, 3), f(2, 1))),
    s("hstack", (f(2), f(3))),
    s("vstack", (f(2, 3), f(1, 3))),
    s("vstack", (f(3), f(3))),
    *[s("split", f(5, 3), *a) for a in ((2,), ((1, 4),), (1, 1), ([2, 1], 1), (7,))],
    *[s("split", f(5, 3), *a, fails=True) for a in ((0,), (-1,), ((1, 1),), (2.0,), (1, 2))],
    *[s("chunk", f(5, 3), *a) for a in ((2,), (3, 1), (7,), (1,))],
    s("chunk", f(5), 0, fails=True),
    *[s("tensor_split", f(7, 2), *a) for a in ((3,), ((2, 5),), (2, 1))],
    s("unbind", f(2, 3)),
    s("unbind", f(2, 3), 1),
    s("unbind", f(2, 3), 2, fails=True),
    *[s("repeat_interleave", f(2, 3), *a) for a in ((2,), (2, 0), ((1, 2), 0), (3, -1))],
    s("repeat_interleave", f(2), -1, fails=True),
]

GATHER = [
    s("gather", f(3, 4), lit([0, 2, 2], "int32"), 0),
    s("gather", f(3, 4), lit([[0, 1], [3, 1]], "int32"), 1),
    s("gather", f(3, 4), lit(1, "int64"), 0),
    s(
        "gather",
        f(3, 4),
        lit([0, -1], "int32"),
        1,
        grad=False,
        why="MindSpore's gradient drops negative positions",
    ),
    s("gather", f(2, 3, 4), lit([[0, 1], [1, 2]], "int32"), 1, 1),
    s("gather", i(3, 4), lit([0, 2], "int32"), -1),
    s("gather", f(3, 4), lit([0], "int32"), 2, fails=True),
    s("gather", f(3, 4), lit([0.5]), 0, fails=True),
    *[
        s("gather_elements", f(2, 3), a, lit([[0, 1, 1], [1, 0, 0]], t))
        for a in (0, 1)
        for t in ("int32", "int64")
    ],
    s("gather_elements", f(2, 3), 1, lit([[0, -1]], "int32")),
    s("gather_elements", f(2, 3), 1, lit([0], "int32"), fails=True),
    s("gather_elements", f(2, 3), 2, lit([[0]], "int32"), fails=True),
    s("gather_nd", f(2, 3), lit([[0, 1], [1, 2]], "int32")),
    s("gather_nd", f(2, 3), lit([[0], [1], [1]], "int32")),
    s("gather_nd", f(2, 3), lit([0, 1], "int64")),
    s("gather_nd", f(2, 3), lit([[0, 1, 2]], "int32"), fails=True),
    s("index_select", f(2, 3), 1, lit([2, 0, 2], "int32")),
    s("index_select", f(2, 3), 0, lit([1], "int64")),
    s("index_select", f(2, 3), 2, lit([1], "int64"), fails=True),
    s("index_select", f(2, 3), 1, lit([[1]], "int64"), fails=True),
    s("take", f(2, 3), lit([[0, 5], [1, 1]], "int64"), torch=of("take")),
]

PICK = lit([[0, 1], [1, 2]], "int32")
TWICE = lit([[0, 1], [0, 1]], "int32")
SCATTER = [
    s("tensor_scatter_update", f(2, 3), PICK, f(2)),
    s("tensor_scatter_update", f(2, 3), lit([[0]], "int64"), f(1, 3)),
    s("tensor_scatter_update", f(2, 3), PICK, f(3), fails=True),
    s("tensor_scatter_update", f(2, 3), PICK, i(2), fails=True),
    *[s(f"tensor_scatter_{n}", f(2, 3), TWICE, spread(2)) for n in ("add", "sub")],
    *[s(f"tensor_scatter_{n}", f(2, 3), TWICE, spread(2), grad=False) for n in ("max", "min", "mul", "div")],
    s("scatter_nd", lit([[0], [2], [0]], "int32"), f(3), (4,)),
    s("scatter_nd", lit([[0], [2]], "int32"), f(2, 3), (4, 3)),
    s("tensor_scatter_elements", f(2, 3), lit([[0, 2]], "int32"), f(1, 2), 1),
    s("tensor_scatter_elements", f(2, 3), lit([[0, 1, 1]], "int32"), f(1, 3), 0, "add"),
    s("scatter", f(2, 3), 1, lit([[0, 2], [1, 0]], "int64"), f(2, 2)),
    s("scatter", f(2, 3), 0, lit([[0, 1, 1]], "int64"), f(1, 3)),
    s("index_fill", f(2, 3), 1, lit([0, 2], "int32"), 5.0),
    s("index_fill", f(2, 3), 0, lit([1], "int32"), lit(5.0), grad=False),
    s("select_scatter", f(2, 3), f(3), 0, 1),
    s("masked_fill", f(2, 3), b(2, 3), 0.5),
    s("masked_fill", f(2, 3), b(3), lit(0.5)),
    s("masked_fill", i(2, 3), b(2, 3), 5),
    s("masked_fill", f(2, 3), i(2, 3), 0.5, fails=True),
    s("masked_fill", f(2, 3), b(2), 0.5, fails=True),
    s("masked_fill", f(2, 3), b(2, 3), f(3), fails=True),
]

SELECTING = [
    s("nonzero", lit([[0.0, 1.0], [2.0, 0.0]])),
    s("nonzero", lit([0, 3, 0, 4], "int32")),
    s("masked_select", f(2, 3), lit([[True, False, True], [False, True, True]], "bool")),
    s("masked_select", f(2, 3), lit([True, False, True], "bool")),
    s("masked_select", f(2, 1), lit([True, False, True], "bool"), torch=of("masked_select")),
    s("unique", lit([3, 1, 3, 2], "int64")),
    s("unique", lit([[3.0, 1.0], [3.0, 2.0]]), grad=False),
    s("unique_consecutive", lit([1, 1, 2, 2, 1], "int32")),
    s("unique_consecutive", lit([1, 1, 2, 2, 1], "int32"), True, True),
    s("bincount", lit([0, 1, 1, 3], "int32")),
]

SORTING = [
    *[s("sort", spread(2, 4), a, k) for a in (0, -1) for k in (True, False)],
    *[s("sort", In("spread", (5,), t)) for t in ("float16", "float64", "int32", "int64")],
    s("sort", f(2, 3), 2, fails=True),
    s("sort", f(), fails=True),
    s("sort", f(2), descending=1, fails=True),
    *[s("argsort", spread(2, 4), a, k) for a in (0, -1) for k in (True, False)],
    s("msort", spread(4, 2)),
    *[s("topk", spread(3, 4), *a) for a in ((2,), (1, 0), (2, 1, False), (3, -1))],
    s("topk", lit([3, 9, 5, 7], "int32"), 2),
    s("topk", f(3), 4, fails=True),
    s("topk", f(3), 0, fails=True),
    s("topk", f(3), 2.0, fails=True),
    s("searchsorted", lit([1.0, 2.0, 3.0]), lit([[0.5, 2.0], [3.0, 4.0]])),
    s("searchsorted", lit([1.0, 2.0, 3.0]), lit([2.0, 3.0]), right=True),
    s("searchsorted", lit([[1.0, 2.0], [3.0, 4.0]]), lit([[1.5], [5.0]])),
]

CREATION = [
    *[s(n, shape) for n in ("zeros", "ones") for shape in ((2, 3), 2, (0, 2), [2])],
    *[s(n, (2,), DT(t)) for n in ("zeros", "ones") for t in ("int32", "float16", "bool_")],
    s("zeros", (-1,), fails=True),
    s("zeros", 2.0, fails=True),
    s("zeros", "a", fails=True),
    s("zeros", 2, 3, fails=True),
    s("full", (2,), 3),
    s("full", (2,), 2.5),
    s("full", (2,), 2.5, dtype=DT("float16")),
    s("full", 2, 1, fails=True),
    *[s(n, x) for n in ("zeros_like", "ones_like") for x in (f(2, 3), i(2), b(2))],
    s("zeros_like", f(2), dtype=DT("int32")),
    s("full_like", f(2), 3),
    s("full_like", i(2), 3.7),
    s("full_like", f(2), 3, dtype=DT("int32")),
    *[s("eye", *a) for a in ((3,), (2, 3), (2, None), (2, 2, DT("int32")), (0,))],
    s("eye", -1, fails=True),
    s("eye", 2.0, fails=True),
    *[s("arange", *a) for a in ((5,), (5.0,), (1, 5, 2), (1, 5, 0.5), (5, 1, -1), (0,), (0.0, 1.0, 0.3))],
    s("arange", 5, dtype=DT("float32")),
    s("arange", 1, 5, 0, fails=True),
    s("arange", 5, 1, fails=True),
    s("range", 0, 6, 2),
    s("range", 0.0, 1.0, 0.25),
    *[s("linspace", *a) for a in ((0, 1, 5), (0.0, 1.0, 1), (2.0, -2.0, 4))],
    s("linspace", lit(0.0), lit(1.0), 5, grad=False),
    s("linspace", 0, 1, 0, fails=True),
    *[s("meshgrid", lit([1, 2], "int32"), lit([3, 4, 5], "int32"), indexing=k) for k in ("xy", "ij")],
    s("meshgrid", f(2), f(3), f(4)),
    s("meshgrid", f(2), f(3), indexing="a", fails=True),
    s("one_hot", lit([0, 2], "int32"), 3),
    s("one_hot", lit([0, 2], "int64"), 3, 1.0, 0.0),
    s("one_hot", lit([0, 2], "int32"), 3, lit(1.0), lit(0.0), grad=False),
    s("one_hot", lit([[0, 1]], "int32"), 3, axis=1),
    s("one_hot", lit([0, 2], "int32"), 3, 5, 1, 0),
    s("one_hot", lit([0, 9, -1], "int32"), 3),
    s("one_hot", f(2), 3, fails=True),
    s("one_hot", lit([0], "int32"), -1, fails=True),
    s("tril_indices", 2, 3),
    s("triu_indices", 3, 3, 1),
]

LINALG = [
    *[
        s("matmul", x, y)
        for x, y in (
            (f(2, 3), f(3, 4)),
            (f(3), f(3)),
            (f(2, 3), f(3)),
            (f(3), f(3, 2)),
            (f(2, 3), f(5, 3, 4)),
            (f(5, 2, 3), f(3, 4)),
            (f(2, 1, 2, 3), f(4, 3, 2)),
            (d(2, 3), d(3, 2)),
            (i(2, 3), i(3, 2)),
            (f(5, 2, 3), f(3)),
        )
    ],
    s("matmul", h(2, 3), h(3, 2), tol=4e-3),
    s("matmul", f(2, 3), f(2, 3), fails=True),
    s("matmul", f(), f(2), fails=True),
    *[
        s(n, x, y, a, c, ms=lambda ms, x, y, a, c, k=k: getattr(ms.ops, k)(a, c)(x, y))
        for n, k in (("matrix_product", "MatMul"), ("batch_product", "BatchMatMul"))
        for x, y, a, c in (
            (f(2, 3), f(3, 4), False, False),
            (f(3, 2), f(3, 4), True, False),
            (f(2, 3), f(4, 3), False, True),
            (f(3, 2), f(4, 3), True, True),
        )
    ],
    s("bmm", f(2, 3, 4), f(2, 4, 5)),
    s("bmm", f(2, 3, 4), f(2, 3, 4), fails=True),
    s("mm", f(2, 3), f(3, 4)),
    s("mm", f(2, 3), f(2, 3), fails=True),
    s("mm", f(2, 3, 4), f(2, 4, 3), fails=True),
    s("mv", f(2, 3), f(3)),
    s("dot", f(2, 3), f(3, 2)),
    s("dot", f(2, 3, 4), f(4, 2)),
    s("dot", f(2, 3), f(5, 3, 2)),
    s("dot", i(2, 3), i(3, 2), fails=True),
    s("inner", f(2, 3), f(4, 3)),
    s("inner", f(), f(2, 3)),
    s("inner", f(2), f(3), fails=True),
    s("outer", f(2), f(3)),
    s("outer", i(2), f(3)),
    s("tensor_dot", f(2, 3, 4), f(2, 3, 4), ((1, 2), (1, 2))),
    s("tensor_dot", f(2, 3), f(3, 4), 1),
    s("tensor_dot", f(2, 3), f(2, 3), 2, torch=lambda torch, x, y, n: torch.tensordot(x, y, n)),
    s("tensor_dot", f(2, 3), f(2, 3), 1, fails=True),
    *[
        s("einsum", e, *x, torch=of("einsum"))
        for e, x in (
            ("ij,jk->ik", (f(2, 3), f(3, 4))),
            ("ij,ij->i", (f(2, 3), f(2, 3))),
            ("ij->ji", (f(2, 3),)),
            ("ij,jk", (f(2, 3), f(3, 4))),
            ("...ij->...ji", (f(2, 3, 4),)),
            ("ii->i", (f(3, 3),)),
            ("bhqd,bhkd->bhqk", (f(2, 2, 3, 4), f(2, 2, 5, 4))),
        )
    ],
    s("addmm", f(2, 4), f(2, 3), f(3, 4), beta=0.5, alpha=2.0),
    s("addmm", f(4), f(2, 3), f(3, 4)),
    s("addmv", f(2), f(2, 3), f(3), beta=0.5, alpha=2.0),
    s("addr", f(2, 3), f(2), f(3), beta=0.5, alpha=2.0),
    s("baddbmm", f(2, 3, 5), f(2, 3, 4), f(2, 4, 5), beta=0.5, alpha=2.0),
    s("addbmm", f(3, 5), f(2, 3, 4), f(2, 4, 5), beta=0.5, alpha=2.0),
    s("vecdot", f(2, 3), f(2, 3)),
    s("kron", f(2, 3), f(3, 2)),
    s("cross", f(2, 3), f(2, 3)),
    s("cross", f(3, 4), f(3, 4), 0),
]

MATRICES = [
    *[s(n, x, k) for n in ("tril", "triu") for x in (f(3, 4), f(2, 3, 3), i(3, 3)) for k in (-1, 0, 1)],
    *[s(n, f(3), fails=True) for n in ("tril", "triu")],
    s("trace", f(3, 4)),
    s("trace", i(3, 3)),
    s("trace", In("unit", (300, 300), "float16"), grad=False),
    s("trace", f(2, 3, 3), fails=True),
    s("diag", f(3)),
    s("diag", i(3)),
    *[s("diagonal", f(2, 3, 4), *a) for a in ((), (1,), (0, 1, 2), (-1, 0, 2))],
    s("diagonal", f(3), fails=True),
    *[s("diag_embed", f(2, 3), *a) for a in ((), (1,), (-1,), (0, 0, 1))],
    s("block_diag", f(2, 3), f(1, 2)),
    s("norm", f(2, 3)),
    *[
        s("norm", f(2, 3), o, tol=1e-4, grad=o not in (2, -2, "nuc"))
        for o in (2, 1, "fro", "nuc", INF, -INF, -1, -2)
    ],
    *[s("norm", f(2, 3), o, 0, grad=o != 0) for o in (2, 1, 0, INF, -INF, 3, 2.5)],
    *[s("norm", f(2, 3), o, 1, True, grad=o != 0) for o in (2, 3)],
    s("norm", f(2, 3, 4), 2, (1, 2), tol=1e-4, grad=False),
    s("norm", f(2, 3, 4)),
    s("norm", f(2, 3, 4), dim=(0, 2)),
    s("norm", i(3)),
    s("norm", f(2, 3), dtype=DT("float64"), grad=False),
    s("cdist", f(3, 2), f(4, 2)),
    s("cdist", f(2, 3, 2), f(2, 4, 2), 1.0),
]

COMPLEX = [
    *[s(n, lit([1 + 2j, 3 - 1j], "complex64")) for n in ("conj", "real", "imag")],
    s("conj", f(3)),
    s("real", f(3), grad=False, why="MindSpore's gradient is complex"),
    s("angle", lit([1 + 2j, 3 - 1j], "complex64")),
    s("complex", f(3), f(3), tol=1e-6, ms=lambda ms, x, y: ms.ops.Complex()(x, y)),
    s("polar", unit(3), f(3), tol=1e-6),
    *[
        s("cast", f(2, 3), DT(t), grad=t == "float64")
        for t in ("int32", "float64", "bool_", "float16", "complex64")
    ],
    s("cast", lit([-1.5, 3.7]), DT("int8")),
    s("cast", i(3), DT("float32")),
    s("cast", f(2), "int32", fails=True),
    s("type_as", f(2), i(2), torch=lambda torch, x, y: x.to(torch.int32), grad=False),
]

FAMILIES = {
    "arithmetic": ARITHMETIC,
    "elementary": ELEMENTARY,
    "rounding": ROUNDING,
    "comparison": COMPARISON,
    "reduction": REDUCTION,
    "extrema": EXTREMA,
    "scan": SCAN,
    "shape": SHAPE,
    "joining": JOINING,
    "gather": GATHER,
    "scatter": SCATTER,
    "selecting": SELECTING,
    "sorting": SORTING,
    "creation": CREATION,
    "linalg": LINALG,
    "matrices": MATRICES,
    "complexes": COMPLEX,
}
SAMPLES = [sample for family in FAMILIES.values() for sample in family]
