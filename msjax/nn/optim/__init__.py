"""Optimizers."""

from msjax.nn.optim.ada_grad import Adagrad as Adagrad
from msjax.nn.optim.adam import Adam as Adam
from msjax.nn.optim.adam import AdamWeightDecay as AdamWeightDecay
from msjax.nn.optim.momentum import Momentum as Momentum
from msjax.nn.optim.optimizer import Optimizer as Optimizer
from msjax.nn.optim.rmsprop import RMSProp as RMSProp
from msjax.nn.optim.sgd import SGD as SGD
