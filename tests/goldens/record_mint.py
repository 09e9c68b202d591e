"""Record what PyTorch 2.13 (CPU) gives for `samples_mint.py`, as `mint_torch.npz`.

python tests/goldens/record_mint.py      # in an environment with torch 2.13
"""

import pathlib
from typing import Any

import numpy as np
import record_ops_b as recorder
from samples import Sample, is_float
from samples_mint import SAMPLES


class Torch(recorder.Torch):
    """By the function's own name; integers stay as they are."""

    def wants(self, sample: Sample) -> bool:
        return True

    def run(self, sample: Sample) -> tuple[list[np.ndarray], Any]:
        self.grad = sample.grad
        return super().run(named(sample))

    def argument(self, value: Any) -> Any:
        if isinstance(value, recorder.DT):
            return getattr(self.torch, value.name)
        if not isinstance(value, np.ndarray):
            return value
        return self.torch.from_numpy(value).requires_grad_(self.grad and is_float(value))


def named(sample: Sample) -> Sample:
    """The sample with PyTorch's function of its name."""

    def call(torch: Any, *args: Any, **kwargs: Any) -> Any:
        found = torch
        for part in sample.op.split("."):
            found = getattr(found, part)
        made = found(*args, **kwargs)
        return tuple(made) if isinstance(made, tuple | list) else made

    return Sample(sample.op, sample.args, sample.kwargs, torch=sample.torch or call, grad=sample.grad)


if __name__ == "__main__":
    recorder.Torch = Torch
    recorder.HERE = pathlib.Path(__file__).parent
    recorder.main("torch", SAMPLES, "mint")
