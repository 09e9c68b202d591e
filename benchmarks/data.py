"""How fast data sets feed: msjax beside MindSpore, torch's DataLoader and grain, in one run.

    python -m benchmarks.data --mindspore /path/to/python --torch /path/to/python --grain /path/to/python

Each library runs in the interpreter given for it (none: it is left out), all of them by turns, so that a machine that is
busy slows all alike: look at the ratios. Seconds are the wall clock's. Rows: images or rows in a second, and those of
msjax as a multiple of the best of the others, and of its own with one worker. At the end: what is no rate, of msjax alone.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 2
EPOCHS = {"images": 4, "records": 4, "text": 4, "arrays": 4, "function": 2}  # at once
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
SLOW = 0.005  # seconds that the Python function takes


def write_images(folder: Path, count: int = 256) -> None:
    """JPEG files of 500 x 375 pixels in two classes."""
    from PIL import Image

    y, x = np.mgrid[:375, :500]
    draw = np.random.default_rng(0)
    for i in range(count):
        waves = 128 + 90 * np.sin(x / (20 + i % 17)) * np.cos(y / 33)
        pixels = (
            np.stack([waves, (x * 0.5 + i) % 256, 255 - y * 0.6], -1)
            + draw.standard_normal((375, 500, 3)) * 8
        )
        path = folder / "ab"[i % 2] / f"{i:04d}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(path, quality=90)


def write_records(folder: Path) -> None:
    """The same files in a MindRecord file."""
    from msjax.mindrecord import FileWriter

    writer = FileWriter(str(folder / "images.mindrecord"))
    writer.add_schema({"image": {"type": "bytes"}, "label": {"type": "int32"}})
    paths = sorted(folder.glob("*/*.jpg"))
    writer.write_raw_data([{"image": path.read_bytes(), "label": i % 2} for i, path in enumerate(paths)])
    writer.commit()


def write_text(folder: Path, count: int = 20000) -> None:
    """Lines of 5 to 40 words of a vocabulary of 5000."""
    draw = np.random.default_rng(0)
    words = [f"w{i}" for i in range(5000)]
    lines = (" ".join(words[i] for i in draw.integers(0, 5000, draw.integers(5, 40))) for _ in range(count))
    (folder / "lines.txt").write_text("\n".join(lines) + "\n")
    (folder / "vocab.txt").write_text("\n".join(["<pad>", "<unk>", *words[:4500]]) + "\n")


def slow(x: Any) -> Any:
    """A Python function that computes for a while."""
    end = time.perf_counter() + SLOW
    while time.perf_counter() < end:
        pass
    return x


# ---------------------------------------------------------------- pipelines: from folder and workers to epochs of batches


def mindspore_images_dataset(folder: str, workers: int) -> Any:
    import mindspore.dataset as ds
    from mindspore.dataset import vision

    ds.config.set_prefetch_size(2)  # or MindSpore works in the others' turns
    data = ds.ImageFolderDataset(folder, shuffle=True, num_parallel_workers=workers)
    operations = [
        vision.Decode(),
        vision.RandomResizedCrop(224),
        vision.RandomHorizontalFlip(),
        vision.Normalize(MEAN, STD),
        vision.HWC2CHW(),
    ]
    return data.map(operations, "image", num_parallel_workers=workers).batch(64, num_parallel_workers=workers)


def mindspore_images(folder: str, workers: int) -> Callable[[], Iterator[Any]]:
    iterator = mindspore_images_dataset(folder, workers).create_tuple_iterator(output_numpy=True)
    return lambda: (row[0] for row in iterator)


def mindspore_records(folder: str, workers: int) -> Callable[[], Iterator[Any]]:
    import mindspore.dataset as ds
    from mindspore.dataset import vision

    ds.config.set_prefetch_size(2)
    data = ds.MindDataset(f"{folder}/images.mindrecord", ["image", "label"], num_parallel_workers=workers)
    operations = [vision.Decode(), vision.Resize((224, 224)), vision.Normalize(MEAN, STD), vision.HWC2CHW()]
    data = data.map(operations, "image", num_parallel_workers=workers).batch(64, num_parallel_workers=workers)
    iterator = data.create_tuple_iterator(output_numpy=True)
    return lambda: (row[0] for row in iterator)


def mindspore_text(folder: str, workers: int) -> Callable[[], Iterator[Any]]:
    import mindspore.dataset as ds
    from mindspore.dataset import text, transforms

    ds.config.set_prefetch_size(2)
    vocab = text.Vocab.from_file(f"{folder}/vocab.txt")
    data = ds.TextFileDataset(f"{folder}/lines.txt", num_parallel_workers=workers)
    operations = [text.WhitespaceTokenizer(), text.Lookup(vocab, "<unk>"), transforms.PadEnd([48], 0)]
    data = data.map(operations, "text", num_parallel_workers=workers).batch(64, num_parallel_workers=workers)
    iterator = data.create_tuple_iterator(output_numpy=True)
    return lambda: (row[0] for row in iterator)


def mindspore_arrays(folder: str, workers: int) -> Callable[[], Iterator[Any]]:
    import mindspore.dataset as ds

    ds.config.set_prefetch_size(2)
    images, labels = np.zeros((6000, 28, 28), np.float32), np.zeros(6000, np.int32)
    iterator = ds.NumpySlicesDataset((images, labels)).batch(128).create_tuple_iterator(output_numpy=True)
    return lambda: (row[0] for row in iterator)


def mindspore_function(folder: str, workers: int) -> Callable[[], Iterator[Any]]:
    import mindspore.dataset as ds

    ds.config.set_prefetch_size(2)
    data = ds.NumpySlicesDataset(np.zeros((256, 10), np.float32), "x")
    data = data.map(slow, "x", num_parallel_workers=workers, python_multiprocessing=True).batch(16)
    iterator = data.create_tuple_iterator(output_numpy=True)
    return lambda: (row[0] for row in iterator)


def pil_image(path: str) -> np.ndarray:
    """The pipeline of images with Pillow, as torch's and grain's users write it."""
    from PIL import Image

    draw = np.random.default_rng()
    image = Image.open(path).convert("RGB")
    width, height = image.size
    for _ in range(10):
        area, ratio = (
            width * height * draw.uniform(0.08, 1),
            np.exp(draw.uniform(np.log(3 / 4), np.log(4 / 3))),
        )
        across, down = round((area * ratio) ** 0.5), round((area / ratio) ** 0.5)
        if across <= width and down <= height:
            left, top = draw.integers(width - across + 1), draw.integers(height - down + 1)
            break
    else:
        left, top, across, down = 0, 0, width, height
    image = image.resize((224, 224), Image.Resampling.BILINEAR, (left, top, left + across, top + down))
    pixels = np.asarray(image)
    pixels = pixels[:, ::-1] if draw.random() < 0.5 else pixels
    pixels = (pixels.astype(np.float32) - np.array(MEAN, np.float32)) / np.array(STD, np.float32)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


class Images:
    """A source of images, for torch and grain."""

    def __init__(self, folder: str) -> None:
        self.paths = sorted(map(str, Path(folder).glob("*/*.jpg")))

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> np.ndarray:
        return pil_image(self.paths[index])


class Arrays:
    """A source of arrays in memory."""

    def __init__(self) -> None:
        self.images, self.labels = np.zeros((6000, 28, 28), np.float32), np.zeros(6000, np.int32)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.int32]:
        return self.images[index], self.labels[index]


class Slow:
    """A source whose rows take a while."""

    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> np.ndarray:
        return slow(np.zeros(10, np.float32))


SOURCES = {
    "images": (Images, 64),
    "arrays": (lambda folder: Arrays(), 128),
    "function": (lambda folder: Slow(), 16),
}


def torch_pipeline(name: str, folder: str, workers: int) -> Callable[[], Iterator[Any]]:
    from torch.utils.data import DataLoader

    make, batch = SOURCES[name]
    used = 0 if name == "arrays" else workers  # in memory, processes only slow it down
    loader = DataLoader(make(folder), batch, shuffle=True, num_workers=used, persistent_workers=used > 0)
    return lambda: (row[0] if isinstance(row, list) else row for row in loader)


def grain_pipeline(name: str, folder: str, workers: int) -> Callable[[], Iterator[Any]]:
    import grain

    make, batch = SOURCES[name]
    data = grain.MapDataset.source(make(folder)).shuffle(0)
    stacked = data.to_iter_dataset().batch(batch)
    if name != "arrays" and workers > 1:
        stacked = stacked.mp_prefetch(grain.MultiprocessingOptions(num_workers=workers))
    return lambda: (row[0] if isinstance(row, tuple) else row for row in stacked)


def rest(folder: str) -> None:
    """Print what the pipeline of images does apart from its rate; msjax alone.

    A device that computes is a consumer that waits: the processor is free meanwhile.
    """
    import resource

    import mindspore as ms
    import mindspore.dataset as ds

    def batches(iterator: Any, wait: float) -> list[float]:
        times = [time.perf_counter()]
        for _ in iterator:
            time.sleep(wait)
            times.append(time.perf_counter())
        return np.diff(times).tolist()

    ds.config.set_num_parallel_workers(2)
    ms.Tensor([1.0]).asnumpy()  # JAX starts its device
    begin = time.perf_counter()
    iterator = mindspore_images_dataset(folder, 2).create_tuple_iterator()
    next(iterator)
    print(f"first batch after {time.perf_counter() - begin:.2f} s")
    for _ in iterator:
        pass
    alone = float(np.median([one for _ in range(4) for one in batches(iterator, 0)]))
    fed = [batches(iterator, alone) for _ in range(4)]
    together = float(np.median([one for epoch in fed for one in epoch]))
    first = float(np.median([epoch[0] for epoch in fed]))
    print(
        f"a batch: {alone:.3f} s; with a step of {alone:.3f} s on a device: {together:.3f} s, {together / alone:.2f}"
    )
    print(f"the first batch of an epoch after another one: {first:.3f} s, {first / together:.2f}")
    peaks = []
    for epoch in range(50):
        for _ in iterator:
            pass
        if epoch in (4, 49):
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(f"memory at its peak, MB: {peaks[0]:.0f} after 5 epochs, {peaks[1]:.0f} after 50", flush=True)
    overlap(iterator, alone)  # last: a compiled step takes memory of its own


def resnet20() -> Callable[[Any], Any]:
    """A compiled step of training of a ResNet-20, from a batch of images to its loss."""
    import mindspore as ms
    from mindspore import mint, nn, ops

    class Block(nn.Cell):
        def __init__(self, inside: int, out: int, stride: int) -> None:
            super().__init__()
            self.body = nn.SequentialCell(
                nn.Conv2d(inside, out, 3, stride), nn.BatchNorm2d(out), nn.ReLU(),
                nn.Conv2d(out, out, 3), nn.BatchNorm2d(out),
            )  # fmt: skip
            self.side = nn.Identity() if inside == out else nn.Conv2d(inside, out, 1, stride)

        def construct(self, x: Any) -> Any:
            return ops.relu(self.body(x) + self.side(x))

    sizes = [(16, 16, 1)] * 3 + [(16, 32, 2), (32, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 64, 1)]
    begin = [nn.Conv2d(3, 16, 3, 4), nn.BatchNorm2d(16), nn.ReLU()]
    net = nn.SequentialCell(
        *begin, *(Block(*one) for one in sizes), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dense(64, 2)
    )
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    gradient = ms.value_and_grad(
        lambda x, y: mint.nn.functional.cross_entropy(net(x), y), None, optimizer.parameters
    )

    @ms.jit
    def step(x: Any, y: Any) -> Any:
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return lambda row: step(row[0], row[1])


def overlap(iterator: Any, fed: float) -> None:
    """Print how long a step that is fed takes, as a multiple of the slower one: the step alone, or a batch (`fed`) alone."""
    step = resnet20()
    rows = [row for row in iterator if len(row[0]) == 64]
    times = []
    for row in rows + rows:
        begin = time.perf_counter()
        step(row).asnumpy()
        times.append(time.perf_counter() - begin)
    alone, together = float(np.median(times[len(rows) :])), []
    for _ in range(4):
        begin = time.perf_counter()
        for row in iterator:
            step(row).asnumpy()
            together.append(time.perf_counter() - begin)
            begin = time.perf_counter()
    both, slower = float(np.median(together)), max(alone, fed)
    print(f"ResNet-20: a step {alone:.3f} s, fed {both:.3f} s, {both / slower:.2f} of the slower one alone")


def worker(library: str, name: str, folder: str, workers: int) -> None:
    """Make a pipeline; for each line that comes in, print the rows in a second of the second half of some epochs.

    The first half takes what was prefetched in the pause before it.
    """
    if name == "rest":
        rest(folder)
        return
    if library in ("torch", "grain"):
        if name not in SOURCES:
            return
        epoch = (torch_pipeline if library == "torch" else grain_pipeline)(name, folder, workers)
    else:
        epoch = globals()[f"mindspore_{name}"](folder, workers)
    total = sum(1 for _ in epoch()) * EPOCHS[name]  # what starts, starts here
    print("ready", flush=True)
    for _ in sys.stdin:
        begin, rows = 0.0, 0
        for place, batch in enumerate(one for _ in range(EPOCHS[name]) for one in epoch()):
            if place == total // 2:
                begin, rows = time.perf_counter(), -len(batch)
            rows += len(batch)
        print(rows / (time.perf_counter() - begin), flush=True)


def measure(interpreters: dict[str, str], name: str, folder: str, workers: int) -> dict[str, float]:
    """Rows in a second of each library, the best of some epochs that the libraries take turns with."""
    running = {}
    for library, interpreter in interpreters.items():
        program = [interpreter, "-m", "msjax", "run"] if library == "msjax" else [interpreter]
        command = [*program, __file__, "--worker", library, name, folder, str(workers)]
        running[library] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    found: dict[str, list[float]] = defaultdict(list)
    for one in running.values():
        while one.stdout and (line := one.stdout.readline()) and line.strip() != "ready":
            pass
    for _ in range(ROUNDS):
        for library, one in running.items():
            if one.poll() is None and one.stdin and one.stdout:
                one.stdin.write("\n")
                one.stdin.flush()
                found[library].append(float(one.stdout.readline() or 0))
    for one in running.values():
        one.communicate()
    return {library: max(found[library], default=0.0) for library in interpreters}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--pipelines", nargs="*", default=list(EPOCHS), choices=list(EPOCHS))
    for library in ("mindspore", "torch", "grain"):
        parser.add_argument(f"--{library}", help=f"a Python that has {library}")
    given = parser.parse_args()
    if given.worker:
        library, name, folder, workers = given.worker
        worker(library, name, folder, int(workers))
        return
    chosen = {"msjax": sys.executable} | {
        library: path for library in ("mindspore", "torch", "grain") if (path := getattr(given, library))
    }
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; rows in a second")
    print(
        f"{'pipeline':10} {'workers':>7} "
        + " ".join(f"{one:>10}" for one in chosen)
        + "  msjax / best  of one worker"
    )
    with tempfile.TemporaryDirectory() as folder:
        write_images(Path(folder))
        write_records(Path(folder))
        write_text(Path(folder))
        alone = 0.0
        for name in given.pipelines:
            for workers in (1,) if name == "arrays" else (1, 2):
                found = measure(chosen, name, folder, workers)
                best = max((rate for library, rate in found.items() if library != "msjax"), default=0.0)
                ratio = f"{found['msjax'] / best:14.2f}" if best else " " * 14
                alone = found["msjax"] if workers == 1 else alone
                ratio += f"{found['msjax'] / alone:15.2f}" if workers > 1 else ""
                rates = " ".join(f"{found[one]:10.0f}" for one in chosen)
                print(f"{name:10} {workers:7} {rates} {ratio}", flush=True)
        run = [sys.executable, "-m", "msjax", "run", __file__, "--worker", "msjax", "rest", folder, "2"]
        subprocess.run(run, check=True)


if __name__ == "__main__":
    main()
