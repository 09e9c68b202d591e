"""Forward and backward hooks of Cells."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from msjax.core.autodiff import hooks
from msjax.core.autograph.conversion import convert_callback

Handle = hooks.Handle


class Hook:
    """A user's function with how it wants to be called."""

    __slots__ = ("always", "fn", "named")

    def __init__(self, fn: Callable, named: bool = False, always: bool = False) -> None:
        self.fn, self.named, self.always = fn, named, always

    def __call__(self, cell: "HookMethods", args: tuple, kwargs: dict[str, Any], *rest: Any) -> Any:
        """Call the function as it wants to be called."""
        fn = convert_callback(self.fn)
        return fn(cell, args, kwargs, *rest) if self.named else fn(cell, args, *rest)


class HookMethods:
    """The part of `Cell` that registers hooks and runs them."""

    _hooks: dict[str, OrderedDict[int, Any]]

    def register_forward_pre_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Call `hook_fn(cell, args)` before each `construct`.

        Args:
            hook_fn: may return new positional arguments (a tuple, or a single one). With `with_kwargs` it is called
                as `hook_fn(cell, args, kwargs)` and may return a pair of new ones. None changes nothing.
            prepend: run it before the hooks that are there.
            with_kwargs: let it see and change the keyword arguments.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: if `hook_fn` cannot be called.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.ReLU()
            >>> handle = net.register_forward_pre_hook(lambda cell, args: (args[0] * 10,))
            >>> print(net(ms.Tensor([1.0, -1.0])))
            [10.  0.]
        """
        return self._add_hook("forward_pre", hook_fn, Hook(hook_fn, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook_fn: Callable,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> Handle:
        """Call `hook_fn(cell, args, output)` after each `construct`.

        Args:
            hook_fn: may return another output. With `with_kwargs` it is called as
                `hook_fn(cell, args, kwargs, output)`.
            prepend: run it before the hooks that are there.
            with_kwargs: let it see the keyword arguments.
            always_call: call it, with None for the output, even if `construct` raises.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: if `hook_fn` cannot be called.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.ReLU()
            >>> handle = net.register_forward_hook(lambda cell, args, output: output + 1)
            >>> print(net(ms.Tensor([1.0, -1.0])))
            [2. 1.]
        """
        return self._add_hook("forward", hook_fn, Hook(hook_fn, with_kwargs, always_call), prepend)

    def register_backward_pre_hook(self, hook_fn: Callable) -> Handle:
        """Call `hook_fn(cell, grad_output)` when the gradients of the Cell's outputs are known.

        Args:
            hook_fn: gets a tuple of gradients and may return others.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: if `hook_fn` cannot be called.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.ReLU()
            >>> handle = net.register_backward_pre_hook(lambda cell, grad_output: grad_output[0] * 10)
            >>> print(ms.grad(net)(ms.Tensor([1.0, -1.0])))
            [10.  0.]
        """
        return self._add_hook("backward_pre", hook_fn, hook_fn)

    def register_backward_hook(self, hook_fn: Callable) -> Handle:
        """Call `hook_fn(cell, grad_input, grad_output)` when the gradients of the Cell's inputs are known.

        Args:
            hook_fn: gets tuples of gradients of the positional inputs and of the outputs, and may return others for the
                inputs. If no input has a gradient, `grad_input` is (None,).

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: if `hook_fn` cannot be called.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.ReLU()
            >>> handle = net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] + 5)
            >>> print(ms.grad(net)(ms.Tensor([1.0, -1.0])))
            [6. 5.]
        """
        return self._add_hook("backward", hook_fn, hook_fn)

    def _add_hook(self, kind: str, fn: Any, entry: Any, prepend: bool = False) -> Handle:
        if not callable(fn):
            raise TypeError(
                f"`register_{kind}_hook`: argument `hook_fn`: Expected a callable hook function. "
                f"Received: {fn!r} ({type(fn).__name__})."
            )
        hooks.refuse_compiled(fn, f"register_{kind}_hook")
        table = self._hooks.setdefault(kind, OrderedDict())
        handle = hooks.register(table, entry, f"register_{kind}_hook")
        if prepend:
            table.move_to_end(next(reversed(table)), last=False)
        self.__dict__["_plain"] = False
        return handle

    # ------------------------------------------------------------------ running them

    def _call_hooked(self: "Any", call: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run `call` between the hooks. Backward hooks stand inside the pre-hooks and outside the forward hooks."""
        called: set[int] = set()
        try:
            args, kwargs = self._before(args, kwargs)
            before, after = (self._hooks.get(kind) for kind in ("backward_pre", "backward"))
            if not before and not after:
                return self._after(call(*args, **kwargs), args, kwargs, called)

            def forward(*args: Any, **kwargs: Any) -> Any:
                return self._after(call(*args, **kwargs), args, kwargs, called)

            return hooks.with_backward_hooks(
                type(self).__name__,
                forward,
                args,
                kwargs,
                self._backward_pre if before else None,
                self._backward if after else None,
            )
        except Exception:
            for number, hook in list(self._hooks.get("forward", {}).items()):
                if hook.always and number not in called:
                    called.add(number)
                    hook(self, args, kwargs, None)
            raise

    def _before(self: "Any", args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        for hook in list(self._hooks.get("forward_pre", {}).values()):
            result = hook(self, args, kwargs)
            if result is None:
                continue
            if hook.named:
                if not isinstance(result, tuple) or len(result) != 2:
                    raise RuntimeError(
                        "A forward pre-hook with kwargs must return None or a pair (args, kwargs). "
                        f"Received: {result!r} ({type(result).__name__})."
                    )
                args, kwargs = result
                if not isinstance(args, tuple):
                    raise TypeError(
                        "The args that a forward pre-hook with kwargs returns must be a tuple. "
                        f"Received: {type(args).__name__}."
                    )
            else:
                args = result if isinstance(result, tuple) else (result,)
        return args, kwargs

    def _after(self: "Any", output: Any, args: tuple, kwargs: dict[str, Any], called: set[int]) -> Any:
        for number, hook in list(self._hooks.get("forward", {}).items()):
            called.add(number)
            result = hook(self, args, kwargs, output)
            output = output if result is None else result
        return output

    def _backward_pre(self: "Any", gradients: tuple) -> tuple:
        for hook in list(self._hooks["backward_pre"].values()):
            gradients = _check_hook_result(
                convert_callback(hook)(self, gradients), gradients, "backward pre-hook"
            )
        return gradients

    def _backward(self: "Any", inputs: tuple, outputs: tuple) -> tuple:
        for hook in list(self._hooks["backward"].values()):
            inputs = _check_hook_result(
                convert_callback(hook)(self, inputs, outputs), inputs, "backward hook"
            )
        return inputs


def _check_hook_result(result: Any, before: tuple, what: str) -> tuple:
    """Check a backward hook's result and return it as a tuple of gradients; None keeps those it was given."""
    if result is None:
        return before
    listed = tuple(result) if isinstance(result, list | tuple) else (result,)
    wrong = [g for g in listed if g is not None and not hasattr(g, "asnumpy")]
    if wrong or len(listed) != len(before):
        raise TypeError(
            f"A {what} must return None or {len(before)} Tensors, as many gradients as it is given. "
            f"Received: {[type(g).__name__ for g in listed]}."
        )
    return listed
