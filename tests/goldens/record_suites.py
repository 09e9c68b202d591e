"""Record what MindSpore prints for suites_cases.py in suites.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from snippets import record
from suites_prelude import NAMES

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "suites_cases.py", HERE / "suites.json", NAMES, lambda: None)
