"""Labelled image datasets: digits in few files, one folder per class, lists of files."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import functools
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.public_sets.matlab import load_matlab, map_matlab_arrays
from msjax.dataset.public_sets.reader_table import (
    DECODED,
    LINES,
    ROWS,
    ReaderResult,
    files_in,
    lazy_image,
    make_reader_class,
    number_labels,
    parse_lines,
    read_idx,
    read_lines,
    require_file,
)
from msjax.dataset.sources.lines import LineFile, Lines, find_filled_lines
from msjax.dataset.sources.rows import ArrayFiles, FileValue

_p = functools.partial(make_reader_class, __name__)
Given = Mapping[str, Any]
_IMAGE_LABEL = ("image", "label")
_JPEG = (".jpg", ".jpeg")


# ---------------------------------------------------------------------- digits


def _pictures(op: str, files: Sequence[tuple[Path, np.ndarray, np.ndarray]]) -> ReaderResult:
    """Return the rows of images and labels that files hold.

    Raises:
        RuntimeError: if a file has more or fewer images than there are labels.
    """
    for path, images, labels in files:
        if len(images) != len(labels):
            raise RuntimeError(
                f"`{op}`: {path} has {len(images)} images, and there are {len(labels)} labels."
            )
    paths = [path for path, *_ in files]
    return ReaderResult(_IMAGE_LABEL, ArrayFiles(paths, [tuple(columns) for _, *columns in files]))


def _emnist(op: str, given: Given) -> ReaderResult:
    """Handwritten letters and digits in files like MNIST's. Columns: `image`, uint8; `label`, uint32.

    Args:
        dataset_dir: the folder of the files.
        name: "byclass", "bymerge", "balanced", "letters", "digits" or "mnist".
        usage: "train", "test" or "all". Default: all.

    The other arguments are those of `MnistDataset`.
    """
    if given["name"] is None:
        checks.fail(TypeError, op, "name", "be a str", None)
    usage, files = given["usage"], []
    for part in ("test", "train") if usage in (None, "all") else (usage,):
        stem = Path(given["dataset_dir"], f"emnist-{given['name']}-{part}")
        path = Path(f"{stem}-images-idx3-ubyte")
        marks = read_idx(op, Path(f"{stem}-labels-idx1-ubyte")).astype(np.uint32)
        files.append((path, read_idx(op, path)[..., None], marks))
    return _pictures(op, files)


def _qmnist(op: str, given: Given) -> ReaderResult:
    """MNIST's digits with more of their history. Columns: `image`, uint8; `label`, uint32.

    Args:
        dataset_dir: the folder of the files.
        usage: "train", "test", "test10k", "test50k", "nist" or "all". Default: all.
        compat: the class alone in `label`; otherwise all eight numbers. Default: True.

    The other arguments are those of `MnistDataset`.
    """
    usage = given["usage"] or "all"
    checks.check_bool(op, "compat", given["compat"])
    stems = {"train": ["qmnist-train"], "nist": ["xnist"], "all": ["qmnist-train", "qmnist-test", "xnist"]}
    files = []
    for stem in stems.get(usage, ["qmnist-test"]):
        path = Path(given["dataset_dir"], f"{stem}-images-idx3-ubyte")
        images = read_idx(op, path)[..., None]
        marks = read_idx(op, path.with_name(f"{stem}-labels-idx2-int")).astype(np.uint32)
        part = {"test10k": slice(10000), "test50k": slice(10000, None)}.get(usage, slice(None))
        files.append((path, images[part], (marks[:, 0] if given["compat"] else marks)[part]))
    return _pictures(op, files)


def _usps(op: str, given: Given) -> ReaderResult:
    """Digits from letters, in the text files `usps` and `usps.t`. Columns: `image`, uint8 (16, 16, 1); `label`, uint32.

    Args:
        dataset_dir: the folder of the files.
        usage: "train", "test" or "all". Default: all.

    The other arguments are those of `TextFileDataset`.
    """
    parts = {"test": "usps.t", "train": "usps"}
    usage = given["usage"]
    names = parts.values() if usage in (None, "all") else [parts[usage]]
    files = [
        LineFile(require_file(op, Path(given["dataset_dir"], name)), find_filled_lines) for name in names
    ]
    return ReaderResult(_IMAGE_LABEL, Lines(op, files, parse=_usps_digit))


def _usps_digit(line: str) -> tuple[np.ndarray, np.uint32]:
    label, *values = line.split()
    grey = np.array([float(value.partition(":")[2]) for value in values])
    if grey.size != 256:
        raise ValueError(f"a line must have 256 values, not {grey.size}")
    return ((grey + 1) / 2 * 255).astype(np.uint8).reshape(16, 16, 1), np.uint32(int(label) - 1)


def _semeion(op: str, given: Given) -> ReaderResult:
    """Digits of 16 x 16 black and white pixels, in `semeion.data`. Columns: `image`, uint8; `label`, uint32."""
    path = require_file(op, Path(given["dataset_dir"], "semeion.data"))
    return ReaderResult(_IMAGE_LABEL, Lines(op, [LineFile(path, find_filled_lines)], parse=_semeion_digit))


def _semeion_digit(line: str) -> tuple[np.ndarray, np.uint32]:
    values = [int(float(value)) for value in line.split()]
    if len(values) != 266 or sum(values[256:]) != 1:
        raise ValueError("a line must have 256 pixels, and 10 digits of which one is 1")
    return np.array(values[:256], np.uint8).reshape(16, 16), np.uint32(np.argmax(values[256:]))


def _stl10(op: str, given: Given) -> ReaderResult:
    """Photographs of 96 x 96 pixels in binary files. Columns: `image`, uint8; `label`, int32, -1 for none.

    Args:
        dataset_dir: the folder of the files.
        usage: "train", "test", "unlabeled", "train+unlabeled" or "all". Default: all.
    """
    usage, files = given["usage"] or "all", []
    for part in ("test", "train", "unlabeled") if usage == "all" else usage.split("+"):
        path = require_file(op, Path(given["dataset_dir"], f"{part}_X.bin"))
        count, rest = divmod(path.stat().st_size, 3 * 96 * 96)
        if rest or not count:
            raise RuntimeError(f"`{op}`: {path} does not hold images of {3 * 96 * 96} bytes.")
        pixels = np.memmap(path, np.uint8, "r", 0, (count, 3, 96, 96)).view(np.ndarray)
        marks = np.zeros(count, np.uint8)
        if part != "unlabeled":
            marks = np.fromfile(require_file(op, path.with_name(f"{part}_y.bin")), np.uint8)
        files.append((path, pixels.transpose(0, 3, 2, 1), marks.astype(np.int32) - 1))
    return _pictures(op, files)


def _svhn(op: str, given: Given) -> ReaderResult:
    """House numbers in MATLAB's files. Columns: `image`, uint8 (32, 32, 3); `label`, uint32.

    Args:
        dataset_dir: the folder of `train_32x32.mat`, `test_32x32.mat` and `extra_32x32.mat`.
        usage: "train", "test", "extra" or "all". Default: all.
    """
    usage, files = given["usage"], []
    for part in ("train", "test", "extra") if usage in (None, "all") else (usage,):
        path = require_file(op, Path(given["dataset_dir"], f"{part}_32x32.mat"))
        content = map_matlab_arrays(op, path, ("X", "y"))
        marks = np.where(content["y"] == 10, 0, content["y"]).ravel().astype(np.uint32)
        files.append((path, np.moveaxis(content["X"], 3, 0), marks))
    return _pictures(op, files)


# ---------------------------------------------------------------------- folders


def _label_files(
    folders: Sequence[Path], marks: Iterable[Any], given: Given, endings: Sequence[str] = ()
) -> list[tuple]:
    pairs = zip(folders, marks, strict=True)
    return [(lazy_image(path, given), mark) for each, mark in pairs for path in files_in(each, endings)]


def _folders(path: Path) -> list[Path]:
    return [p for p in sorted(path.iterdir()) if p.is_dir()] if path.is_dir() else []


def _caltech256(op: str, given: Given) -> ReaderResult:
    """Photographs in one folder for each of 256 kinds of things. Columns: `image`, uint8; `label`, int32."""
    folders = _folders(Path(given["dataset_dir"]))
    rows = _label_files(folders, np.arange(len(folders), dtype=np.int32), given)
    return ReaderResult(_IMAGE_LABEL, rows, number_labels([each.name for each in folders]))


def _read_rendered(op: str, given: Given) -> ReaderResult:
    """Sentences of film reviews as pictures, in `negative` and `positive`. Columns: `image`, uint8; `label`, uint32.

    Args:
        dataset_dir: the folder with `train`, `valid` and `test`.
        usage: "train", "val", "test" or "all". Default: all.
    """
    parts = {"test": "test", "train": "train", "val": "valid"}
    usage, rows = given["usage"], []
    for part in parts.values() if usage in (None, "all") else [parts[usage]]:
        for mark, name in enumerate(("negative", "positive")):
            rows += _label_files([Path(given["dataset_dir"], part, name)], [np.uint32(mark)], given)
    return ReaderResult(_IMAGE_LABEL, rows, number_labels(["negative", "positive"]))


def _sun397(op: str, given: Given) -> ReaderResult:
    """Scenes in the folders that `ClassName.txt` lists. Columns: `image`, uint8; `label`, uint32."""
    root = Path(given["dataset_dir"])
    names = list(parse_lines(op, root / "ClassName.txt", str.strip))
    rows = _label_files(
        [root / name.lstrip("/") for name in names], np.arange(len(names), dtype=np.uint32), given
    )
    return ReaderResult(_IMAGE_LABEL, rows, number_labels(names), counts=False)


def _omniglot(op: str, given: Given) -> ReaderResult:
    """Characters of many alphabets, a folder for each. Columns: `image`, uint8; `label`, int32.

    Args:
        dataset_dir: the folder with `images_background` and `images_evaluation`.
        background: True for `images_background`, False for `images_evaluation`. Default: True.
    """
    part = "background" if given["background"] in (None, True) else "evaluation"
    root = require_file(op, Path(given["dataset_dir"], f"images_{part}"))
    folders = [each for alphabet in _folders(root) for each in _folders(alphabet)]
    rows = _label_files(folders, np.arange(len(folders), dtype=np.int32), given)
    return ReaderResult(_IMAGE_LABEL, rows, number_labels([str(each.relative_to(root)) for each in folders]))


_SCENES = "bedroom bridge church_outdoor classroom conference_room dining_room kitchen living_room restaurant tower".split()


def _lsun(op: str, given: Given) -> ReaderResult:
    """Scenes in folders such as `bedroom_train`. Columns: `image`, uint8; `label`, uint32.

    As in MindSpore, folders are counted in the order of their names, so that with "all" those for training and those for
    validation have labels of their own; images of the test have label 0.

    Args:
        dataset_dir: the folder of these.
        usage: "train", "valid", "test" or "all". Default: all.
        classes: list of classes, such as "bedroom". Default: all.
    """
    root, usage, classes = Path(given["dataset_dir"]), given["usage"] or "all", given["classes"]
    if classes is not None and not (
        isinstance(classes, list) and all(isinstance(one, str) for one in classes)
    ):
        checks.fail(TypeError, op, "classes", "be a list of str", classes)
    if any(one not in _SCENES for one in classes or ()):
        checks.fail(ValueError, op, "classes", f"hold some of {_SCENES}", classes)
    if usage == "test":
        return ReaderResult(_IMAGE_LABEL, _label_files([root / "test"], [np.uint32(0)], given), {})
    endings = {"train": ["train"], "valid": ["val"], "all": ["train", "val"]}[usage]
    wanted = {f"{name}_{ending}" for name in classes or _SCENES for ending in endings}
    kept = [folder for folder in _folders(root) if folder.name in wanted]
    names = dict.fromkeys(folder.name.rpartition("_")[0] for folder in kept)
    rows = _label_files(kept, np.arange(len(kept), dtype=np.uint32), given)
    return ReaderResult(_IMAGE_LABEL, rows, number_labels(list(names)))


# ---------------------------------------------------------------------- lists of files


def _celeba(op: str, given: Given) -> ReaderResult:
    """Faces with forty attributes, which `list_attr_celeba.txt` lists. Columns: `image`, uint8; `attr`, uint32.

    Args:
        dataset_dir: the folder of the list and the images.
        usage: "train", "valid", "test" (by `list_eval_partition.txt`) or "all". Default: all.
        extensions: list of endings. Default: all files.
        decrypt: a function from the path of a file to its bytes.
    """
    root, usage = Path(given["dataset_dir"]), given["usage"]
    kept: set[str] | None = None
    if usage != "all":
        number = {"train": "0", "valid": "1", "test": "2"}[usage]
        kept = {
            name
            for name, part in parse_lines(op, root / "list_eval_partition.txt", _two_words)
            if part == number
        }

    def face(line: str) -> tuple[FileValue, np.ndarray] | None:
        name, *values = line.split()
        marks = np.array([int(value) > 0 for value in values], np.uint32)
        ending = not given["extensions"] or Path(name).suffix in given["extensions"]
        return (lazy_image(root / name, given), marks) if ending and (kept is None or name in kept) else None

    rows = [row for row in parse_lines(op, root / "list_attr_celeba.txt", face, 2) if row]
    return ReaderResult(("image", "attr"), rows)


def _two_words(line: str) -> tuple[str, str]:
    one, other = line.split()
    return one, other


def _flickr(op: str, given: Given) -> ReaderResult:
    """Photographs with five descriptions. Columns: `image`, uint8; `annotation`, strings.

    Args:
        dataset_dir: the folder of the images.
        annotation_file: lines of a file's name, `#` and a number, a tab, and a description.
    """
    told: dict[str, list[str]] = {}
    for line in read_lines(op, Path(given["annotation_file"])):
        name, _, text = line.partition("\t")
        if text:
            told.setdefault(name.partition("#")[0], []).append(text)
    root = Path(given["dataset_dir"])
    rows = [  # an array of strings takes four times the memory of the strings
        (lazy_image(root / name, given), functools.partial(np.array, texts)) for name, texts in told.items()
    ]
    return ReaderResult(("image", "annotation"), rows)


def _div2k(op: str, given: Given) -> ReaderResult:
    """Photographs, and the same with fewer pixels. Columns: `hr_image`, `lr_image`, uint8.

    Args:
        dataset_dir: the folder with `DIV2K_train_HR` and the others.
        usage: "train", "valid" or "all". Default: "train".
        downgrade: "bicubic", "unknown", "mild", "difficult" or "wild". Default: "bicubic".
        scale: 2, 3, 4 or 8. Default: 2.
    """
    rows, kind, scale = [], given["downgrade"], given["scale"]
    if isinstance(scale, bool) or scale not in (2, 3, 4, 8):
        checks.fail(ValueError, op, "scale", "be one of [2, 3, 4, 8]", scale)
    deep = kind in ("bicubic", "unknown") and scale != 8
    mark = "" if kind in ("bicubic", "unknown") else kind[0]
    for part in ("train", "valid") if given["usage"] == "all" else (given["usage"],):
        root = Path(given["dataset_dir"])
        small = root / f"DIV2K_{part}_LR_{'x8' if scale == 8 else kind}" / (f"X{scale}" if deep else "")
        for path in files_in(root / f"DIV2K_{part}_HR"):
            other = small / f"{path.stem}x{scale}{mark}{path.suffix}"
            rows.append((lazy_image(path, given), lazy_image(require_file(op, other), given)))
    return ReaderResult(("hr_image", "lr_image"), rows)


def _food101(op: str, given: Given) -> ReaderResult:
    """Dishes, listed in `meta/train.txt` and `meta/test.txt`. Columns: `image`, uint8; `label`, a string.

    Args:
        dataset_dir: the folder with `images` and `meta`.
        usage: "train", "test" or "all". Default: all.
    """
    usage, rows = given["usage"], []
    root = Path(given["dataset_dir"])
    for part in ("train", "test") if usage in (None, "all") else (usage,):
        rows += [
            (lazy_image(root / "images" / f"{name}.jpg", given), np.str_(name.partition("/")[0]))
            for name in parse_lines(op, root / "meta" / f"{part}.txt", str.strip)
        ]
    return ReaderResult(_IMAGE_LABEL, rows)


def _sbu(op: str, given: Given) -> ReaderResult:
    """Photographs with captions, in the order of a list of addresses. Columns: `image`, uint8; `caption`, a string."""
    root, stem = Path(given["dataset_dir"]), "SBU_captioned_photo_dataset_{}.txt"
    addresses, told = (read_lines(op, root / stem.format(each)) for each in ("urls", "captions"))
    rows = []
    for address, text in zip(addresses, told, strict=False):
        place = address.strip().removeprefix("http://static.flickr.com/").replace("/", "_")
        path = root / "sbu_images" / f"m_{place}"
        if place and path.is_file():
            rows.append((lazy_image(path, given), np.str_(text.rstrip())))
    return ReaderResult(("image", "caption"), rows)


def _places365(op: str, given: Given) -> ReaderResult:
    """Scenes of 365 kinds. Columns: `image`, uint8; `label`, uint32.

    Args:
        dataset_dir: the folder of the lists and of the folders of images.
        usage: "train-standard", "train-challenge" or "val". Default: "train-standard".
        small: images of 256 x 256 pixels. Default: True.
    """
    root, usage = Path(given["dataset_dir"]), given["usage"] or "train-standard"
    size = "256" if given["small"] else "large"
    folder = f"val_{size}" if usage == "val" else f"data_{size}_{usage.partition('-')[2]}"

    def scene(line: str) -> tuple[FileValue, np.uint32]:
        name, mark = line.rsplit(" ", 1)
        return lazy_image(root / folder / name.lstrip("/"), given), np.uint32(int(mark))

    return ReaderResult(
        _IMAGE_LABEL, list(parse_lines(op, root / f"places365_{usage.replace('-', '_')}.txt", scene))
    )


def _lfw(op: str, given: Given) -> ReaderResult:
    """Faces of people. Columns: `image`, uint8, and `label`, uint32; for pairs `image1`, `image2` and `label`.

    Args:
        dataset_dir: the folder of the lists and of the images of `image_set`.
        task: "people" or "pairs". Default: "people".
        usage: "10fold", "train", "test" or "all". Default: all.
        image_set: "original", "funneled" or "deepfunneled". Default: "funneled".
    """
    root, task, usage = Path(given["dataset_dir"]), given["task"] or "people", given["usage"] or "all"
    name = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
    images = root / name[given["image_set"] or "funneled"]
    marks = number_labels([words[0] for words in parse_lines(op, root / "lfw-names.txt", str.split)])

    def face(person: str, number: str) -> FileValue:
        return lazy_image(images / person / f"{person}_{int(number):04d}.jpg", given)

    def read(line: str) -> list[tuple]:
        words = line.split()
        if task == "people" and len(words) == 2:
            who, count = words
            return [(face(who, str(k + 1)), np.uint32(marks[who])) for k in range(int(count))]
        if task == "pairs" and len(words) in (3, 4):
            same = len(words) == 3
            return [(face(*words[:2]), face(words[0 if same else 2], words[-1]), np.uint32(same))]
        return []

    ends = {"10fold": [""], "train": ["DevTrain"], "test": ["DevTest"], "all": ["DevTrain", "DevTest"]}[usage]
    rows = [row for end in ends for some in parse_lines(op, root / f"{task}{end}.txt", read) for row in some]
    if task == "people":
        return ReaderResult(_IMAGE_LABEL, rows, marks, counts=False)
    return ReaderResult(("image1", "image2", "label"), rows)


def _flowers102(op: str, given: Given) -> ReaderResult:
    """Flowers of 102 kinds, listed in MATLAB's files. Columns: `image`, uint8; `label`, uint32; and `segmentation`.

    Args:
        dataset_dir: the folder with `jpg`, `segmim`, `imagelabels.mat` and `setid.mat`.
        task: "Classification", or "Segmentation", which adds the column. Default: "Classification".
        usage: "train", "valid", "test" or "all". Default: all.
    """
    root, usage = Path(given["dataset_dir"]), given["usage"]
    marks = load_matlab(op, root / "imagelabels.mat", ("labels",))["labels"][0].astype(np.uint32) - 1
    sets = load_matlab(op, root / "setid.mat", ("trnid", "valid", "tstid"))
    keys = {"train": ["trnid"], "valid": ["valid"], "test": ["tstid"]}.get(usage, ["trnid", "tstid", "valid"])
    rows = []
    for number in (int(n) for key in keys for n in sets[key].ravel()):
        image, masked = (
            lazy_image(root / name.format(number), given)
            for name in ("jpg/image_{:05d}.jpg", "segmim/segmim_{:05d}.jpg")
        )
        rows.append(
            (image, masked, marks[number - 1])
            if given["task"] == "Segmentation"
            else (image, marks[number - 1])
        )
    return ReaderResult(
        ("image", "segmentation", "label") if given["task"] == "Segmentation" else _IMAGE_LABEL, rows
    )


def _manifest(op: str, given: Given) -> ReaderResult:
    """Images that a manifest lists, one in a line of JSON. Columns: `image`, uint8; `label`, int32.

    Args:
        dataset_file: the manifest.
        usage: "train", "eval" or "inference". Default: "train".
        class_indexing: dict from the name of a class to its label; others are left out. Default: sorted names.
    """

    def read(line: str) -> tuple[str, list[str]] | None:
        note = json.loads(line)
        if note.get("usage") != given["usage"]:
            return None
        return note["source"], [sys.intern(one["name"]) for one in note.get("annotation", ())]

    kept = [found for found in parse_lines(op, Path(given["dataset_file"]), read) if found]
    marks = given["class_indexing"] or number_labels(sorted({name for _, names in kept for name in names}))
    rows = []
    for source, names in kept:
        known = np.array([marks[name] for name in names if name in marks], np.int32)
        if known.size or not names:
            rows.append((lazy_image(Path(source), given), known[0] if known.size == 1 else known))
    return ReaderResult(_IMAGE_LABEL, rows, marks)


_HALVES = "train test all"
_DIR = "dataset_dir, usage=None, "
_NO_CACHE = ROWS.replace("num_parallel_workers=None", "num_parallel_workers=1").replace(", cache=None", "")
EMnistDataset = _p(
    "EMnistDataset", "dataset_dir, name, usage=None, " + ROWS, _emnist,
    {"usage": _HALVES.split(), "name": "byclass bymerge balanced letters digits mnist".split()},
)  # fmt: skip
QMnistDataset = _p(
    "QMnistDataset", _DIR + "compat=True, " + ROWS, _qmnist, "train test test10k test50k nist all"
)
USPSDataset = _p("USPSDataset", _DIR + LINES, _usps, _HALVES, by_turns=True)
SemeionDataset = _p("SemeionDataset", "dataset_dir, " + ROWS, _semeion)
STL10Dataset = _p("STL10Dataset", _DIR + ROWS, _stl10, "train test unlabeled train+unlabeled all")
SVHNDataset = _p("SVHNDataset", _DIR + _NO_CACHE, _svhn, "train test extra all")
Caltech256Dataset = _p("Caltech256Dataset", "dataset_dir, " + DECODED, _caltech256)
RenderedSST2Dataset = _p("RenderedSST2Dataset", _DIR + DECODED, _read_rendered, "train val test all")
SUN397Dataset = _p("SUN397Dataset", "dataset_dir, " + DECODED, _sun397)
OmniglotDataset = _p("OmniglotDataset", "dataset_dir, background=None, " + DECODED, _omniglot)
LSUNDataset = _p("LSUNDataset", _DIR + "classes=None, " + DECODED, _lsun, "train test valid all")
CelebADataset = _p(
    "CelebADataset",
    "dataset_dir, num_parallel_workers=None, shuffle=None, usage='all', sampler=None, decode=False, extensions=None, "
    "num_samples=None, num_shards=None, shard_id=None, cache=None, decrypt=None",
    _celeba,
    "train valid test all",
)
FlickrDataset = _p(
    "FlickrDataset",
    "dataset_dir, annotation_file, " + DECODED.replace("decode=False", "decode=None"),
    _flickr,
)
DIV2KDataset = _p(
    "DIV2KDataset",
    "dataset_dir, usage='train', downgrade='bicubic', scale=2, "
    + DECODED.replace("decode=False", "decode=None"),
    _div2k,
    {"usage": ["train", "valid", "all"], "downgrade": "bicubic unknown mild difficult wild".split()},
)
Food101Dataset = _p("Food101Dataset", _DIR + DECODED, _food101, _HALVES)
SBUDataset = _p("SBUDataset", "dataset_dir, " + DECODED, _sbu)
Places365Dataset = _p(
    "Places365Dataset",
    _DIR + "small=True, decode=False, " + ROWS,
    _places365,
    "train-standard train-challenge val",
)
LFWDataset = _p(
    "LFWDataset", "dataset_dir, task=None, usage=None, image_set=None, " + DECODED, _lfw,
    {"task": ["people", "pairs"], "usage": ["10fold", "train", "test", "all"],
     "image_set": ["original", "funneled", "deepfunneled"]},
)  # fmt: skip
Flowers102Dataset = _p(
    "Flowers102Dataset",
    "dataset_dir, task='Classification', usage='all', "
    + _NO_CACHE.replace("shuffle=None, sampler", "shuffle=None, decode=False, sampler"),
    _flowers102,
    {"task": ["Classification", "Segmentation"], "usage": ["train", "valid", "test", "all"]},
)
ManifestDataset = _p(
    "ManifestDataset",
    "dataset_file, usage='train', num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, "
    "class_indexing=None, decode=False, num_shards=None, shard_id=None, cache=None",
    _manifest,
    "train eval inference",
)
