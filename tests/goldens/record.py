"""Record a golden: run its cases with the framework that it is from, and write what that gives.

    python tests/goldens/record.py NAME              # writes the golden; README.md lists the names
    python tests/goldens/record.py NAME --check      # writes nothing, and tells what differs from the golden
    python tests/goldens/record.py NAME cell/ grad/  # of programs in cells: only those whose names begin so, and new ones
    python tests/goldens/record.py --readme          # writes the table in README.md again

The framework must be installed: `mindspore==2.10.0` with `numpy<2` on Python 3.11, or `torch==2.13.0`.
"""

import argparse
import contextlib
import gzip
import importlib
import importlib.util
import json
import operator
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from packing import pack, unpack
from snippets import record, same
from table import FOLDER, GOLDENS, VERSIONS, Golden

SHOWN = 20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", choices=[g.name for g in GOLDENS], metavar="NAME")
    parser.add_argument("programs", nargs="*", metavar="BEGINNING")
    parser.add_argument("--check", action="store_true", help="tell what differs, and write nothing")
    parser.add_argument("--readme", action="store_true", help="write README.md")
    given = parser.parse_args()
    if given.readme:
        (FOLDER / "README.md").write_text(readme())
        return
    if given.name is None:
        parser.error("the name of a golden is missing")
    golden = next(g for g in GOLDENS if g.name == given.name)
    if given.programs and golden.recorder != "programs":
        parser.error(f"{golden.name} has no programs in cells: it is recorded as a whole")
    if given.check and not golden.path.suffix:
        parser.error(f"{golden.file} are files that differ each time: there is nothing to compare")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        data = outcomes(golden, tuple(given.programs))
        if golden.path.suffix:
            target = Path(golden.path.name)
            write(target, data, golden.layout)
            if given.check:
                sys.exit(compare(golden.path, target))
            shutil.copyfile(target, golden.path)
        if golden.files and not given.check:
            for old in golden.path.parent.glob(golden.files):
                old.unlink()
            for file in Path().glob(golden.files):
                shutil.copyfile(file, golden.path.parent / file.name)
    print(f"recorded {golden.file}")


# ---------------------------------------------------------------------- running


def outcomes(golden: Golden, wanted: tuple[str, ...] = ()) -> Any:
    """Return the framework's outcomes for the cases of a golden."""
    reset = prepare(golden.oracle, golden.bare)
    given = [importlib.import_module(name) for name in golden.given.split()]
    if golden.recorder != "programs":
        module, _, function = golden.recorder.partition(".")
        return getattr(importlib.import_module(module), function)(*given)
    prelude, *framework = given
    names = prelude.names(*framework) if framework else prelude.NAMES
    recorded = json.loads(golden.path.read_text()) if golden.path.exists() else {}
    return record(FOLDER / f"{golden.name}_cases.py", recorded, names, reset, wanted or ("",))


def prepare(oracle: str, bare: bool = False) -> Callable[[], None]:
    """Import the framework with the settings of all recordings, and return what begins each program."""
    os.environ.setdefault("GLOG_v", "4")
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")  # sums in the order of every CPU of these days
    found = [name for name in oracle.split() if importlib.util.find_spec(name)]
    if not found:
        sys.exit(f"this golden is from {VERSIONS[oracle]}, which is not installed")
    if found == ["mindspore"] and not bare:
        return prepare_mindspore(importlib.import_module("mindspore"))
    if found == ["torch"]:
        return prepare_torch(importlib.import_module("torch"))
    return lambda: None


def prepare_mindspore(ms: Any) -> Callable[[], None]:
    ms.runtime.launch_blocking()  # or one failed kernel fails the next calls too

    def reset() -> None:
        ms.runtime.launch_blocking()
        ms.set_context(mode=ms.PYNATIVE_MODE)
        ms.set_seed(0)

    return reset


def prepare_torch(torch: Any) -> Callable[[], None]:
    def reset() -> None:
        torch.manual_seed(0)
        torch.set_grad_enabled(True)

    reset()
    return reset


# ---------------------------------------------------------------------- writing


