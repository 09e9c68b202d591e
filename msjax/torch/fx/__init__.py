"""`torch.fx`: tracing, running and changing graphs by nodes. Patterns and passes are not there. Names only."""

from functools import partial as _partial

from msjax.public_api import torch_api as _torch_api
from msjax.torch.fx.graph import Graph as Graph
from msjax.torch.fx.graph import Node as Node
from msjax.torch.fx.graph import map_arg as map_arg
from msjax.torch.fx.running import GraphModule as GraphModule
from msjax.torch.fx.running import Interpreter as Interpreter
from msjax.torch.fx.tracing import Proxy as Proxy
from msjax.torch.fx.tracing import Tracer as Tracer
from msjax.torch.fx.tracing import Transformer as Transformer
from msjax.torch.fx.tracing import symbolic_trace as symbolic_trace
from msjax.torch.fx.tracing import wrap as wrap

__getattr__ = _partial(_torch_api.lookup, "torch.fx")
