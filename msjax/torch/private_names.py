"""PyTorch's private names (`torch._utils`, `torch._C` ...) that libraries import, and what stands for them here."""

import contextlib
import enum
import functools
import re
import typing
import weakref
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from concurrent import futures
from typing import Any

from msjax.torch import nn
from msjax.torch.distributions import kl, transforms
from msjax.torch.distributions.continuous import standard_gamma
from msjax.torch.functions import basic
from msjax.torch.functions.finfo_and_modes import set_printoptions
from msjax.torch.nn import convolution, hooks_of_all
from msjax.torch.tensors import printing
from msjax.torch.utils.data import collate

# Errors and warnings that nothing raises here, so that programs may name them: module, name(base).
_ERRORS = """
torch: OutOfMemoryError(RuntimeError) AcceleratorError(RuntimeError) FatalError(Exception) JITException(Exception)
torch.cuda: CudaError(RuntimeError) DeferredCudaCallError(Exception)
torch.distributed: DistBackendError(RuntimeError) QueueEmptyError(RuntimeError)
torch.jit: Error(Exception) ScriptWarning(Warning) TracerWarning(Warning) TracingCheckError(Exception)
torch.jit.frontend: FrontendError(Exception) NotSupportedError(Exception)
torch.onnx: OnnxExporterError(RuntimeError)
torch.onnx.errors: OnnxExporterWarning(UserWarning) SymbolicValueError(RuntimeError)
    UnsupportedOperatorError(RuntimeError)
torch.serialization: SourceChangeWarning(Warning)
torch.distributed.checkpoint: CheckpointException(BaseException)
torch.multiprocessing.spawn: ProcessException(Exception)
torch.utils.checkpoint: CheckpointError(RuntimeError)
"""
_KINDS = {kind.__name__: kind for kind in (Exception, BaseException, RuntimeError, UserWarning, Warning)}


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to another of the same object, whatever the object's `==` says."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Callable | None = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine = self()
        return self is other if mine is None else isinstance(other, weakref.ref) and mine is other()


