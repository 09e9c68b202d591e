"""Calls of `mindspore.scipy`: module, function, arguments as text, in which T(list, dtype="float32") makes a Tensor."""

from typing import Any

import numpy as np

SPD = "T([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])"
ANY = "T([[1.0, -1.5, 1.5], [-0.75, -2.5, 1.0], [1.0, 0.5, -2.0]])"
INTS = "T([[4, 1], [1, 3]], 'int32')"
VECTOR, COLUMNS, WIDE = (
    "T([1.0, 2.0, 3.0])",
    "T([[1.0, 0.0], [2.0, 1.0], [3.0, -1.0]])",
    "T([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])",
)
COST = "T([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]], 'float64')"

CASES = [
    *[("linalg", "cholesky", a) for a in (SPD, f"{SPD}, lower=True", INTS, WIDE, VECTOR, f"{SPD}, 1")],
    *[("linalg", "cho_factor", a) for a in (SPD, f"{SPD}, True")],
    *[("linalg", "cho_solve", f"(cholesky({SPD}, {low}), {low}), {b}") for low, b in ((True, VECTOR), (False, COLUMNS))],
    *[("linalg", "block_diag", a) for a in (f"{SPD}, {VECTOR}", "", "T(1.0), T([2.0, 3.0])")],
    *[("linalg", "det", a) for a in (ANY, INTS, WIDE)],
    *[("linalg", "inv", a) for a in (ANY, INTS, WIDE)],
    *[
        ("linalg", "eigh", f"{SPD}, eigvals_only=True{more}")
        for more in ("", ", lower=False", f", b={SPD}", ", eigvals=(0, 1)", ", type=2")
    ],
    ("linalg", "eigh", f"{INTS}, eigvals_only=True"),
    *[("linalg", "eigh", f"{ANY}, {more}eigvals_only=True") for more in ("", "lower=False, ", "turbo=1, ")],
    *[("linalg", "lu", a) for a in (ANY, WIDE, INTS, VECTOR)],
    *[("linalg", "lu_factor", a) for a in (ANY, INTS, WIDE)],
    *[("linalg", "lu_solve", f"lu_factor({ANY}), {COLUMNS}, {trans}") for trans in (0, 1, 2, 3)],
    *[("linalg", "lu_pivots_to_permutation", a) for a in ("T([2, 2, 2], 'int32'), 3", "T([1, 2, 2], 'int32'), 4")],
    *[
        ("linalg", "solve_triangular", f"{a}, {b}{more}")
        for a, b, more in (
            (ANY, VECTOR, ""),
            (ANY, VECTOR, ", lower=True"),
            (ANY, COLUMNS, ", trans='T', unit_diagonal=True"),
            (ANY, VECTOR, ", trans=2"),
            (ANY, VECTOR, ", trans='X'"),
            (WIDE, VECTOR, ""),
            (ANY, "T([1.0, 2.0, 3.0], 'float64')", ""),
            (INTS, "T([1, 2], 'int32')", ""),
            ("T([[4, 1], [1, 3]], 'int64')", "T([1, 2], 'int64')", ""),
            (ANY, VECTOR, ", lower='a'"),
        )
    ],
    *[("linalg", "lstsq", f"{COLUMNS}, {b}") for b in (VECTOR, "T([[1.0], [2.0], [4.0]])")],
    *[
        ("linalg", "lstsq", f"{a}, {b}, driver='{driver}'")
        for driver in ("gels", "gelss", "gelsd", "gelsy", "other")
        for a, b in (
            (COLUMNS, VECTOR),
            (COLUMNS, "T([[1.0], [2.0], [4.0]])"),
            ("T([[3.0, 1.0], [1.0, 2.0]])", "T([1.0, 2.0])"),
            ("T([[[3.0, 1.0], [1.0, 2.0], [0.5, 1.0]]] * 2)", "T([[1.0, 2.0, 1.5], [0.5, 1.0, -1.0]])"),
        )
    ],
    *[
        ("fft", fn, f"{WIDE}{more}")
        for fn in ("dct", "idct")
        for more in ("", ", norm='ortho'", ", n=2, axis=0", ", n=5", ", type=1", ", axis=5", ", norm='forward'", ", n=0")
    ],
    *[("fft", fn, "T([1, 2, 3], 'int32')") for fn in ("dct", "idct")],
    *[("fft", fn, f"{WIDE}{more}") for fn in ("dctn", "idctn") for more in ("", ", s=(3, 2)", ", s=(4,), axes=(1,)")],
    *[
        ("optimize", "linear_sum_assignment", f"{COST}, {more}")
        for more in ("False", "True", "False, T(2, 'int64')", "1")
    ],
    *[("ops", "LU()", ANY), ("ops", "SolveTriangular(True, False, 'T')", f"{ANY}, {VECTOR}")],
    ("optimize", "linear_sum_assignment", f"{COLUMNS}, False"),
    ("optimize", "linear_sum_assignment", f"{VECTOR}, False"),
]  # fmt: skip


def outcomes(ms: Any, scipy: Any) -> dict[str, Any]:
    """Return the result of each call, or the exception's type."""

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [plain(v) for v in value]
        if isinstance(value, ms.Tensor):
            a = value.asnumpy()
            return {"dtype": a.dtype.name, "shape": a.shape, "values": a.reshape(-1).tolist()}
        return value

    def tensor(data: Any, dtype: str = "float32") -> Any:
        return ms.Tensor(np.array(data, dtype))

    found = {}
    for module, name, arguments in CASES:
        names = vars(getattr(scipy, module))
        try:
            result = plain(eval(f"{name}({arguments})", {**names, "T": tensor}))
        except Exception as error:
            result = {"error": type(error).__name__}
        found[f"{module}.{name}({arguments})"] = result
    return found
