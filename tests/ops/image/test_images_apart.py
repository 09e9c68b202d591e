"""Operators on images without a CPU kernel in MindSpore, against NumPy or recorded operators; and transformations of all."""

import itertools

import jax
import numpy as np
import pytest
from jax.test_util import check_grads

import msjax as ms
from msjax import Tensor, nn, ops
from msjax.core.state import override_state
from msjax.ops import operations as P
from msjax.ops.image import grid_sampling, resize

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return Tensor(RANDOM.normal(size=shape).astype(np.float32))


def windows(x, kernel, step, apart, pads=0):
    """(place of the window, its elements) of an array with a value for padding."""
    padded = np.pad(
        x, [(0, 0)] * (x.ndim - len(kernel)) + [(p, p) for p in np.broadcast_to(pads, len(kernel))]
    )
    reach = [(k - 1) * apart + 1 for k in kernel]
    counts = [(n - r) // step + 1 for n, r in zip(padded.shape[-len(kernel) :], reach, strict=True)]
    for at in itertools.product(*map(range, counts)):
        parts = tuple(slice(a * step, a * step + r, apart) for a, r in zip(at, reach, strict=True))
        yield at, padded[(..., *parts)]


def test_dilation():
    x, kernel = normal(2, 3, 5, 6), normal(3, 2, 3)
    for step, apart in ((1, 1), (2, 1), (1, 2)):
        found = ops.Dilation2D(step, apart, "valid")(x, kernel).asnumpy()
        for at, part in windows(x.asnumpy(), (2, 3), step, apart):
            np.testing.assert_array_equal(found[(..., *at)], (part + kernel.asnumpy()).max((-1, -2)))
    assert ops.Dilation2D(2, 1)(x, kernel).shape == (2, 3, 3, 3)
    low = ops.Dilation2D(1, 1, "SAME")(x - 100, kernel)
    assert float(low.max()) < -50, "what lies outside does not count"
    with pytest.raises(ValueError, match=r"`Dilation2D`.*stride.*Received"):
        ops.Dilation2D((2, 1, 1, 1), 1)(x, kernel)
    with pytest.raises(TypeError, match="one dtype"):
        ops.Dilation2D(1, 1)(x, kernel.astype(ms.float16))


def test_patches_are_channels():
    x = normal(2, 3, 5, 6)
    found = ops.ExtractImagePatches((1, 1, 2, 3), (1, 1, 2, 2), (1, 1, 1, 1))(x).asnumpy()
    for at, part in windows(x.asnumpy(), (2, 3), 2, 1):
        np.testing.assert_array_equal(found[(..., *at)], part.transpose(0, 2, 3, 1).reshape(2, -1))
    same = ops.ExtractImagePatches([1, 1, 3, 3], [1, 1, 1, 1], [1, 1, 1, 1], "same")(x).asnumpy()
    for at, part in windows(x.asnumpy(), (3, 3), 1, 1, 1):
        np.testing.assert_array_equal(same[(..., *at)], part.transpose(0, 2, 3, 1).reshape(2, -1))
    with pytest.raises(ValueError, match=r"`ExtractImagePatches`.*ksizes"):
        ops.ExtractImagePatches((1, 2, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1))(x)


def test_patches_of_volumes_are_channels():
    x = normal(1, 2, 4, 4, 5)
    found = P.ExtractVolumePatches((1, 1, 2, 2, 3), 2, "VALID")(x).asnumpy()
    for at, part in windows(x.asnumpy(), (2, 2, 3), 2, 1):
        np.testing.assert_array_equal(found[(..., *at)], part.transpose(0, 2, 3, 4, 1).reshape(1, -1))


@pytest.mark.parametrize("noise", ["zero", "gaussian"])
def test_glimpses(noise):
    x, settings = normal(2, 5, 6, 3), {"uniform_noise": False, "noise": noise}
    size, size_2 = Tensor([3, 2], ms.int32), (3, 2)
    found = P.ExtractGlimpse(False, False, **settings)(x, size, Tensor([[2.5, 3.0], [0.0, 6.0]]))
    np.testing.assert_array_equal(found[0].asnumpy(), x[0, 1:4, 2:4].asnumpy())
    np.testing.assert_array_equal(found[1, 1:, :1].asnumpy(), x[1, :2, 5:].asnumpy())
    if noise == "zero":
        assert float(found[1, 0].abs().max()) == 0
    middle = P.ExtractGlimpse(**settings)(x, size_2, Tensor([[0.0, 0.0], [0.2, 0.0]]))
    np.testing.assert_array_equal(middle[0].asnumpy(), x[0, 1:4, 2:4].asnumpy())


def greedy(boxes, scores, most, overlap, lowest):
    """Places of the best boxes, one after the other."""

    def iou(a, b):
        low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
        shared = np.prod(np.maximum(high - low, 0))
        return shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared)

    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if len(kept) < most and scores[i] > lowest and all(iou(boxes[i], boxes[j]) <= overlap for j in kept):
            kept.append(i)
    return kept


