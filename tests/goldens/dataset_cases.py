"""Expressions over `mindspore.dataset` that mean the same under MindSpore and under msjax.

Every case is one expression over the names that `namespace` gives.
"""

import os
import random
import tempfile
from types import ModuleType
from typing import Any

import numpy as np

Case = tuple[str, str]


def namespace(ms: ModuleType, ds: ModuleType, transforms: ModuleType, vision: ModuleType) -> dict[str, Any]:
    """The names that the expressions use."""

    def rows(dataset: Any, epochs: int = 1) -> list[Any]:
        iterator = dataset.create_dict_iterator(num_epochs=epochs, output_numpy=True)
        return [row for _ in range(epochs) for row in iterator]

    def column(dataset: Any, epochs: int = 1) -> list[Any]:
        iterator = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
        lists = [[row[0].tolist() for row in iterator] for _ in range(epochs)]
        return lists if epochs > 1 else lists[0]

    def numbers(n: int = 4, **arguments: Any) -> Any:
        arguments.setdefault("shuffle", False)
        return ds.GeneratorDataset(list(range(n)), "a", **arguments)

    def pairs(n: int = 4) -> Any:
        return ds.GeneratorDataset([(i, i * 10.0) for i in range(n)], ["a", "b"], shuffle=False)

    def sampled(sampler: Any, n: int = 7) -> list[int]:
        return column(ds.GeneratorDataset(list(range(n)), "a", sampler=sampler))

    def growing(n: int = 4) -> Any:
        return ds.GeneratorDataset(lambda: ((np.arange(i),) for i in range(1, n + 1)), ["a"])

    def slices(data: Any, *arguments: Any, **keywords: Any) -> Any:
        return ds.NumpySlicesDataset(data, *arguments, shuffle=False, **keywords)

    def image(height: int, width: int, channels: int | None = 3, dtype: Any = np.uint8) -> np.ndarray:
        shape = (height, width) if channels is None else (height, width, channels)
        values = np.arange(np.prod(shape)).reshape(shape) * 37 % 251
        return values.astype(dtype) if np.issubdtype(dtype, np.integer) else (values / 251).astype(dtype)

    def tensors(dataset: Any) -> list[Any]:
        return [
            [(type(x).__name__, x.asnumpy()) if hasattr(x, "asnumpy") else (type(x).__name__, x) for x in row]
            for row in dataset.create_tuple_iterator(num_epochs=1)
        ]

    def beyond(epochs: int) -> list[Any]:
        iterator = numbers(2).create_tuple_iterator(num_epochs=epochs, output_numpy=True)
        return [[row[0].tolist() for row in iterator] for _ in range(3)]

    def broken_off() -> list[Any]:
        iterator = numbers(4).create_tuple_iterator(num_epochs=2, output_numpy=True)
        first = next(iter(iterator))[0].tolist()
        return [first, [row[0].tolist() for row in iterator], [row[0].tolist() for row in iterator]]

    def after_reset() -> list[Any]:
        dataset = numbers(3)
        iterator = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
        next(iterator)
        dataset.reset()
        return [row[0].tolist() for row in iterator]

    def resampled(method: str, sampler: Any, n: int = 6, **arguments: Any) -> list[Any]:
        dataset = numbers(n, **arguments)
        getattr(dataset, method)(sampler)
        return column(dataset)

    def with_samples_mode(mode: str, bad: tuple[int, ...]) -> list[Any]:
        def picky(x: Any) -> Any:
            if int(x) in bad:
                raise ValueError(f"bad sample {x}")
            return x * 1

        ds.config.set_error_samples_mode(getattr(ds.config.ErrorSamplesMode, mode))
        try:
            return [column(numbers(6).map(picky)), rows(numbers(6).map(picky).batch(2))]
        finally:
            ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)

    def seeded(seed: Any, value: Any) -> Any:
        """`value()` under a seed of the dataset pipeline; the default afterwards."""
        ds.config.set_seed(seed)
        try:
            return value()
        finally:
            ds.config.set_seed(5489)

    def restored(setter: str, value: Any, getter: str) -> Any:
        before = getattr(ds.config, getter)()
        getattr(ds.config, setter)(value)
        try:
            return getattr(ds.config, getter)()
        finally:
            getattr(ds.config, setter)(before)

    def called_back(step_size: int, n: int, epochs: int, repeat: int = 1) -> list[Any]:
        """Which calls a callback gets. The order between begin and end of different steps is not fixed."""
        begins, ends = [], []

        class Record(ds.DSCallback):
            def ds_begin(self, context: Any) -> None:
                begins.append("begin")

            def ds_epoch_begin(self, context: Any) -> None:
                begins.append(["epoch", context.cur_epoch_num])

            def ds_epoch_end(self, context: Any) -> None:
                ends.append(["epoch", context.cur_epoch_num])

            def ds_step_begin(self, context: Any) -> None:
                begins.append([context.cur_step_num_in_epoch, context.cur_step_num])

            def ds_step_end(self, context: Any) -> None:
                ends.append([context.cur_step_num_in_epoch, context.cur_step_num])

        dataset = (
            numbers(n).map(lambda x: x, num_parallel_workers=1, callbacks=Record(step_size)).repeat(repeat)
        )
        iterator = dataset.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
        for _ in range(epochs):
            list(iterator)
        return [begins, ends]

    lines = [
        f"{a} {b} {c}."
        for a in ("the cat", "a dog", "my horse")
        for b in ("sees", "finds")
        for c in ("it", "the moon")
    ]

    def trained(model: str, size: int, **params: str) -> Any:
        """A SentencePiece model of a few sentences."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines.txt")
            with open(path, "w") as file:
                file.write("\n".join(lines))
            kind = getattr(ds.text.SentencePieceModel, model)
            return ds.text.SentencePieceVocab.from_file([path], size, 1.0, kind, params)

    def pieces(vocab: Any, text: Any, out: str = "STRING") -> Any:
        return ds.text.SentencePieceTokenizer(vocab, getattr(ds.text.SPieceTokenizerOutType, out))(text)

    def reread(vocab: Any, text: str) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            ds.text.SentencePieceVocab.save_model(vocab, folder, "m.model")
            return pieces(os.path.join(folder, "m.model"), text)

    def ragged_strings() -> Any:
        """Rows of a vector and a vector of strings, whose lengths differ, and a string."""

        def rows() -> Any:
            for i in range(4):
                yield np.arange(i % 2 + 1), np.array(f"ab{i}"), np.array(["x"] * (i % 2 + 1))

        return ds.GeneratorDataset(rows, ["a", "s", "v"])

    def told(data: Any) -> Any:
        rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        return [[column.tolist() for column in row] for row in rows]

    def jieba(mode: Any = None, words: Any = None, model: Any = None, added: Any = ()) -> Any:
        """A tokenizer by dictionaries that are drawn at random; or by others, as text."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in (("model", model or jieba_files()[1]), ("words", words or jieba_files()[0])):
                paths.append(os.path.join(folder, name))
                with open(paths[-1], "w", encoding="utf8") as file:
                    file.write(text)
            tokenizer = ds.text.JiebaTokenizer(*paths, ds.text.JiebaMode.MIX if mode is None else mode, True)
            for one in added:
                if isinstance(one, tuple):
                    tokenizer.add_word(*one)
                elif isinstance(one, dict):
                    tokenizer.add_dict(one)
                else:
                    paths.append(os.path.join(folder, "added"))
                    with open(paths[-1], "w", encoding="utf8") as file:
                        file.write(one)
                    tokenizer.add_dict(paths[-1])
            return [[column.tolist() for column in tokenizer(text)] for text in jieba_texts()]

    class Countdown:
        """An iterable without a length or random access."""

        def __init__(self, n: int = 3) -> None:
            self.n = n

        def __iter__(self) -> Any:
            return iter([(i,) for i in range(self.n, 0, -1)])

    class Stateful:
        """An iterable with `__iter__` and `__next__`."""

        def __iter__(self) -> Any:
            self.n = 0
            return self

        def __next__(self) -> Any:
            self.n += 1
            if self.n > 3:
                raise StopIteration
            return (self.n,)

    class Faulty:
        """A random-access source whose third element cannot be read."""

        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> Any:
            if index == 2:
                raise KeyError("user error")
            return (index,)

    class Unsized:
        """Random access without a length."""

        def __getitem__(self, index: int) -> Any:
            return (index,)

    class Backwards(ds.Sampler):
        """A sampler written by a user."""

        def __init__(self, num_samples: int | None = None) -> None:
            super().__init__(num_samples)

        def __iter__(self) -> Any:
            return iter(range(self.dataset_size - 1, -1, -1))

    names = {key: value for key, value in locals().items() if key not in ("transforms", "vision")}
    return names | {"np": np, "T": transforms, "V": vision}


