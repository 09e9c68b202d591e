"""Tensor: an array that can be changed in place and differentiated, as a user sees it."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import jax
import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.state import DEFAULT, ENABLED, NO_GRAD, invalidate_guards, override_state, state
from msjax.core.tape import nodes, pullbacks
from msjax.core.tensor import construction, printing
from msjax.core.tensor.array_protocol import Readable, refusal
from msjax.core.tensor.box import (
    SAME,
    Box,
    BoxT,
    Case,
    Choice,
    Lens,
    View,
    concrete,
    fill,
    layout,
    leak_error,
    lies_in_order,
    look,
    mark_leaf,
    node_of,
    owns_leaf,
    resolve,
    retain,
    retains,
    set_value,
)
from msjax.core.tensor.signatures import Signatures
from msjax.core.tracebacks import find_caller_of_jax
from msjax.core.xla import integer_gradients

__all__ = [
    "Tensor",
    "View",
    "alias",
    "concrete",
    "in_dialect",
    "leak_error",
    "mark_leaf",
    "node_of",
    "replace",
    "resolve",
    "set_value",
    "stop_array_gradient",
    "store",
    "tensors_in",
    "wrap",
    "wrap_eager",
]

_new = object.__new__


class Tensor(Box, Readable, Signatures):
    """An n-dimensional array that can be changed in place and differentiated.

    Args:
        input_data: number, nested sequence of numbers, NumPy or JAX array, or Tensor. With a Tensor of the wanted
            dtype the result shares memory; everything else is copied.
        dtype: MindSpore dtype of the result. Default: that of the data; Python numbers give int64, float32, bool and
            complex128. In lists, NumPy's int32 and float64 are taken for Python's int and float.
        shape: without `input_data`: the shape of a tensor of zeros, or of what `init` makes. Needs `dtype`.
        init: an initializer (`msjax.common.initializer`). The values are there at once; `init_data` returns the
            tensor.
        const_arg: kept as an attribute; whether an argument is constant is decided by `mutable` and `jit`.
        device: "meta" for a tensor that only stands for a shape and a dtype (`is_meta`); its elements are zeros.
            Others are accepted for MindSpore's signature; arrays live on JAX's default device.
        requires_grad: record what is computed from this tensor, as PyTorch does.

    Raises:
        TypeError: if `input_data` is none of the above or ragged, `dtype` is no MindSpore dtype, or `const_arg` no
            bool.
        ValueError: if `shape` is given with `input_data`, or `init` without `shape` and `dtype`.
        RuntimeError: if an int does not fit into 64 bits, or `requires_grad` is asked for of integers.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1, 2], [3, 4]], ms.float32)
        >>> print(x * 2)
        [[2. 4.]
         [6. 8.]]
    """

    __slots__ = ()

    _grad: "Tensor | None"

    # The class of what is computed from this one; in PyTorch's dialect that is another.
    _dialect: "type[Tensor]"

    const_arg: bool = False
    init: Any = None
    _counts: bool = False  # whether a Tensor of one integer is, as an index, what an int is
    _takes_numpy: bool = False  # whether operators take NumPy's arrays beside it, as PyTorch's do

    # Set by `autodiff.imperative` and `hooks`, which import this module: imports point one way.
    backward: Callable[..., None]
    register_hook: Callable[..., Any]

    def __init__(
        self,
        input_data: object = None,
        dtype: object = None,
        shape: object = None,
        init: object = None,
        const_arg: bool = False,
        device: object = None,
        *,
        requires_grad: bool = False,
    ) -> None:
        if const_arg is not False or device is not None:
            construction.check_options(const_arg, device)
        # MindSpore shares memory between a Tensor and one made of it (test_views.test_a_tensor_of_a_tensor_shares_memory);
        # NumPy's arrays are copied, because the user may change them later.
        if isinstance(input_data, Tensor) and shape is None and init is None:
            _share(self, input_data, dtype)
        else:
            ranked = input_data is not None or shape is not None or init is not None or dtype is None
            shape = shape if ranked else (-1,)
            fill(self, construction.array_of(input_data, dtype, shape, init), state.frame)
            if shape is not None and construction.is_open(shape) and type(self) is Tensor:
                # A class of its own: `shape` of all other Tensors stays without a check.
                self.__class__ = OpenTensor
                self._sizes = construction.open_sizes(shape) if ranked else (-2,)
        if device == "meta":
            fill(self, jax.numpy.zeros_like(self._value), state.frame)
            self._meta = True
        if const_arg:
            self.const_arg = True
        if init is not None:
            self.init = init
        if requires_grad:
            self.requires_grad = True

    @staticmethod
    def from_array(value: jax.Array) -> "Tensor":
        """Box a JAX array as it is."""
        return wrap(value)

    @staticmethod
    def from_numpy(array: np.ndarray) -> "Tensor":
        """Make a Tensor with a copy of a NumPy array.

        Raises:
            TypeError: if it is no NumPy array.

        Examples:
            >>> import msjax as ms
            >>> import numpy as np
            >>> print(ms.Tensor.from_numpy(np.array([1.5, 2.0])).dtype)
            Float64
        """
        if not isinstance(array, np.ndarray):
            raise refusal("from_numpy", "array", "be a NumPy array", array)
        return wrap(construction.array_of(array.astype(array.dtype.newbyteorder("="))))

    @staticmethod
    def from_dlpack(dlpack: object) -> "Tensor":
        """Make a Tensor over an array of any library that supports DLPack.

        Examples:
            >>> import msjax as ms
            >>> import numpy as np
            >>> print(ms.Tensor.from_dlpack(np.array([1.5, 2.0])))
            [1.5 2. ]
        """
        return wrap(jax.numpy.from_dlpack(dlpack))

    # ------------------------------------------------------------------ what it is

    def _look(self) -> jax.Array:
        return look(self)

    def _known_array(self, what: str) -> jax.Array:
        return concrete(self, what)

    def _lies_in_order(self) -> bool:
        return lies_in_order(self)

    def _layout(self) -> tuple[list[int], int] | None:
        return layout(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return look(self).shape

    @property
    def dtype(self) -> dtypes.DType:
        """MindSpore's dtype of the elements."""
        return dtypes.of(look(self).dtype)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return look(self).ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return look(self).size

    @property
    def has_init(self) -> bool:
        """True if an initializer made the values."""
        return self.init is not None

    def value(self) -> "Tensor":
        """Return the Tensor itself."""
        return self

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        self._is_shown()
        if self.init is not None and type(self) is Tensor and not self.__dict__.get("_initialized"):
            return printing.uninitialized_repr(self.shape, look(self).dtype)
        return super().__str__()

    def __repr__(self) -> str:
        self._is_shown()
        return super().__repr__()

    def __format__(self, spec: str) -> str:
        self._is_shown()
        return super().__format__(spec)

    def _is_shown(self) -> None:
        """Have a function that shows a Tensor converted, so that it is shown when the program runs."""
        frame = state.frame
        if frame is not None and not frame.free and not state.converting:
            concrete(self, "print")

    def __jax_array__(self) -> jax.Array:
        if state.scope is not None and state.frame is None and state.mode != NO_GRAD:
            self._warn_of_lost_gradient()
        return self.array

    def _warn_of_lost_gradient(self) -> None:
        level = find_caller_of_jax(__file__) if node_of(resolve(self)) is not None else None
        if level is not None:
            warnings.warn(
                "A function of JAX was called with a Tensor while a function of Tensors is differentiated: no gradient goes "
                "through it. Make it an operator (docs/extend.md), or differentiate with jax.grad (`interop.as_jax`).",
                stacklevel=level,
            )

    # ------------------------------------------------------------------ copies

    def __reduce_ex__(self, protocol: object) -> tuple:
        # Hooks are functions of this process, and usually closures, which cannot be pickled.
        kept = {name: value for name, value in self.__dict__.items() if name != "_hooks"}
        return _rebuild, (type(self), np.asarray(concrete(self, "pickle")), self.requires_grad, kept)

    def __copy__(self) -> "Tensor":
        return wrap(stop_array_gradient(self.array))

    def __deepcopy__(self, memo: dict) -> "Tensor":
        box = resolve(self)
        twin = memo[id(self)] = wrap(stop_array_gradient(self.array))
        # The copy of a leaf is a leaf of its own, with a `.grad` of its own.
        if owns_leaf(box):
            kind: Any = type(box._node[0])  # type: ignore[index]
            mark_leaf(twin, kind)
            twin._grad = None if box._grad is None else wrap(box._grad.array)
        return twin

    def init_data(self, *args: object, **kwargs: object) -> "Tensor":
        """Return the Tensor itself, which an initializer has filled.

        Raises:
            TypeError: if it was made without `init`.
        """
        if self.init is None:
            raise TypeError("`init_data`: the tensor must have been made with `init`. Received: init=None.")
        self._initialized = True
        return self

    def to_tensor(self, *args: object, **kwargs: object) -> "Tensor":
        """Do the same as :meth:`init_data`, as MindSpore 1.0 to 1.10 called it."""
        return self.init_data(*args, **kwargs)

    # ------------------------------------------------------------------ ways in

    def set_data(self, data: "Tensor", slice_shape: bool = False) -> "Tensor":
        """Do the same as :meth:`assign_value`."""
        return self.assign_value(data)

    def assign_value(self, value: "Tensor") -> "Tensor":
        """Take over the values of another tensor, its shape and dtype, and its tape reference.

        A view passes the values on to its base, and must keep its shape.

        Raises:
            TypeError: if `value` is no Tensor.
            ValueError: if this is a view of another shape.

        Examples:
            >>> import msjax as ms
            >>> x = ms.Tensor([1, 2])
            >>> print(x.assign_value(ms.Tensor([1.5])))
            [1.5]
        """
        if not isinstance(value, Tensor):
            raise refusal("assign_value", "value", "be a Tensor", value)
        new, here = resolve(value), resolve(self)
        if here._view is not None and not here._view.detached and new._value.shape != here._value.shape:
            raise ValueError(
                f"`assign_value`: a view keeps its shape, {here._value.shape}. "
                f"Received: a Tensor of {new._value.shape}."
            )
        if owns_leaf(here):
            return set_value(self, value.array)
        new._owned = False
        return self._assign(new._value, node_of(new))

    def itemset(self, *args: object) -> "Tensor":
        """Return a copy of the tensor with one element changed.

        Args:
            args: an index (an int that counts the elements in order, or a tuple) and a number, or a number alone where
                the shape is (1,).

        Raises:
            ValueError: if there are no or more than two arguments.
            IndexError: if the index is out of range, or absent where it is needed.
            TypeError: if the value is no number.
        """
        if not 1 <= len(args) <= 2:
            raise ValueError(f"`itemset`: an index and a number are needed. Received: {len(args)} arguments.")
        if len(args) == 1 and self.shape != (1,):
            raise IndexError(
                f"`itemset`: without an index, the shape must be (1,). Received: shape={self.shape}."
            )
        *index, number = args
        if not isinstance(number, Tensor | bool | int | float | complex | np.generic):
            raise refusal("itemset", "number", "be a number", number)
        values = self.asnumpy()
        place: Any = index[0] if index else 0
        if not isinstance(place, tuple):
            if not -values.size <= place < values.size:
                raise IndexError(
                    f"`itemset`: the index must be in [{-values.size}, {values.size}). Received: {place}."
                )
            place %= values.size
            place = np.unravel_index(place, values.shape)
        values[place] = construction.constant(np.asarray(number), values.dtype)
        return wrap(construction.constant(values))

    def set_dtype(self, dtype: dtypes.DType) -> dtypes.DType:
        """Convert the values in place.

        Returns:
            `dtype`.
        """
        here = resolve(self)
        value, node = nodes.cast(_variable(here), dtypes.as_np(dtype))
        self._assign(value, None if owns_leaf(here) else node)
        return dtype

    @property
    def data(self) -> "Tensor":
        """Detached alias: this tensor's values, off the tape and sharing changes with it."""
        return alias(self, None, detached=True)

    @data.setter
    def data(self, value: "Tensor") -> None:
        if not isinstance(value, Tensor):
            raise refusal("data", "value", "be a Tensor", value)
        set_value(self, value.array)

    # ------------------------------------------------------------------ the imperative side

    @property
    def requires_grad(self) -> bool:
        """True if what is computed from this tensor is recorded."""
        return node_of(resolve(self)) is not None

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self._mark(bool(flag))

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Set :attr:`requires_grad` and return the Tensor.

        Examples:
            >>> import msjax as ms
            >>> ms.Tensor([1.0]).requires_grad_().requires_grad
            True
        """
        self.requires_grad = requires_grad
        return self

    def _mark(self, flag: bool) -> None:
        box = resolve(self)
        node = node_of(box)
        # A computed tensor is recorded in any case; it cannot be switched off without losing the graph behind it.
        if node is not None and not isinstance(node[0], nodes.Leaf):
            if flag:
                return
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if flag and node is None:
            if not pullbacks.is_inexact(box._raw.dtype):
                raise RuntimeError(
                    "only Tensors of floating point and complex dtype can require gradients. "
                    f"Received: dtype={dtypes.of(box._raw.dtype)}."
                )
            mark_leaf(box)
        elif not flag:
            box._node = None
        invalidate_guards()

    @property
    def is_leaf(self) -> bool:
        """True if the tensor was made by the user and not by a recorded operator."""
        node = node_of(resolve(self))
        return node is None or isinstance(node[0], nodes.Leaf)

    @property
    def grad_fn(self) -> nodes.Node | None:
        """The recorded step that computed the tensor; None for a leaf."""
        node = node_of(resolve(self))
        return None if node is None or isinstance(node[0], nodes.Leaf) else node[0]

    @property
    def grad(self) -> "Tensor | None":
        """Gradient that `backward` accumulated, or None."""
        return resolve(self)._grad

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"assigned grad must be a Tensor or None. Received: {type(value).__name__}.")
        if value is not None and value.shape != self.shape:
            raise RuntimeError(
                f"assigned grad has shape {value.shape}, but the tensor has shape {self.shape}."
            )
        resolve(self)._grad = value

    def retain_grad(self) -> None:
        """Let `backward` accumulate into :attr:`grad` although this is no leaf.

        Raises:
            RuntimeError: if nothing is recorded of it.

        Examples:
            >>> import msjax as ms
            >>> x = ms.Tensor([3.0], requires_grad=True)
            >>> y = x * 2
            >>> y.retain_grad()
            >>> (y * y).backward()
            >>> print(y.grad)
            [12.]
        """
        box = resolve(self)
        node = node_of(box)
        if node is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if not isinstance(node[0], nodes.Leaf):
            retain(box, node)

    @property
    def retains_grad(self) -> bool:
        """True if :meth:`retain_grad` was called on the tensor."""
        box = resolve(self)
        return retains(box, node_of(box))

    def detach(self) -> "Tensor":
        """Return a Tensor off the tape that shares memory with this one: in-place changes of either show in both."""
        return alias(self, None, detached=True)


Tensor._dialect = Tensor

_STOP = nodes.Program(integer_gradients.stop_gradient, "stop_gradient")


class OpenTensor(Tensor):
    """A Tensor that only describes an argument: some of its sizes are open, -1 in its shape. It holds no element."""

    __slots__ = ()

    _sizes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions, -1 for the open ones."""
        return self._sizes

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self._sizes)}, dtype={self.dtype}, value=\n)"


