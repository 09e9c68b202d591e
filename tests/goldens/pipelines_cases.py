"""Pipelines of steps drawn at random, and files that workers read by turns; `ds` is MindSpore's `dataset` or msjax's.

Python's `random` draws the steps, so that a number stands for a pipeline. Two workers at most: MindSpore takes no more
than there are cores.
"""

import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

EPOCHS = 2
COUNT = 250
SAMPLED = 150  # pipelines with samplers at each place
# With these MindSpore does not end, or (193) its shapes hang on random dtypes, which an estimate draws anew.
SKIPPED = frozenset([50, 68, 72, 88, 100, 114, 193, 226, 242])
_SIZES = (3, 2, 7, 1)


# ---------------------------------------------------------------- sources and functions


class Rows:
    """Rows of a number and a vector."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> tuple[Any, ...]:
        return np.int64(i), np.full(2, i, np.float32)


class Ragged(Rows):
    """Rows of a vector, whose lengths differ, and a number."""

    def __getitem__(self, i: int) -> tuple[Any, ...]:
        return np.arange(i % 5 + 1, dtype=np.int64), np.float32(i)


def _generated(count: int) -> Callable[[], Iterator[tuple[Any, ...]]]:
    def rows() -> Iterator[tuple[Any, ...]]:
        for i in range(count):
            yield np.int64(i), np.float32(i)

    return rows


def _even(x: Any) -> bool:
    return (x.size if x.dtype.kind in "US" else int(x.sum())) % 2 == 0


def _stacked(values: Any, info: Any) -> tuple[list[Any]]:
    return ([np.asarray(value) for value in values],)


def _sampled(data: Any, sampler: Any) -> Any:
    data.use_sampler(sampler)
    return data


def names_of(ds: Any, transforms: Any, dtypes: Any) -> dict[str, Any]:
    """Return the names that pipelines use."""

    def lines(name: str, **given: Any) -> Any:
        return ds.TextFileDataset(["1.txt", "2.txt"], **given).rename("text", name)

    return {
        "ds": ds,
        "t": transforms,
        "ms": dtypes,
        "np": np,
        "numbers": lambda n, *names, **given: ds.NumpySlicesDataset(
            (np.arange(n), np.arange(n, dtype=np.float32) / 2), list(names), **given
        ),
        "indexed": lambda n, *names, **given: ds.GeneratorDataset(Rows(n), list(names), **given),
        "ragged": lambda n, *names, **given: ds.GeneratorDataset(Ragged(n), list(names), **given),
        "generated": lambda n, *names: ds.GeneratorDataset(_generated(n), list(names)),
        "lines": lines,
        "inc": lambda x: x + np.ones_like(x),
        "swap": lambda x, y: (y, x),
        "total": lambda x, y: np.asarray(x).sum() + np.asarray(y).sum(),
        "double": lambda x: (x, x),
        "even": _even,
        "length": lambda x: int(x.size),
        "halves": lambda data: data.take(4),
        "stacked": _stacked,
        "sampled": _sampled,
    }


# ---------------------------------------------------------------- pipelines


class Drawn:
    """A pipeline that is drawn: its code, and the names of its columns.

    Args:
        draw: where it is drawn from.
        prefix: of the columns' names.

    Attributes:
        steps: what it is drawn of.
    """

    steps = (
        "shuffle", "repeat", "batch", "skip", "take", "increase", "choose", "swap", "total", "double", "filter", "project",
        "rename", "concat", "zip", "split", "pad", "bucket", "flatten", "apply", "resample", "stack",
    )  # fmt: skip

    def __init__(self, draw: random.Random, prefix: str = "") -> None:
        self.draw, self.prefix = draw, prefix
        self.text = False
        self.columns = [f"{prefix}a", f"{prefix}b"]
        self.code = self._source()

    def add(self, number: int) -> None:
        """Add a step, or none where that one does not fit."""
        step = self.draw.choice(self.steps)
        fits = not (self.text and step in ("increase", "choose", "pad", "bucket"))
        if fits and (len(self.columns) == 2 or step not in ("swap", "total")):
            getattr(self, f"_{step}")(number)

    def _one(self, *choices: Any) -> Any:
        return self.draw.choice(choices)

    def _workers(self) -> str:
        return self._one("", "", ", num_parallel_workers=1", ", num_parallel_workers=2")

    def _source(self) -> str:
        one, n, kind = self._one, self._one(2, 3, 5, 7, 8, 12), self.draw.random()
        names = ", ".join(map(repr, self.columns))
        if kind < 0.35:
            chosen = one(
                "", "shuffle=False", "shuffle=True", "num_samples=3", "shuffle=False, num_samples=4",
                f"num_shards=2, shard_id={one(0, 1)}", "shuffle=False, num_shards=3, shard_id=1",
                f"sampler=ds.SequentialSampler({one(0, 1)}, {one(1, 2)})",
                f"sampler=ds.RandomSampler({one(True, False)}, {one(1, 2)})",
                f"sampler=ds.DistributedSampler(2, {one(0, 1)}, shuffle={one(True, False)}, offset={one(-1, 0, 1)})",
            )  # fmt: skip
            return f"numbers({n}, {names}, {chosen}{self._workers()})".replace(", ,", ",")
        if kind < 0.6:
            chosen = one(
                "", "shuffle=False", "num_samples=3", "shuffle=False, num_shards=2, shard_id=0", "sampler=[1, 0]",
                f"sampler=ds.WeightedRandomSampler([0.5] * {n}, 4)", "num_samples=3, shuffle=True",
            )  # fmt: skip
            return f"indexed({n}, {names}, {chosen}{self._workers()})".replace(", ,", ",")
        if kind < 0.7:
            return f"generated({n}, {names})"
        if kind < 0.8:
            return f"ragged({n}, {names}, shuffle={one(True, False)})"
        self.text, self.columns = True, self.columns[:1]
        order = one("True", "False", "ds.Shuffle.GLOBAL", "ds.Shuffle.FILES")
        part = one("", "", ", num_samples=4", ", num_shards=2, shard_id=1")
        return f"lines({self.columns[0]!r}, shuffle={order}{part}{self._workers()})"

    def _shuffle(self, number: int) -> None:
        self.code += f".shuffle({self._one(2, 3, 4, 10)})"

    def _repeat(self, number: int) -> None:
        self.code += f".repeat({self._one(1, 2, 3)})"

    def _batch(self, number: int) -> None:
        self.code += f".batch({self._one(1, 2, 3, 4)}{self._one('', ', True')}{self._workers()})"

    def _skip(self, number: int) -> None:
        self.code += f".skip({self._one(0, 1, 2, 5)})"

    def _take(self, number: int) -> None:
        self.code += f".take({self._one(-1, 1, 2, 3, 6)})"

    def _increase(self, number: int) -> None:
        which = self._one("inc", "[inc, inc]", "[inc, t.TypeCast(ms.float32)]", "t.TypeCast(ms.int32)")
        self.code += f".map({which}, {self._one(*self.columns)!r}{self._workers()})"

    def _choose(self, number: int) -> None:
        self.code += f".map(t.RandomChoice([t.Fill(0), t.TypeCast(ms.float32)]), {self.columns[0]!r})"

    def _swap(self, number: int) -> None:
        self.code += f".map(swap, {self.columns}{self._workers()})"

    def _total(self, number: int) -> None:
        new = [f"{self.prefix}s{number}"]
        self.code += f".map(total, {self.columns}, {new})"
        self.columns = new

    def _double(self, number: int) -> None:
        new = [self.columns[0], f"{self.prefix}c{number}"]
        self.code += f".map(double, {self.columns[:1]}, {new}{self._workers()})"
        self.columns = new + self.columns[1:]

    def _filter(self, number: int) -> None:
        self.code += f".filter(even, {self.columns[:1]}{self._workers()})"

    def _project(self, number: int) -> None:
        self.columns = self.draw.sample(self.columns, self.draw.randint(1, len(self.columns)))
        self.code += f".project({self.columns})"

    def _rename(self, number: int) -> None:
        place, new = self.draw.randrange(len(self.columns)), f"{self.prefix}n{number}"
        self.code += f".rename({self.columns[place]!r}, {new!r})"
        self.columns[place] = new

    def _concat(self, number: int) -> None:
        if len(self.code) < 150:
            self.code = f"({self.code} + {self.code})"

    def _zip(self, number: int) -> None:
        if self.prefix:
            return
        other = type(self)(self.draw, f"z{number}")
        for step in range(self.draw.randint(0, 2)):
            other.add(step)
        self.code = f"ds.zip(({self.code}, {other.code}))"
        self.columns = self.columns + other.columns

    def _split(self, number: int) -> None:
        sizes, mixed = self._one("[0.5, 0.5]", "[0.7, 0.3]", "[0.2, 0.2, 0.6]"), self._one("", ", False")
        self.code += f".split({sizes}{mixed})[{self._one(0, 1)}]"

    def _pad(self, number: int) -> None:
        name = self.columns[0]
        info = self._one({}, {name: ([None], -1)}, {name: ([4], 7)}, None, {name: None})
        self.code += f".padded_batch({self._one(2, 3)}, {self._one(True, False)}, pad_info={info})"

    def _bucket(self, number: int) -> None:
        rest = f"length, {self._one(None, {})}, {self._one(True, False)}, {self._one(True, False)}"
        self.code += f".bucket_batch_by_length({self.columns[:1]}, [2, 4], [2, 3, 1], {rest})"

    def _flatten(self, number: int) -> None:
        if len(self.columns) == 1:
            self.code += ".flat_map(lambda x: numbers(2, 'f', 'g', shuffle=False))"
            self.columns = ["f", "g"]

    def _apply(self, number: int) -> None:
        self.code += ".apply(halves)"

    def _resample(self, number: int) -> None:
        which = self._one("SequentialSampler(1)", "RandomSampler()", "DistributedSampler(2, 0)")
        self.code = f"sampled({self.code}, ds.{which})"

    def _stack(self, number: int) -> None:
        new = self._one(None, [f"p{number}"])
        columns = f", output_columns={new}" if new else ""
        self.code += f".batch(2, per_batch_map=stacked, input_columns={self.columns[:1]}{columns})"
        self.columns = (new or self.columns[:1]) + self.columns[1:]


class Sampled(Drawn):
    """A pipeline that is drawn, of few steps and many samplers. Arguments: see `Drawn`."""

    steps = (
        "shuffle", "repeat", "batch", "skip", "take", "increase", "swap", "total", "filter", "project", "concat", "concat",
        "concat", "zip", "split", "flatten", "flatten", "resample", "resample", "resample", "apply", "stack",
    )  # fmt: skip
    samplers = (
        "SequentialSampler(1)", "SequentialSampler(0, 2)", "RandomSampler(True)", "RandomSampler(False, 2)",
        "DistributedSampler(2, 0)", "DistributedSampler(3, 2, shuffle=False)", "WeightedRandomSampler([0.2, 0.8], 2)",
        "SubsetSampler([1, 0])", "SubsetRandomSampler([0, 1])",
        *["RandomSampler()", "DistributedSampler(2, 1, shuffle=False)"] * 4,
    )  # fmt: skip

    def _resample(self, number: int) -> None:
        self.code = f"sampled({self.code}, ds.{self._one(*self.samplers)})"

    def _concat(self, number: int) -> None:
        if len(self.code) < 150:
            some, even = f"{self.code}.take(2)", f"{self.code}.filter(even, {self.columns[:1]})"
            others = self._one(self.code, f"[{some}, {self.code}]", even)
            self.code = f"({self.code}).concat({others})"
            self._resample(number)

    def _flatten(self, number: int) -> None:
        if len(self.columns) == 1:
            made = self._one(
                "numbers(2, 'f', 'g', shuffle=False)", "numbers(3, 'f', 'g')", "numbers(4, 'f', 'g').shuffle(3)",
                "generated(3, 'f', 'g')", "(numbers(2, 'f', 'g') + numbers(3, 'f', 'g', shuffle=False))",
                "numbers(3, 'f', 'g', num_samples=2)",
            )  # fmt: skip
            self.code += f".flat_map(lambda x: {made})"
            self.columns = ["f", "g"]
            self._resample(number)


def drawn(number: int, kind: type[Drawn] = Drawn) -> tuple[int, int, str]:
    """Return a seed, a number of workers, and a pipeline."""
    draw = random.Random(number)
    pipeline = kind(draw)
    for step in range(draw.randint(1, 5)):
        pipeline.add(step)
    return draw.choice([0, 1, 5, 77]), draw.choice([1, 2]), pipeline.code


# ---------------------------------------------------------------- files


def _checksum(content: bytes) -> int:
    """The masked CRC-32C of TFRecord files."""
    found = 0xFFFFFFFF
    for byte in content:
        found ^= byte
        for _ in range(8):
            found = found >> 1 ^ (0x82F63B78 if found & 1 else 0)
    found ^= 0xFFFFFFFF
    return (((found >> 15) | (found << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _record(number: int) -> bytes:
    def field(tag: int, content: bytes) -> bytes:
        return bytes([tag << 3 | 2, len(content)]) + content

    feature = field(3, field(1, bytes([number])))
    example = field(1, field(1, field(1, b"x") + field(2, feature)))
    length = struct.pack("<Q", len(example))
    return length + struct.pack("<I", _checksum(length)) + example + struct.pack("<I", _checksum(example))


def write_files(folder: Path) -> None:
    """Write the files that the pipelines read."""
    for name, count in (("1", 7), ("2", 4)):
        (folder / f"{name}.txt").write_text("".join(f"{name}{i}\n" for i in range(count)))
    for number, count in enumerate(_SIZES):
        values = [20 * number + i for i in range(count)]
        (folder / f"{number}.csv").write_text("".join(f"{value}\n" for value in values))
        (folder / f"{number}.tfrecord").write_bytes(b"".join(map(_record, values)))


def _file_cases() -> Iterator[str]:
    shares = ("", ", num_shards=2, shard_id=1", ", num_shards=3, shard_id=2")
    for workers in (1, 2):
        for order in ("False", "ds.Shuffle.FILES", "ds.Shuffle.GLOBAL"):
            for rest in (*shares, ", num_samples=5"):
                given = f"shuffle={order}, num_parallel_workers={workers}{rest}"
                yield f"ds.CSVDataset([f'{{i}}.csv' for i in range(4)], column_defaults=[0], column_names=['x'], {given})"
                yield f"ds.TFRecordDataset([f'{{i}}.tfrecord' for i in range(4)], {given})"
                if rest in shares[1:]:
                    equal = f"{given}, shard_equal_rows=True"
                    yield f"ds.TFRecordDataset([f'{{i}}.tfrecord' for i in range(4)], {equal})"


_FLAT = """
numbers(3, 'a', 'b', shuffle=False).flat_map(lambda x, y: numbers(4, 'f', 'g', shuffle=False).shuffle(3))
numbers(3, 'a', 'b').flat_map(lambda x, y: numbers(4, 'f', 'g').map(inc, 'f'))
numbers(4, 'a', 'b').flat_map(lambda x, y: generated(int(x) + 1, 'f', 'g').repeat(2).batch(2)).take(4)
numbers(9, 'a', 'b', shuffle=False).shuffle(3).take(5).shuffle(2).take(3)
numbers(5, 'a', 'b').zip(numbers(9, 'c', 'd', shuffle=False).shuffle(4)).repeat(2).project('c')
""".strip().splitlines()


def cases() -> list[tuple[int, int, str]]:
    """Return a seed, a number of workers and the code of each pipeline."""
    fixed = [(5, 2, code) for code in (*_FLAT, *_file_cases())]
    sampled = [drawn(i, Sampled) for i in range(SAMPLED)]
    return [drawn(i) for i in range(COUNT) if i not in SKIPPED] + fixed + sampled


# ---------------------------------------------------------------- outcomes


def _asked(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except (RuntimeError, ValueError, TypeError, AttributeError) as error:
        return f"{type(error).__name__}"


def _values(column: Any) -> Any:
    kind = column.dtype.kind
    return [
        kind if kind in "US" else str(column.dtype),
        column.astype(str).tolist() if kind in "US" else column.tolist(),
    ]


def outcome(ds: Any, names: dict[str, Any], seed: int, workers: int, code: str) -> dict[str, Any]:
    """Return what is known of a pipeline, and its rows of some epochs."""
    ds.config.set_seed(seed)
    ds.config.set_num_parallel_workers(workers)
    found: dict[str, Any] = {}
    try:
        data = eval(code, dict(names))
    except (RuntimeError, ValueError, TypeError, AttributeError) as error:
        return {"error": type(error).__name__}
    for name in ("get_col_names", "get_dataset_size", "get_batch_size", "get_repeat_count", "output_shapes"):
        found[name] = _asked(getattr(data, name))
    found["output_types"] = _asked(lambda: [np.dtype(one).str for one in data.output_types()])
    if found["output_shapes"]:  # without rows MindSpore raises, or does not
        found["estimated"] = _asked(lambda: data.output_shapes(estimate=True))
    ds.config.set_seed(seed)

    def rows() -> list[Any]:
        each = eval(code, dict(names)).create_tuple_iterator(num_epochs=EPOCHS, output_numpy=True)
        return [[[_values(column) for column in row] for row in each] for _ in range(EPOCHS)]

    found["rows"] = _asked(rows)
    return found


def outcomes(ds: Any, transforms: Any, dtypes: Any) -> dict[str, Any]:
    """Return the outcome of each pipeline, by seed, workers and code."""
    write_files(Path())
    names = names_of(ds, transforms, dtypes)
    return {
        f"{seed} {workers} {code}": outcome(ds, names, seed, workers, code) for seed, workers, code in cases()
    }
