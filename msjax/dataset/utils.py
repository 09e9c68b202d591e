"""Tools beside the pipelines (`mindspore.dataset.utils`): lines of a file by number, images with their boxes drawn."""

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.vision.opencv import cv2

_ESCAPE = 27


class LineReader:
    r"""The lines of a text file, by their numbers from 1 on; only the places of the lines are kept in memory.

    Args:
        filename (str): the file.

    Raises:
        TypeError: if `filename` is not a str.
        RuntimeError: if there is no such file.

    Examples:
        >>> import tempfile
        >>> from msjax.dataset.utils import LineReader
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     print("first\nsecond", file=file, flush=True)
        ...     LineReader(file.name).readline(2)
        'second'
    """

    def __init__(self, filename: str) -> None:
        if not isinstance(filename, str):
            checks.fail(TypeError, "LineReader", "filename", "be a str", filename)
        if not os.path.isfile(filename):
            checks.fail(RuntimeError, "LineReader", "filename", "name a file", filename)
        self.filename, self._file = os.path.realpath(filename), None
        places = [0]
        with open(self.filename, "rb") as file:
            places += [file.tell() for _ in iter(file.readline, b"")]
        self._places = places[:-1]
        if not self._places:
            warnings.warn(f"`LineReader`: the file {filename!r} is empty.", stacklevel=2)

    def __getitem__(self, line: int) -> str:
        return self.readline(line)

    def __len__(self) -> int:
        return self.len()

    def __del__(self) -> None:
        self.close()

    def len(self) -> int:
        """Return the number of lines."""
        return len(self._places)

    def readline(self, line: int) -> str:
        """Return a line without its end.

        Args:
            line (int): its number, from 1 on.

        Raises:
            TypeError: if `line` is not an int.
            ValueError: if there is no such line.
        """
        place = self._places[checks.check_int("LineReader.readline", "line", line, 1, self.len()) - 1]
        if self._file is None:
            self._file = open(self.filename, "rb")  # noqa: SIM115 - closed by `close`
        self._file.seek(place)
        return self._file.readline().decode("utf8").rstrip("\r\n")

    def close(self) -> None:
        """Close the file; reading opens it again."""
        file: Any = getattr(self, "_file", None)
        if file is not None:
            file.close()
            self._file = None


def imshow_det_bbox(
    image: np.ndarray,
    bboxes: np.ndarray | None,
    labels: np.ndarray | None,
    segm: np.ndarray | None = None,
    class_names: Any = None,
    score_threshold: float = 0,
    bbox_color: tuple[int, int, int] = (0, 255, 0),
    text_color: tuple[int, int, int] = (203, 192, 255),
    mask_color: tuple[int, int, int] = (128, 0, 128),
    thickness: int = 2,
    font_size: float = 0.8,
    show: bool = True,
    win_name: str = "win",
    wait_time: int = 2000,
    out_file: str | None = None,
) -> np.ndarray:
    """Draw boxes, their labels and scores, and masks into an image.

    Args:
        image (ndarray): RGB, (H, W, 3) or (3, H, W), uint8.
        bboxes (ndarray): (N, 4), left, top, width and height, or (N, 5) with scores. None: masks only.
        labels (ndarray): (N, 1), numbers of classes.
        segm (ndarray): masks (M, H, W), M at least N.
        class_names (list, tuple, dict): names by number; other numbers are written themselves.
        score_threshold (float): boxes with lower scores are left out.
        bbox_color (tuple): of the boxes: blue, green, red.
        text_color (tuple): of the labels.
        mask_color (tuple): of the masks.
        thickness (int): of lines.
        font_size (float): of labels.
        show (bool): open a window, for which `opencv-python` takes the place of `opencv-python-headless`.
        win_name (str): name of the window.
        wait_time (int): milliseconds that it waits for a key; after Escape the program ends.
        out_file (str): where to write the image. Needed without `show`.

    Returns:
        ndarray, the image, BGR.

    Raises:
        AssertionError: for other arguments.
        RuntimeError: if OpenCV can open no window.
    """
    _check_drawing(dict(locals()))
    if image.shape[0] == 3:
        image = image.transpose(1, 2, 0)
    drawn = cv2().cvtColor(np.ascontiguousarray(image), cv2().COLOR_RGB2BGR)
    masks: list[np.ndarray] = list(segm) if segm is not None and bboxes is None else []
    for i, box in enumerate(() if bboxes is None else bboxes):
        if len(box) > 4 and box[4] < score_threshold:
            continue
        left, top, right, bottom = map(int, (box[0], box[1], box[0] + box[2], box[1] + box[3]))
        cv2().rectangle(drawn, (left, top), (right, bottom), bbox_color, thickness)
        text = _label(class_names, labels[i][0]) + (f"|{box[-1]:.02f}" if len(box) > 4 else "")  # type: ignore[index]
        font = cv2().FONT_HERSHEY_SIMPLEX
        cv2().putText(drawn, text, (left, bottom), font, font_size, text_color, thickness)
        if segm is not None:
            _tint(drawn, segm[i], mask_color)
    for mask in masks:
        _tint(drawn, mask, mask_color)
    if show:
        _show(win_name, drawn, wait_time)
    if out_file is not None:
        cv2().imwrite(out_file, drawn)
        os.chmod(out_file, 0o600)
    return drawn


