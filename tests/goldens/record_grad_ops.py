"""Record what MindSpore prints for grad_ops_cases.py in grad_ops.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from grad_ops_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "grad_ops_cases.py", HERE / "grad_ops.json", NAMES, lambda: None)
