"""Speech and music datasets: recordings in WAV files."""

# The arguments that readers describe are those of their datasets.
# ruff: noqa: D417

import functools
import re
import wave
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from msjax.dataset.public_sets.reader_table import (
    ROWS,
    ReaderResult,
    make_reader_class,
    read_lines,
    require_file,
)

_p = functools.partial(make_reader_class, __name__)
Given = Mapping[str, Any]


def _read(op: str, path: Path) -> tuple[np.ndarray, int]:
    """Return the samples in [-1, 1), a row for each channel, and how many there are in a second."""
    try:
        with wave.open(str(require_file(op, path)), "rb") as file:
            width, channels = file.getsampwidth(), file.getnchannels()
            content, count = file.readframes(file.getnframes()), file.getnframes()
            rate = file.getframerate()
    except (wave.Error, EOFError) as error:
        raise RuntimeError(
            f"`{op}`: {path} is not a whole WAV file: {error or 'it ends too soon'}."
        ) from error
    if len(content) != count * width * channels:
        raise RuntimeError(f"`{op}`: {path} ends after {len(content)} bytes of {count * width * channels}.")
    if width == 1:
        samples = (np.frombuffer(content, np.uint8).astype(np.float32) - 128) / 128
    elif width in (2, 4):
        samples = np.frombuffer(content, f"<i{width}").astype(np.float32) / 2.0 ** (8 * width - 1)
    else:
        raise RuntimeError(f"`{op}`: {path} has samples of {8 * width} bits, which cannot be read.")
    return samples.reshape(-1, channels).T.copy(), rate


def _sound(op: str, path: Path, kind: Any, rate: int | None = None) -> tuple[Callable, Callable]:
    """Samples and rate, when they are asked for."""

    def checked() -> Any:
        found = _read(op, path)[1]
        if rate not in (None, found):
            raise RuntimeError(f"`{op}`: {path} must have {rate} samples in a second. Received: {found}.")
        return kind(found)

    return lambda: _read(op, path)[0], checked


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
    root, rows = Path(given["dataset_dir"]), []
    for line in read_lines(op, root / "metadata.csv"):
        if line.strip():
            name, said, plain = line.split("|")
            rows.append((*_sound(op, root / "wavs" / f"{name}.wav", np.int32), np.str_(said), np.str_(plain)))
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


def _gtzan(op: str, given: Given) -> ReaderResult:
    """Pieces of music, a folder for each genre. Columns: `waveform`, `sample_rate`, `label`.

    Args:
        dataset_dir: the folder of these.
        usage: "all"; the parts that others made of it, "train", "valid" and "test", are not here.
    """
    if given["usage"] not in (None, "all"):
        raise NotImplementedError(f"`{op}`: argument `usage` may be 'all'. Received: {given['usage']!r}.")
    paths = sorted(Path(given["dataset_dir"]).glob("*/*.wav"))
    rows = [(*_sound(op, path, np.uint32, 22050), np.str_(path.parent.name)) for path in paths]
    return ReaderResult(("waveform", "sample_rate", "label"), rows)


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
            for name, said, plain in (line.split("\t")[:3] for line in read_lines(op, table) if line.strip()):
                speaker, chapter = (np.uint32(int(each)) for each in name.split("_")[:2])
                sound = _sound(op, table.parent / f"{name}.wav", np.uint32, 24000)
                rows.append((*sound, np.str_(said), np.str_(plain), speaker, chapter, np.str_(name)))
    names = "waveform sample_rate original_text normalized_text speaker_id chapter_id utterance_id"
    return ReaderResult(names.split(), rows)


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
            for number, line in enumerate(filter(str.strip, read_lines(op, notes))):
                talk, _, speaker, start, end, mark, *said = line.split(maxsplit=6)
                cut = functools.partial(_sphere, op, sound, float(start), float(end))
                told = (np.str_(" ".join(said)), np.str_(talk), np.str_(speaker), np.str_(mark))
                rows.append((number, talk, part, (lambda cut=cut: cut()[0], lambda cut=cut: cut()[1], *told)))
    rows.sort(key=lambda row: row[:3])
    names = "waveform sample_rate transcript talk_id speaker_id identifier"
    return ReaderResult(names.split(), [row[3] for row in rows])


def _sphere(op: str, path: Path, start: float, end: float) -> tuple[np.ndarray, np.int32]:
    """Return a piece of a file in NIST's format, between two seconds: samples in [-1, 1), and how many a second has."""
    content = require_file(op, path).read_bytes()
    lines = content[:16].split(b"\n")
    if lines[0] != b"NIST_1A":
        raise RuntimeError(f"`{op}`: {path} is not a file in NIST's format.")
    size = int(lines[1])
    words = [line.split(maxsplit=2) for line in content[:size].decode("ascii", "replace").splitlines()]
    fields = {word[0]: word[2] for word in words if len(word) == 3}
    rate, count = int(fields["sample_rate"]), int(fields["sample_count"])
    order = ">" if fields.get("sample_byte_format") == "10" else "<"
    if len(content) < size + 2 * count:
        raise RuntimeError(f"`{op}`: {path} ends after {len(content)} bytes of {size + 2 * count}.")
    whole = np.frombuffer(content, f"{order}i2", count, size).astype(np.float32) / 2**15
    return whole[int(start * rate) : int(end * rate)][None], np.int32(rate)


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
