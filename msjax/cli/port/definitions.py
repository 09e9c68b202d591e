"""Definitions that a ported program carries, where MindSpore has nothing that does the same."""

from msjax.cli.port import image_definitions, layer_definitions, state_definitions

_ATTENTION = '''

def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """Attention as PyTorch's function of that name computes it."""
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = ops.matmul(query, key.swapaxes(-2, -1)) * scale
    if is_causal:
        attn_mask = ops.tril(ops.ones((query.shape[-2], key.shape[-2]), ms.bool_))
    if attn_mask is not None and attn_mask.dtype == ms.bool_:
        scores = scores.masked_fill(ops.logical_not(attn_mask), float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = ops.softmax(scores, axis=-1)
    return ops.matmul(ops.dropout(weights, p=dropout_p) if dropout_p else weights, value)
'''

_NAMED_CELLS = '''

class NamedCells(nn.Cell):
    """Cells by name, as PyTorch's ModuleDict has them; those of nn.CellDict may not be lists."""

    def __init__(self, cells):
        super().__init__()
        for name, cell in cells.items():
            setattr(self, name, cell)

    def __getitem__(self, name):
        return self.name_cells()[name]

    def __contains__(self, name):
        return name in self.name_cells()

    def keys(self):
        return self.name_cells().keys()

    def values(self):
        return self.name_cells().values()

    def items(self):
        return self.name_cells().items()
'''

_LAYER_NORM = '''

class LayerNorm(nn.Cell):
    """Normalization over the last axes, without a bias or without both parameters."""

    def __init__(self, shape, epsilon=1e-5, affine=True, has_bias=True):
        super().__init__()
        self.shape, self.epsilon = (shape,) if isinstance(shape, int) else tuple(shape), epsilon
        self.gamma = ms.Parameter(ops.ones(self.shape), name="gamma") if affine else ops.ones(self.shape)
        self.beta = ms.Parameter(ops.zeros(self.shape), name="beta") if affine and has_bias else ops.zeros(self.shape)

    def construct(self, x):
        return layer_norm(x, self.shape, self.gamma, self.beta, self.epsilon)
'''

_RMS_NORM = '''

class RMSNorm(nn.Cell):
    """Division by the root of the mean square over the last axes."""

    def __init__(self, shape, epsilon=None, affine=True):
        super().__init__()
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.axes, self.epsilon = tuple(range(-len(shape), 0)), epsilon
        self.weight = ms.Parameter(ops.ones(shape), name="weight") if affine else None

    def construct(self, x):
        epsilon = 1.1920929e-07 if self.epsilon is None else self.epsilon
        found = x * ops.rsqrt(ops.mean(x * x, axis=self.axes, keep_dims=True) + epsilon)
        return found if self.weight is None else found * self.weight
'''

_GAIN = '''

def calculate_gain(nonlinearity, param=None):
    """The factor of initial weights in front of an activation."""
    slope = 0.01 if param is None else param
    gains = {"tanh": 5 / 3, "relu": 2**0.5, "leaky_relu": (2 / (1 + slope**2)) ** 0.5, "selu": 0.75}
    return gains.get(nonlinearity, 1.0)
'''

_SUBSET = '''

class Subset(dataloader.Dataset):
    """The samples of a data set at some indices."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return self.dataset[int(self.indices[index])]
'''

_SUBSET_SAMPLER = '''

class SubsetRandomSampler(dataloader.Sampler):
    """Some indices, in another order each time."""

    def __init__(self, indices):
        self.indices = list(indices)

    def __iter__(self):
        return iter([self.indices[i] for i in np.random.permutation(len(self.indices))])

    def __len__(self):
        return len(self.indices)
'''

_WEIGHTED_SAMPLER = '''

class WeightedRandomSampler(dataloader.Sampler):
    """Indices with probabilities that are proportional to weights."""

    def __init__(self, weights, num_samples, replacement=True):
        weights = np.array([float(weight) for weight in weights])
        self.shares, self.num_samples, self.replacement = weights / weights.sum(), num_samples, replacement

    def __iter__(self):
        return iter(np.random.choice(len(self.shares), self.num_samples, self.replacement, self.shares).tolist())

    def __len__(self):
        return self.num_samples
'''

