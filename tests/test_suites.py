"""Programs after MindSpore's own test suites, against what MindSpore prints for them (goldens/suites_cases.py)."""

import msjax as ms
from msjax import Tensor, ops
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("suites", 1e-5)


def test_a_bool_steers_a_compiled_function_that_is_differentiated():
    @ms.jit
    def steered(x, again):
        y = ops.where(again, x, 2 * x)
        while again:
            y = y + x
            again = y.sum() < 5
        return y

    x = Tensor([1.0, 2.0])
    for differentiated in (ms.grad(steered, (0, 1)), ms.jit(ms.grad(steered, (0, 1)))):
        by_x, by_bool = differentiated(x, Tensor(True))
        assert by_x.asnumpy().tolist() == [2.0, 2.0]
        assert by_bool.dtype == ms.bool_
