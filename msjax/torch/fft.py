"""`torch.fft`: Fourier transforms (those of `ops`)."""

from typing import Any

from msjax.ops.common.name_table import read_table
from msjax.torch.functions import served_from_mint

FUNCTIONS = read_table("""
ops.functional: fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft hfft2 hfftn ihfft ihfft2 ihfftn
    fftfreq rfftfreq fftshift ifftshift
""")


def __getattr__(name: str) -> Any:
    found = served_from_mint.find_in_module("torch.fft", FUNCTIONS, name)
    globals()[name] = found
    return found
