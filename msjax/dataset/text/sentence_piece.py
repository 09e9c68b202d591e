"""Subword tokenizer by SentencePiece's models (Kudo, Richardson, 2018): `SentencePieceVocab`, `SentencePieceTokenizer`.

Google's library trains and reads the models, as in MindSpore; it comes with msjax's extra `text`.
A model's file gives the same pieces in both. Of a model that is trained here only those of kind UNIGRAM may have others: the
library's version differs.
"""

import io
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.text.base import TextTransform, check_instance, check_str
from msjax.files.atomic_write import write_file


class SentencePieceModel(IntEnum):
    """Kinds of SentencePiece models."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerLoadType(IntEnum):
    """Source of a SentencePiece model: file or object."""

    FILE = 0
    MODEL = 1


class SPieceTokenizerOutType(IntEnum):
    """Output type of `SentencePieceTokenizer`."""

    STRING = 0
    INT = 1


class SentencePieceVocab:
    r"""A SentencePiece model; made by one of the class methods.

    Examples:
        >>> import os, tempfile
        >>> from msjax.dataset import text
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "lines.txt")
        ...     with open(path, "w") as file:
        ...         _ = file.write("the cat sees the house\nthe dog sees the cat")
        ...     vocab = text.SentencePieceVocab.from_file([path], 18, 1.0, text.SentencePieceModel.BPE, {})
        >>> tokenizer = text.SentencePieceTokenizer(vocab, text.SPieceTokenizerOutType.STRING)
        >>> tokenizer("the dog").tolist()
        ['▁the', '▁', 'd', 'o', 'g']
    """

    def __init__(self) -> None:
        self.model: bytes | None = None

    @classmethod
    def from_file(
        cls,
        file_path: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> "SentencePieceVocab":
        """Train a model on the lines of files.

        Args:
            file_path: list of files in UTF-8.
            vocab_size: number of pieces.
            character_coverage: share of the characters that the model knows; 0.9995 for scripts with many, else 1.0.
            model_type: the kind of model.
            params: further settings of the library's trainer, by name. Arguments above count if they are there too.

        Raises:
            ImportError: if SentencePiece is not installed.
            TypeError, ValueError: for arguments of another kind.
            RuntimeError: if a file is not there, or the library cannot train with these settings.
        """
        op = "SentencePieceVocab.from_file"
        for path in check_instance(op, "file_path", file_path, list) or [None]:
            if not isinstance(path, str) or not Path(path).is_file():
                checks.fail(RuntimeError, op, "file_path", "be a list of files that exist", file_path)
        return cls._train(op, vocab_size, character_coverage, model_type, params, input=file_path)

    @classmethod
    def from_dataset(
        cls,
        dataset: Any,
        col_names: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> "SentencePieceVocab":
        """Train a model on the strings of a data set.

        Args:
            dataset: the data set.
            col_names: the columns that hold strings.
            vocab_size: as for `from_file`.
            character_coverage: as for `from_file`.
            model_type: as for `from_file`.
            params: as for `from_file`.

        Raises:
            ImportError: if SentencePiece is not installed.
            TypeError, ValueError: for arguments of another kind.
            RuntimeError: for a column that is not there or holds no strings, or if the library cannot train.
        """
        op = "SentencePieceVocab.from_dataset"
        columns = [
            check_str(op, "col_names", one) for one in check_instance(op, "col_names", col_names, list)
        ]
        missing = [one for one in columns if one not in dataset.get_col_names()]
        if missing or not columns:
            checks.fail(RuntimeError, op, "col_names", f"be of {dataset.get_col_names()}", col_names)

        def sentences() -> Iterator[str]:
            for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
                for column in columns:
                    if row[column].dtype.kind != "U":
                        checks.fail(RuntimeError, op, "col_names", "name columns of strings", column)
                    yield from row[column].ravel().tolist()

        return cls._train(
            op, vocab_size, character_coverage, model_type, params, sentence_iterator=sentences()
        )

    @classmethod
    def _train(
        cls, op: str, vocab_size: Any, coverage: Any, model_type: Any, params: Any, **source: Any
    ) -> "SentencePieceVocab":
        if vocab_size is None:
            raise TypeError("vocab_size must be provided.")
        checks.check_int(op, "vocab_size", vocab_size, 0)
        check_instance(op, "character_coverage", coverage, float)
        check_instance(op, "model_type", model_type, SentencePieceModel)
        written = io.BytesIO()
        settings = check_instance(op, "params", params, dict) | {
            "vocab_size": vocab_size, "character_coverage": coverage, "model_type": model_type.name.lower(),
        }  # fmt: skip
        library = _import_library(op)
        try:
            library.SentencePieceTrainer.Train(
                **source, **settings, model_writer=written, minloglevel=2, num_threads=1
            )
        except (RuntimeError, OSError, KeyError) as error:
            raise RuntimeError(f"`{op}`: SentencePiece cannot train a model: {error}") from error
        made = cls()
        made.model = written.getvalue()
        return made

    @classmethod
    def save_model(cls, vocab: "SentencePieceVocab", path: str, filename: str) -> None:
        """Write a model to a file, which SentencePiece's other programs read too.

        Args:
            vocab: the model.
            path: the folder.
            filename: the name in it.

        Raises:
            TypeError: for arguments of another kind.
            RuntimeError: if there is no such folder, or no model yet.
        """
        op = "SentencePieceVocab.save_model"
        check_instance(op, "vocab", vocab, SentencePieceVocab)
        if not Path(check_str(op, "path", path)).is_dir():
            checks.fail(RuntimeError, op, "path", "be a folder that exists", path)
        if vocab.model is None:
            raise RuntimeError(f"`{op}`: argument `vocab` has no model; make it with `from_file`.")
        write_file(str(Path(path, check_str(op, "filename", filename))), [vocab.model], read_only=False)


class SentencePieceTokenizer(TextTransform):
    """Split a string into the pieces of a SentencePiece model.

    Args:
        mode: the model: a `SentencePieceVocab`, or the path of a model's file.
        out_type: `SPieceTokenizerOutType.STRING` for the pieces, `INT` for their numbers, int32.

    Raises:
        ImportError: if SentencePiece is not installed.
        TypeError: for arguments of another kind.
        RuntimeError: at the call, if the model cannot be read, or for something else than one string.

    Examples:
        See :class:`SentencePieceVocab`.
    """

    def __init__(self, mode: str | SentencePieceVocab, out_type: SPieceTokenizerOutType) -> None:
        op = type(self).__name__
        if not isinstance(mode, str | SentencePieceVocab):
            checks.fail(TypeError, op, "mode", "be a str or a SentencePieceVocab", mode)
        self.mode, self.out_type = mode, check_instance(op, "out_type", out_type, SPieceTokenizerOutType)
        self._processor: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the library's object: another process makes its own."""
        return self.__dict__ | {"_processor": None}

    def apply(self, array: np.ndarray) -> np.ndarray:
        """Return the pieces of a string, or their numbers."""
        strings = self.strings(array)
        if strings.ndim:
            raise RuntimeError(
                f"`{type(self).__name__}`: takes one string. Received: an array of shape {strings.shape}."
            )
        if self._processor is None:
            self._processor = self._read()
        if self.out_type == SPieceTokenizerOutType.INT:
            return np.array(self._processor.Encode(strings.item(), out_type=int), np.int32)
        return np.array(self._processor.Encode(strings.item(), out_type=str), str)

    def _read(self) -> Any:
        op, library = type(self).__name__, _import_library(type(self).__name__)
        model = self.mode.model if isinstance(self.mode, SentencePieceVocab) else None
        if isinstance(self.mode, str):
            if not Path(self.mode).is_file():
                checks.fail(RuntimeError, op, "mode", "be a file that exists", self.mode)
            model = Path(self.mode).read_bytes()
        if not model:
            raise RuntimeError(f"`{op}`: argument `mode` has no model. Received: {self.mode!r}.")
        try:
            return library.SentencePieceProcessor(model_proto=model)
        except RuntimeError as error:
            raise RuntimeError(f"`{op}`: {self.mode!r} is no SentencePiece model: {error}.") from error


def _import_library(op: str) -> ModuleType:
    try:
        import sentencepiece  # not needed by other text transforms, and not installed with them
    except ImportError as error:
        raise ImportError(
            f"`{op}`: needs the package sentencepiece: pip install 'msjax[text]' or pip install sentencepiece."
        ) from error
    return sentencepiece
