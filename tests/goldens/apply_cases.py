"""Calls of the operators that take an optimizer's step, each made twice in a row on the same Parameters.

A case is (class, settings, arguments). In the text of the arguments, an upper-case letter is a Parameter of shape (4, 3),
a lower-case one a Tensor ("h" of three rows), "i" are positions of rows, of which one stands twice, "k" such
that are all different, "e" two small numbers, and everything else is a number. Positive arrays ("V", "A") hold sums of squares.
"""

from typing import Any

import numpy as np

_ADAM = "W M V 0.9 0.999 0.01 0.9 0.999 1e-8 g"
_SPARSE_ADAM = "W M V 0.9 0.999 0.01 0.9 0.999 1e-8 h i"

_FACTOR = "e s1.0 s0.9 s0.8 s0.01 s0.05 g W M R C A"

# Operators that are recorded with float16 Parameters too.
HALF = "ApplyMomentum SGD ApplyRMSProp ApplyAdagrad Adam AdamWeightDecay FusedSparseLazyAdam".split()

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("ApplyMomentum", {}, "W M 0.1 g 0.9"),
    ("ApplyMomentum", {"use_nesterov": True}, "W M 0.1 g 0.9"),
    ("ApplyMomentum", {"gradient_scale": 0.5}, "W M 0.1 g 0.9"),
    ("SGD", {}, "W g s0.1 M s0.9 S"),
    ("SGD", {"dampening": 0.5, "weight_decay": 0.1}, "W g s0.1 M s0.9 S"),
    ("SGD", {"nesterov": True}, "W g s0.1 M s0.9 S"),
    ("ApplyGradientDescent", {}, "W 0.1 g"),
    ("ApplyProximalGradientDescent", {}, "W 0.1 0.3 0.2 g"),
    ("ApplyProximalGradientDescent", {}, "W 0.1 0.0 0.2 g"),
    ("ApplyAddSign", {}, "W M 0.1 1.1 0.8 0.9 g"),
    ("ApplyPowerSign", {}, "W M 0.1 1.5 0.8 0.9 g"),
    ("ApplyAdadelta", {}, "W A V 0.1 0.9 1e-6 g"),
    ("ApplyAdagrad", {}, "W A 0.1 g"),
    ("ApplyAdagrad", {"update_slots": False}, "W A 0.1 g"),
    ("ApplyAdagradV2", {"epsilon": 1e-3}, "W A 0.1 g"),
    ("ApplyAdagradV2", {"epsilon": 1e-3, "update_slots": False}, "W A 0.1 g"),
    ("ApplyAdagradDA", {}, "W M A g 0.1 0.2 0.3 2"),
    ("ApplyAdagradDA", {}, "W M A g 0.1 0.0 0.3 2"),
    ("ApplyProximalAdagrad", {}, "W A 0.1 0.3 0.2 g"),
    ("ApplyProximalAdagrad", {}, "W A 0.1 0.0 0.2 g"),
    ("ApplyRMSProp", {}, "W A M s0.1 g 0.9 0.8 1e-8"),
    ("ApplyCenteredRMSProp", {}, "W Z V M g 0.1 0.9 0.8 1e-2"),
    ("ApplyFtrl", {}, "W A M g 0.1 0.3 0.2 -0.5"),
    ("ApplyFtrl", {}, "W A M g 0.1 0.0 0.0 -0.7"),
    ("ApplyAdaMax", {}, "W M V 0.9 0.01 0.9 0.999 1e-8 g"),
    ("ApplyAdamWithAmsgrad", {}, "W M V A s0.9 s0.999 s0.01 g"),
    ("ApplyAdamWithAmsgradV2", {}, "W M V A P0.9 P0.999 0.01 0.9 0.999 1e-8 g"),
    ("Adam", {}, _ADAM),
    ("Adam", {"use_nesterov": True}, _ADAM),
    ("AdamNoUpdateParam", {}, "M V s0.9 s0.999 s0.01 s0.9 s0.999 s1e-8 g"),
    ("AdamNoUpdateParam", {"use_nesterov": True}, "M V s0.9 s0.999 s0.01 s0.9 s0.999 s1e-8 g"),
    ("AdamWeightDecay", {}, "W M V 0.01 0.9 0.999 1e-8 0.1 g"),
    ("FusedCastAdamWeightDecay", {}, "W M V s0.01 s0.9 s0.999 s1e-8 s0.1 G s2.0"),
    ("FusedAdaFactor", {}, _FACTOR),
    (
        "FusedAdaFactor",
        {"enable_scale_parameter": True, "enable_first_moment": True, "enable_weight_decay": True},
        _FACTOR,
    ),
    ("FusedSparseAdam", {}, _SPARSE_ADAM),
    ("FusedSparseAdam", {"use_nesterov": True}, _SPARSE_ADAM),
    ("FusedSparseLazyAdam", {}, _SPARSE_ADAM),
    ("FusedSparseLazyAdam", {"use_nesterov": True}, _SPARSE_ADAM),
    ("FusedSparseFtrl", {"lr": 0.1, "l1": 0.2, "l2": 0.3, "lr_power": -0.5}, "W A M h i"),
    ("FusedSparseProximalAdagrad", {}, "W A 0.1 0.3 0.2 h i"),
    ("SparseApplyAdagrad", {"lr": 0.1}, "W A g k"),
    ("SparseApplyAdagrad", {"lr": 0.1, "update_slots": False}, "W A g k"),
    ("SparseApplyAdagradV2", {"lr": 0.1, "epsilon": 1e-3}, "W A g k"),
    ("SparseApplyAdagradV2", {"lr": 0.1, "epsilon": 1e-3, "update_slots": False}, "W A g k"),
    ("SparseApplyFtrl", {"lr": 0.1, "l1": 0.2, "l2": 0.3, "lr_power": -0.5}, "W A M g k"),
    ("SparseApplyRMSProp", {"rho": 0.9, "momentum": 0.8, "epsilon": 1e-3}, "W A M 0.1 g k"),
]


