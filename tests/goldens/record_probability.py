"""Record what MindSpore prints for probability_cases.py in probability.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from probability_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "probability_cases.py", HERE / "probability.json", NAMES, lambda: None)
