"""Record which of MindSpore 2.10.0's public names work on its CPU, for `python -m msjax.status`.

    python tests/goldens/record_cpu.py      # in an environment with mindspore==2.10.0, numpy<2; in a scratch folder

Writes msjax/cpu.json.gz: {module: names}. A name works on the CPU if its documentation lists the platform, or refers to
a name that does, or if the example of its documentation runs there. A name about which none of the three says anything
(a base class, a type, a setting) is not listed: its rate would mean nothing.
"""

import doctest
import gzip
import importlib
import inspect
import json
import os
import pathlib
import re
import signal
import sys
import traceback
from collections import Counter

import record_api

PLATFORMS = re.compile(r"Supported Platforms:\s*\n(.*?)(?:\n\s*\n|\Z)", re.DOTALL)
REFERENCE = re.compile(
    r"(?:refer to|details in|alias (?:of|for)|same as)\s+:(?:func|class|meth):`~?\.?([\w.]+)`", re.IGNORECASE
)
# What examples may take for granted, and their limit in seconds.
SETUP = """
import numpy as np, mindspore as ms, mindspore
from mindspore import Tensor, Parameter, context, nn, ops, mint, dtype as mstype
import mindspore.numpy as mnp
"""
LIMIT = 40
GENERAL = {"Primitive", "PrimitiveWithInfer", "PrimitiveWithCheck"}


def holder(path):
    try:
        return importlib.import_module(path)
    except ImportError:
        parent, _, name = path.rpartition(".")
        return getattr(importlib.import_module(parent), name)


def documentation(value):
    """A docstring of its own: numbers have that of their type, and plain primitives that of the class of all."""
    text = getattr(value, "__doc__", None)
    inherited = not inspect.isclass(value) and text == type(value).__doc__
    general = type(value).__module__ == "builtins" or type(value).__name__ in GENERAL
    return text if isinstance(text, str) and not (inherited and general) else ""


def runs(text):
    """Whether the example of a docstring runs to its end, in a process of its own."""
    examples = doctest.DocTestParser().get_examples(inspect.cleandoc(text))
    if not examples:
        return False
    child = os.fork()
    if not child:
        signal.alarm(LIMIT)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            names = {"__name__": "__main__"}
            exec(SETUP, names)
            for example in examples:
                exec(compile(example.source, "example", "single"), names)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


class Evidence:
    """How each name is known to work on the CPU: "listed", "referred", "ran", or "" if it is not."""

    def __init__(self, docs):
        self.docs = docs
        self.ran = {}

    def of(self, module, name, depth=0):
        text = self.docs.get(module, {}).get(name, "")
        platforms = PLATFORMS.search(text)
        if platforms and "CPU" in platforms[1]:
            return "listed"
        other = REFERENCE.search(text)
        if other and depth < 3:
            place, _, called = other[1].rpartition(".")
            place = place if place.startswith("mindspore") else f"mindspore.{place}".rstrip(".")
            if self.of(place, called, depth + 1):
                return "referred"
        if text not in self.ran:
            self.ran[text] = runs(text)
        return "ran" if self.ran[text] else ""


def main():
    docs = {}
    for path in [*record_api.MODULES, *record_api.CLASSES]:
        full = path if path == "mindspore" else f"mindspore.{path}"
        docs[full] = {name: documentation(value) for name, value in record_api.public(holder(full))}
    evidence = Evidence(docs)
    found = {module: {name: evidence.of(module, name) for name in names} for module, names in docs.items()}
    working = {module: " ".join(n for n, how in names.items() if how) for module, names in found.items()}
    path = pathlib.Path(__file__).parents[2] / "msjax" / "cpu.json.gz"
    path.write_bytes(gzip.compress(json.dumps(working, separators=(",", ":")).encode(), 9, mtime=0))
    for module, names in found.items():
        print(module, dict(Counter(names.values())))
    print(path.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
