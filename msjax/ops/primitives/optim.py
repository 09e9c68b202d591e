"""Optimizer step operators in class form (ApplyAdam ...): each updates its Parameters in place."""

# fmt: off
import functools

from msjax.ops.common.adapters import primitive
from msjax.ops.optim import adagrad_rmsprop, adam, momentum, sparse_steps

_p = functools.partial(primitive, module=__name__)
_LOCK = "(use_locking=False)"
_NESTEROV = "(use_locking=False, use_nesterov=False)"
_NO_LOCK = "self.use_locking"  # accepted for MindSpore's signature: steps run one after another

# ---------------------------------------------------------------------- momentum and signs

ApplyGradientDescent = _p("ApplyGradientDescent", momentum.gradient_descent)
ApplyMomentum = _p("ApplyMomentum", momentum.momentum_step,
                   "(use_nesterov=False, use_locking=False, gradient_scale=1.0)", fix=_NO_LOCK)
ApplyKerasMomentum = _p("ApplyKerasMomentum", momentum.keras_momentum, _NESTEROV, fix=_NO_LOCK)
SGD = _p("SGD", momentum.stochastic_descent, "(dampening=0.0, weight_decay=0.0, nesterov=False)")
ApplyAddSign = _p("ApplyAddSign", momentum.add_sign)
ApplyPowerSign = _p("ApplyPowerSign", momentum.power_sign)
FusedWeightScaleApplyMomentum = _p("FusedWeightScaleApplyMomentum", momentum.scaled_momentum)

# ---------------------------------------------------------------------- Adagrad, Adadelta, RMSProp, Ftrl, proximal

ApplyAdadelta = _p("ApplyAdadelta", adagrad_rmsprop.adadelta)
ApplyAdagrad = _p("ApplyAdagrad", adagrad_rmsprop.adagrad, "(update_slots=True)")
ApplyAdagradV2 = _p("ApplyAdagradV2", adagrad_rmsprop.adagrad_eps, "(epsilon, update_slots=True)")
ApplyAdagradDA = _p("ApplyAdagradDA", adagrad_rmsprop.adagrad_dual, _LOCK, fix=_NO_LOCK)
ApplyProximalGradientDescent = _p("ApplyProximalGradientDescent", adagrad_rmsprop.proximal_descent)
ApplyProximalAdagrad = _p("ApplyProximalAdagrad", adagrad_rmsprop.proximal_adagrad, _LOCK, fix=_NO_LOCK)
ApplyRMSProp = _p("ApplyRMSProp", adagrad_rmsprop.rmsprop, _LOCK, fix=_NO_LOCK)
ApplyCenteredRMSProp = _p("ApplyCenteredRMSProp", adagrad_rmsprop.centered_rmsprop, _LOCK, fix=_NO_LOCK)
ApplyFtrl = _p("ApplyFtrl", adagrad_rmsprop.ftrl, _LOCK, fix=_NO_LOCK)

# ---------------------------------------------------------------------- Adam and its relatives

Adam = _p("Adam", adam.adam, _NESTEROV, "(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient)",
          "gradient=grad", _NO_LOCK)
AdamNoUpdateParam = _p("AdamNoUpdateParam", adam.adam_delta, _NESTEROV, fix=_NO_LOCK)
ApplyAdaMax = _p("ApplyAdaMax", adam.adamax)
ApplyAdamWithAmsgrad = _p("ApplyAdamWithAmsgrad", adam.amsgrad,
                          "(beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False)", fix=_NO_LOCK)
ApplyAdamWithAmsgradV2 = _p("ApplyAdamWithAmsgradV2", adam.amsgrad, _LOCK, fix=_NO_LOCK)
AdamWeightDecay = _p("AdamWeightDecay", adam.adam_weight_decay, _LOCK, fix=_NO_LOCK)
FusedCastAdamWeightDecay = _p("FusedCastAdamWeightDecay", adam.cast_adam_weight_decay, _LOCK, fix=_NO_LOCK)
_FACTOR = "(enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False)"
FusedAdaFactor = _p("FusedAdaFactor", adam.adafactor, _FACTOR)
FusedAdaFactorWithGlobalNorm = _p("FusedAdaFactorWithGlobalNorm", adam.adafactor_of_norm, _FACTOR)
LARSUpdate = _p("LARSUpdate", adam.lars_update, "(epsilon=1e-05, hyperpara=0.001, use_clip=False)")

# ---------------------------------------------------------------------- on some rows

_FTRL = "(lr, l1, l2, lr_power, use_locking=False)"
SparseApplyAdadelta = _p("SparseApplyAdadelta", sparse_steps.sparse_adadelta, "(epsilon, use_locking=False)", fix=_NO_LOCK)
SparseApplyAdagrad = _p("SparseApplyAdagrad", sparse_steps.sparse_adagrad,
                        "(lr, update_slots=True, use_locking=False)", fix=_NO_LOCK)
SparseApplyAdagradV2 = _p("SparseApplyAdagradV2", sparse_steps.sparse_adagrad_eps,
                          "(lr, epsilon, use_locking=False, update_slots=True)", fix=_NO_LOCK)
SparseApplyFtrl = _p("SparseApplyFtrl", sparse_steps.sparse_ftrl, _FTRL, fix=_NO_LOCK)
SparseApplyFtrlV2 = _p("SparseApplyFtrlV2", sparse_steps.sparse_ftrl_shrunk,
                       "(lr, l1, l2, l2_shrinkage, lr_power, use_locking=False)", fix=_NO_LOCK)
SparseApplyProximalAdagrad = _p("SparseApplyProximalAdagrad", sparse_steps.sparse_proximal_adagrad, _LOCK, fix=_NO_LOCK)
SparseApplyRMSProp = _p("SparseApplyRMSProp", sparse_steps.sparse_rmsprop,
                        "(rho, momentum, epsilon, use_locking=False)", fix=_NO_LOCK)
FusedSparseAdam = _p("FusedSparseAdam", sparse_steps.sparse_adam, _NESTEROV, fix=_NO_LOCK)
FusedSparseLazyAdam = _p("FusedSparseLazyAdam", sparse_steps.lazy_adam, _NESTEROV, fix=_NO_LOCK)
FusedSparseFtrl = _p("FusedSparseFtrl", sparse_steps.fused_ftrl, _FTRL, fix=_NO_LOCK)
FusedSparseProximalAdagrad = _p("FusedSparseProximalAdagrad", sparse_steps.fused_proximal_adagrad, _LOCK, fix=_NO_LOCK)
