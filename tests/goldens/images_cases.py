# ruff: noqa
# %% interpolate/nearest
x1, x2, x3 = image(1, 2, 5), image(1, 2, 3, 5), image(1, 1, 2, 3, 4)
show(ops.interpolate(x1, 8), ops.interpolate(x1, (3,)), ops.interpolate(x1, scale_factor=1.7, recompute_scale_factor=True))
show(ops.interpolate(x2, (4, 7)), ops.interpolate(x2, [2, 3], mode="nearest"), ops.interpolate(x2, size=2))
show(ops.interpolate(x3, (3, 2, 7)), ops.interpolate(x3, scale_factor=(1.5, 0.7, 1.3)))
show(gradients(lambda x: ops.interpolate(x, (4, 7)), x2), gradients(lambda x: ops.interpolate(x, (3, 2, 7)), x3))

# %% interpolate/nearest exact
x1, x2 = image(1, 2, 5), image(1, 2, 3, 5)
show(ops.interpolate(x1, 8, mode="nearest-exact"), ops.interpolate(x2, (4, 3), mode="nearest-exact"))
show(gradients(lambda x: ops.interpolate(x, (4, 7), mode="nearest-exact"), x2))

# %% interpolate/linear
x = image(2, 1, 4)
for corners in (None, True, False):
    show(ops.interpolate(x, 7, mode="linear", align_corners=corners), ops.interpolate(x, (2,), mode="linear", align_corners=corners))
show(ops.interpolate(x, 1, mode="linear"), ops.interpolate(x, 1, mode="linear", align_corners=True))
show(ops.interpolate(x, scale_factor=1.9, mode="linear", recompute_scale_factor=True))
show(gradients(lambda x: ops.interpolate(x, 7, mode="linear"), x), gradients(lambda x: ops.interpolate(x, 3, mode="linear", align_corners=True), x))

# %% interpolate/bilinear
x = image(1, 2, 3, 4)
for corners in (None, True):
    show(ops.interpolate(x, (4, 6), mode="bilinear", align_corners=corners), ops.interpolate(x, (2, 1), mode="bilinear", align_corners=corners))
show(ops.interpolate(x, scale_factor=(1.4, 2.0), mode="bilinear", recompute_scale_factor=True))
show(gradients(lambda x: ops.interpolate(x, (4, 6), mode="bilinear"), x))

# %% interpolate/bicubic
x = image(1, 1, 3, 4)
for corners in (None, True):
    show(ops.interpolate(x, (4, 6), mode="bicubic", align_corners=corners), ops.interpolate(x, (2, 1), mode="bicubic", align_corners=corners))

# %% interpolate/trilinear
x = image(1, 1, 2, 3, 2)
for corners in (None, True):
    show(ops.interpolate(x, (3, 2, 4), mode="trilinear", align_corners=corners))
    show(ops.interpolate(x, scale_factor=(1.5, 1.0, 1.7), mode="trilinear", align_corners=corners))
show(gradients(lambda x: ops.interpolate(x, (3, 2, 4), mode="trilinear"), x))

# %% interpolate/area
show(ops.interpolate(image(1, 2, 6), 3, mode="area"), ops.interpolate(image(1, 1, 4, 6), (3, 2), mode="area"))
show(ops.interpolate(image(1, 1, 2, 4, 3), scale_factor=0.5, mode="area"), ops.interpolate(image(1, 2, 6), scale_factor=0.5, mode="area"))
show(gradients(lambda x: ops.interpolate(x, (3, 2), mode="area"), image(1, 1, 4, 6)))

# %% interpolate/dtypes
for dtype in (ms.float16, ms.float64):
    for size, mode in ((3, "nearest"), (3, "linear"), ((2, 3), "bilinear"), ((2, 3), "bicubic"), ((2, 2, 3), "trilinear"), ((2, 3), "area")):
        shape = {"n": (1, 1, 4), "l": (1, 1, 4), "t": (1, 1, 3, 2, 2)}.get(mode[0], (1, 1, 3, 2))
        attempt(lambda: ops.interpolate(image(*shape, dtype=dtype), size, mode=mode))
attempt(lambda: ops.interpolate(Tensor([[[1, 2, 3]]]), 5))
attempt(lambda: ops.interpolate(Tensor([[[[1, 2, 3]]]], ms.int32), (2, 5)))

