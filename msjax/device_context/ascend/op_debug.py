"""Debugging of operators on Ascend."""

from msjax.device_context._settings import without_effect

execute_timeout = without_effect(
    "ascend.op_debug.execute_timeout",
    "Set the time limit of an operator in seconds.",
    "op_timeout",
    int,
    (),
    100,
)
debug_option = without_effect(
    "ascend.op_debug.debug_option", "Set the kind of check.", "option_value", str, ("oom",), "oom"
)
aclinit_config = without_effect(
    "ascend.op_debug.aclinit_config", "Set the configuration of the device's driver.", "config", dict, (), {}
)
