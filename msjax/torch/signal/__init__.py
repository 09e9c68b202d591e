"""`torch.signal`: windows."""

from msjax.torch.signal import windows as windows
