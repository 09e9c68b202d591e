"""Debugging of operators on Ascend."""

from msjax.device_context._settings import without_effect

execute_timeout = without_effect(
    "ascend.op_debug.execute_timeout", "How many seconds an operator may take.", "op_timeout", int, (), 100
)
debug_option = without_effect(
    "ascend.op_debug.debug_option", "What is checked.", "option_value", str, ("oom",), "oom"
)
aclinit_config = without_effect(
    "ascend.op_debug.aclinit_config", "Settings of the device's driver.", "config", dict, (), {}
)