_RANDOM_SPLIT = '''

def random_split(dataset, lengths):
    """Parts of a data set, at random; the lengths are numbers of samples, or shares that add up to 1."""
    total = len(dataset)
    if abs(sum(lengths) - 1) < 1e-6 and any(length != int(length) for length in lengths):
        lengths = [int(total * share) for share in lengths]
        for i in range(total - sum(lengths)):
            lengths[i % len(lengths)] += 1
    if sum(lengths) != total:
        raise ValueError(f"The lengths {lengths} do not add up to the {total} samples.")
    order, ends = np.random.permutation(total).tolist(), np.cumsum(lengths).tolist()
    return [Subset(dataset, order[end - length : end]) for length, end in zip(lengths, ends)]
'''

_CONCAT = '''

class ConcatDataset(dataloader.Dataset):
    """Data sets one after another."""

    def __init__(self, datasets):
        self.datasets = list(datasets)

    def __len__(self):
        return sum(map(len, self.datasets))

    def __getitem__(self, index):
        index = range(len(self))[index]
        for dataset in self.datasets:
            if index < len(dataset):
                return dataset[index]
            index -= len(dataset)
'''

_SAVE = '''

class CellPickler(pickle.Pickler):
    """Writes Cells, too: the operators in them by the arguments that they were made with."""

    def reducer_override(self, value):
        if isinstance(value, ops.Primitive):
            return functools.partial(type(value), **value.init_attrs), ()
        return NotImplemented


def save(what, path):
    """Write Tensors, Cells, numbers, lists and dictionaries of them, as `load` reads them."""

    def plain(value):
        if isinstance(value, ms.Tensor):
            return ("Tensor", value.astype(ms.float32).asnumpy(), str(value.dtype)) if value.dtype == ms.bfloat16 else (
                "Tensor", value.asnumpy(), str(value.dtype))
        if isinstance(value, dict):
            return {key: plain(part) for key, part in value.items()}
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)(plain(part) for part in value)
        return value

    with contextlib.nullcontext(path) if hasattr(path, "write") else open(path, "wb") as file:
        CellPickler(file).dump(plain(what))


def load(path):
    """Read what `save` wrote."""

    def tensors(value):
        if isinstance(value, tuple) and len(value) == 3 and value[0] == "Tensor":
            return ms.Tensor(value[1], getattr(ms, {"Bool": "bool_"}.get(value[2], value[2].lower())))
        if isinstance(value, dict):
            return type(value)((key, tensors(part)) for key, part in value.items())
        return type(value)(map(tensors, value)) if isinstance(value, (list, tuple)) else value

    with contextlib.nullcontext(path) if hasattr(path, "read") else open(path, "rb") as file:
        try:
            return tensors(pickle.load(file))
        except pickle.UnpicklingError as error:
            hint = "Convert PyTorch's weights with `msjax port`."
            raise ValueError(f"{path} is not a file that `save` wrote. {hint}") from error
'''

_PARAMETERS_OF = '''

def parameters_of(cell):
    """The parameters of a Cell without the statistics of normalization, which are no parameters in PyTorch."""
    statistics = ("moving_mean", "moving_variance", "running_mean", "running_var", "num_batches_tracked")
    return (parameter for parameter in cell.get_parameters() if not parameter.name.endswith(statistics))
'''
_NAMED_PARAMETERS_OF = '''

def named_parameters_of(cell):
    """The parameters of a Cell under PyTorch's names, without the statistics of normalization."""
    statistics = ("moving_mean", "moving_variance", "running_mean", "running_var", "num_batches_tracked")
    others = {"gamma": "weight", "beta": "bias", "embedding_table": "weight", "w": "weight"}
    seen = set()
    for prefix, part in cell.cells_and_names():
        for name, each in part.parameters_and_names(prefix, expand=False):
            before, dot, last = name.rpartition(".")
            renamed = others.get(last, last) if hasattr(nn, type(part).__name__) else last
            if not name.endswith(statistics) and id(each) not in seen:
                seen.add(id(each))
                yield f"{before}{dot}{renamed}", each
'''

