"""A vision transformer from PyTorch's layers, with a data set and a loader."""

import torch
from given import classes, data, weights
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, count):
        self.images = data(0, count, 1, 8, 8)
        self.labels = classes(0, 5, count)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return torch.from_numpy(self.images[index]), int(self.labels[index])


class Encoder(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        h = self.norm1(x)
        h, _ = self.attention(h, h, h)
        x = x + h
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, dim=8, depth=2, heads=2):
        super().__init__()
        self.patch = nn.Conv2d(1, dim, kernel_size=4, stride=4)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, 5, dim) * 0.02)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(Encoder(dim, heads))
        self.head = nn.Linear(dim, 5)

    def forward(self, x):
        x = self.patch(x).flatten(2).permute(0, 2, 1)
        x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], dim=1) + self.pos
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


def main():
    device = 'cuda:0' if torch.cuda.is_available() else 'cpu'
    loader = DataLoader(Images(40), batch_size=8, shuffle=False, num_workers=0, pin_memory=True, drop_last=True)
    model = ViT().to(device)
    for i, (name, p) in enumerate(model.named_parameters()):
        p.data.copy_(torch.tensor(weights(i if 'token' not in name else 99, tuple(p.shape))))
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    losses = []
    for epoch in range(4):
        correct, total = 0, 0
        for inputs, targets in loader:
            inputs, targets = inputs.to(device), targets.to(device)
            optimizer.zero_grad()
            outputs = model(inputs)
            loss = criterion(outputs, targets)
            loss.backward()
            optimizer.step()

            losses.append(loss.item())
            _, predicted = outputs.max(1)
            total += targets.size(0)
            correct += predicted.eq(targets).sum().item()
        losses.append(correct / total)
        scheduler.step()
    return losses
