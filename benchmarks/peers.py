"""One training step of a model in every library: forward, backward, SGD with momentum, as its documentation shows it.

Each function takes a module of `models` and gives a function of no arguments that makes a step, waits for it and
returns the loss; `.call` makes it without waiting, where the library can.
"""

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

RATE, MOMENTUM = 0.01, 0.9
JAX = ["hand", "hand, last", "nnx", "nnx, cached", "equinox"]


def installed(names: list[str]) -> list[str]:
    """Those of JAX's peers that are here."""
    needs = {"nnx": "flax", "nnx, cached": "flax", "equinox": "equinox", "torch": "torch"}
    return [name for name in names if name not in needs or importlib.util.find_spec(needs[name])]


def build(peer: str, model: Any) -> Callable[[], Any]:
    """The step of a peer."""
    makers = {"msjax": msjax, "msjax, eager": msjax_eager, "hand": hand, "hand again": hand, "nnx": nnx}
    makers |= {
        "equinox": equinox,
        "torch": torch,
        "mindspore": mindspore,
        "msjax.torch": msjax_torch,
        "mindspore, eager": pynative,
    }
    makers |= {"hand, last": lambda m: hand(m, last=True), "nnx, cached": lambda m: nnx(m, cached=True)}
    return makers[peer](model)


# --------------------------------------------------------------------------- MindSpore's API


def cell_step(
    ms: Any, model: Any, compiled: bool = True, prepare: Callable | None = None
) -> tuple[Callable, Any]:
    """(step, loss): the same lines for msjax and for MindSpore."""
    net = model.mindspore(ms)
    for p, value in zip(net.trainable_params(), model.parameters().values(), strict=True):
        assert p.shape == value.shape, (p.name, p.shape, value.shape)
        p.set_data(ms.Tensor(value))
    if prepare is not None:
        net = prepare(net)
    loss_fn, optimizer = ms.nn.CrossEntropyLoss(), ms.nn.Momentum(net.trainable_params(), RATE, MOMENTUM)

    def forward(x: Any, y: Any) -> Any:
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)
    x, y = map(ms.Tensor, model.batch())

    def step(x: Any, y: Any) -> Any:
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    step = ms.jit(step) if compiled else step
    return lambda: step(x, y), net


def msjax(model: Any, compiled: bool = True, prepare: Callable | None = None) -> Callable:
    import msjax as ms

    call, net = cell_step(ms, model, compiled, prepare)

    def run() -> Any:
        return call().array.block_until_ready()

    run.call, run.net = call, net  # type: ignore[attr-defined]
    return run


def msjax_eager(model: Any) -> Callable:
    return msjax(model, compiled=False)


def mindspore(model: Any, compiled: bool = True) -> Callable:
    import mindspore as ms

    ms.set_context(mode=ms.GRAPH_MODE if compiled else ms.PYNATIVE_MODE)
    call, _ = cell_step(ms, model, compiled)
    return lambda: call().asnumpy()


def pynative(model: Any) -> Callable:
    return mindspore(model, compiled=False)


# --------------------------------------------------------------------------- JAX


def cross_entropy(logits: Any, labels: Any) -> Any:
    import optax

    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def arrays(model: Any, last: bool) -> tuple[Any, ...]:
    """Parameters, inputs and labels on the device."""
    import jax.numpy as jnp

    x, y = model.batch()
    p = model.channels_last(model.parameters()) if last else model.parameters()
    x = x.transpose(0, 2, 3, 1) if last and model.images else x
    on_device = {name: jnp.array(np.ascontiguousarray(a)) for name, a in p.items()}
    return on_device, jnp.array(np.ascontiguousarray(x)), jnp.array(y)


def hand(model: Any, last: bool = False) -> Callable:
    """jax.jit and optax; with `last`, images are channels-last and matrices (in, out)."""
    import jax

    step, held, batch = hand_step(model, last)
    compiled = jax.jit(step, donate_argnums=(0, 1, 2))

    def call() -> Any:
        *held[:], loss = compiled(*held, *batch)
        return loss

    return _waiting(call)


def hand_step(
    model: Any, last: bool = False, average: Callable[[Any], Any] = lambda grads: grads
) -> tuple[Callable, list[Any], tuple]:
    """The pure step: (parameters, slots, moving averages, x, y) -> the first three and the loss; its state; its batch."""
    import jax
    import optax

    forward, rule = (
        model.by_hand_last if last else model.by_hand,
        optax.sgd(np.float32(RATE), np.float32(MOMENTUM)),
    )
    p, x, y = arrays(model, last)
    moving = getattr(model, "state", lambda p: None)(model.parameters())

    def loss_of(p: Any, moving: Any, x: Any, y: Any) -> Any:
        logits, moving = (forward(p, x), None) if moving is None else forward(p, x, moving)
        return cross_entropy(logits, y), moving

    def step(p: Any, slots: Any, moving: Any, x: Any, y: Any) -> tuple:
        (loss, moving), grads = jax.value_and_grad(loss_of, has_aux=True)(p, moving, x, y)
        updates, slots = rule.update(average(grads), slots)
        return optax.apply_updates(p, updates), slots, moving, loss

    return step, [p, rule.init(p), jax.tree.map(jax.numpy.asarray, moving)], (x, y)


