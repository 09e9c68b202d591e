# ruff: noqa
# %% Normal
V = T([-1.0, 0.5, 30.0])
show(table(msd.Normal(1.0, [1.0, 2.0, 0.5]), V, (T(0.0), T([2.0]))))
show(table(msd.Normal(), V, (T(0.0), T([2.0])), (T(1.0), T([1.0, 2.0, 0.5]))))
show(few(msd.Normal(1.0, 2.0, dtype=ms.float16), V, (T([0.0]), T([2.0]))))
show(few(msd.Normal(T([1.0], ms.float16), T([2.0], ms.float16)), V, (T([0.0]), T([2.0]))))
show(few(msd.Normal(1.0, 2.0, dtype=ms.float64), V, (T([0.0]), T([2.0]))))

# %% Normal: derivatives
show(
    slopes(
        msd.Normal(),
        T([-1.0, 0.5]),
        (T(1.0), T([1.0, 2.0])),
        ["prob", "log_prob", "cdf", "log_survival", "sd", "entropy"],
    )
)
show(
    slopes(
        msd.Normal(),
        None,
        (T(1.0), T([1.0, 2.0])),
        ["kl_loss", "cross_entropy"],
        (T([0.0, 1.0]), T([2.0, 3.0])),
    )
)

# %% Bernoulli
V = T([0.0, 1.0, 0.5, 2.0, -1.0])
show(table(msd.Bernoulli(0.7), V, (T([0.2]),), without=["mode"]))
show(table(msd.Bernoulli(), V, (T([0.2]),), (T(0.4),), without=["mode"]))
show(msd.Bernoulli().log_prob(T([0, 1], ms.int32), T([0.3, 0.4])))
show(
    kinds(
        table(
            msd.Bernoulli(T([0.5], ms.float16)),
            V,
            (T([0.2]),),
            without=["mode", "log_cdf", "log_survival", "survival_function", "sd"],
        )
    )
)
show(msd.Bernoulli().log_prob(T([0.0, 1.0]), T([0.0, 1.0])))

# %% Bernoulli: derivatives
show(slopes(msd.Bernoulli(), T([0.0, 1.0]), (T([0.3, 0.6]),), ["log_prob", "var", "entropy"]))
show(slopes(msd.Bernoulli(), None, (T([0.3, 0.6]),), ["kl_loss"], (T([0.5, 0.1]),)))

# %% Beta
V = T([0.0, 0.25, 0.5, 1.0])
show(table(msd.Beta([2.0, 3.0, 0.5, 1.0], [3.5]), V, (T([1.0]), T([2.0]))))
show(table(msd.Beta(), V, (T([1.0]), T([2.0])), (T([2.0, 3.0, 0.5, 1.0]), T([4.0]))))

# %% Beta: derivatives
show(slopes(msd.Beta(), T([0.2, 0.6]), (T([2.0, 0.5]), T([3.0, 1.5])), ["mean", "var"]))



# %% Categorical
V = T([0.0, 1.0, 2.0, 1.5, -0.5, 3.0, -1.0])
show(table(msd.Categorical([0.2, 0.3, 0.5]), V, (T([0.1, 0.1, 0.8]),)))
P = T([[0.2, 0.8], [0.5, 0.5]])
show(table(msd.Categorical(P), T([[0, 1], [1, 1], [1, 0]], ms.int32), (T([0.1, 0.9]),)))
show(msd.Categorical().log_prob(T(1.0), P), msd.Categorical().entropy(P), msd.Categorical().kl_loss("Categorical", T([0.1, 0.9]), P))
show(msd.Categorical([0.2, 0.8]).log_prob(T(1, ms.int32)), msd.Categorical([0.2, 0.8]).cdf(T(1, ms.int32)))


d = msd.Categorical(P)
show(d.batch_shape, d.broadcast_shape, d.is_scalar_batch, msd.Categorical([0.5, 0.5]).is_scalar_batch)

