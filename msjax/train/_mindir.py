"""Export of networks: `export` writes a file, `load` reads it back for `nn.GraphCell`."""

import builtins
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export as jax_export

from msjax.common import block_cipher
from msjax.core.autograph import conversion
from msjax.core.tensor import random_state
from msjax.core.tensor.parameter import Parameter
from msjax.core.tensor.tensor import OpenTensor, Tensor, tensors_in, wrap
from msjax.core.trace import captures, deferred_errors, trace
from msjax.files.atomic_write import write_file
from msjax.nn.cell import stablehlo
from msjax.nn.cell.stablehlo import FuncGraph, State
from msjax.onnx.exporting import export as export_onnx
from msjax.ops.state.summaries import notes
from msjax.train._ckpt import MalformedError

FORMATS = ("AIR", "ONNX", "MINDIR")
PLATFORMS = ("cpu", "cuda", "tpu")
_NAME = re.compile(r"^[0-9a-zA-Z@_\-.:/\\]+$")
_OPTIONS = frozenset({"enc_key", "enc_mode", "dataset", "incremental", "custom_func", "obf_func"})
_REAL = (
    "It may be a MindIR file of MindSpore's, which msjax does not read: make the network in Python, load its checkpoint "
    "with `load_checkpoint`, and `export` it with msjax."
)


def export(net: Any, *inputs: Any, file_name: str, file_format: str, **kwargs: Any) -> None:
    """Write a network, as it computes now, into a file that :func:`load` reads and `nn.GraphCell` runs, without its source.

    The file holds StableHLO, lowered by `jax.export` for CPU, CUDA and TPU where the program exists for all of them, its
    first derivative where there is one, and the values of Parameters. It is msjax's own: a real MindIR protobuf is neither
    written nor read, and MindSpore does not read this file. It is written under another name and then renamed. What
    summary operators note is not in it.

    Args:
        net (Union[Cell, function]): network, in the mode (training or not) to export.
        inputs: Tensors in any nesting of lists and tuples, like those that it will be called with; sizes that are None
            in `Tensor(shape=[None, 3], dtype=...)` are left open, as far as the network allows it: where it needs some to
            be equal, those of one axis are, or the first ones and all others. Numbers and strings are constants: the
            graph is called without them.
        file_name (str): path; `.mindir` is added if it does not end with it.
        file_format (str): "MINDIR", or "ONNX" (see `onnx.export`).
        kwargs: `enc_key` (bytes of length 16, 24 or 32) encrypts; it needs the extra `crypto`. `enc_mode`: "AES-GCM"
            (the default), "AES-CBC", "SM4-CBC", or a function of (bytes, key) that returns bytes.

    Raises:
        TypeError: if `file_name` is not a str, an option is unknown, or the network returns what no file can hold.
        ValueError: for another format, an impossible name, key or mode, or sizes that cannot be open.
        RuntimeError: if `net` cannot be called.
        NotImplementedError: for "AIR", and the options `dataset`, `incremental`, `custom_func`, `obf_func`.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> net = ms.nn.Dense(3, 2, weight_init="ones", bias_init="ones")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "net.mindir")
        ...     ms.export(net, ms.Tensor(shape=[None, 3], dtype=ms.float32), file_name=path, file_format="MINDIR")
        ...     loaded = ms.nn.GraphCell(ms.load(path))
        >>> print(loaded(ms.ops.ones((1, 3))), loaded(ms.ops.ones((2, 3))).shape)
        [[4. 4.]] (2, 2)
    """
    _check(file_name, file_format, kwargs)
    if not callable(net):
        raise RuntimeError(f"`export`: argument `net` must be a Cell or a function. Received: {net!r}.")
    if file_format == "ONNX":
        export_onnx(net, *inputs, file_name=file_name)
        return
    lock = _lock(kwargs)
    with notes.paused():
        header, arrays, program = _contents(net, inputs)
    path = os.path.realpath(file_name if file_name.endswith(".mindir") else f"{file_name}.mindir")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_file(path, lock(stablehlo.encode_file(header, arrays, program)))


