"""torchvision's data sets and transforms, ported: the images are those that torchvision gives."""

import gzip
import struct

import numpy as np
import pytest
from PIL import Image

import msjax as ms
from msjax.cli.port import program, report

HEADER = "import torch\nfrom torch.utils.data import DataLoader\nfrom torchvision import datasets, transforms, utils\n"


def run(source, api="mindspore", **names):
    found = program.port_source(HEADER + source, api)
    assert [str(d) for d in found.report.of(report.LEFT)] == []
    with ms.install_as("mindspore"):
        exec(found.text, names)
    return names


@pytest.fixture
def image():
    values = np.random.RandomState(0).randint(0, 255, (12, 10, 3)).astype("uint8")
    return Image.fromarray(values)


def test_a_pipeline_of_transforms(image):
    found = run(
        """t = transforms.Compose([
            transforms.Resize((8, 6), interpolation=transforms.InterpolationMode.BICUBIC),
            transforms.CenterCrop(4), transforms.ToTensor(),
            transforms.Lambda(lambda x: torch.flip(x, (0,)) * 2),
            transforms.Normalize((0.5, 0.4, 0.3), (0.2, 0.1, 0.3))])
result = t(image)""",
        image=image,
    )["result"]
    small = np.asarray(image.resize((6, 8), Image.Resampling.BICUBIC))[2:6, 1:5]
    expected = small.transpose(2, 0, 1)[::-1].astype("float32") / 255 * 2
    expected = (expected - np.array([0.5, 0.4, 0.3])[:, None, None]) / np.array([0.2, 0.1, 0.3])[
        :, None, None
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("transform", "shape"),
    [
        ("transforms.RandomCrop(8, padding=4)", (3, 8, 8)),
        ("transforms.RandomResizedCrop(6)", (3, 6, 6)),
        ("transforms.RandomHorizontalFlip()", (3, 12, 10)),
        ("transforms.RandomVerticalFlip(p=0.3)", (3, 12, 10)),
        ("transforms.ColorJitter(0.4, contrast=(0.5, 1.5), hue=0.1)", (3, 12, 10)),
        ("transforms.RandomGrayscale()", (3, 12, 10)),
        ("transforms.Grayscale()", (1, 12, 10)),
        ("transforms.RandomRotation(10)", (3, 12, 10)),
        ("transforms.Pad(2)", (3, 16, 14)),
        ("transforms.Resize(5)", (3, 6, 5)),
    ],
)
def test_random_transforms_give_images(image, transform, shape):
    found = run(f"t = transforms.Compose([{transform}, transforms.ToTensor()])\nr = t(image)", image=image)[
        "r"
    ]
    assert found.shape == shape
    assert str(found.dtype) == "Float32"


@pytest.mark.parametrize(
    ("factor", "written"),
    [("brightness=0.4", "brightness=(0.6, 1.4)"), ("saturation=2", "saturation=(0, 3)"), ("hue=0.1", "hue=(-0.1, 0.1)"),
     ("contrast=(0.5, 1)", "contrast=(0.5, 1)")],
)  # fmt: skip
def test_ranges_of_factors_are_written_out(factor, written):
    text = program.port_source(HEADER + f"t = transforms.ColorJitter({factor})\n").text
    assert f"vision.RandomColorAdjust({written})" in text


def test_a_factor_that_may_be_a_range_is_left():
    found = program.port_source(HEADER + "t = transforms.ColorJitter(strength)\n").report
    assert "a number or a range" in found.of(report.LEFT)[0].note


@pytest.mark.parametrize("api", ["mindspore", "mint"])
def test_digits_from_the_folder_that_torchvision_loaded_them_into(tmp_path, api):
    folder = tmp_path / "MNIST" / "raw"
    folder.mkdir(parents=True)
    images = np.random.RandomState(0).randint(0, 255, (5, 28, 28)).astype("uint8")
    (folder / "train-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, 5, 28, 28) + images.tobytes())
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, 5) + bytes([3, 1, 4, 1, 5]))
    (folder / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(b"what was loaded"))
    names = run(
        """data = datasets.MNIST(root, train=True, download=True, transform=transforms.ToTensor())
batches = [(x, y) for x, y in DataLoader(data, batch_size=3)]""",
        api,
        root=str(tmp_path),
    )
    assert len(names["data"]) == 5
    (x, y), (_, rest) = names["batches"]
    assert (x.shape, str(x.dtype)) == ((3, 1, 28, 28), "Float32")
    np.testing.assert_allclose(x.asnumpy()[:, 0], images[:3] / 255, rtol=1e-6)
    assert [*y.asnumpy(), *rest.asnumpy()] == [3, 1, 4, 1, 5]


