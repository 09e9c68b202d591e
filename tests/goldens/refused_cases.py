"""Where operators take Tensors alone: a sample of each is called with numbers and with a list in the place of a Tensor."""

from collections import defaultdict
from typing import Any

import samples_array
import samples_elementwise
import samples_math
import samples_nn
from samples import In, Sample

NUMBERS = (2, 2.5, True)
SAMPLES = [
    *samples_array.SAMPLES,
    *samples_elementwise.ACTIVATION,
    *samples_elementwise.LOSS,
    *samples_math.SAMPLES,
    *samples_nn.SAMPLES,
]


def tried(ms: Any, sample: Sample, at: int | str) -> list[str]:
    """Return MindSpore's answer to numbers and a list in the place of one Tensor: "ok" or the exception's type."""
    found = []
    for other in (*NUMBERS, [1.0, 2.0]):
        args, kwargs = sample.inputs()
        args, kwargs = [tensor(ms, a) for a in args], {k: tensor(ms, a) for k, a in kwargs.items()}
        (kwargs if isinstance(at, str) else args)[at] = other
        try:
            getattr(ms.ops, sample.op)(*args, **kwargs)
            found.append("ok")
        except Exception as error:
            found.append(type(error).__name__)
    return found


def tensor(ms: Any, a: Any) -> Any:
    """Tensors of the arrays in an argument."""
    if isinstance(a, list | tuple):
        return type(a)(tensor(ms, e) for e in a)
    if type(a).__name__ == "DT":
        return getattr(ms, a.name)
    return ms.Tensor(a) if type(a).__name__ == "ndarray" else a


def outcomes(ms: Any) -> dict[str, dict[str, list]]:
    """The arguments of each operator (by position, or by name) that refuse all of them, and those that take a number."""
    found: dict[str, dict[str, list]] = {"tensors": defaultdict(list), "numbers": defaultdict(list)}
    seen = set()
    for sample in SAMPLES:
        plain = not sample.fails and sample.ms is None and sample.torch is None and sample.new is None
        if sample.op in seen or not plain or not hasattr(ms.ops, sample.op):
            continue
        seen.add(sample.op)
        for at, a in [*enumerate(sample.args), *sample.kwargs.items()]:
            if isinstance(a, In):
                *numbers, listed = tried(ms, sample, at)
                if "ok" in numbers:
                    found["numbers"][sample.op].append(at)
                elif set(numbers) <= {"TypeError", "AttributeError"} and listed != "ok":
                    found["tensors"][sample.op].append(at)
    return found