def _check(file_name: Any, file_format: Any, options: dict[str, Any]) -> None:
    if options.get("obf_func") is not None:
        raise NotImplementedError("`export`: graphs cannot be obfuscated; leave `obf_func` out.")
    if file_format not in FORMATS:
        raise ValueError(
            f"`export`: argument `file_format` must be one of {list(FORMATS)}. Received: {file_format!r}."
        )
    if not isinstance(file_name, str):
        raise TypeError(
            f"`export`: argument `file_name` must be a str. Received: {file_name!r} ({type(file_name).__name__})."
        )
    if not _NAME.match(file_name):
        raise ValueError(
            "`export`: argument `file_name` may have letters, digits and @_-.:/\\ in it. "
            f"Received: {file_name!r}."
        )
    if unknown := set(options) - _OPTIONS:
        raise TypeError(f"`export`: unknown argument {min(unknown)!r}. Known ones: {sorted(_OPTIONS)}.")
    if file_format == "AIR":
        raise NotImplementedError(
            f"`export`: argument `file_format` must be 'MINDIR' or 'ONNX' here. Received: {file_format!r}. For other "
            "runtimes, convert the StableHLO of `jax.export.export(jax.jit(apply))(params, x)`, where `apply, params = "
            "msjax.interop.as_jax(net)`, with their own tools."
        )
    for name in ("dataset", "incremental", "custom_func"):
        if options.get(name):
            raise NotImplementedError(
                f"`export`: argument `{name}` changes MindIR protobufs, which msjax does not write; leave it out."
            )


def _lock(options: dict[str, Any]) -> Callable[[Iterator[bytes]], Any]:
    """Return the encryption of a file's pieces, if a key is given, else a function that leaves them as they are."""
    if "enc_key" not in options:
        return lambda pieces: pieces
    key, mode = options["enc_key"], options.get("enc_mode", "AES-GCM")
    if not isinstance(key, bytes):
        raise ValueError(f"`export`: argument `enc_key` must be of type bytes. Received: {key!r}.")
    if callable(mode):
        return lambda pieces: [mode(b"".join(pieces), key)]
    try:
        block_cipher.check(key, mode)
    except (ValueError, TypeError) as error:
        raise ValueError(f"`export`: {error}") from error
    return lambda pieces: block_cipher.encrypt(pieces, key, mode)


# ---------------------------------------------------------------- from a network to a program


def _contents(net: Callable, inputs: Sequence[Any]) -> tuple[dict[str, Any], list[np.ndarray], bytes]:
    """Header, arrays of state, and program."""
    if any(hasattr(given, "create_dict_iterator") for given in inputs):
        raise NotImplementedError(
            "`export`: the steps of a Dataset are not exported; give a Tensor of the shape that it yields."
        )
    boxes = tensors_in(inputs)
    ways, reason = list(_avals(boxes)), None
    for avals in ways:
        try:
            return _program(net, inputs, avals)
        except Exception as error:
            if len(ways) == 1 or not _on_sizes(error):
                raise
            reason = error
    raise ValueError(
        "`export`: the network needs to know sizes that its inputs leave open: "
        f"{[box.shape for box in boxes]}. Give inputs with these sizes, and export once for each that is needed. "
        f"JAX says: {reason}"
    ) from reason


def _on_sizes(error: Exception) -> bool:
    """Return True if an error may come from symbolic sizes."""
    kinds = (TypeError, ValueError, NotImplementedError, jax.errors.JAXTypeError, AttributeError)
    return isinstance(error, kinds) or "InconclusiveDimension" in type(error).__name__


def _avals(boxes: Sequence[Tensor]) -> Iterator[list[jax.ShapeDtypeStruct]]:
    """Shapes and dtypes of inputs: open sizes all different; one for each axis; one for the first axis, one for others."""
    open_ = [isinstance(box, OpenTensor) for box in boxes]
    if not any(open_):
        yield [jax.ShapeDtypeStruct(box.shape, box.dtype.np) for box in boxes]
        return
    for naming in ("n{axis}_{input}", "n{axis}", "n{other}"):
        scope = jax_export.SymbolicScope()
        yield [
            jax.ShapeDtypeStruct(_sizes(box.shape, naming, n, scope), box.dtype.np)
            for n, box in enumerate(boxes)
        ]


def _sizes(shape: tuple[int, ...], naming: str, number: int, scope: Any) -> Any:
    names = [
        naming.format(axis=axis, input=number, other=min(axis, 1)) if size < 0 else str(size)
        for axis, size in enumerate(shape)
    ]
    return jax_export.symbolic_shape(", ".join(names) + ("," if len(names) == 1 else ""), scope=scope)


