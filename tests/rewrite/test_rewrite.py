"""Values in the source of a network; printed forms are those of MindSpore 2.10."""

import importlib

import pytest

import msjax as ms
from msjax import nn
from msjax.rewrite import NodeType, ScopedValue, SymbolTree, ValueType


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


class _Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2)

    def construct(self, x):
        return self.dense(x)


class _Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = _Inner()

    def construct(self, x):
        return self.inner(x)


def test_classes_that_libraries_leave_whole():
    """Golden Stick appends its quantized Cells to MindSpore's list, so that their source is not read."""
    with ms.install_as("mindspore"):
        namespace = importlib.import_module("mindspore.rewrite.common.namespace")
    whole = namespace._subtree_black_list
    assert whole[:2] == [nn.CellList, nn.SequentialCell]
    for appended, kind in (([], NodeType.Tree), ([_Inner], NodeType.CallCell)):
        whole += appended
        try:
            kinds = [node.get_node_type() for node in SymbolTree.create(_Outer()).nodes()]
            assert namespace.is_subtree(_Inner()) is (not appended)
        finally:
            del whole[2:]
        assert kinds == [NodeType.Input, kind, NodeType.Output]
