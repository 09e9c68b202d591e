"""Random draws: their distributions, that they go on, repeat and differ, and what they accept."""

import importlib
import json
import math
import pathlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from scipy import stats

from msjax.core import dtype
from msjax.core.autodiff.grad import grad
from msjax.core.jit.jit import jit
from msjax.core.tensor import random_state as random_states
from msjax.core.tensor.generator import Generator
from msjax.core.tensor.tensor import Tensor
from msjax.ops import operations as classes
from tests.lowered import float64_in

ops = SimpleNamespace()
for _module in (
    "nn.dropout",
    "random.draws",
    "random.distributions",
    "random.fill",
    "nn.candidate_sampling",
    "nn.dropout_masks",
    "nn.activation_piecewise",
    "nn.activation_smooth",
    "nn.attention",
):
    vars(ops).update(vars(importlib.import_module(f"msjax.ops.{_module}")))

GOLDEN = json.loads((pathlib.Path(__file__).parents[2] / "goldens" / "random.json").read_text())
# The documentation of MindSpore gives the dtype of the input, and its other functions do.
DEPARTS = {"ops.randn_like(Tensor([1.0, 2.0], ms.float16))": {"shape": [2], "dtype": "Float16"}}
N = 20000
ONES = Tensor(np.ones(N, np.float32))
FLAT = Tensor(0.0), Tensor(1.0)
ROW, MASK = Tensor([[1]]), Tensor(np.ones(N, bool))

