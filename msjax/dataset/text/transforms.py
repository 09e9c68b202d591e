"""All text transforms that there are (`mindspore.dataset.text.transforms`)."""

from msjax.dataset.text.tokenizers import BasicTokenizer as BasicTokenizer
from msjax.dataset.text.tokenizers import BertTokenizer as BertTokenizer
from msjax.dataset.text.tokenizers import RegexTokenizer as RegexTokenizer
from msjax.dataset.text.tokenizers import UnicodeCharTokenizer as UnicodeCharTokenizer
from msjax.dataset.text.tokenizers import UnicodeScriptTokenizer as UnicodeScriptTokenizer
from msjax.dataset.text.tokenizers import WhitespaceTokenizer as WhitespaceTokenizer
from msjax.dataset.text.tokenizers import WordpieceTokenizer as WordpieceTokenizer
from msjax.dataset.text.tokens import AddToken as AddToken
from msjax.dataset.text.tokens import Lookup as Lookup
from msjax.dataset.text.tokens import Ngram as Ngram
from msjax.dataset.text.tokens import PythonTokenizer as PythonTokenizer
from msjax.dataset.text.tokens import SlidingWindow as SlidingWindow
from msjax.dataset.text.tokens import ToNumber as ToNumber
from msjax.dataset.text.tokens import ToVectors as ToVectors
from msjax.dataset.text.tokens import Truncate as Truncate
from msjax.dataset.text.tokens import TruncateSequencePair as TruncateSequencePair
from msjax.dataset.text.unicode import CaseFold as CaseFold
from msjax.dataset.text.unicode import FilterWikipediaXML as FilterWikipediaXML
from msjax.dataset.text.unicode import NormalizeUTF8 as NormalizeUTF8
from msjax.dataset.text.unicode import RegexReplace as RegexReplace
