"""Speech and music datasets: recordings in WAV files."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import contextlib
import functools
import re
import wave
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from msjax.dataset.public_sets.reader_table import (
    ROWS,
    ReaderResult,
    make_reader_class,
    parse_lines,
    read_lines,
    require_file,
)
from msjax.dataset.sources.rows import FileValue

_p = functools.partial(make_reader_class, __name__)
Given = Mapping[str, Any]


def _sound(op: str, path: Path, kind: Any, rate: int | None = None) -> tuple[FileValue, FileValue]:
    """Samples and how many there are in a second, when they are asked for."""
    return FileValue(path, _samples, op), FileValue(path, _rate, op, kind, rate)


@contextlib.contextmanager
def _open_wave(op: str, path: Path) -> Iterator[wave.Wave_read]:
    try:
        with wave.open(str(require_file(op, path)), "rb") as file:
            yield file
    except (wave.Error, EOFError) as error:
        raise RuntimeError(
            f"`{op}`: {path} is not a whole WAV file: {error or 'it ends too soon'}."
        ) from error


def _samples(path: Path, op: str) -> np.ndarray:
    """Return the samples, at most 1, a row for each channel."""
    with _open_wave(op, path) as file:
        width, channels = file.getsampwidth(), file.getnchannels()
        content, count = file.readframes(file.getnframes()), file.getnframes()
    if len(content) != count * width * channels:
        raise RuntimeError(f"`{op}`: {path} ends after {len(content)} bytes of {count * width * channels}.")
    if width == 1:
        samples = (np.frombuffer(content, np.uint8).astype(np.float32) - 128) / 128
    elif width in (2, 4):  # as in MindSpore, so that -32768 is a little below -1
        samples = np.frombuffer(content, f"<i{width}").astype(np.float32) / (2.0 ** (8 * width - 1) - 1)
    else:
        raise RuntimeError(f"`{op}`: {path} has samples of {8 * width} bits, which cannot be read.")
    return samples.reshape(-1, channels).T.copy()


def _rate(path: Path, op: str, kind: Any, rate: int | None) -> Any:
    with _open_wave(op, path) as file:
        found = file.getframerate()
    if rate not in (None, found):
        raise RuntimeError(f"`{op}`: {path} must have {rate} samples in a second. Received: {found}.")
    return kind(found)


def _yes_no(op: str, given: Given) -> ReaderResult:
    """Eight words in Hebrew, yes or no, which the file's name tells. Columns: `waveform`, `sample_rate`, `label`."""
    paths = [
        p for p in sorted(Path(given["dataset_dir"]).glob("*.wav")) if re.fullmatch(r"[01](_[01]){7}", p.stem)
    ]
    rows = [(*_sound(op, p, np.int32), np.array(p.stem.split("_"), np.int32)) for p in paths]
    return ReaderResult(("waveform", "sample_rate", "label"), rows)


def _speech_commands(op: str, given: Given) -> ReaderResult:
    """Single words, a folder for each. Columns: `waveform`, `sample_rate`, `label`, `speaker_id`, `utterance_number`.

    Args:
        dataset_dir: the folder of these, with `testing_list.txt` and `validation_list.txt`.
        usage: "train", "test", "valid" or "all". Default: all.
    """
    root, usage = Path(given["dataset_dir"]), given["usage"] or "all"
    lists = {"test": "testing_list.txt", "valid": "validation_list.txt"}
    wanted = {usage: lists[usage]} if usage in lists else lists if usage == "train" else {}
    listed = {line.strip() for name in wanted.values() for line in read_lines(op, root / name)}
    rows = []
    for path in sorted(root.glob("*/*.wav")):
        name, (speaker, _, number) = f"{path.parent.name}/{path.name}", path.stem.partition("_nohash_")
        inside = usage == "all" or (name in listed) == (usage != "train")
        if inside and path.parent.name != "_background_noise_":
            told = np.str_(path.parent.name), np.str_(speaker), np.int32(int(number or 0))
            rows.append((*_sound(op, path, np.int32), *told))
    return ReaderResult(("waveform", "sample_rate", "label", "speaker_id", "utterance_number"), rows)


def _lj_speech(op: str, given: Given) -> ReaderResult:
    """Return a reader's sentences. Columns: `waveform`, `sample_rate`, `transcription`, `normalized_transcription`."""
    root = Path(given["dataset_dir"])

    def sentence(line: str) -> tuple:
        name, said, plain = line.split("|")
        return *_sound(op, root / "wavs" / f"{name}.wav", np.int32), np.str_(said), np.str_(plain)

    rows = list(parse_lines(op, root / "metadata.csv", sentence))
    return ReaderResult(("waveform", "sample_rate", "transcription", "normalized_transcription"), rows)


