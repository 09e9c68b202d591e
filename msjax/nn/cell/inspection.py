"""Introspection of Cells: position in the tree of Cells, and MindSpore's records of compilation."""

import enum
import time
import weakref
from typing import Any, ClassVar, TypeVar

T_destination = TypeVar("T_destination", bound=dict[str, Any])


class MixedPrecisionType(enum.IntEnum):
    """Dtype in which `to_float` lets a Cell compute."""

    NOTSET = 0
    FP16 = 1
    FP32 = 2
    BF16 = 3


_FLAGS = {"fp16": MixedPrecisionType.FP16, "fp32": MixedPrecisionType.FP32, "bf16": MixedPrecisionType.BF16}


def _typed_property(name: str, kind: type, start: Any) -> property:
    """Make a property that keeps what it is given, if that is of a type."""

    def get(self: Any) -> Any:
        return self._set(name, start())

    def put(self: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise TypeError(f"`Cell`: property `{name}` must be a {kind.__name__}. Received: {value!r}.")
        self._setting(name, value)

    return property(get, put, doc=f"A {kind.__name__} that MindSpore's own modules keep here.")


def _record(name: str, kind: type) -> property:
    """Make a property with a separate container for each Cell."""

    def get(self: Any) -> Any:
        if self._set(name) is None:
            self._setting(name, kind())
        return self._set(name)

    return property(get, doc=f"A {kind.__name__}, empty at first, for programs that keep records in it.")


class InspectionMethods:
    """The part of `Cell` that answers questions about it."""

    T_destination = T_destination
    IGNORE_LIST: ClassVar[list[str]] = [
        "_auto_prefix", "_cells", "_params", "_buffers", "_unsaved", "_hooks", "_given_flags", "_param_prefix", "_cast",
        "_recomputes", "_plain", "_told", "has_bprop", "training", "requires_grad",
    ]  # fmt: skip
    global_cells: ClassVar[weakref.WeakKeyDictionary] = weakref.WeakKeyDictionary()
    total_instance_count: ClassVar[int] = 0

    bprop_debug = _typed_property("bprop_debug", bool, lambda: False)
    parameter_layout_dict = _typed_property("parameter_layout_dict", dict, dict)
    parallel_parameter_name_list = _typed_property("parallel_parameter_name_list", list, tuple)
    parallel_parameter_merge_net_dict = _typed_property("parallel_parameter_merge_net_dict", dict, dict)
    compile_phase = _typed_property("compile_phase", object, lambda: None)
    compile_cache = _record("compile_cache", set)
    phase_cache = _record("phase_cache", dict)
    exist_names = _record("exist_names", set)
    exist_objs = _record("exist_objs", set)

    def _count(self) -> None:
        """Record the creation of a Cell, and its time."""
        InspectionMethods.total_instance_count += 1
        self.__dict__["_told"] = {"create_time": time.time_ns()}

    @property
    def create_time(self: Any) -> int:
        """Time at which the Cell was made, in nanoseconds since 1970."""
        return self._set("create_time")

    @property
    def compiled(self) -> bool:
        """Return True if the Cell was called as a compiled program."""
        return self.__dict__.get("_program") is not None

    def generate_scope(self: Any) -> None:
        """Set the scopes of all Cells below, which :meth:`get_scope` returns.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3))
            >>> net.generate_scope()
            >>> print(net.get_scope(), net[0].get_scope())
            None Default/0-Dense
        """
        for name, cell in self.name_cells().items():
            _set_scope(cell, f"Default/{name}")

    def get_scope(self: Any) -> str | None:
        """Return the path that :meth:`generate_scope` of a Cell above gave this one, or None."""
        return self._set("scope")

    def get_func_graph_proto(self) -> None:
        """None: there is no graph of MindSpore's."""
        return

    def get_mixed_precision_type(self: Any) -> MixedPrecisionType:
        """Return the dtype in which `to_float` lets this Cell compute.

        Examples:
            >>> import msjax as ms
            >>> ms.nn.ReLU().to_float(ms.float16).get_mixed_precision_type().name
            'FP16'
        """
        given = self._set("mixed_precision_type")
        flags = [kind for flag, kind in _FLAGS.items() if self.get_flags().get(flag)]
        return given if given is not None else (*flags, MixedPrecisionType.NOTSET)[0]

    def set_mixed_precision_type(self: Any, mixed_type: Any) -> None:
        """Record a type for :meth:`get_mixed_precision_type`; only `to_float` changes the computation.

        Args:
            mixed_type: a MixedPrecisionType.

        Raises:
            TypeError: if it is none.
        """
        if not isinstance(mixed_type, MixedPrecisionType):
            raise TypeError(
                f"`set_mixed_precision_type`: the type must be a MixedPrecisionType. Received: {mixed_type!r}."
            )
        self._setting("mixed_precision_type", mixed_type)


def _set_scope(cell: Any, path: str) -> None:
    scope = f"{path}-{type(cell).__name__}"
    cell._setting("scope", scope)
    for name, child in cell.name_cells().items():
        _set_scope(child, f"{scope}/{name}")
