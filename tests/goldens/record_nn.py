"""Record what MindSpore 2.10.0 (CPU) prints for `nn_cases.py` and computes for `samples_layers.py`.

    ONEDNN_MAX_CPU_ISA=AVX2 python tests/goldens/record_nn.py      # in an environment with mindspore==2.10.0, numpy<2

Writes `nn_cases.json` and `nn_layers.npz`. Each program of the former runs in a process of its own, because MindSpore
numbers unnamed Parameters.
"""

import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).parent
ADDRESS = re.compile(r"<mindspore[.\w]*\.(\w+) object at 0x[0-9a-f]+>")


def programs() -> list[str]:
    source = (HERE / "nn_cases.py").read_text()
    return re.findall(r"^def (\w+)\(\):$", source, re.MULTILINE)


def printed(name: str) -> str:
    import nn_cases

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        getattr(nn_cases, name)()
    return ADDRESS.sub(r"<\1>", out.getvalue())


def record_programs() -> None:
    found = {}
    for name in programs():
        run = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=False)
        if run.returncode:
            print("RAISES:", name, run.stderr[-2000:])
        found[name] = run.stdout
    (HERE / "nn_cases.json").write_text(json.dumps(found, indent=1) + "\n")
    print(len(found), "programs recorded")


def leaves(value: Any) -> list:
    return [leaf for v in value for leaf in leaves(v)] if isinstance(value, list | tuple) else [value]


def run(ms: Any, call: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    """What is told of a layer, and its arrays: outputs, gradients, then the state that training left."""
    cell = call.build(ms)
    told: dict[str, Any] = {"tree": ADDRESS.sub(r"<\1>", str(cell))}
    parameters = list(cell.parameters_and_names())
    told["parameters"] = [[n, p.name, list(p.shape), str(p.dtype), p.requires_grad] for n, p in parameters]
    for path, p in parameters:
        p.set_data(ms.Tensor(call.values(path, p.shape, p.asnumpy().dtype)))
    inputs = [ms.Tensor(x) if isinstance(x, np.ndarray) else x for x in call.inputs()]
    outputs = [o.asnumpy().copy() for o in leaves(cell(*inputs))]
    arrays = {"outputs": outputs, "grads": [], "state": []}
    state = [p for _, p in parameters if not p.requires_grad] if call.train else []
    arrays["state"] = [p.asnumpy().copy() for p in state]
    weights = [p for _, p in parameters if p.requires_grad]
    at = [i for i, x in enumerate(inputs) if isinstance(x, ms.Tensor) and x.is_floating_point()]
    if call.grad and (at or weights):

        def scalar(*args: Any) -> Any:
            outs = leaves(cell(*args))
            sens = [ms.Tensor(call.cotangent(i, o)) for i, o in enumerate(outputs)]
            return sum(
                ((o * s).astype(ms.float32).sum() for o, s in zip(outs, sens, strict=True)), ms.Tensor(0.0)
            )

        grads = ms.grad(scalar, tuple(at) or None, weights or None)(*inputs)
        arrays["grads"] = [g.asnumpy() for g in leaves(grads)]
    for kind, listed in arrays.items():
        told[kind] = [[a.dtype.name, list(a.shape)] for a in listed]
    return told, [a for listed in arrays.values() for a in listed]


def start(ms: Any, make: str) -> dict[str, list[float]]:
    """How the starting values of a layer are distributed."""
    from samples_layers import Call

    ms.set_seed(1)
    values = {name: p.asnumpy() for name, p in Call(make, ()).build(ms).parameters_and_names()}
    return {n: [float(s) for s in (v.mean(), v.std(), v.min(), v.max())] for n, v in values.items()}


def record_layers() -> None:
    import mindspore as ms
    from samples_layers import LAYERS, STARTS

    ms.set_context(pynative_synchronize=True)
    found: dict[str, dict[str, Any]] = {}
    blob: list[bytes] = []
    for call in LAYERS:
        if call.id in found:
            raise ValueError(f"twice in the table: {call.id}")
        try:
            told, arrays = run(ms, call)
        except Exception as error:
            found[call.id] = {"error": type(error).__name__}
            if not call.fails:
                print("RAISES:", call.id, type(error).__name__, str(error).strip()[:300].replace("\n", " "))
            continue
        if call.fails:
            print("DOES NOT RAISE:", call.id)
        found[call.id] = told
        blob += [np.ascontiguousarray(a).tobytes() for a in arrays]
    starts = {make: start(ms, make) for make in STARTS}
    index = np.frombuffer(json.dumps({"layers": found, "starts": starts}).encode(), np.uint8)
    np.savez_compressed(HERE / "nn_layers.npz", index=index, data=np.frombuffer(b"".join(blob), np.uint8))
    print(len(found), "layers recorded")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(printed(sys.argv[1]))
    else:
        record_programs()
        record_layers()