_CATEGORICAL = '''

class Categorical:
    """The distribution of one of several classes, by probabilities or by logits along the last axis."""

    def __init__(self, probs=None, logits=None):
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdims=True)
            self.logits = ops.log(ops.clamp(self.probs, 1.1920929e-07, 1 - 1.1920929e-07))
        else:
            self.logits = logits - ops.logsumexp(logits, -1, True)
            self.probs = ops.softmax(self.logits, -1)

    @property
    def mode(self):
        return self.probs.argmax(-1)

    def sample(self, sample_shape=()):
        classes, count = self.probs.shape[-1], int(np.prod(tuple(sample_shape)))
        drawn = ops.multinomial(ops.stop_gradient(self.probs).reshape(-1, classes), count, replacement=True)
        return drawn.astype(ms.int64).swapaxes(0, 1).reshape(tuple(sample_shape) + self.probs.shape[:-1])

    def log_prob(self, value):
        value = value.astype(ms.int64)
        logits = ops.broadcast_to(self.logits, value.shape + self.logits.shape[-1:])
        return ops.gather_elements(logits, logits.ndim - 1, value.expand_dims(-1)).squeeze(-1)

    def entropy(self):
        return -(ops.clamp(self.logits, -3.4028235e38, None) * self.probs).sum(-1)
'''

_BERNOULLI = '''

class Bernoulli:
    """The distribution of 0 and 1, by the probability of 1 or by its logits."""

    def __init__(self, probs=None, logits=None):
        if probs is not None:
            self.probs = probs
            inside = ops.clamp(probs, 1.1920929e-07, 1 - 1.1920929e-07)
            self.logits = ops.log(inside) - ops.log1p(-inside)
        else:
            self.logits, self.probs = logits, ops.sigmoid(logits)

    @property
    def mean(self):
        return self.probs

    def sample(self, sample_shape=()):
        probs = ops.stop_gradient(self.probs)
        return (ops.rand(tuple(sample_shape) + probs.shape) < probs).astype(ms.float32)

    def log_prob(self, value):
        return value * self.logits - ops.relu(self.logits) - ops.log1p(ops.exp(-ops.abs(self.logits)))

    def entropy(self):
        return -self.log_prob(self.probs)
'''

_NORMAL = '''

class Normal:
    """The normal distribution, by its mean and its standard deviation."""

    def __init__(self, loc, scale):
        self.loc, self.scale = (x if isinstance(x, ms.Tensor) else ms.Tensor(x, ms.float32) for x in (loc, scale))
        self.shape = (self.loc + self.scale).shape

    @property
    def mean(self):
        return self.loc

    @property
    def stddev(self):
        return self.scale

    def rsample(self, sample_shape=()):
        return self.loc + self.scale * ops.randn(tuple(sample_shape) + self.shape)

    def sample(self, sample_shape=()):
        return ops.stop_gradient(self.rsample(sample_shape))

    def log_prob(self, value):
        return -(((value - self.loc) / self.scale) ** 2) / 2 - ops.log(self.scale) - 0.9189385332046727

    def entropy(self):
        return ops.broadcast_to(1.4189385332046727 + ops.log(self.scale), self.shape)
'''

_KL_DIVERGENCE = '''

def kl_divergence(p, q):
    """The Kullback-Leibler divergence of two distributions of one class."""
    kind = type(p).__name__
    if kind != type(q).__name__ or kind not in ("Categorical", "Bernoulli", "Normal"):
        raise NotImplementedError(f"kl_divergence of {kind} and {type(q).__name__}")
    if kind == "Normal":
        ratio = (p.scale / q.scale) ** 2
        return (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ops.log(ratio)) / 2
    if kind == "Bernoulli":
        found = p.log_prob(p.probs) - q.log_prob(p.probs)
        impossible = ops.logical_or((q.probs == 0) * (p.probs > 0), (q.probs == 1) * (p.probs < 1))
        return found.masked_fill(impossible, float("inf"))
    found = (p.probs * (p.logits - q.logits)).masked_fill(q.probs == 0, float("inf"))
    return found.masked_fill(p.probs == 0, 0.0).sum(-1)
'''

