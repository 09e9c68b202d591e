"""Samples of the mathematical operators: what to call, and what the oracle is (see `samples.py`)."""

from collections.abc import Callable

import numpy as np
from samples import DT, In, Sample, below, d, f, h, lit, s, unit
from samples_array import INF, NAN, of

INT32 = "int32"


def matrices(kind: str, *shape: int, dtype: str = "float32") -> In:
    """Well-conditioned matrices of one kind, fixed: "spd", "lower", "upper" or "any"."""
    n = shape[-1]
    rng = np.random.RandomState(n + len(shape))
    a = rng.randint(-4, 5, (*shape[:-1], n)) / 4.0
    if kind == "spd":
        a = a @ np.swapaxes(a, -1, -2) + np.eye(n)
    elif kind in ("lower", "upper"):
        a = (np.tril if kind == "lower" else np.triu)(a, 0) + 3 * np.eye(n)
    else:
        a = a + 2 * np.eye(n)
    if dtype.startswith("complex"):
        a = a + 1j * rng.randint(-4, 5, a.shape) / 4.0
    return lit(a.tolist(), dtype)


def z(*shape: int) -> In:
    """Complex numbers, fixed."""
    rng = np.random.RandomState(len(shape))
    return lit(((rng.randint(-8, 9, shape) + 1j * rng.randint(-8, 9, shape)) / 4).tolist(), "complex64")


def t(name: str) -> Callable:
    """PyTorch's function of a dotted name is the oracle."""

    def call(torch, *args, **kwargs):  # noqa: ANN001, ANN002, ANN003, ANN202
        fn = torch
        for part in name.split("."):
            fn = getattr(fn, part)
        found = fn(*args, **kwargs)
        return found if isinstance(found, tuple) else found.resolve_conj()

    return call


