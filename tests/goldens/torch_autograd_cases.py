"""Questions about PyTorch's imperative gradients, as small programs (see snippets.py)."""

# ruff: noqa
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false

# %% backward/scalar
x = torch.tensor(3.0, requires_grad=True)
y = x * x
show(x.grad)
y.backward()
show(x.grad)

# %% backward/two leaves
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
(x * w).sum().backward()
show(x.grad, w.grad)

# %% backward/leaf without requires_grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([3.0, 4.0])
(x * c).sum().backward()
show(x.grad, c.grad)

# %% backward/returns None
x = torch.tensor(3.0, requires_grad=True)
show((x * x).backward())

# %% backward/nothing requires grad
attempt(lambda: (torch.tensor(3.0) * 2).backward())

# %% backward/of a leaf
x = torch.tensor(3.0, requires_grad=True)
x.backward()
show(x.grad)

# %% backward/non-scalar
x = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: (x * x).backward())
show(x.grad)

# %% backward/one element in a vector
x = torch.tensor([3.0], requires_grad=True)
(x * x).backward()
show(x.grad)

# %% backward/gradient
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(torch.tensor([1.0, 10.0]))
show(x.grad)

# %% backward/gradient by keyword
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(gradient=torch.ones(2))
show(x.grad)

# %% backward/gradient of the wrong shape
x = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: (x * x).backward(torch.ones(3)))
attempt(lambda: (x * x).backward(torch.tensor(1.0)))

# %% backward/gradient is a number
x = torch.tensor(1.0, requires_grad=True)
attempt(lambda: (x * x).backward(2.0))

# %% backward/gradient of another dtype
x = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: (x * x).backward(torch.ones(2, dtype=torch.float64)))
show(x.grad)

# %% backward/accumulates
x = torch.tensor([1.0, 2.0], requires_grad=True)
for _ in range(3):
    (x * x).sum().backward()
    show(x.grad)

# %% backward/accumulates into the same tensor
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
g = x.grad
(x * x).sum().backward()
show(g, g is x.grad)

# %% backward/grad set to None
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
x.grad = None
show(x.grad)
(x * x).sum().backward()
show(x.grad)

# %% backward/grad zeroed
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
show(x.grad.zero_())
(x * x).sum().backward()
show(x.grad)

# %% backward/grad assigned
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.grad = torch.tensor([100.0, 200.0])
(x * x).sum().backward()
show(x.grad)
attempt(lambda: setattr(x, "grad", torch.ones(3)))
attempt(lambda: setattr(x, "grad", 3.0))
attempt(lambda: setattr(x, "grad", torch.ones(2, dtype=torch.float64)))

# %% backward/used twice in the expression
x = torch.tensor(3.0, requires_grad=True)
y = x * x
(y * y + y).backward()
show(x.grad)

# %% backward/twice raises
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
attempt(lambda: y.backward())
show(x.grad)

# %% backward/retain_graph
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.backward(retain_graph=True)
show(x.grad)
y.backward()
show(x.grad)
attempt(lambda: y.backward())

# %% backward/twice through a linear graph
x = torch.tensor(3.0, requires_grad=True)
y = x + 1
y.backward()
attempt(lambda: y.backward())
show(x.grad)

# %% backward/shared part of two losses
x = torch.tensor(3.0, requires_grad=True)
h = x * x
a, b = h * 2, h * 3
a.backward()
attempt(lambda: b.backward())

# %% backward/shared part with retain_graph
x = torch.tensor(3.0, requires_grad=True)
h = x * x
a, b = h * 2, h * 3
a.backward(retain_graph=True)
b.backward()
show(x.grad)

# %% backward/create_graph
x = torch.tensor(2.0, requires_grad=True)
y = x * x * x
y.backward(create_graph=True)
show(x.grad, x.grad.requires_grad)

# %% backward/create_graph then second order
x = torch.tensor(2.0, requires_grad=True)
y = x * x * x
y.backward(create_graph=True)
g = x.grad
x.grad = None
g.backward()
show(x.grad)

# %% backward/inputs
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
(x * w).backward(inputs=[x])
show(x.grad, w.grad)

# %% backward/inputs is one tensor
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
(x * w).backward(inputs=x)
show(x.grad, w.grad)

# %% backward/inputs not a leaf
x = torch.tensor(2.0, requires_grad=True)
y = x * x
(y * 3).backward(inputs=[y])
show(y.grad, x.grad)

