"""Tokenizers: whitespace, Unicode script, regular expression, WordPiece, BERT."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.text.base import (
    Piece,
    TextTransform,
    Tokenizer,
    check_instance,
    check_str,
    locate_pieces,
    tokens_to_arrays,
    utf8_size,
)
from msjax.dataset.text.unicode import NormalizeForm, casefold, compile_pattern, normalize
from msjax.dataset.text.vocab import Vocab

_UNUSED = re.compile(r"(\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]|\[unused\d+\])")
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class UnicodeCharTokenizer(Tokenizer):
    """The characters of a string.

    Args:
        with_offsets: whether their beginnings and ends, in bytes, come too.

    Raises:
        TypeError: for another one.
        RuntimeError: when called with something else than one string; so do the other tokenizers.

    Examples:
        >>> from msjax.dataset import text
        >>> text.UnicodeCharTokenizer()("a b").tolist()
        ['a', ' ', 'b']
    """

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = checks.check_bool(type(self).__name__, "with_offsets", with_offsets)

    def pieces(self, text: str) -> Sequence[Piece]:
        """Return the characters and their places."""
        return locate_pieces(list(text))


class WhitespaceTokenizer(UnicodeCharTokenizer):
    """Split a string at whitespace.

    Args:
        with_offsets: whether beginnings and ends, in bytes, come too.

    Examples:
        >>> from msjax.dataset import text
        >>> text.WhitespaceTokenizer()("As soon as").tolist()
        ['As', 'soon', 'as']
    """

    def words(self, text: str) -> list[str]:
        """Return the words alone."""
        return text.split()

    def pieces(self, text: str) -> Sequence[Piece]:
        """Return the words and their places."""
        return [one for one in locate_pieces(re.split(r"(\s+)", text)) if one[0] and not one[0].isspace()]


class UnicodeScriptTokenizer(Tokenizer):
    """A string cut where the script changes, between Latin and Chinese letters or between letters and punctuation.

    Args:
        keep_whitespace: whether white space is a token too.
        with_offsets: whether beginnings and ends, in bytes, come too.
    """

    def __init__(self, keep_whitespace: bool = False, with_offsets: bool = False) -> None:
        op = "UnicodeScriptTokenizer"
        self.keep = checks.check_bool(op, "keep_whitespace", keep_whitespace)
        self.with_offsets = checks.check_bool(op, "with_offsets", with_offsets)

    def pieces(self, text: str) -> Sequence[Piece]:
        """The runs of one script and their places."""
        runs = locate_pieces(
            ["".join(run) for _, run in groupby(text, lambda one: (one.isspace(), _script(one)))]
        )
        return [one for one in runs if self.keep or not one[0].isspace()]


def _script(letter: str) -> str:
    """Return a letter's script, after its name in Unicode; what is no letter is common to all."""
    if unicodedata.category(letter)[0] not in "LM":
        return "COMMON"
    words = unicodedata.name(letter, "COMMON").split()
    return words[1] if words[0] in ("FULLWIDTH", "HALFWIDTH") and len(words) > 1 else words[0]


class RegexTokenizer(Tokenizer):
    """Split a string at the matches of a regular expression.

    Args:
        delim_pattern: the expression, as for `RegexReplace`.
        keep_delim_pattern: matches that this one matches too are tokens; "": none.
        with_offsets: whether beginnings and ends, in bytes, come too.

    Raises:
        TypeError: for other arguments.
        RuntimeError: when called, if a pattern is none.

    Examples:
        >>> from msjax.dataset import text
        >>> text.RegexTokenizer("[,;]", ";")("a,b;c").tolist()
        ['a', 'b', ';', 'c']
    """

    def __init__(self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False) -> None:
        op = "RegexTokenizer"
        self.delimiter = check_str(op, "delim_pattern", delim_pattern)
        self.kept = check_str(op, "keep_delim_pattern", keep_delim_pattern)
        self.with_offsets = checks.check_bool(op, "with_offsets", with_offsets)

    def pieces(self, text: str) -> Sequence[Piece]:
        """Return the parts and their places."""
        delimiter = compile_pattern("RegexTokenizer", self.delimiter)
        kept = compile_pattern("RegexTokenizer", self.kept) if self.kept else None
        parts, wanted, end = [], [], 0
        for found in delimiter.finditer(text):
            if found.end() > found.start():
                parts += [text[end : found.start()], found[0]]
                wanted += [True, kept is not None and kept.fullmatch(found[0]) is not None]
                end = found.end()
        runs = zip(locate_pieces([*parts, text[end:]]), [*wanted, True], strict=True)
        return [piece for piece, want in runs if want and piece[0]]


