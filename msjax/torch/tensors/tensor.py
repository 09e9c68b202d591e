"""PyTorch's Tensor class: the engine's Tensor with PyTorch's methods and printing."""

import copy
import math
import operator
import os
import re
import traceback
from collections.abc import Callable, Iterable
from typing import Any, Self

import jax
import jax.core
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.autodiff.hooks import Handle, register
from msjax.core.state import NO_GRAD, state
from msjax.core.tape import nodes
from msjax.core.tensor import tensor as core
from msjax.core.tensor.tensor import mark_leaf, node_of, resolve
from msjax.core.xla import shapes_only
from msjax.public_api.class_names import own_module
from msjax.torch.tensors import dtypes as kinds
from msjax.torch.tensors import grad_fn
from msjax.torch.tensors.grad_fn import GradNode, describe_node, name_node
from msjax.torch.tensors.printing import add_notes, format_values
from msjax.torch.tensors.torch_function import DisableTorchFunctionSubclass, TensorKind, convert

DEFAULT: dict[str, Any] = {"dtype": kinds.of(dtypes.float32)}  # of floating numbers, where no dtype is said

_DIALECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_PACKAGE = f"{__name__.partition('.')[0]}."
SPARSE: dict[str, Callable] = {}  # functions of sparse tensors, by the names of those of dense ones


class SparseOperand(NotImplementedError):  # noqa: N818 - what was given
    """A sparse tensor was given to a function of dense ones."""


def _as_size(size: Any, place: int) -> int:
    """Return a size as Python's number."""
    try:
        return operator.index(size)
    except TypeError:
        kind = type(size).__name__
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{kind}')") from None


class Size(tuple[int, ...]):
    """A shape, as are its slices, sums and multiples.

    Examples:
        >>> from msjax import torch
        >>> (1,) + torch.ones(2, 3).shape[1:]
        torch.Size([1, 3])
    """

    def __new__(cls, iterable: Iterable[Any] = ()) -> Self:
        """Return a shape of sizes, which may be numbers in tensors."""
        found = tuple.__new__(cls, iterable)
        if all(type(size) is int for size in found):
            return found
        return tuple.__new__(cls, [_as_size(size, place) for place, size in enumerate(found)])

    def __getitem__(self, place: Any) -> Any:
        found = tuple.__getitem__(self, place)
        return Size(found) if isinstance(place, slice) else found

    def __add__(self, other: Any) -> "Size":  # type: ignore[override]
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> "Size":
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple.__add__(other, tuple(self)))

    def __mul__(self, times: Any) -> "Size":  # type: ignore[override]
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    __str__ = __repr__

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        return int(np.prod(self))


