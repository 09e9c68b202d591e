"""PyTorch's public names: which of them `msjax.torch` has.

What PyTorch 2.13.0 has is recorded (see `msjax.public_api.torch_api`); what msjax has is looked up now. A name that a
module only repeats counts in the module that it comes from.
"""

from collections.abc import Sequence

from msjax.public_api import torch_api
from msjax.status import entries
from msjax.status.entries import Entry

# Why a name is missing: the first reason whose pattern fits the full name.
REASONS = {
    "other devices than XLA's, and the tools of each": (
        r"torch\.(cuda|xpu|mps|mtia|accelerator|cpu|backends|utils\.(viz|backend_registration))\b|_out$|"
        r"Storage$|Tensor(Base)?$|(?i:cudnn|miopen|mkldnn|vulkan|metal|nnpack|fbgemm|xpu|mtia|Stream$)"
    ),
    "PyTorch's compiler and graphs: `torch.compile` runs the function as it is": (
        r"torch\.(_dynamo|_inductor|_functorch|jit|export|compiler|fx|package|return_types|ao|library|utils\._)\b|"
        r"(?i:script|jit|trace|graph|symint|symfloat|symbool|schema|dispatch|FutureType|Argument$|Type$|Value$)"
    ),
    "ONNX files: `msjax.onnx.export`": r"torch\.onnx\b",
    "quantization": r"(?i:quant|qat\b|qscheme|intrinsic|fake_|per_channel|per_tensor|q_)",
    "several processes: `torch.distributed` has the collectives, DDP, FSDP and DTensor": (
        r"torch\.(distributed|futures|multiprocessing)\b"
    ),
    "builds, measurements and tests of PyTorch itself": (
        r"torch\.(utils\.(hipify|cpp_extension|collect_env|benchmark|bottleneck|bundled_inputs|mobile|throughput|model_dump|"
        r"jit|show_pickle|file_baton|mkldnn|serialization|backport)|monitor|testing|profiler|hub|autograd\.(profiler|graph))\b"
    ),
    "DataPipes, which PyTorch has given up too": r"datapipes|DataPipe|DataChunk",
    "constants and helpers that a module of PyTorch's does not hide": (
        r"\.[A-Z]$|TYPE_CHECKING|\.torch$|common_args|common_notes|\.[A-Z][A-Z0-9_]+$|serialization\.|BroadcastingList|hook"
    ),
}


def survey(modules: Sequence[str] = ()) -> list[Entry]:
    """Return all names of some modules of PyTorch's, by default of all; of classes too, whose members are listed.

    Examples:
        >>> from msjax.status import torch_names
        >>> [entry.status for entry in torch_names.survey(["torch.nn"]) if entry.name == "Linear"]
        ['here']
    """
    entries.require_docstrings("msjax.status")
    recorded = torch_api.public()
    return [
        _describe(module, name, what)
        for module in modules or recorded
        for name, what in recorded[module].items()
        if not what.startswith("=")
    ]


def _describe(module: str, name: str, what: str) -> Entry:
    there = torch_api.holder(module)
    return entries.describe_name(module, name, what, there, getattr(there, name, None), reason)


def reason(full: str) -> str:
    """Return why a name is missing."""
    return entries.find_reason(REASONS, full)
