"""What compiled functions print: the arguments of `print`, over x = [1., 2.] and what a function is given beside it."""

import contextlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Statements, each the body of a function of x; after "<-", what the function is given as n.
CASES = """
print(x)
print(x, x + 1)
print("hi")
print("x:", x)
print(3)
print(2.5)
print(1.0)
print(1e20, 1e-7, 3.14159265358979, -0.0, float("inf"), -float("inf"))
print(True, None, 1 < 2)
print(1, 2.5, "a", True, None)
print((1, 2))
print((1,))
print((-1, 2), [1000, 7])
print((1.0, 2.0))
print((1e20, 1e-7))
print(((1, 2), (3, 4)))
print([[1, 2], [3]])
print((x, 1))
print((1, (2, x), "s"))
print([x, 2.5])
print({"a": 1, "b": 2})
print({"b": x, "a": 2})
print({"a": {"b": x}})
print(("a", "b"))
print((True, None, 1.5))
print()
print(x.sum(), x.sum() > 1, x.sum().astype(ms.int32))
print(x.sum() / 7, x.sum() * 1e10, x.sum() * inf, x.sum() * nan)
print(x.sum().astype(ms.complex64), x.sum().astype(ms.float16))
print(x.shape, x.ndim, x.dtype)
print(x.astype(ms.int32), x > 1, x.astype(ms.float16), x.astype(ms.float64), x.astype(ms.uint8))
print(x.astype(ms.complex64))
print(x / 3, -x, x * inf, x * 1e10)
print(x + ops.ones((2, 2)))
print((x + ops.ones((3, 2))).astype(ms.int32))
print(x + ops.ones((2, 2, 2)))
print(x.sum() + ops.arange(13))
print((x.sum() + ops.arange(30)).astype(ms.int32))
print(x.sum() + ops.arange(2000))
print(x.sum() + ops.ones((40, 8)))
print(x.sum().reshape(1), x.sum().reshape(1, 1))
print((x * -100).astype(ms.int64))
print(Tensor([1.0, 2.0]), Tensor(3), Tensor(2.5))
print(Tensor([1, 1000, -5]))
print(Tensor([[1, 2], [3, 4]]), x)
print(Tensor([[True, False], [False, True]]))
print([Tensor([1.0]), 2])
print(OUTER)
print(OUTER + x.sum())
print(f"x={x} {1 + 1}")
print(f"{x.sum()} {x.sum():.2f}")
print("a {} {}".format(x, 2.5), "%.3f" % x.sum())
print(str(x), str(3))
print(1.0, f"{x}", x, (1, 2), None, True)
print(x, str(x), [x])
print(str(3), f"{1 + 1}", 1.0)
print(range(1, 7, 2))
print(int(x.sum()), float(x.sum()), bool(x.sum()))
print(len(x), len("abc"))
ops.Print()("x", x, 1)
ops.Print()(1, (2, x), "a", None)
ops.print_("x", x)
print(n) <- 5
print(n) <- 2.0
print(n) <- True
print(n) <- None
print(n) <- "s"
print(n) <- (1, Tensor([3.0]))
print(n) <- [1, 2]
print(n) <- {"a": Tensor([3.0]), "b": 1}
print(n) <- Tensor([[1, 2], [3, 4]])
print(n, 1) <- Tensor(True)
print(n) <- Parameter(Tensor([1.0, 2.0]), name="w")
print(n) <- mutable(5)
print(n) <- mutable(2.5)
print(n) <- mutable((1, 2))
print(n, 1) <- mutable([1.5, 2.5])
"""

_HEAD = """import mindspore as ms
from mindspore import Parameter, Tensor, jit, mutable, ops

inf, nan = float("inf"), float("nan")
OUTER = Tensor([inf, -inf, nan, 1.0])
"""
_BRANCHES = """
def f{n}(x, n):
    i = Tensor(0)
    while i < 2:
        print("i", i)
        i = i + 1
    if x.sum() > 0:
        print("positive", x)
    else:
        print("negative")
    for k in range(2):
        print(k, x[k])
    return x
"""


def source(package: str) -> str:
    """Return a module with a function for each case."""
    text = _HEAD.replace("mindspore", package)
    cases = CASES.strip().splitlines()
    for n, line in enumerate(cases):
        body, _, given = line.partition(" <- ")
        text += f"\n\n@jit\ndef f{n}(x, n):\n    {body}\n    return x\n\n\nGIVEN{n} = {given or None}\n"
    return text + "\n\n@jit" + _BRANCHES.replace("{n}", str(len(cases))) + f"\n\nGIVEN{len(cases)} = None\n"


@contextlib.contextmanager
def _captured() -> Iterator[list[str]]:
    """Yield a list that holds, after the block, what was written to the standard output, by C++ too."""
    found: list[str] = []
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            with open(1, "w", closefd=False) as plain, contextlib.redirect_stdout(plain):
                yield found
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        found.append(file.read().decode())


def outcomes(ms: Any) -> dict[str, str]:
    """Return what each case prints."""
    path = Path.cwd() / "graph_print_programs.py"
    path.write_text(source(ms.__name__))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    found = {}
    for n, case in enumerate([*CASES.strip().splitlines(), "branches and loops"]):
        with _captured() as text:
            getattr(module, f"f{n}")(ms.Tensor([1.0, 2.0]), getattr(module, f"GIVEN{n}")).asnumpy()
            if hasattr(ms, "runtime") and ms.__name__ == "mindspore":
                ms.runtime.synchronize()
        found[case] = text[0]
    return found
