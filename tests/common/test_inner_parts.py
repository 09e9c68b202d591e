"""Parts of MindSpore's layers and functions that networks import from its inner modules."""

import importlib

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, amp, nn, ops
from msjax._c_expression import MSContext, typing
from msjax.nn.convolution import conv
from msjax.nn.inner import inner_layers
from msjax.ops.nn import multi_head_attention
from msjax.public_api import placeholders

PROGRAM = """
from mindspore._c_expression.amp import AmpLevel, create_amp_strategy
from mindspore._c_expression.typing import BFloat, Float
from mindspore.common.api import _function_forbid_reuse
from mindspore.common.dtype import typing
from mindspore.nn.layer.container import _get_prefix_and_index, _valid_cell, _valid_index
from mindspore.nn.layer.conv import _Conv, _deconv_output_length
from mindspore.nn.layer.rnn_cells import RNNCellBase, _gru_cell, _lstm_cell, _rnn_relu_cell, _rnn_tanh_cell
from mindspore.nn.loss.loss import _Loss
from mindspore.context import _get_mode
from mindspore.log import _get_logger
from mindspore.ops.function.nn_func import _interploate_ext_make_tuple, _interpolate_ext_scale_factor_convert_size
from mindspore.train.amp import _auto_black_list, _auto_mixed_precision_rewrite
from mindspore.train.serialization import _load_dismatch_prefix_params, _update_param
from mindspore.ops.function.nn_func import _in_projection, _inner_pad, linear, multi_head_attention_forward
from mindspore.train.amp import AMP_BLACK_LIST, AMP_WHITE_LIST
from mindspore.train.callback._callback import _handle_loss, set_cur_net
from mindspore.train.model import ParallelMode
"""


def test_they_are_where_mindspore_has_them():
    met = {}
    with ms.install_as("mindspore"):
        exec(PROGRAM, met)
        assert not [name for name, value in met.items() if isinstance(value, placeholders.Missing)]
        with pytest.raises(NotImplementedError, match="auto_mixed_precision"):
            met["create_amp_strategy"](met["AmpLevel"].AmpO3, ms.float16, [], [])
    assert met["RNNCellBase"] is inner_layers.RNNCellBase
    assert met["ParallelMode"] is ms.ParallelMode
    assert MSContext.get_instance().get_ascend_soc_version() == ""


def test_kinds_of_dtypes():
    kinds = {
        kind: [
            str(d)
            for d in (ms.float16, ms.bfloat16, ms.int32, ms.bool_)
            if isinstance(d, getattr(typing, kind))
        ]
        for kind in typing.__all__
    }
    assert kinds["Float"] == ["Float16"]
    assert kinds["BFloat"] == ["BFloat16"]
    assert kinds["Type"] == kinds["Number"] == ["Float16", "BFloat16", "Int32", "Bool"]
    assert typing.Float(16) is ms.float16
    with pytest.raises(TypeError, match="Received: 7"):
        typing.Int(7)


