"""Run recorded samples of PyTorch's operators (tests/goldens/opinfo_cases.py) on msjax.torch, and say what differs."""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

import msjax
from tests.goldens.opinfo_cases import direction

torch = msjax.torch
# Which of equal elements they name is not said.
TIES = frozenset(
    f"{place}{name}" for place in ("", "Tensor.") for name in "kthvalue topk median nanmedian mode".split()
)
RELATIVE, ABSOLUTE = 1e-4, 1e-5


def tensor_of(array: np.ndarray, kind: str, grad: bool = False) -> Any:
    """A recorded array as a Tensor."""
    made = torch.tensor(array, dtype=getattr(torch, kind))
    return made.requires_grad_() if grad else made


class Replay:
    """One run of a form of a sample."""

    def __init__(self, form: dict[str, Any]) -> None:
        self.given = [
            tensor_of(array, kind, grad)
            for array, kind, grad in zip(form["arrays"], form["kinds"], form["records"], strict=True)
        ]
        self.results: list[Any] = []

    def decode(self, value: Any) -> Any:
        """Return the value that was written down (opinfo_cases.Program)."""
        if not isinstance(value, list):
            return value
        word, *parts = value
        match word:
            case "in":
                return self.given[parts[0]]
            case "result":
                found = self.results[parts[0]]
                for place in parts[1:]:
                    found = found[place]
                return found
            case "tuple" | "list":
                return {"tuple": tuple, "list": list}[word](map(self.decode, parts))
            case "slice":
                return slice(*map(self.decode, parts))
            case "complex":
                return complex(*parts)
            case "made":
                return operator.attrgetter(parts[0])(torch)()
            case "word":
                return getattr(torch, parts[0])
            case "...":
                return ...
        raise ValueError(f"what is {word}?")

    def run(self, calls: list) -> None:
        """Make calls, which are added to those made."""
        for name, args, named in calls:
            name = name.removeprefix("torch.")
            args, named = [self.decode(a) for a in args], {k: self.decode(v) for k, v in named.items()}
            if name.endswith(".__get__"):
                self.results.append(getattr(args[0], name.split(".")[1]))
            elif name.startswith("Tensor."):
                self.results.append(getattr(args[0], name.removeprefix("Tensor."))(*args[1:], **named))
            else:
                name = f"ops.{name}" if name.startswith("aten.") else name
                self.results.append(operator.attrgetter(name)(torch)(*args, **named))


def tensors_in(value: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in tensors_in(part)]
    return []


def used_by_result(form: dict[str, Any]) -> int:
    """How many calls make the result; those after it make of it what gradients are taken of."""

    def last(value: Any) -> int:
        if not isinstance(value, list):
            return -1
        return value[1] if value and value[0] == "result" else max(map(last, value), default=-1)

    return max(last(form["result"]) + 1, 1) if form["form"] == "function" else len(form["calls"])


def differences(form: dict[str, Any]) -> Iterator[str]:
    """List the differences of msjax.torch for a form of a sample: at most one line for each kind."""
    replay = Replay(form)
    if "raises" in form:
        try:
            replay.run(form["calls"])
        except Exception as error:  # noqa: BLE001
            theirs = getattr(__builtins__, form["raises"], None) or {"OutOfMemoryError": MemoryError}.get(
                form["raises"]
            )
            if type(error).__name__ != form["raises"] and not (theirs and isinstance(error, theirs)):
                yield f"raises {type(error).__name__} ({error}), PyTorch {form['raises']}"
        else:
            yield f"does not raise {form['raises']}"
        return
    try:
        first = used_by_result(form)
        replay.run(form["calls"][:first])
        result = replay.decode(form["result"])
    except Exception as error:  # noqa: BLE001
        yield f"raises {type(error).__name__}: {error}"
        return
    found = tensors_in(result)
    if type(found[0] if found else result).__name__ == "Tensor" and not all(
        type(f).__module__.startswith("msjax.torch") for f in found
    ):
        yield "is a Tensor of another dialect"
    if len(found) != len(form["outputs"]):
        yield f"gives {len(found)} tensors, PyTorch {len(form['outputs'])}"
        return
    free = form["undefined"] or form["up_to_phase"]
    ties = form["calls"][0][0] in TIES
    for i, (mine, theirs, kind) in enumerate(zip(found, form["outputs"], form["dtypes"], strict=True)):
        values = not (free or (ties and i and kind == "int64"))
        yield from compare(f"output {i}", mine, theirs, kind, values)
    if "grads" in form and not form["undefined"]:
        yield from gradient_differences(form, replay, first)


