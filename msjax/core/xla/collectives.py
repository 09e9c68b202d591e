"""Collectives between processes: one JAX primitive, and the programs over several processes in which it has a meaning.

A process's arrays are its own. A program with a collective is compiled under `jax.shard_map` over one device of each
process, with its inputs as "replicated" arrays, whose copies in truth differ; so each process computes with its own.
What contains no collective stays a program of one process.
"""

import contextlib
import functools
import itertools
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import ShapedArray, Tracer
from jax.extend.core import Jaxpr
from jax.interpreters import ad, batching, mlir
from jax.sharding import AbstractMesh, Mesh, NamedSharding

from msjax.core.xla import collective_order, compiler_options, jaxpr_queries

AXIS = "processes"
INSIDE_TRACE = "compiler_options: a program of several processes takes no tracers"
_EVERYWHERE = jax.P()
_NO_MESH = AbstractMesh((), ())


class Calls:
    """Record of the calls that this process made together with all others: how many, and the last one."""

    _KEPT = 256

    def __init__(self) -> None:
        self.count = 0
        self._last = [""] * self._KEPT

    def note(self, what: str) -> None:
        """Count one more."""
        self._last[self.count % self._KEPT] = what
        self.count += 1

    def what(self, number: int) -> str:
        """Return the call of a number, counted from 1; "" if it is not known, or no longer."""
        return self._last[(number - 1) % self._KEPT] if self.count - self._KEPT < number <= self.count else ""


class World:
    """The processes that work together.

    Attributes:
        size: how many there are; 1 until `communication.world` has joined them.
        rank: the number of this one.
        compare: (group, what is called) -> None, which raises where others call something else; or None.
        settle: () -> None, which runs the sends and receives that wait (`communication.p2p`); or None.
        meet: (what all are about to do, a rule) -> None, which waits for them and raises where one does something else; or
            None.
        calls: what this process has called together with all others.
        places: True once a program has spread arrays over the processes (`core/jit/placement.py`).
        touched: how often a box with a joint array was read or written, but for the writes of programs that know of it.
    """

    size: int = 1
    rank: int = 0
    compare: Callable[[tuple[int, ...], str], None] | None = None
    settle: Callable[[], None] | None = None
    meet: Callable[[str, str], None] | None = None
    places: bool = False
    touched: int = 0
    calls = Calls()


world = World()


class Collective(NamedTuple):
    """A collective as a process calls it: what it does, with which processes, and how."""

    kind: str
    ranks: tuple[int, ...]
    setting: Any


# For a collective of this process: all groups that communicate at once, as places in the program's order, and the settings
# of each.
Plan = dict[Collective, tuple[list[list[int]], list[Any]]]


class _Lowering(threading.local):
    """While a program is called: its processes in order, and what others do at once, if not all are in one group."""

    order: tuple[int, ...] | None = None
    plan: Plan | None = None


_lowering = _Lowering()

# ---------------------------------------------------------------------- the primitive

collective_p = jax.extend.core.Primitive("collective")


def _shape(
    x: jax.Array | jax.ShapeDtypeStruct, kind: str, ranks: tuple[int, ...], setting: Any
) -> tuple[int, ...]:
    shape = list(x.shape)
    if kind == "gather":
        shape[setting] *= len(ranks)
    elif kind == "scatter":
        shape[setting] //= len(ranks)
    elif kind == "exchange":
        split, concat = setting
        shape[split] //= len(ranks)
        shape[concat] *= len(ranks)
    return tuple(shape)


