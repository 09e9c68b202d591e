"""Obfuscated checkpoints, usable only with the knowledge of how their weights were changed."""

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from msjax.core import dtype as dtypes
from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.nn.layers.containers import CellList
from msjax.ops.linalg.products import matmul
from msjax.ops.math.arithmetic import mul, reciprocal
from msjax.ops.math.casts import cast
from msjax.train.serialization import load_checkpoint, save_checkpoint

__all__ = ["load_obf_params_into_net", "obfuscate_ckpt"]

_CONFIGS = ("obf_metadata_config", "weight_obf_config", "network_obf_config")
_METADATA: dict[str, Callable] = {"invert": reciprocal, "mul": mul, "matmul": matmul}


def obfuscate_ckpt(
    network: Cell,
    ckpt_files: str,
    target_modules: list[str] | None = None,
    obf_config: dict[str, list[dict]] | None = None,
    saved_path: str = "./",
    obfuscate_scale: float = 100,
) -> dict[str, Any]:
    """Change the weights in all `.ckpt` files of a folder, and save each as `NAME_obf.ckpt`.

    Args:
        network (Cell): the network.
        ckpt_files (str): the folder with the files; those in its folders are taken too.
        target_modules (list[str]): where in the network, as "a/b", and the layers there, as "fc1|fc2"; further
            "obfuscate_layers:all" or "obfuscate_layers:N" for layers that repeat below "blocks". Weights and biases are
            multiplied with a random number. As in MindSpore, nothing is changed if the first is "".
        obf_config (dict): in its place, lists of dicts by name: "obf_metadata_config" says which random Tensors to make
            (`name`, `shape`, `type` "random" or "rearrange", `save_metadata`, `metadata_op`), "weight_obf_config" what to
            do (`target`, `weight_obf_ops` of "mul", "permuate", "matmul"); both may have `layers`, which "${layer}" names.
        saved_path (str): the folder for what is saved.
        obfuscate_scale (Union[float, int]): random numbers are integers in [2, obfuscate_scale); 1 up to a scale of 2.

    Returns:
        dict from names to the arrays that `save_metadata` asks for.

    Raises:
        TypeError, ValueError: for arguments of another kind; if there is no such folder or layer.
        KeyError: for an unknown `metadata_op`, or a weight without target or operators.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.SequentialCell(ms.nn.Dense(2, 2)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ms.save_checkpoint(net, os.path.join(folder, "net.ckpt"))
        ...     _ = ms.obfuscate_ckpt(net, folder, ["0", "0"], saved_path=folder)
        ...     changed = ms.load_checkpoint(os.path.join(folder, "net_obf.ckpt"))["0.0.weight"]
        >>> bool((changed.asnumpy() == net[0][0].weight.asnumpy()).all())
        False
    """
    _check_network(network)
    source, target = _folder("ckpt_files", ckpt_files), _folder("saved_path", saved_path)
    config = _config(network, target_modules, obf_config)
    _check(config, "obf_metadata_config")
    _check(config, "weight_obf_config")
    if (
        isinstance(obfuscate_scale, bool)
        or not isinstance(obfuscate_scale, int | float)
        or obfuscate_scale <= 1
    ):
        raise ValueError(
            f"`obfuscate_ckpt`: argument `obfuscate_scale` must be a number above 1. Received: {obfuscate_scale!r}."
        )
    made, kept = _metadata(config["obf_metadata_config"], obfuscate_scale)
    for path in sorted(source.iterdir()):
        if path.is_dir():
            for inner in sorted(path.glob("*.ckpt")):
                (target / path.name).mkdir(mode=0o700, exist_ok=True)
                _obfuscate(inner, made, config["weight_obf_config"], target / path.name)
        elif path.suffix == ".ckpt":
            _obfuscate(path, made, config["weight_obf_config"], target)
    return kept


def load_obf_params_into_net(
    network: Cell,
    target_modules: list[str] | None = None,
    obf_ratios: Any = None,
    obf_config: dict[str, list[dict]] | None = None,
    data_parallel_num: int = 1,
    **kwargs: Any,
) -> Cell:
    """Return the network itself: MindSpore 2.10 checks the arguments and changes nothing either.

    Args:
        network (Cell): the network.
        target_modules (list[str]): as for :func:`obfuscate_ckpt`.
        obf_ratios (Tensor): without effect.
        obf_config (dict): as for :func:`obfuscate_ckpt`, with "network_obf_config".
        data_parallel_num (int): a positive int; without effect.
        kwargs: without effect.

    Raises:
        TypeError, ValueError: for arguments of another kind.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.SequentialCell(ms.nn.Dense(2, 2)))
        >>> ms.load_obf_params_into_net(net, ["0", "0"]) is net
        True
    """
    _check_network(network)
    _check(_config(network, target_modules, obf_config), "network_obf_config")
    if not isinstance(data_parallel_num, int) or data_parallel_num <= 0:
        raise ValueError(
            f"`load_obf_params_into_net`: argument `data_parallel_num` must be a positive int. Received: "
            f"{data_parallel_num!r}."
        )
    return network


