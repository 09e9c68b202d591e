"""Optimizer steps for sparse gradients: only rows that have a gradient are updated (but for `FusedSparseAdam`).

Each is the step of its dense namesake (see `adagrad_rmsprop`, `adam`), taken on those rows.
Gradients that share a row are added first, as in MindSpore's fused operators; its others call such positions undefined.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.promotion import as_index_array
from msjax.ops.optim.adagrad_rmsprop import adadelta, adagrad, followed, proximal_adagrad, rmsprop
from msjax.ops.optim.adam import adam
from msjax.ops.optim.step import step


def _summed(name: str, var: Array, grad: Array, indices: Any) -> tuple[Array, Array]:
    """Return the rows that have a gradient, each once, and the sums of their gradients; spare places point past the end."""
    where = as_index_array(name, indices=indices)
    if where.ndim != 1 or grad.ndim == 0 or grad.shape[0] != where.size or grad.shape[1:] != var.shape[1:]:
        rule = f"have one position for each row of `grad`, whose rows must be like those of {var.shape}"
        checks.fail(ValueError, name, "indices", rule, f"{where.shape} for a gradient of shape {grad.shape}")
    rows, back = jnp.unique(where, return_inverse=True, size=where.size, fill_value=var.shape[0])
    return rows, jnp.zeros_like(grad).at[back].add(grad)


def _on_rows(
    name: str, take: Callable, boxes: Sequence[Array], grad: Array, indices: Any
) -> tuple[Array, ...]:
    """Apply `take(*rows of boxes, gradients)` to the indexed rows and write its results back to them."""
    rows, total = _summed(name, boxes[0], grad, indices)
    new = take(*(jnp.take(box, rows, 0, mode="clip") for box in boxes), total)
    return tuple(box.at[rows].set(value, mode="drop") for box, value in zip(boxes, new, strict=True))


@step("SparseApplyAdagrad", "var accum", "lr update_slots", gives=2, like="accum")
def sparse_adagrad(
    var: ArrayLike, accum: ArrayLike, grad: Array, indices: Array, lr: float, update_slots: bool = True
) -> tuple[Array, ...]:
    """`ApplyAdagrad` on some rows.

    Args:
        var (Parameter): weights, floating.
        accum (Parameter): sum of the squared gradients, of their shape.
        grad (Tensor): gradients of some rows.
        indices (Tensor): positions of those rows along the first axis, int32 or int64.
        lr (float): learning rate.
        update_slots (bool): add to the sum.

    Returns:
        Two Tensors, the new weights and the new optimizer state.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([[1.0], [1.0]])), ms.Parameter(ms.Tensor([[0.0], [0.0]]))
        >>> out = ms.ops.SparseApplyAdagrad(lr=0.5)(w, a, ms.Tensor([[2.0]]), ms.Tensor([1]))
        >>> print(w.asnumpy().ravel(), a.asnumpy().ravel())
        [1.  0.5] [0. 4.]
    """

    def take(rows: Array, squares: Array, g: Array) -> tuple[Array, ...]:
        return adagrad.plain(rows, squares, lr, g, update_slots)

    return _on_rows("SparseApplyAdagrad", take, (var, accum), grad, indices)


@step("SparseApplyAdagradV2", "var accum", "lr epsilon update_slots", gives=2, like="accum")
@documented_by(sparse_adagrad)
def sparse_adagrad_eps(
    var: ArrayLike,
    accum: ArrayLike,
    grad: Array,
    indices: Array,
    lr: float,
    epsilon: float,
    update_slots: bool = True,
) -> tuple[Array, ...]:
    """`ApplyAdagrad` on some rows, with lr / sqrt(accum + epsilon) as the rate.

    Args:
        epsilon (float): added for stability.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([[1.0], [1.0]])), ms.Parameter(ms.Tensor([[0.0], [0.0]]))
        >>> out = ms.ops.SparseApplyAdagradV2(lr=0.5, epsilon=12.0)(w, a, ms.Tensor([[2.0]]), ms.Tensor([1]))
        >>> print(w.asnumpy().ravel())
        [1.   0.75]
    """

    def take(rows: Array, squares: Array, g: Array) -> tuple[Array, ...]:
        squares = squares + g * g if update_slots else squares
        return rows - lr * g * lax.rsqrt(squares + epsilon), squares

    return _on_rows("SparseApplyAdagradV2", take, (var, accum), grad, indices)


@step("SparseApplyAdadelta", "var accum accum_update", "epsilon", gives=3, like="accum accum_update")
def sparse_adadelta(
    var: ArrayLike,
    accum: ArrayLike,
    accum_update: ArrayLike,
    lr: ArrayOrNumber,
    rho: ArrayOrNumber,
    grad: Array,
    indices: Array,
    epsilon: float,
) -> tuple[Array, ...]:
    """`ApplyAdadelta` on some rows.

    Args:
        var (Parameter): weights, floating.
        accum (Parameter): moving mean of the squared gradients, of their shape.
        accum_update (Parameter): moving mean of the squared steps, of their shape.
        lr (Tensor, float): learning rate.
        rho (Tensor, float): decay.
        grad (Tensor): gradients of some rows.
        indices (Tensor): positions of those rows along the first axis, int32 or int64.
        epsilon (float): added for stability.

    Returns:
        Three Tensors, the new weights and the new optimizer state.

    Examples:
        >>> import msjax as ms
        >>> w, a, u = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0, 1.0))
        >>> print(ms.ops.SparseApplyAdadelta(0.0)(w, a, u, 0.5, 0.0, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """

    def take(rows: Array, squares: Array, steps: Array, g: Array) -> tuple[Array, ...]:
        return adadelta.plain(rows, squares, steps, lr, rho, epsilon, g)

    return _on_rows("SparseApplyAdadelta", take, (var, accum, accum_update), grad, indices)


@step("SparseApplyRMSProp", "var ms mom", "rho momentum epsilon", gives=3, like="ms mom")
@documented_by(sparse_adadelta)
def sparse_rmsprop(
    var: ArrayLike,
    ms: ArrayLike,
    mom: ArrayLike,
    lr: ArrayOrNumber,
    grad: Array,
    indices: Array,
    rho: float,
    momentum: float,
    epsilon: float,
) -> tuple[Array, ...]:
    """`ApplyRMSProp` on some rows.

    Args:
        ms (Parameter): moving mean of the squared gradients, of their shape.
        mom (Parameter): moment, of their shape.
        rho (float): decay.
        momentum (float): share of the old moment that is kept.

    Examples:
        >>> import msjax as ms
        >>> w, s, m = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 4.0, 0.0))
        >>> print(ms.ops.SparseApplyRMSProp(0.5, 0.9, 0.0)(w, s, m, 0.5, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """

    def take(rows: Array, squares: Array, moment: Array, g: Array) -> tuple[Array, ...]:
        new, moved, moment = rmsprop.plain(rows, squares, moment, lr, g, rho, momentum, epsilon)
        return (
            new,
            jnp.where(g == 0, squares, moved),
            moment,
        )  # as MindSpore's kernel: no decay without a gradient

    return _on_rows("SparseApplyRMSProp", take, (var, ms, mom), grad, indices)


@step("SparseApplyFtrl", "var accum linear", "lr l1 l2 lr_power", gives=3, like="accum linear")
@documented_by(sparse_adadelta)
def sparse_ftrl(
    var: ArrayLike,
    accum: ArrayLike,
    linear: ArrayLike,
    grad: Array,
    indices: Array,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
) -> tuple[Array, ...]:
    """`ApplyFtrl` on some rows.

    Args:
        accum (Parameter): sum of the squared gradients, of their shape.
        linear (Parameter): the linear term, of their shape.
        lr (float): learning rate.
        l1 (float): strength of the L1 regularization.
        l2 (float): strength of the L2 regularization.
        lr_power (float): how the rate falls, at most 0.

    Examples:
        >>> import msjax as ms
        >>> w, a, z = (ms.Parameter(ms.Tensor([[x]])) for x in (0.0, 0.0, 0.0))
        >>> print(ms.ops.SparseApplyFtrl(0.5, 0.0, 0.0, -0.5)(w, a, z, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[-0.5]]
    """

    def take(rows: Array, squares: Array, line: Array, g: Array) -> tuple[Array, ...]:
        return followed(rows, squares, line, g, g, lr, l1, l2, lr_power)

    return _on_rows("SparseApplyFtrl", take, (var, accum, linear), grad, indices)


@step("FusedSparseFtrl", "var accum linear", "lr l1 l2 lr_power", gives=3, like="accum linear")
@documented_by(sparse_ftrl)
def fused_ftrl(
    var: ArrayLike,
    accum: ArrayLike,
    linear: ArrayLike,
    grad: Array,
    indices: Array,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
) -> tuple[Array, ...]:
    """`ApplyFtrl` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a, z = (ms.Parameter(ms.Tensor([[x]])) for x in (0.0, 0.0, 0.0))
        >>> print(ms.ops.FusedSparseFtrl(0.5, 0.0, 0.0, -0.5)(w, a, z, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[-0.5]]
    """

    def take(rows: Array, squares: Array, line: Array, g: Array) -> tuple[Array, ...]:
        return followed(rows, squares, line, g, g, lr, l1, l2, lr_power)

    return _on_rows("FusedSparseFtrl", take, (var, accum, linear), grad, indices)


@step("SparseApplyFtrlV2", "var accum linear", "lr l1 l2 l2_shrinkage lr_power", gives=3, like="accum linear")
@documented_by(sparse_ftrl)
def sparse_ftrl_shrunk(
    var: ArrayLike,
    accum: ArrayLike,
    linear: ArrayLike,
    grad: Array,
    indices: Array,
    lr: float,
    l1: float,
    l2: float,
    l2_shrinkage: float,
    lr_power: float,
) -> tuple[Array, ...]:
    """`SparseApplyFtrl` with g + 2 l2_shrinkage var in place of g in the linear term.

    Args:
        l2_shrinkage (float): strength of a second one, in the gradient of the linear term alone.

    Examples:
        >>> import msjax as ms
        >>> w, a, z = (ms.Parameter(ms.Tensor([[x]])) for x in (0.0, 0.0, 0.0))
        >>> print(ms.ops.SparseApplyFtrlV2(0.5, 0.0, 0.0, 0.1, -0.5)(w, a, z, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[-0.5]]
    """

    def take(rows: Array, squares: Array, line: Array, g: Array) -> tuple[Array, ...]:
        return followed(rows, squares, line, g, g + 2 * l2_shrinkage * rows, lr, l1, l2, lr_power)

    return _on_rows("SparseApplyFtrlV2", take, (var, accum, linear), grad, indices)


@step("SparseApplyProximalAdagrad", "var accum", gives=2, like="accum")
@documented_by(sparse_adagrad)
def sparse_proximal_adagrad(
    var: ArrayLike,
    accum: ArrayLike,
    lr: ArrayOrNumber,
    l1: ArrayOrNumber,
    l2: ArrayOrNumber,
    grad: Array,
    indices: Array,
) -> tuple[Array, ...]:
    """`ApplyProximalAdagrad` on some rows.

    Args:
        lr (Tensor, float): learning rate.
        l1 (Tensor, float): strength of the L1 regularization.
        l2 (Tensor, float): strength of the L2 regularization.

    Examples:
        >>> import msjax as ms
        >>> w, a = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0))
        >>> print(ms.ops.SparseApplyProximalAdagrad()(w, a, 0.5, 0.0, 0.0, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """

    def take(rows: Array, squares: Array, g: Array) -> tuple[Array, ...]:
        return proximal_adagrad.plain(rows, squares, lr, l1, l2, g)

    return _on_rows("SparseApplyProximalAdagrad", take, (var, accum), grad, indices)


@step("FusedSparseProximalAdagrad", "var accum", gives=2, like="accum")
@documented_by(sparse_proximal_adagrad)
def fused_proximal_adagrad(
    var: ArrayLike,
    accum: ArrayLike,
    lr: ArrayOrNumber,
    l1: ArrayOrNumber,
    l2: ArrayOrNumber,
    grad: Array,
    indices: Array,
) -> tuple[Array, ...]:
    """`ApplyProximalAdagrad` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0))
        >>> print(ms.ops.FusedSparseProximalAdagrad()(w, a, 0.5, 0.0, 0.0, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """

    def take(rows: Array, squares: Array, g: Array) -> tuple[Array, ...]:
        return proximal_adagrad.plain(rows, squares, lr, l1, l2, g)

    return _on_rows("FusedSparseProximalAdagrad", take, (var, accum), grad, indices)


@step("FusedSparseLazyAdam", "var m v", "use_nesterov", gives=3, like="m v")
@documented_by(sparse_adadelta)
def lazy_adam(
    var: ArrayLike,
    m: ArrayLike,
    v: ArrayLike,
    beta1_power: ArrayOrNumber,
    beta2_power: ArrayOrNumber,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    grad: Array,
    indices: Array,
    use_nesterov: bool = False,
) -> tuple[Array, ...]:
    """`Adam` on some rows; the moments of the others stay.

    Args:
        m (Parameter): first moment, of their shape.
        v (Parameter): second moment, of their shape.
        beta1_power (Tensor, float): beta1 to the power of the step's number.
        beta2_power (Tensor, float): beta2 to the power of the step's number.
        beta1 (Tensor, float): decay of the first moment.
        beta2 (Tensor, float): decay of the second moment.
        epsilon (Tensor, float): added for stability.
        use_nesterov (bool): go along beta1 m + (1 - beta1) g.

    Examples:
        >>> import msjax as ms
        >>> w, m, v = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0, 0.0))
        >>> lazy, g, at = ms.ops.FusedSparseLazyAdam(), ms.Tensor([[2.0]]), ms.Tensor([0])
        >>> print(lazy(w, m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, g, at)[0])
        [[0.5]]
    """

    def take(rows: Array, mean: Array, squares: Array, g: Array) -> tuple[Array, ...]:
        settings = beta1_power, beta2_power, lr, beta1, beta2, epsilon
        return adam.plain(rows, mean, squares, *settings, g, use_nesterov)

    return _on_rows("FusedSparseLazyAdam", take, (var, m, v), grad, indices)


@step("FusedSparseAdam", "var m v", "use_nesterov", gives=3, like="m v")
@documented_by(lazy_adam)
def sparse_adam(
    var: ArrayLike,
    m: ArrayLike,
    v: ArrayLike,
    beta1_power: ArrayOrNumber,
    beta2_power: ArrayOrNumber,
    lr: ArrayOrNumber,
    beta1: ArrayOrNumber,
    beta2: ArrayOrNumber,
    epsilon: ArrayOrNumber,
    grad: Array,
    indices: Array,
    use_nesterov: bool = False,
) -> tuple[Array, ...]:
    """`Adam` with a gradient that is 0 but for some rows: moments decay, and weights change, everywhere.

    Examples:
        >>> import msjax as ms
        >>> w, m, v = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0, 0.0))
        >>> sparse, g, at = ms.ops.FusedSparseAdam(), ms.Tensor([[2.0]]), ms.Tensor([0])
        >>> print(sparse(w, m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, g, at)[0])
        [[0.5]]
    """
    rows, total = _summed("FusedSparseAdam", var, grad, indices)
    full = jnp.zeros_like(var).at[rows].set(total, mode="drop")
    return adam.plain(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, full, use_nesterov)