def _body(x: jax.Array, *, kind: str, ranks: tuple[int, ...], setting: Any) -> jax.Array:
    """Compute the collective in the terms of `jax.lax`, inside `jax.shard_map`."""
    order = _lowering.order
    if order is None:
        raise RuntimeError(
            f"`{kind}` of the processes {ranks}: a collective must be compiled by msjax (ms.jit, or an eager call), not by "
            "jax.jit alone, which makes programs of one process."
        )
    groups, settings = None, [setting]
    if _lowering.plan is not None:
        groups, settings = _lowering.plan[Collective(kind, ranks, setting)]
    # XLA takes a constant for the same in all processes, where one with their number in it is not: 2 x 0.0 for its sum.
    x = lax.optimization_barrier(x)
    if kind == "root":
        mine = jnp.isin(lax.axis_index(AXIS), np.array([order.index(root) for root in settings]))
        return lax.psum(jnp.where(mine, x, jnp.zeros_like(x)), AXIS, axis_index_groups=groups)
    if kind == "sum":
        return lax.psum(x, AXIS, axis_index_groups=groups)
    if kind == "max":
        return lax.pmax(x, AXIS, axis_index_groups=groups)
    if kind == "min":
        return lax.pmin(x, AXIS, axis_index_groups=groups)
    if kind == "gather":
        return lax.all_gather(x, AXIS, axis=setting, tiled=True, axis_index_groups=groups)
    if kind == "scatter":
        return lax.psum_scatter(x, AXIS, scatter_dimension=setting, tiled=True, axis_index_groups=groups)
    if kind == "exchange":
        return lax.all_to_all(x, AXIS, *setting, tiled=True, axis_index_groups=groups)
    pairs = [(order.index(source), order.index(target)) for each in settings for source, target in each]
    return lax.ppermute(x, AXIS, pairs)


_INVERSE: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "sum": lambda setting: ("sum", setting),
    "gather": lambda setting: ("scatter", setting),
    "scatter": lambda setting: ("gather", setting),
    "exchange": lambda setting: ("exchange", setting[::-1]),
    "permute": lambda setting: ("permute", tuple((target, source) for source, target in setting)),
}


def _transpose(
    ct: jax.Array, x: object, *, kind: str, ranks: tuple[int, ...], setting: object
) -> list[jax.Array]:
    kind, setting = _INVERSE[kind](setting)
    return [collective_p.bind(ct, kind=kind, ranks=ranks, setting=setting)]


def _batch(
    args: Sequence[jax.Array], dims: Sequence[int], *, kind: str, ranks: tuple[int, ...], setting: Any
) -> tuple[jax.Array, int]:
    """Map over an axis: it goes last, so that the numbers of the others stay."""
    x = jnp.moveaxis(args[0], dims[0], -1)
    return collective_p.bind(x, kind=kind, ranks=ranks, setting=setting), x.ndim - 1


collective_p.def_abstract_eval(
    lambda x, *, kind, ranks, setting: ShapedArray(_shape(x, kind, ranks, setting), x.dtype)
)
mlir.register_lowering(collective_p, mlir.lower_fun(_body, multiple_results=False))
ad.deflinear2(collective_p, _transpose)
batching.primitive_batchers[collective_p] = _batch


@collective_p.def_impl
def _run_alone(x: jax.Array, **setting: Any) -> jax.Array:
    """Call eagerly a pure function outside of every operator."""
    return JointProgram(lambda x: collective_p.bind(x, **setting), [Collective(**setting)])(x)


# ---------------------------------------------------------------------- pure functions, differentiable as MindSpore's


def _bind(x: jax.Array, kind: str, ranks: tuple[int, ...], setting: Any = None) -> jax.Array:
    if x.dtype == np.bool_:
        return _bind(x.astype(np.uint8), kind, ranks, setting).astype(np.bool_)
    return collective_p.bind(x, kind=kind, ranks=ranks, setting=setting)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _extreme(x: jax.Array, kind: str, ranks: tuple[int, ...]) -> jax.Array:
    return _bind(x, kind, ranks)


@_extreme.defjvp
def _extreme_jvp(
    kind: str, ranks: tuple[int, ...], primals: Sequence[jax.Array], tangents: Sequence[jax.Array]
) -> tuple[jax.Array, jax.Array]:
    # As MindSpore: the gradients of all processes, where this one has the extreme value.
    out = _extreme(*primals, kind, ranks)
    own = jnp.where(primals[0] == out, tangents[0], jnp.zeros_like(tangents[0]))
    return out, _bind(own, "sum", ranks)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _product(x: jax.Array, ranks: tuple[int, ...]) -> jax.Array:
    return jnp.prod(_bind(x[None], "gather", ranks, 0), axis=0, dtype=x.dtype)


@_product.defjvp
def _product_jvp(
    ranks: tuple[int, ...], primals: Sequence[jax.Array], tangents: Sequence[jax.Array]
) -> tuple[jax.Array, jax.Array]:
    out = _product(*primals, ranks)
    return out, out * _bind(tangents[0] / primals[0], "sum", ranks)


