"""Record MindSpore 2.10.0's public names and their signatures, for `python -m msjax.status`.

    python tests/goldens/record_api.py      # in an environment with mindspore==2.10.0

Writes msjax/api.json.gz: {module: {name: kind and signature}}; kinds are f (function), c (class), m (module) and
v (value). Classes in `CLASSES` are listed with their members, like modules.
"""

import gzip
import importlib
import inspect
import json
import pathlib
import types

MODULES = """
    mindspore amp boost common common.initializer communication communication.comm_func communication.management context
    dataset dataset.audio dataset.config dataset.text dataset.transforms dataset.vision dataset.dataloader
    device_context.ascend device_context.ascend.op_debug device_context.ascend.op_precision
    device_context.ascend.op_tuning device_context.cpu device_context.cpu.op_tuning device_context.gpu
    device_context.gpu.op_precision device_context.gpu.op_tuning
    device_manager experimental.optim experimental.optim.lr_scheduler graph hal mindrecord
    mint mint.distributed mint.linalg mint.nn mint.nn.functional mint.optim mint.special
    nn nn.learning_rate_schedule nn.loss nn.optim nn.probability.bijector nn.probability.bnn_layers
    nn.probability.distribution nn.utils nn.wrap numpy numpy.fft onnx ops ops.composite ops.functional ops.operations
    parallel parallel.auto_parallel parallel.function parallel.nn parallel.shard profiler rewrite runtime
    safeguard scipy scipy.fft scipy.linalg scipy.optimize tools train train.callback train.metrics train.amp
    train.loss_scale_manager train.serialization utils utils.dryrun
""".split()
CLASSES = """
    Tensor Parameter COOTensor CSRTensor nn.Cell ops.Primitive train.Model dataset.Dataset profiler.profile
""".split()

# Helpers that modules without `__all__` happen to import.
INTERNAL = set(
    """
    args_type_check function_status is_shape_unknown deprecated mstype validator Validator check_version logger
    absolute_import arg_dtype_cast arg_handler default_config dispatch_threads_num names
    get_obj_module_and_name_info is_invalid_or_jit_forbidden_method is_jit_forbidden_module
""".split()
)


def signature(value):
    """The parameters as text; defaults that are no plain values as `...`; empty if there is no signature."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    parts, starred = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        parts.append(f"{mark}{p.name}" + ("" if p.default is p.empty else f"={default(p.default)}"))
    return f"({', '.join(parts)})"


def default(value):
    plain = isinstance(value, bool | int | float | str | type(None)) or type(value) in (tuple, list, dict)
    return (
        repr(value)
        if plain and "<" not in repr(value)
        else repr(value)
        if "mindspore." in repr(value)[:10]
        else "..."
    )


def described(value):
    if isinstance(value, types.ModuleType):
        return "m"
    if inspect.isclass(value):
        return "c" + signature(value)
    return "f" + signature(value) if callable(value) else "v"


def public(holder):
    """What `__all__` lists; without one, and for the package itself, what is MindSpore's own."""
    exported = sorted(set(map(str, getattr(holder, "__all__", ()) or ())))
    if exported and holder.__name__ != "mindspore":
        own = [name for name in exported if not name.startswith("_") and hasattr(holder, name)]
        yield from ((name, getattr(holder, name)) for name in own if name.isidentifier())
        return
    for name in sorted({*dir(holder), *exported} - INTERNAL):
        value = getattr(holder, name, None)
        named = "__name__" if isinstance(value, types.ModuleType) else "__module__"
        home = getattr(value, named, None) or "builtins"
        own = home.partition(".")[0] in ("mindspore", "builtins", "enum")
        if (
            name.isidentifier()
            and not name.startswith("_")
            and (own or name in exported or inspect.isclass(holder))
        ):
            yield name, value


def main():
    found = {}
    for path in [*MODULES, *CLASSES]:
        full = path if path == "mindspore" else f"mindspore.{path}"
        try:
            holder = importlib.import_module(full)
        except ImportError:
            parent, _, name = full.rpartition(".")
            holder = getattr(importlib.import_module(parent), name)
        found[full] = {name: described(value) for name, value in public(holder)}
    path = pathlib.Path(__file__).parents[2] / "msjax" / "api.json.gz"
    path.write_bytes(gzip.compress(json.dumps(found, separators=(",", ":")).encode(), 9, mtime=0))
    print({k: len(v) for k, v in found.items()}, sum(map(len, found.values())), path.stat().st_size)


if __name__ == "__main__":
    main()
