"""Definitions that a ported program carries, where MindSpore has nothing that does the same."""

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
        self.shape, self.epsilon = tuple(shape), epsilon
        self.gamma = ms.Parameter(ops.ones(self.shape), name="gamma") if affine else ops.ones(self.shape)
        self.beta = ms.Parameter(ops.zeros(self.shape), name="beta") if affine and has_bias else ops.zeros(self.shape)

    def construct(self, x):
        return ops.layer_norm(x, self.shape, self.gamma, self.beta, self.epsilon)
'''

_RMS_NORM = '''

class RMSNorm(nn.Cell):
    """Division by the root of the mean square over the last axes."""

    def __init__(self, shape, epsilon=None, affine=True):
        super().__init__()
        self.axes, self.epsilon = tuple(range(-len(shape), 0)), epsilon
        self.weight = ms.Parameter(ops.ones(tuple(shape)), name="weight") if affine else None

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

_COMPOSE = '''

class Compose:
    """Transforms of an image, one after another."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image
'''

_ON_TENSORS = '''

def on_tensors(function):
    """The function as a transform: it gets a Tensor where MindSpore's transforms give an array."""

    def transform(image):
        found = function(ms.Tensor(image) if isinstance(image, np.ndarray) else image)
        return found.asnumpy() if isinstance(found, ms.Tensor) else found

    return transform
'''

_VISION_DATASET = '''

class VisionDataset(dataloader.Dataset):
    """Images and labels by their index, read by a data set of mindspore.dataset."""

    def __init__(self, reader, folders, label, transform=None, target_transform=None, **options):
        root, *below = folders
        folder = next((f for f in [os.path.join(root, name) for name in below] if os.path.isdir(f)), root)
        rows = reader(folder, shuffle=False, **options).create_dict_iterator(num_epochs=1, output_numpy=True)
        self.transform, self.target_transform = transform, target_transform
        self.data, self.targets = [], []
        for row in rows:
            self.data.append(row["image"])
            self.targets.append(int(row[label]))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        image, label = self.data[index], self.targets[index]
        image = Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image)
        image = image if self.transform is None else self.transform(image)
        return image, label if self.target_transform is None else self.target_transform(label)
'''

_IMAGE_FOLDER = '''

class ImageFolder(dataloader.Dataset):
    """The images below a folder, whose folders are the classes; read when they are asked for."""

    def __init__(self, root, transform=None, target_transform=None):
        self.transform, self.target_transform = transform, target_transform
        self.classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
        self.class_to_idx = {name: index for index, name in enumerate(self.classes)}
        endings = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
        self.samples = [
            (os.path.join(folder, name), self.class_to_idx[label])
            for label in self.classes
            for folder, _, names in sorted(os.walk(os.path.join(root, label), followlinks=True))
            for name in sorted(names)
            if name.lower().endswith(endings)
        ]
        self.imgs = self.samples
        self.targets = [label for _, label in self.samples]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, label = self.samples[index]
        image = Image.open(path).convert("RGB")
        image = image if self.transform is None else self.transform(image)
        return image, label if self.target_transform is None else self.target_transform(label)
'''

_SAVE_IMAGE = '''

def save_image(tensor, path, nrow=8, padding=2):
    """Write images of shape (N, C, H, W), with values from 0 to 1, as one file: `nrow` in a row."""
    images = np.asarray(tensor.asnumpy(), np.float32)
    images = images if images.ndim == 4 else images.reshape((1,) * (4 - images.ndim) + images.shape)
    images = np.repeat(images, 3, axis=1) if images.shape[1] == 1 else images
    number, channels, height, width = images.shape
    if number == 1:
        grid = images[0]
    else:
        columns = min(nrow, number)
        rows = -(-number // columns)
        grid = np.zeros((channels, rows * (height + padding) + padding, columns * (width + padding) + padding), np.float32)
        for i, image in enumerate(images):
            top, left = (i // columns) * (height + padding) + padding, (i % columns) * (width + padding) + padding
            grid[:, top : top + height, left : left + width] = image
    Image.fromarray((grid * 255 + 0.5).clip(0, 255).astype(np.uint8).transpose(1, 2, 0)).save(path)
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

def save(what, path):
    """Write Tensors, numbers, lists and dictionaries of them, as `load` reads them."""

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
        pickle.dump(plain(what), file)


def load(path):
    """Read what `save` wrote."""

    def tensors(value):
        if isinstance(value, tuple) and len(value) == 3 and value[0] == "Tensor":
            return ms.Tensor(value[1], getattr(ms, {"Bool": "bool_"}.get(value[2], value[2].lower())))
        if isinstance(value, dict):
            return type(value)((key, tensors(part)) for key, part in value.items())
        return type(value)(map(tensors, value)) if isinstance(value, (list, tuple)) else value

    with contextlib.nullcontext(path) if hasattr(path, "read") else open(path, "rb") as file:
        return tensors(pickle.load(file))
'''

_PARAMETERS_OF = '''

def parameters_of(cell):
    """The parameters of a Cell without the statistics of normalization, which are no parameters in PyTorch."""
    statistics = ("moving_mean", "moving_variance", "running_mean", "running_var", "num_batches_tracked")
    return (parameter for parameter in cell.get_parameters() if not parameter.name.endswith(statistics))
'''
_NAMED_PARAMETERS_OF = '''

def named_parameters_of(cell):
    """The parameters of a Cell with their names, without the statistics of normalization."""
    statistics = ("moving_mean", "moving_variance", "running_mean", "running_var", "num_batches_tracked")
    return ((name, each) for name, each in cell.parameters_and_names() if not name.endswith(statistics))
'''

TEXTS = {
    "parameters_of": _PARAMETERS_OF,
    "named_parameters_of": _NAMED_PARAMETERS_OF,
    "scaled_dot_product_attention": _ATTENTION,
    "NamedCells": _NAMED_CELLS,
    "LayerNorm": _LAYER_NORM,
    "RMSNorm": _RMS_NORM,
    "calculate_gain": _GAIN,
    "Compose": _COMPOSE,
    "on_tensors": _ON_TENSORS,
    "VisionDataset": _VISION_DATASET,
    "ImageFolder": _IMAGE_FOLDER,
    "Subset": _SUBSET,
    "random_split": _RANDOM_SPLIT,
    "ConcatDataset": _CONCAT,
    "save_image": _SAVE_IMAGE,
    "save": _SAVE,
}
NAMES = (*TEXTS, "load")  # all that a program may get a definition of
