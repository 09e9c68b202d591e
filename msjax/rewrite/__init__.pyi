from msjax.rewrite.scoped_value import NodeType as NodeType
from msjax.rewrite.scoped_value import ScopedValue as ScopedValue
from msjax.rewrite.scoped_value import ValueType as ValueType
