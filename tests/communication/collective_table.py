"""Each collective as a row: how it is called, and what NumPy makes of the arrays of all processes of a group.

A row's function gets the arrays of the group's processes, in their order, and gives what each has afterwards. What is
linear has the gradient that JAX finds of that function, of all processes' outputs together.
"""

import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import msjax as ms
from msjax import mint, ops
from msjax.communication import comm_func

dist = mint.distributed


class Row(NamedTuple):
    """A collective.

    Attributes:
        name: of the operator, or function.
        call: (group, place of this process in it, its ranks, its array) -> what it has afterwards, one Tensor.
        expected: the arrays of all, stacked -> what each has afterwards.
        gradient: whether it has that of `expected`.
        compiled: for how many processes it can be compiled, at most: rings of more raise.
        shape: of the array of a process, for `n` of them.
    """

    name: str
    call: Callable[..., Any]
    expected: Callable[[Any], Any]
    gradient: bool = False
    compiled: int = 4
    shape: Callable[[int], tuple[int, ...]] = lambda n: (n, 2)


def each(value: Any) -> Callable[[Any], Any]:
    return lambda xs: [value(xs)] * len(xs)


def scattered(xs: Any) -> Any:
    return jnp.split(xs.sum(0), len(xs))


def exchanged(xs: Any) -> Any:
    return [jnp.concatenate([jnp.split(x, len(xs))[i] for x in xs]) for i in range(len(xs))]


def _only(place: int, value: Any) -> Any:
    """What a function for one process gives: one zero to others."""
    return lambda xs: [value(xs) if i == place else jnp.zeros(1) for i in range(len(xs))]


def _in_place(call: Any, out: Any = None) -> Any:
    """A function that writes to a Tensor: `out(shape, n)` is its shape, or it writes to its input."""

    def run(group: str, place: int, ranks: Any, x: Any) -> Any:
        box = x.copy() if out is None else ops.zeros(out(x.shape, len(ranks)))
        call(group, place, ranks, x, box)
        return box

    return run


def _listed(call: Any) -> Any:
    """A function that writes to a list of Tensors, joined here."""

    def run(group: str, place: int, ranks: Any, x: Any) -> Any:
        boxes = [ops.zeros(x.shape) for _ in ranks]
        call(group, place, ranks, x, boxes)
        return ops.concat(boxes)

    return run


def _uneven(n: int) -> list[int]:
    """How many rows the i-th process has, or gets."""
    return [1 + i % 2 for i in range(n)]


def _uneven_rows(xs: Any) -> Any:
    return jnp.concatenate([x[:rows] for x, rows in zip(xs, _uneven(len(xs)), strict=True)])


def _uneven_parts(xs: Any) -> Any:
    ends = np.cumsum([0, *_uneven(len(xs))])
    return [xs.sum(0)[a:b] for a, b in itertools.pairwise(ends)]


def _matrix(n: int) -> np.ndarray:
    """How many rows go from process i to j."""
    return (np.arange(n * n).reshape(n, n) + np.arange(n)) % 3


def _exchanged_unevenly(xs: Any) -> Any:
    counts, n = _matrix(len(xs)), len(xs)
    starts = np.concatenate([np.zeros((n, 1), int), np.cumsum(counts, 1)], 1)
    return [
        jnp.concatenate([xs[i][starts[i, j] : starts[i, j] + counts[i, j]] for i in range(n)])
        for j in range(n)
    ]


def _total(n: int) -> tuple[int]:
    return (int(_matrix(n).sum(1).max()),)


def _sent(x: Any, place: int, n: int) -> Any:
    return x[: int(_matrix(n)[place].sum())]


def _sizes(place: int, n: int) -> tuple[list[int], list[int]]:
    """How many rows this process sends to each, and gets from each."""
    return _matrix(n)[place].tolist(), _matrix(n)[:, place].tolist()


def _next(place: int, ranks: Any) -> tuple[int, int]:
    """The processes that this one sends to, and receives from."""
    return ranks[(place + 1) % len(ranks)], ranks[place - 1]


def _ring(xs: Any) -> Any:
    return [xs[i - 1] for i in range(len(xs))]


