"""Record what MindSpore prints for refusals_cases.py in refusals.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from refusals_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "refusals_cases.py", HERE / "refusals.json", NAMES, lambda: None)