def all_reduce(x: jax.Array, reduction: str, ranks: tuple[int, ...]) -> jax.Array:
    """Return the "sum", "avg", "prod", "max" or "min" of the arrays of `ranks`, of any one shape."""
    if len(ranks) == 1:
        return x
    if reduction in ("max", "min"):
        return _extreme(x, reduction, ranks)
    if reduction == "prod":
        return _product(x, ranks)
    total = _bind(x, "sum", ranks)
    if reduction == "sum":
        return total
    return total / len(ranks) if jnp.issubdtype(x.dtype, jnp.inexact) else total // len(ranks)


def all_gather(x: jax.Array, ranks: tuple[int, ...], axis: int = 0) -> jax.Array:
    """Concatenate the arrays of `ranks` along an axis."""
    return x if len(ranks) == 1 else _bind(x, "gather", ranks, axis)


def reduce_scatter(x: jax.Array, reduction: str, ranks: tuple[int, ...], axis: int = 0) -> jax.Array:
    """Reduce the arrays of `ranks`, and give each its part along an axis, which their number divides."""
    if len(ranks) == 1:
        return x
    if reduction in ("sum", "avg"):
        total = _bind(x, "scatter", ranks, axis)
        inexact = jnp.issubdtype(x.dtype, jnp.inexact)
        return total if reduction == "sum" else total / len(ranks) if inexact else total // len(ranks)
    parts = jnp.stack(jnp.split(all_to_all(x, ranks, axis, axis), len(ranks), axis))
    return {"max": jnp.max, "min": jnp.min, "prod": jnp.prod}[reduction](parts, axis=0).astype(x.dtype)


def all_to_all(x: jax.Array, ranks: tuple[int, ...], split: int, concat: int) -> jax.Array:
    """Cut along the axis `split`, one part for each of `ranks`; concatenate what comes along `concat`."""
    return x if len(ranks) == 1 else _bind(x, "exchange", ranks, (split, concat))


def permute(x: jax.Array, ranks: tuple[int, ...], pairs: tuple[tuple[int, int], ...]) -> jax.Array:
    """Send arrays from processes to others, as (source, target); who gets nothing has zeros."""
    return x if len(ranks) == 1 else _bind(x, "permute", ranks, pairs)


def _bits(x: jax.Array) -> jax.Array:
    """Convert floats to integers of the same bits, which sums keep: -0.0 + 0.0 is 0.0, and a sum of nans has other bits."""
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        return x
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return jnp.stack([_bits(x.real), _bits(x.imag)])
    return lax.bitcast_convert_type(x, f"uint{8 * x.dtype.itemsize}")


def _from_bits(bits: jax.Array, dtype: Any) -> jax.Array:
    if not jnp.issubdtype(dtype, jnp.inexact):
        return bits
    if jnp.issubdtype(dtype, jnp.complexfloating):
        part = np.zeros(0, dtype).real.dtype
        return lax.complex(_from_bits(bits[0], part), _from_bits(bits[1], part))
    return lax.bitcast_convert_type(bits, dtype)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def broadcast(x: jax.Array, ranks: tuple[int, ...], root: int) -> jax.Array:
    """Return the array of the process `root`. Gradients pass as they are, as in MindSpore."""
    return x if len(ranks) == 1 else _from_bits(_bind(_bits(x), "root", ranks, root), x.dtype)


@broadcast.defjvp
def _broadcast_jvp(
    ranks: tuple[int, ...], root: int, primals: Sequence[jax.Array], tangents: Sequence[jax.Array]
) -> tuple[jax.Array, jax.Array]:
    return broadcast(*primals, ranks, root), tangents[0]


def keep_order(x: jax.Array, communicated: jax.Array) -> jax.Array:
    """Return `x`, once a collective is done whose result nobody here needs: XLA would leave it out, and others wait.

    XLA leaves out what a barrier lets through and nobody uses. So `x` depends on a bit of the result, compared with what no
    bit is, behind a barrier (test_communication: `Reduce` compiled).
    """
    x, communicated = lax.optimization_barrier((x, communicated))  # whose gradient has a collective here too
    return collective_order.order_after(collective_order.token_of(communicated), x)


