# ruff: noqa
# %% events/train
m = model()
seen = Seen()
m.train(2, data(), callbacks=[seen])
print(seen.log)

# %% events/eval
m = model({"mae", "mse"})
seen = Seen()
show(sorted(m.eval(data(), callbacks=seen).items()))
print(seen.log)

# %% events/fit
m = model({"mae"})
seen = Seen()
m.fit(2, data(), data(), callbacks=[seen])
print(seen.log)

# %% events/fit every second epoch, and in a list
m = model({"mae"})
for frequency in (2, [1, 3]):
    seen = Seen()
    m.fit(4, data(), data(), frequency, callbacks=[seen])
    print([entry for entry in seen.log if entry[0] == "on_eval_begin"])

# %% events/stopped
class Stop(Callback):
    def on_train_step_end(self, run_context):
        run_context.request_stop()

seen = Seen()
model().train(3, data(), callbacks=[Stop(), seen])
print(seen.log)

# %% events/begun later
seen = Seen()
model().train(3, data(), callbacks=[seen], initial_epoch=1)
print(seen.log)

# %% events/older names
class Old(Callback):
    def begin(self, run_context):
        print("begin")
    def epoch_begin(self, run_context):
        print("epoch_begin", run_context.original_args().cur_epoch_num)
    def step_end(self, run_context):
        now = run_context.original_args()
        print("step_end", now.cur_step_num, now["batch_num"], now.get("nothing"))
        attempt(lambda: now.nothing)
    def end(self, run_context):
        print("end")

m = model({"mae"})
m.train(1, data(), callbacks=Old())
m.eval(data(), callbacks=Old())

# %% loss monitor
m = model({"mae"})
m.train(2, data(), callbacks=LossMonitor())
m.train(2, data(), callbacks=LossMonitor(2))
m.train(2, data(), callbacks=LossMonitor(5))
m.train(1, data(), callbacks=LossMonitor(0))
m.fit(2, data(), data(), callbacks=LossMonitor(3))

# %% loss monitor/not finite
class Nan(nn.Cell):
    def construct(self, a, b):
        return (a - b).sum() * float("nan")

net = Net()
m = Model(net, Nan(), nn.SGD(net.trainable_params(), 0.0))
attempt(lambda: m.train(1, data(), callbacks=LossMonitor()))

# %% history
h = History()
m = model({"mae"})
m.fit(2, data(), data(), callbacks=h)
show(h.epoch, sorted(h.history), [float(v) for v in h.history["net_output"]], h.history["mae"])

# %% lambda
model().train(1, data(), callbacks=LambdaCallback(
    on_train_epoch_end=lambda c: print("end", c.original_args().cur_epoch_num),
    on_train_begin=lambda c: print("begin")))

# %% learning rate scheduler
net = Net()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
rates = []

def rate(now, step):
    rates.append((round(now, 6), step))
    return now * 0.5 if step % 2 == 0 else now

Model(net, nn.MSELoss(), optimizer).train(2, data(), callbacks=[LearningRateScheduler(rate)])
print(rates)
show(optimizer.learning_rate)

# %% early stopping
m = model({"mae"})
m.fit(5, data(), data(), callbacks=EarlyStopping(patience=1, verbose=True, min_delta=100))

# %% early stopping/best weights
net = Net()
m = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
m.train(1, data())
before = net.weight.asnumpy().copy()
m.train(4, data(), callbacks=EarlyStopping(
    monitor="loss", patience=2, verbose=True, min_delta=100, restore_best_weights=True))
show(net.weight)

# %% early stopping/of a metric that grows
m = model({"mae"})
m.fit(3, data(), data(), callbacks=EarlyStopping(monitor="mae", mode="max", patience=2, verbose=True))

# %% early stopping/baseline
m = model({"mae"})
m.fit(5, data(), data(), callbacks=EarlyStopping(monitor="mae", patience=2, verbose=True, baseline=0.001))

# %% reduce rate
net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
m = Model(net, nn.MSELoss(), optimizer, metrics={"mae"})
m.fit(5, data(), data(), callbacks=ReduceLROnPlateau(patience=1, verbose=True, min_delta=100, factor=0.5))
show(optimizer.learning_rate)

# %% reduce rate/cooldown and least
net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
m = Model(net, nn.MSELoss(), optimizer)
m.train(7, data(), callbacks=ReduceLROnPlateau(
    monitor="loss", patience=1, verbose=True, min_delta=100, factor=0.5, cooldown=1, min_lr=0.03))
show(optimizer.learning_rate)

# %% checkpoints/steps
config = CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=2)
m = model()
for _ in range(2):
    saved = ModelCheckpoint(prefix="a", directory=folder, config=config)
    m.train(2, data(), callbacks=saved)
    print(sorted(os.listdir(folder)), os.path.basename(saved.latest_ckpt_file_name))
