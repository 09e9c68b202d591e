"""Record what MindSpore prints for ops_rare_cases.py in ops_rare.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from ops_rare_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "ops_rare_cases.py", HERE / "ops_rare.json", NAMES, lambda: None)
