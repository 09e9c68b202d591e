"""Registration of a Cell's Parameters, buffers and child Cells by their attribute names."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from types import MemberDescriptorType
from typing import Any, Generic, TypeVar

from msjax.core.dtype import DType
from msjax.core.identity import ById
from msjax.core.state import invalidate_guards, state
from msjax.core.tensor.parameter import UNNAMED, Parameter, ParameterTuple, check_unique, is_buffer
from msjax.core.tensor.scalar_inputs import require_conversion
from msjax.core.tensor.tensor import Tensor, replace, tensors_in
from msjax.core.trace.cell_attributes import copy_for_readers, overwrite, record_change
from msjax.core.trace.frame import keep_gradient
from msjax.core.trace.stateful import Stateful
from msjax.nn.cell.buffer_hooks import run_buffer_hooks
from msjax.ops.math.casts import converted

CellT = TypeVar(
    "CellT", bound="Registry"
)  # what the children are: `Cell`, which derives from the class below

_GROUPS = ("_params", "_cells", "_buffers")
_PREFIX = re.compile(r"[0-9a-zA-Z_.\-]*")
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), DType)
_UNWATCHED = frozenset(
    {"_met", "_program", "_given_flags", "_told", "_operators", "_counted", "_names_checked"}
)  # flags are attributes too

_UNREACHED = frozenset({"_held", "_counted", "_program"})  # what compiled programs keep here


def fingerprint(value: Any) -> Any:
    """Return the part of an attribute that a compiled program depends on: constants by value, other objects by identity."""
    if isinstance(value, Parameter):
        return ById(value), value.requires_grad
    if isinstance(value, _CONSTANTS):
        return type(value), value
    if isinstance(value, dict):
        return tuple([(key, fingerprint(v)) for key, v in value.items()])
    if isinstance(value, list | tuple):
        return type(value), tuple([fingerprint(v) for v in value])
    return ById(value)


def _in_class(thing: object, name: str) -> bool:
    """Return True if the class of an object defines a name; one of its `__slots__` counts once it has a value."""
    if isinstance(getattr(type(thing), name, None), MemberDescriptorType):
        try:
            object.__getattribute__(thing, name)
        except AttributeError:
            return False
    return hasattr(type(thing), name)


# Makes an operator that MindSpore's layer keeps as an attribute, or None: nn/inner/inner_operators sets it.
inner_operator: Callable[[Any, str], Any] = lambda layer, name: None  # noqa: E731
# Raises where a layer would go on without an operator that it is given under such a name: nn/inner/inner_operators sets it.
check_operator: Callable[[Any, str, Any], None] = lambda layer, name, operator: None  # noqa: E731


class Registry(Stateful, Generic[CellT]):
    """The part of `Cell` that keeps track of attributes: Parameters, buffers and child Cells in tables of their own.

    A program that was compiled with a Cell depends on its attributes. Each change of an attribute of a Cell that was
    met while compiling is therefore announced, and `_flags` tells what the attributes are now.
    """

    _params: dict[str, Parameter | None]
    _cells: dict[str, CellT | None]
    _buffers: dict[str, Tensor | None]
    _unsaved: set[str]
    _auto_prefix: bool
    _names_checked: bool
    _param_prefix: str

    # ------------------------------------------------------------------ attributes

    def __getattr__(self, name: str) -> Any:
        attributes = self.__dict__
        for group in _GROUPS:
            table = attributes.get(group)
            if table is not None and name in table:
                found = table[name]
                if state.frame is not None:
                    self._record_use()
                    if isinstance(found, Registry):
                        found._record_use()
                    elif "_reading" in attributes and name in attributes["_reading"]:
                        return attributes["_reading"][name](found)
                return found
        if name in attributes.get("_held", ()):
            if state.frame is None:
                return copy_for_readers(attributes["_held"][name])
            self._record_use()
            found = attributes["_held"][name]
            require_conversion(tensors_in(found))
            return found
        if not name.startswith("_") and "_cells" in attributes:
            made = attributes.setdefault("_operators", {})
            if name not in made:
                made[name] = inner_operator(self, name)
            if made[name] is not None:
                return made[name]
        hint = "" if "_cells" in attributes else " Was super().__init__() called first in __init__?"
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if isinstance(value, (Parameter, Registry, ParameterTuple)) or is_buffer(value):
            if "_cells" not in attributes:
                raise AttributeError(
                    f"'{type(self).__name__}': please call Cell.__init__() (super().__init__()) before assigning Cells and "
                    f"Parameters. Received: {name}={type(value).__name__}."
                )
            self._register(name, value)
        elif name in attributes.get("_params", ()):
            self._write_parameter(name, value)
        elif name in attributes.get("_cells", ()):
            self._allow(name, value, "Sub cell", None)
            self._cells[name] = value
        elif name in attributes.get("_buffers", ()):
            if value is not self._buffers[name]:
                self._allow(name, value, "Buffer", None, f". Write into it instead: `cell.{name}.copy_(...)`")
            self._buffers[name] = value
        else:
            if callable(value):
                check_operator(self, name, value)
            elif isinstance(value, list | tuple):
                check_unique(p for p in value if isinstance(p, Parameter))
            if state.frame is not None:
                record_change(self, name)
            elif name in attributes.get("_held", ()) and overwrite(attributes["_held"], name, value):
                return
            object.__setattr__(self, name, value)
        self._invalidate()

    def __delattr__(self, name: str) -> None:
        for group in _GROUPS:
            if name in self.__dict__.get(group, ()):
                del self.__dict__[group][name]
                break
        else:
            if self.__dict__.get("_held", {}).pop(name, None) is None:
                object.__delattr__(self, name)
        self._invalidate()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for group in _GROUPS for name in self.__dict__.get(group, ()))]

    def _register(self, name: str, value: Any) -> None:
        """Store an attribute in a table, in place of a plain one if there is one."""
        self.__dict__.pop(name, None)
        if isinstance(value, Parameter):
            self.insert_param_to_cell(name, value)
            keep_gradient(value)
        elif is_buffer(value):
            self.register_buffer(name, value, getattr(value, "persistent", True))
        elif isinstance(value, Registry):
            self.insert_child_to_cell(name, value)  # type: ignore[arg-type]
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
        else:
            for parameter in value:
                self.insert_param_to_cell(parameter.name, parameter, check_name_contain_dot=False)
            object.__setattr__(self, name, value)

    def _allow(self, name: str, value: Any, what: str, kind: type | None, hint: str = "") -> None:
        if value is not None and (kind is None or not isinstance(value, kind)):
            also = f", a {kind.__name__}" if kind else ""
            raise TypeError(
                f"'{type(self).__name__}': {what} {name!r} already exists in network and takes another one{also} or None"
                f"{hint}. Received: {value!r} ({type(value).__name__})."
            )

    def _write_parameter(self, name: str, value: Any) -> None:
        """Make a Tensor the content of the Parameter. Gradients see no change, as in MindSpore."""
        parameter = self._params[name]
        if state.graph and parameter is not None and isinstance(value, bool | int | float):
            value = self._make_content(name, parameter, value)
        self._allow(name, value, "Parameter", None if parameter is None else Tensor)
        if value is None or parameter is None:
            self._params[name] = value
            return
        replace(parameter, value if value.dtype == parameter.dtype else converted(value, parameter.dtype))

    def _make_content(self, name: str, parameter: Parameter, number: float) -> Tensor:
        """Return a Tensor of a number, which compiled functions may assign to a Parameter without axes."""
        said = f"'{type(self).__name__}': Parameter {name!r}"
        if parameter.shape:
            raise ValueError(
                f"{said} takes a Tensor of its shape {parameter.shape}; a number has none. Received: {number!r}."
            )
        if isinstance(number, float) and not parameter.dtype.is_floating_point:
            raise TypeError(f"{said} of dtype {parameter.dtype} takes no float. Received: {number!r}.")
        return Tensor(number, parameter.dtype)

    def _check_new(self, what: str, argument: str, name: Any, table: dict) -> None:
        if not isinstance(name, str):
            raise TypeError(
                f"`{what}`: argument `{argument}` must be a str. Received: {name!r} ({type(name).__name__})."
            )
        if not name:
            raise KeyError(f"`{what}`: argument `{argument}` must not be empty.")
        if name not in table and self._has(name):
            raise KeyError(
                f"`{what}`: {name} already exists in {type(self).__name__}, as an attribute of another kind."
            )

    def _has(self, name: str) -> bool:
        """Return True if an attribute was set under a name; `hasattr` would find internal operators too."""
        return (
            name in self.__dict__
            or name in self.__dict__.get("_held", ())
            or _in_class(self, name)
            or any(name in self.__dict__[g] for g in _GROUPS)
        )

    # ------------------------------------------------------------------ guards of compiled programs

    def _record_use(self) -> None:
        """Record in the current traces that they depend on this Cell."""
        self.__dict__["_met"] = True
        super()._record_use()

    def _invalidate(self) -> None:
        if "_met" in self.__dict__:
            invalidate_guards()

    def _flags(self) -> tuple[tuple[str, Any], ...]:
        """All that a compiled program may depend on of this Cell."""
        return tuple([(k, fingerprint(v)) for k, v in self.__dict__.items() if k not in _UNWATCHED])

    def _reachable(self) -> list[Any]:
        """Attributes, hooks and child Cells."""
        own = [value for name, value in self.__dict__.items() if name not in _UNREACHED]
        return [*own, *self.__dict__.get("_cells", {}).values()]

    # ------------------------------------------------------------------ putting things in

    def insert_child_to_cell(self, child_name: str, child_cell: CellT | None) -> None:
        """Add a child Cell. Its Parameters keep their names, which assigning an attribute would prefix.

        Args:
            child_name: name of the attribute.
            child_cell: the child, or None.

        Raises:
            KeyError: if the name is empty, contains a dot or belongs to something else.
            TypeError: if the name is not a str or the child not a Cell.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.Cell()
            >>> net.insert_child_to_cell("act", ms.nn.ReLU())
            >>> print(net)
            Cell(
              (act): ReLU()
            )
        """
        what = "insert_child_to_cell"
        self._check_new(what, "child_name", child_name, self._cells)
        if "." in child_name:
            raise KeyError(f"`{what}`: argument `child_name` must not contain '.'. Received: {child_name!r}.")
        if child_cell is not None and not isinstance(child_cell, Registry):
            raise TypeError(
                f"`{what}`: argument `child_cell` must be a Cell. Received: {type(child_cell).__name__}."
            )
        self._cells[child_name] = child_cell
        self._invalidate()

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Add a Parameter. If it has no name yet, it gets that of the attribute.

        Args:
            param_name: name of the attribute.
            param: the Parameter, or None.
            check_name_contain_dot: refuse dots in the name.

        Raises:
            KeyError: if the name is empty, contains a dot or belongs to something else.
            TypeError: if the name is not a str or `param` not a Parameter.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.Cell()
            >>> net.insert_param_to_cell("scale", ms.Parameter(ms.Tensor([1.0, 2.0])))
            >>> print(net.scale)
            Parameter (name=scale, shape=(2,), dtype=Float32, requires_grad=True)
        """
        what = "insert_param_to_cell"
        self._check_new(what, "param_name", param_name, self._params)
        if check_name_contain_dot and "." in param_name:
            raise KeyError(f"`{what}`: argument `param_name` must not contain '.'. Received: {param_name!r}.")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"`{what}`: argument `param` must be a Parameter. Received: {type(param).__name__}."
            )
        if param is not None and UNNAMED.fullmatch(param.name):
            param.name = param_name
        self._params[param_name] = param
        self._invalidate()

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a Tensor that is part of the state but not trained.

        Args:
            name: name of the attribute.
            tensor: the buffer, or None.
            persistent: whether `state_dict` contains it.

        Raises:
            KeyError: if the name is empty, contains a dot or exists already.
            TypeError: if the name is not a str or `tensor` not a Tensor.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.Cell()
            >>> net.register_buffer("count", ms.Tensor([0.0]))
            >>> print(list(net.state_dict()))
            ['count']
        """
        what = "register_buffer"
        if not isinstance(name, str):
            raise TypeError(
                f"`{what}`: buffer name should be a string. Received: {name!r} ({type(name).__name__})."
            )
        if "." in name:
            raise KeyError(f'`{what}`: buffer name can\'t contain ".". Received: {name!r}.')
        if not name:
            raise KeyError(f"`{what}`: buffer name can't be empty.")
        if name not in self._buffers and self._has(name):
            raise KeyError(f"`{what}`: attribute {name!r} already exists in {type(self).__name__}.")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"`{what}`: cannot assign this to buffer {name!r}, which takes a Tensor or None. "
                f"Received: {tensor!r} ({type(tensor).__name__})."
            )
        self._buffers[name] = run_buffer_hooks(self, name, tensor)
        (self._unsaved.discard if persistent else self._unsaved.add)(name)
        self._invalidate()

    # ------------------------------------------------------------------ Cells

    def name_cells(self) -> OrderedDict[str, CellT]:
        """Return the child Cells by name, each once."""
        found: OrderedDict[str, CellT] = OrderedDict()
        seen: set[int] = set()
        for name, cell in self._cells.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def cells(self) -> Iterable[CellT]:
        """Return the child Cells, each once."""
        return self.name_cells().values()

    def cells_and_names(self, cells: set | None = None, name_prefix: str = "") -> Iterator[tuple[str, CellT]]:
        """This Cell and all below it, each once, with their paths.

        Args:
            cells: those to leave out; it is filled on the way.
            name_prefix: path of this Cell.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.ReLU())
            >>> [name for name, cell in net.cells_and_names()]
            ['', '0', '1']
        """
        seen = set() if cells is None else cells
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self  # type: ignore[misc]
        for name, cell in self._cells.items():
            if cell is not None:
                path = f"{name_prefix}.{name}" if name_prefix else name
                yield from cell.cells_and_names(seen, path)  # type: ignore[misc]

    def get_sub_cell(self, target: str) -> CellT:
        """Return the Cell at a path such as "features.0".

        Raises:
            AttributeError: if there is none.
        """
        cell: Any = self
        for name in target.split(".") if target else ():
            owner = cell
            cell = getattr(owner, name)
            if not isinstance(cell, Registry):
                raise AttributeError(
                    f"`get_sub_cell`: attribute {name!r} of {type(owner).__name__} is not a Cell."
                )
        return cell  # type: ignore[return-value]

    def apply(self, fn: Callable[[CellT], Any]) -> CellT:
        """Call `fn` with every Cell below, then with this one.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.SequentialCell(ms.nn.ReLU(), ms.nn.Tanh())
            >>> _ = net.apply(lambda cell: print(type(cell).__name__))
            ReLU
            Tanh
            SequentialCell
        """
        for cell in self.cells():
            cell.apply(fn)
        fn(self)  # type: ignore[arg-type]
        return self  # type: ignore[return-value]

    def _members(
        self, group: str, prefix: str, recurse: bool, unique: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Return the things in one table of this Cell and, with `recurse`, of all below it, with their paths."""
        seen: set[int] = set()
        owners = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for path, cell in owners:
            for name, thing in cell.__dict__[group].items():
                if thing is not None and not (unique and id(thing) in seen):
                    seen.add(id(thing))
                    yield f"{path}.{name}" if path else name, thing

    # ------------------------------------------------------------------ Parameters

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Return the Parameters, each once, with the paths of attributes that lead to them.

        Args:
            name_prefix: path of this Cell.
            expand: also those of the Cells below.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.Dense(3, 1, has_bias=False))
            >>> [(name, p.shape) for name, p in net.parameters_and_names()]
            [('0.weight', (3, 2)), ('0.bias', (3,)), ('1.weight', (1, 3))]
        """
        return self._members("_params", name_prefix, expand)

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Return the Parameters, each once; only this Cell's own if `expand` is False."""
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters with `requires_grad`.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.BatchNorm1d(3))
            >>> [p.name for p in net.trainable_params()]
            ['0.weight', '0.bias', '1.gamma', '1.beta']
        """
        return [p for p in self.get_parameters(expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters without `requires_grad`."""
        return [p for p in self.get_parameters(expand=recurse) if not p.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """Return the Parameters by their own names. Of several with one name, the last."""
        return OrderedDict((p.name, p) for p in self.get_parameters(expand=recurse))

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter] | None:
        """Return the Parameters that are the same on all devices, by name; None if there is none."""
        found = OrderedDict(
            (p.name, p) for p in self.get_parameters(expand=recurse) if not p.layerwise_parallel
        )
        return found or None

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name each Parameter by `prefix` and the path that leads to it from here.

        Args:
            prefix: letters, digits, "_", "-" and ".".
            recurse: also those of the Cells below.

        Raises:
            TypeError: if `prefix` is not a str.
            ValueError: if it contains another character.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.Dense(2, 3)
            >>> net.update_parameters_name("head.")
            >>> print(net.weight.name)
            head.weight
        """
        if not isinstance(prefix, str):
            raise TypeError(
                f"`update_parameters_name`: argument `prefix` must be a str. Received: {prefix!r}."
            )
        if not _PREFIX.fullmatch(prefix):
            raise ValueError(
                "`update_parameters_name`: argument `prefix` must be made of letters, digits, '_', '-' and '.'. "
                f"Received: prefix={prefix!r}."
            )
        for path, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + path

    def _update_local_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """`update_parameters_name`, as libraries built on MindSpore call it."""
        self.update_parameters_name(prefix, recurse)

    def check_names(self) -> None:
        """Raise ValueError if two Parameters have one name."""
        check_unique(self.get_parameters())

    def check_names_and_refresh_name(self) -> None:
        """Name all Parameters by their paths from here if two have one name.

        So it can be without `auto_prefix`. The first call of a Cell does this.
        """
        names = [p.name for p in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()
        self.__dict__["_names_checked"] = True

    @property
    def param_prefix(self) -> str:
        """The path of this Cell from the one on which `update_cell_prefix` was called last."""
        return self._param_prefix

    def update_cell_prefix(self) -> None:
        """Set `param_prefix` of all Cells below to their paths from here."""
        for path, cell in self.cells_and_names():
            cell._param_prefix = path

    # ------------------------------------------------------------------ buffers

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Return the buffers with the paths that lead to them.

        Args:
            prefix: path of this Cell.
            recurse: also those of the Cells below.
            remove_duplicate: each buffer once.
        """
        return self._members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Return the buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a path such as "features.0.count".

        Raises:
            AttributeError: if there is none.
        """
        path, _, name = target.rpartition(".")
        owner = self.get_sub_cell(path)
        found = getattr(owner, name)
        if name not in owner._buffers:
            raise AttributeError(f"`get_buffer`: `{name}` is not a buffer of {type(owner).__name__}.")
        return found
