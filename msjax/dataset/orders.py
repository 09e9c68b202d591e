"""Orders of rows as MindSpore draws them: after the same seed, the same rows come in the same order.

MindSpore's samplers are C++. They draw from `std::mt19937`, `shuffle` from `std::mt19937_64` (M. Matsumoto, T. Nishimura,
ACM TOMACS 8, 1998), through `std::shuffle`, `std::uniform_int_distribution` and `std::discrete_distribution` as GNU's
library up to version 10 has them.
"""

from typing import Any

import numpy as np

_WORD = 2**32
_BLOCK = 1024


class Words:
    """The numbers of `std::mt19937`.

    Args:
        seed: modulo 2 ** 32.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.RandomState(seed % _WORD)
        self._ready: list[int] = []

    def word(self) -> int:
        """The next one, in [0, 2 ** 32)."""
        if not self._ready:
            self._ready = self._random.randint(0, _WORD, _BLOCK, np.uint32)[::-1].tolist()
        return self._ready.pop()

    def below(self, count: int) -> int:
        """An int in [0, count): words are cut into equal parts, and what remains is drawn again."""
        part = (_WORD - 1) // count
        while (word := self.word()) >= part * count:
            pass
        return word // part

    def fraction(self) -> float:
        """A number in [0, 1) of two words, the lower one first."""
        low = self.word()
        return (low + self.word() * _WORD) / _WORD**2


class LongWords:
    """The numbers of `std::mt19937_64`.

    Args:
        seed: of 64 bits.
    """

    _SIZE, _HALF = 312, 156

    def __init__(self, seed: int) -> None:
        state = [seed % 2**64]
        for i in range(1, self._SIZE):
            state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) % 2**64)
        self._state = np.array(state, np.uint64)
        self._ready: list[int] = []

    def word(self) -> int:
        """The next one, in [0, 2 ** 64)."""
        if not self._ready:
            self._twist()
        return self._ready.pop()

    def _twist(self) -> None:
        state, half, last = self._state, self._HALF, self._SIZE - 1
        for part in (slice(0, half), slice(half, last), slice(last, None)):
            i = np.arange(self._SIZE)[part]
            upper = state[i] & np.uint64(0xFFFFFFFF80000000)
            mixed = upper | (state[(i + 1) % self._SIZE] & np.uint64(0x7FFFFFFF))
            odd = np.where(mixed & np.uint64(1), np.uint64(0xB5026F5AA96619E9), np.uint64(0))
            state[i] = state[(i + half) % self._SIZE] ^ (mixed >> np.uint64(1)) ^ odd
        x = state.copy()
        x ^= (x >> np.uint64(29)) & np.uint64(0x5555555555555555)
        x ^= (x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        x ^= (x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        x ^= x >> np.uint64(43)
        self._ready = x[::-1].tolist()


def shuffle(rows: list[Any], words: Words) -> None:
    """`std::shuffle`: each row changes places with one before it; short lists draw two places from one number."""
    count, start = len(rows), 1
    if count * count >= _WORD - 1:
        for i in range(1, count):
            _exchange(rows, i, words.below(i + 1))
        return
    if count and count % 2 == 0:
        _exchange(rows, 1, words.below(2))
        start = 2
    for i in range(start, count, 2):
        first, second = divmod(words.below((i + 1) * (i + 2)), i + 2)
        _exchange(rows, i, first)
        _exchange(rows, i + 1, second)


def _exchange(rows: list[Any], i: int, j: int) -> None:
    rows[i], rows[j] = rows[j], rows[i]


class Order:
    """What a sampler keeps from pass to pass.

    Args:
        seed: of the first pass.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.passes = 0
        self.rows: list[int] = []

    def words(self, later: int = 0) -> Words:
        """The numbers of a new pass, each of which has the next seed."""
        self.passes += 1
        return Words(self.seed + later + self.passes - 1)

    def permuted(self, size: int, later: int = 0) -> list[int]:
        """All rows; each pass shuffles what the one before left."""
        if len(self.rows) != size:
            self.rows = list(range(size))
        shuffle(self.rows, self.words(later))
        return self.rows

    def reshuffled(self, rows: list[int]) -> list[int]:
        """The same for given rows, where every pass has the same seed."""
        if not self.passes:
            self.rows = list(rows)
        self.passes += 1
        shuffle(self.rows, Words(self.seed))
        return self.rows
