"""`msjax.scipy` against what MindSpore gives, and the searches against functions whose minima are known."""

import importlib
import json
import pathlib

import numpy as np
import pytest
from scipy.optimize import line_search as scipy_line_search

from msjax import ops
from msjax.core.autodiff.grad import grad
from msjax.core.jit.jit import jit
from msjax.core.tensor.tensor import Tensor
from msjax.scipy import linalg, ops_wrapper, optimize, utils

GOLDEN = json.loads((pathlib.Path(__file__).parent.parent / "goldens" / "scipy.json").read_text())
FUNCTIONS = sorted({key.partition("(")[0] for key in GOLDEN})
ERRORS = {"ValueError": ValueError, "TypeError": TypeError, "RuntimeError": (ValueError, RuntimeError)}


def tensor(data, dtype="float32"):
    return Tensor(np.array(data, dtype))


def compare(got, expected):
    if isinstance(expected, list):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(one, other)
    elif isinstance(expected, dict):
        values = got.asnumpy()
        assert (values.dtype.name, list(values.shape)) == (expected["dtype"], expected["shape"])
        np.testing.assert_allclose(values.reshape(-1), expected["values"], rtol=2e-5, atol=2e-5)
    else:
        assert got == expected


@pytest.mark.parametrize("function", FUNCTIONS)
def test_goldens(function):
    module = importlib.import_module(f"msjax.scipy.{function.partition('.')[0]}")
    for key, expected in GOLDEN.items():
        if key.partition("(")[0] != function:
            continue
        call = key.partition(".")[2]
        if isinstance(expected, dict) and "error" in expected:
            with pytest.raises(ERRORS[expected["error"]], match="Received"):
                eval(call, {**vars(module), "T": tensor})
        else:
            compare(eval(call, {**vars(module), "T": tensor}), expected)


def test_decompositions_put_together_again():
    a = tensor(np.random.RandomState(0).randn(4, 3))
    p, low, up = linalg.lu(a)
    np.testing.assert_allclose((p.astype("float32") @ low @ up).asnumpy(), a.asnumpy(), atol=1e-5)
    low, up = linalg.lu(a, permute_l=True)
    np.testing.assert_allclose((low @ up).asnumpy(), a.asnumpy(), atol=1e-5)
    s = a.T @ a
    w, v = linalg.eigh(s)
    np.testing.assert_allclose((s @ v).asnumpy(), (v * w).asnumpy(), atol=1e-4)


def test_gradients_pass():
    a, b = tensor([[2.0, 1.0], [1.0, 3.0]]), tensor([1.0, 2.0])

    def by_cholesky(a):
        return linalg.cho_solve(linalg.cho_factor(a), b).sum()

    def by_inverse(a):
        return (linalg.inv(a) @ b).sum()

    one, other = grad(by_cholesky)(a).asnumpy(), grad(by_inverse)(a).asnumpy()
    np.testing.assert_allclose(one, (other + other.T) / 2, rtol=1e-4)


def himmelblau(p):
    x, y = p
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def valley(x, scale):
    return (scale * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", ["BFGS", "LBFGS"])
def test_minimize_finds_minima(method):
    found = optimize.minimize(himmelblau, tensor([0.0, 0.0]), method=method, options={"gtol": 1e-6})
    np.testing.assert_allclose(found.x.asnumpy(), [3, 2], atol=1e-4)
    assert found.success is True
    assert found.status == 0
    assert (found.hess_inv is None) == (method == "LBFGS")
    start, scale = tensor([1.5, 1.0, 1.0], "float64"), tensor(100.0, "float64")
    found = jit(lambda x: optimize.minimize(valley, x, (scale,), method, tol=1e-8))(start)
    np.testing.assert_allclose(found.x.asnumpy(), [1, 1, 1], atol=1e-5)


def test_minimize_stops_and_says_why():
    found = optimize.minimize(himmelblau, tensor([0.0, 0.0]), method="BFGS", options={"maxiter": 2})
    assert (found.success, found.status, found.nit) == (False, 1, 2)
    given = optimize.minimize(
        lambda x: ((x - 1) ** 2).sum(), tensor([0.0, 3.0]), method="bfgs", jac=lambda x: 2 * (x - 1)
    )
    np.testing.assert_allclose(given.x.asnumpy(), [1, 1], atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"method": None}, ValueError),
        ({"method": "CG"}, ValueError),
        ({"method": "BFGS", "bounds": ((0, 1),)}, ValueError),
        ({"method": "BFGS", "args": [1]}, TypeError),
        ({"method": "BFGS", "options": {"foo": 1}}, TypeError),
    ],
)
def test_minimize_refuses(settings, error):
    with pytest.raises(error, match=r"`minimize`.*Received"):
        optimize.minimize(himmelblau, tensor([0.0, 0.0]), **settings)


def test_line_search_fulfils_the_wolfe_conditions():
    x, p = tensor([1.0, 1.0]), tensor([100.0, 100.0])

    def fn(x):
        return ops.pow(x - 3, 4).sum()

    found = optimize.line_search(fn, x, p)
    slope = float((grad(fn)(x) * p).sum())
    assert not found.failed
    assert found.f_k <= float(fn(x)) + 1e-4 * found.a_k * slope
    assert abs(float((found.g_k * p).sum())) <= -0.9 * slope
    failed = optimize.line_search(lambda x: x[0] ** 2 - x[1] ** 3, x, tensor([-1.0, -1.0]))
    assert (failed.failed, failed.status) == (True, 1)


