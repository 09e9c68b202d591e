"""Placement and compile settings of Cells for MindSpore's runtime: only recorded, because JAX decides these."""

import inspect
from collections.abc import Callable
from typing import Any

from msjax.config.context import GRAPH_MODE, get_context
from msjax.core.autodiff import grad
from msjax.core.autodiff.saved_tensors_hooks import Packer, saved_tensors_hooks
from msjax.core.state import invalidate_guards, override_state, state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import resolve, tensors_in
from msjax.core.trace.stateful import Stateful
from msjax.ops.common.sharding import shard_function


class AscendMethods(Stateful):
    """The part of `Cell` that accepts what only steers other hardware, compilers or parallel runs."""

    _told: dict[str, Any]

    def _setting(self, name: str, value: Any) -> None:
        self.__dict__.setdefault("_told", {})[name] = value

    def _set(self, name: str, default: Any = None) -> Any:
        return self.__dict__.get("_told", {}).get(name, default)

    def set_inputs(self: Any, *inputs: Any, **kwargs: Any) -> None:
        """Describe the arguments of dynamic shape. A program is made for every shape that a call fits the description with.

        Eagerly it has no effect. In graph mode and under `jit` a call with another dtype, or with a Tensor in the place
        of something else, raises TypeError, one with another shape or value ValueError.

        Args:
            inputs: for each argument a Tensor, in whose shape None stands for an open size.
            kwargs: the same by the names of the arguments; then no `inputs`.

        Raises:
            ValueError: if both are given, or a name is none of `construct`'s arguments.
            TypeError: in graph mode, if `construct` takes more arguments, or less.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.ReLU()
            >>> net.set_inputs(ms.Tensor(shape=[3, None], dtype=ms.float32))
            >>> print(net.get_inputs()[0].shape)
            (3, -1)
        """
        if inputs and kwargs:
            raise ValueError(
                f"`set_inputs`: arguments must be given by place or by name. Received: {inputs} and {kwargs}."
            )
        known = inspect.signature(self.construct).parameters
        unknown = [name for name in kwargs if name not in known]
        if unknown:
            raise ValueError(f"`set_inputs`: names must be among {list(known)}. Received: {unknown[0]!r}.")
        if get_context("mode") == GRAPH_MODE and inputs:
            inspect.signature(self.construct).bind(*inputs)
        self._setting("inputs", kwargs or inputs)

    def get_inputs(self) -> Any:
        """Return the inputs given to `set_inputs`, or None."""
        return self._set("inputs")

    def _input_specs(self) -> Any:
        return self._set("inputs")

    def set_jit_config(self, jit_config: Any) -> None:
        """Options for MindSpore's compiler; without effect."""
        self._setting("jit_config", dict(getattr(jit_config, "jit_config_dict", {})))

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """Configuration given to `set_jit_config`."""
        return self._set("jit_config", {})

    def set_comm_fusion(self: Any, fusion_type: int, recurse: bool = True) -> Any:
        """Record which communications are fused, as `comm_fusion` of the Parameters; XLA fuses them.

        Raises:
            TypeError: if `fusion_type` is not an int.
            ValueError: if it is negative.
        """
        if isinstance(fusion_type, bool) or not isinstance(fusion_type, int):
            raise TypeError(
                f"`set_comm_fusion`: argument `fusion_type` must be an int. Received: {fusion_type!r}."
            )
        if fusion_type < 0:
            raise ValueError(
                f"`set_comm_fusion`: argument `fusion_type` must not be negative. Received: {fusion_type}."
            )
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    def set_boost(self: Any, boost_type: str) -> Any:
        """Ask for fewer BatchNorm updates in training; without effect.

        Raises:
            ValueError: if `boost_type` is not "less_bn".
        """
        if boost_type != "less_bn":
            raise ValueError(
                f"`set_boost`: argument `boost_type` must be 'less_bn'. Received: {boost_type!r}."
            )
        return self

    def set_broadcast_flag(self: Any, mode: bool = True) -> Any:
        """Accepted: Parameters start equal on all devices."""
        return self

    def set_data_parallel(self) -> None:
        """Accepted: how arrays are laid out over devices is said where the step is compiled."""

    def shard(self: Any, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None) -> Any:
        """Set how inputs, outputs and Parameters are divided among devices; see :func:`msjax.shard`."""
        return shard_function(self, in_strategy, out_strategy, parameter_plan)

    def offload(self, backward_prefetch: Any = "Auto") -> None:
        """Accepted: activations stay in device memory; `recompute` is the way to keep fewer."""

    def to_empty(self: Any, *, device: Any = None, recurse: bool = True) -> Any:
        """Return the Cell itself: its Parameters have memory already."""
        return self

    def remove_redundant_parameters(self) -> None:
        """Do nothing: there is one copy of each Parameter."""

    def update_cell_type(self, cell_type: str) -> None:
        """Record a name for the kind of Cell, as `cell_type`."""
        self._setting("cell_type", cell_type)

    @property
    def cell_type(self) -> str | None:
        """Type given to `update_cell_type`."""
        return self._set("cell_type")

    @cell_type.setter
    def cell_type(self, value: Any) -> None:
        self._setting("cell_type", value)

    @property
    def phase(self) -> str:
        """A name for the compiled variant."""
        return self._set("phase", "train")

    @phase.setter
    def phase(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"`phase` must be a str. Received: {value!r} ({type(value).__name__}).")
        self._setting("phase", value)

    @property
    def pipeline_stage(self) -> int:
        """The stage of a pipeline that the Cell belongs to."""
        stage = self._set("pipeline_stage")
        if stage is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute 'pipeline_stage'.")
        return stage

    @pipeline_stage.setter
    def pipeline_stage(self: Any, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"`pipeline_stage` must be an int. Received: {value!r} ({type(value).__name__}).")
        if value < 0:
            raise ValueError(f"`pipeline_stage` must not be negative. Received: {value}.")
        self._setting("pipeline_stage", value)
        for parameter in self.get_parameters():
            parameter.pipeline_stage = value

    def register_saved_tensors_hooks(self, pack_hook: Any, unpack_hook: Any) -> None:
        """Hand what `construct` saves for the backward pass to two functions (see `saved_tensors_hooks`).

        With `set_grad`, a call that is not being differentiated hands it over too.

        Args:
            pack_hook (Callable): takes a Tensor, returns anything.
            unpack_hook (Callable): takes that, returns a Tensor of the same shape and dtype.

        Raises:
            TypeError: if one cannot be called.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.Sigmoid()
            >>> net.register_saved_tensors_hooks(lambda tensor: tensor.asnumpy(), lambda array: ms.Tensor(array))
            >>> print(ms.grad(net)(ms.Tensor(0.0)))
            0.25
        """
        hooks = saved_tensors_hooks(pack_hook, unpack_hook)
        self.__dict__.update(_packer=Packer(hooks.pack_hook, hooks.unpack_hook), _plain=False)
        invalidate_guards()

    def _construct_through_hooks(self: Any, call: Callable, *args: Any, **kwargs: Any) -> Any:
        """`construct`, while what is saved goes through the hooks."""
        with override_state(packing=self._packer):
            if not self.requires_grad or state.scope is not None or state.frame is not None:
                return call(*args, **kwargs)
            with grad.recording() as scope:
                watched = grad.Gradients(args, kwargs, range(len(args)), self.trainable_params())
                out = call(*watched.args, **watched.kwargs)
                scope.alive = False
            for box in tensors_in(out):
                resolve(box)._node = None
            return out

    def register_parameter_forward_hook(self: Any, hook: Any) -> None:
        """Register a hook on Parameters: compiled functions use its results where Cells read their attributes.

        Args:
            hook (Callable, list[dict]): called with a Parameter, gives what is used; for all Parameters here and below. Or
                dicts with the "params" and the "hook" of each.

        Raises:
            TypeError: if a hook cannot be called, or something is not a dict, or no Parameter among "params".
            ValueError: if a dict lacks one of the two.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.Dense(2, 1, "ones", "zeros")
            >>> net.register_parameter_forward_hook([{"params": [net.weight], "hook": lambda weight: weight * 10}])
            >>> print(net(ms.ops.ones((1, 2))), ms.jit(net)(ms.ops.ones((1, 2))))
            [[2.]] [[20.]]
        """
        name = "register_parameter_forward_hook"
        groups = hook if isinstance(hook, list) else [{"params": list(self.get_parameters()), "hook": hook}]
        hooks = {}
        for group in groups:
            if not isinstance(group, dict):
                raise TypeError(f"`{name}`: argument `hook` must hold dicts. Received: {group!r}.")
            if {*group} != {"params", "hook"}:
                raise ValueError(
                    f"`{name}`: a dict must have the keys 'params' and 'hook'. Received: {group!r}."
                )
            if not callable(group["hook"]):
                raise TypeError(f"`{name}`: a hook must be callable. Received: {group['hook']!r}.")
            for parameter in group["params"]:
                if not isinstance(parameter, Parameter):
                    raise TypeError(f"`{name}`: 'params' must hold Parameters. Received: {parameter!r}.")
                hooks[id(parameter)] = group["hook"]
        for _, cell in self.cells_and_names():
            reading = {own: hooks[id(p)] for own, p in cell._params.items() if id(p) in hooks}
            if reading:
                cell.__dict__.setdefault("_reading", {}).update(reading)
                cell._invalidate()