def gradient_differences(form: dict[str, Any], replay: Replay, first: int) -> Iterator[str]:
    """List the differences of the gradients."""
    try:
        replay.run(form["calls"][first:])
        ends = [replay.decode(e) for e in form["ends"]]
        leaves = [replay.given[i] for i in form["leaves"]]
        kinds = [np.complex64 if e.is_complex() else np.float32 for e in ends]
        cotangents = [
            torch.tensor(direction(e.shape, k)).to(e.dtype) for e, k in zip(ends, kinds, strict=True)
        ]
        found = torch.autograd.grad(ends, leaves, cotangents, allow_unused=True)
    except Exception as error:  # noqa: BLE001
        yield f"gradient raises {type(error).__name__}: {error}"
        return
    for i, (end, theirs) in enumerate(zip(ends, form.get("state", ends), strict=False)):
        if theirs is end:  # it is an output, which has been compared
            continue
        kind = "bfloat16" if end.dtype == torch.bfloat16 else ""
        yield from compare(f"processed {i}", end.detach(), theirs, kind)
    yield from compare_gradients(found, form["unused"], form["grads"])


def compare_gradients(found: Any, unused: list[bool], recorded: list[np.ndarray]) -> Iterator[str]:
    """List the differences of gradients; none is as good as one of zeros."""
    known = iter(recorded)
    for i, (mine, none) in enumerate(zip(found, unused, strict=True)):
        theirs = None if none else next(known)
        if mine is not None and theirs is not None:
            yield from compare(f"gradient {i}", mine, theirs, "")
        elif mine is not None and mine.numpy().any():
            yield f"gradient {i}: there is one, in PyTorch none"
        elif theirs is not None and theirs.any():
            yield f"gradient {i}: there is none, in PyTorch one"


def compare(what: str, mine: Any, theirs: np.ndarray, kind: str, values: bool = True) -> Iterator[str]:
    """List the differences of a tensor."""
    if kind and str(mine.dtype).removeprefix("torch.") != kind:
        yield f"{what}: dtype {mine.dtype}, PyTorch {kind}"
        return
    own = mine.detach().float().numpy() if kind == "bfloat16" else mine.numpy(force=True)
    if own.shape != theirs.shape:
        yield f"{what}: shape {own.shape}, PyTorch {theirs.shape}"
        return
    if own.dtype != theirs.dtype:
        yield f"{what}: dtype {own.dtype}, PyTorch {theirs.dtype}"
        return
    if not values or not own.size:
        return
    if own.dtype.kind in "fc":
        finite = np.abs(theirs[np.isfinite(theirs)])
        near = 1e-2 if own.dtype == np.float16 or kind == "bfloat16" else RELATIVE
        bound = max(ABSOLUTE, near / 5 * float(finite.max(initial=0)))
        with np.errstate(all="ignore"):
            equal = np.isclose(own, theirs, near, bound, equal_nan=True)
    else:
        equal = own == theirs
    if not equal.all():
        place = tuple(int(i) for i in np.argwhere(~equal)[0])
        yield f"{what}: {(~equal).sum()} of {equal.size} values differ, at {place} {own[place]}, PyTorch {theirs[place]}"
