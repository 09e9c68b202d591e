"""`mindspore.dataset.text`: everything in `tests/goldens/text_cases.py`, against what real MindSpore gave."""

import json
import math
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from msjax import dataset as ds
from msjax.core import dtype
from msjax.dataset import text

GOLDENS = Path(__file__).parents[2] / "goldens"
sys.path.insert(0, str(GOLDENS))

import text_cases  # noqa: E402
from dataset_values import evaluate  # noqa: E402

RECORDED = json.loads((GOLDENS / "text.json").read_text("utf8"))
DTYPES = SimpleNamespace(**{name: getattr(dtype, name) for name in dir(dtype) if not name.startswith("_")})
# MindSpore gives more offsets than tokens where a word could be cut only in part.
DIFFERENT = {"BertTokenizer(B, with_offsets=True)('hours12')"}


def close(want: Any, got: Any) -> bool:
    if isinstance(want, list):
        return len(want) == len(got) and all(map(close, want, got))
    if isinstance(want, dict):
        return want.keys() == got.keys() and all(close(want[key], got[key]) for key in want)
    return math.isclose(want, got, rel_tol=1e-6) if isinstance(want, float) else want == got


@pytest.mark.filterwarnings("ignore:`SlidingWindow`")
def test_values_and_errors_are_those_of_mindspore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in text_cases.FILES.items():
        Path(name).write_text(content, "utf8")
    names, wrong = text_cases.namespace(DTYPES, ds, text), []
    for source in text_cases.CASES:
        got = json.loads(json.dumps(evaluate(source, names)))
        if source not in DIFFERENT and not close(RECORDED[source], got):
            wrong.append((source, RECORDED[source], got))
    assert not wrong


def test_special_words_stand_where_they_were_when_cases_are_folded() -> None:
    # MindSpore repeats the string once for each of them.
    given = text.BasicTokenizer(lower_case=True)("[CLS] I Am[SEP] É")
    assert given.tolist() == ["[CLS]", "i", "am", "[SEP]", "e"]


def test_a_replacement_treats_each_string() -> None:
    assert text.RegexReplace("onetwo", "one")(["onetwoonetwo", "x"]).tolist() == ["oneone", "x"]


def test_an_unknown_word_has_its_own_place() -> None:
    vocab = text.Vocab.from_list(["work", "[UNK]"])
    tokens, starts, ends = text.WordpieceTokenizer(vocab, with_offsets=True)(["works", "work"])
    assert (tokens.tolist(), starts.tolist(), ends.tolist()) == (["[UNK]", "work"], [0, 0], [5, 4])


def test_strings_from_a_pipeline_are_strings_already() -> None:
    assert text.to_str(np.array(["ab"])).tolist() == ["ab"]


def test_jieba_names_the_file_and_goes_to_other_processes(tmp_path: Path) -> None:
    words, model = tmp_path / "words", tmp_path / "model"
    words.write_text("明月 5 n\n光 9 n\n", encoding="utf8")
    model.write_text("0 0 0 0\n" * 5 + "光:0\n" * 4, encoding="utf8")
    tokenizer = text.JiebaTokenizer(str(model), str(words))
    assert tokenizer("明月光").tolist() == ["明月", "光"]
    tokenizer.add_word("明月光", 90)
    again = pickle.loads(pickle.dumps(tokenizer))
    assert tokenizer("明月光").tolist() == again("明月光").tolist() == ["明月光"]
    model.write_text("0 0 0 0\n")
    with pytest.raises(
        RuntimeError, match=r"`JiebaTokenizer`: .*model is no hidden Markov model .* 1 lines of 9"
    ):
        text.JiebaTokenizer(str(model), str(words))("a")
    for content, rule in (
        ("明月 5\n", "line 1 of .*words must have a word"),
        ("", "words holds no words"),
        ("a 0 n\n", "above 0"),
    ):
        words.write_text(content, encoding="utf8")
        with pytest.raises(RuntimeError, match=f"`JiebaTokenizer`: .*{rule}"):
            text.JiebaTokenizer(str(model), str(words))("a")


def test_sentence_pieces_say_which_package_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    tokenizer = text.SentencePieceTokenizer(__file__, text.SPieceTokenizerOutType.INT)
    with pytest.raises(ImportError, match=r"pip install 'msjax\[text\]'"):
        tokenizer("a")
    with pytest.raises(
        ImportError, match=r"`SentencePieceVocab\.from_file`: needs the package sentencepiece"
    ):
        text.SentencePieceVocab.from_file([__file__], 9, 1.0, text.SentencePieceModel.BPE, {})