# %% Categorical: derivatives
show(
    slopes(msd.Categorical(), T([0.0, 1.0]), (T([[0.3, 0.7], [0.6, 0.4]]),), ["log_prob"])[
        "log_prob"
    ][1]
)
show(slopes(msd.Categorical(), None, (T([[0.3, 0.7], [0.6, 0.4]]),), ["entropy", "mean", "var"]))

# %% Cauchy
V = T([-1.0, 0.5, 30.0])
show(table(msd.Cauchy(1.0, [1.0, 2.0, 0.5]), V, (T(0.0), T([2.0]))))
show(table(msd.Cauchy(), V, (T(0.0), T([2.0])), (T(1.0), T([1.0, 2.0, 0.5]))))

# %% Cauchy: derivatives
show(slopes(msd.Cauchy(), T([-1.0, 0.5]), (T(1.0), T([1.0, 2.0])), ["log_prob", "cdf", "log_cdf", "entropy"]))
show(slopes(msd.Cauchy(), None, (T(1.0), T([1.0, 2.0])), ["kl_loss"], (T([0.0, 1.0]), T([2.0, 3.0]))))

# %% Exponential
V = T([-1.0, 0.0, 2.0])
show(table(msd.Exponential([0.5, 1.0, 2.0]), V, (T([2.0]),)))
show(table(msd.Exponential(), V, (T([2.0]),), (T([0.5, 1.0, 3.0]),)))
show(
    slopes(
        msd.Exponential(),
        T([1.0, 0.5]),
        (T([1.0, 2.0]),),
        ["log_prob", "cdf", "log_survival", "mean", "entropy"],
    )
)

# %% Gamma
V = T([0.0, 0.5, 2.0, 30.0])
show(table(msd.Gamma([3.0, 2.0, 1.0, 0.5], [2.0]), V, (T([1.0]), T([2.0])), without=["log_survival", "survival_function"]))
show(
    table(
        msd.Gamma(),
        V,
        (T([1.0]), T([2.0])),
        (T([3.0, 0.5, 1.0, 2.0]), T([2.0])),
        without=["log_survival", "survival_function"],
    )
)



# %% Gamma: derivatives
show(slopes(msd.Gamma(), T([0.2, 3.0]), (T([2.0, 0.5]), T([3.0, 1.5])), ["log_prob", "mean", "sd", "var"]))

# %% Geometric
V = T([0.0, 1.0, 2.5, -1.0])
show(table(msd.Geometric(0.25), V, (T([0.2]),)))
show(table(msd.Geometric(), V, (T([0.2]),), (T(0.3),)))
show(slopes(msd.Geometric(), T([0.0, 2.0]), (T([0.3, 0.6]),), ["log_prob", "mean", "entropy"]))

# %% Gumbel
V = T([-1.0, 0.5, 4.0])
show(table(msd.Gumbel(0.5, 2.0), V, (T([0.0]), T([1.0]))))
show(msd.Gumbel([0.5, 1.0, 2.0], 2.0).mean(), msd.Gumbel([0.5, 1.0, 2.0], 2.0).mode(), msd.Gumbel(2.0, [0.5, 1.0]).mode())
show(few(msd.Gumbel(0.5, 2.0, dtype=ms.float16), V, (T([0.0]), T([1.0]))))
attempt(lambda: msd.Gumbel(0.0, 1.0).mean(T(0.0), T(1.0)))
show(ms.grad(lambda x: msd.Gumbel(0.5, 2.0).log_prob(x).sum())(V))
show(msd.Gumbel([0.5, 1.0], 2.0).batch_shape, msd.Gumbel([0.5, 1.0], 2.0).broadcast_shape)

# %% HalfNormal, Laplace, StudentT
V = T([-1.0, 0.0, 0.5, 3.0])
for dist in (msd.HalfNormal, msd.Laplace):
    show(table(dist(0.5, [2.0, 1.0, 0.5, 0.25]), V), table(dist(), V, (), (T(0.5), T([1.0, 2.0, 3.0, 4.0]))))

    show(slopes(dist(), T([1.0, 0.5]), (T(0.3), T([1.0, 2.0])), ["prob", "log_prob"]))
    attempt(lambda: dist(0.5, 2.0).sample((2,)))
    attempt(lambda: dist(0.5, 2.0).get_dist_type())
    attempt(lambda: dist(0.5, 2.0).get_dist_args())
