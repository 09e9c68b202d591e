"""The rarer layers, against what MindSpore prints for the programs in tests/goldens/nn_rare_cases.py.

Those for which MindSpore has no kernel on CPU are compared with their formulas in NumPy.
"""

import numpy as np
import pytest
from scipy import special

import msjax as ms
from msjax import Tensor, nn
from tests.goldens.replaying import replayed

names, test_as_mindspore = replayed("nn_rare", 5e-5)


def wave(*shape):
    return np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


def close(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


def test_matrices():
    a = np.array([[4.0, 1.0], [2.0, 3.0]], np.float32)
    stacked = np.stack((a, 2 * a))
    close(nn.MatDet()(Tensor(stacked)), np.linalg.det(stacked))
    close(nn.MatInverse()(Tensor(stacked)), np.linalg.inv(stacked))
    half = nn.MatInverse()(Tensor(a).astype(ms.float16))
    assert half.dtype == ms.float16
    close(half.astype(ms.float32), np.linalg.inv(a), 1e-3)
    close(ms.grad(nn.MatDet())(Tensor(a)), np.linalg.det(a) * np.linalg.inv(a).T)


def test_diagonals():
    x, d = wave(2, 3, 4), wave(2, 3)
    diagonal = np.einsum("bii->bi", x[:, :, :3])
    close(nn.MatrixDiag()(Tensor(d)), np.eye(3) * d[:, None])
    close(nn.MatrixDiagPart()(Tensor(x)), diagonal)
    replaced = x.copy()
    np.einsum("bii->bi", replaced[:, :, :3])[:] = d
    close(nn.MatrixSetDiag()(Tensor(x), Tensor(d)), replaced)
    by_d = ms.grad(lambda x, d: (nn.MatrixSetDiag()(x, d) ** 2).sum(), 1)(Tensor(x), Tensor(d))
    close(by_d, 2 * d)


@pytest.mark.parametrize("padding", ["valid", "same"])
def test_unfold(padding):
    x = wave(2, 3, 5, 6)
    net = nn.Unfold([1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 2, 1], padding)
    padded = np.pad(x, ((0, 0), (0, 0), (0, 1), (2, 2))) if padding == "same" else x
    rows, columns = (padded.shape[2] - 2) // 2 + 1, padded.shape[3] - 4
    expected = np.stack(
        [
            padded[:, c, i : i + 2 * rows - 1 : 2, j : j + columns]
            for i in range(2)
            for j in (0, 2, 4)
            for c in range(3)
        ],
        1,
    )
    close(net(Tensor(x)), expected)
    close(ms.jit(net)(Tensor(x)), expected)


def _ssim(a, b, size=3, sigma=1.0, k1=0.02, k2=0.04, reach=1.0):
    at = np.arange(size) - size // 2
    window = np.exp(-(at[:, None] ** 2 + at**2) / (2 * sigma**2))
    window /= window.sum()

    def blurred(x):
        return np.einsum(
            "...ij,ij", np.lib.stride_tricks.sliding_window_view(x, (size, size), (-2, -1)), window
        )

    c1, c2 = (k1 * reach) ** 2, (k2 * reach) ** 2
    ma, mb = blurred(a), blurred(b)
    va, vb, vab = blurred(a * a) - ma * ma, blurred(b * b) - mb * mb, blurred(a * b) - ma * mb
    contrast = (2 * vab + c2) / (va + vb + c2)
    return ((2 * ma * mb + c1) / (ma**2 + mb**2 + c1) * contrast).mean((2, 3)), contrast.mean((2, 3))


def test_windows_larger_than_the_images():
    with pytest.raises(ValueError, match="must fit into the input"):
        nn.Unfold([1, 2, 5, 1], [1, 1, 1, 1], [1, 1, 1, 1])(ms.ops.ones((1, 1, 4, 4)))
    assert nn.Unfold([1, 2, 5, 1], [1, 1, 1, 1], [1, 1, 1, 1], "same")(ms.ops.ones((1, 1, 4, 4))).shape == (
        1,
        10,
        4,
        4,
    )


def test_smooth_l1_loss_without_a_parabola():
    x = ms.Tensor([1.0, 2.0])
    for beta in (0, 0.0, -1.0):
        with pytest.raises(RuntimeError, match="beta"):
            nn.SmoothL1Loss(beta)(x, x)


def test_similarity_of_images():
    a, b = wave(2, 2, 8, 8) * 0.5 + 0.5, wave(2, 2, 8, 8) * 0.4 + 0.5
    settings = {"filter_size": 3, "filter_sigma": 1.0, "k1": 0.02, "k2": 0.04}
    net = nn.SSIM(**settings)
    close(net(Tensor(a), Tensor(b)), _ssim(a, b)[0].mean(1))
    close(ms.jit(net)(Tensor(a), Tensor(b)), _ssim(a, b)[0].mean(1))
    halved = [x.reshape(2, 2, 4, 2, 4, 2).mean((3, 5)) for x in (a, b)]
    expected = (_ssim(a, b)[1] ** 0.3 * _ssim(*halved)[0] ** 0.7).mean(1)
    close(nn.MSSSIM(power_factors=(0.3, 0.7), **settings)(Tensor(a), Tensor(b)), expected)
    with pytest.raises(ValueError, match="at least 11"):
        nn.SSIM()(Tensor(a), Tensor(b))


def test_noise_of_images():
    a, b = wave(2, 2, 4, 4) * 0.5 + 0.5, wave(2, 2, 4, 4) * 0.4 + 0.5
    expected = 10 * np.log10(4 / ((a - b) ** 2).mean((1, 2, 3)))
    close(nn.PSNR(2)(Tensor(a), Tensor(b)), expected)
    bytes_ = (Tensor(np.full((1, 1, 2, 2), value, np.uint8)) for value in (255, 0))
    close(nn.PSNR(255)(*bytes_), [0.0])


def test_beta_and_its_gradient():
    x, y = np.array([2.0, 4.0, 6.0, 2000.0], np.float32), np.array([2.0, 3.0, 14.0, 1e6], np.float32)
    close(nn.LBeta()(Tensor(x), Tensor(y)), special.betaln(x.astype(np.float64), y), 2e-5)
    by_x = ms.grad(lambda x, y: nn.LBeta()(x, y).sum())(Tensor(x[:3]), Tensor(y[:3]))
    close(by_x, special.digamma(x[:3]) - special.digamma(x[:3] + y[:3]))


def test_layers_with_the_arguments_of_pytorch():
    x = np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5)
    close(nn.AvgPool2dExt(2)(Tensor(x)), [[[[3, 5], [13, 15]]]])
    close(nn.AvgPool2dExt(2, 2, 1, True, False)(Tensor(x))[0, 0, 0], [0, 1.5, 3.5])
    close(nn.AvgPool2dExt(2, 3, divisor_override=2)(Tensor(x)), [[[[6, 12], [36, 42]]]])
    close(nn.AvgPool1dExt(2, 3)(Tensor(x[0, 0])), x[0, 0][:, [0, 3]] + 0.5)
    close(nn.AvgPool3dExt(2)(Tensor(np.ones((1, 1, 2, 2, 4), np.float32))), np.ones((1, 1, 1, 1, 2)))
    best, places = nn.MaxPool2dExt(2, 3, return_indices=True)(Tensor(x))
    assert places.dtype == ms.int64
    close(best, [[[[6, 9], [21, 24]]]])
    close(places, [[[[6, 9], [21, 24]]]])
    close(nn.L1LossExt("sum")(Tensor(x), Tensor(x + 2)), 50.0)
    y = wave(2, 3)
    close(nn.LogSoftmaxExt()(Tensor(y)), y - np.log(np.exp(y).sum(1, keepdims=True)))
    normalized = (y - y.mean(1, keepdims=True)) / np.sqrt(y.var(1, keepdims=True) + 1e-3)
    close(nn.LayerNormExt(3, 1e-3)(Tensor(y)), normalized)
    table = wave(4, 2)
    close(nn.EmbeddingExt(4, 2, _weight=Tensor(table))(Tensor([[0, 3]])), table[[[0, 3]]])
    assert not nn.EmbeddingExt(4, 2, 1).weight[1].any()


