"""PhotoTour: patches of photographs, many in one bitmap, and pairs of them that show the same point or not."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.public_sets.reader_table import (
    ROWS,
    ReaderResult,
    make_reader_class,
    parse_lines,
    read_lines,
    require_file,
)
from msjax.dataset.sources.rows import FileValue
from msjax.dataset.vision.pixels import Decode

_SIDE, _ACROSS = 64, 16  # pixels of a patch, and patches beside and below one another in a bitmap
_NAMES = "notredame yosemite liberty notredame_harris yosemite_harris liberty_harris"
_PAIRS = "m50_100000_100000_0.txt"


def _photo_tour(op: str, given: Mapping[str, Any]) -> ReaderResult:
    """Patches of photographs (S. Winder and M. Brown, "Learning local image descriptors", 2007).

    Columns of "train": `image`, uint8 (64, 64, 1). Columns of "test": `image1`, `image2`; `matches`, uint32, 1 if both show
    one point.

    Args:
        dataset_dir: the folder of the folders `liberty` and others, with `info.txt`, `patches0000.bmp` ... and, for the
            test, `m50_100000_100000_0.txt`.
        name: which of them: "notredame", "yosemite", "liberty", or one of these with "_harris".
        usage: "train" or "test". Default: "train".
    """
    root = require_file(op, Path(given["dataset_dir"], given["name"]))
    if given["usage"] in (None, "train"):
        count = sum(1 for line in read_lines(op, root / "info.txt") if line.strip())
        return ReaderResult(["image"], [(_patch(op, root, number),) for number in range(count)])

    def pair(line: str) -> tuple[FileValue, FileValue, np.uint32]:
        first, point, _, second, other = map(int, line.split()[:5])
        return _patch(op, root, first), _patch(op, root, second), np.uint32(point == other)

    return ReaderResult(["image1", "image2", "matches"], list(parse_lines(op, root / _PAIRS, pair)))


def _patch(op: str, root: Path, number: int) -> FileValue:
    """Return a patch when it is asked for."""
    bitmap, place = divmod(number, _ACROSS**2)
    return FileValue(root / f"patches{bitmap:04d}.bmp", _cut_patch, op, *divmod(place, _ACROSS))


def _cut_patch(path: Path, op: str, row: int, column: int) -> np.ndarray:
    grey = _bitmap(op, path)
    top, left = row * _SIDE, column * _SIDE
    if top + _SIDE > grey.shape[0] or left + _SIDE > grey.shape[1]:
        raise RuntimeError(
            f"`{op}`: {path} must have 1024 x 1024 pixels. Received: {grey.shape[0]} x {grey.shape[1]}."
        )
    return grey[top : top + _SIDE, left : left + _SIDE, None].copy()


@functools.lru_cache(maxsize=8)
def _bitmap(op: str, path: Path) -> np.ndarray:
    """Return the pixels of a bitmap; neighbours are often asked for together."""
    return Decode()(np.frombuffer(require_file(op, path).read_bytes(), np.uint8))[..., 0]


PhotoTourDataset = make_reader_class(
    __name__,
    "PhotoTourDataset",
    "dataset_dir, name, usage=None, " + ROWS,
    _photo_tour,
    {"usage": ["train", "test"], "name": _NAMES.split()},
)