SQUARE, MANY = matrices("any", 3, 3), matrices("any", 2, 3, 3)
DECOMPOSITIONS = [
    s("cholesky", matrices("spd", 3, 3), torch=t("linalg.cholesky")),
    s("cholesky", matrices("spd", 2, 2, 2), upper=True, torch=t("linalg.cholesky")),
    s("cholesky", matrices("spd", 2, 2, dtype="float64"), grad=False),
    s("cholesky", matrices("spd", 2, 2, dtype="float16"), grad=False, tol=1e-2),
    s("cholesky", f(2, 3), fails=True),
    s("cholesky", f(3), fails=True),
    s("cholesky", matrices("spd", 2, 2), 1, fails=True),
    s("qr", f(4, 3), torch=t("linalg.qr"), tol=1e-4),
    s("qr", d(2, 3, 3), grad=False),
    s("qr", f(4, 2), "complete", grad=False),
    s("qr", f(2, 4), grad=False),
    s("qr", f(2, 2), "r", fails=True),
    s("svd", f(2, 4, 3), compute_uv=False, tol=1e-4),
    s("svd", d(2, 3), compute_uv=False),
    s("svd", h(2, 2), fails=True),
    s("svd", f(3), fails=True),
    s("geqrf", f(4, 3), grad=False),
    s("geqrf", d(2, 2, 3), grad=False),
    s("orgqr", f(4, 2), unit(2), torch=t("linalg.householder_product"), tol=1e-4),
    s("orgqr", f(2, 3, 3), unit(2, 2), torch=t("linalg.householder_product"), tol=1e-4),
    s("orgqr", f(4, 2), d(2), fails=True),
    s("ormqr", f(3, 2), unit(2), f(3, 4), torch=t("ormqr"), grad=False, tol=1e-4),
    s("ormqr", d(3, 2), In("unit", (2,), "float64"), d(4, 3), False, True, torch=t("ormqr"), grad=False),
    s("Qr", f(4, 2), new={"full_matrices": True}, grad=False),
]
SOLVING = [
    s("inverse", MANY),
    s("inverse", matrices("any", 2, 2, dtype="float64")),
    s("inverse", matrices("any", 2, 2, dtype="complex64"), grad=False),
    s("inverse", f(2, 3), fails=True),
    s("inverse", below(4, 2, 2), fails=True),
    s("pinv", f(4, 2), tol=1e-4),
    s("pinv", lit([[1.0, 2.0], [2.0, 4.0]]), grad=False, tol=1e-4),
    s("pinv", matrices("spd", 2, 2), hermitian=True, grad=False, tol=1e-4),
    s("pinv", f(2, 3, 2), atol=0.5, torch=t("linalg.pinv"), tol=1e-4),
    s("pinv", h(2, 2), fails=True),
    s("cholesky_solve", f(3, 2), matrices("lower", 3, 3), why="held"),
    s("cholesky_solve", f(2, 2, 1), matrices("upper", 2, 2, 2), True, why="held"),
    s("cholesky_solve", f(3, 2), matrices("lower", 2, 3, 3), fails=True),
    s("cholesky_inverse", matrices("lower", 3, 3), torch=of("cholesky_inverse"), why="held", tol=1e-4),
    s(
        "cholesky_inverse",
        matrices("upper", 2, 2, dtype="float64"),
        upper=True,
        torch=of("cholesky_inverse"),
        why="held",
    ),
    s("lu_solve", f(2, 1), matrices("any", 2, 2), lit([2, 2], INT32), grad=False),
    s("lu_solve", f(2, 3, 1), MANY, lit([[2, 3, 3], [1, 2, 3]], INT32), grad=False, tol=1e-4),
    s("lu_solve", f(2, 2, 1), matrices("any", 2, 2), lit([2, 2], INT32), grad=False, tol=1e-4),
    s("lu_solve", d(2, 1), matrices("any", 2, 2), lit([2, 2], INT32), fails=True),
    s("lu_unpack", MANY, lit([[2, 3, 3], [1, 2, 3]], INT32), grad=False),
    s("lu_unpack", f(4, 2), lit([3, 4], INT32), grad=False),
    s("lu_unpack", f(2, 4), lit([2, 2], "int64"), grad=False),
    s("lstsq", f(4, 2), f(4, 3), tol=1e-4, grad=False),
    s("lstsq", d(2, 4), d(2, 1), grad=False),
    s("lstsq", f(4, 2), f(4), grad=False, tol=1e-4),
    s("lstsq", f(4, 2), d(4, 3), fails=True),
    s("matrix_solve", MANY, f(2, 3, 2), tol=1e-4),
    s("matrix_solve", SQUARE, f(3, 1), True, tol=1e-4),
    s("matrix_solve", SQUARE, f(3), fails=True),
    s("MatrixSolveLs", f(2, 4, 2), f(2, 4, 1), lit(0.5, "float64"), new={"fast": True}, grad=False, tol=1e-4),
    s("MatrixSolveLs", f(2, 4), f(2, 1), lit(0.5, "float64"), new={"fast": True}, grad=False, tol=1e-4),
    s("MatrixSolveLs", f(2, 4), f(2, 1), lit(0.5, "float64"), new={"fast": False}, grad=False, tol=1e-4),
    s("MatrixTriangularSolve", matrices("lower", 2, 3, 3), f(2, 3, 2), new={}, grad=False),
    s("MatrixTriangularSolve", SQUARE, f(3, 2), new={"lower": False, "adjoint": True}, grad=False, tol=1e-4),
    s("MatrixInverse", matrices("any", 2, 2, dtype="complex64"), new={"adjoint": True}, grad=False),
    s("TridiagonalMatMul", f(1, 3), f(1, 3), f(1, 3), f(3, 2), new={}, grad=False),
]
DETERMINANTS = [
    s("det", MANY, tol=1e-4),
    s("det", matrices("any", 2, 2, dtype="complex64"), grad=False),
    s("det", matrices("any", 2, 2, dtype="float16"), grad=False),
    s("det", f(2, 3), fails=True),
    s("det", f(3), fails=True),
    s("slogdet", MANY, tol=1e-4),
    s("slogdet", matrices("any", 2, 2, dtype="complex64"), grad=False),
    s("slogdet", lit([[1.0, 2.0], [2.0, 4.0]]), grad=False),
    s("logdet", matrices("spd", 2, 3, 3), tol=1e-4),
    s("logdet", lit([[0.0, 1.0], [1.0, 0.0]]), grad=False),
    s("logdet", matrices("any", 2, 2, dtype="complex64"), grad=False),
    *[s("matrix_power", MANY, n, tol=2e-4, torch=t("linalg.matrix_power")) for n in (3, -2, 0)],
    s("matrix_power", below(5, 2, 2), 2),
    s("matrix_power", SQUARE, 2.0, fails=True),
    s("matrix_exp", MANY, torch=of("matrix_exp"), tol=2e-4),
    s("matrix_exp", matrices("any", 2, 2, dtype="float64"), torch=of("matrix_exp")),
    s("matrix_exp", matrices("any", 2, 2, dtype="complex64"), torch=of("matrix_exp"), grad=False, tol=1e-4),
    s("MatrixLogarithm", matrices("any", 2, 3, 3, dtype="complex64"), new={}, grad=False, tol=1e-4),
    s("MatrixLogarithm", f(2, 2), new={}, fails=True),
]
_K = lit([-1, 2], INT32)
BANDS = [
    s("matrix_band_part", f(3, 4), 1, 0),
    s("matrix_band_part", f(2, 3, 4), -1, 2),
    s("matrix_band_part", below(9, 3, 4), lit(0, INT32), lit(-1, INT32)),
    s("matrix_band_part", f(3, 4), 1.0, 0, fails=True),
    s("matrix_band_part", f(3), 1, 0, fails=True),
    s("matrix_diag", f(3)),
    s("matrix_diag", f(2, 3), 1),
    s("matrix_diag", f(2, 3), -1, 4, 5, 7.0),
    *[
        s("matrix_diag", f(2, 2, 3), lit([-1, 0], INT32), align=a)
        for a in ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
    ],
    s("matrix_diag", f(2, 2, 3), lit([1, 2], INT32), 3, 5, align="RIGHT_LEFT"),
    s("matrix_diag", f(3), align="UP", fails=True),
    s("matrix_diag_part", f(2, 3, 4), lit(0, INT32), lit(0.0)),
    *[s("matrix_diag_part", f(2, 3, 4), _K, lit(7.0), align=a) for a in ("RIGHT_LEFT", "LEFT_RIGHT")],
    s("matrix_diag_part", f(4, 3), lit([-3, -2], INT32), lit(7.0)),
    s("matrix_diag_part", f(4, 3), lit(5, INT32), lit(7.0), fails=True),
    s("matrix_set_diag", f(2, 3, 4), f(2, 3)),
    s("matrix_set_diag", f(2, 3, 4), f(2, 2, 3), lit([0, 1], INT32)),
    s("matrix_set_diag", f(2, 3, 4), f(2, 3, 3), lit([-1, 1], INT32), align="LEFT_RIGHT"),
    s("matrix_set_diag", f(2, 3, 4), f(2, 4), fails=True),
    s("ConjugateTranspose", z(2, 3), (1, 0), new={}, grad=False),
]
NORMS = [
    s("pdist", f(4, 3)),
    *[s("pdist", f(4, 3), p, torch=t("nn.functional.pdist"), why="corners") for p in (0.0, 1.0, 3.0, INF)],
    s("pdist", d(3, 2), 1.0, grad=False),
    s("pdist", f(2, 4, 3), fails=True),
    s("pdist", f(4, 3), -1.0, fails=True),
    s("dist", f(2, 3), f(3)),
    s("dist", f(2, 3), f(2, 3), 3, torch=of("dist")),
    s("dist", f(2, 3), f(2, 3), 0, grad=False),
    *[s("vector_norm", f(2, 3), p, torch=t("linalg.vector_norm")) for p in (2, 3, 1, -1.5)],
    s("vector_norm", f(2, 3, 4), 2, (0, 2), True),
    s("vector_norm", f(2, 3), -INF, 1, grad=False),
    s("vector_norm", below(5, 2, 3), 2),
    s("vector_norm", f(2, 3), dtype=DT("float64"), grad=False),
    *[s("matrix_norm", f(2, 3, 4), p, grad=p != "nuc", tol=1e-4) for p in ("fro", "nuc", 1, -1, INF, -INF)],
    s("matrix_norm", f(2, 3, 4), 2, torch=t("linalg.matrix_norm"), tol=1e-4),
    s("matrix_norm", f(2, 3, 4), -2, (0, 2), True, grad=False, tol=1e-4),
    s("matrix_norm", f(2, 3), 3, fails=True),
    *[
        s("cond", SQUARE, p, torch=t("linalg.cond"), grad=p in (None, -2), tol=2e-4)
        for p in (None, "fro", 1, -INF, -2)
    ],
    s("cond", MANY, tol=1e-4, grad=False),
    s("cond", f(2, 2), 3, fails=True),
    s("NuclearNorm", f(2, 3, 4), new={"dim": (0, 2), "keepdim": True}, grad=False, tol=1e-4),
    s("adjoint", z(2, 3), grad=False),
    s("adjoint", f(2, 2, 3)),
    s("adjoint", f(3), fails=True),
    s("vander", f(4)),
    s("vander", lit([1, 2, 3], "int64"), 4),
    s("vander", f(3), 0, fails=True),
    s("vander", f(3), 2.0, fails=True),
    s("vander", f(2, 2), fails=True),
    s("batch_dot", f(2, 3), f(2, 3)),
    s("batch_dot", f(2, 3, 4), f(2, 4, 5)),
    s("batch_dot", f(2, 3, 4), f(2, 3), (1, 1)),
    s("batch_dot", f(2, 3, 4, 5), f(2, 5, 6, 4), (2, 3)),
    s("batch_dot", f(2, 3), f(2, 3), 0, fails=True),
    s("batch_dot", f(2, 3), f(3, 3), fails=True),
    s("bidense", f(2, 3), f(2, 4), f(5, 3, 4), f(5)),
    s("bidense", f(2, 3), f(2, 4), f(5, 3, 4)),
    s("view_as_real", z(2, 3), grad=False),
]


