"""COCO and VOC datasets: images with bounding boxes, segmentation, key points and captions."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import functools
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.pipeline.nodes import FileRows
from msjax.dataset.public_sets.json_arrays import JsonFile
from msjax.dataset.public_sets.reader_table import (
    DECODED,
    ReaderResult,
    lazy_image,
    make_reader_class,
    number_labels,
    parse_lines,
    require_file,
)

_p = functools.partial(make_reader_class, __name__)
Given = Mapping[str, Any]

_COCO = {
    "Detection": ("bbox", "category_id", "iscrowd"),
    "Stuff": ("segmentation", "iscrowd"),
    "Keypoint": ("keypoints", "num_keypoints"),
    "Panoptic": ("bbox", "category_id", "iscrowd", "area"),
    "Captioning": ("captions",),
}


def _column(values: Sequence[Any]) -> np.ndarray:
    return np.array(values, np.uint32).reshape(-1, 1)


def _pad_rows(values: Sequence[Sequence[float]]) -> np.ndarray:
    """Rows of numbers, short ones filled with -1."""
    found = np.full((len(values), max(map(len, values))), -1, np.float32)
    for row, each in zip(found, values, strict=True):
        row[: len(each)] = each
    return found


def _outline(op: str, note: Mapping[str, Any]) -> list[float]:
    shape = note["segmentation"]
    if note["iscrowd"]:
        if not isinstance(shape, dict) or "counts" not in shape:
            raise RuntimeError(f"`{op}`: an annotation with `iscrowd` must have `counts`. Received: {shape}.")
        return shape["counts"]
    return [number for part in shape for number in part]


def _coco_row(op: str, task: str, notes: list[Mapping[str, Any]]) -> list[np.ndarray]:
    if task == "Captioning":
        return [np.array([[note["caption"]] for note in notes])]
    if task == "Stuff":
        return [
            _pad_rows([_outline(op, note) for note in notes]),
            _column([note["iscrowd"] for note in notes]),
        ]
    if task == "Keypoint":
        return [
            _pad_rows([note["keypoints"] for note in notes]),
            _column([note["num_keypoints"] for note in notes]),
        ]
    boxes = np.array([note["bbox"] for note in notes], np.float32)
    return [boxes, *(_column([note.get(key, 0) for note in notes]) for key in _COCO[task][1:])]


def _coco(op: str, given: Given) -> ReaderResult:
    """Images with notes in a JSON file of COCO's. Columns: `image`, uint8, and those of the task.

    Args:
        dataset_dir: the folder of the images.
        annotation_file: the file.
        task: "Detection" (`bbox`, `category_id`, `iscrowd`), "Stuff" (`segmentation`, `iscrowd`), "Keypoint"
            (`keypoints`, `num_keypoints`), "Panoptic" (`bbox`, `category_id`, `iscrowd`, `area`) or "Captioning"
            (`captions`). Default: "Detection".
        extra_metadata: also the names of the files, in `_meta-filename`, which must be renamed to be seen.
        decrypt: a function from the path of a file to its bytes.

    Coordinates are float32 with a row for each thing, the rest uint32 columns. Images without notes are left out.
    """
    notes, task = _Notes(op, given), given["task"]
    kinds = notes.categories if task in ("Detection", "Panoptic") else ()
    marks = {k["name"]: [k["id"], k["isthing"]] if task == "Panoptic" else [k["id"]] for k in kinds}
    columns = ("image", *_COCO[task], *["_meta-filename"] * bool(given["extra_metadata"]))
    return ReaderResult(columns, notes, marks, counts=False)


class _Notes(FileRows):
    """Rows of images and their annotations; only positions in the file are kept.

    Attributes:
        categories: the kinds of things.
    """

    def __init__(self, op: str, given: Given) -> None:
        self.op, self.given = op, given
        self.file = JsonFile(op, Path(given["annotation_file"]))
        names: dict[Any, str] = {}
        places: dict[Any, array[int]] = {}  # of the annotations of each image
        self.categories: list[Mapping[str, Any]] = []
        for name, start, end, value in self.file.elements(("images", "annotations", "categories")):
            try:
                if name == "images":
                    names[value["id"]] = value["file_name"]
                elif name == "annotations":
                    places.setdefault(value["image_id"], array("q")).extend((start, end))
                else:
                    self.categories.append(value)
            except (KeyError, TypeError, IndexError) as error:
                where = f"an element of {name!r} in {self.file.path} at byte {start} is not COCO's"
                raise RuntimeError(f"`{op}`: {where}: {type(error).__name__}: {error}.") from error
        unknown = next((image for image in places if image not in names), None)
        if unknown is not None:
            raise RuntimeError(f"`{op}`: no image has the id {unknown!r} that an annotation names.")
        self.rows = [(names[image], found) for image, found in places.items()]

    def __len__(self) -> int:
        return len(self.rows)

    def file_of(self, index: int) -> Path:
        """The path of the image of a row."""
        return Path(self.given["dataset_dir"], self.rows[index][0])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        name, places = self.rows[index]
        notes = [self.file.load(*span) for span in zip(places[::2], places[1::2], strict=True)]
        if self.given["task"] == "Panoptic":
            notes = [one for note in notes for one in note["segments_info"]]
        try:
            columns = _coco_row(self.op, self.given["task"], notes)
        except (KeyError, TypeError, ValueError) as error:
            where = f"the annotations of {name} in {self.file.path} are not those of the task"
            raise RuntimeError(f"{where}: {type(error).__name__}: {error}") from error
        image = lazy_image(self.file_of(index), self.given)()
        return (image, *columns, *[np.str_(Path(name).stem)] * bool(self.given["extra_metadata"]))


def _voc(op: str, given: Given) -> ReaderResult:
    """Images of the VOC challenges. Columns: `image` and `target`, uint8; or `image`, `bbox`, `label` and others.

    Args:
        dataset_dir: the folder with `JPEGImages`, `ImageSets` and the others.
        task: "Segmentation" or "Detection", which gives `bbox`, float32 (x, y, width, height), and the uint32 columns
            `label`, `difficult`, `truncate`. Default: "Segmentation".
        usage: the name of a list in `ImageSets`. Default: "train".
        class_indexing: for "Detection", a dict from the name of a class to its label; others are left out.
        extra_metadata: also the names of the files, in `_meta-filename`, which must be renamed to be seen.
        decrypt: a function from the path of a file to its bytes.
    """
    root, task = Path(given["dataset_dir"]), given["task"]
    if given["class_indexing"] is not None and task == "Segmentation":
        checks.fail(ValueError, op, "class_indexing", "be None for segmentation", given["class_indexing"])
    part = root / "ImageSets" / ("Main" if task == "Detection" else task) / f"{given['usage']}.txt"
    if not part.is_file():
        checks.fail(ValueError, op, "usage", f"be the name of a list: there is no {part}", given["usage"])
    names = list(parse_lines(op, part, str.strip))
    marks: Mapping[str, Any] | None = None
    if task == "Detection":
        things = {name: _things(op, root / "Annotations" / f"{name}.xml") for name in names}
        marks = given["class_indexing"] or number_labels(
            sorted({t[0] for each in things.values() for t in each})
        )
    rows = []
    for name in names:
        row: tuple = (lazy_image(root / "JPEGImages" / f"{name}.jpg", given),)
        if marks is None:
            row += (lazy_image(root / "SegmentationClass" / f"{name}.png", given),)
        else:
            kept = [(marks[t[0]], *t[1:]) for t in things[name] if t[0] in marks]
            if not kept:
                continue
            row += (
                np.array([t[3] for t in kept], np.float32),
                *(_column([t[i] for t in kept]) for i in range(3)),
            )
        rows.append((*row, np.str_(name)) if given["extra_metadata"] else row)
    columns = ("image", "target") if marks is None else ("image", "bbox", "label", "difficult", "truncate")
    return ReaderResult(
        (*columns, *["_meta-filename"] * bool(given["extra_metadata"])), rows, marks, counts=False
    )


def _things(op: str, path: Path) -> list[tuple[str, int, int, list[float]]]:
    """Return name, difficult, truncated and box of each object in an annotation file."""
    try:
        return [_thing(one) for one in ET.parse(require_file(op, path)).getroot().iter("object")]
    except (ET.ParseError, ValueError) as error:
        raise RuntimeError(f"`{op}`: {path} is no annotation of VOC's: {error}.") from error


def _thing(node: ET.Element) -> tuple[str, int, int, list[float]]:
    difficult, truncated = (int(node.findtext(key) or 0) for key in ("difficult", "truncated"))
    low_x, low_y, high_x, high_y = (
        float(node.findtext(f"bndbox/{key}") or 0) for key in ("xmin", "ymin", "xmax", "ymax")
    )
    return node.findtext("name") or "", difficult, truncated, [low_x, low_y, high_x - low_x, high_y - low_y]


_END = "extra_metadata=False, decrypt=None"
CocoDataset = _p(
    "CocoDataset",
    f"dataset_dir, annotation_file, task='Detection', {DECODED}, {_END}",
    _coco,
    {"task": list(_COCO)},
)
VOCDataset = _p(
    "VOCDataset", f"dataset_dir, task='Segmentation', usage='train', class_indexing=None, {DECODED}, {_END}", _voc,
    {"task": ["Segmentation", "Detection"]},
)  # fmt: skip