# ---------------------------------------------------------------------- programs over several processes


def find_collectives(jaxpr: Jaxpr) -> list[Collective]:
    """List the collectives in a jaxpr, inner ones included, in their order."""
    return [
        Collective(eqn.params["kind"], eqn.params["ranks"], eqn.params["setting"])
        for eqn in jaxpr_queries.all_equations(jaxpr)
        if eqn.primitive is collective_p
    ]


def communicating(fn: Callable, general: Callable, arguments: Sequence[object]) -> Callable | None:
    """Return the program of a function over the processes that it communicates with; None if it does not.

    Args:
        fn: pure, over arrays.
        general: the same for calls in a trace.
        arguments: of the first call.
    """
    if world.size == 1:
        return None
    jaxpr = jax.make_jaxpr(fn)(*arguments).jaxpr
    calls = find_collectives(jaxpr)
    if not calls:
        return None
    program = JointProgram(fn, calls)

    def call(*given: object) -> Any:
        if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(given)):
            return general(*given)
        return program(*given)

    return call


def devices(ranks: Sequence[int]) -> list:
    """Return the device of each process: its first."""
    first = {device.process_index: device for device in reversed(jax.devices())}
    return [first[rank] for rank in ranks]


@functools.cache
def _mesh(ranks: tuple[int, ...]) -> Mesh:
    return Mesh(np.array(devices(ranks)), (AXIS,))


class JointProgram:
    """A function with collectives, compiled for all processes that take part; each must call it.

    Called with this process's arrays it gives this process's results. `run` takes and gives joint arrays: those of all
    processes as one, which only such programs can use.

    Args:
        fn: a pure function of (nested) arrays.
        calls: the collectives in it. Those of one group are a program of the group; with several groups, all processes of
            the world take part, and tell each other here what they call.
        what: its name, for `World.compare`. Default: what it calls.
        donate: the arguments whose memory it may overwrite.
    """

    def __init__(
        self, fn: Callable, calls: Sequence[Collective], what: str = "", donate: tuple[int, ...] = ()
    ) -> None:
        several = len({call.ranks for call in calls}) > 1
        self.order = tuple(range(world.size)) if several else calls[0].ranks
        self.plan = _plan(calls) if several else None
        called = _list(map(_tell, calls), " and ")
        self.what, self.compared = what or called, f"{what} ({called})" if what else called
        mesh = _mesh(self.order)
        self.everywhere = NamedSharding(mesh, _EVERYWHERE)
        mapped = jax.shard_map(
            _in_order(fn), mesh=mesh, in_specs=_EVERYWHERE, out_specs=_EVERYWHERE, check_vma=False
        )
        # What hides constants from XLA (`_body`) must last.
        self.program = jax.jit(
            mapped, donate_argnums=donate, compiler_options=compiler_options.keeping_barriers()
        )

    def enter(self, value: Any) -> jax.Array:
        """Return the joint array that has this process's `value`. Nothing is copied; Python takes 20 us."""
        if isinstance(value, Tracer):
            raise ValueError(INSIDE_TRACE)
        value = value if isinstance(value, jax.Array) else jnp.asarray(value)
        return jax.make_array_from_single_device_arrays(value.shape, self.everywhere, [value])

    def accepts(self, value: jax.Array) -> bool:
        """Return True if a joint array is one of these processes, each with a value of its own."""
        return value.sharding is self.everywhere or value.sharding == self.everywhere

    def run(self, *arguments: object) -> Any:
        """Call the program with joint arrays, and return joint arrays."""
        if world.settle is not None:
            world.settle()
        if world.compare is not None:
            world.compare(self.order, _describe(self.compared, jax.tree.leaves(arguments)))
        if len(self.order) == world.size:
            world.calls.note(self.what)
        with self._lowering_plan():
            return run_in_order(self.program, *arguments)

    def lower(self, *arguments: object) -> jax.stages.Lowered:
        """Lower the program for joint arrays."""
        with self._lowering_plan():
            return self.program.lower(*arguments)

    @contextlib.contextmanager
    def _lowering_plan(self) -> Iterator[None]:
        before = _lowering.order, _lowering.plan
        _lowering.order, _lowering.plan = self.order, self.plan
        try:
            yield
        finally:
            _lowering.order, _lowering.plan = before

    def __call__(self, *arguments: object) -> Any:
        """Call the program with arrays of this process, and return its own."""
        return jax.tree.map(local_array, self.run(*jax.tree.map(self.enter, arguments)))


