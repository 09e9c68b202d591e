"""State dicts of optimizers and learning-rate schedules: functions that `msjax port` writes into a program."""

_OPTIMIZER_STATE = '''

def own_parameters(optimizer):
    """Return the Parameters of an optimizer that are no weights: its moments, rates and counts."""
    weights = {id(weight) for weight in optimizer.parameters}
    return [parameter for parameter in optimizer.get_parameters() if id(parameter) not in weights]


def state_of_optimizer(optimizer):
    """Return the values of an optimizer's own Parameters, its state, and the options of its groups."""
    skipped = ("params", "lr")
    groups = [{key: each for key, each in group.items() if key not in skipped} for group in optimizer.param_groups]
    rates = [float(group["lr"]) for group in optimizer.param_groups]
    own = [parameter.asnumpy().copy() for parameter in own_parameters(optimizer)]
    state = [dict(optimizer.state.get(weight, {})) for weight in optimizer.parameters]
    return {"own": own, "state": state, "rates": rates, "groups": groups}


def load_optimizer(optimizer, state):
    """Let an optimizer remember what `state_of_optimizer` gave."""
    for parameter, value in zip(own_parameters(optimizer), state["own"]):
        ops.assign(parameter, ms.Tensor(value, parameter.dtype))
    for weight, kept in zip(optimizer.parameters, state["state"]):
        if kept:
            optimizer.state[weight] = dict(kept)
    for group, rate, options in zip(optimizer.param_groups, state["rates"], state["groups"]):
        group.update(options)
        if isinstance(group["lr"], ms.Parameter):
            ops.assign(group["lr"], ms.Tensor(rate, ms.float32))
        else:
            group["lr"] = rate
'''
_SCHEDULE = '''

def state_of_schedule(schedule):
    """The numbers that say where a schedule is."""

    def number(value):
        return value.asnumpy().item() if isinstance(value, ms.Tensor) else value

    state = {}
    for name, value in vars(schedule).items():
        parts = value if isinstance(value, list) else [value]
        if name != "_last_lr" and all(isinstance(part, (ms.Tensor, int, float, str)) for part in parts):
            state[name] = list(map(number, value)) if isinstance(value, list) else number(value)
    return state


def load_schedule(schedule, state):
    """Continue where a schedule was; the optimizer's state has the rates."""
    for name, value in state.items():
        now = vars(schedule).get(name)
        if isinstance(now, ms.Parameter):
            now.set_data(ms.Tensor(value, now.dtype))
        elif isinstance(now, ms.Tensor):
            setattr(schedule, name, ms.Tensor(value, now.dtype))
        elif isinstance(now, list):
            setattr(schedule, name, [ms.Tensor(v, n.dtype) if isinstance(n, ms.Tensor) else v for v, n in zip(value, now)])
        else:
            setattr(schedule, name, value)
'''

TEXTS = {
    "state_of_schedule": _SCHEDULE,
    "state_of_optimizer": _OPTIMIZER_STATE,
}
MORE = ("load_schedule", "own_parameters", "load_optimizer")  # what comes with those
