"""Record what MindSpore 2.10.0's modules hold beside their public names: msjax/inner.json.gz.

    python tests/goldens/record_inner.py      # in an environment with mindspore==2.10.0

Published networks import such names at their top, often for one device only and without ever using them there. The file
is {module: names with spaces between}.
"""

import gzip
import importlib
import json
import pathlib
import pkgutil
import types

import mindspore

PACKAGE = pathlib.Path(__file__).parents[2] / "msjax"
# What builds, checks or draws MindSpore itself.
LEFT_OUT = (
    "ops_generate",
    "include",
    "_akg",
    "ops._op_impl",
    "ops.bprop_mindir",
    "run_check",
    "dataset.debug",
    "lite",
)


def inner_modules(path: str, prefix: str = ""):
    for found in pkgutil.iter_modules([path]):
        name = prefix + found.name
        if name in LEFT_OUT or name.endswith(("validators", "__main__")):
            continue
        yield name
        if found.ispkg:
            yield from inner_modules(f"{path}/{found.name}", name + ".")


def own_names(module: types.ModuleType) -> list[str]:
    """What is MindSpore's: its classes and functions, and values that belong to no package."""
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("__")
        and not isinstance(value, types.ModuleType)
        and (
            str(getattr(value, "__module__", None) or "mindspore").startswith("mindspore")
            or module.__name__.endswith("_pb2")
        )
    )


def public_names(name: str) -> set[str]:
    """What the public modules above a module hold: those need no second mention."""
    public = json.loads(gzip.decompress((PACKAGE / "api.json.gz").read_bytes()))
    parts = name.split(".")
    above = (".".join(parts[:length]) for length in range(2, len(parts)))
    return {known for module in above for known in public.get(module, ())}


def main() -> None:
    recorded = {}
    for name in inner_modules(mindspore.__path__[0]):
        try:
            module = importlib.import_module(f"mindspore.{name}")
        except BaseException as error:
            print(f"left out {name}: {error!r}")
            continue
        public = public_names(f"mindspore.{name}")
        recorded[f"mindspore.{name}"] = " ".join(n for n in own_names(module) if n not in public)
    (PACKAGE / "inner.json.gz").write_bytes(
        gzip.compress(json.dumps(recorded, sort_keys=True).encode(), 9, mtime=0)
    )
    print(f"{len(recorded)} modules, {sum(len(names.split()) for names in recorded.values())} names")


if __name__ == "__main__":
    main()
