"""Record what MindSpore 2.10.0 (CPU) gives for `scipy_cases.py`, as `scipy.json`.

ONEDNN_MAX_CPU_ISA=AVX2 python tests/goldens/record_scipy.py
"""

import json
import pathlib
from typing import Any

import mindspore
import mindspore.scipy
import numpy as np
from scipy_cases import CASES


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    if isinstance(value, mindspore.Tensor):
        a = value.asnumpy()
        return {"dtype": a.dtype.name, "shape": a.shape, "values": a.reshape(-1).tolist()}
    return value


def tensor(data: Any, dtype: str = "float32") -> mindspore.Tensor:
    return mindspore.Tensor(np.array(data, dtype))


found = {}
for module, name, arguments in CASES:
    names = vars(getattr(mindspore.scipy, module))
    try:
        result = plain(eval(f"{name}({arguments})", {**names, "T": tensor}))
    except Exception as error:
        result = {"error": type(error).__name__}
    found[f"{module}.{name}({arguments})"] = result
(pathlib.Path(__file__).parent / "scipy.json").write_text(json.dumps(found, indent=0) + "\n")
print(len(found), "calls recorded")
