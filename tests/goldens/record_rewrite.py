"""Record what MindSpore's `rewrite` makes of rewrite_nets.py in rewrite.json. Run with MindSpore 2.10.0 on CPU."""

import json
import os
import tempfile
from pathlib import Path

HERE = Path(__file__).parent.resolve()

if __name__ == "__main__":
    os.chdir(tempfile.mkdtemp())
    import rewrite_nets

    told = {name: getattr(rewrite_nets, name)() for name in ("read", "changed", "inside", "refused")}
    (HERE / "rewrite.json").write_text(json.dumps(told, indent=1) + "\n")