show(
    table(msd.StudentT(2.0, 0.5, [2.0, 1.0, 0.5, 0.25]), V),
    table(msd.StudentT(), V, (), (T(3.0), T(0.5), T([1.0, 2.0, 3.0, 4.0]))),
)
show(slopes(msd.StudentT(), T([1.0, 0.5]), (T(3.0), T(0.3), T([1.0, 2.0])), ["log_prob"]))

# %% Logistic
V = T([-100.0, -20.0, 0.5, 2.0, 100.0])
show(table(msd.Logistic(0.5, [2.0, 1.0, 0.5, 0.25, 4.0]), V))
show(table(msd.Logistic(), V, (), (T(0.5), T([1.0, 2.0, 3.0, 4.0, 5.0]))))
show(
    slopes(
        msd.Logistic(),
        T([1.0, 0.5]),
        (T(0.3), T([1.0, 2.0])),
        ["log_prob", "cdf", "log_cdf", "survival_function", "sd"],
    )
)

# %% LogNormal
V = T([0.5, 1.0, 3.0])
show(table(msd.LogNormal(0.5, [2.0, 1.0, 0.25]), V, (T([0.0]), T([1.0]))))
show(table(msd.LogNormal(), V, (T([0.0]), T([1.0])), (T(0.5), T([1.0, 2.0, 0.5]))))
show(msd.LogNormal(0.0, 1.0).log_prob(T([-1.0, 0.0])), msd.LogNormal(0.0, 1.0).cdf(T([-1.0, 0.0])))
show(
    slopes(
        msd.LogNormal(), T([1.0, 0.5]), (T(0.3), T([1.0, 2.0])), ["log_prob", "cdf", "mean", "var", "entropy"]
    )
)
attempt(lambda: msd.LogNormal(0.0, 1.0).log_prob(T([1], ms.int32)))

# %% Poisson
V = T([-1.0, 0.0, 0.5, 2.0, 7.0])
show(table(msd.Poisson([2.5, 1.0, 0.5, 4.0, 8.0]), V))
show(table(msd.Poisson(), V, (), (T([0.5, 1.0, 2.0, 3.0, 4.0]),)))
show(msd.Poisson([2.5], dtype=ms.int32).log_prob(T([1.0, 2.9])))
show(slopes(msd.Poisson(), T([1.0, 2.0]), (T([1.0, 2.0]),), ["log_prob", "mean"])["log_prob"][1])

# %% Uniform
V = T([-1.0, 0.0, 0.5, 1.0, 2.0])
show(table(msd.Uniform(0.0, [1.0, 2.0, 0.75, 1.0, 1.5]), V, (T([-1.0]), T([2.0]))))
show(table(msd.Uniform(), V, (T([-1.0]), T([2.0])), (T(0.0), T([1.0, 2.0, 1.0, 1.0, 4.0]))))
show(
    slopes(
        msd.Uniform(),
        T([0.3, 0.5]),
        (T(0.1), T([1.0, 2.0])),
        ["prob", "log_prob", "cdf", "mean", "var", "entropy"],
    )
)

# %% TransformedDistribution
V = T([0.5, 1.0, 3.0])
for bijector in (
    msb.Exp(),
    msb.Softplus(2.0),
    msb.ScalarAffine(2.0, 1.0), msb.Invert(msb.Exp())):
    dist = bijector(msd.Normal(0.5, [1.0, 2.0, 3.0]))
    show(str(dist), table(dist, V, (T(0.0), T(1.0))), dist.sample((4,)).shape, dist.is_linear_transformation)
