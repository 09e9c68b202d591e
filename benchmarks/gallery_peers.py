"""The gallery's networks written for PyTorch: the same sizes, and the same names of weights, as in `examples/`.

Each is written as its users would: attention by `scaled_dot_product_attention`, derivatives by `autograd.grad`.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


class DigitNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.classifier = nn.Sequential(nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, classes))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class Residual(nn.Module):
    def __init__(self, channels, outputs, stride):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.shortcut = nn.Identity()
        if stride != 1 or channels != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        return F.relu(self.layers(x) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, width=16, classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        blocks = []
        for channels, outputs, stride in [
            (width, width, 1),
            (width, 2 * width, 2),
            (2 * width, 4 * width, 2),
        ]:
            blocks += [Residual(channels, outputs, stride), Residual(outputs, outputs, 1)]
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(4 * width, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def split_heads(qkv, heads):
    """Queries, keys and values (N, heads, L, width of a head) from (N, L, 3 widths)."""
    batch, length, width = qkv.shape
    return qkv.reshape(batch, length, 3, heads, width // (3 * heads)).permute(2, 0, 3, 1, 4)


def join_heads(x):
    return x.transpose(1, 2).flatten(2)


class Encoder(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        x = x + self.output(
            join_heads(F.scaled_dot_product_attention(*split_heads(self.qkv(self.norms[0](x)), self.heads)))
        )
        return x + self.feed_forward(self.norms[1](x))


class ViT(nn.Module):
    def __init__(self, patch=2, width=64, layers=4, heads=4, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(1, width, patch, patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.zeros(1, (8 // patch) ** 2 + 1, width))
        self.encoders = nn.ModuleList([Encoder(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.class_token.expand(len(x), 1, -1), x), 1) + self.places
        for encoder in self.encoders:
            x = encoder(x)
        return self.head(self.norm(x[:, 0]))


def make_block(channels, outputs):
    return nn.Sequential(
        nn.Conv2d(channels, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class UNet(nn.Module):
    def __init__(self, width=16, depth=2, classes=4):
        super().__init__()
        widths = [width * 2**level for level in range(depth + 1)]
        self.down = nn.ModuleList(
            [make_block(*pair) for pair in zip([1, *widths[:-2]], widths[:-1], strict=True)]
        )
        self.bottom = make_block(widths[-2], widths[-1])
        self.up = nn.ModuleList(
            [nn.ConvTranspose2d(wide, wide // 2, 2, 2, bias=False) for wide in reversed(widths[1:])]
        )
        self.join = nn.ModuleList([make_block(wide, wide // 2) for wide in reversed(widths[1:])])
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        passed = []
        for block in self.down:
            passed.append(block(x))
            x = F.max_pool2d(passed[-1], 2)
        x = self.bottom(x)
        for up, join in zip(self.up, self.join, strict=True):
            x = join(torch.cat((passed.pop(), up(x)), 1))
        return self.head(x)


class VAE(nn.Module):
    def __init__(self, latent=8, width=256):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.mean, self.log_variance = nn.Linear(width, latent), nn.Linear(width, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 64)
        )

    def forward(self, images):
        hidden = self.encoder(images)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        codes = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(codes), mean, log_variance


def negative_elbo(net, images):
    logits, mean, log_variance = net(images)
    rebuilt = F.binary_cross_entropy_with_logits(logits, images, reduction="none").sum(1)
    return (rebuilt - 0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(1)).mean()


class Generator(nn.Module):
    def __init__(self, noise=32, width=64):
        super().__init__()
        self.width, self.dense = width, nn.Linear(noise, width * 2 * 2)
        self.layers = nn.Sequential(
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.ConvTranspose2d(width, width // 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(width // 2),
            nn.ReLU(),
            nn.ConvTranspose2d(width // 2, 1, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, noise):
        return self.layers(self.dense(noise).reshape(-1, self.width, 2, 2))


class Discriminator(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, width // 2, 3, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Dropout(0.3),
            nn.Conv2d(width // 2, width, 3, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Dropout(0.3),
            nn.Flatten(),
            nn.Linear(width * 2 * 2, 1),
        )

    def forward(self, images):
        return self.layers(images).reshape(-1)


class Gan(nn.Module):
    """Both networks; a step trains one after the other."""

    def __init__(self, noise=32, width=64):
        super().__init__()
        self.generator, self.discriminator = Generator(noise, width), Discriminator(width)
        self.noise = noise

    def make_step(self, rate):
        ours, theirs = (
            torch.optim.Adam(net.parameters(), rate, (0.5, 0.999))
            for net in (self.generator, self.discriminator)
        )
        loss_of = nn.BCEWithLogitsLoss()

        def step(images):
            drawn = self.generator(torch.randn(len(images), self.noise)).detach()
            theirs.zero_grad()
            real, false = self.discriminator(images), self.discriminator(drawn)
            judged = loss_of(real, torch.full_like(real, 0.9)) + loss_of(false, torch.zeros_like(false))
            judged.backward()
            theirs.step()
            ours.zero_grad()
            answers = self.discriminator(self.generator(torch.randn(len(images), self.noise)))
            loss_of(answers, torch.ones_like(answers)).backward()
            ours.step()
            return judged.item()

        return step


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        qkv = split_heads(self.qkv(self.first_norm(x)), self.heads)
        x = x + self.output(join_heads(F.scaled_dot_product_attention(*qkv, is_causal=True)))
        return x + self.feed_forward(self.second_norm(x))


class GPT(nn.Module):
    def __init__(self, words, width=128, layers=4, heads=4, length=96):
        super().__init__()
        self.tokens = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.tokens(tokens) + self.places)))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width)
        )
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, hidden):
        mixed = F.scaled_dot_product_attention(*split_heads(self.qkv(x), self.heads), attn_mask=hidden)
        x = self.first_norm(x + self.dropout(self.output(join_heads(mixed))))
        return self.second_norm(x + self.dropout(self.feed_forward(x)))


class Bert(nn.Module):
    """The words' vectors, and from them the logits of the word at each place."""

    def __init__(self, words, width=96, layers=2, heads=4, length=48):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.zeros(length, width))
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList([Layer(width, heads) for _ in range(layers)])

    def forward(self, tokens):
        hidden = (tokens == 0).float()[:, None, None] * -1e9
        x = self.norm(self.words(tokens) + self.places)
        for layer in self.layers:
            x = layer(x, hidden)
        return x @ self.words.weight.T


