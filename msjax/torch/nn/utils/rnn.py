"""`torch.nn.utils.rnn`: packed and padded sequences of different lengths."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from msjax import ops
from msjax.torch.functions import basic, served_from_mint
from msjax.torch.tensors.tensor import Tensor, as_torch


class PackedSequence(NamedTuple):
    """Packed sequence: the steps of all sequences without padding, step after step, the longest sequence first."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any = None
    unsorted_indices: Any = None


def _as_int_tensor(values: Any) -> np.ndarray:
    return values.asnumpy() if isinstance(values, Tensor) else np.asarray(values)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the inverse of a permutation."""
    return None if permutation is None else basic.tensor(np.argsort(_as_int_tensor(permutation)))


def _index_rows(rows: Any, places: np.ndarray) -> Any:
    return as_torch(ops.gather(rows, basic.tensor(places.reshape(-1)), 0))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Leave out the padding of sequences (time, batch, ...).

    Args:
        input: the padded sequences; (batch, time, ...) with `batch_first`.
        lengths: of each sequence, a tensor or a list.
        batch_first: the order of the dimensions.
        enforce_sorted: whether lengths must not increase; without it they are sorted first.

    Returns:
        The steps, how many sequences reach each, and the two orders of sorting (None with `enforce_sorted`).

    Raises:
        RuntimeError: if lengths do not fit, or increase.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.nn.utils.rnn import pack_padded_sequence
        >>> pack_padded_sequence(torch.tensor([[1, 2], [3, 0]]), [2, 1]).data
        tensor([1, 2, 3])
    """
    sizes = _as_int_tensor(lengths).astype(np.int64)
    if batch_first:
        input = input.transpose(0, 1)
    steps, count = input.shape[:2]
    if sizes.shape != (count,) or sizes.min(initial=1) < 1 or sizes.max(initial=1) > steps:
        raise RuntimeError(
            f"`pack_padded_sequence`: argument `lengths` must have {count} numbers between 1 and {steps}. Received: "
            f"{sizes.tolist()}."
        )
    order = np.argsort(-sizes, kind="stable")
    if enforce_sorted and (np.diff(sizes) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False`."
        )
    there = sizes[order] > np.arange(sizes.max())[:, None]
    places = (np.arange(sizes.max())[:, None] * count + order)[there]
    data = _index_rows(basic.reshape(input, (steps * count, *input.shape[2:])), places)
    counts = basic.tensor(there.sum(1))
    if enforce_sorted:
        return PackedSequence(data, counts)
    kept = basic.tensor(order)
    return PackedSequence(data, counts, kept, invert_permutation(kept))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Pad a packed sequence: the inverse of :func:`pack_padded_sequence`, with the lengths.

    Args:
        sequence: the steps.
        batch_first: whether the batch comes first in the result.
        padding_value: of the places past a sequence's end.
        total_length: of the result, at least the longest sequence's.

    Returns:
        The padded sequences, and their lengths.

    Raises:
        ValueError: if `total_length` is too short.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.nn.utils import rnn
        >>> rnn.pad_packed_sequence(rnn.pack_sequence([torch.tensor([1, 3]), torch.tensor([2])]), batch_first=True)
        (tensor([[1, 3],
                [2, 0]]), tensor([2, 1]))
    """
    counts = _as_int_tensor(sequence.batch_sizes)
    steps, count = len(counts), int(counts[0])
    if total_length is not None and total_length < steps:
        raise ValueError(
            f"Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {steps}"
        )
    rows = np.arange(total_length or steps)[:, None]
    ends = np.pad(counts, (0, len(rows) - steps))[:, None]
    starts = np.pad(np.cumsum(counts) - counts, (0, len(rows) - steps))[:, None]
    column = np.arange(count)
    lengths = (counts[:, None] > column).sum(0)
    places = np.where(column < ends, starts + column, sequence.data.shape[0])
    if sequence.unsorted_indices is not None:
        back = _as_int_tensor(sequence.unsorted_indices)
        places, lengths = places[:, back], lengths[back]
    padding = basic.full((1, *sequence.data.shape[1:]), padding_value, dtype=sequence.data.dtype)
    places = places.T if batch_first else places
    padded = _index_rows(basic.cat([sequence.data, padding]), places)
    return basic.reshape(padded, (*places.shape, *sequence.data.shape[1:])), basic.tensor(lengths)


def pad_sequence(
    sequences: Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Pad sequences (length, ...) of different lengths and stack them.

    Args:
        sequences: tensors whose other dimensions agree.
        batch_first: whether the result is (batch, time, ...), not (time, batch, ...).
        padding_value: of what is added.
        padding_side: "right" or "left".

    Returns:
        The tensor.

    Examples:
        >>> from msjax import torch
        >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
        tensor([[1, 2],
                [3, 0]])
    """
    listed = list(sequences)
    longest = max(len(each) for each in listed)

    def padded(each: Tensor) -> Tensor:
        more = basic.full((longest - len(each), *each.shape[1:]), padding_value, dtype=each.dtype)
        return basic.cat([each, more] if padding_side == "right" else [more, each])

    return basic.stack([padded(each) for each in listed], 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """Unpad: return the sequences that :func:`pad_sequence` stacked."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [rows[i, : int(length)] for i, length in enumerate(_as_int_tensor(lengths))]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of different lengths without padding."""
    lengths = [len(each) for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Unpack a packed sequence into a list: the inverse of :func:`pack_sequence`."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences))


def __getattr__(name: str) -> Any:
    return served_from_mint.make_placeholder("torch.nn.utils.rnn", name)
