"""Text transforms (`mindspore.dataset.text`): vocabularies, tokenizers, token transforms.

Where this differs from MindSpore: the offsets of an unknown word span the word; `RegexReplace` treats each string of an
array; folding cases keeps [CLS] and the like where they stand.
"""

from msjax.dataset.text import transforms as transforms
from msjax.dataset.text import utils as utils
from msjax.dataset.text.transforms import *  # noqa: F403 - a module that is nothing but the list of these names
from msjax.dataset.text.utils import CharNGram as CharNGram
from msjax.dataset.text.utils import FastText as FastText
from msjax.dataset.text.utils import GloVe as GloVe
from msjax.dataset.text.utils import JiebaMode as JiebaMode
from msjax.dataset.text.utils import NormalizeForm as NormalizeForm
from msjax.dataset.text.utils import SentencePieceModel as SentencePieceModel
from msjax.dataset.text.utils import SentencePieceVocab as SentencePieceVocab
from msjax.dataset.text.utils import SPieceTokenizerLoadType as SPieceTokenizerLoadType
from msjax.dataset.text.utils import SPieceTokenizerOutType as SPieceTokenizerOutType
from msjax.dataset.text.utils import Vectors as Vectors
from msjax.dataset.text.utils import Vocab as Vocab
from msjax.dataset.text.utils import to_bytes as to_bytes
from msjax.dataset.text.utils import to_str as to_str
