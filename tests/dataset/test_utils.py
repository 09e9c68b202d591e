"""Lines of a file by number, and images with boxes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msjax.dataset import transforms, utils, vision


def test_lines_by_number(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes("ä\nb\r\n\nlast".encode())
    reader = utils.LineReader(str(path))
    assert len(reader) == reader.len() == 4
    assert [reader.readline(i) for i in (4, 1, 3, 2)] == ["last", "ä", "", "b"]
    assert reader[1] == "ä"
    reader.close()
    assert reader[4] == "last"
    reader.close()


@pytest.mark.parametrize(
    ("line", "kind"), [(0, ValueError), (2, ValueError), ("a", TypeError), (True, TypeError)]
)
def test_lines_that_are_not_there(tmp_path: Path, line: Any, kind: type[Exception]) -> None:
    (tmp_path / "one").write_text("x\n")
    with pytest.raises(kind, match=r"`LineReader.readline`: argument `line`"):
        utils.LineReader(str(tmp_path / "one")).readline(line)


@pytest.mark.parametrize(("name", "kind"), [("nothing", RuntimeError), (3, TypeError)])
def test_files_that_are_not_there(name: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="`LineReader`: argument `filename`"):
        utils.LineReader(name)


IMAGE = np.zeros((20, 30, 3), np.uint8)
BOX, LABEL = np.array([[4, 5, 10, 8, 0.9], [1, 1, 3, 3, 0.2]]), np.array([[0], [7]])


def drawn(tmp_path: Path, **given: Any) -> np.ndarray:
    options: dict[str, Any] = {
        "image": IMAGE, "bboxes": BOX, "labels": LABEL, "class_names": ["a"], "show": False, "thickness": 1,
        "out_file": str(tmp_path / "drawn.png"), "font_size": 0.05,
    }  # fmt: skip
    return utils.imshow_det_bbox(**(options | given))


def test_boxes_are_drawn(tmp_path: Path) -> None:
    image = drawn(tmp_path, score_threshold=0.5)
    green = (image == (0, 255, 0)).all(-1)
    assert green[5, 4:15].all()
    assert green[5:10, [4, 14]].all()  # the label is written over what is below
    assert not green[1].any()  # the box below the threshold
    np.testing.assert_array_equal(vision.read_image(str(tmp_path / "drawn.png")), image[..., ::-1])
    np.testing.assert_array_equal(drawn(tmp_path, image=IMAGE.transpose(2, 0, 1), score_threshold=0.5), image)


def test_masks_are_tinted(tmp_path: Path) -> None:
    mask = np.zeros((1, 20, 30))
    mask[0, 3, 4] = 1
    image = drawn(tmp_path, bboxes=None, labels=None, segm=mask)
    assert image[3, 4].tolist() == [64, 0, 64]
    assert image.sum() == 128


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"image": IMAGE[..., 0]}, "image"),
        ({"bboxes": BOX[:, :3]}, "bboxes"),
        ({"labels": LABEL[:, 0]}, "labels"),
        ({"segm": np.zeros((2, 3, 4))}, "segm"),
        ({"class_names": None}, "class_names"),
        ({"bbox_color": [1, 2, 3]}, "bbox_color"),
        ({"thickness": -1}, "thickness"),
        ({"out_file": None}, "out_file"),
        ({"bboxes": BOX[:, :4], "score_threshold": 0.5}, "score_threshold"),
    ],
)
def test_refused(tmp_path: Path, given: dict[str, Any], name: str) -> None:
    with pytest.raises(AssertionError, match=f"`imshow_det_bbox`: argument `{name}` must"):
        drawn(tmp_path, **given)


def test_not_random() -> None:
    function = transforms.not_random(lambda x: x)
    assert function.random is False
    assert function(3) == 3
