"""`torch.quasirandom`: Sobol' sequences, from SciPy's generator, which has the direction numbers of Joe and Kuo, too."""

from typing import Any

import jax
import numpy as np
import scipy

from msjax.core.tensor import random_state
from msjax.torch.tensors import creation
from msjax.torch.tensors.call_conventions import write_out

__all__ = ["SobolEngine"]


class SobolEngine:
    """Points of a Sobol' sequence in [0, 1), spread evenly.

    Args:
        dimension: of the points, at most 21201.
        scramble: whether they are shifted and permuted at random; other points than PyTorch's.
        seed: of that; without one, it comes from `torch.manual_seed`.

    Raises:
        ValueError: for another dimension.

    Examples:
        >>> from msjax import torch
        >>> torch.quasirandom.SobolEngine(2).draw(3)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]. Received: {dimension}."
            )
        if scramble and seed is None:
            seed = int(jax.random.key_data(random_state.next_key()).ravel()[-1])
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self.num_generated = 0
        self._points = self._start()

    def _start(self) -> Any:
        from scipy.stats import qmc  # half a second, for few programs

        word = "rng" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15) else "seed"
        options: dict[str, Any] = (
            {"scramble": True, word: self.seed} if self.scramble else {"scramble": False}
        )
        return qmc.Sobol(self.dimension, bits=self.MAXBIT, **options)

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """Return the next points.

        Args:
            n: how many.
            out: a tensor that takes them.
            dtype: floating; the default dtype if it is None.

        Returns:
            Tensor of shape (n, dimension).

        Raises:
            NotImplementedError: for a dtype that is not floating.
        """
        dtype = creation.get_default_dtype() if dtype is None else dtype
        if not dtype.is_floating_point:
            raise NotImplementedError(
                f"`SobolEngine.draw`: argument `dtype` must be floating. Received: {dtype}."
            )
        # One first: SciPy warns of beginnings that are no power of 2 long.
        parts = [
            self._points.random(k) for k in ((1, n - 1) if not self.num_generated else (n,)) if k > 0 and n
        ]
        points = np.concatenate(parts) if parts else np.zeros((0, self.dimension))
        self.num_generated += n
        found = creation.tensor(points, dtype=dtype)
        return found if out is None else write_out("draw", found, out)

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """Return the next 2 ** m points.

        Raises:
            ValueError: if with them the points drawn are not a power of 2.
        """
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points have "
                f"been drawn, and with 2**{m} more they are {total}. Use draw() for other numbers."
            )
        return self.draw(2**m, out, dtype)

    def reset(self) -> "SobolEngine":
        """Begin again."""
        self._points, self.num_generated = self._start(), 0
        return self

    def fast_forward(self, n: int) -> "SobolEngine":
        """Leave out the next n points."""
        self._points.fast_forward(n)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        notes = [f"dimension={self.dimension}"]
        notes += ["scramble=True"] if self.scramble else []
        notes += [f"seed={self.seed}"] if self.scramble else []
        return f"{type(self).__name__}({', '.join(notes)})"
