"""Random programs of in-place methods, views and aliases: what PyTorch gives for each, values and gradients."""

import linecache
import math
import sys
import types
from collections.abc import Callable
from typing import Any

SEEDS = range(300)
# Of those that the search found; what was wrong is mended.
FOUND = (5042, 5043, 5044, 5057, 5109, 5115, 5133, 5271, 5301)
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

    programs = {f"in place {seed}": InPlaceWriter(seed).program() for seed in (*SEEDS, *FOUND)}
    for cell in WRITTEN.strip().split("\n\n"):
        name, *lines = cell.splitlines()
        programs[name.removeprefix("# ")] = tuple(lines)
    found = {}
    for name, program in programs.items():
        text = source(program)
        result = run(torch, text)
        if "raises" not in result:
            found[name] = {"source": text, **result}
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


# Views that branches and loops make, of Tensors from outside and of their own.
WRITTEN = """
# view in a branch
r, s, t = y * 2, y * 3, x[1]
if x.sum() > 0:
    r = x[0]
    s = x[n - 2]
    if n > 2:
        t = x.t()[:2].t()[0:1, 0]
    else:
        t = x[0, 1:2]
else:
    t = x[1, 0:1]
x.mul_(3)
r.add_(1)
s.mul_(2)
t.sub_(1)
return x, r, s, t

# view of what a branch makes
a, r, s, t = x * 5, y * 2, y * 1, y * 1
if x.sum() > 0:
    a = x * 2
    r = a[0]
    hidden = x * 4
    s = hidden[0]
    t = hidden[0]
else:
    a = x * 3
    r = a[1]
a.mul_(3)
r.add_(1)
s.mul_(2)
t.add_(1)
return a, r, s, t

# views of each other
a, r = x * 1, x * 1
if y.sum() > 0:
    a = x * 2
    r = a.view(2, 3)
else:
    r = x * 4
    a = r.view(2, 3)
r.mul_(3)
a.add_(1)
return r, a

# view of a choice
a, r, c = x * 1, y * 1, x * 3
if x.sum() > 0:
    b = a if n > 2 else x
    r = b[0]
    c = x.detach()
a.mul_(3)
x.mul_(5)
r.add_(1)
c.add_(1)
return a, x, r, c

# view in a loop
r, s, c, k = y * 2, y * 3, x * 3, 0
b = x * 2
while n > 1:
    r = x[0]
    s = b[k]
    c = b.detach()
    n = n - 1
    k = 1
x.mul_(3)
r.add_(1)
b[1].mul_(-0.25)
s.add_(1)
return x, r, b, s, c

# view of what a loop makes
r, a, c = y * 2, x, x * 2
while n > 0:
    a = a * 2
    r = a[1]
    c = c.view(2, 3).t().t()
    n = n - 1
a.mul_(3)
r.add_(1)
c.mul_(2)
return x, a, r, c

# view in a branch of a loop
r = y * 2
while n > 0:
    if n > 2:
        r = x[0]
    elif n > 1:
        r = x[n - 1]
    x.mul_(2)
    r.add_(1)
    n = n - 1
x.mul_(3)
r.sub_(1)
return x, r

# name in a loop over a range
b, c, d, e = x * 1, x * 0, x * 2, x * 3
for _ in range(n):
    b = c
for _ in range(n - 3):
    d = e
b.add_(1)
d.add_(1)
return b, c, d, e

# names that an iteration binds in a branch
c, r, s = x * 2, y * 2, y * 1
l = [x * 3, x * 4]
while n > 0:
    c = c * 2
    if n < 2:
        r = c[0]
        s = r if x.sum() > 0 else s
        l = [c, l[0]]
    n = n - 1
c.add_(1)
l[0].mul_(3)
s.sub_(2)
return c, r, s, l[0], l[1]

# view of itself in a loop
a, c, r = x * 2, x * 3, y * 2
b, e, s = a, c, r
while n > 0:
    a = a.transpose(0, 1).T
    c = c.view(3, 2).detach().view(2, 3)
    r = r[:].unsqueeze(0)[0]
    n = n - 1
b.mul_(3)
a.add_(1)
c.mul_(2)
s.sub_(1)
return a, b, c, e, r, s

# detached in a branch and in a loop
a, b, c, d, e = x * 2, x * 3, x * 4, x * 5, x * 6
v = e.view(6)
e.detach_()
if x.sum() > 0:
    a.detach_()
while n > 0:
    d = b if n > 2 else c
    d.detach_()
    n = n - 1
return a * x, b * x, c * x, d * x, e * x, v

# view in a long loop
c = x * 0
b, d = x[0], y * 1
for w in range(40):
    b = c[1] if n > 2 else c[0]
    b.add_(w)
    d = b[1:]
b.add_(1)
c.mul_(2)
d.sub_(3)
return b, c, d
"""
