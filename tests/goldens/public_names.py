"""The names that MindSpore's and PyTorch's modules hold: of the public ones with signatures, of all others alone."""

import gzip
import importlib
import inspect
import json
import pathlib
import pkgutil
import types
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

PACKAGE = pathlib.Path(__file__).parents[2] / "msjax"

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
CALLED = "nn mint.nn mint.optim experimental.optim train nn.probability.bijector nn.probability.distribution".split()
# Modules that are not public and that programs import with a star.
STARRED = """common.seed common.mutable common.jit_config common.generator common.dtype common.tensor common.parameter
    train.dataset_helper train.model ops.signature ops.primitive""".split()
# Modules of PyTorch that are not public and that libraries import, and public ones that are not recorded: they build,
# test or quantize PyTorch itself, or need a compiler.
TORCH_INNER = "_C _dynamo _utils utils._pytree utils.data._utils utils.data._utils.collate utils.data._utils.worker".split()
NO_TORCH = "testing._internal ao quantization contrib package nativert distributed.pipelining distributed.elastic".split()
NO_TORCH += (
    "distributed.benchmarks export.experimental fx.experimental onnx.ops utils.benchmark.examples".split()
)

# Packages of whose classes `torch_homes` keeps no module, and classes whose names are those of better-known ones.
TORCH_WITHOUT_HOMES = "ao cuda fx jit _C _inductor _dynamo onnx export package testing".split()
TORCH_SECOND = [("torch.nn.utils.prune", "Identity"), ("torch.autograd.profiler_legacy", "profile"),
                ("torch.utils.data.datapipes.map.combinatorics", "ShufflerIterDataPipe"),
                ("torch.nn.attention.varlen", "AuxRequest")]  # fmt: skip

# Of what `torch_api` leaves out, what nothing outside of PyTorch imports; and of three folders the modules that are.
NO_TORCH_INNER = """testing contrib package nativert onnx _export _vendor _strobelight _native _refs _prims _decomp _numpy
    _meta_registrations _functorch._aot_autograd distributed.benchmarks distributed.tensor._ops distributed._tools""".split()
TORCH_COMPILERS = "_inductor _dynamo ao".split()
OF_COMPILERS = "config exc utils eval_frame compile_fx quantization _trace_wrapped_higher_order_op".split()
TORCH_OLD = [
    "distributed._tensor.device_mesh",
    "distributed._tensor.experimental",
    "distributed._tensor.placement_types",
]  # modules under a second name
TORCH_ASKED = "_C cuda nn optim utils backends".split()
TORCH_NATIVE = "_functorch _distributed_c10d _distributed_rpc _nn _fft _linalg _sparse _special".split()

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
    """Return the names that `__all__` lists; without one, and for the package itself, those that are MindSpore's own."""
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


def holders(*more: str) -> Iterator[tuple[str, Any]]:
    """The public modules, and the classes or modules given, by their full names."""
    for path in [*MODULES, *more]:
        full = path if path == "mindspore" else f"mindspore.{path}"
        try:
            yield full, importlib.import_module(full)
        except ImportError:
            parent, _, name = full.rpartition(".")
            yield full, getattr(importlib.import_module(parent), name)


def api():
    """{module: {name: kind and signature}}; kinds are f (function), c (class), m (module) and v (value).

    The classes of `CLASSES` are listed with their members, like modules.
    """
    return {
        full: {name: described(value) for name, value in public(holder)} for full, holder in holders(*CLASSES)
    }


def stars():
    """{module: "name name ..."}, what `from module import *` gives.

    Of a module without `__all__`, after "~", what is MindSpore's own of it.
    """
    found = {}
    for full, holder in holders("nn.layer", "train.summary", *STARRED):
        names = [n for n in sorted(set(getattr(holder, "__all__", ()))) if hasattr(holder, n)]
        if not names and inspect.ismodule(holder):
            own = [n for n, v in public(holder) if str(getattr(v, "__module__", "")).startswith("mindspore")]
            names = ["~", *own] if own else []
        if names and full != "mindspore":  # whose star import fails
            found[full] = " ".join(names)
    return found


def classes():
    """{public module: {module of the definition: "Name Name ..."}}, which is what MindSpore prints of its classes."""
    recorded = {}
    for full, holder in holders("common.dtype", "ops.auto_generate", "common.tensor", "common.parameter"):
        found = defaultdict(list)
        for name, value in public(holder):
            home = getattr(value, "__module__", None) or ""
            if inspect.isclass(value) and home.startswith("mindspore.") and value.__name__ == name:
                found[home].append(name)
        recorded[full] = {home: " ".join(sorted(names)) for home, names in sorted(found.items())}
    typing = importlib.import_module("mindspore._c_expression").typing
    kinds = sorted(name for name, value in vars(typing).items() if inspect.isclass(value))
    recorded["mindspore.common.dtype"]["mindspore._c_expression.typing"] = " ".join(kinds)
    return {module: found for module, found in recorded.items() if found}


