"""Tensor creation (tensor, zeros, arange, from_numpy ...), devices, layouts, the default dtype."""

import builtins
import math
from collections.abc import Callable, Sequence
from numbers import Number
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax import ops
from msjax.core import dtype as dtypes
from msjax.core.state import state
from msjax.core.tensor.construction import array_of, constant
from msjax.core.tensor.tensor import wrap
from msjax.torch.tensors import dtypes as kinds
from msjax.torch.tensors.call_conventions import check_strided_layout, drawing_from, write_out
from msjax.torch.tensors.call_conventions import jagged as jagged
from msjax.torch.tensors.call_conventions import strided as strided
from msjax.torch.tensors.devices import check_device, empty_meta, to_meta, wants_meta
from msjax.torch.tensors.devices import device as device
from msjax.torch.tensors.devices import get_default_device as get_default_device
from msjax.torch.tensors.devices import set_default_device as set_default_device
from msjax.torch.tensors.refused_dtypes import refuse_overflow
from msjax.torch.tensors.tensor import DEFAULT, Tensor, as_torch, is_meta
from msjax.torch.tensors.torch_function import overridable


class MemoryFormat(str):
    """`torch.memory_format`: the order of the dimensions in memory, which is XLA's business; all are the same here."""

    __slots__ = ()
    __repr__ = str.__str__


contiguous_format = channels_last = preserve_format = MemoryFormat("torch.contiguous_format")


def read_destination(args: tuple, named: dict[str, Any]) -> tuple[Any, bool]:
    """Read the arguments of `to`: a device, a dtype or a tensor like which to be, and flags.

    Args:
        args: by position: device or tensor, dtype, `non_blocking`, `copy`; or dtype, `non_blocking`, `copy`.
        named: by name: `device`, `dtype`, `non_blocking`, `copy`, `memory_format`, of a Module `tensor`.

    Returns:
        The dtype, None if none was said, and whether to copy in any case.

    Raises:
        TypeError: for anything else.
        RuntimeError: for a device of no known name.
    """
    unknown = named.keys() - {"device", "dtype", "non_blocking", "copy", "memory_format", "tensor"}
    flags = [value for value in args if isinstance(value, bool)]
    if unknown or len(flags) > 2:
        raise TypeError(f"to() received an invalid combination of arguments: {[*args, *sorted(unknown)]}")
    wanted = None if named.get("dtype") is None else kinds.as_dtype("to", named["dtype"])
    for value in (*args, named.get("device"), named.get("tensor")):
        if isinstance(value, Tensor):
            wanted = value.dtype
        elif isinstance(value, str | int):
            check_device(value)
        elif value is not None:
            wanted = kinds.as_dtype("to", value)
    return wanted, named.get("copy", flags[1] if len(flags) == 2 else False)


def get_default_dtype() -> Any:
    """Return the default floating-point dtype (float32 until it is set)."""
    return DEFAULT["dtype"]


def set_default_dtype(d: Any) -> None:
    """Set what floating numbers become when no dtype is said.

    Raises:
        TypeError: if it is no floating dtype.
    """
    kind = getattr(d, "kind", d)
    if not getattr(kind, "is_floating_point", False):
        raise TypeError(f"only floating-point types are supported as the default type. Received: {d}.")
    DEFAULT["dtype"] = kind


set_default_tensor_type = set_default_dtype


def _raw(dtype: Any) -> Any:
    return dtypes.as_np(dtype or DEFAULT["dtype"])


def shape_of(size: tuple) -> tuple[int, ...]:
    """Return the shape given by sizes one by one, or as one sequence."""
    listed = size[0] if len(size) == 1 and isinstance(size[0], Sequence) else size
    return tuple(int(n) for n in listed)


