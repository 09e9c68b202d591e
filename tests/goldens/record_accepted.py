"""Record which images MindSpore's transforms take, in accepted.json. Run with MindSpore 2.10.0 on CPU."""

import json
from pathlib import Path

from accepted_cases import outcomes
from mindspore.dataset import vision

if __name__ == "__main__":
    found = outcomes(vision)
    (Path(__file__).parent / "accepted.json").write_text(json.dumps(found, indent=1) + "\n")
