"""Sequences of different lengths in one array: reverse_sequence, sequence_mask and comparisons."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core import dtype as dtypes
from msjax.core.op.argument_types import ArrayLike
from msjax.core.op.op import op
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.ops.array import flip_roll
from msjax.ops.common import checks
from msjax.ops.common.promotion import as_array, as_index_array


def reverse(x: Any, axis: Any) -> Any:
    """Reverse the order of elements along axes.

    Args:
        x (Tensor): of any dtype.
        axis (tuple[int], list[int]): axes to reverse.

    Returns:
        Tensor of `x`'s shape.

    Raises:
        TypeError: if `axis` is not a tuple or list of ints.
        ValueError: if an axis is out of range.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.reverse(ms.Tensor([1, 2, 3]), [0]))
        [3 2 1]
    """
    return flip_roll.flip(x, axis)


@op(static="seq_dim batch_dim")
def reverse_sequence(x: Array, seq_lengths: Array, seq_dim: int, batch_dim: int = 0) -> Array:
    """Return the first elements of each sequence in reverse order, as many as its length says; the rest stays.

    Args:
        x (Tensor): of any dtype.
        seq_lengths (Tensor): a length for each sequence, int32 or int64.
        seq_dim (int): axis along which sequences run.
        batch_dim (int): axis that counts them.

    Returns:
        Tensor of `x`'s shape.

    Raises:
        TypeError: if the lengths are not integers or an axis is not an int.
        ValueError: if axes are equal or out of range, or there are not as many lengths as sequences.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.reverse_sequence(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([2, 3]), 1))
        [[2 1 3]
         [6 5 4]]
    """
    name = "reverse_sequence"
    x, long = as_array(name, "x", x), as_index_array(name, seq_lengths=seq_lengths)
    along = checks.normalize_axis(name, x.ndim, seq_dim=seq_dim)
    batch = checks.normalize_axis(name, x.ndim, batch_dim=batch_dim)
    if along == batch:
        checks.fail(ValueError, name, "batch_dim", f"differ from `seq_dim`, {seq_dim}", batch_dim)
    if long.shape != (x.shape[batch],):
        checks.fail(ValueError, name, "seq_lengths", f"have shape {(x.shape[batch],)}", long.shape)
    place = jnp.arange(x.shape[along], dtype=long.dtype)
    source = jnp.where(place < long[:, None], long[:, None] - 1 - place, place)
    axes = (batch, along) if batch < along else (along, batch)
    source = source if batch < along else source.T
    return jnp.take_along_axis(x, jnp.expand_dims(source, [i for i in range(x.ndim) if i not in axes]), along)


@op(static="maxlen")
def _mask(lengths: ArrayLike, maxlen: int) -> Array:
    return jnp.arange(maxlen, dtype=lengths.dtype) < lengths[..., None]


def sequence_mask(lengths: Tensor, maxlen: int | None = None) -> Tensor:
    """Return a mask of the positions within each sequence's length.

    Args:
        lengths (Tensor): int32 or int64, of any shape.
        maxlen (int, None): number of places. Default: the largest length, which must be known: not in a compiled function.

    Returns:
        Tensor of `lengths`' shape and one more axis of size `maxlen`, bool.

    Raises:
        TypeError: if the lengths are not a Tensor of integers, or `maxlen` is not an int.
        ValueError: if `maxlen` is not positive.
        RuntimeError: inside a compiled function, if `maxlen` is not given.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.sequence_mask(ms.Tensor([1, 3]), 3))
        [[ True False False]
         [ True  True  True]]
    """
    if not isinstance(lengths, Tensor) or lengths.dtype not in (dtypes.int32, dtypes.int64):
        kind = getattr(lengths, "dtype", type(lengths).__name__)
        checks.fail(TypeError, "sequence_mask", "lengths", "be a Tensor of dtype int32 or int64", kind)
    if maxlen is None:
        maxlen = int(np.max(concrete(lengths, "`sequence_mask` without `maxlen`"), initial=0))
    else:
        checks.check_ints("sequence_mask", maxlen=maxlen)
        if maxlen <= 0:
            checks.fail(ValueError, "sequence_mask", "maxlen", "be positive", maxlen)
    return _mask(lengths, maxlen)


# ---------------------------------------------------------------------- in class form alone


def ragged_range(starts: Tensor, limits: Tensor, deltas: Tensor, Tsplits: Any) -> tuple[Tensor, Tensor]:
    """Several ranges one after another, and where each begins (`RaggedRange`).

    Args:
        starts (Tensor): first numbers, one-dimensional.
        limits (Tensor): where the ranges end, without that number.
        deltas (Tensor): steps.
        Tsplits (mindspore.dtype): int32 or int64, of the first result.

    Returns:
        Two Tensors: where the ranges begin, and where the last one ends; their numbers.

    Raises:
        TypeError: if dtypes differ.
        ValueError: if shapes do not fit, or a step is 0.
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> ranges = ms.ops.RaggedRange(Tsplits=ms.int32)
        >>> print(*ranges(ms.Tensor([2, 8]), ms.Tensor([3, 11]), ms.Tensor([1, 1])))
        [0 1 4] [ 2  8  9 10]
    """
    low, high, step = (np.asarray(concrete(x, "RaggedRange")) for x in (starts, limits, deltas))
    if not low.dtype == high.dtype == step.dtype:
        checks.fail(TypeError, "RaggedRange", "limits", f"have the dtype {low.dtype} of `starts`", high.dtype)
    if low.ndim > 1 or not (step.all()):
        checks.fail(ValueError, "RaggedRange", "deltas", "have one dimension and no zeros", step)
    rows = [
        np.arange(*row, dtype=low.dtype) for row in zip(*np.broadcast_arrays(low, high, step), strict=True)
    ]
    ends = np.cumsum([0, *(len(row) for row in rows)]).astype(dtypes.as_np(Tsplits))
    return Tensor(ends), Tensor(np.concatenate(rows))


def list_diff(x: Tensor, y: Tensor, out_idx: Any = dtypes.int32) -> tuple[Tensor, Tensor]:
    """Return the elements of a list that another does not have, and where they stand (`ListDiff`).

    Args:
        x (Tensor): one-dimensional.
        y (Tensor): one-dimensional, of `x`'s dtype.
        out_idx (mindspore.dtype): int32 or int64, of the positions.

    Returns:
        Two Tensors: elements and positions.

    Raises:
        TypeError: if dtypes differ, or `out_idx` is no such dtype.
        ValueError: if one does not have one dimension.
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> print(*ms.ops.ListDiff()(ms.Tensor([1, 2, 3]), ms.Tensor([2])))
        [1 3] [0 2]
    """
    if out_idx not in (dtypes.int32, dtypes.int64):
        checks.fail(TypeError, "ListDiff", "out_idx", "be int32 or int64", out_idx)
    if x.dtype != y.dtype:
        checks.fail(TypeError, "ListDiff", "y", f"have the dtype {x.dtype} of `x`", y.dtype)
    if x.ndim != 1 or y.ndim != 1:
        checks.fail(ValueError, "ListDiff", "x", "have one dimension, as `y`", f"{x.shape} and {y.shape}")
    values, others = (np.asarray(concrete(a, "ListDiff")) for a in (x, y))
    places = np.flatnonzero(~np.isin(values, others))
    return Tensor(values[places]), Tensor(places.astype(dtypes.as_np(out_idx)))


def edit_distance(
    hypothesis_indices: Tensor,
    hypothesis_values: Tensor,
    hypothesis_shape: Tensor,
    truth_indices: Tensor,
    truth_values: Tensor,
    truth_shape: Tensor,
    normalize: bool = True,
) -> Tensor:
    """Levenshtein's distance between the rows of two sparse arrays (`EditDistance`).

    Args:
        hypothesis_indices (Tensor): coordinates of the first array's elements, shape (n, dimensions), int64.
        hypothesis_values (Tensor): those elements, shape (n,).
        hypothesis_shape (Tensor): its shape, int64.
        truth_indices (Tensor): coordinates of the second array's elements.
        truth_values (Tensor): those elements.
        truth_shape (Tensor): its shape.
        normalize (bool): divide by the length of the second's row.

    Returns:
        Tensor, float32, of the larger shape less the last axis. Without a truth the normalized distance is infinite, or 0.

    Raises:
        RuntimeError: inside a compiled function, where values are not known.

    Examples:
        >>> import msjax as ms
        >>> at, word, shape = ms.Tensor([[0, 0], [0, 1]]), ms.Tensor([1, 2]), ms.Tensor([1, 2])
        >>> print(ms.ops.EditDistance()(at, word, shape, at, ms.Tensor([1, 3]), shape))
        [0.5]
    """
    sizes = [np.asarray(concrete(x, "EditDistance")) for x in (hypothesis_shape, truth_shape)]
    rows = tuple(int(n) for n in np.maximum(*sizes)[:-1])
    first = _sequences(hypothesis_indices, hypothesis_values)
    second = _sequences(truth_indices, truth_values)
    found = np.zeros(rows, np.float32)
    for place in np.ndindex(rows):
        ours, theirs = first.get(place, []), second.get(place, [])
        far = _levenshtein(ours, theirs)
        found[place] = (far / len(theirs) if theirs else (np.inf if far else 0)) if normalize else far
    return Tensor(found)


def _sequences(indices: Tensor, values: Tensor) -> dict[tuple[int, ...], list]:
    """Return the rows that have elements."""
    found: dict[tuple[int, ...], list] = {}
    places, held = (np.asarray(concrete(x, "EditDistance")) for x in (indices, values))
    for place, value in zip(places.tolist(), held.tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def _levenshtein(a: list, b: list) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


@op(static="ngram_size")
def no_repeat_ngram(state_seq: Array, log_probs: Array, ngram_size: int = 1) -> Array:
    """Log-probabilities of next words, those set to the least number that would repeat a run of words (`NoRepeatNGram`).

    Args:
        state_seq (Tensor): words so far, shape (batch, beams, length), int32.
        log_probs (Tensor): shape (batch, beams, words), floating.
        ngram_size (int): length of the runs that may occur once only.

    Returns:
        Tensor like `log_probs`.

    Raises:
        TypeError: if dtypes do not fit.
        ValueError: if shapes do not fit, or `ngram_size` is not positive.

    Examples:
        >>> import msjax as ms
        >>> said, odds = ms.Tensor([[[1, 2, 1]]], ms.int32), ms.ops.zeros((1, 1, 3))
        >>> print(ms.ops.NoRepeatNGram(2)(said, odds) < -1)
        [[[False False  True]]]
    """
    name = "NoRepeatNGram"
    words, odds = as_index_array(name, state_seq=state_seq), as_array(name, "log_probs", log_probs)
    checks.check_floating(name, log_probs=odds)
    checks.check_ints(name, ngram_size=ngram_size)
    length = words.shape[-1]
    if ngram_size < 1 or ngram_size > length:
        checks.fail(ValueError, name, "ngram_size", f"be in [1, {length}]", ngram_size)
    starts = jnp.arange(length - ngram_size + 1)
    runs = words[..., starts[:, None] + jnp.arange(ngram_size)]
    recent = words[..., None, length - ngram_size + 1 :]
    repeated = jnp.all(runs[..., :-1] == recent, -1)
    taken = jnp.any(repeated[..., None] & (runs[..., -1:] == jnp.arange(odds.shape[-1])), -2)
    return jnp.where(taken, jnp.finfo(odds.dtype).min, odds)
