"""Serialization of a pipeline as a dict that JSON can hold: MindSpore's names and form, with what MindSpore leaves out.

Sources, samplers and transforms are described by the arguments they were made with. Functions of the user's cannot be:
their place is marked, with a warning, and such a description cannot be read back.
"""

import json
import warnings
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from msjax.core.dtype import DType
from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.arguments import KeepsArguments, named_arguments
from msjax.dataset.pipeline import batching, concatenation, map_node, nodes
from msjax.dataset.random.samplers import BuiltinSampler, Shuffle

PYTHON_FUNCTION = "pyfunc"
# Numbers of the members of enumerations, where they are not the order of definition: MindSpore's in C++.
ENUMERATIONS = {
    "Inter": "LINEAR NEAREST CUBIC AREA PILCUBIC ANTIALIAS",
    "FadeShape": "LINEAR EXPONENTIAL LOGARITHMIC QUARTER_SINE HALF_SINE",
    "ScaleType": "MAGNITUDE POWER",
    "NormMode": "NONE ORTHO",
    "NormType": "NONE SLANEY",
    "Shuffle": "FALSE FILES GLOBAL INFILE ADAPTIVE PARTIAL",
}
# What MindSpore writes for arguments that are None, and reads as such.
NONE_AS: dict[str, Any] = {
    "num_samples": 0,
    "num_shards": 1,
    "shard_id": 0,
    "usage": "all",
    "extensions": [],
    "columns_list": [],
    "class_indexing": {},
    "num_padded": 0,
    "start_index": 0,
    "connector_queue_size": 16,
}
# MindSpore's names in C++, for those of the classes in Python.
CPP_NAMES = {
    "FakeImageDataset": "FakeImageNode",
    "NumpySlicesDataset": "GeneratorDataset",
    "PaddedDataset": "GeneratorDataset",
    "HWC2CHW": "HwcToChw",
    "ToType": "TypeCast",
}
CPP_ARGUMENTS: dict[str, dict[str, str]] = {
    "Mask": {"operator": "op"},
    "Rotate": {"degrees": "degree"},
    "BasicTokenizer": {"normalization_form": "normalize_form"},
    "BertTokenizer": {"normalization_form": "normalize_form"},
}
_ROWS_IN_PYTHON = ("source", "padded_samples", "data")  # arguments that hold rows or code


def write_description(dataset: Any, filename: str) -> dict[str, Any]:
    """Describe a pipeline, and write that to a file unless its name is empty."""
    if not isinstance(filename, str):
        checks.fail(TypeError, "serialize", "json_filepath", "be a str", filename)
    described = describe_dataset(dataset)
    if filename:
        try:
            Path(filename).write_text(json.dumps(described), encoding="utf-8")
        except OSError as error:
            raise RuntimeError(f"`serialize`: {filename!r} cannot be written: {error}") from error
    return described


def describe_dataset(dataset: Any) -> dict[str, Any]:
    """Describe a pipeline, from its last step to its sources."""
    node, below = dataset.node, dataset.children
    writer = _STEPS.get(type(node))
    if writer is not None:
        op, found = writer(dataset, node)
    elif isinstance(dataset, KeepsArguments):
        op, found = CPP_NAMES.get(type(dataset).__name__, type(dataset).__name__), _describe_source(dataset)
    else:
        name = type(node).__name__
        raise RuntimeError(f"`serialize`: a step of the kind {name} cannot be written as JSON.")
    children = [describe_dataset(child) for child in below]
    return dict(sorted({"op_type": op, "children": children, **found}.items()))


# ---------------------------------------------------------------------- steps


def _workers(dataset: Any) -> dict[str, Any]:
    workers = getattr(dataset, "num_parallel_workers", None) or config.get_num_parallel_workers()
    return {"num_parallel_workers": workers, "connector_queue_size": config.get_prefetch_size()}


def _describe_map(dataset: Any, node: map_node.Map) -> tuple[str, dict[str, Any]]:
    operations = [describe_transform(one) for one in dataset.operations]
    columns = {"input_columns": dataset.input_columns, "output_columns": dataset.output_columns}
    return "Map", {"callback": [], "operations": operations, **columns, **_workers(dataset)}


