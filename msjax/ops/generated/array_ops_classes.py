"""Operators of MindSpore's internal modules, such as `ops.operations.array_ops`, that have a CPU kernel."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike, BoolLike
from msjax.core.op.op import op
from msjax.core.op.static_args import static_key
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.common import checks, matrix_args
from msjax.ops.common.name_table import attach_classes
from msjax.ops.generated.gradients_by_vjp import pulled_back
from msjax.ops.primitives.image import CropAndResize
from msjax.ops.sparse import csr
from msjax.ops.sparse.tensors import CSRTensor
from msjax.ops.state.assignment import assign

# ---------------------------------------------------------------------- arrays


@op
def concat_offset(axis: Array, x: Any) -> tuple[Array, ...]:
    """Compute the offset of each input of a concatenation from its shape (`ConcatOffsetV1`).

    Args:
        axis (Tensor): along which they are joined, without dimensions.
        x (tuple[Tensor]): the shape of each part.

    Returns:
        A Tensor like each shape: 0, but along the axis how much is before the part.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.array_ops_classes import ConcatOffsetV1
        >>> print(*ConcatOffsetV1()(ms.Tensor(1), (ms.Tensor([2, 3]), ms.Tensor([2, 5]))))
        [0 0] [0 3]
    """
    shapes = jnp.stack(x)
    before = jnp.cumsum(shapes, 0, dtype=shapes.dtype) - shapes
    along = jnp.arange(shapes.shape[1]) == axis % shapes.shape[1]
    return tuple(jnp.where(along, before, 0))


def update_cache(input_x: Tensor, indices: Tensor, updates: Tensor, max_num: Any) -> Tensor:
    """Replace rows of a Parameter, in place; none for indices outside of [0, max_num) (`UpdateCache`).

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.array_ops_classes import UpdateCache
        >>> p = ms.Parameter(ms.Tensor([[1, 2], [3, 4]]), name="p")
        >>> print(UpdateCache()(p, ms.Tensor([-1, 1]), ms.Tensor([[5, 6], [7, 8]]), 9), p.value())
        [0] [[1 2]
         [7 8]]
    """
    assign(input_x, _rows_replaced(input_x, indices, updates, max_num))
    return Tensor([0], input_x.dtype)


def pad_and_shift(input_x: Tensor, cum_sum_arr: Tensor, shift_idx: Any) -> Tensor:
    """Put the first elements to the place of one part of a longer array, -1 elsewhere (`PadAndShift`).

    Args:
        input_x (Tensor): shape (N,).
        cum_sum_arr (Tensor): where each part begins, and the length in the end.
        shift_idx (int, Tensor): which part.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.array_ops_classes import PadAndShift
        >>> print(PadAndShift()(ms.Tensor([9, 13, 4]), ms.Tensor([0, 3, 5]), 1))
        [-1 -1 -1  9 13]
    """
    starts = np.asarray(concrete(cum_sum_arr, "PadAndShift")).reshape(-1)
    part = shift_idx if isinstance(shift_idx, int) else int(concrete(shift_idx, "PadAndShift").item())
    if not 0 <= part < len(starts) - 1:
        checks.fail(ValueError, "PadAndShift", "shift_idx", f"be in [0, {len(starts) - 1})", part)
    return _moved(input_x, int(starts[part]), int(starts[part + 1]), int(starts[-1]))


@op(static="start end length")
def _moved(x: Array, start: int, end: int, length: int) -> Array:
    return jnp.full(length, -1, x.dtype).at[start:end].set(x[: end - start])


@op
def _rows_replaced(x: ArrayLike, indices: ArrayLike, updates: ArrayLike, max_num: Any) -> Array:
    at = indices.reshape(-1)
    at = jnp.where((at >= 0) & (at < max_num), at, x.shape[0])
    return x.at[at].set(updates.reshape(-1, *x.shape[1:]), mode="drop")


# ---------------------------------------------------------------------- images


@op
def adjust_contrast(images: Array, contrast_factor: Array) -> Array:
    """Each channel's distance from its mean over an image, times a factor (`AdjustContrastv2`).

    Args:
        images (Tensor): of shape (..., H, W, 3), float16 or float32.
        contrast_factor (Tensor): one number of float32.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.array_ops_classes import AdjustContrastv2
        >>> print(AdjustContrastv2()(ms.Tensor([[[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]]), ms.Tensor(2.0)))
        [[[0. 1. 2.]
          [4. 5. 6.]]]
    """
    checks.check_floating("AdjustContrastv2", images=images)
    if images.ndim < 3 or images.shape[-1] != 3:
        rule = "be of shape (..., height, width, 3)"
        checks.fail(ValueError, "AdjustContrastv2", "images", rule, f"array of shape {images.shape}")
    wide = images.astype(jnp.float32)
    mean = wide.mean((-3, -2), keepdims=True)
    return ((wide - mean) * contrast_factor + mean).astype(images.dtype)


def gradient_by_boxes(grads: Tensor, images: Tensor, boxes: Tensor, box_index: Tensor, method: str) -> Tensor:
    """Return the gradient of `CropAndResize` by the boxes (`CropAndResizeGradBoxes`)."""
    crops = CropAndResize(method)
    wide = images if images.is_floating_point() else images.astype(dtypes.float32)
    return pulled_back(crops, [wide, boxes, box_index, grads.shape[1:3]], grads, (1,))


def gradient_by_images(
    grads: Tensor, boxes: Tensor, box_index: Tensor, image_size: Any, T: Any, method: str
) -> Any:
    """Return the gradient of `CropAndResize` by the images, which have the shape `image_size` (`CropAndResizeGradImage`)."""
    (shape,), _ = static_key((image_size,))
    blank = Tensor(jnp.zeros(tuple(shape), jnp.float32))
    return pulled_back(CropAndResize(method), [blank, boxes, box_index, grads.shape[1:3]], grads).astype(T)


# ---------------------------------------------------------------------- linear algebra


@op(static="compute_eigenvectors lower")
def eigh(A: ArrayLike, compute_eigenvectors: BoolLike = True, lower: BoolLike = True) -> Any:
    """Eigenvalues of Hermitian matrices, rising, of which one triangle is read; and eigenvectors (`Eigh`)."""
    A = matrix_args.as_square_matrices("Eigh", A=A)
    half = jnp.tril(A) if lower else matrix_args.adjoint(jnp.triu(A))
    other = matrix_args.adjoint(half - jnp.where(jnp.eye(A.shape[-1], dtype=bool), half, 0))
    if compute_eigenvectors:
        return tuple(jnp.linalg.eigh(half + other, symmetrize_input=False))
    return jnp.linalg.eigvalsh(half + other, symmetrize_input=False)


@op(static="output_idx_type")
def lu(input: ArrayLike, output_idx_type: Any = dtypes.int32) -> tuple[Array, Array]:
    """L below the diagonal and U above, and which row of the matrix each row is of (`Lu`)."""
    packed, _, order = lax.linalg.lu(matrix_args.as_square_matrices("Lu", input=input))
    return packed, order.astype(dtypes.as_np(output_idx_type))


__getattr__, __dir__ = attach_classes(
    __name__,
    """
here: ConcatOffsetV1=concat_offset UpdateCache=update_cache PadAndShift=pad_and_shift
nn.activation_piecewise: ReLUV3=relu
PSROIPooling(spatial_scale, group_size, output_dim)(...) -> image.crops.ps_roi_pooling
ResizeV2(coordinate_transformation_mode='half_pixel', mode='nearest')(...) -> image.resize.resize_v2
state.assignment: DynamicAssign=assign
AddV2(x: input, y: other) -> math.arithmetic.add
ArgminV2(x: input, axis=-1) -> reduction.min_max.argmin
here: AdjustContrastv2=adjust_contrast
CropAndResizeGradBoxes(method='bilinear')(...) -> gradient_by_boxes
CropAndResizeGradImage(T, method='bilinear')(...) -> gradient_by_images
Eigh(compute_eigenvectors=True, lower=True)(...) -> eigh
Lu(output_idx_type)(...) -> lu

# sparse matrices by rows
sparse.csr: CSR2COO=csr2coo
sparse.coo: COO2CSR=coo2csr
CSRReduceSum(indptr, indices, values, dense_shape, axis) -> sparse.csr.csr_reduce_sum
    return _target(matrix(indptr, indices, values, dense_shape), axis)
CSRMV(indptr, indices, values, dense_shape, dense_tensor) -> sparse.csr.csr_mv
    return _target(matrix(indptr, indices, values, dense_shape), dense_tensor)
CSRMM(indptr, indices, values, dense_shape, dense) -> sparse.csr.csr_mm
    return _target(matrix(indptr, indices, values, dense_shape), dense)
CSRDiv(indptr, indices, values, dense_shape, dense_tensor) -> sparse.csr.csr_div
    return _target(matrix(indptr, indices, values, dense_shape), dense_tensor)
CSRMul(indptr, indices, values, dense_shape, dense_tensor) ->
    values * csr.csr_gather(indptr, indices, dense_tensor, dense_shape)
CSRGather(indptr, indices, dense, dense_shape: sparse_shape) -> sparse.csr.csr_gather
""",
    csr=csr,
    matrix=CSRTensor,
)
