"""The update rules and schedules that experimental.optim, mint.optim and torch.optim share."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import msjax as ms
from msjax import mint, torch
from msjax.experimental import optim
from msjax.experimental.optim.optimizer import _step
from msjax.optim_rules import updates

NAMES = "SGD ASGD Adadelta Adagrad Adam AdamW Adamax NAdam RAdam RMSprop Rprop".split()
SETTINGS = {
    "SGD": {"momentum": 0.9, "weight_decay": 0.1}, "Adam": {"amsgrad": True}, "AdamW": {"amsgrad": True},
    "RMSprop": {"centered": True, "momentum": 0.9}, "Adagrad": {"lr_decay": 0.1}, "Adamax": {"weight_decay": 0.1},
}  # fmt: skip
MADE = {**{n: getattr(optim, n) for n in NAMES}, "mint.Adam": mint.optim.Adam, "mint.SGD": mint.optim.SGD}
# What PyTorch 2.13 has in `state_dict()["state"][0]` after a step.
SLOTS = {
    "SGD": "momentum_buffer", "ASGD": "ax eta mu step", "Adadelta": "acc_delta square_avg step", "Adagrad": "step sum",
    "Adam": "exp_avg exp_avg_sq max_exp_avg_sq step", "AdamW": "exp_avg exp_avg_sq max_exp_avg_sq step",
    "Adamax": "exp_avg exp_inf step", "NAdam": "exp_avg exp_avg_sq mu_product step", "RAdam": "exp_avg exp_avg_sq step",
    "RMSprop": "grad_avg momentum_buffer square_avg step", "Rprop": "prev step step_size",
}  # fmt: skip


@pytest.mark.parametrize("beta", [0.9, 0.999, 1 - 2**-20, 0.0])
@pytest.mark.parametrize("t", [1, 2, 1000])
def test_bias_correction_keeps_its_digits(beta, t):
    for given in (beta, jnp.float32(beta)):
        found = updates.bias_correction(given, jnp.float32(t))
        exact = -np.expm1(t * np.log(np.float64(given))) if beta else 1.0
        # Of an array the logarithm is rounded: relative to 1 - beta its error is that of beta.
        np.testing.assert_allclose(found, exact, rtol=5e-7 if given is beta else 2e-7 / (1 - beta))


@pytest.mark.parametrize("promotion", ["standard", "strict"])
@pytest.mark.parametrize("name", MADE)
def test_programs_have_no_float64_and_promote_nothing(name, promotion):
    parameter = ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="p")
    optimizer = MADE[name]([parameter], lr=0.1, **SETTINGS.get(name.removeprefix("mint."), {}))
    slots = tuple([slot._value for slot in getattr(optimizer, n)] for n in optimizer._slots(optimizer._rule))
    step = _step(optimizer._rule, optimizer._settings())
    with jax.numpy_dtype_promotion(promotion):
        array = parameter._value
        program = jax.make_jaxpr(step)([array], [array], [jnp.float32(0.1)], jnp.int32(0), slots)
    assert "f64" not in str(program)


def steps_of_torch(name, start, gradients, dtype=None):
    parameter = torch.tensor(start).to(dtype).requires_grad_(True)
    optimizer = getattr(torch.optim, name)([parameter], lr=0.1, **SETTINGS.get(name, {}))
    for gradient in gradients:
        parameter.grad = torch.tensor(gradient).to(dtype)
        optimizer.step()
    return parameter.detach(), optimizer


@pytest.mark.parametrize("name", NAMES)
def test_slots_have_the_names_and_dtypes_of_pytorch(name):
    parameter, optimizer = steps_of_torch(name, [1.0, -2.0], [[0.5, 1.0]], torch.bfloat16)
    state = optimizer.state_dict()["state"][0]
    assert sorted(state) == SLOTS[name].split()
    for slot, value in state.items():
        assert value.dtype == (torch.bfloat16 if value.dim() else torch.float32), slot
    assert parameter.dtype == torch.bfloat16


@pytest.mark.parametrize("name", sorted({*NAMES} - {"SGD"}))
def test_a_complex_parameter_is_two_real_ones(name):
    start, gradients = [[1.0, 2.0], [0.5, -1.0]], [[[0.3, -0.4], [2.0, 1.0]], [[-0.3, 0.1], [1.0, 0.0]]]
    real, _ = steps_of_torch(name, start, gradients)
    pair = lambda rows: np.array([complex(*row) for row in rows], np.complex64)  # noqa: E731
    found, optimizer = steps_of_torch(name, pair(start), [pair(g) for g in gradients])
    np.testing.assert_allclose(found.numpy(), pair(real.numpy()), rtol=1e-6)
    assert {v.dtype for v in optimizer.state_dict()["state"][0].values() if v.dim()} == {torch.complex64}


def test_an_optimizer_of_torch_may_define_only_its_step():
    class Descent(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.5})

        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    self.state[p]["steps"] = self.state[p].get("steps", 0) + 1
                    with torch.no_grad():
                        p.sub_(p.grad * group["lr"])

    w = torch.tensor([1.0], requires_grad=True)
    optimizer = Descent([w])
    (w * w).sum().backward()
    optimizer.step()
    assert w.item() == 0.0
    assert optimizer.state[w] == {"steps": 1}
    with pytest.raises(NotImplementedError, match="must define `step`"):
        torch.optim.Optimizer([w], {"lr": 0.1}).step()


def rates(optimizer, scheduler, steps, change_at=None):
    found = []
    for i in range(steps):
        scheduler.step()
        if i == change_at:
            optimizer.param_groups[0]["lr"] = 1.0
        found.append(float(optimizer.param_groups[0]["lr"]))
    return found


def sgd_of_torch():
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.4)


def test_schedules_of_torch_go_on_from_a_rate_set_by_hand():
    optimizer = sgd_of_torch()
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    assert rates(optimizer, schedule, 4, change_at=1) == [0.4, 1.0, 1.0, 0.5]


def test_schedules_of_one_optimizer_multiply():
    optimizer = sgd_of_torch()
    torch.optim.lr_scheduler.ConstantLR(optimizer, 0.5, 9)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    assert rates(optimizer, schedule, 2) == [0.1, 0.05]


def test_a_schedule_of_torch_defines_get_lr():
    class Halving(torch.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [group["lr"] / 2 for group in self.optimizer.param_groups]

    optimizer = sgd_of_torch()
    assert rates(optimizer, Halving(optimizer), 1) == [0.1]


@pytest.mark.parametrize("make", [
    lambda s, o: s.ConstantLR(o, 2.0), lambda s, o: s.LinearLR(o, 0.0), lambda s, o: s.LinearLR(o, 0.5, 2.0),
    lambda s, o: s.CyclicLR(o, [0.1, 0.2], 0.3), lambda s, o: s.CyclicLR(o, 0.1, 0.2, mode="round"),
    lambda s, o: s.CosineAnnealingWarmRestarts(o, 0), lambda s, o: s.LambdaLR(o, [float, float]),
    lambda s, o: s.ReduceLROnPlateau(o, "least"), lambda s, o: s.ReduceLROnPlateau(o, factor=1.0),
    lambda s, o: s.SequentialLR(o, [], [1]),
])  # fmt: skip
def test_settings_out_of_range_raise_in_both(make):
    own = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=0.4, momentum=0.9)
    for schedulers, optimizer in (
        (optim.lr_scheduler, own),
        (torch.optim.lr_scheduler, torch.optim.SGD([torch.ones(1, requires_grad=True)], momentum=0.9)),
    ):
        with pytest.raises(ValueError, match="Received"):
            make(schedulers, optimizer)


def test_a_linear_schedule_may_end_at_zero():
    optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="p")], lr=1.0)
    schedule = optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=2)
    found = []
    for _ in range(4):
        schedule.step()
        found.append(float(optimizer.param_groups[0]["lr"]))
    assert found == [0.5, 0.0, 0.0, 0.0]
