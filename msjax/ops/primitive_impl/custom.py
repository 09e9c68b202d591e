"""User-defined operators: `Primitive` classes, Python functions with shape rules, hooks on gradients."""

import contextlib
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.autodiff.custom_vjp import custom_call
from msjax.core.autodiff.hooks import register_hook
from msjax.core.autograph.conversion import convert_callback
from msjax.core.tensor.tensor import Tensor
from msjax.ops.common import checks
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.primitive_class import Primitive
from msjax.ops.math.casts import identity
from msjax.ops.state.side_effects import PyFunc

# ---------------------------------------------------------------------- classes over Primitive


def prim_attr_register(fn: Callable) -> Callable:
    """Make the arguments of a Primitive's constructor its attributes, and name it after its class.

    Args:
        fn (Callable): the `__init__`.

    Returns:
        Function, the `__init__` to use.

    Examples:
        >>> import msjax as ms
        >>> class Scale(ms.ops.Primitive):
        ...     @ms.ops.prim_attr_register
        ...     def __init__(self, by=2):
        ...         pass
        >>> print(Scale(by=3), Scale().by)
        Prim[Scale]<by=3> 2
    """
    return _register_arguments(fn, notes=True)


@documented_by(prim_attr_register)
def prim_arg_register(fn: Callable) -> Callable:
    """Decorate `__init__` like `prim_attr_register`, with arguments as attributes of the object, not of the operator."""
    return _register_arguments(fn, notes=False)


def _register_arguments(fn: Callable, notes: bool) -> Callable:
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def register(self: Any, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self, type(self).__name__)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            if notes:
                self.add_prim_attr(name, value)
            else:
                setattr(self, name, value)
            self.init_attrs[name] = value
        fn(self, *args, **kwargs)

    return register


class _Implemented(Primitive):
    """A Primitive that computes what `vm_impl_registry` has for it."""

    def __call__(self, *args: Any) -> Any:
        """Call the implementation.

        Args:
            args: the operator's inputs.

        Raises:
            NotImplementedError: if none is registered.
        """
        found = get_vm_impl_fn(self)
        if found is None:
            return super().__call__(*args)
        return found(*args)


class PrimitiveWithInfer(_Implemented):
    """A Primitive with `infer_shape` and `infer_dtype`. Calls need an implementation in `vm_impl_registry`.

    Args:
        name: of the operator.

    Examples:
        >>> import msjax as ms
        >>> class Add(ms.ops.PrimitiveWithInfer):
        ...     @ms.ops.prim_attr_register
        ...     def __init__(self):
        ...         pass
        >>> print(Add())
        Prim[Add]
    """


class PrimitiveWithCheck(_Implemented):
    """A Primitive with `check_shape` and `check_dtype`. Calls need an implementation in `vm_impl_registry`.

    Args:
        name: of the operator.

    Examples:
        >>> import msjax as ms
        >>> class Add(ms.ops.PrimitiveWithCheck):
        ...     @ms.ops.prim_attr_register
        ...     def __init__(self):
        ...         pass
        >>> print(Add())
        Prim[Add]
    """


class _Registry(dict):
    """Implementations of Primitives, by name or class."""

    def register(self, name: Any, fn: Callable | None = None) -> Callable:
        """Add an implementation; without `fn` a decorator that does.

        Args:
            name (str, type): of the Primitive.
            fn (Callable): takes the Primitive, gives the function.
        """
        if fn is None:
            return functools.partial(self.register, name)
        self[name] = fn
        return fn


vm_impl_registry = _Registry()


def get_vm_impl_fn(prim: Any) -> Callable | None:
    """Return the implementation that is registered for a Primitive, or None.

    Args:
        prim (str, Primitive): the Primitive, or its name.

    Returns:
        Function.

    Examples:
        >>> import msjax as ms
        >>> @ms.ops.vm_impl_registry.register("Kind")
        ... def kind(prim):
        ...     return type
        >>> ms.ops.get_vm_impl_fn("Kind")(1.0)
        <class 'float'>
    """
    name = prim if isinstance(prim, str) else prim.name
    found = vm_impl_registry.get(name) or vm_impl_registry.get(type(prim))
    return None if found is None else found(prim)


