"""Conversion rules from JAX primitives to ONNX operators (https://onnx.ai/onnx/operators)."""

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from msjax.core.xla.integer_gradients import scan_counts
from msjax.onnx import proto
from msjax.onnx.graph import Graph, Rule

_SAME = {
    "add": "Add", "add_any": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "max": "Max", "min": "Min", "pow": "Pow",
    "neg": "Neg", "exp": "Exp", "log": "Log", "tanh": "Tanh", "logistic": "Sigmoid", "sqrt": "Sqrt", "erf": "Erf",
    "abs": "Abs", "sign": "Sign", "floor": "Floor", "ceil": "Ceil", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh", "acosh": "Acosh",
    "atanh": "Atanh", "not": "Not", "and": "And", "or": "Or", "xor": "Xor", "eq": "Equal", "lt": "Less",
    "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual", "stop_gradient": "Identity", "copy": "Identity",
    "copy_p": "Identity", "reduce_precision": "Identity", "round": "Round",
}  # fmt: skip
_MOST_TURNS = 512  # of a loop, which are written one after the other
RULES: dict[str, Rule] = {
    name: (lambda graph, eqn, inputs, kind=kind: graph.call(kind, *inputs)) for name, kind in _SAME.items()
}


def _rule(*names: str) -> Any:
    def keep(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return keep


def _refuse(what: str) -> None:
    raise NotImplementedError(f"`onnx.export`: the network needs {what}, which msjax cannot write as ONNX.")


def _ints(values: Sequence[int]) -> np.ndarray:
    return np.asarray(values, np.int64)


def _shape(one: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in one.aval.shape)


def _like(eqn: Any, number: float) -> np.ndarray:
    return np.asarray(number, eqn.invars[0].aval.dtype)


# ---------------------------------------------------------------------- elementwise


@_rule("ne")
def _ne(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Not", graph.call("Equal", *inputs))


@_rule("rsqrt")
def _rsqrt(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Reciprocal", graph.call("Sqrt", *inputs))


@_rule("square")
def _square(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Mul", inputs[0], inputs[0])


@_rule("integer_pow")
def _integer_pow(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Pow", inputs[0], _like(eqn, eqn.params["y"]))


@_rule("exp2")
def _exp2(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Pow", _like(eqn, 2), inputs[0])


@_rule("expm1")
def _expm1(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Sub", graph.call("Exp", *inputs), _like(eqn, 1))


@_rule("log1p")
def _log1p(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Log", graph.call("Add", inputs[0], _like(eqn, 1)))


@_rule("erfc")
def _erfc(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Sub", _like(eqn, 1), graph.call("Erf", *inputs))


@_rule("is_finite")
def _is_finite(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Not", graph.call("Or", graph.call("IsNaN", *inputs), graph.call("IsInf", *inputs)))


@_rule("rem")
def _rem(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Mod", *inputs, fmod=1)


@_rule("clamp")
def _clamp(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    low, x, high = inputs
    return graph.call("Min", graph.call("Max", x, low), high)


@_rule("select_n")
def _select(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    if len(inputs) != 3 or eqn.invars[0].aval.dtype != np.bool_:
        _refuse("a choice between more than two arrays")
    which, zero, one = inputs
    return graph.call("Where", which, one, zero)


@_rule("convert_element_type")
def _convert(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Cast", inputs[0], to=proto.kind(eqn.params["new_dtype"]))


# ---------------------------------------------------------------------- shapes


@_rule("reshape", "squeeze", "expand_dims")
def _reshape(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Reshape", inputs[0], _ints(_shape(eqn.outvars[0])))


@_rule("transpose")
def _transpose(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Transpose", inputs[0], perm=eqn.params["permutation"])


@_rule("broadcast_in_dim")
def _broadcast(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    given, wanted = _shape(eqn.invars[0]), _shape(eqn.outvars[0])
    aligned = [1] * len(wanted)
    for size, at in zip(given, eqn.params["broadcast_dimensions"], strict=True):
        aligned[at] = size
    x = inputs[0] if tuple(aligned) == given else graph.call("Reshape", inputs[0], _ints(aligned))
    return x if tuple(aligned) == wanted else graph.call("Expand", x, _ints(wanted))


@_rule("concatenate")
def _concatenate(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Concat", *inputs, axis=eqn.params["dimension"])


@_rule("stack")
def _stack(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    axis = eqn.params["axis"]
    return graph.call("Concat", *[graph.call("Unsqueeze", one, _ints([axis])) for one in inputs], axis=axis)


@_rule("tile")
def _tile(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("Tile", inputs[0], _ints(eqn.params["reps"]))


@_rule("top_k")
def _top_k(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    count, axis = eqn.params["k"], eqn.params.get("axis", -1)
    values, places = graph.call("TopK", inputs[0], _ints([count]), outputs=2, axis=axis)
    return [values, graph.call("Cast", places, to=proto.kind(eqn.outvars[1].aval.dtype))]


def _add_slice(graph: Graph, x: Any, starts: Any, ends: Any, steps: Any) -> Any:
    return graph.call("Slice", x, _ints(starts), _ints(ends), _ints(range(len(starts))), _ints(steps))


@_rule("slice")
def _slice(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    starts, ends = eqn.params["start_indices"], eqn.params["limit_indices"]
    return _add_slice(graph, inputs[0], starts, ends, eqn.params["strides"] or [1] * len(starts))


@_rule("rev")
def _reverse(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    axes = _ints(eqn.params["dimensions"])
    back = np.full(len(axes), -1, np.int64)
    return graph.call("Slice", inputs[0], back, np.full(len(axes), -(2**62), np.int64), axes, back)


@_rule("split")
def _split(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    sizes, axis = eqn.params["sizes"], eqn.params["axis"]
    found = graph.call("Split", inputs[0], _ints(sizes), outputs=len(sizes), axis=axis)
    return [found] if isinstance(found, str) else found


@_rule("pad")
def _pad(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    sides = eqn.params["padding_config"]
    if any(inner for _, _, inner in sides):
        _refuse("a padding between elements")
    pads = [low for low, _, _ in sides] + [high for _, high, _ in sides]
    return graph.call("Pad", inputs[0], _ints(pads), inputs[1], mode="constant")


def _along(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    """Gather one element, or several along one axis, for each index of the other axes."""
    numbers, places = eqn.params["dimension_numbers"], _shape(eqn.invars[1])[:-1]
    (axis,), rank = numbers.start_index_map, len(eqn.params["slice_sizes"])
    others = tuple(i for i in range(rank) if i != axis)
    several = len(places) == rank
    plain = set(eqn.params["slice_sizes"]) == {1} and numbers.collapsed_slice_dims == (axis,)
    expected = others if several else tuple(range(rank - 1))
    if (
        not plain
        or numbers.operand_batching_dims != others
        or numbers.start_indices_batching_dims != expected
    ):
        _refuse("indexing by several arrays")
    full = places if several else (*places[:axis], 1, *places[axis:])
    found = graph.call("GatherElements", inputs[0], graph.call("Reshape", inputs[1], _ints(full)), axis=axis)
    return found if several else graph.call("Reshape", found, _ints(places))


@_rule("gather")
def _gather(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    numbers, sizes = eqn.params["dimension_numbers"], eqn.params["slice_sizes"]
    shape, places = _shape(eqn.invars[0]), _shape(eqn.invars[1])
    axes, batch = numbers.start_index_map, len(places) - 1
    if numbers.operand_batching_dims and len(axes) == 1:
        return _along(graph, eqn, inputs)
    rows = len(axes) == 1 and numbers.collapsed_slice_dims == axes and not numbers.operand_batching_dims
    whole = rows and all(
        size == n for i, (size, n) in enumerate(zip(sizes, shape, strict=True)) if i != axes[0]
    )
    others = tuple(i for i in range(len(shape) - 1 + batch) if i not in range(axes[0], axes[0] + batch))
    if not whole or numbers.offset_dims != others:
        _refuse("indexing by several arrays")
    flat = graph.call("Reshape", inputs[1], _ints(places[:-1]))
    return graph.call("Gather", inputs[0], flat, axis=axes[0])


# ---------------------------------------------------------------------- sums and products

for _name, _kind in {
    "sum": "ReduceSum",
    "max": "ReduceMax",
    "min": "ReduceMin",
    "prod": "ReduceProd",
}.items():
    RULES[f"reduce_{_name}"] = lambda graph, eqn, inputs, kind=_kind: graph.call(
        kind, inputs[0], _ints(eqn.params["axes"]), keepdims=0
    )


@_rule("argmax", "argmin")
def _arg(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    kind = {"argmax": "ArgMax", "argmin": "ArgMin"}[eqn.primitive.name]
    found = graph.call(kind, inputs[0], axis=eqn.params["axes"][0], keepdims=0)
    return graph.call("Cast", found, to=proto.kind(eqn.params["index_dtype"]))


@_rule("cumsum")
def _cumsum(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    return graph.call("CumSum", inputs[0], _ints([eqn.params["axis"]])[0], reverse=int(eqn.params["reverse"]))


@_rule("dot_general")
def _product(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    (left, right), (left_batch, right_batch) = eqn.params["dimension_numbers"]
    a, b = (len(_shape(one)) for one in eqn.invars)
    kind = eqn.outvars[0].aval.dtype
    x, y = (
        one if var.aval.dtype == kind else graph.call("Cast", one, to=proto.kind(kind))
        for one, var in zip(inputs, eqn.invars, strict=True)
    )
    if (tuple(left), tuple(right), tuple(left_batch), b) == ((a - 1,), (0,), (), 2):
        return graph.call("MatMul", x, y)
    letters = iter(string.ascii_letters)
    first, second = [""] * a, [""] * b
    for i, j in [*zip(left_batch, right_batch, strict=True), *zip(left, right, strict=True)]:
        first[i] = second[j] = next(letters)
    shared = [first[i] for i in left_batch]
    for axes, used in ((first, left), (second, right)):
        axes[:] = [axis or next(letters) for axis in axes]
        shared += [axis for i, axis in enumerate(axes) if axis not in shared and i not in used]
    return graph.call("Einsum", x, y, equation=f"{''.join(first)},{''.join(second)}->{''.join(shared)}")


# ---------------------------------------------------------------------- loops


@_rule("scan")
def _scan(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    given = eqn.params
    count, carried = scan_counts(given)
    before, turns = count + carried, given["length"]
    if turns > _MOST_TURNS:
        _refuse(f"a loop of {turns} turns")
    constants, carry, rows = inputs[:count], inputs[count:before], inputs[before:]
    results: list[list[Any]] = []
    for turn in reversed(range(turns)) if given["reverse"] else range(turns):
        taken = [graph.call("Gather", row, np.int64(turn), axis=0) for row in rows]
        out = graph.run(given["jaxpr"].jaxpr, given["jaxpr"].consts, [*constants, *carry, *taken])
        carry = out[: len(carry)]
        results.append([graph.call("Unsqueeze", one, _ints([0])) for one in out[len(carry) :]])
    if given["reverse"]:
        results.reverse()
    return [*carry, *(graph.call("Concat", *column, axis=0) for column in zip(*results, strict=True))]


# ---------------------------------------------------------------------- windows


def _pads(padding: Sequence[tuple[int, int]]) -> list[int]:
    if any(side < 0 for pair in padding for side in pair):
        _refuse("a convolution or pooling with negative padding")
    return [low for low, _ in padding] + [high for _, high in padding]


def _insert_zeros(graph: Graph, x: Any, shape: tuple[int, ...], steps: Sequence[int]) -> Any:
    """Zeros between the elements of all axes after the second."""
    inner = [n for size in shape[2:] for n in (size, 1)]
    wide = graph.call("Reshape", x, _ints([*shape[:2], *inner]))
    after = [n for step in steps for n in (0, step - 1)]
    wide = graph.call("Pad", wide, _ints([0] * (2 + len(inner)) + [0, 0, *after]), mode="constant")
    full = [size * step for size, step in zip(shape[2:], steps, strict=True)]
    flat = graph.call("Reshape", wide, _ints([*shape[:2], *full]))
    ends = [size - step + 1 for size, step in zip(full, steps, strict=True)]
    return _add_slice(graph, flat, [0] * len(shape), [*shape[:2], *ends], [1] * len(shape))


@_rule("conv_general_dilated")
def _convolution(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    given, numbers = eqn.params, eqn.params["dimension_numbers"]
    if given["batch_group_count"] != 1:
        _refuse("a convolution in groups of the batch")
    x, w = (
        graph.call("Transpose", one, perm=spec)
        for one, spec in zip(inputs, (numbers.lhs_spec, numbers.rhs_spec), strict=True)
    )
    shape = tuple(_shape(eqn.invars[0])[i] for i in numbers.lhs_spec)
    if any(step != 1 for step in given["lhs_dilation"]):
        x = _insert_zeros(graph, x, shape, given["lhs_dilation"])
    y = graph.call(
        "Conv",
        x,
        w,
        strides=given["window_strides"],
        pads=_pads(given["padding"]),
        dilations=given["rhs_dilation"],
        group=given["feature_group_count"],
    )
    return graph.call("Transpose", y, perm=[int(i) for i in np.argsort(numbers.out_spec)])


@_rule("reduce_window_max", "reduce_window_sum")
def _window(graph: Graph, eqn: Any, inputs: list[Any]) -> Any:
    given = eqn.params
    window, steps = given["window_dimensions"], given["window_strides"]
    if (
        any(n != 1 for n in given["base_dilation"])
        or window[:2] != (1, 1)
        or steps[:2] != (1, 1)
        or len(window) < 3
    ):
        _refuse("a pooling over the batch or the channels")
    size = {"kernel_shape": window[2:], "strides": steps[2:], "pads": _pads(given["padding"][2:])}
    if eqn.primitive.name == "reduce_window_max":
        return graph.call("MaxPool", inputs[0], dilations=given["window_dilation"][2:], **size)
    if any(n != 1 for n in given["window_dilation"]):
        _refuse("a mean of windows with dilation")
    mean = graph.call("AveragePool", inputs[0], count_include_pad=1, **size)
    return graph.call("Mul", mean, _like(eqn, int(np.prod(window))))
