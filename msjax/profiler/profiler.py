"""`profile`: records traces of host and devices with `jax.profiler`."""

import glob
import gzip
import json
import logging
import os
import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Self

import jax

from msjax.core.xla import changing_shapes
from msjax.profiler.common.constant import ProfilerActivity
from msjax.profiler.experimental_config import _ExperimentalConfig
from msjax.profiler.steps import ProfilerAction, Schedule, always

_log = logging.getLogger(__name__)

FOLDER = "./data"
_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
_FLAGS = {"with_stack": False, "profile_memory": False, "start_profile": True}
_WITHOUT_EFFECT = {
    "data_process": False,
    "parallel_strategy": False,
    "hbm_ddr": False,
    "pcie": False,
    "sync_enable": True,
    "record_shapes": False,
}
_KEPT = """
    activities profiler_level aic_metrics l2_cache sys_io sys_interconnection host_sys data_simplification export_type mstx
    mstx_domain_include mstx_domain_exclude experimental_config
""".split()


def tensorboard_trace_handler(
    dir_name: str | None = None,
    worker_name: str | None = None,
    analyse_flag: bool = True,
    async_mode: bool = False,
) -> Callable[[Any], None]:
    """Return a function that a `profile` calls with itself when a trace is ready: it logs where traces are written.

    A trace lies in `plugins/profile/<time>` below that folder: `tensorboard --logdir <folder>` shows it, with the plugin
    `xprof`, and ui.perfetto.dev its file `*.trace.json.gz`.

    Args:
        dir_name (str): the folder. Default: None, for "./data".
        worker_name (str): a folder in it. Default: None, for none.
        analyse_flag (bool): without effect: JAX's traces need no analysis. Default: True.
        async_mode (bool): without effect. Default: False.

    Examples:
        >>> from msjax.profiler import tensorboard_trace_handler
        >>> handler = tensorboard_trace_handler("traces")
    """
    folder = os.path.join(dir_name or FOLDER, worker_name or "")

    def handler(profiler: Any) -> None:
        _log.info("A trace was written to %s.", folder)

    handler.folder = folder  # type: ignore[attr-defined]
    return handler


