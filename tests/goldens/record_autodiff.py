"""Record MindSpore's answers to autodiff_cases.py in autodiff.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
import numpy as np
from snippets import record

HERE = Path(__file__).parent
PRELUDE = {
    "ms": ms,
    "mindspore": ms,
    "np": np,
    **{name: getattr(ms, name) for name in ("Tensor", "Parameter", "ParameterTuple", "nn", "ops", "mint")},
}


def reset() -> None:
    ms.runtime.launch_blocking()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(0)


if __name__ == "__main__":
    record(HERE / "autodiff_cases.py", HERE / "autodiff.json", PRELUDE, reset)
