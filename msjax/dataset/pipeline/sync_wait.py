"""`sync_wait`: steps that wait for the training program, so that its results can steer a transform."""

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from msjax.dataset import config
from msjax.dataset.common import checks
from msjax.dataset.common.columns import Row
from msjax.dataset.pipeline.nodes import Node
from msjax.dataset.random.generators import Run


class Wait(Node):
    """Lets some rows pass at the beginning of an epoch, and further ones when it is told to.

    Args:
        child: where the rows come from.
        name: by which it is told.
        count: how many rows pass at once.
        callback: called with what came along.
    """

    def __init__(self, child: Node, name: str, count: int, callback: Callable[[Any], Any] | None) -> None:
        super().__init__([child], child.columns)
        self.name, self.count, self.given, self.callback = name, count, count, callback
        self.disabled = False
        self._left = count
        self._told = threading.Condition()

    def rows(self, run: Run) -> Iterator[Row]:
        """Return the rows; those of a look ahead do not wait."""
        self._left = self.count
        for row in self.children[0].rows(run):
            if not run.silent:
                self._pass()
            yield row

    def _pass(self) -> None:
        with self._told:
            limit = config.get_callback_timeout()
            if not self._told.wait_for(lambda: self._left > 0 or self.disabled, limit):
                warnings.warn(
                    f"`sync_wait`: `sync_update({self.name!r})` was not called for {limit} s; rows wait no longer.",
                    stacklevel=2,
                )
                self.disabled = True
            self._left -= 1

    def update(self, count: int | None, data: Any) -> None:
        """Let further rows pass, after a call of the callback."""
        with self._told:
            self._left += self.count if count is None else count * self.count // self.given
            if self.callback is not None:
                self.callback(data)
            self._told.notify_all()

    def disable(self) -> None:
        """Let all rows pass."""
        with self._told:
            self.disabled = True
            self._told.notify_all()

    def size(self) -> int:
        """Return the number of the child's rows."""
        return self.children[0].size()


def find_waits(node: Node) -> dict[str, Wait]:
    """Return the waiting steps of a pipeline by their names."""
    found = {node.name: node} if isinstance(node, Wait) else {}
    for child in node.children:
        found |= find_waits(child)
    return found


def count_batches(node: Node, batch_size: Any) -> Node:
    """Count batches, which a step after a node makes, in place of rows."""
    if isinstance(batch_size, int):
        for each in find_waits(node).values():
            each.count *= batch_size
    return node


def add_wait(node: Node, condition_name: Any, num_batch: Any, callback: Any) -> Wait:
    """Add a waiting step after a node, with its arguments checked."""
    if not isinstance(condition_name, str):
        raise TypeError(checks.argument_error_text("sync_wait", "condition_name", "be a str", condition_name))
    checks.check_int("sync_wait", "num_batch", num_batch, 1)
    if callback is not None and not callable(callback):
        raise ValueError(checks.argument_error_text("sync_wait", "callback", "be a function", callback))
    if condition_name in find_waits(node):
        raise RuntimeError(
            checks.argument_error_text("sync_wait", "condition_name", "be a new name", condition_name)
        )
    return Wait(node, condition_name, num_batch, callback)


def release_rows(node: Node, condition_name: Any, num_batch: Any, data: Any) -> None:
    """Release rows of the waiting step with that condition name."""
    if isinstance(num_batch, bool) or (
        num_batch is not None and (not isinstance(num_batch, int) or num_batch <= 0)
    ):
        raise RuntimeError(
            checks.argument_error_text("sync_update", "num_batch", "be a positive int", num_batch)
        )
    found = find_waits(node)
    if condition_name not in found:
        rule = f"be the name of a condition: {sorted(found)}"
        raise RuntimeError(checks.argument_error_text("sync_update", "condition_name", rule, condition_name))
    found[condition_name].update(num_batch, data)