SOURCES: list[Case] = [
    (
        "python values",
        "rows(ds.GeneratorDataset([(1, 2.5, True, 'ab', b'xy', [1, 2], [1.5])], list('abcdefg')))",
    ),
    (
        "numpy values",
        "rows(ds.GeneratorDataset([(np.float32(1), np.arange(2, dtype=np.int8), np.float16(2))], ['a', 'b', 'c']))",
    ),
    ("tensor values", "rows(ds.GeneratorDataset([(ms.Tensor([1.0, 2.0]),)], ['a']))"),
    (
        "as tensors",
        "tensors(ds.GeneratorDataset([(1, 2.5, True, 'ab', np.float32(3), [1, 2])], list('abcdef')))",
    ),
    ("strings by type", "rows(ds.GeneratorDataset([([1, 'a'],)], 'a'))"),
    ("dict value", "rows(ds.GeneratorDataset([{'p': 1, 'q': np.arange(2)}], 'a'))"),
    ("dict value batched", "rows(ds.GeneratorDataset([{'p': 1, 'q': np.arange(2)}] * 2, 'a').batch(2))"),
    ("list row", "rows(ds.GeneratorDataset([[1, 2]], ['a', 'b']))"),
    ("array row", "rows(ds.GeneratorDataset(np.arange(6).reshape(3, 2), 'a', shuffle=False))"),
    (
        "array is one column",
        "rows(ds.GeneratorDataset(np.arange(6).reshape(3, 2), ['a', 'b'], shuffle=False))",
    ),
    ("generator function", "rows(ds.GeneratorDataset(lambda: ((i,) for i in range(3)), ['a']))"),
    ("generator object", "rows(ds.GeneratorDataset(((i,) for i in range(3)), ['a']))"),
    ("generator object once", "column(ds.GeneratorDataset(((i,) for i in range(3)), ['a']), 2)"),
    ("iterable", "rows(ds.GeneratorDataset(Countdown(), ['a']))"),
    ("iterable repeated", "rows(ds.GeneratorDataset(Countdown(), ['a']).repeat(2))"),
    ("iterator repeated", "rows(ds.GeneratorDataset(Stateful(), ['a']).repeat(2))"),
    ("iterator size", "ds.GeneratorDataset(Stateful(), ['a']).repeat(2).get_dataset_size()"),
    ("iterable shuffle argument", "rows(ds.GeneratorDataset(Countdown(), ['a'], shuffle=True))"),
    ("iterable num_samples", "rows(ds.GeneratorDataset(Countdown(), ['a'], num_samples=2))"),
    ("iterable sampler", "rows(ds.GeneratorDataset(Countdown(), ['a'], sampler=ds.SequentialSampler()))"),
    ("iterable shards", "rows(ds.GeneratorDataset(Countdown(), ['a'], num_shards=2, shard_id=0))"),
    ("empty generator", "rows(ds.GeneratorDataset(lambda: iter(()), ['a']))"),
    ("empty source", "rows(ds.GeneratorDataset([], ['a']))"),
    ("num_samples", "column(numbers(4, num_samples=2))"),
    ("num_samples 0", "column(numbers(4, num_samples=0))"),
    ("num_samples many", "column(numbers(4, num_samples=9))"),
    ("num_samples negative", "column(numbers(4, num_samples=-1))"),
    ("num_samples float", "column(numbers(4, num_samples=1.5))"),
    ("shuffle keeps all", "sorted(column(numbers(9, shuffle=True)))"),
    (
        "shuffle by default",
        "len({tuple(column(ds.GeneratorDataset(list(range(30)), 'a'))) for _ in range(4)})",
    ),
    ("shuffle int", "column(numbers(4, shuffle=1))"),
    (
        "seed repeats iterators",
        "seeded(5, lambda: (lambda d: column(d) == column(d))(numbers(30, shuffle=True)))",
    ),
    (
        "epochs differ",
        "seeded(5, lambda: (lambda e: e[0] != e[1] and sorted(e[0]) == sorted(e[1]))(column(numbers(30, shuffle=True), 2)))",
    ),
    (
        "repeats differ",
        "seeded(5, lambda: (lambda e: e[:30] != e[30:])(column(numbers(30, shuffle=True).repeat(2))))",
    ),
    ("shards", "[column(numbers(7, num_shards=3, shard_id=i)) for i in range(3)]"),
    ("shards size", "[numbers(7, num_shards=3, shard_id=i).get_dataset_size() for i in range(3)]"),
    ("shards num_samples", "[column(numbers(7, num_shards=3, shard_id=i, num_samples=2)) for i in range(3)]"),
    (
        "shards shuffled are disjoint",
        "seeded(5, lambda: sorted(sum((column(numbers(6, shuffle=True, num_shards=3, shard_id=i)) for i in range(3)), [])))",
    ),
    (
        "shards disjoint in every epoch",
        "seeded(5, lambda: (lambda e: [sorted(x + y) for x, y in zip(*e)])([column(numbers(6, shuffle=True, num_shards=2, shard_id=i), 2) for i in range(2)]))",
    ),
    ("shards without id", "column(numbers(4, num_shards=2))"),
    ("id without shards", "column(numbers(4, shard_id=1))"),
    ("id too large", "column(numbers(4, num_shards=2, shard_id=2))"),
    ("id negative", "column(numbers(4, num_shards=2, shard_id=-1))"),
    ("shards zero", "column(numbers(4, num_shards=0, shard_id=0))"),
    ("shards float", "column(numbers(4, num_shards=2.0, shard_id=1))"),
    ("sampler list", "sampled([3, 1, 2])"),
    ("sampler iterable", "sampled(range(2, 5))"),
    ("sampler int", "sampled(3)"),
    ("sampler str", "sampled('ab')"),
    ("sampler and shuffle", "column(numbers(4, shuffle=True, sampler=ds.SequentialSampler()))"),
    (
        "sampler and shards",
        "column(ds.GeneratorDataset([1, 2], 'a', num_shards=2, shard_id=0, sampler=ds.SequentialSampler()))",
    ),
    (
        "sampler and num_samples",
        "column(ds.GeneratorDataset([1, 2], 'a', num_samples=2, sampler=ds.SequentialSampler()))",
    ),
    ("batch_sampler", "rows(ds.GeneratorDataset(list(range(6)), 'a', batch_sampler=[[1, 2], [3]]))"),
    (
        "batch_sampler collate",
        "rows(ds.GeneratorDataset(list(range(6)), 'a', batch_sampler=[[1, 2], [3]], collate_fn=lambda x: x))",
    ),
    ("use_sampler", "resampled('use_sampler', ds.SequentialSampler(3))"),
    ("use_sampler None", "resampled('use_sampler', None)"),
    ("add_sampler", "resampled('add_sampler', ds.SequentialSampler(1, 3), num_samples=4)"),
    (
        "column types",
        "rows(ds.GeneratorDataset([(1, 2.5)], ['a', 'b'], column_types=[ms.int64, ms.float64]))",
    ),
    ("column types float32", "rows(ds.GeneratorDataset([(1.5,)], ['a'], column_types=[ms.float32]))"),
    ("column types int32", "rows(ds.GeneratorDataset([(1,)], ['a'], column_types=[ms.int32]))"),
    ("column types length", "rows(ds.GeneratorDataset([(1.5, 2)], ['a', 'b'], column_types=[ms.float32]))"),
    ("column types text", "rows(ds.GeneratorDataset([(1.5,)], ['a'], column_types=['float32']))"),
    ("no columns", "rows(ds.GeneratorDataset([(1,)]))"),
    ("duplicate columns", "rows(ds.GeneratorDataset([(1, 2)], ['a', 'a']))"),
    ("empty columns", "rows(ds.GeneratorDataset([(1, 2)], []))"),
    ("blank column", "rows(ds.GeneratorDataset([(1, 2)], ['', 'b']))"),
    ("int columns", "rows(ds.GeneratorDataset([(1, 2)], [1, 2]))"),
    ("too many values", "rows(ds.GeneratorDataset([(1, 2)], ['a']))"),
    ("too few values", "rows(ds.GeneratorDataset([(1, 2)], ['a', 'b', 'c']))"),
    ("one value two columns", "rows(ds.GeneratorDataset([1], ['a', 'b']))"),
    ("None value", "rows(ds.GeneratorDataset([None], 'a'))"),
    ("object value", "rows(ds.GeneratorDataset([object()], 'a'))"),
    ("complex value", "rows(ds.GeneratorDataset([(1j,)], 'a'))"),
    ("ragged value", "rows(ds.GeneratorDataset([([[1], [1, 2]],)], ['a']))"),
    ("source int", "ds.GeneratorDataset(3, 'a')"),
    ("function without iterator", "rows(ds.GeneratorDataset(lambda: 3, 'a'))"),
    ("unsized source", "rows(ds.GeneratorDataset(Unsized(), 'a'))"),
    ("error in __getitem__", "rows(ds.GeneratorDataset(Faulty(), 'a'))"),
    ("error in generator", "rows(ds.GeneratorDataset(lambda: ((1 // i,) for i in (1, 0)), 'a'))"),
    ("workers", "column(numbers(4, num_parallel_workers=2))"),
    ("workers zero", "column(numbers(4, num_parallel_workers=0))"),
    ("workers float", "column(numbers(4, num_parallel_workers=1.0))"),
    ("python_multiprocessing int", "column(numbers(4, python_multiprocessing=1))"),
    ("unknown argument", "numbers(4, foo=1)"),
    ("len and item", "(lambda d: (len(d), d[1]))(numbers(3))"),
    (
        "source is not changed",
        "(lambda a: (rows(slices(a).map(lambda x: x.__iadd__(1))), a))(np.zeros((2, 2)))",
    ),
    ("slices list", "rows(slices([1, 2, 3]))"),
    ("slices floats", "rows(slices([1.0, 2.0]))"),
    ("slices nested list", "rows(slices([[1, 2], [3, 4]]))"),
    ("slices array", "rows(slices(np.arange(6, dtype=np.float32).reshape(3, 2)))"),
    ("slices tuple", "rows(slices(([1, 2], [3, 4], [5.0, 6.0])))"),
    ("slices tuple arrays", "rows(slices((np.arange(4).reshape(2, 2), np.array([1, 2])), ['x', 'y']))"),
    ("slices tuple of one", "rows(slices((np.arange(3),)))"),
    ("slices tuple of ints", "rows(slices((1, 2, 3)))"),
    ("slices dict", "rows(slices({'x': [1, 2], 'y': [3.0, 4.0]}))"),
    ("slices dict renamed", "rows(slices({'x': [1, 2], 'y': [3.0, 4.0]}, ['p', 'q']))"),
    ("slices dict of scalars", "rows(slices({'x': 1}))"),
    ("slices strings", "rows(slices(['a', 'bcd']))"),
    ("slices ragged", "rows(slices([[1], [1, 2]]))"),
    ("slices tensors", "rows(slices([ms.Tensor([1, 2]), ms.Tensor([3, 4])]))"),
    ("slices tensor", "rows(slices(ms.Tensor([1, 2])))"),
    ("slices tuple of tensors", "rows(slices((ms.Tensor([1, 2]),)))"),
    ("slices list of tuples", "rows(slices([(1, 2), (3, 4)]))"),
    ("slices bools", "rows(slices([True, False]))"),
    ("slices lengths", "rows(slices(([1, 2], [3])))"),
    ("slices dict lengths", "rows(slices({'a': [1, 2], 'b': [3]}))"),
    ("slices names too few", "rows(slices(([1, 2], [3, 4]), ['a']))"),
    ("slices names too many", "rows(slices([1, 2], ['a', 'b']))"),
    ("slices name", "rows(slices([1, 2], 'a'))"),
    ("slices names tuple", "rows(slices(([1, 2], [3, 4]), ('a', 'b')))"),
    ("slices None", "slices(None)"),
    ("slices int", "slices(3)"),
    ("slices str", "slices('abc')"),
    ("slices set", "slices({1, 2})"),
    ("slices empty list", "slices([])"),
    ("slices empty dict", "slices({})"),
    ("slices empty tuple", "slices(())"),
    ("slices 0d", "slices(np.array(3))"),
    ("slices num_samples", "rows(slices([1, 2, 3], num_samples=2))"),
    ("slices shards", "[column(slices([1, 2, 3], num_shards=2, shard_id=i)) for i in range(2)]"),
    ("slices sampler", "column(ds.NumpySlicesDataset([1, 2, 3], sampler=ds.SequentialSampler(1)))"),
    (
        "slices shuffle by default",
        "len({tuple(column(ds.NumpySlicesDataset(list(range(30))))) for _ in range(4)})",
    ),
    (
        "slices facts",
        "(lambda d: (d.output_shapes(), d.output_types(), d.get_dataset_size(), d.get_col_names(), len(d), d[1]))(slices(([1, 2], [3.0, 4.0])))",
    ),
    ("padded", "rows(ds.PaddedDataset([{'x': np.zeros(1, np.uint8)}, {'x': np.zeros(2, np.uint8)}]))"),
    ("padded bad", "ds.PaddedDataset([1])"),
    (
        "fake facts",
        "(lambda d: (d.get_col_names(), d.output_shapes(), d.output_types(), d.get_dataset_size()))(ds.FakeImageDataset(4, (5, 6, 3), 3))",
    ),
    ("fake num_samples", "ds.FakeImageDataset(4, (5, 6, 3), 3, num_samples=2).get_dataset_size()"),
    (
        "fake repeats",
        "(lambda a, b: [bool((x['image'] == y['image']).all()) for x, y in zip(a, b)])(*(rows(ds.FakeImageDataset(4, (5, 6, 3), 3, shuffle=False)) for _ in range(2)))",
    ),
    ("fake images zero", "ds.FakeImageDataset(0)"),
    ("fake images float", "ds.FakeImageDataset(1.0)"),
    ("fake size int", "ds.FakeImageDataset(1, 3)"),
    ("fake size two", "ds.FakeImageDataset(1, (1, 2))"),
    ("fake classes zero", "ds.FakeImageDataset(1, (1, 2, 3), 0)"),
]