dist = msd.TransformedDistribution(
    msb.ScalarAffine([1.0, 2.0], 0.0), msd.Normal(0.0, 1.0), seed=3, name="mine"
)
show(dist.name, dist.seed, dist.batch_shape, dist.broadcast_shape, dist.is_scalar_batch, str(dist.dtype))
show(dist.log_prob(T([1.0, 2.0]), T(0.5), T(2.0)))
show(ms.grad(lambda x: dist.log_prob(x).sum())(T([1.0, 2.0])))
show(msb.Exp()(msd.Uniform(0.0, 1.0)).log_prob(T([0.5, 2.0, 4.0])))
attempt(lambda: msb.Exp()(msd.Normal(0.0, 1.0)).mean())
attempt(lambda: msd.TransformedDistribution(3, msd.Normal(0.0, 1.0)))
attempt(lambda: msd.TransformedDistribution(msb.Exp(), 3))
attempt(lambda: msb.Exp()(msd.Bernoulli(0.5)))

# %% bijectors
X = T([0.25, 0.5, 0.75])
for bijector in (
    msb.Exp(),
    msb.GumbelCDF(0.5, 2.0),
    msb.GumbelCDF([0.5, 1.0, 2.0], [1.0, 2.0, 3.0]),
    msb.PowerTransform(),
    msb.PowerTransform(0.5),
    msb.PowerTransform([0.0, 1.0, 2.0]),
    msb.ScalarAffine(),
    msb.ScalarAffine(-2.0, 1.0),
    msb.ScalarAffine([1.0, 2.0, 3.0], 1.0),
    msb.Softplus(),
    msb.Softplus(3.0),
    msb.Invert(msb.GumbelCDF(0.0, 1.0)),
    msb.Invert(msb.Softplus(2.0)),
):
    show(
        str(bijector),
        bijector.name,
        bijector.is_constant_jacobian,
        bijector.is_injective,
        bijector.batch_shape,
        bijector.is_scalar_batch,
        bijector.dtype,
    )
    if isinstance(bijector, msb.PowerTransform):
        show(
            {
                name: asked(bijector, name, X)
                for name in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")
            }
        )
    else:
        show(maps(bijector, X))
show(
    msb.Softplus(3.0)("forward", T([-100.0, -20.0, 0.0, 20.0, 100.0])),
    msb.Softplus()("inverse", T([1e-9, 0.1, 20.0, 100.0])),
)
show(
    kinds(
        {
            "a": msb.ScalarAffine(2.0, 1.0).forward(T([1.0], ms.float16)),
            "b": msb.GumbelCDF().forward(T([1.0], ms.float16)),
        }
    )
)
show(
    msb.GumbelCDF(0.5, 2.0).loc,
    msb.GumbelCDF(0.5, 2.0).scale,
    msb.PowerTransform(2.0).power,
    msb.Softplus(2.0).sharpness,
)
show(msb.ScalarAffine(2.0, 3.0).shift, msb.ScalarAffine(2.0, 3.0).parameters["param_dict"])

# %% bijectors refuse
attempt(lambda: msb.GumbelCDF(0.0, -1.0))
attempt(lambda: msb.GumbelCDF(0, 1))
attempt(lambda: msb.GumbelCDF(T([0.0], ms.float16), T([1.0])))
attempt(lambda: msb.PowerTransform(-1.0))
attempt(lambda: msb.PowerTransform(power=None))
attempt(lambda: msb.PowerTransform("a"))
attempt(lambda: msb.ScalarAffine(True, 1.0))
attempt(lambda: msb.ScalarAffine([1.0, 2.0], [1.0, 2.0, 3.0]))
attempt(lambda: msb.Softplus(1))
attempt(lambda: msb.Softplus(1.0, name=3))
attempt(lambda: msb.Invert(3))
attempt(lambda: msb.Exp().forward(T([1], ms.int32)))
attempt(lambda: msb.Exp().forward(1.0))
attempt(lambda: msb.Exp()("forward", 1.0))
attempt(lambda: msb.Bijector(param={}))
attempt(lambda: msb.Bijector(name="a", is_injective=1, param={}))
attempt(lambda: msb.Bijector(name="a", dtype=ms.int32, param={}))