# %% backward/inputs empty
x = torch.tensor(2.0, requires_grad=True)
attempt(lambda: (x * x).backward(inputs=[]))

# %% backward/inputs without requires_grad
x = torch.tensor(2.0, requires_grad=True)
c = torch.tensor(2.0)
attempt(lambda: (x * c).backward(inputs=[c]))

# %% backward/inputs unused
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
attempt(lambda: (x * x).backward(inputs=[w]))
show(w.grad, x.grad)

# %% backward/integer output
x = torch.tensor(2.0, requires_grad=True)
attempt(lambda: (x * x).to(torch.int64).backward())

# %% backward/float16
x = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
(x * x).sum().backward()
show(x.grad)

# %% backward/float64
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
(x * x).sum().backward()
show(x.grad)

# %% backward/through a cast
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x.to(torch.float16) * 3).sum().backward()
show(x.grad)

# %% backward/broadcasting
x = torch.tensor([[1.0], [2.0]], requires_grad=True)
w = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
(x * w).sum().backward()
show(x.grad, w.grad)

# %% backward/matmul
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
w = torch.tensor([[3.0], [4.0]], requires_grad=True)
(x @ w).sum().backward()
show(x.grad, w.grad)

# %% backward/control flow
def f(x):
    return x * x if x > 2 else 5 * x

for value in (3.0, 1.0):
    x = torch.tensor(value, requires_grad=True)
    f(x).backward()
    show(x.grad)

# %% backward/after an exception
x = torch.tensor(3.0, requires_grad=True)
y = x * x
attempt(lambda: y.backward(torch.ones(5)))
y.backward()
show(x.grad)

# %% leaf/flags
x = torch.tensor(3.0, requires_grad=True)
c = torch.tensor(3.0)
y = x * c
show(x.is_leaf, c.is_leaf, y.is_leaf, (c * 2).is_leaf)
show(x.requires_grad, c.requires_grad, y.requires_grad, (c * 2).requires_grad)
show(x.grad_fn is None, c.grad_fn is None, y.grad_fn is None)

# %% leaf/grad of a non-leaf
x = torch.tensor(3.0, requires_grad=True)
y = x * x
(y * 2).backward()
show(y.grad, x.grad)

# %% leaf/retain_grad
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.retain_grad()
show(y.retains_grad, x.retains_grad)
(y * 2).backward()
show(y.grad, x.grad)

# %% leaf/retain_grad accumulates
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.retain_grad()
(y * 2).backward(retain_graph=True)
(y * 2).backward()
show(y.grad, x.grad)

# %% leaf/retain_grad on a leaf
x = torch.tensor(3.0, requires_grad=True)
x.retain_grad()
(x * x).backward()
show(x.grad)

# %% leaf/retain_grad without requires_grad
attempt(lambda: torch.tensor(3.0).retain_grad())

# %% leaf/requires_grad_
x = torch.tensor(3.0)
show(x.requires_grad_() is x, x.requires_grad, x.is_leaf)
(x * x).backward()
show(x.grad)

# %% leaf/requires_grad_ False
x = torch.tensor(3.0, requires_grad=True)
show(x.requires_grad_(False).requires_grad)
show((x * x).requires_grad)

# %% leaf/requires_grad set
x = torch.tensor(3.0)
x.requires_grad = True
(x * x).backward()
show(x.grad)
attempt(lambda: setattr(x, "requires_grad", 1))
attempt(lambda: setattr(x, "requires_grad", "yes"))

# %% leaf/requires_grad off for a result
x = torch.tensor(3.0, requires_grad=True)
y = x * x
attempt(lambda: setattr(y, "requires_grad", False))
attempt(lambda: y.requires_grad_(False))
show(y.requires_grad_(True).requires_grad)

# %% leaf/integers do not require grad
attempt(lambda: torch.tensor(3, requires_grad=True))
attempt(lambda: torch.tensor(3).requires_grad_())
attempt(lambda: torch.tensor(True, requires_grad=True))

# %% leaf/integer results do not require grad
x = torch.tensor([3.5, 1.0], requires_grad=True)
show((x > 2).requires_grad, x.argmax().requires_grad, x.to(torch.int32).requires_grad)

# %% leaf/creation functions
for t in (torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)):
    show(t, t.requires_grad, t.is_leaf)

# %% leaf/random creation
torch.manual_seed(0)
for t in (torch.randn(2, requires_grad=True), torch.rand(2, requires_grad=True)):
    show(t.requires_grad, t.is_leaf)