_ONE_CYCLE = '''

class OneCycleLR:
    """The learning rate rises to its maximum and falls to nearly zero; the momentum moves the other way."""

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
        final_div_factor=1e4, three_phase=False,
    ):
        self.groups, self.linear = optimizer.param_groups, anneal_strategy == "linear"
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        highest = max_lr if isinstance(max_lr, (list, tuple)) else [max_lr] * len(self.groups)
        rates = [(h / div_factor, h, h / div_factor / final_div_factor) for h in highest]
        moments, top = (max_momentum, base_momentum, max_momentum), pct_start * self.total_steps - 1
        if three_phase:
            self.ends = (top, 2 * top, self.total_steps - 1)
            rates, moments = [(r[0], r[1], r[0], r[2]) for r in rates], (*moments, max_momentum)
        else:
            self.ends = (top, self.total_steps - 1)
        self.rates, self.moments = rates, moments if cycle_momentum else None
        self.last_epoch = -1
        self.step()

    def between(self, values):
        start = 0
        for i, end in enumerate(self.ends):
            if self.last_epoch <= end or i == len(self.ends) - 1:
                share = (self.last_epoch - start) / (end - start)
                share = share if self.linear else (1 - np.cos(np.pi * share)) / 2
                return float(values[i] + (values[i + 1] - values[i]) * share)
            start = end

    def step(self):
        self.last_epoch += 1
        if self.last_epoch > self.total_steps:
            raise ValueError(f"Step {self.last_epoch} of a schedule of {self.total_steps} steps.")
        for group, rates in zip(self.groups, self.rates):
            group["lr"] = self.between(rates)
            if self.moments is not None:
                moment = self.between(self.moments)
                group.update({"betas": (moment, *group["betas"][1:])} if "betas" in group else {"momentum": moment})

    def get_last_lr(self):
        return [self.between(rates) for rates in self.rates]
'''

_ADAM = '''

class Adam(optim.AdamW):
    """Adam with weight decay as a part of the gradients, and eps where PyTorch has it."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, maximize=False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
        for group in self.param_groups:
            group["decay"], group["weight_decay"] = group["weight_decay"], 0.0

    def construct(self, gradients):
        decayed, at = [], 0
        for group in self.param_groups:
            for parameter in group["params"]:
                decay = -group["decay"] if group["maximize"] else group["decay"]
                decayed.append(gradients[at] + decay * parameter)
                at += 1
        return super().construct(tuple(decayed))
'''

_LBFGS = '''

class LBFGS:
    """The quasi-Newton method of limited memory, without a line search; `closure()` gives the loss and the gradients."""

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100
    ):
        self.parameters, self.lr, self.max_iter = list(params), lr, max_iter
        self.max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad, self.tolerance_change, self.history_size = tolerance_grad, tolerance_change, history_size
        self.history, self.direction, self.gradient, self.length, self.scale = [], None, None, lr, 1.0

    def evaluate(self, closure):
        loss, grads = closure()
        return loss, float(loss), np.concatenate([grad.asnumpy().ravel() for grad in grads])

    def move(self, change):
        for parameter in self.parameters:
            part, change = change[: parameter.size], change[parameter.size :]
            parameter.set_data(parameter + ms.Tensor(part.reshape(parameter.shape), parameter.dtype))

    def next_direction(self, gradient):
        if self.direction is None:
            return -gradient
        change, step = gradient - self.gradient, self.direction * gradient.dtype.type(self.length)
        along = change @ step
        if along > 1e-10:
            self.history = [*self.history, (step, change, 1 / along)][-self.history_size :]
            self.scale = along / (change @ change)
        found, shares = -gradient, []
        for step, change, weight in reversed(self.history):
            shares.append(weight * (step @ found))
            found = found - shares[-1] * change
        found = found * self.scale
        for (step, change, weight), share in zip(self.history, reversed(shares)):
            found = found + (share - weight * (change @ found)) * step
        return found

    def step(self, closure):
        first, value, gradient = self.evaluate(closure)
        evaluations = 1
        if np.abs(gradient).max() <= self.tolerance_grad:
            return first
        for iteration in range(1, self.max_iter + 1):
            fresh = self.direction is None
            self.direction = self.next_direction(gradient)
            self.length = self.lr * (min(1.0, 1 / np.abs(gradient).sum()) if fresh else 1)
            self.gradient, before = gradient, value
            if gradient @ self.direction > -self.tolerance_change:
                break
            change = self.direction * gradient.dtype.type(self.length)
            self.move(change)
            if iteration == self.max_iter:
                break
            _, value, gradient = self.evaluate(closure)
            evaluations += 1
            if evaluations >= self.max_eval or np.abs(gradient).max() <= self.tolerance_grad:
                break
            if np.abs(change).max() <= self.tolerance_change or abs(value - before) < self.tolerance_change:
                break
        return first
'''

