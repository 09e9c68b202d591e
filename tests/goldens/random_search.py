"""Search random programs for one that msjax runs otherwise than PyTorch or MindSpore; shrink what is found.

    python tests/goldens/random_search.py in-place --python oracle-torch/bin/python --start 5000 --count 1000
    python tests/goldens/random_search.py wide --python oracle-mindspore/bin/python --start 5000 --count 1000
    python tests/goldens/random_search.py rich --count 100           # eager against compiled, without an oracle

It prints the seeds that differ, and with `--shrink` the smallest program that still does. `nox -s random` runs it.
"""

import argparse
import contextlib
import importlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FRAMEWORKS = {"in-place": "torch", "wide": "mindspore", "rich": "mindspore"}


class Oracle:
    """Another framework in a process of its own, which is started again if a program ends it."""

    def __init__(self, kind: str, python: str) -> None:
        self.command = [python, __file__, kind, "--serve"]
        self.process: Any = None

    def __call__(self, text: str) -> Any:
        """Return what the framework gives for a program; None if its process ended."""
        if self.process is None or self.process.poll() is not None:
            # Its own modules only: no msjax on the path.
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            )
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(text) + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line.startswith("{"):
                    return json.loads(line)
        return None


def serve(kind: str) -> None:
    """Read programs and print what this process's framework gives."""
    framework = importlib.import_module(FRAMEWORKS[kind])
    for line in sys.stdin:
        text = json.loads(line)
        print(
            json.dumps(_torch(framework, text) if kind == "in-place" else _mindspore(framework, text)),
            flush=True,
        )


def _torch(torch: Any, text: str) -> dict[str, Any]:
    import inplace_programs_cases

    return inplace_programs_cases.run(torch, text)


def _mindspore(ms: Any, text: str) -> dict[str, Any]:
    import programs_cases as cases

    return {f"{mode} {what}": cases.run(ms, text, mode, what) for mode in cases.MODES for what in cases.WHAT}


def in_place(seed: int, expected: Callable[[str], Any] | None) -> tuple[tuple, Callable[[tuple], str]]:
    """Return a program of PyTorch's and the function that tells what msjax does otherwise."""
    import inplace_programs_cases as cases
    from random_inplace import InPlaceWriter

    import msjax

    def differs(program: tuple) -> str:
        text = cases.source(program)
        eager = cases.run(msjax.torch, text)
        reference = eager if expected is None else expected(text)
        if reference is None:
            return ""
        found = {"eager": eager, "compiled": cases.run(msjax.torch, text, msjax.jit)}
        return "; ".join(
            f"{how} {why}" for how, one in found.items() if (why := cases.differs(one, reference))
        )

    return InPlaceWriter(seed).program(), differs


def as_mindspore(
    kind: str, seed: int, expected: Callable[[str], Any] | None
) -> tuple[tuple, Callable[[tuple], str]]:
    """Return a program of MindSpore's and the function that tells what msjax does otherwise."""
    import programs_cases as cases
    from random_programs import RICH_HEAD, WIDE_HEAD, RichWriter, WideWriter, source

    import msjax

    writer, head = {"wide": (WideWriter, WIDE_HEAD), "rich": (RichWriter, RICH_HEAD)}[kind]

    def differs(program: tuple) -> str:
        text = source(program, head)
        found = _mindspore(msjax, text)
        if expected is not None:
            reference = expected(text) or {}
        else:
            reference = {f"graph {what}": found[f"pynative {what}"] for what in cases.WHAT}
        return "; ".join(
            f"{name}: {found[name]}, expected {given}"
            for name, given in reference.items()
            # What MindSpore refuses may run; what eager code refuses should not have been written.
            if (expected is None or not isinstance(given, dict))
            and not (isinstance(given, list) and cases.alike(found[name], given))
        )

    # Without an oracle, only what eager and compiled code do alike.
    return writer(seed, alike=expected is None).program(), differs


def search(kind: str, seeds: range, python: str, shrinks: bool) -> Iterator[str]:
    """Yield a text for each seed that differs."""
    from random_programs import shrink

    oracle = Oracle(kind, python) if python else None
    for seed in seeds:
        program, differs = in_place(seed, oracle) if kind == "in-place" else as_mindspore(kind, seed, oracle)
        if not (why := differs(program)):
            continue
        yield f"seed {seed}: {why}"
        if shrinks:
            # The same failure, not any: what an exception is, or which part differs.
            sort = why[:40]
            smallest = shrink(program, lambda lines, differs=differs, sort=sort: differs(lines)[:40] == sort)
            from random_programs import indented

            yield "\n".join(indented(smallest, 1)) + f"\n    # {differs(smallest)}"


def main() -> None:
    """Run the search, or an oracle of it."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("kind", choices=FRAMEWORKS)
    arguments.add_argument("--start", type=int, default=10_000, help="the first seed")
    arguments.add_argument("--count", type=int, default=100)
    arguments.add_argument("--python", default="", help="the interpreter that has the framework")
    arguments.add_argument("--shrink", action="store_true")
    arguments.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(HERE))
    if given.serve:
        serve(given.kind)
        return
    sys.path.insert(1, str(HERE.parents[1]))
    os.environ.setdefault("MSJAX_COMPILE_PROGRESS", "0")
    from tests import xla_flags

    os.environ["XLA_FLAGS"] = xla_flags.for_tests(os.environ.get("XLA_FLAGS"), HERE.parents[1] / ".jax_cache")
    found = 0
    for text in search(given.kind, range(given.start, given.start + given.count), given.python, given.shrink):
        found += text.startswith("seed ")
        print(text, flush=True)
    print(f"{given.count} programs, {found} differ")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
