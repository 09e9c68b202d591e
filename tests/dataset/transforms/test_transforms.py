"""Transforms: what no golden can show (random ones, PIL images, MindSpore 1.x's names)."""

import io
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from PIL import Image

from msjax import dataset as ds
from msjax.core import dtype
from msjax.dataset import transforms, vision
from msjax.dataset.transforms import c_transforms, operations, py_transforms
from msjax.dataset.vision import c_transforms as c_vision
from msjax.dataset.vision import py_transforms as py_vision


@pytest.fixture(autouse=True)
def no_seed() -> None:
    ds.config.set_seed(ds.config.DEFAULT_SEED)


def pixels(height: int = 6, width: int = 7, channels: int = 3) -> np.ndarray:
    return (np.arange(height * width * channels).reshape(height, width, channels) * 37 % 251).astype(np.uint8)


def test_random_crop_takes_every_place() -> None:
    image = np.arange(12, dtype=np.int32).reshape(3, 4)
    seen = {tuple(vision.RandomCrop((2, 2))(image).ravel().tolist()) for _ in range(300)}
    assert seen == {(a, a + 1, a + 4, a + 5) for a in (0, 1, 2, 4, 5, 6)}


@pytest.mark.parametrize(
    ("padding", "shape"), [(1, (5, 6)), ((1, 2), (7, 6)), ((1, 2, 3, 4), (9, 8)), ([0, 0, 0, 1], (4, 4))]
)
def test_random_crop_sees_the_margin(padding: Any, shape: tuple[int, int]) -> None:
    whole = vision.Pad(padding, 7)(pixels(3, 4, 1))
    assert whole.shape[:2] == shape
    np.testing.assert_array_equal(vision.RandomCrop(shape, padding, fill_value=7)(pixels(3, 4, 1)), whole)


@pytest.mark.parametrize("size", [(3, 8), (9, 2), (10, 11)])
def test_random_crop_grows_smaller_images(size: tuple[int, int]) -> None:
    assert vision.RandomCrop(size, pad_if_needed=True)(pixels(4, 5)).shape == (*size, 3)


@pytest.mark.parametrize("flip", [vision.RandomHorizontalFlip, vision.RandomVerticalFlip])
def test_flips_come_as_often_as_asked(flip: Any) -> None:
    image = pixels(2, 2, 1)
    flipped = sum(not np.array_equal(flip(0.3)(image), image) for _ in range(1000))
    assert 250 < flipped < 350


def test_random_resized_crop_stays_within_its_limits() -> None:
    crop = vision.RandomResizedCrop((2, 2), (0.2, 0.5), (0.5, 2.0))
    for _ in range(200):
        top, left, height, width = crop.rectangle(20, 30)
        assert 0 <= top <= 20 - height
        assert 0 <= left <= 30 - width
        assert 0.15 < height * width / 600 < 0.55
        assert 0.4 < width / height < 2.3


def test_random_resized_crop_falls_back_to_the_middle() -> None:
    assert vision.RandomResizedCrop(2, (5.0, 6.0), (1.0, 1.0)).rectangle(4, 10) == (0, 3, 4, 4)


@pytest.mark.parametrize("patches", [1, 3])
@pytest.mark.parametrize("is_hwc", [True, False])
def test_cut_out_makes_holes(patches: int, is_hwc: bool) -> None:
    image = np.ones((9, 9, 3) if is_hwc else (3, 9, 9))
    for _ in range(50):
        holes = (vision.CutOut(3, patches, is_hwc)(image) == 0).all(axis=-1 if is_hwc else 0)
        assert holes.sum() <= 9 * patches
    assert image.all()


@pytest.mark.parametrize("value", [0, (1, 2, 3), "random"])
def test_random_erasing(value: Any) -> None:
    image = np.full((3, 20, 20), 50.0)
    erased = vision.RandomErasing(1.0, (0.1, 0.2), (1.0, 1.0), value)(image)
    share = (erased[0] != 50).mean()
    assert 0.05 < share < 0.25
    assert (image == 50).all()


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize(
    ("number", "images", "shape"), [(4, 4, 4), (1, 4, 4), (1, 1, 1), (4, None, 4), (2, 4, 0)]
)
def test_mix_up_draws_one_proportion_or_one_per_image(
    number: int, images: int | None, shape: int, single: bool
) -> None:
    mix = vision.MixUp(number, 1.0, single)
    batch = np.random.default_rng(0).random((2, 3, 1) if images is None else (images, 2, 3, 1))
    labels = np.eye(5)[: images or 1]
    if not shape or (single and images is None):
        with pytest.raises(ValueError, match="batch_size="):
            mix(batch, labels)
        return
    mix(batch, labels)
    mixed, weights = mix(1 - batch, labels)
    assert mixed.shape == (shape, 2, 3, 1)
    assert weights.shape == (shape, 5)
    assert 0 <= mixed.min() <= mixed.max() <= 1


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("number", [1, 4])
def test_mix_up_keeps_sums(single: bool, number: int) -> None:
    images, labels = np.random.default_rng(0).random((4, 3, 3, 1)), np.eye(4)
    mix = vision.MixUp(number, 0.5, single)
    for _ in range(3):
        mixed, weights = mix(images, labels)
        np.testing.assert_allclose(weights.sum(1), 1)
        if single and number == 1:  # all are mixed with the first one, in one proportion
            share = weights[1, 1]
            np.testing.assert_allclose(mixed, share * images + (1 - share) * images[:1])
        elif number == 1:
            np.testing.assert_allclose(mixed.sum(), images.sum())


