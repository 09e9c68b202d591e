"""What optimizers and schedules compute, apart from the interfaces that present it (experimental and mint, torch).

`updates` holds one rule for each optimizer, `schedules` one formula for each schedule of a learning rate.
"""
