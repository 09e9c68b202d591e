"""What operators save for the backward pass, handed to functions of the user: to disk, to another dtype, to a log."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from msjax.core import tape
from msjax.core.autograph import steered
from msjax.core.state import DEFAULT, NO_GRAD, state, swapped
from msjax.core.tensor import Tensor, resolve, wrap


class PackedNode(tape.OpNode):
    """The call of an operator whose residuals the user's function has."""

    __slots__ = ("packed", "unpack")

    packed: dict[tuple[str, int], tuple[Any, Any]]

    def pull(self, cotangents: list[tape.Var | None], create: bool) -> Any:
        """Ask for the residuals, and go on as usual."""
        if self.packed:
            with swapped(packing=None):
                given = {source: self._unpacked(*kept) for source, kept in self.packed.items()}
            self.residuals = [given[source] for source in self.pullback.sources]
            self.primals = [given.get(("in", i), primal) for i, primal in enumerate(self.primals)]
        try:
            return super().pull(cotangents, create)
        finally:
            if self.packed:
                self.residuals = None
                self.primals = _kinds(self.primals)

    def release(self) -> None:
        """Forget the residuals."""
        super().release()
        self.packed = {}

    def _unpacked(self, packed: Any, aval: Any) -> Any:
        box = steered(self.unpack)(packed)
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
    return [tape.kind(value.shape, value.dtype) for value in values]


def _packer(pack: Callable, unpack: Callable) -> Callable[[tape.OpNode], tape.OpNode]:
    """From a recorded call to one whose residuals are packed, each once, inputs first."""

    def packer(node: tape.OpNode) -> tape.OpNode:
        kept = dict(zip(node.pullback.sources, node.residuals or (), strict=True))
        if not kept:
            return node
        made = PackedNode(node.inputs, node.avals)
        for name in ("program", "mask", "pullback", "refs", "walked"):
            setattr(made, name, getattr(node, name))
        order = sorted(kept, key=lambda source: (("in", "out", "saved").index(source[0]), source[1]))
        with swapped(packing=None, mode=NO_GRAD if state.frame is None else DEFAULT):
            made.packed = {
                source: (steered(pack)(wrap(kept[source])), tape.kind(kept[source].shape, kept[source].dtype))
                for source in order
            }
        made.unpack = unpack
        made.residuals = None
        made.primals = _kinds(node.primals)
        return made

    return packer


class saved_tensors_hooks:  # noqa: N801 - MindSpore's name
    """Inside of it, what operators save for the backward pass goes through `pack_hook`, and back through `unpack_hook`.

    Which arrays an operator saves is its own business; they may differ from those of MindSpore's operators. Compiled
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

    def __enter__(self) -> None:
        if state.frame is not None:
            raise RuntimeError(
                "`saved_tensors_hooks`: inside of a function that is compiled or transformed, hooks must be given with the "
                "decorator register_saved_tensors_hooks."
            )
        self._swapped = swapped(packing=_packer(self.pack_hook, self.unpack_hook))
        self._swapped.__enter__()

    def __exit__(self, *error: object) -> None:
        self._swapped.__exit__(None, None, None)


def register_saved_tensors_hooks(
    pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
) -> Callable[[Callable], Callable]:
    """A decorator: while the function is being compiled, its operators save their arrays as in :class:`saved_tensors_hooks`.

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
        def hooked(*args: Any, **kwargs: Any) -> Any:
            if state.frame is None:
                return fn(*args, **kwargs)
            with swapped(packing=_packer(pack_hook, unpack_hook)):
                return fn(*args, **kwargs)

        return hooked

    return decorate