def test_random_apply_and_choice_frequencies() -> None:
    apply = transforms.RandomApply([lambda x: x + 1], 0.2)
    assert 150 < sum(int(apply(np.array(0))) for _ in range(1000)) < 250
    choice = transforms.RandomChoice([lambda x: x, lambda x: x + 1, lambda x: x + 2])
    assert min(np.bincount([int(choice(np.array(0))) for _ in range(900)])) > 240


def test_random_order_takes_every_order() -> None:
    order = transforms.RandomOrder([lambda x, i=i: np.append(x, i) for i in range(3)])
    assert len({tuple(order(np.array([])).tolist()) for _ in range(200)}) == 6


# ---------------------------------------------------------------- PIL

KEEPS = [
    vision.CenterCrop((4, 3)),
    vision.RandomHorizontalFlip(1.0),
    vision.RandomVerticalFlip(1.0),
    vision.Pad(2),
    vision.Invert(),
]
GIVES_ARRAYS = [
    vision.RandomInvert(1.0),
    vision.RandomAutoContrast(prob=1.0),
    vision.RandomEqualize(1.0),
    vision.RandomAdjustSharpness(2.0, 1.0),
    vision.AdjustSharpness(2.0),
    vision.Solarize(9),
    vision.Rotate(20),
    vision.GaussianBlur(3),
    vision.Posterize(3),
    vision.HorizontalFlip(),
    vision.VerticalFlip(),
    vision.HWC2CHW(),
    vision.ToTensor(),
    vision.Rescale(2.0, 1.0),
]


@pytest.mark.parametrize("transform", [*KEEPS, *GIVES_ARRAYS], ids=lambda t: type(t).__name__)
def test_pil_images_are_treated_like_arrays(transform: Any) -> None:
    ds.config.set_seed(3)
    want = transform(pixels())
    ds.config.set_seed(3)
    got = transform(Image.fromarray(pixels()))
    assert isinstance(got, Image.Image) == (transform in KEEPS)
    np.testing.assert_array_equal(np.asarray(got), want)


@pytest.mark.parametrize(
    "inter", [vision.Inter.NEAREST, vision.Inter.BILINEAR, vision.Inter.BICUBIC, vision.Inter.ANTIALIAS]
)
def test_pil_images_are_resized_by_pil(inter: vision.Inter) -> None:
    filters = Image.Resampling
    chosen = {0: filters.NEAREST, 1: filters.LANCZOS, 2: filters.BILINEAR, 3: filters.BICUBIC}[int(inter)]
    image = Image.fromarray(pixels(8, 10))
    np.testing.assert_array_equal(vision.Resize((4, 5), inter)(image), image.resize((5, 4), chosen))


@pytest.mark.parametrize("size", [(4, 6), 5])
def test_an_image_file_through_a_pipeline(size: Any) -> None:
    file = io.BytesIO()
    Image.fromarray(pixels(12, 10)).save(file, "png")
    data = ds.GeneratorDataset([(np.frombuffer(file.getvalue(), np.uint8), 1)] * 3, ["image", "label"])
    arrays = data.map([vision.Decode(), vision.Resize(size), vision.ToTensor()], "image").batch(3)
    images = data.map([vision.Decode(to_pil=True), vision.Resize(size), vision.ToTensor()], "image").batch(3)
    height, width = size if isinstance(size, tuple) else (6, 5)
    for dataset in (arrays, images):
        assert dataset.output_shapes() == [[3, 3, height, width], [3]]
        assert dataset.output_types()[0] == np.float32
    np.testing.assert_array_equal(vision.Decode()(file.getvalue()), pixels(12, 10))


@pytest.mark.parametrize(
    ("crop", "count"), [(vision.FiveCrop(2), 5), (vision.TenCrop(2), 10), (vision.TenCrop(2, True), 10)]
)
def test_corner_crops(crop: Any, count: int) -> None:
    image = pixels(5, 7)
    crops = [np.asarray(one) for one in crop(Image.fromarray(image))]
    assert len(crops) == count
    corners = [image[:2, :2], image[:2, -2:], image[-2:, :2], image[-2:, -2:]]
    for got, want in zip(crops, corners, strict=False):
        np.testing.assert_array_equal(got, want)