show(sorted(ms.load_checkpoint(saved.latest_ckpt_file_name)))

# %% checkpoints/more entries
config = CheckpointConfig(save_checkpoint_steps=100, append_info=["epoch_num", "step_num", {"lr": 0.1}])
saved = ModelCheckpoint(prefix="b", directory=folder + "/b", config=config)
model().train(2, data(), callbacks=saved)
found = ms.load_checkpoint(saved.latest_ckpt_file_name)
show(sorted(os.listdir(folder + "/b")), [found[name] for name in ("epoch_num", "step_num", "lr")])

# %% checkpoints/resume
net = Net()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
saved = ModelCheckpoint(prefix="c", directory=folder)
m = Model(net, nn.MSELoss(), optimizer)
m.train(2, data(), callbacks=saved)
m.train(3, data(), initial_epoch=2)
show(net.weight)
other = Net()
optimizer = nn.Momentum(other.trainable_params(), 0.1, 0.9)
again = Model(other, nn.MSELoss(), optimizer)
ms.load_param_into_net(again.train_network, ms.load_checkpoint(saved.latest_ckpt_file_name))
again.train(3, data(), initial_epoch=2)
show(other.weight)

# %% predict
m = model()
m.train(1, data())
show(m.predict(Tensor(X[:2])))

# %% networks
m = model({"mae"})
print(m.train_network)
print(m.eval_network)
print(m.predict_network)

# %% no loss function, no optimizer
class Loss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net()
    def construct(self, x, y):
        return ((self.net(x) - y) ** 2).mean()

net = Loss()
Model(net, optimizer=nn.SGD(net.trainable_params(), 0.1)).train(1, data(), callbacks=LossMonitor())
Model(net).train(1, data(), callbacks=LossMonitor())

# %% eval network
net = Net()
m = Model(net, metrics={"mae", "loss"}, eval_network=nn.WithEvalCell(net, nn.MSELoss()), eval_indexes=[0, 1, 2])
show(sorted(m.eval(data()).items()))
m = Model(net, nn.MSELoss(), metrics={"a": nn.MAE(), "b": nn.Loss()})
show(sorted(m.eval(data()).items()))

# %% modes
net = Net()
m = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
show(net.training, m.train_network.training)
m.train(1, data())
show(net.training)
m.eval(data())
show(net.training)

# %% wrong
net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
loss = nn.MSELoss()
m = Model(net, loss, optimizer, metrics={"mae"})
attempt(lambda: Model(net, loss, optimizer).eval(data()))
attempt(lambda: Model("x"))
attempt(lambda: m.train("1", data()))
attempt(lambda: m.train(0, data()))
attempt(lambda: m.train(1, [1]))
attempt(lambda: m.train(1, data(), callbacks=[1]))
attempt(lambda: m.fit(1, data(), data(), valid_frequency="a"))
attempt(lambda: Model(net, loss, optimizer).fit(1, data(), data()))
attempt(lambda: Model(net, loss, optimizer, metrics={"zzz"}))
attempt(lambda: Model(net, loss, optimizer, metrics=3))
attempt(lambda: Model(net, loss, optimizer, metrics={"a": "loss"}))
attempt(lambda: Model(net, loss, optimizer, amp_level="O7"))
attempt(lambda: Model(net, loss, None, amp_level="O2"))
attempt(lambda: Model(net, None, optimizer, metrics={"acc"}))
attempt(lambda: Model(net, loss, optimizer, foo=1))
attempt(lambda: m.predict("x"))
attempt(lambda: m.train(1, data(), sink_size=0))
attempt(lambda: m.train(1, data(), initial_epoch=1))
attempt(lambda: m.train(1, data(), dataset_sink_mode=3))

# %% wrong/callbacks
attempt(lambda: LossMonitor(-1))
attempt(lambda: LossMonitor("a"))
attempt(lambda: CheckpointConfig(save_checkpoint_steps=-1))
attempt(lambda: ModelCheckpoint(prefix=3))
attempt(lambda: ModelCheckpoint(prefix="a/b"))
attempt(lambda: ModelCheckpoint(config=3))
attempt(lambda: EarlyStopping(patience=-1))
attempt(lambda: EarlyStopping(mode="x"))
attempt(lambda: EarlyStopping(monitor=1))
attempt(lambda: ReduceLROnPlateau(factor=2.0))
attempt(lambda: RunContext(3))

# %% events/sizes that callbacks are told
class Sizes(Callback):
    def on_train_step_end(self, run_context):
        now = run_context.original_args()
        print(now.cur_epoch_num, now.cur_step_num, now.batch_num, now.epoch_num)

for settings in ({}, {"initial_epoch": 1}, {"dataset_sink_mode": True, "sink_size": 2}, {"sink_size": 2}):
    model().train(2, data(), callbacks=Sizes(), **settings)
