"""`reshard` for arrays on several devices (`mindspore.parallel.function`)."""

from msjax.ops.primitives.resharding import reshard as reshard

__all__ = ["reshard"]
