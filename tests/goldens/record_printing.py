"""Record what MindSpore's str and repr give in printing.json. Run with MindSpore 2.10.0, NumPy 1.26."""

import json
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor
from printing_cases import cases


def tensor(array, dtype):
    """NumPy has no bfloat16; every other cast is NumPy's."""
    if dtype == "bfloat16":
        return Tensor(np.asarray(array, np.float32)).astype(ms.bfloat16)
    return Tensor(np.asarray(array).astype(getattr(np, dtype)))


def main():
    golden = {name: [str(t := tensor(array, dtype)), repr(t)] for name, array, dtype in cases()}
    w = Parameter(Tensor(np.ones((1, 2), np.float32)), name="w")
    b = Parameter(Tensor(2, ms.int8), name="b", requires_grad=False)
    nested = {
        "parameters": [[str(p), repr(p)] for p in (w, b, Parameter(Tensor([1.0])))],
        "tuple": str((Tensor(1.5), [Tensor([True])])),
    }
    path = Path(__file__).with_name("printing.json")
    path.write_text(json.dumps({"tensors": golden, **nested}, indent=0, ensure_ascii=False) + "\n")
    print(path, path.stat().st_size, len(golden), nested)


if __name__ == "__main__":
    main()