SAMPLERS: list[Case] = [
    ("sequential", "sampled(ds.SequentialSampler())"),
    ("sequential start", "sampled(ds.SequentialSampler(2))"),
    ("sequential start and number", "sampled(ds.SequentialSampler(2, 3))"),
    ("sequential number", "sampled(ds.SequentialSampler(None, 3))"),
    ("sequential number too large", "sampled(ds.SequentialSampler(2, 30))"),
    ("sequential number zero", "sampled(ds.SequentialSampler(0, 0))"),
    ("sequential start too large", "sampled(ds.SequentialSampler(20))"),
    ("sequential start negative", "sampled(ds.SequentialSampler(-1))"),
    ("sequential start float", "sampled(ds.SequentialSampler(1.0))"),
    ("sequential number negative", "sampled(ds.SequentialSampler(0, -1))"),
    ("random", "sorted(sampled(ds.RandomSampler()))"),
    ("random number", "len(set(sampled(ds.RandomSampler(num_samples=3))))"),
    ("random replacement", "len(sampled(ds.RandomSampler(True)))"),
    ("random replacement many", "len(sampled(ds.RandomSampler(True, 20)))"),
    ("random many", "len(sampled(ds.RandomSampler(False, 20)))"),
    ("random replacement int", "ds.RandomSampler(1)"),
    ("random number str", "ds.RandomSampler(False, 'a')"),
    ("random number negative", "sampled(ds.RandomSampler(False, -1))"),
    ("random shuffle false", "sampled(ds.RandomSampler(shuffle=ds.Shuffle.FALSE))"),
    ("random shuffle files", "sampled(ds.RandomSampler(shuffle=ds.Shuffle.FILES))"),
    ("subset", "sampled(ds.SubsetSampler([3, 1, 1]))"),
    ("subset int", "sampled(ds.SubsetSampler(3))"),
    ("subset array", "sampled(ds.SubsetSampler(np.array([1, 2])))"),
    ("subset range", "sampled(ds.SubsetSampler(range(2)))"),
    ("subset number", "sampled(ds.SubsetSampler([3, 1, 5], 2))"),
    ("subset number too large", "sampled(ds.SubsetSampler([3, 1], 20))"),
    ("subset out of range", "sampled(ds.SubsetSampler([3, 19]))"),
    ("subset negative", "sampled(ds.SubsetSampler([-1]))"),
    ("subset float", "sampled(ds.SubsetSampler([1.5]))"),
    ("subset random", "sorted(sampled(ds.SubsetRandomSampler([3, 1, 5])))"),
    (
        "subset random epochs",
        "seeded(3, lambda: [sorted(e) for e in column(ds.GeneratorDataset(list(range(9)), 'a', sampler=ds.SubsetRandomSampler([1, 2, 3])), 2)])",
    ),
    ("distributed", "[sampled(ds.DistributedSampler(3, i, shuffle=False)) for i in range(3)]"),
    (
        "distributed number",
        "[sampled(ds.DistributedSampler(3, i, shuffle=False, num_samples=2)) for i in range(3)]",
    ),
    (
        "distributed number too large",
        "[sampled(ds.DistributedSampler(3, i, shuffle=False, num_samples=9)) for i in range(3)]",
    ),
    (
        "distributed offset 0",
        "[sampled(ds.DistributedSampler(3, i, shuffle=False, offset=0)) for i in range(3)]",
    ),
    (
        "distributed offset 1",
        "[sampled(ds.DistributedSampler(3, i, shuffle=False, offset=1)) for i in range(3)]",
    ),
    (
        "distributed offset 2",
        "[sampled(ds.DistributedSampler(3, i, shuffle=False, offset=2)) for i in range(3)]",
    ),
    (
        "distributed offset 3",
        "[sampled(ds.DistributedSampler(3, i, shuffle=False, offset=3)) for i in range(3)]",
    ),
    (
        "distributed offset of 8",
        "[sampled(ds.DistributedSampler(3, i, shuffle=False, offset=1), 8) for i in range(3)]",
    ),
    ("distributed offset too large", "sampled(ds.DistributedSampler(20, 0, shuffle=False, offset=21))"),
    (
        "distributed more shards than rows",
        "[sampled(ds.DistributedSampler(5, i, shuffle=False), 2) for i in range(5)]",
    ),
    ("distributed shard too large", "sampled(ds.DistributedSampler(2, 2))"),
    ("distributed no shards", "sampled(ds.DistributedSampler(0, 0))"),
    ("distributed negative", "sampled(ds.DistributedSampler(2, -1))"),
    ("distributed str", "ds.DistributedSampler('a', 0)"),
    ("distributed shuffle int", "ds.DistributedSampler(2, 0, shuffle=1)"),
    ("distributed offset str", "ds.DistributedSampler(2, 0, offset='a')"),
    ("weighted", "sorted(set(sampled(ds.WeightedRandomSampler([0, 1, 0, 1], 7))) | {1, 3})"),
    ("weighted all", "sorted(sampled(ds.WeightedRandomSampler([1] * 7, 7, False)))"),
    ("weighted number", "len(sampled(ds.WeightedRandomSampler([1] * 7)))"),
    ("weighted number zero", "len(sampled(ds.WeightedRandomSampler([1, 2], 0)))"),
    ("weighted short", "sorted(set(sampled(ds.WeightedRandomSampler([0, 1]))))"),
    ("weighted too long", "sampled(ds.WeightedRandomSampler([1] * 11, 5))"),
    ("weighted too many without replacement", "sorted(sampled(ds.WeightedRandomSampler([1] * 7, 9, False)))"),
    ("weighted zeros last", "sorted(sampled(ds.WeightedRandomSampler([1, 1, 0, 0], 2, False)))"),
    ("weighted negative", "sampled(ds.WeightedRandomSampler([-1, 1]))"),
    ("weighted zeros", "sampled(ds.WeightedRandomSampler([0, 0]))"),
    ("weighted empty", "sampled(ds.WeightedRandomSampler([]))"),
    ("weighted str", "sampled(ds.WeightedRandomSampler(['a']))"),
    ("pk", "sampled(ds.PKSampler(2))"),
    ("own", "sampled(Backwards())"),
    ("own number", "sampled(Backwards(3))"),
    ("iter sampler", "sampled(ds.IterSampler([4, 4, 1]))"),
    (
        "child",
        "(lambda s: (s.add_child(ds.SubsetSampler([6, 5, 4, 3, 2, 1, 0])), sampled(s))[1])(ds.SequentialSampler(2, 4))",
    ),
    (
        "sizes",
        "[numbers(7, shuffle=None, sampler=s).get_dataset_size() for s in (ds.RandomSampler(num_samples=3), ds.SequentialSampler(2), ds.SequentialSampler(2, 3), ds.SubsetRandomSampler([1, 2]), ds.WeightedRandomSampler([1] * 7, 3), ds.DistributedSampler(2, 0), ds.RandomSampler())]",
    ),
    (
        "get_num_samples",
        "(ds.SequentialSampler(2, 3).get_num_samples(), ds.RandomSampler().get_num_samples())",
    ),
    ("Shuffle", "[(s.name, s.value) for s in ds.Shuffle]"),
]

