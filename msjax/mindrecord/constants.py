"""What functions report, and parts of the codes of exceptions."""

from enum import Enum


class MSRStatus(Enum):
    """Whether a conversion succeeded."""

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
    """Where an error came up."""

    RT_HOST = 1
    RT_DEVICE = 2


class ErrorCodeType:
    """What a code is for."""

    ERROR_CODE = 1
    EXCEPTION_CODE = 2


class ErrorLevel:
    """How grave an error is."""

    COMMON_LEVEL = 0
    SUGGESTION_LEVEL = 1
    MINOR_LEVEL = 2
    MAJOR_LEVEL = 3
    CRITICAL_LEVEL = 4
