"""`torch.backends`: PyTorch's backend switches, which have no effect here."""

from types import SimpleNamespace

from msjax.torch.backends import cudnn as cudnn

cuda = SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False))
mps = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