# %% interpolate/wrong
x1, x2, x3 = image(1, 2, 5), image(1, 2, 3, 5), image(1, 1, 2, 3, 4)
attempt(lambda: ops.interpolate(x1))
attempt(lambda: ops.interpolate(x1, 3, 2.0))
attempt(lambda: ops.interpolate(x1, scale_factor=2.0))
attempt(lambda: ops.interpolate(x2, scale_factor=2.0, mode="bilinear"))
attempt(lambda: ops.interpolate(x3, scale_factor=2.0, mode="nearest"))
attempt(lambda: ops.interpolate(x3, scale_factor=2, mode="nearest"))
attempt(lambda: ops.interpolate(x1, 3, mode="nearest", align_corners=True))
attempt(lambda: ops.interpolate(x1, 3, mode="nearest", align_corners=False))
attempt(lambda: ops.interpolate(x1, 3, mode="linear", align_corners=1))
attempt(lambda: ops.interpolate(x1, 3, mode="bilinear"))
attempt(lambda: ops.interpolate(x2, 3, mode="linear"))
attempt(lambda: ops.interpolate(x3, 3, mode="nearest-exact"))
attempt(lambda: ops.interpolate(x1, 3, mode="other"))
attempt(lambda: ops.interpolate(x1, 3, mode=3))
attempt(lambda: ops.interpolate(x1, -3))
attempt(lambda: ops.interpolate(x1, 2.5))
attempt(lambda: ops.interpolate(x1, (3, 4)))
attempt(lambda: ops.interpolate(x2, (3,)))
attempt(lambda: ops.interpolate(x2, (3, 0)))
attempt(lambda: ops.interpolate(x2, 3, recompute_scale_factor=True))
attempt(lambda: ops.interpolate(x1, scale_factor=-1.0, recompute_scale_factor=True))
attempt(lambda: ops.interpolate(x2, scale_factor=(1.0,), recompute_scale_factor=True))
attempt(lambda: ops.interpolate(image(2, 5), 3))

# %% upsample
x = image(1, 2, 3, 5)
show(ops.upsample(x, (4, 7)), ops.upsample(x, (4, 7), None, "bilinear", True))
net = nn.Upsample(size=(4, 7), mode="bilinear", align_corners=False)
show(net(x), nn.Upsample(scale_factor=(1.5, 2.0), recompute_scale_factor=True)(x), nn.Upsample((2, 2), mode="area")(x))
print(net)
attempt(lambda: nn.Upsample()(x))

# %% classes/nearest
x = image(1, 1, 3, 4)
for corners, half in ((False, False), (True, False), (False, True)):
    show(ops.ResizeNearestNeighborV2(corners, half)(x, Tensor([5, 3], ms.int32)), ops.ResizeNearestNeighborV2(corners, half)(x, (2, 7)))
    attempt(lambda: ops.ResizeNearestNeighbor((5, 3), corners, half)(x))
    show(gradients(lambda x: ops.ResizeNearestNeighborV2(corners, half)(x, (2, 7)), x))
show(gradients(ops.ResizeNearestNeighbor((5, 3)), x))
print(ops.ResizeNearestNeighbor((5, 3)), ops.ResizeNearestNeighborV2(True))

# %% classes/linear
x = image(1, 1, 3, 4)
for corners, half in ((False, False), (True, False), (False, True)):
    show(ops.ResizeBilinearV2(corners, half)(x, Tensor([2, 7])))
    show(gradients(lambda x: ops.ResizeBilinearV2(corners, half)(x, (2, 7)), x))
x = image(1, 2, 4)
for mode in ("align_corners", "half_pixel"):
    show(ops.ResizeLinear1D(mode)(x, (6,)), ops.ResizeLinear1D(mode)(x, Tensor([3])))
    show(gradients(lambda x: ops.ResizeLinear1D(mode)(x, (6,)), x))

# %% classes/bicubic
x = image(1, 1, 3, 4)
for corners, half in ((False, False), (True, False), (False, True)):
    show(ops.ResizeBicubic(corners, half)(x, Tensor([2, 7], ms.int32)))
    show(gradients(lambda x: ops.ResizeBicubic(corners, half)(x, (2, 7)), x))