def wrap(value: jax.Array, node: nodes.Ref | None = None) -> Tensor:
    """Make a new Tensor over an array, with a reference to the tape."""
    # `box.fill` line by line, here and in `wrap_eager`: a call of it takes a tenth of a microsecond of every operator.
    box = _new(Tensor)
    box._raw = value
    box._home = state.frame
    box._node = node
    box._view = None
    box._version = 0
    box._grad = None
    box._owned = False
    return box


def in_dialect(box: Any, dialect: type[Tensor]) -> Any:
    """Give a Tensor that was just made the class of the dialect that asked for it; return anything else as it is."""
    if dialect is not Tensor and type(box) is Tensor:
        box.__class__ = dialect
    return box


def is_tensor(x: object) -> TypeGuard["Tensor"]:
    """Return True if a leaf of a tree is a Tensor."""
    return isinstance(x, Tensor)


def tensors_in(tree: object) -> list[Tensor]:
    """List the Tensors in any nesting of tuples, lists and dicts."""
    return [leaf for leaf in jax.tree.leaves(tree, is_leaf=is_tensor) if isinstance(leaf, Tensor)]


def wrap_eager(value: jax.Array) -> Tensor:
    """Make a new Tensor where no frame is active, as after every eager operator: `wrap` with fewer steps."""
    box = _new(Tensor)
    box._raw = value
    box._home = box._node = box._view = box._grad = None
    box._version = 0
    box._owned = False
    return box