_SUMMARY = '''

class SummaryWriter:
    """Numbers, histograms and images by step, written by MindSpore's SummaryRecord."""

    def __init__(self, log_dir=None):
        self.record = ms.SummaryRecord("runs" if log_dir is None else str(log_dir))

    def add(self, kind, tag, value, step):
        self.record.add_value(kind, tag, value if isinstance(value, ms.Tensor) else ms.Tensor(np.asarray(value)))
        self.record.record(int(step or 0))

    def add_scalar(self, tag, scalar_value, global_step=None, *_, **__):
        self.add("scalar", tag, ms.Tensor(float(scalar_value), ms.float32), global_step)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, *_, **__):
        for tag, value in tag_scalar_dict.items():
            self.add_scalar(f"{main_tag}/{tag}", value, global_step)

    def add_histogram(self, tag, values, global_step=None, *_, **__):
        self.add("histogram", tag, values, global_step)

    def add_image(self, tag, img_tensor, global_step=None, *_, **__):
        self.add("image", tag, img_tensor.expand_dims(0), global_step)

    def flush(self):
        self.record.flush()

    def close(self):
        self.record.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
'''

_SPARSE = '''

def sparse_coo_tensor(indices, values, size, dtype=None):
    """A dense Tensor with values at places; those of one place add up."""
    indices, values = (x if isinstance(x, ms.Tensor) else ms.Tensor(x) for x in (indices, values))
    values = values if dtype is None else values.astype(dtype)
    zeros = ops.zeros(tuple(size), values.dtype)
    return ops.tensor_scatter_add(zeros, indices.swapaxes(0, 1).astype(ms.int32), values)
'''

_CLIP = '''

def clip_grad_norm(grads, weights, parameters, limit, order=2.0):
    """Gradients of weights, scaled so that the norm of those for some parameters is within a limit, and that norm."""
    chosen = {id(parameter) for parameter in parameters}
    norms = [ops.abs(grad).max() if order == float("inf") else (ops.abs(grad) ** order).sum()
             for weight, grad in zip(weights, grads) if id(weight) in chosen]
    norm = ops.stack(norms).max() if order == float("inf") else sum(norms) ** (1 / order)
    scale = ops.clamp(limit / (norm + 1e-6), None, 1.0)
    return tuple(grad * scale if id(weight) in chosen else grad for weight, grad in zip(weights, grads)), norm
'''

_KEPT_GRADIENTS = '''

def add_gradients(weights, grads):
    """Add gradients to those that parameters keep as `grad`."""
    for weight, grad in {id(weight): (weight, grad) for weight, grad in zip(weights, grads)}.values():
        kept = getattr(weight, "grad", None)
        weight.grad = grad if kept is None else kept + grad


def clear_gradients(weights):
    """Let parameters keep no gradients."""
    for weight in weights:
        weight.grad = None


def gradients_of(weights):
    """The gradients that parameters keep, zeros where there are none."""
    kept = [(weight, getattr(weight, "grad", None)) for weight in weights]
    return tuple(ops.zeros_like(weight) if grad is None else grad for weight, grad in kept)


def unscale_gradients(weights, scaler):
    """Divide the gradients that parameters keep by the scale of their loss."""
    for weight in weights:
        if getattr(weight, "grad", None) is not None:
            (weight.grad,) = scaler.unscale((weight.grad,))


def clip_gradients(weights, limit, order=2.0):
    """Scale the gradients that parameters keep so that their norm is at most a limit; return the norm."""
    weights = [weights] if isinstance(weights, ms.Tensor) else list(weights)
    kept = [weight for weight in weights if getattr(weight, "grad", None) is not None]
    norms = [ops.abs(weight.grad).max() if order == float("inf") else (ops.abs(weight.grad) ** order).sum()
             for weight in kept]
    norm = ops.stack(norms).max() if order == float("inf") else sum(norms) ** (1 / order)
    scale = ops.clamp(limit / (norm + 1e-6), None, 1.0)
    for weight in kept:
        weight.grad = weight.grad * scale
    return norm


def clip_gradient_values(weights, limit):
    """Clip each value of the gradients that parameters keep."""
    for weight in weights:
        if getattr(weight, "grad", None) is not None:
            weight.grad = ops.clamp(weight.grad, -limit, limit)
'''

