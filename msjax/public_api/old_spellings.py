"""Old spellings: names and arguments of MindSpore 1.0 to 2.9 that 2.10 has no more, and what they are today.

The table is `old_spellings.txt`. Public modules (`stubs`), methods of Tensor and `msjax check` read it. An old keyword costs
a call with today's next to nothing: a function with a row has a parameter `**_old`, which is empty then.
"""

import functools
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class OldKeyword(NamedTuple):
    """An argument as it was.

    Args:
        old: its name then.
        new: its names today, one or more; none if there is no such argument any more.
        value: Python for today's value, or values, as the table says; "" is the value that was given. Where there is
            none: what to write instead; "" if the argument is dropped.
        allowed: values (as Python) that can be given without loss although there is no such argument; None: any.
        versions: in which it was found: "1.5-2.0".
    """

    old: str
    new: tuple[str, ...]
    value: str
    allowed: str | None
    versions: str


class OldName(NamedTuple):
    """A name as it was.

    Args:
        old: in full, without "mindspore.".
        new: today's.
        versions: in which it was found.
    """

    old: str
    new: str
    versions: str


class _Unset:
    """The default of a required parameter that has another spelling."""

    def __repr__(self) -> str:
        return "<not given>"


UNSET = _Unset()
_LINE = re.compile(r"(?P<versions>[\d.-]+) +(?P<name>\S+)(?: +(?P<arrow>->))? +(?P<rest>\S.*)")
_HOMES: dict[str, str] = dict.fromkeys(("ops.functional", "ops.operations", "ops.auto_generate"), "ops")