# %% classes/area
x = image(1, 4, 5, 2)
for corners in (False, True):
    show(ops.ResizeArea(corners)(x, Tensor([2, 3], ms.int32)), ops.ResizeArea(corners)(x, Tensor([6, 7], ms.int32)), ops.ResizeArea(corners)(x, Tensor([1, 1], ms.int32)))
show(ops.ResizeArea()(Tensor(np.arange(8).reshape(1, 2, 4, 1).astype(np.float16)), Tensor([1, 2], ms.int32)))
show(ops.ResizeArea()(Tensor(np.arange(8).reshape(1, 2, 4, 1).astype(np.int32)), Tensor([1, 3], ms.int32)))

# %% classes/volumes
x = image(1, 1, 2, 3, 2)
show(ops.UpsampleNearest3D()(x, [3, 2, 5], None), ops.UpsampleNearest3D()(x, None, [1.5, 1.0, 2.2]))
show(ops.UpsampleTrilinear3D()(x, [3, 2, 5], None), ops.UpsampleTrilinear3D(True)(x, None, [1.5, 1.0, 2.2]))
show(ops.UpsampleTrilinear3D()(x, None, [1.5, 1.0, 2.2]))
show(gradients(lambda x: ops.UpsampleTrilinear3D()(x, None, [1.5, 1.0, 2.2]), x), gradients(lambda x: ops.UpsampleNearest3D()(x, [3, 2, 5]), x))

# %% classes/wrong
x = image(1, 1, 3, 4)
attempt(lambda: ops.ResizeNearestNeighborV2(True, True)(x, (2, 2)))
attempt(lambda: ops.ResizeNearestNeighbor(3)(x))
attempt(lambda: ops.ResizeNearestNeighbor((3,))(x))
attempt(lambda: ops.ResizeBilinearV2(True, True)(x, (2, 2)))
attempt(lambda: ops.ResizeBilinearV2()(x, (2,)))
attempt(lambda: ops.ResizeBilinearV2()(x, (2, 0)))
attempt(lambda: ops.ResizeBilinearV2()(x[0], (2, 2)))
attempt(lambda: ops.ResizeBicubic(True, True)(x, (2, 2)))
attempt(lambda: ops.ResizeBicubic(1)(x, (2, 2)))
attempt(lambda: ops.ResizeLinear1D("other")(x[0], (2,)))
attempt(lambda: ops.ResizeLinear1D()(x, (2,)))
attempt(lambda: ops.UpsampleNearest3D()(x[None], [1, 2, 3], [1.0, 1.0, 1.0]))
attempt(lambda: ops.UpsampleNearest3D()(x[None]))
attempt(lambda: ops.UpsampleTrilinear3D()(x[None], [1, 2]))
attempt(lambda: ops.UpsampleTrilinear3D()(x, [1, 2, 2]))
attempt(lambda: ops.ResizeArea(1)(x, Tensor([2, 3], ms.int32)))
attempt(lambda: ops.ResizeArea()(x[0], Tensor([2, 3], ms.int32)))
attempt(lambda: ops.ResizeArea()(x, Tensor([2, 0], ms.int32)))

# %% grid_sample/planes
x, grid = image(2, 2, 3, 4), spots(2, 2, 3, 2, scale=1.6)
settings = [(m, p, c) for m in ("bilinear", "nearest") for p in ("zeros", "border", "reflection") for c in (False, True)]
show(*together(lambda x, grid: [ops.grid_sample(x, grid, *s) for s in settings], x, grid))
show(ops.GridSampler2D("nearest", "border", True)(x, grid), ops.grid_sample(x, grid))

# %% grid_sample/volumes
x, grid = image(1, 2, 2, 3, 3), spots(1, 2, 2, 2, 3, scale=1.6)
settings = ("zeros", "border", "reflection")
show(*together(lambda x, grid: [ops.grid_sample(x, grid, "bilinear", s, True) for s in settings], x, grid))
show(*together(lambda x, grid: [ops.GridSampler3D("nearest", s)(x, grid) for s in settings], x, grid))

