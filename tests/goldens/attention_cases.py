# ruff: noqa
# %% attention
net = filled(nn.MultiheadAttention(4, 2))
show(*net(X, X, X), *gradients(lambda x: net(x, x, x), net, X))

# %% attention/other keys and values
net = filled(nn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True, add_zero_attn=True))
show(*net(X, K, V))

# %% attention/masks
net = filled(nn.MultiheadAttention(4, 2))
show(*net(X, X, X, PADDING, True, CAUSAL))
show(*net(X, X, X, PADDING, True, CAUSAL, False))
show(*net(X, X, X, attn_mask=ops.zeros((4, 5, 5)) + 0.5))

# %% attention/batch first, no weights
net = filled(nn.MultiheadAttention(4, 2, batch_first=True))
show(net(X, X, X, need_weights=False))

# %% attention/no batch
net = filled(nn.MultiheadAttention(4, 2))
show(*net(X[:, 0], X[:, 0], X[:, 0]))

# %% encoder layer
net = filled(nn.TransformerEncoderLayer(4, 2, 6)).set_train(False)
show(net(X), net(X, CAUSAL, PADDING), *gradients(net, net, X))

# %% encoder layer/gelu, norm first, batch first
net = filled(nn.TransformerEncoderLayer(4, 2, 6, activation="gelu", norm_first=True, batch_first=True)).set_train(False)
show(net(X))

# %% decoder layer
net = filled(nn.TransformerDecoderLayer(4, 2, 6)).set_train(False)
show(net(X[:3], X), net(X, X * 2, CAUSAL, None, None, PADDING))
net = filled(nn.TransformerDecoderLayer(4, 2, 6, norm_first=True)).set_train(False)
show(net(X[:3], X))

# %% stacks
net = filled(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 2, nn.LayerNorm((4,)))).set_train(False)
show(net(X))
net = filled(nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6), 2)).set_train(False)
show(net(X[:3], X))

# %% transformer
net = filled(nn.Transformer(4, 2, 1, 2, 6)).set_train(False)
show(net(X, X[:3]))
print(net)
print([(p.name, p.shape) for p in net.get_parameters()])

# %% printed
for net in (nn.MultiheadAttention(8, 2, kdim=4, vdim=5, add_bias_kv=True), nn.TransformerDecoderLayer(8, 2, 16)):
    print(net)
    print([(p.name, p.shape) for p in net.get_parameters()])

# %% wrong
attempt(lambda: nn.MultiheadAttention(5, 2))
attempt(lambda: nn.TransformerEncoderLayer(4, 2, activation="x"))
attempt(lambda: nn.Transformer(4, 2, 1, 1, 6)(X, X[:, :1]))
attempt(lambda: nn.Transformer(4, 2, 1, 1, 6)(X, X[:, :, :3]))
