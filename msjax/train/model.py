"""`Model`: training, evaluation and prediction over datasets."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import msjax.train.callback as built_in
from msjax.communication.comm_func import broadcast
from msjax.communication.management import get_group_size
from msjax.config.context import GRAPH_MODE, get_context
from msjax.config.parallel_context import ParallelMode, get_auto_parallel_context
from msjax.core.state import override_state
from msjax.core.tensor.box import NeedsValue
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.optim.optimizer import Optimizer
from msjax.nn.wrap.cells import WithEvalCell, WithLossCell
from msjax.train.amp import LEVELS, build_train_network
from msjax.train.callback.base import Callbacks, RunContext, RunParameters
from msjax.train.callback.monitors import TimeMonitor
from msjax.train.metrics.base import Metric
from msjax.train.metrics.registry import get_metric_fn

__all__ = ["Model"]

_log = logging.getLogger(__name__)

BOOST_LEVELS = ("O0", "O1", "O2")
_OPTIONS = frozenset({"keep_batchnorm_fp32", "loss_scale_manager", "boost_config_dict", "acc_level"})


class Model:
    """Training and evaluation of a network: loss, optimizer, metrics and callbacks.

    Each training step, forward and backward pass and update, is one compiled program; evaluation and prediction are
    compiled too. Only in PyNative mode may a network look at the values of Tensors (`asnumpy`): it runs as it is then, with
    a warning.

    Args:
        network: Cell. Without `loss_fn` its output is the loss.
        loss_fn: Cell of (prediction, label). Default: None.
        optimizer: made with the network's Parameters. Without it the network makes the step by itself. Default: None.
        metrics: set of names, or dict from names to Metrics, for `eval` and `fit`. Default: None.
        eval_network: Cell for evaluation. Default: `network` and `loss_fn`, giving (loss, prediction, label).
        eval_indexes: where the loss, the prediction and the label stand in the output of `eval_network`. Default: None.
        amp_level: "O0", "O1", "O2", "O3" or "auto"; see :func:`amp.auto_mixed_precision`. Default: "O0".
        boost_level: "O0", "O1" or "O2", without effect.
        kwargs: `keep_batchnorm_fp32` and `loss_scale_manager`, as for :func:`amp.build_train_network`.

    Raises:
        TypeError: if `network` is not a Cell, or `metrics` neither set nor dict of Metrics.
        ValueError: if `amp_level`, `boost_level` or a keyword is unknown, or there are metrics and nothing to evaluate with.
        KeyError: if there is no metric of a name.

    Examples:
        >>> import numpy as np
        >>> from msjax import dataset, nn
        >>> from msjax.train import Model
        >>> x = np.eye(4, dtype=np.float32)
        >>> data = dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
        >>> net = nn.Dense(4, 1)
        >>> model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.1))
        >>> model.train(3, data)
        >>> model.predict(data.create_tuple_iterator().__next__()[0]).shape
        (2, 1)
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        _check_model(network, loss_fn, optimizer, amp_level, kwargs)
        if boost_level not in BOOST_LEVELS:
            raise ValueError(
                f"`Model`: argument `boost_level` must be one of {list(BOOST_LEVELS)}. Received: {boost_level!r}."
            )
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._amp_level = amp_level
        self._options = {
            name: kwargs[name] for name in ("keep_batchnorm_fp32", "loss_scale_manager") if name in kwargs
        }
        self._metrics = _metrics(metrics)
        self._eval_indexes = eval_indexes
        self._train_network = self._make_train_network()
        self._eval_network = self._make_eval_network(eval_network)
        self._eager: list[Cell] = []  # networks that cannot be compiled

    def _make_train_network(self) -> Cell:
        if self._optimizer is not None:
            level, loss = self._amp_level, self._loss_fn
            return build_train_network(self._network, self._optimizer, loss, level, **self._options)
        return self._network if self._loss_fn is None else WithLossCell(self._network, self._loss_fn)

    def _make_eval_network(self, given: Cell | None) -> Cell | None:
        if not self._metrics:
            return None
        if given is not None:
            indexes = self._eval_indexes
            if indexes is not None and not (isinstance(indexes, list) and len(indexes) == 3):
                raise ValueError(
                    f"`Model`: argument `eval_indexes` must be None or a list of three ints. Received: {indexes!r}."
                )
            return given
        if self._loss_fn is None:
            raise ValueError(
                "`Model`: with `metrics` there must be an `eval_network`, or a `loss_fn` to make one of. Received: neither."
            )
        self._eval_indexes = [0, 1, 2]
        return WithEvalCell(self._network, self._loss_fn, self._amp_level in ("O2", "O3", "auto"))

    @property
    def train_network(self) -> Cell:
        """Cell that makes a training step."""
        return self._train_network

    @property
    def eval_network(self) -> Cell | None:
        """Cell that computes the inputs of the metrics; None without metrics."""
        return self._eval_network

    @property
    def predict_network(self) -> Cell:
        """The network."""
        return self._network

    # ------------------------------------------------------------------ training

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train.

        Args:
            epoch: number of the last epoch.
            train_dataset: gives batches, each a tuple of the train network's inputs.
            callbacks: Callback or list of them. Default: None.
            dataset_sink_mode: without effect, as on MindSpore's CPU: batches are always prepared in advance.
            sink_size: -1, or with `dataset_sink_mode` what callbacks see as `batch_num`; an epoch is all of the data set
                in any case, as on MindSpore's CPU. Default: -1.
            initial_epoch: epochs that count as done. Default: 0.

        Raises:
            TypeError: if an argument is of another type.
            ValueError: if `epoch` is not positive, or not beyond `initial_epoch`, or `sink_size` is 0 or less than -1.
        """
        self._check_run("train", epoch, initial_epoch, dataset_sink_mode, sink_size)
        _check_dataset("train", train_dataset)
        with Callbacks(callbacks) as entered:
            steps = sink_size if dataset_sink_mode and sink_size > 0 else train_dataset.get_dataset_size()
            self._run(epoch, train_dataset, entered, initial_epoch, lambda number: None, steps)

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: Any = 1,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train, and evaluate in the course of it.

        Args:
            epoch: number of the last epoch.
            train_dataset: gives batches for training.
            valid_dataset: gives batches for evaluation; None evaluates nothing. Default: None.
            valid_frequency: evaluate every so many epochs, or after the epochs of a list. Default: 1.
            callbacks: Callback or list of them. A program's own and TimeMonitor see the evaluations too, and are entered
                anew for each. Default: None.
            dataset_sink_mode: without effect.
            valid_dataset_sink_mode: without effect.
            sink_size: as for `train`.
            initial_epoch: epochs that count as done. Default: 0.

        Raises:
            TypeError: if an argument is of another type.
            ValueError: as for `train`, or if there is a `valid_dataset` and the model has no metrics.
        """
        self._check_run("fit", epoch, initial_epoch, dataset_sink_mode, sink_size)
        _check_dataset("fit", train_dataset)
        if not isinstance(valid_frequency, int | list) or isinstance(valid_frequency, bool):
            raise TypeError(
                f"`Model.fit`: argument `valid_frequency` must be an int or a list of ints. Received: {valid_frequency!r}."
            )
        if isinstance(valid_frequency, int) and valid_frequency < 1:
            raise ValueError(
                f"`Model.fit`: argument `valid_frequency` must be positive. Received: {valid_frequency}."
            )
        if valid_dataset is not None and not self._metrics:
            raise ValueError(
                "`Model.fit`: to evaluate, the Model must be made with `metrics`. Received: none."
            )

        def evaluated(number: int) -> Any:
            if isinstance(valid_frequency, list):
                return valid_dataset if number in valid_frequency else None
            return valid_dataset if number % valid_frequency == 0 else None

        with Callbacks(callbacks) as entered:
            steps = sink_size if dataset_sink_mode and sink_size > 0 else train_dataset.get_dataset_size()
            self._run(epoch, train_dataset, entered, initial_epoch, evaluated, steps)

    def _run(
        self,
        epochs: int,
        data: Any,
        callbacks: Callbacks,
        initial: int,
        evaluated: Callable[[int], Any],
        steps: int,
    ) -> None:
        mode = get_auto_parallel_context("parallel_mode")
        if mode == ParallelMode.DATA_PARALLEL and get_auto_parallel_context("parameter_broadcast"):
            for parameter in self._train_network.get_parameters():
                parameter.set_data(broadcast(parameter))
        now = RunParameters(
            train_network=self._train_network, network=self._network, epoch_num=epochs - initial, batch_num=steps,
            mode="train", loss_fn=self._loss_fn, optimizer=self._optimizer, parallel_mode=mode,
            device_number=1 if mode == ParallelMode.STAND_ALONE else get_group_size(),
            train_dataset=data, list_callback=callbacks.callbacks, dataset_sink_mode=False, train_dataset_element=None,
            cur_step_num=0, initial_step=None, last_save_ckpt_step=None, latest_ckpt_file=None,
            loss_scale_mananger=self._options.get("loss_scale_manager"),
        )  # fmt: skip
        context = RunContext(now)
        callbacks.call("train", "begin", context)
        try:
            iterator = data.create_tuple_iterator(num_epochs=epochs - initial)
            for number in range(initial + 1, epochs + 1):
                now.cur_epoch_num = number
                self._epoch(iterator, now, callbacks, context)
                valid = evaluated(number)
                if valid is not None:
                    self._evaluate_within(valid, now, callbacks)
                callbacks.call("train", "epoch_end", context)
                now.pop("eval_results", None)
                now.pop("metrics", None)
                if context.get_stop_requested():
                    break
        except BaseException:
            self._rescue(callbacks, now)
            raise
        callbacks.call("train", "end", context)

    def _epoch(self, iterator: Any, now: RunParameters, callbacks: Callbacks, context: RunContext) -> None:
        self._train_network.set_train(True)
        callbacks.call("train", "epoch_begin", context)
        for batch in _batches(iterator):
            now.train_dataset_element = list(batch)
            now.cur_step_num += 1
            callbacks.call("train", "step_begin", context)
            if self._loss_fn is not None and len(batch) != 2:
                raise ValueError(
                    "`Model.train`: with a `loss_fn`, `train_dataset` should return two elements, the data and the label. "
                    f"Received: {len(batch)}."
                )
            now.net_outputs = self._step(self._train_network, batch)
            callbacks.call("train", "step_end", context)
            if context.get_stop_requested():
                break

    def _step(self, network: Cell, batch: tuple) -> Any:
        """Call a network as one compiled program; in PyNative mode as it is, if it looks at values of Tensors."""
        if network in self._eager:
            return network(*batch)
        try:
            with override_state(specializes=get_context("mode") == GRAPH_MODE):
                return network.compile_and_run(*batch)
        except NeedsValue as error:
            if get_context("mode") == GRAPH_MODE:
                raise
            _log.warning(
                "`Model`: the step runs operator by operator, because it cannot be compiled. %s", error
            )
            self._eager.append(network)
            return network(*batch)
        except TypeError as error:
            if (
                "positional argument" in str(error)
                and self._loss_fn is None
                and network is self._train_network
            ):
                error.add_note(
                    f"`Model` was made without `loss_fn`, so the network gets all {len(batch)} columns of the data set."
                )
            raise

    def _rescue(self, callbacks: Callbacks, now: RunParameters) -> None:
        """Save what there is, where a ModelCheckpoint was told to do so when training fails."""
        for callback in callbacks.callbacks:
            config = getattr(callback, "_config", None)
            if getattr(config, "exception_save", False) and now.get("cur_epoch_num"):
                callback._save(now)  # type: ignore[attr-defined]

    def _check_run(self, what: str, epoch: Any, initial: Any, sink: Any, sink_size: Any) -> None:
        for name, value in (("epoch", epoch), ("initial_epoch", initial), ("sink_size", sink_size)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"`Model.{what}`: argument `{name}` must be an int. Received: {value!r}.")
        if not isinstance(sink, bool):
            raise TypeError(
                f"`Model.{what}`: argument `dataset_sink_mode` must be a bool. Received: {sink!r}."
            )
        if epoch < 1 or initial < 0 or initial >= epoch:
            raise ValueError(
                f"`Model.{what}`: argument `epoch` must be positive and greater than `initial_epoch`, which must not be "
                f"negative. Received: epoch={epoch}, initial_epoch={initial}."
            )
        if sink_size < -1 or sink_size == 0:
            raise ValueError(
                f"`Model.{what}`: argument `sink_size` must be -1 or positive. Received: {sink_size}."
            )

    # ------------------------------------------------------------------ evaluation and prediction

    def eval(
        self, valid_dataset: Any, callbacks: Any = None, dataset_sink_mode: bool = False
    ) -> dict[str, Any]:
        """Evaluate.

        Args:
            valid_dataset: gives batches, each a tuple of the eval network's inputs.
            callbacks: Callback or list of them. Default: None.
            dataset_sink_mode: without effect.

        Returns:
            dict from the names of the metrics to their values.

        Raises:
            TypeError: if an argument is of another type.
            ValueError: if the model has no metrics.
        """
        if not isinstance(dataset_sink_mode, bool):
            raise TypeError(
                f"`Model.eval`: argument `dataset_sink_mode` must be a bool. Received: {dataset_sink_mode!r}."
            )
        if not self._metrics:
            raise ValueError("`Model.eval`: the Model must be made with `metrics`. Received: none.")
        listed = Callbacks(callbacks)
        now = RunParameters(
            eval_network=self._eval_network, network=self._network, valid_dataset=valid_dataset, mode="eval",
            batch_num=valid_dataset.get_dataset_size(), cur_step_num=0, list_callback=listed.callbacks,
            dataset_sink_mode=False,
        )  # fmt: skip
        with listed:
            self._evaluate(valid_dataset, now, listed)
        return now.metrics

    def _evaluate_within(self, data: Any, now: RunParameters, callbacks: Callbacks) -> None:
        """Evaluate between two epochs: what callbacks see is that of training again afterwards."""
        kept = {name: now[name] for name in ("cur_step_num", "batch_num", "net_outputs") if name in now}
        now.update(
            eval_network=self._eval_network, valid_dataset=data, mode="eval", cur_step_num=0,
            batch_num=data.get_dataset_size(),
        )  # fmt: skip
        with callbacks.beyond(dir(built_in), TimeMonitor) as entered:
            self._evaluate(data, now, entered, within=True)
        now.update(kept, mode="train")

    def _evaluate(self, data: Any, now: RunParameters, callbacks: Callbacks, within: bool = False) -> None:
        network = self._eval_network
        assert network is not None
        for metric in self._metrics.values():
            metric.clear()
        network.set_train(False)
        context = RunContext(now)
        callbacks.call("eval", "begin", context)
        callbacks.call("eval", "epoch_begin", context)
        for batch in _batches(data.create_tuple_iterator(num_epochs=1)):
            now.eval_dataset_element = list(batch)
            now.cur_step_num += 1
            callbacks.call("eval", "step_begin", context)
            now.net_outputs = self._step(network, batch)
            callbacks.call("eval", "step_end", context)
            self._update_metrics(now.net_outputs)
            if context.get_stop_requested():
                break
        callbacks.call("eval", "epoch_end", context)
        now.metrics = {name: metric.eval() for name, metric in self._metrics.items()}
        if within:
            now.eval_results = dict(now.metrics)
            outputs = now.net_outputs
            loss = (
                outputs[self._eval_indexes[0] if self._eval_indexes else 0] if outputs is not None else None
            )
            if isinstance(loss, Tensor):
                now.eval_results["eval_loss"] = float(loss.asnumpy().mean())
        callbacks.call("eval", "end", context)

    def _update_metrics(self, outputs: Any) -> None:
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for metric in self._metrics.values():
            if self._eval_indexes is None:
                metric.update(*outputs)
            elif getattr(type(metric), "__name__", "") == "Loss":
                metric.update(outputs[self._eval_indexes[0]])
            else:
                metric.update(outputs[self._eval_indexes[1]], outputs[self._eval_indexes[2]])

    def predict(self, *predict_data: Any, backend: str | None = None, config: dict | None = None) -> Any:
        """Return the network's outputs.

        Args:
            predict_data: its inputs.
            backend: None; MindSpore's "lite" needs another package.
            config: for that.

        Raises:
            TypeError: if an input is not a Tensor, or a tuple, list or dict of them.
            ValueError: if a backend is asked for.
        """
        if backend is not None:
            raise ValueError(f"`Model.predict`: argument `backend` must be None. Received: {backend!r}.")
        for given in predict_data:
            if not isinstance(given, Tensor | tuple | list | dict):
                raise TypeError(f"`Model.predict`: inputs must be Tensors. Received: {type(given).__name__}.")
        self._network.set_train(False)
        return self._step(self._network, predict_data)

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Do nothing: programs are compiled when they are first run, and kept.

        Args:
            train_dataset: as for `train`.
            valid_dataset: as for `eval`.
            sink_size: without effect.
            epoch: without effect.
            sink_mode: without effect.

        Raises:
            TypeError: if `epoch` is not an int.
            ValueError: if it is not positive.
        """
        self._check_run("build", epoch, 0, sink_mode, sink_size)

    def infer_predict_layout(
        self, *predict_data: Any, skip_backend_compile: bool = False
    ) -> dict[str, list[Any]]:
        """Compile `predict` for such data, put Parameters on their devices, and return how they are cut. Nothing is run.

        Args:
            predict_data: Tensors as for `predict`.
            skip_backend_compile: accepted, without effect.

        Returns:
            dict, by names of Parameters: [dev_matrix, tensor_map, shape of a part, 0, True, "", shape], as MindSpore has
            it; see `parallel.build_searched_strategy`. It is empty on one device.

        Raises:
            RuntimeError: outside of semi-automatic and automatic parallel mode.
        """
        self._check_spread("infer_predict_layout", self._network)
        self._network.set_train(False)
        return self._infer_layout(self._network, predict_data)

    def infer_train_layout(
        self, train_dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1
    ) -> dict[str, list[Any]]:
        """Compile the training step for the first batch, put its state on its devices, and return how it is cut.

        Nothing is run. A checkpoint in parts can then be loaded (`load_param_into_net`).

        Args:
            train_dataset: as for `train`.
            dataset_sink_mode: accepted, without effect.
            sink_size: accepted, without effect.

        Returns:
            dict, as `infer_predict_layout` gives it.

        Raises:
            RuntimeError: outside of semi-automatic and automatic parallel mode.
        """
        self._check_run("infer_train_layout", 1, 0, dataset_sink_mode, sink_size)
        self._check_spread("infer_train_layout", self._train_network)
        self._train_network.set_train(True)
        batch = next(_batches(train_dataset.create_tuple_iterator(num_epochs=1)))
        return self._infer_layout(self._train_network, batch)

    def _check_spread(self, what: str, network: Cell) -> None:
        mode = get_auto_parallel_context("parallel_mode")
        inner = any(getattr(cell, "_placement", None) is not None for _, cell in network.cells_and_names())
        if mode not in ("semi_auto_parallel", "auto_parallel") and not inner:
            raise RuntimeError(
                f"`Model.{what}` only supports semi auto parallel and auto parallel mode. Received: parallel_mode={mode!r}. "
                "Use `set_auto_parallel_context`, or an `AutoParallel` around the network."
            )

    def _infer_layout(self, network: Cell, batch: tuple) -> dict[str, list[Any]]:
        with override_state(specializes=get_context("mode") == GRAPH_MODE):
            layout = network._compiled.prepare(*batch).layout
        return {} if layout is None else layout.as_lists()


def _batches(iterator: Any) -> Iterator[tuple]:
    for batch in iterator:
        yield tuple(batch)


def _check_dataset(what: str, dataset: Any) -> None:
    if not hasattr(dataset, "get_dataset_size"):
        raise AttributeError(  # MindSpore's
            f"`Model.{what}`: argument `train_dataset` must be a data set of `mindspore.dataset`. "
            f"Received: {type(dataset).__name__}."
        )


def _check_model(network: Any, loss: Any, optimizer: Any, level: Any, options: dict[str, Any]) -> None:
    if not isinstance(network, Cell):
        raise TypeError(f"`Model`: argument `network` must be a Cell. Received: {type(network).__name__}.")
    if loss is not None and not isinstance(loss, Cell):
        raise (TypeError if isinstance(loss, type) else AttributeError)(
            f"`Model`: argument `loss_fn` must be None or a Cell. Received: {loss!r}."
        )
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"`Model`: argument `optimizer` must be an optimizer. Received: {type(optimizer).__name__}."
        )
    unknown = set(options) - _OPTIONS
    if unknown:
        raise ValueError(f"`Model`: unknown argument {min(unknown)!r}. Known ones: {sorted(_OPTIONS)}.")
    if not isinstance(options.get("keep_batchnorm_fp32", True), bool):
        raise TypeError(
            f"`Model`: argument `keep_batchnorm_fp32` must be a bool. Received: {options['keep_batchnorm_fp32']!r}."
        )
    if level not in LEVELS:
        raise ValueError(f"`Model`: argument `amp_level` must be one of {list(LEVELS)}. Received: {level!r}.")
    if optimizer is None and options.get("loss_scale_manager") is not None:
        raise ValueError(
            "`Model`: `loss_scale_manager` needs an `optimizer`; give one, or None. "
            f"Received: {options['loss_scale_manager']!r}."
        )
    if level != "O0" and optimizer is None:
        raise ValueError(
            f"`Model`: mixed precision needs an `optimizer`; give one, or set `amp_level` to 'O0'. Received: {level!r}."
        )


def _metrics(given: Any) -> dict[str, Any]:
    """Return the metrics by name."""
    if given is None:
        return {}
    if isinstance(given, set):
        return {name: get_metric_fn(name) for name in given}
    if not isinstance(given, dict):
        raise TypeError(f"`Model`: argument `metrics` must be None, a set or a dict. Received: {given!r}.")
    for name, metric in given.items():
        if not isinstance(name, str) or not isinstance(metric, Metric):
            raise TypeError(
                f"`Model`: the dict `metrics` must map strs to Metrics. Received: {name!r}: {type(metric).__name__}."
            )
    return dict(given)
