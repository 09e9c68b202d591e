"""Record what MindSpore prints for images_cases.py in images.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from images_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "images_cases.py", HERE / "images.json", NAMES, lambda: None)
