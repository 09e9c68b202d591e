"""Pipelines as JSON: `serialize`, `deserialize`, `show`, `compare`.

What is written has MindSpore's form. What MindSpore wrote can be read, as far as it wrote everything: it leaves out the
arguments of most transforms of text and of `Slice`, and the padding of batches.
"""

import inspect
import json
import os
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

import msjax.dataset.random.samplers as samplers
from msjax import log
from msjax.core import dtype
from msjax.dataset import audio, text, transforms, vision
from msjax.dataset.common import checks
from msjax.dataset.common.arguments import enumeration_of, signature_of
from msjax.dataset.pipeline import describing
from msjax.dataset.pipeline.dataset import Dataset, zip_datasets
from msjax.dataset.sources.generator import GeneratorDataset
from msjax.dataset.sources.schema import Schema

_NO_ARGUMENTS = {"device_target", "rgb", "connector_queue_size", "children", "op_type"}  # of MindSpore's only
_NO_SHUFFLE = describing.number_of(samplers.Shuffle.FALSE)
_CLASS_NAMES = {"FakeImageNode": "FakeImageDataset", "HwcToChw": "HWC2CHW"}
_TUPLES = {"fill_value", "value", "threshold", "left_pad", "right_pad"}  # have to be tuples, unless numbers
_SINGLE = {"size", "kernel_size", "sigma"}  # MindSpore writes one number as a list


def serialize(dataset: Dataset, json_filepath: str = "") -> dict[str, Any]:
    r"""Describe a pipeline as a dict, and write it to a file.

    Functions and rows of Python cannot be written: a warning says which, and the pipeline cannot be made again.

    Args:
        dataset: the pipeline.
        json_filepath: the file. Default: none is written.

    Returns:
        dict from strings to what JSON can hold; under "children" those of the steps before.

    Raises:
        TypeError: for something else than a dataset and a str.
        RuntimeError: for a step that has no form in JSON; if the file cannot be written.

    Examples:
        >>> import pathlib, tempfile
        >>> import msjax.dataset as ds
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "a.txt").write_text("one\ntwo\n")
        ...     data = ds.TextFileDataset(f"{folder}/a.txt", shuffle=False).repeat(2)
        ...     described = ds.serialize(data)
        ...     again = ds.deserialize(described)
        ...     print(described["op_type"], [row["text"].item() for row in again.create_dict_iterator(1, True)])
        Repeat ['one', 'two', 'one', 'two']
    """
    if not isinstance(dataset, Dataset):
        checks.fail(TypeError, "serialize", "dataset", "be a dataset", dataset)
    return describing.write_description(dataset, json_filepath)


def deserialize(input_dict: dict[str, Any] | None = None, json_filepath: str | None = None) -> Dataset | None:
    """Make a pipeline from its description.

    Args:
        input_dict: what `serialize` gave.
        json_filepath: the file that it wrote, or that of a tuned pipeline (`config.set_enable_autotune`). It comes before
            `input_dict`.

    Returns:
        Dataset; None if neither is given.

    Raises:
        TypeError: for arguments of another type.
        OSError: if the file cannot be read.
        RuntimeError: if it does not describe a pipeline, or one with functions or rows of Python; see `serialize`.
    """
    if input_dict is not None and not isinstance(input_dict, dict):
        checks.fail(TypeError, "deserialize", "input_dict", "be a dict", input_dict)
    if json_filepath:
        if not isinstance(json_filepath, str | os.PathLike):
            checks.fail(TypeError, "deserialize", "json_filepath", "be a str", json_filepath)
        try:
            input_dict = json.loads(Path(json_filepath).read_text(encoding="utf-8"))
        except ValueError as error:
            raise RuntimeError(f"`deserialize`: {json_filepath!r} holds no JSON: {error}") from error
    return _make_pipeline(input_dict) if input_dict else None


def _make_pipeline(described: Mapping[str, Any]) -> Dataset:
    """Make a pipeline from its description, or from the file of one that was tuned."""
    tree = described.get("tree", described)
    made, step = make_dataset(tree), tree
    while "connector_queue_size" not in step and step.get("children"):
        step = step["children"][0]
    size = step.get("connector_queue_size", describing.NONE_AS["connector_queue_size"])
    made.ahead = None if size == describing.NONE_AS["connector_queue_size"] else size
    return made


def show(dataset: Dataset, indentation: int | None = 2) -> None:
    """Log the description of a pipeline, at the level of information.

    Args:
        dataset: the pipeline.
        indentation: spaces for each level; None: one line.
    """
    log.info(json.dumps(serialize(dataset), indent=indentation))


