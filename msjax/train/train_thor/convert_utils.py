"""Conversion of networks and Models to train with the second-order optimizer THOR."""

from typing import Any

from msjax.nn.cell.cell import Cell
from msjax.nn.optim import thor_networks
from msjax.nn.optim.second_order import ThorGpu
from msjax.nn.wrap.cells import TrainOneStepCell
from msjax.train.train_thor.model_thor import ModelThor


class ConvertNetUtils:
    """Conversion of Dense, Conv2d, Embedding and EmbeddingLookup layers to those with second-order statistics.

    The optimizer `nn.thor` does so by itself.

    Examples:
        >>> import msjax as ms
        >>> from msjax.train import ConvertNetUtils
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.ReLU())
        >>> ConvertNetUtils().convert_to_thor_net(net)
        >>> type(net[0]).__name__
        'DenseThor'
    """

    def convert_to_thor_net(self, net: Cell) -> None:
        """Convert a network, in place. Its Parameters keep their values and names; those that are not trained stay.

        Dense layers then compute in float16, except on GPUs, and if they have 1001 outputs.

        Args:
            net (Cell): the network.
        """
        thor_networks.convert_network(net)


class ConvertModelUtils:
    """Conversion of a Model to one that trains with the optimizer THOR, `nn.thor`; other Models stay as they are.

    Examples:
        >>> import msjax as ms
        >>> from msjax.train import ConvertModelUtils, Model
        >>> net = ms.nn.Dense(3, 2)
        >>> model = Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params()))
        >>> ConvertModelUtils.convert_to_thor_model(model, net) is model
        True
    """

    @staticmethod
    def convert_to_thor_model(
        model: Any,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        amp_level: str = "O0",
        loss_scale_manager: Any = None,
        keep_batchnorm_fp32: bool = False,
    ) -> Any:
        """Return a Model that computes second-order statistics every `frequency` steps; without `nn.thor` the model itself.

        Args:
            model (Model): the model.
            network (Cell): its network, or a TrainOneStepCell.
            loss_fn (Cell): its loss.
            optimizer (Cell): its optimizer.
            metrics (dict): its metrics.
            amp_level (str): its mixed precision.
            loss_scale_manager (LossScaleManager): its loss scale.
            keep_batchnorm_fp32 (bool): keep BatchNorm in float32.

        Returns:
            Model.
        """
        if isinstance(network, TrainOneStepCell) and isinstance(network.optimizer, ThorGpu):
            return ModelThor(network)
        if not isinstance(optimizer, ThorGpu):
            return model
        return ModelThor(
            network,
            loss_fn,
            optimizer,
            metrics,
            amp_level=amp_level,
            loss_scale_manager=loss_scale_manager,
            keep_batchnorm_fp32=keep_batchnorm_fp32,
        )
