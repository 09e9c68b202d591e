"""Rows for what a step can do in msjax: recompute, 16 bits with loss scaling, micro-batches, several steps in one call."""

import functools
from collections.abc import Callable
from typing import Any

import peers
from timing import in_turn, seconds_of
from worker import find

import msjax as ms

GPT, MICRO, STEPS = "gpt:SMALL", 4, 10


def trained(model: Any, prepare: Callable | None = None, scale: float = 1.0) -> tuple[Any, ...]:
    """(gradient function, optimizer, x, y); the loss is multiplied by `scale` and the gradients divided by it."""
    net = model.mindspore(ms)
    for p, value in zip(net.trainable_params(), model.parameters().values(), strict=True):
        p.set_data(ms.Tensor(value))
    if prepare is not None:
        prepare(net)
    loss_fn = ms.nn.CrossEntropyLoss()
    optimizer = ms.nn.Momentum(net.trainable_params(), peers.RATE, peers.MOMENTUM, loss_scale=scale)

    def forward(x: Any, y: Any) -> Any:
        return loss_fn(net(x).astype(ms.float32), y) * scale

    return ms.value_and_grad(forward, None, optimizer.parameters), optimizer, *map(ms.Tensor, model.batch())


def step(model: Any, prepare: Callable | None = None, scale: float = 1.0) -> Callable[[], Any]:
    gradient, optimizer, x, y = trained(model, prepare, scale)

    @ms.jit
    def run(x: Any, y: Any) -> Any:
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss / scale

    return called(run, x, y)


def called(run: Any, *arguments: Any) -> Callable[[], Any]:
    """Call a compiled function and wait; `.scratch()` is how many MB its program needs beside arguments and results."""

    def call() -> Any:
        return run(*arguments).array.block_until_ready()

    def scratch() -> float:
        ((entry,),) = run._entries.values()
        given, rest = ([box.array for box in boxes] for boxes in entry.owners(list(arguments)))
        program = entry.run.lower(given, rest, [x.array for x in arguments]).compile()
        return program.memory_analysis().temp_size_in_bytes / 2**20

    call.scratch = scratch  # type: ignore[attr-defined]
    return call


def recomputed(net: Any) -> None:
    for block in net.blocks:
        block.recompute()


def accumulated(model: Any) -> Callable[[], Any]:
    """One update from the mean gradient of four parts of the batch."""
    gradient, optimizer, x, y = trained(model)
    labels = len(y) // len(x)

    @ms.jit
    def run(x: Any, y: Any) -> Any:
        size, total, loss = len(x) // MICRO, None, 0.0
        for i in range(MICRO):
            part, grads = gradient(
                x[i * size : (i + 1) * size], y[i * size * labels : (i + 1) * size * labels]
            )
            total = grads if total is None else tuple(a + b for a, b in zip(total, grads, strict=True))
            loss = loss + part / MICRO
        optimizer(tuple(g / MICRO for g in total))
        return loss

    return called(run, x, y)


def several(model: Any) -> Callable[[], Any]:
    """Ten steps in one call: a loop inside of the program."""
    gradient, optimizer, x, y = trained(model)

    def body(i: Any, loss: Any) -> Any:
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    run = ms.jit(lambda: ms.ops.ForiLoop()(0, STEPS, body, ms.Tensor(0.0)))
    return lambda: run().array.block_until_ready()


@functools.cache
def ways() -> dict[str, Callable[[], Any]]:
    """A step of the GPT with each option."""
    gpt = find(GPT)
    return {
        "plain": step(gpt),
        "recompute": step(gpt, recomputed),
        "float16, scaled": step(gpt, lambda net: net.to_float(ms.float16), 1024.0),
        "bfloat16": step(gpt, lambda net: net.to_float(ms.bfloat16)),
        "4 micro-batches": accumulated(gpt),
    }


def memory() -> dict[str, dict[str, float]]:
    """MB that the programs need beside arguments and results."""
    for way in ways().values():
        way()
    return {"GPT, width 128": {name: way.scratch() / 1e6 for name, way in ways().items()}}  # type: ignore[attr-defined]


def rows(rounds: int = 7) -> dict[str, dict[str, float]]:
    """Seconds of a step of the GPT with each option, and of ten steps of the tiny MLP."""
    tiny = find("mlp:TINY")
    single = step(tiny)
    ten = {"ten calls": lambda: [single() for _ in range(STEPS)], "one call": several(tiny)}
    found = {}
    for name, group, calls in (("GPT, width 128", ways(), 1), ("ten steps of the tiny MLP", ten, 20)):
        for way in group.values():
            for _ in range(3):
                way()
        found[name] = in_turn({n: seconds_of(way, calls) for n, way in group.items()}, rounds, min)
    return found
