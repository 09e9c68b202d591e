"""Linear algebra, special functions, transforms and statistics in class form."""

from msjax.core import dtype as dtypes
from msjax.ops.common.name_table import attach_classes

ROWS = """
# matrices
array.band_matrices: ConjugateTranspose=conjugate_transpose MatrixBandPart=matrix_band_part
linalg.decompositions: Geqrf=geqrf
linalg.determinants: LogMatrixDeterminant=slogdet MatrixDeterminant=det MatrixExp=matrix_exp
    MatrixLogarithm=matrix_logarithm
linalg.solving: TridiagonalMatMul=tridiagonal_product
Cholesky(upper=False)(input_x) -> linalg.decompositions.cholesky
CholeskyInverse(upper=False)(input_x) -> linalg.solving.cholesky_inverse
CholeskySolve(upper=False)(x1: input, x2: input2) -> linalg.solving.cholesky_solve
Eig(compute_v=False)(...) -> linalg.decompositions.eig_as
EuclideanNorm(keep_dims=False)(...) -> reduction.norms.euclidean_norm
Lstsq(fast=True, l2_regularizer=0.0)(x, a) -> linalg.solving.lstsq_of
LuSolve(x: b, lu_data: LU_data, lu_pivots: LU_pivots) -> linalg.solving.lu_solve
LuUnpack(unpack_data=True, unpack_pivots=True)(...) -> linalg.solving.lu_unpack
MatrixDiagPartV3(align='RIGHT_LEFT')(...) -> array.band_matrices.matrix_diag_part
MatrixDiagV3(align='RIGHT_LEFT')(x, k, num_rows, num_cols, padding_value) -> array.band_matrices.matrix_diag
MatrixInverse(adjoint=False)(...) -> linalg.solving.inverse_of
MatrixPower(n)(x: input) -> linalg.determinants.matrix_power
MatrixSetDiagV3(align='RIGHT_LEFT')(x, diagonal, k) -> array.band_matrices.matrix_set_diag
MatrixSolve(adjoint=False)(...) -> linalg.solving.matrix_solve
MatrixSolveLs(fast=True)(...) -> linalg.solving.solve_least
MatrixTriangularSolve(lower=True, adjoint=False)(...) -> linalg.solving.solve_triangle
NuclearNorm(dim=None, keepdim=False)(...) -> reduction.norms.nuclear_norm
Orgqr(x: input, tau: input2) -> linalg.decompositions.orgqr
Ormqr(left=True, transpose=False)(x: input, tau, other) -> linalg.decompositions.ormqr
Pdist(p=2.0)(x: input) -> reduction.norms.pdist
Qr(full_matrices=False)(...) -> linalg.decompositions.qr_as
Svd(full_matrices=False, compute_uv=True)(...) -> linalg.decompositions.svd_as

# special functions
math.bessel: BesselI0=bessel_i0 BesselI0e=bessel_i0e BesselI1=bessel_i1 BesselI1e=bessel_i1e BesselJ0=bessel_j0
    BesselJ1=bessel_j1 BesselK0=bessel_k0 BesselK0e=bessel_k0e BesselK1=bessel_k1 BesselK1e=bessel_k1e BesselY0=bessel_y0
    BesselY1=bessel_y1
math.special: Betainc=betainc Xdivy=xdivy
Digamma(x: input) -> math.special.digamma
Igamma(a: input, x: other) -> math.special.igamma
Igammac(a: input, x: other) -> math.special.igammac
Lgamma(x: input) -> math.special.lgamma
Mvlgamma(p)(x: input) -> math.special.mvlgamma
Polygamma(a: n, x: input) -> math.special.polygamma
Zeta(x: input, q: other) -> math.special.zeta

# floating-point numbers and bits
math.floating_point: CheckNumerics=check_numerics Eps=eps FloatStatus=float_status NextAfter=nextafter
primitive_impl.math: CompareAndBitpack=compare_and_bitpack
math.fused_arithmetic: LerpScalar=lerp
Heaviside(x: input, values) -> math.floating_point.heaviside
LeftShift(x1: input, x2: other) -> math.bitwise.bitwise_left_shift
RightShift(input_x: input, input_y: other) -> math.bitwise.bitwise_right_shift

# signals
BartlettWindow(periodic=True, dtype=float32)(window_length) -> signal.stft_windows.bartlett_window
BlackmanWindow(periodic=True, dtype=float32)(window_length) -> signal.stft_windows.blackman_window
HammingWindow(periodic=True, alpha=0.54, beta=0.46, dtype=float32)(...) -> signal.stft_windows.hamming_of
FFTWithSize(signal_ndim, inverse, real, norm='backward', onesided=True, signal_sizes=())(...) ->
    signal.stft_windows.fft_of_size
STFT(n_fft, hop_length, win_length, normalized, onesided, return_complex)(...) -> signal.stft_windows.stft_of

# statistics
primitive_impl.math: Bincount=weighted_bincount EqualCount=equal_count
Bucketize(boundaries)(...) -> reduction.statistics.bucketize_of
Histogram(bins=100, min=0.0, max=0.0)(x: input) -> reduction.statistics.histc
HistogramFixedWidth(nbins, dtype='int32')(...) -> reduction.statistics.histogram_fixed_width
LowerBound(out_type=int32)(...) -> primitive_impl.math.lower_bound
NthElement(reverse=False)(...) -> primitive_impl.math.nth_element
Quantile(dim=None, keep_dims=False, ignore_nan=False)(...) -> reduction.statistics.quantile_of
Renorm(p, dim: axis, maxnorm)(x: input) -> reduction.statistics.renorm
UpperBound(out_type=int32)(...) -> primitive_impl.math.upper_bound
"""

__getattr__, __dir__ = attach_classes(__name__, ROWS, float32=dtypes.float32, int32=dtypes.int32)
