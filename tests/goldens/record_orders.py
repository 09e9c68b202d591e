"""Record the orders in which MindSpore 2.10 gives rows after a seed.

python tests/goldens/record_orders.py         writes orders.json, with real MindSpore
"""

import json
from pathlib import Path

import mindspore.dataset as ds
from orders_cases import orders

PATH = Path(__file__).with_name("orders.json")

if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in orders(ds).items()]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