CONTINUOUS: dict[str, tuple[Callable[[], Any], Any]] = {
    "rand": (lambda: ops.rand(N), stats.uniform()),
    "rand float16": (lambda: ops.rand(N, dtype=dtype.float16), stats.uniform()),
    "rand_like": (lambda: ops.rand_like(ONES), stats.uniform()),
    "randn": (lambda: ops.randn(N), stats.norm()),
    "randn_like": (lambda: ops.randn_like(ONES), stats.norm()),
    "standard_normal": (lambda: ops.standard_normal((N,)), stats.norm()),
    "standard_normal seed": (lambda: ops.standard_normal((N,), seed=5), stats.norm()),
    "normal": (lambda: ops.normal((N,), Tensor(2.0), Tensor(0.5)), stats.norm(2, 0.5)),
    "normal numbers": (lambda: ops.normal((N,), 2, 0.5), stats.norm(2, 0.5)),
    "uniform": (lambda: ops.uniform((N,), Tensor(-1.0), Tensor(3.0)), stats.uniform(-1, 4)),
    "truncated_normal": (lambda: ops.truncated_normal((N,)), stats.truncnorm(-2, 2)),
    "standard_laplace": (lambda: ops.standard_laplace((N,)), stats.laplace()),
    "laplace": (lambda: ops.laplace((N,), Tensor(1.0), Tensor(2.0)), stats.laplace(1, 2)),
    "random_gamma": (lambda: ops.random_gamma(Tensor([N]), Tensor(2.5)), stats.gamma(2.5)),
    "random_gamma small": (lambda: ops.random_gamma(Tensor([N]), Tensor(0.3)), stats.gamma(0.3)),
    "gamma": (lambda: ops.gamma((N,), Tensor(2.0), Tensor(3.0)), stats.gamma(2, scale=1 / 3)),
    "normal_": (lambda: ops.normal_(ONES.copy(), 2.0, 0.5), stats.norm(2, 0.5)),
    "uniform_": (lambda: ops.uniform_(ONES.copy(), -1.0, 3.0), stats.uniform(-1, 4)),
    "exponential_": (lambda: ops.exponential_(ONES.copy(), 2.0), stats.expon(scale=0.5)),
    "log_normal": (lambda: ops.log_normal_like(ONES, 0.0, 0.5), stats.lognorm(0.5)),
    "parameterized_truncated_normal": (
        lambda: ops.parameterized_truncated_normal((N,), *(Tensor([v]) for v in (1.0, 2.0, -1.0, 5.0))),
        stats.truncnorm(-1, 2, 1, 2),
    ),
    "rrelu": (lambda: ops.rrelu(-ONES, 0.25, 0.75), stats.uniform(-0.75, 0.5)),
}
DISCRETE: dict[str, tuple[Callable[[], Any], list[float]]] = {
    "randint": (lambda: ops.randint(0, 4, (N,)), [0.25] * 4),
    "uniform int": (lambda: ops.uniform((N,), Tensor(0), Tensor(4), dtype=dtype.int32), [0.25] * 4),
    "bernoulli": (lambda: ops.bernoulli(ONES, 0.3), [0.7, 0.3]),
    "bernoulli of a Tensor": (lambda: ops.bernoulli(ONES, Tensor([0.3])), [0.7, 0.3]),
    "poisson": (lambda: ops.poisson((N,), Tensor(1.5)), list(stats.poisson(1.5).pmf(range(6)))),
    "random_poisson": (
        lambda: ops.random_poisson(Tensor([N]), Tensor(1.5)),
        list(stats.poisson(1.5).pmf(range(6))),
    ),
    "multinomial": (lambda: ops.multinomial(Tensor([1.0, 0.0, 3.0]), N), [0.25, 0, 0.75]),
    "multinomial rows": (lambda: ops.multinomial(Tensor([[1.0, 3.0]] * N), 1), [0.25, 0.75]),
    "multinomial, first": (lambda: ops.multinomial(Tensor([[1.0, 3.0]] * N), 1, False), [0.25, 0.75]),
    "random_categorical": (lambda: ops.random_categorical(Tensor([[0.0, math.log(3)]]), N), [0.25, 0.75]),
    "shuffle": (lambda: ops.shuffle(Tensor(np.arange(N) % 4)), [0.25] * 4),
    "bernoulli_": (lambda: ops.bernoulli_(ONES.copy(), 0.3), [0.7, 0.3]),
    "bernoulli_of": (lambda: ops.bernoulli_of(ONES * 0.3), [0.7, 0.3]),
    "random_": (lambda: ops.random_(ONES.copy(), 0, 4), [0.25] * 4),
    "any_integers": (lambda: ops.any_integers((N,)) % 4, [0.25] * 4),
    "uniform_candidate_sampler": (lambda: ops.uniform_candidate_sampler(ROW, 1, N, False, 4)[0], [0.25] * 4),
    "log_uniform_candidate_sampler": (
        lambda: ops.log_uniform_candidate_sampler(ROW, 1, N, False, 3)[0],
        [0.5, math.log(1.5) / math.log(4), math.log(4 / 3) / math.log(4)],
    ),
    "choice_with_mask": (lambda: ops.choice_with_mask(MASK, N // 2)[0] % 2, [0.5, 0.5]),
    "dropout": (lambda: ops.dropout(ONES, 0.2) * 0.8, [0.2, 0.8]),
    "dropout1d": (lambda: ops.dropout1d(Tensor(np.ones((N // 4, 4, 1), np.float32)), 0.2) * 0.8, [0.2, 0.8]),
    "dropout2d": (
        lambda: ops.dropout2d(Tensor(np.ones((N // 4, 4, 1, 1), np.float32)), 0.2) * 0.8,
        [0.2, 0.8],
    ),
    "dropout3d": (
        lambda: ops.dropout3d(Tensor(np.ones((N // 4, 4, 1, 1, 1), np.float32)), 0.2) * 0.8,
        [0.2, 0.8],
    ),
    "randperm": (lambda: ops.randperm(N, -1) % 4, [0.25] * 4),
    "gumbel_softmax": (
        lambda: ops.gumbel_softmax(Tensor([[0.0, 0.0]] * (N // 2)), hard=True),
        [0.5, 0.5],
    ),
}
# `log_uniform_candidate_sampler` draws the same at every call, as MindSpore's: 0 is a seed there.
DRAWS = {
    name: draw for name, (draw, _) in (CONTINUOUS | DISCRETE).items() if not name.startswith("log_uni")
} | {
    # Their distributions are tested below.
    "cauchy": lambda: ops.cauchy((N,), 1.0, 2.0),
    "cauchy_like": lambda: ops.cauchy_like(ONES, 1.0, 2.0),
    "mask_of_bits": lambda: ops.mask_of_bits((N,), Tensor(0.8)),
    "alpha_dropout": lambda: ops.alpha_dropout(ONES, 0.3),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str) -> None:
    draw, distribution = CONTINUOUS[name]
    random_states.set_seed(1)
    x = draw().asnumpy().astype(np.float64).ravel()
    assert x.size == N
    assert stats.kstest(x, distribution.cdf).pvalue > 1e-3 or (
        name.endswith("float16") and abs(x.mean() - 0.5) < 0.01
    )
    assert x.mean() == pytest.approx(distribution.mean(), abs=5 * distribution.std() / math.sqrt(N))
    assert x.std() == pytest.approx(distribution.std(), rel=0.05)


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name: str) -> None:
    draw, shares = DISCRETE[name]
    random_states.set_seed(1)
    x = np.rint(draw().asnumpy()).astype(int).ravel()
    seen = [(x == k).mean() for k in range(len(shares))]
    for share, expected in zip(seen, shares, strict=True):
        assert share == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / x.size) + 1e-9)


@pytest.mark.parametrize("name", DRAWS)
def test_draws_differ_and_the_seed_repeats_them(name: str) -> None:
    draw = DRAWS[name]
    random_states.set_seed(11)
    first, second = draw().asnumpy(), draw().asnumpy()
    random_states.set_seed(11)
    assert (first != second).any()
    np.testing.assert_array_equal(first, draw().asnumpy())


def test_compiled_draws_differ_repeat_and_are_the_eager_ones() -> None:
    """Every operator's, as one program."""
    draws = {name: draw for name, draw in DRAWS.items() if " " not in name}
    compiled = jit(lambda: [draw() for draw in draws.values()])
    random_states.set_seed(11)
    first, second = compiled(), compiled()
    random_states.set_seed(11)
    again = compiled()
    random_states.set_seed(11)
    for name, *drawn, draw in zip(draws, first, second, again, draws.values(), strict=True):
        one, two, repeated = (d.asnumpy() for d in drawn)
        assert (one != two).any(), name
        np.testing.assert_array_equal(one, repeated, err_msg=name)
        # A mean is added to what was drawn: near zero, half a unit in the last place of the mean remains.
        np.testing.assert_allclose(one, draw().asnumpy(), rtol=1e-5, atol=2e-7, err_msg=name)


def test_seeds_name_streams() -> None:
    """As MindSpore's: a stream for each operator and seed, that other draws leave alone and `set_seed` starts again."""
    drawn = {}
    for seed in (None, 0, 1, 2):
        random_states.set_seed(3)
        other = ops.randn(3, seed=1), ops.rand(3, seed=7)
        drawn[seed] = [ops.rand(8, seed=seed).tolist() for _ in range(2)]
        if seed:
            random_states.set_seed(3)
            assert drawn[seed] == [ops.rand(8, seed=seed).tolist() for _ in range(2)]
    del other
    assert drawn[None] == drawn[0]
    assert len({tuple(row) for seed in (0, 1, 2) for row in drawn[seed]}) == 6
    random_states.set_seed(4)
    assert ops.rand(8, seed=1).tolist() != drawn[1][0]


# What MindSpore 2.10 draws with (seed, seed2) = (3, 0), (0, 3) and (3, 4): two objects alike, each call of one something
# new, `set_seed` without effect; with (0, 0) always something new.
SEEDED: dict[str, tuple[Any, ...]] = {
    "StandardNormal": ((8,),),
    "StandardLaplace": ((8,),),
    "UniformReal": ((8,),),
    "UniformInt": ((8,), Tensor(0), Tensor(1000)),
    "Gamma": ((8,), Tensor([1.0]), Tensor([1.0])),
    "Poisson": ((8,), Tensor([50.0])),
    "RandomGamma": (Tensor([8]), Tensor([1.0])),
    "RandomPoisson": (Tensor([8]), Tensor([50.0])),
    "TruncatedNormal": ((8,),),
    "Multinomial": (Tensor(np.ones(100, np.float32)), 8),
    "RandomShuffle": (Tensor(np.arange(40)),),
    "RandomChoiceWithMask": (Tensor(np.ones(40, bool)),),
    "Dropout": (Tensor(np.ones(40, np.float32)),),
    "ParameterizedTruncatedNormal": ((8,), *(Tensor([v]) for v in (0.0, 1.0, -2.0, 2.0))),
    "DropoutGenMask": ((40,), Tensor(0.5)),
}


def _objects(name: str, seeds: tuple[int, int]) -> Callable[[], list]:
    first, second = ("Seed0", "Seed1") if "Dropout" in name else ("seed", "seed2")
    made = getattr(classes, name)(**{first: seeds[0], second: seeds[1]})

    def draw() -> list:
        drawn = made(*SEEDED[name])
        return (drawn[0] if isinstance(drawn, tuple) else drawn).tolist()

    return draw


@pytest.mark.parametrize("name", SEEDED)
def test_objects_with_equal_seeds_draw_alike(name: str) -> None:
    first = {}
    for seeds in ((3, 0), (0, 3), (3, 4)):
        one, two = _objects(name, seeds), _objects(name, seeds)
        random_states.set_seed(5)
        first[seeds] = [one(), one()]
        random_states.set_seed(6)
        assert [two(), two()] == first[seeds]
        assert one() not in first[seeds]
    assert len({str(drawn) for rows in first.values() for drawn in rows}) == 6
    one, two = _objects(name, (0, 0)), _objects(name, (0, 0))
    assert len({str(drawn()) for drawn in (one, one, two, two)}) == 4


def test_seeds_that_an_object_is_called_with_advance_it() -> None:
    weights = Tensor(np.ones((1, 100), np.float32))
    for name, settings, args in (
        ("RandomCategorical", (), (weights, 8, 3)),
        ("MultinomialWithReplacement", (8,), (weights, 3, 4)),
        ("LogUniformCandidateSampler", (1, 8, True, 1000, 0), (Tensor([[1]]),)),
        ("UniformCandidateSampler", (1, 8, True, 1000, 3), (Tensor([[1]]),)),
    ):
        one, two = (getattr(classes, name)(*settings) for _ in range(2))
        drawn = [
            np.asarray(r[0] if isinstance(r, tuple) else r) for r in (f(*args) for f in (one, one, two, two))
        ]
        np.testing.assert_array_equal(drawn[:2], drawn[2:])
        assert (drawn[0] != drawn[1]).any(), name


def test_functions_that_make_an_operator_for_each_call() -> None:
    """MindSpore's give the same at every eager call with a seed; compiled, their operator stays and goes on."""
    weights = Tensor(np.ones((1, 100), np.float32))
    calls = {
        "random_categorical": lambda seed: ops.random_categorical(weights, 8, seed),
        "uniform_candidate_sampler": lambda seed: ops.uniform_candidate_sampler(ROW, 1, 8, True, 1000, seed)[
            0
        ],
        "multinomial_with_replacement": lambda seed: ops.multinomial_with_replacement(
            weights, seed, 0, 8, True
        ),
    }
    for name, call in calls.items():
        compiled = jit(lambda call=call: call(5))
        assert call(5).tolist() == call(5).tolist() != call(6).tolist(), name
        assert call(0).tolist() != call(0).tolist(), name
        assert compiled().tolist() != compiled().tolist(), name
    assert ops.randperm(40).tolist() == ops.randperm(40).tolist() != ops.randperm(40, 1).tolist()
    assert ops.randperm(40, -1).tolist() != ops.randperm(40, -1).tolist()


def test_a_compiled_function_advances_the_state_of_an_object() -> None:
    one, two = (classes.Dropout(0.5, 3, 4) for _ in range(2))
    compiled, x = jit(lambda x: one(x)[0]), Tensor(np.ones(40, np.float32))
    drawn = [compiled(x).tolist(), compiled(x).tolist(), one(x)[0].tolist()]
    assert drawn == [two(x)[0].tolist() for _ in range(3)]
    assert drawn[0] != drawn[1] != drawn[2]


@pytest.mark.parametrize("text", GOLDEN)
def test_shape_dtype_and_errors(text: str) -> None:
    expected = DEPARTS.get(text, GOLDEN[text])
    scope = {"ops": ops, "ms": dtype, "Tensor": Tensor}
    if "error" in expected:
        with pytest.raises(
            {"ValueError": ValueError, "TypeError": TypeError, "RuntimeError": RuntimeError}[
                expected["error"]
            ]
        ) as caught:
            eval(text, scope)
        assert "Received" in str(caught.value)
        assert text.split("(")[0].removeprefix("ops.").removesuffix("_like") in str(caught.value)
    else:
        got = eval(text, scope)
        assert (list(got.shape), str(got.dtype)) == (expected["shape"], expected["dtype"])


# ------------------------------------------------------------------------------------------------ particulars


def test_cauchys_numbers_have_no_mean() -> None:
    random_states.set_seed(1)
    for x in (ops.cauchy((N,), 1.0, 2.0), ops.cauchy_like(ONES, 1.0, 2.0)):
        assert stats.kstest(x.asnumpy(), stats.cauchy(1, 2).cdf).pvalue > 1e-3


def test_candidates_without_repeats() -> None:
    """Each class at most once, with the chance of drawing and rejecting; expected counts are chances of coming up."""
    random_states.set_seed(1)
    truth = Tensor(np.array([[0], [3]]))
    times = np.zeros(5)
    draw = classes.LogUniformCandidateSampler(1, 2, True, 5)
    for _ in range(300):
        drawn, true, sampled = draw(truth)
        assert len(set(drawn.tolist())) == 2
        times += np.bincount(drawn.asnumpy(), minlength=5)
    assert (np.diff(times) < 0).sum() >= 3
    assert 0 < true.asnumpy()[1, 0] < true.asnumpy()[0, 0] < 1
    assert sampled.shape == (2,)
    drawn, true, sampled = ops.uniform_candidate_sampler(truth, 1, 3, True, 5, 0, True)
    assert set(drawn.tolist()) == {1, 2, 4}
    np.testing.assert_allclose(true.asnumpy(), 0.6, 1e-6)


def test_masks_of_bits() -> None:
    random_states.set_seed(1)
    mask = ops.mask_of_bits((N,), Tensor(0.8))
    kept = ops.masked_by_bits(ONES, mask, Tensor(0.8)).asnumpy()
    assert set(np.unique(kept)) == {np.float32(0), np.float32(1 / np.float32(0.8))}
    assert (kept > 0).mean() == pytest.approx(0.8, abs=5 * math.sqrt(0.16 / N))
    with pytest.raises(ValueError, match="DropoutDoMask"):
        ops.masked_by_bits(ONES, mask[:5], Tensor(0.8))


def test_a_generator_of_ones_own() -> None:
    random_states.set_seed(1)
    before = random_states.get_rng_state().asnumpy()
    generator = Generator().manual_seed(5)
    first = ops.normal_(ONES[:4].copy(), generator=generator).tolist()
    second = ops.normal_(ONES[:4].copy(), generator=generator).tolist()
    again = ops.normal_(ONES[:4].copy(), generator=generator.manual_seed(5)).tolist()
    assert first == again != second
    np.testing.assert_array_equal(before, random_states.get_rng_state().asnumpy())
    with pytest.raises(TypeError, match="generator"):
        ops.normal_(ONES, generator=5)


def test_what_is_filled_in_place_keeps_its_dtype() -> None:
    x = Tensor(np.zeros(3, np.float16))
    assert ops.uniform_(x, 1.0, 2.0) is x
    assert x.asnumpy().dtype == np.float16
    assert (x.asnumpy() >= 1).all()
    assert ops.random_(Tensor(np.zeros(3, np.int8)), 3, 4).tolist() == [3, 3, 3]
    with pytest.raises(TypeError, match="normal_"):
        ops.normal_(Tensor([1, 2]))
    places, filled = ops.choice_with_mask(Tensor(np.array([[False, True]])), 3)
    assert places.tolist() == [[0, 1], [0, 0], [0, 0]]
    assert filled.tolist() == [True, False, False]


def test_normal_draws_its_own_shape_and_broadcasts_it() -> None:
    """As in MindSpore, rows of means of one draw share it."""
    x = ops.normal((2, 1), Tensor([0.0, 10.0]), Tensor(1.0)).asnumpy()
    np.testing.assert_allclose(x[:, 1] - x[:, 0], [10.0, 10.0], rtol=1e-5)


def test_multinomial_without_replacement_never_repeats() -> None:
    x = ops.multinomial(Tensor(np.full((50, 6), 0.5, np.float32)), 6, False).asnumpy()
    np.testing.assert_array_equal(np.sort(x, 1), np.tile(np.arange(6), (50, 1)))


def test_permutations_keep_all() -> None:
    np.testing.assert_array_equal(np.sort(ops.randperm(100).asnumpy()), np.arange(100))
    rows = ops.shuffle(Tensor(np.arange(40).reshape(20, 2))).asnumpy()
    np.testing.assert_array_equal(rows[:, 1] - rows[:, 0], np.ones(20))
    np.testing.assert_array_equal(np.sort(rows.ravel()), np.arange(40))


@pytest.mark.parametrize("drop", ["dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"])
def test_dropout_of_nothing_everything_and_in_evaluation(drop: str) -> None:
    fn, shape = (
        getattr(ops, drop),
        {"dropout2d": (1, 2, 3, 4), "dropout3d": (1, 2, 3, 4, 5)}.get(drop, (2, 3, 4)),
    )
    x = Tensor(np.random.RandomState(0).randn(*shape).astype(np.float32))
    assert fn(x, 0.5, training=False) is x
    np.testing.assert_allclose(fn(x, 0.0).asnumpy(), x.asnumpy(), rtol=1e-6)
    if drop != "dropout":  # which MindSpore refuses (tests/goldens/refusals_cases.py)
        np.testing.assert_array_equal(fn(x, 1.0).asnumpy(), 0 * x.asnumpy())


@pytest.mark.parametrize("drop", ["dropout1d", "dropout2d", "dropout3d"])
def test_channels_fall_together(drop: str) -> None:
    shape = (20, 10, *[3] * int(drop[-2]))
    y = getattr(ops, drop)(Tensor(np.ones(shape, np.float32)), 0.5).asnumpy().reshape(20, 10, -1)
    assert ((y == 0) | (y == 2)).all()
    assert (y == y[..., :1]).all()
    assert 0.3 < (y == 0).mean() < 0.7


def test_dropout_scales_what_stays_and_its_gradient_alike() -> None:
    x = Tensor(np.full(1000, 3.0, np.float32))
    random_states.set_seed(5)
    y = ops.dropout(x, 0.25).asnumpy()
    random_states.set_seed(5)
    g = grad(lambda t: ops.dropout(t, 0.25).sum())(x).asnumpy()
    assert set(np.unique(y)) == {0.0, 4.0}
    np.testing.assert_allclose(g, y / 3)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    random_states.set_seed(5)
    y = ops.alpha_dropout(ops.randn(N), 0.3).asnumpy()
    assert y.mean() == pytest.approx(0, abs=0.05)
    assert y.std() == pytest.approx(1, abs=0.05)


def test_gradients_of_means_deviations_and_shapes() -> None:
    random_states.set_seed(5)
    shift, scale = grad(lambda m, s: ops.normal((N,), m, s).mean(), (0, 1))(Tensor(1.0), Tensor(2.0))
    assert shift.asnumpy() == pytest.approx(1)
    assert abs(scale.asnumpy()) < 0.05
    assert grad(lambda a: ops.random_gamma(Tensor([N]), a).mean())(Tensor(2.0)).asnumpy() == pytest.approx(
        1, abs=0.05
    )


def test_hard_gumbel_softmax_has_the_soft_gradient() -> None:
    x, w = Tensor([0.1, 0.5, -0.3]), Tensor([1.0, 2.0, 4.0])
    gradients = []
    for hard in (False, True):
        random_states.set_seed(5)
        gradients.append(grad(lambda t, hard=hard: (ops.gumbel_softmax(t, 0.7, hard) * w).sum())(x).asnumpy())
    np.testing.assert_allclose(*gradients, rtol=1e-6)


def test_attention_drops_weights() -> None:
    random_states.set_seed(5)
    q, v = Tensor(np.zeros((1, 1, 1, 4), np.float32)), Tensor(np.ones((1, 1, N, 1), np.float32))
    k = Tensor(np.zeros((1, 1, N, 4), np.float32))
    y = ops.scaled_dot_product_attention(q, k, v, dropout_p=0.5).asnumpy().item()
    assert y != 1
    assert y == pytest.approx(1, abs=0.05)


def test_lowers() -> None:
    """Every draw lowers for CUDA and TPU, without float64."""

    def drawn(key: jax.Array) -> list[jax.Array]:
        with random_state(key):
            return [draw().array for name, draw in DRAWS.items() if "seed" not in name]

    program = jax.export.export(jax.jit(drawn), platforms=("cuda", "tpu"))(np.zeros(2, np.uint32))
    assert not float64_in(program.mlir_module())


class random_state:  # noqa: N801
    """The package's random state, for the time of a block, a given array that may be a tracer."""

    def __init__(self, value: jax.Array) -> None:
        self.value = value

    def __enter__(self) -> None:
        self.before, random_states._source = random_states._source, Tensor.from_array(self.value)

    def __exit__(self, *_: object) -> None:
        random_states._source = self.before
