"""`nn.layer`: MindSpore's path of its layers; the names are those of `msjax.nn`, also in `layer.activation` and so on."""

from typing import Any

from msjax import nn
from msjax.nn.layers.math import CosineSimilarity as CosineSimilarity

_NAMES = list(getattr(nn, "__all__"))  # noqa: B009  they are loaded lazily
globals()["__all__"] = _NAMES

_PARTS = frozenset(
    """activation basic channel_shuffle combined container conv dense embedding image math normalization padding pooling
    rnn_cells rnns thor_layer timedistributed transformer""".split()
)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return nn if name in _PARTS else getattr(nn, name)


def __dir__() -> list[str]:
    return sorted({*_NAMES, *_PARTS})
