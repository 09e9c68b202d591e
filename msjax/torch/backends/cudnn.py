"""`torch.backends.cudnn`: cuDNN switches, which have no effect here."""

benchmark = deterministic = enabled = allow_tf32 = False


def is_available() -> bool:
    """False."""
    return False


def version() -> None:
    """None: there is none."""
