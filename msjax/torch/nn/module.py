"""Module and Parameter: the base classes of neural networks."""

from collections.abc import Callable, Iterator
from typing import Any, Self

from msjax.core import dtype as dtypes
from msjax.core.autodiff.hooks import Handle, register, with_backward_hooks
from msjax.core.autodiff.imperative import no_grad
from msjax.core.autograph.conversion import convert_callback
from msjax.core.state import invalidate_guards, state
from msjax.core.tensor.interchange import note_alias, part_from_aliases
from msjax.core.tensor.tensor import alias, mark_leaf, resolve
from msjax.core.trace.stateful import Stateful
from msjax.torch.functions.basic import empty
from msjax.torch.functions.finfo_and_modes import compile as torch_compile
from msjax.torch.nn import hooks_of_all
from msjax.torch.nn.state_dicts import StateDicts
from msjax.torch.tensors.creation import empty_like, read_destination
from msjax.torch.tensors.devices import as_device, device_in, wants_meta
from msjax.torch.tensors.tensor import Tensor, as_torch
from msjax.torch.tensors.torch_function import handle_nothing


class Parameter(Tensor):
    """Parameter: a tensor that belongs to a module and records.

    Args:
        data: the tensor whose values it takes.
        requires_grad: whether it records.
    """

    __slots__ = ()
    __torch_function__ = handle_nothing  # type: ignore[assignment]

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        """Return the same memory under this class; an empty tensor for None."""
        given: Any = empty(0) if data is None else data
        given = given.to_local() if hasattr(given, "placements") else given  # a DTensor's part
        if requires_grad and not (given.is_floating_point() or given.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        detached = given.detach()
        made = alias(detached, None, detached=True) if resolve(given)._view is not None else detached
        made.__class__ = cls
        made._view = None
        if requires_grad:
            mark_leaf(made)
        return made  # type: ignore[return-value]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @property
    def data(self) -> Any:
        """The same values off the tape, sharing memory until `data` is set."""
        return note_alias(self, super().data)

    @data.setter
    def data(self, value: Any) -> None:
        # What shared memory with it keeps its values, as `backup = p.data; p.data = average` means it.
        part_from_aliases(self)
        self.set_data(value)

    def detach(self) -> Any:
        """Return the same values off the tape, sharing memory until `data` is set."""
        return note_alias(self, super().detach())

    def __deepcopy__(self, memo: dict) -> "Parameter":
        made = memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return made

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    __str__ = __repr__


class Buffer(Tensor):
    """Buffer: a tensor that becomes a buffer of the module that it is assigned to.

    Args:
        data: the tensor whose values it takes.
        persistent: whether it belongs to the state dict.
    """

    __slots__ = ()
    __torch_function__ = handle_nothing  # type: ignore[assignment]

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Self:
        """Return the same memory under this class."""
        made = (Tensor() if data is None else data).detach()
        made.__class__ = cls
        made.__dict__["persistent"] = persistent
        return made  # type: ignore[return-value]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass


# Names in these are attributes of the module (`Module.__getattr__`).
_TABLES = ("_parameters", "_buffers", "_modules")


class Module(Stateful, StateDicts):
    """A function with Parameters: subclass, assign Parameters and Modules to attributes, define `forward`."""

    _forward_name = "forward"
    training = True

    _parameters: dict[str, Any]
    _modules: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init__(self) -> None:
        self.__dict__.update(_parameters={}, _modules={}, _buffers={}, _non_persistent_buffers_set=set())
        self._forward_pre_hooks: dict[int, Callable] = {}
        self._forward_hooks: dict[int, Callable] = {}
        self._backward_pre_hooks: dict[int, Callable] = {}
        self._backward_hooks: dict[int, Callable] = {}

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __getattr__(self, name: str) -> Any:
        # Tensors and modules are in the tables alone: programs write to `module._parameters`, too.
        for table in _TABLES:
            found = self.__dict__.get(table)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        parameters, buffers, modules = map(self.__dict__.get, _TABLES)
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            self._check_none(name, value, "parameter", "torch.nn.Parameter")
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            modules[name] = hooks_of_all.registered("Module", self, name, value)
        elif modules is not None and name in modules:
            self._check_none(name, value, "child module", "torch.nn.Module")
            modules[name] = None
        elif isinstance(value, Buffer):
            self._forget(name, "_buffers")
            self.register_buffer(name, value, value.__dict__["persistent"])
        elif buffers is not None and name in buffers:
            if not isinstance(value, Tensor):
                self._check_none(name, value, "buffer", "torch.nn.Buffer, torch.Tensor")
            buffers[name] = hooks_of_all.registered("Tensor", self, name, value)
        else:
            super().__setattr__(name, value)

    def _forget(self, name: str, kept: str) -> None:
        """Remove a name from all tables but one, where it keeps its place."""
        for table in (self.__dict__, *[self.__dict__[each] for each in _TABLES if each != kept]):
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    @staticmethod
    def _check_none(name: str, value: Any, what: str, kind: str) -> None:
        if value is not None:
            raise TypeError(
                f"cannot assign '{type(value).__name__}' as {what} '{name}' ({kind} or None expected)"
            )

    def __delattr__(self, name: str) -> None:
        for table in map(self.__dict__.get, _TABLES):
            if table is not None and name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        every = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}
        return sorted(
            name for name in every if not name[:1].isdigit()
        )  # as PyTorch: no attribute is written so

    def register_parameter(self, name: str, param: Any) -> None:
        """Register a Parameter under a name, or None to reserve the name."""
        self._free(name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                kind = param.type() if isinstance(param, Tensor) else type(param).__name__
                raise TypeError(
                    f"cannot assign '{kind}' object to parameter '{name}' (torch.nn.Parameter or None required)"
                )
            param = hooks_of_all.registered("Parameter", self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Register a buffer: a tensor that is not a Parameter and, if it is persistent, belongs to the state dict."""
        self._free(name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor = hooks_of_all.registered("Tensor", self, name, tensor)
        transient = self._non_persistent_buffers_set
        (transient.discard if persistent else transient.add)(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Hold a module under a name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        if "." in name or not name:
            raise KeyError(f'module name can\'t be empty or contain ".", got: {name!r}')
        self._modules[name] = hooks_of_all.registered("Module", self, name, module)

    register_module = add_module

    def _free(self, name: str, table: dict) -> None:
        if "." in name or not name:
            raise KeyError(f'a name can\'t be empty or contain ".", got: {name!r}')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`, and the hooks around it."""
        if state.frame is not None:
            self._record_use()
        for hook in [*hooks_of_all.FORWARD_PRE.values(), *self._forward_pre_hooks.values()]:
            named = getattr(hook, "_with_kwargs", False)
            changed = hook(self, args, kwargs) if named else hook(self, args)
            if changed is not None and named:
                args, kwargs = changed
            elif changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        every = hooks_of_all.BACKWARD or hooks_of_all.BACKWARD_PRE
        if not self._backward_hooks and not self._backward_pre_hooks and not every:
            return as_torch(self._forward_and_hooks(args, kwargs))
        forward = lambda *given, **named: self._forward_and_hooks(as_torch(given), named)  # noqa: E731
        name = type(self).__name__
        return as_torch(with_backward_hooks(name, forward, args, kwargs, self._before, self._after))

    def _forward_and_hooks(self, args: tuple, kwargs: dict) -> Any:
        """Return what `forward` gives, and the hooks after it make of that."""
        after = [*hooks_of_all.FORWARD.values(), *self._forward_hooks.values()]
        out, called = None, 0
        try:
            out = convert_callback(self.forward)(*args, **kwargs)
            for hook in after:
                called += 1
                out = hooks_of_all.call(hook, self, args, kwargs, out)
        except Exception:
            for hook in [each for each in after[called:] if getattr(each, "_always", False)]:
                out = hooks_of_all.call_after_error(hook, self, args, kwargs, out)
            raise
        return out

    def _before(self, gradients: tuple) -> Any:
        for hook in [*hooks_of_all.BACKWARD_PRE.values(), *self._backward_pre_hooks.values()]:
            changed = hook(self, as_torch(gradients))
            gradients = (
                gradients if changed is None else changed if isinstance(changed, tuple) else (changed,)
            )
        return gradients

    def _after(self, inputs: tuple, outputs: tuple) -> Any:
        for hook in [*hooks_of_all.BACKWARD.values(), *self._backward_hooks.values()]:
            changed = hook(self, as_torch(inputs), as_torch(outputs))
            inputs = inputs if changed is None else changed if isinstance(changed, tuple) else (changed,)
        return inputs

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Register a hook called as `hook(module, args)` before `forward`; its result replaces the arguments.

        With `with_kwargs` it is `hook(module, args, kwargs)`, which returns both or None.
        """
        hook = hooks_of_all.marked(hook, with_kwargs)
        return _register_hook_at(
            self._forward_pre_hooks,
            register(self._forward_pre_hooks, hook, "register_forward_pre_hook"),
            prepend,
        )

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> Handle:
        """Register a hook called as `hook(module, args, output)` after `forward`; its result replaces the output.

        With `with_kwargs` it is `hook(module, args, kwargs, output)`. With `always_call` it is called with None as the
        output if `forward` raises, too.
        """
        hook = hooks_of_all.marked(hook, with_kwargs, always_call)
        return _register_hook_at(
            self._forward_hooks, register(self._forward_hooks, hook, "register_forward_hook"), prepend
        )

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> Handle:
        """Register a hook called as `hook(module, grad_output)` in the backward pass; its result replaces the gradients."""
        handle = register(self._backward_pre_hooks, hook, "register_full_backward_pre_hook")
        return _register_hook_at(self._backward_pre_hooks, handle, prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> Handle:
        """Register a hook called as `hook(module, grad_input, grad_output)`; its result replaces the inputs' gradients."""
        handle = register(self._backward_hooks, hook, "register_full_backward_hook")
        return _register_hook_at(self._backward_hooks, handle, prepend)

    def register_backward_hook(self, hook: Callable) -> Handle:
        """Call a hook as :meth:`register_full_backward_hook` does; `grad_input` is always that of the module's inputs."""
        return self.register_full_backward_hook(hook)

    def _flags(self) -> tuple[tuple[str, Any], ...]:
        hooks = (self._forward_pre_hooks, self._forward_hooks, self._backward_pre_hooks, self._backward_hooks)
        return (
            ("training", (bool, self.training)),
            ("hooks", tuple([tuple(table) for table in (*hooks, *hooks_of_all.CALLED)])),
            *[(name, (Parameter, p.requires_grad)) for name, p in self._parameters.items() if p is not None],
        )

    def _reachable(self) -> list[Any]:
        # The attributes themselves, as of any object of the user's: what is assigned in `forward` happens at each call.
        return [vars(self)]

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """This module and all inside it, each once, with their names."""
        memo = set() if memo is None else memo
        if id(self) in memo or self in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, below, remove_duplicate)

    def modules(self) -> Iterator["Module"]:
        """This module and all inside it."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """Yield the modules directly inside this one, with their names."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator["Module"]:
        """Yield the modules directly inside this one."""
        return (module for _, module in self.named_children())

    def get_submodule(self, target: str) -> "Module":
        """Return the module of a dotted name."""
        found = self
        for name in filter(None, target.split(".")):
            if name not in found._modules:
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = found._modules[name]
        return found

    def set_submodule(self, target: str, module: "Module", strict: bool = False) -> None:
        """Put a module in the place of a dotted name."""
        path, _, name = target.rpartition(".")
        if strict:
            self.get_submodule(target)
        setattr(self.get_submodule(path), name, module)

    def _get_name(self) -> str:
        return type(self).__name__

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Replace the Parameters and buffers by what a function makes of them."""
        with no_grad():
            for tensor in [*self.parameters(recurse), *self.buffers(recurse)]:
                tensor.data = fn(tensor.detach())
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Give Parameters and buffers of the device `meta` elements, zeros; on `meta`, take all of them away.

        Args:
            device: the name.
            recurse: whether those of the modules inside are included.
        """
        kind = as_device(device).type

        def move(tensor: Any) -> Any:
            return tensor if tensor.is_meta is (kind == "meta") else empty_like(tensor, device=kind)

        return self._apply(move, recurse)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile calls of this module; see `torch.compile`."""
        self.forward = torch_compile(self.forward, *args, **kwargs)  # type: ignore[method-assign]

    def share_memory(self) -> Self:
        """Refuse: processes share no memory.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "`Module.share_memory`: processes share no memory in msjax.torch, as JAX's arrays do not change. Without it "
            "each process has a copy of the module; send state_dict() through a queue to bring what it learnt back."
        )

    def get_parameter(self, target: str) -> Any:
        """Return the Parameter of a dotted name."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module._parameters:
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        return module._parameters[name]

    def _iterate_named(self, table: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        kept: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, tensor in getattr(module, table).items():
                if tensor is not None and id(tensor) not in kept:
                    if once:
                        kept.add(id(tensor))
                    yield f"{path}.{name}" if path else name, tensor

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All Parameters with their names, each once, or with `remove_duplicate=False` under each of its names."""
        return self._iterate_named("_parameters", prefix, recurse, remove_duplicate)

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their names, each once, or with `remove_duplicate=False` under each of its names."""
        return self._iterate_named("_buffers", prefix, recurse, remove_duplicate)

    def parameters_and_names(self) -> Iterator[tuple[str, Parameter]]:
        """Return the same as :meth:`named_parameters`, under MindSpore's name."""
        return self.named_parameters()

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All Parameters, each once."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def apply(self, fn: Callable[["Module"], Any]) -> Self:
        """Call `fn` with every module inside this one, and then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **named: Any) -> Self:
        """Floating Parameters and buffers in another dtype; of devices only `meta` makes a difference.

        Raises:
            TypeError: if the dtype is neither floating nor complex.
            NotImplementedError: if Parameters have no elements, and the device is not `meta`.
        """
        wanted, _ = read_destination(args, named)
        self._move(device_in(args, named))
        if wanted is None:
            return self
        if not (wanted.is_floating_point or wanted.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got {wanted}")
        for tensor in [*self.parameters(), *self.buffers()]:
            if tensor.is_floating_point():
                box = resolve(tensor)
                box._assign(resolve(tensor.detach().to(wanted))._value)
        return self

    def _move(self, place: Any) -> None:
        """Take the elements away if the device is `meta`; refuse others if there are none."""
        for tensor in [] if place is None else [*self.parameters(), *self.buffers()]:
            if tensor.is_meta is not wants_meta(place):
                if tensor.is_meta:
                    raise NotImplementedError(
                        "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                        "torch.nn.Module.to() when moving module from meta to a different device."
                    )
                tensor.data = tensor.detach().to(place)

    def float(self) -> Self:
        """Everything floating as float32."""
        return self.to(dtypes.float32)

    def double(self) -> Self:
        """Everything floating as float64."""
        return self.to(dtypes.float64)

    def half(self) -> Self:
        """Everything floating as float16."""
        return self.to(dtypes.float16)

    def bfloat16(self) -> Self:
        """Everything floating as bfloat16."""
        return self.to(dtypes.bfloat16)

    def cpu(self) -> Self:
        """This module: where arrays live is JAX's business."""
        return self.to("cpu")

    def extra_repr(self) -> str:
        """Return the text in the parentheses of the printed module."""
        return ""

    def __repr__(self) -> str:
        inside = [f"({name}): {module!r}".replace("\n", "\n  ") for name, module in self._modules.items()]
        extra = [line for line in self.extra_repr().split("\n") if line]
        if not inside and len(extra) < 2:
            return f"{type(self).__name__}({''.join(extra)})"
        lines = "\n  ".join([*extra, *inside])
        return f"{type(self).__name__}(\n  {lines}\n)"

    def train(self, mode: bool = True) -> "Module":
        """Set train mode of this module and all inside it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            module.training = mode
        invalidate_guards()
        return self

    def eval(self) -> "Module":
        """Leave train mode."""
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all Parameters, or set them to zero."""
        clear(self.parameters(), set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> "Module":
        """Set whether the Parameters record."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def get_buffer(self, target: str) -> Any:
        """Return the buffer of a dotted name."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return module._buffers[name]

    def type(self, dst_type: Any) -> Self:
        """Everything floating in another dtype."""
        return self.to(getattr(dst_type, "kind", dst_type))

    def cuda(self, device: Any = None) -> Self:
        """This module: where arrays live is JAX's business."""
        return self.to("cuda")


def _register_hook_at(table: dict[int, Callable], handle: Handle, first: bool) -> Handle:
    if first:
        last = list(table)[-1]
        hook = table.pop(last)
        rest = dict(table)
        table.clear()
        table[last] = hook
        table.update(rest)
    return handle


def clear(parameters: Any, set_to_none: bool) -> None:
    """Drop gradients, or set them to zero in place."""
    for parameter in parameters:
        if set_to_none:
            parameter.grad = None
        elif parameter.grad is not None and parameter.grad.grad_fn is not None:  # with create_graph=True
            parameter.grad.detach_().zero_()
        elif parameter.grad is not None:
            parameter.grad.requires_grad_(False).zero_()
