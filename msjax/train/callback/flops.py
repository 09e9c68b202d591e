"""FLOPs utilization of a run: the share of the device's arithmetic that it uses."""

import math
import os
import time
from typing import Any

import jax

from msjax.core.trace import captures, trace
from msjax.core.xla.jaxpr_queries import inner_jaxprs
from msjax.train.callback.base import Callback, RunContext


class FlopsUtilizationCollector(Callback):
    """Prints the floating-point operations (FLOPs) of a step, and the share of the device's peak that they make.

    Counted are multiplications and additions of matrix products and convolutions, forward and backward, in the program
    of a step (twice the products of sizes). One process works here, so full and shard are the same, and so are model and
    hardware: what is recomputed is counted in both. A loop whose length is not known counts once.

    Args:
        data_size (int): the time of a step is printed except in every so many steps, as MindSpore does.
        computility (int): what a device can do, in operations a second. Default: 1.
        full_flops (bool): print the full numbers beside those of a shard. Default: True.
        enable_ma_collector (bool): also write files, into the folder of the environment variable MA_LOG_DIR or here.
            Default: False.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `data_size` is not positive.

    Examples:
        >>> import numpy as np
        >>> import msjax as ms
        >>> from msjax import nn
        >>> from msjax.train import FlopsUtilizationCollector, Model
        >>> data = {"x": np.ones((8, 10), np.float32), "y": np.ones((8, 5), np.float32)}
        >>> net = nn.Dense(10, 5)
        >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        >>> steps = ms.dataset.NumpySlicesDataset(data).batch(4)
        >>> model.train(1, steps, callbacks=[FlopsUtilizationCollector(2, 10**9)])  # doctest: +ELLIPSIS
        Full model flops is 800.0, Full hardware flops is 800.0, Shard model flops is 800.0, Shard hardware flops is 800.0.
        Train per step time: ... ms mfu:...% hfu:...%
    """

    def __init__(
        self,
        data_size: int,
        computility: float = 1,
        full_flops: bool = True,
        enable_ma_collector: bool = False,
    ) -> None:
        owner = "FlopsUtilizationCollector"
        for name, flag in (("full_flops", full_flops), ("enable_ma_collector", enable_ma_collector)):
            if not isinstance(flag, bool):
                raise TypeError(f"`{owner}`: argument `{name}` must be a bool. Received: {flag!r}.")
        if isinstance(data_size, bool) or not isinstance(data_size, int):
            raise TypeError(f"`{owner}`: argument `data_size` must be an int. Received: {data_size!r}.")
        if data_size <= 0:
            raise ValueError(f"`{owner}`: argument `data_size` must be positive. Received: {data_size}.")
        self._size, self._most, self._full = data_size, computility, full_flops
        self._files = enable_ma_collector
        self._prints = not (computility == 1 and enable_ma_collector)
        self._flops: float | None = None
        self._began = 0.0

    def step_begin(self, run_context: RunContext) -> None:
        """Look at the clock."""
        self._began = time.perf_counter()

    def step_end(self, run_context: RunContext) -> None:
        """Print and record the step's time and FLOPs utilization."""
        now = run_context.original_args()
        jax.block_until_ready([x.array for x in jax.tree.leaves(now.net_outputs, is_leaf=trace.is_tensor)])
        seconds = time.perf_counter() - self._began
        if self._flops is None:
            self._flops = self._count_flops(now)
        if self._files:
            self._write("time_step", f'time_monitor{{type="per_step_time", rank_id="0"}} {1000 * seconds}')
        if self._prints and now.cur_step_num % self._size:
            part = math.floor(self._flops / self._most / seconds * 1e4) / 100
            text = (
                f"{now.mode.title()} per step time: {1000 * seconds:5.3f} ms mfu:{part:.2f}% hfu:{part:.2f}%"
            )
            print(text, flush=True)  # noqa: T201

    def _count_flops(self, now: Any) -> float:
        train = now.mode == "train"
        batch = now.get("train_dataset_element" if train else "valid_dataset_element") or ()
        network = now.train_network if train else now.eval_network
        flops = float(flops_of(network, *batch))
        shard = f"Shard model flops is {flops}, Shard hardware flops is {flops}."
        if self._prints:
            full = f"Full model flops is {flops}, Full hardware flops is {flops}, " if self._full else ""
            print(full + shard, flush=True)  # noqa: T201
        if self._files:
            kinds = ("model_flops", "hardware_flops")
            self._write("flops", *(f'flops{{type="{kind}", rank_id="0"}} {flops}' for kind in kinds))
        return flops

    def _write(self, name: str, *lines: str) -> None:
        now = round(time.time() * 1000)
        path = os.path.join(os.getenv("MA_LOG_DIR", "./"), f"{name}_rank_0.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line} {now}\n" for line in lines)


def flops_of(network: Any, *args: Any) -> int:
    """Return the floating-point operations of matrix products and convolutions in a function's program.

    Args:
        network: Cell or function.
        args: Tensors to call it with; it is not run.

    Examples:
        >>> import msjax as ms
        >>> from msjax.train.callback.flops import flops_of
        >>> flops_of(ms.ops.matmul, ms.ops.ones((2, 3)), ms.ops.ones((3, 4)))
        48
    """
    traced = trace.trace(network, args, {}, guess=captures.guess_captures(network, args))
    return _flops_of_jaxpr(traced.closed.jaxpr)


def _flops_of_jaxpr(jaxpr: Any) -> int:
    total = 0
    for eqn in jaxpr.eqns:
        name, sizes = eqn.primitive.name, [v.aval for v in eqn.invars if hasattr(v.aval, "shape")]
        if name == "dot_general":
            (contracted, _), _ = eqn.params["dimension_numbers"]
            total += 2 * _size(eqn.outvars[0].aval) * math.prod(sizes[0].shape[n] for n in contracted)
        elif name == "conv_general_dilated":
            kernel = sizes[1].shape
            outputs = kernel[eqn.params["dimension_numbers"].rhs_spec[0]]
            total += 2 * _size(eqn.outvars[0].aval) * (math.prod(kernel) // max(outputs, 1))
        inner = [_flops_of_jaxpr(part) for part in inner_jaxprs(eqn)]
        total += (max(inner, default=0) if name == "cond" else sum(inner)) * eqn.params.get("length", 1)
    return total


def _size(aval: Any) -> int:
    return math.prod(aval.shape)
