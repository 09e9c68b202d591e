"""Which of MindSpore's public names work on its CPU.

A name does if its documentation lists the platform, or refers to a name that does, or if the example of its
documentation runs there. A name about which none of the three says anything (a base class, a type, a setting) is not
listed: its rate would mean nothing.
"""

import doctest
import inspect
import os
import re

import public_names
from snippets import isolate

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

    def ask():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        names = {"__name__": "__main__"}
        exec(SETUP, names)
        for example in examples:
            exec(compile(example.source, "example", "single"), names)

    return isolate(ask, LIMIT)[1] == 0


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


def outcomes():
    """{module: "name name ..."}."""
    docs = {
        module: {name: documentation(value) for name, value in public_names.public(holder)}
        for module, holder in public_names.holders(*public_names.CLASSES)
    }
    evidence = Evidence(docs)
    return {
        module: " ".join(name for name in names if evidence.of(module, name))
        for module, names in docs.items()
    }
