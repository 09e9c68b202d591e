"""Record what MindSpore prints for attention_cases.py in attention.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from attention_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "attention_cases.py", HERE / "attention.json", NAMES, lambda: None)
