"""Lets the tests here import the helpers beside them and the tables of samples."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "goldens")]