# %% leaf/frozen after use
x = torch.tensor(3.0, requires_grad=True)
y = x * x
x.requires_grad = False
attempt(lambda: y.backward())
show(x.grad)

# %% leaf/item and numpy
x = torch.tensor(3.0, requires_grad=True)
show(x.item(), float(x))
attempt(lambda: x.numpy().item())
show(x.detach().numpy().item())

# %% leaf/copies
x = torch.tensor([3.0], requires_grad=True)
show(x.clone().requires_grad, x.clone().is_leaf, x.detach().clone().requires_grad, x.data.requires_grad)
attempt(lambda: __import__("copy").deepcopy(x).requires_grad)
attempt(lambda: __import__("copy").deepcopy(x * 2))

# %% cut/detach
x = torch.tensor(3.0, requires_grad=True)
y = x * x.detach()
y.backward()
show(x.grad, x.detach().requires_grad, x.detach().is_leaf)

# %% cut/detach shares memory
x = torch.tensor([1.0, 2.0], requires_grad=True)
d = x.detach()
d[0] = 9.0
show(x, d)

# %% cut/detach of a result shares memory
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
d = y.detach()
d.mul_(10)
show(y, d)

# %% cut/detach_
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.detach_()
show(y.requires_grad, y.is_leaf)

# %% cut/no_grad
x = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    y = x * x
    show(torch.is_grad_enabled(), y.requires_grad)
show(torch.is_grad_enabled(), y.requires_grad)
attempt(lambda: y.backward())

# %% cut/no_grad as a decorator
x = torch.tensor(3.0, requires_grad=True)

@torch.no_grad()
def f(x):
    return x * x

show(f(x).requires_grad, f.__name__)

@torch.no_grad
def g(x):
    return x * x

show(g(x).requires_grad)

# %% cut/no_grad part of an expression
x = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    c = x * x
(c * x).backward()
show(x.grad)

# %% cut/leaf made inside no_grad
with torch.no_grad():
    x = torch.tensor(3.0, requires_grad=True)
show(x.requires_grad)
(x * x).backward()
show(x.grad)

# %% cut/enable_grad inside no_grad
x = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    with torch.enable_grad():
        y = x * x
    z = x * x
show(y.requires_grad, z.requires_grad)

# %% cut/enable_grad as a decorator
x = torch.tensor(3.0, requires_grad=True)

@torch.enable_grad()
def f(x):
    return x * x

with torch.no_grad():
    show(f(x).requires_grad)

# %% cut/set_grad_enabled as a context
x = torch.tensor(3.0, requires_grad=True)
for flag in (True, False):
    with torch.set_grad_enabled(flag):
        y = x * x
    show(y.requires_grad, torch.is_grad_enabled())

# %% cut/set_grad_enabled as a function
x = torch.tensor(3.0, requires_grad=True)
torch.set_grad_enabled(False)
show((x * x).requires_grad)
torch.set_grad_enabled(True)
show((x * x).requires_grad)

# %% cut/set_grad_enabled as a decorator
x = torch.tensor(3.0, requires_grad=True)

@torch.set_grad_enabled(False)
def f(x):
    return x * x

show(f(x).requires_grad, torch.is_grad_enabled())

# %% cut/no_grad is left by an exception
try:
    with torch.no_grad():
        raise ValueError
except ValueError:
    show(torch.is_grad_enabled())

# %% cut/backward inside no_grad
x = torch.tensor(3.0, requires_grad=True)
y = x * x
with torch.no_grad():
    y.backward()
show(x.grad)

# %% cut/inference_mode
x = torch.tensor(3.0, requires_grad=True)
with torch.inference_mode():
    y = x * x
show(y.requires_grad)

# %% grad/one input
x = torch.tensor(3.0, requires_grad=True)
show(torch.autograd.grad(x * x, x), x.grad)

# %% grad/two inputs
x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
show(torch.autograd.grad(x * w * w, (x, w)))
show(torch.autograd.grad(x * w * w, [w]))

# %% grad/towards a result
x = torch.tensor(3.0, requires_grad=True)
y = x * x
show(torch.autograd.grad(y * 5, y))

# %% grad/two outputs
x = torch.tensor(3.0, requires_grad=True)
show(torch.autograd.grad([x * x, 5 * x], x))
show(torch.autograd.grad((x * x, 5 * x), x, (torch.tensor(1.0), torch.tensor(10.0))))