# %% grid_sample/gradients
x, grid = image(1, 1, 3, 4), spots(1, 2, 2, 2, scale=1.1)
settings = (("border", True), ("reflection", False))
for s in settings:
    show(*together(lambda x, g: gradients(lambda x, g: ops.grid_sample(x, g, "bilinear", *s), x, g), x, grid))
x, grid = image(1, 1, 2, 3, 3), spots(1, 1, 2, 2, 3, scale=1.1)
show(*together(lambda x, g: gradients(lambda x, g: ops.grid_sample(x, g), x, g), x, grid))

# %% grid_sample/dtypes and errors
x, grid = image(1, 1, 3, 4), spots(1, 2, 2, 2)
show(ops.grid_sample(x.astype(ms.float64), grid.astype(ms.float64)))
print(ops.grid_sample(x.astype(ms.float16), grid.astype(ms.float16)).dtype)
attempt(lambda: ops.grid_sample(x.astype(ms.int32), grid.astype(ms.int32)))
attempt(lambda: ops.grid_sample(x, grid.astype(ms.float64)))
attempt(lambda: ops.grid_sample(x, grid, "bicubic"))
attempt(lambda: ops.grid_sample(x, grid, "bilinear", "other"))
attempt(lambda: ops.grid_sample(x, grid, align_corners=1))
attempt(lambda: ops.grid_sample(x[0], grid))
attempt(lambda: ops.grid_sample(x, grid[0]))
attempt(lambda: ops.grid_sample(x, grid[..., :1]))
attempt(lambda: ops.GridSampler2D(3)(x, grid))

# %% affine_grid
theta = image(2, 2, 3)
cube = image(1, 3, 4)
for corners in (False, True):
    show(*together(lambda x, y: (ops.affine_grid(x, (2, 1, 2, 3), corners), ops.AffineGrid(corners)(y, (1, 1, 2, 1, 2))), theta, cube))
show(together(lambda x: gradients(lambda t: ops.affine_grid(t, (2, 1, 2, 3)), x), theta))
attempt(lambda: ops.affine_grid(theta.astype(ms.float16), (2, 1, 2, 3)))
attempt(lambda: ops.affine_grid(theta, (2, 1, 1, 1), True))
attempt(lambda: ops.affine_grid(theta, (1, 1, 2, 3)))
attempt(lambda: ops.affine_grid(theta, (2, 1, 2, 3, 4)))
attempt(lambda: ops.affine_grid(theta, (2, 1, 2)))
attempt(lambda: ops.affine_grid(theta[0], (2, 1, 2, 3)))
attempt(lambda: ops.affine_grid(theta, (2, 1, 2, 3), 1))
attempt(lambda: ops.affine_grid(theta.astype(ms.int32), (2, 1, 2, 3)))

# %% crop_and_resize
x = image(2, 4, 5, 2)
boxes = Tensor([[0.0, 0.0, 1.0, 1.0], [0.2, 0.1, 0.7, 0.9], [0.9, 0.2, 0.1, 0.8], [-0.3, 0.4, 0.6, 1.3]], ms.float32)
index = Tensor([0, 1, 1, 0], ms.int32)
for method in ("bilinear", "nearest", "bilinear_v2"):
    show(*together(lambda x, b, i: (ops.crop_and_resize(x, b, i, (2, 3), method, 0.5), ops.CropAndResize(method)(x, b, i, (1, 1))), x, boxes, index))
show(ops.crop_and_resize((x * 10).astype(ms.int32), boxes, index, (2, 2)), ops.crop_and_resize(x.astype(ms.float16), boxes, index, (2, 2)))

# %% crop_and_resize/gradients
x = image(1, 4, 5, 1)
boxes = Tensor([[0.05, 0.1, 0.9, 0.95], [-0.3, 0.4, 0.6, 1.3]], ms.float32)
index = Tensor([0, 0], ms.int32)
show(*gradients(lambda x, b: ops.crop_and_resize(x, b, index, (2, 3)), x, boxes))