_RECORD = '''

RECORDED = []  # of each call of `record`: references to its values, the gradients that go back, and for what


def record(function, weights):
    """Call a function that gives values for a later loss, and others. The values keep their way back to the weights."""
    weights = list(weights)
    values, pull, others = ms.vjp(function, weights=weights, has_aux=True)
    values = tuple(ms.Parameter(value, name=f"recorded_{len(RECORDED)}_{i}") for i, value in enumerate(values))
    RECORDED.append(([weakref.ref(value) for value in values], [value.shape for value in values], pull, weights))
    return values, others


def recorded_value_and_grad(function, position, weights, has_aux=False):
    """The value of a function and its gradients for weights, also through what `record` gave and is still there."""

    def found(*arguments):
        RECORDED[:] = [call for call in RECORDED if any(ref() is not None for ref in call[0])]
        values = [value for call in RECORDED for ref in call[0] if (value := ref()) is not None]
        for i, value in enumerate(values):
            value.name = f"recorded_{i}"
        result, grads = ms.value_and_grad(function, position, [*weights, *values], has_aux)(*arguments)
        total = {id(weight): grad for weight, grad in zip(weights, grads)}
        of_values = {id(value): grad for value, grad in zip(values, grads[len(weights) :])}
        for refs, shapes, pull, inputs in RECORDED:
            if not any(id(weight) in total for weight in inputs):
                continue
            back = tuple(of_values.get(id(ref()), ops.zeros(shape, dtype=ms.float32)) for ref, shape in zip(refs, shapes))
            for weight, grad in zip(inputs, pull(back)[-1]):
                if id(weight) in total:
                    total[id(weight)] = total[id(weight)] + grad
        return result, tuple(total[id(weight)] for weight in weights)

    return found
'''

_PARAMETER_LIST = '''

class ParameterList(nn.Cell):
    """Parameters by their places, as PyTorch's class of that name has them."""

    def __init__(self, values=()):
        super().__init__()
        self.length = 0
        self.extend(values)

    def append(self, value):
        value = value if isinstance(value, ms.Parameter) else ms.Parameter(value, name=str(self.length))
        self.insert_param_to_cell(str(self.length), value, False)
        self.length += 1
        return self

    def extend(self, values):
        for value in values:
            self.append(value)
        return self

    def __len__(self):
        return self.length

    def __iter__(self):
        return (self[i] for i in range(self.length))

    def __getitem__(self, i):
        found = [getattr(self, str(k)) for k in range(self.length)]
        return found[i]
'''

_SOFTPLUS = '''

class Softplus(nn.Cell):
    """The function of that name as a layer."""

    def __init__(self, beta=1, threshold=20):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def construct(self, x):
        return ops.softplus(x, self.beta, self.threshold)
'''

_PAD_SEQUENCE = '''

def pad_sequence(sequences, batch_first=False, padding_value=0.0):
    """Sequences of several lengths in one Tensor, filled up at their ends."""
    longest = max(len(each) for each in sequences)
    rest = [ops.full((longest - len(each), *each.shape[1:]), padding_value, dtype=each.dtype) for each in sequences]
    filled = [ops.cat([each, more]) if len(more) else each for each, more in zip(sequences, rest)]
    return ops.stack(filled, axis=0 if batch_first else 1)
'''

