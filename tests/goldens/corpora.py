"""Small files in the formats of public data sets, and what a framework's datasets read from them."""

import json
import struct
import wave
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.io import savemat
from scipy.sparse import csc_matrix


def _put(path: Path, content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def _image(path: Path, seed: int, size=(4, 5), mode="RGB") -> None:
    shape = size if mode in ("L", "P") else (*size, 3)
    pixels = (np.arange(np.prod(shape)) * 7 + seed * 13).reshape(shape) % 251
    made = Image.fromarray(pixels.astype(np.uint8), "L" if mode == "P" else mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    made.save(path, "PNG")  # whatever its name says, so that pixels are exact


def _sound(path: Path, seed: int, rate=8000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.arange(6, dtype="<i2") * 1000 * (seed + 1) - 2000).tobytes())


def _idx(path: Path, values: np.ndarray, kind: int = 8) -> None:
    _put(
        path,
        bytes([0, 0, kind, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape) + values.tobytes(),
    )


def _digits(root: Path, images: str, labels: str, n: int, wide: int = 1) -> None:
    _idx(root / images, (np.arange(n * 28 * 28) % 255).astype(np.uint8).reshape(n, 28, 28))
    if wide == 1:
        _idx(root / labels, np.arange(n, dtype=np.uint8))
    else:
        _idx(root / labels, np.arange(n * wide, dtype=">i4").reshape(n, wide), 12)


def _tables(root: Path) -> None:
    for name, columns in {"ag": 3, "amazon": 3, "dbpedia": 3, "sogou": 3, "yahoo": 4, "yelp": 2}.items():
        for part in ("train", "test"):
            rows = [[f"{i + 1}", *(f"{part} {i}{j}, it''s" for j in range(1, columns))] for i in range(3)]
            text = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
            _put(root / name / f"{part}.csv", text)
    _put(root / "sst2/train.tsv", "sentence\tlabel\nhide new \t0\nthat loves \t1\n")
    _put(root / "sst2/dev.tsv", "sentence\tlabel\nso so\t1\n")
    _put(root / "sst2/test.tsv", "index\tsentence\n0\tuneasy mishmash\n1\tgood\n")


def _texts(root: Path) -> None:
    for part in ("train", "test", "valid"):
        _put(root / f"ptb/ptb.{part}.txt", f" no it was \n\n n't {part} <unk>\n")
        _put(root / f"wiki/wiki.{part}.tokens", f" \n = {part} = \n \n the <unk> game \n")
        rows = f"# x\n1\tFrom\tPRON\t{part}\n2\tthe\tDET\tDT\n\n1\tNow\tADV\tRB\n\n"
        _put(
            root / f"ud/en-ud-tag.v2.{'dev' if part == 'valid' else part}.txt",
            rows.replace("# x\n", "").replace("1\t", "").replace("2\t", ""),
        )
    for part in ("train", "test"):
        _put(root / f"conll/{part}.txt", f"He PRP B-NP\n{part} VBZ B-VP\n\nthe DT B-NP\n\n")
        for label in ("pos", "neg"):
            _put(root / f"imdb/{part}/{label}/0_9.txt", f"{part} is {label}")
            _put(root / f"imdb/{part}/{label}/1_3.txt", f"second {label}")
    _put(root / "wik9/enwik9", "<mediawiki>\n\n  <siteinfo>\nend\n")
    for folder, file in (("training", "train"), ("validation", "val"), ("mmt16_task1_test", "test")):
        for language in ("en", "de"):
            _put(root / f"multi30k/{folder}/{file}.{language}", f"{file} {language} one.\n{language} two.\n")
    paragraph = {
        "context": "about it",
        "qas": [{"question": "who", "answers": [{"text": "me", "answer_start": 3}]}],
    }
    two = {"question": "why", "answers": [{"text": "a", "answer_start": 1}, {"text": "b", "answer_start": 2}]}
    none = {"question": "when", "answers": []}
    data = {
        "version": "1.1",
        "data": [{"title": "t", "paragraphs": [paragraph, {"context": "c", "qas": [two, none]}]}],
    }
    for part in ("train", "dev"):
        _put(root / f"squad/{part}-v1.1.json", json.dumps(data))
    tasks = {
        "afqmc": {"sentence1": "a", "sentence2": "b", "label": "0"},
        "tnews": {"label": "102", "label_desc": "news", "sentence": "s", "keywords": "k"},
        "iflytek": {"label": "1", "label_des": "d", "sentence": "s"},
        "cmnli": {"sentence1": "a", "sentence2": "b", "label": "neutral"},
        "wsc": {
            "target": {"span2_index": 3, "span1_index": 1, "span1_text": "x", "span2_text": "y"},
            "idx": 0,
            "label": "true",
            "text": "t",
        },
        "csl": {"id": 1, "abst": "a", "keyword": ["k", "l"], "label": "1"},
    }
    for task, row in tasks.items():
        test = {"id": 5} | {k: v for k, v in row.items() if not k.startswith("label")}
        _put(
            root / f"clue/{task}/train.json", json.dumps(row) + "\n" + json.dumps(row | {"label": "1"}) + "\n"
        )
        _put(root / f"clue/{task}/test.json", json.dumps(test) + "\n")
    _put(
        root / "iwslt/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo/train.tags.de-en.de",
        "<url>u</url>\nEins.\nZwei.\n",
    )
    _put(
        root / "iwslt/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo/train.tags.de-en.en",
        "<url>u</url>\nOne.\nTwo.\n",
    )


def _pictures(root: Path) -> None:
    _digits(
        root / "emnist", "emnist-mnist-train-images-idx3-ubyte", "emnist-mnist-train-labels-idx1-ubyte", 3
    )
    _digits(root / "emnist", "emnist-mnist-test-images-idx3-ubyte", "emnist-mnist-test-labels-idx1-ubyte", 2)
    for part, n in (("qmnist-train", 2), ("qmnist-test", 3), ("xnist", 2)):
        _digits(root / "qmnist", f"{part}-images-idx3-ubyte", f"{part}-labels-idx2-int", n, 8)
    for part, n in (("usps", 3), ("usps.t", 2)):
        lines = [
            f"{i + 1} " + " ".join(f"{j + 1}:{(j % 9 - 4) / 4:.4f}" for j in range(256)) + " "
            for i in range(n)
        ]
        _put(root / "usps" / part, "\n".join(lines) + "\n")
    digit = " ".join("1.0000" if i % 3 else "0.0000" for i in range(256))
    label = lambda k: " ".join("1" if i == k else "0" for i in range(10))  # noqa: E731
    _put(root / "semeion/semeion.data", f"{digit} {label(3)} \n{digit} {label(7)} \n")
    for part, n in (("train", 2), ("test", 1), ("unlabeled", 1)):
        _put(root / f"stl/{part}_X.bin", (np.arange(n * 3 * 96 * 96) % 253).astype(np.uint8).tobytes())
        if part != "unlabeled":
            _put(root / f"stl/{part}_y.bin", np.arange(1, n + 1, dtype=np.uint8).tobytes())
    for i, name in enumerate(("001.ak47", "002.flag")):
        _image(root / f"caltech256/{name}/00{i + 1}_0001.jpg", i)
        _image(root / f"caltech256/{name}/00{i + 1}_0002.jpg", i + 2)
    for part in ("train", "test", "valid"):
        for label_ in ("negative", "positive"):
            _image(root / f"rendered/{part}/{label_}/0001.png", len(part) + len(label_))
    _put(root / "sun/ClassName.txt", "/a/abbey\n/a/airfield/outdoor\n")
    _image(root / "sun/a/abbey/sun_a.jpg", 1)
    _image(root / "sun/a/airfield/outdoor/sun_b.jpg", 2)
    for i in range(3):
        _image(root / f"celeba/00000{i + 1}.jpg", i)
        _image(root / f"flickr/img/{i}.jpg", i)
        _image(root / f"coco/img/{i}.jpg", i)
        _image(root / f"div2k/DIV2K_train_HR/000{i + 1}.png", i)
        _image(root / f"div2k/DIV2K_train_LR_bicubic/X2/000{i + 1}x2.png", i + 5, (2, 3))
        _image(root / f"food/images/pie/{i}.jpg", i)
        _image(root / f"food/images/ribs/{i}.jpg", i + 3)
        _image(root / f"manifest/{i}.JPEG", i)
    lines = [f"00000{i + 1}.jpg " + " ".join(["1 ", "-1"][(i + j) % 2] for j in range(40)) for i in range(3)]
    _put(
        root / "celeba/list_attr_celeba.txt",
        "3\n" + " ".join(f"a{j}" for j in range(40)) + "\n" + "\n".join(lines) + "\n",
    )
    _put(root / "celeba/list_eval_partition.txt", "000001.jpg 0\n000002.jpg 1\n000003.jpg 2\n")
    _put(
        root / "flickr/token.txt",
        "".join(f"{i}.jpg#{j}\tcaption {i} {j} .\n" for i in range(2) for j in range(5)),
    )
    _put(root / "food/meta/train.txt", "pie/0\nribs/1\n")
    _put(root / "food/meta/test.txt", "pie/2\n")
    for part in ("background", "evaluation"):
        for language in ("Greek", "Latin"):
            for i in (1, 2):
                _image(
                    root / f"omniglot/images_{part}/{language}/character0{i}/000{i}_01.png", i + len(language)
                )
    rows = [
        {"source": f"{root}/manifest/{i}.JPEG", "usage": usage, "annotation": [{"name": name, "type": "x"}]}
        for i, (usage, name) in enumerate((("train", "cat"), ("train", "dog"), ("eval", "cat")))
    ]
    _put(root / "manifest/data.manifest", "".join(json.dumps(row) + "\n" for row in rows))


def _lists(root: Path) -> None:
    for i in range(1, 4):
        for who in ("Ann_A", "Bob_B"):
            _image(root / f"lfw/lfw_funneled/{who}/{who}_000{i}.jpg", i + len(who))
        _image(root / f"places/val_256/Places365_val_0000000{i}.jpg", i)
        _image(root / f"places/data_256_standard/a/abbey/0000000{i}.jpg", i + 4)
        _image(root / f"sbu/sbu_images/m_4385_{i}.jpg", i)
        _image(root / f"flowers/jpg/image_0000{i}.jpg", i)
        _image(root / f"flowers/segmim/segmim_0000{i}.jpg", i + 3)
        for folder in ("bedroom_train", "church_outdoor_train", "church_outdoor_val", "bedroom_val", "test"):
            _image(root / f"lsun/{folder}/{i}.jpg", i + len(folder))
    _put(root / "lfw/lfw-names.txt", "Ann_A\t3\nBob_B\t3\n")
    for part in ("DevTrain", "DevTest"):
        _put(root / f"lfw/people{part}.txt", "2\nAnn_A\t1\nBob_B\t2\n")
        _put(
            root / f"lfw/pairs{part}.txt",
            "2\nAnn_A\t1\t2\nBob_B\t1\t3\nBob_B\t1\tAnn_A\t3\nAnn_A\t2\tBob_B\t2\n",
        )
    _put(root / "lfw/pairs.txt", "2\t1\nAnn_A\t1\t2\nBob_B\t1\tAnn_A\t3\nBob_B\t1\t3\nAnn_A\t2\tBob_B\t2\n")
    _put(root / "lfw/people.txt", "2\n1\nAnn_A\t2\n1\nBob_B\t1\n")
    _put(root / "places/categories_places365.txt", "/a/abbey 0\n/a/airfield 1\n")
    _put(root / "places/places365_train_standard.txt", "/a/abbey/00000001.jpg 0\n/a/abbey/00000003.jpg 0\n")
    _put(root / "places/places365_val.txt", "Places365_val_00000002.jpg 1\nPlaces365_val_00000001.jpg 0\n")
    stem = "sbu/SBU_captioned_photo_dataset_"
    addresses = "".join(f"http://static.flickr.com/4385/{i}.jpg\n" for i in (3, 9, 1))
    _put(root / f"{stem}urls.txt", addresses)
    _put(root / f"{stem}captions.txt", "three\nnine\n one \n")
    pixels = (np.arange(32 * 32 * 3 * 5) * 7 % 251).astype(np.uint8).reshape(32, 32, 3, 5)
    for i, part in enumerate(("train", "test", "extra")):
        marks = np.array([[1], [10], [3], [10], [i]], np.uint8)
        path = root / f"svhn/{part}_32x32.mat"
        path.parent.mkdir(exist_ok=True)
        savemat(path, {"X": pixels + np.uint8(i), "y": marks}, do_compression=i < 2)
    savemat(root / "flowers/imagelabels.mat", {"labels": np.array([[5, 7, 9]], np.uint8)})
    parts = {"trnid": np.array([[3]]), "valid": np.array([[1]]), "tstid": np.array([[2]])}
    savemat(root / "flowers/setid.mat", parts)


def _translations(root: Path) -> None:
    for language in ("en", "de"):
        lines = f" {language} one. \n<a> {language}\n\n{language} two.\n\n{language} three"
        _put(root / f"multi/training/train.{language}", lines)
    for year, pair, folder in (
        ("16", "de-en", "iwslt16/texts/de/en/de-en"),
        ("17", "de-en", "iwslt17/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"),
    ):
        for language in ("de", "en"):
            marked = "".join(
                f"<{tag}>x</{tag}>\n" for tag in "url keywords speaker talkid title description".split()
            )
            said = f"{language} 1 & &amp;. \n <title>t</title>\n<b>{language}</b>\n <q> 2\n</doc>\n{language} 3\n"
            _put(root / f"{folder}/train.tags.{pair}.{language}", marked + said)
            for part in ("dev2010", "tst2010", "tst2013", "tst2014"):
                segments = "".join(
                    f'<seg id="{i}"> {language} {part} {text} </seg>\n'
                    for i, text in enumerate(("a &amp; &lt;b&gt;", "&quot;q&quot; &#39;z&#39; &apos;"))
                )
                heading = '<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<refset setid="x" srclang="de" trglang="en">\n'
                markup = f'{heading}<doc docid="1">\n<url>u</url>\n{segments}</doc>\n</refset>\n</mteval>\n'
                _put(root / f"{folder}/IWSLT{year}.TED.{part}.{pair}.{language}.xml", markup)
    table = '"1","a ""q"" x","b\nc"\r\n\r\n"2","d","é,"\n\n"3","f","g"'
    _put(root / "ends/train.csv", table)
    _put(root / "ends/train.tsv", "sentence\tlabel\r\nhide new \t0\r\n\r\nq\t1")
    for i, row in enumerate(('"1","a"\n', '"1","a","b","c"\n', '1,a b,c"d\n2,x,y\n')):
        _put(root / f"bad{i}/train.csv", row)
    _put(root / "bad0/train.tsv", "sentence\tlabel\nno tab\n")
    _put(root / "bad0/usps", "1 1:0.5\n")
    _put(root / "bad0/semeion.data", "1.0 0.0\n")
    _put(root / "bad0/train.json", '{"label": "1"}\n')


def _annotated(root: Path) -> None:
    boxes = [
        {
            "id": k,
            "image_id": i,
            "category_id": c,
            "bbox": [1 + k, 2, 3, 4.5],
            "iscrowd": k % 2,
            "area": 5,
            "segmentation": [[1, 2, 3, 4, 5, 6]],
        }
        for k, (i, c) in enumerate(((0, 7), (0, 9), (2, 7)))
    ]
    points = [b | {"keypoints": [1, 2, 2, 3, 4, 1], "num_keypoints": 2} for b in boxes]
    captions = [{"id": k, "image_id": i, "caption": f"caption {k}"} for k, i in enumerate((0, 0, 2))]
    images = [{"id": i, "file_name": f"{i}.jpg"} for i in range(3)]
    kinds = [{"id": 7, "name": "cat"}, {"id": 9, "name": "dog"}]
    outlines = [b | {"iscrowd": 0} for b in boxes]
    for name, notes in (("det", boxes), ("stuff", outlines), ("key", points), ("cap", captions)):
        content = {"images": images, "annotations": notes, "categories": [] if name == "cap" else kinds}
        _put(root / f"coco/{name}.json", json.dumps(content))
    panoptic = [
        {
            "image_id": i,
            "file_name": f"{i}.jpg",
            "segments_info": [{"id": 1, "category_id": 7, "area": 5, "iscrowd": 0, "bbox": [1, 2, 3, 4]}],
        }
        for i in (0, 2)
    ]
    content = {"images": images, "annotations": panoptic, "categories": [k | {"isthing": 1} for k in kinds]}
    _put(root / "coco/pan.json", json.dumps(content))
    for i, name in enumerate(("a1", "b2")):
        _image(root / f"voc/JPEGImages/{name}.jpg", i)
        _image(root / f"voc/SegmentationClass/{name}.png", i + 3)
        thing = "<object><name>{}</name><difficult>{}</difficult><truncated>1</truncated><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>{}</xmax><ymax>6</ymax></bndbox></object>"
        text = f"<annotation><filename>{name}.jpg</filename>{thing.format('dog', i, 5)}{thing.format('cat', 0, 4) * i}</annotation>"
        _put(root / f"voc/Annotations/{name}.xml", text)
    for part in ("Segmentation", "Main"):
        _put(root / f"voc/ImageSets/{part}/train.txt", "a1\nb2\n")


def _streets(root: Path) -> None:
    for i in range(2):
        _image(root / f"kitti/data_object_image_2/training/image_2/00000{i}.png", i)
        _image(root / f"kitti/data_object_image_2/testing/image_2/00000{i}.png", i + 2)
        line = "{} 0.5 {} 1.55 1 2 3 4.5 1.6 1.7 3.9 0.1 1.2 30.5 -0.25\n"
        lines = line.format("Pedestrian", i) + line.format("Car", 1) * i
        _put(root / f"kitti/data_object_label_2/training/label_2/00000{i}.txt", lines)
        name = f"0--Parade/0_Parade_{i}.jpg"
        for part in ("train", "val", "test"):
            _image(root / f"wider/WIDER_{part}/images/{name}", i + len(part))
        stem = f"aachen/aachen_00000{i}_000019"
        _image(root / f"cityscapes/leftImg8bit/train/{stem}_leftImg8bit.png", i)
        for kind in ("color", "instanceIds", "labelIds"):
            _image(
                root / f"cityscapes/gtFine/train/{stem}_gtFine_{kind}.png",
                i + len(kind),
                mode="RGB" if kind == "color" else "L",
            )
        _put(root / f"cityscapes/gtFine/train/{stem}_gtFine_polygons.json", json.dumps({"objects": [i]}))
    for i, name in enumerate(("Faces", "ant", "BACKGROUND_Google", "ant")):
        folder = f"{name}/image_000{1 + i // 3}.jpg"
        _image(root / f"caltech101/101_ObjectCategories/{folder}", i)
        outline = (
            root / f"caltech101/Annotations/{'Faces_2' if i == 0 else name}/annotation_000{1 + i // 3}.mat"
        )
        outline.parent.mkdir(parents=True, exist_ok=True)
        savemat(outline, {"obj_contour": np.arange(6.0).reshape(2, 3) + i, "box_coord": np.arange(4)})
    for i, name in enumerate(("a1", "a2")):
        _image(root / f"sbd/img/{name}.jpg", i)
        _put(root / f"sbd/{('train', 'val')[i]}.txt", f"{name}\n")
        lines = np.empty((20, 1), object)
        for kind in range(20):
            lines[kind, 0] = csc_matrix((np.arange(20).reshape(4, 5) % 7 == kind).astype(np.uint8) + i)
        notes = root / f"sbd/cls/{name}.mat"
        notes.parent.mkdir(exist_ok=True)
        areas = (np.arange(20).reshape(4, 5) % (3 + i)).astype(np.uint8)
        savemat(notes, {"GTcls": {"Boundaries": lines, "Segmentation": areas}})
    faces = "0--Parade/0_Parade_0.jpg\n1\n1 2 3 4 0 1 0 0 2 1 \n0--Parade/0_Parade_1.jpg\n2\n5 6 7 8 1 0 1 0 0 0 \n1 1 2 2 2 0 0 1 1 0 \n"
    for part in ("train", "val"):
        _put(root / f"wider/wider_face_split/wider_face_{part}_bbx_gt.txt", faces)
    _put(
        root / "wider/wider_face_split/wider_face_test_filelist.txt",
        "0--Parade/0_Parade_0.jpg\n0--Parade/0_Parade_1.jpg\n",
    )


def _sounds(root: Path) -> None:
    for i, name in enumerate(("0_1_0_0_1_1_0_0", "1_1_0_0_1_1_0_1")):
        _sound(root / f"yesno/{name}.wav", i)
    for i, name in enumerate(("cat/b433_nohash_0", "dog/5a33_nohash_1", "dog/5a33_nohash_2")):
        _sound(root / f"speech/{name}.wav", i, 16000)
    _put(root / "speech/testing_list.txt", "dog/5a33_nohash_1.wav\n")
    _put(root / "speech/validation_list.txt", "dog/5a33_nohash_2.wav\n")
    for i in range(2):
        _sound(root / f"lj/wavs/LJ001-000{i}.wav", i)
        _sound(root / f"cmu/cmu_us_aew_arctic/wav/arctic_a000{i + 1}.wav", i, 16000)
        _sound(root / f"libri/dev-clean/11/22/11_22_0{i}_00.wav", i, 24000)
    _put(root / "lj/metadata.csv", "LJ001-0000|Printing 1|Printing one\nLJ001-0001|b|c\n")
    lines = [f'( arctic_a000{i + 1} "Author {i}." )\n' for i in range(2)]
    _put(root / "cmu/cmu_us_aew_arctic/etc/txt.done.data", "".join(lines))
    lines = [f"11_22_0{i}_00\toriginal {i}\tnormal {i}\n" for i in range(2)]
    _put(root / "libri/dev-clean/11/22/11_22.trans.tsv", "".join(lines))
    _sound(root / "gtzan/blues/blues.00000.wav", 0, 22050)
    _sound(root / "gtzan/blues/blues.00001.wav", 1, 22050)
    for i in (1, 29, 30, 31, 98):
        _sound(root / f"gtzan_parts/blues/blues.{i:05d}.wav", i, 22050)


def _patches(root) -> None:
    folder = root / "tour/liberty"
    folder.mkdir(parents=True)
    for bitmap in range(2):
        pixels = np.add.outer(np.arange(1024) * 3, np.arange(1024) * (5 + bitmap)) % 251
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"patches000{bitmap}.bmp")
    (folder / "info.txt").write_text("".join(f"{i // 3} 0\n" for i in range(300)))
    pairs = "".join(
        f"{i} {i // 3} 0 {i + 250} {(i + 250) // 4} 0 0\n{i} {i // 3} 0 {i + 1} {(i + 1) // 3} 0 0\n"
        for i in range(9)
    )
    (folder / "m50_100000_100000_0.txt").write_text(pairs)


WORKERS = 2  # which decides how rows of several files alternate


def write(root) -> None:
    """All files, below a folder."""
    for part in (_tables, _texts, _pictures, _lists, _translations, _annotated, _streets, _sounds):
        part(Path(root))
    _patches(root)


CALLS = """
AGNewsDataset("ag", "train") AGNewsDataset("ag") AmazonReviewDataset("amazon","test") DBpediaDataset("dbpedia","test")
SogouNewsDataset("sogou","all") YahooAnswersDataset("yahoo","train") YelpReviewDataset("yelp","train")
SST2Dataset("sst2") SST2Dataset("sst2","test") SST2Dataset("sst2","dev")
PennTreebankDataset("ptb","train") PennTreebankDataset("ptb") WikiTextDataset("wiki","test") EnWik9Dataset("wik9")
UDPOSDataset("ud","train") UDPOSDataset("ud","all") CoNLL2000Dataset("conll","train") CoNLL2000Dataset("conll")
IMDBDataset("imdb","train") IMDBDataset("imdb") Multi30kDataset("multi30k","train")
Multi30kDataset("multi30k","test",["de","en"]) Multi30kDataset("multi30k") SQuADDataset("squad","train")
SQuADDataset("squad") IWSLT2017Dataset("iwslt","train",("de","en"))
CLUEDataset("clue/afqmc/train.json","AFQMC","train") CLUEDataset("clue/afqmc/test.json","AFQMC","test")
CLUEDataset("clue/tnews/train.json","TNEWS","train") CLUEDataset("clue/iflytek/test.json","IFLYTEK","test")
CLUEDataset("clue/cmnli/train.json","CMNLI","train") CLUEDataset("clue/wsc/train.json","WSC","train")
CLUEDataset("clue/csl/train.json","CSL","train") CLUEDataset("clue/tnews/test.json","TNEWS","test")
EMnistDataset("emnist","mnist","train") EMnistDataset("emnist","mnist") QMnistDataset("qmnist","train")
QMnistDataset("qmnist","test",False) QMnistDataset("qmnist") USPSDataset("usps","train") USPSDataset("usps")
SemeionDataset("semeion") STL10Dataset("stl","train") STL10Dataset("stl","unlabeled") STL10Dataset("stl")
Caltech256Dataset("caltech256") Caltech256Dataset("caltech256",decode=True) RenderedSST2Dataset("rendered","val")
RenderedSST2Dataset("rendered") SUN397Dataset("sun",decode=True) CelebADataset("celeba") CelebADataset("celeba",usage="valid",decode=True)
FlickrDataset("flickr/img","@flickr/token.txt",decode=True) DIV2KDataset("div2k",decode=True) Food101Dataset("food","train")
Food101Dataset("food",decode=True) OmniglotDataset("omniglot",decode=True) OmniglotDataset("omniglot",False)
ManifestDataset("manifest/data.manifest") ManifestDataset("manifest/data.manifest","eval",decode=True)
ManifestDataset("manifest/data.manifest",class_indexing={"dog":5},decode=True)
CocoDataset("coco/img","@coco/det.json") CocoDataset("coco/img","@coco/stuff.json","Stuff",decode=True)
CocoDataset("coco/img","@coco/key.json","Keypoint",decode=True) CocoDataset("coco/img","@coco/pan.json","Panoptic",decode=True)
CocoDataset("coco/img","@coco/cap.json","Captioning",decode=True)
VOCDataset("voc") VOCDataset("voc","Detection",decode=True) VOCDataset("voc","Detection",class_indexing={"dog":4},decode=True)
KITTIDataset("kitti",decode=True) KITTIDataset("kitti","test") WIDERFaceDataset("wider","train",decode=True)
WIDERFaceDataset("wider","test") WIDERFaceDataset("wider") CityscapesDataset("cityscapes",decode=True)
CityscapesDataset("cityscapes","train","fine","color") CityscapesDataset("cityscapes","train","fine","polygon")
CityscapesDataset("cityscapes","train","fine","semantic",decode=True)
PhotoTourDataset("tour","liberty","test",num_samples=15) PhotoTourDataset("tour","liberty",num_samples=4)
PhotoTourDataset("tour","yosemite",num_samples=4) PhotoTourDataset("tour","x") PhotoTourDataset("tour","liberty","all")
YesNoDataset("yesno") SpeechCommandsDataset("speech") SpeechCommandsDataset("speech","test") SpeechCommandsDataset("speech","train")
LJSpeechDataset("lj") CMUArcticDataset("cmu") GTZANDataset("gtzan") LibriTTSDataset("libri","dev-clean")
Caltech101Dataset("caltech101") Caltech101Dataset("caltech101","annotation") Caltech101Dataset("caltech101","all",decode=True)
Caltech101Dataset("ag") Caltech101Dataset("caltech101","x") SBDataset("sbd") SBDataset("sbd","Segmentation","val",decode=True)
SBDataset("sbd","x") SBDataset("sbd","Boundaries","train_noval") SBDataset("sbd","Boundaries","x") SBDataset("sbd","Segmentation","all")
AGNewsDataset("ag","wrong") AGNewsDataset("nowhere") AGNewsDataset("emnist") EMnistDataset("emnist","nope") EMnistDataset("emnist")
CelebADataset("ag") CocoDataset("coco/img","@coco/none.json") VOCDataset("voc","Wrong") VOCDataset("voc","Detection","nope")
CLUEDataset("clue/afqmc/train.json","NOPE") IMDBDataset("imdb",3) STL10Dataset("ag") YesNoDataset("ag") SQuADDataset("ag")
GTZANDataset("gtzan_parts","valid") GTZANDataset("gtzan_parts","train") LFWDataset("lfw") LFWDataset("lfw","people","10fold") LFWDataset("lfw","pairs","train") LFWDataset("lfw","pairs","10fold",decode=True)
LFWDataset("lfw","pairs","all") Places365Dataset("places") Places365Dataset("places","val",decode=True) SBUDataset("sbu") SBUDataset("sbu",decode=True)
LSUNDataset("lsun","train") LSUNDataset("lsun","valid",["church_outdoor"]) LSUNDataset("lsun","train",["church_outdoor","bedroom"]) LSUNDataset("lsun","test") LSUNDataset("lsun")
SVHNDataset("svhn","train") SVHNDataset("svhn","extra") SVHNDataset("svhn") Flowers102Dataset("flowers") Flowers102Dataset("flowers","Segmentation","train",decode=True)
Multi30kDataset("multi","train") IWSLT2017Dataset("iwslt17","train",("de","en")) IWSLT2017Dataset("iwslt17","valid",("de","en"))
IWSLT2017Dataset("iwslt17","all",("de","en")) IWSLT2016Dataset("iwslt16","train",("de","en")) IWSLT2016Dataset("iwslt16","test",("de","en"),test_set="tst2010")
IWSLT2016Dataset("iwslt16","all",("de","en")) AGNewsDataset("ends","train") SST2Dataset("ends","train") AGNewsDataset("bad0","train")
AGNewsDataset("bad1","train") AGNewsDataset("bad2","train") SST2Dataset("bad0","train") USPSDataset("bad0","train") SemeionDataset("bad0") CLUEDataset("bad0/train.json")
"""


def calls() -> list[str]:
    """The calls, one a line of code."""
    return [call for call in CALLS.replace(") ", ")\n").splitlines() if call]


def _told(value) -> str:
    value = np.asarray(value)
    if value.dtype.kind == "U":
        return f"str{list(value.shape)} {value.tolist()}"
    shown = (
        value.tolist()
        if value.size <= 42
        else int(value.astype(np.int64).sum())
        if value.dtype.kind in "ui"
        else round(float(value.sum()), 3)
    )
    if value.dtype.kind == "f" and value.size <= 42:
        shown = np.round(value.astype(np.float64), 4).tolist()
    return f"{value.dtype}{list(value.shape)} {shown}"


def tell(ds, call: str, root) -> list[str]:
    """Return the rows of a call, or the exception."""
    name, _, rest = call.partition("(")
    first, _, others = rest[:-1].partition(",")
    others = others.replace("@", f"{root}/")
    try:
        data = eval(
            f"ds.{name}(f'{root}/' + {first}, {others}, shuffle=False)".replace(", ,", ","), {"ds": ds}
        )  # noqa: S307
        columns = data.get_col_names()
        rows = [
            " | ".join(_told(row[c]) for c in columns)
            for row in data.create_dict_iterator(1, output_numpy=True)
        ]
        return [f"{columns} {data.get_dataset_size()} {data.num_classes()}", *rows]
    except Exception as error:
        return [next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")]


def outcomes(ds) -> dict[str, list[str]]:
    """Return the outcomes of all calls, of files in the working folder."""
    root = Path.cwd()
    write(root)
    ds.config.set_num_parallel_workers(WORKERS)
    return {call: tell(ds, call, root) for call in calls()}