# %% crop_and_resize/wrong
x, boxes, index = image(2, 4, 5, 2), image(3, 4), Tensor([0, 1, 1], ms.int32)
attempt(lambda: ops.crop_and_resize(x[0], boxes, index, (2, 3)))
attempt(lambda: ops.crop_and_resize(x, boxes[0], index, (2, 3)))
attempt(lambda: ops.crop_and_resize(x, boxes[:, :3], index, (2, 3)))
attempt(lambda: ops.crop_and_resize(x, boxes, index[:2], (2, 3)))
attempt(lambda: ops.crop_and_resize(x, boxes, index, (2,)))
attempt(lambda: ops.crop_and_resize(x, boxes, index, (2, 0)))
attempt(lambda: ops.crop_and_resize(x, boxes, index, 2))
attempt(lambda: ops.crop_and_resize(x, boxes, index, (2, 3), "cubic"))
attempt(lambda: ops.crop_and_resize(x, boxes, index, (2, 3), "nearest", 1))
attempt(lambda: ops.crop_and_resize(x, boxes, index.astype(ms.float32), (2, 3)))

# %% roi_align
x = image(2, 2, 5, 6)
rois = Tensor([[0, 0.5, 1.0, 7.0, 8.5], [1, -2.0, 3.0, 5.0, 20.0], [1, 3.0, 3.0, 3.2, 3.1]], ms.float32)
for mode in (0, 1):
    show(*together(lambda x, r: (ops.ROIAlign(2, 3, 0.5, 2, mode)(x, r), ops.ROIAlign(1, 2, 0.7, 0, mode)(x, r[:2]), ops.ROIAlign(2, 2, 1.0, 3, mode)(x, r)), x, rois))
show(gradients(lambda x: ops.ROIAlign(2, 3, 0.5, 2)(x, rois), x))
print(ops.ROIAlign(2, 3, 0.5)(x.astype(ms.float16), rois.astype(ms.float16)).dtype)
attempt(lambda: ops.ROIAlign(2, 3, 0.5, 2, 2)(x, rois))
attempt(lambda: ops.ROIAlign(2.0, 3, 0.5)(x, rois))
attempt(lambda: ops.ROIAlign(2, 3, 1)(x, rois))
attempt(lambda: ops.ROIAlign(2, 3, 0.5)(x, rois[:, :4]))

# %% boxes/overlap
a = Tensor([[0, 0, 4, 4], [1, 2, 6, 5], [3, 3, 3, 3], [5, 5, 2, 2]], ms.float32)
b = Tensor([[0, 1, 3, 5], [2, 2, 8, 4], [10, 10, 12, 12]], ms.float32)
for mode in ("iou", "iof"):
    show(ops.iou(a, b, mode), ops.IOU(mode)(a, b), ops.iou(a.astype(ms.float16), b.astype(ms.float16), mode))
attempt(lambda: ops.iou(a, b, "other"))
attempt(lambda: ops.iou(a.astype(ms.int32), b.astype(ms.int32)))
attempt(lambda: ops.iou(a[:, :3], b))
attempt(lambda: ops.iou(a[0], b))
attempt(lambda: ops.iou(a, b.astype(ms.float16)))

# %% boxes/coding
a = Tensor([[4, 1, 2, 1], [2, 2, 2, 3], [1, 2, 9, 5]], ms.float32)
b = Tensor([[3, 1, 2, 2], [1, 2, 1, 4], [2, 1, 8, 8]], ms.float32)
d = image(3, 4)
show(ops.bounding_box_encode(a, b), ops.BoundingBoxEncode((0.1, 0.2, 0.3, 0.4), (0.5, 1.0, 2.0, 0.7))(a, b))
show(ops.bounding_box_decode(a, d, (768, 1280)), ops.bounding_box_decode(a, d, (5, 6), (0.1, 0.2, 0.3, 0.4), (0.5, 1.0, 2.0, 0.7), 0.5))
show(ops.BoundingBoxDecode((768, 1280))(a, d * 10), ops.BoundingBoxDecode((4, 5), wh_ratio_clip=0.1)(a, d))
print(ops.bounding_box_decode(a.astype(ms.float16), d.astype(ms.float16), (4, 5)).dtype)
attempt(lambda: ops.bounding_box_encode(a, b, (0.0, 0.0, 0.0)))
attempt(lambda: ops.bounding_box_encode(a, b, (0, 0, 0, 0)))
attempt(lambda: ops.bounding_box_encode(a, b[:2]))
attempt(lambda: ops.bounding_box_encode(a[:, :3], b[:, :3]))
attempt(lambda: ops.bounding_box_encode(a.astype(ms.int32), b.astype(ms.int32)))
attempt(lambda: ops.bounding_box_decode(a, d, (1, 2, 3)))
attempt(lambda: ops.bounding_box_decode(a, d, (1, 2), wh_ratio_clip=1))

