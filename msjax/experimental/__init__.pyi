from msjax.experimental import optim as optim