J = Primitive("J")

# ---------------------------------------------------------------------- gradients


class HookBackward(Primitive):
    """Hands its input on, and the gradient of it to a function, as a tuple; what that returns replaces it.

    Args:
        hook_fn (Callable): takes a tuple of gradients, returns one gradient, a tuple of them, or None.
        cell_id (str): kept as an attribute.

    Raises:
        TypeError: if `hook_fn` cannot be called.

    Examples:
        >>> import msjax as ms
        >>> hook = ms.ops.HookBackward(lambda grads: grads[0] * 10)
        >>> print(ms.grad(lambda x: hook(x) * 2)(ms.Tensor(1.0)))
        20.0
    """

    def __init__(self, hook_fn: Callable, cell_id: str = "") -> None:
        super().__init__("HookBackward")
        if not callable(hook_fn):
            checks.fail(TypeError, "HookBackward", "hook_fn", "be callable", type(hook_fn).__name__)
        self.hook_fn, self.cell_id = hook_fn, cell_id

    def __call__(self, *inputs: Any) -> Any:
        """Hand on Tensors.

        Args:
            inputs: Tensors.
        """
        if len(inputs) != 1:
            return custom_call("HookBackward", _handed_on, self._together, inputs)

        def run(gradient: Tensor) -> Tensor | None:
            result = convert_callback(self.hook_fn)((gradient,))
            return result[0] if isinstance(result, tuple | list) else result

        (only,) = inputs
        return _identity_with_hook(only, run)

    def _together(self, _: Any, gradients: list[Tensor]) -> list[Any]:
        """Return the gradients of several inputs, which the function sees at once."""
        result = convert_callback(self.hook_fn)(tuple(gradients))
        if result is None:
            return gradients
        return list(result) if isinstance(result, tuple | list) else [result]


def _handed_on(*inputs: Any) -> tuple[Any, None]:
    return tuple([identity(x) for x in inputs]), None


def _identity_with_hook(x: Any, hook: Callable) -> Any:
    y = identity(x)
    if isinstance(y, Tensor):
        register_hook(y, hook)
    return y


class InsertGradientOf(Primitive):
    """Hands its input on, and replaces the gradient of it by a function of that.

    Args:
        f (Callable): takes a gradient, returns one.

    Examples:
        >>> import msjax as ms
        >>> clip = ms.ops.InsertGradientOf(lambda g: g.clamp(-1, 1))
        >>> print(ms.grad(lambda x: clip(x) * 5)(ms.Tensor(1.0)))
        1.0
    """

    def __init__(self, f: Callable) -> None:
        super().__init__("InsertGradientOf")
        if not callable(f):
            checks.fail(TypeError, "InsertGradientOf", "f", "be callable", type(f).__name__)
        self.f = f

    def __call__(self, x: Any) -> Any:
        """Hand on a Tensor.

        Args:
            x (Tensor): any.
        """
        return _identity_with_hook(x, convert_callback(self.f))


class Morph(Primitive):
    """A Python function as an operator, optionally with a custom gradient.

    Args:
        fn (Callable): the function.
        infer_shape (Callable): kept as an attribute: tracing finds shapes.
        infer_dtype (Callable): kept as an attribute: tracing finds dtypes.
        bprop_fn (Callable, None): (*inputs, output, gradient) -> a gradient for each input.

    Examples:
        >>> import msjax as ms
        >>> twice = ms.ops.Morph(lambda x: x * 2, None, None, lambda x, out, g: (g * 7,))
        >>> print(twice(ms.Tensor(1.0)), ms.grad(twice)(ms.Tensor(1.0)))
        2.0 7.0
    """

    def __init__(
        self, fn: Callable, infer_shape: Any, infer_dtype: Any, bprop_fn: Callable | None = None
    ) -> None:
        super().__init__("Morph")
        self.fn, self.infer_shape, self.infer_dtype, self.bprop_fn = fn, infer_shape, infer_dtype, bprop_fn

    def __call__(self, *args: Any) -> Any:
        """Call the function.

        Args:
            args: its arguments.
        """
        if self.bprop_fn is None:
            return convert_callback(self.fn)(*args)
        return _with_bprop("Morph", convert_callback(self.fn), self.bprop_fn, args)


