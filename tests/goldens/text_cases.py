"""Expressions over `mindspore.dataset.text` that mean the same under MindSpore and under msjax."""

from typing import Any

import numpy as np

FILES = {
    "words.txt": "w1\nw2\nw3\n\nw4\n",
    "pairs.txt": "a,1\nb,2\nc\n",
    "vectors.txt": "ok 0.418 0.24968 -0.41242\n! 0.013441 0.23682 -0.16899\nis 1 2 3\n",
    "glove.6B.3d.txt": "ok 0.418 0.24968 -0.41242\nis 1 2 3\n",
    "fast.vec": "2 3\nok 0.418 0.24968 -0.41242\nis 1 2 3\n",
    "grams.txt": "2gram-ok 0.4 0.2\n1gram-o 0.1 0.2\n2gram-is 1 2\n",
}
WORDS = (
    "床 前 明 i am mak make small mistake ##s during work ##ing hour 😀 😃 + 12 I [CLS] [SEP] [UNK] [unused1]"
).split()
TEXTS = ["Hello world!", " a  b ", "北京 欢迎您\uff01", "a", "", "我喜欢China! 12", "\tq\n", "Ünï, ÀB"]
BERT = ["I am making small mistakes", "床前明月光", "😀嘿😃", "[CLS] I am[SEP] é", "", "hours12", "Am MAKING"]