def write(path: Path, data: Any, layout: int | str | None) -> None:
    """Write a golden in the format of its name."""
    if path.suffix == ".npz":
        plain = all(isinstance(value, np.ndarray) for value in data.values())
        np.savez_compressed(path, **(data if plain else pack(data)))
    elif path.suffix == ".gz":
        text = json.dumps(data, separators=(",", ":"))
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    elif isinstance(layout, str):
        path.write_text(lines(data, int(layout.partition(" ")[2] or 1)) + "\n", "utf8")
    else:
        path.write_text(json.dumps(data, indent=layout, ensure_ascii=False) + "\n", "utf8")


def lines(data: Any, depth: int, margin: str = "") -> str:
    """JSON with a line for each entry of the level `depth`."""
    if not depth or not isinstance(data, dict):
        return json.dumps(data, ensure_ascii=False)
    inner = (
        f"{margin}{json.dumps(k, ensure_ascii=False)}: {lines(v, depth - 1, margin + ' ')}"
        for k, v in data.items()
    )
    return "{\n" + ",\n".join(inner) + f"\n{margin[1:]}" + "}"


# ---------------------------------------------------------------------- comparing


def compare(golden: Path, found: Path) -> bool:
    """Tell what differs between two recordings, and whether anything does by more than rounding."""
    different = list(differences(read(golden), read(found)))
    real = [(place, old, new) for place, old, new, rounding in different if not rounding]
    for place, old, new in real[:SHOWN]:
        print(f"{place}\n  - {str(old)[:300]}\n  + {str(new)[:300]}")
    print(f"{golden.name}: {len(real)} values differ, {len(different) - len(real)} more by rounding")
    return bool(real)


def read(path: Path) -> Any:
    """The data of a golden."""
    if path.suffix == ".gz":
        return json.loads(gzip.decompress(path.read_bytes()))
    if path.suffix == ".json":
        return json.loads(path.read_text("utf8"))
    stored = np.load(path)
    return unpack(path) if "index" in stored else dict(stored)


def differences(old: Any, new: Any, place: str = "") -> Iterator[tuple[str, Any, Any, bool]]:
    """Where two recordings differ, both values, and whether that is rounding."""
    old, new = ([v.dtype.name, v.tolist()] if isinstance(v, np.ndarray) else v for v in (old, new))
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from differences(old.get(key, "(missing)"), new.get(key, "(missing)"), f"{place} / {key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif old != new and not (old != old and new != new):  # NaN is not equal to itself
        yield place, old, new, same(str(old), str(new))


# ---------------------------------------------------------------------- telling

INTRODUCTION = """\
# Goldens: what MindSpore and PyTorch give

The tests hold msjax against what other frameworks gave when they were recorded. A golden is recorded by

    python tests/goldens/record.py NAME            # writes it
    python tests/goldens/record.py NAME --check    # only tells what differs

in an environment with its framework: `pip install mindspore==2.10.0 "numpy<2"` with Python 3.11, or `pip install
torch==2.13.0 numpy` (`migration` also needs scikit-learn, `corpora` Pillow and SciPy, `opinfo` and `moduleinfo`
expecttest). Last bits may differ on another CPU; then the recorded file stays.

- `table.py` says for each golden its framework, the function that gives it, the modules that this is called with, and its layout.
- `*_cases.py` and `samples*.py` hold what is asked. Programs in cells (`# %% name`) are read by `snippets.py` and
  know the names of a `*_prelude.py`; all else has a function that takes the framework and returns the golden.
- `record.py` imports the framework, calls that function in a folder of its own, and writes or compares what it gives.

A new golden is a row in `table.py`, its cases, and a test that reads it; `record.py --readme` then writes the table
below, and `tests/test_goldens.py` finds what is missing.

"""


def readme() -> str:
    rows = [
        f"| `{g.file}` | {VERSIONS[g.oracle]} | {' '.join(f'`{s}`' for s in g.sources)} "
        f"| {' '.join(f'`{r}`' for r in g.readers)} | `record.py {g.name}` |"
        for g in sorted(GOLDENS, key=operator.attrgetter("file"))
    ]
    head = "| golden | from | made from | read by | recorded with |\n|---|---|---|---|---|\n"
    return INTRODUCTION + head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()
