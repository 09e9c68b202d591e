from msjax.mint._products import qr as qr
from msjax.mint._tables import inverse as inv
from msjax.mint._tables import matrix_norm as matrix_norm
from msjax.mint._tables import vector_norm as vector_norm
from msjax.ops.reduction.norms import norm as norm