# %% grad/grad_outputs
x = torch.tensor([1.0, 2.0], requires_grad=True)
show(torch.autograd.grad(x * x, x, torch.tensor([1.0, 10.0])))
show(torch.autograd.grad(x * x, x, grad_outputs=torch.ones(2)))
attempt(lambda: torch.autograd.grad(x * x, x))
attempt(lambda: torch.autograd.grad(x * x, x, torch.ones(3)))

# %% grad/unused
x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
attempt(lambda: torch.autograd.grad(x * x, w))
attempt(lambda: torch.autograd.grad(x * x, (x, w)))
attempt(lambda: torch.autograd.grad(x * x, (x, w), allow_unused=True))
attempt(lambda: torch.autograd.grad(x * x, (x, w), materialize_grads=True))
attempt(lambda: torch.autograd.grad(x * x, (x, w), allow_unused=False, materialize_grads=True))

# %% grad/input without requires_grad
x = torch.tensor(3.0, requires_grad=True)
c = torch.tensor(5.0)
attempt(lambda: torch.autograd.grad(x * c, c))
attempt(lambda: torch.autograd.grad(x * c, c, allow_unused=True))

# %% grad/output without graph
x = torch.tensor(3.0, requires_grad=True)
attempt(lambda: torch.autograd.grad(torch.tensor(1.0), x))

# %% grad/freed graph
x = torch.tensor(3.0, requires_grad=True)
y = x * x
torch.autograd.grad(y, x)
attempt(lambda: torch.autograd.grad(y, x))

# %% grad/retain_graph
x = torch.tensor(3.0, requires_grad=True)
y = x * x
show(torch.autograd.grad(y, x, retain_graph=True), torch.autograd.grad(y, x))

# %% grad/create_graph
x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x * x * x, x, create_graph=True)
(h,) = torch.autograd.grad(g, x, create_graph=True)
(k,) = torch.autograd.grad(h, x)
show(g, h, k, g.requires_grad, k.requires_grad)

# %% grad/second order without create_graph
x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x * x * x, x)
show(g.requires_grad)
attempt(lambda: torch.autograd.grad(g, x))

# %% grad/gradient penalty
x = torch.tensor([[0.5, 0.25]], requires_grad=True)
w = torch.tensor([[1.0, 2.0]], requires_grad=True)
(g,) = torch.autograd.grad(torch.tanh(x * w).sum(), x, create_graph=True)
(g * g).sum().backward()
show(g, x.grad, w.grad)

# %% grad/changes no grad attributes
x = torch.tensor(2.0, requires_grad=True)
torch.autograd.grad(x * x, x)
show(x.grad)

# %% grad/same input twice
x = torch.tensor(3.0, requires_grad=True)
attempt(lambda: torch.autograd.grad(x * x, (x, x)))

# %% grad/empty inputs
x = torch.tensor(3.0, requires_grad=True)
attempt(lambda: torch.autograd.grad(x * x, []))

# %% grad/is_grads_batched
x = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True))

# %% grad/complex function of a real
x = torch.tensor([1.0], requires_grad=True)
y = torch.complex(x, 2 * x) * torch.tensor([3 + 4j])
show(torch.autograd.grad(y.real, x, torch.ones(1), retain_graph=True))
show(torch.autograd.grad(y.imag, x, torch.ones(1)))

# %% grad/complex modulus
x = torch.tensor([3 + 4j], requires_grad=True)
show(torch.autograd.grad(x.abs().sum(), x))

# %% grad/complex square
x = torch.tensor([1 + 2j], requires_grad=True)
show(torch.autograd.grad(x * x, x, torch.ones(1, dtype=torch.complex64)))

# %% grad/complex real and imaginary part
x = torch.tensor([1 + 2j], requires_grad=True)
show(torch.autograd.grad(x.real.sum(), x), torch.autograd.grad(x.imag.sum(), x))

# %% grad/complex conjugate
x = torch.tensor([1 + 2j], requires_grad=True)
show(torch.autograd.grad(x.conj(), x, torch.tensor([1 + 1j])))

# %% grad/complex exp and log
x = torch.tensor([1 + 2j], requires_grad=True)
one = torch.ones(1, dtype=torch.complex64)
show(torch.autograd.grad(x.exp(), x, one), torch.autograd.grad(x.log(), x, one))

