"""Reading MindRecord rows by category: those with one value in an index field, page by page."""

import json
from collections import Counter
from typing import Any

from msjax.mindrecord import ciphering, index
from msjax.mindrecord.exceptions import MRMDefineCategoryError, ParamTypeError, ParamValueError
from msjax.mindrecord.names import check_files
from msjax.mindrecord.reader import check_consumers
from msjax.mindrecord.rows import Rows, decipher


class MindPage:
    """Groups rows by an index field, and gives the rows of a group page by page.

    Args:
        file_name (Union[str, list[str]]): as for `FileReader`.
        num_consumer (int): between 1 and the number of processors; without effect. Default: 4.

    Raises:
        ParamValueError: for arguments of another kind.
        RuntimeError: if there is no such file, or it is something else.

    Examples:
        >>> import os, tempfile
        >>> from msjax.mindrecord import FileWriter, MindPage
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "some.mindrecord")
        ...     writer = FileWriter(path)
        ...     writer.add_schema({"label": {"type": "int32"}, "name": {"type": "string"}})
        ...     writer.write_raw_data([{"label": i % 2, "name": f"row {i}"} for i in range(4)])
        ...     writer.commit()
        ...     pages = MindPage(path)
        ...     pages.category_field = "label"
        ...     print(pages.read_category_info())
        ...     pages.read_at_page_by_name("1", 0, 10)
        {"categories":[{"count":2,"id":0,"name":"0"},{"count":2,"id":1,"name":"1"}],"key":"label_0"}
        [{'label': 1, 'name': 'row 1'}, {'label': 1, 'name': 'row 3'}]
    """

    def __init__(self, file_name: str | list[str], num_consumer: int = 4) -> None:
        check_files(file_name)
        check_consumers(num_consumer)
        files, self._copies = decipher(file_name)
        try:
            self._rows = Rows(files)
            self._candidates = [name[: name.rfind("_")] for name in index.fields(self._rows.paths[0])]
        except Exception:
            ciphering.forget(self._copies)
            raise
        self._field: str | None = None

    def __del__(self) -> None:
        ciphering.forget(getattr(self, "_copies", []))

    @property
    def candidate_fields(self) -> list[str]:
        """The index fields."""
        return self._candidates

    @property
    def category_field(self) -> str | None:
        """The field by which rows are grouped.

        Raises:
            ParamTypeError: if it is set to something else than a str.
            MRMDefineCategoryError: to something else than an index field.
        """
        return self._field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not category_field or not isinstance(category_field, str):
            raise ParamTypeError("category_fields", "str")
        if category_field not in self._candidates:
            raise MRMDefineCategoryError(f"Field '{category_field}' is not a candidate category field.")
        self._field = category_field

    def _values(self) -> list[str]:
        if self._field is None:
            raise RuntimeError(
                f"Invalid data, field: {self._field} is invalid. Set `category_field` to one of {self._candidates} first."
            )
        return [value for path in self._rows.paths for value in index.values(path, self._field + "_0")]

    def read_category_info(self) -> str:
        """Return the values of the field, as text and in its order, and how many rows have each: JSON.

        Raises:
            RuntimeError: if no field is set.
        """
        counts = Counter(self._values())
        found = [
            {"count": counts[name], "id": number, "name": name}
            for number, name in enumerate(sorted(counts, key=str.encode))
        ]
        info = {"categories": found, "key": f"{self._field}_0"}
        return json.dumps(info, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return the rows of one page of a group.

        Args:
            category_id (int): the group's id, as `read_category_info` has it.
            page (int): which page.
            num_row (int): how many rows a page has.

        Raises:
            ParamValueError: for arguments that are not ints, negative ones, and no rows.
            RuntimeError: for a group or a page that does not exist.
        """
        if not isinstance(category_id, int) or category_id < 0:
            raise ParamValueError("Category id should be int and greater than or equal to 0.")
        _check_page(page, num_row)
        values = self._values()
        names = sorted(set(values), key=str.encode)
        if category_id >= len(names):
            raise RuntimeError(
                f"Invalid data, category_id: {category_id} must be in the range [0, {len(names)}]."
            )
        return self._page(values, names[category_id], page, num_row)

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return the same for a group named by its value, as text."""
        if not isinstance(category_name, str):
            raise ParamValueError("Category name should be str.")
        _check_page(page, num_row)
        values = self._values()
        if category_name not in values:
            raise RuntimeError(f"category_name: {category_name} could not found.")
        return self._page(values, category_name, page, num_row)

    def _page(self, values: list[str], name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        rows = [number for number, value in enumerate(values) if value == name]
        if page * num_row >= len(rows):
            raise RuntimeError(
                f"Invalid data, page no: {page} or page size: {num_row} is invalid: {len(rows)} rows."
            )
        return [self._rows.as_dict(number) for number in rows[page * num_row : (page + 1) * num_row]]


def _check_page(page: Any, num_row: Any) -> None:
    if not isinstance(page, int) or page < 0:
        raise ParamValueError("Page should be int and greater than or equal to 0.")
    if not isinstance(num_row, int) or num_row <= 0:
        raise ParamValueError("num_row should be int and greater than 0.")
