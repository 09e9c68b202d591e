"""Datasets of public data sets, against what MindSpore reads from the same small files."""

import inspect
import json
from pathlib import Path

import pytest

import msjax.dataset as ds
from tests.goldens import corpora

TOLD = json.loads(Path(corpora.__file__).with_name("corpora.json").read_text())
# MindSpore takes turns among as many files as it has workers, msjax among all.
IN_ANY_ORDER = {
    'PennTreebankDataset("ptb")',
    'UDPOSDataset("ud","all")',
    'Multi30kDataset("multi30k")',
    'WIDERFaceDataset("wider","train",decode=True)',  # MindSpore's order is that of a folder
    'WIDERFaceDataset("wider","test")',
    'WIDERFaceDataset("wider")',
}


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
