"""Record what MindSpore prints for zoo_cases.py in zoo.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from snippets import record
from zoo_prelude import NAMES

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "zoo_cases.py", HERE / "zoo.json", NAMES, lambda: None)
