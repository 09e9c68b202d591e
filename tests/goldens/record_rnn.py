"""Record what MindSpore prints for rnn_cases.py in rnn.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from rnn_prelude import NAMES
from snippets import record

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "rnn_cases.py", HERE / "rnn.json", NAMES, lambda: None)