def test_line_search_takes_the_steps_of_scipy():
    """Between two steps by a cubic, a parabola or in the middle; in a step's length float32 has less of it."""
    functions = [
        (lambda x: -x - x**3 + x**4, lambda x: -1 - 3 * x**2 + 4 * x**3),
        (lambda x: ops.exp(-4 * x) + x**2, lambda x: -4 * np.exp(-4 * x) + 2 * x),
        (lambda x: -ops.sin(10 * x), lambda x: -10 * np.cos(10 * x)),
    ]
    at = np.zeros(())
    for fn, slope in functions:
        expected = scipy_line_search(lambda x: float(fn(Tensor(x))), slope, at, at + 1)  # noqa: B023
        found = optimize.line_search(fn, Tensor(at), Tensor(at + 1), maxiter=10)
        np.testing.assert_allclose((found.a_k, found.f_k), (expected[0], expected[3]), rtol=1e-6)
    given = optimize.line_search(fn, Tensor(at), Tensor(at + 1), jac=lambda x: -10 * ops.cos(10 * x))
    assert given.a_k == found.a_k
    known = optimize.line_search(fn, Tensor(at), Tensor(at + 1), gfk=Tensor(at - 10), old_fval=Tensor(at))
    assert (known.a_k, known.nfev) == (found.a_k, found.nfev - 1)


def test_minimize_counts_as_mindspore():
    found = optimize.minimize(
        himmelblau, tensor([92.0, 0.001], "float64"), method="BFGS", options={"gtol": 1e-6}
    )
    np.testing.assert_allclose(found.x.asnumpy(), [3.58442834, -1.84812653], atol=1e-6)
    found = optimize.minimize(
        himmelblau, tensor([0.0, 0.0], "float64"), method="BFGS", options={"gtol": 1e-6}
    )
    assert (found.nit, found.nfev, found.success) == (10, 18, True)
    steep = optimize.minimize(lambda x: ((1e4 * x) ** 2).mean(), tensor([1.0, 1.0]), method="BFGS")
    np.testing.assert_allclose(steep.x.asnumpy(), [0, 0], atol=1e-6)


def test_minimize_under_constraints():
    def fn(d):
        x, y = d
        return x**2 + 2 * y**2 - 2 * x * y - 2 * x

    def right(d):
        return 1.0 - d[0] + d[1]

    start = tensor([-1.0, 1.0])
    settings = {"rounds": 10, "steps": 50}
    found = optimize.minimize(fn, start, method="lagrange", constraints=[right], options=settings)
    assert found.succeeded is True
    np.testing.assert_allclose(found.best_value, [2, 1], 0.01, 0.01)
    np.testing.assert_allclose(found.object_value, fn(found.best_value), rtol=1e-5)
    np.testing.assert_allclose(found.loss_value, [right(found.best_value)], atol=1e-5)
    shared = optimize.minimize(
        lambda d, value: value + 0 * d[0],
        start,
        method="LAGRANGE",
        constraints=[lambda d, value: right(d)],
        tol=[1e-3],
        options={"lower": tensor([-3.0, -3.0]), "upper": tensor([1.5, 3.0]), "coincide_fun": fn, **settings},
    )
    np.testing.assert_allclose(shared.best_value, [1.5, 0.5], atol=0.15)
    assert shared.loss_value < 1e-3
    with pytest.raises(ValueError, match="tol"):
        optimize.minimize(fn, start, method="lagrange", constraints=[right], tol=[1.0, 1.0])
    with pytest.raises(TypeError, match="constraints"):
        optimize.minimize(fn, start, method="lagrange", constraints=[1.0])


@pytest.mark.parametrize("lower", [True, False])
def test_eigh_looks_at_one_triangle(lower):
    """The other one has no gradient, as in MindSpore: twice that of a symmetric matrix stands below or above."""
    a = np.float32([[4, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]])
    for fn in (grad, lambda f: jit(grad(f))):
        got = fn(lambda a: (linalg.eigh(a, lower=lower, eigvals_only=True) ** 3).sum())(tensor(a)).asnumpy()
        whole = 3 * a @ a
        one = np.tril(whole, -1) if lower else np.triu(whole, 1)
        np.testing.assert_allclose(got, 2 * one + np.diag(np.diag(whole)), rtol=1e-4, atol=1e-4)


def test_helpers_that_are_imported():
    x = tensor([[7, 7, 7], [7, 7, 7]], "int32")
    banded = ops_wrapper.matrix_set_diag(x, tensor([[1, 2], [3, 4]], "int32"), [0, 1], "LEFT_LEFT")
    np.testing.assert_array_equal(banded.asnumpy(), [[3, 1, 7], [7, 4, 2]])
    with pytest.raises(ValueError, match="`k`"):
        ops_wrapper.matrix_set_diag(x, x, 1.5)
    assert utils._nd_transpose(x).shape == (3, 2)
    assert str(utils._to_tensor([1, 2]).dtype) == "Int32"
    assert (utils._to_scalar(tensor(2.0)), utils._to_scalar(3)) == (2.0, 3)
