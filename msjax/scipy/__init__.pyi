from msjax.scipy import fft as fft
from msjax.scipy import linalg as linalg
from msjax.scipy import ops as ops
from msjax.scipy import optimize as optimize
