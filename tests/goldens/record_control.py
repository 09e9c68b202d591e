"""Record MindSpore's answers to control_cases.py in control.json. Run with MindSpore 2.10.0 on CPU."""

from record_autodiff import HERE, PRELUDE, reset
from snippets import record

if __name__ == "__main__":
    record(HERE / "control_cases.py", HERE / "control.json", PRELUDE, reset)