def _neighbours(group: str, place: int, ranks: Any, x: Any) -> Any:
    to, source = _next(place, ranks)
    return ops.NeighborExchange([to], [source], [x.shape], [x.shape], ms.float32, group)((x,))[0]


def _batch(group: str, place: int, ranks: Any, x: Any) -> Any:
    to, source = _next(place, ranks)
    moves = [comm_func.P2POp("isend", x, to, group), comm_func.P2POp("irecv", x, source, group)]
    return comm_func.batch_isend_irecv(moves)[1]


def _batch_class(group: str, place: int, ranks: Any, x: Any) -> Any:
    to, source = _next(place, ranks)
    return ops.BatchISendIRecv(["isend", "irecv"], [to, source], [x.shape], [x.dtype], group)((x,))[1]


def _send_on(send: Any, receive: Any) -> Any:
    """From the first to the second; the others keep theirs."""

    def run(group: str, place: int, ranks: Any, x: Any) -> Any:
        if place == 0:
            send(x, ranks[1], group)
        return receive(x, ranks[0], group) if place == 1 else x

    return run


def _sent_on(xs: Any) -> Any:
    return [xs[0] if i == 1 else x for i, x in enumerate(xs)]


def _later(x: Any, source: int, group: str) -> Any:
    box, handle = comm_func.irecv(x, source, group)
    handle.wait()
    return box


def _written(receive: Any) -> Any:
    def run(x: Any, source: int, group: str) -> Any:
        box = ops.zeros(x.shape)
        handle = receive(box, source, group)
        if hasattr(handle, "wait"):
            handle.wait()
        return box

    return run


