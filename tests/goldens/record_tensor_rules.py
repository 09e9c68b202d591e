"""Record what MindSpore prints for tensor_rules_cases.py in tensor_rules.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from snippets import record
from tensor_rules_prelude import NAMES

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "tensor_rules_cases.py", HERE / "tensor_rules.json", NAMES, lambda: None)
