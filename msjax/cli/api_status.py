"""API status: the public names of MindSpore that msjax has, and whether signatures agree: `python -m msjax.cli.api_status`.

    python -m msjax.cli.api_status                 # a line for each module
    python -m msjax.cli.api_status mindspore.nn    # all about one module
    python -m msjax.cli.api_status --write         # the pages docs/api/*.md

What MindSpore 2.10.0 has, and what of it works on its CPU, is recorded (see `msjax.public_api.recorded_api`);
what msjax has is looked up now.
"""

import ast
import enum
import functools
import importlib
import inspect
import re
import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msjax.public_api import import_hook, recorded_api
from msjax.public_api.placeholders import Missing

HERE, DIFFERS, MISSING = "here", "differs", "missing"
PAGES = Path(__file__).parents[2] / "docs" / "api"

# Why a name is missing: the first reason whose pattern fits the full name.
REASONS = {
    "algorithms that trade accuracy for speed on Ascend": r"mindspore\.boost\b",
    "works on MindSpore's own graphs and source trees": (
        r"mindspore\.(graph|rewrite)\b|CustomPass|SymbolTree|ScopedValue|NodeType|register_custom|op_infer|op_wrapper"
    ),
    "a tool of MindSpore's own formats and devices": r"mindspore\.(safeguard|tools|utils)\b",
    "several processes or devices: use jax.sharding with the pure function of interop": (
        r"(communication|distributed|parallel)\b|shard|[Ll]ayout|AllReduce|AllGather|AlltoAll|Broadcast$|ReduceScatter|"
        r"(?i:all_?gather|all_?reduce|all_?to_?all|reduce_scatter|barrier|isend|irecv|collective|rank_list|pipeline|"
        r"(?<!time)distributed|strateg|_by_rank|transform_checkpoints|parameter_broadcast|comm_|redistribut|"
        r"merge_sliced_parameter|restore_group_info|unified_safetensors|convert_checkpoints|load_segmented|"
        r"neighborexchange|tcpstore)|\bops\.(\w+\.)?(Push|Pull|distribute)$|restore_group_info"
    ),
    "use jax.profiler": r"profiler|Profiler|Summary|Flops|flops|memory_replay|MemPool|Allocator|mem_pool",
    "MindSpore's own graph format: use `export` and `load`": r"mindir|MindIR|AIR\b",
    "MindSpore's own services and devices": (
        r"obf|enc_key|enc_mode|dec_mode|mindio|sdc_|stress_detect|TFT|FaultTolerance|RSCPlugin|ExitByRequest"
    ),
    "an operator of Ascend devices": (
        r"(?i:ascend|npu_|_npu|aicpu|akg|tbe|_hf32|aoe|quant_?batch|moe_|grouped_matmul|incre_flash|prompt_flash|"
        r"flash_attention_score|kv_cache|paged|apply_rotary|swiglu|rotary|ffn\b|matmul_?qkv|all_finite_|\.npu|nsa_|"
        r"lightning_indexer|fused_infer_attention|ring_attention|speed_fusion|grouptopk|reshapeandcache|mapcacheidx)"
    ),
    "the inside of MindSpore's compiler": (
        r"\bops\.((composite|functional|operations)\.)?(J|SliceGetItem|TensorToTuple|DtypeToEnum|DumpGradient|GeSwitch|"
        r"GetNext|Merge|PyExecute|array_reduce|auto_generate|broadcast_gradient_args|embed|env_get|environ_\w+|geswitch|"
        r"hastype|is_\w+(unknown|_cond)|iter_converter|linearize|make_\w+|merge|ms_\w+|recompute_block|reduced_shape|"
        r"ref_to_embed|tensor_operator_registry)$|GetNextSingleOp|runtime_execution_order_check|DeviceCtx"
    ),
    "the inside of MindSpore's Tensors and primitives": (
        r"(assign_value_cpp|[gs]etitem_index_info|set_param_info|cell_init_args)$|ops\.Primitive\.\w+$"
    ),
    "constants and helpers that a module of MindSpore's does not hide": (
        r"mindspore\.(train\.(amp|serialization|loss_)|context\.)"
    ),
    "quantized types": r"(?i:quant)",
    "text": r"dataset\.text",
    "read the files with Python and use GeneratorDataset": r"mindspore\.dataset\b",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """Status of one name.

    Attributes:
        module: MindSpore's, in full; or a class whose members are listed.
        name: in the module.
        kind: f (function), c (class), m (module) or v (value).
        status: `HERE`, `DIFFERS` (here with another signature) or `MISSING`.
        notes: the differences, or the reason.
        theirs: MindSpore's signature, "" if it has none.
        limits: what raises NotImplementedError, in the words of the documentation.
        cpu: whether the name works on MindSpore's CPU, as far as is known.
    """

    module: str
    name: str
    kind: str
    status: str
    notes: tuple[str, ...] = ()
    theirs: str = ""
    limits: str = ""
    cpu: bool = False


def survey(modules: Sequence[str] = ()) -> list[Entry]:
    """All names of some modules, by default of all.

    Examples:
        >>> from msjax.cli import api_status
        >>> {entry.status for entry in api_status.survey(["mindspore.numpy"])} <= {"here", "differs", "missing"}
        True
    """
    require_docstrings("msjax.cli.api_status")
    recorded = recorded_api.recorded()
    return [
        replace(_entry(module, holder(module), name, what), cpu=name in recorded_api.on_cpu()[module])
        for module in modules or recorded
        for name, what in recorded[module].items()
    ]


def require_docstrings(tool: str) -> None:
    """Refuse to report from documentation that is not there.

    Raises:
        RuntimeError: under `python -OO`.
    """
    if sys.flags.optimize > 1:
        raise RuntimeError(
            f"`{tool}` reads docstrings, which Python has left out (-OO, PYTHONOPTIMIZE=2). Run it without that option."
        )


@functools.cache
def holder(module: str) -> Any:
    """Return the module or class that stands for one of MindSpore's, or None.

    Args:
        module: in full, "mindspore.nn" or "mindspore.nn.Cell".
    """
    own = _places().own_name(module) or module
    try:
        return importlib.import_module(own)
    except ModuleNotFoundError:
        parent, _, name = own.rpartition(".")
        try:
            found = getattr(importlib.import_module(parent), name, None)
        except ModuleNotFoundError:
            return None
        return found if inspect.isclass(found) else None


@functools.cache
def _places() -> import_hook.Alias:
    return import_hook.Alias(recorded_api.NAME, "msjax", import_hook._paths(recorded_api.NAME))


def lookup(module: str, name: str) -> Any:
    """Return what msjax has under a name, or None.

    Args:
        module: in full, "mindspore.nn".
        name: in the module.
    """
    found = getattr(holder(module), name, None)
    return None if is_absent(found) else found


def _entry(module: str, there: Any, name: str, what: str) -> Entry:
    kind, theirs = what[0], what[1:]
    found = None if there is None else getattr(there, name, None)
    if kind == "m" and not isinstance(found, types.ModuleType):
        found = holder(f"{module}.{name}")
    if found is None and hasattr(there, name):  # a value that is None
        return Entry(module, name, kind, HERE, (), theirs)
    if found is None or is_absent(found):
        said = vars(found)["way_out"] if inspect.isclass(found) else ""
        return Entry(module, name, kind, MISSING, (said.rstrip(".") or reason(f"{module}.{name}"),), theirs)
    notes = tuple(differences(theirs, found, inspect.isclass(there))) if kind in "fc" and theirs else ()
    return Entry(module, name, kind, DIFFERS if notes else HERE, notes, theirs, _limits(found))


def is_absent(found: Any) -> bool:
    """Return True if an object is a placeholder for a name that msjax does not have."""
    return isinstance(found, Missing) or (inspect.isclass(found) and "way_out" in vars(found))


def reason(full: str) -> str:
    """Why a name is missing."""
    return next((why for why, pattern in REASONS.items() if re.search(pattern, full)), "to come")


def _limits(found: Any) -> str:
    """Return the documented `Raises: NotImplementedError` of an object."""
    said = re.search(
        r"^\s+NotImplementedError: (.+?)(?=\n\s*\n|\n\s+\w+Error:|\Z)",
        found.__doc__ or "",
        re.MULTILINE | re.DOTALL,
    )
    return " ".join(said[1].split()) if said and not isinstance(found, types.ModuleType) else ""


# ---------------------------------------------------------------------- signatures

_OPEN = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
Parameters = dict[str, tuple[Any, str | None]]


def parsed(signature: str) -> Parameters:
    """Return a recorded signature as {name: (kind, default or None)}.

    Examples:
        >>> from msjax.cli import api_status
        >>> list(api_status.parsed("(x, *, axis=None)"))
        ['x', 'axis']
    """
    text = re.sub(r"<[^<>]*>", "...", signature)
    arguments = ast.parse(f"def f{text}: pass").body[0].args  # type: ignore[attr-defined]
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    found: Parameters = {
        a.arg: (inspect.Parameter.POSITIONAL_OR_KEYWORD, d) for a, d in zip(plain, defaults, strict=True)
    }
    if arguments.vararg:
        found[arguments.vararg.arg] = (inspect.Parameter.VAR_POSITIONAL, None)
    for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found[a.arg] = (inspect.Parameter.KEYWORD_ONLY, None if d is None else ast.unparse(d))
    if arguments.kwarg:
        found[arguments.kwarg.arg] = (inspect.Parameter.VAR_KEYWORD, None)
    return found


def parameters(value: Any) -> Parameters | None:
    """Return the parameters of a function or class here, in the form of :func:`parsed`; None if they cannot be told."""
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    return {p.name: (p.kind, None if p.default is p.empty else _text(p.default)) for p in given}


def _text(default: Any) -> str:
    plain = isinstance(default, bool | int | float | str | type(None) | tuple | list | dict)
    shown = repr(default)
    return shown if (plain or shown.startswith("mindspore.")) and "<" not in shown else "..."


def differences(theirs: str, value: Any, method: bool = False) -> Iterator[str]:
    """Yield the differences between a signature here and a recorded one, in words.

    More parameters, if they may be left out, are no difference, nor is the name of a method's first one.

    Examples:
        >>> from msjax.cli import api_status
        >>> list(api_status.differences("(x, axis=None, out=None)", lambda input, axis=-1: input))
        ['`input` for `x`', 'no `out`', '`axis=-1` for `axis=None`']
    """
    wanted, own = parsed(theirs), parameters(value)
    kinds = {kind for kind, _ in wanted.values()}
    # An enumeration has the constructor of Python's Enum, which Python 3.12 and later tell as `(*values)`.
    if own is None or kinds <= _OPEN or isinstance(value, enum.EnumType):
        return
    if method:
        wanted, own = _without_first(wanted), _without_first(own)
    renamed = _find_renamed(wanted, own)
    yield from (f"`{here}` for `{there}`" for here, there in renamed.items())
    own = {renamed.get(name, name): what for name, what in own.items()}
    own_kinds = {kind for kind, _ in own.values()}
    anything = inspect.Parameter.VAR_POSITIONAL in own_kinds
    for name, (kind, default) in wanted.items():
        taken = inspect.Parameter.VAR_KEYWORD in own_kinds or (anything and default is None)
        if kind not in _OPEN and name not in own and not taken:
            yield f"no `{name}`"
    if not anything:
        named = [
            n for n in _list_positional(wanted) if n in own and own[n][0] is inspect.Parameter.KEYWORD_ONLY
        ]
        yield from (f"`{name}` by name only" for name in named)
        order = [name for name in _list_positional(wanted) if name in own and name not in named]
        if [name for name in _list_positional(own) if name in order] != order:
            yield f"another order: {', '.join(_list_positional(own))}"
    for name, (kind, default) in own.items():
        there = wanted.get(name, (None, None))[1]
        unknown = name not in wanted
        if default is None and kind not in _OPEN and (there is not None or (unknown and not kinds & _OPEN)):
            yield f"needs `{name}`"
        elif default is not None and there is not None and not _equal(default, there):
            yield f"`{name}={default}` for `{name}={there}`"


def _list_positional(given: Parameters) -> list[str]:
    return [n for n, (kind, _) in given.items() if kind not in (inspect.Parameter.KEYWORD_ONLY, *_OPEN)]


def _without_first(given: Parameters) -> Parameters:
    first = next(iter(given), None)
    return {name: what for name, what in given.items() if name != first or what[0] in _OPEN}


def _find_renamed(wanted: Parameters, own: Parameters) -> dict[str, str]:
    """Parameters at one place that have one name here and another there."""
    pairs = zip(_list_positional(own), _list_positional(wanted), strict=False)
    return {here: there for here, there in pairs if here not in wanted and there not in own}


def _equal(one: str, two: str) -> bool:
    if "..." in (one, two) or one == two:
        return True
    try:
        first, second = ast.literal_eval(one), ast.literal_eval(two)
        return first == second or (first in ([], ()) and second in ([], ()))
    except (ValueError, SyntaxError):
        return "mindspore." not in one + two  # an expression that cannot be read back


# ---------------------------------------------------------------------- output


def counts(entries: Sequence[Entry]) -> tuple[int, int, int, int]:
    """Count the names: all, present, present with another signature, missing."""
    missing = sum(e.status == MISSING for e in entries)
    return len(entries), len(entries) - missing, sum(e.status == DIFFERS for e in entries), missing


def on_cpu(entries: Sequence[Entry]) -> tuple[int, int]:
    """Count the names that work on MindSpore's CPU, and those of them that are here."""
    working = [e for e in entries if e.cpu]
    return len(working), sum(e.status != MISSING for e in working)


def percentage(entries: Sequence[Entry]) -> float:
    """Return the percentage of the names that work on MindSpore's CPU and are here; 100 if there are none."""
    working, here = on_cpu(entries)
    return 100 * here / working if working else 100.0


def by_module(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Return the entries of each module."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.module, []).append(entry)
    return found


def summary(entries: Sequence[Entry]) -> str:
    """Return a line for each module."""
    heads = "names here % differ missing on-cpu here %".split()
    lines = [f"{'module':<44}" + "".join(f"{head:>9}" for head in heads)]
    for module, some in [*by_module(entries).items(), ("all", list(entries))]:
        total, here, differ, missing = counts(some)
        left = [total, here, f"{100 * here / max(total, 1):.1f}", differ, missing]
        cells = [*left, *on_cpu(some), f"{percentage(some):.1f}"]
        lines.append(f"{module:<44}" + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join(lines)


def page(module: str, entries: Sequence[Entry]) -> str:
    """Return the page about one module."""
    total, here, differ, missing = counts(entries)
    lines = [
        f"# {module}",
        "",
        f"MindSpore 2.10.0 has {total} names here: {here} exist, {differ} with another signature; {missing} are missing.",
    ]
    working, ours = on_cpu(entries)
    if working:
        lines[-1] += f" Of {working} that work on its CPU, {ours} exist ({percentage(entries):.1f} %)."
    gone: dict[str, list[str]] = {}
    for e in entries:
        if e.status == MISSING:
            gone.setdefault(e.notes[0], []).append(f"`{e.name}`")
    if gone:
        lines += ["", "## Missing", ""]
        lines += [f"- {why}: {', '.join(names)}" for why, names in sorted(gone.items())]
    if differ:
        lines += ["", "## With another signature", "", "| name | MindSpore's | here |", "|---|---|---|"]
        lines += [
            f"| `{e.name}` | `{_cell(e.theirs)}` | {_cell('; '.join(e.notes))} |"
            for e in entries
            if e.status == DIFFERS
        ]
    limited = [e for e in entries if e.limits and e.status != MISSING]
    if limited:
        lines += ["", "## With limits", ""]
        lines += [f"- `{e.name}` raises NotImplementedError {e.limits}" for e in limited]
    there = [f"`{e.name}`" for e in entries if e.status != MISSING]
    if there:
        lines += ["", "## Here", "", _wrap_names(there)]
    return "\n".join(lines) + "\n"


def _format_counts(entries: Sequence[Entry]) -> str:
    working, here = on_cpu(entries)
    share = f"{here} ({percentage(entries):.1f} %)" if working else ""
    return " | ".join(map(str, [*counts(entries), working or "", share]))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _wrap_names(names: Sequence[str], width: int = 118) -> str:
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + name
    return "\n".join(lines)


def file_of(module: str) -> str:
    """Return the name of the page about a module."""
    return (module.partition(".")[2] or module) + ".md"


def pages(entries: Sequence[Entry]) -> dict[str, str]:
    """All pages: {file name: text}."""
    modules = by_module(entries)
    lines = [
        "# MindSpore's public names",
        "",
        "Written by `python -m msjax.cli.api_status --write`. A missing name can be imported, and raises when it is used.",
        "What a program uses is shown by `msjax check` (see [check.md](../check.md)).",
        "",
        "The last columns count the names of which MindSpore's documentation says, or the example in it shows, that they",
        "work on its CPU, and those of them that are here.",
        "",
        "| module | names | here | with another signature | missing | work on MindSpore's CPU | of these here |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| [{module}]({file_of(module)}) | {_format_counts(some)} |" for module, some in modules.items()
    ]
    lines.append(f"| all | {_format_counts(entries)} |")
    texts = {"README.md": "\n".join(lines) + "\n"}
    return texts | {file_of(module): page(module, some) for module, some in modules.items()}


def stale(folder: Path = PAGES) -> list[str]:
    """Return the pages that are not as they would be written now."""
    texts = pages(survey())
    there = {path.name for path in folder.glob("*.md")}
    changed = [name for name, text in texts.items() if name in there and (folder / name).read_text() != text]
    return sorted({*changed, *(there ^ set(texts))})


def write(folder: Path = PAGES) -> int:
    """Write the pages; those of modules that are gone are removed. Returns how many changed."""
    texts, changed = pages(survey()), stale(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in changed:
        if name in texts:
            (folder / name).write_text(texts[name])
        else:
            (folder / name).unlink()
    return len(changed)


def main(arguments: Sequence[str]) -> int:
    """Return the command. Returns the exit status."""
    unknown = [a for a in arguments if a != "--write" and a not in recorded_api.recorded()]
    if unknown:
        print(f"MindSpore has no public module {unknown[0]!r}.", file=sys.stderr)  # noqa: T201
        return 2
    if "--write" in arguments:
        print(f"{write()} pages changed in {PAGES}")  # noqa: T201
        return 0
    modules = list(arguments)
    entries = survey(modules)
    texts = [page(m, some) for m, some in by_module(entries).items()] if modules else [summary(entries)]
    print("\n".join(texts))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
