"""`torch.distributed.tensor.parallel`: layers of whose Parameters each process has a part, and computes with it alone.

A layer is called with what its process has, as a Tensor or a DTensor, and returns the same. What is gathered, added or cut
on the way is a change of placements (`parts.py`).
"""

import contextlib
import fnmatch
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msjax.core.autodiff.imperative import no_grad
from msjax.torch.data_parallel import broadcast_each
from msjax.torch.distributed.device_mesh import DeviceMesh
from msjax.torch.distributed.dtensor import DTensor
from msjax.torch.distributed.loss_parallel import loss_parallel as loss_parallel
from msjax.torch.distributed.parts import DividedParameter, Division, cut_part, use_in_parts
from msjax.torch.distributed.placements import Partial, Placement, Replicate, Shard
from msjax.torch.nn import functional as F
from msjax.torch.nn.layers import Embedding, LayerNorm, Linear
from msjax.torch.nn.module import Module, Parameter
from msjax.torch.tensors.tensor import Tensor, as_torch


class PartParameter(DividedParameter):
    """This process's part of a Parameter of a parallel layer.

    Attributes:
        division: who has which.
        device_mesh, placements: the same, in PyTorch's words.
    """

    division: Division
    device_mesh: Any = None
    placements: tuple[Placement, ...] = ()

    def cut(self, whole: Any) -> Any:
        """This process's part of a tensor that has all."""
        return self.division.cut(whole)

    def whole_of(self, part: Any) -> Any:
        """All of what has such parts: every process must call it."""
        return self.division.whole_of(part)

    def offsets(self) -> tuple[int, ...]:
        """Return the index at which this process's part begins, along each dimension."""
        return self.division.offsets()


class ParallelStyle:
    """Base class of the ways in which `parallelize_module` divides a module.

    Attributes:
        src_data_rank: 0, if all take the Parameters of the first process; None, if each takes its own.
    """

    src_data_rank: int | None = 0

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        raise NotImplementedError(f"`{type(self).__name__}` must say how it divides a module.")

    def __repr__(self) -> str:
        told = ", ".join(f"{k}={v}" for k, v in vars(self).items() if k != "src_data_rank" and k[0] != "_")
        return f"{type(self).__name__}({told})"

    def _taken(self, parameter: Any, mesh: DeviceMesh) -> Tensor:
        whole, ranks = parameter.detach(), _ranks(mesh)
        if self.src_data_rank == 0 and len(ranks) > 1:
            with no_grad():
                whole = as_torch(broadcast_each([whole], ranks, ranks[0])[0])
        return whole

    def _divide(self, module: Module, name: str, axis: int | None, mesh: DeviceMesh) -> None:
        """Replace a Parameter by this process's part along an axis, or by the first process's."""
        parameter = getattr(module, name)
        if parameter is None:
            return
        if isinstance(parameter, DividedParameter):
            raise NotImplementedError(
                f"`parallelize_module`: `{name}` of {module} is in parts already. Call it before `fully_shard`, and once."
            )
        whole = self._taken(parameter, mesh)
        if axis is None:
            module.register_parameter(name, Parameter(whole, parameter.requires_grad))
            return
        division = Division(_ranks(mesh), axis, tuple(whole.shape))
        part = PartParameter(division.cut(whole).clone(), parameter.requires_grad)
        part.division, part.whole_shape, part.groups = division, division.whole_shape, (division.ranks,)
        part.device_mesh, part.placements = mesh, (Shard(axis),)
        module.register_parameter(name, part)


