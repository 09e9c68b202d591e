"""Weights and data that a program has in every framework."""

import numpy as np


def weights(number, shape, scale=0.15):
    return (np.random.RandomState(number).randn(*shape) * scale).astype("float32")


def data(number, *shape):
    return np.random.RandomState(1000 + number).rand(*shape).astype("float32")


def classes(number, count, size):
    return np.random.RandomState(2000 + number).randint(0, count, size)
