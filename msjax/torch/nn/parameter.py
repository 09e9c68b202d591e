"""`torch.nn.parameter`. Names only."""

from msjax.torch.nn.module import Parameter as Parameter