class BasicTokenizer(Tokenizer):
    """Words, punctuation and Chinese characters, the first step of BERT's.

    Args:
        lower_case: fold cases, and take accents off.
        keep_whitespace: whether white space is a token too.
        normalization_form: if cases are not folded: a `NormalizeForm` to bring the string into before.
        preserve_unused_token: keep [CLS], [SEP], [UNK], [PAD], [MASK] and [unused1] ... in one piece.
        with_offsets: whether beginnings and ends, in bytes of the normalized string, come too.

    Raises:
        TypeError: for other arguments.

    Examples:
        >>> from msjax.dataset import text
        >>> text.BasicTokenizer(lower_case=True)("Hello, wörld!").tolist()
        ['hello', ',', 'world', '!']
    """

    def __init__(
        self,
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        op = type(self).__name__
        self.form = check_instance(op, "normalization_form", normalization_form, NormalizeForm)
        self.lower = checks.check_bool(op, "lower_case", lower_case)
        self.keep = checks.check_bool(op, "keep_whitespace", keep_whitespace)
        self.preserve = checks.check_bool(op, "preserve_unused_token", preserve_unused_token)
        self.with_offsets = checks.check_bool(op, "with_offsets", with_offsets)

    def pieces(self, text: str) -> Sequence[Piece]:
        """Return the tokens and their places."""
        parts: list[str] = []
        for i, part in enumerate(_UNUSED.split(text) if self.preserve else [text]):
            parts += [part] if i % 2 else _split(self._clean_text(part))
        return [one for one in locate_pieces(parts) if one[0] and (self.keep or not one[0].isspace())]

    def _clean_text(self, text: str) -> str:
        if self.lower:
            apart = unicodedata.normalize("NFD", casefold(text))
            text = "".join(one for one in apart if unicodedata.category(one) != "Mn")
        else:
            text = normalize(text, self.form)
        return "".join(" " if unicodedata.category(one) in ("Cc", "Cf") else one for one in text)


def _split(text: str) -> list[str]:
    """Runs of white space, of letters, and single marks and Chinese characters."""
    kinds = [_kind(letter, place) for place, letter in enumerate(text)]
    runs = groupby(zip(kinds, text, strict=True), lambda pair: pair[0])
    return ["".join(letter for _, letter in run) for _, run in runs]


def _kind(letter: str, place: int) -> Any:
    """Return a key that is equal for neighbouring letters of one token; a mark has its own position, so it stays alone."""
    if letter.isspace():
        return "space"
    mark = unicodedata.category(letter)[0] == "P" or (letter.isascii() and not letter.isalnum())
    if mark or any(low <= ord(letter) <= high for low, high in _CJK):
        return place
    return "word"


class WordpieceTokenizer(TextTransform):
    """Words cut into the longest pieces that a vocabulary has, from the left.

    Args:
        vocab: a `Vocab`.
        suffix_indicator: what pieces other than the first begin with there.
        max_bytes_per_token: longer words are unknown.
        unknown_token: what stands for a word that cannot be cut; "": the word itself.
        with_offsets: whether beginnings and ends within each word, in bytes, come too; an unknown word has its own
            (MindSpore's has those of the pieces that were tried, or of `unknown_token`).

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something else than a string or a sequence of strings.

    Examples:
        >>> from msjax.dataset import text
        >>> vocab = text.Vocab.from_list(["work", "##ing", "[UNK]"])
        >>> text.WordpieceTokenizer(vocab)(["working", "x"]).tolist()
        ['work', '##ing', '[UNK]']
    """

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        with_offsets: bool = False,
    ) -> None:
        op = type(self).__name__
        self.words = frozenset(check_instance(op, "vocab", vocab, Vocab).vocab())
        self.suffix = check_str(op, "suffix_indicator", suffix_indicator)
        self.most = checks.check_int(op, "max_bytes_per_token", max_bytes_per_token, 0, 2**32 - 1)
        self.unknown = check_str(op, "unknown_token", unknown_token)
        self.with_offsets = checks.check_bool(op, "with_offsets", with_offsets)

    def apply(self, array: np.ndarray) -> Any:
        """Return the pieces, with their offsets if these are wanted."""
        strings = self.strings(array)
        if strings.ndim > 1:
            raise RuntimeError(
                f"`WordpieceTokenizer`: takes strings in at most one dimension. Received: shape {strings.shape}."
            )
        words = np.atleast_1d(strings).tolist()
        return tokens_to_arrays([piece for word in words for piece in self.cut(word)], self.with_offsets)

    def cut(self, word: str, base: int = 0) -> list[Piece]:
        """Return the pieces of a word that begins at byte `base`."""
        whole = [(self.unknown or word, base, base + utf8_size(word))]
        if not word:
            return [("", base, base)]
        if utf8_size(word) > self.most:
            return whole
        pieces, start = [], 0
        while start < len(word):
            head = self.suffix if start else ""
            ends = (end for end in range(len(word), start, -1) if head + word[start:end] in self.words)
            end = next(ends, None)
            if end is None:
                return whole
            pieces.append(
                (head + word[start:end], base + utf8_size(word[:start]), base + utf8_size(word[:end]))
            )
            start = end
        return pieces


class BertTokenizer(Tokenizer):
    """`BasicTokenizer`, then `WordpieceTokenizer` (J. Devlin et al., "BERT", 2018).

    Args:
        vocab: as for `WordpieceTokenizer`.
        suffix_indicator: the same.
        max_bytes_per_token: the same.
        unknown_token: the same.
        lower_case: as for `BasicTokenizer`.
        keep_whitespace: the same.
        normalization_form: the same.
        preserve_unused_token: the same.
        with_offsets: whether beginnings and ends, in bytes of the normalized string, come too.

    Raises:
        TypeError, ValueError: for other arguments.
        RuntimeError: when called with something else than one string.
    """

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        self.basic = BasicTokenizer(
            lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets
        )
        self.wordpiece = WordpieceTokenizer(
            vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets
        )
        self.with_offsets = with_offsets

    def pieces(self, text: str) -> Sequence[Piece]:
        """Return the pieces and their places."""
        return [
            piece for word, start, _ in self.basic.pieces(text) for piece in self.wordpiece.cut(word, start)
        ]
