"""Cell: the base class of networks, layers, losses and optimizers."""

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from msjax.config.context import GRAPH_MODE, get_context
from msjax.core import dtype as dtypes
from msjax.core import ordered_trees
from msjax.core.autodiff.custom_vjp import custom_call
from msjax.core.autodiff.jvp_vjp_jacobian import recompute
from msjax.core.autodiff.repeated_forward import note_call
from msjax.core.autograph.conversion import convert_callback
from msjax.core.jit.input_specs import check_call
from msjax.core.jit.jit import jit
from msjax.core.state import state
from msjax.core.tensor import construction
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import Tensor, is_tensor
from msjax.core.trace.stateful import calls_users_code
from msjax.nn.cell.ascend_methods import AscendMethods
from msjax.nn.cell.buffer_hooks import (
    register_cell_buffer_registration_hook as register_cell_buffer_registration_hook,
)
from msjax.nn.cell.hooks import HookMethods
from msjax.nn.cell.inspection import InspectionMethods
from msjax.nn.cell.parameters import Registry
from msjax.nn.cell.precision import cast_floats, compute_operators_in
from msjax.nn.cell.state_dict import StateDict
from msjax.ops.common.checks import NotATensorError
from msjax.public_api.class_names import own_module

_PRECISIONS = {dtypes.float16: "fp16", dtypes.float32: "fp32", dtypes.bfloat16: "bf16"}

_NO_TENSORS = (list, tuple, dict, str, bool, int, float, complex, type(None))