class _CustomVjp:
    """Function with a gradient of its own, as `custom_vjp` makes it."""

    def __init__(self, fn: Callable) -> None:
        functools.update_wrapper(self, fn)
        self.fn, self.bwd = fn, None

    def __call__(self, *args: Any) -> Any:
        fn = convert_callback(self.fn)
        return fn(*args) if self.bwd is None else _with_bprop(self.__name__, fn, self.bwd, args)  # type: ignore[attr-defined]

    def defbwd(self, bwd: Callable) -> None:
        """Set the function that gives the gradients: (*inputs, output, gradient) -> one for each input.

        Args:
            bwd (Callable): that function.

        Raises:
            TypeError: if it cannot be called.
        """
        if not callable(bwd):
            checks.fail(TypeError, "custom_vjp", "bwd", "be a function", bwd)
        self.bwd = bwd


def custom_vjp(fn: Callable | None = None) -> Any:
    """Let the gradient of a function be given by another one, which `defbwd` of the result sets.

    Args:
        fn (Callable): the function. Without it, a decorator is returned.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.primitive_impl.custom import custom_vjp
        >>> @custom_vjp
        ... def triple(x):
        ...     return x * 3
        >>> triple.defbwd(lambda x, out, g: (g * 7,))
        >>> print(triple(ms.Tensor(1.0)), ms.grad(triple)(ms.Tensor(1.0)))
        3.0 7.0
    """
    return custom_vjp if fn is None else _CustomVjp(fn)


def _with_bprop(name: str, fn: Callable, bprop: Callable, args: tuple) -> Any:
    """Return a call whose derivative is a function of inputs, output and gradient."""

    def forward(*given: Any) -> tuple[Any, Any]:
        out = fn(*given)
        return out, (given, out)

    def backward(saved: Any, gradients: Any) -> Any:
        given, out = saved
        found = convert_callback(bprop)(*given, out, gradients if isinstance(out, tuple) else gradients[0])
        found = found if isinstance(found, tuple | list) else (found,)
        return [g for g, x in zip(found, given, strict=True) if isinstance(x, Tensor)]

    return custom_call(name, forward, backward, args)


# ---------------------------------------------------------------------- Python functions with shapes


