"""`boost`: plans and training steps as MindSpore has them, and what must fail."""

import json
from pathlib import Path

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, boost, nn, ops
from tests.goldens import boost_cases

RECORDED = json.loads((Path(boost_cases.__file__).parent / "boost.json").read_text())
NAMES = boost_cases.prelude(ms, boost)


def check(found, wanted):
    if isinstance(wanted, list) and len(wanted) and not isinstance(wanted[0], str | dict):
        assert len(found) == len(wanted)
        for each, other in zip(found, wanted, strict=True):
            check(each, other)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    else:
        assert found == wanted


@pytest.mark.parametrize("case", RECORDED)
def test_as_mindspore(case):
    check(eval(boost_cases.CASES[case], dict(NAMES)), RECORDED[case])


def test_frozen_steps_compiled():
    check(NAMES["trained"](True, [0, 1, 1, 0], nn.Momentum), RECORDED["freeze"])


def test_group_loss_scale():
    manager = boost.GroupLossScaleManager(4.0, [])
    with pytest.raises(RuntimeError, match="set_loss_scale_status"):
        manager(Tensor(1.0), 0, 1)
    manager.set_loss_scale_status(2, 4.0)
    manager.update_loss_scale_status(0, 0.5)
    for wrap in (lambda f: f, ms.jit):
        assert float(wrap(ms.grad(lambda x: manager(x, 1, 2) * 3))(Tensor(2.0))) == 1.5
    assert manager.get_loss_scale() == 4.0
    assert manager.get_update_cell() is manager


def test_a_scaled_step():
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    step = boost.BoostTrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.5), Tensor([8.0]))
    loss, overflow, scale = step(Tensor([[1.0, 2.0]]))
    assert (float(loss), bool(overflow), float(scale)) == (3.0, False, 8.0)
    assert net.weight.asnumpy().tolist() == [[0.5, 0.0]]


def test_an_optimizer_within_lars():
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    lars = nn.LARS(nn.Momentum(net.trainable_params(), 0.1, 0.9), epsilon=1e-5)
    made = boost.FreezeOpt(lars)
    assert made.is_lars
    assert [type(opt) for opt in made.opts] == [nn.LARS]


def test_what_must_fail():
    weight = nn.Dense(2, 1).trainable_params()
    opt = nn.SGD(weight, 0.1)
    with pytest.raises(TypeError, match="`opt` must be an optimizer"):
        boost.FreezeOpt(ops.add)
    with pytest.raises(ValueError, match="train_parameter_groups"):
        boost.FreezeOpt(opt, train_strategy=[0])
    with pytest.raises(TypeError, match="train_parameter_groups"):
        boost.FreezeOpt(opt, {})
    with pytest.raises(TypeError, match="every element"):
        boost.FreezeOpt(opt, [weight[0]])
    with pytest.raises(ValueError, match="hold ints"):
        boost.FreezeOpt(opt, [weight], [0.5])
    with pytest.raises(ValueError, match="one dimension"):
        boost.FreezeOpt(opt, [weight], Tensor([0.5]))
    with pytest.raises(TypeError, match="train_strategy"):
        boost.FreezeOpt(opt, [weight], 3)
    with pytest.raises(ValueError, match="0 or 1"):
        boost.GradientFreeze(2, 2, 0.5, 3).generate_freeze_index_sequence(2, 2, 0.5, 3)
    with pytest.raises(ValueError, match="empty"):
        boost.ParameterProcess.generate_group_params(weight, [])
    with pytest.raises(TypeError, match="Parameters or dicts"):
        boost.ParameterProcess.generate_group_params(weight, [1])
    with pytest.raises(NotImplementedError, match="FreezeOpt"):
        boost.BoostTrainOneStepWithLossScaleCell(nn.Dense(2, 1), boost.FreezeOpt(opt), Tensor(1.0))
    with pytest.raises(NotImplementedError, match="one process"):
        boost.freeze_cell(True, nn.Dense(2, 1), boost.FreezeOpt(opt), 1.0, None, False, True, 8)