def finish_creation(
    name: str, result: Any, *, out: Any = None, requires_grad: bool = False, layout: Any = None,
    device: Any = None, pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Return a new tensor, as the words that all functions share want it."""
    check_strided_layout(name, layout)
    check_device(device)
    made = as_torch(result)
    if out is not None:
        made = write_out(name, made, out)
    elif wants_meta(device) and not is_meta(made):
        made = to_meta(made)
    return made.requires_grad_() if requires_grad else made


# ---------------------------------------------------------------------- of data


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False, **where: Any) -> Tensor:
    """Return a new tensor with a copy of the data; Python floats have the default dtype, ints are int64."""
    if data is None or isinstance(data, dict | set):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    first = data
    while isinstance(first, list | tuple) and first:
        first = first[0]
    if dtype is None and first is not data and isinstance(first, np.generic | np.ndarray):
        dtype = kinds.of(dtypes.of(first.dtype))  # NumPy's numbers in a list have their own dtype
    if not isinstance(data, Tensor | list | tuple | np.ndarray | np.generic | str | jax.Array):
        if hasattr(data, "__array__"):
            data = np.asarray(data)
        elif isinstance(data, Sequence):
            data = list(data)  # a deque, a range, an array.array
    # The numbers are read in the dtype that is wanted: 0.1 as float64 is not 0.1 as float32 made longer.
    wanted = None if dtype is None else dtypes.of(dtypes.as_np(dtype))
    if wanted is not None:
        refuse_overflow(data, kinds.of(wanted), of_floats=False)
    if isinstance(data, Tensor) and is_meta(data):
        made = to_meta(data.detach())
        return made if wanted is None else made.to(dtype)  # type: ignore[attr-defined]
    try:
        array = data.array if isinstance(data, Tensor) else array_of(data, wanted)
    except (TypeError, ValueError):
        _refuse_data(data, 0, {})
        raise
    if dtype is None and not isinstance(data, np.ndarray | np.generic | Tensor):
        if array.dtype == np.complex128:
            dtype = dtypes.complex64 if DEFAULT["dtype"] != dtypes.float64 else None
        elif array.dtype == np.float32 and DEFAULT["dtype"] != dtypes.float32:
            array = array_of(data, DEFAULT["dtype"])
    made = wrap(array if dtype is None else array.astype(dtypes.as_np(dtype)))
    return finish_creation("tensor", made, requires_grad=requires_grad, **where)


def _refuse_data(data: Any, depth: int, lengths: dict[int, int]) -> None:
    """Raise PyTorch's error for data that cannot become a tensor; return if it can.

    Args:
        data: the data, or a part of it.
        depth: in how many sequences the part lies.
        lengths: for each depth, how long the first sequence there is.
    """
    if isinstance(data, str):
        if not depth:
            raise TypeError("new(): invalid data type 'str'")
        raise ValueError("too many dimensions 'str'")
    if isinstance(data, list | tuple):
        length = lengths.setdefault(depth, len(data))
        if len(data) != length:
            raise ValueError(f"expected sequence of length {length} at dim {depth} (got {len(data)})")
        for part in data:
            _refuse_data(part, depth + 1, lengths)
    elif depth in lengths:
        raise TypeError(f"not a sequence: {data!r}, beside sequences of length {lengths[depth]}")
    elif not isinstance(data, Number | Tensor | np.ndarray | np.generic):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the tensor itself, or a new one."""
    if isinstance(data, Tensor) and device is None:
        device = data.device  # type: ignore[attr-defined]
    same = isinstance(data, Tensor) and dtype in (None, data.dtype) and is_meta(data) is wants_meta(device)
    return data if same else tensor(data, dtype=dtype, device=device)


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor with a copy of the values."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return tensor(ndarray, device="cpu")


def from_file(
    filename: Any, shared: bool | None = None, size: int = 0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Return the elements at the beginning of a file, in one dimension. They are copied: later writes do not reach the file.

    Args:
        filename: of the file.
        shared: must not be True: tensors share no memory with files.
        size: the number of elements.
        dtype: of the elements; that of `set_default_dtype` if it is None.
        layout: `torch.strided`.
        device: a name.
        requires_grad: whether the tensor is a leaf whose gradient is asked for.
        pin_memory: without effect.

    Raises:
        NotImplementedError: for `shared=True`.
        RuntimeError: for a file that is not there, or too small.
    """
    if shared:
        raise NotImplementedError(
            "`from_file`: argument `shared` must be False in msjax.torch: tensors share no memory with files, as JAX's "
            "arrays do not change. Received: True."
        )
    kind = np.dtype(dtypes.as_np(get_default_dtype() if dtype is None else dtype))
    try:
        content = Path(filename).read_bytes()
    except OSError as error:
        raise RuntimeError(
            f"unable to open file <{filename}> in read-only mode: {error.strerror} ({error.errno})"
        ) from None
    if len(content) < size * kind.itemsize:
        raise RuntimeError(
            f"file <{filename}> size <{len(content)}> is smaller than the required mapping size <{size * kind.itemsize}>"
        )
    return tensor(np.frombuffer(content, kind, size), requires_grad=requires_grad)


def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Return a tensor with a copy of the numbers in a buffer."""
    read = np.frombuffer(buffer, dtypes.as_np(dtype), count, offset)
    return tensor(read, requires_grad=requires_grad, device="cpu")


class _Capsule:
    """A capsule of `to_dlpack`, as the object with a memory on the CPU that NumPy asks for one."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def from_dlpack(ext_tensor: Any) -> Tensor:
    """Make a tensor from another library's array, by DLPack."""
    if type(ext_tensor).__name__ == "PyCapsule":
        ext_tensor = _Capsule(ext_tensor)
    given = ext_tensor.detach() if isinstance(ext_tensor, Tensor) else np.from_dlpack(ext_tensor)
    return tensor(given, device="cpu")


def Variable(data: Any, requires_grad: bool = False) -> Tensor:  # noqa: N802
    """Return the tensor itself: the old name for tensors that record."""
    return (data if isinstance(data, Tensor) else tensor(data)).requires_grad_(requires_grad)


# ---------------------------------------------------------------------- of a shape


def _define_creation(make: Callable) -> Callable:
    def create(*size: Any, dtype: Any = None, generator: Any = None, **named: Any) -> Tensor:
        shape = shape_of((named.pop("size"),) if "size" in named else size)
        if min(shape, default=0) < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {[*shape]}")
        if wants_meta(named.get("device")) and named.get("out") is None:
            made: Any = empty_meta(shape, _raw(dtype))
        else:
            with drawing_from(generator):
                made = make(shape, _raw(dtype))
        return finish_creation(make.__name__, made, **named)

    create.__name__ = create.__qualname__ = make.__name__
    create.__doc__ = make.__doc__
    return create


@_define_creation
def zeros(shape: tuple, dtype: Any) -> Any:
    """Return zeros of a shape, given as numbers or as one sequence."""
    return wrap(jnp.zeros(shape, dtype))


@_define_creation
def ones(shape: tuple, dtype: Any) -> Any:
    """Return ones of a shape, given as numbers or as one sequence."""
    return wrap(jnp.ones(shape, dtype))


@_define_creation
def empty(shape: tuple, dtype: Any) -> Any:
    """Return a tensor of a shape; its values are zeros."""
    return wrap(jnp.zeros(shape, dtype))


def _draw_complex(draw: Callable, shape: tuple, dtype: Any, scale: float) -> Any:
    sizes = shape or (1,)  # without sizes these draw one number in one dimension
    if np.dtype(dtype).kind != "c":
        return ops.reshape(draw(*sizes, dtype=dtypes.of(dtype)), shape)
    part = dtypes.of(np.dtype(dtype).type(0).real.dtype)
    real, imaginary = (draw(*sizes, dtype=part).array.reshape(shape) for _ in range(2))
    return wrap((real + 1j * imaginary) * scale)


@_define_creation
def rand(shape: tuple, dtype: Any) -> Any:
    """Uniform random numbers in [0, 1); of a complex dtype, in both parts."""
    return _draw_complex(ops.rand, shape, dtype, 1.0)


@_define_creation
def randn(shape: tuple, dtype: Any) -> Any:
    """Normal random numbers; of a complex dtype, of variance 1 in all."""
    return _draw_complex(ops.randn, shape, dtype, math.sqrt(0.5))


def full(size: Sequence[int], fill_value: Any, *, dtype: Any = None, **where: Any) -> Tensor:
    """Return a tensor of one value."""
    value = tensor(fill_value, dtype=dtype, device="cpu").array
    if wants_meta(where.get("device")) and where.get("out") is None:
        return finish_creation("full", empty_meta(size, value.dtype), **where)
    return finish_creation("full", wrap(jnp.full(tuple(size), value)), **where)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, **where: Any) -> Tensor:
    """Numbers from `start` to before `end`."""
    ends = (0, start, step) if end is None else (start, end, step)
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in ends)
    if step == 0 or (end - start) * step < 0:
        raise RuntimeError(
            f"`arange`: argument `step` must lead from {start} to {end}. Received: step={step}."
        )
    whole = builtins.all(isinstance(v, int | np.integer) for v in (start, end, step))
    kind: Any = np.int64 if whole and dtype is None else _raw(dtype)
    # NumPy's, which is no program for each length; numbers with a point are start + i * step, in float64 first.
    if whole or np.dtype(kind).kind in "iu":
        numbers = np.arange(start, end, step, kind)
    else:
        count = math.ceil((end - start) / step)
        numbers = (start + np.arange(count) * np.float64(step)).astype(kind)
    made = jnp.asarray(numbers) if state.frame else constant(numbers)
    return finish_creation("arange", wrap(made), **where)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, **where: Any) -> Tensor:
    """Evenly spaced numbers, both ends included."""
    first, last = (v.array if isinstance(v, Tensor) else v for v in (start, end))
    return finish_creation(
        "linspace", wrap(jnp.linspace(first, last, int(steps), dtype=_raw(dtype))), **where
    )


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, **where: Any
) -> Tensor:
    """Powers of `base`, evenly spaced exponents."""
    first, last = (v.array if isinstance(v, Tensor) else v for v in (start, end))
    made = jnp.logspace(first, last, int(steps), base=base, dtype=_raw(dtype))
    return finish_creation("logspace", wrap(made), **where)


