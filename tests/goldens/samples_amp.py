"""Arguments of mixed precision's classes and functions, recorded and tested."""

from collections.abc import Callable
from typing import Any

import numpy as np

LEVELS = ("O0", "O1", "O2", "O3", "auto")
STEPS = (True, True, True, True, False, True, True, True, False, False, False, False, False, True)
OVERFLOWS = (False, False, False, False, True, True, True, True, True, False, False, False)


def leaves(value: Any) -> Any:
    """Return the result of a call, for JSON: [dtype, values] for Tensors."""
    if isinstance(value, list | tuple):
        return [leaves(v) for v in value]
    if isinstance(value, dict):
        return {k: leaves(v) for k, v in value.items()}
    if not hasattr(value, "asnumpy"):
        return value
    value = value.float() if str(value.dtype) == "BFloat16" else value
    return [str(value.dtype), value.asnumpy().astype(np.float64).ravel().tolist()]


def _tensor(ms: Any, dtype: str) -> Any:
    return ms.Tensor(np.array([1.5, 2.0, 7.3])).astype(getattr(ms, dtype))


INPUTS: dict[str, Callable[[Any], Any]] = {
    "float32": lambda ms: _tensor(ms, "float32"),
    "float16": lambda ms: _tensor(ms, "float16"),
    "bfloat16": lambda ms: _tensor(ms, "bfloat16"),
    "float64": lambda ms: _tensor(ms, "float64"),
    "int32": lambda ms: _tensor(ms, "int32"),
    "tuple": lambda ms: (_tensor(ms, "float32"), _tensor(ms, "float16")),
    "list": lambda ms: [_tensor(ms, "float32"), _tensor(ms, "float16")],
    "nested": lambda ms: ((_tensor(ms, "float32"),), [_tensor(ms, "float16")]),
    "dict": lambda ms: {"a": _tensor(ms, "float32")},
    "None": lambda ms: None,
    "str": lambda ms: "a",
    "array": lambda ms: np.ones(2, np.float32),
    "tuple with None": lambda ms: (_tensor(ms, "float32"), None),
}

_inf, _nan = float("inf"), float("nan")
FINITE: dict[str, Callable[[Any], Any]] = {
    "finite": lambda ms: (ms.Tensor([1.0]), ms.Tensor([2.0, 3.0])),
    "list": lambda ms: [ms.Tensor([1.0])],
    "inf": lambda ms: (ms.Tensor([1.0]), ms.Tensor([2.0, _inf])),
    "-inf": lambda ms: (ms.Tensor([-_inf]),),
    "nan": lambda ms: (ms.Tensor([_nan]), ms.Tensor([1.0])),
    "float16": lambda ms: (ms.Tensor(np.array([_inf], np.float16)), ms.Tensor([1.0])),
    "float64": lambda ms: (ms.Tensor(np.array([_nan])),),
    "ints": lambda ms: (ms.Tensor([1, 2]),),
    "bools": lambda ms: (ms.Tensor([True]),),
    "empty": lambda ms: (),
    "Tensor": lambda ms: ms.Tensor([1.0]),
    "None": lambda ms: None,
    "dict": lambda ms: {"a": ms.Tensor([1.0])},
    "nested": lambda ms: ((ms.Tensor([1.0]),), (ms.Tensor([1.0]),)),
    "tuple with float": lambda ms: (ms.Tensor([1.0]), 1.0),
}

MADE: list[tuple[str, tuple]] = [
    *(("StaticLossScaler", (v,)) for v in (1, 2.5, 1024, 0, -1, 0.5, "a", None, True)),
    *(("DynamicLossScaler", a) for a in ((4, 2, 3), (4.5, 1, 3), (0, 2, 3), (-1, 2, 3), ("a", 2, 3), (None, 2, 3),
                                         (4, 0, 3), (4, -1, 3), (4, 2.0, 3), (4, "a", 3), (4, True, 3), (4, 2, 0),
                                         (4, 2, -1), (4, 2, 2.5), (4, 2, "a"))),
    *(("FixedLossScaleManager", a) for a in ((), (8.0, False), (1,), (0,), (0.5,), (-1,), ("a",))),
    *(("DynamicLossScaleManager", a) for a in ((), (8, 2, 3), (8.5, 2.5, 3), (0,), (0.5,), ("a",), (8, 0, 3),
                                               (8, 2, 0), (8, 2, 2.5))),
]  # fmt: skip

AUTO_FAILS: dict[str, Callable[[Any, Any], tuple]] = {
    "int": lambda ms, net: (1,),
    "None": lambda ms, net: (None, "O0"),
    "level": lambda ms, net: (net, "O4"),
    "level int": lambda ms, net: (net, 1),
    "level small": lambda ms, net: (net, "o2"),
    "dtype": lambda ms, net: (net, "O2", ms.float32),
    "dtype str": lambda ms, net: (net, "O1", "x"),
    "dtype, O0": lambda ms, net: (net, "O0", ms.float32),
    "function, O0": lambda ms, net: (lambda x: x, "O0"),
    "function, O1": lambda ms, net: (lambda x: x, "O1"),
}

CUSTOM_FAILS: dict[str, Callable[[Any, Any], tuple[Any, dict]]] = {
    "no list": lambda ms, net: (net, {}),
    "both": lambda ms, net: (net, {"white_list": [ms.nn.Dense], "black_list": [ms.nn.ReLU]}),
    "white class": lambda ms, net: (net, {"white_list": ms.nn.Dense}),
    "white tuple": lambda ms, net: (net, {"white_list": ()}),
    "white ints": lambda ms, net: (net, {"white_list": [1]}),
    "white str": lambda ms, net: (net, {"white_list": ["Dense"]}),
    "white object": lambda ms, net: (net, {"white_list": [ms.nn.Dense(2, 3)]}),
    "black ints": lambda ms, net: (net, {"black_list": [1]}),
    "black operator": lambda ms, net: (net, {"black_list": [ms.ops.MatMul]}),
    "dtype": lambda ms, net: (net, {"white_list": [ms.nn.Dense], "dtype": ms.float32}),
    "network": lambda ms, net: (1, {"white_list": [ms.nn.Dense]}),
}

TRAIN: dict[str, Callable[[Any], dict]] = {
    "O0": lambda ms: {"level": "O0"},
    "O1": lambda ms: {"level": "O1"},
    "O3": lambda ms: {"level": "O3"},
    "auto": lambda ms: {"level": "auto"},
    "fixed, kept": lambda ms: {"loss_scale_manager": ms.amp.FixedLossScaleManager(8.0, False)},
    "cast": lambda ms: {"cast_model_type": ms.float16},
    "cast, normalizations too": lambda ms: {"cast_model_type": ms.float16, "keep_batchnorm_fp32": False},
    "O2 without scale": lambda ms: {"level": "O2", "loss_scale_manager": None},
    "level": lambda ms: {"level": "O4"},
    "loss": lambda ms: {"loss_fn": 1},
    "manager": lambda ms: {"loss_scale_manager": 1},
    "keyword": lambda ms: {"foo": 1},
    "optimizer": lambda ms: {"optimizer": 1},
    "network": lambda ms: {"network": 1},
}