def store(box: Tensor, result: Tensor) -> Tensor:
    """Set the content of a tensor to the result of an operator, as every in-place operator does.

    Returns:
        `box`.

    Raises:
        RuntimeError: if the tensor is a leaf that requires grad, or a view of one, and recording is on.
    """
    new = resolve(result)
    new._owned = False
    return box._assign(new._value, node_of(new))


def replace(box: Tensor, result: Tensor) -> Tensor:
    """Set the content of a tensor to the result of an operator; the tensor keeps its tape reference.

    MindSpore's gradients do not see what is written to Parameters: they flow to the tensor, not to what was written.
    Under `enable_grad`, and for tensors with `requires_grad`, they do, as in PyTorch.

    Returns:
        `box`.

    Raises:
        RuntimeError: where `store` does.
    """
    if state.mode == ENABLED or owns_leaf(resolve(box)):
        return store(box, result)
    return set_value(box, result.array)


def _rebuild(cls: type, array: np.ndarray, requires_grad: bool, attributes: dict) -> Tensor:
    box = _new(cls)
    fill(box, construction.constant(array), state.frame)
    box.__dict__.update(attributes)
    if requires_grad and cls is Tensor:
        mark_leaf(box)
    return box


def _variable(resolved: Tensor) -> nodes.Var:
    """Return a resolved box as a variable, off the tape where nothing is recorded."""
    return resolved._raw, None if state.mode == NO_GRAD else node_of(resolved)


