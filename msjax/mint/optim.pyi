from msjax.experimental.optim.adam_family import Adam as Adam
from msjax.experimental.optim.adam_family import AdamW as AdamW
from msjax.experimental.optim.adam_family import AdamW as FusedAdamW
from msjax.experimental.optim.descent import SGD as SGD
