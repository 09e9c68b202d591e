"""Concatenation of datasets: one after the other, mixed by a RandomSampler, or cut into shards."""

import copy
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice
from typing import Any

from msjax.dataset.common.columns import Row
from msjax.dataset.pipeline.batching import Batch, BatchAccess
from msjax.dataset.pipeline.nodes import IterableSource, Node, Passing, RandomAccess, as_mappable
from msjax.dataset.random.generators import Run
from msjax.dataset.random.mindspore_rng import Mt19937
from msjax.dataset.random.samplers import BuiltinSampler, DistributedSampler, RandomSampler, within_share


class Concat(Passing):
    """Concatenation node: all rows of one child, then all of the next, and so on.

    Args:
        children: the nodes.
        sizes: how many rows each of them has.
        appended: whether each child was appended to the concatenation of those before it, as by `+=`, which samplers see.

    Attributes:
        sampler: a RandomSampler, which chooses the child that gives its next row; a DistributedSampler; or None.
    """

    sampler: BuiltinSampler | None = None

    def __init__(self, children: Sequence[Node], sizes: Sequence[int], appended: bool = False) -> None:
        super().__init__(children, children[0].columns)
        self.sizes, self.appended = list(sizes), appended and len(children) > 2
        for child in children[1:]:
            if child.columns != children[0].columns:
                raise RuntimeError(
                    f"`concat`: the datasets must have the same columns in the same order. "
                    f"Received: {children[0].columns} and {child.columns}."
                )

    def use_sampler(self, sampler: BuiltinSampler) -> None:
        """Mix or cut the rows.

        Args:
            sampler: a RandomSampler, which those within get too, or a DistributedSampler, which sources get in place of
                theirs.

        Raises:
            TypeError: if shards are cut of batches.
            ValueError: if shards are cut of a source that has `num_samples`.
        """
        if isinstance(sampler, DistributedSampler):
            self._cut(sampler)
        else:
            self.sizes = [child.size() for child in self.children]
            for inner in chain.from_iterable(map(_find_inner, self.children)):
                inner.use_sampler(sampler)
        self.sampler = sampler

    def _cut(self, sampler: DistributedSampler) -> None:
        before, self._before = 0, [0] * len(self.children)
        for place, child in enumerate(self.children):
            self._before[place] = before
            if self._is_within(place):
                before += self.sizes[place]
                continue
            if isinstance(child, Batch | BatchAccess):
                raise TypeError(
                    "`use_sampler`: shards cannot be cut of joined datasets that are batched. Cut, then batch."
                )
            source, given = (
                as_mappable(child),
                child.sampler if isinstance(child, RandomAccess | IterableSource) else None,
            )
            if given is not None and given.get_num_samples() is not None:
                raise ValueError(
                    "`use_sampler`: joined datasets that are cut into shards must not have `num_samples`. "
                    f"Received: num_samples={given.get_num_samples()} in dataset {place}."
                )
            if source is not None:
                share = copy.copy(sampler)
                share.offset = before % sampler.num_shards
                source.sampler = within_share(share, source.sampler)
            # Of a source without random access MindSpore does not know how many rows it has.
            before += 0 if isinstance(child, IterableSource) else self.sizes[place]

    def _takes_samplers(self, place: int) -> bool:
        return not self._is_within(place) and as_mappable(self.children[place]) is not None

    def _is_within(self, place: int) -> bool:
        """Return True if a child is one of a concatenation that another one was appended to."""
        return self.appended and place < len(self.children) - 1

    def rows(self, run: Run) -> Iterator[Row]:
        """Yield the children's rows, whose dtypes and numbers of dimensions must agree."""
        seen: dict[int, Row] = {}
        for place, rows in self._parts(run):
            for row in islice(rows, 1):
                if place not in seen:
                    seen[place] = row
                    self._agree(next(iter(seen.values())), row)
                yield row
            yield from rows

    def _parts(self, run: Run) -> Iterator[tuple[int, Iterator[Row]]]:
        """Yield the numbers of children, and the rows that each of them then gives."""
        below = (iter(child.rows(run.child(place))) for place, child in enumerate(self.children))
        if isinstance(self.sampler, RandomSampler):
            return self._mixed(list(below), run)
        if isinstance(self.sampler, DistributedSampler):
            return enumerate(self._dealt(below, self.sampler, run.kept(lambda seed: [0])))
        return enumerate(below)

    def _dealt(
        self, below: Iterator[Iterator[Row]], shards: DistributedSampler, passed: list[int]
    ) -> Iterator[Iterator[Row]]:
        """Yield one shard of each child.

        Args:
            below: the children's rows.
            shards: the sampler.
            passed: how many rows there were, in the epochs before too, as in MindSpore.
        """

        def deal(rows: Iterator[Row]) -> Iterator[Row]:
            for row in rows:
                passed[0] += 1
                if (passed[0] - 1) % shards.num_shards == shards.shard_id:
                    yield row

        for place, rows in enumerate(below):
            if not self._takes_samplers(place):
                yield deal(rows)
                continue
            if (shards.shard_id - self._before[place]) % shards.num_shards < self.sizes[place]:
                yield rows
            if place < len(self.children) - 1:
                passed[0] += self.sizes[place]

    def _mixed(self, below: list[Iterator[Row]], run: Run) -> Iterator[tuple[int, Iterator[Row]]]:
        def fail(place: int, count: str) -> RuntimeError:
            return RuntimeError(
                f"`use_sampler`: datasets that are mixed must have as many rows in each epoch as when the sampler was set, "
                f"{self.sizes[place]} in dataset {place}. Received: {count}{self.made}."
            )

        for place in self._order(run):
            row = next(below[place], None)
            if row is None:
                raise fail(place, "fewer")
            yield place, iter((row,))
        for place, rows in enumerate(below):  # to their ends, which count as a row
            if next(rows, None) is not None:
                raise fail(place, "more")

    def _order(self, run: Run) -> Iterator[int]:
        """Return, for each row, the child that gives it."""
        if not self.appended:
            return _pick_in_proportion(self.sizes, run.kept(Mt19937))
        order: Iterator[int] = iter([0] * self.sizes[0])
        before, count = self.sizes[0], len(self.sizes)
        for place, size in enumerate(self.sizes[1:], 1):
            words = run.child(count + place).kept(Mt19937)
            order = iter(list(_among_two(order, place, _pick_in_proportion([before, size], words))))
            before += size
        return order

    def _agree(self, first: Row, row: Row) -> None:
        for name, one, other in zip(self.columns, first, row, strict=True):
            if isinstance(one, dict) or isinstance(other, dict):
                continue
            if (
                one.dtype != other.dtype and not one.dtype.kind == other.dtype.kind in "US"
            ) or one.ndim != other.ndim:
                raise RuntimeError(
                    f"`concat`: the datasets differ in column `{name}`: {one.dtype} of {one.ndim} dimensions and "
                    f"{other.dtype} of {other.ndim}."
                )

    def draws(self, run: Run) -> bool:
        """Return True with a sampler: each row is drawn or counted. Else if a child draws."""
        return self.sampler is not None or super().draws(run)

    @property
    def shuffled(self) -> bool:
        """True if the rows are mixed, or those of a child are shuffled."""
        return isinstance(self.sampler, RandomSampler) or super().shuffled

    @property
    def sharded(self) -> bool:
        """True if the rows are cut into shards, or those of a child are."""
        return isinstance(self.sampler, DistributedSampler) or super().sharded

    def size(self) -> int:
        """Return the sum; of shards the number of this one's rows in the first epoch."""
        if not isinstance(self.sampler, DistributedSampler):
            return sum(child.size() for child in self.children)
        return len(range(self.sampler.shard_id, sum(self.sizes), self.sampler.num_shards))


def _pick_in_proportion(sizes: Sequence[int], words: Mt19937) -> Iterator[int]:
    """Yield which of several sources gives each row: each in proportion to what it has left, as in MindSpore.

    Args:
        sizes: how many rows each has.
        words: where it is drawn from; the end of a pass counts as a row.
    """
    left = list(sizes)
    for total in range(sum(left), 0, -1):
        ends = list(accumulate(one / total for one in left))
        ends[-1] = 1.0
        place = bisect_left(ends, words.fraction())
        left[place] -= 1
        yield place
    words.fraction()


def _among_two(order: Iterator[int], place: int, picks: Iterator[int]) -> Iterator[int]:
    """Yield `place` for each second one that was picked, and for each first one what comes next in an order."""
    for second in picks:
        yield place if second else next(order)


def _find_inner(node: Node) -> Iterator[Any]:
    """Yield the concatenations at a node and below it."""
    if isinstance(node, Concat):
        yield node
    else:
        yield from chain.from_iterable(map(_find_inner, node.children))
