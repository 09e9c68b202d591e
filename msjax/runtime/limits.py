"""Settings of MindSpore's own runtime. XLA has its own, so most are checked, kept and without effect."""

from typing import Any

import jax

from msjax.hal.stream import Stream
from msjax.ops.common.docstrings import documented_by

_limits: dict[Any, dict[str, int]] = {}


def _int(fn: str, low: int, **values: Any) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"`{fn}`: argument `{name}` must be an int. Received: {name}={value!r}.")
        if value < low:
            raise ValueError(f"`{fn}`: argument `{name}` must be at least {low}. Received: {name}={value}.")


def _kind(fn: str, kind: type, **values: Any) -> None:
    for name, value in values.items():
        if not isinstance(value, kind):
            raise TypeError(
                f"`{fn}`: argument `{name}` must be a {kind.__name__}. Received: {name}={value!r}."
            )


def launch_blocking() -> None:
    """Wait for each operator before the next one is dispatched, so that errors appear where they arise.

    It has to be called before the first operator runs.

    Examples:
        >>> import jax
        >>> import msjax as ms
        >>> ms.runtime.launch_blocking()
        >>> jax.config.update("jax_cpu_enable_async_dispatch", True)  # as before
    """
    jax.config.update("jax_cpu_enable_async_dispatch", False)


def dispatch_threads_num(threads_num: int) -> None:
    """Set the number of threads that dispatch operators. Without effect: XLA decides.

    Args:
        threads_num: at least 1.

    Raises:
        TypeError: if it is not an int.
        ValueError: if it is less than 1.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.dispatch_threads_num(4)
    """
    _int("dispatch_threads_num", 1, threads_num=threads_num)


def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Set how kernels are dispatched in groups. Without effect: XLA decides.

    Args:
        thread_num: at least 1.
        kernel_group_num: at least 1.

    Raises:
        TypeError: if an argument is not an int.
        ValueError: if it is less than 1.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.set_kernel_launch_group()
    """
    _int("set_kernel_launch_group", 1, thread_num=thread_num, kernel_group_num=kernel_group_num)


def set_kernel_launch_capture(enable_capture_graph: bool, op_capture_skip: list[str] | None = None) -> None:
    """Enable capture of kernels as graphs. Without effect: XLA decides.

    Args:
        enable_capture_graph: whether.
        op_capture_skip: names of operators that are not.

    Raises:
        TypeError: if an argument is none of these.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.set_kernel_launch_capture(True, ["matmul"])
    """
    _kind("set_kernel_launch_capture", bool, enable_capture_graph=enable_capture_graph)
    if op_capture_skip is not None:
        _kind("set_kernel_launch_capture", list, op_capture_skip=op_capture_skip)


def set_cpu_affinity(
    enable_affinity: bool,
    affinity_cpu_list: Any = None,
    module_to_cpu_dict: Any = None,
    bind_file: Any = None,
) -> None:
    """Bind threads to CPU cores. Without effect: use the operating system's `taskset`.

    Args:
        enable_affinity: whether to bind threads.
        affinity_cpu_list: the cores.
        module_to_cpu_dict: the cores of each part.
        bind_file: a file that says so.

    Raises:
        TypeError: if `enable_affinity` is not a bool.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.set_cpu_affinity(False)
    """
    _kind("set_cpu_affinity", bool, enable_affinity=enable_affinity)


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Sizes of MindSpore's memory pool. Without effect: XLA's is set by the variable XLA_PYTHON_CLIENT_MEM_FRACTION.

    Args:
        init_size: such as "2GB".
        increase_size: such as "2GB".
        max_size: such as "1024GB".
        optimize_level: "O0" or "O1".
        huge_page_reserve_size: such as "0GB".

    Raises:
        TypeError: if an argument is not a string.
        ValueError: if `optimize_level` is none of these, or a size does not end with GB.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.set_memory("10GB")
    """
    sizes = {"init_size": init_size, "increase_size": increase_size, "max_size": max_size}
    sizes["huge_page_reserve_size"] = huge_page_reserve_size
    _kind("set_memory", str, optimize_level=optimize_level, **sizes)
    for name, size in sizes.items():
        if not size.endswith("GB") or not size[:-2].replace(".", "", 1).isdigit():
            raise ValueError(
                f'`set_memory`: argument `{name}` must be such as "2GB". Received: {name}={size!r}.'
            )
    if optimize_level not in ("O0", "O1"):
        raise ValueError(
            f"`set_memory`: argument `optimize_level` must be 'O0' or 'O1'. Received: {optimize_level!r}."
        )


