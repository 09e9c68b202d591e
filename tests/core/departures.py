"""Where msjax answers otherwise than the framework it follows, on purpose: program, why, what it prints."""

COMPLEX = "MindSpore has no gradient of this operator for complex numbers; the value is PyTorch's."

MINDSPORE: dict[str, tuple[str, str]] = {
    "grad/complex input complex output": (COMPLEX, "complex64[1] [(2-4j)]\n"),
    "grad/complex times constant": (COMPLEX, "complex64[1] [(3-4j)]\n"),
    "grad/real input made complex": (COMPLEX, "float32[1] [-5]\n"),
    "jit/graph mode complex": (COMPLEX, "complex64[1] [(2-4j)]\n"),
}

TORCH: dict[str, tuple[str, str]] = {}
