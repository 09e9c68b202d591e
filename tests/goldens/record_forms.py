"""Record what MindSpore 2.10.0 (CPU) gives for the expressions of `forms_cases.py`: a repr, or the exception's type.

python tests/goldens/record_forms.py [group ...]      # in an environment with mindspore==2.10.0, numpy<2
"""

import json
import os
import sys
from pathlib import Path

import mindspore as ms
from forms_cases import GROUPS, expressions, names

PATH = Path(__file__).with_name("forms.json")


def outcome(code: str) -> str:
    """In a process of its own, which some kernels end."""
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            text = repr(eval(code, names(ms)))
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            text = f"{type(error).__name__}: {lines[0][:60]}"
        os.write(write, text.encode()[:60000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read().decode() or "CrashError: the process ended"


def main() -> None:
    ms.runtime.launch_blocking()
    found = json.loads(PATH.read_text()) if PATH.exists() else {}
    for group in sys.argv[1:] or GROUPS:
        found[group] = {code: outcome(code) for code in expressions(group)}
        for code, text in found[group].items():
            print(code, "=>", " ".join(text.split())[:150])
    PATH.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
