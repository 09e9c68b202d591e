"""PyTorch's own samples of its operators (OpInfo) as programs of calls, and what PyTorch gives for them.

For each operator and dtype a few samples are taken. Each is a list of calls by their public names, so that it runs without
PyTorch (see `replaying_opinfo.py`): a lambda of OpInfo's becomes the calls that it makes. Forms of a sample are the function,
the method, the in-place method, the function with `out=` and the Python operator.
"""

import itertools
import operator
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

DTYPES = ("float32", "int64", "bool", "complex64")
MOST_ELEMENTS = 3000
COMPACT = 1500  # elements of the inputs of a form in the golden
# Their elements are whatever is in memory.
UNINITIALISED = frozenset(
    "empty empty_like new_empty empty_strided new_empty_strided empty_permuted resize_ resize_as_".split()
)
# The elements of their results are not unique, only what OpInfo makes of them for gradients.
UP_TO_PHASE = frozenset(
    """svd linalg.svd linalg.eig linalg.eigh linalg.qr qr geqrf pca_lowrank svd_lowrank lobpcg linalg.ldl_factor
    linalg.ldl_factor_ex""".split()
)


class NotEncodable(Exception):  # noqa: N818
    """A sample holds what cannot be written down: a function, a sparse tensor."""


# ---------------------------------------------------------------------- writing calls down


