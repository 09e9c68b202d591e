"""Lets the tests here import the tables of cases."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "goldens"))
