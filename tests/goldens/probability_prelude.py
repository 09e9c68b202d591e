"""The beginning of the programs in probability_cases.py; the framework is imported as `mindspore` before."""

import mindspore as ms
import mindspore.nn.probability.bijector as msb
import mindspore.nn.probability.bnn_layers as bnn
import mindspore.nn.probability.distribution as msd
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

OF_VALUES = "prob log_prob cdf log_cdf survival_function log_survival".split()
OF_NOTHING = "mean mode sd var entropy".split()
OF_OTHERS = "kl_loss cross_entropy".split()
MAPS = "forward inverse forward_log_jacobian inverse_log_jacobian".split()


def T(values, dtype=ms.float32):
    return Tensor(np.array(values), dtype)


def asked(dist, method, *args, **kwargs):
    """Return the result of a method, or the type of the exception that it raises."""
    try:
        return getattr(dist, method)(*args, **kwargs)
    except Exception as error:
        return type(error).__name__


def table(dist, values, others=(), at_call=(), without=()):
    """All methods; `others` are parameters of a second distribution, `at_call` those that replace the own ones."""
    found = {}
    for method in (*OF_VALUES, *OF_NOTHING, *OF_OTHERS):
        if method in without:
            continue
        first = (values,) if method in OF_VALUES else (dist.name, *others) if method in OF_OTHERS else ()
        if method in OF_OTHERS and not others:
            continue
        found[method] = asked(dist, method, *first, *at_call)
    return found


FEW = ("log_prob", "var", "kl_loss")


def few(dist, values, others=()):
    """Dtypes and shapes of some methods."""
    rest = tuple(method for method in (*OF_VALUES, *OF_NOTHING, *OF_OTHERS) if method not in FEW)
    return kinds(table(dist, values, others, (), rest))


def kinds(found):
    """Dtypes and shapes alone, where values are as coarse as the dtype."""
    return {k: v if isinstance(v, str) else f"{v.dtype} {v.shape}" for k, v in found.items()}


def slopes(dist, values, parameters, methods, others=()):
    """Derivatives of methods by the value, or by the other parameters, and by the own parameters."""
    found = {}
    for method in methods:
        if method in OF_VALUES:
            args = (values, *parameters)
            found[method] = ms.grad(lambda *a, m=method: getattr(dist, m)(*a).sum(), tuple(range(len(args))))(
                *args
            )
        elif method in OF_OTHERS:
            args = (*others, *parameters)
            found[method] = ms.grad(
                lambda *a, m=method: getattr(dist, m)(dist.name, *a).sum(), tuple(range(len(args)))
            )(*args)
        else:
            found[method] = ms.grad(
                lambda *a, m=method: getattr(dist, m)(*a).sum(), tuple(range(len(parameters)))
            )(*parameters)
    return found


def maps(bijector, x):
    """All methods of a bijector, and the derivatives of two."""
    found = {method: asked(bijector, method, x) for method in MAPS}
    for method in MAPS[:2]:
        found[f"{method}'"] = ms.grad(lambda x, m=method: getattr(bijector, m)(x).sum())(x)
    return found


def set_to(net, step=0.1):
    """The net with known Parameters."""
    for k, p in enumerate(net.get_parameters()):
        p.set_data(T(np.sin(np.arange(p.size) + k).reshape(p.shape) * step))
    return net


def quiet(net):
    """The net with known Parameters, and next to no noise in its weights."""
    set_to(net, 0.5)
    for p in net.get_parameters():
        if "untransformed" in p.name:
            p.set_data(T(np.full(p.shape, -30.0)))
    return net


def gradients(fn, net, x):
    """The output, and derivatives of its sum by the input and by the trained Parameters."""

    def total(x):
        out = fn(x)
        return out.sum(), out

    (_, out), (by_x, by_weights) = ms.value_and_grad(total, 0, net.trainable_params(), has_aux=True)(x)
    return [out, by_x, *by_weights]


NAMES = {
    "ms": ms, "nn": nn, "ops": ops, "np": np, "msd": msd, "msb": msb, "bnn": bnn, "Tensor": Tensor, "Parameter": Parameter,
    "T": T, "asked": asked, "table": table, "kinds": kinds, "few": few, "slopes": slopes, "maps": maps, "set_to": set_to,
    "quiet": quiet, "gradients": gradients,
}  # fmt: skip