def arguments(text: str, dtype: str, parameter: Any, tensor: Any) -> list[Any]:
    """The arguments of a case, made by `parameter(array, name)` and `tensor(array)`."""
    rng = np.random.RandomState(len(text))
    made: list[Any] = []
    for number, word in enumerate(text.split()):
        kind, rest = word[0], word[1:]
        if word == "i":
            made.append(tensor(np.array([3, 0, 3], np.int32)))
        elif word == "k":
            made.append(tensor(np.array([3, 0, 2, 1], np.int32)))
        elif word == "e":
            made.append(tensor(np.array([1e-30, 1e-3], np.float32)))
        elif kind == "s":
            made.append(tensor(np.array(float(rest), np.float32)))
        elif kind == "P":
            made.append(parameter(np.array(float(rest), np.float32), f"p{number}"))
        elif kind.isalpha():
            shape = {"h": (3, 3), "R": (4,), "C": (3,)}.get(kind, (4, 3))
            value = rng.standard_normal(shape)
            if kind in "VARC":
                value = value**2 + 0.1
            value = value / 8 if kind == "Z" else value
            value = np.ones(shape) if kind == "S" else value
            half = kind == "G"
            value = value.astype("float16" if half else dtype)
            made.append(parameter(value, f"p{number}") if kind.isupper() and not half else tensor(value))
        else:
            made.append(float(word) if "." in word or "e" in word else int(word))
    return made


def key(case: tuple[str, dict[str, Any], str], dtype: str) -> str:
    name, settings, text = case
    return f"{name}({', '.join(f'{k}={v!r}' for k, v in settings.items())})({text}) {dtype}"


def numbers(value: Any) -> Any:
    """[dtype, shape, values] of arrays."""
    if isinstance(value, tuple | list):
        return [numbers(v) for v in value]
    array = value.asnumpy()
    return [array.dtype.name, list(array.shape), [float(f"{v:.7g}") for v in array.reshape(-1).tolist()]]


def outcomes(ms: Any) -> dict[str, Any]:
    """Results and Parameters after each of two steps, of one in float16, or the exception's type."""

    def outcome(case: tuple, dtype: str) -> Any:
        name, settings, text = case
        args = arguments(text, dtype, lambda a, n: ms.Parameter(ms.Tensor(a), name=n), ms.Tensor)
        steps = []
        try:
            for _ in range(2 if dtype == "float32" else 1):
                result = getattr(ms.ops, name)(**settings)(*args)
                state = [numbers(a) for a in args if isinstance(a, ms.Parameter)]
                steps.append([numbers(result), state])
        except Exception as error:
            return type(error).__name__
        return steps

    found = {key(case, "float32"): outcome(case, "float32") for case in CASES}
    return found | {key(case, "float16"): outcome(case, "float16") for case in CASES if case[0] in HALF}
