"""Definitions of layers and of what they take that a ported program carries: packed sequences, bags of vectors."""

_PACKED_SEQUENCE = '''

_Packed = collections.namedtuple("_Packed", "data batch_sizes sorted_indices unsorted_indices", defaults=(None,) * 3)


class PackedSequence(_Packed):
    """Sequences of several lengths without padding, step by step, the longest first."""
'''

_PACK_PADDED = '''

def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """A padded batch as a PackedSequence."""
    lengths = np.asarray(lengths.asnumpy() if isinstance(lengths, ms.Tensor) else lengths, np.int64)
    if enforce_sorted and (np.diff(lengths) > 0).any():
        raise RuntimeError("The lengths must descend, or `enforce_sorted` must be False.")
    order = np.argsort(-lengths, kind="stable")
    there = np.arange(lengths.max())[:, None] < lengths[order]
    steps, places = np.nonzero(there)
    rows, steps = ms.Tensor(order[places]), ms.Tensor(steps)
    data = input[rows, steps] if batch_first else input[steps, rows]
    indices = (None, None) if enforce_sorted else (ms.Tensor(order), ms.Tensor(np.argsort(order)))
    return PackedSequence(data, ms.Tensor(there.sum(1)), *indices)
'''

_PACK = '''

def pack_sequence(sequences, enforce_sorted=True):
    """Several sequences as a PackedSequence."""
    return pack_padded_sequence(pad_sequence(sequences), [len(each) for each in sequences], False, enforce_sorted)
'''

_PAD_PACKED = '''

def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The padded batch of a PackedSequence, and the lengths."""
    sizes = sequence.batch_sizes.asnumpy()
    count = len(sizes) if total_length is None else total_length
    if count < len(sizes):
        raise ValueError(f"A sequence has {len(sizes)} steps, and `total_length` is {count}.")
    lengths = (sizes[:, None] > np.arange(sizes[0])).sum(0)
    starts = np.cumsum(sizes) - sizes
    order = np.arange(sizes[0]) if sequence.unsorted_indices is None else sequence.unsorted_indices.asnumpy()
    steps, rows = (np.arange(count)[:, None], order) if not batch_first else (np.arange(count), order[:, None])
    there = steps < lengths[rows]
    data = sequence.data
    found = data[ms.Tensor(np.where(there, starts[np.minimum(steps, len(sizes) - 1)] + rows, 0))]
    padding = ms.Tensor(np.logical_not(there).reshape(there.shape + (1,) * (data.ndim - 1)))
    return found.masked_fill(padding, padding_value), ms.Tensor(lengths[order])
'''

_OF_PACKED = '''

@functools.lru_cache(maxsize=None)
def of_packed(layer):
    """The class of a recurrent layer that takes and gives PackedSequences, too. For PyNative mode."""

    def moved(state, order):
        if state is None or order is None:
            return state
        return tuple(moved(each, order) for each in state) if isinstance(state, tuple) else ops.gather(state, order, 1)

    def construct(self, x, hx=None, seq_length=None):
        if not isinstance(x, PackedSequence):
            return layer.construct(self, x, hx, seq_length)
        padded, lengths = pad_packed_sequence(x._replace(unsorted_indices=None), self.batch_first)
        found, state = layer.construct(self, padded, moved(hx, x.sorted_indices), lengths.astype(ms.int32))
        packed = pack_padded_sequence(found, lengths, self.batch_first)
        return PackedSequence(packed.data, *x[1:]), moved(state, x.unsorted_indices)

    return type(layer.__name__, (layer,), {"construct": construct, "__doc__": layer.__doc__})
'''

_EMBEDDING_BAG = '''

class EmbeddingBag(nn.Cell):
    """Sums, means or greatest elements of the vectors of bags."""

    def __init__(self, size, width, mode="mean", include_last_offset=False):
        super().__init__()
        self.mode, self.include_last_offset = mode, include_last_offset
        self.weight = ms.Parameter(ops.randn((size, width)), name="weight")

    def construct(self, x, offsets=None, per_sample_weights=None):
        if offsets is None:
            offsets = ops.arange(x.shape[0]) * x.shape[1]
        elif self.include_last_offset:
            offsets = offsets[:-1]
        x = x.reshape(-1)
        vectors = ops.gather(self.weight, x, 0)
        if per_sample_weights is not None:
            vectors = vectors * per_sample_weights.reshape(-1, 1)
        places, starts = ops.arange(x.shape[0]), offsets.expand_dims(1)
        ends = ops.cat([offsets[1:], ops.full((1,), x.shape[0], dtype=offsets.dtype)]).expand_dims(1)
        inside = ops.logical_and(places >= starts, places < ends)
        count = inside.astype(vectors.dtype).sum(1, keepdims=True)
        if self.mode == "max":
            inside = inside.expand_dims(-1)
            found = vectors.expand_dims(0).masked_fill(ops.logical_not(inside), float("-inf"))
            return ops.amax(found, 1).masked_fill(count == 0, 0.0)
        found = ops.matmul(inside.astype(vectors.dtype), vectors)
        return found / ops.maximum(count, ops.ones_like(count)) if self.mode == "mean" else found
'''

