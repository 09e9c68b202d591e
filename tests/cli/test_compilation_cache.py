"""`msjax run` keeps compiled programs on disk: the second run of a program begins warm."""

import os
import sys
from pathlib import Path

import pytest

from msjax.cli import compilation_cache
from tests.cli.test_cli import msjax_run

PROGRAM = """
import mindspore as ms
from jax import monitoring
seen = []
monitoring.register_event_listener(lambda name, **kw: seen.append(name.rsplit("/", 1)[-1]))

@ms.jit
def step(x):
    while x.sum() < 100:
        x = x * 2
    return x

print(ms.grad(step)(ms.Tensor([1.0, 2.0])), "misses", seen.count("cache_misses"), "hits", seen.count("cache_hits"))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the program, in which nothing of the test run's own cache is known."""
    (tmp_path / "program.py").write_text(PROGRAM)
    for name in (
        "JAX_COMPILATION_CACHE_DIR",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS",
        "MSJAX_CACHE_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def run(here, *options, **variables):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **variables}
    status, out, err = msjax_run(*options, "program.py", cwd=here, env=environment)
    assert status == 0, err
    result, _, counts = out.partition(" misses ")
    misses, _, hits = counts.partition(" hits ")
    return result, int(misses), int(hits)


def test_the_second_run_is_warm(here):
    first = run(here, MSJAX_CACHE_DIR=str(here / "cache"))
    files = sorted(path.name for path in (here / "cache").iterdir())
    second = run(here, MSJAX_CACHE_DIR=str(here / "cache"))
    assert first[0] == second[0] == "[64. 64.]"
    assert first[1] > 0
    assert second[1] == 0
    assert second[2] >= first[1]
    assert files
    assert files == sorted(path.name for path in (here / "cache").iterdir())


@pytest.mark.parametrize("way", ["option", "variable"])
def test_it_can_be_turned_off(way, here):
    variables = {"XDG_CACHE_HOME": str(here / "home")}
    options = ("--no-cache",) if way == "option" else ()
    if way == "variable":
        variables["MSJAX_CACHE_DIR"] = "off"
    assert run(here, *options, **variables)[1:] == (0, 0)
    assert not (here / "home").exists()


def test_a_folder_that_cannot_be_written_is_said_once(here):
    (here / "file").write_text("")
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "MSJAX_CACHE_DIR": str(here / "file"),
    }
    (here / "program.py").write_text("print('runs')")
    status, out, err = msjax_run("program.py", cwd=here, env=environment)
    assert (status, out) == (0, "runs\n")
    assert "compiled programs are not kept" in err


def test_without_a_home_there_is_no_cache(here, monkeypatch):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert compilation_cache.cache_folder() is compilation_cache.turn_on() is None


def test_a_folder_that_others_made_is_no_cache(here, monkeypatch, caplog):
    monkeypatch.setenv("MSJAX_CACHE_DIR", str(here))
    monkeypatch.setattr(os, "access", lambda path, mode: path != here)  # to root every folder can be written
    assert compilation_cache.turn_on() is None
    assert f"{here} cannot be written" in caplog.text


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the place is another one there")
def test_its_place(monkeypatch):
    monkeypatch.delenv("MSJAX_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert compilation_cache.cache_folder() == Path("/somewhere/msjax/programs")
    monkeypatch.setenv("MSJAX_CACHE_DIR", "~/programs")
    assert compilation_cache.cache_folder() == Path.home() / "programs"


def test_jax_s_own_setting_holds(monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "/of/the/user")
    assert compilation_cache.turn_on() is None


def test_the_oldest_files_go_first(tmp_path):
    for age, name in enumerate(("new", "middle", "old")):
        (tmp_path / name).write_bytes(b"x" * 100)
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    compilation_cache.trim(tmp_path, 250)
    assert {path.name for path in tmp_path.iterdir()} == {"new", "middle"}
    compilation_cache.trim(tmp_path, -1)
    assert len(list(tmp_path.iterdir())) == 2
    compilation_cache.trim(tmp_path, 0)
    assert not list(tmp_path.iterdir())
