"""`msjax doctor`: each problem is found and comes with what to do."""

import jax
import pytest
from click.testing import CliRunner

from msjax.cli import commands, diagnosis


def find(subject):
    return [finding for finding in diagnosis.diagnose() if finding.subject == subject]


def test_every_subject_is_reported_once_where_all_is_well(monkeypatch, tmp_path):
    monkeypatch.setattr(diagnosis, "_find_cuda_plugin", lambda: "")
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(diagnosis, "_find_hardware", lambda: iter(()))
    result = CliRunner().invoke(commands, ["doctor"], standalone_mode=False)
    assert result.exception is None
    subjects = [line[8:].partition(":")[0] for line in result.output.splitlines()]
    assert len(subjects) == len(set(subjects))
    assert {"Python", "packages", "devices", "compiled programs", "64-bit types"} <= set(subjects)


def test_a_package_out_of_bounds_is_a_problem(monkeypatch):
    monkeypatch.setattr(
        diagnosis, "requires", lambda _: ["click<1", "no-such-package>=2", "pytest; extra == 'x'"]
    )
    (finding,) = find("packages")
    assert finding.verdict == "problem"
    assert "click is" in finding.text
    assert "no-such-package" in finding.text
    assert "pytest" not in finding.text
    assert "pip install" in finding.text


def test_hardware_that_is_not_used_is_a_problem(monkeypatch):
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    monkeypatch.setattr(diagnosis, "_find_hardware", lambda: iter([("A TPU", "unheard-of", "tpu")]))
    assert [(one.verdict, "msjax[tpu]" in one.text) for one in find("devices")] == [
        ("ok", False),
        ("problem", True),
    ]


def test_hardware_that_is_left_out_on_purpose_is_a_note(monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setattr(diagnosis, "_find_hardware", lambda: iter([("An NVIDIA GPU", "gpu", "cuda13")]))
    assert [one.verdict for one in find("devices")] in (["ok", "note"], ["ok"])


@pytest.mark.parametrize(
    ("driver", "verdict", "advice"), [(True, "problem", "driver must be 580"), (False, "note", "--gpus all")]
)
def test_a_plugin_that_reaches_no_gpu_is_told(monkeypatch, driver, verdict, advice):
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    monkeypatch.setattr(jax, "devices", lambda: jax.local_devices(backend="cpu"))
    hardware = [("An NVIDIA GPU", "gpu", "cuda13")] if driver else []
    monkeypatch.setattr(diagnosis, "_find_hardware", lambda: iter(hardware))
    monkeypatch.setattr(diagnosis, "_find_cuda_plugin", lambda: "jax-cuda13-plugin 1")
    _, told = find("devices")
    assert told.verdict == verdict
    assert advice in told.text


@pytest.mark.parametrize("value", ["off", "none"])
def test_no_cache_is_a_note(monkeypatch, value):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    monkeypatch.setenv("MSJAX_CACHE_DIR", value)
    assert [one.verdict for one in find("compiled programs")] == ["note"]


def test_a_cache_that_cannot_be_written_is_a_problem(monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(diagnosis.os, "access", lambda *_: False)
    (finding,) = find("compiled programs")
    assert finding.verdict == "problem"
    assert "MSJAX_CACHE_DIR" in finding.text


def test_the_real_package_is_a_note(monkeypatch):
    monkeypatch.setattr(diagnosis, "find_spec", lambda name: object() if name == "torch" else None)
    monkeypatch.delitem(diagnosis.sys.modules, "torch", raising=False)
    assert [one.verdict for one in find("torch")] == ["note"]


def test_a_problem_makes_the_exit_status_one(monkeypatch):
    monkeypatch.setattr(diagnosis, "diagnose", lambda: [diagnosis.Finding("problem", "a", "b")])
    finish = commands.main(["doctor"], standalone_mode=False)
    with pytest.raises(SystemExit) as ending:
        finish()
    assert ending.value.code == 1


def test_a_cache_in_a_folder_that_cannot_be_looked_into_is_a_problem(monkeypatch, tmp_path):
    look = diagnosis.Path.stat

    def refuse(path, **options):
        if path.is_relative_to(tmp_path):
            raise PermissionError(path)
        return look(path, **options)

    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / "programs"))
    monkeypatch.setattr(diagnosis.os, "access", lambda *_: False)
    monkeypatch.setattr(diagnosis.Path, "stat", refuse)
    assert [one.verdict for one in find("compiled programs")] == ["problem"]


@pytest.mark.parametrize(
    ("error", "words"), [(RuntimeError("no cuda"), "no cuda"), (AssertionError(), "plugin")]
)
def test_no_device_is_a_problem(monkeypatch, error, words):
    def fail():
        raise error

    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    monkeypatch.setattr(jax, "devices", fail)
    (finding,) = find("devices")
    assert finding.verdict == "problem"
    assert words in finding.text
    assert "JAX_PLATFORMS=cuda" in finding.text
    assert "msjax doctor says why" in CliRunner().invoke(commands, ["info"]).output
