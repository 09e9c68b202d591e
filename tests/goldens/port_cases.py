"""PyTorch's outcomes for the samples of the table of `msjax port`, and for the programs of port_programs/."""

import ast
import importlib
import sys
import tomllib
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
TABLE = HERE.parents[1] / "msjax/cli/port/mapping.toml"
PROGRAMS = HERE / "port_programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem != "given")


def expressions():
    """The samples of the table."""
    rows = tomllib.loads(TABLE.read_text("utf8"))["rows"].values()
    return list(dict.fromkeys(sample for row in rows for sample in row.get("sample", ())))


def inputs():
    """The arrays that samples name."""
    r = np.random.RandomState(0)

    def f(*shape):
        return (r.rand(*shape) * 0.9 + 0.05).astype("float32")

    return {
        "x": f(2, 3, 4), "m": f(4, 4), "v": f(4), "i": np.array([[0, 1, 2, 1], [1, 2, 0, 0]]),
        "j": np.array([0, 2, 1, 3]), "b": f(2, 3, 8, 8), "s": f(2, 3, 8),
    }


def weight(name, shape):
    """The values that a layer's parameter gets, by PyTorch's name for it."""
    size = int(np.prod(shape))
    return (0.3 * np.sin(np.arange(size) * 0.7 + len(name)) + 0.1).reshape(shape).astype("float32")


class _Filled(ast.NodeTransformer):
    """`nn.Linear(2, 3)(x)` becomes `_fill(nn.Linear(2, 3))(x)`."""

    def visit_Call(self, node):
        self.generic_visit(node)
        made = isinstance(node.func, ast.Call) and ast.unparse(node.func.func) != "of_packed"  # that gives a class
        if made:
            node.func = ast.Call(ast.Name("_fill", ast.Load()), [node.func], [])
        return node


def evaluate(text, names):
    """Evaluate a sample; layers in it get their weights from `_fill`."""
    tree = ast.fix_missing_locations(_Filled().visit(ast.parse(text, mode="eval")))
    return outcome(eval(compile(tree, text, "eval"), names))


def outcome(found):
    """Return the outcome of a sample, as JSON."""
    if isinstance(found, (list, tuple)):
        return [outcome(one) for one in found]
    if isinstance(found, (bool, int, float)):
        return [type(found).__name__, [], float(found)]
    if hasattr(found, "detach"):
        found = found.detach()
    array = found.asnumpy() if hasattr(found, "asnumpy") else found.numpy() if hasattr(found, "numpy") else np.asarray(found)
    flat = array.astype("float64").ravel()
    flat = np.where(np.isinf(flat), -1000.0, flat)
    return [str(array.dtype), list(array.shape), round(float((flat * np.cos(np.arange(flat.size))).sum()), 5), round(float(flat.sum()), 4)]


def with_torch(torch, texts):
    """Each sample's outcome."""

    def _fill(module):
        if hasattr(module, "named_parameters"):
            with torch.no_grad():
                for name, p in module.named_parameters():
                    p.copy_(torch.tensor(weight(name.split(".")[-1], tuple(p.shape))))
        return module

    found = {}
    for text in texts:
        names = {name: torch.tensor(value) for name, value in inputs().items()}
        names |= {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "_fill": _fill}
        found[text] = evaluate(text, names)
    return found


def outcomes(torch):
    """The outcomes of the samples and the losses of the programs."""
    sys.path.insert(0, str(PROGRAMS))
    losses = {name: importlib.import_module(name).main() for name in NAMES}
    return {"samples": with_torch(torch, expressions()), "programs": losses}