def _describe_batch(dataset: Any, node: batching.Batch) -> tuple[str, dict[str, Any]]:
    given: dict[str, Any] = {
        "batch_size": dataset.batch_size,
        "drop_remainder": dataset.drop_remainder,
        "input_columns": getattr(dataset, "input_columns", []),
        "output_columns": getattr(dataset, "output_columns", []),
    }
    if node.mapped is not None:
        given["per_batch_map"] = _mark_function(node.mapped)
    if dataset.batch_size_func is not None:
        given["batch_size_func"] = _mark_function(dataset.batch_size_func)
    if getattr(dataset, "pad", False):
        given["pad_info"] = _pad_info(dataset.pad_info)
    return "Batch", {**given, **_workers(dataset)}


def _describe_buckets(dataset: Any, node: batching.Bucket) -> tuple[str, dict[str, Any]]:
    given = {
        "column_names": dataset.column_names,
        "bucket_boundaries": dataset.bucket_boundaries,
        "bucket_batch_sizes": dataset.bucket_batch_sizes,
        "pad_info": _pad_info(dataset.pad_info),
        "pad_to_bucket_boundary": dataset.pad_to_bucket_boundary,
        "drop_remainder": dataset.drop_remainder,
    }
    if dataset.element_length_function is not None:
        given["element_length_function"] = _mark_function(dataset.element_length_function)
    return "BucketBatchByLength", {**given, **_workers(dataset)}


