"""Distributions and bijectors against what MindSpore prints for the programs in tests/goldens/probability_cases.py."""

from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("probability")
