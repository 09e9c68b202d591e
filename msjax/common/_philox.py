"""Philox random numbers, as MindSpore initializes parameters: after `set_seed`, layers have the same weights as there.

A seed is drawn from `numpy.random`; the words of Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2,
3, 2011) under it become float32 in the order, precision and constants of MindSpore 2.10: some of its constants are
float32 in double formulas, which decides the last bits. Goldens recorded from MindSpore pin all of it.
"""

import math
from collections.abc import Iterator

import numpy as np

_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_STEPS = np.array([[0x9E3779B9], [0xBB67AE85]], np.uint64)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_ROUNDS = np.arange(10, dtype=np.uint64).reshape(-1, 1, 1)
_CHUNK = 1 << 14  # counters whose arrays stay in a core's cache

_PI = float(np.float32(3.1415926))
_LEAST = float(np.float32(1e-7))
_ROOT_TWO = float(np.float32(1.4142135))


def seed() -> int:
    """Return a seed derived from NumPy's own, which `set_seed` sets."""
    return int(np.random.randint(1, 1 << 63, dtype=np.int64))  # noqa: NPY002  MindSpore draws from there


def _chunks(seed: int, size: int) -> Iterator[np.ndarray]:
    """Return the words of the generator, some thousands at a time."""
    key = np.array([[seed & 0xFFFFFFFF], [seed >> 32]], np.uint64)
    for start in range(0, (size + 3) // 4, _CHUNK):
        yield _mix_words(np.arange(start, min(start + _CHUNK, (size + 3) // 4), dtype=np.uint64), key)


def _mix_words(counters: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Ten rounds over (counter, key), of four words each: four words for each counter, in a row."""
    even = np.stack([counters & _LOW, np.broadcast_to(key[0], counters.shape)])
    odd = np.stack([counters >> _HALF, np.broadcast_to(key[1], counters.shape)])
    for key_of_round in (key + _ROUNDS * _STEPS) & _LOW:
        product = _MULTIPLIERS * even
        even, odd = (product >> _HALF)[::-1] ^ odd ^ key_of_round, (product & _LOW)[::-1]
    return np.stack([even[0], odd[0], even[1], odd[1]], 1).astype(np.uint32).reshape(-1)


def _fill(seed: int, size: int, of_words: object) -> np.ndarray:
    out, at = np.empty(size, np.float32), 0
    for words in _chunks(seed, size):
        part = out[at : at + words.size]
        part[...] = of_words(words)[: part.size]  # type: ignore[operator]
        at += words.size
    return out


def uniform(seed: int, size: int, low: float, high: float) -> np.ndarray:
    """Return numbers in [low, high).

    Args:
        seed: of the generator, 64 bits.
        size: how many.
        low: the least.
        high: above the greatest.
    """
    low, high = float(np.float32(low)), float(np.float32(high))
    return _fill(seed, size, lambda words: (high - low) * (words * 2.0**-32) + low)


def normal(seed: int, size: int, mean: float, sigma: float) -> np.ndarray:
    """Draw normal random numbers from pairs of uniform ones (Box and Muller)."""
    mean, sigma = float(np.float32(mean)), float(np.float32(sigma))

    def of_words(words: np.ndarray) -> np.ndarray:
        pairs = np.maximum((words & np.uint32(0x7FFFFF)) * 2.0**-23, _LEAST).reshape(-1, 2)
        radius, angle = np.sqrt(-2 * np.log(pairs[:, 0])) * sigma, 2 * _PI * pairs[:, 1]
        return (mean + np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)).reshape(-1)

    return _fill(seed, size, of_words)


def draw_truncated_normal(
    seed: int, size: int, low: float, high: float, mean: float, sigma: float
) -> np.ndarray:
    """Return normally distributed numbers in [low, high], by the inverse of the distribution function."""
    from scipy.special import erfcinv

    low, high, mean, sigma = (float(np.float32(number)) for number in (low, high, mean, sigma))
    first, last = (math.erfc((mean - bound) / sigma / _ROOT_TWO) / 2 for bound in (low, high))
    least, most = float(np.nextafter(np.float32(0), np.float32(2))), math.nextafter(2, 0)

    def of_words(words: np.ndarray) -> np.ndarray:
        probability = first + words * 2.0**-32 * (last - first)
        return mean - erfcinv(np.clip(2 * probability, least, most)) * _ROOT_TWO * sigma

    return _fill(seed, size, of_words)