PIPELINE: list[Case] = [
    ("map", "rows(numbers().map(lambda x: x + 1, 'a'))"),
    ("map default column", "rows(pairs(2).map(lambda x: x + 1))"),
    ("map two columns", "rows(pairs(2).map(lambda x, y: (x + y, x - y), ['a', 'b']))"),
    ("map two to one", "rows(pairs(2).map(lambda x, y: x + y, ['a', 'b'], ['c']))"),
    ("map two to one unnamed", "rows(pairs(2).map(lambda x, y: x + y, ['a', 'b']))"),
    (
        "map names",
        "[pairs(2).map(lambda *x: x, i, o).get_col_names() for i, o in ((['b'], ['c']), (['a'], ['c']), (['a'], ['c', 'd']), (['a'], ['a', 'd']), (['b'], ['d', 'b']), (['a', 'b'], ['c']), (['a'], ['b']))]",
    ),
    ("map one to two", "rows(pairs(1).map(lambda x: (x, x), ['a'], ['c', 'd']))"),
    (
        "map order",
        "[row for row in pairs(1).map(lambda x: (x, x), ['a'], ['c', 'd']).create_tuple_iterator(num_epochs=1, output_numpy=True)]",
    ),
    ("map output replaces", "rows(pairs(2).map(lambda x: x, ['a'], ['b']))"),
    ("map list of operations", "rows(numbers().map([lambda x: x + 1, lambda x: x * 2], 'a'))"),
    (
        "map operations change arity",
        "rows(pairs(1).map([lambda x, y: x + y, lambda z: (z, z, z)], ['a', 'b'], ['p', 'q', 'r']))",
    ),
    ("map float", "rows(numbers(1).map(lambda x: float(x)))"),
    ("map int", "rows(numbers(1).map(lambda x: int(x)))"),
    ("map list", "rows(numbers(1).map(lambda x: [1, 2]))"),
    ("map tensor", "rows(numbers(1).map(lambda x: ms.Tensor(1.0)))"),
    ("map str", "rows(numbers(1).map(lambda x: 'ab'))"),
    ("map dict", "rows(numbers(2).map(lambda x: {'q': x}))"),
    ("map None", "rows(numbers(1).map(lambda x: None))"),
    ("map object", "rows(numbers(1).map(lambda x: object()))"),
    ("map gets arrays", "rows(numbers(1).map(lambda x: str(type(x).__name__)))"),
    ("map ufunc", "rows(numbers().map(np.sqrt, 'a'))"),
    ("map too many outputs", "rows(pairs(1).map(lambda x: (x, x), ['a']))"),
    ("map too few outputs", "rows(pairs(1).map(lambda x, y: (x,), ['a', 'b'], ['a', 'b']))"),
    ("map arity", "rows(pairs(1).map(lambda x: x, ['a', 'b']))"),
    ("map missing column", "rows(pairs(1).map(lambda x: x, ['z']))"),
    ("map duplicate input", "rows(pairs(1).map(lambda x, y: x, ['a', 'a']))"),
    ("map int operation", "rows(pairs(1).map(3, ['a']))"),
    ("map no operations", "rows(pairs(1).map([], ['a']))"),
    ("map None operation", "rows(pairs(1).map(None, ['a']))"),
    ("map error", "rows(numbers().map(lambda x: 1 // 0))"),
    ("map unknown argument", "rows(numbers().map(lambda x: x, foo=1))"),
    (
        "map performance arguments",
        "rows(numbers().map(lambda x: x, 'a', num_parallel_workers=1, python_multiprocessing=False, cache=None, callbacks=None, offload=None))",
    ),
    ("map workers zero", "rows(numbers().map(lambda x: x, num_parallel_workers=0))"),
    ("map bad callbacks", "rows(numbers().map(lambda x: x, callbacks=3))"),
    ("batch", "rows(numbers(5).batch(2))"),
    ("batch drop", "rows(numbers(5).batch(2, drop_remainder=True))"),
    ("batch drop positional", "rows(numbers(5).batch(2, True))"),
    (
        "batch sizes",
        "[(d.get_dataset_size(), d.get_batch_size()) for d in (numbers(5), numbers(5).batch(2), numbers(5).batch(2, True), numbers(5).batch(2).batch(2), numbers(5).repeat(2).batch(3), numbers(5).batch(3).repeat(2))]",
    ),
    ("batch too large", "rows(numbers(5).batch(20))"),
    ("batch too large drop", "rows(numbers(5).batch(20, True))"),
    ("batch of batches", "rows(numbers(8).batch(2).batch(2))"),
    ("batch strings", "rows(slices(['a', 'bcd']).batch(2))"),
    ("batch zero", "rows(numbers(5).batch(0))"),
    ("batch minus one", "rows(numbers(5).batch(-1))"),
    ("batch float", "rows(numbers(5).batch(2.0))"),
    ("batch bool", "rows(numbers(2).batch(True))"),
    ("batch drop int", "rows(numbers(2).batch(2, 1))"),
    ("batch shapes differ", "rows(growing().batch(2))"),
    (
        "batch types differ",
        "rows(ds.GeneratorDataset(lambda: iter([(np.zeros(2),), (np.zeros(2, np.float32),)]), 'a').batch(2))",
    ),
    ("batch function", "rows(numbers(6).batch(lambda info: info.get_batch_num() + 1))"),
    (
        "batch function epochs",
        "column(numbers(6).batch(lambda info: info.get_batch_num() + 1 + info.get_epoch_num()), 2)",
    ),
    (
        "batch function facts",
        "(lambda d: (d.get_dataset_size(), d.get_batch_size()))(numbers(6).batch(lambda info: info.get_batch_num() + 1))",
    ),
    ("batch function zero", "rows(numbers(6).batch(lambda info: 0))"),
    ("batch function float", "rows(numbers(6).batch(lambda info: 1.5))"),
    ("batch function without argument", "rows(numbers(6).batch(lambda: 2))"),
    ("batch unknown argument", "rows(numbers(4).batch(2, foo=1))"),
    ("batch columns alone", "rows(numbers(4).batch(2, input_columns=['a']))"),
    (
        "batch performance arguments",
        "rows(numbers(4).batch(2, python_multiprocessing=False, num_parallel_workers=1))",
    ),
    (
        "per_batch_map",
        "rows(numbers().batch(2, per_batch_map=lambda c, info: ([x + 100 * info.get_batch_num() for x in c],), input_columns=['a']))",
    ),
    (
        "per_batch_map epochs",
        "column(numbers().batch(2, per_batch_map=lambda c, info: ([x + 100 * info.get_batch_num() + 1000 * info.get_epoch_num() for x in c],), input_columns=['a']), 2)",
    ),
    (
        "per_batch_map repeat after",
        "column(numbers().batch(2, per_batch_map=lambda c, info: ([x + 100 * info.get_batch_num() + 1000 * info.get_epoch_num() for x in c],), input_columns=['a']).repeat(2))",
    ),
    (
        "per_batch_map repeat before",
        "column(numbers(2).repeat(2).batch(2, per_batch_map=lambda c, info: ([x + 100 * info.get_batch_num() + 1000 * info.get_epoch_num() for x in c],), input_columns=['a']), 2)",
    ),
    (
        "per_batch_map array",
        "rows(numbers().batch(2, per_batch_map=lambda c, info: (np.array(c) + 1,), input_columns=['a']))",
    ),
    (
        "per_batch_map types",
        "rows(numbers(2).batch(2, per_batch_map=lambda c, info: ([type(c).__name__ + type(x).__name__ for x in c],), input_columns=['a']))",
    ),
    (
        "per_batch_map all columns",
        "rows(pairs(2).batch(2, per_batch_map=lambda c, d, info: ([x + 1 for x in c], [x + 2 for x in d])))",
    ),
    (
        "per_batch_map output columns",
        "rows(pairs(2).batch(2, per_batch_map=lambda c, info: ([x + 1 for x in c], [x + 2 for x in c]), input_columns=['a'], output_columns=['x', 'y']))",
    ),
    (
        "per_batch_map not a tuple",
        "rows(numbers(2).batch(2, per_batch_map=lambda c, info: [x + 1 for x in c], input_columns=['a']))",
    ),
    (
        "per_batch_map shorter",
        "rows(numbers().batch(2, per_batch_map=lambda c, info: ([c[0]],), input_columns=['a']))",
    ),
    ("per_batch_map int", "rows(numbers(2).batch(2, per_batch_map=lambda c, info: 5, input_columns=['a']))"),
    (
        "per_batch_map count",
        "rows(numbers(2).batch(2, per_batch_map=lambda c, info: (c, c), input_columns=['a']))",
    ),
    ("per_batch_map not callable", "rows(numbers(2).batch(2, per_batch_map=3, input_columns=['a']))"),
    (
        "per_batch_map error",
        "rows(numbers(2).batch(2, per_batch_map=lambda c, info: 1 // 0, input_columns=['a']))",
    ),
    (
        "per_batch_map missing column",
        "rows(numbers(2).batch(2, per_batch_map=lambda c, info: (c,), input_columns=['z']))",
    ),
    ("padded_batch", "rows(growing().padded_batch(2, pad_info={}))"),
    ("padded_batch equal", "rows(numbers().padded_batch(3, True))"),
    ("padded_batch differ", "rows(growing().padded_batch(2))"),
    ("padded_batch shape", "rows(growing().padded_batch(2, pad_info={'a': ([5], -1)}))"),
    ("padded_batch smaller", "rows(growing().padded_batch(2, pad_info={'a': ([3], -1)}))"),
    ("padded_batch longest", "rows(growing().padded_batch(2, True, pad_info={'a': ([None], -1)}))"),
    ("padded_batch default", "rows(growing().padded_batch(2, True, pad_info={'a': None}))"),
    ("padded_batch missing column", "rows(growing().padded_batch(2, True, pad_info={'b': ([None], -1)}))"),
    ("padded_batch rank", "rows(growing().padded_batch(2, True, pad_info={'a': ([None, 2], -1)}))"),
    (
        "bucket",
        "rows(growing(6).bucket_batch_by_length(['a'], [3, 5], [2, 2, 2], pad_info={'a': ([None], -1)}))",
    ),
    (
        "bucket function",
        "rows(growing(6).bucket_batch_by_length(['a'], [3, 5], [2, 2, 2], lambda x: 4, {}, False, True))",
    ),
    ("bucket single", "rows(growing(6).bucket_batch_by_length(['a'], [3, 5], [1, 1, 1]))"),
    (
        "bucket boundary",
        "rows(growing(4).bucket_batch_by_length(['a'], [3, 5], [2, 2, 2], pad_to_bucket_boundary=True, pad_info={'a': ([None], -1)}))",
    ),
    (
        "bucket beyond boundary",
        "rows(growing(6).bucket_batch_by_length(['a'], [3, 5], [2, 2, 2], pad_to_bucket_boundary=True, pad_info={'a': ([None], -1)}))",
    ),
    ("bucket sizes", "growing(6).bucket_batch_by_length(['a'], [3, 5], [2, 2])"),
    ("bucket order", "growing(6).bucket_batch_by_length(['a'], [5, 3], [2, 2, 2])"),
    ("shuffle", "sorted(column(numbers(9).shuffle(4)))"),
    (
        "shuffle window",
        "seeded(5, lambda: [i - 3 <= x for i, x in enumerate(column(numbers(30).shuffle(4)))] and all(x <= i + 3 for i, x in enumerate(column(numbers(30).shuffle(4)))))",
    ),
    ("shuffle large", "sorted(column(numbers().shuffle(100)))"),
    ("shuffle batches", "sorted(column(numbers().batch(2).shuffle(9)))"),
    (
        "shuffle epochs differ",
        "seeded(5, lambda: (lambda e: e[0] != e[1])(column(numbers(30).shuffle(30), 2)))",
    ),
    ("shuffle repeats", "seeded(5, lambda: (lambda d: column(d) == column(d))(numbers(30).shuffle(30)))"),
    ("shuffle zero", "numbers().shuffle(0)"),
    ("shuffle one", "numbers().shuffle(1)"),
    ("shuffle negative", "numbers().shuffle(-2)"),
    ("shuffle float", "numbers().shuffle(2.0)"),
    ("repeat", "column(numbers(2).repeat(3))"),
    ("repeat one", "column(numbers(2).repeat(1))"),
    (
        "repeat for ever size",
        "[numbers().repeat().get_dataset_size(), numbers().repeat(-1).get_dataset_size()]",
    ),
    (
        "repeat for ever",
        "[row[0].tolist() for _, row in zip(range(9), numbers().repeat().create_tuple_iterator(num_epochs=1, output_numpy=True))]",
    ),
    ("repeat zero", "numbers().repeat(0)"),
    ("repeat negative", "numbers().repeat(-2)"),
    ("repeat float", "numbers().repeat(2.0)"),
    (
        "repeat count",
        "[d.get_repeat_count() for d in (numbers(), numbers().repeat(2).repeat(3), numbers().repeat(2).batch(2), numbers().repeat(), numbers().repeat(2).take(3))]",
    ),
    ("repeat then batch", "rows(numbers(3).repeat(2).batch(2))"),
    ("batch then repeat", "rows(numbers(3).batch(2).repeat(2))"),
    (
        "take",
        "[column(d) for d in (numbers().take(2), numbers().take(20), numbers().take(-1), numbers().take())]",
    ),
    ("take zero", "numbers().take(0)"),
    ("take negative", "numbers().take(-2)"),
    ("take float", "numbers().take(2.0)"),
    ("skip", "[column(d) for d in (numbers().skip(2), numbers().skip(20), numbers().skip(0))]"),
    ("skip negative", "numbers().skip(-1)"),
    ("skip float", "numbers().skip(1.0)"),
    (
        "take and skip sizes",
        "[d.get_dataset_size() for d in (numbers().take(2), numbers().take(20), numbers().take(-1), numbers().skip(1), numbers().skip(9), numbers(5).skip(2).take(2))]",
    ),
    (
        "take and repeat",
        "[column(d) for d in (numbers().take(2).repeat(2), numbers().repeat(2).take(6), numbers().skip(2).repeat(2), numbers().repeat(2).skip(6))]",
    ),
    ("filter", "column(numbers(6).filter(lambda x: x % 2 == 0, 'a'))"),
    ("filter all columns", "rows(pairs(6).filter(lambda x, y: x % 2 == 0))"),
    ("filter one of two", "rows(pairs(6).filter(lambda y: y > 30, ['b']))"),
    ("filter int", "column(numbers(3).filter(lambda x: int(x)))"),
    ("filter str", "column(numbers(3).filter(lambda x: 'a'))"),
    (
        "filter sizes",
        "[numbers(6).filter(lambda x: x % 2 == 0, 'a').get_dataset_size(), numbers(6).filter(lambda x: x % 2 == 0, 'a').batch(2).get_dataset_size()]",
    ),
    ("filter None", "numbers(6).filter(None)"),
    ("filter missing column", "rows(numbers(6).filter(lambda x: True, ['z']))"),
    ("filter arity", "rows(pairs(6).filter(lambda x: x % 2 == 0))"),
    ("filter error", "rows(numbers(6).filter(lambda x: 1 // 0))"),
    ("project", "[list(row.items()) for row in rows(pairs(1).project(['b', 'a']))]"),
    ("project one", "rows(pairs(1).project('b'))"),
    ("project missing", "rows(pairs(1).project('z'))"),
    ("project empty", "rows(pairs(1).project([]))"),
    ("project duplicate", "rows(pairs(1).project(['a', 'a']))"),
    ("rename", "rows(pairs(1).rename('a', 'c'))"),
    ("rename swap", "rows(pairs(1).rename(['a', 'b'], ['b', 'a']))"),
    ("rename missing", "rows(pairs(1).rename(['z'], ['b']))"),
    ("rename lengths", "rows(pairs(1).rename(['a'], ['b', 'c']))"),
    ("rename clash", "rows(pairs(1).rename(['a'], ['b']))"),
    ("zip", "rows(ds.zip((numbers(3), slices([5, 6], 'z'))))"),
    ("zip method", "rows(numbers(2).zip(slices([5, 6, 7], 'z')))"),
    ("zip method several", "rows(numbers(1).zip((slices([5, 6], 'y'), slices([7, 8], 'z'))))"),
    ("zip size", "ds.zip((numbers(3), slices([5, 6], 'z'))).get_dataset_size()"),
    ("zip names clash", "rows(ds.zip((numbers(3), numbers(2))))"),
    ("zip list", "ds.zip([numbers(3), slices([5, 6], 'z')])"),
    ("zip int", "ds.zip((numbers(3), 3))"),
    ("zip none", "ds.zip(())"),
    ("zip one", "ds.zip((numbers(3),))"),
    ("concat", "column(numbers(2).concat(numbers(3)))"),
    ("concat several", "column(numbers(1).concat([numbers(1), numbers(2)]))"),
    ("concat plus", "column(numbers(1) + numbers(2))"),
    ("concat size", "(numbers(1) + numbers(2)).get_dataset_size()"),
    ("concat int", "numbers(1) + 3"),
    ("concat names", "rows(numbers(1).concat(slices([5], 'z')))"),
    ("concat order of names", "rows(pairs(1).concat(pairs(1).project(['b', 'a'])))"),
    ("concat types", "rows(numbers(1).concat(slices([1.5], 'a')))"),
    ("concat ranks", "rows(numbers(1).concat(slices([[1, 2]], 'a')))"),
    ("apply", "column(numbers().apply(lambda d: d.repeat(2)))"),
    ("apply int", "numbers().apply(3)"),
    ("apply result", "numbers().apply(lambda d: 3)"),
    ("flat_map", "rows(slices([[0, 1], [2, 3]]).flat_map(lambda a: slices(a).repeat(2)))"),
    (
        "flat_map two columns",
        "rows(slices(([[0, 1], [2, 3]], [[0, -1], [-2, -3]])).flat_map(lambda a, b: slices((a + 1, b - 1))))",
    ),
    ("flat_map names", "rows(slices([[0, 1], [2, 3]], ['q']).flat_map(lambda a: slices(a, ['w'])))"),
    ("flat_map size", "slices([[0, 1], [2, 3]]).flat_map(lambda a: slices(a)).get_dataset_size()"),
    ("flat_map result", "rows(slices([[0, 1], [2, 3]]).flat_map(lambda a: 3))"),
    ("flat_map int", "slices([[0, 1], [2, 3]]).flat_map(3)"),
    ("split", "[column(d) for d in numbers(10).split([0.7, 0.3], randomize=False)]"),
    ("split sizes", "[len(column(d)) for d in numbers(10).split([7, 3])]"),
    (
        "split seeded is disjoint",
        "seeded(3, lambda: sorted(sum((column(d) for d in numbers(10).split([7, 3])), [])))",
    ),
    (
        "split of a pipeline",
        "seeded(3, lambda: sorted(sum((column(d) for d in numbers(10).map(lambda x: x).split([7, 3])), [])))",
    ),
    (
        "split of a pipeline keeps",
        "seeded(3, lambda: (lambda e: sorted(e[0]) == sorted(e[1]))(column(numbers(10).map(lambda x: x).split([7, 3])[0], 2)))",
    ),
    ("split rounding", "[column(d) for d in numbers(10).split([0.25, 0.25, 0.5], False)]"),
    ("split rounding 11", "[len(column(d)) for d in numbers(11).split([0.33, 0.33, 0.34], False)]"),
    ("split rounding 5", "[len(column(d)) for d in numbers(5).split([0.5, 0.5], False)]"),
    ("split batches", "[column(d) for d in numbers(10).batch(2).split([3, 2], False)]"),
    ("split facts", "[(d.get_dataset_size(), d.get_col_names()) for d in numbers(10).split([7, 3])]"),
    ("split sum", "numbers(10).split([7, 2])"),
    ("split sum of shares", "numbers(10).split([0.7, 0.2])"),
    ("split tiny", "numbers(3).split([0.01, 0.99])"),
    ("split mixed", "numbers(3).split([0.5, 1])"),
    ("split empty", "numbers(3).split([])"),
    ("split float", "numbers(3).split(0.5)"),
    ("split negative", "numbers(3).split([-1, 4])"),
    ("split randomize int", "numbers(3).split([1, 2], 1)"),
]

