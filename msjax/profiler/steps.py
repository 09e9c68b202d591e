"""Schedule of the steps that a profiler records."""

import logging
from enum import Enum

_log = logging.getLogger(__name__)


class ProfilerAction(Enum):
    """Action of the profiler in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3

    @staticmethod
    def get_by_value(value: int) -> "ProfilerAction | None":
        """Return the action of a number, or None."""
        return next((action for action in ProfilerAction if action.value == value), None)


class Schedule:
    """Schedule of recorded steps: skips some, then repeats waiting, warming up and recording.

    Keyword Args:
        wait (int): steps to wait, in each round.
        active (int): steps to record, after those.
        warmup (int): steps between the two; nothing is recorded in them. Default: 0.
        repeat (int): rounds; 0 for any number. Default: 0.
        skip_first (int): steps before the first round. Default: 0.

    Numbers that make no sense are replaced by the least that does, with a warning.

    Examples:
        >>> from msjax.profiler import schedule
        >>> plan = schedule(wait=1, active=2, repeat=1)
        >>> [plan(step).name for step in range(4)]
        ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(
        self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
    ) -> None:
        self.wait = _check_count("wait", wait, 0)
        self.active = _check_count("active", active, 1)
        self.warmup = _check_count("warmup", warmup, 0)
        self.repeat = _check_count("repeat", repeat, 0)
        self.skip_first = _check_count("skip_first", skip_first, 0)

    def __call__(self, step: int) -> ProfilerAction:
        """Return the action in a step.

        Raises:
            ValueError: if the step is negative.
        """
        if step < 0:
            raise ValueError(f"`schedule`: argument `step` must not be negative. Received: {step}.")
        length = self.wait + self.warmup + self.active
        number, at = divmod(step - self.skip_first, length)
        if number < 0 or 0 < self.repeat <= number or at < self.wait:
            return ProfilerAction.NONE
        if at < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if at < length - 1 else ProfilerAction.RECORD_AND_SAVE

    def to_dict(self) -> dict[str, int]:
        """Return the numbers, by name."""
        return {name: getattr(self, name) for name in ("wait", "active", "warmup", "repeat", "skip_first")}

    def __repr__(self) -> str:
        return (
            f"Schedule(wait={self.wait}, active={self.active}, warmup={self.warmup}, repeat={self.repeat}, "
            f"skip_first={self.skip_first})"
        )


def _check_count(name: str, value: int, low: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= low:
        return value
    _log.warning("`schedule`: argument `%s` must be an int of at least %d; it is now that.", name, low)
    return low


def always(step: int) -> ProfilerAction:
    """Record every step."""
    return ProfilerAction.RECORD


schedule = Schedule
