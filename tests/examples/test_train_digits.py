"""The digits script: it knows nothing of msjax, learns, and does the same eagerly and compiled."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import msjax

SCRIPT = Path(__file__).parents[2] / "examples" / "train_digits.py"

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")


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
