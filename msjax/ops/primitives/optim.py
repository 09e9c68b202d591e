"""Optimizer step operators in class form (ApplyAdam ...): each updates its Parameters in place."""

from msjax.ops.common.name_table import attach_classes

ROWS = """
# momentum and signs
optim.momentum: ApplyGradientDescent=gradient_descent ApplyAddSign=add_sign ApplyPowerSign=power_sign
    FusedWeightScaleApplyMomentum=scaled_momentum
ApplyMomentum(use_nesterov=False, use_locking: _ = False, gradient_scale=1.0)(...) -> optim.momentum.momentum_step
ApplyKerasMomentum(use_locking: _ = False, use_nesterov=False)(...) -> optim.momentum.keras_momentum
SGD(dampening=0.0, weight_decay=0.0, nesterov=False)(...) -> optim.momentum.stochastic_descent

# Adagrad, Adadelta, RMSProp, Ftrl, proximal
optim.adagrad_rmsprop: ApplyAdadelta=adadelta ApplyProximalGradientDescent=proximal_descent
ApplyAdagrad(update_slots=True)(...) -> optim.adagrad_rmsprop.adagrad
ApplyAdagradV2(epsilon, update_slots=True)(...) -> optim.adagrad_rmsprop.adagrad_eps
ApplyAdagradDA(use_locking: _ = False)(...) -> optim.adagrad_rmsprop.adagrad_dual
ApplyProximalAdagrad(use_locking: _ = False)(...) -> optim.adagrad_rmsprop.proximal_adagrad
ApplyRMSProp(use_locking: _ = False)(...) -> optim.adagrad_rmsprop.rmsprop
ApplyCenteredRMSProp(use_locking: _ = False)(...) -> optim.adagrad_rmsprop.centered_rmsprop
ApplyFtrl(use_locking: _ = False)(...) -> optim.adagrad_rmsprop.ftrl

# Adam and its relatives
optim.adam: ApplyAdaMax=adamax
Adam(use_locking: _ = False, use_nesterov=False)(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon,
    gradient: grad) -> optim.adam.adam
AdamNoUpdateParam(use_locking: _ = False, use_nesterov=False)(...) -> optim.adam.adam_delta
ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking: _ = False)(...) -> optim.adam.amsgrad
ApplyAdamWithAmsgradV2(use_locking: _ = False)(...) -> optim.adam.amsgrad
AdamWeightDecay(use_locking: _ = False)(...) -> optim.adam.adam_weight_decay
FusedCastAdamWeightDecay(use_locking: _ = False)(...) -> optim.adam.cast_adam_weight_decay
FusedAdaFactor(enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False)(...) ->
    optim.adam.adafactor
FusedAdaFactorWithGlobalNorm(enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False)(...) ->
    optim.adam.adafactor_of_norm
LARSUpdate(epsilon=1e-05, hyperpara=0.001, use_clip=False)(...) -> optim.adam.lars_update

# on some rows
SparseApplyAdadelta(epsilon, use_locking: _ = False)(...) -> optim.sparse_steps.sparse_adadelta
SparseApplyAdagrad(lr, update_slots=True, use_locking: _ = False)(...) -> optim.sparse_steps.sparse_adagrad
SparseApplyAdagradV2(lr, epsilon, use_locking: _ = False, update_slots=True)(...) -> optim.sparse_steps.sparse_adagrad_eps
SparseApplyFtrl(lr, l1, l2, lr_power, use_locking: _ = False)(...) -> optim.sparse_steps.sparse_ftrl
SparseApplyFtrlV2(lr, l1, l2, l2_shrinkage, lr_power, use_locking: _ = False)(...) -> optim.sparse_steps.sparse_ftrl_shrunk
SparseApplyProximalAdagrad(use_locking: _ = False)(...) -> optim.sparse_steps.sparse_proximal_adagrad
SparseApplyRMSProp(rho, momentum, epsilon, use_locking: _ = False)(...) -> optim.sparse_steps.sparse_rmsprop
FusedSparseAdam(use_locking: _ = False, use_nesterov=False)(...) -> optim.sparse_steps.sparse_adam
FusedSparseLazyAdam(use_locking: _ = False, use_nesterov=False)(...) -> optim.sparse_steps.lazy_adam
FusedSparseFtrl(lr, l1, l2, lr_power, use_locking: _ = False)(...) -> optim.sparse_steps.fused_ftrl
FusedSparseProximalAdagrad(use_locking: _ = False)(...) -> optim.sparse_steps.fused_proximal_adagrad
"""

__getattr__, __dir__ = attach_classes(__name__, ROWS)
