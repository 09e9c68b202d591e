"""Recorded API of MindSpore 2.10.0: its public names, and which of them work on its CPU.

`api.json.gz`, `cpu.json.gz` and `inner.json.gz` are recorded from it (tests/goldens/README.md).
"""

import functools
import gzip
import json
from collections.abc import Mapping
from pathlib import Path

NAME = "mindspore"


@functools.cache
def recorded() -> Mapping[str, Mapping[str, str]]:
    """Return the names of each public module, and of the classes whose members are listed.

    Returns:
        {"mindspore.ops": {"abs": "f(input)", ...}, ...}: after the kind (f function, c class, m module, v value) the
        signature, if MindSpore knows one. Defaults that are no plain values stand as `...`.

    Examples:
        >>> from msjax.public_api import recorded_api
        >>> recorded_api.recorded()["mindspore.ops"]["argmin"]
        'f(input, axis=None, keepdims=False)'
    """
    return unpacked("api.json.gz")


@functools.cache
def on_cpu() -> Mapping[str, frozenset[str]]:
    """Return the names of each public module that work on MindSpore's CPU.

    Its documentation says so, or the example of its documentation runs there. Of base classes, types and settings
    nothing is known.

    Examples:
        >>> from msjax.public_api import recorded_api
        >>> "argmin" in recorded_api.on_cpu()["mindspore.ops"], "AllGather" in recorded_api.on_cpu()["mindspore.ops"]
        (True, False)
    """
    return {module: frozenset(names.split()) for module, names in unpacked("cpu.json.gz").items()}


@functools.cache
def exported() -> Mapping[str, str]:
    """Return the names that `from module import *` gives; of modules without `__all__`, those that are MindSpore's.

    Examples:
        >>> from msjax.public_api import recorded_api
        >>> "Dataset" in recorded_api.exported()["mindspore.dataset"].split()
        False
    """
    return {path: names.removeprefix("~ ") for path, names in unpacked("stars.json.gz").items()}


@functools.cache
def unlisted() -> frozenset[str]:
    """Return the modules of `exported` that have no `__all__`.

    Examples:
        >>> from msjax.public_api import recorded_api
        >>> "mindspore.train.serialization" in recorded_api.unlisted()
        True
    """
    return frozenset(path for path, names in unpacked("stars.json.gz").items() if names.startswith("~"))


@functools.cache
def inner() -> Mapping[str, frozenset[str]]:
    """Return the names of each MindSpore module besides the public names of the modules above it.

    Examples:
        >>> from msjax.public_api import recorded_api
        >>> "_Conv" in recorded_api.inner()["mindspore.nn.layer.conv"]
        True
    """
    return {module: frozenset(names.split()) for module, names in unpacked("inner.json.gz").items()}


def unpacked(file: str) -> dict:
    """Read a recorded file beside this one."""
    return json.loads(gzip.decompress(Path(__file__).with_name(file).read_bytes()))


def names(module: str) -> Mapping[str, str]:
    """Return the names of a MindSpore module, given as msjax's path or as MindSpore's own.

    Args:
        module: "msjax.nn" or "mindspore.nn".

    Returns:
        {name: kind and signature}, empty for a module that MindSpore does not have.

    Examples:
        >>> from msjax.public_api import recorded_api
        >>> recorded_api.names("msjax.nn")["ReLU"]
        'c()'
    """
    return recorded().get(NAME + module.removeprefix("msjax").removeprefix(NAME), {})


def has_module(name: str) -> bool:
    """Return True if MindSpore has a public module of that name, or one below it.

    Args:
        name: MindSpore's own, with the package.

    Examples:
        >>> from msjax.public_api import recorded_api
        >>> recorded_api.has_module("mindspore.boost"), recorded_api.has_module("mindspore.bosst")
        (True, False)
    """
    return any(module == name or module.startswith(name + ".") for module in recorded())
