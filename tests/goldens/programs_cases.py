"""Programs that bind names to Tensors and Parameters in branches and loops: written ones and random ones, in both modes."""

import contextlib
import importlib
import json
import linecache
import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

# Seeds of programs that change Tensors in place, and of those that eager and compiled code do alike.
IN_PLACE, ALIKE = range(40), range(1000, 1060)
# Of those with hooks, views, integers, nested containers, methods and jumps; the others end MindSpore, or take it long.
WIDE = [seed for seed in range(112) if seed not in (17, 37, 42, 45, 51, 52, 58, 70, 89, 91, 97, 99, 103)]
MODES = ("graph", "pynative")


def outcomes(ms: Any) -> dict[str, Any]:
    """Return MindSpore's outcome of each program: its source, and results and gradients in each mode.

    Some programs end MindSpore's process: another process runs them, and begins again behind them.
    """
    programs, found = list(sources()), {}
    while len(found) < len(programs):
        command = [sys.executable, __file__, ms.__name__, str(len(found))]
        lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
        results = [json.loads(line) for line in lines if line.startswith("{")]
        if len(found) + len(results) < len(programs):
            results.append({})
        for (name, text), result in zip(programs[len(found) :], results, strict=False):
            found[name] = {"source": text, **result}
    return found


def print_outcomes(ms: Any, start: int) -> None:
    """Print a line for each program from `start` on."""
    for _, text in list(sources())[start:]:
        result = {f"{mode} {what}": run(ms, text, mode, what) for mode in MODES for what in WHAT}
        print(json.dumps(result), flush=True)


def sources() -> Iterator[tuple[str, str]]:
    """Yield the programs: name and source."""
    # Only for recording: the golden has the sources.
    from random_programs import WIDE_HEAD, WideWriter, Writer, source

    for cell in WRITTEN.strip().split("\n\n"):
        name, _, body = cell.removeprefix("# ").partition("\n")
        yield name, source(tuple(body.splitlines()))
    for seed in IN_PLACE:
        yield f"in place {seed}", source(Writer(seed).program())
    for seed in ALIKE:
        yield f"alike {seed}", source(Writer(seed, alike=True).program())
    for seed in WIDE:
        yield f"wide {seed}", source(WideWriter(seed).program(), WIDE_HEAD)


def _results(ms: Any, net: Any, arguments: tuple) -> Any:
    return [net(*arguments), arguments, net.p, net.q]


def _gradients(ms: Any, net: Any, arguments: tuple) -> Any:
    # By the Tensors of floats: MindSpore differentiates integers too.
    inputs, weights = ms.ops.GradOperation(get_all=True, get_by_list=True)(net, net.trainable_params())(
        *arguments
    )
    return [inputs[:2], weights]


WHAT = {"results": _results, "gradients": _gradients}


def run(ms: Any, text: str, mode: str, what: str) -> Any:
    """Run a program: numbers in lists, or the name of the exception in a dict."""
    # Compiled functions read their source, from a module that can be imported.
    module = types.ModuleType("random_program")
    names = ("nn", "ops", "Tensor", "Parameter")
    vars(module).update(
        {name: getattr(ms, name) for name in names} | {"ms": ms, "__file__": "random_program.py"}
    )
    linecache.cache[module.__file__] = len(text), None, text.splitlines(True), module.__file__  # type: ignore[index,assignment]
    sys.modules[module.__name__] = module
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    try:
        exec(compile(text, module.__file__, "exec"), vars(module))  # type: ignore[arg-type]
        return _numbers(WHAT[what](ms, module.Net(), module.arguments()))
    except Exception as error:  # noqa: BLE001  the golden tells which
        return {"raises": type(error).__name__}
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
        with contextlib.suppress(KeyError):
            del sys.modules[module.__name__]


def _numbers(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_numbers(each) for each in value]
    return np.asarray(value.asnumpy(), np.float64).round(6).tolist()


def alike(found: Any, expected: Any) -> bool:
    """Return True if two results of `run` have the same numbers."""
    if isinstance(found, dict) or isinstance(expected, dict):
        return found == expected
    one, other = _flat(found), _flat(expected)
    return len(one) == len(other) and np.allclose(one, other, rtol=1e-4, atol=1e-5, equal_nan=True)


