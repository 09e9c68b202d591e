"""Everything in `tests/goldens/dataset_cases.py`, against what real MindSpore gave."""

import json
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from msjax import dataset as ds
from msjax.core import dtype
from msjax.core.tensor.tensor import Tensor
from msjax.dataset import transforms, vision

GOLDENS = Path(__file__).parents[1] / "goldens"
sys.path.insert(0, str(GOLDENS))

import dataset_cases  # noqa: E402
import dataset_transform_cases  # noqa: E402
from dataset_values import evaluate  # noqa: E402

RECORDED = json.loads((GOLDENS / "dataset.json").read_text())["cases"]
CASES = dataset_cases.GROUPS | dataset_transform_cases.GROUPS

# Cases in which msjax does something else, and why.
DIFFERENT = {
    "transforms: TypeCast complex": "a KeyError there, a TypeError that says what is wrong here",
    "transforms: OneHot smoothing array": "MindSpore loses the first label of several",
    "transforms: OneHot negative": "MindSpore crashes",
    "transforms: PadEnd None": "msjax can do this, as MindSpore's documentation says",
    "transforms: Slice step": "msjax can do this",
    "transforms: Slice reversed": "msjax can do this",
    "transforms: Compose in map": "NumPy 2 keeps float32 where NumPy 1 gives float64 for arrays of rank 0",
    "vision: NormalizePad": "MindSpore puts the zeros behind all pixels, not behind each",
    "vision: NormalizePad float16": "MindSpore puts the zeros behind all pixels, not behind each",
}


def close(want: Any, got: Any) -> bool:
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(close, want, got))
    if isinstance(want, dict):
        return (
            isinstance(got, dict) and want.keys() == got.keys() and all(close(want[k], got[k]) for k in want)
        )
    if isinstance(want, float) and isinstance(got, float):
        return math.isclose(want, got, rel_tol=2e-6, abs_tol=1e-6)
    return type(want) is type(got) and want == got


def names() -> dict[str, Any]:
    ms = SimpleNamespace(Tensor=Tensor, **{n: getattr(dtype, n) for n in dir(dtype) if not n.startswith("_")})
    return dataset_cases.namespace(ms, ds, transforms, vision)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def no_seed():
    ds.config.set_seed(ds.config.DEFAULT_SEED)


@pytest.mark.parametrize(("group", "name"), [(g, n) for g, cases in CASES.items() for n, _ in cases])
@pytest.mark.filterwarnings("ignore:.*shuffle=True has no effect")
def test_as_mindspore(group: str, name: str) -> None:
    source = dict(CASES[group])[name]
    want, got = RECORDED[group][name], evaluate(source, names())
    if f"{group}: {name}" in DIFFERENT:
        assert not close(want, got), "this is no longer a difference"
        return
    assert close(want, got), (
        f"{source}\nMindSpore: {json.dumps(want)[:800]}\nmsjax:     {json.dumps(got)[:800]}"
    )
