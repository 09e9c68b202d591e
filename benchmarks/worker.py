"""A peer in a process of its own, which makes steps when it is told to.

    python benchmarks/worker.py PEER MODEL       then lines "N" on its input; it answers "answer SECONDS LOSS"

The first answer, before any line, is that of building the model; "0" asks for the peak of memory in MB. If CPU time is
measured (see `timing`), the answer is that or the clock's time, whichever is less, in favour of peers whose threads spin.
"""

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timing import ON_CPU_TIME

HERE = Path(__file__).resolve().parent


def find(name: str) -> Any:
    """A model by its name: `lenet`, `mlp:TINY`, `gpt:make:128` (calls `make`)."""
    module, *rest = name.split(":")
    found: Any = importlib.import_module(f"models.{module}")
    if rest:
        found = getattr(found, rest[0])
    return found(*map(int, rest[1:])) if rest[1:] else found


class Worker:
    """The other end: called like a step, but it makes `calls` of them and returns the seconds of each."""

    def __init__(
        self, peer: str, model: str, python: str = sys.executable, env: dict[str, str] | None = None
    ) -> None:
        # MindSpore's kernels for AVX-512 fall back to reference code for convolutions: AVX2 is its best.
        extra = {"GLOG_v": "3", "ONEDNN_MAX_CPU_ISA": "AVX2"} if peer.startswith("mindspore") else {}
        command = [python, str(HERE / "worker.py"), peer, model]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | extra | (env or {}),
        )
        self.loss = 0.0
        self.built = self._answer()

    def _answer(self) -> float:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("answer "):
                _, seconds, loss = line.split()
                self.loss = float(loss)
                return float(seconds)
        raise RuntimeError(f"{self.process.args} ended with {self.process.wait()}")

    def seconds(self, calls: int) -> float:
        """Seconds of one step."""
        return self._ask(calls) / calls

    def peak(self) -> float:
        """The peak of memory in MB."""
        return self._ask(0)

    def _ask(self, calls: int) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{calls}\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def peak_memory() -> float:
    """The most memory in MB that this process has held."""
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) / 1024


def serve(step: Callable[[], Any]) -> None:
    for line in sys.stdin:
        calls = int(line)
        start, on_cpu = time.perf_counter(), time.process_time()
        loss = 0.0
        for _ in range(calls):
            loss = step()
        spent = time.perf_counter() - start
        if ON_CPU_TIME:
            spent = min(spent, time.process_time() - on_cpu)
        spent = spent if calls else peak_memory()
        print("answer", spent, float(loss), flush=True)


def main() -> None:
    import peers

    peer, model = sys.argv[1:]
    start = time.perf_counter()
    step = peers.build(peer, find(model))
    print("answer", time.perf_counter() - start, 0.0, flush=True)
    serve(step)


if __name__ == "__main__":
    main()
