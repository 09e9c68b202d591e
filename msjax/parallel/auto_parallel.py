"""`AutoParallel`: a network with a plan of its distribution over many devices."""

import dataclasses
import os
from typing import Any

from msjax import log
from msjax.communication.management import get_group_size as get_group_size
from msjax.communication.management import get_rank as get_rank
from msjax.config.parallel_context import SCHEDULERS
from msjax.core.jit import placement
from msjax.core.jit.jit import jit as jit
from msjax.core.state import invalidate_guards, override_state, state
from msjax.nn.cell.cell import Cell
from msjax.parallel.layout import Layout

_MODES = ("semi_auto", "sharding_propagation", "recursive_programming")


class AutoParallel(Cell):
    """A network, or a training step, that all devices share. It is compiled, as in graph mode.

    Operators follow their `shard`, the batch `dataset_strategy`, Parameters `hsdp`; XLA decides the rest. Losses are those
    of one device, and on one device it is the network alone. What would leave something behind, such as files of operators'
    strategies, warns that it does not; settings of how MindSpore's runtime communicates are checked and kept.

    With several processes each gives its part of the batch, and all of them call it.

    Args:
        network (Union[Cell, Function]): the network.
        parallel_mode (str): "semi_auto", "sharding_propagation" or "recursive_programming", which are the same here.

    Inputs:
        - **inputs** - for the network.

    Outputs:
        What the network gives.

    Raises:
        ValueError: for another mode; when it is called, if a strategy does not fit the shapes or the devices.

    Examples:
        >>> from msjax import nn, ops
        >>> from msjax.parallel.auto_parallel import AutoParallel
        >>> net = AutoParallel(nn.Dense(2, 3), parallel_mode="semi_auto")
        >>> net.dataset_strategy("full_batch")
        >>> net(ops.ones((1, 2))).shape
        (1, 3)
    """

    def __init__(self, network: Any, parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        if parallel_mode not in _MODES:
            raise ValueError(
                f"`AutoParallel`: argument `parallel_mode` must be one of {_MODES}. Received: {parallel_mode!r}."
            )
        self.network = network
        self._parallel_mode = parallel_mode
        self._global_rank, self._device_num = 0, 1
        self._pipeline_stages = 1
        self._plan: dict[str, Any] = {}
        self._change_placement()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the network, as one compiled program where several devices share it."""
        if state.frame is None and placement.of_program([self]) is not None:
            return self._compiled(*args, **kwargs)
        return super().__call__(*args, **kwargs)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the network."""
        with override_state(placement=self._placement):
            return self.network(*args, **kwargs)

    def _change_placement(self, **changes: Any) -> None:
        former = self._placement or placement.Placement(optional=True)
        self.__dict__["_placement"] = dataclasses.replace(former, **changes)
        invalidate_guards()

    def no_init_parameters_in_compile(self) -> None:
        """Compiling does not make Parameters' values: they have them already."""
        self._plan["init_param_in_compile"] = False

    def load_param_strategy_file(self, file_path: str) -> None:
        """Let Parameters lie as a strategy file says; those that it does not name lie as they would without it.

        Args:
            file_path (str): the file, of as many devices as there are.

        Raises:
            TypeError: if it is not a str.
            ValueError: when a program is compiled, if there is no such file or it is for another number of devices.
        """
        self._check_path("load_param_strategy_file", file_path)
        self._change_placement(load_file=file_path)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Write how Parameters are cut, when a program is compiled, as MindSpore does: see `transform_checkpoints`.

        Args:
            file_path (str): the file: protobuf, or JSON if its name ends with ".json".

        Raises:
            TypeError: if it is not a str.
        """
        self._check_path("save_param_strategy_file", file_path)
        self._change_placement(save_file=file_path)

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Write all Parameters into the strategy file, not only those that are trained or cut."""
        self._change_placement(saves_all=True)

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Warn that no strategy file of operators is written.

        Args:
            file_path (str): an absolute path that ends with ".json".

        Raises:
            TypeError: if it is not a str.
            KeyError: if it is no such path.
        """
        self._keep_path("save_operator_strategy_file", file_path, json=True)

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Warn that no strategy file of operators is read.

        Args:
            file_path (str): an absolute path that ends with ".json".

        Raises:
            TypeError: if it is not a str.
            KeyError: if it is no such path.
        """
        self._keep_path("load_operator_strategy_file", file_path, json=True)

    def dataset_strategy(self, config: Any) -> None:
        """Set how devices share a batch. "data_parallel" cuts each input by its first axis; "full_batch" leaves it whole.

        Args:
            config (Union[str, tuple]): "full_batch", "data_parallel", or for each column a Layout or a tuple of ints.

        Raises:
            ValueError: for None or another str.
            TypeError: for anything else.
        """
        if config is None or (isinstance(config, str) and config not in ("full_batch", "data_parallel")):
            raise ValueError(
                "`AutoParallel.dataset_strategy`: argument `config` must be 'full_batch', 'data_parallel' or a tuple. "
                f"Received: {config!r}."
            )
        if not isinstance(config, str):
            _check_columns(config)
        self._plan["dataset_strategy"] = config
        self._change_placement(
            rows=config == "data_parallel" if isinstance(config, str) else placement.hashable_strategy(config)
        )

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Cut the Parameters, and what the optimizer keeps for them, into parts, one for each device.

        Args:
            shard_size (int): how many parts; -1 for as many as there are devices.
            threshold (int): the smallest Parameter that is cut, in KB.
            optimizer_level (str): "level1", "level2" or "level3". XLA decides how long gradients and gathered weights live,
                so they are the same here.

        Raises:
            ValueError: for other values.
        """
        levels = ("level1", "level2", "level3")
        checks = (
            ("shard_size", shard_size, "a positive int or -1", _at_least(shard_size, 1) or shard_size == -1),
            ("threshold", threshold, "an int of at least 0", _at_least(threshold, 0)),
            ("optimizer_level", optimizer_level, f"one of {levels}", optimizer_level in levels),
        )
        for argument, value, wanted, right in checks:
            if not right:
                raise ValueError(
                    f"`AutoParallel.hsdp`: argument `{argument}` must be {wanted}. Received: {value!r}."
                )
        self._plan["hsdp"] = (shard_size, threshold, optimizer_level)
        self._change_placement(shards_parameters=True, shard_size=shard_size, threshold=threshold * 1024)

    def pipeline(
        self,
        stages: int = 1,
        output_broadcast: bool = False,
        interleave: bool = False,
        scheduler: str = "1f1b",
    ) -> None:
        """Divide the devices into stages.

        One program runs on all devices, so stages follow one another: a stage's devices hold a part of every Parameter, as
        much as the Parameters of one stage would take, and all devices share each micro-batch. No device waits for another
        stage, and nothing overlaps.

        Args:
            stages (int): how many.
            output_broadcast (bool): give what the last stage gives to all.
            interleave (bool): give each process several parts.
            scheduler (str): the order of parts.

        Raises:
            TypeError: for values of other types.
            ValueError: for other values.
        """
        given = {
            "stages": stages,
            "output_broadcast": output_broadcast,
            "interleave": interleave,
            "scheduler": scheduler,
        }
        for (argument, value), kind in zip(given.items(), (int, bool, bool, str), strict=True):
            if not isinstance(value, kind):
                raise TypeError(
                    f"`AutoParallel.pipeline`: argument `{argument}` must be of type {kind.__name__}. Received: {value!r}."
                )
        if stages < 1:
            raise ValueError(
                f"`AutoParallel.pipeline`: argument `stages` must be at least 1. Received: {stages}."
            )
        if scheduler not in SCHEDULERS:
            raise ValueError(
                f"`AutoParallel.pipeline`: argument `scheduler` must be one of {SCHEDULERS}. Received: {scheduler!r}."
            )
        self._pipeline_stages = stages
        self._change_placement(stages=stages)
        self._plan["pipeline"] = given

    def comm_fusion(self, config: dict | None) -> None:
        """Set how communication operators would be fused.

        Args:
            config (dict): the settings.

        Raises:
            TypeError: if it is not a dict.
        """
        if config is not None and not isinstance(config, dict):
            raise TypeError(
                f"`AutoParallel.comm_fusion`: argument `config` must be a dict. Received: {type(config).__name__}."
            )
        self._plan["comm_fusion"] = config

    def enable_fp32_communication(self) -> None:
        """Accept: in MindSpore processes would exchange float32."""
        self._plan["fp32_communication"] = True

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Warn that no file of process groups is written.

        Args:
            file_path (str): the file.

        Raises:
            TypeError: if it is not a str.
        """
        self._keep_path("set_group_ckpt_save_file", file_path)

    def print_local_norm(self) -> None:
        """Warn that local gradient norms are not printed."""
        self._warn("print_local_norm")

    def dump_local_norm(self, file_path: str) -> None:
        """Warn that local gradient norms are not written.

        Args:
            file_path (str): the folder.

        Raises:
            TypeError: if it is not a str.
        """
        self._keep_path("dump_local_norm", file_path)

    def enable_device_local_norm(self) -> None:
        """Warn that the devices' local norms are not printed."""
        self._warn("enable_device_local_norm")

    def enable_gradients_mean(self) -> None:
        """Use the mean of the processes' gradients, not the sum: with one process they are the same."""
        self._plan["gradients_mean"] = True

    def disable_gradient_fp32_sync(self) -> None:
        """Accept: in MindSpore processes would exchange gradients as they are."""
        self._plan["gradient_fp32_sync"] = False

    def disable_loss_repeated_mean(self) -> None:
        """A loss that several processes compute would not be divided by their number."""
        self._plan["loss_repeated_mean"] = False

    def get_pipeline_stages(self) -> int:
        """Return the number of pipeline stages."""
        return self._pipeline_stages

    def transformer_opt(self, file_path: str | None) -> None:
        """A file of settings of Ascend's compiler, which says nothing here.

        Args:
            file_path (str): the file.

        Raises:
            TypeError: if it is not a str.
            ValueError: if there is none.
        """
        if file_path is not None and not isinstance(file_path, str | os.PathLike):
            raise TypeError(
                "`AutoParallel.transformer_opt`: argument `file_path` must be a str. "
                f"Received: {type(file_path).__name__}."
            )
        if file_path is not None and not os.path.exists(file_path):
            raise ValueError(f"`AutoParallel.transformer_opt`: there is no file {file_path!r}.")
        self._plan["transformer_opt"] = file_path

    def _check_path(self, method: str, file_path: str) -> None:
        if not isinstance(file_path, str):
            raise TypeError(
                f"`AutoParallel.{method}`: argument `file_path` must be a str. Received: {type(file_path).__name__}."
            )

    def _keep_path(self, method: str, file_path: str, json: bool = False) -> None:
        self._check_path(method, file_path)
        if json and not (os.path.isabs(file_path) and file_path.endswith(".json")):
            raise KeyError(
                f"`AutoParallel.{method}`: argument `file_path` must be an absolute path that ends with '.json'. "
                f"Received: {file_path!r}."
            )
        self._plan[method] = file_path
        self._warn(method)

    def _warn(self, method: str) -> None:
        log.warning(
            f"`AutoParallel.{method}` has no effect: XLA's partitioner decides how the arrays of operators lie."
        )


def _at_least(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _check_columns(config: Any) -> None:
    fits = isinstance(config, tuple) and all(
        isinstance(column, Layout) or (isinstance(column, tuple) and all(isinstance(n, int) for n in column))
        for column in config
    )
    if not fits:
        raise TypeError(
            "`AutoParallel.dataset_strategy`: argument `config` must be a str, or a tuple of Layouts or tuples of ints. "
            f"Received: {config!r}."
        )