def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Return True if two pipelines have the same description.

    Args:
        pipeline1: a dataset.
        pipeline2: another.

    Examples:
        >>> import msjax.dataset as ds
        >>> data = ds.FakeImageDataset(3)
        >>> ds.compare(data.take(1), data.take(1)), ds.compare(data.take(1), data.take(2))
        (True, False)
    """
    return serialize(pipeline1) == serialize(pipeline2)


# ---------------------------------------------------------------------- steps


def make_dataset(described: Mapping[str, Any]) -> Dataset:
    """Make the pipeline of one description."""
    if not isinstance(described, Mapping) or "op_type" not in described:
        raise RuntimeError(
            f"`deserialize`: a step is a dict with 'op_type' and 'children'. Received: {described!r}."
        )
    op = described["op_type"]
    children = [make_dataset(child) for child in described.get("children", [])]
    if op not in _STEPS:
        return _make_source(op, described)
    if not children:
        raise RuntimeError(f"`deserialize`: the step {op} has no 'children'.")
    return _STEPS[op](children, described)


def _make_map(children: list[Dataset], given: Mapping[str, Any]) -> Dataset:
    operations = [make_transform(one) for one in given["operations"]]
    columns = [given[name] or None for name in ("input_columns", "output_columns")]
    return children[0].map(operations, *columns, num_parallel_workers=given.get("num_parallel_workers"))


def _make_batch(children: list[Dataset], given: Mapping[str, Any]) -> Dataset:
    _refuse_functions(given, "per_batch_map", "batch_size_func")
    sizes = given["batch_size"], given["drop_remainder"]
    if "pad_info" not in given:
        return children[0].batch(*sizes, num_parallel_workers=given.get("num_parallel_workers"))
    return children[0].padded_batch(*sizes, pad_info=_pad_info(given["pad_info"]))


def _make_buckets(children: list[Dataset], given: Mapping[str, Any]) -> Dataset:
    _refuse_functions(given, "element_length_function")
    if "bucket_boundaries" not in given:
        raise RuntimeError("`deserialize`: the step BucketBatchByLength lacks its boundaries.")
    return children[0].bucket_batch_by_length(
        given["column_names"],
        given["bucket_boundaries"],
        given["bucket_batch_sizes"],
        pad_info=_pad_info(given["pad_info"]),
        pad_to_bucket_boundary=given["pad_to_bucket_boundary"],
        drop_remainder=given["drop_remainder"],
    )


def _refuse_functions(given: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if given.get(name) == describing.PYTHON_FUNCTION:
            raise RuntimeError(
                f"`deserialize`: the argument `{name}` of {given['op_type']} was a function of Python, which JSON does "
                "not hold. Make this step in the program."
            )


def _make_filter(children: list[Dataset], given: Mapping[str, Any]) -> Dataset:
    _refuse_functions(given, "predicate")
    raise RuntimeError(f"`deserialize`: the step Filter lacks its predicate. Received: {given!r}.")


def _pad_info(info: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if info is None else {k: one and (one[0], _value("", one[1])) for k, one in info.items()}


_STEPS: dict[str, Callable[[list[Dataset], Mapping[str, Any]], Dataset]] = {
    "Map": _make_map,
    "Batch": _make_batch,
    "BucketBatchByLength": _make_buckets,
    "Filter": _make_filter,
    "Shuffle": lambda children, given: children[0].shuffle(given["buffer_size"]),
    "Rename": lambda children, given: children[0].rename(given["input_columns"], given["output_columns"]),
    "Project": lambda children, given: children[0].project(given["columns"]),
    "Repeat": lambda children, given: children[0].repeat(given["count"]),
    "Skip": lambda children, given: children[0].skip(given["count"]),
    "Take": lambda children, given: children[0].take(given["count"]),
    "Zip": lambda children, given: zip_datasets(tuple(children)),
    "Concat": lambda children, given: children[0].concat(children[1:]),
}


# ---------------------------------------------------------------------- sources, samplers, transforms


def _make_source(op: str, given: Mapping[str, Any]) -> Dataset:
    import msjax.dataset as datasets  # above this file: it has the names of all sources

    cls = getattr(datasets, _CLASS_NAMES.get(op, op), None) if isinstance(op, str) else None
    if cls is GeneratorDataset:
        raise RuntimeError(
            "`deserialize`: the rows of a GeneratorDataset come from Python, which JSON does not hold. "
            "Make this dataset in the program."
        )
    if not isinstance(cls, type) or not issubclass(cls, GeneratorDataset):
        raise RuntimeError(f"`deserialize`: there is no dataset or step {op!r}.")
    wanted = signature_of(cls).parameters
    arguments = {}
    for name, value in given.items():
        if name == "sampler":
            arguments[name] = make_sampler(value)
        elif name == "schema" and isinstance(value, str) and value.startswith("{"):
            arguments[name] = _read_schema(value)
        elif name == "shuffle" and value == _NO_SHUFFLE:
            arguments[name] = False
        elif name in wanted and value != describing.NONE_AS.get(name):
            arguments[name] = _value(name, value, enumeration_of(wanted[name]))
    return cls(**{name: value for name, value in arguments.items() if name in wanted})


def _read_schema(written: str) -> Schema:
    schema = Schema()
    schema.from_json(json.loads(written))
    return schema


def make_sampler(given: Mapping[str, Any] | None) -> Any:
    """Make the sampler of a description."""
    if given is None:
        return None
    name = given.get("sampler_name", "")
    cls = getattr(samplers, name, None)
    if name == describing.PYTHON_FUNCTION or not isinstance(cls, type):
        raise RuntimeError(
            f"`deserialize`: there is no sampler {name!r}; samplers of Python are not in JSON."
        )
    given = dict(given)
    if "shuffle_mode" in given:
        mode = _member(samplers.Shuffle, given["shuffle_mode"])
        given["shuffle"] = mode if name == "RandomSampler" else mode is samplers.Shuffle.GLOBAL
    wanted = signature_of(cls).parameters
    arguments = {k: v for k, v in given.items() if k in wanted and v != describing.NONE_AS.get(k, ...)}
    if name == "DistributedSampler":
        arguments |= {k: given[k] for k in ("num_shards", "shard_id")}
    sampler = cls(**{name: _value(name, value) for name, value in arguments.items()})
    for child in given.get("child_sampler", []):
        sampler.add_child(make_sampler(child))
    return sampler


def make_transform(given: Mapping[str, Any]) -> Any:
    """Make the transform of a description."""
    name, module = str(given.get("tensor_op_name", "")), str(given.get("python_module", ""))
    found = [
        cls
        for each in (vision, transforms, text, audio)
        if isinstance(cls := vars(each).get(_CLASS_NAMES.get(name, name)), type)
        and f"dataset.{each.__name__.rsplit('.')[-1]}" in (module or each.__name__)
    ]
    if not found or module.endswith("py_transforms_util"):
        raise RuntimeError(
            f"`deserialize`: {name!r} is no transform of MindSpore. Functions of Python are not in JSON: add them in "
            "the program."
        )
    cls = found[0]
    renamed = {cpp: ours for ours, cpp in describing.CPP_ARGUMENTS.get(cls.__name__, {}).items()}
    wanted = signature_of(cls).parameters
    positional: tuple[Any, ...] = ()
    arguments = {}
    written = given.get("tensor_op_params") or {}
    if name == "Fill" and "data" in written:
        written = {"fill_value": written}
    for key, value in written.items():
        key = renamed.get(key, key)
        if key in wanted and wanted[key].kind is inspect.Parameter.VAR_POSITIONAL:
            positional = tuple(_value(key, one) for one in value)
        elif key in wanted:
            members = enumeration_of(wanted[key])
            in_python = module and members is not None and isinstance(value, int)
            arguments[key] = members(value) if in_python and members else _value(key, value, members)
        elif key not in _NO_ARGUMENTS and not module:  # MindSpore writes more for its transforms in Python
            raise RuntimeError(f"`deserialize`: {name} has no argument {key!r}.")
    try:
        return cls(*positional, **arguments)
    except TypeError as error:
        raise RuntimeError(f"`deserialize`: {name} cannot be made from {dict(given)}: {error}") from error


# ---------------------------------------------------------------------- values


def _value(name: str, value: Any, enumeration: type[Enum] | None = None) -> Any:
    if enumeration is not None and isinstance(value, int) and not isinstance(value, bool):
        return _member(enumeration, value)
    if value == "..." and name == "slices":
        return ...
    if name == "data_type" and isinstance(value, str):
        return getattr(dtype, value)
    if isinstance(value, list) and (not value or (len(value) == 1 and name in _SINGLE)):
        return value[0] if value else None
    if isinstance(value, list):
        listed = [_value(name, one, enumeration) for one in value]
        return tuple(listed) if name in _TUPLES else listed
    if isinstance(value, dict):
        return _read_structure(name, value)
    return value


def _read_structure(name: str, value: dict[str, Any]) -> Any:
    if "tensor_op_name" in value:
        return make_transform(value)
    if value.keys() == {"prob", "tensor_op"}:
        return make_transform(value["tensor_op"]), value["prob"]
    if value.keys() == {"data", "shape", "type"}:
        array = np.array(value["data"], value["type"]).reshape(value["shape"])
        return array if array.ndim else array.item()
    if value.keys() == {"start", "stop", "step"}:
        return slice(value["start"], value["stop"], value["step"])
    if name == "vocab":
        return text.Vocab.from_dict(value)
    return {key: _value(name, one) for key, one in value.items()}


def _member(enumeration: type[Enum], number: int) -> Enum:
    for member in enumeration:
        if number == describing.number_of(member):
            return member
    raise RuntimeError(f"`deserialize`: {enumeration.__name__} has no member with the number {number}.")
