"""The names of the programs of autodiff_cases.py, control_cases.py and graph_cases.py."""

from typing import Any

import numpy as np


def names(ms: Any) -> dict[str, Any]:
    """The names of the programs, of MindSpore or of msjax."""
    own = ("Tensor", "Parameter", "ParameterTuple", "nn", "ops", "mint")
    return {"ms": ms, "mindspore": ms, "np": np, **{name: getattr(ms, name) for name in own}}