def _pad_info(info: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return (
        None
        if info is None
        else {name: one and [one[0], describe_value("map", one[1])] for name, one in info.items()}
    )


def _describe_filter(dataset: Any, node: nodes.Filter) -> tuple[str, dict[str, Any]]:
    names = [node.children[0].columns[place] for place in node.inputs]
    return "Filter", {
        "input_columns": names,
        "predicate": _mark_function(node.predicate),
        **_workers(dataset),
    }


def _describe_shuffle(dataset: Any, node: nodes.Shuffle) -> tuple[str, dict[str, Any]]:
    return "Shuffle", {"buffer_size": node.buffer_size, "reset_each_epoch": True}


def _describe_rename(dataset: Any, node: nodes.Rename) -> tuple[str, dict[str, Any]]:
    return "Rename", {"input_columns": list(node.names), "output_columns": list(node.names.values())}


_STEPS: dict[type, Any] = {
    map_node.Map: _describe_map,
    batching.Batch: _describe_batch,
    batching.Bucket: _describe_buckets,
    nodes.Filter: _describe_filter,
    nodes.Shuffle: _describe_shuffle,
    nodes.Rename: _describe_rename,
    nodes.Repeat: lambda dataset, node: ("Repeat", {"count": node.count}),
    nodes.Skip: lambda dataset, node: ("Skip", {"count": node.count}),
    nodes.Take: lambda dataset, node: ("Take", {"count": node.count}),
    nodes.Project: lambda dataset, node: ("Project", {"columns": list(node.columns)}),
    nodes.Zip: lambda dataset, node: ("Zip", _workers(dataset)),
    concatenation.Concat: lambda dataset, node: ("Concat", {}),
}


# ---------------------------------------------------------------------- sources, samplers, transforms


def _describe_source(dataset: Any) -> dict[str, Any]:
    given = named_arguments(dataset)
    if any(name in given for name in _ROWS_IN_PYTHON):
        _warn(f"the rows of {type(dataset).__name__}")
        return _workers(dataset)
    if "sampler" in given:  # the sampler that its other arguments ask for has them
        given = {
            k: v for k, v in given.items() if k not in ("num_samples", "shuffle", "num_shards", "shard_id")
        }
        given["sampler"] = dataset.sampler
    described = {
        name: NONE_AS[name] if value is None and name in NONE_AS else describe_value(name, value)
        for name, value in given.items()
        if name != "cache"
    }
    return {**described, **_workers(dataset)}


def describe_sampler(sampler: BuiltinSampler) -> dict[str, Any]:
    """Describe a sampler, with the one that it chooses from."""
    name, given = type(sampler).__name__, named_arguments(sampler)
    if name == "DistributedSampler":
        given |= {
            "shuffle_mode": 2 if given.pop("shuffle") in (True, Shuffle.GLOBAL) else 0,
            "even_dist": True,
        }
    elif name == "RandomSampler":
        given |= {"shuffle_mode": given.pop("shuffle"), "reshuffle_each_epoch": True}
    elif not type(sampler).__module__.endswith(".samplers") or name in ("IterSampler", "Share"):
        _warn(f"the rows that {name} chooses")
        return {"sampler_name": PYTHON_FUNCTION}
    found = {
        key: NONE_AS[key] if value is None and key in NONE_AS else describe_value(key, value)
        for key, value in given.items()
    }
    child = sampler.get_child()
    below = {} if child is None else {"child_sampler": [describe_sampler(child)]}
    return dict(sorted({"sampler_name": name, **found, **below}.items()))


def describe_transform(transform: Any) -> dict[str, Any]:
    """Describe a transform; a function of the user's by its name alone."""
    cls = type(transform)
    if not isinstance(transform, KeepsArguments) or not _is_public(cls):
        _warn(f"the function {getattr(transform, '__name__', cls.__name__)}")
        name = getattr(transform, "__name__", cls.__name__)
        return {"tensor_op_name": name, "python_module": getattr(transform, "__module__", cls.__module__)}
    names = CPP_ARGUMENTS.get(cls.__name__, {})
    given = {
        names.get(key, key): describe_value(key, value) for key, value in named_arguments(transform).items()
    }
    name = CPP_NAMES.get(cls.__name__, cls.__name__)
    return {"tensor_op_name": name, "tensor_op_params": dict(sorted(given.items())) or None}


def _is_public(cls: type) -> bool:
    return cls.__module__.split(".")[0] in ("msjax", "mindspore")


# ---------------------------------------------------------------------- values


def describe_value(name: str, value: Any) -> Any:
    """Return what JSON can hold for an argument.

    Raises:
        RuntimeError: if there is nothing.
    """
    if isinstance(value, Enum):
        return number_of(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        array = np.asarray(value)
        return {"data": array.ravel().tolist(), "shape": list(array.shape), "type": str(array.dtype)}
    if isinstance(value, slice):
        return {"start": value.start, "stop": value.stop, "step": value.step}
    if isinstance(value, BuiltinSampler):
        return describe_sampler(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], KeepsArguments):  # of a policy
        return {"tensor_op": describe_transform(value[0]), "prob": value[1]}
    if isinstance(value, list | tuple):
        return [describe_value(name, one) for one in value]
    if isinstance(value, Mapping):
        return {key: describe_value(name, one) for key, one in value.items()}
    if isinstance(value, DType | type | np.dtype):
        return str(np.dtype(value.np if isinstance(value, DType) else value))
    if hasattr(value, "vocab") and callable(value.vocab):
        return value.vocab()
    if hasattr(value, "to_json") and callable(value.to_json):  # a schema
        return value.to_json()
    if value is Ellipsis:
        return "..."
    if callable(value):
        return describe_transform(value)
    _warn(f"{name}={value!r}")
    return PYTHON_FUNCTION


def number_of(member: Enum) -> int:
    """Return MindSpore's number of a member of an enumeration."""
    names = ENUMERATIONS.get(type(member).__name__)
    if names is None:
        return member.value if isinstance(member.value, int) else list(type(member)).index(member)
    numbers = {
        type(member)[name]: i for i, name in enumerate(names.split()) if name in type(member).__members__
    }
    return numbers[member]


def _mark_function(function: Any) -> str:
    _warn(f"the function {getattr(function, '__name__', type(function).__name__)}")
    return PYTHON_FUNCTION


def _warn(what: str) -> None:
    warnings.warn(
        f"`serialize`: {what} cannot be written as JSON; the pipeline cannot be made again from it.",
        stacklevel=2,
    )