# What builds, deploys, checks or draws MindSpore itself.
NO_PATHS = (
    "graph onnx ops_generate rewrite run_check safeguard tools include utils multiprocessing boost "
    "ops.auto_generate ops.composite.multitype_ops ops.operations.manually_defined ops.vm_impl_registry "
    "dataset.core dataset.debug dataset.utils dataset.engine mindrecord profiler common.dynamic_shape ops.signature "
    "ops.deprecated ops.functional_overload ops.tensor_method"
).split()
NO_INNER = "ops_generate include _akg ops._op_impl ops.bprop_mindir run_check dataset.debug lite".split()


def modules(path: str, skipped: Any, prefix: str = "") -> Iterator[str]:
    """The names of all modules below a folder, but for those that are `skipped`."""
    for found in pkgutil.iter_modules([path]):
        name = prefix + found.name
        if not skipped(name):
            yield name
            if found.ispkg:
                yield from modules(f"{path}/{found.name}", skipped, name + ".")


def imported(mindspore: Any, skipped: Any) -> Iterator[tuple[str, Any]]:
    """Those of MindSpore's modules that can be imported."""
    for name in modules(mindspore.__path__[0], skipped):
        try:
            yield name, importlib.import_module(f"mindspore.{name}")
        except BaseException as error:
            print(f"left out {name}: {error!r}")


def paths(mindspore):
    """{module: "name name ..."}, where a program may take `Dense` from: `nn.layer.basic` as well as `nn`."""

    def skipped(name: str) -> bool:
        last = name.rpartition(".")[2]
        return last.startswith("_") or name in NO_PATHS or name.endswith(("_pb2", "validators"))

    def names_of(module: Any) -> str:
        """The public classes and functions that a module exports or defines."""
        exported = set(map(str, getattr(module, "__all__", ())))
        return " ".join(
            sorted(
                name
                for name, value in vars(module).items()
                if not name.startswith("_")
                and (
                    name in exported
                    or f"{getattr(value, '__module__', '')}.".startswith(f"{module.__name__}.")
                )
                and name != "jit_class"  # it takes the name of any module
                and (inspect.isclass(value) or inspect.isroutine(value))
            )
        )

    found = {name: names_of(module) for name, module in imported(mindspore, skipped)}
    return {name: names for name, names in sorted(found.items()) if names}


def inner(mindspore):
    """{module: "name name ..."} beside the public names, as of the recorded api.json.gz.

    Published networks import such names at their top, often for one device only and without ever using them there.
    """
    known = json.loads(gzip.decompress((PACKAGE / "public_api" / "api.json.gz").read_bytes()))

    def skipped(name: str) -> bool:
        return name in NO_INNER or name.endswith(("validators", "__main__"))

    def own_names(module: types.ModuleType) -> list[str]:
        """Return what is MindSpore's: its classes and functions, and values that belong to no package."""
        return sorted(
            name
            for name, value in vars(module).items()
            if not name.startswith("__")
            and not isinstance(value, types.ModuleType)
            and (
                str(getattr(value, "__module__", None) or "mindspore").startswith("mindspore")
                or module.__name__.endswith("_pb2")
            )
        )

    def public_above(name: str) -> set[str]:
        """Return what the public modules above a module hold: those need no second mention."""
        parts = name.split(".")
        above = (".".join(parts[:length]) for length in range(2, len(parts)))
        return {one for module in above for one in known.get(module, ())}

    found = {}
    for name, module in imported(mindspore, skipped):
        public = public_above(f"mindspore.{name}")
        found[f"mindspore.{name}"] = " ".join(n for n in own_names(module) if n not in public)
    return dict(sorted(found.items()))


def constructs():
    """{module: {class: parameters of its construct}}, what layers, losses, metrics and optimizers are called with."""

    def parameters(function: Any) -> str:
        """The parameters of a method after self, without annotations."""
        shown = list(inspect.signature(function).parameters.values())[1:]
        return ", ".join(str(one.replace(annotation=one.empty)) for one in shown)

    recorded = {}
    for path in CALLED:
        module = importlib.import_module(f"mindspore.{path}")
        recorded[path] = {
            name: parameters(value.construct)
            for name, value in ((n, getattr(module, n)) for n in sorted(module.__all__))
            if inspect.isclass(value) and hasattr(value, "construct") and not issubclass(value, Exception)
        }
    return recorded