def _set_limit(fn: str, of: Any, cube_num: int, vector_num: int) -> None:
    for name, value in (("cube_num", cube_num), ("vector_num", vector_num)):
        _int(fn, -1, **{name: value})
    _limits[of] = {"cube_core_num": cube_num, "vector_core_num": vector_num}


def set_device_limit(device: int, cube_num: int = -1, vector_num: int = -1) -> None:
    """Limit the number of an Ascend device's cores. Kept, and without effect.

    Args:
        device: its number.
        cube_num: -1 for all.
        vector_num: -1 for all.

    Raises:
        TypeError: if an argument is not an int.
        ValueError: if `device` is negative or another less than -1.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.set_device_limit(0, 8, 8)
    """
    _int("set_device_limit", 0, device=device)
    _set_limit("set_device_limit", device, cube_num, vector_num)


def get_device_limit(device: int) -> dict[str, int]:
    """Return the limits that :func:`set_device_limit` recorded.

    Args:
        device: its number.

    Raises:
        TypeError: if it is not an int.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.get_device_limit(7)
        {'cube_core_num': -1, 'vector_core_num': -1}
    """
    _int("get_device_limit", 0, device=device)
    return dict(_limits.get(device, {"cube_core_num": -1, "vector_core_num": -1}))


def set_stream_limit(stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
    """Limit the number of an Ascend device's cores for a stream. Kept, and without effect.

    Args:
        stream: the stream.
        cube_num: -1 for all.
        vector_num: -1 for all.

    Raises:
        TypeError: if an argument is none of these.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.set_stream_limit(ms.runtime.Stream(), 8, 8)
    """
    _kind("set_stream_limit", Stream, stream=stream)
    _set_limit("set_stream_limit", stream, cube_num, vector_num)


def get_stream_limit(stream: Stream) -> dict[str, int]:
    """Return the limits that :func:`set_stream_limit` recorded.

    Args:
        stream: the stream.

    Raises:
        TypeError: if it is not a Stream.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.get_stream_limit(ms.runtime.Stream())
        {'cube_core_num': -1, 'vector_core_num': -1}
    """
    _kind("get_stream_limit", Stream, stream=stream)
    return dict(_limits.get(stream, {"cube_core_num": -1, "vector_core_num": -1}))


@documented_by(get_stream_limit)
def reset_stream_limit(stream: Stream) -> None:
    """Forget what :func:`set_stream_limit` kept.

    Examples:
        >>> import msjax as ms
        >>> ms.runtime.reset_stream_limit(ms.runtime.Stream())
    """
    _kind("reset_stream_limit", Stream, stream=stream)
    _limits.pop(stream, None)


class StreamLimitCtx:
    """Within a `with` block, limits of a stream (see :func:`set_stream_limit`).

    Args:
        stream: the stream.
        cube_num: -1 for all.
        vector_num: -1 for all.

    Examples:
        >>> import msjax as ms
        >>> with ms.runtime.StreamLimitCtx(ms.runtime.Stream(), 8, 8):
        ...     pass
    """

    def __init__(self, stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
        _kind("StreamLimitCtx", Stream, stream=stream)
        self.stream, self.cube_num, self.vector_num = stream, cube_num, vector_num

    def __enter__(self) -> None:
        self._before = get_stream_limit(self.stream)
        set_stream_limit(self.stream, self.cube_num, self.vector_num)

    def __exit__(self, *error: object) -> None:
        set_stream_limit(self.stream, *self._before.values())