class Custom(Primitive):
    """A Python function over NumPy arrays as an operator, with the shapes and dtypes of its results.

    Args:
        func (Callable): the function; for func_type "hybrid" one that `kernel` made.
        out_shape (Callable, tuple, list): the result's shape (or shapes), or a function of the inputs' shapes. Default:
            found by calling the function.
        out_dtype (Callable, mindspore.dtype): the result's dtype (or dtypes), or a function of the inputs' dtypes.
        func_type (str): "pyfunc" or "hybrid".
        bprop (Callable): (*inputs, output, gradient) -> a gradient for each input. Default: no gradient.
        reg_info (str, dict): kept as an attribute.

    Raises:
        NotImplementedError: for a `func_type` that names a compiled kernel ("aot", "aicpu", "tbe", "akg", "julia").

    Examples:
        >>> import msjax as ms
        >>> add = ms.ops.Custom(lambda a, b: a + b, lambda a, b: a, lambda a, b: a, "pyfunc")
        >>> print(add(ms.Tensor([1.0]), ms.Tensor([2.0])))
        [3.]
    """

    def __init__(
        self,
        func: Any,
        out_shape: Any = None,
        out_dtype: Any = None,
        func_type: str = "pyfunc",
        bprop: Callable | None = None,
        reg_info: Any = None,
    ) -> None:
        super().__init__("Custom")
        if func_type not in ("pyfunc", "hybrid") or not callable(func):
            raise NotImplementedError(
                "`Custom`: argument `func` must be a Python function with `func_type` 'pyfunc' or 'hybrid'. "
                f"Received: func_type={func_type!r}. Write the kernel with JAX and wrap it with `ops.Custom` or `PyFunc`."
            )
        self.func, self.out_shape, self.out_dtype = func, out_shape, out_dtype
        self.func_type, self.bprop, self.reg_info = func_type, bprop, reg_info

    def __call__(self, *args: Any) -> Any:
        """Call the function.

        Args:
            args: Tensors.
        """
        return _with_bprop("Custom", self._run, self.bprop, args) if self.bprop else self._run(*args)

    def _run(self, *args: Any) -> Any:
        shapes, kinds = [tuple(a.shape) for a in args], [a.dtype for a in args]
        shape, kind = self._results(shapes, kinds)
        several = bool(shape) and isinstance(shape[0], tuple | list)
        out_shapes = shape if several else [shape]
        out_kinds = kind if isinstance(kind, tuple | list) else [kind] * len(out_shapes)
        out = PyFunc(self.func, kinds, shapes, out_kinds, out_shapes)(*args)
        return out if several else out[0]

    def _results(self, shapes: list, kinds: list) -> tuple[Any, Any]:
        if self.out_shape is None or self.out_dtype is None:
            trial = self.func(*(np.zeros(s, dtypes.as_np(k)) for s, k in zip(shapes, kinds, strict=True)))
            parts: Any = trial if isinstance(trial, tuple | list) else [trial]
            found = [(np.shape(p), dtypes.of(np.asarray(p).dtype)) for p in parts]
            made = tuple(zip(*found, strict=True)) if isinstance(trial, tuple | list) else found[0]
            return made[0], made[1]
        shape = self.out_shape(*shapes) if callable(self.out_shape) else self.out_shape
        plain = isinstance(self.out_dtype, types.FunctionType | functools.partial | types.MethodType)
        return shape, self.out_dtype(*kinds) if plain else self.out_dtype


@contextlib.contextmanager
def _block(*tensors: Any) -> Iterator[None]:
    yield


_HYBRID = {
    "output_tensor": lambda shape, dtype: np.zeros(shape, dtype),
    "allocate": lambda shape, dtype, scope=None: np.zeros(shape, dtype),
    "block_realize": _block,
    "grid": lambda shape: np.ndindex(tuple(shape)),
    **dict.fromkeys(("serial", "vectorize", "parallel", "reduce", "unroll"), range),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    **{name: getattr(np, name) for name in ("sqrt", "exp", "log", "tanh", "power", "floor", "ceil")},
}


def kernel(fn: Callable | None = None, reg_info: Any = None, compile_attrs: Any = None) -> Callable:
    """A function in MindSpore's hybrid language, run as Python over NumPy arrays.

    Args:
        fn (Callable): the function; it may use `output_tensor`, `allocate`, `block_realize`, `grid`, `parallel` ...
        reg_info (dict): kept.
        compile_attrs (dict): kept, without effect.

    Returns:
        Function over NumPy arrays, for `Custom` too.

    Examples:
        >>> import numpy as np
        >>> import msjax as ms
        >>> @ms.ops.kernel
        ... def twice(a):
        ...     b = output_tensor(a.shape, a.dtype)
        ...     for i in parallel(a.shape[0]):
        ...         b[i] = a[i] * 2
        ...     return b
        >>> print(twice(np.array([1.0, 2.0])))
        [2. 4.]
    """
    if fn is None:
        return functools.partial(kernel, reg_info=reg_info, compile_attrs=compile_attrs)
    code: Any = fn
    made = types.FunctionType(
        code.__code__, {**code.__globals__, **_HYBRID}, code.__name__, code.__defaults__, code.__closure__
    )
    functools.update_wrapper(made, fn)
    made.reg_info = reg_info  # type: ignore[attr-defined]
    return made
