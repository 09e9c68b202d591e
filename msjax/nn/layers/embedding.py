"""Embedding layers."""

from typing import Any

import numpy as np

from msjax.common.initializer import initializer
from msjax.core import dtype as dtypes
from msjax.core.dtype import DType
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.cell import Cell
from msjax.ops.common.docstrings import documented_by
from msjax.ops.math.arithmetic import div, mul
from msjax.ops.math.rounding import maximum
from msjax.ops.nn.embeddings import embedding_lookup, rows
from msjax.ops.reduction.norms import norm


class Embedding(Cell):
    """Embedding: the rows of a trained table for given indices.

    Args:
        vocab_size (int): number of rows.
        embedding_size (int): their length.
        use_one_hot (bool): accepted for MindSpore's signature; it says how rows are found.
        embedding_table (Tensor, str, Initializer, float): where the table starts. Default: normal with deviation 0.01.
        dtype (DType): kept; the table itself is float32 as in MindSpore.
        padding_idx (int): a row that starts as zeros.

    Parameters:
        - **embedding_table** - of shape (vocab_size, embedding_size).

    Inputs:
        - **ids** (Tensor) - integers in [0, vocab_size), of any shape.

    Outputs:
        Tensor of shape (*ids.shape, embedding_size).

    Raises:
        TypeError: if a size is not an int or `use_one_hot` not a bool; at the call, if the ids are not integers.
        ValueError: if `padding_idx` is not in [0, vocab_size).

    Examples:
        >>> import msjax as ms
        >>> ms.nn.Embedding(100, 8)(ms.Tensor([[1, 2, 3]])).shape
        (1, 3, 8)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: DType = dtypes.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints("Embedding", vocab_size=vocab_size, embedding_size=embedding_size)
        parameter_init.check_bools("Embedding", use_one_hot=use_one_hot)
        parameter_init.check_dtypes("Embedding", dtype=dtype)
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.use_one_hot = use_one_hot
        self.dtype = dtype
        self.padding_idx = padding_idx
        table = initializer(embedding_table, (vocab_size, embedding_size), dtypes.float32)
        if padding_idx is not None:
            table = _with_zero_row(table, padding_idx)
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids: Any) -> Any:
        """Rows of the table."""
        return rows(ids, self.embedding_table)

    def extend_repr(self) -> str:
        """Settings and table."""
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.embedding_table}, dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


def _with_zero_row(table: Tensor, row: Any) -> Tensor:
    parameter_init.check_numbers("Embedding", int, padding_idx=row)
    if not 0 <= row < table.shape[0]:
        raise ValueError(
            f"`Embedding`: argument `padding_idx` must be in [0, {table.shape[0]}). Received: {row}."
        )
    values = np.array(table.asnumpy())
    values[row] = 0
    return Tensor(values)


@documented_by(Embedding)
class EmbeddingLookup(Cell):
    """Embedding lookup: rows of a trained table, with the signature that MindSpore gives large tables.

    Args:
        param_init (Tensor, str, Initializer, float): where the table starts. Default: normal with deviation 0.01.
        target (str): "CPU" or "DEVICE", where MindSpore keeps the table; without effect.
        slice_mode (str): how MindSpore shares the table among devices; without effect.
        manual_shapes (tuple): with it; without effect.
        max_norm (float): rows of the result are scaled down to at most this length.
        sparse (bool): `LazyAdam`, `FTRL` and `ProximalAdagrad` leave rows of the table whose gradient is zero everywhere, as
            those that were not looked up, and their slots as they are, if the table does not decay.
        dtype (DType): of the table.

    Inputs:
        - **input_indices** (Tensor) - integers in [0, vocab_size), of any shape.

    Outputs:
        Tensor of shape (*input_indices.shape, embedding_size).

    Raises:
        TypeError: if a size is not an int or `sparse` not a bool.
        ValueError: if a size is not positive, `target` unknown, or "CPU" with `sparse` False.

    Examples:
        >>> import msjax as ms
        >>> ms.nn.EmbeddingLookup(100, 8)(ms.Tensor([[1, 2, 3]])).shape
        (1, 3, 8)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        parameter_init.check_positive_ints(
            "EmbeddingLookup", vocab_size=vocab_size, embedding_size=embedding_size
        )
        parameter_init.check_bools("EmbeddingLookup", sparse=sparse)
        parameter_init.check_choice("EmbeddingLookup", ("CPU", "DEVICE"), target=target)
        if not sparse and target == "CPU":
            raise ValueError(
                "`EmbeddingLookup`: argument `sparse` must be True if `target` is 'CPU'. Received: False."
            )
        if max_norm is not None:
            parameter_init.check_numbers("EmbeddingLookup", float, max_norm=max_norm)
            if not max_norm > 0:
                raise ValueError(
                    f"`EmbeddingLookup`: argument `max_norm` must be positive. Received: {max_norm}."
                )
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.max_norm = max_norm
        self.embedding_table = parameter_init.make_parameter(
            "EmbeddingLookup", param_init, (vocab_size, embedding_size), dtype, "embedding_table"
        )
        self.embedding_table.sparse_rows = sparse

    def construct(self, indices: Any) -> Any:
        """Rows of the table, none longer than `max_norm`."""
        found = embedding_lookup(self.embedding_table, indices)
        if self.max_norm is None:
            return found
        return div(mul(found, self.max_norm), maximum(norm(found, dim=-1, keepdim=True), self.max_norm))
