"""Record the public names of PyTorch's modules in msjax/torch/names.json. Run with PyTorch 2.13."""

import importlib
import json
import types
from pathlib import Path

MODULES = """torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.optim
torch.optim.lr_scheduler torch.optim.swa_utils torch.utils.data torch.utils.checkpoint torch.autograd
torch.autograd.functional torch.func torch.linalg torch.fft torch.special torch.amp torch.distributions"""

if __name__ == "__main__":
    found = {}
    for name in MODULES.split():
        module = importlib.import_module(name)
        public = getattr(module, "__all__", None) if name == "torch" else None
        listed = dir(module) if public is None else {*public, *dir(module)}
        found[name] = sorted(
            n
            for n in listed
            if not n.startswith("_")
            and not (
                isinstance(getattr(module, n), types.ModuleType)
                and not getattr(module, n).__name__.startswith("torch.")
            )
            and getattr(getattr(module, n), "__module__", "torch")
            not in ("typing", "collections", "typing_extensions")
        )
    target = Path(__file__).parents[2] / "msjax" / "torch" / "names.json"
    target.write_text("{\n" + ",\n".join(f'"{k}": "{" ".join(v)}"' for k, v in found.items()) + "\n}\n")
    json.loads(target.read_text())