def test_suppression_v3():
    corner, size = RANDOM.uniform(0, 1, (12, 2)), RANDOM.uniform(0.2, 1, (12, 2))
    boxes = np.concatenate([corner, corner + size], 1).astype(np.float32)
    scores = RANDOM.uniform(0, 1, 12).astype(np.float32)
    for most, overlap, lowest in ((12, 0.3, 0.0), (3, 0.6, 0.2), (-1, 0.5, 0.0)):
        limits = Tensor(most, ms.int32), Tensor(overlap), Tensor(lowest)
        found = ops.NonMaxSuppressionV3()(Tensor(boxes), Tensor(scores), *limits)
        assert found.dtype == ms.int32
        assert found.tolist() == greedy(boxes, scores, most, overlap, lowest)
    turned = ops.NonMaxSuppressionV3()(Tensor(boxes[:, [2, 3, 0, 1]]), Tensor(scores), 12, 0.3, 0.0)
    assert turned.tolist() == greedy(boxes, scores, 12, 0.3, 0.0)
    with pytest.raises(ValueError, match="iou_threshold"):
        ops.NonMaxSuppressionV3()(Tensor(boxes), Tensor(scores), 3, 1.5, 0.0)


def test_suppression_whose_shape_depends_on_values_is_not_compiled():
    boxes, scores = ops.ones((3, 4)), ops.ones(3)
    with pytest.raises(RuntimeError, match="NonMaxSuppressionV3"), override_state(specializes=False):
        ms.jit(lambda b, s: ops.NonMaxSuppressionV3()(b, s, 3, 0.5, 0.0))(boxes, scores)
    box, *_ = ms.jit(lambda b: ops.NMSWithMask(0.5)(b))(ops.ones((3, 5)))
    assert box.shape == (3, 5)


def polygon(box):
    x, y, w, h, angle = box
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    sides = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    return sides @ np.array([[c, s], [-s, c]]) + [x, y]


def area(points):
    x, y = np.array(points).T if len(points) else np.zeros((2, 1))
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def clipped(points, corners):
    """A polygon cut along the sides of a convex one (Sutherland and Hodgman)."""
    for a, b in zip(corners, np.roll(corners, -1, 0), strict=True):
        side = [(b - a)[0] * (p - a)[1] - (b - a)[1] * (p - a)[0] for p in points]
        kept = []
        for k, p in enumerate(points):
            q, u, v = points[k - 1], side[k], side[k - 1]
            if u * v < 0:
                kept.append(q + (p - q) * v / (v - u))
            if u >= 0:
                kept.append(p)
        points = kept
    return points


