"""`parallel._ps_context`: the settings of a parameter server, and questions about it. There is none here."""

from typing import Any

from msjax.config.parallel_context import get_ps_context, reset_ps_context, set_ps_context


def _get_ps_context(attr_key: str) -> Any:
    return get_ps_context(attr_key)


def _set_ps_context(**kwargs: Any) -> None:
    set_ps_context(**kwargs)


def _reset_ps_context() -> None:
    reset_ps_context()


def _is_role_worker() -> bool:
    """Return True if this process is a worker of a parameter server.

    Examples:
        >>> from msjax.parallel import _ps_context
        >>> _ps_context._is_role_worker(), _ps_context._is_role_sched()
        (False, False)
    """
    return False


_is_role_sched = _is_role_pserver = _is_ps_mode = _is_role_worker
