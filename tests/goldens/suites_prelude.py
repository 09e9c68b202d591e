"""Names that the programs in suites_cases.py use, for MindSpore or what is installed as it."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops
from mindspore.ops import operations as P


def ones(*shape: int, of: Any = ms.float32) -> Tensor:
    return Tensor(np.ones(shape), of)


def kept(*shape: int, of: Any = ms.float32) -> Parameter:
    return Parameter(ones(*shape, of=of), name="kept")


def holds(question: Any, *phrases: str) -> None:
    """Print the type of the exception and which phrases its message has."""
    try:
        print("no exception", question())
    except Exception as error:
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins").__name__
        print(kind, *(phrase in str(error) for phrase in phrases))


NAMES = {
    "ms": ms, "np": np, "Parameter": Parameter, "Tensor": Tensor, "mint": mint, "nn": nn, "ops": ops, "P": P,
    "ones": ones, "kept": kept, "holds": holds,
}  # fmt: skip