class Tensor(core.Tensor, metaclass=TensorKind):
    """An n-dimensional array that records what is computed from it if it requires grad.

    Args:
        data: as for :func:`msjax.torch.tensors.tensor`, always of dtype float32; or sizes, for a tensor of zeros.

    Examples:
        >>> from msjax import torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> print((x * x).sum())
        tensor(5., grad_fn=<SumBackward0>)
    """

    __slots__ = ()

    _takes_numpy = True
    _counts = True

    def __init__(self, *data: Any, **others: Any) -> None:
        if type(self).__new__ is not Tensor.__new__:  # a subclass makes its tensors in its own way
            if hasattr(self, "_raw"):
                return
            data = data[:1]
        elif others:
            raise TypeError(f"Tensor() got an unexpected keyword argument {next(iter(others))!r}")
        if all(type(size) is int for size in data):
            data = (np.zeros(data or 0, np.float32),)
        elif isinstance(data[0], Size):
            data = (np.zeros(data[0], np.float32),)
        super().__init__(*data, dtype=dtypes.float32)

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return kinds.of(super().dtype)

    @property
    def shape(self) -> "Size":  # type: ignore[override]
        """Sizes of the dimensions."""
        return Size(super().shape)

    def size(self, dim: int | None = None) -> Any:  # type: ignore[override]
        """Return the shape, or one size."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def grad(self) -> Any:
        """Gradient accumulated by `backward`, or None."""
        return as_torch(core.Tensor.grad.fget(self))  # type: ignore[attr-defined]

    @grad.setter
    def grad(self, value: Any) -> None:
        if isinstance(value, core.Tensor) and value.dtype != self.dtype:
            raise RuntimeError(
                f"assigned grad has dtype {value.dtype}, but the tensor has dtype {self.dtype}"
            )
        core.Tensor.grad.fset(self, value)  # type: ignore[attr-defined]

    @property
    def data(self) -> Any:
        """The same values off the tape, sharing memory."""
        return as_torch(core.Tensor.data.fget(self))  # type: ignore[attr-defined]

    @data.setter
    def data(self, value: Any) -> None:
        self.set_data(value)

    @property
    def requires_grad(self) -> bool:
        """True if operations on this tensor are recorded."""
        return core.Tensor.requires_grad.fget(self)  # type: ignore[attr-defined]

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        core.Tensor.requires_grad.fset(self, flag)  # type: ignore[attr-defined]

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Return a NumPy copy of the values.

        Args:
            force: whether it is detached before.

        Raises:
            RuntimeError: if the tensor requires grad and operations are recorded.
        """
        if self.requires_grad and not force and state.mode != NO_GRAD:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        if is_meta(self):
            raise TypeError("can't convert meta device type tensor to numpy: it has no elements.")
        return self.asnumpy()

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
        """Call a function that was given tensors of a subclass; the tensors that it returns are of the subclass.

        Args:
            func: the function or method.
            types: the classes among the arguments that handle functions.
            args: the arguments.
            kwargs: those by name.

        Returns:
            The result, or NotImplemented if another class is among them that this one does not know.
        """
        if not all(issubclass(cls, kind) for kind in types):
            return NotImplemented
        with DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
            return result if cls is Tensor else convert(result, cls, Tensor, args)

    def as_subclass(self, cls: type) -> Any:
        """Return the same tensor under a subclass, sharing memory and the tape.

        Raises:
            TypeError: if it is no subclass of Tensor.
        """
        if not issubclass(cls, Tensor):
            raise TypeError("cls must be a type that inherits from Tensor")
        with DisableTorchFunctionSubclass():
            made: Any = self[...] if self.ndim else self.view(())
        made.__class__ = cls
        return made

    @staticmethod
    def _make_subclass(kind: type, data: Any, require_grad: bool = False) -> Any:
        with DisableTorchFunctionSubclass():
            return data.detach().as_subclass(kind).requires_grad_(require_grad)

    @property
    def grad_fn(self) -> GradNode | None:  # type: ignore[override]
        """The recorded step that computed the tensor; None for a leaf."""
        node = node_of(resolve(self))
        return None if node is None or isinstance(node[0], nodes.Leaf) else describe_node(node[0])

    def is_contiguous(self, memory_format: Any = None) -> bool:  # type: ignore[override]
        """Return True if the elements lie in memory in their order."""
        return super().is_contiguous()

    def _steps(self) -> list[int]:
        lengths = [max(n, 1) for n in self._look().shape]  # PyTorch counts a length of 0 as 1
        return [math.prod(lengths[i + 1 :]) for i in range(len(lengths))]

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Record from here on what is computed from this tensor."""
        super().requires_grad_(requires_grad)
        return self

    def register_hook(self, hook: Callable) -> Any:
        """Call `hook(gradient)` when the gradient has been computed; what it returns replaces it."""
        if not self.requires_grad and state.frame is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")

        def checked(gradient: core.Tensor) -> Any:
            result = hook(as_torch(gradient))
            if result is not None and not isinstance(result, core.Tensor):
                raise TypeError(f"expected Variable, but hook returned {type(result).__name__!r}")
            if result is not None and result.shape != gradient.shape:
                raise RuntimeError("hook has changed the size of value")
            return result

        return core.Tensor.register_hook(self, checked)  # type: ignore[attr-defined]

    def register_post_accumulate_grad_hook(self, hook: Callable) -> Handle:
        """Call `hook(tensor)` after a gradient has been accumulated in `.grad`."""
        if not self.is_leaf or not self.requires_grad:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return register(vars(self).setdefault("_after_hooks", {}), hook, "register_post_accumulate_grad_hook")

    def __iter__(self) -> Any:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter([self[i] for i in range(self.shape[0])])  # type: ignore[index]

    def __deepcopy__(self, memo: dict) -> "Tensor":
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user support the deepcopy protocol at the moment. If you were "
                "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage."
            )
        twin: Any = core.wrap(self.array)
        twin.__class__ = type(self)
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self._own_attributes(), memo))
        if self.requires_grad:
            mark_leaf(twin)
        if self.grad is not None:
            twin.grad = copy.deepcopy(self.grad, memo)
        return twin

    def __copy__(self) -> "Tensor":
        twin: Any = core.Tensor.detach(self)
        twin.__class__ = type(self)
        twin.__dict__.update(self._own_attributes())
        return twin.requires_grad_(self.requires_grad)

    def _own_attributes(self) -> dict[str, Any]:
        """Return the attributes that a program has stored in the tensor, without its hooks."""
        return {name: kept for name, kept in self.__dict__.items() if name not in ("_hooks", "_after_hooks")}

    def __repr__(self) -> str:
        return format_tensor(self)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        number = self.ndim == 0 and type(self) is Tensor
        if number and (spec or not isinstance(resolve(self)._value, jax.core.Tracer)):
            return format(self.item(), spec)
        return object.__format__(self, spec)


Tensor._dialect = Tensor


def as_torch(result: Any) -> Any:
    """Return the Tensors in a result as PyTorch's: the same boxes under another class."""
    if type(result) is core.Tensor:
        result.__class__ = Tensor
        return result
    if isinstance(result, tuple | list):
        for each in result:
            as_torch(each)
    elif isinstance(result, dict):
        for each in result.values():
            as_torch(each)
    return result