def stop_array_gradient(value: jax.Array) -> jax.Array:
    """Return an array that no gradient passes, not even JAX's, where that is tracing."""
    return value if state.frame is None else nodes.variables(*nodes.execute(_STOP, (value,), (None,)))[0][0]


def detach_in_place(box: BoxT) -> BoxT:
    """Take a Tensor off the tape; the views of it that there are stay on the tape.

    Returns:
        `box`.
    """
    here, frame = resolve(box), state.frame
    if frame is None or owns_leaf(here):
        here._node = None
    elif here._view is None and frame.original(here) is None:
        here._value, here._node = stop_array_gradient(here._value), None
    else:
        # A branch or a loop is one operation for what follows it: that it cuts the gradient is a write.
        with override_state(mode=DEFAULT):
            box._assign(stop_array_gradient(here._value))
    return box


class _Cut(Lens):
    """Lens of a detached alias: the same values, off the tape."""

    __slots__ = ()

    def read(self, base: nodes.Var) -> nodes.Var:
        """Read the values without a gradient."""
        return stop_array_gradient(base[0]), None


_CUT = _Cut()


def alias(box: Tensor, node: nodes.Ref | None, detached: bool = False) -> Tensor:
    """Make another Tensor over the same box, with a tape reference of its own until one of the two is written.

    A detached one stays off the tape then, too, and a write to it leaves the other's place as it is.
    """
    base = resolve(box)
    base._owned = False
    # `stop_array_gradient`: in a trace no gradient of JAX's may pass a detached alias either.
    twin = wrap(stop_array_gradient(base._raw) if detached else base._raw, node)
    twin._view = View(base, _CUT if detached else SAME, base._version, detached)
    return twin