def _label(names: Any, number: Any) -> str:
    try:
        return str(names[number])
    except (IndexError, KeyError):
        return f"class {number}"


def _tint(drawn: np.ndarray, mask: np.ndarray, colour: tuple[int, int, int]) -> None:
    inside = mask.astype(bool)
    drawn[inside] = drawn[inside] * 0.5 + np.array(colour) * 0.5


def _show(name: str, drawn: np.ndarray, wait: int) -> None:
    try:
        cv2().imshow(name, drawn)
        key = cv2().waitKey(wait)
    except cv2().error as error:
        raise RuntimeError(
            "`imshow_det_bbox`: OpenCV can open no window here. Install opencv-python in place of "
            "opencv-python-headless, or give show=False and out_file."
        ) from error
    if key == _ESCAPE:
        raise SystemExit


def _check_drawing(given: dict[str, Any]) -> None:
    image, boxes = given["image"], given["bboxes"]

    def array(value: Any, fits: Callable[[tuple[int, ...]], bool]) -> bool:
        return isinstance(value, np.ndarray) and fits(value.shape)

    rules: list[tuple[str, str, Callable[[Any], bool]]] = [
        ("image", "be an array (H, W, 3) or (3, H, W)", lambda v: array(v, lambda s: len(s) == 3 and 3 in (s[0], s[2]))),
        ("bboxes", "be an array (N, 4) or (N, 5)", lambda v: v is None or array(v, lambda s: s[1:] in ((4,), (5,)))),
        ("labels", "be an array (N, 1)", lambda v: boxes is None or array(v, lambda s: s == (len(boxes), 1))),
        ("segm", "be masks (M, H, W) of the image", lambda v: v is None or array(v, lambda s: s[1:] == _size(image))),
        ("segm", "have a mask for each box", lambda v: v is None or boxes is None or len(v) >= len(boxes)),
        ("class_names", "be a list, tuple or dict", lambda v: isinstance(v, list | tuple | dict)),
        *((name, "be a tuple (blue, green, red)", lambda v: isinstance(v, tuple) and len(v) == 3)
          for name in ("bbox_color", "text_color", "mask_color")),
        *((name, "be an int of 0 or more", lambda v: isinstance(v, int) and v >= 0) for name in ("thickness", "wait_time")),
        ("font_size", "be a number of 0 or more", lambda v: isinstance(v, int | float) and v >= 0),
        ("show", "be a bool", lambda v: isinstance(v, bool)),
        ("win_name", "be a str", lambda v: isinstance(v, str)),
        ("out_file", "be a str", lambda v: isinstance(v, str) or (v is None and given["show"])),
        ("score_threshold", "be 0 for boxes without scores",
         lambda v: v <= 0 or (boxes is not None and boxes.shape[1] == 5)),
    ]  # fmt: skip
    for name, rule, holds in rules:
        if not holds(given[name]):
            checks.fail(AssertionError, "imshow_det_bbox", name, rule, given[name])


def _size(image: np.ndarray) -> tuple[int, ...]:
    return image.shape[:2] if image.shape[2] == 3 else image.shape[1:]
