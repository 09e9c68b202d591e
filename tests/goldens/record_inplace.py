"""Record PyTorch's answers to inplace_cases.py in inplace.json. Run with PyTorch 2.13 on CPU.

For each case and each of two inputs: the value, the gradients towards `x` and `w`, and what `x`, `w` and `c` hold
afterwards. PyTorch refuses in-place changes of leaves, so `f` is given results that are equal to them; and it refuses
changes of what it saved for the backward pass, so it is told to save copies.
"""

import json
import textwrap
from pathlib import Path

import torch
from inplace_cases import CASES

HERE = Path(__file__).parent
X = [[0.5, 1.5, -0.5, 2.0], [1.0, -1.0, 0.25, 3.0], [-2.0, 0.75, 1.25, -1.5]]
W = [[1.0, 2.0, 3.0, 4.0], [-1.0, 0.5, 2.5, -0.5], [0.1, 0.2, 0.3, 0.4]]
C = [[2.0, 1.0, 0.0, -1.0], [1.0, 1.0, 2.0, 2.0], [3.0, -3.0, 0.5, 0.5]]


def outcome(body: str, x: list, scale: float) -> dict:
    """What a case gives for `x` times `scale`."""
    leaf = (torch.tensor(x, dtype=torch.float64) * scale).requires_grad_()
    weight = torch.tensor(W, dtype=torch.float64, requires_grad=True)
    names = {"lib": torch, "w": weight * 1, "c": torch.tensor(C, dtype=torch.float64)}
    names |= {"rows": lambda y: (y[0], y[1], y[2]), "halves": lambda y: (y[:, :2], y[:, 2:])}
    exec("def f(x):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    "), names)  # noqa: S102
    argument = leaf * 1
    with torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda saved: saved):
        value = names["f"](argument)
        value.backward()

    def listed(tensor: torch.Tensor | None) -> list:
        return torch.zeros_like(leaf).tolist() if tensor is None else tensor.tolist()

    return {
        "value": value.item(),
        "dx": listed(leaf.grad),
        "dw": listed(weight.grad),
        "x": listed(argument.detach()),
        "w": listed(names["w"].detach()),
        "c": listed(names["c"].detach()),
    }


def rows(golden: dict) -> str:
    """JSON with a line for each case."""
    cases = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in golden["cases"].items())
    rest = json.dumps({name: value for name, value in golden.items() if name != "cases"})
    return f'{rest[:-1]}, "cases": {{\n{cases}\n}}}}'


if __name__ == "__main__":
    cases = {}
    for name, body in CASES.items():
        cases[name] = {"body": body, "plain": outcome(body, X, 1), "double": outcome(body, X, 2)}
    golden = {"X": X, "W": W, "C": C, "cases": cases}
    (HERE / "inplace.json").write_text(rows(golden) + "\n")
    print(len(cases), "cases")