def test_attention_is_that_of_the_layer():
    ms.set_seed(0)
    layer = nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)
    q, k = ops.randn(3, 2, 8), ops.randn(5, 2, 8)
    padding = Tensor(np.arange(10).reshape(2, 5) % 5 > 3)
    mask = Tensor(np.triu(np.ones((3, 5), bool), 3))
    output, weights = multi_head_attention.multi_head_attention_forward(
        q, k, k, 8, 2, layer.in_proj_weight, layer.in_proj_bias, layer.bias_k, layer.bias_v, True, 0.0,
        layer.out_proj.weight, layer.out_proj.bias, key_padding_mask=padding, attn_mask=mask, k_is_v=True,
    )  # fmt: skip
    expected = layer(q, k, k, key_padding_mask=padding, attn_mask=mask)
    np.testing.assert_allclose(output.asnumpy(), expected[0].asnumpy(), rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(weights.asnumpy(), expected[1].asnumpy(), rtol=2e-5, atol=1e-6)
    for fault in ((3, 2, 3), (4, 4, 4)):
        with pytest.raises(ValueError, match="must have 2 or 3 axes"):
            multi_head_attention.check_qkv_shape(*fault)
    with pytest.raises(ValueError, match=r"must have the shapes \(8, 8\)"):
        multi_head_attention.in_projection(q, k, k, *(ops.ones((8, 7)),) * 3)


def test_steps_of_recurrent_nets():
    cell = nn.LSTMCell(3, 4)
    x, state = ops.ones((2, 3)), (ops.ones((2, 4)), ops.zeros((2, 4)))
    own = inner_layers.lstm_cell(x, state, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    for a, b in zip(own, cell(x, state), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
    base = inner_layers.RNNCellBase(3, 4, False, 3)
    assert [p.shape for p in base.get_parameters()] == [(12, 3), (12, 4)]


def test_containers_and_convolutions():
    assert inner_layers.valid_index(3, -1) == 2
    with pytest.raises(IndexError, match=r"\[-3, 3\)"):
        inner_layers.valid_index(3, 3)
    with pytest.raises(TypeError, match="must be a Cell"):
        inner_layers.valid_cell(3)
    net = nn.SequentialCell(nn.Dense(1, 1))
    net._update_local_parameters_name("b.")
    assert net[0].weight.name == "b.0.weight"
    net.update_parameters_name("a.")
    assert inner_layers.prefix_and_index(net._cells) == ("a.", 1)

    class Own(conv.Convolution):
        def construct(self, x):
            return ops.conv2d(x, self.weight, pad_mode="same")

    own = Own(2, 3, (3, 3), (1, 1), "same", 0, (1, 1), 1, False, "ones", "zeros")
    assert own(ops.ones((1, 2, 4, 4))).shape == (1, 3, 4, 4)
    uneven = Own(2, 4, (3,), (1, 2), "pad", (0, 0, 1, 1), (1, 1), 2, True, None, None)
    assert (uneven.weight.shape, uneven.stride, uneven.padding) == ((4, 1, 3), (1, 2), (0, 0, 1, 1))
    with pytest.raises(ValueError, match="group"):
        Own(3, 4, (3,), (1,), "same", 0, (1,), 2, False, "ones", "zeros")
    with pytest.raises(ValueError, match="positive"):
        Own(3, 4, (3,), (0,), "same", 0, (1,), 1, False, "ones", "zeros")
    with pytest.raises(TypeError, match="padding"):
        Own(3, 4, (3,), (1,), "same", 1.5, (1,), 1, False, "ones", "zeros")
    lengths = [inner_layers.deconv_output_length(*kind, 5, 3, 2, *rest) for kind, rest in (
        ((False, True, False), (1, 0)), ((True, False, False), (1, 0)), ((False, False, True), (2, 2)))]  # fmt: skip
    assert lengths == [10, 11, 11]


def test_lists_of_mixed_precision_can_be_changed():
    from msjax.train.amp import AMP_BLACK_LIST

    AMP_BLACK_LIST.append(nn.Softmax)
    try:
        assert nn.Softmax in amp.get_black_list()
    finally:
        AMP_BLACK_LIST.remove(nn.Softmax)
    assert nn.Softmax not in amp.get_black_list()


def test_operators_that_are_generated_can_be_had_from_every_inner_module():
    with ms.install_as("mindspore"):
        from mindspore.ops.auto_generate import RepeatInterleaveInt, SplitWithSize
        from mindspore.ops.operations._inner_ops import SiLU
    x = ops.arange(6)
    assert [part.shape for part in SplitWithSize()(x, (2, 4), 0)] == [(2,), (4,)]
    assert RepeatInterleaveInt()(x, 2, 0).shape == (12,)
    np.testing.assert_allclose(SiLU()(Tensor([1.0])).asnumpy(), [0.7310586], rtol=1e-6)


def test_a_public_operator_that_is_missing_can_be_imported_from_inner_modules_too():
    with ms.install_as("mindspore"):
        from mindspore.ops.auto_generate import ReshapeAndCache

        with pytest.raises(NotImplementedError, match="ReshapeAndCache"):
            ReshapeAndCache()(ops.ones((1,)))
    with pytest.raises(NotImplementedError, match="ReshapeAndCache"):
        ops.ReshapeAndCache()(ops.ones((1,)))


def test_names_of_inner_functions_that_are_missing_can_be_imported():
    with ms.install_as("mindspore"):
        from mindspore.ops.function.math_func import _check_input_dtype

    assert isinstance(_check_input_dtype, placeholders.Missing)


def test_checkpoints_are_read_in_the_ways_that_zoos_read_them():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 1))
    given = {
        f"module.{p.name}": ms.Parameter(ops.ones(p.shape) * 3, name=p.name) for p in net.get_parameters()
    }
    waiting = [p.name for p in net.get_parameters()] + ["other"]
    with ms.install_as("mindspore"):
        from mindspore.train.serialization import _load_dismatch_prefix_params, _update_param
    _load_dismatch_prefix_params(net, given, waiting, False)
    assert waiting == ["other"]
    assert net[1].bias.asnumpy().tolist() == [3.0]
    _update_param(net[1].bias, ms.Parameter(Tensor([5.0], ms.float16)), False)
    assert net[1].bias.asnumpy().tolist() == [5.0]
    with pytest.raises(RuntimeError, match="dtype"):
        _update_param(net[1].bias, ms.Parameter(Tensor([5.0], ms.float16)), True)


def test_a_class_is_no_module():
    with ms.install_as("mindspore"):
        for name in ("mindspore.Tensor", "mindspore.nn.Cell", "mindspore.ops.Primitive"):
            with pytest.raises(ModuleNotFoundError):
                importlib.import_module(name)


def test_some_are_attributes_of_public_modules():
    assert ms.log._get_logger().name == "mindspore"
    assert ms.context._get_mode() == ms.get_context("mode")


def test_recording_can_be_switched_as_the_executor_does():
    from msjax.common.api import _pynative_executor

    _pynative_executor.set_enable_grad(False)
    try:
        assert not _pynative_executor.enable_grad()
    finally:
        _pynative_executor.set_enable_grad(True)
    assert _pynative_executor.enable_grad()
