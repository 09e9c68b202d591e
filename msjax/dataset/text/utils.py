"""Vocabularies, word vectors, enums for tokenizer arguments, strings as bytes (`mindspore.dataset.text.utils`)."""

from typing import Any

import numpy as np

from msjax.dataset.text.jieba import JiebaMode as JiebaMode
from msjax.dataset.text.sentence_piece import SentencePieceModel as SentencePieceModel
from msjax.dataset.text.sentence_piece import SentencePieceVocab as SentencePieceVocab
from msjax.dataset.text.sentence_piece import SPieceTokenizerLoadType as SPieceTokenizerLoadType
from msjax.dataset.text.sentence_piece import SPieceTokenizerOutType as SPieceTokenizerOutType
from msjax.dataset.text.unicode import NormalizeForm as NormalizeForm
from msjax.dataset.text.vectors import CharNGram as CharNGram
from msjax.dataset.text.vectors import FastText as FastText
from msjax.dataset.text.vectors import GloVe as GloVe
from msjax.dataset.text.vectors import Vectors as Vectors
from msjax.dataset.text.vocab import Vocab as Vocab


def to_bytes(array: Any, encoding: str = "utf8") -> np.ndarray:
    """Return an array of bytes for an array of str.

    Raises:
        ValueError: if it is not an array.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import text
        >>> text.to_bytes(np.array(["ab", "c"]))
        array([b'ab', b'c'], dtype='|S2')
    """
    if not isinstance(array, np.ndarray):
        raise ValueError(f"`to_bytes`: takes an array. Received: {array!r} ({type(array).__name__}).")
    return np.char.encode(array, encoding)


def to_str(array: Any, encoding: str = "utf8") -> np.ndarray:
    """Return an array of str for an array of bytes; one of str already, as pipelines hold them, is given back.

    Raises:
        TypeError: if it is not an array.

    Examples:
        >>> import numpy as np
        >>> from msjax.dataset import text
        >>> text.to_str(np.array([b"ab", b"c"]))
        array(['ab', 'c'], dtype='<U2')
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"`to_str`: takes an array. Received: {array!r} ({type(array).__name__}).")
    return array if array.dtype.kind == "U" else np.char.decode(array, encoding)
