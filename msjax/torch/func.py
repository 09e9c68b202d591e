"""`torch.func`: function transformations (grad, vmap, jacrev, vjp, jvp ...) over trees of tensors."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax

from msjax.core import ordered_trees
from msjax.core.autodiff import grad as core_grad
from msjax.core.autodiff import jvp_vjp_jacobian
from msjax.core.autodiff import vmap as core_vmap
from msjax.torch.autograd.functional import check_floating
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.nn.module import Module
from msjax.torch.tensors.tensor import Tensor, as_torch


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def _flatten_tree(tree: Any) -> tuple[list[Any], Callable]:
    """Return the leaves of a tree, and a function that makes such a tree of others, with dicts in their order."""
    tree = ordered_trees.sortable(tree)
    leaves, structure = jax.tree.flatten(tree, is_leaf=_is_tensor)
    order = ordered_trees.order(tree)
    return leaves, lambda leaves: ordered_trees.reorder(jax.tree.unflatten(structure, list(leaves)), order)


def _in_torch_dialect(func: Callable) -> Callable:
    """Return the function, which sees PyTorch's tensors."""
    return lambda *args, **named: func(*as_torch(list(args)), **as_torch(named))


def grad_and_value(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """Transform a scalar function into one that computes its gradient and its value.

    Args:
        func: of tensors, or of trees (lists, tuples, dicts) of them.
        argnums: the arguments to differentiate by.
        has_aux: whether it returns (value, anything else).

    Returns:
        A function that gives (gradient, value), or (gradient, (value, anything else)).

    Raises:
        RuntimeError: if the value is not one number, when it is called.

    Examples:
        >>> from msjax import torch
        >>> torch.func.grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
        (tensor([2., 4.]), tensor(5.))
    """
    single = isinstance(argnums, int)

    @functools.wraps(func)
    def wrapped(*args: Any, **named: Any) -> Any:
        places = [n % len(args) for n in ((argnums,) if isinstance(argnums, int) else argnums)]
        check_floating([args[n] for n in places])
        leaves, tree = _flatten_tree([args[n] for n in places])
        rest: list[Any] = []

        def of_leaves(*flat: Any) -> Any:
            given = list(args)
            for n, part in zip(places, tree(flat), strict=True):
                given[n] = part
            out = _in_torch_dialect(func)(*given, **named)
            if has_aux:
                out, aux = out
                rest[:] = [aux]
            if not isinstance(out, Tensor) or out.ndim:
                shape = getattr(out, "shape", type(out).__name__)
                raise RuntimeError(
                    f"Expected f(*args) to return a scalar tensor, got tensor with shape {shape}"
                )
            return out

        value, gradients = core_grad.value_and_grad(of_leaves, tuple(range(len(leaves))))(*leaves)
        flat = list(gradients) if isinstance(gradients, tuple) else [gradients]
        parts = tree(as_torch(flat))
        result = parts[0] if single else tuple(parts)
        return result, (as_torch(value), *rest) if has_aux else as_torch(value)

    return wrapped


def grad(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """Transform a scalar function into one that computes its gradient.

    Args:
        func: of tensors, or of trees of them.
        argnums: the arguments to differentiate by.
        has_aux: whether it returns (value, anything else), which is returned beside the gradient.

    Returns:
        The function.

    Examples:
        >>> from msjax import torch
        >>> torch.func.grad(torch.func.grad(lambda x: x**3))(torch.tensor(2.0))
        tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any, **named: Any) -> Any:
        gradient, value = both(*args, **named)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def _jacobian_of_trees(transform: Callable, func: Callable, args: tuple, argnums: Any, has_aux: bool) -> Any:
    """Return the jacobians by all tensors of arguments that are lists, tuples or dicts of them, in the arguments' form."""
    places = [argnums] if isinstance(argnums, int) else list(argnums)
    leaves, tree = _flatten_tree([args[n] for n in places])
    form: list[Any] = []

    def of_leaves(*flat: Any) -> Any:
        given = list(args)
        for n, part in zip(places, tree(flat), strict=True):
            given[n] = part
        out = func(*given)
        results, restore_results = _flatten_tree(out[0] if has_aux else out)
        form[:] = [restore_results]
        if has_aux and len(results) != 1:
            raise NotImplementedError(
                "has_aux=True: only for functions of one tensor and anything else in msjax.torch."
            )
        return (results[0], out[1]) if has_aux else tuple(results)

    def restore(parts: Any) -> Any:
        made = tree(parts)
        return made[0] if isinstance(argnums, int) else tuple(made)

    found = _jacobian(transform, of_leaves, tuple(range(len(leaves))), has_aux)(*leaves)
    by_result = [restore(found[0])] if has_aux else [*map(restore, found)]
    jacobians = form[0](by_result)
    return (jacobians, found[1]) if has_aux else jacobians


def _jacobian(transform: Callable, func: Callable, argnums: Any, has_aux: bool) -> Callable:
    made = transform(_in_torch_dialect(func), argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        chosen = [argnums] if isinstance(argnums, int) else argnums
        check_floating([args[n] for n in chosen], transform is jvp_vjp_jacobian.jacfwd)
        if not all(_is_tensor(args[n]) for n in chosen):
            return _jacobian_of_trees(transform, func, args, argnums, has_aux)
        found = as_torch(made(*args))
        if has_aux and isinstance(found[1], tuple) and len(found[1]) == 1:
            return found[0], found[1][0]
        return found

    return wrapped


def jacrev(func: Callable, argnums: Any = 0, *, has_aux: bool = False, **options: Any) -> Callable:
    """Transform a function into one that computes its Jacobian by reverse mode."""
    return _jacobian(jvp_vjp_jacobian.jacrev, func, argnums, has_aux)


def jacfwd(func: Callable, argnums: Any = 0, has_aux: bool = False, **options: Any) -> Callable:
    """Transform a function into one that computes its Jacobian by forward mode."""
    return _jacobian(jvp_vjp_jacobian.jacfwd, func, argnums, has_aux)


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """Transform a function into one that computes its second derivatives (Hessian)."""
    return jacfwd(jacrev(func, argnums), argnums)


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> Any:
    """Return the value, and a function from a gradient of it to the gradients of the inputs.

    Args:
        func: of tensors, or of trees of them.
        primals: its arguments.
        has_aux: whether it returns (value, anything else).

    Returns:
        (value, function), or (value, function, anything else).

    Examples:
        >>> from msjax import torch
        >>> value, pull = torch.func.vjp(lambda x: x * x, torch.tensor([1.0, 2.0]))
        >>> pull(torch.tensor([1.0, 10.0]))
        (tensor([ 2., 40.]),)
    """
    check_floating(list(primals))
    leaves, tree = _flatten_tree(list(primals))
    kept: list[Any] = []

    def of_leaves(*flat: Any) -> Any:
        out = _in_torch_dialect(func)(*tree(flat))
        kept[:] = [out[1]] if has_aux else []
        outputs, structure = _flatten_tree(out[0] if has_aux else out)
        kept.append(structure)
        return tuple(outputs) if len(outputs) > 1 else outputs[0]

    out, pull = jvp_vjp_jacobian.vjp(of_leaves, *leaves)
    flat = list(out) if isinstance(out, tuple) else [out]
    value = kept[-1](as_torch(flat))

    def pulled(cotangents: Any, **options: Any) -> tuple:
        given = _flatten_tree(cotangents)[0]
        return tuple(tree(as_torch(list(pull(*given)))))

    return (value, pulled, kept[0]) if has_aux else (value, pulled)


def jvp(
    func: Callable, primals: tuple, tangents: tuple, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """Return the value and its derivative along tangents.

    Args:
        func: of tensors, or of trees of them.
        primals: its arguments.
        tangents: one for each.
        strict: of no effect.
        has_aux: whether it returns (value, anything else).

    Returns:
        (value, derivative), or (value, derivative, anything else).

    Examples:
        >>> from msjax import torch
        >>> torch.func.jvp(lambda x: x * x, (torch.tensor(3.0),), (torch.tensor(1.0),))
        (tensor(9.), tensor(6.))
    """
    check_floating(tuple(primals), forward=True)
    if not all(map(_is_tensor, primals)):
        (leaves, tree), (moved, _) = _flatten_tree(list(primals)), _flatten_tree(list(tangents))

        def of_leaves(*flat: Any) -> Any:
            return func(*tree(flat))

        return jvp(of_leaves, tuple(leaves), tuple(moved), has_aux=has_aux)
    found = as_torch(jvp_vjp_jacobian.jvp(_in_torch_dialect(func), tuple(primals), tuple(tangents), has_aux))
    if has_aux and isinstance(found[2], tuple) and len(found[2]) == 1:
        return found[0], found[1], found[2][0]
    return tuple(found)


def linearize(func: Callable, *primals: Any) -> tuple[Any, Callable]:
    """Return the value at a point, and the derivative there as a function of tangents.

    Examples:
        >>> from msjax import torch
        >>> value, derivative = torch.func.linearize(lambda x: x * x, torch.tensor(3.0))
        >>> value, derivative(torch.tensor(1.0))
        (tensor(9.), tensor(6.))
    """
    return func(*primals), lambda *tangents: jvp(func, primals, tangents)[1]


def functionalize(func: Callable, *, remove: str = "mutations") -> Callable:
    """Return the function: changes in place are no changes of memory here."""
    return func


def vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """Vectorize a function: map it over a dimension of its arguments.

    Args:
        func: of tensors, or of trees of them.
        in_dims: the dimension of each argument, None for those that are not mapped.
        out_dims: the dimension of the results.
        randomness: of no effect: all lanes draw the same numbers.
        chunk_size: of no effect: XLA decides.

    Returns:
        The function.

    Examples:
        >>> from msjax import torch
        >>> torch.func.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
        tensor([3., 3.])
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **named: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple | list) else (in_dims,) * len(args)
        pairs = [_flatten_tree(arg) for arg in args]
        axes = [
            _broadcast_dims(dim, arg, len(leaves))
            for dim, arg, (leaves, _) in zip(dims, args, pairs, strict=True)
        ]

        def of_leaves(*flat: Any) -> Any:
            rest = list(as_torch(list(flat)))
            given = [tree([rest.pop(0) for _ in leaves]) for leaves, tree in pairs]
            outputs, structure = _flatten_tree(func(*given, **named))
            kept[:] = [structure]
            return tuple(outputs)

        kept: list[Any] = []
        leaves = [leaf for each, _ in pairs for leaf in each]
        flat_axes = tuple(axis for each in axes for axis in each)
        out = core_vmap.vmap(
            of_leaves, flat_axes, out_dims if isinstance(out_dims, int) else tuple(out_dims)
        )(*leaves)
        return kept[0](as_torch(list(out)))

    return wrapped


def _broadcast_dims(dim: Any, arg: Any, count: int) -> list[Any]:
    if dim is None or isinstance(dim, int):
        return [dim] * count
    return jax.tree.leaves(dim, is_leaf=lambda d: d is None)


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other Parameters and buffers.

    Args:
        module: the module, which is as before afterwards.
        parameter_and_buffer_dicts: tensors by name, one dict or several.
        args: an argument, or a tuple of them.
        kwargs: keyword arguments.
        tie_weights: of no effect: what is not given stays as it is.
        strict: whether every name must be given, and be one of the module's.

    Returns:
        What the module returns.

    Raises:
        RuntimeError: with `strict`, if names do not agree.

    Examples:
        >>> from msjax import torch
        >>> net = torch.nn.Linear(2, 1, bias=False)
        >>> torch.func.functional_call(net, {"weight": torch.ones(1, 2)}, torch.tensor([[1.0, 2.0]]))
        tensor([[3.]])
    """
    dicts = parameter_and_buffer_dicts
    given = [dicts] if isinstance(dicts, Mapping) else dicts
    names = {name for each in given for name in each}
    own = {name for name, _ in [*module.named_parameters(), *module.named_buffers()]}
    if strict and names != own:
        raise RuntimeError(
            f"`functional_call`: unexpected names {sorted(names - own)}, missing names {sorted(own - names)}."
        )
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    undo: list[tuple[dict, str, Any]] = []
    try:
        for name, tensor in [pair for each in given for pair in each.items()]:
            owner, _, last = name.rpartition(".")
            place = module.get_submodule(owner)
            table = next((t for t in (place._parameters, place._buffers) if last in t), None)
            if table is None:
                continue
            undo.append((table, last, table[last]))
            table[last] = tensor
        return module(*positional, **(kwargs or {}))
    finally:
        for table, last, old in reversed(undo):
            table[last] = old


def stack_module_state(models: Any) -> tuple[dict, dict]:
    """Stack the parameters and buffers of modules of one kind along a new first dimension."""
    listed = list(models)

    def stacked(kind: str) -> dict:
        each = [dict(getattr(model, kind)()) for model in listed]
        return {name: basic.stack([own[name] for own in each]).detach() for name in each[0]}

    parameters = {name: tensor.requires_grad_() for name, tensor in stacked("named_parameters").items()}
    return parameters, stacked("named_buffers")


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.func", name)
