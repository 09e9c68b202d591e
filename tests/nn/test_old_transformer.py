"""Transformers of MindSpore 1.5 to 2.7 (`nn.transformer`) against NumPy: attention, residuals, names of Parameters."""

import importlib

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, _checkparam, ops
from msjax.nn import transformer

RNG = np.random.default_rng(3)
X, D = (RNG.standard_normal((2, n, 8)).astype(np.float32) for n in (3, 4))
MASK, LATER, ALL = np.tril(np.ones((2, 3, 3))), np.tril(np.ones((2, 4, 4))), np.ones((2, 4, 3))
SIZES = {"batch_size": 2, "hidden_size": 8, "ffn_hidden_size": 16, "num_heads": 2}
LENGTHS = {"src_seq_length": 3, "tgt_seq_length": 4}
STILL = {"attention_dropout_rate": 0.0, "hidden_dropout_rate": 0.0}
HALF = {"rtol": 4e-3, "atol": 4e-3}  # a few roundings to float16, of numbers below 4


def filled(net):
    for p in net.get_parameters():
        p.set_data(Tensor((0.3 * RNG.standard_normal(p.shape)).astype(np.float32)))
    return net.set_train(False)


def arrays(net):
    return {p.name: p.asnumpy() for p in net.get_parameters()}


def norm(x, w, name):
    centred = x - x.mean(-1, keepdims=True)
    return (
        centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * w[f"{name}.gamma"]
        + w[f"{name}.beta"]
    )


def attend(q, kv, mask, w, name):
    def heads(x, dense):
        y = x @ w[f"{name}.{dense}.weight"].T + w[f"{name}.{dense}.bias"]
        return y.reshape(*x.shape[:2], 2, 4).transpose(0, 2, 1, 3)

    query, key, value = heads(q, "dense1"), heads(kv, "dense2"), heads(kv, "dense3")
    scores = query @ key.swapaxes(2, 3) / 2 - 1e4 * (1 - mask[:, None])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    merged = (weights @ value).transpose(0, 2, 1, 3).reshape(q.shape)
    return merged @ w[f"{name}.projection.weight"] + w[f"{name}.projection.bias"], (key.swapaxes(2, 3), value)


def feed(x, w):
    hidden = np.maximum(x @ w["output.mapping.weight"] + w["output.mapping.bias"], 0)
    return hidden @ w["output.projection.weight"] + w["output.projection.bias"]


def encoded(x, w, post):
    normed = x if post else norm(x, w, "layernorm1")
    attended, present = attend(normed, normed, MASK, w, "attention")
    x = (normed if post else x) + attended
    normed = norm(x, w, "layernorm2")
    y = (normed if post else x) + feed(normed, w)
    return norm(y, w, "layernorm1") if post else y, present


def decoded(x, memory, w, post):
    normed = norm(x, w, "layernorm1")
    attended, present = attend(normed, normed, LATER, w, "attention")
    x = (normed if post else x) + attended
    normed = norm(x, w, "cross_attention_layernorm")
    attended, more = attend(normed, memory, ALL, w, "cross_attention")
    x = (normed if post else x) + attended
    normed = norm(x, w, "layernorm2")
    return (normed if post else x) + feed(normed, w), present + more


def check(got, expected):
    np.testing.assert_allclose(got[0].asnumpy(), expected[0], **HALF)
    assert len(got[1]) == len(expected[1])
    for one, other in zip(got[1], expected[1], strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, **HALF)


