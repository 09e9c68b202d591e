# ruff: noqa
# %% RNN
net = filled(nn.RNN(3, 4))
show(*net(X), *gradients(net, X))

# %% RNN/relu, two layers, both ways
net = filled(nn.RNN(3, 4, num_layers=2, nonlinearity="relu", bidirectional=True))
show(*net(X), *gradients(net, X))

# %% GRU
net = filled(nn.GRU(3, 4))
show(*net(X), *gradients(net, X))

# %% GRU/state, no biases, batch first
net = filled(nn.GRU(3, 4, has_bias=False, batch_first=True))
hx = Tensor(np.linspace(-1, 1, 20).reshape(1, 5, 4).astype(np.float32))
show(*net(X, hx))

# %% GRU/lengths
net = filled(nn.GRU(3, 4, num_layers=2, bidirectional=True))
show(*net(X, None, LENGTHS))

# %% LSTM
net = filled(nn.LSTM(3, 4))
out, (h, c) = net(X)
show(out, h, c, *gradients(net, X))

# %% LSTM/two layers, both ways, state
net = filled(nn.LSTM(3, 4, num_layers=2, bidirectional=True))
h = Tensor(np.linspace(-1, 1, 32).reshape(4, 2, 4).astype(np.float32))
out, (h, c) = net(X, (h, h * 0.5))
show(out, h, c)

# %% LSTM/lengths
net = filled(nn.LSTM(3, 4, bidirectional=True))
out, (h, c) = net(X, None, LENGTHS)
show(out, h, c)

# %% RNN/lengths
net = filled(nn.RNN(3, 4, bidirectional=True))
show(*net(X, None, LENGTHS))

# %% cells
for made in (lambda: nn.RNNCell(3, 4), lambda: nn.RNNCell(3, 4, nonlinearity="relu"), lambda: nn.GRUCell(3, 4)):
    net = filled(made())
    h = Tensor(np.linspace(-1, 1, 8).reshape(2, 4).astype(np.float32))
    show(net(X[0], h))
net = filled(nn.LSTMCell(3, 4))
show(*net(X[0], (h, h * 0.5)))

# %% printed and named
for net in (nn.RNN(3, 4, 2, bidirectional=True), nn.LSTM(3, 4, num_layers=2, dropout=0.1), nn.GRU(3, 4, has_bias=False),
            nn.RNN(3, 4, nonlinearity="relu"), nn.RNNCell(3, 4), nn.LSTMCell(3, 4), nn.GRUCell(3, 4, has_bias=False)):
    print(net)
    print([(p.name, p.shape, str(p.dtype)) for p in net.get_parameters()])

# %% wrong
attempt(lambda: nn.LSTM(3, 4)(X, X))
attempt(lambda: nn.LSTM(3, 4)(X[0]))
attempt(lambda: nn.LSTM("3", 4))
attempt(lambda: nn.LSTM(3, 0))
attempt(lambda: nn.LSTM(3, 4, dropout=2.0))
attempt(lambda: nn.LSTM(3, 4, dropout=1))
attempt(lambda: nn.RNN(3, 4, nonlinearity="x"))
attempt(lambda: nn.GRU(3, 4, batch_first=1))
attempt(lambda: nn.LSTM(4, 4)(X))
attempt(lambda: nn.RNNCell(3, 4)(X[0]))
