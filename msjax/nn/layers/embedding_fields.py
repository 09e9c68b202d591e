"""Multi-field embedding: the embeddings of each field of features are combined into one vector."""

from typing import Any

import jax.numpy as jnp

from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.op.op import op
from msjax.nn.cell import parameter_init
from msjax.nn.layers.embedding import EmbeddingLookup
from msjax.ops.array.segments import unsorted_segment_max, unsorted_segment_sum
from msjax.ops.array.shapes import reshape
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.arithmetic import abs as absolute
from msjax.ops.math.arithmetic import div, mul
from msjax.ops.math.comparison import ne, where

_LOWEST = -3.402823466e38


@documented_by(EmbeddingLookup)
class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Rows of a trained table, weighted, and merged per field: for each sample one vector a field.

    Args:
        field_size (int): number of fields.
        feature_num_list (tuple): with it; without effect.
        operator (str): "SUM", "MAX" or "MEAN" of the weighted rows of a field; the mean divides by the sum of the
            weights' absolute values.

    Inputs:
        - **input_indices** (Tensor) - rows, int32 or int64, of shape (batch, features).
        - **input_values** (Tensor) - their weights, float32, of the same shape; 0 for none.
        - **field_ids** (Tensor) - their fields, int32, of the same shape.

    Outputs:
        Tensor of shape (batch, field_size, embedding_size); zeros for fields without features.

    Raises:
        TypeError: if a size is not an int, or an input is of another dtype.
        ValueError: if a size is not positive, or `operator` unknown; at the call, if an input does not have two dimensions.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.MultiFieldEmbeddingLookup(10, 2, field_size=2, param_init="ones")
        >>> rows, fields = ms.Tensor([[2, 4, 6]], ms.int32), ms.Tensor([[0, 1, 0]], ms.int32)
        >>> print(net(rows, ms.Tensor([[1.0, 1.0, 0.5]]), fields))
        [[[1.5 1.5]
          [1.  1. ]]]
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        field_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        feature_num_list: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        operator: str = "SUM",
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            feature_num_list,
            max_norm,
            sparse,
            dtype,
        )
        parameter_init.check_positive_ints("MultiFieldEmbeddingLookup", field_size=field_size)
        parameter_init.check_choice("MultiFieldEmbeddingLookup", ("SUM", "MAX", "MEAN"), operator=operator)
        self.field_size = field_size
        self.operator = operator

    def construct(self, input_indices: Any, input_values: Any, field_ids: Any) -> Any:
        """Return one vector for each sample and field."""
        self._check(input_indices, input_values, field_ids)
        batch, count = input_indices.shape, input_indices.shape[0] * self.field_size
        segments, weights = (
            reshape(_shift_fields(field_ids, self.field_size), (-1,)),
            reshape(input_values, (-1, 1)),
        )
        found = reshape(super().construct(input_indices), (-1, self.embedding_size))
        weighted = mul(found, weights)
        if self.operator == "MAX":
            merged = unsorted_segment_max(where(ne(weights, 0), weighted, _LOWEST), segments, count)
        else:
            merged = unsorted_segment_sum(weighted, segments, count)
        if self.operator != "SUM":
            total = reshape(unsorted_segment_sum(reshape(absolute(weights), (-1,)), segments, count), (-1, 1))
            merged = mul(
                div(merged, where(ne(total, 0), total, 1)) if self.operator == "MEAN" else merged,
                ne(total, 0),
            )
        return reshape(merged, (batch[0], self.field_size, self.embedding_size))

    def _check(self, input_indices: Any, input_values: Any, field_ids: Any) -> None:
        owner, integers = "MultiFieldEmbeddingLookup", (dtypes.int32, dtypes.int64)
        given = {"input_indices": input_indices, "input_values": input_values, "field_ids": field_ids}
        for name, value in given.items():
            if len(value.shape) != 2:
                raise ValueError(
                    f"`{owner}`: input `{name}` must have two dimensions. Received: {value.shape}."
                )
        parameter_init.check_tensor_dtypes(owner, integers, input_indices=input_indices)
        parameter_init.check_tensor_dtypes(owner, (dtypes.float32,), input_values=input_values)
        parameter_init.check_tensor_dtypes(owner, (dtypes.int32,), field_ids=field_ids)


@op(static="size")
def _shift_fields(fields: Any, size: int) -> Any:
    """Return the fields of each sample after those of the sample before it."""
    rows = fields.dtype.type(size) * jnp.arange(fields.shape[0], dtype=fields.dtype)
    return fields + rows[:, None]
