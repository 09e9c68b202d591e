"""Pipelines of steps drawn at random, and files read by turns, against what MindSpore gave for them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from msjax import dataset as ds
from msjax.core import dtype
from msjax.dataset import transforms
from tests.goldens import pipelines_cases

RECORDED = json.loads(
    gzip.decompress((Path(__file__).parents[2] / "goldens" / "pipelines.json.gz").read_bytes())
)
CASES = [f"{seed} {workers} {code}" for seed, workers, code in pipelines_cases.cases()]


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    before = ds.config.get_num_parallel_workers()
    pipelines_cases.write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    ds.config.set_num_parallel_workers(before)


@pytest.mark.parametrize("case", CASES)
def test_as_mindspore(case: str) -> None:
    seed, workers, code = case.split(" ", 2)
    names = pipelines_cases.names_of(ds, transforms, dtype)
    got = json.loads(json.dumps(pipelines_cases.outcome(ds, names, int(seed), int(workers), code)))
    assert got == RECORDED[case]