class ColwiseParallel(ParallelStyle):
    """Divide a Linear by its outputs, or an Embedding by the lengths of its rows. Nothing is sent on the way.

    Args:
        input_layouts: what the processes have of the input. Default: all of it.
        output_layouts: what they get of the output. Default: parts along the last dimension.
        use_local_output: whether they get it as a Tensor, not a DTensor.

    Raises:
        NotImplementedError: for another layer, or sizes that the processes do not divide.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        self.input_layouts, self.output_layouts = (
            (input_layouts or Replicate(),),
            (output_layouts or Shard(-1),),
        )
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        kind = _layer(self, module)
        self._divide(module, "weight", 0 if kind is Linear else 1, device_mesh)
        if kind is Linear:
            self._divide(module, "bias", 0, device_mesh)

        def forward(layer: Any, compute: Callable, input: Any) -> Any:
            given = _change_layout(input, device_mesh, self.input_layouts, (Replicate(),))
            whole = given.to_local(grad_placements=(Partial(),)) if kind is Linear else given.to_local()
            return _wrap_result(self, compute(whole), device_mesh, (Shard(-1),))

        return _with_forward(module, forward)


class RowwiseParallel(ParallelStyle):
    """Divide a Linear by its inputs, or an Embedding by its rows: what the processes compute is added.

    Args:
        input_layouts: what they have of the input. Default: parts along the last dimension.
        output_layouts: what they get of the output. Default: all of it.
        use_local_output: whether they get it as a Tensor, not a DTensor.

    Raises:
        NotImplementedError: for another layer, or sizes that the processes do not divide.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        self.input_layouts, self.output_layouts = (
            (input_layouts or Shard(-1),),
            (output_layouts or Replicate(),),
        )
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        kind = _layer(self, module)
        if kind is Linear:
            self._divide(module, "weight", 1, device_mesh)
            self._divide(module, "bias", None, device_mesh)
        else:
            self._divide(module, "weight", 0, device_mesh)

        def linear(layer: Any, compute: Callable, input: Any) -> Any:
            part = _change_layout(input, device_mesh, self.input_layouts, (Shard(-1),)).to_local()
            terms = _of_local(F.linear(part, layer.weight), device_mesh, (Partial(),))
            moved = terms.redistribute(placements=self.output_layouts)
            if layer.bias is None:
                return moved.to_local() if self.use_local_output else moved
            local = moved.to_local() + _bias(layer.bias, moved)
            return local if self.use_local_output else _of_local(local, device_mesh, moved.placements)

        def embedding(layer: Any, compute: Callable, input: Any) -> Any:
            positions = _change_layout(input, device_mesh, self.input_layouts, (Replicate(),)).to_local()
            count = layer.weight.shape[0]
            first = layer.num_embeddings // device_mesh.size() * device_mesh.get_local_rank()
            here = (positions >= first) & (positions < first + count)
            pad = layer.padding_idx
            pad = pad - first if pad is not None and first <= pad < first + count else None
            rows = F.embedding((positions - first).where(here, 0), layer.weight, pad)
            return _wrap_result(self, rows.where(here[..., None], 0.0), device_mesh, (Partial(),))

        return _with_forward(module, linear if kind is Linear else embedding)


class SequenceParallel(ParallelStyle):
    """Compute a module, whose Parameters all processes have, of parts of a sequence; each element by itself.

    Args:
        sequence_dim: along which the input is cut.
        use_local_output: whether the processes get their part as a Tensor, not a DTensor.

    Raises:
        NotImplementedError: for a LayerNorm that goes over the sequence.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_sharding, self.use_local_output = (Shard(sequence_dim),), use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        ranks = _ranks(device_mesh)

        def forward(layer: Any, compute: Callable, input: Any, *args: Any, **named: Any) -> Any:
            if not isinstance(input, Tensor | DTensor):
                raise ValueError(
                    f"expecting input of {layer} to be a torch.Tensor or DTensor, but got {input}"
                )
            part = _change_layout(
                input, device_mesh, self.sequence_sharding, self.sequence_sharding
            ).to_local()
            along = self.sequence_sharding[0].dim % part.ndim
            if isinstance(layer, LayerNorm) and along >= part.ndim - len(layer.normalized_shape):
                raise NotImplementedError(
                    f"`SequenceParallel`: dimension {along} is cut, and {layer} goes over it. Received: {tuple(part.shape)}."
                )
            with _parameters_in_parts(layer, ranks):
                output = compute(part, *args, **named)
            return _wrap_result(self, output, device_mesh, self.sequence_sharding, self.sequence_sharding)

        return _with_forward(module, forward)


class PrepareModuleInput(ParallelStyle):
    """Change what processes have of a module's inputs before it is called.

    Args:
        input_layouts: what they have of each; None for what stays. Default: all stay.
        desired_input_layouts: what they are to have.
        input_kwarg_layouts, desired_input_kwarg_layouts: the same for arguments with names.
        use_local_output: whether the module gets Tensors, not DTensors.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | tuple[Placement | None, ...] | None = None,
        desired_input_layouts: Placement | tuple[Placement | None, ...] | None = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ) -> None:
        self.input_layouts, self.desired_input_layouts = _each(input_layouts), _each(desired_input_layouts)
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        if len(self.input_kwarg_layouts) != len(self.desired_input_kwarg_layouts):
            raise AssertionError(
                "input_kwarg_layouts and desired_input_kwarg_layouts should have same length!"
            )

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        def forward(layer: Any, compute: Callable, *args: Any, **named: Any) -> Any:
            if self.input_layouts is not None:
                if len(args) != len(self.input_layouts):
                    raise ValueError("module inputs and input_layouts should have same length!")
                wanted = self.desired_input_layouts or ()
                args = tuple(
                    self._changed(*each, device_mesh)
                    for each in zip(args, self.input_layouts, wanted, strict=True)
                )
            for name, layout in self.input_kwarg_layouts.items():
                if name in named:
                    wanted_here = self.desired_input_kwarg_layouts.get(name)
                    named[name] = self._changed(named[name], layout, wanted_here, device_mesh)
            return compute(*args, **named)

        return _with_forward(module, forward)

    def _changed(self, value: Any, layout: Any, wanted: Any, mesh: DeviceMesh) -> Any:
        if layout is None:
            return value
        if not isinstance(value, Tensor | DTensor):
            raise AssertionError("expecting input to be a torch.Tensor!")
        moved = _change_layout(value, mesh, (layout,), (wanted or layout,))
        return moved.to_local() if self.use_local_output else moved