ITERATORS: list[Case] = [
    ("dict", "[type(row).__name__ for row in pairs(1).create_dict_iterator(num_epochs=1)]"),
    ("tuple", "[type(row).__name__ for row in pairs(1).create_tuple_iterator(num_epochs=1)]"),
    ("plain", "[(type(row).__name__, [x.asnumpy() for x in row]) for row in pairs(2)]"),
    (
        "plain twice",
        "(lambda d: [[row[0].asnumpy() for row in d], [row[0].asnumpy() for row in d]])(numbers(2))",
    ),
    ("tensors", "tensors(pairs(2).batch(2))"),
    ("one epoch", "beyond(1)"),
    ("two epochs", "beyond(2)"),
    ("endless", "beyond(-1)"),
    ("broken off", "broken_off()"),
    ("epochs zero", "list(numbers().create_tuple_iterator(num_epochs=0))"),
    ("epochs -2", "numbers().create_tuple_iterator(num_epochs=-2)"),
    ("epochs float", "numbers().create_tuple_iterator(num_epochs=1.0)"),
    ("epochs None", "numbers().create_tuple_iterator(num_epochs=None)"),
    ("output_numpy int", "numbers().create_tuple_iterator(output_numpy=1)"),
    ("do_copy", "[row[0].asnumpy() for row in numbers(2).create_tuple_iterator(do_copy=True, num_epochs=1)]"),
    ("columns", "[row for row in pairs(1).create_tuple_iterator(['b'], num_epochs=1, output_numpy=True)]"),
    ("columns str", "[row for row in pairs(1).create_tuple_iterator('b', num_epochs=1, output_numpy=True)]"),
    (
        "columns order",
        "[row for row in pairs(1).create_tuple_iterator(['b', 'a'], num_epochs=1, output_numpy=True)]",
    ),
    ("columns missing", "list(pairs(1).create_tuple_iterator(['z'], num_epochs=1))"),
    ("unknown argument", "pairs(1).create_dict_iterator(foo=1)"),
    ("no length", "len(pairs(1).create_dict_iterator())"),
    ("column names", "pairs(1).create_dict_iterator().get_col_names()"),
    ("reset", "after_reset()"),
    (
        "writable",
        "[row[0].flags.writeable for row in slices([[1, 2]]).create_tuple_iterator(num_epochs=1, output_numpy=True)]",
    ),
    (
        "shapes and types",
        "[(d.output_shapes(), d.output_types()) for d in (pairs(), pairs().batch(3), pairs(2).batch(3), slices([[1.0, 2.0]]).repeat(3))]",
    ),
    (
        "shapes estimated",
        "[d.output_shapes(estimate=True) for d in (pairs().batch(3), growing().batch(1), slices([[1, 2]]))]",
    ),
    ("shapes estimate int", "pairs().output_shapes(estimate=1)"),
    ("shapes of nothing", "ds.GeneratorDataset(lambda: iter(()), 'a').output_shapes()"),
    (
        "facts",
        "(lambda d: (d.get_col_names(), d.get_dataset_size(), d.get_batch_size(), d.get_repeat_count(), d.num_classes(), d.get_class_indexing(), d.is_shuffled(), d.is_sharded()))(pairs())",
    ),
    (
        "use_sampler keeps the child",
        "(lambda first: [first.add_child(ds.SubsetSampler([5, 6, 2])), (lambda d: [d.use_sampler(ds.SubsetSampler([2, 0])), column(d)])(ds.NumpySlicesDataset(list(range(7)), 'a', sampler=first))])(ds.SequentialSampler(0, 2))",
    ),
    (
        "use_sampler of one with a child",
        "(lambda new: (new.add_child(ds.SequentialSampler(2, 4)), resampled('use_sampler', new))[1])(ds.SubsetSampler([1]))",
    ),
    ("batch with output_columns alone", "rows(pairs().batch(3, output_columns=['x', 'y']))"),
    ("batch with input_columns alone", "rows(pairs().batch(3, input_columns=['a']))"),
    (
        "is_shuffled",
        "[numbers(shuffle=None).is_shuffled(), numbers().shuffle(3).is_shuffled(), numbers().shuffle(3).batch(2).is_shuffled()]",
    ),
    ("generator size", "ds.GeneratorDataset(lambda: ((i,) for i in range(3)), 'a').get_dataset_size()"),
    (
        "generator size with num_samples",
        "ds.GeneratorDataset(lambda: ((i,) for i in range(3)), 'a', num_samples=2).get_dataset_size()",
    ),
    ("callback", "called_back(1, 2, 2)"),
    ("callback every other step", "called_back(2, 3, 2)"),
    ("callback repeated", "called_back(1, 2, 1, repeat=2)"),
    ("skip bad samples", "with_samples_mode('SKIP', (2, 3))"),
    ("replace bad samples", "with_samples_mode('REPLACE', (2, 3))"),
    ("replace first samples", "with_samples_mode('REPLACE', (0, 1))"),
    ("return bad samples", "with_samples_mode('RETURN', (2, 3))"),
]

