"""EmbeddingBag, and adaptive softmax over many classes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from msjax.core.op.op import op
from msjax.torch.functions import basic
from msjax.torch.nn import functional as F
from msjax.torch.nn.containers import ModuleList, Sequential
from msjax.torch.nn.layers import Embedding, Linear, repr_of_table_options
from msjax.torch.nn.making import with_device_and_dtype
from msjax.torch.nn.module import Module
from msjax.torch.tensors.tensor import as_torch


@op(static="count mode padding")
def _reduce_bags(
    rows: Any, numbers: Any, bags: Any, weights: Any, count: int, mode: str, padding: int | None
) -> Any:
    kept = jnp.ones(numbers.shape, bool) if padding is None else numbers != padding
    if mode == "max":
        low = jnp.where(kept[:, None], rows, -jnp.inf)
        most = jax.ops.segment_max(low, bags, count)
        return jnp.where(jnp.isfinite(most), most, 0).astype(rows.dtype)
    scaled = jnp.where(kept[:, None], rows if weights is None else rows * weights[:, None], 0)
    total = jax.ops.segment_sum(scaled, bags, count)
    if mode == "sum":
        return total
    sizes = jax.ops.segment_sum(kept.astype(rows.dtype), bags, count)
    return total / jnp.maximum(sizes, 1)[:, None]


def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Any = None,
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Any:  # fmt: skip
    """Rows of `weight` by number, reduced in bags.

    Args:
        input: numbers, a bag in each row; or all in one dimension.
        weight: the table.
        offsets: where each bag begins, if `input` has one dimension.
        max_norm: rows are scaled down to at most this norm.
        norm_type: of that norm.
        scale_grad_by_freq: whether gradients are divided by how often a number occurs.
        mode: "sum", "mean" or "max".
        sparse: gradients are dense in any case.
        per_sample_weights: of each number, with "sum".
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: the number that does not count.

    Returns:
        A tensor with a row for each bag; empty bags have zeros.

    Raises:
        ValueError: if input, offsets and weights do not fit.
        NotImplementedError: for weights in other modes than "sum".

    Examples:
        >>> from msjax import torch
        >>> torch.nn.functional.embedding_bag(torch.tensor([[0, 1]]), torch.eye(2), mode="sum")
        tensor([[1., 1.]])
    """
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights was not None, but mode is {mode!r}")
    if (input.ndim == 2) == (offsets is not None) or input.ndim not in (1, 2):
        raise ValueError("input has to be 2D without offsets, or 1D with a 1D Tensor of offsets")
    numbers = basic.reshape(input, -1)
    if input.ndim == 2:
        count = input.shape[0]
        bags = basic.arange(count * input.shape[1]) // max(input.shape[1], 1)
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        count = starts.shape[0]
        found = jnp.searchsorted(starts.array, jnp.arange(numbers.shape[0]), side="right") - 1
        bags = basic.tensor(found)
    weights = None if per_sample_weights is None else basic.reshape(per_sample_weights, -1)
    rows = F.embedding(numbers, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    padding = None if padding_idx is None else padding_idx % weight.shape[0]
    return as_torch(_reduce_bags(rows, numbers, bags, weights, count, mode, padding))


@with_device_and_dtype
class EmbeddingBag(Module):
    """Rows of a table by number, reduced in bags; see :func:`embedding_bag`."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Any = None,
        include_last_offset: bool = False, padding_idx: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        table = Embedding(num_embeddings, embedding_dim, padding_idx, _weight=_weight)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx, self.mode, self.weight = table.padding_idx, mode, table.weight
        self._options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse)
        self.include_last_offset = include_last_offset

    def reset_parameters(self) -> None:
        """Draw the rows anew; that of padding_idx is zero."""
        Embedding.reset_parameters(self)  # type: ignore[arg-type]

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, **options: Any) -> "EmbeddingBag":
        """Make an EmbeddingBag with a given table."""
        made = cls(*embeddings.shape, _weight=embeddings, **options)
        made.weight.requires_grad = not freeze
        return made

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """Reduce the embeddings of indices in bags."""
        last = (per_sample_weights, self.include_last_offset, self.padding_idx)
        return embedding_bag(input, self.weight, offsets, *self._options, *last)

    def extra_repr(self) -> str:
        """Return the sizes and the mode."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        options = repr_of_table_options(*self._options[:3])
        return f"{self.num_embeddings}, {self.embedding_dim}{options}, mode={self.mode!r}{padding}"


class Scored(NamedTuple):
    """The logarithm of the probability of each target, and the loss."""

    output: Any
    loss: Any


@with_device_and_dtype
class AdaptiveLogSoftmaxWithLoss(Module):
    """Adaptive softmax: rare classes are in clusters (Grave and others, 2017).

    Args:
        in_features: of the input.
        n_classes: how many, the most frequent first.
        cutoffs: where clusters begin.
        div_value: how much smaller the features of each further cluster are.
        head_bias: whether the first layer has a bias.
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False
    ) -> None:  # fmt: skip
        super().__init__()
        ends = list(cutoffs)
        if ends != sorted(set(ends)) or not ends or min(ends) <= 0 or max(ends) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.div_value, self.head_bias = (
            in_features,
            n_classes,
            div_value,
            head_bias,
        )
        self.cutoffs = [*ends, n_classes]
        self.shortlist_size, self.n_clusters = self.cutoffs[0], len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            inner = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(Linear(in_features, inner, bias=False), Linear(inner, size, bias=False))
            )

    def log_prob(self, input: Any) -> Any:
        """Return the logarithms of the probabilities of all classes."""
        head = F.log_softmax(self.head(input), -1)
        parts = [head[..., : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            among = F.log_softmax(cluster(input), -1)
            parts.append(among + head[..., self.shortlist_size + i].unsqueeze(-1))
        return basic.cat(parts, -1)

    def forward(self, input: Any, target: Any) -> Scored:
        """Compute output and loss for inputs (n, in_features) and targets (n,), or for one sample."""
        if bool((target < 0).any()) or bool((target >= self.n_classes).any()):
            raise RuntimeError(f"Target values should be in the range [0, {self.n_classes - 1}]")
        each = self.log_prob(input).gather(-1, target.unsqueeze(-1)).squeeze(-1)
        return Scored(each, -each.mean())

    def predict(self, input: Any) -> Any:
        """Return the most probable class."""
        return basic.argmax(self.log_prob(input), -1)