def _in_order(fn: Callable) -> Callable:
    """Return a function whose collectives all run, in the order in which it calls them (`collective_order`)."""

    @functools.wraps(fn)
    def run(*arguments: object) -> Any:
        # Equations remember the mesh under which they were traced. A pullback that is kept from here must fit programs of
        # other processes too: the backward pass of layers whose groups are rows and columns of a mesh.
        with jax.sharding.use_abstract_mesh(_NO_MESH):
            closed, shapes = jax.make_jaxpr(fn, return_shape=True)(*arguments)
        results = collective_order.in_written_order(closed, collective_p)(*jax.tree.leaves(arguments))
        return jax.tree.unflatten(jax.tree.structure(shapes), results)

    return run


def run_in_order(program: Callable, *arguments: Any) -> Any:
    """Call a program that communicates, so that it runs after those that were called before it.

    gloo matches what processes send by its order alone: where two programs run at once, the one may get the numbers of the
    other. Streams of GPUs and TPUs keep the order of all calls. XLA for CPU keeps that of the calls of a thread if all are
    for one device; so there the call returns at once, and otherwise when the program is done.

    Args:
        program: compiled, of joint arrays.
        arguments: its arguments.
    """
    _last_call.check()
    results = program(*arguments)
    if _runs_on_cpu():
        first = results[0] if isinstance(results, list) and results else None
        if not isinstance(first, jax.Array):  # to flatten 400 arrays takes 20 us
            first = next(iter(jax.tree.leaves(results)), None)
        if isinstance(first, jax.Array) and not isinstance(first, Tracer):
            _last_call.note(first)
    return results


@functools.cache
def _runs_on_cpu() -> bool:
    return jax.default_backend() == "cpu"


@functools.cache
def _keeps_calls_in_order() -> bool:
    return jax.local_device_count() == 1


class _LastCall:
    """The last program that communicates, on CPUs: the thread that called it, and a result that it may still compute."""

    # A larger result is not kept for this alone: it could be all gradients of a network.
    _KEPT_BYTES = 1 << 20

    def __init__(self) -> None:
        self.thread: threading.Thread | None = None
        self.result: jax.Array | None = None

    def note(self, result: jax.Array) -> None:
        """Keep a result to wait for; wait for it now where XLA does not keep the order of the next call."""
        self.thread, self.result = threading.current_thread(), result
        if not _keeps_calls_in_order() or result.size * result.dtype.itemsize > self._KEPT_BYTES:
            self.wait()

    def check(self) -> None:
        """Wait if another thread made the last call; raise if that has failed already, as with a process that is gone."""
        result = self.result
        if result is None:
            return
        if self.thread is not threading.current_thread() or (
            not result.is_deleted() and result.is_ready()  # type: ignore[attr-defined]
        ):
            self.wait()

    def wait(self) -> None:
        """Wait until the program is done.

        Raises:
            jax.errors.JaxRuntimeError: if it failed.
        """
        result, self.result = self.result, None
        if result is None:
            return
        if result.is_deleted():  # its memory went to a later program of that thread
            jax.block_until_ready([array for array in jax.live_arrays() if not array.is_deleted()])
        else:
            result.block_until_ready()


_last_call = _LastCall()


def wait_for_last_call() -> None:
    """Wait until the program that communicated last is done, where it may still run.

    Raises:
        jax.errors.JaxRuntimeError: if it failed.
    """
    _last_call.wait()


def local_array(value: jax.Array) -> jax.Array:
    """Return this process's array of a joint one."""
    return value.addressable_data(0)


def gather_whole(value: jax.Array, name: str = "") -> jax.Array:
    """Return the value of a joint array as an array of this process; one in parts is gathered, by all processes together.

    Args:
        value: the array.
        name: of what it is the value, for messages.

    Raises:
        RuntimeError: if another process does something else instead, as far as `world.meet` can tell.
    """
    if value.is_fully_replicated:
        return local_array(value)
    what = f"reading the value of {name or 'a Tensor'} ({value.dtype}{list(value.shape)})"
    meet(what, "it lies in parts on several processes, so all of them must read it")
    return local_array(run_in_order(_gather(value.sharding), value))