CONFIG: list[Case] = [
    ("seed", "seeded(7, ds.config.get_seed)"),
    ("seed default", "(ds.config.set_seed(5489), ds.config.get_seed())"),
    ("seed largest", "seeded(2**32 - 1, ds.config.get_seed)"),
    ("seed negative", "ds.config.set_seed(-1)"),
    ("seed too large", "ds.config.set_seed(2**32)"),
    ("seed float", "ds.config.set_seed(1.0)"),
    ("seed bool", "ds.config.set_seed(True)"),
    ("seed of numpy", "seeded(3, lambda: float(np.random.rand()))"),
    ("seed of random", "seeded(3, lambda: __import__('random').random())"),
    ("workers", "restored('set_num_parallel_workers', 1, 'get_num_parallel_workers')"),
    ("workers zero", "ds.config.set_num_parallel_workers(0)"),
    ("workers float", "ds.config.set_num_parallel_workers(1.0)"),
    ("prefetch", "restored('set_prefetch_size', 4, 'get_prefetch_size')"),
    ("prefetch zero", "ds.config.set_prefetch_size(0)"),
    ("prefetch float", "ds.config.set_prefetch_size(1.0)"),
    (
        "defaults",
        "[getattr(ds.config, 'get_' + n)() for n in ('auto_num_workers', 'auto_offload', 'autotune_interval', 'callback_timeout', 'debug_mode', 'dynamic_shape', 'enable_autotune', 'enable_shared_mem', 'enable_watchdog', 'fast_recovery', 'iterator_mode', 'monitor_sampling_interval', 'multiprocessing_start_method', 'multiprocessing_timeout_interval', 'numa_enable', 'prefetch_size')]",
    ),
    ("samples mode", "[(m.name, int(m)) for m in ds.config.ErrorSamplesMode]"),
    ("samples mode int", "ds.config.set_error_samples_mode(1)"),
    ("auto workers int", "ds.config.set_auto_num_workers(1)"),
    ("timeout zero", "ds.config.set_multiprocessing_timeout_interval(0)"),
    ("start method", "ds.config.set_multiprocessing_start_method('thread')"),
    ("watchdog", "restored('set_enable_watchdog', False, 'get_enable_watchdog')"),
    ("watchdog int", "ds.config.set_enable_watchdog(1)"),
    ("debug int", "ds.config.set_debug_mode(1)"),
    ("load missing", "ds.config.load('no such file')"),
]