def special(op: str, kind: Callable = f, **options: object) -> list[Sample]:
    """A function of one floating array: ranks, bits, special values."""
    more = {k: v for k, v in options.items() if k != "torch"}
    return [
        s(op, kind(2, 3), **options),
        s(op, kind(), **options),
        s(op, In(kind(2).kind, (3,), "float64"), **{"tol": 1e-6} | options),
        s(
            op,
            In(kind(2).kind, (3,), "float16"),
            grad=False,
            **{"tol": 2e-3} | {k: v for k, v in more.items() if k != "tol"},
        ),
        s(op, below(4, 3), fails=True) if op != "lgamma" else s(op, lit([1, 2, 5], INT32), tol=1e-5),
    ]


def wide(*shape: int) -> In:
    """From near 0 to 20: both ranges of the Bessel functions."""
    n = int(np.prod(shape)) if shape else 1
    return lit(np.geomspace(0.2, 20, n).round(3).reshape(shape).tolist())


BESSEL = [
    row
    for name in "i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1".split()
    for row in (
        s(f"bessel_{name}", wide(2, 6), tol=1e-4),
        s(f"bessel_{name}", In("unit", (2,), "float64"), grad=False, tol=1e-6),
        s(f"bessel_{name}", In("unit", (), "float16"), grad=False),
        s(f"bessel_{name}", below(4, 3), fails=True),
    )
] + [s("i0", f(2, 3)), s("bessel_j1", f(5), grad=False), s("bessel_k0", lit([-1.0, 0.0]), grad=False)]
POSITIVE = lit([0.5, 1.5, 4.0, 12.0])
SPECIAL = [
    *special("digamma", unit, tol=1e-4),
    s("digamma", lit([-1.5, -0.25, 8.0]), tol=1e-4),
    *special("lgamma", unit, tol=1e-4),
    s("lgamma", lit([-1.5, INF, 0.0]), grad=False),
    *[
        s(
            "polygamma",
            lit(n, "int64"),
            POSITIVE,
            tol=1e-4,
            torch=lambda torch, n, x: torch.polygamma(int(n), x),
        )
        for n in (0, 1, 3)
    ],
    s("polygamma", f(2), f(2), fails=True),
    s("mvlgamma", lit([3.5, 4.5]), 2, tol=1e-5),
    s("mvlgamma", lit([3.5, 4.5], "float64"), 3, tol=1e-8),
    s("mvlgamma", lit([3.5]), 0, fails=True),
    s("igamma", POSITIVE, lit([1.0, 1.0, 5.0, 9.0]), tol=1e-4, why="held"),
    s("igammac", POSITIVE, lit([1.0, 1.0, 5.0, 9.0]), tol=1e-4, why="held"),
    s("igamma", lit([[0.5], [3.0]]), unit(3), grad=False, tol=1e-5),
    s("igammac", lit([[0.5], [3.0]], "float64"), lit([0.5, 2.0], "float64"), grad=False, tol=1e-8),
    s("igamma", f(2), d(2), fails=True),
    s("zeta", lit([2.0, 3.0]), lit([1.0, 2.5]), grad=False, tol=1e-5),
    s("zeta", lit([2.0, 3.0]), 2.0, grad=False, tol=1e-5),
    s("zeta", f(2), d(2), fails=True),
    s("Betainc", lit([1.5, 3.0]), lit([0.5, 2.0]), lit([0.25, 0.75]), new={}, grad=False, tol=1e-5),
    s("Betainc", f(2), f(2), d(2), new={}, fails=True),
    *[
        row
        for op in ("logaddexp", "logaddexp2")
        for row in (
            s(op, f(2, 3), f(3)),
            s(op, h(3), f(3), grad=False),
            s(op, d(3), d(3)),
            s(op, lit([500.0, -INF]), lit([0.0, 1.0]), grad=False),
            s(op, below(5, 3), f(3), fails=True),
        )
    ],
    s("xdivy", f(2, 3), unit(3)),
    s("xdivy", lit([0.0, 1.0]), lit([0.0, 2.0]), grad=False),
    s("xdivy", f(3), 2.0),
    s("xdivy", below(4, 3), below(4, 3), fails=True),
]
FLOATS = [
    s("heaviside", lit([-1.0, 0.0, 2.0]), lit([0.5]), grad=False),
    s("heaviside", lit([-1, 0, 2], INT32), lit([7, 8, 9], INT32)),
    s("heaviside", f(2), d(2), fails=True),
    s("nextafter", lit([1.0, -1.0, 0.0]), lit([2.0, 2.0, 1.0]), grad=False),
    s("nextafter", d(2), d(2), grad=False),
    s("nextafter", f(2), d(2), fails=True),
    s("nextafter", below(2, 2), below(2, 2), fails=True),
    s("ldexp", f(2, 3), f(3)),
    s("ldexp", f(3), lit([1, 2, 3], INT32), grad=False),
    s("ldexp", below(5, 3), lit([1, 2, 3], INT32)),
    s("ldexp", f(3), 2.0),
    s("copysign", f(2, 3), f(3), torch=of("copysign")),
    s("copysign", f(3), -2.0, torch=of("copysign")),
    s("copysign", lit([1, -2], INT32), lit([-1.0, 2.0]), grad=False),
    s("copysign", h(3), f(3), grad=False),
    s("eps", f(2), grad=False),
    s("eps", h(2), grad=False),
    s("eps", below(2, 2), fails=True),
    s("CompareAndBitpack", below(9, 2, 8), lit(4, INT32), new={}),
    s("CompareAndBitpack", f(16), lit(0.0), new={}, grad=False),
    s("EqualCount", lit([1, 2, 3], INT32), lit([1, 2, 4], INT32), new={}),
    s("NthElement", f(2, 5), 2, new={}, grad=False),
    s("NthElement", f(2, 5), lit(1, INT32), new={"reverse": True}, grad=False),
    s("LowerBound", lit([[0, 1, 2, 3], [1, 2, 3, 4]], INT32), lit([[1, 9], [2, 0]], INT32), new={}),
    s("UpperBound", lit([[0, 1, 2, 3], [1, 2, 3, 4]], INT32), lit([[1, 9], [2, 0]], INT32), new={}),
    s("LeftShift", lit([1, 2], INT32), lit([3, 1], INT32), new={}),
    s("RightShift", lit([16, -2], INT32), lit([3, 1], INT32), new={}),
]
SPECTRAL = [
    row
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    for row in (
        s(name, f(2, 5), torch=t(f"fft.{name}"), grad=name in ("irfft", "hfft")),
        s(name, d(4, 3), 6, 0, "ortho", grad=False),
        s(name, f(2, 5), 3, norm="forward", grad=False),
        s(name, below(5, 4), grad=False),
        s(name, f(2, 3), 0, fails=True),
        s(name, f(2, 3), norm="up", fails=True),
        s(name, f(2, 3), None, 2, fails=True),
        s(name + "2", f(3, 4), torch=t(f"fft.{name}2"), grad=name in ("irfft", "hfft")),
        s(name + "2", f(2, 3, 4), (4, 3), (0, 2), "ortho", grad=False),
        s(name + "n", f(2, 3, 4), torch=t(f"fft.{name}n"), grad=name in ("irfft", "hfft"), tol=1e-4),
        s(name + "n", f(2, 3, 4), (3, 4), norm="forward", torch=t(f"fft.{name}n"), grad=False),
        s(name + "n", f(2, 3), (3, 4), (0,), fails=True),
    )
] + [
    s("fft", z(2, 3), grad=False),
    s("irfft", z(2, 3), 4, grad=False),
    s("hfft", z(2, 3), grad=False),
    s("fft", lit([True, False], "bool"), fails=True),
    s("fftshift", below(9, 3, 4)),
    s("fftshift", f(3, 4), 1),
    s("ifftshift", f(3, 4), (0, -1)),
    s("fftfreq", 5),
    s("fftfreq", 4, 0.5, dtype=DT("float64")),
    s("fftfreq", 0, fails=True),
    s("rfftfreq", 5),
    s("rfftfreq", 4, 0.5),
    s("FFTWithSize", z(2, 3), new={"signal_ndim": 1, "inverse": False, "real": False}, grad=False),
    s("FFTWithSize", f(3, 4), new={"signal_ndim": 2, "inverse": False, "real": True, "norm": "ortho"}, grad=False),
    s("FFTWithSize", f(5), new={"signal_ndim": 1, "inverse": False, "real": True, "onesided": False}, grad=False),
    s("FFTWithSize", z(3, 3), new={"signal_ndim": 2, "inverse": True, "real": True, "norm": "forward"}, grad=False),
    s("FFTWithSize", z(2, 3), new={"signal_ndim": 1, "inverse": True, "real": True, "signal_sizes": (5,)}, grad=False),
    s("FFTWithSize", f(3), new={"signal_ndim": 1, "inverse": False, "real": False}, fails=True),
    s("stft", f(2, 20), 8, grad=False),
    s("stft", f(20), 8, 3, 6, unit(6), return_complex=True, grad=False, tol=1e-4),
    s("stft", f(20), 8, center=False, normalized=True, onesided=False, return_complex=True, grad=False),
    s("stft", f(20), 8, pad_mode="CONSTANT", grad=False),
    s("stft", f(4), 80, center=False, fails=True),
    s("stft", f(2, 2, 20), 8, fails=True),
    s("STFT", f(2, 20), unit(8), new={"n_fft": 8, "hop_length": 2, "win_length": 8, "normalized": False, "onesided": True, "return_complex": True}, grad=False, tol=1e-4),
]  # fmt: skip
WINDOWS = [
    row
    for name in ("hamming_window", "hann_window", "kaiser_window")
    for row in (
        s(name, 5, dtype=DT("float32")),
        s(name, 6, False),
        s(name, 4, dtype=DT("float16")),
        s(name, -1, fails=True),
        s(name, 2.5, fails=True),
        s(name, 5, 1, fails=True),
        s(name, 5, dtype=DT("int32"), fails=True),
    )
] + [
    row
    for name in ("bartlett_window", "blackman_window")
    for row in (
        s(name, lit(5, INT32)),
        s(name, lit(6, INT32), False),
        s(name, lit(4, "int64"), dtype=DT("float64")),
        s(name, 2.5, fails=True),
        s(name, lit(5, INT32), 1, fails=True),
        s(name, lit(5, INT32), dtype=DT("int32"), fails=True),
    )
] + [s("HammingWindow", lit([5], INT32), new={"alpha": 0.5, "beta": 0.5})]  # fmt: skip
STATISTICS = [
    s("histc", f(2, 5), 4, grad=False),
    s("histc", lit([1, 2, 3, 4], INT32), 4, 1, 3),
    s("histc", lit([1.0, 2.0, 1.0, 0.5]), 4, 0.0, 3.0, grad=False),
    s("histc", lit([1.0, 1.0]), 4, grad=False),
    s("histc", f(3), 0, fails=True),
    s("histc", f(3), 2.5, fails=True),
    s("histc", f(3), 2, 3.0, 1.0, fails=True),
    *[
        s(op, x, q, dim, keep, torch=of(op, fixed=(1,)), grad=g)
        for op in ("quantile", "nanquantile")
        for x, q, dim, keep, g in (
            (f(2, 5), 0.4, None, False, True),
            (f(2, 5), lit([0.25, 0.5]), 1, True, False),
            (d(2, 5), 0.5, 0, False, False),
        )
    ],
    *[s(op, lit([1.0, NAN, 3.0]), 0.5, torch=of(op), grad=False) for op in ("quantile", "nanquantile")],
    s("quantile", f(3), 1.5, fails=True),
    s("quantile", below(5, 3), 0.5, fails=True),
    s("nanmedian", lit([[1.0, NAN, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]), grad=False),
    s("nanmedian", lit([[1.0, NAN, 3.0], [NAN, 2.0, 4.0]]), 0, True, grad=False),
    s("nanmedian", below(9, 5), grad=False),
    s("cov", f(2, 5)),
    s("cov", f(5), correction=0),
    s("cov", f(2, 5), fweights=lit([1, 2, 1, 1, 1], INT32), grad=False),
    s("cov", f(2, 5), aweights=unit(5), fweights=lit([1, 2, 1, 1, 1], INT32), grad=False),
    s("cov", below(9, 3)),
    s("cov", f(2, 2, 2), fails=True),
    s("cov", f(2, 3), fweights=f(3), fails=True),
    s("trapz", f(2, 5)),
    s("trapz", f(2, 5), dx=2.0, dim=0),
    s("trapz", f(2, 5), lit([0.0, 1.0, 3.0, 4.0, 7.0]), grad=False),
    s("trapz", f(2, 5), f(2, 5), grad=False),
    s("trapz", lit([1, 2, 3], INT32)),
    s("trapz", f(), fails=True),
    s("diff", lit([1, 3, 7], INT32)),
    s("diff", f(2, 5), axis=0),
    s("diff", f(2, 5), 2, torch=of("diff")),
    s("diff", f(2, 3), 1, -1, f(2, 1), f(2, 2)),
    s("diff", lit([True, False, True], "bool")),
    s("diff", f(3), -1, fails=True),
    s("diff", f(), fails=True),
    s("renorm", f(3, 4), 2, 0, 1.0, grad=False),
    s("renorm", f(3, 4), 1, -1, 1.0, torch=of("renorm")),
    s("renorm", h(3, 4), 2, 0, 1.0, grad=False, tol=1e-2),
    s("renorm", z(2, 3), 2, 0, 1.0, grad=False),
    s("renorm", f(3, 4), 2.5, 0, 1.0, fails=True),
    s("bucketize", lit([0.5, 1.0, 9.0, -1.0]), [0.0, 1.0, 3.0], grad=False),
    s("bucketize", lit([0.5, 1.0, 9.0, -1.0]), [0.0, 1.0, 3.0], right=True, grad=False),
    s("bucketize", lit([1, 2, 3], INT32), [1.0, 2.0]),
    s("bucketize", f(3), 1.0, fails=True),
    s("Bucketize", lit([0.5, 1.0, 9.0, -1.0]), new={"boundaries": [0.0, 1.0, 3.0]}, grad=False),
    s("combinations", f(4)),
    s("combinations", lit([1, 2, 3], INT32), 3, True),
    s("combinations", f(3), 4, grad=False),
    s("combinations", f(2, 2), fails=True),
    s("combinations", f(3), -1, fails=True),
    s("cartesian_prod", f(2), f(3)),
    s("cartesian_prod", f(2)),
    s("cartesian_prod", f(2), d(2), fails=True),
    s("Bincount", lit([1, 2, 3, 1], INT32), lit(5, INT32), lit([1.0, 2.0, 3.0, 4.0]), new={}, grad=False),
]
FAMILIES = {
    "decompositions": DECOMPOSITIONS,
    "solving": SOLVING,
    "determinants": DETERMINANTS,
    "bands": BANDS,
    "norms": NORMS,
    "bessel": BESSEL,
    "special": SPECIAL,
    "floats": FLOATS,
    "spectral": SPECTRAL,
    "windows": WINDOWS,
    "statistics": STATISTICS,
}
SAMPLES = [sample for family in FAMILIES.values() for sample in family]
