"""MindSpore's inner base classes, by which programs choose layers. What is an instance of which is MindSpore 2.10's."""

import importlib

import pytest

import msjax as ms
from msjax import mint, nn

BASES = {
    "nn.layer.conv._Conv": (
        nn.Conv1d(1, 1, 1), nn.Conv2d(1, 1, 1), nn.Conv3d(1, 1, 1), nn.Conv1dTranspose(1, 1, 1), nn.Conv2dTranspose(1, 1, 1),
        nn.Conv3dTranspose(1, 1, 1),
    ),
    "nn.layer.normalization._BatchNorm": (nn.BatchNorm1d(2), nn.BatchNorm2d(2)),  # BatchNorm3d holds a BatchNorm2d
    "nn.layer.normalization._InstanceNorm": (nn.InstanceNorm1d(2), nn.InstanceNorm2d(2), nn.InstanceNorm3d(2)),
    "nn.layer.pooling._PoolNd": (
        nn.MaxPool1d(), nn.MaxPool2d(), nn.MaxPool3d(), nn.AvgPool1d(), nn.AvgPool2d(), nn.AvgPool3d(),
    ),
    "nn.layer.rnns._RNNBase": (nn.RNN(1, 1), nn.LSTM(1, 1), nn.GRU(1, 1)),
    "mint.nn.layer.conv._Conv": (mint.nn.Conv2d(1, 1, 1), mint.nn.Conv3d(1, 1, 1), mint.nn.ConvTranspose2d(1, 1, 1)),
    "mint.nn.layer.normalization._NormBase": (mint.nn.BatchNorm1d(2), mint.nn.BatchNorm2d(2), mint.nn.BatchNorm3d(2)),
}  # fmt: skip
OTHERS = (
    nn.Dense(1, 1),
    nn.BatchNorm3d(2),
    nn.LayerNorm((2,)),
    nn.GroupNorm(1, 2),
    nn.LSTMCell(1, 1),
    nn.AdaptiveAvgPool2d(1),
)


@pytest.mark.parametrize("path", BASES)
def test_layers_are_instances_of_the_inner_base(path):
    module, _, name = path.rpartition(".")
    with ms.install_as("mindspore"):
        base = getattr(importlib.import_module(f"mindspore.{module}"), name)
        for own, layers in BASES.items():
            assert [isinstance(layer, base) for layer in layers] == [own == path] * len(layers)
        assert not any(isinstance(layer, base) for layer in OTHERS)
