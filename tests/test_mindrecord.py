"""Settings of MindRecord files, and what their absence says."""

import pytest

import msjax as ms
from msjax.mindrecord import config


@pytest.fixture(autouse=True)
def unchanged(monkeypatch):
    monkeypatch.setattr(config, "settings", dict(config.settings))


def test_settings_are_kept():
    ms.set_enc_key("0" * 24)
    ms.set_enc_mode(abs)
    ms.set_dec_mode()
    assert config.settings == {"enc_key": "0" * 24, "enc_mode": abs, "dec_mode": "AES-GCM"}
    ms.set_enc_key(None)
    ms.mindrecord.set_dec_mode(None)
    assert config.settings == {"enc_key": None, "enc_mode": abs, "dec_mode": None}


@pytest.mark.parametrize("name", ["set_enc_key", "set_enc_mode", "set_dec_mode"])
@pytest.mark.parametrize("wrong", ["short", 3])
def test_what_must_fail(name, wrong):
    with pytest.raises(ValueError, match=f"`{name}`.*must be"):
        getattr(ms, name)(wrong)


def test_files_can_not_be_written():
    with pytest.raises(NotImplementedError, match="FileWriter"):
        ms.mindrecord.FileWriter("a.mindrecord")
