"""Conversion between checkpoint formats (ckpt, safetensors)."""

import os
import re
from collections.abc import Iterator

from msjax.files.atomic_write import write_file
from msjax.ops.common.docstrings import documented_by
from msjax.train._common import SUFFIXES
from msjax.train._load import read_file
from msjax.train._save import encode_pieces


def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert checkpoint files of format "ckpt" to safetensors.

    Args:
        file_path: a file, or a folder whose files (those of folders in it too) are converted.
        save_path: folder for the results, which it keeps the arrangement of. Default: beside the originals.
        name_map: new names for parameters. Default: None.
        file_name_regex: convert only files whose names match. Default: all.
        processes_num: without effect.

    Raises:
        ValueError: if there is no such file or folder, or a file is damaged.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint([ms.Parameter(ms.Tensor(1.0), name="p")], os.path.join(folder, "a.ckpt"))
        ...     ms.ckpt_to_safetensors(os.path.join(folder, "a.ckpt"))
        ...     print(sorted(os.listdir(folder)))
        ['a.ckpt', 'a.safetensors']
    """
    _convert("ckpt_to_safetensors", ("ckpt", "safetensors"), file_path, save_path, name_map, file_name_regex)


@documented_by(ckpt_to_safetensors)
def safetensors_to_ckpt(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert safetensors files to checkpoint files of format "ckpt"."""
    _convert("safetensors_to_ckpt", ("safetensors", "ckpt"), file_path, save_path, name_map, file_name_regex)


def _convert(
    owner: str,
    formats: tuple[str, str],
    source: str,
    folder: str | None,
    names: dict | None,
    pattern: str | None,
) -> None:
    old, new = (SUFFIXES[format] for format in formats)
    if not os.path.exists(source):
        raise ValueError(
            f"`{owner}`: argument `file_path` must name a file or a folder. Received: {source!r}."
        )
    base = source if os.path.isdir(source) else os.path.dirname(source)
    for path in _files(source, old, pattern):
        target = path if folder is None else os.path.join(folder, os.path.relpath(path, base))
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        entries = read_file(path, None, "", False)
        renamed = [((names or {}).get(name, name), value) for name, value in entries.items()]
        write_file(
            os.path.realpath(target.removesuffix(old) + new),
            encode_pieces(renamed, formats[1], False, None, ""),
        )


def _files(source: str, suffix: str, pattern: str | None) -> Iterator[str]:
    if os.path.isfile(source):
        if not source.endswith(suffix):
            raise ValueError(f"the file must end with {suffix!r}. Received: {source!r}.")
        yield source
        return
    for folder, _, names in os.walk(source):
        for name in sorted(names):
            if name.endswith(suffix) and (pattern is None or re.fullmatch(pattern, name)):
                yield os.path.join(folder, name)