_EINSUM = '''

def einsum(equation, *operands):
    """Sums over indices, by products of matrices: MindSpore's CPU has no kernel for `ops.einsum`."""
    operands = operands[0] if isinstance(operands[0], list | tuple) else operands
    given, _, result = equation.replace(" ", "").partition("->")
    subscripts = given.split(",")
    letters = "".join(subscripts)
    plain = "->" in equation and "." not in letters and len(subscripts) == 2
    if not plain or any(len(set(each)) < len(each) for each in subscripts):
        return ops.einsum(equation, *operands)
    (a, b), (x, y) = subscripts, operands
    for alone in [c for c in a if c not in b and c not in result]:
        x, a = x.sum(axis=a.index(alone)), a.replace(alone, "")
    for alone in [c for c in b if c not in a and c not in result]:
        y, b = y.sum(axis=b.index(alone)), b.replace(alone, "")
    both = [c for c in a if c in b and c in result]
    summed = [c for c in a if c in b and c not in result]
    left, right = [c for c in a if c not in b], [c for c in b if c not in a]
    size = {**dict(zip(b, y.shape)), **dict(zip(a, x.shape))}

    def count(some):
        n = 1
        for c in some:
            n *= size[c]
        return n

    x = x.permute(*[a.index(c) for c in (*both, *left, *summed)]).reshape(count(both), count(left), count(summed))
    y = y.permute(*[b.index(c) for c in (*both, *summed, *right)]).reshape(count(both), count(summed), count(right))
    order = [*both, *left, *right]
    found = ops.matmul(x, y).reshape(tuple(size[c] for c in order))
    return found.permute(*[order.index(c) for c in result]) if order else found
'''

_UNFOLD = '''

def unfold(x, axis, size, step):
    """Windows of a size along an axis, `step` apart; the places in a window are a new last axis."""
    starts = range(0, x.shape[axis] - size + 1, step)
    return ops.stack([ops.movedim(x.narrow(axis % x.ndim, start, size), axis, -1) for start in starts], axis % x.ndim)
'''

_OF_DTYPE = '''

def of_dtype(cell, dtype):
    """The Cell, with parameters and buffers of another floating dtype."""
    for each in (*cell.get_parameters(), *cell.buffers()):
        if each.is_floating_point():
            each.set_dtype(dtype)
    return cell
'''

_NAMED_APART = '''

def named_apart(parameters):
    """Parameters of several Cells, or groups of them, with names of their own, which MindSpore's optimizers ask for."""
    names = set()
    for group in parameters:
        for parameter in group["params"] if isinstance(group, dict) else [group]:
            while parameter.name in names:
                parameter.name += "_"
            names.add(parameter.name)
    return parameters
'''

_FINFO = '''

class finfo:
    """The limits of a floating dtype, as numbers of Python's."""

    def __init__(self, dtype):
        digits, low, high = {ms.float16: (10, -14, 15), ms.bfloat16: (7, -126, 127), ms.float32: (23, -126, 127),
                             ms.float64: (52, -1022, 1023)}[dtype]
        self.eps, self.tiny = 2.0**-digits, 2.0**low
        self.max, self.smallest_normal = (2.0 - self.eps) * 2.0**high, self.tiny
        self.min = -self.max
'''

_INSTANCE_NORM = '''

class InstanceNorm(nn.Cell):
    """Normalization of each channel of a sample over its places; without `affine` there are no parameters."""

    def __init__(self, features, axes, epsilon=1e-5, affine=False):
        super().__init__()
        self.shape, self.axes, self.epsilon = (features, *(1 for _ in axes)), axes, epsilon
        self.weight = ms.Parameter(ops.ones((features,)), name="weight") if affine else None
        self.bias = ms.Parameter(ops.zeros((features,)), name="bias") if affine else None

    def construct(self, x):
        centered = x - ops.mean(x, axis=self.axes, keep_dims=True)
        found = centered * ops.rsqrt(ops.mean(centered * centered, axis=self.axes, keep_dims=True) + self.epsilon)
        return found if self.weight is None else found * self.weight.reshape(self.shape) + self.bias.reshape(self.shape)
'''