class PrepareModuleOutput(ParallelStyle):
    """Change what processes have of a module's outputs.

    Args:
        output_layouts: what they have of each; None for what stays.
        desired_output_layouts: what they are to have.
        use_local_output: whether they get Tensors, not DTensors.
    """

    def __init__(
        self,
        *,
        output_layouts: Placement | tuple[Placement | None, ...],
        desired_output_layouts: Placement | tuple[Placement | None, ...],
        use_local_output: bool = True,
    ) -> None:
        self.output_layouts, self.desired_output_layouts = (
            _each(output_layouts) or (),
            _each(desired_output_layouts) or (),
        )
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        def forward(layer: Any, compute: Callable, *args: Any, **named: Any) -> Any:
            outputs = compute(*args, **named)
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            if len(several) != len(self.output_layouts):
                raise ValueError("module outputs and output_layouts should have same length!")
            changed = []
            for value, layout, wanted in zip(
                several, self.output_layouts, self.desired_output_layouts, strict=True
            ):
                if layout is not None:
                    value = _change_layout(value, device_mesh, (layout,), (wanted or layout,))
                    value = value.to_local() if self.use_local_output else value
                changed.append(value)
            return tuple(changed) if isinstance(outputs, tuple) else changed[0]

        return _with_forward(module, forward)


class PrepareModuleInputOutput(ParallelStyle):
    """`PrepareModuleInput` and `PrepareModuleOutput` in one.

    Args:
        input_layouts, desired_input_layouts, input_kwarg_layouts, desired_input_kwarg_layouts: of the first.
        use_local_input: whether the module gets Tensors, not DTensors.
        output_layouts, desired_output_layouts, use_local_output: of the second.
    """

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None, input_kwarg_layouts: Any = None,
        desired_input_kwarg_layouts: Any = None, use_local_input: bool = False, output_layouts: Any,
        desired_output_layouts: Any, use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts,
            desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        self.prepare_module_input._apply(module, device_mesh)
        return self.prepare_module_output._apply(module, device_mesh)


