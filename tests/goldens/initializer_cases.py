"""Initializers, and calls of `initializer`."""

from typing import Any

import numpy as np

CASES: list[tuple[str, list, dict, list]] = []  # class, args, kwargs, shape
for shape in ([300, 200], [100, 50, 3], [64, 32, 3, 3], [16, 8, 3, 5, 3]):
    CASES += [
        ("Normal", [], {}, shape),
        ("Normal", [2.0, 1.0], {}, shape),
        ("Uniform", [], {}, shape),
        ("Uniform", [0.5], {}, shape),
        ("TruncatedNormal", [], {}, shape),
        ("TruncatedNormal", [1.0], {}, shape),
        ("TruncatedNormal", [], {"sigma": 1.0, "mean": 2.0, "a": -1.0, "b": 1.0}, shape),
        ("XavierUniform", [], {}, shape),
        ("XavierUniform", [2], {}, shape),
        ("XavierNormal", [], {}, shape),
        ("HeUniform", [], {}, shape),
        ("HeUniform", [], {"negative_slope": 5**0.5}, shape),
        ("HeUniform", [], {"mode": "fan_out", "nonlinearity": "relu"}, shape),
        ("HeNormal", [], {}, shape),
        ("HeNormal", [], {"mode": "fan_out", "nonlinearity": "tanh"}, shape),
        ("HeNormal", [], {"nonlinearity": "sigmoid"}, shape),
        ("VarianceScaling", [], {"distribution": "uniform"}, shape),
        ("VarianceScaling", [2.0, "fan_avg", "untruncated_normal"], {}, shape),
        ("VarianceScaling", [0.5, "fan_out", "uniform"], {}, shape),
        ("Orthogonal", [2.0], {}, shape),
    ]
CASES += [("Sparse", [0.3], {}, [200, 100]), ("Sparse", [0.305, 1.0], {}, [100, 50])]
EXACT: list[tuple[str, list, dict, list]] = [
    ("Zero", [], {}, [2, 3]),
    ("One", [], {}, [2, 3]),
    ("Constant", [2.5], {}, [3]),
    ("Identity", [], {}, [2, 3]),
    ("Identity", [], {}, [3, 2]),
    ("Dirac", [], {}, [2, 3, 2]),
    ("Dirac", [], {"groups": 2}, [4, 2, 3]),
    ("Dirac", [], {}, [2, 3, 3, 4]),
    ("Dirac", [2], {}, [4, 1, 3, 3, 2]),
]
ERRORS: list[tuple[str, list, dict, list]] = [
    ("Identity", [], {}, [2, 3, 2]),
    ("Sparse", [0.5], {}, [2, 3, 2]),
    ("Dirac", [], {}, [2, 2]),
    ("Dirac", [3], {}, [4, 2, 3]),
    ("Orthogonal", [], {}, [2]),
    ("XavierUniform", [], {}, [5]),
    ("XavierNormal", [], {}, [5]),
    ("HeNormal", [], {}, [5]),
    ("HeUniform", [], {"nonlinearity": "selu"}, [5, 3]),
    ("HeUniform", [], {"mode": "fan"}, [5, 3]),
    ("VarianceScaling", [1.0, "fan"], {}, [5, 3]),
    ("VarianceScaling", [0.0], {}, [5, 3]),
    ("VarianceScaling", [1.0, "fan_in", "normal"], {}, [5, 3]),
    ("Constant", [[1, 2]], {}, [2]),
]
NAMES = (
    "zeros zero ones one ZEROS normal Normal uniform truncatedNormal TruncatedNormal xavier_uniform XavierUniform "
    "xavier_normal he_uniform he_normal HeNormal identity orthogonal varianceScaling constant bad truncated_normal"
).split()
CALLS = {
    "number": "initializer(3, (2, 2))",
    "float": "initializer(0.5, [2])",
    "bool": "initializer(True, (2,))",
    "int shape": "initializer('ones', 3)",
    "no sizes": "initializer('ones', ())",
    "tensor": "initializer(Tensor([[1.0, 2.0]]), (1, 2))",
    "tensor of another shape": "initializer(Tensor([[1.0, 2.0]]), (2, 2))",
    "negative": "initializer('ones', (-1, 2))",
    "fraction": "initializer('ones', (1.5, 2))",
    "shape is text": "initializer('ones', 'a')",
    "none": "initializer(None, (2,))",
    "list": "initializer([1, 2], (2,))",
    "class": "initializer(Normal, (2,))",
    "float16": "initializer('ones', (2,), dtype.float16)",
    "int32": "initializer(Constant(3), (2,), dtype.int32)",
}


def statistics(a: np.ndarray) -> dict[str, float]:
    a = a.astype(np.float64).ravel()
    low, middle, high = np.quantile(a, [0.1, 0.5, 0.9])
    found = {
        "mean": a.mean(),
        "std": a.std(),
        "min": a.min(),
        "max": a.max(),
        "zeros": float((a == 0).mean()),
    }
    return {k: float(v) for k, v in (found | {"low": low, "middle": middle, "high": high}).items()}


def outcomes(ms: Any, module: Any) -> dict[str, Any]:
    """Moments and extremes of what initializers draw, exact values of those that draw nothing, and exceptions."""
    ms.set_seed(0)

    def made(case: tuple) -> np.ndarray:
        name, args, kwargs, shape = case
        return module.initializer(getattr(module, name)(*args, **kwargs), shape).init_data().asnumpy()

    def outcome(call: Any) -> Any:
        try:
            return call()
        except Exception as error:
            return {"error": type(error).__name__}

    scope = {"initializer": module.initializer, "Tensor": ms.Tensor, "dtype": ms, **vars(module)}

    def called(text: str) -> Any:
        tensor = eval(text, scope)
        return {
            "values": tensor.init_data().asnumpy().tolist() if tensor.has_init else tensor.asnumpy().tolist(),
            "dtype": str(tensor.dtype),
        }

    return {
        "statistics": [[*case, statistics(made(case))] for case in CASES],
        "exact": [[*case, made(case).tolist()] for case in EXACT],
        "errors": [[*case, outcome(lambda case=case: made(case).tolist())] for case in ERRORS],
        "names": {n: outcome(lambda n=n: type(module.initializer(n, (2, 2)).init).__name__) for n in NAMES},
        "calls": {k: outcome(lambda t=t: called(t)) for k, t in CALLS.items()},
    }