# %% what a distribution is
show(
    *map(
        str,
        (
            msd.Normal(1.0, 2.0),
            msd.Normal([1.0, 2.0], 1.0),
            msd.Normal(),
            msd.StudentT(1.0, 2.0, 3.0),
            msd.Categorical([0.25, 0.75]),
        ),
    )
)
show(
    *map(
        str,
        (
            msd.Gumbel(0.0, 1.0),
            msd.LogNormal(0.0, [1.0, 2.0]),
            msd.Cauchy(0.0, 1.0),
            msd.Uniform(0.0, 1.0),
            msd.Exponential([1.0, 2.0]),
        ),
    )
)
show(*map(str, (msd.Bernoulli(0.5), msd.Geometric(0.5), msd.Logistic(0.0, 1.0), msd.Poisson([1.0]))))
d = msd.Normal([[1.0], [2.0]], T([1.0, 2.0, 3.0]), seed=4, name="mine")
show(
    d.name,
    d.seed,
    d.batch_shape,
    d.broadcast_shape,
    d.is_scalar_batch,
    str(d.dtype),
    str(d.parameter_type),
    list(d.parameters),
)
show(d.get_dist_args(), d.get_dist_args(T(0.0)), d.get_dist_type(), d("get_dist_args", sd=T(1.0)))
show(msd.Bernoulli(0.5).get_dist_args(probs1=T(0.25)), msd.Gumbel(0.0, 1.0).get_dist_args(scale=T(2.0)))
show(type(d.mean()).__name__, d.default_parameters, d.parameter_names)
show(
    msd.Normal().batch_shape,
    msd.Normal().is_scalar_batch,
    msd.Normal(np.array([1.0]), np.array([2.0])).mean(),
)
show(msd.Normal(T([1, 2], ms.int32), T([1, 2], ms.int32)).mean(), msd.Normal(1, 2).sd())
show(
    [
        x.get_dist_type()
        for x in (
            msd.Beta([1.0], [1.0]),
            msd.Gamma([1.0], [1.0]),
            msd.LogNormal(0.0, 1.0),
            msd.Poisson([1.0]),
            msd.Uniform(0.0, 1.0),
        )
    ]
)
p = msd.Normal(Parameter(T([1.0]), name="m"), Parameter(T([2.0])))
show([(q.name, q.requires_grad) for q in p.trainable_params()])
show(d("log_prob", T(0.0)), d("mean"), d("prob", value=T(0.0), sd=T(1.0)))

