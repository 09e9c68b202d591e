"""Streams and events. XLA orders work by data dependence, so a stream is only a name here.

Work is dispatched and runs in the background; to `synchronize` is to wait for it.
"""

import time
from typing import Any

import jax

from msjax.config import context


def synchronize() -> None:
    """Wait until everything dispatched is done.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.synchronize()
    """
    jax.effects_barrier()
    for array in jax.live_arrays():
        if not array.is_deleted():
            array.block_until_ready()


class Event:
    """A moment in the work of a device.

    Args:
        enable_timing: whether `elapsed_time` will be asked.
        blocking: accepted; waiting always blocks.

    Raises:
        TypeError: if an argument is not a bool.

    Examples:
        >>> import msjax as ms
        >>> start, end = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
        >>> start.record()
        >>> end.record()
        >>> start.elapsed_time(end) >= 0
        True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        for name, value in (("enable_timing", enable_timing), ("blocking", blocking)):
            if not isinstance(value, bool):
                raise TypeError(f"`Event`: argument `{name}` must be a bool. Received: {name}={value!r}.")
        self._timed = enable_timing
        self._at: float | None = None

    def record(self, stream: Any = None) -> None:
        """Record the event; with timing, once everything dispatched is done."""
        _expect_stream("record", stream, True)
        if self._timed:
            synchronize()
        self._at = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Make a stream wait for the event: XLA keeps the order anyway."""
        _expect_stream("wait", stream, True)

    def synchronize(self) -> None:
        """Wait until everything dispatched before is done."""
        synchronize()

    def query(self) -> bool:
        """Return True when everything dispatched before is done; waits for it."""
        synchronize()
        return True

    def elapsed_time(self, end_event: "Event") -> float:
        """Return the milliseconds from this event to another.

        Raises:
            TypeError: if that is no event.
            RuntimeError: if one was not recorded, or not made with `enable_timing=True`.
        """
        if not isinstance(end_event, Event):
            raise TypeError(
                f"`elapsed_time`: argument `end_event` must be an Event. Received: {end_event!r}."
            )
        if not (self._timed and end_event._timed) or self._at is None or end_event._at is None:
            raise RuntimeError(
                "`elapsed_time`: both events must be made with enable_timing=True and recorded."
            )
        return (end_event._at - self._at) * 1000


class Stream:
    """Stream: a named sequence of work. What it holds runs in the order that its results need.

    Args:
        priority: accepted without effect.
        kwargs: `stream_id`, for the streams that are always there.

    Examples:
        >>> import msjax as ms
        >>> with ms.hal.StreamCtx(ms.hal.Stream()):
        ...     print(ms.ops.ones(2))
        [1. 1.]
    """

    _made = 1

    def __init__(self, priority: int = 0, **kwargs: Any) -> None:
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError(f"`Stream`: argument `priority` must be an int. Received: priority={priority!r}.")
        unknown = set(kwargs) - {"stream_id", "stream"}
        if unknown:
            raise TypeError(f"`Stream`: there is no argument {min(unknown)!r}.")
        if "stream_id" not in kwargs:
            Stream._made += 1
        self.id: int = kwargs.get("stream_id", Stream._made)
        self.device_name, self.device_id = context.get_device(), context.get_context("device_id")

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, a new one by default."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Wait for an event: XLA keeps the order anyway."""
        if not isinstance(event, Event):
            raise TypeError(f"`wait_event`: argument `event` must be an Event. Received: {event!r}.")

    def wait_stream(self, stream: "Stream") -> None:
        """Wait for a stream: XLA keeps the order anyway."""
        _expect_stream("wait_stream", stream)

    def synchronize(self) -> None:
        """Wait until everything dispatched is done."""
        synchronize()

    def query(self) -> bool:
        """Return True when everything dispatched is done; waits for it."""
        synchronize()
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.id == other.id

    def __hash__(self) -> int:
        return hash((Stream, self.id))

    def __repr__(self) -> str:
        return f"Stream(device_name={self.device_name}, device_id:{self.device_id}, stream id:{self.id})"


def _expect_stream(fn: str, stream: Any, optional: bool = False) -> None:
    if not isinstance(stream, Stream) and not (optional and stream is None):
        raise TypeError(f"`{fn}`: argument `stream` must be a Stream. Received: stream={stream!r}.")


_current: list[Stream] = []


def default_stream() -> Stream:
    """Return the default stream.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.default_stream().id
        0
    """
    return Stream(stream_id=0)


def communication_stream() -> Stream:
    """Return the stream of communication between devices.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.communication_stream().id
        1
    """
    return Stream(stream_id=1)


def current_stream() -> Stream:
    """Return the current stream, which was set last.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.current_stream() == ms.hal.default_stream()
        True
    """
    return _current[-1] if _current else default_stream()


def set_cur_stream(stream: Stream | None) -> None:
    """Set the current stream.

    Args:
        stream: None changes nothing.

    Raises:
        TypeError: if it is not a Stream.

    Examples:
        >>> import msjax as ms
        >>> ms.hal.set_cur_stream(ms.hal.default_stream())
    """
    if stream is not None:
        _expect_stream("set_cur_stream", stream)
        _current[:] = [stream]


class StreamCtx:
    """Context manager that makes another stream the current one.

    Args:
        ctx_stream: that stream; None changes nothing.

    Raises:
        TypeError: if it is not a Stream.

    Examples:
        >>> import msjax as ms
        >>> stream = ms.hal.Stream()
        >>> with ms.hal.StreamCtx(stream):
        ...     print(ms.hal.current_stream() == stream)
        True
    """

    def __init__(self, ctx_stream: Stream | None) -> None:
        _expect_stream("StreamCtx", ctx_stream, True)
        self.stream = ctx_stream

    def __enter__(self) -> None:
        self._before = current_stream()
        set_cur_stream(self.stream)

    def __exit__(self, *error: object) -> None:
        set_cur_stream(self._before)
