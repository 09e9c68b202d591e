"""Text datasets: reviews and questions, running text, tagged words, translations."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import contextlib
import functools
import glob
import html
import itertools
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.common import checks
from msjax.dataset.pipeline.nodes import FileRows
from msjax.dataset.public_sets.json_arrays import JsonFile
from msjax.dataset.public_sets.reader_table import (
    LINES,
    LINES_LATE,
    ROWS,
    ReaderResult,
    make_reader_class,
    require_file,
)
from msjax.dataset.sources.lines import (
    LineFile,
    Lines,
    Translations,
    find_filled_lines,
    find_lines,
    find_lines_and_empty,
    find_matches,
    find_paragraphs,
    find_records,
    find_unmarked_lines,
)
from msjax.dataset.sources.rows import FileValue
from msjax.dataset.sources.text_files import split_record

_p = functools.partial(make_reader_class, __name__)
Given = Mapping[str, Any]


def _parts(given: Given, names: Mapping[str, str], all_: str = "all") -> list[str]:
    """Return the files of a `usage`."""
    usage = given["usage"]
    return list(names.values()) if usage in (None, all_) else [names[usage]]


# ---------------------------------------------------------------------- tables


def _table(columns: str, first: str = "test") -> Callable[[str, Given], ReaderResult]:
    order = (
        {"test": "test.csv", "train": "train.csv"}
        if first == "test"
        else {"train": "train.csv", "test": "test.csv"}
    )

    def read(op: str, given: Given) -> ReaderResult:
        """Return a text data set in comma-separated files, `train.csv` and `test.csv`; every column is a string.

        Args:
            dataset_dir: the folder of the files.
            usage: "train", "test" or "all". Default: all.

        The other arguments are those of `TextFileDataset`.
        """
        names = columns.split()
        parse = functools.partial(_record, len(names))
        return ReaderResult(names, _lines(op, given, _parts(given, order), find_records, parse=parse))

    return read


def _lines(op: str, given: Given, names: Iterable[str], find: Callable = find_lines, **more: Any) -> Lines:
    """Return the lines of files in the folder of the data set."""
    paths = [require_file(op, Path(given["dataset_dir"], name)) for name in names]
    return Lines(op, [LineFile(path, find) for path in paths], **more)


def _record(count: int, line: str) -> tuple[np.str_, ...]:
    values = split_record(line)
    if len(values) != count:
        raise ValueError(f"a row must have {count} columns, not {len(values)}")
    return tuple(map(np.str_, values))


def _sst2(op: str, given: Given) -> ReaderResult:
    """Sentences of film reviews and their sentiment, in `train.tsv`, `dev.tsv`, `test.tsv`.

    Columns: `sentence` and, but for the test, `label`; both are strings.
    """
    usage = given["usage"] or "train"
    columns, parse = (
        (["sentence"], _parse_unrated) if usage == "test" else (["sentence", "label"], _parse_rated)
    )
    return ReaderResult(columns, _lines(op, given, [f"{usage}.tsv"], find_filled_lines, first=1, parse=parse))


def _parse_rated(line: str) -> tuple[np.str_, ...]:
    sentence, mark = line.removesuffix("\r").split("\t")
    return np.str_(sentence), np.str_(mark)


def _parse_unrated(line: str) -> tuple[np.str_, ...]:
    return (np.str_(line.removesuffix("\r").split("\t")[1]),)


# ---------------------------------------------------------------------- running text


def _running_text_reader(
    pattern: str, usages: str, empty: bool = False
) -> Callable[[str, Given], ReaderResult]:
    def read(op: str, given: Given) -> ReaderResult:
        """Running text. Column: `text`, a line.

        Args:
            dataset_dir: the folder of the files.
            usage: which of them. Default: all.

        The other arguments are those of `TextFileDataset`.
        """
        names = {usage: pattern.format(usage) for usage in usages.split()}
        parts = _parts(given, names) if "usage" in given else [pattern]
        return ReaderResult(["text"], _lines(op, given, parts, find_lines_and_empty if empty else find_lines))

    return read


def _imdb(op: str, given: Given) -> ReaderResult:
    """Film reviews, one in a file, in the folders `pos` and `neg` of `train` and `test`.

    Columns: `text`, a string; `label`, int32: 1 for "pos".
    """
    rows = []
    for part in _parts(given, {"train": "train", "test": "test"}):
        for name, label in (("pos", 1), ("neg", 0)):
            paths = sorted(require_file(op, Path(given["dataset_dir"], part, name)).glob("*.txt"))
            rows += [(FileValue(path, _whole), np.int32(label)) for path in paths]
    return ReaderResult(["text", "label"], rows, {"neg": 0, "pos": 1})


def _whole(path: Path) -> np.str_:
    return np.str_(path.read_text(encoding="utf-8"))


# ---------------------------------------------------------------------- words and translations


def _make_tag_reader(
    columns: str, files: dict[str, str], split: str | None
) -> Callable[[str, Given], ReaderResult]:
    def read(op: str, given: Given) -> ReaderResult:
        """Sentences as words with tags; an empty line ends a sentence. Every column is a vector of strings.

        Args:
            dataset_dir: the folder of the files.
            usage: which of them. Default: all.

        The other arguments are those of `TextFileDataset`.
        """
        names = columns.split()
        parse = functools.partial(_parse_tagged, len(names), split)
        return ReaderResult(names, _lines(op, given, _parts(given, files), find_paragraphs, parse=parse))

    return read


def _parse_tagged(count: int, split: str | None, sentence: str) -> tuple[np.ndarray, ...]:
    words = [line.removesuffix("\r").split(split) for line in sentence.split("\n")]
    for word in words:
        if len(word) < count:
            raise ValueError(f"a line must have {count} columns, and {word} has {len(word)}")
    return tuple(np.array([word[i] for word in words]) for i in range(count))


def _language_pair(op: str, given: Given, default: tuple[str, str], allowed: Any = None) -> tuple[str, str]:
    pair = given["language_pair"] or default
    if not isinstance(pair, list | tuple) or not all(isinstance(each, str) for each in pair):
        checks.fail(TypeError, op, "language_pair", "be a list or tuple of two str", pair)
    if len(pair) != 2 or (allowed and tuple(pair) not in allowed):
        checks.fail(ValueError, op, "language_pair", "be a pair of languages that is there", pair)
    return tuple(pair)  # type: ignore[return-value]


def _multi30k(op: str, given: Given) -> ReaderResult:
    """Descriptions of pictures in English and German. Columns: `text`, `translation`, strings.

    Args:
        dataset_dir: the folder with `training`, `validation`, `mmt16_task1_test`.
        usage: "train", "valid", "test" or "all". Default: all.
        language_pair: ["en", "de"] or ["de", "en"]. Default: ["en", "de"].
    """
    pair = _language_pair(op, given, ("en", "de"), {("en", "de"), ("de", "en")})
    stems = {"test": "mmt16_task1_test/test", "train": "training/train", "valid": "validation/val"}
    sides = [
        _lines(op, given, [f"{stem}.{language}" for stem in _parts(given, stems)], find_lines_and_empty).files
        for language in pair
    ]
    return ReaderResult(["text", "translation"], Translations(op, *sides))


_MARKED = rb"<(?:url|keywords|talkid|description|reviewer|translator|title|speaker|/?doc)"
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|amp|lt|gt|quot|apos);")  # of XML, which HTML has more of
_find_spoken = functools.partial(find_unmarked_lines, marks=_MARKED)
_find_segments = functools.partial(find_matches, pattern=rb"<seg[^>]*>(.*?)</seg>")


def _talks(
    op: str, root: Path, year: str, pair: tuple[str, str], usage: str, sets: Mapping[str, str]
) -> Translations:
    """Return the rows of the parts of an IWSLT data set: lines for training, segments of markup for the rest."""
    joined, sides = "-".join(pair), []
    for language in pair:
        files = []
        for part in ("train", "valid", "test") if usage == "all" else (usage,):
            name = f"train.tags.{joined}.{language}"
            if part != "train":
                name = f"IWSLT{year}.TED.{sets[part]}.{joined}.{language}.xml"
            path = require_file(op, root / name)
            train = part == "train"
            files.append(
                LineFile(path, _find_spoken, str.strip) if train else LineFile(path, _find_segments, _segment)
            )
        sides.append(files)
    return Translations(op, *sides)


def _segment(text: str) -> str:
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text).strip()


_PAIRS_2016 = {pair for other in ("ar", "de", "fr", "cs") for pair in (("en", other), (other, "en"))}
_PAIRS_2017 = set(itertools.permutations(("en", "nl", "de", "it", "ro"), 2))
_TALKS_2016 = ["dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014"]


def _iwslt2016(op: str, given: Given) -> ReaderResult:
    """Talks and their translations. Columns: `text`, `translation`, strings.

    Args:
        dataset_dir: the folder with `texts`.
        usage: "train", "valid", "test" or "all". Default: all.
        language_pair: source and target. Default: ("de", "en").
        valid_set: which set validates. Default: "tst2013".
        test_set: which set tests. Default: "tst2014".
    """
    pair = _language_pair(op, given, ("de", "en"), _PAIRS_2016)
    for key in ("valid_set", "test_set"):
        if given[key] is not None and given[key] not in _TALKS_2016:
            checks.fail(ValueError, op, key, f"be one of {_TALKS_2016}", given[key])
    sets = {"valid": given["valid_set"] or "tst2013", "test": given["test_set"] or "tst2014"}
    root = Path(given["dataset_dir"], "texts", *pair, "-".join(pair))
    return ReaderResult(["text", "translation"], _talks(op, root, "16", pair, given["usage"] or "all", sets))


def _iwslt2017(op: str, given: Given) -> ReaderResult:
    """Talks and their translations. Columns: `text`, `translation`, strings.

    Args:
        dataset_dir: the folder with `texts/DeEnItNlRo`.
        usage: "train", "valid", "test" or "all". Default: all.
        language_pair: source and target. Default: ("de", "en").
    """
    pair, name = _language_pair(op, given, ("de", "en"), _PAIRS_2017), "DeEnItNlRo"
    root = Path(given["dataset_dir"], "texts", name, name, f"{name}-{name}")
    sets = {"valid": "dev2010", "test": "tst2010"}
    return ReaderResult(["text", "translation"], _talks(op, root, "17", pair, given["usage"] or "all", sets))


# ---------------------------------------------------------------------- questions


def _squad(op: str, given: Given) -> ReaderResult:
    """Questions on articles. Columns: `context`, `question`, strings; `text`, the answers; `answer_start`, uint32.

    A question without an answer has an empty one at 2**32 - 1.
    """
    files = []
    for part in _parts(given, {"train": "train", "dev": "dev"}):
        paths = sorted(Path(given["dataset_dir"]).glob(f"{part}-v*.json"))
        if not paths:
            raise RuntimeError(
                f"`{op}`: there is no {part}-v1.1.json or {part}-v2.0.json in {given['dataset_dir']}."
            )
        files.append(JsonFile(op, paths[0]))
    return ReaderResult(["context", "question", "text", "answer_start"], _Questions(op, files))


class _Questions(FileRows):
    """The questions of files; an article is read when one of its questions is asked for, and kept for the next ones."""

    def __init__(self, op: str, files: Sequence[JsonFile]) -> None:
        self.articles: list[tuple[JsonFile, int, int]] = []
        lengths, self.counts = [], []
        for file in files:
            begin = sum(lengths)
            for _, start, end, article in file.elements({"data"}):
                with _as_squad(op, file.path):
                    lengths.append(sum(len(paragraph["qas"]) for paragraph in article["paragraphs"]))
                self.articles.append((file, start, end))
            self.counts.append(sum(lengths) - begin)
        self.op = op
        self._ends: list[int] = np.cumsum(lengths).tolist()
        self._last: tuple[int, list[tuple]] = -1, []

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def file_of(self, index: int) -> Path:
        """The path of the file of a row."""
        return self.articles[bisect_right(self._ends, index)][0].path

    def __getitem__(self, index: int) -> tuple:
        number = bisect_right(self._ends, index)
        kept, rows = self._last
        if kept != number:
            file, start, end = self.articles[number]
            with _as_squad(self.op, file.path):
                paragraphs = file.load(start, end)["paragraphs"]
                rows = [_question_row(p["context"], q) for p in paragraphs for q in p["qas"]]
            self._last = number, rows
        return rows[index - self._ends[number]]


@contextlib.contextmanager
def _as_squad(op: str, path: Path) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, IndexError) as error:
        raise RuntimeError(f"`{op}`: {path} is not SQuAD's: {type(error).__name__}: {error}.") from error


def _question_row(context: str, question: Mapping[str, Any]) -> tuple:
    answers = question.get("answers") or [{"text": "", "answer_start": 2**32 - 1}]
    texts, starts = (np.array([a[key] for a in answers]) for key in ("text", "answer_start"))
    return np.str_(context), np.str_(question["question"]), texts, starts.astype(np.uint32)


_TWO = {"sentence1": str, "sentence2": str}
_CLUE: dict[str, dict[str, dict[str, Any]]] = {
    "AFQMC": {"train": {"label": str, **_TWO}, "test": {"id": int, **_TWO}},
    "CMNLI": {"train": {"label": str, **_TWO}, "test": {"id": int, **_TWO}},
    "TNEWS": {
        "train": dict.fromkeys(["keywords", "label", "label_desc", "sentence"], str),
        "test": {"id": int, "keywords": str, "sentence": str},
    },
    "IFLYTEK": {"train": dict.fromkeys(["label", "label_des", "sentence"], str), "test": {"id": int, "sentence": str}},
    "CSL": {
        "train": {"abst": str, "id": int, "keyword": list, "label": str},
        "test": {"abst": str, "id": int, "keyword": list},
    },
    "WSC": {
        "train": {
            "idx": int, "label": str, "target/span1_index": int, "target/span1_text": str, "target/span2_index": int,
            "target/span2_text": str, "text": str,
        },
        "test": {
            "idx": int, "target/span1_index": int, "target/span1_text": str, "target/span2_index": int,
            "target/span2_text": str, "text": str,
        },
    },
}  # fmt: skip


def _clue(op: str, given: Given) -> ReaderResult:
    """Tasks of Chinese language understanding, one row in a line of JSON.

    Args:
        dataset_files: a path or pattern, or a list of such.
        task: "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL", which decides the columns. Default: "AFQMC".
        usage: "train", "test" or "eval". Default: "train".

    The other arguments are those of `TextFileDataset`. Numbers are uint32, the rest strings.
    """
    given_files = given["dataset_files"]
    patterns = [given_files] if isinstance(given_files, str) else given_files
    if not isinstance(patterns, list):
        checks.fail(TypeError, op, "dataset_files", "be a str or a list of str", given_files)
    paths = sorted({path for pattern in patterns for path in glob.glob(pattern) if Path(path).is_file()})
    if not paths:
        checks.fail(ValueError, op, "dataset_files", "name files that exist", given_files)
    kinds = _CLUE[given["task"]]["test" if given["usage"] == "test" else "train"]
    lines = Lines(
        op,
        [LineFile(Path(path), find_filled_lines) for path in paths],
        parse=functools.partial(_fields, kinds),
    )
    return ReaderResult([key.rpartition("/")[2] for key in kinds], lines)


def _fields(kinds: Mapping[str, Any], line: str) -> tuple[Any, ...]:
    row = json.loads(line)
    return tuple(_field(row, key, kind) for key, kind in kinds.items())


def _field(row: Mapping[str, Any], key: str, kind: Any) -> Any:
    value: Any = row
    for part in key.split("/"):
        if part not in value:
            raise ValueError(f"a row lacks {key!r}, which its task has")
        value = value[part]
    return np.uint32(value) if kind is int else np.array(value) if kind is list else np.str_(value)


_DIR = "dataset_dir, usage=None, "
_HALVES, _THIRDS = "train test all", "train test valid all"
_CSV: Sequence[tuple[str, str, str, str]] = (
    ("AGNewsDataset", "index title description", LINES, "test"),
    ("AmazonReviewDataset", "label title content", LINES, "test"),
    ("DBpediaDataset", "class title content", LINES, "test"),
    ("YahooAnswersDataset", "class title content answer", LINES, "test"),
    ("SogouNewsDataset", "index title content", LINES_LATE, "train"),
    ("YelpReviewDataset", "label text", LINES_LATE, "train"),
)
_MADE = {
    name: _p(name, _DIR + tail, _table(columns, first), _HALVES, by_turns=True)
    for name, columns, tail, first in _CSV
}
AGNewsDataset, AmazonReviewDataset, DBpediaDataset = (
    _MADE[f"{n}Dataset"] for n in ("AGNews", "AmazonReview", "DBpedia")
)
YahooAnswersDataset, SogouNewsDataset = _MADE["YahooAnswersDataset"], _MADE["SogouNewsDataset"]
YelpReviewDataset = _MADE["YelpReviewDataset"]
SST2Dataset = _p("SST2Dataset", _DIR + LINES, _sst2, "train test dev", by_turns=True)
PennTreebankDataset = _p(
    "PennTreebankDataset",
    _DIR + LINES,
    _running_text_reader("ptb.{}.txt", "test train valid"),
    _THIRDS,
    by_turns=True,
)
WikiTextDataset = _p(
    "WikiTextDataset",
    _DIR + LINES,
    _running_text_reader("wiki.{}.tokens", "test train valid"),
    _THIRDS,
    by_turns=True,
)
EnWik9Dataset = _p(
    "EnWik9Dataset",
    "dataset_dir, " + LINES.replace("Shuffle.GLOBAL", "True"),
    _running_text_reader("enwik9", "", empty=True),
    by_turns=True,
)
_UD = {"valid": "en-ud-tag.v2.dev.txt", "test": "en-ud-tag.v2.test.txt", "train": "en-ud-tag.v2.train.txt"}
UDPOSDataset = _p(
    "UDPOSDataset",
    _DIR + LINES_LATE,
    _make_tag_reader("word universal stanford", _UD, "\t"),
    _THIRDS,
    by_turns=True,
)
CoNLL2000Dataset = _p(
    "CoNLL2000Dataset", _DIR + LINES_LATE,
    _make_tag_reader("word pos_tag chunk_tag", {"test": "test.txt", "train": "train.txt"}, None), _HALVES, by_turns=True,
)  # fmt: skip
IMDBDataset = _p("IMDBDataset", _DIR + ROWS, _imdb, _HALVES)
Multi30kDataset = _p(
    "Multi30kDataset", _DIR + "language_pair=None, " + LINES.replace("Shuffle.GLOBAL", "None"), _multi30k,
    _THIRDS, by_turns=True,
)  # fmt: skip
IWSLT2016Dataset = _p(
    "IWSLT2016Dataset", _DIR + "language_pair=None, valid_set=None, test_set=None, " + LINES_LATE, _iwslt2016,
    _THIRDS, by_turns=True,
)  # fmt: skip
IWSLT2017Dataset = _p(
    "IWSLT2017Dataset", _DIR + "language_pair=None, " + LINES_LATE, _iwslt2017, _THIRDS, by_turns=True
)
SQuADDataset = _p("SQuADDataset", _DIR + LINES, _squad, "train dev all", by_turns=True)
CLUEDataset = _p(
    "CLUEDataset", "dataset_files, task='AFQMC', usage='train', " + LINES, _clue,
    {"task": list(_CLUE), "usage": ["train", "test", "eval"]}, by_turns=True,
)  # fmt: skip