def parallelize_module(
    module: Any,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | Mapping[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> Any:
    """Divide the layers of a module over the processes of a mesh, in place. Make the optimizer afterwards.

    Args:
        module: the module.
        device_mesh: the processes, in one dimension.
        parallelize_plan: a style for the module, or styles by the paths of its parts, in which `*` stands for any name.
        src_data_rank: 0, if all take the Parameters of the first process; None, if each takes its own.

    Returns:
        The module.

    Raises:
        ValueError: without a mesh of one dimension.
        TypeError: for another plan.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.distributed.device_mesh import init_device_mesh
        >>> from msjax.torch.distributed.tensor_parallel import ColwiseParallel, RowwiseParallel, parallelize_module
        >>> torch.distributed.init_process_group("gloo", init_method="tcp://localhost:1", world_size=1, rank=0)
        >>> net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        >>> net = parallelize_module(net, init_device_mesh("cpu", (1,)), {"0": ColwiseParallel(), "2": RowwiseParallel()})
        >>> net(torch.ones(3, 2)).shape, net[0].weight.placements, net[0].weight.full_tensor().shape
        (torch.Size([3, 1]), (Shard(dim=0),), torch.Size([4, 2]))
        >>> torch.distributed.destroy_process_group()
    """
    fn = "parallelize_module"
    if not isinstance(device_mesh, DeviceMesh) or device_mesh.ndim != 1:
        raise ValueError(
            f"`{fn}`: argument `device_mesh` must be a DeviceMesh of one dimension. Received: {device_mesh}."
        )
    if src_data_rank not in (0, None):
        raise NotImplementedError(
            f"`{fn}`: argument `src_data_rank` must be 0 or None. Received: {src_data_rank}."
        )
    if parallelize_plan is None:
        warnings.warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this parallelize_module "
            "call will do nothing.",
            stacklevel=2,
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, device_mesh)
    if not isinstance(parallelize_plan, Mapping):
        raise TypeError(
            f"Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, {type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        token, _, rest = path.partition(".")
        children = [child for name, child in module.named_children() if fnmatch.fnmatch(name, token)]
        if path == "":
            children = [module]
        elif not children:
            warnings.warn(
                f"Parallelize plan key '{path}' could not be resolved: no submodule matching token '{token}' in module "
                f"{module}, skipping this plan entry.",
                stacklevel=2,
            )
        for child in children:
            parallelize_module(
                child, device_mesh, {rest: style} if rest else style, src_data_rank=src_data_rank
            )
    return module


def _ranks(mesh: DeviceMesh) -> tuple[int, ...]:
    return tuple(mesh.mesh.reshape(-1).tolist())


def _each(given: Any) -> tuple[Any, ...] | None:
    return (given,) if isinstance(given, Placement) else given


def _layer(style: ParallelStyle, module: Module) -> type:
    """Linear or Embedding, whichever computes the module.

    Raises:
        NotImplementedError: if neither does, or an Embedding changes its rows.
    """
    for kind in (Linear, Embedding):
        if isinstance(module, kind) and type(module).forward is kind.forward:
            if kind is Embedding and (module._options[0] is not None or module._options[2]):  # type: ignore[index]
                break
            return kind
    raise NotImplementedError(
        f"{type(style).__name__} currently only support nn.Linear and nn.Embedding! They must compute as these do, without "
        f"`max_norm` and `scale_grad_by_freq`. Received: {module}."
    )


def _with_forward(module: Module, forward: Callable) -> Module:
    """Let a module compute by a function of itself, how it did so before, and what it is called with."""
    cls: Any = type(module)

    def call(self: Any, *args: Any, **named: Any) -> Any:
        return forward(self, lambda *args, **named: cls.forward(self, *args, **named), *args, **named)

    module.__class__ = type(cls.__name__, (cls,), {"__module__": cls.__module__, "forward": call})
    return module


def _of_local(local: Tensor, mesh: DeviceMesh, placements: tuple[Placement, ...]) -> DTensor:
    return DTensor.from_local(local, mesh, placements)


def _change_layout(
    value: Any, mesh: DeviceMesh, layouts: tuple[Placement, ...], wanted: tuple[Placement, ...]
) -> DTensor:
    """Return a value in another layout; one that is no DTensor has the layout `layouts`."""
    given = value if isinstance(value, DTensor) else _of_local(value, mesh, layouts)
    return given.redistribute(placements=wanted)


def _wrap_result(
    style: Any,
    local: Any,
    mesh: DeviceMesh,
    placements: tuple[Placement, ...],
    wanted: tuple[Placement, ...] | None = None,
) -> Any:
    moved = _change_layout(local, mesh, placements, wanted or style.output_layouts)
    return moved.to_local() if style.use_local_output else moved


def _bias(bias: Any, output: DTensor) -> Any:
    """Return the part of a bias that is added to this process's part of an output."""
    placement, ranks = output.placements[0], _ranks(output.device_mesh)
    if isinstance(placement, Replicate):
        return bias
    if placement == Shard(output.ndim - 1):
        return as_torch(cut_part(bias, ranks, 0))
    if isinstance(placement, Partial):
        raise NotImplementedError("`RowwiseParallel`: an output with a bias must not be Partial.")
    return as_torch(use_in_parts(bias, ranks))


@contextlib.contextmanager
def _parameters_in_parts(module: Module, ranks: tuple[int, ...]) -> Iterator[None]:
    """Let Parameters get the sum of the gradients that processes compute from their parts of an input."""
    own = [
        (each, name, parameter)
        for each in module.modules()
        for name, parameter in each._parameters.items()
        if parameter is not None
    ]
    try:
        for each, name, parameter in own:
            each._parameters[name] = as_torch(use_in_parts(parameter, ranks))
        yield
    finally:
        for each, name, parameter in own:
            each._parameters[name] = parameter
