"""Record MindSpore 2.10.0's checkpoint files and how it loads them; let it load this package's files.

    python tests/goldens/record_ckpt.py write    # with this package: writes ckpt/msjax_*
    python tests/goldens/record_ckpt.py record   # with MindSpore on CPU: reads those, writes ckpt/mindspore_* and ckpt.json

`record` fails if MindSpore does not find in a file of this package what was put there.
"""

import json
import os
import pathlib
import sys
import tempfile
from typing import Any

import numpy as np
from samples_ckpt import (
    APPENDED,
    INTO,
    KEY,
    LOADS,
    MODES,
    PATHS,
    SAVES,
    damaged,
    entries,
    make_net,
    parameters,
    same,
    target,
)

HERE = pathlib.Path(__file__).with_name("ckpt")


def write_all(ms: Any, prefix: str) -> None:
    """Every kind of file, named so that the two implementations' can be told apart."""
    for old in HERE.glob(f"{prefix}_*"):
        old.unlink()
    path = f"{HERE}/{prefix}_"
    ms.save_checkpoint(make_net(ms), path + "net", append_dict=APPENDED)
    ms.save_checkpoint(make_net(ms), path + "crc.ckpt", crc_check=True)
    ms.save_checkpoint(make_net(ms), path + "net", format="safetensors")
    ms.save_checkpoint(parameters(ms), path + "crc", format="safetensors", crc_check=True)
    ms.save_checkpoint(entries(ms), path + "dtypes.ckpt")
    ms.save_checkpoint(entries(ms), path + "dtypes", format="safetensors")
    held = parameters(ms)
    optimizer = ms.nn.Adam([{"params": held[:1], "lr": [0.1, 0.2, 0.3]}, {"params": held[1:]}], 0.1)
    for _ in range(2):
        optimizer(tuple(ms.Tensor(np.ones(p.shape, np.float32)) for p in held))
    ms.save_checkpoint(optimizer, path + "adam.ckpt")
    for mode in MODES:
        ms.save_checkpoint(parameters(ms), f"{path}{mode}.ckpt", enc_key=KEY, enc_mode=mode)
    for file in HERE.glob(f"{prefix}_*"):
        file.chmod(0o644)


def shown(found: dict[str, Any]) -> dict[str, Any]:
    """What a checkpoint holds, for JSON."""
    return {
        k: v if isinstance(v, str) else [str(v.dtype), list(v.shape), _plain(v)] for k, v in found.items()
    }


def _plain(value: Any) -> list:
    array = value.asnumpy()
    return array.astype(np.float64 if array.dtype.kind not in "biu" else array.dtype).ravel().tolist()


def read_all(ms: Any, prefix: str) -> dict[str, Any]:
    found = {}
    for file in sorted(HERE.glob(f"{prefix}_*")):
        mode = next((m for m in MODES if m in file.name), None)
        options: dict[str, Any] = {} if mode is None else {"dec_key": KEY, "dec_mode": mode}
        if "crc" in file.name:
            options["crc_check"] = True
        loaded = ms.load_checkpoint(str(file), format=file.suffix[1:], **options)
        found[file.name.removeprefix(f"{prefix}_")] = shown(loaded)
    return found


def attempt(call: Any) -> Any:
    try:
        return call()
    except Exception as error:  # what MindSpore raises is what we want to know
        return {"error": type(error).__name__}


def into(ms: Any, name: str) -> Any:
    case, net = INTO[name], target(ms)

    def call() -> Any:
        lists = ms.load_param_into_net(case.net or net, case.given(ms), case.strict, case.redundancy)
        return {"lists": lists, "values": {p.name: _plain(p) for p in net.get_parameters()}}

    return attempt(call)


def record(ms: Any) -> dict[str, Any]:
    ours, theirs = read_all(ms, "msjax"), read_all(ms, "mindspore")
    differ = [name for name in theirs if not same(ours.get(name, {}), theirs[name])]
    if differ:
        raise SystemExit(f"MindSpore reads these files of msjax otherwise than its own: {differ}")
    net = str(HERE / "mindspore_net.ckpt")
    golden = {
        "files": theirs,
        "loads": {name: attempt(lambda o=o: list(ms.load_checkpoint(net, **o))) for name, o in LOADS.items()},
        "into": {name: into(ms, name) for name in INTO},
        "saves": {},
        "paths": {},
        "damaged": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, make in SAVES.items():
            obj, options = make(ms)
            golden["saves"][name] = attempt(
                lambda o=obj, k=options: (
                    ms.save_checkpoint(o, "a.ckpt", **k),
                    shown(ms.load_checkpoint("a.ckpt")),
                )[1]
            )
        for name, path in PATHS.items():
            golden["paths"][name] = attempt(lambda p=path: ms.save_checkpoint(parameters(ms), p))
        good, checked = (HERE / f"mindspore_{n}.ckpt" for n in ("net", "crc"))
        for name, (data, options) in damaged(good.read_bytes(), checked.read_bytes()).items():
            pathlib.Path("d.ckpt").write_bytes(data)
            golden["damaged"][name] = attempt(lambda o=options: list(ms.load_checkpoint("d.ckpt", **o)))
    return golden


def main(what: str) -> None:
    HERE.mkdir(exist_ok=True)
    if what == "write":
        import msjax

        write_all(msjax, "msjax")
        return
    import mindspore

    write_all(mindspore, "mindspore")
    golden = record(mindspore)
    path = HERE / "ckpt.json"
    path.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n")
    print(path, path.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1])