def _metadata(entries: list[dict], scale: float) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the random Tensors, and what is kept of them."""
    made: dict[str, Tensor] = {}
    kept: dict[str, Any] = {}
    for entry in entries:
        for name in _names(entry["name"], entry.get("layers")):
            if name in made:
                continue
            made[name] = _draw_tensor(entry["shape"], entry.get("type"), scale)
            if entry.get("save_metadata", False):
                after = entry.get("metadata_op")
                if after is not None and after not in _METADATA:
                    raise KeyError(f"'op name' must be in {list(_METADATA)}, but got {after}.")
                kept[name] = (_METADATA[after](made[name]) if after else made[name]).asnumpy()
    return made, kept


def _draw_tensor(shape: list[int], kind: str | None, scale: float) -> Tensor:
    random = np.random.default_rng()
    if kind == "random":
        # A factor of 1 would save the weights as they are, which MindSpore does once in 99 times: it is drawn only
        # where the scale leaves nothing else.
        high = int(np.ceil(scale))
        return Tensor(random.integers(min(2, high - 1), high, size=shape), dtype=dtypes.float16)
    order = random.permutation(shape[-1])
    if kind == "rearrange" and len(shape) in (1, 2):
        return Tensor(order if len(shape) == 1 else np.identity(shape[0])[:, order], dtype=dtypes.int32)
    raise ValueError(
        f"`obf_config`: `type` must be 'random', or 'rearrange' for 1 or 2 axes. Received: {kind!r}, {shape}."
    )


def _names(name: str, layers: list[int] | None) -> Iterator[str]:
    if not layers:
        yield name
    for layer in layers or ():
        yield Template(name).safe_substitute(layer=str(layer))


def _obfuscate(path: Path, made: dict[str, Tensor], entries: list[dict], folder: Path) -> None:
    parameters = load_checkpoint(str(path))
    changed = 0
    for entry in entries:
        if not entry.get("target") or not entry.get("weight_obf_ops"):
            raise KeyError("target or obf_ops is None.")
        layers = entry.get("layers") or [None]
        for layer, name in zip(layers, _names(entry["target"], entry.get("layers")), strict=True):
            parameter = parameters.get(name.replace("/", "."))
            if parameter is not None and not name.startswith("/"):
                parameter.set_data(_apply_steps(parameter.value(), entry["weight_obf_ops"], made, layer))
                changed += 1
    if not changed:
        warnings.warn(
            f"`obfuscate_ckpt`: nothing in {path} was changed: no target names a weight in it.", stacklevel=3
        )
    stem = path.name.split(".")[0]
    listed = [{"name": name, "data": value} for name, value in parameters.items()]
    save_checkpoint(listed, str(folder / f"{stem}_obf.ckpt"))


def _apply_steps(value: Any, steps: list[dict], made: dict[str, Tensor], layer: int | None) -> Any:
    dtype = value.dtype
    for step in steps:
        kind = step.get("name")

        def operand(key: str, step: dict = step, present: Any = value) -> Any:
            name = Template(step.get(key, "")).safe_substitute(layer=str(layer or 0))
            if name not in made and name.startswith("obf_metadata"):
                raise ValueError(
                    f"`obf_config`: {name!r} is not in `obf_metadata_config`, which has {list(made)}."
                )
            return made.get(name, present)

        if kind == "mul":
            value = value * cast(operand("input_y"), dtype)
        elif kind == "permuate":
            value = value[operand("input_x")]
        elif kind == "matmul":
            left, right = cast(operand("input_x"), dtype), cast(operand("input_y"), dtype)
            left = left.T if step.get("transpose_a", False) else left
            value = matmul(left, right.T if step.get("transpose_b", False) else right)
        else:
            raise ValueError(
                f"`obf_config`: an operator must be 'mul', 'permuate' or 'matmul'. Received: {kind!r}."
            )
    return value


# ---------------------------------------------------------------- what is asked for


def _check_network(network: Any) -> None:
    if not isinstance(network, Cell):
        raise TypeError(f"network must be nn.Cell, but got {type(network)}.")


def _folder(name: str, path: Any) -> Path:
    if not isinstance(path, str):
        raise TypeError(f"{name} must be string, but got {type(path)}.")
    if not Path(path).exists():
        raise ValueError(f"{path} is not exist, please check the input {name}.")
    if not Path(path).is_dir():
        raise TypeError(f"{name} must be a directory path, but got {path}.")
    return Path(path)


def _config(network: Cell, modules: Any, config: Any) -> dict[str, list[dict]]:
    if config is None:
        _check_modules(network, modules)
        return _from_modules(modules)
    if not isinstance(config, dict):
        raise TypeError(f"obf_config type should be dict, but got {type(config)}.")
    if not config:
        raise ValueError("'obf_config' is empty or not valid, please check the input.")
    return config


def _from_modules(modules: list[str]) -> dict[str, list[dict]]:
    path, names = modules[0], modules[1].split("|")
    data: dict[str, Any] = {"name": "obf_metadata", "shape": [1], "type": "random"}
    data |= {"save_metadata": True, "metadata_op": "invert"}
    layers: list[int] = []
    if len(modules) > 2:
        count = modules[2].split(":")[1]
        layers = list(range(12 if count == "all" else int(count)))
        path = path.replace("blocks", "blocks/${layer}")
        data |= {"name": "obf_metadata_${layer}", "layers": layers}
    step = {"name": "mul", "input_x": "weight", "input_y": data["name"]}
    weights = [
        {"target": f"{path}/{name}/{kind}", "weight_obf_ops": [step], "layers": layers}
        for name in names
        for kind in ("weight", "bias")
    ]
    inserted = [{"module": "/" + path, "target": name, "insert_ops": [step]} for name in names]
    return dict(zip(_CONFIGS, ([data], weights, inserted), strict=True))


def _check_modules(network: Cell, modules: Any) -> None:
    if not isinstance(modules, list):
        raise TypeError(f"target_modules type should be list, but got {type(modules)}.")
    if len(modules) < 2:
        raise ValueError(
            f"target_modules should contain at least two strings, ['A/B/C', 'D1|D2']. Received: {modules}."
        )
    if not isinstance(modules[0], str) or not isinstance(modules[1], str):
        raise TypeError(f"The values of target_modules should be string. Received: {modules}.")
    if (
        not modules[1]
        or not re.fullmatch(r"[a-zA-Z0-9/_]*", modules[0])
        or not re.fullmatch(r"[a-zA-Z0-9|_]*", modules[1])
    ):
        raise ValueError(f"target_modules should be in the form of ['A/B/C', 'D1|D2']. Received: {modules}.")
    found = _below(network, modules[0].split("/") if modules[0] else [])
    if not found:
        raise ValueError(f"the path {modules[0]} does not exist.")
    if not any(_child(cell, name) is not None for cell in found for name in modules[1].split("|")):
        raise ValueError(f"all targets {modules[1].split('|')} do not exist in the path {modules[0]}.")
    if len(modules) > 2 and not re.fullmatch(r"obfuscate_layers:(all|[0-9]+)", modules[2]):
        raise ValueError(
            "The third value of target_modules should be in the format of 'obfuscate_layers:all' or 'obfuscate_layers:int'."
        )


def _child(cell: Any, name: str) -> Any:
    return cell.name_cells().get(name, getattr(cell, name, None))


def _below(cell: Any, names: list[str]) -> list[Any]:
    """Return the Cells at a path; of a CellList, what is in all of its members."""
    if not names:
        return [cell]
    child = _child(cell, names[0])
    if child is None:
        return []
    if not isinstance(child, Cell):
        raise TypeError(f"Target_modules[0] should name a Cell, but {names[0]} is a {type(child)}.")
    if isinstance(child, CellList) and len(names) > 1:
        return [found for member in child for found in _below(member, names[1:])]
    return _below(child, names[1:])


def _check(config: dict[str, Any], kind: str) -> None:
    for name in config:
        if name not in _CONFIGS:
            raise TypeError(f"config_type must be str, and in {_CONFIGS}, but got {name}.")
    entries = config.get(kind)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise TypeError(f"obf_config[{kind!r}] should be a list of dicts. Received: {entries!r}.")
    wanted: dict[str, type] = {"name": str, "shape": list} if kind == _CONFIGS[0] else {"target": str}
    wanted |= {"module": str} if kind == _CONFIGS[2] else {}
    for entry in entries:
        for name, of in wanted.items():
            if not entry.get(name) or not isinstance(entry[name], of):
                raise TypeError(
                    f"obf_config[][]['{name}'] type should be {of.__name__}. Received: {entry.get(name)!r}."
                )
        for name in ("weight_obf_ops", "insert_ops", "insert_new_input", "layers"):
            if entry.get(name) is not None and not isinstance(entry[name], list):
                raise TypeError(f"obf_config[][]['{name}'] type should be list. Received: {entry[name]!r}.")
        if kind == _CONFIGS[0] and entry.get("type") not in (None, "random", "rearrange"):
            raise TypeError(
                f"obf_config[][]['type'] should be 'random' or 'rearrange'. Received: {entry['type']!r}."
            )
