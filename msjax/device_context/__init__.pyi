from msjax.device_context import ascend as ascend
from msjax.device_context import cpu as cpu
from msjax.device_context import gpu as gpu
