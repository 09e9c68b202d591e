"""The table of PyTorch's names and MindSpore's (`mapping.toml`), read."""

import ast
import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Literal

from msjax.public_api import torch_api

Api = Literal["mindspore", "mint"]
APIS: tuple[Api, ...] = ("mindspore", "mint")
TENSOR, MODULE = "torch.Tensor.", "torch.nn.Module."
OWN = ("WITHOUT", "VALUE", "LEFT")  # targets that the rewriter has code for


@dataclass(frozen=True)
class Row:
    """Row of the table: one name of PyTorch's in MindSpore.

    Attributes:
        name: PyTorch's, in full.
        targets: of each API, the patterns to choose from; see the head of `mapping.toml`.
        takes: PyTorch's parameters and their defaults, in order; None if the arguments stay as they are.
        gathered: the parameter that gathers what is given by position, or "".
        write: parameters that are written out if the program leaves them out.
        drop: parameters without a meaning in MindSpore.
        parameters: new names of a layer's parameters.
        called: new names of the arguments that a layer is called with, "" for those that go.
        gives: what a call gives.
        differs: what is different although the call is rewritten.
        differs_with: the parameters that this is about; none if it is so in any case.
        samples: expressions that agree in both APIs.
        is_property: True for what is read, not called.
    """

    name: str
    targets: Mapping[str, Sequence[str]]
    takes: Mapping[str, str | None] | None = None
    gathered: str = ""
    write: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    parameters: Mapping[str, str] | None = None
    called: Mapping[str, str] = field(default_factory=dict)
    gives: str = "tensor"
    differs: str = ""
    differs_with: frozenset[str] = frozenset()
    samples: Sequence[str] = ()
    is_property: bool = False


def _parameters(takes: str) -> tuple[dict[str, str | None], str]:
    args = ast.parse(f"def f({takes}): 0").body[0].args  # type: ignore[attr-defined]
    names = [a.arg for a in args.args]
    defaults = [None] * (len(names) - len(args.defaults)) + [ast.unparse(d) for d in args.defaults]
    found: dict[str, str | None] = dict(zip(names, defaults, strict=True))
    gathered = args.vararg.arg if args.vararg else ""
    if gathered:
        found = {gathered: None, **found}
    for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found[a.arg] = ast.unparse(d) if d is not None else None
    return found, gathered


def _targets(text: str | Sequence[str], name: str) -> list[str]:
    last = name.rpartition(".")[2]
    if text == "=":
        return [f"mint.{name.removeprefix('torch.')}"]
    patterns = [text] if isinstance(text, str) else text
    return [p.replace("NAME", last).replace("NEW", last.removeprefix("new_")) for p in patterns]


@functools.cache
def _data() -> Mapping[str, Mapping]:
    return tomllib.loads(resources.files("msjax.cli.port").joinpath("mapping.toml").read_text("utf8"))


def imports() -> Mapping[str, str]:
    """Return the import that each first name of a target stands for: {"nn": "from mindspore import nn", ...}."""
    return _data()["imports"]


@functools.cache
def rows() -> Mapping[str, Row]:
    """Return the rows of the table, by PyTorch's full name.

    Examples:
        >>> from msjax.cli.port import mapping
        >>> mapping.rows()["torch.nn.Conv2d"].targets["mint"]
        ['mint.nn.Conv2d']
    """
    found = {}
    for names, row in _data()["rows"].items():
        for name in names.split():
            takes, gathered = _parameters(row["takes"]) if "takes" in row else (None, "")
            found[name] = Row(
                name,
                {
                    "mindspore": _targets(row["mindspore"], name),
                    "mint": _targets(row.get("mint", row["mindspore"]), name),
                },
                takes,
                gathered,
                frozenset(row.get("write", "").split()),
                frozenset(row.get("drop", "").split())
                | {"device", "memory_format", "non_blocking", "pin_memory"},
                row.get("parameters"),
                row.get("called", {}),
                row.get("gives", "tensor"),
                row.get("differs", ""),
                frozenset(row.get("differs_with", "").split()),
                row.get("sample", ()),
                row.get("property", False),
            )
    return found


def find(name: str) -> Row | None:
    """Return the row of a name of PyTorch's, under whatever path a program has it.

    Examples:
        >>> from msjax.cli.port import mapping
        >>> mapping.find("torch.nn.modules.dropout.Dropout").targets["mindspore"]
        ['nn.Dropout(p=p)']
    """
    row = rows().get(name)
    if row is None:
        module, _, last = name.rpartition(".")
        alias = torch_api.recorded().get(module, {}).get(last, "")
        if alias.startswith("="):
            row = rows().get(alias[1:])
    return row


def is_plain(row: Row, api: Api) -> bool:
    """Return True if the arguments of a call stay as they are."""
    target, *others = row.targets[api]
    return row.takes is None or (
        not others
        and "." in target
        and not target.startswith("self")
        and target.replace(".", "").isidentifier()
    )


def place(row: Row, api: Api) -> str:
    """Return the target's name without arguments: "nn.Dense"."""
    return row.targets[api][0].partition("(")[0]
