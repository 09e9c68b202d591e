"""Settings of MindSpore's own compiler, for programs that set them (`mindspore._extends.parse.compile_config`).

Nothing here reads one: every upper-case name is there and empty until it is set.
"""

import sys

compile_config = sys.modules[__name__]


def __getattr__(name: str) -> str:
    if not name.isupper():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return ""