REDUCTIONS = {
    "sum": lambda xs: xs.sum(0),
    "prod": lambda xs: xs.prod(0),
    "max": lambda xs: xs.max(0),
    "min": lambda xs: xs.min(0),
    "avg": lambda xs: xs.mean(0),
}
# The root is the last of the group, whose number in the world is another than its place in a group.
ROWS = [
    *[
        Row(f"AllReduce {op}", lambda g, p, r, x, op=op: ops.AllReduce(op, g)(x), each(to), op in ("sum", "avg"))
        for op, to in REDUCTIONS.items()
    ],
    *[
        Row(
            f"ReduceScatter {op}",
            lambda g, p, r, x, op=op: ops.ReduceScatter(op, g)(x),
            lambda xs, to=to: jnp.split(to(xs), len(xs)),
            op in ("sum", "avg"),
        )
        for op, to in REDUCTIONS.items()
    ],
    Row("AllGather", lambda g, p, r, x: ops.AllGather(g)(x), each(jnp.concatenate), True),
    Row("Broadcast", lambda g, p, r, x: ops.Broadcast(r[-1], g)((x,))[0], each(lambda xs: xs[-1])),
    Row("Reduce", lambda g, p, r, x: ops.Reduce(r[-1], "sum", g)(x), lambda xs: _only(len(xs) - 1, REDUCTIONS["sum"])(xs)),
    Row(
        "CollectiveGather",
        lambda g, p, r, x: ops.CollectiveGather(r[-1], g)(x),
        lambda xs: _only(len(xs) - 1, jnp.concatenate)(xs),
    ),
    Row("CollectiveScatter", lambda g, p, r, x: ops.CollectiveScatter(r[-1], g)(x), lambda xs: jnp.split(xs[-1], len(xs))),
    Row("AlltoAll", lambda g, p, r, x: ops.AlltoAll(len(r), 0, 0, g)(x), exchanged, True),
    Row(
        "AlltoAll along axes",
        lambda g, p, r, x: ops.AlltoAll(len(r), -2, -1, g)(x),
        lambda xs: [jnp.concatenate([jnp.split(x, len(xs))[i] for x in xs], 1) for i in range(len(xs))],
        True,
    ),
    Row(
        "AllGatherV",
        lambda g, p, r, x: ops.AllGatherV(g)(x[: _uneven(len(r))[p]], [2 * n for n in _uneven(len(r))]),
        each(lambda xs: _uneven_rows(xs).reshape(-1)),
        True,
    ),
    Row(
        "ReduceScatterV",
        lambda g, p, r, x: ops.ReduceScatterV("sum", g)(x, _uneven(len(r))),
        _uneven_parts,
        True,
        shape=lambda n: (sum(_uneven(n)),),
    ),
    Row(
        "AlltoAllV",
        lambda g, p, r, x: ops.AlltoAllV(g)(_sent(x, p, len(r)), *_sizes(p, len(r))),
        _exchanged_unevenly,
        True,
        shape=_total,
    ),
    Row(
        "AlltoAllVC",
        lambda g, p, r, x: ops.AlltoAllVC(g)(_sent(x, p, len(r)), _matrix(len(r)).reshape(-1).tolist()),
        _exchanged_unevenly,
        True,
        shape=_total,
    ),
    Row("NeighborExchange", _neighbours, _ring, True, 2),
    Row("BatchISendIRecv", _batch_class, _ring, compiled=2),
    Row(
        "Send, Receive",
        _send_on(
            lambda x, to, g: ops.Send(0, to, g)(x), lambda x, source, g: ops.Receive(0, source, x.shape, ms.float32, g)()
        ),
        _sent_on,
        compiled=2,
    ),
    Row("all_reduce", lambda g, p, r, x: comm_func.all_reduce(x, "sum", g)[0], each(REDUCTIONS["sum"]), True),
    Row("all_gather_into_tensor", lambda g, p, r, x: comm_func.all_gather_into_tensor(x, g)[0], each(jnp.concatenate), True),
    Row("reduce_scatter_tensor", lambda g, p, r, x: comm_func.reduce_scatter_tensor(x, "sum", g)[0], scattered, True),
    Row(
        "reduce",
        lambda g, p, r, x: comm_func.reduce(x, r[-1], "max", g),
        lambda xs: _only(len(xs) - 1, REDUCTIONS["max"])(xs),
    ),
    Row("broadcast", lambda g, p, r, x: comm_func.broadcast(x, r[-1], g), each(lambda xs: xs[-1])),
    Row(
        "gather_into_tensor",
        lambda g, p, r, x: comm_func.gather_into_tensor(x, r[-1], g),
        lambda xs: _only(len(xs) - 1, jnp.concatenate)(xs),
    ),
    Row("scatter_tensor", lambda g, p, r, x: comm_func.scatter_tensor(x, r[-1], g), lambda xs: jnp.split(xs[-1], len(xs))),
    Row(
        "all_to_all_with_output_shape",
        lambda g, p, r, x: ops.concat(
            comm_func.all_to_all_with_output_shape([(1, 2)] * len(r), list(ops.split(x, 1)), g)[0]
        ),
        exchanged,
        True,
    ),
    Row(
        "all_to_all_single_with_output_shape",
        lambda g, p, r, x: comm_func.all_to_all_single_with_output_shape(
            (int(_matrix(len(r))[:, p].sum()),), _sent(x, p, len(r)), _matrix(len(r))[:, p].tolist(),
            _matrix(len(r))[p].tolist(), g,
        )[0],
        _exchanged_unevenly,
        True,
        shape=_total,
    ),
    Row("batch_isend_irecv", _batch, _ring, compiled=2),
    Row("send, recv", _send_on(comm_func.send, comm_func.recv), _sent_on, compiled=2),
    Row("isend, irecv", _send_on(comm_func.isend, _later), _sent_on, compiled=2),
]  # fmt: skip

