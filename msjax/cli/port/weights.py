"""Checkpoints: the parameters of a PyTorch module under the names that the ported program gives them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from msjax.cli.port import mapping
from msjax.core.tensor.tensor import Tensor

ENDINGS = (".pt", ".pth", ".bin")
_COUNTER = (
    "num_batches_tracked"  # the count of batches, which mint.nn.BatchNorm2d keeps, and nn.BatchNorm2d not
)


def new_names() -> Mapping[str, list[str]]:
    """Return what the table calls each parameter of PyTorch's: {"weight": ["gamma", "embedding_table", ...], ...}."""
    found: dict[str, list[str]] = {}
    for row in mapping.rows().values():
        for old, new in (row.parameters or {}).items():
            if new not in found.setdefault(old, []):
                found[old].append(new)
    return found


def convert(state: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return a state dict of PyTorch's as the parameters of a Cell.

    A parameter is found by its name, with the last part as the table renames it: `bn1.weight` is `bn1.gamma` if the Cell
    has that. Shapes that differ by axes of size 1 (the kernels of one-dimensional convolutions) are adjusted.

    Args:
        state: PyTorch's names and values.
        like: the Cell's names and values of the same shapes; of a Cell, `dict(cell.parameters_and_names())`.

    Raises:
        ValueError: if names are left on one side, or shapes do not agree.

    Examples:
        >>> import numpy as np
        >>> from msjax.cli.port import weights
        >>> state = {"bn.weight": np.ones(2), "bn.num_batches_tracked": np.array(3)}
        >>> weights.convert(state, {"bn.gamma": np.zeros(2)})
        {'bn.gamma': array([1., 1.])}
    """
    others = new_names()
    found: dict[str, np.ndarray] = {}
    placed: set[str] = set()
    for name, value in state.items():
        place = next((n for n in _candidates(name, others) if n in like), "")
        array = np.asarray(value)
        if place:
            found[place] = _of_shape(array, tuple(like[place].shape), name, place)
            placed.add(name)
    left = [n for n in state if n not in placed and n.rpartition(".")[2] != _COUNTER]
    # Parameters that are tied have a name each in PyTorch, and one here.
    left = [n for n in left if not any(_same(state[n], array) for array in found.values())]
    missing = [n for n in like if n not in found]
    if left or missing:
        parts = [f"no place for {', '.join(left)}"] if left else []
        parts += [f"nothing for {', '.join(missing)}"] if missing else []
        raise ValueError(f"The checkpoint is not of this net: {'; '.join(parts)}.")
    return found


def convert_file(source: str | Path, like: str | Path, out: str | Path) -> int:
    """Write PyTorch's file `source` as MindSpore's checkpoint `out`; returns the number of parameters.

    Args:
        source: of `torch.save(net.state_dict(), source)`, or of a dictionary that has that under one key.
        like: a checkpoint that the ported program saved, of the same net with any values.
        out: the new checkpoint.

    Raises:
        ValueError: if the files are not of one net.
    """
    from msjax.torch import serialization  # takes a while, which those who port programs need not wait for
    from msjax.train import load_checkpoint, save_checkpoint

    given = serialization.load(str(source), map_location="cpu")
    state = state_in(given)
    names = load_checkpoint(str(like))
    found = convert({name: np.asarray(value.numpy()) for name, value in state.items()}, names)
    save_checkpoint([{"name": n, "data": Tensor(v)} for n, v in found.items()], str(out))
    return len(found)


def state_in(given: Any) -> Mapping[str, Any]:
    """Return the state dict in what a file holds: itself, or the one dictionary of Tensors among its values.

    Raises:
        ValueError: if there is none, or more than one.
    """
    if _is_state(given):
        return given
    inner = {k: v for k, v in given.items() if _is_state(v)} if isinstance(given, Mapping) else {}
    if len(inner) == 1:
        return next(iter(inner.values()))
    keys = ", ".join(map(str, inner)) or "none"
    raise ValueError(f"The file must hold one state dict, that is names and Tensors. It has: {keys}.")


def _is_state(given: Any) -> bool:
    return isinstance(given, Mapping) and bool(given) and all(hasattr(v, "numpy") for v in given.values())


def _candidates(name: str, others: Mapping[str, list[str]]) -> Iterable[str]:
    name = name.removeprefix("module.").removeprefix("_orig_mod.")  # of DataParallel, of torch.compile
    yield name
    before, dot, last = name.rpartition(".")
    for new in others.get(last, ()):
        yield f"{before}{dot}{new}"


def _of_shape(array: np.ndarray, shape: tuple[int, ...], name: str, place: str) -> np.ndarray:
    if array.shape == shape:
        return array
    if [n for n in array.shape if n != 1] == [n for n in shape if n != 1]:
        return array.reshape(shape)
    raise ValueError(f"`{name}` has shape {array.shape}, `{place}` has {shape}.")


def _same(value: Any, array: np.ndarray) -> bool:
    """Say whether one is the other, tied; constants, as biases that begin with zeros, are equal by chance."""
    value = np.asarray(value)
    if value.size and (value == value.flat[0]).all():
        return False
    return value.shape == array.shape and bool((value == array).all())
