"""Similarity metrics: Dice, cosine similarity, BLEU."""

import math
from collections import Counter
from typing import Any

import numpy as np

from msjax.train.metrics.base import Metric, rearrange_inputs


class Dice(Metric):
    """The Dice coefficients 2 sum(x y) / (sum(x^2) + sum(y^2) + smooth) of batches, per sample.

    The sum of the coefficients of all batches is divided by the number of samples, as in MindSpore 2.10.

    Args:
        smooth (float): avoids 0 / 0, positive. Default: 1e-5.

    Raises:
        TypeError: if it is not a float.
        ValueError: if it is not positive.

    Examples:
        >>> from msjax.train import Dice
        >>> metric = Dice()
        >>> metric.update([[1.0, 1.0]], [[1.0, 0.0]])
        >>> round(metric.eval(), 4)
        0.6667
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        if not isinstance(smooth, float):
            raise TypeError(f"`Dice`: argument `smooth` must be a float. Received: {smooth!r}.")
        if smooth <= 0:
            raise ValueError(f"`Dice`: argument `smooth` must be positive. Received: {smooth!r}.")
        self.smooth = smooth
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._sum = 0.0
        self._batches = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add predictions and labels of one shape (N, ...)."""
        predicted, labels = self._inputs(inputs, 2)
        if predicted.shape != labels.shape:
            raise ValueError(
                "`Dice.update`: predictions and labels must have one shape. "
                f"Received: {predicted.shape}, {labels.shape}."
            )
        self._batches += predicted.shape[0]
        both = np.dot(predicted.reshape(-1), labels.reshape(-1))
        each = np.dot(predicted.reshape(-1), predicted.reshape(-1)) + np.dot(
            labels.reshape(-1), labels.reshape(-1)
        )
        self._sum += 2 * float(both) / float(each + self.smooth)

    def eval(self) -> float:
        """Return the coefficient."""
        self._require_updates(self._batches)
        return self._sum / self._batches


class CosineSimilarity(Metric):
    """The similarity of each row of a matrix with each other.

    Args:
        similarity (str): "cosine", or "dot" for dot products. Default: "cosine".
        reduction (str): "none" gives the matrix, "sum" and "mean" that over the rows. Default: "none".
        zero_diagonal (bool): set the diagonal to 0. Default: True.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if one is unknown.

    Examples:
        >>> import numpy as np
        >>> from msjax.train import CosineSimilarity
        >>> metric = CosineSimilarity()
        >>> metric.update(np.array([[1.0, 0.0], [1.0, 1.0]]))
        >>> print(metric.eval().round(3))
        [[0.    0.707]
         [0.707 0.   ]]
    """

    def __init__(
        self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True
    ) -> None:
        super().__init__()
        for name, value, known in (
            ("similarity", similarity, ("cosine", "dot")), ("reduction", reduction, ("none", "sum", "mean")),
        ):  # fmt: skip
            if value not in known:
                raise ValueError(
                    f"`CosineSimilarity`: argument `{name}` must be one of {known}. Received: {value!r}."
                )
        if not isinstance(zero_diagonal, bool):
            raise TypeError(
                f"`CosineSimilarity`: argument `zero_diagonal` must be a bool. Received: {zero_diagonal!r}."
            )
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._matrix: np.ndarray | None = None

    def update(self, inputs: Any) -> None:  # type: ignore[override]
        """Add a matrix (N, D)."""
        rows = self._convert_data(inputs)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, ord=2, axis=1)[:, None]
        self._matrix = np.dot(rows, rows.T)

    def eval(self) -> np.ndarray:
        """Return the matrix (N, N), or its sum or mean over the last axis."""
        self._require_updates(self._matrix is not None)
        assert self._matrix is not None
        matrix = self._matrix.copy()
        if self.zero_diagonal:
            np.fill_diagonal(matrix, 0)
        return {"none": lambda m: m, "mean": lambda m: m.mean(axis=-1), "sum": lambda m: m.sum(axis=-1)}[
            self.reduction
        ](matrix)


class BleuScore(Metric):
    """The BLEU score of translations against references (Papineni et al., 2002).

    Args:
        n_gram (int): the longest n-grams that are counted, 1 to 4. Default: 4.
        smooth (bool): add 1 to the counts of n-grams. A length without any match still gives 0. Default: False.

    Raises:
        ValueError: if `n_gram` is not 1 to 4.

    Examples:
        >>> from msjax.train import BleuScore
        >>> metric = BleuScore(n_gram=2)
        >>> metric.update([["a", "red", "car"]], [[["a", "red", "cart"], ["one", "red", "car"]]])
        >>> metric.eval()
        1.0
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        if not isinstance(n_gram, int) or isinstance(n_gram, bool):
            raise TypeError(f"`BleuScore`: argument `n_gram` must be an int. Received: {n_gram!r}.")
        if not 1 <= n_gram <= 4:
            raise ValueError(f"`BleuScore`: argument `n_gram` must be 1 to 4. Received: {n_gram}.")
        if not isinstance(smooth, bool):
            raise TypeError(f"`BleuScore`: argument `smooth` must be a bool. Received: {smooth!r}.")
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._found = np.zeros(self.n_gram)
        self._all = np.zeros(self.n_gram)
        self._length = 0
        self._wanted = 0
        self._updated = False

    def _counts(self, words: list[str]) -> Counter:
        return Counter(
            tuple(words[j : i + j]) for i in range(1, self.n_gram + 1) for j in range(len(words) - i + 1)
        )

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add translations, and for each a list of references; each is a list of words."""
        if len(inputs) != 2:
            raise ValueError(f"`BleuScore.update` needs 2 inputs. Received: {len(inputs)}.")
        translations, references = inputs
        if len(translations) != len(references):
            raise ValueError(
                "`BleuScore.update`: there must be references for each translation. "
                f"Received: {len(translations)} and {len(references)}."
            )
        for words, wanted in zip(translations, references, strict=True):
            self._length += len(words)
            self._wanted += min((abs(len(words) - len(r)), len(r)) for r in wanted)[1]
            counts, most = self._counts(words), Counter()
            for reference in wanted:
                most |= self._counts(reference)
            for gram, count in (counts & most).items():
                self._found[len(gram) - 1] += count
            for gram, count in counts.items():
                self._all[len(gram) - 1] += count
        self._updated = True

    def eval(self) -> float:
        """Return the score, 0 to 1."""
        self._require_updates(self._updated)
        if min(self._found) == 0:
            return 0.0
        shares = (self._found + 1) / (self._all + 1) if self.smooth else self._found / self._all
        mean = math.exp(float(np.sum(np.log(shares)) / self.n_gram))
        short = 1.0 if self._length > self._wanted else math.exp(1 - self._wanted / self._length)
        return short * mean
