"""Optimizer steps for sparse gradients whose rates are arguments of the call (`ops.operations.nn_ops`)."""

from msjax.ops.common.name_table import attach_classes
from msjax.ops.optim.adagrad_rmsprop import adagrad_dual, centered_rmsprop, proximal_descent
from msjax.ops.optim.momentum import momentum_step
from msjax.ops.optim.sparse_steps import sparse_step

# fmt: off
momentum = sparse_step(
    "SparseApplyMomentum(var: variable, accum: accumulation, lr: learning_rate, grad: gradient, indices, momentum)",
    momentum_step, 2, "", "", "accum = momentum accum + grad; var -= lr accum, on some rows.",
)
gradient_descent = sparse_step(
    "SparseApplyProximalGradientDescent(var, alpha, l1, l2, grad: delta, indices)",
    proximal_descent, 1, "", "", "`ApplyProximalGradientDescent` on some rows.",
)
centered_rmsprop_step = sparse_step(
    "SparseApplyCenteredRMSProp(var, mg: mean_gradient, ms: mean_square, mom: moment, lr: learning_rate, rho: decay, "
    "momentum, epsilon, grad, indices)",
    centered_rmsprop, 4, "", "", "`ApplyCenteredRMSProp` on some rows.",
)
adagrad_da = sparse_step(
    "SparseApplyAdagradDA(var, grad_accum: gradient_accumulator, grad_square_accum: gradient_squared_accumulator, "
    "grad, indices, lr, l1, l2, global_step)",
    adagrad_dual, 3, "", "", "`ApplyAdagradDA` on some rows.",
)
# fmt: on

__getattr__, __dir__ = attach_classes(
    __name__,
    """
SparseApplyMomentum(use_locking: _ = False, use_nesterov: _ = False)(...) -> momentum
SparseApplyProximalGradientDescent(use_locking: _ = False)(...) -> gradient_descent
SparseApplyCenteredRMSProp(use_locking: _ = False)(...) -> centered_rmsprop_step
SparseApplyAdagradDA(use_locking: _ = False)(...) -> adagrad_da
""",
)
