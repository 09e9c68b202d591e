"""Models, each written for every peer in one file: MindSpore's API, JAX by hand, flax nnx, equinox, torch.

A module has

    parameters()     the trainable arrays, in the order and the layouts of MindSpore (and torch)
    channels_last(p) the same for libraries with channels-last images and (in, out) matrices
    batch()          (inputs, labels) in MindSpore's layout
    mindspore(ms)    the Cell, for msjax and for MindSpore alike
    by_hand(p, x)    logits, from plain arrays;  by_hand_last(p, x) the same with channels last
    nnx(), equinox(), torch()   the model of these libraries

and the loss of all is the mean cross entropy of the logits.
"""

import numpy as np


def dense(rng: np.random.Generator, into: int, out: int) -> list[np.ndarray]:
    """Weight (out, into) and bias."""
    return [normal(rng, out, into), np.zeros(out, np.float32)]


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Normal numbers, scaled by the square root of the inputs of one output."""
    return (rng.normal(size=shape) * np.prod(shape[1:]) ** -0.5).astype(np.float32)


def named(**layers: list[np.ndarray]) -> dict[str, np.ndarray]:
    """{"layer.0": weight, "layer.1": bias, ...}."""
    return {f"{name}.{i}": array for name, arrays in layers.items() for i, array in enumerate(arrays)}
