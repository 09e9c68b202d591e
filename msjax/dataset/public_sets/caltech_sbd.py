"""Caltech 101 and Semantic Boundaries (SBD) datasets, whose annotations are MATLAB files."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.public_sets.matlab import load_matlab
from msjax.dataset.public_sets.reader_table import (
    DECODED,
    ReaderResult,
    lazy_image,
    make_reader_class,
    number_labels,
    read_lines,
)
from msjax.dataset.sources.rows import FileValue

_p = functools.partial(make_reader_class, __name__)
Given = Mapping[str, Any]
_END = DECODED.replace("num_parallel_workers=None", "num_parallel_workers=1").removesuffix(", cache=None")
# Where the folder of a class's outlines has another name than the folder of its pictures.
_OUTLINES = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}


def _caltech101(op: str, given: Given) -> ReaderResult:
    """Pictures of things of 101 kinds, with their outlines. Columns: `image`, uint8; `category`; `annotation`.

    `category` is the place of the folder's name among all names, int64; `annotation` an array of points, shape (2, n).

    Args:
        dataset_dir: the folder with `101_ObjectCategories` and `Annotations`.
        target_type: "category", "annotation" or "all". Default: "category".
    """
    root, wanted = Path(given["dataset_dir"]), given["target_type"] or "category"
    folders = sorted(
        p.name for p in _inside(op, root / "101_ObjectCategories") if p.name != "BACKGROUND_Google"
    )
    rows = []
    for number, name in enumerate(folders):
        images = root / "101_ObjectCategories" / name
        for i in range(1, len(_inside(op, images)) + 1):
            notes = root / "Annotations" / _OUTLINES.get(name, name) / f"annotation_{i:04d}.mat"
            columns = {
                "category": np.int64(number),
                "annotation": FileValue(notes, _matlab, op, "obj_contour"),
            }
            kept = columns.values() if wanted == "all" else [columns[wanted]]
            rows.append((lazy_image(images / f"image_{i:04d}.jpg", given), *kept))
    names = ("category", "annotation") if wanted == "all" else (wanted,)
    return ReaderResult(("image", *names), rows, number_labels(folders), counts=False)


def _boundaries(op: str, given: Given) -> ReaderResult:
    """Outlines and areas of things of 20 kinds. Columns: `image`, uint8; `task`, uint8.

    Args:
        dataset_dir: the folder with `img`, `cls` and the lists `train.txt` and others.
        task: "Boundaries" for 20 images of outlines, (20, H, W); "Segmentation" for one of areas, (H, W).
            Default: "Boundaries".
        usage: "train", "val", "train_noval" or "all", the first two. Default: "all".
    """
    root, task, rows = Path(given["dataset_dir"]), given["task"], []
    for part in ("train", "val") if given["usage"] == "all" else [given["usage"]]:
        if not (root / f"{part}.txt").is_file():
            checks.fail(
                FileNotFoundError, op, "usage", f"name a list: there is no {root / part}.txt", given["usage"]
            )
        for name in filter(None, map(str.strip, read_lines(op, root / f"{part}.txt"))):
            notes = FileValue(root / "cls" / f"{name}.mat", _kinds, op, task)
            rows.append((lazy_image(root / "img" / f"{name}.jpg", given), notes))
    return ReaderResult(("image", "task"), rows)


def _kinds(path: Path, op: str, task: str) -> np.ndarray:
    found = _matlab(path, op, "GTcls")[0][task][0]
    return np.stack([one[0].toarray() for one in found]) if task == "Boundaries" else found


def _matlab(path: Path, op: str, name: str) -> Any:
    if not path.is_file():
        raise ValueError(f"`{op}`: there is no {path}.")
    return load_matlab(op, path, (name,))[name]


def _inside(op: str, path: Path) -> list[Path]:
    if not path.is_dir():
        raise FileNotFoundError(f"`{op}`: there is no folder {path}.")
    return list(path.iterdir())


Caltech101Dataset = _p(
    "Caltech101Dataset",
    f"dataset_dir, target_type=None, {_END}",
    _caltech101,
    {"target_type": ["category", "annotation", "all"]},
)
SBDataset = _p(
    "SBDataset",
    f"dataset_dir, task='Boundaries', usage='all', {_END.replace('decode=False', 'decode=None')}",
    _boundaries,
    {"task": ["Boundaries", "Segmentation"], "usage": ["train", "val", "train_noval", "all"]},
)
