"""`no_init_parameters`: a context for networks whose initial values do not matter, because a checkpoint is loaded."""

from collections.abc import Iterator
from contextlib import contextmanager

from msjax.core.tensor.parameter import Parameter


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Networks that are made inside of it need no starting values, because a checkpoint will be loaded.

    `Parameter.init_param` is False inside. The initializers make values nevertheless, so
    `init_parameters_data` has nothing to do afterwards.

    Examples:
        >>> import msjax as ms
        >>> with ms.nn.utils.no_init_parameters():
        ...     net = ms.nn.Dense(3, 2)
        >>> len(net.init_parameters_data())
        2
    """
    before = Parameter.init_param
    Parameter.init_param = False
    try:
        yield
    finally:
        Parameter.init_param = before
