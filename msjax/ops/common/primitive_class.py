"""`Primitive`: the base class of operators in class form, such as `ops.MatMul(transpose_b=True)`."""

import contextlib
from typing import Any

from msjax.core.tensor import random_state
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import sharding

# Classes that MindSpore prints with numbers for words, and these words.
_NUMBERED = {
    *"""BCEWithLogitsLoss BiasAdd BinaryCrossEntropy GridSampler2D GridSampler3D NLLLoss ResizeLinear1D SmoothL1Loss
    SoftMarginLoss""".split()
}
_NUMBERS = {
    "coordinate_transformation_mode": ("asymmetric", "align_corners", "half_pixel"),
    "data_format": ("NCHW", "NHWC"),
    "interpolation_mode": ("bilinear", "nearest"),
    "padding_mode": ("zeros", "border", "reflection"),
    "reduction": ("sum", "mean", "none"),
}


class Primitive:
    """An operator as an object: made with the settings, called with the arrays.

    Args:
        name: of the operator.

    Examples:
        >>> import msjax as ms
        >>> product = ms.ops.MatMul(transpose_b=True)
        >>> print(product, product.name, product.transpose_b)
        Prim[MatMul]<transpose_a=False, transpose_b=True> MatMul True
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.attrs: dict[str, Any] = {}
        self.init_attrs: dict[str, Any] = {"name": name}

    def __call__(self, *args: Any) -> Any:
        """Raise NotImplementedError: a Primitive made by name alone computes nothing."""
        raise NotImplementedError(
            f"`{self.name}` is a Primitive without a computation. Write a function of the operators in mindspore.ops."
        )

    def drawing(self, *seeds: int, fixed: bool = False) -> contextlib.AbstractContextManager[None]:
        """Return a context: operators draw from this object's own random state.

        Two objects of one class with equal seeds draw the same, in every process, and `set_seed` does not start them again.

        Args:
            *seeds: settings, or arguments of the call; if all are 0, operators draw from the state of the process.
            fixed: 0 is a seed like any other.
        """
        if not (fixed or any(seeds)) or not all(type(seed) is int for seed in seeds):
            return contextlib.nullcontext()
        streams: dict[tuple[int, ...], Tensor] = self.__dict__.setdefault("_streams", {})
        if seeds not in streams:
            streams[seeds] = random_state.new_stream(self.name, seeds)
        return random_state.drawing_from(streams[seeds])

    def __repr__(self) -> str:
        numbers = _NUMBERS if self.name.removesuffix("Grad") in _NUMBERED else {}
        settings = ", ".join(
            f"{k}={numbers[k].index(v) if k in numbers and v in numbers[k] else v}"
            for k, v in self.attrs.items()
            if k not in ("input_names", "output_names")
        )
        return f"Prim[{self.name}]" + (f"<{settings}>" if settings else "")

    def add_prim_attr(self, name: str, value: Any) -> "Primitive":
        """Store a note on the operator. Notes have no effect on what it computes."""
        if not hasattr(type(self), name):
            self.__dict__[name] = value
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> "Primitive":
        """Remove a note."""
        self.__dict__.pop(name, None)
        self.attrs.pop(name, None)
        return self

    def _as_it_is(self, *args: Any, **kwargs: Any) -> "Primitive":
        """Accepted: it steers where and how MindSpore runs an operator, which XLA decides here."""
        return self

    set_const_input_indexes = set_const_prim = set_inplace_prim = set_prim_type = set_signatures = _as_it_is

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> "Primitive":
        """Set how the arrays of the operator are divided among devices; without effect where there is one.

        Args:
            in_strategy (tuple): for each input the number of parts of each axis, or a Layout.
            out_strategy (tuple): the same for outputs. Default: None, as the compiler decides.

        Returns:
            Primitive, itself.

        Raises:
            TypeError: for anything else.
            ValueError: if only `out_strategy` is given, or one of the two is of Layouts. When the operator is called in
                semi-automatic parallel mode: if a strategy does not fit the shapes, or there are too few devices.

        Examples:
            >>> import msjax as ms
            >>> print(ms.ops.Add().shard(((1, 1), (1, 1))))
            Prim[Add]<in_strategy=((1, 1), (1, 1))>
        """
        if in_strategy is None and out_strategy is None:
            return self
        sides = {"in": in_strategy, "out": out_strategy}
        kinds = {
            side: sharding.check_strategy(self.name, f"{side}_strategy", strategy)
            for side, strategy in sides.items()
            if strategy is not None
        }
        if in_strategy is None:
            raise ValueError(
                f"`{self.name}.shard`: `out_strategy` needs `in_strategy`. Received: {out_strategy}."
            )
        if len(set(kinds.values())) > 1:
            raise ValueError(
                f"`{self.name}.shard`: `in_strategy` and `out_strategy` must both be of tuples, or of Layouts. "
                f"Received: {in_strategy}, {out_strategy}."
            )
        for side, is_layout in kinds.items():
            strategy = tuple(map(sharding.describe_strategy, sides[side] or ()))
            if is_layout:
                strategy = tuple({k: v for k, v in layout.items() if k != "rank_list"} for layout in strategy)
            self.add_prim_attr(f"{side}_{'layout' if is_layout else 'strategy'}", strategy)
        if type(self).__call__ is not Primitive.__call__ and not hasattr(type(self), "_is_sharded"):
            self.__class__ = sharding.sharded_class(type(self))
        if (owner := self.__dict__.get("_layer")) is not None:
            owner.shard(self)
        return self

    def set_stage(self, stage: int) -> "Primitive":
        """Record a pipeline stage; there are none here."""
        return self.add_prim_attr("stage", stage)

    def recompute(self, mode: bool = True) -> "Primitive":
        """Record the recomputation (rematerialization) flag for the backward pass; XLA decides that here.

        Raises:
            TypeError: if it is not a bool.
        """
        if not isinstance(mode, bool):
            raise TypeError(f"`{self.name}.recompute`: argument `mode` must be a bool. Received: {mode!r}.")
        return self.add_prim_attr("recompute", mode)

    def place(self, role: str, rank_id: int) -> None:
        """Record the process of a MindSpore cluster that is to run the operator; here each runs all.

        Raises:
            TypeError: if the rank is no whole number.
            ValueError: if it is negative, or the role is another one than "MS_WORKER".
        """
        if type(rank_id) is not int:
            raise TypeError(
                f"`Primitive.place`: the argument `rank_id` must be a whole number. Received: {rank_id!r}."
            )
        if role != "MS_WORKER" or rank_id < 0:
            raise ValueError(
                "`Primitive.place`: `role` must be 'MS_WORKER' and `rank_id` must be at least 0. Received: "
                f"role={role!r}, rank_id={rank_id}."
            )
        self.add_prim_attr("ms_role", role).add_prim_attr("rank_id", rank_id)

    def set_device(self, device_target: str) -> "Primitive":
        """Record a device. XLA decides where operators run."""
        return self.add_prim_attr("primitive_target", device_target)

    def set_prim_instance_name(self, instance_name: str) -> "Primitive":
        """Set the name of the object."""
        self.instance_name = instance_name
        return self

    # ------------------------------------------------------------------ what MindSpore's classes inherit

    def set_instance_name(self, instance_name: str) -> None:
        """Set the name of the object."""
        self.instance_name = instance_name

    def add_attr(self, name: str, value: Any) -> None:
        """Store a note that `attrs` does not show."""
        self.__dict__.setdefault("_notes", {})[name] = value

    def del_attr(self, name: str) -> None:
        """Remove a note."""
        self.__dict__.get("_notes", {}).pop(name, None)
        self.attrs.pop(name, None)

    def get_attr_dict(self) -> dict[str, Any]:
        """All notes and settings."""
        return {**self.attrs, **self.__dict__.get("_notes", {})}

    def set_user_data(self, key: str, value: Any) -> None:
        """Store a value with the object, under a key."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key: str) -> Any:
        """Return the value that was stored under a key, or None."""
        return self.__dict__.get("_user_data", {}).get(key)

    @property
    def update_parameter(self) -> bool:
        """Return True if calls write to a Parameter, according to the attribute `side_effect_mem`."""
        return bool(self.attrs.get("side_effect_mem", False))

    def check_elim(self, *args: Any) -> tuple[bool, Any]:
        """Return (True, result) if a call needs no computation; (False, None) by default, subclasses may override it."""
        return False, None

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Record the names of inputs and outputs."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)