# %% grad/complex output needs a gradient
x = torch.tensor(1 + 2j, requires_grad=True)
attempt(lambda: (x * x).backward())

# %% grad/autograd.backward
x = torch.tensor(3.0, requires_grad=True)
torch.autograd.backward(x * x)
show(x.grad)
torch.autograd.backward([x * x, 5 * x])
show(x.grad)

# %% grad/autograd.backward with gradients
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward(x * x, torch.tensor([1.0, 10.0]))
show(x.grad)
torch.autograd.backward([x * x, x.sum()], [torch.ones(2), None])
show(x.grad)
attempt(lambda: torch.autograd.backward([x * x, x * 2], [torch.ones(2)]))

# %% grad/autograd.backward without tensors
attempt(lambda: torch.autograd.backward([]))
attempt(lambda: torch.autograd.backward(3.0))

# %% function/own derivative
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 20

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Twice.apply(x)
y.sum().backward()
show(y, y.requires_grad, y.is_leaf, x.grad)

# %% function/saved tensors
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, g * x

x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
Product.apply(x, w).backward()
show(x.grad, w.grad)

# %% function/needs_input_grad
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        show(ctx.needs_input_grad)
        return g * w if ctx.needs_input_grad[0] else None, g * x if ctx.needs_input_grad[1] else None

x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(5.0)
Product.apply(x, w).backward()
show(x.grad, w.grad)

# %% function/numbers as arguments
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k, name):
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None, None

x = torch.tensor(3.0, requires_grad=True)
Scale.apply(x, 7.0, "seven").backward()
show(x.grad)

# %% function/None for an input that needs a gradient
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None

x = torch.tensor(3.0, requires_grad=True)
(Twice.apply(x) + x).backward()
show(x.grad)

# %% function/too few gradients
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        return x * w

    @staticmethod
    def backward(ctx, g):
        return g

x = torch.tensor(3.0, requires_grad=True)
attempt(lambda: Product.apply(x, torch.tensor(1.0)).backward())

# %% function/too many gradients
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, g

x = torch.tensor(3.0, requires_grad=True)
attempt(lambda: Twice.apply(x).backward())

# %% function/gradient of the wrong shape
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(3)

x = torch.tensor([3.0, 1.0], requires_grad=True)
attempt(lambda: Twice.apply(x).sum().backward())

# %% function/two outputs
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        show(g, h)
        return g * 10 + h * 100

x = torch.tensor(3.0, requires_grad=True)
a, b = Both.apply(x)
(a + 2 * b).backward()
show(x.grad)

# %% function/unused output gets zeros
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        show(g, h)
        return g * 10 + h * 100

x = torch.tensor(3.0, requires_grad=True)
a, b = Both.apply(x)
a.backward()
show(x.grad)

# %% function/set_materialize_grads
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        show(g, h)
        return g * 10

x = torch.tensor(3.0, requires_grad=True)
a, b = Both.apply(x)
a.backward()
show(x.grad)

