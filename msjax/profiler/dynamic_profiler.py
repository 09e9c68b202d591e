"""Dynamic profiler, started and stopped by a file while a program runs."""

import json
import logging
import os
import time
from typing import Any

from msjax.profiler.profiler import Profile, tensorboard_trace_handler
from msjax.train.callback.base import Callback, RunContext

_log = logging.getLogger(__name__)

FILE = "profiler_config.json"
_DEFAULTS: dict[str, Any] = {
    "start_step": -1,
    "stop_step": -1,
    "prof_path": "./",
    "with_stack": False,
    "profile_memory": False,
}


class DynamicProfilerMonitor(Callback):
    """Records the steps that a file names, which may be changed while the program runs.

    The file is `profiler_config.json`: its "start_step" and "stop_step" are the first and last step to record; other
    values start another trace. "prof_path", "with_stack" and "profile_memory" are known too. It is made if it is not
    there. In a custom training loop, call `step` after each step instead of giving it to `Model.train`.

    Args:
        cfg_path (str): folder of that file.
        output_path (str): folder for traces. Default: "./dyn_profile_data".
        poll_interval (int): seconds between looks at the file. Default: 2.
        kwargs: checked for MindSpore's signature, without effect.

    Raises:
        ValueError: if `cfg_path` is not given.

    Examples:
        >>> import tempfile
        >>> from msjax.profiler import DynamicProfilerMonitor
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     monitor = DynamicProfilerMonitor(folder, folder)
        ...     monitor.step()
    """

    def __init__(
        self,
        cfg_path: str | None = None,
        output_path: str | None = "./dyn_profile_data",
        poll_interval: int = 2,
        **kwargs: Any,
    ) -> None:
        if not isinstance(cfg_path, str):
            raise ValueError(
                f"`DynamicProfilerMonitor`: argument `cfg_path` must be a folder, for {FILE}. Received: {cfg_path!r}."
            )
        if not isinstance(poll_interval, int) or poll_interval < 1:
            _log.error(
                "`DynamicProfilerMonitor`: argument `poll_interval` must be a positive int; it is now 2."
            )
            poll_interval = 2
        self._path = os.path.join(os.path.realpath(cfg_path), FILE)
        self._folder = output_path or "dyn_profile_data"
        self._interval, self._looked = poll_interval, float("-inf")
        self._settings = dict(_DEFAULTS)
        self._last: tuple[int, int] | None = None
        self._profile: Profile | None = None
        self._step = 0
        if not os.path.exists(self._path):
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            with open(self._path, "w", encoding="utf-8") as file:
                json.dump(_DEFAULTS, file, indent=4)

    def step_begin(self, run_context: RunContext) -> None:
        """Start recording, if this is the configured step."""
        self._begin(run_context.original_args().cur_step_num)

    def step_end(self, run_context: RunContext) -> None:
        """End, if this is the step."""
        self._end(run_context.original_args().cur_step_num)

    def on_train_end(self, run_context: RunContext) -> None:
        """End in any case."""
        self._stop()

    def step(self) -> None:
        """Mark the end of a step."""
        self._end(self._step)
        self._step += 1
        self._begin(self._step)

    def _begin(self, step: int) -> None:
        self._look()
        start, stop = self._settings["start_step"], self._settings["stop_step"]
        if self._profile is not None or step != start or (start, stop) == self._last:
            return
        if stop < start:
            _log.error("`DynamicProfilerMonitor`: `stop_step` %s is before `start_step` %s.", stop, start)
            return
        path = self._settings["prof_path"]
        folder = os.path.join(self._folder if path == "./" else path, f"rank0_start{start}_stop{stop}")
        self._last = (start, stop)
        self._profile = Profile(
            with_stack=self._settings["with_stack"],
            profile_memory=self._settings["profile_memory"],
            on_trace_ready=tensorboard_trace_handler(folder),
        )

    def _end(self, step: int) -> None:
        if self._last is not None and step >= self._last[1]:
            self._stop()

    def _stop(self) -> None:
        if self._profile is not None:
            self._profile.stop()
            self._profile = None

    def _look(self) -> None:
        """Read the file again, if it is time to."""
        now = time.monotonic()
        if now - self._looked < self._interval:
            return
        self._looked = now
        try:
            with open(self._path, encoding="utf-8") as file:
                found = json.load(file)
            wrong = [
                name for name, value in _DEFAULTS.items() if type(found.get(name, value)) is not type(value)
            ]
        except (OSError, ValueError, AttributeError) as error:
            _log.error("`DynamicProfilerMonitor`: %s cannot be read: %s", self._path, error)
            return
        if wrong:
            _log.error("`DynamicProfilerMonitor`: %s has a wrong value of %r.", self._path, wrong[0])
            return
        self._settings = {name: found.get(name, value) for name, value in _DEFAULTS.items()}
