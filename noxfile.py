"""The checks that `make check` does not make: every interpreter, both ends of jax, the built wheel, accelerators.

The tests run on optimised programs here, as users have them (conftest.py turns the optimisations off).

    nox --list
    nox                                         # lint, types, and the tests on every interpreter of this machine
    nox -s "tests-3.12(jax='oldest')"
    nox -s newest -- --pre
    nox -s conformance -- path/to/docexamples.py --area nn
    nox -s random -- in-place --python oracle-torch/bin/python --count 1000 --shrink
    nox -s gpu -- cuda13
    nox -s tpu -- --steps digits --chips 1 256
    nox -s cuda -- --operators

Interpreters that the machine does not have are skipped.
"""

import os
import shutil
from pathlib import Path

import nox
from packaging.requirements import Requirement

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "types", "tests"]
nox.options.error_on_missing_interpreters = False
nox.options.download_python = "never"

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
JAX = {"oldest": ["jax==0.10.0", "jaxlib==0.10.0"], "newest": []}
FROM_WHEEL = ["tests", "--pyargs", "msjax"]
OPTIMISED = {"XLA_FLAGS": ""}
BESIDE = ["conftest.py", "pyproject.toml", "README.md", "tests", "docs", "examples", "migration_examples"]


# pyenv hides every interpreter but one behind its shims, unless it is told to show them.
if "PYENV_VERSION" not in os.environ:
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.1[1-4].*")
    os.environ["PYENV_VERSION"] = ":".join(sorted(path.name for path in versions)) or "system"


def install_wheel(session: nox.Session, *requirements: str) -> None:
    """Build the package, install what was built, and go where its sources are not: a file that it lacks is missed."""
    session.install("hatchling", "hatch-fancy-pypi-readme")
    folder = Path(session.create_tmp()).resolve()
    shutil.rmtree(folder)
    session.run("python", "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), silent=True)
    (wheel,) = folder.glob("*.whl")
    session.install(f"msjax[test] @ {wheel.as_uri()}", *requirements)
    for name in BESIDE:
        if Path(name).is_dir():
            shutil.copytree(name, folder / name)
        elif Path(name).exists():
            shutil.copy(name, folder / name)
    session.chdir(folder)


@nox.session(python=PYTHONS)
@nox.parametrize("jax", list(JAX))
def tests(session: nox.Session, jax: str) -> None:
    """The tests against the installed wheel; arguments go to pytest."""
    install_wheel(session, *JAX[jax])
    session.run("python", "-m", "msjax", "version")
    session.run("pytest", "-n", "auto", *(session.posargs or FROM_WHEEL), env=OPTIMISED)


@nox.session
def random(session: nox.Session) -> None:
    """Random programs against PyTorch or MindSpore; arguments go to tests/goldens/random_search.py."""
    session.install(".[test]")
    session.run("python", "tests/goldens/random_search.py", *(session.posargs or ["wide", "--count", "20"]))


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The tests with the newest of everything, bounds in pyproject.toml or not; `-- --pre`: pre-releases too.

    What fails here and passes with constraints.txt (`make test CONSTRAINTS=constraints.txt`) came with another package.
    """
    project = nox.project.load_toml("pyproject.toml")["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    for extra in ("crypto", "examples"):
        wanted += project["optional-dependencies"][extra]
    names = {Requirement(line).name for line in wanted} - {"msjax"}
    install_wheel(session)
    options = ["--pre"] if "--pre" in session.posargs else []
    session.install("--upgrade", "--upgrade-strategy", "eager", *options, *sorted(names))
    session.run("python", "-m", "pip", "freeze")
    arguments = [one for one in session.posargs if one != "--pre"]
    session.run("pytest", "-n", "auto", *(arguments or FROM_WHEEL), env=OPTIMISED)


@nox.session
def compositions(session: nox.Session) -> None:
    """Every composition of transformations, three deep; the tests run a sample of those."""
    session.install("--editable", ".[test]")
    session.run("pytest", "-n", "auto", "tests/core/test_compositions.py", env={"MSJAX_ALL": "1"})


@nox.session
def tpu(session: nox.Session) -> None:
    """Compile training steps for TPUs, with TPU's own compiler, on any machine; arguments go to the program."""
    session.install("--editable", ".[test]", "libtpu")
    session.run("python", "benchmarks/accelerators.py", *session.posargs, env={"JAX_PLATFORMS": "cpu"})


@nox.session
def cuda(session: nox.Session) -> None:
    """Compile training steps for H100s, with CUDA's compiler, on any machine; arguments go to the program."""
    session.install("--editable", ".[test,cuda13]")
    program = ["python", "benchmarks/accelerators.py", "--for", "h100"]
    session.run(*program, *session.posargs, env={"JAX_PLATFORMS": "cpu"})


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff: mistakes and layout."""
    session.install("--editable", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Pyright."""
    session.install("--editable", ".[dev]")
    session.run("pyright")


@nox.session
def docs(session: nox.Session) -> None:
    """The doctests of the package and the examples in the texts."""
    session.install("--editable", ".[test]")
    session.run("pytest", "-n", "auto", "msjax", "tests/test_texts.py")


@nox.session
def conformance(session: nox.Session) -> None:
    """A runner of documentation examples: its path and arguments follow `--`."""
    if not session.posargs:
        session.error("give the path of the runner: nox -s conformance -- path/to/runner.py [arguments]")
    runner, *arguments = session.posargs
    session.install("--editable", ".[test]")
    session.run("python", runner, "--python", str(Path(session.bin) / "python"), *arguments)


@nox.session
def bench(session: nox.Session) -> None:
    """The benchmarks beside flax nnx and equinox; arguments (`warm calls`, `--models LeNet` ...) go to `compiled.py`."""
    session.install("--editable", ".[test]", "flax", "equinox")
    session.run("python", "benchmarks/compiled.py", *session.posargs)
    if not session.posargs:
        session.run("python", "benchmarks/engine.py")
        session.run("python", "benchmarks/eager.py")


@nox.session
def gpu(session: nox.Session) -> None:
    """The tests on a GPU: `cuda12` (the default) or `cuda13`, then arguments for pytest."""
    extra, *arguments = session.posargs or ["cuda12"]
    session.install("--editable", f".[test,{extra}]")
    session.run("msjax", "info")
    session.run("pytest", *(arguments or ["tests"]), env={"JAX_PLATFORMS": "cuda,cpu", **OPTIMISED})
