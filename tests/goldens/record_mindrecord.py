"""Records a MindRecord file that MindSpore wrote, and what MindSpore reads from it.

python tests/goldens/record_mindrecord.py        # where MindSpore 2.10 is installed
"""

import base64
import json
import os
import tempfile
import zlib
from pathlib import Path

import mindspore.dataset as ds
from mindrecord_rows import plain, sample
from mindspore.mindrecord import FileReader, FileWriter, MindPage

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


def packed(path):
    return base64.b64encode(zlib.compress(Path(path).read_bytes(), 9)).decode()


os.chdir(tempfile.mkdtemp())
writer = FileWriter("some.mindrecord")
writer.set_header_size(1 << 14)
writer.set_page_size(1 << 15)
writer.add_schema(SCHEMA)
for call in (range(5), range(5, 40)):
    writer.write_raw_data([sample(number) for number in call])
writer.commit()
pages = MindPage("some.mindrecord")
pages.category_field = "label"
recorded = {
    "schema": SCHEMA,
    "file": packed("some.mindrecord"),
    "index": packed("some.mindrecord.db"),
    "rows": [plain(row) for row in FileReader("some.mindrecord").get_next()][:3],
    "categories": pages.read_category_info(),
    "dataset": [
        {name: [str(value.dtype), list(value.shape)] for name, value in row.items()}
        for row in ds.MindDataset("some.mindrecord", shuffle=False, num_samples=3).create_dict_iterator(
            1, output_numpy=True
        )
    ],
}
(Path(__file__).parent / "mindrecord.json").write_text(json.dumps(recorded, separators=(",", ":")) + "\n")