def namespace(ms: Any, ds: Any, text: Any) -> dict[str, Any]:
    """The names that the expressions use."""

    def rows(dataset: Any) -> list[Any]:
        return [list(row) for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    def numbers(vocab: Any) -> list[Any]:
        return sorted(vocab.vocab().items(), key=lambda pair: pair[1])

    def slices(data: Any, names: Any = None) -> Any:
        return ds.NumpySlicesDataset(data, names, shuffle=False)

    own = {name: getattr(text, name) for name in dir(text) if not name.startswith("_")}
    own |= {"V": text.Vocab.from_list(["a", "b", "<unk>"], ["<pad>"]), "B": text.Vocab.from_list(WORDS)}
    return own | {"ms": ms, "A": np.array, "rows": rows, "numbers": numbers, "slices": slices, "S": str}


def _cases() -> list[str]:
    cases = [line.strip() for line in _LINES.strip().splitlines()]
    for offsets in (False, True):
        for text in TEXTS:
            cases += [f"{name}(with_offsets={offsets})({text!r})" for name in _PLAIN]
            cases += [
                f"UnicodeScriptTokenizer(True, {offsets})({text!r})",
                f"RegexTokenizer('[\\\\s|,]', '\\\\s', {offsets})({text!r})",
                f"RegexTokenizer('\\\\p{{P}}', '', {offsets})({text!r})",
                f"BasicTokenizer(True, True, NormalizeForm.NFKC, True, {offsets})({text!r})",
                f"BasicTokenizer(False, True, NormalizeForm.NFD, True, {offsets})({text!r})",
            ]
        cases += [f"BertTokenizer(B, with_offsets={offsets})({text!r})" for text in BERT]
    for text in BERT:
        cases += [
            f"WordpieceTokenizer(B)({text!r})",
            f"WordpieceTokenizer(B, unknown_token='')({text!r})",
            f"WordpieceTokenizer(B, max_bytes_per_token=3)({text!r})",
            f"BertTokenizer(B, normalization_form=NormalizeForm.NFKC, preserve_unused_token=False)({text!r})",
        ]
    cases += [f"NormalizeUTF8(NormalizeForm({i}))(['ṩ', 'ﬁ', '2⁵', 'ｱ'])" for i in range(5)]
    return cases


_PLAIN = ["UnicodeCharTokenizer", "WhitespaceTokenizer", "UnicodeScriptTokenizer", "BasicTokenizer"]
_LINES = r"""
to_bytes(A(["ab", "c"]))
to_str(A([b"ab", b"c"]))
to_str("ab")
to_bytes("a")
numbers(V)
V.tokens_to_ids("a")
V.tokens_to_ids(["a"])
V.tokens_to_ids(["a", "zz"])
V.tokens_to_ids(A(["a", "b"]))
V.tokens_to_ids(1)
V.tokens_to_ids([1])
V.ids_to_tokens(1)
V.ids_to_tokens([1, 99])
V.ids_to_tokens(A([1, 0]))
V.ids_to_tokens([-1])
V.ids_to_tokens("a")
Vocab().vocab()
numbers(Vocab.from_list(["a", "b"], special_tokens=["x"], special_first=False))
numbers(Vocab.from_dict({"a": 3, "b": 0}))
Vocab.from_dict({"a": -3})
Vocab.from_dict({1: 3})
Vocab.from_list(["a", "a"])
Vocab.from_list("ab")
Vocab.from_list(["a"], special_tokens=["a"])
Vocab.from_list([1])
numbers(Vocab.from_file("words.txt"))
numbers(Vocab.from_file("pairs.txt", ",", None, ["<u>"], False))
numbers(Vocab.from_file("pairs.txt", ",", 2))
Vocab.from_file("nope.txt")
Vocab.from_file("pairs.txt", ",", -1)
numbers(Vocab.from_dataset(slices([["b", "a", "c"], ["b", "c", "b"]], ["t"]), "t"))
numbers(Vocab.from_dataset(slices([["b", "a", "c"], ["b", "c", "b"]], ["t"]), top_k=2, special_tokens=["<p>"]))
numbers(Vocab.from_dataset(slices([["b", "a", "c"], ["b", "c", "b"]], ["t"]), ["t"], (2, None), None, ["<p>"], False))
Vocab.from_dataset(slices([["b"]], ["t"]), ["x"])
Vocab.from_dataset(slices([["b"]], ["t"]), freq_range=(3, 1))
Vocab.from_dataset(slices([["b"]], ["t"]), top_k=0)
Lookup(V)("a")
Lookup(V, "<unk>")(["a", "zz"])
Lookup(V)("zz")
Lookup(V, "nope")("a")
Lookup(V, "a", ms.float32)("b")
Lookup(V, "a", ms.int64)(A([["b", "a"]]))
Lookup("x")
Lookup(V)(1)
AddToken("T", True)(["a", "b"])
AddToken("T", False)(A([["a", "b"], ["c", "d"]]))
AddToken("T")("a")
AddToken("T")(A([1, 2]))
AddToken(1)
AddToken("T", 1)
Ngram(3, separator="-")(["a", "b", "c", "d"])
Ngram([1, 2], ("^", 1), ("$", 1), " ")(["a", "b"])
Ngram(3)(["a", "b"])
Ngram(2, ("^", 2), ("$", 2))(["a", "b"])
Ngram([1, 4], ("^", 1), ("$", 1))(["a"])
Ngram([0])
Ngram([])
Ngram(2, ("", -1))
Ngram(2)("a")
PythonTokenizer(S.split)(A("a bc"))
PythonTokenizer(S.split)("a bc")
PythonTokenizer(S.split)(A(1))
PythonTokenizer(1)
SlidingWindow(3)(A([1, 2, 3, 4, 5]))
SlidingWindow(2, -1)(A(["a", "b", "c"]))
SlidingWindow(2, 0)([1.0, 2.0, 3.0])
SlidingWindow(2)(A([[1, 2, 3], [4, 5, 6]]))
SlidingWindow(2, 1)(A([1, 2]))
SlidingWindow(0)
ToNumber(ms.int8)(["1", "-2"])
ToNumber(ms.float32)("1.5")
ToNumber(ms.float16)(A(["1.5"]))
ToNumber(ms.int8)("300")
ToNumber(ms.int32)("a")
ToNumber(ms.int32)("1.5")
ToNumber(ms.int32)(" 7")
ToNumber(ms.float64)("1e400")
ToNumber(ms.uint8)("-1")
ToNumber(ms.bool_)
ToNumber("int32")
Truncate(2)(["a", "b", "c"])
Truncate(4)(A([1, 2, 3]))
Truncate(2)(A([[1, 2, 3]]))
Truncate(0)
Truncate("a")
Truncate(2)("a")
TruncateSequencePair(4)(A([1, 2, 3]), A([4, 5]))
TruncateSequencePair(3)(["a", "b"], ["c", "d", "e"])
TruncateSequencePair(1)(A([1, 2]), A([3, 4]))
TruncateSequencePair(3)(A([1]))
UnicodeCharTokenizer(1)
UnicodeCharTokenizer()(["a", "b"])
UnicodeCharTokenizer()(1)
RegexTokenizer(1)
RegexTokenizer("(")("a")
WordpieceTokenizer(B)(["making", "hour", "I"])
WordpieceTokenizer("a")
WordpieceTokenizer(B, max_bytes_per_token=-1)
BertTokenizer(B)(["I am", "hour"])
CaseFold()("Welcome  To BERLÍN!")
CaseFold()(["ÀÉ", "ŐẞΣς", "İ"])
CaseFold()(1)
NormalizeUTF8("x")
RegexReplace("o", "0", False)("foo")
RegexReplace("(\\w)-", "$1+")("a-b-c")
RegexReplace("\\p{L}", "_")("aé1")
RegexReplace("[\\p{L}1]+", "_")("aé1 !")
RegexReplace(1, "a")
RegexReplace("(", "a")("x")
FilterWikipediaXML()("Welcome <b>to</b> China 1 [[x|y]] & é")
FilterWikipediaXML()("&nbsp; k &lt;b&gt; l {{t}} |thumb")
ToVectors(Vectors.from_file("vectors.txt"))("ok")
ToVectors(Vectors.from_file("vectors.txt"), [-1, -1, -1])(["ok", "zz"])
ToVectors(Vectors.from_file("vectors.txt"), None, True)(["OK", "abc"])
ToVectors(Vectors.from_file("vectors.txt"), [1, 2])("ok")
ToVectors(Vectors.from_file("vectors.txt", 1))("is")
ToVectors(GloVe.from_file("glove.6B.3d.txt"))(["ok", "is"])
ToVectors(FastText.from_file("fast.vec"))(["ok", "is"])
ToVectors(CharNGram.from_file("grams.txt"))(["ok", "is", "o"])
GloVe.from_file("vectors.txt")
FastText.from_file("vectors.txt")
Vectors.from_file("no.txt")
Vectors.from_file("vectors.txt", -1)
ToVectors(1)
rows(slices(["I am", "hour 12"], ["t"]).map(WhitespaceTokenizer(True), ["t"], ["a", "b", "c"]))
rows(slices(["I am", "hour 12"], ["t"]).map([WhitespaceTokenizer(), Lookup(B, "[UNK]")]))
rows(slices(["I am", "hour 12"], ["t"]).map(PythonTokenizer(S.split)))
rows(slices({"a": [["a", "b", "c"]], "b": [["d", "e"]]}).map(TruncateSequencePair(3), ["a", "b"]))
"""
CASES = _cases()
