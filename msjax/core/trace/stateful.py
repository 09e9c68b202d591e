"""Stateful objects, such as Cells and PyTorch modules: what compiled functions need to know of them.

A compiled program depends on the settings of the objects that it uses (train mode, hooks, numbers in attributes), and the
Tensors in them are inputs of it. `core` stands below the classes of such objects: it knows this base class alone.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor

CallableT = TypeVar("CallableT", bound=Callable)
_calling_users_code = "_msjax_calls_users_code"


# A plain class rather than a `typing.Protocol`: `isinstance` stays a look at the type, with no call of Python code, also
# in `fast_call`; and classes that derive from a Protocol, with all of the user's, would get `ABCMeta` for their metaclass.
class Stateful:
    """Base class of objects with Tensors and settings that compiled functions use: `nn.Cell`, `torch.nn.Module`.

    Attributes:
        _forward_name: name of the method that computes.
        _placement: how it is spread over many devices (`jit.placement`), or None.
        _one_per_lane: True for a list of such objects, each of which `vmap` calls for one lane.
    """

    __slots__ = ()

    _forward_name: ClassVar[str] = "construct"
    _one_per_lane: ClassVar[bool] = False
    _placement: Any = None

    def _record_use(self) -> None:
        """Record in the current traces that they depend on this object."""
        frame = state.frame
        while frame is not None and id(self) not in frame.cells:
            frame.cells[id(self)] = self
            frame = frame.outer

    def _flags(self) -> tuple[tuple[str, object], ...]:
        """Return all that a compiled program may depend on of this object, by name; compared with `==`.

        Whoever changes one of these calls `state.invalidate_guards`.
        """
        raise NotImplementedError

    def _reachable(self) -> list[object]:
        """Return the objects inside of this one that its code can change: what the user stored in it, and its children."""
        raise NotImplementedError

    def _derived_from(self, forward: Callable) -> Callable:
        """Return a method that computes, with the derivative that the user gave it, if there is one."""
        return forward

    def _input_specs(self) -> Sequence[object] | Mapping[str, object] | None:
        """Return what the arguments must be like, in order or by name (see `input_specs`); None if nothing was said."""
        return None

    def parameters_and_names(self) -> Iterator[tuple[str, Tensor]]:
        """Yield the Parameters in it, with their names."""
        return iter(())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """Yield the buffers in it, with their names."""
        return iter(())

    def _forward_signature(self) -> inspect.Signature:
        """Return the signature of the method that computes.

        Raises:
            ValueError: if it has none.
        """
        return inspect.signature(getattr(self, self._forward_name))


class Counting:
    """Base class of the library's objects whose methods change plain Python values, as a scheduler of learning rates.

    A compiled function that calls such a method changes them once for each of its calls, however often it is traced.
    """

    __slots__ = ()


def is_forward_of(fn: object, owner: object) -> bool:
    """Return True if `fn` is, by its name, the method by which `owner` computes."""
    return isinstance(owner, Stateful) and getattr(fn, "__name__", "") == owner._forward_name


def calls_users_code(fn: CallableT) -> CallableT:
    """Mark a function of the library that calls the user's code: side effects are looked for in what it mentions."""
    setattr(fn, _calling_users_code, True)
    return fn


def may_reach_users_code(fn: Callable, of_library: bool) -> bool:
    """Return True if a function can change the user's objects: his own, or one that `calls_users_code` has marked."""
    return not of_library or getattr(fn, _calling_users_code, False)