class WeakIdKeyDictionary(MutableMapping):
    """A dict of objects that go when nobody else holds them, found by identity: tensors have no `==` that would do.

    Args:
        dict: what it begins with.
        ref_type: of no effect.
    """

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef) -> None:
        self._held: typing.Dict[int, tuple] = {}  # noqa: UP006 - `dict` is an argument
        self.update(dict or {})

    def __getitem__(self, key: Any) -> Any:
        return self._held[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        place, held = id(key), self._held
        held[place] = (weakref.ref(key, lambda _: held.pop(place, None)), value)

    def __delitem__(self, key: Any) -> None:
        del self._held[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return (key for ref, _ in list(self._held.values()) if (key := ref()) is not None)

    def __len__(self) -> int:
        return len(self._held)


class Future:
    """`torch.futures.Future`: a value that comes later.

    Args:
        devices: of no effect.
    """

    def __init__(self, *, devices: Any = None) -> None:
        self._inner: futures.Future = futures.Future()

    def __class_getitem__(cls, item: Any) -> Any:
        """Return the class: annotations say of what."""
        return cls

    def done(self) -> bool:
        """Return True if the value or an error is there."""
        return self._inner.done()

    def wait(self) -> Any:
        """Return the value, when it is there."""
        return self._inner.result()

    value = wait

    def set_result(self, result: Any) -> None:
        """Give the value."""
        self._inner.set_result(result)

    def set_exception(self, result: BaseException) -> None:
        """Give an error, which `wait` raises."""
        self._inner.set_exception(result)

    def add_done_callback(self, callback: Callable) -> None:
        """Call a function of this when the value is there."""
        self._inner.add_done_callback(lambda _: callback(self))

    def then(self, callback: Callable) -> "Future":
        """Return the future value of a function of this."""
        made = Future()

        def go_on(_: Any) -> None:
            try:
                made.set_result(callback(self))
            except Exception as error:  # noqa: BLE001 - `wait` of the other raises it
                made.set_exception(error)

        self._inner.add_done_callback(go_on)
        return made


def _collect_all(given: list[Future]) -> Future:
    """Return the future list of futures that are all done."""
    made = Future()
    for each in given:
        with contextlib.suppress(BaseException):
            each.wait()
    made.set_result(given)
    return made


def _wait_all(given: list[Future]) -> list:
    return [each.wait() for each in given]


class _DecoratorContextManager:
    """A context manager that is a decorator too; each call of the function has one of its own from `clone`."""

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def inside(*args: Any, **named: Any) -> Any:
            with self.clone():
                return function(*args, **named)

        return inside

    def clone(self) -> Any:
        """Return another with the same settings."""
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *error: object) -> None:
        raise NotImplementedError


class _OptState(enum.Enum):
    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _ScriptModule(nn.Module):
    """`torch.jit.ScriptModule`: `torch.jit.script` leaves modules as they are, so nothing is one."""


def _flatten(tensors: Iterable[Any]) -> Any:
    """Return the elements of tensors, one after another."""
    return basic.cat([t.reshape(-1) for t in tensors])


def _unflatten(flat: Any, tensors: Iterable[Any]) -> tuple:
    """Return parts of a flat tensor in the shapes of others."""
    listed = list(tensors)
    parts = flat.split([t.numel() for t in listed])
    return tuple(part.view(t.shape) for part, t in zip(parts, listed, strict=True))


def _take(tensors: Iterable[Any], size_limit: int) -> Iterator[list]:
    """Yield groups of tensors of one dtype that together have at most so many bytes, or one alone."""
    groups: dict[Any, tuple[list, int]] = {}
    for t in tensors:
        size = t.numel() * t.element_size()
        held, total = groups.get(t.dtype, ([], 0))
        if held and total + size > size_limit:
            yield held
            held, total = [], 0
        groups[t.dtype] = ([*held, t], total + size)
    yield from (held for held, _ in groups.values() if held)


def _by_dtype(tensorlistlist: list[list], with_indices: bool = False) -> dict:
    """Return lists of tensors side by side, by device and dtype of those in the first; and which they were."""
    found: dict[tuple, tuple[list[list], list[int]]] = {}
    for i, row in enumerate(zip(*tensorlistlist, strict=True)):
        lists, places = found.setdefault((row[0].device, row[0].dtype), ([[] for _ in tensorlistlist], []))
        for kept, each in zip(lists, row, strict=True):
            kept.append(each)
        if with_indices:
            places.append(i)
    return found


@contextlib.contextmanager
def _print_options(**options: Any) -> Iterator[None]:
    """Print tensors by other settings inside."""
    before = dict(printing.PRINTING)
    set_printoptions(**options)
    try:
        yield
    finally:
        printing.PRINTING.update(before)


@contextlib.contextmanager
def _range(*args: Any, **named: Any) -> Iterator[None]:
    """`torch.cuda.nvtx.range`: nothing is marked."""
    yield


def _without_prefix(state_dict: dict, prefix: str) -> None:
    """Take a prefix away from the names of a state_dict, in place, and from those of its metadata."""
    for held in (state_dict, getattr(state_dict, "_metadata", {})):
        for name in list(held):
            if name and (name.startswith(prefix) or name == prefix.rstrip(".")):
                held[name[len(prefix) :]] = held.pop(name)


@contextlib.contextmanager
def _reparametrize(module: Any, parameters_and_buffers: dict, **options: Any) -> Iterator[None]:
    """Let a module compute with other tensors inside."""
    places = []
    for name, value in parameters_and_buffers.items():
        path, _, last = name.rpartition(".")
        owner = module.get_submodule(path)
        table = owner._parameters if last in owner._parameters else owner._buffers
        places.append((table, last, table[last]))
        table[last] = value
    try:
        yield
    finally:
        for table, last, before in places:
            table[last] = before


def _multi_grad_hook(tensors: Iterable[Any], fn: Callable, *, mode: str = "all") -> Any:
    """Call a function when the gradients of tensors have come in a backward pass.

    Args:
        tensors: that need gradients.
        fn: of the gradients of all, or with "any" of the first that comes.
        mode: "all" or "any".
    """
    listed, seen = list(tensors), {}

    def take(place: int, grad: Any) -> None:
        seen[place] = grad
        if mode == "any" and len(seen) == 1:
            fn(grad)
        elif mode == "all" and len(seen) == len(listed):
            fn([seen[i] for i in range(len(listed))])
        if len(seen) == len(listed):
            seen.clear()

    handles = [t.register_hook(functools.partial(take, i)) for i, t in enumerate(listed)]
    return _Handles(handles)


class _Handles:
    def __init__(self, handles: list) -> None:
        self._handles = handles

    def remove(self) -> None:
        """Remove all of the hooks."""
        for each in self._handles:
            each.remove()

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def _reverse_repeat(t: Iterable[Any], n: int) -> tuple:
    """Return the elements from the last, each n times."""
    return tuple(x for x in reversed(tuple(t)) for _ in range(n))


def _list_with_default(out_size: Any, defaults: list) -> Any:
    """Return sizes; for None those of the input."""
    if isinstance(out_size, int):
        return out_size
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size) :], strict=True)]


def _same(value: Any) -> Any:
    return value


def _nothing(*args: Any, **named: Any) -> None:
    """Nothing is compiled or moved, so there is nothing to set."""


def _bases(names: str) -> type:
    """Return a class that modules are instances of by their names."""
    kinds = tuple(getattr(nn, name) for name in names.split())

    class OfThem(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, kinds)

        def __subclasscheck__(cls, kind: type) -> bool:
            return issubclass(kind, kinds)

    return OfThem("_Base", (), {})