# %% distributions refuse
attempt(lambda: msd.Normal(0.0, 0.0))
attempt(lambda: msd.Normal(0.0, [1.0, -1.0]))
attempt(lambda: msd.Normal(True, 1.0))
attempt(lambda: msd.Normal("a", 1.0))
attempt(lambda: msd.Normal(0.0, 1.0, dtype=ms.int32))
attempt(lambda: msd.Normal(0.0, 1.0, seed=-1))
attempt(lambda: msd.Normal(0.0, 1.0, seed=1.5))
attempt(lambda: msd.Normal(0.0, 1.0, seed="seed"))
attempt(lambda: msd.Normal(0.0, 1.0, name=3))
attempt(lambda: msd.Normal(T([1.0], ms.float16), T([1.0])))
attempt(lambda: msd.Normal([[2.0], [1.0]], [[2.0], [3.0], [4.0]]))
attempt(lambda: msd.Normal([1.0, 2.0], [1.0, 2.0, 3.0]))
n = msd.Normal([1.0, 2.0], [1.0, 2.0])
attempt(lambda: n.sample([2]))
attempt(lambda: n.sample(3))
attempt(lambda: n.kl_loss("Uniform", T([1.0]), T([1.0])))
attempt(lambda: n.kl_loss("Normal", T([1.0])))
attempt(lambda: n.kl_loss("Normal", 1.0, 2.0))
attempt(lambda: n.kl_loss(None, T([1.0]), T([1.0])))
attempt(lambda: n.cross_entropy("Foo", T([1.0]), T([1.0])))
attempt(lambda: n.log_prob(1.0))
attempt(lambda: n.log_prob(None, None))
attempt(lambda: n.log_prob(T([1.0]), 1.0))
attempt(lambda: n.log_prob(T([1.0]), foo=1))
attempt(lambda: n.log_prob(T([1.0, 2.0, 3.0])))
attempt(lambda: n.log_prob())
attempt(lambda: n("foo"))
attempt(lambda: msd.Normal().log_prob(T([1.0])))
attempt(lambda: msd.Normal().sample((2,), T([1.0])))
attempt(lambda: msd.Bernoulli(0.0))
attempt(lambda: msd.Bernoulli([0.5, 1.0]))
attempt(lambda: msd.Bernoulli(0.5, dtype=ms.bool_))
attempt(lambda: msd.Geometric(1.5))
attempt(lambda: msd.Beta(1.0, 2.0))
attempt(lambda: msd.Beta([-1.0], [2.0]))
attempt(lambda: msd.Gamma(1, [2.0]))
attempt(lambda: msd.Gamma([1.0], [0.0]))
attempt(lambda: msd.Poisson(1.0))
attempt(lambda: msd.Poisson([-1.0]))
attempt(lambda: msd.Uniform(1.0, 1.0))
attempt(lambda: msd.Uniform([0.0, 3.0], [1.0, 2.0]))
attempt(lambda: msd.Categorical([0.2, 0.9]))
attempt(lambda: msd.Categorical(0.2))
attempt(lambda: msd.Categorical([0.0, 1.0]))
attempt(lambda: msd.Cauchy(0.0, 0.0))
attempt(lambda: msd.Exponential(-1.0))
attempt(lambda: msd.Logistic(0.0, -1.0))
attempt(lambda: msd.LogNormal(0.0, -1.0))
attempt(lambda: msd.LogNormal(0.0, 1.0, dtype=ms.int32))
attempt(lambda: msd.Gumbel(0.0, 1.0, dtype=ms.int32))
attempt(lambda: msd.HalfNormal(0.0, -1.0))
attempt(lambda: msd.Laplace(0.0, 0.0))
attempt(lambda: msd.StudentT(0.0, 0.0, 1.0))
attempt(lambda: msd.Cauchy(0.0, 1.0).mean())
attempt(lambda: msd.Poisson([1.0]).entropy())

# %% samples
n = msd.Normal([1.0, 2.0], 2.0, dtype=ms.float16)
c = msd.Categorical([[0.5, 0.5], [0.1, 0.9]])
b = msd.Bernoulli(0.5)
show([(str(x.dtype), x.shape) for x in (n.sample((3,)), n("sample", (3,)), c.sample(shape=(2, 3)), b.sample())])

# %% own distributions and bijectors
class Mine(msd.Distribution):
    def __init__(self, rate=None, name="Mine"):
        param = dict(locals())
        param["param_dict"] = {"rate": rate}
        super().__init__(None, ms.float32, name, param)
        self._rate = self._add_parameter(rate, "rate")

    def _log_survival(self, value, rate=None):
        value = self._check_value(value, "value")
        value = self.cast_base(value, self.dtype)
        rate = self._check_param_type(rate)
        return -rate * value

    def _sd(self, rate=None):
        return 1.0 / self._check_param_type(rate)


m = Mine(2.0)
show(table(m, T([0.5, 1.0])), list(m.parameters), m.batch_shape, m.is_scalar_batch)
show(table(Mine(), T([0.5, 1.0]), (), (T([1.0, 2.0]),)))


class Two(msd.Distribution):
    def __init__(self, a, b):
        super().__init__(1, ms.float32, "Two", {"param_dict": {"a": a, "b": b}})
        self._a = self._add_parameter(a, "a")
        self._b = self._add_parameter(b, "b")

    def _prob(self, value, a=None, b=None):
        a, b = self._check_param_type(a, b)
        return self.exp_base(-value) * a / b

    def _mean(self, a=None, b=None):
        return self._check_param_type(a, b)


show(Two(1.0, [1.0, 2.0]).log_prob(T([0.5, 1.0])), Two([[1.0], [2.0]], [1.0, 2.0, 3.0]).mean())


