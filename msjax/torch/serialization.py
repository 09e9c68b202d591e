"""`torch.save` and `torch.load`: PyTorch's own file format.

A file is a zip: `data.pkl` holds the containers, in which each tensor is a call of one of three functions on a storage;
`data/0`, `data/1`, ... are the storages' bytes. Reading calls those functions and no others, so a file cannot run code,
unless `weights_only=False` allows it.
"""

import codecs
import contextlib
import io
import os
import pickle
import tempfile
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import resolve, wrap
from msjax.public_api import torch_api
from msjax.torch.nn.module import Parameter
from msjax.torch.tensors import dtypes as kinds
from msjax.torch.tensors.creation import device
from msjax.torch.tensors.tensor import Size, Tensor, as_torch

_STORAGES = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Byte": "uint8",
             "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Bool": "bool",
             "ComplexFloat": "complex64", "ComplexDouble": "complex128"}  # fmt: skip


_KINDS = {name: kind for kind, name in _STORAGES.items()}
_UNTYPED = "UntypedStorage"


class Global:
    """A name that the file says, whether or not it can be imported here.

    Args:
        module: where it is.
        name: in it.
    """

    def __init__(self, module: str, name: str) -> None:
        self.text = f"{module}\n{name}\n"

    def __call__(self, *args: Any) -> Any:
        """Pass for something that can be called, which pickle asks for."""
        raise TypeError("it is only written")


class _Flat:
    """The elements of a tensor."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


class Reduced:
    """A call that the file says.

    Args:
        build: what is called.
        args: with what.
    """

    def __init__(self, build: Global, args: tuple) -> None:
        self.build, self.args = build, args


_PythonPickler: Any = pickle._Pickler  # type: ignore[attr-defined]


class Pickler(_PythonPickler):  # the one in Python, whose table of types can be added to
    """Write tensors as calls on storages, which are gathered apart."""

    dispatch = dict(_PythonPickler.dispatch)

    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=2)
        self.storages: list[np.ndarray] = []

    def _save_global(self, obj: Global) -> None:
        self.write(b"c" + obj.text.encode())

    dispatch[Global] = _save_global

    def persistent_id(self, obj: Any) -> Any:
        """Return a storage's entry; only storages have one."""
        if not isinstance(obj, _Flat):
            return None
        self.storages.append(obj.array)
        kind = _KINDS.get(obj.array.dtype.name)
        storage = Global("torch", f"{kind}Storage") if kind else Global("torch.storage", _UNTYPED)
        size = obj.array.size if kind else obj.array.nbytes
        return ("storage", storage, str(len(self.storages) - 1), "cpu", size)

    def reducer_override(self, obj: Any) -> Any:
        """Reduce a tensor for pickling; raise for other objects."""
        if isinstance(obj, Tensor):
            return self._tensor(obj)
        if isinstance(obj, dtypes.DType):
            return str(kinds.of(obj)).removeprefix("torch.")
        if isinstance(obj, device):
            index = () if obj.index is None else (obj.index,)
            return Global("torch", "device"), (obj.type, *index)
        if isinstance(obj, Size):
            return Global("torch", "Size"), (tuple(obj),)
        return NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write a name; of a dtype, PyTorch's."""
        if isinstance(obj, dtypes.DType):
            self.write(f"ctorch\n{name}\n".encode())
        else:
            super().save_global(obj, name)

    def _tensor(self, box: Tensor) -> tuple:
        array = np.asarray(resolve(box)._value, order="C")
        strides = tuple(int(np.prod(array.shape[i + 1 :])) for i in range(array.ndim))
        flat = _Flat(array.reshape(-1))
        args = (flat, 0, tuple(array.shape), strides, False, OrderedDict())
        build = Global("torch._utils", "_rebuild_tensor_v2")
        if array.dtype.name not in _KINDS:  # younger than PyTorch's storages with a dtype
            build, args = (
                Global("torch._utils", "_rebuild_tensor_v3"),
                (*args, Global("torch", array.dtype.name)),
            )
        if not isinstance(box, Parameter):
            return build, (*args[:4], bool(box.requires_grad and box.is_leaf), *args[5:])
        whole = Reduced(build, args)
        return Global("torch._utils", "_rebuild_parameter"), (whole, bool(box.requires_grad), OrderedDict())

    def _save_reduced(self, obj: Reduced) -> None:
        self.save_reduce(obj.build, obj.args, obj=None)


Pickler.dispatch[Reduced] = Pickler._save_reduced


_YOUNGER = "uint16 uint32 uint64 float8_e4m3fn float8_e5m2".split()  # dtypes
STORED = {name: kinds.named("bool_" if name == "bool" else name) for name in [*_STORAGES.values(), *_YOUNGER]}


