"""Optimizers and Parameter groups for the algorithms of `boost`."""

from collections.abc import Sequence
from typing import Any

from msjax import log
from msjax.boost.less_batch_normalization import CommonHeadLastFN
from msjax.core.tensor.parameter import Parameter
from msjax.nn.cell.cell import Cell
from msjax.nn.convolution.conv import Conv2d
from msjax.nn.optim.lars import LARS


class Rebuilt:
    """Constructor arguments of an optimizer, to build it again for other Parameters.

    Args:
        opt (Cell): the optimizer, or LARS around one.
    """

    def __init__(self, opt: Any) -> None:
        self.is_lars = isinstance(opt, LARS)
        self.single_opt = opt.opt if isinstance(opt, LARS) else opt
        self.lars_init_args = (
            {k: v for k, v in opt.init_args.items() if k != "optimizer"} if self.is_lars else {}
        )
        self.opt_class: Any = type(self.single_opt)
        self.opt_init_args = self.single_opt.init_args
        self.learning_rate = self.single_opt.init_learning_rate
        if self.learning_rate is None:
            self.learning_rate = self.single_opt.learning_rate

    def rebuild(self, params: Any, learning_rate: Any = None) -> Any:
        """Return the same optimizer for other Parameters, at this learning rate or its own."""
        rate = self.learning_rate if learning_rate is None else learning_rate
        opt = self.opt_class(params=params, learning_rate=rate, **self.opt_init_args)
        return LARS(opt, **self.lars_init_args) if self.is_lars else opt


class OptimizerProcess:
    """Rebuilds an optimizer with gradient centralization for the Parameters that it applies to.

    Args:
        opt (Cell): the optimizer.

    Examples:
        >>> from msjax import boost, nn
        >>> net = nn.Dense(2, 3)
        >>> process = boost.OptimizerProcess(nn.SGD([{"params": net.trainable_params()}], learning_rate=0.5))
        >>> process.add_grad_centralization(net)
        >>> [(len(g["params"]), g.get("grad_centralization", False)) for g in process.origin_params]
        [(1, True), (1, False)]
        >>> type(process.generate_new_optimizer()).__name__
        'SGD'
    """

    def __init__(self, opt: Any) -> None:
        self._rebuilt = Rebuilt(opt)
        self.is_lars = self._rebuilt.is_lars
        self.single_opt = self._rebuilt.single_opt
        self.opt_class = self._rebuilt.opt_class
        self.opt_init_args = self._rebuilt.opt_init_args
        self.learning_rate = self._rebuilt.learning_rate
        self.origin_params = opt.init_params["params"]

    @staticmethod
    def build_params_dict(network: Cell) -> dict[int, Cell]:
        """Map the id of each Parameter to the Cell that holds it."""
        return {
            id(p): cell for _, cell in network.cells_and_names() for p in cell.get_parameters(expand=False)
        }

    @staticmethod
    def build_gc_params_group(params_dict: dict[int, Cell], parameters: Sequence[dict]) -> list[dict]:
        """Split every group in two: weights whose gradients are centralized, and the others.

        Args:
            params_dict (dict): what :meth:`build_params_dict` gives.
            parameters (list[dict]): groups of Parameters.
        """
        made: list[dict] = []
        for group in parameters:
            if "order_params" in group:
                made.append(group)
                continue
            suited = [p for p in group["params"] if _suits(p, params_dict)]
            others = [p for p in group["params"] if not _suits(p, params_dict)]
            if suited:
                made.append({**group, "params": suited, "grad_centralization": True})
            if others:
                made.append({**group, "params": others})
        return made

    def add_grad_centralization(self, network: Cell) -> None:
        """Divide the optimizer's groups with :meth:`build_gc_params_group`; Parameters without groups stay.

        Args:
            network (Cell): the network that holds the Parameters.

        Raises:
            ValueError: if the optimizer has none.
            TypeError: if it has anything else.
        """
        parameters = _list_parameters(self.origin_params)
        if isinstance(parameters[0], Parameter):
            log.warning("Only groups of Parameters can have gradient centralization.")
            return
        self.origin_params = self.build_gc_params_group(self.build_params_dict(network), parameters)

    def generate_new_optimizer(self) -> Any:
        """Return the rebuilt optimizer."""
        return self._rebuilt.rebuild(self.origin_params)


class ParameterProcess:
    """Makes groups of Parameters as an optimizer takes them, and marks where gradients of several processes are joined.

    Examples:
        >>> from msjax import boost, nn
        >>> net = nn.Dense(2, 3)
        >>> weight, bias = net.trainable_params()
        >>> groups = boost.ParameterProcess.generate_group_params([bias], [{"params": [weight, bias], "lr": 0.1}])
        >>> [[p.name for p in group["params"]] for group in groups], groups[0]["lr"]
        ([['bias']], 0.1)
    """

    def __init__(self) -> None:
        self._parameter_indices = 1

    @staticmethod
    def generate_group_params(parameters: Sequence[Parameter], origin_params: Any) -> list[dict]:
        """Groups of these Parameters with the settings that they have in an optimizer.

        Args:
            parameters (list[Parameter]): the Parameters.
            origin_params (list): the optimizer's, Parameters or groups. Parameters that are in no group get the settings
                of the group with most of them.

        Raises:
            ValueError: if there are none.
            TypeError: if they are anything else.
        """
        groups = _list_parameters(origin_params)
        if isinstance(groups[0], Parameter):
            return [{"params": parameters}]
        made, rest, richest = [], {p.name: p for p in parameters}, {}
        own = dict(rest)
        for group in groups:
            if "order_params" in group:
                made.append({**group, "order_params": parameters})
                continue
            made.append({**group, "params": [own[p.name] for p in group["params"] if p.name in own]})
            for p in group["params"]:
                rest.pop(p.name, None)
            richest = group if len(group) > len(richest) else richest
        return [*made, {**richest, "params": list(rest.values())}] if rest else made

    def assign_parameter_group(self, parameters: Any, split_point: Sequence[int] | None = None) -> Any:
        """Assign `comm_fusion` numbers to the Parameters: groups whose gradients are summed together over processes.

        Args:
            parameters (list[Parameter]): the Parameters.
            split_point (list[int], None): where a new group begins. Default: in the middle.
        """
        if not isinstance(parameters, list | tuple) or not parameters:
            return parameters
        for i, parameter in enumerate(parameters):
            if i in (split_point or [len(parameters) // 2]):
                self._parameter_indices += 1
            parameter.comm_fusion = self._parameter_indices
        return parameters


def _suits(parameter: Parameter, params_dict: dict[int, Cell]) -> bool:
    """Return True if gradient centralization applies: to weights of full convolutions and dense layers."""
    if any(word in parameter.name for word in ("beta", "gamma", "bias")):
        return False
    cell = params_dict[id(parameter)]
    return not (isinstance(cell, CommonHeadLastFN) or (isinstance(cell, Conv2d) and cell.group > 1))


def _list_parameters(given: Any) -> list:
    """Return the Parameters or groups of an optimizer, as a list of at least one."""
    listed = list(given or ())
    if not listed:
        raise ValueError("`boost`: the optimizer has an empty list of Parameters. Give it some.")
    if not isinstance(listed[0], dict | Parameter):
        raise TypeError(
            f"`boost`: the optimizer's `params` must hold Parameters or dicts. Received: {type(listed[0]).__name__}."
        )
    return listed
