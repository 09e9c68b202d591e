"""Status values, and components of error codes."""

from enum import Enum


class MSRStatus(Enum):
    """Status of a conversion."""

    SUCCESS = 0
    FAILED = 1

    def __str__(self) -> str:
        return f"MSRStatus.{self.name}"

    def __int__(self) -> int:
        return self.value


SUCCESS = MSRStatus.SUCCESS
FAILED = MSRStatus.FAILED
SYS_ID = 42


class LogRuntime:
    """Origin of an error: host or device."""

    RT_HOST = 1
    RT_DEVICE = 2


class ErrorCodeType:
    """Kind of a code: error or exception."""

    ERROR_CODE = 1
    EXCEPTION_CODE = 2


class ErrorLevel:
    """Severity of an error."""

    COMMON_LEVEL = 0
    SUGGESTION_LEVEL = 1
    MINOR_LEVEL = 2
    MAJOR_LEVEL = 3
    CRITICAL_LEVEL = 4
