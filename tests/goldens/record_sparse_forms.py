"""Record what MindSpore prints for sparse_forms_cases.py in sparse_forms.json. Run with MindSpore 2.10.0 on CPU."""

from pathlib import Path

import mindspore as ms
from snippets import record
from sparse_forms_prelude import NAMES

HERE = Path(__file__).parent

if __name__ == "__main__":
    ms.runtime.launch_blocking()
    record(HERE / "sparse_forms_cases.py", HERE / "sparse_forms.json", NAMES, lambda: None)
