"""PyTorch's dialect in compiled functions: classes of Tensors, and recorded random programs."""

import msjax as ms
import msjax.torch as torch


def test_tensors_of_compiled_functions_are_pytorchs():
    """What branches and loops leave, what an iteration gets, and what comes out: methods and results are the dialect's."""
    kinds = []

    @ms.jit
    def f(x, n):
        y = x
        if x.sum() > 0:  # noqa: SIM108 - the statement is what is tested
            y = x * 2
        else:
            y = x * 3
        kinds.append(type(y))
        z = y if n > 1 else x
        kinds.append(type(z))
        while n > 0:
            n = n - 1
            y = y.relu_() + z
            kinds.append(type(y))
        kinds.append(type(y))
        for row in torch.ones(40, 2):
            kinds.append(type(row))
            y = y + row
        kinds.append(type(not y.sum() > 0))
        return y, {"z": z}

    y, found = f(torch.tensor([1.0, 2.0]), torch.tensor(2))
    assert {*kinds, type(y), type(found["z"])} == {torch.Tensor}
    assert (y.tolist(), found["z"].tolist()) == ([46.0, 52.0], [2.0, 4.0])