class Cell(Registry["Cell"], HookMethods, StateDict, AscendMethods, InspectionMethods):
    """A network or a part of one: Parameters, buffers and other Cells as attributes, and `construct`, which uses them.

    Parameters are named by the attributes that lead to them. A subclass may define `bprop(*inputs, out, dout)`, which
    then gives the gradients of the inputs instead of what `construct` is made of; an attribute `used_bprop_inputs` lists
    which of the inputs and `out` it is given by their places, None for the others. A subclass whose attribute
    `internal_params` lists Parameters gives theirs as well: `bprop` returns (gradients of inputs, {Parameter: gradient}).

    Args:
        auto_prefix: put the name of the attribute before the Parameter names of each Cell that is assigned.
        flags: what `get_flags` gives, and attributes of these names.

    Examples:
        >>> import msjax as ms
        >>> from msjax import nn
        >>> class Scaled(nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.dense = nn.Dense(3, 2)
        ...         self.scale = ms.Parameter(ms.Tensor(2.0))
        ...
        ...     def construct(self, x):
        ...         return self.dense(x) * self.scale
        >>> net = Scaled()
        >>> [p.name for p in net.trainable_params()]
        ['scale', 'dense.weight', 'dense.bias']
        >>> net(ms.ops.ones((5, 3))).shape
        (5, 2)
    """

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        self.__dict__.update(
            _params=OrderedDict(),
            _cells=OrderedDict(),
            _buffers=OrderedDict(),
            _unsaved=set(),
            _hooks={},
            _given_flags={},
            _auto_prefix=auto_prefix,
            _param_prefix="",
            _cast=None,
            _recomputes=False,
            has_bprop=hasattr(type(self), "bprop"),
            _plain=not hasattr(type(self), "bprop"),
            _names_checked=False,
            training=False,
            requires_grad=False,
        )
        self._count()
        if flags:
            self.add_flags(**flags)

    # ------------------------------------------------------------------ calling

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output. Every Cell that is called defines it."""
        hint = " Its `forward` should have that name." if hasattr(type(self), "forward") else ""
        raise AttributeError(
            f"'{type(self).__name__}' does not define `construct`, so it cannot be called.{hint}"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `construct`, with hooks and whatever else stands around it."""
        if state.frame is not None:
            self._record_use()
            note_call(self, args, kwargs)
        elif get_context("mode") == GRAPH_MODE:
            return self._compiled(*args, **kwargs)
        else:
            if not self._names_checked:
                self.check_names_and_refresh_name()
            if self.requires_grad:
                note_call(self, args, kwargs)
        if not self._plain:
            return self._run_construct(args, kwargs)
        try:
            return convert_callback(self.construct)(*args, **kwargs)
        except AttributeError as error:
            self._explain(error, args)
            raise

    def _explain(self, error: AttributeError, args: tuple) -> None:
        """Name the input, if one of our own layers asked an input that is not a Tensor for what Tensors have."""
        owner = getattr(error, "obj", None)
        ours = own_module(type(self)).startswith("msjax.") and isinstance(owner, _NO_TENSORS)
        if ours and any(type(owner) is type(given) for given in args):
            raise NotATensorError(
                f"`{type(self).__name__}`: inputs must be Tensors. Received: {owner!r} ({type(owner).__name__})."
            ) from error

    def _run_construct(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """`construct` with all that can stand around it: precision, hooks, recomputation, `bprop`."""
        with compute_operators_in(self._cast):
            call = self._construct_recomputed if self._recomputes else self._construct_with_bprop
            if "_packer" in self.__dict__:
                call = functools.partial(self._construct_through_hooks, call)
            if self._hooks:
                return self._call_hooked(call, args, kwargs)
            return call(*args, **kwargs)

    def _construct_recomputed(self, *args: Any, **kwargs: Any) -> Any:
        return recompute(self._construct_with_bprop, *args, **kwargs)

    def _construct_with_bprop(self, *args: Any, **kwargs: Any) -> Any:
        """`construct` with the derivative that `bprop` gives, if there is one."""
        if not self.has_bprop:
            return convert_callback(self.construct)(*args, **kwargs)
        return self._with_bprop(self.construct, args, kwargs)

    def _derived_from(self, forward: Callable) -> Callable:
        if not self.has_bprop:
            return forward

        @calls_users_code
        @functools.wraps(forward)
        def construct(*args: Any, **kwargs: Any) -> Any:
            return self._with_bprop(forward, args, kwargs)

        return construct

    def _with_bprop(self, forward_pass: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        bound = inspect.signature(forward_pass).bind(*args, **kwargs)
        bound.apply_defaults()
        count, names = len(bound.args), list(bound.kwargs)
        name = type(self).__name__
        weights: Any = getattr(self, "internal_params", ())
        inputs = (*bound.args, *bound.kwargs.values())
        tensors = [sum(map(is_tensor, jax.tree.leaves(given, is_leaf=is_tensor))) for given in inputs]
        kinds = [(given.shape, given.dtype) if is_tensor(given) else None for given in inputs]

        def forward(*given: Any) -> tuple[Any, Any]:
            out = convert_callback(forward_pass)(
                *given[:count], **dict(zip(names, given[count:], strict=True))
            )
            out = ordered_trees.map(lambda leaf: _apart(leaf, given), out, is_leaf=is_tensor)
            kept = getattr(self, "used_bprop_inputs", range(len(given) + 1))
            return out, (
                tuple([a if i in kept else None for i, a in enumerate(given)]),
                out,
                len(given) in kept,
            )

        def backward(saved: tuple[tuple, Any, bool], gradients: list[Tensor]) -> list[Any]:
            inputs, out, with_out = saved
            found = convert_callback(self.bprop)(
                *inputs, out if with_out else None, _gradient_of(out, gradients)
            )
            found, of_weights = _with_weights(name, found) if weights else (found, {})
            if get_context("check_bprop"):
                _check_gradients(name, kinds, found)
            if not weights:
                return _input_gradients(name, tensors, found)
            return _input_gradients(name, tensors, found) + [of_weights.get(weight) for weight in weights]

        return custom_call(name, forward, backward, inputs, tuple(weights))

    @property
    def _compiled(self) -> Callable:
        """The Cell as one compiled program per kind of arguments."""
        program = self.__dict__.get("_program")
        if program is None:
            self.check_names_and_refresh_name()

            @calls_users_code
            def run(*args: Any, **kwargs: Any) -> Any:
                check_call(self, None, args, kwargs)
                return self(*args, **kwargs)

            run.__name__ = type(self).__name__
            program = self.__dict__["_program"] = jit(run)
            program.cell = self
        return program

    def compile_and_run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the Cell as one compiled program."""
        return self._compiled(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the Cell for arguments like these, without running it. A first call would compile it as well."""
        self._compiled.prepare(*args, **kwargs)  # type: ignore[attr-defined]

    def run_construct(self, cast_inputs: tuple, kwargs: dict[str, Any]) -> Any:
        """`construct` alone, without hooks."""
        return self.construct(*cast_inputs, **kwargs)

    # ------------------------------------------------------------------ modes

    def set_train(self, mode: bool = True) -> "Cell":
        """Switch this Cell and all below it to training, or to evaluation.

        Args:
            mode: becomes the attribute `training`, which Dropout, BatchNorm and others look at. New Cells have False.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.SequentialCell(ms.nn.Dropout(p=0.5))
            >>> net.set_train()[0].training
            True
        """
        self._setting("phase", "train" if mode else "predict")
        return self.add_flags_recursive(training=bool(mode))

    def set_grad(self, requires_grad: bool = True) -> "Cell":
        """Set the attribute `requires_grad` of this Cell. What `grad` computes is said where it is called."""
        self.requires_grad = bool(requires_grad)
        return self

    def to_float(self, dst_type: dtypes.DType) -> "Cell":
        """Set the precision of this Cell and all below it: operators compute in float16, bfloat16 or float32.

        While such a Cell runs, the inputs of operators that are floating Tensors are cast, Parameters included, whose
        own dtype remains. Gradients come back in the dtypes of the Tensors that they belong to. A Cell below may be set
        to another dtype afterwards.

        Args:
            dst_type: `mstype.float16`, `mstype.bfloat16` or `mstype.float32`.

        Raises:
            ValueError: for anything else.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.Dense(3, 2).to_float(ms.float16)
            >>> print(net(ms.ops.ones((1, 3))).dtype, net.weight.dtype)
            Float16 Float32
        """
        if not isinstance(dst_type, dtypes.DType) or dst_type not in _PRECISIONS:
            raise ValueError(
                "`to_float`: argument `dst_type` must be float16, bfloat16 or float32. "
                f"Received: {dst_type!r} ({type(dst_type).__name__})."
            )
        return self.add_flags_recursive(**{name: dst_type is dtype for dtype, name in _PRECISIONS.items()})

    def cast_inputs(self, inputs: Any, dst_type: dtypes.DType) -> Any:
        """Cast the floating Tensors of any nesting to `dst_type`."""
        return cast_floats(inputs, dst_type)

    def to(self, *args: Any, **kwargs: Any) -> "Cell":
        """Convert the floating Parameters and buffers to another dtype, in place.

        Args:
            args: a device, a dtype, or a Tensor whose dtype is meant.
            kwargs: `dtype`, `device`, `tensor`, `non_blocking`. JAX places arrays, whatever device of MindSpore's is named.

        Raises:
            TypeError: if a floating dtype is needed and another one is given, or something that is neither.
            ValueError: if there is no such device.

        Examples:
            >>> import msjax as ms
            >>> print(ms.nn.Dense(2, 3).to(ms.float16).weight.dtype)
            Float16
        """
        unknown = set(kwargs) - {"dtype", "device", "tensor", "non_blocking"}
        odd = [a for a in args if not isinstance(a, dtypes.DType | Tensor | str | bool | None)]
        if unknown or odd:
            raise TypeError(
                f"`to`: takes a device, a dtype or a Tensor. Received: {(*sorted(unknown), *odd)}."
            )
        device = kwargs.get("device", next((a for a in args if isinstance(a, str)), None))
        construction.check_destination("to", device)
        given = (kwargs.get("dtype"), kwargs.get("tensor"), *args)
        wanted = next((a for a in given if isinstance(a, dtypes.DType | Tensor)), None)
        dtype = wanted.dtype if isinstance(wanted, Tensor) else wanted
        if dtype is None:
            return self
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"`to`: argument `dtype` must be a floating or complex dtype. Received: {dtype}.")
        for group in ("_params", "_buffers"):
            for _, box in self._members(group, "", recurse=True):
                if jnp.issubdtype(box.array.dtype, jnp.inexact):
                    box._assign(box.array.astype(dtype.np))
        return self

    def recompute(
        self,
        *,
        use_reentrant: bool = True,
        output_recompute: bool = False,
        early_stop: bool = True,
        context_fn: Callable | None = None,
        **kwargs: Any,
    ) -> None:
        """Enable recomputation (rematerialization): the backward pass recomputes this Cell's intermediate results.

        Args:
            use_reentrant: accepted for MindSpore's signature.
            output_recompute: accepted for MindSpore's signature.
            early_stop: accepted for MindSpore's signature.
            context_fn: not supported.
            kwargs: `mp_comm_recompute`, `parallel_optimizer_comm_recompute`, `recompute_slice_activation`: of
                distributed training on Ascend, without effect.

        Raises:
            TypeError: if `output_recompute` or one of the first two others is not a bool.
            ValueError: for another keyword, or if `context_fn` is given.
        """
        known = ("mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation")
        unknown = [name for name in kwargs if name not in known]
        if unknown:
            raise ValueError(f"`recompute`: unknown argument {unknown[0]!r}. Known ones: {', '.join(known)}.")
        if context_fn is not None:
            raise ValueError(
                "`recompute`: argument `context_fn` must be None: the recomputed part is compiled."
            )
        for option, value in {"output_recompute": output_recompute, **kwargs}.items():
            if not isinstance(value, bool) and option != "recompute_slice_activation":
                raise TypeError(f"`recompute`: argument `{option}` must be a bool. Received: {value!r}.")
        self._recomputes = True
        self._plain = False

    # ------------------------------------------------------------------ flags

    def add_flags(self, **flags: Any) -> "Cell":
        """Set flags: entries of `get_flags`, and attributes.

        `fp16`, `fp32` and `bf16`, where they are true, set the precision of this Cell as `to_float` sets that of the Cells
        below as well; false changes no precision.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.ReLU().add_flags(defer_inline=True)
            >>> net.defer_inline, net.get_flags()
            (True, {'defer_inline': True})
        """
        self._given_flags.update(flags)
        for name, value in flags.items():
            object.__setattr__(self, name, value)
        for dtype, name in _PRECISIONS.items():
            if flags.get(name):
                self._cast, self._plain = dtype, False
        self._invalidate()
        return self

    def add_flags_recursive(self, **flags: Any) -> "Cell":
        """Set flags of this Cell and of all below it."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """Return the flags that were set."""
        return self._given_flags

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """Return the Parameters, as a dict from each to itself: their values are there from the start."""
        return {p: p for p in self.get_parameters()}

    # ------------------------------------------------------------------ looks

    @property
    def cls_name(self) -> str:
        """Name of the class."""
        return type(self).__name__

    def extend_repr(self) -> str:
        """Return the text in the parentheses of the printed Cell; subclasses override it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extend_repr()
        children = [f"({name}): {cell!r}".replace("\n", "\n  ") for name, cell in self._cells.items()]
        if not children and "\n" not in extra:
            return f"{type(self).__name__}({extra})"
        lines = [extra.replace("\n", "\n  "), *children] if extra else children
        return f"{type(self).__name__}(\n  " + "\n  ".join(lines) + "\n)"

    def __str__(self) -> str:
        return self.__repr__()

    def __bool__(self) -> bool:
        return True

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_program", "_met")}


def _with_weights(name: str, found: Any) -> tuple[Any, dict[Parameter, Any]]:
    """Check the result of a `bprop` with `internal_params`: (gradients of the inputs, {Parameter: gradient})."""
    if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict)):
        raise TypeError(
            f"`{name}.bprop`: with `internal_params` it must return a tuple of the inputs' gradients and a dict "
            f"{{Parameter: gradient}}. Received: {type(found).__name__}."
        )
    return found


