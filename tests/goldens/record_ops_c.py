"""Record what MindSpore 2.10.0 (CPU) and, where it has no kernel, PyTorch 2.13 give for `samples_math.py`.

    python tests/goldens/record_ops_c.py mindspore      # in an environment with mindspore==2.10.0, numpy<2
    python tests/goldens/record_ops_c.py torch          # in an environment with torch 2.13

How is in `record_ops_b.py`, whose sibling this is.
"""

import sys

import record_ops_b
from samples_math import SAMPLES

if __name__ == "__main__":
    record_ops_b.main(sys.argv[1], SAMPLES, "ops_c")
