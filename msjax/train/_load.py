"""Loading checkpoints."""

import functools
import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import jax.numpy as jnp

from msjax.common import block_cipher
from msjax.core.jit.spread import held_shape, place_parts
from msjax.core.tensor.box import look
from msjax.core.tensor.construction import constant
from msjax.core.tensor.parameter import Parameter, spread_like
from msjax.core.tensor.tensor import Tensor
from msjax.core.xla.collectives import world
from msjax.nn.cell.cell import Cell
from msjax.train import _ckpt, _safetensors
from msjax.train._common import SUFFIXES, check_types

_log = logging.getLogger(__name__)


def load_checkpoint(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """Read a checkpoint, of MindSpore or of :func:`save_checkpoint`.

    Args:
        ckpt_file_name: path.
        net: Cell to put the values into, as :func:`load_param_into_net` does. Default: None.
        strict_load: for `net`: names and dtypes must agree exactly. Default: False.
        filter_prefix: str, or list or tuple of them: leave out names that begin so. Default: None.
        dec_key: key of an encrypted file; needs the extra `crypto`. Default: None.
        dec_mode: "AES-GCM", "AES-CBC" or "SM4-CBC". Default: "AES-GCM".
        specify_prefix: str, or list or tuple of them: take only names that begin so. Default: None.
        choice_func: says by its name whether an entry is taken, if there are no prefixes. Default: None.
        crc_check: verify the checksum, if there is one. Default: False.
        remove_redundancy: for parallel training only; True raises TypeError where a network is loaded into.
        format: "ckpt" or "safetensors". A safetensors file is recognised in any case. Default: "ckpt".

    Returns:
        A dict from names to Parameters, and to str where a string was saved.

    Raises:
        ValueError: if there is no such file, it is damaged, encrypted or no checkpoint, or nothing in it is wanted.
        TypeError: if an argument is of another type.
        ImportError: if a file is encrypted and the package `cryptography` is missing.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "net.ckpt")
        ...     ms.save_checkpoint(net, path)
        ...     print(ms.load_checkpoint(path, choice_func=lambda name: name == "bias"))
        {'bias': Parameter (name=bias, shape=(3,), dtype=Float32, requires_grad=True)}
    """
    owner = "load_checkpoint"
    check_types(owner, TypeError, ckpt_file_name=(ckpt_file_name, str))
    check_types(
        owner,
        ValueError,
        dec_key=(dec_key, bytes | None),
        dec_mode=(dec_mode, str),
        crc_check=(crc_check, bool),
    )
    check_types(owner, ValueError, remove_redundancy=(remove_redundancy, bool))
    if format not in SUFFIXES:
        raise ValueError(
            f"`{owner}`: argument `format` must be 'ckpt' or 'safetensors'. Received: {format!r}."
        )
    if net is not None and not isinstance(net, Cell):
        raise TypeError(f"`{owner}`: argument `net` must be a Cell. Received: {type(net).__name__}.")
    wanted = _is_wanted(
        _prefixes("filter_prefix", filter_prefix), _prefixes("specify_prefix", specify_prefix), choice_func
    )
    other = "safetensors" if format == "ckpt" else "ckpt"
    if ckpt_file_name.endswith(f".{other}"):
        raise ValueError(
            f"`{owner}`: argument `format` must be that of the file. Received: {format!r} for {ckpt_file_name!r}. "
            f"Use format={other!r}."
        )
    found = read_file(ckpt_file_name, dec_key, dec_mode, crc_check)
    loaded = {name: _parameter(name, value) for name, value in found.items() if wanted(name)}
    if not loaded:
        raise ValueError(
            f"`{owner}`: {ckpt_file_name!r} holds {len(found)} entries, and none of them is wanted. "
            "Check `filter_prefix`, `specify_prefix` and `choice_func`."
        )
    if net is not None:
        load_param_into_net(net, loaded, strict_load, remove_redundancy)
    return loaded


def _parameter(name: str, value: Any) -> Any:
    return value if isinstance(value, str) else Parameter(Tensor.from_array(constant(value)), name=name)


def _prefixes(name: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    given = (value,) if isinstance(value, str) else value
    rule = f"`load_checkpoint`: argument `{name}` must be a str, or a list or tuple of them"
    if not isinstance(given, list | tuple) or not all(isinstance(prefix, str) for prefix in given):
        raise TypeError(f"{rule}. Received: {value!r}.")
    if not given or "" in given:
        raise ValueError(f"{rule}, not empty. Received: {value!r}.")
    return tuple(given)


def _is_wanted(
    leave: tuple | None, take: tuple | None, choice: Callable[[str], bool] | None
) -> Callable[[str], bool]:
    if choice is not None and not callable(choice):
        raise ValueError(f"`load_checkpoint`: argument `choice_func` must be callable. Received: {choice!r}.")
    if leave is None and take is None:
        return (lambda name: True) if choice is None else functools.partial(_choose, choice)
    return lambda name: not (leave and name.startswith(leave)) and (take is None or name.startswith(take))


def _choose(choice: Callable[[str], bool], name: str) -> bool:
    try:
        return choice(name)
    except Exception as error:
        raise ValueError(
            f"`load_checkpoint`: argument `choice_func` failed for {name!r}: {error}."
        ) from error


def read_file(path: str, key: bytes | None, mode: str, crc_check: bool) -> dict[str, Any]:
    """Return the entries of a file of either format."""
    if not os.path.isfile(path):
        raise ValueError(f"`load_checkpoint`: there is no file {path!r}.")
    with open(path, "rb") as file:
        data = file.read()
    try:
        if key is not None:
            data = block_cipher.decrypt(data, key, mode)
        if _safetensors.is_safetensors(data):
            return _safetensors.decode(data, crc_check)
        return _ckpt.decode(data, crc_check)
    except _ckpt.MalformedError as error:
        hint = "" if key is not None else _encryption_note(data)
        raise ValueError(
            f"`load_checkpoint`: {path!r} cannot be read as a checkpoint: {error}.{hint}"
        ) from error


def _encryption_note(data: bytes) -> str:
    mode = block_cipher.mode_of(data)
    return "" if mode is None else f" It is encrypted: give `dec_key` and dec_mode={mode!r}."


def load_param_into_net(
    net: Cell, parameter_dict: dict[str, Any], strict_load: bool = False, remove_redundancy: bool = False
) -> tuple[list[str], list[str]]:
    """Put the values of a checkpoint into the Parameters of a Cell, by their names.

    Of a Parameter that lies in parts (see `AutoParallel`) each process may give all, or what it holds.

    If `strict_load` is False, a Parameter that the checkpoint does not have takes the first entry whose name ends with
    its name; and values become of its dtype, if both are floating or both are signed integers. Nothing is changed if
    there is an error.

    Args:
        net: network or optimizer.
        parameter_dict: from names to Parameters, as :func:`load_checkpoint` gives it. Strings are passed over.
        strict_load: names and dtypes must agree exactly. Default: False.
        remove_redundancy: for parallel training only; True raises TypeError.

    Returns:
        The names of Parameters that were not loaded, and those in `parameter_dict` that are not names of Parameters.

    Raises:
        TypeError: if an argument is of another type, or a value of `parameter_dict` is not a Parameter.
        RuntimeError: if a shape or a dtype does not agree.

    Examples:
        >>> import msjax as ms
        >>> net = ms.nn.Dense(2, 3)
        >>> ms.load_param_into_net(net, {"bias": ms.Parameter(ms.Tensor([1.0, 2.0, 3.0])), "b": "text"})
        (['weight'], ['b'])
        >>> print(net.bias.asnumpy())
        [1. 2. 3.]
    """
    owner = "load_param_into_net"
    check_types(
        owner,
        TypeError,
        net=(net, Cell),
        parameter_dict=(parameter_dict, dict),
        strict_load=(strict_load, bool),
    )
    check_types(owner, ValueError, remove_redundancy=(remove_redundancy, bool))
    if remove_redundancy:
        raise TypeError(
            f"`{owner}`: `remove_redundancy` is for parallel training. Received: True with one process; leave it False."
        )
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, Parameter | str):
            raise TypeError(
                f"`{owner}`: `parameter_dict` must map str to Parameters. "
                f"Received: {name!r}: {type(value).__name__}. A Tensor becomes a Parameter by ms.Parameter(tensor)."
            )
    planned: list[tuple[Parameter, Any]] = []
    missing: list[str] = []
    names = set()
    for parameter in net.get_parameters():
        names.add(parameter.name)
        value = parameter_dict.get(parameter.name)
        if value is None and not strict_load:
            value = _by_suffix(parameter.name, parameter_dict)
        if isinstance(value, Parameter):
            planned.append((parameter, _convert_value(parameter, value, strict_load)))
        elif value is None:
            missing.append(parameter.name)
    _assign_arrays(planned)
    unknown = [name for name in parameter_dict if name not in names]
    unknown += [name for name in parameter_dict if name in names and isinstance(parameter_dict[name], str)]
    if missing:
        _log.warning(
            "`load_param_into_net`: %d parameters are not in the checkpoint: %s", len(missing), missing
        )
    return missing, unknown


def update_parameter(param: Parameter, new_param: Parameter, strict_load: bool) -> None:
    """Put the value of one entry of a checkpoint into a Parameter.

    Args:
        param: is changed.
        new_param: has the value.
        strict_load: the dtypes must agree exactly.

    Raises:
        RuntimeError: if the shapes do not agree, or the dtypes do not.

    Examples:
        >>> import msjax as ms
        >>> from msjax.train._load import update_parameter
        >>> bias = ms.Parameter(ms.Tensor([0.0]))
        >>> update_parameter(bias, ms.Parameter(ms.Tensor([2.0], ms.float16)), False)
        >>> print(bias.asnumpy(), bias.dtype)
        [2.] Float32
    """
    _assign_arrays([(param, _convert_value(param, new_param, strict_load))])


def _assign_arrays(planned: list[tuple[Parameter, Any]]) -> None:
    place_parts([each for each in planned if each[1].shape != each[0].shape])
    for parameter, array in planned:
        if array.shape == parameter.shape:
            parameter._assign(array)


def load_by_prefix(
    net: Cell, parameter_dict: dict[str, Any], param_not_load: list[str], strict_load: bool
) -> None:
    """Load what has not been loaded from entries whose names have something before the Parameter's.

    Args:
        net: network.
        parameter_dict: from names to Parameters.
        param_not_load: names of the Parameters that still have to be loaded; those that are found are taken out.
        strict_load: the dtypes must agree exactly.
    """
    waiting = {p.name: p for p in net.get_parameters() if p.name in param_not_load}
    for name, parameter in waiting.items():
        value = _by_suffix(name, parameter_dict)
        if value is not None:
            update_parameter(parameter, value, strict_load)
            param_not_load.remove(name)


def _by_suffix(name: str, parameter_dict: dict[str, Any]) -> Parameter | None:
    for key, value in parameter_dict.items():
        if key.endswith(name) and isinstance(value, Parameter):
            _log.warning("`load_param_into_net`: parameter %r is loaded from %r", name, key)
            return value
    return None


def _convert_value(parameter: Parameter, value: Parameter, strict: bool) -> Any:
    """Return the array of a value in the shape and dtype of a Parameter, and on its devices."""
    what = f"`load_param_into_net`: {parameter.name!r}"
    former = look(parameter)
    array, dtype = value.array, former.dtype
    if array.shape != parameter.shape:
        if (array.shape, parameter.shape) == ((1,), ()):
            array = array.reshape(())
        elif array.shape != held_shape(parameter):
            raise RuntimeError(
                f"{what} must have shape {parameter.shape}. Received: {array.shape} in the checkpoint.{_of_a_part()}"
            )
    if array.dtype == dtype:
        return spread_like(former, array)
    alike = any(
        jnp.issubdtype(array.dtype, k) and jnp.issubdtype(dtype, k) for k in (jnp.floating, jnp.signedinteger)
    )
    if strict or not alike:
        raise RuntimeError(
            f"{what} must have dtype {parameter.dtype}. Received: {value.dtype} in the checkpoint."
        )
    return spread_like(former, array.astype(dtype))


def _of_a_part() -> str:
    if world.size == 1:
        return ""
    return (
        " If it is a part, of a checkpoint with integrated_save=False, the network must have been compiled before "
        "(`Model.infer_train_layout`), so that it is known which."
    )


def load_checkpoint_async(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
) -> Future:
    """:func:`load_checkpoint` in a thread.

    Returns:
        An object whose `result()` waits for and gives what `load_checkpoint` returns, or raises what it raises.

    Examples:
        >>> import os, tempfile
        >>> import msjax as ms
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.ckpt")
        ...     ms.save_checkpoint([ms.Parameter(ms.Tensor(1.0), name="p")], path)
        ...     print(list(ms.load_checkpoint_async(path).result()))
        ['p']
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="load_checkpoint")
    options = {
        "filter_prefix": filter_prefix,
        "specify_prefix": specify_prefix,
        "choice_func": choice_func,
        "dec_key": dec_key,
        "dec_mode": dec_mode,
        "format": "safetensors" if str(ckpt_file_name).endswith(".safetensors") else "ckpt",
    }
    future = pool.submit(load_checkpoint, ckpt_file_name, net, strict_load, **options)
    pool.shutdown(wait=False)
    return future