# %% function/mark_non_differentiable
class Rank(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        order = x * 0 + 1
        ctx.mark_non_differentiable(order)
        return x * 2, order

    @staticmethod
    def backward(ctx, g, h):
        show(g, h)
        return g * 2

x = torch.tensor([3.0, 1.0], requires_grad=True)
y, order = Rank.apply(x)
show(y.requires_grad, order.requires_grad)
y.sum().backward()
show(x.grad)

# %% function/once_differentiable
from torch.autograd.function import once_differentiable

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

x = torch.tensor(3.0, requires_grad=True)
Square.apply(x).backward()
show(x.grad)
(g,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
attempt(lambda: torch.autograd.grad(g, x))

# %% function/second order
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * x

x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
(h,) = torch.autograd.grad(g, x)
show(g, h)

# %% function/saved result
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y

x = torch.tensor(1.0, requires_grad=True)
(g,) = torch.autograd.grad(Exp.apply(x), x, create_graph=True)
(h,) = torch.autograd.grad(g, x)
show(g, h)

# %% function/setup_context
class Square(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

x = torch.tensor(3.0, requires_grad=True)
Square.apply(x).backward()
show(x.grad)

# %% function/nothing requires grad
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        show(torch.is_grad_enabled())
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 20

show(Twice.apply(torch.tensor(1.0)).requires_grad)

# %% function/without forward or backward
class Empty(torch.autograd.Function):
    pass

class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

x = torch.tensor(3.0, requires_grad=True)
attempt(lambda: Empty.apply(x))
attempt(lambda: Half.apply(x).backward())

# %% function/called directly
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

attempt(lambda: Twice()(torch.tensor(3.0)))

# %% function/straight through
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g

x = torch.tensor([0.4, 1.6], requires_grad=True)
(Round.apply(x) * x).sum().backward()
show(x.grad)

# %% place/leaf
x = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: x.add_(1))
attempt(lambda: x.__setitem__(0, 5.0))
attempt(lambda: x.__iadd__(1))
attempt(lambda: x.zero_())
show(x)

# %% place/leaf inside no_grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    x -= 0.5
    x[0] = 9.0
show(x, x.requires_grad, x.is_leaf)

# %% place/leaf data
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.data.mul_(10)
show(x)
x.data = torch.tensor([5.0, 6.0])
show(x, x.requires_grad)

# %% place/view of a leaf
x = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: x[0].mul_(2))
attempt(lambda: x.view(2, 1).mul_(2))

# %% place/result
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.add_(x)
y.mul_(3)
y.sum().backward()
show(y, x.grad)

# %% place/returns itself
y = torch.tensor([1.0, 2.0])
z = y.add_(1)
show(z is y, y)

# %% place/augmented assignment
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
z = y
y += x
y *= x
show(z is y, z)
y.sum().backward()
show(x.grad)

# %% place/row of a result
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
v = y[0]
v.mul_(2)
(y * y).sum().backward()
show(y, v, x.grad)

# %% place/row by the row itself
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
v = y[0]
v.mul_(x[1])
y.sum().backward()
show(y, x.grad)

# %% place/view of a view
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
v = y[0][1]
v.mul_(10)
(y * y).sum().backward()
show(y, x.grad)

# %% place/base changed and view read
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
v = y[0]
y.mul_(x)
v.backward()
show(v, x.grad)

# %% place/transposed view
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
y.t()[0].mul_(10)
y.sum().backward()
show(y, x.grad)

# %% place/reshaped view
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
y.view(-1)[3] = 0.0
(y * y).sum().backward()
show(y, x.grad)

# %% place/index assignment
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.zeros(3)
y[0] = x[1] * 2
y[1:] = x * x
show(y.requires_grad, y.is_leaf)
y.sum().backward()
show(y, x.grad)

# %% place/index assignment of a constant
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
y[1] = 7.0
y.sum().backward()
show(y, x.grad)

# %% place/mask assignment
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y[x > 1.5] = 0.0
(y * y).sum().backward()
show(y, x.grad)

# %% place/copy_
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.zeros(2)
y.copy_(x)
(y * y).sum().backward()
show(y.requires_grad, x.grad)

# %% place/zero_ and fill_
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
z = y + 0
y.zero_()
(y + z).sum().backward()
show(y, x.grad)

# %% place/value saved before it was changed
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = y * y
y.mul_(10)
attempt(lambda: z.sum().backward())

# %% place/value not saved before it was changed
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = y + 1
y.mul_(10)
(z + y).sum().backward()
show(x.grad)

# %% place/constant changed by a recorded value
x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.ones(2)
c.mul_(x)
show(c.requires_grad, c.is_leaf)
c.sum().backward()
show(x.grad)

# %% place/inside no_grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
with torch.no_grad():
    y.mul_(10)
y.sum().backward()
show(y, x.grad)

# %% place/in-place relu
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = x * 3
y.relu_()
y.sum().backward()
show(y, x.grad)

# %% place/clamp_ and sub_ and div_
x = torch.tensor([1.0, 4.0], requires_grad=True)
y = x * 2
y.sub_(1).div_(2).clamp_(max=2.0)
y.sum().backward()
show(y, x.grad)

# %% place/dtype is kept
y = torch.tensor([1, 2])
attempt(lambda: y.add_(1))
attempt(lambda: y.add_(1.5))
attempt(lambda: y.mul_(torch.tensor([2.0, 2.0])))

# %% place/shape is kept
y = torch.tensor([1.0, 2.0])
attempt(lambda: y.add_(torch.ones(2, 2)))

# %% place/second order
x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.mul_(x)
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g, x)
show(g, h)

# %% place/loop that collects
x = torch.tensor(2.0, requires_grad=True)
out = torch.zeros(4)
out[0] = x
for i in range(1, 4):
    out[i] = out[i - 1].clone() * x
out.sum().backward()
show(out, x.grad)

