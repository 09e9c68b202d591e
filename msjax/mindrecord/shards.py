"""Shards of one MindRecord file set, while rows are added."""

import os
import shutil
import struct
from typing import Any, BinaryIO

from msjax.mindrecord.header import BLOB, RAW, Header, Page, read_header

Rows = list[tuple[bytes, bytes]]


class Shards:
    """One or several files, over which the rows of each call are spread evenly.

    Args:
        paths: of the files.
        header: what they have in common.
        overwrite: whether to replace files that exist.
        append: whether to go on with files that exist.

    Raises:
        RuntimeError: for a folder that does not exist; for files that exist, or do not, against what is asked for.
    """

    def __init__(self, paths: list[str], header: Header, overwrite: bool, append: bool = False) -> None:
        self.paths, self.header = [_real(path) for path in paths], header
        if not append:
            for path in self.paths:
                _make_room(path, overwrite)
            header.names = [os.path.basename(path) for path in self.paths]
            self.shards = [_Shard(path, header, []) for path in self.paths]
        else:
            self.shards = [_Shard(path, header, read_header(path)[2]) for path in self.paths]
        self.open = True

    def write(self, rows: Rows) -> None:
        """Add rows.

        Raises:
            RuntimeError: for a row that does not fit into a page.
        """
        limit = self.header.page_size
        for row in rows:
            for part, what in zip(row, ("raw", "blob"), strict=True):
                if len(part) + 8 > limit:
                    raise RuntimeError(
                        f"`FileWriter`: Page size: {limit} is too small to save a {what} row of {len(part)} bytes. "
                        "Make pages larger with `set_page_size`."
                    )
        share, rest = divmod(len(rows), len(self.shards))
        begin = 0
        for number, shard in enumerate(self.shards):
            end = begin + share + (number < rest)
            shard.write(rows[begin:end])
            begin = end

    def commit(self) -> None:
        """Write the headers and close the files.

        Raises:
            RuntimeError: if that was done before, or a header has become too long.
        """
        if not self.open:
            raise RuntimeError("`FileWriter`: `commit` may be called once.")
        headers = [self.header.serialize(number, shard.pages) for number, shard in enumerate(self.shards)]
        for shard, header in zip(self.shards, headers, strict=True):
            shard.close(header)
        self.open = False


class _Shard:
    """One file. Rows go to the last pages of their kinds, and to new ones where those are full."""

    def __init__(self, path: str, header: Header, pages: list[Page]) -> None:
        self.header, self.pages = header, pages
        self.file: BinaryIO = open(path, "r+b" if pages or os.path.exists(path) else "w+b")  # noqa: SIM115

    def write(self, rows: Rows) -> None:
        waiting: Rows = []
        blob_size = raw_size = 0
        limit = self.header.page_size
        for raw, blob in rows:
            blob_page, raw_page = self._last(BLOB), self._last(RAW)
            blob_size += 8 + len(blob)
            raw_size += 8 + len(raw)
            full = (
                blob_page is None
                or raw_page is None
                or blob_page.size + blob_size > limit
                or raw_page.size + raw_size > limit
            )
            if full:
                self._flush(waiting)
                waiting, blob_size, raw_size = [], 8 + len(blob), 8 + len(raw)
                self._new_group(raw_size)
            waiting.append((raw, blob))
        self._flush(waiting)

    def _last(self, kind: str) -> Page | None:
        return next((page for page in reversed(self.pages) if page.kind == kind), None)

    def _new_group(self, raw_size: int) -> None:
        last, raw = self._last(BLOB), self._last(RAW)
        start, group = (last.end, last.type_id + 1) if last else (0, 0)
        self.pages.append(Page(len(self.pages), BLOB, group, start, start))
        if raw is None or raw.size + raw_size > self.header.page_size:
            raw = Page(len(self.pages), RAW, raw.type_id + 1 if raw else 0)
            self.pages.append(raw)
        raw.groups.append((group, raw.size))

    def _flush(self, rows: Rows) -> None:
        for kind, number in ((RAW, 0), (BLOB, 1)) if rows else ():
            page: Any = self._last(kind)
            self.file.seek(self.header.header_size + self.header.page_size * page.page_id + page.size)
            data = b"".join(struct.pack("<Q", len(row[number])) + row[number] for row in rows)
            self.file.write(data)
            page.size += len(data)
            if kind == BLOB:
                page.end += len(rows)

    def close(self, header: bytes) -> None:
        self.file.seek(0)
        self.file.write(header)
        self.file.close()


def _real(path: str) -> str:
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise RuntimeError(
            f"Invalid dir, failed to get the realpath of mindrecord file dir. Please check path: {path}, "
            "and create the folder before."
        )
    return os.path.join(os.path.realpath(folder), os.path.basename(path))


def _make_room(path: str, overwrite: bool) -> None:
    present = [one for one in (path, path + ".db") if os.path.exists(one)]
    if present and not overwrite:
        raise RuntimeError(
            f"Invalid file, mindrecord files already exist. Please check file path: {path}. "
            "Delete them, or use FileWriter(..., overwrite=True)."
        )
    for one in present:
        shutil.rmtree(one) if os.path.isdir(one) else os.remove(one)
    with open(path, "wb"):
        pass
