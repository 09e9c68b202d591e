"""`mindspore.numpy` against MindSpore 2.10.0: values, dtypes, shapes, gradients and errors of `samples_numpy.py`."""

import ast
import contextlib
import gzip
import json
import pathlib
import warnings

import jax
import numpy as np
import pytest
from samples_numpy import ARRAYS, FAMILIES, GRADIENTS, WRONG

import msjax.numpy as mnp
from msjax.core.autodiff.grad import grad
from msjax.core.autodiff.vmap import vmap
from msjax.core.dtype import bfloat16
from msjax.core.jit.jit import jit
from msjax.core.tensor.tensor import Tensor
from msjax.public_api.stubs import names

GOLDEN = json.loads(
    gzip.decompress((pathlib.Path(__file__).parents[1] / "goldens" / "numpy.json.gz").read_bytes())
)
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 2e-7, "complex64": 2e-5, "complex128": 1e-10}
NAMES = {name: getattr(mnp, name) for name in names("msjax.numpy")}
TENSORS = {name: Tensor(value) for name, value in ARRAYS.items()}
ON_HOST = (
    "unique",
    "intersect",
    "setdiff",
    "argwhere",
    "array_str",
    "bincount",
    "size(",
    "isscalar",
    "repeat",
    "piecewise",
)

# Where msjax gives something else, and why.
FLOAT = "remainders of fractions end where rounding lets them"
ZERO = "MindSpore's kernel is wrong at 0"
MEAN = "MindSpore takes the mean of integers as an integer, also within variances"
KIND = "MindSpore forgets the dtype"
BOOL = "MindSpore sums bools to a bool"
WHOLE = "MindSpore makes the second argument whole"
DEPARTURES = {
    "cbrt(i)": ZERO,
    "cbrt(t)": ZERO,
    "cbrt(n)": "MindSpore has no cube root of -inf",
    "sign(n)": "MindSpore gives nan for -inf",
    "tanh(i)": "MindSpore's float32 tanh is right to 1e-4",
    "tanh(n)": "MindSpore's float32 tanh is right to 1e-4",
    "add(b, w)": "MindSpore reads int8 as uint8",
    "hypot(b, w)": "MindSpore's kernel gives nan",
    "mod(t, t)": ZERO,
    "remainder(t, t)": ZERO,
    "fmod(t, t)": ZERO,
    "divmod(t, t)": ZERO,
    "logaddexp(d, m)": "MindSpore computes in float32",
    "logaddexp2(s, h)": "MindSpore computes in float16",
    "gcd(d, m)": FLOAT,
    "lcm(d, m)": FLOAT,
    "lcm(i, u)": FLOAT,
    "clip(f, 1, 3, dtype=float16)": KIND,
    "nanmean(g, dtype=float16)": KIND,
    "var(i)": MEAN,
    "std(i)": MEAN,
    "nanmean(h)": "MindSpore computes in float16",
    "nanmean(t)": BOOL,
    "nanvar(t)": BOOL,
    "nanstd(t)": BOOL,
    "correlate([1, 2, 3], [0, 1, 0.5])": WHOLE,
    'correlate([1, 2, 3], [0, 1, 0.5], mode="same")': WHOLE,
    'correlate([1, 2, 3], [0, 1, 0.5], mode="full")': WHOLE,
}


def value_of(source, **more):
    return eval(source, {**NAMES, **TENSORS, **more})


def differences(got, golden, loose=1):
    """Describe in words how a result differs from its golden; nothing if they agree."""
    if "kind" in golden:
        if type(got).__name__ != golden["kind"] or len(got) != len(golden["of"]):
            return f"{type(got).__name__} of {len(got)}, expected {golden['kind']} of {len(golden['of'])}"
        return "; ".join(
            filter(None, (differences(g, e, loose) for g, e in zip(got, golden["of"], strict=True)))
        )
    if "text" in golden:
        return "" if str(got) == golden["text"] else f"{got}, expected {golden['text']}"
    array = got.asnumpy()
    if (array.dtype.name, list(array.shape)) != (golden["dtype"], golden["shape"]):
        return f"{array.dtype}{array.shape}, expected {golden['dtype']}{tuple(golden['shape'])}"
    expected = np.array(golden["values"], np.float64 if array.dtype.kind == "c" else array.dtype)
    if array.dtype.kind == "c":
        expected = (expected.reshape(-1, 2) @ [1, 1j]).astype(array.dtype)
    tol = TOLERANCE.get(array.dtype.name, 0) * loose
    if np.allclose(array.ravel(), expected.ravel(), rtol=tol, atol=tol, equal_nan=True):
        return ""
    return f"{array.ravel()[:6]}, expected {expected.ravel()[:6]}"


@pytest.mark.parametrize("family", FAMILIES)
def test_values(family):
    """Every sample of a family, eagerly, without JAX's own promotion."""
    wrong = []
    with jax.numpy_dtype_promotion("strict"), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        for source in FAMILIES[family]:
            golden = GOLDEN["values"].get(source)
            if golden is None or source in DEPARTURES:
                continue
            try:
                found = differences(value_of(source), golden)
            except Exception as error:  # noqa: BLE001  reported with all others
                found = f"{type(error).__name__}: {str(error)[:200]}"
            wrong += [f"{source}: {found}"] if found else []
    assert not wrong, f"{len(wrong)} of {len(FAMILIES[family])}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("source", DEPARTURES)
def test_departures_are_departures(source):
    with contextlib.suppress(TypeError, ValueError):
        assert differences(value_of(source), GOLDEN["values"][source])


def one_of_each():
    """One sample of each function that compiles."""
    chosen = {}
    for source in [s for samples in FAMILIES.values() for s in samples]:
        golden = GOLDEN["values"].get(source, {"text": ""})
        if "text" not in golden and source not in DEPARTURES and not source.startswith(ON_HOST):
            chosen.setdefault(source.split("(")[0], source)
    return list(chosen.values())


