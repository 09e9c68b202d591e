"""Reading YAML, under the name by which test suites of MindSpore's operators import it (`ops_generate.gen_utils`)."""

from typing import Any


def safe_load_yaml(yaml_file_path: str) -> Any:
    """Load a YAML file. PyYAML reads it, which has to be installed for that.

    Args:
        yaml_file_path: ends with ".yaml".

    Raises:
        ValueError: if the path ends otherwise.
        ModuleNotFoundError: without PyYAML.
    """
    if not yaml_file_path.endswith(".yaml"):
        raise ValueError(
            f"`safe_load_yaml`: argument `yaml_file_path` must end with '.yaml'. Received: {yaml_file_path!r}."
        )
    import yaml  # type: ignore[import-untyped]  # which nothing else here needs

    with open(yaml_file_path, encoding="utf-8") as file:
        return yaml.safe_load(file)