def _program(
    net: Callable, inputs: Sequence[Any], avals: list[jax.ShapeDtypeStruct]
) -> tuple[dict[str, Any], list[np.ndarray], bytes]:
    given = jax.tree.map(
        lambda leaf: wrap(leaf.array) if isinstance(leaf, Tensor) else leaf, inputs, is_leaf=trace.is_tensor
    )
    outputs: list[Any] = []

    def run(*args: Any) -> Any:
        out = conversion.convert_callback(net)(*args)
        outputs[:] = [stablehlo.describe_structure(out)]
        return jax.tree.map(_with_sizes, out, is_leaf=trace.is_tensor)

    traced = trace.trace(run, tuple(given), {}, avals=avals, guess=captures.guess_captures(net, tuple(given)))
    state, writes = _state(traced, _order(net))
    fn, count = traced.fn, len(avals)
    at = [next(n for n, s in enumerate(state) if s.box is slot.box) for slot in traced.captured]

    def program(*values: Any) -> list[Any]:
        return fn(*values[:count], *(values[count + n] for n in at))

    held = [jax.ShapeDtypeStruct(s.box.shape, s.box.dtype.np) for s in state]
    lowered = _lower(program, getattr(net, "__name__", type(net).__name__), [*avals, *held])
    header = {
        "inputs": [stablehlo.describe_structure(part) for part in given if _has_tensors(part)],
        "outputs": outputs[0],
        "state": [[s.kind, s.name, getattr(s.box, "requires_grad", False)] for s in state],
        "writes": writes,
        "errors": _errors() if traced.fails else [],
    }
    hidden = ("random", "failure")
    return header, [np.asarray(s.box.array) for s in state if s.kind not in hidden], lowered


def _has_tensors(part: Any) -> bool:
    return bool(tensors_in(part))


def _with_sizes(leaf: Any) -> Any:
    """Return a Tensor in place of an open size."""
    return wrap(jnp.asarray(leaf)) if jax_export.is_symbolic_dim(leaf) else leaf


def _order(net: Any) -> dict[int, int]:
    """Return the ids of a Cell's Parameters, in order."""
    boxes = net.get_parameters() if hasattr(net, "get_parameters") else ()
    return {id(box): n for n, box in enumerate(boxes)}


def _state(traced: Any, order: dict[int, int]) -> tuple[list[State], list[tuple[str, int]]]:
    """Collect the state that a program reads or writes, each once and in this order, and the targets of its writes."""
    state: dict[int, State] = {}
    writes = []
    standins = {id(box): n for n, box in enumerate(traced._boxes)}
    slots = [*traced.captured, *(slot for slot, _ in traced.written)]
    if any(slot.kind == "grad" for slot in slots):
        raise ValueError(
            "`export`: the network reads or writes a `.grad`, which is not part of its state; detach it first."
        )
    for slot in slots:
        if id(slot.box) not in standins:
            state.setdefault(id(slot.box), _describe_state(slot.box))
    places = sorted(state, key=lambda key: order.get(key, len(order)))
    for slot, _ in traced.written:
        standin = standins.get(id(slot.box))
        writes.append(("state", places.index(id(slot.box))) if standin is None else ("input", standin))
    return [state[key] for key in places], writes


def _describe_state(box: Tensor) -> State:
    if box is random_state.source():
        return State("random", "", box)
    if deferred_errors.is_error_box(box):
        return State("failure", "", box)
    return State("parameter", box.name, box) if isinstance(box, Parameter) else State("tensor", "", box)


def _lower(fn: Callable, name: str, avals: list[Any]) -> bytes:
    """Return the program and its derivative, for all platforms if it can be had for them."""
    fn.__name__ = name
    jitted = jax.jit(fn)
    try:
        program = jax_export.export(jitted, platforms=PLATFORMS)(*avals)
    except NotImplementedError:
        program = jax_export.export(jitted)(*avals)
    try:
        return bytes(program.serialize(vjp_order=1))
    except ImportError as error:
        raise ImportError(
            "`export` needs the package `flatbuffers`. Install it with `pip install flatbuffers`."
        ) from error
    except (ValueError, TypeError, NotImplementedError):  # there is no derivative of it
        return bytes(program.serialize())


def _errors() -> list[tuple[int, str, str]]:
    """Return the exceptions that a program may raise: number, type, message."""
    return [
        (
            code,
            type(error).__name__ if hasattr(builtins, type(error).__name__) else "RuntimeError",
            _message(error),
        )
        for code, error in deferred_errors.list_errors()
    ]