def test_rotated_boxes():
    a, b = RANDOM.normal(size=(1, 5, 5)), RANDOM.normal(size=(1, 6, 5))
    for boxes in (a, b):
        boxes[..., 2:4] = np.abs(boxes[..., 2:4]) + 0.5
        boxes[..., 4] *= 60
    found = ops.rotated_iou(Tensor(a.astype(np.float32)), Tensor(b.astype(np.float32)))
    shared = np.array([[area(clipped(list(polygon(p)), polygon(q))) for q in b[0]] for p in a[0]])
    areas = [boxes[0, :, 2] * boxes[0, :, 3] for boxes in (a, b)]
    expected = shared / (areas[0][:, None] + areas[1] - shared)
    np.testing.assert_allclose(found[0].asnumpy(), expected, atol=2e-5)
    foreground = ops.rotated_iou(Tensor(a, ms.float64), Tensor(b, ms.float64), mode=1)
    np.testing.assert_allclose(foreground[0].asnumpy(), shared / areas[0][:, None], atol=1e-9)
    itself = ops.rotated_iou(Tensor(a, ms.float64), Tensor(a, ms.float64), is_cross=False)
    np.testing.assert_allclose(itself.asnumpy(), 1, atol=1e-9)
    shrunk = np.concatenate([a[..., :2], a[..., 2:4] * [0.5, 1.0], a[..., 4:]], -1).astype(np.float32)
    part = ops.rotated_iou(Tensor(shrunk), Tensor(a.astype(np.float32)), is_cross=False)
    np.testing.assert_allclose(part.asnumpy(), 0.5, atol=2e-5, err_msg="sides that lie on each other")
    corners = np.concatenate([a[..., :2] - a[..., 2:4] / 2, a[..., :2] + a[..., 2:4] / 2, a[..., 4:]], -1)
    by_corners = ops.rotated_iou(Tensor(corners, ms.float64), Tensor(corners, ms.float64), True)
    by_sizes = ops.rotated_iou(Tensor(a, ms.float64), Tensor(a, ms.float64))
    np.testing.assert_allclose(by_corners.asnumpy(), by_sizes.asnumpy(), atol=1e-9)
    with pytest.raises(ValueError, match=r"`rotated_iou`.*query_boxes"):
        ops.rotated_iou(ops.ones((1, 2, 5)), ops.ones((1, 3, 4)))


def attention(value, sizes, locations, weight):
    """As its authors have it, from `grid_sample`."""
    b, _, heads, d = value.shape
    _, queries, _, _, points, _ = locations.shape
    total, begin = 0, 0
    for level, (h, w) in enumerate(sizes):
        part = value[:, begin : begin + h * w].reshape(b, h, w, heads, d).permute(0, 3, 4, 1, 2)
        grid = (
            (2 * locations[:, :, :, level] - 1).permute(0, 2, 1, 3, 4).reshape(b * heads, queries, points, 2)
        )
        taken = ops.grid_sample(part.reshape(b * heads, d, h, w), grid).reshape(b, heads, d, queries, points)
        total = total + (taken * weight[:, :, :, level].permute(0, 2, 1, 3)[:, :, None]).sum(-1)
        begin += h * w
    return total.permute(0, 3, 1, 2).reshape(b, queries, heads * d)


def test_attention_of_several_sizes():
    sizes = [(3, 4), (2, 2)]
    value, weight = normal(2, 16, 2, 8), normal(2, 3, 2, 2, 4)
    locations = Tensor(RANDOM.uniform(-0.2, 1.2, (2, 3, 2, 2, 4, 2)).astype(np.float32))
    shape, offset = Tensor(sizes, ms.int32), Tensor([0, 12], ms.int32)

    def ours(value, locations, weight):
        return ops.multi_scale_deformable_attn_function(value, shape, offset, locations, weight)

    def theirs(value, locations, weight):
        return attention(value, sizes, locations, weight)

    def both(*given):
        totals = [lambda *x, fn=fn: (fn(*x) ** 2).sum() for fn in (ours, theirs)]
        return [ours(*given), *ms.grad(totals[0], 0)(*given)], [
            theirs(*given),
            *ms.grad(totals[1], 0)(*given),
        ]

    for a, b in zip(*ms.jit(both)(value, locations, weight), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=2e-5, atol=2e-5)
    with pytest.raises(RuntimeError, match=r"multi_scale_deformable_attn_function.*shape"):
        ops.multi_scale_deformable_attn_function(value, shape.float(), offset, locations, weight)


def test_deformable_windows_with_channels_last():
    x, offsets = normal(1, 2, 4, 5), normal(1, 12, 3, 4)
    first = ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(x, offsets)
    settings = {"data_format": "NHWC"}
    last = ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2), **settings)(
        x.permute(0, 2, 3, 1), offsets.permute(0, 2, 3, 1)
    )
    np.testing.assert_allclose(last.permute(0, 3, 1, 2).asnumpy(), first.asnumpy(), atol=1e-6)