# %% hook/tensor
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.register_hook(lambda g: show("hook", g))
(y * 3).sum().backward()
show(x.grad)

# %% hook/replaces
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.register_hook(lambda g: g * 10)
y.sum().backward()
show(x.grad)

# %% hook/leaf
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g * 10)
(x * x).sum().backward()
show(x.grad)

# %% hook/leaf sees the sum of its uses
x = torch.tensor(3.0, requires_grad=True)
x.register_hook(lambda g: show("hook", g))
(x * x + 2 * x).backward()
show(x.grad)

# %% hook/several in order
x = torch.tensor(3.0, requires_grad=True)
x.register_hook(lambda g: g + 1)
x.register_hook(lambda g: g * 10)
(x * x).backward()
show(x.grad)

# %% hook/removed
x = torch.tensor(3.0, requires_grad=True)
handle = x.register_hook(lambda g: g * 10)
(x * x).backward()
handle.remove()
(x * x).backward()
show(x.grad)

# %% hook/with retain_grad
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.retain_grad()
y.register_hook(lambda g: g * 10)
(y * 2).backward()
show(y.grad, x.grad)

# %% hook/with autograd.grad
x = torch.tensor(3.0, requires_grad=True)
x.register_hook(lambda g: g * 10)
show(torch.autograd.grad(x * x, x))

# %% hook/without requires_grad
attempt(lambda: torch.tensor(3.0).register_hook(lambda g: g))

# %% hook/wrong result
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.register_hook(lambda g: torch.ones(3))
attempt(lambda: y.sum().backward())

# %% hook/no tensor
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.register_hook(lambda g: 3)
attempt(lambda: y.sum().backward())

# %% hook/raises
x = torch.tensor(1.0, requires_grad=True)

def hook(g):
    raise KeyError("hook")

x.register_hook(hook)
attempt(lambda: (x * x).backward())
show(x.grad)

# %% hook/post accumulate
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda p: show("now", p.grad))
(x * x).sum().backward()

# %% hook/module forward and forward pre
class Net(nn.Module):
    def forward(self, x):
        print("forward")
        return x * x

net = Net()
net.register_forward_pre_hook(lambda m, args: show("pre", type(m).__name__, args))
net.register_forward_hook(lambda m, args, out: show("post", type(m).__name__, args, out))
show(net(torch.tensor(3.0)))

# %% hook/module forward replaces
class Net(nn.Module):
    def forward(self, x):
        return x * x

net = Net()
net.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
net.register_forward_hook(lambda m, args, out: out * 10)
x = torch.tensor(3.0, requires_grad=True)
y = net(x)
y.backward()
show(y, x.grad)

# %% hook/module forward pre gives no tuple
class Net(nn.Module):
    def forward(self, x):
        return x * x

net = Net()
net.register_forward_pre_hook(lambda m, args: args[0] + 1)
show(net(torch.tensor(3.0)))

# %% hook/module full backward
class Net(nn.Module):
    def forward(self, x):
        return x * x

net = Net()
handle = net.register_full_backward_hook(lambda m, gi, go: show("backward", gi, go))
x = torch.tensor(3.0, requires_grad=True)
(net(x) * 5).backward()
handle.remove()
(net(x) * 5).backward()
show(x.grad)

# %% hook/module full backward replaces
class Net(nn.Module):
    def forward(self, x):
        return x * x

net = Net()
net.register_full_backward_hook(lambda m, gi, go: (gi[0] * 100,))
net.register_full_backward_pre_hook(lambda m, go: (go[0] * 10,))
x = torch.tensor(3.0, requires_grad=True)
net(x).backward()
show(x.grad)

# %% hook/module full backward of an input without grad
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return x * self.w

net = Net()
net.register_full_backward_hook(lambda m, gi, go: show("backward", gi, go))
net(torch.tensor(3.0)).backward()
show(net.w.grad)

# %% module/parameters
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([2.0, 3.0]))
        self.b = nn.Parameter(torch.tensor(1.0), requires_grad=False)

    def forward(self, x):
        return (x * self.w + self.b).sum()

net = Net()
net(torch.tensor([1.0, 10.0])).backward()
show([name for name, _ in net.named_parameters()], net.w.grad, net.b.grad, net.w.requires_grad, net.w.is_leaf)

# %% module/linear and loss
net = nn.Linear(2, 1)
with torch.no_grad():
    net.weight.fill_(1.0)
    net.bias.zero_()
