"""`torch.autograd.forward_ad`: derivatives along tangents that are given to tensors (forward mode).

The tape records what is computed from dual tensors, and a tangent is asked for at the end: the derivative of a
backward pass by its seed, which is linear in that, is the derivative forward (Townsend, 2017).
"""

from typing import Any, NamedTuple, Self

from msjax.core.autodiff.imperative import enable_grad
from msjax.torch import autograd
from msjax.torch.functions import basic

NAMES = "UnpackedDualTensor dual_level enter_dual_level exit_dual_level make_dual unpack_dual".split()


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, None if it depends on no dual tensor."""

    primal: Any
    tangent: Any


_levels: list[list[tuple[Any, Any]]] = []  # of each level the dual tensors, and their tangents


def enter_dual_level() -> int:
    """Begin a level; return its number.

    Raises:
        RuntimeError: inside of another one.
    """
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _levels.append([])
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level: its tangents are gone.

    Raises:
        RuntimeError: if there is none.
    """
    if not _levels:
        raise RuntimeError("Trying to exit a forward AD level but no level is currently active.")
    _levels.pop()


class dual_level:  # noqa: N801
    """A context in which tensors can have tangents.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.autograd import forward_ad
        >>> with forward_ad.dual_level():
        ...     x = forward_ad.make_dual(torch.tensor(3.0), torch.tensor(1.0))
        ...     forward_ad.unpack_dual(x * x).tangent
        tensor(6.)
    """

    def __enter__(self) -> Self:
        enter_dual_level()
        return self

    def __exit__(self, *error: object) -> None:
        exit_dual_level()


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """Return the tensor with a tangent.

    Args:
        tensor: floating.
        tangent: of the same shape and dtype.
        level: of no effect, as there is one.

    Raises:
        RuntimeError: outside of a level, or if the shapes differ.
        ValueError: if one of the two is not floating.
    """
    if not _levels:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for what, given in (("tensor", tensor), ("tangent", tangent)):
        if not (given.is_floating_point() or given.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {given.dtype}")
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            f"Expected the tangent to have the shape of the tensor, {tuple(tensor.shape)}, but got {tuple(tangent.shape)}."
        )
    with enable_grad():
        dual = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
    _levels[-1].append((dual, tangent))
    return dual


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the tensor and its tangent, inside of the level; outside its tangent is None."""
    primal = tensor.detach()
    if not _levels or not tensor.requires_grad:
        return UnpackedDualTensor(primal, None)
    duals = _levels[-1]
    with enable_grad():
        seed = basic.zeros_like(tensor).requires_grad_()
        pulled = autograd.grad(
            tensor, [dual for dual, _ in duals], seed, create_graph=True, retain_graph=True, allow_unused=True
        )
        reached = [
            (found, tangent) for found, (_, tangent) in zip(pulled, duals, strict=True) if found is not None
        ]
        if not reached:
            return UnpackedDualTensor(primal, None)
        found, tangents = zip(*reached, strict=True)
        options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        (tangent,) = autograd.grad(found, seed, tangents, create_graph=_is_recorded(duals), **options)
    return UnpackedDualTensor(primal, tangent)


def _is_recorded(duals: list[tuple[Any, Any]]) -> bool:
    """Return True if the program itself differentiates: by what it made dual, or by a tangent."""
    return any(not dual.is_leaf or tangent.requires_grad for dual, tangent in duals)