def _message(error: BaseException) -> str:
    """Return the message of an exception; one made from Tensors of a compiled function has no values to show."""
    try:
        return str(error)
    except RuntimeError:
        return f"{type(error).__name__} with a message of values that the file does not hold"


# ---------------------------------------------------------------- and back


def load(file_name: str, **kwargs: Any) -> FuncGraph:
    """Read a network that :func:`export` wrote, for `nn.GraphCell`.

    Args:
        file_name (str): path; it ends with `.mindir`.
        kwargs: `dec_key` (bytes) and `dec_mode` for an encrypted file: "AES-GCM" (the default), "AES-CBC", "SM4-CBC", or
            a function of (path, key) that returns the content.

    Raises:
        ValueError: if the name is not a str, does not end with `.mindir`, or there is no such file.
        RuntimeError: if the file is damaged, encrypted with another key, or was not written by msjax (a real MindIR file).
        TypeError: if `dec_key` or `dec_mode` is of another type, or an option is unknown.
        NotImplementedError: if `obf_func` is given.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "double.mindir")
        ...     ms.export(lambda x: x * 2, ms.Tensor([1.0]), file_name=path, file_format="MINDIR")
        ...     graph = ms.load(path)
        >>> print(ms.nn.GraphCell(graph)(ms.Tensor([4.0])))
        [8.]
    """
    if "obf_func" in kwargs:
        raise NotImplementedError("`load`: obfuscated graphs are not supported; leave `obf_func` out.")
    if unknown := set(kwargs) - {"dec_key", "dec_mode"}:
        raise TypeError(
            f"`load`: unknown argument {min(unknown)!r}. Known ones: ['dec_key', 'dec_mode', 'obf_func']."
        )
    if not isinstance(file_name, str) or not file_name.endswith(".mindir"):
        raise ValueError(
            f"`load`: argument `file_name` must be a str that ends with '.mindir'. Received: {file_name!r}."
        )
    if not os.path.isfile(file_name):
        raise ValueError(f"`load`: there is no file of this name. Received: {file_name!r}.")
    data = _read_decrypted(os.path.realpath(file_name), kwargs)
    try:
        header, arrays, program = stablehlo.decode_file(data)
        return _graph(header, iter(arrays), jax_export.deserialize(bytearray(program)))
    except ImportError as error:
        raise ImportError(
            "`load` needs the package `flatbuffers`. Install it with `pip install flatbuffers`."
        ) from error
    except (ValueError, KeyError, StopIteration) as error:
        hint = "It is encrypted: give the `dec_key`." if block_cipher.mode_of(data) else _REAL
        raise RuntimeError(
            f"`load`: {file_name!r} is not a complete file of `msjax.export`: {error}. {hint}"
        ) from error


def _read_decrypted(path: str, options: dict[str, Any]) -> bytes:
    key, mode = options.get("dec_key"), options.get("dec_mode", "AES-GCM")
    if key is not None and callable(mode):
        return bytes(mode(path, key))  # type: ignore[arg-type]
    with open(path, "rb") as file:
        data = file.read()
    if "dec_key" not in options:
        return data
    for name, value, kind in (("dec_key", key, bytes), ("dec_mode", mode, str)):
        if not isinstance(value, kind):
            raise TypeError(
                f"`load`: argument `{name}` must be of type {kind.__name__}. Received: {value!r}."
            )
    try:
        return block_cipher.decrypt(data, key, mode)  # type: ignore[arg-type]
    except MalformedError as error:
        raise RuntimeError(f"`load`: {path!r} cannot be decrypted: {error}.") from error


def _graph(header: dict[str, Any], arrays: Iterator[np.ndarray], program: Any) -> FuncGraph:
    state = []
    for kind, name, requires_grad in header["state"]:
        if kind == "random":
            box: Any = random_state.source()
        elif kind == "failure":
            box = deferred_errors.error_box()
        else:
            box = wrap(jnp.asarray(next(arrays)))
            if kind == "parameter":
                box = Parameter(box, name=name, requires_grad=requires_grad)
        state.append(State(kind, name, box))
    return FuncGraph(
        program,
        state,
        ["tuple", header["inputs"]],
        header["outputs"],
        [tuple(w) for w in header["writes"]],
        header["errors"],
    )
