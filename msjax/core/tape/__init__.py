"""The tape: nodes of recorded operators, and the backward pass over them."""