class Profile:
    """Records what host and devices do while it is open, as a trace for TensorBoard and Perfetto (`jax.profiler`).

    Args:
        activities (Iterable): without effect: JAX records host and devices. Default: None.
        with_stack (bool): record the calls of Python functions too. Default: False.
        profile_memory (bool): also write what the devices hold in the end (`memory.prof`, for pprof). Default: False.
        data_process (bool): without effect, as are the next five that have no description.
        parallel_strategy (bool): see above.
        start_profile (bool): begin at once; otherwise when `start` is called. Default: True.
        hbm_ddr (bool): see above.
        pcie (bool): see above.
        sync_enable (bool): see above.
        record_shapes (bool): see above.
        schedule (Callable): says by the number of a step what is done in it; `step` counts. Default: None, for everything.
        on_trace_ready (Callable): called with this object when a trace was written. Default: None.
        experimental_config (_ExperimentalConfig): without effect. Default: None.

    Raises:
        RuntimeError: if a trace begins while another one is being recorded.

    Examples:
        >>> import tempfile
        >>> import msjax as ms
        >>> from msjax.profiler import profile, tensorboard_trace_handler
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with profile(on_trace_ready=tensorboard_trace_handler(folder)):
        ...         x = ms.Tensor([1.0]) * 2
    """

    def __init__(
        self,
        activities: Iterable[ProfilerActivity] | None = None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        experimental_config: _ExperimentalConfig | None = None,
    ) -> None:
        flags = {name: value for name, value in locals().items() if name in {**_FLAGS, **_WITHOUT_EFFECT}}
        self._open(flags, schedule, on_trace_ready, None)

    def _open(self, flags: dict[str, Any], schedule: Any, ready: Any, folder: str | None) -> None:
        self._has_started = self._recording = False
        self._flags = _check_flags(flags)
        for name, value in {"schedule": schedule, "on_trace_ready": ready}.items():
            if value is not None and not callable(value):
                _log.warning("`profile`: argument `%s` cannot be called; it is left out.", name)
        self.record_steps = callable(schedule)
        self.schedule: Any = schedule if callable(schedule) else always
        self._ready = ready if callable(ready) else None
        self.folder = folder or getattr(self._ready, "folder", FOLDER)
        self.step_num = 0
        self.current_action: ProfilerAction = self.schedule(0)
        self._metadata: dict[str, Any] = {}
        self._annotation: Any = None
        if self._flags["start_profile"]:
            self.start()

    def __enter__(self) -> Self:
        if not self._has_started:
            self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._has_started:
            self.stop()

    def __del__(self) -> None:
        if getattr(self, "_recording", False):
            self._finish(ready=False)

    def start(self) -> None:
        """Start recording, if it has not started.

        Raises:
            RuntimeError: if another trace is being recorded.
        """
        if self._has_started:
            _log.warning("`profile.start`: it has begun already.")
            return
        self._enter()
        self._has_started = True

    def stop(self) -> None:
        """End, and write what was recorded."""
        if not self._has_started:
            _log.error("`profile.stop`: it has not begun.")
            return
        self._has_started = False
        self._leave(ended=True)

    def step(self) -> None:
        """Mark the end of a step and the begin of the next one."""
        if not self._has_started:
            _log.error("`profile.step`: it has not begun.")
            return
        self.step_num += 1
        following = self.schedule(self.step_num)
        self._leave(
            ended=self.current_action is ProfilerAction.RECORD_AND_SAVE, goes_on=following in _RECORDING
        )
        self.current_action = following
        self._enter()

    def _enter(self) -> None:
        if self.current_action in _RECORDING and not self._recording:
            options = jax.profiler.ProfileOptions()
            options.python_tracer_level = int(self._flags["with_stack"])
            jax.profiler.start_trace(self.folder, profiler_options=options)
            changing_shapes.watching = jax.profiler.TraceAnnotation
            self._recording = True
        if self.record_steps and self._recording:
            self._annotation = jax.profiler.StepTraceAnnotation("ProfilerStep", step_num=self.step_num)
            self._annotation.__enter__()

    def _leave(self, ended: bool, goes_on: bool = False) -> None:
        if self._annotation is not None:
            self._annotation.__exit__(None, None, None)
            self._annotation = None
        if self._recording and (ended or not goes_on):
            self._finish(ready=ended)

    def _finish(self, ready: bool) -> None:
        self._recording = False
        changing_shapes.watching = None
        jax.profiler.stop_trace()
        if self._flags["profile_memory"]:
            jax.profiler.save_device_memory_profile(os.path.join(self.folder, "memory.prof"))
        if self._metadata:
            with open(os.path.join(self.folder, "profiler_metadata.json"), "w", encoding="utf-8") as file:
                json.dump(self._metadata, file, indent=4)
        if ready and self._ready is not None:
            self._ready(self)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a string to the metadata, which is written to `profiler_metadata.json` beside the trace.

        Args:
            key (str): its name.
            value (str): the text. If either is not a str, it is left out with a warning.
        """
        if isinstance(key, str) and isinstance(value, str):
            self._metadata[key] = value
        else:
            _log.warning("`add_metadata`: key and value must be of type str; %r is left out.", key)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add parsed JSON to the metadata, which is written to `profiler_metadata.json` beside the trace.

        Args:
            key (str): its name.
            value (str): JSON. If it is none, it is left out with a warning.
        """
        try:
            self._metadata[key] = json.loads(value)
        except (TypeError, ValueError):
            _log.warning("`add_metadata_json`: the value must be JSON; %r is left out.", key)


