"""Linear algebra, special functions, transforms and statistics in class form."""

# fmt: off
import functools

from msjax.core import dtype as dtypes
from msjax.ops.array import band_matrices
from msjax.ops.common.adapters import primitive
from msjax.ops.linalg import decompositions, determinants, solving
from msjax.ops.math import bessel, bitwise, floating_point, fused_arithmetic, special
from msjax.ops.primitive_impl import math
from msjax.ops.reduction import norms, statistics
from msjax.ops.signal import stft_windows

_p = functools.partial(primitive, module=__name__)

# ---------------------------------------------------------------------- matrices

Cholesky = _p("Cholesky", decompositions.cholesky, "(upper=False)", "(input_x)")
CholeskyInverse = _p("CholeskyInverse", solving.cholesky_inverse, "(upper=False)", "(input_x)")
CholeskySolve = _p("CholeskySolve", solving.cholesky_solve, "(upper=False)", "(x1, x2)", "x1=input x2=input2")
ConjugateTranspose = _p("ConjugateTranspose", band_matrices.conjugate_transpose)
Eig = _p("Eig", decompositions.eig_as, "(compute_v=False)")
EuclideanNorm = _p("EuclideanNorm", norms.euclidean_norm, "(keep_dims=False)")
Geqrf = _p("Geqrf", decompositions.geqrf)
LogMatrixDeterminant = _p("LogMatrixDeterminant", determinants.slogdet)
Lstsq = _p("Lstsq", solving.lstsq_of, "(fast=True, l2_regularizer=0.0)", "(x, a)")
LuSolve = _p("LuSolve", solving.lu_solve, "()", "(x, lu_data, lu_pivots)", "x=b lu_data=LU_data lu_pivots=LU_pivots")
LuUnpack = _p("LuUnpack", solving.lu_unpack, "(unpack_data=True, unpack_pivots=True)")
MatrixBandPart = _p("MatrixBandPart", band_matrices.matrix_band_part)
MatrixDeterminant = _p("MatrixDeterminant", determinants.det)
MatrixDiagPartV3 = _p("MatrixDiagPartV3", band_matrices.matrix_diag_part, "(align='RIGHT_LEFT')")
MatrixDiagV3 = _p("MatrixDiagV3", band_matrices.matrix_diag, "(align='RIGHT_LEFT')",
                  "(x, k, num_rows, num_cols, padding_value)")
MatrixExp = _p("MatrixExp", determinants.matrix_exp)
MatrixInverse = _p("MatrixInverse", solving.inverse_of, "(adjoint=False)")
MatrixLogarithm = _p("MatrixLogarithm", determinants.matrix_logarithm)
MatrixPower = _p("MatrixPower", determinants.matrix_power, "(n)", "(x)", "x=input")
MatrixSetDiagV3 = _p("MatrixSetDiagV3", band_matrices.matrix_set_diag, "(align='RIGHT_LEFT')", "(x, diagonal, k)")
MatrixSolve = _p("MatrixSolve", solving.matrix_solve, "(adjoint=False)")
MatrixSolveLs = _p("MatrixSolveLs", solving.solve_least, "(fast=True)")
MatrixTriangularSolve = _p("MatrixTriangularSolve", solving.solve_triangle, "(lower=True, adjoint=False)")
NuclearNorm = _p("NuclearNorm", norms.nuclear_norm, "(dim=None, keepdim=False)")
Orgqr = _p("Orgqr", decompositions.orgqr, "()", "(x, tau)", "x=input tau=input2")
Ormqr = _p("Ormqr", decompositions.ormqr, "(left=True, transpose=False)", "(x, tau, other)", "x=input")
Pdist = _p("Pdist", norms.pdist, "(p=2.0)", "(x)", "x=input")
Qr = _p("Qr", decompositions.qr_as, "(full_matrices=False)")
Svd = _p("Svd", decompositions.svd_as, "(full_matrices=False, compute_uv=True)")
TridiagonalMatMul = _p("TridiagonalMatMul", solving.tridiagonal_product)

# ---------------------------------------------------------------------- special functions

