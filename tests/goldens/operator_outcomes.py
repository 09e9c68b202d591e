"""Outcomes of MindSpore and, where it has no kernel, PyTorch for the samples of operators (`samples.py`).

That is, for each sample, its outputs and its gradients for every float input (pulled back from `Sample.cotangent`), or
the type of its exception.
"""

import operator
from typing import Any

import numpy as np
from samples import DT, Sample, is_float


def leaves(value: Any) -> list:
    if isinstance(value, list | tuple):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def rebuilt(value: Any, replace: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(rebuilt(v, replace) for v in value)
    if isinstance(value, dict):
        return {k: rebuilt(v, replace) for k, v in value.items()}
    return replace(value)


class MindSpore:
    def __init__(self, mindspore: Any) -> None:
        self.ms = mindspore

    def wants(self, sample: Sample) -> bool:
        return sample.torch is None

    def run(self, sample: Sample) -> tuple[list[np.ndarray], list[np.ndarray] | str]:
        ms = self.ms
        args, kwargs = rebuilt(sample.inputs(), self.argument)
        watched = [
            x
            for x in leaves((args, list(kwargs.values())))
            if isinstance(x, ms.Tensor) and x.is_floating_point()
        ]

        def call(*given: Any) -> Any:
            new = dict(zip(map(id, watched), given, strict=True))
            a, k = rebuilt((args, kwargs), lambda v: new.get(id(v), v))
            if sample.ms:
                return sample.ms(ms, *a, **k)
            fn = getattr(ms.ops, sample.op)
            return (fn if sample.new is None else fn(**sample.new))(*a, **k)

        outputs = [o.asnumpy() for o in leaves(call(*watched))]
        if not sample.grad or not any(is_float(o) for o in outputs):
            return outputs, []

        def floats(*given: Any) -> Any:
            outs = tuple(o for o in leaves(call(*given)) if o.is_floating_point())
            return outs if len(outs) > 1 else outs[0]

        sens = tuple(ms.Tensor(sample.cotangent(o)) for o in outputs if is_float(o))
        try:
            pull = ms.ops.GradOperation(get_all=True, sens_param=True)(floats)
            grads = pull(*watched, sens if len(sens) > 1 else sens[0])
            return outputs, [g.asnumpy() for g in grads]
        except Exception as error:
            return outputs, f"{type(error).__name__}: {str(error).strip()[:80]}"

    def argument(self, value: Any) -> Any:
        if isinstance(value, DT):
            return getattr(self.ms, value.name)
        return self.ms.Tensor(value) if isinstance(value, np.ndarray) else value


class Torch:
    def __init__(self, torch: Any) -> None:
        self.torch = torch

    def wants(self, sample: Sample) -> bool:
        return sample.torch is not None

    def run(self, sample: Sample) -> tuple[list[np.ndarray], list[np.ndarray] | str]:
        args, kwargs = rebuilt(sample.inputs(), self.argument)
        watched = [x for x in leaves((args, list(kwargs.values()))) if getattr(x, "requires_grad", False)]
        outputs = leaves(sample.torch(self.torch, *args, **kwargs))
        made = [o.detach().numpy() for o in outputs]
        if not sample.grad or not watched:
            return made, []
        ends = [o for o in outputs if o.requires_grad]
        sens = [self.torch.from_numpy(sample.cotangent(o.detach().numpy())) for o in ends]
        grads = self.torch.autograd.grad(ends, watched, sens, allow_unused=True)
        zeros = [self.torch.zeros_like(x) if g is None else g for g, x in zip(grads, watched, strict=True)]
        return made, [g.numpy() for g in zeros]

    def argument(self, value: Any) -> Any:
        if isinstance(value, DT):
            return getattr(self.torch, value.name)
        if not isinstance(value, np.ndarray):
            return value
        if value.dtype == np.int32:
            value = value.astype(np.int64)
        return self.torch.from_numpy(value).requires_grad_(is_float(value))


class TorchNames(Torch):
    """Calls PyTorch's function of the sample's own name; integers stay as they are."""

    def wants(self, sample: Sample) -> bool:
        return True

    def run(self, sample: Sample) -> tuple[list[np.ndarray], Any]:
        self.grad = sample.grad
        call = sample.torch or self.function(sample.op)
        return super().run(Sample(sample.op, sample.args, sample.kwargs, torch=call, grad=sample.grad))

    def argument(self, value: Any) -> Any:
        if isinstance(value, DT):
            return getattr(self.torch, value.name)
        if not isinstance(value, np.ndarray):
            return value
        return self.torch.from_numpy(value).requires_grad_(self.grad and is_float(value))

    def function(self, name: str) -> Any:
        def call(torch: Any, *args: Any, **kwargs: Any) -> Any:
            made = operator.attrgetter(name)(torch)(*args, **kwargs)
            return tuple(made) if isinstance(made, tuple | list) else made

        return call


def by_mindspore(table: Any, mindspore: Any) -> dict[str, Any]:
    return outcomes(MindSpore(mindspore), table.SAMPLES)


def by_torch(table: Any, torch: Any) -> dict[str, Any]:
    return outcomes(Torch(torch), table.SAMPLES)


def by_torch_names(table: Any, torch: Any) -> dict[str, Any]:
    return outcomes(TorchNames(torch), table.SAMPLES)


def outcomes(oracle: MindSpore | Torch, samples: list[Sample]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for sample in samples:
        if not oracle.wants(sample):
            continue
        if sample.id in found:
            raise ValueError(f"twice in the table: {sample.id}")
        entry = found[sample.id] = {}
        try:
            outputs, grads = oracle.run(sample)
        except Exception as error:
            entry["error"] = type(error).__name__
            if not sample.fails:
                print("RAISES:", sample.id, type(error).__name__, str(error).strip()[:300].replace("\n", " "))
            continue
        if sample.fails:
            print("DOES NOT RAISE:", sample.id)
        if isinstance(grads, str):
            print("no gradient:", sample.id, grads)
            grads = []
        entry |= {"outputs": outputs, "grads": grads}
    return found
