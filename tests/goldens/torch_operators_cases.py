"""Questions about PyTorch's functions where other dialects answer otherwise, as small programs (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% where/method
x, o = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([-1.0, -2.0], requires_grad=True)
c = torch.tensor([True, False])
for y in (x.where(c, o), torch.where(c, x, o), x.where(c, 7.0), x.where(condition=c, other=o), torch.where(c, 1.0, o), x.where(c, torch.tensor(3))):
    show(y, type(y) is torch.Tensor)
(g,) = torch.autograd.grad(x.where(c, o).sum(), o)
show(g, torch.where(c), torch.where(c, 1, 2), torch.where(c, 1.0, 2.0))
z = torch.tensor([1.0, 2.0])
show(z.masked_fill(c, 5.0), z.where(c, torch.tensor([5.0, 6.0], dtype=torch.float64)))

# %% special/polygamma of negative
x = torch.tensor([-8.9, -1.5, -0.3, 0.4, 2.5], dtype=torch.float64, requires_grad=True)
for n in (0, 1, 2, 3):
    y = torch.polygamma(n, x)
    (g,) = torch.autograd.grad(y.sum(), x)
    show(y, g)
(g,) = torch.autograd.grad(torch.digamma(x).sum(), x, create_graph=True)
show(g, torch.autograd.grad(g.sum(), x)[0])
show(torch.polygamma(1, torch.tensor([-8.9, -2.3], dtype=torch.float32)), x.detach().polygamma(1), torch.special.polygamma(2, x.detach()))

# %% trapz/complex
y = torch.tensor([1 + 1j, 2 + 2j, 4 - 1j])
show(torch.trapz(y), torch.trapezoid(y), torch.trapz(y, dx=2.0), torch.trapz(y, torch.tensor([0.0, 1.0, 3.0])), torch.cumulative_trapezoid(y))
show(torch.trapz(torch.tensor([1, 2, 4])), torch.cumulative_trapezoid(torch.tensor([1, 2, 4])))
show(torch.trapz(torch.tensor([1, 2, 4], dtype=torch.float64)), torch.trapezoid(torch.ones(2, 3), dim=0), torch.trapz(torch.ones(2, 1)))

# %% index_put/accumulate
for accumulate in (False, True):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    v = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
    i = (torch.tensor([0, 1, 0]), torch.tensor([2, 0, 2] if accumulate else [2, 0, 1]))
    y = x.index_put(i, v, accumulate)
    (y * torch.arange(6.0).reshape(2, 3)).sum().backward()
    show(y, x.grad, v.grad)
    x.grad = v.grad = None
    y = x.put(torch.tensor([5, 0, 5] if accumulate else [5, 0, 1]), v, accumulate)
    (y * torch.arange(6.0).reshape(2, 3)).sum().backward()
    show(y, x.grad, v.grad)
b = torch.zeros(2, 2)
b.index_put_((torch.tensor([0, 0]),), torch.ones(2), accumulate=True)
show(b)
b.put_(torch.tensor([0, 0, 3]), torch.tensor([1.0, 2.0, 3.0]), accumulate=True)
show(b, torch.zeros(3, dtype=torch.int64).index_put((torch.tensor([1, 1]),), torch.tensor([2, 3]), accumulate=True))
show(torch.zeros(3, dtype=torch.bool).put(torch.tensor([1]), torch.tensor([True]), accumulate=True))

# %% max_unpool/places that repeat
x = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]], requires_grad=True)
i = torch.tensor([[[[0, 0], [5, 5]]]])
y = F.max_unpool2d(x, i, 2)
show(y.shape == (1, 1, 4, 4))
(y * torch.arange(1.0, 17.0).reshape(1, 1, 4, 4)).sum().backward()
show(x.grad)
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
(F.max_unpool1d(x, torch.tensor([[1, 1]]), 2) * torch.arange(1.0, 5.0)).sum().backward()
show(x.grad)
x = torch.tensor([[[[1.0, 2.0]]]], requires_grad=True)
(F.max_unpool3d(x, torch.tensor([[[[1, 1]]]]), 2) * torch.arange(1.0, 17.0).reshape(1, 2, 2, 4)).sum().backward()
show(x.grad)

# %% sgn/complex
x = torch.tensor([3 + 4j, -1j, 2 + 0j, 0j], requires_grad=True)
y = torch.sgn(x)
y.backward(torch.tensor([1 + 0j, 1 + 1j, 1j, 1 + 1j]))
show(y, x.grad, x.detach().sgn(), torch.sgn(torch.tensor([-2.0, 0.0])))

# %% scatter_reduce/bool and whole numbers
i = torch.tensor([0, 0, 2])
for kind in (torch.bool, torch.int64, torch.uint8, torch.float32, torch.float16):
    x = torch.tensor([1, 0, 1, 1]).to(kind)
    s = torch.tensor([0, 1, 0]).to(kind)
    for way in ("sum", "prod", "amax", "amin", "mean"):
        for keep in (True, False):
            if way == "mean" and kind == torch.bool:
                continue
            show(way, str(keep), x.scatter_reduce(0, i, s, way, include_self=keep))
show(torch.zeros(3, dtype=torch.bool).scatter_add(0, i, torch.tensor([False, True, True])))
x = torch.tensor([7, -2, 5, 9])
show(x.scatter_reduce(0, i, torch.tensor([-3, -6, 4]), "mean", include_self=True), x.scatter_reduce(0, i, torch.tensor([-3, -6, 4]), "amax", include_self=False))
show(x.index_reduce(0, torch.tensor([0, 0]), torch.tensor([3, 4]), "prod", include_self=False))

# %% scatter_reduce/gradients
for way in ("sum", "prod", "amax", "amin", "mean"):
    for keep in (True, False):
        x = torch.tensor([2.0, 3.0, 5.0], requires_grad=True)
        s = torch.tensor([4.0, 1.0, 6.0, 6.0], requires_grad=True)
        y = x.scatter_reduce(0, torch.tensor([0, 0, 2, 2]), s, way, include_self=keep)
        (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
        show(way, str(keep), y, x.grad, s.grad)

# %% views/dialect
x = torch.tensor([[1 + 2j, 3 - 1j]])
for y in (x.mH, x.H, x.mT, x.T, x.real, x.imag, x.adjoint(), x.conj(), x.t()):
    show(y, str(type(y) is torch.Tensor))
show(x.mH.sum().abs(), x.real.mT.shape == (2, 1))

# %% squeeze/dimensions
x = torch.zeros(1, 2, 1)
for dim in ((), (0,), (0, 2), (0, 1), 0, 1, -1):
    show(torch.squeeze(x, dim))
show(x.squeeze(()), x.squeeze(dim=2), x.squeeze(), torch.zeros(()).squeeze(0), torch.zeros(1).squeeze((0,)))

# %% products/cartesian
a, b = torch.tensor([1, 2]), torch.tensor([3, 4, 5])
show(torch.cartesian_prod(a), torch.cartesian_prod(torch.tensor([4.0])), torch.cartesian_prod(a, b), torch.combinations(a))

# %% special/bessel
x = torch.tensor([-1.0, 0.0, 0.5, 3.0, 9.0])
for f in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1", "i0", "i0e", "i1", "i1e"):
    show(f, getattr(torch.special, f)(x), getattr(torch.special, f)(torch.tensor([1, 2])))

# %% calls/dims
x = torch.arange(6.0).reshape(2, 3)
show(torch.flip(x, dims=(0,)), x.flip(dims=[0]), x.flip(0, 1), torch.flip(x, [1]), torch.flip(input=x, dims=[1]), x.flip((1,)))
show(torch.rot90(x), torch.rot90(x, 2), x.rot90(1, [0, 1]), torch.rot90(x, k=1, dims=(1, 0)), x.rot90())
show(x.permute(dims=(1, 0)), torch.permute(x, dims=(1, 0)), x.permute(1, 0), x.permute([1, 0]))
show(torch.roll(x, shifts=1), x.roll(shifts=(1, 1), dims=(0, 1)), x.roll(1, 0), torch.roll(x, 1, 0))
show(torch.tile(x, dims=(2,)), x.tile((1, 2)), x.tile(2), x.repeat(repeats=(2, 1)), x.expand(size=(1, 2, 3)).shape == (1, 2, 3))
show(torch.movedim(x, source=0, destination=1), torch.swapaxes(x, axis0=0, axis1=1), torch.swapdims(x, dim0=0, dim1=1), torch.transpose(x, dim0=0, dim1=1))
show(x.view(size=(3, 2)), x.reshape(shape=(3, 2)), torch.reshape(x, shape=(-1,)), x.unflatten(dim=1, sizes=(3, 1)))
show(torch.broadcast_to(x, size=(1, 2, 3)), x.sum(dim=(0, 1)), x.sum(axis=0), x.sum((0,)), x.mean([0, 1], True), x.amax(dim=()), x.any(dim=(0,)))

# %% calls/parts
x = torch.arange(6.0)
show(torch.hsplit(x, 2), x.hsplit([1, 3]), torch.hsplit(x.reshape(2, 3), 3), torch.vsplit(x.reshape(2, 3), 2), torch.dsplit(x.reshape(1, 2, 3), [1]))
show(torch.tensor_split(x, 4), torch.tensor_split(x, (1, 4)), torch.split(x, split_size_or_sections=4), x.split([1, 5]), x.chunk(chunks=4), torch.unsafe_chunk(x, 2), torch.unsafe_split(x, 4))
show(x.narrow(0, 1, 2), torch.narrow(x, dim=0, start=1, length=2), x.select(dim=0, index=2), x.unfold(0, 2, 2))
show(torch.cat(tensors=[x, x], dim=-1).shape == (12,), torch.stack(tensors=(x, x)).shape == (2, 6), torch.cat((x, x), axis=0).shape == (12,))

# %% calls/spread
x = torch.tensor([[1.0, 2.0, 4.0], [2.0, 7.0, 1.0]])
for f in (torch.var_mean, torch.std_mean):
    show(f(x), f(x, False), f(x, True), f(x, 1), f(x, dim=1, unbiased=False), f(x, 1, False), f(x, 1, True, True), f(x, correction=0), f(x, [0, 1]), f(x, dim=0, keepdim=True))
for f in (torch.var, torch.std):
    show(f(x), f(x, False), f(x, unbiased=False), f(x, 1, False, True), f(x, 1, correction=2), f(x, dim=(0, 1)), f(x, 1, True))
show(x.var(0), x.std(False), x.var(1, keepdim=True), x.std(dim=1, unbiased=False))

# %% calls/gradient
x = torch.tensor([1.0, 2.0, 4.0, 8.0])
m = torch.arange(9.0).reshape(3, 3) ** 2
show(torch.gradient(x), torch.gradient(x, spacing=2.0), torch.gradient(x, spacing=None, dim=None), torch.gradient(x, spacing=(torch.tensor([0.0, 1.0, 3.0, 4.0]),)))
show(torch.gradient(m), torch.gradient(m, dim=1), torch.gradient(m, spacing=[2.0, 3.0]), torch.gradient(m, dim=(0, 1), edge_order=2), torch.gradient(x, edge_order=2))

# %% calls/pooling of a tuple
x = torch.arange(10.0).reshape(1, 1, 10)
show(F.adaptive_avg_pool1d(x, (5,)), F.adaptive_max_pool1d(x, (5,)), F.avg_pool1d(x, (2,)), F.max_pool1d(x, (5,), stride=(5,)), torch.adaptive_avg_pool1d(x, 2))
y = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
show(F.adaptive_max_pool3d(y, 1, return_indices=True), F.adaptive_max_pool2d(y[0], 1, return_indices=True), F.adaptive_max_pool1d(x, 2, return_indices=True))

# %% calls/empty
show(torch.empty_strided((), ()).shape == (), torch.empty_strided((2, 3), (3, 1)).shape == (2, 3), torch.empty(()).shape == (), torch.empty([]).shape == (), torch.empty(size=(2, 3)).shape == (2, 3))
show(torch.zeros(()), torch.zeros(2, 1), torch.ones(size=[1, 2]), torch.zeros([]), torch.zeros((2,), dtype=torch.int8), torch.full((2,), 3), torch.full(size=(1,), fill_value=2.0), torch.full((2,), True))
show(torch.empty_permuted((2, 3), (1, 0)).shape == (2, 3), torch.arange(3, device="cpu"), torch.arange(1, 2, 0.5), torch.arange(end=3), torch.linspace(0, 1, steps=3), torch.eye(2, m=3))

# %% out/linear algebra
a, b = torch.tensor([[4.0, 1.0], [1.0, 3.0]]), torch.tensor([[1.0], [2.0]])
o = torch.empty(0)
calls = dict(solve=lambda: torch.linalg.solve(a, b, out=o), solve_triangular=lambda: torch.linalg.solve_triangular(a, b, upper=True, out=o),
    pinv=lambda: torch.linalg.pinv(a, out=o), multi_dot=lambda: torch.linalg.multi_dot([a, a, b], out=o), inv=lambda: torch.linalg.inv(a, out=o),
    tensorinv=lambda: torch.linalg.tensorinv(a, ind=1, out=o), tensorsolve=lambda: torch.linalg.tensorsolve(a, b[:, 0], out=o),
    householder=lambda: torch.linalg.householder_product(a, b[:, 0], out=o).shape == (2, 2), cholesky=lambda: torch.linalg.cholesky(a, out=o), det=lambda: torch.linalg.det(a, out=o),
    norm=lambda: torch.linalg.norm(a, out=o), matmul=lambda: torch.linalg.matmul(a, b, out=o), eigvalsh=lambda: torch.linalg.eigvalsh(a, out=o), svdvals=lambda: torch.linalg.svdvals(a, out=o))
for name, call in calls.items():
    o = torch.empty(0)
    show(name, call(), str(o.numel() > 0))
o = torch.empty(0, dtype=torch.int64)
show(torch.linalg.matrix_rank(a, out=o), o)
for name in ("ndtr", "ndtri", "log_ndtr", "entr", "erfcx", "expit", "i0", "digamma", "gammaln", "erf", "sinc"):
    o = torch.empty(0)
    show(name, getattr(torch.special, name)(torch.tensor([0.25, 0.5]), out=o), o)
for name in ("xlog1py", "xlogy", "zeta", "gammainc"):
    o = torch.empty(0)
    show(name, getattr(torch.special, name)(torch.tensor([2.5]), torch.tensor([1.5]), out=o), o)
q, r = torch.empty(0), torch.empty(0)
torch.linalg.qr(a, out=(q, r))
show(q @ r)

# %% scalars/along dimension 0
s, z = torch.tensor(3.0), torch.tensor([0])
show(torch.index_select(s, 0, z), s.index_fill(0, z, 2.0), s.index_copy(0, z, torch.tensor([5.0])), s.index_add(0, torch.tensor([0]), torch.tensor(4.0)))
show(s.unfold(0, 1, 1), s.index_reduce(0, z, torch.tensor(2.0), "prod"), F.prelu(torch.tensor([-1.0, 2.0]), torch.tensor(0.5)))
show(s.gather(0, torch.tensor(0)), s.scatter(0, torch.tensor(0), 2.0), s.sum(0), s.max(0), s.sort(), s.cumsum(0), s.softmax(0), s.argmax(0), s.topk(1), s.flip(0), s.unsqueeze(0), s.flatten(), s.median(0), s.mode())
show(torch.nonzero_static(s, size=1), torch.nonzero(s), torch.linalg.vander(torch.tensor([2.0, 3.0])), torch.nonzero_static(torch.tensor([0, 1, 1]), size=3))
show(s.cumprod(0), s.logcumsumexp(0), s.any(0), s.norm(), s.var(unbiased=False), s.unique(), s.roll(1), s.squeeze(0), s.repeat(2), s.kthvalue(1), s.amax(0))

# %% scalars/empty batches
show(F.unfold(torch.zeros(0, 1, 3, 3), 2).shape == (0, 4, 4), torch.linalg.det(torch.zeros(0, 0)), torch.zeros(0, 3).sum(0), torch.zeros(0, 3).prod(1))
show(F.embedding_bag(torch.zeros(0, 2, dtype=torch.int64), torch.ones(3, 2)).shape == (0, 2), F.linear(torch.zeros(0, 2), torch.ones(3, 2)), F.conv1d(torch.zeros(0, 1, 3), torch.ones(1, 1, 2)).shape == (0, 1, 2))
show(F.linear(torch.ones(2), torch.ones(3, 2)), torch.cat([torch.zeros(0), torch.ones(1, 2)]), torch.zeros(0).mean(), torch.zeros(0).argsort())

# %% dtypes/whole numbers become floating
for name in """acos asin atan cos cosh sin sinh tan tanh sqrt rsqrt reciprocal sigmoid exp exp2 expm1 log log10 log1p log2 erf erfc lgamma
        digamma logit sinc i0 deg2rad rad2deg erfinv nan_to_num mean_of_none""".split()[:-1]:
    for kind in (torch.int64, torch.bool):
        show(name, getattr(torch, name)(torch.tensor([0, 1], dtype=kind)))
        attempt(lambda: getattr(torch.tensor([0, 1], dtype=kind), name)())
x = torch.tensor([1, 2, 3])
show(torch.polygamma(1, x), torch.mvlgamma(x + 1, 2), torch.xlogy(x, x), torch.special.zeta(x + 1, x), torch.special.ndtr(x), torch.special.ndtri(torch.tensor([0, 1])), torch.special.log_ndtr(x))
show(torch.special.entr(x), torch.special.erfcx(x), torch.special.expit(x), torch.special.i1(x), torch.special.xlog1py(x, x), torch.atan2(x, x), torch.special.gammaln(x), torch.special.psi(x))
show(torch.div(x, x), x / 2, x // 2, torch.true_divide(x, 2), torch.pow(x, 2), torch.pow(x, 0.5), x ** 2.0, 2 ** x, 2.0 ** x, torch.softmax(x.float(), 0), x.float().logsumexp(0), torch.logsumexp(x, 0))
attempt(lambda: torch.sigmoid_(x.clone()))
attempt(lambda: x.clone().exp_())

# %% dtypes/fft of whole numbers and bools
for kind in (torch.int64, torch.bool, torch.int32, torch.uint8):
    x = torch.tensor([[1, 0], [1, 1]], dtype=kind)
    for name in "fft ifft rfft ihfft fft2 ifft2 rfft2 fftn ifftn rfftn hfft irfft irfft2 irfftn".split():
        show(name, getattr(torch.fft, name)(x))

# %% dtypes/complex
z, w = torch.tensor([[3 + 4j, 1 - 1j], [0j, 2j]]), torch.tensor([[1 + 0j, 1j], [2 + 0j, -1j]])
show(torch.std(z), torch.var(z), torch.var(z, 0), torch.var_mean(z, 1), torch.std_mean(z), torch.norm(z), torch.norm(z, 1), torch.norm(z, float("inf")), z.norm(dim=1), torch.norm(z, "nuc"), torch.norm(z, "fro"))
show(torch.linalg.norm(z), torch.linalg.vector_norm(z), torch.linalg.vector_norm(z, 1), torch.linalg.vector_norm(z, float("inf"), dim=1), torch.linalg.matrix_norm(z), torch.linalg.matrix_norm(z, 1), torch.linalg.matrix_norm(z, "nuc"), torch.linalg.norm(z, 2))
show(F.l1_loss(z, w), F.mse_loss(z.real, w.real), F.pairwise_distance(z, w), torch.abs(z), torch.angle(z), z.abs(), abs(z), z.sgn())
show(F.normalize(z), torch.dist(z, w), z.mean(), z.sum(0), z @ w, torch.vdot(z[0], w[0]), torch.inner(z, w), torch.cumsum(z, 0), z.prod(), torch.linalg.det(z), torch.isclose(z, z))
(z.abs() ** 2).sum()
v = z.clone().requires_grad_()
v.norm().backward()
show(v.grad)

# %% dtypes/convolutions
x = torch.arange(8).reshape(1, 1, 8)
k = torch.tensor([[[1, 2, -1]]])
show(F.conv1d(x, k), F.conv1d(x, k, torch.tensor([3]), stride=2, padding=1), F.conv_transpose1d(x, k), F.conv2d(x[None], k[None]), F.conv1d(x.to(torch.int32), k.to(torch.int32)))
a, b = torch.complex(x.float(), -x.float()), torch.complex(k.float(), torch.ones(1, 1, 3))
show(F.conv1d(a, b), F.conv2d(a[None], b[None]), F.conv_transpose1d(a, b), F.conv1d(a, b, torch.tensor([1j])), F.conv3d(a[None, None], b[None, None]))

# %% dtypes/bool arithmetic
t, f = torch.tensor([True, False]), torch.tensor([True, True])
show(t + f, t * f, t | f, t & f, t ^ f, torch.add(t, f), torch.mul(t, f), t + 1, t * 2, t * 1.5, t.sum(), t.prod(), t.cumsum(0), torch.square(t), t ** 2, t.square(), ~t, 1 - t.int(), t / f)
show(torch.addr(torch.zeros(2, 2, dtype=torch.bool), t, f), torch.outer(t, f), t.mean(dtype=torch.float32), t.max(), t.any(), t.all(), torch.maximum(t, f), t == f, t < f, torch.logical_xor(t, f))
attempt(lambda: t - f)
attempt(lambda: -t)
attempt(lambda: t.mean())
attempt(lambda: 1 - t)

# %% dtypes/losses
i = torch.tensor([1, -1])
a, b, c = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[2, 2], [0, 1]]), torch.tensor([[0, 1], [1, 1]])
show(F.margin_ranking_loss(a[0], b[0], i), F.cosine_embedding_loss(a, b, i), F.triplet_margin_loss(a, b, c))
show(torch.cumulative_trapezoid(a), F.pairwise_distance(a.float(), b.float()), F.mse_loss(a.float(), b.float()), F.l1_loss(a.float(), b.float()))

# %% forms/in place and copies
x = torch.tensor([1.0, 2.0])
y = torch.zeros(1)
attempt(lambda: torch.zeros(3, 3).addbmm_(torch.ones(2, 3, 2), torch.ones(2, 2, 3), beta=0.5, alpha=2))
show(torch.fill(x, 3.0), x.igammac(x), x.clone().igammac_(x), torch.constant_pad_nd(x, (1, 1), 2.0), F.pad(x[None], (-1, 2), mode="replicate"), F.pad(x[None], (1, -1), mode="circular"))
z = torch.tensor([1 + 1j])
show(z.clone().conj_physical_(), torch.conj_physical(z), x.as_strided((2, 2), (0, 1)))
for name, args in dict(diagonal_copy=(), permute_copy=((1, 0),), t_copy=(), transpose_copy=(0, 1), unsqueeze_copy=(0,), squeeze_copy=(), expand_copy=((2, 2, 2),), view_copy=((4,),), unbind_copy=(), select_copy=(0, 1), slice_copy=(0, 1), detach_copy=(), alias_copy=(), split_copy=(1,), as_strided_copy=((2,), (1,)), narrow_copy=(0, 0, 1), unfold_copy=(0, 2, 1)).items():
    show(name, getattr(torch, name)(torch.arange(4.0).reshape(2, 2), *args))
show(torch.native_layer_norm(x, (2,), None, None, 1e-5))