def _cmu_arctic(op: str, given: Given) -> ReaderResult:
    """Sentences of one speaker. Columns: `waveform`, `sample_rate`, `transcript`, `utterance_id`.

    Args:
        dataset_dir: the folder with `cmu_us_aew_arctic` and the others.
        name: of the speaker, such as "aew". Default: "aew".
    """
    root = Path(given["dataset_dir"], f"cmu_us_{given['name'] or 'aew'}_arctic")
    rows = []
    for line in read_lines(op, root / "etc" / "txt.done.data"):
        match = re.match(r"""\(\s*(\S+)\s+"(.*)"\s*\)""", line.strip())
        if match:
            sound = _sound(op, root / "wav" / f"{match[1]}.wav", np.uint32, 16000)
            rows.append((*sound, np.str_(match[2]), np.str_(match[1].removeprefix("arctic_"))))
    return ReaderResult(("waveform", "sample_rate", "transcript", "utterance_id"), rows)


_PIECES = {
    "train": {
        "blues": "29-49 73-97",
        "classical": "30-33 43-48 50-67 80-99",
        "country": "19-26 28-29 65-99",
        "disco": "5 15-20 22-37 39-45 47 49 53-54 56-57 59 61 70 73-74 89",
        "hiphop": "2-25 28-29 31-38 41-42 55-61 77-80",
        "jazz": "0-1 11-24 41 47-72",
        "metal": "2-3 5 21 24 35 46-57 59-66 69 71-72 79-80 84 86 89-99",
        "pop": "2-9 11-12 16-20 23-29 31-36 38-42 44 46 49-50 80 97-99",
        "reggae": "0-2 4 6 9 11-12 14-32 42-45 49-51 54-60 63 69",
        "rock": "0-9 16-26 57-70 91-99",
    },
    "valid": {
        "blues": "0-11 50-60",
        "classical": "0-10 68-76",
        "country": "0-7 9-18 27 41-42 45 49",
        "disco": "0 2-4 6-14 46 48 52 67-68 72 75 90 95",
        "hiphop": "81-98",
        "jazz": "2-10 25-32",
        "metal": "0-1 6-11 16-20 36-37 68 76-77 81-82",
        "pop": "10 53 55 58-62 81 83-86",
        "reggae": "61-62 70 72 74 76-78 85 92-99",
        "rock": "38 49-56 71-85",
    },
    "test": {
        "blues": "12-28 61-72 98-99",
        "classical": "11-29 34-41 49 77-79",
        "country": "30-40 43-44 46-48 50-51 53-64",
        "disco": "1 21 58 62-66 69 76-88 91-94 96-97 99",
        "hiphop": "0 26-27 30 40 43-45 51-54 62-75 99",
        "jazz": "73-99",
        "metal": "12-15 22-23 25-33 38-39 67 70 73-75 78 83 85 87-88",
        "pop": "0-1 13-14 43 63-66 69-79 82 88-96",
        "reggae": "34-40 46-48 52-53 64-68 71 79 82-84 87-90",
        "rock": "10-15 27-37 39-48 86-90",
    },
}  # of each genre, without those that are damaged or there twice


def _gtzan(op: str, given: Given) -> ReaderResult:
    """Pieces of music, a folder for each genre. Columns: `waveform`, `sample_rate`, `label`.

    Args:
        dataset_dir: the folder of these.
        usage: "train", "valid" or "test", which leave out 70 that are damaged or there twice (B. Sturm, 2013); or "all".
            Default: all.
    """
    root, usage = Path(given["dataset_dir"]), given["usage"]
    if usage in (None, "all"):
        paths = sorted(root.glob("*/*.wav"))
    else:
        numbers = ((genre, number) for genre, runs in _PIECES[usage].items() for number in _numbers(runs))
        paths = [root / genre / f"{genre}.{number:05d}.wav" for genre, number in numbers]
        paths = [path for path in paths if path.is_file()]
    rows = [(*_sound(op, path, np.uint32, 22050), np.str_(path.parent.name)) for path in paths]
    return ReaderResult(("waveform", "sample_rate", "label"), rows)


def _numbers(runs: str) -> Iterator[int]:
    for run in runs.split():
        first, _, last = run.partition("-")
        yield from range(int(first), int(last or first) + 1)


_LIBRI = "dev-clean dev-other test-clean test-other train-clean-100 train-clean-360 train-other-500"


def _libri_tts(op: str, given: Given) -> ReaderResult:
    """Read books. Columns: `waveform`, `sample_rate`, `original_text`, `normalized_text`, and three numbers, uint32.

    Args:
        dataset_dir: the folder with `dev-clean` and the others.
        usage: one of these, or "all". Default: all.
    """
    root, usage, rows = Path(given["dataset_dir"]), given["usage"], []
    for part in _LIBRI.split() if usage in (None, "all") else [usage]:
        for table in sorted((root / part).glob("*/*/*.trans.tsv")):
            rows += parse_lines(op, table, functools.partial(_book_sentence, op, table.parent))
    names = "waveform sample_rate original_text normalized_text speaker_id chapter_id utterance_id"
    return ReaderResult(names.split(), rows)


def _book_sentence(op: str, folder: Path, line: str) -> tuple:
    name, said, plain = line.split("\t")[:3]
    speaker, chapter = (np.uint32(int(each)) for each in name.split("_")[:2])
    sound = _sound(op, folder / f"{name}.wav", np.uint32, 24000)
    return *sound, np.str_(said), np.str_(plain), speaker, chapter, np.str_(name)


