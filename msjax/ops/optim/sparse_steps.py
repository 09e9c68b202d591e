"""Optimizer steps for sparse gradients: only rows that have a gradient are updated (but for `FusedSparseAdam`).

Each is the step of its dense namesake (see `adagrad_rmsprop`, `adam`), taken on those rows.
Gradients that share a row are added first, as in MindSpore's fused operators; its others call such positions undefined.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from msjax.core.op.argument_types import ArrayLike, ArrayOrNumber
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.name_table import read_row, read_signature
from msjax.ops.common.promotion import as_index_array
from msjax.ops.optim.adagrad_rmsprop import adadelta, adagrad, follow_leader, ftrl, proximal_adagrad, rmsprop
from msjax.ops.optim.adam import adam
from msjax.ops.optim.step import step


def _sum_by_row(name: str, var: Array, grad: Array, indices: Any) -> tuple[Array, Array]:
    """Return the rows that have a gradient, each once, and the sums of their gradients; spare places point past the end."""
    where = as_index_array(name, indices=indices)
    if where.ndim != 1 or grad.ndim == 0 or grad.shape[0] != where.size or grad.shape[1:] != var.shape[1:]:
        rule = f"have one position for each row of `grad`, whose rows must be like those of {var.shape}"
        checks.fail(ValueError, name, "indices", rule, f"{where.shape} for a gradient of shape {grad.shape}")
    rows, back = jnp.unique(where, return_inverse=True, size=where.size, fill_value=var.shape[0])
    return rows, jnp.zeros_like(grad).at[back].add(grad)


def _given_rows(grad: Array, indices: Array) -> None:
    """Describe what all of these are given.

    Args:
        grad (Tensor): gradients of some rows.
        indices (Tensor): positions of those rows along the first axis, int32 or int64.
    """


def sparse_step(row: str, dense: Any, written: int, static: str, returns: str, doc: str) -> Callable:
    """Make the operator that takes the step of a dense one on some rows.

    Args:
        row: name and parameters, with the dense function's names as annotations where they differ ("lr: learning_rate").
        dense: the dense operator, or a function of rows alone.
        written: how many Parameters it changes: the first ones.
        static: names of the parameters that are settings.
        returns: "" for an operator that returns the new weights alone, else in words how many Tensors it returns.
        doc: of the documentation what differs from the dense operator's.
    """
    read = read_row(row)
    params, renames, _ = read_signature(read.signature)
    names = [p.name for p in params]
    boxes, compute = names[:written], getattr(dense, "plain", dense)

    def fn(*args: Any, **kwargs: Any) -> tuple[Array, ...]:
        given = dict(zip(names, args, strict=False)) | kwargs
        old = [given[name] for name in boxes]
        rows, given["grad"] = _sum_by_row(read.name, old[0], given["grad"], given.pop("indices"))
        given |= {name: jnp.take(box, rows, 0, mode="clip") for name, box in zip(boxes, old, strict=True)}
        new = compute(**{renames.get(name, name): value for name, value in given.items()})
        return tuple(box.at[rows].set(value, mode="drop") for box, value in zip(old, new, strict=True))

    kinds = dict.fromkeys(names, ArrayOrNumber) | dict.fromkeys(boxes, ArrayLike)
    kinds |= {"grad": Array, "indices": Array}
    kinds |= {
        p.name: bool if isinstance(p.default, bool) else float for p in params if p.name in static.split()
    }
    fn.__signature__ = inspect.Signature([p.replace(annotation=kinds[p.name]) for p in params])  # type: ignore[attr-defined]
    fn.__name__ = fn.__qualname__ = read.name
    result = f"{returns} Tensors, the new weights and the new optimizer state." if returns else ""
    fn.__doc__ = f"{inspect.cleandoc(doc)}\n" + (f"\nReturns:\n    {result}\n" if result else "")
    documented_by(_given_rows)(fn)
    documented_by(dense, rename=" ".join(f"{here}={there}" for here, there in renames.items()))(fn)
    for name in static.split():  # a setting is a number, where the dense operator takes Tensors too
        fn.__doc__ = re.sub(rf"^( +{name}) \(Tensor, float\)", r"\1 (float)", fn.__doc__, flags=re.MULTILINE)
    gives = written if returns else 0
    return step(read.name, " ".join(boxes), static, gives, " ".join(boxes[1:]))(fn)


@documented_by(adagrad)
def _adagrad_eps(
    var: Array, accum: Array, lr: float, grad: Array, epsilon: float, update_slots: bool
) -> tuple[Array, ...]:
    """Add epsilon below the root.

    Args:
        epsilon (float): added for stability.
    """
    squares = accum + grad * grad if update_slots else accum
    return var - lr * grad * lax.rsqrt(squares + epsilon), squares


@documented_by(rmsprop)
def _rmsprop(
    var: Array, mean_square: Array, moment: Array, learning_rate: Array, grad: Array, decay: float, momentum: float,
    epsilon: float,
) -> tuple[Array, ...]:  # fmt: skip
    """Leave mean squares as they are where there is no gradient, as MindSpore's kernel does."""
    new, moved, moment = rmsprop.plain(
        var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon
    )
    return new, jnp.where(grad == 0, mean_square, moved), moment


