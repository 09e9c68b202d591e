"""Record what MindSpore 2.10.0 (CPU) gives for `samples_numpy.py`.

    python tests/goldens/record_numpy.py      # in an environment with mindspore==2.10.0, numpy<2

Each sample runs alone; one that raises is recorded only if it stands in `WRONG`.
"""

import gzip
import json
import pathlib

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from samples_numpy import ARRAYS, FAMILIES, GRADIENTS, WRONG


def described(value):
    """A result as JSON: arrays with dtype, shape and values."""
    if isinstance(value, ms.Tensor):
        array = value.asnumpy()
        flat = array.ravel()
        values = [[float(x.real), float(x.imag)] for x in flat] if array.dtype.kind == "c" else flat.tolist()
        return {"dtype": array.dtype.name, "shape": list(array.shape), "values": values}
    if isinstance(value, list | tuple):
        return {"kind": type(value).__name__, "of": [described(v) for v in value]}
    return {"text": str(value)}


def main():
    ms.runtime.launch_blocking()
    names = {**vars(mnp), **{k: ms.Tensor(v) for k, v in ARRAYS.items()}}
    found = {"values": {}, "errors": {}, "gradients": {}}
    for samples in FAMILIES.values():
        for source in samples:
            try:
                found["values"][source] = described(eval(source, dict(names)))
            except Exception as error:
                print(f"no value: {source}: {type(error).__name__}")
    for source in WRONG:
        try:
            eval(source, dict(names))
            print(f"does not raise: {source}")
        except Exception as error:
            found["errors"][source] = type(error).__name__
    for sample in GRADIENTS:
        source, of = sample.split("|")
        try:
            grad = ms.grad(lambda x: eval(source, {**names, "x": x}))(names[of])  # noqa: B023
            found["gradients"][sample] = described(grad)
        except Exception as error:
            print(f"no gradient: {sample}: {type(error).__name__}")
    path = pathlib.Path(__file__).with_name("numpy.json.gz")
    text = json.dumps(found, separators=(",", ":")).encode()
    path.write_bytes(gzip.compress(text, 9, mtime=0))
    print({k: len(v) for k, v in found.items()}, path.stat().st_size, np.__version__)


if __name__ == "__main__":
    main()
