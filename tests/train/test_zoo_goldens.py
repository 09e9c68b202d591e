"""Training programs of model zoos, against what MindSpore prints for tests/goldens/zoo_cases.py."""

from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("zoo", 5e-5)
