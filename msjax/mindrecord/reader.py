"""Reading MindRecord files row by row."""

import os
from collections.abc import Iterator
from typing import Any

from msjax.mindrecord import ciphering
from msjax.mindrecord.exceptions import ParamTypeError, ParamValueError
from msjax.mindrecord.names import check_files
from msjax.mindrecord.rows import Rows, decipher


class FileReader:
    """Gives the rows of MindRecord files as dicts.

    Args:
        file_name (Union[str, list[str]]): one of the files that were written together, which stands for all of them; or
            a list of just those to read.
        num_consumer (int): between 1 and the number of processors; without effect. Default: 4.
        columns (list[str]): the fields to give. Default: all.
        operator: without effect.

    Raises:
        ParamValueError, ParamTypeError: for arguments of another kind.
        RuntimeError: if there is no such file, or it is something else; for fields that the schema lacks.

    Examples:
        >>> import os, tempfile
        >>> from msjax.mindrecord import FileReader, FileWriter
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "some.mindrecord")
        ...     writer = FileWriter(path)
        ...     writer.add_schema({"x": {"type": "float32"}, "name": {"type": "string"}})
        ...     writer.write_raw_data([{"x": 0.5, "name": "half"}])
        ...     writer.commit()
        ...     reader = FileReader(path)
        ...     print(reader.len(), reader.schema(), list(reader.get_next()))
        ...     reader.close()
        1 {'name': {'type': 'string'}, 'x': {'type': 'float32'}} [{'name': 'half', 'x': 0.5}]
    """

    def __init__(
        self,
        file_name: str | list[str],
        num_consumer: int = 4,
        columns: list[str] | None = None,
        operator: Any = None,
    ) -> None:
        check_files(file_name)
        check_consumers(num_consumer)
        if columns and not isinstance(columns, list):
            raise ParamTypeError("columns", "list")
        if any(not isinstance(name, str) for name in columns or ()):
            raise TypeError(
                f"`FileReader`: argument `columns` must hold names of type str. Received: {columns!r}."
            )
        self._next, self._closed = 0, False
        files, self._copies = decipher(file_name)
        try:
            self._rows = Rows(files, columns)
        except Exception:
            ciphering.forget(self._copies)
            raise

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Return the rows that have not been given yet, one after another; none after `close`.

        Raises:
            MRMUnsupportedSchemaError: for bytes that do not fit the schema.
        """
        while self._next < len(self._rows) and not self._closed:
            self._next += 1
            yield self._rows.as_dict(self._next - 1)

    def schema(self) -> dict[str, Any]:
        """Return the schema: the type and shape of each field, by name."""
        return self._rows.schema

    def len(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def close(self) -> None:
        """Close the files."""
        self._closed = True
        self._rows.close()
        ciphering.forget(self._copies)


def check_consumers(number: Any) -> None:
    """Raise unless it is an int between 1 and the number of processors; 4 always is one.

    Raises:
        ParamValueError: if it is not.
    """
    if number is None:
        raise ParamValueError("Parameter num_consumer is None.")
    if not isinstance(number, int):
        raise ParamValueError("Parameter num_consumer is not int.")
    most = max(os.cpu_count() or 1, 4)
    if not 1 <= number <= most:
        raise ParamValueError(f"Parameter num_consumer: {number} should between 1 and {most}.")
