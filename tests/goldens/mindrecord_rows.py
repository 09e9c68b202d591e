"""The rows of a MindRecord file that MindSpore writes and reads."""

import base64
import zlib
from pathlib import Path

import numpy as np

SCHEMA = {
    "label": {"type": "int32"},
    "big": {"type": "int64"},
    "x": {"type": "float64"},
    "y": {"type": "float32"},
    "name": {"type": "string"},
    "data": {"type": "bytes"},
    "array": {"type": "float32", "shape": [2, -1]},
    "ids": {"type": "int64", "shape": [-1]},
}


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


def packed(path):
    return base64.b64encode(zlib.compress(Path(path).read_bytes(), 9)).decode()


def outcomes(mindrecord, ds):
    """The file and its index, written in two calls to the working folder, and what is read from them."""
    writer = mindrecord.FileWriter("some.mindrecord")
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(SCHEMA)
    for call in (range(5), range(5, 40)):
        writer.write_raw_data([sample(number) for number in call])
    writer.commit()
    pages = mindrecord.MindPage("some.mindrecord")
    pages.category_field = "label"
    data = ds.MindDataset("some.mindrecord", shuffle=False, num_samples=3)
    return {
        "schema": SCHEMA,
        "file": packed("some.mindrecord"),
        "index": packed("some.mindrecord.db"),
        "rows": [plain(row) for row in mindrecord.FileReader("some.mindrecord").get_next()][:3],
        "categories": pages.read_category_info(),
        "dataset": [
            {name: [str(value.dtype), list(value.shape)] for name, value in row.items()}
            for row in data.create_dict_iterator(1, output_numpy=True)
        ],
    }
