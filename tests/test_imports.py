"""Costs of importing msjax, and the names in its stubs."""

import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import msjax
from msjax.public_api import stubs

PACKAGE = Path(msjax.__file__).parent


def exists(name):
    place = PACKAGE.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or place.is_dir()


STUBS = sorted(PACKAGE.rglob("*.pyi"))


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_every_name_of_a_stub_can_be_loaded(path):
    """And none is called as a module beside it, which would take its place once that is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    module = ".".join(part for part in parts if part != "__init__")
    for name, (source, original) in stubs.names(module).items():
        found = getattr(importlib.import_module(module), name)
        if source == module:
            assert found is importlib.import_module(f"{module}.{original}")
        else:
            # (Functions that take old spellings of arguments are wrapped for them when they are first asked for.)
            assert inspect.unwrap(found) is inspect.unwrap(getattr(importlib.import_module(source), original))
            full = f"{module}.{name}"
            assert path.stem != "__init__" or not exists(full), f"{full} is a module too"


IMPORT = """
import json, sys
import jax.numpy, optax
before = set(sys.modules)
import msjax
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_importing_msjax_loads_nothing_heavy_and_starts_no_backend():
    environment = {**os.environ, "JAX_PLATFORMS": "no_such_platform"}  # starting a backend raises
    process = subprocess.run(
        [sys.executable, "-c", IMPORT], env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    loaded = {name.partition(".")[0] for name in json.loads(process.stdout)}
    assert not loaded & {"torch", "mindspore", "matplotlib", "sklearn", "pandas", "malt", "click", "PIL"}


STEP = """
import json, sys
import numpy as np
import msjax as ms
net, x = ms.nn.Dense(2, 2), ms.Tensor(np.ones((3, 2), np.float32))
gradient = ms.value_and_grad(lambda x: (ms.ops.tanh(net(x)) * 2 + x[0]).sum(), None, net.trainable_params())
ms.nn.Momentum(net.trainable_params(), 0.1, 0.9)(gradient(x)[1])
print(json.dumps(sorted(sys.modules)))
"""


def test_a_first_step_loads_no_sparse_matrices():
    """SciPy's and JAX's took a quarter of a second of CPU time in every program that adds two Tensors."""
    process = subprocess.run([sys.executable, "-c", STEP], capture_output=True, text=True, check=True)
    assert not {"jax.experimental.sparse", "scipy.sparse", "numpy.f2py"} & set(json.loads(process.stdout))
