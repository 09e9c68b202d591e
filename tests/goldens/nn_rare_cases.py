# ruff: noqa
# %% lgamma
net = nn.LGamma()
x = Tensor(np.array([0.5, 2.5, 7.5, -1.5, 0.0, -2.0, np.inf], np.float32))
show(net(x), net(x[:4].astype(ms.float16)).dtype)
show(gradients(net, x[:3]))
attempt(lambda: net(Tensor([1, 2])))
attempt(lambda: net(x.astype(ms.float64)))
attempt(lambda: net(2.0))

# %% digamma
net = nn.DiGamma()
x = Tensor(np.array([0.5, 2.0, 7.5, -1.5, -2.0], np.float32))
show(net(x), net(x[:4].astype(ms.float16)).dtype)
show(gradients(net, x[:3]))
attempt(lambda: net(Tensor([1, 2])))
attempt(lambda: net(x.astype(ms.float64)))
attempt(lambda: net(2.0))

# %% igamma
net = nn.IGamma()
a, x = Tensor(np.array([2.0, 4.0, 6.0, 8.0], np.float32)), Tensor(np.array([2.0, 3.0, 4.0, 50.0], np.float32))
show(net(a, x), net(a, x[0]))
show(net(Tensor(np.array([1.0, -1.0, 1.0], np.float32)), Tensor(np.array([0.0, 1.0, -1.0], np.float32))))
attempt(lambda: net(a.astype(ms.float16), x.astype(ms.float16)))
attempt(lambda: net(a, x.astype(ms.float64)))
attempt(lambda: net(a, Tensor([1, 2, 3, 4])))
attempt(lambda: net(a, x[:3]))

# %% igamma/gradient
net = nn.IGamma()
a, x = Tensor(np.array([2.0, 4.0], np.float32)), Tensor(np.array([2.0, 3.0], np.float32))
show(gradients(net, a, x, of=(1,)))

# %% lbeta
net = nn.LBeta()
x, y = Tensor(np.array([2.0, 4.0, 6.0], np.float32)), Tensor(np.array([2.0, 3.0, 14.0], np.float32))
show(net(x, y), net(x, y[0]))
show(net(x.astype(ms.float16), y.astype(ms.float16)).dtype)
attempt(lambda: net(x, y.astype(ms.float16)))
attempt(lambda: net(x, Tensor([1, 2, 3])))

# %% matrices
a = Tensor(np.array([[4.0, 12.0, -16.0], [12.0, 37.0, -43.0], [-16.0, -43.0, 98.0]], np.float32))
attempt(lambda: nn.MatDet()(a[0]))
attempt(lambda: nn.MatDet()(a.astype(ms.int32)))
attempt(lambda: nn.MatDet()(a.astype(ms.float64)))

# %% diagonals
x = wave(2, 3)
attempt(lambda: nn.MatrixDiag()(Tensor([1, 2])))
attempt(lambda: nn.MatrixSetDiag()(wave(3), x))

# %% unfold
x = Tensor(np.arange(32).reshape(1, 2, 4, 4).astype(np.float32))
attempt(lambda: nn.Unfold([2, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])(x))
attempt(lambda: nn.Unfold([1, 2, 2], [1, 2, 2, 1], [1, 1, 1, 1])(x))
attempt(lambda: nn.Unfold(2, [1, 2, 2, 1], [1, 1, 1, 1])(x))
attempt(lambda: nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "other")(x))
print(nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1]))

# %% image gradients
net = nn.ImageGradients()
x = wave(1, 2, 3, 3)
attempt(lambda: net(x))
attempt(lambda: net(Tensor(np.array([[[[1, 2], [3, 4]]]]).astype(np.int32))))
attempt(lambda: net(x[0]))

# %% ssim
a, b = wave(1, 2, 16, 16) * 0.5 + 0.5, wave(1, 2, 16, 16) * 0.4 + 0.5
attempt(lambda: nn.SSIM(255.0)(Tensor(np.zeros((1, 1, 16, 16), np.uint8)), Tensor(np.zeros((1, 1, 16, 16), np.uint8))))
attempt(lambda: nn.SSIM(max_val=-1.0))
attempt(lambda: nn.SSIM(filter_size=0))
attempt(lambda: nn.SSIM()(a, b[:, :1]))
attempt(lambda: nn.SSIM()(a[0], b[0]))
attempt(lambda: nn.SSIM()(a, b.astype(ms.float16)))
described(nn.SSIM(filter_size=3))

# %% msssim
a, b = wave(1, 2, 64, 64) * 0.5 + 0.5, wave(1, 2, 64, 64) * 0.4 + 0.5
attempt(lambda: nn.MSSSIM(max_val=-1))
attempt(lambda: nn.MSSSIM(power_factors=1.0))
described(nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=3))

# %% psnr
a, b = wave(2, 2, 4, 4) * 0.5 + 0.5, wave(2, 2, 4, 4) * 0.4 + 0.5
attempt(lambda: nn.PSNR()(a, b.astype(ms.float16)))
attempt(lambda: nn.PSNR(0.0))
attempt(lambda: nn.PSNR()(a, b[0]))

# %% central crop
net = nn.CentralCrop(0.5)
attempt(lambda: net(wave(2, 1, 5, 4)))
attempt(lambda: net(wave(1, 6, 3)))
attempt(lambda: nn.CentralCrop(1.0)(wave(1, 3, 3)))
attempt(lambda: nn.CentralCrop(0.0))
attempt(lambda: nn.CentralCrop(2))
attempt(lambda: nn.CentralCrop(0.5)(wave(3, 3)))
attempt(lambda: nn.CentralCrop(0.5)(Tensor(np.arange(16).reshape(1, 4, 4))))
print(net)

# %% sparse
indices, values = Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0])
attempt(lambda: nn.SparseToDense()(ms.COOTensor(indices, values, (3, 4))))
attempt(lambda: nn.SparseToDense()(values))
attempt(lambda: nn.SparseTensorDenseMatmul()(indices, values, (3, 4), Tensor([[1.0, 1], [2, 2], [3, 3], [4, 4]])))
attempt(lambda: nn.SparseTensorDenseMatmul(adjoint_st=True)(indices, values, (3, 4), Tensor([[1.0, 1], [2, 2], [3, 3]])))
attempt(lambda: nn.SparseTensorDenseMatmul(adjoint_dt=True)(indices, values, (3, 4), Tensor([[1.0, 2, 3, 4]])))
attempt(lambda: nn.SparseTensorDenseMatmul(1))
attempt(lambda: nn.SparseTensorDenseMatmul()(values, values, (3, 4), Tensor([[1.0]])))
