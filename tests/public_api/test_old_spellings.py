"""Old spellings: each row of the table, called under both, gives the same; what meant something else is refused."""

import importlib
import inspect

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn, ops
from msjax.public_api import old_spellings

KEYWORDS, NAMES = old_spellings.rows()
A = Tensor(np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3))
B = Tensor(np.array([[2.0, 0.5, 3.0], [1.0, 5.0, 7.0]], np.float32))
V = Tensor(np.array([1.0, 1.0, 2.0], np.float32))
ONE = Tensor(np.array([0.0, 1.0, 0.0], np.float32))
IMAGE = Tensor(np.arange(16.0, dtype=np.float32).reshape(1, 1, 4, 4))
BLOCK = Tensor(np.arange(64.0, dtype=np.float32).reshape(1, 1, 4, 4, 4))
SQUARE = Tensor(np.array([[3.0, 1.0], [1.0, 2.0]], np.float32))
WHOLE = Tensor(np.array([[1, 2, 3], [4, 5, 6]], np.int32))
LINES = Tensor(np.arange(6.0, dtype=np.float32).reshape(1, 2, 3))

# Today's arguments of a call, for each function with a row whose old arguments have other names only.
TODAY = {
    **{f"ops.{name}": {"input": A, "other": B} for name in "maximum minimum less le gt ge ne kron isclose".split()},
    **{f"ops.{name}": {"condition": A > 3, "input": A, "other": B} for name in ("where", "select")},
    **{f"ops.{name}": {"input": A} for name in """isfinite isnan squeeze flatten ones_like zeros_like nonzero unique
        any all amax amin""".split()},
    "ops.any": {"input": A > 3}, "ops.all": {"input": A > 3},
    "ops.amax": {"input": A, "keepdims": True}, "ops.amin": {"input": A, "keepdims": True},
    "ops.asinh": {"input": A}, "ops.atanh": {"input": A / 10}, "ops.prod": {"input": A},
    "ops.ones": {"shape": (2, 3), "dtype": ms.int32}, "ops.zeros": {"size": (2, 3), "dtype": ms.int32},
    "ops.eye": {"n": 3, "m": 2, "dtype": ms.int32},
    "ops.argmax": {"input": A, "dim": 1, "keepdim": True}, "ops.argmin": {"input": A, "axis": 1},
    "ops.split": {"tensor": A, "split_size_or_sections": 1, "axis": 1},
    "ops.norm": {"A": A, "dim": 1, "keepdim": True}, "ops.linspace": {"start": 0, "end": 1, "steps": 5},
    "ops.interpolate": {"input": LINES, "size": (5,), "mode": "linear"},
    "ops.avg_pool2d": {"input_x": IMAGE, "kernel_size": 2, "stride": 2},
    "ops.logsumexp": {"input": A, "dim": 1, "keepdim": True},
    "ops.transpose": {"input": A, "dims": (1, 0)}, "ops.tile": {"input": A, "dims": (2, 1)},
    "ops.addmv": {"input": V[:2], "mat": A, "vec": V}, "ops.clip": {"input": A, "min": 2.0, "max": 4.0},
    "ops.combinations": {"input": V, "r": 2}, "ops.dstack": {"tensors": [A, B]},
    "ops.unique_consecutive": {"input": V, "return_inverse": True, "dim": 0},
    "ops.cummin": {"input": A, "axis": 0}, "ops.as_strided": {"input": A, "size": (2, 2), "stride": (1, 2)},
    "ops.addcdiv": {"input": A, "tensor1": A, "tensor2": B}, "ops.addcmul": {"input": A, "tensor1": A, "tensor2": B},
    "ops.std": {"input": A, "ddof": 1}, "ops.var": {"input": A, "ddof": 1},
    "ops.concat": {"tensors": [A, B]}, "ops.stack": {"tensors": [A, B]},
    "ops.reshape": {"input": A, "shape": (3, 2)}, "ops.masked_select": {"input": A, "mask": A > 3},
    "ops.broadcast_to": {"input": V, "shape": (2, 3)}, "ops.matmul": {"input": A, "other": B.T},
    "ops.pow": {"input": A, "exponent": B}, "ops.topk": {"input": A, "k": 2},
    "ops.layer_norm": {"input": A, "normalized_shape": (3,)},
    "ops.tensor_split": {"input": A, "indices_or_sections": 2},
    "ops.multinomial": {"input": ONE, "num_samples": 2},
    **{f"ops.{name}": {"input": A} for name in """hardsigmoid hardswish hardshrink softshrink leaky_relu relu sigmoid silu
        softmax tanh gelu logit""".split()},
    "ops.logit": {"input": ONE, "eps": 0.1}, "ops.threshold": {"input": A, "thr": 2.0, "value": 9.0},
    "ops.prelu": {"input": LINES, "weight": V[:2]}, "ops.elu": {"input_x": A}, "ops.selu": {"input_x": A},
    **{f"ops.{name}": {"input": A, "target": B}
       for name in "mse_loss l1_loss huber_loss smooth_l1_loss cross_entropy".split()},
    "ops.binary_cross_entropy_with_logits": {"input": A, "target": B, "weight": V, "pos_weight": V},
    **{f"ops.{name}": {"input": A, "p": 0.5, "training": False} for name in ("dropout", "dropout1d")},
    "ops.dropout2d": {"input": IMAGE, "training": False}, "ops.dropout3d": {"input": BLOCK, "training": False},
    **{f"ops.adaptive_{kind}_pool1d": {"input": LINES, "output_size": 3} for kind in ("avg", "max")},
    **{f"ops.adaptive_{kind}_pool2d": {"input": IMAGE, "output_size": 2} for kind in ("avg", "max")},
    **{f"ops.adaptive_{kind}_pool3d": {"input": BLOCK, "output_size": 2} for kind in ("avg", "max")},
    "ops.avg_pool1d": {"input_x": LINES}, "ops.avg_pool3d": {"input_x": BLOCK},
    "ops.affine_grid": {"theta": A[None], "size": (1, 1, 2, 2)},
    "ops.grid_sample": {"input": IMAGE, "grid": Tensor(np.zeros((1, 2, 2, 2), np.float32)), "mode": "nearest"},
    "ops.conv1d": {"input": LINES, "weight": Tensor(np.ones((2, 1, 2), np.float32)), "groups": 2},
    "ops.conv2d": {"input": IMAGE, "weight": IMAGE[:, :, :2, :2], "groups": 1},
    "ops.conv3d": {"input": BLOCK, "weight": BLOCK[:, :, :2, :2, :2], "groups": 1},
    "ops.unfold": {"input": IMAGE, "kernel_size": 2},
    "ops.fold": {"input": Tensor(np.ones((1, 4, 9), np.float32)), "output_size": (4, 4), "kernel_size": 2},
    "ops.upsample": {"input": IMAGE, "size": (8, 8), "mode": "nearest"},
    **{f"ops.{name}": {"input": A} for name in ("rand_like", "randn_like")},
    "ops.bernoulli": {"input": A, "p": 0.5}, "ops.randint_like": {"input": A, "low": 0, "high": 9},
    "ops.MaxPool": {"kernel_size": 2, "pad_mode": "same"}, "ops.AvgPool": {"kernel_size": 2, "pad_mode": "same"},
    "ops.MaxPoolWithArgmax": {"kernel_size": 2, "pad_mode": "same"},
    "ops.UniqueConsecutive": {"return_inverse": True, "dim": 0}, "ops.Roll": {"shifts": 1, "dims": 0},
    "ops.pad": {"padding": ((1, 0), (0, 2)), "input_x": A},
    "RowTensor": {"indices": Tensor([0]), "values": A[:1], "shape": (2, 3)},
    "SparseTensor": {"indices": Tensor([[0, 1]]), "values": Tensor([1.0]), "shape": (2, 3)},
    "dataset.MindDataset": {"dataset_files": "no such file"},
    "dataset.vision.py_transforms.ToType": {"data_type": np.float32},
    **{f"Tensor.{name}": {"other": 2.0} for name in "gt ge mul div divide xlogy".split()},
    "Tensor.true_divide": {"divisor": 2.0}, "Tensor.tile": {"reps": (2, 1)},
    "Tensor.masked_scatter": {"mask": A > 3, "source": B},
    "Tensor.unique_consecutive": {"return_inverse": True, "dim": 0},
    **{f"ops.{name}": {"input": A} for name in """abs exp2 neg ceil round exp expm1 log floor sin sinc cos tan asin acos
        atan sinh cosh acosh erf erfc isreal square log2 log10 log1p soft_shrink pdist diag trunc svd""".split()},
    **{f"ops.{name}": {"input": SQUARE} for name in "matrix_determinant matrix_exp log_matrix_determinant".split()},
    **{f"ops.{name}": {"input": A, "other": B}
       for name in "add sub mul div xlogy atan2 equal remainder hypot logaddexp logaddexp2".split()},
    **{f"ops.{name}": {"input": WHOLE, "other": WHOLE + 2} for name in "bitwise_and bitwise_or bitwise_xor lcm gcd".split()},
    **{f"ops.{name}": {"input": A > 2, "other": B > 2} for name in ("logical_or", "logical_and")},
    "ops.logical_not": {"input": A > 2}, "ops.rot90": {"input": A, "k": 1, "dims": (0, 1)},
    "ops.cummax": {"input": A, "axis": 0}, "ops.baddbmm": {"input": A[None], "batch1": SQUARE[None], "batch2": B[None]},
    "ops.heaviside": {"input": A, "values": B}, "ops.gather_elements": {"input": A, "dim": 1, "index": Tensor([[0], [2]])},
    "ops.dot": {"input": A, "other": B.T}, "ops.ger": {"input": V, "vec2": V}, "ops.outer": {"input": V, "vec2": V},
    "ops.orgqr": {"input": SQUARE, "input2": V[:2]}, "ops.cdist": {"x1": A, "x2": B},
    "ops.range": {"start": Tensor(0), "end": Tensor(6), "step": Tensor(2)},
    **{f"{kind}.index_fill": {**x, "axis": 0, "index": Tensor([1]), "value": 5.0}
       for kind, x in (("ops", {"x": A}), ("Tensor", {}))},
    "ops.lerp": {"input": A, "end": B, "weight": 0.5}, "ops.renorm": {"input": A, "p": 1, "axis": 0, "maxnorm": 3.0},
    "ops.median": {"input": A, "axis": 0, "keepdims": True}, "Tensor.median": {"axis": 0, "keepdims": True},
    **{f"Tensor.{name}": {"tensor1": A, "tensor2": B} for name in ("addcdiv", "addcmul")},
    **{f"Tensor.{name}": {"other": B} for name in ("add", "atan2", "approximate_equal")},
    "Tensor.renorm": {"p": 1, "axis": 0, "maxnorm": 3.0}, "Tensor.pow": {"exponent": 2.0},
    **{f"Tensor.{name}": {"axis": 1, "keepdims": True} for name in ("amin", "amax")},
    "Tensor.clip": {"min": 2.0, "max": 4.0}, "Tensor.norm": {"dim": 1, "keepdim": True},
    **{f"Tensor.{name}": {"other": WHOLE} for name in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    "Tensor.ger": {"vec2": V},
    "Tensor.item": {"index": 3}, "Tensor.repeat": {"repeats": (2, 1)}, "Tensor.expand": {"size": (2, 3)},
}  # fmt: skip

RENAMED = [
    (name, old, row.new[0])
    for name, rows in KEYWORDS.items()
    for old, row in rows.items()
    if row.new and not row.value
]

# (function, as it was written, what it means)
OTHERWISE = [
    ("ops.split", {"input_x": A, "axis": 1, "output_num": 3}, lambda: ops.split(A, 1, 1)),
    ("ops.split", {"output_num": 3, "axis": 1, "input_x": A}, lambda: ops.split(A, 1, 1)),
    ("ops.norm", {"input_x": A, "axis": 1, "p": 1, "keep_dims": True}, lambda: ops.norm(A, 1, 1, True)),
    ("ops.norm", {"input_x": A, "axis": (0, 1), "p": 2}, lambda: ops.norm(A)),
    ("ops.interpolate", {"x": IMAGE, "sizes": (5, 6), "mode": "bilinear"},
     lambda: ops.interpolate(IMAGE, (5, 6), mode="bilinear", align_corners=True)),
    ("ops.interpolate", {"x": LINES, "sizes": (5,)},
     lambda: ops.interpolate(LINES, (5,), mode="linear", align_corners=True)),
    ("ops.interpolate", {"x": LINES, "scales": (1.0, 1.0, 2.0), "coordinate_transformation_mode": "half_pixel"},
     lambda: ops.interpolate(LINES, (6,), mode="linear", align_corners=False)),
    ("ops.interpolate", {"x": IMAGE, "sizes": (8, 8), "mode": "nearest", "roi": None},
     lambda: ops.interpolate(IMAGE, (8, 8), mode="nearest")),
    ("ops.std", {"input_x": A, "keep_dims": True}, lambda: ops.std(A, ddof=1, keepdims=True)),
    ("ops.var", {"x": A, "axis": 1, "unbiased": False, "keep_dims": True}, lambda: ops.var(A, 1, 0, True)),
    ("ops.std", {"input_x": A, "axis": 1, "unbiased": False}, lambda: ops.std(A, 1)),
    ("ops.var", {"x": A, "axis": 1}, lambda: ops.var(A, 1, 1)),
    ("ops.avg_pool2d", {"x": IMAGE, "kernel_size": 2, "strides": 2, "pad_mode": "valid", "data_format": "NCHW"},
     lambda: ops.avg_pool2d(IMAGE, 2, 2)),
    ("ops.less", {"input": 2, "other": A}, lambda: ops.greater(A, 2)),
    ("ops.equal", {"input": 2.0, "other": WHOLE}, lambda: ops.equal(WHOLE, 2.0)),
    ("ops.median", {"x": A, "global_median": False, "axis": 1}, lambda: ops.median(A, 1)),
    ("Tensor.median", {"global_median": False, "keep_dims": True}, lambda: A.median(keepdims=True)),
    ("Tensor.split", {"axis": 1, "output_num": 3}, lambda: A.split(1, 1)),
    ("Tensor.split", {"output_num": 2}, lambda: A.split(1)),
    ("Tensor.norm", {"axis": 1, "p": 1, "keep_dims": True}, lambda: A.norm(1, 1, True)),
    ("Tensor.norm", {"axis": (0, 1), "p": 2}, lambda: A.norm()),
    ("Tensor.swapaxes", {"axis1": 0, "axis2": 1}, lambda: A.swapaxes(0, 1)),
    ("Tensor.clip", {"xmin": 2.0, "xmax": 4.0, "dtype": None}, lambda: A.clip(2.0, 4.0)),
    ("nn.BatchNorm3d", {"num_features": 2, "data_format": "NCDHW"}, None),
    ("ops.standard_normal", {"shape": (2,), "seed": 1, "seed2": 0}, None),
    ("ops.standard_laplace", {"shape": (2,), "seed": 1, "seed2": 0}, None),
    ("ops.random_gamma", {"shape": Tensor([2]), "alpha": V, "seed": 1, "seed2": 0}, None),
    ("nn.EmbeddingLookup", {"vocab_size": 3, "embedding_size": 2, "vocab_cache_size": 0}, None),
    ("nn.EmbeddingLookupThor", {"vocab_size": 3, "embedding_size": 2, "vocab_cache_size": 0}, None),
    ("dataset.vision.c_transforms.Decode", {"rgb": True}, None),
]  # fmt: skip


def found(name):
    if name.startswith("Tensor."):
        x = V if name == "Tensor.ger" else WHOLE if "bitwise" in name else A
        return lambda **given: getattr(x, name[7:])(**given)
    module, _, last = f"msjax.{name}".rpartition(".")
    return getattr(importlib.import_module(module), last)


def values(result):
    if isinstance(result, tuple | list):
        return [v for part in result for v in values(part)]
    return [result.asnumpy() if isinstance(result, Tensor) else result]


def same(one, other):
    if isinstance(one, ms.nn.Cell | ops.Primitive) or not isinstance(
        one, Tensor | tuple | list | float | int
    ):
        assert type(one) is type(other)
        return
    assert len(values(one)) == len(values(other))
    for a, b in zip(values(one), values(other), strict=True):
        np.testing.assert_array_equal(a, b)
        assert getattr(a, "dtype", None) == getattr(b, "dtype", None)


def outcome(call):
    ms.set_seed(3)
    try:
        return call()
    except ValueError as error:  # of a data set that is not there
        return str(error)


@pytest.mark.parametrize(("name", "old", "new"), RENAMED)
def test_both_names_of_an_argument_give_the_same(name, old, new):
    today = TODAY[name]
    expected = outcome(lambda: found(name)(**today))
    respelled = {old if key == new else key: value for key, value in today.items()}
    assert respelled != today or old == new
    same(outcome(lambda: found(name)(**respelled)), expected)


@pytest.mark.parametrize(("name", "given", "meant"), OTHERWISE)
def test_what_was_said_otherwise(name, given, meant):
    result = found(name)(**given)
    if meant is not None:
        same(result, meant())


def test_every_row_is_tried():
    tried = {(name, old) for name, old, _ in RENAMED} | {
        (n, old) for n, given, _ in OTHERWISE for old in given
    }
    left = {
        (name, old)
        for name, rows in KEYWORDS.items()
        for old, row in rows.items()
        if (name, old) not in tried and (row.new or row.allowed is not None)
    }
    assert left <= {("ops.norm", "epsilon"), ("Tensor.norm", "epsilon")}


@pytest.mark.parametrize(
    ("name", "old"),
    [(n, o) for n, rows in KEYWORDS.items() for o, row in rows.items() if not row.new and row.value],
)
def test_what_meant_something_else_is_refused_with_the_way_out(name, old):
    required = [
        p.name
        for p in inspect.signature(found(name)).parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    for others in (required, []):  # what it stood for may be missing
        kind = ValueError if KEYWORDS[name][old].value.startswith("!") else TypeError
        with pytest.raises(kind, match=f"argument `{old}` is from MindSpore .* Write [^!]"):
            found(name)(**{**dict.fromkeys(others, A), old: 1})


def test_what_an_initializer_made_becomes_a_tensor_by_its_name_of_1_x():
    made = ms.common.initializer.initializer("ones", [2, 3], ms.float16)
    same(made.to_tensor(), ops.ones((2, 3), ms.float16))
    weight = ms.Parameter(made.to_tensor(), name="weight")
    assert weight.to_tensor() is weight
    with pytest.raises(TypeError, match="made with `init`"):
        A.to_tensor()


def test_what_is_refused():
    with pytest.raises(TypeError, match="`axis` and `dim` are the same"):
        ops.logsumexp(A, 1, axis=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        ops.logsumexp(A, 1, foo=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'dim'"):
        ops.logsumexp(A)
    with pytest.raises(TypeError, match=r"split\(\) missing 1 required positional argument: 'tensor'"):
        ops.split(axis=1, output_num=3)
    with pytest.raises(TypeError, match="flattened axes"):
        ops.norm(input_x=A, axis=(0, 1), p=1)
    with pytest.raises(TypeError, match=r"must be 1e-12 or left out"):
        ops.norm(A, axis=1, epsilon=1e-3)
    with pytest.raises(TypeError, match="must be 'valid' or left out"):
        ops.avg_pool2d(IMAGE, 2, strides=2, pad_mode="same")
    with pytest.raises(ValueError, match="must divide the size of the axis, 3"):
        ops.split(A, axis=1, output_num=2)
    with pytest.raises(ValueError, match="'align_corners' or 'half_pixel'"):
        ops.interpolate(LINES, sizes=(4,), coordinate_transformation_mode="asymmetric")


def test_compiled_mapped_and_differentiated():
    def f(x):
        return ops.logsumexp(x=x, axis=-1)

    same(ms.jit(f)(A), ops.logsumexp(A, -1))
    np.testing.assert_allclose(ms.grad(lambda x: f(x).sum())(A).asnumpy(), ops.softmax(A).asnumpy(), 1e-6)
    same(ms.vmap(f)(A), ops.logsumexp(A, -1))


def test_signatures_are_todays():
    assert list(inspect.signature(ops.logsumexp).parameters) == ["input", "dim", "keepdim"]
    assert list(inspect.signature(nn.EmbeddingLookup).parameters)[-1] == "dtype"


C_NAMES = """
    AdjustGamma AutoAugment AutoContrast Border BoundingBoxAugment CenterCrop ConvertColor ConvertMode Crop
    CutMixBatch CutOut Decode Equalize GaussianBlur HWC2CHW HorizontalFlip ImageBatchFormat Inter Invert
    MixUpBatch Normalize NormalizePad Pad Posterize RandomAdjustSharpness RandomAffine RandomColor
    RandomColorAdjust RandomCrop RandomCropDecodeResize RandomEqualize RandomHorizontalFlip RandomInvert
    RandomLighting RandomResize RandomResizedCrop RandomRotation RandomSelectSubpolicy RandomSharpness
    RandomSolarize RandomVerticalFlip Rescale Resize ResizeWithBBox RgbToBgr Rotate SlicePatches SliceMode
    UniformAugment VerticalFlip
""".split()
PY_NAMES = """
    AdjustGamma AutoContrast Border CenterCrop Cutout Decode Equalize FiveCrop Grayscale HWC2CHW HsvToRgb
    Inter Invert LinearTransformation MixUp Normalize NormalizePad Pad RandomAffine RandomColor
    RandomColorAdjust RandomCrop RandomErasing RandomGrayscale RandomHorizontalFlip RandomLighting
    RandomPerspective RandomResizedCrop RandomRotation RandomSharpness RandomVerticalFlip Resize RgbToBgr
    RgbToHsv TenCrop ToPIL ToTensor ToType UniformAugment
""".split()


@pytest.mark.parametrize(("module", "names"), [("c_transforms", C_NAMES), ("py_transforms", PY_NAMES)])
def test_image_transforms_of_older_versions(module, names):
    with ms.install_as("mindspore"):
        old = importlib.import_module(f"mindspore.dataset.vision.{module}")
        for name in names:
            assert inspect.isclass(getattr(old, name)), name
        assert {*names} <= {*old.__all__} <= {*dir(old)}
        assert not {"Any", "transforms"} & {*old.__all__}


def test_the_simulated_decoder_of_1_x_can_be_imported_and_says_what_it_is():
    with ms.install_as("mindspore"):
        names: dict = {}
        exec("from mindspore.dataset.vision.c_transforms import *", names)
    for name in ("SoftDvppDecodeRandomCropResizeJpeg", "SoftDvppDecodeResizeJpeg"):
        with pytest.raises(NotImplementedError, match=name):
            names[name](8)


def test_red_and_blue_change_places():
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    np.testing.assert_array_equal(ms.dataset.vision.c_transforms.RgbToBgr()(image), image[..., ::-1])
    swap = ms.dataset.vision.py_transforms.RgbToBgr(is_hwc=True)
    np.testing.assert_array_equal(swap(image), image[..., ::-1])


@pytest.mark.parametrize("name", sorted(NAMES))
def test_names_that_moved(name):
    row = NAMES[name]
    with ms.install_as("mindspore"):
        module, _, last = f"mindspore.{row.old}".rpartition(".")
        old = importlib.import_module(module)
        if last == "*":
            module, _, last = f"mindspore.{row.new}".rpartition(".")
            importlib.import_module(module)
            return
        value = getattr(old, last)
        assert "Missing" not in type(value).__name__
        module, _, last = f"mindspore.{row.new}".rpartition(".")
        assert getattr(importlib.import_module(module), last) is not None
