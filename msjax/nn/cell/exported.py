"""`GraphCell`: an exported network as a Cell."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.cell.stablehlo import FuncGraph


class GraphCell(Cell):
    """A network that `mindspore.export` wrote and `mindspore.load` read, with its Parameters.

    It computes what the network computed when it was exported, train mode included, and can be differentiated once if the
    network could. Those who make several of one graph share its Parameters.

    Args:
        graph (FuncGraph): what `load` returned.
        params_init (dict): values for Parameters by name; names that the graph does not have are left out. Default: None.
        obf_random_seed (Union[int, None]): of obfuscated graphs, which there are none of here. Default: None.

    Inputs:
        - **inputs** (tuple[Tensor]) - of the dtypes and shapes that the network was exported with.

    Outputs:
        As those of the network.

    Raises:
        NotImplementedError: if `obf_random_seed` is given.
        TypeError: if `graph` does not come from `load`, or `params_init` is not a dict from str to Tensor.
        ValueError: if a value in `params_init` has another shape or dtype than its Parameter.
        RuntimeError: when it is called, if the inputs do not fit.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "net.mindir")
        ...     ms.export(net, ms.ops.ones((1, 2)), file_name=path, file_format="MINDIR")
        ...     loaded = ms.nn.GraphCell(ms.load(path), {"bias": ms.Tensor([3.0])})
        >>> print(loaded(ms.ops.ones((1, 2))), [p.name for p in loaded.get_parameters()])
        [[5.]] ['weight', 'bias']
    """

    def __init__(self, graph: Any, params_init: Any = None, obf_random_seed: int | None = None) -> None:
        super().__init__()
        if obf_random_seed is not None:
            raise NotImplementedError(
                "`GraphCell`: obfuscated graphs are not supported; leave `obf_random_seed` out."
            )
        if not isinstance(graph, FuncGraph):
            raise TypeError(
                "`GraphCell`: argument `graph` must be what `mindspore.load` returned of a file that `mindspore.export` "
                f"wrote. Received: {graph!r}."
            )
        if params_init is not None and not isinstance(params_init, dict):
            raise TypeError(f"`GraphCell`: argument `params_init` must be a dict. Received: {params_init!r}.")
        self.graph = graph
        for name, parameter in graph.parameters().items():
            self._params[name] = parameter
        for name, value in (params_init or {}).items():
            self._start(name, value)

    def _start(self, name: Any, value: Any) -> None:
        if not isinstance(name, str) or not isinstance(value, Tensor):
            raise TypeError(
                "`GraphCell`: argument `params_init` must be a dict from str to Tensor or Parameter. "
                f"Received: {name!r}: {value!r}."
            )
        parameter = self._params.get(name)
        if parameter is None:
            return
        if parameter.shape != value.shape or parameter.dtype != value.dtype:
            raise ValueError(
                f"`GraphCell`: the value of {name!r} in `params_init` must be of shape {parameter.shape} and dtype "
                f"{parameter.dtype}. Received: {value.shape}, {value.dtype}."
            )
        parameter.set_data(value)

    def construct(self, *inputs: Any) -> Any:
        """Run the graph."""
        return self.graph(*inputs)
