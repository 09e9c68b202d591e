"""Definitions that a ported program carries, where MindSpore has nothing that does the same."""

_ATTENTION = '''

def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False):
    """Attention as PyTorch's function of that name computes it."""
    scores = ops.matmul(query, key.swapaxes(-2, -1)) / query.shape[-1] ** 0.5
    if is_causal:
        attn_mask = ops.tril(ops.ones((query.shape[-2], key.shape[-2]), ms.bool_))
    if attn_mask is not None and attn_mask.dtype == ms.bool_:
        scores = scores.masked_fill(ops.logical_not(attn_mask), float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = ops.softmax(scores, axis=-1)
    return ops.matmul(ops.dropout(weights, p=dropout_p) if dropout_p else weights, value)
'''

_NAMED_CELLS = '''

class NamedCells(nn.Cell):
    """Cells by name, as PyTorch's ModuleDict has them; those of nn.CellDict may not be lists."""

    def __init__(self, cells):
        super().__init__()
        for name, cell in cells.items():
            setattr(self, name, cell)

    def __getitem__(self, name):
        return self.name_cells()[name]

    def __contains__(self, name):
        return name in self.name_cells()

    def keys(self):
        return self.name_cells().keys()

    def values(self):
        return self.name_cells().values()

    def items(self):
        return self.name_cells().items()
'''

TEXTS = {"scaled_dot_product_attention": _ATTENTION, "NamedCells": _NAMED_CELLS}
