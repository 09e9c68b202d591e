"""The names that the programs of images_cases.py use, on either side."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


def image(*shape: int, dtype: Any = ms.float32, scale: float = 1.0) -> Tensor:
    """Numbers that look irregular but are the same everywhere."""
    values = np.sin(1.7 * np.arange(np.prod(shape)) ** 1.1).reshape(shape) * scale
    return Tensor(values.astype(np.float32)).astype(dtype)


def spots(*shape: int, scale: float = 1.0) -> Tensor:
    """Other numbers of that kind."""
    values = np.cos(2.3 * np.arange(np.prod(shape)) ** 1.05 + 0.3).reshape(shape) * scale
    return Tensor(values.astype(np.float32))


def gradients(fn: Any, *inputs: Tensor) -> Any:
    """The gradients of an uneven sum of what `fn` gives."""

    def total(*given: Tensor) -> Tensor:
        out = fn(*given)
        return (out * Tensor(np.cos(np.arange(out.size)).reshape(out.shape).astype(np.float32))).sum()

    return ms.grad(total, tuple(range(len(inputs))))(*inputs)


def together(fn: Any, *inputs: Tensor) -> Any:
    """Return the result of `fn`; on msjax compiled as one program, which takes less time than many small ones."""
    return (ms.jit(fn) if Tensor.__module__.startswith("msjax") else fn)(*inputs)


NAMES = {
    "ms": ms,
    "np": np,
    "Tensor": Tensor,
    "nn": nn,
    "ops": ops,
    "image": image,
    "spots": spots,
    "gradients": gradients,
    "together": together,
}
