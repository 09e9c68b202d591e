"""`torch.backends`: switches of PyTorch's that have no effect here."""

from types import SimpleNamespace

cudnn = SimpleNamespace(
    benchmark=False,
    deterministic=False,
    enabled=False,
    allow_tf32=False,
    is_available=lambda: False,
    version=lambda: None,
)
cuda = SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False))
mps = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