def test_pil_image_comes_with_the_datasets_and_need_not_be_there() -> None:
    program = (
        "import sys\nsys.modules['PIL'] = None\nimport msjax.dataset\n"
        "for name in [one for one in sys.modules if one.startswith(('PIL', 'msjax.dataset'))]: del sys.modules[name]\n"
        "import PIL, msjax.dataset\nPIL.Image"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


# ---------------------------------------------------------------- MindSpore 1.x's names


@pytest.mark.parametrize(
    ("old", "new"),
    [(c_transforms, transforms), (c_vision, vision)],
    ids=["transforms", "vision"],
)
def test_transforms_written_in_cpp_are_the_same_classes(old: Any, new: Any) -> None:
    names = {*old.__all__} - {"RgbToBgr", "SoftDvppDecodeRandomCropResizeJpeg", "SoftDvppDecodeResizeJpeg"}
    assert len(names) > 10
    assert all(getattr(old, name) is getattr(new, name) for name in names)


def test_transforms_written_in_python() -> None:
    np.testing.assert_array_equal(py_transforms.OneHotOp(3)(1), [0, 1, 0])
    compose = py_transforms.Compose(
        [py_vision.ToTensor(), py_vision.Normalize((0.5,), (0.25,)), py_vision.Cutout(2)]
    )
    assert compose(pixels()).shape == (3, 6, 7)
    np.testing.assert_allclose(
        py_vision.Normalize([0.5, 0.1, 0.2], [1.0, 0.5, 2.0])(np.ones((3, 2, 2), np.float32))[:, 0, 0],
        [0.5, 1.8, 0.4],
        rtol=1e-6,
    )
    assert py_vision.NormalizePad([0.5] * 3, [1.0] * 3)(np.ones((3, 2, 2))).shape == (4, 2, 2)
    file = io.BytesIO()
    Image.fromarray(pixels()).save(file, "png")
    assert isinstance(py_vision.Decode()(file.getvalue()), Image.Image)


def test_a_pipeline_of_1_5() -> None:
    data = ds.NumpySlicesDataset({"image": np.stack([pixels()] * 4), "label": [0, 1, 2, 3]}, shuffle=False)
    data = data.map(
        operations=c_transforms.TypeCast(dtype.int32), input_columns="label", num_parallel_workers=1
    )
    data = data.map(
        operations=[c_vision.Resize((8, 8)), c_vision.Rescale(1 / 255, 0.0), c_vision.HWC2CHW()],
        input_columns=["image"],
    )
    data = data.map(lambda x, y: (x, y, y), ["image", "label"], ["x", "y", "z"], column_order=["z", "x"])
    data = data.shuffle(buffer_size=4).batch(2, drop_remainder=True).repeat(1)
    assert data.get_col_names() == ["z", "x"]
    assert [data.output_shapes(), data.output_types()] == [[[2], [2, 3, 8, 8]], [np.int32, np.float32]]


# ---------------------------------------------------------------- resizing


@pytest.mark.parametrize("inter", [vision.Inter.BILINEAR, vision.Inter.BICUBIC, vision.Inter.AREA])
@pytest.mark.parametrize("size", [(3, 4), (6, 7), (13, 9), (3, 20)])
@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_a_flat_image_stays_flat(inter: vision.Inter, size: tuple[int, int], kind: type) -> None:
    resized = vision.Resize(size, inter)(np.full((6, 7, 3), 100, kind))
    assert resized.shape == (*size, 3)
    assert resized.dtype == kind
    np.testing.assert_allclose(resized, 100, rtol=1e-5)


@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4])
def test_channels_are_resized_alike(channels: int | None) -> None:
    plane = pixels(6, 7, 1)[..., 0]
    want = vision.Resize((4, 9))(plane)
    image = plane if channels is None else np.stack([plane] * channels, -1)
    got = vision.Resize((4, 9))(image)
    np.testing.assert_array_equal(got, want if channels is None else np.stack([want] * channels, -1))


def test_hsv_and_back() -> None:
    image = np.random.default_rng(0).random((5, 6, 3))
    np.testing.assert_allclose(vision.HsvToRgb(True)(vision.RgbToHsv(True)(image)), image, atol=1e-12)


