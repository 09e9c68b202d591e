"""`torch.return_types`: named tuples that functions with several results return."""

from collections import namedtuple
from typing import TYPE_CHECKING, Any

_TABLE = """
max min median nanmedian mode sort topk kthvalue cummax cummin: values indices
aminmax: min max
frexp: mantissa exponent
geqrf: a tau
histogram histogramdd: hist bin_edges
qr linalg_qr: Q R
svd: U S V
slogdet linalg_slogdet: sign logabsdet
triangular_solve: solution cloned_coefficient
linalg_cholesky_ex: L info
linalg_eig linalg_eigh: eigenvalues eigenvectors
linalg_inv_ex: inverse info
linalg_ldl_factor: LD pivots
linalg_ldl_factor_ex: LD pivots info
linalg_lstsq: solution residuals rank singular_values
lu_unpack linalg_lu: P L U
linalg_lu_factor: LU pivots
linalg_lu_factor_ex: LU pivots info
linalg_solve_ex: result info
linalg_svd: U S Vh
"""  # names of functions: names of their results


class _Result:
    """Base of the named tuples, with the text that PyTorch prints."""

    __slots__ = ()

    def __repr__(self: Any) -> str:
        shown = [f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)]
        return f"torch.return_types.{type(self).__name__}(\n" + ",\n".join(shown) + ")"


def _define(name: str, fields: str) -> type:
    bases = (_Result, namedtuple(name, fields))  # noqa: PYI024 - the table gives names and fields as texts
    about = f"Results of `{name}`: {fields.replace(' ', ', ')}."
    return type(name, bases, {"__slots__": (), "__module__": __name__, "__doc__": about})


for _line in filter(None, _TABLE.split("\n")):
    _names, _, _fields = _line.partition(": ")
    globals().update({_name: _define(_name, _fields) for _name in _names.split()})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
