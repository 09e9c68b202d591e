"""Wrong arguments raise MindSpore's exceptions, and rare settings compute what it computes.

What MindSpore 2.10 does with the programs of tests/goldens/refusals_cases.py is recorded in refusals.json.
"""

from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("refusals", 5e-5)