def _tedlium(op: str, given: Given) -> ReaderResult:
    """Talks, cut into sentences. Columns: `waveform`, `sample_rate`, `transcript`, `talk_id`, `speaker_id`, `identifier`.

    The first sentences of all talks come first, then the second ones, and so on, as in MindSpore.

    Args:
        dataset_dir: the folder with `train`, `test` and `dev`, for "release3" with `data`; in each are `sph` and `stm`.
        release: "release1", "release2" or "release3".
        usage: "train", "test", "dev" or "all"; for "release3" "all" alone. Default: "all".
        extensions: the ending of the files of sound. Default: ".sph".
    """
    root, usage, third = Path(given["dataset_dir"]), given["usage"] or "all", given["release"] == "release3"
    if given["release"] is None or (third and usage != "all"):
        name = "usage" if third else "release"
        raise (ValueError if third else TypeError)(
            f"`{op}`: argument `{name}` does not fit. Received: {given[name]!r}."
        )
    parts = ["data"] if third else ["dev", "test", "train"] if usage == "all" else [usage]
    rows = []
    for part in parts:
        for notes in sorted(require_file(op, root / part / "stm").glob("*.stm")):
            sound = root / part / "sph" / f"{notes.stem}{given['extensions'] or '.sph'}"
            told = parse_lines(op, notes, functools.partial(_talk_sentence, op, sound))
            rows += [(number, columns[3], part, columns) for number, columns in enumerate(told)]
    rows.sort(key=lambda row: row[:3])
    names = "waveform sample_rate transcript talk_id speaker_id identifier"
    return ReaderResult(names.split(), [row[3] for row in rows])


def _talk_sentence(op: str, sound: Path, line: str) -> tuple:
    talk, _, speaker, start, end, mark, *said = line.split(maxsplit=6)
    samples = FileValue(sound, _sphere_samples, op, float(start), float(end))
    told = (np.str_(" ".join(said)), np.str_(talk), np.str_(speaker), np.str_(mark))
    return samples, FileValue(sound, _sphere_rate, op), *told


class _Sphere(NamedTuple):
    """Heading of a file in NIST's format: its length in bytes, samples in a second, their number and byte order."""

    size: int
    rate: int
    count: int
    order: str


def _sphere(path: Path, op: str) -> _Sphere:
    with require_file(op, path).open("rb") as file:
        lines = file.read(16).split(b"\n")
        if lines[0] != b"NIST_1A":
            raise RuntimeError(f"`{op}`: {path} is not a file in NIST's format.")
        size = int(lines[1])
        file.seek(0)
        content = file.read(size).decode("ascii", "replace")
    words = [line.split(maxsplit=2) for line in content.splitlines()]
    fields = {word[0]: word[2] for word in words if len(word) == 3}
    order = ">" if fields.get("sample_byte_format") == "10" else "<"
    heading = _Sphere(size, int(fields["sample_rate"]), int(fields["sample_count"]), order)
    if path.stat().st_size < size + 2 * heading.count:
        raise RuntimeError(
            f"`{op}`: {path} ends after {path.stat().st_size} bytes of {size + 2 * heading.count}."
        )
    return heading


def _sphere_rate(path: Path, op: str) -> np.int32:
    return np.int32(_sphere(path, op).rate)


def _sphere_samples(path: Path, op: str, start: float, end: float) -> np.ndarray:
    """Return a piece of a file in NIST's format, between two seconds: samples in [-1, 1), shape (1, n)."""
    heading = _sphere(path, op)
    first, last = (min(max(int(second * heading.rate), 0), heading.count) for second in (start, end))
    count = max(last - first, 0)
    found = np.fromfile(path, f"{heading.order}i2", count, offset=heading.size + 2 * first)
    return found.astype(np.float32)[None] / 2**15


_SPEAKERS = "aew ahw aup awb axb bdl clb eey fem gka jmk ksp ljm lnh rms rxr slp slt"
YesNoDataset = _p("YesNoDataset", "dataset_dir, " + ROWS, _yes_no)
SpeechCommandsDataset = _p(
    "SpeechCommandsDataset", "dataset_dir, usage=None, " + ROWS, _speech_commands, "train test valid all"
)
LJSpeechDataset = _p("LJSpeechDataset", "dataset_dir, " + ROWS, _lj_speech)
CMUArcticDataset = _p(
    "CMUArcticDataset", "dataset_dir, name=None, " + ROWS, _cmu_arctic, {"name": _SPEAKERS.split()}
)
GTZANDataset = _p("GTZANDataset", "dataset_dir, usage=None, " + ROWS, _gtzan, "train valid test all")
LibriTTSDataset = _p("LibriTTSDataset", "dataset_dir, usage=None, " + ROWS, _libri_tts, f"{_LIBRI} all")
TedliumDataset = _p(
    "TedliumDataset",
    "dataset_dir, release, usage=None, extensions=None, " + ROWS,
    _tedlium,
    {
        "release": ["release1", "release2", "release3"],
        "usage": ["train", "test", "dev", "all"],
        "extensions": [".sph"],
    },
)
