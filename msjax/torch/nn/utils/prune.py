"""`torch.nn.utils.prune`: weights that are held at zero by a mask, as forward pre-hooks."""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self

from msjax.torch.functions import basic
from msjax.torch.functions.served_from_mint import find_function
from msjax.torch.nn.module import Module
from msjax.torch.tensors.tensor import Tensor


class BasePruningMethod(ABC):
    """Base of the methods; a subclass says in `compute_mask` what is kept.

    A pruned tensor `weight` becomes a Parameter `weight_orig` and a buffer `weight_mask`; `weight` is their product,
    computed anew before each call of the module.
    """

    PRUNING_TYPE = "unstructured"
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        """Compute the masked tensor, before the module does."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask, of ones and zeros.

        Args:
            t: the importance of each element.
            default_mask: the mask of what was pruned before.
        """

    def apply_mask(self, module: Module) -> Tensor:
        """Return the tensor of a module times its mask."""
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prune a tensor of a module; a second method prunes of what the first one left.

        Args:
            module: the module.
            name: of the tensor.
            *args: of this method.
            importance_scores: the importance of each element; None for the tensor's own values.
            **kwargs: of this method.

        Returns:
            The method, or the container of all methods that prune this tensor.

        Raises:
            AssertionError: if importance_scores have another shape.
        """
        method = cls(*args, **kwargs)
        method._tensor_name = name
        former: list[Any] = [hook for hook in module._forward_pre_hooks.values() if _prunes(hook, name)]
        if former:
            (before,) = former
            _drop(module, before)
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, f"{name}_orig" if former else name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(
                "importance_scores should have the same shape as parameter "
                f"{name} of {module}, got {scores.shape} vs {original.shape}"
            )
        if not former:
            delattr(module, name)
            module.register_parameter(f"{name}_orig", original)
            default = basic.ones_like(original)
        else:
            default = getattr(module, f"{name}_mask").detach().clone()
        try:
            mask = method.compute_mask(scores.detach(), default)
        except Exception:
            if not former:
                delattr(module, f"{name}_orig")
                module.register_parameter(name, original)
            raise
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Any = None) -> Tensor:
        """Return a tensor times the mask that this method computes for it."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default = basic.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Module) -> None:
        """Make the masked tensor a Parameter of the module again."""
        name = self._tensor_name
        masked = self.apply_mask(module)
        original = getattr(module, f"{name}_orig")
        original.data = masked.detach()
        for each in (name, f"{name}_orig", f"{name}_mask"):
            delattr(module, each)
        module.register_parameter(name, original)


class PruningContainer(BasePruningMethod):
    """Methods that prune one tensor, one after the other.

    Args:
        *args: the methods, for the same tensor.
    """

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in args:
            if not self._pruning_methods and hasattr(method, "_tensor_name"):
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method behind the others.

        Raises:
            TypeError: if it is none.
            ValueError: if it is for a tensor of another name.
        """
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods = (*self._pruning_methods, method)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask after the last method, which sees only what the ones before left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype).clone()
        if method.PRUNING_TYPE == "unstructured":
            part: Any = mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim % t.dim()  # type: ignore[attr-defined]
            others = tuple(d for d in range(t.dim()) if d != dim)
            part = (slice(None),) * dim + (mask.sum(dim=others) != 0,)
        elif method.PRUNING_TYPE == "global":
            part = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        mask[part] = method.compute_mask(t[part], default_mask=mask[part])
        return mask


class Identity(BasePruningMethod):
    """Prunes nothing, but gives the tensor its mask."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask as it was."""
        return default_mask


class _OfAmount(BasePruningMethod):
    """A method that prunes a number or a share of the elements or channels."""

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        whole = isinstance(amount, numbers.Integral)
        if (whole and amount < 0) or (not whole and not 0 <= float(amount) <= 1):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
            )
        self.amount = amount

    def _count(self, size: int) -> int:
        amount: Any = self.amount
        if not isinstance(amount, numbers.Integral):
            return round(amount * size)
        if int(amount) > size:
            raise ValueError(
                f"amount={self.amount} should be smaller than the number of parameters to prune={size}"
            )
        return int(amount)

    def _least(self, scores: Tensor, default_mask: Tensor, largest: bool = False) -> Tensor:
        """The mask without the elements of the least scores."""
        count = self._count(scores.nelement())
        mask = default_mask.clone()
        if count:
            places = find_function("topk")(scores.reshape(-1), k=count, largest=largest).indices
            mask.view(-1)[places] = 0
        return mask


