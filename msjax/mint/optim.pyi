from msjax.experimental.optim.adam_family import AdamW as AdamW
from msjax.experimental.optim.adam_family import AdamW as FusedAdamW
from msjax.mint._optimizers import SGD as SGD
from msjax.mint._optimizers import Adam as Adam