@pytest.mark.parametrize("post", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_encoder_layer(post, compiled):
    options = {"seq_length": 3, "hidden_act": "relu", "post_layernorm_residual": post}
    net = filled(transformer.TransformerEncoderLayer(**SIZES, **STILL, **options))
    call = ms.jit(net) if compiled else net
    check(call(Tensor(X), Tensor(MASK)), encoded(X, arrays(net), post))


@pytest.mark.parametrize("post", [False, True])
def test_decoder_layer(post):
    options = {"hidden_act": "relu", "post_layernorm_residual": post}
    net = filled(transformer.TransformerDecoderLayer(**SIZES, **LENGTHS, **STILL, **options))
    check(net(Tensor(D), Tensor(LATER), Tensor(X), Tensor(ALL)), decoded(D, X, arrays(net), post))


def test_encoder_and_decoder_together():
    net = filled(transformer.Transformer(**SIZES, **LENGTHS, **STILL, encoder_layers=2, decoder_layers=1))
    y, presents, more = net(*map(Tensor, (X, MASK, D, LATER, ALL)))
    encoder, _ = net.encoder(Tensor(X), Tensor(MASK))
    np.testing.assert_array_equal(
        y.asnumpy(), net.decoder(*map(Tensor, (D, LATER)), encoder, Tensor(ALL))[0].asnumpy()
    )
    assert (y.shape, len(presents), len(more), len(more[0])) == ((2, 4, 8), 2, 1, 4)
    names = {p.name for p in net.get_parameters()}
    assert {
        "encoder.blocks.1.attention.dense1.weight",
        "decoder.blocks.0.cross_attention.projection.bias",
    } <= names
    alone = transformer.Transformer(**SIZES, **LENGTHS, encoder_layers=1, decoder_layers=0)
    assert alone(Tensor(X), Tensor(MASK))[2] is None


def test_a_function_sees_each_layer():
    seen = []

    def note(block, layer_id, layers, offset, parallel_config):
        seen.append(
            (type(block).__name__, layer_id, layers, offset, parallel_config.dp_mp_config.model_parallel)
        )

    transformer.TransformerEncoder(**SIZES, num_layers=2, seq_length=3, lambda_func=note, offset=1)
    assert seen == [("TransformerEncoderLayer", i, 2, 1, 1) for i in range(2)]


def test_masks_embeddings_and_loss():
    mask = transformer.AttentionMask(3)(Tensor([[1.0, 1.0, 0.0]]))
    np.testing.assert_array_equal(mask.asnumpy(), [[[1, 0, 0], [1, 1, 0], [0, 0, 0]]])
    embedding = transformer.VocabEmbedding(5, 4)
    rows, table = embedding(Tensor([[1, 2]]))
    np.testing.assert_array_equal(rows.asnumpy(), table.asnumpy()[[[1, 2]]])
    logits, labels, there = Tensor(X.reshape(6, 8)), Tensor(np.arange(6)), Tensor([1.0, 1, 0, 1, 1, 1])
    loss = transformer.CrossEntropyLoss()(logits, labels, there)
    each = ops.cross_entropy(logits, labels, reduction="none").asnumpy()
    np.testing.assert_allclose(loss.asnumpy(), [each[[0, 1, 3, 4, 5]].mean()], rtol=1e-5)


def test_gradients_reach_all_weights():
    net = transformer.TransformerEncoderLayer(**SIZES, **STILL, seq_length=3)
    gradients = ms.grad(lambda x: net(x, Tensor(MASK))[0].sum(), None, net.trainable_params())(Tensor(X))
    assert all(np.isfinite(g.asnumpy()).all() for g in gradients)
    assert len(gradients) == len(net.trainable_params()) == 16


@pytest.mark.parametrize("given", [{"use_past": True}, {"moe_config": transformer.MoEConfig(expert_num=2)}])
def test_what_is_refused(given):
    with pytest.raises(NotImplementedError, match="TransformerEncoderLayer"):
        transformer.TransformerEncoder(**SIZES, num_layers=1, seq_length=3, **given)


def test_what_does_not_fit():
    with pytest.raises(ValueError, match="must divide"):
        transformer.MultiHeadAttention(2, 3, 3, 8, 3)
    with pytest.raises(ValueError, match="encoder_layers"):
        transformer.Transformer(**SIZES, **LENGTHS, encoder_layers=0)
    with pytest.raises(NotImplementedError, match="expert_num=2"):
        transformer.FeedForward(8, 16, 0.0, expert_num=2)
    with pytest.raises(NotImplementedError, match="use_past"):
        transformer.MultiHeadAttention(2, 3, 3, 8, 2, use_past=True)


def test_where_older_versions_have_them():
    paths = "nn.transformer nn.transformer.transformer parallel._transformer parallel._transformer.transformer".split()
    with ms.install_as("mindspore"):
        for path in paths:
            assert (
                importlib.import_module(f"mindspore.{path}").TransformerEncoder
                is transformer.TransformerEncoder
            )
    assert ms.nn.TransformerEncoder is not transformer.TransformerEncoder


def test_checks_that_other_libraries_import():
    with ms.install_as("mindspore"):
        layers = importlib.import_module("mindspore.parallel._transformer.layers")
        config = importlib.import_module("mindspore.parallel._transformer.op_parallel_config")
        experts = importlib.import_module("mindspore.parallel._transformer.moe")
        whole = importlib.import_module("mindspore.parallel._transformer.transformer")

    class Layer:
        @layers._args_type_validator_check(
            size=_checkparam.check_positive_int,
            act=layers._valid_type_checks([str], "Layer"),
            dtype=layers._valid_value_checks([ms.float16, ms.float32], "Layer"),
        )
        def __init__(self, size, act=None, dtype=ms.float32):
            self.size = size

    assert Layer(3, act="relu", dtype=ms.float16).size == 3
    for given in ({"size": 0}, {"size": 1, "act": 3}, {"size": 1, "dtype": ms.int8}):
        with pytest.raises((TypeError, ValueError), match=[*given][-1]):
            Layer(**given)
    check = layers._LayerInputCheck
    assert check.check_shape_equal((2, 3), "x", "Layer", [[2, 3], [6]])
    assert check.check_shape_equal((6,), "x", "Layer", [6])
    assert check.check_shape_length((2, 3), "x", "Layer", [2, 3])
    assert check.check_shape_value_on_axis((2, 3), 1, "x", "Layer", 3)
    for call in (
        lambda: check.check_shape_equal((2, 4), "x", "Layer", [[2, 3], [6]]),
        lambda: check.check_shape_length((2,), "x", "Layer", 3),
        lambda: check.check_shape_value_on_axis((2, 3), 0, "x", "Layer", 3),
    ):
        with pytest.raises(ValueError, match="`x`"):
            call()
    assert layers._check_input_dtype(ms.float16, "x", [ms.float16], "Layer")
    with pytest.raises(TypeError, match="`x`"):
        layers._check_input_dtype(ms.int8, "x", [ms.float16], "Layer")
    assert layers._check_past_none_input_none(False, "x", "Layer", None, False, True)
    for wrong in ((True, "x", "Layer", None, False, True), (False, "x", "Layer", None, True, False)):
        with pytest.raises(TypeError, match="use_past"):
            layers._check_past_none_input_none(*wrong)
    assert config.default_dpmp_config.data_parallel == config.MoEParallelConfig().expert_parallel == 1
    assert config._check_config(config.default_dpmp_config) is None
    assert experts._check_moe_config(experts.default_moe_config, config.MoEParallelConfig()) is None
    assert whole._get_lambda_func()(None, 0, 0, whole.default_transformer_config, 1) is None
    with pytest.raises(NotImplementedError, match="MoE"):
        experts.MoE(8, 0.0, 16)


@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_the_dense_layer_that_other_libraries_import(transposed, bias):
    """Adapters of MindPET derive from it. Arguments as in MindSpore 1.9."""
    with ms.install_as("mindspore"):
        linear = importlib.import_module("mindspore.nn.transformer.layers")._Linear
    net = filled(
        linear(
            8,
            3,
            "normal",
            "zeros",
            bias,
            "relu",
            transposed,
            param_init_type=ms.float32,
            compute_dtype=ms.float32,
        )
    )
    found = arrays(net)
    assert list(found) == ["weight", "bias"][: 1 + bias]
    weight = found["weight"].T if transposed else found["weight"]
    wanted = np.maximum(X @ weight + (found["bias"] if bias else 0), 0)
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), wanted, rtol=1e-5, atol=1e-5)
    with pytest.raises(NotImplementedError, match="expert_num=2"):
        linear(8, 3, expert_num=2)
