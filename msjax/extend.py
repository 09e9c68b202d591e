"""Extension points: what to build on if msjax lacks an operator, a gradient or a transformation. docs/extend.md shows how.

These names and their arguments change only with a note in CHANGELOG.md; the rest of `msjax.core` may change at any time.

Operators:
    op: decorator: a pure function over JAX arrays becomes an operator over Tensors.
    Array, ArrayOrNumber, ArrayOrBool, ArrayLike, BoolLike: annotations of its parameters, which say what callers may give.
    custom_call: calls a function over Tensors as one step with a gradient of its own.

An operator is an ordinary Python function, so `Tensor.name = operator` makes it a method of Tensors.

Transformations:
    transformation: makes a transformation, like `vmap` or `jvp`, of a function that runs within a trace.
    trace: makes a pure function over arrays of a function over Tensors.
    Traced: the result of that: the pure function, what it reads from outside, and what it writes.
    call_as_operator: calls a pure function that was made of a `Traced`, so that gradients reach what it reads.
    tensors_in: lists the Tensors among the arguments.
"""

from jax import Array as Array

from msjax.core.autodiff.custom_vjp import custom_call as custom_call
from msjax.core.autodiff.grad import tensors_in as tensors_in
from msjax.core.autodiff.jvp_vjp_jacobian import call_as_operator as call_as_operator
from msjax.core.autodiff.jvp_vjp_jacobian import transformation as transformation
from msjax.core.op.argument_types import ArrayLike as ArrayLike
from msjax.core.op.argument_types import ArrayOrBool as ArrayOrBool
from msjax.core.op.argument_types import ArrayOrNumber as ArrayOrNumber
from msjax.core.op.argument_types import BoolLike as BoolLike
from msjax.core.op.op import op as op
from msjax.core.trace.trace import Traced as Traced
from msjax.core.trace.trace import trace as trace
