"""Layers of mint.nn against PyTorch: two steps, gradients, names and shapes of Parameters, running statistics."""

import pathlib
import pickle

import numpy as np
import pytest
from mint_layer_cases import LAYERS, draw

import msjax as ms
from msjax import Parameter, Tensor, mint
from msjax.core.autodiff.grad import GradOperation

GOLDEN = np.load(pathlib.Path(__file__).parent.parent / "goldens" / "mint_layers.npz")
STATE = ("running_mean", "running_var", "num_batches_tracked")


@pytest.mark.parametrize(("case", "shape", "training"), LAYERS, ids=[f"{c}{'*' * t}" for c, _, t in LAYERS])
def test_layer(case, shape, training):
    key = f"{case}{'*' * training}"
    layer = eval(f"nn.{case}", {"nn": mint.nn}).set_train(training)
    parameters = layer.parameters_dict()
    for name, p in parameters.items():
        assert p.shape == GOLDEN[f"{key} {name}"].shape
        if name not in STATE:
            p.set_data(Tensor(draw(case, name, p.shape)))
    recorded = {k.rsplit(" ", 1)[1] for k in GOLDEN.files if k.startswith(f"{key} ")} - {"0", "1"}
    assert recorded == set(parameters)
    pull = GradOperation(sens_param=True)(layer)
    frozen = {name: parameters[name].asnumpy() for name in STATE if name in parameters}
    for step in range(2):
        x = Tensor(draw(case, f"input {step}", shape))
        expected = GOLDEN[f"{key} out {step}"]
        gradient = pull(x, Tensor(draw(case, f"sens {step}", expected.shape)))
        np.testing.assert_allclose(gradient.asnumpy(), GOLDEN[f"{key} gradient {step}"], rtol=2e-4, atol=2e-5)
        state = {name: parameters[name].asnumpy() for name in frozen}
        np.testing.assert_allclose(layer(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
        for name, value in state.items():
            parameters[name].set_data(Tensor(value))
    for name in frozen:
        np.testing.assert_allclose(parameters[name].asnumpy(), GOLDEN[f"{key} {name}"], rtol=1e-5, atol=1e-6)


def test_losses_take_their_weights():
    x, y = Tensor([[0.2, 0.7]]), Tensor([[0.0, 1.0]])
    w = Tensor([1.0, 2.0])
    expected = mint.nn.functional.binary_cross_entropy(x, y, w, "sum")
    np.testing.assert_allclose(mint.nn.BCELoss(w, "sum")(x, y).asnumpy(), expected.asnumpy())
    loss = mint.nn.CrossEntropyLoss(label_smoothing=0.1)(x, Tensor([1]))
    np.testing.assert_allclose(
        loss.asnumpy(), mint.nn.functional.cross_entropy(x, Tensor([1]), label_smoothing=0.1).asnumpy()
    )


def test_embedding():
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    layer = mint.nn.Embedding(3, 2, padding_idx=-1, _weight=Tensor(table))
    assert layer(Tensor([[0, 2]])).asnumpy().tolist() == [[[0.0, 1.0], [4.0, 5.0]]]
    gradient = ms.grad(lambda i: layer(i).sum(), None, layer.trainable_params())(Tensor([0, 2]))
    assert gradient[0].asnumpy().tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert mint.nn.Embedding(3, 2, padding_idx=1).weight.asnumpy()[1].tolist() == [0.0, 0.0]
    assert not mint.nn.Embedding(3, 2, _freeze=True).weight.requires_grad


def test_dropout_and_unpooling():
    layer = mint.nn.Dropout(0.5).set_train()
    kept = layer(ms.ops.ones(2000)).asnumpy()
    assert set(np.unique(kept)) == {0.0, 2.0}
    assert abs(kept.mean() - 1) < 0.2
    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    top, places = mint.nn.MaxPool2d(2, return_indices=True)(x)
    back = mint.nn.MaxUnpool2d(2)(top, places)
    assert back.shape == x.shape
    assert float(back.sum()) == float(top.sum())


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda nn: nn.Linear(0, 1), ValueError),
        (lambda nn: nn.Conv2d(3, 4, 1, groups=2), ValueError),
        (lambda nn: nn.Conv2d(2, 2, 1, padding="most"), ValueError),
        (lambda nn: nn.GroupNorm(3, 4), ValueError),
        (lambda nn: nn.SyncBatchNorm(2, process_group="g"), ValueError),
        (lambda nn: nn.AvgPool2d(), TypeError),
        (lambda nn: nn.Embedding(3, 2, padding_idx=3), ValueError),
        (lambda nn: nn.BatchNorm2d(2)(ms.ops.ones((2, 2))), ValueError),
    ],
)
def test_wrong_settings(make, error):
    with pytest.raises(error, match=r"Received|missing"):
        make(mint.nn)


def test_parameters_are_parameters():
    net = mint.nn.Linear(2, 3)
    assert all(isinstance(p, Parameter) for p in (net.weight, net.bias))
    assert [p.name for p in net.trainable_params()] == ["weight", "bias"]


def test_names_that_are_printed():
    nn = mint.nn
    layers = [
        nn.Softmax(1),
        nn.Dropout(),
        nn.MaxPool2d(2),
        nn.AdaptiveMaxPool1d(3),
        nn.Hardswish(),
        nn.Upsample(2),
    ]
    layers += [nn.UpsamplingNearest2d(2), nn.PReLU()]
    assert [repr(layer) for layer in layers] == [
        "SoftmaxExt()",
        "DropoutExt()",
        "MaxPool2dExt()",
        "AdaptiveMaxPool1d(output_size=3, return_indices=False)",
        "HSwish()",
        "UpsampleExt()",
        "UpsamplingNearest2d()",
        "PReLUExt()",
    ]
    assert isinstance(pickle.loads(pickle.dumps(nn.Softmax(1))), nn.Softmax)
