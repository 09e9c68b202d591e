"""`torch.autograd.functional`: Jacobians, Hessians and their products with vectors."""

from collections.abc import Callable
from typing import Any

import jax

from msjax.core.autodiff import imperative as core
from msjax.core.autodiff import jvp_vjp_jacobian
from msjax.core.autodiff.imperative import enable_grad
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors.tensor import Tensor, as_torch


def check_floating(tensors: Any, forward: bool = False) -> None:
    """Refuse tensors to differentiate by that are integers, which MindSpore allows and PyTorch does not."""
    for leaf in jax.tree.leaves(tensors, is_leaf=lambda x: isinstance(x, Tensor)):
        if isinstance(leaf, Tensor) and not (leaf.dtype.is_floating_point or leaf.dtype.is_complex):
            if forward:
                raise ValueError(f"Expected primal to be floating point or complex, but got: {leaf.dtype}")
            raise RuntimeError(
                f"only Tensors of floating point dtype can require gradients. Received: dtype={leaf.dtype}."
            )


def _as_list(tensors: Any) -> tuple[bool, tuple]:
    single = not isinstance(tensors, tuple | list)
    return single, (tensors,) if single else tuple(tensors)


def _in_torch_dialect(func: Callable) -> Callable:
    return lambda *inputs: func(*as_torch(list(inputs)))


def _second(func: Callable) -> Callable:
    def number(*inputs: Any) -> Any:
        out = func(*as_torch(list(inputs)))
        if not isinstance(out, Tensor) or out.numel() != 1:
            raise RuntimeError(
                "The Tensor returned by the function given to hessian should contain a single element"
            )
        return basic.reshape(out, ())

    return number


def _check_tangents(inputs: tuple, v: Any, what: str) -> tuple:
    if v is None:
        if len(inputs) != 1 or inputs[0].numel() != 1:
            raise RuntimeError(f"`{what}`: argument `v` can only be None if there is a single element.")
        return tuple(basic.ones_like(each) for each in inputs)
    listed = _as_list(v)[1]
    if len(listed) != len(inputs) or any(
        tuple(a.shape) != tuple(b.shape) for a, b in zip(listed, inputs, strict=True)
    ):
        raise RuntimeError(f"`{what}`: argument `v` must have the shapes that it is multiplied with.")
    return listed


def jacobian(
    func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """Return the Jacobian of a function, with the outputs' dimensions first.

    Args:
        func: of tensors; its result is a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        create_graph: whether the result records; it does if inputs require grad.
        strict: of no effect: outputs that do not depend on an input have derivatives of 0.
        vectorize: of no effect: it always is.
        strategy: "reverse-mode" or "forward-mode".

    Returns:
        For one input and one output a tensor, else tuples, over outputs and inside of those over inputs.

    Examples:
        >>> from msjax import torch
        >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise AssertionError(
            f'`jacobian`: strategy must be "reverse-mode" or "forward-mode". Received: {strategy!r}.'
        )
    single, listed = _as_list(inputs)
    transform = jvp_vjp_jacobian.jacfwd if strategy == "forward-mode" else jvp_vjp_jacobian.jacrev
    found = transform(_in_torch_dialect(func), 0 if single else tuple(range(len(listed))))(
        *_detach_unless_create_graph(listed, create_graph)
    )
    return as_torch(found)


def _detach_unless_create_graph(inputs: tuple, create_graph: bool) -> tuple:
    check_floating(inputs)
    return inputs if create_graph else tuple(each.detach() for each in inputs)


def hessian(
    func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """Return the second derivatives of a function whose value is one number; arguments as for :func:`jacobian`."""
    single, listed = _as_list(inputs)
    places = 0 if single else tuple(range(len(listed)))
    once = jvp_vjp_jacobian.jacrev(_second(func), places)
    return as_torch(jvp_vjp_jacobian.jacrev(once, places)(*_detach_unless_create_graph(listed, create_graph)))


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """Return the outputs, and the product of `v` with the Jacobian."""
    single, listed = _as_list(inputs)
    with enable_grad():
        leaves = _as_leaves(listed, create_graph)
        out = func(*leaves)
        alone, outputs = _as_list(out)
        gradients = core.grad(
            outputs, leaves, _check_tangents(outputs, v, "vjp"), create_graph=create_graph, allow_unused=True
        )
    filled = tuple(
        basic.zeros_like(each) if g is None else g
        for g, each in zip(as_torch(gradients), listed, strict=True)
    )
    return _call_outputs(alone, outputs, create_graph), filled[0] if single else filled


def _as_leaves(inputs: tuple, create_graph: bool) -> tuple:
    kept = create_graph and any(each.requires_grad for each in inputs)
    return tuple(
        basic.clone(each) if kept and each.requires_grad else each.detach().clone().requires_grad_()
        for each in inputs
    )


def _call_outputs(alone: bool, outputs: tuple, create_graph: bool) -> Any:
    kept = outputs if create_graph else tuple(each.detach() for each in outputs)
    return kept[0] if alone else kept


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """Return the outputs, and the product of the Jacobian with `v`."""
    _, listed = _as_list(inputs)
    return as_torch(
        jvp_vjp_jacobian.jvp(
            _in_torch_dialect(func),
            _detach_unless_create_graph(listed, create_graph),
            _check_tangents(listed, v, "jvp"),
        )
    )


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """Return the value, and the product of the Hessian with `v`."""
    single, listed = _as_list(inputs)
    given = _check_tangents(listed, v, "hvp")
    slope = jvp_vjp_jacobian.jacrev(_second(func), tuple(range(len(listed))))
    moved = as_torch(jvp_vjp_jacobian.jvp(slope, _detach_unless_create_graph(listed, create_graph), given))[1]
    flat = tuple(moved) if isinstance(moved, tuple) else (moved,)
    return _call_outputs(True, (func(*listed),), create_graph), flat[0] if single else flat


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """Return the value, and the product of `v` with the Hessian, which is symmetric."""
    return hvp(func, inputs, v, create_graph, strict)


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.autograd.functional", name)
