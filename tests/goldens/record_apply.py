"""Record what MindSpore 2.10.0 (CPU) gives for `apply_cases.py`.

Results and Parameters after each of two steps, of one in float16.

    python tests/goldens/record_apply.py      # in an environment with mindspore==2.10.0, numpy<2
"""

import json
import pathlib
from typing import Any

import mindspore as ms
import numpy as np
from apply_cases import CASES, HALF, arguments, key

HERE = pathlib.Path(__file__).parent


def numbers(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [numbers(v) for v in value]
    array = value.asnumpy()
    return [array.dtype.name, list(array.shape), [float(f"{v:.7g}") for v in array.reshape(-1).tolist()]]


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
        print("RAISES", key(case, dtype), type(error).__name__, str(error).strip()[:200].replace("\n", " "))
        return type(error).__name__
    return steps


if __name__ == "__main__":
    ms.runtime.launch_blocking()
    found = {key(case, "float32"): outcome(case, "float32") for case in CASES}
    found |= {key(case, "float16"): outcome(case, "float16") for case in CASES if case[0] in HALF}
    (HERE / "apply.json").write_text(json.dumps(found))
    print(len(found), np.sum([isinstance(v, str) for v in found.values()]), "raise")
