from msjax.nn.probability.bnn_layers.bnn_cell_wrapper import WithBNNLossCell as WithBNNLossCell
from msjax.nn.probability.bnn_layers.conv_variational import ConvReparam as ConvReparam
from msjax.nn.probability.bnn_layers.dense_variational import DenseLocalReparam as DenseLocalReparam
from msjax.nn.probability.bnn_layers.dense_variational import DenseReparam as DenseReparam
from msjax.nn.probability.bnn_layers.layer_distribution import NormalPosterior as NormalPosterior
from msjax.nn.probability.bnn_layers.layer_distribution import NormalPrior as NormalPrior
