"""Segmentation of Chinese by cppjieba's dictionaries: `JiebaTokenizer`.

MindSpore calls cppjieba, which no package for Python has; PyPI's jieba reads other files and gives other words. The three
algorithms are cppjieba's: the likeliest words of a dictionary (a path of largest probability), the likeliest places in a
word of each character (a hidden Markov model), and the first with runs of single characters cut by the second.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.text.base import Piece, Tokenizer, check_instance, check_str, locate_pieces

_LEAST = -3.14e100
_BETWEEN = re.compile("([ \t\n\uff0c\u3002])")  # what is always a word of its own
_ASCII = re.compile(r"[A-Za-z][A-Za-z0-9]*|[0-9][0-9.]*|[\x00-\x7f]|[^\x00-\x7f]+", re.DOTALL)
_LONGEST = 512  # characters of a word
_LINE = re.compile(r"^\s*([^\s*]+?)\s*([0-9]+)?\s*$")
_UINT32_MAX = 2**32 - 1
_BEGIN, _END, _MIDDLE, _SINGLE = range(4)  # places of a character in a word, in the order of the file


class JiebaMode(IntEnum):
    """Segmentation mode of `JiebaTokenizer`."""

    MIX = 0
    MP = 1
    HMM = 2


class JiebaTokenizer(Tokenizer):
    r"""Split Chinese strings into words, by dictionaries of cppjieba's.

    Args:
        hmm_path: file of the hidden Markov model, cppjieba's `hmm_model.utf8`: four probabilities to begin with, 4 x 4 to
            go on, and those of characters in four lines.
        mp_path: file of words, cppjieba's `jieba.dict.utf8`: a word, its frequency and its kind in a line.
        mode: `JiebaMode.MP` by the words, `HMM` by the model, `MIX` by both.
        with_offsets: also give where the words begin and end, in bytes of UTF-8.

    Raises:
        TypeError: for arguments of another kind.
        ValueError: if a file is missing.
        RuntimeError: at the first call, if a file is not in its format.

    Examples:
        >>> import os, tempfile
        >>> from msjax.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     words, model = os.path.join(folder, "words"), os.path.join(folder, "model")
        ...     with open(words, "w", encoding="utf8") as file:
        ...         _ = file.write("明月 5 n\n明月光 20 n\n床 9 n\n前 9 n\n")
        ...     with open(model, "w", encoding="utf8") as file:
        ...         _ = file.write("0 0 0 0\n" * 5 + "光:0\n" * 4)
        ...     tokenizer = text.JiebaTokenizer(model, words, text.JiebaMode.MP)
        ...     print(tokenizer("床前明月光"))
        ['床' '前' '明月光']
    """

    def __init__(
        self,
        hmm_path: str,
        mp_path: str,
        mode: JiebaMode = JiebaMode.MIX,
        with_offsets: bool = False,
    ) -> None:
        op = type(self).__name__
        for name, value in (("hmm_path", hmm_path), ("mp_path", mp_path)):
            if value is None:
                checks.fail(ValueError, op, name, "be the path of a file", value)
            check_str(op, name, value)
        self.with_offsets = checks.check_bool(op, "with_offsets", with_offsets)
        self.mode = check_instance(op, "mode", mode, JiebaMode)
        for name, value in (("hmm_path", hmm_path), ("mp_path", mp_path)):
            if not Path(value).exists():
                checks.fail(ValueError, op, name, "be a file that exists", value)
        self.hmm_path, self.mp_path = hmm_path, mp_path
        self.words_added: list[tuple[str, int]] = []
        self._read_files: tuple[_Words, _Model] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what the files hold: another process reads them itself."""
        return self.__dict__ | {"_read_files": None}

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word to the dictionary.

        Args:
            word: it.
            freq: its frequency. None or 0: that of the median of the dictionary.

        Raises:
            TypeError, ValueError: for arguments of another kind.
        """
        op = "JiebaTokenizer.add_word"
        if word is None:
            checks.fail(ValueError, op, "word", "be a str", word)
        check_str(op, "word", word)
        self.words_added.append(
            (word, 0 if freq is None else checks.check_int(op, "freq", freq, 0, _UINT32_MAX))
        )
        self._read_files = None

    def add_dict(self, user_dict: str | dict[str, int]) -> None:
        """Add words to the dictionary.

        Args:
            user_dict: a dict from words to frequencies; or a file with a word, and if wanted its frequency, in a line. Other
                lines are left out, as in MindSpore.

        Raises:
            TypeError, ValueError: for arguments of another kind, or if there is no such file.
        """
        op = "JiebaTokenizer.add_dict"
        if isinstance(user_dict, dict):
            for word, freq in user_dict.items():
                self.add_word(word, freq)
            return
        if not isinstance(user_dict, str):
            checks.fail(TypeError, op, "user_dict", "be a str or a dict", user_dict)
        if not Path(user_dict).exists():
            checks.fail(ValueError, op, "user_dict", "be a file that exists", user_dict)
        try:
            lines = Path(user_dict).read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"`{op}`: {user_dict} is not in UTF-8: {error}.") from error
        for found in filter(None, (_LINE.match(line.strip()) for line in lines)):
            self.add_word(found[1], int(found[2] or 0))

    def apply(self, array: np.ndarray) -> Any:
        """Return the words of a string; of an empty one there is an empty word without offsets, as in MindSpore."""
        found = super().apply(array)
        if not self.with_offsets or array.item():
            return found
        return found[0], found[1][:0], found[2][:0]

    def pieces(self, text: str) -> list[Piece]:
        """Return the words and their places."""
        if self._read_files is None:
            op = type(self).__name__
            self._read_files = _Words(op, self.mp_path, self.words_added), _Model(op, self.hmm_path)
        words, model = self._read_files
        found: list[str] = []
        for part in filter(None, _BETWEEN.split(text)):
            if self.mode == JiebaMode.HMM:
                found.extend(model.cut(part))
            elif self.mode == JiebaMode.MP:
                found.extend(words.cut(part))
            else:
                found.extend(_join_with_model(words, model, part))
        return locate_pieces(found)


def _join_with_model(words: "_Words", model: "_Model", text: str) -> Iterator[str]:
    """Yield the words, those of one character that follow one another cut by the model."""
    singles = ""
    for word in words.cut(text):
        if len(word) == 1:
            singles += word
            continue
        yield from model.cut(singles)
        singles = ""
        yield word
    yield from model.cut(singles)


class _Words:
    """Words with the logarithms of their probabilities."""

    def __init__(self, op: str, path: str, added: list[tuple[str, int]]) -> None:
        frequencies: list[tuple[str, float]] = []
        for number, line in enumerate(_lines(op, path), 1):
            fields = line.split(" ")
            try:
                word, frequency, _ = fields
                frequencies.append((word, float(frequency)))
            except ValueError as error:
                rule = "a word, its frequency and its kind"
                raise RuntimeError(f"`{op}`: line {number} of {path} must have {rule}: {line!r}.") from error
        whole = sum(frequency for _, frequency in frequencies)
        try:
            weights = [log(frequency / whole) for _, frequency in frequencies]
        except (ValueError, ZeroDivisionError) as error:
            raise RuntimeError(f"`{op}`: the frequencies in {path} must be above 0.") from error
        if not weights:
            raise RuntimeError(f"`{op}`: {path} holds no words.")
        self.least = min(weights)
        median = sorted(weights)[len(weights) // 2]
        self.weights = dict(zip((word for word, _ in frequencies), weights, strict=True))
        self.weights |= {word: log(freq / whole) if freq else median for word, freq in added if word}
        self.longest = min(max(map(len, self.weights)), _LONGEST)
        self.prefixes = {word[:2] for word in self.weights if len(word) > 1}

    def cut(self, text: str) -> Iterator[str]:
        """Yield the words of largest probability."""
        best = [0.0] * (len(text) + 1)
        ends = [0] * len(text)
        for begin in range(len(text) - 1, -1, -1):
            weight = best[begin + 1] + self.weights.get(text[begin], self.least)
            most, ends[begin] = (weight, begin + 1) if weight > _LEAST else (_LEAST, begin + 1)
            if text[begin : begin + 2] in self.prefixes:
                for end in range(begin + 2, min(begin + self.longest, len(text)) + 1):
                    known = self.weights.get(text[begin:end])
                    if known is not None and known + best[end] > most:
                        most, ends[begin] = known + best[end], end
            best[begin] = most
        place = 0
        while place < len(text):
            yield text[place : ends[place]]
            place = ends[place]


class _Model:
    """A hidden Markov model of the places of characters in words."""

    def __init__(self, op: str, path: str) -> None:
        lines = [line for line in _lines(op, path) if line and not line.startswith("#")]
        try:
            if len(lines) < 9:
                raise ValueError(f"it has {len(lines)} lines of 9")
            self.start, *self.change = ([float(word) for word in line.split(" ")] for line in lines[:5])
            if any(len(row) != 4 for row in (self.start, *self.change)):
                raise ValueError("there must be 4 numbers in a line")
            pairs = [[one.split(":") for one in line.split(",")] for line in lines[5:9]]
            self.emitted = [{sign: float(value) for sign, value in each} for each in pairs]
        except ValueError as error:
            raise RuntimeError(f"`{op}`: {path} is no hidden Markov model of cppjieba's: {error}.") from error

    def cut(self, text: str) -> Iterator[str]:
        """Yield the likeliest words; runs of Latin letters and of digits are one word each."""
        for part in _ASCII.findall(text):
            if part[0] < "\x80":
                yield part
                continue
            places = self._places(part)
            cuts = [0, *(i + 1 for i, place in enumerate(places) if place in (_END, _SINGLE))]
            if cuts[-1] < len(part):
                cuts.append(len(part))
            yield from (part[begin:end] for begin, end in pairwise(cuts))

    def _places(self, text: str) -> list[int]:
        """Return the likeliest place of each character in its word (Viterbi's algorithm)."""
        weights = [self.start[y] + self.emitted[y].get(text[0], _LEAST) for y in range(4)]
        ways: list[list[int]] = []
        for sign in text[1:]:
            now, way = [], []
            for y in range(4):
                emitted = self.emitted[y].get(sign, _LEAST)
                most, before = _LEAST, _END
                for x in range(4):
                    weight = weights[x] + self.change[x][y] + emitted
                    if weight > most:
                        most, before = weight, x
                now.append(most)
                way.append(before)
            weights = now
            ways.append(way)
        places = [_END if weights[_END] >= weights[_SINGLE] else _SINGLE]
        for way in reversed(ways):
            places.append(way[places[-1]])
        return places[::-1]


def _lines(op: str, path: str) -> Iterator[str]:
    try:
        with Path(path).open(encoding="utf-8", newline="\n") as file:
            yield from (line.removesuffix("\n") for line in file)
    except (OSError, UnicodeDecodeError) as error:
        raise RuntimeError(f"`{op}`: {path} cannot be read: {error}.") from error
