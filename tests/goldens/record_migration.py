"""Record the losses of migration_examples/pytorch_*.py in migration.json. Run with PyTorch 2.13 and scikit-learn."""

import json
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "migration_examples"

if __name__ == "__main__":
    sys.path.insert(0, str(EXAMPLES))
    recorded = {}
    for script in sorted(EXAMPLES.glob("pytorch_*.py")):
        losses, accuracy = runpy.run_path(str(script))["main"]()
        recorded[script.stem.removeprefix("pytorch_")] = {"losses": losses, "accuracy": accuracy}
    (HERE / "migration.json").write_text(json.dumps(recorded, indent=1) + "\n")
