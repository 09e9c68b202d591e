"""PyTorch's own samples of its modules and optimizers (module_db, optim_db), and what PyTorch gives for them."""

import sys
import warnings
from typing import Any

if __package__:
    from .opinfo_cases import NotEncodable, Program, array_of, direction, draws, dtype_of, tensors_in
else:  # recorded from the folder itself
    from opinfo_cases import NotEncodable, Program, array_of, direction, draws, dtype_of, tensors_in

MOST_ELEMENTS = 20_000


def encoded(torch: Any, program: Program, given: Any) -> list:
    """The arguments of a call: positional ones and those by name."""
    return [[program.encode(a) for a in given.args], {k: program.encode(v) for k, v in given.kwargs.items()}]


def arrays(torch: Any, tensors: list[Any]) -> dict[str, Any]:
    return {"arrays": [array_of(t) for t in tensors], "kinds": [dtype_of(t) for t in tensors]}


def module_sample(torch: Any, info: Any, sample: Any, training: bool) -> dict[str, Any]:
    """Return names and values of a module's state, outputs and gradients for a sample."""
    made_with, called_with = Program(torch), Program(torch)
    found: dict[str, Any] = {
        "made": encoded(torch, made_with, sample.constructor_input),
        "training": training,
    }
    torch.manual_seed(0)
    module = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
    module.train(training)
    found["lazy"] = any(torch.nn.parameter.is_lazy(p) for p in module.parameters())
    if found["lazy"]:
        module(*sample.forward_input.args, **sample.forward_input.kwargs)
    state = module.state_dict()
    found["names"] = list(state)
    found["texts"] = repr(module)
    held = [t for t in state.values() if isinstance(t, torch.Tensor)]
    found["before"] = arrays(torch, held)
    found["given"] = arrays(torch, [t for t, _ in made_with.inputs])
    called = encoded(torch, called_with, sample.forward_input)
    found["called"], found["inputs"] = called, arrays(torch, [t for t, _ in called_with.inputs])
    found["records"] = [t.requires_grad for t in called_with.kept]
    torch.manual_seed(0)
    result = module(*sample.forward_input.args, **sample.forward_input.kwargs)
    found["undefined"] = draws(torch)
    outputs = tensors_in(torch, result)
    found["result"] = arrays(torch, outputs)
    after = [t for t in module.state_dict().values() if isinstance(t, torch.Tensor)]
    found["after"] = arrays(torch, after)
    ends = [t for t in outputs if t.requires_grad]
    parameters = [p for p in module.parameters() if p.requires_grad]
    leaves = [t for t in called_with.kept if t.requires_grad] + parameters
    if ends and leaves:
        cotangents = [torch.from_numpy(direction(tuple(e.shape), array_of(e).dtype)) for e in ends]
        gradients = torch.autograd.grad(ends, leaves, cotangents, allow_unused=True)
        found["unused"] = [g is None for g in gradients]
        found["grads"] = [array_of(g) for g in gradients if g is not None]
    return found


def modules(torch: Any, most: int) -> dict[str, Any]:
    """{module: {"train" or "eval": {sample: ...}}}."""
    from torch.testing._internal.common_modules import module_db

    recorded: dict[str, Any] = {}
    for info in module_db:
        name = info.name
        recorded[name] = {}
        for training in (True, False):
            torch.manual_seed(0)
            samples = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=True, training=training
            )
            count = 0
            for i, sample in enumerate(samples):
                if count == most:
                    break
                if sample.forward_input is None:
                    continue
                if sum(t.numel() for t in tensors_in(torch, [*sample.forward_input.args])) > MOST_ELEMENTS:
                    continue
                key = f"{'train' if training else 'eval'} {i}"
                try:
                    recorded[name][key] = module_sample(torch, info, sample, training)
                except (
                    NotEncodable,
                    NotImplementedError,
                    RuntimeError,
                    TypeError,
                    AttributeError,
                    ValueError,
                ) as error:
                    recorded[name][key] = {"none": f"{type(error).__name__}: {error}"[:100]}
                count += 1
        if info.module_error_inputs_func is None:
            continue
        wrong = info.module_error_inputs_func(
            info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
        )
        for i, each in enumerate(wrong):
            sample = each.module_error_input
            made_with, called_with = Program(torch), Program(torch)
            try:
                entry = {
                    "made": encoded(torch, made_with, sample.constructor_input),
                    "called": encoded(torch, called_with, sample.forward_input)
                    if sample.forward_input
                    else [[], {}],
                    "given": arrays(torch, [t for t, _ in made_with.inputs]),
                    "inputs": arrays(torch, [t for t, _ in called_with.inputs]),
                    "raises": each.error_type.__name__,
                    "on": each.error_on.name,
                    "says": each.error_regex,
                }
            except NotEncodable as error:
                entry = {"none": str(error)}
            recorded[name][f"error {i}"] = entry
    return recorded


