"""Operators on images and boxes lower for CUDA and TPU, forward and backward, without a float64 in sight."""

import jax
import jax.numpy as jnp
import pytest

from msjax.ops.image import (
    boxes,
    colors,
    crops,
    deformable,
    distorted_boxes,
    grid_sampling,
    interpolate,
    nms,
    rotated_boxes,
    scale_and_translate,
)
from msjax.ops.nn import im2col
from tests.lowered import float64_in


def ones(*shape, dtype=jnp.float32):
    return jnp.ones(shape, dtype)


HALF = jnp.float32(0.5)
INDEX = ones(2, dtype=jnp.int32)
SIZES = jnp.asarray([[2, 2], [1, 2]], jnp.int32)
CASES = {
    "resizing": lambda x: [
        interpolate.interpolate.pure(x, 5, mode=m) for m in ("nearest", "bilinear", "bicubic")
    ],
    "sampling": lambda x: grid_sampling.grid_sample.pure(
        x, grid_sampling.affine_grid.pure(ones(1, 2, 3) * x.sum(), (1, 1, 2, 2))
    ),
    "boxes": lambda x: [
        boxes.iou.pure(x[0, 0], x[0, 0]),
        boxes.bounding_box_decode.pure(x[0, 0], boxes.bounding_box_encode.pure(x[0, 0], x[0, 0]), (3, 3)),
        rotated_boxes.rotated_iou.pure(x.reshape(1, -1, 5)[:, :2], ones(1, 2, 5)),
    ],
    "crops": lambda x: [
        crops.crop_and_resize.pure(x, x[0, 0][:2], INDEX, (2, 2)),
        crops.roi_align.pure(x, ones(2, 5), 2, 2, 0.5, 0),
    ],
    "suppression": lambda x: [
        *nms.nms_with_mask.pure(x.reshape(-1, 5)),
        *nms._combine_classes.pure(x.reshape(1, -1, 1, 4), ones(1, 5, 2), 2, 3, HALF, HALF, True),
    ],
    "colours": lambda x: [
        fn.pure(x.reshape(-1)[:12].reshape(1, 2, 2, 3), *more)
        for fn, *more in (
            (colors.rgb_to_hsv,),
            (colors.hsv_to_rgb,),
            (colors.adjust_hue, HALF),
            (colors.adjust_saturation, HALF),
        )
    ],
    "patches": lambda x: [
        im2col.dilation_2d.pure(x, ones(1, 2, 2), 1, 1),
        im2col.extract_glimpse.pure(
            jax.random.key(0), x, (2, 2), ones(1, 2), uniform_noise=False, noise="gaussian"
        ),
        deformable.deformable_offsets.pure(x, ones(1, 12, 4, 3), (1, 1, 1, 1), (0, 0, 0, 0), (2, 2)),
    ],
    "attention": lambda x: deformable.multi_scale_deformable_attn_function.pure(
        x.reshape(-1)[:12].reshape(1, 6, 2, 1), SIZES, INDEX, ones(1, 3, 2, 2, 4, 2), ones(1, 3, 2, 2, 4)
    ),
    "scaling": lambda x: [
        scale_and_translate.scale_and_translate.pure(x, (2, 2), ones(2), ones(2), k)
        for k in scale_and_translate._KERNELS
    ],
    "distorted": lambda x: distorted_boxes.sample_distorted_bounding_box.pure(
        jax.random.key(0), ones(3, dtype=jnp.int32), x, ones(1)
    ),
}
SHAPES = {"crops": (1, 5, 5, 4), "distorted": (1, 1, 4)}


@pytest.mark.parametrize("name", CASES)
def test_lowers_for_accelerators(name):
    def floats(x):
        return [y for y in jax.tree.leaves(CASES[name](x)) if jnp.issubdtype(y.dtype, jnp.floating)]

    def both(x):
        out, pull = jax.vjp(floats, x)
        return out, pull([jnp.ones_like(y) for y in out])

    program = jax.jit(CASES[name] if name == "distorted" else both)
    with jax.numpy_dtype_promotion("strict"):
        lowered = jax.export.export(program, platforms=("cuda", "tpu"))(ones(*SHAPES.get(name, (1, 1, 5, 4))))
    assert not float64_in(lowered.mlir_module())
