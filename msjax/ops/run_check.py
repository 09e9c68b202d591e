"""`run_check`: verify the installation."""

from msjax.config import context
from msjax.core.tensor.tensor import Tensor
from msjax.ops.math.arithmetic import mul
from msjax.version import __version__


def run_check() -> None:
    """Multiply two arrays on the device in use, and print whether the result is right.

    Examples:
        >>> import msjax as ms
        >>> ms.run_check()  # doctest: +ELLIPSIS
        MindSpore version: ...
        The result of multiplication calculation is correct, MindSpore has been installed on platform [...] successfully!
    """
    print(f"MindSpore version: {__version__}")  # noqa: T201
    product = mul(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).asnumpy().tolist()
    right = "is correct" if product == [3.0, 8.0] else f"is wrong: {product}"
    where = f"MindSpore has been installed on platform [{context.get_device()}] successfully!"
    print(f"The result of multiplication calculation {right}, {where}")  # noqa: T201
