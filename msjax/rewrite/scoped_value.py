"""`ScopedValue`: values and names in the source of a network."""

from collections.abc import Sequence
from enum import Enum
from typing import Any


class ValueType(Enum):
    """Kind of a :class:`ScopedValue`: a constant, a container of values, a name, or any other object."""

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50


class NodeType(Enum):
    """Kind of a statement in a network's source: the kind of its call, input, output, or branch."""

    Unknown = 0
    CallCell = 1
    CallPrimitive = 2
    CallModule = 3
    CallFunction = 4
    CallMethod = 5
    Python = 6
    Input = 7
    Output = 8
    Tree = 9
    CellContainer = 10
    MathOps = 11
    ControlFlow = 12


class ScopedValue:
    """A value, or a name with the object that has it.

    Args:
        arg_type (ValueType): what it is.
        scope (str): of a name, the object before the dot: "self" of `self.conv`.
        value: the value or the name.

    Raises:
        TypeError: if `arg_type` or `scope` is of another type.

    Examples:
        >>> from msjax.rewrite import ScopedValue
        >>> ScopedValue.create_naming_value("conv", "self")
        self.conv
    """

    def __init__(self, arg_type: ValueType, scope: str = "", value: Any = None) -> None:
        _expect("arg_type", arg_type, ValueType)
        _expect("scope", scope, str)
        self.type = arg_type
        self.scope = scope
        self.value = value

    @classmethod
    def create_variable_value(cls, value: Any) -> "ScopedValue":
        """Return a ScopedValue for a value; elements of containers likewise.

        Examples:
            >>> from msjax.rewrite import ScopedValue
            >>> ScopedValue.create_variable_value((1, "a")).value
            (1, a)
        """
        make = cls.create_variable_value
        if value is None or isinstance(value, int | float | str):
            return cls(ValueType.ConstantValue, "", value)
        if isinstance(value, tuple):
            return cls(ValueType.TupleValue, "", tuple(map(make, value)))
        if isinstance(value, list):
            return cls(ValueType.ListValue, "", list(map(make, value)))
        if isinstance(value, dict):
            return cls(ValueType.DictValue, "", {make(key): make(item) for key, item in value.items()})
        return cls(ValueType.CustomObjValue, "", value)

    @classmethod
    def create_naming_value(cls, name: str, scope: str = "") -> "ScopedValue":
        """Return a ScopedValue for a name.

        Args:
            name (str): the name.
            scope (str): the object before the dot.

        Raises:
            TypeError: if one is not a str.
        """
        _expect("name", name, str)
        return cls(ValueType.NamingValue, scope, name)

    @staticmethod
    def create_name_values(
        names: list[str] | tuple[str, ...], scopes: list[str] | tuple[str, ...] | None = None
    ) -> list["ScopedValue"]:
        """Return ScopedValues for several names.

        Args:
            names (Union[list[str], tuple[str]]): the names.
            scopes (Union[list[str], tuple[str]]): the objects before the dots. Default: none.

        Raises:
            TypeError: if they are no lists or tuples of str.
            ValueError: if there are more of the one than of the other.

        Examples:
            >>> from msjax.rewrite import ScopedValue
            >>> ScopedValue.create_name_values(["z", "y"], ["self", ""])
            [self.z, y]
        """
        _expect("names", names, list | tuple)
        scopes_: Sequence[str] = [""] * len(names) if scopes is None else scopes
        _expect("scopes", scopes_, list | tuple)
        if len(names) != len(scopes_):
            raise ValueError(
                "`ScopedValue`: arguments `names` and `scopes` must have the same length. "
                f"Received: {len(names)} and {len(scopes_)}."
            )
        return [ScopedValue.create_naming_value(*each) for each in zip(names, scopes_, strict=True)]

    def __str__(self) -> str:
        if self.type is ValueType.NamingValue:
            return f"{self.scope}.{self.value}" if self.scope else str(self.value)
        if self.type is ValueType.CustomObjValue:
            return f"CustomObj: {self.value}"
        return str(self.value) if self.type is ValueType.ConstantValue else f"Illegal ValueType: {self.type}"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScopedValue):
            return NotImplemented
        return (self.type, self.scope, self.value) == (other.type, other.scope, other.value)

    def __hash__(self) -> int:
        return hash((self.type, self.scope, self.value))


def _expect(argument: str, given: Any, kind: Any) -> None:
    if not isinstance(given, kind):
        wanted = "a list or tuple" if kind == list | tuple else f"of type {kind.__name__}"
        raise TypeError(
            f"`ScopedValue`: argument `{argument}` must be {wanted}. Received: {given!r} ({type(given).__name__})."
        )
