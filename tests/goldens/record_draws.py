"""Records what random transforms give under a seed.

Run in an environment with MindSpore, from a scratch directory: python tests/goldens/record_draws.py
"""

import json
from pathlib import Path

import mindspore.dataset as ds
from draws_cases import digests
from mindspore.dataset import audio, transforms, vision

target = Path(__file__).with_name("draws.json")
found = digests(ds, vision, transforms, audio)
target.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()) + "\n}\n")
