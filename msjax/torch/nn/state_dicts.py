"""State dicts of modules: what is saved, what is loaded, and the hooks and methods by which modules change that."""

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msjax.core.autodiff.hooks import Handle, register
from msjax.core.autodiff.imperative import no_grad
from msjax.torch.tensors.tensor import Tensor, is_meta

_EXTRA = "_extra_state"


class Keys(NamedTuple):
    """Missing and unexpected keys of :meth:`StateDicts.load_state_dict`."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not any(self):
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def detach_for_saving(tensor: Any, value: Any = None) -> Any:
    """Return what a state dict has of a Parameter, or of what an optimizer keeps for it: without a gradient.

    Args:
        tensor: the Parameter, or a buffer.
        value: what an optimizer keeps. Default: the Parameter.
    """
    found = tensor.detach() if value is None else value
    return tensor.as_saved(found) if hasattr(tensor, "as_saved") else found


class StateDicts:
    """Mixin of modules."""

    _version = 1
    dump_patches = False
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def _state_hooks(self, kind: str) -> dict[int, Callable]:
        return self.__dict__.get(kind, {})

    def _add_state_hook(self, kind: str, hook: Callable) -> Handle:
        return register(self.__dict__.setdefault(kind, {}), hook, kind)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def get_extra_state(self) -> Any:
        """Return what else belongs to the state dict; for modules that define it."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Take over what :meth:`get_extra_state` gave; for modules that define it."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    def _defines(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(StateDicts, name)

    def _own_state(self) -> dict[str, Any]:
        own = {
            **self._parameters,
            **{n: b for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set},
        }
        return {name: tensor for name, tensor in own.items() if tensor is not None}

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Add this module's own tensors, without those of the modules inside."""
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else detach_for_saving(tensor)
        if self._defines("get_extra_state"):
            destination[prefix + _EXTRA] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """Return the Parameters and persistent buffers by name; they share memory with the module.

        Args:
            *args: `destination`, `prefix` and `keep_vars` without their names, as in old programs.
            destination: a dict that they are added to.
            prefix: what names begin with.
            keep_vars: whether they are the Parameters themselves and not detached tensors.
        """
        given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination, prefix = given.get("destination", destination), given.get("prefix", prefix)
        keep_vars = given.get("keep_vars", keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in list(self._state_hooks("_before_saving").values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in list(self._state_hooks("_after_saving").values()):
            changed = hook(self, destination, prefix, metadata)
            if not getattr(hook, "_returns", True) and changed is not None:
                raise RuntimeError("state_dict post-hook must return None")
            destination = destination if changed is None else changed
        return destination

    def register_state_dict_pre_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, prefix, keep_vars)` before a state dict is made."""
        return self._add_state_hook("_before_saving", hook)

    def register_state_dict_post_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata)` when a state dict has been made, which it may change."""

        def changing(*args: Any) -> Any:
            return hook(*args)

        changing._returns = False  # type: ignore[attr-defined]
        return self._add_state_hook("_after_saving", changing)

    def _register_state_dict_hook(self, hook: Callable) -> Handle:
        return self._add_state_hook("_after_saving", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)` before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False) -> Handle:
        def called(*args: Any) -> None:
            hook(self, *args) if with_module else hook(*args)

        return self._add_state_hook("_before_loading", called)

    def register_load_state_dict_post_hook(self, hook: Callable) -> Handle:
        """Call `hook(module, keys)` after loading; it may change the lists of missing and unexpected keys."""
        return self._add_state_hook("_after_loading", hook)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Load this module's own tensors, without those of the modules inside.

        Args:
            state_dict: values by name.
            prefix: what the names of this module begin with.
            local_metadata: what was saved with it.
            strict: whether names that do not fit are noted.
            missing_keys: where names are noted that are not there.
            unexpected_keys: where names are noted that the module does not know.
            error_msgs: where other errors are noted.
        """
        notes = (missing_keys, unexpected_keys, error_msgs)
        for hook in list(self._state_hooks("_before_loading").values()):
            hook(state_dict, prefix, local_metadata, strict, *notes)
        own = self._own_state()
        for name, tensor in own.items():
            key = prefix + name
            if key not in state_dict:
                missing_keys.extend([key] * strict)
                continue
            self._load_one(
                key,
                name,
                tensor,
                state_dict[key],
                bool(local_metadata.get("assign_to_params_buffers")),
                error_msgs,
            )
        extra = prefix + _EXTRA
        if self._defines("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        for key in state_dict if strict else ():
            if key.startswith(prefix) and key != extra:
                first, dot, _ = key[len(prefix) :].partition(".")
                if first not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    def _load_one(self, key: str, name: str, old: Tensor, new: Any, assign: bool, errors: list[str]) -> None:
        divided = hasattr(old, "part_of")
        new = old.part_of(new) if divided else new  # type: ignore[attr-defined]
        if not isinstance(new, Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
                f"but received {type(new)}"
            )
            return
        if old.ndim == 0 and tuple(new.shape) == (1,):
            new = new[0]
        if tuple(new.shape) != tuple(old.shape):
            errors.append(
                f"size mismatch for {key}: copying a param with shape {new.shape} from checkpoint, the shape in current "
                f"model is {old.shape}."
            )
            return
        with no_grad():
            if divided and is_meta(old):  # it stays this process's part
                old.data = new.detach()
                return
            if not assign or divided:
                if is_meta(old) and not is_meta(new):
                    warnings.warn(
                        f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                        "model, which is a no-op. (Did you mean to pass `assign=True`?)",
                        stacklevel=5,
                    )
                old.copy_(new)  # type: ignore[attr-defined]
                return
            if name in self._parameters and not isinstance(new, type(old)):
                new = type(old)(new, old.requires_grad)  # type: ignore[call-arg]
            setattr(self, name, new)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Keys:
        """Load values by name.

        Args:
            state_dict: values by name.
            strict: whether all names must agree.
            assign: whether the tensors themselves become the module's, not their values.

        Returns:
            The names that were missing, and those that the module does not know.

        Raises:
            TypeError: if it is no mapping.
            RuntimeError: if names (with `strict`) or shapes do not agree; what fits is loaded then.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        known = getattr(state_dict, "_metadata", None) or {}
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []

        def load(module: Any, values: Any, prefix: str) -> None:
            local = dict(known.get(prefix[:-1], {}))
            if assign:
                local["assign_to_params_buffers"] = True
            module._load_from_state_dict(values, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {k: v for k, v in values.items() if k.startswith(below)}, below)
            keys = Keys(missing, unexpected)
            for hook in list(module._state_hooks("_after_loading").values()):
                hook(module, keys)

        load(self, OrderedDict(state_dict), "")
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    listed = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        return Keys(missing, unexpected)
