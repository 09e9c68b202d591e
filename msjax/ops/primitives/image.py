"""Image and box operators in class form: `ops.ResizeBilinearV2(True)(image, (8, 8))`.

One line makes one class, as in `primitives.math`.
"""

# fmt: off
import functools

from msjax.ops.common.adapters import primitive
from msjax.ops.image import (
                           boxes,
                           colors,
                           crops,
                           deformable,
                           distorted_boxes,
                           grid_sampling,
                           nms,
                           resize,
                           scale_and_translate,
)
from msjax.ops.nn import im2col
from msjax.ops.primitive_impl import image

_p = functools.partial(primitive, module=__name__)

# ---------------------------------------------------------------------- other sizes

_PLACES = "(align_corners=False, half_pixel_centers=False)"
ResizeNearestNeighborV2 = _p("ResizeNearestNeighborV2", resize.resize_nearest, _PLACES)
# MindSpore's CPU computes the same with half_pixel_centers as without; ResizeNearestNeighborV2 has it.
ResizeNearestNeighbor = _p("ResizeNearestNeighbor", resize.resize_nearest,
                           "(size, align_corners=False, half_pixel_centers=False)", "(input_x)", "input_x=image",
                           "return _target(input_x, self.size, self.align_corners)")
ResizeBilinearV2 = _p("ResizeBilinearV2", resize.resize_bilinear, _PLACES)
ResizeBicubic = _p("ResizeBicubic", resize.resize_bicubic, _PLACES)
ResizeLinear1D = _p("ResizeLinear1D", resize.resize_linear_1d, "(coordinate_transformation_mode='align_corners')")
ResizeArea = _p("ResizeArea", resize.resize_area, "(align_corners=False)")
UpsampleNearest3D = _p("UpsampleNearest3D", resize.upsample_nearest_3d)
UpsampleTrilinear3D = _p("UpsampleTrilinear3D", resize.upsample_trilinear_3d, "(align_corners=False)")

# ---------------------------------------------------------------------- sampling

_SAMPLER = "(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)"
_SAMPLED = "return _target(input_x, grid, self.interpolation_mode, self.padding_mode, self.align_corners, {})"
GridSampler2D = _p("GridSampler2D", grid_sampling.grid_sampler, _SAMPLER, "(input_x, grid)", fix=_SAMPLED.format(2))
GridSampler3D = _p("GridSampler3D", grid_sampling.grid_sampler, _SAMPLER, "(input_x, grid)", fix=_SAMPLED.format(3))
AffineGrid = _p("AffineGrid", grid_sampling.affine_grid, "(align_corners=False)", "(theta, output_size)", "output_size=size")
CropAndResize = _p("CropAndResize", crops.crop_and_resize, "(method='bilinear', extrapolation_value=0.0)",
                   "(x, boxes, box_index, crop_size)", "x=image box_index=box_indices")
ROIAlign = _p("ROIAlign", crops.roi_align, "(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1)")

# ---------------------------------------------------------------------- boxes

_CODE = "means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0)"
IOU = _p("IOU", boxes.iou, "(mode='iou')")
BoundingBoxEncode = _p("BoundingBoxEncode", boxes.bounding_box_encode, f"({_CODE})")
BoundingBoxDecode = _p("BoundingBoxDecode", boxes.bounding_box_decode, f"(max_shape, {_CODE}, wh_ratio_clip=0.016)")
CheckValid = _p("CheckValid", boxes.check_valid)

# ---------------------------------------------------------------------- colours

RGBToHSV = _p("RGBToHSV", colors.rgb_to_hsv)
HSVToRGB = _p("HSVToRGB", colors.hsv_to_rgb)
AdjustHue = _p("AdjustHue", colors.adjust_hue)
AdjustSaturation = _p("AdjustSaturation", colors.adjust_saturation)

# ---------------------------------------------------------------------- suppression

NMSWithMask = _p("NMSWithMask", nms.nms_with_mask, "(iou_threshold=0.5)")
NonMaxSuppressionV3 = _p("NonMaxSuppressionV3", nms.non_max_suppression_v3)
NonMaxSuppressionWithOverlaps = _p("NonMaxSuppressionWithOverlaps", nms.non_max_suppression_with_overlaps)
CombinedNonMaxSuppression = _p("CombinedNonMaxSuppression", nms.combined_non_max_suppression,
                               "(pad_per_class=False, clip_boxes=True)")

# ---------------------------------------------------------------------- patches

Im2Col = _p("Im2Col", im2col.im2col, "(ksizes, strides=1, dilations=1, pads=0)")
Col2Im = _p("Col2Im", im2col.col2im, "(kernel_size, dilation=1, padding=0, stride=1)", "(x, output_size)",
            "x=input_x padding=padding_value")
ExtractImagePatches = _p("ExtractImagePatches", im2col.extract_image_patches, "(ksizes, strides, rates, padding='VALID')")
ExtractVolumePatches = _p("ExtractVolumePatches", im2col.extract_volume_patches, "(kernel_size, strides, padding)")
ExtractGlimpse = _p("ExtractGlimpse", im2col.extract_glimpse,
                    "(centered=True, normalized=True, uniform_noise=True, noise='uniform')")
Dilation2D = _p("Dilation2D", im2col.dilation_2d, "(stride, dilation, pad_mode='SAME', data_format='NCHW')")
DeformableOffsets = _p(
    "DeformableOffsets", deformable.deformable_offsets,
    "(strides, pads, ksize, dilations=(1, 1, 1, 1), data_format='NCHW', deformable_groups=1, modulated=True)")
ScaleAndTranslate = _p("ScaleAndTranslate", scale_and_translate.scale_and_translate,
                       "(kernel_type='lanczos3', antialias=True)")
SampleDistortedBoundingBoxV2 = _p(
    "SampleDistortedBoundingBoxV2", distorted_boxes.sample_distorted_bounding_box,
    "(seed=0, seed2=0, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0), max_attempts=100, "
    "use_image_if_no_bounding_boxes=False)", "(image_size, bounding_boxes, min_object_covered)",
    fix="return _target(image_size, bounding_boxes, min_object_covered, self.seed or self.seed2 or None, "
        "self.aspect_ratio_range, self.area_range, self.max_attempts, self.use_image_if_no_bounding_boxes)")

# ---------------------------------------------------------------------- deprecated

ResizeBilinear = _p("ResizeBilinear", resize.resize_bilinear,
                    "(size, align_corners=False, half_pixel_centers=False)", "(x)", "x=image")
DepthwiseConv2dNative = _p(
    "DepthwiseConv2dNative", image.depthwise_conv2d,
    "(channel_multiplier, kernel_size, mode=3, pad_mode='valid', pad=0, stride=1, dilation=1, group=1)",
    "(x, w)", "w=weight")
ConfusionMatrix = _p("ConfusionMatrix", image.confusion_matrix, "(num_classes, dtype='int32')",
                     "(labels, predictions, weights=None)")