# %% boxes/no gradient of overlap
a = Tensor([[1, 2, 9, 5]], ms.float32)
attempt(lambda: gradients(lambda b: ops.iou(a, b), Tensor([[2, 1, 8, 8]], ms.float32)))

# %% boxes/valid
boxes = Tensor(np.array([[0, 0, 4, 4], [-1, 0, 3, 3], [0, 0, 10, 4], [1, 2, 5.9, 8.9], [0, 0, 6, 9], [0, 0, 5, 8]]), ms.float32)
metas = Tensor([9, 6, 1], ms.float32)
show(ops.check_valid(boxes, metas), ops.CheckValid()(boxes, Tensor([3, 2, 3], ms.float32)), ops.check_valid(boxes.astype(ms.float16), metas.astype(ms.float16)))
attempt(lambda: ops.check_valid(boxes.astype(ms.int32), metas.astype(ms.int32)))
attempt(lambda: ops.check_valid(boxes[:, :3], metas))
attempt(lambda: ops.check_valid(boxes, metas[:2]))

# %% suppression/mask
boxes = Tensor([[100, 100, 150, 168, 0.63], [150, 75, 165, 115, 0.55], [12, 190, 288, 200, 0.9], [28, 130, 106, 172, 0.3], [101, 101, 151, 169, 0.64], [60, 120, 110, 170, 0.56]], ms.float32)
for threshold in (0.1, 0.5, 0.9):
    show(*ops.NMSWithMask(threshold)(boxes))
show(*ops.NMSWithMask()(boxes.astype(ms.float16)))
show(*ops.NMSWithMask()(boxes[:1]))
attempt(lambda: ops.NMSWithMask(1)(boxes))
attempt(lambda: ops.NMSWithMask()(boxes[:, :4]))
attempt(lambda: ops.NMSWithMask()(boxes.astype(ms.int32)))
attempt(lambda: ops.NMSWithMask()(boxes[0]))

# %% suppression/overlaps
overlaps, scores = Tensor(np.abs(image(5, 5).asnumpy())), image(5)
for most, overlap, score in ((5, 0.5, -1.0), (2, 0.9, -1.0), (5, 0.1, 0.0), (0, 0.5, 0.0), (9, 1.0, -2.0)):
    show(ops.NonMaxSuppressionWithOverlaps()(overlaps, scores, Tensor(most, ms.int32), Tensor(overlap, ms.float32), Tensor(score, ms.float32)))
attempt(lambda: ops.NonMaxSuppressionWithOverlaps()(overlaps, scores, 3, 0.5, 0.0))
attempt(lambda: ops.NonMaxSuppressionWithOverlaps()(overlaps[:4], scores, Tensor(2, ms.int32), Tensor(0.5), Tensor(0.0)))
attempt(lambda: ops.NonMaxSuppressionWithOverlaps()(overlaps, scores[:4], Tensor(2, ms.int32), Tensor(0.5), Tensor(0.0)))
attempt(lambda: ops.NonMaxSuppressionWithOverlaps()(overlaps, scores, Tensor(-1, ms.int32), Tensor(0.5), Tensor(0.0)))

# %% suppression/combined
boxes = Tensor(np.array([[[[0.2, 0.1, 0.5, 0.4]], [[0.22, 0.12, 0.5, 0.4]], [[0.6, 0.5, 0.9, 0.8]], [[0.21, 0.112, 0.51, 1.4]]], [[[0.5, 0.5, 0.1, 0.2]], [[0.1, 0.2, 0.5, 0.5]], [[0.0, 0.0, 1.0, 1.0]], [[0.3, 0.3, 0.4, 0.4]]]]).astype(np.float32))
scores = Tensor(np.array([[[0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.3, 0.6, 0.1], [0.05, 0.9, 0.05]], [[0.6, 0.5, 0.4], [0.1, 0.35, 0.45], [0.2, 0.1, 0.55], [0.15, 0.4, 0.3]]]).astype(np.float32))
def ints(v): return Tensor(v, ms.int32)
def floats(v): return Tensor(v, ms.float32)
for pad, clip, each, total, overlap, score in ((False, True, 4, 5, 0.3, 0.0), (True, True, 1, 9, 0.3, 0.0)):
    show(*ops.CombinedNonMaxSuppression(pad, clip)(boxes, scores, ints(each), ints(total), floats(overlap), floats(score)))
