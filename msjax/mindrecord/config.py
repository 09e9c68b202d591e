"""Key and mode with which MindRecord files are encrypted; AES-GCM needs the package `cryptography`."""

from collections.abc import Callable
from typing import Any

KEY_LENGTHS = (16, 24, 32)
MODES = ("AES-GCM",)

settings: dict[str, Any] = {"enc_key": None, "enc_mode": "AES-GCM", "dec_mode": None}


def set_enc_key(enc_key: str | None) -> None:
    """Set the key of MindRecord files.

    Args:
        enc_key (str): of 16, 24 or 32 characters; None for no encryption.

    Raises:
        ValueError: for anything else.

    Examples:
        >>> from msjax.mindrecord import set_enc_key
        >>> set_enc_key("0123456789012345")
        >>> set_enc_key(None)
    """
    if enc_key is not None and (not isinstance(enc_key, str) or len(enc_key) not in KEY_LENGTHS):
        given = f"{len(enc_key)} characters" if isinstance(enc_key, str) else type(enc_key).__name__
        raise ValueError(
            f"`set_enc_key`: argument `enc_key` must be None or a str of {KEY_LENGTHS} characters. Received: {given}."
        )
    settings["enc_key"] = enc_key


def set_enc_mode(enc_mode: str | Callable = "AES-GCM") -> None:
    """Set how MindRecord files are encrypted.

    Args:
        enc_mode (Union[str, function]): "AES-GCM", or a function that does it.

    Raises:
        ValueError: for anything else.

    Examples:
        >>> from msjax.mindrecord import set_enc_mode
        >>> set_enc_mode("AES-GCM")
    """
    settings["enc_mode"] = _mode("set_enc_mode", "enc_mode", enc_mode)


def set_dec_mode(dec_mode: str | Callable | None = "AES-GCM") -> None:
    """Set how MindRecord files are decrypted.

    Args:
        dec_mode (Union[str, function]): "AES-GCM", a function that does it, or None for what `set_enc_mode` says.

    Raises:
        ValueError: for anything else.

    Examples:
        >>> from msjax.mindrecord import set_dec_mode
        >>> set_dec_mode(None)
    """
    settings["dec_mode"] = None if dec_mode is None else _mode("set_dec_mode", "dec_mode", dec_mode)


def _mode(name: str, argument: str, mode: Any) -> Any:
    if not callable(mode) and mode not in MODES:
        raise ValueError(
            f"`{name}`: argument `{argument}` must be one of {MODES} or a function. Received: {mode!r}."
        )
    return mode
