"""MindSpore's public names: which of them msjax has.

What MindSpore 2.10.0 has, and what of it works on its CPU, is recorded (see `msjax.public_api.recorded_api`); what msjax
has is looked up now.
"""

import functools
import importlib
import inspect
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from msjax.public_api import import_hook, recorded_api
from msjax.status import entries
from msjax.status.entries import Entry

# Why a name is missing: the first reason whose pattern fits the full name.
REASONS = {
    "algorithms that trade accuracy for speed on Ascend": r"mindspore\.boost\b",
    "works on MindSpore's own graphs and source trees": (
        r"mindspore\.(graph|rewrite)\b|CustomPass|SymbolTree|ScopedValue|NodeType|register_custom|op_infer|op_wrapper"
    ),
    "a tool of MindSpore's own formats and devices": r"mindspore\.(safeguard|tools|utils)\b",
    "several processes or devices: use jax.sharding with the pure function of interop": (
        r"(communication|distributed|parallel)\b|shard|[Ll]ayout|AllReduce|AllGather|AlltoAll|Broadcast$|ReduceScatter|"
        r"(?i:all_?gather|all_?reduce|all_?to_?all|reduce_scatter|barrier|isend|irecv|collective|rank_list|pipeline|"
        r"(?<!time)distributed|strateg|_by_rank|transform_checkpoints|parameter_broadcast|comm_|redistribut|"
        r"merge_sliced_parameter|restore_group_info|unified_safetensors|convert_checkpoints|load_segmented|"
        r"neighborexchange|tcpstore)|\bops\.(\w+\.)?(Push|Pull|distribute)$|restore_group_info"
    ),
    "use jax.profiler": r"profiler|Profiler|Summary|Flops|flops|memory_replay|MemPool|Allocator|mem_pool",
    "MindSpore's own graph format: use `export` and `load`": r"mindir|MindIR|AIR\b",
    "MindSpore's own services and devices": (
        r"obf|enc_key|enc_mode|dec_mode|mindio|sdc_|stress_detect|TFT|FaultTolerance|RSCPlugin|ExitByRequest"
    ),
    "an operator of Ascend devices": (
        r"(?i:ascend|npu_|_npu|aicpu|akg|tbe|_hf32|aoe|quant_?batch|moe_|grouped_matmul|incre_flash|prompt_flash|"
        r"flash_attention_score|kv_cache|paged|apply_rotary|swiglu|rotary|ffn\b|matmul_?qkv|all_finite_|\.npu|nsa_|"
        r"lightning_indexer|fused_infer_attention|ring_attention|speed_fusion|grouptopk|reshapeandcache|mapcacheidx)"
    ),
    "the inside of MindSpore's compiler": (
        r"\bops\.((composite|functional|operations)\.)?(J|SliceGetItem|TensorToTuple|DtypeToEnum|DumpGradient|GeSwitch|"
        r"GetNext|Merge|PyExecute|array_reduce|auto_generate|broadcast_gradient_args|embed|env_get|environ_\w+|geswitch|"
        r"hastype|is_\w+(unknown|_cond)|iter_converter|linearize|make_\w+|merge|ms_\w+|recompute_block|reduced_shape|"
        r"ref_to_embed|tensor_operator_registry)$|GetNextSingleOp|runtime_execution_order_check|DeviceCtx"
    ),
    "the inside of MindSpore's Tensors and primitives": (
        r"(assign_value_cpp|[gs]etitem_index_info|set_param_info|cell_init_args)$|ops\.Primitive\.\w+$"
    ),
    "constants and helpers that a module of MindSpore's does not hide": (
        r"mindspore\.(train\.(amp|serialization|loss_)|context\.)"
    ),
    "quantized types": r"(?i:quant)",
    "text": r"dataset\.text",
    "read the files with Python and use GeneratorDataset": r"mindspore\.dataset\b",
}


def survey(modules: Sequence[str] = ()) -> list[Entry]:
    """Return all names of some modules, by default of all.

    Examples:
        >>> from msjax.status import mindspore_names
        >>> {entry.status for entry in mindspore_names.survey(["mindspore.numpy"])} <= {"here", "differs", "missing"}
        True
    """
    entries.require_docstrings("msjax.status")
    recorded = recorded_api.recorded()
    return [
        replace(_describe(module, holder(module), name, what), cpu=name in recorded_api.on_cpu()[module])
        for module in modules or recorded
        for name, what in recorded[module].items()
    ]


@functools.cache
def holder(module: str) -> Any:
    """Return the module or class that stands for one of MindSpore's, or None.

    Args:
        module: in full, "mindspore.nn" or "mindspore.nn.Cell".
    """
    own = _make_alias().own_name(module) or module
    try:
        return importlib.import_module(own)
    except ModuleNotFoundError:
        parent, _, name = own.rpartition(".")
        try:
            found = getattr(importlib.import_module(parent), name, None)
        except ModuleNotFoundError:
            return None
        return found if inspect.isclass(found) else None


@functools.cache
def _make_alias() -> import_hook.Alias:
    return import_hook.Alias(recorded_api.NAME, "msjax", import_hook._paths(recorded_api.NAME))


def lookup(module: str, name: str) -> Any:
    """Return what msjax has under a name, or None.

    Args:
        module: in full, "mindspore.nn".
        name: in the module.
    """
    found = getattr(holder(module), name, None)
    return None if entries.is_absent(found) else found


def _describe(module: str, there: Any, name: str, what: str) -> Entry:
    found = None if there is None else getattr(there, name, None)
    if what[0] == "m" and not isinstance(found, types.ModuleType):
        found = holder(f"{module}.{name}")
    return entries.describe_name(module, name, what, there, found, reason)


def reason(full: str) -> str:
    """Return why a name is missing."""
    return entries.find_reason(REASONS, full)
