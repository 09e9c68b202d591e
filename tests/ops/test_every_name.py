"""All names of an operator (function, class form, method, mint, aliases) give the same for the samples of its table."""

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from golden import FAMILIES, GOLDEN, leaves, operator, rebuilt
from samples import DT, Sample

import msjax as ms
from msjax import mint, ops
from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.public_api import stubs

SPACES = {"ops": ops, "mint": mint, "mint.nn.functional": mint.nn.functional, "mint.special": mint.special,
          "mint.linalg": mint.linalg}  # fmt: skip
# Names that mean something else, as MindSpore's do.
INDICES = "indices are int64"
OTHER = {
    "Tensor.where": "the Tensor is the first choice, the condition comes first",
    "Tensor.max": "gives no indices unless it is asked to",
    "Tensor.min": "gives no indices unless it is asked to",
    "Tensor.flatten": "from the first axis on",
    "Tensor.unique": "sorts, and gives no indices unless it is asked to",
    "mint.flatten": "from the first axis on",
    "mint.nn.functional.flatten": "from the first axis on",
    "mint.unique": "sorts, and gives no indices unless it is asked to",
    "mint.std_mean": "the second argument is the axis, and the default corrects",
    "ops.repeat_elements": "along the first axis",
    "mint.cummin": INDICES,
    "mint.sort": INDICES,
    "mint.argsort": INDICES,
    "mint.topk": INDICES,
    "Tensor.searchsorted": "indices are int32",
    "ops.FlashAttentionScore": "gives intermediate results too",
    "mint.bincount": "counts whole numbers",
    "ops.TrilIndices": "int32 by default",
    "ops.TriuIndices": "int32 by default",
    "mint.nn.functional.leaky_relu": "another slope by default",
    "ops.GeLU": "approximates with tanh",
    "ops.Gelu": "approximates with tanh",
    "mint.nn.functional.smooth_l1_loss": "another reduction by default",
    "ops.MaxPoolWithArgmaxV2": "gives indices too",
    "ops.AdaptiveMaxPool2D": "gives indices too",
}
# Names under whose signatures no sample of the function can be written; they have tests of their own.
UNLIKE = set(
    """
    mint.addcdiv mint.mean ops.mean_ext mint.prod ops.prod_ext mint.std mint.var mint.var_mean
    mint.all mint.any mint.count_nonzero ops.CountNonZero mint.argmin mint.transpose ops.ReverseV2
    ops.SplitV mint.gather ops.FillV2 ops.Conv2D ops.Conv3D ops.Conv3DTranspose ops.MaxPool3DWithArgmax
    ops.AdaptiveMaxPool3D ops.MaxUnpool2D ops.MaxUnpool3D ops.Renorm
    """.split()
)
MOST = 12  # samples that are tried until one suits the signature


def root(thing: Any) -> Any:
    """The function that an adapter, a class form or an in-place method calls in the end."""
    while getattr(thing, "target", None) is not None:
        thing = thing.target
    return thing


def named() -> dict[Any, dict[str, Any]]:
    """{id of a function, or its name: {public name: what has that name}}."""
    found: dict[Any, dict[str, Any]] = {}
    spaces = [(f"{label}.", space, stubs.names(space.__name__)) for label, space in SPACES.items()]
    for label, space, names in [*spaces, ("Tensor.", ms.Tensor, dir(ms.Tensor))]:
        for name in names:
            thing = getattr(space, name, None)
            if callable(thing) and not name.startswith("_"):
                found.setdefault(id(root(thing)), {})[label + name] = thing
                found.setdefault(name, {})[label + name] = thing
    return found


NAMED = named()
SAMPLES: dict[str, list[Sample]] = {}
for sample in itertools.chain(*FAMILIES.values()):
    if "error" not in GOLDEN[sample.id] and sample.new is None:
        SAMPLES.setdefault(sample.op, []).append(sample)


def names_of(op: str) -> dict[str, Any]:
    """All public names of the function of that name, and what else has its name."""
    return NAMED.get(op, {}) | NAMED.get(id(root(operator(op))), {})


def arguments(sample: Sample) -> tuple[list[Any], dict[str, Any]]:
    def argument(value: Any) -> Any:
        if isinstance(value, DT):
            return getattr(dtypes, value.name)
        return Tensor(value) if isinstance(value, np.ndarray) else value

    return rebuilt(sample.inputs(), argument)


def call_under(fn: Callable, thing: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Return the result of another name for the arguments of `fn`; TypeError if they do not suit its signature."""
    if not inspect.isclass(thing):
        inspect.signature(thing).bind(*args, **kwargs)
        return thing(*args, **kwargs)
    bound = inspect.signature(fn).bind(*args, **kwargs).arguments
    made = thing(**{name: bound.pop(name) for name in inspect.signature(thing).parameters if name in bound})
    inspect.signature(made).bind(*bound.values())
    return made(*bound.values())


def same(one: Any, other: Any) -> bool:
    one, other = leaves(one), leaves(other)
    return len(one) == len(other) and all(
        a.dtype == b.dtype and a.shape == b.shape and np.allclose(a.asnumpy(), b.asnumpy(), 1e-6, 1e-6, True)
        if isinstance(a, Tensor) and isinstance(b, Tensor)
        else a == b
        for a, b in zip(one, other, strict=True)
    )


def compare(op: str, label: str, thing: Any) -> str | None:
    """Describe the fault of a name; "" if there is none, None if no sample suits it."""
    fn = operator(op)
    for sample in SAMPLES[op][:MOST]:
        args, kwargs = arguments(sample)
        if label.startswith("Tensor.") and not isinstance(args[0], Tensor):
            continue
        expected = fn(*args, **kwargs)
        in_place = label.endswith("_") and isinstance(expected, Tensor)
        if in_place and (expected.dtype, expected.shape) != (args[0].dtype, args[0].shape):
            continue
        try:
            found = call_under(fn, thing, arguments(sample)[0], kwargs)
        except (TypeError, ValueError, AttributeError):
            continue
        return "" if same(expected, found) else f"{label}: {sample.id}: {found} for {expected}"
    return None


@pytest.mark.parametrize("family", FAMILIES)
def test_every_name_gives_the_same(family: str) -> None:
    wrong = []
    for op in {s.op: None for s in FAMILIES[family] if s.op in SAMPLES}:
        for label, thing in names_of(op).items():
            if label in OTHER or label in UNLIKE:
                continue
            found = compare(op, label, thing)
            wrong += (
                [f"{label}: no sample of `{op}` suits it" if found is None else found] if found != "" else []
            )
    assert not wrong, "\n".join(wrong)


def test_there_are_many_names() -> None:
    labels = {label for op in SAMPLES for label in names_of(op)}
    assert len(labels) > 1200
    assert labels >= set(OTHER) | UNLIKE
