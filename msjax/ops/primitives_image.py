"""The class form of operators on images and boxes: `ops.ResizeBilinearV2(True)(image, (8, 8))`.

One line makes one class, as in `primitives`.
"""

# fmt: off
import functools

from msjax.ops import resizing_fixed
from msjax.ops._names import primitive

_p = functools.partial(primitive, module=__name__)

# ---------------------------------------------------------------------- other sizes

_PLACES = "(align_corners=False, half_pixel_centers=False)"
ResizeNearestNeighborV2 = _p("ResizeNearestNeighborV2", resizing_fixed.resize_nearest, _PLACES)
# MindSpore's CPU computes the same with half_pixel_centers as without; ResizeNearestNeighborV2 has it.
ResizeNearestNeighbor = _p("ResizeNearestNeighbor", resizing_fixed.resize_nearest,
                           "(size, align_corners=False, half_pixel_centers=False)", "(input_x)", "input_x=image",
                           "return _target(input_x, self.size, self.align_corners)")
ResizeBilinearV2 = _p("ResizeBilinearV2", resizing_fixed.resize_bilinear, _PLACES)
ResizeBicubic = _p("ResizeBicubic", resizing_fixed.resize_bicubic, _PLACES)
ResizeLinear1D = _p("ResizeLinear1D", resizing_fixed.resize_linear_1d, "(coordinate_transformation_mode='align_corners')")
ResizeArea = _p("ResizeArea", resizing_fixed.resize_area, "(align_corners=False)")
UpsampleNearest3D = _p("UpsampleNearest3D", resizing_fixed.upsample_nearest_3d)
UpsampleTrilinear3D = _p("UpsampleTrilinear3D", resizing_fixed.upsample_trilinear_3d, "(align_corners=False)")