def test_depthwise():
    x, weight = normal(2, 3, 5, 6), normal(1, 3, 3, 3)
    expected = ops.conv2d(x, weight.swapaxes(0, 1), None, 2, "same", 0, 1, 3)
    found = P.DepthwiseConv2dNative(1, 3, pad_mode="same", stride=2)(x, weight)
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), atol=1e-6)
    with pytest.raises(ValueError, match="channel_multiplier"):
        P.DepthwiseConv2dNative(2, 3)(x, weight)


def test_counts_of_classes():
    labels, predictions = Tensor([0, 1, 1, 3], ms.int32), Tensor([1, 2, 1, 3], ms.int32)
    expected = [[0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert ops.ConfusionMatrix(4)(labels, predictions).tolist() == expected
    weighted = ops.ConfusionMatrix(2, "float32")(labels, predictions, Tensor([0.5, 1.0, 2.0, 4.0]))
    assert weighted.tolist() == [[0, 0.5], [0, 2]]


def test_resizing_of_mindspore_1():
    x = normal(1, 2, 3, 4)
    for aligned in (False, True):
        expected = ops.ResizeBilinearV2(aligned)(x, (6, 8)).asnumpy()
        np.testing.assert_array_equal(ops.ResizeBilinear((6, 8), aligned)(x).asnumpy(), expected)
        np.testing.assert_array_equal(nn.ResizeBilinear()(x, None, 2, aligned).asnumpy(), expected)
    with pytest.raises(ValueError, match=r"`ResizeBilinear`.*size.*Received"):
        nn.ResizeBilinear()(x)


def test_distorted_boxes_keep_to_their_limits():
    box, size = Tensor([[[0.3, 0.2, 0.8, 0.5]]]), Tensor([40, 60, 3], ms.int32)
    draw = ops.SampleDistortedBoundingBoxV2(aspect_ratio_range=(0.8, 1.25), area_range=(0.3, 0.9))
    compiled = ms.jit(lambda least: draw(size, box, least))
    places = set()
    for _ in range(20):
        begin, extent, crop = compiled(Tensor([0.6]))
        (y, x, _), (h, w, last) = begin.tolist(), extent.tolist()
        assert last == -1
        assert 0.3 * 2400 <= h * w <= 0.9 * 2400
        assert 0.78 <= w / h <= 1.28
        np.testing.assert_allclose(
            crop.asnumpy()[0, 0], [y / 40, x / 60, (y + h) / 40, (x + w) / 60], rtol=1e-6
        )
        shared = (min(y + h, 32) - max(y, 12)) * (min(x + w, 30) - max(x, 12))
        assert shared >= 0.6 * 20 * 18
        places.add((y, x))
    assert len(places) > 5
    never = ops.SampleDistortedBoundingBoxV2(area_range=(0.05, 0.06), max_attempts=2)
    assert never(size, Tensor([[[0.0, 0.0, 1.0, 1.0]]]), Tensor([0.9]))[1].tolist() == [40, 60, -1]
    with pytest.raises(ValueError, match="bounding_boxes"):
        draw(size, ops.zeros((1, 0, 4)), Tensor([0.5]))


# ------------------------------------------------------------------------------------------------ transformations


def test_second_derivatives():
    grid, image = RANDOM.uniform(-0.9, 0.9, (1, 1, 2, 2)), RANDOM.normal(size=(1, 1, 3, 3))

    @jax.jit
    def both(image, grid):
        return resize.resize_bicubic.pure(grid_sampling.grid_sample.pure(image, grid) ** 2, (1, 3))

    check_grads(both, (image, grid), order=2, modes=["rev"], atol=1e-4, rtol=1e-4)


def test_mapped():
    x, rois = normal(2, 1, 2, 4, 4), Tensor([[0.0, 0.5, 0.5, 3.0, 2.0]])
    pool = ops.ROIAlign(2, 2, 1.0)
    mapped = ms.vmap(lambda x: pool(x, rois))(x)
    for k in range(2):
        np.testing.assert_allclose(mapped[k].asnumpy(), pool(x[k], rois).asnumpy(), atol=1e-6)
    boxes = Tensor(RANDOM.uniform(0, 1, (2, 5, 5)).astype(np.float32))
    left = ms.vmap(lambda b: ops.NMSWithMask(0.2)(b)[2])(boxes)
    assert left.tolist() == [ops.NMSWithMask(0.2)(b)[2].tolist() for b in boxes]