_EMBEDDING = '''

class Embedding(nn.Cell):
    """A table of vectors, of which that of the padding begins with zeros and does not train."""

    def __init__(self, size, width, padding_idx):
        super().__init__()
        self.padding_idx = None if padding_idx is None else padding_idx % size
        kept = 1 if padding_idx is None else (ops.arange(size) != self.padding_idx).astype(ms.float32).expand_dims(1)
        self.embedding_table = ms.Parameter(ops.randn((size, width)) * kept, name="embedding_table")

    def construct(self, x):
        found = ops.gather(self.embedding_table, x, 0)
        if self.padding_idx is None:
            return found
        return ops.where((x == self.padding_idx).expand_dims(-1), ops.stop_gradient(found), found)
'''

_NEXT_SEED = '''

def next_seed(generator):
    """A seed for the next draw of a generator. MindSpore repeats draws with their seeds for randperm and bernoulli."""
    if generator is None:
        return int(np.random.randint(1, 2147483647))
    seed = generator.initial_seed() % 2147483647
    generator.manual_seed((seed * 48271 + 11) % 2147483647)
    return seed + 1
'''

_DRAWN_BERNOULLI = '''

def bernoulli(probabilities, seed=None):
    """0 or 1, each with a probability of its own; those of `ops.bernoulli` are its second argument."""
    return ops.bernoulli(probabilities, probabilities, seed)
'''

_WITHOUT_GRADIENT = '''

def without_gradient(thing):
    """A copy of an object whose Tensors have no gradient; `ops.stop_gradient` leaves objects as they are."""
    found = copy.copy(thing)
    for name, value in vars(thing).items():
        setattr(found, name, ops.stop_gradient(value))
    return found
'''

TEXTS = {
    "record": _RECORD,
    "add_gradients": _KEPT_GRADIENTS,
    "Categorical": _CATEGORICAL,
    "Bernoulli": _BERNOULLI,
    "Normal": _NORMAL,
    "kl_divergence": _KL_DIVERGENCE,
    "OneCycleLR": _ONE_CYCLE,
    "without_gradient": _WITHOUT_GRADIENT,
    "Adam": _ADAM,
    "LBFGS": _LBFGS,
    "SummaryWriter": _SUMMARY,
    "sparse_coo_tensor": _SPARSE,
    "clip_grad_norm": _CLIP,
    "parameters_of": _PARAMETERS_OF,
    "named_parameters_of": _NAMED_PARAMETERS_OF,
    "scaled_dot_product_attention": _ATTENTION,
    "NamedCells": _NAMED_CELLS,
    "LayerNorm": _LAYER_NORM,
    "RMSNorm": _RMS_NORM,
    "calculate_gain": _GAIN,
    "Subset": _SUBSET,
    "SubsetRandomSampler": _SUBSET_SAMPLER,
    "WeightedRandomSampler": _WEIGHTED_SAMPLER,
    "random_split": _RANDOM_SPLIT,
    "ConcatDataset": _CONCAT,
    "save": _SAVE,
    **state_definitions.TEXTS,
    "unfold": _UNFOLD,
    "ParameterList": _PARAMETER_LIST,
    "Softplus": _SOFTPLUS,
    "pad_sequence": _PAD_SEQUENCE,
    "einsum": _EINSUM,
    "of_dtype": _OF_DTYPE,
    "finfo": _FINFO,
    "named_apart": _NAMED_APART,
    "InstanceNorm": _INSTANCE_NORM,
    "Embedding": _EMBEDDING,
    "next_seed": _NEXT_SEED,
    "bernoulli": _DRAWN_BERNOULLI,
    **layer_definitions.TEXTS,
    **image_definitions.TEXTS,
}
USES = {  # definitions that need others
    "random_split": ("Subset",),
    "LayerNorm": ("layer_norm",),
    "save_image": ("make_grid",),
    "ResNet": ("ResidualBlock", "convolution", "load_pretrained"),
    "VGG": ("convolution", "load_pretrained"),
    **layer_definitions.USES,
}
_KEPT = (
    "parameter_name_of", "unscale_gradients", "clear_gradients", "gradients_of", "clip_gradients", "clip_gradient_values",
)  # fmt: skip
# All that a program may get a definition of.
NAMES = (*TEXTS, *_KEPT, *state_definitions.MORE, "load", "recorded_value_and_grad")
