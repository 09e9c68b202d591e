"""The transforms under the name that they had in MindSpore 1.x, where these were written in C++."""

from msjax.public_api.old_spellings import moved

__getattr__, __dir__ = moved(__name__)
