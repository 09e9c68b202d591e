"""The digits script: it knows nothing of msjax, learns, and does the same eagerly and compiled."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

import msjax

SCRIPT = Path(__file__).parents[2] / "examples" / "train_digits.py"


@pytest.fixture
def script() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("train_digits", SCRIPT)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    with msjax.install_as("mindspore"):
        spec.loader.exec_module(module)
        yield module


def test_the_script_names_only_mindspore() -> None:
    assert "msjax" not in SCRIPT.read_text()


def test_it_learns(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "digits.ckpt", tmp_path / "curve.png"]
    losses, accuracy = script.main(["--checkpoint", str(files[0]), "--plot", str(files[1])])
    assert accuracy >= 0.97
    assert np.mean(losses[-44:]) < 0.1 < 2 < losses[0]
    assert files[1].read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    assert f"loaded from {files[0]}: {accuracy:.2%}" in printed
    assert f"Saved the loss curve to {files[1]}" in printed


def test_eager_and_compiled_losses_agree(script: ModuleType, tmp_path: Path) -> None:
    # Small steps: a pixel less than a rounding above another becomes the greatest of its window in one of the runs, and at
    # the script's own rate such a choice moves later losses by 2e-4. Here losses fall and differ by 5e-7 at most.
    arguments = ["--epochs", "1", "--checkpoint", str(tmp_path / "a.ckpt"), "--plot", str(tmp_path / "a.png")]
    arguments += ["--lr", "0.001"]
    compiled, _ = script.main(arguments)
    again, _ = script.main(arguments)
    eager, _ = script.main([*arguments, "--eager"])
    other, _ = script.main([*arguments, "--seed", "1"])
    assert compiled == again
    np.testing.assert_allclose(compiled, eager, rtol=0, atol=1e-5)
    assert np.abs(np.subtract(compiled, other)).max() > 0.1


def test_the_digits_are_those_of_scikit_learn() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    with np.load(SCRIPT.with_name("digits.npz")) as digits:
        ours = [
            np.concatenate([digits[f"{part}_{what}"] for part in ("train", "test")])
            for what in ("images", "labels")
        ]
    images, labels = datasets.load_digits(return_X_y=True)
    ours = np.column_stack([ours[0].reshape(-1, 64), ours[1]])
    theirs = np.column_stack([images, labels])
    np.testing.assert_array_equal(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)])


@pytest.mark.parametrize(
    ("losses", "accuracies"),
    [([1.0, 1.0], [1.0]), ([2.0, 0.5, 1e-3, 0.1], [0.08, 0.95]), ([3.0] * 7, [0.5] * 3)],
)
def test_any_curve_can_be_drawn(script: ModuleType, tmp_path: Path, losses: list, accuracies: list) -> None:
    script.plot_curve(losses, accuracies, tmp_path / "curve.png")
    with Image.open(tmp_path / "curve.png") as picture:
        assert {(31, 119, 180), (217, 95, 2)} <= {colour for _, colour in picture.getcolors(1 << 20)}
