"""Diagnosis: what `msjax doctor` finds on a machine, and what to do about it.

Each check returns findings; a finding is fine, worth knowing, or a problem. Nothing is changed on the machine.
"""

import contextlib
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from msjax.cli import compilation_cache
from msjax.version import __msjax_version__

Verdict = Literal["ok", "note", "problem"]
NO_DEVICE = (
    RuntimeError,
    AssertionError,
)  # what JAX raises without one; the second where its plugin is not installed
_FREE_DISK = 1 << 30  # bytes that compiled programs and checkpoints of a first hour need


@dataclass(frozen=True)
class Finding:
    """Result of one check.

    Args:
        verdict: "ok", "note" (worth knowing) or "problem".
        subject: what was looked at.
        text: what was found, and what to do.
    """

    verdict: Verdict
    subject: str
    text: str

    def __str__(self) -> str:
        return f"{self.verdict:<8}{self.subject}: {self.text}"


def diagnose() -> list[Finding]:
    """Look at Python, packages, devices, the cache of compiled programs, and packages that could be mistaken for msjax.

    Examples:
        >>> from msjax.cli import diagnosis
        >>> {finding.subject for finding in diagnosis.diagnose()} >= {"Python", "packages", "devices"}
        True
    """
    checks = (_check_python, _check_packages, _check_devices, _check_cache, _check_originals, _check_types)
    return [finding for check in checks for finding in check()]


def _check_python() -> Iterator[Finding]:
    bits = sys.maxsize.bit_length() + 1
    text = f"{platform.python_version()}, {bits} bit, {platform.system()} {platform.machine()}"
    if bits != 64:
        yield Finding("problem", "Python", f"{text}. JAX needs 64 bit.")
    else:
        yield Finding("ok", "Python", text)


def _check_packages() -> Iterator[Finding]:
    from packaging.requirements import Requirement

    wrong = []
    try:
        lines = requires("msjax") or []
    except PackageNotFoundError:
        yield Finding("note", "packages", "msjax runs from its sources: requirements cannot be checked.")
        return
    for line in lines:
        requirement = Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            wrong.append(f"{requirement} is not installed")
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            wrong.append(f"{requirement.name} is {installed}, and msjax needs {requirement.specifier}")
    if wrong:
        repair = f"{sys.executable} -m pip install 'msjax=={__msjax_version__}'"
        yield Finding("problem", "packages", f"{'; '.join(wrong)}. Try: {repair}")
    else:
        yield Finding("ok", "packages", f"msjax {__msjax_version__}, jax {version('jax')}; all as required")


def _check_devices() -> Iterator[Finding]:
    import jax

    chosen = os.environ.get("JAX_PLATFORMS")
    try:
        devices = jax.devices()
    except NO_DEVICE as error:
        why = str(error) or "it has no plugin for what is asked for."
        advice = (
            f" JAX_PLATFORMS={chosen} asks for it; without that variable the best device is taken."
            if chosen
            else ""
        )
        yield Finding("problem", "devices", f"JAX finds none: {why}{advice}")
        return
    kinds = {device.platform for device in devices}
    names = ", ".join(sorted({f"{device.platform} ({device.device_kind})" for device in devices}))
    yield Finding("ok", "devices", f"{len(devices)}: {names}")
    hardware_here = {kind: (hardware, extra) for hardware, kind, extra in _find_hardware()}
    plugin = _find_cuda_plugin()
    for kind, (hardware, extra) in hardware_here.items():
        if kind in kinds:
            continue
        if chosen and kind not in chosen.replace("cuda", "gpu"):
            yield Finding("note", "devices", f"{hardware} is here; JAX_PLATFORMS={chosen} leaves it out.")
        elif kind == "gpu" and plugin:
            advice = "JAX says why above; for CUDA 13 the driver must be 580 or newer (nvidia-smi shows it)."
            yield Finding("problem", "devices", f"{hardware} is here, and {plugin} cannot use it: {advice}")
        else:
            yield Finding(
                "problem", "devices", f"{hardware} is here and not used: pip install 'msjax[{extra}]'"
            )
    if plugin and not chosen and "gpu" not in kinds and "gpu" not in hardware_here:
        text = f"{plugin} is installed, and no NVIDIA driver is here: programs run on the CPU. "
        advice = "In a container, start it with `docker run --gpus all`; JAX_PLATFORMS=cpu silences JAX."
        yield Finding("note", "devices", text + advice)


def _find_cuda_plugin() -> str:
    """Return the name of the installed package by which JAX reaches NVIDIA's GPUs, or ""."""
    for name in ("jax-cuda13-plugin", "jax-cuda12-plugin"):
        with contextlib.suppress(PackageNotFoundError):
            return f"{name} {version(name)}"
    return ""


def _find_hardware() -> Iterator[tuple[str, str, str]]:
    """Yield (what it is, JAX's kind of device, the extra that uses it)."""
    if Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi"):
        yield "An NVIDIA GPU", "gpu", "cuda13"
    if any(Path("/dev").glob("accel*")) or os.environ.get("TPU_NAME"):
        yield "A TPU", "tpu", "tpu"


def _check_cache() -> Iterator[Finding]:
    chosen = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    folder = Path(chosen) if chosen else compilation_cache.cache_folder()
    if folder is None:
        yield Finding("note", "compiled programs", "not kept on disk: each run compiles again.")
        return
    existing = next(parent for parent in (folder, *folder.parents) if os.path.exists(parent))
    # Some systems say that a folder can be written to which takes no file, such as /proc.
    if not os.access(existing, os.W_OK | os.X_OK) or not shutil.disk_usage(existing).total:
        advice = "set MSJAX_CACHE_DIR to a folder that can be written."
        yield Finding("problem", "compiled programs", f"{folder} cannot be written; {advice}")
        return
    free = shutil.disk_usage(existing).free
    if free < _FREE_DISK:
        yield Finding("problem", "compiled programs", f"{folder}: only {free >> 20} MB are free there.")
    else:
        yield Finding("ok", "compiled programs", f"kept in {folder} ({free >> 30} GB free)")


def _check_originals() -> Iterator[Finding]:
    for name in ("mindspore", "torch"):
        if name not in sys.modules and find_spec(name) is None:
            continue
        yield Finding(
            "note",
            name,
            f"the real package is installed too. `msjax run` and msjax.install_as({name!r}) put msjax in its place; "
            f"a program started with plain `python` gets the real one.",
        )


def _check_types() -> Iterator[Finding]:
    import jax

    if jax.config.read("jax_enable_x64"):
        yield Finding("ok", "64-bit types", "on, as in MindSpore")
    else:
        yield Finding("note", "64-bit types", "off (MSJAX_X64=0): int64 and float64 become 32-bit types.")
