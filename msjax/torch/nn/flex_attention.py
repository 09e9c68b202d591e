"""`torch.nn.attention.flex_attention`: attention whose scores and mask are functions of the program's own.

XLA computes all scores and hides what the mask leaves out: a block that is wholly masked saves no time here.
"""

import math
from collections.abc import Callable
from typing import Any

from msjax.core import dtype as dtypes
from msjax.torch.functions import basic

NAMES = "BlockMask and_masks create_block_mask create_mask flex_attention noop_mask or_masks".split()
Positions = tuple[Any, Any, Any, Any]  # of batch, head, query and key, which broadcast against each other


def _positions(batch: int, heads: int, queries: int, keys: int) -> Positions:
    sizes = batch, heads, queries, keys
    return tuple(  # type: ignore[return-value]
        basic.reshape(basic.arange(n), *[n if i == axis else 1 for i in range(4)])
        for axis, n in enumerate(sizes)
    )


def noop_mask(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Any:
    """Mask nothing."""
    return basic.ones_like(batch, dtype=dtypes.bool_)


def and_masks(*mask_mods: Callable) -> Callable:
    """Return the mask that shows what all of some masks show."""
    return _join(mask_mods, lambda one, other: one & other)


def or_masks(*mask_mods: Callable) -> Callable:
    """Return the mask that shows what one of some masks shows."""
    return _join(mask_mods, lambda one, other: one | other)


def _join(mask_mods: tuple[Callable, ...], join: Callable) -> Callable:
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def joined(*positions: Any) -> Any:
        found, *others = [mask(*positions) for mask in mask_mods]
        for other in others:
            found = join(found, other)
        return found

    return joined


def create_mask(
    mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Any:
    """Return a mask of all positions, true where a query sees a key.

    Args:
        mod_fn: (batch, head, query, key) -> bool, of positions.
        B: the number of batches; None for 1.
        H: the number of heads; None for 1.
        Q_LEN: the number of queries.
        KV_LEN: the number of keys.
        device: of no effect.

    Returns:
        A bool tensor of shape (B, H, Q_LEN, KV_LEN).
    """
    sizes = B or 1, H or 1, Q_LEN, KV_LEN
    return basic.expand(mod_fn(*_positions(*sizes)), *sizes).clone()


class BlockMask:
    """A mask of an attention, and which blocks of it show something; made by :func:`create_block_mask`.

    Attributes:
        mask_mod: (batch, head, query, key) -> bool, of positions.
        shape: (batches, heads, queries, keys).
        BLOCK_SIZE: queries and keys in a block.
        kv_num_blocks, kv_indices: for each block of queries the number of blocks of keys that are shown in part, and which
            these are, followed by the others.
        full_kv_num_blocks, full_kv_indices: the same of blocks that are shown whole.
    """

    def __init__(self, mask_mod: Callable, shape: tuple[int, int, int, int], block: tuple[int, int]) -> None:
        self.mask_mod, self.shape, self.BLOCK_SIZE = mask_mod, shape, block
        dense = create_mask(mask_mod, *shape)
        rows, columns = (-shape[2] % block[0], -shape[3] % block[1])
        padded = basic.zeros(*shape[:2], shape[2] + rows, shape[3] + columns, dtype=dtypes.bool_)
        padded[:, :, : shape[2], : shape[3]] = dense
        counts = (shape[2] + rows) // block[0], (shape[3] + columns) // block[1]
        blocks = (
            padded.reshape(*shape[:2], counts[0], block[0], counts[1], block[1]).transpose(3, 4).flatten(4)
        )
        whole = blocks.all(-1)
        part = blocks.any(-1) & ~whole
        self.kv_num_blocks, self.kv_indices = _list_blocks(part)
        self.full_kv_num_blocks, self.full_kv_indices = _list_blocks(whole)
        self._shown = part | whole

    def to_dense(self) -> Any:
        """Return 1 for each block that shows something, of shape (batches, heads, blocks of queries, of keys)."""
        return self._shown.to(dtypes.int32)

    def sparsity(self) -> float:
        """Return the percentage of the positions that no block covers; below 0 where blocks reach over the end."""
        covered = int(self._shown.sum()) * math.prod(self.BLOCK_SIZE)
        return 100 * (1 - covered / math.prod(self.shape))

    def numel(self) -> int:
        """Return the number of positions."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def _list_blocks(shown: Any) -> tuple[Any, Any]:
    """Return how many blocks of each row are shown, and their places, followed by those of the others."""
    order = (~shown).to(dtypes.int32).argsort(dim=-1, stable=True)
    return shown.sum(-1).to(dtypes.int32), order.to(dtypes.int32)


def create_block_mask(
    mask_mod: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = 128, _compile: bool = False,
) -> BlockMask:  # fmt: skip
    """Return a mask for :func:`flex_attention`.

    Args:
        mask_mod: (batch, head, query, key) -> bool, of positions: true where the query sees the key.
        B: the number of batches; None if they are masked alike.
        H: the number of heads; None if they are masked alike.
        Q_LEN: the number of queries.
        KV_LEN: the number of keys.
        device: of no effect.
        BLOCK_SIZE: queries and keys in a block.
    """
    block = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else (BLOCK_SIZE[0], BLOCK_SIZE[1])
    return BlockMask(mask_mod, (B or 1, H or 1, Q_LEN, KV_LEN), block)


def flex_attention(
    query: Any, key: Any, value: Any, score_mod: Callable | None = None, block_mask: BlockMask | None = None,
    scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False, kernel_options: Any = None,
) -> Any:  # fmt: skip
    """Compute softmax(score_mod(scale * query key^T)) value, of what a mask shows; 0 for a query that sees nothing.

    Args:
        query: of shape (batch, heads, queries, D).
        key: of shape (batch, heads, keys, D).
        value: of shape (batch, heads, keys, E).
        score_mod: (score, batch, head, query, key) -> score, of tensors that broadcast against each other.
        block_mask: from :func:`create_block_mask`.
        scale: 1 / sqrt(D) by default.
        enable_gqa: whether several heads of the query share one of key and value.
        return_lse: whether the logarithm of the sum of the exponentials of the scores is returned, too.
        kernel_options: of no effect.

    Returns:
        A tensor of shape (batch, heads, queries, E), or (that, log-sum-exp of shape (batch, heads, queries)).

    Raises:
        ValueError: if the number of heads differs without `enable_gqa`, or the mask has another length.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.nn.flex_attention import flex_attention
        >>> x = torch.ones(1, 1, 3, 2)
        >>> flex_attention(x, x, x, score_mod=lambda score, b, h, q, k: score - (q - k).abs()).shape
        torch.Size([1, 1, 3, 2])
    """
    heads = query.shape[1]
    if key.shape[1] != heads:
        if not enable_gqa or heads % key.shape[1]:
            raise ValueError(
                f"Expect query and key/value to have the same number of heads but got Hq={heads} and "
                f"Hkv={key.shape[1]}. Try setting enable_gqa=True for GQA."
            )
        key, value = (x.repeat_interleave(heads // key.shape[1], 1) for x in (key, value))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query @ key.transpose(-2, -1)) * scale
    positions = _positions(*scores.shape)
    if score_mod is not None:
        scores = score_mod(scores, *positions)
    if block_mask is not None:
        if block_mask.shape[-2:] != tuple(scores.shape[-2:]):
            raise ValueError(
                f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={scores.shape[-2]} and "
                f"kv_len={scores.shape[-1]}."
            )
        scores = basic.where(block_mask.mask_mod(*positions), scores, -math.inf)
    top = scores.detach().amax(-1, True)
    top = basic.where(top == -math.inf, basic.zeros_like(top), top)
    weights = (scores - top).exp()
    total = weights.sum(-1, True)
    seen = total > 0
    out = (weights / basic.where(seen, total, basic.ones_like(total))) @ value.to(weights.dtype)
    out = out.to(query.dtype)
    return (out, (total.log() + top).squeeze(-1)) if return_lse else out