@pytest.mark.parametrize("policy", vision.AutoAugmentPolicy)
def test_auto_augment_changes_images_into_images(policy):
    image = np.arange(8 * 6 * 3, dtype=np.uint8).reshape(8, 6, 3)
    augment = vision.AutoAugment(policy)
    given = [augment(image) for _ in range(25)]
    assert {(one.shape, one.dtype) for one in given} == {((8, 6, 3), np.dtype(np.uint8))}
    assert len({one.tobytes() for one in given}) > 3
    assert [len(pair) for pair in augment.pairs] == [2] * 25
    with pytest.raises(TypeError, match="policy"):
        vision.AutoAugment("imagenet")


def test_devices_of_transforms():
    image = np.ones((4, 4, 3), np.uint8)
    for transform in (
        vision.AdjustBrightness(2.0),
        vision.HorizontalFlip(),
        vision.Rotate(90),
        vision.Decode(),
    ):
        assert transform.device("Ascend").device() is transform
    assert vision.Crop((0, 0), 2).device("CPU")(image).shape == (2, 2, 3)
    assert not hasattr(vision.RandomCrop(2), "device")
    with pytest.raises(ValueError, match="Received: 'GPU'"):
        vision.Resize(2).device("GPU")
    with pytest.raises(TypeError, match="Received: 3"):
        vision.Resize(2).device(3)


def test_transforms_of_programs_own():
    class First(operations.TextTensorOperation):
        def __init__(self):
            super().__init__()
            self.implementation = operations.Implementation.PY

        def _execute_py(self, text):
            return text[:1]

    class Second(operations.PyTensorOperation):
        def _execute_py(self, img):
            return img[1:2]

    rows = ds.NumpySlicesDataset([["a", "b"]], ["text"])
    for transform, want in ((First(), "a"), (Second(), "b")):
        [row] = rows.map(transform, ["text"]).create_dict_iterator(num_epochs=1, output_numpy=True)
        assert row["text"].tolist() == [want]
    with pytest.raises(NotImplementedError, match="parse"):
        operations.TextTensorOperation()(np.array(["a"]))
    with pytest.raises(TypeError, match="NumPy or PIL"):
        operations.ImageTensorOperation()([1])
    assert isinstance(vision.Rotate(90), operations.ImageTensorOperation)
    assert isinstance(vision.Rotate(90), operations.TensorOperation)
    assert not isinstance(vision.Rotate(90), operations.TextTensorOperation)


PICTURE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)


@pytest.mark.parametrize(
    ("listed", "array", "picture"),
    [
        ("[vision.Resize((2, 2)), vision.ToTensor()]", "array", "tuple"),
        ("[vision.Resize((2, 2))]", "array", "tuple of a picture"),
        ("[vision.ToPIL(), vision.ToTensor()]", "tuple", "tuple"),
        ("[vision.ToPIL()]", "tuple of a picture", "tuple of a picture"),
        ("[lambda x: x]", "array", "tuple of a picture"),
        ("[lambda x: np.asarray(x)]", "array", "tuple"),
        ("[transforms.Compose([vision.Resize(2)]), vision.ToTensor()]", "array", "tuple"),
        (
            "[transforms.Compose([vision.ToPIL()]), vision.Resize(2)]",
            "tuple of a picture",
            "tuple of a picture",
        ),
        ("[transforms.RandomOrder([vision.Resize(2)])]", "tuple", "tuple of a picture"),
        ("[transforms.RandomApply([vision.Resize(2)], 1.0)]", "array", "tuple of a picture"),
        ("[vision.RgbToHsv(True)]", "tuple", "TypeError"),
        ("[vision.RandAugment()]", "array", "tuple"),
        ("[vision.RandomErasing()]", "tuple", "TypeError"),
    ],
)
def test_compose_gives_tuples_where_mindspore_does(listed: str, array: str, picture: str) -> None:
    def kind(image: Any) -> str:
        made = transforms.Compose(eval(listed, {"vision": vision, "transforms": transforms, "np": np}))
        try:
            given = made(image)
        except TypeError:
            return "TypeError"
        if not isinstance(given, tuple):
            return "array" if isinstance(given, np.ndarray) else type(given).__name__
        assert len(given) == 1
        return "tuple" if isinstance(given[0], np.ndarray) else "tuple of a picture"

    assert (kind(PICTURE), kind(Image.fromarray(PICTURE))) == (array, picture)


def test_importing_does_not_bring_opencv() -> None:
    program = "import sys, mindspore.dataset, mindspore.dataset.vision; print('cv2' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-m", "msjax", "run", "-c", program], capture_output=True, text=True
    )
    assert ran.stdout.strip() == "False", ran.stderr


def test_opencv_says_what_it_does_not_take() -> None:
    with pytest.raises(
        RuntimeError, match=r"`Resize`: OpenCV does not take this image of shape \(4, 4, 600\)"
    ):
        vision.Resize(2, vision.Inter.AREA)(np.zeros((4, 4, 600), np.uint8))