@documented_by(ftrl)
def _ftrl_shrunk(
    var: Array, accum: Array, linear: Array, grad: Array, lr: float, l1: float, l2: float, l2_shrinkage: float,
    lr_power: float,
) -> tuple[Array, ...]:  # fmt: skip
    """Regularize the gradient of the linear term once more.

    Args:
        l2_shrinkage (float): strength of a second one, in the gradient of the linear term alone.
    """
    return follow_leader(var, accum, linear, grad, grad + 2 * l2_shrinkage * var, lr, l1, l2, lr_power)


# fmt: off
sparse_adagrad = sparse_step(
    "SparseApplyAdagrad(var, accum, grad, indices, lr, update_slots=True)",
    adagrad, 2, "lr update_slots", "Two",
    """`ApplyAdagrad` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([[1.0], [1.0]])), ms.Parameter(ms.Tensor([[0.0], [0.0]]))
        >>> out = ms.ops.SparseApplyAdagrad(lr=0.5)(w, a, ms.Tensor([[2.0]]), ms.Tensor([1]))
        >>> print(w.asnumpy().ravel(), a.asnumpy().ravel())
        [1.  0.5] [0. 4.]
    """,
)
sparse_adagrad_eps = sparse_step(
    "SparseApplyAdagradV2(var, accum, grad, indices, lr, epsilon, update_slots=True)",
    _adagrad_eps, 2, "lr epsilon update_slots", "Two",
    """`ApplyAdagrad` on some rows, with lr / sqrt(accum + epsilon) as the rate.

    Examples:
        >>> import msjax as ms
        >>> w, a = ms.Parameter(ms.Tensor([[1.0], [1.0]])), ms.Parameter(ms.Tensor([[0.0], [0.0]]))
        >>> out = ms.ops.SparseApplyAdagradV2(lr=0.5, epsilon=12.0)(w, a, ms.Tensor([[2.0]]), ms.Tensor([1]))
        >>> print(w.asnumpy().ravel())
        [1.   0.75]
    """,
)
sparse_adadelta = sparse_step(
    "SparseApplyAdadelta(var, accum, accum_update, lr, rho, grad, indices, epsilon)",
    adadelta, 3, "epsilon", "Three",
    """`ApplyAdadelta` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a, u = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0, 1.0))
        >>> print(ms.ops.SparseApplyAdadelta(0.0)(w, a, u, 0.5, 0.0, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """,
)
sparse_rmsprop = sparse_step(
    "SparseApplyRMSProp(var, ms: mean_square, mom: moment, lr: learning_rate, grad, indices, "
    "rho: decay, momentum, epsilon)",
    _rmsprop, 3, "rho momentum epsilon", "Three",
    """`ApplyRMSProp` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, s, m = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 4.0, 0.0))
        >>> print(ms.ops.SparseApplyRMSProp(0.5, 0.9, 0.0)(w, s, m, 0.5, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """,
)
sparse_ftrl = sparse_step(
    "SparseApplyFtrl(var, accum, linear, grad, indices, lr, l1, l2, lr_power)",
    ftrl, 3, "lr l1 l2 lr_power", "Three",
    """`ApplyFtrl` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a, z = (ms.Parameter(ms.Tensor([[x]])) for x in (0.0, 0.0, 0.0))
        >>> print(ms.ops.SparseApplyFtrl(0.5, 0.0, 0.0, -0.5)(w, a, z, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[-0.5]]
    """,
)
fused_ftrl = sparse_step(
    "FusedSparseFtrl(var, accum, linear, grad, indices, lr, l1, l2, lr_power)",
    ftrl, 3, "lr l1 l2 lr_power", "Three",
    """`ApplyFtrl` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a, z = (ms.Parameter(ms.Tensor([[x]])) for x in (0.0, 0.0, 0.0))
        >>> print(ms.ops.FusedSparseFtrl(0.5, 0.0, 0.0, -0.5)(w, a, z, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[-0.5]]
    """,
)
sparse_ftrl_shrunk = sparse_step(
    "SparseApplyFtrlV2(var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power)",
    _ftrl_shrunk, 3, "lr l1 l2 l2_shrinkage lr_power", "Three",
    """`SparseApplyFtrl` with g + 2 l2_shrinkage var in place of g in the linear term.

    Examples:
        >>> import msjax as ms
        >>> w, a, z = (ms.Parameter(ms.Tensor([[x]])) for x in (0.0, 0.0, 0.0))
        >>> print(ms.ops.SparseApplyFtrlV2(0.5, 0.0, 0.0, 0.1, -0.5)(w, a, z, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[-0.5]]
    """,
)
sparse_proximal_adagrad = sparse_step(
    "SparseApplyProximalAdagrad(var, accum, lr, l1, l2, grad, indices)",
    proximal_adagrad, 2, "", "Two",
    """`ApplyProximalAdagrad` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0))
        >>> print(ms.ops.SparseApplyProximalAdagrad()(w, a, 0.5, 0.0, 0.0, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """,
)
fused_proximal_adagrad = sparse_step(
    "FusedSparseProximalAdagrad(var, accum, lr, l1, l2, grad, indices)",
    proximal_adagrad, 2, "", "Two",
    """`ApplyProximalAdagrad` on some rows.

    Examples:
        >>> import msjax as ms
        >>> w, a = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0))
        >>> print(ms.ops.FusedSparseProximalAdagrad()(w, a, 0.5, 0.0, 0.0, ms.Tensor([[2.0]]), ms.Tensor([0]))[0])
        [[0.5]]
    """,
)
lazy_adam = sparse_step(
    "FusedSparseLazyAdam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, "
    "grad, indices, use_nesterov=False)",
    adam, 3, "use_nesterov", "Three",
    """`Adam` on some rows; the moments of the others stay.

    Examples:
        >>> import msjax as ms
        >>> w, m, v = (ms.Parameter(ms.Tensor([[x]])) for x in (1.0, 0.0, 0.0))
        >>> lazy, g, at = ms.ops.FusedSparseLazyAdam(), ms.Tensor([[2.0]]), ms.Tensor([0])
        >>> print(lazy(w, m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, g, at)[0])
        [[0.5]]
    """,
)
# fmt: on


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
    rows, total = _sum_by_row("FusedSparseAdam", var, grad, indices)
    full = jnp.zeros_like(var).at[rows].set(total, mode="drop")
    return adam.plain(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, full, use_nesterov)
