"""CTC loss layer (connectionist temporal classification)."""

from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell import parameter_init
from msjax.nn.cell.loss_base import LossBase
from msjax.ops.array.shapes import expand_dims, squeeze
from msjax.ops.nn.ctc import ctc_loss


class CTCLoss(LossBase):
    """Connectionist temporal classification: -log of the summed probability of all alignments of a label sequence.

    Args:
        blank (int): the class that stands for no label.
        reduction (str): "mean" (each loss divided by its number of labels, then averaged), "sum" or "none".
        zero_infinity (bool): 0 in place of infinite losses, and of their gradients.

    Inputs:
        - **log_probs** (Tensor) - logarithms of the classes' probabilities, of shape (T, N, C) or (T, C).
        - **targets** (Tensor) - labels, of shape (N, S), or all of them after each other; (S) for one sequence.
        - **input_lengths** (Union[tuple, Tensor, int]) - how many of the T times each sequence has.
        - **target_lengths** (Union[tuple, Tensor, int]) - how many labels each sequence has.

    Outputs:
        Tensor, a scalar unless `reduction` is "none"; then of shape (N,).

    Raises:
        TypeError: if an argument or an input is of another type.
        ValueError: for another `reduction`, or lengths and shapes that do not fit.

    References:
        Graves et al.: Connectionist Temporal Classification, 2006.

    Examples:
        >>> import msjax as ms
        >>> log_probs = ms.ops.log_softmax(ms.ops.zeros((4, 1, 3)))
        >>> print(ms.nn.CTCLoss(reduction="sum")(log_probs, ms.Tensor([[1, 2]]), ms.Tensor([4]), ms.Tensor([2])))
        1.686399
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__()
        self.blank = blank
        self.reduction = reduction
        self.zero_infinity = zero_infinity

    def construct(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        """Return the loss, reduced."""
        parameter_init.check_numbers("CTCLoss", Tensor, log_probs=log_probs, targets=targets)
        lengths = input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        if log_probs.ndim != 2:
            return ctc_loss(log_probs, targets, *lengths)[0]
        if targets.ndim not in (1, 2) or (targets.ndim == 2 and targets.shape[0] != 1):
            raise ValueError(
                "`CTCLoss`: with `log_probs` of shape (T, C), `targets` must be of shape (S) or (1, S). "
                f"Received: {targets.shape}."
            )
        one = expand_dims(targets, 0) if targets.ndim == 1 else targets
        loss = ctc_loss(expand_dims(log_probs, 1), one, *lengths)[0]
        return squeeze(loss, 0) if loss.ndim else loss
