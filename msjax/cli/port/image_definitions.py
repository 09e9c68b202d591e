"""Definitions of images, data sets of images and networks for them that a ported program carries."""

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

_TRANSFORMED = '''

def transformed(transform, image):
    """Transform an image, to a Tensor where MindSpore's transforms give an array."""
    found = transform(image.asnumpy() if isinstance(image, ms.Tensor) else image)
    return ms.Tensor(found) if isinstance(found, np.ndarray) else found
'''

_VISION_DATASET = '''

class VisionDataset(dataloader.Dataset):
    """Images and labels by their index, read by a data set of mindspore.dataset."""

    def __init__(self, reader, folders, label, transform=None, target_transform=None, **options):
        root, *below = folders
        folder = next((f for f in [os.path.join(root, name) for name in below] if os.path.isdir(f)), root)
        rows = reader(folder, shuffle=False, **options).create_dict_iterator(num_epochs=1, output_numpy=True)
        self.transform, self.target_transform = transform, target_transform
        rows = [(row["image"], int(row[label])) for row in rows]
        self.images, self.labels = np.stack([image for image, _ in rows]), [number for _, number in rows]

    def __getattr__(self, name):
        """Make what torchvision calls `data` and `targets` when it is asked for; samples are taken from them then."""
        if name not in ("data", "targets") or "labels" not in self.__dict__:
            raise AttributeError(name)
        gray = self.images.shape[-1] == 1  # MNIST and its like have Tensors
        self.data = ms.Tensor(self.images[..., 0]) if gray else self.images
        self.targets = ms.Tensor(np.array(self.labels, np.int64)) if gray else self.labels
        return self.__dict__[name]

    def __len__(self):
        return len(self.__dict__.get("data", self.images))

    def __getitem__(self, index):
        image = self.__dict__.get("data", self.images)[index]
        image = image.asnumpy() if isinstance(image, ms.Tensor) else image
        image = Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image)
        image = image if self.transform is None else self.transform(image)
        label = int(self.__dict__.get("targets", self.labels)[index])
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

_FAKE_DATA = '''

class FakeData(dataloader.Dataset):
    """Images and labels of random numbers."""

    def __init__(self, size, image_size, num_classes, transform, target_transform, random_offset):
        self.size, self.image_size, self.num_classes = size, image_size, num_classes
        self.transform, self.target_transform, self.random_offset = transform, target_transform, random_offset

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} has {len(self)} samples; number {index} is none of them.")
        draws = np.random.RandomState(index + self.random_offset)
        values = (draws.randn(*self.image_size) * 255).astype(np.int64).astype(np.uint8)
        label = int(draws.randint(self.num_classes))
        image = Image.fromarray(values[0] if len(values) == 1 else values.transpose(1, 2, 0))
        image = image if self.transform is None else self.transform(image)
        return image, label if self.target_transform is None else self.target_transform(label)
'''

_MAKE_GRID = '''

