"""Record what MindSpore 2.10.0's optimizers do, step by step, in `optim.npz`. Run with MindSpore on CPU.

    GLOG_v=4 ONEDNN_MAX_CPU_ISA=AVX2 python tests/goldens/record_optim.py

Per sample of `samples_optim.py`: the names, shapes and dtypes of all its parameters in order; the values of the trained
ones after every step and of all after the first and the last step; or the type of its exception.
"""

import json
import pathlib
from typing import Any

import mindspore as ms
import numpy as np
from samples_optim import FAILS, SAMPLES, SHAPES, Bench, Sample


def values(parameters: Any) -> list[np.ndarray]:
    plain = [p.astype(ms.float32) if p.dtype == ms.bfloat16 else p for p in parameters]
    return [p.asnumpy().copy() for p in plain]  # asnumpy shares memory with the Parameter


def run(sample: Sample) -> tuple[dict[str, Any], list[np.ndarray]]:
    bench = Bench(ms, sample.dtype)
    optimizer = sample.make(bench)
    everything = [p for _, p in optimizer.parameters_and_names()]
    entry: dict[str, Any] = {
        "names": [n for n, _ in optimizer.parameters_and_names()],
        "parameters": [[p.name, list(p.shape), str(p.dtype)] for p in everything],
        "str": str(optimizer),
        "returns": [],
    }
    arrays = values(everything)
    for step in range(sample.steps):
        if sample.meanwhile is not None:
            sample.meanwhile(bench, optimizer, step)
        dtype = sample.grad_dtype and getattr(ms, sample.grad_dtype)
        gradients = bench.gradients(step, dtype, [p.name for p in optimizer.parameters])
        returned = optimizer(gradients)
        entry["returns"].append(repr(returned))
        arrays += values(everything if step in (0, sample.steps - 1) else bench.p)
    return entry, arrays


def main() -> None:
    ms.runtime.launch_blocking()
    found: dict[str, Any] = {"shapes": {k: list(v) for k, v in SHAPES.items()}, "samples": {}, "fails": {}}
    blobs = []
    for sample in SAMPLES:
        if sample.id in found["samples"]:
            raise ValueError(f"twice in the table: {sample.id}")
        try:
            entry, arrays = run(sample)
            entry["arrays"] = [[a.dtype.name, list(a.shape)] for a in arrays]
            blobs += [np.ascontiguousarray(a).tobytes() for a in arrays]
        except Exception as error:  # what MindSpore raises is what we want to know
            entry = {"error": type(error).__name__}
            print(sample.id, "raises", type(error).__name__, str(error).strip()[:150].replace("\n", " "))
        found["samples"][sample.id] = entry
    for name, fail in FAILS.items():
        try:
            fail(Bench(ms))
            found["fails"][name] = None
            print("does not fail:", name)
        except Exception as error:
            found["fails"][name] = type(error).__name__
    index = np.frombuffer(json.dumps(found).encode(), np.uint8)
    path = pathlib.Path(__file__).with_name("optim.npz")
    np.savez_compressed(path, index=index, data=np.frombuffer(b"".join(blobs), np.uint8))
    print(len(found["samples"]), "samples,", len(FAILS), "failures,", path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
