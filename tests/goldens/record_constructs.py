"""Record what layers, losses, metrics and optimizers of MindSpore 2.10.0 are called with.

    python tests/goldens/record_constructs.py      # in an environment with mindspore==2.10.0

Writes tests/goldens/constructs.json: {module: {class: parameters of its construct}}.
"""

import importlib
import inspect
import json
import pathlib

MODULES = "nn mint.nn mint.optim experimental.optim train nn.probability.bijector nn.probability.distribution"


def parameters(function):
    """The parameters of a method after self, without annotations."""
    shown = list(inspect.signature(function).parameters.values())[1:]
    return ", ".join(str(one.replace(annotation=one.empty)) for one in shown)


def main():
    recorded = {}
    for path in MODULES.split():
        module = importlib.import_module(f"mindspore.{path}")
        classes = {n: getattr(module, n) for n in sorted(module.__all__)}
        recorded[path] = {
            name: parameters(value.construct)
            for name, value in classes.items()
            if inspect.isclass(value) and hasattr(value, "construct") and not issubclass(value, Exception)
        }
    path = pathlib.Path(__file__).with_name("constructs.json")
    path.write_text(json.dumps(recorded, indent=0) + "\n")
    print({key: len(value) for key, value in recorded.items()})


if __name__ == "__main__":
    main()
