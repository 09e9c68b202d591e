"""Word vectors read from files: GloVe, FastText, CharNGram."""

from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.text.base import check_str


class Vectors:
    """Words and a vector for each, read by `from_file` from lines of a word and its numbers."""

    def __init__(self) -> None:
        self._vectors: dict[str, np.ndarray] = {}
        self.dim = 0

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Any:
        """Return the vectors in a file.

        Args:
            file_path: a file in UTF-8 with a word and its numbers in each line.
            max_vectors: how many lines to read. Default, and 0: all.

        Raises:
            TypeError, ValueError: for other arguments.
            RuntimeError: if there is no such file, or it holds something else.
        """
        op = f"{cls.__name__}.from_file"
        if max_vectors is not None:
            checks.check_int(op, "max_vectors", max_vectors, 0)
        path = Path(check_str(op, "file_path", file_path))
        if not path.is_file():
            checks.fail(RuntimeError, op, "file_path", "be a file that exists", file_path)
        cls._check_name(op, path)
        made = cls()
        made._read(op, path.read_text("utf8").splitlines(), max_vectors or None)
        return made

    @classmethod
    def _check_name(cls, op: str, path: Path) -> None:
        """Check that the file has a name that this format uses; any name by default."""

    def _read(self, op: str, lines: list[str], most: int | None) -> None:
        if lines and len(lines[0].split()) == 2 and self._has_heading():
            lines = lines[1:]
        for line in lines[:most]:
            word, *numbers = line.rstrip().split(" ")
            try:
                vector = np.array(numbers, np.float32)
            except ValueError as error:
                raise RuntimeError(
                    f"`{op}`: a line holds something else than a word and numbers: {line!r}."
                ) from error
            if not numbers or len(numbers) != (self.dim or len(numbers)):
                raise RuntimeError(f"`{op}`: all words need as many numbers. Received: {line!r}.")
            self.dim = len(numbers)
            self._vectors.setdefault(word, vector)
        if not self._vectors:
            raise RuntimeError(f"`{op}`: the file holds no vectors.")

    def _has_heading(self) -> bool:
        return True

    def get(self, word: str) -> np.ndarray | None:
        """Return the vector of a word, None if it has none."""
        return self._vectors.get(word)


class GloVe(Vectors):
    """Vectors in a file `glove.6B.*.txt`, as GloVe's authors publish them (J. Pennington et al., 2014)."""

    @classmethod
    def _check_name(cls, op: str, path: Path) -> None:
        if not (path.name.startswith("glove.6B.") and path.suffix == ".txt"):
            checks.fail(RuntimeError, op, "file_path", "be called glove.6B.*.txt", str(path))


class FastText(Vectors):
    """Vectors in a file `*.vec`, with a heading, as fastText's authors publish them (P. Bojanowski et al., 2017)."""

    @classmethod
    def _check_name(cls, op: str, path: Path) -> None:
        if path.suffix != ".vec":
            checks.fail(RuntimeError, op, "file_path", "be called *.vec", str(path))


class CharNGram(Vectors):
    """Vectors of n-grams of letters; a word's is the mean of those of its 2-, 3- and 4-grams (K. Hashimoto et al., 2017)."""

    def get(self, word: str) -> np.ndarray | None:
        """Return the vector of a word, None if no part of it has one."""
        letters = ["#BEGIN#", *word, "#END#"]
        grams = [
            f"{n}gram-{''.join(letters[i : i + n])}" for n in (2, 3, 4) for i in range(len(letters) - n + 1)
        ]
        found = [self._vectors[gram] for gram in grams if gram in self._vectors]
        return np.asarray(np.mean(found, 0, np.float32)) if found else None
