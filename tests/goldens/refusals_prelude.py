"""Names that the programs of `refusals_cases.py` know beside `show` and `attempt`."""

import mindspore as ms
import mindspore.numpy as mnp
import mindspore.scipy as msp
import mindspore.scipy.linalg
import numpy as np
from mindspore import Parameter, Tensor, nn, ops, train
from mindspore.common.initializer import initializer


def wave(*shape):
    return Tensor(np.sin(np.arange(np.prod(shape)) * 1.3 + 0.4).reshape(shape).astype(np.float32))


def refuse(kind, calls):
    """Print for each line of `calls` whether it raises an exception of that kind."""
    for call in filter(None, map(str.strip, calls.splitlines())):
        try:
            eval(call, dict(NAMES))
        except Exception as error:
            print(
                call, "raises" if isinstance(error, kind) else f"raises {type(error).__name__}", kind.__name__
            )
        else:
            print(call, "does not raise")


NAMES = {
    "ms": ms, "mnp": mnp, "msp": msp, "np": np, "Parameter": Parameter, "Tensor": Tensor, "nn": nn, "ops": ops,
    "train": train, "initializer": initializer, "wave": wave, "refuse": refuse,
    "weights": lambda: [Parameter(Tensor(1.0), name="w")],
    "m": wave(2, 3), "q": Tensor([[2.0, 1.0], [1.0, 3.0]]), "v": Tensor([1.0, 2.0]),
    "marks": Tensor(np.array([[0, 1, 0], [0, 0, 1]], np.float32)),
}  # fmt: skip