def eye(n: int, m: int | None = None, *, dtype: Any = None, **where: Any) -> Tensor:
    """Ones on the diagonal."""
    return finish_creation("eye", wrap(jnp.eye(n, m, dtype=_raw(dtype))), **where)


def empty_strided(size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, **where: Any) -> Tensor:
    """Return a tensor of a shape, of zeros; how it is laid out is XLA's business."""
    return empty(size, dtype=dtype, **where)


def empty_permuted(size: Sequence[int], physical_layout: Any, *, dtype: Any = None, **where: Any) -> Tensor:
    """Return a tensor of a shape, of zeros; how it is laid out is XLA's business."""
    return empty(size, dtype=dtype, **where)


def _like(make: Callable) -> Callable:
    def like(input: Any, *, dtype: Any = None, device: Any = None, **where: Any) -> Tensor:
        return make(tuple(input.shape), dtype=dtype or input.dtype, device=device or input.device, **where)

    like.__name__ = like.__qualname__ = f"{make.__name__}_like"
    like.__doc__ = f"{make.__doc__} The shape and dtype are those of `input`."
    return like


zeros_like, ones_like, rand_like, randn_like, empty_like = (
    overridable(_like(make), Tensor) for make in (zeros, ones, rand, randn, empty)
)


def _full_like(input: Any, fill_value: Any, *, dtype: Any = None, **where: Any) -> Tensor:
    """One value, in the shape and dtype of `input`."""
    where["device"] = where.get("device") or input.device
    refuse_overflow(fill_value, kinds.of(dtypes.of(dtypes.as_np(dtype or input.dtype))))
    return full(tuple(input.shape), fill_value, dtype=dtype or input.dtype, **where)


full_like = overridable(_full_like, Tensor)
full_like.__name__ = full_like.__qualname__ = "full_like"


def is_tensor(obj: Any) -> bool:
    """Return True if an object is a tensor."""
    return isinstance(obj, Tensor)


NAMES = [
    name
    for name, value in list(globals().items())
    if callable(value)
    and getattr(value, "__module__", "") == __name__
    and not name.startswith("_")
    and name not in ("shape_of", "finish_creation", "read_destination")
]
NAMES += ["device", "get_default_device", "set_default_device"]
