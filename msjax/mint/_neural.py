"""Functions of `mint.nn.functional` that have no operator of the same meaning."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from msjax.core.op.op import op
from msjax.core.op.static_args import static_key
from msjax.core.state import state
from msjax.core.tensor.tensor import Tensor, concrete
from msjax.mint._common import reduce_loss
from msjax.ops.common import checks, index_parsing
from msjax.ops.common.promotion import promote_and_broadcast
from msjax.ops.nn import embeddings, loss_margin


@op(static="reduction log_target", promotes=True)
def kl_div(input: Array, target: Array, reduction: str = "mean", log_target: bool = False) -> Array:
    """target * (log(target) - input), the Kullback-Leibler divergence of log-probabilities.

    Args:
        input (Tensor): log-probabilities, floating.
        target (Tensor): probabilities, of a shape that broadcasts.
        reduction (str): "mean" over all elements, "batchmean" over the first dimension, "sum", or "none".
        log_target (bool): whether `target` is log-probabilities too.

    Returns:
        Tensor without dimensions, or of the broadcast shape with "none".

    Raises:
        ValueError: for other reductions.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[0.0, 0.0]])
        >>> print(ms.mint.nn.functional.kl_div(x, x, "sum", log_target=True))
        0.0
    """
    checks.check_choice("kl_div", ("mean", "batchmean", "sum", "none"), reduction=reduction)
    checks.check_bools("kl_div", log_target=log_target)
    x, y = promote_and_broadcast("kl_div", input=input, target=target)
    loss = jnp.exp(y) * (y - x) if log_target else jax.scipy.special.xlogy(y, y) - y * x
    if reduction == "batchmean":
        return loss.sum() / loss.shape[0]
    return reduce_loss("kl_div", loss, reduction)


def one_hot(tensor: Any, num_classes: int = -1) -> Tensor:
    """1 at the place that each element names, 0 elsewhere.

    Args:
        tensor (Tensor): places, of an integer dtype and any shape.
        num_classes (int): how many places there are. -1 stands for one more than the largest element, which is
            looked up and so cannot be left out in a compiled function.

    Returns:
        Tensor of shape (*tensor.shape, num_classes), int64.

    Raises:
        TypeError: if `tensor` is not of an integer dtype, or `num_classes` not an int.
        ValueError: if `num_classes` is less than -1.

    Examples:
        >>> import msjax as ms
        >>> print(ms.mint.nn.functional.one_hot(ms.Tensor([0, 2])))
        [[1 0 0]
         [0 0 1]]
    """
    (num_classes,), _ = static_key((num_classes,))
    checks.check_ints("one_hot", num_classes=num_classes)
    if num_classes < -1:
        checks.fail(ValueError, "one_hot", "num_classes", "be at least -1", num_classes)
    if num_classes == -1:
        num_classes = int(np.asarray(concrete(tensor, "one_hot")).max()) + 1
    if state.frame is None and isinstance(tensor, Tensor):
        index_parsing.refuse_outside("one_hot", "tensor", tensor.array, 0, (num_classes,))
    return embeddings.one_hot(tensor, num_classes)


@op(static="margin reduction")
def cosine_embedding_loss(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    """1 - cos(x1, x2) where y = 1, max(0, cos(x1, x2) - margin) where y = -1.

    Args:
        input1 (Tensor): of shape (N, D) or (D,), floating.
        input2 (Tensor): of `input1`'s shape.
        target (Tensor): 1 or -1, of shape (N,) or ().
        margin (float): should be in [-1, 1]; other numbers are taken too.
        reduction (str): "mean", "sum" or "none".

    Returns:
        Tensor: a scalar, or one loss per sample for "none".

    Raises:
        ValueError: for another `reduction`, or shapes that do not fit.

    Examples:
        >>> import msjax as ms
        >>> x = ms.Tensor([[1.0, 0.0]])
        >>> print(ms.mint.nn.functional.cosine_embedding_loss(x, x, ms.Tensor([-1.0])))
        1.0
    """
    checks.check_numbers("cosine_embedding_loss", margin=margin)
    return loss_margin.of_cosines(input1, input2, target, margin, reduction)