class Cubed(msb.Bijector):
    def __init__(self, scale=1.0):
        super().__init__(name="Cubed", param={"param_dict": {"scale": scale}})
        self._scale = self._add_parameter(scale, "scale")

    def _forward(self, x):
        x = self._check_value_dtype(x)
        return self.cast_param_by_value(x, self._scale) * x * x * x

    def _inverse(self, y):
        return ops.pow(y / self._scale, 1 / 3)

    def _inverse_log_jacobian(self, y):
        return -ops.log(3 * self._scale) - 2 * ops.log(y / self._scale) / 3


c = Cubed(2.0)
show(c.forward(T([1.0, 2.0])), c("inverse", T([2.0, 16.0])), c.batch_shape, c.is_scalar_batch)
attempt(lambda: c.forward_log_jacobian(T([1.0])))
show(table(c(msd.Exponential(1.0)), T([1.0, 2.0])))


# %% in Cells
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = msd.Normal(np.array([3.0]), np.array([4.0]), dtype=ms.float32)
        self.e = msd.Exponential()
        self.b = msb.Softplus(2.0)
        self.t = msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0))

    def construct(self, x, m, s):
        a = self.n.kl_loss("Normal", m, s) + self.n("cross_entropy", "Normal", m, s)
        return (
            a,
            self.e.log_prob(x, s),
            self.b.forward(x),
            self.t("log_prob", x),
            self.n.mean(),
            self.n("sd", m, s),
        )


net = Net()
show(net(T([1.0, 2.0]), T([0.5]), T([1.0, 2.0])))
show(ms.jit(net)(T([1.0, 2.0]), T([0.5]), T([1.0, 2.0])))
show(
    ms.grad(lambda x, m, s: sum(y.sum() for y in net(x, m, s)), (0, 1, 2))(
        T([1.0, 2.0]), T([0.5]), T([1.0, 2.0])
    )
)


