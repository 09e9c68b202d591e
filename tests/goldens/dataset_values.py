"""Values of expressions over `mindspore.dataset`, as JSON: arrays keep their dtype and shape."""

from pathlib import Path
from typing import Any

import numpy as np
from snippets import isolate

SECONDS = 10


def encode(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        flat = np.asarray(value).reshape(-1)
        data = [x.decode() if isinstance(x, bytes) else x for x in flat.tolist()]
        return {"dtype": str(flat.dtype), "shape": list(np.shape(value)), "data": [encode(x) for x in data]}
    if isinstance(value, dict):
        return {"dict": [[key, encode(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, np.dtype):
        return {"np": str(value)}
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": str(value)}
    if value is None or isinstance(value, bool | int | str):
        return value
    return {"type": type(value).__name__}


def evaluate(source: str, names: dict[str, Any]) -> Any:
    try:
        return encode(eval(source, dict(names)))
    except Exception as error:
        return {"raises": type(error).__name__}


def outcomes(cases: Any, *modules: Any) -> dict[str, Any]:
    """Return the values of `cases.CASES` over `cases.namespace(*modules)`, beside the files that they read."""
    for name, content in getattr(cases, "FILES", {}).items():
        Path(name).write_text(content, "utf8")
    names = cases.namespace(*modules)
    return {source: evaluate(source, names) for source in cases.CASES}


def grouped(cases: Any, more: Any, ms: Any, *modules: Any) -> dict[str, Any]:
    """The same for groups of named cases, each in a process of its own: a few make MindSpore hang or crash."""
    names = cases.namespace(ms, *modules)

    def outcome(source: str) -> Any:
        found, status = isolate(lambda: evaluate(source, names), SECONDS)
        return {"dies": status} if status else found

    found: dict[str, Any] = {}
    for group, named in (cases.GROUPS | more.GROUPS).items():
        assert len(dict(named)) == len(named), f"two cases of one name in {group}"
        found[group] = {name: outcome(source) for name, source in named}
    return {"mindspore": ms.__version__, "cases": found}
