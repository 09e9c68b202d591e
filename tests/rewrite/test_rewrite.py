"""Values in the source of a network; printed forms are those of MindSpore 2.10."""

import pytest

import msjax as ms
from msjax.rewrite import NodeType, ScopedValue, ValueType


def test_values():
    make = ScopedValue.create_variable_value
    printed = {2: "2", "a": "a", None: "None", True: "True", 1.5: "1.5"}
    assert {value: str(make(value)) for value in printed} == printed
    assert str(make(str)) == "CustomObj: <class 'str'>"
    assert (make((1, 2)).type, make([1]).type) == (ValueType.TupleValue, ValueType.ListValue)
    assert make({"a": 1}).value == {make("a"): make(1)}
    assert str(make((1, 2))) == "Illegal ValueType: ValueType.TupleValue"
    assert make(1) == make(1) != make(2)


def test_names():
    assert (
        str(ScopedValue.create_name_values(names=["z", "z_1"], scopes=["self", "self"]))
        == "[self.z, self.z_1]"
    )
    assert str(ScopedValue.create_name_values(("a",))) == "[a]"
    assert ScopedValue.create_naming_value("a", "self").type is ms.ValueType.NamingValue
    assert NodeType.CallCell.value == 1


def test_what_must_fail():
    with pytest.raises(TypeError, match="arg_type"):
        ScopedValue(0)
    for wrong in ((3,), ("a", 3)):
        with pytest.raises(TypeError, match="must be of type str"):
            ScopedValue.create_naming_value(*wrong)
    with pytest.raises(TypeError, match="names"):
        ScopedValue.create_name_values("ab")
    with pytest.raises(ValueError, match="same length"):
        ScopedValue.create_name_values(["a"], ["b", "c"])
