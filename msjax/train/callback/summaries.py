"""`SummaryCollector`: callback that writes the usual values of a run to event files."""

import os
import re
from typing import Any, NoReturn, Self

import numpy as np

from msjax.core.tensor.tensor import Tensor
from msjax.train.callback.base import Callback, RunContext, first_output
from msjax.train.summary.summary_record import SummaryRecord, check_exports

_DEFAULTS = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "histogram_regular": None,
    "collect_landscape": None,
}
_MOST_PARAMETERS, _MOST_TENSORS = 5, 20


class SummaryCollector(Callback):
    """Collects loss, learning rate, input images and the distribution of Parameters, and what summary operators note.

    They are written in files that TensorBoard shows, see :class:`SummaryRecord`; graphs and lineage, which MindInsight
    shows, are not.

    Args:
        summary_dir (str): folder; it is made if it is not there.
        collect_freq (int): collect in the first step, and every so many steps. Default: 10.
        num_process (int): without effect. Default: 32.
        collect_specified_data (dict): what to collect: "collect_metric" (loss, learning rate), "collect_input_data",
            "histogram_regular" (a regular expression for names of Parameters; None for the first five). The others of
            MindSpore ("collect_graph", "collect_train_lineage" ...) are without effect. Default: None, for everything.
        keep_default_action (bool): what is not in that dict is collected too. Default: True.
        custom_lineage_data (dict): checked, without effect. Default: None.
        collect_tensor_freq (int): as `collect_freq`, for what TensorSummary notes. Default: None, for 20 times.
        max_file_size (int): bytes; see :class:`SummaryRecord`. Default: None.
        export_options (dict): see :class:`SummaryRecord`. Default: None.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a number is not positive, or `collect_specified_data` has other keys.
        RuntimeError: in a run that has two of them.
        NotImplementedError: if a loss landscape is asked for.

    Examples:
        >>> import tempfile
        >>> from msjax.train import SummaryCollector
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     collector = SummaryCollector(folder, collect_freq=5)
    """

    _reads_clock = False

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict | None = None,
    ) -> None:
        _kind(str, summary_dir=summary_dir)
        _kind(int, collect_freq=collect_freq)
        _kind(int | None, collect_tensor_freq=collect_tensor_freq, max_file_size=max_file_size)
        _kind(bool, keep_default_action=keep_default_action)
        _kind(dict | None, collect_specified_data=collect_specified_data)
        _kind(dict | None, custom_lineage_data=custom_lineage_data, export_options=export_options)
        numbers = {"collect_freq": collect_freq, "collect_tensor_freq": collect_tensor_freq}
        for name, value in {**numbers, "max_file_size": max_file_size}.items():
            if value is not None and value <= 0:
                raise ValueError(
                    f"`SummaryCollector`: the value of `{name}` should be greater than 0, but got `{value}`."
                )
        check_exports("SummaryCollector", export_options)
        _check_lineage(custom_lineage_data)
        if not summary_dir.strip():
            raise ValueError("`SummaryCollector`: argument `summary_dir` should be non-blank. Received: ''.")
        if os.path.isfile(summary_dir):
            raise NotADirectoryError(
                f"`SummaryCollector`: argument `summary_dir` should be a directory path. Received: the file {summary_dir!r}."
            )
        os.makedirs(summary_dir, exist_ok=True)
        self._folder, self._freq, self._tensor_freq = summary_dir, collect_freq, collect_tensor_freq
        self._options = {"max_file_size": max_file_size, "export_options": export_options}
        self._wanted = _fill_settings(collect_specified_data, keep_default_action)
        self._record: Any = None
        self._started = False

    def __enter__(self) -> Self:
        self._record, self._started = SummaryRecord(self._folder, **self._options), False
        return self

    def __exit__(self, *error: object) -> None:
        self._record.close()

    def begin(self, run_context: RunContext) -> None:
        """Start recording."""
        now = run_context.original_args()
        self._record.set_mode(now.get("mode", "train"))

    def step_end(self, run_context: RunContext) -> None:
        """Collect, if it is time to."""
        now = run_context.original_args()
        if now.get("mode") != "train":
            return
        step = now.cur_step_num
        first, self._started = not self._started, True
        usual = first or step % self._freq == 0
        tensors = first or step % self._every(now) == 0
        if not usual and not tensors:
            return
        if usual:
            self._collect(now)
        self._record.record(step, plugin_filter=lambda plugin: tensors if plugin == "tensor" else usual)

    def _every(self, now: Any) -> int:
        """Return the number of steps between recorded tensors."""
        steps = now.get("epoch_num", 1) * now.get("batch_num", 1)
        return self._tensor_freq or max(self._freq, steps // (_MOST_TENSORS - 1))

    def _collect(self, now: Any) -> None:
        if self._wanted["collect_input_data"]:
            batch = now.get("train_dataset_element")
            image = batch[0] if isinstance(batch, list | tuple) and batch else batch
            if isinstance(image, Tensor) and image.ndim == 4 and image.shape[1] in (1, 3):
                self._record.add_value("image", "input_data/auto", image)
        if self._wanted["collect_metric"]:
            loss = first_output(now.get("net_outputs"))
            if isinstance(loss, Tensor):
                self._scalar("loss/auto", loss.asnumpy().mean())
            if (optimizer := now.get("optimizer")) is not None:
                rate = optimizer.get_lr()
                for n, one in enumerate(rate) if isinstance(rate, tuple) else [(None, rate)]:
                    self._scalar(
                        "learning_rate/auto" if n is None else f"learning_rate/{n}/auto", np.asarray(one)
                    )
        for parameter in self._parameters(now):
            self._record.add_value("histogram", f"{parameter.name}/auto", parameter)

    def _scalar(self, name: str, value: Any) -> None:
        self._record.add_value("scalar", name, Tensor(np.float32(value)))

    def _parameters(self, now: Any) -> list:
        optimizer = now.get("optimizer")
        if optimizer is None or "histogram_regular" not in self._wanted:
            return []
        parameters = [p for p in optimizer.parameters if p.ndim > 0]
        pattern = self._wanted["histogram_regular"]
        if pattern is None:
            return parameters[:_MOST_PARAMETERS]
        return [p for p in parameters if re.match(pattern, p.name)]

    def epoch_end(self, run_context: RunContext) -> None:
        """Write what waits to the disk."""
        self._record.flush()

    def end(self, run_context: RunContext) -> None:
        """End to listen."""
        self._record.set_mode("eval")


def _kind(kind: Any, **values: Any) -> None:
    for name, value in values.items():
        flag = isinstance(value, bool) and kind is not bool
        if flag or not isinstance(value, kind):
            names = [each.__name__ for each in getattr(kind, "__args__", (kind,))]
            raise TypeError(
                f"`SummaryCollector`: For `{name}` the type should be a valid type of {names}, but got "
                f"{type(value).__name__}. Received: {value!r}."
            )


def _check_lineage(given: dict | None) -> None:
    """Raise for lineage data that are not numbers and texts by name."""
    for name, value in (given or {}).items():
        _kind(str, **{f"custom_lineage_data -> {name}": name})
        _kind(int | str | float, **{f"the value of custom_lineage_data -> {name}": value})


def _fill_settings(given: dict | None, keep: bool) -> dict[str, Any]:
    """Return the settings of the data to collect, defaults filled in."""
    given = given or {}
    for name in given:
        _kind(str, **{str(name): name})
    if unknown := set(given) - set(_DEFAULTS):
        raise ValueError(
            f"`SummaryCollector`: the keys {unknown} of `collect_specified_data` are unsupported. "
            f"Known ones: {sorted(_DEFAULTS)}."
        )
    for name, value in given.items():
        kind = {"histogram_regular": str | None, "collect_landscape": dict | None}.get(name, bool)
        _kind(kind, **{name: value})
    try:
        re.compile(given.get("histogram_regular") or "")
    except re.error as error:
        raise ValueError(
            "`SummaryCollector`: For `collect_specified_data`, the value of `histogram_regular` is not a valid regular "
            f"expression: {error}. Received: {given['histogram_regular']!r}."
        ) from None
    if given.get("collect_landscape"):
        raise NotImplementedError(
            "`SummaryCollector`: loss landscapes are for MindInsight; leave `collect_landscape` out."
        )
    off = {name: False for name, value in _DEFAULTS.items() if value is True}
    return {**(_DEFAULTS if keep or not given else off), **given}


class SummaryLandscape:
    """Loss landscapes, which only MindInsight shows: not supported here, raises.

    Args:
        summary_dir (str): folder of a SummaryCollector.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> from msjax.train import SummaryLandscape
        >>> SummaryLandscape("folder")
        Traceback (most recent call last):
        NotImplementedError: ...
    """

    def __init__(self, summary_dir: str) -> None:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotImplementedError(
            "`SummaryLandscape`: loss landscapes are for MindInsight, and its files are not written. Evaluate the loss on a "
            "grid of Parameters yourself, with `msjax.interop.functional_call`."
        )
