"""`saved_tensors_hooks`: pass the residuals of operators through functions of the user (to disk, to another dtype ...)."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msjax.core.autograph.conversion import convert_callback
from msjax.core.op import scalar_promotion
from msjax.core.state import DEFAULT, NO_GRAD, override_state, state
from msjax.core.tape import nodes, pullbacks
from msjax.core.tensor.tensor import Tensor, resolve, wrap


class PackedNode(nodes.OpNode):
    """A recorded call whose residuals are held by the user's function."""

    __slots__ = ("packed",)

    packed: dict[tuple[str, int], "Packed"]

    def pull(self, cotangents: list[nodes.Var | None], create_graph: bool) -> Any:
        """Get the residuals from the user's function, and run the backward pass as usual."""
        held = self.residuals
        # Outside of the hooks themselves: operators that `unpack` runs must not be packed in turn.
        if self.packed:
            with override_state(packing=None):
                given = {source: kept() for source, kept in self.packed.items()}
            each = dict(zip(self.pullback.sources, held or (), strict=True)) | given
            self.residuals = [each[source] for source in self.pullback.sources]
            self.primals = [given.get(("in", i), primal) for i, primal in enumerate(self.primals)]
        try:
            return super().pull(cotangents, create_graph)
        finally:
            if self.packed:
                # Drop the unpacked arrays: another pass unpacks anew.
                self.residuals = held
                self.primals = _kinds(self.primals)

    def saved(self, source: tuple[str, int]) -> Any:
        """Get an input or output from the user's function, if that holds it."""
        with override_state(packing=None):
            return self.packed[source]() if source in self.packed else super().saved(source)

    def release(self) -> None:
        """Drop the residuals."""
        super().release()
        self.packed = {}


class Packed:
    """An array held by the user's function; calling it returns the array."""

    __slots__ = ("aval", "thing", "unpack")

    def __init__(self, pack: Callable, unpack: Callable, value: Any) -> None:
        with override_state(packing=None, mode=NO_GRAD if state.frame is None else DEFAULT):
            self.thing = convert_callback(pack)(wrap(value))
        self.aval = pullbacks.kind(value.shape, value.dtype)
        self.unpack = unpack

    def __call__(self) -> Any:
        """Unpack the array, and check its shape and dtype."""
        box, aval = convert_callback(self.unpack)(self.thing), self.aval
        if not isinstance(box, Tensor):
            raise RuntimeError(
                f"`saved_tensors_hooks`: argument `unpack_hook` must return a Tensor. Received: {type(box).__name__}."
            )
        value = resolve(box)._value
        if (value.shape, value.dtype) != (aval.shape, aval.dtype):
            raise ValueError(
                f"`saved_tensors_hooks`: argument `unpack_hook` must return what was packed, shape {aval.shape} and dtype "
                f"{aval.dtype}. Received: shape {value.shape}, dtype {value.dtype}."
            )
        return value


def _kinds(values: Sequence[Any]) -> list[Any]:
    return [pullbacks.kind(value.shape, value.dtype) for value in values]


class Packer:
    """Value of `state.packing` inside of :class:`saved_tensors_hooks`."""

    def __init__(self, pack: Callable, unpack: Callable) -> None:
        self.pack, self.unpack = pack, unpack

    def one(self, value: object) -> Packed:
        """Pack an array that a user's derivative saves."""
        return Packed(self.pack, self.unpack, value)

    def __call__(self, node: nodes.OpNode) -> nodes.OpNode:
        """Replace a recorded call by one with packed residuals: each once, inputs first, except Python's numbers."""
        # Arrays of Python's numbers are shared by all calls; the user did not make them and must not see them
        # (test_saved_tensors_hooks.test_numbers_are_not_packed).
        numbers = scalar_promotion.kept_ids()
        held = dict(zip(node.pullback.sources, node.residuals or (), strict=True))
        order = sorted(held, key=lambda source: (("in", "out", "saved").index(source[0]), source[1]))
        packed = {source: self.one(held[source]) for source in order if id(held[source]) not in numbers}
        if not packed:
            return node
        made = PackedNode(node.inputs, node.avals)
        for name in ("program", "mask", "pullback", "refs", "walked"):
            setattr(made, name, getattr(node, name))
        made.packed = packed
        made.residuals = [  # type: ignore[assignment]
            None if source in packed else held[source] for source in node.pullback.sources
        ]
        made.primals = _kinds(node.primals)
        return made