def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    """Put images of shape (N, C, H, W), or a list of (C, H, W), into one, `nrow` in a row."""
    images = np.stack([each.asnumpy() for each in tensor]) if isinstance(tensor, (list, tuple)) else tensor.asnumpy()
    images = images if images.ndim == 4 else images.reshape((1,) * (4 - images.ndim) + images.shape)
    images = np.repeat(images, 3, axis=1) if images.shape[1] == 1 else np.array(images)
    if normalize:
        for part in images if scale_each else [images]:
            low, high = (part.min(), part.max()) if value_range is None else value_range
            part[...] = (part.clip(low, high) - low) / max(high - low, 1e-5)
    number, channels, height, width = images.shape
    if number == 1:
        return ms.Tensor(images[0])
    columns = min(nrow, number)
    rows = -(-number // columns)
    size = (channels, rows * (height + padding) + padding, columns * (width + padding) + padding)
    grid = np.full(size, pad_value, images.dtype)
    for i, image in enumerate(images):
        top, left = (i // columns) * (height + padding) + padding, (i % columns) * (width + padding) + padding
        grid[:, top : top + height, left : left + width] = image
    return ms.Tensor(grid)
'''

_SAVE_IMAGE = '''

def save_image(tensor, path, **options):
    """Write images of shape (N, C, H, W), with values from 0 to 1, as one file."""
    grid = make_grid(tensor, **options).asnumpy().astype(np.float32)
    Image.fromarray((grid * 255 + 0.5).clip(0, 255).astype(np.uint8).transpose(1, 2, 0)).save(path)
'''

_PRETRAINED = '''

def load_pretrained(net, name):
    """Fill a network with the weights in `NAME.ckpt`."""
    if not os.path.exists(f"{name}.ckpt"):
        ms.save_checkpoint(net, f"{name}_like.ckpt")
        raise FileNotFoundError(
            f"`{name}.ckpt` is not there. Make it from PyTorch's file of weights: "
            f"msjax port {name}.pth --like {name}_like.ckpt -o {name}.ckpt"
        )
    ms.load_param_into_net(net, ms.load_checkpoint(f"{name}.ckpt"))
'''

_CONVOLUTION = '''

def convolution(channels, features, size, stride=1, has_bias=False):
    """A convolution that keeps the size but for the stride, with the start values of torchvision's networks."""
    start = initializer.HeNormal(mode="fan_out", nonlinearity="relu")
    return nn.Conv2d(channels, features, size, stride=stride, pad_mode="pad", padding=size // 2, has_bias=has_bias,
                     weight_init=start, bias_init="zeros" if has_bias else None)
'''

_RESIDUAL_BLOCK = '''

class ResidualBlock(nn.Cell):
    """Two convolutions, or three of which the middle one is narrow, and a way around them."""

    def __init__(self, channels, features, expansion, stride):
        super().__init__()
        self.narrow = expansion > 1
        self.conv1 = convolution(channels, features, 1 if self.narrow else 3, 1 if self.narrow else stride)
        self.bn1 = nn.BatchNorm2d(features)
        self.conv2 = convolution(features, features, 3, stride if self.narrow else 1)
        self.bn2 = nn.BatchNorm2d(features)
        if self.narrow:
            self.conv3 = convolution(features, features * expansion, 1)
            self.bn3 = nn.BatchNorm2d(features * expansion)
        self.relu = nn.ReLU()
        self.downsample = None
        if stride > 1 or channels != features * expansion:
            around = convolution(channels, features * expansion, 1, stride)
            self.downsample = nn.SequentialCell(around, nn.BatchNorm2d(features * expansion))

    def construct(self, x):
        found = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        if self.narrow:
            found = self.bn3(self.conv3(self.relu(found)))
        return self.relu(found + (x if self.downsample is None else self.downsample(x)))
'''

_RES_NET = '''

class ResNet(nn.Cell):
    """A residual network with the parts and names of torchvision's."""

    def __init__(self, name, num_classes=1000, pretrained=False):
        super().__init__()
        expansion = 4 if name in ("resnet50", "resnet101", "resnet152") else 1
        numbers = {"resnet18": (2, 2, 2, 2), "resnet34": (3, 4, 6, 3), "resnet50": (3, 4, 6, 3),
                   "resnet101": (3, 4, 23, 3), "resnet152": (3, 8, 36, 3)}[name]
        self.conv1 = convolution(3, 64, 7, 2)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, stride=2, pad_mode="pad", padding=1)
        channels = 64
        for i, number in enumerate(numbers):
            features, blocks = 64 * 2**i, []
            for j in range(number):
                blocks.append(ResidualBlock(channels, features, expansion, 2 if i and not j else 1))
                channels = features * expansion
            setattr(self, f"layer{i + 1}", nn.SequentialCell(blocks))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Dense(channels, num_classes)
        if pretrained:
            load_pretrained(self, name)

    def construct(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(start_dim=1))
'''

_VGG = '''

class VGG(nn.Cell):
    """A network of small convolutions with the parts and names of torchvision's."""

    def __init__(self, name, num_classes=1000, pretrained=False):
        super().__init__()
        numbers = {"vgg11": (1, 1, 2, 2, 2), "vgg13": (2, 2, 2, 2, 2), "vgg16": (2, 2, 3, 3, 3), "vgg19": (2, 2, 4, 4, 4)}
        layers, channels = [], 3
        for number, features in zip(numbers[name.removesuffix("_bn")], (64, 128, 256, 512, 512)):
            for _ in range(number):
                layers.append(convolution(channels, features, 3, has_bias=True))
                layers += [nn.BatchNorm2d(features)] if name.endswith("_bn") else []
                layers.append(nn.ReLU())
                channels = features
            layers.append(nn.MaxPool2d(2, stride=2))
        self.features = nn.SequentialCell(layers)
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        start = {"weight_init": initializer.Normal(0.01), "bias_init": "zeros"}
        self.classifier = nn.SequentialCell(
            nn.Dense(512 * 7 * 7, 4096, **start), nn.ReLU(), nn.Dropout(p=0.5),
            nn.Dense(4096, 4096, **start), nn.ReLU(), nn.Dropout(p=0.5), nn.Dense(4096, num_classes, **start),
        )
        if pretrained:
            load_pretrained(self, name)

    def construct(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(start_dim=1))
'''

TEXTS = {
    "Compose": _COMPOSE,
    "on_tensors": _ON_TENSORS,
    "transformed": _TRANSFORMED,
    "VisionDataset": _VISION_DATASET,
    "ImageFolder": _IMAGE_FOLDER,
    "FakeData": _FAKE_DATA,
    "make_grid": _MAKE_GRID,
    "save_image": _SAVE_IMAGE,
    "load_pretrained": _PRETRAINED,
    "convolution": _CONVOLUTION,
    "ResidualBlock": _RESIDUAL_BLOCK,
    "ResNet": _RES_NET,
    "VGG": _VGG,
}
