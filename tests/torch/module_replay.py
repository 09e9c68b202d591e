"""Run recorded samples of PyTorch's modules and optimizers (tests/goldens/moduleinfo_cases.py) on msjax.torch."""

import warnings
from collections.abc import Iterator
from typing import Any

import msjax
from tests.goldens.moduleinfo_cases import run_steps
from tests.goldens.opinfo_cases import direction
from tests.torch.opinfo_replay import Replay, compare, compare_gradients, tensor_of, tensors_in

torch = msjax.torch
# Options of PyTorch's that only say how it computes; it writes them into state dicts, and takes them from none.
HOW = frozenset("capturable differentiable foreach fused decoupled_weight_decay".split())


def tensors_of(recorded: dict[str, Any], records: Any = None) -> list[Any]:
    """Recorded arrays as Tensors."""
    grads = records or [False] * len(recorded["arrays"])
    return [tensor_of(a, k, g) for a, k, g in zip(recorded["arrays"], recorded["kinds"], grads, strict=True)]


def decoded(arguments: list, tensors: list[Any]) -> tuple[list, dict]:
    """Arguments as they were given."""
    replay = Replay.__new__(Replay)
    replay.given, replay.results = tensors, []
    args, named = arguments
    return [replay.decode(a) for a in args], {k: replay.decode(v) for k, v in named.items()}


def class_of(name: str) -> Any:
    """The class of a module by the name that module_db gives it."""
    found = torch
    for part in name.split("."):
        found = getattr(found, part)
    return found


def error_differences(name: str, sample: dict[str, Any]) -> Iterator[str]:
    """Whether a wrong sample raises what it raises in PyTorch, when the module is made or when it is called."""
    named = sample["made"], sample["called"]
    try:
        args, options = decoded(named[0], tensors_of(sample["given"]))
        module = class_of(name)(*args, **options)
        args, options = decoded(named[1], tensors_of(sample["inputs"]))
        module(*args, **options)
    except Exception as error:  # noqa: BLE001
        if sample["raises"] not in [kind.__name__ for kind in type(error).__mro__]:
            yield f"raises {type(error).__name__} ({error}), PyTorch {sample['raises']}: {sample['says']}"
    else:
        yield f"does not raise {sample['raises']}: {sample['says']}"


def module_differences(name: str, sample: dict[str, Any]) -> Iterator[str]:
    """List the differences of a module for a sample."""
    if "raises" in sample:
        yield from error_differences(name, sample)
        return
    try:
        args, options = decoded(sample["made"], tensors_of(sample["given"]))
        module = class_of(name)(*args, **options)
        module.train(sample["training"])
        if sample["lazy"]:
            args, options = decoded(sample["called"], tensors_of(sample["inputs"]))
            module(*args, **options)
        state = module.state_dict()
    except Exception as error:  # noqa: BLE001
        yield f"making raises {type(error).__name__}: {error}"
        return
    if list(state) != sample["names"]:
        yield f"state_dict has {list(state)}, PyTorch {sample['names']}"
        return
    if repr(module) != sample["texts"]:
        yield f"prints {module!r}, PyTorch {sample['texts']}"
    before = tensors_of(sample["before"])
    held = [t for t in state.values() if isinstance(t, torch.Tensor)]
    for n, mine, theirs in zip(state, held, before, strict=True):
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            yield f"{n} is {mine.dtype} {tuple(mine.shape)}, PyTorch {theirs.dtype} {tuple(theirs.shape)}"
            return
    try:
        module.load_state_dict(dict(zip(sample["names"], before, strict=True)))
        inputs = tensors_of(sample["inputs"], sample["records"])
        args, options = decoded(sample["called"], inputs)
        result = tensors_in(module(*args, **options))
    except Exception as error:  # noqa: BLE001
        yield f"raises {type(error).__name__}: {error}"
        return
    values = not sample["undefined"]
    if len(result) != len(sample["result"]["arrays"]):
        yield f"gives {len(result)} tensors, PyTorch {len(sample['result']['arrays'])}"
        return
    for i, mine in enumerate(result):
        yield from compare(
            f"output {i}", mine, sample["result"]["arrays"][i], sample["result"]["kinds"][i], values
        )
    after = [t for t in module.state_dict().values() if isinstance(t, torch.Tensor)]
    for n, mine, theirs, kind in zip(
        sample["names"], after, sample["after"]["arrays"], sample["after"]["kinds"], strict=True
    ):
        yield from compare(f"{n} afterwards", mine, theirs, kind, values)
    if "grads" not in sample or not values:
        return
    ends = [t for t in result if t.requires_grad]
    leaves = [t for t in inputs if t.requires_grad] + [p for p in module.parameters() if p.requires_grad]
    try:
        cotangents = [torch.tensor(direction(e.shape, e.numpy(force=True).dtype)) for e in ends]
        found = torch.autograd.grad(ends, leaves, cotangents, allow_unused=True)
    except Exception as error:  # noqa: BLE001
        yield f"gradient raises {type(error).__name__}: {error}"
        return
    yield from compare_gradients(found, sample["unused"], sample["grads"])


def optimizer_differences(name: str, sample: dict[str, Any]) -> Iterator[str]:
    """List the differences of an optimizer for its arguments."""
    kind = getattr(torch.optim, name)
    made = tensors_of(sample["given"])
    _, named = decoded([[], sample["made"]], made)
    if "raises" in sample:
        (params,), _ = decoded([[sample["params"]], {}], made)
        params = [torch.zeros(1, requires_grad=True)] if params is None else params
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error" if sample["raises"].endswith("Warning") else "ignore")
                optimizer = kind(params, **named)
            if "CONSTRUCTION" not in sample["on"]:
                optimizer.step()
        except Exception as error:  # noqa: BLE001
            if sample["raises"] not in [each.__name__ for each in type(error).__mro__]:
                yield f"raises {type(error).__name__} ({error}), PyTorch {sample['raises']}: {sample['says']}"
        else:
            yield f"does not raise {sample['raises']}: {sample['says']}"
        return
    params = [torch.tensor(direction(a.shape, "float32")).requires_grad_() for a in sample["after"]["arrays"]]
    try:
        optimizer = kind(params, **named)
        run_steps(torch, name, optimizer, params)
        state = optimizer.state_dict()
    except Exception as error:  # noqa: BLE001
        yield f"raises {type(error).__name__}: {error}"
        return
    for i, mine in enumerate(params):
        yield from compare(f"parameter {i}", mine.detach(), sample["after"]["arrays"][i], "float32")
    kept = {str(k): sorted(v) for k, v in state["state"].items()}
    if kept != sample["keeps"]:
        yield f"keeps {kept}, PyTorch {sample['keeps']}"
    groups = [
        sorted(set(g) | (HOW & set(other)))
        for g, other in zip(state["param_groups"], sample["groups"], strict=True)
    ]
    if groups != sample["groups"]:
        missing = [sorted(set(a) ^ set(b)) for a, b in zip(groups, sample["groups"], strict=True)]
        yield f"groups differ in {missing}"
