"""`torch.utils`. Names only."""

from msjax.torch.utils import checkpoint as checkpoint
from msjax.torch.utils import data as data
