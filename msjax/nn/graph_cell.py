"""MindIR files as Cells, which msjax has not."""

from typing import Any

from msjax.nn.cell import Cell


class GraphCell(Cell):
    """A graph that `mindspore.load` read from a MindIR file. msjax reads none, so there is no graph to give it.

    Args:
        graph (FuncGraph): the graph.
        params_init (dict): starting values of its Parameters.
        obf_random_seed (int): of obfuscated graphs.

    Inputs:
        - **inputs** (tuple[Tensor]) - for the graph.

    Raises:
        NotImplementedError: if `obf_random_seed` is given.
        TypeError: because `graph` is none.

    Examples:
        >>> import msjax as ms
        >>> try:
        ...     ms.nn.GraphCell("net.mindir")
        ... except TypeError as error:
        ...     print(type(error).__name__)
        TypeError
    """

    def __init__(self, graph: Any, params_init: Any = None, obf_random_seed: int | None = None) -> None:
        super().__init__()
        if obf_random_seed is not None:
            raise NotImplementedError(
                "`GraphCell`: obfuscated graphs are not supported; leave `obf_random_seed` out."
            )
        raise TypeError(
            "`GraphCell`: argument `graph` must be a FuncGraph loaded from a MindIR file, which msjax does not read: make "
            f"the network in Python, and load its checkpoint with `load_checkpoint`. Received: {graph!r}."
        )