class RandomUnstructured(_OfAmount):
    """Prunes elements at random.

    Args:
        amount: how many, or the share of them.
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask without some elements."""
        return self._least(basic.rand_like(t), default_mask, largest=True)


class L1Unstructured(_OfAmount):
    """Prunes the elements of the smallest magnitudes.

    Args:
        amount: how many, or the share of them.
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask without the smallest."""
        return self._least(abs(t), default_mask)


class _OfChannels(_OfAmount):
    """A method that prunes whole channels."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _scores(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask without the channels of the least scores.

        Raises:
            ValueError: if the tensor has fewer than two dimensions.
            IndexError: if it has no such dimension.
        """
        if t.dim() <= 1:
            raise ValueError(
                f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        dim = self.dim % t.dim()
        size = t.shape[dim]
        count = self._count(size)
        if not count:
            return default_mask
        kept = basic.zeros_like(t)
        places = find_function("topk")(self._scores(t), k=size - count, largest=True).indices
        kept[(slice(None),) * dim + (places,)] = 1
        return kept * default_mask.to(dtype=kept.dtype)


class RandomStructured(_OfChannels):
    """Prunes channels at random.

    Args:
        amount: how many, or the share of them.
        dim: the dimension that counts the channels.
    """

    def _scores(self, t: Tensor) -> Tensor:
        return basic.rand(t.shape[self.dim])


class LnStructured(_OfChannels):
    """Prunes the channels of the smallest norms.

    Args:
        amount: how many, or the share of them.
        n: the order of the norm.
        dim: the dimension that counts the channels.
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t: Tensor) -> Tensor:
        dim = self.dim % t.dim()
        return basic.norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != dim])


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask.

    Args:
        mask: ones and zeros, of the tensor's shape.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The product of both masks."""
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> Self:  # type: ignore[override]
        """Prune a tensor of a module by a mask."""
        return super().apply(module, name, mask=mask)


def identity(module: Module, name: str) -> Module:
    """Give a tensor of a module a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: Any) -> Module:
    """Prune elements at random: `amount` of them, or that share."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: Any, importance_scores: Any = None) -> Module:
    """Prune the elements of the smallest magnitudes.

    Examples:
        >>> from msjax import torch
        >>> from msjax.torch.nn.utils import prune
        >>> net = torch.nn.Linear(4, 2)
        >>> prune.l1_unstructured(net, "weight", amount=0.5)
        Linear(in_features=4, out_features=2, bias=True)
        >>> int((net.weight == 0).sum()), sorted(net.state_dict())
        (4, ['bias', 'weight_mask', 'weight_orig'])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: Any, dim: int) -> Module:
    """Prune channels along `dim` at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
) -> Module:
    """Prune the channels along `dim` of the smallest norms of order `n`."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune a tensor of a module by a mask of its shape."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune elements of several tensors, as if they were one.

    Args:
        parameters: pairs of a module and a name.
        pruning_method: a class of unstructured methods.
        importance_scores: {(module, name): scores}; the tensors' own values elsewhere.
        **kwargs: of the method.

    Raises:
        TypeError: if parameters cannot be iterated over, importance_scores are no dict, or the method is structured.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if importance_scores is not None and not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    scores, pairs = importance_scores or {}, list(parameters)
    tensors = [
        scores.get((module, name), getattr(module, f"{name}_orig", getattr(module, name)))
        .detach()
        .reshape(-1)
        for module, name in pairs
    ]
    masks = [
        getattr(module, f"{name}_mask", basic.ones_like(getattr(module, name))).detach().reshape(-1)
        for module, name in pairs
    ]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    mask = container.compute_mask(basic.cat(tensors), basic.cat(masks))
    start = 0
    for module, name in pairs:
        tensor = getattr(module, name)
        custom_from_mask(module, name, mask[start : start + tensor.numel()].view_as(tensor))
        start += tensor.numel()


def remove(module: Module, name: str) -> Module:
    """Make a pruning permanent: the tensor is a Parameter again, with its zeros.

    Raises:
        ValueError: if the tensor is not pruned.
    """
    for hook in [*module._forward_pre_hooks.values()]:
        if _prunes(hook, name):
            hook.remove(module)
            _drop(module, hook)
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Return True if a tensor of the module or of one inside it is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for each in module.modules()
        for hook in each._forward_pre_hooks.values()
    )


def _prunes(hook: Any, name: str) -> bool:
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


def _drop(module: Module, hook: Any) -> None:
    for number, one in [*module._forward_pre_hooks.items()]:
        if one is hook:
            del module._forward_pre_hooks[number]
