"""`common._register_for_tensor`: registry of functions by the names of Tensor's methods."""

from collections.abc import Callable

from msjax import ops


class Registry:
    """Registry of functions by name: registered ones, and the operators.

    Examples:
        >>> import msjax as ms
        >>> from msjax.common._register_for_tensor import tensor_operator_registry
        >>> print(tensor_operator_registry.get("add")(ms.Tensor(1), 2))
        3
    """

    def __init__(self) -> None:
        self._own: dict[str, Callable] = {}

    def register(self, prim_name: str, prim: Callable | None = None) -> Callable:
        """Register a function under a name; without a function, return a decorator that does."""
        if prim is None:
            return lambda fn: self.register(prim_name, fn)
        self._own[prim_name] = prim
        return prim

    def get(self, prim_name: str) -> Callable:
        """Return the function of a name.

        Raises:
            ValueError: if there is none.
        """
        found = self._own.get(prim_name) or getattr(ops, prim_name, None)
        if found is None:
            raise ValueError(
                f"`tensor_operator_registry`: no operator is registered as {prim_name!r}. Received: {prim_name!r}."
            )
        return found

    def __getattr__(self, name: str) -> Callable:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name)


tensor_operator_registry = Registry()