three = Tensor(np.concatenate([boxes.asnumpy() * s for s in (1.0, 0.5, 1.1)], 2))
show(*ops.CombinedNonMaxSuppression()(three, scores, ints(4), ints(5), floats(0.4), floats(0.1)))
attempt(lambda: ops.CombinedNonMaxSuppression()(boxes[0], scores, ints(3), ints(6), floats(0.4), floats(0.1)))
attempt(lambda: ops.CombinedNonMaxSuppression()(boxes, scores[:, :2], ints(3), ints(6), floats(0.4), floats(0.1)))
attempt(lambda: ops.CombinedNonMaxSuppression()(boxes, scores, ints(3), ints(6), floats(1.4), floats(0.1)))
attempt(lambda: ops.CombinedNonMaxSuppression()(boxes, scores, ints(-3), ints(6), floats(0.4), floats(0.1)))
attempt(lambda: ops.CombinedNonMaxSuppression(1)(boxes, scores, ints(3), ints(6), floats(0.4), floats(0.1)))

# %% colours
x = Tensor(np.abs(image(1, 3, 3, 3).asnumpy()))
show(ops.RGBToHSV()(x), ops.HSVToRGB()(x), ops.HSVToRGB()(ops.RGBToHSV()(x)))
show(ops.RGBToHSV()(Tensor([[[[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [0.2, 0.2, 0.1]], [[0.3, 0.1, 0.3]] * 3, [[0.1, 0.3, 0.3]] * 3]], ms.float32)))
show(ops.RGBToHSV()(x.astype(ms.float64)), ops.HSVToRGB()(x.astype(ms.float16)), gradients(ops.RGBToHSV(), x + 0.1))
show(ops.HSVToRGB()(image(1, 3, 3, 3)))
for delta in (0.2, -0.7):
    show(ops.AdjustHue()(x, Tensor(delta, ms.float32)), ops.AdjustSaturation()(x, Tensor(abs(delta), ms.float32)))
y = image(1, 3, 3, 3) * 10
show(ops.AdjustHue()(y, Tensor(0.3)), ops.AdjustSaturation()(y, Tensor(2.5)))
show(ops.AdjustHue()(x.astype(ms.float16), Tensor(0.2)), ops.AdjustSaturation()(x.astype(ms.float16), Tensor(0.2)))
attempt(lambda: ops.RGBToHSV()(x[..., :2]))
attempt(lambda: ops.RGBToHSV()(x.astype(ms.int32)))
attempt(lambda: ops.HSVToRGB()(x[0]))
attempt(lambda: ops.HSVToRGB()(x.astype(ms.int32)))
attempt(lambda: ops.AdjustHue()(x[0, 0], Tensor(0.2)))
attempt(lambda: ops.AdjustHue()(x[..., :2], Tensor(0.2)))
attempt(lambda: ops.AdjustHue()(x, Tensor([0.2])))
attempt(lambda: ops.AdjustHue()(x, Tensor(1, ms.int32)))
attempt(lambda: ops.AdjustSaturation()(x.astype(ms.int32), Tensor(0.2)))
attempt(lambda: ops.AdjustSaturation()(x[0, 0], Tensor(0.2)))

# %% columns
x = image(1, 2, 4, 5)
show(ops.Im2Col(2)(x), ops.Im2Col([2, 3], (2, 1), 1, [1, 0])(x), ops.Im2Col(2, dilations=[2, 1])(x))
columns = ops.Im2Col(2, 1, 1, 1)(x)
show(ops.Col2Im(2, 1, 1, 1)(columns, Tensor([4, 5], ms.int32)), ops.col2im(columns, Tensor([4, 5], ms.int32), 2, [1, 1], 1, (1, 1)))
show(columns.col2im(Tensor([4, 5], ms.int32), [2, 2], [1, 1], [1, 1], [1, 1]))
show(gradients(ops.Im2Col(2, 2), x), gradients(lambda c: ops.Col2Im(2, 1, 1, 1)(c, Tensor([4, 5], ms.int32)), columns))
attempt(lambda: ops.Im2Col(2)(x[0]))
attempt(lambda: ops.Im2Col(2.0)(x))
attempt(lambda: ops.Im2Col((2, 2, 2))(x))
attempt(lambda: ops.Im2Col(2, 0)(x))
attempt(lambda: ops.Im2Col(2, pads=-1)(x))
attempt(lambda: ops.Col2Im(2)(columns, Tensor([4, 4], ms.int32)))
attempt(lambda: ops.Col2Im(3)(columns, Tensor([4, 5], ms.int32)))
attempt(lambda: ops.Col2Im((2,))(columns, Tensor([4, 5], ms.int32)))

# %% deformable
x, offsets, weight = image(1, 4, 4, 5), spots(1, 24, 3, 4, scale=1.2), image(3, 4, 2, 2)
show(ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2), deformable_groups=2)(x, offsets))
show(ops.deformable_conv2d(x, weight, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0), deformable_groups=2))
show(ops.deformable_conv2d(x, image(4, 2, 3, 2), spots(1, 18, 2, 2), (3, 2), (1, 1, 2, 2), (1, 1, 0, 1), image(4), (1, 1, 1, 2), 2))
show(*gradients(lambda x, w, o: ops.deformable_conv2d(x, w, o, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0), deformable_groups=2), x, weight, offsets))
attempt(lambda: ops.deformable_conv2d(x, weight, offsets, (2, 2), (2, 1, 1, 1), (0, 0, 0, 0)))
attempt(lambda: ops.deformable_conv2d(x, weight, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0), modulated=False))
attempt(lambda: ops.deformable_conv2d(x, weight, offsets, (2,), (1, 1, 1, 1), (0, 0, 0, 0)))
attempt(lambda: ops.deformable_conv2d(x, weight, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)))
attempt(lambda: ops.deformable_conv2d(x, weight, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0), deformable_groups=3))