class Profiler(Profile):
    """The older name of :class:`profile`, with other arguments.

    Args:
        kwargs: those of :class:`profile`; `output_path` (str), the folder for traces, "./data" if it is not given;
            and MindSpore's settings of Ascend devices, which are without effect.

    Raises:
        TypeError: if an argument is unknown.
        RuntimeError: if another trace is being recorded.

    Examples:
        >>> import tempfile
        >>> import msjax as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     profiler = ms.Profiler(output_path=folder)
        ...     x = ms.Tensor([1.0]) * 2
        ...     profiler.analyse()
    """

    def __init__(self, **kwargs: Any) -> None:
        known = {*_FLAGS, *_WITHOUT_EFFECT, *_KEPT, "output_path", "schedule", "on_trace_ready"}
        if unknown := set(kwargs) - known:
            raise TypeError(f"`Profiler`: unknown argument {min(unknown)!r}. Known ones: {sorted(known)}.")
        flags = {name: kwargs[name] for name in {**_FLAGS, **_WITHOUT_EFFECT} if name in kwargs}
        schedule, ready = kwargs.get("schedule"), kwargs.get("on_trace_ready")
        folder = kwargs.get("output_path") or getattr(ready, "folder", None)
        self._open(flags, schedule if isinstance(schedule, Schedule) else None, ready, folder)

    def analyse(
        self, offline_path: str | None = None, pretty: bool = False, step_list: Any = None, mode: str = "sync"
    ) -> None:
        """End, and write what was recorded.

        Args:
            offline_path (str): without effect, as are the others: JAX's traces need no analysis.
            pretty (bool): see above.
            step_list (list): see above.
            mode (str): see above.
        """
        if self._has_started:
            self.stop()

    @classmethod
    def offline_analyse(
        cls, path: str, pretty: bool = False, step_list: Any = None, data_simplification: bool = True
    ) -> None:
        """Analyse the files of an Ascend device.

        Raises:
            NotImplementedError: always: there are none.
        """
        raise NotImplementedError(
            "`Profiler.offline_analyse`: it is for files of Ascend devices; `tensorboard --logdir` shows JAX's traces."
        )

    def op_analyse(self, op_name: str | list, device_id: int | None = None) -> str:
        """Report counts and times of operators in the last trace, by the events whose name contains the operator's.

        That finds operators that run eagerly; within compiled programs XLA's names differ, and fused operators have
        none of its own.

        Args:
            op_name (Union[str, list]): names of operators, such as "BiasAdd".
            device_id (int): checked, without effect. Default: None.

        Returns:
            str, JSON: for each operator its number of events and their time in microseconds.

        Raises:
            TypeError: if `op_name` is neither, or empty, or `device_id` not an int.
            RuntimeError: if no trace was written.
        """
        warnings.warn(
            "`Profiler.op_analyse` is deprecated: look at the trace.", DeprecationWarning, stacklevel=2
        )
        if not isinstance(op_name, str | list) or not op_name:
            raise TypeError(
                f"`op_analyse`: argument `op_name` must be a str or a list, and not empty. Received: {op_name!r}."
            )
        if not isinstance(device_id, int | None):
            raise TypeError(
                f"`op_analyse`: argument `device_id` must be an int or None. Received: {device_id!r}."
            )
        names = [op_name] if isinstance(op_name, str) else op_name
        events = _events(self.folder)
        return json.dumps({name: _together(name, events) for name in names})


def _check_flags(flags: dict[str, Any]) -> dict[str, bool]:
    """Return the flags, those of another type replaced by their defaults, and a warning for those without effect."""
    known = {**_FLAGS, **_WITHOUT_EFFECT}
    found = {}
    for name, default in known.items():
        value = flags.get(name, default)
        if not isinstance(value, bool):
            _log.warning("`profile`: argument `%s` must be a bool; it is now %s.", name, default)
            value = default
        elif value is not default and name in _WITHOUT_EFFECT:
            _log.warning("`profile`: argument `%s` has no effect on JAX's profiler.", name)
        found[name] = value
    return found


def _events(folder: str) -> list[dict[str, Any]]:
    """Return the events of the newest trace in a folder."""
    paths = sorted(glob.glob(os.path.join(folder, "plugins", "profile", "*", "*.trace.json.gz")))
    if not paths:
        raise RuntimeError(f"`op_analyse`: there is no trace in {folder!r}; call `analyse` before.")
    with gzip.open(paths[-1], "rt", encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def _together(name: str, events: Iterable[dict[str, Any]]) -> dict[str, float]:
    wanted = re.sub(r"[^a-z0-9]", "", name.lower())
    times = [
        event.get("dur", 0.0)
        for event in events
        if event.get("ph") == "X" and wanted in re.sub(r"[^a-z0-9]", "", event.get("name", "").lower())
    ]
    return {"count": len(times), "time_us": round(sum(times), 3)}


profile = Profile
