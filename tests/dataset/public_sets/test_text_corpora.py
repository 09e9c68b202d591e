"""Datasets of public data sets, against what MindSpore reads from the same small files."""

import inspect
import json
import tracemalloc
import wave
from pathlib import Path

import numpy as np
import pytest

import msjax.dataset as ds
from msjax.dataset.sources import lines
from tests.goldens import corpora

TOLD = json.loads(Path(corpora.__file__).with_name("corpora.json").read_text())
IN_ANY_ORDER = {
    'WIDERFaceDataset("wider","train",decode=True)',  # MindSpore's order is that of a folder
    'WIDERFaceDataset("wider","test")',
    'WIDERFaceDataset("wider")',
}


@pytest.fixture(scope="module", autouse=True)
def workers():
    before = ds.config.get_num_parallel_workers()
    ds.config.set_num_parallel_workers(corpora.WORKERS)
    yield
    ds.config.set_num_parallel_workers(before)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    corpora.write(folder)
    return folder


@pytest.mark.parametrize("call", TOLD)
def test_as_in_mindspore(call, root):
    found = corpora.tell(ds, call, root)
    told = TOLD[call]
    if call in IN_ANY_ORDER:
        found, told = sorted(found), sorted(told)
    assert found == told


def test_classes(root):
    coco = ds.CocoDataset(f"{root}/coco/img", f"{root}/coco/pan.json", "Panoptic")
    assert coco.get_class_indexing() == {"cat": [7, 1], "dog": [9, 1]}
    voc = ds.VOCDataset(f"{root}/voc", "Detection")
    assert (voc.get_class_indexing(), voc.num_classes()) == ({"cat": 0, "dog": 1}, None)
    assert ds.ManifestDataset(f"{root}/manifest/data.manifest").get_class_indexing() == {"cat": 0, "dog": 1}


def test_shards_and_samplers(root):
    rows = ds.SST2Dataset(f"{root}/sst2", shuffle=False, num_shards=2, shard_id=1)
    assert [row["sentence"].item() for row in rows.create_dict_iterator(1, True)] == ["that loves "]
    faces = ds.CelebADataset(f"{root}/celeba", sampler=ds.SequentialSampler(1, 1))
    assert faces.get_dataset_size() == 1
    with pytest.raises(RuntimeError, match="argument `sampler` excludes others"):
        ds.CelebADataset(f"{root}/celeba", shuffle=True, sampler=ds.SequentialSampler())


def test_signatures():
    parameters = list(inspect.signature(ds.DIV2KDataset).parameters)
    assert parameters[:4] == ["dataset_dir", "usage", "downgrade", "scale"]
    with pytest.raises(
        ValueError, match="`DIV2KDataset`: argument `dataset_dir` must be a folder that exists"
    ):
        ds.DIV2KDataset("nowhere")


def test_samples_are_mindspores_to_the_last_bit(tmp_path):
    with wave.open(str(tmp_path / "0_1_0_1_0_1_0_1.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(np.array([-32768, -32767, -20000, 1, 30000, 32767], "<i2").tobytes())
    rows = ds.YesNoDataset(str(tmp_path)).create_tuple_iterator(num_epochs=1, output_numpy=True)
    wanted = [-1.000030517578125, -1.0, -0.6103702187538147, 3.0518509447574615e-05, 0.9155552983283997, 1.0]
    assert [row[0][0].tolist() for row in rows] == [wanted]


def test_talks(tmp_path):
    for part in ("train", "test", "dev"):
        for name in ("A", "B"):
            sound, notes = tmp_path / part / "sph" / f"{name}.sph", tmp_path / part / "stm" / f"{name}.stm"
            sound.parent.mkdir(parents=True, exist_ok=True)
            notes.parent.mkdir(exist_ok=True)
            order = "<" if name == "A" else ">"
            fields = [
                "sample_count -i 40",
                "sample_rate -i 16",
                f"sample_byte_format -s2 {'01' if name == 'A' else '10'}",
            ]
            head = "\n".join(["NIST_1A", "   1024", *fields, "end_head", ""]).encode().ljust(1024)
            sound.write_bytes(head + (np.arange(40) * 256).astype(f"{order}i2").tobytes())
            notes.write_text(
                f"{name} 1 s{name} 0.0 1.0 <o,f0> hello {part}\n{name} 1 s{name} 1.2 2.43 <o,f0> two\n"
            )
    data = ds.TedliumDataset(str(tmp_path), "release1", shuffle=False)
    rows = list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    # MindSpore 2.10 gives these rows in this order; its samples are all 0.
    said = [row[2].item() for row in rows]
    assert said == ["hello dev", "hello test", "hello train"] * 2 + ["two"] * 6
    assert [row[3].item() for row in rows] == [*"AAABBBAAABBB"]
    assert [column.dtype for column in rows[0][:2]] == [np.float32, np.int32]
    np.testing.assert_array_equal(rows[0][0], np.arange(16)[None] / 128)
    np.testing.assert_array_equal(rows[9][0], np.arange(19, 38)[None] / 128)
    assert ds.TedliumDataset(str(tmp_path), "release2", "dev").get_dataset_size() == 4
    with pytest.raises(ValueError, match="usage"):
        ds.TedliumDataset(str(tmp_path), "release3", "train")
    with pytest.raises(RuntimeError, match="data"):
        ds.TedliumDataset(str(tmp_path), "release3")


def test_running_text_is_read_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is where lines begin, not their text; a line is read when its row is asked for."""
    text = "".join(f"line {i} {'x' * 500}\n" for i in range(20_000))
    (tmp_path / "enwik9").write_text(text)
    monkeypatch.setattr(lines, "_PART", 2**16)  # bytes that are looked through at once
    tracemalloc.start()
    data = ds.EnWik9Dataset(str(tmp_path), shuffle=False)
    first = next(data.create_tuple_iterator(output_numpy=True))[0].item()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (first[:7], data.get_dataset_size()) == ("line 0 ", 20_000)
    assert most < len(text) / 2