def test_a_folder_of_images_is_read_when_asked(tmp_path, image):
    for label, number in (("cat", 2), ("ant", 1)):
        (tmp_path / label / "more").mkdir(parents=True)
        for i in range(number):
            image.save(tmp_path / label / "more" / f"{i}.png")
    (tmp_path / "ant" / "notes.txt").write_text("no image")
    data = run("data = datasets.ImageFolder(root, transforms.ToTensor())", root=str(tmp_path))["data"]
    assert (data.classes, data.class_to_idx, data.targets) == (
        ["ant", "cat"],
        {"ant": 0, "cat": 1},
        [0, 1, 1],
    )
    found, label = data[2]
    assert label == 1
    np.testing.assert_allclose(found, np.asarray(image).transpose(2, 0, 1) / 255, rtol=1e-6)


def test_a_grid_of_images_is_written(tmp_path):
    path = str(tmp_path / "grid.png")
    run("utils.save_image(torch.ones(3, 1, 4, 5), path, nrow=2)", path=path)
    found = np.asarray(Image.open(path))
    assert found.shape == (2 + 2 * (4 + 2), 2 + 2 * (5 + 2), 3)
    assert found[2:6, 2:7].min() == 255
    assert found[:2].max() == 0


def test_fake_data_and_grids():
    found = run(
        """data = datasets.FakeData(4, (3, 6, 5), 2, transforms.ToTensor())
image, label = data[3]
grid = utils.make_grid(torch.arange(12.0).view(2, 1, 2, 3), nrow=2, padding=1, normalize=True)
alone = utils.make_grid([torch.ones(3, 2, 2)])"""
    )
    assert found["image"].shape == (3, 6, 5)
    assert found["label"] in (0, 1)
    assert len(found["data"]) == 4
    grid = found["grid"].asnumpy()
    assert grid.shape == (3, 4, 9)
    np.testing.assert_allclose(grid[0, 1, 1:4], np.arange(3) / 11, rtol=1e-6)
    np.testing.assert_allclose(grid[2, 2, 5:8], np.arange(9, 12) / 11, rtol=1e-6)
    assert found["alone"].shape == (3, 2, 2)


def test_a_data_set_of_digits_has_tensors_and_follows_them(tmp_path):
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    images = np.random.RandomState(0).randint(0, 255, (3, 28, 28)).astype("uint8")
    (raw / "train-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, 3, 28, 28) + images.tobytes())
    (raw / "train-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, 3) + bytes([3, 1, 4]))
    found = run(
        """data = datasets.MNIST(root, train=True)
before = data[1]
values = data.data.unsqueeze(1)
data.targets[1] = 7
data.data = data.data[1:]
after, label = data[0]""",
        root=str(tmp_path),
    )
    assert found["values"].shape == (3, 1, 28, 28)
    assert found["before"][1] == 1
    np.testing.assert_array_equal(np.asarray(found["after"]), images[1])
    assert (len(found["data"]), found["label"]) == (2, 3)


@pytest.mark.parametrize(
    ("made", "number", "names"),
    [
        (
            "resnet18(weights=None)",
            11689512,
            ["layer2.0.downsample.0.weight", "layer4.1.bn2.gamma", "fc.bias"],
        ),
        ("resnet50(num_classes=10)", 23528522, ["layer1.0.conv3.weight", "layer4.2.bn3.beta", "fc.weight"]),
        (
            "vgg11_bn(pretrained=False)",
            132868840,
            ["features.0.weight", "features.1.gamma", "classifier.6.bias"],
        ),
    ],
)
def test_networks_have_the_parameters_of_torchvisions(made, number, names):
    """The numbers of parameters are those that torchvision's documentation gives."""
    net = run(f"from torchvision import models\nnet = models.{made}")["net"]
    parameters = {p.name: p for p in net.trainable_params()}
    assert sum(p.size for p in parameters.values()) == number
    assert set(names) <= set(parameters)


def test_pretrained_weights_come_from_a_file_and_the_error_says_how(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = "from torchvision.models import resnet18, ResNet18_Weights\nnet = resnet18(weights=ResNet18_Weights.DEFAULT)"
    with pytest.raises(
        FileNotFoundError, match=r"port resnet18.pth --like resnet18_like.ckpt -o resnet18.ckpt"
    ):
        run(source)
    like = ms.load_checkpoint("resnet18_like.ckpt")
    weight = {n: np.full(p.shape, 0.5, "float32") for n, p in like.items()}
    ms.save_checkpoint([{"name": n, "data": ms.Tensor(v)} for n, v in weight.items()], "resnet18.ckpt")
    assert (run(source)["net"].fc.bias.asnumpy() == 0.5).all()


def test_a_name_of_the_program_that_is_also_an_argument_of_a_target(image):
    source = """from torchvision.transforms import CenterCrop, Compose, ToTensor
transforms = Compose([CenterCrop(4), ToTensor()])
r = transforms(image)
"""
    found = program.port_source(source, "mindspore")
    assert [str(d) for d in found.report.of(report.LEFT)] == []
    names = {"image": image}
    with ms.install_as("mindspore"):
        exec(found.text, names)
    assert names["r"].shape == (3, 4, 4)