def save(
    obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2, _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:  # fmt: skip
    """Write an object to a file; PyTorch reads it too if it is of tensors in plain containers.

    Args:
        obj: tensors, numbers, strings, and lists, tuples and dicts of those; or any other object that can be pickled,
            a module say, which :func:`load` reads with `weights_only=False` only.
        f: a path, written under a temporary name first; or a file.
        pickle_module: of no effect.
        pickle_protocol: of no effect.

    Raises:
        pickle.PicklingError, AttributeError: for objects that cannot be pickled.

    Examples:
        >>> import io
        >>> from msjax import torch
        >>> file = io.BytesIO()
        >>> torch.save({"w": torch.ones(2)}, file)
        >>> torch.load(file)
        {'w': tensor([1., 1.])}
    """
    content = io.BytesIO()
    pickler = Pickler(content)
    pickler.dump(obj)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("archive/data.pkl", content.getvalue())
        archive.writestr("archive/byteorder", "little")
        for i, storage in enumerate(pickler.storages):
            archive.writestr(f"archive/data/{i}", storage.tobytes())
        archive.writestr("archive/version", "3\n")
    if hasattr(f, "write"):
        f.write(whole.getvalue())
        return
    place = Path(f)
    handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=place.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(whole.getvalue())
        Path(temporary).replace(place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


class _Storage:
    def __init__(self, name: str) -> None:
        self.kind = jnp.dtype("uint8" if name == _UNTYPED else _STORAGES[name.removesuffix("Storage")])


def _rebuild(
    storage: np.ndarray, offset: int, size: tuple, stride: tuple, requires_grad: bool, hooks: Any, *more: Any
) -> Tensor:
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if offset < 0 or min(stride, default=0) < 0 or (0 not in size and last >= storage.size):
        raise pickle.UnpicklingError("`torch.load`: a tensor of the file reaches beyond its storage.")
    steps = tuple(s * storage.itemsize for s in stride)
    view = np.ndarray(size, storage.dtype, storage.view(np.uint8), offset * storage.itemsize, steps)
    made = as_torch(wrap(jnp.array(view)))
    return made.requires_grad_() if requires_grad else made


def _rebuild_of_bytes(
    storage: np.ndarray,
    offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    hooks: Any,
    dtype: Any,
    *more: Any,
) -> Tensor:
    """Rebuild a tensor whose storage has no dtype."""
    typed = storage.view(dtypes.as_np(dtype))
    return _rebuild(typed, offset, size, stride, requires_grad, hooks)


def _parameter(data: Tensor, requires_grad: bool, hooks: Any) -> Parameter:
    return Parameter(data, requires_grad)


_KNOWN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild,
    ("torch._utils", "_rebuild_tensor_v3"): _rebuild_of_bytes,
    ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch.storage", _UNTYPED): _Storage(_UNTYPED),
    ("collections", "Counter"): Counter,
    ("_codecs", "encode"): codecs.encode,
    **{
        (module, kind.__name__): kind
        for module in ("__builtin__", "builtins")
        for kind in (set, bytearray, complex)
    },
    ("torch", "Size"): Size,
    ("torch", "device"): device,
}


_SAFE: dict[tuple[str, str], Any] = {}


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let :func:`load` call these classes and functions, or (object, "module.name") pairs, with `weights_only=True` too."""
    for each in safe_globals:
        found, path = each if isinstance(each, tuple) else (each, f"{each.__module__}.{each.__qualname__}")
        module, _, name = path.rpartition(".")
        _SAFE[module, name] = found


def clear_safe_globals() -> None:
    """Undo :func:`add_safe_globals`."""
    _SAFE.clear()


def get_safe_globals() -> list[Any]:
    """Return what :func:`load` may call."""
    return list(_SAFE.values())


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """Return a context of :func:`add_safe_globals`."""
    before = dict(_SAFE)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _SAFE.clear()
        _SAFE.update(before)


class _Unpickler(pickle.Unpickler):
    def __init__(self, archive: zipfile.ZipFile, folder: str, weights_only: bool) -> None:
        super().__init__(io.BytesIO(archive.read(f"{folder}data.pkl")), encoding="utf-8")
        self.archive, self.folder, self.weights_only = archive, folder, weights_only
        self.read_already: dict[str, np.ndarray] = {}

    def find_class(self, module: str, name: str) -> Any:
        """Resolve a name of the file: only tensors and plain containers, nothing else may be called."""
        if (module, name) in _KNOWN:
            return _KNOWN[module, name]
        if module == "torch" and name.removesuffix("Storage") in _STORAGES:
            return _Storage(name)
        if module == "torch" and name in STORED:
            return STORED[name]
        if (module, name) in _SAFE:
            return _SAFE[module, name]
        if not self.weights_only:
            if torch_api.has_module(module):
                return getattr(torch_api.module_named(module), name)
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"Weights only load failed: the file calls {module}.{name}, and only tensors in plain containers are read. "
            "Give weights_only=False if you trust the file, which then runs code, or see torch.serialization.safe_globals."
        )

    def persistent_load(self, pid: Any) -> Any:
        """Return the bytes of a storage."""
        _, storage, key, _, _ = pid
        if key not in self.read_already:
            content = self.archive.read(f"{self.folder}data/{key}")
            self.read_already[key] = np.frombuffer(content, storage.kind)
        return self.read_already[key]


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
    mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Read what :func:`save`, or PyTorch's, wrote.

    Args:
        f: a path or a file.
        map_location: of no effect: where arrays live is JAX's business.
        pickle_module: of no effect.
        weights_only: whether only tensors in plain containers are read, and what :func:`add_safe_globals` allows, so that
            no code of the file runs; True if it is None.
        mmap: of no effect.
        **pickle_load_args: of no effect.

    Returns:
        The object.

    Raises:
        pickle.UnpicklingError: if the file holds other objects, or is no such file.
    """
    if hasattr(f, "read"):
        f.seek(0)
    try:
        with zipfile.ZipFile(f) as archive:
            folder = next(name for name in archive.namelist() if name.endswith("data.pkl")).removesuffix(
                "data.pkl"
            )
            return _Unpickler(archive, folder, weights_only is not False).load()
    except (zipfile.BadZipFile, StopIteration) as error:
        raise pickle.UnpicklingError(
            "`torch.load`: the file is not a zip file of PyTorch's (version 1.6 or later)."
        ) from error