# UNIGRAM models are trained by another version of the library in MindSpore, with other pieces.
SENTENCE_PIECES: list[Case] = [
    *(
        (f"{model} {out}", f"pieces(trained('{model}', {size}), 'the dog likes a moonlit house', '{out}')")
        for model, size in (("BPE", 40), ("CHAR", 20), ("WORD", 12))
        for out in ("STRING", "INT")
    ),
    ("saved", "reread(trained('BPE', 40), 'the moon sees')"),
    ("nothing", "pieces(trained('BPE', 40), '').tolist()"),
    (
        "of a data set",
        "pieces(ds.text.SentencePieceVocab.from_dataset(slices(lines, ['t']), ['t'], 40, 1.0, ds.text.SentencePieceModel.BPE, {}), 'a horse')",
    ),
    (
        "in a map",
        "column(slices(lines[:2], ['t']).map(ds.text.SentencePieceTokenizer(trained('BPE', 40), ds.text.SPieceTokenizerOutType.INT), 't'))",
    ),
    ("params", "pieces(trained('BPE', 40, add_dummy_prefix='false'), 'the cat')"),
    ("two strings", "pieces(trained('BPE', 40), np.array(['a', 'b']))"),
    ("no string", "pieces(trained('BPE', 40), np.array(3))"),
    ("too many pieces", "trained('BPE', 4000)"),
    (
        "coverage too small",
        "ds.text.SentencePieceVocab.from_dataset(slices(lines, ['t']), ['t'], 40, 0.1, ds.text.SentencePieceModel.BPE, {})",
    ),
    ("unknown param", "trained('BPE', 40, nope='1')"),
    (
        "no file",
        "ds.text.SentencePieceVocab.from_file(['nope'], 40, 1.0, ds.text.SentencePieceModel.BPE, {})",
    ),
    (
        "file is a str",
        "ds.text.SentencePieceVocab.from_file('nope', 40, 1.0, ds.text.SentencePieceModel.BPE, {})",
    ),
    ("negative size", "trained('BPE', -1)"),
    (
        "model is an int",
        "ds.text.SentencePieceVocab.from_dataset(slices(lines, ['t']), ['t'], 40, 1.0, 1, {})",
    ),
    (
        "no size",
        "ds.text.SentencePieceVocab.from_dataset(slices(lines, ['t']), ['t'], None, 1.0, ds.text.SentencePieceModel.BPE, {})",
    ),
    (
        "no column",
        "ds.text.SentencePieceVocab.from_dataset(slices(lines, ['t']), ['u'], 40, 1.0, ds.text.SentencePieceModel.BPE, {})",
    ),
    ("no model", "pieces('nope.model', 'a')"),
    ("mode is an int", "pieces(3, 'a')"),
    ("out is a str", "ds.text.SentencePieceTokenizer('m', 'STRING')"),
    ("no folder", "ds.text.SentencePieceVocab.save_model(trained('BPE', 40), 'no folder', 'm')"),
]

