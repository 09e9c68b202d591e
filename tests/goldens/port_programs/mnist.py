"""A classifier with convolutions, trained with Adadelta and a schedule."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from given import classes, data, weights
from torch.optim.lr_scheduler import StepLR


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, 1)
        self.conv2 = nn.Conv2d(4, 8, 3, 1)
        self.norm = nn.BatchNorm2d(8)
        self.dropout1 = nn.Dropout(0.0)
        self.fc1 = nn.Linear(200, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = self.norm(self.conv2(x))
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        x = F.relu(x)
        x = self.fc2(x)
        output = F.log_softmax(x, dim=1)
        return output


def train(args, model, device, train_loader, optimizer, epoch, losses):
    model.train()
    for batch_idx, (image, target) in enumerate(train_loader):
        image, target = image.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(image)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if batch_idx % args.log_interval == 0 and args.verbose:
            print(f'Train Epoch: {epoch} [{batch_idx}]\tLoss: {loss.item():.6f}')


def test(model, device, test_loader):
    model.eval()
    test_loss = 0
    correct = 0
    with torch.no_grad():
        for image, target in test_loader:
            image, target = image.to(device), target.to(device)
            output = model(image)
            test_loss += F.nll_loss(output, target, reduction='sum').item()  # sum up batch loss
            pred = output.argmax(dim=1, keepdim=True)  # get the index of the max log-probability
            correct += pred.eq(target.view_as(pred)).sum().item()
    return test_loss / 8 + correct


def main():
    parser = argparse.ArgumentParser(description='classifier')
    parser.add_argument('--lr', type=float, default=1.0)
    parser.add_argument('--gamma', type=float, default=0.7)
    parser.add_argument('--log-interval', type=int, default=10)
    parser.add_argument('--verbose', action='store_true', default=False)
    args = parser.parse_args([])
    use_cuda = torch.cuda.is_available()
    torch.manual_seed(1)
    device = torch.device("cuda" if use_cuda else "cpu")

    loader = [
        (torch.from_numpy(data(i, 8, 1, 14, 14)), torch.tensor(classes(i, 10, 8))) for i in range(5)
    ]
    model = Net().to(device)
    with torch.no_grad():
        for i, p in enumerate(p for p in model.parameters() if p.requires_grad):
            p.copy_(torch.tensor(weights(i, tuple(p.shape))))
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)

    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    losses = []
    for epoch in range(1, 5):
        train(args, model, device, loader, optimizer, epoch, losses)
        losses.append(test(model, device, loader[:1]))
        scheduler.step()
    return losses


if __name__ == '__main__':
    print(main())