# %% scale and translate
x = image(1, 4, 5, 1)
def pair(a, b, dtype=ms.float32): return Tensor([a, b], dtype)
kernels = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")
show(*together(lambda x, s, t: [ops.ScaleAndTranslate(k)(x, pair(3, 4, ms.int32), s, t) for k in kernels], x, pair(0.6, 1.3), pair(0.2, -0.4)))
show(ops.ScaleAndTranslate("triangle", False)(x, pair(3, 4, ms.int32), pair(0.6, 1.3), pair(0.2, 0.4)))
show(ops.ScaleAndTranslate()(x.astype(ms.float16), pair(2, 2, ms.int32), pair(1.0, 1.0), pair(1.0, 1.0)))
show(ops.ScaleAndTranslate()((x * 20).astype(ms.int32), pair(2, 2, ms.int32), pair(0.5, 0.5), pair(0.0, 0.0)))
show(gradients(lambda x: ops.ScaleAndTranslate("triangle")(x, pair(3, 4, ms.int32), pair(0.6, 1.3), pair(0.2, -0.4)), x))
attempt(lambda: ops.ScaleAndTranslate("other")(x, pair(3, 4, ms.int32), pair(0.6, 1.3), pair(0.2, -0.4)))
attempt(lambda: ops.ScaleAndTranslate()(x[0], pair(3, 4, ms.int32), pair(0.6, 1.3), pair(0.2, -0.4)))
attempt(lambda: ops.ScaleAndTranslate()(x, pair(3, -4, ms.int32), pair(0.6, 1.3), pair(0.2, -0.4)))

# %% distorted box
begin, size, box = ops.SampleDistortedBoundingBoxV2(seed=1, seed2=1, aspect_ratio_range=(0.9, 1.1), area_range=(0.1, 1.0))(Tensor([640, 480, 3], ms.int32), Tensor([[[0.38, 0.17, 0.95, 0.40]]], ms.float32), Tensor([0.8], ms.float32))
print(begin.dtype, begin.shape, size.dtype, size.shape, box.dtype, box.shape, begin[2], size[2])
