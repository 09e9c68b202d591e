"""Flags for XLA that the installed jaxlib has: XLA ends the process that it starts in for one that it does not know.

Nothing here imports JAX, for XLA reads `XLA_FLAGS` once, when it starts.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

# Most of the time goes to compiling small programs that run once: unoptimised, they compile in half of it.
# Nox runs the tests on programs as users have them.
FASTER_COMPILATION = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",  # jaxlib 0.12 has it no longer
    "--xla_cpu_parallel_codegen_split_count=1",  # a small program cut for several threads costs a third more time
)


def for_tests(given: str | None, cache: Path) -> str:
    """Choose `XLA_FLAGS` for the tests: those that the user gives, or else those for fast compilation.

    Raises:
        RuntimeError: if XLA does not know one that the user gives.
    """
    if given is None:
        return select_known(FASTER_COMPILATION, cache)
    unknown = set(given.split()).difference(select_known(given.split(), cache).split())
    if unknown:
        raise RuntimeError(
            f"The installed jaxlib does not know these of XLA_FLAGS: {' '.join(sorted(unknown))}"
        )
    return given


def select_known(flags: Sequence[str], cache: Path) -> str:
    """Select those that XLA starts with, as the value of `XLA_FLAGS`.

    XLA can be asked only by starting it, in a process of its own, which takes a second or two. So the answer is kept.

    Args:
        flags: each with its value, as in "--xla_backend_optimization_level=0".
        cache: a folder, which is made if need be. Where it cannot be written, the next call asks again.

    Raises:
        RuntimeError: if XLA does not start without any flag either; with what it says.
    """
    file, version = cache / "xla_flags.json", metadata.version("jaxlib")
    answers = {}
    with contextlib.suppress(OSError, ValueError):
        answers = dict(json.loads(file.read_text()))
    question, answer = f"{version}: {' '.join(flags)}", " ".join(flags)
    if question in answers:
        return answers[question]
    if refusal(answer):
        if fault := refusal(""):
            raise RuntimeError(f"JAX does not start on this machine:\n{fault}")
        answer = " ".join(flag for flag in flags if not refusal(flag))
    answers |= {question: answer, f"{version}: {answer}": answer}
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(answers, indent=1))
        part.replace(file)  # at once: another process may be reading
    return answer


def refusal(flags: str) -> str:
    """Ask what a process whose `XLA_FLAGS` are these says before XLA ends it; nothing if it starts."""
    started = subprocess.run(
        [sys.executable, "-c", "import jax; jax.devices()"],
        env={**os.environ, "XLA_FLAGS": flags},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if started.returncode == 0:
        return ""
    return started.stderr.strip() or f"The process ended with status {started.returncode}."
