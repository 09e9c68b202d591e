"""`Vocab`: a vocabulary of words and their ids."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.text.base import check_str


class Vocab:
    """Vocabulary: words with a number for each; made by one of the class methods.

    Examples:
        >>> from msjax.dataset import text
        >>> vocab = text.Vocab.from_list(["a", "b"], special_tokens=["<unk>"])
        >>> vocab.vocab()
        {'<unk>': 0, 'a': 1, 'b': 2}
        >>> vocab.tokens_to_ids(["b", "c"]), vocab.ids_to_tokens(1)
        ([2, -1], 'a')
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] | None = None
        self._words: dict[int, str] = {}

    @classmethod
    def _of(cls, ids: dict[str, int]) -> "Vocab":
        vocab = cls()
        vocab._ids = ids
        vocab._words = {number: word for word, number in ids.items()}
        return vocab

    @classmethod
    def from_list(
        cls, word_list: list[str], special_tokens: list[str] | None = None, special_first: bool = True
    ) -> "Vocab":
        """Return the words in their order, numbered from 0.

        Args:
            word_list: list of str, each once.
            special_tokens: more words, such as "<pad>".
            special_first: whether these come first, or last.

        Raises:
            TypeError, ValueError: for something else, and for a word that comes twice.
        """
        op = "Vocab.from_list"
        words, special = _words(op, "word_list", word_list), _words(op, "special_tokens", special_tokens)
        return cls._of(
            _number_words(op, words, special, checks.check_bool(op, "special_first", special_first))
        )

    @classmethod
    def from_dict(cls, word_dict: dict[str, int]) -> "Vocab":
        """Make a vocabulary from a dict of words and numbers.

        Raises:
            TypeError, ValueError: if it is not a dict from str to numbers of at least 0.
        """
        op = "Vocab.from_dict"
        if not isinstance(word_dict, dict):
            checks.fail(TypeError, op, "word_dict", "be a dict from str to int", word_dict)
        for word, number in word_dict.items():
            check_str(op, "word_dict", word)
            checks.check_int(op, "word_dict", number, 0)
        return cls._of(dict(word_dict))

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> "Vocab":
        """Return the first words of the lines of a file.

        Args:
            file_path: a file in UTF-8.
            delimiter: what ends the word in a line; "": the whole line is the word.
            vocab_size: how many lines to read. Default: all.
            special_tokens: as for `from_list`.
            special_first: as for `from_list`.

        Raises:
            TypeError, ValueError: for other arguments.
            RuntimeError: if there is no such file, or a word comes twice.
        """
        op = "Vocab.from_file"
        check_str(op, "delimiter", delimiter)
        if vocab_size is not None:
            checks.check_int(op, "vocab_size", vocab_size, 1)
        special = _words(op, "special_tokens", special_tokens)
        if not Path(check_str(op, "file_path", file_path)).is_file():
            checks.fail(RuntimeError, op, "file_path", "be a file that exists", file_path)
        lines = Path(file_path).read_text("utf8").splitlines()[:vocab_size]
        words = [line.split(delimiter)[0] if delimiter else line for line in lines]
        try:
            return cls._of(
                _number_words(op, words, special, checks.check_bool(op, "special_first", special_first))
            )
        except ValueError as error:
            raise RuntimeError(str(error)) from error

    @classmethod
    def from_dataset(
        cls,
        dataset: Any,
        columns: str | list[str] | None = None,
        freq_range: tuple[int | None, int | None] | None = None,
        top_k: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> "Vocab":
        """Return the words in columns of a dataset, the most frequent first, then by the alphabet.

        Args:
            dataset: a dataset with columns of strings.
            columns: which. Default: all.
            freq_range: (least, most) how often a word must come; None: no limit.
            top_k: how many words. Default: all.
            special_tokens: as for `from_list`.
            special_first: as for `from_list`.

        Raises:
            TypeError, ValueError: for other arguments.
            RuntimeError: for columns that there are not, or that hold no strings.
        """
        op = "Vocab.from_dataset"
        least, most = _range(op, freq_range)
        if top_k is not None:
            checks.check_int(op, "top_k", top_k, 1)
        special = _words(op, "special_tokens", special_tokens)
        counts = _count(op, dataset, columns)
        kept = [word for word, count in counts.items() if least <= count <= most]
        words = sorted(kept, key=lambda word: (-counts[word], word))[:top_k]
        return cls._of(
            _number_words(op, words, special, checks.check_bool(op, "special_first", special_first))
        )

    def vocab(self) -> dict[str, int]:
        """Return the words and their numbers.

        Raises:
            RuntimeError: if the vocabulary was not made by one of the class methods.
        """
        if self._ids is None:
            raise RuntimeError(
                "`Vocab`: has no words yet. Use Vocab.from_list, from_dict, from_file or from_dataset."
            )
        return dict(self._ids)

    def tokens_to_ids(self, tokens: Any) -> Any:
        """Return the number of a word, or a list of numbers for several; -1 for unknown words.

        Raises:
            TypeError: if it is not a str, list or array of str.
        """
        ids = self.vocab()
        given = _check_list("tokens_to_ids", "tokens", tokens, str)
        for one in given:
            check_str("Vocab.tokens_to_ids", "tokens", one)
        found = [ids.get(str(one), -1) for one in given]
        return found[0] if len(found) == 1 else found

    def ids_to_tokens(self, ids: Any) -> Any:
        """Return the word of a number, or a list of words for several; "" for unknown numbers.

        Raises:
            TypeError: if it is not an int, list or array of int.
            ValueError: if one is negative.
        """
        self.vocab()
        given = _check_list("ids_to_tokens", "ids", ids, int)
        found = [
            self._words.get(checks.check_int("Vocab.ids_to_tokens", "ids", int(one), 0), "") for one in given
        ]
        return found[0] if len(found) == 1 else found


def _check_list(method: str, name: str, value: Any, kind: type) -> list[Any]:
    if isinstance(value, kind):
        return [value]
    if not isinstance(value, list | np.ndarray):
        rule = f"be of type {kind.__name__}, or a list or array of such"
        checks.fail(TypeError, f"Vocab.{method}", name, rule, value)
    return np.atleast_1d(value).tolist() if isinstance(value, np.ndarray) else value


def _words(op: str, name: str, value: Any) -> list[str]:
    if name == "special_tokens" and value is None:
        return []
    if not isinstance(value, list):
        checks.fail(TypeError, op, name, "be a list of str", value)
    repeated = [
        word for word, count in Counter(check_str(op, name, one) for one in value).items() if count > 1
    ]
    if repeated:
        raise ValueError(f"`{op}`: argument `{name}` must hold each word once. Received twice: {repeated}.")
    return value


def _number_words(op: str, words: Sequence[str], special: Sequence[str], first: bool) -> dict[str, int]:
    both = [*special, *words] if first else [*words, *special]
    repeated = [word for word, count in Counter(both).items() if count > 1]
    if repeated:
        raise ValueError(f"`{op}`: special tokens and words must differ. Received twice: {repeated}.")
    return {word: number for number, word in enumerate(both)}


def _range(op: str, value: Any) -> tuple[float, float]:
    if value is None:
        return 0, float("inf")
    if not isinstance(value, tuple) or len(value) != 2:
        checks.fail(TypeError, op, "freq_range", "be a pair (least, most)", value)
    least = 0 if value[0] is None else checks.check_int(op, "freq_range", value[0], 0)
    most = float("inf") if value[1] is None else checks.check_int(op, "freq_range", value[1], 0)
    if least > most:
        checks.fail(ValueError, op, "freq_range", "be increasing", value)
    return least, most


def _count(op: str, dataset: Any, columns: Any) -> Counter[str]:
    names = dataset.get_col_names()
    wanted = names if not columns else checks.check_column_names(op, "columns", columns)
    checks.check_columns_exist(op, "columns", wanted, names)
    counts: Counter[str] = Counter()
    for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        for name in wanted:
            if row[name].dtype.kind not in "US":
                raise RuntimeError(f"`{op}`: column `{name}` holds no strings. Received: {row[name].dtype}.")
            counts.update(_decode_text(row[name].ravel().tolist()))
    return counts


def _decode_text(words: Iterable[Any]) -> list[str]:
    return [word.decode("utf8") if isinstance(word, bytes) else word for word in words]