def twin(box: Tensor) -> Tensor:
    """Make another box of this one's type, with its value and place on the tape, which shares no memory with it."""
    here = resolve(box)
    made = object.__new__(type(box))
    if type(box) is not Tensor:  # a Parameter's name and marks
        made.__dict__ = box.__dict__
    fill(made, here._value, state.frame)
    made._node = node_of(here)
    return made


def choice(shown: Tensor, selector: Tensor, cases: list[Case], stale: bool = False) -> Tensor:
    """Make a Tensor that is one of several, by the value of a selector.

    Args:
        shown: has its type, and the value that it has now.
        selector: says which one it is.
        cases: the several.
        stale: True if `shown` has another value; it is then read when it is needed.
    """
    made = twin(shown)
    made._view = Choice(selector, cases)
    if stale:
        made._view.seen = None
    return made


def view_again(shown: Tensor, base: Tensor, like: View, arrays: Sequence[jax.Array] = ()) -> Tensor:
    """Make a view of another base through the lens of `like`, with other arrays; `shown` has its shape and type.

    Its value is read when it is needed.
    """
    made = twin(shown)
    made._view = View(base, like.lens.with_arrays(arrays), -1, like.detached)
    made._view.unrecorded = like.unrecorded
    return made


def _share(twin: Tensor, box: Tensor, dtype: object) -> None:
    """Make a new box an alias of another one, or, for another dtype, a converted copy; both stay on the tape."""
    base = resolve(box)
    base._owned = False
    wanted = base._value.dtype if dtype is None else construction.resolve_dtype(dtype)
    value, node = nodes.cast(_variable(base), wanted)
    fill(twin, value, state.frame)
    twin._node = node
    if value is base._value:
        twin._view = View(base, SAME, base._version)


# For users of `jax.tree`: a Tensor is a node with its array as the leaf. msjax itself flattens with `is_leaf=is_tensor`.
jax.tree_util.register_pytree_node(
    Tensor, lambda box: ((box.__jax_array__(),), None), lambda _, children: wrap(children[0])
)


def tensor(
    input_data: object = None,
    dtype: object = None,
    shape: object = None,
    init: object = None,
    const_arg: bool = False,
    device: object = None,
) -> Tensor:
    """Make a new :class:`Tensor`; the arguments are the same.

    Examples:
        >>> import msjax as ms
        >>> print(ms.tensor([1.0, 2.0]))
        [1. 2.]
    """
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def from_numpy(array: np.ndarray) -> Tensor:
    """Make a Tensor with a copy of the values of a NumPy array; see :meth:`Tensor.from_numpy`."""
    return Tensor.from_numpy(array)