@functools.cache
def _table() -> tuple[dict[str, dict[str, OldKeyword]], dict[str, OldName]]:
    keywords: dict[str, dict[str, OldKeyword]] = {}
    names: dict[str, OldName] = {}
    text = Path(__file__).with_name("old_spellings.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise ValueError(f"old_spellings.txt: {line!r} is no row")
        versions, name, rest = found["versions"], found["name"], found["rest"]
        if found["arrow"]:
            names[name] = OldName(name, rest, versions)
            continue
        for one in rest.split("; "):
            old, _, new = one.partition("=")
            new, _, value = new.partition(": ")
            today, allowed = tuple(new.split(" & ")), None
            if new.startswith("!"):
                today, value = (), f"{new[1:]}{': ' * bool(value)}{value}"
            elif new.startswith("("):
                today, allowed = (), new.strip("()") or None
            keywords.setdefault(name, {})[old] = OldKeyword(old, today, value, allowed, versions)
    return keywords, names


def keywords(name: str) -> Mapping[str, OldKeyword]:
    """Return the old arguments of a function, class or method.

    Args:
        name: its public name, without "mindspore.": "ops.logsumexp", "Tensor.gt".

    Examples:
        >>> from msjax.public_api import old_spellings
        >>> old_spellings.keywords("ops.logsumexp")["axis"].new
        ('dim',)
    """
    module, _, last = name.rpartition(".")
    return _table()[0].get(f"{_HOMES.get(module, module)}.{last}".lstrip("."), {})


def name_today(name: str) -> OldName | None:
    """Return what an old name is today; None if it is not in the table.

    Args:
        name: in full, without "mindspore.".

    Examples:
        >>> from msjax.public_api import old_spellings
        >>> old_spellings.name_today("common.ms_function").new
        'jit'
    """
    names = _table()[1]
    if name in names:
        return names[name]
    module, _, last = name.rpartition(".")
    row = names.get(f"{module}.*")
    return row and OldName(name, row.new.replace("*", last), row.versions)


def rows() -> tuple[Mapping[str, Mapping[str, OldKeyword]], Mapping[str, OldName]]:
    """Return the whole table: the old arguments by the public name of their function, and the old names."""
    return _table()


def value_today(name: str) -> Any:
    """Return what an old name stands for, from where it is today.

    Args:
        name: in full, without "mindspore.".

    Raises:
        AttributeError: if the name is not in the table.
    """
    row = name_today(name)
    if row is None:
        raise AttributeError(f"no old name {name!r}")
    module, _, last = f"msjax.{row.new}".rpartition(".")
    return accept(name, getattr(importlib.import_module(module), last))


def moved(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module all of whose names moved to another one.

    Args:
        module: its name, "msjax.dataset.vision.c_transforms", of which the table has a row with `*`.
    """
    old = module.removeprefix("msjax.")
    home = f"msjax.{_table()[1][f'{old}.*'].new}".removesuffix(".*")

    def names() -> list[str]:
        there = {**vars(importlib.import_module(home)), **vars(sys.modules[module])}
        public = {n: value for n, value in there.items() if not n.startswith("_")}
        classes = {n for n, value in public.items() if isinstance(value, type) and value is not Any}
        return sorted(
            classes
            | ({name.removeprefix(f"{old}.") for name in _table()[1] if name.startswith(f"{old}.")} - {"*"})
        )

    def load(name: str) -> Any:
        if name == "__all__":
            return names()
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = value_today(f"{old}.{name}")
        setattr(sys.modules[module], name, value)
        return value

    return load, names


# ---------------------------------------------------------------------- accepting


def accept(name: str, value: Any) -> Any:
    """Make a function or class take its old arguments too; what has none is returned as it is.

    Operators (with a `fast_path`) and classes are changed where they are; other functions are returned anew.

    Args:
        name: its public name, as for `keywords`.
        value: the function or class.

    Examples:
        >>> from msjax.public_api import old_spellings
        >>> def logsumexp(input, dim, keepdim=False):
        ...     return input, dim, keepdim
        >>> old_spellings.accept("ops.logsumexp", logsumexp)(3, axis=1)
        (3, 1, False)
    """
    spelled = keywords(name)
    if not spelled or not callable(value):
        return value
    function = value.__init__ if isinstance(value, type) else value
    if getattr(function, "spellings", {}).items() >= spelled.items():
        return value
    spelled = {**getattr(function, "spellings", {}), **spelled}
    fast_path = getattr(value, "fast_path", None)
    # `ops.gt(x, y)` and `Tensor.gt(x)` are one function, whose `x` are not.
    operator = getattr(
        value, "guarded", value
    )  # what a function of the same arguments calls (`keeps_space_whole`)
    if fast_path is not None and fast_path.function is operator and not name.startswith("Tensor."):
        fast_path.accept(*_prelude(name, value, inspect.signature(value), spelled))
        value.spellings = spelled
    elif isinstance(value, type):
        value.__init__ = _wrap_function(name, function, spelled)  # type: ignore[misc]
    else:
        return _wrap_function(name, value, spelled)
    return value


def _prelude(
    name: str, call: Callable, signature: inspect.Signature, spelled: Mapping[str, OldKeyword]
) -> tuple[list[inspect.Parameter], str, dict[str, Any]]:
    """Return parameters that may be left out, a line of Python that comes first, and the names that it uses."""
    replaced = {k.new[0] for k in spelled.values() if k.new}
    if any(
        k.value and not k.new for k in spelled.values()
    ):  # the text of a refusal comes before what is missing
        replaced |= {p.name for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD}
    parameters, required = optional(signature.parameters.values(), replaced)
    missing = "".join(f" or {p} is _UNSET" for p in required)
    given = ", ".join(f"{p.name!r}: {p.name}" for p in parameters)
    line = f"if _old{missing}: return _call_respelled({{{given}}}, _old)"
    respelled = functools.partial(_call_respelled, name.rpartition(".")[2], call, signature, spelled)
    parameters.append(inspect.Parameter("_old", inspect.Parameter.VAR_KEYWORD))
    return parameters, line, {"_UNSET": UNSET, "_call_respelled": respelled}


def optional(
    parameters: Iterable[inspect.Parameter], spelled: Iterable[str]
) -> tuple[list[inspect.Parameter], list[str]]:
    """Return parameters; those with an old spelling, and all that follow, get a default here."""
    made, required = [], []
    for p in parameters:
        if p.default is p.empty and p.kind is not p.VAR_POSITIONAL and (p.name in spelled or required):
            p = p.replace(default=UNSET)
            required.append(p.name)
        made.append(p)
    return made, required


def _wrap_function(name: str, function: Any, spelled: Mapping[str, OldKeyword]) -> Callable:
    """Return a function of the same signature that takes old arguments too."""
    signature = inspect.signature(function)
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return function  # it looks at its keywords itself
    parameters, line, names = _prelude(name, function, signature, spelled)
    head, parts = [], []
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not any(h.startswith("*") for h in head):
            head.append("*")
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        head.append(f"{stars}{p.name}" + (f"=_default_{p.name}" if p.default is not p.empty else ""))
        if p.name != "_old":
            parts.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else f"{stars}{p.name}")
        names[f"_default_{p.name}"] = p.default
    source = f"def made({', '.join(head)}):\n    {line}\n    return _function({', '.join(parts)})"
    names["_function"] = function
    exec(source, names)
    made: Any = functools.update_wrapper(names["made"], function)
    made.__signature__ = signature
    made.spellings = spelled
    return made


def _call_respelled(
    name: str,
    call: Callable,
    signature: inspect.Signature,
    spelled: Mapping[str, OldKeyword],
    given: dict[str, Any],
    old: dict[str, Any],
) -> Any:
    """Call a function by today's spelling of arguments."""
    own, before = signature.parameters, dict(given)
    args, named = [], {}
    for keyword in sorted(
        old, key=lambda k: k in spelled and bool(spelled[k].value)
    ):  # expressions see plain values
        row, value = spelled.get(keyword), old[keyword]
        if row is None and hasattr(call, "fast_path"):  # it would come here again
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}")
        if row is None:
            named[keyword] = value
        elif not row.new:
            _drop(name, row, value)
        else:
            first = row.new[0]
            if not any(before[first] is absent for absent in (UNSET, own[first].default, ())):
                raise TypeError(f"`{name}`: arguments `{keyword}` and `{first}` are the same. Received both.")
            if row.value:
                _require(name, own, {p: v for p, v in given.items() if p not in row.new})
                value = eval(row.value, _HELPERS | given | {"value": value, "old": old})
            if own[first].kind is inspect.Parameter.VAR_POSITIONAL and not isinstance(value, tuple | list):
                value = (value,)
            given.update(zip(row.new, value if len(row.new) > 1 else [value], strict=True))
    _require(name, own, given)
    for p in own.values():
        value = given[p.name]
        if p.kind is p.VAR_POSITIONAL:
            args += value
        elif p.kind is p.KEYWORD_ONLY:
            named[p.name] = value
        else:
            args.append(value)
    return call(*args, **named)


def _require(name: str, own: Mapping[str, inspect.Parameter], given: Mapping[str, Any]) -> None:
    missing = [repr(p) for p, value in given.items() if value is UNSET and own[p].default is own[p].empty]
    if missing:
        several = "s" * (len(missing) > 1)
        raise TypeError(
            f"{name}() missing {len(missing)} required positional argument{several}: {', '.join(missing)}"
        )


# ---------------------------------------------------------------------- helpers of the table


def whole(size: int, parts: int) -> int:
    """Return the size of each of some equal parts."""
    if size % parts:
        raise ValueError(
            f"`split`: `output_num` must divide the size of the axis, {size}. Received: {parts}."
        )
    return size // parts


def vector_order(p: float, axis: Any) -> float | None:
    """Return today's `ord` for `p`, which took the norm of a vector over several axes too."""
    if p != 2 and isinstance(axis, tuple | list) and len(axis) > 1:
        raise TypeError(
            f"`norm`: `p` over several axes is today's `ord` of the flattened axes. Received: p={p!r}."
        )
    return None if p == 2 else p


def ddof_of(old: Mapping[str, Any]) -> int:
    """Return today's `ddof` for `unbiased`, whose default was True."""
    return int(old.get("unbiased", True))


def resized(input: Any, mode: str, old: Mapping[str, Any]) -> tuple[bool | None, str]:
    """Return today's `align_corners` and `mode`; the defaults were "linear" (for three dimensions only) and True."""
    kind = old.get("coordinate_transformation_mode", "align_corners")
    if kind not in ("align_corners", "half_pixel"):
        raise ValueError(
            f"`interpolate`: `coordinate_transformation_mode` must be 'align_corners' or 'half_pixel'. Received: {kind!r}."
        )
    if mode == "nearest" and input.ndim == 3:
        mode = "linear"
    return None if mode in ("nearest", "area", "nearest-exact") else kind == "align_corners", mode


def scaled(input: Any, scales: Any) -> tuple[int, ...] | None:
    """Return sizes for `scales`, of which the first two were those of the batch and the channels."""
    return (
        None
        if scales is None
        else tuple(int(n * s) for n, s in zip(input.shape[2:], scales[2:], strict=True))
    )


_HELPERS = {f.__name__: f for f in (whole, vector_order, ddof_of, resized, scaled)}


def _drop(name: str, row: OldKeyword, value: Any) -> None:
    """Take an argument that there is no more; raise if it asks for what is not done."""
    if row.value:
        raise (ValueError if row.value.startswith("!") else TypeError)(
            f"`{name}`: argument `{row.old}` is from MindSpore {row.versions}. Write {row.value.removeprefix('!')}."
        )
    if row.allowed is not None and value != eval(row.allowed):
        raise TypeError(
            f"`{name}`: argument `{row.old}` is from MindSpore {row.versions} and must be {row.allowed} or left out. "
            f"Received: {row.old}={value!r}."
        )
