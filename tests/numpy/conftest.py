"""The tables that the goldens are recorded from stand beside them, and are imported from there."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "goldens"))