def _gradient_of(out: Any, gradients: list[Tensor]) -> Any:
    """Return the output gradient in the form that `bprop` takes: eagerly a flat tuple, or a single Tensor."""
    values = list(out.values()) if isinstance(out, dict) else out
    flat = isinstance(values, tuple | list) and not any(isinstance(v, tuple | list | dict) for v in values)
    if flat and state.frame is None:
        return gradients[0] if len(gradients) == 1 else tuple(gradients)
    each = iter(gradients)
    return ordered_trees.map(lambda leaf: next(each) if is_tensor(leaf) else leaf, out, is_leaf=is_tensor)


def _apart(leaf: Any, given: tuple) -> Any:
    """Return an output as it is, or a twin of it if it is one of the inputs."""
    return leaf.detach() if is_tensor(leaf) and any(leaf is argument for argument in given) else leaf


def _check_gradients(name: str, kinds: list[Any], found: Any) -> None:
    """Check that `bprop` returned one gradient per input with its shape and dtype (`set_context(check_bprop=True)`)."""
    found = tuple(found) if isinstance(found, list | tuple) else (found,)
    if len(found) != len(kinds):
        raise TypeError(
            f"`{name}.bprop`: the number of return values(gradients) should be equal to the number of input arguments, "
            f"{len(kinds)}. Received: {len(found)}."
        )
    for i, (kind, gradient) in enumerate(zip(kinds, found, strict=True)):
        if kind is None:
            continue
        if not is_tensor(gradient):
            raise TypeError(
                f"`{name}.bprop`: return value {i} should be a Tensor. Received: {type(gradient).__name__}."
            )
        for what, wanted, own, error in zip(
            ("shape", "dtype"), kind, (gradient.shape, gradient.dtype), (ValueError, TypeError), strict=True
        ):
            if own != wanted:
                raise error(
                    f"`{name}.bprop`: return value {i} should have the same {what} as the argument, which is {wanted}. "
                    f"Received: {own}."
                )


def _input_gradients(name: str, tensors: list[int], found: Any) -> list[Any]:
    """One gradient for each Tensor among the inputs, which hold so many each, of what `bprop` returned."""
    if (
        found is None and state.frame is None
    ):  # a trace makes the backward pass of what is never differentiated, too
        raise TypeError(f"`{name}.bprop` must return the gradients of the inputs. Received: None.")
    found = tuple(found) if isinstance(found, list | tuple) else (found,)
    if len(found) < len(tensors):
        raise RuntimeError(
            f"`{name}.bprop` must return a gradient for each of the {len(tensors)} inputs of `construct`, None for what "
            f"has none. Received: {len(found)}."
        )
    gradients: list[Any] = []
    for count, gradient in zip(tensors, found, strict=False):
        if gradient is None:
            gradients += [None] * count
        elif count:
            listed = jax.tree.leaves(gradient, is_leaf=lambda leaf: leaf is None or is_tensor(leaf))
            if len(listed) != count:
                raise RuntimeError(
                    f"`{name}.bprop`: an input with {count} Tensors needs as many gradients. Received: {len(listed)}."
                )
            gradients += listed
    return gradients
