"""Jump flags: variables that converted code adds for `return`, `break` and `continue` inside of conditionals."""

import re

_JUMP_FLAG = re.compile(r"(do_return|break_|continue_)(_\d+)?")


def is_jump_flag(name: str) -> bool:
    """Return True if the variable is a jump flag of converted code (`do_return`, `break_1` ...)."""
    return _JUMP_FLAG.fullmatch(name) is not None