class Trained(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = msd.Normal(Parameter(T([0.0]), name="m"), Parameter(T([1.0]), name="s"))

    def construct(self, x):
        return -self.d.log_prob(x).mean()


net = Trained()
step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
show([step(T([1.0, 2.0, 4.0])) for _ in range(4)], [(p.name, p.value()) for p in net.trainable_params()])

# %% layers
dense = quiet(bnn.DenseReparam(3, 2, activation="relu"))
X = T([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])
show(dense.compute_kl_loss(), str(dense))
show([(p.name, p.shape, p.requires_grad) for p in dense.get_parameters()])
show(dense(X))
local = quiet(bnn.DenseLocalReparam(3, 2, has_bias=False, activation=nn.Tanh()))
show(local(X), local.compute_kl_loss(), str(local))
conv = quiet(bnn.ConvReparam(2, 4, (3, 2), stride=2, pad_mode="pad", padding=1, group=2, has_bias=True))
Y = T(np.cos(np.arange(48)).reshape(1, 2, 6, 4))
show(conv(Y), conv.compute_kl_loss(), str(conv))
show([(p.name, p.shape, p.requires_grad) for p in conv.get_parameters()])

# %% layers: distributions of weights
ms.set_seed(3)
post = bnn.NormalPosterior("w", [2, 3], loc_mean=1, untransformed_scale_std=0.5)
show(post("mean"), post("sd"), post("get_dist_type"), post("get_dist_args"), post("sample").shape, post("sample", (4,)).shape)
show([(p.name, str(p.dtype)) for p in post.trainable_params()], str(post))
prior = bnn.NormalPrior(mean=1, std=0.3)
show(prior("mean"), prior("sd"), prior("kl_loss", "Normal", *post("get_dist_args")), str(prior), str(prior.normal.dtype))
show([p.shape for p in bnn.DenseReparam(1, 2, weight_prior_fn=bnn.NormalPrior(mean=1), bias_prior_fn=lambda: bnn.NormalPrior(std=2.0)).get_parameters()])
mine = lambda name, shape: bnn.NormalPosterior(name, shape, loc_mean=5, loc_std=0)
show(bnn.DenseReparam(1, 2, weight_posterior_fn=mine).weight_posterior.mean.value())

# %% layers refuse
class Odd(nn.Cell):
    def __init__(self, name="", shape=(1,)):
        super().__init__()
        self.other = msd.Normal(0.0, 1.0)

class Open(nn.Cell):
    def __init__(self):
        super().__init__()
        self.normal = msd.Normal()

attempt(lambda: bnn.DenseReparam(0, 2))
attempt(lambda: bnn.DenseReparam("a", 2))
attempt(lambda: bnn.DenseReparam(1, 2, has_bias=1))
attempt(lambda: bnn.DenseReparam(1, 2, activation=3))
attempt(lambda: bnn.DenseReparam(1, 2, activation="foo"))
attempt(lambda: bnn.DenseReparam(1, 2, weight_prior_fn=Odd))
attempt(lambda: bnn.DenseReparam(1, 2, weight_prior_fn=Open))
attempt(lambda: bnn.DenseReparam(1, 2, weight_posterior_fn=Odd))
attempt(lambda: bnn.DenseReparam(1, 2, weight_posterior_fn=3))
attempt(lambda: bnn.DenseReparam(1, 2, weight_posterior_fn=bnn.NormalPrior))
attempt(lambda: bnn.DenseReparam(3, 2)(T(np.ones((2, 4, 3)))))
attempt(lambda: bnn.ConvReparam(3, 4, 3, pad_mode="foo"))
attempt(lambda: bnn.ConvReparam(3, 4, 3)(T(np.ones((2, 3)))))
attempt(lambda: bnn.ConvReparam(3, 4, 0))
attempt(lambda: bnn.NormalPrior(std=0))
for wrong in (dict(name=1), dict(shape=3), dict(loc_mean="a"), dict(loc_std=-1), dict(loc_std=True), dict(untransformed_scale_mean=None), dict(untransformed_scale_std=-2.0)):
    attempt(lambda: bnn.NormalPosterior(**{"name": "w", "shape": [2], **wrong}))
net = nn.SequentialCell(bnn.DenseReparam(1, 2))
for wrong in (dict(dnn_factor=True), dict(dnn_factor=-1), dict(bnn_factor="a"), dict(bnn_factor=-1)):
    attempt(lambda: bnn.WithBNNLossCell(net, nn.MSELoss(), **wrong))

# %% a Bayesian classifier
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = bnn.ConvReparam(1, 2, 3)
        self.flatten = nn.Flatten()
        self.head = nn.SequentialCell(nn.Tanh(), bnn.DenseReparam(32, 2))

    def construct(self, x):
        return self.head(self.flatten(self.conv(x)))

net = quiet(Net())
loss = bnn.WithBNNLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), 2, 1e-16)
show(len(loss.kl_loss), [p.name for p in loss.trainable_params()], loss.backbone_network is net)
step = nn.TrainOneStepCell(loss, nn.SGD([p for p in loss.trainable_params() if "untransformed" not in p.name], 0.1)).set_train()
X, Y = T(np.cos(np.arange(64)).reshape(4, 1, 4, 4)), T([0, 1, 0, 1], ms.int32)
show([step(X, Y) for _ in range(2)], net.head[1].bias_posterior.mean.value())

# %% a variational autoencoder
class VAE(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(6, 5), nn.Tanh())
        self.to_mean, self.to_sd = nn.Dense(5, 2), nn.Dense(5, 2)
        self.decoder = nn.SequentialCell(nn.Dense(2, 5), nn.Tanh(), nn.Dense(5, 6), nn.Sigmoid())
        self.posterior, self.prior, self.pixels = msd.Normal(), msd.Normal(0.0, 1.0), msd.Bernoulli()

    def construct(self, x, noise):
        h = self.encoder(x)
        mean, sd = self.to_mean(h), ops.exp(self.to_sd(h))
        z = self.posterior("sample", (), mean, sd * noise)
        kl = self.posterior.kl_loss("Normal", ops.zeros_like(mean), ops.ones_like(sd), mean, sd)
        fit = self.pixels.log_prob(x, self.decoder(z))
        return kl.sum(-1).mean() - fit.sum(-1).mean()

net = set_to(VAE(), 0.5)
X = T(np.arange(24).reshape(4, 6) % 3 > 0)

@ms.jit
def loss(x):
    return net(x, 1e-7)

show(loss(X))
