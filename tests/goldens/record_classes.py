"""Record where MindSpore 2.10.0 defines its public classes, which is what it prints of them.

    python tests/goldens/record_classes.py      # in an environment with mindspore==2.10.0

Writes msjax/classes.json.gz: {public module: {module of the definition: "Name Name ..."}}.
"""

import gzip
import importlib
import inspect
import json
import pathlib
from collections import defaultdict

from mindspore._c_expression import typing
from record_api import MODULES, public


def homes(holder):
    """{module of the definition: names} for the classes of a public module."""
    found = defaultdict(list)
    for name, value in public(holder):
        home = getattr(value, "__module__", None) or ""
        if inspect.isclass(value) and home.startswith("mindspore.") and value.__name__ == name:
            found[home].append(name)
    return {home: " ".join(sorted(names)) for home, names in sorted(found.items())}


def main():
    recorded = {}
    for path in [*MODULES, "common.dtype", "ops.auto_generate", "common.tensor", "common.parameter"]:
        full = path if path == "mindspore" else f"mindspore.{path}"
        try:
            recorded[full] = homes(importlib.import_module(full))
        except ImportError:
            parent, _, name = full.rpartition(".")
            recorded[full] = homes(getattr(importlib.import_module(parent), name))
    kinds = sorted(name for name, value in vars(typing).items() if inspect.isclass(value))
    recorded["mindspore.common.dtype"]["mindspore._c_expression.typing"] = " ".join(kinds)
    recorded = {module: found for module, found in recorded.items() if found}
    path = pathlib.Path(__file__).parents[2] / "msjax" / "classes.json.gz"
    path.write_bytes(gzip.compress(json.dumps(recorded, separators=(",", ":")).encode(), 9, mtime=0))
    print(len(recorded), path.stat().st_size)


if __name__ == "__main__":
    main()
