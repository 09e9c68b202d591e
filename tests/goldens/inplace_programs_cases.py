"""Random programs of in-place methods, views and aliases: what PyTorch gives for each, values and gradients."""

import linecache
import math
import sys
import types
from collections.abc import Callable
from typing import Any

SEEDS = range(300)
PRELUDE = """def pick(v, w):
    if v.sum() > w.sum():
        return v
    return w * 0.5


def scaled(v, w):
    v.mul_(0.5)
    return v + w


def swap(v, w):
    return w, v


def power(v, k):
    if k > 0:
        return power(v, k - 1) * 0.5
    return v


"""


def outcomes(torch: Any) -> dict[str, Any]:
    """Return PyTorch's results for each program that it does not refuse."""
    # Only for recording: the golden has the sources.
    from random_inplace import InPlaceWriter

    found = {}
    for seed in SEEDS:
        text = source(InPlaceWriter(seed).program())
        result = run(torch, text)
        if "raises" not in result:
            found[f"in place {seed}"] = {"source": text, **result}
    return found


def source(program: tuple) -> str:
    """Return the source of a module with the function of a program."""
    from random_programs import indented

    return f"{PRELUDE}def program(x, y, n, p):\n" + "\n".join(indented(program, 1)) + "\n"


def run(torch: Any, text: str, transform: Callable[[Callable], Callable] | None = None) -> dict[str, Any]:
    """Run a program and its backward pass, both in one function that `transform` may compile.

    Returns:
        "values" and "gradients"; without those "refused", the exception of the backward pass. Or "raises" alone.
    """
    # Compiled functions read their source, from a module that can be imported.
    module = types.ModuleType("random_inplace_program")
    module.__file__ = f"{module.__name__}.py"
    vars(module)["torch"] = torch
    linecache.cache[module.__file__] = len(text), None, text.splitlines(True), module.__file__
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, module.__file__, "exec"), vars(module))
        return _run(torch, module.program, transform or (lambda f: f))
    except Exception as error:  # noqa: BLE001  the golden tells which
        return {"raises": f"{type(error).__name__}: {error}"}
    finally:
        del sys.modules[module.__name__]


def _run(torch: Any, program: Callable, transform: Callable) -> dict[str, Any]:
    p = torch.nn.Parameter(torch.tensor([[0.3, -0.2, 1.0], [0.5, -1.5, 0.25]]))
    x = torch.tensor([[1.0, 2.0, -0.5], [-1.0, 0.75, 0.25]], requires_grad=True)
    y = torch.tensor([0.5, -1.0, 1.5], requires_grad=True)
    refused, kept = "", []

    def step(x: Any, y: Any, n: Any) -> Any:
        out = program(x * 1, y * 1, n, p)
        kept[:] = out
        loss = sum(
            (one * one).sum() * (0.1 * (i + 1))
            for i, one in enumerate(out)
            if isinstance(one, torch.Tensor) and one.is_floating_point()
        )
        loss.backward()
        return out

    try:
        out = transform(step)(x, y, torch.tensor(3))
    except Exception as error:
        if not kept or transform(step) is not step:
            raise
        out, refused = kept, f"{type(error).__name__}: {error}"
    found = {"values": [_numbers(one) for one in (*out, p)]}
    return found | (
        {"refused": refused} if refused else {"gradients": [_numbers(t.grad) for t in (x, y, p)]}
    )


def _numbers(value: Any) -> Any:
    """Return a dtype and numbers; zeros for a gradient that there is none of."""
    if value is None:
        return ["none"]
    if not hasattr(value, "detach"):
        return [type(value).__name__, value]
    numbers = [float(number) for number in value.detach().reshape(-1).tolist()]
    return [
        str(value.dtype).partition(".")[2],
        *[round(n, 6) if math.isfinite(n) else str(n) for n in numbers],
    ]


def differs(found: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return what is not as expected, or an empty text. What the framework refuses may be computed."""
    if "raises" in expected:
        return ""
    if "raises" in found:
        return found["raises"]
    what = ["values"] if "refused" in expected else ["values", "gradients"]
    for each in what:
        if each not in found:
            return found["refused"]
        for i, (one, other) in enumerate(zip(found[each], expected[each], strict=True)):
            if not _alike(one, other):
                return f"{each}[{i}]: {one}, expected {other}"
    return ""


def _alike(one: list, other: list) -> bool:
    if ["none"] in (one, other):
        return not any(number for each in (one, other) for number in each[1:])
    integers = ("int", "int64")
    if one[0] != other[0] and not (one[0] in integers and other[0] in integers):
        return False
    return len(one) == len(other) and all(
        a == b or (not isinstance(a, str) and not isinstance(b, str) and abs(a - b) <= 1e-3 * max(1, abs(a), abs(b)))
        for a, b in zip(one[1:], other[1:], strict=True)
    )
