"""KITTI, Cityscapes and WIDER FACE datasets."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.public_sets.reader_table import (
    DECODED,
    ReaderResult,
    files_in,
    lazy_image,
    make_reader_class,
    number_labels,
    parse_lines,
    read_json,
    require_file,
)
from msjax.dataset.sources.rows import FileValue

_p = functools.partial(make_reader_class, __name__)
Given = Mapping[str, Any]

# Columns of KITTI: names, kinds, and which words of a line.
_KITTI: tuple[tuple[str, Any, slice], ...] = (
    ("truncated", np.float32, slice(1, 2)),
    ("occluded", np.uint32, slice(2, 3)),
    ("alpha", np.float32, slice(3, 4)),
    ("bbox", np.float32, slice(4, 8)),
    ("dimensions", np.float32, slice(8, 11)),
    ("location", np.float32, slice(11, 14)),
    ("rotation_y", np.float32, slice(14, 15)),
)


def _kitti(op: str, given: Given) -> ReaderResult:
    """Streets from a car, with the things on them. Columns: `image`, uint8; for training `label`, `bbox` and others.

    Args:
        dataset_dir: the folder with `data_object_image_2` and `data_object_label_2`.
        usage: "train" or "test", which has images alone. Default: "train".
    """
    root, part = Path(given["dataset_dir"]), "testing" if given["usage"] == "test" else "training"
    images = files_in(root / "data_object_image_2" / part / "image_2", (".png", ".jpg", ".jpeg"))
    if part == "testing":
        return ReaderResult(("image",), [(lazy_image(path, given),) for path in images])
    folder = root / "data_object_label_2" / part / "label_2"
    told = [list(parse_lines(op, folder / f"{path.stem}.txt", _thing)) for path in images]
    marks = number_labels(sorted({kind for each in told for kind, _ in each}))
    rows = []
    for path, each in zip(images, told, strict=True):
        kinds = np.array([marks[kind] for kind, _ in each], np.uint32).reshape(-1, 1)
        numbers = (np.array([values[i] for _, values in each]) for i in range(len(_KITTI)))
        rows.append((lazy_image(path, given), kinds, *numbers))
    return ReaderResult(("image", "label", *(name for name, *_ in _KITTI)), rows, marks, counts=False)


def _thing(line: str) -> tuple[str, list[np.ndarray]]:
    words = line.split()
    if len(words) < 15:
        raise ValueError(f"a line must have 15 words, not {len(words)}")
    return words[0], [np.array(words[at]).astype(kind) for _, kind, at in _KITTI]


_NOTES = {
    "instance": "instanceIds.png",
    "semantic": "labelIds.png",
    "color": "color.png",
    "polygon": "polygons.json",
}


def _cityscapes(op: str, given: Given) -> ReaderResult:
    """Streets of cities, and what every pixel shows. Columns: `image`, uint8; `task`, uint8, or a string for "polygon".

    Args:
        dataset_dir: the folder with `leftImg8bit` and `gtFine` or `gtCoarse`.
        usage: "train", "test", "val" or "all"; "train_extra" in place of "test" for coarse notes. Default: "train".
        quality_mode: "fine" or "coarse". Default: "fine".
        task: "instance", "semantic", "polygon" or "color". Default: "instance".
    """
    root, quality = Path(given["dataset_dir"]), given["quality_mode"]
    parts = ["train", "test", "val"] if quality == "fine" else ["train", "train_extra", "val"]
    if given["usage"] not in (*parts, "all"):
        checks.fail(ValueError, op, "usage", f"be one of {[*parts, 'all']}", given["usage"])
    rows = []
    for part in parts if given["usage"] == "all" else [given["usage"]]:
        for path in sorted(require_file(op, root / "leftImg8bit" / part).glob("*/*_leftImg8bit.png")):
            notes = f"gt{quality.capitalize()}"
            name = f"{path.name.removesuffix('_leftImg8bit.png')}_{notes}_{_NOTES[given['task']]}"
            note = require_file(op, root / notes / part / path.parent.name / name)
            told = FileValue(note, _outlines) if given["task"] == "polygon" else lazy_image(note, given)
            rows.append((lazy_image(path, given), told))
    return ReaderResult(("image", "task"), rows)


def _outlines(path: Path) -> np.str_:
    return np.str_(json.dumps(read_json("CityscapesDataset", path), separators=(",", ":")))


_FACES = ("blur", "expression", "illumination", "occlusion", "pose", "invalid")


def _wider_face(op: str, given: Given) -> ReaderResult:
    """Faces in crowds. Columns: `image`, uint8; but for the test `bbox` and six more, int32.

    Args:
        dataset_dir: the folder with `WIDER_train`, `WIDER_val`, `WIDER_test` and `wider_face_split`.
        usage: "train", "valid", "test", or "all" for the first two. Default: all.
    """
    root, usage, rows = Path(given["dataset_dir"]), given["usage"] or "all", []
    lists = root / "wider_face_split"
    if usage == "test":
        images = root / "WIDER_test" / "images"
        names = parse_lines(op, lists / "wider_face_test_filelist.txt", str.strip)
        return ReaderResult(("image",), [(lazy_image(images / name, given),) for name in names])
    for part in {"train": ["train"], "valid": ["val"], "all": ["train", "val"]}[usage]:
        path, images = lists / f"wider_face_{part}_bbx_gt.txt", root / f"WIDER_{part}" / "images"
        lines = parse_lines(op, path, _face)
        for name in lines:
            try:
                (count,) = map(int, next(lines))  # none is written as one of zeros
                faces = np.array([next(lines) for _ in range(max(count, 1))], np.int32)
                columns = faces[:, :4], *(faces[:, 4 + i] for i in range(len(_FACES)))
            except (StopIteration, TypeError, ValueError, IndexError) as error:
                raise RuntimeError(f"`{op}`: {path} does not hold the faces of {name!r}: {error}.") from error
            rows.append((lazy_image(images / str(name), given), *columns))
    return ReaderResult(("image", "bbox", *_FACES), rows)


def _face(line: str) -> list[int] | str:
    """Return the numbers of a line, or the name of an image, which has a folder."""
    return line.strip() if "/" in line else [int(word) for word in line.split()]


_DIR = "dataset_dir, usage=None, "
KITTIDataset = _p("KITTIDataset", _DIR + DECODED, _kitti, "train test")
WIDERFaceDataset = _p("WIDERFaceDataset", _DIR + DECODED, _wider_face, "train test valid all")
CityscapesDataset = _p(
    "CityscapesDataset",
    "dataset_dir, usage='train', quality_mode='fine', task='instance', "
    + DECODED.replace("decode=False", "decode=None"),
    _cityscapes,
    {"quality_mode": ["fine", "coarse"], "task": list(_NOTES)},
)
