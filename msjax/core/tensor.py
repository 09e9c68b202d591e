"""Tensor: a mutable box over one immutable array, or over a view of another box."""

import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core import printing, tape
from msjax.core.state import ENABLED, flags_changed, state

_new = object.__new__


class View:
    """How a box that is a view reads its base, and how what is written to it reaches the base."""

    __slots__ = ("base", "read", "seen", "write")

    def __init__(
        self,
        base: "Tensor",
        read: Callable[[tape.Var], tape.Var],
        write: Callable[[tape.Var, tape.Var], tape.Var],
        seen: int | None = -1,
    ) -> None:
        self.base = base
        self.read = read
        self.write = write
        # Version of the base that the box's own value was read from. None: an argument of a traced function, whose
        # own value holds until the base is written in the trace.
        self.seen = seen


class Tensor:
    """An n-dimensional array that can be changed in place and differentiated.

    Args:
        input_data: number, nested sequence of numbers, NumPy or JAX array, or Tensor.
        dtype: MindSpore dtype of the result. Default: that of the data; Python numbers give int64, float32 and bool.
        shape: used with `init` alone: the shape of the tensor to initialise.
        init: an initializer (`msjax.common.initializer`) that fills `shape`.
        const_arg: accepted for MindSpore's signature; whether an argument is constant is decided by `mutable` and `jit`.
        device: accepted for MindSpore's signature; arrays live on JAX's default device.
        requires_grad: record what is computed from this tensor, as PyTorch does.

    Raises:
        TypeError: if `input_data` is none of the above.
        ValueError: if sequences are ragged, or `shape` contradicts the data.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 2], [3, 4]], ms.float32)
        >>> print(x * 2)
        [[2. 4.]
         [6. 8.]]
    """

    __slots__ = ("__dict__", "__weakref__", "_grad", "_home", "_node", "_owned", "_value", "_version", "_view")

    __array_priority__ = 1000

    _value: jax.Array
    _home: Any  # the frame in which the box was made; None in eager code
    _node: tape.Ref | None
    _view: View | None
    _version: int
    _grad: "Tensor | None"
    _owned: bool  # no one but this box holds the array, so that a compiled step may reuse its memory

    def __init__(
        self,
        input_data: Any = None,
        dtype: Any = None,
        shape: Any = None,
        init: Any = None,
        const_arg: bool = False,
        device: Any = None,
        *,
        requires_grad: bool = False,
    ) -> None:
        _fill(self, from_data(input_data, dtype, shape, init), state.frame)
        if requires_grad:
            self.requires_grad = True

    @staticmethod
    def from_array(value: jax.Array) -> "Tensor":
        """Box a JAX array as it is."""
        return wrap(value)

    # ------------------------------------------------------------------ the box

    @property
    def array(self) -> jax.Array:
        """The array. Inside a trace this is JAX's tracer."""
        box = self if self._home is state.frame and self._view is None else resolve(self)
        box._owned = False
        return box._value

    def _assign(self, value: jax.Array, node: tape.Ref | None = None) -> "Tensor":
        """Make `value`, and its place on the tape, the content of this box (through to the base, if it is a view)."""
        box = self if self._home is state.frame else _here(self)
        view = box._view
        if view is not None:
            base = view.base
            old = resolve(base)
            base._assign(*view.write((old._value, node_of(old)), (value, node)))
            return self
        before = box._value
        if state.frame is None and isinstance(value, jax.core.Tracer) and not isinstance(before, jax.core.Tracer):
            raise RuntimeError(
                "A Tensor was written inside a function that JAX is transforming, which would leave a tracer in it. "
                "Use msjax.jit, msjax.vmap ..., or msjax.interop.functional_call to make the function pure."
            )
        if state.scope is not None and id(box) not in state.scope.log:
            state.scope.log[id(box)] = (box, (before, box._node))
        if node is None and isinstance(leaf := box._node and box._node[0], tape.Leaf) and leaf.owner is not None:
            node = box._node  # an assignment outside the tape leaves a leaf what it is
        if value.shape != before.shape or value.dtype != before.dtype:
            flags_changed()
        box._value = value
        box._node = node
        box._version += 1
        box._owned = False
        return self

    def value(self) -> "Tensor":
        """The Tensor itself."""
        return self

    # ------------------------------------------------------------------ what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return _peek(self).shape

    @property
    def dtype(self) -> dtypes.DType:
        """MindSpore's dtype of the elements."""
        return dtypes.of(_peek(self).dtype)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return _peek(self).ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return _peek(self).size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return _peek(self).dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each dimension, of a contiguous array of this shape."""
        steps, step = [], self.itemsize
        for length in reversed(self.shape):
            steps.append(step)
            step *= length
        return tuple(reversed(steps))

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("Not support len of a 0-D tensor")
        return self.shape[0]

    def __hash__(self) -> int:
        return id(self)

    # ------------------------------------------------------------------ ways out

    def asnumpy(self) -> np.ndarray:
        """A NumPy copy of the values, writable; writing into it does not change the Tensor."""
        return np.array(concrete(self, "asnumpy"))

    def numpy(self) -> np.ndarray:
        """The same as :meth:`asnumpy`."""
        return self.asnumpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(concrete(self, "numpy.asarray"), dtype)

    def __jax_array__(self) -> jax.Array:
        return self.array

    def __dlpack__(self, **kwargs: Any) -> Any:
        return concrete(self, "__dlpack__").__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return concrete(self, "__dlpack_device__").__dlpack_device__()

    def item(self, index: Any = None) -> Any:
        """The element at `index` (flat or a tuple), or the only one, as a Python number."""
        array = np.asarray(concrete(self, "item"))
        if index is None:
            if array.size != 1:
                raise ValueError(
                    f"`item`: only a tensor of one element converts to a number. Received: shape={self.shape}."
                )
            return array.item()
        return array.item(*index) if isinstance(index, tuple) else array.item(index)

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return np.asarray(concrete(self, "tolist")).tolist()

    def __bool__(self) -> bool:
        return bool(_single(self, "bool"))

    def __int__(self) -> int:
        return int(_single(self, "int"))

    def __float__(self) -> float:
        return float(_single(self, "float"))

    def __complex__(self) -> complex:
        return complex(_single(self, "complex"))

    def __index__(self) -> int:
        value = _single(self, "index")
        if not isinstance(value, int):
            raise TypeError(f"only integer tensors of a single element can be used as an index. Received: {self.dtype}.")
        return int(value)

    def __str__(self) -> str:
        value = _peek(self)
        return str(value) if isinstance(value, jax.core.Tracer) else printing.tensor_str(np.asarray(value))

    def __repr__(self) -> str:
        value = _peek(self)
        if isinstance(value, jax.core.Tracer):
            return f"Tensor(shape={list(value.shape)}, dtype={self.dtype}, value=<traced>)"
        return printing.tensor_repr(np.asarray(value))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), np.asarray(concrete(self, "pickle")), self.requires_grad, dict(self.__dict__))

    def __deepcopy__(self, memo: dict) -> "Tensor":
        copied = wrap(self.array)
        memo[id(self)] = copied
        return copied

    def __copy__(self) -> "Tensor":
        return wrap(self.array)

    # ------------------------------------------------------------------ ways in

    def set_data(self, data: "Tensor", slice_shape: bool = False) -> "Tensor":
        """Take over the values (and shape and dtype) of another tensor."""
        if not isinstance(data, Tensor):
            raise TypeError(f"`set_data`: argument `data` must be a Tensor. Received: {type(data).__name__}.")
        return self._assign(data.array)

    def assign_value(self, value: "Tensor") -> "Tensor":
        """The same as :meth:`set_data`."""
        return self.set_data(value)

    @property
    def data(self) -> "Tensor":
        """This tensor's values, off the tape and sharing changes with it."""
        return alias(self, None, detached=True)

    @data.setter
    def data(self, value: "Tensor") -> None:
        self.set_data(value)

    # ------------------------------------------------------------------ the imperative side's state

    @property
    def requires_grad(self) -> bool:
        """Whether what is computed from this tensor is recorded."""
        return node_of(resolve(self)) is not None

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self._mark(bool(flag))

    def _mark(self, flag: bool) -> None:
        box = resolve(self)
        node = node_of(box)
        if node is not None and not isinstance(node[0], tape.Leaf):
            if flag:
                return
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
                "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if flag and node is None:
            if not tape.inexact(box._value.dtype):
                raise RuntimeError(
                    "only Tensors of floating point and complex dtype can require gradients. "
                    f"Received: dtype={dtypes.of(box._value.dtype)}."
                )
            mark_leaf(box)
        elif not flag:
            box._node = None
        flags_changed()

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor was made by the user and not by a recorded operator."""
        node = node_of(resolve(self))
        return node is None or isinstance(node[0], tape.Leaf)

    @property
    def grad(self) -> "Tensor | None":
        """What `backward` accumulated, or None."""
        return resolve(self)._grad

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"assigned grad must be a Tensor or None. Received: {type(value).__name__}.")
        if value is not None and value.shape != self.shape:
            raise RuntimeError(f"assigned grad has shape {value.shape}, but the tensor has shape {self.shape}.")
        resolve(self)._grad = value


def _fill(box: Tensor, value: Any, home: Any) -> None:
    box._value = value
    box._home = home
    box._node = None
    box._view = None
    box._version = 0
    box._grad = None
    box._owned = False


def wrap(value: Any, node: tape.Ref | None = None) -> Tensor:
    """A new Tensor over an array, at a place on the tape."""
    box = _new(Tensor)
    box._value = value
    box._home = state.frame
    box._node = node
    box._view = None
    box._version = 0
    box._grad = None
    box._owned = False
    return box


def _rebuild(cls: type, array: np.ndarray, requires_grad: bool, attributes: dict) -> Tensor:
    box = _new(cls)
    _fill(box, jnp.asarray(array), state.frame)
    box.__dict__.update(attributes)
    if requires_grad and cls is Tensor:
        mark_leaf(box)
    return box


def _here(box: Tensor) -> Tensor:
    """The box that stands for `box` in the current frame."""
    frame = state.frame
    if box._home is frame:
        return box
    if frame is None:
        raise leaked(box)
    return frame.shadow(box)


def resolve(box: Tensor) -> Tensor:
    """The box that stands for `box` in the current frame, with an up-to-date value."""
    box = _here(box)
    view = box._view
    if view is not None:
        if view.seen is None and box._home.untouched(view.base):
            return box
        base = resolve(view.base)
        if base._version != view.seen:
            box._value, box._node = view.read((base._value, node_of(base)))
            box._version += 1
            view.seen = base._version
    return box


def leaked(box: Tensor) -> RuntimeError:
    """The error for a box that outlived the trace in which it was made."""
    return RuntimeError(
        f"A Tensor of shape {list(box._value.shape)} and dtype {dtypes.of(box._value.dtype)} was made inside a function "
        "that was being compiled or transformed and is used after that ended, where it has no value. Return it from the "
        "function, or write it into a Tensor or Parameter that existed before with `set_data` or `ops.assign`."
    )


def node_of(box: Tensor) -> tape.Ref | None:
    """Where a resolved box stands on the tape, for the current thread."""
    watch = state.watch
    if watch is not None:
        entry = watch.get(id(box))
        if entry is not None and entry[1] == box._version:
            return entry[0]
    node = box._node
    if node is None:
        return None
    if not node[0].alive():
        box._node = None
        return None
    if type(node[0]) is tape.TrainableLeaf and state.mode != ENABLED:
        return None
    return node


def mark_leaf(box: Tensor, kind: type[tape.Leaf] = tape.Leaf) -> tape.Ref:
    """Make a resolved box a leaf that accumulates into its own `.grad`."""
    ref = box._node = (kind(box._value, weakref.ref(box)), 0)
    return ref


def _passed(base: tape.Var) -> tape.Var:
    return base


def _cut(base: tape.Var) -> tape.Var:
    return base[0], None


def _replaced(base: tape.Var, new: tape.Var) -> tape.Var:
    return new


def alias(box: Tensor, node: tape.Ref | None, detached: bool = False) -> Tensor:
    """Another Tensor over the same box, with a place of its own on the tape until one of the two is written.

    A detached one stays off the tape then, too.
    """
    base = resolve(box)
    twin = wrap(base._value, node)
    twin._view = View(base, _cut if detached else _passed, _replaced, base._version)
    return twin


def _peek(box: Tensor) -> Any:
    """The array of a box, for looking at its shape and dtype."""
    return (box if box._home is state.frame and box._view is None else resolve(box))._value


def concrete(box: Tensor, what: str) -> jax.Array:
    """The array of a box outside any trace; raises where its value is not known."""
    value = _peek(box)
    if isinstance(value, jax.core.Tracer):
        raise RuntimeError(
            f"`{what}` needs the value of a Tensor of shape {list(value.shape)} and dtype {dtypes.of(value.dtype)}, which is "
            "not known while the function is being compiled or transformed. Return the Tensor and look at it outside, or "
            "choose between values with ops.where, ops.cond or ops.while_loop."
        )
    return value


def _single(box: Tensor, what: str) -> Any:
    array = concrete(box, what)
    if array.size != 1:
        raise ValueError(
            "The truth value of an array with several elements is ambiguous."
            if what == "bool"
            else f"only one element tensors can be converted to Python scalars. Received: shape={box.shape}."
        )
    return np.asarray(array).reshape(()).item()


def from_data(data: Any, dtype: Any = None, shape: Any = None, init: Any = None) -> jax.Array:
    """The array for what a user gives the constructor."""
    if init is not None:
        return _initialised(dtype, shape, init)
    wanted = None if dtype is None else dtypes.as_np(dtype)
    if isinstance(data, Tensor):
        value = data.array
        return value if wanted is None or value.dtype == wanted else jnp.asarray(value, wanted)
    if isinstance(data, jax.Array):
        return data if wanted is None else jnp.asarray(data, wanted)
    if isinstance(data, list | tuple) and _holds_tensors(data):
        data = _to_numpy(data)
    if isinstance(data, str) or not isinstance(data, np.ndarray | np.generic | bool | int | float | complex | list | tuple):
        raise TypeError(
            "For Tensor, the `input_data` must be a number, a list, a tuple, a numpy.ndarray or a Tensor. "
            f"Received: {type(data).__name__}."
        )
    array = np.asarray(data)
    if array.dtype == object or array.dtype.kind in "USV" and wanted is None and array.dtype.name not in dtypes.NAMES:
        raise TypeError(f"For Tensor, the elements of `input_data` must be numbers of one shape. Received: {data!r}.")
    if wanted is None:
        wanted = dtypes.canonical(array.dtype if isinstance(data, np.ndarray | np.generic) else _literal(array.dtype))
    if shape is not None and tuple(np.atleast_1d(shape)) != array.shape:
        raise ValueError(f"For Tensor, `shape` must agree with the data. Received: {shape}, data of {array.shape}.")
    return jnp.asarray(array.astype(wanted, copy=False))


def _literal(dtype: np.dtype) -> np.dtype:
    """The dtype of Python numbers: a float is a float32, a complex is a complex64."""
    return {"f": np.dtype(np.float32), "c": np.dtype(np.complex64)}.get(dtype.kind, dtype)


def _holds_tensors(data: Any) -> bool:
    return any(isinstance(d, Tensor) or (isinstance(d, list | tuple) and _holds_tensors(d)) for d in data)


def _to_numpy(data: Any) -> Any:
    return [d.asnumpy() if isinstance(d, Tensor) else _to_numpy(d) if isinstance(d, list | tuple) else d for d in data]


def _initialised(dtype: Any, shape: Any, init: Any) -> jax.Array:
    if shape is None:
        raise ValueError("For Tensor, `shape` is needed together with `init`. Received: shape=None.")
    made = init.make(shape, dtype) if hasattr(init, "make") else init
    return made.array


jax.tree_util.register_pytree_node(Tensor, lambda box: ((box.array,), None), lambda _, children: wrap(children[0]))
