"""Functions that change tensors in place, written in what PyTorch and msjax share.

Each case is the body of `def f(x)` and returns a tensor without dimensions; `lib` is the framework. `x` has shape
(3, 4), `w` (3, 4) is a Parameter and `c` (3, 4) a constant, both captured. `rows` is `unbind` and `halves` is `chunk`,
whose views PyTorch does not let one change: there they are made of indices.

Words at the start of a name: `arg` changes the argument, `state` changes `w` or `c`. The others change only what they
have made, so that they can be mapped over a batch.
"""

import textwrap
from typing import Any

CASES = {
    # ------------------------------------------------------------------ index assignment
    "index int": """
        y = x * 2
        y[0] = w[1] * 3
        return (y * y).sum()
    """,
    "index elements": """
        y = x * 2
        y[0, 1] = w[1, 1]
        y[-1, -1] = y[0, 1] * x[0, 0]
        return (y * y).sum()
    """,
    "index number": """
        y = x * w
        y[:, 1] = 5.0
        return (y * y).sum()
    """,
    "index slice": """
        y = x * 1
        y[1:, :2] = w[:2, 2:] * x[:2, :2]
        return (y * x).sum()
    """,
    "index step": """
        y = x * 1
        y[::2, 1::2] = y[::2, ::2] * w[::2, 1::2]
        return (y * y).sum()
    """,
    "index ellipsis": """
        y = x * 1
        y[..., 0] = w[..., 1]
        y[...] = y * y
        return (y * x).sum()
    """,
    "index none": """
        y = x * 1
        y[None, 0] = w[None, 1] * 2
        return (y * y).sum()
    """,
    "index list": """
        y = x * 1
        y[[0, 2]] = w[[2, 0]] * 2
        return (y * y * x).sum()
    """,
    "index list times": """
        y = x * 1
        y[[0, 2]] = y[[0, 2]] * 3
        return (y * w).sum()
    """,
    "index pairs": """
        y = x * 1
        y[[0, 1, 2], [3, 2, 1]] = w[0, :3]
        return (y * y).sum()
    """,
    "index mask": """
        y = x * w
        y[x > 1.0] = 0.5
        return (y * y).sum()
    """,
    "index broadcast": """
        y = x * 1
        y[1:] = w[0]
        y[:, 0] = x[0, 0]
        return (y * y).sum()
    """,
    "index in a loop": """
        y = x * 1
        for i in range(1, 3):
            y[i] = y[i - 1] * w[i] + y[i]
        return (y * y).sum()
    """,
    "index constant": """
        y = lib.zeros(3, 4).to(x.dtype)
        y[1] = x[1]
        y[:, 2] = w[:, 2]
        return (y * y).sum()
    """,
    "index self": """
        y = x * 1
        y[0] = y[0] * y[0]
        y[0] = y[0] * y[1]
        return y.sum()
    """,
    # ------------------------------------------------------------------ swapping rows
    "swap rows": """
        y = x * 1
        y[0], y[1] = y[1], y[0]
        return (y * w).sum()
    """,
    "swap copied rows": """
        y = x * 1
        y[0], y[1] = y[1] * 1, y[0] * 1
        return (y * w).sum()
    """,
    "swap by list": """
        y = x * 1
        y[[0, 1]] = y[[1, 0]]
        return (y * w).sum()
    """,
    # ------------------------------------------------------------------ chains of views
    "chain int": """
        y = x * 2
        v = y[0]
        v.mul_(2)
        return (y * w).sum()
    """,
    "chain deep": """
        y = x * 1
        v = y[1:]
        u = v[0]
        s = u[1:3]
        s.mul_(w[0, 1:3])
        return (y * y).sum()
    """,
    "chain assigned": """
        y = x * 1
        y[1:][0][1:3] = w[0, :2]
        return (y * y).sum()
    """,
    "chain read": """
        y = x * 1
        v = y[0][1:]
        y.mul_(w)
        return (v * y[1, 1:]).sum()
    """,
    "chain permuted": """
        y = x * 1
        t = y.permute(1, 0)
        t[1].add_(w[:, 0])
        t[:, 0] = t[:, 1] * 2
        return (y * y).sum()
    """,
    "chain reshaped": """
        y = x * 1
        v = y.view(-1)
        v[2:7].mul_(2)
        y.reshape(2, 6)[1].mul_(w[0, 0])
        return (y * v.view(3, 4)).sum()
    """,
    "chain unsqueezed": """
        y = x * 1
        u = y.unsqueeze(1)
        u[:, 0, 1] = 3.0
        u.squeeze(1)[2].mul_(w[2])
        return (y * y).sum()
    """,
    "chain narrowed": """
        y = x * 1
        y.narrow(1, 1, 2).mul_(w.narrow(1, 0, 2))
        y.select(0, 1).add_(x[0])
        return (y * y).sum()
    """,
    "chain unbound": """
        y = x * 1
        a, b, d = rows(y)
        a.mul_(b)
        d.copy_(a * w[0])
        return (y * y).sum()
    """,
    "chain split": """
        y = x * 1
        left, right = halves(y)
        left.mul_(right)
        right.add_(left)
        return (y * w).sum()
    """,
    "chain diagonal": """
        y = x * 1
        y.diagonal().mul_(w[0, :3])
        return (y * y).sum()
    """,
    "chain of no_grad": """
        y = x * w
        with lib.no_grad():
            y[0].mul_(3)
        return (y * x).sum()
    """,
    # ------------------------------------------------------------------ two views of one base
    "two disjoint": """
        y = x * 1
        a, b = y[0], y[1]
        a.mul_(3)
        b.add_(a)
        return (y * y).sum()
    """,
    "two crossing": """
        y = x * 1
        a = y[0]
        b = y.permute(1, 0)[1]
        a.mul_(w[0])
        b.add_(w[:, 0])
        return (a * a).sum() + (b * y[:, 2]).sum()
    """,
    "two and base": """
        y = x * 1
        a = y[:2]
        b = y[1:]
        y.mul_(2)
        a.add_(b * 1)
        b[0] = w[0]
        return (a * b).sum() + y.sum()
    """,
    "two interleaved": """
        y = x * 1
        even, odd = y[:, ::2], y[:, 1::2]
        even.copy_(odd * w[:, ::2])
        odd.mul_(even)
        return (y * y).sum()
    """,
    "two kept values": """
        y = x * 1
        a = y[0]
        before = a * 1
        a.mul_(2)
        return (before * a).sum()
    """,
    # ------------------------------------------------------------------ whole tensors
    "whole arithmetic": """
        y = x * 1
        y.add_(w)
        y.mul_(x)
        y.sub_(1.5)
        y.div_(2.0)
        return (y * y).sum()
    """,
    "whole copy": """
        y = x * 2
        y.copy_(w[0] * x)
        return (y * x).sum()
    """,
    "whole cleared": """
        y = x * 2
        z = y * w
        y.zero_()
        y.add_(x)
        return (y * z).sum()
    """,
    "whole filled": """
        y = x * 2
        y.fill_(3.0)
        return (y * x).sum()
    """,
    "whole under no_grad": """
        y = x * 2
        with lib.no_grad():
            y.mul_(3)
            y.add_(w)
        return (y * x).sum()
    """,
    "whole detached": """
        y = x * 2
        d = y.detach()
        d.mul_(3)
        return (y * x).sum() + (d * w).sum()
    """,
    "whole data": """
        y = x * 2
        y.data.add_(w.data)
        return (y * x).sum()
    """,
    "whole in a loop": """
        y = x * 1
        for i in range(3):
            y.mul_(w).add_(i)
        return y.sum()
    """,
    # ------------------------------------------------------------------ views of a Parameter
    "parameter view": """
        v = w[0]
        return (v * x).sum()
    """,
    "parameter view chain": """
        v = w.permute(1, 0)[1:, 0]
        return (v * x[0, 1:]).sum() + (w.view(-1)[5] * x).sum()
    """,
    "parameter view detached": """
        v = w[0].detach()
        return (v * w[0] * x).sum()
    """,
    "state parameter changed": """
        w.mul_(x)
        return (w * w).sum()
    """,
    "state parameter row": """
        w[0] = x[0] * w[1]
        return (w * w).sum()
    """,
    "state parameter view": """
        v = w[0]
        v.mul_(2)
        w[:, 1].add_(x[:, 0])
        return (w * v).sum()
    """,
    "state parameter swap": """
        w[0], w[2] = w[2] * 1, w[0] * 1
        return (w * x).sum()
    """,
    "state parameter under no_grad": """
        with lib.no_grad():
            w.mul_(2)
            w[0].add_(1)
        return (w * w * x).sum()
    """,
    "state parameter data": """
        w.data.mul_(2)
        w.data[1] = 0.5
        return (w * w * x).sum()
    """,
    # ------------------------------------------------------------------ the argument
    "arg changed": """
        x.mul_(w)
        return (x * x).sum()
    """,
    "arg row": """
        x[0] = x[1] * w[0]
        return (x * x).sum()
    """,
    "arg view": """
        v = x[1:]
        v[0].mul_(3)
        x.add_(1)
        return (v * v).sum()
    """,
    "arg swap": """
        x[0], x[1] = x[1] * 1, x[0] * 1
        return (x * w).sum()
    """,
    "arg cleared": """
        y = x * 2
        x.zero_()
        return (y * y).sum() + x.sum()
    """,
    # ------------------------------------------------------------------ a captured tensor
    "state captured": """
        c.add_(x)
        c[1].mul_(w[0])
        return (c * x).sum()
    """,
    "state captured row": """
        c[0] = x[0]
        return (c * c * w).sum()
    """,
    "state captured view": """
        v = c[:, 1:3]
        v.mul_(x[:, 1:3])
        return (v * c[:, :2]).sum()
    """,
    "state captured counted": """
        with lib.no_grad():
            c.add_(1)
        return (c * x * w).sum()
    """,
    "state captured and argument": """
        c.copy_(x)
        x.mul_(c)
        return (x * w).sum() + c.sum()
    """,
}