BesselI0 = _p("BesselI0", bessel.bessel_i0)
BesselI0e = _p("BesselI0e", bessel.bessel_i0e)
BesselI1 = _p("BesselI1", bessel.bessel_i1)
BesselI1e = _p("BesselI1e", bessel.bessel_i1e)
BesselJ0 = _p("BesselJ0", bessel.bessel_j0)
BesselJ1 = _p("BesselJ1", bessel.bessel_j1)
BesselK0 = _p("BesselK0", bessel.bessel_k0)
BesselK0e = _p("BesselK0e", bessel.bessel_k0e)
BesselK1 = _p("BesselK1", bessel.bessel_k1)
BesselK1e = _p("BesselK1e", bessel.bessel_k1e)
BesselY0 = _p("BesselY0", bessel.bessel_y0)
BesselY1 = _p("BesselY1", bessel.bessel_y1)
Betainc = _p("Betainc", special.betainc)
Digamma = _p("Digamma", special.digamma, "()", "(x)", "x=input")
Igamma = _p("Igamma", special.igamma, "()", "(a, x)", "a=input x=other")
Igammac = _p("Igammac", special.igammac, "()", "(a, x)", "a=input x=other")
Lgamma = _p("Lgamma", special.lgamma, "()", "(x)", "x=input")
Mvlgamma = _p("Mvlgamma", special.mvlgamma, "(p)", "(x)", "x=input")
Polygamma = _p("Polygamma", special.polygamma, "()", "(a, x)", "a=n x=input")
Xdivy = _p("Xdivy", special.xdivy)
Zeta = _p("Zeta", special.zeta, "()", "(x, q)", "x=input q=other")

# ---------------------------------------------------------------------- floating-point numbers and bits

CheckNumerics = _p("CheckNumerics", floating_point.check_numerics)
CompareAndBitpack = _p("CompareAndBitpack", math.compare_and_bitpack)
Eps = _p("Eps", floating_point.eps)
FloatStatus = _p("FloatStatus", floating_point.float_status)
Heaviside = _p("Heaviside", floating_point.heaviside, "()", "(x, values)", "x=input")
LeftShift = _p("LeftShift", bitwise.bitwise_left_shift, "()", "(x1, x2)", "x1=input x2=other")
LerpScalar = _p("LerpScalar", fused_arithmetic.lerp)
NextAfter = _p("NextAfter", floating_point.nextafter)
RightShift = _p("RightShift", bitwise.bitwise_right_shift, "()", "(input_x, input_y)", "input_x=input input_y=other")

# ---------------------------------------------------------------------- signals

BartlettWindow = _p("BartlettWindow", stft_windows.bartlett_window, "(periodic=True, dtype=float32)", "(window_length)",
                    float32=dtypes.float32)
BlackmanWindow = _p("BlackmanWindow", stft_windows.blackman_window, "(periodic=True, dtype=float32)", "(window_length)",
                    float32=dtypes.float32)
HammingWindow = _p("HammingWindow", stft_windows.hamming_of, "(periodic=True, alpha=0.54, beta=0.46, dtype=float32)",
                   float32=dtypes.float32)
FFTWithSize = _p("FFTWithSize", stft_windows.fft_of_size,
                 "(signal_ndim, inverse, real, norm='backward', onesided=True, signal_sizes=())")
STFT = _p("STFT", stft_windows.stft_of, "(n_fft, hop_length, win_length, normalized, onesided, return_complex)")

# ---------------------------------------------------------------------- statistics

Bincount = _p("Bincount", math.weighted_bincount)
Bucketize = _p("Bucketize", statistics.bucketize_of, "(boundaries)")
EqualCount = _p("EqualCount", math.equal_count)
Histogram = _p("Histogram", statistics.histc, "(bins=100, min=0.0, max=0.0)", "(x)", "x=input")
HistogramFixedWidth = _p("HistogramFixedWidth", statistics.histogram_fixed_width, "(nbins, dtype='int32')")
LowerBound = _p("LowerBound", math.lower_bound, "(out_type=int32)", int32=dtypes.int32)
NthElement = _p("NthElement", math.nth_element, "(reverse=False)")
Quantile = _p("Quantile", statistics.quantile_of, "(dim=None, keep_dims=False, ignore_nan=False)")
Renorm = _p("Renorm", statistics.renorm, "(p, dim, maxnorm)", "(x)", "x=input dim=axis")
UpperBound = _p("UpperBound", math.upper_bound, "(out_type=int32)", int32=dtypes.int32)
