"""Named data sets never hold a file in memory, and what cannot be read is named by its file."""

import io
import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

import msjax.dataset as ds
from msjax.dataset.public_sets import json_arrays, matlab
from msjax.dataset.sources import lines

COUNT = 2000
LONG = "x" * 800


def read(data: Any, count: int | None = None) -> list[Any]:
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return list(rows) if count is None else [next(rows) for _ in range(count)]


def put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def good_image() -> bytes:
    whole = io.BytesIO()
    Image.new("RGB", (4, 4)).save(whole, "PNG")
    return whole.getvalue()


def write(root: Path) -> None:
    """Files of 1.5 to 6 MB."""
    put(root / "train.csv", "".join(f'"{i}","a","{LONG}\n{i} ""q"""\n' for i in range(COUNT)))
    put(root / "train.tsv", "sentence\tlabel\n" + "".join(f"{LONG} {i}\t1\n" for i in range(COUNT)))
    put(root / "train.txt", f"{LONG} NN B-NP\n{LONG} NN B-NP\n\n" * COUNT)
    put(root / "usps", f"3 {' '.join(f'{i + 1}:0.5' for i in range(256))}\n" * COUNT)
    put(root / "semeion.data", f"{'1.0 ' * 256}{'0 ' * 9}1\n" * COUNT)
    put(
        root / "clue.json",
        "".join(f'{{"label": "{i}", "sentence1": "{LONG}", "sentence2": ""}}\n' for i in range(COUNT)),
    )
    iwslt = root / "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
    for language in ("de", "en"):
        put(root / f"training/train.{language}", f"{LONG}\n" * COUNT)
        put(iwslt / f"train.tags.de-en.{language}", f"<url>\n{LONG}\n" * COUNT)
        put(iwslt / f"IWSLT17.TED.dev2010.de-en.{language}.xml", f"<seg id=1>{LONG}</seg>\n" * COUNT)
    question = {"question": LONG, "id": "q", "answers": [{"text": "é", "answer_start": 7}]}
    article = {"title": "t", "paragraphs": [{"context": LONG, "qas": [question] * 5}]}
    put(root / "train-v1.1.json", json.dumps({"version": "1.1", "data": [article] * (COUNT // 5)}))
    images = [{"id": i, "file_name": f"{i % 3}.jpg"} for i in range(COUNT)]
    box = {"category_id": 1, "bbox": [1, 2, 3, 4], "iscrowd": 0, "segmentation": [[0.125] * 150]}
    notes = [box | {"image_id": i} for i in range(COUNT)]
    put(
        root / "coco.json",
        json.dumps({"images": images, "annotations": notes, "categories": [{"id": 1, "name": "c"}]}),
    )
    for i in range(3):
        put(root / f"{i}.jpg", b"...")
    for name, shape in (("train-images-idx3-ubyte", (COUNT, 28, 28)), ("train-labels-idx1-ubyte", (COUNT,))):
        head = struct.pack(f">{1 + len(shape)}I", 2048 + len(shape), *shape)
        put(root / f"emnist-mnist-{name}", head + bytes(np.prod(shape).item()))
    pixels = np.random.default_rng(1).integers(0, 255, (32, 32, 3, COUNT)).astype(np.uint8)
    savemat(
        root / "train_32x32.mat", {"y": np.full((COUNT, 1), 10, np.uint8), "X": pixels}, do_compression=True
    )
    savemat(root / "test_32x32.mat", {"y": np.full((COUNT, 1), 3.0), "X": pixels}, do_compression=False)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    write(folder)
    return folder


@pytest.mark.parametrize(
    ("call", "file", "last"),
    [
        ('AGNews({r}, "train")', "train.csv", ["1999", "a", f'{LONG}\n1999 "q"']),
        ('DBpedia({r}, "train")', "train.csv", ["1999", "a", f'{LONG}\n1999 "q"']),
        ("SST2({r})", "train.tsv", [f"{LONG} 1999", "1"]),
        ('CoNLL2000({r}, "train")', "train.txt", [[LONG] * 2, ["NN"] * 2, ["B-NP"] * 2]),
        ('Multi30k({r}, "train")', "training/train.en", [LONG, LONG]),
        ('IWSLT2017({r}, "train", ("de", "en"))', "training/train.en", [LONG, LONG]),
        ('IWSLT2017({r}, "valid", ("de", "en"))', "training/train.en", [LONG, LONG]),
        ('USPS({r}, "train")', "usps", [np.full((16, 16, 1), 191).tolist(), 2]),
        ("Semeion({r})", "semeion.data", [np.ones((16, 16)).tolist(), 9]),
        ('CLUE({r} + "/clue.json")', "clue.json", ["1999", LONG, ""]),
        ('SQuAD({r}, "train")', "train-v1.1.json", [LONG, LONG, ["é"], [7]]),
        ('Coco({r}, {r} + "/coco.json")', "coco.json", [[46] * 3, [[1, 2, 3, 4]], [[1]], [[0]]]),
        ('EMnist({r}, "mnist", "train")', "emnist-mnist-train-images-idx3-ubyte", [np.zeros((28, 28, 1)).tolist(), 0]),
        ('SVHN({r}, "train")', "train_32x32.mat", None),
        ('SVHN({r}, "test")', "test_32x32.mat", None),
    ],
)  # fmt: skip
def test_files_are_not_held_in_memory(
    call: str, file: str, last: list[Any] | None, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((lines, "_PART"), (json_arrays, "_WINDOW"), (matlab, "_PART")):
        monkeypatch.setattr(module, name, 2**16)
    tracemalloc.start()
    data = eval(
        f"ds.{call.replace('(', 'Dataset(', 1)}"[:-1].replace("{r}", repr(str(root))) + ", shuffle=False)"
    )
    assert data.get_dataset_size() == COUNT
    read(data, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (root / file).stat().st_size / 2
    if last is not None:
        assert [column.tolist() for column in read(data)[-1]] == last


def test_house_numbers_are_those_of_the_file(root: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (32, 32, 3, COUNT)).astype(np.uint8)
    for part, label in (("train", 0), ("test", 3)):
        rows = read(ds.SVHNDataset(str(root), part, shuffle=False, num_samples=3))
        for i, (image, mark) in enumerate(rows):
            np.testing.assert_array_equal(image, pixels[..., i])
            assert (mark.dtype, mark.item()) == (np.uint32, label)


TEXT = (
    '{"a": [1, 23, -4.5e3, "é\\u00e9\\"]", [], {}, [[1, {"x": "ü"}]], null, true], '
    '"b": {"c": [1, 2]}, "d": [] , "e": [{"é": 1}]}'
)


@pytest.mark.parametrize("window", [1, 2, 5, 1000])
@pytest.mark.parametrize("indent", [None, 2])
def test_elements_of_json(
    window: int, indent: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_arrays, "_WINDOW", window)
    whole = json.loads(TEXT)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(whole, indent=indent, ensure_ascii=False), encoding="utf-8")
    file = json_arrays.JsonFile("X", path)
    found = list(file.elements("ade"))
    assert [(one.name, one.value) for one in found] == [
        (name, value) for name in "ade" for value in whole[name]
    ]
    assert [file.load(one.start, one.end) for one in found] == [one.value for one in found]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", '{"a"', '{"a": [1, 2', '{"a": [1 2]}', '{"a": [1,]}', '{"a": 3}', '{"a": ["\xff"]}', '{"a": [1]', "{a}"],
)  # fmt: skip
def test_what_is_no_json_names_the_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(RuntimeError, match=r"`X`: .*a\.json"):
        list(json_arrays.JsonFile("X", path).elements("a"))


@pytest.mark.parametrize("cut", [0, 60, 127, 130, 190, 1000, -20])
@pytest.mark.parametrize("compressed", [False, True])
def test_short_matlab_files(cut: int, compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / "train_32x32.mat"
    pixels = np.arange(32 * 32 * 3 * 2).reshape(32, 32, 3, 2).astype(np.uint8)
    savemat(path, {"y": np.ones((2, 1), np.uint8), "X": pixels}, do_compression=compressed)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(RuntimeError, match=r"`SVHNDataset`: .*train_32x32\.mat"):
        ds.SVHNDataset(str(tmp_path), "train")


PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.mark.parametrize(
    ("call", "files", "named"),
    [
        ("USPS({r}, 'train')", {"usps": "1 1:0.5\n"}, "usps"),
        ("USPS({r}, 'train')", {"usps": "x " + "1:0.5 " * 256}, "usps"),
        ("Semeion({r})", {"semeion.data": "1.0 0.0\n"}, "semeion.data"),
        ("SVHN({r}, 'train')", {"train_32x32.mat": "MATLAB"}, "train_32x32.mat"),
        ("Flowers102({r})", {"imagelabels.mat": "MATLAB", "setid.mat": ""}, "imagelabels.mat"),
        ("STL10({r}, 'train')", {"train_X.bin": b"abc", "train_y.bin": b"\1"}, "train_X.bin"),
        ("STL10({r}, 'train')", {"train_X.bin": bytes(27648), "train_y.bin": b"\1\1"}, "train_X.bin"),
        ("QMnist({r}, 'train')", {"qmnist-train-images-idx3-ubyte": b"\0\0\x08\3\0\0"}, "qmnist-train-images"),
        ("VOC({r}, 'Detection')", {"ImageSets/Main/train.txt": "a\n", "Annotations/a.xml": "<x"}, "a.xml"),
        ("VOC({r}, 'Detection')", {"ImageSets/Main/train.txt": "a\n",
            "Annotations/a.xml": "<x><object><name>a</name><difficult>no</difficult></object></x>"}, "a.xml"),
        ("KITTI({r})", {"data_object_image_2/training/image_2/a.png": PNG,
            "data_object_label_2/training/label_2/a.txt": "Car 1 2\n"}, "line 1 of .*a.txt"),
        ("WIDERFace({r}, 'train')", {"wider_face_split/wider_face_train_bbx_gt.txt": "a/b.jpg\n2\n1 2 3\n"}, "bbx_gt.txt"),
        ("WIDERFace({r}, 'train')", {"wider_face_split/wider_face_train_bbx_gt.txt": "a/b.jpg\nx\n"},
            "line 2 of .*bbx_gt.txt"),
        ("CelebA({r})", {"list_attr_celeba.txt": "1\na\nx.jpg 1 y\n"}, "line 3 of .*list_attr_celeba.txt"),
        ("CelebA({r}, usage='train')", {"list_eval_partition.txt": "x.jpg\n"}, "line 1 of .*list_eval_partition.txt"),
        ("Places365({r})", {"places365_train_standard.txt": "a 1\nb\n"}, "line 2 of .*places365_train_standard.txt"),
        ("LFW({r})", {"lfw-names.txt": "A 1\n", "peopleDevTrain.txt": "1\nB 1\n", "peopleDevTest.txt": ""},
            "peopleDevTrain.txt"),
        ("LJSpeech({r})", {"metadata.csv": "a|b\n"}, "line 1 of .*metadata.csv"),
        ("LibriTTS({r}, 'dev-clean')", {"dev-clean/1/2/1_2.trans.tsv": "a_b\tc\td\n"}, "line 1 of .*1_2.trans.tsv"),
        ("Tedlium({r}, 'release1', 'dev')", {"dev/stm/a.stm": "a 1 s\n"}, "line 1 of .*a.stm"),
        ("Tedlium({r}, 'release1', 'dev')", {"dev/stm/a.stm": "a 1 s 0 1 x b\n", "dev/sph/a.sph": "NIST"}, "a.sph"),
        ("PhotoTour({r}, 'liberty', 'test')", {"liberty/m50_100000_100000_0.txt": "1 2 3\n"}, "line 1 of .*m50_100000"),
        ("PhotoTour({r}, 'liberty', 'train')", {"liberty/info.txt": "0 0\n", "liberty/patches0000.bmp": "BM"},
            "patches0000.bmp"),
        ("DIV2K({r}, decode=True)", {"DIV2K_train_HR/1.png": None, "DIV2K_train_LR_bicubic/X2/1x2.png": PNG}, "1x2.png"),
        ("Caltech256({r}, decode=True)", {"a/1.jpg": PNG}, "1.jpg"),
        ("IMDB({r}, 'train')", {"train/pos/1.txt": b"\xff", "train/neg/1.txt": b"\xff"}, "1.txt"),
        ("Caltech101({r}, 'annotation')", {"101_ObjectCategories/ant/image_0001.jpg": PNG,
            "Annotations/ant/annotation_0001.mat": "x"}, "annotation_0001.mat"),
        ("SB({r}, usage='train')", {"train.txt": "a\n", "img/a.jpg": PNG, "cls/a.mat": "x"}, "a.mat"),
        ("Cityscapes({r}, task='polygon')", {"leftImg8bit/train/a/a_leftImg8bit.png": PNG,
            "gtFine/train/a/a_gtFine_polygons.json": "{"}, "a_gtFine_polygons.json"),
        ("Coco({r}, {r} + '/a.json')", {"a.json":
            '{"images": [{"id": 1, "file_name": "x"}], "annotations": [{"image_id": 1}]}'}, "a.json"),
        ("SQuAD({r}, 'train')", {"train-v2.0.json": '{"data": [{"x": 1}]}'}, "train-v2.0.json"),
        ("AGNews({r}, 'train')", {"train.csv": '"1","2"\n'}, "train.csv"),
        ("CoNLL2000({r}, 'train')", {"train.txt": "a b\n"}, "train.txt"),
        ("SST2({r})", {"train.tsv": "a\tb\nno tab\n"}, "train.tsv"),
        ("EnWik9({r})", {"enwik9": b"\xff\n"}, "enwik9"),
        ("Food101({r}, 'train')", {"meta/train.txt": b"a/\xff\n"}, "train.txt"),
    ],
)  # fmt: skip
def test_files_that_are_broken_are_named(
    call: str, files: dict[str, Any], named: str, tmp_path: Path
) -> None:
    """The file itself, not its folder."""
    for name, content in files.items():
        put(tmp_path / name, good_image() if content is None else content)
    with pytest.raises(RuntimeError, match=f"Dataset`: .*{named}"):
        read(eval(f"ds.{call.replace('(', 'Dataset(', 1)}".replace("{r}", repr(str(tmp_path)))))