class Program:
    """Calls and what they are given, as JSON; arrays stand beside it.

    Values are written as JSON where it has them, else as a list whose first item is a word: ["in", 0], ["result", 1, 0],
    ["tuple", ...], ["list", ...], ["dtype", name], ["complex", re, im], ["slice", a, b, c], ["word", text].
    """

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.known: dict[int, list] = {}
        self.kept: list[Any] = []
        self.inputs: list[Any] = []
        self.calls: list[list] = []

    def add_input(self, tensor: Any) -> list:
        """Write a tensor down as one that is given."""
        if tensor.layout != self.torch.strided:
            raise NotEncodable(str(tensor.layout))
        self.kept.append(tensor)
        self.inputs.append((tensor.detach().clone(), tensor.requires_grad))
        self.known[id(tensor)] = ["in", len(self.inputs) - 1]
        return self.known[id(tensor)]

    def add_call(self, name: str, args: Any, named: Any) -> int:
        """Write a call down before it is made."""
        self.calls.append(
            [name, [self.encode(a) for a in args], {k: self.encode(v) for k, v in named.items()}]
        )
        return len(self.calls) - 1

    def add_result(self, call: int, result: Any, *where: int) -> None:
        """Know what a call returned by its place."""
        if isinstance(result, self.torch.Tensor):
            if id(result) not in self.known or self.known[id(result)][0] == "result":
                self.known[id(result)] = ["result", call, *where]
            self.kept.append(result)
        elif isinstance(result, (list, tuple)):
            for i, part in enumerate(result):
                self.add_result(call, part, *where, i)

    def encode(self, value: Any) -> Any:
        """Return a value as JSON."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            return self.known.get(id(value)) or self.add_input(value)
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (float, np.floating)):
            return float(value)
        if isinstance(value, complex):
            return ["complex", value.real, value.imag]
        if isinstance(value, (tuple, list)):
            return ["tuple" if isinstance(value, tuple) else "list", *map(self.encode, value)]
        if isinstance(value, slice):
            return ["slice", *map(self.encode, (value.start, value.stop, value.step))]
        if isinstance(value, torch.dtype | torch.memory_format | torch.layout):
            return ["word", str(value).removeprefix("torch.")]
        if isinstance(value, torch.device):
            return str(value)
        if value is ...:
            return ["..."]
        if isinstance(value, torch.nn.PairwiseDistance):
            return ["made", "nn.PairwiseDistance"]
        raise NotEncodable(type(value).__name__)


def public_name(torch: Any, function: Any) -> str:
    """The name of a function without `torch.`."""
    if getattr(function, "__name__", "") == "__get__":
        return f"Tensor.{function.__self__.__name__}.__get__"
    name = torch.overrides.resolve_name(function)
    if name is not None and name.startswith("aten."):
        return f"ops.{name}"
    if name is None:
        name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '?')}"
    for long in ("torch._C._TensorBase.", "torch.Tensor.", "Tensor.", "TensorBase."):
        if name.startswith(long):
            return "Tensor." + name.removeprefix(long)
    for long in ("torch.functional.", "torch._VF.", "torch.", "None."):
        name = name.removeprefix(long)
    return name


def tracer(torch: Any, program: Program) -> Any:
    """A context in which calls of PyTorch's functions are written down."""

    class Tracer(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if _PAUSED:
                return function(*args, **(kwargs or {}))
            call = program.add_call(public_name(torch, function), args, kwargs or {})
            result = function(*args, **(kwargs or {}))
            program.add_result(call, result)
            return result

    return Tracer()


def run_traced(torch: Any, program: Program, name: str, function: Any, args: Any, named: Any) -> Any:
    """Call a function: under its public name if it has that, else as the calls that it makes."""
    if name and attribute(torch, name) is function:
        call = program.add_call(name, args, named)
        result = function(*args, **named)
        program.add_result(call, result)
        return result
    with tracer(torch, program):
        return function(*args, **named)


def attribute(module: Any, path: str) -> Any:
    """Return the object at a dotted path, or None."""
    try:
        return operator.attrgetter(path)(module)
    except AttributeError:
        return None


# ---------------------------------------------------------------------- outcomes


def tensors_in(torch: Any, value: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in tensors_in(torch, part)]
    return []


def array_of(tensor: Any) -> np.ndarray:
    """The elements of a tensor."""
    if str(tensor.layout) != "torch.strided":
        raise NotEncodable(str(tensor.layout))
    if dtype_of(tensor) == "complex32" or tensor.is_quantized or dtype_of(tensor).startswith("float8"):
        raise NotEncodable(dtype_of(tensor))
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if str(tensor.dtype) == "torch.bfloat16":
        return tensor.float().numpy()
    return tensor.contiguous().clone().numpy()


def dtype_of(tensor: Any) -> str:
    """The name of its dtype, without `torch.`."""
    return str(tensor.dtype).removeprefix("torch.")


def direction(shape: Any, dtype: Any) -> np.ndarray:
    """The cotangent of an output: numbers that no symmetry of an operator cancels."""
    phase = 0.7 * np.arange(int(np.prod(shape))).reshape(shape) + 0.3
    values = np.cos(phase) + (1j * np.sin(1.3 * phase) if np.dtype(dtype).kind == "c" else 0)
    return np.asarray(values, dtype)


def record_form(
    torch: Any, name: str, function: Any, sample: Any, inputs: Any, process: Any, form: str
) -> dict[str, Any]:
    """One form of a sample: its program and what it gives."""
    args, named = inputs
    program = Program(torch)
    for tensor in tensors_in(torch, [*args, *named.values()]):
        if id(tensor) not in program.known:
            program.add_input(tensor)
    found: dict[str, Any] = {"form": form}
    torch.manual_seed(0)
    _DRAWN.clear()
    try:
        result = run_traced(torch, program, name, function, args, named)
    except NotEncodable:
        raise
    except Exception as error:
        found["raises"] = type(error).__name__
        result = None
    else:
        found["undefined"] = draws(torch) or bool(_DRAWN) or name in UNINITIALISED
        found["result"] = program.encode(result)
        outputs = tensors_in(torch, result)
        found["dtypes"] = [dtype_of(each) for each in outputs]
        found["outputs"] = [array_of(each) for each in outputs]
        if process is not None:
            with tracer(torch, program):
                processed = process(result)
            record_gradients(torch, program, processed, found)
    found["calls"] = program.calls
    found["arrays"] = [array_of(tensor) for tensor, _ in program.inputs]
    found["records"] = [grad for _, grad in program.inputs]
    found["kinds"] = [dtype_of(tensor) for tensor, _ in program.inputs]
    return found


def record_gradients(torch: Any, program: Program, processed: Any, found: dict[str, Any]) -> None:
    """The gradients of a program's outcome with respect to its inputs."""
    ends = [each for each in tensors_in(torch, processed) if each.requires_grad]
    leaves = [
        tensor
        for tensor in program.kept
        if tensor.requires_grad and tensor.is_leaf and program.known[id(tensor)][0] == "in"
    ]
    if not ends or not leaves:
        return
    cotangents = [torch.from_numpy(direction(tuple(e.shape), array_of(e).dtype)).to(e.dtype) for e in ends]
    try:
        gradients = torch.autograd.grad(ends, leaves, cotangents, allow_unused=True)
    except RuntimeError as error:
        found["no_gradient"] = str(error)[:100]
        return
    found["ends"] = [program.encode(each) for each in ends]
    found["state"] = [array_of(each) for each in ends]
    found["leaves"] = [program.known[id(each)][1] for each in leaves]
    found["unused"] = [g is None for g in gradients]
    found["grads"] = [array_of(g) for g in gradients if g is not None]


def copied(torch: Any, value: Any, grad: bool = True) -> Any:
    """The same arguments with fresh leaves."""
    if isinstance(value, torch.Tensor):
        fresh = value.detach().clone()
        return fresh.requires_grad_(value.requires_grad and grad)
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(copied(torch, each, grad) for each in value)
    if isinstance(value, dict):
        return {k: copied(torch, v, grad) for k, v in value.items()}
    return value


def forms(torch: Any, info: Any, sample: Any, dtype: str) -> Iterator[dict[str, Any]]:
    """All forms of one sample."""
    gauge = info.name in UP_TO_PHASE

    def given(grad: bool) -> tuple[list, dict]:
        return [copied(torch, a, grad) for a in (sample.input, *sample.args)], copied(
            torch, sample.kwargs, grad
        )

    first = record_form(
        torch,
        info.name,
        info.op,
        sample,
        given(True),
        sample.output_process_fn_grad or (lambda x: x),
        "function",
    )
    first["up_to_phase"] = gauge
    yield first
    undefined = {"undefined": first.get("undefined", False), "up_to_phase": gauge}
    method, in_place = info.get_method(), info.get_inplace()
    if method is not None:
        yield (
            record_form(
                torch,
                f"Tensor.{getattr(method, '__name__', '-')}",
                method,
                sample,
                given(False),
                None,
                "method",
            )
            | undefined
        )
    if in_place is not None and isinstance(sample.input, torch.Tensor):
        yield (
            record_form(
                torch,
                f"Tensor.{getattr(in_place, '__name__', '-')}",
                in_place,
                sample,
                given(False),
                None,
                "in place",
            )
            | undefined
        )
    if info.supports_out and "outputs" in first and "out" not in sample.kwargs:
        args, named = given(False)
        shapes = [
            torch.zeros(o.shape, dtype=getattr(torch, d))
            for o, d in zip(first["outputs"], first["dtypes"], strict=True)
        ]
        if shapes:
            named["out"] = shapes[0] if first["result"][0] in ("in", "result") else tuple(shapes)
            found = record_form(torch, info.name, info.op, sample, (args, named), None, "out=") | undefined
            if "raises" not in found:  # else OpInfo's function takes no `out`
                yield found
    if info.operator_variant is not None and not sample.kwargs:
        name = {"mod": "mod", "and_": "and", "or_": "or"}.get(
            info.operator_variant.__name__, info.operator_variant.__name__
        )
        args, _ = given(False)
        if hasattr(torch.Tensor, f"__{name}__"):
            function = getattr(torch.Tensor, f"__{name}__")
            yield (
                record_form(torch, f"Tensor.__{name}__", function, sample, (args, {}), None, "operator")
                | undefined
            )


_DRAWN: list[bool] = []
_PAUSED: list[bool] = []


def watch_seeding(torch: Any) -> None:
    """Learn of draws inside of OpInfo's own wrapper, which restores the state."""
    from torch.testing._internal.common_utils import freeze_rng_state

    def wrapper_set_seed(op: Any, *args: Any, **named: Any) -> Any:
        with freeze_rng_state():
            torch.manual_seed(42)
            result = op(*args, **named)
            _PAUSED.append(True)
            if draws(torch):
                _DRAWN.append(True)
            _PAUSED.pop()
            return result

    for module in list(sys.modules.values()):
        if hasattr(module, "wrapper_set_seed") and module.__name__.startswith("torch.testing"):
            module.wrapper_set_seed = wrapper_set_seed


def draws(torch: Any) -> bool:
    """Whether random numbers have been drawn since the seed was set."""
    fresh = torch.Generator().manual_seed(torch.initial_seed())
    return not torch.equal(torch.get_rng_state(), fresh.get_state())


def numel(torch: Any, sample: Any) -> int:
    return sum(t.numel() for t in tensors_in(torch, [sample.input, *sample.args, *sample.kwargs.values()]))


def choose(torch: Any, samples: list[Any], most: int) -> list[Any]:
    """Some samples, spread over all of those that are small; if one is wanted, a small one that is not empty."""
    if most == 1:
        whole = [s for s in samples if numel(torch, s)] or samples
        plain = [s for s in whole if getattr(s.input, "ndim", 1)] or whole
        return sorted(plain, key=lambda s: max(numel(torch, s), 8))[:1]
    small = [s for s in samples if numel(torch, s) <= MOST_ELEMENTS] or sorted(
        samples, key=lambda s: numel(torch, s)
    )[:1]
    if len(small) <= most:
        return small
    return [small[int(i)] for i in np.linspace(0, len(small) - 1, most)]


def entry_name(info: Any) -> str:
    """The operator's name, with that of the variant."""
    return info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")


def outcomes(torch: Any, most: int = 2, only: str = "", dtypes: Any = DTYPES) -> dict[str, Any]:
    """{operator: {dtype: {sample: {form: ...}}}}; None in place of a sample that cannot be written down."""
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    watch_seeding(torch)
    recorded: dict[str, Any] = {}
    for info in op_db:
        name = entry_name(info)
        if only and name not in only.split(","):
            continue
        if name in recorded:
            name += "*"
        by_dtype: dict[str, Any] = {}
        for dtype in dtypes:
            kind = getattr(torch, dtype)
            if not info.supports_dtype(kind, "cpu"):
                continue
            grad = (
                dtype in ("float32", "complex64")
                and info.supports_autograd
                and kind in info.supported_backward_dtypes("cpu")
            )
            torch.manual_seed(0)
            try:
                samples = list(itertools.islice(info.sample_inputs("cpu", kind, requires_grad=grad), 400))
            except Exception as error:
                by_dtype[dtype] = {"none": f"{type(error).__name__}: {error}"[:200]}
                continue
            by_dtype[dtype] = {}
            for i, sample in enumerate(choose(torch, samples, most)):
                try:
                    found = {f["form"]: f for f in forms(torch, info, sample, dtype)}
                    if "raises" not in found["function"]:  # else there is none on the CPU
                        by_dtype[dtype][str(i)] = found
                except (NotEncodable, TypeError, NotImplementedError, AttributeError) as error:
                    by_dtype[dtype][str(i)] = {"none": str(error)}
        recorded[name] = {dtype: samples for dtype, samples in by_dtype.items() if samples}
    return {name: found for name, found in recorded.items() if found}


def golden(torch: Any) -> dict[str, Any]:
    """One small sample for each operator and dtype; forms stand without what they share with the function."""
    found = {}
    for name, by_dtype in outcomes(torch, 1).items():
        kept = {}
        for dtype, samples in by_dtype.items():
            forms = samples.get("0", {})
            if "function" in forms and sum(a.size for a in forms["function"]["arrays"]) <= COMPACT:
                kept[dtype] = {form: without_shared(each, forms["function"]) for form, each in forms.items()}
        if kept:
            found[name] = kept
    return found


def without_shared(form: dict[str, Any], function: dict[str, Any]) -> dict[str, Any]:
    """A form without its name, arrays of its own that are the function's, and values that are the usual ones."""
    usual = [key for key in ("undefined", "up_to_phase") if not form.get(key)]
    kept = {key: value for key, value in form.items() if key not in (*usual, "form")}
    outputs = form.get("outputs", [])
    if (
        "state" in form
        and len(outputs) == len(form["state"])
        and all(map(same_elements, outputs, form["state"]))
    ):
        del kept["state"]
    if form is function:
        return kept
    shared = 0
    for mine, theirs in zip(form["arrays"], function["arrays"], strict=False):
        if not same_elements(mine, theirs):
            break
        shared += 1
    kept |= {"shared": shared, "arrays": form["arrays"][shared:]}
    theirs = function["outputs"]
    if outputs and len(outputs) == len(theirs) and all(map(same_elements, outputs, theirs)):
        kept |= {"outputs": [], "same": True}
    return kept


def same_elements(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are equal, in their dtype too."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def whole(form: dict[str, Any], name: str, function: dict[str, Any]) -> dict[str, Any]:
    """The inverse of :func:`without_shared`."""
    full = {"undefined": False, "up_to_phase": False} | form | {"form": name}
    full["arrays"] = [*function["arrays"][: form.get("shared", 0)], *form["arrays"]]
    if form.get("same"):
        full["outputs"] = function["outputs"]
    return full


if __name__ == "__main__":
    import pickle

    import torch

    torch.set_num_threads(1)
    with open(sys.argv[2], "wb") as file:
        pickle.dump(outcomes(torch, int(sys.argv[1]), *sys.argv[3:]), file)