def test_values_in_compiled_code():
    """One sample of each function, all in one compiled program."""
    chosen = one_of_each()

    @jit
    def program(arrays):
        return [value_of(source, **arrays) for source in chosen]

    results = program(TENSORS)
    found = {
        s: differences(_like(r, GOLDEN["values"][s]), GOLDEN["values"][s], 5)
        for s, r in zip(chosen, results, strict=True)
    }
    assert not {s: f for s, f in found.items() if f}


def test_programs_lower_for_accelerators():
    """And no float64 is in the program of a float32 function."""
    chosen = [
        s
        for s in one_of_each()
        if "64" not in json.dumps(GOLDEN["values"][s]) and "d" not in _arrays_of(s) and "rand" not in s
    ]

    def program(arrays):
        boxes = {name: Tensor.from_array(array) for name, array in arrays.items()}
        return jax.tree.map(
            lambda t: t.array, [value_of(source, **boxes) for source in chosen], is_leaf=_is_tensor
        )

    arrays = {name: tensor.array for name, tensor in TENSORS.items() if name != "d"}
    lowered = jax.export.export(jax.jit(program), platforms=("cuda", "tpu"))(arrays)
    program_text = lowered.mlir_module()
    assert "<f64" not in program_text
    assert "xf64" not in program_text


def _is_tensor(leaf):
    return isinstance(leaf, Tensor)


def _arrays_of(source):
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("name", ["sin", "sum", "std", "cumsum", "norm", "gradient", "flip", "where", "pad"])
def test_vmap(name):
    """Mapped over rows, a function gives what it gives row by row."""
    more = {"where": lambda x: mnp.where(x > 0, x, 0), "pad": lambda x: mnp.pad(x, 1, "edge")}
    fn = more.get(name, NAMES[name])
    rows = TENSORS["m"]
    expected = np.stack([fn(rows[i]).asnumpy() for i in range(2)])
    np.testing.assert_allclose(vmap(fn)(rows).asnumpy(), expected, rtol=1e-6)


def test_numbers_keep_their_type_and_sign():
    kinds = [mnp.add(TENSORS["j"] == 3, value).dtype.name for value in (1, True, 1.0)]
    assert kinds == ["int32", "bool_", "float32"]
    assert np.signbit([mnp.array(value).asnumpy() for value in (0.0, -0.0, 0.0)]).tolist() == [
        False,
        True,
        False,
    ]


def test_bfloat16():
    x = Tensor(ARRAYS["u"], bfloat16)
    with jax.numpy_dtype_promotion("strict"):
        for result in (mnp.sin(x), mnp.add(x, x), mnp.sum(x), mnp.matmul(x, x.T)):
            assert result.dtype is bfloat16
        assert mnp.histogram(x, 2)[0].asnumpy().sum() == 6


def _like(result, golden):
    """Compiled code gives lists back as tuples."""
    return list(result) if golden.get("kind") == "list" else result


@pytest.mark.parametrize("error", ["TypeError", "ValueError", "RuntimeError", "NotImplementedError", "other"])
def test_errors(error):
    """Refuse what MindSpore refuses, with the same type of exception and a message that says what was received."""
    wrong = []
    for source in WRONG:
        expected = GOLDEN["errors"][source]
        if (
            expected
            if expected in ("TypeError", "ValueError", "RuntimeError", "NotImplementedError")
            else "other"
        ) != error:
            continue
        try:
            value_of(source)
            wrong.append(f"{source}: no error, expected {expected}")
        except Exception as caught:  # noqa: BLE001  it is what is tested
            if expected not in [kind.__name__ for kind in type(caught).__mro__]:
                wrong.append(f"{source}: {type(caught).__name__}, expected {expected}: {str(caught)[:120]}")
            elif "eceived" not in str(caught) and expected != "TypeError":
                wrong.append(f"{source}: the message does not say what it received: {caught}")
    assert not wrong, "\n".join(wrong)


def test_gradients():
    wrong = []
    for sample in GRADIENTS:
        source, of = sample.split("|")
        golden = GOLDEN["gradients"].get(sample)
        if golden is None:
            continue
        found = differences(grad(lambda x, source=source: value_of(source, x=x))(TENSORS[of]), golden)
        wrong += [f"{sample}: {found}"] if found else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("i2",), "Int16"),
        (("f2", "i8"), "Float16"),
        (("b1", 1), "Int32"),
        (("i2", mnp.float32, True), "Float32"),
    ],
)
def test_short_names_of_dtypes(given, expected):
    """Give MindSpore's results; where a dtype is asked for, it refuses them."""
    assert str(mnp.result_type(*given)) == expected
    with pytest.raises(TypeError, match="dtype"):
        mnp.promote_types("i2", "f4")


def test_sizes_of_a_transform_over_several_axes_are_a_tuple():
    with pytest.raises(TypeError, match=r"argument `s` must be a tuple of ints. Received: s=4"):
        mnp.fft.fftn(mnp.ones((4, 4)), 4)


@pytest.mark.parametrize("sample", [[[1, 2], [3, 4]], ([1, 2], [3, 4]), (Tensor([1, 2]), Tensor([3, 4]))])
def test_coordinates_in_lists_come_first(sample):
    _, edges = mnp.histogramdd(sample, 2)
    assert [edge.tolist() for edge in edges] == [[1, 1.5, 2], [3, 3.5, 4]]
    _, edges = mnp.histogramdd(Tensor([[1, 2], [3, 4]]), 2)
    assert [edge.tolist() for edge in edges] == [[1, 2, 3], [2, 3, 4]]
