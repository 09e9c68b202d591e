"""Optimizers."""

from msjax.nn.optim.ada_grad import Adagrad as Adagrad
from msjax.nn.optim.adadelta import Adadelta as Adadelta
from msjax.nn.optim.adam import Adam as Adam
from msjax.nn.optim.adam import AdamWeightDecay as AdamWeightDecay
from msjax.nn.optim.adamax import AdaMax as AdaMax
from msjax.nn.optim.asgd import ASGD as ASGD
from msjax.nn.optim.from_optax import Optax as Optax
from msjax.nn.optim.ftrl import FTRL as FTRL
from msjax.nn.optim.lazyadam import AdamOffload as AdamOffload
from msjax.nn.optim.lazyadam import LazyAdam as LazyAdam
from msjax.nn.optim.momentum import Momentum as Momentum
from msjax.nn.optim.optimizer import Optimizer as Optimizer
from msjax.nn.optim.proximal_ada_grad import ProximalAdagrad as ProximalAdagrad
from msjax.nn.optim.rmsprop import RMSProp as RMSProp
from msjax.nn.optim.rprop import Rprop as Rprop
from msjax.nn.optim.sgd import SGD as SGD
