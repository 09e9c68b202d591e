"""The parts that both versions of an example share: scikit-learn's handwritten digits, and where the weights begin.

No framework is used here, so both versions see the same numbers.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_digits


def images_and_labels() -> tuple[np.ndarray, np.ndarray]:
    """All 1797 digits: images (1797, 1, 8, 8) float32 from -1 to 1, and labels (1797,) int32."""
    digits = load_digits()
    images = (digits.images / 8 - 1).astype(np.float32)[:, None]
    return images, digits.target.astype(np.int32)


def batches(size: int, epochs: int, seed: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches of the first 1500 digits, shuffled anew in every epoch."""
    images, labels = images_and_labels()
    shuffle = np.random.default_rng(seed)
    for _ in range(epochs):
        order = shuffle.permutation(1500)
        for start in range(0, 1500 - size + 1, size):
            chosen = order[start : start + size]
            yield images[chosen], labels[chosen]


def test_set() -> tuple[np.ndarray, np.ndarray]:
    """The 297 digits that are not trained on."""
    images, labels = images_and_labels()
    return images[1500:], labels[1500:]


def weights(shapes: dict[str, tuple[int, ...]], seed: int = 0) -> dict[str, np.ndarray]:
    """Normal weights of variance 2 / fan-in for the parameters with several axes, by name.

    Both frameworks keep weights in the same layout, (out, in) and (out, in, height, width).
    """
    draw = np.random.default_rng(seed)
    return {
        name: (draw.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)
        for name, shape in shapes.items()
    }