SHAPES = ((3, 2), (2, 2))
STEPS = 4


def gradients_of(step: int) -> list[Any]:
    """The gradients that an optimizer gets at a step."""
    return [direction(shape, "float32") * (0.5 + step) for shape in SHAPES]


def optimizers(torch: Any) -> dict[str, Any]:
    """{optimizer: {arguments: what its steps give}}."""
    from torch.testing._internal.common_optimizers import optim_db

    recorded: dict[str, Any] = {}
    for info in optim_db:
        name = info.optim_cls.__name__
        recorded[name] = {}
        for i, given in enumerate(info.optim_inputs_func(device="cpu", dtype=torch.float32)):
            program = Program(torch)
            try:
                named = {k: program.encode(v) for k, v in given.kwargs.items()}
                recorded[name][f"{i} {given.desc}"] = steps(torch, info.optim_cls, given.kwargs) | {
                    "made": named, "given": arrays(torch, [t for t, _ in program.inputs])
                }  # fmt: skip
            except (NotEncodable, RuntimeError, ValueError, TypeError) as error:
                recorded[name][f"{i} {given.desc}"] = {"none": str(error)}
        for i, each in enumerate(info.optim_error_inputs_func("cpu", torch.float32)):
            wrong = each.optimizer_error_input
            program = Program(torch)
            try:
                made = {k: program.encode(v) for k, v in wrong.kwargs.items()}
                params = program.encode(wrong.params)
                recorded[name][f"error {i} {wrong.desc}"] = {
                    "made": made, "params": params, "given": arrays(torch, [t for t, _ in program.inputs]),
                    "raises": each.error_type.__name__, "on": each.error_on.name, "says": str(each.error_regex),
                }  # fmt: skip
            except NotEncodable as error:
                recorded[name][f"error {i} {wrong.desc}"] = {"none": str(error)}
    return recorded


def steps(torch: Any, kind: Any, named: dict[str, Any]) -> dict[str, Any]:
    """Parameters after some steps, and the names of what the optimizer keeps."""
    params = [torch.from_numpy(direction(shape, "float32")).requires_grad_() for shape in SHAPES]
    optimizer = kind(params, **named)

    run_steps(torch, kind.__name__, optimizer, params)
    state = optimizer.state_dict()
    kept = {str(k): sorted(v) for k, v in state["state"].items()}
    groups = [sorted(k for k in g) for g in state["param_groups"]]
    return {"keeps": kept, "groups": groups, "after": arrays(torch, params)}


def run_steps(torch: Any, name: str, optimizer: Any, params: list[Any]) -> None:
    """Take the steps of an optimizer that are recorded; `torch` is PyTorch or this package's."""

    def closure() -> Any:
        for p in params:
            p.grad = None
        loss = sum(((p - 0.25) ** 2).sum() for p in params)
        loss.backward()
        return loss

    for step in range(STEPS):
        if name == "LBFGS":
            optimizer.step(closure)
            continue
        for p, g in zip(params, gradients_of(step), strict=True):
            p.grad = torch.from_numpy(g)
            if name == "SparseAdam":
                p.grad = p.grad.to_sparse()
        optimizer.step()


def outcomes(torch: Any, most: int = 2) -> dict[str, Any]:
    """Both."""
    warnings.simplefilter("ignore")
    return {"modules": modules(torch, most), "optimizers": optimizers(torch)}


COMPACT = 4000  # elements of what a sample of the golden holds


def size_of(entry: Any) -> int:
    if isinstance(entry, dict):
        return sum(map(size_of, entry.values()))
    if isinstance(entry, list):
        return sum(map(size_of, entry))
    return getattr(entry, "size", 0)


def golden(torch: Any) -> dict[str, Any]:
    """Record the small samples of both: of each module one in train mode, and one in eval mode if it has buffers."""
    found = outcomes(torch, 1)
    for name, samples in found["modules"].items():
        buffers = any("running" in each for s in samples.values() for each in s.get("names", []))
        found["modules"][name] = {
            key: sample
            for key, sample in samples.items()
            if "none" not in sample and size_of(sample) <= COMPACT and (buffers or not key.startswith("eval"))
        }
    found["optimizers"] = {
        name: {key: sample for key, sample in samples.items() if "none" not in sample}
        for name, samples in found["optimizers"].items()
    }
    return found


if __name__ == "__main__":
    import pickle

    import torch

    torch.set_num_threads(1)
    with open(sys.argv[2], "wb") as file:
        pickle.dump(outcomes(torch, int(sys.argv[1])), file)
