"""`common._stub_tensor`: MindSpore's stubs of pending Tensors. Here no Tensor is a stub, because JAX waits itself."""

from typing import Any


class StubTensor:
    """A class without objects, for `isinstance`."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("`StubTensor`: Tensors of msjax are never stubs. Make a Tensor.")


def _convert_stub(stub: Any) -> Any:
    """Return the Tensor that a stub stands for, which it is."""
    return stub


_convert_python_data = _convert_stub
