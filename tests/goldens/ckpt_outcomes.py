"""Checkpoint files of MindSpore and of msjax, and how MindSpore loads them."""

import pathlib
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

RECORDED = pathlib.Path(__file__).with_name("ckpt")


def write_all(ms: Any, prefix: str) -> None:
    """Every kind of file, in the working folder, named so that the two implementations' can be told apart."""
    path = f"{prefix}_"
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
    for file in pathlib.Path().glob(f"{prefix}_*"):
        file.chmod(0o644)


def shown(found: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of a checkpoint, for JSON."""
    return {
        k: v if isinstance(v, str) else [str(v.dtype), list(v.shape), _plain(v)] for k, v in found.items()
    }


def _plain(value: Any) -> list:
    array = value.asnumpy()
    return array.astype(np.float64 if array.dtype.kind not in "biu" else array.dtype).ravel().tolist()


def read_all(ms: Any, folder: pathlib.Path, prefix: str) -> dict[str, Any]:
    found = {}
    for file in sorted(folder.glob(f"{prefix}_*")):
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


def write(msjax: Any) -> None:
    """Write the files of this package, which `outcomes` lets MindSpore read."""
    write_all(msjax, "msjax")


def outcomes(ms: Any) -> dict[str, Any]:
    """Write MindSpore's files, and tell what it finds in them, how it loads them and what it refuses.

    This fails if MindSpore does not find in a file of this package what was put there.
    """
    write_all(ms, "mindspore")
    here = pathlib.Path()
    ours, theirs = read_all(ms, RECORDED, "msjax"), read_all(ms, here, "mindspore")
    differ = [name for name in theirs if not same(ours.get(name, {}), theirs[name])]
    if differ:
        raise SystemExit(f"MindSpore reads these files of msjax otherwise than its own: {differ}")
    net = "mindspore_net.ckpt"
    golden = {
        "files": theirs,
        "loads": {name: attempt(lambda o=o: list(ms.load_checkpoint(net, **o))) for name, o in LOADS.items()},
        "into": {name: into(ms, name) for name in INTO},
        "saves": {},
        "paths": {},
        "damaged": {},
    }
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
    good, checked = (here / f"mindspore_{n}.ckpt" for n in ("net", "crc"))
    for name, (data, options) in damaged(good.read_bytes(), checked.read_bytes()).items():
        pathlib.Path("d.ckpt").write_bytes(data)
        golden["damaged"][name] = attempt(lambda o=options: list(ms.load_checkpoint("d.ckpt", **o)))
    return golden
