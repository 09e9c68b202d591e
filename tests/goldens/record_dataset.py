"""Record with real MindSpore what the cases of `dataset_cases.py` and `dataset_transform_cases.py` give.

    python tests/goldens/record_dataset.py [NAME ...]      # in an environment with mindspore==2.10.0

Writes `dataset.json` beside this file: group -> case -> value, or {"raises": exception type}. Each case runs in a process of
its own, because a few make MindSpore hang or crash; those are recorded as {"dies": signal}.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import dataset_cases
import dataset_transform_cases
from dataset_values import encode

HERE = Path(__file__).parent
SECONDS = 10


def evaluate(source: str, names: dict[str, Any]) -> Any:
    try:
        return encode(eval(source, dict(names)))
    except Exception as error:
        return {"raises": type(error).__name__}


def apart(source: str, names: dict[str, Any]) -> Any:
    """Evaluate in a child process."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        with os.fdopen(write_end, "w") as pipe:
            json.dump(evaluate(source, names), pipe)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else {"dies": status}


def main(wanted: list[str]) -> None:
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore.dataset import transforms, vision

    path = HERE / "dataset.json"
    recorded: dict[str, Any] = json.loads(path.read_text())["cases"] if path.exists() and wanted else {}
    names = dataset_cases.namespace(ms, ds, transforms, vision)
    for group, cases in (dataset_cases.GROUPS | dataset_transform_cases.GROUPS).items():
        if not wanted or group in wanted:
            assert len(dict(cases)) == len(cases), f"two cases of one name in {group}"
            recorded[group] = {name: apart(source, names) for name, source in cases}
    lines = []
    for group, results in recorded.items():
        body = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in results.items())
        lines.append(f" {json.dumps(group)}: {{\n{body}\n }}")
    text = ",\n".join(lines)
    path.write_text(f'{{"mindspore": {json.dumps(ms.__version__)}, "cases": {{\n{text}\n}}}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
