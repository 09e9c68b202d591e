"""XLA gets no flag that it does not know: it would end the process."""

import json
from pathlib import Path

import pytest

from tests import xla_flags

KNOWN, UNKNOWN = "--xla_backend_optimization_level=0", "--xla_cpu_no_such_flag=false"


def test_flags_that_xla_does_not_know_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert xla_flags.select_known([UNKNOWN, KNOWN], tmp_path / "new") == KNOWN
    assert len(json.loads((tmp_path / "new" / "xla_flags.json").read_text())) == 2
    monkeypatch.setattr(xla_flags.subprocess, "run", lambda *_, **__: pytest.fail("it asked again"))
    assert xla_flags.select_known([UNKNOWN, KNOWN], tmp_path / "new") == KNOWN
    assert xla_flags.select_known([KNOWN], tmp_path / "new") == KNOWN


def test_refusals_name_the_flag() -> None:
    assert xla_flags.refusal(KNOWN) == ""
    assert UNKNOWN in xla_flags.refusal(f"{KNOWN} {UNKNOWN}")


def test_answers_need_not_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_flags, "refusal", lambda flags: "no" if UNKNOWN in flags else "")
    (tmp_path / "file").write_text("")
    assert xla_flags.select_known([KNOWN, UNKNOWN], tmp_path / "file" / "below") == KNOWN
    (tmp_path / "xla_flags.json").write_text("{half")
    assert xla_flags.select_known([KNOWN, UNKNOWN], tmp_path) == KNOWN


def test_a_machine_where_jax_does_not_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_flags, "refusal", lambda _: "no AVX on this machine")
    with pytest.raises(RuntimeError, match="no AVX on this machine"):
        xla_flags.select_known([KNOWN], tmp_path)


def test_the_users_flags_are_taken_or_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xla_flags, "refusal", lambda flags: "no" if UNKNOWN in flags else "")
    assert xla_flags.for_tests(KNOWN, tmp_path) == KNOWN
    assert xla_flags.for_tests("", tmp_path) == ""
    assert xla_flags.for_tests(None, tmp_path).split() == list(xla_flags.FASTER_COMPILATION)
    with pytest.raises(RuntimeError, match=UNKNOWN):
        xla_flags.for_tests(f"{KNOWN} {UNKNOWN}", tmp_path)