def nnx(
    model: Any,
    cached: bool = False,
    enter: Callable[[Any], Any] = lambda a: a,
    feed: Callable[[Any], Any] = lambda a: a,
) -> Callable:
    """nnx.jit and optax; `enter` places state before the first step, `feed` arrays of the batch in each."""
    import jax
    import optax
    from flax import nnx

    net = model.nnx()
    p, x, y = arrays(model, last=True)
    for old, new in zip(_variables(net), p.values(), strict=True):
        assert old.shape == new.shape, (old.shape, new.shape)
        old.set_value(new)
    optimizer = nnx.Optimizer(net, optax.sgd(np.float32(RATE), np.float32(MOMENTUM)), wrt=nnx.Param)
    for part in (net, optimizer):
        nnx.update(part, jax.tree.map(enter, nnx.state(part)))

    @nnx.jit(donate_argnums=(0, 1))
    def step(net: Any, optimizer: Any, x: Any, y: Any) -> Any:
        loss, grads = nnx.value_and_grad(lambda net: cross_entropy(net(x), y))(net)
        optimizer.update(net, grads)
        return loss

    if not cached:
        return _waiting(lambda: step(net, optimizer, feed(x), feed(y)))
    quick = nnx.cached_partial(step, net, optimizer)
    return _waiting(lambda: quick(feed(x), feed(y)))


def _variables(module: Any) -> list[Any]:
    """The Params of an nnx module in the order in which they were made."""
    from flax import nnx

    if isinstance(module, nnx.Param):
        return [module]
    inside = (
        module
        if isinstance(module, nnx.List)
        else vars(module).values()
        if isinstance(module, nnx.Module)
        else []
    )
    return [v for part in inside for v in _variables(part)]


def equinox(model: Any) -> Callable:
    import equinox as eqx
    import jax
    import optax

    made = model.equinox()
    net, moving = made if isinstance(made, tuple) else (made, None)
    p, x, y = arrays(model, last=False)
    trained, rest = eqx.partition(net, eqx.is_inexact_array)
    leaves, tree = jax.tree.flatten(trained)
    new = [a.reshape(old.shape) for old, a in zip(leaves, p.values(), strict=True)]
    net = eqx.combine(jax.tree.unflatten(tree, new), rest)
    rule = optax.sgd(np.float32(RATE), np.float32(MOMENTUM))

    def loss_of(net: Any, moving: Any, x: Any, y: Any) -> Any:
        if moving is None:
            return cross_entropy(jax.vmap(net)(x).reshape(len(y), -1), y), None
        logits, moving = jax.vmap(net, axis_name="batch", in_axes=(0, None), out_axes=(0, None))(x, moving)
        return cross_entropy(logits, y), moving

    @eqx.filter_jit(donate="all-except-first")
    def step(batch: Any, net: Any, slots: Any, moving: Any) -> tuple:
        (loss, moving), grads = eqx.filter_value_and_grad(loss_of, has_aux=True)(net, moving, *batch)
        updates, slots = rule.update(grads, slots)
        return eqx.apply_updates(net, updates), slots, moving, loss

    held = [net, rule.init(eqx.filter(net, eqx.is_inexact_array)), moving]

    def call() -> Any:
        *held[:], loss = step((x, y), *held)
        return loss

    return _waiting(call)


def _waiting(call: Callable) -> Callable:
    def run() -> Any:
        return call().block_until_ready()

    run.call = call  # type: ignore[attr-defined]
    return run


# --------------------------------------------------------------------------- torch


def msjax_torch(model: Any) -> Callable:
    import msjax

    msjax.install_as("torch")
    return torch(model)


def torch(model: Any, wrap: Callable[[Any], Any] = lambda net: net) -> Callable:
    import torch
    from timing import ON_CPU_TIME

    if ON_CPU_TIME:
        torch.set_num_threads(1)
    net = model.torch()
    with torch.no_grad():
        for old, new in zip(net.parameters(), model.parameters().values(), strict=True):
            old.copy_(torch.from_numpy(new))
    net = wrap(net)
    x, y = map(torch.from_numpy, model.batch())
    y = y.long()
    optimizer = torch.optim.SGD(net.parameters(), RATE, MOMENTUM)

    def run() -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return run
