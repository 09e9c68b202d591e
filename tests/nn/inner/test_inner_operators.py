"""Classes derived from layers that call the operators which MindSpore's layers keep as attributes."""

import copy

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, mint, nn
from msjax.nn.probability import bijector, distribution


def _array(*shape):
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


class _Norm(nn.LayerNorm):
    def construct(self, x):
        return self.layer_norm(x, self.gamma, self.beta)[0]


class _Dense(nn.Dense):
    def construct(self, x):
        shape = self.shape_op(x)
        y = self.bias_add(self.matmul(self.reshape(x, (-1, shape[-1])), self.weight), self.bias)
        return self.reshape(self.activation(y) if self.activation_flag else y, (*shape[:-1], -1))


class _Convolution(nn.Conv2d):
    def construct(self, x):
        return self.bias_add(self.conv2d(x, self.weight), self.bias)


class _Statistics(nn.BatchNorm2d):
    def construct(self, x):
        return self.bn_infer(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]


class _Volume(nn.Conv3d):
    def construct(self, x):
        return self.bias_add(self.conv3d(x, self.weight), self.bias)


class _Transposed(nn.Conv2dTranspose):
    def construct(self, x):
        n, _, h, w = self.shape(x)
        assert self.is_same
        return self.conv2d_transpose(x, self.weight, (n, self.out_channels, 2 * h, 2 * w))


class _Largest(nn.MaxPool2d):
    def construct(self, x):
        return self.max_pool(x)


class _Mean(nn.AvgPool1d):
    def construct(self, x):
        return self.squeeze(self.avg_pool(self.expand(x, 2)))


class _Softmax(nn.Softmax):
    def construct(self, x):
        return self.softmax(x)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("derived", "settings", "shape"),
    [
        (_Norm, {"normalized_shape": (4,), "epsilon": 1e-3}, (2, 4)),
        (_Dense, {"in_channels": 3, "out_channels": 2, "activation": "tanh"}, (2, 2, 3)),
        (
            _Convolution,
            {"in_channels": 2, "out_channels": 4, "kernel_size": 3, "group": 2, "has_bias": True},
            (1, 2, 5, 5),
        ),
        (_Statistics, {"num_features": 2, "eps": 0.1}, (2, 2, 3, 3)),
        (_Softmax, {"axis": 0}, (2, 3)),
        (_Volume, {"in_channels": 1, "out_channels": 2, "kernel_size": 3, "has_bias": True}, (1, 1, 4, 4, 4)),
        (_Transposed, {"in_channels": 2, "out_channels": 3, "kernel_size": 3, "stride": 2}, (1, 2, 4, 4)),
        (_Largest, {"kernel_size": 3, "stride": 2, "pad_mode": "same"}, (1, 1, 5, 5)),
        (_Mean, {"kernel_size": 2, "stride": 2}, (1, 2, 6)),
    ],
)
def test_the_operator_has_the_settings_of_the_layer(derived, settings, shape, compiled):
    own = derived(**settings).set_train(False)
    layer = derived.__mro__[1](**settings).set_train(False)
    ms.load_param_into_net(layer, own.parameters_dict())
    x = _array(*shape)
    result = (ms.jit(own) if compiled else own)(x)
    np.testing.assert_allclose(result.asnumpy(), layer(x).asnumpy(), rtol=1e-6, atol=1e-6)
    assert copy.deepcopy(own)(x).shape == result.shape


class _Line(mint.nn.Conv2d):
    """A convolution over one dimension, made of that over two as in published diffusion models."""

    def __init__(self):
        super().__init__(2, 3, (1, 3), padding=(0, 1))
        self.weight = ms.Parameter(self.weight[:, :, 0], name="weight")

    def construct(self, x):
        weight = mint.unsqueeze(self.weight, -2)
        y = self.conv2d(
            mint.unsqueeze(x, -2), weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )
        return mint.squeeze(y, -2)


