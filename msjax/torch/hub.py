"""`torch.hub`: files of weights. Repositories of code are not fetched."""

import hashlib
import os
import re
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlparse as urlparse

from tqdm import tqdm as tqdm

from msjax.torch.serialization import load as _read

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
ENV_TORCH_HOME, ENV_XDG_CACHE_HOME, ENV_GITHUB_TOKEN = "TORCH_HOME", "XDG_CACHE_HOME", "GITHUB_TOKEN"
DEFAULT_CACHE_DIR = "~/.cache"
READ_DATA_CHUNK = 128 * 1024
_folder: list[str | None] = [None]


def _get_torch_home() -> str:
    cache = os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR)
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, os.path.join(cache, "torch")))


def get_dir() -> str:
    """Return the folder of files: `$TORCH_HOME/hub`, or what :func:`set_dir` said."""
    return _folder[0] or os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike) -> None:
    """Set the folder of files."""
    _folder[0] = os.path.expanduser(d)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Fetch a file.

    Args:
        url: where it is.
        dst: where it is to be.
        hash_prefix: the beginning of its SHA-256.
        progress: whether a bar is shown.

    Raises:
        RuntimeError: if the hash is another one; nothing is left behind.
    """
    place = Path(dst).expanduser()
    part = place.with_name(place.name + ".part")
    digest = hashlib.sha256()
    try:
        with (
            urllib.request.urlopen(url) as source,
            part.open("wb") as file,
            tqdm(total=source.length, disable=not progress, unit="B", unit_scale=True) as bar,
        ):
            while chunk := source.read(READ_DATA_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                bar.update(len(chunk))
        if hash_prefix and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool = False,
    file_name: str | None = None, weights_only: bool = False,
) -> Any:  # fmt: skip
    """Read a file of weights, fetched if it is not there yet.

    Args:
        url: where it is.
        model_dir: the folder where files are kept; `checkpoints` in :func:`get_dir`.
        map_location: as for :func:`msjax.torch.load`.
        progress: whether a bar is shown.
        check_hash: whether the file's name ends with the beginning of its SHA-256.
        file_name: its name in the folder.
        weights_only: as for :func:`msjax.torch.load`.

    Examples:
        >>> import tempfile
        >>> from msjax import torch
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     torch.save({"w": torch.ones(1)}, f"{folder}/w.pt")
        ...     torch.hub.load_state_dict_from_url("https://example.org/w.pt", model_dir=folder)
        {'w': tensor([1.])}
    """
    folder = Path(model_dir or os.path.join(get_dir(), "checkpoints"))
    folder.mkdir(parents=True, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    place = folder / name
    if not place.exists():
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, str(place), found[1] if found else None, progress)
    return _read(place, map_location=map_location, weights_only=weights_only)
