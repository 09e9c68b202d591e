"""Base class of variational layers, whose weights are distributions."""

from collections.abc import Callable
from typing import Any

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.ops.nn.linear import bias_add


class Variational(Cell):
    """A layer with distributions of its weight, and of its bias if it has one, before and as found by training."""

    has_bias: bool

    def _distributions(self, what: str, shape: list[int], prior_fn: Any, posterior_fn: Any) -> None:
        """Make the two distributions of the weight or the bias."""
        setattr(self, f"{what}_prior", _prior(prior_fn, f"{what}_prior_fn"))
        posterior = _posterior(posterior_fn, shape, f"bnn_{what}", f"{what}_posterior_fn")
        setattr(self, f"{what}_posterior", posterior)

    def construct(self, inputs: Tensor) -> Tensor:
        """Apply the layer, with weights drawn anew."""
        outputs = self._apply_variational_weight(inputs)
        return self.apply_variational_bias(outputs) if self.has_bias else outputs

    def _apply_variational_weight(self, inputs: Tensor) -> Tensor:
        raise NotImplementedError(f"`{type(self).__name__}` must define `_apply_variational_weight`.")

    def apply_variational_bias(self, inputs: Tensor) -> Tensor:
        """Add a bias drawn again."""
        return bias_add(inputs, self.bias_posterior("sample"))

    def compute_kl_loss(self) -> Tensor:
        """Return the divergence of what training found from what was taken for granted, summed over all weights."""
        total = self._divergence(self.weight_prior, self.weight_posterior)
        if self.has_bias:
            total = total + self._divergence(self.bias_prior, self.bias_posterior)
        return total

    @staticmethod
    def _divergence(prior: Cell, posterior: Cell) -> Tensor:
        return prior("kl_loss", posterior("get_dist_type"), *posterior("get_dist_args")).sum()

    def _describe_parameters(self) -> str:
        """Return the Parameters of the distributions, in print."""
        bias = ""
        if self.has_bias:
            bias = f", bias_mean={self.bias_posterior.mean}, bias_std={self.bias_posterior.untransformed_std}"
        return (
            f"weight_mean={self.weight_posterior.mean}, weight_std={self.weight_posterior.untransformed_std}, "
            f"has_bias={self.has_bias}{bias}"
        )


def _prior(given: Any, argument: str) -> Cell:
    """Return the Cell, made if it is a class or function; all its children must be one `normal` with known parameters."""
    prior = given if isinstance(given, Cell) else given()
    for name, child in prior.name_cells().items():
        _require_normal(name, argument)
        if not all(isinstance(getattr(child, own, None), Tensor) for own in ("_mean_value", "_sd_value")):
            raise TypeError(
                f"`{argument}` must give a normal distribution with mean and sd. Received: {child!r}."
            )
    return prior


def _posterior(given: Callable, shape: list[int], name: str, argument: str) -> Cell:
    try:
        posterior = given(shape=shape, name=name)
    except TypeError as error:
        raise TypeError(
            f"`{argument}` must be `NormalPosterior` or a function (name, shape) that gives one. Received: {given!r}."
        ) from error
    for child in posterior.name_cells():
        _require_normal(child, argument)
    return posterior


def _require_normal(child: str, argument: str) -> None:
    if child != "normal":
        raise TypeError(
            f"`{argument}` must give a Cell whose only child is `normal`. Received: one with `{child}`."
        )