class Recurrent(nn.Module):
    def __init__(self, width=64, past=84, future=24):
        super().__init__()
        self.lstm = nn.LSTM(3, width, num_layers=2, batch_first=True)
        self.head = nn.Linear(width, future)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Attentive(nn.Module):
    def __init__(self, width=64, past=84, future=24):
        super().__init__()
        self.embed = nn.Linear(3, width)
        self.places = nn.Parameter(torch.zeros(past, width))
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(width, future)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x) + self.places).mean(1))


class Net(nn.Module):
    """Places and times to the solution of Burgers' equation."""

    def __init__(self, width=32, layers=4):
        super().__init__()
        modules = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(layers - 1):
            modules += [nn.Linear(width, width), nn.Tanh()]
        self.layers = nn.Sequential(*modules, nn.Linear(width, 1))

    def forward(self, x, t):
        return (1 - x * x) * self.layers(torch.cat((x, t), 1))


def burgers_loss(net, x, t, beginning, viscosity=0.05):
    x, t = x.detach().requires_grad_(), t.detach().requires_grad_()
    u = net(x, t)
    u_x, u_t = torch.autograd.grad(u.sum(), (x, t), create_graph=True)
    (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
    wrong = net(beginning, torch.zeros_like(beginning)) + torch.sin(math.pi * beginning)
    return ((u_t + u * u_x - viscosity * u_xx) ** 2).mean() + 10 * (wrong**2).mean()


class SpectralLayer(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        self.real = nn.Parameter(torch.zeros(width, width, modes))
        self.imaginary = nn.Parameter(torch.zeros(width, width, modes))

    def forward(self, x):
        spectrum = torch.fft.rfft(x)
        kept = torch.zeros_like(spectrum)
        weights = torch.complex(self.real, self.imaginary)
        kept[..., : self.modes] = torch.einsum("nim,iom->nom", spectrum[..., : self.modes], weights)
        return torch.fft.irfft(kept, x.shape[-1])


class FourierOperator(nn.Module):
    def __init__(self, width=32, modes=16, layers=3):
        super().__init__()
        self.lift = nn.Conv1d(2, width, 1)
        self.spectral = nn.ModuleList([SpectralLayer(width, modes) for _ in range(layers)])
        self.local = nn.ModuleList([nn.Conv1d(width, width, 1) for _ in range(layers)])
        self.project = nn.Sequential(
            nn.Conv1d(width, 2 * width, 1), nn.GELU("tanh"), nn.Conv1d(2 * width, 1, 1)
        )

    def forward(self, u):
        grid = torch.linspace(0, 1, u.shape[1] + 1)[:-1]
        x = self.lift(torch.stack((u, grid.expand(u.shape)), 1))
        for spectral, local in zip(self.spectral, self.local, strict=True):
            x = F.gelu(spectral(x) + local(x), approximate="tanh")
        return self.project(x)[:, 0]


class Agent(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.policy, self.value = (
            nn.Sequential(
                nn.Linear(4, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, outputs)
            )
            for outputs in (2, 1)
        )

    def forward(self, states):
        return self.policy(states), self.value(states)[:, 0]


def policy_loss(agent, states, pushes, returns):
    logits, values = agent(states)
    log_shares = F.log_softmax(logits, 1)
    advantage = (returns - values).detach()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    chosen = log_shares.gather(1, pushes[:, None])[:, 0]
    surprise = -(log_shares.exp() * log_shares).sum(1).mean()
    return -(chosen * advantage).mean() + 0.5 * F.mse_loss(values, returns) / 100 - 0.01 * surprise
