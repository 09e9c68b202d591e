"""Source files: the text of Python programs in the encoding that they declare, and what is wrong with other files."""

import ast
import json
import re
import tokenize
from pathlib import Path


class UnreadableSourceError(ValueError):
    """A file is no Python program.

    Attributes:
        line: the line where that shows, from 1.
    """

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def detect_encoding(path: Path) -> str:
    """Return the encoding of a Python file: UTF-8, or what one of its first two lines names.

    Raises:
        UnreadableSourceError: if Python has no such encoding.
    """
    try:
        with path.open("rb") as file:
            return tokenize.detect_encoding(file.readline)[0]
    except SyntaxError as error:
        raise UnreadableSourceError(f"not a Python program: {error.msg}") from None


def read_source(path: Path) -> str:
    """Return the text of a Python file.

    Raises:
        UnreadableSourceError: if it is not in its encoding, or not text.
    """
    encoding = detect_encoding(path)
    try:
        text = path.read_text(encoding)
    except UnicodeDecodeError as error:
        place = f"the byte {error.object[error.start]:#04x} at position {error.start} is not {encoding}"
        raise UnreadableSourceError(f"not a Python program: {place}") from None
    if "\0" in text:
        raise UnreadableSourceError(
            "not a Python program: it holds a null byte", text[: text.index("\0")].count("\n") + 1
        )
    return text


def parse_source(text: str) -> ast.Module:
    """Return the syntax tree of a program.

    Raises:
        UnreadableSourceError: with the line, if there is none.
    """
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise UnreadableSourceError(f"not a Python program: {error.msg}", error.lineno or 1) from None


# IPython's commands: `%matplotlib inline`, `files = !ls`, `?name`, `name??`.
_COMMAND = re.compile(r"^([ \t]*)(?:([\w, ]+=\s*)?[!%].*|[?].*|[\w.]+\?{1,2}\s*)$", re.MULTILINE)
_STANDIN = re.compile(r"^([ \t]*)\S.*  # IPython: (.*)$", re.MULTILINE)
_CELL = re.compile(r'^"cell (\d+)"\n', re.MULTILINE)


class Notebook:
    """The code cells of a notebook as one program: they see each other's names.

    Before each cell stands its number as a string, in place of IPython's commands `pass` or `None` with the command in a
    comment. Cells for other languages (`%%bash`), and those that are no Python, are left out.

    Args:
        path: the file.

    Attributes:
        program: the program.
        places: the cell and the line in it, both from 1, of each line of the program.
        errors: of cells that are no Python: by number, what is wrong.

    Raises:
        UnreadableSourceError: if the file is no notebook.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._content = json.loads(path.read_text("utf8"))
            cells = self._content["cells"]
            code = [(n, "".join(c["source"])) for n, c in enumerate(cells, 1) if c["cell_type"] == "code"]
        except (KeyError, TypeError, ValueError):
            raise UnreadableSourceError("not a notebook") from None
        self.errors: dict[int, UnreadableSourceError] = {}
        self.places: list[tuple[int, int]] = []
        lines: list[str] = []
        for number, source in code:
            if source.startswith("%%") and not source.startswith(("%%time", "%%capture")):
                continue
            try:
                python = _as_python(source)
            except UnreadableSourceError as error:
                self.errors[number] = error
                continue
            added = python.removesuffix("\n").split("\n")
            lines += [f'"cell {number}"', *added]
            self.places += [(number, max(line, 1)) for line in range(len(added) + 1)]
        self.program = "".join(f"{line}\n" for line in lines)

    def rewrite(self, program: str) -> str:
        """Return the content of the notebook with the cells of another program, and without results of the first one."""
        before, *parts = _CELL.split(program)
        for cell in self._content["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
        for number, part in zip(parts[::2], parts[1::2], strict=True):
            source = _STANDIN.sub(r"\1\2", before + part).removesuffix("\n")
            self._content["cells"][int(number) - 1]["source"] = source.splitlines(keepends=True)
            before = ""
        return json.dumps(self._content, indent=1, ensure_ascii=False) + "\n"


def _as_python(cell: str) -> str:
    try:
        parse_source(cell)
    except UnreadableSourceError:  # only then: `% 3` may also be the second line of an expression
        cell = _COMMAND.sub(_stand_in, cell)
        parse_source(cell)
    return cell


def _stand_in(command: re.Match[str]) -> str:
    name = command[2] or ""
    return f"{command[1]}{name}{'None' if name else 'pass'}  # IPython: {command[0].strip()}"


def read_program(path: Path) -> str:
    """Return the text of a Python file, or the cells of a notebook as one program.

    Raises:
        UnreadableSourceError: if it is neither.
    """
    if path.suffix == ".ipynb":
        return Notebook(path).program
    return read_source(path)
