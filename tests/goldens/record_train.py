"""Record what MindSpore prints for train_cases.py in train.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from snippets import record
from train_prelude import NAMES

HERE = Path(__file__).parent


def reset() -> None:
    ms.runtime.launch_blocking()
    ms.set_context(mode=ms.PYNATIVE_MODE)


if __name__ == "__main__":
    record(HERE / "train_cases.py", HERE / "train.json", NAMES, reset)
