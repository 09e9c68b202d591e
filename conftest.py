"""Settings for all tests: those under tests/ and the doctests of the package."""

import ctypes
import gc
import itertools
import os
import sys
from pathlib import Path

from tests import float_doctests, xla_flags

# Before JAX is imported, and in the environment, so that the processes that tests start have them too.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent / ".jax_cache"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
# What takes longer than two seconds depends on the machine; tests/core/jit/test_compile_progress.py turns it on.
os.environ.setdefault("MSJAX_COMPILE_PROGRESS", "0")
# matplotlib would put its list of fonts into the user's home, or make it anew each time where that cannot be written.
os.environ.setdefault("MPLCONFIGDIR", str(Path(__file__).parent / ".jax_cache" / "matplotlib"))
os.environ["XLA_FLAGS"] = xla_flags.for_tests(
    os.environ.get("XLA_FLAGS"), Path(__file__).parent / ".jax_cache"
)

import jax
import pytest

from msjax.config import context
from msjax.core.state import DEFAULT, state
from msjax.core.tensor import random_state
from msjax.public_api import import_hook

ROOT = Path(__file__).parent
FINISHED = itertools.count(1)
MOST_MAPPINGS = 10_000  # about 2 GB: `make test` runs up to eight such processes
gc.set_threshold(
    100_000, 50, 1000
)  # what JAX keeps is much and stays: looking through it took an eighth of the time

float_doctests.install()


def pytest_ignore_collect(collection_path):
    """Under tests/, only test modules: no doctests in helpers and in what records goldens."""
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if helper and "tests" in collection_path.relative_to(ROOT).parts else None


def pytest_runtest_logfinish():
    """Forget compiled programs from time to time.

    Every program holds memory (a process that kept them all had 5 GB) and maps it, and Linux ends a process that asks
    for more than 65,530 mappings. They are all on disk (see above), so what is needed again is soon there again.
    """
    if sys.platform == "linux" and next(FINISHED) % 50 == 0:
        with open("/proc/self/maps", "rb") as mappings:
            many = sum(1 for _ in mappings) > MOST_MAPPINGS
        if many:
            jax.clear_caches()
            gc.collect()
            getattr(ctypes.CDLL(None), "malloc_trim", id)(0)  # glibc's


@pytest.fixture(autouse=True)
def own_state():
    """Every test begins with the settings of a new process and seed 0, and leaves no trace, scope or name behind."""
    random_state.set_seed(0)
    data_sets = sys.modules.get("msjax.dataset.config")
    kept = dict(data_sets._values) if data_sets else {}
    yield
    context.reset_context()
    if data_sets:
        data_sets._values.update(kept)
    for name in import_hook.installed():
        import_hook.uninstall(name)
    left = {"frame": state.frame, "scope": state.scope, "mode": state.mode}
    state.frame, state.scope, state.watch, state.mode = None, None, None, DEFAULT
    assert left == {"frame": None, "scope": None, "mode": DEFAULT}, f"the test leaves the thread with {left}"


@pytest.fixture
def strict_promotion():
    """JAX promotes nothing by itself: for tests of our own operators, which promote as MindSpore does."""
    with jax.numpy_dtype_promotion("strict"):
        yield
