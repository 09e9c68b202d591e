"""Records which names MindSpore's public modules hold: paths.json. Needs MindSpore 2.10.0.

    python tests/goldens/record_paths.py

A program may take `Dense` from `mindspore.nn.layer.basic` as well as from `mindspore.nn`; the file says from where.
"""

import importlib
import inspect
import json
import pathlib
import pkgutil

import mindspore

# Parts that build, deploy or draw MindSpore itself, and that no training program imports from.
LEFT_OUT = (
    "graph onnx ops_generate rewrite run_check safeguard tools include utils multiprocessing boost "
    "ops.auto_generate ops.composite.multitype_ops ops.operations.manually_defined ops.vm_impl_registry "
    "dataset.core dataset.debug dataset.utils dataset.engine mindrecord profiler common.dynamic_shape ops.signature "
    "ops.deprecated ops.functional_overload ops.tensor_method"
).split()


def public_modules(path: str, prefix: str = ""):
    for found in pkgutil.iter_modules([path]):
        name = prefix + found.name
        if found.name.startswith("_") or name in LEFT_OUT or name.endswith(("_pb2", "validators")):
            continue
        yield name
        if found.ispkg:
            yield from public_modules(f"{path}/{found.name}", name + ".")


def names_of(module) -> list[str]:
    """The public classes and functions that a module exports or defines."""
    exported = set(map(str, getattr(module, "__all__", ())))
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (name in exported or f"{getattr(value, '__module__', '')}.".startswith(f"{module.__name__}."))
        and name != "jit_class"  # it takes the name of any module
        and (inspect.isclass(value) or inspect.isroutine(value))
    )


def main() -> None:
    recorded = {}
    for name in public_modules(mindspore.__path__[0]):
        try:
            module = importlib.import_module(f"mindspore.{name}")
        except Exception as error:
            print(f"left out {name}: {error!r}")
            continue
        names = names_of(module)
        if names:
            recorded[name] = names
    lines = [f"{json.dumps(name)}: {json.dumps(' '.join(names))}" for name, names in sorted(recorded.items())]
    path = pathlib.Path(__file__).with_name("paths.json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(recorded)} modules, {sum(map(len, recorded.values()))} names")


if __name__ == "__main__":
    main()