X = [[0.5, 1.5, -0.5, 2.0], [1.0, -1.0, 0.25, 3.0], [-2.0, 0.75, 1.25, -1.5]]
W = [[1.0, 2.0, 3.0, 4.0], [-1.0, 0.5, 2.5, -0.5], [0.1, 0.2, 0.3, 0.4]]
C = [[2.0, 1.0, 0.0, -1.0], [1.0, 1.0, 2.0, 2.0], [3.0, -3.0, 0.5, 0.5]]


def outcomes(torch: Any) -> dict[str, Any]:
    """For each case and for `X` and twice `X`: the value, the gradients, and what `x`, `w` and `c` hold afterwards.

    PyTorch refuses in-place changes of leaves, so `f` is given results that are equal to them; and it refuses changes
    of what it saved for the backward pass, so it is told to save copies.
    """

    def outcome(body: str, scale: float) -> dict[str, Any]:
        leaf = (torch.tensor(X, dtype=torch.float64) * scale).requires_grad_()
        weight = torch.tensor(W, dtype=torch.float64, requires_grad=True)
        names = {"lib": torch, "w": weight * 1, "c": torch.tensor(C, dtype=torch.float64)}
        names |= {"rows": lambda y: (y[0], y[1], y[2]), "halves": lambda y: (y[:, :2], y[:, 2:])}
        exec("def f(x):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    "), names)
        argument = leaf * 1
        with torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda saved: saved):
            value = names["f"](argument)
            value.backward()

        def listed(tensor: Any) -> list:
            return torch.zeros_like(leaf).tolist() if tensor is None else tensor.tolist()

        return {
            "value": value.item(),
            "dx": listed(leaf.grad),
            "dw": listed(weight.grad),
            "x": listed(argument.detach()),
            "w": listed(names["w"].detach()),
            "c": listed(names["c"].detach()),
        }

    cases = {
        name: {"body": body, "plain": outcome(body, 1), "double": outcome(body, 2)}
        for name, body in CASES.items()
    }
    return {"X": X, "W": W, "C": C, "cases": cases}
