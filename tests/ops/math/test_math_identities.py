"""Tests beyond a table of goldens: decompositions whose signs are free, searches along curves, checks of values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from msjax.core.autodiff.grad import grad
from msjax.core.autodiff.vmap import vmap
from msjax.core.jit.jit import jit
from msjax.core.tensor.tensor import Tensor
from msjax.ops.linalg import decompositions, solving
from msjax.ops.math import bessel, elementary, floating_point
from msjax.ops.names import taylor
from msjax.ops.primitive_impl import math
from msjax.ops.primitives import linalg
from msjax.ops.signal import fft

X = np.random.RandomState(0).randn(2, 3, 3)


@pytest.mark.parametrize("full", [False, True])
def test_svd_puts_together_again(full):
    x = (X[:, :2] + 1j * X[:, 1:]).astype(np.complex64)
    s, u, v = (a.asnumpy() for a in decompositions.svd(Tensor(x), full))
    assert s.dtype == x.dtype
    np.testing.assert_allclose((u[..., :2] * s[:, None]) @ v[..., :2].conj().swapaxes(-1, -2), x, atol=1e-5)
    np.testing.assert_allclose(
        v.conj().swapaxes(-1, -2) @ v, np.broadcast_to(np.eye(v.shape[-1]), (2, *v.shape[-1:] * 2)), atol=1e-5
    )


def test_eigenvectors_and_their_derivatives():
    w, v = (a.asnumpy() for a in decompositions.eig(Tensor(X)))
    np.testing.assert_allclose(X @ v, v * w[:, None], atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(v, axis=-2), 1)
    np.testing.assert_allclose(decompositions.eigvals(Tensor(X)).asnumpy(), w)

    def whole(x):  # moduli do not depend on the vectors' phases
        values, vectors = decompositions.eig.pure(x)
        return jnp.abs(values), jnp.abs(vectors)

    check_grads(whole, (X[0],), 2, modes=["rev"], rtol=1e-4, atol=1e-4)


def test_reflectors_make_the_orthogonal_factor():
    h, tau = decompositions.geqrf(Tensor(X))
    q, r = decompositions.qr(Tensor(X))
    np.testing.assert_allclose(decompositions.orgqr(h, tau).asnumpy(), q.asnumpy(), atol=1e-10)
    np.testing.assert_allclose(decompositions.ormqr(h, tau, r).asnumpy(), X, atol=1e-10)
    check_grads(decompositions.orgqr.pure, (X, np.full((2, 2), 0.7)), 1, modes=["rev"])


def test_pseudo_inverse_of_few_rank():
    x = X[0, :, :1] * X[0, 1]
    p = solving.pinv(Tensor(x), rtol=1e-8).asnumpy()
    np.testing.assert_allclose(x @ p @ x, x, atol=1e-10)
    np.testing.assert_allclose(p, np.linalg.pinv(x, rcond=1e-8), atol=1e-10)


def test_complex_gradients_are_conjugated():
    z = Tensor(np.array([1 + 2j, 3 - 1j, 0.5j], np.complex64))
    # |F z|^2 = n |z|^2, whose gradient as MindSpore has it is 2 n z.
    got = grad(lambda z: (elementary.exp(z * 0) * fft.fft(z)).abs().square().sum())(z).asnumpy()
    np.testing.assert_allclose(got, 6 * z.asnumpy(), rtol=1e-4)


def test_jet_has_the_derivatives_of_each_order():
    x = Tensor(np.array([0.5, 2.0], np.float32))
    out, orders = jit(
        lambda x: taylor.jet(
            elementary.exp, x, Tensor(np.stack([np.ones(2), *[np.zeros(2)] * 3]).astype(np.float32))
        )
    )(x)
    np.testing.assert_allclose(orders.asnumpy(), np.stack([np.exp([0.5, 2])] * 4), rtol=1e-5)
    np.testing.assert_allclose(out.asnumpy(), np.exp([0.5, 2]), rtol=1e-5)
    # No rule of jax.experimental.jet: nested forward mode.
    _, third = taylor.derivative(bessel.bessel_j0, x, 3)
    expected = jax.vmap(jax.grad(jax.grad(jax.grad(bessel.bessel_j0.pure))))(x.array)
    np.testing.assert_allclose(third.asnumpy(), expected, rtol=1e-4)
    slope = grad(lambda x: taylor.derivative(lambda x: x * x * x, x, 2)[1].sum())(x)
    np.testing.assert_allclose(slope.asnumpy(), [6, 6])
    with pytest.raises(ValueError, match=r"`jet`.*Received"):
        taylor.jet(elementary.exp, x, x)


def test_checks_of_values():
    good, bad = Tensor([1.0, 2.0]), Tensor([1.0, float("nan")])
    assert linalg.CheckNumerics()(good) is good
    with pytest.raises(RuntimeError, match=r"CheckNumerics.*nan"):
        linalg.CheckNumerics()(bad)
    compiled = jit(lambda x: linalg.CheckNumerics()(x) * 2)
    assert compiled(good).asnumpy().tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match=r"CheckNumerics.*nan"):
        compiled(bad)
    assert [float(linalg.FloatStatus()(x)[0]) for x in (good, bad)] == [0, 1]
    assert floating_point.eps(good).shape == (2,)


def test_mapped_and_compiled_operators_agree():
    x = Tensor(X.astype(np.float32))
    for fn in (decompositions.eigvals, solving.inverse, bessel.bessel_j1, fft.fftn, solving.pinv):
        lanes = [fn(Tensor(part)).asnumpy() for part in x.asnumpy()]
        np.testing.assert_allclose(vmap(fn)(x).asnumpy(), np.stack(lanes), rtol=2e-4, atol=2e-5)
    ranks = math.nth_element(x, 0).asnumpy()
    np.testing.assert_allclose(ranks, x.asnumpy().min(-1))
