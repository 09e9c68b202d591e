"""Mixed precision levels per operator. Use `msjax.amp.auto_mixed_precision` instead."""

import enum
from typing import Any, NoReturn

AmpLevel = enum.IntEnum("AmpLevel", ["AmpO0", "AmpO1", "AmpO2", "AmpO3", "AmpAuto"], start=0)


def create_amp_strategy(level: Any, dtype: Any, white_list: list, black_list: list) -> NoReturn:
    """Raise NotImplementedError: the strategy belongs to MindSpore's interpreter, which is not here.

    Raises:
        NotImplementedError: always, with what does the same.
    """
    raise NotImplementedError(
        "`create_amp_strategy` belongs to MindSpore's own interpreter. Use amp.auto_mixed_precision(net, "
        f"amp_level, dtype). Received: {level}, {dtype}."
    )