_CTC_LOSS = '''

def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """The loss of `ops.ctc_loss`, also of targets in one row, one behind the other."""
    lengths = [each if isinstance(each, ms.Tensor) else ms.Tensor(each) for each in (input_lengths, target_lengths)]
    if targets.ndim == 1 and log_probs.ndim == 3:
        ends = np.cumsum(lengths[1].asnumpy())
        rows = [targets[int(end - count) : int(end)] for end, count in zip(ends, lengths[1].asnumpy())]
        targets = pad_sequence(rows, True, blank)
    return ops.ctc_loss(log_probs, targets, *lengths, blank, reduction, zero_infinity)[0]
'''

_CTC = '''

class CTCLoss(nn.Cell):
    """The loss of `ctc_loss`."""

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.settings = blank, reduction, zero_infinity

    def construct(self, log_probs, targets, input_lengths, target_lengths):
        return ctc_loss(log_probs, targets, input_lengths, target_lengths, *self.settings)
'''

_FUNCTIONAL_LAYER_NORM = '''

def layer_norm(x, shape, weight=None, bias=None, epsilon=1e-5):
    """Normalization over the last axes, which have a shape."""
    shape = tuple(shape)
    weight = ops.ones(shape, dtype=x.dtype) if weight is None else weight
    bias = ops.zeros(shape, dtype=x.dtype) if bias is None else bias
    return ops.LayerNorm(x.ndim - len(shape), x.ndim - len(shape), epsilon)(x, weight, bias)[0]
'''

_ROLL = '''

def roll(x, shifts, axes=None):
    """A Tensor moved along axes; what leaves at the end comes in at the beginning."""
    if axes is None:
        return roll(x.reshape(-1), shifts, 0).reshape(x.shape)
    for shift, axis in zip(*([each] if isinstance(each, int) else each for each in (shifts, axes))):
        axis %= x.ndim
        start = -shift % x.shape[axis]
        if start:
            x = ops.cat([x.narrow(axis, start, x.shape[axis] - start), x.narrow(axis, 0, start)], axis)
    return x
'''

_DIAG = '''

def diag(x, offset=0):
    """The diagonal of a matrix, or a matrix with a diagonal."""
    return ops.diagonal(x, offset) if x.ndim == 2 else ops.diag_embed(x, offset)
'''

_KL_DIV = '''

def kl_div(input, target, reduction="mean", log_target=False):
    """The divergence of log-probabilities from a target, which may have a gradient; that of `ops.kl_div` gets none."""
    if log_target:
        found = ops.exp(target) * (target - input)
    else:
        found = target * (ops.log(ops.where(target > 0, target, ops.ones_like(target))) - input)
    if reduction == "batchmean":
        return found.sum() / input.shape[0]
    return found if reduction == "none" else found.sum() if reduction == "sum" else found.mean()
'''

_SCATTER_ADD = '''

def scatter_add(x, axis, index, source):
    """A Tensor with values added at places along an axis."""
    source = source[tuple(slice(0, size) for size in index.shape)]
    return ops.tensor_scatter_elements(x, index, source, axis, "add")
'''

_PARAMETER_OF = '''

def parameter_name_of(cell, name):
    """The name of the parameter of a Cell that is called so in PyTorch."""
    others = {"weight": ("gamma", "embedding_table"), "bias": ("beta",)}
    found = (each for each in (name, *others[name]) if getattr(cell, each, None) is not None)
    return next(found, name)


def parameter_of(cell, name):
    """The parameter of a Cell that is called so in PyTorch, or None."""
    return getattr(cell, parameter_name_of(cell, name), None)
'''

TEXTS = {
    "PackedSequence": _PACKED_SEQUENCE,
    "pack_padded_sequence": _PACK_PADDED,
    "pack_sequence": _PACK,
    "pad_packed_sequence": _PAD_PACKED,
    "of_packed": _OF_PACKED,
    "EmbeddingBag": _EMBEDDING_BAG,
    "ctc_loss": _CTC_LOSS,
    "CTCLoss": _CTC,
    "layer_norm": _FUNCTIONAL_LAYER_NORM,
    "roll": _ROLL,
    "diag": _DIAG,
    "scatter_add": _SCATTER_ADD,
    "kl_div": _KL_DIV,
    "parameter_of": _PARAMETER_OF,
}
USES = {
    "ctc_loss": ("pad_sequence",),
    "CTCLoss": ("ctc_loss", "pad_sequence"),
    "pack_padded_sequence": ("PackedSequence",),
    "pad_packed_sequence": ("PackedSequence",),
    "pack_sequence": ("PackedSequence", "pack_padded_sequence", "pad_sequence"),
    "of_packed": ("PackedSequence", "pack_padded_sequence", "pad_packed_sequence"),
}
