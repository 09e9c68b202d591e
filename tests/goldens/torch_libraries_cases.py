"""Questions about what libraries on top of PyTorch use of it, as small programs (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% distributions/transforms as libraries use them
D = torch.distributions
T = D.transforms
x = torch.tensor([[0.3, -1.2, 0.5], [1.0, 0.0, -0.4]])
for t in (
    T.AffineTransform(1.0, 2.0, event_dim=1),
    T.StickBreakingTransform(),
    T.CorrCholeskyTransform(),
    T.TanhTransform().inv,
    T.SoftmaxTransform(),
):
    show(str(t), t.domain.event_dim, t.codomain.event_dim, str(t.bijective), tuple(t.forward_shape((2, 3))))
chain = T.ComposeTransform(
    [
        T.ExpTransform(),
        T.AffineTransform(0.5, torch.tensor([1.0, 2.0, 3.0]), event_dim=1),
        T.StickBreakingTransform(),
    ]
)
show(
    chain.domain.event_dim,
    chain.codomain.event_dim,
    chain(x),
    chain.log_abs_det_jacobian(x, chain(x)),
    chain.inv(chain(x)),
)
show(
    str(T.ExpTransform() == T.ExpTransform()),
    str(T.ExpTransform() == T.TanhTransform()),
    str(T.AffineTransform(1.0, 2.0) == T.AffineTransform(1.0, 2.0)),
    str(T.ExpTransform().inv.inv == T.ExpTransform()),
)
t = T.TanhTransform(cache_size=1)
y = t(x)
show(
    str(t.inv(y) is x),
    str(t(x) is y),
    str(T.TanhTransform().with_cache()(x) is x),
    str(chain),
    str(t.inv.inv is t),
)
attempt(lambda: T.TanhTransform(cache_size=2))
attempt(lambda: T.CorrCholeskyTransform().event_dim)
attempt(lambda: T.StickBreakingTransform().sign)
d = D.TransformedDistribution(D.Normal(torch.zeros(1), 1.0), [T.AffineTransform(torch.zeros(2, 3), 2.0)])
show(tuple(d.batch_shape), tuple(d.event_shape), d.log_prob(x))
d = D.TransformedDistribution(D.Normal(torch.zeros(2, 3), 1.0), [T.StickBreakingTransform()])
show(
    tuple(d.batch_shape),
    tuple(d.event_shape),
    d.log_prob(torch.softmax(torch.cat([x, x[:, :1]], 1), 1)),
    d.support.event_dim,
)
attempt(lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [T.StickBreakingTransform()]))


# %% distributions/written by the program
D = torch.distributions


class Shifted(D.Distribution):
    arg_constraints = {"loc": D.constraints.dependent, "rate": D.constraints.positive}

    def __init__(self, loc, rate, validate_args=None):
        self.loc, self.rate = D.utils.broadcast_all(loc, rate)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @D.constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return D.constraints.greater_than_eq(self.loc)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Shifted, _instance)
        new.loc, new.rate = self.loc.expand(batch_shape), self.rate.expand(batch_shape)
        super(Shifted, new).__init__(batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * (value - self.loc)


class Twice(Shifted):
    def __init__(self, rate):
        super().__init__(0.0, rate)


d = Shifted(torch.tensor([1.0, 2.0]), 0.5)
show(
    tuple(d.expand((3, 2)).batch_shape),
    d.expand((3, 2)).log_prob(torch.tensor(2.5)),
    D.Independent(d, 1).log_prob(torch.tensor([2.5, 3.5])),
)
attempt(lambda: d.log_prob(torch.tensor(0.0)))
attempt(lambda: Twice(torch.ones(2)).expand((3, 2)))
show(
    str(D.Distribution._validate_args),
    D.utils._sum_rightmost(torch.ones(2, 3), 1),
    str(D.constraints.is_dependent(Shifted.arg_constraints["loc"])),
)


class Scaled(D.transforms.Transform, torch.nn.Module):
    __hash__ = torch.nn.Module.__hash__
    domain = codomain = D.constraints.real_vector
    bijective = True

    def __init__(self):
        super().__init__(cache_size=1)
        self.scale = torch.nn.Parameter(torch.tensor([1.0, 2.0]))

    def _call(self, x):
        return x * self.scale

    def _inverse(self, y):
        return y / self.scale

    def log_abs_det_jacobian(self, x, y):
        return self.scale.log().sum().expand(x.shape[:-1])


t = Scaled()
d = D.TransformedDistribution(D.Normal(torch.zeros(3, 2), 1.0), [t])
d.log_prob(torch.ones(3, 2)).sum().backward()
show([name for name, _ in t.named_parameters()], t.scale.grad, tuple(d.batch_shape), tuple(d.event_shape))

# %% package/inner modules that libraries import
from torch._utils import _flatten_dense_tensors, _take_tensors, _unflatten_dense_tensors
from torch.utils import _pytree
from torch.utils._contextlib import _DecoratorContextManager
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype
from torch.utils.weak import WeakIdKeyDictionary, WeakTensorKeyDictionary
import functorch

parts = [torch.ones(2, 2), torch.zeros(3)]
flat = _flatten_dense_tensors(parts)
show(
    flat,
    [tuple(p.shape) for p in _unflatten_dense_tensors(flat, parts)],
    [len(g) for g in _take_tensors([*parts, torch.ones(9)], 30)],
)
table = WeakIdKeyDictionary()
table[parts[0]] = 1
table[parts[1]] = 2
show(len(table), table[parts[0]], str(torch.ones(2, 2) in table), table.get(torch.zeros(3)))
del parts[1]
show(len(table), [v for _, v in WeakTensorKeyDictionary({flat: 3}).items()])
leaves, spec = _pytree.tree_flatten_with_path({"a": [1, 2], "b": (3,)})
show(
    [(_pytree.keystr(path), leaf) for path, leaf in leaves],
    _pytree.tree_map_with_path(lambda p, v: len(p) * v, {"a": [1, 2], "b": 3}),
    str(_pytree.tree_is_leaf(1)),
    str(_pytree.tree_is_leaf([])),
)


class Doubled(_DecoratorContextManager):
    def __enter__(self):
        show("in")

    def __exit__(self, *error):
        show("out")


Doubled()(lambda: show("inside"))()
net = torch.nn.Linear(2, 1)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[1.0, 2.0]]))
    net.bias.zero_()
f, parameters = functorch.make_functional(net)
show(
    f([p + 1 for p in parameters], torch.ones(1, 2)),
    functorch.grad(lambda x: (x**2).sum())(torch.tensor([1.0, 2.0])),
)
f, parameters, buffers = functorch.combine_state_for_ensemble([net, net])
show(
    [tuple(p.shape) for p in parameters],
    len(buffers),
    functorch.vmap(f, in_dims=(0, 0, None))(parameters, buffers, torch.ones(1, 2)).flatten(),
)
state = {"module.weight": 1, "module.bias": 2, "other": 3}
torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
show(state)
with torch.nn.utils.stateless._reparametrize_module(
    net, {"weight": torch.zeros(1, 2), "bias": torch.ones(1)}
):
    show(net(torch.ones(1, 2)))
show(net(torch.ones(1, 2)))
future = torch.futures.Future()
then = future.then(lambda f: f.wait() + 1)
future.set_result(3)
show(
    then.wait(),
    str(future.done()),
    torch.futures.wait_all([future, then]),
    [f.value() for f in torch.futures.collect_all([future]).wait()],
)
with torch._tensor_str.printoptions(precision=2):
    show(str(torch.tensor([1.23456])))
show(str(torch.tensor([1.23456])))
for kind in (
    torch.OutOfMemoryError,
    torch.cuda.OutOfMemoryError,
    torch.jit.TracerWarning,
    torch.onnx.OnnxExporterError,
    torch.serialization.SourceChangeWarning,
):
    show([base.__name__ for base in kind.__mro__[:2]])
show(
    str(torch.cuda._initialized),
    str(isinstance(torch.nn.AvgPool2d(2), torch.nn.modules.pooling._AvgPoolNd)),
    str(isinstance(torch.nn.MaxPool2d(2), torch.nn.modules.pooling._AvgPoolNd)),
    str(issubclass(torch.nn.ConvTranspose1d, torch.nn.modules.conv._ConvTransposeNd)),
)
a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
handle = torch.autograd.graph.register_multi_grad_hook(
    [a, b], lambda grads: show([tuple(g.shape) for g in grads])
)
(a.sum() * b.sum()).backward()
handle.remove()
(a.sum() * b.sum()).backward()
by_dtype = _group_tensors_by_device_and_dtype(
    [
        [torch.ones(1), torch.ones(1, dtype=torch.float64)],
        [torch.ones(2), torch.ones(2, dtype=torch.float64)],
    ],
    True,
)
show(
    sorted(
        (str(kind), len(lists), [tuple(t.shape) for t in lists[1]], places)
        for (_, kind), (lists, places) in by_dtype.items()
    )
)

# %% optimizers/printed
p = [torch.nn.Parameter(torch.ones(2)) for _ in range(2)]
show(
    str(torch.optim.SGD([{"params": p[:1], "lr": 0.1}, {"params": p[1:]}], lr=1.0, momentum=0.9)),
    str(torch.optim.Adadelta(p)),
)

# %% package/names that libraries compare
show(torch.__name__, str(torch.Tensor), str(torch.Size), str(torch.device), torch.Tensor.__module__, str(torch.nn.Parameter(torch.ones(1))))
show(torch.ones(1).__class__.__module__.split(".")[0], str(torch.ones(2)))

# %% distributions/divergence of independent ones
D = torch.distributions
show(D.kl_divergence(D.Independent(D.Normal(torch.zeros(2), 1.0), 1), D.Independent(D.Normal(torch.ones(2), 2.0), 1)))
