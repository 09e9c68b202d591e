"""Tuning of operators on CPUs."""

from msjax.device_context._settings import without_effect

threads_num = without_effect(
    "cpu.op_tuning.threads_num", "Set the number of threads of operators.", "num", int, (), 10
)