def _flat(value: Any) -> list[float]:
    return [each for part in value for each in _flat(part)] if isinstance(value, list) else [value]


WRITTEN = """
# w1
y = self.p
while n > 0:
    self.p += 10
    y = y + 1
    n = n - 1
return y

# w1assign
y = self.p
while n > 0:
    ops.assign(self.p, x)
    y = y + 1
    n = n - 1
return y

# w2
y = x
while n > 0:
    x += 10
    y = y + 1
    n = n - 1
return x, y

# w4
y = x
while n > 0:
    x += 10
    n = n - 1
return x, y

# w6
y = self.p
while n > 0:
    y += 10
    n = n - 1
return y, self.p

# w7
y = x
while n > 0:
    y += 10
    n = n - 1
return x, y

# w8
y = x + 1
while n > 0:
    y = self.p
    self.p += 1
    n = n - 1
return y, self.p

# w9
y = x + 1
while n > 0:
    y = self.p
    n = n - 1
ops.assign(self.p, x)
return y, self.p

# w10
y = self.p
while n > 0:
    n = n - 1
ops.assign(self.p, x)
return y, self.p

# w11
a = x
b = y
while n > 0:
    a, b = b, a
    a += 1
    n = n - 1
return a, b, x, y

# w14
l = [self.p, self.q]
while n > 0:
    ops.assign(self.p, l[1] + l[0])
    n = n - 1
return l[0], l[1], self.p

# w16
y = self.p
while n > 0:
    if n > 1:
        y = self.q
    else:
        y = self.p
    ops.assign(self.p, y + 1)
    ops.assign(self.q, y * 2)
    n = n - 1
return y, self.p, self.q

# b1
y = self.p if x.sum() > 0 else y
ops.assign(self.p, x + 1)
return y + 0

# b2
if x.sum() > 0:
    y = self.p
ops.assign(self.p, x + 1)
return y + 0

# b3
if x.sum() > 0:
    y = self.p
else:
    y = self.q
ops.assign(self.p, x + 1)
return y + 0

# b4
if x.sum() > 0:
    y = self.p
else:
    y = self.q
y += 1
return y, self.p, self.q

# b5
if x.sum() > 0:
    z = x
else:
    z = y
x += 1
return x, y, z

# b6
if x.sum() > 0:
    z = x
else:
    z = y
z += 1
return x, y, z

# b8
if x.sum() > 0:
    z = self.p
    y = y + 1
else:
    z = self.p
    y = y - 1
ops.assign(self.p, x)
return y, z

# b10
if x.sum() > 0:
    l = [self.p, x]
else:
    l = [self.q, y]
ops.assign(self.p, x + 1)
l[1] += 1
return l[0], l[1], x, y

# b11
z = self.p if x.sum() > 0 else self.q
ops.assign(z, x)
return z, self.p, self.q

# b12
z = self.p if x.sum() > 0 else y * 2
ops.assign(self.p, x)
return z

# b13
if x.sum() > 0:
    if y.sum() > 0:
        z = self.p
    else:
        z = self.q
else:
    z = x
self.p += 1
return z

# b16
z = self.p
if x.sum() > 0:
    self.p += 1
    z = z * 2
else:
    z = z * 3
return z, self.p

# b17
z = self.p
if x.sum() > 0:
    self.p += 1
return z, self.p

# s1
z = self.p
self.p += 1
return z, self.p

# s2
z = x
x += 1
return x, z

# s9
z = self.p * 1
self.p += 1
return z, self.p

# a1
if y.sum() > 0:
    x += 1
return x

# a2
x += 1
if y.sum() > 0:
    x += 10
return x

# a3
if y.sum() > 0:
    x += 10
x += 1
return x

# a4
while n > 0:
    n = n - 1
x += 1
return x

# a5
x += 1
while n > 0:
    n = n - 1
return x

# a6
x += 1
while n > 0:
    x += 10
    n = n - 1
x += 100
return x

# a7
if y.sum() > 0:
    x += 10
else:
    x += 20
return x

# a8
if y.sum() < 0:
    x += 10
else:
    y += 20
return x, y

# a9
if y.sum() > 0:
    z = x * 2
else:
    z = y
x += 1
return x, z

# a11
ops.assign(x, y)
return x

# a12
if y.sum() > 0:
    ops.assign(x, y)
return x

# a13
while n > 0:
    ops.assign(x, y)
    n = n - 1
return x

# a14
if y.sum() > 0:
    z = x * 2
    if x.sum() > 0:
        x += 1
else:
    z = y
return x, z

# a15
x += 1
z = x if y.sum() > 0 else y
x += 1
return x, z

# a16
for i in range(2):
    x += 1
return x

# a17
if y.sum() > 0:
    while n > 0:
        n = n - 1
else:
    z = y
x += 1
return x, n

# a18
z = y
if y.sum() > 0:
    z = x
z += 1
return x, y, z

# a20
if y.sum() > 0:
    x = x * 2
x += 1
return x

# a21
if y.sum() > 0:
    x += 1
    return x
return x * 2

# a22
x += 1
if y.sum() > 0:
    return x
return x * 2

# a23
if y.sum() < 0:
    return x * 2
x += 1
return x

# m1
if x.sum() > 0:
    z = self.p
else:
    z = self.q
z *= 3
return z * z, self.p, self.q

# m2
z = self.p
z *= 3
return z * z

# m3
z = x
z *= 3
return z * z, x

# m4
z = x if y.sum() > 0 else y
z *= 3
return z * z, x

# c1
n = n - 3
z = self.p
while n > 0:
    z = z * 3
    n = n - 1
ops.assign(self.p, x)
return z

# c2
n = n - 3
z = x
while n > 0:
    z = z * 3
    n = n - 1
x += 1
return z, x

# c3
a = x * 2
b = a
while n > 0:
    a += 1
    n = n - 1
return a, b

# c4
a = x * 2
b = x * 3
while n > 0:
    b += 1
    a = a * 2
    b = a
    n = n - 1
return a, b

# c5
b = x
while n > 0:
    x += 1
    y = b * 2
    n = n - 1
return x, b, y

# c6
b = self.p
while n > 0:
    self.p += 1
    y = b * 2
    n = n - 1
return b, y

# c7
b = self.p
while b.sum() < 10:
    self.p += 1
return b

# c8
b = self.p
while self.p.sum() < 10:
    self.p += 1
    b = b + 1
return b

# c10
z = self.p
m = n
while n > 0:
    while m > 0:
        z = z + 1
        self.p += 1
        m = m - 1
    z = self.p
    n = n - 1
return z

# c11
l = [self.p, self.q]
z = l[n - 3]
ops.assign(self.p, x)
return z

# c12
s = x
for r in y:
    s = s + r
    x += 1
return s, x

# c13
z = self.p if (x.sum() > 0 and y.sum() > 0) else self.q
self.p += 1
return z

# c14
def pick(c):
    if c > 0:
        return self.p
    return self.q
z = pick(x.sum())
ops.assign(self.p, y)
return z

# k1
self.p *= 3
return self.p * self.p

# k2
z = self.p
z *= 3
return z * z

# k3
if x.sum() > 0:
    self.p *= 3
return self.p * self.p

# k4
while n > 0:
    self.p *= 3
    n = n - 1
return self.p * self.p

# k6
z = self.p if y.sum() > 0 else y
self.p *= 3
return z * z

# k7
z = self.p if y.sum() > 0 else y
ops.assign(self.p, x * 2)
return z * z

# k9
ops.assign(self.p, x * 2)
return self.p * self.p

# k12
z = x * 2
if y.sum() > 0:
    z = z * 3
z += y
return z * z, x

# k13
z = x * 2
w = z
if y.sum() > 0:
    z = z * 3
z *= y
return z * z, w

# k14
z = x * 2
w = z
if y.sum() < 0:
    z = z * 3
z *= y
return z * z, w
"""

if __name__ == "__main__":
    print_outcomes(importlib.import_module(sys.argv[1]), int(sys.argv[2]))
