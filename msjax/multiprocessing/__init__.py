"""Python's `multiprocessing` under MindSpore's name. Tensors are pickled, so they can be put into its queues.

A process that is forked after the first array was made must not compute with XLA; start it with "spawn"
(`set_start_method`) if it does.

Examples:
    >>> import msjax.multiprocessing as mp
    >>> mp.Process.__name__, mp.cpu_count() > 0
    ('Process', True)
"""

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from multiprocessing import Process as Process
from multiprocessing.pool import Pool as Pool

__all__ = [*_multiprocessing.__all__]  # pyright: ignore[reportUnsupportedDunderAll]
