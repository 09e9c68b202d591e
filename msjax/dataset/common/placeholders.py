"""Placeholders for MindSpore's names that are not implemented: they can be imported and raise when used."""

from collections.abc import Callable
from typing import Any

from msjax.public_api import placeholders, recorded_api

_NONE = "msjax's pipeline has no such part."

# The two of MindSpore 1.x simulate the decoder of Ascend devices.
IMAGE_TRANSFORMS: set[str] = set(
    """DecodeVideo VideoDecoder read_video read_video_timestamps
    SoftDvppDecodeRandomCropResizeJpeg SoftDvppDecodeResizeJpeg""".split()
)
PARTS = ["sync_wait_for_dataset"]
_VOCAB = "Use `text.{}.from_dataset`; MindSpore's own method does nothing any more."
METHODS = {
    **dict.fromkeys("device_que get_init_step recv send set_init_step".split(), _NONE),
    "build_vocab": _VOCAB.format("Vocab"),
    "build_sentencepiece_vocab": _VOCAB.format("SentencePieceVocab"),
}


def class_placeholder(module: str, wanted: str) -> Any:
    """Return a class that raises when instantiated, for a name of MindSpore's; raise AttributeError for any other."""
    if wanted in PARTS:
        return _placeholder(module, wanted, _NONE)
    if recorded_api.has_module(f"{recorded_api.NAME}.dataset.{wanted}"):
        return placeholders.absent_module(f"{recorded_api.NAME}.dataset.{wanted}")
    raise AttributeError(f"module {module!r} has no attribute {wanted!r}")


def transform_placeholder(module: str, wanted: str, known: set[str]) -> Any:
    """Return such a class for a transform; `known` are MindSpore's names."""
    if wanted in known:
        return _placeholder(module, wanted, "Use a Python function in `map` instead.")
    raise AttributeError(f"module {module!r} has no attribute {wanted!r}")


def method_placeholder(cls: type, wanted: str) -> Callable[..., Any]:
    """Return a function that raises when called, for a method of MindSpore's datasets; AttributeError for any other."""
    if wanted not in METHODS:
        raise AttributeError(f"{cls.__name__!r} object has no attribute {wanted!r}")

    def missing(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"`Dataset.{wanted}` is not supported. {METHODS[wanted]}")

    return missing


def _placeholder(module: str, wanted: str, way_out: str) -> type:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"`{module}.{wanted}` is not supported. {way_out}")

    about = {"__doc__": f"Not supported. {way_out}", "way_out": way_out}
    return type(wanted, (), {"__init__": refuse, "__module__": module, **about})
