"""`state_dict` and `load_state_dict` of Cells."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msjax.core.autodiff import hooks
from msjax.core.tensor.tensor import Tensor

_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """Keys that did not match when a state was loaded."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


class StateDict:
    """The part of `Cell` that gives its state and takes it back."""

    _hooks: dict[str, OrderedDict[int, Any]]

    def state_dict(
        self: Any,
        *args: Any,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """Return the Parameters and persistent buffers, not copied, by the paths that lead to them.

        Args:
            args: `destination`, `prefix` and `keep_vars` by position, an older spelling.
            destination: a dict to fill. Default: a new OrderedDict.
            prefix: put before all keys.
            keep_vars: accepted for MindSpore's signature.

        Examples:
            >>> import msjax as ms
            >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.ReLU())
            >>> {key: value.shape for key, value in net.state_dict().items()}
            {'0.weight': (3, 2), '0.bias': (3,)}
        """
        given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination, prefix = given.get("destination", destination), given.get("prefix", prefix)
        destination = OrderedDict() if destination is None else destination
        for hook in self._hooks_of("state_dict_pre"):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._hooks_of("state_dict_post"):
            hook(self, destination, prefix, {})
        return destination

    def _save_to_state_dict(self: Any, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Put this Cell's own state, without that of the Cells below, into `destination`."""
        for group in ("_params", "_buffers"):
            for name, thing in self.__dict__[group].items():
                if thing is not None and not (group == "_buffers" and name in self._unsaved):
                    destination[prefix + name] = thing
        if type(self).get_extra_state is not StateDict.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """State beyond Parameters and buffers; define it together with `set_extra_state` to save some."""
        raise RuntimeError(f"'{type(self).__name__}' does not define `get_extra_state`.")

    def set_extra_state(self, state: Any) -> None:
        """Load what `get_extra_state` returned."""
        raise RuntimeError(
            f"'{type(self).__name__}' does not define `set_extra_state`, but a state to load has one."
        )

    def load_state_dict(self: Any, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Load the values of a `state_dict`; dtypes are converted to those of this Cell.

        Args:
            state_dict: Tensors by the paths that lead to them.
            strict: raise if keys are missing or unknown.

        Returns:
            A named tuple of `missing_keys` and `unexpected_keys`.

        Raises:
            TypeError: if `state_dict` is no mapping.
            RuntimeError: if a value is not a Tensor or has another shape, and with `strict` if the keys differ. All that
                is wrong is listed, and nothing has been loaded then.

        Examples:
            >>> import msjax as ms
            >>> a, b = ms.nn.Dense(2, 3), ms.nn.Dense(2, 3)
            >>> b.load_state_dict(a.state_dict())
            <All keys matched successfully>
            >>> bool((a.weight == b.weight).all())
            True
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                "`load_state_dict`: Expected state_dict to be dict-like, a mapping of names to Tensors. "
                f"Received: {type(state_dict).__name__}."
            )
        given = OrderedDict(state_dict)
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        writes: list[Callable[[], Any]] = []
        _load(self, given, "", strict, missing, unexpected, errors, writes)
        result = IncompatibleKeys(missing, unexpected)
        for _, cell in self.cells_and_names():
            for hook in cell._hooks_of("load_state_dict_post"):
                hook(cell, result)
        if strict and unexpected:
            errors.append(f"Unexpected key(s) in state_dict: {_quote_names(unexpected)}.")
        if strict and missing:
            errors.append(f"Missing key(s) in state_dict: {_quote_names(missing)}.")
        if errors:
            listed = "\n  ".join(errors)
            raise RuntimeError(
                f"`load_state_dict`: Error(s) in loading state_dict for {type(self).__name__}:\n  {listed}"
            )
        for write in writes:
            write()
        return result

    def _hooks_of(self, kind: str) -> list[Callable]:
        return list(self._hooks[kind].values()) if kind in self._hooks else []

    def _add_state_hook(self, kind: str, hook: Callable) -> hooks.Handle:
        return hooks.register(self._hooks.setdefault(kind, OrderedDict()), hook, f"register_{kind}_hook")

    def register_state_dict_pre_hook(self, hook: Callable) -> hooks.Handle:
        """Call `hook(cell, prefix, keep_vars)` before `state_dict` reads this Cell."""
        return self._add_state_hook("state_dict_pre", hook)

    def register_state_dict_post_hook(self, hook: Callable) -> hooks.Handle:
        """Call `hook(cell, state_dict, prefix, local_metadata)` after `state_dict` has read this Cell."""
        return self._add_state_hook("state_dict_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> hooks.Handle:
        """Call a hook before the state is compared; it may change the copy of it that it is given.

        Args:
            hook: called as `hook(cell, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                error_msgs)`.
        """
        return self._add_state_hook("load_state_dict_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Callable) -> hooks.Handle:
        """Call `hook(cell, incompatible_keys)` when the keys have been compared. It may change the lists in place."""
        return self._add_state_hook("load_state_dict_post", hook)


def _load(
    cell: Any,
    given: dict[str, Any],
    prefix: str,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
    writes: list[Callable],
) -> None:
    """Compare the part of a state that is a Cell's with the Cell, and note what is to be written."""
    for hook in cell._hooks_of("load_state_dict_pre"):
        hook(cell, given, prefix, {}, strict, missing, unexpected, errors)
    expected = {name: p for name, p in cell._params.items() if p is not None}
    expected |= {name: b for name, b in cell._buffers.items() if b is not None and name not in cell._unsaved}
    for name, own in expected.items():
        key = prefix + name
        if key not in given:
            missing.append(key)
        elif (problem := _problem(key, own, given[key])) is not None:
            errors.append(problem)
        else:
            writes.append(_writer(own, given[key]))
    has_extra = type(cell).set_extra_state is not StateDict.set_extra_state
    if has_extra and prefix + _EXTRA in given:
        writes.append(lambda: cell.set_extra_state(given[prefix + _EXTRA]))
    elif has_extra:
        missing.append(prefix + _EXTRA)
    known = {*expected, *(name for name, child in cell._cells.items() if child is not None)}
    known |= {_EXTRA} if has_extra else set()
    unexpected += [
        key for key in given if key.startswith(prefix) and key[len(prefix) :].split(".")[0] not in known
    ]
    for name, child in cell._cells.items():
        if child is not None:
            _load(child, given, f"{prefix}{name}.", strict, missing, unexpected, errors, writes)


def _problem(key: str, own: Tensor, value: Any) -> str | None:
    if not isinstance(value, Tensor):
        return f"{key}: expected Tensor. Received: {type(value).__name__}"
    if value.shape != own.shape:
        return f"size mismatch for {key}: expected shape {own.shape}. Received: {value.shape}"
    return None


def _quote_names(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _writer(own: Tensor, value: Tensor) -> Callable[[], Any]:
    return lambda: own._assign(value.array.astype(own.array.dtype))
