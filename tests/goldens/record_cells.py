"""Record what MindSpore prints for cells_cases.py in cells.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from cells_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "cells_cases.py", HERE / "cells.json", NAMES, lambda: None)