_refused: list[str] = []  # why hooks are forbidden here, the innermost last


@contextlib.contextmanager
def saved_tensors_hooks_disabled(error_msg: str, *, is_error_on_outer_hook: bool = True) -> Iterator[None]:
    """Context manager: inside, :class:`saved_tensors_hooks` raises RuntimeError with this message.

    Args:
        error_msg (str): the message.
        is_error_on_outer_hook (bool): True to raise if hooks are there already; otherwise they are left out.
    """
    if state.packing is not None and is_error_on_outer_hook:
        raise RuntimeError(error_msg)
    _refused.append(error_msg)
    try:
        with override_state(packing=None):
            yield
    finally:
        _refused.pop()


class saved_tensors_hooks:  # noqa: N801 - MindSpore's name
    """Context manager that passes what operators save for the backward pass through `pack_hook` and `unpack_hook`.

    It is up to an operator which arrays it saves; they may differ from those of MindSpore's operators. Compiled
    functions are one operator. Inside of a compiled function, use :func:`register_saved_tensors_hooks`.

    Args:
        pack_hook (Callable): takes a Tensor, returns anything.
        unpack_hook (Callable): takes that, returns a Tensor of the same shape and dtype.

    Raises:
        TypeError: if one cannot be called.
        RuntimeError: inside of a compiled function, or in the backward pass if `unpack_hook` returns no Tensor.
        ValueError: in the backward pass, if it returns one of another shape or dtype.

    Examples:
        >>> import msjax as ms
        >>> def f(x, y):
        ...     with ms.saved_tensors_hooks(lambda tensor: tensor.asnumpy(), lambda array: ms.Tensor(array) * 10):
        ...         return x * y
        >>> print(ms.grad(f)(ms.Tensor(2.0), ms.Tensor(3.0)))
        30.0
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
            if not callable(hook):
                raise TypeError(
                    f"`saved_tensors_hooks`: argument `{name}` must be callable. Received: {type(hook).__name__}."
                )
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook
        self.pre_disable_async = False

    def __enter__(self) -> None:
        if _refused:
            raise RuntimeError(_refused[-1])
        if state.frame is not None:
            raise RuntimeError(
                "`saved_tensors_hooks`: inside of a function that is compiled or transformed, hooks must be given with the "
                "decorator register_saved_tensors_hooks."
            )
        self.pre_disable_async = state.packing is not None
        self._override = override_state(packing=Packer(self.pack_hook, self.unpack_hook))
        self._override.__enter__()

    def __exit__(self, *error: object) -> None:
        self._override.__exit__(None, None, None)


def register_saved_tensors_hooks(
    pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
) -> Callable[[Callable], Callable]:
    """Return a decorator that applies :class:`saved_tensors_hooks` to a function's operators while it is compiled.

    Eagerly it changes nothing, as in MindSpore. It counts where the gradient is taken within the compiled function.

    Args:
        pack_hook (Callable): takes a Tensor, returns a Tensor or a nesting of them.
        unpack_hook (Callable): takes that, returns a Tensor of the same shape and dtype.

    Raises:
        TypeError: if one cannot be called.

    Examples:
        >>> import msjax as ms
        >>> @ms.register_saved_tensors_hooks(lambda x: x.astype(ms.float16), lambda x: x.astype(ms.float32))
        ... def f(x):
        ...     return x * x
        >>> print(ms.jit(ms.grad(f))(ms.Tensor(1.0001)), ms.grad(f)(ms.Tensor(1.0001)))
        2.0 2.0002
    """
    saved_tensors_hooks(pack_hook, unpack_hook)  # checks them

    def decorate(fn: Callable) -> Callable:
        @functools.wraps(fn)
        def hooked(*args: object, **kwargs: object) -> Any:
            if state.frame is None:
                return fn(*args, **kwargs)
            with override_state(packing=Packer(pack_hook, unpack_hook)):
                return fn(*args, **kwargs)

        return hooked

    return decorate
