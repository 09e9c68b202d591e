"""`torch.cuda`: device queries; JAX places arrays, so there is no device to choose."""

from msjax.torch.random import manual_seed as manual_seed
from msjax.torch.random import manual_seed as manual_seed_all  # noqa: F401


def is_available() -> bool:
    """False: programs are not to move their tensors; they are on the best device already."""
    return False


def device_count() -> int:
    """0, for the same reason."""
    return 0


def synchronize(device: object = None) -> None:
    """Do nothing: results are waited for when they are read."""


def empty_cache() -> None:
    """Do nothing: XLA manages its memory."""
