"""The rows of the MindRecord file that MindSpore wrote (`record_mindrecord.py`)."""

import numpy as np


def sample(number):
    """The row of that number."""
    return {
        "label": number % 3 - 1,
        "big": number << 33,
        "x": number / 7,
        "y": float(number),
        "name": "n" * (number * 13 % 40),
        "data": bytes([number]) * (number * 97 % 1500 + 1),
        "array": np.arange(number * 2 + 2, dtype=np.float32),
        "ids": np.arange(number - 5, number) * 10 ** (number % 18),
    }


def plain(row):
    """A row as JSON holds it."""
    return {
        name: value.tolist()
        if isinstance(value, np.ndarray)
        else value.hex()
        if isinstance(value, bytes)
        else value
        for name, value in row.items()
    }