def test_dropout_with_the_arguments_of_pytorch():
    x = ms.ops.ones((4, 50, 2, 2))
    for net, one in ((nn.DropoutExt(0.25), False), (nn.Dropout2dExt(0.25), True)):
        assert net(x) is x
        kept = net.set_train()(x).asnumpy()
        assert set(np.unique(kept.round(4)).tolist()) == {0.0, np.float32(4 / 3).round(4).item()}
        assert 0.6 < (kept > 0).mean() < 0.9
        assert (kept.min((2, 3)) == kept.max((2, 3))).all() == one
    inplace = nn.DropoutExt(1.0, inplace=True).set_train()
    assert inplace(x) is x
    assert not x.any()
    with pytest.raises(ValueError, match="p"):
        nn.DropoutExt(1.5).set_train()(x)


def test_statistics_of_windows():
    x = wave(2, 2, 4, 5)
    net = nn.Conv2dThor(2, 3, (1, 3), (2, 1))
    ms.grad(lambda x: (net(x) ** 2).sum())(Tensor(x))
    padded = np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 1)))[:, :, ::2].mean(0)
    columns = np.stack([padded[:, :, j : j + 5] for j in range(3)], 1).reshape(6, -1)
    close(net.matrix_a_cov, columns @ columns.T / 10)
    gradient = 2 * net(Tensor(x)).asnumpy().mean(0).reshape(3, -1)
    close(net.matrix_g_cov, gradient @ gradient.T / 10)
    close(net.a_normalizer, [10.0])
    close(net.g_normalizer, [10.0])
    device = nn.EmbeddingLookupThor(4, 2, target="DEVICE")
    assert device(Tensor([[0, 2]])).dtype == ms.float16
    close(device.matrix_a, [1.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("net", [nn.Softmax(), nn.Dense(2, 2), nn.BatchNorm2d(3), nn.MaxPool2d(2)], ids=str)
def test_inputs_that_are_no_tensors(net):
    for error in (TypeError, AttributeError):
        with pytest.raises(error, match=r"must be (a Tensor|Tensors)"):
            net([1.0])


def test_an_attribute_that_a_cell_of_the_user_lacks():
    class Net(nn.Cell):
        def construct(self, x):
            return x.missing

    with pytest.raises(AttributeError) as caught:
        Net()([1.0])
    assert not isinstance(caught.value, TypeError)


def test_modules_are_attributes():
    with ms.install_as("mindspore") as mindspore:
        assert mindspore.nn.layer.activation.PReLUExt is nn.PReLUExt
        assert mindspore.nn.layer.Dense is nn.Dense
        assert mindspore.nn.loss.CTCLoss is nn.CTCLoss
        assert mindspore.nn.wrap.TimeDistributed is nn.TimeDistributed
    assert not {"layer", "loss", "optim", "wrap"} & set(nn.__all__)
    with pytest.raises(AttributeError):
        _ = nn.layer.__missing__