def meet(what: str, rule: str) -> None:
    """Wait until all other processes do what this one is about to do with them.

    Args:
        what: it does.
        rule: what holds for it, for the message.

    Raises:
        RuntimeError: if another process does something else instead, as far as `world.meet` can tell.
    """
    if world.compare is not None:
        world.compare(tuple(range(world.size)), what)
    world.calls.note(what)
    if world.meet is not None:
        world.meet(what, rule)


@functools.cache
def _gather(sharding: NamedSharding) -> Callable:
    return jax.jit(lambda x: x, out_shardings=NamedSharding(sharding.mesh, _EVERYWHERE))


def everybody(kind: str, setting: Any = None) -> Collective:
    """Return a collective of all processes."""
    return Collective(kind, tuple(range(world.size)), setting)


def _plan(calls: Sequence[Collective]) -> Plan:
    """Return, for each collective of this process, the groups that communicate at once.

    Raises:
        RuntimeError: if they do not call the same kinds of collectives in the same order, each in disjoint groups.
        NotImplementedError: if groups that communicate at once have different sizes.
    """
    if world.compare is not None:
        world.compare(everybody("").ranks, "a program of several groups")
    by_process = _exchange([[call.kind, call.ranks, call.setting] for call in calls])
    kinds = [[call[0] for call in each] for each in by_process]
    if any(each != kinds[0] for each in kinds):
        told = "; ".join(f"process {rank}: {', '.join(each)}" for rank, each in enumerate(kinds))
        raise RuntimeError(
            f"a function that communicates in several groups is compiled by all processes, with the same collectives in the "
            f"same order. {told}."
        )
    plan: Plan = {}
    for i, call in enumerate(calls):
        groups = [tuple(each[i][1]) for each in by_process]
        if any(groups[member] != group for group in groups for member in group):
            raise RuntimeError(
                f"`{call.kind}`: groups that communicate at once must have no process in common. Received: {groups}."
            )
        if len({len(group) for group in groups}) > 1:
            raise NotImplementedError(
                f"`{call.kind}`: groups that communicate at once in a compiled function must have one size. "
                f"Received: {groups}."
            )
        settings = {tuple(each[i][1]): each[i][2] for each in by_process}
        found = [list(group) for group in settings], list(settings.values())
        if plan.setdefault(call, found) != found:
            raise NotImplementedError(
                f"`{call.kind}`: of two calls with the same group {list(call.ranks)}, others take part with other groups. "
                "Compile the parts of the function on their own."
            )
    return plan


def _exchange(told: object) -> list[Any]:
    """Return what each process tells, in all processes."""
    text = np.frombuffer(json.dumps(told).encode(), np.uint8)
    length = int(np.max(_gather_calls()(np.array([len(text)], np.int32))))
    padded = np.concatenate([text, np.full(length - len(text), ord(" "), np.uint8)])
    return [json.loads(bytes(row)) for row in np.asarray(_gather_calls()(padded)).reshape(world.size, length)]


@functools.cache
def _gather_calls() -> JointProgram:
    call = everybody("gather", 0)
    return JointProgram(lambda x: all_gather(x, call.ranks), [call], "what processes call")


def _tell(call: Collective) -> str:
    """Return the text of a collective, as far as it must be the same for all."""
    if call.kind == "root":
        return f"broadcast from {call.setting}"
    if call.kind == "permute":
        return "send " + ", ".join(f"{source} to {target}" for source, target in call.setting)
    return call.kind if not call.setting or call.setting == (0, 0) else f"{call.kind} along {call.setting}"


def _describe(what: str, leaves: Sequence[jax.Array]) -> str:
    shapes = [f"{leaf.dtype}{list(leaf.shape)}" for leaf in leaves if hasattr(leaf, "dtype")]
    return f"{what} of {_list(shapes, ', ')}"


def _list(words: Iterable[str], between: str) -> str:
    """Return the text of a list, in which what comes several times in a row stands once, with the number."""
    alike = [(word, len([*each])) for word, each in itertools.groupby(words)]
    return between.join(word if n == 1 else f"{n} x {word}" for word, n in alike)