# Those that write to Tensors, of `mint.distributed` and `ops.communication`; of `torch.distributed` by the same names.
IN_PLACE = [
    Row(
        "all_reduce",
        _in_place(lambda g, p, r, x, out: dist.all_reduce(out, "sum", g)),
        each(REDUCTIONS["sum"]),
    ),
    Row(
        "reduce",
        _in_place(lambda g, p, r, x, out: dist.reduce(out, r[-1], "sum", g)),
        lambda xs: [*xs[:-1], xs.sum(0)],
    ),
    Row(
        "broadcast", _in_place(lambda g, p, r, x, out: dist.broadcast(out, r[-1], g)), each(lambda xs: xs[-1])
    ),
    Row("all_gather", _listed(lambda g, p, r, x, boxes: dist.all_gather(boxes, x, g)), each(jnp.concatenate)),
    Row(
        "gather",
        _listed(lambda g, p, r, x, boxes: dist.gather(x, boxes, r[-1], g)),
        lambda xs: [*[jnp.zeros_like(jnp.concatenate(xs))] * (len(xs) - 1), jnp.concatenate(xs)],
    ),
    Row(
        "scatter",
        _in_place(
            lambda g, p, r, x, out: dist.scatter(out, list(ops.split(x, 1)), r[-1], g),
            lambda shape, n: (1, *shape[1:]),
        ),
        lambda xs: jnp.split(xs[-1], len(xs)),
    ),
    Row(
        "reduce_scatter",
        _in_place(
            lambda g, p, r, x, out: dist.reduce_scatter(out, list(ops.split(x, 1)), "sum", g),
            lambda shape, n: (1, *shape[1:]),
        ),
        scattered,
    ),
    Row(
        "all_gather_into_tensor",
        _in_place(
            lambda g, p, r, x, out: dist.all_gather_into_tensor(out, x, g),
            lambda shape, n: (n * shape[0], *shape[1:]),
        ),
        each(jnp.concatenate),
    ),
    Row(
        "reduce_scatter_tensor",
        _in_place(
            lambda g, p, r, x, out: dist.reduce_scatter_tensor(out, x, "sum", g),
            lambda shape, n: (1, *shape[1:]),
        ),
        scattered,
    ),
    Row(
        "gather_into_tensor",
        _in_place(
            lambda g, p, r, x, out: dist.gather_into_tensor(out, x, r[-1], g),
            lambda shape, n: (n * shape[0], *shape[1:]),
        ),
        lambda xs: [*[jnp.zeros_like(jnp.concatenate(xs))] * (len(xs) - 1), jnp.concatenate(xs)],
    ),
    Row(
        "scatter_tensor",
        _in_place(
            lambda g, p, r, x, out: dist.scatter_tensor(out, x, r[-1], g), lambda shape, n: (1, *shape[1:])
        ),
        lambda xs: jnp.split(xs[-1], len(xs)),
    ),
    Row(
        "all_to_all_single",
        _in_place(lambda g, p, r, x, out: dist.all_to_all_single(out, x, group=g), lambda shape, n: shape),
        exchanged,
    ),
    Row(
        "all_to_all",
        lambda g, p, r, x: _all_to_all(g, x),
        exchanged,
    ),
    Row(
        "all_gather_into_tensor_uneven",
        lambda g, p, r, x: _gathered_unevenly(g, p, r, x),
        each(_uneven_rows),
    ),
    Row(
        "reduce_scatter_tensor_uneven",
        lambda g, p, r, x: _scattered_unevenly(g, p, r, x),
        _uneven_parts,
        shape=lambda n: (sum(_uneven(n)), 2),
    ),
    Row("all_to_all_v_c", lambda g, p, r, x: _by_matrix(g, p, r, x), _exchanged_unevenly, shape=_total),
    Row("send, recv", _send_on(dist.send, _written(dist.recv)), _sent_on, compiled=2),
    Row(
        "isend, irecv",
        _send_on(lambda *given: dist.isend(*given).wait(), _written(dist.irecv)),
        _sent_on,
        compiled=2,
    ),
]


def _all_to_all(group: str, x: Any) -> Any:
    boxes = [ops.zeros_like(part) for part in ops.split(x, 1)]
    dist.all_to_all(boxes, list(ops.split(x, 1)), group)
    return ops.concat(boxes)


def _gathered_unevenly(group: str, place: int, ranks: Any, x: Any) -> Any:
    sizes = _uneven(len(ranks))
    out = ops.zeros((sum(sizes), 2))
    dist.all_gather_into_tensor_uneven(out, x[: sizes[place]], sizes, group)
    return out


def _scattered_unevenly(group: str, place: int, ranks: Any, x: Any) -> Any:
    sizes = _uneven(len(ranks))
    out = ops.zeros((sizes[place], 2))
    dist.reduce_scatter_tensor_uneven(out, x, sizes, "sum", group)
    return out