grad_fn.as_torch = as_torch


def is_meta(value: Any) -> bool:
    """Return True for a tensor of the device `meta`, which has no elements."""
    return isinstance(value, Tensor) and shapes_only.is_one(resolve(value)._value)


def call_operator(call: Callable, *args: Any, **named: Any) -> Any:
    """Call an operator; Tensors and errors are PyTorch's: RuntimeError for shapes and dtypes that do not fit."""
    try:
        return as_torch(call(*args, **named))
    except SparseOperand:
        if (sparse := SPARSE.get(getattr(call, "__name__", ""))) is None:
            raise
        return sparse(*args, **named)
    except (ValueError, TypeError) as error:
        text = str(error)
        unfit = type(error) is ValueError and "`reduction`" not in text
        lacks_kernel = type(error) is TypeError and _LACKS_KERNEL(text) is not None
        unfit = unfit or (type(error) is TypeError and "dtype" in text)
        if not (unfit or lacks_kernel) or _raised_by_dialect(error):
            raise
        raise (NotImplementedError if lacks_kernel else RuntimeError)(text) from error
    except AttributeError as error:
        if type(error.obj) not in _NUMBERS:
            raise
        raise TypeError(
            f"`{getattr(call, '__name__', 'call')}`: a Tensor must be given where a number is. Received: {error.obj!r}."
        ) from error


_NUMBERS = (bool, int, float, complex)
# Errors about one dtype, not about two that differ: PyTorch says that a kernel is not implemented for it.
_LACKS_KERNEL = re.compile(
    "must be of an? .*dtype|must not be complex|does not accept dtype|dtype=.* is not supported|complex-valued inputs"
).search


def _raised_by_dialect(error: Exception) -> bool:
    """Return True if `msjax.torch` itself raised an error, with PyTorch's type."""
    frames = list(traceback.walk_tb(error.__traceback__))
    return os.path.abspath(frames[-1][0].f_code.co_filename).startswith(_DIALECT)


def format_tensor(box: Tensor) -> str:
    """Return the text that PyTorch prints for a tensor."""
    value = resolve(box)._value
    if isinstance(value, jax.core.Tracer):
        return f"tensor(<traced>, size={tuple(value.shape)}, dtype={value.dtype})"
    is_meta_tensor, start = shapes_only.is_one(value), f"{_title(box)}("
    floating: Any = dtypes.as_np(DEFAULT["dtype"])
    usual = (floating, np.int64, np.result_type(floating, np.complex64), bool)
    if is_meta_tensor or not value.size:
        usual = (floating,)  # where no element shows what the dtype is
    notes = []
    if is_meta_tensor:
        notes.append("device='meta'")
    if is_meta_tensor or (not value.size and value.ndim != 1):
        notes.append(f"size={tuple(value.shape)}")
    if value.dtype not in usual:
        notes.append(f"dtype=torch.{value.dtype}")
    node = node_of(resolve(box)) if state.mode != NO_GRAD or box.requires_grad else None
    if node is not None:
        notes.append("requires_grad=True" if box.is_leaf else f"grad_fn=<{name_node(node[0])}>")
    shown = "..." if is_meta_tensor else format_values(np.asarray(value), len(start))
    return add_notes(start + shown, notes, len(start))


def _title(box: Tensor) -> str:
    """Return "tensor", or the name of the user's subclass."""
    place = own_module(type(box))
    return "tensor" if place == "torch" or place.startswith(_PACKAGE) else type(box).__name__
