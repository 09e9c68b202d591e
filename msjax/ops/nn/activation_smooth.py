"""Smooth activation functions (sigmoid, GELU, softmax ...), as opposed to piecewise-linear ones such as ReLU.

16-bit floats are computed in float32 and rounded once at the end.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from msjax.core import dtype as dtypes
from msjax.core.op.op import op
from msjax.ops.common import checks
from msjax.ops.common.checks import apply_in_compute_dtype
from msjax.ops.common.docstrings import documented_by
from msjax.ops.common.function_families import define_like
from msjax.ops.common.safe_math import with_slopes
from msjax.ops.math.casts import apply_to_signed


def _as_inexact(name: str, input: Array) -> Array:
    checks.check_inexact(name, input=input)
    return input


def _as_floating(name: str, x: Array) -> Array:
    checks.check_floating(name, x=x)
    return x


def _in_compute_dtype(fn: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return functools.partial(apply_in_compute_dtype, fn)


@op
def sigmoid(input: Array) -> Array:
    """Elementwise 1 / (1 + exp(-x)).

    Args:
        input (Tensor): of any shape, floating or complex.

    Returns:
        Tensor of `input`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.sigmoid(ms.Tensor([0.0])))
        [0.5]
    """
    return apply_in_compute_dtype(jax.nn.sigmoid, _as_inexact("sigmoid", input))


@op
def logsigmoid(x: Array) -> Array:
    """Elementwise log(sigmoid(x)), without overflow on either side.

    Args:
        x (Tensor): of any shape, floating.

    Returns:
        Tensor of `x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logsigmoid(ms.Tensor([-100.0, 0.0])).round(4))
        [-100.       -0.6931]
    """
    return apply_in_compute_dtype(jax.nn.log_sigmoid, _as_floating("logsigmoid", x))


_softsign = with_slopes(lambda x: x / (1 + jnp.abs(x)), lambda t, _, x: t / jnp.square(1 + jnp.abs(x)))
_of_inexact = define_like(sigmoid, _as_inexact)
_of_floating = define_like(logsigmoid, _as_floating)
# fmt: off
silu = _of_inexact("silu", _in_compute_dtype(lambda x: x * jax.nn.sigmoid(x)),
    "Elementwise x * sigmoid(x), also called swish (Ramachandran et al. 2017).", "ms.Tensor([0.0, 100.0])", "[  0. 100.]")
fast_gelu = _of_floating("fast_gelu", _in_compute_dtype(lambda x: x * jax.nn.sigmoid(1.702 * x)),
    "Elementwise x * sigmoid(1.702 x), the cheap stand-in for GELU.", "ms.Tensor([0.0, 100.0])", "[  0. 100.]")
mish = _of_floating("mish", _in_compute_dtype(lambda x: x * jnp.tanh(jax.nn.softplus(x))),
    "Elementwise x * tanh(log(1 + exp(x))) (Misra 2019).", "ms.Tensor([0.0, 100.0])", "[  0. 100.]")
tanh = _of_inexact("tanh", _in_compute_dtype(jnp.tanh),
    "Elementwise hyperbolic tangent.", "ms.Tensor([0.0, 100.0])", "[0. 1.]")
softsign = _of_floating("softsign", _in_compute_dtype(_softsign),
    "Elementwise x / (1 + |x|).", "ms.Tensor([-1.0, 3.0])", "[-0.5   0.75]")
# fmt: on


@op(static="approximate")
def gelu(input: Array, approximate: str = "none") -> Array:
    """Elementwise x * P(X <= x) for a standard normal X (Hendrycks and Gimpel 2016).

    Args:
        input (Tensor): of any shape, floating.
        approximate (str): "none" computes with erf, "tanh" with 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
            The class form `ops.GeLU` and `nn.GELU()` are "tanh", this function is "none", as in MindSpore.

    Returns:
        Tensor of `input`'s shape and dtype.

    Raises:
        ValueError: for another `approximate`.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.gelu(ms.Tensor([1.0])), ms.ops.gelu(ms.Tensor([1.0]), "tanh"))
        [0.8413447] [0.841192]
    """
    checks.check_floating("gelu", input=input)
    checks.check_choice("gelu", ("none", "tanh"), approximate=approximate)
    return apply_in_compute_dtype(lambda x: jax.nn.gelu(x, approximate=approximate == "tanh"), input)


@op(static="beta threshold")
@documented_by(gelu)
def softplus(input: Array, beta: float = 1, threshold: float = 20) -> Array:
    """Elementwise log(1 + exp(beta * x)) / beta, and x itself where beta * x > threshold.

    Args:
        beta (int, float): sharpness, not 0.
        threshold (int, float): where the straight line begins.

    Raises:
        ValueError: if `beta` is 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.softplus(ms.Tensor([0.0, 30.0])))
        [ 0.6931472 30.       ]
    """
    checks.check_floating("softplus", input=input)
    checks.check_numbers("softplus", beta=beta, threshold=threshold)
    if beta == 0:
        checks.fail(ValueError, "softplus", "beta", "not be 0", beta)
    return apply_in_compute_dtype(
        lambda x: jnp.where(x * beta > threshold, x, jax.nn.softplus(x * beta) / beta), input
    )


def _elu(x: Array, alpha: float, sharpness: float = 1.0) -> Array:
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0, x) / sharpness))


def _elu_of_nan(x: Array, alpha: float) -> Array:
    """ELU whose derivative at nan is 1."""
    nothing = jnp.isnan(x)
    return jnp.where(nothing, x, _elu(jnp.where(nothing, 0, x), alpha))


@op(static="alpha")
def elu(input_x: Array, alpha: float = 1.0) -> Array:
    """Elementwise x where positive, alpha * (exp(x) - 1) elsewhere (Clevert et al. 2015).

    Args:
        input_x (Tensor): of any shape, floating.
        alpha (int, float): depth of the negative side (MindSpore's kernels take 1.0 only).

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.elu(ms.Tensor([-100.0, 2.0])))
        [-1.  2.]
    """
    checks.check_floating("elu", input_x=input_x)
    checks.check_numbers("elu", alpha=alpha)
    return apply_in_compute_dtype(lambda x: _elu_of_nan(x, alpha), input_x)


@op
def selu(input_x: Array) -> Array:
    """Elementwise 1.0507 * (x where positive, 1.67326 * (exp(x) - 1) elsewhere) (Klambauer et al. 2017).

    Args:
        input_x (Tensor): of any shape, floating, or of signed integers, whose results are cut off to integers.

    Returns:
        Tensor of `input_x`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.selu(ms.Tensor([0.0, 1.0])))
        [0.       1.050701]
    """
    checks.check_signed("selu", input_x=input_x)
    return apply_to_signed(lambda x: 1.0507009873554805 * _elu_of_nan(x, 1.6732632423543772), input_x)


@op(static="alpha")
@documented_by(logsigmoid)
def celu(x: Array, alpha: float = 1.0) -> Array:
    """Elementwise max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) (Barron 2017).

    Args:
        alpha (int, float): depth of the negative side, not 0.

    Raises:
        ValueError: if `alpha` is 0.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.celu(ms.Tensor([-100.0, 2.0]), 0.5))
        [-0.5  2. ]
    """
    checks.check_floating("celu", x=x)
    checks.check_numbers("celu", alpha=alpha)
    if alpha == 0:
        checks.fail(ValueError, "celu", "alpha", "not be 0", alpha)
    return apply_in_compute_dtype(lambda x: _elu(x, alpha, alpha), x)


@op
def tanhshrink(input: Array) -> Array:
    """Elementwise x - tanh(x).

    Args:
        input (Tensor): of any shape and real dtype; integers give float32.

    Returns:
        Tensor of `input`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.tanhshrink(ms.Tensor([0.0, 100.0])))
        [ 0. 99.]
    """
    if jnp.issubdtype(input.dtype, jnp.integer):
        input = input.astype(jnp.float32)
    return apply_in_compute_dtype(lambda x: x - jnp.tanh(x), input)


def _log_odds(x: Array) -> Array:
    """log(x / (1 - x)), which has neither a value nor a derivative outside [0, 1]."""
    x = x * jnp.where((x < 0) | (x > 1), jnp.asarray(jnp.nan, x.dtype), jnp.ones((), x.dtype))
    return jnp.log(x) - jnp.log1p(-x)


@op(static="eps")
@documented_by(gelu)
def logit(input: Array, eps: float | None = None) -> Array:
    """Elementwise log(x / (1 - x)), the inverse of `sigmoid`.

    Args:
        eps (float): if given, x is first held in [eps, 1 - eps].

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.logit(ms.Tensor([0.0, 0.5]), eps=0.5))
        [0. 0.]
    """
    checks.check_floating("logit", input=input)
    if eps is None:
        return apply_in_compute_dtype(_log_odds, input)
    checks.check_numbers("logit", eps=eps)

    def held(x: Array) -> Array:
        x = lax.clamp(jnp.asarray(eps, x.dtype), x, jnp.asarray(1 - eps, x.dtype))
        return jnp.log(x / (1 - x))

    return apply_in_compute_dtype(held, input)


# ------------------------------------------------------------------------------------------ along an axis


@op(static="axis")
def glu(x: Array, axis: int = -1) -> Array:
    """a * sigmoid(b) for the two halves a and b of an array (Dauphin et al. 2016).

    Args:
        x (Tensor): floating, of even size along `axis`.
        axis (int): the axis that is halved.

    Returns:
        Tensor of half of `x`'s size along `axis`.

    Raises:
        ValueError: if the size is odd, or there is no such axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.glu(ms.Tensor([1.0, 2.0, 0.0, 0.0])))
        [0.5 1. ]
    """
    checks.check_floating("glu", x=x)
    axis = checks.normalize_axis("glu", x.ndim, axis=axis)
    if x.shape[axis] % 2:
        checks.fail(
            ValueError, "glu", "x", f"have an even size along axis {axis}", f"array of shape {x.shape}"
        )
    a, b = jnp.split(x.astype(checks.compute_dtype(x.dtype)), 2, axis)
    return (a * jax.nn.sigmoid(b)).astype(x.dtype)


def _along(op_name: str, fn: Any, x: Array, axis: Any, dtype: Any) -> Array:
    """Return a normalised exponential of `x` (given `dtype` first) over one axis."""
    x = x if dtype is None else x.astype(dtypes.as_np(dtype))
    checks.check_floating(op_name, input=x)
    axis = checks.normalize_axis(op_name, x.ndim or 1, axis=axis)
    if not x.ndim:
        return fn(x[None], 0)[0]
    return apply_in_compute_dtype(lambda x: fn(x, axis), x)


@op(static="axis dtype")
def softmax(input: Array, axis: int = -1, *, dtype: Any = None) -> Array:
    """exp(x) divided by its sum along an axis.

    Args:
        input (Tensor): floating (of any dtype if `dtype` is given).
        axis (int): the axis that sums to one.
        dtype (mindspore.dtype): if given, `input` is converted to it first.

    Returns:
        Tensor of `input`'s shape.

    Raises:
        TypeError: if `axis` is not an int or the dtype is not floating.
        ValueError: if there is no such axis.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.softmax(ms.Tensor([0.0, 0.0])))
        [0.5 0.5]
    """
    return _along("softmax", jax.nn.softmax, input, axis, dtype)


@op(static="axis")
@documented_by(softmax)
def log_softmax(logits: Array, axis: int = -1) -> Array:
    """Return the logarithm of `softmax`, computed without overflow.

    Args:
        logits (Tensor): floating, of at least one dimension.
        axis (int): the axis whose exponentials sum to one.

    Returns:
        Tensor of `logits`'s shape and dtype.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.log_softmax(ms.Tensor([0.0, 0.0])))
        [-0.6931472 -0.6931472]
    """
    return _along("log_softmax", jax.nn.log_softmax, logits, axis, None)


@op(static="axis dtype")
def softmin(x: Array, axis: int = -1, *, dtype: Any = None) -> Array:
    """`softmax` of -x.

    Args:
        x (Tensor): floating (of any dtype if `dtype` is given), of at least one dimension.
        axis (int): the axis that sums to one.
        dtype (mindspore.dtype): if given, `x` is converted to it first.

    Returns:
        Tensor of `x`'s shape.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.softmin(ms.Tensor([0.0, 0.0])))
        [0.5 0.5]
    """
    return _along("softmin", lambda x, axis: jax.nn.softmax(-x, axis), x, axis, dtype)


@op(random=True, static="tau hard dim")
def gumbel_softmax(_key: Array, logits: Array, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Array:
    """Return a sample from the relaxed categorical distribution: softmax((logits + g) / tau) with g from Gumbel(0, 1).

    Args:
        logits (Tensor): unnormalised log probabilities, floating.
        tau (float): temperature, greater than 0.
        hard (bool): give the one-hot vector of the largest element; its gradient is that of the soft sample.
        dim (int): the axis of the categories.

    Returns:
        Tensor of `logits`'s shape and dtype.

    Raises:
        ValueError: if `tau` is not greater than 0.

    References:
        Jang, Gu, Poole: Categorical Reparameterization with Gumbel-Softmax, 2016.

    Examples:
        >>> import msjax as ms
        >>> print(ms.ops.gumbel_softmax(ms.Tensor([0.0, 1000.0]), hard=True))
        [0. 1.]
    """
    checks.check_floating("gumbel_softmax", logits=logits)
    checks.check_numbers("gumbel_softmax", tau=tau)
    checks.check_bools("gumbel_softmax", hard=hard)
    axis = checks.normalize_axis("gumbel_softmax", logits.ndim, dim=dim)
    if tau <= 0:
        checks.fail(ValueError, "gumbel_softmax", "tau", "be greater than 0", tau)

    def sample(x: Array) -> Array:
        u = jax.random.uniform(_key, x.shape, x.dtype, jnp.finfo(x.dtype).tiny, x.dtype.type(1))
        soft = jax.nn.softmax((x - jnp.log(-jnp.log(u))) / tau, axis)
        if not hard:
            return soft
        one = jax.nn.one_hot(jnp.argmax(soft, axis), x.shape[axis], dtype=x.dtype, axis=axis)
        return lax.stop_gradient(one - soft) + soft

    return apply_in_compute_dtype(sample, logits)