def _pools(name: str) -> type:
    return _bases(" ".join(f"{name}{n}d" for n in (1, 2, 3)))


_WEAK = {"WeakIdRef": WeakIdRef, "TensorWeakRef": WeakIdRef, "WeakIdKeyDictionary": WeakIdKeyDictionary}
_FUTURES = {"Future": Future, "collect_all": _collect_all, "wait_all": _wait_all}
_SIZES = [f"_{kind}_{n}_t" for kind in ("size", "ratio") for n in (1, 2, 3, 4, 5, 6, "any")]
_JIT_SETTINGS = (
    "set_profiling_executor set_profiling_mode set_texpr_fuser_enabled override_can_fuse_on_cpu "
    "override_can_fuse_on_gpu set_nvfuser_enabled set_nvfuser_guard_mode can_fuse_on_cpu can_fuse_on_gpu"
)

NAMES: dict[str, dict[str, Any]] = {
    "torch": {
        "Future": Future,
        "_standard_gamma": lambda alpha: standard_gamma(alpha, alpha.shape),
        "_cast_Long": lambda x: x.long(),
    },
    "torch._C": {f"_jit_{name}": _nothing for name in _JIT_SETTINGS.split()}
    | {
        "_get_cudnn_enabled": lambda: True,
        "_are_functorch_transforms_active": lambda: False,
        "_is_torch_function_mode_enabled": lambda: False,
    },
    "torch._jit_internal": {"_copy_to_script_wrapper": _same},
    "torch._tensor_str": {"printoptions": _print_options},
    "torch._utils": {
        "_flatten_dense_tensors": _flatten,
        "_unflatten_dense_tensors": _unflatten,
        "_take_tensors": _take,
    },
    "torch.amp.grad_scaler": {"OptState": _OptState},
    "torch.autograd.graph": {"register_multi_grad_hook": _multi_grad_hook},
    "torch.cuda": {"_initialized": False},
    "torch.cuda.nvtx": {"range": _range},
    "torch.distributions.kl": {"_KL_REGISTRY": kl.KNOWN},
    "torch.distributions.transforms": {"_InverseTransform": transforms.Transform().inv.__class__},
    "torch.futures": _FUTURES,
    "torch.jit": {"ScriptModule": _ScriptModule, "RecursiveScriptModule": _ScriptModule},
    "torch.nn.common_types": dict.fromkeys(_SIZES, Any),
    "torch.nn.modules.conv": {
        "_ConvTransposeNd": convolution.ConvTranspose2d.__base__,
        "_ConvTransposeMixin": convolution.ConvTranspose2d.__base__,
    },
    "torch.nn.modules.lazy": {"LazyModuleMixin": nn.LazyLinear.__base__},
    "torch.nn.modules.pooling": {
        f"_{name}Nd": _pools(name) for name in ("AvgPool", "MaxPool", "AdaptiveAvgPool", "AdaptiveMaxPool")
    },
    "torch.nn.modules.utils": {
        "_reverse_repeat_tuple": _reverse_repeat,
        "_list_with_default": _list_with_default,
        "consume_prefix_in_state_dict_if_present": _without_prefix,
    },
    "torch.nn.modules.module": {
        f"_global_{name}_registration_hooks": hooks_of_all.REGISTRATION[kind]
        for name, kind in (("parameter", "Parameter"), ("buffer", "Tensor"), ("module", "Module"))
    },
    "torch.nn.utils.stateless": {"_reparametrize_module": _reparametrize},
    "torch.nn.utils": {"consume_prefix_in_state_dict_if_present": _without_prefix},
    "torch.serialization": {"MAP_LOCATION": Any, "DEFAULT_PROTOCOL": 2},
    "torch.utils._contextlib": {"_DecoratorContextManager": _DecoratorContextManager},
    "torch.utils._foreach_utils": {"_group_tensors_by_device_and_dtype": _by_dtype},
    "torch.utils.checkpoint": {
        "get_device_states": lambda *args: ([], []),
        "set_device_states": _nothing,
    },
    "torch.utils.data._utils.collate": {
        "collate_tensor_fn": collate.stack_tensors,
        "np_str_obj_array_pattern": re.compile("[SaUO]"),
    },
    "torch.utils.weak": _WEAK | {"WeakTensorKeyDictionary": WeakIdKeyDictionary},
}


def _errors() -> Iterator[tuple[str, type]]:
    place = ""
    for word in _ERRORS.split():
        if word.endswith(":"):
            place = word[:-1]
            continue
        name, _, base = word.rstrip(")").partition("(")
        yield place, type(name, (_KINDS[base],), {"__module__": place})


for _place, _error in _errors():
    NAMES.setdefault(_place, {})[_error.__name__] = _error
for _place in ("torch.cuda", "torch._C"):
    NAMES[_place] |= {name: NAMES["torch"][name] for name in ("OutOfMemoryError", "AcceleratorError")}
