"""`torch.optim`: optimizers over optax, for imperative training loops. Names only."""

from typing import Any as _Any

from msjax.torch.functions import served_from_mint as _wider
from msjax.torch.optim import lr_scheduler as lr_scheduler
from msjax.torch.optim.adaptive import ASGD as ASGD
from msjax.torch.optim.adaptive import Adadelta as Adadelta
from msjax.torch.optim.adaptive import Adafactor as Adafactor
from msjax.torch.optim.adaptive import Adamax as Adamax
from msjax.torch.optim.adaptive import Muon as Muon
from msjax.torch.optim.adaptive import NAdam as NAdam
from msjax.torch.optim.adaptive import RAdam as RAdam
from msjax.torch.optim.adaptive import Rprop as Rprop
from msjax.torch.optim.adaptive import SparseAdam as SparseAdam
from msjax.torch.optim.lbfgs import LBFGS as LBFGS
from msjax.torch.optim.optimizer import SGD as SGD
from msjax.torch.optim.optimizer import Adagrad as Adagrad
from msjax.torch.optim.optimizer import Adam as Adam
from msjax.torch.optim.optimizer import AdamW as AdamW
from msjax.torch.optim.optimizer import Optimizer as Optimizer
from msjax.torch.optim.optimizer import RMSprop as RMSprop


def __getattr__(name: str) -> _Any:
    return _wider.make_placeholder("torch.optim", name)