def test_layers_of_mint_keep_their_functions():
    own, x = _Line(), _array(1, 2, 5)
    wanted = mint.nn.functional.conv1d(x, own.weight, own.bias, padding=1)
    np.testing.assert_allclose(own(x).asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
    assert mint.nn.Conv2d(2, 4, 4, padding="same")._reversed_padding == (1, 2, 1, 2)
    linear = mint.nn.Linear(5, 2)
    assert linear.has_bias
    assert linear.dense(x, linear.weight, linear.bias).shape == (1, 2, 2)


def test_group_norm_is_what_a_derived_class_computes():
    class Doubled(nn.GroupNorm):
        def _cal_output(self, x):
            self._channel_check(x.shape[1], self.num_channels, self.cls_name)
            return 2 * super()._cal_output(x)

    x = _array(1, 4, 2, 2)
    np.testing.assert_allclose(Doubled(2, 4)(x).asnumpy(), 2 * nn.GroupNorm(2, 4)(x).asnumpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="channels"):
        Doubled(2, 4)(_array(1, 2, 2, 2))


def test_a_tensor_that_a_convolution_over_one_dimension_starts_from():
    """It has three dimensions, as MindSpore wants it, and the Parameter four."""
    values = _array(3, 2, 4)
    net = nn.Conv1d(2, 3, 4, pad_mode="valid", weight_init=values)
    assert net.weight.shape == (3, 2, 1, 4)
    np.testing.assert_array_equal(net.weight.asnumpy()[:, :, 0], values.asnumpy())
    assert nn.Conv1dTranspose(3, 2, 4, weight_init=values).weight.shape == (3, 2, 1, 4)
    for wrong in ((3, 2, 1, 4), (3, 2, 5)):
        with pytest.raises(ValueError, match="weight"):
            nn.Conv1d(2, 3, 4, weight_init=_array(*wrong))


def test_a_loss_that_reduces_itself():
    class Squared(nn.LossBase):
        def construct(self, x, y):
            return self.reduce_mean(self.cast(x - y, ms.float32) ** 2)

    assert float(Squared()(Tensor([1.0, 3.0]), Tensor([0.0, 0.0]))) == 5.0


def test_the_list_of_cells_that_a_sequence_calls():
    net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
    assert net.cell_list == [net[0], net[1]]
    net.append(nn.ReLU())
    assert len(net.cell_list) == 3
    net.cell_list = [nn.Sigmoid()]
    assert float(net(Tensor(0.0))) == 0.5
    with pytest.raises(AttributeError, match="cells_list"):
        net.cells_list  # noqa: B018


def test_a_class_keeps_its_own_attribute():
    class Own(nn.LayerNorm):
        def __init__(self):
            super().__init__((2,))
            self.layer_norm = nn.Identity()

    assert isinstance(Own().layer_norm, nn.Identity)
    with pytest.raises(AttributeError, match="no attribute 'conv2d'"):
        nn.LayerNorm((2,)).conv2d  # noqa: B018


class _Step(nn.TrainOneStepWithLossScaleCell):
    """A training step as published programs write it: gradients for a given sense, clipped, then the optimizer."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        status, sense = self.start_overflow_check(loss, self.scale_sense)
        filled = ms.ops.ones_like(loss) * ms.ops.cast(sense, loss.dtype)
        gradients = self.grad(self.network, self.weights)(*inputs, filled)
        gradients = self.hyper_map(ms.ops.partial(lambda scale, g: g / scale, sense), gradients)
        overflow = self.process_loss_scale(self.get_overflow_status(status, gradients))
        if not overflow:
            loss = ms.ops.depend(loss, self.optimizer(self.grad_reducer(gradients)))
        return loss


@pytest.mark.parametrize("compiled", [False, True])
def test_a_training_step_of_its_own(compiled):
    weights = []
    for kind in (_Step, nn.TrainOneStepWithLossScaleCell):
        net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
        optimizer = nn.SGD(net.trainable_params(), learning_rate=[0.1, 0.2, 0.3])
        step = kind(nn.WithLossCell(net, nn.MSELoss()), optimizer, Tensor(8.0))
        for _ in range(2):
            (ms.jit(step) if compiled else step)(_array(4, 2), _array(4, 1))
        weights.append(net.weight.asnumpy())
        # What monitors of training ask the optimizer for:
        assert optimizer.learning_rate(optimizer.global_step - 1).asnumpy().tolist() == [np.float32(0.2)]
    np.testing.assert_allclose(*weights, rtol=1e-6)


class _Diagonal(distribution.Normal):
    """A distribution of one's own, of the operators that MindSpore's Normal keeps."""

    def _log_prob(self, value, mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        return self.log(self.exp(self.squeeze(super()._log_prob(self.cast(value, self.dtype), mean, sd))))

    def _sample(self, shape=(), mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        return self.expand(mean * 0, shape + self.shape(mean + sd))

    def expand(self, x, shape):
        return self.const(1.0, ms.float32) + self.reshape(x, shape)


@pytest.mark.parametrize("compiled", [False, True])
def test_distributions_keep_their_operators(compiled):
    own, plain = _Diagonal(0.0, 1.0), distribution.Normal(0.0, 1.0)
    value, mean, sd = _array(1, 3), _array(1, 3) * 2, ms.ops.exp(_array(1, 3))
    run = ms.jit(lambda *given: own.log_prob(*given)) if compiled else own.log_prob
    want = plain.log_prob(value, mean, sd)[0]
    np.testing.assert_allclose(run(value, mean, sd).asnumpy(), want.asnumpy(), rtol=1e-5)
    assert own.sample((), mean, sd).shape == (1, 3)
    assert own.device_target == "CPU"
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        own.nothing_of_the_kind  # noqa: B018


class _Shifted(bijector.Exp):
    def _forward(self, x):
        return self.pow(self.exp(x), self.power + 1) + self.shape(x)[0]


def test_bijectors_keep_their_operators():
    np.testing.assert_allclose(_Shifted().forward(Tensor([0.0, 1.0])).asnumpy(), [3.0, np.e + 2], rtol=1e-6)


P = ms.ops.operations


@pytest.mark.parametrize(
    ("layer", "name", "operator"),
    [
        (nn.Conv2d(2, 2, 3), "conv2d", P.Conv2D(2, 3, stride=2)),
        (nn.BatchNorm2d(2), "bn_train", P.BatchNorm(True, 0.5)),
        (nn.LayerNorm((4,)), "layer_norm", P.LayerNorm(1, 1, 0.5)),
        (nn.MaxPool2d(2, 2), "max_pool", P.MaxPool(3, 1)),
        (nn.ReLU(), "relu", P.ReLU6()),
        (nn.Softmax(), "softmax", P.LogSoftmax()),
        (nn.Dropout(p=0.5), "dropout", P.Dropout(0.25)),
        (nn.Dense(2, 2), "matmul", lambda x, weight: x),
    ],
)
def test_operators_that_would_have_no_effect_raise(layer, name, operator):
    with pytest.raises(NotImplementedError, match=f"{type(layer).__name__}.{name}"):
        setattr(layer, name, operator)


def test_a_derived_optimizer_calls_the_operator():
    class Plain(nn.Momentum):
        def construct(self, gradients):
            rate = self.get_lr()
            for i, gradient in enumerate(gradients):
                self.opt(self.params[i], self.moments[i], rate, gradient, self.momentum)
            return True

    results = []
    for kind in (Plain, nn.Momentum):
        weight = ms.Parameter(Tensor([1.0, 2.0]), name="w")
        optimizer = kind([weight], 0.1, 0.9, use_nesterov=True)
        for _ in range(2):
            optimizer((Tensor([0.5, -1.0]),))
        results.append(weight.asnumpy())
    np.testing.assert_allclose(*results, rtol=1e-6)


@pytest.mark.parametrize(
    ("kind", "operator"),
    [
        (nn.Adam, "Adam"),
        (nn.RMSProp, "ApplyRMSProp"),
        (nn.Adagrad, "ApplyAdagrad"),
        (nn.FTRL, "ApplyFtrl"),
        (nn.Adadelta, "ApplyAdadelta"),
        (nn.AdaMax, "ApplyAdaMax"),
        (nn.ProximalAdagrad, "ApplyProximalAdagrad"),
    ],
)
def test_operators_of_optimizers(kind, operator):
    optimizer = kind([ms.Parameter(Tensor([1.0]), name="w")])
    assert type(optimizer.opt) is getattr(P, operator)


def test_operators_of_derived_classes_and_equal_ones_are_taken():
    class Sharper(nn.LayerNorm):
        def __init__(self, shape):
            super().__init__(shape)
            self.layer_norm = P.LayerNorm(1, 1, 0.5)

        def construct(self, x):
            return self.layer_norm(x, self.gamma, self.beta)[0]

    x = _array(3, 4)
    np.testing.assert_allclose(
        Sharper((4,))(x).asnumpy(), nn.LayerNorm((4,), epsilon=0.5)(x).asnumpy(), rtol=1e-5
    )
    layer = nn.Softmax()
    layer.softmax = P.Softmax(-1)
    layer.anything = P.ReLU()
    np.testing.assert_allclose(layer(x).asnumpy().sum(-1), np.ones(3), rtol=1e-5)