loss = F.mse_loss(net(torch.tensor([[1.0, 2.0]])), torch.tensor([[1.0]]))
loss.backward()
show(loss, net.weight.grad, net.bias.grad)

# %% module/sgd
net = nn.Linear(2, 1)
with torch.no_grad():
    net.weight.fill_(1.0)
    net.bias.zero_()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = F.mse_loss(net(torch.tensor([[1.0, 2.0]])), torch.tensor([[1.0]]))
    loss.backward()
    opt.step()
    show(loss)
show(net.weight, net.bias)

# %% module/zero_grad
net = nn.Linear(2, 1)
net(torch.ones(1, 2)).backward()
net.zero_grad()
show(net.weight.grad)
net(torch.ones(1, 2)).backward()
net.zero_grad(set_to_none=False)
show(net.weight.grad)

# %% module/accumulation over micro-batches
net = nn.Linear(2, 1)
with torch.no_grad():
    net.weight.fill_(1.0)
    net.bias.zero_()
for k in range(3):
    (net(torch.tensor([[1.0, float(k)]])).sum() / 3).backward()
show(net.weight.grad, net.bias.grad)

# %% module/freezing
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
net[0].requires_grad_(False)
net(torch.ones(1, 2)).sum().backward()
show(net[0].weight.grad is None, net[1].bias.grad)

# %% module/clip_grad_norm_
x = torch.tensor([3.0, 4.0], requires_grad=True)
w = torch.tensor([12.0], requires_grad=True)
((x * x).sum() / 2 + (w * w).sum() / 2).backward()
total = nn.utils.clip_grad_norm_([x, w], 1.0)
show(total, x.grad, w.grad)

# %% module/clip_grad_value_
x = torch.tensor([3.0, -4.0, 0.5], requires_grad=True)
((x * x).sum() / 2).backward()
nn.utils.clip_grad_value_([x], 1.0)
show(x.grad)

# %% module/parameter of a Parameter
p = nn.Parameter(torch.tensor([1.0, 2.0]))
show(type(p).__name__, p.requires_grad, p.is_leaf, isinstance(p, torch.Tensor), type(p * 2).__name__)
attempt(lambda: nn.Parameter(torch.tensor([1, 2])))
show(nn.Parameter(torch.tensor([1, 2]), requires_grad=False).requires_grad)

# %% print/tensors
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x)
print(x.detach())
print(torch.tensor(3.0), torch.tensor([1, 2]), torch.tensor([True]))

# %% print/results
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x.grad)
(x * x).sum().backward()
print(x.grad)

# %% print/Variable
from torch.autograd import Variable

x = Variable(torch.ones(2, 2), requires_grad=True)
show(x, x.requires_grad, isinstance(x, torch.Tensor))
y = x * 2
y.backward(x)
show(x.grad)

# %% point/kinks
x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
for f in (torch.abs, torch.relu, torch.sign, lambda t: t.clamp(-1, 0)):
    show(torch.autograd.grad(f(x).sum(), x))

# %% point/equal maxima
x = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
show(torch.autograd.grad(x.max(), x), torch.autograd.grad(x.amax(), x))
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 3.0], requires_grad=True)
show(torch.autograd.grad(torch.maximum(a, b).sum(), (a, b)))

# %% point/infinite slope
x = torch.tensor([0.0, 4.0], requires_grad=True)
show(torch.autograd.grad(x.sqrt().sum(), x), torch.autograd.grad((x**2).sum(), x), torch.autograd.grad(x.norm(), x))

# %% point/where
x = torch.tensor([0.0, 4.0], requires_grad=True)
show(torch.autograd.grad(torch.where(x > 0, x.sqrt(), x * 0).sum(), x))


# %% function/saved tensors are the ones that were given
class Saving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        ctx.other = w
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        seen.append([x.requires_grad, w.requires_grad, w is weight, w.is_leaf, x.grad_fn is not None])
        seen.append([torch.is_grad_enabled(), ctx.other is weight])
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            return torch.autograd.grad(x * w, (x, w), g)


seen = []
weight = torch.nn.Parameter(torch.tensor([2.0]))
x = torch.tensor([3.0], requires_grad=True)
Saving.apply(x * 2, weight).sum().backward()
Saving.apply(torch.ones(1), weight).sum().backward()
show(str(seen), x.grad, weight.grad)
with torch.no_grad():
    y = weight * 1
z = Saving.apply(x, weight)
z.sum().backward()
show(x.grad, weight.grad)
