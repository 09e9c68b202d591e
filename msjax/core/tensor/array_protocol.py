"""Read-only protocols of a tensor: sizes, NumPy arrays, numbers, sequences, text. Nothing here changes a tensor."""

import reprlib
from collections.abc import Iterator
from typing import Any, Self

import jax
import numpy as np
from jax.core import Tracer
from jax.typing import DTypeLike

from msjax.core import dtype as dtypes
from msjax.core.state import state
from msjax.core.tensor import printing

# What Python calls of the right operand, for the functions behind the operators of NumPy's arrays.
_REFLECTED = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__", "remainder": "__rmod__", "power": "__rpow__", "matmul": "__rmatmul__",
    "bitwise_and": "__rand__", "bitwise_or": "__ror__", "bitwise_xor": "__rxor__", "equal": "__eq__",
    "not_equal": "__ne__", "less": "__gt__", "less_equal": "__ge__", "greater": "__lt__", "greater_equal": "__le__",
}  # fmt: skip


class Readable:
    """Base class with everything that can be read off a tensor; a subclass implements `_look` and `_known`."""

    __slots__ = ()

    def _look(self) -> jax.Array:
        """Return the array, or its tracer in a trace, for its shape and dtype."""
        raise NotImplementedError

    def _known_array(self, what: str) -> jax.Array:
        """Return the array with its values; raise on behalf of `what` where they are not known."""
        raise NotImplementedError

    def _values(self, what: str) -> np.ndarray:
        return np.asarray(self._known_array(what))

    # ------------------------------------------------------------------ sizes

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._look().dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        array = self._look()
        return array.size * array.dtype.itemsize

    def _layout(self) -> tuple[list[int], int] | None:
        """Return strides and offset, in elements, of a view; None for an array of its own."""
        return None

    def _lies_in_order(self) -> bool:
        return True

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in bytes, of a contiguous array of this shape."""
        return tuple(step * self.itemsize for step in self._steps())

    def stride(self, dim: int | None = None) -> int | list[int]:
        """Return the strides in elements (a list), or that along `dim`.

        An array of its own is contiguous; a view has strides in its base's memory.
        """
        layout = self._layout()
        steps = self._steps() if layout is None else list(layout[0])
        return steps if dim is None else steps[dim]

    def _steps(self) -> list[int]:
        steps, step = [], 1
        for length in reversed(self._look().shape):
            steps.insert(0, step)
            step *= length
        return steps

    def storage_offset(self) -> int:
        """Return the offset of the first element in the base's memory; 0 for an array of its own."""
        layout = self._layout()
        return 0 if layout is None else layout[1]

    def is_contiguous(self) -> bool:
        """Return True if the elements are contiguous. In a compiled function it is always True: XLA decides there."""
        shape = self._look().shape
        strides: Any = self.stride()
        return all(n == 1 or a == b for n, a, b in zip(shape, strides, self._steps(), strict=True))

    def contiguous(self) -> Self:
        """Return the tensor itself if it is contiguous, otherwise a copy that shares nothing with it."""
        tensor: Any = self
        return tensor if self._lies_in_order() else tensor.copy()

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self._look().ndim

    def ndimension(self) -> int:
        """Return the number of dimensions."""
        return self._look().ndim

    def numel(self) -> int:
        """Return the number of elements."""
        return self._look().size

    def nelement(self) -> int:
        """Return the number of elements."""
        return self._look().size

    def element_size(self) -> int:
        """Return the bytes of one element."""
        return self.itemsize

    def is_floating_point(self) -> bool:
        """Return True if elements are real floating-point numbers."""
        return dtypes.of(self._look().dtype).is_floating_point

    def is_complex(self) -> bool:
        """Return True if elements are complex numbers."""
        return dtypes.of(self._look().dtype).is_complex

    def is_signed(self) -> bool:
        """Return True if elements may be negative."""
        return dtypes.of(self._look().dtype).is_signed

    @property
    def device(self) -> str:
        """Kind of device that holds the array: "CPU", "GPU" or "TPU"; "meta" for a tensor made so."""
        if self.__dict__.get("_meta"):
            return "meta"
        array = self._look()
        if isinstance(array, Tracer | np.ndarray):  # NumPy computes where the backend is the CPU
            return jax.default_backend().upper()
        return next(iter(array.devices())).platform.upper()

    # ------------------------------------------------------------------ to NumPy and others

    def asnumpy(self) -> np.ndarray:
        """Return a NumPy copy of the values, writable; writing into it does not change the tensor."""
        # A copy: JAX's arrays are read-only, and one that was donated to a step loses its memory.
        return np.array(self._known_array("asnumpy"))

    def numpy(self) -> np.ndarray:
        """Return the same as :meth:`asnumpy`."""
        return self.asnumpy()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Any:
        """NumPy's functions, and its arrays' operators beside a Tensor, compute NumPy's arrays of the values.

        `array * x` is a Tensor where it may have a gradient: in traces, in `grad` and on the tape, and of PyTorch's tensors.
        """
        beside = method == "__call__" and len(inputs) == 2 and inputs[1] is self and not kwargs
        watched = not state.plain or self._node is not None or self._takes_numpy  # type: ignore[attr-defined]
        if beside and watched and ufunc.__name__ in _REFLECTED:
            return getattr(self, _REFLECTED[ufunc.__name__])(inputs[0])
        arrays = [np.asarray(x) if isinstance(x, Readable) else x for x in inputs]
        return getattr(ufunc, method)(*arrays, **kwargs)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._known_array("numpy.asarray"), dtype)

    def __dlpack__(self, **kwargs: object) -> Any:
        return self.to_dlpack().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple:
        exporter: Any = self.to_dlpack()
        return exporter.__dlpack_device__()

    def to_dlpack(self) -> jax.Array:
        """Return an object that supports DLPack, for `from_dlpack` of any library."""
        self._known_array("to_dlpack")
        return self.array  # type: ignore[attr-defined]

    def get_bytes(self) -> bytes:
        """Return the elements as they lie in memory, in order."""
        return self._values("get_bytes").tobytes()

    def tolist(self) -> Any:
        """Return the values as nested lists of Python numbers."""
        return self._values("tolist").tolist()

    def item(self, *index: Any) -> Any:
        """Return the only element as a Python number.

        Args:
            index: an element of several, counted in order, or by a tuple or one int per dimension, as before
                MindSpore 2.3.

        Raises:
            ValueError: if there are several elements and no index.
            IndexError: if the index is out of range.
        """
        array = self._values("item")
        if not index:
            if array.size != 1:
                raise ValueError(
                    f"`item`: the tensor must have one element. Received: shape={array.shape}, which has {array.size}."
                )
            return array.item()
        return array.item(*index)

    # ------------------------------------------------------------------ numbers

    def _single(self, what: str) -> Any:
        array = self._values(what)
        if array.size != 1:
            raise ValueError(
                f"`{what}`: only a tensor of one element converts to a Python number; the value of several is "
                f"ambiguous. Received: shape={array.shape}, which has {array.size}."
            )
        return array.item()

    def __bool__(self) -> bool:
        return bool(self._single("bool"))

    def __int__(self) -> int:
        return int(self._single("int"))

    def __float__(self) -> float:
        return float(self._single("float"))

    def __complex__(self) -> complex:
        return complex(self._single("complex"))

    def __index__(self) -> int:
        value = self._single("index")
        if not isinstance(value, int):
            raise ValueError(
                "`index`: only an integer tensor of one element converts to an index. "
                f"Received: dtype={dtypes.of(self._look().dtype)}."
            )
        return int(value)

    # ------------------------------------------------------------------ sequences

    def __len__(self) -> int:
        shape = self._look().shape
        if not shape:
            raise TypeError("`len`: a 0-d tensor has no length. Received: shape=().")
        return shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self._look().shape:
            raise TypeError("iteration over a 0-d tensor")
        # Not a generator function: that would raise for a 0-d tensor only when its first element is taken.
        return (self[i] for i in range(len(self)))  # type: ignore[index]

    def __contains__(self, element: object) -> bool:
        if not isinstance(element, Readable | bool | int | float | complex | np.generic):
            return False
        return bool((self._values("in") == np.asarray(element)).any())

    # ------------------------------------------------------------------ text

    def __str__(self) -> str:
        value = self._look()
        unseen = isinstance(value, Tracer) or self.__dict__.get("_meta")
        return repr(self) if unseen else printing.tensor_str(np.asarray(value))

    def __repr__(self) -> str:
        value = self._look()
        if self.__dict__.get("_meta"):
            return printing.meta_repr(value.shape, value.dtype)
        if isinstance(value, Tracer):
            return f"Tensor(shape={list(value.shape)}, dtype={dtypes.of(value.dtype)}, value=<traced>)"
        return printing.tensor_repr(np.asarray(value))


def refusal(what: str, argument: str, rule: str, value: object) -> TypeError:
    """Return the error for an argument of the wrong type."""
    return TypeError(
        f"`{what}`: argument `{argument}` must {rule}. Received: {reprlib.repr(value)} ({type(value).__name__})."
    )