_SIGNS = "床前明月光疑是地上霜举头望思故乡一二三"


def jieba_files() -> tuple[str, str]:
    """Words and a hidden Markov model, drawn at random."""
    draw = random.Random(5)
    words = {"ab": 30, "a1": 7, "c": 9}
    for _ in range(60):
        words["".join(draw.choice(_SIGNS) for _ in range(draw.choice((1, 2, 2, 2, 3, 4))))] = draw.randint(
            1, 400
        )
    change = "-3.14e+100 -0.51 -0.91 -3.14e+100\n-0.58 -3.14e+100 -3.14e+100 -0.80\n-3.14e+100 -0.33 -1.26 -3.14e+100\n-0.72 -3.14e+100 -3.14e+100 -0.66"
    emitted = [
        ",".join(f"{sign}:{-9 * draw.random():.6f}" for sign in _SIGNS if draw.random() < 0.9)
        for _ in range(4)
    ]
    model = ["# begin", "-0.26 -3.14e+100 -3.14e+100 -1.46", "", "# change", change, *emitted, ""]
    return "".join(f"{word} {count} n\n" for word, count in words.items()), "\n".join(model)


def jieba_texts() -> list[str]:
    """Texts, drawn at random."""
    draw, signs = random.Random(6), _SIGNS * 2 + "abc1 2.，。\tXY!é馬\n\U0001f600"
    texts = ["".join(draw.choice(signs) for _ in range(draw.randint(1, 25))) for _ in range(25)]
    return [*texts, "", " ", "abc123", "1.2.3a", "a1b2", "，，"]


_ADDED = "[('故故',), ('床', 900), ('馬', 0), {'地地': 33, '上': 1}, '望头 50\\n 乡床\\nab cd 5\\n霜霜霜  7 \\n\\n*x 3\\n']"
JIEBA: list[Case] = [
    *((f"{mode}{' with words' * (added != '[]')}", f"jieba(ds.text.JiebaMode.{mode}, added={added})")
      for mode in ("MP", "HMM", "MIX") for added in ("[]", _ADDED)),
    ("two fields", "jieba(words='床 3\\n')"),
    ("no number", "jieba(words='床 x n\\n')"),
    ("short model", "jieba(model='1 2\\n')"),
    ("no such file", "ds.text.JiebaTokenizer('no', 'no')"),
    ("no path", "ds.text.JiebaTokenizer(None, 'no')"),
    ("path is an int", "ds.text.JiebaTokenizer('no', 3)"),
    ("mode is a str", "jieba('MP')"),
    ("no word", "jieba(added=[(None,)])"),
    ("negative", "jieba(added=[('a', -1)])"),
    ("frequency is a str", "jieba(added=[('a', 'b')])"),
    ("dictionary is an int", "ds.text.JiebaTokenizer(__file__, __file__).add_dict(3)"),
]  # fmt: skip

_STRINGS = "ragged_strings()"
PADDED_STRINGS: list[Case] = [
    (f"{how} {info}", f"told({_STRINGS}.{how}pad_info={info}))")
    for info in ("{}", "{'s': None}", "{'v': ([3], 'q')}", "{'v': ([None], 0)}", "{'v': None, 'a': None}")
    for how in (
        "padded_batch(2, True, ",
        "bucket_batch_by_length(['a'], [2, 3], [2, 2, 1], lambda x: int(x.size), ",
    )
]

GROUPS = {
    "padded strings": PADDED_STRINGS,
    "jieba": JIEBA,
    "sources": SOURCES,
    "samplers": SAMPLERS,
    "pipeline": PIPELINE,
    "iterators": ITERATORS,
    "config": CONFIG,
    "sentence pieces": SENTENCE_PIECES,
}
