"""MindSpore's random number generation: the same seed gives the same rows in the same order, transformed alike.

MindSpore's samplers and transforms are C++. They draw from `std::mt19937`, `shuffle` from `std::mt19937_64` (M. Matsumoto,
T. Nishimura, ACM TOMACS 8, 1998), through `std::shuffle`, `std::sample` and the distributions as GNU's library up to
version 10 has them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

_WORD = 2**32
_BLOCK = 1024
_ONE = np.float32(1)
_SPAN, _BELOW_ONE = np.float32(_WORD), np.nextafter(_ONE, np.float32(0))


class Mt19937:
    """The numbers of `std::mt19937`.

    Args:
        seed: modulo 2 ** 32.
    """

    span = _WORD - 1

    def __init__(self, seed: int) -> None:
        self.seed = seed % _WORD
        self._random = np.random.RandomState(self.seed)
        self._ready: list[int] = []
        self.normals = NormalDistribution()

    def word(self) -> int:
        """Return the next one, in [0, 2 ** 32)."""
        if not self._ready:
            self._ready = self._random.randint(0, _WORD, _BLOCK, np.uint32)[::-1].tolist()
        return self._ready.pop()

    def below(self, count: int) -> int:
        """An int in [0, count): words are cut into equal parts, and what remains is drawn again."""
        part = self.span // count
        while (word := self.word()) >= part * count:
            pass
        return word // part

    def fraction(self) -> float:
        """Return a number in [0, 1) of two words, the lower one first."""
        low = self.word()
        return (low + self.word() * _WORD) / _WORD**2

    def happens(self, prob: float) -> bool:
        """True with a probability, of which float32 is kept."""
        return self.fraction() < float(np.float32(prob))

    def share(self) -> np.float32:
        """Return a float32 in [0, 1) of one word."""
        return min(np.float32(self.word()) / _SPAN, _BELOW_ONE)

    def between(self, low: float, high: float) -> np.float32:
        """Return a float32 in [low, high)."""
        first = np.float32(low)
        return self.share() * (np.float32(high) - first) + first

    def about(self, low: float, high: float) -> float:
        """Return the same, as the middle and a part of half the distance."""
        first, last = np.float32(low), np.float32(high)
        return float((last + first) / 2 + self.between(-1, 1) * ((last - first) / 2))

    def gamma(self, alpha: float, normals: "NormalDistribution | None" = None) -> np.float32:
        """Return a float32 of the gamma distribution (G. Marsaglia, W. W. Tsang, ACM TOMS 26, 2000).

        Args:
            alpha: its shape.
            normals: where its normal numbers come from, if the same distribution was drawn from before.
        """
        given = np.float32(alpha)
        larger = given + _ONE if given < 1 else given
        shift = larger - _ONE / np.float32(3)
        step, normals = _ONE / np.sqrt(np.float32(9) * shift), normals or NormalDistribution()
        while True:
            n = normals.draw(self)
            v = (_ONE + step * n) ** 3
            if v <= 0:
                continue
            u = self.share()
            if u <= 1 - 0.0331 * n**4 or np.log(u) <= 0.5 * n * n + shift * (1 - v + np.log(v)):
                break
        return shift * v * (_ONE if larger == given else self.share() ** (_ONE / given))


def first_words(seeds: np.ndarray) -> np.ndarray:
    """Return the first number of `std::mt19937` of each seed."""
    state = first = seeds.astype(np.uint32)
    second = first
    for i in range(1, 398):
        state = (state ^ (state >> np.uint32(30))) * np.uint32(1812433253) + np.uint32(i)
        second = state if i == 1 else second
    mixed = (first & np.uint32(0x80000000)) | (second & np.uint32(0x7FFFFFFF))
    x = state ^ (mixed >> np.uint32(1)) ^ np.where(mixed & np.uint32(1), np.uint32(0x9908B0DF), np.uint32(0))
    x ^= x >> np.uint32(11)
    x ^= (x << np.uint32(7)) & np.uint32(0x9D2C5680)
    x ^= (x << np.uint32(15)) & np.uint32(0xEFC60000)
    return x ^ (x >> np.uint32(18))


class NormalDistribution:
    """`std::normal_distribution`, which draws two float32 at once and keeps one for the next call."""

    def __init__(self) -> None:
        self._kept: np.float32 | None = None

    def draw(self, words: Mt19937) -> np.float32:
        """Return a number of mean 0 and deviation 1 (G. Marsaglia's polar method)."""
        kept, self._kept = self._kept, None
        if kept is not None:
            return kept
        square = np.float32(2)
        while square > 1 or square == 0:
            x, y = (np.float32(2) * words.share() - _ONE for _ in range(2))
            square = x * x + y * y
        scale = np.sqrt(np.float32(-2) * np.log(square) / square)
        self._kept = x * scale
        return y * scale


class MinstdRand0(Mt19937):
    """The numbers of `std::minstd_rand0` (S. K. Park, K. W. Miller, CACM 31, 1988), from 0 on.

    Args:
        seed: modulo 2 ** 31 - 1.
    """

    span = 2**31 - 3

    def __init__(self, seed: int) -> None:
        self._last = seed % (2**31 - 1) or 1

    def word(self) -> int:
        """Return the next one, in [0, 2 ** 31 - 2)."""
        self._last = self._last * 16807 % (2**31 - 1)
        return self._last - 1


class Mt19937Long:
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
        """Return the next one, in [0, 2 ** 64)."""
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


def shuffle(rows: list[Any], words: Mt19937) -> None:
    """Shuffle in place like `std::shuffle`: short lists draw two positions from one number."""
    count, start = len(rows), 1
    if count and words.span // count < count:
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


def sample(rows: Sequence[Any], count: int, words: Mt19937) -> list[Any]:
    """Sample `count` rows in their order like `std::sample`: one number decides on two rows."""
    taken: list[Any] = []
    left, i = len(rows), 0
    while len(taken) < count and left:
        chances = divmod(words.below(left * (left - 1)), left - 1) if left > 1 else (words.below(1),)
        for chance in chances:
            if len(taken) < count and chance < count - len(taken):
                taken.append(rows[i])
            i, left = i + 1, left - 1
    return taken


def _exchange(rows: list[Any], i: int, j: int) -> None:
    rows[i], rows[j] = rows[j], rows[i]


class ShuffleState:
    """Shuffle state of a sampler, kept from pass to pass.

    Args:
        seed: of the first pass.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.passes = 0
        self.rows: list[int] = []

    def words(self, later: int = 0) -> Mt19937:
        """The numbers of a new pass, each of which has the next seed."""
        self.passes += 1
        return Mt19937(self.seed + later + self.passes - 1)

    def permuted(self, size: int, later: int = 0) -> list[int]:
        """All rows; each pass shuffles what the one before left."""
        if len(self.rows) != size:
            self.rows = list(range(size))
        shuffle(self.rows, self.words(later))
        return self.rows

    def reshuffled(self, rows: list[int]) -> list[int]:
        """Return the same for given rows, where every pass has the same seed."""
        if not self.passes:
            self.rows = list(rows)
        self.passes += 1
        shuffle(self.rows, Mt19937(self.seed))
        return self.rows


class RecordShuffleState(ShuffleState):
    """Shuffle state of MindRecord files, kept from pass to pass; already the first pass has the next seed."""

    def words(self, later: int = 0) -> Mt19937:
        """The numbers of a new pass."""
        self.passes += 1
        return MinstdRand0(self.seed + self.passes)

    def reshuffled(self, rows: list[int]) -> list[int]:
        """Given rows in the one order that all passes have."""
        given = list(rows)
        shuffle(given, MinstdRand0(self.seed + 1))
        return given

    def chosen(self, size: int, count: int, replacement: bool) -> list[int]:
        """Some rows of those that the pass before chose: the first of a new order, or each by numbers of the next seed."""
        before = self.rows or list(range(size))
        if not replacement:
            self.rows = self.permuted(len(before))[:count]
            return self.rows
        self.passes += 1
        seeds, part = self.seed + self.passes + np.arange(count), Mt19937.span // len(before)
        places = first_words(seeds % _WORD) // np.uint32(part)
        # A word beyond the last whole part is drawn again; there are fewer such words than rows among 2 ** 32.
        self.rows = [
            before[place if place < len(before) else Mt19937(int(seed)).below(len(before))]
            for place, seed in zip(places.tolist(), seeds, strict=True)
        ]
        return self.rows


class RecordShareShuffleState(RecordShuffleState):
    """The same for shares of the rows, where each pass begins with the files' order."""

    def permuted(self, size: int, later: int = 0) -> list[int]:
        """All rows."""
        given = list(range(size))
        shuffle(given, self.words())
        return given
