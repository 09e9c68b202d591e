"""Conversion of image datasets (CIFAR, MNIST, ImageNet) to MindRecord files."""

import gzip
import importlib
import io
import os
import pickle
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from msjax.mindrecord.constants import SUCCESS, MSRStatus
from msjax.mindrecord.exceptions import PathNotExistsError
from msjax.mindrecord.names import check_filename
from msjax.mindrecord.writer import FileWriter


def jpeg(image: np.ndarray) -> bytes:
    """Return the bytes of a JPEG file of an image in RGB or grey."""
    pil: Any = importlib.import_module("PIL.Image")
    file = io.BytesIO()
    pil.fromarray(image.astype(np.uint8)).save(file, "JPEG", quality=95)
    return file.getvalue()


def write_in_parts(writer: FileWriter, rows: Iterator[dict[str, Any]], parallel: bool = False) -> None:
    """Write rows, 256 at a time, and finish the file."""
    while part := list(islice(rows, 256)):
        writer.write_raw_data(part, parallel)
    writer.commit()


def check_partitions(partition_number: Any) -> int:
    """Return the number of files.

    Raises:
        ValueError: if it is not an int.
    """
    if not isinstance(partition_number, int):
        raise ValueError(f"The parameter partition_number must be int. Received: {partition_number!r}.")
    return partition_number


class _Cifar:
    """Turns the Python version of a CIFAR dataset into two MindRecord files. A subclass says which files and labels."""

    _TRAIN, _TEST = "", ""
    _LABELS: dict[str, bytes] = {}

    def __init__(self, source: str, destination: str) -> None:
        check_filename(source)
        self.source = source
        found = os.listdir(source)
        for start in (self._TRAIN, self._TEST):
            if not any(self._belongs(name, start) for name in found):
                raise PathNotExistsError(start)
        check_filename(destination)
        self.destination = destination

    def _belongs(self, name: str, start: str) -> bool:
        raise NotImplementedError

    def transform(self, fields: list[str] | None = None) -> None:
        """Write the files: `destination`, and `destination` followed by "_test".

        Args:
            fields (list[str]): index fields. Default: all scalars.

        Raises:
            ValueError: if `fields` is something else.
            RuntimeError: for files of another kind, or a destination that exists.
        """
        self.run(fields)

    def run(self, fields: list[str] | None = None) -> MSRStatus:
        """Run `transform`; return SUCCESS."""
        if fields and not isinstance(fields, list):
            raise ValueError(f"The parameter fields should be None or list. Received: {fields!r}.")
        names = sorted(os.listdir(self.source))
        for start, ending, description in ((self._TRAIN, "", "img_train"), (self._TEST, "_test", "img_test")):
            rows = list(self._rows([name for name in names if self._belongs(name, start)]))
            writer = FileWriter(self.destination + ending, 1)
            labels = {name: {"type": "int64"} for name in self._LABELS}
            writer.add_schema({"id": {"type": "int64"}, **labels, "data": {"type": "bytes"}}, description)
            if fields:
                writer.add_index(fields)
            writer.write_raw_data(rows)
            writer.commit()
        return SUCCESS

    def _rows(self, names: list[str]) -> Iterator[dict[str, Any]]:
        number = 0
        for name in names:
            batch = _batch(os.path.join(self.source, name), type(self).__name__)
            images = np.asarray(batch[b"data"]).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
            for place, image in enumerate(images):
                labels = {label: int(batch[key][place]) for label, key in self._LABELS.items()}
                yield {"id": number, "data": jpeg(image), **labels}
                number += 1


class _Arrays(pickle.Unpickler):
    """Loads NumPy arrays and plain values, and nothing that runs code."""

    def find_class(self, module: str, name: str) -> Any:
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return np.empty(0).__reduce__()[0]
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"{module}.{name} may not be loaded")


def _batch(path: str, op: str) -> dict[bytes, Any]:
    with open(path, "rb") as file:
        try:
            return _Arrays(file, encoding="bytes").load()
        except Exception as error:
            raise RuntimeError(
                f"`{op}`: {path} is not a file of the dataset's Python version: {error}"
            ) from error


class Cifar10ToMR(_Cifar):
    """Turns the Python version of CIFAR-10 (A. Krizhevsky, 2009) into two MindRecord files.

    Fields: `id` and `label`, int64; `data`, the bytes of a JPEG file.

    Args:
        source (str): the folder with `data_batch_1` ... and `test_batch`.
        destination (str): the file to write for training; the one for tests has "_test" behind its name.

    Raises:
        ParamValueError: for something else than paths.
        PathNotExistsError: if the folder lacks the files.
    """

    _TRAIN, _TEST = "data_batch_*", "test_batch"
    _LABELS = {"label": b"labels"}

    def _belongs(self, name: str, start: str) -> bool:
        return name.startswith(start.rstrip("*"))


