"""Image and box operators in class form: `ops.ResizeBilinearV2(True)(image, (8, 8))`."""

from msjax.ops.common.name_table import attach_classes

ROWS = """
# other sizes
image.resize: UpsampleNearest3D=upsample_nearest_3d
ResizeNearestNeighborV2(align_corners=False, half_pixel_centers=False)(...) -> image.resize.resize_nearest
# MindSpore's CPU computes the same with half_pixel_centers as without; ResizeNearestNeighborV2 has it.
ResizeNearestNeighbor(size, align_corners=False, half_pixel_centers=False)(input_x: image) -> image.resize.resize_nearest
    return _target(input_x, self.size, self.align_corners)
ResizeBilinearV2(align_corners=False, half_pixel_centers=False)(...) -> image.resize.resize_bilinear
ResizeBicubic(align_corners=False, half_pixel_centers=False)(...) -> image.resize.resize_bicubic
ResizeLinear1D(coordinate_transformation_mode='align_corners')(...) -> image.resize.resize_linear_1d
ResizeArea(align_corners=False)(...) -> image.resize.resize_area
UpsampleTrilinear3D(align_corners=False)(...) -> image.resize.upsample_trilinear_3d

# sampling
GridSampler2D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)(input_x, grid) ->
    image.grid_sampling.grid_sampler
    return _target(input_x, grid, self.interpolation_mode, self.padding_mode, self.align_corners, 2)
GridSampler3D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)(input_x, grid) ->
    image.grid_sampling.grid_sampler
    return _target(input_x, grid, self.interpolation_mode, self.padding_mode, self.align_corners, 3)
AffineGrid(align_corners=False)(theta, output_size: size) -> image.grid_sampling.affine_grid
CropAndResize(method='bilinear', extrapolation_value=0.0)(x: image, boxes, box_index: box_indices, crop_size) ->
    image.crops.crop_and_resize
ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1)(...) -> image.crops.roi_align

# boxes
image.boxes: CheckValid=check_valid
IOU(mode='iou')(...) -> image.boxes.iou
BoundingBoxEncode(means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0))(...) -> image.boxes.bounding_box_encode
BoundingBoxDecode(max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0), wh_ratio_clip=0.016)(...) ->
    image.boxes.bounding_box_decode

# colours
image.colors: RGBToHSV=rgb_to_hsv HSVToRGB=hsv_to_rgb AdjustHue=adjust_hue AdjustSaturation=adjust_saturation

# suppression
image.nms: NonMaxSuppressionV3=non_max_suppression_v3 NonMaxSuppressionWithOverlaps=non_max_suppression_with_overlaps
NMSWithMask(iou_threshold=0.5)(...) -> image.nms.nms_with_mask
CombinedNonMaxSuppression(pad_per_class=False, clip_boxes=True)(...) -> image.nms.combined_non_max_suppression

# patches
Im2Col(ksizes, strides=1, dilations=1, pads=0)(...) -> nn.im2col.im2col
Col2Im(kernel_size, dilation=1, padding: padding_value = 0, stride=1)(x: input_x, output_size) -> nn.im2col.col2im
ExtractImagePatches(ksizes, strides, rates, padding='VALID')(...) -> nn.im2col.extract_image_patches
ExtractVolumePatches(kernel_size, strides, padding)(...) -> nn.im2col.extract_volume_patches
ExtractGlimpse(centered=True, normalized=True, uniform_noise=True, noise='uniform')(...) -> nn.im2col.extract_glimpse
Dilation2D(stride, dilation, pad_mode='SAME', data_format='NCHW')(...) -> nn.im2col.dilation_2d
DeformableOffsets(strides, pads, ksize, dilations=(1, 1, 1, 1), data_format='NCHW', deformable_groups=1,
    modulated=True)(...) -> image.deformable.deformable_offsets
ScaleAndTranslate(kernel_type='lanczos3', antialias=True)(...) -> image.scale_and_translate.scale_and_translate
SampleDistortedBoundingBoxV2(seed: _ = 0, seed2: _ = 0, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0),
    max_attempts=100, use_image_if_no_bounding_boxes=False)(image_size, bounding_boxes, min_object_covered) ->
    image.distorted_boxes.sample_distorted_bounding_box

# deprecated
ResizeBilinear(size, align_corners=False, half_pixel_centers=False)(x: image) -> image.resize.resize_bilinear
DepthwiseConv2dNative(channel_multiplier, kernel_size, mode=3, pad_mode='valid', pad=0, stride=1, dilation=1, group=1)(x,
    w: weight) -> primitive_impl.image.depthwise_conv2d
ConfusionMatrix(num_classes, dtype='int32')(labels, predictions, weights=None) -> primitive_impl.image.confusion_matrix
"""

__getattr__, __dir__ = attach_classes(__name__, ROWS)
