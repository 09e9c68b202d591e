"""Record MindSpore 2.10.0's learning rate schedules in `lr.json`. Run with MindSpore on CPU."""

import json
import pathlib
from typing import Any

import mindspore as ms
from samples_lr import FAILS, LISTS, SCHEDULES, STEPS, key, made


def schedule(name: str, arguments: tuple) -> dict[str, Any]:
    cell = made(ms, name, arguments)
    rates = [cell(ms.Tensor(step, ms.int32)) for step in STEPS]
    vector = cell(ms.Tensor([3], ms.int32))
    return {
        "values": [float(r.asnumpy()) for r in rates],
        "dtype": str(rates[0].dtype),
        "shape": list(rates[0].shape),
        "vector": [list(vector.shape), vector.asnumpy().tolist()],
        "str": str(cell),
    }


def attempt(name: str, arguments: tuple) -> str | None:
    try:
        made(ms, name, arguments)
    except Exception as error:  # what MindSpore raises is what we want to know
        return type(error).__name__
    print("does not fail:", key(name, arguments))
    return None


def main() -> None:
    golden = {
        "schedules": {key(*case): schedule(*case) for case in SCHEDULES},
        "lists": {key(*case): made(ms, *case) for case in LISTS},
        "fails": {key(*case): attempt(*case) for case in FAILS},
    }
    path = pathlib.Path(__file__).with_name("lr.json")
    path.write_text(json.dumps(golden, indent=1) + "\n")
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