def torch_api():
    """{module: {name: kind and signature}} of PyTorch's modules; `=path` where it is the same as a name above.

    Kinds are as in `api`. What modules without `__all__` import from other packages is left out.
    """
    torch = importlib.import_module("torch")

    def skipped(name: str) -> bool:
        private = any(part.startswith("_") for part in name.split("."))
        left_out = any(f"{name}.".startswith(f"{one}.") for one in NO_TORCH)
        return left_out or (private and not any(f"{one}.".startswith(f"{name}.") for one in TORCH_INNER))

    def is_foreign(value: Any) -> bool:
        named = "__name__" if isinstance(value, types.ModuleType) else "__module__"
        return (getattr(value, named, None) or "torch").partition(".")[0] not in ("torch", "builtins")

    found, first = {}, {}
    names = ["torch", *(f"torch.{name}" for name in modules(torch.__path__[0], skipped))]
    for full in sorted(names, key=lambda name: (name.count("."), name)):
        try:
            module = importlib.import_module(full)
        except BaseException as error:
            print(f"left out {full}: {error!r}")
            continue
        exported = {*getattr(module, "__all__", ())}
        listed = exported | set(dir(module)) if full.count(".") < 2 or not exported else exported
        found[full] = {}
        for name in sorted(map(str, listed)):
            value = getattr(module, name, None)
            if name.startswith("_") or (is_foreign(value) and name not in exported):
                continue
            known = first.setdefault(id(value), f"{full}.{name}") if callable(value) else f"{full}.{name}"
            found[full][name] = described(value) if known == f"{full}.{name}" else f"={known}"
    return found


def torch_homes():
    """{module: "name name ..."} of the classes that the recorded torch_api.json.gz names: where PyTorch says that they are.

    Of two classes of a name in one package the one that programs see is kept.
    """
    known = json.loads(gzip.decompress((PACKAGE / "public_api" / "torch_api.json.gz").read_bytes()))
    homes: dict[tuple[str, str], str] = {}
    for module, names in known.items():
        try:
            loaded = importlib.import_module(module)
        except BaseException as error:
            print(f"left out {module}: {error!r}")
            continue
        for value in (getattr(loaded, name, None) for name in names):
            home = (inspect.isclass(value) and value.__module__) or ""
            package = home.split(".")[1] if home.startswith("torch.") else ""
            if package and package not in TORCH_WITHOUT_HOMES and (home, value.__name__) not in TORCH_SECOND:
                homes[package, value.__qualname__] = home
    by_module: dict[str, list[str]] = {}
    for (_, name), home in sorted(homes.items()):
        by_module.setdefault(home, []).append(name)
    return {home: " ".join(names) for home, names in sorted(by_module.items())}


def torch_classes():
    """{class: {member: kind and signature}} of PyTorch's classes that programs use most."""
    torch = importlib.import_module("torch")
    return {
        full: {name: described(getattr(cls, name)) for name in sorted(dir(cls)) if not name.startswith("_")}
        for full, cls in [
            ("torch.Tensor", torch.Tensor),
            ("torch.nn.Module", torch.nn.Module),
            ("torch.optim.Optimizer", torch.optim.Optimizer),
        ]
    }


def torch_inner():
    """{module: "name name ..."} of PyTorch's modules beside the recorded torch_api.json.gz, and the private names of those.

    Libraries import such names at their top and use them in rare cases only. Private names of modules that programs ask for
    them with `hasattr` are left out.
    """
    torch = importlib.import_module("torch")
    known = json.loads(gzip.decompress((PACKAGE / "public_api" / "torch_api.json.gz").read_bytes()))

    def skipped(name: str) -> bool:
        left_out = any(f"{name}.".startswith(f"{one}.") for one in NO_TORCH_INNER)
        folder, *inside = name.split(".")
        unused = folder in TORCH_COMPILERS and inside and (inside[0] not in OF_COMPILERS or len(inside) > 1)
        return left_out or name.endswith("__main__") or unused

    def own_names(module: types.ModuleType, public: bool) -> list[str]:
        """Return names of PyTorch's own: its classes and functions, and values that belong to no package."""
        return sorted(
            name
            for name, value in vars(module).items()
            if not name.startswith("__")
            and not isinstance(value, types.ModuleType)
            and (name.startswith("_") or not public)
            and (getattr(value, "__module__", None) or "torch").partition(".")[0]
            in (
                ("torch", "builtins", "typing", "collections")
                if name.startswith("_")
                else ("torch", "builtins")
            )
        )

    native = (f"_C.{name}" for name in TORCH_NATIVE)
    found = {}
    for full in (f"torch.{name}" for name in [*modules(torch.__path__[0], skipped), *native, *TORCH_OLD]):
        if full.removeprefix("torch.") not in TORCH_ASKED:
            try:
                found[full] = " ".join(own_names(importlib.import_module(full), full in known))
            except BaseException as error:
                print(f"left out {full}: {error!r}")
    return {name: names for name, names in sorted(found.items()) if names or name not in known}