class Cifar100ToMR(_Cifar):
    """Turns the Python version of CIFAR-100 (A. Krizhevsky, 2009) into two MindRecord files.

    Fields: `id`, `fine_label` and `coarse_label`, int64; `data`, the bytes of a JPEG file.

    Args:
        source (str): the folder with `train` and `test`.
        destination (str): the file to write for training; the one for tests has "_test" behind its name.

    Raises:
        ParamValueError: for something else than paths.
        PathNotExistsError: if the folder lacks the files.
    """

    _TRAIN, _TEST = "train", "test"
    _LABELS = {"fine_label": b"fine_labels", "coarse_label": b"coarse_labels"}

    def _belongs(self, name: str, start: str) -> bool:
        return name == start


class MnistToMR:
    """Turns MNIST's compressed files (Y. LeCun et al., 1998) into MindRecord files.

    Fields: `label`, int64; `data`, the bytes of a JPEG file.

    Args:
        source (str): the folder with `train-images-idx3-ubyte.gz`, `train-labels-idx1-ubyte.gz`, `t10k-...`.
        destination (str): what the files to write begin with; "_train.mindrecord" and "_test.mindrecord" follow.
        partition_number (int): how many files for each. Default: 1.

    Raises:
        ParamValueError: for something else than paths.
        ValueError: if `partition_number` is not an int.
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self.image_size, self.num_channels = 28, 1
        check_filename(source)
        check_filename(destination)
        self.source, self.partition_number = source, check_partitions(partition_number)
        self._writers = {
            start: FileWriter(f"{destination}_{ending}.mindrecord", self.partition_number)
            for start, ending in (("train", "train"), ("t10k", "test"))
        }

    def transform(self) -> None:
        """Write the files.

        Raises:
            FileNotFoundError: if the folder lacks the files.
            RuntimeError: for a destination that exists.
        """
        self.run()

    def run(self) -> MSRStatus:
        """Run `transform`; return SUCCESS."""
        for start, writer in self._writers.items():
            writer.set_page_size(1 << 26)
            writer.add_schema({"label": {"type": "int64"}, "data": {"type": "bytes"}}, "mnist_schema")
            writer.add_index(["label"])
            write_in_parts(writer, self._rows(start))
        return SUCCESS

    def _rows(self, start: str) -> Iterator[dict[str, Any]]:
        images = self._content(f"{start}-images-idx3-ubyte.gz", 16).reshape(
            -1, self.image_size, self.image_size
        )
        for image, label in zip(images, self._content(f"{start}-labels-idx1-ubyte.gz", 8), strict=False):
            yield {"label": int(label), "data": jpeg(image)}

    def _content(self, name: str, head: int) -> np.ndarray:
        with gzip.open(os.path.join(self.source, name), "rb") as file:
            return np.frombuffer(file.read()[head:], np.uint8)


class ImageNetToMR:
    """Turns folders of JPEG files, one for each class, into MindRecord files.

    Fields: `label`, int32; `image`, the bytes of the file; `file_name`.

    Args:
        map_file (str): a text file; a line has the name of a folder, a space, and the number of the class.
        image_dir (str): where the folders are.
        destination (str): the file to write.
        partition_number (int): how many files. Default: 1.

    Raises:
        ParamValueError: for something else than paths.
        ValueError: if `partition_number` is not an int.
    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1) -> None:
        for path in (map_file, image_dir, destination):
            check_filename(path)
        self.map_file, self.image_dir, self.destination = map_file, image_dir, destination
        self.partition_number = check_partitions(partition_number)
        self.writer = FileWriter(destination, self.partition_number)

    def transform(self) -> None:
        """Write the files.

        Raises:
            OSError: if there is no `map_file`.
            PathNotExistsError: if there is none of the folders.
            RuntimeError: for a destination that exists.
        """
        self.run()

    def run(self) -> int:
        """Run `transform`; return 0."""
        self.writer.set_page_size(1 << 26)
        fields = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
        self.writer.add_schema(fields, "imagenet_schema")
        self.writer.add_index(["label", "file_name"])
        write_in_parts(self.writer, self._rows(), parallel=True)
        return 0

    def _rows(self) -> Iterator[dict[str, Any]]:
        for label, folder in self._folders().items():
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if not name.endswith(("JPEG", "jpg")):
                    warnings.warn(
                        f"`ImageNetToMR`: {path} is left out, as it ends neither in JPEG nor in jpg.",
                        stacklevel=2,
                    )
                    continue
                with open(path, "rb") as file:
                    content = file.read()
                if not content:
                    warnings.warn(f"`ImageNetToMR`: {path} is left out, as it is empty.", stacklevel=2)
                    continue
                yield {"file_name": path, "label": label, "image": content}

    def _folders(self) -> dict[int, str]:
        if not os.path.exists(self.map_file):
            raise OSError(f"map file {self.map_file} not exists")
        with open(self.map_file, encoding="utf-8") as file:
            entries = [line.split(" ") for line in file if line.strip()]
        folders = {int(label): os.path.join(self.image_dir, name) for name, label, *_ in entries}
        present = {label: folder for label, folder in folders.items() if os.path.isdir(folder)}
        for folder in set(folders.values()) - set(present.values()):
            warnings.warn(f"`ImageNetToMR`: there is no folder {folder}.", stacklevel=3)
        if not present:
            raise PathNotExistsError(f"not valid image dir in {self.image_dir}")
        return present
