"""Record with real MindSpore what the cases of `audio_cases.py` give.

    python tests/goldens/record_audio.py      # in an environment with mindspore==2.10.0

Writes `audio.json` beside this file: expression -> value, or {"raises": exception type}.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import audio_cases
from dataset_values import encode

HERE = Path(__file__).parent


def evaluate(source: str, names: dict[str, Any]) -> Any:
    try:
        return encode(eval(source, dict(names)))
    except Exception as error:
        return {"raises": type(error).__name__}


def main() -> None:
    from mindspore.dataset import audio

    names = audio_cases.namespace(audio)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        recorded = {source: evaluate(source, names) for source in audio_cases.CASES}
        os.chdir(HERE)
    lines = [
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in recorded.items()
    ]
    (HERE / "audio.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf8")


if __name__ == "__main__":
    main()
