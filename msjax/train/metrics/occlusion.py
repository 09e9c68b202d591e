"""Occlusion sensitivity: the parts of an image that a classification depends on."""

from typing import Any

import numpy as np

from msjax.core.tensor.tensor import Tensor
from msjax.nn.cell.cell import Cell
from msjax.train.metrics.base import Metric, rearrange_inputs


class OcclusionSensitivity(Metric):
    """Occlusion sensitivity: the drop of the score when the surroundings of each image element are covered.

    Args:
        pad_val (float): what covers. Default: 0.0.
        margin (Union[int, list]): how far from the element is covered. Default: 2.
        n_batch (int): how many covered images the network gets at once. Default: 128.
        b_box (list): [first, last, first, last, ...] along each axis but the batch: the elements that are asked for;
            a last one below 0 is the end. Default: all.

    Raises:
        TypeError: if an argument is of another type.

    References:
        Zeiler, Fergus: Visualizing and Understanding Convolutional Networks, 2014.

    Examples:
        >>> import msjax as ms
        >>> from msjax.train import OcclusionSensitivity
        >>> net = ms.nn.Dense(3, 2, weight_init=ms.Tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), has_bias=False)
        >>> metric = OcclusionSensitivity(margin=1)
        >>> metric.update(net, ms.ops.ones((1, 3)), ms.Tensor([0]))
        >>> print(metric.eval())
        [1. 3. 5.]
    """

    def __init__(self, pad_val: float = 0.0, margin: Any = 2, n_batch: int = 128, b_box: Any = None) -> None:
        super().__init__()
        for name, value, kinds in (
            ("pad_val", pad_val, (float,)),
            ("margin", margin, (int, list)),
            ("n_batch", n_batch, (int,)),
            ("b_box", b_box, (list, type(None))),
        ):
            if isinstance(value, bool) or not isinstance(value, kinds):
                raise TypeError(
                    f"`OcclusionSensitivity`: argument `{name}` must be of type "
                    f"{' or '.join(kind.__name__ for kind in kinds)}. Received: {value!r}."
                )
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._result: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take a network, an image with a batch axis of size 1, and the class.

        Args:
            inputs: (Cell, Tensor, Tensor).

        Raises:
            ValueError: if there are not three, or `b_box` does not fit the image.
            TypeError: if the first is not a Cell.
            RuntimeError: if there are several images or classes.
        """
        if len(inputs) != 3:
            raise ValueError(f"`OcclusionSensitivity.update` needs 3 inputs. Received: {len(inputs)}.")
        network, image = inputs[0], self._convert_data(inputs[1])
        label = inputs[2] if isinstance(inputs[2], int) else self._convert_data(inputs[2])
        if not isinstance(network, Cell):
            raise TypeError(
                f"`OcclusionSensitivity.update`: the first input must be a Cell. Received: {network!r}."
            )
        if image.shape[0] > 1 or np.size(label) != image.shape[0]:
            raise RuntimeError(
                "`OcclusionSensitivity.update`: there must be one image and one class. "
                f"Received: {image.shape[0]} and {np.size(label)}."
            )
        kind = int(np.reshape(label, -1)[0])
        first, last = self._box(np.array(image.shape[1:]))
        baseline = network(Tensor(image)).asnumpy()[0, kind]
        covered = [self._cover(image, place + first) for place in np.ndindex(*(last - first + 1))]
        scores = [
            network(Tensor(np.concatenate(covered[at : at + self.n_batch]))).asnumpy()[:, kind]
            for at in range(0, len(covered), self.n_batch)
        ]
        self._result = baseline - np.squeeze(np.concatenate(scores).reshape(last - first + 1))

    def _cover(self, image: np.ndarray, place: np.ndarray) -> np.ndarray:
        low = np.maximum(place - self.margin, 0)
        high = np.minimum(place + self.margin, image.shape[1:])
        hidden = image.copy()
        hidden[(..., *map(slice, low, high))] = self.pad_val
        return hidden

    def _box(self, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and the last place that is asked for."""
        if self.b_box is None:
            return np.zeros_like(sizes), sizes - 1
        rule = "`OcclusionSensitivity`: argument `b_box` must"
        if len(self.b_box) != 2 * len(sizes):
            raise ValueError(
                f"{rule} have two elements for each of {len(sizes)} axes. Received: {self.b_box}."
            )
        first, last = np.maximum(self.b_box[::2], 0), np.array(self.b_box[1::2])
        last = np.where(last < 0, sizes - 1, last)
        if (last >= sizes).any() or (first > last).any():
            raise ValueError(
                f"{rule} lie within the image, of shape {tuple(sizes.tolist())}. Received: {self.b_box}."
            )
        return first, last

    def eval(self) -> np.ndarray:
        """Return the drop of the score for each element.

        Raises:
            RuntimeError: if nothing was seen.
        """
        self._require_updates(self._result is not None)
        assert self._result is not None
        return self._result
