"""Audio transforms (`mindspore.dataset.audio`), in NumPy and SciPy."""

from msjax.dataset.audio import transforms as transforms
from msjax.dataset.audio import utils as utils
from msjax.dataset.audio.transforms import *  # noqa: F403 - both modules are nothing but lists of these names
from msjax.dataset.audio.utils import *  # noqa: F403
