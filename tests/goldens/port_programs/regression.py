"""A polynomial, fitted without an optimizer."""

import torch
import torch.nn.functional as F
from given import data, weights

POLY_DEGREE = 4
W_target = torch.from_numpy(weights(0, (POLY_DEGREE, 1), 5.0))
b_target = torch.from_numpy(weights(1, (1,), 5.0))


def make_features(x):
    """Builds features i.e. a matrix with columns [x, x^2, x^3, x^4]."""
    x = x.unsqueeze(1)
    return torch.cat([x ** i for i in range(1, POLY_DEGREE+1)], 1)


def f(x):
    """Approximated function."""
    return x.mm(W_target) + b_target.item()


def get_batch(number, batch_size=32):
    """Builds a batch i.e. (x, f(x)) pair."""
    x = make_features(torch.from_numpy(data(number, batch_size)))
    y = f(x)
    return x, y


def main():
    # Define model
    fc = torch.nn.Linear(W_target.size(0), 1)
    fc.weight.data.copy_(torch.from_numpy(weights(2, (1, POLY_DEGREE))))
    fc.bias.data.zero_()
    losses = []
    for batch_idx in range(20):
        # Get data
        batch_x, batch_y = get_batch(batch_idx)

        # Reset gradients
        fc.zero_grad()

        # Forward pass
        output = F.smooth_l1_loss(fc(batch_x), batch_y)
        loss = output.item()

        # Backward pass
        output.backward()

        # Apply gradients
        for param in fc.parameters():
            param.data.add_(-0.1 * param.grad)
        losses.append(loss)
    return losses