def _by_matrix(group: str, place: int, ranks: Any, x: Any) -> Any:
    counts = _matrix(len(ranks))
    out = ops.zeros(int(counts[:, place].sum()))
    dist.all_to_all_v_c(out, _sent(x, place, len(ranks)), counts.reshape(-1).tolist(), group)
    return out


def arrays(row: Row, count: int) -> np.ndarray:
    """The arrays of all processes of a group: whole numbers, whose sums and products have no rounding."""
    rng = np.random.default_rng(7)
    return rng.integers(1, 9, (count, *row.shape(count))).astype("f")


# What these compile to depends on the process.
DIFFERS = re.compile(
    "V|^scatter|^CollectiveScatter|^[Rr]educe$|^gather|^CollectiveGather|_single_with_output_shape|v_c|uneven"
    "|send|Send|NeighborExchange"
)


def check(rows: list[Row], group: str, ranks: list[int], rank: int) -> None:
    """Compare collectives with NumPy: eagerly, compiled, and their gradients.

    All are compiled in one function in groups of two; in larger ones, those that compile to the same in all processes. The
    others are called eagerly there, and these in groups of two.

    Raises:
        AssertionError: if something differs.
    """
    place = ranks.index(rank)
    for row in rows:
        if bool(DIFFERS.search(row.name)) is (len(ranks) > 2):
            _compare([row], lambda *own, row=row: _call([row], group, place, ranks, own), ranks, place, "")
    compilable = [row for row in rows if len(ranks) <= row.compiled]
    together = [row for row in compilable if len(ranks) == 2 or not DIFFERS.search(row.name)]
    inner = ms.jit(lambda *own: _call(together, group, place, ranks, own))
    _compare(together, inner, ranks, place, "compiled ")
    _compare_gradients([row for row in together if row.gradient], group, ranks, place)


def _call(rows: list[Row], group: str, place: int, ranks: list[int], own: Any) -> list[Any]:
    return [row.call(group, place, ranks, x) for row, x in zip(rows, own, strict=True)]


def _compare(rows: list[Row], form: Any, ranks: list[int], place: int, what: str) -> None:
    given = [arrays(row, len(ranks)) for row in rows]
    for row, xs, found in zip(rows, given, form(*[ms.Tensor(xs[place]) for xs in given]), strict=True):
        wanted = np.asarray(row.expected(jnp.asarray(xs))[place])
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6, err_msg=f"{what}{row.name} of {ranks}")


def _compare_gradients(rows: list[Row], group: str, ranks: list[int], place: int) -> None:
    if not rows:
        return
    given, weights, gradients = [arrays(row, len(ranks)) for row in rows], [], []
    for row, xs in zip(rows, given, strict=True):
        outs, pull = jax.vjp(row.expected, jnp.asarray(xs))
        each_weight = [
            jnp.arange(1, 1 + out.size, dtype="f").reshape(out.shape) * (1 + i) for i, out in enumerate(outs)
        ]
        gradients.append(np.asarray(pull(each_weight)[0][place]))
        weights.append(ms.Tensor(np.asarray(each_weight[place])))

    def loss(form: Any, own: Any) -> Any:
        return sum((out * weight).sum() for out, weight in zip(form(*own), weights, strict=True))

    positions = tuple(range(len(rows)))
    if len(ranks) == 2:
        inner = ms.jit(lambda *own: _call(rows, group, place, ranks, own))
        of = ms.grad(lambda *own: loss(inner, own), positions)
    else:
        of = ms.jit(
            ms.grad(lambda *own: loss(lambda *own: _call(rows, group, place, ranks, own), own), positions)
        )
    found = of(*[ms.Tensor(xs[place]) for xs in given])
    found = found if isinstance(found, tuple) else (found,)
    for row, one, wanted in zip(rows, found, gradients, strict=True):
        np.testing.assert_allclose(
            one.asnumpy(), wanted, rtol=1e-6, err_msg=f"gradient of {row.name} of {ranks}"
        )
