"""Record what MindSpore 2.10 gives for the programs in dataloader_cases.py: `python record_dataloader.py`."""

import json
from pathlib import Path

import dataloader_cases

if __name__ == "__main__":
    found = {case: dataloader_cases.outcome(case) for case in dataloader_cases.CASES}
    Path(__file__).with_name("dataloader.json").write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
