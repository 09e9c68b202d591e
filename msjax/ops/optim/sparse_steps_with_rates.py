"""Optimizer steps for sparse gradients whose rates are arguments of the call (`ops.operations.nn_ops`)."""

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.name_table import attach_classes
from msjax.ops.optim.sparse_steps import _on_rows as on_rows
from msjax.ops.optim.step import step


@step("SparseApplyMomentum", "var accum", like="accum")
def momentum(
    var: ArrayLike, accum: ArrayLike, lr: ArrayOrNumber, grad: Array, indices: Array, momentum: ArrayOrNumber
) -> tuple[Array, ...]:
    """accum = momentum accum + grad; var -= lr accum, on some rows.

    Args:
        var (Parameter): weights, floating.
        accum (Parameter): of their shape.
        lr (Tensor, number): learning rate.
        grad (Tensor): gradients of some rows.
        indices (Tensor): positions of those rows.
        momentum (Tensor, number): how much of `accum` stays.
    """

    def take(rows: Array, kept: Array, g: Array) -> tuple[Array, ...]:
        kept = kept * momentum.astype(kept.dtype) + g
        return rows - lr.astype(rows.dtype) * kept, kept

    return on_rows("SparseApplyMomentum", take, (var, accum), grad, indices)


@step("SparseApplyProximalGradientDescent", "var", like="")
def gradient_descent(
    var: ArrayLike, alpha: ArrayOrNumber, l1: ArrayOrNumber, l2: ArrayOrNumber, grad: Array, indices: Array
) -> tuple[Array, ...]:
    """`ApplyProximalGradientDescent` on some rows.

    Args:
        var (Parameter): weights, floating.
        alpha (Tensor, number): learning rate.
        l1 (Tensor, number): how much is taken from magnitudes.
        l2 (Tensor, number): by how much they are divided.
        grad (Tensor): gradients of some rows.
        indices (Tensor): positions of those rows.
    """

    def take(rows: Array, g: Array) -> tuple[Array, ...]:
        new = rows - alpha * g
        shrunk = jnp.sign(new) * jnp.maximum(jnp.abs(new) - alpha * l1, 0)
        return ((jnp.where(l1 > 0, shrunk, new) / (1 + alpha * l2)).astype(rows.dtype),)

    return on_rows("SparseApplyProximalGradientDescent", take, (var,), grad, indices)


@step("SparseApplyCenteredRMSProp", "var mg ms mom", like="mg ms mom")
@documented_by(momentum)
def centered_rmsprop(
    var: ArrayLike, mg: ArrayLike, ms: ArrayLike, mom: ArrayLike, lr: ArrayOrNumber, rho: ArrayOrNumber,
    momentum: ArrayOrNumber, epsilon: ArrayOrNumber, grad: Array, indices: Array,
) -> tuple[Array, ...]:  # fmt: skip
    """`ApplyCenteredRMSProp` on some rows.

    Args:
        mg (Parameter): mean of the gradients.
        ms (Parameter): mean of their squares.
        mom (Parameter): the last step.
        rho (Tensor, number): how much of the means stays.
        momentum (Tensor, number): how much of the last step stays.
        epsilon (Tensor, number): added for stability.
    """

    def take(rows: Array, mean: Array, square: Array, last: Array, g: Array) -> tuple[Array, ...]:
        mean, square = rho * mean + (1 - rho) * g, rho * square + (1 - rho) * g * g
        last = momentum * last + lr * g * lax.rsqrt(square - mean * mean + epsilon)
        return rows - last, mean, square, last

    return on_rows("SparseApplyCenteredRMSProp", take, (var, mg, ms, mom), grad, indices)


@step("SparseApplyAdagradDA", "var grad_accum grad_square_accum", like="grad_accum grad_square_accum")
@documented_by(momentum)
def adagrad_da(
    var: ArrayLike, grad_accum: ArrayLike, grad_square_accum: ArrayLike, grad: Array, indices: Array, lr: ArrayOrNumber,
    l1: ArrayOrNumber, l2: ArrayOrNumber, global_step: ArrayOrNumber,
) -> tuple[Array, ...]:  # fmt: skip
    """`ApplyAdagradDA` on some rows.

    Args:
        grad_accum (Parameter): sum of the gradients.
        grad_square_accum (Parameter): sum of their squares.
        l1 (Tensor, number): how much is taken from magnitudes at each step.
        l2 (Tensor, number): by how much they are divided.
        global_step (Tensor, number): number of steps.
    """

    def take(rows: Array, total: Array, squares: Array, g: Array) -> tuple[Array, ...]:
        total, squares, steps = total + g, squares + g * g, global_step.astype(rows.dtype)
        shrunk = jnp.sign(total) * jnp.maximum(jnp.abs(total) - l1 * steps, 0)
        new = -lr * jnp.where(l1 > 0, shrunk, total) / (l2 * steps * lr + jnp.sqrt(squares))
        return new.astype(rows.dtype), total, squares

    return on_rows("SparseApplyAdagradDA", take, (var, grad_accum, grad_square_accum), grad, indices)


_LOCK, _NO_LOCK = "(use_locking=False)", "self.use_locking"


__getattr__, __dir__ = attach_classes(
    __name__,
    """
SparseApplyMomentum(use_locking: _ = False, use_nesterov: _ = False)(...) -> momentum
SparseApplyProximalGradientDescent(use_locking: _ = False)(...) -> gradient_descent
SparseApplyCenteredRMSProp(use_locking: _ = False)(...) -> centered_rmsprop
SparseApplyAdagradDA(use_locking: _ = False)(...) -> adagrad_da
""",
)
