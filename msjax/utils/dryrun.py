"""Dry runs: values do not matter, and code that branches on one gets a substitute."""

import os
from typing import Any

_NAME = "MS_SIMULATION_LEVEL"


def set_simulation() -> None:
    """Start a dry run: from now on :func:`mock` returns its first argument, also in started processes.

    It sets the environment variable MS_SIMULATION_LEVEL to 1. MindSpore then computes nothing; msjax still does.

    Examples:
        >>> import os
        >>> from msjax.utils import dryrun
        >>> dryrun.set_simulation()
        >>> os.environ.pop("MS_SIMULATION_LEVEL")
        '1'
    """
    os.environ[_NAME] = "1"


def mock(mock_val: Any, *args: Any) -> Any:
    """Return a value for runs in which values do not matter, and the real one otherwise.

    Args:
        mock_val: the value in such runs.
        args: the real one; or a function that gives it, and its arguments.

    Returns:
        One of the two.

    Examples:
        >>> from msjax.utils import dryrun
        >>> dryrun.mock(0, 3), dryrun.mock(0, lambda: 4), dryrun.mock(0, max, 1, 5)
        (3, 4, 5)
    """
    if os.environ.get(_NAME):
        return mock_val
    first, *rest = args
    return first(*rest) if rest or callable(first) else first
