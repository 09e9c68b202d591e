"""Arithmetic of optimizers and schedules, apart from the interfaces that use it (experimental, mint, nn, torch).

`updates` holds one rule for each optimizer, `schedules` one formula for each schedule of a learning rate.
"""
