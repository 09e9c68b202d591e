"""Programs after MindSpore's own test suites, against what MindSpore prints for them (goldens/suites_cases.py)."""

from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("suites", 1e-5)
