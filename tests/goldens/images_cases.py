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
show(gradients(lambda x: ops.interpolate(x, (4, 6), mode="bilinear"), x), gradients(lambda x: ops.interpolate(x, (2, 6), mode="bilinear", align_corners=True), x))

# %% interpolate/bicubic
x = image(1, 1, 3, 4)
for corners in (None, True):
    show(ops.interpolate(x, (4, 6), mode="bicubic", align_corners=corners), ops.interpolate(x, (2, 1), mode="bicubic", align_corners=corners))
show(gradients(lambda x: ops.interpolate(x, (4, 6), mode="bicubic"), x), gradients(lambda x: ops.interpolate(x, (2, 6), mode="bicubic", align_corners=True), x))

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
    show(ops.ResizeBilinearV2(corners, half)(x, (5, 3)), ops.ResizeBilinearV2(corners, half)(x, Tensor([2, 7])))
    show(gradients(lambda x: ops.ResizeBilinearV2(corners, half)(x, (2, 7)), x))
x = image(1, 2, 4)
for mode in ("align_corners", "half_pixel"):
    show(ops.ResizeLinear1D(mode)(x, (6,)), ops.ResizeLinear1D(mode)(x, Tensor([3])))
    show(gradients(lambda x: ops.ResizeLinear1D(mode)(x, (6,)), x))

# %% classes/bicubic
x = image(1, 1, 3, 4)
for corners, half in ((False, False), (True, False), (False, True)):
    show(ops.ResizeBicubic(corners, half)(x, (5, 3)), ops.ResizeBicubic(corners, half)(x, Tensor([2, 7], ms.int32)))
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
